"""The endpoints of the service, each listed once: its path, who may ask, what it takes and gives.

The application makes its routes of this table, and OpenAPI and the readable page are made of it:
they cannot disagree. Texts are Markdown.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final, Literal

from attrs import evolve, field, frozen

from trente_rules.core.errors import RuleError, TrenteError, shown
from trente_rules.service import bodies
from trente_rules.service.choices_reading import ChoiceReading
from trente_rules.service.house_facts import HouseFacts
from trente_rules.service.messages import TABLE_NAME, TableSetup, TableSummary
from trente_rules.service.odds_reading import OddsReading
from trente_rules.service.past_reading import CardReading, CoupReading, ReplayReading
from trente_rules.service.staff_reading import DealerReading, JournalReading, MonitorReading
from trente_rules.service.statistics_reading import StatisticsReading
from trente_rules.table.views import EntryView

JSON: Final = "application/json"
PROBLEM: Final = "application/problem+json"
ALL: Final[tuple[bodies.RoleName, ...]] = ("player", "dealer", "supervisor", "auditor")
STAFF: Final[tuple[bodies.RoleName, ...]] = ("dealer", "supervisor")
BOOKS: Final[tuple[bodies.RoleName, ...]] = ("supervisor", "auditor")
GUESTS: Final[tuple[bodies.RoleName, ...]] = ()
"""Everybody, with a token or without one."""
MOST_ENTRIES: Final = 1_000
MOST_COUPS: Final = 500
LATEST: Final = (1 << 53) - 1
_LANGUAGE_PATTERN: Final = "[a-z]{2}"
_NUMBER: Final = re.compile(r"-?[0-9]{1,16}")


@frozen
class Parameter:
    """A parameter of an endpoint: where it lies, its JSON Schema, and an example."""

    name: str
    schema: dict[str, Any]
    words: str
    example: Any
    place: Literal["path", "query"] = "query"

    def read(self, text: str) -> str | int:
        """Return the value given; ``TrenteError`` ("bad-parameter") where it is invalid."""
        if self.schema["type"] == "integer":
            least, most = self.schema["minimum"], self.schema["maximum"]
            if _NUMBER.fullmatch(text) and least <= int(text) <= most:
                return int(text)
            raise _parameter_error(self.name, text, f"give a whole number from {least} to {most}")
        pattern = self.schema.get("pattern", "")
        if pattern and not re.fullmatch(pattern.removeprefix("^").removesuffix("$"), text):
            raise _parameter_error(self.name, text, f"give one like {self.example}")
        return text


def _parameter_error(name: str, text: str, hint: str) -> TrenteError:
    return TrenteError(f"{name} is {shown(text)}", "bad-parameter", hint)


@frozen
class Reply:
    """A reply that is not a refusal: its status, the type of its body, its media type.

    ``kind`` is None for a body that is not JSON.
    """

    status: int
    words: str
    kind: Any = None
    media: str = JSON


@frozen
class Endpoint:
    """One endpoint: a method and a path, who may ask, what it takes and what it gives.

    ``name`` is the key of the function that serves it, and the id of the operation. ``roles`` is
    empty where no token is needed. ``refusals`` are the statuses, each with its codes, that do not
    come of the table's own rules: see ``all_refusals``.
    """

    name: str
    method: Literal["GET", "POST", "DELETE"]
    path: str
    group: str
    words: str
    replies: tuple[Reply, ...]
    roles: tuple[bodies.RoleName, ...] = ALL
    parameters: tuple[Parameter, ...] = ()
    body: Any = None
    example: Any = None
    refusals: dict[int, tuple[str, ...]] = field(factory=dict)

    def read(self, given: Mapping[str, str]) -> dict[str, str | int]:
        """Return the values of the parameters that were given, of the path or the query.

        Raises ``TrenteError`` ("bad-parameter") for one that there is not: a misspelt name is a
        fault.
        """
        known = {each.name: each for each in self.parameters}
        for name in given:
            if name not in known:
                hint = f"parameters are {', '.join(known)}" if known else "it takes none"
                raise TrenteError(f"no parameter {shown(name)}", "bad-parameter", hint)
        return {name: known[name].read(text) for name, text in given.items()}

    @property
    def all_refusals(self) -> dict[int, tuple[str, ...]]:
        """The statuses of every refusal in order, each with its codes.

        Besides those of this endpoint there are those of the token, of a table that is not there,
        of a body and of parameters, and of the service itself.
        """
        found: dict[int, tuple[str, ...]] = {**_SERVICE, **self.refusals}
        if self.roles:
            found[401] = ("token-missing", "token-expired", "token-forged")
        if self.roles and (self.roles != ALL or "{table}" in self.path):
            found[403] = (*found.get(403, ()), "forbidden")
        if "{table}" in self.path:
            found[404] = ("unknown-table", *found.get(404, ()))
            found[503] = (*found[503], "table-failed")
        if self.roles or self.parameters:
            found[400] = (*found.get(400, ()), "bad-parameter")
        if _LANGUAGE.name in {each.name for each in self.parameters}:
            found[400] = (*found[400], "unknown-language")
        if self.body is not None:
            found[400] = ("not-json", *found.get(400, ()))
            found[408] = ("too-slow",)
            found[415] = ("not-json-type",)
        return dict(sorted(found.items()))


_SERVICE: Final[dict[int, tuple[str, ...]]] = {
    403: ("bad-host", "bad-origin"),
    413: ("too-large",),
    429: ("too-many",),
    500: ("internal",),
    503: ("stopping",),
}
"""What every endpoint may be refused with."""

# Parameters

_TABLE: Final = Parameter(
    "table",
    {"type": "string", "pattern": f"^{TABLE_NAME.pattern}$"},
    "The table's name.",
    "salle-1",
    "path",
)
_LANGUAGE: Final = Parameter(
    "language",
    {"type": "string", "pattern": f"^{_LANGUAGE_PATTERN}$"},
    "The language of the texts: `en`, `fr`, `it`, `es` or `de`. By default that of the house.",
    "fr",
)


def _number(name: str, words: str, example: int, least: int = 0, most: int = LATEST) -> Parameter:
    schema = {"type": "integer", "minimum": least, "maximum": most}
    return Parameter(name, schema, words, example)


def _in_path(parameter: Parameter) -> Parameter:
    return evolve(parameter, place="path")


_AFTER: Final = evolve(
    _number("after", "The last index that was seen; by default none was.", 41, -1),
)
_LIMIT: Final = _number("limit", "The most that are given.", 100, 1, MOST_ENTRIES)
_COUP: Final = (
    _in_path(_number("shoe", "The shoe, counted from 1 in the session.", 1, 1)),
    _in_path(_number("coup", "The coup, counted from 1 in its shoe.", 7, 1)),
)

# Examples

_SETUP: Final[dict[str, Any]] = {
    "table": "salle-1",
    "house": "monte-carlo-1911",
    "pace": {"bets": 30000, "rest": 4000},
    "chips": "shown",
}
_PLACE: Final[dict[str, Any]] = {
    "kind": "place",
    "id": "7",
    "stake": "7",
    "chance": "rouge",
    "amount": 2000,
}
_WANTED: Final[dict[str, Any]] = {
    "name": "ann",
    "role": "player",
    "tables": ["salle-1"],
    "seconds": 3600,
}

_COMMAND_REFUSALS: Final[dict[int, tuple[str, ...]]] = {
    400: ("bad-command", "unknown-kind", "too-long"),
    409: ("not-now", "too-late", "other-coup", "same-id"),
    422: ("bad-value",),
}


def _reading(name: str, path: str, words: str, kind: Any, *more: Parameter) -> Endpoint:
    """Return the endpoint of something that is read of a table."""
    return Endpoint(
        name,
        "GET",
        f"/api/tables/{{table}}/{path}",
        "Readings",
        words,
        (Reply(200, "As it is now.", kind),),
        parameters=(_TABLE, *more, _LANGUAGE),
    )


ENDPOINTS: Final[tuple[Endpoint, ...]] = (
    Endpoint(
        "healthz",
        "GET",
        "/healthz",
        "Service",
        "Whether the process is up.",
        (Reply(200, "It is up.", bodies.Health),),
        GUESTS,
    ),
    Endpoint(
        "readyz",
        "GET",
        "/readyz",
        "Service",
        "Whether the process takes more connections.",
        (Reply(200, "It does.", bodies.Health), Reply(503, "It is stopping.", bodies.Health)),
        GUESTS,
    ),
    Endpoint(
        "metrics",
        "GET",
        "/metrics",
        "Service",
        "Figures for Prometheus.",
        (Reply(200, "The text format of Prometheus.", media="text/plain"),),
        GUESTS,
    ),
    Endpoint(
        "openapi",
        "GET",
        "/openapi.json",
        "Service",
        "This contract as OpenAPI 3.1.",
        (Reply(200, "The document.", dict[str, Any]),),
        GUESTS,
    ),
    Endpoint(
        "asyncapi",
        "GET",
        "/asyncapi.json",
        "Service",
        "The contract of a table's socket as AsyncAPI 3.0.",
        (Reply(200, "The document.", dict[str, Any]),),
        GUESTS,
    ),
    Endpoint(
        "docs",
        "GET",
        "/docs",
        "Service",
        "Both contracts as a page to read.",
        (Reply(200, "The page.", media="text/html"),),
        GUESTS,
    ),
    Endpoint(
        "docs_style",
        "GET",
        "/docs.css",
        "Service",
        "The style of that page.",
        (Reply(200, "The style.", media="text/css"),),
        GUESTS,
    ),
    Endpoint(
        "texts",
        "GET",
        "/api/texts/{language}",
        "Service",
        "The texts of the pages in a language; `$x` is a placeholder.",
        (Reply(200, "A template for each key.", dict[str, str]),),
        GUESTS,
        (evolve(_LANGUAGE, words="The language.", place="path"),),
    ),
    Endpoint(
        "me",
        "GET",
        "/api/me",
        "Players",
        "Who the token is of.",
        (Reply(200, "The visitor.", bodies.Me),),
    ),
    Endpoint(
        "issue_token",
        "POST",
        "/api/tokens",
        "Players",
        "Issue a token, for a player or for one of the staff.",
        (Reply(200, "The token.", bodies.TokenIssued),),
        ("supervisor",),
        body=bodies.TokenWanted,
        example=_WANTED,
        refusals={400: ("bad-body", "bad-visitor", "bad-role", "bad-table-name")},
    ),
    Endpoint(
        "houses",
        "GET",
        "/api/houses",
        "Tables",
        "The houses that tables may be made of.",
        (Reply(200, "The houses.", tuple[bodies.HouseChoice, ...]),),
    ),
    Endpoint(
        "tables",
        "GET",
        "/api/tables",
        "Tables",
        "The tables that the visitor may see.",
        (Reply(200, "The tables.", tuple[TableSummary, ...]),),
    ),
    Endpoint(
        "create_table",
        "POST",
        "/api/tables",
        "Tables",
        "Create a table. The same setup again is the same table; another one of its name is not.",
        (
            Reply(201, "The table was created.", TableSummary),
            Reply(200, "It was there.", TableSummary),
        ),
        ("supervisor",),
        body=TableSetup,
        example=_SETUP,
        refusals={
            400: ("bad-table", "bad-setup", "bad-table-name"),
            409: ("table-exists",),
            422: ("unknown-house",),
        },
    ),
    Endpoint(
        "table",
        "GET",
        "/api/tables/{table}",
        "Tables",
        "A table as it is, as far as the visitor may see it.",
        (Reply(200, "The table now.", bodies.TableNow),),
        parameters=(_TABLE,),
    ),
    Endpoint(
        "delete_table",
        "DELETE",
        "/api/tables/{table}",
        "Tables",
        "Close a table: its session is over as soon as the coup is. Again, it is closed already.",
        (Reply(200, "The table, closed or about to be.", TableSummary),),
        ("supervisor",),
        (_TABLE,),
    ),
    Endpoint(
        "close_table",
        "POST",
        "/api/tables/{table}/close",
        "Tables",
        "The same as DELETE, for clients that cannot send it. It takes no body.",
        (Reply(200, "The table, closed or about to be.", TableSummary),),
        ("supervisor",),
        (_TABLE,),
    ),
    Endpoint(
        "commands",
        "POST",
        "/api/tables/{table}/commands",
        "Commands",
        "Give one command, or several of which all are done or none. The same command again acts "
        "once: its entry then says `repeated`. What the rules refuse is 409 where it comes at the "
        "wrong time, and otherwise 422, with the code and the values of the library.",
        (Reply(200, "What each command did.", tuple[EntryView, ...]),),
        ("player", "dealer", "supervisor"),
        (_TABLE,),
        bodies.GivenCommand | tuple[bodies.GivenCommand, ...],
        _PLACE,
        _COMMAND_REFUSALS,
    ),
    Endpoint(
        "preview",
        "POST",
        "/api/tables/{table}/preview",
        "Commands",
        "What a command would do now; nothing is done. The event `stake-insured` has the price "
        "of an insurance.",
        (Reply(200, "What it would do.", EntryView),),
        ("player", "dealer", "supervisor"),
        (_TABLE,),
        bodies.GivenCommand,
        _PLACE,
        _COMMAND_REFUSALS,
    ),
    Endpoint(
        "open_shoe",
        "POST",
        "/api/tables/{table}/shoe",
        "Commands",
        "Open a shoe that the service shuffles, or a live one at a live table.",
        (Reply(200, "The shoe that was opened.", EntryView),),
        STAFF,
        (_TABLE,),
        bodies.ShoeWanted,
        {"id": "shoe-1"},
        {400: ("bad-body",), 409: ("not-now",), 422: ("bad-value",)},
    ),
    _reading(
        "events",
        "events",
        "The events after an index, as the visitor may see them, with the entries they are of.",
        bodies.EventsPage,
        _AFTER,
        _LIMIT,
    ),
    _reading("house", "house", "What a page needs to know of the house.", HouseFacts),
    _reading("rules", "rules", "The rules of the house in words.", dict[str, Any]),
    _reading(
        "odds",
        "odds",
        "The exact odds of the next coup, for the cards seen.",
        OddsReading,
    ),
    evolve(
        _reading(
            "choices",
            "choices",
            "The player's choices at a refait, each course with its exact worth.",
            tuple[ChoiceReading, ...],
        ),
        roles=("player",),
    ),
    _reading(
        "history",
        "history",
        "The last coups, newest last, with the visitor's own lines.",
        tuple[CoupReading, ...],
        _number("coups", "How many.", 20, 1, MOST_COUPS),
    ),
    evolve(
        _reading(
            "replay",
            "history/{shoe}/{coup}",
            "One coup with its events, to show it again.",
            ReplayReading,
            *_COUP,
        ),
        refusals={404: ("unknown-coup",)},
    ),
    _reading(
        "statistics",
        "statistics",
        "What players note: wins, points, cards out, and their own results.",
        StatisticsReading,
    ),
    _reading("card", "card", "The score card of the taille, as players keep it.", CardReading),
    evolve(
        _reading("dealer", "dealer", "What the dealer's page shows.", DealerReading),
        roles=(*STAFF, "auditor"),
    ),
    evolve(
        _reading(
            "monitor",
            "monitor",
            "The results of the table against the odds, with z.",
            MonitorReading,
        ),
        roles=BOOKS,
    ),
    evolve(
        _reading(
            "journal",
            "journal/{shoe}/{coup}",
            "One coup in the journal; never a card to come.",
            JournalReading,
            *_COUP,
        ),
        roles=BOOKS,
        refusals={404: ("unknown-coup",)},
    ),
    evolve(
        _reading(
            "movements",
            "movements",
            "The movements of money after one, in their order.",
            bodies.MovementsPage,
            Parameter("after", {"type": "string"}, "The id of the last one seen.", ""),
            _LIMIT,
        ),
        roles=BOOKS,
        refusals={422: ("unknown-movement",)},
    ),
)
"""Every endpoint that speaks JSON, or documents itself; pages and sockets are elsewhere."""


def endpoint(name: str) -> Endpoint:
    """Return an endpoint by its name; ``RuleError`` ("bad-choice") for another."""
    for each in ENDPOINTS:
        if each.name == name:
            return each
    raise RuleError(f"there is no endpoint {shown(name)}", "bad-choice")
