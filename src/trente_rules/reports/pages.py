"""HTML pages that stand alone: templates filled in, whatever a house wrote escaped.

jinja2 comes with the extra ``report`` and is imported when a page is made.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib.resources import files
from typing import Protocol

from attrs import frozen

from trente_rules._version import __version__
from trente_rules.core.errors import TrenteError
from trente_rules.reports.comparison import Compared
from trente_rules.reports.figures import bars, comparison_figure, is_drawable, plain, svg_text
from trente_rules.reports.par_sheet import PER_COUP, PER_STAKE, ParSheet
from trente_rules.reports.par_sheet_layout import ADVANTAGE, POINTS, alike, deal_text, laid_out


def page_text(template: str, **told: object) -> str:
    """Fill in a template of ``reports/templates``, named without ``.html.jinja``.

    Raises ``TrenteError`` ("needs-report") where jinja2 is not installed.
    """
    try:
        import jinja2  # noqa: PLC0415 - of the extra
    except ImportError as error:
        raise TrenteError(
            f"a page needs jinja2: {error}",
            "needs-report",
            'pip install "trente-rules[report]", or ask for another format',
        ) from error
    environment = jinja2.Environment(
        autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    source = files("trente_rules.reports").joinpath(f"templates/{template}.html.jinja")
    return plain(environment.from_string(source.read_text("utf-8")).render(told)) + "\n"


# --- A comparison as an HTML page that stands alone: the figure inside it, nothing from elsewhere


class Tabled(Protocol):
    """A table of texts; one without rows is only its title, a line."""

    @property
    def title(self) -> str:
        """The line above."""

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns."""

    @property
    def rows(self) -> tuple[tuple[str, ...], ...]:
        """The cells."""

    @property
    def right(self) -> frozenset[str]:
        """The columns that hold numbers."""


@frozen
class Page:
    """What a page says around its figure: the title, what the figures rest on, tables and notes.

    ``command`` is the command that makes the page again.
    """

    title: str
    basis: tuple[str, ...]
    tables: Sequence[Tabled]
    notes: tuple[str, ...]
    command: str


def comparison_page(page: Page, compared: Sequence[Compared], chances: Sequence[str] = ()) -> str:
    """Return the page as HTML. Without a wager to draw it has no figure.

    Raises ``TrenteError`` ("needs-report") where jinja2 or matplotlib is not installed.
    """
    figure = ""
    if is_drawable(compared, chances):
        figure = svg_text(comparison_figure(compared, chances), "edges-")
    return page_text("comparison", page=page, compared=compared, figure=figure, version=__version__)


# --- A PAR sheet as an HTML page that stands alone, with its figures inside

Captioned = tuple[str, str]
"""An ``<svg>`` element and what stands under it."""


def sheet_html(sheet: ParSheet) -> str:
    """Return a sheet as an HTML page that needs no other file; what a house wrote is escaped.

    Raises ``TrenteError`` ("needs-report") where the extra is not installed.
    """
    book = laid_out(sheet)
    figures = {POINTS: _points(sheet), ADVANTAGE: _advantage(sheet)}
    beside = [figures.get(section.title.partition(" (")[0], ()) for section in book.sections]
    return page_text("par_sheet", book=book, figures=beside)


def _points(sheet: ParSheet) -> Iterator[Captioned]:
    deal = deal_text(sheet.deal)
    labels = [str(line.point) for line in sheet.points]
    points = bars(
        "Points of a row",
        labels,
        [100 * float(line.row) for line in sheet.points],
        x_label="point",
        y_label="per cent of rows",
    )
    yield svg_text(points, "points-"), f"Points of a row ({PER_COUP}; {deal})"
    ties = bars(
        "Ties",
        labels,
        [
            [100 * float(line.tie) if line.refait == refait else None for line in sheet.points]
            for refait in (True, False)
        ],
        groups=["refait", "ordinary tie"],
        x_label="point of both rows",
        y_label="per cent of coups",
    )
    yield svg_text(ties, "ties-"), f"Ties ({PER_COUP}; {deal})"


def _advantage(sheet: ParSheet) -> Iterator[Captioned]:
    wagers = alike(sheet)
    edges = bars(
        "The bank's advantage",
        [
            f"{name}{', insured' if line.wager.insured else ''}"
            f"{f': {line.wager.policy}' if line.wager.policy.choices else ''}"
            for name, line in wagers
        ],
        [100 * float(line.wager.edge) for _name, line in wagers],
        x_label="per cent of the stake",
        horizontal=True,
        number_format="{:.5f}",
    )
    caption = f"The bank's advantage by wager and policy ({PER_STAKE}; {deal_text(sheet.deal)})"
    yield svg_text(edges, "edges-"), caption
