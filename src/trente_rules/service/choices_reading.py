"""The choices of a player at a refait: what each course does, and what it is worth, exactly."""

from __future__ import annotations

from attrs import frozen


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
