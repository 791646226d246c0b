"""What holds in every house, shipped or random, whatever is staked and dealt."""

from __future__ import annotations

import pickle
import re
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from inspect import signature
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve
from hypothesis import assume, reject, settings
from hypothesis import strategies as st
from tests.properties.meeting import meets
from tests.properties.shipped import any_house, names, settled, shipped, some_stakes

from trente_rules import (
    Colour,
    Coup,
    House,
    Opening,
    Settlement,
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
from trente_rules.core.chances import COUP_VERDICTS, OPPOSITES, ChanceKeys
from trente_rules.core.coup import POINTS, outcomes
from trente_rules.core.house.house import SideBet
from trente_rules.core.machine import FREE, NO
from trente_rules.core.settlement import wager_of
from trente_rules.core.stakes import Line
from trente_rules.odds.advantage import WagerAdvantage, advantage
from trente_rules.odds.coup_odds import fresh_shoe
from trente_rules.testing import coup_with, coups, opening_of

FEWER = settings().max_examples // 2
"""For exact figures, which take long: half as many examples, by day as by night."""


def settle_stake(
    house: House, stake: Stake, verdict: Verdict, course: str = "", *, opening: Opening
) -> Line:
    """Settle one stake by its wager."""
    return wager_of(house, stake).settle(stake, verdict, course, opening=opening)


def on_every_house(test: Callable[..., None]) -> Any:
    """Run a test on stakes in random houses and in shipped ones, with ``data`` if it asks."""
    more = "data" in signature(test).parameters

    def each(data: st.DataObject, house: House) -> None:
        placed = data.draw(some_stakes(house))
        test(house, placed, **({"data": data} if more else {}))

    each.__name__ = each.__qualname__ = test.__name__
    each.__doc__ = test.__doc__
    return meets(house=any_house())(each)


def conserve(house: House, placed: list[Stake], done: Settlement) -> None:
    """Check that the cash of every player, what lies on the table and the bank sum to nought.

    The bank was handed a premium with each insured stake, before any line said so.
    """
    handed = {
        stake.id: 0 if stake.covered else wager_of(house, stake).premium(stake.worth).units
        for stake in placed
    }
    cash: Counter[str] = Counter()
    richer: Counter[str] = Counter()
    for stake in placed:
        cash[stake.owner] -= stake.standing + handed[stake.id]
        richer[stake.owner] -= stake.standing + handed[stake.id]
    for line in done.lines:
        back = line.returned + line.won + line.premium_returned
        cash[line.stake.owner] += back
        richer[line.stake.owner] += back + (line.after.standing if line.after else 0)
        assert 0 <= line.premium_returned <= handed[line.stake.id]
        assert line.staying == (line.after.standing if line.after else 0)
        richer[line.stake.owner] -= line.player_net
    assert cash.total() + sum(stake.standing for stake in done.staying) + done.bank_net == 0
    assert not any(richer.values()), richer


@on_every_house
def test_settlement_conserves(house: House, placed: list[Stake], data: st.DataObject) -> None:
    """A7: no unit is made or lost, counted by what each player paid in and was paid out."""
    done = settled(house, data.draw(coups()), placed, opening=opening_of(house))
    assert {line.stake for line in done.lines} == set(placed)
    conserve(house, placed, done)


@pytest.mark.parametrize("part", ["premium_kept", "returned", "forfeited", "staying"])
def test_conservation_can_fail(part: str) -> None:
    """A7: a settlement that counts any part of a line twice does not conserve."""
    house = shipped("monte-carlo-1911")
    placed = [
        Stake("a", "alice", "rouge", 1000, insured=True),
        Stake("b", "bob", "noir", 1000),
        Stake("c", "carol", "noir", 1000, state="prison"),
    ]
    for points in ((33, 31), (31, 33), (31, 31)):
        done = settle(house, coup_with(*points), placed, opening=opening_of(house))
        conserve(house, placed, done)
        wrong = evolve(
            done, lines=tuple(evolve(x, **{part: 2 * getattr(x, part)}) for x in done.lines)
        )
        if wrong != done:
            with pytest.raises(AssertionError):
                conserve(house, placed, wrong)
            return
    raise AssertionError(f"no line has {part}")


@pytest.mark.slow
@on_every_house
def test_winners_are_paid(house: House, placed: list[Stake], data: st.DataObject) -> None:
    """A free stake that wins is paid at the odds of its chance, less the commission.

    A prisoner is paid nothing, but in custom machines: there what the course pays for each unit
    that is returned.
    """
    own: dict[str, ChanceKeys | SideBet] = {each.id: each for each in house.chance_keys}
    own |= {each.id: each for each in house.side_bets}
    for line in settled(house, data.draw(coups()), placed, opening=opening_of(house)).lines:
        stake, keys = line.stake, own.get(line.stake.chance)
        wins = stake.free and line.verdict.kind == "win"
        if isinstance(keys, SideBet) and keys.pays:
            assert (line.won > 0) <= wins
        elif stake.free:
            odds = keys.odds * (1 - keys.commission) if keys else Fraction(1)
            assert abs(line.won - wins * stake.amount * odds) < 1
        else:
            met = wager_of(house, stake).courses(stake.state, line.verdict)
            (pays,) = (each.pays for each in met if each.name == line.course)
            assert abs(line.won - line.returned * pays) < 1


@pytest.mark.slow
@on_every_house
def test_never_more_handed_back_than_stands(
    house: House, placed: list[Stake], data: st.DataObject
) -> None:
    """No coup and no close hands back more than stands, and no part is below nought."""
    opening = opening_of(house)
    done = [
        settled(house, data.draw(coups()), placed, opening=opening),
        close_session(house, placed, opening=opening),
        void_coup(house, placed),
    ]
    for line in (line for settlement in done for line in settlement.lines):
        assert 0 <= line.returned <= line.stake.standing
        parts = (line.won, line.forfeited, line.staying, line.premium_kept, line.premium_returned)
        assert min(parts) >= 0


@pytest.mark.slow
@on_every_house
def test_nothing_stays_when_the_session_closes(house: House, placed: list[Stake]) -> None:
    """The close hands back or takes every stake, and a free one whole with its premium's fate."""
    done = close_session(house, placed, opening=opening_of(house))
    assert done.staying == ()
    for line in done.lines:
        if line.stake.free:
            assert line.returned == line.stake.amount


@pytest.mark.slow
@on_every_house
def test_a_void_coup_changes_nothing(house: House, placed: list[Stake]) -> None:
    """After a void free stakes and premiums are back, and prisoners are as they were."""
    for line in void_coup(house, placed).lines:
        assert (line.won, line.forfeited, line.premium_kept) == (0, 0, 0)
        if line.stake.free:
            assert line.returned == line.stake.amount
        else:
            assert line.after == evolve(line.stake, insured=False, proof=True)


@pytest.mark.slow
@on_every_house
def test_an_insured_refait_is_never_worse(house: House, placed: list[Stake]) -> None:
    """On a refait an insured free stake comes back whole: at least what it would uninsured."""
    assume(Verdict.REFAIT in house.machine.possible)
    opening = opening_of(house)
    for stake in placed:
        if not house.chance(stake.chance).simple:
            continue
        insured = settle_stake(house, stake, Verdict.REFAIT, opening=opening)
        plain = evolve(stake, insured=False, covered=False)
        bare = settle_stake(house, plain, Verdict.REFAIT, opening=opening)
        if insured.insured and stake.free:
            assert insured.returned == stake.amount
        assert insured.returned + insured.staying >= bare.returned + bare.staying


@on_every_house
def test_every_offered_course_settles(house: House, placed: list[Stake]) -> None:
    """Each course that is offered can be taken, and the first offered is the default taken."""
    opening = opening_of(house)
    for stake in placed:
        machine = house.wager(stake.chance).machine
        for verdict in (*COUP_VERDICTS, Verdict.CLOSE):
            if verdict not in machine.possible and verdict != Verdict.CLOSE:
                continue
            offered = courses(house, stake, verdict, opening=opening)
            for course in offered:
                line = settle_stake(house, stake, verdict, course.name, opening=opening)
                assert line.course == course.name
            default = settle_stake(house, stake, verdict, opening=opening)
            assert default.course == offered[0].name


@pytest.mark.slow
@on_every_house
def test_what_stays_can_be_settled_on(
    house: House, placed: list[Stake], data: st.DataObject
) -> None:
    """A stake followed for as long as it stands ends: every coup settles it without an error."""
    opening = opening_of(house)
    standing = tuple(placed)
    for _coup in range(4):
        standing = settled(house, data.draw(coups()), standing, opening=opening).staying
    assert close_session(house, standing, opening=opening).staying == ()


@pytest.mark.slow
@meets(house=any_house(), coup=coups())
def test_verdicts_exclude_each_other(house: House, coup: Coup) -> None:
    """Of two opposite chances one wins and one loses, or both are tied; one may be spared."""
    for chance in house.chances:
        opposite = OPPOSITES.get(chance.id)
        if opposite not in {other.id for other in house.chances}:
            continue
        pair = {chance.verdict(coup).kind, house.chance(str(opposite)).verdict(coup).kind}
        assert pair == {"win", "lose"} or pair <= {"push", "tie"}
        if not house.chance_keys:
            assert pair in ({"win", "lose"}, {"push"}, {"tie"})


@meets(house=any_house(), coup=coups())
def test_noir_and_rouge_are_symmetric(house: House, coup: Coup) -> None:
    """With the two rows exchanged, noir has the verdict that rouge had."""
    assume({"rouge", "noir"} <= set(house.deal.chances))
    exchanged = Coup(coup.second, coup.first)
    noir, rouge = house.chance("noir"), house.chance("rouge")
    assume(noir.losing_ties == rouge.losing_ties)
    assert noir.verdict(exchanged) == rouge.verdict(coup)


@pytest.mark.slow
@meets(house=any_house())
def test_a_house_survives_toml_and_pickle(house: House) -> None:
    """Written to TOML and read, or pickled, a house is equal, with the same fingerprint."""
    for again in (loads_house(dumps_house(house)), pickle.loads(pickle.dumps(house))):
        assert again == house
        assert hash(again) == hash(house)
        assert again.fingerprint == house.fingerprint


@pytest.mark.slow
@meets(house=any_house())
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
@meets(house=any_house(), examples=FEWER)
def test_advantages_are_alike_for_opposites(house: House) -> None:
    """Rouge and noir, couleur and inverse have the very same advantages in a fresh shoe."""
    found = advantage(house, fresh_shoe(house.shoe.packs))
    for chance, opposite in OPPOSITES.items():
        own = [house.chance(name) for name in (chance, opposite) if name in house.deal.chances]
        alike = {(each.losing_ties, each.odds) for each in own}
        if len(own) == 1 or len(alike) != 1:
            continue
        mine, theirs = (
            [evolve(wager, chance="") for wager in found.wagers if wager.chance == name]
            for name in (chance, opposite)
        )
        assert mine == theirs


@pytest.mark.slow
@meets(house=any_house(), examples=FEWER)
def test_no_bank_gains_more_than_the_stake(house: House) -> None:
    """The value of a stake is never below nought nor above what a win pays, premiums apart."""
    for wager in advantage(house, fresh_shoe(house.shoe.packs)).wagers:
        if not wager.insured:
            assert -house.chance(wager.chance).odds <= wager.edge <= 1
        assert wager.variance >= 0


def play_of(wager: WagerAdvantage) -> object:
    """Return what is played: a stake too large to be insured has no choice to insure it."""
    choices = [choice for choice in wager.policy.choices if choice[1] != NO]
    return wager.chance, wager.insured, tuple(choices)


@pytest.mark.slow
@meets(
    house=any_house(),
    examples=FEWER,
    misses={"a course is offered from the minimum on": "the nominal figures know no minimum"},
)
def test_a_large_stake_has_the_nominal_advantage(house: House) -> None:
    """Where no course depends on the minimum, rounding hardly moves a stake of a million units."""
    courses_of = (c for answer in house.machine.answers for c in answer.courses)
    assume(all(course.offered_from != "minimum" for course in courses_of))
    odds = fresh_shoe(house.shoe.packs)
    try:
        large = advantage(house, odds, stake=10**6, opening=opening_of(house))
    except TrenteError:
        if house.name != "random":
            raise
        reject()  # some random rules bring a stake to more worths than are followed
    nominal = {play_of(wager): wager.edge for wager in advantage(house, odds).wagers}
    for wager in large.wagers:
        table = house.insurance_table
        insured = wager.insured or wager.policy.insured
        if insured and table and (table.started or table.minimum_premium or table.maximum_premium):
            continue
        if house.money.rounding == "refuse":
            continue
        assert abs(wager.edge - nominal[play_of(wager)]) < Fraction(1, 10**5)


@pytest.mark.slow
@on_every_house
def test_refusals_never_fail(house: House, placed: list[Stake]) -> None:
    """Refusals name placed stakes and documented codes; without those stakes all is accepted."""
    opening = opening_of(house)
    for _round in range(len(placed) + 1):
        refused = refusals(house, placed, opening=opening)
        ids = {stake.id for stake in placed}
        for refusal in refused:
            assert refusal.code in DOCUMENTED
            assert refusal.stake in ids
            assert str(refusal) == f"{refusal.message} [{refusal.code}]"
        placed = [stake for stake in placed if stake.id not in {each.stake for each in refused}]
    assert refusals(house, placed, opening=opening) == ()


ERRORS = Path(__file__).parents[2] / "docs" / "errors.md"
DOCUMENTED = set(re.findall(r"`([a-z0-9-]+)`", ERRORS.read_text("utf-8")))


def _reference_tie(house: House, chance: str, point: int) -> Verdict:
    losing = house.deal.refait_on
    for own in house.chance_keys:
        if own.id == chance and own.refait_on is not None:
            losing = own.refait_on
    if losing != "any" and point not in losing:
        return Verdict.APRES
    special = point in [each.point for each in house.refaits]
    return Verdict(f"refait-{point}") if special else Verdict.REFAIT


def reference(house: House, chance: str, outcome: Any) -> Verdict:
    """Return the verdict by the words of the rules, not by the code of the engine."""
    if outcome.first == outcome.second:
        return _reference_tie(house, chance, outcome.first)
    first_is_noir = house.deal.first_row == "noir"
    lowest = house.deal.wins == "lowest"
    first_wins = outcome.first < outcome.second if lowest else outcome.first > outcome.second
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
                won = chance.verdict(coup_with(first, second)) == Verdict.WIN
                point = getattr(bet.wins_on.rule, "point", first)
                assert won == (first == second == point)


def test_a_stake_that_is_refused_has_no_figures() -> None:
    """A house that refuses to round takes no odd stake, so there is nothing to compute for one."""
    text = '[house]\nname = "x"\n[money]\nrounding = "refuse"\n[refait]\nrule = "half-loss"\n'
    house = loads_house(text)
    assert advantage(house, fresh_shoe(6), stake=3).wagers == ()
    assert len(advantage(house, fresh_shoe(6), stake=4).wagers) == 4
