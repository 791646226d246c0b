"""The limiter: what a limit rule builds, and the built-in one, which tells what is wrong.

A stake outside the limits is refused, never clamped.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from typing import Final, Literal, Protocol

from attrs import frozen

from trente_rules.core.chances import OPPOSITES
from trente_rules.core.errors import BetError, Refusal, RuleError
from trente_rules.core.keys import at_least, key
from trente_rules.core.money import NOUGHT, Amount, Money
from trente_rules.core.stakes import History, Opening, Stake


class Limiter(Protocol):
    """What a limit rule builds: two pure functions of what is on the table."""

    def minimum(self, opening: Opening, chance: str, /) -> int:
        """Return the least stake on a chance, in units; ``BetError`` if the opening is needed."""
        ...  # pragma: no cover - a protocol has no body

    def refusals(
        self, stakes: Sequence[Stake], history: History, opening: Opening, /
    ) -> Iterable[Refusal]:
        """Return why stakes are not accepted, nothing where they are."""
        ...  # pragma: no cover - a protocol has no body


@frozen
class Progression:
    """How fast a player may raise (Venezia online: from the 4th bet at most 150 % of the 3rd)."""

    reference: int = key(
        3, "The bet, counted from 1, that later bets are measured by.", check=at_least(1)
    )
    at_most: Fraction = key(
        Fraction(3, 2),
        "How often its amount a later bet may be; players who bet together count as one.",
        check=lambda times: "" if times > 0 else "it is above zero",
    )


@frozen
class Pair:
    """The minimum and the maximum of a table in units; a multiple stands for the maximum."""

    minimum: int
    maximum: int | None = None
    multiple: int | None = None

    @property
    def most(self) -> int | None:
        """The most that one player may stake on a chance, None without a maximum."""
        return self.maximum if self.multiple is None else self.minimum * self.multiple

    def check(self, name: str) -> None:
        """Refuse a maximum below the minimum, and one that no stake can meet."""
        if self.most == 0:
            raise RuleError(
                "a maximum of nothing accepts no stake",
                "no-stake-possible",
                "raise the maximum, or the minimum that it is a multiple of",
                name,
            )
        if self.maximum is not None and self.maximum < self.minimum:
            raise RuleError(
                f"a maximum of {self.maximum} units is below the minimum of {self.minimum}",
                "maximum-below-minimum",
                "raise the maximum, or lower the minimum",
                name,
            )


@frozen
class TableLimits:
    """The built-in limiter; amounts in units. ``opened`` tells that the opening is needed."""

    money: Money
    pairs: tuple[Pair, ...]
    opened: bool
    step: int
    per_chance: tuple[tuple[str, int | None, int | None], ...]
    both_sides: bool
    associations: bool
    progression: Progression | None

    def minimum(self, opening: Opening, chance: str = "") -> int:
        """Return the least stake on a chance; ``BetError`` ("opening-needed", "no-such-table")."""
        own = (least for name, least, _most in self.per_chance if name == chance)
        return next((least for least in own if least is not None), self._pair(opening).minimum)

    def maximum(self, opening: Opening) -> int | None:
        """Return the most one player may stake on a chance, None without a maximum."""
        return self._pair(opening).most

    def _pair(self, opening: Opening) -> Pair:
        if not self.opened:
            return self.pairs[0]
        tables = len(self.pairs) > 1 or self.pairs[0].minimum > 0
        if opening.minimum is None:
            raise BetError(
                "this house sets its minimum when the table opens",
                "opening-needed",
                "pass opening=Opening(minimum=...), in units",
            )
        if not tables:
            pair = self.pairs[0]
            return Pair(opening.minimum, pair.maximum, pair.multiple)
        for pair in self.pairs:
            if pair.minimum == opening.minimum:
                return pair
        raise BetError(
            f"no table of this house has a minimum of {opening.minimum!r} units",
            "no-such-table",
            f"minima are {', '.join(str(pair.minimum) for pair in self.pairs)}",
        )

    def refusals(
        self, stakes: Sequence[Stake], history: History, opening: Opening
    ) -> Iterator[Refusal]:
        """Return why stakes are not accepted; prisoners do not count towards any limit."""
        pair = self._pair(opening)
        free = [stake for stake in stakes if stake.free]
        own = {chance: least for chance, least, _most in self.per_chance if least is not None}
        for stake in free:
            least = own.get(stake.chance, pair.minimum)
            if stake.amount < least or (self.step and stake.amount % self.step):
                yield from self._too_small(stake, least)
        yield from self._too_large(free, pair)
        if not self.both_sides:
            yield from self._on_both_sides(free)
        if self.progression:
            yield from self._raised_too_fast(free, history, self.progression)

    def _too_small(self, stake: Stake, minimum: int) -> Iterator[Refusal]:
        text = self.money.text
        if stake.amount < minimum:
            yield Refusal(
                "below-minimum",
                f"a stake of {text(stake.amount)} is below the minimum of {text(minimum)}",
                stake.id,
            )
        if self.step and stake.amount % self.step:
            yield Refusal(
                "not-a-step",
                f"a stake of {text(stake.amount)} is not a multiple of {text(self.step)}",
                stake.id,
            )

    def _too_large(self, free: Sequence[Stake], pair: Pair) -> Iterator[Refusal]:
        most = {
            chance: maximum for chance, _least, maximum in self.per_chance if maximum is not None
        }
        alone: dict[tuple[str, str], int] = {}
        together: dict[tuple[str, str], int] = {}
        for stake in free:
            own = alone[stake.owner, stake.chance] = (
                alone.get((stake.owner, stake.chance), 0) + stake.amount
            )
            all_of_them = together[stake.party, stake.chance] = (
                together.get((stake.party, stake.chance), 0) + stake.amount
            )
            # A player counts by himself too: a group told for one stake hides no other of his.
            joined = all_of_them > own and not self.associations
            total, who = (all_of_them, stake.party) if joined else (own, stake.owner)
            maximum = most.get(stake.chance, pair.most)
            if maximum is not None and total > maximum:
                text = self.money.text
                by = f" by {who!r}" if total > stake.amount else ""
                yield Refusal(
                    "above-maximum",
                    f"{text(total)}{by} on {stake.chance} is above the maximum of {text(maximum)}",
                    stake.id,
                )

    def _on_both_sides(self, free: Sequence[Stake]) -> Iterator[Refusal]:
        seen: set[tuple[str, str]] = set()
        for stake in free:
            opposite = OPPOSITES.get(stake.chance, "")
            if (stake.party, opposite) in seen:
                yield Refusal(
                    "both-sides",
                    f"{stake.party!r} has a stake on {opposite} already: this house takes no "
                    f"stake on {stake.chance} beside it",
                    stake.id,
                )
            seen.add((stake.party, stake.chance))

    def _raised_too_fast(
        self, free: Sequence[Stake], history: History, rule: Progression
    ) -> Iterator[Refusal]:
        totals: dict[str, int] = {}
        for stake in free:
            total = totals[stake.party] = totals.get(stake.party, 0) + stake.amount
            bets = history.of_party(stake.party)
            if len(bets) < rule.reference:
                continue
            most = bets[rule.reference - 1] * rule.at_most
            if total > most:
                yield Refusal(
                    "raised-too-fast",
                    f"{self.money.text(total)} is more than {rule.at_most} of bet "
                    f"{rule.reference}, which was {self.money.text(bets[rule.reference - 1])}",
                    stake.id,
                )


# --- Limits: which stakes a house accepts. The one kind of rule that is a function, and pure

Minimum = Amount | Literal["at-opening"]
AT_OPENING: Final = "at-opening"
_NONE: Final = Amount(NOUGHT)


class LimitRule(Protocol):
    """What a limit rule is: it builds a limiter in units of the house."""

    def build(self, money: Money, /) -> Limiter:
        """Return the limiter."""
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
        """Return the limiter; ``RuleError`` where minimum and maximum contradict."""
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
class TableTiers(_Limits):
    """Several tables, each with its minimum and its maximum (Venezia online has seven)."""

    tables: tuple[TablePair, ...] = key(
        doc="The tables, each `{ minimum, maximum }`; the opening says which by its minimum.",
        check=lambda tables: "" if tables else "there is at least one table",
    )

    def build(self, money: Money) -> TableLimits:
        """Return the limiter; ``RuleError`` where a table's limits contradict."""
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
