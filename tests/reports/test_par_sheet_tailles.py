"""The coups of a taille on the PAR sheet: published means, exact bounds, shoes dealt."""

from __future__ import annotations

from collections.abc import Iterator
from math import sqrt

import pytest

from trente_rules import House, Shoe, load_house, loads_house
from trente_rules.core.cards import PACK
from trente_rules.fair.entropy import SeededShuffler
from trente_rules.odds.coup_odds import fresh_shoe
from trente_rules.odds.taille import Estimated
from trente_rules.reports import par_sheet
from trente_rules.reports.formats import text
from trente_rules.reports.par_sheet_layout import sheet_report
from trente_rules.reports.tailles import TailleFigures, taille_figures


def with_shoe(shoe: str) -> House:
    """Return a house with a shoe rule of its own."""
    ends = 'ends = "last-card"\n' if "marker" in shoe and "ends" not in shoe else ""
    head = '[house]\nname = "dealt"\nextends = "foster-1897"\n'
    return loads_house(f"{head}[shoe]\n{ends}{shoe}\n")


def known(estimated: Estimated | None) -> Estimated:
    """Return a figure that must be there."""
    assert estimated is not None
    return estimated


def test_six_packs_dealt_to_the_end_have_the_mean_that_is_published() -> None:
    """29.02 coups, 25 to 32 of them; 28.58 with five cards burned."""
    (whole,) = taille_figures(load_house("foster-1897"))
    assert round(known(whole.coups).value, 2) == 29.02
    assert (whole.fewest, whole.most) == (25, 32)
    assert whole.places is None
    (burned,) = taille_figures(load_house("italy-half-loss"))
    assert round(known(burned.coups).value, 2) == 28.58


def test_the_trap_refaits_of_completed_coups_are_more_than_q() -> None:
    """About .02194 dealt to the end, where q is .02189; the sure coups have q exactly."""
    (whole,) = taille_figures(load_house("foster-1897"))
    share = known(whole.share)
    assert round(share.value, 5) == 0.02194
    assert share.value - float(whole.q) > 5 * share.error
    assert whole.q == fresh_shoe(6).tie(31)
    assert whole.sure_refaits == 25 * whole.q
    assert abs(known(whole.refaits).value - 0.637) < 0.001


def test_a_marker_that_voids_ends_the_taille_before_it() -> None:
    """Five cards behind the marker are five cards fewer, as five that are burned."""
    (marked,) = taille_figures(load_house("france-2007"))
    (burned,) = taille_figures(load_house("italy-half-loss"))
    assert marked.coups == burned.coups
    assert marked.cards == burned.cards == 307
    assert marked.places == (5, 5)


def test_a_marker_that_lets_the_coup_be_finished_is_told_at_its_bounds() -> None:
    """M9: the mean over all places first, then both bounds; .02193 refaits a coup."""
    mean, low, high = taille_figures(load_house("italian-program"))
    assert [mean.places, low.places, high.places] == [(20, 40), (20, 20), (40, 40)]
    assert known(low.coups).value > known(mean.coups).value > known(high.coups).value
    assert abs(known(mean.share).value - 0.02193) < 0.00001
    sheet = text.render(sheet_report(par_sheet(load_house("italian-program"))))
    assert sheet.index("20 to 40, any") < sheet.index("20 from the end")


def test_a_house_whose_ties_lose_nothing_has_no_refaits() -> None:
    """Wilhelmsbad knows no refait."""
    (line,) = taille_figures(load_house("wilhelmsbad-1840"))
    assert line.q == 0
    assert known(line.refaits).value == 0
    assert 14 < known(line.coups).value < 14.3


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
    error = sqrt(sum((c - mean) ** 2 for c in coups) / number / number) + known(line.coups).error
    near = abs(mean - known(line.coups).value) <= 6 * error
    expected = known(line.refaits).value
    few = abs(refaits / number - expected) <= 6 * sqrt(expected / number)
    return near and few and all(line.fewest <= c <= line.most for c in coups)


@pytest.mark.slow
@pytest.mark.parametrize("rule", RULES)
def test_tailles_that_are_dealt_have_the_means_and_keep_the_bounds(rule: str) -> None:
    """Shoes of two packs, dealt coup by coup under each rule of the marker."""
    pytest.importorskip("numba")
    house = with_shoe(RULES[rule])
    (line,) = taille_figures(house, compute=True)
    assert agrees(line, list(dealt(house, 300)))


@pytest.mark.nightly
@pytest.mark.parametrize("rule", RULES)
def test_many_tailles_that_are_dealt_have_the_means(rule: str) -> None:
    """As above, with shoes enough to tell a coup in a hundred tailles."""
    pytest.importorskip("numba")
    house = with_shoe(RULES[rule])
    (line,) = taille_figures(house, compute=True)
    assert agrees(line, list(dealt(house, 20_000)))


def test_the_sheet_has_the_law_and_the_hold_of_every_wager() -> None:
    """M8, M24, M25: how likely each number of coups is, and what the bank holds."""
    sheet = par_sheet(load_house("france-2007"))
    shown = " ".join(text.render(sheet_report(sheet)).split())
    assert "28 coups 41.58" in shown
    assert "hold, whole tailles" in shown
    assert all(known(line.held).value >= 0.0099 for line in sheet.wagers)
    assert "no exact" not in shown.lower()


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
