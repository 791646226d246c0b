"""Stacked shoes: any coups, as many as six packs can hold."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trente_rules import CardError, Colour, Coup, Shoe, deal_coup
from trente_rules.core.coup import POINTS
from trente_rules.testing import coup_with, stacked_shoe

COLOURS = st.sampled_from(Colour)


def dealt(shoe: Shoe, count: int) -> list[Coup]:
    """Return the first coups of a shoe."""
    found = []
    for _ in range(count):
        one = deal_coup(shoe)
        assert one.coup is not None
        found.append(one.coup)
        shoe = one.shoe
    return found


def alike(coups: list[Coup], burn: int = 0) -> None:
    """Check that a shoe of six packs deals coups with these points and first colours."""
    found = dealt(stacked_shoe(coups, burn=burn), len(coups))
    assert [coup.outcome for coup in found] == [coup.outcome for coup in coups]


@pytest.mark.parametrize("points", [(40, 40), (31, 31), (31, 40), (36, 37)])
@pytest.mark.parametrize("first", Colour)
@pytest.mark.parametrize("second", Colour)
def test_one_coup_may_come_25_times(points: tuple[int, int], first: Colour, second: Colour) -> None:
    """C23: 25 coups of the same points and colours fit into six packs, after five cards burned."""
    alike([coup_with(*points, first, second)] * 25, burn=5)


@given(
    st.lists(
        st.builds(coup_with, st.sampled_from(POINTS), st.sampled_from(POINTS), COLOURS, COLOURS),
        min_size=25,
        max_size=25,
    )
)
def test_any_25_coups_fit(coups: list[Coup]) -> None:
    """C23: and so does any mix of them."""
    alike(coups)


def test_a_refait_and_what_comes_after_it() -> None:
    """C23: the case of every integrator, a refait and then out of prison."""
    alike([coup_with(31, 31), coup_with(36, 37)])


def test_cards_that_the_packs_hold_are_dealt_as_they_are() -> None:
    """Coups of given cards keep them."""
    coups = [
        Coup.parse("4♥ 10♠ J♦ 9♣ / 8♠ 7♦ Q♣ 6♥"),
        Coup.parse("10♠ 10♥ 10♦ A♠ / 10♥ 10♠ 10♦ A♣"),
    ]
    assert dealt(stacked_shoe(coups, burn=3), 2) == coups


def test_more_coups_than_the_packs_have_points_are_an_error() -> None:
    """One pack has 340 points: never five coups of 80."""
    alike_in_one = stacked_shoe([coup_with(40, 40)] * 4, packs=1)
    assert [coup.outcome for coup in dealt(alike_in_one, 4)] == [coup_with(40, 40).outcome] * 4
    with pytest.raises(CardError) as caught:
        stacked_shoe([coup_with(40, 40)] * 5, packs=1)
    assert caught.value.code == "too-many-of-a-card"


def test_shoes_need_no_hypothesis() -> None:
    """T13a: shoes and the check of a rule come without the extra; a strategy names it."""
    code = (
        "import sys; sys.modules['hypothesis'] = None\n"
        "from trente_rules.testing import check_refait_rule, coup_with, stacked_shoe\n"
        "stacked_shoe([coup_with(31, 31)])\n"
        "try:\n"
        "    from trente_rules.testing import houses\n"
        "except Exception as error:\n"
        "    print(type(error).__name__, error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout.startswith("TrenteError ")
    assert "hypothesis" in done.stdout
    assert 'pip install "trente-rules[testing]"' in done.stdout
