"""The rulebook: the rules of a house in sentences, generated from the values that are executed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from typing import Final

from attrs import frozen

from trente_rules.core.coup import LAST_OPEN_TOTAL, POINTS
from trente_rules.core.house.house import House
from trente_rules.core.machine import FREE
from trente_rules.core.plugins.manager import PluginManager, default_manager
from trente_rules.core.rules.announcements import warn_borrowed
from trente_rules.reports.document import Grid, Items, Part, Report, Section
from trente_rules.reports.nominal import Scope
from trente_rules.reports.rulebook_bets import chance_blocks, side_bet_blocks, tie_blocks
from trente_rules.reports.rulebook_limits import limit_blocks, payout_blocks, settlement_blocks
from trente_rules.reports.rulebook_stakes import insurance_blocks, stake_blocks
from trente_rules.reports.rulebook_table import call_blocks, shoe_blocks, void_blocks
from trente_rules.reports.sentences import Speech, plain


def game_blocks(house: House, speech: Speech) -> Iterator[Part]:
    """Describe cards, rows and points."""
    yield f"{speech.say('game.packs', number=house.shoe.packs)} {speech.say('game.values')}"
    yield speech.say("game.rows", open=LAST_OPEN_TOTAL, least=POINTS[0], most=POINTS[-1])
    first, winner = f"game.first_row.{house.deal.first_row}", f"game.wins.{house.deal.wins}"
    yield f"{speech.say(first)} {speech.say(winner)}"


Teller = Callable[[House, Speech], Iterable[Part]]


@frozen
class WagerFigure:
    """The bank's advantage on one wager: ``choices`` as (``"free/refait"``, course), in stakes.

    ``scope`` are the stakes that it holds for, None for all.
    """

    chance: str
    insured: bool
    choices: tuple[tuple[str, str], ...]
    edge: Fraction
    scope: Scope | None = None


@frozen
class RulebookFigures:
    """Exact odds as plain numbers: probabilities of one coup, edges of wagers.

    ``wagers`` may be empty, where a house has too many policies to list.
    """

    packs: int
    refait: Fraction
    apres: Fraction
    wagers: tuple[WagerFigure, ...]


def _source_blocks(house: House, speech: Speech) -> Iterator[Part]:
    if house.info.sources:
        yield speech.say("sources.what")
        yield Items(map(plain, house.info.sources))
    if sections := inferred_sections(house.info.inferred):
        headings = speech.apart(
            [speech.say("quote", text=speech.say(f"sections.{name}")) for name in sections]
        )
        yield speech.say("sources.inferred", headings=headings)


def inferred_sections(keys: Iterable[str]) -> tuple[str, ...]:
    """Return the sections of the rulebook that hold the rules of these keys, in its order."""
    found = set()
    for key in keys:
        table = key.partition(".")[0]
        found.add(_SECTION_OF_KEY.get(key) or _SECTION_OF_TABLE.get(table, table))
    return tuple(name for name, _teller in _PARTS if name in found)


_SECTION_OF_TABLE: Final = {
    "money": "settlement",
    "deal": "game",
    "refait": "stakes",
    "announcements": "calls",
}
"""The section with the rules of a table of a house file, where it has another name."""


_SECTION_OF_KEY: Final = {
    "deal.couleur": "chances",
    "deal.chances": "chances",
    "deal.refait_on": "ties",
    "refait.on": "ties",
}


_PARTS: Final[tuple[tuple[str, Teller], ...]] = (
    ("game", game_blocks),
    ("chances", chance_blocks),
    ("ties", tie_blocks),
    ("stakes", stake_blocks),
    ("insurance", insurance_blocks),
    ("side_bets", side_bet_blocks),
    ("limits", limit_blocks),
    ("shoe", shoe_blocks),
    ("voids", void_blocks),
    ("settlement", settlement_blocks),
    ("payout", payout_blocks),
    ("calls", call_blocks),
)


def rulebook(
    house: House,
    language: str = "en",
    figures: RulebookFigures | None = None,
    *,
    plugins: PluginManager | None = None,
) -> Report:
    """Return the rules of a house in a language, with the odds where figures are given.

    Sentences that the language lacks are those of its fallback, with a ``LanguageWarning``. Raises
    ``PluginError`` ("unknown-language").
    """
    words = (plugins or default_manager()).language(language)
    warn_borrowed(words, "rulebook.")
    speech = Speech(words, house.money, house.machine.prisons)
    parts = [(name, tuple(teller(house, speech))) for name, teller in _PARTS]
    if figures is not None:
        parts.append(("odds", tuple(_odds(figures, speech))))
    parts.append(("sources", tuple(_source_blocks(house, speech))))
    return Report(
        speech.say("title", title=plain(house.title)),
        (Section(speech.say(f"sections.{name}"), blocks) for name, blocks in parts if blocks),
        stamp=speech.say("stamp", name=house.name, fingerprint=house.fingerprint),
        page=True,
        language=language,
    )


def _odds(figures: RulebookFigures, speech: Speech) -> Iterator[Part]:
    yield speech.say("figures.deal", number=figures.packs)
    yield speech.say(
        "figures.ties", refait=speech.figure(figures.refait), apres=speech.figure(figures.apres)
    )
    columns = ("chance", "insured", "choices", "edge")
    rows = [
        (
            speech.chance(wager.chance),
            speech.say("figures.yes" if wager.insured else "figures.no"),
            _choices(wager, speech) or "-",
            speech.figure(wager.edge),
        )
        for wager in figures.wagers
    ]
    if rows:
        yield Grid("", (speech.say(f"figures.{name}") for name in columns), rows)
    yield Items(
        dict.fromkeys(
            _holds(w.edge, w.scope, speech) for w in figures.wagers if w.scope is not None
        )
    )


def _holds(edge: Fraction, scope: Scope, speech: Speech) -> str:
    """Return the stakes that a figure holds for, and the figure at the least stake."""
    figure, least = speech.figure(edge), speech.amount(scope.least)
    multiple = speech.amount(scope.multiple)
    if not scope.exact:
        text = speech.say("figures.holds_never", figure=figure)
    elif scope.most is not None:
        most = speech.amount(scope.most)
        text = (
            speech.say(
                "figures.holds_multiples_between",
                figure=figure,
                multiple=multiple,
                amount=least,
                most=most,
            )
            if scope.multiple
            else speech.say("figures.holds_between", figure=figure, amount=least, most=most)
        )
    elif not scope.multiple:
        text = speech.say("figures.holds_from", figure=figure, amount=least)
    elif scope.multiple == scope.least:
        text = speech.say("figures.holds_multiples", figure=figure, amount=multiple)
    else:
        text = speech.say(
            "figures.holds_multiples_from", figure=figure, multiple=multiple, amount=least
        )
    if scope.edge is None:
        return text
    at = speech.amount(scope.smallest)
    return f"{text} {speech.say('figures.holds_at', amount=at, figure=speech.figure(scope.edge))}"


def _choices(wager: WagerFigure, speech: Speech) -> str:
    texts = []
    for place, course in wager.choices:
        state, _slash, met = place.rpartition("/")
        where = speech.say("figures.free") if state == FREE else speech.state(state)
        texts.append(speech.named(f"{where}, {speech.short(met)}", speech.course(course)))
    return speech.apart(texts)
