"""Limits: which stakes a house accepts. The one kind of rule that is a function, and pure.

A limit rule is built once into a *limiter*, which tells what is wrong with a player's stakes. A
stake outside the limits is refused, never clamped.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Final, Literal, Protocol

from attrs import frozen

from trente_rules.errors import RuleError
from trente_rules.keys import key
from trente_rules.money import NOUGHT, Amount, Money
from trente_rules.rules.limiter import Limiter, Pair, Progression, TableLimits

Minimum = Amount | Literal["at-opening"]
AT_OPENING: Final = "at-opening"
_NONE: Final = Amount(NOUGHT)


class LimitRule(Protocol):
    """What a limit rule is: it builds a limiter in units of the house."""

    def build(self, money: Money, /) -> Limiter:
        """Answer the limiter."""
        ...  # pragma: no cover - a protocol has no body


@frozen
class ChanceLimit:
    """Limits of one chance that differ from the table's."""

    chance: str = key(doc="The id of the chance, or of a side bet.")
    minimum: Amount | None = key(None, "The least stake on this chance.")
    maximum: Amount | None = key(None, "The most that one player may stake on this chance.")


def _some(amount: Amount) -> str:
    return "" if amount.value > 0 else "a minimum that tells which table is open is above zero"


@frozen
class TablePair:
    """The minimum and the maximum of one table."""

    minimum: Amount = key(doc="The least stake at this table.", check=_some)
    maximum: Amount = key(doc="The most that one player may stake on a chance at this table.")


@frozen(kw_only=True)
class _Limits:
    """The keys that every built-in limit rule has."""

    step: Amount = key(_NONE, "Every stake is a multiple of this; 0: of the unit.")
    per_chance: tuple[ChanceLimit, ...] = key((), "Limits of single chances.")
    both_sides: bool = key(
        True,
        "A player may stake on a chance and on its opposite in one coup.",
    )
    associations: Literal["refused", "allowed"] = key(
        "refused",
        "Whether players who bet together may pass the maximum of one (France 2007, art. 35: any "
        "association is forbidden; an Italian house: no third parties to exceed the limit).",
    )
    move_prisoners: bool = key(
        False,
        "A stake in prison may be moved to another chance, still in prison (Campione, Homburg).",
    )
    late_bets: Literal["refused", "until-first-card"] = key(
        "refused",
        "Whether a stake is accepted between `rien ne va plus` and the first card.",
    )
    progression: Progression | None = key(None, "How fast a player may raise his stakes.")

    def _limiter(self, money: Money, pairs: tuple[Pair, ...], *, opened: bool) -> TableLimits:
        def units(amount: Amount | None) -> int | None:
            return None if amount is None else money.units(amount)

        return TableLimits(
            money=money,
            pairs=pairs,
            opened=opened,
            step=money.units(self.step),
            per_chance=tuple(
                (limit.chance, units(limit.minimum), units(limit.maximum))
                for limit in self.per_chance
            ),
            both_sides=self.both_sides,
            associations=self.associations == "allowed",
            progression=self.progression,
        )


@frozen(kw_only=True)
class Fixed(_Limits):
    """One minimum, and a maximum that is an amount or a multiple of the minimum."""

    minimum: Minimum = key(
        Amount(Fraction(1)),
        'The least stake, or `"at-opening"` where the house sets it when the table opens.',
    )
    maximum: Amount | None = key(None, "The most that one player may stake on a chance.")
    maximum_multiple: int | None = key(
        None,
        "The maximum as a multiple of the minimum (France, Spain: 1000); instead of maximum.",
        check=lambda many: "" if many is None or many >= 1 else f"{many!r} is below 1",
    )

    def build(self, money: Money) -> TableLimits:
        """Answer the limiter; ``RuleError`` where minimum and maximum contradict."""
        if self.maximum is not None and self.maximum_multiple is not None:
            raise RuleError(
                "maximum and maximum_multiple both set the maximum",
                "two-maxima",
                "keep one of them",
                "maximum_multiple",
            )
        maximum = None if self.maximum is None else money.units(self.maximum)
        opened = not isinstance(self.minimum, Amount)
        minimum = money.units(self.minimum) if isinstance(self.minimum, Amount) else 0
        pair = Pair(minimum, maximum, self.maximum_multiple)
        if not opened:
            pair.check("maximum" if self.maximum_multiple is None else "maximum_multiple")
        return self._limiter(money, (pair,), opened=opened)


@frozen(kw_only=True)
class Tables(_Limits):
    """Several tables, each with its minimum and its maximum (Venezia online has seven)."""

    tables: tuple[TablePair, ...] = key(
        doc="The tables, each `{ minimum, maximum }`; the opening says which by its minimum.",
        check=lambda tables: "" if tables else "there is at least one table",
    )

    def build(self, money: Money) -> TableLimits:
        """Answer the limiter; ``RuleError`` where a table's limits contradict."""
        pairs = tuple(
            Pair(money.units(table.minimum), money.units(table.maximum)) for table in self.tables
        )
        for pair in pairs:
            pair.check("tables")
        if len({pair.minimum for pair in pairs}) < len(pairs):
            raise RuleError(
                "two tables have the same minimum",
                "same-minimum",
                "the minimum tells which table is open: give each its own",
                "tables",
            )
        return self._limiter(money, pairs, opened=True)
