"""The shuffles for a laboratory: specification, vectors, a second implementation, an export."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from importlib.resources import files
from io import BytesIO
from typing import Any, Final

from attrs import field, frozen

from trente_rules.core.cards import PACK, compact
from trente_rules.core.shoe import Shoe, Shuffler
from trente_rules.fair.entropy import SeededShuffler, WordShuffler
from trente_rules.fair.plan import FairPlan
from trente_rules.fair.shoes import FairShoe
from trente_rules.reports.certification.reference import differing

DATA: Final = ("specification.md", "vectors.json", "reference.py")
"""The files that come with this package: the same in every pack of one version."""
_HEAD: Final = 64
"""The bytes of a stream that a vector shows."""


def shoe_line(packs: int, shuffler: Shuffler) -> bytes:
    """Return a shuffled shoe as an export has it: a letter a card, and the end of the line."""
    return f"{compact(Shoe.shuffled(packs, shuffler).cards)}\n".encode("ascii")


def export(seed: str, packs: int, shoes: int) -> bytes:
    """Return shoes of a seed: shoe k, from 0, is that of stream k.

    The same as ``trente rng export shoes --source seeded`` writes.
    """
    return b"".join(shoe_line(packs, SeededShuffler(seed, number)) for number in range(shoes))


def data(name: str) -> bytes:
    """Return one of the files of ``DATA``."""
    return (files(__package__ or "") / name).read_bytes()


def differing_vectors(vectors: bytes) -> Iterator[str]:
    """Yield a line for each value that the code of play computes and the vectors do not have."""
    for number, vector in enumerate(json.loads(vectors)["vectors"], 1):
        computed = _METHODS[vector["method"]](vector["given"])
        for name in differing(vector["gives"], computed):
            yield f"vector {number} ({vector['method']}): {name}"


@frozen
class _GivenBytes(WordShuffler):
    """A source of bytes that a vector gives."""

    _bytes: BytesIO = field(converter=BytesIO)

    def take(self, count: int) -> bytes:
        """Return the next bytes."""
        return self._bytes.read(count)


def _drawn(given: dict[str, Any]) -> dict[str, Any]:
    source = _GivenBytes(bytes.fromhex(given["bytes"]))
    return {"numbers": [source.below(bound) for bound in given["bounds"]]}


def _seeded(given: dict[str, Any]) -> dict[str, Any]:
    def stream() -> SeededShuffler:
        return SeededShuffler(given["seed"], given["stream"])

    cards = stream().shuffle(PACK * given["packs"])
    return {"bytes": stream().take(_HEAD).hex(), "cards": compact(cards)}


def _fair(given: dict[str, Any]) -> dict[str, Any]:
    plan = FairPlan.parse(given["plan"])
    sealed = FairShoe.seal(given["nonce"], plan, given["server_seed"], beacon=given["beacon"])
    closed = sealed.close_seeds(given["client_seeds"])
    shoe = closed.shuffle(beacon=given["beacon_value"])
    done = shoe.preparation
    cut = 0 if done is None or done.cut is None else done.cut
    return {
        "commitment": shoe.commitment.digest,
        "list": shoe.seeds_digest,
        "order": shoe.commitment.label(shoe.client_seeds, shoe.beacon_value).partition(":")[0],
        "bytes": shoe.shuffler().take(_HEAD).hex(),
        "cards": compact((*shoe.cards[cut:], *shoe.cards[:cut])),
        "cut": done and done.cut,
        "burn": done and done.burn,
        "marker": done and done.marker,
    }


_METHODS: Final[dict[str, Callable[[dict[str, Any]], dict[str, Any]]]] = {
    "below": _drawn,
    "trente-seeded-1": _seeded,
    "trente-fair-2": _fair,
}
"""What computes each kind of vector."""
