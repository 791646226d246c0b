"""Insurance against the refait: what it costs, what it covers, what happens to the premium.

An insured stake is returned whole on a refait (every source that knows insurance). The premium
is paid with the stake and covers one coup. What the refait does then is said by the stake machine
(``StakeMachine.courses``); which stakes can be insured, by ``core.settlement.wager_of``.
"""

from __future__ import annotations

from fractions import Fraction
from math import ceil, lcm
from typing import Final, Literal, Protocol

from attrs import field, frozen

from trente_rules.core.chances import VERDICTS, Verdict
from trente_rules.core.errors import RuleError
from trente_rules.core.keys import between, key, listed_twice, stated
from trente_rules.core.machine import FREE, Course
from trente_rules.core.money import (
    NOUGHT,
    ONE,
    Amount,
    Money,
    Rounded,
    Rounding,
    above_zero,
    round_to_bank,
    rounded_up,
)

Fate = Literal["kept", "returned"] | Fraction
"""What happens to a premium: the bank keeps it, or the player has it, or a part of it, back."""


@stated(between(0, 1).schema)
def _part_back(fate: Fate) -> str:
    return between(0, 1)(fate) if isinstance(fate, Fraction) else ""


@frozen
class NominalStakes:
    """The insured stakes whose premium is exactly the nominal rate, in units.

    They are the multiples of ``step`` from ``least`` to ``most``; ``most`` is None where there is
    no end.
    """

    least: int
    step: int
    most: int | None = None

    def holds(self, amount: int) -> bool:
        """Return whether a stake of this amount is one of them."""
        in_reach = self.most is None or amount <= self.most
        return self.least <= amount and amount % self.step == 0 and in_reach


@frozen
class InsuranceTable:
    """The cost and the effect of insurance, in units.

    The premium is ``rate`` of the stake, or of the next multiple of ``started`` where that is
    above zero, rounded to a multiple of ``premium_unit``; it is at least ``minimum_premium`` and,
    where that is above zero, at most ``maximum_premium``. Only stakes of ``minimum_stake`` or more,
    and multiples of ``multiple`` where that is above zero, can be insured, and none above
    ``maximum_stake`` where that is above zero. ``covers`` are states,
    ``kept`` the verdicts on which the bank keeps the premium. ``back`` is the share of a free stake
    that is returned at a special tie. ``proof_needed`` says that a stake without proof of payment
    is ``without_proof``: "uninsured" or "refused". ``minimum_posted``: the least stake that is
    insured is set when the table opens. ``returned`` are the verdicts on which the player has a
    part of the premium back, and the part. Where the premium ``lasts`` until the stake is decided,
    a prisoner stays insured without another one, and an ordinary tie that returns the stake returns
    the premium.

    A frozen subclass may override ``premium`` (tiers, a cap); ``rate`` is then the premium in
    nominal figures, which hold for no particular stake.
    """

    rate: Fraction
    started: int = 0
    minimum_premium: int = 0
    minimum_stake: int = 0
    multiple: int = 0
    covers: tuple[str, ...] = (FREE,)
    kept: frozenset[Verdict] = field(default=frozenset((Verdict.WIN, Verdict.LOSE)))
    back: Fraction = ONE
    proof_needed: bool = True
    without_proof: Literal["uninsured", "refused"] = "uninsured"
    premium_unit: int = 1
    maximum_premium: int = 0
    maximum_stake: int = 0
    minimum_posted: bool = False
    returned: tuple[tuple[Verdict, Fraction], ...] = ()
    lasts: Literal["coup", "until-decided"] = "coup"

    def __attrs_post_init__(self) -> None:
        """Check the table: a stranger's rule may have built it."""
        units = (
            *(self.started, self.minimum_premium, self.minimum_stake, self.multiple),
            *(self.maximum_premium, self.maximum_stake, self.premium_unit - 1),
        )
        whole = all(type(amount) is int and amount >= 0 for amount in units)
        parts = (self.rate, self.back, *(part for _verdict, part in self.returned))
        rate = all(isinstance(n, Fraction) and 0 <= n <= 1 for n in parts)
        states = isinstance(self.covers, tuple) and len(set(self.covers)) == len(self.covers)
        fates = isinstance(self.kept, frozenset) and all(
            isinstance(verdict, Verdict) for verdict in self.kept
        )
        for good, name in (
            (rate, "rate and back"),
            (whole, "amounts"),
            (states, "covers"),
            (fates, "kept"),
        ):
            if not good:
                raise RuleError(
                    f"an insurance table with {name} that it cannot have",
                    "bad-insurance",
                    "rate and back are Fractions from 0 to 1, amounts are units, covers is a tuple "
                    "of different states, kept a frozenset of verdicts",
                )

    def premium(self, worth: Fraction | int, rounding: Rounding) -> Rounded:
        """Return the premium for a stake of this worth, in units."""
        if self.started:
            worth = -(-worth // self.started) * self.started
        step = self.premium_unit
        if type(worth) is int:  # a free stake; without this a premium takes ten times as long
            units, rest = divmod(worth * self.rate.numerator, self.rate.denominator * step)
            least, most = self.minimum_premium, self.maximum_premium
            if not rest and least <= units * step and not (most and most < units * step):
                return Rounded(units * step)
        exact = worth * self.rate
        if step == 1:
            rounded = round_to_bank(exact, rounding)
        else:
            rounded = round_to_bank(exact / step, rounding)
            rounded = Rounded(rounded.units * step, rounded.residue * step)
        if rounded.units < self.minimum_premium:
            return Rounded(self.minimum_premium)
        if self.maximum_premium and rounded.units > self.maximum_premium:
            return Rounded(self.maximum_premium)
        return rounded

    def nominal_stakes(self) -> NominalStakes | None:
        """Return the stakes that can be insured for exactly the nominal rate.

        Nothing is rounded for them, and no started amount, minimum or maximum of the premium acts.
        None where there is no such stake, and where a subclass works out its own premium.
        """
        if type(self).premium is not InsuranceTable.premium:
            return None
        exact = (self.rate / self.premium_unit).denominator
        step = lcm(exact, self.started or 1, self.multiple or 1)
        least, most = max(1, self.minimum_stake), self.maximum_stake or None
        if self.minimum_premium:
            if not self.rate:
                return None
            least = max(least, ceil(self.minimum_premium / self.rate))
        if self.maximum_premium and self.rate:
            capped = int(self.maximum_premium / self.rate)
            most = capped if most is None else min(most, capped)
        least = rounded_up(least, step)
        if most is not None and most < least:
            return None
        return NominalStakes(least, step, most)

    def keeps(self, verdict: Verdict) -> bool:
        """Return whether the bank keeps the whole premium; a special verdict goes with its kind."""
        return verdict in self.kept or verdict.usual in self.kept

    def part_back(self, verdict: Verdict, course: Course) -> Fraction:
        """Return the part of the premium that the player gets back when a stake takes a course."""
        if self.lasts == "until-decided":
            if self.stays_covered(course.state):
                return NOUGHT  # it insures the stake in the next coup
            if verdict.kind == "push" and course.returned:
                return ONE
        return self.usual_part(verdict)

    def usual_part(self, verdict: Verdict) -> Fraction:
        """Return the part of the premium of one coup that is returned on a verdict."""
        for known, part in self.returned:
            if known in (verdict, verdict.usual):
                return part
        return NOUGHT if self.keeps(verdict) else ONE

    def stays_covered(self, state: str) -> bool:
        """Return whether an insured stake that reaches a state needs no further premium there."""
        return self.lasts == "until-decided" and state != FREE and state in self.covers

    def refusal(self, amount: int, *, free: bool = True) -> str:
        """Return the code of the reason why this stake cannot be insured, empty if it can.

        A prisoner, which is not ``free``, is bound by the maximum alone.
        """
        if free and amount < self.minimum_stake:
            return "insurance-below-minimum"
        if free and self.multiple and amount % self.multiple:
            return "insurance-not-multiple"
        if self.maximum_stake and amount > self.maximum_stake:
            return "insurance-above-maximum"
        return ""


class InsuranceRule(Protocol):
    """The shape of an insurance rule: it builds a table, or None for a house without insurance."""

    def build(self, money: Money, /) -> InsuranceTable | None:
        """Return the table in units of the house."""
        ...  # pragma: no cover - a protocol has no body


@frozen
class NoInsurance:
    """The house offers no insurance."""

    def build(self, _money: Money) -> None:
        """Return no table."""
        return


@frozen
class PremiumOn:
    """The fate of the premium on each verdict: the bank keeps it, or returns it to the player.

    A fraction is the part that is returned.
    """

    win: Fate = key("kept", "On a win.", check=_part_back)
    lose: Fate = key("kept", "On a loss.", check=_part_back)
    apres: Fate = key("kept", "On an ordinary tie; few sources say.", check=_part_back)
    refait: Fate = key("kept", "On a refait, after the insurance has paid.", check=_part_back)
    close: Fate = key("returned", "When the session closes before the coup.", check=_part_back)

    def _fates(self) -> dict[Verdict, Fraction]:
        fates = (self.win, self.lose, self.apres, self.refait, self.close)
        back = {"kept": NOUGHT, "returned": ONE}
        return {
            verdict: fate if isinstance(fate, Fraction) else back[fate]
            for verdict, fate in zip(VERDICTS, fates, strict=True)
        }

    def kept(self) -> frozenset[Verdict]:
        """Return the verdicts on which the bank keeps the whole premium."""
        return frozenset(verdict for verdict, part in self._fates().items() if not part)

    def returned(self) -> tuple[tuple[Verdict, Fraction], ...]:
        """Return the verdicts on which a part of the premium is returned, and the part."""
        return tuple((verdict, part) for verdict, part in self._fates().items() if 0 < part < 1)


_NONE: Final = Amount(NOUGHT)


@stated({"array": {"minItems": 1, "uniqueItems": True}})
def _covers(states: tuple[str, ...]) -> str:
    if not states:
        return "insurance covers at least one state"
    return listed_twice("a state", states)


@frozen(kw_only=True)
class _Insurance:
    """The keys that every insurance with a premium has."""

    minimum_premium: Amount = key(_NONE, "The least premium (Monte Carlo: five francs).")
    minimum_stake: Amount | Literal["at-opening"] = key(
        _NONE,
        'The least stake that can be insured, or `"at-opening"` where the house posts it when the '
        "table opens.",
    )
    multiple: Amount = key(_NONE, "Stakes must be a multiple of this to be insured; 0: any.")
    maximum_stake: Amount = key(_NONE, "The greatest stake that can be insured; 0: any.")
    premium_unit: Amount = key(
        _NONE, "The smallest amount that a premium is paid in; 0: that of the house."
    )
    maximum_premium: Amount = key(_NONE, "The greatest premium; 0: none.")
    lasts: Literal["coup", "until-decided"] = key(
        "coup",
        "How long a premium insures a stake: for one `coup`, or `until-decided`, until it is won "
        "or lost. Then a tie that returns the stake returns the premium, and a prisoner stays "
        "insured without another one.",
    )
    premium_on: PremiumOn = key(PremiumOn(), "What happens to the premium on each verdict.")
    covers: tuple[str, ...] = key(
        (FREE,),
        "The states in which a stake can be insured: `free`, and prisons where a house allows it.",
        check=_covers,
    )
    prepaid: bool = key(
        True, "The premium is paid in advance, and the proof of it (a marker) lies on the stake."
    )
    without_proof: Literal["uninsured", "refused"] = key(
        "uninsured",
        "What happens to a stake that claims prepaid insurance without proof: it is uninsured, or "
        "not accepted (an Italian house).",
    )

    def _table(self, money: Money, rate: Fraction, started: int = 0) -> InsuranceTable:
        posted = self.minimum_stake == "at-opening"
        least_stake = self.minimum_stake if isinstance(self.minimum_stake, Amount) else _NONE
        for name, what, least, most in (
            ("premium", "premium", self.minimum_premium, self.maximum_premium),
            ("stake", "insured stake", least_stake, self.maximum_stake),
        ):
            if most.value and most < least:
                raise RuleError(
                    f"a maximum of {most} {money.currency} is below the least {what} of "
                    f"{least} {money.currency}",
                    "out-of-range",
                    f"raise it, or lower minimum_{name}",
                    f"maximum_{name}",
                    least.written(),
                )
        return InsuranceTable(
            rate=rate,
            started=started,
            minimum_premium=money.units(self.minimum_premium),
            minimum_stake=money.units(least_stake),
            multiple=money.multiple(self.multiple),
            covers=self.covers,
            kept=self.premium_on.kept(),
            proof_needed=self.prepaid,
            without_proof=self.without_proof,
            minimum_posted=posted,
            premium_unit=money.multiple(self.premium_unit) or 1,
            maximum_premium=money.units(self.maximum_premium),
            maximum_stake=money.units(self.maximum_stake),
            returned=self.premium_on.returned(),
            lasts=self.lasts,
        )


@frozen(kw_only=True)
class Rate(_Insurance):
    """The premium is a rate of the stake: 1 % in every source."""

    rate: Fraction = key(
        Fraction(1, 100), "The premium as a part of the stake.", check=between(0, 1)
    )

    def build(self, money: Money) -> InsuranceTable:
        """Return the table in units of the house."""
        return self._table(money, self.rate)


@frozen(kw_only=True)
class PerStarted(_Insurance):
    """The premium is fixed for each started amount of the stake (Germany: 5 per started 500)."""

    premium: Amount = key(
        Amount(Fraction(5)), "The premium for each started amount.", check=above_zero
    )
    per_started: Amount = key(Amount(Fraction(500)), "The amount.", check=above_zero)

    def build(self, money: Money) -> InsuranceTable:
        """Return the table in units of the house."""
        if self.premium > self.per_started:
            raise RuleError(
                f"a premium of {self.premium} {money.currency} for each started "
                f"{self.per_started} is more than the stake",
                "out-of-range",
                f"write at most {self.per_started}",
                "premium",
                self.per_started.written(),
            )
        started = money.units(self.per_started)
        return self._table(money, Fraction(money.units(self.premium), started), started)
