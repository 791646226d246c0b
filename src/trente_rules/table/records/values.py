"""A record as a value: what a taille was, from its shoe to its last settlement.

Each field is a key of the file, as docs/records.md tells them; what is at its default is not
written. Amounts are in units of the house. ``user`` holds the fields whose names start with ``_``:
they are kept, and nothing else is done with them.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any, Final

from attrs import field, frozen

from trente_rules.deal.cards import Card
from trente_rules.deal.provenance import Provenance
from trente_rules.money import NOUGHT, ONE
from trente_rules.rules.machine import FREE
from trente_rules.stakes import Opening, Stake
from trente_rules.table.records.kinds import (
    CARDS,
    COUNT,
    FLAG,
    NUMBER,
    NUMBERS,
    ORDER,
    PAIRS,
    PLACE,
    PLACES,
    PROVENANCE,
    RESIDUE,
    SHARE,
    TEXT,
    TEXTS,
    Many,
    One,
    slot,
    user_fields,
)

SCHEMA: Final = 1
"""The version of the form; a later release reads every earlier one."""
UserFields = dict[str, Any]


@frozen(kw_only=True)
class Standing:
    """A stake as it stands on the table: the fields of ``Stake``, as a record names them."""

    id: str = slot(TEXT)
    player: str = slot(TEXT)
    group: str = slot(TEXT, "")
    chance: str = slot(TEXT)
    amount: int = slot(PLACE)
    state: str = slot(TEXT, FREE)
    share: Fraction = slot(SHARE, ONE)
    handed_back: int = slot(COUNT, 0)

    @staticmethod
    def fields_of(stake: Stake) -> dict[str, Any]:
        """Answer the fields of a stake, as ``stake`` reads them back."""
        return {
            "id": stake.id,
            "player": stake.owner,
            "group": stake.group,
            "chance": stake.chance,
            "amount": stake.amount,
            "state": stake.state,
            "share": stake.share,
            "handed_back": stake.handed_back,
        }

    def stake(self) -> Stake:
        """Answer the stake; ``BetError`` ("bad-stake") for amounts and shares that are none."""
        return Stake(
            self.id,
            self.player,
            self.chance,
            self.amount,
            self.state,
            self.share,
            handed_back=self.handed_back,
            group=self.group,
        )


@frozen(kw_only=True)
class Prisoner(Standing):
    """A stake that came in from the shoe before."""

    user: UserFields = user_fields()


@frozen(kw_only=True)
class StakeRecord(Standing):
    """A stake of one coup: as it stood, what was chosen, what became of it.

    ``choices`` are (verdict, course) pairs. ``order`` is its place in the order of the settlement,
    from 1. ``after`` is the state it goes on in, empty where nothing of it stays; ``chance_after``
    tells another chance, where a void put a moved prisoner back.
    """

    insured: bool = slot(FLAG, default=False)
    premium: int = slot(COUNT, 0)
    choices: tuple[tuple[str, str], ...] = slot(PAIRS, ())
    order: int = slot(PLACE)
    verdict: str = slot(TEXT)
    course: str = slot(TEXT)
    returned: int = slot(COUNT, 0)
    won: int = slot(COUNT, 0)
    forfeited: int = slot(COUNT, 0)
    staying: int = slot(COUNT, 0)
    premium_returned: int = slot(COUNT, 0)
    residue: Fraction = slot(RESIDUE, NOUGHT)
    premium_residue: Fraction = slot(RESIDUE, NOUGHT)
    after: str = slot(TEXT, "")
    share_after: Fraction = slot(SHARE, ONE)
    handed_back_after: int = slot(COUNT, 0)
    chance_after: str = slot(TEXT, "")
    user: UserFields = user_fields()


@frozen(kw_only=True)
class Rows:
    """What lay on the table and what it gave: a coup, or a settlement of it that was taken back.

    Places count from 1 in the shoe, burned cards included. ``void`` is the reason, empty for a coup
    that stands; the rows of a void coup may be incomplete. ``stakes`` stand as on the cloth.
    """

    first: tuple[Card, ...] = slot(CARDS, ())
    second: tuple[Card, ...] = slot(CARDS, ())
    first_places: tuple[int, ...] = slot(PLACES, ())
    second_places: tuple[int, ...] = slot(PLACES, ())
    points: tuple[int, ...] = slot(NUMBERS, ())
    verdicts: tuple[tuple[str, str], ...] = slot(PAIRS, ())
    settled: str = slot(TEXT, "")
    void: str = slot(TEXT, "")
    players_net: int = slot(NUMBER, 0)
    bank_net: int = slot(NUMBER, 0)
    stakes: tuple[StakeRecord, ...] = slot(Many(StakeRecord, inline=True), ())

    @property
    def cards(self) -> tuple[Card, ...]:
        """The cards of both rows, in the order they were dealt."""
        return self.first + self.second

    @property
    def places(self) -> tuple[int, ...]:
        """The places of the cards of both rows."""
        return self.first_places + self.second_places


@frozen(kw_only=True)
class TakenBack(Rows):
    """A settlement that was taken back: when, and why."""

    at: str = slot(TEXT, "")
    reason: str = slot(TEXT)
    user: UserFields = user_fields()


@frozen(kw_only=True)
class CoupRecord(Rows):
    """One coup, as it stands in the end; earlier settlements of it are in ``taken_back``.

    ``exposed`` are cards burned because they were shown by mistake. ``marker`` is how many cards
    were out when the marker came up within the coup; ``last`` that the coup was finished as the
    last one.
    """

    number: int = slot(PLACE)
    opened: str = slot(TEXT, "")
    closed: str = slot(TEXT, "")
    exposed: tuple[Card, ...] = slot(CARDS, ())
    exposed_places: tuple[int, ...] = slot(PLACES, ())
    marker: int | None = slot(COUNT, None)
    last: bool = slot(FLAG, default=False)
    taken_back: tuple[TakenBack, ...] = slot(Many(TakenBack), ())
    user: UserFields = user_fields()

    @property
    def versions(self) -> tuple[Rows, ...]:
        """All settlements of the coup: those taken back, then the one that stands."""
        return (*self.taken_back, self)


@frozen(kw_only=True)
class HouseOf:
    """The house the taille was played by."""

    name: str = slot(TEXT)
    fingerprint: str = slot(TEXT)
    user: UserFields = user_fields()


@frozen(kw_only=True)
class TableOf:
    """The table: its name, its opening, its money, who played, when."""

    name: str = slot(TEXT)
    opening: int | None = slot(PLACE, None)
    currency: str = slot(TEXT)
    unit: str = slot(TEXT)
    players: tuple[str, ...] = slot(TEXTS, ())
    user: UserFields = user_fields()


@frozen(kw_only=True)
class ShoeOf:
    """The shoe, and what was done to it before the first coup.

    ``order`` are all cards as they were handed in, before the cut; a record of a taille that is not
    over has none. ``source`` are words about it, where no provenance is told. ``server_seed`` is
    what was revealed of a provably fair shoe.
    """

    number: int = slot(PLACE)
    packs: int = slot(PLACE)
    live: bool = slot(FLAG)
    opened: str = slot(TEXT, "")
    source: str = slot(TEXT, "")
    server_seed: str = slot(TEXT, "")
    cut: int | None = slot(COUNT, None)
    cut_by: str = slot(TEXT, "")
    burn: int | None = slot(COUNT, None)
    burned: tuple[Card, ...] = slot(CARDS, ())
    marker: int | None = slot(COUNT, None)
    marker_by: str = slot(TEXT, "")
    order: tuple[Card, ...] = slot(ORDER, (), long=True)
    user: UserFields = user_fields()


@frozen(kw_only=True)
class EndOf:
    """The end of the taille, and of the session where it was closed.

    ``why`` is ``marker``, ``cards`` or ``called``, empty while the taille goes on. ``left`` cards
    were not dealt; ``marker`` is how many were out when it came up between two coups. ``stakes``
    are those that were closed.
    """

    why: str = slot(TEXT, "")
    left: int = slot(COUNT, 0)
    at: str = slot(TEXT, "")
    marker: int | None = slot(COUNT, None)
    session_closed: bool = slot(FLAG, default=False)
    session_at: str = slot(TEXT, "")
    stakes: tuple[StakeRecord, ...] = slot(Many(StakeRecord, inline=True), ())
    user: UserFields = user_fields()


@frozen(kw_only=True)
class RulesOf:
    """The rules of the house themselves: its TOML, or the name of a file beside the record."""

    file: str = slot(TEXT, "")
    toml: str = slot(TEXT, "", long=True)
    user: UserFields = user_fields()


_END: Final = EndOf()
_RULES: Final = RulesOf()


@frozen(kw_only=True)
class Record:
    """The record of one taille.

    ``sha256`` is over all but itself and the fields of the user; empty where the record is not
    sealed. ``warnings`` tell of unknown keys that were passed over when it was read.
    """

    schema: int = slot(COUNT)
    engine: str = slot(TEXT)
    sha256: str = slot(TEXT, "")
    house: HouseOf = slot(One(HouseOf))
    table: TableOf = slot(One(TableOf))
    shoe: ShoeOf = slot(One(ShoeOf))
    provenance: Provenance | None = slot(PROVENANCE, None)
    prisoners: tuple[Prisoner, ...] = slot(Many(Prisoner), ())
    coups: tuple[CoupRecord, ...] = slot(Many(CoupRecord), ())
    end: EndOf = slot(One(EndOf), _END)
    rules: RulesOf = slot(One(RulesOf), _RULES)
    user: UserFields = user_fields()
    warnings: tuple[str, ...] = field(default=(), eq=False)

    @property
    def opening(self) -> Opening:
        """What was fixed when the table opened."""
        return Opening(self.table.opening)

    @property
    def dealt(self) -> Iterator[tuple[int, Card]]:
        """The cards whose place is known, with it: burned ones that were shown, then coup by coup.

        A place counts from 1, after the cut.
        """
        yield from enumerate(self.shoe.burned, 1)
        for coup in self.coups:
            yield from zip(coup.first_places, coup.first, strict=True)
            yield from zip(coup.second_places, coup.second, strict=True)
            yield from zip(coup.exposed_places, coup.exposed, strict=True)
