"""Verifying a provably fair shoe from what was published: the commitment, then every card."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from attrs import field, frozen

from trente_rules.deal.cards import PACK, Card, parse_cards
from trente_rules.deal.fair import FAIR, Commitment, FairShuffler
from trente_rules.deal.shoe import Shoe
from trente_rules.errors import TrenteError


@frozen
class FairCheck:
    """What a verifier found. ``holds`` is the answer; the rest says why.

    ``opens`` is whether the commitment is that of the server seed, nonce and packs. ``compared``
    counts the cards that were looked at; ``difference`` is the place, from 1, of the first that is
    not the one the stream gives, None where all are. ``expected`` is the whole order, cut.
    """

    opens: bool
    compared: int
    difference: int | None
    expected: tuple[Card, ...] = field(repr=False)

    @property
    def holds(self) -> bool:
        """Whether the commitment opens and every card is the one that it must be."""
        return self.opens and self.difference is None

    def __str__(self) -> str:
        """Answer in a sentence what was found."""
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
    dealing, burned cards included: all, or as many as are known from the front. ``cut_at`` is how
    many cards of the shuffled order were cut to the back.

    Raises ``TrenteError`` where what is given can be no fair shoe at all ("bad-commitment",
    "bad-seed", "bad-client-seed", "bad-nonce", "no-packs", "bad-cut", "cards-missing", "no-card").
    """
    published = Commitment(commitment, nonce, packs)
    shown = parse_cards(cards) if isinstance(cards, str) else tuple(cards)
    if not shown:
        raise TrenteError(
            "there are no cards to verify", "cards-missing", "give the cards that were dealt"
        )
    order = FairShuffler(server_seed, client_seeds, nonce).shuffle(PACK * packs)
    expected = Shoe.of_cards(order, packs).cut(cut_at).cards
    wrong = (at for at, card in enumerate(shown) if expected[at : at + 1] != (card,))
    first = next(wrong, None)
    opens = published.opens_with(server_seed)
    return FairCheck(opens, len(shown), None if first is None else first + 1, expected)


_KINDS: Final[dict[str, tuple[type, str]]] = {
    "commitment": (str, "a text of 64 digits"),
    "server_seed": (str, "a text of 64 digits"),
    "client_seeds": (list, "a list of texts"),
    "nonce": (int, "a whole number"),
    "cards": (str, "a text of cards, as '10♥ A♠'"),
    "packs": (int, "a whole number"),
    "cut_at": (int, "a whole number"),
    "method": (str, f"{FAIR!r}"),
}
_OPTIONAL: Final = frozenset(("method", "packs", "cut_at"))


def verify_reveal(table: Mapping[str, Any]) -> FairCheck:
    """Check what ``Reveal.to_json`` answered, as read from JSON; ``cut_at`` may stand with it.

    Raises ``TrenteError`` ("bad-reveal") for a key that is missing, unknown or of another kind, and
    what ``verify_fair`` raises.
    """
    for name, value in table.items():
        kind, told = _KINDS.get(name, (None, ""))
        if kind is None:
            raise _bad_reveal(f"has an unknown key {name!r}", f"keys are {', '.join(_KINDS)}")
        if type(value) is not kind or (name == "method" and value != FAIR):
            shown = "another value" if name == "server_seed" else repr(value)[:70]
            raise _bad_reveal(f"has {name} = {shown}", f"{name} is {told}")
    missing = [name for name in _KINDS if name not in table and name not in _OPTIONAL]
    if missing:
        raise _bad_reveal(f"lacks {', '.join(missing)}", "give what reveal() answered, as JSON")
    return verify_fair(**{name: value for name, value in table.items() if name != "method"})


def _bad_reveal(what: str, hint: str) -> TrenteError:
    return TrenteError(f"the revealed shoe {what}", "bad-reveal", hint)
