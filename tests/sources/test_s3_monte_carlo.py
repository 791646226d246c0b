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

from trente_rules import (
    PACK,
    CardError,
    Colour,
    Coup,
    Shoe,
    Stake,
    Verdict,
    courses,
    deal_coup,
    load_house,
    refusals,
    void_coup,
)
from trente_rules.core import Row
from trente_rules.core.coup import POINTS, outcomes
from trente_rules.core.rules.announcements import bets_closed_calls, bets_open_calls, calls_of
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


@pytest.mark.parametrize(
    ("amount", "codes"),
    [(19, ["below-minimum"]), (20, []), (12_000, []), (12_001, ["above-maximum"])],
)
def test_s3_04_the_maximum_is_12000_the_minimum_20_francs(amount: int, codes: list[str]) -> None:
    """S3: "the maximum being 12,000 francs and the minimum 20 francs"."""
    placed = [Stake("a1", "alice", "rouge", amount)]
    assert [refusal.code for refusal in refusals(HOUSE, placed)] == codes


def test_s3_05_stakes_are_placed_on_the_divisions() -> None:
    """S3: "the stakes are placed on the divisions indicated on the table": each has its limit."""
    placed = [Stake(chance, "alice", chance, 12_000) for chance in HOUSE.deal.chances]
    assert refusals(HOUSE, placed) == ()


def test_s3_06_messieurs_faites_votre_jeu() -> None:
    """S3: "invites the players to stake with the formula" before the first card."""
    assert [HOUSE.words.say(call) for call in bets_open_calls(HOUSE.words)] == [
        "Messieurs, faites votre jeu !"
    ]


def test_s3_07_le_jeu_est_fait_rien_ne_va_plus() -> None:
    """S3: "Le jeu est fait, rien ne va plus!", "after which no stake can be made"."""
    said = [HOUSE.words.say(call) for call in bets_closed_calls(HOUSE.words)]
    assert said == ["Le jeu est fait", "Rien ne va plus !"]
    assert HOUSE.limits.rule.late_bets == "refused"


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


@pytest.mark.parametrize(
    ("coup", "said"),
    [
        (coup_with(31, 33), "Un, trois"),
        (coup_with(34, 33), "Quatre, trois"),
        (coup_with(39, 40), "Neuf, quarante"),
    ],
)
def test_s3_12_the_word_trente_is_omitted_but_forty_is_quarante(coup: Coup, said: str) -> None:
    """S3: "merely announcing un, trois, quatre ... though 40 is described as quarante"."""
    assert calls(HOUSE, coup)[0] == said


def test_s3_13_the_words_noir_and_inverse_are_never_used() -> None:
    """S3: "never used, the announcement being rouge gagne or rouge perd, couleur gagne ..."."""
    for first in POINTS:
        for second in POINTS:
            for colour in Colour:
                said = " ".join(calls(HOUSE, coup_with(first, second, colour))).lower()
                assert not {"noir", "inverse", "trente"} & set(said.replace(",", "").split())
                if first != second:
                    assert said.count("rouge gagne") + said.count("rouge perd") == 1


def test_s3_14_couleur_gagne_or_couleur_perd() -> None:
    """S3: where couleur does not share the fate of rouge, its own is announced."""
    assert "couleur perd" in calls(HOUSE, coup_with(35, 33, Colour.NOIR))[-1].lower()
    assert "couleur gagne" in calls(HOUSE, coup_with(33, 35, Colour.NOIR))[-1].lower()


def test_s3_15_couleur_wins_if_the_first_card_has_the_colour_of_the_winning_row() -> None:
    """S3: "depends upon the colour of the first card dealt", not of the winning row's own first."""
    for o in outcomes():
        fate = fates(HOUSE, coup_with(o.first, o.second, o.first_colour, o.second_colour))
        row = fate["rouge" if o.first_colour is Colour.ROUGE else "noir"]
        assert fate["couleur"] == row


def test_s3_16_example_rouge_gagne_et_le_couleur() -> None:
    """S3: "the first card dealt is red, and the lower row of the cards dealt is nearest to 30"."""
    coup = Coup.parse("9♥ K♠ 8♣ 7♠ / 10♣ Q♠ 10♠ 2♣")
    assert winners(HOUSE, coup) == {"rouge", "couleur"}
    assert calls(HOUSE, coup)[-1] == "Rouge gagne et le couleur"


def test_s3_17_example_rouge_perd_et_le_couleur() -> None:
    """S3: "the first card dealt is red, but the black or top row of cards is nearest to 30"."""
    coup = Coup.parse("9♥ K♠ 8♣ 4♠ / 10♣ Q♠ 10♠ 2♣")
    assert winners(HOUSE, coup) == {"noir", "inverse"}
    assert calls(HOUSE, coup)[-1] == "Rouge perd et le couleur"


def test_s3_18_example_trois_apres_and_the_deal_goes_for_nothing() -> None:
    """S3: "Should they both add up to 33, the dealer will announce 'Trois apres'"."""
    assert calls(HOUSE, TIE) == ["Trois après"]
    for chance in HOUSE.deal.chances:
        (line,) = follow(HOUSE, [TIE], chance=chance)
        assert (line.returned, line.won, line.forfeited) == (400, 0, 0)


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


def test_s3_21_or_he_withdraws_half_leaving_the_other_half_for_the_bank() -> None:
    """S3: "if the player prefers it he can withdraw half his stake"."""
    (line,) = follow(HOUSE, [REFAIT], "partage")
    assert (line.returned, line.forfeited, line.staying) == (200, 200, 0)
    placed = Stake("a1", "alice", "rouge", 400)
    offered = [course.name for course in courses(HOUSE, placed, Verdict.REFAIT)]
    assert offered == ["prison", "partage"]


@pytest.mark.parametrize(
    ("amount", "premium"), [(20, 5), (100, 5), (500, 5), (600, 6), (12_000, 120)]
)
def test_s3_22_assurance_is_one_per_cent_with_a_minimum_of_five_francs(
    amount: int, premium: int
) -> None:
    """S3: "by paying 1% on the value of the stake with a minimum of five francs"."""
    (line,) = follow(HOUSE, [ROUGE_WINS], amount=amount, insured=True)
    assert line.premium == premium


def test_s3_23_the_insured_withdraw_their_whole_stake() -> None:
    """S3: "When thus insured against a refait the player is at liberty to withdraw"."""
    (line,) = follow(HOUSE, [REFAIT], insured=True)
    assert (line.returned, line.forfeited, line.after) == (400, 0, None)


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


def test_s3_25_les_cartes_passent_when_too_few_are_left_for_two_rows() -> None:
    """S3: "When he has not enough left to complete the two rows": the coup comes to nothing."""
    shoe = HOUSE.shoe.prepare(Shoe.shuffled(6, SystemShuffler()))
    while not shoe.ended:
        dealt = deal_coup(shoe)
        shoe = dealt.shoe
        assert dealt.coup is not None or not shoe.left
    assert shoe.left == 0
    assert [HOUSE.words.say(call) for call in calls_of(HOUSE.words, "les_cartes_passent")] == [
        "Les cartes passent"
    ]
    (line,) = void_coup(HOUSE, [Stake("a1", "alice", "rouge", 400)]).lines
    assert (line.returned, line.forfeited) == (400, 0)


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
