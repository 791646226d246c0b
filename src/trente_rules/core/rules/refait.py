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

from trente_rules.core.chances import Verdict, possible_odds
from trente_rules.core.errors import RuleError
from trente_rules.core.keys import between, cannot_act_error, key, presentation, stated
from trente_rules.core.machine import FREE, FREED, LOST, USUAL, Course, stays
from trente_rules.core.money import NOUGHT, ONE, Amount, Money
from trente_rules.core.text import counted

Courses = Mapping[str, Mapping[Verdict, Iterable[Course]]]
"""Courses by state and verdict, in the form ``StakeMachine.of`` takes."""

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
    """No tie loses; the bank has no edge (Wilhelmsbad, 1840s)."""

    def build(self, _money: Money, /) -> Courses:
        """Return nothing: the courses are those of every house."""
        return {}


@frozen
class AllLose:
    """A refait loses every stake (an Italian program: "tutte le 4 combinazioni perdono")."""

    def build(self, _money: Money, /) -> Courses:
        """Return the one course: lost."""
        return {FREE: {Verdict.REFAIT: (LOST,)}}


@frozen
class HalfLoss:
    """A refait costs a part of the stake at once; the rest is returned (Italian, online)."""

    returned: Fraction = key(HALF, "The share that is returned on a refait.", check=between(0, 1))

    def build(self, _money: Money, /) -> Courses:
        """Return the one course: part of the stake is returned."""
        return {FREE: {Verdict.REFAIT: (Course("half", returned=self.returned, call=""),)}}


@stated({"array": {"items": between(0, 1).schema}})
def _parts(shares: tuple[Fraction, ...]) -> str:
    return next(filter(None, map(between(0, 1), shares)), "")


def prison_name(level: int) -> str:
    """Return the state of a prison by its level, from 1: ``prison``, ``prison-2``, ..."""
    return "prison" if level == 1 else f"prison-{level}"


Floor = Amount | Literal["minimum", "none"]
"""The least that a partage returns: an amount, the table minimum, or nothing in particular."""


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
        "next one from the first prison, and so on; an omitted level, or `0`, offers none.",
        check=_parts,
    )
    again: Literal["next-prison", "quarter-lost", "quarter-taken"] = key(
        "next-prison",
        "What a further refait does before the last prison: the stake moves whole to the next "
        "prison; or it loses a quarter and moves, where the quarter is `quarter-taken` by the bank "
        "at once (Foster), or `quarter-lost` when the stake leaves the table.",
    )
    last: Literal["repeat", "halve", "quarter-lost", "quarter-taken", "lose"] = key(
        "repeat",
        "What a further refait does in the last prison: nothing, halves what the stake is worth "
        "(French and Spanish law), costs a quarter (at once, or when the stake leaves the table), "
        "or loses all.",
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
    partage_not_below: Floor | tuple[Floor, ...] = key(
        "none",
        "The partage is offered only where it returns this amount or more, or, with `minimum`, the "
        "table minimum. A list has one for each level, like `partage` (Spain 1979: from the second "
        "refait on); a level that is left out has no such bound.",
    )
    default: Literal["prison", "partage"] = key(
        "prison", "What happens when the player does not choose."
    )

    def build(self, money: Money, /) -> Courses:
        """Return the courses; ``RuleError`` ("key-cannot-act") where fields contradict."""
        self._check()
        courses: dict[str, dict[Verdict, Iterable[Course]]] = {
            FREE: {
                Verdict.REFAIT: self._choices(
                    money, 0, stays(prison_name(1), name="prison", call=_IN)
                )
            }
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
                Verdict.REFAIT: self._choices(money, level, self._further(level)),
                Verdict.CLOSE: (Course("closed", returned=share, call=""),),
            }
        return courses

    def _further(self, level: int) -> Course:
        """Return what a refait does in the prison of a level, the partage apart."""
        state, what = prison_name(level), self.last
        if level < self.levels:
            if self.again == "next-prison":
                return stays(prison_name(level + 1), name="prison", call=_IN)
            state, what = prison_name(level + 1), self.again
        if what == "lose":
            return LOST
        share = {"repeat": ONE, "halve": HALF}.get(what, THREE_QUARTERS)
        course = stays(state, share, "prison", call=_IN)
        return evolve(course, taken=1 - THREE_QUARTERS) if what == "quarter-taken" else course

    def _choices(self, money: Money, level: int, course: Course) -> tuple[Course, ...]:
        share = self._share(level)
        if not share:
            return (course,)
        partage = self.default == "partage"
        least = self._floor(level)
        return (
            evolve(course, default=not partage),
            Course(
                "partage",
                returned=share,
                call="partage",
                default=partage,
                offered_from=money.units(least) if isinstance(least, Amount) else least,
            ),
        )

    def _share(self, level: int) -> Fraction:
        return self.partage[level] if level < len(self.partage) else NOUGHT

    def _floor(self, level: int) -> Amount | Literal["minimum"]:
        """Return the least that the partage of a level returns; an amount of 0 means no bound."""
        floor = self.partage_not_below
        if isinstance(floor, tuple):
            floor = floor[level] if level < len(floor) else "none"
        return Amount(NOUGHT) if floor == "none" else floor

    def _check(self) -> None:
        def shares(named: tuple[Fraction, ...]) -> str:
            return f"{counted(len(named), 'share')} for {counted(self.levels, 'prison')}"

        if self.close and len(self.close) != self.levels:
            halves = (self.close[-1] * HALF**level for level in range(1, self.levels))
            raise RuleError(
                f"close has {shares(self.close)}",
                "wrong-number",
                "name a share for each prison, or leave close out",
                "close",
                [str(share) for share in (*self.close, *halves)[: self.levels]],
            )
        if len(self.partage) > self.levels + 1:
            raise RuleError(
                f"partage has {shares(self.partage)}",
                "wrong-number",
                f"at most {self.levels + 1}: at the first refait, and from each prison",
                "partage",
                [str(share) for share in self.partage[: self.levels + 1]],
            )
        if self.levels == 1 and self.again != "next-prison":
            raise cannot_act_error("again", "there is only one prison")
        if self.levels == 1 and self.release != "frees":
            raise cannot_act_error("release", "there is only one prison")
        self._check_floors()
        if not any(self.partage):
            if self.default != "prison":
                raise cannot_act_error("default", "no partage is offered")
            if self.partage_not_below not in ("none", ()):
                raise cannot_act_error("partage_not_below", "no partage is offered")

    def _check_floors(self) -> None:
        if not isinstance(floors := self.partage_not_below, tuple):
            return
        if len(floors) > self.levels + 1:
            raise RuleError(
                f"partage_not_below names {counted(len(floors), 'bound')} for "
                f"{counted(self.levels, 'prison')}",
                "wrong-number",
                f"at most {self.levels + 1}: at the first refait, and from each prison",
                "partage_not_below",
            )
        for level, floor in enumerate(floors):
            if floor != "none" and not self._share(level):
                why = f"level {level + 1} offers no partage"
                raise cannot_act_error("partage_not_below", why)


@frozen
class CourseKeys:
    """One thing that can happen to a stake: shares of what it is worth now, from 0 to 1.

    The keys of a course as the TOML file writes it.
    """

    course: str = key(doc="The name of the course: players choose by it.")
    returned: Fraction = key(NOUGHT, "The share that is returned to the player.")
    staying: Fraction = key(NOUGHT, "The share that stays on the table, in `state`.")
    state: str = key("", "The state of what stays: a prison.")
    default: bool = key(False, "Whether the course is taken when the player does not choose.")
    not_below: Literal["minimum", "none"] = key(
        "none", "`minimum`: as `offered_from`, the older name of the key."
    )
    taken: Fraction = key(
        NOUGHT,
        "The share that the bank takes at once; what else is neither returned nor stays is on the "
        "table until the stake leaves.",
    )
    pays: Fraction = key(
        NOUGHT,
        "The odds paid on what is returned, where a prisoner that wins is paid.",
        check=possible_odds,
    )
    call: str = presentation(
        USUAL,
        "The key of the phrase that is called, empty for none; `usual`: by what the course does "
        "(`libre`, `partage`, `en_prison`).",
    )
    offered_from: Amount | Literal["minimum"] = key(
        Amount(NOUGHT),
        "The course is offered only where it returns this amount or more, or the table minimum.",
    )

    def build(self, money: Money) -> Course:
        """Return the course in units of the house; ``RuleError`` for two least amounts."""
        if self.not_below != "none":
            if self.offered_from != Amount(NOUGHT):
                raise RuleError(
                    f"the course {self.course!r} has both not_below and offered_from",
                    "key-cannot-act",
                    "leave not_below out",
                )
            return self._course(self.not_below)
        least = self.offered_from
        return self._course(least if least == "minimum" else money.units(least))

    def _course(self, least: int | Literal["minimum"]) -> Course:
        return Course(
            name=self.course,
            returned=self.returned,
            staying=self.staying,
            state=self.state,
            default=self.default,
            offered_from=least,
            taken=self.taken,
            pays=self.pays,
            call=self.call,
        )

    def __str__(self) -> str:
        """Return the course as design and docs write it: ``prison(staying 1/2 -> prison)``."""
        return str(self._course(0))


@frozen
class CoursesKeys:
    """The courses of one state under one verdict, as the TOML file writes them."""

    state: str
    verdict: Verdict
    courses: tuple[CourseKeys, ...]


@frozen
class Custom:
    """The TOML file writes the machine itself: courses by state and verdict."""

    machine: tuple[CoursesKeys, ...] = key(
        (),
        "The courses, as tables `[refait.machine.STATE]` with a list of courses for each verdict; "
        "a course is `{ course, returned, staying, state, default, taken, pays, call, "
        "offered_from }`.",
    )

    def build(self, money: Money) -> Courses:
        """Return the courses as they are written; ``RuleError`` where keys contradict."""
        courses: dict[str, dict[Verdict, Iterable[Course]]] = {}
        for written in self.machine:
            there = courses.setdefault(written.state, {})
            there[written.verdict] = tuple(course.build(money) for course in written.courses)
        return courses

    @property
    def points(self) -> frozenset[int]:
        """The points whose refait the machine names (``refait-40``)."""
        found = (answer.verdict.point for answer in self.machine)
        return frozenset(point for point in found if point is not None)


def composed(courses: Courses, special: Mapping[int, Courses | None]) -> Courses:
    """Return the courses of a house whose refait of some points has a rule of its own.

    A stake that meets the refait of such a point takes, in its state, the courses that the rule of
    the point has for a refait there, or else those it has for a free stake. The states of that rule
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
