"""Card counting: exact edges coup by coup on every chance, the linear count, the theory."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import cache
from typing import Any

import pytest

pytest.importorskip("numba")

import numpy as np

from trente_rules import TrenteError, deal_coup, load_house
from trente_rules.core.house.house import House
from trente_rules.odds.fast import fast_odds
from trente_rules.odds.last_coups import advantage_of_cards
from trente_rules.odds.remaining import CompletedOdds, Composition, unfinished
from trente_rules.odds.removal import predicted
from trente_rules.players.counting import ALL, SIMPLE, Counting, _odds, count_shoes
from trente_rules.players.tallies import DEPTHS, Choosing, CountSums, Favourable
from trente_rules.simulation import compiled
from trente_rules.simulation.flat import shoes_of


@cache
def counted(name: str = "italy-half-loss", shoes: int = 2) -> Counting:
    """Count some shoes, once."""
    return count_shoes(load_house(name), shoes=shoes, seed=4, workers=1)


def compositions(house: House, seed: int = 4) -> list[Composition]:
    """Return the cards unseen before each coup of the first shoe, while 40 are."""
    (shoe,) = shoes_of(house, seed, 0, 1)
    found = []
    while not house.shoe.ended(shoe):
        left = Composition.after(shoe.packs, house.shoe.seen(shoe))
        dealt = house.shoe.deal(shoe)
        if dealt.coup is None or left.cards < 40:
            break
        found.append(left)
        shoe = dealt.shoe
    return found


@pytest.mark.slow
@pytest.mark.parametrize("name", ["italy-half-loss", "france-2007", "venezia-online", "hoyle-19c"])
def test_the_counter_knows_the_exact_edges(name: str) -> None:
    """M2: each chance, under every policy, insured too, the better of the two, the best of all."""
    house = load_house(name)
    lines: dict[tuple[str, str], list[float]] = {}
    for left in compositions(house):
        odds = CompletedOdds(fast_odds(left.noir, left.rouge))
        wagers = advantage_of_cards(house, left, odds).wagers
        simple = {chance.id for chance in house.chances if chance.simple}
        groups = {chance.id: {chance.id} for chance in house.chances} | {SIMPLE: simple}
        if len(simple) < len(house.chances):
            groups[ALL] = {chance.id for chance in house.chances}
        for group, names in groups.items():
            mine = [w for w in wagers if w.chance in names]
            for kind, kinds in (("uninsured", [False]), ("insured", [True]), ("better", [0, 1])):
                edges = [float(w.edge) for w in mine if w.insured in kinds]
                if edges and (kind != "better" or any(w.insured for w in mine)):
                    lines.setdefault((group, kind), []).append(min(edges))
    found = count_shoes(house, shoes=1, seed=4, workers=1)
    assert [(each.name, each.kind) for each in found.watched] == list(lines)
    for each, edges in zip(found.watched, lines.values(), strict=True):
        wanted = Favourable.of(edges)
        assert (each.whole.coups, each.whole.favourable) == (wanted.coups, wanted.favourable)
        assert each.whole.gain == pytest.approx(wanted.gain, abs=1e-12)
        assert each.whole.best == pytest.approx(wanted.best, abs=1e-12)
        assert each.whole.mean == pytest.approx(wanted.mean, abs=1e-12)


def test_the_first_coup_has_the_edge_of_a_full_shoe() -> None:
    """1.09457 % uninsured, 1 % insured: the first of ten coups cannot be far away."""
    found = counted()
    for kind, edge in (("uninsured", 0.0109457), ("insured", 0.01)):
        watched = found.of("rouge", kind)  # type: ignore[arg-type]
        assert watched is not None
        part = watched.by_depth[0]
        assert part is not None
        assert part.mean == pytest.approx(edge, abs=2e-4)
    assert found.uninsured is not None
    assert found.insured is not None


def test_a_side_bet_is_favourable_where_ties_are_likely() -> None:
    """M2: any-apres and exact-apres-31, by the ties of the law itself."""
    house = load_house("venezia-online")
    edges: dict[str, list[float]] = {"any-apres": [], "exact-apres-31": []}
    for left in compositions(house):
        points = fast_odds(left.noir, left.rouge).points
        edges["any-apres"].append(1 - 9 * sum(points[i][i] for i in range(10)))
        edges["exact-apres-31"].append(1 - 40 * points[0][0])
    found = count_shoes(house, shoes=1, seed=4, workers=1)
    for name, line in edges.items():
        watched = found.of(name, "uninsured")
        assert watched is not None
        assert watched.whole.mean == pytest.approx(np.mean(line), abs=1e-12)
        assert watched.whole.best == pytest.approx(min(line), abs=1e-12)
        assert watched.cost is not None
        assert watched.theory is not None
    rouge = found.of("rouge", "uninsured")
    assert rouge is not None
    assert rouge.cost is None
    assert found.best.name == ALL


@pytest.mark.nightly
def test_side_bets_are_favourable_as_often_as_was_measured() -> None:
    """M2, M29: 100 shoes; two other samples of 100 and 300 gave 16.4 and 17.5 %, 5.2 and 6.2 %.

    The theory was written out a second time, over the cards left before 26,233 coups of 1,000 other
    shoes: 16.63 % and 0.002376, 4.74 % and 0.002768.
    """
    found = count_shoes(load_house("venezia-online"), shoes=100, seed=2)
    for name, share, per_coup, theory in (
        ("any-apres", (0.13, 0.21), (0.0017, 0.0042), (0.1663, 0.002376)),
        ("exact-apres-31", (0.035, 0.085), (0.0018, 0.0062), (0.0474, 0.002768)),
    ):
        watched = found.of(name, "uninsured")
        assert watched is not None
        whole = watched.whole
        assert whole.share is not None
        assert whole.per_coup is not None
        assert share[0] < whole.share < share[1], watched
        assert per_coup[0] < whole.per_coup < per_coup[1], watched
        assert watched.theory is not None
        assert watched.theory.share == pytest.approx(theory[0], abs=0.001)
        assert watched.theory.per_coup == pytest.approx(theory[1], abs=0.00003)
    simple = found.of(SIMPLE, "uninsured")
    assert simple is not None
    assert simple.whole.per_coup is not None
    assert simple.whole.per_coup < 0.0001


def test_the_linear_count_follows_the_exact_edge() -> None:
    """It has the tags of couleur, odd in the colours but for half a refait, and correlates."""
    found = counted()
    tags = found.tags("couleur")
    assert tags is not None
    refait = {each.name: each for each in found.effects}["refait"]
    for value, name in enumerate(("A", "2", "3", "4", "5", "6", "7", "8", "9", "X")):
        noir, rouge = tags[f"{name} noir"][0], tags[f"{name} rouge"][0]
        assert noir is not None
        assert rouge is not None
        # Half a stake is lost at a refait, whatever the colour.
        assert noir + rouge == pytest.approx(refait.noir[value])
        insured = tags[f"{name} noir"][1]
        assert insured is not None
    simple = found.of(SIMPLE, "uninsured")
    assert simple is not None
    assert simple.linear.correlation is not None
    assert simple.linear.correlation > 0.5
    assert found.tags("nothing") is None


@pytest.mark.slow
def test_counting_does_not_depend_on_the_workers() -> None:
    """The same figures in the same order, to the last digit."""
    found = count_shoes(load_house("italy-half-loss"), shoes=2, seed=4, workers=2)
    assert found.watched == counted().watched
    assert found.to_json() == counted().to_json()


def test_coups_are_counted_by_depth() -> None:
    """Each coup is in one part of the shoe; the last few cards are left out and counted apart."""
    found = counted()
    for each in found.watched:
        parts = [part for part in each.by_depth if part is not None]
        assert len(each.by_depth) == DEPTHS
        assert sum(part.coups for part in parts) == found.coups == each.whole.coups
        assert min(part.best or 0 for part in parts) == each.whole.best
    assert found.too_few > 0
    assert found.shoes == found.asked == 2
    told = found.to_json()
    assert told["coups"] == found.coups
    assert "Thorp and Walden" in told["published"]
    assert told["watched"][0]["by_depth"][0]["from"] == 0.0
    assert told["chances"] == ["rouge", "noir", "couleur", "inverse"]


@pytest.mark.slow
def test_a_coup_counts_that_needs_no_card_behind_the_end() -> None:
    """M21: coups begun in the last cards are completed as often as the law that stops there says.

    The law of all unseen cards, five of them burned, promises a quarter more.
    """
    house, promised, unseen, variance, completed = load_house("italy-half-loss"), 0.0, 0.0, 0.0, 0
    for whole in shoes_of(house, 1, 0, 40):
        shoe = whole
        while shoe.left:
            dealt = deal_coup(shoe)
            if shoe.position >= 290:
                left = Composition.of_shoe(shoe)
                share = 1 - float(unfinished(_odds(left, shoe.left)))
                promised, variance = promised + share, variance + share * (1 - share)
                unseen += 1 - fast_odds(left.noir, left.rouge).unfinished
                completed += dealt.coup is not None
            shoe = dealt.shoe
    seed = "seed 1"
    assert abs(promised - completed) < 3 * variance**0.5, (seed, promised, completed)
    assert unseen > 1.1 * promised


def test_what_is_favourable_is_counted() -> None:
    """Two of four edges below zero: by 2 % on the average, 1 % for each coup watched."""
    found = Favourable.of([-0.01, 0.02, -0.03, 0.01])
    assert (found.coups, found.favourable, found.share) == (4, 2, 0.5)
    assert found.gain == pytest.approx(0.02)
    assert found.per_coup == pytest.approx(0.01)
    assert found.best == -0.03
    never = Favourable.of([0.01])
    assert (never.share, never.per_coup, never.gain) == (0.0, 0.0, None)


def test_means_of_no_coups_are_missing() -> None:
    """M19: a quotient with nothing below it is None, null in JSON, and never nought."""
    none = Favourable.of([])
    assert (none.share, none.per_coup, none.gain, none.best, none.mean) == (None,) * 5
    assert none.to_json()["share"] is None
    empty = CountSums.empty(1).watched(0, "one", "uninsured", None, needs=False)
    assert empty.whole == none
    assert (empty.linear.placed, empty.linear.gain, empty.linear.correlation) == (0, None, None)
    never = Choosing("rouge", "refait", "partage", 3, 0, None)
    assert (never.share, Choosing("rouge", "refait", "partage", 0, 0, None).share) == (0.0, None)
    assert predicted(counted().effects[0], ()) is None


def tally_of(exact: Sequence[float], linear: Sequence[float]) -> CountSums:
    """Return the tally of one figure, in the middle of the shoe."""
    tally = CountSums.empty(1)
    tally.left.update([100] * len(exact))
    places = np.full(len(exact), 5)
    simple = np.full(len(exact), 0.01)
    tally.add(0, places, np.array(exact), np.array(linear), simple, 0.01)
    return tally


def test_the_linear_count_is_judged_by_what_it_places() -> None:
    """It is right where the exact edge is below zero too; the simple stake costs where it is."""
    exact, linear = [-0.02, 0.01, -0.01, 0.01], [-0.01, -0.01, 0.01, 0.02]
    tally = tally_of(exact, linear)
    tally.merge(CountSums.empty(1))
    found = tally.watched(0, "one", "uninsured", None, needs=True)
    assert (found.linear.placed, found.linear.right) == (2, 1)
    assert found.linear.gain == pytest.approx(0.005)
    assert found.linear.correlation == pytest.approx(np.corrcoef(exact, linear)[0, 1])
    assert found.cost == pytest.approx(0.02)
    halves = tally_of(exact[:2], linear[:2])
    halves.merge(tally_of(exact[2:], linear[2:]))
    assert halves.watched(0, "one", "uninsured", None, needs=True) == found
    assert halves.coups == 4
    empty = CountSums.empty(1).watched(0, "one", "uninsured", None, needs=False)
    assert (empty.linear.correlation, empty.whole.mean, empty.cost) == (None, None, None)
    flat = tally_of([0.01] * 3, [0.01, 0.02, 0.03]).watched(0, "x", "insured", None, needs=False)
    assert flat.linear.correlation is None


def test_a_choice_that_another_course_wins_is_counted() -> None:
    """M31: in one of three coups prison is worth more, by a tenth."""
    tally = CountSums.empty(1)
    worths = {"prison": np.array([0.6, 0.4, 0.3]), "partage": np.array([0.5, 0.5, 0.5])}
    tally.choose({("couleur", "refait"): worths})
    (found,) = tally.choosing()
    assert (found.usual, found.coups, found.other) == ("partage", 3, 1)
    assert found.share == pytest.approx(1 / 3)
    assert found.gain == pytest.approx(0.1)


def test_choices_at_a_refait_are_counted_where_there_are_any() -> None:
    """M31: partage is nearly always best in France; half-lost houses leave no choice."""
    france = counted("france-2007", 1)
    assert {each.chance for each in france.choosing} == {"rouge", "noir", "couleur", "inverse"}
    for each in france.choosing:
        assert each.usual == "partage"
        assert each.coups == france.coups
    assert counted().choosing == ()


def test_a_house_without_insurance_is_counted_too() -> None:
    """Nothing insured is reported."""
    found = counted("foster-1897", 1)
    assert found.insured is None
    assert found.of("rouge", "better") is None
    assert found.to_json()["insured"] is None


def test_a_house_without_couleur_is_counted_too() -> None:
    """M2: rouge and noir alone still move with the refait."""
    found = counted("hoyle-19c", 1)
    assert {each.name for each in found.watched} == {"rouge", "noir", SIMPLE}
    assert found.best.name == SIMPLE
    assert found.uninsured is not None
    assert found.uninsured.mean == pytest.approx(0.011, abs=0.002)


@pytest.mark.slow
def test_an_interrupt_gives_what_is_done() -> None:
    """The shoes that were counted, in order."""

    def stop(done: int, _total: int) -> None:
        if done == 1:
            raise KeyboardInterrupt

    found = count_shoes(load_house("italy-half-loss"), shoes=3, seed=4, workers=1, progress=stop)
    assert found.shoes == 1
    assert found.watched == counted(shoes=1).watched


@pytest.mark.nightly
def test_the_last_cards_are_counted_to_the_end() -> None:
    """Fewer than forty cards too."""
    house = load_house("german-spas-1840")
    found = count_shoes(house, shoes=1, seed=1, to_the_end=True, workers=2)
    assert found.too_few == 0
    assert found.watched[0].by_depth[8] is not None


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
    """Invalid shoes, seeds and workers."""
    with pytest.raises(TrenteError) as caught:
        count_shoes(load_house("france-2007"), **options)
    assert caught.value.code == code


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
