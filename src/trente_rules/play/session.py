"""One player at a table: what the app does, without a screen.

The session gives commands their ids, does what the croupier does by himself, and keeps the table
whole: an action is done, and saved where there is a file, or nothing of it has happened.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from attrs import evolve

from trente_rules.errors import BetError, PhaseError
from trente_rules.house.house import House
from trente_rules.play.seat import Seat, Shuffler, Step
from trente_rules.stakes import Opening
from trente_rules.table import commands as do
from trente_rules.table.decide import late_bets
from trente_rules.table.state import Phase
from trente_rules.table.statistics import Statistics
from trente_rules.table.table import Table


class Session(Seat):
    """A player and what he does, from the shuffle to the end of his session."""

    @classmethod
    def begin(cls, house: House, opening: Opening, bankroll: int, shuffler: Shuffler) -> Session:
        """Open a table of the house and sit down with a bankroll.

        Raises ``BetError`` ("opening-needed", "no-such-table"), and "not-enough" for a bankroll
        below the least stake.
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
        return session

    # --- the shoe ------------------------------------------------------------------------------

    def shuffle(self) -> None:
        """Shuffle, and hand the cards over to be cut."""
        with self._whole():
            before = evolve(self.statistics, dealt=None, before=None)
            packs = self.house.shoe.packs
            command = do.OpenShoe.shuffled(self._next_id(), packs, self.shuffler)
            self.table.do(command)
            self.before = before
            self._go_on()

    def cut(self, place: int) -> None:
        """Cut at a place; ``CardError`` ("bad-cut") where there is none."""
        with self._whole():
            self._do(do.Cut, place=place, by=self.house.shoe.cut_by)
            self._go_on()

    def place_marker(self, from_end: int) -> None:
        """Put the marker in; ``RuleError`` ("bad-marker") for a place the house does not allow."""
        with self._whole():
            self._do(do.PlaceMarker, from_end=from_end, by="player")
            self._go_on()

    # --- bets ----------------------------------------------------------------------------------

    def choose_chip(self, chip: int) -> None:
        """Take another chip in hand; ``BetError`` ("bad-stake") for one there is not."""
        if chip not in self.chips:
            raise BetError(f"there is no chip of {chip!r} units", "bad-stake", "take one shown")
        self.chip = chip

    def add(self, chance: str) -> None:
        """Add the chip in hand to a chance; ``BetError`` where the house does not take it."""
        with self._whole(keep=False):
            self._bets_on()
            stake = self.free_on(chance)
            if stake is None:
                self._place(chance, self.chip, insured=chance in self.insure)
            else:
                self._do(do.Increase, stake=stake.id, amount=self.chip)
            self._affordable()

    def take(self, chance: str, *, whole: bool = False) -> None:
        """Take the chip in hand off a chance, or all that lies there; ``BetError``."""
        self._bets_on()
        stake = self.free_on(chance)
        if stake is None:
            raise BetError(
                f"you have no chip on {chance}", "unknown-stake", "there is none to take"
            )
        amount = None if whole or self.chip >= stake.amount else self.chip
        with self._whole(keep=False):
            self._do(do.Withdraw, stake=stake.id, amount=amount)

    def toggle_insurance(self, chance: str) -> None:
        """Ask for insurance on a chance, or no more; what lies there follows.

        Raises ``BetError`` where the house does not insure it. A prisoner that is insured stays so
        for this coup.
        """
        if self.house.insurance_table is None or not self.house.chance(chance).simple:
            raise BetError(f"{self.house.name} does not insure {chance}", "no-insurance")
        with self._whole(keep=False):
            wanted = chance not in self.insure
            stakes = self.stakes_on(chance) if self.state.phase in _BETS else ()
            for stake in stakes:
                if (
                    wanted
                    and not stake.insured
                    and stake.state in self.house.insurance_table.covers
                ):
                    self._do(do.Insure, stake=stake.id)
                elif not wanted and stake.insured and stake.free:
                    self._do(do.Withdraw, stake=stake.id)
                    self._place(chance, stake.amount, insured=False)
            self._affordable()
            self.insure = self.insure ^ {chance}

    def move_prisoner(self, stake: str, chance: str) -> None:
        """Move a stake in prison to another chance, where the house allows it; ``BetError``."""
        with self._whole(keep=False):
            self._do(do.MovePrisoner, stake=stake, chance=chance)

    # --- the coup ------------------------------------------------------------------------------

    def deal(self) -> None:
        """Deal the coup to its end, settle it, and open the next bets: as far as choices allow."""
        with self._whole():
            if self.state.phase is Phase.BETTING:
                self._do(do.CloseBets)
            self._do(do.Deal)
            self._go_on()

    def turn(self) -> None:
        """Turn one card. Where the house takes late bets, the first time only closes the bets."""
        with self._whole():
            closing = self.state.phase is Phase.BETTING
            if closing:
                self._do(do.CloseBets)
            if not (closing and late_bets(self.state)):
                self._do(do.Turn)
            self._go_on()

    def choose(self, stake: str, course: str) -> None:
        """Choose what becomes of a stake; the last choice settles the coup. ``BetError``."""
        offer = next((each for each in self.offers() if each.stake.id == stake), None)
        if offer is None:
            raise BetError(f"no choice is offered for {stake!r}", "nothing-to-choose")
        with self._whole():
            self._do(do.Choose, stake=stake, course=course, verdict=offer.verdict.id)
            self._go_on()

    # --- the session ---------------------------------------------------------------------------

    def change_house(self, house: House, opening: Opening) -> None:
        """Close the session and sit down at a table of another house, the purse with you.

        The amount is taken over as a number of the other currency, parts of a unit left out. Raises
        ``PhaseError`` ("taille-goes-on") within a taille, and what ``begin`` raises.
        """
        if self.step is not Step.SHUFFLE:
            raise PhaseError(
                "the house is changed between two tailles",
                "taille-goes-on",
                "play this one to its end, or reset",
                self.state.phase,
            )
        with self._whole():
            self._do(do.CloseSession)
            value = self.purse * self.house.money.unit.value
            self._sit(Session.begin(house, opening, _units(house, value), self.shuffler))

    def reset(self) -> None:
        """Begin again at a new table of the same house, with the bankroll you came with."""
        with self._whole():
            self._sit(Session.begin(self.house, self.opening, self.bankroll, self.shuffler))

    def _sit(self, other: Session) -> None:
        self.table, self.bankroll = other.table, other.bankroll
        self.chips, self.chip = other.chips, other.chip
        self.insure, self.before = frozenset(), Statistics()

    def _go_on(self) -> None:
        """Do what the croupier does until something is the player's."""
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
            elif phase is Phase.READY:
                self._do(do.OpenBets)
            elif phase is Phase.DEALT and not self.offers():
                self._do(do.Settle)
            else:
                return


_BETS: Final = (Phase.BETTING, Phase.CLOSED)


def _units(house: House, value: Fraction) -> int:
    return int(value / house.money.unit.value)
