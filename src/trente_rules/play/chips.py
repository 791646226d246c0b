"""The chips a house's table is played with."""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from trente_rules.house.house import House
from trente_rules.money import Amount
from trente_rules.stakes import Opening

MOST_CHIPS: Final = 9
"""As many as there are keys from 1 to 9."""
_SERIES: Final = (1, 2, 5)
_SMALLEST: Final = -2
_LARGEST: Final = 12


def chip_values(house: House, opening: Opening) -> tuple[int, ...]:
    """Answer chip values in units, rising: the minimum, then 1, 2, 5, 10 ... of the currency.

    None is above the maximum or is a stake of no whole steps.
    """
    least = min(house.limiter.minimum(opening, chance) for chance in house.deal.chances)
    pairs = getattr(house.limiter, "pairs", ())
    most = next((pair.most for pair in pairs if pair.minimum == least), None)
    step = getattr(house.limiter, "step", 0)
    values = [max(least, 1)]
    for power in range(_SMALLEST, _LARGEST):
        for digit in _SERIES:
            units = digit * Fraction(10) ** power / house.money.unit.value
            whole = units.denominator == 1 and (not step or units % step == 0)
            if whole and units > values[-1] and (most is None or units <= most):
                values.append(int(units))
    return tuple(values[:MOST_CHIPS])


def amount_text(house: House, units: int) -> str:
    """Answer units as an amount without the currency, thousands apart: ``12,000``."""
    amount = Amount(abs(units) * house.money.unit.value).written()
    whole, _point, rest = str(amount).partition(".")
    sign = "-" if units < 0 else ""
    return f"{sign}{int(whole):,}{f'.{rest}' if rest else ''}"


def money_text(house: House, units: int) -> str:
    """Answer units as an amount with the currency, thousands apart: ``12,000 EUR``."""
    return f"{amount_text(house, units)} {house.money.text(0).removeprefix('0').strip()}"


def chip_text(house: House, units: int) -> str:
    """Answer what stands on a chip: its amount, thousands as k."""
    thousands, rest = divmod(units * house.money.unit.value, 1000)
    return f"{thousands}k" if thousands and not rest else amount_text(house, units)
