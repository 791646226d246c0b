"""How the game goes: cards, rows, chances, ties, side bets, shoe, calls."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from trente_rules.deal.cards import Card, Colour
from trente_rules.deal.coup import LAST_OPEN_TOTAL, POINTS, Coup, Row, outcomes
from trente_rules.house.house import House, SideBetKeys
from trente_rules.house.rulebook.book import Block, Items
from trente_rules.house.rulebook.speech import Speech, plain
from trente_rules.house.toml import house_table
from trente_rules.keys import keys_of
from trente_rules.rules.announce import bets_closed_calls, bets_open_calls, coup_calls
from trente_rules.rules.chances import COULEUR, INVERSE, Chance, Verdict
from trente_rules.rules.shoe_rule import Marker

_TEN: Final = Card(10, "♠")
_COMMON_KEYS: Final = {"wins_on", *(info.name for info in keys_of(SideBetKeys))}
_COLOURS: Final = tuple((first, second) for first in Colour for second in Colour)


def game_blocks(house: House, speech: Speech) -> Iterator[Block]:
    """Tell cards, rows and points."""
    yield f"{speech.count('game.packs', house.shoe.packs)} {speech.say('game.values')}"
    yield speech.say("game.rows", open=LAST_OPEN_TOTAL, least=POINTS[0], most=POINTS[-1])
    yield f"{speech.say(f'game.first_row.{house.deal.first_row}')} {speech.say('game.winner')}"


def chance_blocks(house: House, speech: Speech) -> Iterator[Block]:
    """Tell the simple chances: when each wins, and what it pays."""
    lines = []
    for chance in house.chances:
        if chance.simple:
            basis = f".{house.deal.couleur}" if chance.id in (COULEUR, INVERSE) else ""
            wins = speech.say(f"wins.{chance.id}{basis}")
            lines.append(f"{wins} {speech.say('pays', odds=speech.odds(chance.odds))}")
    yield Items(tuple(lines))


def tie_blocks(house: House, speech: Speech) -> Iterator[Block]:
    """Tell which ties are void and which lose."""
    losing = [str(point) for point in POINTS if house.deal.loses(point)]
    if not losing:
        yield speech.say("ties.none")
    elif len(losing) == len(POINTS):
        yield speech.say("ties.every")
    else:
        yield speech.say("ties.some", points=speech.any_of(losing))


def side_bet_blocks(house: House, speech: Speech) -> Iterator[Block]:
    """Tell the side bets, each from its verdict table."""
    if not house.side_bets:
        yield speech.say("side.none")
        return
    yield speech.say("side.lost")
    lines = []
    for bet, table in zip(house.side_bets, house_table(house)["side_bets"], strict=True):
        chance = house.chance(bet.id)
        own = {name: table[name] for name in table if name not in _COMMON_KEYS}
        rule = rule_text(bet.wins_on.name, own, speech)
        parts = (
            speech.say("side.wins", name=speech.chance(bet.id), when=_when(chance, rule, speech)),
            speech.say("pays", odds=speech.odds(chance.odds)),
            speech.say("side.needs_simple") if chance.needs == "simple" else "",
        )
        lines.append(" ".join(part for part in parts if part))
    yield Items(tuple(lines))


Pairs = frozenset[tuple[int, int]]


def _when(chance: Chance, rule: str, speech: Speech) -> str:
    winning = [o for o, v in zip(outcomes(), chance.verdicts, strict=True) if v == Verdict.WIN]
    by_colours: dict[Pairs, list[tuple[Colour, Colour]]] = {}
    for first, second in _COLOURS:
        pairs = frozenset(
            (o.first, o.second)
            for o in winning
            if (o.first_colour, o.second_colour) == (first, second)
        )
        by_colours.setdefault(pairs, []).append((first, second))
    ties = [str(point) for point in POINTS if (point, point) in next(iter(by_colours))]
    if not winning:
        return speech.say("side.never")
    if len(by_colours) == 1 and len(ties) == len(next(iter(by_colours))):
        every = len(ties) == len(POINTS)
        return speech.say("side.every_tie") if every else _ties(ties, speech)
    told = [_outcomes(pairs, colours, speech) for pairs, colours in by_colours.items() if pairs]
    return f"{'; '.join(told)} ({rule})"


def _ties(points: list[str], speech: Speech) -> str:
    return speech.say("side.ties", points=speech.any_of(points))


def _outcomes(pairs: Pairs, colours: list[tuple[Colour, Colour]], speech: Speech) -> str:
    rows = []
    for first in POINTS:
        seconds = [str(second) for second in POINTS if (first, second) in pairs]
        if seconds:
            rows.append(speech.say("side.pair", first=first, seconds=speech.any_of(seconds)))
    told = ", ".join(rows)
    if len(colours) == len(_COLOURS):
        return told
    names = [
        speech.say("side.colours", first=_colour(a, speech), second=_colour(b, speech))
        for a, b in colours
    ]
    return speech.say("side.with_colours", colours=speech.any_of(names), pairs=told)


def _colour(colour: Colour, speech: Speech) -> str:
    return speech.say(f"colour.{colour.name.lower()}")


def rule_text(name: str, keys: dict[str, Any], speech: Speech) -> str:
    """Answer a stranger's rule by its name and the values of its keys, as TOML writes them."""
    values = ", ".join(f"{key} = {value}" for key, value in keys.items())
    return speech.named(speech.quoted(name), plain(values)) if values else speech.quoted(name)


def shoe_blocks(house: House, speech: Speech) -> Iterator[Block]:
    """Tell the cut, the burn, the marker and what happens at the end of the shoe."""
    shoe, say = house.shoe, speech.say
    lines = [say(f"shoe.cut_by.{shoe.cut_by}")]
    if shoe.burn:
        seen = "shoe.burn_shown" if shoe.burn_shown else "shoe.burn_unseen"
        shown = speech.count(seen, shoe.burn)
        lines.append(f"{speech.count('shoe.burn', shoe.burn)} {shown}")
    else:
        lines.append(say("shoe.no_burn"))
    if shoe.marker is None:
        lines.append(say("shoe.no_marker"))
    else:
        lines += _marker(shoe.marker, speech)
        lines.append(say("shoe.talon_counted" if shoe.count_talon else "shoe.talon_not_counted"))
    lines.append(say(f"shoe.exposed_card.{shoe.exposed_card}"))
    if house.machine.prisons:
        lines.append(say(f"shoe.prisoners_at_end.{shoe.prisoners_at_end}"))
    yield Items(tuple(lines))


def _marker(marker: Marker, speech: Speech) -> Iterator[str]:
    low, high = marker.bounds
    key = f"shoe.marker.{marker.placed_by}"
    if low == high:
        yield speech.count(key, low)
    else:
        yield speech.say(f"{key}_between", low=low, high=high)
    yield speech.say(f"shoe.on_marker.{marker.on_marker}")


def void_blocks(house: House, speech: Speech) -> Iterator[Block]:
    """Tell what a void coup is, and how errors are put right."""
    say = speech.say
    lines = [say("voids.restored")]
    if house.machine.prisons:
        lines.append(say("voids.prisoners"))
    if house.insurance_table is not None:
        lines.append(say("voids.premium"))
    yield Items((*lines, say("voids.too_few_cards"), say("voids.errors")))


def call_blocks(house: House, speech: Speech) -> Iterator[Block]:
    """Tell the calls by examples: the house's own words, made by its own announcements."""
    lines = []
    for key, calls in (
        ("calls.open", bets_open_calls(house.words)),
        ("calls.close", bets_closed_calls(house.words)),
    ):
        if calls:
            lines.append(speech.say(key, calls=_said([call.text for call in calls], speech)))
    refait = next((point for point in POINTS if house.deal.loses(point)), POINTS[0])
    for first, second in ((34, 40), (39, 32), (refait, refait), (38, 38)):
        coup = Coup(_row(first), _row(second))
        verdicts = {chance.id: chance.verdict(coup) for chance in house.chances}
        leading = Colour[house.deal.first_row.upper()]
        called = coup_calls(house.announcements, house.words, coup, leading, verdicts)
        said = _said([call.text for call in called], speech)
        if said:
            lines.append(speech.say("calls.example", first=first, second=second, calls=said))
    if lines:
        yield speech.say("calls.what")
        yield Items(tuple(lines))


def _row(point: int) -> Row:
    return Row((_TEN, _TEN, _TEN, Card(point - LAST_OPEN_TOTAL, "♣")))


def _said(texts: list[str], speech: Speech) -> str:
    return ", ".join(speech.quoted(text) for text in texts if text)
