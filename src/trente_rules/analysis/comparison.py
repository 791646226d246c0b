"""Houses side by side: their rules where they differ, and the bank's advantage on every wager."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

from attrs import frozen

from trente_rules.acceptance import refusals
from trente_rules.analysis.advantage import Advantage, Wager, advantage
from trente_rules.analysis.deal_odds import odds_of
from trente_rules.errors import BetError, Refusal, RuleError
from trente_rules.house.difference import flat, kind_of
from trente_rules.house.house import House
from trente_rules.house.toml import house_table
from trente_rules.money import Amount
from trente_rules.stakes import Opening, Stake


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
    """Answer the advantage of several houses, each on the same kind of deal.

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
        Compared(house, _advantage(house, deal, stake, chances), stake, _refused(house, stake))
        for house in listed
    )


def _refused(house: House, stake: Amount | None) -> tuple[Refusal, ...]:
    """Answer why the limits of a house take no such stake on its first chance."""
    if stake is None:
        return ()
    units = house.money.units(stake)
    placed = Stake("stake", "player", house.chances[0].id, units)
    return refusals(house, [placed], opening=lowest_opening(house, units))


def _advantage(house: House, deal: str, stake: Amount | None, chances: Sequence[str]) -> Advantage:
    wanted = [c.id for c in house.chances if not chances or c.id in chances]
    units = None if stake is None else _units(house, stake)
    return advantage(
        house,
        odds_of(deal, house.shoe.packs),
        chances=wanted,
        stake=units,
        opening=lowest_opening(house, units or 0),
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


def lowest_opening(house: House, units: int = 0) -> Opening:
    """Answer an opening with the least minimum a house can have, where the opening sets it.

    Of several tables, the first that takes a stake of ``units``, else the first.
    """
    pairs = getattr(house.limiter, "pairs", ())
    fitting = [
        pair.minimum
        for pair in pairs
        if pair.minimum <= units and (pair.most is None or units <= pair.most)
    ]
    least = min(fitting or [pair.minimum for pair in pairs], default=0)
    return Opening(least or 1)


def alike_chances(found: Advantage) -> tuple[tuple[Wager, tuple[str, ...]], ...]:
    """Answer the wagers that have other figures, each with the chances that share them."""
    groups: dict[tuple[Any, ...], tuple[Wager, list[str]]] = {}
    for wager in found.wagers:
        figures = wager.edge, wager.per_resolved, wager.per_decided, f"{wager.sd:.6f}"
        alike = (wager.insured, wager.policy, *figures)
        groups.setdefault(alike, (wager, []))[1].append(wager.chance)
    return tuple((wager, tuple(chances)) for wager, chances in groups.values())


def chances_text(house: House, chances: Sequence[str], kind: str = "") -> str:
    """Answer chances as a cell shows them: ``all 4``, and their kind, where they are all simple."""
    simple = [chance.id for chance in house.chances if chance.simple]
    if len(chances) > 1 and list(chances) == simple:
        return f"all {len(simple)} {kind}".rstrip()
    return ", ".join(chances)


def exact_text(part: Fraction) -> str:
    """Answer a Fraction as text: ``n/d``, with a denominator always."""
    return f"{part.numerator}/{part.denominator}"


def differing_keys(houses: Sequence[House]) -> tuple[tuple[str, tuple[Any, ...]], ...]:
    """Answer the fairness keys in which houses differ, each with its value in every house."""
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


def wager_json(wager: Wager, stake: Amount | None) -> dict[str, Any]:
    """Answer a wager as ``compare --format json`` prints it."""
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
    """Answer a comparison as ``compare --format json`` prints it."""
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
