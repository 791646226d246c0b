"""Heads of a journal that are kept elsewhere, and signed ones: what a chain alone does not find."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import ExitStack, closing
from functools import partial
from pathlib import Path

import pytest
from tests.table.ten_players import dice_of, following
from tests.whole_units import whole_house

from trente_rules import RecordError, Table
from trente_rules.table import SqliteJournal, recover
from trente_rules.table.events import ShoeEnded
from trente_rules.table.journal_chain import (
    Epoch,
    Head,
    command_hash,
    epoch_hash,
    place_of,
    snapshot_hash,
)
from trente_rules.table.journal_signature import HeadSigner, HeadVerifier
from trente_rules.testing import opening_of

HOUSE = whole_house("france-2007")
COMMANDS = 40


@pytest.fixture(scope="module")
def signer() -> HeadSigner:
    """Return a key of the house."""
    return HeadSigner.new()


@pytest.fixture
def verifier(signer: HeadSigner) -> HeadVerifier:
    """Return its public half."""
    return public(signer)


def public(signer: HeadSigner) -> HeadVerifier:
    """Return the public half of a key."""
    return HeadVerifier((signer._private.public_key(),))


def play(table: Table, commands: int, seed: int = 1) -> None:
    """Do some commands."""
    dice = dice_of(seed)
    for _ in range(commands):
        table.do(following(table, dice))


@pytest.fixture(scope="module")
def made(
    tmp_path_factory: pytest.TempPathFactory, signer: HeadSigner
) -> tuple[bytes, tuple[Head, ...]]:
    """Return a closed journal with two epochs, whose ends are signed, and the heads it had."""
    path, heads = tmp_path_factory.mktemp("made") / "j", []
    with SqliteJournal(path, signer=signer) as journal:
        table = Table(HOUSE, opening=opening_of(HOUSE), journal=journal)
        for number in range(COMMANDS):
            heads.append(head_of(journal))
            play(table, 1, number)
            if number % 15 == 14:
                heads.append(head_of(journal))
                table = recover(journal)
        heads.append(head_of(journal))
    return path.read_bytes(), tuple(heads)


@pytest.fixture
def heads(made: tuple[bytes, tuple[Head, ...]]) -> tuple[Head, ...]:
    """Return the heads that the journal had, in order."""
    return made[1]


@pytest.fixture
def path(made: tuple[bytes, tuple[Head, ...]], tmp_path: Path) -> Path:
    """Return the journal, one for each test."""
    path = tmp_path / "j"
    path.write_bytes(made[0])
    return path


def head_of(journal: SqliteJournal) -> Head:
    """Return where a journal ends."""
    head = journal.head
    assert head
    return head


def cut_off(path: Path, last: int) -> None:
    """Take the tail off, as if it had never been: S13's first attack."""
    with closing(sqlite3.connect(path)) as c, c:
        for table, column in (
            *(("commands", "sequence"), ("movements", "command"), ("ids", "command")),
            *(("snapshots", "sequence"), ("epochs", "sequence"), ("signatures", "sequence")),
        ):
            c.execute(f"DELETE FROM {table} WHERE {column} > {last}")  # noqa: S608
        query = "SELECT first_event + json_array_length(events), hash FROM commands"
        events, hash_ = c.execute(f"{query} ORDER BY sequence DESC LIMIT 1").fetchone()
        epoch = "SELECT hash FROM epochs WHERE sequence = ? ORDER BY number DESC LIMIT 1"
        hash_ = (c.execute(epoch, (last,)).fetchone() or (hash_,))[0]
        c.execute("UPDATE head SET sequence = ?, events = ?, hash = ?", (last, events, hash_))


def make_anew(path: Path, first: int = 1) -> None:
    """Give the stakes of one player to another, and make the chain anew: S13's second attack."""
    with closing(sqlite3.connect(path)) as c, c:
        snapshots = dict(c.execute("SELECT sequence, body FROM snapshots"))
        (before,) = c.execute("SELECT hash FROM snapshots ORDER BY sequence").fetchone()
        epochs = c.execute("SELECT * FROM epochs ORDER BY number").fetchall()
        for row in c.execute("SELECT * FROM commands ORDER BY sequence").fetchall():
            number, *rest = row[:-1]
            if number >= first:
                rest = [
                    text.replace("player 1", "mallory") if isinstance(text, str) else text
                    for text in rest
                ]
            moved = c.execute(
                "SELECT * FROM movements WHERE command = ? ORDER BY place", (number,)
            ).fetchall()
            before = command_hash(before, (number, *rest), moved)
            c.execute("DELETE FROM commands WHERE sequence = ?", (number,))
            marks = ", ".join("?" * len(row))
            values = (number, *rest, before)
            c.execute(f"INSERT INTO commands VALUES ({marks})", values)  # noqa: S608
            c.execute("UPDATE ids SET player = ? WHERE command = ?", (rest[2], number))
            if number in snapshots:
                bound = snapshot_hash(before, number, snapshots[number])
                c.execute("UPDATE snapshots SET hash = ? WHERE sequence = ?", (bound, number))
            for epoch in epochs:
                if epoch[1] == number:
                    before = epoch_hash(before, Epoch(*epoch[:-1]))
                    c.execute("UPDATE epochs SET hash = ? WHERE number = ?", (before, epoch[0]))
        c.execute("UPDATE head SET hash = ?", (before,))


def failure(act: Callable[[], object]) -> RecordError:
    """Return the error that is raised."""
    with pytest.raises(RecordError) as caught:
        act()
    return caught.value


def test_every_head_that_a_journal_had_is_one_of_its_beginnings(
    path: Path, heads: tuple[Head, ...]
) -> None:
    """S13: ``check(head=...)`` proves that all is still there that was there then."""
    with SqliteJournal(path, read_only=True) as journal:
        last = journal.head
        assert [head.sequence for head in heads].count(15) == 2  # before and after an epoch
        for head in (*heads[::6], *heads[14:18], heads[-1]):
            assert journal.check(head) == journal.check(str(head)) == last
        assert place_of(f"  {str(last).upper()}\n") == heads[-1].place
        wrong = f"{COMMANDS - 1}:{heads[-1].hash.hex()}"
        assert failure(lambda: journal.check(wrong)).code == "other-head"
    for text in ("", "12", f"x:{'0' * 64}", f"1:{'0' * 63}", f"{'9' * 19}:{'0' * 64}"):
        assert failure(partial(place_of, text)).code == "bad-head"


def test_a_tail_that_was_cut_off_is_found_by_a_head_and_by_a_key(
    path: Path, heads: tuple[Head, ...], verifier: HeadVerifier
) -> None:
    """S13: the chain holds; a head from before the cut holds too, a later one does not."""
    cut_off(path, 20)
    with SqliteJournal(path, read_only=True) as journal:
        assert journal.check().sequence == 20
        assert journal.check(heads[3]).sequence == 20
        error = failure(lambda: journal.check(heads[-1]))
        assert error.code == "other-head"
        assert "cut off" in error.message
        signed = journal.check_signatures(verifier)
        assert not signed.whole
        assert (signed.last.sequence, signed.uncovered) == (15, 5)


def test_a_signature_that_was_taken_out_is_found(path: Path, verifier: HeadVerifier) -> None:
    """S13: signatures are counted, so that none but the last can go without a trace."""
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("DELETE FROM signatures WHERE number = 2")
    with SqliteJournal(path, read_only=True) as journal:
        error = failure(lambda: journal.check_signatures(verifier))
        assert (error.code, error.place) == ("bad-signature", "signature 2")


def test_the_heads_of_a_key_are_counted(path: Path, signer: HeadSigner) -> None:
    """S13: as a journal begins, at each recovery, and as it is left, once for each end."""
    verifier = public(signer)
    with SqliteJournal(path, read_only=True) as journal:
        signed = journal.check_signatures(verifier)
        assert (signed.signatures, signed.last, signed.whole) == (4, journal.head, True)
    with SqliteJournal(path, signer=signer) as journal:
        recover(journal)  # its epoch is signed, and is the end as it is left
    with SqliteJournal(path, signer=signer) as journal:
        assert journal.check_signatures(verifier).signatures == 5
        play(recover(journal), 2)
    with SqliteJournal(path, read_only=True) as journal:
        signed = journal.check_signatures(verifier)
        assert (signed.signatures, signed.last, signed.uncovered) == (7, journal.head, 0)


def test_a_head_that_the_journal_never_had_is_named(
    path: Path, heads: tuple[Head, ...], verifier: HeadVerifier
) -> None:
    """S13: the signature is good, and of another chain: who reads the error compares the head."""
    make_anew(path)
    with SqliteJournal(path, read_only=True) as journal:
        error = failure(lambda: journal.check_signatures(verifier))
    what = f"is of the head {heads[16]}, which the journal never had: it was made anew"
    assert what in error.message  # the second of command 15: that of the recovery
    assert (error.code, error.place) == ("bad-signature", "signature 2")


def test_a_chain_that_was_made_anew_is_found_by_a_head_and_by_a_key(
    path: Path, heads: tuple[Head, ...], verifier: HeadVerifier
) -> None:
    """S13: the chain holds, and every stake of one player is another's."""
    make_anew(path)
    with SqliteJournal(path, read_only=True) as journal:
        journal.check()
        error = failure(lambda: journal.check(heads[-1]))
        assert error.code == "other-head"
        assert failure(lambda: journal.check_signatures(verifier)).code == "bad-signature"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("DELETE FROM signatures")
    other = HeadSigner.new()
    with SqliteJournal(path, signer=other) as journal, journal.claim():
        pass  # signed by whoever made it anew
    with SqliteJournal(path, read_only=True) as journal:
        assert journal.check_signatures(public(other)).whole
        assert failure(lambda: journal.check_signatures(verifier)).code == "bad-signature"


@pytest.mark.slow
def test_what_is_signed_and_when(path: Path, tmp_path: Path, signer: HeadSigner) -> None:
    """S13: as a journal begins, at each recovery, at the end of a shoe, as it is closed or left."""
    verifier = public(signer)
    with SqliteJournal(path, read_only=True) as journal:
        query = "SELECT sequence FROM signatures ORDER BY number"
        signed = [number for (number,) in journal._connection.execute(query)]
        assert signed == [0, 15, 30, COMMANDS]
        assert journal.check_signatures(verifier).whole
    with SqliteJournal(path, "normal", signer=signer) as journal:
        table = recover(journal)
        dice = dice_of(5)
        while not any(isinstance(event, ShoeEnded) for event in table.do(following(table, dice))):
            pass
        ended = head_of(journal)
        assert journal.check_signatures(verifier).whole
        play(table, 2)
        assert journal.check_signatures(verifier).last == ended
        with SqliteJournal(tmp_path / "k", signer=signer) as new:
            table.rotate(new)
            assert new.check_signatures(verifier).whole
            assert journal.check_signatures(verifier).whole
            play(table, 2)
    with SqliteJournal(tmp_path / "k", read_only=True) as journal:
        assert journal.check_signatures(verifier).whole
    with SqliteJournal(tmp_path / "k") as journal:
        play(recover(journal), 3)
        assert journal.check_signatures(verifier).uncovered == 3


def test_a_file_that_is_closed_later_is_signed_too(
    path: Path, tmp_path: Path, signer: HeadSigner, monkeypatch: pytest.MonkeyPatch
) -> None:
    """S13: killed between two files, the one who recovers the new one closes and signs the old."""
    with SqliteJournal(path, signer=signer) as old:
        table = recover(old)
        with SqliteJournal(tmp_path / "k", signer=signer) as new, monkeypatch.context() as killed:
            killed.setattr(SqliteJournal, "_close_for_good", lambda *_told: 1 / 0)
            with pytest.raises(ZeroDivisionError):
                table.rotate(new)
        old._head = None  # nor did it close
    with SqliteJournal(tmp_path / "k", signer=signer) as new:
        recover(new)
    with SqliteJournal(path, read_only=True) as old:
        assert old.check_signatures(public(signer)).whole
        assert old.check() == head_of(old)


def test_a_fenced_writer_signs_nothing(path: Path, signer: HeadSigner) -> None:
    """S13: a signature is of an end that this writer wrote."""
    with SqliteJournal(path, signer=signer) as old:
        table = recover(old)
        play(table, 1)
        with SqliteJournal(path) as new:
            play(recover(new), 1, 2)
            count = "SELECT count(*) FROM signatures"
            before = new._connection.execute(count).fetchone()
            old.close()
            assert new._connection.execute(count).fetchone() == before
            new.check()


def test_heads_of_earlier_files_are_looked_for_there(path: Path, tmp_path: Path) -> None:
    """S13: a session of three files; a head of the first is one of the session's."""
    with ExitStack() as opened:
        first = opened.enter_context(SqliteJournal(path))
        table = recover(first)
        kept = [head_of(first)]
        for name in ("k", "l"):
            journal = opened.enter_context(SqliteJournal(tmp_path / name))
            table.rotate(journal)
            kept.append(head_of(journal))
            play(table, 3)
            kept.append(head_of(journal))
        kept.insert(1, head_of(first))  # its last, which names the second
    with SqliteJournal(tmp_path / "l", read_only=True) as last:
        for head in kept:
            last.check(head)
        assert failure(lambda: last.check(f"3:{'0' * 64}")).code == "other-head"
        make_anew(path)
        assert failure(lambda: last.check(kept[0])).code in ("journal-moved", "other-head")
        (tmp_path / "k").unlink()
        assert failure(lambda: last.check(f"3:{'0' * 64}")).code == "in-earlier-journal"
        last.check(kept[0])  # the file names it
        last.check(kept[-1])


def test_keys_are_read_and_others_refused(tmp_path: Path, signer: HeadSigner, path: Path) -> None:
    """S13: PEM files of Ed25519; a key of another kind, or the wrong half, is named."""
    private, known = tmp_path / "key", tmp_path / "key.pub"
    private.write_bytes(signer.pem())
    known.write_bytes(signer.public_pem())
    assert HeadSigner.load(private).key == signer.key
    assert signer.key not in repr(HeadSigner.load(private))
    with SqliteJournal(path, read_only=True) as journal:
        assert journal.check_signatures(HeadVerifier.load(known)).whole
    assert failure(lambda: HeadSigner.load(known)).code == "bad-key"
    assert failure(lambda: HeadVerifier.load(private)).code == "bad-key"
    assert failure(lambda: HeadVerifier.load(path)).code in ("bad-key", "file-too-large")
    assert failure(lambda: HeadVerifier.load(tmp_path / "none")).code == "file-missing"
