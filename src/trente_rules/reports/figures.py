"""Plots: bars and lines as matplotlib figures, written as SVG or PNG.

matplotlib comes with the extra ``report`` and is imported when a figure is made. The settings of
the user (matplotlibrc) are ignored, dates and random ids are left out: with one version of
matplotlib, the same numbers give the same bytes. Nothing is drawn on a screen: no ``pyplot``.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
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

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PALETTE: Final = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#4d4d4d")
"""Colours that the colour-blind can distinguish (Okabe and Ito 2002; dark grey for black)."""
_ELSEWHERE: Final = "name a file in an existing folder"
HATCHES: Final = ("", "///", "...", "xxx")
DASHES: Final = ("-", "--", ":", "-.")
SUFFIXES: Final = (".svg", ".png")
_SETTINGS: Final[dict[Any, Any]] = {
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "font.family": ["DejaVu Sans"],
    "font.size": 9,
    "grid.color": "#dddddd",
    "grid.linewidth": 0.6,
    "hatch.linewidth": 0.5,
    "legend.frameon": False,
    "savefig.facecolor": "white",
    "svg.fonttype": "none",
    "svg.hashsalt": "trente-rules",
    "text.parse_math": False,
}
_WIDTH: Final = 8.0  # inches, as every length here
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
    title: str, x_label: str, y_label: str, height: float
) -> Iterator[tuple[Figure, Axes]]:
    """Begin a figure, and add the legend, if it needs one, under the axes, where it hides nothing.

    What is drawn inside the context has our settings.
    """
    with _settings():
        from matplotlib.figure import Figure as Made  # noqa: PLC0415 - of the extra

        figure = Made(figsize=(_WIDTH, height), layout="constrained")
        axes = figure.add_subplot()
        axes.set_title(fill(printable(title), 90), loc="left", fontsize=11, pad=10)
        axes.set_xlabel(printable(x_label))
        axes.set_ylabel(printable(y_label))
        yield figure, axes
        if axes.get_legend_handles_labels()[1]:
            figure.legend(loc="outside lower left", ncols=2)


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
) -> Figure:
    """Return a figure of bars, one for each label, or one for each label and group.

    With ``groups`` (their names, for the legend), ``values`` has a sequence for each group, as long
    as ``labels``. None leaves out a bar and its space. ``number_format`` (such as ``"{:.2f}"``)
    writes each value at its bar. ``horizontal`` puts the labels at the left, for many or long ones;
    ``x_label`` is always below the axes, ``y_label`` at their left. Raises ``TrenteError``
    ("bad-figure") for numbers that do not fit the labels or are not finite, and ("needs-report")
    where matplotlib is not installed.
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
    with _drawing(title, x_label, y_label, height) as (figure, axes):
        for number, placed in enumerate(drawn):
            colour, hatch = _look(number, HATCHES)
            made = (axes.barh if horizontal else axes.bar)(
                [place for place, _value in placed],
                [value for _place, value in placed],
                0.9,
                color=colour,
                edgecolor="white",
                hatch=hatch,
                label=printable(names[number]) or None,
            )
            if number_format and placed:
                texts = [number_format.format(value) for _place, value in placed]
                axes.bar_label(made, texts, padding=3, fontsize=7)
        names_axis = axes.yaxis if horizontal else axes.xaxis
        texts = list(map(printable, labels))
        steep = not horizontal and sum(map(len, texts)) > _ROW
        names_axis.set_ticks(centres, texts, rotation=90 if steep else 0)
        names_axis.grid(visible=False)
        if horizontal:
            axes.set_ylim(at - _BETWEEN, -1)  # the first label on top
            axes.margins(x=0.1)
            axes.axvline(0, color="#333333", linewidth=0.8)
        else:
            axes.set_xlim(-1, at - _BETWEEN)
            axes.margins(y=0.1)
            axes.axhline(0, color="#333333", linewidth=0.8)
    return figure


def lines(
    title: str,
    series: Mapping[str, Sequence[tuple[float, float]]],
    *,
    x_label: str = "",
    y_label: str = "",
    bands: Mapping[str, Sequence[tuple[float, float, float]]] | None = None,
) -> Figure:
    """Return a figure of lines: each series by its name, as points (x, y).

    ``bands`` are shaded areas by name, as points (x, low, high): a band with the name of a series
    has its colour and no line in the legend. Raises ``TrenteError`` ("bad-figure") for a figure
    without points or numbers that are not finite, and ("needs-report") where matplotlib is not
    installed.
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
    looks = {
        name: _look(number, DASHES) for number, name in enumerate(dict.fromkeys((*series, *shaded)))
    }
    with _drawing(title, x_label, y_label, _HEIGHT) as (figure, axes):
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


def svg_text(figure: Figure, prefix: str = "") -> str:
    """Return a figure as an ``<svg>`` element for a page, without an XML prolog.

    Letters stay letters. ``prefix`` goes before every id: two figures of one page need different
    ones. Raises ``TrenteError`` ("bad-figure") for a prefix that cannot begin an id.
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
            name.replace(f"{{{_XLINK}}}", "xlink:"): _prefixed(name, value, prefix)
            for name, value in element.attrib.items()
        }
    title = ET.Element("title", {"id": f"{prefix}title"})
    title.text = figure.axes[0].get_title(loc="left").replace("\n", " ")
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
        data = f'<?xml version="1.0" encoding="utf-8"?>\n{svg_text(figure)}'.encode()
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
