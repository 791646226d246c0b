"""States that no command leads to: each is named, one fault by one, and a sound state has none."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from attrs import evolve
from tests.table.driving import Driver
from tests.table.laws import house_like

from trente_rules import PACK, Choice, History, Opening, Stake, Verdict
from trente_rules.core.coup import Coup
from trente_rules.core.shoe import LiveShoe, Shoe
from trente_rules.table import CloseBets, Phase, Settle, Turn
from trente_rules.table.invariants import faults
from trente_rules.table.state import TableState

HALF = Fraction(1, 2)


def state_of(where: str) -> TableState:
    """Return the state of a table at a place of its session."""
    table = Driver("france-2007")
    if where == "live":
        table.live()
        table.bet(("ann", "rouge", 100))
        return table.table.state
    if where in ("turned", "finishing"):
        marker = {"turned": "void", "finishing": "finish"}[where]
        table = Driver(house_like("france-2007", f'[shoe.marker]\non_marker = "{marker}"\n'))
        table.live()
        table.bet(("ann", "rouge", 100))
        if where == "turned":
            table.do(CloseBets)
            table.do(Turn, card=PACK[0])
        return table.table.state
    if where == "uncut":
        table = Driver(house_like("france-2007", '[shoe]\ncut = "after-bets"\n'))
        table.shoe((33, 31))
        return table.table.state
    if where in ("covered", "machine"):
        more = {
            "covered": '[insurance]\nrule = "rate"\ncovers = ["free", "prison"]\n',
            "machine": "[shoe]\nevery_coup = true\n",
        }
        table = Driver(house_like("france-2007", more[where]))
    table.shoe((31, 31), (33, 31), (31, 33))
    if where == "ready":
        return table.table.state
    table.bet(("ann", "rouge", 100), ("bob", "noir", 200))
    if where == "bets":
        return table.table.state
    table.deal()
    if where == "dealt":
        return table.table.state
    table.do(Settle)
    if where in ("prisoners", "covered"):
        return table.table.state
    table.bet(("ann", "noir", 100))
    return table.table.state


def test_a_sound_state_has_no_fault() -> None:
    """Wherever the session is."""
    known = ("ready", "bets", "dealt", "prisoners", "next bets")
    for where in (*known, "live", "turned", "finishing"):
        assert [*faults(state_of(where))] == [], where


def _owned(state: TableState, **changes: Any) -> TableState:
    first, *rest = state.stakes
    return state.replaced(stakes=(evolve(first, **changes), *rest))


def _in_shoe(state: TableState, **changes: Any) -> TableState:
    shoe: Any = state.shoe
    return state.replaced(shoe=evolve(shoe, **changes))


def _position(state: TableState) -> int:
    assert state.shoe is not None
    return state.shoe.position


Change = Callable[[TableState], TableState]

IMPOSSIBLE: dict[str, tuple[str, Change, str]] = {
    "a negative count": ("ready", lambda s: s.replaced(events=-1), "a count is negative"),
    "no number of the coup": (
        "bets",
        lambda s: s.replaced(coup_number=0),
        "a coup without a number",
    ),
    "no number of the shoe": (
        "ready",
        lambda s: s.replaced(shoe_number=0),
        "a shoe without a number",
    ),
    "no shoe": ("ready", lambda s: s.replaced(shoe=None), "ready without a shoe"),
    "a shoe of one pack": (
        "ready",
        lambda s: s.replaced(shoe=Shoe.of_cards(PACK, 1)),
        "a shoe of 1 pack, not 6",
    ),
    "the first bets before the cut": (
        "bets",
        lambda s: s.replaced(uncut=True),
        "this house cuts before the first bets",
    ),
    "not cut, and a coup": (
        "dealt",
        lambda s: s.replaced(uncut=True),
        "this house has no phase dealt here",
    ),
    "a colour of the first row": (
        "ready",
        lambda s: s.replaced(first_row="rouge"),
        "the first row has a colour too early, or none",
    ),
    "a cut too deep": (
        "ready",
        lambda s: s.replaced(drawn_cut=313),
        "a cut is drawn that no shoe of this house has",
    ),
    "a cut drawn for a live shoe": (
        "live",
        lambda s: s.replaced(drawn_cut=3),
        "a cut or a marker is drawn for no known order",
    ),
    "a marker too deep": (
        "ready",
        lambda s: s.replaced(drawn_marker=312),
        "a marker is drawn that the house does not allow",
    ),
    "a marker elsewhere": (
        "ready",
        lambda s: s.replaced(drawn_marker=s.shoe.behind + 1),  # type: ignore[union-attr]
        "the marker is not where it was drawn",
    ),
    "the marker shown": (
        "ready",
        lambda s: s.replaced(marker_shown=True),
        "the marker is out and not shown, or shown and not out",
    ),
    "the marker up in a coup that it makes void": (
        "turned",
        lambda s: _in_shoe(s, marker_out=True).replaced(marker_shown=True),
        "the marker is out and not shown, or shown and not out",
    ),
    "the marker up before the cards of the coup that it ends": (
        "finishing",
        lambda s: _in_shoe(s, marker_out=True).replaced(marker_shown=True),
        "the marker is out and not shown, or shown and not out",
    ),
    "cards of another phase": (
        "dealt",
        lambda s: s.replaced(phase=Phase.CLOSED),
        "the cards of the coup are not those of its phase",
    ),
    "rows of other cards": (
        "dealt",
        lambda s: s.replaced(first_cards=s.first_cards + 1),
        "the rows of the coup are not those of its cards",
    ),
    "a coup of other cards": (
        "dealt",
        lambda s: s.replaced(coup=Coup.of_cards(tuple(reversed(s.cards)))),
        "the coup is not that of its cards",
    ),
    "no coup": ("dealt", lambda s: s.replaced(coup=None), "the coup is not that of its cards"),
    "exposed cards of a known order": (
        "bets",
        lambda s: s.replaced(exposed=(3,)),
        "cards were exposed where they cannot be",
    ),
    "two stakes of one name": (
        "bets",
        lambda s: _owned(s, id="bob-noir"),
        "two stakes have the same name",
    ),
    "a stake of nobody": ("bets", lambda s: _owned(s, owner=""), "a stake belongs to nobody"),
    "a bet of nothing": (
        "ready",
        lambda s: s.replaced(history=History((("ann", 0),))),
        "an earlier bet is below 1",
    ),
    "nothing left of a stake": (
        "prisoners",
        lambda s: _owned(s, handed_back=s.stakes[0].amount),
        "nothing is left of stake 'ann-rouge'",
    ),
    "a stake above the maximum": (
        "bets",
        lambda s: s.replaced(
            stakes=(*s.stakes, Stake("x", "eve", "rouge", 10**12)), accounts={"eve": -(10**12)}
        ),
        "maximum",
    ),
    "a free stake between two coups": (
        "ready",
        lambda s: s.replaced(stakes=(Stake("x", "eve", "rouge", 100),)),
        "stakes are free between two coups",
    ),
    "prisoners that no coup opened with": (
        "next bets",
        lambda s: s.replaced(prisoners=()),
        "the prisoners are not those of the opening of the bets",
    ),
    "an insured stake between two coups": (
        "covered",
        lambda s: _owned(s, insured=True),
        "a stake is insured between two coups",
    ),
    "stakes on a closed table": (
        "prisoners",
        lambda s: s.replaced(phase=Phase.ENDED, shoe=None, coup_number=0),
        "stakes are on a table that is closed",
    ),
    "chips at a table without purses": (
        "ready",
        lambda s: s.replaced(deposits={"ann": 5}),
        "chips are bought at a table without purses",
    ),
    "a posted opening without a minimum": (
        "ready",
        lambda s: s.replaced(posted=Opening()),
        "minimum",
    ),
    "money from nowhere": (
        "ready",
        lambda s: s.replaced(bank=1),
        "players, bank and stakes do not add up: 1 units too many",
    ),
    "two choices for one case": (
        "bets",
        lambda s: s.replaced(
            choices=(Choice("ann-rouge", "partage"), Choice("ann-rouge", "prison"))
        ),
        "choices that cannot be made together, or now",
    ),
    "a choice between two coups": (
        "prisoners",
        lambda s: s.replaced(choices=(Choice("ann-rouge", "partage"),)),
        "choices that cannot be made together, or now",
    ),
    "a choice of another state": (
        "bets",
        lambda s: s.replaced(choices=(Choice("ann-rouge", "partage", "nowhere"),)),
        "the choice for stake 'ann-rouge' can never act",
    ),
    "a choice at the close": (
        "bets",
        lambda s: s.replaced(choices=(Choice("ann-rouge", "partage", verdict=Verdict.CLOSE),)),
        "the choice for stake 'ann-rouge' can never act",
    ),
    "a course that is not offered": (
        "bets",
        lambda s: s.replaced(choices=(Choice("ann-rouge", "double"),)),
        "stake 'ann-rouge' does not have the course 'double'",
    ),
    "an ended shoe and a coup": (
        "bets",
        lambda s: s.replaced(last_shoe=s.shoe),
        "a shoe that has ended, and another phase",
    ),
    "an ended shoe of another size": (
        "ready",
        lambda s: s.replaced(
            shoe=None, phase=Phase.NO_SHOE, last_shoe=Shoe.of_cards(PACK, 1), coup_number=0
        ),
        "a shoe that has ended of 1 pack, not 6",
    ),
    "an ended live shoe with a card too many": (
        "ready",
        lambda s: s.replaced(
            shoe=None,
            phase=Phase.NO_SHOE,
            coup_number=0,
            last_shoe=LiveShoe(6, seen=(PACK[0],) * 7),
        ),
        "a card came up more often than it is in the packs",
    ),
    "a live shoe with a card too many": (
        "live",
        lambda s: _in_shoe(s, seen=(PACK[0],) * 7),
        "a card came up more often than it is in the packs",
    ),
    "cards that did not come from the shoe": (
        "dealt",
        lambda s: _in_shoe(s, position=_position(s) - 1),
        "the cards of the coup did not come from the shoe",
    ),
    "cards out before the first coup": (
        "ready",
        lambda s: _in_shoe(s, marker=None, position=9).replaced(phase=Phase.CUT),
        "cards are out before the first coup",
    ),
}


@pytest.mark.parametrize("name", IMPOSSIBLE)
def test_an_impossible_state_is_named(name: str) -> None:
    """The fault that the change makes is among those that are found."""
    where, change, fault = IMPOSSIBLE[name]
    sound = state_of(where)
    found = [*faults(change(sound))]
    assert any(fault in each for each in found), found
