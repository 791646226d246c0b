"""Many threads at one table, and at what else hosts share: nothing that was accepted is lost."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from threading import Thread

import pytest
from tests.whole_units import whole_house

from trente_rules import Opening, Table, TrenteError
from trente_rules.core.cards import PACK, Card
from trente_rules.fair import SeededShuffler
from trente_rules.play.saving import SaveFile
from trente_rules.play.session import PlaySession
from trente_rules.table import (
    Cut,
    MemoryJournal,
    OpenBets,
    OpenShoe,
    Place,
    SqliteJournal,
    TableState,
    balance,
    recover,
)
from trente_rules.table.entries import Journal

THREADS = 4
BETS = 60


@pytest.fixture(autouse=True)
def _threads_that_switch_at_once() -> Iterator[None]:
    """Let threads take turns as often as they can."""
    usual = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(usual)


def at_once(*acts: Callable[[], object]) -> None:
    """Run these in threads of their own; raise what one of them raised."""
    raised: list[Exception] = []

    def run(act: Callable[[], object]) -> None:
        try:
            act()
        except Exception as error:  # noqa: BLE001 - raised below, in the thread of the test
            raised.append(error)

    threads = [Thread(target=run, args=(act,)) for act in acts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if raised:
        raise raised[0]


def table_with_bets_open(journal: Journal | None) -> Table:
    """Return a table that takes bets."""
    table = Table(whole_house("monte-carlo-1911"), journal=journal)
    shoe = OpenShoe.shuffled("1", 6, SeededShuffler("00" * 16))
    for command in (shoe, Cut(id="2", place=100), OpenBets(id="3")):
        table.do(command)
    return table


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["none", "memory", "sqlite"])
def test_every_accepted_bet_of_four_threads_lies_on_the_table(kind: str, tmp_path: Path) -> None:
    """T7, S10: 240 bets accepted are 240 on the cloth, in accounts, entries and the journal."""
    file = tmp_path / "threads.journal"
    kept: Journal | None = None
    if kind != "none":
        kept = MemoryJournal() if kind == "memory" else SqliteJournal(file)
    table = table_with_bets_open(kept)
    accepted: list[str] = []
    finished: list[int] = []
    seen: list[TableState] = []

    def bet(number: int) -> None:
        try:
            for n in range(BETS):
                stake = f"{number}.{n}"
                table.do(
                    Place(id=stake, stake=stake, player=f"p{number}", chance="rouge", amount=20)
                )
                accepted.append(stake)
        finally:
            finished.append(number)

    def look() -> None:
        while len(finished) < THREADS:
            seen.append(table.state)

    at_once(look, *(partial(bet, number) for number in range(THREADS)))
    state = table.state
    assert sorted(stake.id for stake in state.stakes) == sorted(accepted)
    assert dict(state.accounts) == {f"p{n}": -20 * BETS for n in range(THREADS)}
    assert [entry.sequence for entry in table.entries] == list(range(1, 4 + THREADS * BETS))
    assert [entry.first_event for entry in table.entries] == sorted(
        {entry.first_event for entry in table.entries}
    )
    for each in {id(each): each for each in seen}.values():
        assert balance(each) == 0
        assert len(each.stakes) * 20 == -sum(dict(each.accounts).values())
    if kept is not None:
        assert recover(kept).state == state


def test_one_command_of_many_threads_is_done_once() -> None:
    """T7, T5: a retry that meets its first attempt in another thread has the same entry."""
    table = table_with_bets_open(None)
    command = Place(id="a", stake="a", player="ann", chance="rouge", amount=20)
    entries = []
    at_once(*[lambda: entries.append(table.execute(command))] * 8)
    assert sorted(entry.repeated for entry in entries) == [False] + [True] * 7
    assert all(entry == entries[0] for entry in entries)
    assert dict(table.state.accounts) == {"ann": -20}


def test_threads_that_share_a_seeded_shuffler_draw_no_shoe_twice() -> None:
    """S10, the kind: orders drawn at once are those drawn one by one, each by one thread."""
    pack = PACK
    alone, shared = SeededShuffler("00" * 16), SeededShuffler("00" * 16)
    orders: list[tuple[Card, ...]] = []
    at_once(*[lambda: orders.extend(shared.shuffle(pack) for _ in range(10))] * 4)
    assert {*orders} == {alone.shuffle(pack) for _ in range(40)}
    assert shared.position == alone.position
    words: list[bytes] = []
    at_once(*[lambda: words.extend(shared.take(8) for _ in range(200))] * 4)
    assert sorted(words) == sorted(alone.take(8) for _ in range(800))


def test_threads_that_save_one_session_leave_it_whole(tmp_path: Path) -> None:
    """S10, the kind: two writes at once do not take each other's new file away."""
    session = PlaySession.begin(
        whole_house("monte-carlo-1911"), Opening(), 1000, SeededShuffler("00" * 16)
    )
    with SaveFile(tmp_path / "game") as file:

        def write() -> None:
            for _ in range(5):
                file.write(session)

        at_once(*[write] * 4)
        read = file.read()
        assert read is not None
        assert read.state == session.state
    assert [each.name for each in tmp_path.iterdir()] == ["game"]


def test_a_refusal_in_one_thread_is_no_refusal_in_another() -> None:
    """T7: each thread has the outcome of its own commands."""
    table = table_with_bets_open(None)
    codes: list[str] = []

    def low() -> None:
        for n in range(20):
            command = Place(id=f"l{n}", stake=f"l{n}", player="low", chance="noir", amount=1)
            with pytest.raises(TrenteError) as caught:
                table.do(command)
            codes.append(caught.value.code)

    def right() -> None:
        for n in range(20):
            table.do(Place(id=f"r{n}", stake=f"r{n}", player="r", chance="noir", amount=20))

    at_once(low, right)
    assert codes == ["below-minimum"] * 20
    assert len(table.state.stakes) == 20
