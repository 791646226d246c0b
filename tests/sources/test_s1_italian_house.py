"""The rules page of an Italian casino (S1), clause by clause; its house is ``italy-half-loss``."""

from __future__ import annotations

from typing import Final

import pytest
from tests.sources.reading import (
    NOIR_WINS,
    OPEN,
    REFAIT,
    ROUGE_WINS,
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
    Stake,
    deal_coup,
    load_house,
    loads_house,
    refusals,
    settle,
)
from trente_rules.core.coup import POINTS, outcomes
from trente_rules.core.rules.announcements import bets_open_calls, opening_calls
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


def test_s1_04_a_player_cuts_at_messieurs_a_la_coupe() -> None:
    """S1: "asks any of the players to cut ... declaring: 'Messieurs, à la coupe'"."""
    assert HOUSE.shoe.cut_by == "player"
    assert (
        HOUSE.words.say(opening_calls(HOUSE.words, HOUSE.shoe.burn)[0]) == "Messieurs, à la coupe"
    )
    shoe = HOUSE.shoe.prepare(Shoe.of_cards(PACK * 6, 6), cut_at=100)
    assert shoe.cards == (PACK * 6)[100:] + (PACK * 6)[:100]


def test_s1_05_five_cards_are_taken_at_messieurs_les_cinq_cartes() -> None:
    """S1: "The croupier then takes five cards from the pack"."""
    assert HOUSE.shoe.burn == 5
    assert (
        HOUSE.words.say(opening_calls(HOUSE.words, HOUSE.shoe.burn)[1])
        == "Messieurs, les cinq cartes"
    )
    assert deal_coup(HOUSE.shoe.prepare(Shoe.of_cards(PACK * 6, 6))).cards[0] == PACK[5]


def test_s1_06_bets_are_invited_with_messieurs_faites_vos_jeux() -> None:
    """S1: "with the phrase 'Messieurs, faites vos jeux'"."""
    assert [HOUSE.words.say(call) for call in bets_open_calls(HOUSE.words)] == [
        "Messieurs, faites vos jeux"
    ]


def test_s1_07_only_four_chances() -> None:
    """S1: "only four chances at Trente et Quarante: red, black, colour and inverse"."""
    assert [chance.id for chance in HOUSE.chances] == ["rouge", "noir", "couleur", "inverse"]


def test_s1_08_only_the_final_digit_is_announced() -> None:
    """S1: "if the total is 36, he announces '6'", and never the total: 40 is called as ten."""
    assert calls(HOUSE, coup_with(36, 40))[:2] == ["Six", "Dix"]
    said = {calls(HOUSE, coup_with(point, 32))[0] for point in POINTS if point != 32}
    assert not said & {word.capitalize() for word in HOUSE.language.numbers[30:]}


def test_s1_09_the_total_nearest_to_thirty_wins() -> None:
    """S1: "The winning row is the one with the total nearest to 30"."""
    for first in POINTS:
        for second in POINTS:
            won = winners(HOUSE, coup_with(first, second))
            assert ("noir" in won) == (first - 30 < second - 30)
            assert ("rouge" in won) == (second - 30 < first - 30)


def test_s1_10_rouge_gagne_et_couleur() -> None:
    """S1: "If the red row wins and the first card dealt is red"."""
    coup = coup_with(35, 33, Colour.ROUGE)
    assert winners(HOUSE, coup) == {"rouge", "couleur"}
    assert calls(HOUSE, coup)[-1] == "Rouge gagne et couleur"


def test_s1_11_rouge_gagne_la_couleur_perd() -> None:
    """S1: "If the red row wins and the first card dealt is black"."""
    coup = coup_with(35, 33, Colour.NOIR)
    assert winners(HOUSE, coup) == {"rouge", "inverse"}
    assert calls(HOUSE, coup)[-1] == "Rouge gagne, la couleur perd"


def test_s1_12_rouge_perd_et_couleur() -> None:
    """S1: "If the red row loses and the first card is red"."""
    coup = coup_with(33, 35, Colour.ROUGE)
    assert winners(HOUSE, coup) == {"noir", "inverse"}
    assert calls(HOUSE, coup)[-1] == "Rouge perd et couleur"


def test_s1_13_rouge_perd_la_couleur_gagne() -> None:
    """S1: "if the red row loses and the first card is black"."""
    coup = coup_with(33, 35, Colour.NOIR)
    assert winners(HOUSE, coup) == {"noir", "couleur"}
    assert calls(HOUSE, coup)[-1] == "Rouge perd, la couleur gagne"


def test_s1_14_the_first_card_dealt_decides_couleur_whichever_row_wins() -> None:
    """S1 speaks of "the first card dealt": the first card of the second row changes nothing."""
    for o in outcomes():
        pair = [coup_with(o.first, o.second, o.first_colour, other) for other in Colour]
        assert fates(HOUSE, pair[0]) == fates(HOUSE, pair[1])


def test_s1_15_losers_are_collected_from_right_to_left() -> None:
    """S1: "collects, from right to left, the losing bets"; stakes are told from the left."""
    placed = [Stake(f"{n}", "alice", "noir", 10) for n in range(1, 4)]
    lines = settle(HOUSE, ROUGE_WINS, placed).lines
    assert [line.stake.id for line in lines] == ["3", "2", "1"]


def test_s1_16_winners_are_paid_even_from_left_to_right_after_the_losers() -> None:
    """S1: "and pays even, from left to right, the winning ones"."""
    placed = [Stake(f"{n}", "bob", ("rouge", "noir")[n % 2], 10) for n in range(1, 7)]
    lines = settle(HOUSE, ROUGE_WINS, placed).lines
    assert [line.stake.id for line in lines] == ["5", "3", "1", "2", "4", "6"]
    assert [line.won for line in lines] == [0, 0, 0, 10, 10, 10]


@pytest.mark.parametrize("chance", ["rouge", "noir", "couleur", "inverse"])
def test_s1_17_at_31_stakes_not_insured_lose_half(chance: str) -> None:
    """S1: "When 31 après (un après) occurs, non-ensured stakes lose half of their value"."""
    (line,) = follow(HOUSE, [REFAIT], chance=chance)
    assert (line.returned, line.forfeited, line.staying) == (200, 200, 0)
    assert calls(HOUSE, REFAIT)[-1] == "Un après"


def test_s1_18_at_31_again_the_same_rule_applies() -> None:
    """S1: "If the two rows score again 31": what was left and staked again loses its half."""
    (first,) = follow(HOUSE, [REFAIT])
    (second,) = follow(HOUSE, [REFAIT], amount=first.returned)
    assert (second.returned, second.forfeited) == (100, 100)


def test_s1_19_insurance_is_one_per_cent_in_advance() -> None:
    """S1: "by paying in advance 1% of the ensured bet"; the insured lose nothing at 31."""
    (line,) = follow(HOUSE, [REFAIT], insured=True)
    assert (line.premium, line.returned, line.forfeited) == (4, 400, 0)
    assert HOUSE.insurance_table is not None
    assert HOUSE.insurance_table.proof_needed


def test_s1_20_without_proof_of_payment_a_bet_is_not_accepted() -> None:
    """S1: "Bets for which there is no valid proof of payment will not be accepted"."""
    placed = Stake("a1", "alice", "rouge", 400, insured=True, proof=False)
    codes = [refusal.code for refusal in refusals(HOUSE, [placed], opening=OPEN)]
    assert codes == ["insurance-without-proof"]


def test_s1_21_bets_after_rien_ne_va_plus_are_not_accepted() -> None:
    """S1: "after the announcement 'rien ne va plus', or after the first card is dealt"."""
    assert HOUSE.limits.rule.late_bets == "refused"


def test_s1_22_the_position_of_the_chip_determines_the_bet() -> None:
    """S1: "The chip's position determines the bet": of two alike, each goes as it lies."""
    placed = [Stake("1", "alice", "rouge", 10), Stake("2", "alice", "noir", 10)]
    done = settle(HOUSE, NOIR_WINS, placed)
    assert (done.line("1").forfeited, done.line("2").won) == (10, 10)


@pytest.mark.parametrize(
    ("amount", "codes"),
    [(9, ["below-minimum"]), (10, []), (1000, []), (1001, ["above-maximum"])],
)
def test_s1_23_minimum_and_maximum_are_respected(amount: int, codes: list[str]) -> None:
    """S1: "Players should also respect the minimum and maximum bet allowed"; it names neither."""
    house = loads_house(
        '[house]\nname = "h"\nextends = "italy-half-loss"\n[limits]\nminimum = 10\nmaximum = 1000\n'
    )
    placed = [Stake("a1", "alice", "rouge", amount)]
    assert [refusal.code for refusal in refusals(house, placed)] == codes


def test_s1_24_third_parties_do_not_help_past_the_maximum() -> None:
    """S1: "Inviting third parties to join the bet in order to exceed the limit is not allowed"."""
    house = loads_house(
        '[house]\nname = "h"\nextends = "italy-half-loss"\n[limits]\nminimum = 10\nmaximum = 1000\n'
    )
    each = [Stake("1", "alice", "rouge", 600), Stake("2", "bob", "rouge", 600)]
    assert refusals(house, each) == ()
    both = [
        Stake("1", "alice", "rouge", 600, group="alice"),
        Stake("2", "bob", "rouge", 600, group="alice"),
    ]
    assert [refusal.code for refusal in refusals(house, both)] == ["above-maximum"]


def test_s1_25_a_coup_reads_as_the_rules_deal_it() -> None:
    """S1: "deals as many cards as necessary for each row until he goes over 30"."""
    coup = Coup.parse("K♠ 5♥ 9♣ 6♦ A♠ / 8♥ 8♠ 8♦ 6♣ 3♠")
    assert coup.first.totals() == (10, 15, 24, 30, 31)
    assert coup.second.totals() == (8, 16, 24, 30, 33)
