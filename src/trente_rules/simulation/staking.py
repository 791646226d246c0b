"""The simulation of staking systems: sessions of one seat, each on separate shoes.

Session n plays the shoes of stream n, whatever the house and the system: seats are compared on the
same cards. A session starts with a bankroll and a fresh shoe; it lasts so many coups at the table,
and until a stake still in prison has left, or until the next stake cannot be paid.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Sequence
from concurrent.futures import Executor
from operator import attrgetter
from typing import Any, Final

from attrs import field, frozen

from trente_rules.core.errors import TrenteError
from trente_rules.simulation.arrays import cards_of, rule_array, verdict_array
from trente_rules.simulation.compiled import staking_kernel
from trente_rules.simulation.rungs import rungs_of
from trente_rules.simulation.runner import (
    Progress,
    Totals,
    check_coups,
    check_resume,
    run,
    seed_for,
    streams,
)
from trente_rules.simulation.seat import PLAYS, Seat
from trente_rules.simulation.staking_result import TRACED_POINTS, SystemSimulation, system_result

CHUNK_COUPS: Final = 500_000
"""About so many coups make a chunk: whole sessions, at least one."""
MOST_SESSION: Final = 1_000_000
SESSION: Final = 1000
"""The default number of coups of a session."""
TRACED: Final = 4000
"""How many of the first sessions are followed point by point."""
_SAFE: Final = 2**62
_OF_SEAT: Final = attrgetter("base", "bankroll", "insured", "play")
_SUMS: Final = (
    "coups",
    "staked",
    "net",
    "bets",
    "premiums",
    "cuts",
    "capped",
    "passed",
    "ruined",
    "shoes",
)
_COUNTED: Final = ("drawdown", "greatest", "won_run", "lost_run")


@frozen
class StakingJob:
    """Sessions of several seats, ``coups`` long each; ``chunk`` of them make a chunk."""

    seats: tuple[Seat, ...]
    seed: int
    coups: int
    chunk: int = field()

    @chunk.default
    def _chunk(self) -> int:
        return max(1, CHUNK_COUPS // self.coups)

    def identity(self) -> dict[str, Any]:
        """Return all that totals depend on: rules, systems, stakes, seed."""
        return {
            "seats": [
                [seat.house.fingerprint, repr(seat.system), *_OF_SEAT(seat), seat.opening.to_json()]
                for seat in self.seats
            ],
            "seed": self.seed,
            "session": self.coups,
            "chunk_sessions": self.chunk,
        }

    def play(self, chunk: int, sessions: int) -> Totals:
        """Play a chunk of sessions at each seat."""
        first = chunk * self.chunk
        words = _words(self.seed, first, sessions)
        traced = max(0, min(TRACED - first, sessions))
        return {"seats": [self._played(seat, words, traced) for seat in self.seats]}

    def _played(self, seat: Seat, words: Any, traced_sessions: int) -> Totals:
        import numpy as np  # noqa: PLC0415 - of the extra

        kernel, rungs = staking_kernel(), rungs_of(seat, self.coups)
        cards, sessions = cards_of(seat.house.shoe.packs), len(words)
        figures = np.zeros((sessions, kernel.FIGURES), np.int64)
        traced = np.zeros((traced_sessions, TRACED_POINTS), np.int64)
        state = np.zeros(kernel.SEAT_WIDTH, np.int64)
        rule = seat.house.limits_table.progression
        bankroll = -1 if seat.bankroll is None else seat.bankroll
        limits = [self.coups, bankroll, rule.reference if rule else 0]
        limits += [rule.at_most.numerator, rule.at_most.denominator] if rule else [1, 1]
        limits += [rungs.most, rungs.writes]
        rules = rule_array(seat.house.shoe), np.array(limits, np.int64)
        verdicts = verdict_array(seat.house.chances)
        room = cards.copy(), *np.zeros((2, len(cards) + 1), np.uint64)
        arrays = rungs.learn(rungs.first)
        counts = np.zeros(len(arrays[0]), np.int64)
        lists = rungs.line(self.coups)
        words, done = words.copy(), 0
        while done < sessions:
            seen = state, counts, figures, traced
            *tables, slots = arrays
            given = *tables, *lists, slots
            done = kernel.play(cards, *room, words, *rules, verdicts, *given, done, *seen)
            if done < 0:
                raise TrenteError(
                    f"the shoes of {seat.house.name} do not complete a coup",
                    "no-coup-left",
                    "put the marker nearer to the end, or burn fewer cards",
                )
            if done < sessions:
                arrays = rungs.learn(int(state[rungs.wanted]))
                counts = np.concatenate([counts, np.zeros(len(arrays[0]) - len(counts), np.int64)])
        return _totals(kernel, figures, traced, _bets(kernel, seat, arrays[0], counts))


def _words(seed: int, first: int, sessions: int) -> Any:
    """Return the states of both streams of each session."""
    import numpy as np  # noqa: PLC0415 - of the extra

    return np.array([np.concatenate(streams(seed, first + n)) for n in range(sessions)], np.uint64)


def _bets(kernel: Any, seat: Seat, rungs: Any, counts: Any) -> dict[str, int]:
    """Count bets by chance and amount, which do not depend on how the rungs are numbered."""
    bets: Counter[str] = Counter()
    used = counts.nonzero()[0]
    columns = rungs[used][:, [kernel.CHANCE, kernel.AMOUNT]].tolist()
    for (chance, amount), count in zip(columns, counts[used].tolist(), strict=True):
        bets[f"{seat.house.chances[chance].id}/{amount}"] += count
    return dict(bets)


def _totals(kernel: Any, figures: Any, traced: Any, bets: dict[str, int]) -> Totals:
    columns = {name: figures[:, getattr(kernel, name.upper())] for name in (*_SUMS, *_COUNTED)}
    net, coups = columns["net"], columns["coups"]
    products = ("net net", "net coups", "net staked", "coups coups", "staked staked")
    return {
        "sessions": len(figures),
        **{name: _sum(columns[name]) for name in _SUMS},
        "cut_sessions": int((columns["cuts"] > 0).sum()),
        "products": {
            name: _dot(*(columns[factor] for factor in name.split())) for name in products
        },
        "finals": _counted(net),
        "drawdowns": _counted(columns["drawdown"]),
        "greatest": _counted(columns["greatest"]),
        "won_runs": _counted(columns["won_run"]),
        "lost_runs": _counted(columns["lost_run"]),
        "lasted": _counted(coups[columns["ruined"] > 0]),
        "wagered": bets,
        "traced": [_counted(traced[:, point]) for point in range(traced.shape[1])],
    }


def _sum(column: Any) -> int:
    """Return the sum exactly, in long numbers where 64 bits might not do."""
    largest = int(abs(column).max(initial=0))
    return int(column.sum()) if largest * len(column) < _SAFE else sum(column.tolist())


def _dot(one: Any, other: Any) -> int:
    """Return the sum of products exactly, in long numbers where 64 bits might not do."""
    if not len(one):
        return 0
    largest = max(1, int(abs(one).max())) * max(1, int(abs(other).max())) * len(one)
    if largest < _SAFE:
        return int(one @ other)
    return sum(a * b for a, b in zip(one.tolist(), other.tolist(), strict=True))


def _counted(values: Any) -> dict[str, int]:
    import numpy as np  # noqa: PLC0415 - of the extra

    numbers, counts = np.unique(values, return_counts=True)
    return dict(zip(map(str, numbers.tolist()), counts.tolist(), strict=True))


def simulate_systems(  # noqa: PLR0913 - each is given by name
    seats: Seat | Iterable[Seat],
    *,
    coups: float,
    session: int = SESSION,
    seed: int | None = None,
    executor: Executor | None = None,
    workers: int | None = None,
    progress: Progress | None = None,
    resume: str | os.PathLike[str] | None = None,
) -> SystemSimulation:
    """Play staking systems for about ``coups`` coups, in sessions, and return the figures.

    Every seat plays as many sessions as hold ``coups``, ``session`` coups each, and session n of
    every seat is on the same shoes. A seat bets one stake at a time: while it is in prison, the
    seat waits. Results are of the stake alone, the premium apart: a positive net is a win, a
    negative one a loss (half a stake lost as well), and a stake that comes back is neither. Where
    the house refuses a stake the system restarts; where it measures later bets by one of the shoe
    and refuses even the first stake of the system, the seat waits for the next shoe. A premium that
    falls due in prison is paid, whatever is left. The same arguments and seed give the same totals,
    whatever plays them; without a seed, that of the resumed file is taken, or a new one is drawn.
    See ``run`` for executor, workers, progress and resume.

    A stake of so many units that a session could not be added up in 63 bits is not counted: the
    system restarts, which ``capped`` counts apart from the refusals of the house.

    Raises ``TrenteError``: "needs-fast", "above-counted", "bad-coups", "bad-session", "bad-seed",
    "bad-workers", "no-seat", "bad-play", "bad-system", "too-many-rungs", "too-many-states",
    "other-run", "not-a-run", "run-file"; ``BetError``: "unknown-chance", "opening-needed",
    "bankroll-too-small", and the codes of refused stakes.
    """
    listed = (seats,) if isinstance(seats, Seat) else tuple(seats)
    check_seats(listed, coups, session)
    check_resume(resume)
    staking_kernel()
    for seat in listed:
        rungs_of(seat, session)
    job = StakingJob(listed, seed_for(seed, resume), session)
    how: dict[str, Any] = {"executor": executor, "workers": workers, "progress": progress}
    done = run(job, -(-int(coups) // session), of_chunk=job.chunk, resume=resume, **how)
    return system_result(listed, job.seed, int(coups), session, done)


def check_seats(seats: Sequence[Seat], coups: float, session: int) -> None:
    """Raise what ``simulate_systems`` raises for arguments that cannot be simulated."""
    if not seats:
        raise TrenteError("no seat to simulate", "no-seat", "name a house and a system, or more")
    for seat in seats:
        if seat.play not in PLAYS:
            raise TrenteError(
                f"{seat.play!r} is not a way to play", "bad-play", f"ways are {', '.join(PLAYS)}"
            )
        if type(seat.base) is not int or seat.base < 1:
            raise TrenteError(
                f"a base stake of {seat.base!r} units", "bad-base", "a whole number from 1"
            )
        if seat.bankroll is not None and (type(seat.bankroll) is not int or seat.bankroll < 0):
            raise TrenteError(
                f"a bankroll of {seat.bankroll!r} units", "bad-bankroll", "a whole number, or None"
            )
    check_coups(coups)
    if type(session) is not int or not 1 <= session <= MOST_SESSION:
        raise TrenteError(
            f"a session of {session!r} coups cannot be played",
            "bad-session",
            f"a whole number from 1 to {MOST_SESSION}",
        )
