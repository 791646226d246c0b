"""The shoe rule: how a shoe is cut, burned, marked and played to its end."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from trente_rules import (
    PACK,
    CardError,
    ConfigurationError,
    RuleError,
    Shoe,
    deal_coup,
    load_house,
    loads_house,
)
from trente_rules.core.shoe import Marker, ShoeRule
from trente_rules.fair import SystemShuffler

CARDS = PACK * 6
SHOE = Shoe.of_cards(CARDS, 6)
HEAD = '[house]\nname = "test"\n[refait]\nrule = "half-loss"\n'


@pytest.mark.parametrize("packs", [1, 3, 4, 6, 8])
def test_the_house_says_how_many_packs(packs: int) -> None:
    """A shoe of the packs of the house is prepared, with all its cards."""
    ready = ShoeRule(packs=packs).prepare(Shoe.shuffled(packs, SystemShuffler()))
    assert ready.left == packs * 52
    assert Counter(ready.cards) == Counter(dict.fromkeys(PACK, packs))


@pytest.mark.parametrize("packs", [1, 5, 7])
def test_a_shoe_of_other_packs_is_refused(packs: int) -> None:
    """A reshuffle that forgets the number of packs is found before the first card."""
    with pytest.raises(CardError, match="this house plays with 6") as caught:
        ShoeRule().prepare(Shoe.of_cards(PACK * packs, packs))
    assert caught.value.code == "other-packs"


def test_a_shoe_is_cut_then_burned_then_marked() -> None:
    """Burned are the first cards after the cut; the marker is counted from the end of the cut."""
    rule = ShoeRule(burn=5, marker=Marker(from_end=20))
    ready = rule.prepare(SHOE, cut_at=60)
    assert ready.cards == CARDS[60:] + CARDS[:60]
    assert (ready.burned, ready.position, ready.marker) == (5, 5, 292)
    assert deal_coup(ready).cards[0] == CARDS[65]


def test_without_a_marker_the_last_card_can_be_dealt() -> None:
    """The shoe ends with its cards."""
    shoe = ShoeRule().prepare(SHOE)
    assert shoe.marker is None
    while not shoe.ended:
        shoe = deal_coup(shoe).shoe
    assert shoe.left == 0


@pytest.mark.parametrize(("place", "marker"), [(None, 292), (20, 292), (40, 272)])
def test_a_marker_between_bounds_is_placed_where_it_is_put(place: int | None, marker: int) -> None:
    """Both bounds are allowed; told nothing, the marker lies nearest to the end."""
    rule = ShoeRule(marker=Marker(from_end=(20, 40), placed_by="player"))
    assert rule.prepare(SHOE, marker_from_end=place).marker == marker


@pytest.mark.parametrize("place", [-1, 4, 6])
def test_a_fixed_marker_lies_nowhere_else(place: int) -> None:
    """France: before the last five cards."""
    with pytest.raises(RuleError, match="5 to 5 cards from the end") as caught:
        ShoeRule(marker=Marker(from_end=5)).prepare(SHOE, marker_from_end=place)
    assert (caught.value.code, caught.value.field) == ("bad-marker", "marker.from_end")


def test_a_shoe_that_is_begun_is_not_prepared_again() -> None:
    """Cards that are out cannot be cut back in."""
    begun = deal_coup(SHOE).shoe
    with pytest.raises(CardError) as caught:
        ShoeRule().prepare(begun)
    assert caught.value.code == "shoe-begun"


@pytest.mark.parametrize("at", [-1, 313])
def test_a_cut_is_within_the_cards(at: int) -> None:
    """From nought to all of them."""
    with pytest.raises(CardError) as caught:
        ShoeRule().prepare(SHOE, cut_at=at)
    assert caught.value.code == "bad-cut"


def test_france_leaves_five_cards_behind_the_marker() -> None:
    """No coup of France uses a card of the talon, and a coup the marker stops is void."""
    house = load_house("france-2007")
    for cut in range(0, 312, 31):
        shoe = house.shoe.prepare(SHOE, cut_at=cut)
        while not shoe.ended:
            dealt = deal_coup(shoe, stop_at_marker=True)
            shoe = dealt.shoe
            assert (dealt.coup is None) == dealt.marker
        assert shoe.left == 5


@pytest.mark.parametrize(
    ("rule", "field", "code"),
    [
        (ShoeRule(burn_shown=True), "burn_shown", "key-cannot-act"),
        (ShoeRule(count_talon=True), "count_talon", "key-cannot-act"),
        (ShoeRule(count_talon=True, marker=Marker(from_end=0)), "count_talon", "key-cannot-act"),
        (ShoeRule(packs=1, marker=Marker(from_end=52)), "marker.from_end", "no-coup-left"),
        (
            ShoeRule(packs=1, burn=12, marker=Marker(from_end=(5, 40))),
            "marker.from_end",
            "no-coup-left",
        ),
    ],
)
def test_keys_that_cannot_act_are_named(rule: ShoeRule, field: str, code: str) -> None:
    """Nothing burned to show, no talon to count, no card left to deal."""
    with pytest.raises(RuleError) as caught:
        rule.check()
    assert (caught.value.field, caught.value.code) == (field, code)


@pytest.mark.parametrize(
    "rule",
    [
        ShoeRule(burn=5, burn_shown=True),
        ShoeRule(count_talon=True, marker=Marker(from_end=5)),
        ShoeRule(packs=1, burn=11, marker=Marker(from_end=(5, 40))),
    ],
)
def test_keys_that_can_act_are_accepted(rule: ShoeRule) -> None:
    """The nearest neighbours of what is refused."""
    rule.check()


@pytest.mark.parametrize(
    "make",
    [
        lambda: ShoeRule(packs=0),
        lambda: ShoeRule(burn=53),
        lambda: Marker(from_end=-1),
        lambda: Marker(from_end=(-1, 5)),
    ],
)
def test_values_out_of_range_are_refused(make: Any) -> None:
    """No pack, more burned than a pack, a marker behind the end."""
    with pytest.raises(ValueError, match=": "):
        make()


@pytest.mark.parametrize(
    ("shoe", "code"),
    [
        ("packs = 1\nmarker = { from_end = 52 }", "no-coup-left"),
        ("burn_shown = true", "key-cannot-act"),
        ("marker = { from_end = [40, 20] }", "out-of-range"),
        ("packs = 9", "out-of-range"),
    ],
)
def test_a_file_is_told_what_is_wrong_with_its_shoe(shoe: str, code: str) -> None:
    """Each fault has a code and the place of its key."""
    with pytest.raises(ConfigurationError) as caught:
        loads_house(f"{HEAD}[shoe]\n{shoe}\n")
    assert [fault.code for fault in caught.value.faults] == [code]
    assert all(fault.key.startswith("shoe.") and fault.line for fault in caught.value.faults)
