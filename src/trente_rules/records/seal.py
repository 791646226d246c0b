"""Verifying a record: its seal, its rules, its shuffle against what was committed to."""

from __future__ import annotations

from collections.abc import Iterator

from attrs import frozen

from trente_rules.core.cards import PACK, Card
from trente_rules.core.errors import TrenteError
from trente_rules.core.house.loading import loads_house
from trente_rules.fair.shoes import FairCheck, verify_fair
from trente_rules.records.record import Record, digest


@frozen
class Check:
    """One thing that was looked at: ``holds`` is None where nothing is told to check it by."""

    what: str
    holds: bool | None
    words: str

    def __str__(self) -> str:
        """Return ``sha256: holds: ...``."""
        answer = {True: "holds", False: "does not hold", None: "not checked"}[self.holds]
        return f"{self.what}: {answer}: {self.words}"


def verify_record(record: Record, server_seed: str = "") -> tuple[Check, ...]:
    """Check the seal of a record, the rules it holds, and its shuffle.

    The shuffle can be checked where the provenance is a provably fair one and the server seed is in
    the record, or given as hexadecimal digits: the commitment must open, every card whose place is
    known must be the one that the stream gives there. Whether the coups were settled right is
    ``replay``'s to say. Raises nothing: what cannot be read does not hold.
    """
    return (_seal(record), _rules(record), *_shuffle(record, server_seed))


def _seal(record: Record) -> Check:
    if not record.sha256:
        return Check("sha256", holds=None, words="the record is not sealed")
    found = digest(record)
    if found == record.sha256:
        return Check("sha256", holds=True, words="the record is as it was sealed")
    return Check("sha256", holds=False, words=f"recorded {record.sha256}, computed {found}")


def _rules(record: Record) -> Check:
    if not record.rules.toml:
        return Check("rules", holds=None, words="the record does not hold the rules of its house")
    try:
        house = loads_house(record.rules.toml, origin="rules.toml of the record")
    except TrenteError as error:
        return Check("rules", holds=False, words=error.message)
    same = house.fingerprint == record.house.fingerprint
    told = f"recorded {record.house.fingerprint}, computed {house.fingerprint}"
    return Check(
        "rules", holds=same, words=f"they are those of {record.house.name}" if same else told
    )


def _shuffle(record: Record, server_seed: str) -> Iterator[Check]:
    told = record.provenance
    if told is None or told.source != "fair":
        if server_seed:
            why = "the record does not tell of a provably fair shoe"
            yield Check("commitment", holds=False, words=why)
        return
    seed = server_seed or record.shoe.server_seed
    if not seed:
        yield Check("commitment", holds=None, words="the server seed is not revealed yet")
        return
    try:
        found = verify_fair(
            told.commitment,
            seed,
            told.client_seeds,
            told.nonce or 0,
            PACK[:1],
            packs=record.shoe.packs,
            cut_at=record.shoe.cut or 0,
        )
        shuffled = verify_fair(
            told.commitment,
            seed,
            told.client_seeds,
            told.nonce or 0,
            record.shoe.order or PACK[:1],
            packs=record.shoe.packs,
        )
    except TrenteError as error:
        yield Check("commitment", holds=False, words=str(error))
        return
    words = f"it is {'' if found.opens else 'not '}that of the server seed, nonce and packs"
    yield Check("commitment", holds=found.opens, words=words)
    if record.shoe.order:
        whole = f"all {shuffled.compared} cards are as they were shuffled"
        words = whole if shuffled.difference is None else f"card {shuffled.difference} is not"
        yield Check("order", holds=shuffled.difference is None, words=words)
    yield _dealt(record, found)


def _dealt(record: Record, found: FairCheck) -> Check:
    known: list[tuple[int, Card]] = sorted(record.dealt, key=lambda each: each[0])
    for place, card in known:
        expected = found.expected[place - 1 : place]
        if expected != (card,):
            must = f"must be {expected[0]}" if expected else "is not there"
            return Check("cards", holds=False, words=f"card {place} {must}, recorded {card}")
    whole = len(found.expected)
    return Check("cards", holds=True, words=f"{len(known)} of {whole} cards are as they must be")
