"""The shoe: whole packs in a frozen order, dealt until the marker or the last card."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final, Literal, Protocol, TypeVar

from attrs import evolve, field, frozen

from trente_rules.core.cards import LARGEST_POINTS, PACK, Card
from trente_rules.core.coup import LAST_OPEN_TOTAL, POINTS, Coup, Row, take_row
from trente_rules.core.errors import CardError, RuleError, shown
from trente_rules.core.keys import between, cannot_act_error, key, stated
from trente_rules.core.text import counted

CARDS_IN_PACK: Final = len(PACK)
_SHOWN: Final = 12
LEAST_COUP: Final = 2 * POINTS[0]
LEAST_CARDS: Final = 8
"""No coup has fewer cards: three make 30 at most."""
_MOST_COUP: Final = 2 * POINTS[-1]
_MOST_OPEN: Final = POINTS[-1] + LAST_OPEN_TOTAL
"""The most points of a coup that is not complete."""


def _check_packs(packs: int) -> None:
    if type(packs) is not int or packs < 1:
        hint = "packs are a whole number from 1"
        raise CardError(f"a shoe of {shown(packs)} packs", "no-packs", hint)


def check_whole_packs(cards: Iterable[Card], packs: int) -> None:
    """Refuse cards that are not exactly ``packs`` packs of 52, naming the missing and the extra.

    Raises ``CardError`` ("not-whole-packs"), whose ``missing`` and ``extra`` hold them all.
    """
    _check_packs(packs)
    given, wanted = Counter(cards), Counter(dict.fromkeys(PACK, packs))
    if given == wanted:
        return
    missing, extra = (  # in the order of a pack: an error must not show that of the shoe
        tuple(f"{cards[card]} x {card}" for card in PACK if cards[card])
        for cards in (wanted - given, given - wanted)
    )
    faults = []
    for word, names in (("missing", missing), ("extra", extra)):
        if names:
            more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
            faults.append(f"{word}: {', '.join(names[:_SHOWN])}{more}")
    raise CardError(
        f"the cards are not {packs} whole packs; {'; '.join(faults)}",
        "not-whole-packs",
        "count the cards again, or change [shoe] packs",
        missing,
        extra,
    )


T = TypeVar("T")


class Shuffler(Protocol):
    """Anything that returns the same cards in a new order, such as a source of entropy."""

    def shuffle(self, cards: Sequence[T], /) -> tuple[T, ...]:
        """Return the cards in a new order, every order equally likely."""
        ...  # pragma: no cover - a protocol has no body


@frozen
class Shoe:
    """The ordered cards of one taille, and how far they are dealt.

    ``cards`` never change their order. ``position`` counts the cards that are out, ``burned`` those
    of them burned at the front. ``marker`` is how many cards lie before the marker, or None. The
    cards to come are a secret: ``repr`` leaves them out.
    """

    cards: tuple[Card, ...] = field(repr=False)
    packs: int
    position: int = 0
    burned: int = 0
    marker: int | None = None

    @classmethod
    def of_cards(cls, cards: Iterable[Card], packs: int) -> Shoe:
        """Build a shoe from given cards, in that order; ``CardError`` if not whole packs."""
        ordered = tuple(cards)
        check_whole_packs(ordered, packs)
        return cls(ordered, packs)

    @classmethod
    def shuffled(cls, packs: int, shuffler: Shuffler) -> Shoe:
        """Build a shoe of whole packs in the order of a shuffler; its cards are checked."""
        _check_packs(packs)
        return cls.of_cards(shuffler.shuffle(PACK * packs), packs)

    @property
    def left(self) -> int:
        """The number of cards still in."""
        return len(self.cards) - self.position

    @property
    def rest(self) -> tuple[Card, ...]:
        """The cards still in, in order."""
        return self.cards[self.position :]

    @property
    def behind(self) -> int:
        """The cards behind the marker."""
        return 0 if self.marker is None else len(self.cards) - self.marker

    @property
    def ended(self) -> bool:
        """Return whether the marker is next, or no card is left.

        A house may allow one more coup, or fewer: ``ShoeRule.ended``.
        """
        return self.left <= self.behind

    @property
    def most_points(self) -> int:
        """The points of the cards still in."""
        return sum(card.points for card in self.rest)

    @property
    def marker_met(self) -> bool:
        """Return whether the marker lies before the next card, or is out."""
        return self.marker is not None and self.position >= self.marker

    def cut(self, at: int) -> Shoe:
        """Put the first ``at`` cards behind the others; only before the first card is out."""
        self._check_untouched("cut")
        if not 0 <= at <= len(self.cards):
            hint = f"a cut is 0 to {len(self.cards)} cards deep"
            raise CardError(f"cannot cut at {shown(at)}", "bad-cut", hint)
        return evolve(self, cards=self.cards[at:] + self.cards[:at])

    def burn(self, count: int) -> Shoe:
        """Burn cards at the front: they are out, and belong to no coup."""
        self._check_untouched("burned")
        if not 0 <= count <= self.left:
            raise CardError(f"cannot burn {shown(count)} cards", "bad-burn", f"{self.left} are in")
        return evolve(self, position=count, burned=count)

    def place_marker(self, from_end: int) -> Shoe:
        """Put the marker before the last ``from_end`` cards."""
        place = len(self.cards) - from_end
        if from_end < 0 or place <= self.position:
            hint = f"it lies behind at least one of the {self.left} cards that are in"
            reason = f"cannot place the marker {shown(from_end)} cards from the end"
            raise CardError(reason, "bad-marker", hint)
        return evolve(self, marker=place)

    def take(self) -> tuple[Card, Shoe]:
        """Take the next card; ``CardError`` ("shoe-empty") where none is in."""
        if not self.left:
            raise CardError("the shoe is empty", "shoe-empty", "shuffle the cards for a new taille")
        return self.cards[self.position], evolve(self, position=self.position + 1)

    def _check_untouched(self, what: str) -> None:
        if self.position:
            reason = f"the shoe cannot be {what} now: {self.position} cards are out"
            raise CardError(reason, "shoe-begun", "cut and burn before the first coup")


@frozen
class ShoePlan:
    """When a coup may begin, and when it must be complete.

    A coup may begin while fewer than ``begin`` cards are out, and where at least ``least_cards``
    cards and ``least_points`` points are still in. It is void if it needs more than the first
    ``end`` cards of the shoe: the marker stops it, or the cards run out.
    """

    begin: int
    end: int
    least_cards: int = 1
    least_points: int = 0

    def ended(self, shoe: Shoe | LiveShoe) -> bool:
        """Return whether no coup can begin."""
        return (
            shoe.position >= self.begin
            or shoe.left < self.least_cards
            # Each card counts at least 1: only few cards have to be added up.
            or (shoe.left < self.least_points and shoe.most_points < self.least_points)
        )


@frozen
class Dealt:
    """The result of dealing one coup.

    ``cards`` are the cards shown, in order. ``coup`` is None where the rows are not complete: the
    cards ran out, or the marker stopped the deal. ``marker`` is true where it came up within
    the coup.
    """

    shoe: Shoe
    cards: tuple[Card, ...]
    coup: Coup | None
    marker: bool


def deal_coup(shoe: Shoe, *, stop_at_marker: bool = False, plan: ShoePlan | None = None) -> Dealt:
    """Deal the next coup of a shoe.

    ``plan`` says when coups begin and end: that of a house is ``ShoeRule.plan(shoe.behind)``.
    Without it the shoe is dealt to the last card or the marker; with ``stop_at_marker`` the deal
    stops where the marker comes up (a house that voids that coup), otherwise the coup is finished.
    Raises ``CardError`` ("shoe-ended") where no coup can begin.
    """
    size = len(shoe.cards)
    if plan is None:
        begin = size - shoe.behind
        plan = ShoePlan(begin, begin if stop_at_marker else size)
    if plan.ended(shoe):
        reason = "the marker has come up" if shoe.marker_met else "no card is left in the shoe"
        if shoe.left and not shoe.marker_met:
            reason = f"the {shoe.left} cards that are left make no coup"
        hint = "shuffle the cards for a new taille"
        raise CardError(f"no coup can begin: {reason}", "shoe-ended", hint)
    supply = iter(shoe.cards[shoe.position : plan.end])
    first, second = take_row(supply), take_row(supply)
    cards = first + second
    complete = sum(card.points for card in second) > LAST_OPEN_TOTAL
    coup = Coup(Row(first), Row(second)) if complete else None
    position = shoe.position + len(cards)
    marker = shoe.marker is not None and (
        position > shoe.marker or (coup is None and position == shoe.marker)
    )
    return Dealt(evolve(shoe, position=position), cards, coup, marker)


# The shoe rule: packs, burn, marker, and prisoners at the end of the shoe

MOST_PACKS: Final = 8
Burn = int | Literal["first-card"]


@stated(between(0, CARDS_IN_PACK).schema)
def _burned(burn: Burn) -> str:
    return "" if burn == "first-card" else between(0, CARDS_IN_PACK)(burn)


FromEnd = int | tuple[int, int]


@stated({"integer": {"minimum": 0}, "array": {"items": {"integer": {"minimum": 0}}}})
def _place(from_end: FromEnd) -> str:
    low, high = (from_end, from_end) if isinstance(from_end, int) else from_end
    return "" if 0 <= low <= high else "give one number, or two in ascending order"


@frozen
class Marker:
    """The cut card that ends the shoe: where it lies, who puts it there, what it does."""

    from_end: FromEnd = key(
        5,
        "How many cards lie behind the marker: a number (France, Spain: 5), or the two bounds "
        "between which a player may put it (an Italian program: 20 to 40).",
        check=_place,
    )
    placed_by: Literal["croupier", "player"] = key("croupier", "Who puts the marker in.")
    on_marker: Literal["void", "finish", "last-coup"] = key(
        "void",
        "What the marker does when it comes up within a coup: the coup is void (French and "
        "Spanish law), or is finished as the last of the taille. Between two coups it ends the "
        "taille, or with `last-coup` (an Italian program) the next coup is the last.",
    )

    @property
    def bounds(self) -> tuple[int, int]:
        """The fewest and the most cards behind the marker."""
        if isinstance(self.from_end, int):
            return self.from_end, self.from_end
        return self.from_end

    def place(self, from_end: int | None = None) -> int:
        """Return where the marker is put, from the end; None where the house leaves no choice.

        Raises ``RuleError`` ("bad-marker") for a place out of bounds.
        """
        low, high = self.bounds
        place = low if from_end is None else from_end
        if type(place) is not int or not low <= place <= high:
            raise RuleError(
                f"the marker cannot lie {shown(place)} cards from the end",
                "bad-marker",
                f"this house puts it {low} to {high} cards from the end",
                "marker.from_end",
            )
        return place


@frozen
class ShoeRule:
    """The [shoe] table."""

    packs: int = key(
        6, "Packs of 52 cards: a sixain of six nearly everywhere.", check=between(1, MOST_PACKS)
    )
    shuffled: Literal["each-taille", "every-coup"] = key(
        "each-taille",
        "When the cards are shuffled: for each taille, which is dealt to its end, or by a machine "
        "for every coup, so that each is the first coup of a whole shoe.",
    )
    burn: Burn = key(
        0,
        "Cards burned at the front (Italian houses: five). `first-card`: the first card is shown "
        "and burned, and as many more as it has points.",
        check=_burned,
    )
    burn_shown: bool = key(
        False,
        "The burned cards are shown to the players (old houses look at the first card).",
    )
    marker: Marker | None = key(
        None, 'The marker that ends the shoe; `"none"`: cards are dealt to the end of the shoe.'
    )
    ends: Literal["last-card", "no-coup"] = key(
        "last-card",
        "Where a shoe without a marker ends: when its last card is out, so that a coup may run out "
        "of cards; or where fewer than 8 cards or 62 points are left, which no coup can be made "
        "of (Monte Carlo 1911: no bets are invited then).",
    )
    prisoners_at_end: Literal["carry", "close"] = key(
        "carry",
        "What happens to stakes in prison at the end of the shoe: they wait for the next one, or "
        "are closed as at the end of the session.",
    )
    cut_by: Literal["player", "croupier", "player-on-right"] = key(
        "player", "Who cuts the cards (Spain: the player nearest on the croupier's right)."
    )
    cut: Literal["before-bets", "after-bets"] = key(
        "before-bets",
        "When the cards are cut: before the first bets of the taille are invited, or once they "
        "are closed (Foster 1897).",
    )
    exposed_card: Literal["burn", "void"] = key(
        "burn",
        "What happens to a card exposed by mistake: it is burned and the deal continues (French "
        "law), or the coup is void.",
    )
    count_talon: bool = key(
        False,
        "The cards left behind the marker are counted aloud at the end (French and Spanish law).",
    )

    def check(self) -> None:
        """Refuse keys without effect and shoes without a coup; ``RuleError`` names the field."""
        cards, most = self.packs * CARDS_IN_PACK, self.burn_bounds[1]
        if self.every_coup:
            for name in ("burn", "marker", "ends", "cut", "cut_by", "prisoners_at_end"):
                if getattr(self, name) != getattr(_AS_BEFORE, name):
                    raise cannot_act_error(name, "a machine shuffles the cards for every coup")
        if self.burn_shown and not self.burn:
            raise cannot_act_error("burn_shown", "no card is burned")
        if self.count_talon and not (self.marker and self.marker.bounds[1]):
            raise cannot_act_error("count_talon", "no marker leaves a talon")
        if self.marker and self.ends != "last-card":
            raise cannot_act_error("ends", "the marker ends the shoe")
        if self.marker and most + self.marker.bounds[1] >= cards:
            raise RuleError(
                f"{most} cards burned and {self.marker.bounds[1]} behind the marker leave "
                f"none of {cards}",
                "no-coup-left",
                "burn fewer cards, or put the marker nearer to the end",
                "marker.from_end",
                (cards - most) // 2,
            )
        if self.ends == "no-coup" and self._points(cards)[0] < LEAST_COUP:
            raise RuleError(
                f"{most} cards burned of {cards} may leave no coup",
                "no-coup-left",
                "burn fewer cards",
                "burn",
                0,
            )

    @property
    def every_coup(self) -> bool:
        """Return whether a machine shuffles the cards for every coup: there are no tailles."""
        return self.shuffled == "every-coup"

    @property
    def burn_bounds(self) -> tuple[int, int]:
        """The fewest and the most cards that are burned."""
        if self.burn == "first-card":
            return 2, 1 + LARGEST_POINTS  # an ace, a ten
        return self.burn, self.burn

    def burned(self, first: Card) -> int:
        """Return how many cards are burned where this is the first card of the shoe."""
        return 1 + first.points if self.burn == "first-card" else self.burn

    def shown(self, burned: int) -> int:
        """Return how many of the burned cards the players see: they are the first of them."""
        if self.burn_shown:
            return burned
        return min(burned, 1) if self.burn == "first-card" else 0

    def seen(self, shoe: Shoe) -> tuple[Card, ...]:
        """Return the cards of a shoe that the players have seen, in their order."""
        shown = shoe.cards[: self.shown(shoe.burned)]
        return shown + shoe.cards[shoe.burned : shoe.position]

    @property
    def finishes(self) -> bool:
        """Return whether the coup in which the marker comes up is finished, as the last one."""
        return self.marker is not None and self.marker.on_marker != "void"

    @property
    def one_more(self) -> bool:
        """Return whether a marker between two coups allows one more coup."""
        return self.marker is not None and self.marker.on_marker == "last-coup"

    @property
    def marker_bounds(self) -> tuple[int, int]:
        """The fewest and the most cards behind the marker; none where the house has no marker."""
        return self.marker.bounds if self.marker else (0, 0)

    def plan(self, from_end: int | None = None) -> ShoePlan:
        """Return when coups may begin and must be complete.

        ``from_end`` is how many cards lie behind the marker, by default the most allowed.
        """
        cards = self.packs * CARDS_IN_PACK
        if self.every_coup:
            return ShoePlan(1, cards)
        behind = self.marker_bounds[1] if from_end is None else from_end
        begin, end = cards - behind, cards if self.finishes else cards - behind
        if self.one_more and behind:  # the marker itself may be next
            begin += 1
        if self.ends == "no-coup" and not self.marker:
            return ShoePlan(begin, end, LEAST_CARDS, LEAST_COUP)
        return ShoePlan(begin, end)

    def ended(self, shoe: Shoe | LiveShoe) -> bool:
        """Return whether no coup can begin, before the marker of a ``last-coup`` house is shown."""
        if shoe.left > shoe.behind + LEAST_COUP and not self.every_coup:
            return False  # nearly always: no plan has to be made
        return self.plan(shoe.behind).ended(shoe)

    def deal(self, shoe: Shoe) -> Dealt:
        """Deal the next coup of a shoe as the house does; see ``deal_coup``."""
        return deal_coup(shoe, plan=self.plan(shoe.behind))

    def sure_coups(self, from_end: int | None = None) -> int:
        """Return how many coups of a taille are sure to be completed, whatever the cards.

        Only these coups have the probabilities of a fresh shoe: later ones are completed because
        they were short. A coup takes at most 80 points, one that is cut short at most 70; the packs
        set the least points of the cards that are dealt. ``from_end`` as in ``plan``.
        """
        plan = self.plan(from_end)
        sure = -(-max(0, self._points(plan.end)[0] - _MOST_OPEN) // _MOST_COUP)
        if plan.end > plan.begin:  # coups are dealt until they have taken all before the marker
            sure = min(sure, -(-self._points(plan.begin)[0] // _MOST_COUP))
        return sure

    def most_coups(self, from_end: int | None = None) -> int:
        """Return how many coups a taille has at most: each takes at least 62 points."""
        plan = self.plan(from_end)
        most = self._points(plan.end)[1] // LEAST_COUP
        if plan.end > plan.begin:
            most = min(most, self._points(plan.begin - 1)[1] // LEAST_COUP + 1)
        return most

    def _points(self, end: int) -> tuple[int, int]:
        """Return the least and the most points of the cards after the burn, up to card ``end``."""
        values = sorted(card.points for card in PACK * self.packs)
        most, fewest = (max(0, end - burned) for burned in self.burn_bounds)
        return sum(values[:fewest]), sum(values[len(values) - most :])

    def prepare(self, shoe: Shoe, *, cut_at: int = 0, marker_from_end: int | None = None) -> Shoe:
        """Cut, burn and mark a shoe as the house does.

        ``marker_from_end`` is where the marker is put, if the house leaves a choice. Raises
        ``CardError`` for a shoe of another size ("other-packs"), one that is begun or cut
        out of range, and ``RuleError`` ("bad-marker") for a marker out of bounds.
        """
        if shoe.packs != self.packs:
            reason = f"a shoe of {counted(shoe.packs, 'pack')} is not one of this house"
            raise CardError(reason, "other-packs", f"this house plays with {self.packs}")
        ready = shoe.cut(cut_at)
        ready = ready.burn(self.burned(ready.cards[0]))
        if self.marker is None:
            return ready
        return ready.place_marker(self.marker.place(marker_from_end))


_AS_BEFORE: Final = ShoeRule()


@frozen
class LiveShoe:
    """A live shoe, whose order is not known: its packs, the cards seen, the cards burned unseen.

    ``marker`` is where the marker was put, from the end; ``marker_out`` is true once it came up.
    """

    packs: int
    seen: tuple[Card, ...] = ()
    unseen: int = 0
    marker: int | None = None
    marker_out: bool = False

    @property
    def position(self) -> int:
        """The number of cards that are out."""
        return len(self.seen) + self.unseen

    @property
    def left(self) -> int:
        """The number of cards still in."""
        return self.packs * CARDS_IN_PACK - self.position

    @property
    def behind(self) -> int:
        """The cards behind the marker: those still in once it is out; before, nobody knows."""
        return self.left if self.marker_out else 0

    @property
    def ended(self) -> bool:
        """Return whether the marker is out, or no card is left; see ``Shoe.ended``."""
        return self.left <= self.behind

    @property
    def most_points(self) -> int:
        """The most points the cards still in can have: those burned unseen may be the lowest."""
        points = Counter(card.points for card in PACK * self.packs)
        points.subtract(card.points for card in self.seen)
        return sum(sorted(points.elements())[self.unseen :])

    @property
    def marker_met(self) -> bool:
        """Return whether the marker is out."""
        return self.marker_out

    def burn(self, count: int) -> LiveShoe:
        """Burn cards face down."""
        return evolve(self, unseen=self.unseen + count)

    def see(self, card: Card, place: int | None = None) -> LiveShoe:
        """Add a card that came out: the last one, or that at a place in the shoe, from 1.

        Raises ``CardError``: "too-many-of-a-card" where the packs hold no more of it, "shoe-empty"
        where every card is out.
        """
        if not self.left:
            reason = f"{card} cannot come up: all {self.position} cards are out"
            hint = "shuffle the cards for a new taille"
            raise CardError(reason, "shoe-empty", hint, extra=(str(card),))
        if self.seen.count(card) >= self.packs:
            times, packs = counted(self.packs, "time"), counted(self.packs, "pack")
            reason = f"{card} came up {times} already: no more are in {packs}"
            hint = "read the card again, or correct an earlier one"
            raise CardError(reason, "too-many-of-a-card", hint, extra=(str(card),))
        at = len(self.seen) if place is None else place - 1 - self.unseen
        return evolve(self, seen=(*self.seen[:at], card, *self.seen[at:]))

    def without(self, places: Iterable[int]) -> LiveShoe:
        """Take back the cards at these places in the shoe, from 1: they are in again."""
        out = {place - 1 - self.unseen for place in places}
        return evolve(self, seen=tuple(card for n, card in enumerate(self.seen) if n not in out))
