"""The last coups of a table, step by step, from its journal (AGCO 13.1.1: the last and nine more).

A record holds a taille once it is over; this holds what happened so far, a coup that is still open
included. Amounts are in units of the house.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Any

from attrs import frozen

from trente_rules.core.rules.announcements import Language
from trente_rules.core.stakes import Line
from trente_rules.table.codec import converter, event_to_json
from trente_rules.table.coups import CoupFold, SettledCoup
from trente_rules.table.events import (
    Announced,
    BetsClosed,
    BetsOpened,
    CardTurned,
    CoupDealt,
    Event,
    ShoeOpened,
)
from trente_rules.table.table import Entry


@frozen
class HistoryStep:
    """One event: its index in the session, the id and the time of the command it came of."""

    index: int
    command: str
    at: str
    event: Event


@frozen(slots=False)
class CoupHistory:
    """All that happened in one coup, from the opening of its bets."""

    shoe: int
    coup: int
    steps: tuple[HistoryStep, ...]

    @property
    def cards(self) -> tuple[CardTurned, ...]:
        """The cards as they were turned: row, total, place in the shoe from 1."""
        return tuple(s.event for s in self.steps if isinstance(s.event, CardTurned))

    @property
    def dealt(self) -> CoupDealt | None:
        """Both rows and the verdicts, as they were corrected last."""
        found = [s.event for s in self.steps if isinstance(s.event, CoupDealt)]
        return found[-1] if found else None

    @cached_property
    def outcome(self) -> SettledCoup | None:
        """The settlement, or void, that counts; None where the coup is not settled."""
        fold, found = CoupFold(), None
        for step in self.steps:
            version = fold.feed(step.event, step.at)
            if version is not None and version.number:
                found = version
        return found

    @property
    def outcomes(self) -> tuple[SettledCoup, ...]:
        """Every settlement: those taken back, then the one that counts, if the coup is settled."""
        return (*self.outcome.earlier, self.outcome) if self.outcome else ()

    @property
    def status(self) -> str:
        """How far the coup is: ``betting``, ``closed``, ``dealing``, ``dealt``, ``settled``..."""
        if self.outcome:
            return "void" if self.outcome.void else "settled"
        if self.dealt:
            return "dealt"
        if self.cards:
            return "dealing"
        return "closed" if self.time_of(BetsClosed) is not None else "betting"

    def time_of(self, kind: type[Event]) -> str | None:
        """Return the time of the first event of a class, None where there was none."""
        return next((step.at for step in self.steps if isinstance(step.event, kind)), None)


def history(entries: Iterable[Entry]) -> tuple[CoupHistory, ...]:
    """Return the coups whose bets were opened in these entries, the oldest first."""
    return tuple(_coups(entries))


def _coups(entries: Iterable[Entry]) -> Iterator[CoupHistory]:
    shoe = coup = 0
    steps: list[HistoryStep] = []
    for entry in entries:
        for index, event in enumerate(entry.events, entry.first_event):
            if isinstance(event, BetsOpened | ShoeOpened):
                if steps:
                    yield CoupHistory(shoe, coup, tuple(steps))
                steps = []
            if isinstance(event, BetsOpened):
                shoe, coup = entry.shoe, event.coup
            if steps or isinstance(event, BetsOpened):
                steps.append(HistoryStep(index, entry.command.id, entry.command.at, event))
    if steps:
        yield CoupHistory(shoe, coup, tuple(steps))


def coup_to_json(coup: CoupHistory, words: Language | None = None) -> dict[str, Any]:
    """Return a coup as an object of integers, texts, lists and null; steps are its events.

    With ``words``, a language or ``house.words``, what was announced has its text in it.
    """
    dealt, cards = coup.dealt, coup.cards
    rows = {
        name: {
            "cards": [
                {"card": str(each.card), "place": each.place, "total": each.total}
                for each in cards
                if each.row == name
            ],
            "point": None if dealt is None else getattr(dealt.coup, name).point,
        }
        for name in ("first", "second")
    }
    outcome = coup.outcome
    return {
        "shoe": coup.shoe,
        "coup": coup.coup,
        "status": coup.status,
        "opened_at": coup.time_of(BetsOpened),
        "closed_at": coup.time_of(BetsClosed),
        "dealt_at": coup.time_of(CoupDealt),
        **rows,
        "dealt": None if dealt is None else str(dealt.coup),
        "verdicts": None if dealt is None else {name: v.id for name, v in dealt.verdicts},
        "outcome": None if outcome is None else outcome_to_json(outcome),
        "taken_back": [outcome_to_json(each) for each in coup.outcomes if each.taken_back],
        "steps": [
            {
                "command": step.command,
                "at": step.at,
                **event_to_json(step.event, step.index),
                **(
                    {"text": words.say(step.event)}
                    if words and isinstance(step.event, Announced)
                    else {}
                ),
            }
            for step in coup.steps
        ],
    }


def outcome_to_json(outcome: SettledCoup) -> dict[str, Any]:
    """Return a settlement as an object."""
    return {
        "at": outcome.at,
        "void": outcome.void or None,
        "taken_back": outcome.taken_back or None,
        "players_net": outcome.players_net,
        "bank_net": outcome.bank_net,
        "stakes": [line_to_json(line) for line in outcome.lines],
        "closed": [line_to_json(line) for line in outcome.closed],
    }


def line_to_json(line: Line) -> dict[str, Any]:
    """Return what happened to a stake as an object; states and shares before and after."""
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
