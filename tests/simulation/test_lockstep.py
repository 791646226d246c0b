"""Shoes in lockstep: their law, the same coups for every house, prisoners as one automaton."""

from __future__ import annotations

from typing import Final

import pytest
from attrs import evolve

pytest.importorskip("numba")

import numpy as np

from trente_rules import House, Opening, load_house
from trente_rules.core import default_manager
from trente_rules.odds.coup_odds import fresh_shoe
from trente_rules.simulation import prisoners
from trente_rules.simulation.arrays import kinds_of, tables
from trente_rules.simulation.flat import orders, played_together, simulate

SEED: Final = 20_261
FAR: Final = 4.0
"""Standard deviations; of a few tests, one in some thousand runs is further away by chance."""
RARE: Final = 20.0
"""Outcomes that are expected less often are taken together."""


def squares(counts: np.ndarray, expected: np.ndarray) -> float:
    """Return how many standard deviations chi-square lies above its mean."""
    often = expected > RARE
    found = np.append(counts[often], counts[~often].sum())
    wanted = np.append(expected[often], expected[~often].sum())
    keep = wanted > 0
    square = float((((found - wanted) ** 2)[keep] / wanted[keep]).sum())
    free = int(keep.sum()) - 1
    return (square - free) / float(np.sqrt(2 * free))


def law_holds(name: str, shoes: int) -> None:
    """Compare the 400 outcomes of first coups, and of other sure coups, with the exact law."""
    house = load_house(name)
    made = tables(house, None, Opening(), None, "default")
    law = fresh_shoe(house.shoe.packs)
    chances = np.array([float(law.probability(outcome)) for outcome in range(400)])
    ((counts, *_others),) = played_together([made], SEED, 0, shoes, shoes)
    for kind, coups in enumerate((1, house.shoe.sure_coups() - 1)):
        dealt = counts[kind]
        assert bool(dealt.sum()) == bool(coups), (name, kind, SEED)
        if not coups:  # a machine shuffles before each coup: none is later
            continue
        assert abs(squares(dealt, chances * dealt.sum())) < FAR, (name, kind, SEED)


@pytest.mark.slow
def test_outcomes_have_the_law_of_a_fresh_shoe() -> None:
    """P3: chi-square of all 400 outcomes, first coups and sure coups apart."""
    law_holds("france-2007", 40_000)


@pytest.mark.nightly
@pytest.mark.parametrize("name", ["france-2007", "german-spas-1840", "eight-packs-machine"])
def test_outcomes_have_the_law_of_a_fresh_shoe_to_many_digits(name: str) -> None:
    """P3: the same of many coups, of three numbers of packs."""
    law_holds(name, 1_000_000)


def test_orders_hold_whole_packs_and_every_place_is_alike() -> None:
    """P3: each order is a permutation of the packs; kinds and cards have no favourite place."""
    found = orders(1, SEED, 0, 2000)
    assert (np.sort(found, axis=1) == np.sort(found[0])).all()
    ranks = np.argsort(found, axis=1)
    places = np.array([np.bincount(ranks[:, card], minlength=52) for card in range(52)])
    expected = np.full(52 * 52, len(found) / 52)
    assert abs(squares(places.ravel(), expected)) < FAR
    kinds = np.bincount(kinds_of(found[:, 0]), minlength=20)
    assert (
        abs(squares(kinds, np.bincount(kinds_of(found[0]), minlength=20) * len(found) / 52)) < FAR
    )


@pytest.mark.slow
def test_houses_of_equal_packs_deal_the_same_coups() -> None:
    """M5: the error of a difference is not larger because houses burn or mark differently."""
    house = load_house("italy-half-loss")
    plain = evolve(house, shoe=evolve(house.shoe, burn=0))
    marked = evolve(house, shoe=load_house("france-2007").shoe)
    first = load_house("france-2007")
    options = {"coups": 60_000, "seed": SEED, "chances": ["rouge", "noir"], "policies": "default"}
    found = simulate([first, house, plain, marked], **options)  # type: ignore[arg-type]
    errors = [pair.standard_error or 0.0 for pair in found.differences if not pair.insured]
    assert len(errors) == 3
    assert 0 < max(errors) < min(0.003, 1.5 * min(errors))
    coups = [np.array(one.outcomes[2]) for one in found.houses]
    assert all((one == coups[0]).all() for one in coups)


def test_houses_of_a_run_do_not_change_each_other() -> None:
    """P5: alone, or together with a house that needs more or fewer cards, the totals are equal."""
    names = ("france-2007", "italy-half-loss", "hoyle-19c")
    made = [tables(load_house(name), None, Opening(), None, "default") for name in names]
    made += [tables(first_card(), None, Opening(), None, "default")]
    together = played_together(made, SEED, 3, 40, 40)
    for one, found in zip(made, together, strict=True):
        (alone,) = played_together([one], SEED, 3, 40, 40)
        for here, there in zip(alone, found, strict=True):
            assert (here == there).all()


def first_card() -> House:
    """Return a house of six packs whose first card says how many are burned."""
    house = load_house("italy-half-loss")
    return evolve(house, shoe=evolve(house.shoe, burn="first-card"))


@pytest.mark.slow
@pytest.mark.parametrize("name", default_manager().names("house"))
def test_the_automaton_counts_what_each_prisoner_alone_would(name: str) -> None:
    """P4: totals are equal to the unit with each prisoner followed alone."""
    for stake in (None, 1000):
        made = tables(load_house(name), stake, Opening(minimum=10), None, "all")
        assert made.joint is not None
        joint, alone = (
            played_together([each], SEED, 1, 600, 250)[0]
            for each in (made, evolve(made, joint=None))
        )
        for here, there in zip(joint, alone, strict=True):
            assert (here == there).all(), (name, stake)


def test_too_many_states_are_followed_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """P4: a bound on states; behind it there is no automaton."""
    made = tables(load_house("france-2007"), None, Opening(), None, "all")
    arrays = made.verdicts, made.starts, made.gains, made.nexts
    assert prisoners.automaton(*arrays) is not None
    monkeypatch.setattr(prisoners, "MOST_STATES", 10)
    assert prisoners.automaton(*arrays) is None
