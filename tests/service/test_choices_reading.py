"""The choices at a refait: what each does, in words and units, and what it is worth (U19)."""

from __future__ import annotations

from fractions import Fraction

import pytest
from tests.table.driving import Driver

from trente_rules import House, load_house, loads_house
from trente_rules.core import default_manager
from trente_rules.service.choices_reading import ChoiceReading, choices_reading
from trente_rules.service.texts import PageWords
from trente_rules.table import Audience, Choose, Settle
from trente_rules.table.events import StakeSettled
from trente_rules.table.views import Viewer

HOUSES = default_manager().names("house")


def at_a_refait(house: House, *stakes: tuple[str, str, int], before: int = 0) -> Driver:
    """Return a table whose coup is a refait, after some other refaits."""
    driver = Driver(house)
    driver.shoe(*((31, 31),) * (before + 1))
    driver.bet(*stakes)
    driver.deal()
    return driver


def choices(driver: Driver, viewer: Viewer, language: str = "en") -> tuple[ChoiceReading, ...]:
    """Return the choices that somebody sees."""
    return choices_reading(
        driver.table.state, viewer, PageWords.of(driver.table.state.house, language)
    )


def test_a_choice_in_plain_words_with_its_worth() -> None:
    """U19, U58.6: of 40 EUR partage returns 20.00, prison is worth 19.76, and is the default."""
    driver = at_a_refait(load_house("france-2007"), ("ann", "rouge", 4000), ("bob", "noir", 1000))
    (choice,) = choices(driver, "ann")
    assert choice.question == "Refait: what happens to your 40\N{NO-BREAK SPACE}EUR on rouge?"
    prison, partage = choice.courses
    assert prison.worth_text == "19.76\N{NO-BREAK SPACE}EUR"
    assert (partage.worth, partage.worth_text) == ("2000", "20\N{NO-BREAK SPACE}EUR")
    assert (prison.best, prison.default) == (False, True)
    assert (partage.best, partage.default) == (True, False)
    assert (partage.returned, partage.taken, partage.staying) == (2000, 2000, 0)
    assert (prison.staying, prison.state) == (4000, "prison")
    assert prison.call == "En prison"
    assert partage.moves == ("20\N{NO-BREAK SPACE}EUR back", "20\N{NO-BREAK SPACE}EUR lost")
    assert [each.stake for each in choices(driver, Audience.DEALER)] == ["ann-rouge", "bob-noir"]
    assert choices(driver, Audience.PUBLIC) == ()


def test_what_is_chosen_is_seen_until_the_coup_is_settled() -> None:
    """The course that a player has taken is named; after the settlement there is no choice."""
    driver = at_a_refait(load_house("france-2007"), ("ann", "rouge", 4000))
    assert choices(driver, "ann")[0].chosen == ""
    driver.do(Choose, stake="ann-rouge", course="partage", player="ann")
    assert choices(driver, "ann")[0].chosen == "partage"
    assert not choices(Driver("france-2007"), "ann")


@pytest.mark.parametrize("name", HOUSES)
def test_the_units_of_a_course_are_those_that_it_settles(name: str) -> None:
    """What is said of each course is what the table does where it is chosen, in every house."""
    house = load_house(name)
    amount = 12 * max(
        house.limits_table.bounds(house.lowest_opening(), each.id).lowest
        for each in house.chances
        if each.simple
    )
    offered = (
        choices(at_a_refait(house, ("ann", "rouge", amount)), "ann") if house.losing_ties else ()
    )
    for choice in offered:
        assert sum(course.default for course in choice.courses) == 1
        assert any(course.best for course in choice.courses)
        for course in choice.courses:
            driver = at_a_refait(house, ("ann", "rouge", amount))
            driver.do(Choose, stake="ann-rouge", course=course.course, player="ann")
            lines = [e.line for e in driver.do(Settle) if isinstance(e, StakeSettled)]
            (line,) = lines
            assert (course.returned, course.won) == (line.returned, line.won)
            assert (course.taken, course.staying) == (line.forfeited, line.staying)
            assert Fraction(course.worth) >= line.returned


def test_a_machine_with_too_many_worths_shows_no_figure() -> None:
    """A stake that can reach thousands of worths is still offered its courses, without a worth."""
    house = loads_house(
        """
        [house]
        name = "thirds"
        extends = "france-2007"
        [limits]
        minimum = 1000000
        [refait]
        rule = "custom"
        [refait.machine.free]
        refait = [
          { course = "in", staying = "1", state = "a", default = true },
          { course = "half", returned = "1/2" },
        ]
        [refait.machine.a]
        win = [{ course = "out", returned = "1" }]
        apres = [{ course = "down", staying = "2/3", state = "a" }]
        refait = [{ course = "on", staying = "3/4", state = "a" }]
        close = [{ course = "closed", returned = "1" }]
        """
    )
    driver = at_a_refait(house, ("ann", "rouge", 100_000_000))
    (choice,) = choices(driver, "ann")
    assert [course.worth for course in choice.courses] == ["", ""]
    assert not any(course.best for course in choice.courses)
