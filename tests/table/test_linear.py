"""The cost of a command does not depend on what lies on the table, nor on who ever played."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import pytest
from hypothesis import event, given
from hypothesis import strategies as st
from tests.properties.shipped import shipped

from trente_rules import History, Line, Stake, Table, TrenteError
from trente_rules.core.stakes import Opening
from trente_rules.fair import SeededShuffler
from trente_rules.table import (
    CloseBets,
    Command,
    Cut,
    Deal,
    Increase,
    OpenBets,
    OpenShoe,
    Phase,
    Place,
    PlaceMarker,
    Settle,
    TableState,
)

EUR = 100
CHANCES = ("rouge", "noir", "couleur", "inverse")


def calls(act: Callable[[], object]) -> int:
    """Return how many functions are called, built-in ones among them."""
    counted = 0

    def count(_frame: object, happens: str, _arg: object) -> None:
        nonlocal counted
        counted += happens in ("call", "c_call")

    sys.setprofile(count)
    try:
        act()
    finally:
        sys.setprofile(None)
    return counted


def place(number: int, player: str = "", **more: Any) -> Place:
    """Return the command for a stake; every stake has a player of its own."""
    fields = {"chance": CHANCES[number % 4], "amount": 100 * EUR, **more}
    owner = player or f"player-{number}"
    return Place(id=f"p{number}", stake=f"s{number}", player=owner, **fields)


def opened(stakes: int = 0, house: str = "france-2007", **more: Any) -> Table:
    """Return a table with open bets and stakes of as many players."""
    table = Table(shipped(house), opening=Opening(10 * EUR), session="s", **more)
    opens(table)
    table.do(OpenBets("bets"))
    table.do_many([place(n) for n in range(stakes)])
    return table


def opens(table: Table, name: str = "") -> None:
    """Open a shoe."""
    table.do(OpenShoe.shuffled(f"{name}shoe", 6, SeededShuffler("00" * 16, test=True)))
    table.do(Cut(f"{name}cut", 100, table.house.shoe.cut_by))
    marker = table.house.shoe.marker
    if marker is not None:
        table.do(PlaceMarker(f"{name}marker", by=marker.placed_by))


@pytest.mark.parametrize("kind", ["place", "place with another", "increase"])
def test_a_stake_costs_the_same_on_a_full_table(kind: str) -> None:
    """T1, P1: with 1,000 stakes of others a command calls hardly more functions than with 10."""
    counted = []
    for stakes in (10, 10, 1_000):  # the first works out what the house needs
        table = opened(stakes)
        table.do(place(5_000, player="ann"))
        new = place(6_000, player="zoe" if kind == "place" else "ann", chance="rouge")
        command: Command = new if kind != "increase" else Increase("i", "s5000", amount=100)
        counted.append(calls(lambda table=table, command=command: table.do(command)))  # type: ignore[misc]
    _first, few, many = counted
    assert many <= few + 25  # a step or two more in three maps
    assert few < 150


def test_no_other_stake_is_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    """T1: a stake that is placed is the only one of 1,000 whose chance or state is read."""
    table = opened(1_000)
    seen = set()
    plain = vars(Stake)["free"].fget

    def free(stake: Stake) -> bool:
        seen.add(stake.id)
        return bool(plain(stake))

    monkeypatch.setattr(Stake, "free", property(free))
    table.do(place(5_000, player="ann"))
    table.do(place(5_001, player="ann"))
    assert seen == {"s5000", "s5001"}


def test_a_player_costs_the_same_after_thousands() -> None:
    """P2: with 10,000 accounts a stake, and a coup, call hardly more functions than with 100."""
    counted = []
    for players in (100, 100, 10_000):
        table = opened()
        state = table.state
        accounts = {f"old-{n}": 0 for n in range(players)}
        table = Table(table.house, state=state.replaced(accounts=state.accounts.merged(accounts)))
        stake = calls(lambda table=table: table.do(place(1)))  # type: ignore[misc]
        table.do(CloseBets("c"))
        table.do(Deal("d"))
        counted.append((stake, calls(lambda table=table: table.do(Settle("s")))))  # type: ignore[misc]
    _first, (stake, coup), (late_stake, late_coup) = counted
    assert late_stake <= stake + 12
    assert late_coup <= coup + 12


def test_a_history_costs_one_look_up() -> None:
    """P1: in a house with a progression, the bets of 1,000 players before are not walked over."""
    counted = []
    for players in (4, 4, 1_000):
        table = opened(house="venezia-online")
        before = History.of([[Stake(f"{n}", f"old-{n}", "rouge", 10) for n in range(players)]] * 9)
        table = Table(table.house, state=table.state.replaced(history=before))
        command = place(1, amount=10 * EUR)
        counted.append(calls(lambda table=table, command=command: table.do(command)))  # type: ignore[misc]
    assert counted[2] <= counted[1] + 12


def results(table: Table, commands: Sequence[Command], *, many: bool) -> Any:
    """Return what a table does with commands, or why it refuses the first that it refuses."""
    try:
        if many:
            return table.do_many(commands)
        return tuple(table.execute(command) for command in commands)
    except TrenteError as error:
        return type(error), error.code, error.message, error.hint


@cache
def bets_open(house: str) -> TableState:
    """Return the state of a table with three stakes, worked out once."""
    return opened(3, house).state


ORDERS = st.lists(
    st.builds(
        lambda number, player, units, more: place(number, player, amount=units * EUR, **more),
        st.integers(0, 12),
        st.sampled_from(("ann", "bob", "cy", "dee")),
        st.sampled_from((10, 20, 100, 100, 4_000, 9_990, 5)),
        st.sampled_from(
            (
                *({}, {}, {}, {"insured": True}, {"insured": True, "proof": False}),
                *({"group": "team"}, {"chance": "zero"}, {"chips": "USD"}, {"proof": 1}),
            )
        ),
    ),
    max_size=8,
    unique_by=lambda command: command.id,
)


@pytest.mark.slow
@given(orders=ORDERS, house=st.sampled_from(("france-2007", "venezia-online", "germany-500")))
def test_stakes_together_are_stakes_one_by_one(orders: list[Place], house: str) -> None:
    """P1: ``do_many`` leads to the same entries and state, or is refused for the same reason."""
    before = bets_open(house)
    one, other = Table(before.house, state=before), Table(before.house, state=before)
    found, expected = results(one, orders, many=True), results(other, orders, many=False)
    assert found == expected
    refused = bool(found) and isinstance(found[0], type)
    event("refused" if refused else f"{len(orders)} stakes")
    if refused:
        assert one.state is before  # none of them
        return
    assert one.state == other.state
    assert one.state.cloth.totals == other.state.cloth.totals
    assert one.entries == other.entries
    assert one.do(CloseBets("c")) == other.do(CloseBets("c"))


def test_a_stake_sent_again_within_many_is_done_once() -> None:
    """T5: a retry among new stakes has its entry again, wherever it is in the list."""
    table = opened(2)
    entries = table.do_many([place(7), place(1), place(8), place(7), place(9)])
    assert [entry.repeated for entry in entries] == [False, True, False, True, False]
    assert [entry.sequence for entry in entries] == [7, 6, 8, 7, 9]
    assert [stake.id for stake in table.state.stakes] == ["s0", "s1", "s7", "s8", "s9"]


def test_shoes_are_forgotten_in_their_order() -> None:
    """T5: a table remembers the entries of three shoes, and forgets those before."""
    table = Table(shipped("france-2007"), opening=Opening(10 * EUR), session="s")
    for shoe in range(5):
        opens(table, f"{shoe}-")
        while table.state.phase is not Phase.NO_SHOE:
            coup = f"{shoe}.{table.state.coup_number}"
            table.do(OpenBets(f"{coup}b"))
            table.do(CloseBets(f"{coup}c"))
            table.do(Deal(f"{coup}d"))
            if table.state.phase is Phase.DEALT:
                table.do(Settle(f"{coup}s"))
        kept = [each.command.id for each in table.entries if isinstance(each.command, OpenShoe)]
        assert kept == [f"{n}-shoe" for n in range(max(0, shoe - 2), shoe + 1)]
        assert table.entries[0].command.id == kept[0]


def test_a_line_is_of_a_stake() -> None:
    """T1: stakes and lines have no slots, but never change."""
    stake = Stake("s", "ann", "rouge", 1)
    for value in (stake, place(1)):
        with pytest.raises(AttributeError):
            value.amount = 2  # type: ignore[misc]
    assert Line.__hash__ is not None
