"""The provably fair stream, and the commitment to its server seed.

HMAC-SHA256(server seed, "client:nonce:cursor"); docs/entropy.md specifies every byte, and says why
the commitment is made as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from attrs import define, field, frozen

from trente_rules.deal.entropy import (
    KeyedStream,
    WordShuffler,
    check_nonce,
    seed_bytes,
    sha256,
)
from trente_rules.deal.provenance import Provenance
from trente_rules.errors import TrenteError, shown

FAIR: Final = "trente-fair-1"
SERVER_SEED: Final = 32
"""Bytes of a server seed: below the 64 above which HMAC would hash it."""
MOST_PACKS: Final = 255
MOST_CLIENT_SEEDS: Final = 256
LONGEST_CLIENT_SEED: Final = 256
_CLIENTS: Final = b"trente-rules/fair-clients/1\n"
_COMMITMENT: Final = b"trente-rules/fair-commitment/1\n"
_DIGEST: Final = re.compile(r"[0-9a-f]{64}")


def server_seed_bytes(seed: bytes | str) -> bytes:
    """Read a server seed, 32 bytes or 64 hexadecimal digits; ``TrenteError`` ("bad-seed")."""
    read = seed_bytes(seed)
    if len(read) != SERVER_SEED:
        raise TrenteError(
            f"a server seed of {len(read)} bytes",
            "bad-seed",
            f"a server seed has {SERVER_SEED} bytes, {2 * SERVER_SEED} hexadecimal digits",
        )
    return read


def sorted_client_seeds(seeds: Iterable[str]) -> tuple[str, ...]:
    """Check the seeds of players ("bad-client-seed") and sort them by their bytes.

    Sorted, so that the order in which they came leaves nobody a choice between shoes.
    """
    if isinstance(seeds, str):
        raise _bad_client("are one text", "give a list of them")
    listed = tuple(seeds)
    if not 1 <= len(listed) <= MOST_CLIENT_SEEDS:
        raise _bad_client(f"are {len(listed)}", f"give 1 to {MOST_CLIENT_SEEDS}")
    return tuple(sorted(listed, key=_client_bytes))


def _client_bytes(seed: str) -> bytes:
    if not isinstance(seed, str):
        raise _bad_client(f"hold a {type(seed).__name__}", "a client seed is a text")
    try:
        data = seed.encode()
    except UnicodeEncodeError as error:
        raise _bad_client(
            f"hold {seed!r}, which has no UTF-8", "leave half a surrogate pair out"
        ) from error
    if not 1 <= len(data) <= LONGEST_CLIENT_SEED:
        raise _bad_client(
            f"hold a text of {len(data)} bytes", f"a client seed has 1 to {LONGEST_CLIENT_SEED}"
        )
    return data


def _bad_client(what: str, hint: str) -> TrenteError:
    return TrenteError(f"the client seeds {what}", "bad-client-seed", hint)


def _check_packs(packs: int) -> None:
    if type(packs) is not int or not 1 <= packs <= MOST_PACKS:
        raise TrenteError(
            f"a fair shoe of {shown(packs)} packs", "no-packs", f"packs are 1 to {MOST_PACKS}"
        )


def client_text(client_seeds: Iterable[str]) -> str:
    """Answer "client": 64 hexadecimal digits of a SHA-256 over all client seeds.

    Each seed goes in behind its length, so no two lists of seeds run into the same bytes, whatever
    colons they hold. Raises ``TrenteError`` ("bad-client-seed").
    """
    parts = [seed.encode() for seed in sorted_client_seeds(client_seeds)]
    framed = [len(part).to_bytes(4, "big") + part for part in parts]
    return sha256(_CLIENTS, *framed).hex()


@frozen
class Commitment:
    """What is published before players give their seeds: it binds seed, nonce and packs.

    ``digest`` is SHA-256 as 64 lower-case hexadecimal digits. From it neither the server seed nor
    a card can be worked out.
    """

    digest: str
    nonce: int
    packs: int = 6

    def __attrs_post_init__(self) -> None:
        """Refuse what is no commitment: "bad-commitment", "bad-nonce", "no-packs"."""
        if not isinstance(self.digest, str) or not _DIGEST.fullmatch(self.digest):
            raise TrenteError(
                f"the commitment {str(self.digest)[:70]!r} is no SHA-256",
                "bad-commitment",
                "it has 64 digits of 0 to 9 and a to f",
            )
        check_nonce(self.nonce)
        _check_packs(self.packs)

    @classmethod
    def of(cls, server_seed: bytes | str, nonce: int, packs: int = 6) -> Commitment:
        """Commit to a server seed, the number of the shoe and its packs."""
        seed = server_seed_bytes(server_seed)
        check_nonce(nonce)
        _check_packs(packs)
        numbers = nonce.to_bytes(8, "big") + packs.to_bytes(1, "big")
        return cls(sha256(_COMMITMENT, numbers, seed).hex(), nonce, packs)

    def opens_with(self, server_seed: bytes | str) -> bool:
        """Whether this is the commitment to that server seed."""
        return self == Commitment.of(server_seed, self.nonce, self.packs)


@define
class FairShuffler(WordShuffler):
    """The stream of one fair shoe: server seed, client seeds, nonce.

    The shuffle takes its first words; numbers drawn after it (a cut, a marker) take those that
    follow, so they are as fair as the cards. ``position`` counts the bytes taken. Raises
    ``TrenteError`` ("bad-seed", "bad-client-seed", "bad-nonce").
    """

    server_seed: bytes = field(converter=server_seed_bytes, repr=False)
    client_seeds: tuple[str, ...] = field(converter=sorted_client_seeds)
    nonce: int
    _bytes: KeyedStream = field(init=False)

    def __attrs_post_init__(self) -> None:
        """Open the stream."""
        check_nonce(self.nonce)
        label = f"{client_text(self.client_seeds)}:{self.nonce}"
        self._bytes = KeyedStream(self.server_seed, label)

    @property
    def position(self) -> int:
        """How many bytes of the stream are taken."""
        return self._bytes.position

    def take(self, count: int) -> bytes:
        """Answer the next ``count`` bytes of the stream."""
        return self._bytes.take(count)

    def provenance(self) -> Provenance:
        """Tell of the stream; the commitment binds the packs, so ``FairShoe`` tells that."""
        return Provenance("fair", FAIR, "", self.nonce, self.client_seeds, self.position)
