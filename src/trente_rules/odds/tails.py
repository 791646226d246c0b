"""Tail probabilities of a sum of independent results, from their laws.

The law of a sum is the product of the characteristic functions. On a lattice that is small enough
its tails are exact, rounding of floats apart. Where amounts have no common step, the sum is covered
with a narrow normal error and the observed value moved towards the mean by four of its standard
deviations: both make a tail larger, hardly ever smaller.
"""

from __future__ import annotations

from cmath import exp
from collections.abc import Iterable, Sequence
from math import ceil, erfc, floor, fsum, gcd, log2, pi, sqrt
from typing import Final

from attrs import evolve, frozen

from trente_rules.odds.stake_laws import NetLaw

Addend = tuple[NetLaw, int]
"""The law of one coup, and how many independent coups have it."""
_MOST_CELLS: Final = 1 << 13
_FAR: Final = 30.0
_LIKELY: Final = (1e-4, 1e-3, 1e-2, 0.1, 0.2)
"""Results below one of these probabilities need not make a lattice finer."""
_SPAN: Final = 20.0
"""Standard deviations on each side that a period covers, with a few of the largest results."""
_JUMPS: Final = 6
_VEIL: Final = 0.005
"""The normal error that covers a sum without a lattice, in standard deviations."""
_FADED: Final = 1e-13
_LOST: Final = 1e-18
_SIEVED: Final = 4
_QUIET: Final = 32
"""Frequencies that must all have faded before the others are left out; later ever more."""
NOT_BELOW: Final = 1e-12
"""Smaller probabilities are lost in the rounding of floats."""


@frozen
class Tails:
    """How likely a sum reaches what was seen: ``lower`` at most, ``upper`` at least.

    ``least`` is the smallest two-sided p-value that any result could have had.
    """

    lower: float
    upper: float
    least: float = 0.0

    @property
    def two_sided(self) -> float:
        """The p-value for both sides: twice the smaller tail, at most 1."""
        return min(1.0, 2 * max(min(self.lower, self.upper), NOT_BELOW / 2))


def tails_of(
    addends: Iterable[Addend],
    seen: float,
    *,
    widened: float = 1.0,
    normal: tuple[float, float] = (0.0, 0.0),
) -> Tails:
    """Return the tails of a sum of independent results at a value that was seen, in units.

    ``widened`` is the ratio of the true standard deviation to that of independent results: the
    tail that ``seen`` is in grows as that of a normal law would. ``normal`` are mean and
    variance of a part that is taken as normal.
    """
    parts = [(law, count) for law, count in addends if count]
    least = sum(law.values[0] * count for law, count in parts)
    most = sum(law.values[-1] * count for law, count in parts)
    if least == most and not normal[1]:
        return Tails(1.0, 1.0, 1.0)
    mean = fsum((normal[0], *(law.mean * count for law, count in parts)))
    sd = sqrt(fsum((normal[1], *(law.variance * count for law, count in parts))))
    ends = [sum(count * log2(law.probabilities[n]) for law, count in parts) for n in (0, -1)]
    smallest = min(1.0, 2 * 2 ** max(min(ends), -1000.0))
    if normal[1]:
        found = _covered(parts, seen, (mean, sd, 2 * _SPAN * sd), normal)
        return _widened(found, (seen - mean) / sd, widened)
    jump = max(law.values[-1] - law.values[0] for law, _count in parts)
    reach = 2 * (_SPAN * sd + _JUMPS * jump)
    parts, step = _common(parts, sd**2, ceil(reach / _MOST_CELLS))
    least = sum(law.values[0] * count for law, count in parts)
    most = sum(law.values[-1] * count for law, count in parts)
    cells = min((most - least) // step + 1, ceil(reach / step))
    if cells <= _MOST_CELLS:
        found = _on_lattice(parts, seen, (least, mean, step, cells | 1))
    else:
        found = _covered(parts, seen, (mean, sd, reach), normal)
    return evolve(_widened(found, (seen - mean) / sd, widened), least=smallest)


def widening(ratio: float, coups: int) -> float:
    """Return the ratio to widen tails by, for stakes on so many coups that hang together.

    ``ratio`` is that of the standard deviations. A prisoner that is lost with the next stake makes
    the far tail of few coups larger than that; by how much is estimated, from exact laws of 8 to 60
    coups, and falls with the root of their number.
    """
    return 1 + max(0.0, ratio - 1) * (1 + 5 / sqrt(max(coups, 1)))


def _widened(tails: Tails, z: float, ratio: float) -> Tails:
    """Return tails made larger as those of a normal law are by a larger deviation.

    The value itself is not moved: on a lattice, a small step would leave the tail as it is.
    """
    if ratio <= 1:
        return tails
    far = min(abs(z), _FAR)
    more = erfc(far / ratio / sqrt(2)) / erfc(far / sqrt(2))
    if z < 0:
        return evolve(tails, lower=min(1.0, tails.lower * more))
    return evolve(tails, upper=min(1.0, tails.upper * more))


def _common(parts: list[Addend], variance: float, coarse: int) -> tuple[list[Addend], int]:
    """Return laws on one lattice, and its step: if it can be, at least ``coarse``.

    The lattice is that of the likely results. Where an unlikely one, such as half of a half, or one
    with a premium, is between two places, it is divided among them with its mean kept. This widens
    the law, by no more than a thousandth of its variance, and no tail of it is lost.
    """
    found = []
    for law, count in parts:
        base = law.values[law.probabilities.index(max(law.probabilities))]
        there = zip(law.values, law.probabilities, strict=True)
        found += [(p, value - base, count) for value, p in there if value != base]
    step = gcd(*(value for _p, value, _count in found))
    for likely in _LIKELY:
        coarser = gcd(*(value for p, value, _count in found if p >= likely))
        if step >= coarse or not coarser:
            break
        rests = ((p * count, value % coarser) for p, value, count in found)
        if sum(often * rest * (coarser - rest) for often, rest in rests) <= variance / 1000:
            step = coarser
    return [(_divided(law, step), count) for law, count in parts], step


def _divided(law: NetLaw, step: int) -> NetLaw:
    """Return a law with what is between two places of a lattice divided among them."""
    base = law.values[law.probabilities.index(max(law.probabilities))]
    if not any((value - base) % step for value in law.values):
        return law
    found: dict[int, float] = {}
    for value, p in zip(law.values, law.probabilities, strict=True):
        place, rest = divmod(value - base, step)
        for at, part in ((place, step - rest), (place + 1, rest)):
            if part:
                at_value = base + at * step
                found[at_value] = found.get(at_value, 0.0) + p * part / step
    return NetLaw.of(found)


def _on_lattice(parts: Sequence[Addend], seen: float, grid: tuple[int, float, int, int]) -> Tails:
    """Return both tails of a sum on a lattice, from the ``cells`` around its mean."""
    least, mean, step, cells = grid
    whole = sum(count * (law.values[-1] - law.values[0]) for law, count in parts) // step
    first = 0 if whole < cells else round((mean - least) / step) - cells // 2
    end = first + cells
    # A value that the lattice does not have is moved towards the mean: its tail grows.
    place = (seen - least) / step
    near = 1e-9
    cell = ceil(place - near) if seen < mean else floor(place + near)
    below, above = cell + 1, cell
    below, above = max(first, min(end, below)), max(first, min(end, above))
    lower, upper = (below - first) / cells, (end - above) / cells
    angles = [2 * pi * k / cells for k in range(1, cells // 2 + 1)]
    for angle, value in zip(angles, _at_roots(parts, step, cells), strict=True):
        if abs(value) < _LOST:
            continue
        turn = 2 / cells * value / (1 - exp(-1j * angle))
        marks = [exp(-1j * angle * cell) for cell in (first, below, above, end)]
        lower += (turn * (marks[0] - marks[1])).real
        upper += (turn * (marks[2] - marks[3])).real
    return Tails(min(1.0, max(0.0, lower)), min(1.0, max(0.0, upper)))


def _covered(
    parts: Sequence[Addend],
    seen: float,
    scale: tuple[float, float, float],
    normal: tuple[float, float],
) -> Tails:
    """Return both tails of a sum without a small lattice, each a little too large.

    ``scale`` are its mean, its standard deviation, and the width of the period that is covered.
    """
    mean, sd, reach = scale
    veil, half = _VEIL * sd, reach / 2
    spread = sqrt(veil**2 + normal[1])
    above = max(-half, min(half, seen - mean - 4 * veil))
    below = max(-half, min(half, seen - mean + 4 * veil))
    lower, upper = (below + half) / reach, (half - above) / reach
    begun, end = 1, 1 + ceil(8 / veil * reach / (2 * pi))  # there the veil is exp(-32)
    faded = False
    while begun < end and not faded:
        angles = [2 * pi * k / reach for k in range(begun, min(end, 2 * begun + _QUIET))]
        faded = True
        for angle, plain in zip(
            angles, _characteristic(parts, angles, mean - normal[0]), strict=True
        ):
            value = plain * exp(-((spread * angle) ** 2) / 2)
            faded = faded and abs(value) < _FADED
            turn = 2 / reach * value / (1j * angle)
            lower += (turn * (exp(1j * angle * half) - exp(-1j * angle * below))).real
            upper += (turn * (exp(-1j * angle * above) - exp(-1j * angle * half))).real
        begun += len(angles)
    return Tails(min(1.0, max(0.0, lower)), min(1.0, max(0.0, upper)))


def _at_roots(parts: Sequence[Addend], step: int, cells: int) -> list[complex]:
    """Return the characteristic function of the steps above the least value, at roots of one."""
    order = sorted(parts, key=lambda part: part[1], reverse=True)
    try:
        import numpy as np  # noqa: PLC0415 - an extra: a hundred times faster
    except ModuleNotFoundError:
        turns = [2 * pi * k / cells / step for k in range(1, cells // 2 + 1)]
        return _characteristic(order, turns, sum(law.values[0] * n for law, n in parts))
    roots = np.exp(2j * pi * np.arange(cells) / cells)
    left, product = np.arange(1, cells // 2 + 1), np.ones(cells // 2, complex)
    for number, (law, count) in enumerate(order):
        places = np.asarray([(value - law.values[0]) // step for value in law.values])
        terms = roots[np.outer(left, places) % cells]
        product = product * (terms @ np.asarray(law.probabilities)) ** count
        if number % _SIEVED == 0:  # most have faded after a few laws
            kept = abs(product) > _LOST
            left, product = left[kept], product[kept]
    whole = np.zeros(cells // 2, complex)
    whole[left - 1] = product
    found: list[complex] = whole.tolist()
    return found


def _characteristic(
    parts: Sequence[Addend], angles: Sequence[float], about: float
) -> list[complex]:
    """Return the characteristic function of a sum less a value, at angles for each unit."""
    low = sum(law.values[0] * count for law, count in parts) - about
    try:
        import numpy as np  # noqa: PLC0415 - an extra: a hundred times faster
    except ModuleNotFoundError:
        return [_at(parts, angle, low) for angle in angles]
    turned = 1j * np.asarray(angles)
    product = np.exp(turned * low)
    for law, count in parts:
        above = np.asarray([value - law.values[0] for value in law.values], float)
        product *= (np.exp(np.outer(turned, above)) @ np.asarray(law.probabilities)) ** count
    found: list[complex] = product.tolist()
    return found


def _at(parts: Sequence[Addend], angle: float, low: float) -> complex:
    """Return the same at one angle; ``low`` is the least value of the sum less the value."""
    value = exp(1j * angle * low)
    for law, count in parts:
        terms = zip(law.values, law.probabilities, strict=True)
        value *= sum((p * exp(1j * angle * (v - law.values[0])) for v, p in terms), 0j) ** count
        if abs(value) < _LOST:
            return 0j
    return value
