"""Signed heads of a journal: Ed25519 of ``cryptography``, which the extra ``seal`` installs.

A hash chain can be made anew by whoever can write to the file. A signature of where the journal
ended cannot, without the key: the key belongs where those who can write to the file cannot read it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any, Final

from attrs import field, frozen

from trente_rules.core.errors import RecordError
from trente_rules.core.files import read_file
from trente_rules.table.journal_chain import Checked, Head

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import (
        Ed25519PrivateKey,
        Ed25519PublicKey,
    )

_SCHEME: Final = "trente-rules journal head 1"
_MOST: Final = 10_000
"""Bytes of a file of a key that are read."""


@frozen
class SignedHead:
    """A head with its signature: the ``number``-th of the journal, by a public key in hex."""

    number: int
    head: Head
    key: str
    signature: bytes

    @property
    def row(self) -> tuple[int, int, int, bytes, str, bytes]:
        """The row of the journal."""
        head = self.head
        return self.number, head.sequence, head.events, head.hash, self.key, self.signature


@frozen
class Signed:
    """The result of a check of signatures: they cover all up to ``last``."""

    signatures: int
    last: Head
    end: Head

    @property
    def whole(self) -> bool:
        """True where the end itself is signed."""
        return self.last == self.end

    @property
    def uncovered(self) -> int:
        """The commands after the last head that is signed."""
        return self.end.sequence - self.last.sequence


@frozen
class HeadSigner:
    """A private key of Ed25519 that signs the heads of journals."""

    _private: Ed25519PrivateKey = field(repr=False)

    @classmethod
    def new(cls) -> HeadSigner:
        """Make a new key; ``RecordError`` ("needs-seal") without ``cryptography``."""
        return cls(_ed25519().Ed25519PrivateKey.generate())

    @classmethod
    def load(cls, path: str | PathLike[str]) -> HeadSigner:
        """Read a private key in PEM; ``RecordError``: "bad-key", "needs-seal"."""
        made = _ed25519().Ed25519PrivateKey
        from cryptography.hazmat.primitives.serialization import (  # noqa: PLC0415 - of the extra
            load_pem_private_key,
        )

        data = read_file(path, _MOST, RecordError)
        try:
            key = load_pem_private_key(data, None)
        except (ValueError, TypeError, _unsupported()) as error:
            raise _key_error(path, "private") from error
        if not isinstance(key, made):
            raise _key_error(path, "private")
        return cls(key)

    @property
    def key(self) -> str:
        """The public key, in hex, by which signatures name it."""
        return self._private.public_key().public_bytes_raw().hex()

    def pem(self) -> bytes:
        """Return the private key as PEM, not encrypted."""
        from cryptography.hazmat.primitives import serialization  # noqa: PLC0415 - of the extra

        return self._private.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )

    def public_pem(self) -> bytes:
        """Return the public key as PEM."""
        from cryptography.hazmat.primitives import serialization  # noqa: PLC0415 - of the extra

        return self._private.public_key().public_bytes(
            serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
        )

    def signed(self, session: str, number: int, head: Head) -> SignedHead:
        """Return a head of a session with its signature."""
        return SignedHead(
            number, head, self.key, self._private.sign(_message(session, number, head))
        )


@frozen
class HeadVerifier:
    """Public keys of Ed25519 that check signed heads."""

    _keys: Sequence[Ed25519PublicKey]

    @classmethod
    def load(cls, *paths: str | PathLike[str]) -> HeadVerifier:
        """Read public keys in PEM; ``RecordError``: "bad-key", "needs-seal"."""
        made = _ed25519().Ed25519PublicKey
        from cryptography.hazmat.primitives.serialization import (  # noqa: PLC0415 - of the extra
            load_pem_public_key,
        )

        keys = []
        for path in paths:
            data = read_file(path, _MOST, RecordError)
            try:
                key = load_pem_public_key(data)
            except (ValueError, TypeError, _unsupported()) as error:
                raise _key_error(path, "public") from error
            if not isinstance(key, made):
                raise _key_error(path, "public")
            keys.append(key)
        return cls(keys)

    def check(self, name: str, session: str, rows: Iterable[SignedHead], chain: Checked) -> Signed:
        """Check signed heads in their order; ``chain`` has those that the journal had.

        Those by other keys are passed over. Raises ``RecordError`` ("bad-signature").
        """
        keys = {key.public_bytes_raw().hex(): key for key in self._keys}
        last, count = None, 0
        for number, row in enumerate(rows, 1):
            place = f"signature {row.number}"
            if row.number != number:
                raise _signature_error(name, f"signature {number}", "is missing")
            key = keys.get(row.key)
            if key is None:
                continue
            if not _holds(key, row, session):
                raise _signature_error(name, place, "was not made by the key that it names")
            if row.head.place not in chain.heads:
                what = f"is of the head {row.head}, which the journal never had: it was made anew"
                raise _signature_error(name, place, what)
            last, count = row.head, count + 1
        if last is None:
            raise _signature_error(name, "no head", "is signed by these keys")
        return Signed(count, last, chain.head)


def _holds(key: Ed25519PublicKey, row: SignedHead, session: str) -> bool:
    from cryptography.exceptions import InvalidSignature  # noqa: PLC0415 - of the extra

    try:
        key.verify(row.signature, _message(session, row.number, row.head))
    except InvalidSignature:
        return False
    return True


def _message(session: str, number: int, head: Head) -> bytes:
    """Return the bytes that are signed: a head belongs to one session and one place in it."""
    told = [_SCHEME, session, number, head.sequence, head.events, head.hash.hex()]
    return json.dumps(told, ensure_ascii=True, separators=(",", ":")).encode("ascii")


def _ed25519() -> Any:
    try:
        from cryptography.hazmat.primitives.asymmetric import (  # noqa: PLC0415 - of the extra
            ed25519,
        )
    except ImportError as error:
        raise RecordError(
            "signed heads need cryptography", "needs-seal", 'pip install "trente-rules[seal]"'
        ) from error
    return ed25519


def _unsupported() -> type[Exception]:
    from cryptography.exceptions import UnsupportedAlgorithm  # noqa: PLC0415 - of the extra

    return UnsupportedAlgorithm


def _key_error(path: str | PathLike[str], kind: str) -> RecordError:
    what = f"{str(path)!r} is not a {kind} key of Ed25519"
    hint = f"give the {kind} key that trente journal keygen wrote"
    return RecordError(what, "bad-key", hint, str(path))


def _signature_error(name: str, place: str, what: str) -> RecordError:
    hint = "restore a copy that passes the check"
    return RecordError(f"{name}: {place} {what}", "bad-signature", hint, place)
