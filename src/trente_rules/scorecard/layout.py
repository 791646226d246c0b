"""Where everything lies on a drawn card, in points from the upper left corner."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, Literal

from attrs import frozen

from trente_rules.errors import TrenteError
from trente_rules.scorecard.lines import CROSS, DOT, LETTERS, UNKNOWN, ScoreCard
from trente_rules.scorecard.text import LEGEND, points_text

BOX: Final = 20.0
"""The side of a box."""
MARGIN: Final = 16.0
_NUMBER: Final = 30.0
_BETWEEN: Final = 10.0
_POINTS: Final = 110.0
_HEAD: Final = 66.0
ABREAST: Final = 6
MOST_CARDS: Final = 60
"""The most tailles of one drawing."""
_LETTER_WIDTH: Final = 9.0
"""Of the title, which is bold; small letters are narrower as they are smaller."""
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


def layout(cards: Sequence[ScoreCard]) -> Layout:
    """Answer where everything lies: cards side by side, ``ABREAST`` at most, then a row below.

    Raises ``TrenteError`` ("too-many-tailles") for more than ``MOST_CARDS``.
    """
    if not 0 < len(cards) <= MOST_CARDS:
        raise TrenteError(
            f"{len(cards)} tailles cannot be drawn",
            "too-many-tailles",
            f"draw 1 to {MOST_CARDS} at once, or write them as text",
        )
    width = max(map(_width, cards))
    shapes: list[Shape] = []
    top = 0.0
    for start in range(0, len(cards), ABREAST):
        row = cards[start : start + ABREAST]
        for place, card in enumerate(row):
            shapes.extend(_shapes(card, MARGIN + place * width, top))
        top += _HEAD + max(len(card.lines) for card in row) * BOX + MARGIN
    shapes.append(Words(MARGIN, top + SMALL / 2, LEGEND))
    return Layout(MARGIN + width * min(len(cards), ABREAST), top + SMALL + MARGIN, tuple(shapes))


def _width(card: ScoreCard) -> float:
    columns = len(card.columns) * BOX + (len(card.pairs) - 1) * _BETWEEN
    texts = max(len(card.title), len(LEGEND) * SMALL / TITLE) * _LETTER_WIDTH
    return max(_NUMBER + columns + _POINTS, texts) + MARGIN


def _shapes(card: ScoreCard, left: float, top: float) -> Iterator[Shape]:
    yield Words(left, top + MARGIN + 6, card.title, TITLE, bold=True)
    places: dict[str, float] = {}
    x = left + _NUMBER
    for pair in card.pairs:
        for chance in pair:
            places[chance] = x
            head = top + _HEAD - 10
            yield Words(x + BOX / 2, head, LETTERS[chance], TITLE, "middle", bold=True)
            x += BOX
        x += _BETWEEN
    for row, line in enumerate(card.lines):
        y = top + _HEAD + row * BOX
        yield Words(left + _NUMBER - 8, y + BOX / 2, str(line.number), anchor="end")
        for chance, at in places.items():
            yield Box(at, y)
            mark = line.mark(chance)
            if mark in (DOT, CROSS):
                yield Mark(at + BOX / 2, y + BOX / 2, mark)
            elif mark == UNKNOWN:
                yield Words(at + BOX / 2, y + BOX / 2, mark, anchor="middle")
        yield Words(x, y + BOX / 2, points_text(line))
