"""Exact odds by residues: equal to the series of whole numbers, fraction by fraction."""

from __future__ import annotations

import sys
from fractions import Fraction
from math import factorial, lcm, perm
from random import Random

import pytest

pytest.importorskip("numba")

from trente_rules.core.coup import LAST_OPEN_TOTAL
from trente_rules.odds import residues
from trente_rules.odds.coup_odds import CoupOdds, fresh_shoe
from trente_rules.odds.exact import odds_of_cards

Counts = tuple[int, ...]
PACK: Counts = (2,) * 9 + (8,)


def by_series(
    monkeypatch: pytest.MonkeyPatch, noir: Counts, rouge: Counts, most: int | None = None
) -> CoupOdds:
    """Count as where numba is not installed."""
    with monkeypatch.context() as patch:
        patch.setitem(sys.modules, "numba", None)
        return odds_of_cards(noir, rouge, most=most)


def drawn(seed: int, cards: int, packs: int) -> tuple[Counts, Counts]:
    """Draw cards from whole packs: how many are left of each value and colour."""
    random = Random(seed)  # noqa: S311 - test data
    shoe = [place for place in range(20) for _card in range(PACK[place % 10] * packs)]
    left = random.sample(shoe, cards)
    counts = [left.count(place) for place in range(20)]
    return tuple(counts[:10]), tuple(counts[10:])


@pytest.mark.slow
@pytest.mark.parametrize(
    "cards",
    [
        drawn(1, 20, 1),
        drawn(2, 70, 6),
        ((0, 0, 3, 0, 0, 2, 0, 9, 0, 30), (7, 0, 0, 0, 0, 0, 0, 0, 0, 0)),
        ((0,) * 9 + (12,), (0,) * 9 + (3,)),
        ((40,) + (0,) * 9, (40,) + (0,) * 9),
        ((0, 31) + (0,) * 8, (0,) * 10),
        ((0,) * 8 + (10**6, 10**9), (0,) * 7 + (3, 10**9, 7)),
        ((0,) * 8 + (2, 2**60), (0,) * 9 + (5,)),
    ],
    ids=[
        "20 cards",
        "70 cards",
        "uneven colours",
        "tens alone",
        "aces alone",
        "one colour",
        "millions",
        "2^60",
    ],
)
def test_both_ways_count_the_same(
    cards: tuple[Counts, Counts], monkeypatch: pytest.MonkeyPatch
) -> None:
    """P6: equal weights, denominators and unfinished coups; all 400 outcomes, colours too."""
    assert odds_of_cards(*cards) == by_series(monkeypatch, *cards)


@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(4))
def test_many_cards_count_the_same(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """P6: up to eight packs, whatever is left of them."""
    cards = drawn(seed, 416 - 97 * seed, 8)
    assert odds_of_cards(*cards) == by_series(monkeypatch, *cards)


@pytest.mark.slow
@pytest.mark.parametrize("packs", [1, 6])
def test_whole_packs_are_the_stored_tables(packs: int) -> None:
    """The tables that another program made, to the last digit."""
    half = tuple(n * packs for n in PACK)
    found, stored = odds_of_cards(half, half), fresh_shoe(packs)
    assert [Fraction(n, found.denominator) for n in found.weights] == [
        Fraction(n, stored.denominator) for n in stored.weights
    ]


@pytest.mark.slow
@pytest.mark.parametrize("most", [0, 5, 7, 8, 9, 62])
def test_a_coup_that_needs_more_cards_is_unfinished(
    most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """M21: the coups of few cards alone, both ways; with all cards nothing is cut."""
    noir, rouge = (1, 0, 2, 0, 1, 0, 0, 2, 0, 5), (0, 1, 0, 0, 2, 1, 0, 0, 1, 4)
    found = odds_of_cards(noir, rouge, most=most)
    assert found == by_series(monkeypatch, noir, rouge, most)
    whole = odds_of_cards(noir, rouge)
    if most == 62:
        assert found == whole
    elif most < 8:
        assert found.unfinished_weight == found.denominator
    else:
        # A row of 31 or more takes four cards at least.
        assert 0 < Fraction(sum(found.weights), found.denominator) < 1
        assert Fraction(found.unfinished_weight, found.denominator) > Fraction(
            whole.unfinished_weight, whole.denominator
        )


def finished(counts: list[int], most: int, row: int = 0, total: int = 0) -> Fraction:
    """Deal card by card, every card with its probability: how likely a coup ends in time."""
    if row > 1:
        return Fraction(1)
    if not most or not sum(counts):
        return Fraction(0)
    found = Fraction(0)
    for place, n in enumerate(counts):
        if n:
            counts[place] -= 1
            then = total + place + 1
            ended = then > LAST_OPEN_TOTAL
            rest = finished(counts, most - 1, row + ended, 0 if ended else then)
            counts[place] += 1
            found += Fraction(n, sum(counts)) * rest
    return found


@pytest.mark.parametrize("most", [7, 8, 9, 10])
def test_cut_coups_are_what_dealing_finds(most: int) -> None:
    """M21: eight cards or more end a coup of sixes, nines and tens, each with its probability."""
    counts = [0, 0, 0, 0, 0, 3, 0, 0, 4, 6]
    odds = odds_of_cards(counts, [0] * 10, most=most)
    assert 1 - Fraction(odds.unfinished_weight, odds.denominator) == finished(counts, most)


def test_few_cards_do_not_load_numba(monkeypatch: pytest.MonkeyPatch) -> None:
    """P6: below 20 cards, the series are faster than the import, unless it is done already."""
    residues._kernel.cache_clear()
    assert [residues.pays(cards) for cards in (0, 19, 20, 312)] == [False, False, True, True]
    residues._kernel()
    assert residues.pays(1)
    with monkeypatch.context() as patch:
        patch.setitem(sys.modules, "numba", None)
        assert not residues.pays(312)


@pytest.fixture(autouse=True)
def _loaded() -> None:
    """Load the compiled part, so that few cards are counted by it too."""
    residues._kernel()


@pytest.mark.parametrize(
    ("counts", "most", "lengths"),
    [
        # Four tens a row, or three and a last one: three cards are open.
        ([0] * 9 + [12], 62, [3]),
        # Three nines are open, or five aces and two nines; a coup of more than 16 cards is cut.
        ([5, 0, 0, 0, 0, 0, 0, 0, 40, 0], 16, [3, 4, 5, 6, 7]),
    ],
)
def test_the_denominator_is_the_least(counts: list[int], most: int, lengths: list[int]) -> None:
    """P6: no number below D makes the odds of every order of the open cards whole.

    The first card of each row may be a red one, and is not ordered then.
    """
    cards = sum(counts)
    orders = [
        Fraction(factorial(one - 1) * factorial(other - 1), perm(cards, one + other + 2))
        for one in lengths
        for other in lengths
        if one + other + 2 <= most
    ]
    found, whole, _red, _both = residues.ways_by_residues(counts, [0] * 10, most)
    assert found == lcm(*(order.denominator for order in orders))
    assert 0 < sum(whole) <= found


def test_cards_that_never_suffice_have_no_way() -> None:
    """Seven tens make one row: a zero for each of 100 pairs of points, of any colours."""
    nothing = [0] * 100
    found = residues.ways_by_residues([0] * 9 + [7], [0] * 9 + [3], 62)
    assert found == (1, nothing, nothing, nothing)


def test_all_that_counts_is_compiled_before_it_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    """P6: the trial, whose seconds are announced, calls both functions that the odds need."""
    kernel, called = residues._kernel(), []

    def spied(name: str) -> None:
        function = getattr(kernel, name)

        def call(*values: object) -> object:
            called.append(name)
            return function(*values)

        monkeypatch.setattr(kernel, name, call)

    spied("matrix_product")
    spied("residues")
    residues._kernel.cache_clear()
    assert residues._kernel() is kernel
    assert called == ["matrix_product", "residues"]


def test_primes_are_primes_below_two_to_the_48th() -> None:
    """Each of the first primes has no factor below a thousand and passes 20 more bases."""
    primes = residues._first_primes(12)
    assert list(primes) == sorted(set(primes), reverse=True)
    small = [n for n in range(2, 1000) if all(n % k for k in range(2, int(n**0.5) + 1))]
    for prime in primes:
        assert prime < 2**48
        assert all(prime % n for n in small)
        assert all(pow(base, prime - 1, prime) == 1 for base in small[:20])
    assert not residues._is_prime(1_000_003 * 1_000_033)
    assert residues._is_prime(2**48 - 59)
