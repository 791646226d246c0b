"""A record as a value: what a taille was, from its shoe to its last settlement.

Each field is a key of the file, as docs/records.md tells them; what is at its default is not
written. Amounts are in units of the house. ``user`` holds the fields whose names start with ``_``:
they are kept, and nothing else is done with them.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache
from hashlib import sha256
from typing import Annotated, Any, Final, TypeVar, get_args

from attrs import evolve, field, fields, frozen, has, resolve_types
from cattrs import Converter
from cattrs.gen import make_dict_structure_fn, make_dict_unstructure_fn, override

from trente_rules.core import converter as core
from trente_rules.core.cards import Card, parse_cards
from trente_rules.core.converter import MOST_UNITS, Form, KeyPath, Problem, expected_error, whole
from trente_rules.core.coup import LAST_OPEN_TOTAL, Row
from trente_rules.core.errors import RecordError, TrenteError, shown
from trente_rules.core.machine import FREE
from trente_rules.core.money import MOST, NOUGHT, ONE, parse_share
from trente_rules.core.shoe import CARDS_IN_PACK, check_whole_packs
from trente_rules.core.stakes import Opening, Stake
from trente_rules.fair.provenance import Provenance
from trente_rules.table.codec import Posted

T = TypeVar("T")
SCHEMA: Final = 1
"""The version of the form; a later release reads every earlier one."""
MOST_PLACES: Final = 10_000
"""The last place in a shoe that a record can name."""
MOST_WARNINGS: Final = 50
PRIVATE: Final = "_"
_PLACES: Final = re.compile(r"([1-9][0-9]{0,4})(?:-([1-9][0-9]{0,4}))?", re.ASCII)
_IN_A_LINE: Final = 26
_NO_OPENING: Final = Opening()
_HEAD: Final = ("number", "opened", "closed", "settled")


# --- How the values of a record are written, where it is not as their types are


_text: Final = core.exactly(str)


def _share(value: object) -> Fraction:
    share = parse_share(_text(value, str))
    if not 0 <= share <= 1:
        raise RecordError(f"share {value} is out of range", "out-of-range", "it is 0 to 1")
    return share


def _pairs(value: object) -> tuple[tuple[str, str], ...]:
    if not isinstance(value, dict) or not all(type(each) is str for each in value.values()):
        raise expected_error("a table of texts", value)
    return tuple(value.items())


def _order(value: object) -> tuple[Card, ...]:
    if not isinstance(value, list):
        raise expected_error("a list of texts", value)
    return tuple(card for line in value for card in parse_cards(_text(line, str)))


def _order_lines(cards: tuple[Card, ...]) -> list[str]:
    return [
        cards_text(cards[start : start + _IN_A_LINE]) for start in range(0, len(cards), _IN_A_LINE)
    ]


def cards_text(cards: tuple[Card, ...]) -> str:
    """Return cards as a record writes them: ``10♥ A♠``."""
    return " ".join(map(str, cards))


def _places(value: object) -> tuple[int, ...]:
    places: list[int] = []
    for word in _text(value, str).split():
        found = _PLACES.fullmatch(word)
        first, last = (int(found[1]), int(found[2] or found[1])) if found else (1, 0)
        if not (places[-1] if places else 0) < first <= last <= MOST_PLACES:
            raise RecordError(
                f"{shown(value)} are no places in a shoe",
                "bad-places",
                'places count from 1 and rise: "1-4" or "1-2 4 6-9"',
            )
        places.extend(range(first, last + 1))
    return tuple(places)


def places_text(places: tuple[int, ...]) -> str:
    """Return places as ranges: ``1-4 6``."""
    runs: list[list[int]] = []
    for place in places:
        if runs and place == runs[-1][1] + 1:
            runs[-1][1] = place
        else:
            runs.append([place, place])
    return " ".join(str(a) if a == b else f"{a}-{b}" for a, b in runs)


Count = Annotated[int, whole(0, MOST_UNITS)]
Place = Annotated[int, whole(1, MOST)]
Number = Annotated[int, whole(-MOST_UNITS, MOST_UNITS)]
Share = Annotated[Fraction, Form(_share, str)]
Pairs = Annotated[tuple[tuple[str, str], ...], Form(_pairs, dict)]
Cards = Annotated[tuple[Card, ...], Form(lambda value: parse_cards(_text(value, str)), cards_text)]
Order = Annotated[tuple[Card, ...], Form(_order, _order_lines)]
Places = Annotated[tuple[int, ...], Form(_places, places_text)]
UserFields = dict[str, Any]


def user_fields() -> Any:
    """Declare the field that holds what users add: names that start with ``_``."""
    return field(factory=dict, hash=False, kw_only=True)


# --- The record, and all it consists of


@frozen(kw_only=True)
class Standing:
    """A stake as it stands on the table: the fields of ``Stake``, as a record names them."""

    id: str
    player: str
    group: str = ""
    chance: str
    amount: Place
    state: str = FREE
    share: Share = ONE
    handed_back: Count = 0

    @staticmethod
    def fields_of(stake: Stake) -> dict[str, Any]:
        """Return the fields of a stake, as ``stake`` reads them back."""
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
        """Return the stake; ``BetError`` ("bad-stake") for amounts and shares that are none."""
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

    insured: bool = False
    premium: Count = 0
    choices: Pairs = ()
    order: Place
    verdict: str
    course: str
    returned: Count = 0
    won: Count = 0
    forfeited: Count = 0
    staying: Count = 0
    premium_returned: Count = 0
    residue: Fraction = NOUGHT
    premium_residue: Fraction = NOUGHT
    after: str = ""
    share_after: Share = ONE
    handed_back_after: Count = 0
    chance_after: str = ""
    user: UserFields = user_fields()


@frozen(kw_only=True)
class Rows:
    """What lay on the table and what it gave: a coup, or a settlement of it that was taken back.

    Places count from 1 in the shoe, burned cards included. ``void`` is the reason, empty for a coup
    that stands; the rows of a void coup may be incomplete. ``stakes`` stand as on the cloth.
    """

    first: Cards = ()
    second: Cards = ()
    first_places: Places = ()
    second_places: Places = ()
    points: tuple[Count, ...] = ()
    verdicts: Pairs = ()
    settled: str = ""
    void: str = ""
    players_net: Number = 0
    bank_net: Number = 0
    stakes: tuple[StakeRecord, ...] = ()

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

    at: str = ""
    reason: str
    user: UserFields = user_fields()


@frozen(kw_only=True)
class CoupRecord(Rows):
    """One coup, as it stands in the end; earlier settlements of it are in ``taken_back``.

    ``exposed`` are cards burned because they were shown by mistake. ``marker`` is how many cards
    were out when the marker came up within the coup; ``last`` that the coup was finished as the
    last one.
    """

    number: Place
    opened: str = ""
    closed: str = ""
    exposed: Cards = ()
    exposed_places: Places = ()
    marker: Count | None = None
    last: bool = False
    taken_back: tuple[TakenBack, ...] = ()
    user: UserFields = user_fields()

    @property
    def versions(self) -> tuple[Rows, ...]:
        """All settlements of the coup: those taken back, then the one that stands."""
        return (*self.taken_back, self)


@frozen(kw_only=True)
class HouseOf:
    """The house the taille was played by."""

    name: str
    fingerprint: str
    user: UserFields = user_fields()


@frozen(kw_only=True)
class TableOf:
    """The table: its name, its opening, its money, who played, when."""

    name: str
    opening: Posted = _NO_OPENING
    currency: str
    unit: str
    players: tuple[str, ...] = ()
    user: UserFields = user_fields()


@frozen(kw_only=True)
class ShoeOf:
    """The shoe, and what was done to it before the first coup.

    ``order`` are all cards as they were handed in, before the cut; a record of a taille that is not
    over has none. ``source`` are words about it, where no provenance is told. ``server_seed`` is
    what was revealed of a provably fair shoe.
    """

    number: Place
    packs: Place
    live: bool
    opened: str = ""
    source: str = ""
    server_seed: str = ""
    cut: Count | None = None
    cut_by: str = ""
    burn: Count | None = None
    burned: Cards = ()
    marker: Count | None = None
    marker_by: str = ""
    order: Order = field(default=(), repr=False)
    user: UserFields = user_fields()


@frozen(kw_only=True)
class EndOf:
    """The end of the taille, and of the session where it was closed.

    ``why`` is ``marker``, ``cards`` or ``called``, empty while the taille goes on. ``left`` cards
    were not dealt; ``marker`` is how many were out when it came up between two coups. ``stakes``
    are those that were closed.
    """

    why: str = ""
    left: Count = 0
    at: str = ""
    marker: Count | None = None
    session_closed: bool = False
    session_at: str = ""
    stakes: tuple[StakeRecord, ...] = ()
    user: UserFields = user_fields()


@frozen(kw_only=True)
class RulesOf:
    """The rules of the house themselves: its TOML, or the name of a file beside the record."""

    file: str = ""
    toml: str = field(default="", repr=False)
    user: UserFields = user_fields()


_END: Final = EndOf()
_RULES: Final = RulesOf()


@frozen(kw_only=True)
class Record:
    """The record of one taille.

    ``sha256`` is over all but itself and the fields of the user; empty where the record is not
    sealed. ``warnings`` tell of unknown keys that were passed over when it was read.
    """

    schema: Count
    engine: str
    sha256: str = ""
    house: HouseOf
    table: TableOf
    shoe: ShoeOf
    provenance: Provenance | None = None
    prisoners: tuple[Prisoner, ...] = ()
    coups: tuple[CoupRecord, ...] = ()
    end: EndOf = _END
    rules: RulesOf = _RULES
    user: UserFields = user_fields()
    warnings: tuple[str, ...] = field(default=(), eq=False)

    @property
    def opening(self) -> Opening:
        """What was fixed when the table opened."""
        return self.table.opening

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


# --- Records as plain tables, as TOML and JSON hold them: read with every fault, and written


def kinds_of(cls: Any) -> dict[str, Any]:
    """Return the type of each key of a class of a record, as they are written: the head first."""
    return _kinds_of(cls)


@cache
def _kinds_of(cls: Any) -> dict[str, Any]:
    kinds = {each.name: each.type for each in fields(resolve_types(cls))}
    order = {name: place for place, name in enumerate(_HEAD)}
    names = sorted(kinds, key=lambda name: order.get(name, len(order)))
    return {name: kinds[name] for name in names if name not in ("user", "warnings")}


def class_of(kind: Any) -> type | None:
    """Return the class of a table of a record, or of each in a list of tables; None for a value."""
    member = get_args(kind)[0] if core.is_tuple(kind) else kind
    return member if _is_part(member) else None


def _is_part(cls: Any) -> bool:
    return has(cls) and any(each.name == "user" for each in fields(cls))


@cache
def converter(*, user: bool = True) -> Converter:
    """Return the converter of records; without ``user``, fields of the user are not written."""
    made = core.converter()
    made.register_structure_hook(
        Provenance, lambda value, _kind: Provenance.of_json(core.structure_table(value))
    )
    made.register_unstructure_hook(Provenance, Provenance.to_json)
    own: dict[str, Any] = {name: override(omit=True) for name in ("user", "warnings")}

    def reader(cls: Any) -> Callable[[Any, Any], Any]:
        build = make_dict_structure_fn(cls, made, _cattrs_forbid_extra_keys=True, **own)

        def read(value: Any, kind: Any) -> Any:
            table = core.structure_table(value)
            private = {name: each for name, each in table.items() if name.startswith(PRIVATE)}
            if not private:
                return build(table, kind)
            known = {name: each for name, each in table.items() if name not in private}
            return evolve(build(known, kind), user=private)

        return read

    def writer(cls: Any) -> Callable[[Any], dict[str, Any]]:
        take_apart = make_dict_unstructure_fn(cls, made, _cattrs_omit_if_default=True, **own)
        order = kinds_of(cls)

        def write(value: Any) -> dict[str, Any]:
            parts = take_apart(value)
            table = {name: parts[name] for name in order if name in parts}
            return {**table, **value.user} if user else table

        return write

    made.register_structure_hook_factory(_is_part, reader)
    made.register_unstructure_hook_factory(_is_part, writer)
    return made


def read_table(
    table: object, cls: type[T]
) -> tuple[T | None, tuple[Problem, ...], tuple[Problem, ...]]:
    """Build a value of a class from a table: the value, what is wrong with it, unknown keys.

    The value is None where something is wrong; unknown keys are passed over.
    """
    value, problems = core.structure(converter(), table, cls)
    unknown = tuple(
        sorted(
            (each for each in problems if each.code == "unknown-key"),
            key=lambda each: len(each.path),
        )
    )
    if unknown and len(unknown) == len(problems):
        value, problems = core.structure(converter(), core.without(table, unknown), cls)
    return value, tuple(each for each in problems if each not in unknown), unknown


def write_table(value: Any, *, user: bool = True) -> dict[str, Any]:
    """Return a value as a table; default values are left out, ``user`` fields come last."""
    table: dict[str, Any] = converter(user=user).unstructure(value)
    return table


def canonical(record: Record) -> bytes:
    """Return the bytes that ``sha256`` is over.

    JSON of the record without ``sha256`` and fields of the user: keys sorted, no white space,
    UTF-8; values are texts, whole numbers, true and false, lists and objects.
    """
    table = write_table(record, user=False)
    table.pop("sha256", None)
    text = json.dumps(table, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return text.encode("utf-8", "surrogatepass")


def digest(record: Record) -> str:
    """Return the SHA-256 of the canonical bytes, as 64 hexadecimal digits."""
    return sha256(canonical(record)).hexdigest()


def sealed(record: Record) -> Record:
    """Return the record with the SHA-256 of what it says."""
    return evolve(record, sha256=digest(record))


def warnings_of(unknown: tuple[Problem, ...]) -> Iterator[str]:
    """Return a sentence for each unknown key, as many as are told."""
    for each in unknown[:MOST_WARNINGS]:
        hint = f": {each.hint}" if each.hint.startswith("did you") else ""
        yield f"{core.path_text(each.path)} is unknown and passed over{hint}"
    more = len(unknown) - MOST_WARNINGS
    if more > 0:
        yield f"and {more} more unknown keys"


# --- What a record cannot be, whatever its house: rows that are none, cards no packs hold


def problems_of(record: Record) -> Iterator[Problem]:
    """Return what is wrong with a record whose fields are each what they can be."""
    packs = record.shoe.packs
    if packs * CARDS_IN_PACK > MOST_PLACES:
        hint = f"a record knows at most {MOST_PLACES} cards"
        yield Problem(("shoe", "packs"), "out-of-range", f"{packs} packs are too many", hint)
        return
    if record.shoe.order:
        try:
            check_whole_packs(record.shoe.order, packs)
        except TrenteError as error:
            yield Problem(("shoe", "order"), error.code, error.message, error.hint)
    yield from _stakes(record.prisoners, ("prisoners",))
    for place, coup in enumerate(record.coups):
        path: KeyPath = ("coups", place)
        yield from _coup(coup, packs, path)
        if coup.number != place + 1:
            message = f"coup {coup.number} stands in the place of coup {place + 1}"
            yield Problem((*path, "number"), "bad-record", message, "coups are counted from 1")
    yield from _stakes(record.end.stakes, ("end", "stakes"))
    if record.end.why not in ("", "marker", "cards", "called"):
        message = f"{record.end.why!r} is no end of a taille"
        yield Problem(("end", "why"), "bad-record", message, "it is marker, cards or called")
    yield from _counted(record)


def _counted(record: Record) -> Iterator[Problem]:
    """Name the first card that came up more often than there are packs, where it did."""
    packs = record.shoe.packs
    seen: Counter[Card] = Counter(record.shoe.burned)
    if seen and max(seen.values()) > packs:
        yield Problem(("shoe", "burned"), "too-many-of-a-card", f"{packs} packs do not hold them")
        return
    for place, coup in enumerate(record.coups):
        for name in ("first", "second", "exposed"):
            for card in getattr(coup, name):
                seen[card] += 1
                if seen[card] > packs:
                    message = f"{card} comes up a {seen[card]}th time: {packs} packs hold no more"
                    yield Problem(("coups", place, name), "too-many-of-a-card", message)
                    return


def _coup(coup: CoupRecord, packs: int, path: KeyPath) -> Iterator[Problem]:
    yield from _rows(coup, packs, path)
    yield from _placed(coup, "exposed", packs, path)
    for place, earlier in enumerate(coup.taken_back):
        yield from _rows(earlier, packs, (*path, "taken_back", place))
        if earlier.void:
            here = (*path, "taken_back", place, "void")
            yield Problem(here, "bad-record", "a void coup is not taken back")


def _rows(rows: Rows, packs: int, path: KeyPath) -> Iterator[Problem]:
    """Check both rows: whole for a coup that stands, as far as they got for one that is void."""
    for name in ("first", "second"):
        yield from _placed(rows, name, packs, path)
        cards: tuple[Card, ...] = getattr(rows, name)
        whole = not rows.void or (name == "first" and rows.second)
        try:
            if whole or sum(card.points for card in cards[:-1]) > LAST_OPEN_TOTAL:
                Row(cards)
        except TrenteError as error:
            yield Problem((*path, name), error.code, error.message, error.hint)
    yield from _stakes(rows.stakes, (*path, "stakes"))


def _placed(rows: Rows, name: str, packs: int, path: KeyPath) -> Iterator[Problem]:
    cards, places = getattr(rows, name), getattr(rows, f"{name}_places")
    here = (*path, f"{name}_places")
    if len(cards) != len(places):
        message = f"{len(places)} places are told for {len(cards)} cards"
        yield Problem(here, "bad-places", message, "each card has its place in the shoe")
    elif places and places[-1] > packs * CARDS_IN_PACK:
        message = f"a shoe of {packs} packs has no place {places[-1]}"
        yield Problem(here, "bad-places", message)


def _stakes(stakes: tuple[Standing, ...], path: KeyPath) -> Iterator[Problem]:
    seen: set[str] = set()
    for place, stake in enumerate(stakes):
        if stake.id in seen:
            message = f"two stakes have the id {stake.id!r}"
            yield Problem((*path, place, "id"), "double-stake", message, "give each its own")
        seen.add(stake.id)
        try:
            stake.stake()
        except TrenteError as error:
            yield Problem((*path, place), error.code, error.message, error.hint)
