"""Replay: a record is dealt and settled again by the engine, and the two are compared."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from operator import attrgetter, itemgetter
from os import PathLike
from pathlib import Path
from typing import Any

from attrs import define, evolve, field, frozen

from trente_rules.core.cards import Card
from trente_rules.core.chances import Verdict
from trente_rules.core.converter import is_tuple
from trente_rules.core.errors import ConfigurationError, Fault, TrenteError
from trente_rules.core.house.house import House
from trente_rules.core.house.loading import installed_house, load_house, loads_house
from trente_rules.core.machine import FREE
from trente_rules.core.money import ONE
from trente_rules.core.plugins.manager import PluginManager
from trente_rules.core.settlement import refusals, wager_of
from trente_rules.core.shoe import LEAST_COUP, LiveShoe, Shoe
from trente_rules.core.stakes import Stake
from trente_rules.fair.plan import FairPlan
from trente_rules.records.record import (
    CoupRecord,
    Record,
    Rows,
    StakeRecord,
    Standing,
    class_of,
    converter,
    digest,
    kinds_of,
)
from trente_rules.records.recorder import Recorder, source_text
from trente_rules.table import commands
from trente_rules.table.decide import decide
from trente_rules.table.entries import Entry
from trente_rules.table.events import Event, StakePlaced
from trente_rules.table.movements import Movement
from trente_rules.table.past import NO_PAST, past_of
from trente_rules.table.shoe import shoe_over
from trente_rules.table.state import Phase, Setup, TableState, premium_of

NOTHING = "nothing"
_NOT_COMPUTED = frozenset(("engine", "sha256", "house", "rules"))


@frozen
class Difference:
    """A field whose recorded value differs from the computed one.

    ``coup`` is None for the header and the end; ``stake`` is empty if it is not about a stake.
    """

    coup: int | None
    stake: str
    field: str
    recorded: str
    computed: str

    def __str__(self) -> str:
        """Return ``coup 3, stake a1, won: recorded 100, computed 50``."""
        where = [f"coup {self.coup}"] if self.coup is not None else []
        where += [f"stake {self.stake}"] if self.stake else []
        where.append(self.field)
        return f"{', '.join(where)}: recorded {self.recorded}, computed {self.computed}"


def differences(recorded: Record, computed: Record) -> Iterator[Difference]:
    """Return every field in which two records differ, of those that a deal determines."""
    for name, kind in kinds_of(Record).items():
        if name not in _NOT_COMPUTED:
            yield from _field(kind, getattr(recorded, name), getattr(computed, name), name, None)


def _field(
    kind: Any, recorded: Any, computed: Any, name: str, coup: int | None
) -> Iterator[Difference]:
    cls = class_of(kind)
    if cls is not None and is_tuple(kind):
        yield from _list(cls, recorded, computed, name, coup)
    elif cls is not None:
        yield from _value(cls, recorded, computed, name, coup)
    elif recorded != computed:
        yield Difference(coup, "", name, _value_text(kind, recorded), _value_text(kind, computed))


def _value(cls: type, recorded: Any, computed: Any, name: str, coup: int | None) -> Iterator[Any]:
    stake = recorded.id if isinstance(recorded, Standing) else ""
    for inner, kind in kinds_of(cls).items():
        path = inner if isinstance(recorded, Standing | CoupRecord) else f"{name}.{inner}"
        both = getattr(recorded, inner), getattr(computed, inner)
        for difference in _field(kind, *both, path, coup):
            yield evolve(difference, stake=difference.stake or stake)


def _list(cls: type, recorded: Any, computed: Any, name: str, coup: int | None) -> Iterator[Any]:
    listed, dealt = _by_key(recorded), _by_key(computed)
    for key in dict.fromkeys((*listed, *dealt)):
        number = key if cls is CoupRecord else coup
        stake = key if isinstance(key, str) else ""
        label = "coup" if cls is CoupRecord else "stake" if stake else f"{name}[{key}]"
        if key in listed and key in dealt:
            yield from _value(cls, listed[key], dealt[key], label, number)
        else:
            sides = ("there" if key in values else NOTHING for values in (listed, dealt))
            yield Difference(number, stake, label, *sides)
    if list(listed) != list(dealt) and listed.keys() == dealt.keys():
        yield Difference(coup, "", name, " ".join(map(str, listed)), " ".join(map(str, dealt)))


def _by_key(values: Any) -> dict[Any, Any]:
    """Return values by their ids or numbers, counted from 1 where they have neither."""
    return {
        getattr(value, "id", getattr(value, "number", place)): value
        for place, value in enumerate(values, 1)
    }


def _value_text(kind: Any, value: Any) -> str:
    """Return a value as a difference shows it."""
    if value in (None, (), ""):
        return NOTHING
    written = converter().unstructure(value, kind)
    if isinstance(written, dict):
        return ", ".join(f"{key} {course}" for key, course in written.items())
    if isinstance(written, list):
        return " ".join(map(str, written))
    return str(written).lower() if isinstance(written, bool) else str(written)


def _with_user_fields(computed: Any, recorded: Any) -> Any:
    """Return a computed value with the fields of the user that the recorded one has."""
    changes: dict[str, Any] = {}
    for name, kind in kinds_of(computed.__class__).items():
        mine, other = getattr(computed, name), getattr(recorded, name)
        if class_of(kind) and is_tuple(kind):
            others = _by_key(other)
            changes[name] = tuple(
                _with_user_fields(value, others[key]) if key in others else value
                for key, value in _by_key(mine).items()
            )
        elif class_of(kind):
            changes[name] = _with_user_fields(mine, other)
    return evolve(computed, user=recorded.user, **changes)


_DEALING = (Phase.CLOSED, Phase.DEALING)


@define
class Driver:
    """A table that repeats the commands of a record, and the differences where it refuses them."""

    house: House
    record: Record
    state: TableState = field(init=False)
    recorder: Recorder = field(init=False)
    refused: list[Difference] = field(factory=list)
    entries: list[Entry] = field(factory=list)
    whole: bool = False
    lying: tuple[Stake, ...] = ()
    coup: int | None = None
    _count: int = 0

    def __attrs_post_init__(self) -> None:
        """Set the table up as it was before the shoe."""
        record = self.record
        setup = Setup(self.house, record.table.name, record.opening)
        stakes = tuple(self._known(prisoner.stake() for prisoner in record.prisoners))
        self.lying = stakes
        before = record.coups[0].number - 1 if record.coups else 0  # of earlier coups of a machine
        self.state = TableState(
            setup, shoe_number=record.shoe.number - 1, coup_number=before, stakes=stakes
        )
        self.recorder = Recorder(
            self.house, record.table.name, record.opening, prisoners=stakes, rules=False
        )

    def drive(self) -> Record | None:
        """Do everything in the record; return the record of it, None if its shoe is refused."""
        if not self._shoe():
            return None
        for coup in self.record.coups:
            self.coup = coup.number
            if not self._coup(coup):
                break
        else:
            self.coup = None
            self._end()
        return self.recorder.record()

    def do(self, kind: type[commands.Command], **fields: Any) -> bool:
        """Do a command, and return whether the table takes it; a refusal is a difference."""
        self._count += 1
        command = kind(id=f"replay-{self._count}", **fields)
        past = NO_PAST
        if isinstance(command, commands.Correct):
            past = past_of(
                self.entries, command.target, self.state, lying=self.lying, whole=self.whole
            )
        try:
            self.state, events, movements = decide(self.state, command, past)
        except TrenteError as error:
            self._refuse(str(fields.get("stake", "")), error.message, kind.kind)
            return False
        self._note(command, events, movements)
        return True

    def _note(
        self,
        command: commands.Command,
        events: tuple[Event, ...],
        movements: tuple[Movement, ...] = (),
    ) -> None:
        """Note what is done, for the record and for corrections."""
        self.recorder.append(command, events)
        number = len(self.entries)
        self.entries.append(Entry(number, self.state.round, command, 0, events, movements))

    def _shoe(self) -> bool:
        shoe = self.record.shoe
        fields = {"cards": shoe.order or None, "source": source_text(self.record), **self._drawn()}
        if not self.do(commands.OpenShoe, at=shoe.opened, **fields):
            return False
        self._prepare()
        return True

    def _drawn(self) -> dict[str, Any]:
        """Return what a table wants to have drawn for a fair shoe: what was done, to be compared.

        ``verify_record`` checks it. Under the rules of another house the shoe is of no fair plan.
        """
        source, shoe, rule = self.record.provenance, self.record.shoe, self.house.shoe
        if source is None or not source.plan or not shoe.order:
            return {}
        if source.plan != str(FairPlan.of(rule)):
            return {"source": shoe.source}
        low = rule.marker.bounds[0] if rule.marker else None  # it was over before it was marked
        return {"cut": shoe.cut or 0, "marker": low if shoe.marker is None else shoe.marker}

    def _prepare(self) -> None:
        """Cut, burn and mark the shoe, where it is time to."""
        shoe = self.record.shoe
        if shoe.cut is not None and self.state.phase is Phase.CUT:
            asked = self._live and self.house.deal.first_row == "cut"
            card = shoe.cut_card[0] if shoe.cut_card and asked else None
            self.do(commands.Cut, place=shoe.cut, by=shoe.cut_by, card=card)
        if shoe.burn is not None and self.state.phase is Phase.BURN:
            self.do(commands.Burn, cards=() if shoe.order else shoe.burned)
        if shoe.marker is not None and self.state.phase is Phase.MARK:
            self.do(commands.PlaceMarker, from_end=shoe.marker, by=shoe.marker_by)

    def _shuffle(self) -> None:
        """Take the cards of the next coup, where a machine shuffles for each."""
        if self.record.every_coup and self.state.phase is Phase.NO_SHOE:
            self.do(commands.OpenShoe)

    def _coup(self, coup: CoupRecord) -> bool:
        """Play a coup; return whether the next one can follow."""
        earliest = coup.versions[0]
        if coup.posted is not None:
            self.do(commands.Post, opening=coup.posted)
        self._shuffle()
        if not self.do(commands.OpenBets, at=coup.opened):
            return False
        self._lay(earliest.stakes, before=coup.number, void=bool(earliest.void))
        self._put(earliest.stakes)
        for stake in earliest.stakes:
            for verdict, course in stake.choices:
                self.do(commands.Choose, stake=stake.id, course=course, verdict=verdict)
        dealt = not earliest.void or earliest.cards
        if coup.closed or dealt or self._cut_behind_bets(coup):
            self.do(commands.CloseBets, at=coup.closed)
            self._prepare()
        self._deal(coup, earliest)
        if not self._between:
            if earliest.void:
                self.do(commands.VoidCoup, reason=earliest.void, at=earliest.settled)
            else:
                self.do(commands.Settle, at=earliest.settled)
        for earlier, later in zip(coup.taken_back, coup.versions[1:], strict=True):
            self.do(
                commands.Correct,
                at=earlier.at,
                reason=earlier.reason,
                cards=later.cards if later.cards != earlier.cards else None,
                choices=tuple(_other_choices(earlier, later)),
                void=bool(later.void),
            )
        return self._between

    def _lay(
        self, stakes: Iterable[StakeRecord], *, before: int | None = None, void: bool = False
    ) -> None:
        """Lay the prisoners as the record settles them, in a coup (``before``) or at the end.

        Behind a coup that was corrected they lie as the correction found the table, which later
        coups had changed by then; the record has what came of it. Where prisoners came into the
        shoe, it may have been a coup of an earlier one.
        """
        coups = (each for each in self.record.coups if before is None or each.number < before)
        if not self.record.prisoners and not any(each.taken_back for each in coups):
            return
        found = sorted(stakes, key=attrgetter("order"))
        if not void:
            found = [*self.house.settlement.lying(found)]
        places = {stake.id: place for place, stake in enumerate(found)}
        lying = sorted(self.state.stakes, key=lambda stake: places.get(stake.id, len(places)))
        self.state = evolve(self.state, stakes=tuple(lying))

    def _cut_behind_bets(self, coup: CoupRecord) -> bool:
        """Return whether the bets of a coup without cards were closed: its shoe was cut by then.

        Without times the record says no more of it. A card is exposed after the cut alone; and if
        no later coup was dealt, this is the last in which the shoe can have been cut.
        """
        if self.record.shoe.cut is None or not self.state.uncut:
            return False
        later = self.record.coups[self.record.coups.index(coup) + 1 :]
        return bool(coup.exposed) or not any(
            each.exposed or each.versions[0].cards for each in later
        )

    def _put(self, recorded: tuple[StakeRecord, ...]) -> None:
        """Put the stakes of a coup on the cloth, and add what the house refuses of them.

        They are put there all at once: how they grew, and in which order, is not in the record.
        """
        prisoners = {stake.id: stake for stake in self.state.stakes}
        for stake in recorded:
            if stake.id in prisoners and stake.chance != prisoners[stake.id].chance:
                move = {"chance": stake.chance, "position": stake.position}
                self.do(commands.MovePrisoner, stake=stake.id, **move)
            if stake.id in prisoners and stake.insured:
                self.do(commands.Insure, stake=stake.id)
        placed = [_placed(stake) for stake in recorded if stake.id not in prisoners]
        state = self.state
        stakes = (*state.stakes, *placed)
        try:
            for reason in refusals(self.house, stakes, state.history, opening=state.opening):
                self._refuse(reason.stake, reason.message)
        except TrenteError as error:
            self._refuse("", error.message)
        placed = list(self._known(placed))
        self.state = evolve(self.state, stakes=(*self.state.stakes, *placed))
        command = commands.Announce(id="placed", phrase="")
        events = tuple(StakePlaced(stake, premium_of(self.house, stake)) for stake in placed)
        self._note(command, events)

    def _known(self, stakes: Iterable[Stake]) -> Iterator[Stake]:
        """Return the stakes that the house can settle at all; the others are differences."""
        for stake in stakes:
            try:
                wager_of(self.house, stake).courses(stake.state, Verdict.WIN)
            except TrenteError as error:
                refused = {(difference.coup, difference.stake) for difference in self.refused}
                if (self.coup, stake.id) not in refused:
                    self._refuse(stake.id, error.message)
            else:
                yield stake

    def _refuse(self, stake: str, why: str, what: str = "place") -> None:
        self.refused.append(Difference(self.coup, stake, what, "done", f"refused: {why}"))

    @property
    def _live(self) -> bool:
        """True if the order of the shoe is not known to the table."""
        return not isinstance(self.state.shoe, Shoe)

    @property
    def _between(self) -> bool:
        """True while no coup is open."""
        return self.state.phase in (Phase.READY, Phase.NO_SHOE)

    @property
    def _may_be_out(self) -> bool:
        """True if a table that knew the order may have seen that no coup was left.

        A shoe whose order the record has ends by itself, and so does every one without such a rule.
        """
        shoe, rule = self.state.shoe, self.house.shoe
        ready = self.state.phase is Phase.READY and not self.record.shoe.live
        few = isinstance(shoe, LiveShoe) and shoe.left < LEAST_COUP  # a card has a point or more
        return ready and few and rule.ends == "no-coup"

    def _deal(self, coup: CoupRecord, rows: Rows) -> None:
        live = self._live
        for place, card, exposed in _in_order(coup, rows):
            if live and coup.marker is not None and place == coup.marker + 1:
                self.do(commands.ShowMarker, at=rows.settled)
            if self._between:
                return
            if exposed or self.state.phase in _DEALING:
                kind = commands.Expose if exposed else commands.Turn
                self.do(kind, card=card if live else None, at=rows.settled)
        if coup.marker is not None and not self._between and not self.state.marker_shown:
            # In a shoe of known order the marker comes up when the next card would be turned.
            self.do(commands.ShowMarker if live else commands.Turn, at=rows.settled)
        if not live and not rows.void and self.state.phase in _DEALING:
            self.do(commands.Deal, at=rows.settled)

    def _end(self) -> None:
        end = self.record.end
        if end.posted is not None:
            self.do(commands.Post, opening=end.posted)
        if self.state.phase is Phase.READY:
            shown = self.state.marker_shown or not self._live
            if (end.why == "marker" or end.marker is not None) and not shown:
                self.do(commands.ShowMarker, at=end.at)
        if self.state.phase is Phase.READY and end.why == "called":
            self.do(commands.EndShoe, at=end.at)
        elif self._may_be_out and end.why == "cards":
            # The table knew cards that were burned unseen, and that the others made no coup.
            self.state, events = shoe_over(self.state, ())
            self._note(commands.EndShoe(id="over", at=end.at), events)
        lying = {stake.id: stake.chance for stake in self.state.stakes}
        bets = end.session_closed and any(
            stake.insured or stake.chance_after or lying.get(stake.id) != stake.chance
            for stake in end.stakes
        )
        cut = self.record.shoe.cut is not None and self.state.uncut  # in a coup that is not over
        if bets:
            self._shuffle()
        if self.state.phase is Phase.READY and (bets or cut):
            self.do(commands.OpenBets)
            self._put(end.stakes)
        if cut:
            self.do(commands.CloseBets)
            self._prepare()
        if end.session_closed:
            self._lay(end.stakes)
            self.do(commands.CloseSession, at=end.session_at)


def _placed(stake: StakeRecord) -> Stake:
    """Return a stake as it was placed; in prison it can only come from the coup before."""
    return evolve(stake.stake(), state=FREE, share=ONE, handed_back=0, insured=stake.insured)


def _in_order(coup: CoupRecord, rows: Rows) -> list[tuple[int, Card, bool]]:
    """Return the cards of a coup as they came: (place, card, whether it was exposed)."""
    cards = [(place, card, False) for place, card in zip(rows.places, rows.cards, strict=True)]
    exposed = zip(coup.exposed_places, coup.exposed, strict=True)
    return sorted(cards + [(place, card, True) for place, card in exposed], key=itemgetter(0))


def _other_choices(earlier: Rows, later: Rows) -> Iterator[tuple[str, str]]:
    """Return the choices that a correction made: (stake, course)."""
    before = {stake.id: dict(stake.choices) for stake in earlier.stakes}
    for stake in later.stakes:
        course = dict(stake.choices).get(stake.verdict)
        if course is not None and before.get(stake.id, {}).get(stake.verdict) != course:
            yield stake.id, course


@frozen
class Replay:
    """The result of a replay.

    ``computed`` is the record of the taille as it was dealt and settled again: without differences
    it is written as the same text, bit for bit. ``notes`` say what else should be known, such as a
    different house.
    """

    record: Record = field(repr=False)
    computed: Record | None = field(repr=False)
    differences: tuple[Difference, ...]
    notes: tuple[str, ...] = ()

    @property
    def equal(self) -> bool:
        """Return whether everything is as recorded."""
        return not self.differences


def house_of(
    record: Record,
    *,
    folder: str | PathLike[str] | None = None,
    plugins: PluginManager | None = None,
) -> House:
    """Return the house of a record: the rules it holds, the file it names, or the one of its name.

    A file is looked for in ``folder``, and nowhere else: no link and no ``..`` leads out of it.
    Raises ``ConfigurationError``: those of ``load_house``, and "no-folder" without one.
    """
    origin, within = "rules.toml of the record", None if folder is None else Path(folder)
    if record.rules.toml:
        return loads_house(
            record.rules.toml, folder=within, within=within, origin=origin, plugins=plugins
        )
    if record.rules.file:
        if within is None:
            message = "the record names a file, but it is not in a folder"
            fault = Fault(origin, None, None, "rules.file", "no-folder", message, "give its folder")
            raise ConfigurationError.of(fault)
        return load_house(within / record.rules.file, within=within, plugins=plugins)
    return installed_house(record.house.name, plugins=plugins)


def replay(
    record: Record,
    house: House | None = None,
    *,
    folder: str | PathLike[str] | None = None,
    plugins: PluginManager | None = None,
) -> Replay:
    """Deal and settle a record again, and list every field that differs.

    By default the house is that of the record (see ``house_of``), and its fingerprint must be the
    recorded one. With a different ``house``, its fingerprint is a note, not a difference; the shoe
    is still handled as the house of the record does, if that can be had. Stakes are put on the
    cloth as they were when the coup was dealt; those that the house refuses are differences too.
    Where a coup was corrected, its prisoners lie as in the release that recorded it: until 0.3.0 as
    they lay, since then in the order of the first settlement.
    Raises ``ConfigurationError`` if the house cannot be had.
    """
    done = _replay(record, house, folder, plugins, whole=False)
    if any(each.field == "order" for each in done.differences):
        as_they_lay = _replay(record, house, folder, plugins, whole=True)
        if len(as_they_lay.differences) < len(done.differences):
            return as_they_lay
    return done


def _replay(
    record: Record,
    house: House | None,
    folder: str | PathLike[str] | None,
    plugins: PluginManager | None,
    *,
    whole: bool,
) -> Replay:
    """Deal and settle a record again; ``whole`` is as in ``past_of``."""
    other = house is not None
    try:
        own = house_of(record, folder=folder, plugins=plugins)
    except ConfigurationError:
        if house is None:
            raise
        own = house
    played = house or own
    # The same cards are dealt only if the shoe is cut, burned and marked as it was.
    shoe = evolve(own.shoe, prisoners_at_end=played.shoe.prisoners_at_end)
    driver = Driver(evolve(played, shoe=shoe) if other else played, record, whole=whole)
    computed = driver.drive()
    found: list[Difference] = []
    notes: list[str] = []
    recorded = record.house
    if not other and played.name != recorded.name:
        found.append(Difference(None, "", "house.name", recorded.name, played.name))
    if played.fingerprint != recorded.fingerprint:
        if other:
            notes.append(
                f"recorded under {recorded.name} ({recorded.fingerprint}), replayed under "
                f"{played.name} ({played.fingerprint})"
            )
        else:
            both = recorded.fingerprint, played.fingerprint
            found.append(Difference(None, "", "house.fingerprint", *both))
    if record.shoe.order_sealed:
        notes.append("the order is sealed, and was not given: the cards are those that came out")
    found.extend(driver.refused)
    if computed is not None:
        computed = _alike(computed, record)
        found.extend(differences(record, computed))
        if record.sha256 and not other:
            computed = evolve(computed, sha256=digest(computed))
            if computed.sha256 != record.sha256 and not found:
                found.append(Difference(None, "", "sha256", record.sha256, computed.sha256))
    found.sort(key=lambda difference: difference.coup or 0)
    return Replay(record, computed, tuple(found), tuple(notes))


def _alike(computed: Record, record: Record) -> Record:
    """Return the computed record with what no deal determines: its writer, the user's fields."""
    given, shoe = record.shoe, computed.shoe
    if record.provenance is None and given.source:  # a text, as the release that wrote it had it
        shoe, computed = evolve(shoe, source=given.source), evolve(computed, provenance=None)
    live = shoe.live if given.order else given.live
    alike: Record = _with_user_fields(
        evolve(
            computed,
            schema=record.schema,
            engine=record.engine,
            sha256=record.sha256,
            house=record.house,
            shoe=evolve(
                shoe,
                live=live,
                order=given.order,
                order_sealed=given.order_sealed,
                server_seed=given.server_seed,
            ),
            rules=record.rules,
        ),
        record,
    )
    return alike
