"""Limits that are posted when a table opens, and maxima of wins, of chances, of all players."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from typing import Any

import pytest

from trente_rules import (
    Amount,
    BetError,
    ConfigurationError,
    House,
    Opening,
    Stake,
    Table,
    load_house,
    loads_house,
    refusals,
)
from trente_rules.core import ChanceBounds, default_manager
from trente_rules.core.rules.limits import Limits
from trente_rules.fair import SeededShuffler
from trente_rules.players.seats import seat_of
from trente_rules.reports.formats import text as plain_text
from trente_rules.reports.rulebook import rulebook
from trente_rules.reports.sentences import Speech
from trente_rules.simulation.rungs import rungs_of
from trente_rules.table import Command, Cut, Increase, OpenBets, OpenShoe, Place, Withdraw
from trente_rules.testing import opening_of

HEAD = '[house]\nname = "test"\n[refait]\nrule = "half-loss"\n'
PRISON = '[house]\nname = "test"\n[refait]\nrule = "prison"\n[limits]\nrule = "fixed"\n'
LANGUAGES = ("en", "fr", "it", "es", "de")


def house_of(limits: str, more: str = "") -> House:
    """Return a house with a [limits] table."""
    return loads_house(f'{HEAD}{more}\n[limits]\nrule = "fixed"\n{limits}\n')


def stake(units: int, chance: str = "rouge", owner: str = "ann", **more: Any) -> Stake:
    """Make a stake whose id says what it is."""
    return Stake(f"{owner}-{chance}-{units}", owner, chance, units, **more)


def codes(house: House, *stakes: Stake, opening: Opening | None = None) -> list[str]:
    """Return the codes of the refusals of stakes."""
    return [each.code for each in refusals(house, stakes, opening=opening or opening_of(house))]


def test_a_posted_maximum_has_to_be_posted() -> None:
    """D4, D-R1: the error names what is missing, also at a table; with it the maximum acts."""
    house = house_of('minimum = "at-opening"\nmaximum = "at-opening"')
    for opening, missing in ((Opening(), "minimum, maximum"), (Opening(10), "maximum")):
        with pytest.raises(BetError) as error:
            Table(house, opening=opening)
        assert error.value.code == "opening-needed"
        assert error.value.hint == f"post what is missing: {missing}"
    day = Opening(10, 500)
    assert Table(house, opening=day).state.setup.opening == day
    assert codes(house, stake(500), opening=day) == []
    assert codes(house, stake(501), opening=day) == ["above-maximum"]


def test_bounds_of_a_chance_and_the_least_insured_stake_are_posted() -> None:
    """Section 4: any amount may be "at-opening"; each that is missing is named."""
    house = loads_house(
        f'{HEAD}[insurance]\nrule = "rate"\nminimum_stake = "at-opening"\n[limits]\nminimum = 10\n'
        '[limits.per_chance.couleur]\nminimum = "at-opening"\nmaximum = "at-opening"\n'
    )
    with pytest.raises(BetError, match=r"couleur.minimum and its couleur.maximum"):
        house.check_opening(Opening())
    with pytest.raises(BetError, match=r"missing: insurance_minimum"):
        house.opening(per_chance={"couleur": {"minimum": 5, "maximum": 50}})
    day = house.opening(
        per_chance={"couleur": {"minimum": 5, "maximum": 50}}, insurance_minimum=100
    )
    assert codes(house, stake(5, "couleur"), opening=day) == []
    assert codes(house, stake(4, "couleur"), opening=day) == ["below-minimum"]
    assert codes(house, stake(51, "couleur"), opening=day) == ["above-maximum"]
    assert codes(house, stake(5), opening=day) == ["below-minimum"]
    assert codes(house, stake(99, insured=True), opening=day) == ["insurance-below-minimum"]
    assert codes(house, stake(100, insured=True), opening=day) == []
    assert codes(house, stake(5, "couleur"), stake(10)) == []


@pytest.mark.parametrize("units", [1, 999, 54_321])
def test_the_lowest_opening_posts_what_is_needed(units: int) -> None:
    """Its maximum is 1,000 times the minimum, and always takes the stake that is asked for."""
    house = house_of(
        'minimum = "at-opening"\nmaximum = "at-opening"\nstep = 5\n'
        '[limits.per_chance.noir]\nmaximum = "at-opening"\nminimum = 5000'
    )
    opening = house.lowest_opening(units)
    house.check_opening(opening)
    step = 5 * -(-units // 5)
    assert codes(house, stake(step), opening=opening) == []
    assert house.opening_with(20).maximum == 20_000


@pytest.mark.parametrize("units", [0, 7, 1000])
@pytest.mark.parametrize(
    ("limits", "least"),
    [
        ("maximum_multiple = 1\n[limits.per_chance.rouge]\nminimum = 6", 6),
        ("maximum_multiple = 2\nstep = 4\n[limits.per_chance.rouge]\nminimum = 9", 8),
        ("maximum_multiple = 1\n[limits.per_chance.noir]\nmaximum = 5", 1),
        ("maximum_multiple = 1\nstep = 4\naggregate_maximum = 50", 4),
        ("maximum_multiple = 1\nmaximum_win = 50\n[limits.per_chance.noir]\nminimum = 30", 30),
        ("maximum_multiple = 1\ntable_maximum = 50\n[limits.per_chance.noir]\nminimum = 50", 50),
    ],
)
def test_every_house_can_open_with_its_lowest_opening(limits: str, least: int, units: int) -> None:
    """A15.15: the maximum is a multiple of the minimum, and leaves a stake on every chance."""
    house = house_of(f'minimum = "at-opening"\n{limits}\n')
    opening = house.lowest_opening(units)
    house.check_opening(opening)
    assert opening.minimum is not None
    assert opening.minimum >= least
    assert units or opening.minimum == least


@pytest.mark.parametrize(
    ("limits", "key", "fixed"),
    [
        ("maximum = 3\nstep = 5", "limits.step", "maximum = 3\nstep = 0"),
        (
            "step = 5\n[limits.per_chance.rouge]\nminimum = 7\nmaximum_multiple = 1",
            "limits.per_chance.rouge",
            "step = 5\n[limits.per_chance.rouge]\nminimum = 7\nmaximum_multiple = 2",
        ),
        (
            "maximum = 5\n[limits.per_chance.rouge]\nminimum = 10",
            "limits.per_chance.rouge",
            "maximum = 5\n[limits.per_chance.rouge]\nminimum = 10\nmaximum = 10",
        ),
        (
            "maximum_multiple = 1\n[limits.per_chance]\nrouge.minimum = 6\nnoir.maximum = 5",
            "limits.maximum_multiple",
            "maximum_multiple = 2\n[limits.per_chance]\nrouge.minimum = 6\nnoir.maximum = 5",
        ),
    ],
)
def test_a_house_that_no_opening_fits_is_refused(limits: str, key: str, fixed: str) -> None:
    """C7: whatever minimum is posted, some chance takes no stake; the house is at fault."""
    with pytest.raises(ConfigurationError) as caught:
        house_of(f'minimum = "at-opening"\n{limits}\n')
    (fault,) = caught.value.faults
    assert (fault.code, fault.key) == ("no-stake-possible", key)
    house = house_of(f'minimum = "at-opening"\n{fixed}\n')
    house.check_opening(house.lowest_opening())


def test_amounts_of_an_opening_are_written_as_in_a_house() -> None:
    """T8 b: amounts of the currency, not units; a wrong one is named with what was expected."""
    house = loads_house(f'{HEAD}[money]\nunit = "0.50"\n[limits]\nminimum = "at-opening"\n')
    posted = house.opening("12.50", 1000, per_chance={"noir": {"maximum": Amount(Fraction(20))}})
    assert posted == Opening(25, 2000, (ChanceBounds("noir", None, 40),))
    for wrong, code, said in (
        (
            "12.30",
            "not-whole-units",
            "12.30 EUR is not a multiple of 0.50 EUR",
        ),
        ("ten", "bad-amount", "a minimum of 'ten': 'ten' is not an amount"),
        (-1, "bad-amount", "a minimum of '-1': -1 is not an amount"),
    ):
        with pytest.raises(BetError) as error:
            house.opening(wrong)
        assert error.value.code == code
        assert said in error.value.message
        assert error.value.hint
    with pytest.raises(BetError, match="unknown key 'most'"):
        house.opening(1, per_chance={"noir": {"most": 3}})
    with pytest.raises(BetError, match="no chance 'green'"):
        house.opening(1, per_chance={"green": {"maximum": 3}})


MAXIMA = """
minimum = 1
maximum_win = 100
aggregate_maximum = 150
differential_maximum = 60
table_maximum = 200
most_stakes = 17
table_most_stakes = 19
[limits.per_chance.couleur]
maximum_multiple = 5
minimum = 4
[limits.per_chance.inverse]
maximum_win = 7
"""


@pytest.mark.parametrize(
    ("placed", "wanted"),
    [
        ([stake(60)], []),
        ([stake(61)], ["above-differential"]),
        ([stake(100), stake(40, "noir", "bob")], []),
        ([stake(101), stake(50, "noir", "bob")], ["above-maximum"]),
        ([stake(60), stake(41, owner="ann2"), stake(60, "noir", "bob")], []),
        (
            [stake(76), stake(75, owner="bob"), stake(91, "noir", "cid")],
            ["above-aggregate", "above-table-maximum"],
        ),
        ([stake(100), stake(100, "noir", "bob"), stake(4, "couleur")], ["above-table-maximum"]),
        ([stake(20, "couleur")], []),
        ([stake(21, "couleur")], ["above-maximum"]),
        ([stake(3, "couleur")], ["below-minimum"]),
        ([stake(7, "inverse")], []),
        ([stake(8, "inverse")], ["above-maximum"]),
        ([stake(500, state="prison")], ["unknown-state"]),
    ],
)  # fmt: skip
def test_each_maximum_refuses_what_is_above_it(placed: list[Stake], wanted: list[str]) -> None:
    """D-R22, D-R23, D-R25: of a win, of a chance, of all players, of the difference, of a table."""
    assert codes(house_of(MAXIMA), *placed) == wanted


def test_stakes_are_counted_by_player_and_by_table() -> None:
    """T1, T8: numbers of stakes, whatever their amounts; prisoners do not count."""
    house = house_of("most_stakes = 2\ntable_most_stakes = 3")
    five = [Stake(f"{n}", owner, "rouge", 5) for n, owner in enumerate(("a", "b", "a", "a", "c"))]
    found = refusals(house, five)
    assert [(each.code, each.stake) for each in found] == [
        ("above-most-stakes", "3"),
        ("above-table-most-stakes", "3"),
        ("above-table-most-stakes", "4"),
    ]
    assert dict(found[0].values) == {"player": "a", "stakes": 3, "maximum": 2}
    assert refusals(house, five[:3]) == ()
    held = loads_house(PRISON + "most_stakes = 1\ntable_most_stakes = 2\n")
    prisoners = [Stake(f"p{n}", "a", "noir", 5, state="prison") for n in range(3)]
    assert codes(held, *prisoners, stake(5), stake(5, owner="bob")) == []
    assert codes(held, *prisoners, stake(5), stake(6)) == ["above-most-stakes"]


def test_a_table_counts_the_stakes_that_lie_there() -> None:
    """T1: a refused stake is not placed; one may be added to; one withdrawn does not count."""
    table = Table(house_of("most_stakes = 1"))
    commands: list[Command] = [
        OpenShoe.shuffled("1", 6, SeededShuffler("00" * 16)),
        *(Cut(id="2", place=9), OpenBets(id="3")),
        Place(id="4", stake="a", player="ann", chance="rouge", amount=5),
        Increase(id="5", stake="a", amount=5),
        Place(id="6", stake="b", player="bob", chance="rouge", amount=5),
    ]
    for command in commands:
        table.do(command)
    again = Place(id="7", stake="c", player="ann", chance="noir", amount=5)
    with pytest.raises(BetError) as caught:
        table.do(again)
    assert (caught.value.code, caught.value.stake) == ("above-most-stakes", "c")
    table.do(Withdraw(id="8", stake="a"))
    table.do(again)
    assert [each.id for each in table.state.stakes] == ["b", "c"]


def test_a_refusal_for_what_could_be_won_says_so() -> None:
    """The message and the values name the win, not the stake alone."""
    house = house_of(
        "maximum_win = 100", '[[side_bets]]\nid = "tie"\nwins_on = "any-tie"\nodds = "8"\n'
    )
    (refusal,) = refusals(house, [stake(13, "tie")])
    assert refusal.message == "13 EUR on tie could win more than 100 EUR: at most 12 EUR is taken"
    assert dict(refusal.values)["win"] == 100


def test_maxima_hold_at_every_table_of_a_house() -> None:
    """Both limit rules have the keys."""
    house = loads_house(
        f'{HEAD}[limits]\nrule = "tables"\ntables = [{{ minimum = 2, maximum = 41 }}, '
        "{ minimum = 5, maximum = 102 }]\ntable_maximum = 90\nmaximum_win = 100\n"
        "[limits.per_chance.noir]\nmaximum_multiple = 3\n"
    )
    five = house.opening(5)
    assert codes(house, stake(15, "noir"), opening=five) == []
    assert codes(house, stake(16, "noir"), opening=five) == ["above-maximum"]
    assert codes(house, stake(91), opening=five) == ["above-table-maximum"]
    assert codes(house, stake(7, "noir"), opening=house.opening(2)) == ["above-maximum"]


@pytest.mark.parametrize(
    ("limits", "where", "code"),
    [
        ("table_maximum = 10\naggregate_maximum = 10", "aggregate_maximum", "key-cannot-act"),
        (
            "aggregate_maximum = 9\ndifferential_maximum = 9",
            "differential_maximum",
            "key-cannot-act",
        ),
        ("maximum = 100\nmaximum_win = 100", "maximum_win", "key-cannot-act"),
        ("most_stakes = 3\ntable_most_stakes = 3", "most_stakes", "key-cannot-act"),
        ("maximum = 2\nmost_stakes = 8", "most_stakes", "key-cannot-act"),
        (
            "minimum = 5\ntable_maximum = 59\ntable_most_stakes = 11",
            "table_most_stakes",
            "key-cannot-act",
        ),
        ("table_most_stakes = 0", "table_most_stakes", "out-of-range"),
        ("minimum = 10\ntable_maximum = 9", "table_maximum", "no-stake-possible"),
        ("minimum = 10\nmaximum_win = 9", "maximum_win", "no-stake-possible"),
        (
            "[limits.per_chance.noir]\nmaximum = 9\nmaximum_multiple = 9",
            "per_chance.noir.maximum_multiple",
            "two-maxima",
        ),
        ("maximum_win = 0", "maximum_win", "out-of-range"),
    ],
)  # fmt: skip
def test_a_maximum_that_cannot_act_is_a_fault(limits: str, where: str, code: str) -> None:
    """A maximum that another reaches first, and one that no stake can meet, are named."""
    with pytest.raises(ConfigurationError) as error:
        house_of(limits)
    assert (f"limits.{where}", code) in [(each.key, each.code) for each in error.value.faults]


def test_a_differential_needs_a_chance_with_its_opposite() -> None:
    """Alone on the cloth rouge has nothing that it could exceed."""
    with pytest.raises(ConfigurationError, match="no chance has its opposite"):
        house_of("differential_maximum = 5", '[deal]\nchances = ["rouge", "inverse"]\n')


def test_an_opening_that_leaves_no_stake_is_refused_and_can_be_foreseen() -> None:
    """D15 d: 10 at most on inverse: no table opens at 20, and it is known up to which it does."""
    house = loads_house(
        '[house]\nname = "c"\nextends = "france-2007"\n[money]\nunit = "1"\n'
        "[limits.per_chance.inverse]\nmaximum = 10\n"
    )
    assert house.limits_table.greatest_minimum("inverse") == 10
    assert house.limits_table.greatest_minimum("rouge") is None
    assert house.opening(10) == Opening(10)
    with pytest.raises(BetError, match="no stake on inverse is between 20 EUR and 10 EUR"):
        house.opening(20)


def test_a_system_is_played_within_the_maxima() -> None:
    """A martingale starts again where its next bet is above what a chance or the table takes."""
    pytest.importorskip("numba")
    for limits in ("table_maximum = 50", "maximum_win = 50", "aggregate_maximum = 50"):
        seat = seat_of(house_of(f"minimum = 10\n{limits}"), "martingale", base=10)
        rungs = rungs_of(seat, 1000)
        rungs.learn(0)
        assert max(rungs.rungs[: len(rungs), 2]) == 40
    posted = seat_of(house_of('minimum = 10\nmaximum = "at-opening"'), "martingale", base=20)
    assert posted.opening.maximum == 10_000


def said(house: House, language: str, key: str) -> str:
    """Return a sentence of the rules."""
    words = default_manager().language(language)
    return " ".join(Speech(words, house.money, ()).say(key).split())


NO_MAXIMUM = [
    *("campione", "foster-1897", "german-spas-1840", "germany-500", "hoyle-19c", "italian-program"),
    *("italy-prison", "italy-two-prisons", "rouge-et-noir-meyers", "wilhelmsbad-1840"),
]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", [*NO_MAXIMUM, "italy-half-loss", "france-2007", "venezia-online"])
def test_no_sentence_of_the_limits_supposes_a_maximum_that_there_is_not(
    name: str, language: str
) -> None:
    """D5: where there is no maximum no sentence names one; where there is one, it is named."""
    house = load_house(name)
    text = " ".join(plain_text.render(rulebook(house, language)).split())
    none, posted, together = (
        said(house, language, f"limits.{key}")
        for key in ("no_maximum", "maximum_posted", "no_associations")
    )
    assert (none in text) == (name in NO_MAXIMUM)
    assert (together in text) == (name not in NO_MAXIMUM)
    assert (posted in text) == (name == "italy-half-loss")


@pytest.mark.parametrize(
    ("limits", "facts"),
    [
        ("", []),
        ("maximum = 5", ["whole", "no_associations"]),
        ('maximum = "at-opening"', ["whole", "no_associations"]),
        ('maximum = "at-opening"\nassociations = "allowed"', ["whole", "associations"]),
        ("[limits.per_chance.noir]\nmaximum_multiple = 5", ["whole", "no_associations"]),
        ("maximum_win = 5", ["count_as_one"]),
        ('maximum_win = 5\nassociations = "allowed"', []),
        ("both_sides = false", ["count_as_one"]),
        ("progression = { reference = 1 }", ["count_as_one"]),
    ],
)
def test_players_together_are_one_where_something_counts_them(
    limits: str, facts: list[str]
) -> None:
    """D5, the whole kind: the sentence on players who bet together is there where it acts."""
    about = ("whole", "associations", "no_associations", "count_as_one")
    table: Limits = house_of(limits).limits_table
    found = [name for name, _values in table.facts(["rouge", "noir"], prisons=False)]
    assert [name for name in found if name in about] == facts


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_maximum_is_in_the_rules(language: str) -> None:
    """Each new key has its sentence, and the most that a stake wins follows from it."""
    house = house_of(MAXIMA)
    text = plain_text.render(rulebook(house, language))
    for value in (100, 150, 60, 200, 7, 20):
        assert f"{value}\N{NO-BREAK SPACE}EUR" in text, value
    assert "17" in text
    assert "19" in text


def test_what_a_stake_can_win_where_the_maximum_is_posted() -> None:
    """The table of wins names the posted maximum, and what caps it."""
    more = '[[side_bets]]\nid = "tie"\nwins_on = "any-tie"\nodds = "8"\n'
    text = plain_text.render(rulebook(house_of('maximum = "at-opening"\nmaximum_win = 500', more)))
    flat = re.sub("[ \n]+", " ", text)
    assert "as much as the posted maximum, but at most 500\N{NO-BREAK SPACE}EUR" in flat
    assert "8 times the posted maximum, but at most 500\N{NO-BREAK SPACE}EUR" in flat


@pytest.mark.parametrize("per_chance", [{"couleur": 50}, {"couleur": [50]}, ["couleur"], 50])
def test_bounds_that_are_no_table_are_refused(per_chance: Any) -> None:
    """A number where a table of bounds is wanted is a refusal with the form to write."""
    house = load_house("monte-carlo-1911")
    with pytest.raises(BetError, match="is not a table") as caught:
        house.opening(minimum=20, maximum=1000, per_chance=per_chance)
    assert (caught.value.code, caught.value.hint) == (
        "bad-opening",
        'write {"rouge": {"maximum": 100}}',
    )


def test_the_most_a_prisoner_wins_bounds_the_stake() -> None:
    """A prison that pays three for one may win at most what the house allows."""
    house = loads_house(
        '[house]\nname = "x"\n[refait]\nrule = "custom"\n[refait.machine.free]\n'
        'refait = [{ course = "prison", staying = "1", state = "prison" }]\n'
        '[refait.machine.prison]\nwin = [{ course = "paid", returned = "1", pays = "3" }]\n'
        'refait = [{ course = "lost" }]\nclose = [{ course = "closed", returned = "1/2" }]\n'
        '[limits]\nrule = "fixed"\nminimum = 1\nmaximum = 1000\nmaximum_win = 99\n'
    )
    assert codes(house, Stake("a", "p", "rouge", 33)) == []
    assert codes(house, Stake("a", "p", "rouge", 34)) == ["above-maximum"]


def test_an_opening_in_json_is_as_it_is_read_back() -> None:
    """A run that is resumed compares it with what its file holds: lists, not tuples."""
    own = (ChanceBounds("rouge", 10, 500),)
    for opening in (Opening(), Opening(10), Opening(10, 1000), Opening(10, per_chance=own)):
        assert json.loads(json.dumps(opening.to_json())) == opening.to_json()
