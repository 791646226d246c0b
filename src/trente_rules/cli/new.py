"""``trente new``: a house file to start from."""

from __future__ import annotations

import os
import shlex
from pathlib import Path

import click

from trente_rules.errors import TrenteError
from trente_rules.house.extends import is_file_name
from trente_rules.house.template import extending_file, whole_file
from trente_rules.house.toml import load_house


@click.command()
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--from", "parent", required=True, metavar="HOUSE", help="The house to start from.")
@click.option("--whole", is_flag=True, help="Write every key out, instead of extending the house.")
def command(file: Path, parent: str, whole: bool) -> None:  # noqa: FBT001 - click passes it
    """Write FILE, a house that begins as another: change what differs, and check it.

    The file extends the house and shows each of its values in a comment; with --whole it stands
    alone. An existing file is never written over.
    """
    house = load_house(parent)
    if is_file_name(parent):  # a path in a house file starts at the folder of that file
        beside = Path(os.path.relpath(parent, file.parent)).as_posix()
        parent = beside if is_file_name(beside) else f"./{beside}"
    text = whole_file(house, file.stem) if whole else extending_file(house, file.stem, parent)
    try:
        with file.open("x", encoding="utf-8") as opened:
            opened.write(text)
    except FileExistsError:
        raise TrenteError(
            f"{str(file)!r} is there already", "file-exists", "name another file, or remove it"
        ) from None
    except OSError as error:
        raise TrenteError(
            f"{str(file)!r} cannot be written: {error.strerror}", "file-unwritable"
        ) from error
    quoted = shlex.quote(str(file))
    click.echo(f"{file} written; now: trente check {quoted}, trente compare {quoted}")
