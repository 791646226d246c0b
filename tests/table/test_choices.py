"""What players choose, what prisoners do, and what is corrected."""

from __future__ import annotations

from typing import Any

import pytest
from tests.table.driving import Driver, kinds, said
from tests.table.laws import APRES, NOIR, REFAIT, ROUGE, house_like, net, refused

from trente_rules import Coup, Opening, Table
from trente_rules.core.cards import Card
from trente_rules.table import (
    Choose,
    CloseBets,
    CloseSession,
    Correct,
    EndShoe,
    Expose,
    Insure,
    MovePrisoner,
    OpenBets,
    Phase,
    Place,
    Settle,
    ShowMarker,
    Turn,
    VoidCoup,
    Withdraw,
)
from trente_rules.testing import coup_with


def settled(house: str, *coups: tuple[int, int], amount: int = 100) -> Driver:
    """Return a table on which Ann had a stake on rouge in the first coup, settled."""
    table = Driver(house)
    table.shoe(*coups)
    table.bet(("ann", "rouge", amount))
    table.deal()
    table.do(Settle)
    return table


def test_a_choice_made_in_advance_acts() -> None:
    """A player may say before the cards what he wants on a refait; a later choice replaces it."""
    table = Driver("france-2007")
    table.shoe(REFAIT)
    table.bet(("ann", "rouge", 100), ("bob", "noir", 100))
    table.do(Choose, stake="ann-rouge", course="prison")
    table.do(Choose, stake="ann-rouge", course="partage")
    table.do(Choose, stake="bob-noir", course="partage", player="bob")
    refused(table, "unknown-stake", Choose, stake="bob-noir", course="prison", player="ann")
    assert {choice.course for choice in table.table.state.choices} == {"partage"}
    table.deal()
    table.do(Choose, stake="bob-noir", course="prison")
    table.do(Settle)
    assert net(table) == {"ann": -50, "bob": -100}
    assert not table.table.state.choices


def test_a_choice_in_advance_is_of_this_coup_alone() -> None:
    """Where no refait comes it is gone; the next refait is answered by the default."""
    table = Driver("france-2007")
    table.shoe(APRES, REFAIT)
    table.bet(("ann", "rouge", 100))
    table.do(Choose, stake="ann-rouge", course="partage")
    table.deal()
    table.do(Settle)
    table.bet(("ann", "rouge", 100))
    table.deal()
    table.do(Settle)
    assert table.table.state.stakes[0].state == "prison"


def test_a_choice_that_can_never_act_is_refused() -> None:
    """Another state than the stake is in, the close, no course of the house, no verdict of it."""
    table = Driver("campione")
    table.shoe(REFAIT)
    table.bet(("ann", "rouge", 100))
    for code, fields in (
        ("nothing-to-choose", {"course": "partage", "state": "prison"}),
        ("nothing-to-choose", {"course": "taken-back", "verdict": "close"}),
        ("unknown-course", {"course": "escape"}),
        ("unknown-course", {"course": ""}),
        ("unknown-verdict", {"course": "partage", "verdict": "nought"}),
        ("bad-value", {"course": "partage", "verdict": 3}),
    ):
        refused(table, code, Choose, stake="ann-rouge", **fields)
    refused(table, "unknown-stake", Choose, stake="zoe", course="partage")


def test_a_choice_falls_with_its_stake() -> None:
    """A stake that is withdrawn takes its choice along; placed anew it has none."""
    table = Driver("france-2007")
    table.shoe(REFAIT)
    table.bet(("ann", "rouge", 100))
    table.do(Choose, stake="ann-rouge", course="partage")
    table.do(Withdraw, stake="ann-rouge")
    assert table.table.state.choices == ()
    table.do(Place, stake="ann-rouge", player="ann", chance="noir", amount=100)
    table.deal()
    table.do(Settle)
    assert net(table) == {"ann": -100}


def test_what_has_not_come_cannot_be_chosen_for() -> None:
    """Once the coup is dealt, a choice is for the verdict that met the stake."""
    table = Driver("france-2007")
    table.shoe(ROUGE)
    table.bet(("ann", "rouge", 100))
    assert "choice-offered" not in kinds(table.deal())
    refused(table, "nothing-to-choose", Choose, stake="ann-rouge", course="partage")


def test_an_insured_stake_has_nothing_to_choose_on_a_refait() -> None:
    """It comes back whole: no choice is offered, and one made in advance is dropped."""
    table = Driver("france-2007")
    table.shoe(REFAIT)
    table.do(OpenBets)
    table.do(Place, stake="a", player="ann", chance="rouge", amount=100, insured=True)
    table.do(Choose, stake="a", course="partage")
    assert "choice-offered" not in kinds(table.deal())
    refused(table, "course-not-offered", Choose, stake="a", course="partage")
    events = table.do(Settle)
    assert kinds(events) == ["choice-dropped", "stake-settled", "coup-settled"]
    assert net(table) == {"ann": -1}


def test_a_partage_below_the_minimum_is_dropped() -> None:
    """What would be returned below the minimum stays in prison until it is free."""
    table = Driver("spain-1979")
    house = house_like("spain-1979", '[refait]\npartage_not_below = "minimum"\n')
    table.table = Table(house, opening=Opening(100))
    table.shoe(REFAIT)
    table.bet(("ann", "rouge", 199), ("bob", "noir", 200))
    table.do(Choose, stake="ann-rouge", course="partage")
    offered = [event for event in table.deal() if event.kind == "choice-offered"]
    assert [event.stake.owner for event in offered] == ["bob"]  # type: ignore[attr-defined]
    refused(table, "course-not-offered", Choose, stake="ann-rouge", course="partage")
    table.do(Choose, stake="bob-noir", course="partage")
    events = table.do(Settle)
    assert kinds(events)[0] == "choice-dropped"
    assert net(table) == {"ann": -199, "bob": -100}


def test_two_prisons_are_left_one_at_a_time() -> None:
    """Italian prose rules: a second refait leads deeper, and each win leads one prison out."""
    table = settled("italy-two-prisons", REFAIT, REFAIT, ROUGE, ROUGE)
    states = [table.table.state.stakes[0].state]
    for _coup in range(3):
        table.bet()
        table.deal()
        table.do(Settle)
        states += [stake.state for stake in table.table.state.stakes]
    assert states == ["prison", "prison-2", "prison"]
    assert net(table) == {"ann": 0}
    assert said(table.do(OpenBets)) == ["faites_vos_jeux"]


@pytest.mark.parametrize("house", ["campione", "homburg-1860"])
def test_a_prisoner_is_moved_and_still_in_prison(house: str) -> None:
    """Campione, Homburg: a stake in prison may wait on another chance."""
    table = settled(house, REFAIT, NOIR)
    table.do(OpenBets)
    refused(table, "same-chance", MovePrisoner, stake="ann-rouge", chance="rouge")
    refused(table, "unknown-chance", MovePrisoner, stake="ann-rouge", chance="zero")
    refused(table, "unknown-stake", MovePrisoner, stake="zoe", chance="noir")
    refused(table, "unknown-stake", MovePrisoner, stake="ann-rouge", chance="noir", player="bob")
    table.do(Place, stake="b", player="bob", chance="rouge", amount=100)
    refused(table, "not-a-prisoner", MovePrisoner, stake="b", chance="noir")
    (moved,) = table.do(MovePrisoner, stake="ann-rouge", chance="noir", player="ann")
    assert (moved.stake.chance, moved.was_on) == ("noir", "rouge")  # type: ignore[attr-defined]
    table.deal()
    assert said(table.do(Settle))[-1] == "libre"
    assert net(table) == {"ann": 0, "bob": -100}


def test_a_void_puts_a_moved_prisoner_back() -> None:
    """Void: the prisoner stands where it stood, and the line of the void says so."""
    table = settled("campione", REFAIT, NOIR)
    before = table.table.state.stakes
    table.do(OpenBets)
    table.do(MovePrisoner, stake="ann-rouge", chance="inverse")
    table.deal()
    (voided, *_calls) = table.do(VoidCoup, reason="a card fell")
    assert table.table.state.stakes == before
    assert tuple(line.after for line in voided.lines) == before  # type: ignore[attr-defined]


def test_an_insured_prisoner_is_moved_with_its_insurance() -> None:
    """Where prisons are insured, the premium stays with the stake, and comes back with a void."""
    text = '[insurance]\ncovers = ["free", "prison"]\nminimum_stake = 0\nmultiple = 0'
    for last, richer in ((REFAIT, -101), (NOIR, -1)):
        table = Driver(house_like("campione", text))
        table.shoe(REFAIT, last)
        table.bet(("ann", "rouge", 100))
        table.deal()
        table.do(Settle)
        table.do(OpenBets)
        table.do(Insure, stake="ann-rouge")
        table.do(MovePrisoner, stake="ann-rouge", chance="noir")
        assert net(table) == {"ann": -101}
        table.do(VoidCoup, reason="a card fell")
        assert net(table) == {"ann": -100}
        assert not table.table.state.stakes[0].insured
        table.do(OpenBets)
        table.do(Insure, stake="ann-rouge")
        table.do(MovePrisoner, stake="ann-rouge", chance="noir")
        table.deal()
        table.do(Settle)
        assert net(table) == {"ann": richer}


def live_coup(house: str, points: tuple[int, int], *stakes: tuple[str, str, int]) -> Driver:
    """Return a live table with a coup settled on these points."""
    table = Driver(house)
    table.live()
    table.bet(*stakes)
    table.turn(coup_with(*points))
    table.do(Settle)
    return table


def test_the_cards_of_a_live_shoe_are_corrected() -> None:
    """A card read wrong: its coup is settled again, and the right card is out, the wrong one in."""
    table = live_coup("monte-carlo-1911", ROUGE, ("ann", "rouge", 100), ("bob", "noir", 100))
    assert net(table) == {"ann": 100, "bob": -100}
    read = coup_with(*ROUGE).cards
    right = coup_with(*NOIR).cards
    seen = table.table.state.shoe.position  # type: ignore[union-attr]
    refused(table, "coup-too-short", Correct, reason="misread", cards=right[:5])
    refused(table, "coup-too-long", Correct, reason="misread", cards=(*right, Card(2, "♠")))
    events = table.do(Correct, reason="misread", cards=right)
    assert kinds(events)[:2] == ["coup-corrected", "coup-dealt"]
    assert net(table) == {"ann": -100, "bob": 100}
    assert table.table.state.shoe.seen == right  # type: ignore[union-attr]
    assert seen == 8
    table.do(Correct, reason="it was right", cards=read)
    assert net(table) == {"ann": 100, "bob": -100}
    table.do(Correct, reason="nobody knows", void=True)
    assert net(table) == {"ann": 0, "bob": 0}
    table.do(Correct, reason="the video knows", cards=read)
    assert net(table) == {"ann": 100, "bob": -100}


def test_a_card_that_cannot_be_out_corrects_nothing() -> None:
    """The corrected cards come from the same packs as all others."""
    table = Driver(house_like("monte-carlo-1911", "[shoe]\npacks = 1"))
    table.live()
    table.bet()
    table.do(CloseBets)
    cards = Coup.parse("10♠ J♠ Q♠ 8♠ / K♠ 10♥ J♥ A♥").cards
    for card in cards:
        table.do(Turn, card=card)
    table.do(Settle)
    twice = (cards[0], cards[0], *cards[2:])
    refused(table, "too-many-of-a-card", Correct, reason="misread", cards=twice)


def test_a_shoe_of_known_order_has_no_cards_to_correct() -> None:
    """What was dealt is known: choices are corrected, or the coup is void."""
    table = settled("france-2007", REFAIT)
    cards = coup_with(*ROUGE).cards
    refused(table, "cards-known", Correct, reason="misread", cards=cards)
    refused(table, "cards-known", Correct, reason="misread", cards=cards[:1])
    refused(table, "unknown-stake", Correct, reason="x", choices=(("zoe", "partage"),))
    refused(table, "unknown-course", Correct, reason="x", choices=(("ann-rouge", "escape"),))
    refused(table, "bad-value", Correct, reason="x", choices=("ab",))
    table.do(Correct, reason="x", choices=(("ann-rouge", "partage"),))
    table.do(Correct, reason="no", choices=(("ann-rouge", "prison"),))
    assert net(table) == {"ann": -100}


def test_a_correction_after_the_coup_that_ended_the_shoe() -> None:
    """The shoe's end, and the close of its prisoners, are made again with it."""
    text = '[shoe]\nprisoners_at_end = "close"\ncount_talon = false\n[shoe.marker]\nfrom_end = 304'
    table = Driver(house_like("france-2007", text))
    table.shoe(REFAIT)
    table.bet(("ann", "rouge", 101))
    table.deal()
    events = table.do(Settle)
    assert kinds(events).count("stake-settled") == 2
    assert net(table) == {"ann": -51}
    events = table.do(Correct, reason="she asked", choices=(("ann-rouge", "partage"),))
    assert kinds(events)[-1] == "shoe-ended"
    assert kinds(events).count("stake-settled") == 1
    assert net(table) == {"ann": -51}
    table.do(Correct, reason="a row was read twice", void=True)
    assert net(table) == {"ann": 0}
    assert table.table.state.phase is Phase.NO_SHOE
    table.shoe(ROUGE)
    refused(table, "not-now", Settle)


def test_a_shoe_that_was_ended_by_hand_is_not_opened_by_a_correction() -> None:
    """T3: after les cartes passent the last coup is corrected, and the shoe has ended still."""
    known = settled("france-2007", REFAIT)
    known.do(EndShoe)
    known.do(Correct, reason="late", choices=(("ann-rouge", "partage"),))
    assert (net(known), known.table.state.phase) == ({"ann": -50}, Phase.NO_SHOE)
    live = live_coup("france-2007", ROUGE, ("ann", "rouge", 100))
    live.do(ShowMarker)
    live.do(Correct, reason="late", cards=coup_with(*NOIR).cards)
    assert (net(live), live.table.state.phase) == ({"ann": -100}, Phase.NO_SHOE)


def test_a_corrected_coup_counts_once_in_the_progression() -> None:
    """A correction settles the same bets again: they are no further bets."""
    table = settled("venezia-online", ROUGE, ROUGE, amount=2)
    for _time in range(3):
        table.do(Correct, reason="x")
    assert table.table.state.history.bets == (("ann", 2),)


def test_reasons_are_given() -> None:
    """A void and a correction say why they are made."""
    table = settled("france-2007", REFAIT)
    refused(table, "no-reason", Correct, reason="")
    table.do(OpenBets)
    refused(table, "no-reason", VoidCoup, reason=" \n")
    assert table.do(VoidCoup, reason="a card fell")[0].reason == "a card fell"  # type: ignore[attr-defined]


def test_a_session_closed_with_bets_open_gives_stakes_and_premiums_back() -> None:
    """Free stakes and premiums are taken back, a prisoner is handed back what the house says."""
    table = settled("france-2007", REFAIT)
    table.do(OpenBets)
    table.do(Place, stake="b", player="bob", chance="noir", amount=200, insured=True)
    table.do(Choose, stake="b", course="partage")
    table.do(CloseSession)
    assert net(table) == {"ann": -50, "bob": 0}
    assert table.table.state.stakes == ()


def test_a_choice_that_no_verdict_asked_for_is_not_said_to_be_dropped() -> None:
    """S21: an insured stake wins: nobody hears that its choice for a refait does not count."""
    table = Driver("france-2007")
    table.shoe(ROUGE)
    table.do(OpenBets)
    table.do(Place, stake="a", player="ann", chance="rouge", amount=100, insured=True)
    table.do(Choose, stake="a", course="partage")
    table.deal()
    assert kinds(table.do(Settle)) == ["stake-settled", "coup-settled"]


@pytest.mark.parametrize("end", [CloseSession, VoidCoup])
def test_nothing_of_a_coup_is_left_after_it(end: type[Any]) -> None:
    """S21: the choices, prisoners and cards of a coup go with it, however it ends."""
    table = Driver("france-2007")
    table.shoe(ROUGE, ROUGE)
    table.bet(("ann", "rouge", 100))
    table.do(Choose, stake="ann-rouge", course="partage")
    assert table.table.state.choices
    table.do(end, **({"reason": "misdeal"} if end is VoidCoup else {}))
    state = table.table.state
    assert (state.choices, state.prisoners, state.stakes) == ((), (), ())
    assert (state.cards, state.coup, state.first_cards) == ((), None, 0)


@pytest.mark.parametrize("end", [Settle, CloseSession])
def test_the_prisoners_of_a_coup_are_not_those_of_the_next(end: type[Any]) -> None:
    """S21: who was in prison when the bets opened is known until the coup is over, not longer."""
    table = settled("france-2007", REFAIT, ROUGE)
    table.do(OpenBets)
    assert [stake.id for stake in table.table.state.prisoners] == ["ann-rouge"]
    if end is Settle:
        table.deal()
    table.do(end)
    assert table.table.state.prisoners == ()


def test_cards_exposed_in_a_coup_are_not_exposed_in_the_next() -> None:
    """S21: their places count from the cards of one coup."""
    table = Driver(house_like("italy-prison", '[shoe]\nexposed_card = "burn"\n'))
    table.live()
    table.bet(("ann", "rouge", 100))
    table.do(CloseBets)
    table.do(Expose, card=Card(2, "♠"))
    assert len(table.table.state.exposed) == 1
    for card in coup_with(33, 31).cards:
        table.do(Turn, card=card)
    table.do(Settle)
    assert not table.table.state.exposed
