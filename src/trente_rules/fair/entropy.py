"""The one module that touches randomness: what puts the cards of a shoe in order.

Every shuffler here is one chain: bytes, words of eight bytes, numbers below a bound by rejection,
Fisher-Yates. They differ in the bytes alone. docs/entropy.md specifies each byte for byte.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import AbstractContextManager
from io import BytesIO
from string import hexdigits
from threading import RLock
from typing import ClassVar, Final, Protocol, TypeVar, runtime_checkable

from attrs import Factory, define, field, frozen

from trente_rules.core.errors import TrenteError, shown
from trente_rules.core.shoe import Shuffler
from trente_rules.fair.plan import Preparation
from trente_rules.fair.provenance import Provenance

T = TypeVar("T")

SHORTEST_SEED: Final = 16
"""Bytes of the shortest seed outside tests: 128 bits."""
LONGEST_SEED: Final = 1024
LARGEST_NONCE: Final = (1 << 63) - 1
SEEDED: Final = "trente-seeded-1"
SYSTEM: Final = "trente-system-1"
_WORD: Final = 8
_BLOCK: Final = 32
_SEEDED_KEY: Final = b"trente-rules/seeded-shuffle/1\n"
_SEEDED_COMMITMENT: Final = b"trente-rules/seeded-commitment/1\n"


@runtime_checkable
class Entropy(Shuffler, Protocol):
    """A shuffler that also draws numbers, for a cut or a marker, and names their source."""

    def below(self, bound: int, /) -> int:
        """Return a number from 0 to ``bound`` - 1, each equally likely."""
        ...  # pragma: no cover - a protocol has no body

    def provenance(self) -> Provenance:
        """Return the origin of the next draw, without any secret."""
        ...  # pragma: no cover - a protocol has no body


@runtime_checkable
class PreparedEntropy(Entropy, Protocol):
    """A source that also says how the shoe of its next shuffle is cut, burned and marked."""

    def preparation(self, packs: int, /) -> Preparation | None:
        """Return what is done to the shoe of the next shuffle, None where that is left open."""
        ...  # pragma: no cover - a protocol has no body


class WordShuffler(ABC):
    """Fisher-Yates on words of eight bytes: the base of every source of bytes.

    If every word is equally likely, so is every order: a word above the last whole multiple of the
    bound is rejected and another drawn, so the bias is exactly zero.
    """

    __slots__ = ()
    WORDS: ClassVar[int] = 1 << (8 * _WORD)
    """The number of different words."""

    @abstractmethod
    def take(self, count: int) -> bytes:
        """Return the next ``count`` bytes of the source, from which everything else is made."""

    def word(self) -> int:
        """Return the next word: eight bytes, the first the most significant."""
        return int.from_bytes(self.take(_WORD), "big")

    def below(self, bound: int) -> int:
        """Return a number from 0 to ``bound`` - 1, each equally likely.

        Raises ``TrenteError`` ("bad-bound") if the bound is not 1 to 2**64.
        """
        if type(bound) is not int or not 1 <= bound <= self.WORDS:
            hint = f"a bound is a whole number from 1 to {self.WORDS}"
            raise TrenteError(f"cannot draw a number below {shown(bound)}", "bad-bound", hint)
        whole = self.WORDS - self.WORDS % bound
        while (word := self.word()) >= whole:
            pass
        return word % bound

    def shuffle(self, cards: Sequence[T], /) -> tuple[T, ...]:
        """Return the cards in a new order, every order equally likely."""
        deck = list(cards)
        for last in range(len(deck) - 1, 0, -1):
            pick = self.below(last + 1)
            deck[last], deck[pick] = deck[pick], deck[last]
        return tuple(deck)


@frozen
class SystemShuffler(WordShuffler):
    """The operating system's cryptographic generator: what real games are shuffled with.

    It saves nothing between draws, so no copy, fork or thread can draw the same bytes again; a
    shuffle asks once for the bytes that it is likely to need, and drops what it does not.
    """

    def take(self, count: int) -> bytes:
        """Return ``count`` bytes of the operating system's generator."""
        from secrets import token_bytes  # noqa: PLC0415 - only a draw needs it

        return token_bytes(count)

    def shuffle(self, cards: Sequence[T], /) -> tuple[T, ...]:
        """Return the cards in a new order, every order equally likely."""
        return _BufferedShuffler(_WORD * len(cards)).shuffle(cards)

    def provenance(self) -> Provenance:
        """Return the name of the source, which has no seed."""
        return Provenance("system", SYSTEM)


@define
class _BufferedShuffler(WordShuffler):
    """The system's bytes for one shuffle, ``size`` at a time: one call instead of hundreds."""

    size: int
    _bytes: BytesIO = Factory(BytesIO)

    def take(self, count: int) -> bytes:
        """Return the next ``count`` bytes; words fill a buffer without a rest."""
        if not (data := self._bytes.read(count)):
            self._bytes = BytesIO(fresh_seed(self.size))
            data = self._bytes.read(count)
        return data


def fresh_seed(count: int = 32) -> bytes:
    """Return ``count`` new bytes of the operating system's generator, for a seed."""
    return SystemShuffler().take(count)


def seed_bytes(seed: bytes | str) -> bytes:
    """Read a seed: bytes as they are, a string as hexadecimal digits, two a byte.

    Raises ``TrenteError`` ("bad-seed"), which never shows the seed itself.
    """
    if isinstance(seed, str):
        if len(seed) % 2:
            hint = "a byte is two digits: write a leading zero as well"
            raise _seed_error(f"a seed of {len(seed)} hexadecimal digits", hint)
        for place, character in enumerate(seed, 1):
            if character not in hexdigits:
                reason = f"character {place} of the seed is not a hexadecimal digit"
                raise _seed_error(reason, "digits are 0 to 9 and a to f, nothing between them")
        return bytes.fromhex(seed)
    if type(seed) is not bytes:
        raise _seed_error(f"a seed is a {type(seed).__name__}", "give bytes or hexadecimal digits")
    return seed


def _seed_error(reason: str, hint: str, code: str = "bad-seed") -> TrenteError:
    return TrenteError(reason, code, hint)


def check_nonce(nonce: int, name: str = "nonce") -> None:
    """Raise ``TrenteError`` ("bad-nonce") unless a nonce is a whole number from 0 to 2**63 - 1."""
    if type(nonce) is not int or not 0 <= nonce <= LARGEST_NONCE:
        hint = f"{name} is a whole number from 0 to {LARGEST_NONCE}"
        # Text may be a seed that was given in the wrong place: none of it is shown.
        what = shown(nonce) if isinstance(nonce, int | float) else f"of type {type(nonce).__name__}"
        raise TrenteError(f"{name} {what}", "bad-nonce", hint)


def sha256(*parts: bytes) -> bytes:
    """Return the SHA-256 of the parts, joined."""
    from hashlib import sha256 as digest  # noqa: PLC0415 - only streams of a seed need it

    return digest(b"".join(parts)).digest()


@define
class KeyedStream:
    """The bytes that a key gives: HMAC-SHA256(key, "label:cursor"), cursor 0, 1, 2 ...

    ``position`` counts the bytes taken. No two threads take the same bytes; while one holds
    ``lock``, it alone takes any.
    """

    _key: bytes = field(repr=False)
    _label: str
    position: int = 0
    # The block at ``position``: four words share one, so three of four draws need no digest.
    _held: tuple[int, bytes] = field(default=(-1, b""), init=False, repr=False, eq=False)
    lock: AbstractContextManager[object] = field(factory=RLock, init=False, repr=False, eq=False)

    def __reduce__(self) -> tuple[type[KeyedStream], tuple[bytes, str, int]]:
        """Copy and pickle the place in the stream; a copy has a lock of its own."""
        return KeyedStream, (self._key, self._label, self.position)

    def take(self, count: int) -> bytes:
        """Return the next ``count`` bytes."""
        with self.lock:
            return self._take(count)

    def _take(self, count: int) -> bytes:
        cursor, skipped = divmod(self.position, _BLOCK)
        if cursor == self._held[0] and skipped + count <= _BLOCK:
            self.position += count
            return self._held[1][skipped : skipped + count]
        from hmac import digest  # noqa: PLC0415 - only streams of a seed need it

        blocks = -(-(skipped + count) // _BLOCK)
        drawn = [
            digest(self._key, f"{self._label}:{at}".encode(), "sha256")
            for at in range(cursor, cursor + blocks)
        ]
        if drawn:
            self._held = (cursor + blocks - 1, drawn[-1])
        self.position += count
        return b"".join(drawn)[skipped : skipped + count]


class StreamShuffler(WordShuffler):
    """A shuffler that takes its bytes from the stream of a key."""

    __slots__ = ()
    _bytes: KeyedStream

    @property
    def position(self) -> int:
        """The number of bytes taken from the stream."""
        return self._bytes.position

    def take(self, count: int) -> bytes:
        """Return the next ``count`` bytes of the stream."""
        return self._bytes.take(count)

    def shuffle(self, cards: Sequence[T], /) -> tuple[T, ...]:
        """Return the cards in a new order: of bytes that follow each other, whatever threads do."""
        with self._bytes.lock:
            return super().shuffle(cards)


@define
class SeededShuffler(StreamShuffler):
    """A stream of a seed: the same seed gives the same orders, in this program and any other.

    For tests, comparisons and simulations; a game for money is shuffled by ``SystemShuffler`` or a
    ``FairShoe``. 312 cards have 312! orders, more than 2**2140: no short seed reaches them all,
    and these streams at most 2**256 of them.

    ``seed`` is bytes or hexadecimal digits, 128 bits at least except where ``test`` is
    true. ``stream`` numbers separate streams of one seed; ``position`` is how many bytes
    are taken, and grows with each draw. Raises ``TrenteError`` ("short-seed", "bad-seed",
    "bad-nonce").

    >>> SeededShuffler("00" * 16).shuffle("abcdefgh")
    ('g', 'h', 'b', 'c', 'f', 'a', 'e', 'd')
    """

    seed: bytes = field(converter=seed_bytes, repr=False)
    stream: int = 0
    _start: int = field(default=0, kw_only=True, alias="position", repr=False, eq=False)
    test: bool = field(default=False, kw_only=True)
    _bytes: KeyedStream = field(init=False)

    def __attrs_post_init__(self) -> None:
        """Check the seed and open its stream."""
        if len(self.seed) < SHORTEST_SEED and not self.test:
            hint = f"give {8 * SHORTEST_SEED} bits or more; test=True allows less, for a test"
            raise _seed_error(f"a seed of {8 * len(self.seed)} bits", hint, "short-seed")
        if not 1 <= len(self.seed) <= LONGEST_SEED:
            hint = f"a seed has 1 to {LONGEST_SEED} bytes"
            raise _seed_error(f"a seed of {len(self.seed)} bytes", hint)
        check_nonce(self.stream, "stream")
        check_nonce(self._start, "position")
        key = sha256(_SEEDED_KEY, self.seed)
        self._bytes = KeyedStream(key, f"seeded:{self.stream}", self._start)

    def provenance(self) -> Provenance:
        """Return the place in the stream; its commitment is a SHA-256 of the seed.

        The seed of a test has no commitment: a short seed is found by trying all of them.
        """
        commitment = "" if self.test else sha256(_SEEDED_COMMITMENT, self.seed).hex()
        return Provenance("seeded", SEEDED, commitment, self.stream, (), self.position)
