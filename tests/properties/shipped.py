"""The houses that the properties are checked on: every shipped one, and random ones."""

from __future__ import annotations

from functools import cache

from hypothesis import strategies as st

from trente_rules import House, load_house
from trente_rules.core import default_manager
from trente_rules.testing import houses


@cache
def names() -> tuple[str, ...]:
    """Return the names of all shipped houses."""
    return default_manager().names("house")


@cache
def shipped(name: str) -> House:
    """Return a shipped house, loaded once."""
    return load_house(name)


def any_house() -> st.SearchStrategy[House]:
    """Return a strategy for houses, half of them shipped ones."""
    return st.one_of(st.sampled_from(names()).map(shipped), houses())
