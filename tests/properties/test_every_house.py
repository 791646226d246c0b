"""What holds in every house, shipped or random, whatever is staked and dealt."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st
from tests.properties.shipped import any_house, names, shipped

from trente_rules import (
    Colour,
    Coup,
    House,
    Opening,
    Stake,
    TrenteError,
    Verdict,
    close_session,
    courses,
    dumps_house,
    loads_house,
    refusals,
    settle,
    void_coup,
)
from trente_rules.core.chances import COUP_VERDICTS, OPPOSITES
from trente_rules.core.coup import POINTS, outcomes
from trente_rules.core.machine import FREE
from trente_rules.core.settlement import wager_of
from trente_rules.core.stakes import Line
from trente_rules.odds.advantage import advantage
from trente_rules.odds.coup_odds import fresh_shoe
from trente_rules.testing import coup_with, coups, opening_of, stakes


def settle_stake(
    house: House, stake: Stake, verdict: Verdict, course: str = "", *, opening: Opening
) -> Line:
    """Settle one stake by its wager."""
    return wager_of(house, stake).settle(stake, verdict, course, opening=opening)


def on_every_house(test: Callable[..., None]) -> Any:
    """Run a test that takes ``data`` and a house on random houses and on every shipped one."""
    return given(data=st.data(), house=any_house())(test)


@pytest.mark.slow
@on_every_house
def test_settlement_conserves(data: st.DataObject, house: House) -> None:
    """What stood and was paid goes somewhere, and the players' net and the bank's sum to nought."""
    placed = data.draw(stakes(house))
    done = settle(house, data.draw(coups()), placed, opening=opening_of(house))
    assert {line.stake for line in done.lines} == set(placed)
    for line in done.lines:
        went_in = line.stake.standing + line.premium
        came_out = line.returned + line.forfeited + line.staying + line.premium
        assert went_in == came_out
        assert line.staying == (line.after.standing if line.after else 0)
    assert done.players_net + done.bank_net == 0


@pytest.mark.slow
@on_every_house
def test_a_prisoner_is_never_paid(data: st.DataObject, house: House) -> None:
    """Winnings are paid to free stakes that win, and to no other."""
    placed = data.draw(stakes(house))
    for line in settle(house, data.draw(coups()), placed, opening=opening_of(house)).lines:
        wins = line.stake.free and line.verdict is Verdict.WIN
        assert (line.won > 0) <= wins
        if wins and house.chance(line.stake.chance).simple:
            assert line.won == line.stake.amount


@pytest.mark.slow
@on_every_house
def test_never_more_handed_back_than_stands(data: st.DataObject, house: House) -> None:
    """No coup and no close hands back more than stands, and no part is below nought."""
    placed = data.draw(stakes(house))
    opening = opening_of(house)
    done = [
        settle(house, data.draw(coups()), placed, opening=opening),
        close_session(house, placed, opening=opening),
        void_coup(house, placed),
    ]
    for line in (line for settlement in done for line in settlement.lines):
        assert 0 <= line.returned <= line.stake.standing
        parts = (line.won, line.forfeited, line.staying, line.premium_kept, line.premium_returned)
        assert min(parts) >= 0


@pytest.mark.slow
@on_every_house
def test_nothing_stays_when_the_session_closes(data: st.DataObject, house: House) -> None:
    """The close hands back or takes every stake, and a free one whole with its premium's fate."""
    placed = data.draw(stakes(house))
    done = close_session(house, placed, opening=opening_of(house))
    assert done.staying == ()
    for line in done.lines:
        if line.stake.free:
            assert line.returned == line.stake.amount


@pytest.mark.slow
@on_every_house
def test_a_void_coup_changes_nothing(data: st.DataObject, house: House) -> None:
    """After a void free stakes and premiums are back, and prisoners are as they were."""
    placed = data.draw(stakes(house))
    for line in void_coup(house, placed).lines:
        assert (line.won, line.forfeited, line.premium_kept) == (0, 0, 0)
        if line.stake.free:
            assert line.returned == line.stake.amount
        else:
            assert line.after == evolve(line.stake, insured=False, proof=True)


@pytest.mark.slow
@on_every_house
def test_an_insured_refait_is_never_worse(data: st.DataObject, house: House) -> None:
    """On a refait an insured free stake comes back whole: at least what it would uninsured."""
    if Verdict.REFAIT not in house.machine.possible:
        return
    opening = opening_of(house)
    for stake in data.draw(stakes(house)):
        if not house.chance(stake.chance).simple:
            continue
        insured = settle_stake(house, stake, Verdict.REFAIT, opening=opening)
        bare = settle_stake(house, evolve(stake, insured=False), Verdict.REFAIT, opening=opening)
        if insured.insured and stake.free:
            assert insured.returned == stake.amount
        assert insured.returned + insured.staying >= bare.returned + bare.staying


@on_every_house
def test_every_offered_course_settles(data: st.DataObject, house: House) -> None:
    """Each course that is offered can be taken, and the first offered is the default taken."""
    opening = opening_of(house)
    for stake in data.draw(stakes(house)):
        machine = house.wager(stake.chance).machine
        for verdict in (*COUP_VERDICTS, Verdict.CLOSE):
            if verdict not in machine.possible and verdict is not Verdict.CLOSE:
                continue
            offered = courses(house, stake, verdict, opening=opening)
            for course in offered:
                line = settle_stake(house, stake, verdict, course.name, opening=opening)
                assert line.course == course.name
            default = settle_stake(house, stake, verdict, opening=opening)
            assert default.course == offered[0].name


@pytest.mark.slow
@on_every_house
def test_what_stays_can_be_settled_on(data: st.DataObject, house: House) -> None:
    """A stake followed for as long as it stands ends: every coup settles it without an error."""
    opening = opening_of(house)
    standing = tuple(data.draw(stakes(house)))
    for _coup in range(4):
        standing = settle(house, data.draw(coups()), standing, opening=opening).staying
    assert close_session(house, standing, opening=opening).staying == ()


@pytest.mark.slow
@given(house=any_house(), coup=coups())
def test_verdicts_exclude_each_other(house: House, coup: Coup) -> None:
    """Of two opposite chances one wins and one loses, or both are tied alike."""
    for chance in house.chances:
        opposite = OPPOSITES.get(chance.id)
        if opposite not in {other.id for other in house.chances}:
            continue
        pair = {chance.verdict(coup), house.chance(str(opposite)).verdict(coup)}
        assert pair in ({Verdict.WIN, Verdict.LOSE}, {Verdict.APRES}, {Verdict.REFAIT})


@given(house=any_house(), coup=coups())
def test_noir_and_rouge_are_symmetric(house: House, coup: Coup) -> None:
    """With the two rows exchanged, noir has the verdict that rouge had."""
    if not {"rouge", "noir"} <= set(house.deal.chances):
        return
    exchanged = Coup(coup.second, coup.first)
    assert house.chance("noir").verdict(exchanged) == house.chance("rouge").verdict(coup)


@pytest.mark.slow
@given(house=any_house())
def test_a_house_survives_toml_and_pickle(house: House) -> None:
    """Written to TOML and read, or pickled, a house is equal, with the same fingerprint."""
    for again in (loads_house(dumps_house(house)), pickle.loads(pickle.dumps(house))):
        assert again == house
        assert hash(again) == hash(house)
        assert again.fingerprint == house.fingerprint


@pytest.mark.slow
@given(house=any_house())
def test_the_machine_of_a_house_is_whole(house: House) -> None:
    """Shares are 0 to 1 in all, defaults are one a choice, and a win from free is paid whole."""
    machine = house.machine
    for answer in machine.answers:
        assert sum(course.default for course in answer.courses) == 1
        for course in answer.courses:
            assert 0 <= course.returned + course.staying <= 1
            assert course.state in ("", *machine.prisons)
    (won,) = machine.courses(FREE, Verdict.WIN)
    assert won.returned == 1


@pytest.mark.slow
@given(house=any_house())
def test_advantages_are_alike_for_opposites(house: House) -> None:
    """Rouge and noir, couleur and inverse have the very same advantages in a fresh shoe."""
    found = advantage(house, fresh_shoe(house.shoe.packs))
    for chance, opposite in OPPOSITES.items():
        if not {chance, opposite} <= set(house.deal.chances):
            continue
        mine, theirs = (
            [evolve(wager, chance="") for wager in found.wagers if wager.chance == name]
            for name in (chance, opposite)
        )
        assert mine == theirs


@pytest.mark.slow
@given(house=any_house())
def test_no_bank_gains_more_than_the_stake(house: House) -> None:
    """The value of a stake is never below nought nor above what a win pays, premiums apart."""
    for wager in advantage(house, fresh_shoe(house.shoe.packs)).wagers:
        if not wager.insured:
            assert -house.chance(wager.chance).odds <= wager.edge <= 1
        assert wager.variance >= 0


@pytest.mark.slow
@given(house=any_house())
def test_a_large_stake_has_the_nominal_advantage(house: House) -> None:
    """Where no course depends on the minimum, rounding hardly moves a stake of a million units."""
    courses_of = (c for answer in house.machine.answers for c in answer.courses)
    if any(course.not_below == "minimum" for course in courses_of):
        return
    odds = fresh_shoe(house.shoe.packs)
    try:
        large = advantage(house, odds, stake=10**6, opening=opening_of(house))
    except TrenteError:
        if house.name != "random":
            raise
        return  # some random rules bring a stake to more worths than are followed
    nominal = {(w.chance, w.insured, w.policy): w.edge for w in advantage(house, odds).wagers}
    for wager in large.wagers:
        table = house.insurance_table
        if wager.insured and table and (table.started or table.minimum_premium):
            continue
        if house.money.rounding == "refuse":
            continue
        key = (wager.chance, wager.insured, wager.policy)
        assert abs(wager.edge - nominal[key]) < Fraction(1, 10**5)


@pytest.mark.slow
@on_every_house
def test_refusals_never_fail(data: st.DataObject, house: House) -> None:
    """Whatever is staked, the answer is a tuple of refusals with codes and sentences."""
    for refusal in refusals(house, data.draw(stakes(house)), opening=opening_of(house)):
        assert refusal.code == refusal.code.lower()
        assert refusal.message


def reference(house: House, chance: str, outcome: Any) -> Verdict:
    """Return the verdict by the words of the rules, not by the code of the engine."""
    if outcome.first == outcome.second:
        loses = house.deal.refait_on == "any" or outcome.first in house.deal.refait_on
        return Verdict.REFAIT if loses else Verdict.APRES
    first_is_noir = house.deal.first_row == "noir"
    first_wins = outcome.first < outcome.second
    winner = Colour.NOIR if first_wins == first_is_noir else Colour.ROUGE
    card = outcome.first_colour
    if house.deal.couleur == "first-of-winning-row" and not first_wins:
        card = outcome.second_colour
    wins = {
        "noir": winner is Colour.NOIR,
        "rouge": winner is Colour.ROUGE,
        "couleur": winner is card,
        "inverse": winner is not card,
    }
    return Verdict.WIN if wins[chance] else Verdict.LOSE


@pytest.mark.parametrize("name", names())
def test_every_pair_of_points_colours_and_chances(name: str) -> None:
    """All 100 pairs of points x colours of both first cards x the chances of a house."""
    house = shipped(name)
    for outcome in outcomes():
        coup = coup_with(outcome.first, outcome.second, outcome.first_colour, outcome.second_colour)
        placed = [
            Stake(chance.id, "alice", chance.id, 100) for chance in house.chances if chance.simple
        ]
        for line in settle(house, coup, placed, opening=opening_of(house)).lines:
            assert line.verdict is reference(house, line.stake.chance, outcome)


@pytest.mark.parametrize("name", names())
def test_side_bets_of_a_house_win_on_ties_alone(name: str) -> None:
    """A shipped side bet wins only where both points are equal."""
    house = shipped(name)
    for bet in house.side_bets:
        chance = house.chance(bet.id)
        for first in POINTS:
            for second in POINTS:
                won = chance.verdict(coup_with(first, second)) is Verdict.WIN
                point = getattr(bet.wins_on.rule, "point", first)
                assert won == (first == second == point)


def test_a_stake_that_is_refused_has_no_figures() -> None:
    """A house that refuses to round takes no odd stake, so there is nothing to compute for one."""
    text = '[house]\nname = "x"\n[money]\nrounding = "refuse"\n[refait]\nrule = "half-loss"\n'
    house = loads_house(text)
    assert advantage(house, fresh_shoe(6), stake=3).wagers == ()
    assert len(advantage(house, fresh_shoe(6), stake=4).wagers) == 4
