"""A PAR sheet as an HTML page that stands alone, with its figures inside.

matplotlib comes with the extra ``report`` and is imported when a page is made.
"""

from __future__ import annotations

from collections.abc import Iterator

from trente_rules.analysis.figures import bars, svg_text
from trente_rules.analysis.pages import page_text
from trente_rules.analysis.par_sheet.layout import ADVANTAGE, POINTS, laid_out
from trente_rules.analysis.par_sheet.values import PER_COUP, PER_STAKE, ParSheet
from trente_rules.analysis.par_sheet.wording import alike, deal_text

Captioned = tuple[str, str]
"""An ``<svg>`` element and what stands under it."""


def sheet_html(sheet: ParSheet) -> str:
    """Answer a sheet as an HTML page that needs no other file; what a house wrote is escaped.

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
