"""Refait rules: what happens to a stake when a tie loses, as courses of the stake machine.

A refait rule is a frozen attrs class whose fields are its TOML parameters and whose ``build``
returns the courses by state and verdict. What every house does alike (a win is paid, a loss taken,
an ordinary tie free) may be left out: ``StakeMachine.of`` fills it in.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Final, Literal, Protocol

from attrs import evolve, frozen

from trente_rules.core.chances import Verdict
from trente_rules.core.errors import RuleError
from trente_rules.core.keys import between, cannot_act_error, key
from trente_rules.core.machine import FREE, FREED, LOST, Answer, Course, stays
from trente_rules.core.money import NOUGHT, ONE, Money

Courses = Mapping[str, Mapping[Verdict, Iterable[Course]]]
"""Courses by state and verdict, as ``StakeMachine.of`` takes them."""

HALF: Final = Fraction(1, 2)
THREE_QUARTERS: Final = Fraction(3, 4)
MOST_LEVELS: Final = 12
_IN: Final = "en_prison"


class RefaitRule(Protocol):
    """The shape of a refait rule: it builds courses, from its own fields and the house's money."""

    def build(self, money: Money, /) -> Courses:
        """Return the courses by state and verdict; ``free`` must answer REFAIT."""
        ...  # pragma: no cover - a protocol has no body


@frozen
class NoRefait:
    """No tie loses; the bank has no advantage (Wilhelmsbad, 1840s)."""

    def build(self, _money: Money, /) -> Courses:
        """Return nothing: the courses are those of every house."""
        return {}


@frozen
class AllLose:
    """A refait loses every stake (an Italian program: "tutte le 4 combinazioni perdono")."""

    def build(self, _money: Money, /) -> Courses:
        """Return the one course: lost."""
        return {FREE: {Verdict.REFAIT: (LOST,)}}


def _part(share: Fraction) -> str:
    return "" if 0 <= share <= 1 else f"{share} is not a share from 0 to 1"


@frozen
class HalfLoss:
    """A refait costs a part of the stake at once; the rest is returned (Italian, online)."""

    returned: Fraction = key(HALF, "The share that is returned on a refait.", check=_part)

    def build(self, _money: Money, /) -> Courses:
        """Return the one course: part of the stake is returned."""
        return {FREE: {Verdict.REFAIT: (Course("half", returned=self.returned, call=""),)}}


def _parts(shares: tuple[Fraction, ...]) -> str:
    return next((fault for share in shares if (fault := _part(share))), "")


def prison_name(level: int) -> str:
    """Return the state of a prison by its level, from 1: ``prison``, ``prison-2``, ..."""
    return "prison" if level == 1 else f"prison-{level}"


@frozen
class Prison:
    """A refait puts the stake in prison, or costs half, as the player chooses (partage).

    Shares are of what the stake is worth at that moment. Sources: France 2007, art. 52 and 54;
    Spain 1979; Britannica 1911; Foster 1897; the nested prisons of the Italian and German houses.
    """

    levels: int = key(
        1, "How many prisons there are, one inside the other.", check=between(1, MOST_LEVELS)
    )
    partage: tuple[Fraction, ...] = key(
        (),
        "The share returned when the player asks for the partage: at the first refait, at the "
        "next one from the first prison, and so on; a level that is left out, or `0`, offers none.",
        check=_parts,
    )
    again: Literal["next-prison", "quarter-lost"] = key(
        "next-prison",
        "What a further refait does before the last prison: the stake moves whole to the next "
        "prison, or loses a quarter and moves (Foster).",
    )
    last: Literal["repeat", "halve", "quarter-lost", "lose"] = key(
        "repeat",
        "What a further refait does in the last prison: nothing, halves what the stake is worth "
        "(French and Spanish law), costs a quarter, or loses all.",
    )
    release: Literal["frees", "one-out"] = key(
        "frees",
        "What a win does: frees the stake, or moves it one prison out (Italian and German houses).",
    )
    tie: Literal["stays", "frees", "loses"] = key(
        "stays", "What an ordinary tie does to a stake in prison; no source is explicit."
    )
    close: tuple[Fraction, ...] = key(
        (),
        "The share returned from each prison when the session closes; by default a half from "
        "the first, a quarter from the second, and so on (French law: 1/2, 1/4, 1/8 ...).",
        check=_parts,
    )
    partage_not_below: Literal["minimum", "none"] = key(
        "none",
        "`minimum`: the partage is offered only where it returns the table minimum or more "
        "(Spain 1979).",
    )
    default: Literal["prison", "partage"] = key(
        "prison", "What happens when the player does not choose."
    )

    def build(self, _money: Money, /) -> Courses:
        """Return the courses; ``RuleError`` ("key-cannot-act") where fields contradict."""
        self._check()
        courses: dict[str, dict[Verdict, Iterable[Course]]] = {
            FREE: {Verdict.REFAIT: self._choices(0, stays(prison_name(1), name="prison", call=_IN))}
        }
        for level in range(1, self.levels + 1):
            name = prison_name(level)
            out = prison_name(level - 1) if level > 1 and self.release == "one-out" else ""
            share = self.close[level - 1] if self.close else HALF**level
            courses[name] = {
                Verdict.WIN: (stays(out, name="one-out", call="") if out else FREED,),
                Verdict.LOSE: (LOST,),
                Verdict.APRES: (
                    {"stays": stays(name, call=""), "frees": FREED, "loses": LOST}[self.tie],
                ),
                Verdict.REFAIT: self._choices(level, self._further(level)),
                Verdict.CLOSE: (Course("closed", returned=share, call=""),),
            }
        return courses

    def _further(self, level: int) -> Course:
        """Return what a refait does in the prison of a level, the partage apart."""
        name = prison_name(level)
        if level < self.levels:
            share = ONE if self.again == "next-prison" else THREE_QUARTERS
            return stays(prison_name(level + 1), share, "prison", call=_IN)
        if self.last == "lose":
            return LOST
        share = {"repeat": ONE, "halve": HALF, "quarter-lost": THREE_QUARTERS}[self.last]
        return stays(name, share, "prison", call=_IN)

    def _choices(self, level: int, course: Course) -> tuple[Course, ...]:
        share = self.partage[level] if level < len(self.partage) else NOUGHT
        if not share:
            return (course,)
        partage = self.default == "partage"
        return (
            evolve(course, default=not partage),
            Course(
                "partage",
                returned=share,
                call="partage",
                default=partage,
                offered_from="minimum" if self.partage_not_below == "minimum" else 0,
            ),
        )

    def _check(self) -> None:
        def shares(named: tuple[Fraction, ...]) -> str:
            return f"{len(named)} share{'s' if len(named) > 1 else ''}"

        prisons = f"{self.levels} prison{'s' if self.levels > 1 else ''}"
        if self.close and len(self.close) != self.levels:
            halves = (HALF**level for level in range(len(self.close) + 1, self.levels + 1))
            raise RuleError(
                f"close has {shares(self.close)} for {prisons}",
                "wrong-number",
                "name a share for each prison, or leave close out",
                "close",
                [str(share) for share in (*self.close, *halves)[: self.levels]],
            )
        if len(self.partage) > self.levels + 1:
            raise RuleError(
                f"partage has {shares(self.partage)} for {prisons}",
                "wrong-number",
                f"at most {self.levels + 1}: at the first refait, and from each prison",
                "partage",
                [str(share) for share in self.partage[: self.levels + 1]],
            )
        if self.levels == 1 and self.again != "next-prison":
            raise cannot_act_error("again", "there is only one prison")
        if self.levels == 1 and self.release != "frees":
            raise cannot_act_error("release", "there is only one prison")
        if not any(self.partage):
            if self.default != "prison":
                raise cannot_act_error("default", "no partage is offered")
            if self.partage_not_below != "none":
                raise cannot_act_error("partage_not_below", "no partage is offered")


@frozen
class CourseKeys:
    """One thing that can happen to a stake: shares of what it is worth now, from 0 to 1.

    The keys of a course as the TOML file writes it.
    """

    course: str
    returned: Fraction = NOUGHT
    staying: Fraction = NOUGHT
    state: str = ""
    default: bool = False
    not_below: Literal["minimum", "none"] = "none"

    def build(self) -> Course:
        """Return the course."""
        return Course(
            self.course,
            self.returned,
            self.staying,
            self.state,
            default=self.default,
            offered_from="minimum" if self.not_below == "minimum" else 0,
        )

    @classmethod
    def of(cls, course: Course) -> CourseKeys:
        """Return the keys of a course."""
        return cls(
            course.name,
            course.returned,
            course.staying,
            course.state,
            course.default,
            "minimum" if course.offered_from == "minimum" else "none",
        )


@frozen
class Custom:
    """The TOML file writes the machine itself: courses by state and verdict."""

    machine: tuple[Answer, ...] = key(
        (),
        "The courses, as tables `[refait.machine.STATE]` with a list of courses for each verdict; "
        "a course is `{ course, returned, staying, state, default, not_below }`.",
    )

    def build(self, _money: Money, /) -> Courses:
        """Return the courses as they are written."""
        courses: dict[str, dict[Verdict, Iterable[Course]]] = {}
        for answer in self.machine:
            courses.setdefault(answer.state, {})[answer.verdict] = answer.courses
        return courses

    @property
    def points(self) -> frozenset[int]:
        """The points whose refait the machine names (``refait-40``)."""
        found = (answer.verdict.point for answer in self.machine)
        return frozenset(point for point in found if point is not None)


def composed(courses: Courses, special: Mapping[int, Courses | None]) -> Courses:
    """Return the courses of a house whose refait of some points has a rule of its own.

    A stake that meets the refait of such a point takes, in its state, the courses that the rule of
    the point has for a refait there, else those it has for a free stake. The states of that rule
    are added where the house has none of the name. Where a point has no rule (None), each state
    has the courses it names for it, else those of any refait.
    """
    whole = {FREE: {}, **{state: {**given} for state, given in courses.items()}}
    for own in special.values():
        for state, given in (own or {}).items():
            whole.setdefault(state, {**given})
    for point, own in special.items():
        verdict = Verdict.refait_of(point)
        for state, given in whole.items():
            if own is None:
                given.setdefault(verdict, given.get(Verdict.REFAIT, ()))
            else:
                free = own.get(FREE, {}).get(Verdict.REFAIT, ())
                given[verdict] = own.get(state, {}).get(Verdict.REFAIT, free)
    return whole
