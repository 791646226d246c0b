"""Frozen vectors, and each stream a second time, written from docs/entropy.md alone."""

from __future__ import annotations

import hmac
from collections.abc import Iterator
from hashlib import sha256
from itertools import count, islice
from pathlib import Path
from typing import Final

import pytest
from attrs import frozen

from trente_rules import PACK
from trente_rules.core.cards import compact
from trente_rules.fair import Commitment, FairPlan, FairShoe, FairShuffler, SeededShuffler
from trente_rules.fair.entropy import WordShuffler
from trente_rules.fair.shoes import client_text

LETTERS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
SEED: Final = bytes(range(16))
SERVER: Final = bytes(range(32))
CLIENTS: Final = ("alice", "bob:1")
PAGE: Final = (Path(__file__).parents[2] / "docs/entropy.md").read_text("utf-8")


@frozen
class Vector:
    """What a stream gave when it was frozen: it must give this for ever."""

    block: str
    words: tuple[int, ...]
    first_cards: str
    order: str


SEEDED: Final = Vector(
    "e108872d3bbca42e56a98b4e0de4607562afaf214c962304e2afe916005731e0",
    (0xE108872D3BBCA42E, 0x56A98B4E0DE46075, 0x62AFAF214C962304, 0xE2AFE916005731E0),
    "DQTprDpPLEeIYYzACbYr",
    "1073c7f19435a123514616c85d57ed825fd0ffbe848b22a8f0675165ec01582d",
)
STREAM_1: Final = Vector(
    "05aa0339b7d59ab4192e890adf1f8e0010600587241360db38997add6cd5a1f7",
    (0x05AA0339B7D59AB4, 0x192E890ADF1F8E00, 0x10600587241360DB, 0x38997ADD6CD5A1F7),
    "vJxwoWrLdqWjFOMqyqaw",
    "255e7aa8a5f522405b4c9ab3655016b822734145af7c7572db211d4924b462af",
)
FAIR: Final = Vector(
    "819dc0df507ed505a5454a34d592f593ef7b6ecff646af4116f472c698abc480",
    (0x819DC0DF507ED505, 0xA5454A34D592F593, 0xEF7B6ECFF646AF41, 0x16F472C698ABC480),
    "YUkfFYQtHZDuOUgKjcEv",
    "94a808c8308e6aee5f880191a2f2fbaebcb9b90880f4246f91782aac690f2a56",
)


def stream(name: str) -> WordShuffler:
    """Open a stream at its beginning."""
    if name == "fair":
        return FairShuffler(SERVER, CLIENTS, 7)
    return SeededShuffler(SEED, 1 if name == "stream 1" else 0)


@pytest.mark.parametrize(
    ("name", "vector"), [("seeded", SEEDED), ("stream 1", STREAM_1), ("fair", FAIR)]
)
def test_frozen_vectors(name: str, vector: Vector) -> None:
    """Bytes, words and the order of six packs are what they were when they were specified."""
    assert stream(name).take(32).hex() == vector.block
    shuffler = stream(name)
    assert tuple(shuffler.word() for _ in range(4)) == vector.words
    order = compact(stream(name).shuffle(PACK * 6))
    assert order[:20] == vector.first_cards
    assert sha256(order.encode("ascii")).hexdigest() == vector.order
    assert vector.order in PAGE


def test_frozen_commitments() -> None:
    """Commitments and the combined client seeds are what they were; the page shows them."""
    client = "628dd022705c931433aa91a2065f69de18e25327208a5ab93f15dab3506bc7f6"
    fair = "25af765e6e23e4308b03eef4cbb29c5b72339a886a8a304a75002621219e3b36"
    seeded = "0b881be7165b776846e69ea36b9a57e34d143d6e78af1f685d81f556414fc96f"
    assert client_text(CLIENTS) == client
    assert Commitment.of(SERVER, 7).digest == fair
    assert SeededShuffler(SEED).provenance().commitment == seeded
    assert all(digest in PAGE for digest in (client, fair, seeded))


def blocks(key: bytes, start: str) -> Iterator[int]:
    """Return the words of a stream, as the page says."""
    for cursor in count():
        block = hmac.new(key, f"{start}:{cursor}".encode(), sha256).digest()
        for at in range(0, 32, 8):
            yield sum(byte << 8 * place for place, byte in enumerate(reversed(block[at : at + 8])))


def ordered(words: Iterator[int], packs: int) -> str:
    """Return the letters of a shoe, as the page says."""
    deck = list(LETTERS * packs)
    for last in reversed(range(1, len(deck))):
        bound = last + 1
        word = next(word for word in words if word < 2**64 // bound * bound)
        deck[last], deck[word % bound] = deck[word % bound], deck[last]
    return "".join(deck)


@pytest.mark.parametrize("seed", [SEED, bytes(16), b"\xff" * 64, b"a" * 65, b"b" * 1024])
@pytest.mark.parametrize(("number", "packs"), [(0, 6), (1, 1), ((1 << 63) - 1, 8)])
def test_a_seeded_stream_written_again(seed: bytes, number: int, packs: int) -> None:
    """What the page says is enough to write the seeded shuffle once more."""
    key = sha256(b"trente-rules/seeded-shuffle/1\n" + seed).digest()
    expected = ordered(blocks(key, f"seeded:{number}"), packs)
    assert compact(SeededShuffler(seed, number).shuffle(PACK * packs)) == expected


@pytest.mark.parametrize(
    ("nonce", "packs", "clients"),
    [
        (0, 6, ("a",)),
        (7, 6, CLIENTS),
        (7, 6, ("bob:1", "alice")),
        ((1 << 63) - 1, 1, ("é", "e\u0301", "\n", ":", ":::", "\U0001f0a1" * 64)),
    ],
)
def test_a_fair_stream_written_again(nonce: int, packs: int, clients: tuple[str, ...]) -> None:
    """What the page says is enough to write the fair shuffle and its commitment once more."""
    framed = b"trente-rules/fair-clients/1\n"
    for seed in sorted(client.encode() for client in clients):
        framed += bytes((0, 0, len(seed) // 256, len(seed) % 256)) + seed
    words = blocks(SERVER, f"{sha256(framed).hexdigest()}:{nonce}")
    expected = ordered(words, packs)
    shuffler = FairShuffler(SERVER, clients, nonce)
    assert compact(shuffler.shuffle(PACK * packs)) == expected
    assert tuple(shuffler.word() for _ in range(3)) == tuple(islice(words, 3))
    message = bytearray(b"trente-rules/fair-commitment/1\n")
    message += bytes((nonce >> 8 * place) & 255 for place in reversed(range(8)))
    message.append(packs)
    assert Commitment.of(SERVER, nonce, packs).digest == sha256(message + SERVER).hexdigest()


# trente-fair-2, written from docs/entropy.md alone

RANKS: Final = dict(zip(LETTERS, 4 * (*range(1, 11), 10, 10, 10), strict=True))
"""The points of each letter."""


def text(value: str) -> bytes:
    """Return a text behind its length, as the page says."""
    data = value.encode()
    return bytes((len(data) >> 8 * place) & 255 for place in (3, 2, 1, 0)) + data


@frozen
class Again:
    """A shoe of ``trente-fair-2`` worked out a second time."""

    commitment: str
    listed: str
    order: str
    letters: str
    cut: int | None
    burn: int
    marker: int | None


def again(
    seed: bytes, nonce: int, plan: str, clients: tuple[str, ...], beacon: str = "", value: str = ""
) -> Again:
    """Work out a shoe as the page says: commitment, list, order, stream, cut, marker, burn."""
    parts = dict(part.split("=") for part in plan.split())
    number = bytes((nonce >> 8 * place) & 255 for place in reversed(range(8)))
    commitment = sha256(
        b"trente-rules/fair-commitment/2\n" + number + text(plan) + text(beacon) + seed
    ).digest()
    seeds = b"".join(map(text, sorted(clients, key=str.encode)))
    listed = sha256(b"trente-rules/fair-clients/2\n" + commitment + seeds).digest()
    order = sha256(b"trente-rules/fair-order/2\n" + listed + text(value)).hexdigest()
    words = blocks(seed, f"{order}:{nonce}")

    def below(bound: int) -> int:
        return next(word for word in words if word < 2**64 // bound * bound) % bound

    letters = ordered(words, int(parts["packs"]))
    cut = None if parts["cut"] == "none" else below(int(parts["cut"].split("-")[1]) + 1)
    marker = None
    if parts["marker"] != "none":
        low, high = map(int, parts["marker"].split("-"))
        marker = low + below(high - low + 1)
    first = (letters[cut or 0 :] + letters)[0]
    burn = 1 + RANKS[first] if parts["burn"] == "first-card" else int(parts["burn"])
    return Again(commitment.hex(), listed.hex(), order, letters, cut, burn, marker)


PLAN: Final = "packs=6 cut=0-312 burn=5 marker=20-40"
BURNT: Final = "packs=8 cut=0-416 burn=first-card marker=5-5"


@pytest.mark.parametrize(
    ("seed", "nonce", "plan", "clients", "beacon", "value"),
    [
        (SERVER, 7, PLAN, ("bob:1", "alice"), "", ""),
        (SERVER, 7, PLAN, ("bob:1", "alice"), "drand 4242", "b0a7"),
        (bytes(32), 0, "packs=1 cut=none burn=0 marker=none", ("é", "e\u0301", "\n"), "", ""),
        (
            b"\xff" * 32,
            (1 << 63) - 1,
            BURNT,
            ("a",),
            "é",
            ":",
        ),
        *(
            (bytes([n]) * 32, n, "packs=2 cut=0-104 burn=first-card marker=0-9", ("x", "x"), "", "")
            for n in range(1, 12)
        ),
    ],
)
def test_a_bound_shoe_written_again(
    seed: bytes, nonce: int, plan: str, clients: tuple[str, ...], beacon: str, value: str
) -> None:
    """S1: the page is enough to write the second scheme once more: order, cut, burn and marker."""
    expected = again(seed, nonce, plan, clients, beacon, value)
    sealed = FairShoe.seal(nonce, FairPlan.parse(plan), seed, beacon=beacon)
    closed = sealed.close_seeds(clients)
    shoe = closed.shuffle(beacon=value)
    made = shoe.preparation
    assert made is not None
    assert sealed.commitment.digest == expected.commitment
    assert closed.seeds_digest == expected.listed
    assert sealed.commitment.label(clients, value) == f"{expected.order}:{nonce}"
    assert compact(shoe.cards) == expected.letters
    assert (made.cut, made.burn, made.marker) == (expected.cut, expected.burn, expected.marker)


def test_the_vectors_of_bound_shoes_are_on_the_page() -> None:
    """S1: what the page publishes is what it was when the second scheme was specified."""
    plain = again(SERVER, 7, PLAN, CLIENTS)
    spoken = again(SERVER, 7, PLAN, CLIENTS, "drand 4242", "b0a7")
    frozen = (
        "914f25672ea2a78e0215306a43ed80c963f3d9425e0b60ee592ff471282d5764",
        "5c67de2496afd6ce047e07a0574901df88654ff3ed22addf6c5bbf2a08af00ea",
        "9697e18052607003f9ec0191272d627f3d11d10420fd8126fd2344023d7c539d",
        "558c08df1adf98100fe3dde5a17dfef6d39b80830f5df0bf754c22d04f39626e",
        "95aca604d1c036736cb7f0506ce5229d94cabbde5cec98b48a83c61b0845aa27",
        "a3f549009b1496684f00c5c8c6d42f85238c5d64ec49241b156765c107b15ee1",
    )
    found = (plain.commitment, plain.listed, plain.order)
    assert (*found, spoken.commitment, spoken.listed, spoken.order) == frozen
    assert (plain.cut, plain.burn, plain.marker) == (76, 5, 21)
    assert (spoken.cut, spoken.burn, spoken.marker) == (36, 5, 31)
    cards = sha256(plain.letters.encode()).hexdigest()
    assert cards == "7bb8cd05cb3d2f51b612fc5eee9244f844c85dbcbefbba9bf403feeea6773631"
    assert all(digest in PAGE for digest in (*frozen, cards, "the cut 36 and the marker 31"))
