"""Limits to the unit: refusals whole with their values, bounds at the edge, errors with hints."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import pytest
from attrs import evolve, frozen

from trente_rules import Amount, BetError, History, Money, Opening, Refusal, RuleError, Stake
from trente_rules.core import Bounds, ChanceBounds, Limits, TableBounds
from trente_rules.core.rules.limits import (
    ChanceLimit,
    Fixed,
    OwnBounds,
    Progression,
    TablePair,
    TableTiers,
    has_opposites,
    limits_of,
)

MONEY = Money()
OPEN = Opening()


def text(units: int) -> str:
    """Return units as a sentence has them."""
    return MONEY.text(units)


def amount(units: int) -> Amount:
    """Make an amount of whole euros."""
    return Amount(Fraction(units))


def stake(name: str, units: int, chance: str = "rouge", owner: str = "ann", **more: Any) -> Stake:
    """Make a stake."""
    return Stake(name, owner, chance, units, **more)


def limits(least: int | None = 1, most: int | None = None, **keys: Any) -> Limits:
    """Make limits of one table, in units."""
    return Limits(MONEY, (TableBounds(least, most),), **keys)


def values(**given: Any) -> tuple[tuple[str, Any], ...]:
    """Return values as a refusal has them: in their order."""
    return tuple(given.items())


# --- refusals

PAIR = [stake("a", 60), stake("b", 50)]
GROUP = [stake("a", 60, group="g"), stake("b", 50, owner="bob", group="g")]
RAISED = Progression(1, Fraction(3, 2))


@pytest.mark.parametrize(
    ("built", "placed", "expected"),
    [
        (
            limits(10),
            [stake("a", 9), stake("b", 10)],
            Refusal(
                "below-minimum",
                f"a stake of {text(9)} is below the minimum of {text(10)}",
                "a",
                values(amount=9, minimum=10),
            ),
        ),
        (
            limits(step=5),
            [stake("a", 12), stake("b", 10)],
            Refusal(
                "not-a-step",
                f"a stake of {text(12)} is not a multiple of {text(5)}",
                "a",
                values(amount=12, step=5),
            ),
        ),
        (
            limits(1, 100),
            [stake("a", 101), stake("b", 100, owner="bob"), stake("c", 100, "noir")],
            Refusal(
                "above-maximum",
                f"{text(101)} on rouge is above the maximum of {text(100)}",
                "a",
                values(amount=101, maximum=100, chance="rouge", player="ann"),
            ),
        ),
        (
            limits(1, 100),
            PAIR,
            Refusal(
                "above-maximum",
                f"{text(110)} by 'ann' on rouge is above the maximum of {text(100)}",
                "b",
                values(amount=110, maximum=100, chance="rouge", player="ann"),
            ),
        ),
        (
            limits(1, 100),
            GROUP,
            Refusal(
                "above-maximum",
                f"{text(50)} on rouge, with the stakes of the group 'g', is above the maximum of "
                f"{text(100)}",
                "b",
                values(amount=50, maximum=100, chance="rouge", player="bob", group="g"),
            ),
        ),
        (
            limits(maximum_payout=100),
            [stake("a", 101), stake("b", 100, owner="bob")],
            Refusal(
                "above-maximum",
                f"{text(101)} on rouge could win more than {text(100)}: at most {text(100)} is "
                "taken",
                "a",
                values(amount=101, maximum=100, chance="rouge", player="ann", win=100),
            ),
        ),
        (
            limits(both_sides=False),
            [stake("a", 5), stake("b", 5, "noir"), stake("c", 5, "noir", "bob")],
            Refusal(
                "both-sides",
                "'ann' has a stake on rouge already: this house takes no stake on noir as well",
                "b",
                values(player="ann", chance="noir", opposite="rouge"),
            ),
        ),
        (
            limits(both_sides=False),
            [stake("a", 5, group="g"), stake("b", 5, "noir", "bob", group="g")],
            Refusal(
                "both-sides",
                "'g' has a stake on rouge already: this house takes no stake on noir as well",
                "b",
                values(player="g", chance="noir", opposite="rouge"),
            ),
        ),
        (
            limits(progression=RAISED),
            [stake("a", 16), stake("b", 15, owner="bob")],
            Refusal(
                "raised-too-fast",
                f"{text(16)} is more than 3/2 of bet 1, which was {text(10)}",
                "a",
                values(at_most="3/2", reference=1, amount=16, before=10),
            ),
        ),
        (
            limits(progression=RAISED),
            [stake("a", 8, group="g"), stake("b", 8, owner="bob", group="g")],
            Refusal(
                "raised-too-fast",
                f"with {text(8)} the group 'g' stakes more than 3/2 of its bet 1",
                "b",
                values(at_most="3/2", reference=1, amount=8),
            ),
        ),
        (
            limits(aggregate_maximum=100),
            [stake("a", 60), stake("b", 41, owner="bob"), stake("c", 100, "noir")],
            Refusal(
                "above-aggregate",
                f"the stakes of all players on rouge would be more than the maximum of {text(100)}",
                "b",
                values(maximum=100, chance="rouge"),
            ),
        ),
        (
            limits(differential_maximum=100),
            [stake("a", 60), stake("b", 61, owner="bob"), stake("c", 20, "noir")],
            Refusal(
                "above-differential",
                f"the stakes of all players on rouge would be more than the maximum of {text(100)} "
                "above noir",
                "b",
                values(maximum=100, chance="rouge"),
            ),
        ),
        (
            limits(table_maximum=100),
            [stake("a", 60), stake("b", 41, "inverse", "bob")],
            Refusal(
                "above-table-maximum",
                f"the stakes of all players would be more than the table's maximum of {text(100)}",
                "b",
                values(maximum=100),
            ),
        ),
        (
            limits(most_stakes=1),
            [stake("a", 5), stake("b", 5, "noir"), stake("c", 5, owner="bob")],
            Refusal(
                "above-most-stakes",
                "stake number 2 of 'ann': one player may have 1 in a coup",
                "b",
                values(player="ann", stakes=2, maximum=1),
            ),
        ),
        (
            limits(table_most_stakes=2),
            [stake("a", 5), stake("b", 5, "noir"), stake("c", 5, owner="bob")],
            Refusal(
                "above-table-most-stakes",
                "all players together may have 2 stakes in a coup, not more",
                "c",
                values(maximum=2),
            ),
        ),
    ],
    ids=lambda each: each.code if isinstance(each, Refusal) else None,
)
def test_a_refusal_has_its_sentence_and_its_values(
    built: Limits, placed: Sequence[Stake], expected: Refusal
) -> None:
    """S21: one stake is refused, by the unit that is too many; the one at the edge is taken."""
    history = History((("ann", 10), ("bob", 10), ("g", 10)))
    if built.progression is not None:
        history = History.of([[stake("x", 10), stake("y", 10, owner="bob")]])
        history = history.after([stake("z", 10, group="g")])
    assert list(built.refusals(placed, history, OPEN)) == [expected]


@pytest.mark.parametrize(
    ("built", "placed"),
    [
        (limits(1, 110), PAIR),
        (limits(1, 110), GROUP),
        (limits(1, 60, associations=True), GROUP),
        (limits(aggregate_maximum=110), PAIR),
        (limits(differential_maximum=110), PAIR),
        (limits(table_maximum=110), PAIR),
        (limits(most_stakes=2), PAIR),
        (limits(table_most_stakes=2), PAIR),
        (limits(both_sides=False), PAIR),
        (limits(both_sides=False), [stake("a", 5), stake("b", 5, "inverse")]),
        (limits(both_sides=True), [stake("a", 5), stake("b", 5, "noir")]),
        (limits(progression=Progression(2, Fraction(1))), PAIR),
        (limits(differential_maximum=10), [stake("a", 60), stake("b", 50, "noir")]),
        (limits(10, 50), [stake("a", 5, state="prison"), stake("b", 90, state="prison")]),
        (limits(table_maximum=50, most_stakes=1), []),
    ],
)
def test_what_lies_at_the_limit_is_taken(built: Limits, placed: Sequence[Stake]) -> None:
    """S21: a limit is what is still taken; prisoners count towards none."""
    history = History.of([[stake("x", 1)]])
    assert list(built.refusals(placed, history, OPEN)) == []


def test_a_stake_too_small_and_off_the_step_is_refused_for_both() -> None:
    """Each reason is a refusal of its own, the minimum first."""
    found = limits(10, step=5).refusals([stake("a", 7)], History(), OPEN)
    assert [each.code for each in found] == ["below-minimum", "not-a-step"]


def test_a_chance_without_an_opposite_has_no_differential() -> None:
    """The differential compares a chance with its opposite alone."""
    built = limits(differential_maximum=10)
    assert list(built.refusals([stake("a", 60, "tie")], History(), OPEN)) == []


def test_every_stake_beyond_the_number_is_refused() -> None:
    """Each owner counts by itself, and the table counts all."""
    placed = [stake(name, 5) for name in "abc"] + [stake("d", 5, owner="bob")]
    found = limits(most_stakes=1, table_most_stakes=3).refusals(placed, History(), OPEN)
    assert [(each.code, each.stake, dict(each.values).get("stakes")) for each in found] == [
        ("above-most-stakes", "b", 2),
        ("above-most-stakes", "c", 3),
        ("above-table-most-stakes", "d", None),
    ]


def test_a_change_is_refused_near_as_all_stakes_would_be() -> None:
    """The stakes of all players are known by their totals and their number alone."""
    placed = [stake("a", 60), stake("b", 50, "noir", "bob"), stake("c", 50)]
    built = limits(
        1, 100, table_maximum=150, aggregate_maximum=105, most_stakes=1, table_most_stakes=2
    )
    mine = [placed[0], placed[2]]
    totals = {"rouge": 110, "noir": 50}
    near = list(built.refusals_near("c", mine, totals, 3, History(), OPEN))
    assert near == list(built.refusals(placed, History(), OPEN))
    assert [each.code for each in near] == [
        "above-maximum",
        "above-aggregate",
        "above-table-maximum",
        "above-most-stakes",
        "above-table-most-stakes",
    ]
    at_most = list(built.refusals_near("a", placed[:1], {"rouge": 60}, 2, History(), OPEN))
    assert at_most == []
    open_ = limits(1, 100)
    prisoner = stake("p", 500, state="prison")
    assert list(open_.refusals_near("a", [prisoner], {}, 9, History(), OPEN)) == []


# --- bounds


def test_the_bounds_of_a_table_are_taken_themselves() -> None:
    """A stake of the minimum and one of the maximum are taken; None is no bound."""
    table = TableBounds(10, 20)
    assert [table.takes(units) for units in (9, 10, 20, 21)] == [False, True, True, False]
    assert TableBounds(None, 20).takes(0)
    assert TableBounds(10, None).takes(10**9)
    assert TableBounds(10, multiple=3).most == 30
    assert not TableBounds(10, multiple=3).takes(31)
    assert TableBounds(None, multiple=3).most is None


@pytest.mark.parametrize(
    ("table", "field", "expected"),
    [
        (
            TableBounds(0, multiple=5),
            "maximum_multiple",
            (
                "a maximum of 0 accepts no stake",
                "no-stake-possible",
                "raise the maximum, or the minimum that it is a multiple of",
                "none",
            ),
        ),
        (
            TableBounds(0, 0),
            "maximum",
            (
                "a maximum of 0 accepts no stake",
                "no-stake-possible",
                "raise the maximum, or the minimum that it is a multiple of",
                None,
            ),
        ),
        (
            TableBounds(10, 9),
            "maximum",
            (
                f"{text(9)} is below the minimum of {text(10)}",
                "maximum-below-minimum",
                "raise it, or lower the minimum",
                MONEY.amount(10).written(),
            ),
        ),
        (
            TableBounds(10, 9),
            "tables",
            (
                f"{text(9)} is below the minimum of {text(10)}",
                "maximum-below-minimum",
                "raise it, or lower the minimum",
                None,
            ),
        ),
    ],
)
def test_bounds_that_contradict_say_how_to_mend_them(
    table: TableBounds, field: str, expected: tuple[str, str, str, object]
) -> None:
    """The error whole: sentence, code, hint, field and the value that mends it."""
    with pytest.raises(RuleError) as caught:
        table.check(MONEY, field)
    error = caught.value
    assert (error.message, error.code, error.hint, error.fix) == expected
    assert error.field == field


def test_a_maximum_of_the_minimum_is_one_stake() -> None:
    """Only a maximum below the minimum is refused, and a missing minimum is none."""
    for table in (TableBounds(10, 10), TableBounds(None, 1), TableBounds(10), TableBounds(0, 1)):
        table.check(MONEY, "maximum")


@pytest.mark.parametrize(
    ("least", "step", "lowest"), [(10, 1, 10), (10, 4, 12), (0, 5, 5), (12, 4, 12), (1, 1, 1)]
)
def test_the_lowest_stake_is_a_multiple_of_the_step(least: int, step: int, lowest: int) -> None:
    """The least stake rounded up to the step, one step at least."""
    assert Bounds(least, step=step).lowest == lowest


@pytest.mark.parametrize(
    ("own", "odds", "expected"),
    [
        (OwnBounds("rouge"), 1, Bounds(10, 100, 5)),
        (OwnBounds("rouge", 20), 1, Bounds(20, 100, 5)),
        (OwnBounds("rouge", 0), 1, Bounds(0, 100, 5)),
        (OwnBounds("rouge", None, 50), 1, Bounds(10, 50, 5)),
        (OwnBounds("rouge", multiple=4), 1, Bounds(10, 40, 5)),
        (OwnBounds("rouge", 0, multiple=4), 1, Bounds(0, None, 5)),
        (OwnBounds("rouge", 20, multiple=4), 1, Bounds(20, 80, 5)),
        (OwnBounds("rouge", maximum_win=60), 1, Bounds(10, 60, 5, 60)),
        (OwnBounds("rouge", maximum_win=60), 2, Bounds(10, 30, 5, 60)),
        (OwnBounds("rouge", maximum_win=100), 1, Bounds(10, 100, 5)),
        (OwnBounds("rouge", maximum_win=60), 0, Bounds(10, 100, 5)),
        (OwnBounds("rouge", 30, posted=("minimum",)), 1, Bounds(0, 100, 5)),
        (OwnBounds("rouge", None, 50, posted=("maximum",)), 1, Bounds(10, None, 5)),
        (OwnBounds("noir", 20, 30), 1, Bounds(10, 100, 5)),
    ],
)
def test_a_chance_has_bounds_of_its_own(own: OwnBounds, odds: int, expected: Bounds) -> None:
    """What the house sets for a chance takes the place of what holds at the table."""
    built = limits(step=5, per_chance=(own,), odds=(("rouge", Fraction(odds)),))
    assert built.bounds_at(TableBounds(10, 100), OPEN, "rouge") == expected


@pytest.mark.parametrize(
    ("given", "own", "expected"),
    [
        (ChanceBounds("rouge", 30, 80), None, Bounds(30, 80)),
        (ChanceBounds("rouge", 5, 200), None, Bounds(10, 100)),
        (ChanceBounds("rouge"), None, Bounds(10, 100)),
        (ChanceBounds("noir", 30, 80), None, Bounds(10, 100)),
        (ChanceBounds("rouge", 30), OwnBounds("rouge", multiple=4), Bounds(30, 120)),
        (ChanceBounds("rouge", 30, 90), OwnBounds("rouge", multiple=4), Bounds(30, 90)),
    ],
)
def test_an_opening_narrows_the_bounds_of_a_chance(
    given: ChanceBounds, own: OwnBounds | None, expected: Bounds
) -> None:
    """The greater minimum and the lesser maximum of house and opening hold."""
    built = limits(per_chance=(own,) if own else ())
    opening = Opening(per_chance=(given,))
    assert built.bounds_at(TableBounds(10, 100), opening, "rouge") == expected


def test_a_win_is_limited_by_the_odds_of_each_chance() -> None:
    """A chance without odds in the list pays its stake once."""
    built = limits(maximum_payout=50, odds=(("tie", Fraction(8)),))
    assert built.bounds(OPEN, "tie") == Bounds(1, 6, 1, 50)
    assert built.bounds(OPEN, "rouge") == Bounds(1, 50, 1, 50)


# --- what is posted


def test_what_is_posted_is_named_in_order() -> None:
    """The table's bounds first, then those of chances."""
    own = (OwnBounds("rouge", posted=("minimum", "maximum")), OwnBounds("noir", 5))
    built = Limits(MONEY, (TableBounds(None, posted=True),), per_chance=own)
    assert built.posted == ("minimum", "maximum", "rouge.minimum", "rouge.maximum")
    assert built.opening_needed
    assert not limits().opening_needed
    with pytest.raises(BetError) as caught:
        built.table(Opening(per_chance=(ChanceBounds("rouge", None, 9),)))
    error = caught.value
    assert error.message == (
        "this house sets its minimum and its maximum and its rouge.minimum when the table opens"
    )
    assert error.hint == "post what is missing: minimum, maximum, rouge.minimum"
    assert error.code == "opening-needed"


def test_a_table_that_there_is_not_names_those_there_are() -> None:
    """A house of several tables knows which is open by its minimum."""
    tables = (TableBounds(5, 50), TableBounds(10, 100))
    built = Limits(MONEY, tables, by_opening=True)
    assert built.table(Opening(10)) == tables[1]
    assert built.span == (5, 100)
    with pytest.raises(BetError) as caught:
        built.table(Opening(7))
    error = caught.value
    assert error.message == f"no table of this house has a minimum of {text(7)}"
    assert (error.code, error.hint) == ("no-such-table", f"minima are {text(5)}, {text(10)}")
    daily = limits(None, 90)
    assert daily.table(Opening(7)) == TableBounds(7, 90)
    assert daily.table(Opening(7, 80)) == TableBounds(7, 80)
    assert daily.table(Opening(7, 95)) == TableBounds(7, 90)


def test_bounds_are_those_of_the_opening_that_is_asked() -> None:
    """They are kept for one opening: another one, or an equal one, has its own answer."""
    built = limits(None)
    first = built.bounds(Opening(5), "rouge")
    assert first == Bounds(5)
    assert built.bounds(Opening(8), "rouge") == Bounds(8)
    assert built.bounds(Opening(5), "rouge") == first
    assert built.bounds(Opening(5), "rouge") is built.bounds(Opening(5), "rouge")


@pytest.mark.parametrize(
    ("built", "greatest"),
    [
        (limits(None, 105), 105),
        (limits(None, 105, step=10), 100),
        (limits(None), None),
        (limits(None, aggregate_maximum=70), 70),
        (limits(None, 105, table_maximum=70), 70),
        (limits(5, 105), None),
        (limits(None, 105, per_chance=(OwnBounds("rouge", 5),)), None),
        (limits(None, 105, per_chance=(OwnBounds("rouge", posted=("minimum",)),)), None),
        (limits(None, 105, per_chance=(OwnBounds("rouge", None, 60),)), 60),
        (Limits(MONEY, (TableBounds(5, 50), TableBounds(10, 90)), by_opening=True), 90),
        (Limits(MONEY, (TableBounds(5, 0), TableBounds(10, 0)), by_opening=True), 0),
        (Limits(MONEY, (TableBounds(5, 50), TableBounds(10)), by_opening=True), None),
    ],
)
def test_the_greatest_minimum_leaves_a_stake(built: Limits, greatest: int | None) -> None:
    """It is the greatest maximum of all tables, as a multiple of the step; None if any will do."""
    assert built.greatest_minimum("rouge") == greatest


@pytest.mark.parametrize(
    ("built", "units", "expected"),
    [
        (limits(5, 50), 0, Opening(5)),
        (limits(0), 0, Opening(1)),
        (limits(None), 0, Opening(1)),
        (limits(None, step=10), 0, Opening(10)),
        (Limits(MONEY, (TableBounds(None, multiple=10),)), 95, Opening(10)),
        (Limits(MONEY, (TableBounds(None, multiple=10),)), 100, Opening(10)),
        (Limits(MONEY, (TableBounds(None, multiple=10),), step=4), 100, Opening(12)),
        (Limits(MONEY, (TableBounds(5, 50), TableBounds(9, 90)), by_opening=True), 60, Opening(9)),
        (Limits(MONEY, (TableBounds(5, 50), TableBounds(9, 90)), by_opening=True), 50, Opening(5)),
        (Limits(MONEY, (TableBounds(9, 90), TableBounds(5, 50)), by_opening=True), 99, Opening(5)),
        (Limits(MONEY, (TableBounds(5, posted=True),)), 0, Opening(5, 5000)),
        (Limits(MONEY, (TableBounds(5, posted=True),), step=3), 0, Opening(5, 5001)),
        (Limits(MONEY, (TableBounds(5, posted=True),)), 7000, Opening(5, 7000)),
    ],
)
def test_the_lowest_opening(built: Limits, units: int, expected: Opening) -> None:
    """The lowest table of those that take a stake, with a maximum of 1,000 times its minimum."""
    assert built.lowest_opening(units) == expected


BOTH = ("minimum", "maximum")


@pytest.mark.parametrize(
    ("own", "units", "expected"),
    [
        ((OwnBounds("rouge", posted=BOTH),), 0, (ChanceBounds("rouge", 1, 2000),)),
        ((OwnBounds("rouge", posted=BOTH),), 3000, (ChanceBounds("rouge", 1, 3000),)),
        ((OwnBounds("rouge", posted=("minimum",)),), 50, (ChanceBounds("rouge", 1),)),
        (
            (OwnBounds("rouge", multiple=20, posted=("minimum",)),),
            50,
            (ChanceBounds("rouge", 3),),
        ),
        (
            (OwnBounds("rouge", 2500, posted=("maximum",)),),
            0,
            (ChanceBounds("rouge", None, 2500),),
        ),
        ((OwnBounds("rouge", 5),), 0, ()),
    ],
)
def test_an_opening_posts_what_a_chance_needs(
    own: tuple[OwnBounds, ...], units: int, expected: tuple[ChanceBounds, ...]
) -> None:
    """Only what is posted is given: the least minimum, and a maximum that takes a stake."""
    built = limits(2, per_chance=own)
    assert built.opening(2, units).per_chance == expected


def test_a_posted_maximum_leaves_room_for_the_least_of_each_chance() -> None:
    """A chance without a maximum of its own must be open at the table's."""
    table = (TableBounds(2, posted=True),)
    free = Limits(MONEY, table, per_chance=(OwnBounds("tie", 3000),))
    assert free.opening(2).maximum == 3000
    bounded = Limits(MONEY, table, per_chance=(OwnBounds("tie", 3000, 5000),))
    assert bounded.opening(2).maximum == 2000


# --- what the limits say of themselves


@pytest.mark.parametrize(
    ("keys", "told"),
    [
        ({}, (False, False, True)),
        ({"also": lambda *_: ()}, (True, True, False)),
        ({"progression": RAISED}, (False, True, False)),
        ({"aggregate_maximum": 5}, (False, False, False)),
        ({"differential_maximum": 5}, (False, False, False)),
        ({"table_maximum": 5}, (False, False, False)),
        ({"table_most_stakes": 5}, (False, False, False)),
        ({"most_stakes": 5}, (False, False, True)),
    ],
)
def test_what_acceptance_needs_to_know(keys: dict[str, Any], told: tuple[bool, bool, bool]) -> None:
    """Every stake on the table, the coups before, or a stake alone."""
    built = limits(**keys)
    assert (built.sees_all, built.reads_history, built.alone) == told


@frozen(slots=False)
class _Stranger(Limits):
    """Limits of a plugin, which may override anything."""


def test_limits_of_a_plugin_see_every_stake() -> None:
    """A subclass may look at any stake, so nothing is taken by a stake alone."""
    built = _Stranger(MONEY)
    assert (built.sees_all, built.reads_history, built.alone) == (True, True, False)


@pytest.mark.parametrize(
    ("keys", "together"),
    [
        ({}, None),
        ({"aggregate_maximum": 9, "differential_maximum": 7, "table_maximum": 8}, 7),
        ({"aggregate_maximum": 9, "differential_maximum": 7, "table_maximum": 6}, 6),
        ({"aggregate_maximum": 5, "table_maximum": 6}, 5),
        ({"differential_maximum": 7}, 7),
    ],
)
def test_the_maximum_of_a_first_stake(keys: dict[str, int], together: int | None) -> None:
    """It is the least of the maxima of all players together."""
    assert limits(**keys).together == together


def test_the_facts_of_all_limits() -> None:
    """Each limit is a fact with its values, in the order of the rules."""
    own = (
        OwnBounds("rouge", 5, 50, maximum_win=40),
        OwnBounds("tie", multiple=6, posted=("minimum", "maximum")),
    )
    built = limits(
        step=5,
        per_chance=own,
        maximum_payout=1,
        aggregate_maximum=2,
        differential_maximum=3,
        table_maximum=4,
        most_stakes=5,
        table_most_stakes=6,
        progression=Progression(3, Fraction(2)),
        late_bets=True,
        prisoners_move=True,
        associations=True,
        both_sides=False,
    )
    assert list(built.facts(["rouge", "noir"], prisons=True)) == [
        ("whole", {}),
        ("step", {"amount": 5}),
        ("chance_minimum", {"chance": "rouge", "amount": 5}),
        ("chance_maximum", {"chance": "rouge", "amount": 50}),
        ("chance_win", {"chance": "rouge", "amount": 40}),
        ("chance_multiple", {"chance": "tie", "times": 6}),
        ("chance_minimum_posted", {"chance": "tie"}),
        ("chance_maximum_posted", {"chance": "tie"}),
        ("maximum_payout", {"amount": 1}),
        ("aggregate_maximum", {"amount": 2}),
        ("differential_maximum", {"amount": 3}),
        ("table_maximum", {"amount": 4}),
        ("most_stakes", {"count": 5}),
        ("table_most_stakes", {"count": 6}),
        ("one_side", {}),
        ("associations", {}),
        ("progression", {"next": 4, "most": Fraction(2), "reference": 3}),
        ("move_prisoners", {}),
        ("late_bets.until-first-card", {}),
    ]


def test_the_facts_of_the_least_limits() -> None:
    """What has nothing to act on is left out."""
    assert list(limits().facts(["rouge"], prisons=False)) == [
        ("step", {"amount": 1}),
        ("no_progression", {}),
        ("late_bets.refused", {}),
    ]
    told = [name for name, _ in limits(1, 5).facts(["rouge", "noir"], prisons=True)]
    assert told == [
        *("whole", "step", "both_sides", "no_associations", "no_progression"),
        *("prisoners_stay", "late_bets.refused"),
    ]
    joined = limits(maximum_payout=5)
    assert ("count_as_one", {}) in list(joined.facts([], prisons=False))
    assert not has_opposites(["rouge", "inverse"])
    assert has_opposites(["couleur", "inverse"])


@pytest.mark.parametrize(
    ("table", "known"),
    [
        (TableBounds(5), False),
        (TableBounds(5, 9), True),
        (TableBounds(5, multiple=9), True),
        (TableBounds(5, posted=True), True),
    ],
)
def test_a_maximum_is_one_by_whichever_key(table: TableBounds, *, known: bool) -> None:
    """An amount, a multiple, or what the opening posts; of any table."""
    assert Limits(MONEY, (TableBounds(1), table)).has_maximum == known


@pytest.mark.parametrize(
    ("own", "bounded"),
    [
        (OwnBounds("rouge", 5), False),
        (OwnBounds("rouge", posted=("minimum",)), False),
        (OwnBounds("rouge", None, 5), True),
        (OwnBounds("rouge", multiple=5), True),
        (OwnBounds("rouge", posted=("maximum",)), True),
    ],
)
def test_a_chance_is_bounded_by_whichever_key(own: OwnBounds, *, bounded: bool) -> None:
    """Likewise for a chance."""
    assert own.bounded == bounded


# --- building


def test_bounds_of_a_plugin_are_read_as_own_bounds() -> None:
    """A plugin may give plain bounds of a chance."""
    own = OwnBounds("noir", multiple=2)
    built = limits(per_chance=(ChanceBounds("rouge", 5, 9), own))
    assert built.per_chance == (OwnBounds("rouge", 5, 9), own)
    assert built.own("rouge").maximum == 9
    assert built.own("inverse") == OwnBounds("inverse")


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"tables": ()}, "limits of 0 tables with a step of 1"),
        ({"step": 0}, "limits of 1 tables with a step of 0"),
        ({"step": 1.5}, "limits of 1 tables with a step of 1.5"),
        ({"step": True}, "limits of 1 tables with a step of True"),
    ],
)
def test_limits_that_only_a_stranger_can_build_are_refused(
    keys: dict[str, Any], message: str
) -> None:
    """A table at least, and a whole step of one unit at least."""
    with pytest.raises(RuleError) as caught:
        Limits(MONEY, **keys)
    error = caught.value
    assert (error.message, error.code) == (message, "bad-limits")
    assert error.hint == "give at least one table, and a step of at least one unit"


def test_what_a_rule_built_is_limits_with_the_odds_they_need() -> None:
    """The odds are filled in where a win is limited, for the table or for a chance."""
    odds = (("rouge", Fraction(1)),)
    assert limits_of("own", limits(), odds) == limits()
    for built in (limits(maximum_payout=0), limits(per_chance=(OwnBounds("tie", maximum_win=0),))):
        assert limits_of("own", built, odds) == evolve(built, odds=odds)
    with pytest.raises(RuleError) as caught:
        limits_of("own", 7, odds)
    error = caught.value
    assert error.message.startswith("the limit rule 'own' built ")
    assert error.message.endswith(", not Limits")
    assert error.code == "rule-fails"
    assert error.hint == "return trente_rules.core.Limits, or a frozen subclass of it"


@pytest.mark.parametrize(
    ("rule", "field"),
    [
        (Fixed(maximum=amount(50), maximum_multiple=5), "maximum_multiple"),
        (Fixed(maximum="at-opening", maximum_multiple=5), "maximum_multiple"),
        (
            Fixed(per_chance=(ChanceLimit("tie", maximum=amount(5), maximum_multiple=5),)),
            "per_chance.tie.maximum_multiple",
        ),
    ],
)
def test_two_maxima_are_refused(rule: Fixed, field: str) -> None:
    """A maximum is an amount or a multiple, for the table and for a chance."""
    with pytest.raises(RuleError) as caught:
        rule.build(MONEY)
    error = caught.value
    assert error.message == "maximum and maximum_multiple both set the maximum"
    assert (error.code, error.hint, error.field) == ("two-maxima", "keep one of them", field)


@pytest.mark.parametrize(
    ("rule", "code", "field"),
    [
        (Fixed(minimum=amount(10), maximum=amount(9)), "maximum-below-minimum", "maximum"),
        (Fixed(minimum=amount(0), maximum_multiple=9), "no-stake-possible", "maximum_multiple"),
        (
            TableTiers(tables=(TablePair(amount(10), amount(9)),)),
            "maximum-below-minimum",
            "tables",
        ),
    ],
)
def test_a_rule_names_the_key_that_contradicts(rule: Any, code: str, field: str) -> None:
    """The maximum, the multiple, or the tables."""
    with pytest.raises(RuleError) as caught:
        rule.build(MONEY)
    assert (caught.value.code, caught.value.field) == (code, field)


def test_two_tables_of_one_minimum_are_refused() -> None:
    """The opening could not say which is open."""
    pair = TablePair(amount(5), amount(50))
    with pytest.raises(RuleError) as caught:
        TableTiers(tables=(pair, pair)).build(MONEY)
    error = caught.value
    assert (error.message, error.code) == ("two tables have the same minimum", "same-minimum")
    assert error.hint == "the minimum says which table is open: give each a different one"
    assert error.field == "tables"


def test_every_key_of_a_limit_rule_is_built() -> None:
    """Amounts become units, words become what is so."""
    rule = Fixed(
        minimum=amount(5),
        maximum=amount(500),
        step=amount(5),
        both_sides=False,
        associations="allowed",
        move_prisoners=True,
        late_bets="until-first-card",
        progression=RAISED,
        maximum_win=amount(11),
        aggregate_maximum=amount(12),
        differential_maximum=amount(13),
        table_maximum=amount(14),
        most_stakes=15,
        table_most_stakes=16,
        per_chance=(
            ChanceLimit("tie", minimum=amount(6), maximum_multiple=7, maximum_win=amount(8)),
            ChanceLimit("rouge", minimum="at-opening", maximum="at-opening"),
            ChanceLimit("noir", maximum=amount(9)),
        ),
    )
    unit = MONEY.units(amount(1))
    assert rule.build(MONEY) == Limits(
        MONEY,
        (TableBounds(5 * unit, 500 * unit),),
        step=5 * unit,
        per_chance=(
            OwnBounds("tie", 6 * unit, None, 7, 8 * unit),
            OwnBounds("rouge", posted=BOTH),
            OwnBounds("noir", None, 9 * unit),
        ),
        both_sides=False,
        associations=True,
        progression=RAISED,
        prisoners_move=True,
        late_bets=True,
        maximum_payout=11 * unit,
        aggregate_maximum=12 * unit,
        differential_maximum=13 * unit,
        table_maximum=14 * unit,
        most_stakes=15,
        table_most_stakes=16,
    )
    tiers = TableTiers(tables=(TablePair(amount(5), amount(50)), TablePair(amount(9), amount(9))))
    assert tiers.build(MONEY) == Limits(
        MONEY,
        (TableBounds(5 * unit, 50 * unit), TableBounds(9 * unit, 9 * unit)),
        by_opening=True,
    )
    posted = Fixed(minimum="at-opening", maximum="at-opening").build(MONEY)
    assert posted == Limits(MONEY, (TableBounds(None, None, posted=True),))
    assert Fixed().build(MONEY) == Limits(MONEY, (TableBounds(unit),))
    multiple = Fixed(minimum=amount(2), maximum_multiple=1000).build(MONEY)
    assert multiple.tables == (TableBounds(2 * unit, None, 1000),)


@pytest.mark.parametrize(
    ("make", "least"),
    [
        (lambda value: Progression(at_most=Fraction(value)), Fraction(1, 100)),
        (lambda value: Progression(reference=value), 1),
        (lambda value: Fixed(most_stakes=value), 1),
        (lambda value: Fixed(table_most_stakes=value), 1),
        (lambda value: Fixed(maximum_multiple=value), 1),
        (lambda value: ChanceLimit("tie", maximum_multiple=value), 1),
    ],
)
def test_what_is_above_zero_is_taken_and_zero_is_not(make: Any, least: Any) -> None:
    """The least value that a key takes, and the one below it."""
    make(least)
    with pytest.raises(ValueError, match=r"above zero|1 or more"):
        make(type(least)(0))


def test_a_rule_has_a_table() -> None:
    """A list of no tables is refused; the schema says so as well."""
    with pytest.raises(ValueError, match="there is at least one table"):
        TableTiers(tables=())
