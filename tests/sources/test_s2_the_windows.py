"""The commands and windows of an Italian computer program (S2), clause by clause.

A session at the table does what its buttons did, and counts what its windows showed.
"""

from __future__ import annotations

from tests.whole_units import whole_house

from trente_rules import Verdict
from trente_rules.core.cards import Card
from trente_rules.fair.entropy import SeededShuffler
from trente_rules.play.session import PlaySession, UiStep
from trente_rules.table import Phase
from trente_rules.table.events import CardTurned, CoupDealt
from trente_rules.testing import opening_of

SEED = "5e" * 16


def sit() -> PlaySession:
    """Sit down, shuffle, cut, and put the blue card 30 from the end: ready for the first bets."""
    house = whole_house("italian-program")  # a chip of 50 is 50 units
    shuffler = SeededShuffler(SEED)
    session = PlaySession.begin(house, opening_of(house), 10_000, shuffler)
    session.shuffle()
    session.cut(156)
    session.place_marker(30)
    return session


def play(session: PlaySession, coups: int, chance: str = "") -> None:
    """Deal so many coups of the taille, or all there are, a chip on a chance where one is told."""
    for _ in range(coups):
        if session.step is UiStep.SHUFFLE:
            break
        if chance:
            session.add(chance)
        session.deal()


def dealt(session: PlaySession) -> list[CoupDealt]:
    """Return the coups that were dealt."""
    return [event for event in session.events if isinstance(event, CoupDealt)]


def seen(session: PlaySession) -> list[Card]:
    """Return the cards that were turned."""
    return [event.card for event in session.events if isinstance(event, CardTurned)]


def test_s2_24_deal_deals_a_new_coup() -> None:
    """S2: "DEAL = Tira un nuovo colpo"."""
    session = sit()
    session.deal()
    assert len(dealt(session)) == 1
    session.deal()
    assert len(dealt(session)) == 2


def test_s2_25_reset_begins_again() -> None:
    """S2: "RESET = Azzera e ricomincia la partita"."""
    session = sit()
    session.choose_chip(100)
    session.add("rouge")
    play(session, 3)
    session.reset()
    assert session.purse == 10_000
    assert session.statistics.coups == 0
    assert session.step is UiStep.SHUFFLE


def test_s2_26_a_click_adds_the_chosen_chip_an_arrow_takes_it_off() -> None:
    """S2: "CHIPS VALUE": the stake is raised, or lowered, by the value of the chosen chip."""
    session = sit()
    session.choose_chip(50)
    session.add("rouge")
    session.add("rouge")
    assert [stake.amount for stake in session.stakes_on("rouge")] == [100]
    session.take("rouge")
    assert [stake.amount for stake in session.stakes_on("rouge")] == [50]
    assert session.purse == 9_950


def test_s2_27_insurance_costs_one_per_cent_of_the_stake() -> None:
    """S2: "INSURANCE = ... contro l'UN APRES pagando l' 1% della posta"."""
    session = sit()
    session.choose_chip(100)
    session.add("couleur")
    session.toggle_insurance("couleur")
    assert session.purse == 10_000 - 100 - 1


def test_s2_28_cut_shows_where_the_blue_card_lies() -> None:
    """S2: "CUT = Segna a che punto si trova il taglio": 30 cards from the end, as it was put."""
    session = sit()
    shoe = session.state.shoe
    assert shoe is not None
    assert shoe.marker == 312 - 30


def test_s2_29_points_are_those_that_are_out() -> None:
    """S2: "DECK: CARDS = le carte rimanenti / POINTS = il totale dei punti usciti"."""
    session = sit()
    play(session, 5)
    count = session.statistics.shoe
    assert count.points_out == sum(card.points for card in seen(session))
    assert count.cards_left == 312 - 5 - len(seen(session))


def test_s2_30_stakes_lost_and_won_are_counted() -> None:
    """S2: "LOSE / WIN = Segnano i colpi vinti / persi"."""
    session = sit()
    session.choose_chip(10)
    play(session, 12, "noir")
    verdicts = [dict(event.verdicts)["noir"] for event in dealt(session)]
    (player,) = session.statistics.players
    assert player.won == verdicts.count(Verdict.WIN)
    assert player.lost == verdicts.count(Verdict.LOSE) + verdicts.count(Verdict.REFAIT)


def test_s2_31_un_apres_and_the_outcomes_are_counted() -> None:
    """S2: "1 APRES = quante volte é uscito l'UN APRES", "OUTCOMINGS = Uscite delle 4 Chances"."""
    session = sit()
    play(session, 40)
    verdicts = [dict(event.verdicts) for event in dealt(session)]
    counted = session.statistics
    assert counted.refaits == sum(told["rouge"] == Verdict.REFAIT for told in verdicts)
    for chance, wins in counted.wins:
        assert wins == sum(told[chance] == Verdict.WIN for told in verdicts)
    assert len(counted.wins) == 4


def test_s2_32_low_and_high_cards_still_in_sevens_apart() -> None:
    """S2: "LOW (A,2,3,4,5,6) e HIGH (8,9,10,J,Q,K). I 7 ... neutrali"."""
    session = sit()
    play(session, 9)
    count = session.statistics.shoe
    assert count.low_in == 144 - sum(card.rank <= 6 for card in seen(session))
    assert count.high_in == 144 - sum(card.rank >= 8 for card in seen(session))


def test_s2_33_after_the_blue_card_the_next_is_shuffle_and_cut() -> None:
    """S2: "il gioco viene sospeso per rimescolare e tagliare" ("NEXT: SHUFFLE AND CUT")."""
    session = sit()
    play(session, 40)
    assert session.step is UiStep.SHUFFLE
    assert session.state.phase is Phase.NO_SHOE
    assert 20 <= len(dealt(session)) <= 32
