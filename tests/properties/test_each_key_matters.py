"""Every key of a house matters: flipping it changes a settlement, refusal, call, figure or fault.

For each key a base house and another value are given; the two houses must be seen to differ by what
a user of the library can observe: settlements, refusals, calls, figures, and a session at a table.
"""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from fractions import Fraction
from typing import Any, Final

import attrs
import pytest
import tomli_w
from attrs import evolve

from trente_rules import (
    BetError,
    CardError,
    Colour,
    ConfigurationError,
    History,
    House,
    PluginManager,
    RuleError,
    Shoe,
    Stake,
    Table,
    Verdict,
    close_session,
    loads_house,
    refusals,
    settle,
)
from trente_rules.core import default_manager
from trente_rules.core.cards import PACK
from trente_rules.core.chances import ChanceKeys, SideBetKeys
from trente_rules.core.house.reader import RULE_TABLES, SECTIONS
from trente_rules.core.keys import keys_of
from trente_rules.core.machine import FREE
from trente_rules.core.rules.announcements import coup_calls, opening_calls
from trente_rules.core.rules.insurance import PremiumOn
from trente_rules.core.rules.limits import ChanceLimit, Progression, TablePair
from trente_rules.core.shoe import Marker
from trente_rules.odds.advantage import advantage
from trente_rules.odds.coup_odds import fresh_shoe
from trente_rules.table import (
    Burn,
    CloseBets,
    CloseSession,
    Command,
    Cut,
    Deal,
    EndShoe,
    Expose,
    MovePrisoner,
    OpenBets,
    OpenShoe,
    Phase,
    Place,
    PlaceMarker,
    Settle,
    Turn,
    VoidCoup,
)
from trente_rules.table.codec import event_to_json
from trente_rules.testing import coup_with, opening_of, stacked_shoe

Tables = dict[str, Any]
BASE: Final[Tables] = {
    "house": {"name": "base"},
    "money": {"unit": 1},
    "refait": {
        "rule": "prison",
        "levels": 2,
        "partage": ["1/2", "1/4"],
        "last": "halve",
    },
    "insurance": {"rule": "rate"},
    "limits": {"rule": "fixed", "minimum": 10, "maximum": 1000},
}
SIDE: Final = {"id": "exact", "wins_on": "exact-tie", "odds": "39"}
TIE: Final = {"id": "tie", "wins_on": "any-tie", "odds": "9"}
ROW: Final = {"id": "row", "wins_on": "row-point", "point": 40, "odds": "9"}
NOIR_WINS: Final = {
    "id": "noir-wins",
    "wins_on": "outcome",
    "on": [{"winner": "noir", "first_card": "rouge"}],
    "odds": "3",
}
IN: Final = {"course": "in", "staying": "1", "state": "prison"}
PRISON: Final = {
    "prison": {"refait": [IN], "close": [{"course": "closed", "returned": "1/2"}]},
}

# key -> (what is laid over the base, the other value)
FLIPS: Final[dict[str, tuple[Tables, Any]]] = {
    "house.name": ({}, "other"),
    "house.title": ({}, "Another title"),
    "house.sources": ({}, ["a law"]),
    "house.inferred": ({}, ["shoe.packs"]),
    "money.currency": ({}, "CHF"),
    "money.unit": ({}, "0.50"),
    "money.rounding": ({}, "player"),
    "shoe.packs": ({}, 4),
    "shoe.shuffled": ({}, "every-coup"),
    "shoe.burn": ({}, 5),
    "shoe.marker": ({}, {"from_end": 5}),
    "shoe.marker.from_end": ({"shoe": {"marker": {"from_end": 5}}}, 7),
    "shoe.marker.on_marker": ({"shoe": {"marker": {"from_end": 310}}}, "finish"),
    "shoe.burn_shown": ({"shoe": {"burn": 5}}, True),
    "shoe.marker.placed_by": ({"shoe": {"marker": {"from_end": 5}}}, "player"),
    "shoe.ends": ({}, "no-coup"),
    "shoe.cut": ({}, "after-bets"),
    "shoe.prisoners_at_end": ({}, "close"),
    "shoe.cut_by": ({}, "croupier"),
    "shoe.exposed_card": ({}, "void"),
    "shoe.count_talon": ({"shoe": {"marker": {"from_end": 5}}}, True),
    "deal.first_row": ({}, "rouge"),
    "deal.couleur": ({}, "first-of-winning-row"),
    "deal.chances": ({}, ["rouge", "noir"]),
    "deal.refait_on": ({}, "any"),
    "deal.wins": ({}, "highest"),
    "refait.on": ({"deal": {"refait_on": [31, 40]}}, {"40": {"rule": "all-lose"}}),
    "chances.id": ({"chances": [{"id": "rouge", "odds": "2"}]}, "noir"),
    "chances.odds": ({"chances": [{"id": "rouge", "odds": "2"}]}, "19/20"),
    "chances.commission": ({"chances": [{"id": "rouge", "odds": "2"}]}, "1/20"),
    "chances.refait_on": ({"chances": [{"id": "rouge", "odds": "2"}]}, []),
    "refait.rule": ({"refait": {"rule": "half-loss"}}, "all-lose"),
    "refait.returned": ({"refait": {"rule": "half-loss"}}, "1/4"),
    "refait.levels": ({}, 3),
    "refait.partage": ({}, ["1/2"]),
    "refait.again": ({}, "quarter-lost"),
    "refait.last": ({}, "lose"),
    "refait.release": ({}, "one-out"),
    "refait.tie": ({}, "frees"),
    "refait.close": ({}, ["1/3", "1/5"]),
    "refait.partage_not_below": ({}, "minimum"),
    "refait.default": ({}, "partage"),
    "refait.machine": (
        {"refait": {"rule": "custom", "machine": {"free": {"refait": [IN]}, **PRISON}}},
        {"free": {"refait": [{"course": "lost"}]}},
    ),
    "insurance.rule": ({}, "none"),
    "insurance.rate": ({}, "1/50"),
    "insurance.minimum_premium": ({}, 5),
    "insurance.minimum_stake": ({}, 500),
    "insurance.multiple": ({}, 500),
    "insurance.premium_unit": ({}, 2),
    "insurance.maximum_premium": ({}, 3),
    "insurance.maximum_stake": ({}, 400),
    "insurance.lasts": ({}, "until-decided"),
    "insurance.premium_on": ({}, {"apres": "returned"}),
    "insurance.premium_on.win": ({}, "returned"),
    "insurance.premium_on.lose": ({}, "returned"),
    "insurance.premium_on.apres": ({}, "returned"),
    "insurance.premium_on.refait": ({}, "returned"),
    "insurance.premium_on.close": ({}, "kept"),
    "insurance.covers": ({}, ["free", "prison"]),
    "insurance.prepaid": ({}, False),
    "insurance.without_proof": ({}, "refused"),
    "insurance.premium": (
        {"insurance": {"rule": "per-started", "premium": 5, "per_started": 500}},
        6,
    ),
    "insurance.per_started": (
        {"insurance": {"rule": "per-started", "premium": 5, "per_started": 500}},
        50,
    ),
    "limits.rule": ({"limits": {"rule": "fixed"}}, "fixed"),
    "limits.step": ({}, 20),
    "limits.per_chance": ({}, {"rouge": {"maximum": 20}}),
    "limits.per_chance.rouge.minimum": (
        {"limits": {"per_chance": {"rouge": {"maximum": 100}}}},
        50,
    ),
    "limits.per_chance.rouge.maximum": (
        {"limits": {"per_chance": {"rouge": {"maximum": 100}}}},
        90,
    ),
    "limits.per_chance.rouge.maximum_multiple": (
        {"limits": {"per_chance": {"rouge": {"minimum": 10}}}},
        9,
    ),
    "limits.per_chance.rouge.maximum_win": (
        {"limits": {"per_chance": {"rouge": {"maximum": 100}}}},
        90,
    ),
    "limits.both_sides": ({}, False),
    "limits.associations": ({}, "allowed"),
    "limits.move_prisoners": ({}, True),
    "limits.late_bets": ({}, "until-first-card"),
    "limits.progression": ({}, {"reference": 1}),
    "limits.progression.reference": ({"limits": {"progression": {"reference": 1}}}, 2),
    "limits.progression.at_most": ({"limits": {"progression": {"reference": 1}}}, "3"),
    "limits.minimum": ({}, 50),
    "limits.maximum": ({}, 100),
    "limits.maximum_multiple": ({"limits": {"maximum": "none"}}, 3),
    "limits.maximum_win": ({}, 90),
    "limits.aggregate_maximum": ({}, 90),
    "limits.differential_maximum": ({}, 90),
    "limits.table_maximum": ({}, 90),
    "limits.most_stakes": ({}, 1),
    "limits.table_most_stakes": ({}, 2),
    "limits.tables": (
        {"limits": {"rule": "tables", "tables": [{"minimum": 10, "maximum": 90}]}},
        [{"minimum": 10, "maximum": 100}],
    ),
    "limits.tables.minimum": (
        {"limits": {"rule": "tables", "tables": [{"minimum": 10, "maximum": 90}]}},
        None,
    ),
    "limits.tables.maximum": (
        {"limits": {"rule": "tables", "tables": [{"minimum": 10, "maximum": 90}]}},
        None,
    ),
    "settlement.order": ({}, "as-placed"),
    "settlement.pay": ({}, ["inverse", "couleur", "noir", "rouge"]),
    "settlement.collect_from": ({}, "right"),
    "settlement.pay_from": ({}, "farthest"),
    "announcements.language": ({}, "en"),
    "announcements.totals": ({}, "running"),
    "announcements.points_at": ({}, "result"),
    "announcements.forty": ({}, "dix"),
    "announcements.row_call": ({}, True),
    "announcements.result": ({}, "all-four"),
    "announcements.tie": ({}, "both"),
    "announcements.phrases": ({}, {"cut": "coupez"}),
    "side_bets.id": ({"side_bets": [SIDE]}, "une-apres"),
    "side_bets.odds": ({"side_bets": [SIDE]}, "40"),
    "side_bets.needs": ({"side_bets": [SIDE]}, "simple"),
    "side_bets.wins_on": ({"side_bets": [{**SIDE, "point": 32}]}, "any-tie"),
    "side_bets.point": ({"side_bets": [SIDE]}, 40),
    "side_bets.commission": ({"side_bets": [SIDE]}, "1/20"),
    "side_bets.pays": ({"side_bets": [SIDE]}, [{"first_card": "noir", "odds": "50"}]),
    "side_bets.pushes_on": ({"side_bets": [SIDE]}, [{"tie": True, "first": [40]}]),
    "side_bets.except": ({"side_bets": [TIE]}, [31]),
    "side_bets.row": ({"side_bets": [ROW]}, "first"),
    "side_bets.on": ({"side_bets": [NOIR_WINS]}, [{"winner": "rouge"}]),
}
LIVE: Final = (
    "shoe.burn_shown",
    "shoe.marker.placed_by",
    "shoe.prisoners_at_end",
    "shoe.shuffled",
    "shoe.ends",
    "shoe.cut",
    "shoe.cut_by",
    "shoe.exposed_card",
    "shoe.count_talon",
    "limits.move_prisoners",
    "limits.late_bets",
)
"""Keys of a table in play: each must change what happens in a session."""
ELSEWHERE: Final = {
    "limits.per_chance.chance": "the name of the table, not a key inside it",
    "house.extends": "read before there is a house: tests of extends show it",
}


def all_keys(plugins: PluginManager) -> Iterator[str]:
    """Return every key of a house file, nested ones by their paths."""
    nested = {
        "shoe.marker": Marker,
        "insurance.premium_on": PremiumOn,
        "limits.progression": Progression,
        "limits.per_chance.rouge": ChanceLimit,
        "limits.tables": TablePair,
    }
    for table, cls in (*SECTIONS.items(), *nested.items()):
        for info in keys_of(cls):
            path = f"{table}.{info.name}"
            yield path.replace("rouge.chance", "chance")
    for table, kind in RULE_TABLES.items():
        yield f"{table}.rule"
        for name in plugins.names(kind):
            for info in keys_of(plugins.rule(kind, name).rule):
                yield f"{table}.{info.name}"
    yield "refait.on"
    for info in keys_of(ChanceKeys):
        yield f"chances.{info.name}"
    for info in keys_of(SideBetKeys):
        yield f"side_bets.{info.name}"
    yield "side_bets.wins_on"
    for name in plugins.names("side bet"):
        for info in keys_of(plugins.rule("side bet", name).rule):
            yield f"side_bets.{info.name}"


def test_every_key_is_flipped_or_listed() -> None:
    """No key of a house file is missing here, and none that is here is gone."""
    keys = set(all_keys(PluginManager(only=())))
    assert keys - set(ELSEWHERE) - {"house.extends"} == set(FLIPS)


def laid_over(base: Tables, over: Tables) -> Tables:
    """Return the base with other tables laid over it; a table with another rule replaces it."""
    tables = deepcopy(base)
    for name, table in over.items():
        held = tables.get(name)
        replaces = isinstance(table, list) or held is None or "rule" in table
        tables[name] = table if replaces else {**dict(held or {}), **table}
    return deepcopy(tables)


def flipped(tables: Tables, key: str, value: Any) -> Tables:
    """Return the tables with one key at another value."""
    tables = deepcopy(tables)
    steps = key.split(".")
    if steps[:2] == ["limits", "tables"] and len(steps) > 2:
        tables["limits"]["tables"][0][steps[2]] += 5
        return tables
    inner = tables.setdefault(steps[0], {})
    if isinstance(inner, list):
        inner = inner[0]
        if steps[1] == "wins_on":
            inner.pop("point")
    for step in steps[1:-1]:
        inner = inner.setdefault(step, {})
    if key == "insurance.rule":
        inner.clear()
    inner[steps[-1]] = value
    if key == "limits.maximum_multiple":
        inner.pop("maximum", None)
    return tables


AMOUNTS: Final = (10, 37, 45, 95, 500, 1500)


def placed(house: House) -> list[Stake]:
    """Return stakes of many kinds: amounts, states, insured and with no proof, in groups."""
    table = house.insurance_table
    stakes = []
    for chance in house.chances:
        for amount in AMOUNTS:
            name = f"{chance.id}-{amount}"
            stakes.append(Stake(name, f"{amount}", chance.id, amount, group="club"))
            insured = (chance.id, True) in house.wagers
            if insured and table and not table.refusal(amount):
                stakes.append(Stake(f"{name}-i", f"{amount}", chance.id, amount, insured=True))
        for prison in house.wager(chance.id).machine.prisons:
            insured = (chance.id, True) in house.wagers
            covered = insured and table is not None and prison in table.covers
            stakes.append(
                Stake(
                    f"{chance.id}-{prison}",
                    "detained",
                    chance.id,
                    45,
                    state=prison,
                    share=Fraction(1, 2),
                    insured=covered,
                )
            )
    return stakes


def session(house: House) -> list[Any]:
    """Return all that is seen at a table: a session played the same way, refusals among it."""
    table = Table(house, opening=opening_of(house))
    seen: list[Any] = []

    def give(kind: type[Command], **fields: Any) -> None:
        command = kind(id=f"{len(seen)}", **fields)
        error = table.why_not(command)
        seen.append(str(error) if error else [event_to_json(each) for each in table.do(command)])

    burn = house.shoe.burn
    order = stacked_shoe(
        [coup_with(31, 31), coup_with(33, 35), coup_with(35, 33)], house.shoe.packs, burn=burn
    ).cards

    def open_shoe() -> None:
        give(OpenShoe, cards=order)
        for hand in ("player", "croupier", "player-on-right"):
            give(Cut, by=hand)
        give(Burn)
        for hand in ("croupier", "player"):
            give(PlaceMarker, by=hand)

    open_shoe()
    give(OpenBets)
    give(Place, stake="a", player="ann", chance="rouge", amount=100)
    give(CloseBets)
    give(Place, stake="b", player="bob", chance="noir", amount=100)
    give(Deal)
    give(Settle)
    give(OpenBets)
    give(MovePrisoner, stake="a", chance="noir")
    give(CloseBets)
    give(Turn)
    give(Expose)
    give(VoidCoup, reason="the session goes on")
    give(EndShoe)
    open_shoe()
    while table.state.phase is Phase.READY:
        give(OpenBets)
        give(CloseBets)
        give(Deal)
        give(Settle)
    give(CloseSession)
    return seen


def observed(tables: Tables) -> list[Any]:
    """Return all that a user can see of a house, a session at a table among it."""
    try:
        house = loads_house(tomli_w.dumps(tables))
    except ConfigurationError as error:
        return [str(fault) for fault in error.faults]
    opening = opening_of(house)
    stakes = placed(house)
    seen: list[Any] = [str(house), house.info, house.money.text(20)]
    for first in (31, 33, 40):
        for second in (31, 33, 40):
            for colour in Colour:
                coup = coup_with(first, second, colour, Colour.NOIR)
                lines = settle(house, coup, stakes, opening=opening).lines
                seen += [(str(line), evolve(line, residue=Fraction(0))) for line in lines]
                verdicts = {chance.id: chance.verdict(coup) for chance in house.chances}
                colour_first = house.deal.first_colour
                words = house.words
                calls = coup_calls(house.announcements, words, coup, colour_first, verdicts)
                seen += map(words.say, calls)
    seen += [str(line) for line in close_session(house, stakes, opening=opening).lines]
    history = History((("95", 10), ("500", 400)))
    unproven = [evolve(s, proof=False, id=f"{s.id}-u") for s in stakes if s.insured]
    for stake in [*stakes, *unproven]:
        seen += [*refusals(house, [stake], history, opening=opening)]
    seen += [*refusals(house, stakes, history, opening=opening)]
    for stake in unproven:
        try:
            seen.append(str(settle(house, coup_with(31, 31), [stake]).lines[0]))
        except BetError as error:
            seen.append(str(error))
    seen += map(house.words.say, opening_calls(house.words, house.shoe.burn))
    seen += [answer for answer in house.machine.answers if answer.verdict != Verdict.WIN]
    seen += [(w.chance, w.policy, w.edge) for w in advantage(house, fresh_shoe(6)).wagers]
    shoe = Shoe.of_cards(PACK * house.shoe.packs, house.shoe.packs)
    try:
        ready = house.shoe.prepare(shoe)
        seen += [ready, house.shoe.deal(ready)]
    except (CardError, RuleError) as error:
        seen.append(str(error))
    return [*seen, *session(house)]


FURTHER: Final[tuple[tuple[str, Tables, Any], ...]] = (
    ("settlement.order", {}, "by-position"),
    ("limits.maximum", {}, "at-opening"),
    ("limits.per_chance.rouge.minimum", {}, "at-opening"),
    ("limits.per_chance.rouge.maximum", {}, "at-opening"),
    ("insurance.minimum_stake", {}, "at-opening"),
)
"""Other values of keys: each is seen too."""


@pytest.mark.parametrize(("key", "over", "value"), FURTHER)
def test_another_value_is_seen_too(key: str, over: Tables, value: Any) -> None:
    """A new value of a key matters as the key does: to a settlement, a refusal, an opening."""
    tables = laid_over(BASE, over)
    houses = [loads_house(tomli_w.dumps(each)) for each in (tables, flipped(tables, key, value))]
    position = 9
    stakes = [
        Stake(
            f"{chance.id} {amount}", "ann", chance.id, amount, position=(position := position - 1)
        )
        for chance in houses[0].chances
        for amount in (10, 50)
    ]
    coup = coup_with(35, 33, Colour.ROUGE, Colour.NOIR)
    seen = [
        (
            [
                line.stake.id
                for line in settle(house, coup, stakes, opening=opening_of(house)).lines
            ],
            opening_of(house),
        )
        for house in houses
    ]
    assert seen[0] != seen[1]


@pytest.mark.slow
@pytest.mark.parametrize("key", sorted(set(FLIPS) - {"limits.rule"}))
def test_flipping_a_key_is_seen(key: str) -> None:
    """With the key at another value, something that a user can see is another."""
    over, value = FLIPS[key]
    tables = laid_over(BASE, over)
    if key == "refait.partage_not_below":
        tables["limits"]["minimum"] = 30
    before, after = observed(tables), observed(flipped(tables, key, value))
    assert not isinstance(before[0], str) or len(before) > 3, before
    assert before != after


def test_flipping_the_limit_rule_is_seen() -> None:
    """A house with several tables refuses what a house with one pair of limits takes."""
    fixed = laid_over(BASE, {"limits": {"rule": "fixed", "minimum": 10, "maximum": 1000}})
    tables = laid_over(
        BASE, {"limits": {"rule": "tables", "tables": [{"minimum": 10, "maximum": 90}]}}
    )
    assert observed(fixed) != observed(tables)


@pytest.mark.parametrize("key", LIVE)
def test_a_session_shows_what_only_a_table_can(key: str) -> None:
    """What no settlement of one coup can show is seen in the events of a session."""
    over, value = FLIPS[key]
    tables = laid_over(BASE, over)
    other = flipped(tables, key, value)
    seen = [session(loads_house(tomli_w.dumps(each))) for each in (tables, other)]
    assert seen[0] != seen[1]


def test_the_observer_sees_nothing_where_nothing_is_flipped() -> None:
    """The same house looks the same twice: a difference is the key's alone."""
    assert observed(BASE) == observed(deepcopy(BASE))
    assert FREE == default_manager().rule("insurance rule", "rate").rule().covers[0]
    assert attrs.has(Marker)
