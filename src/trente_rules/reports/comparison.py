"""Houses side by side: their rules where they differ, and the bank's advantage on every wager."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from copy import deepcopy
from fractions import Fraction
from typing import Any

import tomli_w
from attrs import frozen

from trente_rules.core.errors import BetError, ConfigurationError, Refusal, RuleError
from trente_rules.core.house.difference import Change, difference, kind_of
from trente_rules.core.house.house import House
from trente_rules.core.house.loading import RULE_TABLES, flat, house_table, loads_house
from trente_rules.core.money import Amount
from trente_rules.core.plugins.manager import PluginManager
from trente_rules.core.settlement import refusals
from trente_rules.core.stakes import Stake
from trente_rules.odds.advantage import Advantage, WagerAdvantage, advantage
from trente_rules.odds.coup_odds import odds_of


@frozen
class Compared:
    """One house of a comparison, with its advantage; ``stake`` as it was asked for.

    ``refused`` says why the limits of the house take no such stake: then the figures are of a stake
    that is never placed.
    """

    house: House
    advantage: Advantage
    stake: Amount | None = None
    refused: tuple[Refusal, ...] = ()


def compare(
    houses: Iterable[House],
    *,
    deal: str = "own",
    stake: Amount | None = None,
    chances: Sequence[str] = (),
) -> tuple[Compared, ...]:
    """Return the advantage of several houses, each on the same kind of deal.

    ``deal`` is "own" (each house's own packs), "infinite" or "N-packs"; ``stake`` is in the
    currency of each house; ``chances`` limits the wagers, and a house that does not have a chance
    is left without it. Raises ``TrenteError`` ("unknown-deal"), ``RuleError`` ("not-whole-units"),
    ``BetError`` ("unknown-chance") for a chance that no house has.
    """
    listed = tuple(houses)
    known = {chance.id for house in listed for chance in house.chances}
    for name in chances:
        if name not in known:
            raise BetError(
                f"no house has a chance {name!r}",
                "unknown-chance",
                f"chances are {', '.join(sorted(known))}",
            )
    return tuple(
        Compared(
            house,
            _advantage(house, deal, units, chances),
            stake,
            () if units is None else refused(house, units),
        )
        for house in listed
        for units in [None if stake is None else _units(house, stake)]
    )


def refused(house: House, units: int) -> tuple[Refusal, ...]:
    """Return why the house takes no such stake on its first chance, whatever a table opens with."""
    placed = Stake("stake", "player", house.chances[0].id, units)
    return refusals(house, [placed], opening=house.lowest_opening(units))


def _advantage(house: House, deal: str, units: int | None, chances: Sequence[str]) -> Advantage:
    wanted = [c.id for c in house.chances if not chances or c.id in chances]
    return advantage(
        house,
        odds_of(deal, house.shoe.packs),
        chances=wanted,
        stake=units,
        opening=house.lowest_opening(units or 0),
    )


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


def alike_chances(found: Advantage) -> tuple[tuple[WagerAdvantage, tuple[str, ...]], ...]:
    """Return the wagers that have other figures, each with the chances that share them."""
    groups: dict[tuple[Any, ...], tuple[WagerAdvantage, list[str]]] = {}
    for wager in found.wagers:
        figures = wager.edge, wager.per_resolved, wager.per_decided, f"{wager.sd:.6f}"
        alike = (wager.insured, wager.policy, *figures)
        groups.setdefault(alike, (wager, []))[1].append(wager.chance)
    return tuple((wager, tuple(chances)) for wager, chances in groups.values())


def chances_text(house: House, chances: Sequence[str], kind: str = "") -> str:
    """Return chances as a cell shows them: ``all 4``, and their kind, where they are all simple."""
    simple = [chance.id for chance in house.chances if chance.simple]
    if len(chances) > 1 and list(chances) == simple:
        return f"all {len(simple)} {kind}".rstrip()
    return ", ".join(chances)


def exact_text(part: Fraction) -> str:
    """Return a Fraction as text: ``n/d``, with a denominator always."""
    return f"{_digits(part.numerator)}/{_digits(part.denominator)}"


def _digits(number: int) -> str:
    """Return a whole number in full: Python writes none of more than 4300 digits at once."""
    if abs(number) < 10**4000:
        return str(number)
    high, low = divmod(abs(number), 10**4000)
    return f"{'-' if number < 0 else ''}{_digits(high)}{low:04000}"


def differing_keys(houses: Sequence[House]) -> tuple[tuple[str, tuple[Any, ...]], ...]:
    """Return the fairness keys in which houses differ, each with its value in every house."""
    tables = [flat(house_table(house)) for house in houses]
    rows = {
        key: tuple(table.get(key) for table in tables)
        for key in dict.fromkeys(key for table in tables for key in table)
    }
    return tuple(
        (key, values)
        for key, values in rows.items()
        if kind_of(key) == "fairness" and any(value != values[0] for value in values)
    )


def wager_json(wager: WagerAdvantage, stake: Amount | None) -> dict[str, Any]:
    """Return a wager as ``compare --format json`` prints it."""
    return {
        "chance": wager.chance,
        "insured": wager.insured,
        "policy": dict(wager.policy.choices),
        "stake": None if stake is None else _number(stake.value),
        "edge": float(wager.edge),
        "edge_exact": exact_text(wager.edge),
        "edge_per_resolved": float(wager.per_resolved),
        "edge_per_decided": float(wager.per_decided),
        "sd": wager.sd,
    }


def _number(value: Fraction) -> int | float:
    return value.numerator if value.denominator == 1 else float(value)


def comparison_json(compared: Iterable[Compared]) -> dict[str, Any]:
    """Return a comparison as ``compare --format json`` prints it."""
    return {
        "houses": [
            {
                "name": one.house.name,
                "title": one.house.title,
                "fingerprint": one.house.fingerprint,
                "deal": one.advantage.deal,
                "wagers": [wager_json(wager, one.stake) for wager in one.advantage.wagers],
                "best": wager_json(one.advantage.best, one.stake) if one.advantage.wagers else None,
                "worst": wager_json(one.advantage.worst, one.stake)
                if one.advantage.wagers
                else None,
            }
            for one in compared
        ]
    }


# --- Houses against a base house: each deviation of the rules, and what all of them do together


@frozen
class Range:
    """The least and the greatest advantage of the bank that the player's choices make, in stakes.

    They are one where no choice matters.
    """

    least: Fraction
    greatest: Fraction


@frozen
class EdgeChange:
    """A wager whose advantage is another one; None for a house that does not take it."""

    chance: str
    insured: bool
    old: Range | None
    new: Range | None


@frozen
class Deviation:
    """One house against the base: the keys that differ and the wagers whose advantage does."""

    one: Compared
    changes: tuple[Change, ...]
    edges: tuple[EdgeChange, ...]

    @property
    def major(self) -> bool:
        """Return whether a key of fairness differs."""
        return any(change.kind == "fairness" for change in self.changes)


def deviations(base: Compared, others: Iterable[Compared]) -> tuple[Deviation, ...]:
    """Return how each house differs from the base; both are to be of one comparison."""
    was = _ranges(base)
    return tuple(
        Deviation(one, difference(base.house, one.house), _edges(was, _ranges(one)))
        for one in others
    )


def _ranges(one: Compared) -> dict[tuple[str, bool], Range]:
    edges: dict[tuple[str, bool], list[Fraction]] = {}
    for wager in one.advantage.wagers:
        edges.setdefault((wager.chance, wager.insured), []).append(wager.edge)
    return {place: Range(min(found), max(found)) for place, found in edges.items()}


def _edges(
    was: dict[tuple[str, bool], Range], now: dict[tuple[str, bool], Range]
) -> tuple[EdgeChange, ...]:
    return tuple(
        EdgeChange(chance, insured, was.get((chance, insured)), now.get((chance, insured)))
        for chance, insured in dict.fromkeys((*was, *now))
        if was.get((chance, insured)) != now.get((chance, insured))
    )


def against_json(base: Compared, found: Iterable[Deviation]) -> dict[str, Any]:
    """Return deviations as ``compare --against HOUSE --format json`` prints them."""
    return {
        "against": _house_json(base),
        "houses": [
            {
                **_house_json(one.one),
                "major": one.major,
                "changes": [
                    {"key": change.key, "old": change.old, "new": change.new, "kind": change.kind}
                    for change in one.changes
                ],
                "advantage": [
                    {
                        "chance": edge.chance,
                        "insured": edge.insured,
                        "old": _range_json(edge.old),
                        "new": _range_json(edge.new),
                    }
                    for edge in one.edges
                ],
            }
            for one in found
        ],
    }


def _house_json(one: Compared) -> dict[str, Any]:
    return {
        "name": one.house.name,
        "title": one.house.title,
        "fingerprint": one.house.fingerprint,
        "deal": one.advantage.deal,
    }


def _range_json(edges: Range | None) -> dict[str, Any] | None:
    if edges is None:
        return None
    return {
        "least": float(edges.least),
        "least_exact": exact_text(edges.least),
        "greatest": float(edges.greatest),
        "greatest_exact": exact_text(edges.greatest),
    }


# --- What one changed key does to the bank's advantage, everything else left as it was


@frozen
class Effect:
    """A changed key, and the best uninsured advantage with it alone changed.

    ``before`` and ``after`` are the least advantage of the bank over the uninsured wagers on simple
    chances and over the insured ones, in stakes; None where there is no such wager. ``alone`` is
    False where the key cannot be changed without the others.
    """

    change: Change
    alone: bool
    before: tuple[Fraction | None, Fraction | None]
    after: tuple[Fraction | None, Fraction | None]

    @property
    def moves(self) -> bool:
        """Return whether the advantage is another one with the change."""
        return self.alone and self.before != self.after


def effects(old: House, new: House, plugins: PluginManager) -> tuple[Effect, ...]:
    """Return every key in which two houses differ, with what it does to the advantage.

    A table that names another rule changes whole: its effect is told at its ``rule`` key.
    """
    before = best_edges(old)
    table, target = house_table(old), house_table(new)
    answered = []
    for change in difference(old, new):
        after: tuple[Fraction | None, Fraction | None] | None = before
        if change.kind == "fairness":
            after = _with(table, target, change, plugins)
        answered.append(Effect(change, after is not None, before, after or before))
    return tuple(answered)


def best_edges(house: House) -> tuple[Fraction | None, Fraction | None]:
    """Return the least advantage on the simple chances, uninsured and insured, own packs."""
    simple = [chance.id for chance in house.chances if chance.simple]
    found: Advantage = advantage(house, odds_of("own", house.shoe.packs), chances=simple)
    least = []
    for insured in (False, True):
        edges = [wager.edge for wager in found.wagers if wager.insured == insured]
        least.append(min(edges, default=None))
    return least[0], least[1]


def _with(
    table: dict[str, Any], target: dict[str, Any], change: Change, plugins: PluginManager
) -> tuple[Fraction | None, Fraction | None] | None:
    """Return the advantage with one change made, None where it cannot stand alone."""
    changed = deepcopy(table)
    steps = change.key.split(".")
    whole = steps[0] in RULE_TABLES and table[steps[0]]["rule"] != target[steps[0]]["rule"]
    if whole and steps[1:] != ["rule"]:
        return None
    if whole or steps[0] == "side_bets":
        changed.pop(steps[0], None)
        if steps[0] in target:
            changed[steps[0]] = target[steps[0]]
    else:
        inner = changed
        for step in steps[:-1]:
            if not isinstance(inner.get(step), dict):
                inner[step] = {}
            inner = inner[step]
        if change.new is None:
            inner.pop(steps[-1], None)
        else:
            inner[steps[-1]] = change.new
    changed["house"].pop("inferred", None)
    try:
        return best_edges(loads_house(tomli_w.dumps(changed), plugins=plugins))
    except ConfigurationError:
        return None
