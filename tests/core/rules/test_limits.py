"""Limits: what each key refuses, and what it leaves alone."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import pytest
from attrs import frozen
from tests.whole_units import units, whole_house

from trente_rules import (
    Amount,
    BetError,
    ConfigurationError,
    History,
    House,
    Money,
    Named,
    Opening,
    PluginError,
    PluginManager,
    Refusal,
    RuleError,
    Stake,
    Table,
    hookimpl,
    load_house,
    loads_house,
    refusals,
    settle,
)
from trente_rules.core import Bounds, ChanceBounds, Limits, TableBounds
from trente_rules.core.keys import key
from trente_rules.core.rules.limits import ChanceLimit, Fixed, Progression, TablePair, TableTiers
from trente_rules.fair import SeededShuffler
from trente_rules.reports.formats import text as plain_text
from trente_rules.reports.rulebook import rulebook
from trente_rules.table import (
    CloseBets,
    Cut,
    Deal,
    MovePrisoner,
    OpenBets,
    OpenShoe,
    Place,
    Settle,
)
from trente_rules.testing import coup_with, stacked_shoe

HEAD = '[house]\nname = "test"\n[refait]\nrule = "half-loss"\n'


def amount(units: int) -> Amount:
    """Make an amount."""
    return Amount(Fraction(units))


def stake(units: int, chance: str = "rouge", owner: str = "alice", **more: Any) -> Stake:
    """Make a stake."""
    return Stake(f"{owner}-{chance}-{units}", owner, chance, units, **more)


def codes(
    rule: Any, *stakes: Stake, history: History | None = None, opening: int | None = None
) -> list[str]:
    """Return the codes of what a rule refuses."""
    found = rule.build(Money()).refusals(stakes, history or History(), Opening(opening))
    return [refusal.code for refusal in found]


def test_the_minimum_is_for_each_stake() -> None:
    """A stake at the minimum is taken; one below it is not, whatever lies beside it."""
    rule = Fixed(minimum=amount(20))
    assert codes(rule, stake(20)) == []
    assert codes(rule, stake(19), stake(500)) == ["below-minimum"]


def test_the_maximum_is_for_all_stakes_of_one_player_on_a_chance() -> None:
    """Two stakes on a chance count together; those on other chances, or of others, do not."""
    rule = Fixed(maximum=amount(100))
    assert codes(rule, stake(60), stake(40)) == []
    assert codes(rule, stake(60), stake(41)) == ["above-maximum"]
    assert codes(rule, stake(60), stake(60, "noir"), stake(60, owner="bob")) == []


def test_without_a_maximum_any_stake_is_taken() -> None:
    """No key, no limit."""
    assert codes(Fixed(), stake(10**18)) == []


def test_a_maximum_by_multiple_is_known_beforehand() -> None:
    """A house with a fixed minimum has its maximum without an opening."""
    rule = Fixed(minimum=amount(5), maximum_multiple=1000)
    assert rule.build(Money()).bounds(Opening(), "rouge").most == 5000
    assert codes(rule, stake(5000)) == []
    assert codes(rule, stake(5001)) == ["above-maximum"]


def test_a_step_is_asked_of_each_stake() -> None:
    """Every stake is a multiple of the step, those above the minimum too."""
    rule = Fixed(minimum=amount(10), step=amount(5))
    assert codes(rule, stake(15), stake(16), stake(20)) == ["not-a-step"]


def test_limits_of_one_chance_replace_those_of_the_table() -> None:
    """A chance with a minimum and a maximum of its own; the others keep the table's."""
    special = (ChanceLimit("couleur", amount(50), amount(60)),)
    rule = Fixed(minimum=amount(10), maximum=amount(100), per_chance=special)
    assert codes(rule, stake(49, "couleur"), stake(10)) == ["below-minimum"]
    assert codes(rule, stake(61, "couleur"), stake(100)) == ["above-maximum"]


def test_a_chance_may_be_opened_or_closed_by_nought() -> None:
    """A minimum of nought takes any stake, a maximum of nought takes none."""
    low = Fixed(minimum=amount(10), per_chance=(ChanceLimit("noir", amount(0)),))
    assert codes(low, stake(1, "noir")) == []
    none = Fixed(per_chance=(ChanceLimit("noir", maximum=amount(0)),))
    assert codes(none, stake(1, "noir"), stake(1)) == ["above-maximum"]


@pytest.mark.parametrize(("first", "second"), [("rouge", "noir"), ("inverse", "couleur")])
def test_both_sides_are_one_party_on_opposite_chances(first: str, second: str) -> None:
    """Only opposites, only of one party, and only where the house says so."""
    rule = Fixed(both_sides=False)
    assert codes(rule, stake(5, first), stake(5, second)) == ["both-sides"]
    assert codes(rule, stake(5, first), stake(5, second, "bob")) == []
    together = [stake(5, first, group="g"), stake(5, second, "bob", group="g")]
    assert codes(rule, *together) == ["both-sides"]
    assert codes(Fixed(), stake(5, first), stake(5, second)) == []


def test_an_association_does_not_pass_the_maximum_of_one() -> None:
    """Players who bet together are one for the maximum, unless the house allows them."""
    each = [stake(60, group="g"), stake(60, owner="bob", group="g")]
    assert codes(Fixed(maximum=amount(100)), *each) == ["above-maximum"]
    assert codes(Fixed(maximum=amount(100), associations="allowed"), *each) == []


def test_a_group_told_for_one_stake_hides_no_other_of_the_player() -> None:
    """A player's own stakes count together, whichever group is named for each."""
    each = [stake(60, group="g"), stake(60), stake(60, group="h")]
    assert codes(Fixed(maximum=amount(100)), *each) == ["above-maximum", "above-maximum"]
    assert codes(Fixed(maximum=amount(200)), *each) == []


def test_prisoners_count_towards_no_limit() -> None:
    """A stake in prison was accepted long ago."""
    rule = Fixed(minimum=amount(20), maximum=amount(100), step=amount(20), both_sides=False)
    prisoner = stake(101, state="prison")
    assert codes(rule, prisoner, stake(100, "noir")) == []


def test_raising_is_measured_by_the_reference_bet() -> None:
    """Before the reference bet nothing is measured; after it each bet is, and not the last one."""
    rule = Fixed(progression=Progression(reference=2, at_most=Fraction(3, 2)))
    history = History.of([[stake(4)]])
    assert codes(rule, stake(1000), history=history) == []
    history = History.of([[stake(4)], [stake(10)], [stake(2)]])
    assert codes(rule, stake(15), history=history) == []
    assert codes(rule, stake(8), stake(8, "noir"), history=history) == ["raised-too-fast"]
    assert codes(rule, stake(16, owner="bob"), history=history) == []


def test_history_counts_free_stakes_by_party_and_coup() -> None:
    """Two stakes of a coup are one bet; a coup without a free stake is none."""
    coups = [[stake(4), stake(6, "noir")], [], [stake(50, state="prison")], [stake(2, owner="bob")]]
    history = History.of(coups)
    assert history.of_party("alice") == (10,)
    assert history.of_party("bob") == (2,)


def test_limits_are_in_the_currency_and_stakes_in_units() -> None:
    """With a unit of .50 a minimum of 10 is 20 units, and refusals speak the currency."""
    limits = Fixed(minimum=amount(10)).build(Money("CHF", Amount.parse("0.50")))
    (refusal,) = limits.refusals([stake(19)], History(), Opening())
    assert refusal.message == "a stake of 9.50 CHF is below the minimum of 10 CHF"
    assert refusal.stake == "alice-rouge-19"


def test_an_amount_that_is_no_whole_number_of_units_is_refused() -> None:
    """A limit that no stake could meet exactly is a fault of the house."""
    with pytest.raises(RuleError) as caught:
        Fixed(minimum=Amount.parse("0.30")).build(Money(unit=Amount.parse("0.20")))
    assert caught.value.code == "not-whole-units"


@pytest.mark.parametrize(
    ("rule", "code", "field"),
    [
        (Fixed(maximum=amount(9), maximum_multiple=9), "two-maxima", "maximum_multiple"),
        (
            Fixed(minimum=amount(9), maximum=amount(8)),
            "maximum-below-minimum",
            "maximum",
        ),
        (Fixed(minimum=amount(0), maximum=amount(0)), "no-stake-possible", "maximum"),
        (
            Fixed(minimum=amount(0), maximum_multiple=10),
            "no-stake-possible",
            "maximum_multiple",
        ),
        (
            TableTiers(tables=(TablePair(amount(9), amount(8)),)),
            "maximum-below-minimum",
            "tables",
        ),
        (
            TableTiers(tables=(TablePair(amount(2), amount(8)), TablePair(amount(2), amount(9)))),
            "same-minimum",
            "tables",
        ),
    ],
)
def test_limits_that_contradict_are_refused(rule: Any, code: str, field: str) -> None:
    """No house is built whose limits accept nothing, or cannot be told apart."""
    with pytest.raises(RuleError) as caught:
        rule.build(Money())
    assert (caught.value.code, caught.value.field) == (code, field)


@pytest.mark.parametrize(
    "make",
    [
        lambda: TableTiers(tables=()),
        lambda: TablePair(amount(0), amount(10)),
        lambda: Progression(reference=0),
        lambda: Fixed(maximum_multiple=0),
    ],
)
def test_values_out_of_range_are_refused(make: Any) -> None:
    """No table, a table without a minimum, the bet before the first, a multiple of nought."""
    with pytest.raises(ValueError, match=": "):
        make()


@pytest.mark.parametrize("minimum", [0, -5, True, 2.5, "5", 10**19])
def test_a_table_opens_with_a_minimum_that_is_a_stake(minimum: Any) -> None:
    """Anything but a whole number of units above nought is refused at once."""
    with pytest.raises(BetError) as caught:
        Opening(minimum)
    assert caught.value.code == "bad-opening"


@pytest.mark.parametrize(
    ("opening", "code"), [(None, "opening-needed"), (3, "no-such-table"), (5, "")]
)
def test_the_opening_says_which_table(opening: int | None, code: str) -> None:
    """A single table of the rule ``tables`` is told by its minimum too."""
    rule = TableTiers(tables=(TablePair(amount(5), amount(102)),))
    if not code:
        assert codes(rule, stake(102), opening=opening) == []
        return
    with pytest.raises(BetError) as caught:
        codes(rule, stake(102), opening=opening)
    assert caught.value.code == code


def test_a_stake_outside_the_limits_is_settled_as_it_stands() -> None:
    """``refusals`` asks the limits; ``settle`` settles what was accepted, and clamps nothing."""
    house = loads_house(f"{HEAD}[limits]\nminimum = 20\nmaximum = 100\n")
    placed = [stake(500)]
    assert [refusal.code for refusal in refusals(house, placed)] == ["above-maximum"]
    assert settle(house, coup_with(35, 33), placed).players_net == 500


def test_limits_in_a_file_name_the_place_of_their_fault() -> None:
    """A contradiction is told with the line of the key at fault."""
    with pytest.raises(ConfigurationError) as caught:
        loads_house(f"{HEAD}[limits]\nminimum = 20\nmaximum = 10\n")
    (fault,) = caught.value.faults
    assert (fault.code, fault.key, fault.line) == ("maximum-below-minimum", "limits.maximum", 7)


# --- limits as data: what a plugin's rule builds, what is posted when a table opens


@frozen
class Built:
    """A stranger's limit rule: what it builds is given to the test."""

    kind: str = key("")

    def build(self, money: Money) -> Any:
        """Return the limits of that kind."""
        tables = (TableBounds(5, 100),)
        kinds: dict[str, Any] = {
            "late": Limits(money, tables, late_bets=True, prisoners_move=True, step=5),
            "together": Limits(money, aggregate_maximum=100, differential_maximum=50),
            "payout": Limits(money, tables, maximum_payout=170),
            "also": Limits(money, tables, also=only_odd),
            "raises": Limits(money, tables, also=lambda *_: [1 / 0]),
            "other": {"minimum": 1},
        }
        return kinds[self.kind]


def only_odd(stakes: Sequence[Stake], _history: History, _opening: Opening) -> list[Refusal]:
    """Refuse even stakes."""
    return [Refusal("even", "only odd stakes", each.id) for each in stakes if not each.amount % 2]


class Plugin:
    """A plugin of one limit rule."""

    @hookimpl
    def trente_limit_rules(self) -> list[Named]:
        """Bring the rule."""
        return [Named("built", Built)]


def built(kind: str, more: str = "", base: str = 'extends = "monte-carlo-1911"\n') -> House:
    """Return a house whose limits a plugin builds."""
    manager = PluginManager(only=None)
    manager.register(Plugin(), "a:limits")
    money = '[money]\nunit = "1"\n'
    text = f'[house]\nname = "x"\n{base}{money}[limits]\nrule = "built"\nkind = "{kind}"\n{more}'
    return loads_house(text, plugins=manager)


def refused(house: House, *stakes: Stake, opening: Opening | None = None) -> list[str]:
    """Return the codes of what a house refuses."""
    return [each.code for each in refusals(house, stakes, opening=opening or Opening())]


def test_a_plugin_allows_late_bets_and_has_a_step() -> None:
    """A1 1d: a stake between rien ne va plus and the first card, where the limits say so."""
    house = built("late")
    table = Table(house)
    table.do(OpenShoe.shuffled("1", 6, SeededShuffler("00" * 16, test=True)))
    for command in (Cut(id="2", by=house.shoe.cut_by), OpenBets(id="3"), CloseBets(id="4")):
        table.do(command)
    late = Place(id="5", stake="s", player="a", chance="rouge", amount=5)
    assert table.why_not(late) is None
    assert {"place", "increase"} <= set(table.allowed())
    table.do(late)
    table.do(Deal(id="6"))
    assert "place" not in table.allowed()
    assert house.limits_table.bounds(Opening(), "rouge") == Bounds(5, 100, 5)
    assert refused(house, stake(7)) == ["not-a-step"]


def test_a_plugin_lets_prisoners_move() -> None:
    """A1 1d, T12d: moving prisoners is a field of what the rule builds, not of the rule."""
    house = built("late")
    table = Table(house)
    order = stacked_shoe([coup_with(31, 31)])
    for command in (
        OpenShoe(id="1", cards=order.cards),
        Cut(id="2", by=house.shoe.cut_by),
        OpenBets(id="3"),
        Place(id="4", stake="s", player="a", chance="rouge", amount=100),
        CloseBets(id="5"),
        Deal(id="6"),
        Settle(id="7"),
        OpenBets(id="8"),
    ):
        table.do(command)
    assert "move-prisoner" in table.allowed()
    table.do(MovePrisoner(id="9", stake="s", player="a", chance="noir"))
    (moved,) = table.state.stakes
    assert (moved.chance, moved.free) == ("noir", False)


PAID_PRISONER = """[house]
name = "test"
[refait]
rule = "custom"
[refait.machine.free]
refait = [{ course = "in", staying = "1", state = "prison" }]
[refait.machine.prison]
win = [{ course = "paid", returned = "1", pays = "3" }]
refait = [{ course = "deeper", staying = "1/2", state = "prison" }]
close = [{ course = "closed", returned = "1/2" }]
[limits]
rule = "fixed"
minimum = 1
maximum = 1000
"""


def test_the_most_that_a_stake_may_win_counts_a_prisoner_that_is_paid() -> None:
    """D1: 33 in prison wins 99 of the 100 that are allowed; a stake of 34 would win 102."""
    house = loads_house(f"{PAID_PRISONER}maximum_win = 100")
    assert refused(house, stake(33)) == []
    assert refused(house, stake(34)) == ["above-maximum"]
    said = plain_text.render(rulebook(house, language="en"))
    assert re.search(r"rouge +3 to 1 +99.EUR", said)
    said = plain_text.render(rulebook(loads_house(PAID_PRISONER), language="en"))
    assert re.search(r"rouge +3 to 1 +3[, ]?000.EUR", said)


def test_the_most_that_a_prisoner_wins_counts_its_share_and_its_chance() -> None:
    """D1: half of it is left in prison, so 3 to 1 is 3 to 2; a chance without refait has none."""
    text = PAID_PRISONER.replace('staying = "1", state', 'staying = "1/2", state')
    house = loads_house(f'{text}maximum_win = 100\n[[chances]]\nid = "noir"\nrefait_on = []')
    assert house.most_won(house.chance("rouge")) == Fraction(3, 2)
    assert house.most_won(house.chance("noir")) == 1
    assert refused(house, stake(66)) == refused(house, stake(100, "noir")) == []
    assert refused(house, stake(67)) == ["above-maximum"]


def test_all_players_together_have_a_maximum() -> None:
    """T8d: an aggregate on a chance, and what it may hold beyond its opposite."""
    house = built("together")
    assert refused(house, stake(50), stake(50, owner="bob"), stake(60, "noir")) == []
    assert refused(house, stake(60), stake(50, owner="bob"), stake(60, "noir")) == [
        "above-aggregate"
    ]
    assert refused(house, stake(51)) == ["above-differential"]
    assert refused(house, stake(80), stake(29, "noir", "bob")) == ["above-differential"]
    assert refused(house, stake(80), stake(30, "noir", "bob")) == []
    assert refused(house, stake(500, state="prison")) == []


def test_what_one_bet_may_win_is_part_of_the_bounds() -> None:
    """A13 b: at 17 to 1 a payout of 170 allows a stake of 10; the rulebook says the same."""
    side = '[[side_bets]]\nid = "tie"\nwins_on = "any-tie"\nodds = "17"\n'
    house = built("payout", side)
    assert house.limits_table.bounds(Opening(), "tie").most == 10
    assert house.limits_table.bounds(Opening(), "rouge").most == 100
    assert refused(house, stake(10, "tie")) == []
    assert refused(house, stake(11, "tie")) == ["above-maximum"]
    text = plain_text.render(rulebook(house, "en"))
    assert "may win at most 170" in text
    assert "at most 187" not in text


def test_a_plugin_adds_a_function_to_the_limits() -> None:
    """A1 1d: what no field can say is refused by a pure function on top of the value."""
    assert refused(built("also"), stake(4), stake(7)) == ["below-minimum", "even"]


def test_a_plugin_that_builds_something_else_is_told_so() -> None:
    """A1 1d: the fault names the rule, what it built and what was expected."""
    with pytest.raises(ConfigurationError) as caught:
        built("other")
    (fault,) = caught.value.faults
    assert fault.code == "rule-fails"
    assert "the limit rule 'built' built { minimum = 1 }, not Limits" in fault.message


def test_a_limit_rule_that_raises_is_named_with_its_cause() -> None:
    """T12c: ``refusals`` and a table raise a ``TrenteError``, the rule's own error chained."""
    with pytest.raises(
        PluginError, match=r"the limit rule 'built' of plugin '.*' fails: ZeroDivisionError"
    ) as caught:
        refused(built("raises"), stake(5))
    assert caught.value.code == "rule-fails"
    assert isinstance(caught.value.__cause__, ZeroDivisionError)


def test_no_key_is_idle_that_a_plugin_does_not_have() -> None:
    """A rule that lets prisoners move in every house is no fault of a house without a prison."""
    assert built("late", '[refait]\nrule = "half-loss"\n', base="").limits_table.prisoners_move


@pytest.mark.parametrize("house", ["venezia-online", "france-2007", "monte-carlo-1911"])
def test_the_lowest_opening_is_a_fact_of_the_house(house: str) -> None:
    """A15.15: ``House.lowest_opening``; of several tables the lowest that takes the stake."""
    found = load_house(house)
    least = {"venezia-online": 2, "france-2007": 1, "monte-carlo-1911": 20}[house]
    assert found.lowest_opening(0) == Opening(units(found, least))
    if house == "venezia-online":
        assert found.lowest_opening(units(found, 100)) == Opening(units(found, 5))
        assert found.lowest_opening(units(found, 10**6)) == Opening(units(found, 2))


def test_the_lowest_opening_takes_a_stake_of_its_minimum() -> None:
    """D2: a minimum set at the opening is a multiple of the step, where the house has one."""
    house = load_house("france-2007")
    assert house.limits_table.step == units(house, 1)
    lowest = house.lowest_opening(units(house, "1500.01"))
    assert lowest == Opening(units(house, 2))
    assert refused(house, stake(units(house, 2)), opening=lowest) == []


@pytest.mark.parametrize(
    "make",
    [
        lambda: Opening(maximum=-1),
        lambda: Opening(10, maximum=9),
        lambda: Opening(insurance_minimum="5"),  # type: ignore[arg-type]
        lambda: Opening(per_chance=[ChanceBounds("noir")]),  # type: ignore[arg-type]
        lambda: Opening(per_chance=("noir",)),  # type: ignore[arg-type]
        lambda: Opening(per_chance=(ChanceBounds("noir", 10, 9),)),
        lambda: Opening(per_chance=(ChanceBounds("noir", 1.5),)),  # type: ignore[arg-type]
    ],
)
def test_what_is_posted_is_checked_like_a_file(make: Any) -> None:
    """D4: types, negative amounts, a maximum below its minimum."""
    with pytest.raises(BetError) as caught:
        make()
    assert caught.value.code == "bad-opening"
    assert caught.value.hint.startswith("expected ")


def test_what_is_posted_narrows_what_the_house_allows() -> None:
    """D4: the maximum of the day, of the table and of one chance; it never widens a limit."""
    italy = whole_house("italy-half-loss")
    day = Opening(10, maximum=1000, per_chance=(ChanceBounds("couleur", 20, 100),))
    assert refused(italy, stake(1000), stake(100, "couleur"), opening=day) == []
    assert refused(italy, stake(1001), opening=day) == ["above-maximum"]
    assert refused(italy, stake(19, "couleur"), opening=day) == ["below-minimum"]
    assert refused(italy, stake(101, "couleur"), opening=day) == ["above-maximum"]
    wide = Opening(maximum=10**6)
    assert refused(whole_house("monte-carlo-1911"), stake(12_001), opening=wide) == [
        "above-maximum"
    ]


@pytest.mark.parametrize(
    ("day", "code"),
    [
        (Opening(), "opening-needed"),
        (Opening(10, per_chance=(ChanceBounds("zero", 10),)), "unknown-chance"),
        (Opening(10, insurance_minimum=10), "no-insurance"),
        (Opening(10, per_chance=(ChanceBounds("noir", maximum=9),)), "bad-opening"),
        (Opening(10, per_chance=(ChanceBounds("noir", maximum=0),)), ""),
        (Opening(10, maximum=10), ""),
    ],
)
def test_a_table_opens_with_what_its_house_has(day: Opening, code: str) -> None:
    """D4: a posted value that cannot act, or leaves no stake, is refused when the table opens."""
    house = loads_house(
        '[house]\nname = "x"\nextends = "france-2007"\n[insurance]\nrule = "none"\n'
        '[money]\nunit = "1"\n'
    )
    if not code:
        table = Table(house, opening=day)
        assert refused(house, stake(10), opening=table.state.setup.opening) == []
        return
    with pytest.raises(BetError) as caught:
        Table(house, opening=day)
    assert caught.value.code == code


def test_the_least_insured_stake_may_be_posted() -> None:
    """D4: a stake below it is taken uninsured alone."""
    house = whole_house("monte-carlo-1911")
    day = Opening(insurance_minimum=200)
    assert refused(house, stake(200, insured=True), opening=day) == []
    assert refused(house, stake(180, insured=True), opening=day) == ["insurance-below-minimum"]
    assert refused(house, stake(180), opening=day) == []
