"""Figures of mutation: strata, what a sample says about all sites, and equivalent mutants."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from math import ceil, floor
from pathlib import Path
from typing import Final

from attrs import frozen
from tests.mutation.sites import ROOT, Site

from trente_rules.odds.significance import at_least

EQUIVALENT: Final = ROOT / "tests" / "mutation" / "equivalent.toml"
_ERROR: Final = 0.025
"""On each side: bounds are of 95 %."""
_LEAST: Final = 3
"""Sites of every module in a sample, where it has as many."""


@frozen
class Stratum:
    """A module: how many sites it has, how many were tried, and how many of those were killed."""

    sites: int
    tried: int
    killed: int


@frozen
class Rate:
    """A part killed of all sites, its lower bound, and how many sites it is from."""

    rate: float
    lower: float
    tried: int
    killed: int


def lower_bound(killed: int, tried: int) -> float:
    """Return the exact lower bound of a part (Clopper and Pearson, 95 % on both sides).

    It is the part at which so many or more would be killed in one of 40 samples.
    """
    if killed <= 0:
        return 0.0
    low, high = 0.0, killed / tried
    for _ in range(60):
        middle = (low + high) / 2
        if at_least(killed, tried, middle) < _ERROR:
            low = middle
        else:
            high = middle
    return low


def rate_of(strata: Sequence[Stratum]) -> Rate:
    """Return the rate of all sites from samples of strata, each with the weight of its sites.

    The lower bound is that of Clopper and Pearson for the effective size of the sample (Korn and
    Graubard, 1998), which is never taken to be more than the sites that were tried.
    """
    used = [each for each in strata if each.tried]
    sites = sum(each.sites for each in used)
    tried = sum(each.tried for each in used)
    killed = sum(each.killed for each in used)
    if not tried:
        return Rate(0.0, 0.0, 0, 0)
    rate = sum(each.sites / sites * each.killed / each.tried for each in used)
    spread = rate * (1 - rate)
    variance = 0.0
    for each in used:
        own = each.killed / each.tried
        within = own * (1 - own) / (each.tried - 1) if each.tried > 1 else spread
        variance += (each.sites / sites) ** 2 * within
    size = min(float(tried), spread / variance) if variance > 0 else float(tried)
    whole = ceil(size)
    return Rate(rate, lower_bound(floor(size * rate + 1e-9), whole), tried, killed)


def shares(sizes: Mapping[str, int], wanted: int) -> dict[str, int]:
    """Return how many sites of each module are sampled: in proportion, and three at least.

    They add up to ``wanted`` or a few more, or are all there are.
    """
    whole = sum(sizes.values())
    if whole <= wanted:
        return dict(sizes)
    return {
        name: min(size, max(_LEAST, ceil(wanted * size / whole))) for name, size in sizes.items()
    }


def sampled(sites: Iterable[Site], count: int, seed: int) -> list[Site]:
    """Return a random sample of a module's sites, the same for the same seed.

    Each site draws its own number from its name: it stays in the sample, or out of it, when other
    code changes, and a larger sample contains a smaller one.
    """
    return sorted(sites, key=lambda site: _drawn(site, seed))[:count]


def _drawn(site: Site, seed: int) -> str:
    return sha256(f"{seed} {site.name}".encode()).hexdigest()


# --- equivalent mutants ------------------------------------------------------------------------


@frozen
class Equivalent:
    """A mutant that no test can tell from the source, with the reason."""

    module: str
    function: str
    was: str
    now: str
    reason: str

    @property
    def key(self) -> tuple[str, str, str, str]:
        """What it has in common with its site."""
        return (self.module, self.function, self.was, self.now)


def equivalents(file: Path = EQUIVALENT) -> dict[tuple[str, str, str, str], Equivalent]:
    """Return the equivalent mutants that a file lists, by key.

    Raises ``ValueError`` for an entry without a reason, and for one that is listed twice.
    """
    listed: dict[tuple[str, str, str, str], Equivalent] = {}
    for entry in tomllib.loads(file.read_text("utf-8")).get("mutant", []):
        made = Equivalent(**{name: value.strip() for name, value in entry.items()})
        if not made.reason:
            message = f"{made.module}: {made.was!r}: a reason was expected"
            raise ValueError(message)
        if made.key in listed:
            message = f"{made.module}: {made.was!r}: it is listed twice"
            raise ValueError(message)
        listed[made.key] = made
    return listed


def unmatched(
    listed: Iterable[Equivalent], sites: Mapping[str, Sequence[Site]]
) -> list[Equivalent]:
    """Return the entries that match no site any more, of the modules whose sites are known."""
    keys = {site.key for found in sites.values() for site in found}
    return [each for each in listed if each.module in sites and each.key not in keys]
