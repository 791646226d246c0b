"""A provably fair shoe on its way: sealed, in play, retired; then its server seed is shown."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final, Literal, get_args

from attrs import evolve, field, frozen

from trente_rules.deal.cards import PACK, Card
from trente_rules.deal.entropy import fresh_seed
from trente_rules.deal.fair import (
    FAIR,
    SERVER_SEED,
    Commitment,
    FairShuffler,
    server_seed_bytes,
    sorted_client_seeds,
)
from trente_rules.deal.provenance import Provenance
from trente_rules.deal.shoe import Shoe
from trente_rules.errors import TrenteError

Stage = Literal["sealed", "in-play", "retired"]


@frozen
class Reveal:
    """What is published of a retired shoe: with it, anyone can work the order out again.

    ``cards`` is the order that the shuffle gave, before any cut.
    """

    commitment: Commitment
    server_seed: bytes = field(converter=server_seed_bytes)
    client_seeds: tuple[str, ...] = field(converter=sorted_client_seeds)
    cards: tuple[Card, ...]

    def to_json(self) -> dict[str, Any]:
        """Answer what ``trente rng verify`` reads."""
        return {
            "method": FAIR,
            "commitment": self.commitment.digest,
            "server_seed": self.server_seed.hex(),
            "client_seeds": list(self.client_seeds),
            "nonce": self.commitment.nonce,
            "packs": self.commitment.packs,
            "cards": " ".join(map(str, self.cards)),
        }


@frozen
class FairShoe:
    """One provably fair shoe on its way: sealed, in play, retired.

    A frozen value: each step answers the next one, and a step out of turn is a ``TrenteError``.
    Publish ``commitment`` before you ask for client seeds. A server seed serves one shoe, since
    showing it shows all that it gives. The value holds the secret: ``repr`` hides it, a pickle and
    ``to_json`` do not, so keep those where players cannot read them.
    """

    commitment: Commitment
    _server_seed: bytes = field(converter=server_seed_bytes, repr=False)
    client_seeds: tuple[str, ...] = ()
    stage: Stage = "sealed"

    def __attrs_post_init__(self) -> None:
        """Refuse a value that no step gives ("bad-fair-shoe"): a store that was damaged."""
        if not self.commitment.opens_with(self._server_seed):
            raise _bad_shoe("has another server seed than it was sealed with")
        if self.stage not in get_args(Stage):
            raise _bad_shoe(f"has stage {self.stage!r}")
        if self.stage == "sealed" and self.client_seeds:
            raise _bad_shoe("is sealed, and has client seeds")
        if self.stage != "sealed" and self.client_seeds != sorted_client_seeds(self.client_seeds):
            raise _bad_shoe("has client seeds that are not sorted")

    @classmethod
    def seal(cls, nonce: int, packs: int = 6, server_seed: bytes | str | None = None) -> FairShoe:
        """Seal a shoe: draw its server seed, or take one given, and commit to it.

        Raises ``TrenteError`` ("bad-seed", "bad-nonce", "no-packs").
        """
        seed = fresh_seed(SERVER_SEED) if server_seed is None else server_seed
        return cls(Commitment.of(seed, nonce, packs), seed)

    def shuffle(self, client_seeds: Iterable[str]) -> FairShoe:
        """Take the seeds of the players: the order is settled. Once only ("fair-shuffled")."""
        if self.stage != "sealed":
            raise TrenteError(
                f"fair shoe {self.commitment.nonce} is shuffled already",
                "fair-shuffled",
                "seal a new shoe: another draw would be a choice between orders",
            )
        return evolve(self, client_seeds=sorted_client_seeds(client_seeds), stage="in-play")

    def shuffler(self) -> FairShuffler:
        """Answer the stream of this shoe from its beginning ("fair-sealed" without seeds)."""
        if self.stage == "sealed":
            raise TrenteError(
                f"fair shoe {self.commitment.nonce} has no client seeds yet",
                "fair-sealed",
                "publish the commitment, ask for seeds, then shuffle",
            )
        return FairShuffler(self._server_seed, self.client_seeds, self.commitment.nonce)

    @property
    def cards(self) -> tuple[Card, ...]:
        """The order that the shuffle gives; ``TrenteError`` ("fair-sealed") before it."""
        return self.shuffler().shuffle(PACK * self.commitment.packs)

    def shoe(self) -> Shoe:
        """Answer the shoe to deal from; ``TrenteError`` ("fair-retired") when it is retired."""
        if self.stage == "retired":
            raise TrenteError(
                f"fair shoe {self.commitment.nonce} is retired",
                "fair-retired",
                "its order may be known: seal a new shoe",
            )
        return Shoe.of_cards(self.cards, self.commitment.packs)

    def drawn(self, *bounds: int) -> tuple[int, ...]:
        """Answer numbers below the bounds, from the words behind the shuffle: a cut, a marker."""
        stream = self.shuffler()
        stream.shuffle(PACK * self.commitment.packs)
        return tuple(map(stream.below, bounds))

    def retire(self) -> FairShoe:
        """Say that no card of this shoe will be dealt any more ("fair-sealed" if none could be).

        A sealed shoe that is given up is retired by shuffling it first: each commitment is shown.
        """
        self.shuffler()
        return evolve(self, stage="retired")

    def reveal(self) -> Reveal:
        """Show the server seed; ``TrenteError`` ("fair-not-retired") while cards may be dealt."""
        if self.stage != "retired":
            raise TrenteError(
                f"fair shoe {self.commitment.nonce} is {self.stage}: its server seed stays secret",
                "fair-not-retired",
                "retire the shoe first",
            )
        return Reveal(self.commitment, self._server_seed, self.client_seeds, self.cards)

    def provenance(self) -> Provenance:
        """Tell where the order comes from, without the server seed: for the header of a record."""
        commitment = self.commitment
        return Provenance("fair", FAIR, commitment.digest, commitment.nonce, self.client_seeds)

    def to_json(self) -> dict[str, Any]:
        """Answer the whole value, the secret with it, for the store of the host."""
        return {
            "method": FAIR,
            "commitment": self.commitment.digest,
            "nonce": self.commitment.nonce,
            "packs": self.commitment.packs,
            "server_seed": self._server_seed.hex(),
            "client_seeds": list(self.client_seeds),
            "stage": self.stage,
        }

    @classmethod
    def of_json(cls, stored: Mapping[str, Any]) -> FairShoe:
        """Read what ``to_json`` answered; ``TrenteError`` names what is wrong with it."""
        if sorted(stored) != sorted(_STORED):
            raise _bad_shoe(f"has the keys {', '.join(map(str, stored))}")
        if stored["method"] != FAIR:
            raise _bad_shoe(f"is of method {stored['method']!r}")
        commitment = Commitment(stored["commitment"], stored["nonce"], stored["packs"])
        return cls(
            commitment, stored["server_seed"], tuple(stored["client_seeds"]), stored["stage"]
        )


_STORED: Final = ("method", "commitment", "nonce", "packs", "server_seed", "client_seeds", "stage")


def _bad_shoe(what: str) -> TrenteError:
    return TrenteError(
        f"the fair shoe {what}", "bad-fair-shoe", f"give what to_json answered, of method {FAIR}"
    )
