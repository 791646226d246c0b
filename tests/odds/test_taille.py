"""The law of a whole taille: direct counts, what must hold of any shoe, figures known otherwise."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import product
from math import fsum, pi
from random import Random

import pytest
from tests.odds.prisons import melting
from tests.odds.tailles_counted import counted, farthest, few

from trente_rules import House, load_house, loads_house
from trente_rules.core.coup import LAST_OPEN_TOTAL
from trente_rules.core.errors import RuleError
from trente_rules.core.plugins.manager import default_manager
from trente_rules.odds import taille_nodes
from trente_rules.odds.advantage import advantage
from trente_rules.odds.coup_odds import fresh_shoe
from trente_rules.odds.taille import ROTATIONS, TailleLaw, computed, shapes_of, stored, taille_law
from trente_rules.odds.taille_hold import holds, prison_key, prisons_of
from trente_rules.odds.taille_nodes import PAIRS, PrisonPath, TailleShape, sparse_grid, taille_sums

HOUSES = sorted(default_manager().names("house"))
SIXAIN = (24,) * 9 + (96,)


def law_of(house: House, from_end: int | None = None) -> TailleLaw:
    """Return the law of a house that has tailles."""
    law = taille_law(house, from_end)
    assert law is not None
    return law


def prison(seed: int, states: int) -> PrisonPath:
    """Draw a prison that keeps stakes and gives gains without any pattern."""
    rng = Random(seed)  # noqa: S311 - test data
    both = [1 if i == j else 2 for i, j in PAIRS]

    def line(most: float) -> tuple[float, ...]:
        return tuple(rng.random() * most * times for times in both)

    return PrisonPath(
        tuple(tuple(line(0.5) for _after in range(states)) for _state in range(states)),
        tuple(line(1.0) for _state in range(states)),
    )


FEW = {
    "27 cards, a marker that voids": TailleShape(few({5: 8, 9: 9, 10: 10}), ((24, 24),), 0, 4),
    "30 cards, a marker that lets the coup be finished": TailleShape(
        few({4: 10, 9: 10, 10: 10}), ((14, 28),), 0, 4
    ),
    "24 cards of four values": TailleShape(few({3: 6, 7: 6, 9: 6, 10: 6}), ((22, 22),), 0, 3),
    "40 cards of two values": TailleShape(few({7: 20, 10: 20}), ((40, 40),), 0, 6),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", FEW)
def test_few_cards_agree_with_a_direct_count_to_the_last_digit(name: str) -> None:
    """M23, M24, M25: with the nodes of a whole Fourier sum nothing is left to an estimate."""
    pytest.importorskip("numba")
    shape, kept = FEW[name], prison(7, 3)
    found = _fourier(shape, kept)
    known = counted(shape, kept)
    assert farthest(found[0], known.points) < 1e-12
    assert farthest(found[1], known.law) < 1e-12
    assert abs(found[2] - known.prisons[0]) < 1e-12 * abs(known.prisons[0])


def _fourier(shape: TailleShape, kept: PrisonPath) -> tuple[list[float], list[float], float]:
    """Return points, law and gain from nodes that tell all counts of the cards apart."""
    import numpy as np  # noqa: PLC0415 - of the extra

    from trente_rules.odds import taille_kernel as kernel  # noqa: PLC0415 - compiles

    ((begin, end),) = shape.ends
    cards, values = shape.cards, [v for v, n in enumerate(shape.counts, 1) if n]
    angles = 2 * pi * np.arange(cards + 1) / (cards + 1)
    thetas = np.array([(*theta, 0.0) for theta in product(angles, repeat=len(values) - 1)])
    held = np.array([shape.counts[v - 1] for v in values])
    groups = -(-len(thetas) // kernel.LANES)
    turned = np.zeros((groups * kernel.LANES, 10), complex)
    turned[: len(thetas), [v - 1 for v in values]] = held / cards * np.exp(1j * thetas)
    factors = np.zeros(groups * kernel.LANES, complex)
    factors[: len(thetas)] = np.exp(-1j * thetas @ held)
    weights = np.stack([turned.real, turned.imag], -1).reshape(groups, kernel.LANES, 10, 2)
    nodes = np.ascontiguousarray(weights.transpose(0, 2, 3, 1)), factors.reshape(groups, -1)
    within = np.array(
        [[float(m < begin and m + n <= end) for n in range(63)] for m in range(cards + 1)]
    )
    span = shape.most - shape.fewest + 1
    roots = np.exp(2j * pi * np.arange(span) / span)
    prisons = np.array([kept.moves]), np.array([kept.gains])
    whole, points, marked, gains = kernel.taille_sums(nodes, within, roots, prisons, (3, 31))
    law = np.fft.fft(marked / whole * roots ** -float(shape.fewest)).real / span
    both = np.array([1.0 if i == j else 2.0 for i, j in PAIRS])
    return (points * both / whole.real).tolist(), law.tolist(), float(gains[0] / whole.real)


MANY = {
    "96 cards of three values": {1: 24, 6: 24, 10: 48},
    "96 cards, as many of each": {3: 32, 7: 32, 10: 32},
}


@pytest.mark.slow
@pytest.mark.parametrize("name", MANY)
def test_the_sparse_grid_is_off_by_no_more_than_its_estimated_error(name: str) -> None:
    """M23: against a whole Fourier sum, of as many cards of a value as six packs have."""
    pytest.importorskip("numba")
    shape = TailleShape(few(MANY[name]), ((91, 91),), 2, 12)
    kept = prison(7, 2)
    points, law, gain = _fourier(shape, kept)
    runs = computed(((Fraction(1), shape),), 3, 2, (kept,))
    for figures, true in (
        (runs.figures(lambda s: s.points), points),
        (runs.figures(lambda s: s.law), law),
        (runs.figures(lambda s: s.prisons), [gain]),
    ):
        # An error that is estimated may be small by luck: all figures of a kind are taken together.
        assert farthest([one.value for one in figures], true) <= max(one.error for one in figures)


def test_the_figures_of_six_packs_are_those_known() -> None:
    """M23, M24: 29.0227 coups, .02194 refaits a coup; 28, 29, 30 coups with 3.3, 91.1, 5.6 %."""
    law = law_of(load_house("foster-1897"))
    assert abs(law.coups.value - 29.0227) < 1e-4
    assert abs(law.share.value - 0.02194) < 1e-5
    assert [round(100 * law.law[n], 1) for n in (28, 29, 30)] == [3.3, 91.1, 5.6]


def test_three_packs_have_fourteen_coups() -> None:
    """M23: 14.163 coups in 156 cards."""
    assert abs(law_of(load_house("german-spas-1840")).coups.value - 14.163) < 1e-3


@pytest.mark.parametrize("name", HOUSES)
def test_every_shipped_house_has_its_law_stored(name: str) -> None:
    """Without numba par and compare show whole tailles, prisons included."""
    house = load_house(name)
    wagers = advantage(house, fresh_shoe(house.shoe.packs)).wagers
    if house.shoe.every_coup:
        assert taille_law(house) is None
        assert set(holds(house, wagers)) == {None}
        return
    ((share, shape),) = shapes_of(house.shoe)
    found = stored(shape)
    assert share == 1
    assert found is not None
    assert len(found[0].runs) == ROTATIONS
    assert {prison_key(each) for each in prisons_of(house, wagers)} <= set(found[1])
    assert None not in holds(house, wagers)


@pytest.mark.parametrize("name", HOUSES)
def test_a_law_sums_to_one_and_has_the_mean_of_the_coups(name: str) -> None:
    """M24: no probability is below nought, and the bounds of the shoe rule hold."""
    house = load_house(name)
    law = taille_law(house)
    if law is None:
        return
    assert abs(fsum(law.law) - 1) < 1e-9
    mean = fsum(n * chance for n, chance in enumerate(law.law))
    assert abs(mean - law.coups.value) < 1e-6
    assert all(0 <= chance <= 1 for chance in law.law)
    assert not any(law.law[: house.shoe.sure_coups()])


@pytest.mark.slow
def test_the_first_coup_has_the_odds_of_a_fresh_shoe() -> None:
    """M24: the first coup, begun behind no card, is each pair of points as often as it must."""
    pytest.importorskip("numba")
    joint = fresh_shoe(6).joint()
    sums = taille_sums(TailleShape(SIXAIN, ((1, 312),), 1, 1), 2, 1)
    for place, (i, j) in enumerate(PAIRS):
        p = float(joint[i][j]) * (1 if i == j else 2)
        assert abs(sums.points[place] - p) < 1e-5


def test_the_coups_that_are_not_sure_hold_too_many_refaits() -> None:
    """M24: the first 25 of six packs have 25 q refaits exactly; all that are too many are later."""
    house = load_house("foster-1897")
    law, sure = law_of(house), house.shoe.sure_coups()
    q = float(fresh_shoe(6).tie(31))
    late = (law.refaits.value - sure * q) / (law.coups.value - sure)
    assert q < late < 0.0235


def test_a_marker_that_voids_counts_as_burned_cards() -> None:
    """Five cards behind the marker are five cards fewer, as five that are burned."""
    marked = law_of(load_house("france-2007"))
    burned = law_of(load_house("italy-half-loss"))
    assert marked.coups == burned.coups
    assert (marked.from_end, burned.from_end) == (5, None)


def test_the_mean_over_the_places_of_a_marker_is_between_its_bounds() -> None:
    """M9: a player puts it 20 to 40 cards from the end; the mean is of all 21 places."""
    house = load_house("italian-program")
    low, mean, high = (law_of(house, place) for place in (20, None, 40))
    assert high.coups.value < mean.coups.value < low.coups.value
    assert mean.from_end is None
    for ask in (taille_law, lambda house, place: holds(house, (), place)):
        with pytest.raises(RuleError, match="from the end") as caught:
            ask(house, 41)
        assert caught.value.code == "bad-marker"


def test_a_house_without_a_marker_holds_the_same_wherever_one_would_lie() -> None:
    """M9: there is none to place, so a place that is given changes neither law nor hold."""
    house = load_house("italy-half-loss")
    wagers = advantage(house, fresh_shoe(6), chances=["rouge"]).wagers
    assert taille_law(house, 20) == taille_law(house)
    assert holds(house, wagers, 20) == holds(house, wagers)


def test_half_loss_holds_half_of_the_refaits() -> None:
    """M25: under partage the hold is half of the share of refaits."""
    house = load_house("italy-half-loss")
    wagers = advantage(house, fresh_shoe(6), chances=["rouge"]).wagers
    hold = holds(house, wagers)[0]
    assert hold is not None
    assert abs(hold.value - law_of(house).share.value / 2) < 1e-12


def test_an_insured_stake_costs_the_same_over_whole_tailles() -> None:
    """M25: where the premium is kept at every coup, tailles change nothing."""
    house = load_house("france-2007")
    wagers = [w for w in advantage(house, fresh_shoe(6)).wagers if w.insured]
    for hold in holds(house, wagers):
        assert hold is not None
        assert abs(hold.value - 0.01) < 1e-12


@pytest.mark.slow
def test_prisoners_closed_at_the_end_of_a_shoe_differ_from_those_that_wait() -> None:
    """M25: a stake that is closed comes back whole, one that waits is worth less than half."""
    pytest.importorskip("numba")
    found = []
    for end in ("carry", "close"):
        house = loads_house(
            '[house]\nname = "e"\nextends = "german-spas-1840"\n'
            f'[shoe]\nprisoners_at_end = "{end}"\n'
        )
        wagers = advantage(house, fresh_shoe(3), chances=["rouge"]).wagers
        hold = holds(house, wagers)[0]
        assert hold is not None
        found.append(hold.value)
    assert 1e-4 < abs(found[0] - found[1]) < 1e-2


def test_an_unknown_shape_without_numba_has_no_figure(monkeypatch: pytest.MonkeyPatch) -> None:
    """No guess is printed: the figure is missing, and a sentence says how to get it."""
    import sys  # noqa: PLC0415 - only here

    monkeypatch.setitem(sys.modules, "numba", None)
    monkeypatch.delitem(sys.modules, "trente_rules.odds.taille_kernel", raising=False)
    house = loads_house('[house]\nname = "b"\nextends = "italy-half-loss"\n[shoe]\nburn = 17\n')
    wagers = advantage(house, fresh_shoe(6), chances=["rouge"]).wagers
    assert set(holds(house, wagers)) == {None}


def test_a_prison_that_is_not_stored_has_no_figure_without_numba(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The tailles are those of a shipped house, its prison is not: insured stakes have a figure."""
    import sys  # noqa: PLC0415 - only here

    monkeypatch.setitem(sys.modules, "numba", None)
    monkeypatch.delitem(sys.modules, "trente_rules.odds.taille_kernel", raising=False)
    house = melting("2/3", "1")
    wagers = advantage(house, fresh_shoe(6), chances=["rouge"]).wagers
    for compute in (True, False):
        plain, insured = holds(house, wagers, compute=compute)
        assert plain is None
        assert insured is not None


def test_rows_that_hardly_occur_are_left_out() -> None:
    """M23: no row of more cards than 1 in 10^16 needs; of few cards, every row is looked at.

    By the ways of so many cards to have 30 points or fewer, thirteen ranks as likely.
    """
    open_, ways = [], {0: 1}
    for length in range(1, 32):
        following: Counter[int] = Counter()
        for total, often in ways.items():
            for value in range(1, 11):
                if total + value <= LAST_OPEN_TOTAL:
                    following[total + value] += often * (4 if value == 10 else 1)
        ways = dict(following)
        open_.append(Fraction(sum(ways.values()), 13**length))
    longest = 1 + next(place for place, part in enumerate(open_) if part < Fraction(1, 10**16))
    assert taille_nodes._longest(SIXAIN) == longest == 21
    assert taille_nodes._longest((8,) * 9 + (27,)) == 31
    assert taille_nodes._longest((8,) * 9 + (28,)) < 31


@pytest.mark.parametrize("dimensions", [1, 3, 8])
def test_the_sparse_grid_is_exact_for_low_degrees(dimensions: int) -> None:
    """A level of 2 integrates a normal density times polynomials of five degrees."""
    pytest.importorskip("numpy")
    grid = sparse_grid(dimensions, 2)
    assert abs(fsum(w for _x, w in grid) - 1) < 1e-12
    assert abs(fsum(w * x[0] ** 4 for x, w in grid) - 3) < 1e-12
    if dimensions > 1:
        assert abs(fsum(w * x[0] ** 2 * x[1] ** 2 for x, w in grid) - 1) < 1e-12
    assert {1: 5, 3: 31, 8: 161}[dimensions] == len(grid)
