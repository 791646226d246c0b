"""A provably fair shoe on its way: sealed, in play, retired; then its server seed is shown."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Annotated, Any, Final, Literal

from attrs import asdict, define, evolve, field, frozen

from trente_rules.core.cards import PACK, Card, parse_cards
from trente_rules.core.converter import Form, read
from trente_rules.core.errors import RuleError, TrenteError, shown
from trente_rules.core.shoe import Shoe
from trente_rules.fair.entropy import (
    KeyedStream,
    StreamShuffler,
    check_nonce,
    fresh_seed,
    seed_bytes,
    sha256,
)
from trente_rules.fair.provenance import Provenance

FAIR: Final = "trente-fair-1"
SERVER_SEED: Final = 32
"""Bytes of a server seed: below the 64 above which HMAC would hash it."""
MOST_FAIR_PACKS: Final = 255
MOST_CLIENT_SEEDS: Final = 256
LONGEST_CLIENT_SEED: Final = 256
_CLIENTS: Final = b"trente-rules/fair-clients/1\n"
_COMMITMENT: Final = b"trente-rules/fair-commitment/1\n"
_DIGEST: Final = re.compile(r"[0-9a-f]{64}")


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


def _check_packs(packs: int) -> None:
    if type(packs) is not int or not 1 <= packs <= MOST_FAIR_PACKS:
        hint = f"packs are 1 to {MOST_FAIR_PACKS}"
        raise TrenteError(f"a fair shoe of {shown(packs)} packs", "no-packs", hint)


def client_text(client_seeds: Iterable[str]) -> str:
    """Return "client": 64 hexadecimal digits of a SHA-256 over all client seeds.

    Each seed follows its length, so no two lists of seeds give the same bytes, whatever colons
    they hold. Raises ``TrenteError`` ("bad-client-seed").
    """
    parts = [seed.encode() for seed in sorted_client_seeds(client_seeds)]
    framed = [len(part).to_bytes(4, "big") + part for part in parts]
    return sha256(_CLIENTS, *framed).hex()


@frozen
class Commitment:
    """The commitment published before players give their seeds: it binds seed, nonce and packs.

    ``digest`` is SHA-256 as 64 lower-case hexadecimal digits. From it neither the server seed nor
    a card can be worked out.
    """

    digest: str
    nonce: int
    packs: int = 6

    def __attrs_post_init__(self) -> None:
        """Check the values: "bad-commitment", "bad-nonce", "no-packs"."""
        if not isinstance(self.digest, str) or not _DIGEST.fullmatch(self.digest):
            reason = f"the commitment {shown(self.digest)} is not a SHA-256"
            raise TrenteError(reason, "bad-commitment", "it has 64 digits of 0 to 9 and a to f")
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
        """Return whether this is the commitment to that server seed."""
        return self == Commitment.of(server_seed, self.nonce, self.packs)


@define
class FairShuffler(StreamShuffler):
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

    def provenance(self) -> Provenance:
        """Return the place in the stream; the commitment, which binds the packs, is FairShoe's."""
        return Provenance("fair", FAIR, "", self.nonce, self.client_seeds, self.position)


Stage = Literal["sealed", "in-play", "retired"]


@frozen
class Reveal:
    """The published values of a retired shoe, from which anyone can work out the order again.

    ``cards`` is the order that the shuffle gave, before any cut.
    """

    commitment: Commitment
    server_seed: bytes = field(converter=server_seed_bytes)
    client_seeds: tuple[str, ...] = field(converter=sorted_client_seeds)
    cards: tuple[Card, ...]

    def to_json(self) -> dict[str, Any]:
        """Return what ``trente rng verify`` reads."""
        cards = " ".join(map(str, self.cards))
        return _json_of(self.commitment, self.server_seed, self.client_seeds, cards=cards)


def _json_of(
    commitment: Commitment, server_seed: bytes, client_seeds: tuple[str, ...], **more: str
) -> dict[str, Any]:
    return {
        "method": FAIR,
        "commitment": commitment.digest,
        "server_seed": server_seed.hex(),
        "client_seeds": list(client_seeds),
        "nonce": commitment.nonce,
        "packs": commitment.packs,
        **more,
    }


def _secret(value: object) -> str:
    """Return a server seed that is a string; an error must not show it."""
    if type(value) is not str:
        raise RuleError("not a string of 64 digits", "wrong-type")
    return value


@frozen
class _Published:
    """The published or stored values of a shoe, in the form of JSON."""

    commitment: str
    server_seed: Annotated[str, Form(_secret)] = field(repr=False)
    client_seeds: tuple[str, ...]
    nonce: int


@frozen(kw_only=True)
class _Stored(_Published):
    """A fair shoe as its host stores it."""

    method: Literal["trente-fair-1"]
    packs: int
    stage: Stage


@frozen(kw_only=True)
class _Revealed(_Published):
    """A shoe that was revealed; how it was cut may be added."""

    method: Literal["trente-fair-1"] = FAIR
    cards: str
    packs: int = 6
    cut_at: int = 0


@frozen
class FairShoe:
    """One provably fair shoe on its way: sealed, in play, retired.

    A frozen value: each step returns the next one, and a step out of turn is a ``TrenteError``.
    Publish ``commitment`` before you ask for client seeds. A server seed serves one shoe, since
    showing it shows all that comes from it. The value holds the secret: ``repr`` hides it, a pickle
    and ``to_json`` do not, so save those where players cannot read them.
    """

    commitment: Commitment
    _server_seed: bytes = field(converter=server_seed_bytes, repr=False)
    client_seeds: tuple[str, ...] = ()
    stage: Stage = "sealed"

    def __attrs_post_init__(self) -> None:
        """Refuse a value that no step returns ("bad-fair-shoe"): a store that was damaged."""
        if not self.commitment.opens_with(self._server_seed):
            raise _shoe_error("has a different server seed from the one it was sealed with")
        if self.stage == "sealed" and self.client_seeds:
            raise _shoe_error("is sealed, and has client seeds")
        if self.stage != "sealed" and self.client_seeds != sorted_client_seeds(self.client_seeds):
            raise _shoe_error("has client seeds that are not sorted")

    @classmethod
    def seal(cls, nonce: int, packs: int = 6, server_seed: bytes | str | None = None) -> FairShoe:
        """Seal a shoe: draw its server seed, or take one given, and commit to it.

        Raises ``TrenteError`` ("bad-seed", "bad-nonce", "no-packs").
        """
        seed = fresh_seed(SERVER_SEED) if server_seed is None else server_seed
        return cls(Commitment.of(seed, nonce, packs), seed)

    def shuffle(self, client_seeds: Iterable[str]) -> FairShoe:
        """Settle the order by the seeds of the players, once only ("fair-shuffled")."""
        if self.stage != "sealed":
            hint = "seal a new shoe: another draw would be a choice between orders"
            raise self._stage_error("is shuffled already", "fair-shuffled", hint)
        return evolve(self, client_seeds=sorted_client_seeds(client_seeds), stage="in-play")

    def shuffler(self) -> FairShuffler:
        """Return the stream of this shoe from its beginning ("fair-sealed" without seeds)."""
        if self.stage == "sealed":
            hint = "publish the commitment, ask for seeds, then shuffle"
            raise self._stage_error("has no client seeds yet", "fair-sealed", hint)
        return FairShuffler(self._server_seed, self.client_seeds, self.commitment.nonce)

    @property
    def cards(self) -> tuple[Card, ...]:
        """The order that the shuffle gives; ``TrenteError`` ("fair-sealed") before it."""
        return self.shuffler().shuffle(PACK * self.commitment.packs)

    def shoe(self) -> Shoe:
        """Return the shoe to deal from; ``TrenteError`` ("fair-retired") when it is retired."""
        if self.stage == "retired":
            hint = "its order may be known: seal a new shoe"
            raise self._stage_error("is retired", "fair-retired", hint)
        return Shoe.of_cards(self.cards, self.commitment.packs)

    def drawn(self, *bounds: int) -> tuple[int, ...]:
        """Return numbers below the bounds, from the words after the shuffle: a cut, a marker."""
        stream = self.shuffler()
        stream.shuffle(PACK * self.commitment.packs)
        return tuple(map(stream.below, bounds))

    def retire(self) -> FairShoe:
        """Retire the shoe: none of its cards will be dealt any more.

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
        return Reveal(self.commitment, self._server_seed, self.client_seeds, self.cards)

    def _stage_error(self, reason: str, code: str, hint: str) -> TrenteError:
        return TrenteError(f"fair shoe {self.commitment.nonce} {reason}", code, hint)

    def provenance(self) -> Provenance:
        """Return where the order comes from, without the server seed, for a record."""
        commitment = self.commitment
        return Provenance("fair", FAIR, commitment.digest, commitment.nonce, self.client_seeds)

    def to_json(self) -> dict[str, Any]:
        """Return the whole value, with its secret, for the store of the host."""
        return _json_of(self.commitment, self._server_seed, self.client_seeds, stage=self.stage)

    @classmethod
    def of_json(cls, value: object) -> FairShoe:
        """Read what ``to_json`` wrote; ``TrenteError`` ("bad-fair-shoe") names what is wrong."""
        stored = read(value, _Stored, "the fair shoe", "bad-fair-shoe")
        commitment = Commitment(stored.commitment, stored.nonce, stored.packs)
        return cls(commitment, stored.server_seed, stored.client_seeds, stored.stage)


def _shoe_error(what: str) -> TrenteError:
    return TrenteError(
        f"the fair shoe {what}", "bad-fair-shoe", f"give what to_json returned, of method {FAIR}"
    )


@frozen
class FairCheck:
    """The result of a verification: ``holds``, and why.

    ``opens`` is whether the commitment is that of the server seed, nonce and packs. ``compared``
    counts the cards that were compared; ``difference`` is the number, from 1, of the first that is
    not the one of the stream, None where all are. ``expected`` is the whole order, cut.
    """

    opens: bool
    compared: int
    difference: int | None
    expected: tuple[Card, ...] = field(repr=False)

    @property
    def holds(self) -> bool:
        """Return whether the commitment opens and every card is the expected one."""
        return self.opens and self.difference is None

    def __str__(self) -> str:
        """Return the result in a sentence."""
        whole = len(self.expected)
        if not self.opens:
            return "does not hold: the commitment is not that of this server seed, nonce and packs"
        if self.difference is None:
            compared = f"{self.compared} of {whole} cards"
            return f"holds: the commitment opens, {compared} are as they must be"
        if self.difference > whole:
            return f"does not hold: there is no card {self.difference}, the shoe has {whole}"
        must = self.expected[self.difference - 1]
        return f"does not hold: card {self.difference} of {whole} must be {must}"


def verify_fair(
    commitment: str,
    server_seed: bytes | str,
    client_seeds: Iterable[str],
    nonce: int,
    cards: Sequence[Card] | str,
    *,
    packs: int = 6,
    cut_at: int = 0,
) -> FairCheck:
    """Check a shoe that was revealed: the commitment, then the order of the cards.

    ``commitment`` is the digest that was published. ``cards`` are those of the shoe in the order of
    dealing, burned cards included: all, or the first ones that are known. ``cut_at`` is how
    many cards of the shuffled order were cut to the back.

    Raises ``TrenteError`` where the values cannot be a fair shoe at all ("bad-commitment",
    "bad-seed", "bad-client-seed", "bad-nonce", "no-packs", "bad-cut", "cards-missing", "no-card").
    """
    published = Commitment(commitment, nonce, packs)
    dealt = parse_cards(cards) if isinstance(cards, str) else tuple(cards)
    if not dealt:
        hint = "give the cards that were dealt"
        raise TrenteError("there are no cards to verify", "cards-missing", hint)
    order = FairShuffler(server_seed, client_seeds, nonce).shuffle(PACK * packs)
    expected = Shoe.of_cards(order, packs).cut(cut_at).cards
    wrong = (at for at, card in enumerate(dealt, 1) if expected[at - 1 : at] != (card,))
    opens = published.opens_with(server_seed)
    return FairCheck(opens, len(dealt), next(wrong, None), expected)


def verify_reveal(value: object) -> FairCheck:
    """Check what ``Reveal.to_json`` wrote, as read from JSON; ``cut_at`` may be added.

    Raises ``TrenteError`` ("bad-reveal") for a key that is missing, unknown or of a wrong type, and
    the errors of ``verify_fair``.
    """
    revealed = asdict(read(value, _Revealed, "the revealed shoe", "bad-reveal"))
    revealed.pop("method")
    return verify_fair(**revealed)
