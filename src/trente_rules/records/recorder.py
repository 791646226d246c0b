"""The recorder: commands and their events in, records of tailles out."""

from __future__ import annotations

import json
from collections.abc import Container, Iterable, Iterator
from itertools import chain, count
from typing import Any, Final

from attrs import define, evolve, field

from trente_rules._version import __version__
from trente_rules.core.cards import Card
from trente_rules.core.coup import Coup
from trente_rules.core.errors import RecordError, shown
from trente_rules.core.house.house import House
from trente_rules.core.house.loading import dumps_house
from trente_rules.core.machine import FREE
from trente_rules.core.stakes import Choice, Line, Opening, Stake
from trente_rules.fair.provenance import Provenance
from trente_rules.records.record import (
    SCHEMA,
    CoupRecord,
    EndOf,
    HouseOf,
    Record,
    RulesOf,
    ShoeOf,
    StakeRecord,
    Standing,
    TableOf,
    TakenBack,
    sealed,
)
from trente_rules.table import events as happened
from trente_rules.table.commands import Command, OpenShoe
from trente_rules.table.corrections import settled_again
from trente_rules.table.coups import CoupFold, SettledCoup, about
from trente_rules.table.entries import Entry
from trente_rules.table.events import Event
from trente_rules.table.past import laid
from trente_rules.table.sealed import Sealed
from trente_rules.table.state import TableState
from trente_rules.table.table import Table

Placed = tuple[Card, int]
"""A card, and its place in the shoe from 1."""


@define(eq=False)
class CoupDraft:
    """A coup so far: ``cloth`` holds its stakes by their ids, in the order they were placed.

    ``lying`` are its prisoners in the order in which the table settles them: behind a coup that was
    corrected it can be another one. ``opening`` is in force in the coup. ``lines`` are those of its
    settlement, ``before`` those of each that was taken back, with the choices made until then;
    ``rewritten`` is whether the correction of an earlier coup has changed its stakes.
    """

    number: int
    opened: str
    cloth: dict[str, Stake]
    lying: dict[str, Stake]
    opening: Opening
    closed: str = ""
    first: list[Placed] = field(factory=list)
    second: list[Placed] = field(factory=list)
    exposed: list[Placed] = field(factory=list)
    marker: int | None = None
    last: bool = False
    choices: dict[tuple[str, str, str], Choice] = field(factory=dict)
    rows: dict[str, Any] = field(factory=dict)
    taken_back: list[TakenBack] = field(factory=list)
    lines: tuple[Line, ...] = ()
    made: tuple[Choice, ...] = ()
    rewritten: bool = False
    before: list[tuple[tuple[Line, ...], tuple[Choice, ...]]] = field(factory=list)
    came_on: dict[str, str] = field(factory=dict)
    posted: Opening | None = None

    def put(self, stake: Stake, was_on: str) -> None:
        """Put a stake on the cloth, in its place where it is there already."""
        if was_on:
            self.came_on.setdefault(stake.id, was_on)
        if stake.id in self.cloth or (stake.free and not was_on):
            self.cloth[stake.id] = stake

    def lay(
        self, name: str, stake: Stake | None, order: Iterable[str], lying: Iterable[str]
    ) -> None:
        """Put a prisoner where it lay, or take it away (None); both orders are those of a coup."""
        if stake is None:
            self.cloth.pop(name, None)
            self.lying.pop(name, None)
        else:
            prisoners = {each.id for each in self.cloth.values() if not each.free}
            self.cloth = laid(self.cloth, stake, order, prisoners)
            self.lying = laid(self.lying, stake, lying, self.lying)

    def move(self, more: int) -> None:
        """Move the places of all cards in the shoe, and of its marker."""
        self.first, self.second, self.exposed = (
            [(card, place + more) for card, place in cards]
            for cards in (self.first, self.second, self.exposed)
        )
        if self.marker is not None:
            self.marker += more
        if self.rows:
            self.rows |= {**_fields("first", self.first), **_fields("second", self.second)}
        self.taken_back = [each.moved(more) for each in self.taken_back]

    def take_away(self, stake_id: str) -> None:
        """Take a stake away, and the choices for it."""
        self.cloth.pop(stake_id, None)
        self.choices = {key: each for key, each in self.choices.items() if key[0] != stake_id}

    def choose(self, made: happened.ChoiceMade) -> None:
        """Note a choice, in place of one made before for the same state and verdict."""
        self.choices[made.stake, made.state, made.verdict.id] = made.choice

    def as_it_came(self, stake: Stake) -> Stake:
        """Return a prisoner as it came in: not insured, on the chance it was moved from."""
        came_on = self.came_on.get(stake.id, stake.chance)
        return evolve(stake, insured=False, proof=True, chance=came_on)

    def dealt(self, coup: Coup) -> int:
        """Set both complete rows; return by how many cards a correction made them longer."""
        known = [place for _card, place in self.first + self.second]
        # Rows that were read wrong are at the same places, as far as these go.
        last = max((*known, *(place for _card, place in self.exposed)), default=0)
        placed = list(zip(coup.cards, chain(known, count(last + 1)), strict=False))
        split = len(coup.first.cards)
        self.first, self.second = placed[:split], placed[split:]
        return len(placed) - len(known)

    def take_back(self, count: int, *, exposed: bool) -> None:
        """Take the last cards back: they were read wrong before the coup was settled."""
        rows = [self.exposed] if exposed else [self.second, self.first]
        for row in rows:
            gone = min(count, len(row))
            del row[len(row) - gone :]
            count -= gone

    def settle(self, coup: SettledCoup) -> None:
        """Set the rows and stakes of a settlement; add one that it corrects to ``taken_back``."""
        if len(coup.earlier) > len(self.taken_back):
            reason = coup.earlier[-1].taken_back
            self.taken_back.append(TakenBack(at=coup.at, reason=reason, **self.rows))
            self.before.append((self.lines, self.made))
        self.lines, self.made = coup.lines, tuple(self.choices.values())
        self.rows = {
            **_fields("first", self.first),
            **_fields("second", self.second),
            "points": tuple(row.point for row in coup.coup.rows) if coup.coup else (),
            "verdicts": tuple((chance, verdict.id) for chance, verdict in coup.verdicts),
            "settled": coup.at,
            "void": coup.void,
            "players_net": coup.players_net,
            "bank_net": coup.bank_net,
            "stakes": _stakes(coup.lines, self.cloth, self.made),
        }

    def as_settled(self, house: House, place: int = -1) -> tuple[str, ...]:
        """Return the stakes as a correction takes them to lie: by the settlement it takes back.

        ``place`` is that of a settlement from 0, by default the last.
        """
        settlements = zip(self.before, self.taken_back, strict=True)
        every = [(lines, back.void) for (lines, _made), back in settlements]
        lines, void = [*every, (self.lines, self.rows.get("void"))][place]
        came = [line for line in lines if not line.stake.free]
        lying = came if void else house.settlement.lying(came)
        return tuple(dict.fromkeys((*(line.stake.id for line in lying), *self.cloth)))

    def in_order(
        self, house: House, lines: Iterable[Line], place: int, *, void: bool
    ) -> tuple[Line, ...]:
        """Return the lines of a settlement, at its place from 0, in the order of their settling."""
        names = self.as_settled(house, place - 1) if place else {**self.lying, **self.cloth}
        by_stake = {line.stake.id: line for line in lines}
        lying = tuple(by_stake[name] for name in names if name in by_stake)
        return lying if void else house.settlement.settled(lying, house.pay_ranks)

    def settle_before(
        self, house: House, name: str, lay: Stake | None, version: SettledCoup
    ) -> None:
        """Settle a prisoner in what was taken back, too: an earlier coup was corrected after it.

        A record has its corrections in the order of the coups, as if each had been made before the
        next coup was dealt. ``lay`` is the prisoner as it lay here, None where it did not.
        """
        earlier = zip(self.taken_back, self.before, version.earlier, strict=True)
        for place, (back, (old, made), settled) in enumerate([*earlier]):
            lines = {line.stake.id: line for line in old if line.stake.id != name}
            void = bool(settled.void)
            if lay is not None:
                coup, came = None if void else settled.coup, self.as_it_came(lay)
                own = [choice for choice in made if choice.stake == name]
                lines[name], _ = settled_again(house, coup, came, lay, own, self.opening)
            ordered = self.in_order(house, lines.values(), place, void=void)
            net = 0 if void else sum(line.player_net for line in ordered)
            stakes = _stakes(ordered, self.cloth, made)
            self.taken_back[place] = evolve(back, players_net=net, bank_net=-net, stakes=stakes)
            self.before[place] = ordered, made

    def record(self) -> CoupRecord:
        """Return the coup as a record has it."""
        return CoupRecord(
            number=self.number,
            opened=self.opened,
            closed=self.closed,
            marker=self.marker,
            last=self.last,
            posted=self.posted,
            taken_back=tuple(self.taken_back),
            **_fields("exposed", self.exposed),
            **self.rows,
        )


def _fields(name: str, placed: list[Placed]) -> dict[str, Any]:
    """Return the two fields of a record for some cards: the cards, and their places."""
    cards, places = zip(*placed, strict=True) if placed else ((), ())
    return {name: cards, f"{name}_places": places}


@define(eq=False)
class ShoeDraft:
    """A shoe so far: ``position`` cards are out, ``cloth`` holds the stakes on the table.

    ``posted`` are limits that were posted after its last coup.
    """

    shoe: ShoeOf
    provenance: Provenance | None
    prisoners: tuple[Standing, ...]
    cloth: dict[str, Stake]
    opening: Opening
    position: int = 0
    coups: list[CoupDraft] = field(factory=list)
    closing: tuple[Line, ...] = ()
    posted: Opening | None = None
    end: EndOf = field(factory=EndOf)

    def lengthen(self, more: int) -> None:
        """Follow a correction after which another number of cards is out: ``more`` than before."""
        self.position += more
        marker = None if self.end.marker is None else self.end.marker + more
        left = self.end.left - more if self.end.why else self.end.left
        self.end = evolve(self.end, marker=marker, left=left)

    def close(self, name: str, line: Line | None, order: Iterable[str]) -> None:
        """Close a stake with another line, or let it be gone before (None); ``order`` as ``lay``.

        Stakes are closed as they lie.
        """
        lines = {each.stake.id: each for each in self.closing}
        lines.pop(name, None)
        if line is not None:
            lines[name] = line
            prisoners = {each.id for each in self.cloth.values() if not each.free}
            self.cloth = laid(self.cloth, line.stake, order, prisoners)
        self.closing = tuple(lines[each] for each in self.cloth if each in lines)

    def ended(self) -> EndOf:
        """Return the end, with the stakes that were closed in their order on the cloth."""
        return evolve(self.end, posted=self.posted, stakes=_stakes(self.closing, self.cloth, ()))


def _stakes(
    lines: Iterable[Line], cloth: Iterable[str], choices: Iterable[Choice]
) -> tuple[StakeRecord, ...]:
    """Return settled stakes in their order on the cloth, with the choices made for them.

    A choice for another state is left out: the stake is not in it since an earlier correction.
    """
    places = {name: place for place, name in enumerate(cloth)}
    chosen: dict[tuple[str, str], list[tuple[str, str]]] = {}
    for choice in choices:
        of_stake = chosen.setdefault((choice.stake, choice.state), [])
        of_stake.append((choice.verdict.id, choice.course))
    stakes = [
        StakeRecord.of_line(line, order, tuple(chosen.get((line.stake.id, line.stake.state), ())))
        for order, line in enumerate(lines, 1)
    ]
    return tuple(sorted(stakes, key=lambda stake: places.get(stake.id, 0)))


def _source_of(text: str) -> tuple[Provenance | None, str]:
    """Return the source of a shoe: as a provenance if the text is the JSON of one, or as text."""
    provenance = Provenance.of_text(text)
    return provenance, "" if provenance else text


def source_text(record: Record) -> str:
    """Return the source of a shoe as the command that opened it has it."""
    if record.provenance is None:
        return record.shoe.source
    return json.dumps(record.provenance.to_json())


_NO_OPENING: Final = Opening()
RecordStep = (
    tuple[Command, tuple[Event, ...]] | tuple[Command, tuple[Event, ...], TableState] | Entry
)
"""A command and its events, the state after it where that is at hand; or a journal's entry."""


class Recorder:
    """A sink of commands and events that makes the record of every shoe.

    ``prisoners`` are the stakes on the table before the first shoe, in the order on the cloth; a
    state that comes with an ``OpenShoe`` holds them as well. Without either, prisoners are known
    from the first coup that settles them. With ``rules`` the records hold the TOML of the house,
    so that they can be replayed anywhere. Everything after a shoe belongs to it, until the next one
    is opened; events before the first are passed over.
    """

    def __init__(
        self,
        house: House,
        table: str = "table",
        opening: Opening = _NO_OPENING,
        *,
        prisoners: Iterable[Stake] = (),
        rules: bool = True,
    ) -> None:
        """Start without a record."""
        self.house = house
        self.table = table
        self.opening = opening
        self._rules = RulesOf(toml=dumps_house(house)) if rules else RulesOf()
        self._standing: dict[str, Stake] = {stake.id: stake for stake in prisoners}
        self._lying = self._standing  # the same stakes, as in a CoupDraft
        self._shoe: ShoeDraft | None = None
        self._coup: CoupDraft | None = None
        self._fold = CoupFold()
        self._over: list[ShoeDraft] = []
        self._new: list[ShoeDraft] = []
        self._drafts: dict[tuple[int, int], tuple[ShoeDraft, CoupDraft]] = {}
        self._again: CoupDraft | None = None
        self._again_cloth: Iterable[str] = ()
        self._again_lying: Iterable[str] = ()
        self._again_shoe = 0
        self._after: dict[str, Stake | None] = {}
        self._met: set[tuple[int, str]] = set()

    def append(
        self, command: Command, events: Iterable[Event], state: TableState | None = None, /
    ) -> None:
        """Add a command and its events."""
        if isinstance(command, OpenShoe) and state is not None:
            self._standing = self._lying = {stake.id: stake for stake in state.stakes}
        if self._shoe is not None and not self._shoe.closing:
            coup = self._open_coup
            self._shoe.cloth = self._standing if coup is None else coup.cloth
        self._again, self._after, self._met = None, {}, set()
        for event in events:
            version = self._fold.feed(event, command.at)
            if isinstance(event, happened.OpeningPosted):
                self.opening = event.opening
                if self._shoe is not None:
                    self._shoe.posted = event.opening
            if isinstance(event, happened.ShoeOpened):
                self._open(event, command)
            elif self._shoe is None or self._corrects(self._shoe, event, version):
                continue
            elif version is not None:
                self._take(self._shoe, version)
            if self._shoe is not None:
                self._note(self._shoe, event, command)

    def extend(self, steps: Iterable[RecordStep]) -> None:
        """Add commands and their events, in their order."""
        for step in steps:
            if isinstance(step, tuple):
                self.append(*step)
            else:
                self.append(step.command, step.events)

    @property
    def _open_coup(self) -> CoupDraft | None:
        return self._coup if self._fold.open else None

    @property
    def records(self) -> tuple[Record, ...]:
        """The records of all shoes so far; that of the last may not be over."""
        return tuple(map(self.record_of, (*self._over, *self.at_hand)))

    def finished(self, touched: Container[int]) -> Iterator[ShoeDraft]:
        """Yield the shoes that are over since the last call: another one was opened.

        They are forgotten, but for those that are ``touched``, which a later correction changes.
        """
        new, self._new = self._new, []
        for draft in new:
            number = draft.shoe.number
            yield draft
            if number not in touched:
                self._over.remove(draft)
                self._fold.forget(number)
                for coup in draft.coups:
                    self._drafts.pop((number, coup.number), None)

    @property
    def at_hand(self) -> tuple[ShoeDraft, ...]:
        """The last shoe, where there is one."""
        return () if self._shoe is None else (self._shoe,)

    def record(self, shoe: int | None = None) -> Record:
        """Return the record of a shoe, by default the last; ``RecordError`` ("no-such-shoe")."""
        records = self.records
        for record in reversed(records):
            if shoe in (None, record.shoe.number):
                return record
        numbers = ", ".join(str(record.shoe.number) for record in records) or "none"
        which = "no shoe" if shoe is None else f"no shoe {shown(shoe)}"
        raise RecordError(f"{which} is in these events", "no-such-shoe", f"shoes: {numbers}")

    def _open(self, event: happened.ShoeOpened, command: Command) -> None:
        every_coup = self.house.shoe.every_coup
        if self._shoe is not None and every_coup:  # the cards of the next coup
            return
        if self._shoe is not None:
            self._over.append(self._shoe)
            self._new.append(self._shoe)
        # Each coup of a machine has a source of its own: the journal has them.
        provenance, source = (None, "") if every_coup else _source_of(event.source)
        cards = command.cards if isinstance(command, OpenShoe) else None
        shoe = ShoeOf(
            number=event.shoe,
            packs=event.packs,
            live=event.live,
            opened=command.at,
            source=source,
            shuffled="every-coup" if every_coup else "",
            order=() if every_coup or isinstance(cards, Sealed) else cards or (),
            order_sealed=isinstance(cards, Sealed) and not every_coup,
        )
        prisoners = tuple(map(Standing.of, self._standing.values()))
        self._shoe = ShoeDraft(shoe, provenance, prisoners, self._standing, self.opening)
        self._coup = None

    def _note(self, shoe: ShoeDraft, event: Event, command: Command) -> None:  # noqa: C901, PLR0912, PLR0915 - one case an event
        """Add what no settlement holds: the shoe, the cloth, cards, choices, times."""
        coup = self._open_coup
        match event:
            case happened.CutMade():
                card = () if event.card is None else (event.card,)
                was = evolve(shoe.shoe, cut=event.place, cut_by=event.by)
                shoe.shoe = evolve(was, cut_card=card, first_row=event.first_row)
            case happened.Burned():
                shoe.shoe = evolve(shoe.shoe, burn=event.count, burned=event.cards)
                shoe.position = event.count
            case happened.MarkerPlaced():
                shoe.shoe = evolve(shoe.shoe, marker=event.from_end, marker_by=event.by)
            case happened.ShoeEnded():
                shoe.end = evolve(shoe.end, why=event.why, left=event.left, at=command.at)
            case happened.SessionClosed():
                shoe.end = evolve(shoe.end, session_closed=True, session_at=command.at)
                if coup is not None:
                    shoe.posted = coup.posted
                self._standing = self._lying = {}
            case happened.BetsOpened():
                both = dict(self._standing), dict(self._lying)
                self._coup = CoupDraft(
                    event.coup, command.at, *both, self.opening, posted=shoe.posted
                )
                shoe.posted = None
                if shoe.end.marker is not None:  # it came up before this coup, which is the last
                    self._coup.marker, self._coup.last = shoe.end.marker, True
            case happened.MarkerShown() if coup is None:
                shoe.end = evolve(shoe.end, marker=shoe.position)
            case _ if coup is None:
                pass
            case happened.BetsClosed():
                coup.closed = command.at
            case happened.StakePlaced() | happened.StakeIncreased() | happened.StakeInsured():
                coup.put(event.stake, "")
            case happened.PrisonerMoved():
                coup.put(event.stake, event.was_on)
            case happened.StakeWithdrawn() if not event.left:
                coup.take_away(event.stake.id)
            case happened.CardTurned(card, row, _total, place):
                # With exposed cards a place may be one that was left free behind them.
                shoe.position = shoe.position + 1 if coup.exposed else place
                (coup.first if row == "first" else coup.second).append((card, place))
            case happened.CardBurned(card, place):
                shoe.position = shoe.position + 1 if coup.exposed else place
                coup.exposed.append((card, place))
            case happened.CardsRetracted(cards, exposed=exposed):
                coup.take_back(len(cards), exposed=exposed)
                shoe.position -= len(cards)
            case happened.MarkerShown():
                coup.marker, coup.last = shoe.position, event.last
            case happened.CoupDealt():
                shoe.position += coup.dealt(event.coup)
            case happened.ChoiceMade():
                coup.choose(event)
            case _:
                pass

    def _take(self, shoe: ShoeDraft, version: SettledCoup) -> None:
        """Add a version of a coup: settled, void, or with more stakes closed with the shoe."""
        for line in version.closed[len(shoe.closing) :]:
            if line.stake.id not in shoe.cloth and not line.stake.free:
                shoe.prisoners += (Standing.of(line.stake),)
            self._standing, self._lying = {**self._standing}, {**self._lying}
            self._standing.pop(line.stake.id, None)
            self._lying.pop(line.stake.id, None)
        shoe.closing = version.closed
        if self._coup is not None and version.number and not version.closed and not version.end:
            self._settled(shoe, self._coup, version)

    def _corrects(self, shoe: ShoeDraft, event: Event, version: SettledCoup | None) -> bool:
        """Follow a correction of another coup than the last; return whether it is one."""
        found = about(event)
        if isinstance(event, happened.LineCorrected):
            self._correct_line(event, version)
        elif isinstance(event, happened.StakeCorrected):
            self._lay(shoe, event)
        elif found is not None:
            key = found[0] or shoe.shoe.number, found[1]
            self._again_shoe = key[0]
            draft = self._drafts.get(key, (shoe, None))[1]
            if draft is None and key[0] != shoe.shoe.number:  # of a shoe that is not recorded
                draft = CoupDraft(key[1], "", {}, {}, self.opening)
            self._again = draft if draft is not self._coup or not self._fold.with_end else None
            if self._again is None:  # nothing but the last coup is written again
                return False
            self._again_cloth = self._again.cloth
            self._again_lying = self._again.as_settled(self.house)
        elif self._again is None:
            return False
        elif isinstance(event, happened.CoupDealt):
            self._deal_again(shoe, self._again, event.coup)
        elif isinstance(event, happened.ChoiceMade):
            self._again.choose(event)
        elif version is not None:
            self._again.settle(self._in_order(self._again, version))
            self._after = {line.stake.id: line.after for line in version.lines}
            self._again = None
        return True

    def _deal_again(self, shoe: ShoeDraft, coup: CoupDraft, dealt: Coup) -> None:
        """Set the rows of a coup; what came out of the shoe after them is at other places."""
        more = coup.dealt(dealt)
        of_shoe = next((each for each, draft in self._drafts.values() if draft is coup), None)
        if of_shoe is None or not more or self.house.shoe.every_coup:
            return
        later = of_shoe.coups[of_shoe.coups.index(coup) + 1 :]
        of_shoe.lengthen(more)
        if of_shoe is shoe and self._coup is not None and self._coup not in shoe.coups:
            later = [*later, self._coup]
        for each in later:
            each.move(more)

    def _correct_line(self, event: happened.LineCorrected, version: SettledCoup | None) -> None:
        line, shown = event.line, event.line or event.was
        if shown is None:
            return
        name = shown.stake.id
        came = self._after.get(name)
        self._after[name] = line.after if line else None
        if not event.coup:
            for shoe in (*self._over, *((self._shoe,) if self._shoe else ())):
                if shoe.shoe.number == event.shoe:
                    shoe.close(name, line, self._again_cloth)
                    order = self.house.settlement
                    shoe.closing = order.settled(shoe.closing, self.house.pay_ranks)
            return
        if (event.shoe, event.coup) not in self._drafts or version is None:
            return
        shoe, coup = self._drafts[event.shoe, event.coup]
        self._came(shoe, name, came)
        lay, house = line.stake if line else None, self.house.dealt_first(shoe.shoe.first_row)
        coup.lay(name, lay, self._again_cloth, self._again_lying)
        coup.settle_before(house, name, lay, version)
        coup.rewritten = True
        coup.settle(self._in_order(coup, version))

    def _came(self, shoe: ShoeDraft, name: str, came: Stake | None) -> None:
        """Let a prisoner come into a shoe as a correction of an earlier shoe leaves it."""
        number = shoe.shoe.number
        if (number, name) in self._met:
            return
        self._met.add((number, name))
        placed = any(
            stake.id == name and stake.state == FREE
            for draft in shoe.coups
            for stake in draft.rows.get("stakes", ())
        )
        if placed or self._again_shoe == number:
            return
        standing = {each.id: each for each in shoe.prisoners}
        if came is None:
            standing.pop(name, None)
            shoe.prisoners = tuple(standing.values())
            return
        lay = {each: known.stake() for each, known in standing.items()}
        order = laid(lay, came, self._again_cloth, lay)
        standing[name] = Standing.of(came)
        shoe.prisoners = tuple(standing[each] for each in order)

    def _lay(self, shoe: ShoeDraft, event: happened.StakeCorrected) -> None:
        """Change what lies on the table now."""
        shown = event.now or event.was
        if shown is None:
            return
        name, came = shown.id, self._after.get(shown.id) or event.now
        if not shoe.coups:
            self._came(shoe, name, came if event.now else None)
        if self._open_coup is not None:
            self._open_coup.lay(name, event.now, self._again_cloth, self._again_lying)
        standing = CoupDraft(0, "", {**self._standing}, {**self._lying}, self.opening)
        standing.lay(name, came if event.now else None, self._again_cloth, self._again_lying)
        self._standing, self._lying = standing.cloth, standing.lying

    def _in_order(self, coup: CoupDraft, version: SettledCoup) -> SettledCoup:
        """Return a settlement as if the stakes of a rewritten coup had always lain in it."""
        if not coup.rewritten:
            return version
        place, void = len(version.earlier), bool(version.void)
        return evolve(version, lines=coup.in_order(self.house, version.lines, place, void=void))

    def _settled(self, shoe: ShoeDraft, coup: CoupDraft, version: SettledCoup) -> None:
        """Add a coup that is settled or void, and leave on the cloth the stakes that stay."""
        met = [line.stake for line in version.lines if line.stake.id not in coup.cloth]
        if met:  # prisoners that no event named before
            lines = [line for line in version.lines if line.stake in met]
            lying = lines if version.void else self.house.settlement.lying(lines)
            coming = [line.stake for line in lying]
            shoe.prisoners += tuple(Standing.of(coup.as_it_came(stake)) for stake in coming)
            came = {stake.id: stake for stake in coming}
            coup.cloth, coup.lying = {**came, **coup.cloth}, {**came, **coup.lying}
        order = coup.as_settled(self.house)  # by what a correction takes back
        coup.settle(self._in_order(coup, version))
        after = {line.stake.id: line.after for line in version.lines}
        staying = {name: stays for name in coup.cloth if (stays := after.get(name))}
        first = self._lying if version.earlier else {**coup.lying, **coup.cloth}
        self._standing, self._lying = staying, {n: staying[n] for n in first if n in staying}
        for stake in staying.values():
            self._lying = laid(self._lying, stake, order, self._lying)
        shoe.cloth, shoe.end = coup.cloth, EndOf()
        if not shoe.coups or shoe.coups[-1] is not coup:
            shoe.coups.append(coup)
        self._drafts[version.shoe, version.number] = shoe, coup

    def record_of(self, shoe: ShoeDraft) -> Record:
        """Return the record of a shoe as it is now."""
        money = self.house.money
        over = bool(shoe.end.why) or shoe.end.session_closed
        coups = tuple(draft.record() for draft in shoe.coups)
        end = shoe.ended()
        stakes = (stake for coup in coups for stake in coup.stakes)
        players = dict.fromkeys(each.player for each in (*shoe.prisoners, *stakes, *end.stakes))
        return sealed(
            Record(
                schema=SCHEMA,
                engine=__version__,
                house=HouseOf(name=self.house.name, fingerprint=self.house.fingerprint),
                table=TableOf(
                    name=self.table,
                    opening=shoe.opening,
                    currency=money.currency,
                    unit=str(money.unit),
                    players=tuple(players),
                ),
                shoe=shoe.shoe if over else evolve(shoe.shoe, order=(), order_sealed=False),
                provenance=shoe.provenance,
                prisoners=shoe.prisoners,
                coups=coups,
                end=end,
                rules=self._rules,
            )
        )


def record_of(
    steps: Table | Iterable[RecordStep],
    house: House | None = None,
    *,
    table: str = "table",
    opening: Opening = _NO_OPENING,
    shoe: int | None = None,
    prisoners: Iterable[Stake] = (),
    rules: bool = True,
) -> Record:
    """Return the record of a taille: of the shoe of a table, or from commands and their events.

    ``steps`` is a table; or, with ``house``, steps as ``Recorder.extend`` takes them. ``table`` and
    ``opening`` are those of the table; ``shoe`` is a number, by default that of the last shoe. The
    order of the cards is in the record once the taille is over. The other arguments are those of
    ``Recorder``.

    Raises ``RecordError``: "no-such-shoe", "house-needed".
    """
    if isinstance(steps, Table):
        setup = steps.state.setup
        house, table, opening = setup.house, setup.table, setup.opening
        steps = steps.taille
    if house is None:
        raise RecordError("events do not name their house", "house-needed", "give the house")
    recorder = Recorder(house, table, opening, prisoners=prisoners, rules=rules)
    recorder.extend(steps)
    return recorder.record(shoe)
