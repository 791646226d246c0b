"""Commands as a host writes them: their kinds, what they show, what they take for equal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from trente_rules.table import Cut, OpenShoe
from trente_rules.table.commands import COMMANDS

T = TypeVar("T")

KINDS = {
    "OpenShoe": "open-shoe",
    "Cut": "cut",
    "Burn": "burn",
    "PlaceMarker": "place-marker",
    "OpenBets": "open-bets",
    "Place": "place",
    "Slip": "slip",
    "Increase": "increase",
    "Insure": "insure",
    "Withdraw": "withdraw",
    "MovePrisoner": "move-prisoner",
    "Post": "post",
    "BuyIn": "buy-in",
    "CashOut": "cash-out",
    "CloseBets": "close-bets",
    "Deal": "deal",
    "Turn": "turn",
    "Retract": "retract",
    "Expose": "expose",
    "ShowMarker": "show-marker",
    "Choose": "choose",
    "Settle": "settle",
    "VoidCoup": "void-coup",
    "Correct": "correct",
    "EndShoe": "end-shoe",
    "Announce": "announce",
    "CloseSession": "close-session",
}
"""The kinds on the wire and in journals: they never change."""


def test_every_command_has_the_kind_that_journals_have() -> None:
    """T4: a kind is written to journals and sent by clients: one that changes is not read."""
    kinds = {each.__name__: each.kind for each in COMMANDS}
    assert kinds == KINDS


def test_a_shoe_shows_nothing_of_its_order() -> None:
    """Cards, cut and marker of a shoe to come do not get into logs by way of a ``repr``."""
    opened = OpenShoe(id="o", source="house", cut=217, marker=43)
    shown = repr(opened)
    assert "source='house'" in shown
    assert not [each for each in ("cards", "cut", "217", "marker", "43") if each in shown]


def test_a_shuffled_shoe_has_its_time() -> None:
    """The time that a host gives is that of the command, as in every other one."""

    class Straight:
        def shuffle(self, cards: Sequence[T], /) -> tuple[T, ...]:
            return tuple(cards)

    made = OpenShoe.shuffled("o", 6, Straight(), source="house", at="21:00")
    assert (made.id, made.source, made.at) == ("o", "house", "21:00")
    assert isinstance(made.cards, tuple)
    assert len(made.cards) == 312


def test_a_cut_without_a_place_is_one_at_the_top() -> None:
    """None was 0 before fair shoes had a place: the same command, sent again, is the same."""
    assert Cut(id="c") == Cut(id="c", place=0)
    assert Cut(id="c") != Cut(id="c", place=1)
