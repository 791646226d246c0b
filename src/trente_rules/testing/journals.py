"""Tests of any journal: classes that the author of one subclasses for pytest.

::

    class TestMine(JournalContract, RotationContract, FencingContract, TransactionContract):
        @pytest.fixture(autouse=True)
        def _place(self, tmp_path):
            self.folder = tmp_path

        def open(self, name):
            return MyJournal(self.folder / name)

A journal need keep to ``JournalContract`` alone; the others are for what it has more.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import islice
from typing import Any, Final

from attrs import evolve

from trente_rules.core.errors import TrenteError
from trente_rules.core.house.house import House
from trente_rules.core.house.loading import load_house
from trente_rules.table.commands import (
    Burn,
    CloseBets,
    Command,
    Cut,
    Deal,
    OpenBets,
    OpenShoe,
    Place,
    PlaceMarker,
    Settle,
)
from trente_rules.table.entries import ClosingJournal, Entry, FencedJournal, Journal
from trente_rules.table.journal import recover
from trente_rules.table.state import Phase, balance
from trente_rules.table.table import Table
from trente_rules.testing.shoes import coup_with, opening_of, stacked_shoe

_POINTS: Final = (33, 35), (40, 31), (32, 39), (36, 36), (34, 31), (31, 31), (38, 33), (37, 40)
_PLAYERS: Final = ("ann", "bob")
_ODD: Final = (
    "O'Neill",
    'a "quoted" one',
    "50 %s ? $1 :x {0}",
    r"back\slash \n \x00 \u0000",
    "Zoë Łukasz Ζωή Зоя 佐々木 🂡",
    "e\u0301",
    "--; DROP TABLE head; /*",
    "x" * 500,
)
_BEYOND: Final = 2**63, -(2**63) - 1, 10**40


class _Contract:
    """The journal at hand, and a table that plays on it: shared by the classes of tests."""

    def open(self, name: str) -> Any:
        """Return the journal of a name: a new one where this test has none yet.

        Where there is one it is opened again, to write, while the first is open still: as a process
        does that takes a table over from another. The first may be refused from then on. A journal
        that only lives in memory is returned as it is.
        """
        raise NotImplementedError

    def house(self) -> House:
        """Return the house that is played."""
        return load_house("france-2007")

    def begun(self, journal: Journal, commands: int = 0) -> Table:
        """Return a new table on a journal, after some commands."""
        house = self.house()
        table = Table(
            house, name="salle 3", opening=opening_of(house), journal=journal, session="contract"
        )
        play(table, commands)
        return table


def next_command(table: Table, id_: str) -> Command:
    """Return a command that a table of the contract takes now."""
    state, rule = table.state, table.house.shoe
    if state.phase is Phase.NO_SHOE:
        coups = [coup_with(*points) for points in _POINTS]
        cards = stacked_shoe(coups, rule.packs, burn=rule.burn).cards
        return OpenShoe(id=id_, cards=cards, source="contract")
    if state.phase is Phase.CUT:
        return Cut(id=id_, place=0, by=rule.cut_by)
    if state.phase is Phase.BURN:
        return Burn(id=id_)
    if state.phase is Phase.MARK:
        assert rule.marker
        return PlaceMarker(id=id_, by=rule.marker.placed_by)
    if state.phase is Phase.READY:
        return OpenBets(id=id_)
    if state.phase is Phase.BETTING:
        here = f"{state.shoe_number}.{state.coup_number}"
        there = {stake.id for stake in state.stakes}
        for number, player in enumerate(_PLAYERS):
            stake = f"{player}, {here}"
            if stake not in there:
                return _place(table, id_, player, stake, ("rouge", "noir")[number])
        return CloseBets(id=id_)
    return Settle(id=id_) if state.phase is Phase.DEALT else Deal(id=id_)


def _place(table: Table, id_: str, player: str, stake: str, chance: str = "rouge") -> Place:
    amount = (table.state.opening.minimum or 10) * 2
    return Place(id=id_, stake=stake, player=player, chance=chance, amount=amount, at="12:00")


def play(table: Table, commands: int) -> list[Entry]:
    """Do so many commands; return their entries."""
    done = []
    for _ in range(commands):
        done.append(table.execute(next_command(table, f"e{table.state.events}")))
        assert balance(table.state) == 0
    return done


def bets_open(table: Table) -> None:
    """Play until bets may be placed, and some lie."""
    while not (table.state.phase is Phase.BETTING and table.state.stakes):
        play(table, 1)


@contextmanager
def refused(*codes: str) -> Iterator[None]:
    """Expect an error of this library with one of some codes."""
    found = None
    try:
        yield
    except TrenteError as error:
        found = error
    assert found is not None, f"nothing was refused; expected {' or '.join(codes)}"
    assert found.code in codes, f"[{found.code}] {found} in place of {' or '.join(codes)}"


def _all(journal: Journal) -> tuple[Any, ...]:
    """Return all that a journal gives."""
    kept = journal.kept()
    return kept.snapshot, kept.entries, tuple(journal.since(0)), tuple(journal.movements())


def _same(one: Table, other: Table) -> None:
    """Check that two tables are the same."""
    assert one.state == other.state
    assert one.taille == other.taille


class JournalContract(_Contract):
    """Tests of every journal."""

    def test_a_recovered_table_is_the_uninterrupted_one(self) -> None:
        """Compare state, order of the cards, accounts and the entries of the shoe."""
        table = self.begun(self.open("a"))
        for commands in (0, 1, 2, 5, 9, 30, 60):
            play(table, commands)
            again = recover(self.open("a"))
            _same(again, table)
            table = again

    def test_a_recovered_table_plays_on_as_the_uninterrupted_one(self) -> None:
        """Do the same commands as on a table without a journal: they give the same entries."""
        alone = Table(
            self.house(), name="salle 3", opening=opening_of(self.house()), session="contract"
        )
        table = self.begun(self.open("a"))
        for number in range(60):
            if number % 20 == 19:
                table = recover(self.open("a"))
            command = next_command(alone, f"e{number}")
            assert table.execute(command) == alone.execute(command)
        _same(table, alone)

    def test_every_command_is_found(self) -> None:
        """Find each by its player and its id, as it was done, and nothing else."""
        journal = self.open("a")
        done = play(self.begun(journal), 60)
        journal = self.open("a")
        for entry in done:
            assert journal.find(*entry.key) == entry
        owner, id_ = next(entry.key for entry in done if entry.key[0])
        for other in (("", id_), (owner, "no"), (owner.upper(), id_), (f"{owner} ", id_)):
            assert journal.find(*other) is None

    def test_the_entries_since_a_shoe(self) -> None:
        """Read them in order, each once, from 1; events are counted through the session."""
        journal = self.open("a")
        done = play(self.begun(journal), 90)
        assert list(journal.since(0)) == done
        assert [entry.sequence for entry in done] == list(range(1, 91))
        assert list(journal.since(1)) == [entry for entry in done if entry.shoe >= 1]
        assert list(journal.since(999)) == []
        events = 0
        for entry in journal.since(0):
            assert entry.first_event == events
            events += len(entry.events)

    def test_movements_are_read_on_from_any(self) -> None:
        """Read them in order, from the one after an id; an id that none has is refused."""
        journal = self.open("a")
        done = play(self.begun(journal), 90)
        moved = [movement for entry in done for movement in entry.movements]
        assert len(moved) > len(_PLAYERS)
        assert list(journal.movements()) == moved
        for place in (0, len(moved) // 2, len(moved) - 1):
            assert list(self.open("a").movements(moved[place].id)) == moved[place + 1 :]
        for bad in ("no", "contract/ann/no/0", moved[0].id + "0", "///"):
            with refused("unknown-movement"):
                list(self.open("a").movements(bad))

    def test_a_journal_without_a_table(self) -> None:
        """Recover it in vain; then a table may begin on it."""
        journal = self.open("a")
        with refused("journal-empty"):
            recover(journal)
        assert journal.find("ann", "1") is None
        self.begun(journal, 3)

    def test_no_second_table_begins(self) -> None:
        """Begin one in vain: it would forget the stakes of the first, which is as it was."""
        table = self.begun(self.open("a"), 20)
        journal = self.open("a")
        before = _all(journal)
        with refused("journal-in-use"):
            self.begun(journal)
        assert _all(journal) == before
        _same(recover(journal), table)

    def test_a_refused_command_is_not_kept(self) -> None:
        """Give one: what has no effect leaves no trace."""
        journal = self.open("a")
        table = self.begun(journal, 2)
        before = _all(journal)
        with refused("not-now"):
            table.do(Deal(id="too early"))
        assert _all(journal) == before
        play(table, 10)

    def test_a_command_is_done_once(self) -> None:
        """Send it again after a recovery: its first entry; another one of its id is refused.

        A journal that is given a used key changes nothing, be it the last of several.
        """
        table = self.begun(self.open("a"), 30)
        bets_open(table)
        journal = self.open("a")
        table = recover(journal)
        placed = [entry for entry in journal.since(0) if isinstance(entry.command, Place)]
        before = _all(journal)
        for entry in placed:
            again = table.execute(entry.command)
            assert (again, again.repeated) == (entry, True)
        with refused("same-id"):
            table.do(evolve(placed[0].command, amount=1))
        other = evolve(placed[0], sequence=len(before[2]) + 1, first_event=table.state.events)
        new = evolve(other, command=evolve(placed[0].command, id="new"), movements=())
        for entries in ([other], [new, evolve(other, sequence=new.sequence + 1)], [new, new]):
            with refused("same-id"):
                journal.append(_in_a_row(entries), table.state)
            assert _all(journal) == before
            assert journal.find(*new.key) is None
        play(table, 10)

    def test_commands_together(self) -> None:
        """Do forty at once: all of them are kept, each with its own entry."""
        journal = self.open("a")
        table = self.begun(journal, 4)
        bets_open(table)
        slip = [_place(table, f"slip {number}", "cid", f"cid {number}") for number in range(40)]
        done = table.do_many(slip)
        assert list(islice(journal.since(0), len(list(journal.since(0))) - 40, None)) == list(done)
        journal = self.open("a")
        _same(recover(journal), table)
        assert [journal.find("cid", each.id) for each in slip] == list(done)

    def test_texts_of_any_kind(self) -> None:
        """Keep names and ids with the characters of SQL, of formats and of any script."""
        journal = self.open("a")
        table = self.begun(journal, 4)
        bets_open(table)
        done = [table.execute(_place(table, text, text[:60], f"s {text}"[:60])) for text in _ODD]
        assert [journal.find(*entry.key) for entry in done] == done
        moved = [movement for entry in done for movement in entry.movements]
        assert list(journal.movements())[-len(moved) :] == moved
        assert list(journal.movements(moved[0].id)) == moved[1:]
        _same(recover(self.open("a")), table)

    def test_units_of_any_size(self) -> None:
        """Keep movements of more than 64 bits: they are the same numbers when they are read."""
        journal = self.open("a")
        table = self.begun(journal, 4)
        bets_open(table)
        entry = next(entry for entry in journal.since(0) if entry.movements)
        moved = tuple(
            evolve(entry.movements[0], id=f"contract/ann/large/{place}", units=units)
            for place, units in enumerate(_BEYOND)
        )
        large = evolve(
            entry,
            command=evolve(entry.command, id="large"),
            sequence=len(list(journal.since(0))) + 1,
            first_event=table.state.events,
            movements=moved,
        )
        journal.append([large], table.state)
        assert tuple(journal.movements())[-len(moved) :] == moved


def _in_a_row(entries: Sequence[Entry]) -> list[Entry]:
    """Return entries, each beginning at the event where the one before ends."""
    made: list[Entry] = []
    for entry in entries:
        first = made[-1].first_event + len(made[-1].events) if made else entry.first_event
        made.append(evolve(entry, first_event=first))
    return made


class RotationContract(_Contract):
    """Tests of a journal that can be closed for good, and continued in another one."""

    def test_a_table_continues_in_another_journal(self) -> None:
        """Rotate within a coup, twice: nothing is lost of what was, and nothing is done again."""
        table = self.begun(self.open("a"), 25)
        for name in ("b", "c"):
            bets_open(table)
            journal = self.open(name)
            assert isinstance(journal, ClosingJournal)
            table.rotate(journal)
            _same(recover(self.open(name)), table)
            table = recover(self.open(name))
            play(table, 25)
        journal = self.open("c")
        again = recover(journal)
        _same(again, table)
        done = list(journal.since(0))
        assert [entry.sequence for entry in done] == list(range(1, len(done) + 1))
        moved = [movement for entry in done for movement in entry.movements]
        assert list(journal.movements()) == moved
        assert list(journal.movements(moved[0].id)) == moved[1:]
        for entry in done:
            assert journal.find(*entry.key) == entry
        repeated = again.execute(done[10].command)
        assert (repeated, repeated.repeated) == (done[10], True)

    def test_the_old_journal_takes_no_command(self) -> None:
        """Write to it in vain, by its table or by one that is recovered from it."""
        journal = self.open("a")
        table = self.begun(journal, 20)
        old = recover(journal)
        table.rotate(self.open("b"))
        before = list(journal.since(0))
        with refused("journal-moved"):
            play(old, 1)
        journal = self.open("a")
        with refused("journal-moved"):
            play(recover(journal), 1)
        assert list(journal.since(0)) == before
        play(table, 1)

    def test_a_journal_that_holds_a_table_is_no_new_one(self) -> None:
        """Rotate in vain: the table is then as it was, on the journal that it had."""
        other, journal = self.open("other"), self.open("a")
        self.begun(other, 3)
        table = self.begun(journal, 20)
        with refused("journal-in-use"):
            table.rotate(other)
        play(table, 5)
        _same(recover(self.open("a")), table)

    def test_a_journal_of_another_kind_is_refused(self) -> None:
        """Rotate in vain: neither would be found from the other."""
        journal = self.open("a")
        table = self.begun(journal, 20)
        with refused("no-rotation"):
            journal.hand_over(object(), table.state, table.entries)
        play(table, 1)


class FencingContract(_Contract):
    """Tests of a journal that several processes may open: the last one that recovers has it."""

    def test_a_writer_of_before_is_refused(self) -> None:
        """Send it a command in vain: what was in the journal at the recovery is final."""
        old = self.begun(self.open("a"), 20)
        journal = self.open("a")
        assert isinstance(journal, FencedJournal)
        table = recover(journal)
        before = _all(journal)
        for _ in range(2):
            with refused("journal-moved", "journal-locked"):
                play(old, 1)
            assert _all(journal) == before
        play(table, 5)
        with refused("journal-moved", "journal-locked"):
            play(old, 1)
        _same(recover(self.open("a")), table)

    def test_of_many_recoveries_the_last_one_counts(self) -> None:
        """Recover three times: each makes what it found final."""
        tables = [self.begun(self.open("a"), 10)]
        tables += [recover(self.open("a")) for _ in range(3)]
        *old, last = tables
        for each in old:
            with refused("journal-moved", "journal-locked"):
                play(each, 1)
        play(last, 3)

    def test_nothing_is_claimed_where_no_table_is(self) -> None:
        """Claim in vain: a journal without a table has nothing to make final."""
        journal = self.open("a")
        with refused("journal-empty"), journal.claim():
            raise AssertionError

    def test_a_recovery_that_fails_takes_the_table_from_nobody(self) -> None:
        """Recover with another house, and claim in vain: who wrote before continues."""
        journal = self.open("a")
        table = self.begun(journal, 20)
        before = _all(journal)
        with refused("other-house"):
            recover(journal, load_house("monte-carlo-1911"))
        with suppress(_HostError), journal.claim():
            raise _HostError
        assert _all(journal) == before
        play(table, 5)
        _same(recover(journal), table)


class TransactionContract(_Contract):
    """Tests of ``transaction()``: rows of a host are written in the commit of a command.

    The connection that it yields must have ``execute``, for SQL, and ``commit``.
    """

    def test_rows_of_a_host_are_committed_with_the_command(self) -> None:
        """Write an outbox: the calls to a wallet that the movements ask for."""
        journal = self.open("a")
        table = self._with_outbox(journal)
        with journal.transaction() as connection:
            entry = table.execute(_place(table, "boxed", "ann", "boxed"))
            for movement in entry.movements:
                connection.execute(f"INSERT INTO host_outbox VALUES ('{movement.id}')")  # noqa: S608 - our id
        journal = self.open("a")
        again = recover(journal)
        _same(again, table)
        assert self._outbox(journal) == [movement.id for movement in entry.movements]

    def test_nothing_is_written_where_the_host_fails(self) -> None:
        """Raise within: neither rows nor command are there; the table is recovered."""
        journal = self.open("a")
        table = self._with_outbox(journal)
        before, state = _all(journal), table.state
        with suppress(_HostError), journal.transaction() as connection:
            table.execute(_place(table, "boxed", "ann", "boxed"))
            connection.execute("INSERT INTO host_outbox VALUES ('x')")
            raise _HostError
        assert _all(journal) == before
        assert self._outbox(journal) == []
        with refused("journal-moved"):
            play(table, 1)
        again = recover(journal)
        assert again.state == state
        again.execute(_place(again, "boxed", "ann", "boxed"))

    def test_a_host_that_ends_the_transaction_is_refused(self) -> None:
        """Commit within: there is an error, whatever was written, and a table to recover."""
        journal = self.open("a")
        for name in "xy":
            table = self._with_outbox(journal) if name == "x" else recover(journal)
            with refused("transaction-ended"), journal.transaction() as connection:
                table.execute(_place(table, name, "ann", name))
                connection.commit()
                if name == "y":
                    raise _HostError
            again = recover(journal)
            again.execute(_place(again, f"{name}2", "ann", f"{name}2"))

    def _with_outbox(self, journal: Any) -> Table:
        table = self.begun(journal, 4)
        bets_open(table)
        with journal.transaction() as connection:
            connection.execute("CREATE TABLE host_outbox (movement TEXT PRIMARY KEY)")
        return table

    def _outbox(self, journal: Any) -> list[str]:
        with journal.transaction() as connection:
            rows = connection.execute("SELECT movement FROM host_outbox").fetchall()
        return [movement for (movement,) in rows]


class _HostError(Exception):
    """Raised by a host in the middle of a transaction."""
