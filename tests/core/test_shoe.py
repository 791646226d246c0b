"""The shoe: whole packs, frozen order, cut, burn, marker, and running out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import pytest
from attrs import evolve

from trente_rules import PACK, Card, CardError, Colour, Shoe, deal_coup
from trente_rules.core.shoe import LiveShoe, ShoePlan
from trente_rules.fair import SystemShuffler
from trente_rules.testing import coup_with, stacked_shoe

T = TypeVar("T")
REFAIT = coup_with(31, 31, Colour.NOIR, Colour.ROUGE)


class Careless:
    """A shuffler that loses a card and doubles another."""

    def shuffle(self, cards: Sequence[T]) -> tuple[T, ...]:
        """Return the cards, the last one twice and the first one not at all."""
        return (*cards[1:], cards[-1])


def test_a_shoe_is_whole_packs() -> None:
    """312 cards in the order given; another number of packs is refused."""
    shoe = Shoe.of_cards(PACK * 6, 6)
    assert shoe.left == 312
    assert shoe.cards == PACK * 6


def test_missing_and_extra_cards_are_named() -> None:
    """Cards that are not whole packs: the error holds what is missing and what is extra."""
    cards = [*PACK[1:], PACK[-1]]
    with pytest.raises(CardError, match="missing: 1 x A♠; extra: 1 x K♣") as caught:
        Shoe.of_cards(cards, 1)
    assert caught.value.missing == ("1 x A♠",)
    assert caught.value.extra == ("1 x K♣",)


@pytest.mark.parametrize("packs", [0, -1, True, 1.0])
def test_packs_are_a_number_from_one(packs: int) -> None:
    """No other number of packs makes a shoe."""
    with pytest.raises(CardError) as caught:
        Shoe.of_cards(PACK, packs)
    assert caught.value.code == "no-packs"


def test_a_shuffler_passed_in_is_checked() -> None:
    """A shuffler that loses a card is found out."""
    with pytest.raises(CardError, match="not 6 whole packs"):
        Shoe.shuffled(6, Careless())


def test_the_system_shuffler_keeps_the_cards() -> None:
    """Shuffled cards are the same cards; two shuffles are not the same order."""
    one, other = (Shoe.shuffled(6, SystemShuffler()) for _ in range(2))
    assert sorted(map(str, one.cards)) == sorted(map(str, PACK * 6))
    assert one.cards != other.cards


def test_dealing_never_changes_the_order() -> None:
    """Cards come from the front, each once, until no coup can begin; the order stays."""
    shoe = Shoe.shuffled(6, SystemShuffler())
    shown: list[Card] = []
    while not shoe.ended:
        dealt = deal_coup(shoe)
        shown.extend(dealt.cards)
        assert dealt.shoe.cards is shoe.cards
        shoe = dealt.shoe
    assert tuple(shown) == shoe.cards[: len(shown)]
    assert len(shown) == shoe.position


def test_a_cut_moves_the_front_to_the_back() -> None:
    """The cards keep their order round the cut."""
    shoe = Shoe.of_cards(PACK, 1).cut(10)
    assert shoe.cards == PACK[10:] + PACK[:10]


def test_burned_cards_belong_to_no_coup() -> None:
    """Five cards burned at the front: the first coup begins with the sixth."""
    shoe = stacked_shoe([REFAIT], burn=5)
    assert shoe.position == shoe.burned == 5
    assert deal_coup(shoe).coup == REFAIT


@pytest.mark.parametrize(
    ("act", "code"),
    [
        (lambda shoe: shoe.cut(53), "bad-cut"),
        (lambda shoe: shoe.cut(-1), "bad-cut"),
        (lambda shoe: shoe.burn(53), "bad-burn"),
        (lambda shoe: shoe.place_marker(52), "bad-marker"),
        (lambda shoe: shoe.place_marker(-1), "bad-marker"),
        (lambda shoe: deal_coup(shoe).shoe.cut(5), "shoe-begun"),
        (lambda shoe: deal_coup(shoe).shoe.burn(5), "shoe-begun"),
        (lambda shoe: shoe.burn(52).take(), "shoe-empty"),
        (lambda shoe: deal_coup(shoe.burn(52)), "shoe-ended"),
    ],
)
def test_a_shoe_handled_out_of_turn_is_refused(act: object, code: str) -> None:
    """Each act out of bounds, or after the first card, is an error of its own."""
    assert callable(act)
    with pytest.raises(CardError) as caught:
        act(Shoe.of_cards(PACK, 1))
    assert caught.value.code == code


def test_the_marker_before_the_first_card_ends_the_shoe() -> None:
    """A marker met between two coups: no coup begins any more."""
    shoe = stacked_shoe([REFAIT, REFAIT]).place_marker(312 - len(REFAIT.cards))
    dealt = deal_coup(shoe)
    assert dealt.coup == REFAIT
    assert not dealt.marker
    assert dealt.shoe.ended


@pytest.mark.parametrize("behind", range(1, 8))
def test_the_marker_within_a_coup_finishes_or_stops_it(behind: int) -> None:
    """The coup is dealt to its end with the marker shown, or stops where the marker lies."""
    shoe = stacked_shoe([REFAIT]).place_marker(312 - behind)
    finished = deal_coup(shoe)
    assert finished.coup == REFAIT
    assert finished.marker
    assert finished.shoe.ended
    stopped = deal_coup(shoe, stop_at_marker=True)
    assert stopped.coup is None
    assert stopped.marker
    assert len(stopped.cards) == behind


def test_too_few_cards_leave_the_coup_unfinished() -> None:
    """Les cartes passent: what is left is shown, and there is no coup."""
    shoe = stacked_shoe([REFAIT, REFAIT])
    short = Shoe(shoe.cards[: len(REFAIT.cards) + 5], 6)
    first = deal_coup(short)
    assert first.coup == REFAIT
    second = deal_coup(first.shoe)
    assert second.coup is None
    assert len(second.cards) == 5
    assert second.shoe.ended


def test_cards_are_taken_one_by_one_until_none_is_in() -> None:
    """Each card once, in order; an empty shoe gives none."""
    shoe, taken = Shoe.of_cards(PACK, 1), []
    while shoe.left:
        card, shoe = shoe.take()
        taken.append(card)
    assert tuple(taken) == PACK
    with pytest.raises(CardError) as caught:
        shoe.take()
    assert caught.value.code == "shoe-empty"


def test_why_no_coup_can_begin_is_said() -> None:
    """The marker, the last card, or cards that are too few: what to do is the same."""
    whole = Shoe.of_cards(PACK, 1)
    marked = evolve(whole.burn(45), marker=45)
    few = ShoePlan(40, 52)
    for shoe, plan, reason in (
        (marked, None, "the marker has come up"),
        (whole.burn(52), None, "no card is left in the shoe"),
        (whole.burn(45), few, "the 7 cards that are left make no coup"),
    ):
        with pytest.raises(CardError) as caught:
            deal_coup(shoe, plan=plan)
        assert str(caught.value) == (
            f"no coup can begin: {reason} (shuffle the cards for a new taille)"
        )


def test_a_card_that_no_shoe_holds_is_not_noted() -> None:
    """The one who notes cards as they come out learns what is wrong and what to do."""
    shoe = LiveShoe(1)
    for card in PACK:
        shoe = shoe.see(card)
    with pytest.raises(CardError) as caught:
        shoe.see(PACK[0])
    assert str(caught.value) == (
        "A♠ cannot come up: all 52 cards are out (shuffle the cards for a new taille)"
    )
    assert (caught.value.code, caught.value.extra) == ("shoe-empty", ("A♠",))
    with pytest.raises(CardError) as caught:
        LiveShoe(1).see(PACK[0]).see(PACK[0])
    assert str(caught.value) == (
        "A♠ came up 1 time already: no more are in 1 pack "
        "(read the card again, or correct an earlier one)"
    )
