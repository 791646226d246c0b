"""Rows and coups: where they end, and what is refused."""

from __future__ import annotations

import pytest
from hypothesis import given

from trente_rules import CardError, Colour, Coup, parse_cards
from trente_rules.core import Row
from trente_rules.core.coup import POINTS, outcome_index, outcomes
from trente_rules.testing import coup_with, rows


@pytest.mark.slow
@given(row=rows())
def test_a_row_ends_on_its_first_total_above_30(row: Row) -> None:
    """Every total but the last is 30 or less, and the last is 31 to 40."""
    *before, last = row.totals()
    assert max(before) <= 30
    assert last == row.point
    assert row.point in POINTS


def test_a_row_too_short_is_refused() -> None:
    """A row of 30 is not complete, and the error says its total."""
    with pytest.raises(CardError, match="its total is 30") as caught:
        Row.parse("10♠ 10♥ 10♦")
    assert caught.value.code == "row-too-short"


def test_a_row_too_long_is_refused() -> None:
    """More cards after the end of a row: the error names them."""
    with pytest.raises(CardError, match="too long: it ends on 31 after 4 cards") as caught:
        Row.parse("10♠ 10♥ 10♦ A♣ 2♣ 3♣")
    assert caught.value.code == "row-too-long"
    assert caught.value.extra == ("2♣", "3♣")


def test_a_row_without_cards_is_refused() -> None:
    """No card is no row."""
    with pytest.raises(CardError, match="without cards"):
        Row(())


@pytest.mark.parametrize(
    ("cards", "code"),
    [
        ("10♠ 10♥ 10♦ A♣ 10♠ 10♥ 10♦", "coup-too-short"),
        ("10♠ 10♥", "coup-too-short"),
        ("10♠ 10♥ 10♦ A♣ 10♠ 10♥ 10♦ A♣ 5♠", "coup-too-long"),
    ],
)
def test_a_coup_of_cards_handed_in_must_be_whole(cards: str, code: str) -> None:
    """Too few cards, or some left after the second row: an error that says which."""
    with pytest.raises(CardError) as caught:
        Coup.of_cards(parse_cards(cards))
    assert caught.value.code == code


def test_cards_handed_in_are_parted_into_rows() -> None:
    """The second row begins where the first has ended."""
    coup = Coup.parse("4♥ 10♠ J♦ 9♣ / 8♠ 7♦ Q♣ 6♥")
    assert Coup.of_cards(coup.cards) == coup
    assert str(coup) == "4♥ 10♠ J♦ 9♣ / 8♠ 7♦ Q♣ 6♥"


@pytest.mark.parametrize("text", ["", "10♠ 10♥ 10♦ A♣", "A♠ / 2♠ / 3♠"])
def test_a_coup_has_two_rows(text: str) -> None:
    """One row, or three, is no coup."""
    with pytest.raises(CardError) as caught:
        Coup.parse(text)
    assert caught.value.code == "not-two-rows"


def test_outcomes_are_numbered_in_order() -> None:
    """The 400 outcomes have the numbers 0 to 399, and a coup knows its own."""
    numbers = []
    for outcome in outcomes():
        parts = (outcome.first, outcome.second, outcome.first_colour, outcome.second_colour)
        numbers.append(outcome_index(*parts))
        assert coup_with(*parts).outcome == numbers[-1]
    assert numbers == list(range(400))


def test_the_colour_of_a_row_is_its_first_card() -> None:
    """A row knows the colour of its first card."""
    assert Row.parse("4♥ 10♠ J♠ 9♣").colour is Colour.ROUGE
