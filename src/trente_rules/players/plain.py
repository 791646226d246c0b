"""Staking systems in plain Python, where numba is not installed: slow, at the real table.

Each session is played by ``play_strategy``; on the same shoes every figure is that of the compiled
simulation. The shoes are those of ``plain_shoes``, stream n for session n.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from time import perf_counter
from typing import Final

from attrs import define, field

from trente_rules.core.shoe import Shoe
from trente_rules.core.systems import Result
from trente_rules.players.strategy import Played, SystemPlayer, play_strategy
from trente_rules.simulation.plain import plain_shoes
from trente_rules.simulation.runner import Progress, check_coups, seed_for
from trente_rules.simulation.seat import Seat
from trente_rules.simulation.staking import SESSION, check_seats
from trente_rules.simulation.staking_result import (
    TRACED_POINTS,
    SimulatedSystem,
    Spread,
    SystemSimulation,
)

AFFORDED: Final = 20_000
"""Coups of one system that take some seconds."""


@define
class PlainSessions:
    """The sessions of a seat that were played."""

    seat: Seat
    session: int
    played: list[Played] = field(factory=list)
    cuts: list[int] = field(factory=list)

    def play(self, shoes: Iterator[Shoe]) -> None:
        """Play one session to its end."""
        player = SystemPlayer(self.seat)
        played = play_strategy(
            self.seat.house,
            player,
            coups=self.session,
            bankroll=self.seat.bankroll,
            shoes=shoes,
            opening=self.seat.opening,
        )
        player.hear(played.view.ended)
        self.played.append(played)
        self.cuts.append(player.cuts)

    def result(self) -> SimulatedSystem:
        """Return the figures of all sessions."""
        all_nets = [_nets(one) for one in self.played]
        nets = [one.net for one in self.played]
        coups = [one.coups for one in self.played]
        staked = [one.staked for one in self.played]
        stakes = Counter(
            (ended.bet.chance, ended.bet.amount) for one in self.played for ended in one.ended
        )
        marks = [self.session * (point + 1) // TRACED_POINTS for point in range(TRACED_POINTS)]
        return SimulatedSystem(
            seat=self.seat,
            sessions=len(self.played),
            session=self.session,
            coups=sum(coups),
            shoes=sum(one.shoes for one in self.played),
            staked=sum(staked),
            net=sum(nets),
            bets=sum(len(one.ended) for one in self.played),
            premiums=sum(one.premiums for one in self.played),
            passed=0,
            cuts=sum(self.cuts),
            cut_sessions=sum(1 for cuts in self.cuts if cuts),
            capped=0,
            ruined=sum(one.ruined for one in self.played),
            wagered=dict(sorted(stakes.items())),
            finals=_spread(nets),
            drawdowns=_spread(map(_drawdown, all_nets)),
            greatest=_spread(
                max((ended.bet.amount for ended in one.ended), default=0) for one in self.played
            ),
            won_runs=_spread(_longest(one, Result.WON) for one in self.played),
            lost_runs=_spread(_longest(one, Result.LOST) for one in self.played),
            lasted=_spread(one.coups for one in self.played if one.ruined),
            traced=tuple(_spread(_net_at(one, mark) for one in self.played) for mark in marks),
            products={
                name: sum(a * b for a, b in zip(one, other, strict=True))
                for name, one, other in (
                    ("net net", nets, nets),
                    ("net coups", nets, coups),
                    ("net staked", nets, staked),
                    ("coups coups", coups, coups),
                    ("staked staked", staked, staked),
                )
            },
        )


def _nets(played: Played) -> list[int]:
    """Return the running net after each stake that has left."""
    return list(accumulate((ended.net for ended in played.ended), initial=0))


def _net_at(played: Played, coup: int) -> int:
    """Return the net of the stakes that were placed by a coup."""
    return sum(ended.net for ended in played.ended if ended.coup <= coup)


def _drawdown(nets: Sequence[int]) -> int:
    peaks = accumulate(nets, max)
    return max(peak - net for peak, net in zip(peaks, nets, strict=True))


def _longest(played: Played, wanted: Result) -> int:
    """Return the longest run of a result; stakes that come back level count neither way."""
    most = run = 0
    for ended in played.ended:
        if ended.result is not Result.LEVEL:
            run = run + 1 if ended.result is wanted else 0
            most = max(most, run)
    return most


def _spread(values: Iterable[int]) -> Spread:
    return Spread(dict(sorted(Counter(values).items())))


def simulate_systems_plain(
    seats: Iterable[Seat],
    *,
    coups: float,
    session: int = SESSION,
    seed: int | None = None,
    progress: Progress | None = None,
) -> SystemSimulation:
    """Return what ``simulate_systems`` returns, without numba and numpy, slowly.

    An interrupt gives the sessions that are done. ``passed`` is not counted. Raises as
    ``simulate_systems``, "needs-fast" apart.
    """
    listed = tuple(seats)
    check_seats(listed, coups, session)
    check_coups(coups)
    for seat in listed:
        seat.check()
    number, started = seed_for(seed), perf_counter()
    sessions = -(-int(coups) // session)
    found = [PlainSessions(seat, session) for seat in listed]
    complete = True
    try:
        for stream in range(sessions):
            for place, one in enumerate(found):
                one.play(plain_shoes(one.seat.house, number, stream))
                if progress:
                    progress(stream * len(found) + place + 1, sessions * len(found))
    except KeyboardInterrupt:
        complete = False
    results = tuple(one.result() for one in found if one.played)
    seconds = perf_counter() - started
    rate = sum(one.coups for one in results) / seconds if seconds else 0.0
    return SystemSimulation(results, number, int(coups), session, complete, seconds, rate)
