"""Observers of a table: what they are called with, and that they harm nothing."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from typing import Any

import pytest
from tests.whole_units import whole_house

from trente_rules import PhaseError, Table, TrenteError
from trente_rules.fair import SeededShuffler
from trente_rules.table import (
    Command,
    Cut,
    MemoryJournal,
    OpenBets,
    OpenShoe,
    Place,
    recover,
)
from trente_rules.table.entries import Entry


class Seen:
    """An observer that keeps what it is called with."""

    def __init__(self) -> None:
        """Keep nothing yet."""
        self.done_: list[tuple[tuple[Entry, ...], int]] = []
        self.refused_: list[tuple[tuple[Command, ...], Exception]] = []

    def done(self, table: Table, entries: Sequence[Entry], seconds: float) -> None:
        """Keep entries, and how many events the table's state has seen."""
        assert seconds > 0
        self.done_.append((tuple(entries), table.state.events))

    def refused(
        self, _table: Table, commands: Sequence[Command], error: Exception, seconds: float
    ) -> None:
        """Keep a refusal."""
        assert seconds > 0
        self.refused_.append((tuple(commands), error))


class Broken:
    """An observer that always raises."""

    def done(self, *_about: object) -> None:
        """Raise."""
        raise ZeroDivisionError

    refused = done


def opening() -> tuple[Command, ...]:
    """Return the commands up to the first bets."""
    shoe = OpenShoe.shuffled("1", 6, SeededShuffler("00" * 16))
    return shoe, Cut(id="2", place=100), OpenBets(id="3")


def place(name: str, amount: int = 20, player: str = "ann") -> Place:
    """Return a stake on rouge."""
    return Place(id=name, stake=name, player=player, chance="rouge", amount=amount)


def test_an_observer_sees_each_command_done_and_each_refused() -> None:
    """T10: entries in order with the state after them, retries as such, refusals with the error."""
    seen, other = Seen(), Seen()
    table = Table(whole_house("monte-carlo-1911"), observers=[seen])
    for command in opening():
        table.do(command)
    table.observe(other)
    assert table.can(place("asked"))
    both = table.do_many((place("a"), place("b")))
    again = table.execute(place("b"))
    with pytest.raises(TrenteError) as low:
        table.do_many((place("c"), place("d", amount=1)))
    with pytest.raises(PhaseError) as changed:
        table.execute(place("e"), expected=())
    assert [entries for entries, _events in other.done_] == [both, (again,)]
    assert [entry.repeated for (entry,), _events in other.done_[1:]] == [True]
    assert seen.done_[-2:] == other.done_
    assert [events for _entries, events in seen.done_] == [
        entries[-1].first_event + len(entries[-1].events) for entries, _events in seen.done_
    ]
    assert other.refused_ == [
        ((place("c"), place("d", amount=1)), low.value),
        ((place("e"),), changed.value),
    ]


def test_an_observer_that_raises_harms_nothing(caplog: pytest.LogCaptureFixture) -> None:
    """T10: the command is done, in the journal, seen by the others; the fault is logged."""
    journal, seen = MemoryJournal(), Seen()
    table = Table(whole_house("monte-carlo-1911"), journal=journal, observers=[Broken(), seen])
    for command in opening():
        table.do(command)
    with pytest.raises(TrenteError, match="minimum"):
        table.do(place("low", amount=1))
    table.do(place("a"))
    assert [stake.id for stake in table.state.stakes] == ["a"]
    assert recover(journal).state == table.state
    assert (len(seen.done_), len(seen.refused_)) == (4, 1)
    assert [record.name for record in caplog.records] == ["trente_rules.table"] * 5
    assert not [record for record in caplog.records if "ann" in record.getMessage()]


class Half:
    """It looks at what is done alone: the first refusal would find no method."""

    def done(self, *about: object) -> None:
        """Look at commands that were done."""


@pytest.mark.parametrize("observer", ["x", Half()])
def test_what_is_not_an_observer_is_refused_before_any_command(observer: Any) -> None:
    """R7: never an AttributeError after a command that was done."""
    house = whole_house("monte-carlo-1911")
    table = Table(house)
    for take in (table.observe, lambda each: Table(house, observers=[each])):
        with pytest.raises(TrenteError, match="is not an observer") as caught:
            take(observer)
        assert caught.value.code == "bad-setup"


def test_without_the_extra_telemetry_says_what_to_install() -> None:
    """T10: a clear error where OpenTelemetry is not installed; the module itself is importable."""
    script = (
        "import sys; sys.modules['opentelemetry'] = None\n"
        "from trente_rules.table import Telemetry\n"
        "Telemetry()\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )
    last = run.stderr.splitlines()[-1]
    assert last.endswith('(pip install "trente-rules[telemetry]")')
    assert "TrenteError: telemetry needs" in last


def test_all_observers_see_commands_in_the_order_in_which_they_were_done() -> None:
    """T10: also where the first of them gives a command: a wallet would see its payment first."""
    order: dict[str, list[str]] = {"first": [], "second": []}

    class Log:
        def __init__(self, name: str) -> None:
            self.name = name

        def done(self, table: Table, entries: Sequence[Entry], _seconds: float) -> None:
            seen = order[self.name]
            seen.extend(entry.command.id for entry in entries)
            assert [stake.id for stake in table.state.stakes] == seen[3:]
            if self.name == "first" and seen[-1] in "ab":
                (entry,) = (table.execute(place(f"of-{seen[-1]}")),)
                assert entry.sequence == len(seen) + 1
                with pytest.raises(TrenteError):
                    table.do(place("low", amount=1))

        def refused(self, _table: Table, commands: Sequence[Command], *_about: object) -> None:
            assert [each.id for each in commands] == ["low"]

    table = Table(whole_house("monte-carlo-1911"), observers=[Log("first"), Log("second")])
    for command in opening():
        table.do(command)
    table.do(place("a"))
    table.do(place("b"))
    assert order["first"] == order["second"] == ["1", "2", "3", "a", "of-a", "b", "of-b"]
