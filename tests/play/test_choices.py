"""The choice at a refait: what each course is worth, exactly, and which one is picked."""

from __future__ import annotations

from fractions import Fraction

import pytest
from tests.play.scenes import before_a_refait
from tests.play.seated import play_on_screen, ready, seen
from tests.whole_units import units
from textual.pilot import Pilot
from textual.widgets import OptionList

from trente_rules import load_house
from trente_rules.odds.advantage import law_of
from trente_rules.odds.coup_odds import fresh_shoe
from trente_rules.play.app import TableApp
from trente_rules.play.dialogs import AskScreen
from trente_rules.play.session import PlaySession


def at_a_choice() -> PlaySession:
    """Return a session with 20 EUR on rouge at a refait that leaves a choice."""
    session = before_a_refait()
    session.deal()
    return session


def test_the_worth_of_a_course_is_exact() -> None:
    """U19: in france-2007 partage is worth 10.00 of 20, prison less: from the odds of one coup.

    A prisoner that is freed is paid back, one that loses is lost; a further refait leaves the same
    choice, and partage is then taken, which returns half of the worth.
    """
    session = at_a_choice()
    house, offer = session.house, session.offers()[0]
    worths = session.worths(offer)
    law = {v.id: p for v, p in law_of(house.chance("rouge"), fresh_shoe(6)).items()}
    prison = law["win"] + law["refait"] / 2
    exact = prison / (1 - law["apres"]) * units(house, 20)
    assert worths["partage"] == units(house, 10)
    assert abs(worths["prison"] - exact) < Fraction(units(house, 1), 4)
    assert worths["prison"] < worths["partage"]
    assert f"{float(worths['prison']) / units(house, 1):.2f}" == "9.88"


@pytest.mark.slow
def test_the_question_shows_the_worth_and_picks_the_best() -> None:
    """U19: the worth is beside each course, the best one marked and picked; a plain sentence."""

    async def play(app: TableApp, pilot: Pilot[None]) -> None:
        await pilot.press("d")
        await pilot.pause()
        assert isinstance(app.screen, AskScreen)
        shown = seen(app)
        assert "Refait! Your 20 EUR on rouge: prison or half back?" in shown
        prison = next(line for line in shown.split("\n") if "prison: 20 in prison" in line)
        half = next(line for line in shown.split("\n") if "half back: 10 back" in line)
        assert "worth 9.88 EUR" in prison
        assert "best" not in prison
        assert "worth 10.00 EUR" in half
        assert "best" in half
        picks = app.screen.query_one(OptionList)
        assert picks.highlighted is not None
        assert picks.get_option_at_index(picks.highlighted).id == "partage"
        await pilot.press("enter")
        await pilot.pause()
        assert not app.session.state.stakes

    play_on_screen(before_a_refait(), play)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["italy-two-prisons", "spain-1979", "germany-500"])
def test_the_best_course_is_picked_in_other_houses(name: str) -> None:
    """U19: whatever the house offers, the course that is picked is worth the most."""
    session = ready(name)
    for _coup in range(400):
        if session.step == "shuffle":
            session.shuffle()
        while session.step in ("cut", "marker"):
            session.cut(100) if session.step == "cut" else session.place_marker(
                load_house(name).shoe.marker.bounds[0]  # type: ignore[union-attr]
            )
        if session.offers():
            break
        if not session.free_stakes and session.step == "deal":
            session.add("rouge")
        session.deal()
    if not session.offers():
        pytest.skip("this house leaves no choice")

    async def play(app: TableApp, pilot: Pilot[None]) -> None:
        await pilot.pause()
        offer = app.session.offers()[0]
        worths = app.session.worths(offer)
        picks = app.screen.query_one(OptionList)
        assert picks.highlighted is not None
        picked = picks.get_option_at_index(picks.highlighted).id
        assert worths[str(picked)] == max(worths.values())

    play_on_screen(session, play)
