"""The examples of all commands, and a folder in which they run."""

from __future__ import annotations

import json
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import click
from tests.cli.test_strange_texts import COMMANDS, command_of

from trente_rules import Table, load_house
from trente_rules.fair.shoes import FairShoe
from trente_rules.records import record_of, write_record
from trente_rules.table.journal_sqlite import SqliteJournal
from trente_rules.testing import opening_of
from trente_rules.testing.journals import play

ROOT: Final = Path(__file__).parents[2]
SITS: Final = {("play",), ("serve",)}
"""Commands that somebody sits at: their examples are not run."""


def groups(command: click.Command, names: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Yield the names of every group of the tree below the first."""
    if isinstance(command, click.Group):
        if names:
            yield names
        for name in command.list_commands(click.Context(command)):
            yield from groups(command_of((*names, name)), (*names, name))


ALL: Final = tuple(dict.fromkeys((*COMMANDS, *groups(command_of(())))))
"""Every command and every group, by its names."""


def examples() -> Iterator[str]:
    """Yield each example that is printed by some help, once."""
    lines: dict[str, None] = {}
    for names in ALL:
        shown = vars(command_of(names)).get("examples", ())
        lines |= dict.fromkeys(line for line, _shown in shown)
    return (line for line in lines if tuple(shlex.split(line)[1:2]) not in SITS)


def fill(folder: Path) -> None:
    """Make the files that the examples name."""
    house = '[house]\nname = "my-house"\nextends = "france-2007"\n[shoe]\nburn = 3\n'
    (folder / "my.toml").write_text(house, "utf-8")
    (folder / "other.toml").write_text(house.replace("my-house", "other"), "utf-8")
    (folder / "permanence.txt").write_text("33 31 r\n35 39 n\n31 31\n", "utf-8")
    (folder / "token.key").write_text("5e" * 32, "utf-8")
    (folder / "token.key").chmod(0o600)
    own = load_house("france-2007")
    with SqliteJournal(folder / "table.journal") as journal:
        table = Table(own, name="salle-3", opening=opening_of(own), journal=journal)
        play(table, 12)
    write_record(record_of(table), folder / "taille.toml")
    shoe = FairShoe.seal(7, packs=2, server_seed=bytes(range(100, 132)))
    shown = shoe.shuffle(["ann"]).retire().reveal().to_json()
    (folder / "shoe.json").write_text(json.dumps(shown), "utf-8")
    (folder / "published").mkdir()
    shutil.copy(folder / "shoe.json", folder / "published" / "7.json")
    shutil.copytree(ROOT / "examples", folder / "examples")
