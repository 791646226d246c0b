"""Systems in the kernel against systems at the real table: the same shoes, the same units."""

from __future__ import annotations

from typing import Any, Final

import pytest
from attrs import evolve

pytest.importorskip("numba")

from tests.whole_units import whole_house

from trente_rules import House, TrenteError, loads_house
from trente_rules.core import default_manager
from trente_rules.core.systems import Result
from trente_rules.odds.advantage import advantage
from trente_rules.odds.coup_odds import fresh_shoe
from trente_rules.players.seats import base_stake, expected_of, seat_of
from trente_rules.players.strategy import (
    Played,
    SystemPlayer,
    play_seat,
    play_strategy,
    simulated_shoes,
)
from trente_rules.simulation.compiled import staking_kernel
from trente_rules.simulation.seat import Play, Seat
from trente_rules.simulation.staking import StakingJob, simulate_systems
from trente_rules.simulation.staking_result import SimulatedSystem

pytestmark = pytest.mark.slow

HOUSES: Final = default_manager().names("house")
SYSTEMS: Final = default_manager().names("system")
PLAYS: Final[tuple[Play, ...]] = ("default", "partage", "prison")
COUPS: Final = 100
SESSIONS: Final = 2


def longest(played: Played, wanted: Result) -> int:
    """Return the longest run of a result; stakes that come back level count neither way."""
    most = run = 0
    for ended in played.ended:
        if ended.result is not Result.LEVEL:
            run = run + 1 if ended.result is wanted else 0
            most = max(most, run)
    return most


def drawdown(played: Played) -> int:
    """Return how far the bankroll fell at most from where it had stood."""
    worst = peak = net = 0
    for ended in played.ended:
        net += ended.net
        peak = max(peak, net)
        worst = max(worst, peak - net)
    return worst


def counted(played: list[Played]) -> dict[str, Any]:
    """Return what the kernel counts, of sessions at the table."""
    wagered: dict[str, int] = {}
    for one in played:
        for ended in one.ended:
            name = f"{ended.bet.chance}/{ended.bet.amount}"
            wagered[name] = wagered.get(name, 0) + 1
    spreads = {
        "finals": [one.net for one in played],
        "drawdowns": [drawdown(one) for one in played],
        "greatest": [max((e.bet.amount for e in one.ended), default=0) for one in played],
        "won_runs": [longest(one, Result.WON) for one in played],
        "lost_runs": [longest(one, Result.LOST) for one in played],
        "lasted": [one.coups for one in played if one.ruined],
    }
    return {
        "sessions": len(played),
        "coups": sum(one.coups for one in played),
        "shoes": sum(one.shoes for one in played),
        "net": sum(one.net for one in played),
        "staked": sum(one.staked for one in played),
        "premiums": sum(one.premiums for one in played),
        "bets": sum(len(one.ended) for one in played),
        "ruined": sum(one.ruined for one in played),
        "wagered": wagered,
        **{name: {str(v): values.count(v) for v in values} for name, values in spreads.items()},
    }


def at_the_table(seat: Seat, seed: int, coups: int, session: int) -> tuple[Played, SystemPlayer]:
    """Play a session, and answer the player as well; he hears of his last stake."""
    player = SystemPlayer(seat)
    played = play_strategy(
        seat.house,
        player,
        coups=coups,
        bankroll=seat.bankroll,
        shoes=simulated_shoes(seat.house, seed, session),
        opening=seat.opening,
    )
    for ended in played.view.ended:
        player._moved(ended.result)
    return played, player


def agrees(seat: Seat, seed: int, coups: int = COUPS, sessions: int = SESSIONS) -> dict[str, Any]:
    """Play by both, and compare all that is counted; answers what it was."""
    told = StakingJob((seat,), seed, coups).play(0, sessions)["seats"][0]
    sat = [at_the_table(seat, seed, coups, n) for n in range(sessions)]
    expected = counted([played for played, _player in sat])
    expected["cuts"] = sum(player.cuts for _played, player in sat)
    assert {name: told[name] for name in expected} == expected
    return dict(told)


def seats_at(house: House, number: int) -> list[Seat]:
    """Return some seats of a house, other systems and policies at each."""
    found = []
    for insured in (False, True):
        if insured and house.insurance_table is None:
            continue
        base = base_stake(house, insured=insured)
        for step in range(2):
            place = 4 * number + 2 * insured + step
            text, play = SYSTEMS[place % len(SYSTEMS)], PLAYS[place % len(PLAYS)]
            if text == "labouchere" and house.name == "venezia-online":
                text = "labouchere{line=[1, 1]}"
            found.append(
                seat_of(house, text, base=base, bankroll=40 * base, insured=insured, play=play)
            )
    return found


@pytest.mark.parametrize("name", HOUSES)
def test_systems_come_to_the_same_unit_as_at_the_table(name: str) -> None:
    """Stakes, nets, premiums, runs, drawdown, ruin: some systems at every shipped house."""
    for seat in seats_at(whole_house(name), HOUSES.index(name)):
        agrees(seat, seed=len(name))


@pytest.mark.nightly
@pytest.mark.parametrize("name", HOUSES)
@pytest.mark.parametrize("system", SYSTEMS)
def test_every_system_at_every_house(name: str, system: str) -> None:
    """All of them, insured or not, under each policy."""
    house = whole_house(name)
    for insured in (False, True):
        if insured and house.insurance_table is None:
            continue
        for play in PLAYS:
            text = "labouchere{line=[1, 1]}" if system == "labouchere" else system
            base = base_stake(house, insured=insured)
            seat = seat_of(house, text, base=base, bankroll=60 * base, insured=insured, play=play)
            agrees(seat, seed=3, coups=200, sessions=1)


def test_insurance_that_covers_the_prison_is_paid_again() -> None:
    """A premium for each coup in prison, as the table takes it."""
    house = loads_house(
        """
        [house]
        name = "covered"
        extends = "france-2007"
        [insurance]
        covers = ["free", "prison"]
        """
    )
    seat = seat_of(house, "d'alembert", base=1000, insured=True, play="prison")
    assert agrees(seat, seed=2, coups=400)["premiums"] > 0


def test_prisoners_that_the_end_of_a_shoe_closes() -> None:
    """Where every tie is a refait and a shoe closes its prisoners, the system hears of it."""
    house = whole_house("german-spas-1840")
    closing = evolve(house, shoe=evolve(house.shoe, prisoners_at_end="close"))
    agrees(seat_of(closing, "martingale", base=3), seed=1, coups=300)
    agrees(seat_of(closing, "paroli", base=4, play="prison"), seed=4, coups=300)


def test_the_limit_on_raising_holds_in_every_shoe() -> None:
    """Venezia online: from the fourth bet of a shoe at most 3/2 of the third; the table agrees."""
    seat = seat_of(whole_house("venezia-online"), "labouchere{line=[3, 1, 1, 3]}", base=2)
    told = agrees(seat, seed=6, coups=400, sessions=1)
    assert told["cuts"] > 0
    assert told["passed"] > 0
    assert told["passed"] + told["bets"] <= told["coups"]


def test_the_maximum_makes_a_martingale_begin_anew() -> None:
    """Monte Carlo: from 1,500 francs three losses are the last that can be doubled."""
    seat = seat_of(whole_house("monte-carlo-1911"), "martingale", base=1500, endless=True)
    told = agrees(seat, seed=5, coups=300, sessions=1)
    assert told["cuts"] > 0
    assert max(map(int, told["greatest"])) == 12_000
    assert told["ruined"] == 0


@pytest.mark.parametrize("system", ["flat", "martingale", "d'alembert", "serie", "oscars-grind"])
def test_no_system_changes_the_edge_of_a_unit(system: str) -> None:
    """Per unit staked the bank takes its exact advantage, whatever the system."""
    seat = seat_of(whole_house("monte-carlo-1911"), system)
    one = simulate_systems(seat, coups=6e5, session=500, seed=21, workers=2).seats[0]
    expected = expected_of(one)
    assert expected is not None
    assert float(expected.edge) == pytest.approx(0.0109457, abs=2e-7)
    assert expected.z is not None
    assert abs(expected.z) < 3.9
    assert one.ruin is not None


def test_n0_of_flat_stakes_is_that_of_the_advantage() -> None:
    """(sd / edge)^2 of one stake, and a little more: coups in prison are waited for."""
    house = whole_house("italy-half-loss")
    wager = advantage(house, fresh_shoe(6), chances=["rouge"]).wagers[0]
    seat = seat_of(house, "flat", base=10, endless=True)
    one = simulate_systems(seat, coups=1e6, session=200, seed=1, workers=2).seats[0]
    expected = expected_of(one)
    assert expected is not None
    assert expected.edge == wager.edge
    assert expected.n0 == pytest.approx((wager.sd / float(wager.edge)) ** 2, rel=0.08)


def test_more_money_is_never_sooner_ruined() -> None:
    """On the same shoes: who begins with more is ruined in no session that the other survives."""
    house = whole_house("france-2007")
    seats = [seat_of(house, "d'alembert", base=10, bankroll=money) for money in (300, 600, 1200)]
    found = simulate_systems(seats, coups=1e5, session=500, seed=8, workers=1).seats
    ruined = [one.ruined for one in found]
    assert ruined == sorted(ruined, reverse=True)
    assert ruined[0] > ruined[2]


def test_a_house_without_a_maximum_ends_with_the_money() -> None:
    """A martingale there is stopped by ruin alone."""
    seat = seat_of(whole_house("foster-1897"), "martingale", base=2, bankroll=2 * 127)
    one: SimulatedSystem = simulate_systems(seat, coups=1e5, seed=4, workers=1).seats[0]
    assert one.cuts == 0
    assert one.ruined > 0
    assert one.lost_runs.greatest is not None
    assert one.lost_runs.greatest >= 7


def test_shoes_that_complete_no_coup_are_told_of() -> None:
    """A marker before the eighth card that voids its coup: hardly a coup could be dealt."""
    house = loads_house(
        """
        [house]
        name = "short"
        extends = "france-2007"
        [shoe]
        packs = 1
        [shoe.marker]
        from_end = 46
        on_marker = "void"
        """
    )
    with pytest.raises(TrenteError, match="do not complete a coup") as caught:
        simulate_systems(seat_of(house, "flat"), coups=10, seed=1, workers=1)
    assert caught.value.code == "no-coup-left"


def test_a_session_at_the_table_is_the_one_that_was_simulated() -> None:
    """``play_seat`` by its seed and session; the kernel's trial plays one session."""
    seat = seat_of(whole_house("france-2007"), "paroli")
    told = StakingJob((seat,), 9, 50).play(0, 3)["seats"][0]
    nets = [play_seat(seat, coups=50, seed=9, session=n).net for n in range(3)]
    assert told["finals"] == {str(net): nets.count(net) for net in nets}
    assert staking_kernel().tried() == 1
