"""Score cards: dots, empty boxes and crosses, as text, as SVG and as PNG."""

from __future__ import annotations

import struct
from xml.etree import ElementTree as ET

import pytest

from trente_rules import load_house
from trente_rules.core.errors import TrenteError
from trente_rules.records import Permanence
from trente_rules.records.scorecard import CROSS, LEGEND, ScoreCard, ScoreLine, cards_text
from trente_rules.records.scorecard_drawing import MOST_CARDS, cards_png, cards_svg
from trente_rules.records.tailles import cards_of_permanence

NOTED = "33 31 r\n32 38 n\n36 36\n31 31 r\n34 33\n--\n2 1 r\n"
X = CROSS
SVG = "{http://www.w3.org/2000/svg}"


def cards(noted: str = NOTED, house: str = "france-2007") -> list[ScoreCard]:
    """Return the cards of a permanence."""
    return list(cards_of_permanence(Permanence.parse(noted), load_house(house)))


def test_a_dot_stands_with_the_winner_an_apres_is_empty_a_refait_crossed() -> None:
    """33 to 31 with a red first card: rouge and couleur; ties as documented; ? where not noted."""
    assert cards_text(cards()).splitlines() == [
        "france-2007, taille 1",
        "",
        "     R N   C I",
        "  1 │●│ │ │●│ │  33 31",
        "  2 │ │●│ │●│ │  32 38",
        "  3 │ │ │ │ │ │  36 36 après",
        f"  4 │{X}│{X}│ │{X}│{X}│  31 31 refait",
        "  5 │●│ │ │?│?│  34 33",
        "",
        "france-2007, taille 2",
        "",
        "     R N   C I",
        "  1 │●│ │ │●│ │  32 31",
        "",
        f"● wins   empty boxes: après   {X} refait",
    ]


def test_dots_and_missed_coups_are_drawn_in_their_place() -> None:
    """C25: a card of dots has no points; a coup that was missed is question marks."""
    assert cards_text(cards("N C\nR I\n? ?\nA\nX\nR\n")).splitlines()[2:9] == [
        "     R N   C I",
        "  1 │ │●│ │●│ │",
        "  2 │●│ │ │ │●│",
        "  3 │?│?│ │?│?│",
        "  4 │ │ │ │ │ │  après",
        f"  5 │{X}│{X}│ │{X}│{X}│  refait",
        "  6 │●│ │ │?│?│",
    ]


def test_columns_are_those_of_the_house_and_of_what_was_noted() -> None:
    """Two columns where a house has two chances, or where no colour was noted."""
    assert cards(house="hoyle-19c")[0].columns == ("rouge", "noir")
    assert cards("33 31\n36 36\n")[0].columns == ("rouge", "noir")


def test_the_svg_holds_a_box_for_each_mark_there_may_be() -> None:
    """6 lines of 4 boxes, a dot for each winner, 4 crosses, the points and the legend."""
    root = ET.fromstring(cards_svg(cards()))  # noqa: S314 - our own
    assert len(root.findall(f"{SVG}rect")) == 6 * 4 + 1
    assert len(root.findall(f"{SVG}circle")) == 7
    assert len(root.findall(f"{SVG}path")) == 4
    texts = [text.text for text in root.findall(f"{SVG}text")]
    assert "●\u0020wins\u00a0\u00a0\u00a0empty boxes: après" in (texts[-1] or "")
    assert {"33 31", "36 36 après", "31 31 refait", "?"} <= set(texts)
    assert cards_svg(cards()) == cards_svg(cards())


def test_everything_drawn_lies_inside_the_drawing() -> None:
    """A long title makes the drawing wider; nothing is cut off."""
    card = ScoreCard.of("x" * 60, [ScoreLine(1, ("rouge",), "", (40, 31))], ("rouge", "noir"))
    for drawn in ([card], cards() * 5):
        root = ET.fromstring(cards_svg(drawn))  # noqa: S314 - our own
        width, height = float(root.attrib["width"]), float(root.attrib["height"])
        for text in root.findall(f"{SVG}text"):
            room = len(text.text or "") * float(text.attrib["font-size"]) * 0.6
            end = float(text.attrib["x"])
            end += {"start": room, "middle": room / 2, "end": 0}[text.attrib["text-anchor"]]
            assert 0 <= end <= width
            assert 0 <= float(text.attrib["y"]) <= height


def test_a_title_is_no_markup() -> None:
    """Signs of XML in a name are escaped."""
    card = ScoreCard.of("<&>", [], ("rouge", "noir"))
    assert ET.fromstring(cards_svg([card]))[0].text == "<&>"  # noqa: S314 - our own


@pytest.mark.slow
def test_the_png_is_as_large_as_the_svg_and_the_same_again() -> None:
    """Twice as many pixels as points; the same bytes for the same card."""
    data = cards_png(cards())
    assert data.startswith(b"\x89PNG")
    width, height = struct.unpack(">II", data[16:24])
    root = ET.fromstring(cards_svg(cards()))  # noqa: S314 - our own
    assert width == pytest.approx(2 * float(root.attrib["width"]), abs=2)
    assert height == pytest.approx(2 * float(root.attrib["height"]), abs=2)
    assert cards_png(cards()) == data


def test_too_many_tailles_are_not_drawn() -> None:
    """Text takes any number; a drawing has its bounds."""
    with pytest.raises(TrenteError, match="61 tailles cannot be drawn"):
        cards_svg(cards()[:1] * (MOST_CARDS + 1))
    with pytest.raises(TrenteError, match="0 tailles cannot be drawn"):
        cards_svg([])


def test_a_tie_spares_nobody_by_default() -> None:
    """A refait is a cross in every box; a chance that was spared has an empty one."""
    assert [ScoreLine(1, (), "refait").mark(chance) for chance in ("rouge", "noir")] == [X, X]
    line = ScoreLine(1, (), "refait", spared=("noir",))
    assert [line.mark(chance) for chance in ("rouge", "noir")] == [X, " "]


def test_the_svg_has_no_text_without_letters() -> None:
    """A coup without points and tie has no text behind its boxes, and leaves none empty."""
    root = ET.fromstring(cards_svg(cards("N C\nA\n")))  # noqa: S314 - our own
    texts = [text.text for text in root.findall(f"{SVG}text")]
    assert texts[:1] + texts[5:-1] == ["france-2007, taille 1", "1", "2", "après"]


def test_a_drawing_is_as_wide_as_its_boxes_or_its_texts() -> None:
    """30 for numbers, 90 for boxes, 110 for points; or 9 for each letter of a longer title.

    The legend is in small letters: with two columns it is what needs most.
    """
    widths = {
        title: float(ET.fromstring(cards_svg([card])).attrib["width"])  # noqa: S314 - our own
        for title, pairs in (("", 1), ("x" * 40, 2))
        for card in [ScoreCard.of(title, [], ("rouge", "noir", "couleur", "inverse")[: 2 * pairs])]
    }
    assert widths[""] == pytest.approx(16 + len(LEGEND) * 9 * 10 / 13 + 16, abs=0.01)
    assert widths["x" * 40] == 16 + 40 * 9 + 16
