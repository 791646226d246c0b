"""Where everything lies on a drawn card, in points from the upper left corner."""

from __future__ import annotations

import io
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
    """Return where everything lies: cards side by side, ``ABREAST`` at most, then a row below.

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


# --- A score card as SVG: the same bytes for the same card

RADIUS: Final = 5.0
ARM: Final = 5.0
"""Half of what a dot and a cross measure."""
_CENTRE: Final = 0.35
"""How far under its middle a text is begun, as a part of its size."""


def cards_svg(cards: Sequence[ScoreCard]) -> str:
    """Return cards as an SVG document that stands alone; raises what ``layout`` raises."""
    drawn = layout(cards)
    size = f"{drawn.width:g}", f"{drawn.height:g}"
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{size[0]}" height="{size[1]}"',
        f'viewBox="0 0 {size[0]} {size[1]}" font-family="DejaVu Sans, sans-serif">',
        f"<title>{escape(_title(cards))}</title>",
        '<rect width="100%" height="100%" fill="white"/>',
        *(line for shape in drawn.shapes for line in _drawn(shape)),
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def _title(cards: Sequence[ScoreCard]) -> str:
    return " / ".join(card.title for card in cards)


def _drawn(shape: Shape) -> Iterator[str]:
    match shape:
        case Box(x, y):
            yield (
                f'<rect x="{x:g}" y="{y:g}" width="{BOX:g}" height="{BOX:g}" '
                'fill="none" stroke="black"/>'
            )
        case Mark(x, y, mark) if mark == DOT:
            yield f'<circle cx="{x:g}" cy="{y:g}" r="{RADIUS:g}"/>'
        case Mark(x, y):
            yield (
                f'<path d="M{x - ARM:g} {y - ARM:g}l{2 * ARM:g} {2 * ARM:g}'
                f'm0 {-2 * ARM:g}l{-2 * ARM:g} {2 * ARM:g}" stroke="black" stroke-width="2"/>'
            )
        case Words() if shape.text:
            weight = ' font-weight="bold"' if shape.bold else ""
            yield (
                f'<text x="{shape.x:g}" y="{shape.y + _CENTRE * shape.size:g}" '
                f'font-size="{shape.size:g}" text-anchor="{shape.anchor}"{weight}>'
                f"{escape(shape.text)}</text>"
            )


# --- A score card as PNG, by matplotlib of the extra ``report``; the same bytes for the same card

_POINTS_PER_INCH: Final = 72
_DPI: Final = 144
_SIDES: Final = {"start": "left", "middle": "center", "end": "right"}


def cards_png(cards: Sequence[ScoreCard]) -> bytes:
    """Return cards as a PNG.

    Raises ``TrenteError`` ("needs-report") without matplotlib, and what ``layout`` raises.
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
    drawn = layout(cards)
    with rc_context({"font.family": ["DejaVu Sans"], "text.parse_math": False}):
        figure = Figure(
            figsize=(drawn.width / _POINTS_PER_INCH, drawn.height / _POINTS_PER_INCH), dpi=_DPI
        )
        axes = figure.add_axes((0, 0, 1, 1))
        axes.set_xlim(0, drawn.width)
        axes.set_ylim(drawn.height, 0)
        axes.axis("off")
        for shape in drawn.shapes:
            match shape:
                case Box(x, y):
                    axes.add_patch(Rectangle((x, y), BOX, BOX, fill=False, linewidth=1))
                case Mark(x, y, mark) if mark == DOT:
                    axes.add_patch(Circle((x, y), RADIUS, color="black"))
                case Mark(x, y):
                    for turn in (1, -1):
                        axes.plot([x - ARM, x + ARM], [y - turn * ARM, y + turn * ARM], "k", lw=2)
                case Words():
                    axes.text(
                        shape.x,
                        shape.y,
                        shape.text,
                        fontsize=shape.size,
                        ha=_SIDES[shape.anchor],
                        va="center_baseline",
                        fontweight="bold" if shape.bold else "normal",
                    )
        made = io.BytesIO()
        figure.savefig(made, format="png", facecolor="white", metadata={"Software": None})
    return made.getvalue()
