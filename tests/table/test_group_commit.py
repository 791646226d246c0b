"""Commands that wait at the same moment share a commit; what is released is in the journal."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from functools import cache, partial
from threading import Event, Thread
from typing import Any

import pytest
from tests.table.ten_players import dice_of
from tests.whole_units import whole_house

from trente_rules import House, RecordError, Table, TrenteError
from trente_rules.fair import SeededShuffler
from trente_rules.table import (
    CloseBets,
    Command,
    Cut,
    MemoryJournal,
    OpenBets,
    OpenShoe,
    Place,
    TableState,
    balance,
    recover,
)
from trente_rules.table.entries import Entry

PLAYERS = 8


@cache
def house() -> House:
    """Return the house of every test."""
    return whole_house("monte-carlo-1911")


class Counting(MemoryJournal):
    """A journal that counts commits, waits where it shall, and fails where it shall."""

    def __init__(self) -> None:
        """Fail never, wait for nobody."""
        super().__init__()
        self.sizes: list[int] = []
        self.faults: list[BaseException | None] = []
        self.refused: set[str] = set()
        self.code = "same-id"
        self.before: Callable[[], None] | None = None
        self.reached, self.gate = Event(), Event()
        self.gate.set()

    def append(self, entries: Sequence[Entry], state: TableState) -> None:
        """Store entries, when the gate is open, unless the next fault is due."""
        self.reached.set()
        assert self.gate.wait(20)
        if self.before is not None:
            self.before()
        self.sizes.append(len(entries))
        fault = self.faults.pop(0) if self.faults else None
        if fault is not None:
            raise fault
        if any(entry.command.id in self.refused for entry in entries):
            raise RecordError("used elsewhere", self.code)
        super().append(entries, state)


class Sent:
    """Threads that each send to a table, and what each of them got."""

    def __init__(self, table: Table, journal: Counting) -> None:
        """Let the commands that are sent wait behind one that is being written."""
        self.table, self.journal = table, journal
        self.got: dict[int, tuple[Entry, ...] | BaseException] = {}
        self.threads: list[Thread] = []
        journal.reached.clear()
        journal.gate.clear()
        self.send(place("first"))
        assert journal.reached.wait(20)
        journal.sizes.clear()

    def send(self, *commands: Command) -> None:
        """Send commands in a thread of their own; return when they wait."""
        number, queued = len(self.threads), len(self.table._queue.waiting)

        def run() -> None:
            try:
                self.got[number] = self.table.do_many(commands)
            except BaseException as error:  # noqa: BLE001 - looked at by the test
                self.got[number] = error

        thread = Thread(target=run)
        self.threads.append(thread)
        thread.start()
        while number and len(self.table._queue.waiting) == queued:
            time.sleep(0.0005)

    def end(self) -> list[tuple[Entry, ...] | BaseException]:
        """Open the gate; return what each of the threads got, without the first."""
        self.journal.gate.set()
        for thread in self.threads:
            thread.join(20)
            assert not thread.is_alive()
        return [self.got[number] for number in range(1, len(self.threads))]


def place(name: str, player: str = "", amount: int = 20, chance: str = "rouge") -> Place:
    """Return a stake."""
    return Place(id=name, stake=name, player=player or name, chance=chance, amount=amount)


def table_on(journal: MemoryJournal, *observers: Any) -> Table:
    """Return a table that takes bets."""
    table = Table(house(), journal=journal, observers=observers)
    shoe = OpenShoe.shuffled("1", 6, SeededShuffler("00" * 16))
    for command in (shoe, Cut(id="2", place=100), OpenBets(id="3")):
        table.do(command)
    return table


def code_of(result: object) -> str:
    """Return the code of what a thread got, "" for entries."""
    return result.code if isinstance(result, TrenteError) else ""


def agreed(table: Table, journal: MemoryJournal) -> None:
    """Compare a table with its journal: state, entries, ids of movements, ledger."""
    entries = list(journal.entries())
    assert [entry.sequence for entry in entries] == list(range(1, len(entries) + 1))
    assert tuple(entries) == table.entries
    ids = [movement.id for entry in entries for movement in entry.movements]
    assert len({*ids}) == len(ids)
    again = recover(journal)
    assert again.state == table.state
    assert balance(table.state) == 0


def test_commands_that_wait_at_the_same_moment_share_one_commit() -> None:
    """S5, the deliverable: many players and a dealer's ``do_many`` wait for one write."""
    journal = Counting()
    table = table_on(journal)
    sent = Sent(table, journal)
    before = table.state
    for number in range(PLAYERS):
        sent.send(place(f"p{number}"))
    sent.send(place("a", "ann"), place("b", "ann", chance="noir"), CloseBets(id="4"))
    assert table.state == before  # decided or not: what is not written is not seen
    results = sent.end()
    assert journal.sizes == [1, PLAYERS + 3]
    kept = {entry.key: entry for entry in journal.entries()}
    for result in results:
        assert not isinstance(result, BaseException)
        assert [kept[entry.key] for entry in result] == [*result]
    assert [entry.repeated for result in results for entry in result] == [False] * (PLAYERS + 3)  # type: ignore[union-attr]
    agreed(table, journal)


def test_a_lone_caller_pays_one_commit_a_command(monkeypatch: pytest.MonkeyPatch) -> None:
    """S5: nobody is waited for, but for some commits after one that threads have shared."""
    journal = Counting()
    waited: list[float] = []
    monkeypatch.setattr("trente_rules.table.table.sleep", waited.append)
    table = table_on(journal)
    for number in range(3):
        table.do(place(f"p{number}"))
    assert journal.sizes == [1] * 6
    assert waited == []
    sent = Sent(table, journal)
    for name in "ab":
        sent.send(place(name))
    sent.end()
    for number in range(20):
        table.do(place(f"q{number}"))
    assert journal.sizes == [1, 2] + [1] * 20
    assert 0 < len(waited) < 10


def test_no_state_is_seen_before_it_is_written() -> None:
    """S5: ``table.state`` during each write is that before it, and afterwards that after it."""
    journal = Counting()
    table = table_on(journal)
    seen: list[TableState] = []
    journal.before = lambda: seen.append(table.state)
    states = [table.state]
    for number in range(3):
        table.do(place(f"p{number}"))
        states.append(table.state)
    assert seen == states[:-1]


def test_a_refused_request_has_its_own_error_and_harms_no_other() -> None:
    """T7: refused, wrong in part, too late, sent twice, under a used id: each for itself."""
    journal = Counting()
    table = table_on(journal)
    sent = Sent(table, journal)
    sent.send(place("low", amount=1))
    sent.send(place("a"))
    sent.send(place("b"), place("c", amount=1))  # all or none
    sent.send(place("a"))
    sent.send(place("a", amount=40))
    sent.send(place("b"))
    sent.send(CloseBets(id="4"))
    sent.send(place("late"))
    results = sent.end()
    assert [code_of(result) for result in results] == [
        *("below-minimum", "", "below-minimum", "", "same-id", "", "", "too-late"),
    ]
    assert journal.sizes == [1, 3]
    assert results[1] == results[3]
    assert [result[0].repeated for result in results if isinstance(result, tuple)] == [
        *(False, True, False, False)
    ]
    assert [stake.id for stake in table.state.stakes] == ["first", "a", "b"]
    agreed(table, journal)


def test_a_commit_that_fails_does_nothing_and_each_is_told() -> None:
    """S5: errors of their own; retries and refusals are what they are; all may be sent again."""
    journal = Counting()
    table = table_on(journal)
    table.do(place("known"))
    sent = Sent(table, journal)
    journal.faults = [None, RecordError("no space", "journal-full", "make some")]
    sent.send(place("a"))
    sent.send(place("b"))
    sent.send(place("a"))
    sent.send(place("known"))
    sent.send(place("low", amount=1))
    results = sent.end()
    codes = ["journal-full", "journal-full", "journal-full", "", "below-minimum"]
    assert [code_of(result) for result in results] == codes
    assert len({id(result) for result in results[:3]}) == 3
    assert [stake.id for stake in table.state.stakes] == ["known", "first"]
    agreed(table, journal)
    table.do_many([place("a"), place("b")])
    agreed(table, journal)


def test_an_id_of_long_ago_costs_the_others_no_commit_of_their_own() -> None:
    """T5: only the journal knows it; its entry comes back, the rest is written together."""
    journal = Counting()
    table = table_on(journal)
    old = table.execute(place("old"))
    other = table.execute(place("other"))
    for key in (old.key, other.key):
        del table._memory.entries[key]
    sent = Sent(table, journal)
    another = Place(id="other", stake="new", player="other", chance="noir", amount=20)
    for command in (place("a"), place("old"), another, place("b")):
        sent.send(command)
    a, again, used, b = sent.end()
    assert (again, code_of(used)) == ((old,), "same-id")
    assert isinstance(again, tuple)
    assert again[0].repeated
    assert journal.sizes == [1, 3, 2]
    assert [code_of(a), code_of(b)] == ["", ""]
    assert [stake.id for stake in table.state.stakes] == ["old", "other", "first", "a", "b"]


@pytest.mark.parametrize("code", ["same-id", "text-not-kept"])
def test_what_the_journal_refuses_alone_is_refused_alone(code: str) -> None:
    """S5: a key that it will not take, for a reason that it cannot name, stops no other."""
    journal = Counting()
    table = table_on(journal)
    journal.refused, journal.code = {"x"}, code
    sent = Sent(table, journal)
    for name in "axb":
        sent.send(place(name))
    assert [code_of(result) for result in sent.end()] == ["", code, ""]
    agreed(table, journal)


@pytest.mark.parametrize("fault", [KeyboardInterrupt(), MemoryError(), SystemExit()])
def test_who_leads_and_is_interrupted_leaves_nobody_waiting(fault: BaseException) -> None:
    """S5: an interrupt is the leader's own, the others are done by the next; no one hangs."""
    journal = Counting()
    table = table_on(journal)
    sent = Sent(table, journal)
    journal.faults = [None, fault]
    with ThreadPoolExecutor(1) as pool:
        futures = [table.submit([place(f"f{n}")], pool) for n in range(2)]
        for name in "abc":
            sent.send(place(name))
        results = [*sent.end(), *(outcome_of(future) for future in futures)]
    broken = [result for result in results if isinstance(result, BaseException)]
    assert {type(each) for each in broken} <= {type(fault)}
    # A leader of futures has no thread of its own to be interrupted in: then all are done.
    assert len(broken) == 5 if isinstance(fault, MemoryError) else len(broken) <= 1
    assert len(table.state.stakes) == 6 - len(broken)
    agreed(table, journal)


def outcome_of(future: Future[tuple[Entry, ...]]) -> tuple[Entry, ...] | BaseException:
    """Return what a future has, or raises."""
    return future.exception(20) or future.result(20)


def test_observers_see_each_request_in_order_with_the_state_after_it() -> None:
    """T10: as one by one, though they shared a commit; refusals in between."""
    seen: list[tuple[str, str, list[str]]] = []

    class Log:
        def done(self, table: Table, entries: Sequence[Entry], seconds: float) -> None:
            assert seconds > 0
            ids = "".join(entry.command.id for entry in entries)
            seen.append(("done", ids, [stake.id for stake in table.state.stakes]))

        def refused(
            self, table: Table, commands: Sequence[Command], error: Exception, seconds: float
        ) -> None:
            assert seconds > 0
            ids = "".join(command.id for command in commands)
            seen.append((code_of(error), ids, [stake.id for stake in table.state.stakes]))

    journal = Counting()
    table = table_on(journal, Log())
    seen.clear()
    sent = Sent(table, journal)
    sent.send(place("a"))
    sent.send(place("l", amount=1))
    sent.send(place("b"), place("c"))
    sent.end()
    assert journal.sizes == [1, 3]
    assert seen == [
        ("done", "first", ["first"]),
        ("done", "a", ["first", "a"]),
        ("below-minimum", "l", ["first", "a"]),
        ("done", "bc", ["first", "a", "b", "c"]),
    ]


def test_an_observer_may_give_a_command_between_two_that_shared_a_commit() -> None:
    """T10: it is done after all that is written, and seen after it."""
    order: list[str] = []

    class Asks:
        def done(self, table: Table, entries: Sequence[Entry], _seconds: float) -> None:
            order.extend(entry.command.id for entry in entries)
            if entries[0].command.id == "a":
                assert table.earlier(place("b"))  # it is done, though not seen yet
                table.do(place("own"))

        def refused(self, *_about: object) -> None:
            raise AssertionError

    journal = Counting()
    table = table_on(journal, Asks())
    order.clear()
    sent = Sent(table, journal)
    for name in "abc":
        sent.send(place(name))
    sent.end()
    assert order == ["first", "a", "b", "c", "own"]
    assert journal.sizes == [1, 3, 1]
    agreed(table, journal)


def test_an_observer_that_ends_the_process_leaves_no_future_waiting() -> None:
    """T10: what shared the commit is done; its futures end, and observers see it."""
    seen: list[str] = []

    class Ends:
        def done(self, _table: Table, entries: Sequence[Entry], _seconds: float) -> None:
            seen.append(entries[0].command.id)
            if seen[-1] == "a":
                raise SystemExit

        def refused(self, *_about: object) -> None:
            raise AssertionError

    journal = Counting()
    table = table_on(journal, Ends())
    sent = Sent(table, journal)
    with ThreadPoolExecutor(1) as pool:
        futures = [table.submit([place(name)], pool) for name in "abc"]
        sent.end()
        assert [future.result(20)[0].sequence for future in futures] == [5, 6, 7]
    assert seen[-3:] == ["a", "b", "c"]
    agreed(table, journal)


def test_what_is_submitted_is_done_in_order_and_in_one_commit() -> None:
    """An event loop that sends for many players waits for nobody; one write has all."""
    seen: list[tuple[str, ...]] = []

    class Log:
        def done(self, _table: Table, entries: Sequence[Entry], _seconds: float) -> None:
            seen.append(tuple(entry.command.id for entry in entries))

        def refused(self, *_about: object) -> None:
            seen.append(("refused",))

    journal = Counting()
    table = table_on(journal, Log())
    seen.clear()
    sent = Sent(table, journal)
    with ThreadPoolExecutor(2) as pool:
        futures = [table.submit([place(f"p{n}")], pool) for n in range(3)]
        gone = table.submit([place("gone")], pool)
        assert gone.cancel()
        futures += [table.submit([place("low", amount=1)], pool)]
        futures += [table.submit([CloseBets(id="4")], pool), table.submit([place("late")], pool)]
        sent.end()
        codes = [code_of(outcome_of(future)) for future in futures]
        with pytest.raises(CancelledError):
            gone.result(0)
    refused = ("refused",)
    assert seen == [("first",), ("p0",), ("p1",), ("p2",), refused, ("4",), refused]
    assert codes == ["", "", "", "below-minimum", "", "too-late"]
    assert journal.sizes == [1, 4]
    assert [stake.id for stake in table.state.stakes] == ["first", "p0", "p1", "p2"]
    agreed(table, journal)
    with pytest.raises(RuntimeError):  # the pool is closed
        table.submit([place("x")], pool)
    table.do(OpenBets(id="5")) if table.can(OpenBets(id="5")) else None
    assert "x" not in [stake.id for stake in table.state.stakes]


def test_what_waits_for_a_pool_that_is_cancelled_is_cancelled_and_no_more() -> None:
    """Futures of other pools end, whether they were submitted before or later."""
    journal = Counting()
    table = table_on(journal)
    held = Event()
    with ThreadPoolExecutor(1) as other, ThreadPoolExecutor(1) as pool:
        other.submit(held.wait)
        pool.submit(held.wait)
        gone = [table.submit([place(f"gone{n}")], pool) for n in range(2)]
        before = table.submit([place("before")], other)
        pool.shutdown(wait=False, cancel_futures=True)
        assert all(each.cancelled() for each in gone)
        later = table.submit([place("later")], other)
        held.set()
        assert [before.result(20)[0].sequence, later.result(20)[0].sequence] == [4, 5]
    with ThreadPoolExecutor(1) as pool:
        assert table.submit([place("last")], pool).result(20)[0].sequence == 6
    assert [stake.id for stake in table.state.stakes] == ["before", "later", "last"]
    agreed(table, journal)


def test_without_a_journal_what_is_submitted_comes_before_what_is_done_later() -> None:
    """The order of a thread's calls is kept where nothing is written, too."""
    table = Table(house())
    with ThreadPoolExecutor(1) as pool:
        held = Event()
        pool.submit(held.wait)
        opened = table.submit([OpenShoe.shuffled("1", 6, SeededShuffler("00" * 16))], pool)
        entry = table.execute(Cut(id="2", place=100))
        held.set()
        assert (opened.result(20)[0].sequence, entry.sequence) == (1, 2)


@pytest.fixture
def _threads_that_switch_at_once() -> Iterator[None]:
    usual = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(usual)


def sent_by_threads(seed: int, threads: int, commands: int) -> Counting:
    """Let threads send what is right, wrong, doubled and late, to a journal that fails at times."""
    journal, dice = Counting(), dice_of(seed)
    table = table_on(journal)
    journal.faults = [
        RecordError("busy", "journal-locked") if dice.random() < 0.15 else None for _ in range(1000)
    ]
    journal.refused = {f"{n}" for n in range(commands) if dice.random() < 0.05}
    released: list[Entry] = []
    unexpected: list[BaseException] = []

    def play(number: int) -> None:
        own = dice_of(seed * 100 + number)
        for _ in range(commands):
            name = str(own.randrange(commands))
            several = [place(name, amount=own.choice([20, 20, 20, 1]))]
            several += [place(f"{name}+", "ann")] * (own.random() < 0.2)
            try:
                released.extend(table.do_many(several))
            except TrenteError:
                pass
            except BaseException as error:  # noqa: BLE001 - shown by the test
                unexpected.append(error)

    workers = [Thread(target=partial(play, number)) for number in range(threads)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)
        assert not worker.is_alive()
    assert unexpected == []
    kept = {entry.key: entry for entry in journal.entries()}
    assert all(kept[entry.key] == entry for entry in released)
    once = [entry.key for entry in released if not entry.repeated]
    assert sorted(once) == sorted([*kept][3:])  # done once, and released once as new
    assert {entry.command.id for entry in released}.isdisjoint(journal.refused)
    agreed(table, journal)
    return journal


@pytest.mark.slow
@pytest.mark.usefixtures("_threads_that_switch_at_once")
def test_threads_on_a_journal_that_fails_lose_and_double_nothing() -> None:
    """S5: what is released is in the journal, and what is in it was released, to the unit."""
    sizes: list[int] = []
    for seed in range(30):
        sizes += sent_by_threads(seed, 6, 25).sizes
        if seed > 4 and max(sizes) > 3:  # a busy machine needs more tries
            break
    assert max(sizes) > 3


@pytest.mark.nightly
@pytest.mark.usefixtures("_threads_that_switch_at_once")
def test_many_threads_on_a_journal_that_fails_lose_and_double_nothing() -> None:
    """The same, for long."""
    for seed in range(100, 300):
        sent_by_threads(seed, 12, 60)
