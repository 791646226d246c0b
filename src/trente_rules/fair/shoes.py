"""A provably fair shoe on its way: sealed, in play, retired; then its server seed is shown."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

from attrs import define, evolve, field, frozen

from trente_rules.core.cards import PACK, Card
from trente_rules.core.converter import Form, read
from trente_rules.core.errors import RuleError, TrenteError, shown
from trente_rules.core.house.house import House
from trente_rules.core.shoe import Shoe, ShoeRule
from trente_rules.fair.entropy import (
    KeyedStream,
    StreamShuffler,
    check_nonce,
    fresh_seed,
    seed_bytes,
    sha256,
)
from trente_rules.fair.plan import FairPlan, Preparation, check_packs
from trente_rules.fair.provenance import FAIR_1, FAIR_2, Provenance

if TYPE_CHECKING:
    from trente_rules.table.commands import OpenShoe

SERVER_SEED: Final = 32
"""Bytes of a server seed: below the 64 above which HMAC would hash it."""
MOST_CLIENT_SEEDS: Final = 256
LONGEST_CLIENT_SEED: Final = 256
_CLIENTS: Final = b"trente-rules/fair-clients/1\n"
_COMMITMENT: Final = b"trente-rules/fair-commitment/1\n"
_SEEDS_2: Final = b"trente-rules/fair-clients/2\n"
_ORDER_2: Final = b"trente-rules/fair-order/2\n"
_COMMITMENT_2: Final = b"trente-rules/fair-commitment/2\n"
_DIGEST: Final = re.compile(r"[0-9a-f]{64}")
_BEGINNING: Final = 8
"""Characters of an invalid digest that an error shows."""
LONGEST_BEACON: Final = 256
"""Bytes of the longest name of a beacon, and of the longest value of one."""


def server_seed_bytes(seed: bytes | str) -> bytes:
    """Read a server seed, 32 bytes or 64 hexadecimal digits; ``TrenteError`` ("bad-seed")."""
    data = seed_bytes(seed)
    if len(data) != SERVER_SEED:
        hint = f"a server seed has {SERVER_SEED} bytes, {2 * SERVER_SEED} hexadecimal digits"
        raise TrenteError(f"a server seed of {len(data)} bytes", "bad-seed", hint)
    return data


def sorted_client_seeds(seeds: Iterable[str]) -> tuple[str, ...]:
    """Check the seeds of players ("bad-client-seed") and sort them by their bytes.

    Sorted, so that the order in which they came leaves nobody a choice between shoes.
    """
    if isinstance(seeds, str):
        raise _client_error("are one string", "give a list of them")
    listed = tuple(seeds)
    if not 1 <= len(listed) <= MOST_CLIENT_SEEDS:
        raise _client_error(f"are {len(listed)}", f"give 1 to {MOST_CLIENT_SEEDS}")
    return tuple(sorted(listed, key=_client_bytes))


def _client_bytes(seed: str) -> bytes:
    if not isinstance(seed, str):
        raise _client_error(f"hold a {type(seed).__name__}", "a client seed is a string")
    try:
        data = seed.encode()
    except UnicodeEncodeError as error:
        reason = f"hold {seed!r}, which has no UTF-8"
        raise _client_error(reason, "leave half a surrogate pair out") from error
    if not 1 <= len(data) <= LONGEST_CLIENT_SEED:
        reason = f"hold a string of {len(data)} bytes"
        raise _client_error(reason, f"a client seed has 1 to {LONGEST_CLIENT_SEED}")
    return data


def _client_error(reason: str, hint: str) -> TrenteError:
    return TrenteError(f"the client seeds {reason}", "bad-client-seed", hint)


def client_text(client_seeds: Iterable[str]) -> str:
    """Return "client": 64 hexadecimal digits of a SHA-256 over all client seeds.

    Each seed follows its length, so no two lists of seeds give the same bytes, whatever colons
    they hold. Raises ``TrenteError`` ("bad-client-seed").
    """
    return sha256(_CLIENTS, _framed(client_seeds)).hex()


def _framed(client_seeds: Iterable[str]) -> bytes:
    """Return the sorted client seeds, each behind its length."""
    return b"".join(_behind_length(seed) for seed in sorted_client_seeds(client_seeds))


def _behind_length(text: str) -> bytes:
    data = text.encode()
    return len(data).to_bytes(4, "big") + data


def digest_text(digest: str) -> str:
    """Return a SHA-256 in lower case: its digits may be of either case, as those of a seed.

    What is not a SHA-256 is returned as it is, for ``Commitment`` to refuse.
    """
    return digest.lower() if isinstance(digest, str) and digest.isascii() else digest


def _beacon_text(text: str) -> str:
    """Check the name or the value of a beacon ("bad-beacon")."""
    hint = f"a beacon is text of at most {LONGEST_BEACON} bytes of UTF-8"
    try:
        data = text.encode() if isinstance(text, str) else None
    except UnicodeEncodeError:
        data = None
    if data is None or len(data) > LONGEST_BEACON:
        raise TrenteError(f"the beacon {shown(text)}", "bad-beacon", hint)
    return text


@frozen
class Commitment:
    """The commitment published before players give their seeds.

    ``digest`` is SHA-256 as 64 hexadecimal digits, of either case. From it neither the server seed
    nor a card can be worked out. It binds the seed, the nonce, the ``plan`` of the shoe (its packs,
    cut, burn and marker) and the name of the ``beacon``, if there is one. Without a plan it is of
    the scheme ``trente-fair-1``, and binds seed, nonce and packs.
    """

    digest: str = field(converter=digest_text)
    nonce: int
    packs: int = 6
    plan: FairPlan | None = None
    beacon: str = field(default="", converter=_beacon_text)

    def __attrs_post_init__(self) -> None:
        """Check the values: "bad-commitment", "bad-nonce", "no-packs", "bad-plan"."""
        if not isinstance(self.digest, str) or not _DIGEST.fullmatch(self.digest):
            given = self.digest  # perhaps a seed in the wrong place: most of it is not shown
            if isinstance(given, str) and len(given) > _BEGINNING:
                given = f"{given[:_BEGINNING]}... of {len(given)} characters"
            reason = f"the commitment {shown(given)} is not a SHA-256"
            raise TrenteError(reason, "bad-commitment", "it has 64 hexadecimal digits")
        check_nonce(self.nonce)
        check_packs(self.packs)
        if self.plan is not None and self.plan.packs != self.packs:
            reason = f"the plan {str(self.plan)!r} has not {self.packs} packs"
            raise TrenteError(reason, "bad-plan", "give the packs of the plan")
        if self.plan is None and self.beacon:
            reason = f"a shoe of {FAIR_1} has no beacon"
            raise TrenteError(reason, "bad-beacon", f"give a plan: the scheme is {FAIR_2} then")

    @classmethod
    def of(
        cls, server_seed: bytes | str, nonce: int, packs: int | FairPlan = 6, beacon: str = ""
    ) -> Commitment:
        """Commit to a server seed, the number of the shoe and its plan, or its packs alone."""
        seed = server_seed_bytes(server_seed)
        check_nonce(nonce)
        if not isinstance(packs, FairPlan):
            check_packs(packs)
            numbers = nonce.to_bytes(8, "big") + packs.to_bytes(1, "big")
            return cls(sha256(_COMMITMENT, numbers, seed).hex(), nonce, packs)
        bound = _behind_length(str(packs)) + _behind_length(_beacon_text(beacon))
        digest = sha256(_COMMITMENT_2, nonce.to_bytes(8, "big"), bound, seed).hex()
        return cls(digest, nonce, packs.packs, packs, beacon)

    @property
    def method(self) -> str:
        """The scheme: ``trente-fair-2``, or ``trente-fair-1`` without a plan."""
        return FAIR_1 if self.plan is None else FAIR_2

    def opens_with(self, server_seed: bytes | str) -> bool:
        """Return whether this is the commitment to that server seed."""
        bound = self.packs if self.plan is None else self.plan
        return self == Commitment.of(server_seed, self.nonce, bound, self.beacon)

    def seeds_digest(self, client_seeds: Iterable[str]) -> str:
        """Return the SHA-256 of the list of client seeds, to be published as the list is closed.

        Of a shoe of ``trente-fair-1`` it is ``client_text``, which binds no commitment.
        """
        if self.plan is None:
            return client_text(client_seeds)
        return sha256(_SEEDS_2, bytes.fromhex(self.digest), _framed(client_seeds)).hex()

    def label(self, client_seeds: Iterable[str], beacon_value: str = "") -> str:
        """Return the beginning of each message of the stream: it depends on all that was given."""
        digest = self.seeds_digest(client_seeds)
        if self.plan is not None:
            value = _behind_length(_beacon_text(beacon_value))
            digest = sha256(_ORDER_2, bytes.fromhex(digest), value).hex()
        return f"{digest}:{self.nonce}"

    def to_json(self) -> dict[str, Any]:
        """Return what is published at the sealing, which ``trente rng audit`` reads."""
        bound: dict[str, Any] = {"packs": self.packs}
        if self.plan is not None:
            bound = {"plan": str(self.plan), **({"beacon": self.beacon} if self.beacon else {})}
        return {"method": self.method, "commitment": self.digest, "nonce": self.nonce, **bound}

    @classmethod
    def of_json(cls, value: object) -> Commitment:
        """Read what ``to_json`` wrote; ``TrenteError`` ("bad-reveal") names what is wrong."""
        told = read(value, _Sealed, "the sealed shoe", "bad-reveal")
        return told.committed(told.commitment)


@frozen(kw_only=True)
class _Bound:
    """The values that a commitment binds, as JSON has them: a plan, or packs alone."""

    method: Literal["trente-fair-1", "trente-fair-2"] = FAIR_1
    nonce: int
    packs: int | None = None
    plan: str = ""
    beacon: str = ""

    def committed(self, digest: str, code: str = "bad-reveal") -> Commitment:
        """Return the commitment with this digest; ``TrenteError`` (the code, "bad-plan")."""
        if (self.method == FAIR_2) != bool(self.plan) or (self.plan and self.packs is not None):
            hint = f"{FAIR_2} has a plan, which holds its packs; {FAIR_1} has packs"
            reason = f"the shoe is of {self.method} {'with' if self.plan else 'without'} a plan"
            raise TrenteError(reason, code, hint)
        plan = FairPlan.parse(self.plan) if self.plan else None
        packs = 6 if self.packs is None else self.packs
        return Commitment(digest, self.nonce, plan.packs if plan else packs, plan, self.beacon)


@frozen(kw_only=True)
class _Sealed(_Bound):
    """A commitment as it is published."""

    commitment: str


@define
class FairShuffler(StreamShuffler):
    """The stream of one fair shoe: server seed, client seeds, nonce.

    The shuffle takes its first words; numbers drawn after it (a cut, a marker) take those that
    follow, so they are as fair as the cards. ``position`` counts the bytes taken. With the
    ``commitment`` the stream is that of its scheme, ``beacon_value`` the value of its beacon;
    without it the stream is of ``trente-fair-1``. Raises ``TrenteError`` ("bad-seed",
    "bad-client-seed", "bad-nonce", "bad-beacon").
    """

    server_seed: bytes = field(converter=server_seed_bytes, repr=False)
    client_seeds: tuple[str, ...] = field(converter=sorted_client_seeds)
    nonce: int
    commitment: Commitment | None = field(default=None, kw_only=True)
    beacon_value: str = field(default="", kw_only=True, converter=_beacon_text)
    _bytes: KeyedStream = field(init=False)

    def __attrs_post_init__(self) -> None:
        """Open the stream."""
        check_nonce(self.nonce)
        if self.commitment is None:
            label = f"{client_text(self.client_seeds)}:{self.nonce}"
        else:
            label = self.commitment.label(self.client_seeds, self.beacon_value)
        self._bytes = KeyedStream(self.server_seed, label)

    def provenance(self) -> Provenance:
        """Return the place in the stream, with the commitment where it is known."""
        made = self.commitment
        if made is None:
            return Provenance("fair", FAIR_1, "", self.nonce, self.client_seeds, self.position)
        bound = made.plan is not None
        return Provenance(
            "fair",
            made.method,
            made.digest,
            self.nonce,
            self.client_seeds,
            self.position,
            plan=str(made.plan) if bound else "",
            beacon=made.beacon,
            beacon_value=self.beacon_value if bound else "",
            seeds=made.seeds_digest(self.client_seeds) if bound else "",
        )

    def preparation(self, packs: int) -> Preparation | None:
        """Return what is done to the shoe that the next shuffle gives; the stream stays in place.

        None where the scheme leaves it open. Raises ``TrenteError``: "fair-plan" for a number of
        packs that was not sealed, "fair-shuffled" where words of the stream are taken already.
        """
        made = self.commitment
        if made is None:
            return None
        if packs != made.packs:
            hint = f"it was sealed with {made.packs} packs"
            what = f"fair shoe {made.nonce} cannot be shuffled with {shown(packs)} packs"
            raise TrenteError(what, "fair-plan", hint)
        if self.position:
            hint = "take a new shuffler of the shoe: the first words of its stream are its order"
            raise TrenteError(
                f"the stream of fair shoe {made.nonce} is used", "fair-shuffled", hint
            )
        if made.plan is None:
            return None
        stream = evolve(self)
        return made.plan.prepared(stream.shuffle(PACK * packs), stream)


Stage = Literal["sealed", "closed", "in-play", "retired"]


@frozen
class Reveal:
    """The published values of a retired shoe, from which anyone can compute the order again.

    ``cards`` is the order that the shuffle gave, before any cut. ``preparation`` is what was done
    to the shoe then, None where the scheme left it open.
    """

    commitment: Commitment
    server_seed: bytes = field(converter=server_seed_bytes)
    client_seeds: tuple[str, ...] = field(converter=sorted_client_seeds)
    cards: tuple[Card, ...]
    beacon_value: str = ""
    preparation: Preparation | None = None

    def to_json(self) -> dict[str, Any]:
        """Return what ``trente rng verify`` reads."""
        told = _json_of(self.commitment, self.server_seed, self.client_seeds, self.beacon_value)
        made = self.preparation
        if made is not None:
            drawn = {"cut": made.cut, "burn": made.burn, "marker": made.marker}
            told |= {name: value for name, value in drawn.items() if value is not None}
        return {**told, "cards": " ".join(map(str, self.cards))}


def _json_of(
    made: Commitment, server_seed: bytes, client_seeds: tuple[str, ...], beacon_value: str
) -> dict[str, Any]:
    told = {
        "method": made.method,
        "commitment": made.digest,
        "server_seed": server_seed.hex(),
        "client_seeds": list(client_seeds),
        "nonce": made.nonce,
        "packs": made.packs,
    }
    if made.plan is None:
        return told
    told |= made.to_json()
    del told["packs"]
    if beacon_value:
        told["beacon_value"] = beacon_value
    if client_seeds:
        told["seeds"] = made.seeds_digest(client_seeds)
    return told


def _secret(value: object) -> str:
    """Return a server seed that is a string; an error must not show it."""
    if type(value) is not str:
        raise RuleError("not a string of 64 digits", "wrong-type")
    return value


@frozen(kw_only=True)
class Published(_Bound):
    """The published or stored values of a shoe, in the form of JSON."""

    commitment: str
    server_seed: Annotated[str, Form(_secret)] = field(repr=False)
    client_seeds: tuple[str, ...]
    beacon_value: str = ""
    seeds: str = ""


@frozen(kw_only=True)
class _Stored(Published):
    """A fair shoe as its host stores it."""

    stage: Stage


@frozen
class FairShoe:
    """One provably fair shoe and its stage: sealed, closed for seeds, in play, retired.

    A frozen value: each step returns the next one, and a step out of turn is a ``TrenteError``.
    Publish ``commitment`` before you ask for client seeds, and ``seeds_digest`` once their list is
    closed. A server seed serves one shoe, since showing it shows all that comes from it. The value
    holds the secret: ``repr`` hides it, a pickle and ``to_json`` do not, so save those where
    players cannot read them.
    """

    commitment: Commitment
    _server_seed: bytes = field(converter=server_seed_bytes, repr=False)
    client_seeds: tuple[str, ...] = ()
    stage: Stage = "sealed"
    beacon_value: str = field(default="", converter=_beacon_text)

    def __attrs_post_init__(self) -> None:
        """Refuse a value that no step returns ("bad-fair-shoe"): a store that was damaged."""
        if not self.commitment.opens_with(self._server_seed):
            raise _shoe_error("has a different server seed from the one it was sealed with")
        if self.stage == "sealed" and self.client_seeds:
            raise _shoe_error("is sealed, and has client seeds")
        if self.stage != "sealed" and self.client_seeds != sorted_client_seeds(self.client_seeds):
            raise _shoe_error("has client seeds that are not sorted")
        if bool(self.beacon_value) != (bool(self.commitment.beacon) and self._ordered):
            raise _shoe_error("has the value of a beacon too early, without a beacon, or none")

    @property
    def _ordered(self) -> bool:
        """Return whether the order is settled."""
        return self.stage in ("in-play", "retired")

    @classmethod
    def seal(
        cls,
        nonce: int,
        packs: House | ShoeRule | FairPlan | int = 6,
        server_seed: bytes | str | None = None,
        *,
        beacon: str = "",
    ) -> FairShoe:
        """Seal a shoe: draw its server seed, or take one given, and commit to it.

        ``packs`` is the house that will deal the shoe: its cut, burn and marker are bound. A number
        is that of packs that are cut, without burn and marker. ``beacon`` names a public value that
        nobody knows before the list of client seeds is closed, such as a round of a randomness
        beacon. Raises ``TrenteError`` ("bad-seed", "bad-nonce", "no-packs", "bad-plan",
        "bad-beacon").
        """
        seed = fresh_seed(SERVER_SEED) if server_seed is None else server_seed
        if isinstance(packs, House):
            packs = packs.shoe
        if isinstance(packs, ShoeRule):
            packs = FairPlan.of(packs)
        plan = packs if isinstance(packs, FairPlan) else FairPlan(packs)
        return cls(Commitment.of(seed, nonce, plan, beacon), seed)

    def close_seeds(self, client_seeds: Iterable[str]) -> FairShoe:
        """Close the list of client seeds: publish ``seeds_digest`` before you shuffle.

        Raises ``TrenteError`` ("fair-shuffled") where the list is closed already,
        "bad-client-seed".
        """
        if self.stage != "sealed":
            hint = "seal a new shoe: another list would be a choice between orders"
            raise self._stage_error("has its list of client seeds already", "fair-shuffled", hint)
        return evolve(self, client_seeds=sorted_client_seeds(client_seeds), stage="closed")

    @property
    def seeds_digest(self) -> str:
        """The SHA-256 of the list of client seeds; ``TrenteError`` ("fair-sealed") before it."""
        if self.stage == "sealed":
            raise self._sealed_error()
        return self.commitment.seeds_digest(self.client_seeds)

    def shuffle(self, client_seeds: Iterable[str] | None = None, *, beacon: str = "") -> FairShoe:
        """Fix the order, only once ("fair-shuffled"), from a closed list of seeds.

        ``client_seeds`` close the list in the same step: nobody has its digest then. ``beacon`` is
        the value of the beacon that was named ("fair-beacon").
        """
        closed = self
        if client_seeds is not None:
            if self.commitment.beacon:
                hint = "close_seeds first: the value of a beacon comes after the list"
                raise self._stage_error("was sealed with a beacon", "fair-beacon", hint)
            closed = self.close_seeds(client_seeds)
        if closed.stage == "sealed":
            raise self._sealed_error()
        if closed.stage != "closed":
            hint = "seal a new shoe: another draw would be a choice between orders"
            raise self._stage_error("is shuffled already", "fair-shuffled", hint)
        if bool(beacon) != bool(self.commitment.beacon):
            hint = f"give the value of {self.commitment.beacon!r}" if not beacon else "leave it out"
            reason = "has no value of its beacon" if not beacon else "was sealed without a beacon"
            raise self._stage_error(reason, "fair-beacon", hint)
        return evolve(closed, stage="in-play", beacon_value=beacon)

    def shuffler(self) -> FairShuffler:
        """Return the stream of this shoe from its beginning ("fair-sealed" before the shuffle)."""
        if not self._ordered:
            raise self._sealed_error()
        return FairShuffler(
            self._server_seed,
            self.client_seeds,
            self.commitment.nonce,
            commitment=self.commitment,
            beacon_value=self.beacon_value,
        )

    @property
    def cards(self) -> tuple[Card, ...]:
        """The order that the shuffle gives; ``TrenteError`` ("fair-sealed") before it."""
        return self.shuffler().shuffle(PACK * self.commitment.packs)

    @property
    def preparation(self) -> Preparation | None:
        """The cut, burn and marker of this shoe; None where ``trente-fair-1`` leaves them open.

        Raises ``TrenteError`` ("fair-sealed") before the shuffle.
        """
        return self.shuffler().preparation(self.commitment.packs)

    def open_shoe(self, id: str, *, at: str = "") -> OpenShoe:  # noqa: A002 - the field's name
        """Return the command that opens this shoe at a table, with all that was drawn for it.

        The table then takes no other cut and no other marker. Raises ``TrenteError``
        ("fair-sealed", "fair-retired").
        """
        from trente_rules.table.commands import OpenShoe  # noqa: PLC0415 - the table is above

        self._check_in_play()
        return OpenShoe.shuffled(id, self.commitment.packs, self.shuffler(), at=at)

    def shoe(self) -> Shoe:
        """Return the shuffled shoe, uncut; ``TrenteError`` ("fair-retired") when it is retired."""
        self._check_in_play()
        return Shoe.of_cards(self.cards, self.commitment.packs)

    def _check_in_play(self) -> None:
        if self.stage == "retired":
            hint = "its order may be known: seal a new shoe"
            raise self._stage_error("is retired", "fair-retired", hint)

    def drawn(self, *bounds: int) -> tuple[int, ...]:
        """Return numbers below the bounds, from the words after the shuffle.

        In ``trente-fair-2`` these words are those of the cut and the marker: ``preparation``.
        """
        stream = self.shuffler()
        stream.shuffle(PACK * self.commitment.packs)
        return tuple(map(stream.below, bounds))

    def retire(self) -> FairShoe:
        """Retire the shoe: its cards will no longer be dealt.

        Raises ``TrenteError`` ("fair-sealed") before it is shuffled: shuffle a sealed shoe that is
        given up too, since every published commitment is opened in the end.
        """
        self.shuffler()
        return evolve(self, stage="retired")

    def reveal(self) -> Reveal:
        """Reveal the server seed; ``TrenteError`` ("fair-not-retired") while cards may be dealt."""
        if self.stage != "retired":
            reason = f"is {self.stage}: its server seed stays secret"
            raise self._stage_error(reason, "fair-not-retired", "retire the shoe first")
        return Reveal(
            self.commitment,
            self._server_seed,
            self.client_seeds,
            self.cards,
            self.beacon_value,
            self.preparation,
        )

    def _sealed_error(self) -> TrenteError:
        if self.stage == "closed":
            hint = "publish seeds_digest, then shuffle"
            return self._stage_error("is not shuffled yet", "fair-sealed", hint)
        hint = "publish the commitment, ask for seeds, then shuffle"
        return self._stage_error("has no client seeds yet", "fair-sealed", hint)

    def _stage_error(self, reason: str, code: str, hint: str) -> TrenteError:
        return TrenteError(f"fair shoe {self.commitment.nonce} {reason}", code, hint)

    def provenance(self) -> Provenance:
        """Return the origin of the order, without the server seed, for a record."""
        return self.shuffler().provenance()

    def to_json(self) -> dict[str, Any]:
        """Return the whole value, with its secret, for the store of the host."""
        told = _json_of(self.commitment, self._server_seed, self.client_seeds, self.beacon_value)
        return {**told, "stage": self.stage}

    @classmethod
    def of_json(cls, value: object) -> FairShoe:
        """Read what ``to_json`` wrote; ``TrenteError`` ("bad-fair-shoe") names what is wrong."""
        stored = read(value, _Stored, "the fair shoe", "bad-fair-shoe")
        made = stored.committed(stored.commitment, "bad-fair-shoe")
        seeds = stored.client_seeds
        shoe = cls(made, stored.server_seed, seeds, stored.stage, stored.beacon_value)
        if stored.seeds and digest_text(stored.seeds) != made.seeds_digest(seeds):
            raise _shoe_error("has other client seeds than those of its list when it was closed")
        return shoe


def _shoe_error(what: str) -> TrenteError:
    return TrenteError(f"the fair shoe {what}", "bad-fair-shoe", "give what to_json returned")
