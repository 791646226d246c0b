"""The cost of a command does not depend on what lies on the table, nor on who ever played."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from unittest import mock

import pytest
from attrs import evolve
from hypothesis import event
from hypothesis import strategies as st
from tests.counted import calls
from tests.properties.meeting import meets
from tests.properties.shipped import any_house, shipped

from trente_rules import History, House, Line, Stake, Table, TrenteError
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
    Round,
    Settle,
    Setup,
    Slip,
    SlipBet,
    TableState,
)

EUR = 100
CHANCES = ("rouge", "noir", "couleur", "inverse")


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
    assert few < 170  # the setters of slots count, too


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


def bets_open(house: House, *, purses: bool) -> TableState:
    """Return the state of a table with open bets."""
    opening = house.lowest_opening()
    deposits = {"ann": 10**9, "bob": 10} if purses else {}
    setup = Setup(house, opening=opening, session="s", purses=purses)
    return TableState(setup, Phase.BETTING, 1, 1, events=7, deposits=deposits)


@st.composite
def orders(draw: st.DrawFn, house: House, opening: Opening) -> list[Command]:
    """Return stakes near the bounds of a house; few are unusual, else all would be refused."""
    chances = [chance.id for chance in house.chances]
    made: list[Command] = []
    for number in range(draw(st.integers(0, 9))):
        chance = draw(st.sampled_from((*chances[:4], *chances, "rouge")))
        bounds = house.limits_table.bounds(opening, chance)
        amount = max(bounds.least, bounds.step)
        odd = draw(st.integers(0, 30))
        amount = {0: amount - 1, 1: amount + 1, 2: (bounds.most or 10**6) + 1}.get(odd, amount)
        more = {"insured": draw(st.integers(0, 4)) == 0}
        player = draw(st.sampled_from(("ann", "ann", "bob", "cy", "dee", "eve", "flo", "gus")))
        command = place(number, player, chance=chance, amount=amount, **more)
        command = evolve(command, **UNUSUAL.get(odd, {}))
        if draw(st.booleans()) and command.round is None:
            command = evolve(command, round=Round("s", 1, 1))
        if odd == 30:
            bet = SlipBet(command.stake, chance, amount, insured=command.insured)
            made.append(Slip(command.id, player, (bet,)))
        else:
            made.append(command)
    return made


UNUSUAL: dict[int, dict[str, Any]] = {
    3: {"proof": False},
    4: {"group": "team"},
    5: {"chance": "zero"},
    6: {"chips": "USD"},
    7: {"proof": 1},
    8: {"position": 3},
    9: {"position": 0},
    10: {"stake": "s0"},
    11: {"player": ""},
    12: {"amount": True},
    13: {"round": Round("s", 1, 1)},
    14: {"round": Round("s", 1, 2)},
    15: {"at": "14:45", "device": "tablet 7", "meta": {"dealer": "né"}},
    16: {"stake": "s\ud800"},
    17: {"amount": 10**18 + 1},
}


@pytest.mark.slow
@meets(house=any_house(), purses=st.booleans())
def test_stakes_together_are_stakes_one_by_one(
    data: st.DataObject, house: House, *, purses: bool
) -> None:
    """P1: ``do_many``, and ``do``, do what ``place`` does one by one: the same entries and state.

    Else the first is refused for the same reason, and none of them is placed.
    """
    before = bets_open(house, purses=purses)
    commands = data.draw(orders(house, before.opening))
    many, one, plain = (Table(house, state=before) for _ in range(3))
    with (
        mock.patch("trente_rules.table.decide.place_alone", return_value=None),
        mock.patch("trente_rules.table.draft.place_alone", return_value=None),
    ):
        expected = results(plain, commands, many=False)
    assert results(one, commands, many=False) == expected
    assert results(many, commands, many=True) == expected
    refused = bool(expected) and isinstance(expected[0], type)
    event(expected[1] if refused else f"{len(commands)} stakes")
    assert one.state == plain.state
    assert one.entries == plain.entries
    if refused:
        assert many.state is before
        return
    assert many.state == plain.state
    for table in (one, many):
        assert table.state.cloth.totals == plain.state.cloth.totals
        assert table.state.cloth.count == plain.state.cloth.count
        assert table.entries == plain.entries


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
