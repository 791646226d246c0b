"""The prose rules translated from Italian (S0), clause by clause, in their own house.

S0 alone compares couleur with the first card of the winning line; its house is
``italy-two-prisons``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from typing import Final, TypeVar

import pytest
from tests.sources.reading import (
    NOIR_WINS,
    OPEN,
    REFAIT,
    ROUGE_WINS,
    TIE,
    calls,
    cash,
    fates,
    follow,
    winners,
)

from trente_rules import (
    PACK,
    Card,
    CardError,
    Choice,
    Colour,
    Coup,
    Shoe,
    Stake,
    courses,
    deal_coup,
    load_house,
    refusals,
    settle,
)
from trente_rules.core import Row
from trente_rules.core.chances import OPPOSITES, Verdict
from trente_rules.core.coup import POINTS, outcomes
from trente_rules.core.rules.announcements import bets_closed_calls
from trente_rules.fair import SystemShuffler
from trente_rules.odds.advantage import advantage
from trente_rules.odds.coup_odds import fresh_shoe, infinite_pack
from trente_rules.testing import coup_with, stacked_shoe

T = TypeVar("T")
HOUSE: Final = load_house("italy-two-prisons")


def test_s0_01_any_number_of_players_bet_against_the_bank() -> None:
    """S0: "A bet between the bank and an unlimited number of players"; its gain is their loss."""
    placed = [Stake(f"s{n}", f"player {n}", ("rouge", "noir")[n % 3 > 0], 10) for n in range(300)]
    assert refusals(HOUSE, placed, opening=OPEN) == ()
    done = settle(HOUSE, ROUGE_WINS, placed)
    assert len(done.lines) == 300
    assert (done.bank_net, done.players_net) == (1000, -1000)


def test_s0_02_losing_fiches_are_taken_and_winning_ones_paid() -> None:
    """S0: "The second croupier takes back losing fiches and pays the winning ones"."""
    placed = [Stake("w", "alice", "rouge", 10), Stake("l", "bob", "noir", 10)]
    lost, won = settle(HOUSE, ROUGE_WINS, placed).lines
    assert (lost.stake.id, lost.forfeited, lost.won) == ("l", 10, 0)
    assert (won.stake.id, won.returned, won.won) == ("w", 10, 10)


def test_s0_03_six_packs_of_52_are_312_cards() -> None:
    """S0: "6 french card packs (52 cards per pack), in all 312 cards"."""
    assert HOUSE.shoe.packs == 6
    shoe = Shoe.shuffled(HOUSE.shoe.packs, SystemShuffler())
    assert len(shoe.cards) == 312
    assert set(Counter(shoe.cards).values()) == {6}
    assert len(set(shoe.cards)) == len(PACK) == 52


def test_s0_04_five_cards_are_burned_at_the_start() -> None:
    """S0: "They use to burn the five starting cards": they are out and belong to no coup."""
    shoe = HOUSE.shoe.prepare(Shoe.of_cards(stacked_shoe([NOIR_WINS], burn=5).cards, 6))
    assert (shoe.burned, shoe.left) == (5, 307)
    assert deal_coup(shoe).coup == NOIR_WINS


@pytest.mark.parametrize("text", ["J♠", "Q♥", "K♦"])
def test_s0_05_court_cards_are_valued_at_ten(text: str) -> None:
    """S0: "Every card has got its specific value, while court-cards are valued at 10"."""
    assert Card.parse(text).points == 10


def test_s0_06_red_and_black_colour_and_inverse_are_exact_opposites() -> None:
    """S0: "Red and Black (exact opposite) and Colour and Inverse (exact opposite)": four areas."""
    assert sorted(HOUSE.deal.chances) == ["couleur", "inverse", "noir", "rouge"]
    opposite = {"win": "lose", "lose": "win", "apres": "apres", "refait": "refait"}
    for o in outcomes():
        fate = fates(HOUSE, coup_with(o.first, o.second, o.first_colour, o.second_colour))
        for chance, other in OPPOSITES.items():
            assert fate[other] == opposite[fate[chance]]


def test_s0_07_there_are_only_simple_chances() -> None:
    """S0: "In 30 et 40 we can only talk about simple chances": each pays even money."""
    assert all(chance.simple for chance in HOUSE.chances)
    assert {chance.odds for chance in HOUSE.chances} == {Fraction(1)}


def test_s0_08_the_cards_are_mixed() -> None:
    """S0: "The tailleur mixes cards": the shuffler is the caller's, and no card is lost by it."""

    class Mixer:
        """A mixer-dispenser that turns the cards over."""

        def shuffle(self, cards: Sequence[T]) -> tuple[T, ...]:
            """Return the cards in the other order."""
            return tuple(reversed(cards))

    shoe = Shoe.shuffled(6, Mixer())
    assert shoe.cards == tuple(reversed(PACK * 6))


def test_s0_09_les_jeux_sont_faits_rien_ne_va_plus() -> None:
    """S0: "The croupier says the famous sentence" (S0 spells it "faites") before the first card."""
    said = [HOUSE.words.say(call) for call in bets_closed_calls(HOUSE.words)]
    assert said == ["Les jeux sont faits", "Rien ne va plus"]


def test_s0_10_cards_fall_one_after_the_other_in_a_line() -> None:
    """S0: "One after the other, creating a line": a row keeps the order of the shoe."""
    shoe = stacked_shoe([NOIR_WINS])
    assert deal_coup(shoe).cards == shoe.cards[: len(NOIR_WINS.cards)]


def test_s0_11_a_line_stops_once_its_sum_is_over_thirty() -> None:
    """S0: "Once the sum of dealt cards values is over 30 the tailleur stops"; 30 is not over 30."""
    assert Row.parse("10♠ 10♥ 10♦ A♣").point == 31
    with pytest.raises(CardError, match="its total is 30"):
        Row.parse("10♠ 10♥ 10♦")
    with pytest.raises(CardError, match="is too long"):
        Row.parse("10♠ 10♥ 10♦ A♣ A♠")


def test_s0_12_the_sum_is_never_over_forty() -> None:
    """S0: "The sum should never be over 40": the highest is 30 and a card of ten."""
    assert POINTS == tuple(range(31, 41))
    assert Row.parse("10♠ 10♥ 10♦ K♣").point == 40


def test_s0_13_only_units_are_announced() -> None:
    """S0: "If the result is 33 he announces just 3 (in French)"."""
    assert calls(HOUSE, coup_with(33, 38))[0] == "Trois"


def test_s0_14_the_second_line_is_dealt_and_announced_the_same_way() -> None:
    """S0: "Then he starts creating a new line ... he will give notice of units only"."""
    assert calls(HOUSE, coup_with(33, 38))[1] == "Huit"
    assert coup_with(33, 38).second.point == 38


def test_s0_15_the_first_line_is_black_the_second_red() -> None:
    """S0: "By convention the first line is Black, while the second conforms with the Red"."""
    assert HOUSE.deal.first_row == "noir"
    assert "noir" in winners(HOUSE, coup_with(31, 40))
    assert "rouge" in winners(HOUSE, coup_with(40, 31))


def test_s0_16_the_minor_sum_wins() -> None:
    """S0: "If a player stakes Red he wins only if the second line has got a sum which is minor"."""
    for first in POINTS:
        for second in POINTS:
            won = winners(HOUSE, coup_with(first, second))
            assert ("rouge" in won) == (second < first)
            assert ("noir" in won) == (first < second)


def test_s0_17_colour_looks_at_the_first_card_of_the_winning_line() -> None:
    """S0: "The croupier considers just the first card of the winning line"; other houses do not."""
    for o in outcomes():
        if o.first == o.second:
            continue
        fate = fates(HOUSE, coup_with(o.first, o.second, o.first_colour, o.second_colour))
        winner, card = (
            (Colour.NOIR, o.first_colour) if o.first < o.second else (Colour.ROUGE, o.second_colour)
        )
        assert fate["couleur"] == ("win" if card == winner else "lose")
        assert fate["inverse"] == ("lose" if card == winner else "win")


def test_s0_18_example_black_wins_with_a_black_first_card() -> None:
    """S0: "If the first line is winning, and its first card is black, the Colour is winning"."""
    assert winners(HOUSE, Coup.parse("4♠ 10♥ J♦ 9♣ / 8♥ 7♦ Q♣ 10♥")) == {"noir", "couleur"}


@pytest.mark.parametrize(
    ("coup", "said"),
    [
        (coup_with(40, 35, Colour.NOIR, Colour.ROUGE), "Rouge gagne et couleur"),
        (coup_with(40, 35, Colour.ROUGE, Colour.NOIR), "Rouge gagne, la couleur perd"),
        (coup_with(35, 40, Colour.ROUGE, Colour.NOIR), "Rouge perd et couleur"),
        (coup_with(35, 40, Colour.NOIR, Colour.ROUGE), "Rouge perd, la couleur gagne"),
    ],
)
def test_s0_19_only_rouge_and_couleur_are_announced(coup: Coup, said: str) -> None:
    """S0: "Will always talk about Red (ROUGE) and Colour (COULEUR)", in French, win or lose."""
    assert calls(HOUSE, coup)[-1] == said
    assert HOUSE.language.code == "fr"


@pytest.mark.parametrize("point", POINTS[1:])
@pytest.mark.parametrize("chance", ["rouge", "noir", "couleur", "inverse"])
def test_s0_20_equal_sums_are_null(chance: str, point: int) -> None:
    """S0: "If the sum of two lines is equal, the game is null and players can take back"."""
    (line,) = follow(HOUSE, [coup_with(point, point)], chance=chance)
    assert (line.returned, line.won, line.forfeited, line.after) == (400, 0, 0, None)


@pytest.mark.parametrize("chance", ["rouge", "noir", "couleur", "inverse"])
def test_s0_21_at_31_apres_stakes_are_not_taken_back(chance: str) -> None:
    """S0: "If two sums are equal but amount to 31, players can not take back their stakes"."""
    (line,) = follow(HOUSE, [REFAIT], chance=chance)
    assert (line.verdict, line.returned, line.staying) == (Verdict.REFAIT, 0, 400)


def test_s0_22_the_stake_is_taken_back_only_if_the_chance_comes_next() -> None:
    """S0: "Only if in the following blow comes out the chance he staked"; freed, and not paid."""
    freed = follow(HOUSE, [REFAIT, ROUGE_WINS])
    assert (freed[-1].returned, freed[-1].won) == (400, 0)
    lost = follow(HOUSE, [REFAIT, NOIR_WINS])
    assert (lost[-1].returned, lost[-1].forfeited) == (0, 400)


def test_s0_23_the_partager_returns_half() -> None:
    """S0: "The player can ask for the partager ... the return of half-part of the stake"."""
    (line,) = follow(HOUSE, [REFAIT], "partage")
    assert (line.returned, line.forfeited, line.after) == (200, 200, None)


def test_s0_24_a_second_31_blocks_the_stake_till_the_following_blow() -> None:
    """S0: "If the 31 après comes out two times on end, the stake is blocked"."""
    twice = follow(HOUSE, [REFAIT, REFAIT])[-1]
    assert (twice.returned, twice.forfeited, twice.staying) == (0, 0, 400)


def test_s0_25_after_two_the_chance_must_come_in_the_following_two_blows() -> None:
    """S0: "The stake will set free only if the chance comes out in the following two blows"."""
    freed = follow(HOUSE, [REFAIT, REFAIT, ROUGE_WINS, ROUGE_WINS])
    assert [line.staying for line in freed] == [400, 400, 400, 0]
    assert (freed[-1].returned, freed[-1].won) == (400, 0)
    for losing in ([NOIR_WINS], [ROUGE_WINS, NOIR_WINS]):
        assert follow(HOUSE, [REFAIT, REFAIT, *losing])[-1].forfeited == 400


def test_s0_26_after_two_the_partager_returns_a_quarter() -> None:
    """S0: "He will have back just a quarter of the sum he has staked"."""
    lines = follow(HOUSE, [REFAIT, REFAIT], "prison", "partage")
    assert (lines[-1].returned, lines[-1].forfeited, cash(lines)) == (100, 300, 100)


def test_s0_27_a_win_on_any_chance_is_paid_the_total_of_the_stake() -> None:
    """S0: "The bank pays the total sum of the stake", on any chance."""
    noir = coup_with(33, 35, Colour.NOIR, Colour.NOIR)
    rouge = coup_with(35, 33, Colour.ROUGE, Colour.NOIR)
    for coup, chance in ((noir, "noir"), (noir, "couleur"), (rouge, "rouge"), (rouge, "inverse")):
        (line,) = follow(HOUSE, [coup], chance=chance)
        assert (line.verdict, line.returned, line.won) == (Verdict.WIN, 400, 400)


def test_s0_28_claim_the_advantage_is_1_096_per_cent() -> None:
    """S0: "The advantage of the Bank is 1.096%": a claim, true of an infinite pack.

    It is half of the refait, the advantage where the partager is taken. Six packs give 1.0946 %,
    and the two prisons without partager a little more.
    """
    assert round(float(infinite_pack().tie(31)) / 2, 5) == 0.01096
    by_policy = {
        str(wager.policy): wager.edge
        for wager in advantage(HOUSE, infinite_pack(), chances=["rouge"]).wagers
        if not wager.insured
    }
    assert by_policy["free/refait: partage"] == infinite_pack().tie(31) / 2
    assert round(float(max(by_policy.values())), 5) == 0.01110
    assert round(float(fresh_shoe(6).tie(31)) / 2, 6) == 0.010946


def test_s0_29_claim_it_is_less_than_at_roulette() -> None:
    """S0: "A value which is minor than the one of the roulette": half a zero in 37 is 1.35 %."""
    assert advantage(HOUSE, infinite_pack()).worst.edge < Fraction(1, 37) / 2


def test_s0_30_insurance_costs_one_per_cent() -> None:
    """S0: "The player can do this by using the 1% of his own stake"."""
    assert follow(HOUSE, [ROUGE_WINS], insured=True)[0].premium == 4


def test_s0_31_the_insured_take_back_their_fiches_at_31() -> None:
    """S0: "Once he runs into the 31 après, he can take back his fiches (null blow)"."""
    (line,) = follow(HOUSE, [REFAIT], insured=True)
    assert (line.returned, line.forfeited, line.after) == (400, 0, None)
    placed = Stake("a1", "alice", "rouge", 400, insured=True)
    assert [course.name for course in courses(HOUSE, placed, Verdict.REFAIT)] == ["insured"]
    assert settle(HOUSE, REFAIT, [placed], [Choice("a1", "partage")]).lines[0].returned == 400


def test_s0_32_many_casinos_insure_only_great_sums() -> None:
    """S0: "In many cases only to players whose stakes amount to great sums": Campione from 500."""
    campione = load_house("campione")
    small = Stake("a1", "alice", "rouge", 400, insured=True)
    codes = [refusal.code for refusal in refusals(campione, [small], opening=OPEN)]
    assert codes == ["insurance-below-minimum"]
    great = Stake("a1", "alice", "rouge", 500, insured=True)
    assert refusals(campione, [great], opening=OPEN) == ()


def test_s0_33_a_tie_in_prison_changes_nothing() -> None:
    """S0 is silent: a null game leaves a prisoner where he is (an inferred key of its house)."""
    assert follow(HOUSE, [REFAIT, TIE])[-1].staying == 400
