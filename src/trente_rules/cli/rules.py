"""``trente rules``: the rules of a house in words."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import Final

import click

from trente_rules.analysis.advantage import advantage
from trente_rules.analysis.deal_odds import fresh_shoe
from trente_rules.errors import TrenteError
from trente_rules.house.house import House
from trente_rules.house.rulebook.render import as_html, as_markdown, as_text
from trente_rules.house.rulebook.speech import LANGUAGES
from trente_rules.house.rulebook.telling import Figures, WagerFigure, rulebook
from trente_rules.house.toml import load_house
from trente_rules.rules.chances import Verdict

_RENDER: Final = {"text": as_text, "markdown": as_markdown, "html": as_html}


@click.command()
@click.argument("house")
@click.option(
    "--language", type=click.Choice(LANGUAGES), default="en", help="The language; English if none."
)
@click.option(
    "--format",
    "form",
    type=click.Choice(tuple(_RENDER)),
    default="text",
    help="Plain text, Markdown, or an HTML page that stands alone.",
)
def command(house: str, language: str, form: str) -> None:
    """Tell the rules of a HOUSE (a name or a file) in words, with the exact odds."""
    loaded = load_house(house)
    book = rulebook(loaded, language, _figures(loaded))
    click.echo(_RENDER[form](book), nl=False)


def _figures(house: House) -> Figures:
    odds = fresh_shoe(house.shoe.packs)
    simple = next(chance for chance in house.chances if chance.simple)
    verdicts = odds.verdicts(simple.verdicts)
    return Figures(
        house.shoe.packs,
        refait=verdicts[Verdict.REFAIT],
        apres=verdicts[Verdict.APRES],
        wagers=tuple(_extremes(house)),
    )


def _extremes(house: House) -> Iterator[WagerFigure]:
    """Answer the least and the greatest advantage of each wager.

    Where all choices come to the same, one figure, of no choice in particular.
    """
    try:
        wagers = advantage(house, fresh_shoe(house.shoe.packs)).wagers
    except TrenteError as error:
        if error.code != "too-many-policies":
            raise
        return
    for _wager, policies in groupby(wagers, key=lambda wager: (wager.chance, wager.insured)):
        ranked = sorted(policies, key=lambda wager: wager.edge)
        if ranked[0].edge == ranked[-1].edge:
            yield WagerFigure(ranked[0].chance, ranked[0].insured, (), ranked[0].edge)
            continue
        for wager in (ranked[0], ranked[-1]):
            yield WagerFigure(wager.chance, wager.insured, wager.policy.choices, wager.edge)
