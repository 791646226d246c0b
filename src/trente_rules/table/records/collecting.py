"""A record from what happened: commands and their events in, records of tailles out."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, Protocol

from attrs import evolve

from trente_rules._version import __version__
from trente_rules.errors import RecordError
from trente_rules.house.house import House
from trente_rules.house.toml import dumps_house
from trente_rules.stakes import Opening, Stake
from trente_rules.table import events as happened
from trente_rules.table.commands import CloseSession, Command, OpenShoe
from trente_rules.table.events import Event
from trente_rules.table.records.drafts import CoupDraft, ShoeDraft, cloth_order
from trente_rules.table.records.origins import prisoners_of, source_of
from trente_rules.table.records.tables import sealed
from trente_rules.table.records.values import (
    SCHEMA,
    HouseOf,
    Record,
    RulesOf,
    ShoeOf,
    TableOf,
)
from trente_rules.table.state import TableState
from trente_rules.table.table import Table

_NO_OPENING: Final = Opening()


class Entry(Protocol):
    """A command that a journal keeps, and what happened."""

    @property
    def command(self) -> Command:
        """The command."""
        ...  # pragma: no cover - a protocol has no body

    @property
    def events(self) -> tuple[Event, ...]:
        """Its events."""
        ...  # pragma: no cover - a protocol has no body


Step = tuple[Command, tuple[Event, ...]] | tuple[Command, tuple[Event, ...], TableState] | Entry
"""A command and its events, the state after it where that is at hand; or a journal's entry."""


class Recorder:
    """A sink of commands and events that keeps the record of every shoe.

    ``prisoners`` are the stakes that stood before the first shoe, in the order on the cloth; a
    state that comes with an ``OpenShoe`` tells them as well. Where neither does, prisoners are
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
        self._over: list[Record] = []

    def append(
        self, command: Command, events: Iterable[Event], state: TableState | None = None, /
    ) -> None:
        """Take note of a command and what happened."""
        if isinstance(command, OpenShoe) and state is not None:
            self._standing = {stake.id: stake for stake in state.stakes}
        if self._shoe is not None:
            self._shoe.cloth = self._coup.cloth if self._coup else self._standing
        if isinstance(command, CloseSession):
            self._coup = None
        for event in events:
            if isinstance(event, happened.ShoeOpened):
                self._open(event, command)
            elif self._shoe is not None and not self._of_shoe(self._shoe, event, command):
                self._of_coup(self._shoe, event, command)

    def extend(self, steps: Iterable[Step]) -> None:
        """Take note of commands, in their order."""
        for step in steps:
            if isinstance(step, tuple):
                self.append(*step)
            else:
                self.append(step.command, step.events)

    @property
    def records(self) -> tuple[Record, ...]:
        """The records of all shoes so far; that of the last may not be over."""
        return (*self._over, *((self._record(self._shoe),) if self._shoe else ()))

    def record(self, shoe: int | None = None) -> Record:
        """Answer the record of a shoe, the last one where no number is given.

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

    def _of_shoe(self, shoe: ShoeDraft, event: Event, command: Command) -> bool:
        """Take note of what happens between coups; tell whether this was it."""
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
            case happened.MarkerShown() if self._coup is None:
                shoe.end = evolve(shoe.end, marker=shoe.position)
            case happened.StakeSettled() if self._coup is None:
                if event.line.stake.id not in shoe.cloth and not event.line.stake.free:
                    shoe.prisoners += prisoners_of((event.line.stake,))
                shoe.closing.append(event.line)
                self._standing = {**self._standing}
                self._standing.pop(event.line.stake.id, None)
            case happened.BetsOpened():
                self._coup = CoupDraft(event.coup, command.at, dict(self._standing))
            case happened.CoupCorrected():
                self._coup = shoe.reopen(command.at, event.reason)
                if self._coup is not None:  # what it closed with the shoe lies there again
                    shoe.cloth = self._coup.cloth
            case _:
                return False
        return True

    def _of_coup(self, shoe: ShoeDraft, event: Event, command: Command) -> None:
        coup = self._coup
        if coup is None:
            return
        match event:
            case happened.BetsClosed():
                coup.closed = command.at
            case (
                happened.StakePlaced()
                | happened.StakeIncreased()
                | happened.StakeInsured()
                | happened.PrisonerMoved()
            ):
                coup.put(event.stake, getattr(event, "was_on", ""))
            case happened.StakeWithdrawn() if not event.left:
                coup.take_away(event.stake.id)
            case happened.CoupSettled():
                coup.nets = event.players_net, event.bank_net
                self._settled(shoe, coup, command)
            case happened.CoupVoided():
                coup.void, coup.lines = event.reason, list(event.lines)
                self._settled(shoe, coup, command)
            case _:
                self._of_deal(shoe, coup, event)

    @staticmethod
    def _of_deal(shoe: ShoeDraft, coup: CoupDraft, event: Event) -> None:
        """Take note of cards, choices and what becomes of a stake."""
        match event:
            case happened.CardTurned():
                coup.turn(event)
                shoe.position = event.place
            case happened.CardBurned():
                coup.expose(event)
                shoe.position = event.place
            case happened.MarkerShown():
                coup.marker, coup.last = shoe.position, event.last
            case happened.CoupDealt():
                shoe.position += coup.dealt(event)
            case happened.ChoiceMade():
                coup.choices[event.stake, event.verdict.id] = event.course
            case happened.StakeSettled():
                coup.lines.append(event.line)
            case _:
                pass

    def _settled(self, shoe: ShoeDraft, coup: CoupDraft, command: Command) -> None:
        """Add a coup that is settled or void; what stays of its stakes stands on the cloth."""
        met = [line.stake for line in coup.lines if line.stake.id not in coup.cloth]
        if met:  # prisoners that nothing told of before
            lines = [line for line in coup.lines if line.stake in met]
            coming = cloth_order(self.house, lines, void=bool(coup.void))
            prisoners = tuple(coup.as_it_came(stake) for stake in coming)
            shoe.prisoners += prisoners_of(prisoners)
            coup.cloth = {**{stake.id: stake for stake in coming}, **coup.cloth}
        coup.settled = command.at
        after = {line.stake.id: line.after for line in coup.lines}
        self._standing = {}
        for name in coup.cloth:
            stays = after.get(name)
            if stays is not None:
                self._standing[name] = stays
        shoe.add(coup)
        self._coup = None

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
                    opening=self.opening.minimum,
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
    steps: Table | Iterable[Step],
    house: House | None = None,
    *,
    table: str = "table",
    opening: Opening = _NO_OPENING,
    shoe: int | None = None,
    prisoners: Iterable[Stake] = (),
    rules: bool = True,
) -> Record:
    """Answer the record of a taille: of the shoe of a table, or from commands and their events.

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
