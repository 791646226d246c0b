"""Houses compared: the rules that differ, and the bank's advantage on every wager."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import chain
from typing import Any, Final, TypeVar

from attrs import asdict, frozen

from trente_rules.core.errors import BetError, Refusal, RuleError, TrenteError
from trente_rules.core.house.difference import Change, difference, kind_of
from trente_rules.core.house.house import House
from trente_rules.core.house.loading import flat, house_table
from trente_rules.core.money import Amount
from trente_rules.core.names import nearest
from trente_rules.core.settlement import refusals
from trente_rules.core.stakes import Stake
from trente_rules.core.text import counted
from trente_rules.core.toml import inline
from trente_rules.odds.advantage import (
    Advantage,
    VerdictOdds,
    WagerAdvantage,
    advantage,
    law_of,
    wager_advantages,
)
from trente_rules.odds.coup_odds import odds_of
from trente_rules.reports.nominal import Scope, scope_json, scope_lines, scopes
from trente_rules.reports.plays import is_insured, plays_of

K = TypeVar("K")
V = TypeVar("V")


@frozen
class LeftOut:
    """A wager that a comparison has no row for, and why."""

    chance: str
    insured: bool
    why: str


@frozen
class Compared:
    """One house of a comparison, with its edges; ``stake`` in the currency, as asked for.

    ``scopes`` are the stakes that each nominal figure holds for, in the order of the wagers.
    ``refused`` gives the reasons of a house that takes no such stake: the figures are those of a
    stake that is never placed. ``left_out`` are the wagers whose stake cannot be followed exactly:
    ``advantage`` is without them.
    """

    house: House
    advantage: Advantage
    stake: Amount | None = None
    refused: tuple[Refusal, ...] = ()
    scopes: tuple[Scope | None, ...] = ()
    left_out: tuple[LeftOut, ...] = ()


def compare(
    houses: Iterable[House],
    *,
    deal: str = "own",
    stake: Amount | None = None,
    chances: Sequence[str] = (),
) -> tuple[Compared, ...]:
    """Return the bank's edges in several houses, each on the same kind of deal.

    ``deal`` is "own" (each house's own packs), "infinite" or "N-packs"; ``stake`` is in the
    currency of each house; ``chances`` limits the wagers, in each house to those of its chances.
    Raises ``TrenteError`` ("unknown-deal"), ``RuleError`` ("not-whole-units"),
    ``BetError`` ("unknown-chance") for a chance that no house has.
    """
    listed = tuple(houses)
    known = {chance.id for house in listed for chance in house.chances}
    for name in chances:
        if name not in known:
            raise BetError(
                f"no house has a chance {name!r}",
                "unknown-chance",
                nearest(name, known) or f"chances are {', '.join(sorted(known))}",
            )
    return tuple(_compared(house, deal, stake, chances) for house in listed)


def _compared(house: House, deal: str, stake: Amount | None, chances: Sequence[str]) -> Compared:
    units = None if stake is None else _units(house, stake)
    odds = odds_of(deal, house.shoe.packs)
    wanted = [c.id for c in house.chances if not chances or c.id in chances]
    if units is None:
        edges = advantage(house, odds, chances=wanted)
        return Compared(house, edges, scopes=scopes(house, odds, edges.wagers))
    edges, left_out = followed(house, odds, wanted, units)
    none = (None,) * len(edges.wagers)
    return Compared(house, edges, stake, refused(house, units), none, left_out)


def followed(
    house: House, odds: VerdictOdds, chances: Sequence[str], units: int | None
) -> tuple[Advantage, tuple[LeftOut, ...]]:
    """Return the advantage for a stake, and the wagers on which it reaches too many worths."""
    opening = house.lowest_opening(units or 0)
    try:
        return advantage(house, odds, chances=chances, stake=units, opening=opening), ()
    except TrenteError as error:
        if error.code != "too-many-states":
            raise
    found: list[WagerAdvantage] = []
    left: list[LeftOut] = []
    for chance in chances:
        law = law_of(house.chance(chance), odds)
        for wager in house.wagers_on(chance):
            try:
                found += (*wager_advantages(wager, law, stake=units, opening=opening),)
            except TrenteError as error:
                if error.code != "too-many-states":
                    raise
                left.append(LeftOut(chance, wager.insured, error.message))
    return Advantage(odds.deal, tuple(found)), tuple(left)


def refused(house: House, units: int) -> tuple[Refusal, ...]:
    """Return why the house takes no such stake on its first chance at its lowest table."""
    placed = Stake("stake", "player", house.chances[0].id, units)
    return refusals(house, [placed], opening=house.lowest_opening(units))


def _units(house: House, stake: Amount) -> int:
    if stake.value <= 0:
        raise BetError(f"a stake of {stake}", "bad-amount", "figures are for a stake above zero")
    try:
        return house.money.units(stake)
    except RuleError as error:
        raise RuleError(
            f"{house.name}: {error.message}",
            error.code,
            "ask for another stake, or leave the house out",
        ) from error


def grouped(pairs: Iterable[tuple[K, V]]) -> dict[K, list[V]]:
    """Return the values of each key, in the order of the pairs."""
    groups: dict[K, list[V]] = {}
    for key, value in pairs:
        groups.setdefault(key, []).append(value)
    return groups


def chances_text(house: House, chances: Sequence[str], kind: str = "") -> str:
    """Return chances as text; all the simple ones as ``all 4``, followed by their kind."""
    simple = [chance.id for chance in house.chances if chance.simple]
    if len(chances) > 1 and list(chances) == simple:
        return f"all {len(simple)} {kind}".rstrip()
    return ", ".join(chances)


def deal_text(deal: str) -> str:
    """Return a deal in words: ``1 pack``, ``6 packs``; any other name as it is."""
    number, _dash, packs = deal.partition("-")
    return counted(int(number), "pack") if packs == "packs" else deal


def exact_text(part: Fraction) -> str:
    """Return a Fraction as text: ``n/d``, with a denominator always."""
    return f"{_digits(part.numerator)}/{_digits(part.denominator)}"


_FEW_BITS: Final = 13_000
"""A whole number of fewer bits has fewer than 4000 digits."""


def _digits(number: int) -> str:
    """Return a whole number in full: Python writes none of more than 4300 digits at once."""
    if number.bit_length() < _FEW_BITS:
        return str(number)
    high, low = divmod(abs(number), 10**4000)
    return f"{'-' if number < 0 else ''}{_digits(high)}{low:04000}"


def value_text(value: Any) -> str:
    """Return a TOML value as a cell shows it."""
    match value:
        case None:
            return "-"
        case bool():
            return "yes" if value else "no"
        case list() | tuple():
            return ", ".join(value_text(member) for member in value) or "none"
        case dict():
            return inline(value)
    return str(value)


def differing_keys(houses: Sequence[House]) -> tuple[tuple[str, tuple[Any, ...]], ...]:
    """Return the fairness keys in which houses differ, each with its value in every house."""
    tables = [flat(house_table(house)) for house in houses]
    rows = (
        (key, tuple(table.get(key) for table in tables))
        for key in dict.fromkeys(chain.from_iterable(tables))
        if kind_of(key) == "fairness"
    )
    return tuple(row for row in rows if any(value != row[1][0] for value in row[1]))


def wager_json(wager: WagerAdvantage, stake: Amount | None) -> dict[str, Any]:
    """Return a wager as ``compare --format json`` prints it."""
    return {
        "chance": wager.chance,
        "insured": wager.insured,
        "policy": dict(wager.policy.choices),
        "stake": None if stake is None else _number(stake.value),
        "edge": float(wager.edge),
        "edge_exact": exact_text(wager.edge),
        "edge_per_resolved": _float(wager.per_resolved),
        "edge_per_decided": _float(wager.per_decided),
        "sd": wager.sd,
    }


def _float(value: Fraction | None) -> float | None:
    """Return a figure as a number, None where it is missing."""
    return None if value is None else float(value)


def _number(value: Fraction) -> int | float:
    return value.numerator if value.denominator == 1 else float(value)


def comparison_json(compared: Iterable[Compared]) -> dict[str, Any]:
    """Return a comparison as ``compare --format json`` prints it."""
    houses = []
    for one in compared:
        wagers = one.advantage.wagers
        listed = [
            {**wager_json(wager, one.stake), **scope_json(scope, one.house.money)}
            for wager, scope in zip(wagers, one.scopes, strict=True)
        ]
        extremes = {
            name: None if wager is None else listed[wagers.index(wager)]
            for name, wager in _extremes(one).items()
        }
        houses.append(
            {
                **_house_json(one),
                "wagers": listed,
                **({"left_out": [asdict(each) for each in one.left_out]} if one.left_out else {}),
                **extremes,
            }
        )
    return {"houses": houses}


def _extremes(one: Compared) -> dict[str, WagerAdvantage | None]:
    """Return the best wager, the best without insurance, the default there, and the worst.

    An insured wager is the best only where it loses the least money: see ``Plays``.
    """
    found = plays_of(one.house, one.advantage.wagers, one.scopes)
    if not found:
        return dict.fromkeys(("best", "best_uninsured", "default", "worst"))
    least = min(found, key=lambda plays: plays.best.edge)
    return {
        "best": min((plays.overall for plays in found), key=lambda wager: wager.edge),
        "best_uninsured": least.best,
        "default": least.default,
        "worst": one.advantage.worst,
    }


def _house_json(one: Compared) -> dict[str, Any]:
    return {
        "name": one.house.name,
        "title": one.house.title,
        "fingerprint": one.house.fingerprint,
        "deal": one.advantage.deal,
    }


# --- Houses against a base house: each rule that differs, and the effect of all of them together


@frozen
class Range:
    """The bank's edge on a wager by what the player chooses, in stakes.

    ``default`` is that of a player who makes no choice.
    """

    least: Fraction
    default: Fraction
    greatest: Fraction


@frozen
class EdgeChange:
    """A wager whose advantage differs; None for a house that does not take it."""

    chance: str
    insured: bool
    old: Range | None
    new: Range | None


@frozen
class Deviation:
    """One house against the base: the keys and the advantages that differ."""

    one: Compared
    changes: tuple[Change, ...]
    edges: tuple[EdgeChange, ...]

    @property
    def major(self) -> bool:
        """True where a key of fairness differs."""
        return any(change.kind == "fairness" for change in self.changes)


def deviations(base: Compared, others: Iterable[Compared]) -> tuple[Deviation, ...]:
    """Return how each house differs from the base; all are of one comparison."""
    old = _ranges(base.advantage.wagers)
    found = []
    for one in others:
        unknown = {(each.chance, each.insured) for each in (*base.left_out, *one.left_out)}
        edges = tuple(
            edge
            for edge in moved_wagers(old, _ranges(one.advantage.wagers))
            if (edge.chance, edge.insured) not in unknown
        )
        found.append(Deviation(one, difference(base.house, one.house), edges))
    return tuple(found)


Ranges = dict[tuple[str, bool], Range]
"""The advantages by chance and whether the stake is insured."""


def _ranges(wagers: Iterable[WagerAdvantage]) -> Ranges:
    return ranges_of((wager.chance, wager.insured, wager.edge) for wager in wagers)


def ranges_of(wagers: Iterable[tuple[str, bool, Fraction]]) -> Ranges:
    """Return the edges of each wager by its chance and whether it is insured; defaults first."""
    edges = grouped(((chance, insured), edge) for chance, insured, edge in wagers)
    return {wager: Range(min(found), found[0], max(found)) for wager, found in edges.items()}


def moved_wagers(old: Ranges, new: Ranges) -> tuple[EdgeChange, ...]:
    """Return the wagers whose advantage differs."""
    return tuple(
        EdgeChange(*wager, old.get(wager), new.get(wager))
        for wager in dict.fromkeys((*old, *new))
        if old.get(wager) != new.get(wager)
    )


def against_json(base: Compared, found: Iterable[Deviation]) -> dict[str, Any]:
    """Return deviations as ``compare --against HOUSE --format json`` prints them.

    The keys of a scope are those of the least advantage.
    """
    before = _least_scopes(base)
    return {
        "against": _house_json(base),
        "houses": [
            {
                **_house_json(one.one),
                "major": one.major,
                "changes": [asdict(change) for change in one.changes],
                "advantage": [edge_json(edge, before, after) for edge in one.edges],
            }
            for one in found
            for after in (_least_scopes(one.one),)
        ],
    }


LeastScopes = dict[tuple[str, bool], dict[str, Any]]
"""What the least advantage of each wager holds for, as JSON."""


def _least_scopes(one: Compared) -> LeastScopes:
    """Return, as JSON, what the least advantage of each wager holds for."""
    money, least = one.house.money, dict[tuple[str, bool], tuple[Fraction, dict[str, Any]]]()
    for wager, scope in zip(one.advantage.wagers, one.scopes, strict=True):
        key = wager.chance, wager.insured
        if key not in least or wager.edge < least[key][0]:
            least[key] = wager.edge, scope_json(scope, money)
    return {key: told for key, (_edge, told) in least.items()}


def edge_json(
    edge: EdgeChange, before: LeastScopes | None = None, after: LeastScopes | None = None
) -> dict[str, Any]:
    """Return a wager whose advantage differs, as JSON, with what its figures hold for if given."""
    wager = edge.chance, edge.insured
    return {
        "chance": edge.chance,
        "insured": edge.insured,
        "old": _range_json(edge.old, (before or {}).get(wager)),
        "new": _range_json(edge.new, (after or {}).get(wager)),
    }


def _range_json(edges: Range | None, scope: dict[str, Any] | None) -> dict[str, Any] | None:
    if edges is None:
        return None
    return {
        "least": float(edges.least),
        "least_exact": exact_text(edges.least),
        "default": float(edges.default),
        "default_exact": exact_text(edges.default),
        "greatest": float(edges.greatest),
        "greatest_exact": exact_text(edges.greatest),
        **(scope or {}),
    }


# --- What the least figures hold for


BestScopes = tuple[tuple[str, ...], tuple[dict[str, Any], dict[str, Any]]]
"""What the least figures hold for: as lines, and as JSON, uninsured and insured."""


def best_scopes(house: House, chances: Sequence[str] = ()) -> BestScopes:
    """Return the stakes that the figures of the best plays hold for: as lines, and as JSON.

    ``chances`` are those looked at; all simple ones where none is named.
    """
    simple = chances or [chance.id for chance in house.chances if chance.simple]
    odds = odds_of("own", house.shoe.packs)
    wagers = advantage(house, odds, chances=simple).wagers
    best = [
        min((w for w in wagers if is_insured(w) is insured), key=lambda w: w.edge, default=None)
        for insured in (False, True)
    ]
    found = [None if w is None else scopes(house, odds, (w,))[0] for w in best]
    labels = (house.name, f"{house.name}, insured")
    labelled = [(name, w, s) for name, w, s in zip(labels, best, found, strict=True) if w]
    plain, insured = (scope_json(scope, house.money) for scope in found)
    return tuple(scope_lines(house, labelled)), (plain, insured)
