"""The advantage with the dependence within a shoe: what must hold of it, and its error bound."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from importlib import import_module
from random import Random

import pytest

from trente_rules.core.coup import LAST_OPEN_TOTAL, POINTS
from trente_rules.core.errors import TrenteError
from trente_rules.core.house.loading import load_house, loads_house
from trente_rules.core.plugins.manager import default_manager
from trente_rules.odds.advantage import advantage
from trente_rules.odds.coup_odds import fresh_shoe
from trente_rules.odds.sequential import (
    LONGEST,
    UNKNOWN,
    Sequential,
    SequentialWager,
    ShoeLaws,
    after_tie,
    sequential,
)

odds_sequential = import_module("trente_rules.odds.sequential")
"""The module; the package has a function of its name."""
HOUSES = default_manager().names("house")
NO_DEPENDENCE = (
    "acanomas",
    "american-cyclopaedia-1873",
    "boussac-1896",
    "casinoespresso",
    "casinozone",
    "eight-packs-machine",
    "gamblingarena",
    "hoyle-1820",
    "italian-program",
    "italy-dispenser",
    "italy-half-loss",
    "itapoker",
    "jeu-casino",
    "monte-carlo-1911",
    "pierer",
    "poisson-1820",
    "rouge-et-noir-meyers",
    "thompson",
    "venezia-online",
    "wilhelmsbad-1840",
)
"""Half lost, all lost, no refait, a prison in which ties only repeat, a shoe for every coup."""
Q = fresh_shoe(6).tie(31)
T = sum((fresh_shoe(6).tie(point) for point in POINTS[1:]), Fraction(0))
W = (1 - Q - T) / 2


@cache
def found(name: str) -> Sequential:
    """Return the figures of a shipped house."""
    return sequential(load_house(name), opening=load_house(name).lowest_opening())


def prisoner(name: str) -> SequentialWager:
    """Return a stake on rouge that goes to prison at every refait, uninsured."""
    wagers = [one for one in found(name).wagers if one.chance == "rouge" and not one.insured]
    return next(w for w in wagers if all(course == "prison" for _at, course in w.policy.choices))


def ties_after(points: tuple[int, ...]) -> tuple[Fraction, Fraction]:
    """Return P(ordinary tie) and P(refait) of a coup of six packs, given such a tie of another."""
    law = after_tie(6, points).points
    apres = sum((Fraction(law[i][i]) for i in range(1, 10)), Fraction(0))
    return apres, Fraction(law[0][0])


@pytest.mark.slow
@pytest.mark.parametrize("name", HOUSES)
def test_every_shipped_house_answers(name: str) -> None:
    """The wagers are those of the advantage; stakes that do not wait have no difference."""
    house = load_house(name)
    independent = advantage(
        house, fresh_shoe(house.shoe.packs), opening=house.lowest_opening()
    ).wagers
    wagers = found(name).wagers
    assert [(w.chance, w.insured, w.policy, w.edge) for w in independent] == [
        (w.chance, w.insured, w.policy, w.independent) for w in wagers
    ]
    for wager in wagers:
        assert wager.certain, str(wager)
        assert wager.error < Fraction(1, 10**7)
        if wager.insured or dict(wager.policy.choices).get("free/refait") == "partage":
            assert wager.difference == wager.error == 0
    if name in NO_DEPENDENCE:
        assert all(wager.difference == wager.error == 0 for wager in wagers)
    else:
        assert any(wager.difference for wager in wagers)


def test_a_prison_that_only_repeats_costs_half_the_refait_exactly() -> None:
    """Whatever follows, half of the stakes in prison are lost: q/2, no error, any packs."""
    for wager in found("monte-carlo-1911").wagers:
        if not wager.insured:
            assert wager.sequential == Q / 2
    eight = sequential(load_house("monte-carlo-1911"), packs=8)
    assert eight.wagers[0].sequential == fresh_shoe(8).tie(31) / 2


@pytest.mark.slow
def test_every_number_of_packs_has_its_figures() -> None:
    """M17: 1 to 8 packs; a further refait is rarer, the more so the fewer packs there are."""
    added = []
    for packs in range(1, 9):
        found = sequential(load_house("homburg-1860"), packs=packs, chances=["rouge"])
        wager = next(w for w in found.wagers if w.difference)
        assert not found.unknown
        assert wager.certain, packs
        added.append(wager.difference)
    assert added == sorted(added)
    assert added[-1] < 0


def test_packs_without_a_law_leave_out_the_chances_that_need_one() -> None:
    """M17: a reason for each chance, no refusal; a stake that never waits has its figures."""
    house = load_house("homburg-1860")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(odds_sequential, "_stored", no_law)
        after_tie.cache_clear()
        found = sequential(house, packs=6)
        exact = sequential(load_house("monte-carlo-1911"), packs=6)
    after_tie.cache_clear()
    assert found.wagers == ()
    assert [chance for chance, _why in found.unknown] == [chance.id for chance in house.chances]
    assert {why for _chance, why in found.unknown} == {"no law"}
    assert not exact.unknown


def no_law(_packs: int) -> None:
    """Raise what a missing law raises."""
    raise TrenteError("no law", "no-law-after-tie")


def test_one_prison_comes_to_its_series() -> None:
    """Homburg: k ordinary ties after the refait, then win, loss, or the refait that takes all."""
    apres_r, refait_r = ties_after((31,))
    apres_a, _refait_a = ties_after(POINTS[1:])
    refait_a = apres_r * Q / T
    worth, waiting = Fraction(0), Fraction(1)
    for k in range(LONGEST):
        apres = apres_r + k * (apres_a - T)
        refait = refait_r + k * (refait_a - Q)
        worth += waiting * (1 - apres - refait) / 2
        waiting *= apres
    worth += waiting * W / (1 - T)
    wager = prisoner("homburg-1860")
    edge = 1 - (2 * W + T + Q * worth)
    assert abs(wager.sequential - edge) < Fraction(1, 10**15)


def test_a_second_refait_is_rarer_than_the_first() -> None:
    """Rows of 31 take small cards away: every prison that a refait worsens costs less."""
    _apres, refait = ties_after((31,))
    assert refait < Q
    for name in ("france-2007", "homburg-1860", "campione", "foster-1897", "germany-500"):
        assert prisoner(name).difference < 0


def test_the_bound_covers_a_law_that_is_off() -> None:
    """Every law from the third coup on moved by what is not known, either way: still within."""
    apres_r, refait_r = ties_after((31,))
    apres_a, _refait_a = ties_after(POINTS[1:])
    laws = ShoeLaws(load_house("homburg-1860").chance("rouge"), 6)
    wager = prisoner("homburg-1860")
    for sign in (1, -1):
        worth, waiting, apres, refait = Fraction(0), Fraction(1), apres_r, refait_r
        for k in range(LONGEST):
            worth += waiting * (1 - apres - refait) / 2
            waiting *= apres
            off = sign * laws.off(k + 2)
            apres = apres_r + (k + 1) * (apres_a - T)
            refait = refait_r + (k + 1) * (apres_r * Q / T - Q) + off
        edge = 1 - (2 * W + T + Q * (worth + waiting * W / (1 - T)))
        assert 0 < abs(edge - wager.sequential) <= wager.error


def test_what_two_ties_add_up_to_was_measured() -> None:
    """M26: six packs: the third coup is within a few millionths of the first-order law.

    That is far below the deviations of the first order themselves. Where it is not stored the bound
    is the margin times the largest of these.
    """
    laws = ShoeLaws(load_house("homburg-1860").chance("rouge"), 6)
    assert laws.apart is not None
    assert 0 < laws.apart < 5e-6
    assert laws.largest > 1e-4
    assert laws.off(2) == UNKNOWN * laws.apart
    assert laws.off(3) == 3 * laws.off(2)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(odds_sequential, "_stored_pairs", lambda _packs: ())
        assert ShoeLaws(laws.chance, 6).off(2) == UNKNOWN * laws.largest


@pytest.mark.parametrize("packs", [3, 4, 6, 8])
def test_three_ties_of_a_shoe_may_be_exchanged(packs: int) -> None:
    """M26: P(refait, refait, ordinary tie) is the same from two laws made of other samples."""
    pairs = {pair.refaits: pair for pair in odds_sequential._stored_pairs(packs)}
    both, mixed = pairs[2], pairs[1]
    law, fresh = after_tie(packs, (31,)).points, fresh_shoe(packs)
    q, t = float(fresh.tie(31)), float(sum(fresh.tie(point) for point in POINTS[1:]))
    apres = sum(law[i][i] for i in range(1, 10))
    one = q * law[0][0] * sum(both.ties[1:])
    other = q * apres * mixed.ties[0]
    allowed = q * law[0][0] * both.error + q * apres * mixed.error
    assert abs(one - other) < allowed
    assert abs(one - q * q * t) > 10 * allowed


def test_a_prison_of_one_coup_needs_the_stored_law_alone() -> None:
    """Any tie loses the prisoner: no third coup, so the error is that of the stored law."""
    house = loads_house(
        '[house]\nname = "hard"\nextends = "homburg-1860"\n[refait]\ntie = "loses"\n'
    )
    wager = next(w for w in sequential(house).wagers if not w.insured)
    apres, refait = ties_after((31,))
    edge = 1 - (2 * W + T + Q * (1 - apres - refait) / 2)
    assert abs(wager.sequential - edge) < Fraction(1, 10**15)
    assert wager.error == Q * len(POINTS) * Fraction(after_tie(6, (31,)).error)
    assert wager.certain


def test_a_prison_that_a_tie_opens_feels_the_ordinary_ties() -> None:
    """An ordinary tie frees: to the first order half of what its odds change, times q."""
    house = loads_house(
        '[house]\nname = "opened"\nextends = "monte-carlo-1911"\n[refait]\ntie = "frees"\n'
    )
    wager = next(w for w in sequential(house).wagers if not w.insured)
    apres, refait = ties_after((31,))
    # In prison: freed by a win or a tie, again there by a refait; then by independent coups.
    then = (W + T) / (1 - Q)
    worth = (1 - apres - refait) / 2 + apres + refait * then
    assert abs(wager.sequential - (1 - (2 * W + T + Q * worth))) < abs(wager.difference) / 20
    assert wager.difference > 0
    assert wager.certain


def test_a_stake_of_many_units_has_the_nominal_figures() -> None:
    """Rounding aside, a large stake and a nominal one depend alike; and chances can be named."""
    house = load_house("homburg-1860")
    stake = 10**6
    nominal = sequential(house, chances=["noir"]).wagers
    real = sequential(house, chances=["noir"], stake=stake).wagers
    assert [w.stake for w in real] == [stake] * len(nominal)
    for one, other in zip(nominal, real, strict=True):
        assert abs(one.difference - other.difference) < Fraction(1, 10**9)


@pytest.mark.nightly
@pytest.mark.parametrize("second", [(31,), POINTS[1:]])
def test_the_law_of_a_third_coup_is_within_what_is_not_known(second: tuple[int, ...]) -> None:
    """Shoes dealt to a refait and one more tie, what is left computed: the additive law holds.

    The deviation from it, with four standard errors, is below the part that the bound allows for.
    """
    fast = pytest.importorskip("trente_rules.odds.fast")
    pytest.importorskip("numba")
    random = Random(str(second))  # noqa: S311 - test data
    whole = [24] * 9 + [96]

    def dealt(counts: list[int]) -> tuple[list[int], list[int]]:
        cards = [place for place, n in enumerate(counts) for _card in range(n)]
        drawn = iter(random.sample(cards, 2 * (LAST_OPEN_TOTAL + 1)))
        left, ends = list(counts), []
        for _row in range(2):
            total = 0
            while total <= LAST_OPEN_TOTAL:
                place = next(drawn)
                left[place] -= 1
                total += place + 1
            ends.append(total)
        return ends, left

    def after(counts: list[int], points: tuple[int, ...]) -> list[int]:
        while True:
            ends, left = dealt(counts)
            if ends[0] == ends[1] and ends[0] in points:
                return left

    left = [(after(after(whole, (31,)), second), [0] * 10) for _shoe in range(1500)]
    odds = fast.fast_odds_of_many(left, 1)
    by_refait, by_second = ties_after((31,)), ties_after(second)
    off = ShoeLaws(load_house("homburg-1860").chance("rouge"), 6).off(2)
    for at, (cells, base) in enumerate(((range(1, 10), T), (range(1), Q))):
        seen = [sum(one.points[i][i] for i in cells) for one in odds]
        mean = sum(seen) / len(seen)
        error = (sum((p - mean) ** 2 for p in seen) / len(seen) ** 2) ** 0.5
        additive = float(by_refait[at] + by_second[at] - base)
        assert abs(mean - additive) < float(off) + 4 * error


def test_a_law_after_ties_names_their_points() -> None:
    """The name of the deal says what is known of the other coup; ten points are any point."""
    assert after_tie(6, POINTS[:1]).deal == "6-packs after a tie on 31"
    assert after_tie(6, (31, 40)).deal == "6-packs after a tie on 31, 40"
    assert after_tie(6, POINTS).deal == "6-packs after a tie on any point"


def test_no_chance_is_unknown_unless_it_is_named() -> None:
    """A host may build the figures itself: without a list of unknown chances, all are computed."""
    assert Sequential("6-packs", ()).unknown == ()
