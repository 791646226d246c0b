"""Strategies in Python, played through the real table: nothing compiled, every rule in force.

A strategy is anything that can be called with a ``View`` and returns bets. It may look at all that
a player can: the cards that came, its bankroll, its stakes in prison, the results of the others.
``SystemPlayer`` plays a staking system this way, and is the oracle of the compiled simulation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from itertools import islice
from typing import Any, Final

from attrs import define, evolve, field, frozen

from trente_rules.core.cards import Card
from trente_rules.core.chances import Verdict
from trente_rules.core.coup import Coup
from trente_rules.core.errors import TrenteError
from trente_rules.core.house.house import House
from trente_rules.core.settlement import courses
from trente_rules.core.shoe import Shoe, Shuffler
from trente_rules.core.stakes import Line, Opening, Stake
from trente_rules.core.systems import Bet, Result
from trente_rules.odds.remaining import Composition
from trente_rules.simulation.plain import shuffled_shoes
from trente_rules.simulation.seat import Seat
from trente_rules.table import commands
from trente_rules.table.coups import CoupFold
from trente_rules.table.state import Phase
from trente_rules.table.table import Table

# The view and the bets of a strategy, and its result; amounts in units of the house.


@frozen
class TableBet:
    """A bet on the next coup: ``amount`` in units of the house.

    ``insured`` pays the premium, and again for each coup in prison that the house insures.
    ``course`` is chosen wherever it is offered ("partage", "prison"), empty for the
    house's default.
    """

    chance: str
    amount: int
    insured: bool = False
    course: str = ""


@frozen
class Ended:
    """A stake that has left: the player's net result, premiums taken off, and the premiums."""

    bet: TableBet
    coup: int
    net: int
    premium: int

    @property
    def result(self) -> Result:
        """The result of the stake itself, the premium apart."""
        alone = self.net + self.premium
        return Result.WON if alone > 0 else Result.LOST if alone < 0 else Result.LEVEL


@frozen(slots=False)
class View:
    """The view of a player before a coup; amounts in units of the house.

    ``coup`` counts the coups of the session from 1, ``coup_of_shoe`` those of the shoe. ``at_hand``
    is None where credit is endless. ``standing`` are the stakes in prison, ``ended`` those that
    have left since the last coup, ``last`` is the last coup of the shoe, ``seen`` the cards that
    were shown. ``why_not(bet)`` returns why the house would refuse a bet now, or None.
    """

    house: House
    coup: int
    coup_of_shoe: int
    at_hand: int | None
    standing: tuple[Stake, ...]
    ended: tuple[Ended, ...]
    last: Coup | None
    seen: tuple[Card, ...] = field(repr=False)
    why_not: Callable[[TableBet], TrenteError | None] = field(repr=False, eq=False)

    @cached_property
    def left(self) -> Composition:
        """The cards that were not seen."""
        return Composition.after(self.house.shoe.packs, self.seen)


Strategy = Callable[[View], Iterable[TableBet]]


@frozen
class Played:
    """The result of a strategy; amounts in units of the house.

    ``ended`` are its stakes in the order in which they left, ``view`` is what it would have been
    shown next. ``ruined`` is true if it could not pay what it wanted to bet.
    """

    house: House
    coups: int
    shoes: int
    ended: tuple[Ended, ...] = field(repr=False)
    ruined: bool
    view: View = field(repr=False)

    @property
    def net(self) -> int:
        """The player's net result."""
        return sum(stake.net for stake in self.ended)

    @property
    def staked(self) -> int:
        """The sum of all stakes, each counted once."""
        return sum(stake.bet.amount for stake in self.ended)

    @property
    def premiums(self) -> int:
        """The premiums that the bank kept."""
        return sum(stake.premium for stake in self.ended)


# A player alone at a real table: commands in their name, and an account of their stakes.

PLAYER: Final = "player"


class StrategySession:
    """A player alone at a table."""

    def __init__(
        self, house: House, shoes: Iterator[Shoe], opening: Opening, bankroll: int | None
    ) -> None:
        """Set up a table; the shoes are prepared ones, opened when they are needed."""
        self.house, self.table = house, Table(house, opening=opening)
        self.coups = self.shoes = 0
        self._shoes, self._bankroll = shoes, bankroll
        self._commands = self._shown = self._marker = 0
        self._fold = CoupFold(remember=False)
        self._open: dict[str, Ended] = {}
        self._ended: list[Ended] = []
        self._last: Coup | None = None

    def _do(self, kind: type[commands.Command], **fields: Any) -> None:
        self._commands += 1
        for event in self.table.do(kind(id=f"c{self._commands}", **fields)):
            version = self._fold.feed(event)
            if version is None:
                continue
            for sign, line in version.changes():
                self._settle(line, sign)
            if version.void and not (version.replaces and version.replaces.void):
                self.coups -= 1
                # The stakes that were placed on the void coup are back with the player.
                self._open = {
                    n: stake for n, stake in self._open.items() if stake.coup <= self.coups
                }

    def _settle(self, line: Line, sign: int) -> None:
        """Add a settlement to the account of a stake, or take it off again."""
        ends, name = line.after is None, line.stake.id
        known = self._ended.pop() if ends and sign < 0 else self._open.pop(name)
        net = known.net + sign * (line.returned + line.won - line.premium_kept)
        account = evolve(known, net=net, premium=known.premium + sign * line.premium_kept)
        if ends and sign > 0:
            self._ended.append(account)
        else:
            self._open[name] = account

    def ready(self) -> None:
        """Open a shoe if none is open."""
        while self.table.state.phase is Phase.NO_SHOE:
            shoe = next(self._shoes, None)
            if shoe is None:
                raise TrenteError(
                    f"the shoes are used up after {self.coups} coups",
                    "shoes-used-up",
                    "give more shoes, or ask for fewer coups",
                )
            rule = self.house.shoe
            self._do(commands.OpenShoe, cards=shoe.cards)
            self._marker = shoe.behind
            self._prepare()
            self.shoes += 1
            if not rule.every_coup:
                self._last = None

    def _prepare(self) -> None:
        """Cut, burn and mark the shoe, where it is time to."""
        rule, phase = self.house.shoe, self.table.state.phase
        if phase is not Phase.CUT:
            return
        self._do(commands.Cut, by=rule.cut_by)
        if rule.burn:
            self._do(commands.Burn)
        if rule.marker:
            placed_by = rule.marker.placed_by
            self._do(commands.PlaceMarker, from_end=self._marker, by=placed_by)

    def open(self) -> None:
        """Open the bets, and insure the stakes in prison that are to be insured."""
        self._do(commands.OpenBets)
        for stake in self.table.state.stakes:
            wanted = self._open[stake.id].bet.insured and not stake.insured
            if wanted and self.table.can(commands.Insure(id="asked", stake=stake.id)):
                self._do(commands.Insure, stake=stake.id)

    def bet(self, bets: tuple[TableBet, ...]) -> bool:
        """Place bets, and return whether they could be paid."""
        cost = sum(bet.amount for bet in bets)
        for bet in bets:
            if bet.insured and self.house.insurance_table:
                cost += self.house.wager(bet.chance, insured=True).premium(bet.amount).units
        if bets and self._bankroll is not None and cost > self._at_hand():
            return False
        for number, bet in enumerate(bets):
            name = f"{self.coups + 1}-{number}"
            self._do(commands.Place, stake=name, **_fields(bet))
            self._open[name] = Ended(bet, self.coups + 1, -bet.amount, 0)
        return True

    def deal(self) -> None:
        """Deal the coup, choose, settle."""
        self.coups += 1
        self._do(commands.CloseBets)
        self._prepare()
        self._do(commands.Deal)
        state = self.table.state
        if state.phase is not Phase.DEALT or state.coup is None:
            return  # voided: the cards or the marker ended the shoe
        self._last = state.coup
        for stake in state.stakes:
            self._choose(stake, self.house.chance(stake.chance).verdict(state.coup))
        self._do(commands.Settle)

    def _choose(self, stake: Stake, verdict: Verdict) -> None:
        course = self._open[stake.id].bet.course
        offered = courses(self.house, stake, verdict, opening=self.table.state.opening)
        if len(offered) > 1 and course in [one.name for one in offered]:
            choice = {"course": course, "state": stake.state, "verdict": verdict.id}
            self._do(commands.Choose, stake=stake.id, **choice)

    def _at_hand(self) -> int:
        return (self._bankroll or 0) + self.table.state.accounts.get(PLAYER, 0)

    def view(self) -> View:
        """Return the view of the player now."""
        state, shoe = self.table.state, self.table.state.shoe
        seen: tuple[Card, ...] = ()
        if isinstance(shoe, Shoe):
            seen = self.house.shoe.seen(shoe)
        ended = tuple(self._ended[self._shown :])
        self._shown = len(self._ended)
        return View(
            house=self.house,
            coup=self.coups + 1,
            coup_of_shoe=max(1, state.coup_number),
            at_hand=None if self._bankroll is None else self._at_hand(),
            standing=state.stakes,
            ended=ended,
            last=self._last,
            seen=seen,
            why_not=self._why_not,
        )

    def _why_not(self, bet: TableBet) -> TrenteError | None:
        return self.table.why_not(commands.Place(id="asked", stake="asked", **_fields(bet)))

    def played(self, *, ruined: bool) -> Played:
        """Return the result of the player."""
        return Played(self.house, self.coups, self.shoes, tuple(self._ended), ruined, self.view())


def _fields(bet: TableBet) -> dict[str, Any]:
    """Return the fields by which a bet is placed."""
    names = ("chance", "amount", "insured")
    return {"player": PLAYER, **{name: getattr(bet, name) for name in names}}


_FIRST_SHOES: Final = 32


def play_strategy(  # noqa: PLR0913 - each is given by name
    house: House,
    strategy: Strategy,
    *,
    coups: int,
    bankroll: int | None = None,
    shuffler: Shuffler | None = None,
    seed: int | None = None,
    shoes: Iterable[Shoe] | None = None,
    opening: Opening | None = None,
) -> Played:
    """Play ``coups`` coups through the real table, and then until the stakes in prison have left.

    The shoes are put in order by ``shuffler``, or are those of stream 0 of a simulation with
    this ``seed`` (which needs the extra ``fast``), or are given (prepared: burned and marked); one
    of the three. A marker that the house puts anywhere within bounds is placed by the shuffler too
    where it can draw numbers, otherwise as near to the end as possible. ``bankroll`` is in units,
    None for endless credit; the session ends early where bets cannot be paid.

    Raises ``TrenteError`` ("bad-coups", "which-shoes", "shoes-used-up"), ``BetError`` with the
    table's own code for a bet that it refuses.
    """
    if type(coups) is not int or coups < 1:
        raise TrenteError(f"{coups!r} coups cannot be played", "bad-coups", "a whole number from 1")
    sources = sum(source is not None for source in (shuffler, seed, shoes))
    if sources != 1:
        raise TrenteError(
            f"{sources} sources of shoes are given",
            "which-shoes",
            "give one of shuffler=, seed=, shoes=",
        )
    if shuffler is not None:
        shoes = shuffled_shoes(house, shuffler)
    elif seed is not None:
        shoes = simulated_shoes(house, seed, 0)
    session = StrategySession(house, iter(shoes or ()), opening or house.lowest_opening(), bankroll)
    while session.coups < coups or session.table.state.stakes:
        session.ready()
        if session.coups >= coups and not session.table.state.stakes:
            break  # the end of the shoe closed the last
        session.open()
        if session.coups < coups and not session.bet(tuple(strategy(session.view()))):
            return session.played(ruined=True)
        session.deal()
    return session.played(ruined=False)


def simulated_shoes(house: House, seed: int, stream: int) -> Iterator[Shoe]:
    """Return the shoes of a stream of a simulation, without end; ``TrenteError`` ("needs-fast")."""
    from trente_rules.simulation.flat import session_shoes  # noqa: PLC0415 - few need it

    done, many = 0, _FIRST_SHOES
    while True:
        yield from islice(session_shoes(house, seed, stream, many), done, None)
        done, many = many, 2 * many


# A staking system as a strategy: the oracle of the compiled simulation.


@define
class SystemPlayer:
    """Plays the system of a seat, asking the table before each bet; one session each.

    ``cuts`` counts how often a refusal made it start over, ``refused`` is the last one. Where even
    its first bet is refused it waits.
    """

    seat: Seat
    cuts: int = 0
    refused: str = ""
    _state: Any = field(init=False)

    def __attrs_post_init__(self) -> None:
        """Start where the system starts."""
        self._state = self.seat.system.start()

    def __call__(self, view: View) -> tuple[TableBet, ...]:
        """Take the result of the last stake, and return the next bets."""
        self.hear(view.ended)
        if view.standing:
            return ()
        bet = self._bet()
        why = view.why_not(bet)
        if why is not None and self._state != self.seat.system.start():
            self._restart(why.message)
            bet = self._bet()
        return (bet,) if view.why_not(bet) is None else ()

    def hear(self, ended: Iterable[Ended]) -> None:
        """Take the results of stakes that have left."""
        for one in ended:
            self._moved(one.result)

    def _moved(self, result: Result) -> None:
        self._state = self.seat.system.after(self._state, result)
        for refusal in self.seat.refused(self.seat.system.bet(self._state))[:1]:
            self._restart(refusal.message)

    def _restart(self, why: str) -> None:
        self._state = self.seat.system.start()
        self.cuts += 1
        self.refused = why

    def _bet(self) -> TableBet:
        bet: Bet = self.seat.system.bet(self._state)
        course = "" if self.seat.play == "default" else self.seat.play
        return TableBet(bet.chance, bet.units * self.seat.base, self.seat.insured, course)


def play_seat(seat: Seat, *, coups: int, seed: int, session: int = 0) -> Played:
    """Play one session of a seat through the real table, on the shoes that the simulation deals.

    The result is the one ``simulate_systems`` counts for that session, to the unit. Raises as
    ``play_strategy``.
    """
    return play_strategy(
        seat.house,
        SystemPlayer(seat),
        coups=coups,
        bankroll=seat.bankroll,
        shoes=simulated_shoes(seat.house, seed, session),
        opening=seat.opening,
    )
