"""The rulebook of a house: every part in order, and the figures that a caller may add."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from typing import Final

from attrs import frozen

from trente_rules.house.house import House
from trente_rules.house.rulebook.bets import limit_blocks, payout_blocks, settlement_blocks
from trente_rules.house.rulebook.book import Block, Grid, Items, Rulebook, Section
from trente_rules.house.rulebook.play import (
    call_blocks,
    chance_blocks,
    game_blocks,
    shoe_blocks,
    side_bet_blocks,
    tie_blocks,
    void_blocks,
)
from trente_rules.house.rulebook.speech import Speech, plain
from trente_rules.house.rulebook.stakes import insurance_blocks, stake_blocks
from trente_rules.rules.chances import Verdict
from trente_rules.rules.machine import FREE

Teller = Callable[[House, Speech], Iterable[Block]]


@frozen
class WagerFigure:
    """The bank's advantage on one wager: ``choices`` as (``"free/refait"``, course), in stakes."""

    chance: str
    insured: bool
    choices: tuple[tuple[str, str], ...]
    edge: Fraction


@frozen
class Figures:
    """Exact odds that the analysis found, as plain numbers: probabilities of one coup, edges.

    ``wagers`` may be left empty, where a house has too many policies to be told.
    """

    packs: int
    refait: Fraction
    apres: Fraction
    wagers: tuple[WagerFigure, ...]


def _source_blocks(house: House, speech: Speech) -> Iterator[Block]:
    if house.info.sources:
        yield Items(tuple(plain(source) for source in house.info.sources))
    if house.info.inferred:
        yield speech.say("sources.inferred", keys=", ".join(house.info.inferred))


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


def rulebook(house: House, language: str = "en", figures: Figures | None = None) -> Rulebook:
    """Tell the rules of a house in a language, with the odds where figures are given.

    Raises ``RuleError`` ("unknown-language").
    """
    speech = Speech.of(language, house.money, house.machine.prisons)
    parts = [(name, tuple(teller(house, speech))) for name, teller in _PARTS]
    if figures is not None:
        parts.append(("odds", tuple(_odds(figures, speech))))
    parts.append(("sources", tuple(_source_blocks(house, speech))))
    return Rulebook(
        language,
        speech.say("title", title=plain(house.title)),
        speech.say("stamp", name=house.name, fingerprint=house.fingerprint),
        tuple(Section(speech.say(f"sections.{name}"), blocks) for name, blocks in parts if blocks),
    )


def _odds(figures: Figures, speech: Speech) -> Iterator[Block]:
    yield speech.count("figures.deal", figures.packs)
    yield speech.say(
        "figures.ties", refait=speech.figure(figures.refait), apres=speech.figure(figures.apres)
    )
    columns = ("chance", "insured", "choices", "edge")
    rows = tuple(
        (
            speech.chance(wager.chance),
            speech.say("figures.yes" if wager.insured else "figures.no"),
            _choices(wager, speech),
            speech.figure(wager.edge),
        )
        for wager in figures.wagers
    )
    if rows:
        yield Grid(tuple(speech.say(f"figures.{name}") for name in columns), rows)


def _choices(wager: WagerFigure, speech: Speech) -> str:
    told = []
    for place, course in wager.choices:
        state, _slash, verdict = place.rpartition("/")
        where = speech.say("figures.free") if state == FREE else speech.state(state)
        when = f"{where}, {_short(Verdict.of_id(verdict), speech)}"
        told.append(speech.named(when, speech.quoted(course)))
    return speech.apart(told) or "-"


def _short(verdict: Verdict, speech: Speech) -> str:
    return speech.say(f"short.{verdict.id}")
