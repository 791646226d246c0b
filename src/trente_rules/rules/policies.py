"""Pure policies: every way a player can choose, at the choices he can come to."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from attrs import frozen

from trente_rules.errors import TrenteError
from trente_rules.rules.chances import COUP_VERDICTS, Verdict
from trente_rules.rules.machine import FREE, Course

MOST_POLICIES: Final = 4096
Offer = Callable[[str, Verdict], tuple[Course, ...]]
"""The courses of a state under a verdict, as a player is offered them."""


@frozen
class Policy:
    """The course taken at each choice that can be reached: ``(("free/refait", "partage"),)``."""

    choices: tuple[tuple[str, str], ...] = ()

    def course(self, state: str, verdict: Verdict) -> str:
        """Answer the name of the course chosen there, empty where there is no choice."""
        return dict(self.choices).get(place(state, verdict), "")

    def __str__(self) -> str:
        """Answer the choices in words."""
        return ", ".join(f"{where}: {course}" for where, course in self.choices) or "no choice"


def place(state: str, verdict: Verdict) -> str:
    """Answer the name of a choice: ``free/refait``."""
    return f"{state}/{verdict.id}"


def pure_policies(offer: Offer, possible: frozenset[Verdict]) -> tuple[Policy, ...]:
    """Answer every pure policy; choices that cannot be reached make none.

    Raises ``TrenteError`` ("too-many-policies") beyond 4096.
    """
    verdicts: list[Verdict] = [verdict for verdict in COUP_VERDICTS if verdict in possible]
    policies = []
    for choices in _policies(offer, verdicts, {}):
        policies.append(Policy(tuple(choices.items())))
        if len(policies) > MOST_POLICIES:
            raise TrenteError(
                f"a house with more than {MOST_POLICIES} pure policies",
                "too-many-policies",
                "give the refait rule fewer choices",
            )
    return tuple(policies)


def _policies(
    offer: Offer, verdicts: list[Verdict], chosen: dict[str, str]
) -> Iterator[dict[str, str]]:
    """Branch at the first choice that is reached and not yet made."""
    reached, waiting = {FREE}, [FREE]
    while waiting:
        state = waiting.pop(0)
        for verdict in verdicts:
            courses = offer(state, verdict)
            where = place(state, verdict)
            if len(courses) > 1 and where not in chosen:
                for course in courses:
                    yield from _policies(offer, verdicts, {**chosen, where: course.name})
                return
            taken = courses[0]
            if len(courses) > 1:
                taken = next(course for course in courses if course.name == chosen[where])
            if taken.state and taken.state not in reached:
                reached.add(taken.state)
                waiting.append(taken.state)
    yield chosen
