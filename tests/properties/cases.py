"""What a house can have that another has not: the cases that a property over houses must meet."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import Final

from hypothesis import HealthCheck, Phase, event, given, seed, settings

from trente_rules import Course, House
from trente_rules.core.machine import FREE
from trente_rules.core.rules.insurance import InsuranceTable
from trente_rules.core.rules.refait import Custom
from trente_rules.core.shoe import Marker
from trente_rules.testing import houses

SERIES: Final = 4
LENGTH: Final = 40
"""How many series of houses are drawn, and how many examples make one: they differ enough."""


def _courses(house: House) -> Iterator[Course]:
    for answer in house.machine.answers:
        yield from answer.courses


def _insured(case: Callable[[InsuranceTable], object]) -> Callable[[House], bool]:
    return lambda house: house.insurance_table is not None and bool(case(house.insurance_table))


def _marked(case: Callable[[Marker], object]) -> Callable[[House], bool]:
    return lambda house: house.shoe.marker is not None and bool(case(house.shoe.marker))


def _prisons(table: InsuranceTable) -> set[str]:
    return set(table.covers) - {FREE}


CASES: Final[dict[str, Callable[[House], object]]] = {
    "a refait of one point has a rule of its own": lambda house: house.refaits,
    "a custom machine names the refait of one point": lambda house: (
        isinstance(house.refait.rule, Custom) and house.refait.rule.points
    ),
    "several prisons": lambda house: len(house.machine.prisons) > 1,
    "a part is taken at once": lambda house: any(c.taken for c in _courses(house)),
    "a prisoner that wins is paid": lambda house: any(c.pays for c in _courses(house)),
    "a course is offered from an amount on": lambda house: any(
        type(c.offered_from) is int and c.offered_from for c in _courses(house)
    ),
    "a course is offered from the minimum on": lambda house: any(
        c.offered_from == "minimum" for c in _courses(house)
    ),
    "a chance has odds of its own": lambda house: any(k.odds != 1 for k in house.chance_keys),
    "a chance costs a commission": lambda house: any(k.commission for k in house.chance_keys),
    "a chance has ties of its own": lambda house: any(
        k.refait_on is not None for k in house.chance_keys
    ),
    "a side bet pushes": lambda house: any(bet.pushes_on for bet in house.side_bets),
    "a side bet has several odds": lambda house: any(bet.pays for bet in house.side_bets),
    "a side bet costs a commission": lambda house: any(b.commission for b in house.side_bets),
    "a side bet on outcomes": lambda house: any(
        bet.wins_on.name == "outcome" for bet in house.side_bets
    ),
    "a prisoner can be insured": _insured(_prisons),
    "a premium lasts until the stake is decided": _insured(lambda t: t.lasts == "until-decided"),
    "such a premium goes to prison": _insured(lambda t: t.lasts == "until-decided" and _prisons(t)),
    "a part of a premium comes back": _insured(
        lambda t: any(0 < part < 1 for _verdict, part in t.returned)
    ),
    "premiums have a unit of their own": _insured(lambda t: t.premium_unit > 1),
    "a premium is bounded": _insured(lambda t: t.maximum_premium),
    "an insured stake is bounded": _insured(lambda t: t.maximum_stake),
    "the least insured stake is posted": _insured(lambda t: t.minimum_posted),
    "the cut decides the first row": lambda house: house.deal.first_row == "cut",
    "rouge is dealt first": lambda house: house.deal.first_row == "rouge",
    "the highest row wins": lambda house: house.deal.wins == "highest",
    "a machine shuffles for every coup": lambda house: house.shoe.every_coup,
    "the first card says what is burned": lambda house: house.shoe.burn == "first-card",
    "bets come before the cut": lambda house: house.shoe.cut == "after-bets",
    "the shoe ends where no coup is left": lambda house: house.shoe.ends == "no-coup",
    "prisoners are closed with the shoe": lambda house: house.shoe.prisoners_at_end == "close",
    "a marker leaves one last coup": _marked(lambda m: m.on_marker == "last-coup"),
    "a marker voids its coup": _marked(lambda m: m.on_marker == "void"),
    "stakes are paid by position": lambda house: house.settlement.order == "by-position",
    "a maximum is posted": lambda house: any(t.posted for t in house.limits_table.tables),
    "a bound of one chance is posted": lambda house: any(
        own.posted for own in house.limits_table.per_chance
    ),
    "a chance has a multiple for its maximum": lambda house: any(
        own.multiple for own in house.limits_table.per_chance
    ),
    "what a bet may win is bounded": lambda house: house.limits_table.maximum_payout,
    "all stakes on a chance are bounded": lambda house: house.limits_table.aggregate_maximum,
    "the difference of two chances is bounded": lambda house: (
        house.limits_table.differential_maximum
    ),
}
"""Each case by its name, and whether a house is one."""


def cases_of(house: House) -> frozenset[str]:
    """Return the cases that a house is one of."""
    return frozenset(name for name, case in CASES.items() if case(house))


def note(house: House) -> None:
    """Count the cases of a house as events of hypothesis."""
    for name in sorted(cases_of(house)):
        event(name)


@cache
def drawn() -> tuple[tuple[House, frozenset[str]], ...]:
    """Return more than a hundred houses that ``testing`` draws, each with its cases."""
    found: dict[House, None] = {}
    for number in range(SERIES):

        @seed(number)
        @settings(
            max_examples=LENGTH,
            derandomize=False,
            database=None,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        @given(houses())
        def draw(house: House) -> None:
            found.setdefault(house)

        draw()
    return tuple((house, cases_of(house)) for house in found)


def few(use: Callable[[House], bool]) -> list[House]:
    """Put a few of the houses drawn to a use that may refuse one, until every case was taken."""
    left, houses_left, taken = set(CASES), list(drawn()), []
    while left:
        best = max(houses_left, key=lambda each: len(each[1] & left))
        houses_left.remove(best)
        house, cases = best
        assert cases & left, f"no house drawn is a case of {sorted(left)}"
        if use(house):
            taken.append(house)
            left -= cases
    return taken
