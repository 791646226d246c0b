"""The checks of a record: its seal, its rules, its shuffle against the commitment."""

from __future__ import annotations

from collections.abc import Iterator
from operator import itemgetter

from attrs import frozen

from trente_rules.core.cards import PACK, Card
from trente_rules.core.errors import TrenteError
from trente_rules.core.house.loading import loads_house
from trente_rules.core.shoe import Shoe
from trente_rules.fair.shoes import verify_fair
from trente_rules.records.record import Record, digest


@frozen
class Check:
    """A check of one thing: ``holds`` is None if there is nothing to check it by."""

    what: str
    holds: bool | None
    words: str

    def __str__(self) -> str:
        """Return ``sha256: holds: ...``."""
        result = {True: "holds", False: "does not hold", None: "not checked"}[self.holds]
        return f"{self.what}: {result}: {self.words}"


def verify_record(record: Record, server_seed: str = "") -> tuple[Check, ...]:
    """Check the seal of a record, the rules it holds, and its shuffle.

    The shuffle of a provably fair shoe can be checked if the server seed is in the record, or given
    in hexadecimal: the commitment must open, and every known card must be the one that the stream
    gives at its place. ``replay`` checks the settlements. Raises nothing: a check of what cannot be
    read does not hold.
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
    words = f"they are those of {record.house.name}"
    if not same:
        words = f"recorded {record.house.fingerprint}, computed {house.fingerprint}"
    return Check("rules", holds=same, words=words)


def _shuffle(record: Record, server_seed: str) -> Iterator[Check]:
    provenance, shoe = record.provenance, record.shoe
    if provenance is None or provenance.source != "fair":
        if server_seed:
            yield Check(
                "commitment", holds=False, words="the record is not of a provably fair shoe"
            )
        return
    seed = server_seed or shoe.server_seed
    if not seed:
        yield Check("commitment", holds=None, words="the server seed is not revealed yet")
        return
    try:
        fair = verify_fair(
            provenance.commitment,
            seed,
            provenance.client_seeds,
            provenance.nonce or 0,
            shoe.order or PACK[:1],  # without the order only the commitment is checked here
            packs=shoe.packs,
        )
        expected = Shoe.of_cards(fair.expected, shoe.packs).cut(shoe.cut or 0).cards
    except TrenteError as error:
        yield Check("commitment", holds=False, words=str(error))
        return
    words = f"it is {'' if fair.opens else 'not '}that of the server seed, nonce and packs"
    yield Check("commitment", holds=fair.opens, words=words)
    if shoe.order:
        words = f"all {fair.compared} cards are as they were shuffled"
        if fair.difference is not None:
            words = f"card {fair.difference} is not"
        yield Check("order", holds=fair.difference is None, words=words)
    yield _dealt(record, expected)


def _dealt(record: Record, expected: tuple[Card, ...]) -> Check:
    known = sorted(record.dealt, key=itemgetter(0))
    for place, card in known:
        right = expected[place - 1 : place]
        if right != (card,):
            must = f"must be {right[0]}" if right else "is not there"
            return Check("cards", holds=False, words=f"card {place} {must}, recorded {card}")
    words = f"{len(known)} of {len(expected)} cards are as they must be"
    return Check("cards", holds=True, words=words)
