"""Logs of the service: a line for each thing that happened, as JSON or as text.

A line has the fields that are named here and no others. Tokens, seeds, keys, passwords and orders
of cards are taken out of whatever is written, also of the messages of other libraries and of
tracebacks: a log is read by more people than a table.
"""

from __future__ import annotations

import copy
import logging
import re
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from queue import Full, Queue
from threading import Lock, Thread
from typing import TYPE_CHECKING, Any, Final, Literal, TextIO

from pythonjsonlogger.json import JsonFormatter

from trente_rules.core.errors import TrenteError, without_cards
from trente_rules.core.text import printable, printable_lines
from trente_rules.service.gate import REQUEST_ID
from trente_rules.table.commands import Command
from trente_rules.table.entries import Entry
from trente_rules.table.table import Table

if TYPE_CHECKING:
    from trente_rules.service.gate import Passage

FIELDS: Final = (
    "request",
    "table",
    "kind",
    "command",
    "player",
    "visitor",
    "role",
    "method",
    "path",
    "status",
    "code",
    "id",
    "seconds",
    "received",
    "sent",
    "client",
)
"""What a line may have besides its time, its level, its logger and its message."""
LogForm = Literal["json", "text"]
FORMS: Final[tuple[LogForm, ...]] = ("json", "text")
_LONGEST: Final = 500
"""Characters of a field; a message and a traceback may be longer."""
_LONGEST_TEXT: Final = 20_000
_MOST_WAITING: Final = 10_000
"""Records that wait to be written."""
_LONGEST_FLUSH: Final = 2.0
_OWN: Final = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}
_SECRETS: Final = (
    # A token, or the beginning of one: its first part is JSON, which begins with {" in base64.
    (re.compile(r"eyJ[A-Za-z0-9_=-]{5,}(?:\.[A-Za-z0-9_=-]*)*"), "(token)"),
    (re.compile(r"(?i)\b(bearer[ .]+)[^\s,;'\"]+"), r"\1(token)"),
    (re.compile(r"(?i)([?&#](?:access_)?token=)[^\s&'\"]+"), r"\1(token)"),
    # A seed, a key, a digest: 128 bits or more.
    (re.compile(r"(?i)(?<![0-9a-z])[0-9a-f]{32,}(?![0-9a-z])"), "(digits)"),
    (re.compile(r"(?i)(://[^\s/:@]*:)[^\s/@]+@"), r"\1(password)@"),
    (re.compile(r"(?i)\b(password=)(?:'[^']*'|\S+)"), r"\1(password)"),
)
_QUIET: Final = ("asyncio", "httpcore", "httpx", "psycopg", "uvicorn", "websockets")
"""Libraries that write headers, addresses or every frame where they may: they only warn here."""
_NOT_SO: Final = (
    "ASGI callable returned without completing handshake",
    "Invalid UTF-8 sequence received from client",
)
"""What the server's library wrongly logs as errors: a socket was refused, a client sent no text."""
_CUT_SHORT: Final = "asyncio.exceptions.CancelledError"
"""How the traceback ends that the server's library logs when it is asked to stop a second time."""
_UNSEEN: Final = frozenset(("/healthz", "/readyz", "/metrics"))
_SERVER_FAULT: Final = 500
_ACCESS: Final = logging.getLogger("trente_rules.service.access")
_COMMANDS: Final = logging.getLogger("trente_rules.service.commands")


def without_secrets(text: str) -> str:
    """Return a text without what looks like a token, a seed, a password or an order of cards."""
    for pattern, instead in _SECRETS:
        text = pattern.sub(instead, text)
    return without_cards(text)


def _cleaned(record: logging.LogRecord, traceback: str) -> logging.LogRecord:
    """Return a copy of a record: its message on one line, the fields that are named, no secrets."""
    made = copy.copy(record)
    try:
        message = record.getMessage()
    except Exception as error:  # noqa: BLE001 - a message of a stranger that does not fit
        message = f"{record.msg} ({type(error).__name__})"
    made.msg = printable(without_secrets(message[:_LONGEST_TEXT]))
    made.args = None
    made.exc_info = None
    made.stack_info = None
    made.exc_text = None
    for name in [*vars(record)]:
        if name not in _OWN:
            delattr(made, name)
    given = _named(record)
    vars(made).update({name: value for name, value in given.items() if value not in ("", None)})
    if traceback:
        vars(made)["traceback"] = printable_lines(without_secrets(traceback[-_LONGEST_TEXT:]))
    return made


def _named(record: logging.LogRecord) -> Mapping[str, Any]:
    return {name: _field(vars(record)[name]) for name in FIELDS if name in vars(record)}


def _field(value: object) -> object:
    """Return the value of a field: a number, or a text on one line."""
    if isinstance(value, bool | int | float):
        return value
    return printable(without_secrets(str(value)[:_LONGEST]))


def _traceback(formatter: logging.Formatter, record: logging.LogRecord) -> str:
    return formatter.formatException(record.exc_info) if record.exc_info else ""


class JsonLines(JsonFormatter):
    """Each record as one object of JSON on one line."""

    def __init__(self) -> None:
        """Write the time in UTC, then what every line has."""
        super().__init__(
            ["levelname", "name", "message"],
            timestamp="time",
            rename_fields={"levelname": "level", "name": "logger"},
        )

    def format(self, record: logging.LogRecord) -> str:
        """Return a record as JSON."""
        return super().format(_cleaned(record, _traceback(self, record)))


class TextLines(logging.Formatter):
    """Each record as one line of text for people, with its traceback below it."""

    def __init__(self) -> None:
        """Write the time in UTC."""
        super().__init__("{asctime} {levelname:<7} {message}", style="{")
        self.converter = time.gmtime
        self.default_time_format = "%Y-%m-%dT%H:%M:%S"
        self.default_msec_format = "%s.%03dZ"

    def format(self, record: logging.LogRecord) -> str:
        """Return a record as a line."""
        made = _cleaned(record, _traceback(self, record))
        known = [(name, vars(made)[name]) for name in FIELDS if name in vars(made)]
        fields = " ".join(f"{name}={value}" for name, value in known)
        text = super().format(made) + (f" [{fields}]" if fields else "")
        below = vars(made).get("traceback", "")
        return f"{text}\n{below}" if below else text


class LaterHandler(logging.Handler):
    """Gives records to another handler in a thread of its own, in their order.

    Commands are logged inside the lock of their table: nobody there waits for a pipe that is full.
    Of records above ``most`` that wait nothing is kept but their number.
    """

    def __init__(self, target: logging.Handler, most: int = _MOST_WAITING) -> None:
        """Begin to write."""
        super().__init__()
        self.target = target
        self._dropped = 0
        # Not the handler's own lock, which logging holds while it waits for the end of all this.
        self._counting = Lock()
        self._waiting: Queue[logging.LogRecord | None] = Queue(most)
        self._thread = Thread(target=self._write, name="log", daemon=True)
        self._thread.start()

    def emit(self, record: logging.LogRecord) -> None:
        """Let a record wait, with the id of the request that it is about."""
        made = copy.copy(record)
        vars(made).setdefault("request", REQUEST_ID.get())
        try:
            self._waiting.put_nowait(made)
        except Full:
            with self._counting:
                self._dropped += 1

    def _write(self) -> None:
        while (record := self._waiting.get()) is not None:
            with self._counting:
                dropped, self._dropped = self._dropped, 0
            if dropped:
                lost = {"msg": f"{dropped} lines were left out", "levelno": logging.WARNING}
                about = {**lost, "levelname": "WARNING", "name": __name__}
                self.target.handle(logging.makeLogRecord(about))
            self.target.handle(record)
            self._waiting.task_done()
        self._waiting.task_done()

    def flush(self) -> None:
        """Wait until what waits is written, for two seconds at most."""
        with self._waiting.all_tasks_done:
            self._waiting.all_tasks_done.wait_for(
                lambda: not self._waiting.unfinished_tasks, _LONGEST_FLUSH
            )
        self.target.flush()

    def close(self) -> None:
        """Write what waits, and end the thread; ``logging`` calls it at the end of the process."""
        if self._thread.is_alive():
            with suppress(Full):
                self._waiting.put(None, timeout=_LONGEST_FLUSH)
            self._thread.join(_LONGEST_FLUSH)
        super().close()


def _is_no_error(message: str) -> bool:
    """Return whether a message wrongly reports an error."""
    stopped = message.startswith("Traceback") and message.rstrip().endswith(_CUT_SHORT)
    return stopped or message.startswith(_NOT_SO)


def set_up_logs(
    form: LogForm = "text", level: int = logging.INFO, stream: TextIO | None = None
) -> logging.Handler:
    """Let this process write its log to a stream, by default the standard error.

    It takes the place of every handler of the root logger. Return the handler: close it to end.
    """
    target = logging.StreamHandler(stream or sys.stderr)
    target.setFormatter(JsonLines() if form == "json" else TextLines())
    handler = LaterHandler(target)
    handler.addFilter(lambda record: not _is_no_error(str(record.msg)))
    root = logging.getLogger()
    for each in [*root.handlers]:
        root.removeHandler(each)
    root.addHandler(handler)
    root.setLevel(level)
    for name in _QUIET:
        logging.getLogger(name).setLevel(max(level, logging.WARNING))
    return handler


class AccessLog:
    """A doorkeeper that writes a line for each request, and for each socket at its end."""

    def ended(self, passage: Passage) -> None:
        """Write a line; health and metrics, which are asked for all the time, where it is asked."""
        level = logging.INFO
        if passage.status >= _SERVER_FAULT and passage.kind == "request":
            level = logging.WARNING
        elif passage.path in _UNSEEN:
            level = logging.DEBUG
        if not _ACCESS.isEnabledFor(level):
            return
        visitor = passage.visitor
        _ACCESS.log(
            level,
            "%s %s",
            passage.kind,
            passage.path[:_LONGEST],
            extra={
                "request": passage.request_id,
                "method": passage.method,
                "path": passage.path,
                "status": passage.status,
                "code": passage.code,
                "seconds": round(passage.seconds, 6),
                "received": passage.received,
                "sent": passage.sent,
                "client": passage.client,
                "visitor": visitor.name if visitor else "",
                "role": visitor.role.value if visitor else "",
            },
        )


class CommandLog:
    """An observer of tables that writes a line for each command: its kind and id, never more.

    Commands that were done are for "debug": a busy house has hundreds a second. Refusals are not.
    """

    def done(self, table: Table, entries: Sequence[Entry], seconds: float) -> None:
        """Write a line for each command that was done."""
        if not _COMMANDS.isEnabledFor(logging.DEBUG):
            return
        for entry in entries:
            what = "repeated" if entry.repeated else "done"
            _COMMANDS.debug(
                "%s %s", entry.command.kind, what, extra=_about(table, entry.command, seconds)
            )

    def refused(
        self, table: Table, commands: Sequence[Command], error: Exception, seconds: float
    ) -> None:
        """Write a line for commands of which one was refused: its code, not its message."""
        code = error.code if isinstance(error, TrenteError) else type(error).__name__
        for command in commands:
            if isinstance(command, Command):
                about = {**_about(table, command, seconds), "code": code}
                _COMMANDS.info("%s refused", command.kind, extra=about)


def _about(table: Table, command: Command, seconds: float) -> dict[str, Any]:
    return {
        "table": table.state.setup.table,
        "kind": command.kind,
        "command": command.id,
        "player": command.owner,
        "seconds": round(seconds, 6),
    }
