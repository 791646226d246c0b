"""Strategies for hypothesis: cards, coups, houses of every kind of rule, stakes on them.

Import them from ``trente_rules.testing``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, Final, Literal, get_args, get_origin

import attrs
import tomli_w
from attrs import NOTHING

from trente_rules.core.cards import PACK, Card, Colour
from trente_rules.core.chances import OPPOSITES, SIMPLE_CHANCES
from trente_rules.core.coup import LAST_OPEN_TOTAL, POINTS, Coup, Row
from trente_rules.core.errors import ConfigurationError, TrenteError
from trente_rules.core.house.house import House
from trente_rules.core.house.loading import loads_house
from trente_rules.core.keys import keys_of
from trente_rules.core.machine import FREE
from trente_rules.core.money import Amount
from trente_rules.core.plugins.manager import PluginManager, default_manager
from trente_rules.core.rules.insurance import InsuranceTable
from trente_rules.core.rules.refait import prison_name
from trente_rules.core.stakes import Stake
from trente_rules.testing.shoes import coup_with

try:
    from hypothesis import event, reject
    from hypothesis import strategies as st
except ImportError as error:
    raise TrenteError(
        f"the strategies of trente_rules.testing need hypothesis: {error}",
        "needs-testing",
        'pip install "trente-rules[testing]"',
    ) from error


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
    """Return a strategy for coups: dealt ones, and ones with equally likely outcomes."""
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


def _floors(length: int) -> st.SearchStrategy[list[int | str]]:
    return st.lists(st.sampled_from(["minimum", "none", 25, 100]), min_size=length, max_size=length)


@st.composite
def prison_tables(draw: st.DrawFn) -> dict[str, Any]:
    """Return a strategy for [refait] tables of the rule ``prison``."""
    levels = draw(st.sampled_from([1, 2, 3, 4, 4]))  # few stakes get to the fourth
    table: dict[str, Any] = {
        "rule": "prison",
        "levels": levels,
        "last": draw(st.sampled_from(["repeat", "halve", "quarter-lost", "quarter-taken", "lose"])),
        "tie": draw(st.sampled_from(["stays", "frees", "loses"])),
        "partage": draw(st.integers(0, levels + 1).flatmap(_some_shares)),
    }
    if levels > 1:
        table["again"] = draw(st.sampled_from(["next-prison", "quarter-lost", "quarter-taken"]))
        table["release"] = draw(st.sampled_from(["frees", "one-out"]))
    if draw(st.booleans()):
        table["close"] = draw(_some_shares(levels))
    if any(Fraction(share) for share in table["partage"]):
        table["default"] = draw(st.sampled_from(["prison", "partage"]))
        by_level = [
            floor if Fraction(share) else "none"
            for share, floor in zip(
                table["partage"], draw(_floors(len(table["partage"]))), strict=True
            )
        ]
        table["partage_not_below"] = draw(st.sampled_from(["minimum", "none", 50, by_level]))
    return table


@st.composite
def _course(
    draw: st.DrawFn,
    name: str,
    targets: Sequence[str],
    *,
    paid: bool = False,
    bounded: bool = False,
) -> dict[str, Any]:
    returned = draw(shares())
    staying = (1 - returned) * draw(shares())
    course: dict[str, Any] = {"course": name, "returned": str(returned)}
    if staying and targets:
        course |= {"staying": str(staying), "state": draw(st.sampled_from(list(targets)))}
    else:
        staying = Fraction(0)
    if draw(st.booleans()):
        course["taken"] = str((1 - returned - staying) * draw(shares()))
    if draw(st.booleans()):
        course["call"] = draw(st.sampled_from(["", "libre", "partage", "en_prison", "usual"]))
    if paid and draw(st.booleans()):
        course["pays"] = draw(st.sampled_from(["1", "1/2", "2"]))
    if bounded and returned and draw(st.booleans()):
        course["offered_from"] = draw(st.sampled_from(["minimum", 0, 25, 100]))
    return course


@st.composite
def custom_tables(draw: st.DrawFn) -> dict[str, Any]:
    """Return a strategy for [refait] tables that write a stake machine of one to three prisons."""
    names = [f"cell-{number}" for number in range(1, draw(st.integers(1, 3)) + 1)]
    machine: dict[str, Any] = {
        FREE: {"refait": [{"course": "in", "staying": "1", "state": names[0], "default": True}]}
    }
    if draw(st.booleans()):
        machine[FREE]["refait"].append(draw(_course("divide", (), bounded=True)))
    for place, name in enumerate(names):
        further = names[place + 1 : place + 2] or [name]
        machine[name] = {
            "win": [draw(_course("out", names[:place], paid=True))],
            "refait": [
                {"course": "deeper", "staying": "1", "state": further[0], "default": True},
                draw(_course("divide", names, bounded=True)),
            ],
            "close": [{"course": "closed", "returned": str(draw(shares()))}],
        }
        if draw(st.booleans()):
            machine[name]["apres"] = [draw(_course("tie", names))]
    return {"rule": "custom", "machine": machine}


def _rule_tables(
    plugins: PluginManager,
    kind: str,
    known: Mapping[str, st.SearchStrategy[dict[str, Any]] | None],
) -> st.SearchStrategy[dict[str, Any]]:
    """Return a strategy for tables of every rule of a kind, known here or not."""
    tables = {
        name: table
        for name in plugins.names(kind)
        if (table := known[name] if name in known else _by_its_keys(plugins, kind, name))
        is not None
    }
    often = [name for name in tables for _time in range(_OFTEN.get(name, 1))]
    return st.sampled_from(often).flatmap(tables.__getitem__)


_OFTEN: Final = {"prison": 3, "custom": 3, "rate": 2, "per-started": 2, "fixed": 2}
"""How many times as often as another a rule is drawn: most of what houses differ in is theirs."""


def _by_its_keys(
    plugins: PluginManager, kind: str, name: str
) -> st.SearchStrategy[dict[str, Any]] | None:
    """Return a strategy for tables of a rule, with values that the types of its keys allow.

    None where it needs a key of another type.
    """
    needed: dict[str, Any] = {}
    optional: dict[str, Any] = {}
    for info in keys_of(attrs.resolve_types(plugins.rule(kind, name).rule)):
        values = (
            st.sampled_from(get_args(info.type))
            if get_origin(info.type) is Literal
            else _VALUES.get(info.type)
        )
        if values is not None:
            (needed if info.default is NOTHING else optional)[info.name] = values
        elif info.default is NOTHING:
            return None
    key = "wins_on" if kind == "side bet" else "rule"
    return st.fixed_dictionaries({key: st.just(name), **needed}, optional=optional)


_VALUES: Final[dict[Any, st.SearchStrategy[Any]]] = {
    bool: st.booleans(),
    int: st.integers(0, 10),
    Fraction: shares().map(str),
    Amount: st.integers(0, 20).map(lambda units: 5 * units),  # whole units of every house drawn
}


def _refait_tables(plugins: PluginManager) -> st.SearchStrategy[dict[str, Any]]:
    known = {  # none: only where no tie loses
        "none": None,
        "prison": prison_tables(),
        "custom": custom_tables(),
    }
    return _rule_tables(plugins, "refait rule", known)


def _prisons(refait: dict[str, Any], deal: dict[str, Any], plugins: PluginManager) -> list[str]:
    if refait["rule"] == "custom":
        return [name for name in refait["machine"] if name != FREE]
    if refait["rule"] in _OWN:
        return [prison_name(level) for level in range(1, refait.get("levels", 0) + 1)]
    table = {"house": {"name": "random"}, "deal": deal, "refait": refait}
    return list(_loaded(table, plugins).machine.prisons)


@st.composite
def _premium(draw: st.DrawFn, rule: str, prisons: list[str], unit: int) -> dict[str, Any]:
    table: dict[str, Any] = {"rule": rule}
    if rule == "rate":
        table["rate"] = draw(st.sampled_from(["1/100", "1/50", "3/200", "0", "1"]))
    else:
        table["premium"] = unit * draw(st.integers(1, 5))
        table["per_started"] = unit * draw(st.integers(5, 500))
    amounts = st.integers(0, 20).map(lambda units: units * unit)
    for name in ("minimum_premium", "minimum_stake", "multiple"):
        table[name] = draw(amounts)
    if draw(st.integers(0, 3)) == 0:
        table["minimum_stake"] = "at-opening"
    table["premium_unit"] = unit * draw(st.integers(0, 3))
    if draw(st.booleans()):
        table["maximum_premium"] = table["minimum_premium"] + unit * draw(st.integers(1, 20))
    if draw(st.booleans()):
        table["maximum_stake"] = unit * draw(st.integers(120, 2000))  # above any least one
    fate = st.sampled_from(["kept", "returned", "1/2", "1/3"])
    table["premium_on"] = {name: draw(fate) for name in ("win", "lose", "apres", "refait", "close")}
    table["covers"] = (
        [FREE, *draw(st.lists(st.sampled_from(prisons), unique=True))] if prisons else [FREE]
    )
    if draw(st.booleans()):
        table["lasts"] = "until-decided"
        table["premium_on"]["apres"] = "kept"
        table["covers"] = [FREE, *prisons]  # wherever it moves, its premium insures it
    table["prepaid"] = draw(st.booleans())
    if table["prepaid"]:
        table["without_proof"] = draw(st.sampled_from(["uninsured", "refused"]))
    return table


@st.composite
def _bounds(
    draw: st.DrawFn, rule: str, chances: list[str], prisons: list[str], unit: int
) -> dict[str, Any]:
    table: dict[str, Any] = {"rule": rule}
    minimum = 6 * unit * draw(st.integers(1, 9))  # every step below divides it
    if table["rule"] == "tables":
        table["tables"] = [
            {"minimum": minimum * factor, "maximum": minimum * factor * 50}
            for factor in range(1, draw(st.integers(1, 3)) + 1)
        ]
    else:
        table["minimum"] = draw(st.sampled_from([minimum, "at-opening"]))
        kind = draw(st.sampled_from(["none", "at-opening", "maximum", "maximum_multiple"]))
        if kind == "maximum":
            table[kind] = minimum * draw(st.integers(1, 1000))
        elif kind == "maximum_multiple":
            table[kind] = draw(st.integers(1, 1000))
        elif kind == "at-opening":
            table["maximum"] = kind
        if kind in {"none", "at-opening"} and draw(st.integers(0, 3)):
            table["maximum_win"] = minimum * draw(st.integers(120, 1000))
    table["step"] = unit * draw(st.integers(0, 3))
    table |= draw(_maxima(chances, minimum))
    bounded = len(chances) == 1 or bool({"maximum", "maximum_multiple"} & set(table))
    table |= draw(_counts(bounded=bounded))
    table["associations"] = draw(st.sampled_from(["refused", "allowed"]))
    if {"rouge", "noir"} <= set(chances) or {"couleur", "inverse"} <= set(chances):
        table["both_sides"] = draw(st.booleans())
    if prisons:
        table["move_prisoners"] = draw(st.booleans())
    if draw(st.booleans()):
        table["progression"] = {"reference": draw(st.integers(1, 3)), "at_most": "3/2"}
    own = draw(_own_bounds(minimum))
    if len(chances) == 1:  # the only chance: what holds for it alone would leave the other idle
        own.pop("maximum_win", None)
    table["per_chance"] = {chances[0]: own} if own else {}
    return table


@st.composite
def _maxima(draw: st.DrawFn, chances: list[str], minimum: int) -> dict[str, Any]:
    """Return maxima of all players together, each below the next."""
    names = ["table_maximum", "aggregate_maximum"]
    if any(OPPOSITES[chance] in chances for chance in chances):
        names.append("differential_maximum")
    times = 4000
    table = {}
    for name in names:
        if draw(st.integers(0, 3)) == 0:
            times -= draw(st.integers(1, 1000))
            table[name] = minimum * times
    return table


@st.composite
def _counts(draw: st.DrawFn, *, bounded: bool) -> dict[str, Any]:
    """Return how many stakes are taken, each number below what the maxima hold."""
    counts = {}
    if draw(st.integers(0, 3)) == 0:
        counts["table_most_stakes"] = draw(st.integers(5, 300))
    if draw(st.integers(0, 3)) == 0 and not bounded:
        counts["most_stakes"] = draw(st.integers(1, 4))
    return counts


@st.composite
def _own_bounds(draw: st.DrawFn, minimum: int) -> dict[str, Any]:
    """Return bounds of one chance that a stake of the minimum of any table drawn can meet."""
    own: dict[str, Any] = {}
    if draw(st.booleans()):
        own["minimum"] = draw(st.sampled_from([minimum, "at-opening"]))
    kind = draw(st.sampled_from(["none", "maximum", "at-opening", "maximum_multiple"]))
    if kind == "maximum_multiple":
        own[kind] = draw(st.integers(1, 1000))
    elif kind != "none":
        own["maximum"] = kind if kind == "at-opening" else minimum * 2000
    if draw(st.booleans()):
        own["maximum_win"] = minimum * draw(st.integers(40, 1000))
    return own


@st.composite
def _shoe(draw: st.DrawFn, prisons: list[str], *, cut: bool) -> dict[str, Any]:
    packs = draw(st.integers(1, 8))
    shoe: dict[str, Any] = {"packs": packs, "exposed_card": draw(st.sampled_from(["burn", "void"]))}
    if not cut and draw(st.booleans()):
        return {**shoe, "shuffled": "every-coup"}
    shoe["burn"] = draw(st.one_of(st.integers(0, 5), st.just("first-card")))
    shoe["cut"] = draw(st.sampled_from(["before-bets", "before-bets", "after-bets"]))
    if shoe["burn"]:
        shoe["burn_shown"] = draw(st.booleans())
    if draw(st.integers(0, 2)):
        low = draw(st.integers(1, 20))
        shoe["marker"] = {
            "from_end": draw(st.sampled_from([low, [low, low + 10]])),
            "on_marker": draw(st.sampled_from(["void", "finish", "last-coup"])),
            "placed_by": draw(st.sampled_from(["croupier", "player"])),
        }
        shoe["count_talon"] = draw(st.booleans())
    else:
        shoe["ends"] = draw(st.sampled_from(["last-card", "no-coup"]))
    if prisons:
        shoe["prisoners_at_end"] = draw(st.sampled_from(["carry", "close"]))
    return shoe


_CONDITIONS: Final[tuple[dict[str, Any], ...]] = (
    {"tie": True},
    {"tie": False, "first": [32, 33, 40]},
    {"first": [31], "second": [31]},
    {"second": [34, 35]},
    {"either": [40]},
    {"winner": "noir"},
    {"winner": "rouge", "first_card": "rouge"},
    {"tie": True, "second_card": "noir"},
)
"""Conditions that some coup meets, however a house deals."""


def _conditions(least: int, *, cut: bool) -> st.SearchStrategy[list[dict[str, Any]]]:
    """Return a strategy for conditions; where the cut decides, none looks at the winner."""
    some = st.sampled_from([each for each in _CONDITIONS if not (cut and "winner" in each)])
    return st.lists(some.map(dict), min_size=least, max_size=2, unique_by=repr)


def _bet_tables(name: str, *, cut: bool) -> st.SearchStrategy[dict[str, Any]]:
    """Return a strategy for the keys of a kind of side bet of this library."""
    points = st.sampled_from([31, 32, 40])
    keys: dict[str, dict[str, st.SearchStrategy[Any]]] = {
        "any-tie": {"except": st.lists(points, max_size=2, unique=True)},
        "exact-tie": {"point": points},
        "row-point": {
            "point": points,
            "row": st.sampled_from(["either", "first", "second", "both"]),
        },
        "outcome": {"on": _conditions(1, cut=cut)},
    }
    return st.fixed_dictionaries({"wins_on": st.just(name), **keys[name]})


@st.composite
def _side_bets(
    draw: st.DrawFn, plugins: PluginManager, deal: dict[str, Any]
) -> list[dict[str, Any]]:
    cut = deal["first_row"] == "cut"
    known = {
        name: _bet_tables(name, cut=cut)
        for name in ("any-tie", "exact-tie", "row-point", "outcome")
    }
    bets = draw(st.lists(_rule_tables(plugins, "side bet", known), max_size=3))
    for number, bet in enumerate(bets, 1):
        bet |= {"id": f"side-{number}", "odds": draw(st.sampled_from(["77/2", "1", "8"]))}
        bet["commission"] = draw(st.sampled_from(["0", "1/20"]))
        if bet["wins_on"] not in known or draw(st.booleans()):
            bet["pushes_on"] = draw(_conditions(0, cut=cut))
        else:  # what is returned could leave no win that such odds are for
            bet["pays"] = [{"first_card": "rouge", "odds": draw(st.sampled_from(["100", "9/2"]))}]
    return bets


@st.composite
def _own_chances(draw: st.DrawFn, chances: list[str]) -> list[dict[str, Any]]:
    """Return a strategy for [[chances]] tables; the first chance keeps the ties of [deal]."""
    some_ties = st.lists(st.sampled_from(POINTS), max_size=3, unique=True)
    tables = []
    for place, chance in enumerate(chances):
        if not draw(st.booleans()):
            continue
        table: dict[str, Any] = {
            "id": chance,
            "odds": draw(st.sampled_from(["19/20", "2", "3/2"])),
            "commission": draw(st.sampled_from(["0", "1/20", "1/100"])),
        }
        if place:
            table["refait_on"] = draw(st.one_of(st.just("none"), st.just("any"), some_ties))
        tables.append(table)
    return tables


def _losing(ties: Any) -> frozenset[int]:
    return frozenset(POINTS if ties == "any" else ties)


@st.composite
def _point_refaits(draw: st.DrawFn, losing: frozenset[int], *, prisons: bool) -> dict[str, Any]:
    """Return a strategy for a [refait.on] table of one point, of several that lose."""
    if len(losing) < 2 or not draw(st.booleans()):  # noqa: PLR2004 - one is left to the main rule
        return {}
    point = draw(st.sampled_from(sorted(losing)))
    partage = [] if prisons else ["1/3"]  # a choice in every prison makes too many policies
    rules: list[dict[str, Any]] = [
        {"rule": "all-lose"},
        {"rule": "half-loss", "returned": "1/4"},
        {"rule": "prison", "levels": 2, "last": "lose", "partage": partage},
    ]
    return {str(point): draw(st.sampled_from(rules))}


@st.composite
def _own_ties(
    draw: st.DrawFn, machine: dict[str, Any], losing: frozenset[int]
) -> dict[str, dict[str, Any]]:
    """Return courses that states of a custom machine name for the refait of one point, or none."""
    if len(losing) < 2 or not draw(st.integers(0, 2)):  # noqa: PLR2004 - one is left to any refait
        return {}
    verdict = f"refait-{draw(st.sampled_from(sorted(losing)))}"
    cells = [state for state in machine if state != FREE]
    named = draw(st.lists(st.sampled_from([FREE, *cells]), min_size=1, unique=True))
    return {state: {verdict: [draw(_course("special", cells))]} for state in named}


@st.composite
def house_tables(draw: st.DrawFn, plugins: PluginManager | None = None) -> dict[str, Any]:
    """Return a strategy for the tables of houses in TOML, with the rules of plugins.

    Tables with rules of this library are valid; keys of other rules are drawn by their types alone,
    and ``houses`` rejects what they do not allow.
    """
    plugins = plugins or default_manager()
    chances = draw(st.lists(st.sampled_from(SIMPLE_CHANCES), min_size=1, unique=True))
    some_ties = st.lists(st.sampled_from(POINTS), min_size=1, unique=True)
    refait_on = draw(st.one_of(st.just([31]), some_ties, some_ties.map(sorted), st.just("any")))
    if draw(st.integers(0, 7)) == 0:
        refait_on = []
    deal: dict[str, Any] = {
        "first_row": draw(st.sampled_from(["noir", "noir", "rouge", "cut"])),
        "chances": chances,
        "refait_on": refait_on,
        "wins": draw(st.sampled_from(["lowest", "highest"])),
    }
    own = draw(_own_chances(chances))
    ties = [_losing(refait_on)] + [
        _losing(table["refait_on"]) for table in own if table.get("refait_on", "none") != "none"
    ]
    losing = frozenset[int]().union(*ties)
    if {"couleur", "inverse"} & set(chances):
        deal["couleur"] = draw(st.sampled_from(["first-of-coup", "first-of-winning-row"]))
    refait: dict[str, Any] = draw(_refait_tables(plugins)) if losing else {"rule": "none"}
    prisons = _prisons(refait, deal, plugins)
    if refait["rule"] == "custom":
        for state, special in draw(_own_ties(refait["machine"], losing)).items():
            refait["machine"][state] |= special
    elif refait["rule"] in _OWN and (on := draw(_point_refaits(losing, prisons=bool(prisons)))):
        refait["on"] = on
        levels = next(iter(on.values())).get("levels", 0)
        prisons += [name for n in range(1, levels + 1) if (name := prison_name(n)) not in prisons]
    every_tie = all(len(points) == len(POINTS) for points in ties)
    if every_tie:
        refait.pop("tie", None)
    unit = draw(st.sampled_from([1, 5]))
    insurance: dict[str, Any] = {"rule": "none"}
    if losing:
        known = {rule: _premium(rule, prisons, unit) for rule in ("rate", "per-started")}
        insurance = draw(_rule_tables(plugins, "insurance rule", known))
    if every_tie and "premium_on" in insurance:
        insurance["premium_on"] = {"win": "kept"}
        insurance.pop("lasts", None)
    bounds = {rule: _bounds(rule, chances, prisons, unit) for rule in ("fixed", "tables")}
    table: dict[str, Any] = {
        "house": {"name": "random", "title": draw(st.text(max_size=8))},
        "money": {
            "unit": unit,
            "rounding": draw(st.sampled_from(["bank", "player", "half-even", "refuse"])),
        },
        "shoe": draw(_shoe(prisons, cut=deal["first_row"] != "noir")),
        "deal": deal,
        "refait": refait,
        "insurance": insurance,
        "limits": draw(_rule_tables(plugins, "limit rule", bounds)),
        "settlement": {
            "order": draw(st.sampled_from(["losers-first", "as-placed", "by-position"]))
        },
        "announcements": {"language": draw(st.sampled_from(plugins.names("language")))},
        "chances": own,
        "side_bets": draw(_side_bets(plugins, deal)),
    }
    if table["settlement"]["order"] == "losers-first":
        table["settlement"]["pay"] = draw(st.permutations(chances))
    if table["settlement"]["order"] != "as-placed":
        ends = st.sampled_from(["nearest", "farthest", "left", "right"])
        table["settlement"] |= {"collect_from": draw(ends), "pay_from": draw(ends)}
    return _without_idle_wins(table, plugins)


def _without_idle_wins(table: dict[str, Any], plugins: PluginManager) -> dict[str, Any]:
    """Return the tables of a house without a most that is won which no stake can reach.

    What a stake can win depends on chances, side bets and the machine together.
    """
    limits = table["limits"]
    named = limits.get("per_chance", {})
    own = named.values()
    if any("maximum_win" in each for each in (limits, *own)):
        try:
            loads_house(tomli_w.dumps(table), plugins=plugins)
        except ConfigurationError as error:
            for path in [key.split(".") for key in {fault.key for fault in error.faults}]:
                if path[-1] == "maximum_win":
                    named.get(path[-2], limits).pop("maximum_win", None)
            limits["per_chance"] = {name: each for name, each in named.items() if each}
    return table


_OWN: Final = frozenset(
    (
        *("none", "all-lose", "half-loss", "prison", "custom"),
        *("rate", "per-started", "fixed", "tables"),
        *("any-tie", "exact-tie", "row-point", "outcome"),
    )
)
"""The rules of this library: all of their tables are valid."""


def _loaded(table: dict[str, Any], plugins: PluginManager) -> House:
    """Load a house; reject one with faults, unless only rules of this library are in it."""
    try:
        return loads_house(tomli_w.dumps(table), plugins=plugins)
    except ConfigurationError:
        bets = {bet["wins_on"] for bet in table.get("side_bets", ())}
        kinds = (table.get(kind, {}) for kind in ("refait", "insurance", "limits"))
        if {*bets, *(rule.get("rule", "none") for rule in kinds)} <= _OWN:
            raise
        reject()


def houses(plugins: PluginManager | None = None) -> st.SearchStrategy[House]:
    """Return a strategy for valid houses of every kind of rule that the plugins have."""
    manager = plugins or default_manager()
    return house_tables(manager).map(lambda table: _loaded(table, manager))


@st.composite
def stakes(draw: st.DrawFn, house: House, *, prisoners: bool = True) -> list[Stake]:
    """Return a strategy for stakes that a house can settle, each with a different id.

    Half of those that the house would insure are insured, some prisoners of them by a premium of an
    earlier coup; hypothesis counts them as an event.
    """
    placed = []
    for number in range(draw(st.integers(0, 8))):
        chance = draw(st.sampled_from(house.chances))
        wager = house.wagers.get((chance.id, True))
        table = wager.insurance if wager else None
        if table is not None and not draw(st.booleans()):
            table = None
        states = house.wager(chance.id).machine.states if table is None else table.covers
        states = (*states, states[-1])  # the last prison twice: it is the hardest to get into
        state = draw(st.sampled_from([s for s in states if prisoners or s == FREE] or [FREE]))
        if (
            table is not None and state not in table.covers
        ):  # only prisons are covered, and none may be drawn
            table = None
        covered = table is not None and table.stays_covered(state) and draw(st.booleans())
        amount = draw(st.integers(1, 2000) if table is None else _insured(table, state))
        placed.append(
            Stake(
                id=f"s{number}",
                owner=draw(st.sampled_from(["alice", "bob", "carol"])),
                chance=chance.id,
                amount=amount,
                state=state,
                share=Fraction(1) if state == FREE else draw(st.sampled_from(_PRISON_SHARES)),
                insured=table is not None and not covered,
                proof=not _without_proof(table) or draw(st.integers(0, 3)) < 3,  # noqa: PLR2004
                handed_back=0 if state == FREE else draw(st.integers(0, amount // 4)),
                position=draw(st.one_of(st.none(), st.integers(1, 9))),
                covered=covered,
            )
        )
        if table is not None:
            event(f"an insured stake, {'free' if state == FREE else 'in prison'}")
    return placed


_PRISON_SHARES: Final = (*(Fraction(1, 2**halvings) for halvings in range(4)), Fraction(3, 4))


def _insured(table: InsuranceTable, state: str) -> st.SearchStrategy[int]:
    """Return a strategy for amounts of stakes that can be insured in a state."""
    if state != FREE:  # a prisoner is bound by the maximum alone
        return st.integers(1, table.maximum_stake or 2000)
    step = table.multiple or 1
    least = max(1, -(-table.minimum_stake // step))
    most = table.maximum_stake // step or least + 2000 // step
    return st.integers(least, most).map(lambda steps: steps * step)


def _without_proof(table: InsuranceTable | None) -> bool:
    """Return whether a stake may lack the proof of its premium, and is then uninsured."""
    return table is None or not table.proof_needed or table.without_proof == "uninsured"
