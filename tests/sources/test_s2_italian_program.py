"""The rules of an Italian computer program (S2), clause by clause, in ``italian-program``.

Its window and buttons are no rules of the game: see ``test_s2_the_windows``.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import Final

import pytest
from tests.sources.reading import (
    NOIR_WINS,
    OPEN,
    REFAIT,
    ROUGE_WINS,
    fates,
    follow,
    winners,
)
from tests.whole_units import units

from trente_rules import (
    PACK,
    Card,
    Coup,
    RuleError,
    Shoe,
    Stake,
    deal_coup,
    load_house,
    refusals,
    settle,
)
from trente_rules.core.coup import POINTS, outcomes
from trente_rules.fair import SystemShuffler
from trente_rules.odds.advantage import advantage
from trente_rules.odds.coup_odds import fresh_shoe
from trente_rules.testing import coup_with, stacked_shoe

HOUSE: Final = load_house("italian-program")
CHANCES: Final = ("rouge", "noir", "couleur", "inverse")
EXAMPLE: Final = Coup.parse("4♥ 10♠ J♣ 9♣ / 8♣ 7♠ Q♠ 6♣")


def test_s2_01_six_packs_312_cards() -> None:
    """S2: "con 6 mazzi da 52 carte, per un totale di 312 carte"."""
    assert HOUSE.shoe.packs == 6
    assert len(Shoe.shuffled(HOUSE.shoe.packs, SystemShuffler()).cards) == 312


def test_s2_02_ace_one_court_cards_ten_others_their_face_value() -> None:
    """S2: "L'asso vale 1 punto, le figure 10 punti, tutte le altre ... valore facciale"."""
    texts = ["A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K"]
    values = [Card.parse(f"{text}♦").points for text in texts]
    assert values == [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 10, 10]


def test_s2_03_only_four_kinds_of_bet() -> None:
    """S2: "soltanto 4 tipi di scommessa: ROUGE - NOIR - COULEUR - INVERSE"."""
    assert [chance.id for chance in HOUSE.chances] == list(CHANCES)
    (refused,) = refusals(HOUSE, [Stake("a1", "alice", "any-apres", 10)])
    assert refused.code == "unknown-chance"


def test_s2_04_the_first_row_is_noir() -> None:
    """S2: "Dapprima il croupier tira le carte per la prima fila (convenzionalmente NOIR)"."""
    assert HOUSE.deal.first_row == "noir"
    assert "noir" in winners(HOUSE, coup_with(31, 32))


def test_s2_05_a_row_stops_when_it_passes_thirty() -> None:
    """S2: "si deve fermare quando il punteggio supera 30 punti"."""
    shoe = stacked_shoe([Coup.parse("10♠ 10♥ 10♦ A♣ / 10♠ 9♥ 10♦ K♣")])
    dealt = deal_coup(shoe)
    assert dealt.coup is not None
    assert [row.totals() for row in dealt.coup.rows] == [(10, 20, 30, 31), (10, 19, 29, 39)]


def test_s2_06_the_second_row_is_rouge() -> None:
    """S2: "Poi tira carte per la seconda fila (ROUGE)"."""
    assert "rouge" in winners(HOUSE, coup_with(32, 31))


def test_s2_07_the_lower_point_wins() -> None:
    """S2: "Vince il colore che ha il punto PIU' BASSO"."""
    for first in POINTS:
        for second in POINTS:
            won = winners(HOUSE, coup_with(first, second))
            assert won & {"rouge", "noir"} == (
                set() if first == second else {"noir" if first < second else "rouge"}
            )


def test_s2_08_couleur_is_the_first_card_of_the_first_row() -> None:
    """S2: "Se la prima carta della prima fila é dello stesso colore della fila che ha vinto"."""
    for o in outcomes():
        if o.first == o.second:
            continue
        won = winners(HOUSE, coup_with(o.first, o.second, o.first_colour, o.second_colour))
        row = "noir" if o.first < o.second else "rouge"
        assert ("couleur" in won) == (o.first_colour.id == row)
        assert ("inverse" in won) == (o.first_colour.id != row)


def test_s2_09_example_rouge_and_couleur_win() -> None:
    """S2: "4 di cuori, 10, J, 9 = 33 punti per NOIR; 8, 7, Q, 6 = 31 punti per ROUGE".

    "Vince ROUGE e vince anche COULEUR perché la prima di tutte le carte é rossa". Only the suit of
    the four is told: the other cards are black here, the first of the second row among them.
    """
    assert (EXAMPLE.first.point, EXAMPLE.second.point) == (33, 31)
    assert fates(HOUSE, EXAMPLE) == {
        "rouge": "win",
        "noir": "lose",
        "couleur": "win",
        "inverse": "lose",
    }


@pytest.mark.parametrize("point", POINTS[1:])
def test_s2_10_equal_points_are_a_tie(point: int) -> None:
    """S2: "tutte e 2 le file abbiano lo stesso punteggio (32+32, 40+40 ecc...)": un pareggio."""
    for chance in CHANCES:
        (line,) = follow(HOUSE, [coup_with(point, point)], chance=chance)
        assert (line.returned, line.won, line.forfeited) == (400, 0, 0)


def test_s2_11_at_31_all_four_combinations_lose() -> None:
    """S2: "tranne nel caso che esca 31+31 ... tutte le 4 combinazioni perdono"."""
    placed = [Stake(chance, "alice", chance, 10) for chance in CHANCES]
    done = settle(HOUSE, REFAIT, placed)
    assert [line.forfeited for line in done.lines] == [10, 10, 10, 10]
    assert done.staying == ()


def test_s2_12_claim_it_is_a_bit_like_the_zero() -> None:
    """S2: "un pò l'equivalente dello Zero": 2.19 % a coup, a zero takes 2.70 % (1 in 37)."""
    edge = advantage(HOUSE, fresh_shoe(6), chances=["rouge"]).worst.edge
    assert edge == fresh_shoe(6).tie(31)
    assert round(float(edge), 4) == 0.0219
    assert edge < Fraction(1, 37)


def test_s2_13_insurance_is_a_hundredth_of_the_stake() -> None:
    """S2: "E' possibile assicurarsi contro l'UN APRES pagando 1/100 della posta"."""
    for amount in (100, 400, 12_000):
        (line,) = follow(HOUSE, [NOIR_WINS], amount=amount, insured=True)
        assert line.premium == amount // 100


def test_s2_14_the_insured_take_the_stake_back_as_at_a_tie() -> None:
    """S2: "il giocatore é libero di ritirare la posta come in un normale pareggio"."""
    (line,) = follow(HOUSE, [REFAIT], insured=True)
    (tie,) = follow(HOUSE, [coup_with(33, 33)])
    assert (line.returned, line.forfeited) == (tie.returned, tie.forfeited) == (400, 0)


def test_s2_15_five_cards_are_burned_unseen() -> None:
    """S2: "brucia (mette via) 5 carte dal mazzo senza che i giocatori le possano vedere"."""
    shoe = HOUSE.shoe.prepare(Shoe.of_cards(PACK * 6, 6), marker_from_end=20)
    assert (shoe.burned, HOUSE.shoe.burn_shown) == (5, False)
    assert deal_coup(shoe).cards[0] == shoe.cards[5]


@pytest.mark.parametrize("place", [20, 33, 40])
def test_s2_16_a_player_puts_the_card_between_the_last_20_and_40(place: int) -> None:
    """S2: "la inserisce tra le ultime 20 e 40 carte", both bounds among them."""
    assert HOUSE.shoe.marker is not None
    assert HOUSE.shoe.marker.placed_by == "player"
    shoe = HOUSE.shoe.prepare(Shoe.of_cards(PACK * 6, 6), marker_from_end=place)
    assert shoe.marker == 312 - place


@pytest.mark.parametrize("place", [0, 19, 41, 312])
def test_s2_17_the_card_is_put_nowhere_else(place: int) -> None:
    """S2 names the bounds: a place outside them is refused, and they are told."""
    with pytest.raises(RuleError, match="20 to 40 cards from the end"):
        HOUSE.shoe.prepare(Shoe.of_cards(PACK * 6, 6), marker_from_end=place)


def test_s2_18_the_coup_of_the_blue_card_is_the_last() -> None:
    """S2: "Quando uscirà la carta blu, sarà l'ultimo colpo": it is finished, then none begins."""
    assert HOUSE.shoe.marker is not None
    assert HOUSE.shoe.marker.on_marker == "last-coup"
    shoe = HOUSE.shoe.prepare(Shoe.shuffled(6, SystemShuffler()), marker_from_end=20)
    coups = 0
    while not HOUSE.shoe.ended(shoe):
        dealt = HOUSE.shoe.deal(shoe)
        assert dealt.coup is not None
        shoe, coups = dealt.shoe, coups + 1
        assert dealt.marker == (shoe.position > 292)
    assert shoe.position > 292  # D10: also where the card lies between two coups
    assert coups >= 15


def test_s2_19_every_coup_is_of_new_cards_until_the_shuffle() -> None:
    """S2: the cards are shuffled after the last coup, so no card comes twice before."""
    shoe = HOUSE.shoe.prepare(Shoe.shuffled(6, SystemShuffler()), marker_from_end=40)
    out: Counter[Card] = Counter(shoe.cards[:5])
    while not shoe.ended:
        dealt = deal_coup(shoe)
        out.update(dealt.cards)
        shoe = dealt.shoe
    assert max(out.values()) <= 6
    assert out + Counter(shoe.rest) == Counter(dict.fromkeys(PACK, 6))


def test_s2_20_a_bet_grows_by_the_value_of_a_chip() -> None:
    """S2: clicks add chips to a chance: three stakes on one chance are settled as their sum."""
    three = [Stake(f"{n}", "alice", "rouge", units(HOUSE, 25)) for n in range(3)]
    one = [Stake("all", "alice", "rouge", units(HOUSE, 75))]
    for coup in (ROUGE_WINS, NOIR_WINS, REFAIT):
        assert settle(HOUSE, coup, three).bank_net == settle(HOUSE, coup, one).bank_net
    assert refusals(HOUSE, three, opening=OPEN) == ()


def test_s2_21_each_combination_is_insured_by_itself() -> None:
    """S2: "INSURANCE = Consente di assicurare la combinazione puntata"."""
    placed = [
        Stake("1", "alice", "rouge", 100, insured=True),
        Stake("2", "alice", "couleur", 100),
    ]
    done = settle(HOUSE, REFAIT, placed)
    assert (done.line("1").returned, done.line("2").returned) == (100, 0)


def test_s2_22_the_cards_remaining_are_counted() -> None:
    """S2: "DECK: CARDS = Segna le carte rimanenti", the burned ones apart."""
    shoe = HOUSE.shoe.prepare(
        Shoe.of_cards(stacked_shoe([EXAMPLE], burn=5).cards, 6), marker_from_end=20
    )
    assert shoe.left == 307
    assert deal_coup(shoe).shoe.left == 299


def test_s2_23_both_rows_have_their_points() -> None:
    """S2: "NOIR / ROUGE = Segnano il punteggio di 1^ e 2^ fila"."""
    dealt = deal_coup(stacked_shoe([EXAMPLE]))
    assert dealt.coup is not None
    assert [row.point for row in dealt.coup.rows] == [33, 31]
