"""Which stakes are taken, how they are settled and paid, and the most that they can win."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import lcm

from trente_rules.house.house import House
from trente_rules.house.rulebook.book import Block, Grid, Items
from trente_rules.house.rulebook.play import rule_text
from trente_rules.house.rulebook.speech import Speech
from trente_rules.house.toml import house_table
from trente_rules.money import round_to_player
from trente_rules.rules.chances import OPPOSITES, Chance
from trente_rules.rules.limiter import Pair, TableLimits
from trente_rules.rules.machine import FREE


def limit_blocks(house: House, speech: Speech) -> Iterator[Block]:
    """Tell the limits from the built limiter; a stranger's limiter is named."""
    limiter, rule = house.limiter, house.limits.rule
    lines: list[str] = []
    if isinstance(limiter, TableLimits):
        yield from _pairs(limiter, speech)
        lines += _table_limits(house, limiter, speech)
    else:
        keys = {k: v for k, v in house_table(house)["limits"].items() if k != "rule"}
        yield speech.say("limits.own_rule", rule=rule_text(house.limits.name, keys, speech))
    if house.machine.prisons:
        move = getattr(rule, "move_prisoners", False)
        lines.append(speech.say("limits.move_prisoners" if move else "limits.prisoners_stay"))
    late = getattr(rule, "late_bets", "refused")
    lines += [speech.say(f"limits.late_bets.{late}"), speech.say("limits.refused")]
    yield Items(tuple(lines))


def _pairs(limiter: TableLimits, speech: Speech) -> Iterator[Block]:
    first = limiter.pairs[0]
    if limiter.opened and (len(limiter.pairs) > 1 or first.minimum):
        yield speech.say("limits.tables")
        yield Items(
            tuple(
                speech.say(
                    "limits.pair", minimum=speech.amount(p.minimum), maximum=_maximum(p, speech)
                )
                for p in limiter.pairs
            )
        )
        return
    if limiter.opened:
        minimum = speech.say("limits.at_opening")
    else:
        minimum = speech.say("limits.minimum", amount=speech.amount(first.minimum))
    if first.maximum is None and not first.multiple:
        yield f"{minimum} {speech.say('limits.no_maximum')}"
    else:
        yield f"{minimum} {speech.say('limits.maximum', amount=_maximum(first, speech))}"


def _maximum(pair: Pair, speech: Speech) -> str:
    if pair.multiple and pair.minimum:
        return speech.say(
            "limits.multiple_amount",
            times=pair.multiple,
            amount=speech.amount(pair.multiple * pair.minimum),
        )
    if pair.multiple:
        return speech.say("limits.multiple", times=pair.multiple)
    return "" if pair.maximum is None else speech.amount(pair.maximum)


def _table_limits(house: House, limiter: TableLimits, speech: Speech) -> Iterator[str]:
    say, amount = speech.say, speech.amount
    maxima = [p for p in limiter.pairs if p.maximum is not None or p.multiple]
    if maxima or any(most for _name, _least, most in limiter.per_chance):
        yield say("limits.whole")
    yield say("limits.step", amount=amount(limiter.step or 1))
    for name, least, most in limiter.per_chance:
        if least:
            yield say("limits.chance_minimum", chance=speech.chance(name), amount=amount(least))
        if most:
            yield say("limits.chance_maximum", chance=speech.chance(name), amount=amount(most))
    simple = house.deal.chances
    if any(OPPOSITES[chance] in simple for chance in simple):
        yield say("limits.both_sides" if limiter.both_sides else "limits.one_side")
    yield say("limits.associations" if limiter.associations else "limits.no_associations")
    if limiter.progression is None:
        yield say("limits.no_progression")
    else:
        yield say(
            "limits.progression",
            next=limiter.progression.reference + 1,
            most=speech.percent(limiter.progression.at_most),
            reference=limiter.progression.reference,
        )


def settlement_blocks(house: House, speech: Speech) -> Iterator[Block]:
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


def payout_blocks(house: House, speech: Speech) -> Iterator[Block]:
    """Tell the most that one player's stakes on a chance can win in one coup."""
    limiter = house.limiter
    yield speech.say("payout.what")
    if not isinstance(limiter, TableLimits):
        lines = [_times("payout.times_stake", c, speech) for c in house.chances]
        yield Items(tuple(lines))
        return
    own = {name: most for name, _least, most in limiter.per_chance if most}
    columns = [speech.say("payout.most")]
    if len(limiter.pairs) > 1:
        columns = [
            speech.say("payout.table", minimum=speech.amount(pair.minimum))
            for pair in limiter.pairs
        ]
    rows = tuple(
        (
            speech.chance(chance.id),
            speech.odds(chance.odds),
            *(_most(house, chance, own.get(chance.id), pair, speech) for pair in limiter.pairs),
        )
        for chance in house.chances
    )
    yield Grid((speech.say("payout.chance"), speech.say("payout.odds"), *columns), rows)


def _times(key: str, chance: Chance, speech: Speech) -> str:
    form = f"{key}_one" if chance.odds == 1 else key
    return speech.say(form, chance=speech.chance(chance.id), times=speech.number(chance.odds))


def _most(house: House, chance: Chance, own: int | None, pair: Pair, speech: Speech) -> str:
    maximum = own
    if maximum is None:
        maximum = pair.minimum * pair.multiple if pair.multiple else pair.maximum
        if pair.multiple and not pair.minimum:
            times = speech.number(chance.odds * pair.multiple)
            return speech.say("payout.times_minimum", times=times)
    if maximum is None:
        return _times("payout.no_limit", chance, speech)
    largest = max(maximum - maximum % step for step in _steps(house, chance))
    won = round_to_player(Fraction(largest) * chance.odds, house.money.rounding)
    return speech.amount(won.units)


def _steps(house: House, chance: Chance) -> Iterator[int]:
    """Answer what stakes are multiples of: uninsured ones, and insured ones where they differ."""
    step = getattr(house.limiter, "step", 0) or 1
    if house.money.rounding != "refuse":
        yield step
        return
    step = lcm(step, chance.odds.denominator)
    courses = [c for _verdict, there in house.machine_of(chance).occurring(FREE) for c in there]
    yield lcm(step, *(course.returned.denominator for course in courses))
    table = house.insurance_table
    if chance.simple and table and FREE in table.covers and not table.started:
        # An insured stake is handed back whole on a refait; its premium must be exact.
        yield lcm(step, table.rate.denominator, table.multiple or 1)
