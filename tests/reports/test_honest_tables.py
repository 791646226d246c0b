"""The monitor at honest tables and at stacked ones: its rate of false alarms, and its power."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from random import Random

import pytest
from attrs import evolve
from tests.chosen import by_day
from tests.reports.honest import HonestTable

from trente_rules import PACK, House, Shoe, load_house, loads_house
from trente_rules.core.coup import POINTS
from trente_rules.core.plugins.manager import default_manager
from trente_rules.odds.significance import at_least, at_most
from trente_rules.reports import deal_tests
from trente_rules.reports.deal_tests import CELLS as POINTS_TEST
from trente_rules.reports.deal_tests import COLOURS, FEW, IN_TURN, LENGTHS, MANY, CardTest, DealSums
from trente_rules.reports.monitor import Monitored, monitor
from trente_rules.reports.settlements import WatchedCoup
from trente_rules.reports.tailles import taille_figures

HOUSES = tuple(default_manager().names("house"))
FAMILY = 0.01
"""The error of a whole test: over all houses and figures."""
PARTS = 8
"""The houses are watched in so many parts, which share the error."""
REFAIT = 0
"""The outcome of two rows of 31, the first cards black."""
TIE = 4 * (len(POINTS) + 1) * 3
"""The outcome of an ordinary tie on 34."""


def watched(table: HonestTable, seed: str, coups: int, rate: float) -> Monitored:
    """Return a seeded honest table, watched."""
    random = Random(seed)  # noqa: S311 - not for play
    drawn = table.coups(random, table.drawn(random, coups))
    return monitor(
        table.house, drawn, opening=table.opening, figures=table.figures, false_alarms=rate
    )


def check_rates(houses: Sequence[str], tables: int, coups: int, used: float) -> None:
    """Watch honest tables of some houses: no rate is exceeded, pooled or house by house.

    Of 5 % at least the part ``used`` is reached: short tables have few numbers of refaits.
    """
    rates = 0.001, 0.01, 0.05
    pooled = dict.fromkeys(rates, 0)
    for name in houses:
        table = HonestTable(load_house(name))
        alarms = dict.fromkeys(rates, 0)
        for number in range(tables):
            seen = watched(table, f"{name} {number}", coups, 0.05)
            for rate in rates:
                alarms[rate] += seen.adjusted <= rate
        for rate in rates:
            pooled[rate] += alarms[rate]
        chance = at_least(alarms[0.05], tables, 0.05)
        said = f"{name}: {alarms} of {tables} tables, seeds '{name} 0' and so on"
        assert chance > FAMILY / 2 / len(HOUSES), said
    number = tables * len(houses)
    for rate, alarms_of in pooled.items():
        assert at_least(alarms_of, number, rate) > FAMILY / 2 / PARTS / len(rates), (
            *(rate, pooled, number),
        )
    # The rate that is printed is not a mere bound: a good part of it is used.
    assert pooled[0.05] > used * number, (pooled, number)


@pytest.mark.slow
@pytest.mark.parametrize("part", by_day({0, 1, 2, 6, 7}, range(PARTS)))
def test_honest_tables_raise_no_more_alarms_than_printed(part: int) -> None:
    """M1: side bets, insurance and prison; 100 short tables of each house.

    Three of the parts, a minute together, are left to the night.
    """
    check_rates(HOUSES[part::PARTS], 100, 20, 0.002)


@pytest.mark.nightly
@pytest.mark.parametrize("part", range(PARTS))
def test_a_thousand_honest_tables_of_each_house(part: int) -> None:
    """M1: the same with 1,000 longer tables of each house."""
    check_rates(HOUSES[part::PARTS], 1000, 300, 0.01)


def stacked(random: Random, outcomes: list[int], part: float) -> Iterator[WatchedCoup]:
    """Yield coups without stakes, where a part of the ordinary ties are refaits instead."""
    for outcome in outcomes:
        tie = outcome // 4 % 11 == 0 and outcome // 40 != 0
        yield WatchedCoup((), REFAIT if tie and random.random() < part else outcome)


@pytest.mark.slow
def test_a_shoe_with_40_per_cent_more_refaits_is_found_in_3000_coups() -> None:
    """M16, M32: with power over .8 at the default rate, and not because there are more than 40 %.

    The power is that of the exact binomial law; 60 seeded tables do not contradict it.
    """
    table, found, seed = HonestTable(load_house("italy-half-loss")), 0, 16
    deal = DealSums(table.house, table.odds)
    ties = float(sum(table.odds.tie(point) for point in POINTS)) - deal.q
    part = 0.4 * deal.q / ties
    random, tables, refaits = Random(seed), 60, 0  # noqa: S311 - not for play
    for _table in range(tables):
        coups = stacked(random, table.drawn(random, 3000), part)
        seen = monitor(table.house, coups, figures=table.figures)
        found += seen.alarm
        refaits += next(round(test.seen) for test in seen.cards if test.name == MANY)
        assert seen.power is not None
        assert 0.8 < seen.power < 0.83
    assert refaits / tables / 3000 == pytest.approx(1.4 * deal.q, rel=0.06)
    assert at_most(found, tables, 0.8) > FAMILY, f"{found} of {tables}, seed {seed}"


def test_the_power_that_is_printed_is_that_of_the_count() -> None:
    """M32: the fewest refaits that are an alarm, and how often a stacked shoe has as many."""
    deal = DealSums(load_house("italy-half-loss"), HonestTable(load_house("italy-half-loss")).odds)
    deal.coups = 3000
    least = next(n for n in range(3000) if at_least(n, 3000, deal.share) <= 0.0005)
    assert deal.power(0.0005) == pytest.approx(at_least(least, 3000, 1.4 * deal.q))
    # Wald: ln(1 / alpha) over the mean of a step.
    assert deal.coups_in_turn(0.01) == pytest.approx(4.6052 / 0.0016, rel=0.05)


def test_refaits_are_counted_of_sure_coups_where_no_law_of_the_taille_is_known(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """M16: the last coups of a taille are refaits more often; by how much is not guessed."""
    monkeypatch.setitem(sys.modules, "numba", None)
    monkeypatch.delitem(sys.modules, "trente_rules.odds.taille_kernel", raising=False)
    house = loads_house('[house]\nname = "b"\nextends = "italy-half-loss"\n[shoe]\nburn = 17\n')
    deal = DealSums(house, HonestTable(load_house("italy-half-loss")).odds)
    sure = house.shoe.sure_coups(None)
    for number in range(1, sure + 9):
        deal.add(WatchedCoup((), REFAIT, number=number))
    assert deal.share == deal.q
    assert deal.coups == deal.refaits == sure


def test_the_cards_are_tested_by_what_was_dealt() -> None:
    """M16: one point too often, one colour too often, no refait at all."""
    table = HonestTable(load_house("italy-half-loss"))
    random = Random(3)  # noqa: S311 - not for play
    honest = table.drawn(random, 2000)

    def alarms(outcomes: list[int]) -> list[str]:
        coups = [WatchedCoup((), outcome) for outcome in outcomes]
        seen = monitor(table.house, coups, figures=table.figures)
        return [test.name for test in seen.cards if test.alarm]

    assert alarms(honest) == []
    often = [40 + n // 15 % 4 if n % 15 == 0 else each for n, each in enumerate(honest)]
    assert alarms(often) == [POINTS_TEST]
    assert alarms([each // 4 * 4 + each % 2 for each in honest]) == [COLOURS]
    assert FEW in alarms([TIE if each < 4 else each for each in honest])
    many = [REFAIT if n % 20 == 0 else each for n, each in enumerate(honest)]
    assert set(alarms(many)) >= {MANY, IN_TURN}


def test_coups_that_may_not_be_completed_are_in_no_test_of_points() -> None:
    """M16: the 24 first coups of six packs have the odds of a fresh shoe, the others have not."""
    table = HonestTable(load_house("france-2007"))
    coup = WatchedCoup((), TIE)
    coups = [evolve(coup, number=number) for number in range(1, 30)] * 8
    seen = monitor(table.house, coups, figures=table.figures)
    of = {test.name: test.of for test in seen.cards}
    assert (of[COLOURS], of[MANY]) == (8 * 24, 8 * 29)


def of_lengths(*lengths: int) -> Iterator[WatchedCoup]:
    """Yield the coups of tailles of these lengths, honest but for their lengths."""
    table, random = HonestTable(load_house("france-2007")), Random(5)  # noqa: S311 - not for play
    for length in lengths:
        for number, outcome in enumerate(table.drawn(random, length), 1):
            yield WatchedCoup((), outcome, "", number, length if number == length else 0)


def test_the_coups_of_whole_tailles_are_tested() -> None:
    """M16: 28 coups with .4158, 29 with .5830; chi-square of the two counts, by hand."""
    house = load_house("france-2007")

    def length_test(*lengths: int) -> CardTest | None:
        seen = monitor(house, of_lengths(*lengths))
        return next((test for test in seen.cards if test.name == LENGTHS), None)

    fit = length_test(*[28] * 20, *[29] * 30)
    assert fit is not None
    low, high = 50 * 0.417001, 50 * 0.582999  # the rarer numbers join those of 28
    assert fit.seen == pytest.approx((20 - low) ** 2 / low + (30 - high) ** 2 / high, abs=5e-4)
    assert (fit.of, fit.expected, fit.alarm) == (50, 1, False)
    # Cards are taken out of the shoe: each taille is two coups short.
    short = length_test(*[26] * 50)
    assert short is not None
    assert short.alarm
    assert length_test(28) is None  # too few to be tested


def test_tailles_whose_marker_a_player_places_have_no_known_length() -> None:
    """M16: the law is that of places that are all as likely, which a player need not keep."""
    house = load_house("italian-program")
    seen = monitor(house, of_lengths(*[25] * 60))
    assert LENGTHS not in [test.name for test in seen.cards]


def test_where_no_coup_is_sure_none_is_in_the_tests_of_points(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """M16: a shoe of so few cards may end before its first coup."""
    house = load_house("france-2007")
    known = taille_figures(house)
    monkeypatch.setattr(deal_tests, "taille_figures", lambda _house, **_how: known)
    monkeypatch.setattr(type(house.shoe), "sure_coups", lambda _rule, _place: 0)
    of = {test.name: test.of for test in monitor(house, of_lengths(*[29] * 9)).cards}
    assert POINTS_TEST not in of
    assert of[MANY] == 9 * 29


def from_shoes(house: House, random: Random, tailles: int) -> Iterator[WatchedCoup]:
    """Yield the coups of whole shuffled shoes, without stakes."""
    rule, cards = house.shoe, [*PACK] * house.shoe.packs
    for _taille in range(tailles):
        random.shuffle(cards)
        shoe = rule.prepare(Shoe(tuple(cards), rule.packs))
        outcomes: list[int] = []
        while not rule.ended(shoe):
            dealt = rule.deal(shoe)
            shoe = dealt.shoe
            if dealt.coup is None:
                break
            outcomes.append(dealt.coup.outcome)
        for number, outcome in enumerate(outcomes, 1):
            completed = len(outcomes) * (number == len(outcomes))
            yield WatchedCoup((), outcome, "", number, completed)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["france-2007", "german-spas-1840"])
def test_tables_dealt_from_whole_shoes_raise_no_more_alarms_than_printed(name: str) -> None:
    """M16: the coups of a shoe hang together; 100 tables of 50 tailles, a rate of one in five."""
    house, alarms, tested = load_house(name), 0, 0
    for seed in range(100):
        random = Random(f"whole shoes {seed}")  # noqa: S311 - not for play
        seen = monitor(house, from_shoes(house, random, 50), false_alarms=0.2)
        alarms += seen.alarm
        tested += LENGTHS in [test.name for test in seen.cards]
    assert tested == 100
    said = f"{name}: {alarms} of 100 tables, seeds 'whole shoes 0' and so on"
    assert 2 < alarms, said
    assert at_least(alarms, 100, 0.2) > FAMILY / 2, said
