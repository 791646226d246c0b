"""Tokens: who comes to the service, as whom, to which tables, until when.

A token is a JWT signed with HS256 by a key that the host has and nobody else. It is read from the
header ``Authorization: Bearer TOKEN``, or from the subprotocol ``bearer.TOKEN`` of a WebSocket:
never from an address, which proxies write down. Neither a token nor a key is ever in a message.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from enum import StrEnum
from os import PathLike
from typing import Any, Final

import jwt
from attrs import field, frozen

from trente_rules.core.errors import TrenteError, shown
from trente_rules.core.text import printable
from trente_rules.fair.card_seal import key_of_file
from trente_rules.fair.entropy import fresh_seed
from trente_rules.service.messages import TABLE_NAME
from trente_rules.table.commands import Command, OpenShoe
from trente_rules.table.views import DEALER_COMMANDS, HOST_COMMANDS, Audience, Viewer, may_give

ISSUER: Final = "trente-rules"
"""The claim ``iss`` of every token: a token for something else, by the same key, is refused."""
EVERY_TABLE: Final = "*"
SUBPROTOCOL: Final = "trente-rules.1"
"""The subprotocol of a table's socket, which the service selects."""
SHORTEST_KEY: Final = 32
"""Bytes of the shortest key: as many as HS256 gives."""
LONGEST_NAME: Final = 64
MOST_TABLES: Final = 100
LONGEST_TOKEN: Final = 8_192
"""Characters of a token that are read: more than one with the most tables has."""
_BEARER: Final = "bearer."
_ALGORITHM: Final = "HS256"
_CLAIMS: Final = ("sub", "role", "tables", "iat", "exp", "iss")
_LATEST: Final = 1 << 53
_SECRET: Final = re.compile(r"[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+")
_ASK: Final = "ask the host for a token"


class Role(StrEnum):
    """The part of a visitor: to play, to deal, to run the house, or to look at its books."""

    PLAYER = "player"
    DEALER = "dealer"
    SUPERVISOR = "supervisor"
    AUDITOR = "auditor"


def _check_name(_self: object, _attribute: Any, value: Any) -> None:
    if not (
        isinstance(value, str)
        and 0 < len(value) <= LONGEST_NAME
        and value == value.strip()
        and value == printable(value)
    ):
        hint = f"use 1 to {LONGEST_NAME} visible characters, without spaces at the ends"
        raise TrenteError(f"{shown(value)} cannot be the name of a visitor", "bad-visitor", hint)


def _check_tables(_self: object, _attribute: Any, value: tuple[Any, ...]) -> None:
    for each in value:
        if not (isinstance(each, str) and (each == EVERY_TABLE or TABLE_NAME.fullmatch(each))):
            hint = f"use small letters, digits and hyphens, or {EVERY_TABLE!r} for all"
            raise TrenteError(f"{shown(each)} cannot be a table's name", "bad-table-name", hint)
    if not 0 < len(value) <= MOST_TABLES:
        what = f"a visitor of {len(value)} tables"
        hint = f"name 1 to {MOST_TABLES}, or {EVERY_TABLE!r} for all"
        raise TrenteError(what, "bad-visitor", hint)


def _check_expires(_self: object, _attribute: Any, value: Any) -> None:
    if not (type(value) is int and 0 < value < _LATEST):
        what = f"{shown(value)} is not a time: whole seconds since 1970 are expected"
        raise TrenteError(what, "bad-visitor")


def _role(value: object) -> Role:
    try:
        return Role(value)  # type: ignore[arg-type]  # anything but a role is a ValueError
    except ValueError:
        hint = f"roles are {', '.join(Role)}"
        raise TrenteError(f"there is no role {shown(value)}", "bad-role", hint) from None


def _names(value: Sequence[str]) -> tuple[str, ...]:
    if isinstance(value, str) or not isinstance(value, list | tuple):
        hint = f"give a list, or [{EVERY_TABLE!r}] for all"
        raise TrenteError(f"{shown(value)} is not a list of tables", "bad-visitor", hint)
    return tuple(value)


@frozen
class Visitor:
    """Who a token is for: a name, a role, the tables it opens, and when it expires.

    ``tables`` are names of tables, or "*" for all; ``expires`` is in whole seconds since 1970.
    Raises ``TrenteError``: "bad-visitor", "bad-role", "bad-table-name".
    """

    name: str = field(validator=_check_name)
    role: Role = field(converter=_role)
    tables: tuple[str, ...] = field(converter=_names, validator=_check_tables)
    expires: int = field(validator=_check_expires)

    @property
    def viewer(self) -> Viewer:
        """The viewer whose view this visitor gets: a player's own, the dealer's for all others."""
        return self.name if self.role is Role.PLAYER else Audience.DEALER

    def may_see(self, table: str) -> bool:
        """Return whether the token opens a table."""
        return EVERY_TABLE in self.tables or table in self.tables

    def may_give(self, command: Command) -> bool:
        """Return whether the visitor's role may give a command, at a table that the token opens.

        A supervisor gives what the dealer gives and what the host gives, but never hands in the
        order of a shoe; an auditor gives nothing.
        """
        if self.role is Role.SUPERVISOR:
            known = isinstance(command, (*DEALER_COMMANDS, *HOST_COMMANDS))
            return known and not (isinstance(command, OpenShoe) and command.cards is not None)
        return self.role is not Role.AUDITOR and may_give(command, by=self.viewer)

    def expired(self, now: float) -> bool:
        """Return whether the token is over at a time, in seconds since 1970: without leeway."""
        return now >= self.expires

    def to_json(self) -> dict[str, Any]:
        """Return the visitor as an object of JSON."""
        return {
            "name": self.name,
            "role": self.role.value,
            "tables": [*self.tables],
            "expires": self.expires,
        }


class Tokens:
    """Signs tokens and reads them; the first key signs, all of them verify.

    To rotate keys give the new one first and the old ones after it, until the last token of those
    has expired. A key that is left out makes every token signed with it worthless at once.
    """

    __slots__ = ("_keys",)

    def __init__(self, key: bytes, *earlier: bytes) -> None:
        """Take the keys, each of 32 bytes or more; raises ``TrenteError`` ("bad-key")."""
        for each in (key, *earlier):
            if type(each) is not bytes or len(each) < SHORTEST_KEY:
                what = f"a key of tokens is bytes, {SHORTEST_KEY} or more"
                raise TrenteError(what, "bad-key", "trente token key FILE makes one")
        self._keys = (key, *earlier)

    def __repr__(self) -> str:
        """Return the number of keys, and none of them."""
        return f"<Tokens: {len(self._keys)} keys>"

    def __reduce__(self) -> tuple[Any, ...]:
        """Refuse to be pickled: the keys would be in it."""
        raise TypeError("tokens are not pickled: their keys would be")

    @classmethod
    def new(cls) -> Tokens:
        """Make tokens with a key of its own, which is gone when the process ends."""
        return cls(fresh_seed(SHORTEST_KEY))

    @classmethod
    def of_files(cls, first: str | PathLike[str], *earlier: str | PathLike[str]) -> Tokens:
        """Read the keys from files, each by ``key_of_file``: "bad-key" and what reading raises."""
        return cls(*map(key_of_file, (first, *earlier)))

    def issue(self, visitor: Visitor, now: float) -> str:
        """Return a token for a visitor, signed now, in seconds since 1970.

        Raises ``TrenteError`` ("bad-visitor") for one whose time is over.
        """
        if visitor.expired(now):
            raise TrenteError("a token that ends before it begins", "bad-visitor")
        claims = {
            "sub": visitor.name,
            "role": visitor.role.value,
            "tables": [*visitor.tables],
            "iat": int(now),
            "exp": visitor.expires,
            "iss": ISSUER,
        }
        return jwt.encode(claims, self._keys[0], _ALGORITHM)

    def read(self, token: str, now: float) -> Visitor:
        """Return whose token this is; now is in seconds since 1970.

        Raises ``TrenteError``: "token-missing" for no text at all, "token-forged" for one that no
        key here has signed or whose claims are not those of a visitor, "token-expired".
        """
        if not token:
            raise token_missing_error()
        if len(token) > LONGEST_TOKEN or not _SECRET.fullmatch(token):
            raise _forged_error()
        claims = self._claims(token)
        if set(_CLAIMS) - set(claims) or type(claims["iat"]) is not int:
            raise _forged_error()
        try:
            visitor = Visitor(claims["sub"], claims["role"], claims["tables"], claims["exp"])
        except TrenteError:
            raise _forged_error() from None
        if visitor.expired(now):
            raise TrenteError("the token has expired", "token-expired", _ASK)
        return visitor

    def _claims(self, token: str) -> Mapping[str, Any]:
        """Return the claims of a token that one of the keys has signed."""
        # The time is checked by the clock of the caller, and to the second: see ``read``.
        options: Any = {
            "require": [*_CLAIMS],
            "verify_exp": False,
            "verify_iat": False,
            "verify_aud": False,
        }
        for key in self._keys:
            try:
                claims: Mapping[str, Any] = jwt.decode(
                    token, key, algorithms=[_ALGORITHM], issuer=ISSUER, options=options
                )
            except jwt.InvalidSignatureError:
                continue
            except (jwt.PyJWTError, ValueError, RecursionError):
                break
            return claims
        raise _forged_error() from None


def _forged_error() -> TrenteError:
    return TrenteError("the token is not one of this service", "token-forged", _ASK)


def token_missing_error() -> TrenteError:
    """Return the error of a visitor without a token."""
    return TrenteError("no token was given", "token-missing", "send Authorization: Bearer TOKEN")


def token_in(scope: Mapping[str, Any]) -> str:
    """Return the token of an ASGI connection: from its header, or the subprotocol of a socket.

    Raises ``TrenteError``: "token-missing" without one or for a different scheme, "token-forged"
    where there are several.
    """
    headers = [
        value.decode("latin-1") for name, value in scope["headers"] if name == b"authorization"
    ]
    given: list[str] = [
        text.strip()
        for scheme, _, text in (each.partition(" ") for each in headers)
        if scheme.lower() == "bearer"
    ]
    if scope["type"] == "websocket":
        named = scope.get("subprotocols") or ()
        given += [each.removeprefix(_BEARER) for each in named if each.startswith(_BEARER)]
    if len(given) > 1 or len(headers) > 1:
        raise _forged_error()
    if not given or not given[0]:
        raise token_missing_error()
    return given[0]
