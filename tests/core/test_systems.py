"""Staking systems: each stakes as players tell it, and its ladder says the same."""

from __future__ import annotations

from collections.abc import Callable
from itertools import accumulate
from typing import Any

import pytest
from attrs import frozen
from hypothesis import given, settings
from hypothesis import strategies as st

from trente_rules import TrenteError
from trente_rules.core import systems as ladders
from trente_rules.core.plugins.manager import default_manager
from trente_rules.core.systems import (
    AvantDernier,
    Bet,
    ContreDAlembert,
    DAlembert,
    Fibonacci,
    Fitzroy,
    Flat,
    GrandeMartingale,
    Intermittence,
    Labouchere,
    Ladder,
    Martingale,
    MontantEtDemontant,
    OneThreeTwoSix,
    OscarsGrind,
    Paroli,
    Restart,
    Result,
    ReverseLabouchere,
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
        (ReverseLabouchere(line=(1, 2, 3)), "wwlwll", [4, 5, 6, 6, 8, 7, 4]),
        (MontantEtDemontant(), "lllww", [1, 2, 3, 4, 3, 1]),
        (MontantEtDemontant(), "llw=lw", [1, 2, 3, 1, 1, 2, 1]),
        (OneThreeTwoSix(), "wwwwl", [1, 3, 2, 6, 1, 1]),
        (OneThreeTwoSix(), "w=wl", [1, 3, 3, 2, 1]),
    ],
    ids=str,
)
def test_it_stakes_as_it_is_told(system: System, results: str, expected: list[int]) -> None:
    """Stakes in base stakes, after wins (w), losses (l) and stakes that came back level (=)."""
    assert stakes(system, results) == expected


def played(system: System, results: str) -> tuple[list[int], list[int]]:
    """Return stakes and running nets of a system along results, every one of them decided."""
    staked = stakes(system, results)[:-1]
    nets = [stake if word == "w" else -stake for stake, word in zip(staked, results, strict=True)]
    return staked, list(accumulate(nets))


PRINTED: dict[str, tuple[System, str, list[int], list[int]]] = {
    "p. 460, ordinary method": (
        MontantEtDemontant(),
        "llllllwlwllllwwwlww",
        [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 15, 16, 14],
        [-1, -3, -6, -10, -15, -21, -14, -22, -13, -23, -34, -46, -59, -45, -30, -14, -29, -13, 1],
    ),
    "p. 460, a varying unit": (
        MontantEtDemontant(unit_after=10),
        "llllllwlwllllwwwlww",
        [1, 2, 3, 4, 2, 4, 6, 8, 10, 9, 11, 2, 3, 6, 9, 12, 7, 10, 4],
        [-1, -3, -6, -10, -12, -16, -10, -18, -8, -17, -28, -30, -33, -27, -18, -6, -13, -3, 1],
    ),
    "p. 456, Fitzroy": (
        Fitzroy(),
        "llwllwwlww",
        [1, 3, 4, 4, 5, 6, 7, 4, 5, 5],
        [-1, -4, 0, -4, -9, -3, 4, 0, 5, 10],
    ),
    "p. 457, a bad run at a Labouchere": (
        Labouchere(),
        "wllwlwlllllwwllwlllwllwlllwll",
        [
            *(5, 5, 7, 9, 8, 11, 5, 10, 15, 20, 25, 30, 25, 25, 35, 45, 40, 55, 70, 85, 80, 105),
            *(130, 120, 160, 200, 240, 215, 270),
        ],
        [
            *(5, 0, -7, 2, -6, 5, 0, -10, -25, -45, -70, -40, -15, -40, -75, -30, -70, -125, -195),
            *(-110, -190, -295, -165, -285, -445, -645, -405, -620, -890),
        ],
    ),
    "p. 472, the Labouchere reversed": (
        ReverseLabouchere(),
        "lwwwwllwwwwllwwlwlwwwlwlwwwww",
        [
            *(5, 5, 7, 9, 11, 13, 12, 12, 17, 22, 27, 32, 29, 29, 41, 53, 46, 63, 29, 58, 87, 116),
            *(87, 116, 58, 116, 174, 232, 290),
        ],
        [
            *(-5, 0, 7, 16, 27, 14, 2, 14, 31, 53, 80, 48, 19, 48, 89, 36, 82, 19, 48, 106, 193),
            *(77, 164, 48, 106, 222, 396, 628, 918),
        ],
    ),
}
"""The tables of Browning (c. 1909): system, results, stakes, nets."""


@pytest.mark.parametrize("place", PRINTED)
def test_the_tables_of_the_book_come_out(place: str) -> None:
    """C26: every table of stakes that Hoyle's Games Modernized prints, stake by stake."""
    system, results, staked, nets = PRINTED[place]
    assert played(system, results) == (staked, nets)


def test_a_line_that_ends_reversed_has_cost_its_sum() -> None:
    """C26: 1 2 3, W W L W L L: net -6, always minus the sum of the line when it ends so."""
    assert played(ReverseLabouchere(line=(1, 2, 3)), "wwlwll")[1][-1] == -6


def test_montant_et_demontant_ends_one_to_the_good() -> None:
    """C26: L L L W W: net +1; whatever the results, an attack ends at exactly +1."""
    assert played(MontantEtDemontant(), "lllww")[1][-1] == 1
    system = MontantEtDemontant(after_win="less")
    assert stakes(system, "lllllwl")[:-1] == [1, 2, 3, 4, 5, 6, 5]
    for results in ("w", "lw", "llww", "lllwlww"):
        net, state = 0, system.start()
        for word in results:
            stake = system.bet(state).units
            net += stake if word == "w" else -stake
            state = system.after(state, WORDS[word])
            assert net <= 1
            assert net < 1 or state == system.start()
        assert net == 1


def test_avant_dernier_bets_on_the_last_winner_but_one() -> None:
    """P. 461: it loses by two of one kind followed by two of the other alone."""
    system = AvantDernier()
    came = ["noir", "noir", "rouge", "rouge", "noir", "rouge", "noir"]
    state, bets = system.start(), []
    for winner in came:
        bet = system.bet(state)
        bets.append(bet.chance)
        result = Result.WON if bet.chance == winner else Result.LOST
        state = system.after(system.after(state, Result.LEVEL), result)
    # The first two bets are on the chance it begins with: too little has come to follow.
    assert bets[2:] == came[:-2]


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
    ladder = Ladder(system, within(limit + ("labouchere" in name)))
    state, rung = system.start(), 0
    for result in results:
        assert ladder.bet(rung) == system.bet(state)
        found = ladder.rung(rung)
        assert found.bet == ladder.bet(rung)
        state, rung = system.after(state, result), found.nexts[result]
        if found.cut[result]:
            assert found.cut[result] is Restart.HOUSE
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
    """C2: above what is counted a martingale restarts, and the rung says that it is no refusal."""
    for ladder, rungs in ((Ladder(Martingale()), 50), (Ladder(Martingale(), most=2**20), 21)):
        assert climbed(ladder, 1000)
        assert [ladder.bet(n).units for n in range(len(ladder))] == [2**n for n in range(rungs)]
        assert ladder.rung(rungs - 1).cut[Result.LOST] is Restart.COUNTED
    refused = Ladder(Martingale(), within(100), most=10**6)
    assert climbed(refused, 1000)
    assert refused.rung(6).cut == (Restart.NOT, Restart.HOUSE, Restart.NOT)


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
    """Seventeen systems are shipped; another name is an error that names the nearest."""
    assert len(SYSTEMS) == 17
    with pytest.raises(TrenteError, match='did you mean "d\'alembert"'):
        default_manager().rule("system", "dalembert")
    with pytest.raises(ValueError, match=r"0 is out of range \(1 or more\)"):
        Paroli(coups=0)


def test_the_third_of_the_whole_follows_the_last_winner() -> None:
    """After a win the same chance, after a loss the other; after two losses it restarts there."""
    system, state, bets = TiersDuTout(), TiersDuTout().start(), []
    for word in "wl=lwlw":
        bets.append(system.bet(state))
        state = system.after(state, WORDS[word])
    assert [(bet.chance, bet.units) for bet in (*bets, system.bet(state))] == [
        *(("rouge", 1), ("rouge", 1), ("noir", 2), ("noir", 2), ("rouge", 1), ("rouge", 1)),
        *(("noir", 2), ("noir", 1)),
    ]
