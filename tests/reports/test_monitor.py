"""Monitoring: the figures of honest tables lie in their bands, those of others do not."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from attrs import evolve
from tests.records.recorded import Kept
from tests.table.driving import Driver
from tests.table.test_statistics import play

from trente_rules import House, TrenteError, load_house, loads_house
from trente_rules.core.plugins.manager import default_manager
from trente_rules.core.wager import WagerPath
from trente_rules.odds.advantage import WagerAdvantage, advantage, covariance
from trente_rules.odds.coup_odds import fresh_shoe
from trente_rules.reports.monitor import monitor
from trente_rules.reports.settlements import coups_of_events, coups_of_records
from trente_rules.table import (
    CloseBets,
    CloseSession,
    Correct,
    Deal,
    Event,
    OpenBets,
    Place,
    Settle,
    StakeSettled,
)


def first_paths(house: House) -> dict[tuple[str, bool], WagerPath]:
    """Return the path of the default courses of each wager."""
    found: dict[tuple[str, bool], WagerPath] = {}
    for chance in house.chances:
        for wager in house.wagers_on(chance.id):
            found[chance.id, wager.insured] = next(wager.paths())
    return found


@pytest.mark.parametrize("name", default_manager().names("house"))
def test_the_covariance_of_a_wager_with_itself_is_its_variance(name: str) -> None:
    """Two recursions, one figure: the second moment of a stake, and the product of two alike."""
    house = load_house(name)
    odds = fresh_shoe(house.shoe.packs)
    known: dict[tuple[str, bool], WagerAdvantage] = {}
    for wager in advantage(house, odds).wagers:
        known.setdefault((wager.chance, wager.insured), wager)
    for key, path in first_paths(house).items():
        assert path.policy == known[key].policy
        assert abs(covariance(path, path, odds) - known[key].variance) < Fraction(1, 10**12)


def test_a_chance_that_never_meets_one_of_its_verdicts_is_monitored() -> None:
    """Every tie is a refait for noir, a side bet is returned whenever it would win: no error."""
    house = loads_house(
        """
        [house]
        name = "never"
        extends = "italy-half-loss"
        [[chances]]
        id = "noir"
        refait_on = "any"
        [[side_bets]]
        id = "returned"
        wins_on = "any-tie"
        odds = "1"
        pushes_on = [{ tie = true }]
        """
    )
    odds = fresh_shoe(6)
    known = {(each.chance, each.insured): each for each in advantage(house, odds).wagers}
    for key, path in first_paths(house).items():
        if key[0] in ("noir", "returned"):
            assert abs(covariance(path, path, odds) - known[key].variance) < Fraction(1, 10**12)
    driver = Driver(house)
    driver.shoe((33, 31))
    driver.bet(("ann", "noir", 100), ("ann", "returned", 100))
    events = [*driver.deal(), *driver.do(Settle)]
    assert monitor(house, coups_of_events(events)).coups == 1


def test_a_stake_on_both_sides_moves_on_a_refait_alone() -> None:
    """Rouge and noir together: what one wins the other loses, but for the refait."""
    house = load_house("italy-half-loss")
    odds = fresh_shoe(6)
    found = first_paths(house)
    rouge, noir = found["rouge", False], found["noir", False]
    both = 2 * covariance(rouge, rouge, odds) + 2 * covariance(rouge, noir, odds)
    q = odds.verdicts(house.chance("rouge").table)[3]
    assert abs(both - q * (1 - q)) < Fraction(1, 10**12)


def test_an_honest_table_lies_in_its_band() -> None:
    """Turnover and net are those of the table; a seeded table of 400 coups raises no alarm."""
    driver = Driver("france-2007")
    events = play(driver, 400)
    seen = monitor(driver.house, coups_of_events(events))
    assert seen.total.stakes + seen.pending == 800
    assert seen.total.staked == 100 * seen.total.stakes
    open_stakes = {stake.id for stake in driver.table.state.stakes}
    lines = [event.line for event in events if isinstance(event, StakeSettled)]
    net = -sum(line.player_net for line in lines if line.stake.id not in open_stakes)
    assert seen.total.net == net
    assert not seen.alarm
    assert [(level.chance, level.amount) for level in seen.levels] == [
        ("noir", 100),
        ("rouge", 100),
    ]
    # Both sides of one coup: the whole deviates far less than either side.
    assert seen.total.sd < seen.levels[0].sd
    edge = float(advantage(driver.house, fresh_shoe(6), chances=["rouge"]).wagers[0].edge)
    assert seen.total.expected == pytest.approx(seen.total.staked * edge, rel=0.02)


def test_a_table_that_takes_too_much_raises_alarm() -> None:
    """Winners that are not paid: the result of all stakes is too unlikely."""
    driver = Driver("france-2007")

    def unpaid(event: Event) -> Event:
        if isinstance(event, StakeSettled) and event.line.won and event.line.stake.owner == "ann":
            return StakeSettled(evolve(event.line, won=0))
        return event

    seen = monitor(driver.house, coups_of_events([unpaid(event) for event in play(driver, 400)]))
    assert seen.alarm
    assert seen.total.z > 0
    assert seen.total.adjusted <= seen.false_alarms
    assert seen.to_json()["alarm"] is True


def test_a_corrected_settlement_counts_once() -> None:
    """The lines that a correction takes back are in no figure."""
    driver = Driver("france-2007")
    driver.shoe((31, 31))
    events = [event for entry in driver.table.entries for event in entry.events]
    events += driver.do(OpenBets)
    events += driver.do(Place, stake="a", player="ann", chance="rouge", amount=100)
    events += driver.do(CloseBets)
    events += driver.do(Deal)
    events += driver.do(Settle)
    assert monitor(driver.house, coups_of_events(events)).pending == 1
    events += driver.do(Correct, reason="half asked for", choices=(("a", "partage"),))
    seen = monitor(driver.house, coups_of_events(events))
    assert (seen.pending, seen.total.stakes, seen.total.net) == (0, 1, 50)


def test_a_stake_taken_back_when_the_session_closes_was_never_played() -> None:
    """It met no coup: nothing was staked, and nothing is expected of it."""
    driver = Driver("france-2007")
    kept = Kept(driver)
    driver.shoe((40, 31))
    driver.bet(("ann", "rouge", 100))
    driver.deal()
    driver.bet(("bob", "noir", 500))
    driver.do(CloseSession)
    events = [event for _command, happened in kept.steps for event in happened]
    for coups in (coups_of_events(events), coups_of_records(kept.recorder.records)):
        seen = monitor(driver.house, coups)
        assert (seen.coups, seen.total.stakes, seen.total.staked, seen.total.net) == (
            1,
            1,
            100,
            -100,
        )
        assert not seen.pending


def test_rounding_is_expected_as_the_house_rounds() -> None:
    """Half of a stake of 3 units, rounded for the bank, is expected as such at that amount."""
    driver = Driver("venezia-online")
    house = driver.house
    amounts = {}
    for amount in (30, 31):
        table = Driver(house)
        table.shoe((40, 31))
        table.do(OpenBets)
        events = [*table.do(Place, stake="a", player="a", chance="noir", amount=amount)]
        events += [*table.do(CloseBets), *table.do(Deal), *table.do(Settle)]
        amounts[amount] = monitor(
            house, coups_of_events(events), opening=table.table.state.setup.opening
        )
    assert amounts[31].total.expected > amounts[30].total.expected * 31 / 30


@pytest.mark.parametrize("rate", [0, -1, float("nan"), 1, 1000])
def test_a_rate_that_no_sheet_can_have_is_refused(rate: Any) -> None:
    """The rate of false alarms is a probability."""
    with pytest.raises(TrenteError) as caught:
        monitor(load_house("france-2007"), (), false_alarms=rate)
    assert caught.value.code == "bad-alarm"


def test_nothing_was_staked() -> None:
    """A table without a stake has no alarm and no deviation."""
    seen = monitor(load_house("france-2007"), ())
    assert (seen.coups, seen.total.stakes, seen.total.z, seen.alarm) == (0, 0, 0.0, False)
