"""A table from its first shoe to its close: phases, money, calls."""

from __future__ import annotations

import pytest
from tests.table.driving import Driver, kinds, said

from trente_rules import BetError, PhaseError
from trente_rules.table import (
    Choose,
    CloseBets,
    CloseSession,
    Correct,
    Increase,
    Insure,
    OpenBets,
    Phase,
    Place,
    Settle,
    VoidCoup,
    Withdraw,
    restore,
    snapshot,
)

REFAIT = (31, 31)
ROUGE_WINS = (40, 31)
NOIR_WINS = (31, 40)
TIE = (35, 35)


def test_a_coup_is_dealt_called_and_settled_losers_first() -> None:
    """France 2007, art. 54: losing stakes are taken, then the winners are paid."""
    table = Driver("france-2007")
    table.shoe(ROUGE_WINS)
    table.bet(("ann", "rouge", 50), ("bob", "noir", 30))
    dealt = table.deal()
    assert kinds(dealt)[-1] == "coup-dealt"
    assert kinds(dealt).count("card-turned") == 8
    settled = table.do(Settle)
    assert [e.line.stake.owner for e in settled if e.kind == "stake-settled"] == ["bob", "ann"]  # type: ignore[attr-defined]
    assert dict(table.table.state.accounts) == {"ann": 50, "bob": -30}
    assert table.table.state.bank == -20
    assert table.table.state.phase is Phase.READY


def test_no_bet_after_rien_ne_va_plus() -> None:
    """Britannica 1911: a stake after rien ne va plus is refused, and nothing is changed."""
    table = Driver("monte-carlo-1911")
    table.shoe(ROUGE_WINS)
    table.bet(("ann", "rouge", 100))
    table.do(CloseBets)
    before = table.table.state
    late = Place(id="late", stake="x", player="bob", chance="noir", amount=100)
    with pytest.raises(PhaseError, match="rien ne va plus") as caught:
        table.table.do(late)
    assert caught.value.code == "too-late"
    assert table.table.state is before
    assert not table.table.can(late)


def test_a_refait_is_chosen_or_imprisoned_before_the_next_bets() -> None:
    """France 2007, art. 52: partage or prison by choice; prison where no answer comes."""
    table = Driver("france-2007")
    table.shoe(REFAIT, NOIR_WINS)
    table.bet(("ann", "rouge", 100), ("bob", "noir", 100))
    offered = [event for event in table.deal() if event.kind == "choice-offered"]
    assert len(offered) == 2
    table.do(Choose, stake="ann-rouge", course="partage", player="ann")
    events = table.do(OpenBets)
    assert "coup-settled" in kinds(events)
    assert said(events)[:2] == ["en_prison", "partage"]
    assert dict(table.table.state.accounts) == {"ann": -50, "bob": -100}
    (prisoner,) = table.table.state.stakes
    assert prisoner.state == "prison"
    table.do(CloseBets)
    table.deal_only()
    assert said(table.do(Settle))[-1] == "libre"
    assert dict(table.table.state.accounts) == {"ann": -50, "bob": 0}


def test_a_void_coup_puts_all_back() -> None:
    """A void returns stakes and premiums, and restores prisoners as they were before the coup."""
    table = Driver("campione")
    table.shoe(REFAIT, NOIR_WINS, NOIR_WINS)
    table.bet(("ann", "rouge", 500))
    table.deal()
    table.do(Settle)
    before = table.table.state
    table.do(OpenBets)
    table.do(Place, stake="b", player="bob", chance="noir", amount=1000, insured=True)
    table.do(CloseBets)
    table.deal_only()
    voided = table.do(VoidCoup, reason="a row was read twice")
    assert kinds(voided) == ["coup-voided"]
    assert said(voided) == ["coup_annule"]
    state = table.table.state
    assert state.stakes == before.stakes
    assert dict(state.accounts) == {"ann": -500, "bob": 0}
    assert state.bank == before.bank


def test_a_correction_takes_the_settlement_back() -> None:
    """A correction has a reason, and another choice takes the place of the first."""
    table = Driver("france-2007")
    table.shoe(REFAIT)
    table.bet(("ann", "rouge", 100))
    table.deal()
    table.do(Settle)
    assert table.table.state.stakes[0].state == "prison"
    with pytest.raises(BetError, match="no reason"):
        table.do(Correct, reason=" ")
    events = table.do(
        Correct, reason="she had asked for the half", choices=(("ann-rouge", "partage"),)
    )
    assert kinds(events) == [
        "coup-corrected",
        "choice-made",
        "stake-settled",
        "coup-settled",
        "stake-corrected",
    ]
    assert dict(table.table.state.accounts) == {"ann": -50}
    assert not table.table.state.stakes
    table.do(OpenBets)
    table.do(Correct, reason="late", choices=(("ann-rouge", "prison"),))
    assert dict(table.table.state.accounts) == {"ann": -100}
    assert [stake.state for stake in table.table.state.stakes] == ["prison"]


def test_premiums_are_paid_at_once_and_come_back_with_the_stake() -> None:
    """Insurance is prepaid; what is withdrawn before the coup is handed back with its premium."""
    table = Driver("france-2007")
    table.shoe(REFAIT)
    table.bet(("ann", "rouge", 100))
    table.do(Insure, stake="ann-rouge")
    assert dict(table.table.state.accounts) == {"ann": -101}
    table.do(Increase, stake="ann-rouge", amount=100)
    assert dict(table.table.state.accounts) == {"ann": -202}
    table.do(Withdraw, stake="ann-rouge", amount=100)
    assert dict(table.table.state.accounts) == {"ann": -101}
    table.deal()
    table.do(Settle)
    assert dict(table.table.state.accounts) == {"ann": -1}


def test_the_same_command_acts_once() -> None:
    """The same id with the same content answers the same; with other content it is an error."""
    table = Driver("france-2007")
    table.shoe(ROUGE_WINS)
    table.do(OpenBets)
    place = Place(id="p", stake="a", player="ann", chance="rouge", amount=10)
    events = table.table.do(place)
    state = table.table.state
    assert table.table.do(place) == events
    assert table.table.state is state
    with pytest.raises(PhaseError) as caught:
        table.table.do(Place(id="p", stake="a", player="ann", chance="rouge", amount=20))
    assert caught.value.code == "same-id"


def test_the_session_closes_with_its_prisoners() -> None:
    """France 2007, art. 52: a prisoner at the end of the session is handed back its half."""
    table = Driver("france-2007")
    table.shoe(REFAIT)
    table.bet(("ann", "rouge", 100))
    table.deal()
    table.do(Settle)
    events = table.do(CloseSession)
    assert kinds(events) == ["stake-settled", "session-closed"]
    assert dict(table.table.state.accounts) == {"ann": -50}
    assert table.table.allowed() == ("correct",)


def test_a_snapshot_restores_to_the_same_table() -> None:
    """What is restored equals what was taken, prisoners, cards to come and answers among it."""
    table = Driver("italy-prison")
    table.shoe(REFAIT, TIE, ROUGE_WINS)
    table.bet(("ann", "rouge", 100), ("bob", "inverse", 70))
    table.deal()
    table.do(Settle)
    again = restore(snapshot(table.table), table.house)
    assert again.state == table.table.state
    assert again.taille == table.table.taille
    for kind in (OpenBets, CloseBets):
        assert again.do(kind(id=kind.__name__)) == table.table.do(kind(id=kind.__name__))
