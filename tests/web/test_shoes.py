"""Whole shoes at the web table, by mouse, by touch on a phone, by keyboard alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import pytest
from tests.web.observer import Observer
from tests.web.seats import Seat, Way
from tests.web.shoes import PlayedShoe

MONEY: Final = 1_000_000
PACE: Final = {"bets": None}
HOUSES: Final = (
    "france-2007",
    "monte-carlo-1911",
    "italy-prison",
    "venezia-online",
    "germany-500",
    "eight-packs-machine",
)
WAYS: Final[tuple[Way, ...]] = ("mouse", "touch", "keyboard")
EVERY_CHANGE: Final = frozenset(
    (("france-2007", "mouse"), ("venezia-online", "touch"), ("eight-packs-machine", "keyboard"))
)
"""Each way once, and the houses that differ most; `make nightly` plays all of them in all ways."""


def _of(house: str, way: Way) -> Any:
    marks = pytest.mark.slow if (house, way) in EVERY_CHANGE else pytest.mark.nightly
    return pytest.param(house, way, marks=marks, id=f"{house}-{way}")


@pytest.mark.parametrize(("house", "way"), [_of(house, way) for house in HOUSES for way in WAYS])
def test_a_whole_shoe_is_seen_as_it_happened(
    observed: Callable[..., Observer], sits: Callable[..., Seat], house: str, way: Way
) -> None:
    """Rows, totals, winning chances, stakes, prisoners, purse and net after every coup."""
    observer = observed(house, pace=PACE, purses=True, advance=MONEY)
    seat = sits(observer, way=way)
    every_coup = seat.facts["every_coup"]  # a machine shuffles: such a shoe has no end
    played = PlayedShoe(seat, steady=house == "venezia-online").play(most=12 if every_coup else 60)
    assert every_coup or "shoe-ended" in played.expectation.kinds
