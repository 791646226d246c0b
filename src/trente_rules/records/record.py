"""A record as a value: what a taille was, from its shoe to its last settlement.

Each field is a key of the file, as docs/records.md tells them; what is at its default is not
written. Amounts are in units of the house. ``user`` holds the fields whose names start with ``_``:
they are kept, and nothing else is done with them.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction
from functools import cache
from hashlib import sha256
from typing import Any, Final, TypeVar

from attrs import NOTHING, Attribute, define, evolve, field, fields, frozen

from trente_rules.core.cards import Card, parse_cards
from trente_rules.core.coup import LAST_OPEN_TOTAL, Row
from trente_rules.core.errors import RecordError, TrenteError
from trente_rules.core.machine import FREE
from trente_rules.core.money import MOST, NOUGHT, ONE
from trente_rules.core.shoe import CARDS_IN_PACK, check_whole_packs
from trente_rules.core.stakes import Opening, Stake
from trente_rules.core.toml import nearest, shown
from trente_rules.fair.provenance import Provenance

# --- The kinds of values in a record: how each is read from TOML, and how it is written

MOST_PLACES: Final = 10_000
"""The last place in a shoe that a record can name."""
MOST_UNITS: Final = 1 << 100
"""No sum of amounts that are each allowed reaches this."""
_LONGEST_SHARE: Final = 2_000
_SHARE: Final = re.compile(r"(-?[0-9]+)(?:/(0*[1-9][0-9]*))?", re.ASCII)
_PLACES: Final = re.compile(r"([1-9][0-9]{0,4})(?:-([1-9][0-9]{0,4}))?", re.ASCII)
_KIND: Final = "trente.record"
_HEAD: Final = {"number": 0, "opened": 1, "closed": 2, "settled": 3}


@frozen
class Kind:
    """A kind of value: read from TOML (``RecordError`` where it is none), and written."""

    read: Callable[[Any], Any]
    write: Callable[[Any], Any] = field(default=lambda value: value)


@frozen
class One:
    """A table of its own, read into a class."""

    cls: type


@frozen
class Many:
    """A list of tables, each read into a class; ``inline`` where each is written on one line."""

    cls: type
    inline: bool = False


Slot = Kind | One | Many


def slot(kind: Slot, default: Any = NOTHING, *, long: bool = False) -> Any:
    """Declare a field of a record: a key of its table, required where it has no default."""
    return field(default=default, metadata={_KIND: kind}, repr=not long)


def user_fields() -> Any:
    """Declare the field that holds what users add: names that start with ``_``."""
    return field(factory=dict, hash=False, kw_only=True)


def slots(cls: type) -> dict[str, tuple[Attribute[Any], Slot]]:
    """Return the keys of a class of a record, as they are written: number and times first."""
    return _slots(cls)


@cache
def _slots(cls: Any) -> dict[str, tuple[Attribute[Any], Slot]]:
    found = [attribute for attribute in fields(cls) if _KIND in attribute.metadata]
    found.sort(key=lambda attribute: _HEAD.get(attribute.name, len(_HEAD)))
    return {attribute.name: (attribute, attribute.metadata[_KIND]) for attribute in found}


def _wrong(value: object, wanted: str) -> RecordError:
    return RecordError(f"{shown(value)} is not {wanted}", "wrong-type", f"write {wanted}")


def _text(value: object) -> str:
    if type(value) is not str:
        raise _wrong(value, "a text")
    return value


def _flag(value: object) -> bool:
    if type(value) is not bool:
        raise _wrong(value, "true or false")
    return value


def _whole(value: object, least: int, most: int) -> int:
    if type(value) is not int:
        raise _wrong(value, "a whole number")
    if not least <= value <= most:
        wanted = f"it is {least} to {most}" if most < MOST_UNITS else f"it is {least} or more"
        raise RecordError(f"{shown(value)} is out of range", "out-of-range", wanted)
    return value


def _share(value: object) -> Fraction:
    text = _text(value)
    found = _SHARE.fullmatch(text) if len(text) <= _LONGEST_SHARE else None
    if found is None:
        raise _wrong(value, 'a share such as "1/2"')
    return Fraction(int(found[1]), int(found[2] or 1))


def _part(value: object) -> Fraction:
    share = _share(value)
    if not 0 <= share <= 1:
        raise RecordError(f"share {value} is out of range", "out-of-range", "it is 0 to 1")
    return share


def _texts(value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(type(each) is str for each in value):
        raise _wrong(value, "a list of texts")
    return tuple(value)


def _numbers(value: object) -> tuple[int, ...]:
    if not isinstance(value, list):
        raise _wrong(value, "a list of whole numbers")
    return tuple(_whole(each, 0, MOST_UNITS) for each in value)


def _pairs(value: object) -> tuple[tuple[str, str], ...]:
    if not isinstance(value, dict) or not all(type(each) is str for each in value.values()):
        raise _wrong(value, "a table of texts")
    return tuple(value.items())


def _cards(value: object) -> tuple[Card, ...]:
    return parse_cards(_text(value))


def _order(value: object) -> tuple[Card, ...]:
    return tuple(card for line in _texts(value) for card in parse_cards(line))


_IN_A_LINE: Final = 26


def _order_lines(cards: tuple[Card, ...]) -> list[str]:
    return [
        " ".join(map(str, cards[start : start + _IN_A_LINE]))
        for start in range(0, len(cards), _IN_A_LINE)
    ]


def _places(value: object) -> tuple[int, ...]:
    places: list[int] = []
    for word in _text(value).split():
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


def _provenance(value: object) -> Provenance:
    if not isinstance(value, Mapping):
        raise _wrong(value, "a table")
    return Provenance.of_json(value)


def _words(cards: tuple[Card, ...]) -> str:
    return " ".join(map(str, cards))


TEXT: Final = Kind(_text)
FLAG: Final = Kind(_flag)
COUNT: Final = Kind(lambda value: _whole(value, 0, MOST_UNITS))
PLACE: Final = Kind(lambda value: _whole(value, 1, MOST))
NUMBER: Final = Kind(lambda value: _whole(value, -MOST_UNITS, MOST_UNITS))
SHARE: Final = Kind(_part, str)
RESIDUE: Final = Kind(_share, str)
TEXTS: Final = Kind(_texts, list)
NUMBERS: Final = Kind(_numbers, list)
PAIRS: Final = Kind(_pairs, dict)
CARDS: Final = Kind(_cards, _words)
ORDER: Final = Kind(_order, _order_lines)
PLACES: Final = Kind(_places, places_text)
PROVENANCE: Final = Kind(_provenance, lambda provenance: provenance.to_json())


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


# --- Records as plain tables, as TOML and JSON hold them: read with every fault, and written

T = TypeVar("T")
RecordPath = tuple[str | int, ...]
PRIVATE: Final = "_"
USER: Final = "user"
MOST_WARNINGS: Final = 50


@define
class RecordProblem:
    """What is wrong with a table, and where."""

    path: RecordPath
    code: str
    message: str
    hint: str = ""

    def __str__(self) -> str:
        """Return the place and what is wrong with it."""
        return f"{path_text(self.path)}: {self.message}"


@define
class Notes:
    """What was found while reading: problems, and unknown keys."""

    problems: list[RecordProblem] = field(factory=list)
    unknown: list[RecordPath] = field(factory=list)
    hints: dict[RecordPath, str] = field(factory=dict)


def path_text(path: RecordPath) -> str:
    """Return a path as text, lists counted from 1: ``coups[2].stakes[1].won``."""
    text = ""
    for step in path:
        text += f"[{step + 1}]" if isinstance(step, int) else f".{step}" if text else step
    return text


def read_table(cls: type[T], table: object, path: RecordPath, notes: Notes) -> T | None:
    """Build a value of a class from a table; None where ``notes`` tell what is wrong with it."""
    if not isinstance(table, Mapping):
        notes.problems.append(RecordProblem(path, "wrong-type", f"{shown(table)} is not a table"))
        return None
    known = slots(cls)
    values: dict[str, Any] = {USER: {}}
    before = len(notes.problems)
    for name, value in table.items():
        if name in known:
            values[name] = _read(known[name][1], value, (*path, name), notes)
        elif name.startswith(PRIVATE):
            values[USER][name] = value
        else:
            here = (*path, name)
            notes.unknown.append(here)
            if len(notes.unknown) <= MOST_WARNINGS:
                notes.hints[here] = nearest(name, known)
    for name, (attribute, _kind) in known.items():
        if name not in values and attribute.default is NOTHING:
            message = f"{name!r} is missing"
            notes.problems.append(RecordProblem((*path, name), "missing-key", message))
    return None if len(notes.problems) > before else cls(**values)


def _read(kind: Kind | One | Many, value: object, path: RecordPath, notes: Notes) -> Any:
    if isinstance(kind, One):
        return read_table(kind.cls, value, path, notes)
    if isinstance(kind, Many):
        if not isinstance(value, list):
            message = f"{shown(value)} is not a list of tables"
            notes.problems.append(RecordProblem(path, "wrong-type", message))
            return None
        return tuple(
            read_table(kind.cls, each, (*path, place), notes) for place, each in enumerate(value)
        )
    try:
        return kind.read(value)
    except TrenteError as error:
        notes.problems.append(RecordProblem(path, error.code, error.message, error.hint))
        return None


def write_table(value: Any, *, user: bool = True) -> dict[str, Any]:
    """Return a value as a table; what is at its default is left out, ``user`` fields come last."""
    told = {
        name: _write(kind, getattr(value, name), user=user)
        for name, (attribute, kind) in slots(type(value)).items()
        if getattr(value, name) != attribute.default
    }
    return {**told, **value.user} if user else told


def _write(kind: Kind | One | Many, value: Any, *, user: bool) -> Any:
    if isinstance(kind, One):
        return write_table(value, user=user)
    if isinstance(kind, Many):
        return [write_table(each, user=user) for each in value]
    return kind.write(value)


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


def warnings_of(notes: Notes) -> Iterable[str]:
    """Return a sentence for each unknown key, as many as are told."""
    for path in notes.unknown[:MOST_WARNINGS]:
        hint = notes.hints.get(path)
        yield f"{path_text(path)} is unknown and passed over{f': {hint}' if hint else ''}"
    more = len(notes.unknown) - MOST_WARNINGS
    if more > 0:
        yield f"and {more} more unknown keys"


# --- What a record cannot be, whatever its house: rows that are none, cards no packs hold


def problems_of(record: Record) -> Iterator[RecordProblem]:
    """Return what is wrong with a record whose fields are each what they can be."""
    packs = record.shoe.packs
    if packs * CARDS_IN_PACK > MOST_PLACES:
        hint = f"a record knows at most {MOST_PLACES} cards"
        yield RecordProblem(("shoe", "packs"), "out-of-range", f"{packs} packs are too many", hint)
        return
    if record.shoe.order:
        try:
            check_whole_packs(record.shoe.order, packs)
        except TrenteError as error:
            yield RecordProblem(("shoe", "order"), error.code, error.message, error.hint)
    yield from _stakes(record.prisoners, ("prisoners",))
    for place, coup in enumerate(record.coups):
        path: RecordPath = ("coups", place)
        yield from _coup(coup, packs, path)
        if coup.number != place + 1:
            message = f"coup {coup.number} stands in the place of coup {place + 1}"
            yield RecordProblem(
                (*path, "number"), "bad-record", message, "coups are counted from 1"
            )
    yield from _stakes(record.end.stakes, ("end", "stakes"))
    if record.end.why not in ("", "marker", "cards", "called"):
        message = f"{record.end.why!r} is no end of a taille"
        yield RecordProblem(("end", "why"), "bad-record", message, "it is marker, cards or called")
    yield from _counted(record)


def _counted(record: Record) -> Iterator[RecordProblem]:
    """Name the first card that came up more often than there are packs, where it did."""
    packs = record.shoe.packs
    seen: Counter[Card] = Counter(record.shoe.burned)
    if seen and max(seen.values()) > packs:
        yield RecordProblem(
            ("shoe", "burned"), "too-many-of-a-card", f"{packs} packs do not hold them"
        )
        return
    for place, coup in enumerate(record.coups):
        for name in ("first", "second", "exposed"):
            for card in getattr(coup, name):
                seen[card] += 1
                if seen[card] > packs:
                    message = f"{card} comes up a {seen[card]}th time: {packs} packs hold no more"
                    yield RecordProblem(("coups", place, name), "too-many-of-a-card", message)
                    return


def _coup(coup: CoupRecord, packs: int, path: RecordPath) -> Iterator[RecordProblem]:
    yield from _rows(coup, packs, path)
    yield from _placed(coup, "exposed", packs, path)
    for place, earlier in enumerate(coup.taken_back):
        yield from _rows(earlier, packs, (*path, "taken_back", place))
        if earlier.void:
            here = (*path, "taken_back", place, "void")
            yield RecordProblem(here, "bad-record", "a void coup is not taken back")


def _rows(rows: Rows, packs: int, path: RecordPath) -> Iterator[RecordProblem]:
    """Check both rows: whole for a coup that stands, as far as they got for one that is void."""
    for name in ("first", "second"):
        yield from _placed(rows, name, packs, path)
        cards: tuple[Card, ...] = getattr(rows, name)
        whole = not rows.void or (name == "first" and rows.second)
        try:
            if whole or sum(card.points for card in cards[:-1]) > LAST_OPEN_TOTAL:
                Row(cards)
        except TrenteError as error:
            yield RecordProblem((*path, name), error.code, error.message, error.hint)
    yield from _stakes(rows.stakes, (*path, "stakes"))


def _placed(rows: Rows, name: str, packs: int, path: RecordPath) -> Iterator[RecordProblem]:
    cards, places = getattr(rows, name), getattr(rows, f"{name}_places")
    here = (*path, f"{name}_places")
    if len(cards) != len(places):
        message = f"{len(places)} places are told for {len(cards)} cards"
        yield RecordProblem(here, "bad-places", message, "each card has its place in the shoe")
    elif places and places[-1] > packs * CARDS_IN_PACK:
        message = f"a shoe of {packs} packs has no place {places[-1]}"
        yield RecordProblem(here, "bad-places", message)


def _stakes(stakes: tuple[Standing, ...], path: RecordPath) -> Iterator[RecordProblem]:
    seen: set[str] = set()
    for place, stake in enumerate(stakes):
        if stake.id in seen:
            message = f"two stakes have the id {stake.id!r}"
            yield RecordProblem((*path, place, "id"), "double-stake", message, "give each its own")
        seen.add(stake.id)
        try:
            stake.stake()
        except TrenteError as error:
            yield RecordProblem((*path, place), error.code, error.message, error.hint)
