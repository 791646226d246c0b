"""Properties must meet their cases: a property that never does fails, and says which."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import pytest
from hypothesis import assume, settings
from hypothesis import strategies as st
from tests.properties.meeting import (
    LENGTH,
    Kind,
    Meeting,
    in_rounds,
    lines,
    meets,
    reported,
    totals,
)

NUMBERS: Final = Kind("numbers", {"even": lambda n: n % 2 == 0, "large": lambda n: n > 90})


def seen(*, most: int = 100) -> st.SearchStrategy[int]:
    """Return a strategy for numbers that count."""

    def see(number: int) -> int:
        NUMBERS.see(number)
        return number

    return st.integers(0, most).map(see)


@contextmanager
def profile(name: str) -> Iterator[None]:
    """Run with the settings of a profile, whichever the tests run with."""
    before = settings()
    settings.register_profile("of a test", parent=settings.get_profile(name))
    settings.load_profile("of a test")
    try:
        yield
    finally:
        settings.register_profile("before", parent=before)
        settings.load_profile("before")


def test_a_property_that_meets_its_cases_passes() -> None:
    """It runs until it has met them, and reports how often."""

    @meets(number=seen())
    def holds(number: int) -> None:
        assert number >= 0

    reported()
    holds()
    ((_name, found),) = reported()
    assert '"large": 0' not in str(found)


def test_at_night_a_rare_case_is_looked_for_until_it_is_met() -> None:
    """One long round, without a seed; then short ones, until nothing is missing."""
    assert not settings.get_profile("nightly").derandomize
    rounds: list[int] = []
    meeting = Meeting("rare")

    def run(_seeded: object, many: int) -> None:
        rounds.append(many)
        meeting.kinds[NUMBERS.name] = NUMBERS
        meeting.met.update(["even", *(["large"] if sum(rounds) > 30 else [])])

    with profile("nightly"):
        in_rounds(meeting, run, examples=20)
    reported()
    assert rounds == [20, LENGTH, LENGTH]


def test_a_case_that_is_never_met_fails() -> None:
    """A7: a generator that never draws a case is found out, after all rounds."""

    @meets(number=seen(most=90))
    def holds(number: int) -> None:
        assert number <= 90

    with pytest.raises(AssertionError, match=r"never met, in \d+ examples: large"):
        holds()
    reported()


def test_an_example_that_is_left_out_does_not_count() -> None:
    """A case that every example of is assumed away is not met."""

    @meets(number=seen())
    def holds(number: int) -> None:
        assume(number <= 90)

    with pytest.raises(AssertionError, match="never met"):
        holds()
    reported()


def test_a_property_that_looks_at_nothing_fails() -> None:
    """Where a look is lost nothing would be missing."""

    @meets(number=st.integers())
    def holds(number: int) -> None:
        assert number == number  # noqa: PLR0124 - it looks at nothing

    with pytest.raises(AssertionError, match="looks at nothing"):
        holds()
    reported()


def test_a_case_may_be_declared_as_missed() -> None:
    """A case or a whole kind, with the reason; where it is met after all the reason is stale.

    At night it may be met by chance.
    """
    for misses in ({"large": "none is drawn"}, {"numbers": "they are not looked at"}):

        @meets(number=seen(most=90), misses=misses)
        def holds(number: int) -> None:
            assert number <= 90

        holds()

    @meets(number=seen(), misses={"large": "none is drawn"})
    def stale(number: int) -> None:
        assert number <= 100

    with profile("fast"), pytest.raises(AssertionError, match="meets after all: large"):
        stale()
    with profile("nightly"):
        stale()
    reported()


def test_the_report_adds_properties_up() -> None:
    """The sum of all, the fewest of one, and how many can meet the case."""
    found = [
        {"name": name, "examples": 9, "met": {"numbers": {"even": times}}}
        for name, times in (("a", 4), ("b", 2))
    ]
    (total,) = totals(found)
    assert (total.times, total.least, total.properties) == (6, 2, 2)
    assert [line.split() for line in lines(found)][1] == ["6", "2", "2", "even"]
