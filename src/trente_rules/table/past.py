"""The past of a table: its coups as they count now, with all that settling one again needs.

A correction takes the past as a value. It is folded from entries: of the table's memory, or of its
journal. Corrections that were made before are applied, so a coup may be corrected any number of
times.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping
from typing import Final, Literal

from attrs import define, evolve, field, frozen

from trente_rules.core.cards import Card
from trente_rules.core.chances import Verdict
from trente_rules.core.coup import Coup
from trente_rules.core.house.house import House
from trente_rules.core.rules.settlement_order import PayOrder
from trente_rules.core.stakes import Choice, Line, Opening, Stake
from trente_rules.table import events as happened
from trente_rules.table.entries import Entry
from trente_rules.table.events import Event
from trente_rules.table.movements import (
    Movement,
    Part,
    line_parts,
    movements_of,
    prefix_of,
    reversal,
    void_parts,
)
from trente_rules.table.rounds import Round
from trente_rules.table.state import Setup, TableState

_SETTLING: Final = frozenset(("returned", "won", "premium-returned", "void", "closed"))
_PREMIUM: Final = frozenset(("premium", "premium-withdrawn"))
InForce = Mapping[tuple[int, int, str], Mapping[str, Movement]]
"""The movements that no other takes back, by shoe, coup and stake, then by their ids."""
FirstRow = Literal["", "noir", "rouge"]


@frozen
class Acts:
    """The acts of a player on a prisoner in a coup: the chance it was moved to, insurance."""

    chance: str = ""
    position: int | None = None
    insured: bool = False
    proof: bool = True


NO_ACTS: Final = Acts()


@frozen
class PastCoup:
    """A coup that is settled or void, as it counts now.

    ``stakes`` lay on the cloth, in their order; ``came`` are the prisoners among them as they came
    in. ``cards`` are those that were turned: of a void coup the rows may be incomplete, and
    ``coup`` is then None. ``choices`` and ``acts``, by stake, are what players did in it, also for
    stakes that a correction took away since. ``live`` is whether its cards came one by one;
    ``marked`` whether the marker was out when it was settled, ``cut`` whether the cards were cut by
    then. ``shown`` counts the cards that came
    out of the same shoe since; it is None where that shoe is not dealt from any more.
    """

    round: Round
    opening: Opening
    first_row: FirstRow
    live: bool
    stakes: tuple[Stake, ...]
    came: tuple[Stake, ...]
    choices: tuple[Choice, ...]
    lines: tuple[Line, ...]
    coup: Coup | None
    void: str
    cards: tuple[Card, ...]
    marked: bool
    cut: bool
    shown: int | None
    acts: Mapping[str, Acts]

    def line(self, stake: str) -> Line | None:
        """Return the line of a stake, None where it was not on the cloth."""
        return next((line for line in self.lines if line.stake.id == stake), None)


@frozen
class PastEnd:
    """The end of a shoe or of the session, with the stakes that were closed then.

    ``round`` is the last coup before it, whose bets may have been open.
    """

    of: Literal["shoe", "session"]
    round: Round
    opening: Opening
    first_row: FirstRow
    lines: tuple[Line, ...]
    acts: Mapping[str, Acts]

    def line(self, stake: str) -> Line | None:
        """Return the line of a stake, None where it was not closed."""
        return next((line for line in self.lines if line.stake.id == stake), None)

    def closes(self, house: House) -> bool:
        """Return whether a house closes the stakes on the table here."""
        return self.of == "session" or house.shoe.prisoners_at_end == "close"


@frozen
class Past:
    """A coup and all that came after it, to now: its coups and ends, and movements in force.

    ``direct`` is true where nothing has happened to the shoe since that coup was settled: its end,
    if it ended, came with the coup, and is corrected too. ``acts`` and ``choices`` are those of the
    coup that is on.
    """

    steps: tuple[PastCoup | PastEnd, ...] = ()
    in_force: InForce = field(factory=dict)
    direct: bool = False
    acts: Mapping[str, Acts] = field(factory=dict)
    choices: tuple[Choice, ...] = ()

    @property
    def coup(self) -> PastCoup | None:
        """The coup to correct, None where there is no such coup."""
        first = self.steps[0] if self.steps else None
        return first if isinstance(first, PastCoup) else None


NO_PAST: Final = Past()


@frozen
class Rewritten:
    """Movements to take back, and those that replace them, for a stake in a round.

    The premium that was paid for a round, and its settlement, are rewritten separately.
    """

    round: Round
    stake: str
    parts: tuple[Part, ...]
    premium: bool = False


def rewrites(
    around: Round, was: Mapping[str, Line], now: Mapping[str, Line], *, void: bool
) -> Iterator[Rewritten]:
    """Yield the settlements of a round that differ; ``void`` where the coup is void now."""
    parts_of = void_parts if void else line_parts
    for name, line in now.items():
        if was.get(name) != line:
            yield Rewritten(around, name, tuple(parts_of(line)))
    for name in was:
        if name not in now:
            yield Rewritten(around, name, ())


def compensations(
    prefix: str, steps: Iterable[Rewritten], in_force: InForce
) -> tuple[Movement, ...]:
    """Return the movements of a correction: for each step those taken back, then the new ones."""
    made: list[Movement] = []
    for step in steps:
        around, reasons = step.round, _PREMIUM if step.premium else _SETTLING
        known = in_force.get((around.shoe, around.coup, step.stake), {})
        for movement in known.values():
            if movement.reason in reasons:
                made.append(reversal(movement, f"{prefix}{len(made)}"))
        for stake, player, units, reason in step.parts:
            made.append(Movement(f"{prefix}{len(made)}", around, stake, player, units, reason))
    return tuple(made)


def past_of(
    entries: Iterable[Entry],
    target: Round | None,
    state: TableState,
    *,
    lying: Iterable[Stake] = (),
    whole: bool = False,
) -> Past:
    """Return the past of a coup: by default the last one of the shoe at hand.

    ``entries`` begin before the bets of that coup were opened, and end with the state. What is not
    in them, or not settled, has no past: its ``coup`` is then None. ``lying`` are the prisoners
    that were there before the first entry, where that is known: without them their order on the
    cloth is worked out from the coup that settled them. With ``whole`` the entries are all there
    are, and prisoners lie as they lay; else as the settlement says, which is the same wherever the
    entries begin.
    """
    fold = _Fold(state.setup, lying, whole=whole)
    for entry in entries:
        fold.feed(entry)
    return fold.past(target, state)


def bets_opened(entries: Iterable[Entry]) -> bool:
    """Return whether the bets of any coup are opened in these entries."""
    return any(isinstance(e, happened.BetsOpened) for entry in entries for e in entry.events)


def meant(state: TableState, target: Round | None) -> Round:
    """Return the coup that a correction is of: without a target the last one of the shoe at hand.

    A machine is always at the same shoe, of which the coup before may be known to a journal alone.
    """
    if target is not None:
        return target
    last = state.coup_number - state.in_coup
    return Round(state.setup.session, state.shoe_number, last)


def opens(entries: Iterable[Entry], target: Round) -> bool:
    """Return whether the bets of a coup are opened in these entries."""
    return any(
        entry.shoe == target.shoe
        and any(isinstance(e, happened.BetsOpened) and e.coup == target.coup for e in entry.events)
        for entry in entries
    )


@define
class _Draft:
    """A coup so far: its stakes by their ids in the order on the cloth."""

    round: Round
    opening: Opening | None
    first_row: FirstRow
    live: bool
    opened: int
    cloth: dict[str, Stake]
    came: dict[str, Stake]
    choices: dict[tuple[str, str, Verdict], Choice] = field(factory=dict)
    acts: dict[str, Acts] = field(factory=dict)
    turned: list[Card] = field(factory=list)
    exposed: int = 0
    coup: Coup | None = None
    void: str = ""
    lines: dict[str, Line] = field(factory=dict)
    marked: bool = False
    cut: bool = True

    @property
    def cards(self) -> tuple[Card, ...]:
        """The cards of its rows."""
        return self.coup.cards if self.coup else tuple(self.turned)

    @property
    def shown(self) -> int:
        """How many cards came out for it."""
        return len(self.cards) + self.exposed

    def put(self, name: str, stake: Stake | None, came: Stake, order: Iterable[str]) -> None:
        """Put a prisoner on the cloth, or take it away (None); ``order`` is as in ``laid``."""
        if stake is None:
            self.cloth.pop(name, None)
            self.came.pop(name, None)
        else:
            self.cloth = laid(self.cloth, stake, order, self.came)
            self.came = laid(self.came, came, order, self.came)

    def note(self, event: Event) -> None:
        """Follow an event of the coup before its settlement."""
        match event:
            case happened.StakePlaced(stake=stake):
                self.cloth[stake.id] = stake
            case happened.StakeInsured(stake=stake) if not stake.free:
                act = self.acts.get(stake.id, NO_ACTS)
                self.acts[stake.id] = evolve(act, insured=True, proof=stake.proof)
            case happened.PrisonerMoved(stake=stake, was_on=was_on):
                act = self.acts.get(stake.id, NO_ACTS)
                moved = evolve(act, chance=stake.chance, position=stake.position)
                self.acts[stake.id] = moved
                if stake.id not in self.came:  # it came from before the first entry
                    self.came[stake.id] = evolve(stake, insured=False, proof=True, chance=was_on)
            case happened.StakeWithdrawn(stake=stake, left=0):
                self.cloth.pop(stake.id, None)
                left = self.choices.items()
                self.choices = {slot: each for slot, each in left if each.stake != stake.id}
            case happened.CardTurned(card=card):
                self.turned.append(card)
            case happened.CardBurned():
                self.exposed += 1
            case happened.CardsRetracted(cards=cards, exposed=True):
                self.exposed -= len(cards)
            case happened.CardsRetracted(cards=cards):
                del self.turned[len(self.turned) - len(cards) :]
                self.coup = None
            case happened.CoupDealt(coup=coup):
                self.coup = coup
            case happened.ChoiceMade(choice=choice):
                slot = choice.stake, choice.state, choice.verdict
                self.choices.pop(slot, None)
                self.choices[slot] = choice

    def past(self, shown: int | None, opening: Opening, order: PayOrder | None) -> PastCoup:
        """Return the coup, settled or void; ``opening`` holds where none was posted since.

        How its prisoners lay is read off the lines, also where it is known: a past that begins with
        a later entry must be the same, or the journal of a correction could not be recovered. With
        no ``order`` of settlement they lie as they lay.
        """
        came = [line for line in self.lines.values() if not line.stake.free]
        if order is None:
            came = [self.lines[name] for name in self.cloth if not self.lines[name].stake.free]
        elif not self.void:
            came = list(order.lying(came))
        lying = {line.stake.id: line.stake for line in came}
        cloth = {**lying, **{name: each for name, each in self.cloth.items() if each.free}}
        return PastCoup(
            round=self.round,
            opening=self.opening or opening,
            first_row=self.first_row,
            live=self.live,
            stakes=tuple(cloth.values()),
            came=tuple(self.came[name] for name in cloth if name in self.came),
            choices=tuple(self.choices.values()),
            lines=tuple(self.lines.values()),
            coup=self.coup,
            void=self.void,
            cards=self.cards,
            marked=self.marked,
            cut=self.cut,
            shown=shown,
            acts=self.acts,
        )


@define
class _End:
    """The end of a shoe or session so far."""

    of: Literal["shoe", "session"]
    round: Round
    opening: Opening | None
    first_row: FirstRow
    lines: dict[str, Line] = field(factory=dict)
    acts: Mapping[str, Acts] = field(factory=dict)


class _Fold:
    """Follows the entries of a table, in their order."""

    def __init__(self, setup: Setup, lying: Iterable[Stake], *, whole: bool) -> None:
        """Begin before the first entry."""
        self._setup, self._whole = setup, whole
        self._steps: list[_Draft | _End] = []
        self._coups: dict[tuple[int, int], _Draft] = {}
        self._in_force: dict[tuple[int, int, str], dict[str, Movement]] = {}
        self._standing = {stake.id: stake for stake in lying}
        self._open: _Draft | None = None
        self._again: _Draft | None = None
        self._settled: dict[str, Line] = {}
        self._closed: dict[str, Line] = {}
        self._after: dict[str, Stake | None] = {}
        self._was: tuple[dict[str, Line], dict[str, Line]] = {}, {}
        self._shoe = self._opened = 0
        self._live = self._marked = False
        self._cut = True
        self._first_row: FirstRow = ""
        self._opening: Opening | None = None
        self._sealed = True
        self._settled_again = False

    # What entries do

    def feed(self, entry: Entry) -> None:
        """Follow the next entry."""
        self._settled, self._closed, self._after, self._again = {}, {}, {}, None
        self._settled_again = False
        settles = any(isinstance(each, _SETTLES) for each in entry.events)
        old: _Draft | None = None
        for event in entry.events:
            if isinstance(event, happened.CoupCorrected):
                again = self._take_back(event)
                old = None if event.shoe else again
            else:
                self._note(event, settles=settles)
        movements = entry.movements
        if old and movements == movements_of(entry.round, entry.key, entry.events):
            movements = self._old_movements(entry, old)  # nobody has worked them out
        self._move(movements)

    def _move(self, movements: Iterable[Movement]) -> None:
        for movement in movements:
            around = movement.round
            known = self._in_force.setdefault((around.shoe, around.coup, movement.stake), {})
            if movement.reverses:
                known.pop(movement.reverses, None)
            elif movement.reason in _SETTLING or movement.reason in _PREMIUM:
                known[movement.id] = movement

    def _old_movements(self, entry: Entry, again: _Draft) -> tuple[Movement, ...]:
        """Return the movements of a correction whose entry was written before it had any."""
        around, (lines, closed) = again.round, self._was
        steps = (
            *rewrites(around, lines, again.lines, void=bool(again.void)),
            *rewrites(evolve(around, coup=0), closed, self._closed, void=False),
        )
        return compensations(prefix_of(around.session, entry.key), steps, self._in_force)

    def _note(self, event: Event, *, settles: bool) -> None:  # noqa: C901, PLR0912 - one case an event
        # A coup that is settled again is the one that its choices are for, and then that is on.
        again = self._again if not self._settled_again else None
        coup = again or self._open
        match event:
            case happened.ShoeOpened(shoe=shoe, live=live):
                self._shoe, self._live, self._opened = shoe, live, self._opened + 1
                self._first_row, self._marked, self._sealed = "", False, True
                self._cut = self._setup.house.shoe.every_coup
                self._open = None
            case happened.CutMade(first_row=first_row):
                self._first_row, self._cut = first_row, True
                if self._open is not None:
                    self._open.first_row = first_row
            case happened.OpeningPosted(opening=opening, was=was):
                self._post(was)
                self._opening = opening
            case happened.MarkerShown():
                self._marked, self._sealed = True, self._sealed or not settles
            case happened.BetsOpened(coup=number):
                self._open, self._sealed = self._draft(self._shoe, number, self._standing), True
            case happened.CoupSettled() if coup is not None:
                self._finish(coup, "", self._settled)
            case happened.CoupVoided(reason=reason, lines=lines) if coup is not None:
                self._finish(coup, reason or "", {line.stake.id: line for line in lines})
            case happened.CoupSettled():
                self._stay(self._settled, self._standing)
            case happened.CoupVoided(lines=lines):
                self._stay({line.stake.id: line for line in lines}, self._standing)
            case happened.ShoeEnded():
                self._sealed = self._sealed or not settles
                self._end("shoe")
            case happened.SessionClosed():
                self._end("session")
                self._open, self._sealed = None, True
            case happened.StakeSettled(line=line):
                closed = line.verdict == Verdict.CLOSE
                (self._closed if closed else self._settled)[line.stake.id] = line
                if closed:
                    self._standing.pop(line.stake.id, None)
            case happened.LineCorrected():
                self._correct_line(event)
            case happened.StakeCorrected(was=was, now=now):
                self._lay(was, now)
            case _ if coup is not None:
                coup.note(event)

    def _draft(self, shoe: int, number: int, standing: Mapping[str, Stake]) -> _Draft:
        around = Round(self._setup.session, shoe, number)
        of_shoe = self._first_row, self._live, self._opened
        return _Draft(around, self._opening, *of_shoe, dict(standing), dict(standing))

    def _post(self, was: Opening | None) -> None:
        """Set the opening of the steps before the first posting, which no event named."""
        if self._opening is None:
            self._set_opening(was or self._setup.opening)

    def _set_opening(self, opening: Opening) -> None:
        for step in self._steps:
            step.opening = step.opening or opening
        if self._open is not None:
            self._open.opening = self._open.opening or opening

    def _end(self, of: Literal["shoe", "session"]) -> None:
        around = self._open.round if self._open else Round(self._setup.session, self._shoe, 0)
        end = _End(of, around, self._opening, self._first_row)
        end.acts = self._open.acts if self._open else {}
        end.lines = self._closed  # those of a shoe are settled after the event, of a session before
        self._steps.append(end)

    def _finish(self, coup: _Draft, void: str, lines: dict[str, Line]) -> None:
        """Set the lines of a coup that is settled or void."""
        unknown = [line for name, line in lines.items() if name not in coup.cloth]
        if unknown:  # prisoners from before the first entry
            coup.cloth = {**{each.stake.id: each.stake for each in unknown}, **coup.cloth}
        for name, line in lines.items():
            coup.cloth[name] = line.stake
            if not line.stake.free and name not in coup.came:
                coup.came[name] = _as_it_came(line)
        coup.void, coup.lines = void, lines
        self._after = {name: line.after for name, line in lines.items()}
        self._settled_again = True
        if coup is self._again and not self._direct(coup):
            return
        self._stay(lines, coup.cloth)
        if coup is self._again:
            return
        coup.marked, coup.cut = self._marked, self._cut
        self._sealed, self._open = False, None
        self._steps.append(coup)
        around = coup.round
        self._coups[around.shoe, around.coup] = coup

    def _stay(self, lines: Mapping[str, Line], order: Iterable[str]) -> None:
        """Leave on the table what stays after a coup; of one whose bets came before the entries."""
        kept = {name: line.after for name, line in lines.items()}
        names = dict.fromkeys((*order, *kept))
        self._standing = {name: stake for name in names if (stake := kept.get(name)) is not None}

    # What corrections do

    def _direct(self, coup: _Draft) -> bool:
        """Return whether nothing happened to the shoe since a coup was settled."""
        last = next((each for each in reversed(self._steps) if isinstance(each, _Draft)), None)
        return coup is last and not self._sealed

    def _take_back(self, event: happened.CoupCorrected) -> _Draft:
        coup = self._coups.get((event.shoe or self._shoe, event.number))
        if coup is None:  # it was settled before the first entry
            coup = self._draft(event.shoe or self._shoe, event.number, {})
        self._again, closed = coup, {}
        if self._direct(coup):
            self._marked, last = coup.marked, self._steps[-1]
            if isinstance(last, _End):
                closed = last.lines
                self._steps.pop()
        self._was = coup.lines, closed
        return coup

    def _correct_line(self, event: happened.LineCorrected) -> None:
        line, shown = event.line, event.line or event.was
        if shown is None:
            return
        name = shown.stake.id
        came = self._after.get(name)
        self._after[name] = line.after if line else None
        coup = self._coups.get((event.shoe, event.coup)) if event.coup else self._closing(event)
        if coup is None:  # it was settled before the first entry
            return
        if line is None:
            coup.lines.pop(name, None)
        else:
            coup.lines[name] = line
        if isinstance(coup, _Draft):
            coup.put(name, line.stake if line else None, came or _as_it_came(shown), self._order)

    def _closing(self, event: happened.LineCorrected) -> _End | None:
        """Return the end of a shoe, or of the session in it, at which stakes were closed."""
        for step in self._steps:
            if (
                isinstance(step, _End)
                and step.round.shoe == event.shoe
                and (step.of == "session" or self._closes)
            ):
                return step
        return None

    @property
    def _closes(self) -> bool:
        return self._setup.house.shoe.prisoners_at_end == "close"

    def _lay(self, was: Stake | None, now: Stake | None) -> None:
        """Change what lies on the table now."""
        shown = now or was
        if shown is None:
            return
        came = self._after.get(shown.id) or shown
        if self._open is not None:
            self._open.put(shown.id, now, came, self._order)
        if now is None:
            self._standing.pop(shown.id, None)
        else:
            self._standing = laid(self._standing, came, self._order, self._standing)

    @property
    def _order(self) -> tuple[str, ...]:
        """The stakes of the coup that is corrected, as they lay."""
        return tuple(self._again.cloth) if self._again else ()

    # The past

    def past(self, target: Round | None, state: TableState) -> Past:
        """Return the past of a coup."""
        self._set_opening(state.opening)
        key = self._last(state) if target is None else (target.shoe, target.coup)
        coup = self._coups.get(key) if key else None
        if coup is None or (target is not None and target.session != self._setup.session):
            return NO_PAST
        first = next(n for n, step in enumerate(self._steps) if step is coup)
        self._link()
        shown = self._open.shown if self._open else 0
        order = None if self._whole else self._setup.house.settlement
        steps: list[PastCoup | PastEnd] = []
        for step in reversed(self._steps[first:]):
            if isinstance(step, _Draft):
                same = step.opened == self._opened
                steps.append(step.past(shown if same else None, state.opening, order))
                shown += step.shown
            else:
                opening = step.opening or state.opening
                lines = tuple(step.lines.values())
                steps.append(
                    PastEnd(step.of, step.round, opening, step.first_row, lines, step.acts)
                )
        now = self._open
        return Past(
            tuple(reversed(steps)),
            self._in_force,
            self._direct(coup),
            now.acts if now else {},
            tuple(now.choices.values()) if now else (),
        )

    def _link(self) -> None:
        """Let prisoners come into each coup as they came out of the one before."""
        standing: dict[str, Stake] = {}
        for step in self._steps:
            if isinstance(step, _Draft):
                step.came |= {name: standing[name] for name in step.came if name in standing}
            for name, line in step.lines.items():
                if line.after is None:
                    standing.pop(name, None)
                else:
                    standing[name] = line.after

    def _last(self, state: TableState) -> tuple[int, int] | None:
        keys = (key for key in reversed(self._coups) if key[0] == state.shoe_number)
        return next(keys, None)


_SETTLES: Final = (happened.CoupSettled, happened.CoupVoided)


def laid(
    stakes: Mapping[str, Stake], stake: Stake, order: Iterable[str], prisoners: Container[str]
) -> dict[str, Stake]:
    """Return stakes with one that is there, or that was not there and is a prisoner now.

    It lies where it lay, or after those that were placed before it: ``order`` is that of a coup in
    which it lay.
    """
    if stake.id in stakes:
        return {**stakes, stake.id: stake}
    names = [*stakes]
    place = 0
    for name in order:
        if name == stake.id:
            break
        if name in stakes and name in prisoners:
            place = names.index(name) + 1
    names.insert(place, stake.id)
    return {name: stakes.get(name, stake) for name in names}


def _as_it_came(line: Line) -> Stake:
    """Return a prisoner as it came in: not insured in this coup."""
    return evolve(line.stake, insured=False, proof=True)
