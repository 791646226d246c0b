"""The PAR sheet: its figures against published and independent ones."""

from __future__ import annotations

import json
from fractions import Fraction
from functools import cache
from itertools import product

import pytest
from attrs import evolve
from tests.properties.meeting import meets
from tests.properties.shipped import random_house
from tests.whole_units import units, whole_house

from trente_rules import (
    Amount,
    Choice,
    Coup,
    House,
    Opening,
    Stake,
    TrenteError,
    Verdict,
    dumps_house,
    load_house,
    loads_house,
    settle,
)
from trente_rules.core.chances import COUP_VERDICTS
from trente_rules.core.coup import POINTS
from trente_rules.core.machine import Policy
from trente_rules.odds.coup_odds import fresh_shoe
from trente_rules.reports import ParSheet, par_sheet
from trente_rules.reports.document import Folded, Grid, Section
from trente_rules.reports.formats import markdown, text
from trente_rules.reports.par_sheet import StakeFigures, WagerFigures
from trente_rules.reports.par_sheet_json import sheet_json
from trente_rules.reports.par_sheet_layout import sheet_report
from trente_rules.reports.plays import play_words
from trente_rules.testing import coup_with

Q = Fraction(
    45590155731957200269313958556759358571122564966802626914292869,
    2082562887505109154360625935442541570063115663760066608463076250,
)
OTHER_TIES = 0.08770754267557


@cache
def sheet_of(name: str) -> ParSheet:
    """Return the sheet of a shipped house."""
    return par_sheet(load_house(name))


def line_of(
    sheet: ParSheet, chance: str, *, insured: bool = False, first: str = ""
) -> WagerFigures:
    """Return the first wager on a chance whose policy takes a course on the first refait."""
    return next(
        line
        for line in sheet.wagers
        if (line.wager.chance, line.wager.insured) == (chance, insured)
        and line.wager.policy.course("free", Verdict.REFAIT) == first
    )


def stake_of(sheet: ParSheet, amount: int) -> StakeFigures:
    """Return the figures of a stake of an amount in the currency."""
    return next(stake for stake in sheet.stakes if stake.units == units(sheet.house, amount))


def test_points_and_ties_are_those_published() -> None:
    """Six packs: q as an exact fraction, the row and the ties of numbers published."""
    sheet = sheet_of("france-2007")
    assert sheet.deal == "6-packs"
    assert sheet.q == Q
    assert abs(float(sheet.other_ties) - OTHER_TIES) < 1e-14
    assert [line.point for line in sheet.points] == list(POINTS)
    assert [line.refait for line in sheet.points] == [True] + [False] * 9
    assert abs(float(sheet.points[0].row) - 0.148057777076) < 1e-12
    assert abs(float(sheet.points[9].tie) - 0.00263438801535) < 1e-14
    assert sum(line.row for line in sheet.points) == 1


def test_the_infinite_pack_has_its_own_figures() -> None:
    """With replacement q is .021922, once in 45.6162 coups."""
    sheet = par_sheet(load_house("france-2007"), deal="infinite")
    assert abs(float(sheet.q) - 0.021922019082) < 1e-12
    assert sheet.command == "trente par france-2007 --deal infinite"


def test_the_verdicts_of_every_chance_sum_to_one() -> None:
    """Win, lose, apres and refait of each chance, side bets among them."""
    for name in ("france-2007", "venezia-online", "german-spas-1840"):
        for line in sheet_of(name).chances:
            assert line.win + line.lose + line.apres + line.refait == 1


@pytest.mark.parametrize(
    ("house", "insured", "first", "edge", "sd"),
    [
        ("italy-half-loss", False, "", 0.010945685, 0.946443),
        ("italian-program", False, "", 0.021891370, 0.954889),
        ("monte-carlo-1911", False, "prison", 0.010945685, 0.949330),
        ("france-2007", False, "partage", 0.010945685, 0.946443),
        ("france-2007", True, "", 0.01, None),
        ("monte-carlo-1911", True, "", 0.0091229, None),
        ("foster-1897", False, "prison", 0.0110113, None),
        ("hoyle-19c", False, "", 0.0110818, None),
    ],
)
def test_edges_and_deviations_are_those_published(
    house: str,
    insured: bool,  # noqa: FBT001 - a parameter of the test
    first: str,
    edge: float,
    sd: float | None,
) -> None:
    """Six packs: half-loss, prison, all lost, insured, two prisons."""
    line = line_of(sheet_of(house), "rouge", insured=insured, first=first)
    assert abs(float(line.wager.edge) - edge) < 5e-8
    assert line.returned == 1 - line.wager.edge
    if sd is not None:
        assert abs(line.wager.sd - sd) < 5e-7


def test_true_odds_make_the_wager_fair() -> None:
    """A house that paid the true odds of a side bet would have no advantage on it."""
    sheet = sheet_of("venezia-online")
    line = line_of(sheet, "any-apres")
    ties = sum((p.tie for p in sheet.points), Fraction(0))
    assert line.payout_odds == 8
    assert line.true_odds is not None
    assert ties * (1 + line.true_odds) == 1
    assert line.true_odds > line.payout_odds
    even = line_of(sheet, "rouge")
    assert even.true_odds is not None
    (rouge,) = [chance for chance in sheet.chances if chance.chance == "rouge"]
    fair = rouge.win * (1 + even.true_odds) + rouge.apres + rouge.refait / 2
    assert fair == 1


def test_best_and_worst_are_marked_on_each_chance() -> None:
    """U4: the least edge of all, and the least and the greatest of the plays without insurance."""
    for chance in ("rouge", "inverse"):
        lines = [one for one in sheet_of("france-2007").wagers if one.wager.chance == chance]
        edges = [line.wager.edge for line in lines]
        plain = [line.wager.edge for line in lines if not line.wager.insured]
        assert [line.wager.edge for line in lines if line.least_edge] == [min(edges)]
        assert [line.wager.edge for line in lines if line.least_uninsured] == [min(plain)]
        assert [line.wager.edge for line in lines if line.greatest_edge] == [max(plain)]
    (only,) = [one for one in sheet_of("venezia-online").wagers if one.wager.chance == "any-apres"]
    assert only.least_edge
    assert only.least_uninsured
    assert only.greatest_edge


def test_an_insured_play_is_best_only_where_it_loses_the_least_money() -> None:
    """U4: Monte Carlo insures 20 F for 5 F; the nominal 0.912 % holds from 500 F alone."""
    lines = [one for one in sheet_of("monte-carlo-1911").wagers if one.wager.chance == "rouge"]
    insured = [line for line in lines if line.wager.insured]
    assert min(lines, key=lambda line: line.wager.edge) in insured
    assert not any(line.least_edge for line in insured)
    assert any(line.least_edge and line.least_uninsured for line in lines)


def test_the_summary_comes_first_and_says_what_the_insured_edge_holds_for() -> None:
    """U4: best, default, worst and insured of each group of chances, before all sections."""
    report = sheet_report(sheet_of("monte-carlo-1911"))
    first = report.parts[0]
    assert isinstance(first, Section)
    assert first.title == "Summary"
    (table,) = [part for part in first.parts if isinstance(part, Grid)]
    assert table.names == ["wager", "best", "default", "worst", "insured*"]
    assert "* from 500 FRF; 22.80731 % at 20 FRF" in table.caption


def test_a_play_is_named_by_the_courses_it_takes() -> None:
    """A policy of 43 letters is "prison, then partage"; those that read alike keep their places."""
    words = play_words(line.wager for line in sheet_of("campione").wagers)
    assert list(words.values()) == ["prison", "prison, then partage", "partage", "insured"]
    alike = [
        Policy((("free/refait-31", "prison"),)),
        Policy((("free/refait-40", "prison"),)),
    ]
    line = sheet_of("campione").wagers[0].wager
    same = play_words(evolve(line, policy=policy) for policy in alike)
    assert list(same.values()) == ["free/refait-31: prison", "free/refait-40: prison"]


def test_long_fractions_are_folded() -> None:
    """U53: a fraction of 130 digits is under a line that says what it is."""
    report = sheet_report(sheet_of("france-2007"))
    folded = [
        part.title
        for section in report.parts
        if isinstance(section, Section)
        for part in section.parts
        if isinstance(part, Folded)
    ]
    assert folded == [
        "Refait q as an exact fraction",
        "The edges as exact fractions",
        "Every play by stake",
        "By value of the card that leaves",
    ]


def test_volatility_and_bands_follow_z() -> None:
    """The index is z x sd; the band shrinks by the root of the number of coups."""
    house = load_house("italy-half-loss")
    for z in (1.65, 1.96, 2.576):
        line = par_sheet(house, z=z).wagers[0]
        assert abs(line.volatility - z * 0.946443) < 1e-5
        band = line.band(10**6)
        assert band is not None
        assert abs(band.half - line.volatility / 1000) < 1e-12
        assert abs((band.low + band.high) / 2 - float(line.returned)) < 1e-12
    # +-0.01 % at 99 % takes 5.9e8 coups
    assert abs((2.576 * 0.946443 / 1e-4) ** 2 / 5.9e8 - 1) < 0.02


def coup_giving(house: House, verdict: Verdict) -> Coup:
    """Return a coup that gives rouge a verdict."""
    rouge = house.chance("rouge")
    first, second = next(
        (first, second)
        for first, second in product(POINTS, repeat=2)
        if rouge.verdict(coup_with(first, second)) == verdict
    )
    return coup_with(first, second)


def walked(house: House, policy: Policy, stake: Stake, depth: int, net: int = 0) -> list[Fraction]:
    """Follow a stake through ``settle``, whatever comes, for so many coups.

    Answers the probabilities that it ends below itself, equal, above, and that it stands yet.
    """
    if not depth:
        return [Fraction(0)] * 3 + [Fraction(1)]
    odds = fresh_shoe(house.shoe.packs).verdicts(house.chance("rouge").table)
    found = [Fraction(0)] * 4
    for verdict, chance in zip(COUP_VERDICTS, odds, strict=True):
        if not chance:
            continue
        course = "" if stake.insured else policy.course(stake.state, verdict)
        choices = [Choice(stake.id, course, stake.state, verdict)] if course else []
        coup = coup_giving(house, verdict)
        (line,) = settle(house, coup, [stake], choices, opening=Opening(1)).lines
        now = net + line.player_net
        if line.after is None:
            found[(now > 0) - (now < 0) + 1] += chance
        else:
            further = walked(house, policy, line.after, depth - 1, now)
            found = [a + chance * b for a, b in zip(found, further, strict=True)]
    return found


@pytest.mark.parametrize(
    "house",
    [
        *("campione", "foster-1897", "france-2007", "german-spas-1840", "homburg-1860"),
        *("hoyle-19c", "italian-program", "italy-half-loss", "italy-two-prisons"),
        *("monte-carlo-1911", "wilhelmsbad-1840"),
    ],
)
def test_returns_are_those_of_stakes_followed_through_settlement(house: str) -> None:
    """Below, equal, above: the system solved agrees with every course of six coups settled."""
    loaded = load_house(house)
    for line in sheet_of(house).wagers:
        if line.wager.chance != "rouge":
            continue
        placed = Stake("a", "me", "rouge", 512_000, insured=line.wager.insured)
        less, same, more, left = walked(loaded, line.wager.policy, placed, 6)
        assert left < Fraction(1, 50_000)
        assert more == line.more
        assert less <= line.less <= less + left
        assert same <= line.same <= same + left
        assert line.less + line.same + line.more == 1


def test_the_most_that_can_be_won_has_the_premium_taken_off() -> None:
    """One stake at even money; 39 on a point; .99 where a premium of one per cent is kept."""
    assert line_of(sheet_of("italy-half-loss"), "rouge").most_won == 1
    assert line_of(sheet_of("venezia-online"), "exact-apres-31").most_won == 39
    insured = line_of(sheet_of("italy-half-loss"), "rouge", insured=True)
    assert insured.most_won == Fraction(99, 100)
    assert insured.same == 0
    assert insured.less == 1 - insured.more


def of_rounding(rounding: str) -> ParSheet:
    """Return the sheet of a half-loss house that rounds so."""
    written = (
        '[house]\nname = "rounded"\nextends = "italy-half-loss"\n[money]\nunit = "1"\nrounding = '
    )
    return par_sheet(loads_house(f'{written}"{rounding}"\n'))


@pytest.mark.parametrize(("rounding", "times"), [("bank", 1), ("player", 0)])
def test_rounding_makes_half_loss_all_or_nothing_on_one_unit(rounding: str, times: int) -> None:
    """Half of one unit is the bank's or the player's: 2.19 % or 0 %, and a warning is given."""
    sheet = of_rounding(rounding)
    (line,) = [one for one in stake_of(sheet, 1).wagers if not one.wager.insured]
    assert line.wager.edge == times * Q
    assert line.nominal == Q / 2
    assert line.moved
    (even,) = [one for one in stake_of(sheet, 2).wagers if not one.wager.insured]
    assert even.wager.edge == Q / 2
    assert not even.moved
    three = Fraction(2, 3) if rounding == "bank" else Fraction(1, 3)
    (odd,) = [one for one in stake_of(sheet, 3).wagers if not one.wager.insured]
    assert odd.wager.edge == three * Q
    warned = [
        line
        for line in text.render(sheet_report(sheet)).splitlines()
        if "Warning: a stake of 1 EUR" in line
    ]
    assert warned


def test_a_house_that_refuses_to_round_has_no_figures_for_odd_stakes() -> None:
    """Half of an odd stake is no whole unit: refused, and the sheet says so."""
    sheet = of_rounding("refuse")
    odd, even = stake_of(sheet, 25), stake_of(sheet, 100)
    assert odd.wagers == ()
    assert [refusal.code for refusal in odd.refused] == ["inexact"]
    assert even.wagers
    assert "refused: inexact" in text.render(sheet_report(sheet))


def test_stakes_outside_the_limits_are_shown_and_marked() -> None:
    """Venezia online takes 2 to 2,100: one unit has figures, and a refusal beside them."""
    sheet = sheet_of("venezia-online")
    assert sheet.stake_limits == (units(sheet.house, 2), units(sheet.house, 2100))
    assert [r.code for r in stake_of(sheet, 1).refused] == ["below-minimum"]
    assert stake_of(sheet, 1).wagers
    assert stake_of(sheet, 2).named == ("minimum",)
    assert stake_of(sheet, 2100).named == ("maximum",)
    assert not stake_of(sheet, 2100).refused


def test_the_limits_are_those_of_the_rules() -> None:
    """A13 b: every limit is printed, not only minimum and maximum: Venezia online's progression."""
    printed = markdown.render(sheet_report(sheet_of("venezia-online")))
    assert "From bet 4 on, a player may stake in a coup at most 150 %" in printed


def test_a_minimum_set_at_the_opening_refuses_no_stake_that_some_opening_takes() -> None:
    """French tables open with a minimum and take a thousand times it."""
    sheet = par_sheet(load_house("france-2007"), stake=Amount.parse(5000))
    assert sheet.stake_limits == (None, None)
    asked = stake_of(sheet, 5000)
    assert asked.named == ("asked",)
    assert not asked.refused


def test_insurance_by_stake_has_the_least_premium_and_the_least_stake() -> None:
    """Monte Carlo: five francs at least; France: stakes of ten at least; Germany: each 500."""
    old = stake_of(sheet_of("monte-carlo-1911"), 100).insurance
    assert old is not None
    assert (old.premium, old.share, old.refused) == (
        units(sheet_of("monte-carlo-1911").house, 5),
        Fraction(1, 20),
        "",
    )
    small = stake_of(sheet_of("france-2007"), 5).insurance
    assert small is not None
    assert small.refused == "insurance-below-minimum"
    started = stake_of(sheet_of("germany-500"), 101).insurance
    assert started is not None
    assert started.premium == units(sheet_of("germany-500").house, 5)
    assert stake_of(sheet_of("venezia-online"), 10).insurance is None


ROUNDED_SIDE_BET = """
[house]
name = "half-units"
extends = "france-2007"
[money]
unit = "1"
rounding = "refuse"
[limits]
minimum = 10
maximum = 1000
[[side_bets]]
id = "any-apres"
wins_on = "any-tie"
odds = "{odds}"
needs = "simple"
"""


def test_a_stake_with_fewer_choices_stands_beside_the_policies_it_leaves_open() -> None:
    """Ten units: the quarter of a second partage is not whole, so there only prison is offered.

    Beside it stands the least of the policies that begin in prison, not that of partage.
    """
    sheet = par_sheet(loads_house(ROUNDED_SIDE_BET.format(odds="15/2")))
    nominal = {str(line.wager.policy): line.wager.edge for line in sheet.wagers}
    prison = next(
        line
        for line in stake_of(sheet, 10).wagers
        if str(line.wager.policy) == "free/refait: prison"
    )
    assert prison.nominal == nominal["free/refait: prison, prison/refait: partage"]
    assert prison.nominal > nominal["free/refait: partage"]


def test_insurance_is_compared_with_simple_chances_alone() -> None:
    """A side bet that costs the player less than any simple chance is no uninsured stake."""
    sheet = par_sheet(loads_house(ROUNDED_SIDE_BET.format(odds="81/10")))
    stake = stake_of(sheet, 100)
    side = next(line for line in stake.wagers if not line.simple)
    assert side.wager.edge < sheet.q / 2 == stake.least(insured=False)
    assert f"{float(stake.gain or 0):.5f}" == "0.09457"


@pytest.mark.parametrize(("odds", "told"), [("8", True), ("15/2", False)])
def test_side_bets_are_said_to_be_left_out_where_they_are(odds: str, told: bool) -> None:  # noqa: FBT001
    """Only those that pay whole units are."""
    sheet = par_sheet(loads_house(ROUNDED_SIDE_BET.format(odds=odds)))
    assert ("are never rounded, and are left out" in text.render(sheet_report(sheet))) == told


def test_insurance_gains_the_player_what_is_published_where_nothing_is_rounded() -> None:
    """9.457 % of a 1 % premium at a full shoe; a premium rounded up to ten times costs 89 % of it.

    Houses without insurance, and stakes that it is not to be had for, have no gain.
    """
    sheet = sheet_of("france-2007")
    gain = stake_of(sheet, 100).gain
    assert gain == (sheet.q / 2 - Fraction(1, 100)) * 100
    assert f"{float(gain):.5f}" == "0.09457"
    small = stake_of(par_sheet(whole_house("france-2007")), 10).gain
    assert small == sheet.q / 2 * 10 - 1 < 0
    assert stake_of(sheet, 5).gain is None
    assert stake_of(sheet_of("venezia-online"), 100).gain is None


@pytest.mark.parametrize("z", [0, -1, True, "1.96", float("nan"), float("inf"), 11])
def test_a_bad_z_is_refused(z: object) -> None:
    """Anything but a number above 0, at most 10."""
    with pytest.raises(TrenteError) as caught:
        par_sheet(load_house("france-2007"), z=z)  # type: ignore[arg-type]
    assert caught.value.code == "bad-z"


def test_a_stake_of_nothing_and_parts_of_a_unit_are_refused() -> None:
    """A stake is above zero, and a whole number of units."""
    for stake, code in (("0", "bad-amount"), ("2.505", "not-whole-units")):
        with pytest.raises(TrenteError) as caught:
            par_sheet(load_house("france-2007"), stake=Amount.parse(stake))
        assert caught.value.code == code


@pytest.mark.slow
def test_a_bet_on_both_first_colours_leaves_the_effects_of_removal_out() -> None:
    """No fast engine knows its odds: the sheet of such a house has all the rest."""
    bet = (
        '[[side_bets]]\nid = "both"\nwins_on = "outcome"\nodds = "3"\n'
        'on = [{ tie = true, first_card = "rouge", second_card = "noir" }]\n'
    )
    house = loads_house(dumps_house(load_house("thompson")) + bet)
    sheet = par_sheet(house)
    assert house.fingerprint in text.render(sheet_report(sheet))
    assert "Effects of removal" not in text.render(sheet_report(sheet))
    assert json.loads(json.dumps(sheet_json(sheet)))["removal"] == []
    assert "both" in {wager.wager.chance for wager in sheet.wagers}


@pytest.mark.slow
@meets(
    house=random_house(most=20),
    examples=15,
    misses={
        "houses": "a sheet takes seconds; tests.properties.test_every_use has one of each case"
    },
)
def test_any_house_has_a_sheet_that_can_be_written(house: House) -> None:
    """Random machines, premiums, limits and roundings: probabilities stay so, texts are made."""
    sheet = par_sheet(house)
    for line in sheet.wagers:
        assert 0 <= line.less <= 1
        assert 0 <= line.same <= 1
        assert 0 <= line.more <= line.less + line.same + line.more == 1
    for taille in sheet.tailles:
        if taille.coups is not None:
            assert taille.fewest <= taille.coups.value + taille.coups.error
            assert taille.coups.value - taille.coups.error <= taille.most
    assert house.fingerprint in text.render(sheet_report(sheet))
    assert house.fingerprint in markdown.render(sheet_report(sheet))
    assert json.loads(json.dumps(sheet_json(sheet)))["fingerprint"] == house.fingerprint
