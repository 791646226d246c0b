"""The last coups of a table, step by step, from its journal (AGCO 13.1.1: the last and nine more).

A record holds a taille that is over; a history holds all coups so far, also one that is still open.
Amounts are in units of the house.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import Any, Final

from attrs import asdict, evolve, frozen

from trente_rules.core.coup import Row
from trente_rules.core.rules.announcements import Language
from trente_rules.core.stakes import Line
from trente_rules.table.codec import converter, event_to_json
from trente_rules.table.coups import (
    Correction,
    CoupFold,
    SettledCoup,
    about,
    correction_of,
    decision_reason,
)
from trente_rules.table.entries import Entry
from trente_rules.table.events import (
    Announced,
    BetsClosed,
    BetsOpened,
    CardsRetracted,
    CardTurned,
    ChoiceMade,
    CoupDealt,
    Event,
    LineCorrected,
    MarkerShown,
    PrisonerMoved,
    ShoeEnded,
    ShoeOpened,
    StakeCorrected,
    StakeIncreased,
    StakeInsured,
    StakePlaced,
    StakeWithdrawn,
)

_OF_BETS: Final = (
    *(Announced, ChoiceMade, PrisonerMoved),
    *(StakeIncreased, StakeInsured, StakePlaced, StakeWithdrawn),
)
"""The events of which a coup may have any number."""


@frozen
class HistoryStep:
    """One event: its index in the session, and of the command that caused it what a host said.

    ``command`` is its id, ``at`` its time; ``staff`` and ``device`` gave it, ``meta`` are texts by
    name. ``correction`` is that of an earlier coup, where it changed a line of this one.
    """

    index: int
    command: str
    at: str
    event: Event
    staff: str = ""
    device: str = ""
    meta: tuple[tuple[str, str], ...] = ()
    correction: Correction | None = None

    @property
    def origin(self) -> dict[str, Any]:
        """The staff, the device and the texts of the command, as far as its host gave them."""
        given = {"staff": self.staff, "device": self.device, "meta": dict(self.meta)}
        return {name: each for name, each in given.items() if each}


@frozen(slots=False)
class CoupHistory:
    """The steps of one coup, from the opening of its bets."""

    shoe: int
    coup: int
    steps: tuple[HistoryStep, ...]

    @property
    def cards(self) -> tuple[CardTurned, ...]:
        """The cards as they were turned: row, total, place in the shoe from 1.

        Those that were taken back before the settlement are left out.
        """
        turned: list[CardTurned] = []
        for step in self.steps:
            if isinstance(step.event, CardTurned):
                turned.append(step.event)
            elif isinstance(step.event, CardsRetracted) and not step.event.exposed:
                del turned[-len(step.event.cards) :]
        return tuple(turned)

    @property
    def retracted(self) -> tuple[HistoryStep, ...]:
        """The steps, each with a ``CardsRetracted``, in which cards were taken back."""
        return tuple(step for step in self.steps if isinstance(step.event, CardsRetracted))

    @property
    def decisions(self) -> tuple[HistoryStep, ...]:
        """The steps in which the staff took cards back, corrected the coup or made it void.

        Of the correction of an earlier coup it is the first step that changed a line of this one.
        """
        before = (None, *self.steps)
        return tuple(
            step
            for step, last in zip(self.steps, before, strict=False)
            if decision_reason(step.event) is not None or _changes(step, last)
        )

    @property
    def dealt(self) -> CoupDealt | None:
        """Both rows and the verdicts, as they were corrected last."""
        for step in reversed(self.steps):
            if isinstance(step.event, CoupDealt):
                return step.event
            if isinstance(step.event, CardsRetracted) and not step.event.exposed:
                break
        return None

    @cached_property
    def outcome(self) -> SettledCoup | None:
        """The settlement, or void, that counts; None where the coup is not settled."""
        fold = CoupFold(self.shoe)
        versions = [fold.feed(step.event, step.at) for step in self.steps]
        return next((each for each in reversed(versions) if each and each.number), None)

    @cached_property
    def outcomes(self) -> tuple[SettledCoup, ...]:
        """Every settlement: those that count no more, then the one that does, if there is one.

        The reason of one that the correction of an earlier coup changed names that coup.
        """
        fold, found = CoupFold(self.shoe), list[SettledCoup]()
        now: SettledCoup | None = None
        for step, last in zip(self.steps, (None, *self.steps), strict=False):
            of = step.correction
            if now is not None and of is not None and _changes(step, last):
                why = f"correction of shoe {of.shoe}, coup {of.coup}: {of.reason}"
                found.append(evolve(now, taken_back=why, earlier=(), replaces=None))
            version = fold.feed(step.event, step.at)
            if version is None or not version.number:
                continue
            if now is not None and len(version.earlier) > len(now.earlier):
                found.append(version.earlier[-1])
            now = version
        return () if now is None else (*found, now)

    @property
    def status(self) -> str:
        """The state of the coup: betting, closed, dealing, dealt, settled or void."""
        if self.outcome:
            return "void" if self.outcome.void else "settled"
        if self.dealt:
            return "dealt"
        if self.cards or self.retracted:
            return "dealing"
        return "closed" if self.time_of(BetsClosed) is not None else "betting"

    def time_of(self, kind: type[Event]) -> str | None:
        """Return the time of the first event of a class, None without such an event."""
        return next((step.at for step in self.steps if isinstance(step.event, kind)), None)


def _changes(step: HistoryStep, last: HistoryStep | None) -> bool:
    """Return whether the correction of an earlier coup begins to change this one in a step."""
    if step.correction is None:
        return False
    return last is None or last.correction is None or last.index + 1 != step.index


def history(entries: Iterable[Entry], *, bets: bool = True) -> tuple[CoupHistory, ...]:
    """Return the coups whose bets were opened in these entries, the oldest first.

    Without ``bets`` only the last is there of steps that follow each other in which stakes were
    placed, changed or withdrawn, choices made, or calls: a coup may have any number of them.
    """
    coups: dict[tuple[int, int], list[HistoryStep]] = {}
    now: list[HistoryStep] | None = None
    for entry in entries:
        again: list[HistoryStep] | None = None
        of = correction_of(entry.events)
        corrected = None if of is None else _corrected(coups, of.shoe or entry.shoe, of.coup)
        for index, event in enumerate(entry.events, entry.first_event):
            if isinstance(event, BetsOpened):
                now = coups[entry.shoe, event.coup] = []
            elif isinstance(event, ShoeOpened):
                now = None
            elif isinstance(event, StakeCorrected | MarkerShown | ShoeEnded):
                again = None
            found = about(event)
            if found is not None:
                again = _corrected(coups, found[0] or entry.shoe, found[1])
            steps = now if again is None else again
            if steps is not None:
                if not (bets or not steps) and _of_bets(event) and _of_bets(steps[-1].event):
                    del steps[-1]
                told = entry.command
                changed = isinstance(event, LineCorrected) and steps is not corrected
                said = told.staff, told.device, told.meta, of if changed else None
                steps.append(HistoryStep(index, told.id, told.at, event, *said))
    return tuple(CoupHistory(*key, tuple(steps)) for key, steps in coups.items())


def _of_bets(event: Event) -> bool:
    return isinstance(event, _OF_BETS)


def _corrected(
    coups: dict[tuple[int, int], list[HistoryStep]], shoe: int, number: int
) -> list[HistoryStep]:
    """Return the steps of a coup that is corrected; of an end, those of the coup before it."""
    if number:
        return coups.get((shoe, number), [])
    return next((coups[key] for key in reversed(coups) if key[0] == shoe), [])


def coup_to_json(coup: CoupHistory, words: Language | None = None) -> dict[str, Any]:
    """Return a coup as an object of integers, strings, lists and null; its steps are events.

    With ``words``, a language or ``house.words``, announcements have their text.
    """
    dealt, outcome = coup.dealt, coup.outcome
    return {
        "shoe": coup.shoe,
        "coup": coup.coup,
        "status": coup.status,
        "opened_at": coup.time_of(BetsOpened),
        "closed_at": coup.time_of(BetsClosed),
        "dealt_at": coup.time_of(CoupDealt),
        "first": _row(coup, "first", dealt.coup.first if dealt else None),
        "second": _row(coup, "second", dealt.coup.second if dealt else None),
        "retracted": [_retracted(step) for step in coup.retracted],
        "dealt": None if dealt is None else str(dealt.coup),
        "verdicts": None if dealt is None else {name: v.id for name, v in dealt.verdicts},
        "outcome": None if outcome is None else _outcome(outcome),
        "taken_back": [_outcome(each) for each in coup.outcomes if each.taken_back],
        "steps": [_step(step, words) for step in coup.steps],
    }


def _row(coup: CoupHistory, name: str, row: Row | None) -> dict[str, Any]:
    cards = (event for event in coup.cards if event.row == name)
    return {
        "cards": [{"card": str(e.card), "place": e.place, "total": e.total} for e in cards],
        "point": None if row is None else row.point,
    }


def _retracted(step: HistoryStep) -> dict[str, Any]:
    value = _of_step(step) | event_to_json(step.event, step.index)
    return {name: each for name, each in value.items() if name != "kind"}


def _of_step(step: HistoryStep) -> dict[str, Any]:
    value = {"command": step.command, "at": step.at, **step.origin}
    if step.correction is not None:
        value["correction"] = asdict(step.correction)
    return value


def _step(step: HistoryStep, words: Language | None) -> dict[str, Any]:
    event = step.event
    value = _of_step(step) | event_to_json(event, step.index)
    if words and isinstance(event, Announced):
        value["text"] = words.say(event)
    return value


def _outcome(outcome: SettledCoup) -> dict[str, Any]:
    return {
        "at": outcome.at,
        "void": outcome.void or None,
        "taken_back": outcome.taken_back or None,
        "players_net": outcome.players_net,
        "bank_net": outcome.bank_net,
        "stakes": list(map(_line, outcome.lines)),
        "closed": list(map(_line, outcome.closed)),
    }


def _line(line: Line) -> dict[str, Any]:
    """Return a line with the state and the share of its stake before and after it."""
    value = converter().unstructure(line)
    stake, after = value.pop("stake"), value.pop("after") or {}
    return {
        "id": stake["id"],
        "player": stake["owner"],
        "chance": stake["chance"],
        "amount": stake["amount"],
        "premium": line.premium,
        "state_before": stake["state"],
        "share_before": stake["share"],
        "state_after": after.get("state"),
        "share_after": after.get("share"),
        **value,
    }
