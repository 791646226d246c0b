"""The stake machine: all that can become of a stake, as one small table.

States are ``free``, where every stake starts, and prisons. For each state and verdict the table
holds one or more courses; several are the player's choice. A course says which share of what the
stake is worth now is handed back, and which share stays, and where; the rest is forfeited.
Settlement, advantage, simulation and the rules in words all read this one table.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from fractions import Fraction
from functools import cached_property
from typing import Final, Literal

from attrs import evolve, field, frozen

from trente_rules.core.chances import COUP_VERDICTS, Kind, Verdict
from trente_rules.core.errors import RuleError, TrenteError
from trente_rules.core.money import NOUGHT, ONE

FREE: Final = "free"
"""The state every stake starts in."""


def _share(share: Fraction | int) -> Fraction:
    """Take whole numbers as Fractions, and nothing that is not exact."""
    if isinstance(share, Fraction):
        return share
    if type(share) is int:
        return Fraction(share)
    raise RuleError(
        f"a share of {share!r} is not exact",
        "bad-machine",
        "write Fraction(1, 2), or a whole number",
    )


@frozen
class Course:
    """One thing that can become of a stake: shares of what it is worth now, from 0 to 1.

    ``returned`` is handed back, ``staying`` stays in ``state``; what is left is forfeited.
    ``taken`` leaves for the bank at once, of what is forfeited; the rest of that stays on the table
    until the stake leaves it. ``pays`` are odds on what is returned, for houses that pay a prisoner
    who wins. ``default`` marks the course taken when no choice is made. The course is offered only
    where what it returns reaches ``offered_from``: units, or the table minimum (Spain 1979).
    ``call`` is the phrase that the croupier says, empty for those that follow from what it does.
    """

    name: str
    returned: Fraction = field(default=NOUGHT, converter=_share)
    staying: Fraction = field(default=NOUGHT, converter=_share)
    state: str = ""
    default: bool = False
    offered_from: int | Literal["minimum"] = 0
    taken: Fraction = field(default=NOUGHT, converter=_share)
    pays: Fraction = field(default=NOUGHT, converter=_share)
    call: str = ""

    @property
    def forfeited(self) -> Fraction:
        """The share that is neither handed back nor stays."""
        return 1 - self.returned - self.staying

    def __str__(self) -> str:
        """Return the course as design and docs write it: ``prison(staying 1/2 -> prison)``."""
        parts = [f"returned {self.returned}"] if self.returned else []
        if self.pays:
            parts.append(f"pays {self.pays}")
        if self.taken:
            parts.append(f"taken {self.taken}")
        if self.staying:
            parts.append(f"staying {self.staying} -> {self.state}")
        return f"{self.name}({', '.join(parts)})" if parts else self.name


@frozen
class Answer:
    """The courses of one state under one verdict."""

    state: str
    verdict: Verdict
    courses: tuple[Course, ...]


LOST: Final = Course("lost")
INSURED: Final = "insured"
"""The course of an insured stake where its insurance acts."""
WON: Final = Course("won", returned=ONE)
TAKEN_BACK: Final = Course("taken-back", returned=ONE)
FREED: Final = Course("freed", returned=ONE)
_FREE_ANSWERS: Final[Mapping[Kind, Course]] = {
    "win": WON,
    "lose": LOST,
    "push": TAKEN_BACK,
    "close": TAKEN_BACK,
}


def stays(state: str, share: Fraction = ONE, name: str = "stays") -> Course:
    """Make the course of a stake that stays in a prison, whole unless a share is given."""
    return Course(name, staying=share, state=state)


def place(state: str, verdict: Verdict) -> str:
    """Return the name of a choice: ``free/refait``."""
    return f"{state}/{verdict.id}"


@frozen(slots=False)
class StakeMachine:
    """The courses of every state and verdict, checked when built.

    ``possible`` are the verdicts that a coup of the house can give. Raises ``RuleError``
    ("bad-machine") naming the place: shares out of range, states unnamed or unreachable, pairs
    without an answer, choices without a default, a stake that could stand there for ever.
    """

    answers: tuple[Answer, ...]
    possible: frozenset[Verdict] = field(default=frozenset(COUP_VERDICTS))

    @classmethod
    def of(
        cls,
        courses: Mapping[str, Mapping[Verdict, Iterable[Course]]],
        possible: Iterable[Verdict] = COUP_VERDICTS,
    ) -> StakeMachine:
        """Build a machine from courses by state and verdict.

        What every house does alike is filled in where nothing is said: from ``free`` a win, an
        ordinary tie and the close hand back the whole stake and a loss takes it; in a prison a win
        frees, a loss takes, an ordinary tie changes nothing.
        """
        occurring = frozenset(possible)
        answers = []
        for state in (FREE, *(name for name in courses if name != FREE)):
            usual: Mapping[Kind, Course] = (
                _FREE_ANSWERS
                if state == FREE
                else {"win": FREED, "lose": LOST, "push": stays(state)}
            )
            said = courses.get(state, {})
            for verdict in (*_in_order(occurring), Verdict.CLOSE):
                given = tuple(said.get(verdict, ()))
                if not given and verdict.kind in usual:
                    given = (usual[verdict.kind],)
                if given:
                    answers.append(Answer(state, verdict, _with_default(given)))
        return cls(tuple(answers), occurring)

    def __attrs_post_init__(self) -> None:
        """Check the table; see the class."""
        for answer in self.answers:
            _check_answer(answer)
        if len(self._table) < len(self.answers):
            raise _bad("machine", "the same state and verdict is answered twice")
        self._check_free()
        self._check_states()
        self._check_answered()
        self._check_release()

    @cached_property
    def _table(self) -> dict[tuple[str, Verdict], tuple[Course, ...]]:
        return {(answer.state, answer.verdict): answer.courses for answer in self.answers}

    @cached_property
    def states(self) -> tuple[str, ...]:
        """The states, ``free`` first, then the prisons in the order they are answered."""
        return tuple(dict.fromkeys((FREE, *(answer.state for answer in self.answers))))

    @cached_property
    def verdicts(self) -> tuple[Verdict, ...]:
        """The verdicts that a coup of the house can give, those of every house first."""
        return _in_order(self.possible)

    @property
    def prisons(self) -> tuple[str, ...]:
        """The states but ``free``."""
        return self.states[1:]

    @staticmethod
    def insures(verdict: Verdict) -> bool:
        """Return whether insurance decides what a verdict does: it acts at special ties."""
        return verdict.kind == "tie"

    def courses(
        self, state: str, verdict: Verdict, *, insured: Fraction | None = None
    ) -> tuple[Course, ...]:
        """Return the courses of a state under a verdict, the default first.

        ``insured`` is the share of an insured free stake that is returned at a special tie, None
        without insurance. An insured stake has no choice there, and a prisoner stays as it was.
        Raises ``RuleError`` ("unknown-state", "impossible-verdict") where the machine has none.
        """
        found = self._table.get((state, verdict))
        if insured is not None and found and self.insures(verdict):
            if state == FREE:
                return (Course(INSURED, returned=insured, default=True),)
            return (evolve(stays(state, name=INSURED), default=True),)
        if found is None:
            if state not in self.states:
                raise RuleError(
                    f"{state!r} is not a state of this house",
                    "unknown-state",
                    f"states are {', '.join(self.states)}",
                )
            raise RuleError(
                f"no coup of this house gives {verdict.id!r}",
                "impossible-verdict",
                "settle the stake by the house it was placed in",
            )
        return found

    def occurring(self, state: str) -> Iterator[tuple[Verdict, tuple[Course, ...]]]:
        """Return the verdicts of a coup that can meet a stake in this state, with their courses."""
        for verdict in self.verdicts:
            courses = self._table.get((state, verdict))
            if courses:
                yield verdict, courses

    def _check_free(self) -> None:
        for verdict in (*self.verdicts, Verdict.CLOSE):
            courses = self._table.get((FREE, verdict)) or (WON,)
            if verdict.kind in ("win", "push", "close") and (
                len(courses) > 1 or courses[0].returned != 1
            ):
                raise _bad(place(FREE, verdict), "a free stake is handed back whole")

    def _check_states(self) -> None:
        named = {
            course.state: answer
            for answer in self.answers
            for course in answer.courses
            if course.state
        }
        for state, answer in named.items():
            if state == FREE:
                raise _bad(
                    place(answer.state, answer.verdict),
                    "no course leads back to 'free'",
                    "hand the stake back: returned = 1",
                )
            if state not in self.states:
                raise _bad(
                    place(answer.state, answer.verdict), f"the state {state!r} is not answered"
                )
        reached, new = {FREE}, [FREE]
        while new:
            for _verdict, courses in self.occurring(new.pop()):
                for course in courses:
                    if course.state and course.state not in reached:
                        reached.add(course.state)
                        new.append(course.state)
        for state in self.states:
            if state not in reached:
                raise _bad(state, "no course leads to this state", "take it out, or lead to it")

    def _check_answered(self) -> None:
        for state in self.states:
            for verdict in (*self.verdicts, Verdict.CLOSE):
                if (state, verdict) not in self._table:
                    raise _bad(place(state, verdict), "there is no course", "say what happens")

    def trapped(self, insured: Collection[str] = ()) -> frozenset[str]:
        """Return the states that some choices never leave: a set closed under all verdicts.

        Stakes in the states named as ``insured`` are insured in every coup.
        """
        trapped = set(self.prisons)
        while True:
            leaving = {
                state
                for state in trapped
                if any(
                    not any(
                        course.state in trapped
                        for course in self.courses(
                            state, verdict, insured=ONE if state in insured else None
                        )
                    )
                    for verdict, _courses in self.occurring(state)
                )
            }
            if not leaving:
                return frozenset(trapped)
            trapped -= leaving

    def _check_release(self) -> None:
        trapped = self.trapped()
        if trapped:
            raise _bad(
                min(trapped),
                "a stake could stand here for ever",
                "let some verdict release it or lose it whatever is chosen",
            )


def _in_order(verdicts: frozenset[Verdict]) -> tuple[Verdict, ...]:
    special = sorted(verdicts - set(COUP_VERDICTS), key=lambda verdict: verdict.id)
    return (*(verdict for verdict in COUP_VERDICTS if verdict in verdicts), *special)


def _with_default(courses: tuple[Course, ...]) -> tuple[Course, ...]:
    """Put the default course first, and mark a course that stands alone as default."""
    if len(courses) == 1:
        return (evolve(courses[0], default=True),)
    return tuple(sorted(courses, key=lambda course: not course.default))


def _bad(place: str, message: str, hint: str = "") -> RuleError:
    return RuleError(f"{place}: {message}", "bad-machine", hint, place)


def _check_answer(answer: Answer) -> None:
    where = place(answer.state, answer.verdict)
    if not answer.courses:
        raise _bad(where, "there is no course", "say what happens")
    names = [course.name for course in answer.courses]
    if not all(names):
        raise _bad(where, "a course has no name", "name it: players choose by the name")
    if len(set(names)) < len(names):
        raise _bad(where, f"a course name stands twice among {', '.join(names)}")
    for course in answer.courses:
        if min(course.returned, course.staying, course.taken, course.pays) < 0 or (
            course.forfeited < course.taken
        ):
            raise _bad(
                where,
                f"course {course.name!r} hands {course.returned} back and {course.staying} stays",
                "shares are 0 to 1, together at most 1",
            )
        if bool(course.staying) != bool(course.state):
            raise _bad(
                where,
                f"course {course.name!r} names a share that stays or a state, not both",
            )
        if answer.state == FREE and course.pays:
            raise _bad(where, "a free stake is paid by its verdict", "leave pays out")
        if answer.verdict == Verdict.CLOSE and course.staying:
            raise _bad(where, "nothing stays on the table when the session closes")
    defaults = sum(course.default for course in answer.courses)
    if defaults != 1:
        raise _bad(
            where,
            f"{defaults} of the courses {', '.join(names)} are marked default",
            "mark the one that is taken when the player does not choose",
        )
    if all(course.offered_from for course in answer.courses):
        raise _bad(where, "no course is left for a small stake", "take not_below off one of them")


def side_bet_machine(
    verdicts: Iterable[Verdict] = (Verdict.WIN, Verdict.LOSE),
) -> StakeMachine:
    """Build the machine of a side bet: a win is paid, anything else is lost at once."""
    return StakeMachine.of({}, possible=verdicts)


# --- Pure policies: every way a player can choose, at the choices he can come to

MOST_POLICIES: Final = 4096
Offer = Callable[[str, Verdict], tuple[Course, ...]]
"""The courses of a state under a verdict, as a player is offered them."""


@frozen
class Policy:
    """The course taken at each choice that can be reached: ``(("free/refait", "partage"),)``."""

    choices: tuple[tuple[str, str], ...] = ()

    def course(self, state: str, verdict: Verdict) -> str:
        """Return the name of the course chosen there, empty where there is no choice."""
        return dict(self.choices).get(place(state, verdict), "")

    def __str__(self) -> str:
        """Return the choices in words."""
        return ", ".join(f"{where}: {course}" for where, course in self.choices) or "no choice"


def pure_policies(offer: Offer, possible: frozenset[Verdict]) -> tuple[Policy, ...]:
    """Return every pure policy; choices that cannot be reached make none.

    Raises ``TrenteError`` ("too-many-policies") beyond 4096.
    """
    verdicts, policies = _in_order(possible), []
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
    offer: Offer, verdicts: Collection[Verdict], chosen: dict[str, str]
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
