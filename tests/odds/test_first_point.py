"""The odds once the first row is dealt: the published weights, both engines, every house."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import permutations

import pytest

from trente_rules import load_house
from trente_rules.core import default_manager
from trente_rules.core.cards import Card, parse_cards
from trente_rules.core.coup import POINTS
from trente_rules.core.errors import TrenteError
from trente_rules.odds import Composition, deal_odds, fresh_shoe, infinite_pack
from trente_rules.odds.advantage import law_of, of_kind
from trente_rules.odds.first_row import FirstRow


def test_hoyle_weights_after_a_first_row_of_36() -> None:
    """C27: six packs, first row 36: 55, 8 and 22 of 85 by the weights, exactly so."""
    house = load_house("france-2007")
    law = law_of(house.chance("rouge"), FirstRow(fresh_shoe(6), 36))
    win, tie, lose = (float(of_kind(law, kind)) for kind in ("win", "push", "lose"))
    assert round(win, 6) == 0.636639
    assert round(tie, 6) == 0.094889
    assert round(lose, 6) == 0.268472
    weights = dict(zip(POINTS, range(13, 3, -1), strict=True))
    by_weight = sum(weights[point] for point in POINTS if point < 36), weights[36]
    assert by_weight == (55, 8)
    assert abs(win - 55 / 85) < 0.011  # the rule of thumb


@pytest.mark.parametrize("name", default_manager().names("house"))
def test_the_first_points_together_are_the_coup(name: str) -> None:
    """C27: weighted by how likely each first point is, their laws make the law of the coup."""
    house = load_house(name)
    odds = fresh_shoe(house.shoe.packs)
    given = [FirstRow(odds, point) for point in POINTS]
    assert sum(each.probability for each in given) == 1
    for chance in house.chances:
        whole = law_of(chance, odds)
        parts = [law_of(chance, each) for each in given]
        assert all(sum(part.values()) == 1 for part in parts)
        for verdict, p in whole.items():
            together = sum(
                (each.probability * part[verdict] for each, part in zip(given, parts, strict=True)),
                Fraction(0),
            )
            assert together == p


def test_with_replacement_the_second_row_does_not_depend_on_the_first() -> None:
    """Of an infinite pack the second row has the law of any row."""
    odds = infinite_pack()
    assert {FirstRow(odds, point).second() for point in POINTS} == {odds.row()}


@pytest.mark.slow
def test_both_engines_agree() -> None:
    """Uneven colours: the fast engine's law is the exact one's to 1e-12, for every first point."""
    pytest.importorskip("numba")
    left = Composition.parse("A:5r+3b,2:7r+2b,3:4,4:6,5:1r+6b,6:8,7:4,8:4,9:3r+5b,X:14r+9b")
    exact, fast = deal_odds(left, "exact"), deal_odds(left, "fast")
    for chance in load_house("venezia-online").chances:
        for point in POINTS:
            one, other = (law_of(chance, FirstRow(odds, point)) for odds in (exact, fast))
            assert all(abs(one[verdict] - other[verdict]) < 1e-12 for verdict in one)


def test_few_cards_are_counted_directly() -> None:
    """A second way: every order of eight cards, those with the first point kept."""
    cards = parse_cards("T♠ T♥ T♣ J♥ A♦ 2♠ Q♣ 9♥")
    left = Composition.after(1, parse_cards(_rest(cards)))
    seen = [points for order in permutations(cards) if (points := _points(order))]
    for point in {first for first, _second in seen}:
        kept = [second for first, second in seen if first == point]
        law = FirstRow(deal_odds(left), point).second()
        assert law == tuple(Fraction(kept.count(p), len(kept)) for p in POINTS)


def test_points_that_cannot_be() -> None:
    """A point outside 31 to 40, and one that the cards cannot reach, are named."""
    with pytest.raises(TrenteError, match=r"a first row of 41.*31 to 40"):
        FirstRow(fresh_shoe(6), 41)
    tens = deal_odds(Composition.parse("X:8"))
    with pytest.raises(TrenteError, match="a first row of 31, then a second, cannot be dealt"):
        FirstRow(tens, 31)


def _rest(cards: Sequence[Card]) -> str:
    """Return the other cards of a pack, as text."""
    pack = [f"{rank}{suit}" for suit in "♠♥♣♦" for rank in "A23456789TJQK"]
    out = {str(card) for card in cards}
    return " ".join(card for card in pack if str(parse_cards(card)[0]) not in out)


def _points(order: tuple[Card, ...]) -> tuple[int, int] | None:
    """Return the points of the two rows dealt in this order, None where the cards end."""
    points, total = [], 0
    for card in order:
        total += card.points
        if total >= POINTS[0]:
            points.append(total)
            total = 0
            if len(points) == 2:
                return points[0], points[1]
    return None
