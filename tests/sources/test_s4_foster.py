"""Foster's Complete Hoyle (S4), clause by clause; its house is ``foster-1897``."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from typing import Final

import pytest
from tests.odds.rows import cards_in_a_row
from tests.sources.reading import (
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
    Card,
    Shoe,
    Stake,
    Verdict,
    close_session,
    load_house,
    loads_house,
    refusals,
    settle,
)
from trente_rules.core import Row
from trente_rules.core.coup import POINTS, outcomes
from trente_rules.fair import SystemShuffler
from trente_rules.odds.advantage import advantage
from trente_rules.odds.coup_odds import fresh_shoe, infinite_pack
from trente_rules.testing import coup_with

HOUSE: Final = load_house("foster-1897")
FOSTER: Final = dict(zip(POINTS, range(13, 3, -1), strict=True))
"""The proportions that S4 prints: 31 comes 13 times, 40 comes 4 times."""


def test_s4_01_any_number_of_persons_play_against_the_bank() -> None:
    """S4: "Any number of persons can play against the bank, placing their bets on the colour"."""
    placed = [Stake(f"{n}", f"player {n}", ("rouge", "noir")[n % 2], 10) for n in range(100)]
    assert refusals(HOUSE, placed) == ()
    assert settle(HOUSE, ROUGE_WINS, placed).bank_net == 0


def test_s4_02_six_packs_of_fifty_two_used_as_one() -> None:
    """S4: "Six packs of fifty-two cards each are shuffled together and used as one"."""
    assert HOUSE.shoe.packs == 6
    assert len(Shoe.shuffled(HOUSE.shoe.packs, SystemShuffler()).cards) == 312


def test_s4_06_until_he_reaches_or_passes_31() -> None:
    """S4: "until he reaches or passes 31": more than 30 in other words."""
    assert Row.parse("10♠ 10♥ 10♦ A♣").point == 31
    assert Row.parse("10♠ 10♥ 9♦ 9♣").point == 38


def test_s4_07_court_cards_and_tens_count_ten_the_ace_and_all_others_their_face() -> None:
    """S4: "Court cards and Tens count 10 each, the ace and all others for their face value"."""
    assert [Card(rank, "♠").points for rank in range(1, 14)] == [*range(1, 11), 10, 10, 10]


def test_s4_08_the_red_is_dealt_in_the_same_manner_and_the_nearest_to_31_wins() -> None:
    """S4: "whichever colour most closely approaches 31, wins"."""
    for first in POINTS:
        for second in POINTS:
            won = winners(HOUSE, coup_with(first, second))
            assert ("noir" in won) == (first - 31 < second - 31)
            assert ("rouge" in won) == (second - 31 < first - 31)


def test_s4_10_the_number_never_exceeds_forty() -> None:
    """S4: "The number dealt must never exceed 40": no last card lifts 30 higher."""
    assert max(30 + card.points for card in PACK) == POINTS[-1] == 40


def test_s4_11_couleur_is_paid_if_the_colour_of_the_first_card_wins() -> None:
    """S4: "The colour of the first card ... if the same colour wins": Couleur, else Inverse."""
    for o in outcomes():
        if o.first == o.second:
            continue
        won = winners(HOUSE, coup_with(o.first, o.second, o.first_colour, o.second_colour))
        assert ("couleur" in won) == (o.first_colour.id in won)
        assert ("inverse" in won) == (o.first_colour.id not in won)


def test_s4_12_all_bets_are_paid_in_even_money() -> None:
    """S4: "All bets are paid in even money, there being no odds at this game"."""
    assert {chance.odds for chance in HOUSE.chances} == {Fraction(1)}
    (line,) = follow(HOUSE, [ROUGE_WINS])
    assert (line.returned, line.won) == (400, 400)


@pytest.mark.parametrize("point", POINTS[1:])
def test_s4_14_the_same_number_is_announced_apres_and_is_a_stand_off(point: int) -> None:
    """S4: "announced by the word 'Après,' which means that all bets are a stand-off"."""
    assert calls(HOUSE, coup_with(point, point))[-1] == "Après"
    for chance in HOUSE.deal.chances:
        (line,) = follow(HOUSE, [coup_with(point, point)], chance=chance)
        assert (line.returned, line.won, line.forfeited) == (400, 0, 0)


def test_s4_15_every_tie_is_called_a_refait_but_only_31_loses() -> None:
    """S4: "If the refait happens to be exactly 31, however": the word is the same, "Après"."""
    assert calls(HOUSE, REFAIT)[-1] == "Après"
    assert set(fates(HOUSE, REFAIT).values()) == {"refait"}


def test_s4_19_a_second_refait_costs_a_fourth_and_the_rest_moves_on() -> None:
    """S4: "lose a fourth of this imprisoned stake, and the remainder ... into a second prison".

    D7: the bank has the fourth at once, and three quarters are in the second prison.
    """
    line = follow(HOUSE, [REFAIT, REFAIT])[-1]
    assert (line.forfeited, line.staying) == (100, 300)
    second = line.after
    assert second is not None
    assert (second.state, second.worth, second.standing) == ("prison-2", Fraction(300), 300)


def test_s4_21_read_literally_a_tie_in_prison_would_lose() -> None:
    """S4: "if not, they lose it all" taken by the letter; the house reads ties as no coup.

    A refait in the second prison is no win either. So read it costs 1.20035 % (infinite pack).
    """
    assert follow(HOUSE, [REFAIT, TIE])[-1].staying == 400
    literal = loads_house(
        '[house]\nname = "literal"\nextends = "foster-1897"\n'
        '[refait]\ntie = "loses"\nlast = "lose"\n'
    )
    assert follow(literal, [REFAIT, TIE])[-1].forfeited == 400
    wagers = advantage(literal, infinite_pack(), chances=["rouge"]).wagers
    prison = next(wager for wager in wagers if str(wager.policy) == "free/refait: prison")
    assert round(float(prison.edge), 7) == 0.0120035


def test_s4_22_there_is_no_insurance() -> None:
    """S4 knows none: an insured stake is refused."""
    placed = [Stake("a1", "alice", "rouge", 400, insured=True)]
    assert [refusal.code for refusal in refusals(HOUSE, placed)] == ["no-insurance"]


def test_s4_23_claim_31_comes_oftener_than_any_other_number() -> None:
    """S4: "the number 31 will come oftener than any other": true of six packs too."""
    for odds in (fresh_shoe(6), infinite_pack()):
        row = odds.row()
        assert all(more > less for more, less in pairwise(row))


def test_s4_24_claim_the_proportions_13_12_to_4() -> None:
    """S4: "31 - 13 times ... 40 - 4 times" of 85: a heuristic, not the odds, within .5 %.

    31 comes 14.81 times in a hundred (13 of 85 are 15.29), 40 comes 5.18 (4 of 85 are 4.71).
    """
    assert list(FOSTER.values()) == [13, 12, 11, 10, 9, 8, 7, 6, 5, 4]
    true = dict(zip(POINTS, infinite_pack().row(), strict=True))
    assert [round(float(true[point]), 4) for point in (31, 40)] == [0.1481, 0.0518]
    off = {point: float(Fraction(weight, 85) - true[point]) for point, weight in FOSTER.items()}
    assert 0 < max(map(abs, off.values())) < 0.005
    assert off[31] > 0 > off[40]


def test_s4_25_claim_the_31_refait_comes_oftener_than_any_other() -> None:
    """S4: "The 31 refait also comes oftener than any other": true."""
    ties = [fresh_shoe(6).tie(point) for point in POINTS]
    assert max(ties) == ties[0]
    assert ties == sorted(ties, reverse=True)


def test_s4_26_claim_the_odds_against_it_are_63_to_1() -> None:
    """S4: "supposed to be 63 to 1": a claim, and wrong; they are 44.7 to 1."""
    refait = fresh_shoe(6).tie(31)
    assert round(float((1 - refait) / refait), 1) == 44.7


def test_s4_27_claim_the_bankers_expect_it_twice_in_three_deals() -> None:
    """S4: "about twice in three deals": nearly right; .637 times a deal make 1.91 in three.

    That is 29 coups of a shoe dealt out, and it contradicts the 63 to 1 of the same sentence.
    """
    refait = float(fresh_shoe(6).tie(31))
    assert 1.8 < 3 * 29 * refait < 2
    assert round(29 / 64 * 3, 2) == 1.36


def test_s4_28_claim_each_deal_will_produce_28_to_33_coups() -> None:
    """S4: a claim; 312 cards are enough for 29.5 coups of the mean length, 28 to 30 are usual."""
    mean = 312 / (2 * cards_in_a_row(6))
    assert round(float(mean), 1) == 29.5


def test_s4_29_the_session_may_close_on_a_prisoner() -> None:
    """S4 is silent: its house hands a half back from the first prison, a quarter in all after."""
    first = follow(HOUSE, [REFAIT])[-1].after
    second = follow(HOUSE, [REFAIT, REFAIT])[-1].after
    assert first is not None
    assert second is not None
    assert close_session(HOUSE, [first]).lines[0].returned == 200
    assert close_session(HOUSE, [second]).lines[0].returned == 100
    assert close_session(HOUSE, [second]).lines[0].verdict == Verdict.CLOSE
