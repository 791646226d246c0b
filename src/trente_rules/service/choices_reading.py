"""The choices of a player at a refait: what each course does, and what it is worth, exactly."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from attrs import frozen

from trente_rules.core.errors import TrenteError
from trente_rules.core.house.house import House
from trente_rules.core.machine import Course
from trente_rules.core.rules.announcements import Call
from trente_rules.core.settlement import wager_of
from trente_rules.core.stakes import Line
from trente_rules.core.text import printable
from trente_rules.odds.worth import course_worths
from trente_rules.reports.rulebook_stakes import course_text
from trente_rules.reports.sentences import capital
from trente_rules.service.texts import PageWords
from trente_rules.table.events import ChoiceOffered
from trente_rules.table.state import Phase, TableState
from trente_rules.table.views import Viewer, view_of


@frozen
class CourseReading:
    """One course that is offered for a stake; amounts in units.

    ``name`` is what it is called, ``call`` what the croupier calls, empty for nothing. ``returned``
    goes back now with ``won`` on top, ``taken`` goes to the bank now, ``staying`` stays in
    ``state``, empty where nothing stays. ``sentence`` says all that. ``worth`` is the exact value
    of the stake, in units, under best play from here, as a fraction; ``worth_text`` the same in
    money.
    """

    course: str
    name: str
    call: str
    moves: tuple[str, ...]
    sentence: str
    returned: int
    won: int
    taken: int
    staying: int
    state: str
    worth: str
    worth_text: str
    best: bool
    default: bool


@frozen
class ChoiceReading:
    """The choice for one stake: the question, the courses, and the one that is chosen, if any.

    ``state`` is that of the stake before the coup, ``met`` what the verdict is called.
    """

    stake: str
    chance: str
    name: str
    amount: int
    state: str
    verdict: str
    met: str
    question: str
    chosen: str
    courses: tuple[CourseReading, ...]


def choices_reading(
    state: TableState, viewer: Viewer, words: PageWords
) -> tuple[ChoiceReading, ...]:
    """Return the choices that a viewer has, or sees, at the coup that is dealt; else none.

    A worth is empty where the house's own machine has too many worths to follow.
    """
    if state.phase is not Phase.DEALT:
        return ()
    seen = view_of(state, for_=viewer)
    chosen = {choice.stake: choice.course for choice in seen.choices}
    return tuple(_choice(state, offer, chosen, words) for offer in seen.offers)


def _choice(
    state: TableState, offer: ChoiceOffered, chosen: Mapping[str, str], words: PageWords
) -> ChoiceReading:
    stake, met = offer.stake, capital(words.speech.short(offer.verdict.id))
    name = words.chances[stake.chance]
    values = {"verdict": met, "amount": words.amount(stake.amount), "chance": name}
    question = (
        words.say("choice.what", **values)
        if stake.free
        else words.say("choice.held", **values, state=words.speech.state(stake.state))
    )
    return ChoiceReading(
        stake=stake.id,
        chance=stake.chance,
        name=name,
        amount=stake.amount,
        state=stake.state,
        verdict=offer.verdict.id,
        met=met,
        question=question,
        chosen=chosen.get(stake.id, ""),
        courses=tuple(_courses(state, offer, words)),
    )


def _courses(state: TableState, offer: ChoiceOffered, words: PageWords) -> Iterator[CourseReading]:
    house, stake, met = state.house, offer.stake, offer.verdict
    try:
        worths = {
            each.course.name: each
            for each in course_worths(house, stake, met, opening=state.opening)
        }
    except TrenteError as error:
        if error.code != "too-many-states":
            raise
        worths = {}
    wager = wager_of(house, stake)
    for course in wager.offered(stake, met, opening=state.opening):
        line = wager.settle(stake, met, course.name, opening=state.opening)
        found = worths.get(course.name)
        call = house.words.say(Call(course.call)) if _called(house, course) else ""
        yield CourseReading(
            course=course.name,
            name=words.speech.course(course.name),
            call=printable(call),
            moves=moves_of(line, words),
            sentence=capital(course_text(stake.state, met, course, words.speech)),
            returned=line.returned,
            won=line.won,
            taken=line.forfeited,
            staying=line.staying,
            state=line.after.state if line.after else "",
            worth=str(found.worth) if found else "",
            worth_text=words.amount(found.worth) if found else "",
            best=bool(found and found.best),
            default=course.default,
        )


def _called(house: House, course: Course) -> bool:
    return bool(course.call) and house.words.calls(course.call)


def moves_of(line: Line, words: PageWords) -> tuple[str, ...]:
    """Return what moves by a settlement of one stake, each part as money."""
    state = words.speech.state(line.after.state) if line.after else ""
    parts = tuple(
        words.say(f"moves.{name}", amount=words.amount(units), state=state)
        for name, units in (
            ("won", line.won),
            ("returned", line.returned),
            ("lost", line.forfeited),
            ("staying", line.staying),
            ("premium", line.premium_kept),
            ("premium_returned", line.premium_returned),
        )
        if units
    )
    return parts or (words.say("moves.none"),)
