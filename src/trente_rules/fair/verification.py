"""The verifier of fair shoes: what was revealed, recomputed, and compared with what is remembered.

All that a house publishes can be made anew when the evening is over. So a check here has two sides:
what the house shows, worked out again, and what the player wrote down before the cards were dealt.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from attrs import field, frozen

from trente_rules.core.cards import PACK, Card, parse_cards
from trente_rules.core.converter import read
from trente_rules.core.errors import TrenteError, shown
from trente_rules.core.shoe import Shoe
from trente_rules.fair.entropy import check_nonce
from trente_rules.fair.plan import FairPlan, Preparation
from trente_rules.fair.shoes import (
    Commitment,
    FairShuffler,
    Published,
    digest_text,
    sorted_client_seeds,
)

CHOSEN: Final = "chosen when the order was known"
"""Why a value of a shoe of ``trente-fair-1`` is not checked."""
LEFT_OPEN: Final = (
    "the house may have chosen cut and marker when it knew the order: no plan is checked"
)
"""What is to be known of a shoe that holds, and binds no plan."""


@frozen
class Check:
    """A check of one thing: ``holds`` is None if there is nothing to compare it with."""

    what: str
    holds: bool | None
    words: str

    def __str__(self) -> str:
        """Return ``sha256: holds: ...``."""
        result = {True: "holds", False: "does not hold", None: "not checked"}[self.holds]
        return f"{self.what}: {result}: {self.words}"


@frozen
class FairCheck:
    """The result of a verification: ``holds``, and why.

    ``opens`` is whether the commitment is that of the server seed, nonce and packs, or plan.
    ``compared`` counts the cards that were compared; ``difference`` is the number, from 1, of the
    first that is not the one of the stream, None where all are. ``expected`` is the whole order,
    cut where the cut is known. ``checks`` are those of everything else: the list of client seeds,
    cut, burn and marker. ``preparation`` is what the stream gives for these, None where the scheme
    leaves them open.
    """

    opens: bool
    compared: int
    difference: int | None
    expected: tuple[Card, ...] = field(repr=False)
    checks: tuple[Check, ...] = ()
    preparation: Preparation | None = None

    @property
    def wrong(self) -> tuple[Check, ...]:
        """The checks that do not hold."""
        return tuple(check for check in self.checks if check.holds is False)

    @property
    def holds(self) -> bool:
        """Return whether everything holds: the commitment opens, every card is the expected one."""
        return self.opens and self.difference is None and not self.wrong

    def __str__(self) -> str:
        """Return the result in a sentence."""
        whole = len(self.expected)
        if not self.opens:
            bound = "plan" if self.preparation else "packs"
            return (
                f"does not hold: the commitment is not that of this server seed, nonce and {bound}"
            )
        if self.wrong:
            return f"does not hold: {self.wrong[0].what}: {self.wrong[0].words}"
        if self.difference is None:
            compared = f"{self.compared} of {whole} cards"
            return f"holds: the commitment opens, {compared} are as they must be"
        if self.difference > whole:
            return f"does not hold: there is no card {self.difference}, the shoe has {whole}"
        must = self.expected[self.difference - 1]
        return f"does not hold: card {self.difference} of {whole} must be {must}"


def verify_fair(  # noqa: PLR0913 - the parts of a shoe, each by its name
    commitment: str,
    server_seed: bytes | str,
    client_seeds: Iterable[str],
    nonce: int,
    cards: Sequence[Card] | str,
    *,
    packs: int = 6,
    plan: FairPlan | str = "",
    beacon: str = "",
    beacon_value: str = "",
    seeds: str = "",
    cut_at: int | None = None,
    burn: int | None = None,
    marker: int | None = None,
) -> FairCheck:
    """Check a shoe that was revealed: the commitment, the cards, the cut, the burn, the marker.

    ``commitment`` is the digest that was published. ``cards`` are those of the shoe in the order of
    dealing, burned cards included: all, or the first ones that are known. ``cut_at`` is how
    many cards of the shuffled order were cut to the back; without it the cards are those of the
    uncut shoe. ``burn`` and ``marker`` are how many cards were burned and lie behind the marker.
    With a ``plan`` the shoe is of ``trente-fair-2``, with the ``beacon`` it was sealed with and its
    value: cut, burn and marker must be those of the stream. Without one they cannot be checked.
    ``seeds`` is the digest of the list of client seeds that was published.

    Raises ``TrenteError`` where the values cannot be a fair shoe at all ("bad-commitment",
    "bad-seed", "bad-client-seed", "bad-nonce", "no-packs", "bad-plan", "bad-beacon", "bad-cut",
    "cards-missing", "no-card").
    """
    bound = FairPlan.parse(plan) if isinstance(plan, str) and plan else plan or None
    if isinstance(bound, FairPlan):
        packs = bound.packs
    published = Commitment(commitment, nonce, packs, bound or None, beacon)
    stream = _stream(published, server_seed, client_seeds, beacon_value)
    return _verified(
        stream, published, cards, seeds, Preparation(cut_at, burn, marker), cut_at or 0
    )


def _stream(
    published: Commitment, server_seed: bytes | str, seeds: Iterable[str], beacon_value: str
) -> FairShuffler:
    return FairShuffler(
        server_seed, seeds, published.nonce, commitment=published, beacon_value=beacon_value
    )


def _verified(
    stream: FairShuffler,
    published: Commitment,
    cards: Sequence[Card] | str,
    seeds: str,
    done: Preparation,
    cut_at: int,
) -> FairCheck:
    """Check a shoe: ``cards`` follow a cut at ``cut_at``, ``done`` is compared."""
    dealt = parse_cards(cards) if isinstance(cards, str) else tuple(cards)
    if not dealt:
        hint = "give the cards that were dealt"
        raise TrenteError("there are no cards to verify", "cards-missing", hint)
    order = stream.shuffle(PACK * published.packs)
    beacon = _beacon(published, stream.beacon_value)
    expected = Shoe.of_cards(order, published.packs).cut(cut_at).cards
    wrong = (at for at, card in enumerate(dealt, 1) if expected[at - 1 : at] != (card,))
    checks, prepared = [*beacon, *_seeds(published, stream.client_seeds, seeds)], None
    if published.plan is not None:
        prepared = published.plan.prepared(order, stream)
        checks += _prepared(prepared, done)
    else:
        checks += _left_open(done, stream.below(len(order) + 1))
    opens = published.opens_with(stream.server_seed)
    different = next(wrong, None)
    return FairCheck(opens, len(dealt), different, expected, tuple(checks), prepared)


def _beacon(published: Commitment, value: str) -> Iterator[Check]:
    """Refuse a beacon without a value, or a value without one: it would be a second order."""
    if published.beacon and not value:
        words = f"{shown(published.beacon)} has no value"
        yield Check("beacon", holds=False, words=words)
    elif value and not published.beacon:
        words = f"there is the value {shown(value)}, but no beacon was sealed"
        yield Check("beacon", holds=False, words=words)


def _seeds(published: Commitment, seeds: tuple[str, ...], digest: str) -> Iterator[Check]:
    if digest:
        right = published.seeds_digest(seeds)
        same = digest_text(digest) == right
        words = (
            f"the list is that of {right}" if same else f"given {shown(digest)}, computed {right}"
        )
        yield Check("list of client seeds", holds=same, words=words)


def _prepared(right: Preparation, done: Preparation) -> Iterator[Check]:
    """Compare what was done to a shoe with what the stream gives."""
    for what in ("cut", "burn", "marker"):
        must, seen = getattr(right, what), getattr(done, what)
        wanted = "expected none" if must is None else f"it must be {must}"
        if seen == must and must is not None:
            words = f"it is {must}, as the stream gives it"
            yield Check(what, holds=True, words=words)
        elif seen is not None:
            yield Check(what, holds=False, words=f"{wanted}, not {seen}")
        elif must is not None:
            yield Check(what, holds=None, words=f"{wanted}; what was done is not given")


def _left_open(done: Preparation, drawn: int) -> Iterator[Check]:
    """Say what ``trente-fair-1`` left to those who knew the order."""
    if done.cut is not None and done.cut == drawn:
        words = f"it is {drawn}, the first number behind the shuffle"
        yield Check("cut", holds=True, words=words)
    else:
        yield Check("cut", holds=None, words=CHOSEN)
    if done.marker is not None:
        yield Check("marker", holds=None, words=CHOSEN)


@frozen(kw_only=True)
class _Revealed(Published):
    """A shoe that was revealed; what was done to it may be added."""

    cards: str
    cut: int | None = None
    cut_at: int | None = None
    burn: int | None = None
    marker: int | None = None

    def committed_to(self) -> Commitment:
        """Return the commitment that is in the file."""
        return self.committed(self.commitment)

    @property
    def cut_made(self) -> int | None:
        """How deep the shoe was cut, None where the file does not say."""
        return self.cut_at if self.cut is None else self.cut


def revealed(value: object) -> _Revealed:
    """Read what ``Reveal.to_json`` wrote; ``TrenteError`` ("bad-reveal")."""
    told = read(value, _Revealed, "the revealed shoe", "bad-reveal")
    if None not in (told.cut, told.cut_at) and told.cut != told.cut_at:
        hint = "cut is how deep the shoe was cut, cut_at the same where the cards follow the cut"
        reason = f"the revealed shoe has two cuts: {told.cut} and {told.cut_at}"
        raise TrenteError(reason, "bad-reveal", hint)
    return told


def verify_reveal(value: object) -> FairCheck:
    """Check what ``Reveal.to_json`` wrote, as read from JSON.

    ``cards`` are in the order of the shuffle; where ``cut_at`` is added they are in the order of
    dealing, behind that cut. Everything compared is from the same hand: ``remembered`` compares it
    with what a player wrote down.

    Raises ``TrenteError`` ("bad-reveal") for a key that is missing, unknown or of a wrong type, and
    the errors of ``verify_fair``.
    """
    told = revealed(value)
    made = told.committed_to()
    stream = _stream(made, told.server_seed, told.client_seeds, told.beacon_value)
    done = Preparation(told.cut_made, told.burn, told.marker)
    return _verified(stream, made, told.cards, told.seeds, done, told.cut_at or 0)


def _listed(seeds: Iterable[str]) -> tuple[str, ...]:
    return (seeds,) if isinstance(seeds, str) else tuple(seeds)


@frozen(kw_only=True)
class Known:
    """The notes of a player on a shoe; what is None was not written down.

    ``client_seeds`` are the player's own, ``seeds`` is the digest of the list that was published,
    ``beacon_value`` what the beacon published, ``plan`` how the house prepares its shoes. Raises
    ``TrenteError`` ("bad-commitment", "bad-nonce", "bad-client-seed", "bad-plan").
    """

    commitment: str | None = None
    nonce: int | None = None
    client_seeds: tuple[str, ...] = field(default=(), converter=_listed)
    seeds: str | None = None
    beacon_value: str | None = None
    plan: str | None = None

    def __attrs_post_init__(self) -> None:
        """Check every value by itself."""
        for digest in (self.commitment, self.seeds):
            if digest is not None:
                Commitment(digest, 0)
        if self.nonce is not None:
            check_nonce(self.nonce)
        for seed in self.client_seeds:
            sorted_client_seeds([seed])
        if self.plan is not None:
            FairPlan.parse(self.plan)

    def published(self, made: Commitment, what: str) -> Check:
        """Compare the commitment of a shoe with the one that was written down."""
        whose = "published before you gave your seed"
        return _same(what, made.digest, digest_text(self.commitment or "") or None, whose)

    def compared(
        self, made: Commitment, client_seeds: tuple[str, ...], beacon_value: str
    ) -> Iterator[Check]:
        """Compare all but the commitment with what a file has of the shoe."""
        yield _same("nonce", made.nonce, self.nonce, "that was announced")
        if made.plan is not None or self.plan is not None:
            plan = None if made.plan is None else str(made.plan)
            yield _same("plan", plan, self.plan, "that was published with it")
        else:
            words = f"{made.method} binds none: see whether one was published with the commitment"
            yield Check("plan", holds=None, words=words)
        yield from _own(client_seeds, self.client_seeds)
        if made.plan is not None or self.seeds is not None:
            given = digest_text(self.seeds or "") or None
            listed = made.seeds_digest(client_seeds)
            yield _same("digest of the list", listed, given, "published before the shuffle")
        if made.beacon or self.beacon_value is not None:
            name = f"beacon {shown(made.beacon)}" if made.beacon else "beacon"
            yield _same(name, beacon_value or None, self.beacon_value, "that it published")


def remembered(  # noqa: PLR0913 - all that one may remember, each by its name
    value: object,
    *,
    commitment: str | None = None,
    nonce: int | None = None,
    client_seeds: Iterable[str] = (),
    seeds: str | None = None,
    beacon_value: str | None = None,
    plan: str | None = None,
    sealed: Commitment | None = None,
    cut: int | None = None,
    marker: int | None = None,
) -> tuple[Check, ...]:
    """Compare a revealed shoe with what a player remembers of it; what is not given is not checked.

    ``client_seeds`` are the player's own, ``seeds`` is the digest of the list that was published,
    ``plan`` how the house prepares its shoes, ``sealed`` all that was published at the sealing, as
    ``Commitment.of_json`` reads it. Raises what ``verify_reveal`` raises, and for what is
    remembered "bad-commitment", "bad-nonce", "bad-client-seed", "bad-plan".
    """
    told = revealed(value)
    made = told.committed_to()
    if sealed is not None:
        commitment = sealed.digest if commitment is None else commitment
        nonce = sealed.nonce if nonce is None else nonce
        if plan is None and sealed.plan is not None:
            plan = str(sealed.plan)
    known = Known(
        commitment=commitment,
        nonce=nonce,
        client_seeds=client_seeds,
        seeds=seeds,
        beacon_value=beacon_value,
        plan=plan,
    )
    right = verify_reveal(value).preparation
    # Of trente-fair-1 any cut gives a shoe: what the player saw is compared with the file alone.
    places = (right.cut, right.marker) if right else (told.cut_made, told.marker)
    checks = [
        known.published(made, "commitment"),
        *known.compared(made, told.client_seeds, told.beacon_value),
    ]
    if sealed is not None:
        checks.append(_published(made, sealed))
    for what, place, seen in (("cut", places[0], cut), ("marker", places[1], marker)):
        if place is not None or seen is not None:
            checks.append(_same(f"{what} you saw", place, seen, "made at the table"))
    words = "compare those you saw with the order, or verify the record of the taille"
    return (*checks, Check("cards you saw", holds=None, words=words))


def _published(made: Commitment, sealed: Commitment) -> Check:
    """Compare all that a commitment binds with what was published of it."""
    one, other = made.to_json(), sealed.to_json()
    differ = [name for name in {**other, **one} if one.get(name) != other.get(name)]
    words = f"all of it is the same: {', '.join(one)}"
    if differ:
        words = f"the file has other values: {', '.join(differ)}"
    return Check("what was published", holds=not differ, words=words)


def _same(what: str, told: object, known: object, whose: str) -> Check:
    if known is None:
        return Check(what, holds=None, words=f"compare {_plain(told)} with the one {whose}")
    if known == told:
        return Check(what, holds=True, words="it is the one you gave")
    return Check(what, holds=False, words=f"you gave {_plain(known)}, the file has {_plain(told)}")


def _plain(value: object) -> str:
    """Return a value as a check shows it: a digest whole, text of others as an error shows it."""
    if isinstance(value, str) and value.isalnum() and value.isascii():
        return value
    return "none" if value is None else shown(value)


def _own(listed: tuple[str, ...], own: tuple[str, ...]) -> Iterator[Check]:
    if not own:
        count = f"{len(listed)} client seeds" if len(listed) > 1 else "one client seed"
        yield Check("client seed", holds=None, words=f"look whether yours is among {count}")
    known = list(sorted_client_seeds(listed))
    for seed in own:
        sorted_client_seeds([seed])
        holds = seed in known
        words = f"it is one of {len(listed)}" if holds else "it was left out"
        if holds:
            known.remove(seed)  # two players with one seed: it is in the list twice
        yield Check(f"client seed {shown(seed)}", holds=holds, words=words)
