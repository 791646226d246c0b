"""A record from what happened: commands and their events in, records of tailles out."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, Final

from attrs import define, evolve, field

from trente_rules._version import __version__
from trente_rules.core.cards import Card
from trente_rules.core.coup import Coup
from trente_rules.core.errors import RecordError, TrenteError
from trente_rules.core.house.house import House
from trente_rules.core.house.loading import dumps_house
from trente_rules.core.money import ONE
from trente_rules.core.stakes import Line, Opening, Stake
from trente_rules.fair.provenance import Provenance
from trente_rules.records.record import (
    SCHEMA,
    CoupRecord,
    EndOf,
    HouseOf,
    Prisoner,
    Record,
    RulesOf,
    ShoeOf,
    StakeRecord,
    TableOf,
    TakenBack,
    sealed,
)
from trente_rules.table import events as happened
from trente_rules.table.commands import Command, OpenShoe
from trente_rules.table.coups import CoupFold, SettledCoup
from trente_rules.table.events import Event
from trente_rules.table.state import TableState
from trente_rules.table.table import Entry, Table

# --- What is known so far of a shoe and of a coup, while their events come in

_END = EndOf()
Placed = tuple[Card, int]
"""A card, and its place in the shoe from 1."""


@define
class CoupDraft:
    """A coup, so far. ``cloth`` are its stakes as they lie, by their ids."""

    number: int
    opened: str
    cloth: dict[str, Stake]
    closed: str = ""
    first: list[Placed] = field(factory=list)
    second: list[Placed] = field(factory=list)
    exposed: list[Placed] = field(factory=list)
    marker: int | None = None
    last: bool = False
    choices: dict[tuple[str, str], str] = field(factory=dict)
    rows: dict[str, Any] = field(factory=dict)
    taken_back: tuple[TakenBack, ...] = ()
    came_on: dict[str, str] = field(factory=dict)

    def put(self, stake: Stake, was_on: str) -> None:
        """Put a stake on the cloth, in its place where it is there already."""
        if was_on and stake.id not in self.cloth:  # a prisoner that no event named before
            self.came_on.setdefault(stake.id, was_on)
        elif stake.free or stake.id in self.cloth:
            self.cloth[stake.id] = stake

    def take_away(self, stake_id: str) -> None:
        """Take a stake away, and the choices for it."""
        self.cloth.pop(stake_id, None)
        self.choices = {key: to for key, to in self.choices.items() if key[0] != stake_id}

    def as_it_came(self, stake: Stake) -> Stake:
        """Return a prisoner as it came in: not insured, on the chance it was moved from."""
        return evolve(
            stake, insured=False, proof=True, chance=self.came_on.get(stake.id, stake.chance)
        )

    def dealt(self, coup: Coup) -> int:
        """Take both complete rows; return by how many cards a correction made them longer."""
        known = [place for _card, place in self.first + self.second]
        # Rows that were read wrong are at the same places, as far as these go.
        following = max((*known, *_places(self.exposed)), default=0) + 1
        places = [*known, *range(following, following + len(coup.cards))][: len(coup.cards)]
        placed = list(zip(coup.cards, places, strict=True))
        split = len(coup.first.cards)
        self.first, self.second = placed[:split], placed[split:]
        return len(placed) - len(known)

    def settle(self, coup: SettledCoup) -> None:
        """Take the rows and stakes of a settlement; one that it takes back is kept apart."""
        if len(coup.earlier) > len(self.taken_back):
            reason = coup.earlier[-1].taken_back
            self.taken_back += (TakenBack(at=coup.at, reason=reason, **self.rows),)
        order = {line.stake.id: place for place, line in enumerate(coup.lines, 1)}
        lines = {line.stake.id: line for line in coup.lines}
        self.rows = {
            "first": _cards(self.first),
            "second": _cards(self.second),
            "first_places": _places(self.first),
            "second_places": _places(self.second),
            "points": tuple(row.point for row in coup.coup.rows) if coup.coup else (),
            "verdicts": tuple((chance, verdict.id) for chance, verdict in coup.verdicts),
            "settled": coup.at,
            "void": coup.void,
            "players_net": coup.players_net,
            "bank_net": coup.bank_net,
            "stakes": tuple(
                stake_record(lines[name], order[name], self._chosen(name))
                for name in self.cloth
                if name in lines
            ),
        }

    def _chosen(self, stake_id: str) -> tuple[tuple[str, str], ...]:
        return tuple((key[1], to) for key, to in self.choices.items() if key[0] == stake_id)

    def record(self) -> CoupRecord:
        """Return the coup as a record has it."""
        return CoupRecord(
            number=self.number,
            opened=self.opened,
            closed=self.closed,
            exposed=_cards(self.exposed),
            exposed_places=_places(self.exposed),
            marker=self.marker,
            last=self.last,
            taken_back=self.taken_back,
            **self.rows,
        )


def _cards(placed: Iterable[Placed]) -> tuple[Card, ...]:
    return tuple(card for card, _place in placed)


def _places(placed: Iterable[Placed]) -> tuple[int, ...]:
    return tuple(place for _card, place in placed)


@define
class ShoeDraft:
    """A shoe, so far. ``position`` is how many cards are out, ``cloth`` what lies on the table."""

    shoe: ShoeOf
    provenance: Provenance | None
    prisoners: tuple[Prisoner, ...]
    cloth: dict[str, Stake]
    position: int = 0
    coups: list[CoupDraft] = field(factory=list)
    closing: tuple[Line, ...] = ()
    end: EndOf = _END

    def ended(self) -> EndOf:
        """Return the end, with the stakes that were closed as they lay on the cloth."""
        order = {line.stake.id: place for place, line in enumerate(self.closing, 1)}
        places = {name: place for place, name in enumerate(self.cloth)}
        lines = sorted(self.closing, key=lambda line: places.get(line.stake.id, 0))
        return evolve(
            self.end,
            stakes=tuple(stake_record(line, order[line.stake.id], ()) for line in lines),
        )


def stake_record(line: Line, order: int, choices: Iterable[tuple[str, str]]) -> StakeRecord:
    """Return what happened to a stake, as a record has it."""
    stake, after = line.stake, line.after
    moved = after is not None and after.chance != stake.chance
    return StakeRecord(
        **StakeRecord.fields_of(stake),
        insured=stake.insured,
        premium=line.premium,
        choices=tuple(choices),
        order=order,
        verdict=line.verdict.id,
        course=line.course,
        returned=line.returned,
        won=line.won,
        forfeited=line.forfeited,
        staying=line.staying,
        premium_returned=line.premium_returned,
        residue=line.residue,
        premium_residue=line.premium_residue,
        after=after.state if after else "",
        share_after=after.share if after else ONE,
        handed_back_after=after.handed_back if after else 0,
        chance_after=after.chance if after and moved else "",
    )


# --- Where a shoe and the stakes that came in with it are from, as a record has it


def source_of(text: str) -> tuple[Provenance | None, str]:
    """Return where the order is from, as a provenance where the text is the JSON of one."""
    if text.startswith("{"):
        try:
            told: Any = json.loads(text)
            provenance = Provenance.of_json(told)
        except (TrenteError, ValueError, RecursionError, TypeError):
            return None, text
        if json.dumps(provenance.to_json()) == text:
            return provenance, ""
    return None, text


def source_text(record: Record) -> str:
    """Return the source of a shoe as the command that opened it had it."""
    if record.provenance is None:
        return record.shoe.source
    return json.dumps(record.provenance.to_json())


def prisoners_of(stakes: Iterable[Stake]) -> tuple[Prisoner, ...]:
    """Return stakes as a record has those that came in."""
    return tuple(Prisoner(**Prisoner.fields_of(stake)) for stake in stakes)


_NO_OPENING: Final = Opening()


RecordStep = (
    tuple[Command, tuple[Event, ...]] | tuple[Command, tuple[Event, ...], TableState] | Entry
)
"""A command and its events, the state after it where that is at hand; or a journal's entry."""


class Recorder:
    """A sink of commands and events that keeps the record of every shoe.

    ``prisoners`` are the stakes that stood before the first shoe, in the order on the cloth; a
    state that comes with an ``OpenShoe`` holds them as well. Where neither does, prisoners are
    known from the first coup that settles them. With ``rules`` the records hold the house's own
    TOML, so that they can be replayed anywhere. What follows a shoe belongs to it, until the next
    one is opened; what comes before the first is passed over.
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
        """Begin without a record."""
        self.house = house
        self.table = table
        self.opening = opening
        self._rules = RulesOf(toml=dumps_house(house)) if rules else RulesOf()
        self._standing: dict[str, Stake] = {stake.id: stake for stake in prisoners}
        self._shoe: ShoeDraft | None = None
        self._coup: CoupDraft | None = None
        self._fold = CoupFold()
        self._over: list[Record] = []

    def append(
        self, command: Command, events: Iterable[Event], state: TableState | None = None, /
    ) -> None:
        """Take note of a command and what happened."""
        if isinstance(command, OpenShoe) and state is not None:
            self._standing = {stake.id: stake for stake in state.stakes}
        if self._shoe is not None:
            coup = self._open_coup
            self._shoe.cloth = self._standing if coup is None else coup.cloth
        for event in events:
            version = self._fold.feed(event, command.at)
            if isinstance(event, happened.ShoeOpened):
                self._open(event, command)
            elif self._shoe is None:
                continue
            elif version is not None:
                self._take(self._shoe, version)
            if self._shoe is not None:
                self._note(self._shoe, event, command)

    def extend(self, steps: Iterable[RecordStep]) -> None:
        """Take note of commands, in their order."""
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
        return (*self._over, *((self._record(self._shoe),) if self._shoe else ()))

    def record(self, shoe: int | None = None) -> Record:
        """Return the record of a shoe, the last one where no number is given.

        Raises ``RecordError`` ("no-such-shoe").
        """
        records = self.records
        for record in reversed(records):
            if shoe in (None, record.shoe.number):
                return record
        numbers = ", ".join(str(record.shoe.number) for record in records) or "none"
        which = "no shoe" if shoe is None else f"no shoe {shoe!r}"
        raise RecordError(f"{which} is in these events", "no-such-shoe", f"shoes: {numbers}")

    def _open(self, event: happened.ShoeOpened, command: Command) -> None:
        if self._shoe is not None:
            self._over.append(self._record(self._shoe))
        provenance, source = source_of(event.source)
        shoe = ShoeOf(
            number=event.shoe,
            packs=event.packs,
            live=event.live,
            opened=command.at,
            source=source,
            order=command.cards if isinstance(command, OpenShoe) else (),
        )
        prisoners = prisoners_of(self._standing.values())
        self._shoe = ShoeDraft(shoe, provenance, prisoners, self._standing)
        self._coup = None

    def _note(self, shoe: ShoeDraft, event: Event, command: Command) -> None:  # noqa: C901, PLR0912 - one case an event
        """Take note of what no settlement holds: the shoe, the cloth, cards, choices, times."""
        coup = self._open_coup
        match event:
            case happened.CutMade():
                shoe.shoe = evolve(shoe.shoe, cut=event.place, cut_by=event.by)
            case happened.Burned():
                shoe.shoe = evolve(shoe.shoe, burn=event.count, burned=event.cards)
                shoe.position = event.count
            case happened.MarkerPlaced():
                shoe.shoe = evolve(shoe.shoe, marker=event.from_end, marker_by=event.by)
            case happened.ShoeEnded():
                shoe.end = evolve(shoe.end, why=event.why, left=event.left, at=command.at)
            case happened.SessionClosed():
                shoe.end = evolve(shoe.end, session_closed=True, session_at=command.at)
                self._standing = {}
            case happened.BetsOpened():
                self._coup = CoupDraft(event.coup, command.at, dict(self._standing))
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
                (coup.first if row == "first" else coup.second).append((card, place))
                shoe.position = place
            case happened.CardBurned(card, place):
                coup.exposed.append((card, place))
                shoe.position = place
            case happened.MarkerShown():
                coup.marker, coup.last = shoe.position, event.last
            case happened.CoupDealt():
                shoe.position += coup.dealt(event.coup)
            case happened.ChoiceMade():
                coup.choices[event.stake, event.verdict.id] = event.course
            case _:
                pass

    def _take(self, shoe: ShoeDraft, version: SettledCoup) -> None:
        """Take a version of a coup: settled, void, or more of its stakes closed with the shoe."""
        for line in version.closed[len(shoe.closing) :]:
            if line.stake.id not in shoe.cloth and not line.stake.free:
                shoe.prisoners += prisoners_of((line.stake,))
            self._standing = {**self._standing}
            self._standing.pop(line.stake.id, None)
        shoe.closing = version.closed
        if self._coup is not None and version.number and not version.closed and not version.end:
            self._settled(shoe, self._coup, version)

    def _settled(self, shoe: ShoeDraft, coup: CoupDraft, version: SettledCoup) -> None:
        """Add a coup that is settled or void; what stays of its stakes is on the cloth."""
        met = [line.stake for line in version.lines if line.stake.id not in coup.cloth]
        if met:  # prisoners that no event named before
            lines = [line for line in version.lines if line.stake in met]
            lying = lines if version.void else self.house.settlement.lying(lines)
            coming = [line.stake for line in lying]
            shoe.prisoners += prisoners_of(map(coup.as_it_came, coming))
            coup.cloth = {**{stake.id: stake for stake in coming}, **coup.cloth}
        coup.settle(version)
        after = {line.stake.id: line.after for line in version.lines}
        self._standing = {name: stays for name in coup.cloth if (stays := after.get(name))}
        shoe.cloth, shoe.end = coup.cloth, _END
        if not shoe.coups or shoe.coups[-1] is not coup:
            shoe.coups.append(coup)

    def _record(self, shoe: ShoeDraft) -> Record:
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
                    opening=self.opening,
                    currency=money.currency,
                    unit=str(money.unit),
                    players=tuple(players),
                ),
                shoe=shoe.shoe if over else evolve(shoe.shoe, order=()),
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

    ``steps`` is a table, or (command, events) pairs in their order, the state after each where it
    is at hand, or the entries of a journal: then ``house`` is needed. ``table`` and ``opening`` are
    those of the table; ``shoe`` is the number of one of several, the last where none is given. The
    order of the cards is in the record once the taille is over. The other arguments are those of
    ``Recorder``.

    Raises ``RecordError``: "no-such-shoe", "house-needed".
    """
    if isinstance(steps, Table):
        setup = steps.state.setup
        house, table, opening = setup.house, setup.table, setup.opening
        steps = steps.answered.values()
    if house is None:
        raise RecordError("events do not tell their house", "house-needed", "give the house")
    recorder = Recorder(house, table, opening, prisoners=prisoners, rules=rules)
    recorder.extend(steps)
    return recorder.record(shoe)
