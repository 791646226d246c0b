"""The plan of a shoe: how many coups of a taille are sure, and how many it has at most."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from trente_rules import PACK, Card, Shoe, deal_coup, load_house
from trente_rules.core import default_manager
from trente_rules.core.shoe import Marker, ShoePlan, ShoeRule
from trente_rules.fair import SeededShuffler
from trente_rules.reports.tailles import taille_figures

SURE = {
    **dict.fromkeys(("foster-1897", "germany-500", "homburg-1860", "hoyle-19c"), 25),
    **dict.fromkeys(("monte-carlo-1911", "rouge-et-noir-meyers", "venezia-online"), 25),
    **dict.fromkeys(("campione", "france-1959", "france-2007", "spain-1979"), 24),
    **dict.fromkeys(("italy-half-loss", "italy-prison", "italy-two-prisons"), 24),
    "italian-program": 20,
    **dict.fromkeys(("german-spas-1840", "wilhelmsbad-1840"), 12),
    # Packs of 340 points each: all but 70 points are sure to make coups of at most 80.
    **dict.fromkeys(("acanomas", "american-cyclopaedia-1873", "casinoespresso", "casinozone"), 25),
    **dict.fromkeys(("gamblingarena", "hoyle-1820", "pierer", "poisson-1820"), 25),
    **dict.fromkeys(("thompson", "wikipedia-fr"), 25),
    "itapoker": 24,
    **dict.fromkeys(("eight-packs-machine", "italy-dispenser"), 1),
    "boussac-1896": 17,
    "jeu-casino": 8,
}


def rule(packs: int, burn: int, from_end: int | tuple[int, int], on_marker: str) -> ShoeRule:
    """Return a shoe rule with a marker."""
    return ShoeRule(packs=packs, burn=burn, marker=Marker(from_end=from_end, on_marker=on_marker))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("shoe", "sure"),
    [
        (rule(1, 10, 20, "void"), 1),
        (rule(3, 50, 60, "void"), 1),
        (rule(3, 50, 60, "finish"), 2),
        (rule(2, 5, (20, 40), "void"), 3),
    ],
)
def test_a_pack_has_only_sixteen_tens(shoe: ShoeRule, sure: int) -> None:
    """A1 1a: 22 cards of a pack count 72 points at least, and a coup cut short has 70 at most."""
    assert shoe.sure_coups() == sure


def test_the_par_sheet_counts_the_same_coups() -> None:
    """A1 1a: at the deepest place of the marker, of every house."""
    assert set(SURE) == set(default_manager().names("house"))
    for name, sure in SURE.items():
        house = load_house(name)
        assert taille_figures(house)[0].fewest == house.shoe.sure_coups() == sure, name


def test_when_a_coup_may_begin_and_must_be_complete() -> None:
    """Without a marker both are the last card; a coup that is finished may take the talon."""
    assert ShoeRule(packs=1).plan() == ShoePlan(52, 52)
    assert rule(1, 0, (5, 9), "void").plan() == ShoePlan(43, 43)
    assert rule(1, 0, (5, 9), "finish").plan(6) == ShoePlan(46, 52)


def _completed(shoe_rule: ShoeRule, cards: Sequence[Card], from_end: int | None) -> int:
    shoe = shoe_rule.prepare(Shoe.of_cards(cards, shoe_rule.packs), marker_from_end=from_end)
    coups = 0
    while not shoe.ended:
        dealt = deal_coup(shoe, stop_at_marker=not shoe_rule.finishes)
        shoe = dealt.shoe
        coups += dealt.coup is not None
    return coups


@pytest.mark.parametrize("on_marker", ["void", "finish"])
@pytest.mark.parametrize("from_end", range(0, 42, 3))
def test_no_order_of_the_cards_breaks_the_bounds(on_marker: str, from_end: int) -> None:
    """The high cards burned or behind the marker, the low ones, and orders at random; one pack."""
    shoe_rule = rule(1, 6, from_end, on_marker)
    low = sorted(PACK, key=lambda card: card.points)
    orders = [low, low[::-1], low[-6:] + low[:-6], low[:6] + low[:5:-1]]
    orders += [list(SeededShuffler(f"{n:02x}" * 16).shuffle(PACK)) for n in range(60)]
    counts = [_completed(shoe_rule, order, from_end) for order in orders]
    assert shoe_rule.sure_coups() <= min(counts)
    assert max(counts) <= shoe_rule.most_coups()


def test_the_first_sure_coup_needs_every_card() -> None:
    """The lowest 21 cards of a pack can lie so that they make no coup: 36 and 30."""
    low = sorted(PACK, key=lambda card: card.points)[:21]
    order: list[Card] = []
    for rank in (5, 5, 5, 5, 4, 4, 2, 6):
        order.append(next(card for card in low if card.rank == rank and card not in order))
    order += [card for card in low if card not in order]
    assert [sum(card.points for card in row) for row in (order[:8], order[8:])] == [36, 30]
    order += [card for card in PACK if card not in order]
    assert _completed(rule(1, 0, 31, "void"), order, 31) == 0
    assert rule(1, 0, 31, "void").sure_coups() == 0
    assert rule(1, 0, 30, "void").sure_coups() == 1
