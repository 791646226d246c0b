"""The bank's hold of every wager over whole tailles, stakes in prison included.

One stake is placed on every coup that is completed. What it brings at once follows from the coups
by their points. What a stake in prison is worth is that of a fresh shoe, corrected by what each
later coup of the taille gives more or less than a fresh shoe would: a sum over the coups that
prisoners meet. At the end of a shoe a stake waits for the next one, or is closed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import cache
from hashlib import sha256
from math import fsum
from typing import Final

from attrs import frozen

from trente_rules.core.chances import Chance, Verdict
from trente_rules.core.compiled import LOGGER
from trente_rules.core.errors import TrenteError
from trente_rules.core.house.house import House
from trente_rules.core.machine import FREE
from trente_rules.core.money import NOUGHT
from trente_rules.core.wager import WagerPath
from trente_rules.odds.advantage import WagerAdvantage, law_of, worths
from trente_rules.odds.coup_odds import fresh_shoe
from trente_rules.odds.taille import (
    MISSING,
    Estimated,
    Shapes,
    computed,
    runs_of,
    shapes_of,
    stored,
)
from trente_rules.odds.taille_nodes import PAIRS, PrisonPath, TailleSums

LEVEL: Final = 2
"""The level of the corrections: they are some millionths, so it is enough."""
ROTATIONS: Final = 2
COLOURS_ERROR: Final = 1e-8
"""The first colours of different coups are taken as independent; see docs/mathematics.md."""


@frozen
class _Path:
    """A wager under a policy: what each pair of points gives at once, and its prison, if any."""

    gives: tuple[float, ...]
    prison: PrisonPath | None


def holds(
    house: House,
    wagers: Iterable[WagerAdvantage],
    from_end: int | None = None,
    *,
    compute: bool = True,
) -> tuple[Estimated | None, ...]:
    """Return what the bank holds of a stake on every coup of whole tailles, for nominal wagers.

    In the order of the wagers; in stakes. ``from_end`` as in ``taille_law``. None where a machine
    shuffles for every coup, for an amount, and where the figure is not stored and cannot be
    computed, or shall not. Raises ``RuleError`` ("bad-marker").
    """
    listed = tuple(wagers)
    none: tuple[None, ...] = (None,) * len(listed)
    if house.shoe.every_coup:
        return none
    try:
        runs = runs_of(house.shoe, from_end, compute=compute)
    except TrenteError as error:
        if error.code not in MISSING:
            raise
        return none
    paths = [_path_of(house, wager) for wager in listed]
    prisons = tuple(dict.fromkeys(path.prison for path in paths if path and path.prison))
    gains = _gains(shapes_of(house.shoe, from_end), prisons, compute=compute)
    found: list[Estimated | None] = []
    for path in paths:
        gain = Estimated(0.0, 0.0) if path is None or path.prison is None else gains[path.prison]
        if path is None or gain is None:
            found.append(None)
            continue
        gives = path.gives

        def held(sums: TailleSums, gives: tuple[float, ...] = gives) -> float:
            back = fsum(number * each for number, each in zip(sums.points, gives, strict=True))
            return 1 - back / fsum(sums.points)

        base = runs.figure(held)
        coups = runs.figure(lambda sums: fsum(sums.points)).value
        more = (gain.error + COLOURS_ERROR) / coups if path.prison else 0.0
        found.append(Estimated(base.value - gain.value / coups, base.error + more))
    return tuple(found)


def _gains(
    shapes: Shapes, prisons: Sequence[PrisonPath], *, compute: bool
) -> dict[PrisonPath, Estimated | None]:
    """Return what the prisoners of a taille gain, beyond a fresh shoe: stored, or computed."""
    known = stored(shapes[0][1]) if len(shapes) == 1 else None
    found: dict[PrisonPath, Estimated | None] = {}
    for prison in prisons:
        kept = known[1].get(prison_key(prison)) if known else None
        if kept:
            found[prison] = Estimated(*kept)
    wanted = tuple(prison for prison in prisons if prison not in found)
    if wanted and not compute:
        found |= dict.fromkeys(wanted)
    elif wanted:
        try:
            found |= zip(wanted, prison_gains(shapes, wanted), strict=True)
        except TrenteError as error:
            if error.code != "needs-fast":
                raise
            found |= dict.fromkeys(wanted)
    return found


@cache
def prison_gains(shapes: Shapes, prisons: tuple[PrisonPath, ...]) -> tuple[Estimated, ...]:
    """Return what prisoners gain in a taille beyond a fresh shoe; ``TrenteError`` "needs-fast"."""
    LOGGER.info("computing the prisoners of whole tailles, some seconds ...")
    runs = computed(shapes, LEVEL, ROTATIONS, prisons)
    return runs.figures(lambda sums: sums.prisons)


def prison_key(prison: PrisonPath) -> str:
    """Return the key under which the gain of a prison is stored."""
    numbers = [
        f"{number:.9g}"
        for line in (*(part for state in prison.moves for part in state), *prison.gains)
        for number in line
    ]
    return sha256(" ".join(numbers).encode()).hexdigest()[:16]


def prisons_of(house: House, wagers: Iterable[WagerAdvantage]) -> tuple[PrisonPath, ...]:
    """Return the prisons of the wagers of a house, each once."""
    paths = [_path_of(house, wager) for wager in wagers]
    return tuple(dict.fromkeys(path.prison for path in paths if path and path.prison))


def _path_of(house: House, wager: WagerAdvantage) -> _Path | None:
    """Return the path of a nominal wager; None for an amount."""
    if wager.stake is not None:
        return None
    for path in _paths(house, wager.chance, wager.insured):
        if path.policy == wager.policy:
            return _followed(house, path)
    return None


@cache
def _paths(house: House, chance: str, insured: bool) -> tuple[WagerPath, ...]:  # noqa: FBT001
    wager = house.wagers[chance, insured]
    verdicts = (*wager.chance.verdicts, Verdict.CLOSE)
    return tuple(wager.paths(verdicts=verdicts))


def _followed(house: House, path: WagerPath) -> _Path:
    """Return what each pair of points does to a stake, from its steps and its verdict table."""
    law = law_of(path.chance, fresh_shoe(house.shoe.packs))
    steps = {
        state: {verdict: step for verdict, step in there.items() if verdict != Verdict.CLOSE}
        for state, there in path.steps.items()
    }
    worth = worths(steps, law)
    shares = _shares(path.chance, house.shoe.packs)
    gives = tuple(
        float(
            sum(
                (
                    part * (step.back + step.keeps * worth.get(step.target, NOUGHT))
                    for verdict, part in line.items()
                    for step in (steps[FREE][verdict],)
                ),
                NOUGHT,
            )
        )
        for line in shares
    )
    if not any(step.target for step in steps[FREE].values()):
        return _Path(gives, None)
    states = list(steps)
    closed = {
        state: path.steps[state][Verdict.CLOSE].back - worth[state] if state != FREE else NOUGHT
        for state in states
    }
    carried = house.shoe.prisoners_at_end == "carry"
    ends = dict.fromkeys(states, NOUGHT) if carried else closed
    moves, gains = [], []
    for state in states:
        row = [[NOUGHT] * len(PAIRS) for _state in states]
        more = [NOUGHT] * len(PAIRS)
        for pair, line in enumerate(shares):
            for verdict, part in line.items():
                step = steps[state][verdict]
                if state != FREE:
                    value = step.back + step.keeps * worth.get(step.target, NOUGHT)
                    more[pair] += part * (value - worth[state])
                    more[pair] -= part * ends[state]
                if step.target:
                    row[states.index(step.target)][pair] += part * step.keeps
                    more[pair] += part * step.keeps * ends[step.target]
            if state == FREE:
                row[0][pair] += 1  # the next stake
        moves.append(tuple(_both_orders(each) for each in row))
        gains.append(_both_orders(more))
    return _Path(gives, PrisonPath(tuple(moves), tuple(gains)))


def _both_orders(line: Sequence[Fraction]) -> tuple[float, ...]:
    """Return the numbers of a pair of points, twice where its points can change places."""
    return tuple(
        float(number if i == j else 2 * number) for number, (i, j) in zip(line, PAIRS, strict=True)
    )


@cache
def _shares(chance: Chance, packs: int) -> tuple[dict[Verdict, Fraction], ...]:
    """Return the probability of each verdict of a chance, given the points of both rows.

    The points are those of ``PAIRS``, each order as likely; the colours are those of a fresh shoe.
    """
    weights = fresh_shoe(packs).weights
    found = []
    for i, j in PAIRS:
        totals: dict[Verdict, int] = {}
        for first, second in {(i, j), (j, i)}:
            start = 4 * (10 * first + second)
            for place in range(start, start + 4):
                verdict = chance.verdicts[chance.table[place]]
                totals[verdict] = totals.get(verdict, 0) + weights[place]
        whole = sum(totals.values())
        found.append({verdict: Fraction(total, whole) for verdict, total in totals.items()})
    return tuple(found)
