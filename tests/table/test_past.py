"""The past of a table, as a correction takes it: what players did in each coup, and each end."""

from __future__ import annotations

from typing import Any

import pytest
from tests.table.driving import Driver
from tests.table.laws import NOIR, REFAIT, ROUGE, house_like

from trente_rules import Coup
from trente_rules.table import (
    Choose,
    CloseBets,
    CloseSession,
    Correct,
    EndShoe,
    Insure,
    MovePrisoner,
    OpenBets,
    Round,
    Settle,
    Turn,
)
from trente_rules.table.past import Acts, Past, past_of
from trente_rules.testing import coup_with

INSURES_PRISONS = '[insurance]\ncovers = ["free", "prison"]\nminimum_stake = 0\nmultiple = 0'
TIE = "K♥ K♥ K♥ A♥ / K♦ K♦ K♦ A♦"
CLOSES = '[shoe]\nprisoners_at_end = "close"'


def imprisoned(base: str = "campione", more: str = INSURES_PRISONS) -> Driver:
    """Return a table whose first coup took ann's stake on rouge into prison."""
    table = Driver(house_like(base, more))
    table.shoe(REFAIT, ROUGE, ROUGE)
    table.bet(("ann", "rouge", 100))
    table.deal()
    table.do(Settle)
    return table


def past(table: Driver, coup: int, *, first: int = 0, **how: Any) -> Past:
    """Return the past of a coup of the first shoe, from the entries after so many."""
    entries = table.table.entries[first:]
    return past_of(entries, Round("s", 1, coup), table.table.state, **how)


def test_what_is_not_in_the_entries_has_no_past() -> None:
    """No coup, no steps, no choices, no acts."""
    found = past_of((), None, imprisoned().table.state)
    assert found.coup is None
    assert (found.steps, found.choices, dict(found.acts), found.direct) == ((), (), {}, False)


def test_the_acts_of_the_coup_that_is_on() -> None:
    """The chance a prisoner was moved to, its position there, and whether it is insured."""
    table = imprisoned()
    table.do(OpenBets)
    table.do(MovePrisoner, stake="ann-rouge", chance="noir")
    assert past(table, 1).acts == {"ann-rouge": Acts(chance="noir")}
    table.do(Insure, stake="ann-rouge")
    assert past(table, 1).acts == {"ann-rouge": Acts(chance="noir", insured=True)}


@pytest.mark.parametrize("close", [EndShoe, CloseSession])
def test_the_acts_of_a_coup_whose_bets_were_open_at_the_end(close: type[Any]) -> None:
    """A stake is closed as its player left it: the end has the acts of the coup before it."""
    table = imprisoned(more=f"{CLOSES}\n{INSURES_PRISONS}")
    table.do(OpenBets)
    table.do(MovePrisoner, stake="ann-rouge", chance="noir")
    if close is EndShoe:
        table.deal()
        table.do(Settle)
    table.do(close)
    end = past(table, 1).steps[-1]
    assert end.acts == ({} if close is EndShoe else {"ann-rouge": Acts(chance="noir")})


@pytest.mark.parametrize(
    ("base", "close", "of", "closes"),
    [
        ("italy-prison", EndShoe, "shoe", False),
        ("italy-prison", CloseSession, "session", True),
    ],
)
def test_an_end_is_of_the_shoe_or_of_the_session(
    base: str, close: type[Any], of: str, *, closes: bool
) -> None:
    """A session closes the stakes on the table; a shoe does only where the house says so."""
    table = imprisoned(base, '[shoe]\nprisoners_at_end = "carry"')
    table.do(close)
    end: Any = past(table, 1).steps[-1]
    assert (end.of, end.closes(table.house)) == (of, closes)
    assert bool(end.lines) is closes


def test_a_prisoner_from_before_the_entries_came_in_without_insurance_or_another_chance() -> None:
    """What was done for a prisoner within the entries is left off: insurance, proof, a move."""
    table = imprisoned(more=f"{INSURES_PRISONS}\nprepaid = false")
    (prisoner,) = table.table.state.stakes
    table.do(EndShoe)
    before = len(table.table.entries)
    table.shoe(ROUGE)
    table.do(OpenBets)
    table.do(Insure, stake="ann-rouge", proof=False)
    table.do(MovePrisoner, stake="ann-rouge", chance="noir")
    table.deal()
    table.do(Settle)
    entries = table.table.entries[before:]
    found = past_of(entries, Round("s", 2, 1), table.table.state).coup
    assert found is not None
    assert found.came == (prisoner,)
    acts = Acts(chance="noir", insured=True, proof=False)
    assert found.acts == {"ann-rouge": acts}


def test_prisoners_lie_as_they_lay_in_the_whole_past() -> None:
    """With the whole past the cloth is as it was, else as the settlement pays it."""
    table = Driver("italy-prison")
    table.shoe(REFAIT, ROUGE)
    table.bet(("ann", "noir", 100), ("bob", "rouge", 100), ("cy", "noir", 100))
    lay = [stake.id for stake in table.table.state.stakes]
    table.deal()
    table.do(Settle)
    table.bet()
    table.deal()
    table.do(Settle)
    whole = past(table, 2, whole=True).coup
    assert whole is not None
    assert [stake.id for stake in whole.stakes] == lay
    paid = past(table, 2).coup
    assert paid is not None
    assert sorted(stake.id for stake in paid.stakes) == sorted(lay)


def test_choices_of_the_coup_that_is_on_are_not_those_of_the_corrected_one() -> None:
    """A correction repeats the choices that hold again: they are of the coup that is on."""
    table = imprisoned("italy-prison", "")
    table.do(OpenBets)
    table.do(Choose, stake="ann-rouge", course="partage", verdict="refait")
    target = Round("s", 1, 1)
    table.do(Correct, reason="no coup", void=True, target=target)
    assert not table.table.state.choices
    table.do(Correct, reason="a coup", target=target)
    found = past(table, 1)
    assert (found.choices, found.coup and found.coup.choices) == (table.table.state.choices, ())
    assert [(each.course, each.state) for each in found.choices] == [("partage", "prison")]


@pytest.mark.parametrize("at_end", ["carry", "close"])
def test_a_corrected_line_of_an_end_is_one_of_the_end_that_closes(at_end: str) -> None:
    """The stakes that a correction puts on the table leave it with the shoe, or the session."""
    table = Driver(house_like("italy-prison", f'[shoe]\nprisoners_at_end = "{at_end}"'))
    table.live()
    table.bet(("ann", "rouge", 100))
    table.do(CloseBets)
    for card in coup_with(*NOIR).cards:
        table.do(Turn, card=card)
    table.do(Settle)
    table.do(EndShoe)
    table.do(CloseSession)
    target = Round("s", 1, 1)
    table.do(Correct, reason="video", cards=Coup.parse(TIE).cards, target=target)
    ends: Any = past(table, 1).steps[1:]
    closed = {end.of: [line.stake.id for line in end.lines] for end in ends}
    at = {"carry": "session", "close": "shoe"}[at_end]
    assert closed == {"shoe": [], "session": []} | {at: ["ann-rouge"]}
