"""The transcripts notice what matters: each fault put into the table changes one of them.

A fault is a patch of the product, as small as the mistake it stands for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from importlib import import_module
from typing import Any, Final

import pytest
from attrs import evolve
from tests.sources.transcripts import SCRIPTS

from trente_rules.core.money import Rounded
from trente_rules.core.rules.insurance import InsuranceTable
from trente_rules.core.rules.settlement_order import PayOrder
from trente_rules.core.settlement import void_coup
from trente_rules.core.shoe import LiveShoe, Shoe
from trente_rules.table.commands import Place
from trente_rules.table.events import Announced, CardTurned, ChoiceOffered, CoupDealt, Event

# The package has functions of these names too.
DECIDE: Final = import_module("trente_rules.table.decide")
DRAFT: Final = import_module("trente_rules.table.draft")
Fault = Callable[[pytest.MonkeyPatch], None]


def rewritten(change: Callable[[list[Event]], Iterable[Event]]) -> Fault:
    """Return the fault of a table whose events are changed."""

    def fault(patch: pytest.MonkeyPatch) -> None:
        decide = DECIDE.decide

        def changed(*asked: Any) -> Any:
            decision = decide(*asked)
            return decision._replace(events=tuple(change(list(decision.events))))

        patch.setattr(DRAFT, "decide", changed)

    return fault


def unsaid(*phrases: str) -> Fault:
    """Return the fault of a croupier who does not say these phrases."""
    return rewritten(lambda events: [each for each in events if _phrase(each) not in phrases])


def said(phrase: str, other: str) -> Fault:
    """Return the fault of a croupier who says another phrase."""
    return rewritten(
        lambda events: [
            evolve(each, phrase=other)
            if isinstance(each, Announced) and each.phrase == phrase
            else each
            for each in events
        ]
    )


def _phrase(event: Event) -> str:
    return event.phrase if isinstance(event, Announced) else ""


def _result_first(events: list[Event]) -> list[Event]:
    """Return the events of a deal, the cards after the result."""
    if not any(isinstance(each, CoupDealt) for each in events):
        return events
    cards = [each for each in events if isinstance(each, CardTurned)]
    return [each for each in events if each not in cards] + cards


def nothing_burned(patch: pytest.MonkeyPatch) -> None:
    """Burn no card."""
    burn = Shoe.burn
    patch.setattr(Shoe, "burn", lambda shoe, _count: burn(shoe, 0))


def not_cut(patch: pytest.MonkeyPatch) -> None:
    """Leave the cards as they were, whatever the place of the cut."""
    cut = Shoe.cut
    patch.setattr(Shoe, "cut", lambda shoe, _at: cut(shoe, 0))


def past_the_marker(patch: pytest.MonkeyPatch) -> None:
    """Play on past the marker."""
    for kind in (Shoe, LiveShoe):
        patch.setattr(kind, "marker_met", property(lambda _shoe: False))
    patch.setattr(Shoe, "behind", property(lambda _shoe: 0))


def no_order_of_chances(patch: pytest.MonkeyPatch) -> None:
    """Pay winners as they lie, whatever their chance."""
    order = PayOrder.settled
    patch.setattr(
        PayOrder,
        "settled",
        lambda self, lines, ranks: order(self, lines, dict.fromkeys(ranks, 0)),
    )


def winners_first(patch: pytest.MonkeyPatch) -> None:
    """Pay winners before losers are collected."""
    order = PayOrder.settled

    def turned(self: PayOrder, lines: Any, ranks: Any) -> Any:
        done = order(self, lines, ranks)
        lost = [line for line in done if line.forfeited and not line.returned]
        return (*(line for line in done if line not in lost), *lost)

    patch.setattr(PayOrder, "settled", turned)


def late_bets(patch: pytest.MonkeyPatch) -> None:
    """Take bets after rien ne va plus."""
    patch.setattr(DECIDE, "_too_late", lambda _state: False)


def void_premiums_kept(patch: pytest.MonkeyPatch) -> None:
    """Keep the premiums of a coup that is void."""

    def kept(*args: Any) -> Any:
        done = void_coup(*args)
        lines = (evolve(line, premium_returned=0, premium_kept=line.premium) for line in done.lines)
        return evolve(done, lines=tuple(lines))

    patch.setattr("trente_rules.table.settle.void_coup", kept)


def premium_rounded_down(patch: pytest.MonkeyPatch) -> None:
    """Leave out the part of a euro of a premium: the cents are all that could be rounded."""
    premium = InsuranceTable.premium

    def down(table: InsuranceTable, *args: Any) -> Rounded:
        paid = premium(table, *args)
        return evolve(paid, units=paid.units - paid.units % 100)

    patch.setattr(InsuranceTable, "premium", down)


def without_proof(patch: pytest.MonkeyPatch) -> None:
    """Insure stakes whose premium nobody has seen."""
    decide = DECIDE.decide

    def proved(state: Any, command: Any, *past: Any) -> Any:
        proven = evolve(command, proof=True) if isinstance(command, Place) else command
        return decide(state, proven, *past)

    patch.setattr(DRAFT, "decide", proved)


def bank_advances(patch: pytest.MonkeyPatch) -> None:
    """Take stakes and premiums from players who have not paid for them."""
    patch.setattr("trente_rules.table.bets.check_purse", lambda *_args: None)


FAULTS: Final[dict[str, Fault]] = {
    "the cut is not called": unsaid("cut"),
    "the burn is not called": unsaid("burn"),
    "nothing is burned": nothing_burned,
    "the cards pass unsaid": unsaid("les_cartes_passent"),
    "bets are not invited": unsaid("faites_vos_jeux"),
    "rien ne va plus is not said": unsaid("les_jeux_sont_faits", "rien_ne_va_plus"),
    "the result comes before the cards": rewritten(_result_first),
    "coups are dealt past the blue card": past_the_marker,
    "the order of chances is lost": no_order_of_chances,
    "late bets are taken": late_bets,
    "premiums of void coups are kept": void_premiums_kept,
    "partage is said of every stake that is freed": said("libre", "partage"),
    "winners are paid before losers are collected": winners_first,
    "premiums are rounded down": premium_rounded_down,
    # Their likes.
    "the cards are not cut": not_cut,
    "en prison is not said": unsaid("en_prison"),
    "the first row is not announced": unsaid("point", "points", "total"),
    "a tie is not announced": unsaid("apres_point", "apres_alone"),
    "a refait is not announced": unsaid("refait_point", "refait_alone"),
    "the last coup is not announced": unsaid("dernier_coup"),
    "no choice is offered": rewritten(
        lambda events: [each for each in events if not isinstance(each, ChoiceOffered)]
    ),
    "stakes are insured without proof": without_proof,
    "the bank advances premiums": bank_advances,
}


@pytest.mark.parametrize(
    "fault",
    FAULTS,
)
def test_each_fault_changes_a_transcript(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """D13: a table with this fault does not do what the documents say."""
    FAULTS[fault](monkeypatch)
    assert any(script.differs() for script in SCRIPTS)


def test_without_a_fault_no_transcript_differs() -> None:
    """The faults alone change them."""
    assert not [script.name for script in SCRIPTS if script.differs()]
