"""The cases that a property over houses must meet: of the house, its stakes, coups and tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, Final

from hypothesis import HealthCheck, Phase, given, seed, settings
from tests.properties.meeting import Kind

from trente_rules import Course, House, Line, Stake
from trente_rules.core.machine import FREE
from trente_rules.core.rules.insurance import InsuranceTable
from trente_rules.core.rules.refait import Custom
from trente_rules.core.settlement import wager_of
from trente_rules.core.shoe import Marker
from trente_rules.table.events import (
    ChoiceMade,
    CoupCorrected,
    CoupVoided,
    Event,
    OpeningPosted,
    ShoeEnded,
    StakeInsured,
    StakePlaced,
    StakeSettled,
)
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


_LEVELS: Final = {1: "the first prison", 2: "the second", 3: "the third", 4: "the fourth"}


def _detained(level: int) -> Callable[[House, Stake], object]:
    """Return whether a stake is in the prison of a level."""

    def there(house: House, stake: Stake) -> bool:
        prisons = house.wager(stake.chance).machine.prisons
        return not stake.free and prisons.index(stake.state) == level - 1

    return there


STAKE_CASES: Final[dict[str, Callable[[House, Stake], object]]] = {
    "an insured stake that is free": lambda house, stake: (
        stake.free and wager_of(house, stake).insured
    ),
    "an insured stake in prison": lambda house, stake: (
        not stake.free and wager_of(house, stake).insured
    ),
    "a stake whose premium nobody saw": lambda house, stake: (
        stake.insured and not wager_of(house, stake).insured
    ),
    "a stake with a premium of an earlier coup": lambda _house, stake: stake.covered,
    **{f"a stake in {name}": _detained(level) for level, name in _LEVELS.items()},
    "a prisoner that is worth a part": lambda _house, stake: stake.share != 1,
    "a prisoner of which a part was returned": lambda _house, stake: stake.handed_back,
    "a side bet": lambda house, stake: not house.chance(stake.chance).simple,
}
"""Cases of a stake that is placed."""


def _rounded(rounding: str, case: Callable[[Line], object]) -> Callable[[House, Line], object]:
    return lambda house, line: house.money.rounding == rounding and bool(case(line))


LINE_CASES: Final[dict[str, Callable[[House, Line], object]]] = {
    "an amount is rounded for the bank": _rounded("bank", lambda line: line.residue),
    "an amount is rounded for the player": _rounded("player", lambda line: line.residue),
    "a premium is rounded for the bank": _rounded("bank", lambda line: line.premium_residue),
    "a premium is rounded for the player": _rounded("player", lambda line: line.premium_residue),
    "a premium is kept": lambda _house, line: line.premium_kept,
    "a premium is returned": lambda _house, line: line.premium_returned,
    "a stake is divided": lambda _house, line: line.returned and line.forfeited,
    "a stake is detained": lambda _house, line: line.stake.free and line.after,
    "a prisoner is freed": lambda _house, line: not line.stake.free and not line.after,
    "a prisoner stays": lambda _house, line: not line.stake.free and line.after,
    "a side bet wins": lambda house, line: not house.chance(line.stake.chance).simple and line.won,
}
"""Cases of a stake that a coup settles."""


def _of(
    kind: type[Event], case: Callable[[House, Any], object]
) -> Callable[[House, Event], object]:
    return lambda house, event: type(event) is kind and bool(case(house, event))


def _placed(name: str) -> Callable[[House, Event], object]:
    """Return whether a stake is placed, or insured later, that is a case of stakes."""
    case = STAKE_CASES[name]
    return lambda house, event: (
        type(event) in {StakePlaced, StakeInsured} and bool(case(house, event.stake))  # type: ignore[attr-defined]
    )


def _settled(case: Callable[[House, Line], object]) -> Callable[[House, Event], object]:
    return _of(StakeSettled, lambda house, event: case(house, event.line))


def _before(case: Callable[[House, Stake], object]) -> Callable[[House, Line], object]:
    return lambda house, line: case(house, line.stake)


TABLE_CASES: Final[dict[str, Callable[[House, Event], object]]] = {
    **{
        f"{name}, at a table": _placed(name)
        for name in ("an insured stake that is free", "an insured stake in prison", "a side bet")
    },
    **{
        f"a stake in {name}, at a table": _settled(_before(_detained(level)))
        for level, name in _LEVELS.items()
        if level <= 3  # four refaits in a row are for ``stakes`` to draw
    },
    **{
        f"{name}, at a table": _settled(LINE_CASES[name])
        for name in ("an amount is rounded for the bank", "an amount is rounded for the player")
    },
    "the limits are posted again": _of(
        OpeningPosted, lambda _house, event: event.opening != event.was
    ),
    "a coup is corrected": _of(CoupCorrected, lambda _house, _event: True),
    "a coup is corrected to a void one": _of(CoupCorrected, lambda _house, event: event.void),
    "a coup is void": _of(CoupVoided, lambda _house, _event: True),
    "a choice is made": _of(ChoiceMade, lambda _house, _event: True),
    "a shoe ends": _of(ShoeEnded, lambda _house, _event: True),
}
"""Cases of what happens at a table."""


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


HOUSES: Final = Kind("houses", CASES)
STAKES: Final = Kind("stakes", STAKE_CASES)
COUPS: Final = Kind("coups", LINE_CASES)
TABLES: Final = Kind("tables", TABLE_CASES)


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
