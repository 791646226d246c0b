"""Target: commands on the wire, done at a table in one of many states.

An input is a number, which chooses the state, and a list of commands, as JSON. The table is watched
as in the tests of the table: refused commands change nothing, books kept from the events alone
agree with the state, the balance is nought. What is done is read back from its JSON.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any, Final

from tests.fuzz.house_files import schema_words
from tests.fuzz.mutation import json_bytes, json_mutation
from tests.fuzz.target import Target, check, refused
from tests.properties.shipped import names, shipped
from tests.table.choosing import Bytes, Chooser
from tests.table.watched import Watched

from trente_rules import PhaseError, Table, TrenteError
from trente_rules.table import (
    Audience,
    Entry,
    Phase,
    TableView,
    command_from_json,
    command_to_json,
    entry_from_json,
    entry_to_json,
    event_view,
    view_of,
    wire_schema,
)
from trente_rules.table.commands import COMMANDS

MOST: Final = 12
"""Commands of one input that are done."""
STATES: Final = 48


@cache
def states() -> tuple[Watched, ...]:
    """Return tables of many houses in many phases, with stakes, prisoners and purses."""
    found = []
    for place in range(STATES):
        name = names()[place * 7 % len(names())]
        watched = Watched(shipped(name), purses=place % 5 == 4)
        chooser = Chooser(watched, live=place % 4 == 3)
        choices = Bytes(bytes((place * 71 + step * 29 + step * step) % 256 for step in range(200)))
        for _step in range(4 + place * 3 % 41):
            if watched.state.phase is Phase.ENDED:
                break
            if watched.state.phase is Phase.BETTING and choices.below(3):
                chooser.give(chooser.typical(choices), choices)
            elif watched.state.phase is not Phase.READY or choices.below(4):
                chooser.onwards(choices)
            else:
                chooser.give(choices.of(COMMANDS), choices)
        found.append(watched)
    return tuple(found)


def copied(watched: Watched) -> Watched:
    """Return a table in the same state with books of its own: what is done there is not kept."""
    made = copy.copy(watched)
    table = watched.table
    made.table = Table(watched.house, state=table.state, entries=table.entries)
    made.books = copy.deepcopy(watched.books)
    made.done, made.since_closed = [*watched.done], [*watched.since_closed]
    made.codes, made.kinds = watched.codes.copy(), watched.kinds.copy()
    return made


def one(data: bytes) -> str:
    """Do commands at a table."""
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return "refused, not JSON"
    if not (isinstance(value, list) and len(value) > 1 and isinstance(value[0], int)):
        return "refused, not commands"
    watched = copied(states()[value[0] % STATES])
    done, word = 0, ""
    for each in value[1 : MOST + 1]:
        try:
            command = command_from_json(each)
        except TrenteError as error:
            word = word or refused(error)
            continue
        check(command_from_json(command_to_json(command)) == command, "it is read back as another")
        if _was_given(watched, command):
            word = word or "refused same-id"
        elif watched.give(command) is None:
            word = word or "refused by the table"
        else:
            done += 1
            _check_entry(watched, watched.table.entries[-1])
    return f"accepted, {min(done, 3)} done" if done else word


def _was_given(watched: Watched, command: Any) -> bool:
    """Return whether a command of the same id was done here; give it again, then."""
    before = watched.state
    try:
        if watched.table.earlier(command) is None:
            return False
        watched.table.do(command)
    except PhaseError as error:
        check(error.code == "same-id", f"it is refused as {error.code}")
    except TrenteError:
        return False
    check(watched.state is before, "a command that was given before acts again")
    return True


def _check_entry(watched: Watched, entry: Entry) -> None:
    """Check that an entry is read back as it is, and that views of it can be written."""
    value = json.loads(json.dumps(entry_to_json(entry)))
    check(entry_from_json(value) == entry, "an entry is read back as another one")
    for viewer in (Audience.DEALER, Audience.PUBLIC, "ann"):
        view = view_of(watched.state, for_=viewer)
        value = json.loads(json.dumps(view.to_json()))
        check(TableView.of_json(value) == view, "a view is read back as another one")
        for event in entry.events:
            event_view(event, for_=viewer)


def seeds() -> Iterator[bytes]:
    """Yield for each state the commands that were done on the way to another one."""
    commands = [[command_to_json(each) for each in watched.done[-MOST:]] for watched in states()]
    for place, watched in enumerate(states()):
        following = [_next(watched, number) for number in range(3)]
        given = [each for each in following if each is not None]
        other = commands[(place + 5) % STATES]
        yield json_bytes(
            [place, *given, *({**each, "id": f"n{n}"} for n, each in enumerate(other))]
        )


def _next(watched: Watched, number: int) -> dict[str, Any] | None:
    """Return a command that a table takes now, as JSON."""
    made = copied(watched)
    chooser, choices = Chooser(made, live=False), Bytes(bytes([number * 17] * 40))
    chooser.stakes = 100
    given = len(made.done)
    for _try in range(10):
        if made.state.phase is Phase.BETTING and number:
            chooser.give(chooser.typical(choices), choices)
        else:
            chooser.onwards(choices)
        if len(made.done) > given:
            return command_to_json(made.done[-1])
    return None


def words() -> Iterable[str]:
    """Return the keys of commands, the words that their values may be, and ids at the tables."""
    stakes = {stake.id for watched in states() for stake in watched.state.stakes}
    chances = {chance.id for watched in states() for chance in watched.house.chances}
    courses = {name for watched in states() for name in _courses(watched)}
    return [
        *schema_words(wire_schema("commands")),
        *sorted(stakes | chances | courses),
        "ann",
        "bob",
    ]


def _courses(watched: Watched) -> Iterator[str]:
    return (course.name for each in watched.house.machine.answers for course in each.courses)


TARGET = Target("wire-commands", one, seeds, words, json_mutation, 4000, states)
