"""Target: what is published of a fair shoe: a commitment, a reveal, a shoe of a host's store."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

from tests.fuzz.mutation import json_bytes, json_mutation
from tests.fuzz.target import ROOT, Target, check, folder, refused

from trente_rules import TrenteError, load_house
from trente_rules.fair import Commitment, FairShoe, audit, remembered, verify_reveal
from trente_rules.fair.publication import read_published

SEED: Final = bytes(range(32))


def one(data: bytes) -> str:
    """Read a file as each of what it may be, verify it and audit its folder."""
    place = folder() / "published"
    place.mkdir(exist_ok=True)
    file = place / "shoe.json"
    file.write_bytes(data)
    found = audit(place)
    [str(each) for each in found.findings]
    try:
        table = read_published(file)
    except TrenteError as error:
        return refused(error)
    words = [read(table) for read in (_revealed, _committed, _stored)]
    return next((word for word in words if word.startswith("accepted")), words[0])


def _read(read: Callable[[dict[str, Any]], str]) -> Callable[[dict[str, Any]], str]:
    def reading(table: dict[str, Any]) -> str:
        try:
            return read(table)
        except TrenteError as error:
            return refused(error)

    return reading


@_read
def _revealed(table: dict[str, Any]) -> str:
    found = verify_reveal(table)
    check(str(found), "no word of the result")
    for each in remembered(table, client_seeds=["alice"], nonce=7):
        str(each)
    return f"accepted, {'holds' if found.holds else 'does not hold'}"


@_read
def _committed(table: dict[str, Any]) -> str:
    made = Commitment.of_json(table)
    check(
        Commitment.of_json(json.loads(json.dumps(made.to_json()))) == made, "read back as another"
    )
    return "accepted, a commitment"


@_read
def _stored(table: dict[str, Any]) -> str:
    shoe = FairShoe.of_json(table)
    check(FairShoe.of_json(json.loads(json.dumps(shoe.to_json()))) == shoe, "read back as another")
    return f"accepted, a shoe {shoe.stage}"


def seeds() -> Iterator[bytes]:
    """Yield commitments, shoes and reveals of both schemes, and those of earlier releases."""
    for name in ("france-2007", "italian-program"):
        for sealed in (
            FairShoe.seal(7, 6, SEED),
            FairShoe.seal(8, load_house(name), SEED),
        ):
            yield json_bytes(sealed.commitment.to_json())
            closed = sealed.close_seeds(["alice", "bob"])
            shuffled = closed.shuffle()
            for shoe in (sealed, closed, shuffled, shuffled.retire()):
                yield json_bytes(shoe.to_json())
            yield json_bytes(shuffled.retire().reveal().to_json())
    for path in sorted((ROOT / "tests/golden").glob("0.*/fair-shoe/*.json")):
        if path.name != "expected.json":
            yield path.read_bytes()


def words() -> Iterable[str]:
    """Return the keys of all of these, and a few of their values."""
    found: dict[str, None] = {}
    for each in seeds():
        for key, value in json.loads(each).items():
            found[key] = None
            if isinstance(value, str):
                found[value[:60]] = None
    return [*found, "\ufeff", "0x", "Ω" * 20]


TARGET = Target("fair-shoes", one, seeds, words, json_mutation, 6000)
