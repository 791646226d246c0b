"""Wagers as data: chances with their own odds, commission and losing ties, any side bet (D17)."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Final

import pytest
from attrs import frozen

from trente_rules import (
    ConfigurationError,
    House,
    Named,
    Opening,
    PluginManager,
    RuleError,
    Stake,
    Verdict,
    dumps_house,
    hookimpl,
    load_house,
    loads_house,
    settle,
)
from trente_rules.core.cards import Colour
from trente_rules.core.coup import POINTS, Outcome
from trente_rules.core.errors import Fault
from trente_rules.core.house.schema import house_schema
from trente_rules.core.keys import key
from trente_rules.core.machine import FREE
from trente_rules.core.money import NOUGHT
from trente_rules.odds.advantage import advantage
from trente_rules.odds.coup_odds import fresh_shoe
from trente_rules.odds.sequential import sequential
from trente_rules.records.scorecard import CROSS, EMPTY, ScoreLine
from trente_rules.simulation.arrays import tables
from trente_rules.testing import coup_with

NOIR, ROUGE = Colour.NOIR, Colour.ROUGE
BASE: Final = """
[house]
name = "own"
[refait]
rule = "half-loss"
[limits]
minimum = 1
"""
TIES: Final = '[deal]\nrefait_on = [31, 40]\n[refait.on.40]\nrule = "all-lose"\n'


def a_house(text: str) -> House:
    """Return a house with half loss at 31, and what the text adds."""
    return loads_house(BASE + text)


def result(house: House, chance: str, first: int, second: int, *colours: Colour) -> tuple[int, str]:
    """Return the player's net on a stake of 100 on a chance, and the verdict."""
    coup = coup_with(first, second, *(colours or (NOIR, NOIR)))
    (line,) = settle(
        house, coup, [Stake("a", "ann", chance, 100)], opening=Opening(minimum=1)
    ).lines
    return line.player_net, line.verdict.id


def edge(house: House, chance: str, *, insured: bool = False) -> Fraction:
    """Return the least advantage on a chance of a fresh shoe."""
    wagers = advantage(house, fresh_shoe(6), chances=[chance]).wagers
    return min(wager.edge for wager in wagers if wager.insured == insured)


def raised(text: str) -> tuple[Fault, ...]:
    """Return the faults of a house with this text."""
    with pytest.raises(ConfigurationError) as caught:
        a_house(text)
    return caught.value.faults


def faults(text: str) -> list[tuple[str, str]]:
    """Return the path and code of each fault of a house with this text."""
    return [(fault.key, fault.code) for fault in raised(text)]


def test_commission_is_a_part_of_what_is_won() -> None:
    """D-R2: of 100 won the bank keeps 5; a loss and a refait are as ever."""
    house = a_house('[[chances]]\nid = "rouge"\ncommission = "1/20"\n')
    assert result(house, "rouge", 35, 32) == (95, "win")
    assert result(house, "rouge", 32, 35) == (-100, "lose")
    assert result(house, "rouge", 31, 31) == (-50, "refait")
    assert result(house, "noir", 32, 35) == (100, "win")
    law = fresh_shoe(6)
    tie = sum(law.tie(point) for point in POINTS)
    assert edge(house, "rouge") == edge(house, "noir") + (1 - tie) / 2 / 20


def test_a_chance_has_odds_of_its_own() -> None:
    """D-R3: couleur at 19 to 20 wins 95 of 100."""
    house = a_house('[[chances]]\nid = "couleur"\nodds = "19/20"\n')
    assert result(house, "couleur", 32, 35, NOIR, NOIR) == (95, "win")
    assert result(house, "inverse", 32, 35, ROUGE, NOIR) == (100, "win")
    assert house.fingerprint != a_house("").fingerprint


def test_a_refait_may_spare_a_chance() -> None:
    """D-R8: the refait halves rouge and spares couleur; couleur cannot be insured."""
    house = a_house('[insurance]\nrule = "rate"\n[[chances]]\nid = "couleur"\nrefait_on = []\n')
    assert result(house, "rouge", 31, 31) == (-50, "refait")
    assert result(house, "couleur", 31, 31) == (0, "apres")
    assert edge(house, "couleur") == 0
    assert ("couleur", True) not in house.wagers
    assert ("inverse", True) in house.wagers
    assert house.losing_ties == (31,)


def test_a_spared_chance_has_no_choices() -> None:
    """D-R8: a policy does not choose for a verdict that the chance cannot meet."""
    text = (
        '[house]\nname = "x"\nextends = "france-2007"\n[[chances]]\nid = "couleur"\nrefait_on = []'
    )
    wagers = advantage(loads_house(text), fresh_shoe(6), chances=["couleur"]).wagers
    assert [(str(wager.policy), wager.edge) for wager in wagers] == [("no choice", NOUGHT)]


def test_each_point_may_have_its_refait() -> None:
    """D-R9: 31 halves, 40 takes all; the verdict of 40 is refait-40."""
    house = a_house(TIES)
    assert result(house, "rouge", 31, 31) == (-50, "refait")
    assert result(house, "rouge", 40, 40) == (-100, "refait-40")
    assert result(house, "rouge", 33, 33) == (0, "apres")
    law = fresh_shoe(6)
    assert edge(house, "rouge") == law.tie(31) / 2 + law.tie(40)


def test_insurance_acts_at_every_special_tie() -> None:
    """D-R9: an insured stake is returned at 31 and at 40, and the premium kept as for a refait."""
    house = a_house(TIES + '[insurance]\nrule = "rate"\n')
    for point in (31, 40):
        stake = Stake("a", "ann", "rouge", 100, insured=True)
        (line,) = settle(house, coup_with(point, point), [stake]).lines
        assert (line.course, line.returned, line.premium_kept) == ("insured", 100, 1)
    assert edge(house, "rouge", insured=True) == Fraction(1, 100)


def test_a_prisoner_meets_the_rule_of_the_point() -> None:
    """D-R9: at 40 a prisoner loses as a free stake does, where the rule has no prison itself."""
    house = loads_house(
        '[house]\nname = "x"\nextends = "monte-carlo-1911"\n[deal]\nrefait_on = [31, 40]\n'
        '[refait.on.40]\nrule = "all-lose"\n'
    )
    forty = Verdict("refait-40")
    for state in (FREE, "prison"):
        (course,) = house.machine.courses(state, forty)
        assert (course.name, course.returned, course.staying) == ("lost", NOUGHT, NOUGHT)


def test_the_prisons_of_a_points_rule_are_added() -> None:
    """D-R9: a house of half loss whose 40 imprisons has the prison of that rule, 31 included."""
    house = a_house(TIES.replace('"all-lose"', '"prison"\nlevels = 2'))
    machine = house.machine
    assert machine.prisons == ("prison", "prison-2")
    assert machine.courses(FREE, Verdict("refait-40"))[0].state == "prison"
    assert machine.courses("prison", Verdict("refait-40"))[0].state == "prison-2"
    assert machine.courses("prison", Verdict.REFAIT)[0].state == "prison-2"
    assert machine.courses(FREE, Verdict.REFAIT)[0].returned == Fraction(1, 2)


CUSTOM: Final = """
[house]
name = "custom"
[deal]
refait_on = [31, 40]
[limits]
minimum = 1
[refait]
rule = "custom"
[refait.machine.free]
refait = [{ course = "prison", staying = "1", state = "prison" }]
refait-40 = [{ course = "quarter", returned = "3/4" }]
[refait.machine.prison]
refait = [{ course = "prison", staying = "1", state = "prison" }]
close = [{ course = "closed", returned = "1/2" }]
"""


def test_a_custom_machine_names_the_refait_of_a_point() -> None:
    """D-R9: what a state does not say of refait-40 is what it says of any refait."""
    house = loads_house(CUSTOM)
    assert result(house, "rouge", 40, 40) == (-25, "refait-40")
    assert house.machine.courses("prison", Verdict("refait-40"))[0].name == "prison"
    assert loads_house(dumps_house(house)) == house


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('[refait.on.40]\nrule = "all-lose"', ("refait.on.40", "key-cannot-act")),
        ('[refait.on.30]\nrule = "all-lose"', ("refait.on.30", "unknown-key")),
        ('[refait.on.31]\nrule = "none"', ("refait.on.31.rule", "no-refait-rule")),
        ("[refait.on.31]\nreturned = 1", ("refait.on.31.rule", "missing-key")),
        (
            '[deal]\nrefait_on = [40, 31]\n[refait.on.40]\nrule = "prison"\nagain = "quarter-lost"',
            ("refait.on.40.again", "key-cannot-act"),
        ),
        ('[refait.on.31]\nrule = "all-lose"', ("refait.rule", "key-cannot-act")),
        ('[[chances]]\nid = "rouge"', ("chances.0.id", "key-cannot-act")),
        ('[[chances]]\nid = "pair"\nodds = 2', ("chances.0.id", "bad-choice")),
        ('[[chances]]\nid = "rouge"\ncommission = "1"', ("chances.0.commission", "out-of-range")),
        (
            '[deal]\nchances = ["rouge"]\n[[chances]]\nid = "noir"\nodds = 2',
            ("chances.0.id", "unknown-chance"),
        ),
        (
            '[[chances]]\nid = "rouge"\nodds = 2\n[[chances]]\nid = "rouge"\nodds = 3',
            ("chances.1.id", "double-chance"),
        ),
        ('[chances]\nid = "rouge"', ("chances", "wrong-type")),
        (
            '[[side_bets]]\nid = "x"\nodds = 1\nwins_on = "outcome"',
            ("side_bets.0.on", "missing-key"),
        ),
        (
            (
                '[[side_bets]]\nid = "x"\nodds = 1\nwins_on = "outcome"\n'
                'on = [{ tie = true, winner = "noir" }]'
            ),
            ("side_bets.0.on.0", "key-cannot-act"),
        ),
        (
            (
                '[[side_bets]]\nid = "x"\nodds = 1\nwins_on = "any-tie"\n'
                "pays = [{ first = [31], odds = 2 }, { first = [31], odds = 3 }]"
            ),
            ("side_bets.0.pays.1", "key-cannot-act"),
        ),
        (
            (
                '[[side_bets]]\nid = "x"\nodds = 1\nwins_on = "any-tie"\n'
                "pushes_on = [{ first = [31], second = [32], tie = true }]"
            ),
            ("side_bets.0.pushes_on.0", "key-cannot-act"),
        ),
        (
            '[[side_bets]]\nid = "x"\nodds = 1\nwins_on = "row-point"\npoint = 30',
            ("side_bets.0.point", "out-of-range"),
        ),
    ],
)
def test_what_cannot_act_is_a_fault(text: str, found: tuple[str, str]) -> None:
    """Each new key that says nothing, or nothing possible, is refused with its path."""
    assert found in faults(text)


def test_the_odds_of_a_side_bet_do_not_depend_on_the_cut() -> None:
    """Where the cut decides the first row, no bet is on noir with 31 in the first row."""
    bet = '[deal]\nfirst_row = "cut"\n[[side_bets]]\nid = "x"\nodds = 1\nwins_on = "outcome"\n'
    found = faults(f'{bet}on = [{{ winner = "noir", first = [31] }}]')
    assert found == [("side_bets.0.wins_on", "odds-by-cut")]
    house = a_house(f'{bet}on = [{{ winner = "noir", first_card = "rouge" }}]')
    law = fresh_shoe(6)
    noir, rouge = (
        law.verdicts(house.dealt_first(row).chance("x").table) for row in ("noir", "rouge")
    )
    assert noir == rouge


def test_no_list_of_keys_is_empty() -> None:
    """D15 b: a rule without keys says so."""
    with pytest.raises(ConfigurationError, match="all-lose has no keys of its own"):
        loads_house('[house]\nname = "x"\n[refait]\nrule = "all-lose"\nreturned = "1/2"\n')
    with pytest.raises(ConfigurationError) as caught:
        a_house('[[side_bets]]\nid = "x"\nodds = 1\nwins_on = "any-tie"\nmaximum = 5\n')
    assert "keys are )" not in str(caught.value)


def test_a_list_of_limits_is_shown_its_form() -> None:
    """D15 c: the form of a table per chance is in the hint."""
    with pytest.raises(ConfigurationError, match=r"write \[limits.per_chance.inverse\]"):
        a_house('[[limits.per_chance]]\nchance = "inverse"\nmaximum = 10\n')


SIDE: Final = '[[side_bets]]\nid = "x"\nodds = "8"\n'


@pytest.mark.parametrize(
    ("row", "wins"),
    [
        ("either", {(40, 33), (33, 40), (40, 40)}),
        ("first", {(40, 33), (40, 40)}),
        ("second", {(33, 40), (40, 40)}),
        ("both", {(40, 40)}),
    ],
)
def test_a_side_bet_on_the_point_of_a_row(row: str, wins: set[tuple[int, int]]) -> None:
    """D-R4: the row, or one of the two, ends on the point."""
    house = a_house(f'{SIDE}wins_on = "row-point"\npoint = 40\nrow = "{row}"\n')
    for pair in ((40, 33), (33, 40), (40, 40), (33, 33)):
        assert result(house, "x", *pair) == ((800, "win") if pair in wins else (-100, "lose"))


def test_a_side_bet_on_any_tie_but_one() -> None:
    """D-R5: 31 to 31 loses, every other tie wins."""
    house = a_house(f'{SIDE}wins_on = "any-tie"\nexcept = [31]\n')
    assert result(house, "x", 31, 31) == (-100, "lose")
    assert result(house, "x", 32, 32) == (800, "win")
    assert "except = [" in dumps_house(house)
    bets = house_schema(PluginManager(only=()))["properties"]["side_bets"]
    assert "except" in bets["items"]["properties"]


def test_a_side_bet_with_several_odds() -> None:
    """D-R6: 8 for any tie, 100 at 40, 25 at 31 with a red first card; each less commission."""
    pays = '[{ first = [40], odds = "100" }, { first = [31], first_card = "rouge", odds = "25" }]'
    house = a_house(f'{SIDE}wins_on = "any-tie"\npays = {pays}\n')
    assert result(house, "x", 32, 32) == (800, "win")
    assert result(house, "x", 40, 40) == (10_000, "win-100")
    assert result(house, "x", 31, 31, ROUGE, NOIR) == (2_500, "win-25")
    assert result(house, "x", 31, 31, NOIR, NOIR) == (800, "win")
    law = fresh_shoe(6)
    tie = sum(law.tie(point) for point in POINTS)
    paid = 9 * tie + 92 * law.tie(40) + 17 * law.tie(31) / 2
    assert edge(house, "x") == 1 - paid
    less = a_house(f'{SIDE}wins_on = "any-tie"\ncommission = "1/20"\npays = {pays}\n')
    assert result(less, "x", 40, 40)[0] == 9_500
    assert house.chance("x").odds == 100


def test_a_side_bet_that_is_returned() -> None:
    """D-R7: on a tie the stake comes back, though 31 to 31 would win."""
    on = 'on = [{ winner = "noir", first_card = "rouge" }, { first = [31], second = [31] }]'
    house = a_house(f'{SIDE}wins_on = "outcome"\n{on}\npushes_on = [{{ tie = true }}]\n')
    assert result(house, "x", 31, 31) == (0, "apres")
    assert result(house, "x", 32, 35, ROUGE, NOIR) == (800, "win")
    assert result(house, "x", 32, 35, NOIR, NOIR) == (-100, "lose")
    assert result(house, "x", 35, 32, ROUGE, NOIR) == (-100, "lose")


@frozen
class Sum:
    """A stranger's side bet: both points together."""

    of: int = key(70, "The sum.")

    def wins(self, outcome: Outcome) -> bool:
        """Return whether the points make the sum."""
        return outcome.first + outcome.second == self.of


class Sums:
    """A stranger's plugin."""

    @hookimpl
    def trente_side_bets(self) -> Sequence[Named]:
        """Bring the bet."""
        return [Named("sum", Sum)]


def test_a_side_bet_of_a_plugin_has_the_keys_of_all() -> None:
    """D-R2, D-R6, D-R7: commission, other odds and pushes are for a stranger's bet as well."""
    plugins = PluginManager(only=())
    plugins.register(Sums(), "strangers")
    text = f"""{BASE}[[side_bets]]
id = "x"
wins_on = "sum"
of = 71
odds = "10"
commission = "1/10"
pays = [{{ first = [40], odds = "20" }}]
pushes_on = [{{ tie = true }}]
"""
    house = loads_house(text, plugins=plugins)
    assert result(house, "x", 35, 36) == (900, "win")
    assert result(house, "x", 40, 31) == (1800, "win-20")
    assert result(house, "x", 35, 35) == (0, "apres")
    assert result(house, "x", 35, 37) == (-100, "lose")
    assert loads_house(dumps_house(house), plugins=plugins) == house


def test_conditions_follow_who_wins() -> None:
    """D-R28: where the highest point wins, ``winner`` in a condition is the higher row."""
    on = f'{SIDE}wins_on = "outcome"\non = [{{ winner = "noir" }}]\n'
    house = a_house(f'[deal]\nwins = "highest"\n{on}')
    assert result(house, "x", 35, 32) == (800, "win")
    assert result(house, "noir", 35, 32) == (100, "win")
    assert result(house, "rouge", 35, 32) == (-100, "lose")
    assert result(house, "couleur", 35, 32, NOIR, ROUGE) == (100, "win")


def test_the_first_card_of_the_winning_row_where_the_highest_wins() -> None:
    """D-R28: couleur by the winning row looks at the row of the higher point."""
    house = a_house('[deal]\nwins = "highest"\ncouleur = "first-of-winning-row"\n')
    assert result(house, "couleur", 32, 35, NOIR, ROUGE) == (100, "win")
    assert result(house, "couleur", 32, 35, ROUGE, NOIR) == (-100, "lose")


def test_houses_without_the_new_keys_keep_their_fingerprints() -> None:
    """Compatibility: a table that says what holds anyway leaves the fingerprint as it was."""
    house = a_house("")
    assert a_house('[deal]\nwins = "lowest"\n').fingerprint == house.fingerprint
    same = '[[chances]]\nid = "rouge"\nodds = "2"\ncommission = "1/2"\n'
    assert a_house(same).fingerprint == house.fingerprint


def test_the_score_card_spares_who_is_spared() -> None:
    """D-R8: a refait has a cross in the boxes of the chances that lose, none in the others."""
    met = (
        ("rouge", "refait-40"),
        ("noir", "refait-40"),
        ("couleur", "apres"),
        ("inverse", "apres"),
    )
    line = ScoreLine.of_verdicts(1, met, (40, 40))
    assert [line.mark(chance) for chance, _verdict in met] == [CROSS, CROSS, EMPTY, EMPTY]
    assert line.tie == "refait"


def test_the_dependence_within_a_shoe_of_wagers_that_end_at_once() -> None:
    """A side bet with several odds, and a refait-40 that takes all, wait for no other coup."""
    pays = 'pays = [{ first = [40], odds = "100" }]'
    house = a_house(f'{TIES}{SIDE}wins_on = "any-tie"\n{pays}\n')
    for wager in sequential(house).wagers:
        assert wager.difference == wager.error == 0


def test_the_tables_of_a_simulation_have_the_new_verdicts() -> None:
    """The kernel's tables have a column for refait-40 and for each odds of a side bet."""
    pytest.importorskip("numpy")
    pays = 'pays = [{ first = [40], odds = "100" }]'
    house = a_house(f'{TIES}{SIDE}wins_on = "any-tie"\n{pays}\n')
    arrays = tables(house, None, Opening(minimum=1), None, "all")
    gains = {
        stake.chance: [int(gain) / stake.scale for gain in arrays.gains[row[1]]]
        for stake, row in zip(arrays.wagers, arrays.starts, strict=True)
    }
    assert gains["rouge"] == [1.0, -1.0, 0.0, -0.5, -1.0, 0.0]
    assert gains["x"][:3] == [8.0, -1.0, 100.0]


def test_a_child_may_name_another_rule_for_a_point() -> None:
    """A child's rule for a point replaces its parent's, and "none" takes it away."""
    parent = "[house]\nname = 'x'\nextends = 'monte-carlo-1911'\n[deal]\nrefait_on = [31, 40]\n"
    house = loads_house(f"{parent}[refait.on.40]\nrule = 'prison'\nlevels = 2\n")
    assert [own.point for own in house.refaits] == [40]
    again = loads_house(dumps_house(house))
    assert (again, again.fingerprint) == (house, house.fingerprint)
    assert loads_house(f"{parent}[refait.on]\n40 = 'none'\n").refaits == ()


def test_no_stake_waits_for_a_verdict_it_cannot_meet() -> None:
    """A prison that only an après ends is no prison for a chance that has none."""
    text = CUSTOM.replace("[refait.machine.prison]\n", "[refait.machine.prison]\n" + _KEPT)
    with pytest.raises(ConfigurationError, match="could stay in prison forever"):
        loads_house(text + '[[chances]]\nid = "rouge"\nrefait_on = "any"\n')
    assert loads_house(text).machine.prisons == ("prison",)


_KEPT: Final = (
    'win = [{ course = "stays", staying = "1", state = "prison" }]\n'
    'lose = [{ course = "stays", staying = "1", state = "prison" }]\n'
    'apres = [{ course = "freed", returned = "1" }]\n'
)


def test_a_verdict_of_one_point_knows_it() -> None:
    """``refait-40`` is of the kind refait, of the point 40; other endings name no point."""
    assert Verdict.refait_of(40) == Verdict("refait-40")
    assert Verdict("refait-40").point == 40
    assert [Verdict(name).point for name in ("refait", "refait-black", "win-40", "refait-41")] == [
        None
    ] * 4
    with pytest.raises(RuleError, match="no coup of this house"):
        load_house("france-2007").machine.courses(FREE, Verdict("refait-40"))


BET: Final = '[[side_bets]]\nid = "x"\nodds = 8\nwins_on = '


@pytest.mark.parametrize(
    ("text", "key", "message", "hint"),
    [
        (
            '[[chances]]\nid = "rouge"',
            "chances.0.id",
            "id cannot act: the table has no other key",
            "leave the table out",
        ),
        (
            f'{BET}"outcome"\non = []',
            "side_bets.0.on",
            "on cannot act: it names no outcome",
            "write the outcomes that win, such as [{ tie = true }]",
        ),
        (
            f'{BET}"any-tie"\npays = [{{ tie = false, odds = 2 }}]',
            "side_bets.0.pays.0",
            "pays.0 cannot act: no win is left that meets it",
            "leave pays.0 out",
        ),
        (
            f'{BET}"outcome"\non = [{{}}]',
            "side_bets.0.on.0",
            "on.0 cannot act: it names no condition, so every coup meets it",
            "name what the coup must be, such as tie = true",
        ),
        (
            f'{BET}"any-tie"\npays = [{{ odds = 2 }}]',
            "side_bets.0.pays.0",
            "pays.0 cannot act: it names no condition, so every coup meets it",
            "name what the coup must be, such as tie = true",
        ),
        (
            f'{BET}"any-tie"\npushes_on = "any-tie"',
            "side_bets.0.pushes_on",
            "expected a list, got the text 'any-tie'",
            "write a list of conditions, such as [{ tie = true }]",
        ),
        (
            f'{BET}"any-tie"\npushes_on = {{ tie = true }}',
            "side_bets.0.pushes_on",
            "expected a list, got the table { tie = true }",
            "write [{ tie = true }]",
        ),
        (
            f'{BET}"any-tie"\npushes_on = [{{ first = 40 }}]',
            "side_bets.0.pushes_on.0.first",
            "expected a list, got the whole number 40",
            "write [40]",
        ),
        (
            "[deal]\nrefait_on = 31",
            "deal.refait_on",
            "expected a list or 'any', got the whole number 31",
            "write [31]",
        ),
        (
            '[refait.on.40]\nrule = "all-lose"',
            "refait.on.40",
            "on.40 cannot act: a tie on 40 does not lose",
            "leave the table out",
        ),
        (
            "[limits.per_chance.rouge]",
            "limits.per_chance.rouge",
            "rouge cannot act: it names neither a minimum nor a maximum",
            "leave the table out",
        ),
    ],
)
def test_a_hint_can_be_followed(text: str, key: str, message: str, hint: str) -> None:
    """What to write is TOML, lists are counted as in the path, a key that must be given stays."""
    found = [(fault.key, fault.message, fault.hint) for fault in raised(text)]
    assert (key, message, hint) in found


@pytest.mark.parametrize(
    "lines",
    ['rule = "none"', 'rule = "prison"\nrelease = "one-out"', 'rule = "prison"\ntie = "loses"'],
)
def test_a_fault_in_the_rule_of_a_point_is_told_once(lines: str) -> None:
    """R8: also where the house has a prison, whose courses a prisoner takes at other verdicts."""
    rules = f'[refait]\nrule = "prison"\n[refait.on.40]\n{lines}\n'
    with pytest.raises(ConfigurationError) as caught:
        loads_house(f'[house]\nname = "own"\n[deal]\nrefait_on = [31, 40]\n{rules}')
    (fault,) = caught.value.faults
    name = lines.splitlines()[-1].partition(" ")[0]
    assert fault.key == f"refait.on.40.{name}"


def test_a_key_of_a_point_acts_where_the_house_has_no_such_prison() -> None:
    """The prison of the point's rule is added to the house, with its ties."""
    rule = '[refait.on.40]\nrule = "prison"\ntie = "loses"'
    freed = a_house(f"[deal]\nrefait_on = [31, 40]\n{rule}")
    (course,) = freed.machine.courses("prison", Verdict.APRES)
    assert course.returned + course.staying == NOUGHT
