"""The state of a table: one frozen value with all that the next command needs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from functools import cached_property
from typing import Any, Final, Literal

from attrs import field, frozen

from trente_rules.core.cards import Card
from trente_rules.core.converter import legible
from trente_rules.core.coup import Coup
from trente_rules.core.errors import BetError, TrenteError, shown
from trente_rules.core.house.house import House
from trente_rules.core.maps import FrozenMap
from trente_rules.core.money import ONE
from trente_rules.core.settlement import wager_of
from trente_rules.core.shoe import LiveShoe, Shoe
from trente_rules.core.stakes import Choice, History, Line, Opening, Stake
from trente_rules.table.cloth import EMPTY, NO_CHOICES, Choices, Cloth
from trente_rules.table.events import Event
from trente_rules.table.movements import PURSE, Movement
from trente_rules.table.rounds import Round
from trente_rules.table.voice import Voice

_NO_OPENING: Final = Opening()
_NO_HISTORY: Final = History()


class Phase(StrEnum):
    """The phase of a session."""

    NO_SHOE = "no-shoe"
    CUT = "cut"
    BURN = "burn"
    MARK = "mark"
    READY = "ready"
    BETTING = "betting"
    CLOSED = "closed"
    DEALING = "dealing"
    DEALT = "dealt"
    ENDED = "ended"


PREPARING: Final = (Phase.CUT, Phase.BURN, Phase.MARK)
"""The phases before the first card: of the first bets, or once these are closed."""
BETS: Final = (Phase.BETTING, Phase.CLOSED)
BEFORE_LAST_CARD: Final = (*BETS, Phase.DEALING)
DEALT_OUT: Final = (Phase.DEALING, Phase.DEALT)
"""The phases in which cards of the coup are out."""
COUP: Final = (*BEFORE_LAST_CARD, Phase.DEALT)
"""The phases of a coup, from the opening of the bets to its settlement."""


def stake_error(stake: str, what: str, code: str, hint: str = "") -> BetError:
    """Return the error of a command about a stake."""
    return BetError(f"stake {stake!r} {what}", code, hint, stake)


def check_house(house: object) -> None:
    """Raise ``TrenteError`` ("bad-setup") for a value that is not a house."""
    if not isinstance(house, House):
        hint = "pass a House: load_house takes its name or its file"
        raise TrenteError(f"{shown(house)} is not a house", "bad-setup", hint)


@frozen(slots=False)
class Setup:
    """The house, the table's name, its first opening: these do not change during a session.

    With ``purses`` no stake and no premium is above what its player has bought in and won: the bank
    does not advance. ``session`` names the session for ever: it is in the ids of its rounds and of
    its movements.

    Raises ``TrenteError`` ("bad-setup") for a value of another type.
    """

    house: House
    table: str = "table"
    opening: Opening = _NO_OPENING
    purses: bool = False
    session: str = ""

    def __attrs_post_init__(self) -> None:
        """Check that a journal can store it."""
        check_house(self.house)
        for word, name in (("table", self.table), ("session", self.session)):
            if type(name) is not str or not legible(name):
                what = f"a {word} cannot be named {shown(name)}"
                raise TrenteError(what, "bad-setup", "its name is text without lone surrogates")
        if not isinstance(self.opening, Opening):
            raise TrenteError(
                f"the opening of a table cannot be {shown(self.opening)}",
                "bad-setup",
                "pass Opening(minimum=...), in units",
            )

    @cached_property
    def _voices(self) -> dict[str, Voice]:
        return {}

    def voice(self, first_row: str = "") -> Voice:
        """Return the calls of the croupier, where the cut decided the first row: for its colour."""
        if first_row not in self._voices:
            self._voices[first_row] = Voice(self.house.dealt_first(first_row))
        return self._voices[first_row]


Accounts = FrozenMap[int]
"""Units by player; its players come sorted."""
NO_ACCOUNTS: Final[Accounts] = FrozenMap()


def _accounts(given: Accounts | Mapping[str, int] | Iterable[tuple[str, int]]) -> Accounts:
    return given if isinstance(given, FrozenMap) else FrozenMap(given)


def _cloth(stakes: Iterable[Stake]) -> Cloth:
    if stakes == ():  # after nearly every coup
        return EMPTY
    return stakes if isinstance(stakes, Cloth) else Cloth(stakes)


def _chosen(choices: Iterable[Choice]) -> Choices:
    return choices if isinstance(choices, Choices) else Choices(choices)


@frozen(slots=False)  # so that the next state is made in a tenth of the time
class TableState:
    """A table between two commands.

    ``coup_number`` counts from 1 in the taille, ``shoe_number`` in the session. ``cards`` are those
    of the coup that is dealt, ``first_cards`` how many of them make the first row once it is
    complete. The ``cloth`` has the stakes on the table in the order they were placed; ``prisoners``
    are those that were there when the bets opened. ``chosen`` are the choices made for this coup.
    ``accounts`` are the net results of the players in units,
    stakes and premiums on the table taken off; ``bank`` is that of the bank. ``events`` counts the
    events of the session. ``last_shoe`` is a shoe that ended with its last coup, until the next
    one: a correction of that coup decides its end again. ``uncut`` is true from the opening of a
    shoe until it is cut, in a house that cuts after the first bets. ``posted`` is the opening that
    was posted since the table opened, None where that of the setup holds. ``deposits`` are the
    units that players have bought in, less those they cashed out. ``first_row`` is the colour of
    the first row of this shoe where the cut decides it. ``exposed`` are the places, in a live shoe,
    of the cards shown by mistake in this coup. ``drawn_cut`` and ``drawn_marker`` are the only cut
    and the only place of the marker that this shoe takes, None where nothing was drawn.
    """

    setup: Setup
    phase: Phase = Phase.NO_SHOE
    shoe_number: int = 0
    coup_number: int = 0
    shoe: Shoe | LiveShoe | None = field(default=None, repr=False)
    cards: tuple[Card, ...] = ()
    first_cards: int = 0
    marker_shown: bool = False
    coup: Coup | None = None
    cloth: Cloth = field(default=EMPTY, converter=_cloth, alias="stakes")
    prisoners: tuple[Stake, ...] = ()
    chosen: Choices = field(default=NO_CHOICES, converter=_chosen, alias="choices")
    accounts: Accounts = field(default=NO_ACCOUNTS, converter=_accounts)
    bank: int = 0
    history: History = _NO_HISTORY
    events: int = 0
    last_shoe: Shoe | LiveShoe | None = field(default=None, repr=False)
    uncut: bool = False
    first_row: Literal["", "noir", "rouge"] = ""
    posted: Opening | None = None
    deposits: Accounts = field(default=NO_ACCOUNTS, converter=_accounts)
    exposed: tuple[int, ...] = ()
    drawn_cut: int | None = field(default=None, repr=False)
    drawn_marker: int | None = field(default=None, repr=False)

    @property
    def stakes(self) -> tuple[Stake, ...]:
        """The stakes on the table, in the order they were placed."""
        return self.cloth.stakes

    @property
    def choices(self) -> tuple[Choice, ...]:
        """The choices for this coup, in the order they were made."""
        return tuple(self.chosen)

    @property
    def round(self) -> Round:
        """The coup that is on, or the last one; 0 before the first coup of a shoe."""
        # Made once a coup: the states after this one take it along.
        known: Round | None = self.__dict__.get("_round")
        if (
            known is None
            or known.coup != self.coup_number
            or known.shoe != self.shoe_number
            or known.session is not self.setup.session
        ):
            known = Round(self.setup.session, self.shoe_number, self.coup_number)
            self.__dict__["_round"] = known
        return known

    @property
    def opening(self) -> Opening:
        """The limits that are posted now."""
        return self.posted or self.setup.opening

    def purse(self, player: str) -> int:
        """Return what a player has bought in and won, less what is on the table, in units.

        A correction can leave it below zero: the player owes that.
        """
        return self.deposits.get(player, 0) + self.accounts.get(player, 0)

    @property
    def house(self) -> House:
        """The house the table is run by: its first row is that of this shoe."""
        if self.first_row:
            return self.setup.house.dealt_first(self.first_row)
        return self.setup.house

    @property
    def voice(self) -> Voice:
        """The calls of the croupier in this house."""
        return self.setup.voice(self.first_row)

    @property
    def in_coup(self) -> bool:
        """Return whether a coup is open, from its bets to its settlement."""
        late = self.house.shoe.cut == "after-bets" and self.phase in PREPARING
        return self.phase in COUP or late

    def stake(self, stake_id: str, player: str = "") -> Stake:
        """Return a stake on the table, of a player where one is named.

        Raises ``BetError`` ("unknown-stake"). A stake of another player is as unknown as one that
        is not on the table: the error does not say which, and names the player's own stakes alone.
        """
        found = self.cloth.get(stake_id)
        if found is not None and player in ("", found.owner):
            return found
        whose, hint = "", ""
        if player:
            own = ", ".join(stake.id for stake in self.cloth.of_owner(player))
            whose, hint = f" for {player!r}", f"stakes of {player!r}: {own or 'none'}"
        raise stake_error(stake_id, f"is not on the table{whose}", "unknown-stake", hint)

    def after(self, events: Sequence[Event], **changes: Any) -> TableState:
        """Return the state with these changes, after these events."""
        changes["events"] = self.events + len(events)
        return self._with(changes)

    def replaced(self, **changes: Any) -> TableState:
        """Return the state with these fields changed: ``attrs.evolve``, but faster."""
        return self._with(changes)

    def placed(self, cloth: Cloth, accounts: Accounts, events: int) -> TableState:
        """Return the state after so many events that placed stakes: ``after``, and sooner."""
        new = object.__new__(TableState)
        fields = new.__dict__
        fields.update(self.__dict__)
        fields["cloth"] = cloth
        fields["accounts"] = accounts
        fields["events"] += events
        return new

    def _with(self, changes: dict[str, Any]) -> TableState:
        if "stakes" in changes:
            changes["cloth"] = _cloth(changes.pop("stakes"))
        if "choices" in changes:
            changes["chosen"] = _chosen(changes.pop("choices"))
        new = object.__new__(TableState)
        fields = new.__dict__
        fields.update(self.__dict__)
        fields.update(changes)
        return new


def premium_of(house: House, stake: Stake) -> int:
    """Return the premium, in units, that is on the table for a stake."""
    if not stake.insured or stake.covered:
        return 0
    worth = stake.amount if stake.share is ONE else stake.worth
    return wager_of(house, stake).premium(worth).units


def credited(accounts: Accounts, sums: Mapping[str, int]) -> Accounts:
    """Return the accounts after these sums by player, negative where a player pays."""
    if len(sums) == 1:  # nearly every command is about one player
        ((player, units),) = sums.items()
        return accounts.added(player, units)
    return accounts.merged(
        {player: accounts.get(player, 0) + units for player, units in sums.items()}
    )


def moved(state: TableState, movements: Sequence[Movement]) -> TableState:
    """Return the state after movements: accounts, and purses, are sums of them."""
    if not movements:
        return state
    sums: dict[str, int] = {}
    bought: dict[str, int] = {}
    for each in movements:
        player = each.player
        if each.reason in PURSE:
            bought[player] = bought.get(player, 0) - each.units
        else:
            sums[player] = sums.get(player, 0) + each.units
    if sums:
        state = state.replaced(accounts=credited(state.accounts, sums))
    if bought:
        state = state.replaced(deposits=credited(state.deposits, bought))
    return state


def banked(lines: Iterable[Line]) -> int:
    """Return the net result of the bank from a settlement."""
    net = 0
    for line in lines:  # in half the time of a sum over a generator
        net += line.forfeited + line.premium_kept - line.won
    return net


def balance(state: TableState) -> int:
    """Return the sum of the players' net, the bank's net and all on the table: always zero."""
    held = sum(stake.standing + premium_of(state.house, stake) for stake in state.stakes)
    return sum(state.accounts.values()) + state.bank + held
