"""Figures: what is drawn, what the files hold, and what is told where no figure can be made."""

from __future__ import annotations

import os
import struct
import subprocess
import sys
from collections.abc import Callable
from math import inf, nan
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from trente_rules.core.errors import TrenteError
from trente_rules.reports.figures import (
    PALETTE,
    bars,
    check_target,
    dots,
    lines,
    page_figure,
    save_figure,
    svg_text,
)

SVG = "{http://www.w3.org/2000/svg}"
HREF = "{http://www.w3.org/1999/xlink}href"


def grouped() -> Any:
    """Return bars in two groups, one of them not there."""
    values: list[list[float | None]] = [[1.5, 2.5], [None, 0.25]]
    return bars(
        "Edges & <more>",
        ["one", "two"],
        values,
        groups=["prison", "insured"],
        horizontal=True,
        number_format="{:.2f} %",
    )


def texts(svg: str) -> list[str]:
    """Return the letters that stand in a figure."""
    return [element.text or "" for element in ET.fromstring(svg).iter(f"{SVG}text")]  # noqa: S314


def ids(svg: str) -> list[str]:
    """Return every id of a figure."""
    return [e.attrib["id"] for e in ET.fromstring(svg).iter() if "id" in e.attrib]  # noqa: S314


def bodies(figure: Any) -> list[tuple[float, float]]:
    """Return the place and the length of each horizontal bar."""
    return [(bar.get_y(), bar.get_width()) for bar in figure.axes[0].patches]


def test_every_label_group_and_number_is_written() -> None:
    """Letters stay letters in SVG: labels, legend, title, and each value at its bar."""
    written = texts(svg_text(grouped()))
    for text in ("Edges & <more>", "one", "two", "prison", "insured", "1.50 %", "2.50 %", "0.25 %"):
        assert text in written
    assert not any("None" in text or "nan" in text for text in written)


def test_a_bar_that_is_left_out_takes_no_room() -> None:
    """Three bars for four places; the one of a label alone stands at its label."""
    figure = grouped()
    drawn = sorted(bodies(figure))
    assert [length for _place, length in drawn] == [1.5, 2.5, 0.25]
    ticks = figure.axes[0].get_yticks()
    assert ticks[0] == pytest.approx(drawn[0][0] + 0.45)
    assert ticks[1] == pytest.approx((drawn[1][0] + drawn[2][0] + 0.9) / 2)


def test_one_group_of_bars_needs_no_legend() -> None:
    """Heights are the values; without names of groups there is nothing to explain."""
    figure: Any = bars("Points", ["31", "32"], [0.148, 0.138], y_label="probability")
    assert [bar.get_height() for bar in figure.axes[0].patches] == [0.148, 0.138]
    assert not figure.legends
    assert "probability" in texts(svg_text(figure))


EDGES = {
    "wilhelmsbad-1840": (0.0, 0.0, None),
    "monte-carlo-1911": (1.0946, 1.0946, 0.9123),
    "france-2007": (1.1079, 1.0946, 1.0),
    "american-cyclopaedia-1873": (1.0946, 1.0946, None),
    "homburg-1860": (1.1208, 1.0946, None),
    "hoyle-19c": (1.1082, 1.1082, None),
    "foster-1897": (1.1011, 1.0946, None),
    "italian-program": (2.1891, 2.1891, 1.0),
    "spain-1979": (1.1079, 1.0946, 1.0),
    "campione": (1.1082, 1.0946, 1.0),
    "germany-500": (1.1080, 1.0946, 1.0),
    "german-spas-1840": (5.7896, 5.4727, None),
}


def dotted(*, narrow: bool = False) -> Any:
    """Return the edges of houses as dots: most between 0.9 and 1.2, three far off."""
    default, best, insured = zip(*EDGES.values(), strict=True)
    series = {"default": default, "best": best, "insured": insured}
    return dots("The bank's edge", list(EDGES), series, x_label="% of the stake", narrow=narrow)


def shown_at(figure: Any, series: int) -> dict[str, float]:
    """Return where the dots of a series are, over all panels, by the label of their line."""
    names = list(EDGES)
    return {
        names[round(y)]: x
        for panel in figure.axes
        for x, y in panel.collections[series].get_offsets()
    }


def test_each_house_has_a_line_and_each_play_a_dot() -> None:
    """U51: the order given, every value once, over all panels."""
    figure = dotted()
    for number in range(3):
        given = {name: edges[number] for name, edges in EDGES.items() if edges[number] is not None}
        assert shown_at(figure, number) == given
    labels = [text.get_text() for text in figure.axes[0].get_yticklabels()]
    assert labels == list(EDGES)
    assert figure.axes[0].yaxis_inverted()


def test_outliers_have_a_panel_and_do_not_set_the_scale() -> None:
    """U51: the German spas and the house without a refait are at the sides; the axis is broken."""
    low, middle, high = (panel.get_xlim() for panel in dotted().axes)
    assert low[0] < 0 < low[1] < 0.5
    assert 0.85 < middle[0] < 0.9123
    assert 1.1208 < middle[1] < 1.2
    assert 2 < high[0] < 2.1891
    assert 5.7896 < high[1] < 7
    widths = [panel.get_position().width for panel in dotted().axes]
    assert widths[1] > 3 * max(widths[0], widths[2])


def test_an_axis_without_outliers_is_whole() -> None:
    """One panel where values are of one kind, or one value alone."""
    assert len(dots("t", ["a", "b", "c"], {"s": [1.0, 2.0, 3.0]}).axes) == 1
    assert len(dots("t", ["a"], {"s": [1.0]}).axes) == 1
    assert len(dots("t", ["a"], {"s": [None]}).axes) == 1


@pytest.mark.slow
@pytest.mark.parametrize("narrow", [False, True])
def test_every_letter_of_a_dot_plot_is_inside_its_borders_and_over_no_other(
    *, narrow: bool
) -> None:
    """U51: labels ran over the right border."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg  # noqa: PLC0415 - of the extra

    figure = dotted(narrow=narrow)
    canvas = FigureCanvasAgg(figure)
    figure.draw_without_rendering()
    width, height = canvas.get_width_height()
    assert width == (375 if narrow else 800)
    written = [figure._suptitle, *figure.legends[0].get_texts()]
    for panel in figure.axes:
        inside = [t for t in panel.get_xticklabels() if panel.get_xlim()[0] <= t.get_position()[0]]
        inside = [t for t in inside if t.get_position()[0] <= panel.get_xlim()[1]]
        written += [*inside, panel.xaxis.label]
    written += figure.axes[0].get_yticklabels()
    boxes = [text.get_window_extent() for text in written if text.get_text()]
    assert len(boxes) > len(EDGES) + 6
    for number, box in enumerate(boxes):
        assert 0 <= box.x0 <= box.x1 <= width
        assert 0 <= box.y0 <= box.y1 <= height
        assert not any(box.overlaps(other) for other in boxes[:number])


def luminance(colour: str) -> float:
    """Return the relative luminance of a colour (WCAG)."""
    parts = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    linear = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


@pytest.mark.parametrize("colour", PALETTE)
def test_a_colour_is_seen_on_white_and_on_black(colour: str) -> None:
    """U53: 3 to 1 at least against both papers of a page."""
    light = 1.05 / (luminance(colour) + 0.05)
    dark = (luminance(colour) + 0.05) / (luminance("#16191d") + 0.05)
    assert min(light, dark) >= 3


def test_a_figure_of_a_page_has_its_colours_from_the_page() -> None:
    """U53: ink, rules and paper are variables inside a page, and colours in a file."""
    themed, plain = svg_text(dotted()), svg_text(dotted(), themed=False)
    for variable in ("var(--ink, #222222)", "var(--rule, #dddddd)", "var(--paper, #ffffff)"):
        assert variable in themed
    assert "var(" not in plain
    assert PALETTE[0] in themed


@pytest.mark.parametrize(
    "draw",
    [
        lambda narrow: bars("t", ["a", "b"], [1.0, 2.0], narrow=narrow),
        lambda narrow: lines("t", {"a": [(0, 1), (1, 2)]}, narrow=narrow),
        lambda narrow: dotted(narrow=narrow),
    ],
    ids=["bars", "lines", "dots"],
)
def test_every_plot_has_a_narrow_form(draw: Callable[..., Any]) -> None:
    """U52: 360 pixels, letters of 12 pixels, its own ids."""
    figure = page_figure("f-", draw)
    assert figure.narrow is not None
    wide, narrow = figure.svg(), figure.narrow()
    assert ET.fromstring(wide).get("width") == "576pt"  # noqa: S314
    assert ET.fromstring(narrow).get("width") == "270pt"  # noqa: S314
    assert not set(ids(wide)) & set(ids(narrow))
    assert "font-size: 9px" in narrow


def test_lines_go_through_their_points_and_bands_share_their_colour() -> None:
    """A band with the name of a series belongs to it: its colour, one line in the legend."""
    figure: Any = lines(
        "Bankroll",
        {"mean": [(0, 0), (10, -1)], "worst": [(0, 0), (10, -9)]},
        bands={"mean": [(0, 0, 0), (10, -3, 2)]},
        x_label="coups",
        y_label="stakes",
    )
    (axes,) = figure.axes
    assert [list(line.get_ydata()) for line in axes.lines] == [[0, -1], [0, -9]]
    (band,) = axes.collections
    red, green, blue, _alpha = band.get_facecolor()[0]
    assert axes.lines[0].get_color() == "#{:02x}{:02x}{:02x}".format(
        *(round(255 * part) for part in (red, green, blue))
    )
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == ["mean", "worst"]


def test_more_groups_than_colours_are_told_apart() -> None:
    """After the last colour the first comes again, hatched."""
    names = [str(number) for number in range(9)]
    figure = bars("Many", ["x"], [[1.0]] * 9, groups=names)
    looks = {(bar.get_facecolor(), bar.get_hatch()) for bar in figure.axes[0].patches}
    assert len(looks) == 9


def test_svg_stands_inside_a_page() -> None:
    """No prolog, a title for those who cannot see it, no style that would act on the page."""
    svg = svg_text(grouped(), "edges-")
    assert svg.startswith("<svg ")
    assert "<style" not in svg
    root = ET.fromstring(svg)  # noqa: S314
    title = root.find(f"{SVG}title")
    assert title is not None
    assert (title.text, root.get("role")) == ("Edges & <more>", "img")
    assert root.get("aria-labelledby") == title.get("id")


def test_ids_are_unique_by_their_prefix_and_every_reference_is_met() -> None:
    """Two figures of one page share no id; what refers refers to an id of its own figure."""
    figure = lines("Line", {"a": [(0, 0), (1, 1)]})
    first, second = svg_text(figure, "a-"), svg_text(figure, "b-")
    assert len(set(ids(first))) == len(ids(first))
    assert not set(ids(first)) & set(ids(second))
    root = ET.fromstring(first)  # noqa: S314
    referred = {e.attrib[HREF].removeprefix("#") for e in root.iter() if HREF in e.attrib}
    referred |= {
        e.attrib["clip-path"].removeprefix("url(#").removesuffix(")")
        for e in root.iter()
        if "clip-path" in e.attrib
    }
    assert referred
    assert referred <= set(ids(first))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["plot.svg", "plot.png", "PLOT.PNG"])
def test_the_same_numbers_give_the_same_bytes(tmp_path: Path, name: str) -> None:
    """Twice in one process, and in another one with settings of the user: not a byte differs."""
    path = tmp_path / name
    save_figure(grouped(), path)
    first = path.read_bytes()
    save_figure(grouped(), path)
    assert path.read_bytes() == first
    (tmp_path / "matplotlibrc").write_text("font.size: 30\nsvg.fonttype: path\naxes.grid: False\n")
    code = (
        "from pathlib import Path; from trente_rules.reports.figures import bars, save_figure\n"
        "save_figure(bars('Edges & <more>', ['one', 'two'], [[1.5, 2.5], [None, 0.25]],"
        " groups=['prison', 'insured'], horizontal=True, number_format='{:.2f} %'),"
        f" Path({name!r}))"
    )
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=True)
    assert path.read_bytes() == first


def test_files_are_what_their_suffix_says(tmp_path: Path) -> None:
    """An SVG with its prolog, a PNG with its signature and size."""
    save_figure(grouped(), tmp_path / "a.svg")
    assert (tmp_path / "a.svg").read_text("utf-8").startswith("<?xml ")
    assert ET.parse(tmp_path / "a.svg").getroot().tag == f"{SVG}svg"  # noqa: S314
    save_figure(grouped(), tmp_path / "a.png")
    data = (tmp_path / "a.png").read_bytes()
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    assert struct.unpack(">I", data[16:20]) == (1200,)


def test_hostile_texts_are_only_letters() -> None:
    """Marks of XML, of mathematics and of control change nothing but what is read."""
    hostile = "$\\frac{1}{0}$ </svg><script>\x00 %d {0}"
    svg = svg_text(bars(hostile, [hostile], [1.0], x_label=hostile))
    assert "<script" not in svg
    assert texts(svg).count(hostile.replace("\x00", r"\x00")) == 3


@pytest.mark.parametrize(
    "draw",
    [
        pytest.param(lambda: bars("t", [], []), id="no labels"),
        pytest.param(lambda: bars("t", ["a"], [1.0, 2.0]), id="too many values"),
        pytest.param(lambda: bars("t", ["a"], [[1.0]], groups=["x", "y"]), id="too few rows"),
        pytest.param(lambda: bars("t", ["a"], [nan]), id="nan"),
        pytest.param(lambda: dots("t", [], {}), id="no dots"),
        pytest.param(lambda: dots("t", ["a"], {"s": [1.0, 2.0]}), id="too many dots"),
        pytest.param(lambda: dots("t", ["a"], {"s": [nan]}), id="dot of nan"),
        pytest.param(lambda: lines("t", {}), id="no series"),
        pytest.param(lambda: lines("t", {"a": []}), id="no points"),
        pytest.param(lambda: lines("t", {"a": [(0, inf)]}), id="infinite"),
        pytest.param(lambda: lines("t", {}, bands={"a": [(0, nan, 1)]}), id="band of nan"),
        pytest.param(lambda: svg_text(grouped(), "1 2"), id="prefix"),
    ],
)
def test_what_is_no_figure(draw: Callable[[], object]) -> None:
    """Numbers that fit no labels, or are none, are told of before anything is drawn."""
    with pytest.raises(TrenteError) as caught:
        draw()
    assert caught.value.code == "bad-figure"
    assert caught.value.hint


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("plot.pdf", "unknown-suffix"),
        ("plot", "unknown-suffix"),
        ("missing/plot.svg", "file-unwritable"),
    ],
)
def test_files_that_cannot_be_written(tmp_path: Path, name: str, code: str) -> None:
    """Another suffix, or a folder that is not there: the sentence names the file, before too."""
    with pytest.raises(TrenteError, match="plot") as caught:
        save_figure(grouped(), tmp_path / name)
    assert caught.value.code == code
    with pytest.raises(TrenteError, match="plot") as caught:
        check_target(tmp_path / name)
    assert caught.value.code == code


def test_a_file_is_checked_before_a_long_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A new file and an old one are good; a folder, a locked one and no matplotlib are not."""
    for file in (tmp_path / "new.svg", tmp_path / "old.png"):
        check_target(file)
        file.write_bytes(b"")
        check_target(file)
    (tmp_path / "folder.svg").mkdir()
    with pytest.raises(TrenteError, match="it is a folder"):
        check_target(tmp_path / "folder.svg")
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(TrenteError, match="nothing may be written there"):
        check_target(tmp_path / "other.svg")
    monkeypatch.undo()
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(TrenteError, match="figures need matplotlib"):
        check_target(tmp_path / "other.svg")


def test_without_matplotlib(monkeypatch: pytest.MonkeyPatch) -> None:
    """The sentence has the line that installs it."""
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(TrenteError, match=r'pip install "trente-rules\[report\]"') as caught:
        bars("t", ["a"], [1.0])
    assert caught.value.code == "needs-report"
