"""A comparison as an HTML page that stands alone: the figure inside it, nothing from elsewhere.

jinja2 comes with the extra ``report`` and is imported when a page is made; what a house wrote is
escaped wherever it stands.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files
from typing import Protocol

from attrs import frozen

from trente_rules._version import __version__
from trente_rules.analysis.comparison import Compared
from trente_rules.analysis.comparison_figure import comparison_figure, is_drawable
from trente_rules.analysis.figure_style import plain
from trente_rules.analysis.figures import svg_text
from trente_rules.errors import TrenteError


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
    try:
        import jinja2  # noqa: PLC0415 - of the extra
    except ImportError as error:
        raise TrenteError(
            f"a page needs jinja2: {error}", "needs-report", 'pip install "trente-rules[report]"'
        ) from error
    figure = ""
    if is_drawable(compared, chances):
        figure = svg_text(comparison_figure(compared, chances), "edges-")
    source = files("trente_rules.analysis").joinpath("templates/comparison.html.jinja")
    environment = jinja2.Environment(
        autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    made = environment.from_string(source.read_text("utf-8")).render(
        page=page, compared=compared, figure=figure, version=__version__
    )
    return plain(made) + "\n"
