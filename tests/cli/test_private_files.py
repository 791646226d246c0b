"""Every file with cards, seeds or states may be read by its owner alone, from its first byte."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
from tests.cli.calling import trente
from tests.play.seated import ready

from trente_rules import Opening, Table, load_house
from trente_rules.fair import SeededShuffler
from trente_rules.play.saving import SaveFile
from trente_rules.records.files import load_record, write_record
from trente_rules.records.recorder import record_of
from trente_rules.table import Cut, EndShoe, OpenShoe, PlaceMarker, SqliteJournal, snapshot

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="modes and links of POSIX")

TAILLE: Final = Path(__file__).parents[2] / "examples" / "taille.toml"


@pytest.fixture(autouse=True)
def umask() -> Iterator[None]:
    """Give new files the rights that most systems give them: all may read."""
    before = os.umask(0o022)
    yield
    os.umask(before)


def mode_of(file: Path) -> int:
    """Return the rights to a file."""
    return stat.S_IMODE(file.stat().st_mode)


def begun(journal: SqliteJournal | None = None) -> Table:
    """Return a table whose shoe is open."""
    table = Table(load_house("france-2007"), opening=Opening(10_00), journal=journal)
    table.do(OpenShoe.shuffled("c1", 6, SeededShuffler(bytes(16))))
    table.do(Cut(id="c2", place=150))
    return table


@pytest.mark.slow
def test_whoever_else_is_on_the_machine_reads_no_card(tmp_path: Path) -> None:
    """S11, C10: each file that the library writes, as it is while the table is on."""
    (tmp_path / "link").symlink_to("real.journal")
    with SqliteJournal(tmp_path / "link") as journal, SaveFile(tmp_path / "save.json") as save:
        table = begun(journal)
        save.write(ready("france-2007"))
        (tmp_path / "before.json").write_text(snapshot(table))
        for arguments in (
            ("rng", "export", "shoes", "--shoes", 1, "--out", tmp_path / "shoes"),
            ("rng", "export", "raw", "--bytes", 10, "--out", tmp_path / "raw"),
            ("migrate", tmp_path / "link", tmp_path / "migrated.journal"),
            ("migrate", tmp_path / "before.json", tmp_path / "migrated.json"),
            ("journal", "backup", tmp_path / "link", tmp_path / "copy.journal"),
            ("journal", "keygen", tmp_path / "signer"),
            ("simulate", "france-2007", "--coups", 1, "--resume", tmp_path / "run"),
        ):
            ran = trente(*arguments)
            assert ran.status == 0, (arguments, ran.err)
        (tmp_path / "before.json").unlink()  # this test's own
        (tmp_path / "signer.pub").unlink()  # for everybody
        modes = {each.name: oct(mode_of(each)) for each in tmp_path.iterdir()}
    del modes["link"]
    secret = ("real.journal", "real.journal-wal", "real.journal-shm", "save.json", "save.json.lock")
    written = ("shoes", "raw", "migrated.journal", "migrated.json", "run", "copy.journal", "signer")
    assert {*secret, *written} <= modes.keys()
    assert set(modes.values()) == {"0o600"}


def test_a_record_of_a_taille_that_is_not_over_has_no_card_to_come(tmp_path: Path) -> None:
    """C10: so it is a file as any other; the order is in it once the taille is over."""
    table = begun()
    table.do(PlaceMarker(id="c3"))
    write_record(record_of(table), tmp_path / "open.toml")
    table.do(EndShoe(id="c4"))
    write_record(record_of(table), tmp_path / "over.toml")
    found = [bool(load_record(tmp_path / f"{name}.toml").shoe.order) for name in ("open", "over")]
    assert found == [False, True]
    assert mode_of(tmp_path / "over.toml") == 0o644


def test_the_owner_opens_a_journal_to_a_group(tmp_path: Path) -> None:
    """C10: chmod is kept, and the files next to the journal follow it."""
    path = tmp_path / "a.journal"
    with SqliteJournal(path) as journal:
        begun(journal)
    path.chmod(0o640)
    with SqliteJournal(path) as journal:
        assert journal.check().sequence == 2
        modes = {mode_of(each) for each in tmp_path.iterdir()}
        assert (len(list(tmp_path.iterdir())), modes) == (3, {0o640})


def test_a_save_is_written_through_no_planted_link(tmp_path: Path) -> None:
    """S11: ``ln -s victim game.new``; the owner's mode and link stay (C10)."""
    victim, link = tmp_path / "victim", tmp_path / "game"
    victim.write_text("mine")
    link.symlink_to("real")
    for ending in (".new", ".tmp"):
        (tmp_path / f"game{ending}").symlink_to(victim)
        (tmp_path / f"real{ending}").symlink_to(victim)
    session = ready("france-2007")
    with SaveFile(link) as save:
        save.write(session)
        assert mode_of(tmp_path / "real") == 0o600
        link.chmod(0o640)
        save.write(session)
        assert (link.is_symlink(), mode_of(tmp_path / "real")) == (True, 0o640)
        assert save.read() is not None
    assert victim.read_text() == "mine"


def test_a_report_is_for_everybody_and_a_record_for_its_owner(tmp_path: Path) -> None:
    """A page that ``--out`` makes has the mode of new files; what may name players has not."""
    for command in ("rules", "show", "compare"):
        file = tmp_path / f"{command}.html"
        assert trente(command, "campione", "--out", file).status == 0
        assert oct(mode_of(file)) == "0o644"
    record = tmp_path / "record.json"
    assert trente("record", TAILLE, "--out", record).status == 0
    assert oct(mode_of(record)) == "0o600"
