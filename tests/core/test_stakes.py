"""Stakes and the history of stakes: what they are built from, and what is refused."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from trente_rules import BetError, History, Stake
from trente_rules.core.money import MOST

THIRD = Fraction(1, 3)
PRISONER: dict[str, Any] = {"state": "prison", "share": THIRD}


@pytest.mark.parametrize(
    ("fields", "fault"),
    [
        ({"amount": 0}, "amount 0 is not a whole number from 1 to 10**18"),
        ({"amount": True}, "amount true is not a whole number from 1 to 10**18"),
        (
            {"state": "prison", "share": Fraction(3, 2)},
            "share Fraction(3, 2) is not a Fraction from 0 to 1",
        ),
        (
            {"state": "prison", "share": Fraction(-1, 2)},
            "share Fraction(-1, 2) is not a Fraction from 0 to 1",
        ),
        ({"state": "prison", "share": 0.5}, "share 0.5 is not a Fraction from 0 to 1"),
        ({**PRISONER, "handed_back": 101}, "101 units of 100 cannot be returned"),
        ({"position": 0}, "position 0 is not a whole number from 1"),
        ({"share": THIRD}, "a free stake is worth all of its amount"),
        ({"covered": True}, "no earlier premium covers a free stake"),
    ],
)
def test_a_stake_that_no_house_can_read_is_refused(fields: dict[str, Any], fault: str) -> None:
    """Amounts are whole units, shares parts of them; the sentence names the stake and the value."""
    with pytest.raises(BetError) as caught:
        Stake(**{"id": "a1", "owner": "ann", "chance": "rouge", "amount": 100, **fields})
    assert str(caught.value) == f"stake 'a1': {fault} (amounts are integers of units)"
    assert (caught.value.code, caught.value.stake) == ("bad-stake", "a1")


def test_a_stake_at_the_bounds_is_taken() -> None:
    """From one unit to 10**18, whole or worth nothing any more."""
    for share in (Fraction(0), Fraction(1)):
        assert Stake("a", "ann", "rouge", MOST, "prison", share, handed_back=MOST).share == share


def test_a_history_is_built_from_bets_by_their_name() -> None:
    """A host that kept pairs of party and units builds the history from them, and reads them."""
    bets = (("ann", 5), ("bob", 7), ("ann", 10))
    history = History(bets=bets)
    assert history.of_party("ann") == (5, 10)
    assert history.bets == (("ann", 5), ("ann", 10), ("bob", 7))
    assert history == History(bets=history.bets)
    assert History().bets == ()
