"""The bodies of requests and responses, besides commands, views and messages.

Bodies are frozen values, as messages are: OpenAPI and the types of TypeScript are made of them, and
``message_converter`` reads and writes them. Amounts are whole units of the house, exact numbers and
probabilities texts.
"""

from __future__ import annotations

from typing import Final, Literal

from attrs import field, frozen

from trente_rules.service.messages import SCHEMA_KEY, TableSummary
from trente_rules.table.movements import Movement
from trente_rules.table.views import EntryView, TableView

LONGEST_TIME: Final = 30 * 24 * 60 * 60
"""Seconds for which a token is issued at most."""
RoleName = Literal["player", "dealer", "supervisor", "auditor"]


class GivenCommand:
    """A command as it is given to the service: a player may leave out their own name.

    A mark for schemas; ``messages.client_message`` and ``table.command_from_json`` read one.
    """


@frozen
class Health:
    """The state of the service: up and ready for more, or about to end."""

    status: Literal["ok", "stopping", "failing"]
    checks: dict[str, str] = field(factory=dict)


@frozen
class Me:
    """Who a token is of: its name, its role, the tables it is for (``*`` is all), and its end.

    ``expires`` is in seconds since 1970.
    """

    name: str
    role: RoleName
    tables: tuple[str, ...]
    expires: int


@frozen
class TokenWanted:
    """A token to issue: for whom, and for how many seconds from now."""

    name: str
    role: RoleName
    tables: tuple[str, ...] = ("*",)
    seconds: int = field(
        default=12 * 60 * 60, metadata={SCHEMA_KEY: {"minimum": 1, "maximum": LONGEST_TIME}}
    )


@frozen
class TokenIssued:
    """A token: it is sent as ``Authorization: Bearer TOKEN``."""

    token: str


@frozen
class HouseChoice:
    """A house that tables may be made of; ``unit`` is a decimal of its currency."""

    name: str
    title: str
    currency: str
    unit: str


@frozen
class ShoeWanted:
    """A shoe that the service shuffles and opens, or a live one at a live table.

    ``id`` is that of the command, as the sender counts them: sent again, it opens no second shoe.
    """

    id: str


@frozen
class TableNow:
    """A table as it is: its summary, and what the asker may see of it."""

    summary: TableSummary
    view: TableView


@frozen
class EventsPage:
    """A part of the events of a table, in order; ``next`` is the last index that was looked at."""

    entries: tuple[EntryView, ...]
    next: int


@frozen
class MovementsPage:
    """A part of the movements of a table, in order; ``next`` is the id to continue after."""

    movements: tuple[Movement, ...]
    next: str
