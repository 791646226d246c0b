"""The state of a table as a value: its fields, its calls."""

from __future__ import annotations

from tests.whole_units import whole_house

from trente_rules.core.chances import Verdict
from trente_rules.core.stakes import Choice
from trente_rules.table import TableState
from trente_rules.table.state import Setup


def test_a_state_is_made_with_its_stakes_and_choices_by_name() -> None:
    """``choices`` and ``stakes`` are the names that a state is made with, and read by."""
    choice = Choice("a", "partage", "free", Verdict("refait"))
    state = TableState(Setup(whole_house("france-2007")), choices=(choice,), stakes=())
    assert (state.choices, state.stakes) == ((choice,), ())
    assert not state.replaced(choices=()).choices


def test_the_calls_of_a_first_row_are_worked_out_once() -> None:
    """A table asks for them at every coup: for each colour of the first row there is one value."""
    setup = Setup(whole_house("france-2007"))
    assert setup.voice() is setup.voice("")
    assert setup.voice("rouge") is setup.voice("rouge")
    assert setup.voice("rouge") is not setup.voice("noir")
