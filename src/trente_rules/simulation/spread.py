"""How often numbers came, and rates with their errors: what results of systems are made of."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import cached_property
from itertools import accumulate
from math import sqrt
from typing import Any, Final

from attrs import frozen

QUANTILES: Final = (0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99)
NORMAL: Final = 1.959964
"""Bands hold 95 % of what chance alone does."""
BARS: Final = 40


@frozen(slots=False)
class Spread:
    """How often each whole number came; what it is of is said where it stands."""

    counts: Mapping[int, int]

    @classmethod
    def of(cls, told: Mapping[str, int]) -> Spread:
        """Read the counts of a run."""
        return cls(dict(sorted((int(value), count) for value, count in told.items())))

    def shifted(self, by: int) -> Spread:
        """Answer the same with a number added to each."""
        return Spread({value + by: count for value, count in self.counts.items()})

    @cached_property
    def many(self) -> int:
        """How many numbers there are."""
        return sum(self.counts.values())

    @property
    def mean(self) -> float | None:
        """The mean, None of none."""
        if not self.many:
            return None
        return sum(value * count for value, count in self.counts.items()) / self.many

    @property
    def least(self) -> int | None:
        """The least number."""
        return min(self.counts, default=None)

    @property
    def greatest(self) -> int | None:
        """The greatest number."""
        return max(self.counts, default=None)

    def quantile(self, part: float) -> int | None:
        """Answer the least number that so large a part of all does not exceed."""
        for value, so_far in zip(self.counts, accumulate(self.counts.values()), strict=True):
            if so_far >= part * self.many:
                return value
        return None

    def quantiles(self) -> dict[str, int | None]:
        """Answer the quantiles that are told, by their names."""
        return {f"{part:g}": self.quantile(part) for part in QUANTILES}

    def bars(self, bars: int = BARS) -> tuple[tuple[int, int, int], ...]:
        """Answer a histogram: (from, below, count), equally wide."""
        if not self.counts:
            return ()
        low, high = min(self.counts), max(self.counts)
        width = -(-(high - low + 1) // bars)
        heights = [0] * -(-(high - low + 1) // width)
        for value, count in self.counts.items():
            heights[(value - low) // width] += count
        return tuple(
            (low + n * width, low + (n + 1) * width, count) for n, count in enumerate(heights)
        )

    def to_json(self) -> dict[str, Any]:
        """Answer mean, extremes and quantiles."""
        return {
            "mean": self.mean,
            "least": self.least,
            "greatest": self.greatest,
            "quantiles": self.quantiles(),
        }


def wilson(count: int, many: int, z: float = NORMAL) -> tuple[float, float] | None:
    """Answer the band of a probability of which ``count`` of ``many`` came (Wilson 1927)."""
    if not many:
        return None
    part, more = count / many, z * z / many
    middle = (part + more / 2) / (1 + more)
    half = z * sqrt(part * (1 - part) / many + more / (4 * many)) / (1 + more)
    low = 0.0 if not count else middle - half
    return low, 1.0 if count == many else middle + half


@frozen
class Rate:
    """A quotient of sums over sessions, and its standard error; None where there is nothing."""

    value: Fraction | None
    standard_error: float | None

    @property
    def band(self) -> tuple[float, float] | None:
        """The 95 % band."""
        if self.value is None or self.standard_error is None:
            return None
        half = NORMAL * self.standard_error
        return float(self.value) - half, float(self.value) + half

    def to_json(self) -> dict[str, Any]:
        """Answer value, error and band."""
        return {
            "value": None if self.value is None else float(self.value),
            "standard_error": self.standard_error,
            "band": self.band,
        }
