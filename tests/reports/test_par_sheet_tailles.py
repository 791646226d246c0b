"""The coups of a taille on the PAR sheet: published means, exact bounds, shoes dealt."""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib.resources import files
from math import sqrt
from typing import Any

import pytest

from trente_rules import House, Shoe, load_house, loads_house
from trente_rules.core.cards import PACK
from trente_rules.fair.entropy import SeededShuffler
from trente_rules.odds.coup_odds import fresh_shoe
from trente_rules.reports import par_sheet
from trente_rules.reports.formats import text
from trente_rules.reports.par_sheet import TailleFigures, taille_figures
from trente_rules.reports.par_sheet_layout import sheet_report


def with_shoe(shoe: str) -> House:
    """Return a house with a shoe rule of its own."""
    ends = 'ends = "last-card"\n' if "marker" in shoe and "ends" not in shoe else ""
    head = '[house]\nname = "dealt"\nextends = "foster-1897"\n'
    return loads_house(f"{head}[shoe]\n{ends}{shoe}\n")


def stored(packs: int) -> Any:
    """Return the counts of shoes dealt."""
    folder = files("trente_rules.reports") / "shoes"
    return json.loads((folder / f"{packs}.json").read_text("utf-8"))


def test_six_packs_dealt_to_the_end_have_the_mean_that_is_published() -> None:
    """29.02 coups, 25 to 32 of them; 28.58 with five cards burned."""
    (whole,) = taille_figures(load_house("foster-1897"))
    assert round(whole.coups.mean, 2) == 29.02
    assert (whole.fewest, whole.most) == (25, 32)
    assert whole.from_end is None
    (burned,) = taille_figures(load_house("italy-half-loss"))
    assert round(burned.coups.mean, 2) == 28.58


def test_the_trap_refaits_of_completed_coups_are_more_than_q() -> None:
    """About .02194 dealt to the end, where q is .02189; the sure coups have q exactly."""
    (whole,) = taille_figures(load_house("foster-1897"))
    assert round(whole.share.mean, 5) == 0.02194
    assert whole.share.mean - float(whole.q) > 5 * whole.share.error
    assert whole.q == fresh_shoe(6).tie(31)
    assert whole.sure_refaits == 25 * whole.q
    assert abs(whole.refaits.mean - 0.637) < 0.001


def test_a_marker_that_voids_ends_the_taille_before_it() -> None:
    """Five cards behind the marker are five cards fewer, as five that are burned."""
    (marked,) = taille_figures(load_house("france-2007"))
    (burned,) = taille_figures(load_house("italy-half-loss"))
    assert marked.coups == burned.coups
    assert marked.cards == burned.cards == 307
    assert marked.from_end == 5


def test_a_marker_that_lets_the_coup_be_finished_is_told_at_its_bounds() -> None:
    """The Italian program: 20 to 40 cards from the end, so three places; .02193 refaits a coup."""
    low, middle, high = taille_figures(load_house("italian-program"))
    assert [low.from_end, middle.from_end, high.from_end] == [20, 30, 40]
    assert low.coups.mean > middle.coups.mean > high.coups.mean
    assert abs(low.share.mean - 0.02193) < 0.00002


def test_a_house_whose_ties_lose_nothing_has_no_refaits() -> None:
    """Wilhelmsbad knows no refait."""
    (line,) = taille_figures(load_house("wilhelmsbad-1840"))
    assert line.q == 0
    assert line.refaits.mean == 0
    assert 14 < line.coups.mean < 14.3


@pytest.mark.parametrize("packs", range(1, 9))
def test_the_stored_counts_agree_with_exact_odds(packs: int) -> None:
    """The first coup of each shoe is completed, and ties on each point as often as it must."""
    counts = stored(packs)
    dealt = counts["tailles"]
    odds = fresh_shoe(packs)
    assert (
        counts["coups"]["by_start"][0] + dealt * odds.unfinished_weight / odds.denominator == dealt
    )
    for point, ties in zip(range(31, 41), counts["ties"]["by_start"], strict=True):
        p = float(odds.tie(point))
        assert abs(ties[0] / dealt - p) < 5 * sqrt(p / dealt)
    assert sum(counts["coups"]["by_start"]) == sum(counts["coups"]["by_end"])


RULES = {
    "to the end": "packs = 2\nburn = 7",
    "void": (
        'packs = 2\nends = "last-card"\n'
        'marker = { from_end = 12, placed_by = "croupier", on_marker = "void" }'
    ),
    "finish": (
        'packs = 2\nends = "last-card"\n'
        'marker = { from_end = 12, placed_by = "croupier", on_marker = "finish" }'
    ),
    "finish late": (
        'packs = 2\nburn = 3\nends = "last-card"\n'
        'marker = { from_end = 25, placed_by = "croupier", on_marker = "finish" }'
    ),
}


def dealt(house: House, shoes: int) -> Iterator[tuple[int, int]]:
    """Deal tailles as a table does; answer coups and refaits of each."""
    shuffler = SeededShuffler("5a" * 16)
    for _ in range(shoes):
        shoe = house.shoe.prepare(Shoe(shuffler.shuffle(PACK * house.shoe.packs), house.shoe.packs))
        coups = refaits = 0
        while not house.shoe.ended(shoe):
            one = house.shoe.deal(shoe)
            shoe = one.shoe
            if one.coup is None:
                break
            coups += 1
            refaits += one.coup.first.point == one.coup.second.point == 31
            if one.marker:
                break
        yield coups, refaits


def agrees(line: TailleFigures, found: list[tuple[int, int]]) -> bool:
    """Return whether tailles that were dealt lie within six standard errors, and the bounds."""
    number = len(found)
    coups = [c for c, _r in found]
    refaits = sum(r for _c, r in found)
    mean = sum(coups) / number
    error = sqrt(sum((c - mean) ** 2 for c in coups) / number / number) + line.coups.error
    near = abs(mean - line.coups.mean) <= 6 * error
    few = abs(refaits / number - line.refaits.mean) <= 6 * sqrt(line.refaits.mean / number)
    return near and few and all(line.fewest <= c <= line.most for c in coups)


@pytest.mark.slow
@pytest.mark.parametrize("rule", RULES)
def test_tailles_that_are_dealt_have_the_means_and_keep_the_bounds(rule: str) -> None:
    """Shoes of two packs, dealt coup by coup under each rule of the marker."""
    house = with_shoe(RULES[rule])
    (line,) = taille_figures(house)
    assert agrees(line, list(dealt(house, 300)))


@pytest.mark.nightly
@pytest.mark.parametrize("rule", RULES)
def test_many_tailles_that_are_dealt_have_the_means(rule: str) -> None:
    """As above, with shoes enough to tell a coup in a hundred tailles."""
    house = with_shoe(RULES[rule])
    (line,) = taille_figures(house)
    assert agrees(line, list(dealt(house, 20_000)))


def test_the_sheet_tells_how_many_shoes_were_dealt() -> None:
    """Beside each estimate stands its error, and above them what they are of, with the seed."""
    sheet = par_sheet(load_house("france-2007"))
    assert sheet.tailles_dealt == stored(6)["tailles"] == 40_000_000
    assert sheet.tailles_seed == stored(6)["seed"]
    assert f"from the seed {sheet.tailles_seed}" in " ".join(
        text.render(sheet_report(sheet)).split()
    )
    assert 0 < sheet.tailles[0].coups.error < 0.0002


def test_a_machine_that_shuffles_for_every_coup_has_no_tailles() -> None:
    """D-R35: nothing is said of last coups, of the dependence in a shoe, or of shoes dealt."""
    sheet = text.render(sheet_report(par_sheet(load_house("eight-packs-machine"))))
    assert "There are no tailles" in sheet
    assert "shoes dealt" not in sheet
    assert "--sequential" not in sheet
    assert "last coup" not in sheet


def test_a_burn_by_the_first_card_is_in_words() -> None:
    """D-R14: the sheet says how many are burned, not the value of the key."""
    house = loads_house(
        '[house]\nname = "b"\nextends = "italy-prison"\n'
        '[shoe]\nburn = "first-card"\nburn_shown = false\n'
    )
    sheet = text.render(sheet_report(par_sheet(house)))
    assert "burned: the first card, and as many as it has points" in sheet
    assert "first-card" not in sheet
