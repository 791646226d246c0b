"""Problems: each error of the library as problem details (RFC 9457), with a status of HTTP.

Whose fault it is decides: what a client sent is 4xx, with the error's own values; what broke in the
service is 5xx, written to the log with an id, and the client gets the id and no more: no path, no
traceback, nothing of the tables.
"""

from __future__ import annotations

import http.client
import json
import logging
from collections.abc import Mapping
from fractions import Fraction
from typing import Any, Final

import attrs
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, HTTPConnection
from starlette.responses import Response
from starlette.types import ExceptionHandler, Receive, Scope, Send

from trente_rules.core.errors import BetError, PhaseError, PluginError, TrenteError, shown
from trente_rules.core.text import printable, printable_lines
from trente_rules.fair.entropy import fresh_seed
from trente_rules.service.messages import ProblemDetails

TYPE: Final = "urn:trente-rules:error:"
INTERNAL: Final = "internal"
MEDIA_TYPE: Final = "application/problem+json"
SERVER_FAULT: Final = 500
PROBLEM: Final = "trente_rules.problem"
"""Where the scope of a connection holds the code of the problem that was sent."""
_LARGEST: Final = 1 << 63
_DEEPEST: Final = 6
_MOST: Final = 50
_LONGEST: Final = 1_000
_ID_BYTES: Final = 8
_LOG: Final = logging.getLogger("trente_rules.service")

_STATUS: Final[Mapping[str, int]] = {
    **dict.fromkeys(("token-missing", "token-expired", "token-forged"), 401),
    "wallet-refused": 402,
    **dict.fromkeys(("forbidden", "bad-host", "bad-origin", "card-secret", "not-previewed"), 403),
    **dict.fromkeys(("unknown-table", "unknown-path", "unknown-coup"), 404),
    "wrong-method": 405,
    "too-slow": 408,
    **dict.fromkeys(
        ("table-exists", "same-id", "other-coup", "other-movements", "no-debt", "tables-apart"), 409
    ),
    "too-large": 413,
    "not-json-type": 415,
    "upgrade-needed": 426,
    "too-many": 429,
    **dict.fromkeys(
        (
            "not-json",
            "too-long",
            "no-such-command",
            "unknown-kind",
            "bad-message",
            "unknown-language",
        ),
        400,
    ),
    # The journal, its disk or its server: the command had no effect, and may be sent again.
    **dict.fromkeys(
        (
            "stopping",
            "table-failed",
            "busy",
            "connection-lost",
            "file-unwritable",
            "journal-closed",
            "journal-fails",
            "journal-full",
            "journal-in-use",
            "journal-locked",
            "journal-moved",
            "journal-read-only",
            "wallet-unknown",
        ),
        503,
    ),
    # What a restart, or a second try, does not mend.
    **dict.fromkeys(
        (
            "bad-signature",
            "bad-store",
            "bad-synchronous",
            "file-unreadable",
            "house-not-kept",
            INTERNAL,
            "in-transaction",
            "no-rotation",
            "no-setup",
            "no-transaction",
            "not-a-journal",
            "old-sqlite",
            "other-events",
            "other-head",
            "other-house",
            "other-tables",
            "plugin-broken",
            "rule-fails",
            "seal-broken",
            "transaction-ended",
            "wrong-key",
        ),
        500,
    ),
}
"""The status of each code that its class, or the beginning of its name, does not give."""
_BEGINNINGS: Final = (
    *((begin, 500) for begin in ("needs-", "store-", "journal-", "snapshot-")),
    ("bad-", 400),
)
_BY_STATUS: Final[Mapping[int, str]] = {
    401: "token-missing",
    403: "forbidden",
    404: "unknown-path",
    405: "wrong-method",
    408: "too-slow",
    413: "too-large",
    415: "not-json-type",
    426: "upgrade-needed",
    429: "too-many",
    503: "stopping",
}
"""The code of what the framework itself refuses."""
_PUBLIC: Final[Mapping[int, str]] = {
    500: "the service failed",
    503: "the service cannot do this now",
}
_NOT_VALUES: Final = ("message", "code", "hint")


@attrs.define(eq=False, slots=False)
class ForwardedError(TrenteError):
    """A refusal of another process, which a visitor gets as it is."""

    problem: ProblemDetails = attrs.field(kw_only=True)

    @classmethod
    def of(cls, problem: ProblemDetails) -> ForwardedError:
        """Return the error of a problem."""
        return cls(problem.title, problem.code, problem.detail, problem=problem)


def status_of(code: str, kind: type[BaseException] = TrenteError) -> int:
    """Return the status of HTTP for a code of an error of a class; 422 for any bad value."""
    known = _STATUS.get(code)
    if known is not None:
        return known
    if issubclass(kind, PhaseError):
        return 409
    if issubclass(kind, BetError):
        return 422
    if issubclass(kind, PluginError):
        return 500
    return next((status for begin, status in _BEGINNINGS if code.startswith(begin)), 422)


def problem_of(error: BaseException) -> ProblemDetails:
    """Return an error as problem details; one that is the service's own fault is logged here.

    ``values`` are the fields of the error that hold something. Of a fault of the service a client
    learns the code, if it is one of the library's, and the id under which it is in the log.
    """
    if isinstance(error, HTTPException):
        return _of_framework(error)
    if isinstance(error, ForwardedError):
        return error.problem
    if not isinstance(error, TrenteError):
        return _broken(error, INTERNAL, SERVER_FAULT)
    status = status_of(error.code, type(error))
    if status >= SERVER_FAULT and error.code != "stopping":
        return _broken(error, error.code, status)
    title, detail = _cut(error.message), _cut(error.hint)
    return ProblemDetails(
        f"{TYPE}{error.code}", title, status, error.code, detail, values_of(error)
    )


def _broken(error: BaseException, code: str, status: int) -> ProblemDetails:
    """Write an error to the log under a new id, and return what a client may know of it."""
    number = fresh_seed(_ID_BYTES).hex()
    _LOG.error("failed: %s", code, extra={"code": code, "id": number}, exc_info=error)
    detail = f"the log of the service has it under {number}"
    return ProblemDetails(f"{TYPE}{code}", _PUBLIC[status], status, code, detail, {"id": number})


def _cut(text: str) -> str:
    """Return a text to be shown, cut where it repeats what a client sent at length."""
    cut = text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."
    return printable_lines(cut)


def _of_framework(error: HTTPException) -> ProblemDetails:
    status = error.status_code
    code = _BY_STATUS.get(status, INTERNAL if status >= SERVER_FAULT else "bad-request")
    title = http.client.responses.get(status, "refused").lower()
    return ProblemDetails(f"{TYPE}{code}", title, status, code)


def values_of(error: TrenteError) -> dict[str, Any]:
    """Return the fields that an error has besides its message, as values of JSON."""
    named = {
        each.name: getattr(error, each.name)
        for each in attrs.fields(type(error))
        if each.name not in _NOT_VALUES
    }
    return {name: _json(value, 0) for name, value in named.items() if value not in ("", (), None)}


def _json(value: object, depth: int) -> Any:
    """Return a value as JSON has it: texts that can be printed, whole numbers of 64 bits."""
    if depth > _DEEPEST:
        return shown(value)
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        return value if -_LARGEST <= value < _LARGEST else shown(value)
    if isinstance(value, str):
        return printable(value[:_LONGEST])
    if isinstance(value, Fraction):
        return str(value)
    if isinstance(value, Mapping):
        pairs = [*value.items()][:_MOST]
        return {printable(str(name)[:_LONGEST]): _json(each, depth + 1) for name, each in pairs}
    if isinstance(value, list | tuple | set | frozenset):
        return [_json(each, depth + 1) for each in [*value][:_MOST]]
    kind: type[Any] = type(value)
    if attrs.has(kind):
        names = [each.name for each in attrs.fields(kind)]
        return {name: _member(name, getattr(value, name), depth) for name in names}
    return shown(value)


def _member(name: str, value: Any, depth: int) -> Any:
    """Return a field of a part of an error: values of a refusal by name, of a file its last part.

    Where the files of the service are is nobody's business.
    """
    if name == "values":
        value = dict(value)
    if name == "file":
        value = str(value).replace("\\", "/").rpartition("/")[2]
    return _json(value, depth + 1)


class ProblemResponse(Response):
    """Problem details, as a response to a request, or instead of the handshake of a socket."""

    media_type = MEDIA_TYPE

    def __init__(self, problem: ProblemDetails, headers: Mapping[str, str] | None = None) -> None:
        """Write a problem; with ``Retry-After`` where its values have ``seconds``."""
        made = dict(headers or {})
        if problem.status == 401:  # noqa: PLR2004 - unauthorised
            made["WWW-Authenticate"] = "Bearer"
        if problem.status == 426:  # noqa: PLR2004 - upgrade required
            made["Upgrade"] = "websocket"
        if type(seconds := problem.values.get("seconds")) is int:
            made["Retry-After"] = str(seconds)
        self.problem = problem
        super().__init__(attrs.asdict(problem), problem.status, made)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send it, and leave its code in the scope for the log and the metrics."""
        scope[PROBLEM] = self.problem.code
        await super().__call__(scope, receive, send)

    def render(self, content: Any) -> bytes:
        """Return the problem as JSON, in UTF-8."""
        return json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode()


def response_of(error: BaseException) -> ProblemResponse:
    """Return an error as the response to whoever caused it."""
    headers = error.headers if isinstance(error, HTTPException) else None
    return ProblemResponse(problem_of(error), headers)


async def _answer(_connection: HTTPConnection, error: Exception) -> ProblemResponse:
    return response_of(error)


async def _fail(connection: HTTPConnection, error: Exception) -> ProblemResponse:
    """Return a fault of ours as the response, and leave a word that it is in the log already."""
    response = response_of(error)
    connection.scope[PROBLEM] = response.problem.code
    return response


async def _leave(_connection: HTTPConnection, _error: Exception) -> None:
    """Do nothing: whoever asked has gone."""


def exception_handlers() -> dict[Any, ExceptionHandler]:
    """Return what an application of Starlette does with errors of its endpoints.

    Errors outside it are for ``gate.Gate``.
    """
    return {
        TrenteError: _answer,
        HTTPException: _answer,
        ClientDisconnect: _leave,
        Exception: _fail,
    }
