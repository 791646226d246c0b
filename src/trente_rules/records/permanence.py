"""A permanence: tailles as a player notes them, a line for a coup. No cards, no stakes.

The grammar is in docs/records.md. A house says what a chance met; if the colour it depends on was
not noted, that is unknown.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from os import PathLike
from typing import Any, Final

from attrs import frozen

from trente_rules.core.cards import Colour
from trente_rules.core.chances import Chance, Verdict
from trente_rules.core.coup import LAST_OPEN_TOTAL, POINTS, Row, outcome_index
from trente_rules.core.errors import Fault, shown
from trente_rules.core.house.house import House
from trente_rules.core.toml import Document, faults_error
from trente_rules.records.files import LARGEST, read_file, record_error
from trente_rules.records.record import CoupRecord, Record

MOST_LINES: Final = 200_000
BREAK: Final = "--"
_LETTERS: Final = {Colour.NOIR: "n", Colour.ROUGE: "r"}
_COLOURS: Final = {"n": Colour.NOIR, "noir": Colour.NOIR, "r": Colour.ROUGE, "rouge": Colour.ROUGE}
_POINTS: Final = {
    text: point
    for point in POINTS
    for text in (str(point), str(point - LAST_OPEN_TOTAL), f"{point - LAST_OPEN_TOTAL:02}")
}
"""Colours and points by the words for them: 31 may be written 31, 1 or 01."""
_HEADER: Final = re.compile(r"([A-Za-z_][A-Za-z0-9_-]*)\s*=\s*(.*)", re.ASCII)
_SHORTEST: Final = 2
_LONGEST: Final = 4
HOUSE: Final = "house"
_POINT: Final = (_POINTS, "bad-point", "point", "points are 31 to 40, or 1 to 10")
_COLOUR: Final = (_COLOURS, "bad-colour", "colour", "colours are r (rouge) and n (noir)")


@frozen
class Noted:
    """A coup as it was noted: both points, and the colours of first cards, if noted.

    ``colour`` is that of the first card of the coup, ``second_colour`` that of the second row.
    """

    first: int
    second: int
    colour: Colour | None = None
    second_colour: Colour | None = None

    def verdict(self, chance: Chance) -> Verdict | None:
        """Return what a chance met, None if it depends on a colour that was not noted."""
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
        colours = (self.colour, self.second_colour) if self.colour is not None else ()
        letters = (_LETTERS[colour] for colour in colours if colour is not None)
        return " ".join((str(self.first), str(self.second), *letters))


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
        """The name of the house, empty without a header for it."""
        return dict(self.headers).get(HOUSE, "")

    @classmethod
    def parse(cls, text: str, *, origin: str = "<text>") -> Permanence:
        """Read a permanence.

        Raises ``RecordError`` that lists every bad line: "bad-line", "bad-point", "bad-colour",
        "late-header", "double-header", "no-coup"; "file-too-large"; "faults" if there are several.
        """
        return _PermanenceReader(Document(origin, text)).read()

    @classmethod
    def of_records(cls, records: Iterable[Record]) -> Permanence:
        """Return the permanence a player would note of tailles; void coups are left out."""
        houses, tailles = set[str](), list[tuple[Noted, ...]]()
        for record in records:  # of a large journal: none of them is held
            houses.add(record.house.name)
            tailles.append(tuple(_noted(coup) for coup in record.coups if not coup.void))
        headers = ((HOUSE, houses.pop()),) if len(houses) == 1 else ()
        return cls(tuple(taille for taille in tailles if taille), headers)

    def verdicts(self, house: House) -> dict[str, tuple[tuple[Verdict | None, ...], ...]]:
        """Return what each chance of a house met, taille by taille, coup by coup.

        It is None if it depends on a colour that was not noted.
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
    return _PermanenceReader(read_file(path)).read()


def _noted(coup: CoupRecord) -> Noted:
    first, second = Row(coup.first), Row(coup.second)
    return Noted(first.point, second.point, first.colour, second.colour)


class _PermanenceReader:
    """Reads a permanence, line by line, and gathers every fault."""

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
            raise record_error(faults_error(self.faults))
        return Permanence(tailles, tuple(self.headers.items()))

    def line(self, number: int, text: str, *, bare: bool) -> None:
        """Read a line without its comment; a line with only a comment does not end a taille."""
        if text == BREAK or (not text and bare):
            self.tailles.append([])
        elif found := _HEADER.fullmatch(text):
            self.header(number, found[1], found[2])
        elif text:
            self.coup(number, text)

    def header(self, number: int, name: str, value: str) -> None:
        if any(self.tailles):
            hint = "write headers above the first coup"
            self.fault(number, "late-header", f"{shown(name)} is below a coup", hint)
        elif name in self.headers:
            self.fault(number, "double-header", f"{shown(name)} is given twice")
        else:
            self.headers[name] = value

    def coup(self, number: int, text: str) -> None:
        words = text.split()
        if not _SHORTEST <= len(words) <= _LONGEST:
            hint = "write two points, then the colour of the first card: 33 31 r"
            self.fault(number, "bad-line", f"{shown(text)} is not a coup", hint)
            return
        values: list[Any] = []
        for place, word in enumerate(words):
            table, code, what, hint = _POINT if place < _SHORTEST else _COLOUR
            values.append(table.get(word.lower()))
            if values[-1] is None:
                self.fault(number, code, f"{shown(word)} is not a {what}", hint)
        if None not in values:
            self.tailles[-1].append(Noted(*values))

    def fault(self, line: int | None, code: str, message: str, hint: str = "") -> None:
        self.faults.append(Fault(self.document.origin, line, None, "", code, message, hint))
