"""A score card as SVG: the same bytes for the same card."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from typing import Final

from trente_rules.scorecard.layout import BOX, Box, Mark, Shape, Words, layout
from trente_rules.scorecard.lines import DOT, ScoreCard

RADIUS: Final = 5.0
ARM: Final = 5.0
"""Half of what a dot and a cross measure."""
_CENTRE: Final = 0.35
"""How far under its middle a text is begun, as a part of its size."""


def cards_svg(cards: Sequence[ScoreCard]) -> str:
    """Answer cards as an SVG document that stands alone; raises what ``layout`` raises."""
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
