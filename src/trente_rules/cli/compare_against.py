"""``trente compare --against``: how each house differs from a base house, in every format."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

import click

from trente_rules.analysis.against import Deviation, Range, against_json, deviations
from trente_rules.analysis.comparison import Compared, chances_text
from trente_rules.cli.output import (
    Table,
    percent,
    print_csv,
    print_json,
    print_markdown,
    print_table,
    short_text,
    value_text,
)

_CSV: Final = ("house", "kind", "key", "old", "new")


def print_against(base: Compared, others: tuple[Compared, ...], form: str) -> None:
    """Print the differences of each house from the base."""
    found = deviations(base, others)
    if form == "json":
        print_json(against_json(base, found))
    elif form == "csv":
        print_csv((row for one in found for row in _flat(one)), _CSV)
    else:
        text, printed = (short_text, print_table) if form == "table" else (value_text, _markdown)
        for one in found:
            table = against_table(base, one, text)
            if table.rows:
                printed(table)
            else:
                click.echo(f"{table.title}\n")


def _markdown(table: Table) -> None:
    lines = tuple(tuple(" ".join(cell.split()) for cell in row) for row in table.rows)
    print_markdown(Table(table.title, table.columns, lines, table.right))


def against_table(base: Compared, one: Deviation, text: Callable[[Any], str]) -> Table:
    """Answer the differences of one house: keys with both values, then the advantage."""
    name = one.one.house.name
    if not one.changes and not one.edges:
        return Table(f"{name}: no difference from {base.house.name}", (), ())
    kinds = [change.kind for change in one.changes]
    counted = " and ".join(
        f"{kinds.count(kind)} of {kind}" for kind in ("fairness", "presentation")
    )
    moved = "another advantage" if one.edges else "the same advantage"
    rows = [(change.key, text(change.old), text(change.new), change.kind) for change in one.changes]
    return Table(
        f"{name} against {base.house.name}: keys that differ: {counted}; {moved}",
        ("key", base.house.name, name, "kind"),
        (*rows, *_edge_rows(base, one)),
    )


def _edge_rows(base: Compared, one: Deviation) -> Iterator[tuple[str, ...]]:
    groups: dict[tuple[bool, Range | None, Range | None], list[str]] = {}
    for edge in one.edges:
        groups.setdefault((edge.insured, edge.old, edge.new), []).append(edge.chance)
    for (insured, old, new), chances in groups.items():
        house = base.house if new is None else one.one.house
        which = f"{chances_text(house, chances)}{', insured' if insured else ''}"
        yield (f"edge ({which})", _range(old), _range(new), "advantage")


def _range(edges: Range | None) -> str:
    if edges is None:
        return "-"
    if edges.least == edges.greatest:
        return percent(edges.least)
    return f"{percent(edges.least)} to {percent(edges.greatest)}"


def _flat(one: Deviation) -> Iterator[dict[str, str]]:
    name = one.one.house.name
    for change in one.changes:
        yield {
            "house": name,
            "kind": change.kind,
            "key": change.key,
            "old": value_text(change.old),
            "new": value_text(change.new),
        }
    for edge in one.edges:
        place = f"{edge.chance}{'.insured' if edge.insured else ''}"
        for end in ("least", "greatest"):
            old, new = (None if of is None else getattr(of, end) for of in (edge.old, edge.new))
            if old != new:
                yield {
                    "house": name,
                    "kind": "advantage",
                    "key": f"{place}.{end}",
                    "old": "-" if old is None else str(float(old)),
                    "new": "-" if new is None else str(float(new)),
                }
