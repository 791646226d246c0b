"""Commands made of bytes: good ones, and bad ones, for whatever phase a table is in."""

from __future__ import annotations

from functools import cache
from itertools import starmap
from typing import Any

import attrs
from tests.table.watched import Watched, card_at

from trente_rules.core.cards import PACK, Card
from trente_rules.core.coup import LAST_OPEN_TOTAL, take_row
from trente_rules.core.errors import CardError
from trente_rules.core.money import MOST
from trente_rules.core.shoe import LiveShoe
from trente_rules.core.stakes import Opening
from trente_rules.fair import SeededShuffler
from trente_rules.table import (
    Announce,
    Burn,
    BuyIn,
    CashOut,
    Choose,
    CloseBets,
    CloseSession,
    Command,
    Correct,
    Cut,
    Deal,
    EndShoe,
    Expose,
    Increase,
    Insure,
    MovePrisoner,
    OpenBets,
    OpenShoe,
    Phase,
    Place,
    PlaceMarker,
    Post,
    Settle,
    Slip,
    SlipBet,
    Turn,
    VoidCoup,
    Withdraw,
)
from trente_rules.table.commands import COMMANDS
from trente_rules.testing import coup_with, opening_of, stacked_shoe

PLAYERS = ("ann", "bob", "cy", "Žofie ☂", "", "\ud800")
CHANCES = ("rouge", "noir", "couleur", "inverse")
BETS = (Place, Place, Place, Slip, Increase, Withdraw, Insure, MovePrisoner)
REFAIT = (31, 31)
STACKED = ((REFAIT,) * 10, (REFAIT, (40, 31)) * 5, (REFAIT, (35, 35), REFAIT, (31, 40)) * 3)
"""The points of coups that put stakes in prison, and what comes then."""


class Bytes:
    """Choices read off bytes: nought where none are left."""

    def __init__(self, data: bytes) -> None:
        """Take the bytes."""
        self._data = data
        self._at = 0

    @property
    def more(self) -> bool:
        """Return whether a byte is left."""
        return self._at < len(self._data)

    def below(self, bound: int) -> int:
        """Return a number below a bound."""
        self._at += 1
        return self._data[self._at - 1] % bound if self._at <= len(self._data) else 0

    def of(self, options: Any) -> Any:
        """Return one of some options."""
        return options[self.below(len(options))]

    def rarely(self) -> bool:
        """Return true one time in sixteen."""
        return self.below(16) == 15


@cache
def orders(packs: int) -> tuple[tuple[Card, ...], ...]:
    """Return some orders of whole packs: stacked for refaits, and shuffled."""
    made = []
    for points in STACKED:
        for length in range(len(points), 0, -1):
            try:
                made.append(stacked_shoe(starmap(coup_with, points[:length]), packs).cards)
            except CardError:
                continue
            break
    seeds = [SeededShuffler(bytes([packs, n]) * 8) for n in range(2)]
    return (*made, *(seed.shuffle(PACK * packs) for seed in seeds))


class Chooser:
    """Makes the next command of a watched table from bytes."""

    def __init__(self, table: Watched, *, live: bool) -> None:
        """Take the table, and whether its shoes are live."""
        self.table = table
        self.live = live
        self.order: tuple[Card, ...] = orders(table.house.shoe.packs)[0]
        self.least = opening_of(table.house).minimum or 1
        self.stakes = 0
        house = table.house
        limits, opening = house.limits_table, opening_of(house)
        self.minimum = {c.id: limits.bounds(opening, c.id).least for c in house.chances}

    def play(self, data: bytes) -> None:
        """Give commands until the bytes are used up."""
        choices = Bytes(data)
        while choices.more and self.table.state.phase is not Phase.ENDED:
            pick = choices.below(16)
            if pick == 15:
                self.table.again(choices.below(256))
            elif pick == 14:
                self.give(choices.of(COMMANDS), choices)
            elif pick > 10:
                self.onwards(choices)
            elif pick > 6:
                self.give(self.typical(choices), choices)
            else:
                kinds = [k for k in COMMANDS if k.kind in self.table.table.allowed()]
                self.give(choices.of(kinds), choices)

    def typical(self, choices: Bytes) -> type[Command]:
        """Return what a player, or a supervisor, does most in this phase."""
        typical: dict[Phase, type[Command]] = {
            Phase.NO_SHOE: OpenShoe,
            Phase.READY: Correct if self.table.past.coup else OpenBets,
            Phase.BETTING: choices.of(BETS),
            Phase.CLOSED: Place,
            Phase.DEALING: Turn,
            Phase.DEALT: Choose,
        }
        return typical.get(self.table.state.phase, Announce)

    def onwards(self, choices: Bytes) -> None:
        """Give the command that a croupier gives next."""
        known = not self.live
        following: dict[Phase, type[Command]] = {
            Phase.NO_SHOE: OpenShoe,
            Phase.CUT: Cut,
            Phase.BURN: Burn,
            Phase.MARK: PlaceMarker,
            Phase.READY: OpenBets,
            Phase.BETTING: CloseBets,
            Phase.CLOSED: Deal if known else Turn,
            Phase.DEALING: Deal if known else Turn,
            Phase.DEALT: Settle,
        }
        kind = following.get(self.table.state.phase)
        if kind is Turn:
            for _card in range(8):
                if self.table.state.phase in (Phase.CLOSED, Phase.DEALING):
                    self.give(Turn, choices)
        elif kind:
            self.give(kind, choices)

    def give(self, kind: type[Command], choices: Bytes) -> None:
        """Give a command of a kind with what the bytes choose."""
        if kind in (CloseSession, EndShoe) and choices.below(8):
            return
        if kind in BETS and not self.table.state.stakes and choices.below(8):
            kind = Place
        self.table.do(kind, **self.fields(kind, choices))

    def fields(self, kind: type[Command], choices: Bytes) -> dict[str, Any]:
        """Return the fields of a command."""
        makers = {
            OpenShoe: self.open_shoe,
            Cut: self.cut,
            Burn: self.burn,
            PlaceMarker: self.place_marker,
            Place: self.place,
            Slip: self.slip,
            Increase: self.more_or_less,
            Withdraw: self.more_or_less,
            Insure: self.insure,
            MovePrisoner: self.move,
            Turn: self.turn,
            Expose: self.turn,
            Choose: self.choose,
            VoidCoup: self.reason,
            Correct: self.correct,
            Announce: self.announce,
            Post: self.post,
            BuyIn: self.chips,
            CashOut: self.chips,
        }
        make = makers.get(kind)
        return make(choices) if make else {}

    def post(self, choices: Bytes) -> dict[str, Any]:
        """Return other limits: the lowest, higher ones, or some that the house cannot play."""
        lowest = opening_of(self.table.house)
        higher = self.table.house.opening_with((lowest.minimum or 1) * 2)
        return {"opening": choices.of((lowest, lowest, higher, Opening(), Opening(7, 7)))}

    def chips(self, choices: Bytes) -> dict[str, Any]:
        """Return a player and units."""
        return {"player": choices.of(PLAYERS), "amount": self.amount(choices, "")}

    def open_shoe(self, choices: Bytes) -> dict[str, Any]:
        """Return cards in a stacked or shuffled order, or none for a live shoe; rarely too few."""
        if self.table.state.phase is Phase.NO_SHOE:
            self.order = choices.of(orders(self.table.house.shoe.packs))
        cards = () if self.live else self.order
        return {"cards": cards[1:] if choices.rarely() else cards, "source": "a test"}

    def cut(self, choices: Bytes) -> dict[str, Any]:
        """Return where and by whom; the shoe is seldom cut elsewhere than at its top."""
        place = choices.of((0, 0, 0, 0, 0, 0, 17, -1, 10**6))
        by = self.table.house.shoe.cut_by
        by = choices.of(("player", "croupier")) if place else by
        if self.table.house.deal.first_row != "cut":
            return {"place": place, "by": by}
        card = self.order[-1] if self.live else None
        return {"place": place, "by": by, "card": None if choices.rarely() else card}

    def burn(self, choices: Bytes) -> dict[str, Any]:
        """Return the cards shown, where they have to be told."""
        rule = self.table.house.shoe
        shown = rule.shown(rule.burned(self.order[0]))
        told = self.live and shown
        return {"cards": self.order[:shown] if bool(told) != choices.rarely() else ()}

    def place_marker(self, choices: Bytes) -> dict[str, Any]:
        """Return a place within bounds, or out of them."""
        marker = self.table.house.shoe.marker
        if marker is None:
            return {}
        low, high = marker.bounds
        return {
            "from_end": choices.of((None, low, high, high, -1, high + 1)),
            "by": choices.of((marker.placed_by, marker.placed_by, "player", "croupier")),
        }

    def amount(self, choices: Bytes, chance: str) -> int:
        """Return an amount: mostly one that is taken."""
        least = self.minimum.get(chance, self.least)
        good = [least * n for n in (1, 1, 2, 3, 5, 12, 50)]
        return int(choices.of([*good, *good, *good, 500, 1, 7, 0, -1, 10**6, MOST, MOST + 1]))

    def place(self, choices: Bytes) -> dict[str, Any]:
        """Return a stake: rarely of nobody, on no chance, with chips of elsewhere."""
        self.stakes += 1
        house = self.table.house
        chance = choices.of([chance.id for chance in house.chances])
        fields = {
            "stake": f"s{self.stakes}",
            "player": choices.of(PLAYERS[:4]),
            "chance": chance,
            "amount": self.amount(choices, chance),
            "insured": choices.below(8) < (4 if house.insurance_table else 1),
        }
        if choices.rarely():
            fields["player"] = choices.of(PLAYERS)
            fields["chance"] = choices.of((*CHANCES, "zero", ""))
            fields["chips"] = choices.of(("", "USD", house.money.currency))
            fields["group"] = choices.of(("club", ""))
            fields["proof"] = choices.of((True, False))
            fields["stake"] = self.stake(choices)
        return fields

    def slip(self, choices: Bytes) -> dict[str, Any]:
        """Return the fields of a slip: some bets of one player."""
        bets = [self.place(choices) for _bet in range(1 + choices.below(3))]
        player = bets[0]["player"]
        names = {each.name for each in attrs.fields(SlipBet)}
        return {
            "player": player,
            "bets": [
                SlipBet(**{name: value for name, value in bet.items() if name in names})
                for bet in bets
            ],
        }

    def stake(self, choices: Bytes) -> str:
        """Return a stake on the table, or rarely none."""
        on_table = [stake.id for stake in self.table.state.stakes]
        if not on_table or choices.rarely():
            return str(choices.of(("s1", "nobody's", "")))
        return str(choices.of(on_table))

    def more_or_less(self, choices: Bytes) -> dict[str, Any]:
        """Return a stake and units."""
        return {
            "stake": self.stake(choices),
            "amount": self.amount(choices, ""),
            "player": choices.of(PLAYERS) if choices.rarely() else "",
        }

    def insure(self, choices: Bytes) -> dict[str, Any]:
        """Return a stake, rarely without proof."""
        return {"stake": self.stake(choices), "proof": not choices.rarely()}

    def move(self, choices: Bytes) -> dict[str, Any]:
        """Return a stake and a chance."""
        return {"stake": self.stake(choices), "chance": choices.of((*CHANCES, "zero"))}

    def turn(self, choices: Bytes) -> dict[str, Any]:
        """Return the card that comes; rarely another, or none."""
        shoe = self.table.state.shoe
        position = shoe.position if shoe else 0
        if not self.live:
            return {"card": choices.of(PACK) if choices.rarely() else None}
        if choices.rarely() and choices.rarely():
            return {"card": choices.of((*PACK, None))}
        card = card_at(self.order, position)
        if isinstance(shoe, LiveShoe) and shoe.seen.count(card) >= shoe.packs:  # one was misread
            card = next(c for c in PACK if shoe.seen.count(c) < shoe.packs)
        return {"card": card}

    def choose(self, choices: Bytes) -> dict[str, Any]:
        """Return a course that exists in this house, or rarely none."""
        house, stake = self.table.house, self.stake(choices)
        states = {each.id: each.state for each in self.table.state.stakes}
        answers = [
            answer
            for answer in house.machine.answers
            if answer.state == states.get(stake, "free") or choices.rarely()
        ]
        answer = choices.of([*(a for a in answers if len(a.courses) > 1), *answers])
        odd = choices.rarely()
        return {
            "stake": stake,
            "course": choices.of(("", "escape")) if odd else choices.of(answer.courses).name,
            "verdict": "zero" if odd and choices.below(2) else answer.verdict.id,
            "state": choices.of(("", "", "", answer.state, "dungeon" if odd else "")),
            "player": choices.of(("", "", "", *PLAYERS[:2])) if choices.rarely() else "",
        }

    def reason(self, choices: Bytes) -> dict[str, Any]:
        """Return a reason, or none."""
        return {"reason": choices.of(("a card fell", "a card fell", " ", "\udfff"))}

    def correct(self, choices: Bytes) -> dict[str, Any]:
        """Return a correction: of choices, of the cards of a live shoe, or a void."""
        fields = self.reason(choices)
        before, house = self.table.past.coup, self.table.house
        if before and choices.below(2):
            fields["target"] = before.round
        what = choices.below(4)
        if what == 1:
            fields["void"] = True
        elif what == 2 and before:
            fields["choices"] = tuple(
                (
                    stake.id,
                    choices.of([c.name for a in house.machine.answers for c in a.courses]),
                )
                for stake in before.stakes[:2]
            )
        elif what == 3 and before and before.cards:
            fields["cards"] = self.other_coup(before.cards, choices)
        return fields

    @staticmethod
    def other_coup(cards: tuple[Card, ...], choices: Bytes) -> tuple[Card, ...]:
        """Return the cards with one of them read as another of the same points, or any other."""
        place = choices.below(len(cards))
        card = cards[place]
        same = [other for other in PACK if other.points == card.points and other != card]
        swapped = [*cards]
        swapped[place] = choices.of(same if choices.below(3) else PACK)
        supply = iter(swapped)
        first, second = take_row(supply), take_row(supply)
        whole = sum(c.points for c in second) > LAST_OPEN_TOTAL
        return first + second if whole else tuple(swapped)

    @staticmethod
    def announce(choices: Bytes) -> dict[str, Any]:
        """Return a phrase that needs no other word, one that does, or none there is."""
        return {
            "phrase": choices.of(("ajouter_a_la_banque", "ajouter_a_la_banque", "talon", "closed"))
        }
