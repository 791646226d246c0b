"""The order on the cloth: losers first, chance by chance, as placed, or by position."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import pytest
from attrs import evolve
from tests.whole_units import whole_house

from trente_rules import (
    BetError,
    ConfigurationError,
    Coup,
    Opening,
    Stake,
    Table,
    loads_house,
    settle,
)
from trente_rules.core.rules.settlement_order import PayOrder
from trente_rules.records import dumps_record, loads_record, record_of, replay
from trente_rules.table import (
    Burn,
    CloseBets,
    Cut,
    Deal,
    OpenBets,
    OpenShoe,
    Place,
    Settle,
    StakeSettled,
    restore,
    snapshot,
)
from trente_rules.testing import stacked_shoe

HOUSE = whole_house("italy-half-loss")
WIN = Coup.parse("K♠ Q♥ 9♦ 6♣ / 10♦ 10♣ 8♠ 4♥")  # 35 and 32: rouge and inverse win
DAY = Opening(1, 1000)
CLOTH = (("1", "inverse"), ("2", "noir"), ("3", "rouge"), ("4", "couleur"), ("5", "inverse"))
IN_TIME = ([0, 1, 2, 3, 4], [4, 3, 2, 1, 0], [2, 4, 0, 3, 1])


@pytest.mark.parametrize("order", IN_TIME)
def test_losers_are_taken_from_the_right_and_winners_paid_from_the_left(order: list[int]) -> None:
    """D6: 4 and 2 are collected, then 1, 3 and 5 are paid, whoever placed first."""
    placed = [Stake(name, "p", chance, 10, position=int(name)) for name, chance in CLOTH]
    lines = settle(HOUSE, WIN, [placed[place] for place in order], opening=DAY).lines
    assert [line.stake.id for line in lines] == ["4", "2", "1", "3", "5"]


@pytest.mark.parametrize("order", [*permutations(("noir", "rouge"))])
def test_of_two_stakes_the_loser_is_taken_first(order: tuple[str, ...]) -> None:
    """D6: two lines are the least that have an order."""
    placed = [Stake(chance, "p", chance, 10) for chance in order]
    lines = settle(HOUSE, WIN, placed, opening=DAY).lines
    assert [line.stake.id for line in lines] == ["noir", "rouge"]


def played(order: list[int]) -> Table:
    """Return a table whose first coup is settled, with stakes placed in this order of time."""
    table = Table(HOUSE, opening=DAY)
    table.do(OpenShoe(id="o", cards=stacked_shoe([WIN], burn=5).cards))
    for command in (Cut(id="c", by="player"), Burn(id="u"), OpenBets(id="b")):
        table.do(command)
    for place in order:
        name, chance = CLOTH[place]
        table.do(
            Place(
                id=f"p{name}",
                stake=name,
                player=f"player {name}",
                chance=chance,
                amount=10,
                position=int(name),
            )
        )
    table.do(CloseBets(id="r"))
    table.do(Deal(id="d"))
    return table


@pytest.mark.parametrize("order", IN_TIME)
def test_the_table_settles_by_position_too(order: list[int]) -> None:
    """D6 at a live table: a player far right who bets first is collected first, and paid last."""
    events = played(order).do(Settle(id="s"))
    settled = [event.line.stake.id for event in events if isinstance(event, StakeSettled)]
    assert settled == ["4", "2", "1", "3", "5"]


def test_positions_survive_a_snapshot_and_a_record() -> None:
    """A table restored in the middle of a coup settles alike; a record replays bit for bit."""
    table = restore(snapshot(played([2, 4, 0, 3, 1])), HOUSE)
    events = table.do(Settle(id="s"))
    assert [e.line.stake.position for e in events if isinstance(e, StakeSettled)] == [4, 2, 1, 3, 5]
    record = loads_record(dumps_record(record_of(table)))
    assert {stake.id: stake.position for stake in record.coups[0].stakes} == {
        name: int(name) for name, _chance in CLOTH
    }
    assert replay(record).equal


def test_stakes_without_a_position_lie_to_the_right_as_they_were_placed() -> None:
    """A stake whose place is not known comes after those whose place is."""
    placed = [
        Stake("a", "p", "rouge", 10),
        Stake("b", "p", "rouge", 10, position=2),
        Stake("c", "p", "inverse", 10),
        Stake("d", "p", "inverse", 10, position=1),
    ]
    lines = settle(HOUSE, WIN, placed, opening=DAY).lines
    assert [line.stake.id for line in lines] == ["d", "b", "a", "c"]


@pytest.mark.parametrize("order", ["losers-first", "as-placed", "by-position"])
@pytest.mark.parametrize("ends", [("left", "right"), ("right", "left"), ("nearest", "farthest")])
def test_lines_laid_back_are_settled_in_the_same_order(order: str, ends: tuple[str, str]) -> None:
    """``lying`` undoes ``settled``: what it returns is settled in the same order again."""
    rule = PayOrder(order=order, collect_from=ends[0], pay_from=ends[1])  # type: ignore[arg-type]
    ranks = {chance: rank for rank, chance in enumerate(("rouge", "noir", "couleur", "inverse"))}
    stakes = [Stake(name, "p", chance, 10, position=int(name) // 2 + 1) for name, chance in CLOTH]
    for placed in permutations(stakes):
        lines = rule.settled(settle(HOUSE, WIN, placed, opening=DAY).lines, ranks)
        assert rule.settled(rule.lying(lines), ranks) == lines


def test_a_position_stays_with_a_prisoner() -> None:
    """What stays of a stake lies where it lay."""
    house = loads_house(
        '[house]\nname = "x"\nextends = "france-2007"\n'
        '[settlement]\norder = "by-position"\npay = []\n'
    )
    refait = Coup.parse("K♠ K♥ Q♦ A♣ / 10♥ 10♠ J♣ A♦")
    (line,) = settle(house, refait, [Stake("s", "p", "noir", 10, position=7)], opening=DAY).lines
    assert line.after is not None
    assert (line.after.state, line.after.position) == ("prison", 7)


@pytest.mark.parametrize("wrong", [0, -1, True, 1.5, "2"])
def test_a_position_is_a_whole_number_from_one(wrong: Any) -> None:
    """Anything else is refused when the stake is made."""
    with pytest.raises(BetError, match=r"position .* is not a whole number from 1"):
        evolve(Stake("s", "p", "noir", 10), position=wrong)


def test_an_order_of_chances_cannot_act_by_position() -> None:
    """The fault names the key, and a child of a house with an order is told to write pay = []."""
    with pytest.raises(ConfigurationError, match="stakes are paid as they lie") as error:
        loads_house(
            '[house]\nname = "x"\nextends = "france-2007"\n[settlement]\norder = "by-position"\n'
        )
    assert error.value.faults[0].code == "key-cannot-act"
