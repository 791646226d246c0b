"""The shuffles of trente-rules, written a second time from their specification: one file alone.

It imports the standard library and nothing of the program that it checks. In a certification pack::

    python reference.py vectors.json              checks every test vector
    python reference.py shoes.txt SEED PACKS      makes an export again and compares each line

The exit status is 0 where everything agrees, 1 where something does not, 2 for a wrong call.
"""

from __future__ import annotations

import hmac
import json
import sys
from collections.abc import Callable, Iterator
from hashlib import sha256
from itertools import count
from pathlib import Path
from typing import Any

PACK = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
"""The 52 cards in their first order: spades, hearts, diamonds, clubs, each from ace to king."""
WORDS = 2**64
_CALL = 2


class Bytes:
    """A stream of bytes, and the draws that are made of it."""

    def __init__(self, blocks: Iterator[bytes]) -> None:
        """Take the blocks of the stream, in their order."""
        self._blocks, self._left = blocks, b""

    def take(self, size: int) -> bytes:
        """Return the next bytes."""
        while len(self._left) < size:
            self._left += next(self._blocks)
        taken, self._left = self._left[:size], self._left[size:]
        return taken

    def below(self, bound: int) -> int:
        """Return a number below a bound: words above the last whole multiple are passed over."""
        while True:
            word = int.from_bytes(self.take(8), "big")
            if word < WORDS - WORDS % bound:
                return word % bound

    def shuffle(self, cards: str) -> str:
        """Return cards in a new order."""
        order = list(cards)
        for last in range(len(order) - 1, 0, -1):
            pick = self.below(last + 1)
            order[last], order[pick] = order[pick], order[last]
        return "".join(order)


def keyed(key: bytes, label: str) -> Iterator[bytes]:
    """Yield the blocks that a key gives."""
    return (hmac.digest(key, f"{label}:{cursor}".encode(), "sha256") for cursor in count())


def seeded(seed: bytes, stream: int) -> Bytes:
    """Return a stream of a seed: trente-seeded-1."""
    key = sha256(b"trente-rules/seeded-shuffle/1\n" + seed).digest()
    return Bytes(keyed(key, f"seeded:{stream}"))


def framed(text: str) -> bytes:
    """Return a text behind its length in four bytes."""
    data = text.encode()
    return len(data).to_bytes(4, "big") + data


def fair(given: dict[str, Any]) -> dict[str, Any]:
    """Return all that a shoe of trente-fair-2 gives."""
    key, nonce = bytes.fromhex(given["server_seed"]), given["nonce"]
    commitment = sha256(
        b"trente-rules/fair-commitment/2\n"
        + nonce.to_bytes(8, "big")
        + framed(given["plan"])
        + framed(given["beacon"])
        + key
    ).digest()
    clients = b"".join(map(framed, sorted(given["client_seeds"], key=str.encode)))
    listed = sha256(b"trente-rules/fair-clients/2\n" + commitment + clients).digest()
    order = sha256(b"trente-rules/fair-order/2\n" + listed + framed(given["beacon_value"]))
    label = f"{order.hexdigest()}:{nonce}"
    plan = dict(part.split("=") for part in given["plan"].split())
    stream = Bytes(keyed(key, label))
    cards = stream.shuffle(PACK * int(plan["packs"]))
    cut = None if plan["cut"] == "none" else stream.below(len(cards) + 1)
    cards = cards[cut or 0 :] + cards[: cut or 0]
    marker = None
    if plan["marker"] != "none":
        low, high = map(int, plan["marker"].split("-"))
        marker = low + stream.below(high - low + 1)
    burn = 1 + points(cards[0]) if plan["burn"] == "first-card" else int(plan["burn"])
    return {
        "commitment": commitment.hex(),
        "list": listed.hex(),
        "order": order.hexdigest(),
        "bytes": Bytes(keyed(key, label)).take(64).hex(),
        "cards": cards,
        "cut": cut,
        "burn": burn,
        "marker": marker,
    }


def points(card: str) -> int:
    """Return the points of a card: an ace is one, court cards are ten."""
    return min(PACK.index(card) % 13 + 1, 10)


def of_seed(given: dict[str, Any]) -> dict[str, Any]:
    """Return the first bytes of a stream of a seed, and the order of a shoe."""
    seed, stream = bytes.fromhex(given["seed"]), given["stream"]
    return {
        "bytes": seeded(seed, stream).take(64).hex(),
        "cards": seeded(seed, stream).shuffle(PACK * given["packs"]),
    }


def drawn(given: dict[str, Any]) -> dict[str, Any]:
    """Return the numbers that are drawn below bounds from given bytes."""
    stream = Bytes(iter((bytes.fromhex(given["bytes"]),)))
    return {"numbers": [stream.below(bound) for bound in given["bounds"]]}


METHODS: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "below": drawn,
    "trente-seeded-1": of_seed,
    "trente-fair-2": fair,
}


def wrong(vectors: list[dict[str, Any]]) -> list[str]:
    """Return a line for each value of some vectors that is not as computed here."""
    return [
        f"vector {number} ({vector['method']}): {name} differs"
        for number, vector in enumerate(vectors, 1)
        for name in differing(vector["gives"], METHODS[vector["method"]](vector["given"]))
    ]


def differing(one: dict[str, Any], other: dict[str, Any]) -> list[str]:
    """Return the names of the values in which two differ."""
    return [name for name in sorted(one.keys() | other.keys()) if one.get(name) != other.get(name)]


def wrong_lines(lines: list[str], seed: str, packs: int) -> list[str]:
    """Return a line for each shoe of an export that is not the one of the seed."""
    data = bytes.fromhex(seed)
    return [
        f"line {stream + 1}: another order than that of stream {stream}"
        for stream, line in enumerate(lines)
        if seeded(data, stream).shuffle(PACK * packs) != line
    ]


def main(words: list[str]) -> int:
    """Check a file, print what differs, and return the exit status."""
    if len(words) == 1:
        vectors = json.loads(Path(words[0]).read_text("utf-8"))["vectors"]
        many, found = f"{len(vectors)} vectors", wrong(vectors)
    elif len(words) == 3:  # noqa: PLR2004 - a file, a seed, packs
        lines = Path(words[0]).read_text("ascii").splitlines()
        many, found = f"{len(lines)} shoes", wrong_lines(lines, words[1], int(words[2]))
    else:
        sys.stderr.write("python reference.py vectors.json | shoes.txt SEED PACKS\n")
        return _CALL
    sys.stdout.write("".join(f"{line}\n" for line in found))
    sys.stdout.write(f"{many}: {'all agree' if not found else f'{len(found)} differences'}\n")
    return 1 if found else 0


if __name__ == "__main__":  # pragma: no cover - a test runs it as a program
    sys.exit(main(sys.argv[1:]))
