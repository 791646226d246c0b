"""A permanence: tailles as a player notes them, a line for a coup. No cards, no stakes.

The grammar is in docs/records.md: points and colours, or dots as on a score card, or a coup that
was missed. A house says what a chance met; what depends on something not noted is unknown.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from os import PathLike
from typing import Any, Final, Literal

from attrs import field, frozen

from trente_rules.core.cards import PACK, Colour
from trente_rules.core.chances import (
    COULEUR,
    INVERSE,
    NOIR,
    OPPOSITES,
    ROUGE,
    Chance,
    Verdict,
)
from trente_rules.core.coup import LAST_OPEN_TOTAL, POINTS, Outcome, Row, outcome_index, outcomes
from trente_rules.core.errors import Fault, shown
from trente_rules.core.house.house import House
from trente_rules.core.text import counted
from trente_rules.core.toml import Document, faults_error
from trente_rules.records.files import LARGEST, read_file, record_error
from trente_rules.records.record import CoupRecord, Record

MOST_LINES: Final = 200_000
BREAK: Final = "--"
MISSED: Final = "?"
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
Tie = Literal["", "apres", "refait"]
_DOTS: Final = {"N": NOIR, "R": ROUGE, "C": COULEUR, "I": INVERSE, "A": "apres", "X": "refait"}
_LETTER_OF: Final = {name: letter for letter, name in _DOTS.items()}
_DOT_WORDS: Final = {
    **{letter.lower(): name for letter, name in _DOTS.items()},
    **{name: name for name in _DOTS.values()},
    MISSED: MISSED,
}
"""Winners and ties by the words for them."""
_NOTED_POINTS: Final = {**_POINTS, MISSED: None}
_POINT: Final = (_NOTED_POINTS, "bad-point", "point", "points are 31 to 40, 1 to 10, or ?")
_COLOUR: Final = (_COLOURS, "bad-colour", "colour", "colours are r (rouge) and n (noir)")


@frozen
class Noted:
    """A coup as it was noted; nothing at all for one that was missed.

    ``first`` and ``second`` are the points; ``colour`` is that of the first card of the coup,
    ``second_colour`` that of the second row. Of dots ``winners`` are known, or the ``tie``: "apres"
    or "refait".
    """

    first: int | None = None
    second: int | None = None
    colour: Colour | None = None
    second_colour: Colour | None = None
    winners: tuple[str, ...] = ()
    tie: Tie = ""

    @property
    def points(self) -> tuple[int, ...]:
        """Both points; empty where one of them was not noted."""
        return () if self.first is None or self.second is None else (self.first, self.second)

    def fits(self, outcome: Outcome, house: House) -> bool:
        """Return whether a coup of a house with this outcome could have been noted like this.

        A tie is a refait where the house says so; in a house that knows one kind of ties alone, any
        tie is meant.
        """
        known = (self.first, self.second, self.colour, self.second_colour)
        dealt = (outcome.first, outcome.second, outcome.first_colour, outcome.second_colour)
        if any(part not in (None, was) for part, was in zip(known, dealt, strict=True)):
            return False
        even = outcome.first == outcome.second
        if self.winners:
            wins = house.deal.chance_wins
            return not even and all(wins(chance, outcome) for chance in self.winners)
        if not self.tie:
            return True
        losing = {*house.losing_ties}
        alike = not losing or losing.issuperset(POINTS)
        return even and (alike or (outcome.first in losing) == (self.tie == "refait"))

    def possible(self, house: House) -> tuple[Outcome, ...]:
        """Return the outcomes that could have been noted like this."""
        if not self.points:
            return tuple(outcome for outcome in outcomes() if self.fits(outcome, house))
        first, second = self.points
        start = outcome_index(first, second, 0, 0)  # four of 400 have these points
        return tuple(each for each in outcomes()[start : start + 4] if self.fits(each, house))

    def verdict(self, chance: Chance, house: House) -> Verdict | None:
        """Return what a chance met, None if it depends on something that was not noted."""
        return _met(chance, self.possible(house))

    def __str__(self) -> str:
        """Return the line: ``33 31 r``, ``N C``, ``X``, or ``? ?``."""
        if self.winners or self.tie:
            return " ".join(_LETTER_OF[name] for name in (*self.winners, self.tie) if name)
        colours = (self.colour, self.second_colour) if self.colour is not None else ()
        letters = (_LETTERS[colour] for colour in colours if colour is not None)
        points = (MISSED if point is None else str(point) for point in (self.first, self.second))
        return " ".join((*points, *letters))


def _met(chance: Chance, outcomes: Iterable[Outcome]) -> Verdict | None:
    met = {chance.verdicts[chance.table[_place(each)]] for each in outcomes}
    return met.pop() if len(met) == 1 else None


def _place(outcome: Outcome) -> int:
    first, second = outcome.first, outcome.second
    return outcome_index(first, second, outcome.first_colour, outcome.second_colour)


@frozen
class Permanence:
    """Tailles, each the coups that were noted; ``headers`` are the lines of the head.

    ``origin`` is the file that was read, ``lines`` the number of the line of each coup; both are
    for messages.

    >>> from trente_rules import Permanence, load_house
    >>> permanence = Permanence.parse("33 31 r # rouge wins")
    >>> chances = permanence.verdicts(load_house("france-2007"))
    >>> [verdict.id for verdict in chances["couleur"][0]]
    ['win']
    """

    tailles: tuple[tuple[Noted, ...], ...]
    headers: tuple[tuple[str, str], ...] = ()
    origin: str = field(default="<text>", eq=False, repr=False)
    lines: tuple[tuple[int, ...], ...] = field(default=(), eq=False, repr=False)

    @property
    def house(self) -> str:
        """The name of the house, empty without a header for it."""
        return dict(self.headers).get(HOUSE, "")

    @classmethod
    def parse(cls, text: str, *, origin: str = "<text>") -> Permanence:
        """Read a permanence.

        Raises ``RecordError`` that lists every bad line: "bad-line", "bad-point", "bad-colour",
        "bad-dot", "late-header", "double-header", "no-coup"; "file-too-large"; "faults" if there
        are several.
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

        It is None if it depends on something that was not noted.
        """
        distinct = {noted for taille in self.tailles for noted in taille}
        possible = {noted: noted.possible(house) for noted in distinct}
        met = {
            chance.id: {noted: _met(chance, fitting) for noted, fitting in possible.items()}
            for chance in house.chances
        }
        return {
            chance: tuple(tuple(known[noted] for noted in taille) for taille in self.tailles)
            for chance, known in met.items()
        }

    def impossible(self, house: House) -> tuple[Fault, ...]:
        """Return a fault for each taille that the packs of a house cannot deal.

        The points of all packs are the most that a taille can hold: six packs have 2,040, which are
        at most 32 coups. A coup of dots, or one that was missed, counts the least points that it
        can have had. Most often a line ``--`` is missing before the line that is named.
        """
        if house.shoe.every_coup:
            return ()
        packs = house.shoe.packs
        most = packs * sum(card.points for card in PACK)
        least: dict[Noted, int] = {}
        faults = []
        for number, taille in enumerate(self.tailles, 1):
            total = 0
            for place, noted in enumerate(taille, 1):
                if noted not in least:
                    fitting = noted.possible(house) or outcomes()
                    least[noted] = min(each.first + each.second for each in fitting)
                total += least[noted]
                if total > most:
                    faults.append(self._too_long(number, place, packs, most))
                    break
        return tuple(faults)

    def _too_long(self, taille: int, coup: int, packs: int, most: int) -> Fault:
        line = self.lines[taille - 1][coup - 1] if self.lines else None
        held = counted(packs, "pack")
        return Fault(
            self.origin,
            line,
            None,
            "",
            "impossible-taille",
            f"coup {coup} of taille {taille}: {held} have {most:,} points and hold no such taille",
            "is a line -- missing above?",
        )

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
        self.lines: list[list[int]] = [[]]

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
        numbers = tuple(tuple(each) for each in self.lines if each)
        return Permanence(tailles, tuple(self.headers.items()), self.document.origin, numbers)

    def line(self, number: int, text: str, *, bare: bool) -> None:
        """Read a line without its comment; a line with only a comment does not end a taille."""
        if text == BREAK or (not text and bare):
            self.tailles.append([])
            self.lines.append([])
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
        noted = tuple(self.dots(number, words) if _of_dots(words) else self.noted(number, words))
        if noted:
            self.tailles[-1].append(noted[0])
            self.lines[-1].append(number)

    def noted(self, number: int, words: list[str]) -> Iterator[Noted]:
        """Yield the coup of a line of points, unless it has a fault."""
        if not _SHORTEST <= len(words) <= _LONGEST:
            hint = "write two points, then the colour of the first card: 33 31 r"
            self.fault(number, "bad-line", f"{shown(' '.join(words))} is not a coup", hint)
            return
        values: list[Any] = []
        for place, word in enumerate(words):
            table, code, what, hint = _POINT if place < _SHORTEST else _COLOUR
            if word.lower() in table:
                values.append(table[word.lower()])
            else:
                self.fault(number, code, f"{shown(word)} is not a {what}", hint)
        if len(values) == len(words):
            yield Noted(*values)

    def dots(self, number: int, words: list[str]) -> Iterator[Noted]:
        """Yield the coup of a line of dots, unless it has a fault."""
        known = [_DOT_WORDS[word.lower()] for word in words if word.lower() in _DOT_WORDS]
        named = [name for name in known if name != MISSED]
        if len(known) < len(words):
            word = next(word for word in words if word.lower() not in _DOT_WORDS)
            hint = "dots are N or R, C or I; A is an après, X a refait, ? was missed"
            self.fault(number, "bad-dot", f"{shown(word)} is not a dot", hint)
        elif len(words) > _SHORTEST or not _agree(named):
            hint = "write at most one of N and R, and one of C and I; or A or X alone"
            self.fault(number, "bad-dot", f"{shown(' '.join(words))} is not a coup", hint)
        elif named and named[0] not in OPPOSITES:
            yield Noted(tie="refait" if named[0] == "refait" else "apres")
        else:
            # As on a card: rouge or noir first, whatever the order of the words.
            yield Noted(winners=tuple(name for name in OPPOSITES if name in named))

    def fault(self, line: int | None, code: str, message: str, hint: str = "") -> None:
        self.faults.append(Fault(self.document.origin, line, None, "", code, message, hint))


def _of_dots(words: list[str]) -> bool:
    """Return whether a line is one of dots: its first word says so, or after a ``?`` its second."""
    met = [_DOT_WORDS.get(word.lower()) for word in words[:2]]
    return next((name is not None for name in met if name != MISSED), False)


def _agree(named: list[str]) -> bool:
    """Return whether dots can be of one coup: a tie alone, and not both of two opposites."""
    if any(name not in OPPOSITES for name in named):
        return len(named) == 1
    return len({frozenset((name, OPPOSITES[name])) for name in named}) == len(named)
