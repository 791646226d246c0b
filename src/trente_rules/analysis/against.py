"""Houses against a base house: each deviation of the rules, and what all of them do together.

French electronic tables declare every deviation from the usual rules (arrêté of 14 May 2007,
article 67-1); this is the list to declare. What one key does alone, ``analysis.effect`` tells.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from attrs import frozen

from trente_rules.analysis.comparison import Compared, exact_text
from trente_rules.house.difference import Change, difference


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
        """Whether a key of fairness differs."""
        return any(change.kind == "fairness" for change in self.changes)


def deviations(base: Compared, others: Iterable[Compared]) -> tuple[Deviation, ...]:
    """Answer how each house differs from the base; both are to be of one comparison."""
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
    """Answer deviations as ``compare --against HOUSE --format json`` prints them."""
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
