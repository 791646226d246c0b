"""The fast odds against the exact ones, and against what must hold of any odds."""

from __future__ import annotations

import os
import subprocess
import sys
from fractions import Fraction
from functools import cache
from pathlib import Path
from random import Random
from threading import Barrier
from typing import Any

import pytest

pytest.importorskip("numba")

from trente_rules.core.errors import TrenteError
from trente_rules.core.house.loading import load_house
from trente_rules.odds import fast as module
from trente_rules.odds.advantage import advantage
from trente_rules.odds.coup_odds import CoupOdds, fresh_shoe
from trente_rules.odds.exact import odds_of_cards
from trente_rules.odds.fast import FastOdds, fast_odds, fast_odds_of_many
from trente_rules.odds.remaining import Composition, deal_odds

Counts = tuple[int, ...]
SIXAIN: Counts = (12,) * 9 + (48,)
CLOSE = 1e-12


def drawn(seed: int, cards: int) -> tuple[Counts, Counts]:
    """Draw cards from a sixain: what is left of each colour and value."""
    kinds = [place for place, count in enumerate(SIXAIN * 2) for _card in range(count)]
    left = Random(seed).sample(kinds, cards)  # noqa: S311 - test data
    counts = tuple(left.count(place) for place in range(20))
    return counts[:10], counts[10:]


def apart(fast: FastOdds, exact: CoupOdds) -> float:
    """Return the greatest difference of any probability."""
    weights = exact.weights
    differences = [fast.unfinished - exact.unfinished_weight / exact.denominator]
    for place in range(100):
        i, j = divmod(place, 10)
        four = weights[4 * place : 4 * place + 4]
        differences += [
            fast.points[i][j] - sum(four) / exact.denominator,
            fast.first_red[i][j] - (four[2] + four[3]) / exact.denominator,
            fast.second_red[i][j] - (four[1] + four[3]) / exact.denominator,
        ]
    return max(map(abs, differences))


fast_of = cache(fast_odds)
exact_of = cache(odds_of_cards)


@pytest.mark.parametrize("packs", range(1, 9))
def test_fresh_shoes_are_the_stored_tables(packs: int) -> None:
    """Points and colours of whole packs, within the error that is told, which is small."""
    counts = tuple(count * packs // 6 for count in SIXAIN)
    odds = fast_of(counts, counts)
    assert apart(odds, fresh_shoe(packs)) < CLOSE
    assert odds.error < 1e-13
    assert odds.unfinished == 0


@pytest.mark.slow
def test_few_cards_are_counted_in_whole_numbers() -> None:
    """Few cards are left to the exact engine, so its figures come out to the last digit."""
    cards = (0, 3, 0, 0, 0, 0, 1, 0, 0, 12), (0, 5, 0, 0, 0, 0, 7, 0, 0, 2)
    assert apart(fast_of(*cards), exact_of(*cards)) < 1e-16


ODD: list[tuple[Counts, Counts]] = [
    drawn(1, 90),
    # Colours that lean one way, values that are missing or alone.
    ((0, 3, 0, 1, 7, 0, 2, 20, 0, 9), (1, 0, 0, 30, 0, 1, 2, 0, 5, 8)),
    # One ace, which the divisions have to take out of what holds it once.
    ((1, 0, 0, 0, 0, 0, 0, 0, 40, 20), (0, 0, 0, 0, 0, 0, 0, 0, 1, 50)),
    # Long rows: as many cards as a row can have.
    ((60, 1, 0, 0, 0, 0, 0, 0, 0, 0), (21, 0, 1, 0, 0, 0, 0, 0, 0, 0)),
]


@pytest.mark.slow
@pytest.mark.parametrize(("noir", "rouge"), ODD)
def test_the_engines_agree_on_odd_cards(noir: Counts, rouge: Counts) -> None:
    """Every probability of points and colours is the exact one to 1e-12, and sums to one."""
    odds = fast_of(noir, rouge)
    assert apart(odds, exact_of(noir, rouge)) < CLOSE
    assert abs(sum(odds.row()) + odds.unfinished - 1) < CLOSE


@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(40))
def test_the_engines_agree_on_random_cards(seed: int) -> None:
    """The same for random parts of a sixain, and for random counts."""
    random = Random(seed)  # noqa: S311 - test data
    for noir, rouge in (
        drawn(seed, random.randint(80, 311)),
        (
            tuple(random.choice((0, 1, 2, 9, 30)) for _value in range(10)),
            tuple(random.choice((0, 1, 2, 9, 30)) for _value in range(10)),
        ),
    ):
        assert apart(fast_odds(noir, rouge), odds_of_cards(noir, rouge)) < CLOSE


def test_few_cards_have_a_coup_that_is_not_completed() -> None:
    """The table of a few cards sums to one with the coup that they cannot complete."""
    odds = fast_of((1, 0, 1, 0, 1, 0, 1, 0, 1, 1), (0, 1, 0, 1, 0, 1, 0, 1, 0, 1))
    assert 0 < odds.unfinished < 1
    assert abs(sum(odds.row()) + odds.unfinished - 1) < CLOSE


def test_noir_and_rouge_are_exactly_alike() -> None:
    """Rows are exchangeable: whatever the cards, the table of points is symmetric."""
    points = fast_of(*drawn(3, 170)).points
    assert all(abs(points[i][j] - points[j][i]) < 1e-16 for i in range(10) for j in range(10))


def test_red_and_black_change_places() -> None:
    """With the colours exchanged, what was red first is black first."""
    noir, rouge = drawn(4, 200)
    one, other = fast_of(noir, rouge), fast_of(rouge, noir)
    for i in range(10):
        for j in range(10):
            black = one.points[i][j] - one.first_red[i][j]
            assert abs(other.first_red[i][j] - black) < CLOSE


def test_the_mean_over_one_removed_card_is_the_whole() -> None:
    """A card taken out unseen changes nothing: points and colours are means over it."""
    noir, rouge = drawn(5, 150)
    whole = fast_of(noir, rouge)
    counts = [*noir, *rouge]
    parts = []
    for place, count in enumerate(counts):
        left = [*counts[:place], count - 1, *counts[place + 1 :]]
        if count:
            parts.append((count / 150, (tuple(left[:10]), tuple(left[10:]))))
    odds = fast_odds_of_many([cards for _share, cards in parts])
    for table in ("points", "first_red"):
        for i in range(10):
            for j in range(10):
                mean = sum(
                    share * getattr(one, table)[i][j]
                    for (share, _cards), one in zip(parts, odds, strict=True)
                )
                assert abs(mean - getattr(whole, table)[i][j]) < CLOSE


def test_many_are_what_each_is_alone() -> None:
    """Batches keep their order, whatever the threads do."""
    batch = [drawn(seed, 100 + 20 * seed) for seed in range(6)]
    assert fast_odds_of_many(batch, workers=3) == [fast_odds(*cards) for cards in batch]


def test_many_are_worked_on_by_all_cores_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """As many at a time as there are cores, or as are asked for; the kernel leaves them free."""
    for workers in (None, 3):
        together = Barrier(workers or os.cpu_count() or 1)

        def wait(*cards: Counts, meeting: Barrier = together) -> FastOdds:
            meeting.wait(timeout=60)
            return fast_of(*cards)

        monkeypatch.setattr(module, "fast_odds", wait)
        batch = [(SIXAIN, SIXAIN)] * together.parties
        assert fast_odds_of_many(batch, workers) == [fast_of(SIXAIN, SIXAIN)] * len(batch)
    kernel = module._kernel()
    for function in (kernel._products, kernel._both_rows, kernel._row):
        assert function.targetoptions["nogil"]


@pytest.mark.slow
def test_a_few_nodes_are_told_to_be_too_few(monkeypatch: pytest.MonkeyPatch) -> None:
    """The error that is told grows where nodes are left out, and sends cards to whole numbers."""
    noir, rouge = ODD[1]
    counts = [a + b for a, b in zip(noir, rouge, strict=True)]
    monkeypatch.setattr(module, "_FEW", (0.3, 2))
    monkeypatch.setattr(module, "_TAILS", (0.3,))
    rough = module._integral(module._kernel(), counts, rouge, "rough")
    off = apart(rough, exact_of(noir, rouge))
    assert 1e-13 < off < rough.error
    monkeypatch.setattr(module, "odds_of_cards", lambda *cards: exact_of(*cards[:2]))
    assert apart(fast_odds(noir, rouge), exact_of(noir, rouge)) < 1e-16


def test_a_house_has_the_same_advantage_by_either_engine() -> None:
    """Verdict tables of chances, couleur among them, read both odds alike."""
    house = load_house("france-2007")
    composition = Composition(*ODD[1])
    fast = advantage(house, deal_odds(composition, "fast"))
    exact = advantage(house, exact_of(*ODD[1]))
    assert len(fast.wagers) == len(exact.wagers) > 4
    edges = zip(fast.wagers, exact.wagers, strict=True)
    assert all(abs(one.edge - other.edge) < CLOSE for one, other in edges)


def test_verdicts_that_look_at_both_colours_need_the_exact_engine() -> None:
    """The fast odds know the first colour of each row, not both together."""
    odds = fast_of(SIXAIN, SIXAIN)
    with pytest.raises(TrenteError) as caught:
        odds.verdicts(bytes([0, 1, 1, 0]) * 100)
    assert caught.value.code == "needs-exact"
    second = odds.verdicts(bytes([0, 1, 0, 1]) * 100)
    assert abs(second[1] - Fraction(1, 2)) < CLOSE
    with pytest.raises(TrenteError) as caught:
        odds.verdicts(bytes(10))
    assert caught.value.code == "bad-verdicts"


def test_a_few_cards_more_than_the_fewest_take_no_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    """42 cards that lose their digits to the divisions: two tries, then whole numbers (P7)."""
    tries: list[int] = []
    kernel = module._kernel()
    integrate = kernel.joint

    def counted(*cards: object) -> object:
        tries.append(1)
        return integrate(*cards)

    monkeypatch.setattr(kernel, "joint", counted)
    noir, rouge = (2, 3, 3, 1, 3, 2, 2, 0, 2, 6), (2, 3, 1, 2, 2, 3, 0, 1, 1, 3)
    assert apart(fast_odds(noir, rouge), exact_of(noir, rouge)) < CLOSE
    assert len(tries) <= 3


def test_no_more_is_integrated_than_the_cards_need(monkeypatch: pytest.MonkeyPatch) -> None:
    """P7: once, where the few nodes suffice or are known not to; colours only where they lean.

    Where every value has the same share of red cards, the points alone are integrated.
    """
    parts: list[int] = []
    kernel = module._kernel()
    integrate = kernel.joint

    def counted(*cards: Any) -> object:
        parts.append(cards[2])
        return integrate(*cards)

    monkeypatch.setattr(kernel, "joint", counted)
    lacking = (12,) * 9 + (10,)
    for noir, rouge, tried in (
        (SIXAIN, SIXAIN, [1]),
        (lacking, lacking, [1]),
        ((13, *lacking[1:]), lacking, [3]),
    ):
        parts.clear()
        assert fast_odds(noir, rouge).error <= 1e-13
        assert parts == tried


@pytest.mark.parametrize(
    ("composition", "told"),
    [
        (((1,) * 10, (1,) * 9 + (-1,)), "-1"),
        (((1,) * 10, (1.5,) * 10), "1.5"),
        (((0,) * 10, (0,) * 10), "no card"),
        (((1,) * 9, (1,) * 10), "noir"),
        (((1,) * 10,), "1 lists"),
        (((10**9,) * 10, (1,) * 10), "10000000010 cards"),
    ],
)
def test_bad_compositions_are_refused(composition: tuple[Counts, ...], told: str) -> None:
    """Negative, not whole, empty, of another shape, or beyond all shoes."""
    with pytest.raises(TrenteError) as caught:
        deal_odds(composition, "fast")
    assert caught.value.code == "bad-composition"
    assert told in str(caught.value)


def test_more_than_the_packs_hold_is_refused() -> None:
    """Where packs are given, they bound each colour of each value."""
    with pytest.raises(TrenteError, match="13 red cards of value A") as caught:
        Composition.parse("A:13r+0b", packs=6)
    assert caught.value.code == "bad-composition"


def test_an_unknown_engine_is_refused() -> None:
    """There are two."""
    with pytest.raises(TrenteError) as caught:
        deal_odds(Composition.fresh(1), "quick")  # type: ignore[arg-type]
    assert caught.value.code == "unknown-engine"


def test_without_numba_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    """The error names the extra."""
    monkeypatch.setitem(sys.modules, "trente_rules.odds.fast_kernel", None)
    monkeypatch.delattr("trente_rules.odds.fast_kernel", raising=False)
    module._kernel.cache_clear()
    try:
        with pytest.raises(TrenteError, match=r"trente-rules\[fast\]") as caught:
            fast_odds(SIXAIN, SIXAIN)
    finally:
        module._kernel.cache_clear()
    assert caught.value.code == "needs-fast"


@pytest.mark.nightly
def test_a_cache_that_is_cut_short_is_made_again(tmp_path: Path) -> None:
    """Files that a crash or a full disk left empty do not stop the next run."""
    code = (
        "from trente_rules.odds.fast import fast_odds as f;"
        "print(f((12,)*9+(48,),(12,)*9+(48,)).points[0][0])"
    )
    answers = []
    for _run in range(2):
        done = subprocess.run(
            [sys.executable, "-c", code],
            env={"NUMBA_CACHE_DIR": str(tmp_path)},
            capture_output=True,
            text=True,
            check=True,
        )
        answers.append(done.stdout)
        kept = [*tmp_path.rglob("*.nbi")]
        assert kept
        for file in kept:
            file.write_bytes(b"")
    assert answers[0] == answers[1]
