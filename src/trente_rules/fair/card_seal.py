"""Seals of cards at rest: AES-GCM of the library ``cryptography``, of the extra ``seal``.

A sealed text is ``KEY.DATA``: the id of the key, and a nonce with what it closed, in base64. It is
bound to where it is: a session, a kind and a place. Nothing here is a cipher of our own.
"""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import Iterable
from os import PathLike, fspath
from string import hexdigits
from typing import Any, Final

from attrs import field, frozen

from trente_rules.core.errors import RecordError, TrenteError
from trente_rules.core.files import read_file
from trente_rules.fair.entropy import fresh_seed, sha256

KEY_BYTES: Final = 32
_NONCE_BYTES: Final = 12
_ID_BYTES: Final = 8
_LARGEST_FILE: Final = 1_000
_DOMAIN: Final = b"trente-rules key id 1\0"
_MAKE_ONE: Final = "a key is 32 bytes or 64 hexadecimal digits: openssl rand -hex 32"


def key_bytes(key: bytes | str) -> bytes:
    """Return a key of 256 bits: bytes as they are, a string as 64 hexadecimal digits.

    Raises ``TrenteError`` ("bad-key"), which never shows the key.
    """
    if isinstance(key, str) and len(key) == 2 * KEY_BYTES and set(key) <= set(hexdigits):
        return bytes.fromhex(key)
    if type(key) is bytes and len(key) == KEY_BYTES:
        return key
    raise TrenteError(f"this {type(key).__name__} is not a key", "bad-key", _MAKE_ONE)


def about(session: str, kind: str, place: str | int) -> str:
    """Return what a sealed text is bound to: it opens nowhere else."""
    return json.dumps(["trente-rules", session, kind, str(place)])


def _keys(keys: Iterable[bytes | str]) -> tuple[bytes, ...]:
    return tuple(map(key_bytes, keys))


@frozen
class CardSeal:
    """A key that closes the cards to come, and opens them.

    ``key`` is 32 bytes or 64 hexadecimal digits; ``earlier`` are keys that open what was closed
    with them, and close nothing. Lose the key, and a table cannot be recovered.

    Raises ``TrenteError``: "bad-key"; "needs-seal" where cryptography is not installed.
    """

    key: bytes = field(converter=key_bytes, repr=False)
    earlier: tuple[bytes, ...] = field(default=(), converter=_keys, repr=False)
    key_id: str = field(init=False, eq=False)
    """16 digits that name the key, and do not help to find it."""
    _ciphers: dict[str, Any] = field(init=False, repr=False, eq=False)

    def __attrs_post_init__(self) -> None:
        """Get the ciphers."""
        try:
            from cryptography.hazmat.primitives.ciphers.aead import (  # noqa: PLC0415 - of the extra
                AESGCM,
            )
        except ImportError as error:
            raise TrenteError(
                f"sealed cards need cryptography: {error}",
                "needs-seal",
                'pip install "trente-rules[seal]"',
            ) from error
        ciphers = {_id_of(key): AESGCM(key) for key in (self.key, *self.earlier)}
        object.__setattr__(self, "key_id", _id_of(self.key))
        object.__setattr__(self, "_ciphers", ciphers)

    def has(self, key_id: str) -> bool:
        """Return whether a key of this id is here, to open with."""
        return key_id in self._ciphers

    def of(self, key_id: str) -> CardSeal:
        """Return the seal that closes with the key of an id; ``RecordError`` ("wrong-key")."""
        if key_id == self.key_id:
            return self
        keys = (self.key, *self.earlier)
        found = next((key for key in keys if _id_of(key) == key_id), None)
        if found is None:
            raise self._wrong_key_error(key_id)
        return CardSeal(found, keys)

    def close(self, text: str, about: str) -> str:
        """Return a text sealed, bound to its place ``about``."""
        nonce = fresh_seed(_NONCE_BYTES)
        closed = self._ciphers[self.key_id].encrypt(nonce, text.encode(), about.encode())
        return f"{self.key_id}.{b64encode(nonce + closed).decode()}"

    def open(self, text: str, about: str) -> str:
        """Return a text that was sealed.

        Raises ``RecordError``: "wrong-key" where it was closed with a different key; "seal-broken"
        where it was changed, or put in another place than it is ``about``.
        """
        key_id, _, data = text.partition(".")
        cipher = self._ciphers.get(key_id)
        if cipher is None:
            raise self._wrong_key_error(key_id)
        from cryptography.exceptions import InvalidTag  # noqa: PLC0415 - of the extra

        try:
            closed = b64decode(data, validate=True)
            opened: bytes = cipher.decrypt(
                closed[:_NONCE_BYTES], closed[_NONCE_BYTES:], about.encode()
            )
            return opened.decode()
        except (InvalidTag, ValueError) as error:
            what = "sealed cards cannot be opened: they were changed, or belong to another place"
            raise RecordError(what, "seal-broken", "restore a copy") from error

    def _wrong_key_error(self, key_id: str) -> RecordError:
        known = ", ".join(self._ciphers)
        what = f"the cards are sealed with the key {key_id[: 2 * _ID_BYTES]!r}, not with {known}"
        return RecordError(what, "wrong-key", "give the key that they were sealed with")


def _id_of(key: bytes) -> str:
    return sha256(_DOMAIN, key)[:_ID_BYTES].hex()


def check_seal(seal: object) -> None:
    """Raise ``TrenteError`` ("bad-key") for a key, or anything else, in place of a seal."""
    if seal is not None and not isinstance(seal, CardSeal):
        what = f"the seal is of type {type(seal).__name__}"
        raise TrenteError(what, "bad-key", "give CardSeal(key)")


def key_of_file(path: str | PathLike[str]) -> bytes:
    """Return the key in a file: 64 hexadecimal digits, white space around them, or 32 bytes.

    Raises ``TrenteError``: "bad-key", also for 32 bytes that are text: half a key, or a phrase; and
    what reading a file raises.
    """
    data = read_file(path, _LARGEST_FILE)
    if len(data) == KEY_BYTES and data.isascii() and data.decode("ascii").isprintable():
        what = f"{fspath(path)!r} holds {KEY_BYTES} characters, not {KEY_BYTES} bytes"
        raise TrenteError(what, "bad-key", _MAKE_ONE)
    try:
        return key_bytes(data if len(data) == KEY_BYTES else data.decode("ascii").strip())
    except (UnicodeDecodeError, TrenteError):
        what = f"{fspath(path)!r} does not hold a key"
        raise TrenteError(what, "bad-key", _MAKE_ONE) from None


def seal_of_files(paths: Iterable[str | PathLike[str]]) -> CardSeal | None:
    """Return the seal of key files, the first to close and all to open; None without a file."""
    keys = [key_of_file(path) for path in paths]
    return CardSeal(keys[0], keys[1:]) if keys else None
