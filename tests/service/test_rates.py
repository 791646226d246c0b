"""Rates: bursts and the long run, by key, in bounded room."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trente_rules.service.rates import Frequency, Rates


class Clock:
    """A clock that a test moves."""

    def __init__(self) -> None:
        """Begin anywhere but at 0."""
        self.now = 100.0

    def __call__(self) -> float:
        """Return the time, in seconds."""
        return self.now


def test_a_burst_and_then_the_rate() -> None:
    """Sixty at once, the next after a twentieth of a second; a pause gives all of it back."""
    clock = Clock()
    rates = Rates(Frequency(20, 60), clock)
    assert [rates.take("a") for _ in range(60)] == [0.0] * 60
    assert rates.take("a") == pytest.approx(0.05)
    assert rates.take("a") == pytest.approx(0.05), "one that is refused costs nothing"
    assert rates.take("b") == 0
    clock.now += 0.0501
    assert rates.take("a") == 0
    assert rates.take("a") > 0
    clock.now += 3.1
    assert [rates.take("a") for _ in range(60)] == [0.0] * 60
    assert rates.take("a") > 0


@given(
    st.lists(st.tuples(st.floats(0, 2), st.integers(0, 2)), max_size=80),
    st.integers(1, 5),
    st.sampled_from([0.5, 1.0, 4.0]),
)
def test_no_window_has_more(steps: list[tuple[float, int]], burst: int, per_second: float) -> None:
    """In no window of time a key takes more than its burst and what the window gives."""
    clock = Clock()
    rates, taken = Rates(Frequency(per_second, burst), clock), list[tuple[float, int]]()
    for pause, key in steps:
        clock.now += pause
        wait = rates.take(key)
        assert 0 <= wait <= 1 / per_second + 1e-6
        if not wait:
            taken.append((clock.now, key))
    for begin, key in taken:
        for end, other in taken:
            if other == key and end >= begin:
                few = sum(begin <= time <= end for time, each in taken if each == key)
                assert few <= burst + (end - begin) * per_second + 1e-6


def test_what_is_over_is_forgotten() -> None:
    """Keys that could begin anew are not kept, however many there were."""
    clock = Clock()
    rates = Rates(Frequency(10, 5), clock)
    for number in range(1000):
        rates.take(number)
    assert len(rates) == 1000
    clock.now += 1
    for number in range(500):
        rates.take(("again", number % 3))
    assert len(rates) == 3


def test_keys_without_end_take_bounded_room() -> None:
    """Above the most, what was used longest ago is forgotten; who comes all the time is not."""
    rates = Rates(Frequency(0.001, 1), Clock(), most=100)
    assert rates.take("busy") == 0
    for number in range(10_000):
        rates.take(number)
        assert rates.take("busy") > 0
        assert len(rates) <= 101
