"""When a pool of a host is called for a thread, and which state its threads see."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from tests.table.test_group_commit import Counting, Sent, code_of, place, table_on

from trente_rules.table import CloseBets, Phase, SqliteJournal


class Held(Executor):
    """An executor that runs what it was given when it is asked to, and may fail first."""

    def __init__(self, *faults: Exception) -> None:
        """Fail as often as there are faults."""
        self.faults = list(faults)
        self.calls: list[tuple[Future[Any], Callable[..., Any], tuple[Any, ...]]] = []

    def submit(self, fn: Any, /, *args: Any, **_kwargs: Any) -> Future[Any]:
        """Keep a call, or fail."""
        if self.faults:
            raise self.faults.pop(0)
        future: Future[Any] = Future()
        self.calls.append((future, fn, args))
        return future

    def run(self) -> int:
        """Run what is kept; return how many calls that were."""
        calls, self.calls = self.calls, []
        for future, fn, args in calls:
            future.set_result(fn(*args))
        return len(calls)


def test_commands_that_wait_for_a_pool_need_one_of_its_threads() -> None:
    """A pool is called once until its thread comes; then again for what is submitted later."""
    journal, pool = Counting(), Held()
    table = table_on(journal)
    journal.sizes.clear()
    futures = [table.submit([place(name)], pool) for name in "abc"]
    assert pool.run() == 1
    assert [len(future.result(0)) for future in futures] == [1, 1, 1]
    assert journal.sizes == [3]
    later = table.submit([place("d")], pool)
    assert pool.run() == 1
    assert later.result(0)[0].command.id == "d"


def test_a_pool_that_sends_no_thread_is_called_again_for_the_next() -> None:
    """What it could not take is cancelled, and the error raised; the next commands are done."""
    pool = Held(RuntimeError("no thread"))
    table = table_on(Counting())
    with pytest.raises(RuntimeError, match="no thread"):
        table.submit([place("a")], pool)
    future = table.submit([place("b")], pool)
    assert pool.run() == 1
    assert future.result(0)[0].command.id == "b"
    assert [stake.id for stake in table.state.stakes] == ["b"]


def test_a_key_that_the_journal_refuses_costs_one_commit_of_its_own() -> None:
    """After the batch, and again with the keys looked up, each request is tried once alone."""
    journal = Counting()
    table = table_on(journal)
    journal.refused = {"x"}
    sent = Sent(table, journal)
    for name in "axb":
        sent.send(place(name))
    assert [code_of(result) for result in sent.end()] == ["", "same-id", ""]
    assert journal.sizes == [1, 3, 3, 1, 1, 1]


def test_only_the_thread_of_a_transaction_sees_what_is_done_in_it(tmp_path: Path) -> None:
    """The others see the state that is durable until the transaction is over."""
    with SqliteJournal(tmp_path / "j.trente") as journal, ThreadPoolExecutor(1) as pool:
        table = table_on(journal)
        with table.transaction():
            table.do(CloseBets(id="close"))
            assert table.state.phase is Phase.CLOSED
            assert pool.submit(lambda: table.state.phase).result(20) is Phase.BETTING
        assert pool.submit(lambda: table.state.phase).result(20) is Phase.CLOSED
