"""Insurance to the unit: premiums against a count of their own, fates one by one, errors whole."""

from __future__ import annotations

from fractions import Fraction
from math import ceil, floor
from typing import Any

import pytest

from trente_rules import Amount, Course, Money, RuleError, Verdict
from trente_rules.core.money import Rounded, Rounding
from trente_rules.core.rules.insurance import (
    InsuranceTable,
    NoInsurance,
    NominalStakes,
    PerStarted,
    PremiumOn,
    Rate,
)

MONEY = Money()
WIN, LOSE, APRES, REFAIT, CLOSE = (
    Verdict.WIN,
    Verdict.LOSE,
    Verdict.APRES,
    Verdict.REFAIT,
    Verdict.CLOSE,
)
CENT, HALF = Fraction(1, 100), Fraction(1, 2)


def amount(written: str | int) -> Amount:
    """Make an amount of the house."""
    return Amount.parse(written)


TABLES = {
    "rate": InsuranceTable(CENT),
    "three in two hundred": InsuranceTable(Fraction(3, 200)),
    "started": InsuranceTable(CENT, started=60),
    "least": InsuranceTable(CENT, minimum_premium=3),
    "most": InsuranceTable(CENT, maximum_premium=3),
    "one": InsuranceTable(CENT, minimum_premium=2, maximum_premium=2),
    "steps of two": InsuranceTable(CENT, premium_unit=2),
    "steps of five": InsuranceTable(Fraction(3, 100), premium_unit=5, minimum_premium=5),
    "steps and most": InsuranceTable(Fraction(3, 100), premium_unit=5, maximum_premium=10),
    "nothing": InsuranceTable(Fraction(0)),
}


def counted(table: InsuranceTable, worth: Fraction, rounding: Rounding) -> tuple[int, Fraction]:
    """Return a premium and its residue, worked out without a short way."""
    if table.started:
        worth = Fraction(ceil(worth / table.started) * table.started)
    steps = worth * table.rate / table.premium_unit
    whole = {"bank": ceil(steps), "player": floor(steps), "half-even": round(steps)}[rounding]
    paid = whole * table.premium_unit
    if paid < table.minimum_premium:
        return table.minimum_premium, Fraction(0)
    if table.maximum_premium and paid > table.maximum_premium:
        return table.maximum_premium, Fraction(0)
    return paid, worth * table.rate - paid


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("rounding", ["bank", "player", "half-even"])
def test_a_premium_is_what_is_counted(name: str, rounding: Rounding) -> None:
    """Whole stakes and halves of them pay the rate, rounded once, within minimum and maximum."""
    table = TABLES[name]
    for worth in (1, 40, 50, 60, 61, 100, 101, 150, 199, 200, 201, 300, 301, 333, 400, 500, 1000):
        for exact in (worth, Fraction(worth), Fraction(worth, 2)):
            paid = table.premium(exact, rounding)
            assert (paid.units, paid.residue) == counted(table, Fraction(exact), rounding)


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        (InsuranceTable(CENT), NominalStakes(100, 100)),
        (InsuranceTable(CENT, started=30), NominalStakes(300, 300)),
        (InsuranceTable(CENT, multiple=30), NominalStakes(300, 300)),
        (InsuranceTable(CENT, premium_unit=2), NominalStakes(200, 200)),
        (InsuranceTable(CENT, minimum_stake=200), NominalStakes(200, 100)),
        (InsuranceTable(CENT, minimum_stake=201), NominalStakes(300, 100)),
        (InsuranceTable(CENT, minimum_premium=3), NominalStakes(300, 100)),
        (InsuranceTable(CENT, minimum_premium=3, minimum_stake=400), NominalStakes(400, 100)),
        (InsuranceTable(CENT, maximum_premium=3), NominalStakes(100, 100, 300)),
        (InsuranceTable(CENT, maximum_stake=250), NominalStakes(100, 100, 250)),
        (
            InsuranceTable(CENT, maximum_stake=250, maximum_premium=3),
            NominalStakes(100, 100, 250),
        ),
        (
            InsuranceTable(CENT, maximum_stake=350, maximum_premium=3),
            NominalStakes(100, 100, 300),
        ),
        (InsuranceTable(CENT, maximum_stake=100), NominalStakes(100, 100, 100)),
        (InsuranceTable(CENT, maximum_stake=99), None),
        (InsuranceTable(Fraction(0)), NominalStakes(1, 1)),
        (InsuranceTable(Fraction(0), maximum_premium=3), NominalStakes(1, 1)),
        (InsuranceTable(Fraction(0), minimum_premium=1), None),
    ],
)
def test_the_nominal_stakes_of_a_table(
    table: InsuranceTable, expected: NominalStakes | None
) -> None:
    """D3: the least of them, their step and the greatest, which is itself one of them."""
    assert table.nominal_stakes() == expected


def test_a_nominal_stake_lies_within_its_ends() -> None:
    """The least and the greatest are held, a stake off the step is not."""
    stakes = NominalStakes(100, 50, 200)
    assert [n for n in range(301) if stakes.holds(n)] == [100, 150, 200]
    assert NominalStakes(100, 50).holds(10**9)


# --- what happens to a premium

OUT, IN = Course("out", Fraction(1)), Course("in", staying=Fraction(1), state="prison")
GONE, HALVED = Course("gone"), Course("half", HALF)
LASTING = InsuranceTable(
    CENT, covers=("free", "prison"), kept=frozenset((WIN, LOSE, APRES)), lasts="until-decided"
)
EACH_COUP = InsuranceTable(CENT, covers=("free", "prison"), kept=frozenset((WIN, LOSE, APRES)))


@pytest.mark.parametrize(
    ("table", "verdict", "course", "part"),
    [
        (LASTING, REFAIT, IN, 0),
        (LASTING, REFAIT, Course("in", staying=Fraction(1), state="tower"), 1),
        (LASTING, REFAIT, OUT, 1),
        (LASTING, APRES, OUT, 1),
        (LASTING, APRES, HALVED, 1),
        (LASTING, APRES, GONE, 0),
        (LASTING, WIN, OUT, 0),
        (LASTING, LOSE, GONE, 0),
        (EACH_COUP, REFAIT, IN, 1),
        (EACH_COUP, APRES, OUT, 0),
        (EACH_COUP, WIN, OUT, 0),
        (EACH_COUP, CLOSE, OUT, 1),
    ],
)
def test_the_part_of_a_premium_that_comes_back(
    table: InsuranceTable, verdict: Verdict, course: Course, part: int
) -> None:
    """A lasting premium stays with a covered prisoner, and comes back with a stake on a tie."""
    assert table.part_back(verdict, course) == part


def test_a_part_that_is_named_is_returned() -> None:
    """The part of a verdict is that which the table names, of each by itself."""
    table = InsuranceTable(
        CENT, kept=frozenset((LOSE,)), returned=((WIN, HALF), (APRES, Fraction(1, 4)))
    )
    parts = {verdict: table.usual_part(verdict) for verdict in (WIN, LOSE, APRES, REFAIT)}
    assert parts == {WIN: HALF, LOSE: 0, APRES: Fraction(1, 4), REFAIT: 1}
    assert table.keeps(LOSE)
    assert not table.keeps(WIN)


@pytest.mark.parametrize(
    ("table", "state", "stays"),
    [
        (LASTING, "prison", True),
        (LASTING, "free", False),
        (LASTING, "tower", False),
        (LASTING, "", False),
        (EACH_COUP, "prison", False),
    ],
)
def test_where_an_insured_stake_stays_covered(
    table: InsuranceTable, state: str, *, stays: bool
) -> None:
    """In a prison that is covered, where the premium lasts."""
    assert table.stays_covered(state) == stays


BOUNDED = InsuranceTable(CENT, minimum_stake=50, multiple=20, maximum_stake=100)


@pytest.mark.parametrize(
    ("units", "free", "code"),
    [
        (49, True, "insurance-below-minimum"),
        (50, True, "insurance-not-multiple"),
        (60, True, ""),
        (100, True, ""),
        (120, True, "insurance-above-maximum"),
        (49, False, ""),
        (50, False, ""),
        (100, False, ""),
        (101, False, "insurance-above-maximum"),
    ],
)
def test_which_stakes_cannot_be_insured(units: int, *, free: bool, code: str) -> None:
    """A free stake is bound by all three, a prisoner by the maximum alone."""
    assert BOUNDED.refusal(units, free=free) == code
    assert InsuranceTable(CENT).refusal(units, free=free) == ""


def test_a_stake_is_free_unless_it_is_said() -> None:
    """The bounds of free stakes hold without a word."""
    assert BOUNDED.refusal(49) == "insurance-below-minimum"


def fates(place: str, fate: Any) -> PremiumOn:
    """Return the usual fates but for one verdict."""
    return PremiumOn(**{place: fate})


@pytest.mark.parametrize("place", ["win", "lose", "apres", "refait", "close"])
def test_each_fate_is_of_its_verdict(place: str) -> None:
    """Kept, returned and a part, one verdict at a time among others that are as usual."""
    verdict = {each.id: each for each in (WIN, LOSE, APRES, REFAIT, CLOSE)}[place]
    usual = frozenset((WIN, LOSE, APRES, REFAIT))
    assert fates(place, "kept").kept() == usual | {verdict}
    assert fates(place, "returned").kept() == usual - {verdict}
    assert fates(place, "returned").returned() == ()
    part = fates(place, HALF)
    assert part.kept() == usual - {verdict}
    assert part.returned() == ((verdict, HALF),)
    for whole, kept in ((Fraction(0), usual | {verdict}), (Fraction(1), usual - {verdict})):
        made = fates(place, whole)
        assert (made.kept(), made.returned()) == (kept, ())
    with pytest.raises(ValueError, match=place):
        fates(place, Fraction(101, 100))
    with pytest.raises(ValueError, match=place):
        fates(place, Fraction(-1, 100))


def test_no_insurance_has_no_table() -> None:
    """A house without insurance builds nothing."""
    assert NoInsurance().build(MONEY) is None  # type: ignore[func-returns-value]


# --- building


def test_every_key_of_insurance_is_built() -> None:
    """Amounts become units, and each key its field."""
    unit = MONEY.units(amount(1))
    rule = Rate(
        rate=Fraction(1, 50),
        minimum_premium=amount(2),
        minimum_stake=amount(20),
        multiple=amount(10),
        maximum_stake=amount(900),
        premium_unit=amount(3),
        maximum_premium=amount(18),
        lasts="until-decided",
        premium_on=PremiumOn(win=HALF, lose="returned"),
        covers=("free", "prison"),
        prepaid=False,
        without_proof="refused",
    )
    assert rule.build(MONEY) == InsuranceTable(
        rate=Fraction(1, 50),
        minimum_premium=2 * unit,
        minimum_stake=20 * unit,
        multiple=10 * unit,
        covers=("free", "prison"),
        kept=frozenset((APRES, REFAIT)),
        proof_needed=False,
        without_proof="refused",
        premium_unit=3 * unit,
        maximum_premium=18 * unit,
        maximum_stake=900 * unit,
        returned=((WIN, HALF),),
        lasts="until-decided",
    )
    usual = frozenset((WIN, LOSE, APRES, REFAIT))
    assert Rate().build(MONEY) == InsuranceTable(CENT, kept=usual)
    posted = Rate(minimum_stake="at-opening").build(MONEY)
    assert posted == InsuranceTable(CENT, kept=usual, minimum_posted=True)
    started = PerStarted().build(MONEY)
    assert started == InsuranceTable(CENT, started=500 * unit, kept=usual)
    assert PerStarted(premium=amount(7), per_started=amount(7)).build(MONEY).rate == 1


@pytest.mark.parametrize(
    ("rule", "message", "hint", "field", "fix"),
    [
        (
            Rate(minimum_premium=amount(5), maximum_premium=amount(4)),
            "a maximum of 4 EUR is below the least premium of 5 EUR",
            "raise it, or lower minimum_premium",
            "maximum_premium",
            amount(5),
        ),
        (
            Rate(minimum_stake=amount(50), maximum_stake=amount(49)),
            "a maximum of 49 EUR is below the least insured stake of 50 EUR",
            "raise it, or lower minimum_stake",
            "maximum_stake",
            amount(50),
        ),
        (
            PerStarted(premium=amount(8), per_started=amount(7)),
            "a premium of 8 EUR for each started 7 is more than the stake",
            "write at most 7",
            "premium",
            amount(7),
        ),
    ],
)
def test_keys_that_contradict_say_how_to_mend_them(
    rule: Any, message: str, hint: str, field: str, fix: Amount
) -> None:
    """The error whole, with the value that mends it."""
    with pytest.raises(RuleError) as caught:
        rule.build(MONEY)
    error = caught.value
    assert (error.message, error.code, error.hint) == (message, "out-of-range", hint)
    assert (error.field, error.fix) == (field, fix.written())


def test_a_maximum_at_its_minimum_is_taken() -> None:
    """Only a maximum below its minimum is refused; 0 is no maximum."""
    same = Rate(
        minimum_premium=amount(5),
        maximum_premium=amount(5),
        minimum_stake=amount(50),
        maximum_stake=amount(50),
    ).build(MONEY)
    assert same.minimum_premium == same.maximum_premium
    Rate(minimum_premium=amount(5), minimum_stake=amount(50)).build(MONEY)
    Rate(minimum_stake="at-opening", maximum_stake=amount(50)).build(MONEY)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Rate(rate=Fraction(101, 100)), "rate"),
        (lambda: Rate(rate=Fraction(-1, 100)), "rate"),
        (lambda: Rate(covers=()), "covers: insurance covers at least one state"),
        (lambda: Rate(covers=("free", "free")), "covers: a state"),
        (lambda: PerStarted(premium=amount(0)), "premium"),
        (lambda: PerStarted(per_started=amount(0)), "per_started"),
    ],
)
def test_a_value_out_of_range_is_named_by_its_key(make: Any, words: str) -> None:
    """A rate is from 0 to 1, amounts are above zero, states are different and at least one."""
    with pytest.raises(ValueError, match=words):
        make()
    assert Rate(rate=Fraction(1)).rate == 1
    assert Rate(rate=Fraction(0)).rate == 0


@pytest.mark.parametrize(
    ("keys", "named"),
    [
        ({"returned": ((WIN, Fraction(-1, 2)),)}, "rate and back"),
        ({"back": 1}, "rate and back"),
        ({"back": Fraction(-1, 2)}, "rate and back"),
        ({"started": Fraction(1)}, "amounts"),
        ({"minimum_stake": -1}, "amounts"),
        ({"multiple": -1}, "amounts"),
        ({"maximum_premium": -1}, "amounts"),
        ({"minimum_premium": -1}, "amounts"),
        ({"covers": ("free", "prison", "free")}, "covers"),
        ({"covers": ["free", "prison"]}, "covers"),
        ({"kept": (WIN,)}, "kept"),
        ({"kept": frozenset((WIN, "lose"))}, "kept"),
    ],
)
def test_a_table_with_a_part_that_it_cannot_have(keys: dict[str, Any], named: str) -> None:
    """S21: each part is checked by itself, and the error says what each may be."""
    with pytest.raises(RuleError) as caught:
        InsuranceTable(**{"rate": CENT, **keys})
    error = caught.value
    assert error.message == f"an insurance table with {named} that it cannot have"
    assert error.code == "bad-insurance"
    assert error.hint == (
        "rate and back are Fractions from 0 to 1, amounts are units, covers is a tuple of "
        "different states, kept a frozenset of verdicts"
    )


def test_a_premium_of_a_free_stake_is_a_rounded_amount() -> None:
    """An exact premium has no residue."""
    assert InsuranceTable(CENT).premium(300, "refuse") == Rounded(3)
    assert InsuranceTable(CENT, premium_unit=3).premium(300, "refuse") == Rounded(3)
