"""Card counting: exact advantages coup by coup, the linear count, what it all comes to."""

from __future__ import annotations

import sys
from functools import cache
from typing import Any

import pytest
from attrs import evolve

pytest.importorskip("numba")

from trente_rules import TrenteError, deal_coup, load_house
from trente_rules.odds.advantage import advantage
from trente_rules.odds.fast import fast_odds
from trente_rules.odds.remaining import CompletedOdds, Composition
from trente_rules.players.counting import CHANCES, Counting, Favourable, count_shoes
from trente_rules.simulation import compiled
from trente_rules.simulation.flat import shoes_of


@cache
def counted(name: str = "italy-half-loss", shoes: int = 2) -> Counting:
    """Count some shoes, once."""
    return count_shoes(load_house(name), shoes=shoes, seed=4, workers=1)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["italy-half-loss", "france-2007"])
def test_the_counter_knows_the_exact_advantage(name: str) -> None:
    """Before the tenth coup: the least of couleur and inverse, under every policy, insured too."""
    house = load_house(name)
    shoe = next(shoes_of(house, 4, 0, 1))
    for _coup in range(9):
        shoe = deal_coup(shoe).shoe
    left = Composition.of_shoe(shoe)
    odds = CompletedOdds(fast_odds(left.noir, left.rouge))
    wagers = advantage(house, odds, chances=CHANCES).wagers
    one = count_shoes(house, shoes=1, seed=4, workers=1).coups[9]
    assert one.depth == shoe.position / 312
    assert one.uninsured == pytest.approx(min(float(w.edge) for w in wagers if not w.insured))
    assert one.insured == pytest.approx(min(float(w.edge) for w in wagers if w.insured))


@pytest.mark.slow
def test_the_first_coup_has_the_advantage_of_a_fresh_shoe() -> None:
    """1.09457 % uninsured, 1 % insured; the linear count begins there too."""
    first = counted().coups[0]
    assert first.depth == pytest.approx(5 / 312)
    assert first.uninsured == pytest.approx(0.0109457, abs=1e-7)
    assert first.insured == pytest.approx(0.0089054 + 0.0010946, abs=1e-5)
    assert first.linear_uninsured == pytest.approx(first.uninsured)


def test_the_linear_count_is_odd_in_the_colours() -> None:
    """Red cards for black ones make inverse of couleur: what one adds the other takes away."""
    linear = counted().linear(insured=True)
    assert linear is not None
    for value in ("A", "5", "X"):
        noir, rouge = linear.tags[f"{value} noir"], linear.tags[f"{value} rouge"]
        assert noir == pytest.approx(-rouge)
        assert abs(noir) > 1e-5
    assert linear.correlation is not None
    assert linear.correlation > 0.5


@pytest.mark.slow
def test_counting_does_not_depend_on_the_workers() -> None:
    """The same coups in the same order."""
    assert count_shoes(load_house("italy-half-loss"), shoes=2, seed=4, workers=2) == counted()


def test_coups_are_told_by_depth() -> None:
    """Each coup stands in one part of the shoe; the last few cards are left out and told of."""
    found = counted()
    parts = found.by_depth()
    assert sum(plain.coups for _low, _high, plain, _insured in parts) == len(found.coups)
    assert parts[0][:2] == (0.0, 0.1)
    assert found.too_few > 0
    assert found.shoes == found.asked == 2
    told = found.to_json()
    assert told["coups"] == len(found.coups)
    assert "Thorp and Walden" in told["published"]
    assert [part["from"] for part in told["by_depth"]] == [low for low, *_rest in parts]


def test_what_is_favourable_is_counted() -> None:
    """Two of four edges below nought: by 2 % on the average, 1 % for each coup watched."""
    found = Favourable.of([-0.01, 0.02, -0.03, 0.01])
    assert (found.coups, found.favourable, found.share) == (4, 2, 0.5)
    assert found.gain == pytest.approx(0.02)
    assert found.per_coup == pytest.approx(0.01)
    assert found.best == -0.03
    none = Favourable.of([])
    assert (none.share, none.per_coup, none.best, none.mean) == (0.0, 0.0, None, None)


def test_the_linear_count_is_judged_by_what_it_places() -> None:
    """It is right where the exact advantage is below nought too."""
    one = counted().coups[0]
    coups = tuple(
        evolve(one, uninsured=exact, linear_uninsured=linear)
        for exact, linear in [(-0.02, -0.01), (0.01, -0.01), (-0.01, 0.01), (0.01, 0.02)]
    )
    linear = evolve(counted(), coups=coups).linear()
    assert linear is not None
    assert (linear.placed, linear.right) == (2, 1)
    assert linear.gain == pytest.approx(0.005)
    assert evolve(counted(), coups=()).linear() is None


def test_a_house_without_insurance_is_counted_too() -> None:
    """There is nothing insured to tell of."""
    found = counted("foster-1897", 1)
    assert found.insured is None
    assert found.linear(insured=True) is None
    assert found.to_json()["insured"] is None


@pytest.mark.slow
def test_an_interrupt_gives_what_is_done() -> None:
    """The shoes that were counted, in order."""

    def stop(done: int, _total: int) -> None:
        if done == 1:
            raise KeyboardInterrupt

    found = count_shoes(load_house("italy-half-loss"), shoes=3, seed=4, workers=1, progress=stop)
    assert found.shoes == 1
    assert found.coups == counted(shoes=2).coups[: len(found.coups)]


@pytest.mark.nightly
def test_the_last_cards_are_counted_to_the_end() -> None:
    """Fewer than forty cards, in whole numbers."""
    house = load_house("german-spas-1840")
    found = count_shoes(house, shoes=1, seed=1, to_the_end=True, workers=2)
    assert found.too_few == 0
    assert found.coups[-1].depth > 0.85


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"shoes": 0}, "bad-shoes"),
        ({"shoes": 1.0}, "bad-shoes"),
        ({"seed": -1}, "bad-seed"),
        ({"workers": 0}, "bad-workers"),
    ],
)
def test_what_cannot_be_counted_is_a_sentence(options: dict[str, Any], code: str) -> None:
    """Shoes, seeds and workers that are none."""
    with pytest.raises(TrenteError) as caught:
        count_shoes(load_house("france-2007"), **options)
    assert caught.value.code == code


def test_a_house_without_couleur_cannot_be_counted() -> None:
    """Rouge and noir alone have nothing that parts."""
    house = load_house("france-2007")
    only = evolve(house, deal=evolve(house.deal, chances=("rouge", "noir")))
    with pytest.raises(TrenteError) as caught:
        count_shoes(only, shoes=1)
    assert caught.value.code == "nothing-to-count"


def test_without_numba_the_refusal_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    """U43: of counting, not of the simulation."""
    monkeypatch.setitem(sys.modules, "trente_rules.simulation.kernel", None)
    compiled._loaded.cache_clear()
    try:
        with pytest.raises(TrenteError, match="counting cards needs numba and numpy") as caught:
            count_shoes(load_house("campione"), shoes=1, seed=1)
    finally:
        compiled._loaded.cache_clear()
    assert caught.value.code == "needs-fast"
