"""How the game goes: cards, rows, chances, ties, side bets, shoe, calls."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from math import lcm
from typing import Any, Final

from attrs import frozen

from trente_rules.core.cards import Card, Colour
from trente_rules.core.chances import COULEUR, INVERSE, Chance, Verdict
from trente_rules.core.coup import LAST_OPEN_TOTAL, POINTS, Coup, Row, outcomes
from trente_rules.core.house.house import House, SideBetKeys
from trente_rules.core.house.loading import house_table
from trente_rules.core.keys import keys_of
from trente_rules.core.machine import FREE, Course, StakeMachine
from trente_rules.core.money import round_to_player
from trente_rules.core.plugins.manager import PluginManager, default_manager
from trente_rules.core.rules.announcements import (
    Call,
    bets_closed_calls,
    bets_open_calls,
    coup_calls,
    warn_borrowed,
)
from trente_rules.core.rules.insurance import InsuranceTable
from trente_rules.core.rules.limits import Limits, TableBounds
from trente_rules.core.shoe import Marker
from trente_rules.core.stakes import Opening
from trente_rules.reports.document import Grid, Items, Part, Report, Section
from trente_rules.reports.sentences import Speech, capital, plain

_TEN: Final = Card(10, "♠")
_COMMON_KEYS: Final = {"wins_on", *(info.name for info in keys_of(SideBetKeys))}
_COLOURS: Final = tuple((first, second) for first in Colour for second in Colour)


def game_blocks(house: House, speech: Speech) -> Iterator[Part]:
    """Tell cards, rows and points."""
    yield f"{speech.say('game.packs', number=house.shoe.packs)} {speech.say('game.values')}"
    yield speech.say("game.rows", open=LAST_OPEN_TOTAL, least=POINTS[0], most=POINTS[-1])
    yield f"{speech.say(f'game.first_row.{house.deal.first_row}')} {speech.say('game.winner')}"


def chance_blocks(house: House, speech: Speech) -> Iterator[Part]:
    """Tell the simple chances: when each wins, and what it pays."""
    lines = []
    for chance in house.chances:
        if chance.simple:
            basis = f".{house.deal.couleur}" if chance.id in (COULEUR, INVERSE) else ""
            wins = speech.say(f"wins.{chance.id}{basis}")
            lines.append(f"{wins} {speech.say('pays', odds=speech.odds(chance.odds))}")
    yield Items(tuple(lines))


def tie_blocks(house: House, speech: Speech) -> Iterator[Part]:
    """Return which ties are void and which lose."""
    losing = [str(point) for point in POINTS if house.deal.loses(point)]
    if not losing:
        yield speech.say("ties.none")
    elif len(losing) == len(POINTS):
        yield speech.say("ties.every")
    else:
        yield speech.say("ties.some", points=speech.any_of(losing))


def side_bet_blocks(house: House, speech: Speech) -> Iterator[Part]:
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
    winning = [
        outcome
        for outcome, place in zip(outcomes(), chance.table, strict=True)
        if chance.verdicts[place].kind == "win"
    ]
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
    """Return a stranger's rule by its name and the values of its keys, as TOML writes them."""
    values = ", ".join(f"{key} = {value}" for key, value in keys.items())
    return speech.named(speech.quoted(name), plain(values)) if values else speech.quoted(name)


def shoe_blocks(house: House, speech: Speech) -> Iterator[Part]:
    """Tell the cut, the burn, the marker and what happens at the end of the shoe."""
    shoe, say = house.shoe, speech.say
    lines = [say(f"shoe.cut_by.{shoe.cut_by}")]
    if shoe.burn:
        seen = "shoe.burn_shown" if shoe.burn_shown else "shoe.burn_unseen"
        shown = speech.say(seen, number=shoe.burn)
        lines.append(f"{speech.say('shoe.burn', number=shoe.burn)} {shown}")
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
        yield speech.say(key, number=low)
    else:
        yield speech.say(f"{key}_between", low=low, high=high)
    yield speech.say(f"shoe.on_marker.{marker.on_marker}")


def void_blocks(house: House, speech: Speech) -> Iterator[Part]:
    """Return what a void coup is, and how errors are put right."""
    say = speech.say
    lines = [say("voids.restored")]
    if house.machine.prisons:
        lines.append(say("voids.prisoners"))
    if house.insurance_table is not None:
        lines.append(say("voids.premium"))
    yield Items((*lines, say("voids.too_few_cards"), say("voids.errors")))


def call_blocks(house: House, speech: Speech) -> Iterator[Part]:
    """Tell the calls by examples: the house's own words, made by its own announcements."""
    lines = []
    for key, calls in (
        ("calls.open", bets_open_calls(house.words)),
        ("calls.close", bets_closed_calls(house.words)),
    ):
        if calls:
            lines.append(speech.say(key, calls=_said(house, calls, speech)))
    refait = next((point for point in POINTS if house.deal.loses(point)), POINTS[0])
    for first, second in ((34, 40), (39, 32), (refait, refait), (38, 38)):
        coup = Coup(_row(first), _row(second))
        verdicts = {chance.id: chance.verdict(coup) for chance in house.chances}
        leading = Colour[house.deal.first_row.upper()]
        called = coup_calls(house.announcements, house.words, coup, leading, verdicts)
        said = _said(house, called, speech)
        if said:
            lines.append(speech.say("calls.example", first=first, second=second, calls=said))
    if lines:
        yield speech.say("calls.what")
        yield Items(tuple(lines))


def _row(point: int) -> Row:
    return Row((_TEN, _TEN, _TEN, Card(point - LAST_OPEN_TOTAL, "♣")))


def _said(house: House, calls: Iterable[Call], speech: Speech) -> str:
    return ", ".join(speech.quoted(house.words.say(call)) for call in calls)


# --- Which stakes are taken, how they are settled and paid, and the most that they can win


def limit_blocks(house: House, speech: Speech) -> Iterator[Part]:
    """Tell the limits; a function that a plugin adds to them is named by its rule."""
    limits = house.limits_table
    yield from _tables(limits, speech)
    if limits.also is not None or type(limits) is not Limits:
        keys = {k: v for k, v in house_table(house)["limits"].items() if k != "rule"}
        yield speech.say("limits.own_rule", rule=rule_text(house.limits.name, keys, speech))
    shown: dict[str, Callable[[Any], str]] = {
        "amount": speech.amount,
        "chance": speech.chance,
        "most": speech.percent,
    }
    lines = [
        speech.say(
            f"limits.{fact}",
            **{name: shown.get(name, str)(value) for name, value in values.items()},
        )
        for fact, values in limits.facts(house.deal.chances, prisons=bool(house.machine.prisons))
    ]
    yield Items((*lines, speech.say("limits.refused")))


def _tables(limits: Limits, speech: Speech) -> Iterator[Part]:
    first = limits.tables[0]
    if limits.by_opening:
        yield speech.say("limits.tables")
        yield Items(
            tuple(
                speech.say(
                    "limits.pair",
                    minimum=speech.amount(table.minimum or 0),
                    maximum=_maximum(table, speech),
                )
                for table in limits.tables
            )
        )
        return
    if first.minimum is None:
        minimum = speech.say("limits.at_opening")
    else:
        minimum = speech.say("limits.minimum", amount=speech.amount(first.minimum))
    maximum = _maximum(first, speech)
    if maximum:
        yield f"{minimum} {speech.say('limits.maximum', amount=maximum)}"
    else:
        yield f"{minimum} {speech.say('limits.no_maximum')}"


def _maximum(table: TableBounds, speech: Speech) -> str:
    if table.multiple is None:
        return "" if table.maximum is None else speech.amount(table.maximum)
    if table.most is None:
        return speech.say("limits.multiple", times=table.multiple)
    return speech.say(
        "limits.multiple_amount", times=table.multiple, amount=speech.amount(table.most)
    )


def settlement_blocks(house: House, speech: Speech) -> Iterator[Part]:
    """Tell the order of settling, and what becomes of parts of a unit."""
    order, say = house.settlement, speech.say
    if order.order == "as-placed":
        yield say("settlement.as_placed")
    else:
        names = dict.fromkeys((*order.pay, *(chance.id for chance in house.chances)))
        yield say(
            "settlement.losers_first",
            collect=say(f"settlement.from.{order.collect_from}"),
            chances=", ".join(speech.chance(name) for name in names),
            pay=say(f"settlement.from.{order.pay_from}"),
        )
    unit = say("settlement.unit", amount=speech.amount(1))
    yield f"{unit} {say(f'settlement.rounding.{house.money.rounding}')}"


def payout_blocks(house: House, speech: Speech) -> Iterator[Part]:
    """Tell the most that one player's stakes on a chance can win in one coup."""
    tables = house.limits_table.tables
    yield speech.say("payout.what")
    columns = [speech.say("payout.most")]
    if len(tables) > 1:
        columns = [
            speech.say("payout.table", minimum=speech.amount(table.minimum or 0))
            for table in tables
        ]
    rows = tuple(
        (
            speech.chance(chance.id),
            speech.odds(chance.odds),
            *(_most(house, chance, table, speech) for table in tables),
        )
        for chance in house.chances
    )
    yield Grid("", (speech.say("payout.chance"), speech.say("payout.odds"), *columns), rows)


def _times(key: str, chance: Chance, speech: Speech) -> str:
    form = f"{key}_one" if chance.odds == 1 else key
    return speech.say(form, chance=speech.chance(chance.id), times=speech.number(chance.odds))


def _most(house: House, chance: Chance, table: TableBounds, speech: Speech) -> str:
    limits = house.limits_table
    if table.multiple and table.minimum is None and limits.own(chance.id).maximum is None:
        times = speech.number(chance.odds * table.multiple)
        return speech.say("payout.times_minimum", times=times)
    maximum = limits.bounds(Opening(table.minimum or 1), chance.id).most
    if maximum is None:
        return _times("payout.no_limit", chance, speech)
    largest = max(maximum - maximum % step for step in _steps(house, chance))
    won = round_to_player(Fraction(largest) * chance.odds, house.money.rounding)
    return speech.amount(won.units)


def _steps(house: House, chance: Chance) -> Iterator[int]:
    """Return what stakes are multiples of: uninsured ones, and insured ones where they differ."""
    step = house.limits_table.step
    if house.money.rounding != "refuse":
        yield step
        return
    for wager in house.wagers_on(chance.id):
        table = wager.insurance
        courses = [
            course
            for verdict, _courses in wager.machine.occurring(FREE)
            for course in wager.courses(FREE, verdict)
        ]
        exact = lcm(step, chance.odds.denominator, *(c.returned.denominator for c in courses))
        if table is None:
            yield exact
        elif not table.started:
            yield lcm(exact, table.rate.denominator, table.multiple or 1)


# --- What becomes of stakes, told from the built stake machine and the insurance table alone


def stake_blocks(house: House, speech: Speech) -> Iterator[Part]:
    """Tell every state, verdict and course of the stake machine."""
    machine = house.machine
    if machine.prisons:
        yield f"{speech.say('stakes.worth')} {speech.say('stakes.no_winnings')}"
    for state in machine.states:
        title = "stakes.free" if state == FREE else "stakes.imprisoned"
        yield speech.say(title, **({} if state == FREE else {"state": speech.state(state)}))
        yield Items(tuple(_answers(machine, state, speech)))


def _answers(machine: StakeMachine, state: str, speech: Speech) -> Iterator[str]:
    for verdict in (*machine.verdicts, Verdict.CLOSE):
        told = _choice(state, verdict, machine.courses(state, verdict), speech)
        yield speech.say("stakes.answer", verdict=capital(speech.verdict(verdict)), course=told)


def _choice(state: str, verdict: Verdict, courses: tuple[Course, ...], speech: Speech) -> str:
    if len(courses) == 1:
        return course_text(state, verdict, courses[0], speech)
    told = []
    for course in courses:
        line = speech.say(
            "stakes.default" if course.default else "stakes.other",
            name=speech.quoted(course.name),
            course=course_text(state, verdict, course, speech),
        )
        condition = course.offered_from == "minimum"
        told.append(f"{line} {speech.say('stakes.not_below')}" if condition else line)
    return speech.say("stakes.choice", courses=speech.apart(told))


def course_text(state: str, verdict: Verdict, course: Course, speech: Speech) -> str:
    """Return in words what a course does to a stake in a state."""
    if state == FREE and verdict.kind == "win":
        return speech.say("course.won")
    if course.returned == 1:
        freed = "course.freed" if verdict.kind == "win" else "course.worth_back"
        return speech.say("course.back" if state == FREE else freed)
    parts = []
    if course.returned:
        parts.append(speech.say("course.part_back", share=speech.share(course.returned)))
    if course.staying:
        parts.append(_staying(state, course, speech))
    if not parts:
        return speech.say("course.lost")
    if course.forfeited and (course.returned or course.staying == 0):
        parts.append(speech.say("course.rest_lost", share=speech.share(course.forfeited)))
    return speech.all_of(parts)


def _staying(state: str, course: Course, speech: Speech) -> str:
    whole = "" if course.staying == 1 else "_worth"
    values: dict[str, str] = {} if course.staying == 1 else {"share": speech.share(course.staying)}
    if course.state == state:
        return speech.say(f"course.stays{whole}", **values)
    return speech.say(f"course.goes{whole}", state=speech.state(course.state), **values)


def insurance_blocks(house: House, speech: Speech) -> Iterator[Part]:
    """Return what insurance costs and does, from the insurance table."""
    table = house.insurance_table
    if table is None:
        yield speech.say("insurance.none")
        return
    say = speech.say
    covered = [say("insurance.free") if s == FREE else speech.state(s) for s in table.covers]
    yield say("insurance.what", states=speech.all_of(covered))
    lines = [*_premium(table, speech)]
    if table.minimum_stake:
        lines.append(say("insurance.minimum_stake", amount=speech.amount(table.minimum_stake)))
    if table.multiple:
        lines.append(say("insurance.multiple", amount=speech.amount(table.multiple)))
    if not table.minimum_stake and not table.multiple:
        lines.append(say("insurance.any_stake"))
    if FREE in table.covers and table.back == 1:
        lines.append(say("insurance.serves_free"))
    elif FREE in table.covers:
        (course,) = house.machine.courses(FREE, Verdict.REFAIT, insured=table.back)
        text = course_text(FREE, Verdict.REFAIT, course, speech)
        lines.append(
            say("stakes.answer", verdict=capital(speech.verdict(Verdict.REFAIT)), course=text)
        )
    if set(table.covers) - {FREE}:
        lines.append(say("insurance.serves_prison"))
    lines += _fates(house, table, speech)
    lines.append(say("insurance.prepaid" if table.proof_needed else "insurance.not_prepaid"))
    if table.proof_needed:
        lines.append(say(f"insurance.without_proof.{table.without_proof}"))
    yield Items(tuple(lines))


def _premium(table: InsuranceTable, speech: Speech) -> Iterator[str]:
    if table.started:
        yield speech.say(
            "insurance.started",
            premium=speech.amount(Fraction(table.started) * table.rate),
            started=speech.amount(table.started),
        )
    else:
        yield speech.say("insurance.rate", rate=speech.percent(table.rate))
    if table.minimum_premium:
        amount = speech.amount(table.minimum_premium)
        yield speech.say("insurance.minimum_premium", amount=amount)
    yield speech.say(f"insurance.rounding.{speech.money.rounding}")


def _fates(house: House, table: InsuranceTable, speech: Speech) -> Iterator[str]:
    meeting = (*house.machine.verdicts, Verdict.CLOSE)
    for fate, kept in (("kept", True), ("returned", False)):
        moments = [speech.verdict(v) for v in meeting if table.keeps(v) is kept]
        if moments:
            yield speech.say(f"insurance.{fate}", moments=speech.any_of(moments))
    yield speech.say("insurance.void")


# --- The rulebook of a house: every part in order, and the figures that a caller may add

Teller = Callable[[House, Speech], Iterable[Part]]


@frozen
class WagerFigure:
    """The bank's advantage on one wager: ``choices`` as (``"free/refait"``, course), in stakes."""

    chance: str
    insured: bool
    choices: tuple[tuple[str, str], ...]
    edge: Fraction


@frozen
class RulebookFigures:
    """Exact odds that the analysis found, as plain numbers: probabilities of one coup, edges.

    ``wagers`` may be left empty, where a house has too many policies to be told.
    """

    packs: int
    refait: Fraction
    apres: Fraction
    wagers: tuple[WagerFigure, ...]


def _source_blocks(house: House, speech: Speech) -> Iterator[Part]:
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


def rulebook(
    house: House,
    language: str = "en",
    figures: RulebookFigures | None = None,
    *,
    plugins: PluginManager | None = None,
) -> Report:
    """Tell the rules of a house in a language, with the odds where figures are given.

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
        yield Grid("", (speech.say(f"figures.{name}") for name in columns), rows)


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
