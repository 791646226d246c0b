"""What the properties are checked on: every shipped house and random ones, and stakes in them.

A property takes these, not the strategies of ``trente_rules.testing``, so that its cases count.
"""

from __future__ import annotations

from functools import cache
from math import inf
from typing import Any

from hypothesis import strategies as st
from tests.properties.cases import COUPS, HOUSES, STAKES

from trente_rules import House, Settlement, Stake, TrenteError, load_house, settle
from trente_rules.core import default_manager
from trente_rules.odds.advantage import advantage
from trente_rules.odds.coup_odds import fresh_shoe
from trente_rules.testing import houses, stakes


@cache
def names() -> tuple[str, ...]:
    """Return the names of all shipped houses."""
    return default_manager().names("house")


@cache
def shipped(name: str) -> House:
    """Return a shipped house, loaded once."""
    return load_house(name)


def _seen(house: House) -> House:
    HOUSES.see(house)
    return house


def random_house(*, most: int = 0) -> st.SearchStrategy[House]:
    """Return a strategy for random houses, of at most so many ways to play where that is given.

    The exact figures of a stake take a tenth of a second for each way: where several are asked
    for, a property has no time for houses of a hundred.
    """
    drawn = houses()
    return (drawn.filter(lambda house: _ways(house) <= most) if most else drawn).map(_seen)


def _ways(house: House) -> float:
    try:
        return len(advantage(house, fresh_shoe(house.shoe.packs)).wagers)
    except TrenteError:  # more policies than are counted
        return inf


def any_house() -> st.SearchStrategy[House]:
    """Return a strategy for houses, a third of them shipped ones."""
    known = st.sampled_from(names()).map(shipped)
    return st.one_of(known, houses(), houses()).map(_seen)


def some_stakes(house: House) -> st.SearchStrategy[list[Stake]]:
    """Return a strategy for stakes that a house can settle."""

    def seen(placed: list[Stake]) -> list[Stake]:
        for stake in placed:
            STAKES.see(house, stake)
        return placed

    return stakes(house).map(seen)


def settled(house: House, *coup_and_stakes: Any, **more: Any) -> Settlement:
    """Settle a coup."""
    done = settle(house, *coup_and_stakes, **more)
    for line in done.lines:
        COUPS.see(house, line)
    return done
