"""Units, shares and rounding.

A house writes amounts in its currency; inside the engine every amount is an integer of *units*, the
smallest amount the house pays. Shares and rates are exact ``Fraction`` values written as text
(``"1/100"``). A float is never an amount of money.
"""

from __future__ import annotations

import re
from fractions import Fraction
from functools import lru_cache
from typing import Final, Literal

from attrs import frozen

from trente_rules.core.errors import RuleError, shown
from trente_rules.core.keys import key, stated

Rounding = Literal["bank", "player", "half-even", "refuse"]

ONE: Final = Fraction(1)
NOUGHT: Final = Fraction(0)

_SHARE: Final = re.compile(r"(-?[0-9]+)(?:/(0*[1-9][0-9]*))?", re.ASCII)
_DECIMAL: Final = re.compile(r"[0-9]{1,18}(?:\.[0-9]{1,9})?", re.ASCII)
_DIGITS: Final = 18
_EXACT_DIGITS: Final = 1000
"""Digits of a computed share: more would cost time to read."""
MOST: Final = 10**18
"""No amount a house writes reaches this: 64-bit tables of other programs can hold them all."""


@lru_cache(maxsize=4096)  # a journal has the same few shares in every line
def parse_fraction(text: str, digits: int = _DIGITS, *, signed: bool = False) -> Fraction:
    """Read a share or a rate: up to ``digits`` digits, optionally ``/`` as many.

    Raises ``RuleError`` ("bad-fraction") for anything else, a zero denominator among them.
    """
    match = _SHARE.fullmatch(text) if len(text) <= 2 * digits + 2 else None
    if not match or max(map(len, match.groups(""))) > digits or (text[0] == "-" and not signed):
        raise RuleError(
            f"{shown(text)} is not a fraction",
            "bad-fraction",
            'write digits, such as "1/100" or "2"',
        )
    return Fraction(int(match[1]), int(match[2] or 1))


def parse_share(text: str) -> Fraction:
    """Read an exact share as ``str(Fraction)`` writes it; ``RuleError`` ("bad-fraction")."""
    return parse_fraction(text, _EXACT_DIGITS, signed=True)


@frozen(order=True)
class Amount:
    """An amount in the currency of the house, as its TOML file writes it; exact.

    Raises ``RuleError`` ("bad-amount") for a value that is not a ``Fraction``.
    """

    value: Fraction

    def __attrs_post_init__(self) -> None:
        """Check that the value is exact."""
        if type(self.value) is not Fraction:
            hint = "Amount.parse reads a whole number, or a decimal as text"
            raise RuleError(f"{shown(self.value)} is not a Fraction", "bad-amount", hint)

    @classmethod
    def parse(cls, written: int | str) -> Amount:
        """Read a whole number, or a decimal as text (``"12.50"``).

        Raises ``RuleError`` ("bad-amount") for a negative number, a float or any other text.
        """
        if (type(written) is int and 0 <= written <= MOST) or (
            isinstance(written, str) and _DECIMAL.fullmatch(written)
        ):
            return cls(Fraction(written))
        raise RuleError(
            f"{shown(written)} is not an amount",
            "bad-amount",
            'write a whole number of up to 18 digits, or a decimal as text such as "12.50"',
        )

    def written(self) -> int | str:
        """Return the amount as TOML writes it: an integer, or a decimal as text."""
        if self.value.denominator == 1:
            return self.value.numerator
        places = 2
        while (self.value * 10**places).denominator != 1:
            places += 1
        scaled = int(self.value * 10**places)
        return f"{scaled // 10**places}.{scaled % 10**places:0{places}d}"

    def __str__(self) -> str:
        """Return the amount as it is written."""
        return str(self.written())


_ABOVE_ZERO: Final = "^([0-9]*[1-9][0-9]*(\\.[0-9]+)?|[0-9]+\\.[0-9]*[1-9][0-9]*)$"


SHARES_IN_WORDS: Final = {
    Fraction(1, 2): "half",
    Fraction(1, 3): "a third",
    Fraction(2, 3): "two thirds",
    Fraction(1, 4): "a quarter",
    Fraction(3, 4): "three quarters",
    Fraction(1, 8): "an eighth",
}
"""The shares that have a word in English, in sentences and tables."""


def share_words(share: Fraction) -> str:
    """Return a share in words, such as ``half``; one without a word as a fraction, ``3/5``."""
    return SHARES_IN_WORDS.get(share, str(share))


@stated({"integer": {"minimum": 1}, "string": {"pattern": _ABOVE_ZERO}})
def above_zero(amount: Amount) -> str:
    """Return the fault of an amount that is not above zero, or an empty string."""
    return "" if amount.value > 0 else "it is above zero"


@frozen
class Money:
    """The meaning of amounts: currency, smallest amount paid, and how a share is rounded."""

    currency: str = key("EUR", "The currency code; all amounts are in this currency.")
    unit: Amount = key(
        Amount(ONE),
        "The smallest amount the house pays, in the currency; every amount is a whole number of "
        "units.",
        check=above_zero,
    )
    rounding: Rounding = key(
        "bank",
        "What happens to a part of a unit when money is returned: `bank` keeps it, `player` "
        "gets the whole unit, `half-even` rounds to the nearest, `refuse` takes no stake "
        "whose first settlement could be inexact. Premiums are rounded alike: with `player` and "
        "with `half-even` small stakes are insured for nothing, unless there is a minimum premium "
        "(`trente check` names them); with `bank` they pay more than the rate.",
    )

    def units(self, amount: Amount) -> int:
        """Return an amount as an integer of units; ``RuleError`` ("not-whole-units") for a part.

        >>> Money(unit=Amount.parse("0.50")).units(Amount.parse(20))
        40
        """
        units = amount.value / self.unit.value
        if units.denominator != 1:
            raise RuleError(
                f"{amount} {self.currency} is not a multiple of {self.unit} {self.currency}, the "
                "smallest amount that the house pays",
                "not-whole-units",
                "change the amount, or money.unit",
            )
        return units.numerator

    def multiple(self, amount: Amount) -> int:
        """Return an amount that others are multiples of, in units; 0 for none.

        It is 1 where it divides the unit, since every whole number of units is a multiple of it
        then. Raises ``RuleError`` as ``units``.
        """
        divides = amount.value and (self.unit.value / amount.value).denominator == 1
        return 1 if divides else self.units(amount)

    def amount(self, units: int) -> Amount:
        """Return units as an amount in the currency."""
        return Amount(units * self.unit.value)

    def text(self, units: int) -> str:
        """Return units as an amount with its currency: ``12.50 CHF``."""
        return f"{self.amount(units)} {self.currency}"


def rounded_up(units: int, step: int) -> int:
    """Return the least multiple of a step that is not below an amount."""
    return -(-units // step) * step


@frozen
class Rounded:
    """A whole number of units, and the residue: the exact amount less the rounded one."""

    units: int
    residue: Fraction = NOUGHT


def round_to_player(exact: Fraction, rounding: Rounding) -> Rounded:
    """Round an amount that goes to the player, once.

    ``refuse`` rounds as ``bank`` does: stakes that it rejects never get here.
    """
    whole, rest = divmod(exact.numerator, exact.denominator)
    if not rest:
        return Rounded(whole)
    if rounding == "player":
        whole += 1
    elif rounding == "half-even":
        whole = round(exact)
    return Rounded(whole, exact - whole)


def round_to_bank(exact: Fraction, rounding: Rounding) -> Rounded:
    """Round an amount that goes to the bank (a premium): the same policy from the bank's side."""
    mirrored = round_to_player(-exact, rounding)
    return Rounded(-mirrored.units, exact + mirrored.units)
