"""The commands on house files: ``trente check`` finds faults, ``trente new`` writes one."""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path

import attrs
import click

from trente_rules.cli.faults import count_line, fault_lines
from trente_rules.cli.helped import HelpedCommand
from trente_rules.cli.output import Output, report_options
from trente_rules.cli.values import HOUSE, PATH
from trente_rules.core.errors import ConfigurationError, Fault
from trente_rules.core.files import new_file
from trente_rules.core.house.loading import is_file_name, load_house, load_with_notes
from trente_rules.core.house.templates import extending_file, whole_file
from trente_rules.core.text import printable
from trente_rules.reports.document import Grid, Lines, Report

# --- ``trente check``: every fault of house files and every note on them, each with its place


@click.command(
    cls=HelpedCommand,
    examples=(
        ("trente check my.toml", "no faults, or each fault with its line"),
        ("trente check my.toml other.toml --format json", "faults and notes as JSON"),
        ("trente check --within . my.toml", "the file of a stranger: no other folder is opened"),
    ),
    status={0: "no faults, with notes or without", 1: "faults"},
    finds=True,
)
@click.argument("files", nargs=-1, required=True, type=PATH, metavar="FILE...")
@click.option(
    "--within",
    type=click.Path(exists=True, file_okay=False),
    metavar="FOLDER",
    help="Open no file outside FOLDER, whatever a file extends: for files from others.",
)
@report_options()
def check_command(files: tuple[str, ...], within: str | None, output: Output) -> None:
    """Find the mistakes in house files.

    Every fault is printed with its line and column. Notes point out what is allowed but perhaps not
    meant, such as stakes that are insured for nothing.
    """
    found: dict[str, list[Fault]] = {"faults": [], "notes": []}
    lines: list[str] = []
    many = 0
    for name in files:
        try:
            house, notes = load_with_notes(Path(name), within=within)
        except ConfigurationError as error:
            found["faults"] += error.faults
            many += len(error.faults) + error.more
            lines += [*fault_lines(error.faults), *str(error).split("\n")[len(error.faults) :]]
        else:
            found["notes"] += notes
            lines.append(printable(f"{name}: no faults ({house.name}, {house.fingerprint})"))
            lines += fault_lines(notes, "note")
    lines.append(count_line(many, len(files), len(found["notes"])))
    data = {kind: [attrs.asdict(each) for each in listed] for kind, listed in found.items()}
    columns = ("kind", *(field.name for field in attrs.fields(Fault)))
    rows = ((kind[:-1], *each.values()) for kind, listed in data.items() for each in listed)
    flat = Grid("", columns, rows)
    if output.form == "text":
        text = "\n".join((*lines, ""))
        output.write(text if output.out is None else click.unstyle(text))
    else:
        plain = [Lines(map(click.unstyle, lines))]
        output.show(Report("Faults", plain, data=lambda: data, flat=flat))
    if found["faults"]:
        sys.exit(1)


# --- ``trente new``: a house file to start from


@click.command(
    cls=HelpedCommand,
    examples=(
        ("trente new new.toml --from france-2007", "a file with every key in a comment"),
        ("trente new whole.toml --from campione --whole", "a self-contained file"),
    ),
    status={0: "written", 1: "not written: the file exists, or the house has faults"},
    finds=True,
)
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--from", "parent", required=True, type=HOUSE, help="The house to start from.")
@click.option("--whole", is_flag=True, help="Write every key, instead of extending the house.")
def new_command(file: Path, parent: str, whole: bool) -> None:  # noqa: FBT001 - click passes it
    """Write a house file to start from.

    FILE extends the house and shows each of its values in a comment: change what differs, and check
    it. With --whole it is self-contained. Existing files are never overwritten.
    """
    house = load_house(parent)
    if is_file_name(parent):  # a path in a house file starts at the folder of that file
        beside = Path(os.path.relpath(parent, file.parent)).as_posix()
        parent = beside if is_file_name(beside) else f"./{beside}"
    text = whole_file(house, file.stem) if whole else extending_file(house, file.stem, parent)
    with new_file(file) as opened:
        opened.write(text.encode())
    typed = str(file) if is_file_name(str(file)) else f"./{file}"  # a bare name is a house's
    quoted = shlex.quote(typed)
    click.echo(printable(f"wrote {file}. Next: trente check {quoted}, trente compare {quoted}"))
