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
    fates,
    follow,
    winners,
)
from tests.whole_units import units

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
    refusals,
    settle,
)
from trente_rules.core import Row
from trente_rules.core.chances import OPPOSITES, Verdict
from trente_rules.core.coup import POINTS, outcomes
from trente_rules.fair import SystemShuffler
from trente_rules.odds.advantage import advantage
from trente_rules.odds.coup_odds import fresh_shoe, infinite_pack
from trente_rules.testing import coup_with, stacked_shoe

T = TypeVar("T")
HOUSE: Final = load_house("italy-two-prisons")


def test_s0_01_any_number_of_players_bet_against_the_bank() -> None:
    """S0: "A bet between the bank and an unlimited number of players"; its gain is their loss."""
    ten = units(HOUSE, 10)
    placed = [Stake(f"s{n}", f"player {n}", ("rouge", "noir")[n % 3 > 0], ten) for n in range(300)]
    assert refusals(HOUSE, placed, opening=OPEN) == ()
    done = settle(HOUSE, ROUGE_WINS, placed)
    assert len(done.lines) == 300
    assert (done.bank_net, done.players_net) == (100 * ten, -100 * ten)


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


def test_s0_33_a_tie_in_prison_changes_nothing() -> None:
    """S0 is silent: a null game leaves a prisoner where he is (an inferred key of its house)."""
    assert follow(HOUSE, [REFAIT, TIE])[-1].staying == 400
