"""What a wallet was debited for is what a command moves, or the command is refused."""

from __future__ import annotations

import pytest
from tests.table.laws import REFAIT

from trente_rules import NOIR, ROUGE, Opening, PhaseError, Table, load_house
from trente_rules.table import (
    CloseBets,
    Correct,
    Cut,
    Deal,
    Increase,
    Insure,
    MemoryJournal,
    OpenBets,
    OpenShoe,
    Place,
    PlaceMarker,
    Settle,
)
from trente_rules.testing import coup_with, stacked_shoe


def betting() -> Table:
    """Return a table whose bets are open, with 100.00 of ann's on rouge."""
    cards = stacked_shoe([coup_with(*REFAIT)]).cards
    table = Table(load_house("france-2007"), opening=Opening(1_000), journal=MemoryJournal())
    for command in (OpenShoe(id="1", cards=cards), Cut(id="2"), PlaceMarker(id="3")):
        table.do(command)
    table.do(OpenBets(id="4"))
    table.do(Place(id="5", stake="s", player="ann", chance=ROUGE, amount=10_000))
    return table


def test_a_command_that_would_move_other_units_than_previewed_is_refused() -> None:
    """T14, R3: insured meanwhile from another device, a larger stake costs a premium, too."""
    table = betting()
    more = Increase(id="6", player="ann", stake="s", amount=5_000)
    previewed = table.preview(more).movements
    assert [each.units for each in previewed] == [-5_000]
    table.do(Insure(id="7", player="ann", stake="s"))
    before = table.state
    with pytest.raises(PhaseError) as caught:
        table.execute(more, expected=previewed)
    assert caught.value.code == "other-movements"
    assert table.state is before
    again = table.preview(more).movements
    assert [each.units for each in again] == [-5_000, -50]
    entry = table.execute(more, expected=[*again])
    assert (entry.movements, entry.repeated) == (again, False)
    assert table.execute(more, expected=again).repeated


def test_a_command_that_was_done_is_compared_with_what_it_moved() -> None:
    """A retry after many coups moves nothing, and still has the movements of then."""
    table = betting()
    slip = Place(id="8", stake="t", player="bob", chance=NOIR, amount=3_000)
    previewed = table.preview(slip).movements
    table.execute(slip, expected=previewed)
    for command in (CloseBets(id="9"), Deal(id="10"), Settle(id="11")):
        table.do(command)
    table.do(Correct(id="12", reason="void", void=True))
    before = table.state
    assert table.execute(slip, expected=previewed).repeated
    with pytest.raises(PhaseError):
        table.execute(slip, expected=())
    assert table.state is before


def test_commands_that_are_done_together_are_previewed_together() -> None:
    """Issue 14: a slip and what is added to it are debited once, for all that they move."""
    table = betting()
    slip = Place(id="8", stake="t", player="bob", chance=NOIR, amount=3_000)
    more = Increase(id="9", player="bob", stake="t", amount=5_000)
    before = table.state
    previewed = table.preview_many((slip, more))
    assert [[each.units for each in entry.movements] for entry in previewed] == [[-3_000], [-5_000]]
    assert table.state is before
    with pytest.raises(PhaseError) as caught:
        table.do_many((slip, more), expected=previewed[0].movements)
    assert caught.value.code == "other-movements"
    assert table.state is before
    moved = [each for entry in previewed for each in entry.movements]
    assert table.do_many((slip, more), expected=moved) == previewed
    again = table.preview_many((slip, more))
    assert again == previewed
    assert all(each.repeated for each in again)
    with pytest.raises(PhaseError):
        table.preview_many((slip, CloseBets(id="10")))
