"""What the pictures of the documents are drawn with: shapes and texts that become one SVG.

A picture has its own ground, so it can be read on a light and on a dark page; where the reader's
system is dark, so is the ground.
"""

# ruff: noqa: INP001 - beside scripts

from __future__ import annotations

from html import escape
from typing import Final, Literal

from attrs import Factory, define

Anchor = Literal["start", "middle", "end"]

STYLE: Final = """
.ground { fill: #fbfaf6; stroke: #d9d5c8 }
.box { fill: #ffffff; stroke: #8b968e }
.head { fill: #e4ebe5; stroke: #8b968e }
.line { fill: none; stroke: #8b968e }
.ink { fill: #1d2420 }
.soft { fill: #566159 }
.good { fill: #17633f }
.bad { fill: #a51d29 }
.wait { fill: #865000 }
.way { fill: none; stroke: #865000; stroke-width: 2 }
.tip { fill: #865000 }
.cloth { fill: #1b5a44; stroke: #e8d9a8 }
.seam { fill: none; stroke: #e8d9a8; stroke-width: 2 }
.chalk { fill: #f6efd8 }
.rouge { fill: #b8202c; stroke: #e8d9a8 }
.noir { fill: #15171a; stroke: #e8d9a8 }
.paper { fill: #fffdf6; stroke: #b9b09a }
.red { fill: #b3141f }
.black { fill: #14161a }
.lit { fill: #f2d675 }
.chip { fill: #1f5fa8; stroke: #ffffff; stroke-width: 2; stroke-dasharray: 5 3 }
.held { fill: #865000; stroke: #ffffff; stroke-width: 2; stroke-dasharray: 5 3 }
.talon { fill: #c9c4b4 }
.even { fill: #2d7a5a }
.odd { fill: #57a884 }
.void { fill: #d7a15a }
.marker { fill: #c0182a }
@media (prefers-color-scheme: dark) {
.ground { fill: #1a201d; stroke: #3c463f }
.box { fill: #232b27; stroke: #77837b }
.head { fill: #33403a; stroke: #77837b }
.ink { fill: #ecefea }
.soft { fill: #aeb9b1 }
.good { fill: #74d3a4 }
.bad { fill: #ff9a9a }
.wait { fill: #f0bd66 }
.way { stroke: #f0bd66 }
.tip { fill: #f0bd66 }
.talon { fill: #5d665f }
}
""".strip()
"""The colours by the name of what they are for."""


FONTS: Final = "DejaVu Sans, Verdana, sans-serif"


@define
class Picture:
    """Shapes on a ground, of a width in pixels; ``title`` and ``description`` are read out."""

    width: float
    title: str
    description: str
    elements: list[str] = Factory(list)

    def add(self, element: str) -> None:
        """Add an element of SVG."""
        self.elements.append(element)

    def box(
        self, x: float, y: float, width: float, height: float, of: str = "box", corner: float = 4
    ) -> None:
        """Draw a box with round corners."""
        place = f'x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="{corner:g}"'
        self.add(f'<rect class="{of}" {place}/>')

    def path(self, shape: str, of: str = "line", place: str = "") -> None:
        """Draw a path; ``place`` moves it, as the attribute ``transform`` of SVG does."""
        moved = f' transform="{place}"' if place else ""
        self.add(f'<path class="{of}" d="{shape}"{moved}/>')

    def circle(self, x: float, y: float, radius: float, of: str) -> None:
        """Draw a circle."""
        self.add(f'<circle class="{of}" cx="{x:g}" cy="{y:g}" r="{radius:g}"/>')

    def text(
        self,
        x: float,
        y: float,
        words: str,
        of: str = "ink",
        *,
        size: float = 14,
        anchor: Anchor = "start",
        bold: bool = False,
    ) -> None:
        """Write words; ``y`` is their base line."""
        weight = ' font-weight="bold"' if bold else ""
        font = f'font-size="{size:g}" text-anchor="{anchor}"{weight}'
        self.add(f'<text class="{of}" x="{x:g}" y="{y:g}" {font}>{escape(words)}</text>')

    def svg(self, height: float) -> str:
        """Return the picture as a self-contained document, the same for the same shapes."""
        size = f'width="{self.width:g}" height="{height:g}"'
        ground = f'width="{self.width - 1:g}" height="{height - 1:g}"'
        lines = [
            f'<svg xmlns="http://www.w3.org/2000/svg" role="img" {size}',
            f'viewBox="0 0 {self.width:g} {height:g}" font-family="{FONTS}">',
            f"<title>{escape(self.title)}</title>",
            f"<desc>{escape(self.description)}</desc>",
            f"<style>{STYLE}</style>",
            f'<rect class="ground" x="0.5" y="0.5" {ground} rx="8"/>',
            *self.elements,
            "</svg>",
        ]
        return "\n".join(lines) + "\n"
