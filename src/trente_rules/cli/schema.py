"""``trente schema``: the JSON Schema of house files and of the wire contract, and its types."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, Final

import click

from trente_rules.cli.helped import HelpedCommand
from trente_rules.cli.output import Output
from trente_rules.core.house.schema import house_schema
from trente_rules.core.plugins.manager import default_manager
from trente_rules.core.text import json_text
from trente_rules.records.record_json import record_schema
from trente_rules.service.contract_schemas import service_schema
from trente_rules.table.schemas import VERSION, WIRE, wire_schema
from trente_rules.table.typescript import typescript_of

_SCHEMAS: Final[Mapping[str, Callable[[], Any]]] = {
    "house": lambda: house_schema(default_manager()),
    **{name: partial(wire_schema, name) for name in WIRE},
    "records": record_schema,
    "service": service_schema,
}
_TYPED: Final = tuple(name for name in _SCHEMAS if name != "house")


def wire_types(of: str | None = None) -> str:
    """Return the types of TypeScript of one part of the contract, by default of all of it."""
    head = (
        f"The types of the wire contract of trente-rules, version {VERSION}.\n"
        f"Made by trente schema --typescript{f' --of {of}' if of else ''}: do not edit."
    )
    return typescript_of([_SCHEMAS[name]() for name in ([of] if of else _TYPED)], head)


@click.command(
    cls=HelpedCommand,
    examples=(
        ("trente schema --out house.schema.json", "the schema of house files, for an editor"),
        ("trente schema --of events", "the schema of what a table reports"),
        ("trente schema --typescript --out trente.ts", "types of TypeScript"),
    ),
)
@click.option(
    "--of",
    type=click.Choice(tuple(_SCHEMAS)),
    help="What the schema is of.  [default: house; all but house with --typescript]",
)
@click.option("--typescript", is_flag=True, help="Print types of TypeScript instead.")
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write to FILE instead of the standard output.",
)
def schema_command(of: str | None, typescript: bool, out: Path | None) -> None:  # noqa: FBT001 - click passes it
    """Print the JSON Schema of a house file, or of what a table reads and writes.

    Of a house: draft-07, with the rules of all plugins. Of commands, events, movements, entries,
    views, snapshots, records and the service: 2020-12, generated from the classes, with their
    words.
    """
    output = Output("json", out)
    if typescript:
        if of == "house":
            raise click.UsageError("--typescript: a house file has a schema only, not types")
        output.write(wire_types(of))
        return
    schema = _SCHEMAS[of or "house"]()
    output.write(f"{json_text(schema)}\n")
