"""Rates: how often somebody may do something, so many at once and so many a second after that.

The generic cell rate algorithm: one number for each key, no timer, no list of times. What has not
been used for long is forgotten first, so that keys without end take a bounded room.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from time import monotonic
from typing import Final

from attrs import Factory, field, frozen
from attrs.validators import gt, instance_of

MOST_KEYS: Final = 50_000
"""Keys that are remembered; above that the one that was used longest ago is forgotten."""
_SWEPT: Final = 2
"""Keys that are looked at with each new one: more than one, so that a burst of them shrinks."""


@frozen
class Frequency:
    """So many a second in the long run, and so many at once after a pause."""

    per_second: float = field(validator=gt(0))
    burst: int = field(validator=[instance_of(int), gt(0)])


@frozen
class Rates:
    """How much of a rate is used, by key: an address, a visitor, a connection.

    ``clock`` is in seconds and never goes back.
    """

    rate: Frequency
    clock: Callable[[], float] = monotonic
    most: int = MOST_KEYS
    _free_at: dict[Hashable, float] = field(default=Factory(dict), init=False)
    """When each key is as if never used: by it alone the rest follows. The last used is last."""

    def take(self, key: Hashable) -> float:
        """Take one for a key and return 0; or take none and return the seconds to wait for one."""
        now, each = self.clock(), 1 / self.rate.per_second
        free = max(self._free_at.pop(key, now), now) + each
        wait = free - now - each * self.rate.burst
        # A key that must wait keeps what it had used, and is as fresh in the memory as any other.
        self._free_at[key] = free if wait <= 0 else free - each
        self._forget(now)
        return max(wait, 0.0)

    def _forget(self, now: float) -> None:
        for _ in range(_SWEPT):
            oldest = next(iter(self._free_at))
            if self._free_at[oldest] > now and len(self._free_at) <= self.most:
                return
            if len(self._free_at) == 1:
                return
            del self._free_at[oldest]

    def __len__(self) -> int:
        """Return the number of keys that are remembered."""
        return len(self._free_at)
