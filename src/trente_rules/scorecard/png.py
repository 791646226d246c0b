"""A score card as PNG, by matplotlib of the extra ``report``; the same bytes for the same card."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Final

from trente_rules.errors import TrenteError
from trente_rules.scorecard.layout import BOX, Box, Mark, Words, layout
from trente_rules.scorecard.lines import DOT, ScoreCard
from trente_rules.scorecard.svg import ARM, RADIUS

_POINTS: Final = 72
_DPI: Final = 144
_SIDES: Final = {"start": "left", "middle": "center", "end": "right"}


def cards_png(cards: Sequence[ScoreCard]) -> bytes:
    """Answer cards as a PNG.

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
        figure = Figure(figsize=(drawn.width / _POINTS, drawn.height / _POINTS), dpi=_DPI)
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
