"""For the tests of those who use or extend this library: stacked shoes, strategies, conformance.

``coup_with`` and ``stacked_shoe`` need nothing else. The strategies (``coups``, ``houses``,
``stakes``) and the checks built on them need hypothesis: install ``trente-rules[testing]``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

import tomli_w
from hypothesis import strategies as st

from trente_rules.core.cards import PACK, Card, Colour
from trente_rules.core.chances import COUP_VERDICTS, SIMPLE_CHANCES, DealRule
from trente_rules.core.coup import LAST_OPEN_TOTAL, POINTS, Coup, Row
from trente_rules.core.errors import BetError, CardError
from trente_rules.core.house.house import House, possible_verdicts
from trente_rules.core.house.loading import loads_house
from trente_rules.core.machine import FREE, StakeMachine
from trente_rules.core.plugins.manager import PluginManager
from trente_rules.core.rules.refait import Courses, RefaitRule, prison_name
from trente_rules.core.settlement import wager_of
from trente_rules.core.shoe import Shoe
from trente_rules.core.stakes import Opening, Stake

_TENS = {Colour.NOIR: Card(10, "♠"), Colour.ROUGE: Card(10, "♥")}


def row_with(point: int, colour: Colour = Colour.NOIR) -> Row:
    """Return a row that ends on a point, its first card of a colour."""
    ten = _TENS[colour]
    return Row((ten, ten, ten, Card(point - LAST_OPEN_TOTAL, "♣")))


def coup_with(
    first: int,
    second: int,
    first_colour: Colour = Colour.NOIR,
    second_colour: Colour = Colour.NOIR,
) -> Coup:
    """Return a coup with these points and these colours of the first cards of its rows."""
    return Coup(row_with(first, first_colour), row_with(second, second_colour))


def stacked_shoe(coups: Iterable[Coup], packs: int = 6, *, burn: int = 0) -> Shoe:
    """Return a whole shoe that deals these coups first, after ``burn`` cards burned.

    Raises ``CardError`` ("too-many-of-a-card") where the packs do not hold the cards.
    """
    wanted = [card for coup in coups for card in coup.cards]
    rest = Counter(dict.fromkeys(PACK, packs))
    rest.subtract(wanted)
    short = [str(card) for card, count in rest.items() if count < 0]
    if short:
        raise CardError(
            f"{packs} packs do not hold so many of {', '.join(short)}",
            "too-many-of-a-card",
            "ask for fewer coups, or more packs",
            missing=tuple(short),
        )
    others = list(rest.elements())
    return Shoe.of_cards([*others[:burn], *wanted, *others[burn:]], packs).burn(burn)


def cards() -> st.SearchStrategy[Card]:
    """Return a strategy for cards."""
    return st.sampled_from(PACK)


@st.composite
def rows(draw: st.DrawFn) -> Row:
    """Return a strategy for complete rows, of any cards."""
    dealt: list[Card] = []
    while sum(card.points for card in dealt) <= LAST_OPEN_TOTAL:
        dealt.append(draw(cards()))
    return Row(tuple(dealt))


def coups() -> st.SearchStrategy[Coup]:
    """Return a strategy for coups: dealt ones, and ones with every outcome alike."""
    colours, points = st.sampled_from(Colour), st.sampled_from(POINTS)
    tie = st.builds(lambda p, a, b: coup_with(p, p, a, b), points, colours, colours)
    return st.one_of(
        st.builds(Coup, rows(), rows()), st.builds(coup_with, points, points, colours, colours), tie
    )


def shares() -> st.SearchStrategy[Fraction]:
    """Return a strategy for shares from 0 to 1."""
    return st.fractions(0, 1, max_denominator=12)


def _some_shares(length: int) -> st.SearchStrategy[list[str]]:
    return st.lists(shares().map(str), min_size=length, max_size=length)


@st.composite
def prison_tables(draw: st.DrawFn) -> dict[str, Any]:
    """Return a strategy for [refait] tables of the rule ``prison``."""
    levels = draw(st.integers(1, 4))
    table: dict[str, Any] = {
        "rule": "prison",
        "levels": levels,
        "last": draw(st.sampled_from(["repeat", "halve", "quarter-lost", "lose"])),
        "tie": draw(st.sampled_from(["stays", "frees", "loses"])),
        "partage": draw(st.integers(0, levels + 1).flatmap(_some_shares)),
    }
    if levels > 1:
        table["again"] = draw(st.sampled_from(["next-prison", "quarter-lost"]))
        table["release"] = draw(st.sampled_from(["frees", "one-out"]))
    if draw(st.booleans()):
        table["close"] = draw(_some_shares(levels))
    if any(Fraction(share) for share in table["partage"]):
        table["default"] = draw(st.sampled_from(["prison", "partage"]))
        table["partage_not_below"] = draw(st.sampled_from(["minimum", "none"]))
    return table


@st.composite
def _course(draw: st.DrawFn, name: str, targets: Sequence[str]) -> dict[str, Any]:
    returned = draw(shares())
    staying = (1 - returned) * draw(shares())
    course: dict[str, Any] = {"course": name, "returned": str(returned)}
    if staying and targets:
        course |= {"staying": str(staying), "state": draw(st.sampled_from(list(targets)))}
    return course


@st.composite
def custom_tables(draw: st.DrawFn) -> dict[str, Any]:
    """Return a strategy for [refait] tables that write a stake machine of one to three prisons."""
    names = [f"cell-{number}" for number in range(1, draw(st.integers(1, 3)) + 1)]
    machine: dict[str, Any] = {
        FREE: {"refait": [{"course": "in", "staying": "1", "state": names[0], "default": True}]}
    }
    if draw(st.booleans()):
        machine[FREE]["refait"].append(draw(_course("divide", ())))
    for place, name in enumerate(names):
        further = names[place + 1 : place + 2] or [name]
        machine[name] = {
            "win": [draw(_course("out", names[:place]))],
            "refait": [
                {"course": "deeper", "staying": "1", "state": further[0], "default": True},
                draw(_course("divide", names)),
            ],
            "close": [{"course": "closed", "returned": str(draw(shares()))}],
        }
        if draw(st.booleans()):
            machine[name]["apres"] = [draw(_course("tie", names))]
    return {"rule": "custom", "machine": machine}


def _refait_tables() -> st.SearchStrategy[dict[str, Any]]:
    half = st.builds(lambda share: {"rule": "half-loss", "returned": str(share)}, shares())
    return st.one_of(prison_tables(), custom_tables(), half, st.just({"rule": "all-lose"}))


def _prisons(refait: dict[str, Any]) -> list[str]:
    if refait["rule"] == "custom":
        return [name for name in refait["machine"] if name != FREE]
    return [prison_name(level) for level in range(1, refait.get("levels", 0) + 1)]


@st.composite
def _insurance(draw: st.DrawFn, prisons: list[str], unit: int) -> dict[str, Any]:
    rule = draw(st.sampled_from(["none", "rate", "per-started"]))
    table: dict[str, Any] = {"rule": rule}
    if rule == "none":
        return table
    if rule == "rate":
        table["rate"] = draw(st.sampled_from(["1/100", "1/50", "3/200", "0", "1"]))
    else:
        table["premium"] = unit * draw(st.integers(1, 5))
        table["per_started"] = unit * draw(st.integers(5, 500))
    amounts = st.integers(0, 20).map(lambda units: units * unit)
    for name in ("minimum_premium", "minimum_stake", "multiple"):
        table[name] = draw(amounts)
    fate = st.sampled_from(["kept", "returned"])
    table["premium_on"] = {name: draw(fate) for name in ("win", "lose", "apres", "refait", "close")}
    table["covers"] = (
        [FREE, *draw(st.lists(st.sampled_from(prisons), unique=True))] if (prisons) else [FREE]
    )
    table["prepaid"] = draw(st.booleans())
    if table["prepaid"]:
        table["without_proof"] = draw(st.sampled_from(["uninsured", "refused"]))
    return table


@st.composite
def _limits(draw: st.DrawFn, chances: list[str], prisons: list[str], unit: int) -> dict[str, Any]:
    table: dict[str, Any] = {"rule": draw(st.sampled_from(["fixed", "tables"]))}
    minimum = 6 * unit * draw(st.integers(1, 9))  # every step below divides it
    if table["rule"] == "tables":
        table["tables"] = [
            {"minimum": minimum * factor, "maximum": minimum * factor * 50}
            for factor in range(1, draw(st.integers(1, 3)) + 1)
        ]
    else:
        table["minimum"] = draw(st.sampled_from([minimum, "at-opening"]))
        kind = draw(st.sampled_from(["none", "maximum", "maximum_multiple"]))
        if kind == "maximum":
            table[kind] = minimum * draw(st.integers(1, 1000))
        elif kind == "maximum_multiple":
            table[kind] = draw(st.integers(1, 1000))
    table["step"] = unit * draw(st.integers(0, 3))
    table["associations"] = draw(st.sampled_from(["refused", "allowed"]))
    if {"rouge", "noir"} <= set(chances) or {"couleur", "inverse"} <= set(chances):
        table["both_sides"] = draw(st.booleans())
    if prisons:
        table["move_prisoners"] = draw(st.booleans())
    if draw(st.booleans()):
        table["progression"] = {"reference": draw(st.integers(1, 3)), "at_most": "3/2"}
    if draw(st.booleans()):
        table["per_chance"] = {chances[0]: {"maximum": minimum * 2000}}
    return table


@st.composite
def _shoe(draw: st.DrawFn, prisons: list[str]) -> dict[str, Any]:
    shoe: dict[str, Any] = {"packs": draw(st.integers(1, 8)), "burn": draw(st.integers(0, 5))}
    if shoe["burn"]:
        shoe["burn_shown"] = draw(st.booleans())
    if draw(st.booleans()):
        low = draw(st.integers(1, 20))
        shoe["marker"] = {
            "from_end": draw(st.sampled_from([low, [low, low + 10]])),
            "on_marker": draw(st.sampled_from(["void", "finish"])),
            "placed_by": draw(st.sampled_from(["croupier", "player"])),
        }
        shoe["count_talon"] = draw(st.booleans())
    if prisons:
        shoe["prisoners_at_end"] = draw(st.sampled_from(["carry", "close"]))
    shoe["exposed_card"] = draw(st.sampled_from(["burn", "void"]))
    return shoe


@st.composite
def house_tables(draw: st.DrawFn) -> dict[str, Any]:
    """Return a strategy for the tables of valid houses, as TOML writes them."""
    chances = draw(st.lists(st.sampled_from(SIMPLE_CHANCES), min_size=1, unique=True))
    refait_on = draw(
        st.one_of(
            st.just([31]),
            st.just("any"),
            st.just([]),
            st.lists(st.sampled_from(POINTS), min_size=1, unique=True),
        )
    )
    deal: dict[str, Any] = {
        "first_row": draw(st.sampled_from(["noir", "rouge"])),
        "chances": chances,
        "refait_on": refait_on,
    }
    if {"couleur", "inverse"} & set(chances):
        deal["couleur"] = draw(st.sampled_from(["first-of-coup", "first-of-winning-row"]))
    refait = draw(_refait_tables()) if refait_on else {"rule": "none"}
    prisons = _prisons(refait)
    if refait_on == "any" or len(refait_on) == len(POINTS):
        refait.pop("tie", None)
    unit = draw(st.sampled_from([1, 5]))
    side_bets = draw(st.lists(st.sampled_from([31, 32, 40]), unique=True))
    insurance: dict[str, Any] = {"rule": "none"}
    if refait_on:
        insurance = draw(_insurance(prisons, unit))
    every_tie = refait_on == "any" or len(refait_on) == len(POINTS)
    if every_tie and insurance["rule"] != "none":
        insurance["premium_on"] = {"win": "kept"}
    table: dict[str, Any] = {
        "house": {"name": "random", "title": draw(st.text(max_size=8))},
        "money": {
            "unit": unit,
            "rounding": draw(st.sampled_from(["bank", "player", "half-even", "refuse"])),
        },
        "shoe": draw(_shoe(prisons)),
        "deal": deal,
        "refait": refait,
        "insurance": insurance,
        "limits": draw(_limits(chances, prisons, unit)),
        "settlement": {"order": draw(st.sampled_from(["losers-first", "as-placed"]))},
        "announcements": {"language": draw(st.sampled_from(["fr", "en", "it", "es", "de"]))},
        "side_bets": [
            {"id": f"exact-{point}", "wins_on": "exact-tie", "point": point, "odds": "77/2"}
            for point in side_bets
        ],
    }
    if table["settlement"]["order"] == "losers-first":
        table["settlement"]["pay"] = draw(st.permutations(chances))
        ends = st.sampled_from(["nearest", "farthest", "left", "right"])
        table["settlement"] |= {"collect_from": draw(ends), "pay_from": draw(ends)}
    return table


def houses(plugins: PluginManager | None = None) -> st.SearchStrategy[House]:
    """Return a strategy for valid houses of every kind of rule."""
    return house_tables().map(lambda table: loads_house(tomli_w.dumps(table), plugins=plugins))


def opening_of(house: House) -> Opening:
    """Return an opening that the limits of a house accept, its least minimum."""
    return house.lowest_opening()


@st.composite
def stakes(draw: st.DrawFn, house: House, *, prisoners: bool = True) -> list[Stake]:
    """Return a strategy for stakes that a house can settle, with ids of their own."""
    placed = []
    for number in range(draw(st.integers(0, 6))):
        chance = draw(st.sampled_from(house.chances))
        states = house.wager(chance.id).machine.states if prisoners else (FREE,)
        state = draw(st.sampled_from(states))
        amount = draw(st.integers(1, 2000))
        stake = Stake(
            id=f"s{number}",
            owner=draw(st.sampled_from(["alice", "bob", "carol"])),
            chance=chance.id,
            amount=amount,
            state=state,
            share=Fraction(1) if state == FREE else draw(st.sampled_from(_PRISON_SHARES)),
            insured=draw(st.booleans()),
            proof=draw(st.booleans()),
            handed_back=0 if state == FREE else draw(st.integers(0, amount // 4)),
        )
        placed.append(stake if _insurable(house, stake) else _bare(stake))
    return placed


_PRISON_SHARES = (*(Fraction(1, 2**halvings) for halvings in range(4)), Fraction(3, 4))


def _insurable(house: House, stake: Stake) -> bool:
    try:
        wager_of(house, stake)
    except BetError:
        return False
    return True


def _bare(stake: Stake) -> Stake:
    return Stake(
        stake.id,
        stake.owner,
        stake.chance,
        stake.amount,
        stake.state,
        stake.share,
        handed_back=stake.handed_back,
    )


def check_refait_rule(rule: RefaitRule) -> StakeMachine:
    """Check that a refait rule, with its values, is one that every part of the library can use.

    It must build the same valid machine twice, answer REFAIT from ``free``, and be hashable and
    equal to itself. Answers the machine; raises ``RuleError`` or ``AssertionError``.
    """
    possible = possible_verdicts(DealRule())
    first: Courses = rule.build()
    machine = StakeMachine.of(first, possible)
    if machine != StakeMachine.of(rule.build(), possible):
        raise AssertionError(f"{rule!r} builds another machine each time")
    if hash(rule) != hash(rule):
        raise AssertionError(f"{rule!r} has another hash each time")
    for state in machine.states:
        answered = {verdict for verdict, _courses in machine.occurring(state)}
        if answered != set(COUP_VERDICTS):
            raise AssertionError(f"{rule!r} does not answer every verdict in {state!r}")
    return machine
