"""The checks of a record: its seal, its rules, its shuffle against the commitment."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from operator import itemgetter
from typing import Any, Final

from trente_rules.core.cards import PACK, Card, parse_cards
from trente_rules.core.coup import LAST_OPEN_TOTAL
from trente_rules.core.errors import TrenteError, shown
from trente_rules.core.house.house import House
from trente_rules.core.house.loading import loads_house
from trente_rules.fair.plan import FairPlan
from trente_rules.fair.provenance import FAIR_2, Provenance
from trente_rules.fair.shoes import Commitment, digest_text, sorted_client_seeds
from trente_rules.fair.verification import (
    Check,
    FairCheck,
    revealed,
    verify_fair,
    verify_reveal,
)
from trente_rules.records.record import CoupRecord, Record, digest
from trente_rules.table.events import MARKER_OUT, NO_COUP_LEFT, OUT_OF_CARDS, TOO_FEW_CARDS

MOST_NAMED: Final = 20
"""The most coups that one check names."""
_DEMANDED: Final = (OUT_OF_CARDS, MARKER_OUT, NO_COUP_LEFT, TOO_FEW_CARDS)
"""The reasons of voids at the end of a shoe, which the rules demand."""


def verify_record(
    record: Record, server_seed: str = "", *, reveal: object = None, commitment: str = ""
) -> tuple[Check, ...]:
    """Check the seal of a record, the rules it holds, and its shuffle.

    The shuffle of a provably fair shoe can be checked if the server seed is in the record, or given
    in hexadecimal, or in what was revealed (``reveal``, as read from JSON): the commitment must
    open, and cut, burn, marker and every known card must be what the stream gives. Whatever record
    and ``reveal`` both have must be the same in both. ``commitment`` is the one that a player wrote
    down before the shoe was dealt: without it the record is compared with itself alone.

    What somebody did who could know the order is listed as not checked: coups voided after the
    deal, cards exposed, corrections, new limits, a shoe that was ended early. ``replay`` checks the
    settlements. Raises nothing for a record that does not hold; ``TrenteError`` ("bad-reveal" and
    others, "bad-commitment") for a reveal or a commitment that is invalid itself.
    """
    shown_seed = _revealed_seed(reveal)
    house, rules = _rules(record)
    return (
        _seal(record),
        rules,
        *_published(record, commitment),
        *_shuffle(record, server_seed or shown_seed, house),
        *_compared(record, reveal),
        *_decisions(record),
    )


def _revealed_seed(reveal: object) -> str:
    if reveal is None:
        return ""
    verify_reveal(reveal)
    return revealed(reveal).server_seed


def _published(record: Record, commitment: str) -> Iterator[Check]:
    if not commitment:
        return
    given = Commitment(commitment, 0).digest
    found = digest_text(record.provenance.commitment) if record.provenance else ""
    words = "the commitment of the record is the one you gave"
    if found != given:
        words = f"you gave {given}, the record has {found or 'none'}"
    yield Check("published", holds=found == given, words=words)


def _seal(record: Record) -> Check:
    if not record.sha256:
        return Check("sha256", holds=None, words="the record is not sealed")
    found = digest(record)
    if found == record.sha256:
        return Check("sha256", holds=True, words="the record is as it was sealed")
    return Check("sha256", holds=False, words=f"recorded {record.sha256}, computed {found}")


def _rules(record: Record) -> tuple[House | None, Check]:
    """Return the house of a record, where it holds the rules of one, and their check."""
    if not record.rules.toml:
        words = "the record does not hold the rules of its house"
        return None, Check("rules", holds=None, words=words)
    try:
        house = loads_house(record.rules.toml, origin="rules.toml of the record")
    except TrenteError as error:
        return None, Check("rules", holds=False, words=error.message)
    same = house.fingerprint == record.house.fingerprint
    words = f"they are those of {record.house.name}"
    if not same:
        words = f"recorded {record.house.fingerprint}, computed {house.fingerprint}"
    return house if same else None, Check("rules", holds=same, words=words)


def _shuffle(record: Record, server_seed: str, house: House | None) -> Iterator[Check]:
    provenance, shoe = record.provenance, record.shoe
    if provenance is None or provenance.source != "fair":
        if server_seed:
            yield Check(
                "commitment", holds=False, words="the record is not of a provably fair shoe"
            )
        return
    bound = provenance.method == FAIR_2
    if bound:
        yield _plan(provenance, house)
    seed = server_seed or shoe.server_seed
    if not seed:
        yield Check("commitment", holds=None, words="the server seed is not revealed yet")
        return
    if bound and not provenance.plan:
        yield Check("commitment", holds=False, words="the record has no plan of its shoe")
        return
    try:
        verify = partial(
            verify_fair,
            provenance.commitment,
            seed,
            provenance.client_seeds,
            provenance.nonce or 0,
            packs=shoe.packs,
            plan=provenance.plan,
            beacon=provenance.beacon,
            beacon_value=provenance.beacon_value,
            seeds=provenance.seeds,
        )
        fair = verify(shoe.order or PACK[:1])  # without the order only the commitment is checked
        cut, burn, marker = _done(record, marked=" marker=none" not in provenance.plan)
        done = verify(PACK[:1], cut_at=cut, burn=burn, marker=marker)
    except TrenteError as error:
        yield Check("commitment", holds=False, words=str(error))
        return
    words = f"it is {'' if fair.opens else 'not '}that of the server seed, nonce and "
    words += "plan" if bound else "packs"
    yield Check("commitment", holds=fair.opens, words=words)
    yield from (check for check in fair.checks if check.what == "list of client seeds")
    if shoe.order:
        words = f"all {fair.compared} cards are as they were shuffled"
        if fair.difference is not None:
            words = f"card {fair.difference} is not"
        yield Check("order", holds=fair.difference is None, words=words)
    yield from _prepared(done, house)
    yield _dealt(record, done.expected)


def _done(record: Record, *, marked: bool) -> tuple[int | None, ...]:
    """Return cut, burn and marker; one that is left out was not done, once cards are out."""
    shoe = record.shoe
    done = shoe.cut, shoe.burn, shoe.marker
    if not (record.provenance and record.provenance.plan and any(c.cards for c in record.coups)):
        return done
    left_out = 0, 0, 0 if marked else None
    return tuple(none if each is None else each for each, none in zip(done, left_out, strict=True))


def _plan(provenance: Provenance, house: House | None) -> Check:
    """Check that the plan that was sealed is that of the house."""
    if house is None:
        words = "the rules of the house are not known, nor how its shoes are prepared"
        return Check("plan", holds=None, words=words)
    sealed, wanted = provenance.plan, str(FairPlan.of(house.shoe))
    words = f"it is that of {house.name}: {wanted}"
    if sealed != wanted:
        words = f"sealed {shown(sealed)}, the house has {shown(wanted)}"
    return Check("plan", holds=sealed == wanted, words=words)


def _prepared(fair: FairCheck, house: House | None) -> Iterator[Check]:
    """Check cut, burn and marker; of ``trente-fair-1`` say which were chosen."""
    if fair.preparation is not None:
        for check in fair.checks:
            if check.what in ("cut", "burn", "marker"):
                yield check
        return
    fixed = house is not None and (
        house.shoe.marker is None or len(set(house.shoe.marker.bounds)) == 1
    )
    for check in fair.checks:
        if check.what != "marker" or not fixed:
            yield check


def _compared(record: Record, reveal: object) -> Iterator[Check]:
    """Compare each field that a record and a reveal both have."""
    provenance, shoe = record.provenance, record.shoe
    if reveal is None or provenance is None:
        return
    told = revealed(reveal)
    made, cards = told.committed_to(), parse_cards(told.cards)
    both: dict[str, tuple[Any, Any]] = {
        "method": (provenance.method, made.method),
        "commitment": (digest_text(provenance.commitment), made.digest),
        "nonce": (provenance.nonce, made.nonce),
        "client seeds": (
            tuple(sorted(provenance.client_seeds, key=str.encode)),
            sorted_client_seeds(told.client_seeds),
        ),
        "packs": (shoe.packs, made.packs),
        "plan": (provenance.plan, told.plan),
        "beacon": (provenance.beacon, told.beacon),
        "value of the beacon": (provenance.beacon_value, told.beacon_value),
    }
    maybe: dict[str, tuple[Any, Any]] = {
        "list of client seeds": (digest_text(provenance.seeds), digest_text(told.seeds)),
        "server seed": (shoe.server_seed.lower(), told.server_seed.lower()),
        "cut": (shoe.cut, told.cut_made),
        "burn": (shoe.burn, told.burn),
        "marker": (shoe.marker, told.marker),
        "order": (shoe.order[: len(cards)], cards if told.cut_at is None else ()),
    }
    both |= {name: pair for name, pair in maybe.items() if all(map(_given, pair))}
    other = [name for name, (mine, theirs) in both.items() if mine != theirs]
    words = f"{len(both)} values are the same in both: {', '.join(both)}"
    if other:
        words = f"the record has other values: {', '.join(other)}"
    yield Check("reveal", holds=not other, words=words)


def _given(value: object) -> bool:
    return value not in (None, "", ())


def _decisions(record: Record) -> Iterator[Check]:
    """List what was decided by somebody who could know the order of a fair shoe."""
    if record.provenance is None or record.provenance.source != "fair":
        return
    for what, found in (
        (
            "void",
            [_void(coup) for coup in record.coups if coup.void and not _demanded(record, coup)],
        ),
        ("exposed", [_exposed(coup) for coup in record.coups if coup.exposed]),
        ("correction", [f"coup {c.number}" for c in record.coups if c.taken_back]),
        ("limits", [f"coup {c.number}" for c in record.coups if c.posted is not None]),
    ):
        if found:
            more = f" and {len(found) - MOST_NAMED} more" if len(found) > MOST_NAMED else ""
            words = f"decided when the order was known: {', '.join(found[:MOST_NAMED])}{more}"
            yield Check(what, holds=None, words=words)
    end = record.end
    if end.why == "called" or (end.session_closed and not end.why):
        how = "by the house" if end.why else "with the session"
        words = f"decided when the order was known: the shoe was ended early, {how}"
        yield Check("end", holds=None, words=words)


def _demanded(record: Record, coup: CoupRecord) -> bool:
    """Return whether a void is one that the rules demand: the shoe ended within the last coup."""
    whole = sum(card.points for card in coup.second) > LAST_OPEN_TOTAL
    ended = record.end.why in ("marker", "cards") and coup is record.coups[-1]
    return ended and not whole and coup.void in _DEMANDED


def _void(coup: CoupRecord) -> str:
    return f"coup {coup.number} ({shown(coup.void)}) with {len(coup.cards)} cards out"


def _exposed(coup: CoupRecord) -> str:
    cards = "1 card" if len(coup.exposed) == 1 else f"{len(coup.exposed)} cards"
    return f"coup {coup.number} ({cards})"


def _dealt(record: Record, expected: tuple[Card, ...]) -> Check:
    known = sorted(record.dealt, key=itemgetter(0))
    for place, card in known:
        right = expected[place - 1 : place]
        if right != (card,):
            must = f"must be {right[0]}" if right else "is not there"
            return Check("cards", holds=False, words=f"card {place} {must}, recorded {card}")
    words = f"{len(known)} of {len(expected)} cards are as they must be"
    return Check("cards", holds=True, words=words)
