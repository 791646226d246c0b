"""Commands to a table, as frozen values.

Every command has an ``id`` that its host gives, so that the same command sent twice acts once: ids
are unique for each player, and for the staff. ``player`` may be given where a stake is named: a
stake of another player is then refused, and the command is the player's. The classes have no slots:
so a command is made in half the time.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Annotated, Any, ClassVar, Final, Literal, get_args

from attrs import field, frozen
from attrs.converters import optional

from trente_rules.core.cards import PACK, Card
from trente_rules.core.converter import Form, exactly, expected_error
from trente_rules.core.shoe import Shuffler
from trente_rules.core.stakes import Opening
from trente_rules.fair.entropy import Entropy, PreparedEntropy
from trente_rules.table.rounds import Round
from trente_rules.table.sealed import Sealed


def _in_order(cards: Iterable[Card]) -> tuple[Card, ...]:
    """Return cards as a tuple; a value that is not iterable is left for the table to refuse."""
    return tuple(cards) if isinstance(cards, Iterable) else cards


Order = tuple[Card, ...] | Sealed | None
"""The cards of a shoe in their order, sealed, or None where they come one by one."""


def _bets(bets: Iterable[SlipBet]) -> tuple[SlipBet, ...]:
    """Return bets as a tuple; a value that is not iterable is left for the table to refuse."""
    return tuple(bets) if isinstance(bets, Iterable) else bets


Hand = Literal["player", "croupier", "player-on-right"]
"""The person who cuts, or puts the marker in."""


_text: Final = exactly(str)
_PAIR: Final = 2


def _read_meta(value: Any) -> tuple[tuple[str, str], ...]:
    """Read metadata: an object of texts, or pairs of a name and a text."""
    pairs = tuple(value.items()) if isinstance(value, Mapping) else value
    if not isinstance(pairs, tuple) or not all(
        isinstance(pair, tuple) and len(pair) == _PAIR for pair in pairs
    ):
        raise expected_error("a table of texts", value)
    return tuple((_text(name, str), _text(text, str)) for name, text in pairs)


Meta = Annotated[tuple[tuple[str, str], ...], Form(_read_meta, dict, dict[str, str])]
"""Names and texts that a host adds to a command, in the order of the names."""


def _pairs(meta: Mapping[str, str] | Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """Return metadata in one form; a value of another type is left for the table to refuse."""
    if not meta:
        return ()
    pairs: Any = meta.items() if isinstance(meta, Mapping) else meta
    try:
        made: tuple[tuple[str, str], ...] = tuple(sorted(pairs))
    except TypeError:
        made = pairs
    return made


@frozen(slots=False)
class Command:
    """The base of every command: its id, and what its host says about it.

    ``round`` is the coup that the command is meant for: where another one is on it is refused. The
    time ``at`` by the host's clock, the ``staff`` and the ``device`` that gave the command and
    ``meta``, more texts by name, are stored with it and never read. Two commands that differ in
    these four only are the same command: one sent again may have another time.
    """

    kind: ClassVar[str] = ""
    id: str
    at: str = field(default="", kw_only=True, eq=False)
    round: Round | None = field(default=None, kw_only=True)
    staff: str = field(default="", kw_only=True, eq=False)
    device: str = field(default="", kw_only=True, eq=False)
    meta: Meta = field(default=(), converter=_pairs, kw_only=True, eq=False)

    @property
    def owner(self) -> str:
        """The player whose command it is; nothing where it is one of the staff."""
        return ""

    @property
    def key(self) -> tuple[str, str]:
        """Its player and its id: no other command of a session has both."""
        return self.owner, self.id


@frozen(slots=False)
class PlayerCommand(Command):
    """The base of the commands of a player; of the staff, where no player is named."""

    player: str

    @property
    def owner(self) -> str:
        """The player whose command it is."""
        return self.player

    @property
    def key(self) -> tuple[str, str]:
        """Its player and its id: no other command of a session has both."""
        return self.player, self.id


@frozen(slots=False)
class OpenShoe(Command):
    """Open a shoe: ``cards`` in their order, or None where they come one by one (a live shoe).

    A list without a card is refused: it never opens a live shoe.

    Where a machine shuffles for every coup, these are the cards of the next coup. A reader of a
    sealed journal who has no key finds a ``Sealed`` in their place; no table takes that.

    ``source`` is the origin of the order: the JSON of a ``Provenance``, or any text. ``cut`` and
    ``marker`` are where this shoe must be cut, and how many cards must lie behind its marker: of a
    fair shoe they are drawn with its order. The table then takes no others.
    """

    kind: ClassVar[Literal["open-shoe"]] = "open-shoe"
    cards: Order = field(default=None, converter=optional(_in_order), repr=False)
    source: str = ""
    cut: int | None = field(default=None, repr=False)
    marker: int | None = field(default=None, repr=False)

    @classmethod
    def shuffled(
        cls,
        id: str,  # noqa: A002 - the field's name
        packs: int,
        shuffler: Shuffler,
        *,
        source: str = "",
        at: str = "",
    ) -> OpenShoe:
        """Return the command for whole packs in the order of a shuffler.

        By default ``source`` is the provenance of the shuffler's next draw. That of a fair shoe
        brings its cut and its marker. Raises what the shuffler raises: "fair-plan" where a fair
        shoe was sealed with another number of packs, "fair-shuffled" for a stream that was used.
        """
        if not source and isinstance(shuffler, Entropy):
            source = json.dumps(shuffler.provenance().to_json())
        made = shuffler.preparation(packs) if isinstance(shuffler, PreparedEntropy) else None
        order = shuffler.shuffle(PACK * packs)
        if made is None:
            return cls(id=id, cards=order, source=source, at=at)
        return cls(id=id, cards=order, source=source, cut=made.cut, marker=made.marker, at=at)


def _depth(place: int | None) -> int | None:
    """Return how deep a cut is, for comparisons: one without a place is 0, as ever."""
    return 0 if place is None else place


@frozen(slots=False)
class Cut(Command):
    """Cut the cards: the first ``place`` go behind the others; a live shoe is left as it is.

    None is the place that was drawn for the shoe, where it is a fair one, and otherwise 0.

    ``card`` is the card shown at the cut, needed for a live shoe where its colour decides that of
    the first row. A shoe of known order shows the lowest of the cards lifted, now its last card.
    """

    kind: ClassVar[Literal["cut"]] = "cut"
    place: int | None = field(default=None, eq=_depth)
    by: Hand = "player"
    card: Card | None = None


@frozen(slots=False)
class Burn(Command):
    """Burn the first cards as the house does; a live shoe needs those of them that are shown."""

    kind: ClassVar[Literal["burn"]] = "burn"
    cards: tuple[Card, ...] = field(default=(), converter=_in_order)


@frozen(slots=False)
class PlaceMarker(Command):
    """Put the marker in, ``from_end`` cards before the end.

    None where the house leaves no choice, or the place was drawn with the order of a fair shoe.

    In a live shoe the place is only stored: the shoe ends when the marker comes up.
    """

    kind: ClassVar[Literal["place-marker"]] = "place-marker"
    from_end: int | None = None
    by: Literal["croupier", "player"] = "croupier"


@frozen(slots=False)
class OpenBets(Command):
    """Open the bets of the next coup. A coup not yet settled is settled first, by the defaults.

    Where the shoe ends with that coup, it is settled and no bets open.
    """

    kind: ClassVar[Literal["open-bets"]] = "open-bets"


@frozen(slots=False)
class Place(PlayerCommand):
    """Place a stake: ``amount`` in units. ``chips`` may name their currency, to be checked.

    ``position`` is its place on the cloth, counted from the left, for a house that settles by it.
    """

    kind: ClassVar[Literal["place"]] = "place"
    stake: str
    player: str
    chance: str
    amount: int
    insured: bool = False
    proof: bool = True
    group: str = ""
    chips: str = ""
    position: int | None = None


@frozen(slots=False)
class SlipBet:
    """One stake of a slip, as in ``Place``."""

    stake: str
    chance: str
    amount: int
    insured: bool = False
    proof: bool = True
    group: str = ""
    chips: str = ""
    position: int | None = None


@frozen(slots=False)
class Slip(PlayerCommand):
    """Place several stakes of one player: all of them, or none."""

    kind: ClassVar[Literal["slip"]] = "slip"
    player: str
    bets: tuple[SlipBet, ...] = field(converter=_bets)


@frozen(slots=False)
class Increase(PlayerCommand):
    """Add units to a free stake; where it is insured, the premium with it."""

    kind: ClassVar[Literal["increase"]] = "increase"
    stake: str
    amount: int
    player: str = ""
    chips: str = ""


@frozen(slots=False)
class Insure(PlayerCommand):
    """Insure a stake for this coup; the premium is paid now."""

    kind: ClassVar[Literal["insure"]] = "insure"
    stake: str
    player: str = ""
    proof: bool = True


@frozen(slots=False)
class Withdraw(PlayerCommand):
    """Take a free stake back, or ``amount`` units of it; a premium comes back with it."""

    kind: ClassVar[Literal["withdraw"]] = "withdraw"
    stake: str
    amount: int | None = None
    player: str = ""


@frozen(slots=False)
class MovePrisoner(PlayerCommand):
    """Move a stake in prison to another chance, still in prison, where the house allows it.

    ``position`` is its new place on the cloth.
    """

    kind: ClassVar[Literal["move-prisoner"]] = "move-prisoner"
    stake: str
    chance: str
    player: str = ""
    position: int | None = None


@frozen(slots=False)
class Post(Command):
    """Post other limits between two coups; prisoners stay, and the coups before are left alone."""

    kind: ClassVar[Literal["post"]] = "post"
    opening: Opening


@frozen(slots=False)
class BuyIn(PlayerCommand):
    """Buy chips for ``amount`` units, at a table with purses."""

    kind: ClassVar[Literal["buy-in"]] = "buy-in"
    player: str
    amount: int


@frozen(slots=False)
class CashOut(PlayerCommand):
    """Take ``amount`` units out of a purse, all of it by default, at a table with purses."""

    kind: ClassVar[Literal["cash-out"]] = "cash-out"
    player: str
    amount: int | None = None


@frozen(slots=False)
class CloseBets(Command):
    """Close the bets: rien ne va plus."""

    kind: ClassVar[Literal["close-bets"]] = "close-bets"


@frozen(slots=False)
class Deal(Command):
    """Deal the coup to its end, from a shoe whose order is known."""

    kind: ClassVar[Literal["deal"]] = "deal"


@frozen(slots=False)
class Turn(Command):
    """Turn one card; for a live shoe it is given."""

    kind: ClassVar[Literal["turn"]] = "turn"
    card: Card | None = None


@frozen(slots=False)
class Retract(Command):
    """Take back the last ``cards`` turned of the coup that is on: a live shoe was read wrong.

    Cards that were exposed between them stay out, and so does the marker. With ``exposed`` the last
    cards that were exposed by mistake are taken back instead, before another card is turned.
    """

    kind: ClassVar[Literal["retract"]] = "retract"
    cards: int = 1
    exposed: bool = False
    reason: str = ""


@frozen(slots=False)
class Expose(Command):
    """Burn a card that was shown by mistake, or void the coup, as the house says."""

    kind: ClassVar[Literal["expose"]] = "expose"
    card: Card | None = None


@frozen(slots=False)
class ShowMarker(Command):
    """Record that the marker of a live shoe came up before the next card."""

    kind: ClassVar[Literal["show-marker"]] = "show-marker"


@frozen(slots=False)
class Choose(PlayerCommand):
    """Choose a course for a stake, should ``verdict`` meet it in ``state``.

    The choice is for this coup: ``state`` may name the one the stake is in, to be checked. A later
    choice replaces an earlier one; without a choice the house's default acts.
    """

    kind: ClassVar[Literal["choose"]] = "choose"
    stake: str
    course: str
    player: str = ""
    state: str = ""
    verdict: str = "refait"


@frozen(slots=False)
class Settle(Command):
    """Settle the coup that is dealt."""

    kind: ClassVar[Literal["settle"]] = "settle"


@frozen(slots=False)
class VoidCoup(Command):
    """Void the coup, with a reason: stakes, premiums and prisoners are as they were before it."""

    kind: ClassVar[Literal["void-coup"]] = "void-coup"
    reason: str


@frozen(slots=False)
class Correct(Command):
    """Take the settlement of a coup back, with a reason, and settle it again.

    ``target`` is the coup, of any shoe of the session: by default the last one of the shoe at hand.
    ``cards`` are those of a live shoe that were read wrong, as they are, None where they were read
    right: a list without a card is refused. ``choices`` are (stake, course) pairs that replace
    those made; ``void`` voids the coup instead. Without ``void`` a coup that was void is settled.
    """

    kind: ClassVar[Literal["correct"]] = "correct"
    reason: str
    cards: tuple[Card, ...] | None = field(default=None, converter=optional(_in_order))
    choices: tuple[tuple[str, str], ...] = ()
    void: bool = False
    target: Round | None = None


@frozen(slots=False)
class EndShoe(Command):
    """End the taille before its marker or its last card: les cartes passent."""

    kind: ClassVar[Literal["end-shoe"]] = "end-shoe"


@frozen(slots=False)
class Announce(Command):
    """Say a phrase of the house that needs no values, such as ``ajouter_a_la_banque``."""

    kind: ClassVar[Literal["announce"]] = "announce"
    phrase: str


@frozen(slots=False)
class CloseSession(Command):
    """Close the session: free stakes are returned, prisoners settled as the house says."""

    kind: ClassVar[Literal["close-session"]] = "close-session"


@frozen
class OtherCommand(Command):
    """A command of a kind that only a newer release can do, as an entry of that release has it.

    ``name`` is its kind, ``fields`` are the values of its other keys as JSON has them. No table
    does it; it is for readers that follow the entries of a newer release.
    """

    kind: ClassVar[Literal["other"]] = "other"
    name: str
    fields: Mapping[str, Any] = field(factory=dict, hash=False)

    @property
    def owner(self) -> str:
        """The player whose command it is."""
        return str(self.fields.get("player", ""))


ShoeCommand = OpenShoe | Cut | Burn | PlaceMarker
BetsCommand = OpenBets | Place | Slip | Increase | Insure | Withdraw | MovePrisoner | CloseBets
DealCommand = Deal | Turn | Retract | Expose | ShowMarker
CoupCommand = Choose | Settle | VoidCoup | Correct
TableCommand = Post | BuyIn | CashOut
AnyCommand = (
    ShoeCommand
    | BetsCommand
    | DealCommand
    | CoupCommand
    | EndShoe
    | TableCommand
    | Announce
    | CloseSession
)
"""Every command, in the order of a session."""
COMMANDS: tuple[type[AnyCommand], ...] = get_args(AnyCommand)
"""Their classes."""
