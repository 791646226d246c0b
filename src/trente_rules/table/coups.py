"""The coups of a table, from its events: each settlement, and every correction of it.

Only this module decides what a void and a correction mean. A coup is yielded when it is settled; if
it changes later, a new version follows that names the one it replaces. A sum over coups subtracts
the old version and adds the new one: see ``SettledCoup.changes``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

from attrs import evolve, frozen

from trente_rules.core.chances import Verdict
from trente_rules.core.coup import Coup
from trente_rules.core.stakes import Line
from trente_rules.table.events import (
    BetsOpened,
    CardsRetracted,
    CoupCorrected,
    CoupDealt,
    CoupSettled,
    CoupVoided,
    Event,
    ShoeEnded,
    ShoeOpened,
    StakeSettled,
)

NOT_SHOWN: Final = "a reason that is not shown"
"""The reason of a void or a correction that a view leaves out."""


@frozen
class SettledCoup:
    """One version of a coup that is settled or void; amounts in units of the house.

    ``number`` is 0 for stakes that were closed, or a shoe that ended, before a coup was settled.
    ``coup`` and ``verdicts`` are missing where the rows were not completed. ``void`` is the reason
    of a void: then ``lines`` are the stakes that were returned. ``closed`` are the stakes that left
    the table afterwards, with the shoe or the session; ``end`` is the end of the shoe after it.

    ``earlier`` are the settlements that were reversed, the oldest first, each with the reason of
    its correction in ``taken_back``. ``replaces`` is the version that no longer counts.
    """

    shoe: int
    number: int
    at: str = ""
    coup: Coup | None = None
    verdicts: tuple[tuple[str, Verdict], ...] = ()
    lines: tuple[Line, ...] = ()
    closed: tuple[Line, ...] = ()
    players_net: int = 0
    bank_net: int = 0
    void: str = ""
    end: ShoeEnded | None = None
    taken_back: str = ""
    earlier: tuple[SettledCoup, ...] = ()
    replaces: SettledCoup | None = None

    @property
    def counted(self) -> tuple[Line, ...]:
        """The lines that moved money: those of the coup, unless it is void, and the closed ones."""
        return self.closed if self.void else self.lines + self.closed

    def changes(self) -> Iterator[tuple[int, Line]]:
        """Yield lines with their signs: to add to a sum (1), or to subtract (-1), last first."""
        old, added = self.replaces, self.counted
        if old and len(old.earlier) == len(self.earlier):  # the same settlement, more of it closed
            added = self.closed[len(old.closed) :]
        elif old:
            yield from ((-1, line) for line in reversed(old.counted))
        yield from ((1, line) for line in added)


class CoupFold:
    """Follows the events of a table, in their order, and returns each coup that is settled.

    ``open`` is true while a coup is played: from the opening of its bets until it is settled or
    void, and again while it is corrected.
    """

    def __init__(self) -> None:
        """Begin before the first event."""
        self._shoe = 0
        self._begin(is_open=False)

    def _begin(self, *, is_open: bool) -> None:
        self.open = is_open
        self._dealt: CoupDealt | None = None
        self._lines: list[Line] = []
        self._last: SettledCoup | None = None
        self._corrected: tuple[SettledCoup, ...] = ()

    @property
    def unsettled(self) -> CoupDealt | None:
        """The coup that is dealt and not settled."""
        return self._dealt if self._last is None else None

    def feed(self, event: Event, at: str = "") -> SettledCoup | None:
        """Follow the next event; return the new version of a coup where it makes one.

        ``at`` is the time of the command that caused it.
        """
        match event:
            case ShoeOpened(shoe=shoe):
                self._shoe = shoe
                self._begin(is_open=False)
            case BetsOpened():
                self._begin(is_open=True)
            case CoupDealt():
                self._dealt = event
            case CardsRetracted(exposed=False):
                self._dealt = None
            case StakeSettled(line=line) if line.verdict == Verdict.CLOSE:
                last = self._last or SettledCoup(self._shoe, 0)
                return self._changed(evolve(last, closed=(*last.closed, line)))
            case StakeSettled(line=line):
                self._lines.append(line)
            case CoupCorrected(number=number, reason=reason):
                last = self._last or SettledCoup(self._shoe, number)
                taken = evolve(last, taken_back=reason or NOT_SHOWN, earlier=(), replaces=None)
                self._corrected, self._lines, self.open = (*last.earlier, taken), [], True
            case CoupSettled(number=number, players_net=players, bank_net=bank):
                lines = tuple(self._lines)
                if players is None or bank is None:  # of a view: the net of the lines that it has
                    players = sum(line.player_net for line in lines)
                    bank = -players
                return self._settled(number, at, lines, players_net=players, bank_net=bank)
            case CoupVoided(number=number, reason=reason, lines=lines):
                return self._settled(number, at, lines, void=reason or NOT_SHOWN)
            case ShoeEnded():
                return self._changed(evolve(self._last or SettledCoup(self._shoe, 0), end=event))
        return None

    def _settled(self, number: int, at: str, lines: tuple[Line, ...], **fields: Any) -> SettledCoup:
        dealt, self.open = self._dealt, False
        if dealt is not None:
            fields |= {"coup": dealt.coup, "verdicts": dealt.verdicts}
        if not self._corrected:
            self._last = None
        return self._changed(
            SettledCoup(self._shoe, number, at, lines=lines, earlier=self._corrected, **fields)
        )

    def _changed(self, version: SettledCoup) -> SettledCoup:
        # Of the version that is replaced its own predecessor is left out: memory would grow with
        # the square of the stakes that are closed.
        replaced = self._last and evolve(self._last, replaces=None)
        self._last = evolve(version, replaces=replaced)
        return self._last


def decision_reason(event: Event) -> str | None:
    """Return why cards were taken back, or a coup corrected or made void; None for other events."""
    if isinstance(event, CardsRetracted | CoupCorrected | CoupVoided):
        return event.reason or ""
    return None


def coups(events: Iterable[Event]) -> Iterator[SettledCoup]:
    """Yield each coup when it is settled, and again in a new version whenever it changes."""
    fold = CoupFold()
    for event in events:
        version = fold.feed(event)
        if version is not None:
            yield version


def final(versions: Iterable[SettledCoup]) -> tuple[SettledCoup, ...]:
    """Return the last version of each coup, in the order in which they were settled first."""
    last: list[SettledCoup] = []
    places: dict[tuple[int, int], int] = {}
    for version in versions:
        key = version.shoe, version.number
        if version.replaces is None:
            places[key] = len(last)
            last.append(version)
        else:
            last[places[key]] = version
    return tuple(last)
