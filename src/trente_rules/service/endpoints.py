"""The endpoints of the service: what each does, by the name it has in the table of endpoints."""

from __future__ import annotations

import json
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from itertools import islice
from typing import Any, Final, TypeVar

from attrs import frozen
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from trente_rules.core.errors import RecordError, TrenteError, shown
from trente_rules.service import bodies
from trente_rules.service.desk import Desk, check_may_give, forbidden_error
from trente_rules.service.feed import seen_entries
from trente_rules.service.hosted import Hosted
from trente_rules.service.messages import TableSetup, TableSummary, message_converter, with_player
from trente_rules.service.texts import texts
from trente_rules.service.tokens import Role, Visitor
from trente_rules.table.codec import command_from_json, structure
from trente_rules.table.commands import Command
from trente_rules.table.entries import Entry
from trente_rules.table.views import EntryView, view, view_of

_PAGE: Final = 100
"""Entries of one page of events, and movements of one page, unless others are asked for."""
MOST_COMMANDS: Final = 100
"""Commands of one request."""
T = TypeVar("T")


@frozen
class Visit:
    """A request of a visitor: who comes, and what they ask."""

    desk: Desk
    request: Request
    someone: Visitor | None
    asked: Mapping[str, Any]
    """The parameters of the endpoint that were given, read."""
    body: Any = None

    @property
    def visitor(self) -> Visitor:
        """The visitor of an endpoint that needs a token."""
        if self.someone is None:
            raise forbidden_error("nobody is known without a token")
        return self.someone

    @property
    def table(self) -> Hosted:
        """The table that the path names."""
        return self.desk.table(self.visitor, self.asked["table"])

    def given(self, cls: type[T]) -> T:
        """Return the body as a value of a class; ``RecordError`` ("bad-body")."""
        read: T = structure(self.body, cls, "body", made=message_converter())
        return read


async def me(visit: Visit) -> bodies.Me:
    """Return who the token is of."""
    visitor = visit.visitor
    return bodies.Me(visitor.name, visitor.role.value, visitor.tables, visitor.expires)


async def issue_token(visit: Visit) -> bodies.TokenIssued:
    """Return a token for somebody else; nobody gives what their own does not open."""
    wanted = visit.given(bodies.TokenWanted)
    if not 0 < wanted.seconds <= bodies.LONGEST_TIME:
        what = f"seconds is {shown(wanted.seconds)}, not from 1 to {bodies.LONGEST_TIME}"
        raise TrenteError(what, "bad-parameter")
    now = time.time()
    visitor = Visitor(wanted.name, wanted.role, wanted.tables, int(now) + wanted.seconds)
    if visitor.role is not Role.PLAYER and visitor.expires > visit.visitor.expires:
        # A token that is lost once must not make others that outlive it.
        raise forbidden_error("a token of the staff ends with your own at the latest")
    closed = [table for table in visitor.tables if not visit.visitor.may_see(table)]
    if closed:
        raise forbidden_error(f"your own token does not open {shown(closed[0])}")
    return bodies.TokenIssued(visit.desk.tokens.issue(visitor, now))


async def houses(visit: Visit) -> tuple[bodies.HouseChoice, ...]:
    """Return the houses that tables may be made of."""
    hall = visit.desk.hall
    found = (hall.house(name) for name in hall.house_names)
    return tuple(
        bodies.HouseChoice(
            house.name, house.title, house.money.currency, str(house.money.unit.written())
        )
        for house in found
    )


async def tables(visit: Visit) -> tuple[TableSummary, ...]:
    """Return the tables that the visitor may see."""
    hosted = (each for each in visit.desk.hall.tables if visit.visitor.may_see(each.setup.table))
    return tuple(each.summary() for each in hosted)


async def create_table(visit: Visit) -> Created:
    """Create a table; the same setup again is the same table."""
    setup = TableSetup.of_json(visit.body)
    if not visit.visitor.may_see(setup.table):
        raise forbidden_error(f"your token does not open a table {shown(setup.table)}")
    if setup.pace is not None:
        setup.pace.check()
    hosted, made = await visit.desk.hall.create(setup)
    return Created(hosted.summary(), made)


async def table(visit: Visit) -> bodies.TableNow:
    """Return the table now, as the visitor may see it."""
    hosted = visit.table
    seen = view_of(hosted.table.state, for_=visit.visitor.viewer)
    return bodies.TableNow(hosted.summary(), seen)


async def close_table(visit: Visit) -> TableSummary:
    """Close the session of a table; once it is closed nothing happens."""
    hosted = visit.table
    await visit.desk.hall.close(hosted)
    return hosted.summary()


async def commands(visit: Visit) -> tuple[EntryView, ...]:
    """Do one command, or a list of them: all or none."""
    hosted, visitor = visit.table, visit.visitor
    done = await visit.desk.do(hosted, visitor, _commands(visit))
    return tuple(view(entry, for_=visitor.viewer) for entry in done)


async def preview(visit: Visit) -> EntryView:
    """Return what a command would do now; nothing is changed."""
    hosted, visitor = visit.table, visit.visitor
    (command, *more) = _commands(visit)
    if more:
        raise RecordError("one command is previewed at a time", "bad-command")
    check_may_give(visitor, command)
    entry = await visit.desk.in_thread(hosted.table.preview, command)
    return view(entry, for_=visitor.viewer)


async def open_shoe(visit: Visit) -> EntryView:
    """Open a shoe: the service shuffles, or a live one whose cards come one by one."""
    hosted = visit.table
    entry = await visit.desk.hall.open_shoe(hosted, visit.given(bodies.ShoeWanted).id)
    return view(entry, for_=visit.visitor.viewer)


async def events(visit: Visit) -> bodies.EventsPage:
    """Return events after an index, entry by entry."""
    hosted = visit.table
    after: int = visit.asked.get("after", -1)
    limit: int = visit.asked.get("limit", _PAGE)

    def read() -> tuple[list[Entry], int]:
        remembered = hosted.table.entries
        entries: Any = remembered
        if hosted.journal is not None and (not remembered or remembered[0].first_event > after + 1):
            entries = hosted.journal.since(0)  # before the first shoe chips are bought
        later = (each for each in entries if each.first_event + len(each.events) > after + 1)
        page = list(islice(later, limit))
        last = page[-1] if page else None
        return page, after if last is None else last.first_event + len(last.events) - 1

    page, end = await visit.desk.in_thread(read)
    return bodies.EventsPage(seen_entries(page, visit.visitor.viewer), end)


async def language_texts(visit: Visit) -> dict[str, str]:
    """Return the texts of the pages in a language."""
    return texts(visit.asked["language"])


def _commands(visit: Visit) -> list[Command]:
    """Return the commands of a body; those of a player are the visitor's own."""
    given: Sequence[Any] = visit.body if isinstance(visit.body, list) else [visit.body]
    if not 0 < len(given) <= MOST_COMMANDS:
        what = f"{len(given)} commands are not from 1 to {MOST_COMMANDS}"
        raise RecordError(what, "bad-command")
    player = visit.visitor.name if visit.visitor.role is Role.PLAYER else ""
    return [command_from_json(with_player(each, player)) for each in given]


@frozen
class Created:
    """A table that was created, or was there already, which decides the status of the response."""

    summary: TableSummary
    made: bool


Action = Callable[[Visit], Awaitable[Any]]
ACTIONS: Final[Mapping[str, Action]] = {
    "me": me,
    "issue_token": issue_token,
    "houses": houses,
    "tables": tables,
    "create_table": create_table,
    "table": table,
    "delete_table": close_table,
    "close_table": close_table,
    "commands": commands,
    "preview": preview,
    "open_shoe": open_shoe,
    "events": events,
    "texts": language_texts,
}
"""The endpoints by their names; readings (``readings.READINGS``) have the rest."""


def response_of(result: Any) -> Response:
    """Return what an endpoint gave as a response of JSON."""
    status = 200
    if isinstance(result, Created):
        status, result = (201 if result.made else 200), result.summary
    text = json.dumps(
        message_converter().unstructure(result), ensure_ascii=False, separators=(",", ":")
    )
    return Response(text, status, media_type="application/json")


async def body_of(request: Request) -> Any:
    """Return the JSON of a request's body; ``RecordError`` ("not-json", "not-json-type")."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        what = f"a body of type {shown(kind)}"
        raise RecordError(what, "not-json-type", "send application/json")
    try:
        return json.loads(await request.body())
    except ClientDisconnect:
        raise
    except (ValueError, RecursionError) as error:
        raise RecordError(f"the body is not JSON: {error}", "not-json") from None
