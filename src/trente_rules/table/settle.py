"""Commands that settle: choices, settlement, voids, the close of a session."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from attrs import evolve, frozen

from trente_rules.core.chances import Verdict
from trente_rules.core.coup import Coup
from trente_rules.core.errors import BetError, TrenteError
from trente_rules.core.machine import COURSE_CALLS
from trente_rules.core.settlement import courses, settle, void_coup, wager_of
from trente_rules.core.stakes import Choice, History, Line, Settlement, Stake
from trente_rules.table.cloth import NO_CHOICES
from trente_rules.table.commands import Choose, CloseSession, Settle, VoidCoup
from trente_rules.table.events import (
    VOIDED_BY_TABLE,
    Announced,
    ChoiceDropped,
    ChoiceMade,
    ChoiceOffered,
    CoupDealt,
    CoupSettled,
    CoupVoided,
    Event,
    SessionClosed,
    StakeSettled,
)
from trente_rules.table.movements import movements_of
from trente_rules.table.shoe import Decided, marker_up, shoe_over, stakes_closed
from trente_rules.table.state import Phase, TableState, banked, moved, stake_error


def dealt_events(state: TableState, coup: Coup) -> tuple[Event, ...]:
    """Return the events of a coup whose rows are complete: verdicts, calls, choices."""
    voice = state.voice
    return (
        CoupDealt(state.coup_number, coup, voice.verdicts(coup)),
        *voice.result(coup),
        *(offers(state, coup, state.stakes) if _choosing(state, coup) else ()),
    )


def _choosing(state: TableState, coup: Coup) -> bool:
    """Return whether a stake may have a choice: without a look at each, where all are free."""
    cloth = state.cloth
    return cloth.count < cloth.size or not state.voice.choosing(coup).isdisjoint(cloth.totals)


def offers(state: TableState, coup: Coup, stakes: Iterable[Stake]) -> Iterator[ChoiceOffered]:
    """Yield the choices that a coup offers for stakes, in their order."""
    verdicts = dict(state.voice.verdicts(coup))
    single: set[object] = set()
    for stake in stakes:
        alike = (stake.chance, stake.state, stake.insured, stake.covered, stake.proof)
        if alike in single:  # nearly every stake of a large table
            continue
        verdict = verdicts[stake.chance]
        if len(wager_of(state.house, stake).courses(stake.state, verdict)) == 1:
            single.add(alike)
            continue
        offered = courses(state.house, stake, verdict, opening=state.opening)
        if len(offered) > 1:
            yield ChoiceOffered(stake, verdict, tuple(course.name for course in offered))


def _offered(state: TableState, stake: Stake, verdict: Verdict) -> tuple[str, ...]:
    """Return the names of the courses that a player is offered for a stake."""
    offered = courses(state.house, stake, verdict, opening=state.opening)
    return tuple(course.name for course in offered)


def choose(state: TableState, command: Choose) -> Decided:
    """Choose a course.

    A choice is for the coup at hand. Raises ``BetError``: "unknown-stake", "unknown-course",
    "impossible-verdict", "nothing-to-choose" where the stake is in another state or has met another
    verdict, and, once the coup is dealt, "course-not-offered".
    """
    stake = state.stake(command.stake, command.player)
    choice = Choice(stake.id, command.course, command.state or stake.state, command.verdict)
    _check_choice(state, stake, choice)
    events = (ChoiceMade(choice.stake, choice.course, choice.state, choice.verdict, stake.owner),)
    return state.after(events, chosen=state.chosen.made(choice)), events


def _check_choice(state: TableState, stake: Stake, choice: Choice) -> None:
    """Refuse a choice that cannot act in this coup."""
    verdict, course = choice.verdict, choice.course
    if choice.state != stake.state or verdict == Verdict.CLOSE:
        what = f"is in {stake.state}: it has no choice on {verdict.id} in {choice.state}"
        hint = "choose for a verdict of this coup, in the state of the stake"
        raise stake_error(stake.id, what, "nothing-to-choose", hint)
    try:
        known = state.house.wager(stake.chance).courses(choice.state, verdict)
    except TrenteError as error:
        raise BetError(error.message, error.code, error.hint, stake.id) from error
    names = [each.name for each in known]
    if course not in names:
        what = f"does not have the course {course!r} on {verdict.id}"
        raise stake_error(stake.id, what, "unknown-course", f"courses: {', '.join(names)}")
    if state.coup is None:
        return
    met = dict(state.voice.verdicts(state.coup))[stake.chance]
    if verdict != met:
        what, hint = f"met {met.id}, not {verdict.id}", f"choose for {met.id}"
        raise stake_error(stake.id, what, "nothing-to-choose", hint)
    offered = _offered(state, stake, met)
    if course not in offered:
        what, hint = f"is not offered the course {course!r}", f"offered: {', '.join(offered)}"
        raise stake_error(stake.id, what, "course-not-offered", hint)


@frozen
class CoupResult:
    """A coup that is settled or void: events, lines, the stakes that stay, the net of the bank."""

    events: tuple[Event, ...]
    lines: tuple[Line, ...]
    staying: tuple[Stake, ...]
    bank: int = 0

    @property
    def without_calls(self) -> tuple[Event, ...]:
        """The events without what is said: nobody calls a coup that is over long since."""
        return tuple(event for event in self.events if not isinstance(event, Announced))


def settle_coup(state: TableState, _command: Settle) -> Decided:
    """Settle the coup that is dealt, in the order of the house."""
    result = settled(state)
    return coup_over(
        state,
        result.events,
        stakes=result.staying,
        bank=state.bank + result.bank,
        history=_history(state),
    )


def settled(state: TableState) -> CoupResult:
    """Return the settlement of the coup that is dealt."""
    coup = state.coup
    if coup is None:  # the phase is not reached without one
        return CoupResult((), (), state.stakes)
    choices, dropped = _acting(state, coup)
    settlement = settle(state.house, coup, state.stakes, choices, opening=state.opening)
    lines = settlement.lines
    bank = banked(lines)
    events = (
        *dropped,
        *StakeSettled.of_lines(lines),
        *_calls(state, settlement),
        CoupSettled(state.coup_number, -bank, bank),
    )
    after = {line.stake.id: line.after for line in lines if line.after is not None}
    staying: tuple[Stake, ...] = ()
    if after:
        staying = tuple(after[stake.id] for stake in state.stakes if stake.id in after)
    return CoupResult(events, lines, staying, bank)


def coup_over(state: TableState, events: tuple[Event, ...], **changes: Any) -> Decided:
    """Return the table between two coups, or without a shoe, after a coup."""
    new = state.replaced(
        phase=Phase.READY,
        prisoners=(),
        chosen=NO_CHOICES,
        cards=(),
        first_cards=0,
        exposed=(),
        coup=None,
        **changes,
    )
    shoe, rule = new.shoe, new.house.shoe
    if rule.every_coup:  # its cards go back into the machine
        return new.after(events, phase=Phase.NO_SHOE, shoe=None), events
    if shoe is None:  # the phase is not reached without one
        return new.after(events), events
    if new.marker_shown or rule.ended(shoe):
        new, events = shoe_over(new, events)
        new = new.replaced(last_shoe=shoe)
    elif shoe.marker_met:
        new, shown, _last = marker_up(new)
        events += shown
    return new.after(events), events


def _history(state: TableState) -> History:
    if not state.house.limits_table.reads_history:
        return state.history
    return state.history.after(state.stakes)


def _acting(state: TableState, coup: Coup) -> tuple[tuple[Choice, ...], tuple[Event, ...]]:
    """Return the choices that act, and the events of those made in advance and not offered."""
    if not state.chosen:
        return (), ()
    verdicts = dict(state.voice.verdicts(coup))
    acting: list[Choice] = []
    dropped: list[Event] = []
    for choice in state.choices:
        stake = state.stake(choice.stake)
        if choice.state != stake.state or choice.verdict != verdicts[stake.chance]:
            continue
        if choice.course in _offered(state, stake, choice.verdict):
            acting.append(choice)
        else:
            dropped.append(ChoiceDropped(choice.stake, choice.course, stake.owner))
    return tuple(acting), tuple(dropped)


def _calls(state: TableState, settlement: Settlement) -> Iterator[Event]:
    """Yield the calls of the courses that stakes take, each once."""
    called, phrases = state.voice.called, set[str]()
    kinds = {  # one line of each kind: nearly every stake of a large table is like another
        (line.course, line.verdict.id, line.stake.chance, line.stake.state, line.insured): line
        for line in settlement.lines
        if line.course in called
    }
    if not kinds:  # nearly every coup: what is won or lost is not called
        return
    for line in kinds.values():
        stake = line.stake
        for course in wager_of(state.house, stake).courses(stake.state, line.verdict):
            if course.name == line.course:
                phrases.add(course.call)
    phrases.discard("")
    for phrase in (*COURSE_CALLS, *sorted(phrases.difference(COURSE_CALLS))):
        if phrase in phrases:
            yield from state.voice.say(phrase)


def void(state: TableState, command: VoidCoup) -> Decided:
    """Void the coup, with a reason; ``BetError`` ("no-reason") without one."""
    return voided(state, given_reason(command.reason), ())


def voided(state: TableState, reason: str, events: tuple[Event, ...]) -> Decided:
    """Void the coup: stakes, premiums and prisoners are again as they were before it."""
    result = voided_result(state, reason)
    return coup_over(state, events + result.events, stakes=result.staying)


def voided_result(state: TableState, reason: str) -> CoupResult:
    """Return the coup as void."""
    before = {stake.id: stake for stake in state.prisoners}
    lines = tuple(
        # A prisoner that was moved goes back to the chance it was on.
        line if line.after is None else evolve(line, after=before[line.stake.id])
        for line in void_coup(state.house, state.stakes).lines
    )
    events = (
        CoupVoided(state.coup_number, reason, lines, VOIDED_BY_TABLE.get(reason, "")),
        *state.voice.say("coup_annule"),
    )
    return CoupResult(events, lines, state.prisoners)


def close(state: TableState, command: CloseSession) -> Decided:
    """Close the session; every stake leaves the table."""
    state, events = stakes_closed(state)
    after = moved(state, movements_of(state.round, command.key, events))
    events += (SessionClosed(tuple(after.accounts.items()), state.bank),)
    ended: dict[str, Any] = {"shoe": None, "last_shoe": None, "uncut": False, "first_row": ""}
    ended |= {"drawn_cut": None, "drawn_marker": None}
    new = state.after(events, phase=Phase.ENDED, prisoners=(), chosen=NO_CHOICES, **ended)
    return new, events


def given_reason(reason: str) -> str:
    """Return a reason; ``BetError`` ("no-reason") where it is empty."""
    if not reason.strip():
        hint = "a void or a correction needs its reason"
        raise BetError("no reason is given", "no-reason", hint)
    return reason
