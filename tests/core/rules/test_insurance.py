"""Insurance: what each key costs, covers and keeps."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from attrs import evolve, frozen
from tests.whole_units import units, whole_house

from trente_rules import (
    Amount,
    BetError,
    House,
    Money,
    Named,
    PluginManager,
    RuleError,
    Stake,
    Verdict,
    close_session,
    courses,
    hookimpl,
    load_house,
    loads_house,
    refusals,
    settle,
    void_coup,
)
from trente_rules.core.chances import VERDICTS
from trente_rules.core.money import Rounded, Rounding, round_to_bank
from trente_rules.core.rules.insurance import (
    InsuranceTable,
    NominalStakes,
    PerStarted,
    PremiumOn,
    Rate,
)
from trente_rules.odds.advantage import advantage
from trente_rules.odds.coup_odds import fresh_shoe
from trente_rules.reports.rulebook import rulebook
from trente_rules.testing import coup_with

REFAIT = coup_with(31, 31)
COUPS = {
    "win": coup_with(35, 33),
    "lose": coup_with(33, 35),
    "apres": coup_with(33, 33),
    "refait": REFAIT,
}
HEAD = (
    '[house]\nname = "test"\n[refait]\nrule = "prison"\npartage = ["1/2", "1/4"]\nlast = "halve"\n'
)
RATE = f'{HEAD}[insurance]\nrule = "rate"\n'


def amount(written: str | int) -> Amount:
    """Make an amount."""
    return Amount.parse(written)


def insured(units: int = 400, **more: Any) -> Stake:
    """Make an insured stake on rouge."""
    return Stake("a", "alice", "rouge", units, insured=True, **more)


def house(insurance: str, money: str = "") -> House:
    """Make a house of prisons with these keys of insurance."""
    return loads_house(f"{RATE}{insurance}\n{money}")


@pytest.mark.parametrize(
    ("rounding", "premiums"),
    [
        ("bank", [1, 1, 2, 2]),
        ("refuse", [1, 1, 2, 2]),
        ("player", [0, 1, 1, 1]),
        ("half-even", [0, 1, 1, 2]),
    ],
)
def test_a_part_of_a_unit_goes_by_the_policy(rounding: Any, premiums: list[int]) -> None:
    """Premiums of .4, 1, 1.4 and 1.6 units, each rounded once."""
    table = Rate().build(Money())
    assert [table.premium(worth, rounding).units for worth in (40, 100, 140, 160)] == premiums


def test_the_residue_of_a_premium_is_told() -> None:
    """What was exact less what was paid: below nought where the bank has the difference."""
    assert Rate().build(Money()).premium(140, "bank").residue == Fraction(-3, 5)


def test_a_minimum_premium_is_an_amount_and_exact() -> None:
    """At a unit of .50 a minimum of five is ten units; it is no rounding, so it has no residue."""
    table = Rate(minimum_premium=amount(5)).build(Money(unit=amount("0.50")))
    premium = table.premium(40, "bank")
    assert (premium.units, premium.residue) == (10, Fraction(0))


def test_a_started_amount_counts_whole() -> None:
    """5 for each started 500: a stake of 501 pays for a thousand."""
    table = PerStarted(minimum_premium=amount(10)).build(Money())
    assert [table.premium(worth, "bank").units for worth in (500, 501, 1001)] == [10, 10, 15]


def test_germany_pays_five_per_started_five_hundred() -> None:
    """The shipped house: 20 pays 5, which is a quarter; 500 pays 1 %."""
    german = whole_house("germany-500")
    lines = [settle(german, REFAIT, [insured(units)]).lines[0] for units in (20, 500, 501, 1000)]
    assert [line.premium for line in lines] == [5, 5, 10, 10]
    assert all(line.forfeited == 0 for line in lines)


@pytest.mark.parametrize("verdict", ["win", "lose", "apres", "refait"])
@pytest.mark.parametrize("fate", ["kept", "returned"])
def test_the_fate_of_the_premium_on_each_verdict(verdict: str, fate: str) -> None:
    """One key moves the premium on its own verdict, and on no other."""
    other = "returned" if fate == "kept" else "kept"
    fates = dict.fromkeys((*COUPS, "close"), other) | {verdict: fate}
    keys = ", ".join(f'{name} = "{value}"' for name, value in fates.items())
    built = house(f"premium_on = {{ {keys} }}")
    for name, coup in COUPS.items():
        (line,) = settle(built, coup, [insured()]).lines
        kept = fates[name] == "kept"
        assert (line.premium_kept, line.premium_returned) == ((4, 0) if kept else (0, 4))


@pytest.mark.parametrize(("fate", "kept"), [("kept", 4), ("returned", 0)])
def test_the_close_hands_the_premium_back_unless_the_house_keeps_it(fate: str, kept: int) -> None:
    """A session that closes before the coup."""
    closed = close_session(house(f'premium_on = {{ close = "{fate}" }}'), [insured()]).lines[0]
    assert (closed.returned, closed.premium_kept, closed.premium_returned) == (400, kept, 4 - kept)


def test_a_void_coup_hands_the_premium_back() -> None:
    """Whatever the house keeps otherwise: the coup never was."""
    (line,) = void_coup(house(""), [insured()]).lines
    assert (line.returned, line.premium_kept, line.premium_returned) == (400, 0, 4)


def test_the_premium_and_winnings_are_apart() -> None:
    """A win of an insured stake is even money, the premium is the player's cost."""
    (line,) = settle(house(""), COUPS["win"], [insured()]).lines
    assert (line.returned, line.won, line.premium_kept, line.player_net) == (400, 400, 4, 396)


def test_an_insured_refait_leaves_no_choice() -> None:
    """The stake comes back whole; neither prison nor partage is offered."""
    offered = courses(house(""), insured(), Verdict.REFAIT)
    assert [(course.name, course.returned) for course in offered] == [("insured", Fraction(1))]


def test_insurance_changes_no_other_verdict() -> None:
    """A loss is a loss, an ordinary tie a tie."""
    for name in ("win", "lose", "apres"):
        (with_it,) = settle(house(""), COUPS[name], [insured()]).lines
        (without,) = settle(house(""), COUPS[name], [Stake("a", "alice", "rouge", 400)]).lines
        assert (with_it.returned, with_it.won, with_it.forfeited) == (
            without.returned,
            without.won,
            without.forfeited,
        )


def test_a_covered_prisoner_pays_for_what_it_is_worth() -> None:
    """Halved, 400 are worth 200: the premium is 2, and a further refait leaves the worth."""
    built = house('covers = ["free", "prison"]')
    prisoner = insured(state="prison", share=Fraction(1, 2))
    (line,) = settle(built, REFAIT, [prisoner]).lines
    assert (line.premium_kept, line.staying) == (2, 400)
    assert line.after is not None
    assert (line.after.share, line.after.state) == (Fraction(1, 2), "prison")
    assert not line.after.insured


def test_a_house_may_insure_prisoners_alone() -> None:
    """``covers`` names states: a free stake that is not among them is refused."""
    built = house('covers = ["prison"]')
    assert [r.code for r in refusals(built, [insured()])] == ["not-covered"]
    assert refusals(built, [insured(state="prison")]) == ()


def test_limits_of_insurance_are_for_free_stakes() -> None:
    """The least stake and the multiple are asked when a stake is placed, not of prisoners."""
    built = house('covers = ["free", "prison"]\nminimum_stake = 500\nmultiple = 500')
    assert [r.code for r in refusals(built, [insured(400)])] == ["insurance-below-minimum"]
    assert [r.code for r in refusals(built, [insured(750)])] == ["insurance-not-multiple"]
    assert (
        refusals(
            built,
            [
                insured(1000),
            ],
        )
        == ()
    )
    assert refusals(built, [insured(400, state="prison")]) == ()


@pytest.mark.parametrize(
    ("keys", "proof", "code", "premium"),
    [
        ("", True, "", 4),
        ("", False, "", 0),
        ('without_proof = "refused"', False, "insurance-without-proof", None),
        ("prepaid = false", False, "", 4),
    ],
)
def test_proof_of_payment(keys: str, proof: bool, code: str, premium: int | None) -> None:  # noqa: FBT001
    """Prepaid without proof is uninsured or refused; not prepaid, no proof is asked for."""
    placed = insured(proof=proof)
    assert [r.code for r in refusals(house(keys), [placed])] == ([code] if code else [])
    if premium is not None:
        assert settle(house(keys), COUPS["lose"], [placed]).lines[0].premium == premium


def test_side_bets_are_not_insured() -> None:
    """Insurance is against the refait, and a side bet knows none."""
    bets = '[[side_bets]]\nid = "any"\nwins_on = "any-tie"\nodds = "8"\n'
    with pytest.raises(BetError) as caught:
        settle(house("", bets), REFAIT, [Stake("a", "alice", "any", 10, insured=True)])
    assert caught.value.code == "no-insurance"


def test_a_house_that_refuses_to_round_refuses_an_inexact_premium() -> None:
    """150 would pay 1.5; insured, an odd stake is no fault: its refait hands it back whole."""
    money = '[money]\nrounding = "refuse"\n'
    assert [r.code for r in refusals(house("", money), [insured(150)])] == ["inexact"]
    assert refusals(house("", money), [insured(200)]) == ()
    started = loads_house(f'{HEAD}[insurance]\nrule = "per-started"\n{money}')
    assert refusals(started, [insured(401)]) == ()
    assert [r.code for r in refusals(started, [Stake("a", "al", "rouge", 401)])] == ["inexact"]


def test_a_house_that_refuses_to_round_refuses_an_inexact_premium_of_a_prisoner() -> None:
    """Half of 150 is worth 75, and 1 % of it .75; what stands already is no reason."""
    exact = house('covers = ["free", "prison"]', '[money]\nrounding = "refuse"\n')
    prisoner = Stake("a", "alice", "rouge", 150, "prison", Fraction(1, 2))
    assert refusals(exact, [prisoner]) == ()
    assert [r.code for r in refusals(exact, [evolve(prisoner, insured=True)])] == ["inexact"]
    assert refusals(exact, [evolve(prisoner, amount=200, insured=True)]) == ()


def test_keys_are_checked_in_units() -> None:
    """A premium that is no whole number of units cannot be paid."""
    with pytest.raises(RuleError) as caught:
        PerStarted(premium=amount("2.50")).build(Money())
    assert caught.value.code == "not-whole-units"


@pytest.mark.parametrize(
    "make",
    [
        lambda: PerStarted(premium=amount(0)),
        lambda: PerStarted(per_started=amount(0)),
        lambda: Rate(rate=Fraction(-1, 100)),
    ],
)
def test_values_out_of_range_are_refused(make: Any) -> None:
    """A premium of nought, a started amount of nought, a rate below nought."""
    with pytest.raises(ValueError, match=": "):
        make()


def test_kept_is_the_default_but_for_the_close() -> None:
    """Few sources say what becomes of the premium: the bank has it once the coup is dealt."""
    assert PremiumOn().kept() == set(VERDICTS) - {Verdict.CLOSE}


@frozen
class Tiers(InsuranceTable):
    """A premium of one per cent, of a half for large stakes."""

    def premium(self, worth: Fraction | int, rounding: Rounding) -> Rounded:
        """Return the premium."""
        rate = self.rate / 2 if worth >= 1000 else self.rate
        return round_to_bank(Fraction(worth) * rate, rounding)


@frozen
class Capped(InsuranceTable):
    """A premium of one per cent, of ten units at most."""

    def premium(self, worth: Fraction | int, rounding: Rounding) -> Rounded:
        """Return the premium."""
        return round_to_bank(min(Fraction(worth) * self.rate, Fraction(10)), rounding)


@frozen
class TieredRule:
    """The rule of a plugin."""

    def build(self, _money: Money) -> InsuranceTable:
        """Return its table."""
        return Tiers(Fraction(1, 100))


@frozen
class CappedRule:
    """The rule of another, whose insurance pays half."""

    def build(self, _money: Money) -> InsuranceTable:
        """Return its table."""
        return Capped(Fraction(1, 100), back=Fraction(1, 2))


class Plugin:
    """Two insurance rules."""

    @hookimpl
    def trente_insurance_rules(self) -> list[Named]:
        """Return both."""
        return [Named("tiers", TieredRule), Named("capped", CappedRule)]


def plugin_house(rule: str) -> House:
    """Return a house in which every refait loses, but for those who are insured."""
    manager = PluginManager(only=())
    manager.register(Plugin(), "my:insurance")
    toml = f'[house]\nname = "x"\n[refait]\nrule = "all-lose"\n[insurance]\nrule = "{rule}"\n'
    return loads_house(toml, plugins=manager)


def test_a_plugin_builds_its_own_premium() -> None:
    """T12 e: tiers and a cap hold in settlement, at the table and in the figures of a stake."""
    tiers, capped = plugin_house("tiers"), plugin_house("capped")
    stakes = [Stake(f"s{n}", "ann", "rouge", n, insured=True) for n in (500, 1000, 5000)]
    paid = {
        house.insurance.name: [
            line.premium for line in settle(house, coup_with(33, 34), stakes).lines
        ]
        for house in (tiers, capped)
    }
    assert paid == {"tiers": [5, 5, 25], "capped": [5, 10, 10]}
    odds = fresh_shoe(6)
    edges = [
        max(
            wager.edge
            for wager in advantage(tiers, odds, chances=["rouge"], stake=stake).wagers
            if wager.insured
        )
        for stake in (500, 1000)
    ]
    refait, apres = odds.tie(31), sum(odds.tie(point) for point in range(32, 41))
    assert edges == [(1 - apres - refait) / 100, (1 - apres - refait) / 200]


def test_insurance_may_pay_half() -> None:
    """T12 e: half of the stake comes back at a refait, in settlement and in words."""
    house = plugin_house("capped")
    (line,) = settle(
        house, coup_with(31, 31), [Stake("a", "ann", "rouge", 100, insured=True)]
    ).lines
    assert (line.returned, line.forfeited, line.course) == (50, 50, "insured")
    assert "the bank returns half of what the stake is worth" in str(rulebook(house))


def test_houses_with_premiums_of_their_own_have_fingerprints_of_their_own() -> None:
    """T12 e: tables with the same fields, and other premiums."""
    tiers, capped = plugin_house("tiers"), plugin_house("capped")
    same = evolve(capped, insurance=evolve(capped.insurance, rule=TieredRule()))
    assert len({tiers.fingerprint, capped.fingerprint, same.fingerprint}) == 3


@pytest.mark.parametrize(
    ("name", "least", "step"),
    [("monte-carlo-1911", 500, 1), ("germany-500", 500, 500), ("campione", 500, 500)],
)
def test_the_stakes_for_which_the_nominal_rate_is_true(name: str, least: int, step: int) -> None:
    """D3: from which stake, and for which multiples, the premium is what the nominal figure says.

    Monte Carlo asks 1 % and at least 5 francs, Germany 5 for each started 500, Campione insures
    multiples of 500.
    """
    house = load_house(name)
    table = house.insurance_table
    assert table is not None
    assert table.nominal_stakes() == NominalStakes(units(house, least), units(house, step))


TABLES = {
    "rate": InsuranceTable(Fraction(1, 100)),
    "three in two hundred": InsuranceTable(Fraction(3, 200), multiple=30),
    "started": InsuranceTable(Fraction(7, 60), started=60, minimum_premium=20),
    "premium unit": InsuranceTable(Fraction(1, 100), premium_unit=5, minimum_premium=7),
    "most premium": InsuranceTable(Fraction(1, 50), maximum_premium=9, minimum_stake=120),
    "most stake": InsuranceTable(Fraction(1, 100), maximum_stake=450, multiple=25),
    "free of charge": InsuranceTable(Fraction(0)),
    "never": InsuranceTable(Fraction(0), minimum_premium=2),
    "below its minimum": InsuranceTable(Fraction(1, 100), maximum_premium=3, minimum_stake=500),
}


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("rounding", ["bank", "player", "half-even"])
def test_nominal_stakes_are_those_whose_premium_is_the_rate(name: str, rounding: Rounding) -> None:
    """Counted one by one: no stake to 3000 is left out, and none too many is in."""
    table = TABLES[name]
    nominal = table.nominal_stakes()
    found = {n for n in range(1, 3001) if nominal is not None and nominal.holds(n)}
    counted = set()
    for amount in range(1, 3001):
        started = -(-amount // (table.started or 1)) * (table.started or 1)
        exact = started == amount and (amount * table.rate / table.premium_unit).denominator == 1
        paid = table.premium(amount, rounding)
        if not table.refusal(amount) and exact and paid.units == amount * table.rate:
            counted.add(amount)
    assert found == counted


FIVES = (
    '[house]\nname = "fives"\nextends = "italian-program"\n'
    '[money]\nunit = "5"\nrounding = "half-even"\n'
    '[limits]\nrule = "fixed"\nminimum = 5\nmaximum = 5000\nstep = 5\n'
)


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ("", (1, 50)),
        ("[insurance]\nminimum_premium = 5\n", None),
        ('[insurance]\nrate = "0"\n', None),
        ("[insurance]\nmultiple = 100\n", (20, 40)),
        ("[insurance]\nminimum_stake = 255\n", None),
        ("[insurance]\nminimum_stake = 240\n", (48, 50)),
    ],
)
def test_stakes_insured_for_nothing_are_found(keys: str, expected: tuple[int, int] | None) -> None:
    """C4: half-even rounds a premium of half a unit to nothing: 5 to 250 in units of 5.

    Counted one by one over every stake to 5000.
    """
    wager = loads_house(FIVES + keys).wager("noir", insured=True)
    assert wager.insured_for_nothing() == expected
    table = wager.insurance
    assert table is not None
    free = [
        n
        for n in range(1, 1001)
        if not table.refusal(n) and table.rate and not wager.premium(n).units
    ]
    assert (free[0], free[-1]) == expected if expected else not free


def test_a_house_that_rounds_to_the_bank_insures_nothing_for_nothing() -> None:
    """C4: a premium that is owed is at least one unit there."""
    assert load_house("italian-program").wager("noir", insured=True).insured_for_nothing() is None


@pytest.mark.parametrize(
    ("keys", "named"),
    [
        ({"rate": 5}, "rate and back"),
        ({"rate": 1}, "rate and back"),
        ({"rate": Fraction(3, 2)}, "rate and back"),
        ({"rate": Fraction(-1, 100)}, "rate and back"),
        ({"back": Fraction(3, 2)}, "rate and back"),
        ({"returned": ((Verdict.WIN, Fraction(2)),)}, "rate and back"),
        ({"started": -1}, "amounts"),
        ({"minimum_premium": True}, "amounts"),
        ({"premium_unit": 0}, "amounts"),
        ({"maximum_stake": -1}, "amounts"),
        ({"covers": ("free", "free")}, "covers"),
        ({"covers": ["free"]}, "covers"),
        ({"kept": {Verdict.WIN}}, "kept"),
        ({"kept": frozenset(("win",))}, "kept"),
    ],
)
def test_a_table_that_only_a_stranger_can_build_is_refused(
    keys: dict[str, Any], named: str
) -> None:
    """S21: each part of a table is checked, and the error has a code."""
    with pytest.raises(RuleError, match=f"an insurance table with {named} that") as caught:
        InsuranceTable(**{"rate": Fraction(1, 100), **keys})
    assert caught.value.code == "bad-insurance"


def test_the_smallest_values_of_a_table_are_taken() -> None:
    """S21: a rate of 0 or 1, amounts of 0 units, a premium in steps of one unit."""
    for rate in (Fraction(0), Fraction(1)):
        table = InsuranceTable(rate, started=0, premium_unit=1, back=rate)
        assert table.premium(150, "player").units == 150 * rate


def test_a_premium_at_the_minimum_keeps_its_residue() -> None:
    """S21: rounded to exactly the minimum it was rounded, and not raised to it."""
    table = InsuranceTable(Fraction(1, 100), minimum_premium=1)
    assert table.premium(150, "player") == Rounded(1, Fraction(1, 2))
    assert table.premium(40, "player") == Rounded(1)
    most = InsuranceTable(Fraction(1, 100), maximum_premium=1)
    assert most.premium(150, "player") == Rounded(1, Fraction(1, 2))
    assert most.premium(250, "bank") == Rounded(1)


def test_no_stake_is_nominal_where_a_plugin_works_out_the_premium() -> None:
    """The rate of such a table holds for no particular stake."""
    assert Tiers(Fraction(1, 100)).nominal_stakes() is None
    assert InsuranceTable(Fraction(1, 100)).nominal_stakes() is not None
