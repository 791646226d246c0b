"""Replay: a record is dealt and settled again by the engine, and compared with what it says."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from os import PathLike
from pathlib import Path
from typing import Any

from attrs import define, evolve, field, frozen

from trente_rules.core.cards import Card
from trente_rules.core.chances import Verdict
from trente_rules.core.converter import is_tuple
from trente_rules.core.errors import ConfigurationError, TrenteError
from trente_rules.core.house.house import House
from trente_rules.core.house.loading import load_house, loads_house
from trente_rules.core.plugins.manager import PluginManager
from trente_rules.core.settlement import refusals, wager_of
from trente_rules.core.shoe import Shoe
from trente_rules.core.stakes import Stake
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
from trente_rules.table.events import StakePlaced
from trente_rules.table.state import Phase, Setup, TableState, premium_of

# --- Where two records of one taille differ: coup, stake, field, recorded, computed

NOTHING = "nothing"
_NOT_COMPUTED = frozenset(("engine", "sha256", "house", "rules"))


@frozen
class Difference:
    """One field that is recorded otherwise than it is computed.

    ``coup`` is None for the header and the end; ``stake`` is empty where it is not about one.
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
    """Return every field in which two records differ; what no deal gives is not looked at."""
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
        yield Difference(coup, "", name, told(kind, recorded), told(kind, computed))


def _value(cls: type, recorded: Any, computed: Any, name: str, coup: int | None) -> Iterator[Any]:
    stake = recorded.id if isinstance(recorded, Standing) else ""
    for inner, kind in kinds_of(cls).items():
        path = inner if isinstance(recorded, Standing | CoupRecord) else f"{name}.{inner}"
        for found in _field(kind, getattr(recorded, inner), getattr(computed, inner), path, coup):
            yield evolve(found, stake=found.stake or stake)


def _list(cls: type, recorded: Any, computed: Any, name: str, coup: int | None) -> Iterator[Any]:
    here, there = _by_name(recorded), _by_name(computed)
    for each in dict.fromkeys((*here, *there)):
        number = each if cls is CoupRecord and isinstance(each, int) else coup
        stake = each if isinstance(each, str) else ""
        label = "coup" if cls is CoupRecord else "stake" if stake else f"{name}[{each}]"
        if each not in there:
            yield Difference(number, stake, label, "there", NOTHING)
        elif each not in here:
            yield Difference(number, stake, label, NOTHING, "there")
        else:
            path = name if stake or cls is CoupRecord else f"{name}[{each}]"
            yield from _value(cls, here[each], there[each], path, number)
    if list(here) != list(there) and sorted(map(str, here)) == sorted(map(str, there)):
        yield Difference(coup, "", name, " ".join(map(str, here)), " ".join(map(str, there)))


def _by_name(values: Any) -> dict[Any, Any]:
    """Return values by their ids or numbers, counted from 1 where they have none."""
    return {
        getattr(value, "id", getattr(value, "number", place)): value
        for place, value in enumerate(values, 1)
    }


def told(kind: Any, value: Any) -> str:
    """Return a value as a difference tells it."""
    if value in (None, (), ""):
        return NOTHING
    written = converter().unstructure(value, kind)
    if isinstance(written, dict):
        return ", ".join(f"{key} {each}" for key, each in written.items())
    if isinstance(written, list):
        return " ".join(map(str, written))
    if isinstance(written, bool):
        return "true" if written else "false"
    return str(written)


def adopt(computed: Any, recorded: Any) -> Any:
    """Return a computed value with the fields of the user that the recorded one has."""
    changes: dict[str, Any] = {}
    for name, kind in kinds_of(type(computed)).items():
        mine, other = getattr(computed, name), getattr(recorded, name)
        if class_of(kind) and is_tuple(kind):
            others = _by_name(other)
            changes[name] = tuple(
                adopt(each, others[key]) if key in others else each
                for key, each in _by_name(mine).items()
            )
        elif class_of(kind):
            changes[name] = adopt(mine, other)
    return evolve(computed, user=recorded.user, **changes)


# --- A table driven by a record: the commands that the record tells of, through the real engine

_DEALING = (Phase.CLOSED, Phase.DEALING)
_BETWEEN = (Phase.READY, Phase.NO_SHOE)


@define
class Driver:
    """A table that goes through a record, and what it could not do as the record says."""

    house: House
    record: Record
    state: TableState = field(init=False)
    recorder: Recorder = field(init=False)
    refused: list[Difference] = field(factory=list)
    coup: int | None = None
    _count: int = 0

    def __attrs_post_init__(self) -> None:
        """Set the table up as it stood before the shoe."""
        record = self.record
        setup = Setup(self.house, record.table.name, record.opening)
        stakes = tuple(self._known([prisoner.stake() for prisoner in record.prisoners]))
        self.state = TableState(setup, shoe_number=record.shoe.number - 1, stakes=stakes)
        self.recorder = Recorder(
            self.house, record.table.name, record.opening, prisoners=stakes, rules=False
        )

    def drive(self) -> Record | None:
        """Do all that the record tells; answer the record of it, None where no shoe opens."""
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
        """Do a command; where the table refuses it, keep why."""
        self._count += 1
        command = kind(id=f"replay-{self._count}", **fields)
        try:
            self.state, events = decide(self.state, command)
        except TrenteError as error:
            about = str(fields.get("stake", ""))
            self.refused.append(
                Difference(self.coup, about, kind.kind, "done", f"refused: {error.message}")
            )
            return False
        self.recorder.append(command, events)
        return True

    def _shoe(self) -> bool:
        shoe = self.record.shoe
        opened = self.do(
            commands.OpenShoe, at=shoe.opened, cards=shoe.order, source=source_text(self.record)
        )
        if not opened:
            return False
        if shoe.cut is not None:
            self.do(commands.Cut, place=shoe.cut, by=shoe.cut_by)
        if shoe.burn is not None:
            self.do(commands.Burn, cards=() if shoe.order else shoe.burned)
        if shoe.marker is not None:
            self.do(commands.PlaceMarker, from_end=shoe.marker, by=shoe.marker_by)
        return True

    def _coup(self, coup: CoupRecord) -> bool:
        """Play a coup; tell whether the table can go on."""
        earliest = coup.versions[0]
        if not self.do(commands.OpenBets, at=coup.opened):
            return False
        self._put(earliest.stakes)
        for stake in earliest.stakes:
            for verdict, course in stake.choices:
                self.do(commands.Choose, stake=stake.id, course=course, verdict=verdict)
        if coup.closed or not earliest.void or earliest.cards:
            self.do(commands.CloseBets, at=coup.closed)
        self._deal(coup, earliest)
        if self.state.phase not in _BETWEEN:
            if earliest.void:
                self.do(commands.VoidCoup, reason=earliest.void, at=earliest.settled)
            else:
                self.do(commands.Settle, at=earliest.settled)
        for earlier, later in zip(coup.taken_back, coup.versions[1:], strict=True):
            self.do(
                commands.Correct,
                at=earlier.at,
                reason=earlier.reason,
                cards=later.cards if later.cards != earlier.cards else (),
                choices=tuple(_other_choices(earlier, later)),
                void=bool(later.void),
            )
        return self.state.phase in _BETWEEN

    def _put(self, recorded: tuple[StakeRecord, ...]) -> None:
        """Put the stakes on the cloth as they stood at last, and ask whether the house takes them.

        They are put there all at once: how they grew, and in which order, is not in the record.
        """
        prisoners = {stake.id: stake for stake in self.state.stakes}
        for stake in recorded:
            if stake.id in prisoners:
                self._keep(prisoners[stake.id], stake)
        placed = tuple(_free(stake) for stake in recorded if stake.id not in prisoners)
        stakes = (*self.state.stakes, *placed)
        reasons: tuple[Any, ...] = ()
        try:
            reasons = refusals(
                self.house, stakes, self.state.history, opening=self.state.setup.opening
            )
        except TrenteError as error:
            self._refuse("", error.message)
        for reason in reasons:
            self._refuse(reason.stake, reason.message)
        placed = tuple(self._known(placed))
        self.state = evolve(self.state, stakes=(*self.state.stakes, *placed))
        command = commands.Announce(id="placed", phrase="")
        events = tuple(StakePlaced(stake, premium_of(self.house, stake)) for stake in placed)
        self.recorder.append(command, events)

    def _keep(self, prisoner: Stake, recorded: StakeRecord) -> None:
        """Move and insure a prisoner as the record says; it stands as it stood."""
        if recorded.chance != prisoner.chance:
            self.do(commands.MovePrisoner, stake=prisoner.id, chance=recorded.chance)
        if recorded.insured:
            self.do(commands.Insure, stake=prisoner.id)

    def _known(self, stakes: Iterable[Stake]) -> Iterator[Stake]:
        """Return the stakes that the house can settle at all; tell of the others."""
        for stake in stakes:
            try:
                wager_of(self.house, stake).courses(stake.state, Verdict.WIN)
            except TrenteError as error:
                if (self.coup, stake.id) not in {(each.coup, each.stake) for each in self.refused}:
                    self._refuse(stake.id, error.message)
            else:
                yield stake

    def _refuse(self, stake: str, why: str) -> None:
        self.refused.append(Difference(self.coup, stake, "place", "done", f"refused: {why}"))

    def _deal(self, coup: CoupRecord, rows: Rows) -> None:
        live = not isinstance(self.state.shoe, Shoe)
        for place, card, exposed in _in_order(coup, rows):
            if live and coup.marker is not None and place == coup.marker + 1:
                self.do(commands.ShowMarker, at=rows.settled)
            if self.state.phase in _BETWEEN:
                return
            told = card if live else None
            if exposed:
                self.do(commands.Expose, card=told, at=rows.settled)
            elif self.state.phase in _DEALING:
                self.do(commands.Turn, card=told, at=rows.settled)
        between = self.state.phase in _BETWEEN
        if coup.marker is not None and not between and not self.state.marker_shown:
            # In a shoe of known order the marker comes up when the next card would be turned.
            self.do(commands.ShowMarker if live else commands.Turn, at=rows.settled)
        if not live and not rows.void and self.state.phase in _DEALING:
            self.do(commands.Deal, at=rows.settled)

    def _end(self) -> None:
        end = self.record.end
        live = not isinstance(self.state.shoe, Shoe)
        if end.why == "marker" and live and self.state.phase is Phase.READY:
            self.do(commands.ShowMarker, at=end.at)
        elif end.why == "called" and self.state.phase is Phase.READY:
            self.do(commands.EndShoe, at=end.at)
        if not end.session_closed:
            return
        free = tuple(stake for stake in end.stakes if stake.state == "free")
        moved = any(stake.insured or stake.chance_after for stake in end.stakes)
        if self.state.phase is Phase.READY and (free or moved):
            self.do(commands.OpenBets)
            self._put(end.stakes)
        self.do(commands.CloseSession, at=end.session_at)


def _free(stake: StakeRecord) -> Stake:
    """Return a stake as it was placed; in prison it can only come from the coup before."""
    return Stake(
        stake.id,
        stake.player,
        stake.chance,
        stake.amount,
        insured=stake.insured,
        group=stake.group,
    )


def _in_order(coup: CoupRecord, rows: Rows) -> Iterator[tuple[int, Card, bool]]:
    """Return the cards of a coup as they came: (place, card, whether it was exposed)."""
    cards = [
        *((place, card, False) for place, card in zip(rows.places, rows.cards, strict=True)),
        *(
            (place, card, True)
            for place, card in zip(coup.exposed_places, coup.exposed, strict=True)
        ),
    ]
    yield from sorted(cards, key=lambda each: each[0])


def _other_choices(earlier: Rows, later: Rows) -> Iterator[tuple[str, str]]:
    """Return the choices that a correction made: (stake, course)."""
    before = {stake.id: dict(stake.choices) for stake in earlier.stakes}
    for stake in later.stakes:
        course = dict(stake.choices).get(stake.verdict)
        if course is not None and before.get(stake.id, {}).get(stake.verdict) != course:
            yield stake.id, course


@frozen
class Replay:
    """What a replay found.

    ``computed`` is the record of the taille as it was dealt and settled again: where nothing
    differs it is written as the same text, bit for bit. ``notes`` tell what is no difference but
    should be known: another house, another version.
    """

    record: Record = field(repr=False)
    computed: Record | None = field(repr=False)
    differences: tuple[Difference, ...]
    notes: tuple[str, ...] = ()

    @property
    def equal(self) -> bool:
        """Return whether everything is as it is recorded."""
        return not self.differences


def house_of(
    record: Record,
    *,
    folder: str | PathLike[str] | None = None,
    plugins: PluginManager | None = None,
) -> House:
    """Return the house of a record: the rules it holds, the file it names, or the one of its name.

    A file is looked for in ``folder``. Raises ``ConfigurationError``.
    """
    if record.rules.toml:
        return loads_house(
            record.rules.toml, folder=folder, origin="rules.toml of the record", plugins=plugins
        )
    if record.rules.file:
        return load_house(Path(folder or ".") / record.rules.file, plugins=plugins)
    return load_house(record.house.name, plugins=plugins)


def replay(
    record: Record,
    house: House | None = None,
    *,
    folder: str | PathLike[str] | None = None,
    plugins: PluginManager | None = None,
) -> Replay:
    """Deal and settle a record again, and tell where anything differs.

    ``house`` is another one to settle it by; its fingerprint is then told, and no difference. The
    shoe is still handled as the record's own house does, where that can be had. Without, it is that
    of the record (see ``house_of``), whose fingerprint must be the recorded one. Stakes are put
    on the cloth as they stood when the coup was dealt; whether the house takes them is asked as
    well. Raises ``ConfigurationError`` where the house cannot be had.
    """
    other = house is not None
    played = house or house_of(record, folder=folder, plugins=plugins)
    driver = Driver(_with_shoe_of(record, played, folder, plugins) if other else played, record)
    computed = driver.drive()
    found = list(driver.refused)
    notes = []
    if played.fingerprint != record.house.fingerprint:
        if other:
            notes.append(
                f"recorded under {record.house.name} ({record.house.fingerprint}), replayed under "
                f"{played.name} ({played.fingerprint})"
            )
        else:
            told = record.house.fingerprint
            found.insert(0, Difference(None, "", "house.fingerprint", told, played.fingerprint))
    if not other and played.name != record.house.name:
        found.insert(0, Difference(None, "", "house.name", record.house.name, played.name))
    if computed is not None:
        computed = _alike(computed, record)
        found.extend(differences(record, computed))
        if record.sha256 and not other:
            computed = evolve(computed, sha256=digest(computed))
            if computed.sha256 != record.sha256 and not found:
                found.append(Difference(None, "", "sha256", record.sha256, computed.sha256))
    found.sort(key=lambda each: each.coup or 0)
    return Replay(record, computed, tuple(found), tuple(notes))


def _with_shoe_of(
    record: Record,
    other: House,
    folder: str | PathLike[str] | None,
    plugins: PluginManager | None,
) -> House:
    """Return another house that cuts, burns and marks as the record's own does."""
    try:
        own = house_of(record, folder=folder, plugins=plugins)
    except ConfigurationError:
        return other
    shoe = evolve(own.shoe, prisoners_at_end=other.shoe.prisoners_at_end)
    return evolve(other, shoe=shoe)


def _alike(computed: Record, record: Record) -> Record:
    """Return the computed record with what no deal gives: who wrote it, and the user's fields."""
    shoe = computed.shoe
    if not record.shoe.order:
        shoe = evolve(shoe, live=record.shoe.live)
    known: Record = adopt(
        evolve(
            computed,
            schema=record.schema,
            engine=record.engine,
            sha256=record.sha256,
            house=record.house,
            shoe=evolve(shoe, order=record.shoe.order, server_seed=record.shoe.server_seed),
            rules=record.rules,
        ),
        record,
    )
    return known
