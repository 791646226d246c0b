"""Odds of fresh shoes, of a pack less one card and of half-dealt shoes: stored, exact figures.

``tools/make_golden_odds.py`` makes them. Both engines are held to them, and so are they to what
must hold of any odds.
"""

from __future__ import annotations

import json
from fractions import Fraction
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from trente_rules.core.chances import DealRule
from trente_rules.core.coup import POINTS
from trente_rules.odds.coup_odds import CoupOdds, fresh_shoe
from trente_rules.odds.remaining import Composition, deal_odds

Entry = dict[str, Any]
CLOSE = 1e-12
SHARES = ("row", "ties", "rouge", "couleur")
CHANCES = {chance.id: chance.table for chance in DealRule().build()}


def stored(name: str) -> dict[str, Entry]:
    """Read one file."""
    text = (Path(__file__).parent / "golden" / f"{name}.json").read_text("utf-8")
    entries: dict[str, Entry] = json.loads(text)
    return entries


FRESH, LESS, HALF = stored("fresh"), stored("one_card_less"), stored("half_dealt")
ALL = FRESH | LESS | HALF


def shares(entry: Entry, name: str) -> list[Fraction]:
    """Return figures of an entry as fractions."""
    return [Fraction(int(weight), int(entry["denominator"])) for weight in entry[name]]


def counts(entry: Entry) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the cards of an entry."""
    return tuple(entry["black"]), tuple(entry["red"])


def check_exactly(entry: Entry) -> None:
    """Compute an entry once more: all 400 weights by their digest, and each figure that is told."""
    odds = deal_odds(counts(entry))
    assert isinstance(odds, CoupOdds)
    weights = " ".join(map(str, (odds.denominator, *odds.weights)))
    assert sha256(weights.encode()).hexdigest() == entry["digest"]
    assert (str(odds.denominator), str(odds.unfinished_weight)) == (
        entry["denominator"],
        entry["unfinished"],
    )
    assert shares(entry, "row") == list(odds.row())
    assert shares(entry, "ties") == [odds.tie(point) for point in POINTS]
    for name in ("rouge", "couleur"):
        assert shares(entry, name) == list(odds.verdicts(CHANCES[name]))


@pytest.mark.slow
@pytest.mark.parametrize("name", [*FRESH, "black A", "red X", "end of the shoe"])
def test_some_golden_odds_are_what_the_exact_engine_gives(name: str) -> None:
    """Every weight of a sample, computed again (fresh shoes by their stored tables)."""
    check_exactly(ALL[name])


@pytest.mark.nightly
@pytest.mark.parametrize("name", [*LESS, *HALF])
def test_all_golden_odds_are_what_the_exact_engine_gives(name: str) -> None:
    """Every weight of every file, computed again."""
    check_exactly(ALL[name])


@pytest.mark.parametrize("name", ALL)
def test_the_fast_engine_gives_the_golden_odds(name: str) -> None:
    """Each figure to 1e-12, and within the error that the engine tells, which is below 1e-13."""
    pytest.importorskip("numba")
    entry = ALL[name]
    odds = deal_odds(counts(entry), "fast")
    assert not isinstance(odds, CoupOdds)
    assert odds.error < 1e-13
    found: dict[str, tuple[Fraction | float, ...]] = {
        "row": odds.row(),
        "ties": tuple(odds.points[k][k] for k in range(10)),
        **{name: odds.verdicts(CHANCES[name]) for name in ("rouge", "couleur")},
    }
    for kind, figures in found.items():
        off = [
            abs(Fraction(one) - other)
            for one, other in zip(figures, shares(entry, kind), strict=True)
        ]
        assert max(off) < CLOSE
        # A row and a verdict add up several probabilities, each of them off by no more.
        assert max(off) < 100 * odds.error
        if kind == "ties":
            assert max(off) < odds.error
    unfinished = Fraction(int(entry["unfinished"]), int(entry["denominator"]))
    assert abs(odds.unfinished - unfinished) < CLOSE


@pytest.mark.parametrize("name", ALL)
def test_golden_odds_sum_to_exactly_one(name: str) -> None:
    """Points, and the verdicts of each chance, with the coup that is not completed."""
    entry = ALL[name]
    unfinished = Fraction(int(entry["unfinished"]), int(entry["denominator"]))
    for kind in ("row", "rouge", "couleur"):
        assert sum(shares(entry, kind)) + unfinished == 1


@pytest.mark.parametrize("name", ALL)
def test_noir_and_rouge_have_equal_odds_whatever_is_left(name: str) -> None:
    """Rows are exchangeable: rouge wins as often as it loses; all ties are apres or refait."""
    win, lose, apres, refait = shares(ALL[name], "rouge")
    assert win == lose
    ties = shares(ALL[name], "ties")
    assert refait == ties[0]
    assert apres == sum(ties[1:])


@pytest.mark.parametrize("value", [name.removeprefix("black ") for name in LESS if "black" in name])
def test_a_black_card_gone_is_a_red_one_gone_with_couleur_turned(value: str) -> None:
    """With all colours exchanged the points stay, and couleur wins what it lost."""
    black, red = LESS[f"black {value}"], LESS[f"red {value}"]
    assert shares(black, "ties") == shares(red, "ties")
    win, lose, apres, refait = shares(black, "couleur")
    assert [lose, win, apres, refait] == shares(red, "couleur")
    assert win != lose


def test_the_mean_over_one_removed_card_is_the_whole_pack_exactly() -> None:
    """A card that is taken out unseen changes nothing: every figure is the mean, to the last digit.

    Each of the 52 cards is as likely: a value has two of either colour, the tens eight.
    """
    pack = FRESH["1 packs"]
    for kind in SHARES:
        mean = [Fraction(0)] * len(pack[kind])
        for name, entry in LESS.items():
            cards = 8 if name.endswith("X") else 2
            for place, share in enumerate(shares(entry, kind)):
                mean[place] += share * Fraction(cards, 52)
        assert mean == shares(pack, kind)
    assert shares(pack, "ties") == [fresh_shoe(1).tie(point) for point in POINTS]


def test_the_golden_cards_are_what_their_names_say() -> None:
    """Whole packs, one card less than a pack, about half of six packs, uneven in both ways."""
    assert [sum(map(sum, counts(entry))) for entry in FRESH.values()] == [52, 104, 208, 416]
    assert {sum(map(sum, counts(entry))) for entry in LESS.values()} == {51}
    assert len({counts(entry) for entry in LESS.values()}) == 20
    for name, entry in HALF.items():
        noir, rouge = counts(entry)
        Composition(noir, rouge, 6)
        assert sum(noir + rouge) == (44 if name == "end of the shoe" else 156)
        assert noir != rouge
