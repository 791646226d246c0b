"""Chips: their values, how they are written, the keys that name them, and stacks of them."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Final

from attrs import define, frozen

from trente_rules.core.house.house import House
from trente_rules.core.money import Amount
from trente_rules.core.rules.announcements import Language
from trente_rules.core.stakes import Opening
from trente_rules.core.text import printable
from trente_rules.reports.sentences import in_digits

MOST_CHIPS: Final = 9
"""As many as fit into one line of a narrow terminal."""
_SMALLEST: Final = -2
_LARGEST: Final = 12


def chip_values(house: House, opening: Opening) -> tuple[int, ...]:
    """Return chip values in units, rising: the minimum, then 1, 2, 5, 10 ... of the currency.

    Each is within the maximum of some chance, and a multiple of the step of the house: where no
    such value is, the others are 1, 2, 5, 10 ... steps.
    """
    bounds = [house.limits_table.bounds(opening, chance) for chance in house.deal.chances]
    maxima = [bound.most for bound in bounds if bound.most is not None]
    most = max(maxima) if len(maxima) == len(bounds) else None
    step = house.limits_table.step
    values = [max(min(bound.lowest for bound in bounds), 1)]
    rounded = [digit * Fraction(10) ** n for n in range(_SMALLEST, _LARGEST) for digit in (1, 2, 5)]
    chips = [value / house.money.unit.value for value in rounded]
    if all(units % step for units in chips):
        chips = [step * value for value in rounded]
    for units in chips:
        whole = units.denominator == 1 and units % step == 0
        if whole and units > values[-1] and (most is None or units <= most):
            values.append(int(units))
    return tuple(values[:MOST_CHIPS])


def amount_text(house: House, units: int, language: Language) -> str:
    """Return units as an amount without the currency, as a language writes it: ``12,000``."""
    amount = Amount(abs(units) * house.money.unit.value).written()
    return in_digits(language, f"{'-' if units < 0 else ''}{amount}")


def money_text(house: House, units: int, language: Language) -> str:
    """Return units as an amount with the currency: ``12,000 EUR``."""
    return f"{amount_text(house, units, language)} {printable(house.money.currency.strip())}"


def signed_text(house: House, units: int, language: Language) -> str:
    """Return a result as an amount with its sign: ``+120``, ``-35``, ``0``."""
    return f"{'+' if units > 0 else ''}{amount_text(house, units, language)}"


def worth_text(house: House, units: Fraction, language: Language) -> str:
    """Return an expected value as an amount with two decimals and the currency: ``19.76 EUR``."""
    amount = in_digits(language, f"{float(units * house.money.unit.value):.2f}")
    return f"{amount} {printable(house.money.currency.strip())}"


def chip_text(house: House, units: int, language: Language) -> str:
    """Return the text on a chip: its amount, thousands as k."""
    thousands, rest = divmod(units * house.money.unit.value, 1000)
    return f"{thousands}k" if thousands and not rest else amount_text(house, units, language)


_PERCENT: Final = 100


def share_text(share: Fraction, language: Language) -> str:
    """Return a part in per cent, as few digits as say it: ``1 %``, ``0.5 %``, ``100 %``."""
    part = 100 * float(share)
    written = f"{part:.0f}" if part > _PERCENT else f"{part:.3g}"
    return f"{in_digits(language, written)} %"


def stack_of(chips: Sequence[int], units: int) -> tuple[tuple[int, int], ...]:
    """Return the chips that make an amount up, the largest first, and how many of each.

    What the smallest chip does not make up is left out.
    """
    stack, rest = [], units
    for chip in sorted(chips, reverse=True):
        number, rest = divmod(rest, chip)
        if number:
            stack.append((chip, number))
    return tuple(stack)


# Keys that name chips

_TOGETHER: Final = 1.5
"""Seconds within which a digit continues the number before it."""
THOUSAND: Final = "k"


@frozen
class Typed:
    """The result of a key of a number: the digits so far, and the chip they name, if one.

    ``near`` are the values of the chips that begin with these digits, or of all chips where none
    does.
    """

    digits: str
    chip: int | None
    near: tuple[str, ...]


@define
class ChipKeys:
    """The digits that a player types: together they are the value of a chip, as it is written.

    A digit typed soon after another one continues the number, where a chip begins with it: 2 takes
    the chip of 2, and 0 after it that of 20. Where no chip begins with the number the digit begins
    a new one: 5 after 2 takes the chip of 5, not one of 25, which no table has.
    """

    digits: str = ""
    at: float = float("-inf")

    def forget(self) -> None:
        """Begin a new number with the next digit."""
        self.digits = ""

    def takes(self, key: str) -> bool:
        """Return whether a key belongs to a number: a digit, or, after one, a point or a k.

        A comma is a point: several languages write it there.
        """
        return key.isdecimal() or bool(self.digits and key in {".", ",", THOUSAND})

    def type(
        self, key: str, now: float, house: House, chips: Sequence[int], language: Language
    ) -> Typed:
        """Take a key of a number at a time in seconds; return what it names."""
        names = {_digits(house, chip): chip for chip in chips}
        before = self.digits if now - self.at <= _TOGETHER else ""
        self.at = now
        for digits in (_plain(before, key), _plain("", key)):
            begin = [name for name in names if digits and name.startswith(digits)]
            if begin:
                self.digits = digits
                near = tuple(chip_text(house, names[name], language) for name in begin)
                return Typed(digits, names.get(digits), near)
        self.digits = ""
        return Typed(key, None, tuple(chip_text(house, chip, language) for chip in chips))


def _plain(before: str, key: str) -> str:
    """Return digits with a further key; ``k`` is three zeros."""
    if key == THOUSAND:
        return f"{before}000" if before else ""
    return before + key.replace(",", ".")


def _digits(house: House, chip: int) -> str:
    """Return the keys that name a chip: its amount without separators."""
    return str(Amount(chip * house.money.unit.value).written())
