"""Where everything lies on a drawn card, in points from the upper left corner."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Literal

from attrs import frozen

from trente_rules.scorecard.lines import CROSS, DOT, LETTERS, ScoreCard
from trente_rules.scorecard.text import LEGEND, points_text

BOX: Final = 20.0
"""The side of a box."""
MARGIN: Final = 16.0
_NUMBER: Final = 30.0
_BETWEEN: Final = 10.0
_POINTS: Final = 110.0
_HEAD: Final = 66.0
_FOOT: Final = 34.0
_LETTER_WIDTH: Final = 7.4
TITLE: Final = 13.0
SMALL: Final = 10.0


@frozen
class Box:
    """An empty box; ``x`` and ``y`` are its upper left corner."""

    x: float
    y: float


@frozen
class Mark:
    """A dot or a cross; ``x`` and ``y`` are its middle."""

    x: float
    y: float
    mark: str


@frozen
class Words:
    """A text; ``x`` is where it begins, or its middle or end, and ``y`` its middle in height."""

    x: float
    y: float
    text: str
    size: float = SMALL
    anchor: Literal["start", "middle", "end"] = "start"
    bold: bool = False


Shape = Box | Mark | Words


@frozen
class Layout:
    """A drawing: how large it is, and its shapes."""

    width: float
    height: float
    shapes: tuple[Shape, ...]


def layout(card: ScoreCard) -> Layout:
    """Answer where everything lies."""
    columns = len(card.columns) * BOX + (len(card.pairs) - 1) * _BETWEEN
    wanted = max(len(card.title) * _LETTER_WIDTH, len(LEGEND) * _LETTER_WIDTH * SMALL / TITLE)
    width = 2 * MARGIN + max(_NUMBER + columns + _POINTS, wanted)
    height = _HEAD + len(card.lines) * BOX + _FOOT
    return Layout(width, height, tuple(_shapes(card, height)))


def _shapes(card: ScoreCard, height: float) -> Iterator[Shape]:
    yield Words(MARGIN, MARGIN + 6, card.title, TITLE, bold=True)
    places: dict[str, float] = {}
    x = MARGIN + _NUMBER
    for pair in card.pairs:
        for chance in pair:
            places[chance] = x
            yield Words(x + BOX / 2, _HEAD - 10, LETTERS[chance], TITLE, "middle", bold=True)
            x += BOX
        x += _BETWEEN
    for row, line in enumerate(card.lines):
        y = _HEAD + row * BOX
        yield Words(MARGIN + _NUMBER - 8, y + BOX / 2, str(line.number), anchor="end")
        for chance, left in places.items():
            yield Box(left, y)
            mark = line.mark(chance)
            if mark in (DOT, CROSS):
                yield Mark(left + BOX / 2, y + BOX / 2, mark)
        yield Words(x, y + BOX / 2, points_text(line))
    yield Words(MARGIN, height - MARGIN, LEGEND)
