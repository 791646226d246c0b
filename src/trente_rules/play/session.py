"""A player at a table, without a screen: purse, chips, and actions done whole or not at all."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from enum import StrEnum
from fractions import Fraction
from typing import Any, Final

from attrs import evolve, frozen

from trente_rules.core.errors import BetError, PhaseError, TrenteError
from trente_rules.core.house.house import House
from trente_rules.core.money import MOST
from trente_rules.core.settlement import settle
from trente_rules.core.stakes import Choice, Line, Opening, Stake
from trente_rules.fair.entropy import SeededShuffler, SystemShuffler
from trente_rules.play.chips import chip_values
from trente_rules.play.tally import Tally, tally_of
from trente_rules.table import commands as do
from trente_rules.table.entries import Entry
from trente_rules.table.events import (
    BetsClosed,
    BetsOpened,
    ChoiceOffered,
    CoupDealt,
    Event,
    StakeIncreased,
    StakePlaced,
    StakeWithdrawn,
)
from trente_rules.table.state import BETS, Phase, TableState, premium_of
from trente_rules.table.statistics import LiveStatistics, Statistics
from trente_rules.table.table import Table

PLAYER: Final = "player"
MOST_BANKROLL: Final = MOST * 10**9
"""Units: the largest amount that can be written, at a house of the smallest unit."""
Shuffler = SeededShuffler | SystemShuffler
Keeper = Callable[[Any], None]


class UiStep(StrEnum):
    """The steps of a session: what the player's next key does."""

    SHUFFLE = "shuffle"
    CUT = "cut"
    MARKER = "marker"
    DEAL = "deal"
    CARD = "card"
    CHOOSE = "choose"


_STEPS: Final = {
    Phase.NO_SHOE: UiStep.SHUFFLE,
    Phase.CUT: UiStep.CUT,
    Phase.MARK: UiStep.MARKER,
    Phase.BETTING: UiStep.DEAL,
    Phase.CLOSED: UiStep.CARD,
    Phase.DEALING: UiStep.CARD,
    Phase.DEALT: UiStep.CHOOSE,
}


@frozen
class Price:
    """A premium, and the stake that it insures, in units."""

    premium: int
    stake: int

    @property
    def share(self) -> Fraction:
        """The premium as a part of the stake."""
        return Fraction(self.premium, self.stake) if self.stake else Fraction(0)


Laid = tuple[tuple[str, int], ...]
"""Free stakes: chances and units."""


def laid_in(events: Iterable[Event]) -> Laid:
    """Return the free stakes of the last coup that had any when its bets closed."""
    laid: Laid = ()
    now = dict[str, int]()
    for event in events:
        match event:
            case BetsOpened():
                now = {}
            case StakePlaced(stake=stake) | StakeIncreased(stake=stake):
                now[stake.chance] = stake.amount
            case StakeWithdrawn(stake=stake, left=left) if stake.free:
                now[stake.chance] = left
            case BetsClosed():
                laid = tuple((chance, units) for chance, units in now.items() if units) or laid
    return laid


class _Count:
    """Statistics of some events after others; an event is counted once, not at every look."""

    def __init__(self) -> None:
        self._base = Statistics()
        self._start(self._base)

    def _start(self, base: Statistics) -> None:
        self._base, self._live = base, LiveStatistics(base)
        self._events: tuple[Event, ...] = ()

    def of(self, base: Statistics, events: tuple[Event, ...]) -> Statistics:
        """Return the statistics of these events after ``base``."""
        known = len(self._events)
        if (base is not self._base and base != self._base) or events[:known] != self._events:
            self._start(base)
            known = 0
        for event in events[known:]:
            self._live.feed(event)
        self._events = events
        return self._live.counted


class PlaySession:
    """A table, what a player has in hand there, and all they do; amounts in units of the house.

    ``bankroll`` is what they came to this table with, ``insure`` the chances they want insured,
    ``before`` the statistics of the shoes before this one, ``past`` the events of earlier coups
    where a machine shuffles for each. ``keeper`` is called after every action
    but bets and raises where it cannot save the session. ``acting`` is true during an action, when
    the session is not whole. ``began`` names the first house. ``laid`` are the stakes that
    ``repeat`` lays again; ``coups_before`` counts the coups of the shoes before this one.
    ``warned`` is true once the player was asked about a dear insurance.
    """

    def __init__(
        self,
        table: Table,
        shuffler: Shuffler,
        bankroll: int,
        *,
        insure: frozenset[str] = frozenset(),
        before: Statistics | None = None,
        coups_before: Tally | None = None,
    ) -> None:
        """Sit down at a table, the smallest chip in hand."""
        self.table = table
        self.shuffler = shuffler
        self.bankroll = bankroll
        self.chips = chip_values(self.house, self.opening)
        self.chip = self.chips[0]
        self.insure = insure
        self.before = before or Statistics()
        self.coups_before = coups_before or Tally()
        self.past: tuple[Event, ...] = ()
        self.laid = laid_in(self.events)
        self.warned = False
        self._undone: tuple[tuple[TableState, tuple[Entry, ...], frozenset[str]], ...] = ()
        self.keeper: Keeper | None = None
        self.acting = False
        self.began = self.house.name
        self._whole_count, self._taille_count = _Count(), _Count()

    @property
    def house(self) -> House:
        """The house of the table."""
        return self.table.house

    @property
    def state(self) -> TableState:
        """The state of the table."""
        return self.table.state

    @property
    def opening(self) -> Opening:
        """The minimum and the other terms fixed when the table opened."""
        return self.state.opening

    @property
    def step(self) -> UiStep:
        """The step that the next key does."""
        return _STEPS.get(self.state.phase, UiStep.DEAL)

    @property
    def between_tailles(self) -> bool:
        """True where the house may be changed.

        At a table with a machine, which has no tailles, that is with no stake on the table.
        """
        machine = self.house.shoe.every_coup and not self.state.stakes
        return self.step is UiStep.SHUFFLE or (machine and self.step is UiStep.DEAL)

    @property
    def purse(self) -> int:
        """The units in hand, without stakes and premiums on the table."""
        return self.bankroll + self.state.accounts.get(PLAYER, 0)

    @property
    def events(self) -> tuple[Event, ...]:
        """The events of this shoe, or of the last one until another is opened."""
        made = (event for entry in self.table.taille for event in entry.events)
        return (*self.past, *made)

    @property
    def earlier(self) -> Statistics:
        """The statistics before the commands that the table knows: those a saved file needs."""
        return _Count().of(self.before, self.past) if self.past else self.before

    @property
    def statistics(self) -> Statistics:
        """The statistics since the player sat down at this table."""
        return self._whole_count.of(self.before, self.events)

    @property
    def tally(self) -> Tally:
        """The player's coups since they sat down at this table."""
        return self.coups_before + tally_of(self.events)

    @property
    def earlier_tally(self) -> Tally:
        """The player's coups before the commands that the table knows, for a saved file."""
        return self.coups_before + tally_of(self.past)

    @property
    def at_stake(self) -> int:
        """The units of the player's stakes on the table, prisoners among them."""
        return sum(stake.standing for stake in self.state.stakes)

    @property
    def net(self) -> int:
        """The net result in units of all settled coups; a stake in prison is still the player's."""
        return self.statistics.player(PLAYER).net

    @property
    def of_taille(self) -> Statistics:
        """The statistics of this taille alone."""
        return self._taille_count.of(Statistics(), self.events)

    def stakes_on(self, chance: str) -> tuple[Stake, ...]:
        """Return the stakes on a chance, prisoners among them."""
        return tuple(stake for stake in self.state.stakes if stake.chance == chance)

    def free_on(self, chance: str) -> Stake | None:
        """Return the free stake on a chance, or None."""
        return next((stake for stake in self.stakes_on(chance) if stake.free), None)

    def offers(self) -> tuple[ChoiceOffered, ...]:
        """Return the choices that the player still has to make."""
        if self.state.phase is not Phase.DEALT:
            return ()
        chosen = {choice.stake for choice in self.state.choices}
        offers: list[ChoiceOffered] = []
        for event in self.events:
            if isinstance(event, CoupDealt):
                offers = []
            elif isinstance(event, ChoiceOffered):
                offers.append(event)
        return tuple(offer for offer in offers if offer.stake.id not in chosen)

    def outcome(self, offer: ChoiceOffered, course: str) -> Line:
        """Return the settlement of a stake if this course, offered for it, is chosen."""
        coup = self.state.coup
        if coup is None:
            raise PhaseError("no coup is dealt", "not-now", "", self.state.phase)
        stake = offer.stake
        choice = Choice(stake.id, course, stake.state, offer.verdict)
        return settle(self.house, coup, (stake,), (choice,), opening=self.opening).lines[0]

    def worths(self, offer: ChoiceOffered) -> dict[str, Fraction]:
        """Return what a stake is worth in units by each course that is offered for it, exactly.

        Later coups are those of fresh shoes, played best. Empty where a stake can reach too many
        different worths.
        """
        from trente_rules.odds.worth import course_worths  # noqa: PLC0415 - a refait alone

        try:
            found = course_worths(self.house, offer.stake, offer.verdict, opening=self.opening)
        except TrenteError:
            return {}
        return {each.course.name: each.worth for each in found if each.course.name in offer.courses}

    def keep(self) -> None:
        """Save the session now, bets included, if it has a file."""
        if self.keeper is not None:
            self.keeper(self)

    def _placing(self, chance: str, amount: int, *, insured: bool) -> do.Place:
        state = self.state
        name = f"{chance}-{state.shoe_number}-{state.coup_number}"
        id_ = self._next_id()
        return do.Place(
            id=id_, stake=name, player=PLAYER, chance=chance, amount=amount, insured=insured
        )

    def laying(self, stakes: Iterable[tuple[str, int]]) -> tuple[do.Command, ...]:
        """Return the commands that add these units to chances, insured where that is asked."""
        made: list[do.Command] = []
        for chance, amount in stakes:
            stake = self.free_on(chance)
            if stake is None:
                made.append(self._placing(chance, amount, insured=chance in self.insure))
            else:
                made.append(do.Increase(id=self._next_id(), stake=stake.id, amount=amount))
        return tuple(made)

    def insuring(self, chance: str) -> tuple[do.Command, ...]:
        """Return the commands that insure what is on a chance and can be insured, if any."""
        table = self.house.insurance_table
        if table is None or self.state.phase not in BETS:
            return ()
        return tuple(
            do.Insure(id=self._next_id(), stake=stake.id)
            for stake in self.stakes_on(chance)
            if not stake.insured and not stake.covered and stake.state in table.covers
        )

    def price(self, commands: Sequence[do.Command]) -> Price | None:
        """Return the dearest premium that one of these commands would pay now, None without one.

        It is what the table says that they would do; a command that is refused pays nothing.
        """
        prices = []
        for command in commands:
            with suppress(TrenteError):
                moved = self.table.preview(command).movements
                premium = -sum(each.units for each in moved if each.reason == "premium")
                prices.append(Price(premium, self._staked(command)))
        paid = [price for price in prices if price.premium > 0]
        return max(paid, key=lambda price: price.share, default=None)

    def _staked(self, command: do.Command) -> int:
        """Return the units that the premium of a command is for."""
        if isinstance(command, do.Place | do.Increase):
            return command.amount
        insured = {stake.id: stake.standing for stake in self.state.stakes}
        return insured.get(command.stake, 0) if isinstance(command, do.Insure) else 0

    def insurance_on(self, chance: str) -> Price | None:
        """Return what insurance of a chance costs now: paid already, or what it would cost.

        Without a stake it is that of the chip in hand. None where nothing can be insured.
        """
        if not self._is_insurable(chance):
            return None
        paid = [stake for stake in self.stakes_on(chance) if stake.insured]
        premium = sum(premium_of(self.house, stake) for stake in paid)
        if premium:
            return Price(premium, sum(stake.standing for stake in paid))
        if self.state.phase not in BETS:
            return None
        commands = self.insuring(chance)
        if not commands and not self.stakes_on(chance):
            commands = (self._placing(chance, self.chip, insured=True),)
        return self.price(commands)

    def _check_bets_open(self) -> None:
        """Raise ``PhaseError``, in a player's words, where no bet can be changed now."""
        closed = self.state.in_coup and self.state.phase not in BETS
        if not closed and self.step in (UiStep.SHUFFLE, UiStep.CUT, UiStep.MARKER):
            reason = "bets are not open yet", "not-now", "shuffle and cut first"
        elif closed:
            reason = "rien ne va plus", "too-late", "wait until the bets open again"
        else:
            return
        raise PhaseError(*reason, self.state.phase, self.table.allowed())

    def _check_purse(self) -> None:
        if self.purse < 0:
            short = self.house.money.text(-self.purse)
            raise BetError(f"your purse is {short} short", "not-enough", "take a smaller chip")

    def _next_id(self) -> str:
        entries = self.table.entries
        return str(entries[-1].sequence + 1 if entries else 1)

    def _do(self, kind: type[do.Command], **fields: Any) -> None:
        self.table.do(kind(id=self._next_id(), **fields))

    @contextmanager
    def _whole(self, *, keep: bool = True) -> Iterator[None]:
        """Do all of an action and save it, or nothing."""
        saved = {**vars(self), "shuffler": _copy(self.shuffler)}
        state, entries = self.state, self.table.entries
        self.acting = True
        try:
            yield
            if keep:
                self._undone = ()
                self.keep()
        except BaseException:
            # A table cannot be taken back: this is a new one at the same place.
            vars(self).update(saved, table=Table(state.house, state=state, entries=entries))
            raise
        finally:
            self.acting = False

    @contextmanager
    def _bet(self) -> Iterator[None]:
        """Do all of a change of the bets, or nothing; ``undo`` takes it back."""
        with self._whole(keep=False):
            before = self.state, self.table.entries, self.insure
            yield
            self._check_purse()
            self._undone = (*self._undone, before)

    @classmethod
    def begin(
        cls, house: House, opening: Opening, bankroll: int, shuffler: Shuffler
    ) -> PlaySession:
        """Open a table of the house and sit down with a bankroll.

        Raises ``BetError`` ("opening-needed", "no-such-table"), "not-enough" for a bankroll below
        the least stake, and "too-much" for one above ``MOST_BANKROLL``.
        """
        table = Table(house, opening=opening)
        session = cls(table, shuffler, bankroll)
        if bankroll < session.chips[0]:
            raise BetError(
                f"a bankroll of {house.money.text(bankroll)} does not reach the minimum of "
                f"{house.money.text(session.chips[0])}",
                "not-enough",
                "come with more",
            )
        if bankroll > MOST_BANKROLL:
            raise BetError(
                f"a bankroll of {house.money.text(bankroll)} is above "
                f"{house.money.text(MOST_BANKROLL)}",
                "too-much",
                "come with less",
            )
        return session

    def shuffle(self) -> None:
        """Shuffle, and hand the cards over to be cut."""
        with self._whole():
            before, coups = self.statistics, self.tally
            self._open_shoe()
            self.before, self.coups_before, self.past = before, coups, ()
            self._continue()

    def cut(self, place: int) -> None:
        """Cut at a place; ``CardError`` ("bad-cut") where the shoe has no such place."""
        with self._whole():
            self._do(do.Cut, place=place, by=self.house.shoe.cut_by)
            self._continue()

    def place_marker(self, from_end: int) -> None:
        """Put the marker in; ``RuleError`` ("bad-marker") for a place the house does not allow."""
        with self._whole():
            self._do(do.PlaceMarker, from_end=from_end, by="player")
            self._continue()

    def choose_chip(self, chip: int) -> None:
        """Take another chip in hand; ``BetError`` ("bad-stake") if the table has none of it."""
        if chip not in self.chips:
            raise BetError(
                f"no chip of {self.house.money.text(chip)}", "bad-stake", "take one that is shown"
            )
        self.chip = chip

    def add(self, chance: str) -> None:
        """Add the chip in hand to a chance; ``BetError`` where the house does not take it."""
        self._check_bets_open()
        self._lay(((chance, self.chip),))

    def _lay(self, stakes: Iterable[tuple[str, int]]) -> None:
        """Add units to chances, all or nothing."""
        with self._bet():
            for stake in stakes:
                for command in self.laying((stake,)):
                    self.table.do(command)

    @property
    def to_repeat(self) -> Laid:
        """The units to add so that the stakes are those of the coup before, at the least."""
        known = {chance.id for chance in self.house.chances}
        free = {chance: self.free_on(chance) for chance, _units in self.laid if chance in known}
        missing = ((chance, stake.amount if stake else 0) for chance, stake in free.items())
        wanted = dict(self.laid)
        return tuple(
            (chance, wanted[chance] - there) for chance, there in missing if wanted[chance] > there
        )

    def repeat(self) -> None:
        """Lay the stakes of the coup before again; ``BetError`` where the house does not."""
        self._check_bets_open()
        if not self.to_repeat:
            raise BetError("no earlier stakes to repeat", "nothing-to-repeat")
        self._lay(self.to_repeat)

    @property
    def free_stakes(self) -> Laid:
        """The free stakes on the table: those that can be taken off."""
        return tuple((stake.chance, stake.amount) for stake in self.state.stakes if stake.free)

    def double(self) -> None:
        """Double every free stake, or none; ``BetError``."""
        self._check_bets_open()
        if not self.free_stakes:
            raise BetError("no stake to double", "nothing-to-double", "place a chip first")
        self._lay(self.free_stakes)

    def clear(self) -> None:
        """Take every free stake off; ``BetError``."""
        self._check_bets_open()
        if not self.free_stakes:
            raise BetError("no stake to take off", "nothing-to-clear")
        with self._bet():
            for chance, _units in self.free_stakes:
                stake = self.free_on(chance)
                if stake is not None:
                    self._do(do.Withdraw, stake=stake.id)

    @property
    def can_undo(self) -> bool:
        """True if a change of the bets can be taken back."""
        return bool(self._undone)

    def undo(self) -> None:
        """Take the last change of the bets back, as if it had not been made; ``BetError``."""
        if not self._undone:
            raise BetError("no bet to undo", "nothing-to-undo")
        *rest, (state, entries, insure) = self._undone
        self.table = Table(state.house, state=state, entries=entries)
        self.insure, self._undone = insure, tuple(rest)

    def take(self, chance: str, *, whole: bool = False) -> None:
        """Take the chip in hand off a chance, or the whole stake; ``BetError``."""
        self._check_bets_open()
        stake = self.free_on(chance)
        if stake is None:
            raise BetError(f"no chip of yours is on {chance}", "unknown-stake")
        amount = None if whole or self.chip >= stake.amount else self.chip
        with self._bet():
            self._do(do.Withdraw, stake=stake.id, amount=amount)

    def _is_insurable(self, chance: str) -> bool:
        return self.house.insurance_table is not None and self.house.chance(chance).simple

    def check_insurable(self, chance: str) -> None:
        """Raise ``BetError`` where the house does not insure a chance, or does not have it."""
        self.house.chance(chance)  # one that the house does not have is named as that
        if not self._is_insurable(chance):
            raise BetError(f"{self.house.name} does not insure {chance}", "no-insurance")

    def toggle_insurance(self, chance: str) -> None:
        """Turn insurance of a chance on or off, for the stake that is there too.

        Raises ``BetError`` where the house does not insure it. An insured prisoner stays insured
        for this coup.
        """
        self.check_insurable(chance)
        with self._bet():
            if chance not in self.insure:
                for command in self.insuring(chance):
                    self.table.do(evolve(command, id=self._next_id()))
            elif self.state.phase in BETS:
                for stake in self.stakes_on(chance):
                    if stake.insured and stake.free:
                        self._do(do.Withdraw, stake=stake.id)
                        self.table.do(self._placing(chance, stake.amount, insured=False))
            self.insure = self.insure ^ {chance}

    def uninsure(self, chances: Iterable[str] = ()) -> None:
        """Turn insurance off, by default of all chances; what is insured by now stays so."""
        with self._bet():
            self.insure = self.insure - frozenset(chances or self.insure)

    def move_prisoner(self, stake: str, chance: str) -> None:
        """Move a stake in prison to another chance, where the house allows it; ``BetError``."""
        with self._bet():
            self._do(do.MovePrisoner, stake=stake, chance=chance)

    def deal(self) -> None:
        """Deal the coup, settle it and open the next bets, as far as no choice is waiting."""
        with self._whole():
            self._close_bets()
            if self.state.phase in (Phase.CLOSED, Phase.DEALING):
                self._do(do.Deal)
            self._continue()

    def turn(self) -> None:
        """Turn one card. Where the house takes late bets, the first time only closes the bets."""
        with self._whole():
            closing = self.state.phase is Phase.BETTING
            self._close_bets()
            late = closing and self.house.limits_table.late_bets
            if not late and self.state.phase in (Phase.CLOSED, Phase.DEALING):
                self._do(do.Turn)
            self._continue()

    def choose(self, stake: str, course: str) -> None:
        """Choose a course for a stake; the last choice settles the coup. ``BetError``."""
        offer = next((offer for offer in self.offers() if offer.stake.id == stake), None)
        if offer is None:
            raise BetError(f"no choice is offered for {stake!r}", "nothing-to-choose")
        with self._whole():
            self._do(do.Choose, stake=stake, course=course, verdict=offer.verdict.id)
            self._continue()

    def change_house(self, house: House, opening: Opening) -> None:
        """Close the session and sit down at a table of another house, with the same purse.

        The number of the purse is kept in the other currency, rounded down to its units. Raises
        ``PhaseError`` ("taille-goes-on") within a taille, and what ``begin`` raises.
        """
        if not self.between_tailles:
            raise PhaseError(
                "the house can be changed between two tailles only",
                "taille-goes-on",
                "finish this one, or restart",
                self.state.phase,
            )
        with self._whole():
            self._do(do.CloseSession)
            value = self.purse * self.house.money.unit.value
            units = int(value / house.money.unit.value)
            self._sit(PlaySession.begin(house, opening, units, self.shuffler))

    def reset(self) -> None:
        """Start over at a new table of the same house, with the bankroll of this one."""
        with self._whole():
            self._sit(PlaySession.begin(self.house, self.opening, self.bankroll, self.shuffler))

    def _sit(self, other: PlaySession) -> None:
        self.table, self.bankroll = other.table, other.bankroll
        self.chips, self.chip = other.chips, other.chip
        self.insure, self.before, self.past = frozenset(), Statistics(), ()
        self.coups_before, self.laid, self.warned = Tally(), (), False

    def _open_shoe(self) -> None:
        """Open a shoe in a new order."""
        packs = self.house.shoe.packs
        self.table.do(do.OpenShoe.shuffled(self._next_id(), packs, self.shuffler))

    def _close_bets(self) -> None:
        """Close the bets if they are open; in some houses the cards are cut then."""
        if self.state.phase is Phase.BETTING:
            self.laid = self.free_stakes or self.laid
            self._do(do.CloseBets)
            self._prepare()

    def _continue(self) -> None:
        """Do what the croupier does until it is the player's turn."""
        while True:
            self._prepare()
            phase = self.state.phase
            if phase is Phase.NO_SHOE and self.house.shoe.every_coup:
                past = self.events
                self._open_shoe()
                self.past = past
            elif phase is Phase.READY:
                self._do(do.OpenBets)
            elif phase is Phase.DEALT and not self.offers():
                self._do(do.Settle)
            else:
                return

    def _prepare(self) -> None:
        """Cut, burn and mark the shoe as far as the croupier does it."""
        shoe = self.house.shoe
        while True:
            phase = self.state.phase
            if phase is Phase.CUT and shoe.cut_by == "croupier":
                place = self.shuffler.below(shoe.packs * 52 + 1)
                self._do(do.Cut, place=place, by="croupier")
            elif phase is Phase.BURN:
                self._do(do.Burn)
            elif phase is Phase.MARK and shoe.marker and shoe.marker.placed_by == "croupier":
                low, high = shoe.marker.bounds
                self._do(do.PlaceMarker, from_end=low + self.shuffler.below(high - low + 1))
            else:
                return


def _copy(shuffler: Shuffler) -> Shuffler:
    """Return a shuffler at the same position of its stream; the system's has none."""
    if isinstance(shuffler, SystemShuffler):
        return shuffler
    position = shuffler.position
    return SeededShuffler(shuffler.seed, shuffler.stream, position=position, test=shuffler.test)
