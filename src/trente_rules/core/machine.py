"""The stake machine: all that can happen to a stake, as one small table.

States are ``free``, where every stake starts, and prisons. For each state and verdict the table
holds one or more courses; several are the player's choice. A course says which share of what the
stake is worth now is returned, and which share stays, and where; the rest is forfeited.
Settlement, advantage, simulation and the rules in words all read this one table.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from fractions import Fraction
from functools import cached_property
from itertools import islice
from typing import Final, Literal

from attrs import evolve, field, frozen

from trente_rules.core.chances import COUP_VERDICTS, Kind, Verdict
from trente_rules.core.errors import RuleError, TrenteError
from trente_rules.core.keys import presentation
from trente_rules.core.money import NOUGHT, ONE

FREE: Final = "free"
"""The state every stake starts in."""
USUAL: Final = "usual"
"""The call of a course that names none: what it does decides; see ``usual_call``."""


def _share(share: Fraction | int) -> Fraction:
    """Return a whole number as a Fraction; raise ``RuleError`` for what is not exact."""
    if isinstance(share, Fraction):
        return share  # the same object: ``is NOUGHT`` and ``is ONE`` are fast paths of settling
    if type(share) is int:
        return Fraction(share)
    raise RuleError(
        f"a share of {share!r} is not exact",
        "bad-machine",
        "write Fraction(1, 2), or a whole number",
    )


@frozen
class Course:
    """One thing that can happen to a stake: shares of what it is worth now, from 0 to 1.

    ``returned`` goes back to the player, ``staying`` stays in ``state``; the rest is forfeited.
    ``taken`` leaves for the bank at once, of what is forfeited; the rest of that stays on the table
    until the stake leaves it. ``pays`` are odds on what is returned, for houses that pay a prisoner
    who wins. ``default`` marks the course taken when no choice is made. The course is offered only
    where what it returns reaches ``offered_from``: units, or the table minimum (Spain 1979).
    ``call`` is the key of the phrase that the croupier says when a stake takes the course, empty
    for none; the machine puts the phrase of ``usual_call`` in place of ``"usual"``.
    """

    name: str
    returned: Fraction = field(default=NOUGHT, converter=_share)
    staying: Fraction = field(default=NOUGHT, converter=_share)
    state: str = ""
    default: bool = False
    offered_from: int | Literal["minimum"] = 0
    taken: Fraction = field(default=NOUGHT, converter=_share)
    pays: Fraction = field(default=NOUGHT, converter=_share)
    call: str = presentation(USUAL)

    @property
    def forfeited(self) -> Fraction:
        """The share that is neither returned nor stays."""
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


LOST: Final = Course("lost", call="")
INSURED: Final = "insured"
"""The course of an insured stake where its insurance acts."""
WON: Final = Course("won", returned=ONE, call="")
TAKEN_BACK: Final = Course("taken-back", returned=ONE, call="")
FREED: Final = Course("freed", returned=ONE, call="libre")
_FREE_ANSWERS: Final[Mapping[Kind, Course]] = {
    "win": WON,
    "lose": LOST,
    "push": TAKEN_BACK,
    "close": TAKEN_BACK,
}


def stays(state: str, share: Fraction = ONE, name: str = "stays", *, call: str = USUAL) -> Course:
    """Return the course of a stake that stays in a prison, whole unless a share is given."""
    return Course(name, staying=share, state=state, call=call)


COURSE_CALLS: Final = ("en_prison", "partage", "libre")
"""The calls of ``usual_call``, in the order in which they are said; others follow."""


def usual_call(state: str, verdict: Verdict, course: Course) -> str:
    """Return the phrase key for a course that names no call, from what the course does.

    A prisoner that a win returns, or any verdict returns whole, is freed: ``libre``. What is
    returned in part is divided: ``partage``. A special tie that leaves a stake in a prison, or
    another verdict but a win that leads it into one, says ``en_prison``. Nothing is called for the
    rest: a loss, a prisoner that an ordinary tie leaves where it is, or that a win moves one prison
    out, which is neither free nor newly detained, and the close of the session.
    """
    if verdict == Verdict.CLOSE:
        return ""
    if course.returned and not course.staying:
        freed = state != FREE and (verdict.kind == "win" or course.returned == 1)
        return "libre" if freed else "partage" if course.forfeited else ""
    if course.returned:
        return "partage"
    if course.staying and verdict.kind != "win":
        return "en_prison" if course.state != state or verdict.kind == "tie" else ""
    return ""


def place(state: str, verdict: Verdict) -> str:
    """Return the name of a choice: ``free/refait``."""
    return f"{state}/{verdict.id}"


NO: Final = "no"
YES: Final = "yes"
"""The choices of a player who may insure a prisoner."""


def insurance_place(state: str) -> str:
    """Return the name of the choice to insure a prisoner before each coup: ``prison/insured``."""
    return f"{state}/{INSURED}"


@frozen(slots=False)
class StakeMachine:
    """The courses of every state and verdict, checked when built.

    ``possible`` are the verdicts that a coup of the house can give. Raises ``RuleError``
    ("bad-machine") naming the place: shares out of range, states unnamed or unreachable, pairs
    without an answer, choices without a default, a stake that could stay there for ever.
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

        What all houses have in common is filled in where nothing is given: from ``free`` a win, an
        ordinary tie and the close return the whole stake and a loss takes it; in a prison a win
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
            own = courses.get(state, {})
            for verdict in (*_in_order(occurring), Verdict.CLOSE):
                given = tuple(own.get(verdict, ()))
                if not given and verdict.kind in usual:
                    given = (usual[verdict.kind],)
                if given:
                    answers.append(Answer(state, verdict, _with_default(given)))
        return cls(tuple(answers), occurring)

    def __attrs_post_init__(self) -> None:
        """Raise the first fault of the table; see the class."""
        for where, message, hint in self._faults():
            raise RuleError(f"{where}: {message}", "bad-machine", hint, where)

    def _faults(self) -> Iterator[_MachineFault]:
        """Yield what is wrong: each check builds on those before it."""
        for answer in self.answers:
            for fault in _answer_faults(answer):
                yield place(answer.state, answer.verdict), *fault
        if len(self._table) < len(self.answers):
            yield "machine", "the same state and verdict is answered twice", ""
        for verdict in (*self.verdicts, Verdict.CLOSE):
            courses = self._table.get((FREE, verdict)) or (WON,)
            whole = len(courses) == 1 and courses[0].returned == 1
            if verdict.kind in ("win", "push", "close") and not whole:
                yield place(FREE, verdict), "a free stake is returned whole", ""
        yield from self._leading_faults()
        yield from self._staying_faults()

    def _leading_faults(self) -> Iterator[_MachineFault]:
        """Yield what is wrong with where courses lead."""
        for answer in self.answers:
            for state in [course.state for course in answer.courses if course.state]:
                where = place(answer.state, answer.verdict)
                if state == FREE:
                    yield where, "no course leads back to 'free'", "return the stake: returned = 1"
                if state not in self.states:
                    yield where, f"the state {state!r} is not answered", ""
        reached = [FREE]
        for state in reached:
            led = {c.state for _verdict, courses in self.occurring(state) for c in courses}
            reached.extend(led - {"", *reached})
        for state in self.states:
            if state not in reached:
                yield state, "no course leads to this state", "remove it, or lead to it"

    def _staying_faults(self) -> Iterator[_MachineFault]:
        """Yield where a stake would have no course, or never leave."""
        for state in self.states:
            for verdict in (*self.verdicts, Verdict.CLOSE):
                if (state, verdict) not in self._table:
                    yield place(state, verdict), "there is no course", "say what happens"
        for state in sorted(self.trapped()):
            hint = "let some verdict release it or lose it whatever is chosen"
            yield state, "a stake could stay here for ever", hint

    @cached_property
    def _table(self) -> dict[tuple[str, Verdict], tuple[Course, ...]]:
        return {
            (answer.state, answer.verdict): tuple(
                evolve(course, call=usual_call(answer.state, answer.verdict, course))
                if course.call == USUAL
                else course
                for course in answer.courses
            )
            for answer in self.answers
        }

    @cached_property
    def states(self) -> tuple[str, ...]:
        """The states, ``free`` first, then the prisons in the order in which they are declared."""
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
                return (Course(INSURED, returned=insured, default=True, call=""),)
            return (evolve(stays(state, name=INSURED, call=""), default=True),)
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

    def prisoners_odds(self, met: Collection[Verdict]) -> Fraction:
        """Return the most that a prisoner wins under some verdicts, for each unit first staked."""
        shares, order, most = {FREE: ONE}, [FREE], NOUGHT
        for state in order:
            for verdict, courses in self.occurring(state):
                for course in courses if verdict in met else ():
                    most = max(most, shares[state] * course.returned * course.pays)
                    share = shares[state] * course.staying
                    if course.state and share > shares.get(course.state, NOUGHT):
                        shares[course.state] = share  # what stays never grows: this ends
                        order.append(course.state)
        return most

    def trapped(
        self, insured: Collection[str] = (), met: Collection[Verdict] | None = None
    ) -> frozenset[str]:
        """Return the states that some choices never leave: a set closed under all verdicts.

        Stakes in the states named as ``insured`` are insured in every coup. ``met`` are the
        verdicts of one chance, by default all that the house can give.
        """
        trapped = set(self.prisons)

        def released(state: str) -> bool:
            """Return whether some verdict ends the stay, whatever is chosen."""
            share = ONE if state in insured else None
            return any(
                all(c.state not in trapped for c in self.courses(state, verdict, insured=share))
                for verdict, _courses in self.occurring(state)
                if met is None or verdict in met
            )

        while leaving := {state for state in trapped if released(state)}:
            trapped -= leaving
        return frozenset(trapped)


def _in_order(verdicts: frozenset[Verdict]) -> tuple[Verdict, ...]:
    special = sorted(verdicts - set(COUP_VERDICTS), key=lambda verdict: verdict.id)
    return (*(verdict for verdict in COUP_VERDICTS if verdict in verdicts), *special)


def _with_default(courses: tuple[Course, ...]) -> tuple[Course, ...]:
    """Return the courses with the default first; a single course is the default."""
    if len(courses) == 1:
        return (evolve(courses[0], default=True),)
    return tuple(sorted(courses, key=lambda course: not course.default))


_MachineFault = tuple[str, str, str]
"""The place in a machine, what is wrong there, what to do."""


def _answer_faults(answer: Answer) -> Iterator[tuple[str, str]]:
    """Yield what is wrong with the courses of one state and verdict, and what to do."""
    courses = answer.courses
    if not courses:
        yield "there is no course", "say what happens"
    names = [course.name for course in courses]
    if not all(names):
        yield "a course has no name", "name it: players choose by the name"
    if len(set(names)) < len(names):
        yield f"two courses have the same name among {', '.join(names)}", "rename one of them"
    for course in courses:
        shares = course.returned, course.staying, course.taken, course.pays
        if min(shares) < 0 or course.forfeited < course.taken:
            returned = f"returns {course.returned} and {course.staying} stays"
            yield f"course {course.name!r} {returned}", "shares are 0 to 1, together at most 1"
        if bool(course.staying) != bool(course.state):
            yield f"course {course.name!r} names a share that stays or a state, not both", ""
        if course.offered_from and not course.returned:
            why = f"course {course.name!r} is never offered: it returns nothing"
            yield why, "leave offered_from out, or return a part"
        if answer.state == FREE and course.pays:
            yield "a free stake is paid by its verdict", "leave pays out"
        if answer.verdict == Verdict.CLOSE and course.staying:
            yield "nothing stays on the table when the session closes", ""
    defaults = sum(course.default for course in courses)
    if defaults != 1:
        wrong = f"{defaults} of the courses {', '.join(names)} are marked default"
        yield wrong, "mark the one that is taken when the player does not choose"
    if all(course.offered_from for course in courses):
        yield "no course is left for a small stake", "remove not_below from one of them"


def side_bet_machine(verdicts: Iterable[Verdict] = (Verdict.WIN, Verdict.LOSE)) -> StakeMachine:
    """Return the machine of a side bet: it is paid, lost, or returned, and never stays."""
    return StakeMachine.of({}, possible=verdicts)


MOST_POLICIES: Final = 4096
"""How many pure policies a house may have."""
Offer = Callable[[str, Verdict, bool], tuple[Course, ...]]
"""The courses of a state under a verdict, insured or not, as a player is offered them."""


@frozen
class Policy:
    """The course taken at each choice that can be reached: ``(("free/refait", "partage"),)``."""

    choices: tuple[tuple[str, str], ...] = ()

    def course(self, state: str, verdict: Verdict) -> str:
        """Return the name of the course chosen there, empty where there is no choice."""
        return dict(self.choices).get(place(state, verdict), "")

    def insures(self, state: str) -> bool:
        """Return whether a stake is insured in a prison where the player may choose that."""
        return (insurance_place(state), YES) in self.choices

    @property
    def insured(self) -> bool:
        """The player insures the stake in some prison."""
        return any(self.insures(where.rpartition("/")[0]) for where, _course in self.choices)

    def __str__(self) -> str:
        """Return the choices in words."""
        return ", ".join(f"{where}: {course}" for where, course in self.choices) or "no choice"


def pure_policies(
    offer: Offer,
    possible: frozenset[Verdict],
    *,
    insurable: Collection[str] = (),
    lasting: Collection[str] = (),
) -> tuple[Policy, ...]:
    """Return every pure policy: every way a player can choose, at the choices that are reached.

    ``insurable`` are the prisons in which a stake may be insured: a choice of the player, before
    each coup. In those that are ``lasting`` as well, a stake that comes there insured still is.
    The first policy takes every default, and insures nothing. Raises ``TrenteError``
    ("too-many-policies") beyond 4096.
    """
    search = _PolicySearch(offer, _in_order(possible), frozenset(insurable), frozenset(lasting))
    policies = tuple(islice(search.policies({}), MOST_POLICIES + 1))
    if len(policies) > MOST_POLICIES:
        raise TrenteError(
            f"a house with more than {MOST_POLICIES} pure policies",
            "too-many-policies",
            "give the refait rule fewer choices",
        )
    return policies


@frozen
class _PolicySearch:
    """The search for policies: the choices a player meets, in the form of ``pure_policies``."""

    offer: Offer
    verdicts: Collection[Verdict]
    insurable: frozenset[str]
    lasting: frozenset[str]

    def policies(self, chosen: dict[str, str]) -> Iterator[Policy]:
        """Branch at the first choice that is reached and not yet made."""
        reached = [(FREE, False)]
        for state, covered in reached:
            where = insurance_place(state)
            if not covered and state in self.insurable and where not in chosen:
                for name in (NO, YES):
                    yield from self.policies({**chosen, where: name})
                return
            insured = covered or chosen.get(where) == YES
            for verdict in self.verdicts:
                courses = self.offer(state, verdict, insured)
                taken = courses[0]
                if len(courses) > 1:
                    where = place(state, verdict)
                    if where not in chosen:
                        for course in courses:
                            yield from self.policies({**chosen, where: course.name})
                        return
                    taken = next(course for course in courses if course.name == chosen[where])
                after = taken.state, insured and taken.state in self.lasting
                if taken.state and after not in reached:
                    reached.append(after)
        yield Policy(tuple(chosen.items()))
