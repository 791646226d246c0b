"""Effects of removal as tables: what a card that leaves does to each figure, and linear counts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from trente_rules.core.house.house import House
from trente_rules.odds.remaining import VALUES, Composition
from trente_rules.odds.removal import COLOURS, Effects, removal_effects
from trente_rules.reports.document import Cell, Column, Folded, Grid, Part

_UNITS: Final = 1e5
_NAMES: Final = {"noir": "black", "rouge": "red"}
TITLE: Final = "Effects of removal"


def removal_parts(house: House, left: Composition | None = None) -> tuple[Part, ...]:
    """Return the effects of removal and the linear counts, folded, of a full shoe or cards left.

    Raises as ``removal_effects``.
    """
    effects = removal_effects(house, left)
    return (Folded(TITLE, (effects_table(effects), tags_table(effects))),)


def effects_table(effects: Sequence[Effects]) -> Grid:
    """Return the table of effects: a line a figure, two where colours differ."""
    rows: list[tuple[Cell, ...]] = []
    for each in effects:
        for name, line in _lines(each):
            units = (None if effect is None else effect * _UNITS for effect in line)
            rows.append((name, *units))
    columns = (
        Column("figure", cut=24),
        *(Column(value, "+.1f", rank=_rank(place)) for place, value in enumerate(VALUES)),
    )
    caption = (
        "In 1/100,000: what one card of a value that leaves adds to the bank's edge under the best "
        "play, or to the probability of a refait or an après."
    )
    return Grid(TITLE, columns, rows, caption=caption, sorts=False)


def _rank(place: int) -> int:
    """Return how soon a value is left out of a narrow table: those in the middle first."""
    return {4: 3, 5: 4, 6: 5, 7: 6}.get(place, 0)


def _lines(each: Effects) -> Iterator[tuple[str, Sequence[float | None]]]:
    """Yield the names and the effects of a figure: once where both colours do the same."""
    name = f"{each.name}, insured" if each.insured else each.name
    if each.coloured:
        yield f"{name}, black", each.noir
        yield f"{name}, red", each.rouge
    else:
        yield name, each.noir


def tags_table(effects: Sequence[Effects]) -> Grid:
    """Return the table of counts in whole numbers: a line a figure, two where colours differ."""
    rows: list[tuple[Cell, ...]] = []
    for each in effects:
        tags = each.tags()
        follows = each.correlation(tags)
        for (name, _line), line in zip(_lines(each), tags, strict=False):
            rows.append((name, *line, follows))
    columns = (
        Column("a card that leaves", cut=24),
        *(Column(value, "+d") for value in VALUES),
        Column("follows", ".3f"),
    )
    caption = (
        "Add these up: above zero the bank's edge, or the probability of a refait or an après, is "
        "higher. follows: correlation with the effects of removal."
    )
    return Grid("Linear counts", columns, rows, caption=caption, sorts=False)


def removal_json(effects: Sequence[Effects]) -> list[dict[str, Any]]:
    """Return the effects as JSON: edges in stakes, by colour and value."""
    found = []
    for each in effects:
        lines = dict(zip(COLOURS, (each.noir, each.rouge), strict=True))
        tags = dict(zip(COLOURS, each.tags(), strict=True))
        found.append(
            {
                "figure": each.name,
                "insured": each.insured,
                "whole": each.whole,
                **{
                    _NAMES[colour]: dict(zip(VALUES, line, strict=True))
                    for colour, line in lines.items()
                },
                "sum_over_cards": each.sum,
                "deviation_constant": each.spread * (each.cards - 1),
                "tags": {
                    _NAMES[colour]: dict(zip(VALUES, line, strict=True))
                    for colour, line in tags.items()
                },
                "tags_correlation": each.correlation(each.tags()),
            }
        )
    return found
