"""Effects of removal as tables: what a card that leaves does to each figure, and linear counts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from attrs import evolve

from trente_rules.core.errors import TrenteError
from trente_rules.core.house.house import House
from trente_rules.odds.remaining import VALUES, Composition
from trente_rules.odds.removal import COLOURS, Effects, removal_effects
from trente_rules.reports.document import Cell, Column, Folded, Grid, Section

_UNITS: Final = 1e5
_DIGITS: Final = 11
_WIDE: Final = 100
_WRITTEN: Final = {"apres": "après"}
_NAMES: Final = {"noir": "black", "rouge": "red"}
TITLE: Final = "Effects of removal"


def removal_or_none(house: House, left: Composition) -> tuple[Effects, ...]:
    """Return the effects of removal, none where an engine or a card for them is missing."""
    try:
        return removal_effects(house, left)
    except TrenteError as error:
        if error.code not in ("needs-fast", "needs-exact", "no-coup-left"):
            raise
        return ()


def of_deal(house: House, deal: str) -> Iterator[Section]:
    """Yield the section of a PAR sheet for a deal: none for an infinite pack, which no card moves.

    None either where a chance looks at both first colours: no engine that is fast enough knows its
    odds. Folded where a page can.
    """
    if effects := _of_packs(house, deal):
        untitled = evolve(effects_table(effects), title="")  # the section has its name
        grids = untitled, tags_table(effects)
        yield Section(TITLE, (Folded("By value of the card that leaves", grids),))


def json_of_deal(house: House, deal: str) -> list[dict[str, Any]]:
    """Return the effects of removal of a deal as JSON, none of an infinite pack."""
    return removal_json(_of_packs(house, deal))


def _of_packs(house: House, deal: str) -> tuple[Effects, ...]:
    packs = deal.partition("-")[0]
    return removal_or_none(house, Composition.fresh(int(packs))) if packs.isdecimal() else ()


def _named(effects: Sequence[Effects]) -> Iterator[tuple[str, Effects]]:
    """Yield the figures that a card moves, those that are alike together: ``rouge, noir``."""
    alike: dict[tuple[object, ...], list[Effects]] = {}
    for each in effects:
        if each.moves:
            lines = (round(n or 0.0, _DIGITS) for n in (*each.noir, *each.rouge))
            alike.setdefault((each.insured, *lines), []).append(each)
    for group in alike.values():
        names = ", ".join(_WRITTEN.get(each.name, each.name) for each in group)
        yield f"{names}, insured" if group[0].insured else names, group[0]


def effects_table(effects: Sequence[Effects]) -> Grid:
    """Return the table of effects: a line a figure, two where colours differ."""
    rows: list[tuple[Cell, ...]] = []
    for name, each in _named(effects):
        for line_name, line in _lines(name, each, (each.noir, each.rouge)):
            units = (None if effect is None else effect * _UNITS for effect in line)
            rows.append((line_name, *units))
    most = max((abs(n) for each in effects for _count, n in each.pairs()), default=0.0) * _UNITS
    form = "+.1f" if most < _WIDE else "+.0f"
    columns = (
        Column("figure", cut=24),
        *(Column(value, form, rank=_rank(place)) for place, value in enumerate(VALUES)),
    )
    caption = (
        "In 1/100,000: what one card of a value that leaves adds to the bank's edge under the best "
        "play, or to the probability of a refait or an après."
    )
    return Grid(TITLE, columns, rows, caption=caption, sorts=False)


def _rank(place: int) -> int:
    """Return how soon a value is left out of a narrow table: those in the middle first."""
    return {4: 3, 5: 4, 6: 5, 7: 6}.get(place, 0)


def _lines(
    name: str, each: Effects, lines: tuple[Sequence[Any], Sequence[Any]]
) -> Iterator[tuple[str, Sequence[Any]]]:
    """Yield the lines of a figure with their names: one where both colours do the same."""
    if each.coloured:
        yield f"{name}, black", lines[0]
        yield f"{name}, red", lines[1]
    else:
        yield name, lines[0]


def tags_table(effects: Sequence[Effects]) -> Grid:
    """Return the table of counts in whole numbers: a line a figure, two where colours differ."""
    rows: list[tuple[Cell, ...]] = []
    for name, each in _named(effects):
        tags = each.tags()
        follows = each.correlation(tags)
        rows += ((line_name, *line, follows) for line_name, line in _lines(name, each, tags))
    columns = (
        Column("a card that leaves", cut=24),
        *(Column(value, "d") for value in VALUES),
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
