"""``trente odds --format json`` of any cards: odds, edges, what insurance is worth now."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest
from tests.cli.calling import trente

from trente_rules.core.house.loading import load_house
from trente_rules.odds.advantage import advantage
from trente_rules.odds.remaining import CompletedOdds, Composition, deal_odds

pytestmark = pytest.mark.slow

CARDS = "A:3r+1b,4:2,7:1r+4b,9:2r+0b,X:6r+9b"
UNLIKELY = "A:2,5:2,8:1r+0b,9:1r+1b,X:1r+2b"


@cache
def told(cards: str, *more: str) -> Any:
    """Return what the command prints."""
    ran = trente("odds", "--remaining", cards, "--engine", "exact", "--format", "json", *more)
    assert ran.status == 0
    return ran.json


@pytest.mark.parametrize("cards", [CARDS, UNLIKELY])
def test_the_json_has_the_joint_odds_the_chances_and_the_edges(cards: str) -> None:
    """Ten by ten probabilities, the coup not completed, four verdicts of each chance, edges."""
    found = told(cards)
    odds = deal_odds(Composition.parse(cards))
    assert found["joint"] == [[float(p) for p in line] for line in odds.joint()]
    assert [len(line) for line in found["joint"]] == [10] * 10
    assert abs(sum(map(sum, found["joint"])) + found["unfinished"] - 1) < 1e-12
    assert set(found["chances"]) == {"rouge", "noir", "couleur", "inverse"}
    for chance in found["chances"].values():
        assert list(chance) == ["win", "lose", "apres", "refait"]
        assert abs(sum(chance.values()) + found["unfinished"] - 1) < 1e-12
    assert found["chances"]["rouge"]["refait"] == found["joint"][0][0]
    assert found["edges"]


def test_the_chances_are_the_odds_of_the_points_and_first_cards() -> None:
    """Of uneven colours: rouge and noir are alike, couleur and inverse are not."""
    chances = told(CARDS)["chances"]
    joint = told(CARDS)["joint"]
    below = sum(joint[i][j] for i in range(10) for j in range(i))
    assert abs(chances["rouge"]["win"] - below) < 1e-12
    assert abs(chances["noir"]["win"] - below) < 1e-12
    assert chances["couleur"]["win"] == chances["inverse"]["lose"]
    assert abs(chances["couleur"]["win"] - chances["couleur"]["lose"]) > 1e-6


@pytest.mark.parametrize("house", ["france-2007", "monte-carlo-1911"])
def test_edges_are_those_of_the_house_with_and_without_insurance(house: str) -> None:
    """Each wager of the house at these odds; insured ones where the house insures."""
    rules = load_house(house)
    wagers = advantage(
        rules,
        CompletedOdds(deal_odds(Composition.parse(CARDS))),
        opening=rules.lowest_opening(),
    ).wagers
    edges = told(CARDS, "--house", house)["edges"]
    assert [(e["chance"], e["insured"], e["edge"]) for e in edges] == [
        (wager.chance, wager.insured, float(wager.edge)) for wager in wagers
    ]
    assert {edge["insured"] for edge in edges} == {False, True}


def test_insurance_is_worth_what_it_takes_off_the_edge_now() -> None:
    """The gain is the least edge without it less the least with it, and its share of the premium.

    Where 31-31 is likely enough, the premium of 1 % is well spent; where it is rare, it is lost.
    """
    for cards, well_spent in ((CARDS, None), ("4:8,7:20,X:12", True), ("9:40,X:40", False)):
        found = told(cards)
        for chance, insurance in found["insurance"].items():
            least = {
                insured: min(
                    edge["edge"]
                    for edge in found["edges"]
                    if (edge["chance"], edge["insured"]) == (chance, insured)
                )
                for insured in (False, True)
            }
            assert insurance["uninsured"] == least[False]
            assert insurance["insured"] == least[True]
            assert abs(insurance["gain"] - (least[False] - least[True])) < 1e-12
            assert abs(insurance["of_premium"] - insurance["gain"] / 0.01) < 1e-9
            if well_spent is not None:
                assert (insurance["gain"] > 0) is well_spent
        assert set(found["insurance"]) == {"rouge", "noir", "couleur", "inverse"}


def test_a_house_without_insurance_tells_of_none() -> None:
    """No premium, so nothing that it is worth."""
    found = told(CARDS, "--house", "hoyle-19c")
    assert found["insurance"] == {}
    assert not any(edge["insured"] for edge in found["edges"])
