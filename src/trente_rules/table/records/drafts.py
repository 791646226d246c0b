"""What is known so far of a shoe and of a coup, while their events come in."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from attrs import define, evolve, field

from trente_rules.deal.cards import Card
from trente_rules.deal.provenance import Provenance
from trente_rules.house.house import House
from trente_rules.lines import Line
from trente_rules.money import ONE
from trente_rules.stakes import Stake
from trente_rules.table.events import CardBurned, CardTurned, CoupDealt
from trente_rules.table.records.values import (
    CoupRecord,
    EndOf,
    Prisoner,
    ShoeOf,
    StakeRecord,
    TakenBack,
)

_END = EndOf()
Pairs = tuple[tuple[str, str], ...]


@define
class CoupDraft:
    """A coup, so far. ``cloth`` are its stakes as they lie, by their ids."""

    number: int
    opened: str
    cloth: dict[str, Stake]
    closed: str = ""
    settled: str = ""
    cards: tuple[tuple[Card, ...], tuple[Card, ...]] = ((), ())
    places: tuple[tuple[int, ...], tuple[int, ...]] = ((), ())
    exposed: tuple[Card, ...] = ()
    exposed_places: tuple[int, ...] = ()
    marker: int | None = None
    last: bool = False
    points: tuple[int, ...] = ()
    verdicts: Pairs = ()
    choices: dict[tuple[str, str], str] = field(factory=dict)
    lines: list[Line] = field(factory=list)
    void: str = ""
    nets: tuple[int, int] = (0, 0)
    taken_back: tuple[TakenBack, ...] = ()
    came_on: dict[str, str] = field(factory=dict)

    def put(self, stake: Stake, was_on: str) -> None:
        """Put a stake on the cloth, in its place where it is there already."""
        if was_on and stake.id not in self.cloth:  # a prisoner that nothing told of before
            self.came_on.setdefault(stake.id, was_on)
        elif stake.free or stake.id in self.cloth:
            self.cloth[stake.id] = stake

    def take_away(self, stake_id: str) -> None:
        """Take a stake away, and the choices for it."""
        self.cloth.pop(stake_id, None)
        self.choices = {key: to for key, to in self.choices.items() if key[0] != stake_id}

    def as_it_came(self, stake: Stake) -> Stake:
        """Answer a prisoner as it came in: not insured, on the chance it was moved from."""
        return evolve(
            stake, insured=False, proof=True, chance=self.came_on.get(stake.id, stake.chance)
        )

    def turn(self, event: CardTurned) -> None:
        """Add a card to its row."""
        (first, second), (here, there) = self.cards, self.places
        if event.row == "first":
            self.cards, self.places = ((*first, event.card), second), ((*here, event.place), there)
        else:
            self.cards, self.places = (first, (*second, event.card)), (here, (*there, event.place))

    def expose(self, event: CardBurned) -> None:
        """Add a card that was shown by mistake."""
        self.exposed += (event.card,)
        self.exposed_places += (event.place,)

    def dealt(self, event: CoupDealt) -> int:
        """Take both rows, complete; answer by how many cards a correction made them longer."""
        rows = event.coup.first.cards, event.coup.second.cards
        self.points = event.coup.first.point, event.coup.second.point
        self.verdicts = tuple((chance, verdict.id) for chance, verdict in event.verdicts)
        if rows == self.cards:
            return 0
        before = sum(map(len, self.cards))
        places = self._places_again(sum(map(len, rows)))
        self.cards = rows
        self.places = places[: len(rows[0])], places[len(rows[0]) :]
        return sum(map(len, rows)) - before

    def _places_again(self, count: int) -> tuple[int, ...]:
        """Answer the places of rows that were read wrong: the same ones, as far as they go."""
        places = [*self.places[0], *self.places[1]][:count]
        following = max((*self.places[0], *self.places[1], *self.exposed_places), default=0) + 1
        places.extend(range(following, following + count - len(places)))
        return tuple(places)

    def _rows(self) -> dict[str, object]:
        order = {line.stake.id: place for place, line in enumerate(self.lines, 1)}
        lines = {line.stake.id: line for line in self.lines}
        return {
            "first": self.cards[0],
            "second": self.cards[1],
            "first_places": self.places[0],
            "second_places": self.places[1],
            "points": self.points,
            "verdicts": self.verdicts,
            "settled": self.settled,
            "void": self.void,
            "players_net": self.nets[0],
            "bank_net": self.nets[1],
            "stakes": tuple(
                stake_record(lines[name], order[name], self._chosen(name))
                for name in self.cloth
                if name in lines
            ),
        }

    def _chosen(self, stake_id: str) -> Pairs:
        return tuple((key[1], to) for key, to in self.choices.items() if key[0] == stake_id)

    def take_back(self, at: str, reason: str) -> CoupDraft:
        """Answer the coup with its settlement taken back."""
        earlier = TakenBack(at=at, reason=reason, **self._rows())  # type: ignore[arg-type]
        return evolve(
            self,
            taken_back=(*self.taken_back, earlier),
            lines=[],
            nets=(0, 0),
            choices=dict(self.choices),
        )

    def record(self) -> CoupRecord:
        """Answer the coup as a record has it."""
        return CoupRecord(
            number=self.number,
            opened=self.opened,
            closed=self.closed,
            exposed=self.exposed,
            exposed_places=self.exposed_places,
            marker=self.marker,
            last=self.last,
            taken_back=self.taken_back,
            **self._rows(),  # type: ignore[arg-type]
        )


@define
class ShoeDraft:
    """A shoe, so far. ``position`` is how many cards are out, ``cloth`` what lies on the table."""

    shoe: ShoeOf
    provenance: Provenance | None
    prisoners: tuple[Prisoner, ...]
    cloth: dict[str, Stake]
    position: int = 0
    coups: list[CoupDraft] = field(factory=list)
    closing: list[Line] = field(factory=list)
    end: EndOf = _END

    def add(self, coup: CoupDraft) -> None:
        """Add a coup that is settled."""
        self.coups.append(coup)

    def reopen(self, at: str, reason: str) -> CoupDraft | None:
        """Answer the last coup, its settlement taken back, and with it an end that came of it."""
        self.end, self.closing = _END, []
        return self.coups.pop().take_back(at, reason) if self.coups else None

    def ended(self) -> EndOf:
        """Answer the end, with the stakes that were closed as they lay on the cloth."""
        order = {line.stake.id: place for place, line in enumerate(self.closing, 1)}
        places = {name: place for place, name in enumerate(self.cloth)}
        lines = sorted(self.closing, key=lambda line: places.get(line.stake.id, 0))
        return evolve(
            self.end,
            stakes=tuple(stake_record(line, order[line.stake.id], ()) for line in lines),
        )


def cloth_order(house: House, lines: Sequence[Line], *, void: bool) -> list[Stake]:
    """Answer stakes as they lie on the cloth, from the order in which they were settled.

    Two whose order makes no difference may change places.
    """
    stakes = [line.stake for line in lines]
    order = house.settlement
    if void or order.order == "as-placed":
        return stakes
    lost = [line.stake for line in lines if line.forfeited and not line.returned]
    kept = [stake for stake in stakes if stake not in lost]
    if order.collect_backwards:
        lost.reverse()
    if order.pay_backwards:
        kept.reverse()
    return lost + kept


def stake_record(line: Line, order: int, choices: Iterable[tuple[str, str]]) -> StakeRecord:
    """Answer what became of a stake, as a record has it."""
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
