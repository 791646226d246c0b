"""A record as a value: one taille, from its shoe to its last settlement.

Each field is a key of the file (see docs/records.md); default values are not written. Amounts are
in units of the house. ``user`` holds the fields whose names start with ``_``, which are saved with
the record and otherwise ignored.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache
from hashlib import sha256
from itertools import groupby
from typing import Annotated, Any, Final, Self, TypeVar, get_args

from attrs import evolve, field, fields, frozen, resolve_types
from cattrs import Converter
from cattrs.gen import make_dict_structure_fn, make_dict_unstructure_fn, override

from trente_rules.core import converter as core
from trente_rules.core.cards import CARDS_PATTERN, Card, parse_cards
from trente_rules.core.chances import Verdict
from trente_rules.core.converter import MOST_UNITS, Form, KeyPath, Problem, expected_error, whole
from trente_rules.core.coup import LAST_OPEN_TOTAL, Row
from trente_rules.core.errors import RecordError, TrenteError, shown
from trente_rules.core.machine import FREE
from trente_rules.core.money import MOST, NOUGHT, ONE, parse_share
from trente_rules.core.shoe import CARDS_IN_PACK, check_whole_packs
from trente_rules.core.stakes import Line, Opening, Stake
from trente_rules.fair.provenance import Provenance
from trente_rules.table.codec import opening_of

T = TypeVar("T")
SCHEMA: Final = 1
"""The version of the form; every earlier one is read."""
MOST_PLACES: Final = 10_000
"""The last place in a shoe that a record can name."""
MOST_WARNINGS: Final = 50
PRIVATE: Final = "_"
_PLACES: Final = re.compile(r"([1-9][0-9]{0,4})(?:-([1-9][0-9]{0,4}))?", re.ASCII)
_IN_A_LINE: Final = 26


def _posted(opening: Opening) -> Any:
    """Return an opening as JSON; TOML has no null: an empty table where nothing is posted."""
    return {} if opening == Opening() else opening.to_json()


Posted = Annotated[Opening, core.Form(opening_of, _posted, int | Opening)]
"""An opening, as a record writes it."""
_HEAD: Final = ("number", "opened", "closed", "settled")


_CARDS_SCHEMA: Final = {
    "type": "string",
    "pattern": f"^({CARDS_PATTERN})?$",
    "description": "Cards with a space between them: `10♥ A♠`.",
}
_ORDER_SCHEMA: Final = {"type": "array", "items": _CARDS_SCHEMA}
_PLACES_SCHEMA: Final = {
    "type": "string",
    "pattern": "^([0-9]+(-[0-9]+)?( [0-9]+(-[0-9]+)?)*)?$",
    "description": "Places in the shoe, from 1, as ranges: `1-4 6`.",
}
_text: Final = core.exactly(str)


def _share(value: object) -> Fraction:
    share = parse_share(_text(value, str))
    if not 0 <= share <= 1:
        raise RecordError(f"share {value} is out of range", "out-of-range", "it is 0 to 1")
    return share


def _pairs(value: object) -> tuple[tuple[str, str], ...]:
    if not isinstance(value, dict) or not all(type(text) is str for text in value.values()):
        raise expected_error("a table of texts", value)
    return tuple(value.items())


def _cards(value: object) -> tuple[Card, ...]:
    return parse_cards(_text(value, str))


def _order(value: object) -> tuple[Card, ...]:
    if not isinstance(value, list):
        raise expected_error("a list of texts", value)
    return tuple(card for line in value for card in _cards(line))


def _order_lines(cards: tuple[Card, ...]) -> list[str]:
    starts = range(0, len(cards), _IN_A_LINE)
    return [_cards_text(cards[start : start + _IN_A_LINE]) for start in starts]


def _cards_text(cards: tuple[Card, ...]) -> str:
    """Return cards as a record writes them: ``10♥ A♠``."""
    return " ".join(map(str, cards))


def _places(value: object) -> tuple[int, ...]:
    places = [0]
    for word in _text(value, str).split():
        run = _PLACES.fullmatch(word)
        first, last = (int(run[1]), int(run[2] or run[1])) if run else (1, 0)
        if not places[-1] < first <= last <= MOST_PLACES:
            raise RecordError(
                f"{shown(value)} is not a list of places in a shoe",
                "bad-places",
                'places count from 1 and rise: "1-4" or "1-2 4 6-9"',
            )
        places.extend(range(first, last + 1))
    return tuple(places[1:])


def _places_text(places: tuple[int, ...]) -> str:
    """Return places as ranges: ``1-4 6``."""
    # In a run each place is equally far from its index.
    runs = groupby(enumerate(places), lambda item: item[1] - item[0])
    ends = ((run[0][1], run[-1][1]) for run in (list(items) for _, items in runs))
    return " ".join(f"{first}-{last}" if last > first else str(first) for first, last in ends)


Count = Annotated[int, whole(0, MOST_UNITS)]
Place = Annotated[int, whole(1, MOST)]
Number = Annotated[int, whole(-MOST_UNITS, MOST_UNITS)]
Share = Annotated[Fraction, Form(_share, str)]
Pairs = Annotated[tuple[tuple[str, str], ...], Form(_pairs, dict, dict[str, str])]
Cards = Annotated[tuple[Card, ...], Form(_cards, _cards_text, _CARDS_SCHEMA)]
Order = Annotated[tuple[Card, ...], Form(_order, _order_lines, _ORDER_SCHEMA)]
Places = Annotated[tuple[int, ...], Form(_places, _places_text, _PLACES_SCHEMA)]


@frozen(kw_only=True)
class RecordPart:
    """A table of a record; ``user`` holds what users add: the keys that start with ``_``."""

    user: dict[str, Any] = field(factory=dict, hash=False)


_STAKE: Final = (
    *("id", "group", "chance", "amount", "state", "share", "handed_back", "position"),
    "covered",
)
_LINE: Final = (
    *("premium", "course", "returned", "won", "forfeited", "staying", "premium_returned"),
    *("residue", "premium_residue"),
)
"""The fields that a record shares with ``Stake`` and with ``Line``, under the same names."""


@frozen(kw_only=True)
class Standing(RecordPart):
    """A stake on the table, such as a prisoner: the fields of ``Stake``, as a record names them."""

    id: str
    player: str
    group: str = ""
    chance: str
    amount: Place
    state: str = FREE
    share: Share = ONE
    handed_back: Count = 0
    position: Place | None = None
    covered: bool = False

    @classmethod
    def of(cls, stake: Stake, **others: Any) -> Self:
        """Return a stake as a record has it, with the values of other fields."""
        same = {name: getattr(stake, name) for name in _STAKE}
        return cls(player=stake.owner, **same, **others)

    def stake(self) -> Stake:
        """Return the stake; ``BetError`` ("bad-stake") for invalid amounts and shares."""
        return Stake(owner=self.player, **{name: getattr(self, name) for name in _STAKE})


@frozen(kw_only=True)
class StakeRecord(Standing):
    """A stake of one coup: before the deal, what was chosen, and how it was settled.

    ``choices`` are (verdict, course) pairs. ``order`` is its place in the order of the settlement,
    from 1. ``after`` is its state in the next coup, empty where nothing of it stays;
    ``chance_after`` is its next chance if that differs: a void puts a moved prisoner back.
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
    covered_after: bool = False
    chance_after: str = ""

    @classmethod
    def of_line(cls, line: Line, order: int, choices: Pairs = ()) -> StakeRecord:
        """Return a settled stake as a record has it."""
        values = {name: getattr(line, name) for name in _LINE}
        values["insured"] = line.stake.insured  # asked for; the line says whether it acted
        if (after := line.after) is not None:
            values |= {
                "after": after.state,
                "share_after": after.share,
                "handed_back_after": after.handed_back,
                "covered_after": after.covered,
                "chance_after": after.chance if after.chance != line.stake.chance else "",
            }
        return cls.of(line.stake, choices=choices, order=order, verdict=line.verdict.id, **values)


@frozen(kw_only=True)
class Rows(RecordPart):
    """The cards, stakes and settlement of a coup, or a settlement of it that was corrected.

    Places count from 1 in the shoe, burned cards included. ``void`` is the reason, empty for a
    valid coup; the rows of a void coup may be incomplete. ``stakes`` are in the order on the cloth.
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
    """A settlement that was corrected: when, and why."""

    at: str = ""
    reason: str

    def moved(self, more: int) -> TakenBack:
        """Return it with its cards at places that are higher by ``more``."""
        first, second = (
            tuple(place + more for place in places)
            for places in (self.first_places, self.second_places)
        )
        return evolve(self, first_places=first, second_places=second)


@frozen(kw_only=True)
class CoupRecord(Rows):
    """One coup as it was settled last; earlier settlements of it are in ``taken_back``.

    ``exposed`` are cards burned because they were shown by mistake. ``marker`` is how many cards
    were out when the marker came up within the coup; ``last`` that the coup was finished as the
    last one. ``posted`` are limits that were posted before it, and hold from it on.
    """

    number: Place
    opened: str = ""
    closed: str = ""
    exposed: Cards = ()
    exposed_places: Places = ()
    marker: Count | None = None
    last: bool = False
    posted: Posted | None = None
    taken_back: tuple[TakenBack, ...] = ()

    @property
    def versions(self) -> tuple[Rows, ...]:
        """All settlements of the coup: those corrected, then the last one."""
        return (*self.taken_back, self)


@frozen(kw_only=True)
class HouseOf(RecordPart):
    """The house whose rules were played."""

    name: str
    fingerprint: str


@frozen(kw_only=True)
class TableOf(RecordPart):
    """The table: its name, its opening, its money, who played, when."""

    name: str
    opening: Posted = field(factory=Opening)
    currency: str
    unit: str
    players: tuple[str, ...] = ()


@frozen(kw_only=True)
class ShoeOf(RecordPart):
    """The shoe, and what was done to it before the first coup.

    ``order`` are all cards before the cut, empty while the taille is not over. ``source`` describes
    where they are from, if the record has no provenance. ``server_seed`` is the revealed seed of a
    provably fair shoe. ``first_row`` is the colour of the first row where ``cut_card``, the card
    shown at the cut, decided it. ``shuffled`` is ``every-coup`` where a machine shuffled for every
    coup: places are then counted anew in each, and the record has no order. With ``order_sealed``
    it was left out because it is sealed in the journal, and the key was not given.
    """

    number: Place
    packs: Place
    live: bool
    opened: str = ""
    source: str = ""
    server_seed: str = ""
    cut: Count | None = None
    cut_by: str = ""
    cut_card: Cards = ()
    first_row: str = ""
    shuffled: str = ""
    burn: Count | None = None
    burned: Cards = ()
    marker: Count | None = None
    marker_by: str = ""
    order: Order = field(default=(), repr=False)
    order_sealed: bool = False


@frozen(kw_only=True)
class EndOf(RecordPart):
    """The end of the taille, and of the session where it was closed.

    ``why`` is ``marker``, ``cards`` or ``called``, empty while the taille is not over. ``left``
    cards were not dealt; ``marker`` is how many were out when it came up between two coups.
    ``posted`` are limits that were posted after the last coup, ``stakes`` those that were closed.
    """

    why: str = ""
    left: Count = 0
    posted: Posted | None = None
    at: str = ""
    marker: Count | None = None
    session_closed: bool = False
    session_at: str = ""
    stakes: tuple[StakeRecord, ...] = ()


@frozen(kw_only=True)
class RulesOf(RecordPart):
    """The rules of the house: its TOML, or the name of a file in the folder of the record."""

    file: str = ""
    toml: str = field(default="", repr=False)


@frozen(kw_only=True)
class Record(RecordPart):
    """The record of one taille.

    ``sha256`` is over all but itself and the fields of the user; empty where the record is not
    sealed. ``warnings`` name the unknown keys that were passed over when it was read.
    """

    schema: Count
    engine: str
    sha256: str = ""
    house: HouseOf
    table: TableOf
    shoe: ShoeOf
    provenance: Provenance | None = None
    prisoners: tuple[Standing, ...] = ()
    coups: tuple[CoupRecord, ...] = ()
    end: EndOf = field(factory=EndOf)
    rules: RulesOf = field(factory=RulesOf)
    warnings: tuple[str, ...] = field(default=(), eq=False)

    @property
    def opening(self) -> Opening:
        """The opening of the table."""
        return self.table.opening

    @property
    def every_coup(self) -> bool:
        """Return whether a machine shuffled the cards for every coup."""
        return self.shoe.shuffled == "every-coup"

    @property
    def dealt(self) -> Iterator[tuple[int, Card]]:
        """The known cards with their places, from 1 after the cut: burned ones, then by coup."""
        yield from enumerate(self.shoe.burned, 1)
        for coup in self.coups:
            yield from zip(coup.places, coup.cards, strict=True)
            yield from zip(coup.exposed_places, coup.exposed, strict=True)


@cache
def kinds_of(cls: Any) -> dict[str, Any]:
    """Return the type of each key of a class of a record, in the order they are written."""
    kinds = {each.name: each.type for each in fields(resolve_types(cls))}
    names = dict.fromkeys((*(name for name in _HEAD if name in kinds), *kinds))
    return {name: kinds[name] for name in names if name not in ("user", "warnings")}


def class_of(kind: Any) -> type | None:
    """Return the class of a table of a record, or of each in a list of tables; None for a value."""
    member = get_args(kind)[0] if core.is_tuple(kind) else kind
    return member if _is_part(member) else None


def _is_part(cls: Any) -> bool:
    return isinstance(cls, type) and issubclass(cls, RecordPart)


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
            private = {name: table[name] for name in table if name[:1] == PRIVATE}
            if not private:
                return build(table, kind)
            known = {name: table[name] for name in table if name not in private}
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
    """Return a value of a class built from a table, its problems, and its unknown keys.

    The value is None where there are problems; unknown keys are passed over.
    """
    value, problems = core.structure(converter(), table, cls)
    unknown = tuple(problem for problem in problems if problem.code == "unknown-key")
    unknown = tuple(sorted(unknown, key=lambda problem: len(problem.path)))
    if unknown and len(unknown) == len(problems):
        value, problems = core.structure(converter(), core.without(table, unknown), cls)
    return value, tuple(each for each in problems if each.code != "unknown-key"), unknown


def write_table(value: Any, *, user: bool = True) -> dict[str, Any]:
    """Return a value as a table; default values are left out, ``user`` fields come last."""
    table: dict[str, Any] = converter(user=user).unstructure(value)
    return table


def digest(record: Record) -> str:
    """Return the SHA-256 of a record without ``sha256`` and fields of the user, in hexadecimal.

    It is over JSON with sorted keys, without white space, in UTF-8; values are texts, whole
    numbers, true and false, lists and objects.
    """
    table = write_table(record, user=False)
    table.pop("sha256", None)
    text = json.dumps(table, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def sealed(record: Record) -> Record:
    """Return the record with its SHA-256."""
    return evolve(record, sha256=digest(record))


def warnings_of(unknown: tuple[Problem, ...]) -> Iterator[str]:
    """Return a sentence for each unknown key, up to ``MOST_WARNINGS``."""
    for each in unknown[:MOST_WARNINGS]:
        hint = f": {each.hint}" if each.hint.startswith("did you") else ""
        yield f"{core.path_text(each.path)} is unknown and passed over{hint}"
    if (more := len(unknown) - MOST_WARNINGS) > 0:
        yield f"and {more} more unknown keys"


# What no record can hold, whatever its house: invalid rows, and cards that the packs do not have.


def problems_of(record: Record) -> Iterator[Problem]:
    """Return the problems of a record whose fields are valid one by one."""
    packs = record.shoe.packs
    if packs * CARDS_IN_PACK > MOST_PLACES:
        hint = f"a record knows at most {MOST_PLACES} cards"
        yield Problem(("shoe", "packs"), "out-of-range", f"{packs} packs are too many", hint)
        return
    if record.shoe.order:
        try:
            check_whole_packs(record.shoe.order, packs)
        except TrenteError as error:
            yield _problem(("shoe", "order"), error)
    yield from _stake_problems(record.prisoners, ("prisoners",))
    for index, coup in enumerate(record.coups):
        path: KeyPath = ("coups", index)
        yield from _row_problems(coup, packs, path)
        yield from _place_problems(coup, "exposed", packs, path)
        for place, earlier in enumerate(coup.taken_back):
            here = (*path, "taken_back", place)
            yield from _row_problems(earlier, packs, here)
        first = record.coups[0].number if record.every_coup else 1
        if coup.number != index + first:
            message = f"coup {coup.number} is in the place of coup {index + first}"
            yield Problem((*path, "number"), "bad-record", message, "coups are counted from 1")
    yield from _stake_problems(record.end.stakes, ("end", "stakes"))
    if record.end.why not in ("", "marker", "cards", "called"):
        message = f"{shown(record.end.why)} is not an end of a taille"
        yield Problem(("end", "why"), "bad-record", message, "it is marker, cards or called")
    yield from _surplus(record)


def _problem(path: KeyPath, error: TrenteError) -> Problem:
    return Problem(path, error.code, error.message, error.hint)


def _surplus(record: Record) -> Iterator[Problem]:
    """Name the first card that came up more often than the packs hold it, and where."""
    packs, seen = record.shoe.packs, Counter[Card]()
    part: str | int = ""
    dealt: list[tuple[KeyPath, tuple[Card, ...]]] = [
        (("coups", index, name), getattr(coup, name))
        for index, coup in enumerate(record.coups)
        for name in ("first", "second", "exposed")
    ]
    for path, cards in ((("shoe", "burned"), record.shoe.burned), *dealt):
        if record.every_coup and path[1] != part:  # its cards are those of whole packs again
            seen, part = Counter[Card](), path[1]
        seen.update(cards)
        for card in cards:
            if seen[card] > packs:
                message = f"{card} comes up {seen[card]} times: the packs hold {packs}"
                yield Problem(path, "too-many-of-a-card", message)
                return


def _row_problems(rows: Rows, packs: int, path: KeyPath) -> Iterator[Problem]:
    """Check both rows: complete in a valid coup, as far as they were dealt in a void one."""
    for name in ("first", "second"):
        yield from _place_problems(rows, name, packs, path)
        cards: tuple[Card, ...] = getattr(rows, name)
        complete = not rows.void or (name == "first" and rows.second)
        try:
            if complete or sum(card.points for card in cards[:-1]) > LAST_OPEN_TOTAL:
                Row(cards)
        except TrenteError as error:
            yield _problem((*path, name), error)
    yield from _stake_problems(rows.stakes, (*path, "stakes"))
    for chance, verdict in rows.verdicts:
        try:
            Verdict.of_id(verdict)
        except TrenteError as error:
            yield _problem((*path, "verdicts", chance), error)


def _place_problems(rows: Rows, name: str, packs: int, path: KeyPath) -> Iterator[Problem]:
    cards, places = getattr(rows, name), getattr(rows, f"{name}_places")
    here = (*path, f"{name}_places")
    if len(cards) != len(places):
        message = f"{len(places)} places for {len(cards)} cards"
        yield Problem(here, "bad-places", message, "each card has its place in the shoe")
    elif places and places[-1] > packs * CARDS_IN_PACK:
        message = f"a shoe of {packs} packs does not have a place {places[-1]}"
        yield Problem(here, "bad-places", message)


def _stake_problems(stakes: tuple[Standing, ...], path: KeyPath) -> Iterator[Problem]:
    seen: set[str] = set()
    for index, stake in enumerate(stakes):
        if stake.id in seen:
            message = f"two stakes have the id {shown(stake.id)}"
            yield Problem((*path, index, "id"), "double-stake", message, "give each its own")
        seen.add(stake.id)
        try:
            stake.stake()
        except TrenteError as error:
            yield _problem((*path, index), error)
