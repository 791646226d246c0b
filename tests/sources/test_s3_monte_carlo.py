"""The encyclopaedia article on Monte Carlo (S3), clause by clause, in ``monte-carlo-1911``."""

from __future__ import annotations

from fractions import Fraction
from typing import Final

import pytest
from tests.sources.reading import (
    NOIR_WINS,
    REFAIT,
    ROUGE_WINS,
    TIE,
    calls,
    fates,
    follow,
    winners,
)
from tests.whole_units import units

from trente_rules import (
    PACK,
    CardError,
    Colour,
    Shoe,
    Stake,
    deal_coup,
    load_house,
    refusals,
)
from trente_rules.core import Row
from trente_rules.core.coup import POINTS, outcomes
from trente_rules.fair import SystemShuffler
from trente_rules.odds.coup_odds import CoupOdds, fresh_shoe, infinite_pack
from trente_rules.testing import coup_with

HOUSE: Final = load_house("monte-carlo-1911")


def all_ties(odds: CoupOdds) -> Fraction:
    """Return the probability that both rows end on the same point."""
    return sum((odds.tie(point) for point in POINTS), Fraction(0))


def test_s3_01_six_packs_of_fifty_two_cards() -> None:
    """S3: "Six packs of fifty-two cards each are used; these are well shuffled"."""
    assert HOUSE.shoe.packs == 6
    assert len(Shoe.shuffled(HOUSE.shoe.packs, SystemShuffler()).cards) == 6 * 52


def test_s3_02_any_player_cuts_with_a_blank_card() -> None:
    """S3: "asks any of the players to cut, handing him a blank card": it ends no taille."""
    assert (HOUSE.shoe.cut_by, HOUSE.shoe.marker) == ("player", None)
    shoe = HOUSE.shoe.prepare(Shoe.of_cards(PACK * 6, 6), cut_at=52)
    assert shoe.cards == PACK * 6
    assert shoe.marker is None


def test_s3_03_only_four_chances() -> None:
    """S3: "only four chances: rouge or noir, known as the grand tableau, couleur or inverse"."""
    assert [chance.id for chance in HOUSE.chances] == ["rouge", "noir", "couleur", "inverse"]


def test_s3_05_stakes_are_placed_on_the_divisions() -> None:
    """S3: "the stakes are placed on the divisions indicated on the table": each has its limit."""
    placed = [Stake(chance, "alice", chance, units(HOUSE, 12_000)) for chance in HOUSE.deal.chances]
    assert refusals(HOUSE, placed) == ()


def test_s3_08_no_card_is_burned() -> None:
    """S3 deals from the first card on: it knows no burned cards."""
    assert HOUSE.shoe.burn == 0
    assert deal_coup(HOUSE.shoe.prepare(Shoe.of_cards(PACK * 6, 6))).cards[0] == PACK[0]


def test_s3_09_a_row_is_something_more_than_thirty() -> None:
    """S3: "until the aggregate number of pips is something more than 30"."""
    assert Row.parse("10♠ 10♥ 10♦ 2♣").point == 32
    with pytest.raises(CardError, match="not complete"):
        Row.parse("10♠ 10♥ 10♦")


def test_s3_10_the_row_nearest_to_thirty_wins() -> None:
    """S3: "deals a second row, and that which comes nearest to 30 wins"."""
    for first in POINTS:
        for second in POINTS:
            won = winners(HOUSE, coup_with(first, second)) & {"rouge", "noir"}
            nearest = {"noir": first - 30, "rouge": second - 30}
            assert won == (
                set() if first == second else {min(nearest, key=lambda row: nearest[row])}
            )


def test_s3_11_top_row_is_noir() -> None:
    """S3: "the top row being always distinguished as noir, and the lower as rouge"."""
    assert HOUSE.deal.first_row == "noir"
    assert "noir" in winners(HOUSE, coup_with(31, 32))
    assert "rouge" in winners(HOUSE, coup_with(32, 31))


def test_s3_13_the_words_noir_and_inverse_are_never_used() -> None:
    """S3: "never used, the announcement being rouge gagne or rouge perd, couleur gagne ..."."""
    for first in POINTS:
        for second in POINTS:
            for colour in Colour:
                said = " ".join(calls(HOUSE, coup_with(first, second, colour))).lower()
                assert not {"noir", "inverse", "trente"} & set(said.replace(",", "").split())
                if first != second:
                    assert said.count("rouge gagne") + said.count("rouge perd") == 1


def test_s3_15_couleur_wins_if_the_first_card_has_the_colour_of_the_winning_row() -> None:
    """S3: "depends upon the colour of the first card dealt", not of the winning row's own first."""
    for o in outcomes():
        fate = fates(HOUSE, coup_with(o.first, o.second, o.first_colour, o.second_colour))
        row = fate["rouge" if o.first_colour is Colour.ROUGE else "noir"]
        assert fate["couleur"] == row


def test_s3_19_only_31_is_an_exception() -> None:
    """S3: "the deal goes for nothing except in the event of their adding up to 31"."""
    for point in POINTS:
        fate = set(fates(HOUSE, coup_with(point, point)).values())
        assert fate == {"refait" if point == 31 else "apres"}


def test_s3_20_un_apres_is_a_refait_and_stakes_are_put_in_prison() -> None:
    """S3: "the stakes are put in prison to be left for the decision of the next deal"."""
    assert calls(HOUSE, REFAIT) == ["Un après"]
    for chance in HOUSE.deal.chances:
        (line,) = follow(HOUSE, [REFAIT], chance=chance)
        assert (line.staying, line.after and line.after.state) == (400, "prison")
    assert follow(HOUSE, [REFAIT, ROUGE_WINS])[-1].returned == 400
    assert follow(HOUSE, [REFAIT, ROUGE_WINS])[-1].won == 0
    assert follow(HOUSE, [REFAIT, NOIR_WINS])[-1].forfeited == 400


@pytest.mark.parametrize(
    ("amount", "premium"), [(20, 5), (100, 5), (500, 5), (600, 6), (625, "6.25"), (12_000, 120)]
)
def test_s3_22_assurance_is_one_per_cent_with_a_minimum_of_five_francs(
    amount: int, premium: int | str
) -> None:
    """S3: "by paying 1% on the value of the stake with a minimum of five francs"."""
    (line,) = follow(HOUSE, [ROUGE_WINS], amount=units(HOUSE, amount), insured=True)
    assert line.premium == units(HOUSE, premium)


def test_s3_24_claim_a_refait_occurs_once_in_38_coups() -> None:
    """S3: "It has been calculated": a claim, and wrong; a refait comes once in 45.7 coups.

    38 is what the weights 13, 12, ... 4 of the points give (S4), counted per decided coup; the
    true odds count the cards, and give 41 decided coups to a refait.
    """
    six = fresh_shoe(6)
    assert round(1 / float(six.tie(31)), 1) == 45.7
    assert round(1 / float(infinite_pack().tie(31)), 1) == 45.6
    ties = Fraction(sum(weight**2 for weight in range(4, 14)), 85**2)
    assert round((1 - ties) / Fraction(13, 85) ** 2) == 38
    assert round((1 - all_ties(six)) / six.tie(31)) == 41


def test_s3_26_the_cards_are_reshuffled_and_another_deal_begins() -> None:
    """S3: "they are taken from the bowl, reshuffled": a shoe dealt out is whole again."""
    shoe = Shoe.shuffled(6, SystemShuffler())
    again = Shoe.of_cards(SystemShuffler().shuffle(shoe.cards), 6)
    assert again.position == 0
    assert again.left == 312


def test_s3_27_a_further_refait_leaves_the_prisoner_where_he_is() -> None:
    """S3 is silent on a second refait; its house reads "the decision of the next deal" so."""
    lines = follow(HOUSE, [REFAIT, REFAIT, TIE, ROUGE_WINS])
    assert [line.staying for line in lines] == [400, 400, 400, 0]
    assert lines[-1].returned == 400
