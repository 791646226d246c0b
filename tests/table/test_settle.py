"""What a settlement leaves on the table, and what it refuses."""

from __future__ import annotations

from tests.table.driving import Driver
from tests.table.laws import REFAIT, refused

from trente_rules.table import Choose, CloseSession, OpenBets, OpenShoe, Settle
from trente_rules.table.settle import voided_result


def test_a_void_coup_moves_nothing_of_the_bank() -> None:
    """Stakes and premiums are returned: the bank has neither won nor lost."""
    table = Driver("italy-prison")
    table.shoe(REFAIT)
    table.bet(("ann", "rouge", 100))
    table.deal()
    result = voided_result(table.table.state, "a quarrel")
    assert result.bank == 0
    assert [line.returned for line in result.lines] == [100]


def test_a_closed_session_has_nothing_left_to_cut() -> None:
    """Foster 1897: closed before the first cut; no shoe is left that waits for it."""
    table = Driver("foster-1897")
    table.do(OpenShoe)
    assert table.table.state.uncut
    table.do(CloseSession)
    state = table.table.state
    assert (state.uncut, state.shoe, state.last_shoe, state.first_row) == (False, None, None, "")


def test_a_choice_is_for_the_state_of_its_stake() -> None:
    """A stake in prison has no choice of a free one: the reply names the state and the way out."""
    table = Driver("italy-prison")
    table.shoe(REFAIT)
    table.bet(("ann", "rouge", 100))
    table.deal()
    table.do(Settle)
    table.do(OpenBets)
    fields = {"stake": "ann-rouge", "course": "partage", "state": "free", "verdict": "refait"}
    error = refused(table, "nothing-to-choose", Choose, **fields)
    assert error.message == ("stake 'ann-rouge' is in prison: it has no choice on refait in free")
    assert error.hint == "choose for a verdict of this coup, in the state of the stake"
