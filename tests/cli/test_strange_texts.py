"""Every command with texts that would act on a terminal, in every place a stranger can write one.

Standard output and error hold no hidden character, and as many lines as with a plain text of the
same length: so no name makes a line of its own, and columns stay columns.
"""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import click
import pytest
import tomli_w
from tests.cli.calling import Ran, trente

from trente_rules import Table
from trente_rules.cli.group import trente as group
from trente_rules.core.house.loading import dumps_house, load_house
from trente_rules.core.house.templates import SCHEMA_LINE
from trente_rules.core.text import hides, printable
from trente_rules.records import record_of, write_record
from trente_rules.table import (
    CloseBets,
    Cut,
    Deal,
    OpenBets,
    OpenShoe,
    Place,
    PlaceMarker,
    Settle,
    VoidCoup,
)
from trente_rules.table.journal_sqlite import SqliteJournal
from trente_rules.testing import coup_with, opening_of, stacked_shoe

pytestmark = pytest.mark.slow

ACTS: Final = (
    "e\r\nnow: bank +9\x1b]52;c;cm0=\x07\x1b[2K\x9b31m\x85\u2067\u202e\u200b\u2028\U000e0001"
)
"""A text that forges a line, fills the clipboard, clears lines, turns them round, hides."""
PLAIN: Final = printable(ACTS).replace("\\", "_").replace("[", "_").replace("]", "_")
"""A text of the same length as it is shown, in which nothing acts."""
FORMS: Final = ("text", "markdown", "csv", "json", "html", "latex")


def leaves(command: click.Command, names: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Yield the names of every command of the tree that has none below it."""
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            assert below is not None
            yield from leaves(below, (*names, name))
    else:
        yield names


def command_of(names: tuple[str, ...]) -> click.Command:
    """Return a command of the tree by its names."""
    found: click.Command = group
    for name in names:
        assert isinstance(found, click.Group)
        below = found.get_command(click.Context(found), name)
        assert below is not None
        found = below
    return found


COMMANDS: Final = tuple(leaves(group))


def _one_line(text: str) -> str:
    """Return a text as a line of a file can hold it, of the same length as shown."""
    return "".join(text.splitlines())[-20:]


QUICK: Final = {"count": ("--shoes", "1"), "simulate": ("--coups", "100")}
"""Options that keep a command short."""
SOON: Final = (
    *("check", "show", "rules", "new", "fingerprint", "history", "monitor", "replay", "verify"),
    *("record", "card", "migrate", "plugins", "rng"),
)
"""The commands that are tried at every change; the others, which compute, nightly."""


class Strange:
    """A folder with files that hold a text wherever a stranger can write one."""

    def __init__(self, folder: Path, text: str) -> None:
        """Write the files."""
        self.text, self.folder = text, folder
        name = text.replace("/", "_")
        self.house = str(folder / f"{name}.toml")
        self.bad = str(folder / f"{name}-bad.toml")
        self.child = str(folder / f"{name}-child.toml")
        self.journal = str(folder / f"{name}.journal")
        self.record = str(folder / f"{name}-record.toml")
        self.permanence = str(folder / f"{name}.txt")
        self.reveal = str(folder / f"{name}.json")
        self.missing = str(folder / f"{name}-missing.toml")
        self.new = str(folder / f"{name}-new.toml")
        info = {"name": "own", "extends": "france-2007", "title": text, "sources": [text, text]}
        house: dict[str, Any] = {"house": info, "money": {"currency": text}}
        Path(self.house).write_text(tomli_w.dumps(house), "utf-8")
        wrong = {
            "house": {"name": "bad", "extends": "france-2007", text: text},
            "refait": {text: text, "rule": text},
            "announcements": {"phrases": {text: text}, "language": text},
            text: {text: 1},
        }
        Path(self.bad).write_text(tomli_w.dumps(wrong), "utf-8")
        parent = {"house": {"name": "bad", "extends": f"./{text}"}}
        Path(self.child).write_text(tomli_w.dumps(parent), "utf-8")
        Path(self.permanence).write_text(f"source = {_one_line(text)}\n33 31 r\n", "utf-8")
        Path(self.reveal).write_text(json.dumps({"commitment": text, "server_seed": text}))
        self._play()

    def _play(self) -> None:
        text, house = self.text, load_house(self.house)
        said = {"at": text, "staff": text, "device": text, "meta": ((text, text),)}
        with SqliteJournal(self.journal) as kept:
            table = Table(house, name=text, opening=opening_of(house), journal=kept)
            shoe = stacked_shoe([coup_with(31, 31)], 6).cards
            steps: list[tuple[Any, dict[str, Any]]] = [
                (OpenShoe, {"cards": shoe, "source": text}), (Cut, {}),
                (PlaceMarker, {}), (OpenBets, {}),
                (Place, {"stake": text, "player": text, "chance": "rouge", "amount": 100}),
                (CloseBets, {}), (Deal, {}), (Settle, {}), (OpenBets, {}),
                (Place, {"stake": f"{text}2", "player": text, "chance": "noir", "amount": 100}),
                (CloseBets, {}), (Deal, {}), (VoidCoup, {"reason": text}), (OpenBets, {}),
                (Place, {"stake": f"{text}3", "player": text, "chance": "noir", "amount": 100}),
            ]  # fmt: skip
            for number, (kind, fields) in enumerate(steps):
                table.do(kind(id=f"{text}{number}", **fields, **said))
        write_record(record_of(table), self.record)

    def calls(self, names: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
        """Yield arguments of a command: those of its kind, and wrong ones in every place."""
        files = (self.house, self.bad, self.child, self.journal, self.record, self.permanence)
        yield from self._own(names[-1])
        for file in (*files, self.missing, self.text):
            yield (file,)
        yield (self.text, self.text, self.text)
        yield (f"--{self.text}",)
        for option in command_of(names).params:
            if isinstance(option, click.Option) and not option.is_flag:
                yield (option.opts[0], self.text, "france-2007", "campione")
                yield (option.opts[0], self.missing)

    def _own(self, name: str) -> Iterator[tuple[str, ...]]:
        two: dict[str, tuple[tuple[str, ...], ...]] = {
            "compare": ((self.house, "campione"), ("campione", "--against", self.house)),
            "diff": ((self.house, "campione"),),
            "new": ((self.new, "--from", self.house), (self.house, "--from", "campione")),
            "simulate": ((self.house, "--coups", "100"),),
            "migrate": ((self.journal, self.new), (self.record, f"{self.new}2")),
            "replay": ((self.record, "--house", "campione"), (self.journal, self.missing)),
            "verify": ((self.record, "--reveal", self.reveal),),
            "monitor": ((self.journal, self.record),),
            "card": ((self.permanence, "--house", self.house),),
            "record": ((self.journal, "--format", "compact"), (self.record, "--format", "json")),
        }  # fmt: skip
        yield from two.get(name, ())


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> tuple[Strange, Strange]:
    """Make the folders of both texts."""
    strange, plain = (tmp_path_factory.mktemp("texts") for _ in range(2))
    return Strange(strange, ACTS), Strange(plain, PLAIN)


def shape(ran: Ran) -> tuple[object, int, int]:
    """Return the exit status, and how many lines were printed."""
    assert not hides(ran.out), ran.out
    assert not hides(ran.err), ran.err
    assert "Traceback" not in ran.err
    return ran.status, ran.out.count("\n"), ran.err.count("\n")


@pytest.mark.parametrize(
    "names",
    [
        pytest.param(names, marks=() if names[0] in SOON else pytest.mark.nightly)
        for names in COMMANDS
    ],
    ids=" ".join,
)
def test_no_text_of_a_stranger_acts(
    names: tuple[str, ...], places: tuple[Strange, Strange], monkeypatch: pytest.MonkeyPatch
) -> None:
    """S4, C12: titles, currencies, keys, names of files and players, reasons, ids, arguments."""
    strange, plain = places
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO()))
    told = 0
    for one, other in zip(strange.calls(names), plain.calls(names), strict=True):
        if names[:1] == ("rng",) and "export" in names and "--out" not in one and len(one) < 2:
            continue  # raw bytes are what it is for
        monkeypatch.chdir(strange.folder)
        quick = QUICK.get(names[0], ())
        ran = trente(*names, *one, *quick)
        monkeypatch.chdir(plain.folder)
        beside = trente(*names, *other, *quick)
        assert shape(ran) == shape(beside), (one, ran, beside)
        told += "x1b" in ran.out + ran.err
    if names not in {("houses",), ("rng", "export", "raw")}:
        assert told


@pytest.mark.parametrize("form", FORMS)
def test_nor_in_any_format(form: str, places: tuple[Strange, Strange]) -> None:
    """S4: every format of reports, for the houses and the tables of a stranger."""
    strange, plain = places
    for names in (("show",), ("rules",), ("history",), ("monitor",), ("replay",)):
        table = names[0] in ("history", "monitor", "replay")
        one, other = (each.journal if table else each.house for each in places)
        house = ("--house", strange.house) if names == ("replay",) else ()
        ran, beside = (
            trente(*names, one, *house, "--format", form),
            trente(*names, other, *("--house", plain.house) if house else (), "--format", form),
        )
        assert shape(ran) == shape(beside), names


def test_toml_that_is_printed_reads_back(places: tuple[Strange, Strange]) -> None:
    """S4: ``show`` prints TOML with escapes, below the schema's line: the same house."""
    strange, _plain = places
    ran = trente("show", strange.house, "--format", "toml")
    assert not hides(ran.out)
    assert ran.out == SCHEMA_LINE + dumps_house(load_house(strange.house))
