"""The JSON Schema (2020-12) of what a table reads and writes, generated from its classes.

One walk over the attrs classes finds every field, its type and its default, and takes docstrings as
descriptions: a class or field that is added later is described without a change here. The types of
TypeScript are made from the same schemas (``table.typescript``).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from enum import Enum
from fractions import Fraction
from functools import cache
from inspect import cleandoc
from types import NoneType, UnionType
from typing import (
    Annotated,
    Any,
    ClassVar,
    Final,
    Literal,
    NamedTuple,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

import attrs

from trente_rules.core.cards import CARD_PATTERN, CARDS_PATTERN, Card
from trente_rules.core.chances import Verdict
from trente_rules.core.converter import MOST_BITS, Form
from trente_rules.core.coup import Coup
from trente_rules.core.errors import RuleError, shown
from trente_rules.core.maps import FrozenMap
from trente_rules.core.shoe import LiveShoe, Shoe
from trente_rules.core.stakes import Choice, Stake
from trente_rules.table.cloth import Choices, Cloth
from trente_rules.table.codec import converter
from trente_rules.table.commands import AnyCommand, Command
from trente_rules.table.entries import Entry
from trente_rules.table.events import AnyEvent, Event
from trente_rules.table.movements import Movement
from trente_rules.table.rounds import Round
from trente_rules.table.sealed import Sealed
from trente_rules.table.snapshot import _Entry, _Snapshot
from trente_rules.table.state import Accounts, TableState
from trente_rules.table.views import EntryView, TableView
from trente_rules.table.wire import Stamp, Stamped

DRAFT: Final = "https://json-schema.org/draft/2020-12/schema"
VERSION: Final = 1
"""The version of the contract: within it fields and kinds are only added, each with a schema."""
Schema = dict[str, Any]
_FACTORY: Final[type] = type(attrs.Factory(dict[str, Any]))

_INTEGER: Final[Schema] = {
    "type": "integer",
    "minimum": -(1 << MOST_BITS) + 1,
    "maximum": (1 << MOST_BITS) - 1,
    "description": "A whole number. Amounts are units of the house: a stake is at most 10**18, a "
    "sum may be more. JavaScript reads numbers exactly up to 2**53 - 1 "
    "(9007199254740991): a reader there must refuse a larger one, never round it.",
}
_RAISES: Final = re.compile(r"(?<!\S)Raises `\w*Error`.*")
_SCALARS: Final[Mapping[Any, Schema]] = {
    str: {"type": "string"},
    bool: {"type": "boolean"},
    NoneType: {"type": "null"},
    Any: {},
}
_TEXTS: Final[Mapping[type, Schema]] = {
    Fraction: {
        "type": "string",
        "pattern": "^-?[0-9]+(/[0-9]+)?$",
        "description": "An exact fraction: `1/2`, `1`, `-1/3`.",
    },
    Card: {"type": "string", "pattern": f"^{CARD_PATTERN}$", "description": "A card: `10♥`, `A♠`."},
    Coup: {
        "type": "string",
        "pattern": f"^{CARDS_PATTERN} / {CARDS_PATTERN}$",
        "description": "A coup: the cards of two rows with ` / ` between them.",
    },
    Verdict: {
        "type": "string",
        "pattern": "^(win|lose|apres|refait|close)(-.+)?$",
        "description": "The meaning of a coup for a chance: `win`, `refait`, `refait-40`.",
    },
    Round: {
        "type": "string",
        "pattern": "^.*/[0-9]+/[0-9]+$",
        "description": "A coup of a session: `SESSION/SHOE/COUP`, such as `a1b2c3/2/14`. The "
        "coup is 0 before the first of a shoe, and for what ends a shoe or a session.",
    },
}
"""Values that are written as a string, each with a definition."""
_NAMES: Final[Mapping[Any, str]] = {Fraction: "Share", AnyCommand: "AnyCommand"} | {
    AnyEvent: "AnyEvent"
}


_OPTIONAL: Final = frozenset(((_Snapshot, "purses"),))
"""Keys that are written only where they differ from their default."""
_NO_OTHER: Final = {"unevaluatedProperties": False}


class Property(NamedTuple):
    """A key of an object: its type, and its default, ``attrs.NOTHING`` where it is needed."""

    kind: Any
    default: Any = attrs.NOTHING


class Walk:
    """A walk over classes, which collects a definition for each of them.

    Fields that have a default are needed as well, since they are always written; but not those of
    the classes that are ``given`` to a table. ``forms`` are the schemas of types that are written
    in another way here, ``names`` the names of their definitions where they differ.
    """

    shortened = False
    """Whether default values are never written."""

    def __init__(
        self,
        given: Iterable[type] = (),
        forms: Mapping[Any, Any] | None = None,
        names: Mapping[Any, str] | None = None,
    ) -> None:
        """Start without definitions."""
        self.definitions: dict[str, Schema] = {}
        self.classes: dict[str, Any] = {}
        self._given = frozenset(given)
        self._forms = forms or {}
        self._names = {**_NAMES, **(names or {})}

    def schema(self, kind: Any) -> Schema:
        """Return the schema of a type: a reference, where it has a definition."""
        for form, schema in self._forms.items():
            if kind == form:
                return schema if isinstance(schema, dict) else self.schema(schema)
        if kind in _SCALARS:
            return dict(_SCALARS[kind])
        if kind is int:
            return self._reference("Integer", int, lambda: _INTEGER)
        if kind in _TEXTS:
            return self._reference(self._name(kind), kind, lambda: _TEXTS[kind])
        if kind in self._names and get_origin(kind) in (Union, UnionType):
            open_ = _NO_OTHER if kind == AnyEvent else {}
            return self._reference(self._name(kind), kind, lambda: self._one_of(kind)) | open_
        if isinstance(kind, type) and issubclass(kind, Enum):
            return {"enum": [each.value for each in kind]}
        if attrs.has(kind):
            return self._reference(self._name(kind), kind, lambda: self._object(kind))
        return self._composed(kind, get_origin(kind), get_args(kind))

    def document(self, of: str, kind: Any, title: str, description: str = "") -> Schema:
        """Return the whole schema of a type, with an id of this version."""
        said = {"description": description} if description else {}
        head = {"$schema": DRAFT, "$id": f"urn:trente-rules:wire:{VERSION}:{of}", "title": title}
        schema = self.schema(kind)
        return {**head, **said, **schema, "$defs": dict(sorted(self.definitions.items()))}

    def properties(self, cls: type) -> dict[str, Property]:
        """Return the keys of a class in the order they are written."""
        found = {
            (each.alias or each.name): Property(each.type, each.default)
            for each in attrs.fields(attrs.resolve_types(cls))
            if each.init
        }
        hint = get_type_hints(cls).get("kind")  # a class of commands or events names its kind
        if get_origin(hint) is ClassVar:
            return {"kind": Property(get_args(hint)[0]), **found}
        return found

    def _name(self, kind: Any) -> str:
        return self._names[kind] if kind in self._names else kind.__name__.lstrip("_")

    def _reference(self, name: str, kind: Any, make: Any) -> Schema:
        if name not in self.definitions:
            self.definitions[name] = {}  # so that a class may hold itself
            self.definitions[name] = make()
            self.classes[name] = kind
        return {"$ref": f"#/$defs/{name}"}

    def _object(self, cls: type) -> Schema:
        properties: Schema = {}
        required = []
        for name, (kind, default) in self.properties(cls).items():
            properties[name] = self.schema(kind)
            may_lack = self.shortened or cls in self._given or (cls, name) in _OPTIONAL
            if default is attrs.NOTHING or not may_lack:
                required.append(name)
            elif not isinstance(default, _FACTORY):
                properties[name] |= {"default": converter().unstructure(default)}
        return {
            "description": words_of(cls),
            "type": "object",
            "properties": properties,
            "required": required,
            **self.closed(cls),
        }

    def closed(self, cls: type) -> Schema:
        """Return what says that an object has no other keys; an event may be stamped."""
        return {} if cls in get_args(AnyEvent) else {"additionalProperties": False}

    def _one_of(self, kind: Any) -> Schema:
        return {"oneOf": [self.schema(each) for each in get_args(kind)]}

    def _composed(self, kind: Any, origin: Any, args: tuple[Any, ...]) -> Schema:
        if origin is Annotated:
            form = next((each for each in args if isinstance(each, Form)), None)
            if form is None or form.schema is None:
                return self.schema(args[0])
            return dict(form.schema) if isinstance(form.schema, dict) else self.schema(form.schema)
        if origin is Literal:
            return {"const": args[0]} if len(args) == 1 else {"enum": list(args)}
        if origin in (Union, UnionType):
            return {"anyOf": [self.schema(each) for each in args]}
        if origin is tuple and args[-1] is ...:
            return {"type": "array", "items": self.schema(args[0])}
        if origin is tuple:
            items = [self.schema(each) for each in args]
            return {"type": "array", "prefixItems": items, "items": False, "minItems": len(items)}
        if origin in (dict, Mapping):
            return {"type": "object", "additionalProperties": self.schema(args[1])}
        raise TypeError(f"{kind!r} has no schema")


def words_of(cls: type) -> str:
    """Return the docstring of a class as Markdown, a line for each paragraph.

    Examples in Python, and the errors that its constructor raises there, are left out.
    """
    parts = cleandoc(cls.__doc__ or "").replace("``", "`").split("\n\n")
    lines = (" ".join(part.split()) for part in parts if not part.startswith(">>>"))
    return "\n".join(filter(None, (_RAISES.sub("", line).strip() for line in lines)))


@cache
def given() -> frozenset[type]:
    """Return the classes of commands and of what is in them: what a host gives to a table."""
    walk = Walk()
    walk.schema(AnyCommand)
    return frozenset(each for each in walk.classes.values() if attrs.has(each))


_PAIRS: Final = tuple[tuple[str, int], ...]
_FORMS: Final[Mapping[Any, Any]] = {
    Command: AnyCommand,
    tuple[Event, ...]: tuple[Stamped, ...],
    Accounts: _PAIRS,
    Cloth: tuple[Stake, ...],
    Choices: tuple[Choice, ...],
    FrozenMap[tuple[int, ...]]: _PAIRS,
}
"""Types that are written as another one."""
_CARDS_TEXT: Final = Annotated[
    tuple[Card, ...],
    Form(
        tuple,
        schema={
            "type": "string",
            "pattern": f"^({CARDS_PATTERN})?$",
            "description": "Cards with a space between them: `10♥ A♠`.",
        },
    ),
]
_TAGS: Final[Mapping[type, Any]] = {Shoe: Literal["known"], LiveShoe: Literal["live"]}


class WireWalk(Walk):
    """The walk over what a table reads and writes."""

    def __init__(
        self, also_given: Iterable[type] = (), names: Mapping[Any, str] | None = None
    ) -> None:
        """Start with the forms that differ from the classes.

        ``also_given`` are classes that are given to a host, besides those of commands; ``names``
        name unions that are not the table's own.
        """
        own = {_Entry: "SnapshotEntry", **(names or {})}
        super().__init__(given() | frozenset(also_given), _FORMS, own)

    def schema(self, kind: Any) -> Schema:
        """Return the schema of a type; a stamped event is an event and a stamp in one object."""
        if kind is not Stamped:
            return super().schema(kind)
        self.schema(AnyEvent)
        event, stamp = {"$ref": "#/$defs/AnyEvent"}, self.schema(Stamp)
        both = {"description": words_of(Stamped), "allOf": [event, stamp], **_NO_OTHER}
        return self._reference("Stamped", Stamped, lambda: both)

    def properties(self, cls: type) -> dict[str, Property]:
        """Return the keys of a class: what is kept has its schema first, a shoe its kind."""
        found = super().properties(cls)
        if cls in (_Snapshot, EntryView, TableView):
            return {"schema": Property(int), **found}
        if cls is TableState or cls in _TAGS:
            found.pop("setup", None)
            cards = (name for name, each in found.items() if each.kind == tuple[Card, ...])
            kind = _CARDS_TEXT | Sealed if cls is Shoe else _CARDS_TEXT
            found |= {name: found[name]._replace(kind=kind) for name in cards}
            tag = {"kind": Property(_TAGS[cls])} if cls in _TAGS else {}
            return {**tag, **found}
        if cls is Entry:
            schema = found.pop("schema")
            return {"schema": Property(schema.kind), **found}
        return found

    def closed(self, cls: type) -> Schema:
        """Return what says that an object has no other keys; a stamp lies in that of its event."""
        return {} if cls is Stamp else super().closed(cls)


WIRE: Final[Mapping[str, tuple[Any, str]]] = {
    "commands": (AnyCommand, "A command to a table of trente et quarante"),
    "events": (Stamped, "An event of a table of trente et quarante, with its stamp"),
    "movements": (Movement, "A movement of money at a table of trente et quarante"),
    "entries": (Entry, "What a table of trente et quarante did at a command"),
    "views": (
        EntryView | TableView,
        "What a player, the public or the dealer may see of an entry, or of the table now",
    ),
    "snapshots": (_Snapshot, "A snapshot of a table of trente et quarante: not for players"),
}
"""The parts of the contract of a table: the type of each, and its title."""


def wire_schema(of: str) -> Schema:
    """Return the JSON Schema (2020-12) of a part of the contract: a name of ``WIRE``.

    Raises ``RuleError`` ("bad-choice") for another name.
    """
    if of not in WIRE:
        hint = f"schemas of {', '.join(WIRE)}"
        raise RuleError(f"there is no schema of {shown(of)}", "bad-choice", hint)
    kind, title = WIRE[of]
    return WireWalk().document(of, kind, title)
