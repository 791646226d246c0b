"""Target: tokens. An input is a text, or an object of JSON: claims that are signed with the key.

A text that was not signed with a key is forged; what was signed is a visitor, or is refused.
"""

from __future__ import annotations

import base64
import hmac
import json
from collections.abc import Iterable, Iterator
from typing import Any, Final

from tests.fuzz.mutation import json_bytes, json_mutation
from tests.fuzz.target import Target, check, refused
from tests.service.asgi import scope_of

from trente_rules import TrenteError
from trente_rules.service.tokens import Role, Tokens, Visitor, token_in

KEYS: Final = bytes(range(32)), bytes(range(1, 33))
TOKENS: Final = Tokens(*KEYS)
NOW: Final = 1_800_000_000
SIGNED: Final = "signed"


def one(data: bytes) -> str:
    """Read a token, as it is and as it comes in a header."""
    text, signed = _token(data)
    _in_scope(text)
    try:
        visitor = TOKENS.read(text, NOW)
    except TrenteError as error:
        check(text not in str(error) or len(text) < 20, "the token is in the error")
        return refused(error)
    check(signed or _is_signed(text), "a token that no key has signed")
    check(not visitor.expired(NOW), "a token that is over")
    again = TOKENS.read(TOKENS.issue(visitor, NOW), NOW)
    check(again == visitor, "it is issued again for another visitor")
    return "accepted, raw" if not signed else f"accepted, {visitor.role.value}"


def _token(data: bytes) -> tuple[str, bool]:
    """Return the text of a token, and whether it was signed here."""
    text = data.decode("utf-8", "replace")
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text, False
    if not isinstance(value, dict) or SIGNED not in value:
        return text, False
    head = {"alg": "HS256", "typ": "JWT"} if (found := value.get("head")) is None else found
    body = f"{_part(head)}.{_part(value[SIGNED])}"
    key = KEYS[value["key"] % 2] if type(value.get("key")) is int else KEYS[0]
    signature = hmac.digest(key, body.encode(), "sha256")
    return f"{body}.{base64.urlsafe_b64encode(signature).rstrip(b'=').decode()}", True


def _part(value: Any) -> str:
    data = json_bytes(value)
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def _is_signed(text: str) -> bool:
    body, _, signature = text.rpartition(".")
    padded = signature + "=" * (-len(signature) % 4)
    made = base64.urlsafe_b64decode(padded)
    return any(hmac.compare_digest(hmac.digest(key, body.encode(), "sha256"), made) for key in KEYS)


def _in_scope(text: str) -> None:
    """Read a token from headers, where it can be in one."""
    value = text.encode("ascii", "replace").decode()
    for kind, header in (("http", "Authorization"), ("websocket", "Sec-WebSocket-Protocol")):
        for given in (value, f"Bearer {value}", f"trente-rules.1, bearer.{value}"):
            scope = scope_of(kind, "GET", "/", [(header, given)], "192.0.2.1")
            try:
                token_in(scope)
            except TrenteError as error:
                refused(error)


def seeds() -> Iterator[bytes]:
    """Yield tokens of every role, and claims to sign: right ones and others."""
    for role in Role:
        visitor = Visitor("ann", role, ["*"], NOW + 60)
        yield TOKENS.issue(visitor, NOW).encode()
        claims = {
            "sub": "ann",
            "role": role.value,
            "tables": ["*"],
            "iat": NOW,
            "exp": NOW + 60,
            "iss": "trente-rules",
        }
        yield json_bytes({SIGNED: claims})
        yield json_bytes({SIGNED: {**claims, "exp": NOW}, "key": 1})
        yield json_bytes({SIGNED: claims, "head": {"alg": "none"}})
    yield b""
    yield b"a.b.c"


def words() -> Iterable[str]:
    """Return the names of claims, of a header, and roles."""
    return [
        *("sub", "role", "tables", "iat", "exp", "iss", "nbf", "aud", "jti", "trente-rules"),
        *("alg", "typ", "kid", "crit", "b64", "zip", "HS256", "HS512", "none", "RS256", "JWT"),
        *(SIGNED, "head", "key", "*", ".", *(role.value for role in Role)),
    ]


TARGET = Target("token-texts", one, seeds, words, json_mutation, 3000)
