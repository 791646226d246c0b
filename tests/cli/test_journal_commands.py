"""``trente journal`` and ``trente verify``: copies, heads and keys, as an operator uses them."""

from __future__ import annotations

import os
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from urllib.parse import urlencode

import pytest
from psycopg.conninfo import conninfo_to_dict
from tests.cli.calling import Ran, trente
from tests.table.ten_players import dice_of, following
from tests.whole_units import whole_house

from trente_rules import RecordError, Table
from trente_rules.table import (
    HeadSigner,
    PostgresJournal,
    SqliteJournal,
    back_up,
    journal_backup,
    recover,
)
from trente_rules.testing import opening_of

HOUSE = whole_house("france-2007")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return the path of a journal."""
    return tmp_path / "salle.journal"


@pytest.fixture
def running(path: Path) -> Iterator[Table]:
    """Return a table that runs: its file alone holds nothing yet."""
    with SqliteJournal(path) as journal:
        table = Table(HOUSE, opening=opening_of(HOUSE), journal=journal)
        play(table, 20)
        yield table


def play(table: Table, commands: int, seed: int = 1) -> None:
    """Do some commands."""
    dice = dice_of(seed)
    for _ in range(commands):
        table.do(following(table, dice))


def head_of(path: Path) -> str:
    """Return where a journal ends."""
    with SqliteJournal(path, read_only=True) as journal:
        return str(journal.head)


def left(path: Path) -> list[str]:
    """Return the files beside a journal that are not its own."""
    return sorted(each.name for each in path.parent.iterdir() if "salle" not in each.name)


def test_a_journal_is_copied_while_a_table_runs(running: Table, path: Path) -> None:
    """S5: a plain copy of the file is empty; this one is whole, private, and alone."""
    assert path.stat().st_size == 4096
    out = path.with_name("copy")
    ran = trente("journal", "backup", path, out, "--format", "json")
    assert (ran.status, ran.err) == (0, "")
    assert ran.json["commands"] == 20
    assert stat.S_IMODE(out.stat().st_mode) == 0o600 or os.name == "nt"
    assert left(path) == ["copy"]
    play(running, 5, 2)
    assert trente("journal", "head", out).out.strip() == ran.json["head"]
    assert trente("verify", path, "--head", ran.json["head"]).status == 0
    with SqliteJournal(out) as journal:
        state = recover(journal).state
        assert state.events < running.state.events
        assert journal.check().sequence == 20
    again = trente("journal", "backup", path, out)
    assert (again.status, "is there already" in again.err) == (1, True)


def test_a_copy_that_is_broken_off_leaves_nothing(
    running: Table, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """S5: Ctrl-C in the middle, or a copy that does not pass its check."""
    monkeypatch.setattr(journal_backup, "_PAGES", 1)
    done = []

    def stop(copied: int, total: int) -> None:
        done.append((copied, total))
        play(running, 1, len(done))  # the table goes on meanwhile, and the copy does not begin anew
        if copied > 4:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        back_up(path, path.with_name("copy"), stop)
    assert done[:2] == [(1, done[0][1]), (2, done[0][1])]
    assert left(path) == []
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE movements SET units = units + 1 WHERE command = 10")
    ran = trente("journal", "backup", path, path.with_name("copy"))
    assert (ran.status, "command 10" in ran.err) == (2, True)
    assert left(path) == []


def test_what_is_no_journal_is_not_copied(tmp_path: Path) -> None:
    """A missing file, an empty one, a text: refused with status 2, and nothing is made."""
    out = tmp_path / "out"
    (tmp_path / "empty").touch()
    (tmp_path / "text").write_text("no journal" * 100)
    for name in ("missing", "empty", "text"):
        assert trente("journal", "backup", tmp_path / name, out).status == 2
        assert not out.exists()
    ran = trente("journal", "backup", "postgresql://house:secret@host/tables?journal=a", out)
    assert (ran.status, "pg_dump" in ran.err, "secret" in ran.err) == (2, True, False)
    with SqliteJournal(tmp_path / "j") as journal:
        Table(HOUSE, opening=opening_of(HOUSE), journal=journal)
    with pytest.raises(RecordError) as caught:
        back_up(journal.path, tmp_path / "no folder" / "out")
    assert caught.value.code == "file-unwritable"


def test_verify_takes_a_head_that_was_kept(running: Table, path: Path) -> None:
    """S13: what ``trente journal head`` prints is what ``trente verify --head`` takes."""
    kept = trente("journal", "head", path, "--check").out.strip()
    play(running, 3, 2)
    ran = trente("verify", path, "--head", kept)
    assert ran.status == 0
    assert "head: holds: " in ran.out
    assert "up to this head is unchanged" in ran.out
    assert head_of(path) in ran.out
    number, _, hash_ = kept.partition(":")
    ran = trente("verify", path, "--head", f"{number}:{hash_[:-1]}{int(hash_[-1] == '0')}")
    assert (ran.status, "does not hold" in ran.out) == (1, True)
    later = f"{int(number) + 99}:{hash_}"
    assert "cut off" in trente("verify", path, "--head", later).out
    assert trente("verify", path, "--head", "last night").status == 2
    record = path.with_name("r.toml")
    assert trente("record", path, "--out", record).status == 0
    assert trente("verify", record, "--head", kept).status == 2


def test_verify_takes_a_public_key(path: Path) -> None:
    """S13: keygen makes two files, and neither over another; the signed heads hold by the one."""
    key = path.with_name("key")
    ran = trente("journal", "keygen", key)
    assert ran.status == 0
    assert stat.S_IMODE(key.stat().st_mode) == 0o600 or os.name == "nt"
    assert b"PRIVATE" not in path.with_name("key.pub").read_bytes()
    assert trente("journal", "keygen", key).status == 1
    key.rename(path.with_name("other"))
    assert trente("journal", "keygen", key).status == 1
    assert not key.exists()
    with SqliteJournal(path, signer=HeadSigner.load(path.with_name("other"))) as journal:
        table = Table(HOUSE, opening=opening_of(HOUSE), journal=journal)
        play(table, 5)
        assert "5 commands after it are not covered" in verified(path).out
    assert "2 signed heads; the last is 5:" in verified(path).out
    assert "they cover all of it" in verified(path).out
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("DELETE FROM signatures")
    assert verified(path).status == 1


def verified(path: Path) -> Ran:
    """Verify a journal by the public key beside it."""
    return trente("verify", path, "--public-key", path.with_name("key.pub"))


def test_verify_says_what_it_could_not_check(running: Table, path: Path) -> None:
    """S12, the kind: less was checked than was asked for, and nothing said so."""
    later = path.with_name("later")
    with SqliteJournal(later, signer=HeadSigner.new()) as journal:
        running.rotate(journal)
        play(running, 3, 2)
    out = trente("verify", later).out
    assert "file before: holds: salle.journal ends where this one begins" in out
    assert "signatures: not checked: 2 signed heads" in out
    copy = path.with_name("folder")
    copy.mkdir()
    back_up(later, copy / "later")
    ran = trente("verify", copy / "later")
    assert ran.status == 0
    assert "file before: not checked: salle.journal is not there" in ran.out
    (copy / "salle.journal").write_bytes(later.read_bytes())
    ran = trente("verify", copy / "later")
    assert (ran.status, "does not begin where" in ran.out) == (1, True)


@pytest.mark.usefixtures("running")
def test_history_and_monitor_print_the_head(path: Path) -> None:
    """S13: heads are where the day's report is read, in the form that verify takes."""
    head = head_of(path)
    assert f"head {head}" in trente("history", path).out
    assert f"ends at head {head}" in trente("monitor", path).out
    tables = trente("monitor", path, "--format", "json").json["tables"]
    assert tables[0]["heads"] == {str(path): head}


@pytest.mark.parametrize("words", [(), ("backup",), ("head",), ("keygen",)])
def test_the_help_fits_80_columns(words: tuple[str, ...]) -> None:
    """S5: an operator reads it at a terminal."""
    ran = trente("journal", *words, "--help")
    assert ran.status == 0
    assert max(map(len, ran.out.splitlines())) <= 80


def test_a_journal_in_a_database_is_named_without_a_password() -> None:
    """S5: what is named is printed, in errors and reports: a secret in it is refused unread."""
    for name in ("postgresql://a:secret@host/b#c", "postgres://host/b?user=a&password=secret#c"):
        ran = trente("history", name)
        assert (ran.status, "secret" in ran.out + ran.err, ".pgpass" in ran.err) == (2, False, True)
    assert "names no journal" in trente("journal", "head", "postgresql://host/b").err


@pytest.mark.slow
def test_every_reading_command_takes_a_journal_in_a_database(postgres: str, schema: str) -> None:
    """S13: heads, checks, signatures, history and monitor are the same there."""
    told = conninfo_to_dict(postgres)
    told.pop("dbname", "")
    place = f"postgresql:///{conninfo_to_dict(postgres).get('dbname', 'postgres')}?" + urlencode(
        told
    )
    with PostgresJournal(postgres, "salle 3", schema=schema, signer=HeadSigner.new()) as journal:
        play(Table(HOUSE, opening=opening_of(HOUSE), journal=journal), 20)
        head = str(journal.head)
        name = f"{place}#{schema}/salle%203"
        ran = trente("journal", "head", name, "--check")
        assert (ran.err, ran.out.strip()) == ("", head)
        ran = trente("verify", name, "--head", head)
        assert (ran.status, "head: holds" in ran.out) == (0, True)
        assert "signatures: not checked: 1 signed heads" in ran.out
        assert f"head {head}" in trente("history", name).out
        assert trente("monitor", name).status == 0
        assert "pg_dump" in trente("journal", "backup", name, "out").err
