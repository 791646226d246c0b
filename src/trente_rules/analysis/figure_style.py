"""How figures look: matplotlib's own defaults and ours, never those of the user's matplotlibrc."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from math import isfinite
from textwrap import fill
from typing import TYPE_CHECKING, Any, Final

from trente_rules.errors import TrenteError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

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
_UNPRINTABLE: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


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
        axes.set_title(fill(plain(title), 90), loc="left", fontsize=11, pad=10)
        axes.set_xlabel(plain(x_label))
        axes.set_ylabel(plain(y_label))
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


def plain(text: str) -> str:
    """Answer a text without what no XML may hold."""
    return _UNPRINTABLE.sub("\ufffd", text)
