"""A permanence: tailles as a player notes them, a line for a coup. No cards, no stakes.

The grammar stands in docs/records.md. What a chance met is told by a house; where the colour it
depends on was not noted, it is not known.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from os import PathLike
from typing import Final

from attrs import frozen

from trente_rules.core.cards import Colour
from trente_rules.core.chances import Chance, Verdict
from trente_rules.core.coup import POINTS, outcome_index
from trente_rules.core.errors import ConfigurationError, Fault, shown
from trente_rules.core.house.house import House
from trente_rules.core.toml import Document, collect, read_document
from trente_rules.records.files import LARGEST, record_error
from trente_rules.records.record import CoupRecord, Record

MOST_LINES: Final = 200_000
BREAK: Final = "--"
_COLOURS: Final = {
    "n": Colour.NOIR,
    "noir": Colour.NOIR,
    "r": Colour.ROUGE,
    "rouge": Colour.ROUGE,
}
_LETTERS: Final = {Colour.NOIR: "n", Colour.ROUGE: "r"}
_HEADER: Final = re.compile(r"([A-Za-z_][A-Za-z0-9_-]*)\s*=\s*(.*)", re.ASCII)
_POINT: Final = re.compile(r"[0-9]{1,2}", re.ASCII)
_UNITS: Final = 30
_SHORTEST: Final = 2
_LONGEST: Final = 4
HOUSE: Final = "house"


@frozen
class Noted:
    """A coup as it was noted: both points, and the colours of first cards that were.

    ``colour`` is that of the first card of the coup, ``second_colour`` that of the second row.
    """

    first: int
    second: int
    colour: Colour | None = None
    second_colour: Colour | None = None

    def verdict(self, chance: Chance) -> Verdict | None:
        """Return what a chance met, None where it depends on a colour that was not noted."""
        firsts = tuple(Colour) if self.colour is None else (self.colour,)
        seconds = tuple(Colour) if self.second_colour is None else (self.second_colour,)
        met = {
            chance.verdicts[chance.table[outcome_index(self.first, self.second, one, other)]]
            for one in firsts
            for other in seconds
        }
        return met.pop() if len(met) == 1 else None

    def __str__(self) -> str:
        """Return the line: ``33 31 r``."""
        parts = [str(self.first), str(self.second)]
        if self.colour is not None:
            parts.append(_LETTERS[self.colour])
            if self.second_colour is not None:
                parts.append(_LETTERS[self.second_colour])
        return " ".join(parts)


@frozen
class Permanence:
    """Tailles, each the coups that were noted; ``headers`` are the lines of the head.

    >>> from trente_rules import Permanence, load_house
    >>> permanence = Permanence.parse("33 31 r # rouge wins")
    >>> chances = permanence.verdicts(load_house("france-2007"))
    >>> [verdict.id for verdict in chances["couleur"][0]]
    ['win']
    """

    tailles: tuple[tuple[Noted, ...], ...]
    headers: tuple[tuple[str, str], ...] = ()

    @property
    def house(self) -> str:
        """The name of the house, empty where no header tells it."""
        return dict(self.headers).get(HOUSE, "")

    @classmethod
    def parse(cls, text: str, *, origin: str = "<text>") -> Permanence:
        """Read a permanence.

        Raises ``RecordError`` that tells every bad line: "bad-line", "bad-point", "bad-colour",
        "late-header", "double-header", "no-coup"; "file-too-large"; "faults" where there are
        several.
        """
        return _PermanenceReader(Document(origin, text)).read()

    @classmethod
    def of_records(cls, records: Iterable[Record]) -> Permanence:
        """Return what a player would have noted of tailles; void coups are left out."""
        played = tuple(records)
        tailles = tuple(tuple(_noted(record.coups)) for record in played)
        houses = {record.house.name for record in played}
        headers = ((HOUSE, houses.pop()),) if len(houses) == 1 else ()
        return cls(tuple(taille for taille in tailles if taille), headers)

    def verdicts(self, house: House) -> dict[str, tuple[tuple[Verdict | None, ...], ...]]:
        """Return what each chance of a house met, taille by taille, coup by coup.

        None stands where the colour that a verdict depends on was not noted.
        """
        return {
            chance.id: tuple(
                tuple(noted.verdict(chance) for noted in taille) for taille in self.tailles
            )
            for chance in house.chances
        }

    def __str__(self) -> str:
        """Return the permanence as text; it reads back equal."""
        lines = [f"{name} = {value}" for name, value in self.headers]
        for place, taille in enumerate(self.tailles):
            lines += [BREAK] if place else [""] if lines else []
            lines += map(str, taille)
        return "\n".join(lines) + "\n"


def load_permanence(path: str | PathLike[str]) -> Permanence:
    """Read a permanence from a file.

    Raises ``RecordError``: those of ``Permanence.parse``, and "file-missing", "file-unreadable",
    "file-too-large", "not-utf-8".
    """
    try:
        document = read_document(path, largest=LARGEST)
    except ConfigurationError as error:
        raise record_error(error) from None
    return Permanence.parse(document.text, origin=document.origin)


def _noted(coups: Iterable[CoupRecord]) -> Iterator[Noted]:
    for coup in coups:
        if not coup.void:
            first, second = coup.points
            yield Noted(first, second, coup.first[0].colour, coup.second[0].colour)


class _PermanenceReader:
    """Reads a permanence, line by line, and notes every fault."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.faults: list[Fault] = []
        self.headers: dict[str, str] = {}
        self.tailles: list[list[Noted]] = [[]]

    def read(self) -> Permanence:
        lines = self.document.text.split("\n")
        if len(lines) > MOST_LINES or len(self.document.text) > LARGEST:
            message = f"{len(lines)} lines are more than {MOST_LINES}, or above {LARGEST} bytes"
            self.fault(None, "file-too-large", message)
            lines = []
        for number, line in enumerate(lines, 1):
            self.line(number, line.split("#", 1)[0].strip(), bare="#" not in line)
        tailles = tuple(tuple(taille) for taille in self.tailles if taille)
        if not tailles and not self.faults:
            self.fault(None, "no-coup", "no coup is noted", 'a coup is a line such as "33 31 r"')
        if self.faults:
            raise record_error(collect(self.faults))
        return Permanence(tailles, tuple(self.headers.items()))

    def line(self, number: int, text: str, *, bare: bool) -> None:
        """Read a line without its comment; one of a comment alone ends no taille."""
        if text == BREAK or (not text and bare):
            self.tailles.append([])
        elif found := _HEADER.fullmatch(text):
            self.header(number, found[1], found[2])
        elif text:
            self.coup(number, text)

    def header(self, number: int, name: str, value: str) -> None:
        if any(self.tailles):
            hint = "write headers above the first coup"
            self.fault(number, "late-header", f"{shown(name)} stands below a coup", hint)
        elif name in self.headers:
            self.fault(number, "double-header", f"{shown(name)} is told twice")
        else:
            self.headers[name] = value

    def coup(self, number: int, text: str) -> None:
        words = text.split()
        if not _SHORTEST <= len(words) <= _LONGEST:
            hint = "write two points, then the colour of the first card: 33 31 r"
            self.fault(number, "bad-line", f"{shown(text)} is no coup", hint)
            return
        points = [self.point(number, word) for word in words[:2]]
        colours = [self.colour(number, word) for word in words[2:]]
        if None not in points and None not in colours:
            self.tailles[-1].append(Noted(*points, *colours))  # type: ignore[arg-type]

    def point(self, number: int, word: str) -> int | None:
        value = int(word) if _POINT.fullmatch(word) else 0
        point = value + _UNITS if 1 <= value <= len(POINTS) else value
        if point in POINTS:
            return point
        hint = "points are 31 to 40, or 1 to 10"
        self.fault(number, "bad-point", f"{shown(word)} is no point", hint)
        return None

    def colour(self, number: int, word: str) -> Colour | None:
        colour = _COLOURS.get(word.lower())
        if colour is None:
            hint = "colours are r (rouge) and n (noir)"
            self.fault(number, "bad-colour", f"{shown(word)} is no colour", hint)
        return colour

    def fault(self, line: int | None, code: str, message: str, hint: str = "") -> None:
        self.faults.append(Fault(self.document.origin, line, None, "", code, message, hint))
