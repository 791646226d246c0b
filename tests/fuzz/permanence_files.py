"""Target: permanences. What is accepted is written, put on cards, and played by a system."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from typing import Final

from tests.fuzz.mutation import line_mutation
from tests.fuzz.target import ROOT, Target, check, folder, refused
from tests.properties.shipped import names, shipped

from trente_rules import House, TrenteError
from trente_rules.players import play_permanence, seat_of
from trente_rules.records import Permanence, load_permanence
from trente_rules.records.scorecard import cards_text
from trente_rules.records.tailles import cards_of_permanence
from trente_rules.simulation.seat import Seat

SYSTEMS: Final = ("martingale", "d'alembert", "labouchere")


@cache
def _seats() -> tuple[Seat, ...]:
    return tuple(
        seat_of(shipped(name), system, insured=bool(place % 2), endless=bool(place % 3))
        for place, (name, system) in enumerate(
            zip(("france-2007", "monte-carlo-1911", "campione"), SYSTEMS, strict=True)
        )
    )


def one(data: bytes) -> str:
    """Read a permanence from a file; play it, or its text as results of stakes."""
    file = folder() / "evening.txt"
    file.write_bytes(data)
    try:
        permanence = load_permanence(file)
    except TrenteError as error:
        return _results(data, refused(error))
    text = str(permanence)
    again = Permanence.parse(text)
    check(again == permanence, "it is read back as another permanence")
    check(str(again) == text, "it is written in another way the second time")
    words = [_noted(permanence, seat) for seat in _seats()]
    return f"accepted, {max(words)}"


def _noted(permanence: Permanence, seat: Seat) -> str:
    house: House = seat.house
    for fault in permanence.impossible(house):
        str(fault)
    check(cards_text(list(cards_of_permanence(permanence, house))), "it has no card")
    try:
        played = play_permanence(seat, permanence)
    except TrenteError as error:
        refused(error)
        return "not played"
    check(played.to_json()["lines"] == [each.to_json() for each in played.lines], "its JSON")
    return "played"


def _results(data: bytes, word: str) -> str:
    """Play a text as results; ``word`` is why it is not a permanence."""
    try:
        played = play_permanence(_seats()[0], data.decode("utf-8", "replace"))
    except TrenteError as error:
        refused(error)
        return word
    check(played.coups <= len(data), "more coups than results")
    return "accepted, results"


def seeds() -> Iterator[bytes]:
    """Yield permanences in all their forms, and results."""
    yield b"house = france-2007\nwhere = at home\n\n31 34\n31 36 r n\n40 31 n r\n--\n35 35\n31 31\n"
    yield b"33 35 r\n1 1\n? ?\n07 8\n? 31\n"
    yield b"N C\nR I\nX\nA\n?\nnoir couleur\n"
    yield b"L W W A X ? -- LWW, lost; won"
    yield b"W L L W W"
    for path in sorted((ROOT / "examples").glob("*.txt")):
        yield path.read_bytes()


def words() -> Iterable[str]:
    """Return points, marks, headers and names of houses."""
    return (
        *("house", " = ", "--", "?", ".", "r", "n", "rouge", "noir", "#", "/", "W", "L", "A", "X"),
        *map(str, range(30, 42)),
        *(
            "31 31",
            "40 40",
            "lost",
            "won",
            "apres",
            "refait",
            "\ufeff",
            "\u2028",
            "\uff11",
            "\u0663",
        ),
        *names(),
    )


TARGET = Target("permanence-files", one, seeds, words, line_mutation, 2000)
