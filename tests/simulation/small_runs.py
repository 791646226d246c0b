"""The run that tests of the runner share: three houses, few coups, small chunks."""

from __future__ import annotations

from functools import cache
from typing import Any, Final

import pytest

from trente_rules import House, load_house
from trente_rules.simulation import flat, runner
from trente_rules.simulation.flat import simulate
from trente_rules.simulation.flat_result import Simulation

SMALL: Final = 64
"""Shoes of a chunk in these tests."""
COUPS: Final = 40_000
SEED: Final = 2**70 + 5


def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cut runs in small chunks, so that few coups make many."""
    monkeypatch.setattr(runner, "SHOES", SMALL)
    monkeypatch.setattr(flat, "SHOES", SMALL)


@cache
def houses() -> tuple[House, ...]:
    """Return two houses of six packs and one of three."""
    return tuple(load_house(n) for n in ("italy-two-prisons", "france-2007", "german-spas-1840"))


def simulated(**options: Any) -> Simulation:
    """Simulate the houses."""
    return simulate(houses(), coups=COUPS, seed=SEED, **options)
