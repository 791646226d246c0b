"""The rules page of an Italian casino (S1), clause by clause; its house is ``italy-half-loss``."""

from __future__ import annotations

from typing import Final

import pytest
from tests.sources.reading import (
    REFAIT,
    calls,
    fates,
    follow,
    winners,
)

from trente_rules import (
    PACK,
    Card,
    CardError,
    Colour,
    Coup,
    Shoe,
    load_house,
)
from trente_rules.core.coup import POINTS, outcomes
from trente_rules.fair import SystemShuffler
from trente_rules.testing import coup_with

HOUSE: Final = load_house("italy-half-loss")


def test_s1_01_six_packs_a_sixain() -> None:
    """S1: "Six packs of the standard 52-card pack are used (Sixain)"."""
    assert HOUSE.shoe.packs == 6
    assert len(Shoe.shuffled(HOUSE.shoe.packs, SystemShuffler()).cards) == 6 * 52


def test_s1_02_face_cards_count_ten_all_others_their_face_value() -> None:
    """S1: "Face cards count 10, and all other cards are equal to their face value"."""
    assert [Card(rank, "♥").points for rank in range(1, 14)] == [*range(1, 11), 10, 10, 10]


def test_s1_03_the_cards_are_controlled() -> None:
    """S1: "the croupier ... controls and shuffles the cards": a missing card is named."""
    cards = list(PACK * 6)
    cards[0] = Card.parse("K♣")
    with pytest.raises(CardError, match="missing: 1 x A♠; extra: 1 x K♣"):
        Shoe.of_cards(cards, 6)


def test_s1_07_only_four_chances() -> None:
    """S1: "only four chances at Trente et Quarante: red, black, colour and inverse"."""
    assert [chance.id for chance in HOUSE.chances] == ["rouge", "noir", "couleur", "inverse"]


def test_s1_08_only_the_final_digit_is_announced() -> None:
    """S1: "if the total is 36, he announces '6'", and never the total: 40 is called as zero."""
    assert calls(HOUSE, coup_with(36, 40))[:2] == ["Six", "Zéro"]
    said = {calls(HOUSE, coup_with(point, 32))[0] for point in POINTS if point != 32}
    assert not said & {word.capitalize() for word in HOUSE.language.numbers[30:]}


def test_s1_09_the_total_nearest_to_thirty_wins() -> None:
    """S1: "The winning row is the one with the total nearest to 30"."""
    for first in POINTS:
        for second in POINTS:
            won = winners(HOUSE, coup_with(first, second))
            assert ("noir" in won) == (first - 30 < second - 30)
            assert ("rouge" in won) == (second - 30 < first - 30)


def test_s1_14_the_first_card_dealt_decides_couleur_whichever_row_wins() -> None:
    """S1 speaks of "the first card dealt": the first card of the second row changes nothing."""
    for o in outcomes():
        pair = [coup_with(o.first, o.second, o.first_colour, other) for other in Colour]
        assert fates(HOUSE, pair[0]) == fates(HOUSE, pair[1])


@pytest.mark.parametrize("chance", ["rouge", "noir", "couleur", "inverse"])
def test_s1_17_at_31_stakes_not_insured_lose_half(chance: str) -> None:
    """S1: "When 31 après (un après) occurs, non-ensured stakes lose half of their value"."""
    (line,) = follow(HOUSE, [REFAIT], chance=chance)
    assert (line.returned, line.forfeited, line.staying) == (200, 200, 0)
    assert calls(HOUSE, REFAIT)[-1] == "Un après"


def test_s1_25_a_coup_reads_as_the_rules_deal_it() -> None:
    """S1: "deals as many cards as necessary for each row until he goes over 30"."""
    coup = Coup.parse("K♠ 5♥ 9♣ 6♦ A♠ / 8♥ 8♠ 8♦ 6♣ 3♠")
    assert coup.first.totals() == (10, 15, 24, 30, 31)
    assert coup.second.totals() == (8, 16, 24, 30, 33)
