"""Drawn score cards: where everything lies, and the drawing as SVG or PNG."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Sequence
from html import escape
from typing import Final, Literal

from attrs import frozen

from trente_rules.core.errors import TrenteError
from trente_rules.records.scorecard import (
    CROSS,
    DOT,
    LEGEND,
    LETTERS,
    UNKNOWN,
    ScoreCard,
    points_text,
)

# Lengths are in points, from the upper left corner.
_BOX: Final = 20.0
_MARGIN: Final = 16.0
_NUMBER: Final = 30.0
_BETWEEN: Final = 10.0
_POINTS: Final = 110.0
_HEAD: Final = 66.0
_TITLE: Final = 13.0
_SMALL: Final = 10.0
_LETTER_WIDTH: Final = 9.0
"""The width of a letter of the title, which is bold; small letters are narrower in proportion."""
_ARM: Final = 5.0
"""Half the size of a dot and of a cross."""
_ABREAST: Final = 6
MOST_CARDS: Final = 60
"""The most tailles of one drawing."""


@frozen
class Shape:
    """A box, a mark or a text of a drawing.

    ``x`` and ``y`` are the upper left corner of a box, the middle of a mark, and the anchor of a
    text at half its height.
    """

    kind: Literal["box", "dot", "cross", "text"]
    x: float
    y: float
    text: str = ""
    size: float = _SMALL
    anchor: Literal["start", "middle", "end"] = "start"
    bold: bool = False


def _layout(cards: Sequence[ScoreCard]) -> tuple[float, float, list[Shape]]:
    """Return width, height and shapes of a drawing: up to ``_ABREAST`` cards in each row.

    Raises ``TrenteError`` ("too-many-tailles") for none, and for more than ``MOST_CARDS``.
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
    for start in range(0, len(cards), _ABREAST):
        row = cards[start : start + _ABREAST]
        for place, card in enumerate(row):
            shapes.extend(_shapes(card, _MARGIN + place * width, top))
        top += _HEAD + max(len(card.lines) for card in row) * _BOX + _MARGIN
    shapes.append(Shape("text", _MARGIN, top + _SMALL / 2, LEGEND))
    return _MARGIN + width * min(len(cards), _ABREAST), top + _SMALL + _MARGIN, shapes


def _width(card: ScoreCard) -> float:
    columns = len(card.columns) * _BOX + (len(card.pairs) - 1) * _BETWEEN
    texts = max(len(card.title), len(LEGEND) * _SMALL / _TITLE) * _LETTER_WIDTH
    return max(_NUMBER + columns + _POINTS, texts) + _MARGIN


def _shapes(card: ScoreCard, left: float, top: float) -> Iterator[Shape]:
    yield Shape("text", left, top + _MARGIN + 6, card.title, _TITLE, bold=True)
    half = _BOX / 2
    places: dict[str, float] = {}
    x = left + _NUMBER
    for pair in card.pairs:
        for chance in pair:
            places[chance] = x
            letter = LETTERS[chance]
            yield Shape("text", x + half, top + _HEAD - 10, letter, _TITLE, "middle", bold=True)
            x += _BOX
        x += _BETWEEN
    for row, line in enumerate(card.lines):
        y = top + _HEAD + row * _BOX
        yield Shape("text", left + _NUMBER - 8, y + half, str(line.number), anchor="end")
        for chance, at in places.items():
            yield Shape("box", at, y)
            mark = line.mark(chance)
            if mark in (DOT, CROSS):
                yield Shape("dot" if mark == DOT else "cross", at + half, y + half)
            elif mark == UNKNOWN:
                yield Shape("text", at + half, y + half, mark, anchor="middle")
        yield Shape("text", x, y + half, points_text(line))


def cards_svg(cards: Sequence[ScoreCard]) -> str:
    """Return cards as a self-contained SVG document, always the same for the same cards.

    Raises ``TrenteError`` ("too-many-tailles") for none, and for more than ``MOST_CARDS``.
    """
    width, height, shapes = _layout(cards)
    title = " / ".join(card.title for card in cards)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}" height="{height:g}"',
        f'viewBox="0 0 {width:g} {height:g}" font-family="DejaVu Sans, sans-serif">',
        f"<title>{escape(title)}</title>",
        '<rect width="100%" height="100%" fill="white"/>',
        *(_element(shape) for shape in shapes if shape.kind != "text" or shape.text),
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def _element(shape: Shape) -> str:
    x, y, arm, size = shape.x, shape.y, _ARM, shape.size
    if shape.kind == "box":
        place = f'x="{x:g}" y="{y:g}" width="{_BOX:g}" height="{_BOX:g}"'
        return f'<rect {place} fill="none" stroke="black"/>'
    if shape.kind == "dot":
        return f'<circle cx="{x:g}" cy="{y:g}" r="{arm:g}"/>'
    if shape.kind == "cross":
        lines = f"l{2 * arm:g} {2 * arm:g}m0 {-2 * arm:g}l{-2 * arm:g} {2 * arm:g}"
        return f'<path d="M{x - arm:g} {y - arm:g}{lines}" stroke="black" stroke-width="2"/>'
    base = y + 0.35 * size  # SVG places a text by its base line
    weight = ' font-weight="bold"' if shape.bold else ""
    font = f'font-size="{size:g}" text-anchor="{shape.anchor}"{weight}'
    text = re.sub(" {2,}", lambda blanks: "\N{NO-BREAK SPACE}" * len(blanks[0]), shape.text)
    return f'<text x="{x:g}" y="{base:g}" {font}>{escape(text)}</text>'  # SVG joins blanks


_SIDES: Final = {"start": "left", "middle": "center", "end": "right"}


def cards_png(cards: Sequence[ScoreCard]) -> bytes:
    """Return cards as a PNG drawn by matplotlib, always the same for the same cards.

    Raises ``TrenteError`` ("needs-report") without matplotlib, and as ``cards_svg``.
    """
    try:
        from matplotlib import rc_context  # noqa: PLC0415 - of the extra
        from matplotlib.figure import Figure  # noqa: PLC0415
        from matplotlib.patches import Circle, Rectangle  # noqa: PLC0415
    except ImportError as error:
        raise TrenteError(
            "a card as PNG needs matplotlib",
            "needs-report",
            'pip install "trente-rules[report]", or ask for text or svg',
        ) from error
    width, height, shapes = _layout(cards)
    with rc_context({"font.family": ["DejaVu Sans"], "text.parse_math": False}):
        figure = Figure(figsize=(width / 72, height / 72), dpi=144)  # an inch has 72 points
        axes = figure.add_axes((0, 0, 1, 1))
        axes.set_xlim(0, width)
        axes.set_ylim(height, 0)
        axes.axis("off")
        for shape in shapes:
            x, y = shape.x, shape.y
            if shape.kind == "box":
                axes.add_patch(Rectangle((x, y), _BOX, _BOX, fill=False, linewidth=1))
            elif shape.kind == "dot":
                axes.add_patch(Circle((x, y), _ARM, color="black"))
            elif shape.kind == "cross":
                for arm in (_ARM, -_ARM):
                    axes.plot([x - _ARM, x + _ARM], [y - arm, y + arm], "k", lw=2)
            else:
                axes.text(
                    *(x, y, shape.text),
                    fontsize=shape.size,
                    ha=_SIDES[shape.anchor],
                    va="center_baseline",
                    fontweight="bold" if shape.bold else "normal",
                )
        data = io.BytesIO()
        figure.savefig(data, format="png", facecolor="white", metadata={"Software": None})
    return data.getvalue()
