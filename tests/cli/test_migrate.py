"""``trente migrate``: files of earlier releases in the form of today."""

from __future__ import annotations

import gzip
import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from tests.cli.calling import trente

from trente_rules.records.files import load_record
from trente_rules.table import SqliteJournal, recover

GOLDEN = Path(__file__).parents[1] / "golden"


def copied(name: str, folder: Path) -> Path:
    """Return a copy of a golden file, unpacked."""
    source = GOLDEN / name
    data = source.read_bytes()
    made = folder / source.name.removesuffix(".gz")
    made.write_bytes(gzip.decompress(data) if source.suffix == ".gz" else data)
    return made


@pytest.mark.parametrize(
    "release", ["0.1.0/italy-half-loss", "0.2.0/france-2007", "0.3.0/foster-1897"]
)
def test_a_journal_is_written_in_the_form_of_today(release: str, tmp_path: Path) -> None:
    """T2, T9: the old file is left as it is; the new one is whole, and gives the same table."""
    old, new = copied(f"{release}/journal-open.sqlite.gz", tmp_path), tmp_path / "new"
    before = old.read_bytes()
    with SqliteJournal(old, read_only=True) as journal:
        state, head = recover(journal).state, journal.meta["schema_1_head"].split()
    ran = trente("migrate", old, new, "--format", "json")
    assert (ran.status, ran.err) == (0, "")
    assert old.read_bytes() == before
    assert ran.json["journal"] == "schema 1 to 3"
    assert (str(ran.json["commands"]), ran.json["head before"]) == tuple(head)
    assert ran.json["movements worked out"] > 50
    with SqliteJournal(new, read_only=True) as journal:
        assert recover(journal).state == state
        assert journal.check().hash.hex() == ran.json["head"]
    again = trente("migrate", new, tmp_path / "same")
    assert again.status == 0
    assert "changes: nothing changed" in again.out
    with SqliteJournal(tmp_path / "same", read_only=True) as journal:
        assert journal.check().hash.hex() == ran.json["head"]


@pytest.mark.parametrize("release", ["0.1.0/france-2007", "0.3.0/foster-1897"])
def test_a_snapshot_is_written_in_the_form_of_today(release: str, tmp_path: Path) -> None:
    """It restores to the same table; where the house is another one, that is said."""
    house = GOLDEN / release / "house.toml"
    if not house.exists():
        house = GOLDEN / "houses" / f"{release.split('/')[1]}.toml"
    old, new = copied(f"{release}/snapshot-bets-open.json", tmp_path), tmp_path / "new.json"
    ran = trente("migrate", old, new, "--house", house)
    assert (ran.status, ran.err) == (0, "")
    assert "session is new" in ran.out
    assert "answered is gone" in ran.out
    assert "balance 0" in ran.out
    other = trente("migrate", new, tmp_path / "other", "--house", "monte-carlo-1911")
    assert other.status == 1
    assert "its form is right" in other.out


def test_the_house_that_a_snapshot_names_is_never_a_file(tmp_path: Path) -> None:
    """S20: a stranger's snapshot names a path, and nothing of that file is printed."""
    old = copied("0.3.0/foster-1897/snapshot-bets-open.json", tmp_path)
    secret = tmp_path / "secret.toml"
    secret.write_text('[house]\nname = "y"\nextends = "SECRETVALUE2"\n', "utf-8")
    named = json.loads(old.read_text("utf-8"))
    named["house"]["name"] = str(secret)
    old.write_text(json.dumps(named), "utf-8")
    ran = trente("migrate", old, tmp_path / "new.json")
    assert ran.status == 1
    assert "a name was expected, and no path" in ran.out
    assert "SECRETVALUE2" not in ran.out + ran.err


def test_a_record_is_written_in_the_form_of_today(tmp_path: Path) -> None:
    """A record of 0.1.0 is the same text; nothing is written over."""
    old, new = copied("0.1.0/france-2007/record-1.toml", tmp_path), tmp_path / "new.toml"
    ran = trente("migrate", old, new)
    assert (ran.status, ran.err) == (0, "")
    assert "nothing changed" in ran.out
    assert load_record(new) == load_record(old)
    ran = trente("migrate", old, new)
    assert (ran.status, ran.out) == (1, "")
    assert "is there already" in ran.err


def test_a_file_that_is_damaged_leaves_nothing_behind(tmp_path: Path) -> None:
    """The old chain is checked first; a text of another kind is named."""
    old = copied("0.3.0/foster-1897/journal-open.sqlite.gz", tmp_path)
    with closing(sqlite3.connect(old)) as connection, connection:
        connection.execute("UPDATE events SET body = body || ' ' WHERE number = 40")
    strange = tmp_path / "strange.json"
    strange.write_text('{"schema": 3}', encoding="utf-8")
    for file, words in (
        (old, "event 40"),
        (strange, "snapshot"),
        (tmp_path / "none", "there is no such file"),
    ):
        ran = trente("migrate", file, tmp_path / "new")
        assert (ran.status, ran.out) == (2, "")
        assert words in ran.err
        assert not (tmp_path / "new").exists()
