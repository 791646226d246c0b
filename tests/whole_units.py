"""Amounts of the shipped houses: units of an amount, and houses in whole units of the currency.

Most shipped houses pay to the cent. A test of the table, not of a house, is easier to read where
one unit is one euro: it takes the house from ``whole_house``.
"""

from __future__ import annotations

from functools import cache

from attrs import evolve

from trente_rules import House, load_house
from trente_rules.core.money import ONE, Amount


def units(house: House, amount: int | str) -> int:
    """Return the units of an amount, written as TOML writes it, in a house."""
    return house.money.units(Amount.parse(amount))


@cache
def whole_house(name: str) -> House:
    """Return a shipped house that pays in whole units of its currency, with all its other rules."""
    return in_whole_units(load_house(name))


def in_whole_units(house: House) -> House:
    """Return a house as it is, but that it pays in whole units of its currency."""
    return evolve(house, money=evolve(house.money, unit=Amount(ONE)))
