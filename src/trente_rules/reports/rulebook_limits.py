"""Limits, the order of settling and the highest payouts in sentences."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from math import lcm
from typing import Any

from trente_rules.core.chances import Chance
from trente_rules.core.house.house import House
from trente_rules.core.house.loading import house_table
from trente_rules.core.machine import FREE
from trente_rules.core.money import round_to_player
from trente_rules.core.rules.announcements import bets_closed_calls
from trente_rules.core.rules.limits import Limits, TableBounds
from trente_rules.core.stakes import Opening
from trente_rules.reports.document import Grid, Items, Part
from trente_rules.reports.sentences import Speech, plain


def rule_text(name: str, keys: dict[str, Any], speech: Speech) -> str:
    """Return the rule of a plugin by its name and the values of its keys, as TOML writes them."""
    values = ", ".join(f"{key} = {value}" for key, value in keys.items())
    return speech.named(speech.quoted(name), plain(values)) if values else speech.quoted(name)


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
                speech.odds(house.most_won(chance)),
                *(_most(house, chance, table, speech) for table in tables),
            )
            for chance in house.chances
        ),
    )


def _most(house: House, chance: Chance, table: TableBounds, speech: Speech) -> str:
    limits = house.limits_table
    own, odds = limits.own(chance.id), house.most_won(chance)
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
        key = "payout.no_limit_one" if odds == 1 else "payout.no_limit"
        times = speech.number(odds)
        return speech.say(key, chance=speech.chance(chance.id), times=times)
    largest = max(maximum - maximum % step for step in _steps(house, chance))
    won = round_to_player(Fraction(largest) * odds, house.money.rounding)
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
