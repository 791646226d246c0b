"""A table driven by a record: the commands that the record tells of, through the real engine."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from attrs import define, evolve, field

from trente_rules.acceptance import refusals
from trente_rules.deal.cards import Card
from trente_rules.deal.shoe import Shoe
from trente_rules.errors import TrenteError
from trente_rules.house.house import House
from trente_rules.rules.chances import Verdict
from trente_rules.stakes import Stake
from trente_rules.table import commands
from trente_rules.table.decide import decide
from trente_rules.table.events import StakePlaced
from trente_rules.table.records.collecting import Recorder
from trente_rules.table.records.differences import Difference
from trente_rules.table.records.origins import source_text
from trente_rules.table.records.values import CoupRecord, Record, Rows, StakeRecord
from trente_rules.table.state import Phase, Setup, TableState, premium_of

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
        """Answer the stakes that the house can settle at all; tell of the others."""
        for stake in stakes:
            try:
                machine = self.house.machine_of(self.house.chance(stake.chance))
                premium_of(self.house, stake)
                machine.courses(stake.state, Verdict.WIN)
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
    """Answer a stake as it was placed; in prison it can only come from the coup before."""
    return Stake(
        stake.id,
        stake.player,
        stake.chance,
        stake.amount,
        insured=stake.insured,
        group=stake.group,
    )


def _in_order(coup: CoupRecord, rows: Rows) -> Iterator[tuple[int, Card, bool]]:
    """Answer the cards of a coup as they came: (place, card, whether it was exposed)."""
    cards = [
        *((place, card, False) for place, card in zip(rows.places, rows.cards, strict=True)),
        *(
            (place, card, True)
            for place, card in zip(coup.exposed_places, coup.exposed, strict=True)
        ),
    ]
    yield from sorted(cards, key=lambda each: each[0])


def _other_choices(earlier: Rows, later: Rows) -> Iterator[tuple[str, str]]:
    """Answer the choices that a correction made: (stake, course)."""
    before = {stake.id: dict(stake.choices) for stake in earlier.stakes}
    for stake in later.stakes:
        course = dict(stake.choices).get(stake.verdict)
        if course is not None and before.get(stake.id, {}).get(stake.verdict) != course:
            yield stake.id, course
