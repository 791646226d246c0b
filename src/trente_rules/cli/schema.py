"""``trente schema``: the JSON Schema of house files and of the wire contract, and its types."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final

import click

from trente_rules.cli.helped import HelpedCommand
from trente_rules.cli.output import Output, out_option
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
        ("trente schema --of events", "the schema of the events of a table"),
        ("trente schema --typescript --out trente.ts", "the types of the whole wire contract"),
    ),
)
@click.option(
    "--of",
    type=click.Choice(tuple(_SCHEMAS)),
    help="The part to print.  [default: house; all but house with --typescript]",
)
@click.option("--typescript", is_flag=True, help="Print TypeScript types instead.")
@out_option("json")
def schema_command(*, of: str | None, typescript: bool, output: Output) -> None:
    """Print the JSON Schema of house files or of the service.

    The schema of house files is draft-07, with the rules of all plugins. Those of commands, events,
    movements, entries, views, snapshots, records and the service are 2020-12, generated from the
    classes, with their descriptions.
    """
    if typescript:
        if of == "house":
            raise click.UsageError("--typescript: a house file has a schema only, not types")
        output.write(wire_types(of))
        return
    schema = _SCHEMAS[of or "house"]()
    output.write(f"{json_text(schema)}\n")
