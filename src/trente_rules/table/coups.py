"""The coups of a table, from its events: each settlement, and every correction of it.

Only this module decides what a void and a correction mean. A coup is yielded when it is settled; if
it changes later, a new version follows that names the one it replaces. A sum over coups subtracts
the old version and adds the new one: see ``SettledCoup.changes``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from attrs import evolve, frozen

from trente_rules.core.cards import Card
from trente_rules.core.chances import Verdict
from trente_rules.core.coup import Coup
from trente_rules.core.stakes import VOID, Line
from trente_rules.table.events import (
    BetsOpened,
    CardsRetracted,
    CoupCorrected,
    CoupDealt,
    CoupSettled,
    CoupVoided,
    Event,
    LineCorrected,
    ShoeEnded,
    ShoeOpened,
    StakeSettled,
)

if TYPE_CHECKING:
    from trente_rules.table.entries import Entry

NOT_SHOWN: Final = "a reason that is not shown"
"""The reason of a void or a correction that a view leaves out."""
FOLDED: Final = frozenset(
    each.kind
    for each in (
        *(BetsOpened, CardsRetracted, CoupCorrected, CoupDealt, CoupSettled, CoupVoided),
        *(LineCorrected, ShoeEnded, ShoeOpened, StakeSettled),
    )
)
"""The kinds of event that ``CoupFold`` follows."""


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
        if old and len(old.earlier) == len(self.earlier) and old.void == self.void:
            if old.lines is self.lines and old.closed == self.closed[: len(old.closed)]:
                added = self.closed[len(old.closed) :]  # the same settlement, more of it closed
            else:  # a line of it was corrected, with an earlier coup
                was, now = old.by_stake, self.by_stake
                yield from ((-1, line) for key, line in was.items() if now.get(key) != line)
                added = tuple(line for key, line in now.items() if was.get(key) != line)
        elif old:
            yield from ((-1, line) for line in reversed(old.counted))
        yield from ((1, line) for line in added)

    @property
    def by_stake(self) -> dict[tuple[bool, str], Line]:
        """The lines that moved money, by their stakes, and whether they are of an end."""
        return {(line.verdict == Verdict.CLOSE, line.stake.id): line for line in self.counted}


class CoupFold:
    """Follows the events of a table, in their order, and returns each coup that is settled.

    ``open`` is true while a coup is played: from the opening of its bets until it is settled or
    void, and again while the last one is corrected; ``with_end`` is whether the last correction
    took the end of the shoe back too.

    Unless it may ``remember`` all coups, a correction of an earlier one than the last is returned
    with the lines alone that are taken back and written again: enough for every sum.
    """

    def __init__(self, shoe: int = 0, *, remember: bool = True) -> None:
        """Begin before the first event, or with the coups of a shoe."""
        self._shoe, self._remember = shoe, remember
        self._known: dict[tuple[int, int], SettledCoup] = {}
        self.with_end = True
        self._begin(is_open=False)

    def forget(self, shoe: int, number: int | None = None) -> None:
        """Forget a coup, by default all of a shoe, which nothing corrects from now on."""
        for key in [(shoe, number)] if number is not None else [*self._known]:
            if key[0] == shoe:
                self._known.pop(key, None)

    def _begin(self, *, is_open: bool) -> None:
        self.open = is_open
        self._dealt: CoupDealt | None = None
        self._lines: list[Line] = []
        self._last: SettledCoup | None = None
        self._again: SettledCoup | None = None
        if not self._remember:
            self._known.clear()

    @property
    def unsettled(self) -> CoupDealt | None:
        """The coup that is dealt and not settled."""
        return self._dealt if self._last is None else None

    def feed(self, event: Event, at: str = "") -> SettledCoup | None:  # noqa: C901, PLR0912 - one case an event
        """Follow the next event; return the new version of a coup where it makes one.

        ``at`` is the time of the command that caused it.
        """
        match event:
            case ShoeOpened(shoe=shoe):
                self._shoe = shoe
                self._begin(is_open=False)
            case BetsOpened():
                self._begin(is_open=True)
            case CoupDealt() if self._again:
                self._again = evolve(self._again, coup=event.coup, verdicts=event.verdicts)
            case CoupDealt():
                self._dealt = event
            case CardsRetracted(exposed=False):
                self._dealt = None
            case StakeSettled(line=line) if line.verdict == Verdict.CLOSE:
                last = self._last or SettledCoup(self._shoe, 0)
                return self._changed(evolve(last, closed=(*last.closed, line)))
            case StakeSettled(line=line):
                self._lines.append(line)
            case CoupCorrected():
                self._correct(event)
            case LineCorrected():
                return self._correct_line(event)
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

    def _correct(self, event: CoupCorrected) -> None:
        """Begin a coup again: the version that is taken back, without what replaces it."""
        shoe, self.with_end = event.shoe or self._shoe, event.with_end
        old = self._known.get((shoe, event.number))
        if old is None:
            closed = tuple(line for line in event.reversed if line.verdict == Verdict.CLOSE)
            old = SettledCoup(
                shoe,
                event.number,
                coup=event.coup,
                verdicts=event.verdicts,
                lines=tuple(line for line in event.reversed if line not in closed),
                closed=closed,
                void=event.void,
            )
        taken = evolve(old, taken_back=event.reason or NOT_SHOWN, earlier=(), replaces=None)
        self._again = evolve(old, earlier=(*old.earlier, taken), replaces=None, void="")
        if event.with_end:
            self._again = evolve(self._again, closed=(), end=None)
        if event.shoe or old.lines or old.coup:
            self._again = evolve(self._again, replaces=evolve(old, replaces=None))
        self._lines = []
        if self._last and _key(self._last) == _key(old):
            self.open = True

    def _settled(self, number: int, at: str, lines: tuple[Line, ...], **fields: Any) -> SettledCoup:
        again, self._again = self._again, None
        self._lines = []  # those of a correction are not lines of the coup that is on
        if again is not None:
            nets = {"players_net": 0, "bank_net": 0} | fields
            version = evolve(again, at=at, lines=lines, **nets)
            if self._last is None or _key(self._last) != _key(version):
                if not self.open and self._last is None:
                    self._last = version
                return self._kept(version)
            self.open = False
            self._last = version
            return self._kept(version)
        dealt, self.open = self._dealt, False
        if dealt is not None:
            fields |= {"coup": dealt.coup, "verdicts": dealt.verdicts}
        self._last = None
        return self._changed(SettledCoup(self._shoe, number, at, lines=lines, **fields))

    def _correct_line(self, event: LineCorrected) -> SettledCoup:
        """Return a later coup, or the end of a shoe, with another line of a stake."""
        was, line = event.was, event.line
        old = self._holder(event) or _partly(event)
        changed = evolve(
            old,
            lines=_exchanged(old.lines, was, line) if event.coup else old.lines,
            closed=old.closed if event.coup else _exchanged(old.closed, was, line),
            replaces=evolve(old, replaces=None),
        )
        if event.coup and not old.void:
            more = sum(sign * each.player_net for each, sign in ((line, 1), (was, -1)) if each)
            changed = evolve(
                changed, players_net=old.players_net + more, bank_net=old.bank_net - more
            )
        if self._last and _key(self._last) == _key(changed):
            self._last = changed
        return self._kept(changed)

    def _holder(self, event: LineCorrected) -> SettledCoup | None:
        """Return the coup that has the line; that of an end, the coup it came after."""
        if event.coup:
            return self._known.get((event.shoe, event.coup))
        there = [each for (shoe, _number), each in self._known.items() if shoe == event.shoe]
        closing = [each for each in there if event.was in each.closed] if event.was else []
        ended = [each for each in there if each.end or each.closed]
        return next(iter((*closing, *ended, *reversed(there))), None)

    def _changed(self, version: SettledCoup) -> SettledCoup:
        # Of the version that is replaced its own predecessor is left out: memory would grow with
        # the square of the stakes that are closed.
        replaced = self._last and evolve(self._last, replaces=None)
        self._last = evolve(version, replaces=replaced)
        return self._kept(self._last)

    def _kept(self, version: SettledCoup) -> SettledCoup:
        key = _key(version)
        if self._remember or version is self._last:
            self._known[key] = evolve(version, replaces=None)
        return version


def _key(coup: SettledCoup) -> tuple[int, int]:
    return coup.shoe, coup.number


def _partly(event: LineCorrected) -> SettledCoup:
    """Return what an event says of a coup that is not remembered: the line that counts no more."""
    was = (event.was,) if event.was else ()
    if not event.coup:
        return SettledCoup(event.shoe, 0, closed=was)
    shown = event.was or event.line
    void = NOT_SHOWN if shown and shown.course == VOID else ""
    return SettledCoup(event.shoe, event.coup, lines=was, void=void)


def _exchanged(lines: tuple[Line, ...], was: Line | None, line: Line | None) -> tuple[Line, ...]:
    """Return lines with one of them replaced, left out or, where it was missing, added."""
    new = () if line is None else (line,)
    if was is None or was not in lines:
        return (*lines, *new)
    place = lines.index(was)
    return (*lines[:place], *new, *lines[place + 1 :])


def about(event: Event) -> tuple[int, int] | None:
    """Return shoe and number of the coup that a correction begins with, or changes a line of.

    The shoe is 0 where an earlier release wrote the event: it is then the one at hand. The number
    is 0 for a line of the end of a shoe or a session.
    """
    match event:
        case CoupCorrected(shoe=shoe, number=number):
            return shoe, number
        case LineCorrected(shoe=shoe, coup=number):
            return shoe, number
    return None


@frozen
class Correction:
    """The correction of a coup: its shoe, its number in the taille, and the reason."""

    shoe: int
    coup: int
    reason: str


def correction_of(events: Iterable[Event]) -> Correction | None:
    """Return what the events of a command correct, None where they correct no coup."""
    for event in events:
        if isinstance(event, CoupCorrected):
            return Correction(event.shoe, event.number, event.reason or NOT_SHOWN)
    return None


def turned(event: Event) -> tuple[Card, ...] | None:
    """Return the cards that a correction takes back, None for any other event."""
    if not isinstance(event, CoupCorrected):
        return None
    return event.coup.cards if event.coup else event.turned


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


@frozen
class Touched:
    """The coups that corrections change: those that are corrected, and others with a line of them.

    ``shoes`` are those with a correction, given while they were played or of a coup of theirs.
    """

    coups: frozenset[tuple[int, int]] = frozenset()
    ends: frozenset[int] = frozenset()
    shoes: frozenset[int] = frozenset()

    @classmethod
    def by(cls, corrections: Iterable[Entry]) -> Touched:
        """Return what the entries of corrections touch."""
        coups, ends, shoes = set[tuple[int, int]](), set[int](), set[int]()
        for entry in corrections:
            found = [about(event) for event in entry.events]
            keys = {(each[0] or entry.shoe, each[1]) for each in found if each}
            shoes |= {entry.shoe} | {shoe for shoe, _number in keys}
            coups |= keys
            ends |= {shoe for shoe, number in keys if not number}
        return cls(frozenset(coups), frozenset(ends), frozenset(shoes))

    def __contains__(self, coup: SettledCoup) -> bool:
        """Return whether a coup may change once another one is settled."""
        return _key(coup) in self.coups or coup.shoe in self.ends


def settled_once(events: Callable[[], Iterable[Event]], touched: Touched) -> Iterator[SettledCoup]:
    """Yield what ``final`` returns, one coup after the other, as soon as nothing changes it.

    ``touched`` are the coups that corrections in these events change: they alone are held in
    memory, and where there are some, ``events`` is called twice and gone through from its start.
    """
    last: dict[tuple[int, int], list[SettledCoup]] = {}
    if touched.coups:
        for version in _versions(events(), touched):
            if version in touched:
                held = last.setdefault(_key(version), [])
                if held and version.replaces is not None:
                    held[-1] = version
                else:
                    held.append(version)
    now: SettledCoup | None = None
    met: Counter[tuple[int, int]] = Counter()
    for version in _versions(events(), touched):
        known = version in touched and met[_key(version)]
        if version.replaces is not None and now is not None and _key(now) == _key(version):
            now = version
        elif version.replaces is None or not known:
            if now is not None:
                yield _last(now, last, met)
            now = version
            met[_key(version)] += version in touched
    if now is not None:
        yield _last(now, last, met)


def _last(
    coup: SettledCoup,
    last: Mapping[tuple[int, int], Sequence[SettledCoup]],
    met: Mapping[tuple[int, int], int],
) -> SettledCoup:
    """Return the last version of a coup that is met for so many times."""
    key = _key(coup)
    return last[key][met[key] - 1] if key in last else coup


def _versions(events: Iterable[Event], touched: Touched) -> Iterator[SettledCoup]:
    """Yield the versions of coups; those that nothing corrects are forgotten after the next."""
    fold, now = CoupFold(), SettledCoup(0, 0)
    for event in events:
        version = fold.feed(event)
        if version is None:
            continue
        if version.replaces is None and now not in touched:
            fold.forget(now.shoe, now.number)
        yield version
        if version.replaces is None or _key(version) == _key(now):
            now = version


def final(versions: Iterable[SettledCoup]) -> tuple[SettledCoup, ...]:
    """Return the last version of each coup, in the order in which they were settled first."""
    last: list[SettledCoup] = []
    places: dict[tuple[int, int], int] = {}
    for version in versions:
        key = version.shoe, version.number
        if version.replaces is None or key not in places:
            places[key] = len(last)
            last.append(version)
        else:
            last[places[key]] = version
    return tuple(last)
