"""Chances, ties and side bets in sentences."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Final

from trente_rules.core.cards import Colour
from trente_rules.core.chances import (
    COULEUR,
    INVERSE,
    SIMPLE_CHANCES,
    Chance,
    Condition,
    OutcomeBet,
    RowPoint,
    met,
)
from trente_rules.core.coup import POINTS, Outcome, outcomes
from trente_rules.core.house.house import House, SideBet
from trente_rules.core.money import NOUGHT
from trente_rules.reports.document import Items, Part
from trente_rules.reports.sentences import Speech

_COLOURS: Final = tuple((first, second) for first in Colour for second in Colour)


def chance_blocks(house: House, speech: Speech) -> Iterator[Part]:
    """Describe the simple chances: when each wins, and what it pays."""
    if {chance.id for chance in house.chances}.issuperset(SIMPLE_CHANCES):
        yield speech.say("wins.tableaux")
    yield Items(chance_text(house, chance, speech) for chance in house.chances if chance.simple)


def chance_text(house: House, chance: Chance, speech: Speech, name: str = "") -> str:
    """Return when a chance wins and what it pays, of a side bet also when it is returned.

    A side bet is called by a ``name`` where one is given, else by its id in quotation marks.
    """
    if not chance.simple:
        bet = next(bet for bet in house.side_bets if bet.id == chance.id)
        return _side_bet(house, bet, name or speech.chance(chance.id), speech)
    commissions: dict[str, Fraction] = {own.id: own.commission for own in house.chance_keys}
    basis = f".{house.deal.couleur}" if chance.id in (COULEUR, INVERSE) else ""
    wins = speech.say(f"wins.{chance.id}{basis}")
    return f"{wins} {_pays(chance.odds, commissions.get(chance.id, NOUGHT), speech)}"


def _pays(net: Fraction, commission: Fraction, speech: Speech) -> str:
    """Return what a win pays: the odds, and what the bank keeps of it."""
    if not commission:
        return speech.say("pays", odds=speech.odds(net))
    odds = speech.odds(net / (1 - commission))
    return speech.say("pays_less", odds=odds, commission=speech.percent(commission))


def tie_blocks(house: House, speech: Speech) -> Iterator[Part]:
    """Describe which ties are void and which lose, by chance where chances differ."""
    groups: dict[tuple[int, ...], list[str]] = {}
    for chance in house.chances:
        if chance.simple:
            groups.setdefault(chance.losing_ties, []).append(chance.id)
    if len(groups) == 1:
        yield _ties("", next(iter(groups)), speech)
        return
    yield speech.say("ties.differ")
    yield Items(
        speech.say("ties.of", chances=speech.all_of([speech.chance(name) for name in names]))
        + " "
        + _ties("of_", losing, speech)
        for losing, names in groups.items()
    )


def _ties(form: str, losing: Sequence[int], speech: Speech) -> str:
    if not losing:
        return speech.say(f"ties.{form}none")
    if len(losing) == len(POINTS):
        return speech.say(f"ties.{form}every")
    return speech.say(f"ties.{form}some", points=points_text(losing, speech))


def points_text(points: Sequence[int], speech: Speech) -> str:
    """Return points as a choice, four or more in a row as a range: ``31``, ``33 or 35 to 40``."""
    runs: list[list[int]] = []
    for point in points:
        if runs and runs[-1][-1] + 1 == point:
            runs[-1].append(point)
        else:
            runs.append([point])
    texts: list[str] = []
    for run in runs:
        if len(run) < _SHORTEST_RANGE:
            texts += map(str, run)
        else:
            texts.append(speech.say("list.range", low=run[0], high=run[-1]))
    return speech.any_of(texts)


_SHORTEST_RANGE: Final = 4


def side_bet_blocks(house: House, speech: Speech) -> Iterator[Part]:
    """Describe the side bets, each from its verdict table."""
    if not house.side_bets:
        yield speech.say("side.none")
        return
    all_need = len(house.side_bets) > 1 and all(bet.needs == "simple" for bet in house.side_bets)
    yield " ".join(speech.say(f"side.{key}") for key in ("lost", *["all_need_simple"] * all_need))
    lines = []
    for bet in house.side_bets:
        line = _side_bet(house, bet, speech.chance(bet.id), speech)
        if bet.needs == "simple" and not all_need:
            line += f" {speech.say('side.needs_simple')}"
        lines.append(line)
    yield Items(lines)


def _side_bet(house: House, bet: SideBet, name: str, speech: Speech) -> str:
    """Return when a side bet wins, what each win pays, and when it is returned."""
    chance, commission = house.chance(bet.id), bet.commission
    said = {
        met(conditions, house.deal): conditions for conditions in _conditions(bet) if conditions
    }
    wins: dict[Fraction, set[Outcome]] = {}
    pushes: set[Outcome] = set()
    for outcome, place in zip(outcomes(), chance.table, strict=True):
        verdict = chance.verdicts[place]
        if verdict.kind == "win":
            wins.setdefault(verdict.odds, set()).add(outcome)
        elif verdict.kind == "push":
            pushes.add(outcome)
    parts = [
        f"{speech.say('side.wins', name=name, when=_when(won, said, speech))} "
        f"{_pays(odds, commission, speech)}"
        for odds, won in sorted(wins.items())
    ]
    if not wins:
        parts.append(speech.say("side.never", name=name))
    if pushes:
        parts.append(speech.say("side.pushes", when=_when(pushes, said, speech)))
    return " ".join(parts)


Pairs = frozenset[tuple[int, int]]


def _conditions(bet: SideBet) -> Iterator[tuple[Condition, ...]]:
    """Yield the conditions that a side bet writes: of its wins, and of what is returned."""
    yield bet.pushes_on
    rule = bet.wins_on.rule
    if isinstance(rule, OutcomeBet):
        yield rule.on
    elif isinstance(rule, RowPoint):
        yield (rule.condition,)


def _met(conditions: Iterable[Condition], speech: Speech) -> str:
    """Return when one of some conditions is met, in words."""
    return speech.any_of(
        [
            speech.say("side.when", conditions=speech.all_of([*_clauses(condition, speech)]))
            for condition in conditions
        ]
    )


def _clauses(condition: Condition, speech: Speech) -> Iterator[str]:
    """Yield each key of a condition as a clause."""

    def clause(name: str, **values: str) -> str:
        return speech.say(f"side.condition.{name}", **values)

    if condition.tie is not None:
        yield clause("tie" if condition.tie else "no_tie")
    for name, points in (
        ("first", condition.first),
        ("second", condition.second),
        ("either", condition.either),
    ):
        if points:
            yield clause(name, points=points_text(sorted(points), speech))
    if condition.winner is not None:
        yield clause(f"winner_{condition.winner}")
    for name, colour in (
        ("first_card", condition.first_card),
        ("second_card", condition.second_card),
    ):
        if colour is not None:
            yield clause(name, colour=speech.say(f"colour.{colour}"))


def _when(
    met: Collection[Outcome],
    said: Mapping[frozenset[Outcome], Iterable[Condition]],
    speech: Speech,
) -> str:
    """Return outcomes in words: by the conditions that say just these, or by points and colours."""
    conditions = said.get(frozenset(met))
    if conditions is not None:
        return _met(conditions, speech)
    by_colours: dict[Pairs, list[tuple[Colour, Colour]]] = {}
    for colours in _COLOURS:
        pairs = frozenset(
            (o.first, o.second) for o in met if (o.first_colour, o.second_colour) == colours
        )
        by_colours.setdefault(pairs, []).append(colours)
    pairs = next(iter(by_colours))
    ties = [point for point in POINTS if (point, point) in pairs]
    if len(by_colours) == 1 and len(ties) == len(pairs):
        if len(ties) == len(POINTS):
            return speech.say("side.every_tie")
        return speech.say("side.ties", points=points_text(ties, speech))
    texts = [_outcomes(pairs, colours, speech) for pairs, colours in by_colours.items() if pairs]
    return speech.apart(texts)


def _outcomes(pairs: Pairs, colours: list[tuple[Colour, Colour]], speech: Speech) -> str:
    text = speech.any_of(_rows(pairs, speech))
    if len(colours) == len(_COLOURS):
        return text
    names = [
        speech.say(
            "side.colours",
            first=speech.say(f"colour.{first.name.lower()}"),
            second=speech.say(f"colour.{second.name.lower()}"),
        )
        for first, second in colours
    ]
    return speech.say("side.with_colours", colours=speech.any_of(names), pairs=text)


def _rows(pairs: Pairs, speech: Speech) -> list[str]:
    """Return pairs of points in words: points of one row alone where the other may be any."""
    whole = {
        "first": [point for point in POINTS if all((point, any_) in pairs for any_ in POINTS)],
        "second": [point for point in POINTS if all((any_, point) in pairs for any_ in POINTS)],
    }
    texts = []
    if len(whole["first"]) == len(POINTS):
        return [speech.say("side.every_coup")]
    for row, points in whole.items():
        if points:
            texts.append(speech.say(f"side.{row}_row", points=points_text(points, speech)))
    firsts: dict[tuple[int, ...], list[int]] = {}
    for first in POINTS:
        seconds = tuple(
            second
            for second in POINTS
            if (first, second) in pairs
            and first not in whole["first"]
            and second not in whole["second"]
        )
        if seconds:
            firsts.setdefault(seconds, []).append(first)
    texts += [
        speech.say(
            "side.pair", first=points_text(first, speech), seconds=points_text(seconds, speech)
        )
        for seconds, first in firsts.items()
    ]
    return texts
