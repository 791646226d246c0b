"""Commands that settle: choices, settlement, voids, corrections, the close of a session."""

from __future__ import annotations

from collections.abc import Iterator

from attrs import evolve

from trente_rules.core.chances import Verdict
from trente_rules.core.coup import Coup
from trente_rules.core.errors import BetError, CardError, PhaseError, TrenteError
from trente_rules.core.settlement import courses, settle, void_coup, wager_of
from trente_rules.core.shoe import LiveShoe
from trente_rules.core.stakes import Choice, History, Settlement, Stake
from trente_rules.table.commands import Choose, CloseSession, Correct, Settle, VoidCoup
from trente_rules.table.events import (
    ChoiceDropped,
    ChoiceMade,
    ChoiceOffered,
    CoupCorrected,
    CoupDealt,
    CoupSettled,
    CoupVoided,
    Event,
    SessionClosed,
    StakeSettled,
)
from trente_rules.table.shoe import Decided, shoe_over, stakes_closed
from trente_rules.table.state import Phase, TableState, banked, credited, received

# --- What dealing a coup ends in: its verdicts, the calls, the choices that players have


def dealt_events(state: TableState, coup: Coup) -> tuple[Event, ...]:
    """Return what happens when both rows are complete."""
    voice = state.setup.voice
    return (
        CoupDealt(state.coup_number, coup, voice.verdicts(coup)),
        *voice.result(coup),
        *_offers(state, coup),
    )


def _offers(state: TableState, coup: Coup) -> Iterator[ChoiceOffered]:
    verdicts = dict(state.setup.voice.verdicts(coup))
    for stake in state.stakes:
        verdict = verdicts[stake.chance]
        offered = courses(state.house, stake, verdict, opening=state.setup.opening)
        if len(offered) > 1:
            yield ChoiceOffered(stake, verdict, tuple(course.name for course in offered))


_CALLS = ("en_prison", "partage", "libre")


def choose(state: TableState, command: Choose) -> Decided:
    """Choose a course.

    A choice is for the coup at hand. Raises ``BetError``: "unknown-stake", "not-your-stake",
    "unknown-course", "impossible-verdict", "nothing-to-choose" where the stake is in another state
    or has met another verdict, and, once the coup is dealt, "course-not-offered".
    """
    stake = state.stake(command.stake, command.player)
    choice = Choice(stake.id, command.course, command.state or stake.state, command.verdict)
    _can_come(state, stake, choice)
    if state.coup is not None:
        _offered_now(state, state.coup, stake, choice)
    kept = tuple(
        each
        for each in state.choices
        if (each.stake, each.state, each.verdict) != (choice.stake, choice.state, choice.verdict)
    )
    events = (ChoiceMade(choice.stake, choice.course, choice.state, choice.verdict),)
    return state.after(events, choices=(*kept, choice)), events


def _can_come(state: TableState, stake: Stake, choice: Choice) -> None:
    """Refuse a choice that could never act in this coup."""
    if choice.state != stake.state or choice.verdict == Verdict.CLOSE:
        raise BetError(
            f"stake {stake.id!r} is in {stake.state}: nothing can be chosen for it on "
            f"{choice.verdict.id} in {choice.state}",
            "nothing-to-choose",
            "choose for a verdict of this coup, in the state the stake is in",
            stake.id,
        )
    try:
        named = state.house.wager(stake.chance).courses(choice.state, choice.verdict)
    except TrenteError as error:
        raise BetError(error.message, error.code, error.hint, stake.id) from error
    if choice.course not in (course.name for course in named):
        raise BetError(
            f"stake {stake.id!r} knows no course {choice.course!r} on {choice.verdict.id}",
            "unknown-course",
            f"courses are {', '.join(course.name for course in named)}",
            stake.id,
        )


def _offered_now(state: TableState, coup: Coup, stake: Stake, choice: Choice) -> None:
    verdict = dict(state.setup.voice.verdicts(coup))[stake.chance]
    if choice.verdict != verdict:
        raise BetError(
            f"stake {stake.id!r} met {verdict.id}, not {choice.verdict.id}",
            "nothing-to-choose",
            "choose before the coup, or for what has come",
            stake.id,
        )
    offered = courses(state.house, stake, verdict, opening=state.setup.opening)
    if choice.course not in (course.name for course in offered):
        raise BetError(
            f"stake {stake.id!r} is not offered the course {choice.course!r}",
            "course-not-offered",
            f"offered: {', '.join(course.name for course in offered)}",
            stake.id,
        )


def settle_coup(state: TableState, _command: Settle) -> Decided:
    """Settle the coup that is dealt, in the order of the house."""
    return _settled(state, ())


def _settled(state: TableState, events: tuple[Event, ...]) -> Decided:
    coup = state.coup
    if coup is None:  # the phase is not reached without one
        return state, events
    choices, dropped = _acting(state, coup)
    settlement = settle(state.house, coup, state.stakes, choices, opening=state.setup.opening)
    lines = settlement.lines
    events += dropped
    events += tuple(StakeSettled(line) for line in lines)
    events += tuple(_said(state, settlement))
    bank = banked(lines)
    events += (CoupSettled(state.coup_number, -bank, bank),)
    after = {stake.id: stake for stake in settlement.staying}
    new = state.after(
        (),
        phase=Phase.READY,
        stakes=tuple(after[stake.id] for stake in state.stakes if stake.id in after),
        prisoners=(),
        choices=(),
        cards=(),
        first_cards=0,
        coup=None,
        accounts=credited(state.accounts, received(lines)),
        bank=state.bank + bank,
        history=_history(state),
        before=state.replaced(before=None),
    )
    return _over_or_ready(new, events)


def _history(state: TableState) -> History:
    placed = History.of([state.stakes])
    return History(state.history.bets + placed.bets) if placed.bets else state.history


def _acting(state: TableState, coup: Coup) -> tuple[tuple[Choice, ...], tuple[Event, ...]]:
    """Return the choices that are offered now, and those made in advance that are not."""
    if not state.choices:
        return (), ()
    verdicts = dict(state.setup.voice.verdicts(coup))
    acting: list[Choice] = []
    dropped: list[Event] = []
    for choice in state.choices:
        stake = state.stake(choice.stake)
        if choice.state != stake.state or choice.verdict != verdicts[stake.chance]:
            continue
        offered = courses(state.house, stake, choice.verdict, opening=state.setup.opening)
        if choice.course in (course.name for course in offered):
            acting.append(choice)
        else:
            dropped.append(ChoiceDropped(choice.stake, choice.course))
    return tuple(acting), tuple(dropped)


def _said(state: TableState, settlement: Settlement) -> Iterator[Event]:
    """Return what is said of the courses that stakes take: each thing once, whoever it is about."""
    said: set[str] = set()
    for line in settlement.lines:
        courses = wager_of(state.house, line.stake).courses(line.stake.state, line.verdict)
        call = next(course.call for course in courses if course.name == line.course)
        if call:
            said.add(call)
            continue
        if line.after is not None and not line.after.free:
            said.add("en_prison")
        elif not line.stake.free and line.returned and not line.forfeited:
            said.add("libre")
        if line.returned and (line.forfeited or line.after is not None):
            said.add("partage")
    for phrase in (*_CALLS, *sorted(said.difference(_CALLS))):
        if phrase in said:
            yield from state.setup.voice.say(phrase)


def void(state: TableState, command: VoidCoup) -> Decided:
    """Void the coup, with a reason."""
    return voided(state, _reason(command.reason), ())


def voided(state: TableState, reason: str, events: tuple[Event, ...]) -> Decided:
    """Put stakes, premiums and prisoners back as they were before the coup."""
    before = {stake.id: stake for stake in state.prisoners}
    lines = tuple(
        line if line.after is None else evolve(line, after=before[line.stake.id])  # was it moved
        for line in void_coup(state.house, state.stakes).lines
    )
    events += (
        CoupVoided(state.coup_number, reason, lines),
        *state.setup.voice.say("coup_annule"),
    )
    new = state.after(
        (),
        phase=Phase.READY,
        stakes=state.prisoners,
        prisoners=(),
        choices=(),
        cards=(),
        first_cards=0,
        coup=None,
        accounts=credited(state.accounts, received(lines)),
        before=None,
    )
    return _over_or_ready(new, events)


def _over_or_ready(state: TableState, events: tuple[Event, ...]) -> Decided:
    shoe = state.shoe
    if shoe is not None and (shoe.ended or state.marker_shown):
        state, events = shoe_over(state, events)
    return state.after(events), events


def correct(state: TableState, command: Correct) -> Decided:
    """Take the last settlement back and settle again; see the command.

    Raises ``PhaseError`` ("nothing-to-correct"), ``BetError`` ("no-reason"), ``CardError``
    ("cards-known" where the order of the shoe is known) and what ``choose`` raises.
    """
    reason = _reason(command.reason)
    before = state.before
    if before is None:
        raise PhaseError(
            "no coup was settled that could be corrected",
            "nothing-to-correct",
            "a settlement is corrected before the next bets open",
            state.phase,
        )
    events: tuple[Event, ...] = (CoupCorrected(before.coup_number, reason),)
    before = before.replaced(events=state.events)
    if command.void:
        return voided(before, reason, events)
    if command.cards:
        before = _other_cards(before, command)
        if before.coup is not None:
            events += dealt_events(before, before.coup)
    for stake, course in command.choices:
        named = before.stake(stake)
        verdict = dict(before.setup.voice.verdicts(_coup(before)))[named.chance]
        pick = Choose(id=command.id, stake=stake, course=course, verdict=verdict.id)
        before, made = choose(before, pick)
        events += made
        before = before.replaced(events=state.events)
    return _settled(before, events)


def _coup(state: TableState) -> Coup:
    if state.coup is None:
        raise PhaseError("no coup is dealt", "nothing-to-correct", "", state.phase)
    return state.coup


def _other_cards(before: TableState, command: Correct) -> TableState:
    shoe = before.shoe
    if not isinstance(shoe, LiveShoe):
        raise CardError(
            "the cards of this coup cannot be corrected",
            "cards-known",
            "the order of this shoe is known; void the coup instead",
        )
    coup = Coup.of_cards(command.cards)
    seen = list(shoe.seen)
    for card in before.cards:
        del seen[len(seen) - 1 - seen[::-1].index(card)]
    shoe = evolve(shoe, seen=tuple(seen))
    for card in command.cards:
        shoe = shoe.see(card)
    return before.replaced(
        shoe=shoe,
        coup=coup,
        cards=coup.cards,
        first_cards=len(coup.first.cards),
    )


def close(state: TableState, _command: CloseSession) -> Decided:
    """Close the session: every stake leaves the table."""
    state, events = stakes_closed(state)
    events += (SessionClosed(state.accounts, state.bank),)
    new = state.after(events, phase=Phase.ENDED, prisoners=(), choices=(), shoe=None, before=None)
    return new, events


def _reason(reason: str) -> str:
    if not reason.strip():
        raise BetError(
            "no reason is given", "no-reason", "a void or a correction says why it is made"
        )
    return reason
