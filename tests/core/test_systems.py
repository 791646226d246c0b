"""Staking systems: each stakes as players tell it, and its ladder says the same."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from attrs import frozen
from hypothesis import given, settings
from hypothesis import strategies as st

from trente_rules import TrenteError
from trente_rules.core import systems as ladders
from trente_rules.core.plugins.manager import default_manager
from trente_rules.core.systems import (
    Bet,
    ContreDAlembert,
    DAlembert,
    Fibonacci,
    Flat,
    GrandeMartingale,
    Intermittence,
    Labouchere,
    Ladder,
    Martingale,
    OscarsGrind,
    Paroli,
    Result,
    Serie,
    System,
    TiersDuTout,
)

WORDS = {"w": Result.WON, "l": Result.LOST, "=": Result.LEVEL}


def stakes(system: System, results: str) -> list[int]:
    """Return what a system stakes along results, the stake after the last among them."""
    state = system.start()
    staked = [system.bet(state).units]
    for word in results:
        state = system.after(state, WORDS[word])
        staked.append(system.bet(state).units)
    return staked


@pytest.mark.parametrize(
    ("system", "results", "expected"),
    [
        (Flat(), "wl=w", [1, 1, 1, 1, 1]),
        (Martingale(), "lll=wl", [1, 2, 4, 8, 8, 1, 2]),
        (GrandeMartingale(), "lllw", [1, 3, 7, 15, 1]),
        (Paroli(), "www", [1, 2, 4, 1]),
        (Paroli(coups=2), "w=lw", [1, 2, 2, 1, 2]),
        (DAlembert(), "llwwwl", [1, 2, 3, 2, 1, 1, 2]),
        (ContreDAlembert(), "wwlll", [1, 2, 3, 2, 1, 1]),
        (Fibonacci(), "lllllww", [1, 1, 2, 3, 5, 8, 3, 1]),
        (Labouchere(), "lwww", [5, 6, 6, 3, 5]),
        (Labouchere(line=(1, 2)), "w", [3, 3]),
        (OscarsGrind(), "lllwww", [1, 1, 1, 1, 2, 1, 1]),
        (OscarsGrind(), "lw", [1, 1, 1]),
        (TiersDuTout(), "lwll", [1, 2, 1, 2, 1]),
    ],
    ids=str,
)
def test_it_stakes_as_it_is_told(system: System, results: str, expected: list[int]) -> None:
    """Stakes in base stakes, after wins (w), losses (l) and stakes that came back level (=)."""
    assert stakes(system, results) == expected


def test_following_bets_on_the_last_winner_or_loser() -> None:
    """Série stays with the winner, intermittence leaves it."""
    serie, other = Serie(), Intermittence(begin="inverse")
    assert serie.bet(serie.after("rouge", Result.LOST)).chance == "noir"
    assert serie.bet(serie.after("noir", Result.WON)).chance == "noir"
    assert other.bet(other.start()).chance == "inverse"
    assert other.bet(other.after("inverse", Result.WON)).chance == "couleur"
    assert other.bet(other.after("inverse", Result.LEVEL)).chance == "inverse"


def test_the_martingale_wins_one_stake_a_series() -> None:
    """Whatever the length of the run, a martingale that ends in a win has won one stake."""
    for length in range(12):
        series = stakes(Martingale(), "l" * length)
        assert series[-1] - sum(series[:-1]) == 1
        grande = stakes(GrandeMartingale(), "l" * length)
        assert grande[-1] - sum(grande[:-1]) == length + 1


def test_labouchere_wins_its_line() -> None:
    """When the line is struck out, as much is won as it summed to."""
    system, net, state = Labouchere(), 0, Labouchere().start()
    for word in "lwww":
        won = word == "w"
        net += system.bet(state).units * (1 if won else -1)
        state = system.after(state, WORDS[word])
    assert (net, state) == (10, system.line)


def within(limit: int) -> Callable[[Bet], bool]:
    """Return what takes bets up to so many base stakes."""
    return lambda bet: bet.units <= limit


def climbed(ladder: Ladder, rungs: int) -> bool:
    """Look at rungs until so many are known; tell whether that is all of them."""
    index = 0
    while index < len(ladder) < rungs:
        ladder.rung(index)
        index += 1
    return index == len(ladder)


SYSTEMS = default_manager().names("system")


@pytest.mark.parametrize("name", SYSTEMS)
@settings(max_examples=20, deadline=None)
@given(results=st.lists(st.sampled_from(Result), max_size=40), limit=st.integers(4, 60))
def test_the_ladder_says_what_the_system_says(name: str, results: list[Result], limit: int) -> None:
    """Along any results a ladder bets what the system would; at the limit it begins anew."""
    system = default_manager().rule("system", name).rule()
    ladder = Ladder(system, within(limit if name != "labouchere" else limit + 1))
    state, rung = system.start(), 0
    for result in results:
        assert ladder.bet(rung) == system.bet(state)
        found = ladder.rung(rung)
        assert found.bet == ladder.bet(rung)
        state, rung = system.after(state, result), found.nexts[result]
        if found.cut[result]:
            assert system.bet(state).units > limit
            assert rung == 0
            state = system.start()
    assert ladder.bet(rung) == system.bet(state)


def test_a_small_ladder_is_known_whole() -> None:
    """A martingale within 100 base stakes has seven rungs; climbing on finds no more."""
    ladder = Ladder(Martingale(), within(100))
    assert climbed(ladder, 1000)
    assert len(ladder) == 7
    assert ladder.rung(6).cut[Result.LOST]
    assert not climbed(Ladder(DAlembert()), 50)


def test_no_bet_is_too_large_to_be_counted() -> None:
    """Above 10^12 base stakes a martingale begins anew, as at the maximum of a house."""
    ladder = Ladder(Martingale())
    assert climbed(ladder, 1000)
    assert [ladder.bet(n).units for n in range(len(ladder))] == [2**n for n in range(40)]
    assert ladder.rung(39).cut[Result.LOST]


@frozen
class Odd:
    """A system that bets anything."""

    bets: Any

    def start(self) -> int:
        """Return a state."""
        return 0

    def bet(self, _state: int) -> Any:
        """Return what was given."""
        return self.bets

    def after(self, state: int, _result: Result) -> int:
        """Return another state each time."""
        return state + 1


@pytest.mark.parametrize(
    "bet",
    [None, 1, Bet("rouge", 0), Bet("rouge", -3), Bet("rouge", units=True), Bet(7, 1)],  # type: ignore[arg-type]
)
def test_a_bet_that_is_none_is_refused(bet: object) -> None:
    """A stranger's system that answers nonsense is told of it."""
    with pytest.raises(TrenteError) as caught:
        Ladder(Odd(bet))
    assert caught.value.code == "bad-system"


def test_a_system_that_the_house_cannot_take_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first bet within the limit, and not more states than can be kept."""
    with pytest.raises(TrenteError) as caught:
        Ladder(Labouchere(), within(3))
    assert caught.value.code == "system-over-limit"
    monkeypatch.setattr(ladders, "MOST_RUNGS", 100)
    with pytest.raises(TrenteError) as caught:
        climbed(Ladder(Odd(Bet("rouge", 1))), 1000)
    assert caught.value.code == "too-many-rungs"


def test_a_system_is_found_by_name() -> None:
    """Twelve systems are shipped; another name is an error that names the nearest."""
    assert len(SYSTEMS) == 12
    with pytest.raises(TrenteError, match='did you mean "d\'alembert"'):
        default_manager().rule("system", "dalembert")
    with pytest.raises(ValueError, match="below 1"):
        Paroli(coups=0)
