"""Plots: dots, bars and lines as matplotlib figures of one style, written as SVG or PNG.

matplotlib comes with the extra ``report`` and is imported when a figure is made. The settings of
the user (matplotlibrc) are ignored, dates and random ids are left out: with one version of
matplotlib, the same numbers give the same bytes. Nothing is drawn on a screen: no ``pyplot``.

Every plot has a narrow form, drawn for a phone of 360 pixels. Inside a page, ink, rules and paper
are variables of its style (``--ink``, ``--rule``, ``--paper``, ``--bad``): a figure is light or
dark with it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from io import BytesIO
from itertools import chain
from math import isfinite
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Any, Final
from xml.etree import ElementTree as ET

from trente_rules.core.errors import TrenteError
from trente_rules.core.files import replace_file, unwritable_error
from trente_rules.core.text import printable
from trente_rules.reports import document

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PALETTE: Final = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#7a6cc5", "#b07a00", "#7d7d7d")
"""Colours that the colour-blind can distinguish, after Okabe and Ito 2002; none is too light for
white paper or too dark for black."""
INK: Final = "#222222"
RULE: Final = "#dddddd"
PAPER: Final = "#ffffff"
BAD: Final = "#b3001e"
"""What costs a player most, such as ruin."""
_VARIABLES: Final = {INK: "--ink", RULE: "--rule", PAPER: "--paper", BAD: "--bad"}
_ELSEWHERE: Final = "name a file in an existing folder"
HATCHES: Final = ("", "///", "...", "xxx")
DASHES: Final = ("-", "--", ":", "-.")
SHAPES: Final = ("o", "s", "D", "^", "v", "P", "X")
"""What distinguishes the dots of a series besides their colour."""
SUFFIXES: Final = (".svg", ".png")
_SETTINGS: Final[dict[Any, Any]] = {
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.edgecolor": INK,
    "axes.facecolor": PAPER,
    "axes.labelcolor": INK,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "font.family": ["DejaVu Sans"],
    "figure.facecolor": PAPER,
    "font.size": 9,
    "grid.color": RULE,
    "grid.linewidth": 0.6,
    "hatch.linewidth": 0.5,
    "legend.frameon": False,
    "savefig.facecolor": PAPER,
    "svg.fonttype": "none",
    "svg.hashsalt": "trente-rules",
    "text.color": INK,
    "text.parse_math": False,
    "xtick.color": INK,
    "ytick.color": INK,
}
_WIDTH: Final = 8.0  # inches, as every length here
_NARROW: Final = 3.75  # 360 pixels of a page
_LETTERS: Final = 10  # letters of a title to an inch
_LINE: Final = 0.2  # a line of letters
_DOT_ROW: Final = 0.21
_DOT_ROW_NARROW: Final = 0.36  # the label is above its dots
_HEIGHT: Final = 4.5
_BAR: Final = 0.2
_BETWEEN: Final = 0.6  # space between the bars of two labels, in bars
_AROUND: Final = 1.5  # title, axis and legend
_ROW: Final = 90  # letters that a row of labels has room for
_SVG: Final = "http://www.w3.org/2000/svg"
_XLINK: Final = "http://www.w3.org/1999/xlink"


@contextmanager
def _settings() -> Iterator[None]:
    """Set matplotlib to its own defaults and ours, and restore it afterwards.

    Raises ``TrenteError`` ("needs-report") where it is not installed.
    """
    try:
        import matplotlib as mpl  # noqa: PLC0415 - of the extra
    except ImportError as error:
        raise TrenteError(
            f"figures need matplotlib: {error}",
            "needs-report",
            'pip install "trente-rules[report]"',
        ) from error
    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update(_SETTINGS)
        yield


drawing: Final = _settings
"""The same for figures that another module puts together."""


@contextmanager
def _drawing(
    title: str, x_label: str, y_label: str, height: float, *, narrow: bool
) -> Iterator[tuple[Figure, Axes]]:
    """Begin a figure, and add the legend, if it needs one, under the axes, where it hides nothing.

    What is drawn inside the context has our settings.
    """
    with _settings():
        figure = _made(height, narrow=narrow)
        axes = figure.add_subplot()
        figure.suptitle(_folded(title, narrow=narrow), x=0.01, ha="left", fontsize=11)
        axes.set_xlabel(printable(x_label))
        axes.set_ylabel(printable(y_label))
        yield figure, axes
        if axes.get_legend_handles_labels()[1]:
            figure.legend(loc="outside lower left", ncols=1 if narrow else 2)


def _made(height: float, *, narrow: bool) -> Figure:
    """Return an empty figure; it is made inside ``_settings``."""
    from matplotlib.figure import Figure as Made  # noqa: PLC0415 - of the extra

    return Made(figsize=(_NARROW if narrow else _WIDTH, height), layout="constrained")


def _folded(title: str, *, narrow: bool) -> str:
    """Return a title in lines that the figure has room for."""
    return fill(printable(title), int(_LETTERS * (_NARROW if narrow else _WIDTH)))


def _look(number: int, marks: Sequence[str]) -> tuple[str, str]:
    """Return the colour of a series, and the mark that distinguishes it when colours repeat."""
    turn, colour = divmod(number, len(PALETTE))
    return PALETTE[colour], marks[turn % len(marks)]


def _check(title: str, numbers: Mapping[str, Sequence[float]]) -> None:
    """Raise ``TrenteError`` ("bad-figure") for a number that is not finite."""
    for name, series in numbers.items():
        for number in series:
            if not isfinite(number):
                raise _figure_error(
                    f"the figure {title!r} has {number} in {name!r}",
                    "give finite numbers, and None where there is no bar",
                )


def _figure_error(message: str, hint: str) -> TrenteError:
    return TrenteError(message, "bad-figure", hint)


def bars(  # noqa: PLR0913 - the texts around a plot
    title: str,
    labels: Sequence[str],
    values: Sequence[float | None] | Sequence[Sequence[float | None]],
    *,
    x_label: str = "",
    y_label: str = "",
    groups: Sequence[str] | None = None,
    horizontal: bool = False,
    number_format: str = "",
    narrow: bool = False,
) -> Figure:
    """Return a figure of bars, one for each label, or one for each label and group.

    With ``groups`` (their names, for the legend), ``values`` has a sequence for each group, as long
    as ``labels``. None leaves out a bar and its space. ``number_format`` (such as ``"{:.2f}"``)
    writes each value at its bar. ``horizontal`` puts the labels at the left, for many or long ones;
    ``x_label`` is always below the axes, ``y_label`` at their left. ``narrow`` draws for a phone.
    Raises ``TrenteError`` ("bad-figure") for numbers that do not fit the labels or are not finite,
    and ("needs-report") where matplotlib is not installed.
    """
    given: Any = values if groups is not None else [values]
    rows: list[Sequence[float | None]] = list(given)
    names = [""] if groups is None else groups
    if not labels or not rows or {len(labels)} != {*map(len, rows)} or len(rows) != len(names):
        raise _figure_error(
            f"the figure {title!r} has {len(labels)} labels, {len(names)} groups, and rows of "
            f"{[len(row) for row in rows]} values",
            "give a row for each group, with a value or None for each label",
        )
    _check(
        title, {n: [v for v in row if v is not None] for n, row in zip(names, rows, strict=True)}
    )
    drawn: list[list[tuple[float, float]]] = [[] for _row in rows]
    centres, at = [], 0.0
    for column in zip(*rows, strict=True):
        begin = at
        for value, placed in zip(column, drawn, strict=True):
            if value is not None:
                placed.append((at, float(value)))
                at += 1
        at = max(at, begin + 1)  # a label without a bar keeps its line
        centres.append((begin + at - 1) / 2)
        at += _BETWEEN
    height = max(_BAR * at + _AROUND, 2.5) if horizontal else _HEIGHT
    with _drawing(title, x_label, y_label, height, narrow=narrow) as (figure, axes):
        for number, placed in enumerate(drawn):
            colour, hatch = _look(number, HATCHES)
            made = (axes.barh if horizontal else axes.bar)(
                [place for place, _value in placed],
                [value for _place, value in placed],
                0.9,
                color=colour,
                edgecolor=PAPER,
                hatch=hatch,
                label=printable(names[number]) or None,
            )
            if number_format and placed:
                texts = [number_format.format(value) for _place, value in placed]
                axes.bar_label(made, texts, padding=3, fontsize=7)
        names_axis = axes.yaxis if horizontal else axes.xaxis
        texts = list(map(printable, labels))
        room = _ROW * _NARROW / _WIDTH if narrow else _ROW
        steep = not horizontal and sum(map(len, texts)) > room
        names_axis.set_ticks(centres, texts, rotation=90 if steep else 0)
        names_axis.grid(visible=False)
        if horizontal:
            axes.set_ylim(at - _BETWEEN, -1)  # the first label on top
            axes.margins(x=0.1)
            axes.axvline(0, color=INK, linewidth=0.8)
        else:
            axes.set_xlim(-1, at - _BETWEEN)
            axes.margins(y=0.1)
            axes.axhline(0, color=INK, linewidth=0.8)
    return figure


def dots(
    title: str,
    labels: Sequence[str],
    series: Mapping[str, Sequence[float | None]],
    *,
    x_label: str = "",
    narrow: bool = False,
) -> Figure:
    """Return a dot plot: a line for each label, in the order given, and a dot for each series.

    ``series`` are values by name, as many as ``labels``; None leaves a dot out. One series without
    a name needs no legend. Lines far from the
    others have a panel at the side, on a scale for themselves: the axis is broken. ``narrow`` draws
    for a phone. Raises ``TrenteError`` ("bad-figure") for numbers that do not fit the labels or are
    not finite, and ("needs-report") where matplotlib is not installed.
    """
    if not labels or {len(labels)} != {*map(len, series.values())}:
        raise _figure_error(
            f"the figure {title!r} has {len(labels)} labels, and series of "
            f"{[len(values) for values in series.values()]} values",
            "give each series a value or None for each label",
        )
    _check(title, {n: [v for v in values if v is not None] for n, values in series.items()})
    lined = [[v for v in line if v is not None] for line in zip(*series.values(), strict=True)]
    ranges = _panels(lined)
    middle = max(range(len(ranges)), key=lambda n: sum(map(_inside(ranges[n]), lined)))
    with _settings():
        text = _folded(title, narrow=narrow)
        keys = 0 if not any(series) else len(series) if narrow else 1
        head = _LINE * (text.count("\n") + 1 + keys) + _LINE / 2
        height = (_DOT_ROW_NARROW if narrow else _DOT_ROW) * (len(labels) + 1) + _LINE * 2 + head
        figure = _made(height, narrow=narrow)
        figure.set_layout_engine("constrained", rect=(0, 0, 1, 1 - head / height))
        figure.suptitle(
            text, x=0.01, y=1 - 0.05 / height, ha="left", va="top", fontsize=11, in_layout=False
        )
        widths = [6.0 if number == middle else 1.0 for number in range(len(ranges))]
        panels = figure.subplots(1, len(ranges), sharey=True, squeeze=False, width_ratios=widths)[0]
        for number, (panel, span) in enumerate(zip(panels, ranges, strict=True)):
            _draw_dots(panel, lined, series, span)
            if number != middle:
                ends = sorted({*span})
                panel.set_xticks(ends, [f"{end:.4g}" for end in ends])
            _break_axis(panel, left=number > 0, right=number < len(ranges) - 1)
        panels[middle].set_xlabel(_folded(x_label, narrow=narrow))
        above = 0.2 if narrow else 0.0
        places = [row - above for row in range(len(labels))]
        panels[0].set_yticks(places, list(map(printable, labels)))
        panels[0].set_ylim(len(labels) - 0.4, -1 if narrow else -0.6)  # the first label on top
        if narrow:
            panels[0].tick_params(axis="y", pad=-4)
            for name in panels[0].get_yticklabels():
                name.set(ha="left", va="bottom", in_layout=False)
        if any(series):
            figure.legend(
                *panels[middle].get_legend_handles_labels(),
                loc="upper left",
                bbox_to_anchor=(0, 1 - _LINE * (text.count("\n") + 1) / height),
                borderaxespad=0.2,
                ncols=1 if narrow else len(series),
            ).set_in_layout(False)
    return figure


def lines(
    title: str,
    series: Mapping[str, Sequence[tuple[float, float]]],
    *,
    x_label: str = "",
    y_label: str = "",
    bands: Mapping[str, Sequence[tuple[float, float, float]]] | None = None,
    narrow: bool = False,
) -> Figure:
    """Return a figure of lines: each series by its name, as points (x, y).

    ``bands`` are shaded areas by name, as points (x, low, high): a band with the name of a series
    has its colour and no line in the legend. ``narrow`` draws for a phone. Raises ``TrenteError``
    ("bad-figure") for a figure without points or numbers that are not finite, and ("needs-report")
    where matplotlib is not installed.
    """
    shaded = bands or {}
    drawn: dict[str, Sequence[tuple[float, ...]]] = {**series}
    drawn |= {f"band {name}": points for name, points in shaded.items()}
    if not drawn or not all(len(points) for points in drawn.values()):
        raise _figure_error(
            f"the figure {title!r} has no points in {[n for n, p in drawn.items() if not len(p)]}",
            "give each series at least one point (x, y), each band one (x, low, high)",
        )
    _check(title, {name: [*chain.from_iterable(points)] for name, points in drawn.items()})
    height = _HEIGHT * 0.8 if narrow else _HEIGHT
    looks = {
        name: _look(number, DASHES) for number, name in enumerate(dict.fromkeys((*series, *shaded)))
    }
    with _drawing(title, x_label, y_label, height, narrow=narrow) as (figure, axes):
        for name, band in shaded.items():
            x, low, high = zip(*band, strict=True)
            axes.fill_between(
                x,
                low,
                high,
                color=looks[name][0],
                alpha=0.2,
                linewidth=0,
                label=None if name in series else printable(name),
            )
        for name, line in series.items():
            colour, dash = looks[name]
            axes.plot(
                *zip(*line, strict=True),
                color=colour,
                linestyle=dash,
                linewidth=1.4,
                marker="o" if len(line) == 1 else "",
                label=printable(name),
            )
    return figure


Span = tuple[float, float]
"""From the least to the greatest value of a panel."""
_MOST: Final = 0.8  # of the lines, that the panel in the middle has at least
_BREAK: Final = 3.0  # how many times as long an axis is at least where it is broken


def _panels(lined: Sequence[Sequence[float]]) -> list[Span]:
    """Return the ranges of the panels of a dot plot: one, or those of lines far off at its sides.

    The panel in the middle has the shortest range that holds four fifths of the lines whole.
    """
    ends = sorted((min(line), max(line)) for line in lined if line)
    if not ends:
        return [(0.0, 1.0)]
    whole = (ends[0][0], max(high for _low, high in ends))
    wanted = max(int(_MOST * len(ends)), 1)
    spans = [whole]
    for low in {low for low, _high in ends}:
        highs = sorted(high for begin, high in ends if begin >= low)
        if len(highs) >= wanted:
            spans.append((low, highs[wanted - 1]))
    low, high = min(spans, key=lambda span: (span[1] - span[0], span[0]))
    near = max((high - low) / 2, (whole[1] - whole[0]) / 50)
    values = [value for line in lined for value in line]
    low = min(value for value in values if value >= low - near)
    high = max(value for value in values if value <= high + near)
    below, above = [v for v in values if v < low], [v for v in values if v > high]
    if whole[1] - whole[0] < _BREAK * max(high - low, near):
        return [whole]
    sides = [[(min(side), max(side))] if side else [] for side in (below, above)]
    return [*sides[0], (low, high), *sides[1]]


def _inside(span: Span) -> Callable[[Sequence[float]], bool]:
    return lambda line: bool(line) and span[0] <= min(line) and max(line) <= span[1]


def _draw_dots(
    panel: Axes,
    lined: Sequence[Sequence[float]],
    series: Mapping[str, Sequence[float | None]],
    span: Span,
) -> None:
    """Draw the dots of a range, and a line between those of one label."""
    low, high = span
    margin = (high - low) * 0.05 or max(abs(high) * 0.02, 0.02)
    panel.set_xlim(low - margin, high + margin)
    panel.patch.set_visible(False)  # labels may reach into the next panel
    panel.grid(visible=False, axis="y")
    panel.tick_params(axis="y", length=0)
    for row, line in enumerate(lined):
        if line:
            panel.plot([min(line), max(line)], [row, row], color=RULE, linewidth=2, zorder=1)
    for number, (name, values) in enumerate(series.items()):
        colour, _repeat = _look(number, DASHES)
        # The first series are large rings, the last small dots: none hides another.
        seen = [
            (value, row)
            for row, value in enumerate(values)
            if value is not None and low <= value <= high
        ]
        panel.scatter(
            [value for value, _row in seen],
            [row for _value, row in seen],
            s=24 + 24 * (len(series) - 1 - number),
            marker=SHAPES[number % len(SHAPES)],
            facecolors=colour if number == len(series) - 1 else PAPER,
            edgecolors=colour,
            linewidths=1.6,
            clip_on=False,
            label=printable(name),
            zorder=2 + number,
        )


def _break_axis(panel: Axes, *, left: bool, right: bool) -> None:
    """Mark the sides at which the axis is broken by two strokes each."""
    panel.spines["left"].set_visible(not left)
    marks = [0.0] * left + [1.0] * right
    panel.plot(
        marks,
        [0.0] * len(marks),
        transform=panel.transAxes,
        marker=[(-0.5, -1), (0.5, 1)],
        markersize=8,
        linestyle="none",
        color=INK,
        clip_on=False,
    )


def page_figure(prefix: str, draw: Callable[..., Figure], caption: str = "") -> document.Figure:
    """Return a figure of a report, which pages draw in both forms, with its ids under a prefix.

    ``draw`` takes ``narrow``, whether it is for a phone, and is called when a page is written.
    """
    return document.Figure(
        caption,
        lambda: svg_text(draw(narrow=False), prefix),
        lambda: svg_text(draw(narrow=True), f"{prefix}narrow-"),
    )


def svg_text(figure: Figure, prefix: str = "", *, themed: bool = True) -> str:
    """Return a figure as an ``<svg>`` element for a page, without an XML prolog.

    Letters stay letters. ``prefix`` goes before every id: two figures of one page need different
    ones. ``themed`` takes ink, rules and paper from the style of the page. Raises ``TrenteError``
    ("bad-figure") for a prefix that cannot begin an id.
    """
    if prefix and not re.fullmatch(r"[A-Za-z][\w.-]*", prefix, re.ASCII):
        raise _figure_error(f"{prefix!r} cannot begin an id", "begin with a letter: 'edges-'")
    root = ET.fromstring(_saved(figure, "svg", Date=None))  # noqa: S314 - matplotlib wrote it
    for child in list(root):
        # Its style would act on the whole page; the attribute below says the same.
        if child.tag.endswith("}metadata") or child.find(f"{{{_SVG}}}style") is not None:
            root.remove(child)
    for element in root.iter():
        element.tag = element.tag.removeprefix(f"{{{_SVG}}}")
        element.attrib = {
            name.replace(f"{{{_XLINK}}}", "xlink:"): _themed(
                _prefixed(name, value, prefix), themed=themed
            )
            for name, value in element.attrib.items()
        }
    title = ET.Element("title", {"id": f"{prefix}title"})
    title.text = figure.get_suptitle().replace("\n", " ")
    root.insert(0, title)
    root.attrib |= {
        "xmlns": _SVG,
        "xmlns:xlink": _XLINK,
        "style": "stroke-linejoin: round; stroke-linecap: butt",
        "role": "img",
        "aria-labelledby": f"{prefix}title",
    }
    return ET.tostring(root, encoding="unicode") + "\n"


def save_figure(figure: Figure, path: Path) -> None:
    """Write a figure to a file, ``.svg`` or ``.png`` by its suffix; an existing file is replaced.

    Raises ``TrenteError`` ("unknown-suffix", "file-unwritable").
    """
    if _suffix(path) == ".svg":
        data = f'<?xml version="1.0" encoding="utf-8"?>\n{svg_text(figure, themed=False)}'.encode()
    else:
        data = _saved(figure, "png", Software=None)
    try:
        replace_file(path, data, private=False)
    except TrenteError as error:
        error.hint = _ELSEWHERE
        raise


def check_target(path: Path) -> None:
    """Raise, before a long run, the error that saving a figure to a file would end with.

    Raises ``TrenteError`` ("unknown-suffix", "file-unwritable", "needs-report").
    """
    _suffix(path)
    file = Path(path)
    if file.is_dir():
        raise unwritable_error(path, "it is a folder", hint=_ELSEWHERE)
    if not file.parent.is_dir():
        raise unwritable_error(path, "there is no such folder", hint=_ELSEWHERE)
    if not os.access(file if file.exists() else file.parent, os.W_OK):
        raise unwritable_error(path, "nothing may be written there", hint=_ELSEWHERE)
    with _settings():
        pass


def _suffix(path: Path) -> str:
    """Return the suffix of a file that a figure can be written to, in lower case."""
    suffix = Path(path).suffix.lower()
    if suffix not in SUFFIXES:
        raise TrenteError(
            f"{str(path)!r}: no figure is written as {suffix or 'a file without a suffix'!r}",
            "unknown-suffix",
            f"name a file that ends in {' or '.join(SUFFIXES)}",
        )
    return suffix


def _saved(figure: Figure, form: str, **metadata: Any) -> bytes:
    """Return a figure as matplotlib saves it; metadata that are None are left out."""
    file = BytesIO()
    with _settings():
        figure.savefig(file, format=form, dpi=150, metadata=metadata)
    return file.getvalue()


def _prefixed(name: str, value: str, prefix: str) -> str:
    """Return the value of an attribute of SVG, with a prefix before every id in it."""
    if name == "id":
        return prefix + value
    if name == f"{{{_XLINK}}}href":
        return value.replace("#", f"#{prefix}", 1)
    # Another font without serifs, where this one is missing.
    value = value.replace("'DejaVu Sans'", "'DejaVu Sans', Verdana, sans-serif")
    return value.replace("url(#", f"url(#{prefix}")


def _themed(value: str, *, themed: bool) -> str:
    """Return the value of an attribute with the colours of the page for ours."""
    for colour, variable in _VARIABLES.items() if themed else ():
        value = value.replace(f": {colour}", f": var({variable}, {colour})")
    return value
