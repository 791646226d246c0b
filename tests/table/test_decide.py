"""Which commands a table takes now, and what it says of the others."""

from __future__ import annotations

import pytest
from tests.table.driving import Driver
from tests.table.laws import refused

from trente_rules.core.cards import PACK
from trente_rules.table import Burn, CloseBets, CloseSession, Cut, Deal, OpenBets, OpenShoe


@pytest.mark.parametrize(("name", "moves"), [("italy-prison", False), ("campione", True)])
def test_prisoners_are_moved_where_the_house_allows_it(name: str, *, moves: bool) -> None:
    """``limits.move_prisoners``: the command is listed only where the key is set."""
    table = Driver(name)
    table.shoe()
    table.do(OpenBets)
    assert ("move-prisoner" in table.table.allowed()) is moves


def test_a_shoe_that_is_prepared_has_no_coup_to_make_void() -> None:
    """Between the opening and the first bets: the next step, or the end of the session."""
    table = Driver("italian-program")
    table.do(OpenShoe, cards=PACK * 6)
    found = [table.table.allowed()]
    table.do(Cut, place=100)
    found.append(table.table.allowed())
    table.do(Burn)
    found.append(table.table.allowed())
    assert [{"void-coup", "close-session"} & {*each} for each in found] == [{"close-session"}] * 3


def test_the_cards_are_cut_with_bets_on_the_table() -> None:
    """Foster 1897: once the bets are closed the coup may be void, and the session is not closed."""
    table = Driver("foster-1897")
    table.do(OpenShoe, cards=PACK * table.house.shoe.packs)
    table.bet(("ann", "rouge", 10))
    table.do(CloseBets)
    allowed = table.table.allowed()
    assert "cut" in allowed
    assert {"void-coup", "close-session"} & {*allowed} == {"void-coup"}


def test_a_command_that_cannot_be_done_now_names_those_that_can() -> None:
    """The error has the state of the table in plain language, and every command it takes."""
    table = Driver("italy-prison")
    table.shoe()
    error = refused(table, "not-now", Deal)
    assert error.message.endswith("cannot be done now: the table is between two coups")
    assert error.hint == f"now: {', '.join(table.table.allowed())}"
    assert "open-bets" in error.hint
    fresh = Driver("italy-prison")
    fresh.do(CloseSession)
    assert refused(fresh, "not-now", Deal).hint == "now: nothing"
