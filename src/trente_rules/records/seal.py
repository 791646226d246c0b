"""The checks of a record: its seal, its rules, its shuffle against the commitment."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator
from functools import partial
from operator import itemgetter
from typing import Any, Final

from attrs import evolve, frozen

from trente_rules.core.cards import PACK, Card, parse_cards
from trente_rules.core.coup import LAST_OPEN_TOTAL
from trente_rules.core.errors import TrenteError, shown
from trente_rules.core.house.house import House
from trente_rules.core.house.loading import loads_house
from trente_rules.core.shoe import LEAST_CARDS, Shoe
from trente_rules.fair.plan import FairPlan
from trente_rules.fair.provenance import FAIR_1, FAIR_2
from trente_rules.fair.shoes import Commitment, digest_text, sorted_client_seeds
from trente_rules.fair.verification import (
    Check,
    FairCheck,
    Known,
    revealed,
    verify_fair,
    verify_reveal,
)
from trente_rules.records.record import CoupRecord, Record, digest
from trente_rules.table.events import (
    ENDED_BY_RULES,
    MARKER_OUT,
    NO_COUP_LEFT,
    OUT_OF_CARDS,
    TOO_FEW_CARDS,
)

MOST_NAMED: Final = 20
"""The most coups that one check names."""
_DEMANDED: Final = (OUT_OF_CARDS, MARKER_OUT, NO_COUP_LEFT, TOO_FEW_CARDS)
"""The reasons of voids at the end of a shoe, which the rules demand."""


def verify_record(  # noqa: PLR0913 - all that one may remember, each by its name
    record: Record,
    server_seed: str = "",
    *,
    reveal: object = None,
    commitment: str | None = None,
    nonce: int | None = None,
    client_seeds: Iterable[str] = (),
    seeds: str | None = None,
    beacon_value: str | None = None,
) -> tuple[Check, ...]:
    """Check the seal of a record, the rules it holds, and its shuffle.

    The shuffle of a provably fair shoe can be checked if the server seed is in the record, or given
    in hexadecimal, or in what was revealed (``reveal``, as read from JSON): the commitment must
    open, cut, burn, marker and every known card must be what the stream gives, no card between the
    first and the last may be missing, and the shoe must end where the rules end it. Whatever record
    and ``reveal`` both have must be the same in both.

    A record can be made anew when the evening is over. So ``commitment`` (published before the shoe
    was dealt), ``nonce``, ``client_seeds`` (the player's own), ``seeds`` (the digest of the list)
    and ``beacon_value`` are what a player wrote down: without the commitment the record is compared
    with itself alone, and what is not given is listed as not checked.

    What somebody did who could know the order is listed as not checked: coups voided after the
    deal, cards exposed, corrections, new limits, a shoe that was ended early. ``replay`` checks the
    settlements. Where a machine shuffled for every coup the record does not name its shoes: the one
    of ``reveal`` is compared with the coups.

    Raises nothing for a record that does not hold; ``TrenteError`` ("bad-reveal" and others,
    "bad-commitment", "bad-nonce", "bad-client-seed") for what is given and is invalid itself.
    """
    known = Known(
        commitment=commitment,
        nonce=nonce,
        client_seeds=client_seeds,
        seeds=seeds,
        beacon_value=beacon_value,
    )
    seed = server_seed or _revealed_seed(reveal)
    house, rules = _rules(record)
    fair = _of_machine if record.every_coup else _of_shoe
    return (
        _seal(record),
        rules,
        *_machine(record, house),
        *fair(record, seed, house, reveal, known),
    )


def _machine(record: Record, house: House | None) -> Iterator[Check]:
    """Refuse a record that says of its shuffles what the house does not do."""
    if house is not None and house.shoe.every_coup != record.every_coup:
        rule = "for every coup" if house.shoe.every_coup else "for each taille"
        words = f"{house.name} shuffles {rule}, the record says other"
        yield Check("shuffles", holds=False, words=words)


def _is_fair(record: Record) -> bool:
    """Return whether a record says that its shoe is provably fair."""
    return record.provenance is not None and record.provenance.source == "fair"


def _of_shoe(
    record: Record, seed: str, house: House | None, reveal: object, known: Known
) -> Iterator[Check]:
    yield from _remembered(record, known)
    order = yield from _shuffle(record, seed, house)
    yield from _compared(record, reveal)
    if _is_fair(record):
        yield from _decisions(record, _Course.of(record, house, order))


def _of_machine(
    record: Record, seed: str, house: House | None, reveal: object, known: Known
) -> Iterator[Check]:
    """Compare the revealed shoe of one coup with a record whose machine shuffled for every coup."""
    unknown = "a machine shuffled for every coup, and the record does not say from which shoes"
    if reveal is None:
        if known.commitment is not None:
            yield Check("published", holds=None, words=unknown)
        if seed:
            yield Check("commitment", holds=None, words=f"{unknown}: give what was revealed")
        return
    told = revealed(reveal)
    made = told.committed_to()
    yield known.published(made, "published")
    compared = known.compared(made, told.client_seeds, told.beacon_value)
    yield from _but_plan(compared) if made.plan else compared
    found = verify_reveal(reveal)
    yield Check("commitment", holds=found.holds, words=str(found).partition(": ")[2])
    if made.plan is not None:
        yield _plan(str(made.plan), house)
    yield _one_coup(record, found.expected)


def _one_coup(record: Record, order: tuple[Card, ...]) -> Check:
    """Look for the coup that was dealt from a shoe."""
    shown_of = [
        tuple(card for _place, card in sorted(_cards_of(coup), key=itemgetter(0)))
        for coup in record.coups
    ]
    for coup, cards in zip(record.coups, shown_of, strict=True):
        if cards and cards == order[: len(cards)] and len(cards) >= LEAST_CARDS:
            words = f"coup {coup.number} was dealt from this shoe: {len(cards)} cards"
            return Check("cards", holds=True, words=words)
    if any(cards == order[: len(cards)] for cards in shown_of):
        words = "no coup was dealt to its end from this shoe; one that is void may have been"
        return Check("cards", holds=None, words=words)
    return Check("cards", holds=False, words="no coup of the record was dealt from this shoe")


def _cards_of(coup: CoupRecord) -> list[tuple[int, Card]]:
    """Return the cards of a coup with their places, those that were exposed as well."""
    exposed = zip(coup.exposed_places, coup.exposed, strict=True)
    return [*zip(coup.places, coup.cards, strict=True), *exposed]


def _revealed_seed(reveal: object) -> str:
    if reveal is None:
        return ""
    verify_reveal(reveal)
    return revealed(reveal).server_seed


def _remembered(record: Record, known: Known) -> Iterator[Check]:
    """Compare a record with what a player wrote down of its shoe."""
    provenance = record.provenance
    if provenance is None or not _is_fair(record):
        if known != Known():
            yield Check("published", holds=False, words="the record is not of a provably fair shoe")
        return
    plan = provenance.plan
    try:
        made = Commitment(
            provenance.commitment,
            provenance.nonce or 0,
            record.shoe.packs,
            FairPlan.parse(plan) if plan else None,
            provenance.beacon,
        )
        checks = (
            known.published(made, "published"),
            *known.compared(made, provenance.client_seeds, provenance.beacon_value),
        )
    except TrenteError as error:
        yield Check("published", holds=False, words=str(error))
        return
    yield from _but_plan(checks) if plan else checks  # else no house has the plan to compare


def _but_plan(checks: Iterable[Check]) -> Iterator[Check]:
    """Leave the plan out: it is compared with that of the house."""
    return (check for check in checks if check.what != "plan")


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


def _shuffle(
    record: Record, seed: str, house: House | None
) -> Generator[Check, None, FairCheck | None]:
    """Check the shuffle; return what it must be, None where that is not known."""
    provenance, shoe = record.provenance, record.shoe
    if provenance is None or not _is_fair(record):
        if seed:
            yield Check(
                "commitment", holds=False, words="the record is not of a provably fair shoe"
            )
        return None
    if provenance.method not in (FAIR_1, FAIR_2):
        words = f"the scheme {shown(provenance.method)} is not known"
        yield Check("commitment", holds=None, words=words)
        return None
    bound = bool(provenance.plan)
    if bound:
        yield _plan(provenance.plan, house)
    if shoe.live or provenance.position:
        words = "people shuffled it" if shoe.live else "its order is not that of the first words"
        yield Check("shoe", holds=False, words=f"the record says that {words}")
    seed = seed or shoe.server_seed
    if not seed:
        yield Check("commitment", holds=None, words="the server seed is not revealed yet")
        return None
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
        return None
    words = f"it is {'' if fair.opens else 'not '}that of the server seed, nonce and "
    words += "plan" if bound else "packs"
    yield Check("commitment", holds=fair.opens, words=words)
    named = ("beacon", "list of client seeds")
    yield from (check for check in fair.checks if check.what in named)
    if shoe.order:
        words = f"all {fair.compared} cards are as they were shuffled"
        if fair.difference is not None:
            words = f"card {fair.difference} is not"
        yield Check("order", holds=fair.difference is None, words=words)
    yield from _prepared(done, house)
    yield _dealt(record, done.expected)
    return done


def _done(record: Record, *, marked: bool) -> tuple[int | None, ...]:
    """Return cut, burn and marker; one that is left out was not done, once cards are out."""
    shoe = record.shoe
    done = shoe.cut, shoe.burn, shoe.marker
    if not (record.provenance and record.provenance.plan and any(c.cards for c in record.coups)):
        return done
    left_out = 0, 0, 0 if marked else None
    return tuple(none if each is None else each for each, none in zip(done, left_out, strict=True))


def _plan(sealed: str, house: House | None) -> Check:
    """Check that the plan that was sealed is that of the house."""
    if house is None:
        words = "the rules of the house are not known, nor how its shoes are prepared"
        return Check("plan", holds=None, words=words)
    wanted = str(FairPlan.of(house.shoe))
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


@frozen
class _Course:
    """The course of a taille: what the rules make of the cards that came out.

    ``shoe`` is the shoe as it must have been, None where nothing is known of its order; ``bound``
    is whether nobody chose its marker.
    """

    record: Record
    house: House | None
    shoe: Shoe | None
    bound: bool

    @classmethod
    def of(cls, record: Record, house: House | None, order: FairCheck | None) -> _Course:
        """Return the course of a record; ``order`` is what its shuffle must have given."""
        if order is None:
            return cls(record, house, None, bound=False)
        made = order.preparation
        behind = record.shoe.marker if made is None else made.marker
        marker = None if behind is None else len(order.expected) - behind
        burned = record.shoe.burn or 0
        shoe = Shoe(order.expected, record.shoe.packs, burned, burned, marker)
        return cls(record, house, shoe, bound=made is not None)

    def after(self, coup: CoupRecord | None) -> int:
        """Return how many cards were out after a coup, or before the first one (None)."""
        out = self.shoe.burned if self.shoe else 0
        for each in self.record.coups if coup else ():
            out = max((out, *each.places, *each.exposed_places))
            if each is coup:
                break
        return out

    def over(self, before: int, after: int) -> bool:
        """Return whether the rules end the shoe after a coup that took it from one to another."""
        if self.shoe is None or self.house is None:
            return False
        met = self.shoe.marker is not None and before >= self.shoe.marker
        return met or self.house.shoe.ended(evolve(self.shoe, position=after))

    def demanded(self, coup: CoupRecord) -> bool:
        """Return whether a void is one that the rules demand: the shoe ended within the coup."""
        whole = sum(card.points for card in coup.second) > LAST_OPEN_TOTAL
        last = coup is self.record.coups[-1] and self.record.end.why in ENDED_BY_RULES
        if whole or not last or coup.void not in _DEMANDED:
            return False
        if self.shoe is None or self.house is None:
            return True
        out, rule = self.after(coup), self.house.shoe
        ended = rule.ended(evolve(self.shoe, position=out))
        return out >= rule.plan(self.shoe.behind).end or (not coup.cards and ended)

    def end(self) -> Check | None:
        """Compare the end of the record with the place where the rules end the shoe."""
        end, coups = self.record.end, self.record.coups
        called = end.why == "called" or (end.session_closed and not end.why)
        how = "by the house" if end.why else "with the session"
        early = f"decided when the order was known: the shoe was ended early, {how}"
        if self.shoe is None or self.house is None or self.house.shoe.packs != self.shoe.packs:
            unknown = "the rules of the house are not known, nor where its shoes end"
            if called or self.shoe is not None:
                return Check("end", holds=None, words=early if called else unknown)
            return None
        if not called:
            early = "the record ends within the shoe, whose server seed is shown"
        ended, before = False, self.after(None)
        for coup in coups:
            if ended:
                words = f"the shoe was over before coup {coup.number}, with {before} cards out"
                return Check("end", holds=False, words=words)
            after = self.after(coup)
            ended, before = self.over(before, after), after
        out = f"with {before} cards out"
        if not ended:
            if end.why in ("", "called"):
                return Check("end", holds=None, words=f"{early}, {out}")
            words = f"recorded {shown(end.why)}, but {out} the shoe was not over"
            return Check("end", holds=False, words=words)
        marked = self.shoe.marker is not None and before >= self.shoe.marker
        right = "marker" if marked else "cards"
        if end.why != right:
            words = f"{out} it ended by its {right}, recorded {shown(end.why)}"
            return Check("end", holds=False, words=words)
        words = f"{out} it ended by its {right}, as the rules have it"
        return Check("end", holds=True, words=words) if self.bound else None


def _decisions(record: Record, course: _Course) -> Iterator[Check]:
    """List what was decided by somebody who could know the order of a fair shoe."""
    for what, found in (
        (
            "void",
            [_void(coup) for coup in record.coups if coup.void and not course.demanded(coup)],
        ),
        ("exposed", [_exposed(coup) for coup in record.coups if coup.exposed]),
        ("correction", [f"coup {c.number}" for c in record.coups if c.taken_back]),
        ("limits", [f"coup {c.number}" for c in record.coups if c.posted is not None]),
    ):
        if found:
            more = f" and {len(found) - MOST_NAMED} more" if len(found) > MOST_NAMED else ""
            words = f"decided when the order was known: {', '.join(found[:MOST_NAMED])}{more}"
            yield Check(what, holds=None, words=words)
    end = course.end()
    if end is not None:
        yield end


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
    hole = _hole(record)
    if hole:
        return Check("cards", holds=False, words=hole)
    words = f"{len(known)} of {len(expected)} cards are as they must be"
    return Check("cards", holds=True, words=words)


def _hole(record: Record) -> str:
    """Return which cards between the first and the last one are missing, or there twice."""
    following = 1 + (record.shoe.burn or 0)
    for coup in record.coups:
        for place, _card in sorted(_cards_of(coup), key=itemgetter(0)):
            if place < following:
                return f"card {place} is in coup {coup.number}, and was out before"
            if place > following:
                last = place - 1
                which = (
                    f"card {last} is" if last == following else f"cards {following} to {last} are"
                )
                return f"{which} not in the record, before coup {coup.number}"
            following += 1
    return ""
