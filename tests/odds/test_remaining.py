"""The cards that are left: of a shoe, of a text, of counts; and what is no composition."""

from __future__ import annotations

import re
from random import Random
from typing import Any

import pytest

from trente_rules.core.cards import PACK, Card
from trente_rules.core.errors import TrenteError
from trente_rules.core.shoe import Shoe, deal_coup
from trente_rules.odds.coup_odds import CoupOdds, fresh_shoe
from trente_rules.odds.exact import count_cards, odds_of_cards
from trente_rules.odds.remaining import Composition, deal_odds


def shoe_of(packs: int, seed: int) -> Shoe:
    """Return a shoe in an order that can be had again."""
    cards = list(PACK * packs)
    Random(seed).shuffle(cards)  # noqa: S311 - test data
    return Shoe.of_cards(cards, packs)


def test_a_shoe_that_is_begun_leaves_the_cards_that_are_not_out() -> None:
    """After some coups: whole packs less the cards of these coups."""
    shoe = shoe_of(6, 1)
    out: list[Card] = []
    for _coup in range(5):
        coup = deal_coup(shoe)
        out += coup.cards
        shoe = coup.shoe
    left = Composition.of_shoe(shoe)
    assert left == Composition.after(6, out)
    assert (left.noir, left.rouge) == count_cards(shoe.rest)
    assert left.cards == shoe.left == 312 - len(out)


@pytest.mark.slow
def test_a_shoe_is_a_composition_for_both_engines() -> None:
    """``deal_odds`` of a shoe is that of the cards left in it; their order is not looked at."""
    shoe = shoe_of(1, 2)
    while shoe.left > 14:
        shoe = deal_coup(shoe).shoe
    odds = deal_odds(shoe)
    assert odds == deal_odds(Composition.of_shoe(shoe))
    turned = Shoe(shoe.cards[: shoe.position] + shoe.rest[::-1], 1, shoe.position)
    assert deal_odds(turned) == odds
    pytest.importorskip("numba")
    fast = deal_odds(shoe, "fast")
    pairs = zip(map(float, fast.row()), map(float, odds.row()), strict=True)
    assert all(abs(one - other) < 1e-12 for one, other in pairs)


def test_cards_burned_unseen_count_as_still_in() -> None:
    """Exchangeable: five cards that nobody saw change nothing, those that were shown are out."""
    burned = shoe_of(6, 3).burn(5)
    assert Composition.of_shoe(burned) == Composition.fresh(6)
    assert deal_odds(burned) == fresh_shoe(6)
    shown = Composition.of_shoe(burned, burn_shown=True)
    assert shown == Composition.after(6, burned.cards[:5])
    begun = deal_coup(burned)
    assert Composition.of_shoe(begun.shoe) == Composition.after(6, begun.cards)
    assert Composition.of_shoe(begun.shoe, burn_shown=True).cards == begun.shoe.left


def test_the_marker_changes_nothing_in_the_law_of_a_coup() -> None:
    """The cards behind it are as unseen as those before it."""
    shoe = shoe_of(6, 4)
    assert deal_odds(shoe.place_marker(30)) == deal_odds(shoe) == fresh_shoe(6)


def test_a_shoe_without_cards_has_no_next_coup() -> None:
    """Nothing is left to deal from."""
    shoe = shoe_of(1, 5)
    with pytest.raises(TrenteError, match="no card is left") as caught:
        deal_odds(Shoe(shoe.cards, 1, position=52))
    assert caught.value.code == "bad-composition"


def test_counts_name_both_colours_or_even_ones() -> None:
    """``24`` is twelve of each colour; ``12r+11b`` says which; spaces and small letters do."""
    left = Composition.parse("A:24, 2:12r+11b, x: 0r + 3b")
    assert left.noir == (12, 11, 0, 0, 0, 0, 0, 0, 0, 3)
    assert left.rouge == (12, 12, 0, 0, 0, 0, 0, 0, 0, 0)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "unknown card value"),
        ("11:2", "unknown card value '11:2'"),
        ("K:4", "unknown card value 'K:4'"),
        ("A", "'A' has no count"),
        ("A:", "'A:' has no count"),
        ("A:-2", "'A:-2' has no count"),
        ("A:1.5", "'A:1.5' has no count"),
        ("A:12r", "has no count"),
        ("A:12r+", "has no count"),
        ("A:r+b", "has no count"),
        ("A:12r11b", "has no count"),
        ("A:12b+11r", "has no count"),
        ("A:12r+-1b", "has no count"),
        ("A:12r+11b+2", "has no count"),
        ("A:23", "odd count"),
        ("A:\u0663\u0664", "has no count"),
        ("A:24,A:2", "named twice"),
        ("A:24;2:24", "has no count"),
        ("A:0", "no card is left"),
    ],
)
def test_a_text_that_is_no_composition_says_where(text: str, told: str) -> None:
    """The part that is wrong, and what to write."""
    with pytest.raises(TrenteError, match=re.escape(told)) as caught:
        Composition.parse(text)
    assert caught.value.code == "bad-composition"
    assert caught.value.hint


@pytest.mark.parametrize(
    ("counts", "told"),
    [
        (((-1, *(1,) * 9), (1,) * 10), "-1"),
        (((1,) * 10, (True, *(1,) * 9)), "true"),
        (((1,) * 10, ("1", *(1,) * 9)), "'1'"),
        (((1,) * 10, (2.0, *(1,) * 9)), "2.0"),
        (((1,) * 10, None), "None"),
        (((1,) * 10, 7), "7"),
        (((1,) * 9, (1,) * 10), "noir"),
        (((1,) * 10, (1,) * 11), "rouge"),
        (((0,) * 10, (0,) * 10), "no card"),
        (((1,) * 10,), "1 lists"),
        ((), "0 lists"),
        (None, "None"),
        (52, "52"),
        ("A:24", "'A:24'"),
    ],
)
@pytest.mark.parametrize("engine", ["exact", "fast"])
def test_counts_that_are_no_composition_are_refused(counts: Any, told: str, engine: Any) -> None:
    """Negative, not whole, a truth value, of another shape, or empty: named, for each engine."""
    with pytest.raises(TrenteError) as caught:
        deal_odds(counts, engine)
    assert caught.value.code == "bad-composition"
    assert told in caught.value.message
    assert caught.value.hint


@pytest.mark.parametrize(
    ("packs", "told"),
    [(0, "0 packs"), (-1, "-1 packs"), (True, "True"), (1.0, "1.0"), ("6", "'6'")],
)
def test_packs_are_a_whole_number(packs: Any, told: str) -> None:
    """For whole packs, and for the packs that bound a composition."""
    for make in (Composition.fresh, lambda n: Composition((1,) * 10, (1,) * 10, n)):
        with pytest.raises(TrenteError, match="packs") as caught:
            make(packs)
        assert caught.value.code == "bad-composition"
        assert told in caught.value.message


def test_more_cards_than_the_packs_hold_are_refused_by_value_and_colour() -> None:
    """Two red aces in a pack, eight black cards worth ten."""
    for text, told in (("A:3r+0b", "3 red cards of value A"), ("X:0r+9b", "9 black cards")):
        with pytest.raises(TrenteError, match=told) as caught:
            Composition.parse(text, packs=1)
        assert caught.value.code == "bad-composition"
    assert Composition.parse("A:2r+2b,X:8r+8b", packs=1).cards == 20


def test_cards_are_taken_out_of_any_number_of_packs() -> None:
    """A hundred million packs are counted, not laid out."""
    packs = 10**8
    left = Composition.after(packs, [Card.parse("A♠"), Card.parse("K♥")])
    assert left.noir == (2 * packs - 1, *(2 * packs,) * 8, 8 * packs)
    assert left.rouge == ((2 * packs,) * 9 + (8 * packs - 1,))


def test_the_exact_engine_takes_a_thousand_million_tens() -> None:
    """The number of cards alone costs no time: four tens a row, for sure."""
    many = [0] * 9 + [500_000_000]
    assert odds_of_cards(many, many).tie(40) == 1


def test_whole_packs_are_read_from_the_stored_tables() -> None:
    """Counts, a text and a shoe of six packs have one and the same odds, by one name."""
    counts = (12,) * 9 + (48,)
    text = ",".join(f"{value}:24" for value in "A23456789") + ",X:96"
    lists = [list(counts), list(counts)]
    for cards in ((counts, counts), lists, Composition.parse(text), Composition.fresh(6)):
        odds = deal_odds(cards)
        assert isinstance(odds, CoupOdds)
        assert odds == fresh_shoe(6)
