"""The tables of ``trente compare``: rules and advantages, a line a house or wager."""

from __future__ import annotations

from typing import Final

from attrs import NOTHING

from trente_rules.analysis.comparison import (
    Compared,
    alike_chances,
    chances_text,
    differing_keys,
)
from trente_rules.cli.output import Table, percent, short_text, value_text
from trente_rules.house.house import Chosen, House
from trente_rules.house.unstructure import unstructure
from trente_rules.keys import keys_of
from trente_rules.rules.chances import Verdict
from trente_rules.rules.refait import Custom

SIDE_BY_SIDE: Final = 4
"""Up to so many houses, every differing key is shown; with more, one line a house."""
_NUMBERS: Final = frozenset(("edge", "per resolved", "per decided", "sd", "packs", "burn"))


def rules_table(houses: list[House]) -> Table:
    """Answer the rules that differ: each key for few houses, a line a house for many."""
    if len(houses) < 2:  # noqa: PLR2004 - one house differs from none
        return Table("", (), ())
    if len(houses) <= SIDE_BY_SIDE:
        rows = tuple(
            (key, *(short_text(value) for value in values))
            for key, values in differing_keys(houses)
        )
        return Table("The rules that differ", ("key", *(house.name for house in houses)), rows)
    lines = [_line(house) for house in houses]
    columns = [
        name for name in lines[0] if name == "house" or len({line[name] for line in lines}) > 1
    ]
    rows = tuple(tuple(line[name] for name in columns) for line in lines)
    return Table("The main rules that differ", tuple(columns), rows, _NUMBERS)


def _line(house: House) -> dict[str, str]:
    """Answer the rules of a house in few words."""
    marker = house.shoe.marker
    return {
        "house": house.name,
        "packs": str(house.shoe.packs),
        "burn": str(house.shoe.burn),
        "marker": value_text(marker.from_end) + f" {marker.on_marker}" if marker else "none",
        "first row": house.deal.first_row,
        "chances": str(len(house.deal.chances)),
        "couleur": house.deal.couleur.removeprefix("first-of-"),
        "losing ties": value_text(house.deal.refait_on),
        "refait": _rule(house.refait),
        "insurance": _rule(house.insurance),
        "limits": _limits(house),
        "side bets": str(len(house.side_bets)),
    }


def _limits(house: House) -> str:
    """Answer the least and the most a player may stake, in the currency."""
    rule = house.limits.rule
    pairs = getattr(rule, "tables", ())
    if pairs:
        return f"{len(pairs)} tables, {pairs[0].minimum} to {pairs[-1].maximum}"
    least, most = getattr(rule, "minimum", None), getattr(rule, "maximum", None)
    many = getattr(rule, "maximum_multiple", None)
    if least is None:
        return house.limits.name
    upper = f"{most}" if most is not None else f"{many} times that" if many else "any"
    return f"{least} to {upper}"


def _rule(chosen: Chosen) -> str:
    """Answer a rule's name and those of its values that are not its defaults."""
    written = unstructure(chosen.rule)
    if isinstance(chosen.rule, Custom):
        told = (
            f"{answer.state}/{answer.verdict.id} {' | '.join(map(str, answer.courses))}"
            for answer in chosen.rule.machine
            if answer.verdict is Verdict.REFAIT
        )
        return f"{chosen.name} ({'; '.join(told)})"
    values = [
        f"{info.name.replace('_', ' ')} {value_text(written[info.name])}"
        for info in keys_of(type(chosen.rule))
        if info.default is NOTHING or getattr(chosen.rule, info.name) != info.default
        if info.name in written
    ]
    return f"{chosen.name} ({'; '.join(values)})" if values else chosen.name


def edges_table(compared: tuple[Compared, ...]) -> Table:
    """Answer the advantage, a line for each house, policy and group of chances that are alike."""
    rows = tuple(
        (
            one.house.name,
            one.advantage.deal,
            chances_text(one.house, chances),
            "insured" if wager.insured else "-",
            str(wager.policy),
            percent(wager.edge),
            percent(wager.per_resolved),
            percent(wager.per_decided),
            f"{wager.sd:.6f}",
        )
        for one in compared
        for wager, chances in alike_chances(one.advantage)
    )
    stakes = {str(one.stake) for one in compared if one.stake is not None}
    suffix = f", for a stake of {stakes.pop()}" if stakes else ""
    return Table(
        f"The bank's advantage, per stake{suffix}; later coups count as independent",
        (
            "house",
            "deal",
            "chances",
            "insurance",
            "policy",
            "edge",
            "per resolved",
            "per decided",
            "sd",
        ),
        rows,
        _NUMBERS,
    )
