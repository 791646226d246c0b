"""The coups of a table, from its events: what was settled, and what a correction made of it.

This is the one place that decides what a void and a correction mean. A coup is yielded when it is
settled; if it changes later, a new version follows that names the one it replaces. A sum over coups
takes the old version off and adds the new one: see ``SettledCoup.changes``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from attrs import evolve, frozen

from trente_rules.core.chances import Verdict
from trente_rules.core.coup import Coup
from trente_rules.core.stakes import Line
from trente_rules.table.events import (
    BetsOpened,
    CoupCorrected,
    CoupDealt,
    CoupSettled,
    CoupVoided,
    Event,
    ShoeEnded,
    ShoeOpened,
    StakeSettled,
)


@frozen
class SettledCoup:
    """One version of a coup that is settled or void; amounts in units of the house.

    ``number`` is 0 where no coup is settled: stakes that were closed, or a shoe that ended, before
    one was. ``coup`` and ``verdicts`` are missing where the rows were not completed. ``void`` is
    the reason of a void: then ``lines`` are the stakes that went back. ``closed`` are the stakes
    that left the table afterwards, with the shoe or the session, and ``end`` is how the shoe ended
    with this coup.

    ``earlier`` are the settlements that were taken back, the oldest first, each with the reason of
    its correction in ``taken_back``. ``replaces`` is the version that counts no more.
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
        """Return the lines to add to a sum (1) and those to take off it (-1), the last first."""
        old = self.replaces
        if old is None:
            yield from ((1, line) for line in self.counted)
        elif len(old.earlier) == len(self.earlier):  # the same settlement, more of it closed
            yield from ((1, line) for line in self.closed[len(old.closed) :])
        else:
            yield from ((-1, line) for line in reversed(old.counted))
            yield from ((1, line) for line in self.counted)


class CoupFold:
    """Follows the events of a table, in their order, and returns each coup that is settled.

    ``open`` is true while a coup is played: from the opening of its bets until it is settled or
    void, and again while it is corrected.
    """

    def __init__(self) -> None:
        """Begin before the first event."""
        self._shoe = 0
        self.open = False
        self._begin()

    def _begin(self) -> None:
        self._dealt: CoupDealt | None = None
        self._lines: list[Line] = []
        self._last: SettledCoup | None = None
        self._corrected: tuple[SettledCoup, ...] = ()

    @property
    def unsettled(self) -> CoupDealt | None:
        """The coup that is dealt and waits for its settlement."""
        return self._dealt if self._last is None else None

    def feed(self, event: Event, at: str = "") -> SettledCoup | None:
        """Take the next event; return a new version of a coup where it makes one.

        ``at`` is the time of the command it came of.
        """
        match event:
            case ShoeOpened(shoe=shoe):
                self._shoe, self.open = shoe, False
                self._begin()
            case BetsOpened():
                self.open = True
                self._begin()
            case CoupDealt():
                self._dealt = event
            case StakeSettled(line=line) if line.verdict == Verdict.CLOSE:
                last = self._open_end()
                return self._changed(evolve(last, closed=(*last.closed, line)))
            case StakeSettled(line=line):
                self._lines.append(line)
            case CoupCorrected(number=number, reason=reason):
                last = self._last or SettledCoup(self._shoe, number)
                taken = evolve(last, taken_back=reason, earlier=(), replaces=None)
                self._corrected, self._lines, self.open = (*last.earlier, taken), [], True
            case CoupSettled(number=number, players_net=players, bank_net=bank):
                lines = tuple(self._lines)
                return self._settled(
                    SettledCoup(
                        self._shoe, number, at, lines=lines, players_net=players, bank_net=bank
                    )
                )
            case CoupVoided(number=number, reason=reason, lines=lines):
                return self._settled(SettledCoup(self._shoe, number, at, lines=lines, void=reason))
            case ShoeEnded():
                return self._changed(evolve(self._open_end(), end=event))
        return None

    def _settled(self, made: SettledCoup) -> SettledCoup:
        if self._dealt is not None:
            made = evolve(made, coup=self._dealt.coup, verdicts=self._dealt.verdicts)
        made, self.open = evolve(made, earlier=self._corrected), False
        if not self._corrected:
            self._last = None
        return self._changed(made)

    def _open_end(self) -> SettledCoup:
        """Return what stakes that are closed now, or the end of the shoe, belong to."""
        return self._last or SettledCoup(self._shoe, 0)

    def _changed(self, made: SettledCoup) -> SettledCoup:
        # What was replaced before is left out: a chain of versions would grow with every one.
        old = self._last and evolve(self._last, replaces=None)
        self._last = evolve(made, replaces=old)
        return self._last


def coups(events: Iterable[Event]) -> Iterator[SettledCoup]:
    """Yield each coup when it is settled, and again in a new version whenever it changes."""
    fold = CoupFold()
    for event in events:
        version = fold.feed(event)
        if version is not None:
            yield version


def final(versions: Iterable[SettledCoup]) -> tuple[SettledCoup, ...]:
    """Return each coup as it is in the end, in the order in which they were settled first."""
    found: list[SettledCoup] = []
    places: dict[tuple[int, int], int] = {}
    for version in versions:
        key = version.shoe, version.number
        if version.replaces is None:
            places[key] = len(found)
            found.append(version)
        else:
            found[places[key]] = version
    return tuple(found)
