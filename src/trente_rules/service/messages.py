"""The messages of the service: what is sent to a table's socket, what comes back, and setups.

Commands, events and views are those of the wire contract (``table.wire``, ``table.views``); these
classes only carry them. OpenAPI, AsyncAPI and the types of TypeScript are generated from them.
Times are whole milliseconds, amounts whole units of the house.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cache
from typing import Any, ClassVar, Final, Literal, get_args

from attrs import field, frozen
from cattrs import Converter

from trente_rules.core.errors import RecordError, TrenteError, shown
from trente_rules.core.text import printable
from trente_rules.table.codec import (
    Posted,
    command_from_json,
    command_to_json,
    converter,
    structure,
)
from trente_rules.table.commands import AnyCommand, Command
from trente_rules.table.views import PLAYER_COMMANDS, EntryView, TableView
from trente_rules.table.wire import Stamped

TABLE_NAME: Final = re.compile(r"[a-z0-9]([a-z0-9-]{0,62}[a-z0-9])?")
"""A table's name in an address: small letters, digits and hyphens, 64 at most."""
LONGEST_TITLE: Final = 100
LONGEST_TEXT: Final = 200
"""Characters of an id, a reason, or any other text of a command that comes from outside."""
MOST_META: Final = 20
LEAST_COUP: Final = 200
"""Milliseconds of a coup, at the least, where the service does not wait for players to be ready."""
_LONGEST_TIME: Final = 24 * 60 * 60 * 1000
_MOST_UNITS: Final = 10**18
SCHEMA_KEY: Final = "schema"
"""The key of a field's metadata with what its JSON Schema says besides its type."""
_TIME: Final = {SCHEMA_KEY: {"minimum": 0, "maximum": _LONGEST_TIME}}


def _time(_self: object, attribute: Any, value: Any) -> None:
    """Check a number of milliseconds: from 0 to a day, or None where that is allowed."""
    if value is not None and not (type(value) is int and 0 <= value <= _LONGEST_TIME):
        what = f"{attribute.name} is {shown(value)}, not milliseconds from 0 to {_LONGEST_TIME}"
        raise TrenteError(what, "bad-setup")


@frozen
class Pace:
    """How the service deals a table by itself; times in milliseconds.

    ``bets`` is how long bets are open; None waits until every player who is connected is ready.
    ``cut`` is how long a player may take to cut or to place the marker, ``choices`` how long the
    players may take to choose at a refait; None waits as long as it takes. ``card`` is the time
    between two cards; 0 deals the coup in one command, and each page shows it at its own pace.
    ``rest`` is the time after a coup is settled.
    """

    bets: int | None = field(default=None, validator=_time, metadata=_TIME)
    cut: int | None = field(default=None, validator=_time, metadata=_TIME)
    choices: int | None = field(default=None, validator=_time, metadata=_TIME)
    card: int = field(default=0, validator=_time, metadata=_TIME)
    rest: int = field(default=0, validator=_time, metadata=_TIME)

    def check(self) -> None:
        """Raise ``TrenteError`` ("bad-setup") for a pace at which no player could follow."""
        if self.bets is not None and self.bets + self.rest < LEAST_COUP:
            what = f"bets are open for {self.bets} ms, and {self.rest} ms are between coups"
            raise TrenteError(what, "bad-setup", f"give {LEAST_COUP} ms at least in all")


def _name(_self: object, _attribute: Any, value: Any) -> None:
    if not (isinstance(value, str) and TABLE_NAME.fullmatch(value)):
        what = f"{shown(value)} cannot be a table's name"
        hint = "use small letters, digits and hyphens, 64 at most"
        raise TrenteError(what, "bad-table-name", hint)


def _title(_self: object, _attribute: Any, value: Any) -> None:
    whole = isinstance(value, str) and len(value) <= LONGEST_TITLE and value == printable(value)
    if not whole:
        hint = f"use {LONGEST_TITLE} characters at most that can be seen"
        raise TrenteError(f"{shown(value)} cannot be a table's title", "bad-setup", hint)


def _units(_self: object, attribute: Any, value: object) -> None:
    if not (type(value) is int and 0 <= value <= _MOST_UNITS):
        what = f"{attribute.name} is {shown(value)}, not units from 0 to {_MOST_UNITS}"
        raise TrenteError(what, "bad-setup")


@frozen
class TableSetup:
    """A table to create: its name in addresses, its house, and how it is dealt.

    ``opening`` is what is posted; None takes the lowest that the house allows. With ``purses``
    players buy in before they bet. ``pace`` is how the service deals; None leaves that to a dealer
    or a shoe reader. With ``live`` the cards come one by one from outside. ``chips`` is whether
    players see how much the others have on each chance. ``title`` is shown to people. ``advance``
    is what a player without a purse is given at a table with purses, when they come first: play
    money of a local table, 0 elsewhere.
    """

    table: str = field(
        validator=_name, metadata={SCHEMA_KEY: {"pattern": f"^{TABLE_NAME.pattern}$"}}
    )
    house: str
    opening: Posted | None = None
    purses: bool = False
    pace: Pace | None = Pace()
    live: bool = False
    chips: Literal["shown", "hidden"] = "shown"
    title: str = field(
        default="", validator=_title, metadata={SCHEMA_KEY: {"maxLength": LONGEST_TITLE}}
    )
    advance: int = field(
        default=0,
        validator=_units,
        metadata={SCHEMA_KEY: {"minimum": 0, "maximum": _MOST_UNITS}},
    )

    def to_json(self) -> dict[str, Any]:
        """Return the setup as an object of JSON."""
        written: dict[str, Any] = message_converter().unstructure(self)
        return written

    @classmethod
    def of_json(cls, value: object) -> TableSetup:
        """Read a setup; ``RecordError`` ("bad-table"), ``TrenteError`` ("bad-table-name")."""
        read: TableSetup = structure(value, cls, "table", made=message_converter())
        return read


@frozen
class TableSummary:
    """A table in a list: who deals, what is posted, where it is in its session.

    ``players`` counts those who are connected to this process, ``currency`` and ``unit`` are those
    of the house (``unit`` as a decimal of the currency). ``closed`` is true once its session is
    over.
    """

    table: str
    title: str
    house: str
    currency: str
    unit: str
    phase: str
    round: str
    events: int
    opening: Posted
    purses: bool
    dealt_by: Literal["service", "dealer"]
    live: bool
    players: int
    closed: bool


@frozen
class ChanceChips:
    """The chips of all players on one chance: units of free stakes, of prisoners, and how many."""

    chance: str
    amount: int
    prisoners: int
    players: int


@frozen
class ProblemDetails:
    """Why something was refused, as problem details (RFC 9457) with the library's own values.

    ``type`` is ``urn:trente-rules:error:CODE``, ``title`` the message, ``detail`` what to do about
    it, ``code`` stable and safe to match on. ``values`` are the fields of the error, such as
    ``phase`` or ``allowed``.
    """

    type: str
    title: str
    status: int
    code: str
    detail: str = ""
    values: dict[str, Any] = field(factory=dict)


# From the service to a client


@frozen
class StateMessage:
    """The table now: the first message of a connection that does not resume.

    ``view.events`` is the index of the next event. ``said`` are the calls of the coup so far, each
    in the language of the house and in that of the client.
    """

    kind: ClassVar[Literal["state"]] = "state"
    view: TableView
    said: tuple[tuple[str, str], ...] = ()


@frozen
class EntryMessage:
    """An entry: what a command did, as far as the client may see it; each event has its index.

    ``said`` gives the index of each announcement among the events with its text in the language of
    the house and in that of the client.
    """

    kind: ClassVar[Literal["entry"]] = "entry"
    entry: EntryView
    said: dict[str, tuple[str, str]] = field(factory=dict)


@frozen
class ChipsMessage:
    """The chips of all players on the chances, where the house shows them; the newest counts."""

    kind: ClassVar[Literal["chips"]] = "chips"
    chances: tuple[ChanceChips, ...]


@frozen
class ClockMessage:
    """The clock: what the table waits for, and how long; the newest counts.

    ``waits_for`` is what a player may do now at a table that the service deals: ``bets`` (place,
    then say ready), ``cut``, ``marker``, ``choices``, ``nothing`` (the dealer is at work). ``left``
    is in milliseconds, None where it waits as long as it takes. ``ready`` of ``players`` who are
    connected have said so.
    """

    kind: ClassVar[Literal["clock"]] = "clock"
    waits_for: Literal["nothing", "bets", "cut", "marker", "choices"]
    left: int | None
    ready: int
    players: int


@frozen
class DoneMessage:
    """A command of this client was done: its id. ``repeated`` where it had been done before."""

    kind: ClassVar[Literal["done"]] = "done"
    id: str
    sequence: int
    repeated: bool


@frozen
class RefusedMessage:
    """A message of this client was refused: the id of its command, empty where it had none."""

    kind: ClassVar[Literal["refused"]] = "refused"
    id: str
    problem: ProblemDetails


@frozen
class PongMessage:
    """The answer to a ping."""

    kind: ClassVar[Literal["pong"]] = "pong"


ServerMessage = (
    StateMessage
    | EntryMessage
    | ChipsMessage
    | ClockMessage
    | DoneMessage
    | RefusedMessage
    | PongMessage
)
"""Every message from the service to a client of a table."""

# From a client to the service


@frozen
class CommandMessage:
    """A command of the wire contract; a player's own name may be left out of it."""

    kind: ClassVar[Literal["command"]] = "command"
    command: AnyCommand


@frozen
class ReadyMessage:
    """The player wants the coup to be dealt; with ``ready`` false not yet."""

    kind: ClassVar[Literal["ready"]] = "ready"
    ready: bool = True


@frozen
class CutMessage:
    """The player cuts: so many cards go behind the others. Taken while the table waits for it."""

    kind: ClassVar[Literal["cut"]] = "cut"
    place: int


@frozen
class MarkerMessage:
    """The player puts the marker in, before the last so many cards; as for the cut."""

    kind: ClassVar[Literal["marker"]] = "marker"
    from_end: int


@frozen
class LanguageMessage:
    """The client wants the second text of announcements in another language."""

    kind: ClassVar[Literal["language"]] = "language"
    language: str


@frozen
class PingMessage:
    """Ask for a pong, to know that somebody is there."""

    kind: ClassVar[Literal["ping"]] = "ping"


ClientMessage = (
    CommandMessage | ReadyMessage | CutMessage | MarkerMessage | LanguageMessage | PingMessage
)
"""Every message from a client to the socket of a table."""

_FROM_CLIENT: Final[Mapping[str, type[Any]]] = {each.kind: each for each in get_args(ClientMessage)}


@cache
def message_converter() -> Converter:
    """Return the converter of messages: that of a table's values, with commands and views."""
    made = converter().copy()
    made.register_unstructure_hook(Stamped, Stamped.to_json)
    made.register_unstructure_hook(EntryView, EntryView.to_json)
    made.register_unstructure_hook(TableView, TableView.to_json)
    made.register_structure_hook(EntryView, lambda value, _kind: EntryView.of_json(value))
    made.register_structure_hook(TableView, lambda value, _kind: TableView.of_json(value))
    made.register_unstructure_hook(Command, command_to_json)
    made.register_structure_hook_func(
        lambda kind: kind is AnyCommand, lambda value, _kind: command_from_json(value)
    )
    return made


def message_text(message: ServerMessage) -> str:
    """Return a message as the text that is sent."""
    value = {"kind": message.kind, **message_converter().unstructure(message)}
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def client_message(text: str, player: str = "") -> ClientMessage:
    """Read a message of a client; a player's command that names nobody is that player's.

    Raises ``RecordError``: "not-json", "bad-message", and what reading a command raises.
    """
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise RecordError(f"a message is not JSON: {error}", "not-json") from None
    kind = value.get("kind") if isinstance(value, dict) else None
    if not isinstance(kind, str) or kind not in _FROM_CLIENT:
        hint = f"messages are {', '.join(_FROM_CLIENT)}"
        raise RecordError(f"there is no message of kind {shown(kind)}", "bad-message", hint, "kind")
    fields = {name: each for name, each in value.items() if name != "kind"}
    if kind == CommandMessage.kind:
        fields["command"] = with_player(fields.get("command"), player)
    read: ClientMessage = structure(fields, _FROM_CLIENT[kind], "message", made=message_converter())
    return read


def with_player(command: Any, player: str) -> Any:
    """Return a command's JSON, with the player it is of where it names nobody.

    Raises ``RecordError`` ("too-long") for texts that no client needs: they are stored for ever.
    """
    _check_texts(command)
    if not (player and isinstance(command, dict)):
        return command
    kind = command.get("kind")
    if not isinstance(kind, str) or kind not in _PLAYERS:  # one that is no text is refused later
        return command
    return command if command.get("player") else {**command, "player": player}


def _check_texts(value: Any, name: str = "command") -> None:
    """Raise ``RecordError`` ("too-long") for a text of a command, or metadata, that is too long."""
    if isinstance(value, str) and len(value) > LONGEST_TEXT:
        what = f"{name} has {len(value)} characters: {shown(value)}"
        raise RecordError(what, "too-long", f"use {LONGEST_TEXT} at most", name)
    if isinstance(value, list):
        for each in value:
            _check_texts(each, name)
    if isinstance(value, dict):
        meta = value.get("meta")
        if isinstance(meta, dict | list) and len(meta) > MOST_META:
            what = f"{len(meta)} texts of metadata"
            raise RecordError(what, "too-long", f"give {MOST_META} at most", "meta")
        for key, each in value.items():
            _check_texts(key, name)
            _check_texts(each, key)


_PLAYERS: Final = frozenset(command.kind for command in PLAYER_COMMANDS)
