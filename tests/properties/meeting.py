"""What the properties over houses meet: counted example by example, checked when a property ends.

A property says nothing of cases: what it draws, settles or plays is looked at where it is drawn,
settled or played (``Kind.see``). A kind that a property has come upon once is one that it can meet,
so it must meet all cases of that kind, but those that it names as ``misses``, with the reason.

Hypothesis alone does not get there. After its first ten examples most of what it tries are small
changes of an example before, so thirty examples are some ten different houses. Properties therefore
run in rounds of fewer than ten, each with a seed of its own, and in a few more where a case was not
met yet. At night the first round is one of all examples, and no round has a seed.
"""

from __future__ import annotations

import inspect
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from typing import Any, Final

import pytest
from attrs import field, frozen
from hypothesis import event, given, seed, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, run_state_machine_as_test

LENGTH: Final = 9
"""Examples in a round: one more, and Hypothesis keeps some of them small."""
MOST: Final = 20
"""Rounds after which a case that was not met is a failure."""
_CURRENT: Final[ContextVar[Meeting | None]] = ContextVar("meeting", default=None)
FINISHED: Final[list[dict[str, Any]]] = []
"""What properties met that have ended since ``reported`` took the last."""


@frozen(eq=False)
class Kind:
    """A kind of thing that properties come upon, and its cases: which of the things are one."""

    name: str
    cases: Mapping[str, Callable[..., object]]

    def see(self, *thing: Any) -> None:
        """Count the cases of a thing for the property that is running, if one is."""
        meeting = _CURRENT.get()
        if meeting is not None:
            meeting.see(self, (case for case, is_one in self.cases.items() if is_one(*thing)))


@frozen(eq=False)
class Meeting:
    """What one property has met: in how many of its examples each case."""

    name: str
    misses: Mapping[str, str] = field(factory=dict)
    kinds: dict[str, Kind] = field(init=False, factory=dict)
    met: Counter[str] = field(init=False, factory=Counter)
    _now: set[str] = field(init=False, factory=set)

    def see(self, kind: Kind, cases: Iterable[str]) -> None:
        """Count cases of a kind; of one example each counts once."""
        self.kinds[kind.name] = kind
        for case in cases:
            event(f"{kind.name}: {case}")
            self._now.add(case)

    @contextmanager
    def example(self) -> Iterator[None]:
        """Run an example: what it met counts where it was neither rejected nor failed."""
        self._now.clear()
        token = _CURRENT.set(self)
        try:
            yield
        finally:
            _CURRENT.reset(token)
        self.met.update((*self._now, _EXAMPLES))

    def wanted(self) -> Iterator[tuple[str, str]]:
        """Yield the kind and the name of each case that must be met."""
        for kind in self.kinds.values():
            for case in kind.cases:
                if case not in self.misses and kind.name not in self.misses:
                    yield kind.name, case

    @property
    def missing(self) -> list[str]:
        """The cases that must be met and were not."""
        return [case for _kind, case in self.wanted() if not self.met[case]]

    def end(self) -> None:
        """Check what was met, and keep the counts for the report."""
        counts: dict[str, dict[str, int]] = {}
        for kind, case in self.wanted():
            counts.setdefault(kind, {})[case] = self.met[case]
        FINISHED.append({"name": self.name, "examples": self.met[_EXAMPLES], "met": counts})
        assert self.kinds, f"{self.name} looks at nothing whose cases could be met"
        # By day a miss is one that the examples of the day cannot meet; chance may, at night.
        stale = [case for case in self.misses if self.met[case] and settings().derandomize]
        assert not stale, f"{self.name} meets after all: {'; '.join(stale)}"
        assert not self.missing, (
            f"{self.name} never met, in {self.met[_EXAMPLES]} examples: {'; '.join(self.missing)}"
        )


_EXAMPLES: Final = ""
"""Where examples are counted among the cases."""


def in_rounds(
    meeting: Meeting, run: Callable[[Callable[[Any], Any], int], None], examples: int | None = None
) -> None:
    """Run a property until it has met its cases.

    ``run`` tries so many examples, with a decorator that gives the round its seed.
    """
    wanted = examples or settings().max_examples
    seeded = bool(settings().derandomize)
    length = min(LENGTH, wanted)
    tried = 0
    for number in range(MOST):
        if tried >= wanted - length // 2 and not meeting.missing:
            break
        many = length if seeded or tried else wanted
        run(seed(f"{meeting.name} {number}") if seeded else lambda test: test, many)
        tried += many
    meeting.end()


def meets(
    *,
    examples: int | None = None,
    misses: Mapping[str, str] | None = None,
    **drawn: st.SearchStrategy[Any],
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Make a test a property over what is drawn, which must meet its cases.

    It takes the place of ``given``; a test that asks for ``data`` draws more itself. ``examples``
    are those of the profile by default; ``misses`` are cases, or whole kinds, that the property
    cannot meet, each with the reason.
    """

    def decorate(body: Callable[..., None]) -> Callable[..., None]:
        asked = inspect.signature(body).parameters

        @pytest.mark.meets
        @wraps(body)
        def whole(**fixtures: Any) -> None:
            name = "-".join(
                [body.__qualname__.replace(".<locals>", ""), *map(str, fixtures.values())]
            )
            meeting = Meeting(name, misses or {})

            def run(seeded: Callable[[Any], Any], number: int) -> None:
                def example(data: st.DataObject) -> None:
                    with meeting.example():
                        values = {name: data.draw(each, name) for name, each in drawn.items()}
                        values |= {"data": data} if "data" in asked else {}
                        body(**fixtures, **values)

                seeded(settings(max_examples=number)(given(st.data())(example)))()

            in_rounds(meeting, run, examples)

        rest = [each for name, each in asked.items() if name not in {*drawn, "data"}]
        vars(whole)["__signature__"] = inspect.Signature(rest)  # what pytest gives
        test: Callable[..., None] = whole
        return test

    return decorate


def meets_at(
    machine: type[RuleBasedStateMachine], name: str, *, examples: int | None = None, steps: int
) -> None:
    """Run a state machine, each run of it an example, until it has met its cases."""
    meeting = Meeting(name)

    class Counted(machine):  # type: ignore[misc,valid-type]
        def __init__(self) -> None:
            super().__init__()
            self._example = meeting.example()
            self._example.__enter__()

        def teardown(self) -> None:
            try:
                super().teardown()
            finally:
                self._example.__exit__(None, None, None)

    def run(seeded: Callable[[Any], Any], number: int) -> None:
        made = settings(max_examples=number, stateful_step_count=steps)
        run_state_machine_as_test(seeded(Counted), settings=made)

    in_rounds(meeting, run, examples)


# The report: each test carries what it met to the process that prints.

MET: Final = "met"


def reported() -> list[tuple[str, object]]:
    """Return what properties met that have ended, as properties of the report of their test."""
    found: list[tuple[str, object]] = [(MET, json.dumps(each)) for each in FINISHED]
    FINISHED.clear()
    return found


def carried(reports: Iterable[Any]) -> list[dict[str, Any]]:
    """Return what properties met, from the reports of tests."""
    return [
        json.loads(value)
        for report in reports
        if getattr(report, "when", "") == "call"  # a warning has none
        for name, value in report.user_properties
        if name == MET
    ]


@frozen
class Total:
    """How often all properties met a case: the sum, the least of them, and how many they are."""

    kind: str
    case: str
    times: int
    least: int
    properties: int


def totals(properties: Iterable[Mapping[str, Any]]) -> list[Total]:
    """Return how often each case was met, from what the reports of tests carry."""
    found: dict[tuple[str, str], list[int]] = {}
    for each in properties:
        for kind, cases in each["met"].items():
            for case, times in cases.items():
                found.setdefault((kind, case), []).append(times)
    return [Total(*name, sum(t), min(t), len(t)) for name, t in sorted(found.items())]


def lines(properties: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """Yield the lines of a table of what was met."""
    for kind, cases in _by_kind(totals(properties)).items():
        yield f"{kind}: examples that met a case, the fewest of a property, properties"
        for each in cases:
            yield f"{each.times:7} {each.least:5} {each.properties:4}  {each.case}"


def _by_kind(found: Iterable[Total]) -> dict[str, list[Total]]:
    kinds: dict[str, list[Total]] = {}
    for each in found:
        kinds.setdefault(each.kind, []).append(each)
    return kinds
