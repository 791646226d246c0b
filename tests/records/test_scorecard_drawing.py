"""Drawn score cards: what is at which place of the SVG, and the same in the PNG."""

from __future__ import annotations

import io
from xml.etree import ElementTree as ET

import pytest

from trente_rules import load_house
from trente_rules.records import Permanence
from trente_rules.records.scorecard import ScoreCard
from trente_rules.records.scorecard_drawing import cards_png, cards_svg
from trente_rules.records.tailles import cards_of_permanence

SVG = "{http://www.w3.org/2000/svg}"


def drawn(cards: list[ScoreCard]) -> ET.Element:
    """Return the root of the SVG of cards."""
    return ET.fromstring(cards_svg(cards))  # noqa: S314 - our own


def test_a_card_without_a_title_has_no_text_above_it() -> None:
    """Texts without letters are left out: the first one is the letter of a column."""
    texts = drawn([ScoreCard("")]).findall(f"{SVG}text")
    assert [text.text for text in texts][:2] == ["R", "N"]


@pytest.mark.slow
def test_the_png_has_each_mark_where_the_svg_has_it() -> None:
    """Dots, crosses, boxes and texts, two pixels for a point; an empty box is white within."""
    image = pytest.importorskip("matplotlib.image")
    house = load_house("france-2007")
    cards = list(cards_of_permanence(Permanence.parse("33 31 r\n36 36\n31 31 r\n"), house))
    pixels = image.imread(io.BytesIO(cards_png(cards)), format="png")[:, :, :3].mean(axis=2)

    def darkest(left: float, right: float, top: float, bottom: float) -> float:
        """Return how dark a part of the picture is, in points: 0 is black, 1 is white."""
        return float(pixels[int(2 * top) : int(2 * bottom), int(2 * left) : int(2 * right)].min())

    root = drawn(cards)
    marks = [
        (float(dot.attrib["cx"]), float(dot.attrib["cy"])) for dot in root.iter(f"{SVG}circle")
    ]
    assert len(marks) == 2
    for x, y in marks:  # the whole of a dot is black
        assert pixels[int(2 * y) - 5 : int(2 * y) + 5, int(2 * x) - 5 : int(2 * x) + 5].max() < 0.1
    boxes = [box.attrib for box in root.iter(f"{SVG}rect") if "x" in box.attrib]
    assert len(boxes) == 3 * 4
    for place, box in enumerate(boxes):
        x, y = float(box["x"]), float(box["y"])
        assert darkest(x + 8, x + 12, y - 1, y + 1) < 0.5  # its upper side
        marked = place in (0, 2) or place >= 8
        assert (darkest(x + 4, x + 16, y + 4, y + 16) < 0.5) is marked
        corner = pixels[int(2 * y) + 4, int(2 * x) + 4]
        assert corner > 0.9  # boxes are not filled
    texts = {text.text: text.attrib for text in root.iter(f"{SVG}text")}
    for words, left, right in (("1", -8, 0), ("R", -5, 5), ("france-2007, taille 1", 0, 60)):
        x, y = float(texts[words]["x"]), float(texts[words]["y"])
        assert darkest(x + left, x + right, y - 9, y) < 0.5, words
    x, y = float(texts["1"]["x"]), float(texts["1"]["y"])
    assert darkest(x + 1, x + 7, y - 9, y) > 0.9  # a number ends at its place
