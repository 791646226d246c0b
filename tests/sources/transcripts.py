"""Transcripts: a taille written out from a document by hand, and played line by line.

A transcript is a text of four kinds of lines. A sentence of the document is quoted behind ``|``; a
remark of ours stands behind ``#``; what a player or the host does begins with ``>``; every other
line is what then happens at the table, one event a line, in order. Cards that fall one after the
other without a call share a line, with their places in the shoe and the total of their row:

    10-13 rouge: 10♦ 10♣ 8♠ 4♥ = 32

The shoe is stacked from these lines: the cards of a transcript are where it says they are, after
the cut and the burn, so that a cut or a burn that is forgotten brings other cards. Between two
places that are written out, ``20 coups, cards 24-240`` stands for coups without a stake, whose
cards are drawn. Amounts are of the currency, not of units.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, Final

from attrs import frozen

from trente_rules import PACK, Card, Line, Opening, Table, TrenteError, load_house
from trente_rules.core.coup import take_row
from trente_rules.table import commands, events
from trente_rules.table.commands import Command
from trente_rules.table.events import Event
from trente_rules.table.state import balance

FOLDER: Final = Path(__file__).with_name("transcripts")
_CARDS: Final = re.compile(r"(\d+)(?:-\d+)? (?:noir|rouge): (.+) = \d+")
_GAP: Final = re.compile(r"(\d+) coups, cards (\d+)-(\d+)")
_SIMPLE: Final = {"marker-shown": "the marker is out", "session-closed": "session closed"}
_FATES: Final = {"win": "wins", "lose": "loses", "apres": "après", "refait": "refait"}


@frozen
class Script:
    """A transcript, its house, what the table opens with, in the currency, and its purses."""

    name: str
    house: str
    posted: tuple[tuple[str, int], ...] = ()
    purses: bool = False

    @property
    def text(self) -> str:
        """The text of the transcript."""
        return (FOLDER / f"{self.name}.txt").read_text("utf-8")

    @property
    def written(self) -> list[str]:
        """The lines that are compared: all but empty ones."""
        return [line.rstrip() for line in self.text.splitlines() if line.strip()]

    def played(self) -> list[str]:
        """Return the lines as the commands are played at a table.

        Sentences, remarks and commands are those of the text; what is between them has happened.
        """
        return Player(self).lines

    def differs(self) -> bool:
        """Return whether anything happens at a table that is not written, or in another order."""
        try:
            return self.played() != self.written
        except AssertionError:  # the money does not add up any more
            return True


ITALY: Final = (("minimum", 10),)
HALF: Final = (("minimum", 10), ("maximum", 1000))
SCRIPTS: Final = (
    Script("s0-taille", "italy-two-prisons", ITALY),
    Script("s0-great-sums", "italy-two-prisons", (*ITALY, ("insurance_minimum", 500))),
    Script("s0-cents", "italy-two-prisons", ITALY),
    Script("s1-taille", "italy-half-loss", HALF),
    Script("s1-cloth", "italy-half-loss", HALF),
    Script("s1-cents", "italy-half-loss", HALF),
    Script("s1-purse", "italy-half-loss", HALF, purses=True),
    Script("s2-taille", "italian-program"),
    Script("s2-blue-card", "italian-program"),
    Script("s3-taille", "monte-carlo-1911"),
    Script("s3-end", "monte-carlo-1911"),
    Script("s4-taille", "foster-1897"),
)


def stacked(text: str, packs: int) -> list[Card]:
    """Return the order of a shoe as the lines of a transcript say it; the rest is drawn."""
    order: list[Card | None] = [None] * (52 * packs)
    for place, cards in _CARDS.findall(text):
        for at, card in enumerate(cards.split(), int(place) - 1):
            order[at] = Card.parse(card)
    left = Counter(dict.fromkeys(PACK, packs))
    left.subtract(card for card in order if card is not None)
    rest = list(left.elements())
    for coups, first, last in _GAP.findall(text):
        order[int(first) - 1 : int(last)] = _filling(rest, int(coups), int(last) - int(first) + 1)
    for at, known in enumerate(order):
        if known is None:
            order[at] = rest.pop()
    return [card for card in order if card is not None]


def _filling(rest: list[Card], coups: int, count: int) -> list[Card]:
    """Take cards from the rest that are exactly so many whole coups."""
    draw = random.Random(coups)  # noqa: S311 - the same at every run
    for _ in range(100_000):
        cards = draw.sample(rest, count)
        supply, rows = iter(cards), 0
        while sum(card.points for card in take_row(supply)) > 30:
            rows += 1
        if rows == 2 * coups and sum(card.points for card in _last_row(cards)) > 30:
            for card in cards:
                rest.remove(card)
            return cards
    raise AssertionError(f"{count} cards are not {coups} coups: change the transcript")


def _last_row(cards: Sequence[Card]) -> tuple[Card, ...]:
    supply = iter(cards)
    last: tuple[Card, ...] = ()
    while row := take_row(supply):
        last = row
    return last


class Player:
    """Plays the commands of a transcript at a live table, and writes what happens."""

    def __init__(self, script: Script) -> None:
        """Set the table up and play the transcript to its end."""
        self.house, text = load_house(script.house), script.text
        opened: dict[str, Any] = {name: self._units(amount) for name, amount in script.posted}
        self.table = Table(self.house, opening=Opening(**opened), purses=script.purses)
        self.lines: list[str] = []
        self.count = 0
        self._rows: list[events.CardTurned] = []
        self._shoes = re.split(r"(?m)^> shoe$", text)[1:]
        self._cut = [int(place) for place in re.findall(r"(?m)^> cut (\d+)", text)]
        for line in script.written:
            if line.startswith((">", "#", "|")):
                self.lines.append(line)
            if line.startswith(">"):
                self._play(*line[1:].split())

    # What is done: each method is a word of the transcript.

    def _play(self, word: str, *rest: str) -> None:
        known: dict[str, Callable[..., None]] = {
            "shoe": self._shoe,
            "coups": self._coups,
            "money": self._money,
        }
        try:
            if word in known:
                known[word](*rest)
            else:
                self._write(self._do(self._command(word, *rest)))
        except TrenteError as error:
            self.lines.append(f"refused: {error.code}")
        assert balance(self.table.state) == 0

    def _do(self, command: Callable[..., Command]) -> tuple[Event, ...]:
        self.count += 1
        return self.table.do(command(id=f"c{self.count}"))

    def _command(self, word: str, *rest: str) -> Callable[..., Command]:
        named: dict[str, type[Command]] = {
            "burn": commands.Burn,
            "bets": commands.OpenBets,
            "close": commands.CloseBets,
            "turn": commands.Turn,
            "deal": commands.Deal,
            "settle": commands.Settle,
            "end-session": commands.CloseSession,
        }
        if word in named:
            return named[word]
        if word == "cut":
            return _bound(commands.Cut, place=int(rest[0]), by=rest[-1])
        if word == "marker":
            return _bound(commands.PlaceMarker, from_end=int(rest[0]), by=rest[-1])
        if word == "void":
            return _bound(commands.VoidCoup, reason=" ".join(rest))
        return self._of_player(word, *rest)

    def _of_player(self, player: str, verb: str, *rest: str) -> Callable[..., Command]:
        """Return what a player does: ``ann puts 400 on rouge insured``."""
        if verb in ("puts", "adds"):
            amount, _on, chance, *more = rest
            stake, units = f"{player} {chance}", self._units(amount)
            if verb == "adds":
                return _bound(commands.Increase, stake=stake, amount=units)
            return _bound(
                commands.Place,
                stake=stake,
                player=player,
                chance=chance,
                amount=units,
                **self._stake(more),
            )
        if verb == "buys":
            return _bound(commands.BuyIn, player=player, amount=self._units(rest[0]))
        if verb == "cashes":
            return _bound(commands.CashOut, player=player, amount=self._units(rest[0]))
        if verb == "chooses":
            course, _for, chance = rest
            return _bound(commands.Choose, stake=f"{player} {chance}", course=course)
        kinds: dict[str, type[Command]] = {
            "insures": commands.Insure,
            "withdraws": commands.Withdraw,
        }
        return _bound(kinds[verb], stake=f"{player} {rest[0]}")

    @staticmethod
    def _stake(words: Sequence[str]) -> dict[str, Any]:
        """Return the fields of a stake: ``insured``, ``unproved``, ``at 3``, ``with bob``."""
        fields: dict[str, Any] = {}
        for word, following in zip(words, (*words, "")[1:], strict=True):
            if word == "insured":
                fields["insured"] = True
            elif word == "unproved":
                fields["proof"] = False
            elif word == "at":
                fields["position"] = int(following)
            elif word == "with":
                fields["group"] = following
        return fields

    def _shoe(self) -> None:
        text, at = self._shoes.pop(0), self._cut.pop(0)
        cards = stacked(text, self.house.shoe.packs)
        before = cards[len(cards) - at :] + cards[: len(cards) - at]
        self._write(self._do(_bound(commands.OpenShoe, cards=tuple(before))))

    def _coups(self, number: str) -> None:
        """Play coups without a stake."""
        first = self._position() + 1
        for _ in range(int(number)):
            for kind in (commands.OpenBets, commands.CloseBets, commands.Deal, commands.Settle):
                self._do(kind)
        self.lines.append(f"{number} coups, cards {first}-{self._position()}")

    def _position(self) -> int:
        return self.table.state.shoe.position if self.table.state.shoe else 0

    def _money(self) -> None:
        """Write what every player and the bank have received since the session began."""
        held = [(name, units) for name, units in self.table.state.accounts.items() if units]
        for name, units in (*sorted(held), ("bank", self.table.state.bank)):
            self.lines.append(f"{name} {self._signed(units)}")

    # What happens.

    def _write(self, happened: Sequence[Event]) -> None:
        for event in happened:
            if isinstance(event, events.CardTurned):
                if self._rows and self._rows[-1].row != event.row:
                    self._cards()
                self._rows.append(event)
                continue
            self._cards()
            self.lines.extend(self._event(event))
        self._cards()

    def _cards(self) -> None:
        if not self._rows:
            return
        first, last = self._rows[0], self._rows[-1]
        colour = self.house.deal.first_colour
        row = colour.id if first.row == "first" else ("rouge", "noir")[colour.id == "rouge"]
        places = f"{first.place}-{last.place}" if last is not first else f"{first.place}"
        cards = " ".join(str(turned.card) for turned in self._rows)
        self.lines.append(f"{places} {row}: {cards} = {last.total}")
        self._rows = []

    def _event(self, event: Event) -> Iterator[str]:
        match event:
            case events.Announced():
                yield f"« {self.house.words.say(event)} »"
            case events.StakeSettled():
                yield self._line(event.line)
            case events.CoupSettled():
                yield f"bank {self._signed(event.bank_net or 0)}"
            case events.CoupVoided():
                yield f"coup {event.number} void: {event.reason}"
                yield from map(self._line, event.lines)
            case events.StakePlaced() | events.StakeIncreased() | events.StakeInsured():
                premium = f"premium {self._amount(event.premium)}, " if event.premium else ""
                yield f"{self._named(event.stake)}: {premium}on the table"
            case events.BoughtIn() | events.CashedOut():
                verb = "buys" if isinstance(event, events.BoughtIn) else "cashes"
                held = self._amount(event.purse)
                yield f"{event.player} {verb} {self._amount(event.amount)}, holds {held}"
            case events.StakeWithdrawn():
                yield f"{self._named(event.stake)}: withdrawn"
            case events.ChoiceOffered():
                yield f"{self._named(event.stake)}: choice of {' or '.join(event.courses)}"
            case _:
                yield _plain(event)

    def _line(self, line: Line) -> str:
        parts = [
            f"{word} {self._amount(units)}"
            for word, units in (
                ("back", line.returned),
                ("won", line.won),
                ("lost", line.forfeited),
                ("premium kept", line.premium_kept),
                ("premium back", line.premium_returned),
            )
            if units
        ]
        if line.after:
            parts.append(f"{self._amount(line.staying)} in {line.after.state}")
            if line.after.worth != line.staying:
                parts[-1] += f", worth {self._amount(line.after.worth)}"
        return f"{self._named(line.stake)}: {', '.join(parts)}"

    def _named(self, stake: Any) -> str:
        return f"{stake.id} {self._amount(stake.amount)}"

    def _units(self, amount: str | int) -> int:
        units = Fraction(amount) / self.house.money.unit.value
        assert units.denominator == 1, f"{amount} is not whole units of {self.house.name}"
        return units.numerator

    def _amount(self, units: int | Fraction) -> str:
        amount = units * self.house.money.unit.value
        return f"{amount}" if amount.denominator == 1 else f"{float(amount):.2f}"

    def _signed(self, units: int) -> str:
        return f"+{self._amount(units)}" if units > 0 else self._amount(units)


def _plain(event: Event) -> str:
    """Return the line of an event without money or calls."""
    match event:
        case events.ShoeOpened():
            return f"shoe {event.shoe}, {event.packs} packs"
        case events.CutMade():
            return f"cut at {event.place} by {event.by}"
        case events.Burned():
            return f"burned {event.count}{''.join(f' {card}' for card in event.cards)}"
        case events.MarkerPlaced():
            return f"marker {event.from_end} from the end by {event.by}"
        case events.BetsOpened():
            return f"bets open, coup {event.coup}"
        case events.BetsClosed():
            return f"bets closed, coup {event.coup}"
        case events.CoupDealt():
            fates = (f"{name} {_FATES[verdict.id]}" for name, verdict in event.verdicts)
            return f"coup {event.number}: {', '.join(fates)}"
        case events.ChoiceMade():
            return f"{event.stake}: chosen {event.course}"
        case events.ShoeEnded():
            return f"shoe {event.shoe} over ({event.why}), {event.left} cards left"
    return _SIMPLE.get(event.kind, repr(event))


def _bound(command: type[Command], **fields: Any) -> Callable[..., Command]:
    def built(id: str) -> Command:  # noqa: A002 - the name of the field
        return command(id=id, **fields)

    return built
