"""Plays: the ways of a player that have a name, and what each of them costs.

A house that leaves a choice has several edges. A figure that is printed alone names its play:
best, default or worst; partage or prison at every refait; insured. The names come from what the
courses of the stake machine do, never from the names of rules, so that a plugin's machine has them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from itertools import groupby
from typing import Final

from attrs import frozen

from trente_rules.core.house.house import House
from trente_rules.core.machine import FREE, Course, Policy
from trente_rules.core.wager import Wager
from trente_rules.odds.advantage import WagerAdvantage
from trente_rules.reports.nominal import Scope, least_stake

PLAYS: Final = ("best", "default", "worst", "partage", "prison", "insured")
"""The plays, by the names of the fields of ``Plays``."""


@frozen
class Plays:
    """The named plays of one chance, or of several that are alike.

    ``best``, ``default`` and ``worst`` are uninsured: the least edge, that of a player who makes no
    choice, the greatest. ``partage`` takes a part back at every refait, where a player may choose
    that; ``prison`` goes to prison at every refait. ``insured`` is the least insured edge, of a
    free stake that is insured or of one that is insured in prison, and ``insured_best`` is true
    where no play loses less money: on the stake that the figures are for, or on the least that the
    house takes.
    """

    chances: tuple[str, ...]
    best: WagerAdvantage
    default: WagerAdvantage
    worst: WagerAdvantage
    partage: WagerAdvantage | None = None
    prison: WagerAdvantage | None = None
    insured: WagerAdvantage | None = None
    insured_best: bool = False

    @property
    def ranked(self) -> tuple[Fraction, Fraction]:
        """The edges that houses are sorted by: of the best uninsured play, then by default."""
        return self.best.edge, self.default.edge

    @property
    def overall(self) -> WagerAdvantage:
        """The play that loses the least money, insured or not."""
        return self.insured if self.insured_best and self.insured else self.best

    def edge(self, play: str) -> Fraction | None:
        """Return the edge of a play by its name, None where the house has no such play."""
        found = {name: each for name, each in self._named() if each is not None}
        return found[play].edge if play in found else None

    def _named(self) -> Iterable[tuple[str, WagerAdvantage | None]]:
        each = (self.best, self.default, self.worst, self.partage, self.prison, self.insured)
        return zip(PLAYS, each, strict=True)


def plays_of(
    house: House, wagers: Sequence[WagerAdvantage], scopes: Sequence[Scope | None] = ()
) -> tuple[Plays, ...]:
    """Return the plays of each group of chances that have the same figures.

    ``wagers`` are those of ``advantage``, in its order; ``scopes`` what nominal figures hold for.
    A chance without an uninsured figure is left out.
    """
    held = dict(zip(map(_key, wagers), scopes, strict=True)) if scopes else {}
    by_chance: dict[str, list[WagerAdvantage]] = {}
    for wager in wagers:
        by_chance.setdefault(wager.chance, []).append(wager)
    groups: dict[object, list[str]] = {}
    for chance, found in by_chance.items():
        alike = tuple((wager.insured, wager.policy, wager.edge) for wager in found)
        groups.setdefault((house.chance(chance).simple, alike), []).append(chance)
    return tuple(
        plays
        for chances in groups.values()
        if (plays := _plays(house, tuple(chances), by_chance[chances[0]], held))
    )


def is_insured(wager: WagerAdvantage) -> bool:
    """Return whether a premium is ever paid: for the free stake, or in a prison by the policy."""
    return wager.insured or wager.policy.insured


def play_words(wagers: Iterable[WagerAdvantage]) -> dict[tuple[bool, Policy], str]:
    """Return each way to play in short words: the courses taken, ``prison, then partage``.

    Two ways that would read alike have every choice with its place.
    """
    keys = dict.fromkeys((wager.insured, wager.policy) for wager in wagers)
    words = {key: _short_play(*key) for key in keys}
    met = Counter(words.values())
    return {
        (insured, policy): text if met[text] == 1 else f"{policy}{', insured' if insured else ''}"
        for (insured, policy), text in words.items()
    }


def _short_play(insured: bool, policy: Policy) -> str:  # noqa: FBT001 - the key of a play
    courses = [course for course, _same in groupby(course for _place, course in policy.choices)]
    text = ", then ".join(courses)
    if insured:
        return f"insured, {text}" if text else "insured"
    return text or "no choice"


def _key(wager: WagerAdvantage) -> tuple[str, bool, Policy]:
    return wager.chance, wager.insured, wager.policy


def _plays(
    house: House,
    chances: tuple[str, ...],
    found: Sequence[WagerAdvantage],
    held: dict[tuple[str, bool, Policy], Scope | None],
) -> Plays | None:
    plain = [wager for wager in found if not is_insured(wager)]
    insured = min(filter(is_insured, found), key=lambda wager: wager.edge, default=None)
    if not plain:
        return None
    wager = house.wager(chances[0])
    best = min(plain, key=lambda wager: wager.edge)
    return Plays(
        chances,
        best,
        plain[0],  # the first policy takes every default
        max(plain, key=lambda wager: wager.edge),
        _first(plain, wager, _is_partage),
        _first(plain, wager, _is_prison),
        insured,
        insured is not None and _loses_less(house, insured, best, held),
    )


def _loses_less(
    house: House,
    insured: WagerAdvantage,
    best: WagerAdvantage,
    held: dict[tuple[str, bool, Policy], Scope | None],
) -> bool:
    """Return whether an insured stake loses less money than the best play without insurance."""
    if best.stake is not None:
        return insured.edge < best.edge
    least = least_stake(house, best.chance)
    if insured.insured and least_stake(house, best.chance, insured=True) != least:
        return False  # the least stake of the house cannot be insured
    at_least = [
        wager.edge if scope is None or scope.edge is None else scope.edge
        for wager in (insured, best)
        for scope in (held.get(_key(wager)),)
    ]
    return at_least[0] < at_least[1]


_Met = tuple[tuple[Course, ...], Course]
"""The courses on offer at a special tie, and the one that a policy takes."""


def _met(wager: Wager, policy: Policy) -> list[tuple[str, _Met]]:
    """Return what a policy does at each special tie that its stake can meet, with the state."""
    reached, found = [FREE], list[tuple[str, _Met]]()
    for state in reached:
        for verdict, _courses in wager.machine.occurring(state):
            courses = wager.courses(state, verdict)
            name = policy.course(state, verdict)
            taken = next((course for course in courses if course.name == name), courses[0])
            if taken.state and taken.state not in reached:
                reached.append(taken.state)
            if verdict.kind == "tie" and verdict in wager.chance.possible():
                found.append((state, (courses, taken)))
    return found


def _is_partage(wager: Wager, policy: Policy) -> bool:
    """Return whether a policy takes a part back at every refait, by the player's choice."""
    free = [met for state, met in _met(wager, policy) if state == FREE]
    chosen = [taken for courses, taken in free if len(courses) > 1]
    back = all(0 < taken.returned < 1 and not taken.staying for _courses, taken in free)
    return bool(chosen) and back


def _is_prison(wager: Wager, policy: Policy) -> bool:
    """Return whether a policy stays in prison at every refait, as long as the house lets it."""
    met = _met(wager, policy)
    free = [taken for state, (_courses, taken) in met if state == FREE]
    stays = all(
        taken.staying or not any(course.staying for course in courses)
        for _state, (courses, taken) in met
    )
    return bool(free) and stays and all(taken.staying for taken in free)


def _first(
    plain: Iterable[WagerAdvantage], wager: Wager, is_so: Callable[[Wager, Policy], bool]
) -> WagerAdvantage | None:
    """Return the cheapest of the policies of which something holds."""
    found = [each for each in plain if is_so(wager, each.policy)]
    return min(found, key=lambda each: each.edge, default=None)
