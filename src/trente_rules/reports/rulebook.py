"""The rulebook: the rules of a house in sentences, generated from the values that are executed."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from math import lcm
from typing import Any, Final

from attrs import frozen

from trente_rules.core.cards import Card, Colour
from trente_rules.core.chances import (
    COULEUR,
    INVERSE,
    SIMPLE_CHANCES,
    Chance,
    Condition,
    OutcomeBet,
    RowPoint,
    Verdict,
    met,
)
from trente_rules.core.coup import LAST_OPEN_TOTAL, POINTS, Coup, Outcome, Row, outcomes
from trente_rules.core.house.house import House, SideBet
from trente_rules.core.house.loading import house_table
from trente_rules.core.machine import FREE, Course, StakeMachine
from trente_rules.core.money import NOUGHT, ONE, round_to_player
from trente_rules.core.plugins.manager import PluginManager, default_manager
from trente_rules.core.rules.announcements import (
    Call,
    bets_closed_calls,
    bets_open_calls,
    calls_of,
    coup_calls,
    opening_calls,
    talon_calls,
    warn_borrowed,
)
from trente_rules.core.rules.insurance import InsuranceTable
from trente_rules.core.rules.limits import Limits, TableBounds
from trente_rules.core.shoe import LEAST_CARDS, LEAST_COUP, Marker
from trente_rules.core.stakes import Opening
from trente_rules.reports.document import Grid, Items, Part, Report, Section
from trente_rules.reports.nominal import Scope
from trente_rules.reports.sentences import Speech, capital, plain

_COLOURS: Final = tuple((first, second) for first in Colour for second in Colour)


def game_blocks(house: House, speech: Speech) -> Iterator[Part]:
    """Describe cards, rows and points."""
    yield f"{speech.say('game.packs', number=house.shoe.packs)} {speech.say('game.values')}"
    yield speech.say("game.rows", open=LAST_OPEN_TOTAL, least=POINTS[0], most=POINTS[-1])
    first, winner = f"game.first_row.{house.deal.first_row}", f"game.wins.{house.deal.wins}"
    yield f"{speech.say(first)} {speech.say(winner)}"


def chance_blocks(house: House, speech: Speech) -> Iterator[Part]:
    """Describe the simple chances: when each wins, and what it pays."""
    lines = []
    if {chance.id for chance in house.chances}.issuperset(SIMPLE_CHANCES):
        yield speech.say("wins.tableaux")
    commissions: dict[str, Fraction] = {own.id: own.commission for own in house.chance_keys}
    for chance in house.chances:
        if chance.simple:
            basis = f".{house.deal.couleur}" if chance.id in (COULEUR, INVERSE) else ""
            wins = speech.say(f"wins.{chance.id}{basis}")
            pays = _pays(chance.odds, commissions.get(chance.id, NOUGHT), speech)
            lines.append(f"{wins} {pays}")
    yield Items(lines)


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
        line = _side_bet(house, bet, speech)
        if bet.needs == "simple" and not all_need:
            line += f" {speech.say('side.needs_simple')}"
        lines.append(line)
    yield Items(lines)


def _side_bet(house: House, bet: SideBet, speech: Speech) -> str:
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
    name = speech.chance(chance.id)
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


def rule_text(name: str, keys: dict[str, Any], speech: Speech) -> str:
    """Return the rule of a plugin by its name and the values of its keys, as TOML writes them."""
    values = ", ".join(f"{key} = {value}" for key, value in keys.items())
    return speech.named(speech.quoted(name), plain(values)) if values else speech.quoted(name)


def shoe_blocks(house: House, speech: Speech) -> Iterator[Part]:
    """Describe the cut, the burn, the marker and the end of the shoe."""
    shoe, say = house.shoe, speech.say
    if shoe.every_coup:
        yield Items((say("shoe.every_coup"), say(f"shoe.exposed_card.{shoe.exposed_card}")))
        return
    lines = [say(f"shoe.cut_by.{shoe.cut_by}")]
    if shoe.cut == "after-bets":
        lines[0] += f" {say('shoe.cut_after_bets')}"
    if shoe.burn == "first-card":
        seen = "shoe.burn_first_shown" if shoe.burn_shown else "shoe.burn_first_unseen"
        lines.append(f"{say('shoe.burn_first')} {say(seen)}")
    elif shoe.burn:
        seen = "shoe.burn_shown" if shoe.burn_shown else "shoe.burn_unseen"
        lines.append(f"{say('shoe.burn', number=shoe.burn)} {say(seen, number=shoe.burn)}")
    else:
        lines.append(say("shoe.no_burn"))
    if shoe.ends == "no-coup":
        lines.append(say("shoe.no_coup", cards=LEAST_CARDS, points=LEAST_COUP))
    elif shoe.marker is None:
        lines.append(say("shoe.no_marker"))
    else:
        lines += _marker(shoe.marker, speech)
        lines.append(say("shoe.talon_counted" if shoe.count_talon else "shoe.talon_not_counted"))
    lines.append(say(f"shoe.exposed_card.{shoe.exposed_card}"))
    if house.machine.prisons:
        lines.append(say(f"shoe.prisoners_at_end.{shoe.prisoners_at_end}"))
    yield Items(lines)


def _marker(marker: Marker, speech: Speech) -> Iterator[str]:
    low, high = marker.bounds
    key = f"shoe.marker.{marker.placed_by}"
    if low == high:
        yield speech.say(key, number=low)
    else:
        yield speech.say(f"{key}_between", low=low, high=high)
    yield speech.say(f"shoe.on_marker.{marker.on_marker}")


def void_blocks(house: House, speech: Speech) -> Iterator[Part]:
    """Describe void coups, and how errors are corrected."""
    say = speech.say
    lines = [say("voids.restored")]
    if house.machine.prisons:
        lines.append(say("voids.prisoners"))
    if house.insurance_table is not None:
        lines.append(say("voids.premium"))
    if not house.shoe.every_coup:
        lines.append(say("voids.too_few_cards"))
    yield Items((*lines, say("voids.errors")))


def call_blocks(house: House, speech: Speech) -> Iterator[Part]:
    """Describe the calls, each with its moment: examples of coups, and all that is called else.

    What the host has said beyond the coups (``je_vais_a_la_banque``, ``ajouter_a_la_banque``) is
    left out: no rule says when.
    """
    moments = [
        speech.say(f"calls.{moment}", calls=said)
        for moment, calls in _moments(house)
        if (said := _said(house, calls, speech))
    ]
    if moments:
        yield speech.say("calls.what")
        yield Items(moments)
    examples = tuple(_examples(house, speech))
    if examples:
        yield speech.say("calls.examples")
        yield Items(examples)


def _moments(house: House) -> Iterator[tuple[str, tuple[Call, ...]]]:
    """Return the calls outside the rows by their moments, in the order of a taille."""
    words, shoe = house.words, house.shoe
    opening = [("open", bets_open_calls(words)), ("close", bets_closed_calls(words))]
    cut = [("cut", calls_of(words, "cut"))]
    # Where the first card says how many are burned, a ten does so in the example.
    cut.append(("burn", opening_calls(words, shoe.burn_bounds[1], cut=False)))
    if not shoe.every_coup:
        opening = opening + cut if shoe.cut == "after-bets" else cut + opening
    yield from opening
    phrases = course_phrases(house.machine)
    for phrase in _COURSE_CALLS:
        if phrase in phrases:
            yield phrase, calls_of(words, phrase)
    others = [phrase for phrase in phrases if phrase not in _COURSE_CALLS]
    yield "other", tuple(call for phrase in others for call in calls_of(words, phrase))
    yield "carte_brulee", calls_of(words, "carte_brulee")
    yield "coup_annule", calls_of(words, "coup_annule")
    if shoe.finishes:
        yield "dernier_coup", calls_of(words, "dernier_coup")
    if shoe.count_talon:
        yield "talon", talon_calls(words, shoe.marker_bounds[1])
    if not shoe.every_coup:
        yield "les_cartes_passent", calls_of(words, "les_cartes_passent")


_COURSE_CALLS: Final = ("en_prison", "partage", "libre")


def course_phrases(machine: StakeMachine) -> tuple[str, ...]:
    """Return the phrases that the courses of a machine have the croupier say, each once."""
    said = dict.fromkeys(
        course.call
        for state in machine.states
        for _verdict, courses in machine.occurring(state)
        for course in courses
    )
    return tuple(phrase for phrase in said if phrase)


def _examples(house: House, speech: Speech) -> Iterator[str]:
    """Yield the calls of example coups: each result with a first card of either colour, and ties.

    Where the colour of the first cards changes nothing, it is not named.
    """
    losing = house.losing_ties
    special = dict.fromkeys(
        verdict for chance in house.chances if chance.simple for verdict in chance.possible()
    )
    shown = [verdict.point for verdict in special if verdict.point is not None]
    ordinary = [point for point in losing if point not in shown]
    tie = next((point for point in (38, *POINTS) if point not in losing), None)
    points = [(34, 40), (39, 32), *((point, point) for point in (*ordinary[:1], *sorted(shown)))]
    if tie is not None:
        points.append((tie, tie))
    for first, second in points:
        said = {}
        for suit in ("♠", "♥"):
            coup = Coup(_row(first, suit), _row(second, suit))
            verdicts = {chance.id: chance.verdict(coup) for chance in house.chances}
            calls = coup_calls(
                house.announcements, house.words, coup, house.deal.first_colour, verdicts
            )
            said[suit] = _said(house, calls, speech)
        values = {"first": first, "second": second}
        if said["♠"] == said["♥"]:
            if said["♠"]:
                yield speech.say("calls.example", **values, calls=said["♠"])
            continue
        for suit, colour in (("♠", "black"), ("♥", "red")):
            yield speech.say(f"calls.example_{colour}", **values, calls=said[suit])


def _row(point: int, suit: str) -> Row:
    ten = Card(10, suit)
    return Row((ten, ten, ten, Card(point - LAST_OPEN_TOTAL, "♣")))


def _said(house: House, calls: Iterable[Call], speech: Speech) -> str:
    return ", ".join(speech.quoted(house.words.say(call)) for call in calls)


def limit_blocks(house: House, speech: Speech) -> Iterator[Part]:
    """Describe the limits; a function that a plugin adds to them is named by its rule."""
    limits = house.limits_table
    yield from _tables(limits, speech)
    if limits.also is not None or type(limits) is not Limits:
        keys = {k: v for k, v in house_table(house)["limits"].items() if k != "rule"}
        yield speech.say("limits.own_rule", rule=rule_text(house.limits.name, keys, speech))
    write: dict[str, Callable[[Any], str]] = {
        "amount": speech.amount,
        "chance": speech.chance,
        "most": speech.percent,
    }
    lines = []
    for fact, values in limits.facts(house.deal.chances, prisons=bool(house.machine.prisons)):
        texts = {name: write.get(name, str)(value) for name, value in values.items()}
        key = f"limits.{fact}"
        if fact.startswith("late_bets."):
            if closing := bets_closed_calls(house.words):
                texts["call"] = speech.quoted(house.words.say(closing[-1]))
            else:
                key += "_uncalled"
        lines.append(speech.say(key, **texts))
    yield Items((*lines, speech.say("limits.refused")))


def _tables(limits: Limits, speech: Speech) -> Iterator[Part]:
    first = limits.tables[0]
    if limits.by_opening:
        yield speech.say("limits.tables")
        yield Items(
            speech.say(
                "limits.pair",
                minimum=speech.amount(table.minimum or 0),
                maximum=_maximum(table, speech),
            )
            for table in limits.tables
        )
        return
    if first.minimum is None:
        minimum = speech.say("limits.at_opening")
    else:
        minimum = speech.say("limits.minimum", amount=speech.amount(first.minimum))
    maximum = _maximum(first, speech)
    if first.posted:
        most = speech.say("limits.maximum_posted")
    elif maximum:
        most = speech.say("limits.maximum", amount=maximum)
    else:
        bounded = any(own.bounded for own in limits.per_chance)
        most = speech.say("limits.no_other_maximum" if bounded else "limits.no_maximum")
    yield f"{minimum} {most}"


def _maximum(table: TableBounds, speech: Speech) -> str:
    if table.multiple is None:
        return "" if table.maximum is None else speech.amount(table.maximum)
    if table.most is None:
        return speech.say("limits.multiple", times=table.multiple)
    return speech.say(
        "limits.multiple_amount", times=table.multiple, amount=speech.amount(table.most)
    )


def settlement_blocks(house: House, speech: Speech) -> Iterator[Part]:
    """Describe the order of settling, and the rounding of parts of a unit."""
    order, say = house.settlement, speech.say
    if order.order == "as-placed":
        yield say("settlement.as_placed")
    elif order.order == "by-position":
        yield say(
            "settlement.by_position",
            collect=say(f"settlement.from.{order.ends[0]}"),
            pay=say(f"settlement.from.{order.ends[1]}"),
        )
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
    """Describe the most that one player's stakes on a chance can win in one coup."""
    tables = house.limits_table.tables
    yield speech.say("payout.what")
    names = [speech.say(f"payout.{name}") for name in ("chance", "odds", "most")]
    if len(tables) > 1:
        names[2:] = (
            speech.say("payout.table", minimum=speech.amount(table.minimum or 0))
            for table in tables
        )
    yield Grid(
        "",
        names,
        (
            (
                speech.chance(chance.id),
                speech.odds(chance.odds),
                *(_most(house, chance, table, speech) for table in tables),
            )
            for chance in house.chances
        ),
    )


def _most(house: House, chance: Chance, table: TableBounds, speech: Speech) -> str:
    limits = house.limits_table
    own, odds = limits.own(chance.id), chance.odds
    posted = "maximum" in own.posted or (table.posted and not own.bounded)
    multiple = own.multiple if own.bounded else table.multiple
    daily = own.minimum is None and (table.minimum is None or "minimum" in own.posted)
    bounds = limits.bounds_at(table, Opening(), chance.id)
    if posted or (multiple and daily):
        times = speech.number(odds * (multiple or 1))
        key = "payout.times_minimum" if multiple else "payout.times_maximum"
        if not multiple and odds == 1:
            key = "payout.times_maximum_one"
        text = speech.say(key, times=times)
        if bounds.win is not None:
            text = speech.say("payout.capped", most=text, amount=speech.amount(bounds.win))
        return text
    maximum = bounds.most
    if maximum is None:
        key = "payout.no_limit_one" if chance.odds == 1 else "payout.no_limit"
        times = speech.number(chance.odds)
        return speech.say(key, chance=speech.chance(chance.id), times=times)
    largest = max(maximum - maximum % step for step in _steps(house, chance))
    won = round_to_player(Fraction(largest) * chance.odds, house.money.rounding)
    return speech.amount(won.units)


def _steps(house: House, chance: Chance) -> Iterator[int]:
    """Yield the steps of stakes: of uninsured ones, and of insured ones where they differ."""
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


def stake_blocks(house: House, speech: Speech) -> Iterator[Part]:
    """Describe every state, verdict and course of the stake machine."""
    machine = house.machine
    if machine.prisons:
        courses = [course for answer in machine.answers for course in answer.courses]
        texts = []
        if any(0 < course.staying < 1 - course.taken for course in courses):
            texts.append(speech.say("stakes.worth"))
        if not any(course.pays for course in courses):
            texts.append(speech.say("stakes.no_winnings"))
        if texts:
            yield " ".join(texts)
    for state in machine.states:
        title = "stakes.free" if state == FREE else "stakes.imprisoned"
        yield speech.say(title, **({} if state == FREE else {"state": speech.state(state)}))
        yield Items(_state_lines(machine, state, speech))


def _state_lines(machine: StakeMachine, state: str, speech: Speech) -> Iterator[str]:
    for verdict in (*machine.verdicts, Verdict.CLOSE):
        moment, courses = capital(speech.verdict(verdict)), machine.courses(state, verdict)
        if len(courses) == 1:
            text = course_text(state, verdict, courses[0], speech)
            yield speech.say("stakes.answer", verdict=moment, course=text)
        else:
            text = _choice(state, verdict, courses, speech)
            yield speech.say("stakes.choice", verdict=moment, courses=text)


def _choice(state: str, verdict: Verdict, courses: tuple[Course, ...], speech: Speech) -> str:
    texts = []
    for course in courses:
        parts = [course_text(state, verdict, course, speech)]
        if course.offered_from == "minimum":
            parts.append(speech.say("stakes.not_below"))
        elif course.offered_from:
            amount = speech.amount(course.offered_from)
            parts.append(speech.say("stakes.not_below_amount", amount=amount))
        key = "stakes.default" if course.default else "stakes.other"
        texts.append(speech.say(key, name=speech.course(course.name), course=speech.apart(parts)))
    return speech.apart(texts)


def course_text(state: str, verdict: Verdict, course: Course, speech: Speech) -> str:
    """Return the effect of a course on a stake in a state, in words."""
    say = speech.say
    if state == FREE and verdict.kind == "win":
        return say("course.won")
    if course.returned == 1:
        if state == FREE:
            return say("course.untouched" if verdict.kind == "push" else "course.back")
        if course.pays:
            return say("course.freed_paid", odds=speech.odds(course.pays))
        return say("course.freed" if verdict.kind == "win" else "course.worth_back")
    parts = []
    if course.returned:
        parts.append(say("course.part_back", share=speech.share(course.returned)))
    if course.taken and course.staying:
        parts.append(say("course.taken", share=speech.share(course.taken)))
    if course.staying:
        parts.append(_staying(state, course, speech))
    elif course.returned and course.forfeited:
        half = course.forfeited == course.returned
        parts.append(say("course.other_half" if half else "course.rest_lost"))
    if course.returned and course.staying and course.forfeited > course.taken:
        lost = course.forfeited - course.taken
        parts.append(say("course.part_lost", share=speech.share(lost)))
    if course.pays:
        parts.append(say("course.part_paid", odds=speech.odds(course.pays)))
    return speech.all_of(parts) if parts else say("course.lost")


def _staying(state: str, course: Course, speech: Speech) -> str:
    values = {} if course.state == state else {"state": speech.state(course.state)}
    key = "stays" if course.state == state else "goes"
    if course.taken and course.staying + course.returned + course.taken == 1:
        return speech.say(f"course.rest_{key}", **values)
    if course.staying == 1:
        return speech.say(f"course.{key}", **values)
    return speech.say(f"course.{key}_worth", share=speech.share(course.staying), **values)


def insurance_blocks(house: House, speech: Speech) -> Iterator[Part]:
    """Describe the cost and the effect of insurance."""
    table = house.insurance_table
    if table is None:
        yield speech.say("insurance.none")
        return
    say = speech.say
    covered = [_covered(state, speech) for state in table.covers]
    lasts = table.lasts == "until-decided"
    what = say(f"insurance.{'what_lasts' if lasts else 'what'}", states=speech.all_of(covered))
    spared = [c.id for c in house.chances if c.simple and not c.insurable]
    if spared:
        names = speech.all_of([speech.chance(name) for name in spared])
        what += f" {say('insurance.spared', chances=names)}"
    yield what
    lines = [*_premium(table, speech)]
    lines += _insurable(table, speech)
    lines += _served(house, table, speech)
    lines += _fates(house, table, speech)
    lines.append(say("insurance.prepaid" if table.proof_needed else "insurance.not_prepaid"))
    if table.proof_needed:
        lines.append(say(f"insurance.without_proof.{table.without_proof}"))
    yield Items(lines)


def _served(house: House, table: InsuranceTable, speech: Speech) -> Iterator[str]:
    """Yield what a refait does to an insured stake."""
    lasts = table.lasts == "until-decided"
    if FREE in table.covers and table.back == 1:
        yield speech.say("insurance.serves_free")
    elif FREE in table.covers:
        met = next(filter(house.machine.insures, house.machine.verdicts), None)
        if met is not None:
            (course,) = house.machine.courses(FREE, met, insured=table.back)
            moment = capital(speech.verdict(Verdict.REFAIT))
            text = course_text(FREE, met, course, speech)
            yield speech.say("stakes.answer", verdict=moment, course=text)
    if set(table.covers) - {FREE}:
        yield speech.say("insurance.serves_prison")
    if lasts and FREE in table.covers:
        yield speech.say("insurance.lasts_free")
    if lasts and set(table.covers) - {FREE}:
        yield speech.say("insurance.lasts_prison")


def _insurable(table: InsuranceTable, speech: Speech) -> Iterator[str]:
    """Yield which stakes can be insured."""
    for name, units in (
        ("minimum_stake", table.minimum_stake),
        ("multiple", table.multiple),
        ("maximum_stake", table.maximum_stake),
    ):
        if units:
            yield speech.say(f"insurance.{name}", amount=speech.amount(units))
    if table.minimum_posted:
        yield speech.say("insurance.minimum_posted")
    if not (table.minimum_stake or table.multiple or table.minimum_posted or table.maximum_stake):
        yield speech.say("insurance.any_stake")


def _covered(state: str, speech: Speech) -> str:
    if state == FREE:
        return speech.say("insurance.free")
    return speech.say("insurance.held", state=speech.state(state))


def _premium(table: InsuranceTable, speech: Speech) -> Iterator[str]:
    if table.started:
        yield speech.say(
            "insurance.started",
            premium=speech.amount(Fraction(table.started) * table.rate),
            started=speech.amount(table.started),
        )
    else:
        percent = speech.percent(table.rate)
        yield speech.say("insurance.rate", rate=percent, number=table.rate * 100)
    if table.minimum_premium:
        amount = speech.amount(table.minimum_premium)
        yield speech.say("insurance.minimum_premium", amount=amount)
    if table.maximum_premium:
        amount = speech.amount(table.maximum_premium)
        yield speech.say("insurance.maximum_premium", amount=amount)
    if table.premium_unit != 1:
        yield speech.say("insurance.premium_unit", amount=speech.amount(table.premium_unit))
    yield speech.say(f"insurance.rounding.{speech.money.rounding}")


def _fates(house: House, table: InsuranceTable, speech: Speech) -> Iterator[str]:
    by_kind: dict[str, list[Verdict]] = {}
    for verdict in (*house.machine.verdicts, Verdict.CLOSE):
        by_kind.setdefault(verdict.kind, []).append(verdict)
    meeting = [  # one name for all refaits, where their premiums fare alike
        verdict
        for verdicts in by_kind.values()
        for verdict in (
            verdicts if len({*map(table.usual_part, verdicts)}) > 1 else [verdicts[0].usual]
        )
        if not (table.lasts == "until-decided" and verdict.kind == "push")
    ]
    for part in sorted({*map(table.usual_part, meeting)}):
        fate = {NOUGHT: "kept", ONE: "returned"}.get(part, "returned_part")
        moments = [speech.verdict(v) for v in meeting if table.usual_part(v) == part]
        share = {} if part in (0, 1) else {"share": speech.share(part)}
        yield speech.say(f"insurance.{fate}", moments=speech.any_of(moments), **share)
    yield speech.say("insurance.void")


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
        text = speech.say("figures.holds_between", figure=figure, amount=least, most=most)
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
