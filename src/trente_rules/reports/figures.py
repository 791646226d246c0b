"""Plots: bars and lines as matplotlib figures, written as SVG or PNG.

matplotlib comes with the extra ``report`` and is imported when a figure is made. The settings of
the user (matplotlibrc) do not count, dates and random ids are left out: the same numbers give the
same bytes under one version of matplotlib. Nothing is drawn on a screen; ``pyplot`` is not used.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from io import BytesIO
from math import isfinite
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Any, Final
from xml.etree import ElementTree as ET

from trente_rules.core.errors import TrenteError
from trente_rules.reports.document import printable

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


# --- How figures look: matplotlib's own defaults and ours, never those of the user's matplotlibrc

PALETTE: Final = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#4d4d4d")
"""Colours that the colour-blind tell apart (Okabe and Ito 2002, a dark grey for the black)."""
HATCHES: Final = ("", "///", "...", "xxx")
DASHES: Final = ("-", "--", ":", "-.")
_LEGEND_COLUMNS: Final = 2
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


def check_finite(title: str, name: str, numbers: Sequence[float]) -> None:
    """Raise ``TrenteError`` ("bad-figure") for a number that is not finite."""
    for number in numbers:
        if not isfinite(number):
            raise TrenteError(
                f"the figure {title!r} has {number} in {name!r}",
                "bad-figure",
                "give finite numbers, and None where there is no bar",
            )


@contextmanager
def begun(
    title: str, x_label: str, y_label: str, size: tuple[float, float]
) -> Iterator[tuple[Figure, Axes]]:
    """Begin a figure; what is drawn on it inside the context has our settings."""
    with settings():
        from matplotlib.figure import Figure as Made  # noqa: PLC0415 - of the extra

        figure = Made(figsize=size, layout="constrained")
        axes = figure.add_subplot()
        axes.set_title(fill(printable(title), 90), loc="left", fontsize=11, pad=10)
        axes.set_xlabel(printable(x_label))
        axes.set_ylabel(printable(y_label))
        yield figure, axes


@contextmanager
def settings() -> Iterator[None]:
    """Set matplotlib to its own defaults and ours, and back.

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


def add_legend(figure: Figure) -> None:
    """Set the legend under the axes, where it hides nothing."""
    figure.legend(loc="outside lower left", ncols=_LEGEND_COLUMNS)


SUFFIXES: Final = (".svg", ".png")
_WIDTH: Final = 8.0  # inches, as every length here
_BAR: Final = 0.2
_BETWEEN: Final = 0.6  # parts of a bar between the bars of two labels
_AROUND: Final = 1.5  # title, axis and legend
_SVG: Final = "http://www.w3.org/2000/svg"
_XLINK: Final = "http://www.w3.org/1999/xlink"


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
    as ``labels``. None leaves a bar out, and the place it would take. ``number_format`` (as in
    ``"{:.2f}"``) writes each value at its bar. ``horizontal`` puts the labels at the left, for many
    or long ones; ``x_label`` always stands below, ``y_label`` beside. Raises ``TrenteError``
    ("bad-figure") for numbers that do not fit the labels or are not finite, and ("needs-report")
    where matplotlib is not installed.
    """
    given: Any = values if groups is not None else [values]
    rows: list[list[float | None]] = [
        [None if value is None else float(value) for value in row] for row in given
    ]
    _check_rows(title, labels, rows, groups)
    places: list[list[float]] = [[] for _row in rows]
    centres, at = [], 0.0
    for column in range(len(labels)):
        begin = at
        for row, placed in zip(rows, places, strict=True):
            placed.append(at)
            at += row[column] is not None
        at = max(at, begin + 1)  # a label without a bar keeps its line
        centres.append((begin + at - 1) / 2)
        at += _BETWEEN
    length = max(_BAR * at + _AROUND, 2.5)
    with begun(title, x_label, y_label, (_WIDTH, length if horizontal else 4.5)) as (
        figure,
        axes,
    ):
        for number, (row, placed) in enumerate(zip(rows, places, strict=True)):
            drawn = [(x, y) for x, y in zip(placed, row, strict=True) if y is not None]
            style: dict[str, Any] = {
                "color": PALETTE[number % len(PALETTE)],
                "edgecolor": "white",
                "hatch": HATCHES[number // len(PALETTE) % len(HATCHES)],
                "label": None if groups is None else printable(groups[number]),
            }
            spots, sizes = [x for x, _y in drawn], [y for _x, y in drawn]
            if horizontal:
                made = axes.barh(spots, sizes, 0.9, **style)
            else:
                made = axes.bar(spots, sizes, 0.9, **style)
            if number_format and drawn:
                texts = [number_format.format(size) for size in sizes]
                axes.bar_label(made, texts, padding=3, fontsize=7)
        names = [printable(label) for label in labels]
        if horizontal:
            axes.set_yticks(centres, names)
            axes.set_ylim(at - _BETWEEN, -1)  # the first label on top
            axes.margins(x=0.1)
            axes.grid(visible=False, axis="y")
            axes.axvline(0, color="#333333", linewidth=0.8)
        else:
            steep = sum(map(len, names)) > 90  # noqa: PLR2004 - letters in a row of this width
            axes.set_xticks(centres, names, rotation=90 if steep else 0)
            axes.set_xlim(-1, at - _BETWEEN)
            axes.margins(y=0.1)
            axes.grid(visible=False, axis="x")
            axes.axhline(0, color="#333333", linewidth=0.8)
        if groups is not None:
            add_legend(figure)
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

    ``bands`` shade from low to high, by name, as points (x, low, high): a band that is named as a
    series has its colour and no line in the legend. Raises ``TrenteError`` ("bad-figure") for a
    figure without points or numbers that are not finite, and ("needs-report") where matplotlib is
    not installed.
    """
    shaded = bands or {}
    drawn: dict[str, Sequence[tuple[float, ...]]] = {**series}
    drawn |= {f"band {name}": points for name, points in shaded.items()}
    if not drawn or not all(len(points) for points in drawn.values()):
        raise TrenteError(
            f"the figure {title!r} has no points in {[n for n, p in drawn.items() if not len(p)]}",
            "bad-figure",
            "give each series at least one point (x, y), each band one (x, low, high)",
        )
    for name, points in drawn.items():
        check_finite(title, name, [number for point in points for number in point])
    colours = {
        name: (PALETTE[number % len(PALETTE)], DASHES[number // len(PALETTE) % len(DASHES)])
        for number, name in enumerate(dict.fromkeys((*series, *shaded)))
    }
    with begun(title, x_label, y_label, (_WIDTH, 4.5)) as (figure, axes):
        for name, band in shaded.items():
            axes.fill_between(
                [x for x, _low, _high in band],
                [low for _x, low, _high in band],
                [high for _x, _low, high in band],
                color=colours[name][0],
                alpha=0.2,
                linewidth=0,
                label=None if name in series else printable(name),
            )
        for name, line in series.items():
            colour, dash = colours[name]
            axes.plot(
                [x for x, _y in line],
                [y for _x, y in line],
                color=colour,
                linestyle=dash,
                linewidth=1.4,
                marker="o" if len(line) == 1 else "",
                label=printable(name),
            )
        add_legend(figure)
    return figure


def svg_text(figure: Figure, prefix: str = "") -> str:
    """Return a figure as an ``<svg>`` element to stand inside HTML, without an XML prolog.

    Letters stay letters. ``prefix`` goes before every id: two figures of one page need two of them.
    Raises ``TrenteError`` ("bad-figure") for a prefix that cannot begin an id.
    """
    if prefix and not re.fullmatch(r"[A-Za-z][\w.-]*", prefix, re.ASCII):
        raise TrenteError(
            f"{prefix!r} cannot begin an id", "bad-figure", "begin with a letter, as in 'edges-'"
        )
    root = ET.fromstring(_saved(figure, "svg"))  # noqa: S314 - written by matplotlib just now
    for child in list(root):
        # A style of its own would be one of the whole page; the attribute below says the same.
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
    """Write a figure to a file, ``.svg`` or ``.png`` by its suffix; a file of before is replaced.

    Raises ``TrenteError`` ("unknown-suffix", "file-unwritable").
    """
    suffix = check_suffix(path)
    if suffix == ".svg":
        data = f'<?xml version="1.0" encoding="utf-8"?>\n{svg_text(figure)}'.encode()
    else:
        data = _saved(figure, "png")
    try:
        Path(path).write_bytes(data)
    except OSError as error:
        raise _unwritable(path, error.strerror) from error


def check_target(path: Path) -> None:
    """Refuse, before a long run, a file that no figure could be written to, or no matplotlib.

    Raises ``TrenteError`` ("unknown-suffix", "file-unwritable", "needs-report").
    """
    check_suffix(path)
    file = Path(path)
    if file.is_dir():
        raise _unwritable(path, "it is a folder")
    if not file.parent.is_dir():
        raise _unwritable(path, "there is no such folder")
    if not os.access(file if file.exists() else file.parent, os.W_OK):
        raise _unwritable(path, "nothing may be written there")
    with settings():
        pass


def _unwritable(path: Path, why: str | None) -> TrenteError:
    return TrenteError(
        f"{str(path)!r} cannot be written: {why}",
        "file-unwritable",
        "name a file in a folder that is there",
    )


def check_suffix(path: Path) -> str:
    """Return the suffix of a file that a figure can be written to, in lower case.

    Raises ``TrenteError`` ("unknown-suffix").
    """
    suffix = Path(path).suffix.lower()
    if suffix not in SUFFIXES:
        raise TrenteError(
            f"{str(path)!r}: no figure is written as {suffix or 'a file without a suffix'!r}",
            "unknown-suffix",
            f"name a file that ends in {' or '.join(SUFFIXES)}",
        )
    return suffix


def _check_rows(
    title: str,
    labels: Sequence[str],
    rows: Sequence[Sequence[float | None]],
    groups: Sequence[str] | None,
) -> None:
    wanted = 1 if groups is None else len(groups)
    if not labels or not rows or len(rows) != wanted or any(len(r) != len(labels) for r in rows):
        raise TrenteError(
            f"the figure {title!r} has {len(labels)} labels, {wanted} groups, and rows of "
            f"{[len(row) for row in rows]} values",
            "bad-figure",
            "give a row for each group, with a value or None for each label",
        )
    for name, row in zip(groups or [""], rows, strict=True):
        check_finite(title, name, [value for value in row if value is not None])


def _saved(figure: Figure, form: str) -> bytes:
    metadata: dict[str, Any] = {"Date": None} if form == "svg" else {"Software": None}
    opened = BytesIO()
    with settings():
        figure.savefig(opened, format=form, dpi=150, metadata=metadata)
    return opened.getvalue()


def _prefixed(name: str, value: str, prefix: str) -> str:
    if name == "id":
        return prefix + value
    if name == f"{{{_XLINK}}}href":
        return value.replace("#", f"#{prefix}", 1)
    # Where the font is missing, another one without serifs.
    value = value.replace("'DejaVu Sans'", "'DejaVu Sans', Verdana, sans-serif")
    return value.replace("url(#", f"url(#{prefix}")
