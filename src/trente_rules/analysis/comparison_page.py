"""A comparison as an HTML page that stands alone: the figure inside it, nothing from elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from attrs import frozen

from trente_rules._version import __version__
from trente_rules.analysis.comparison import Compared
from trente_rules.analysis.comparison_figure import comparison_figure, is_drawable
from trente_rules.analysis.figures import svg_text
from trente_rules.analysis.pages import page_text


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
    """Answer the page as HTML. Without a wager to draw it has no figure.

    Raises ``TrenteError`` ("needs-report") where jinja2 or matplotlib is not installed.
    """
    figure = ""
    if is_drawable(compared, chances):
        figure = svg_text(comparison_figure(compared, chances), "edges-")
    return page_text("comparison", page=page, compared=compared, figure=figure, version=__version__)
