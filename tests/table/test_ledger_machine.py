"""Money at any table: after every command the movements, the events and the rules agree.

A table is driven by slips, choices, settlements, corrections of any coup, other limits, commands
sent again after many shoes, refused ones, recovery and rotation. The ledgers are those of
``tests.table.ledgers``; each knows one source alone.
"""

from __future__ import annotations

from collections import Counter
from functools import cache
from itertools import starmap
from random import Random
from typing import Any

import pytest
from attrs import evolve
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule
from tests.properties.cases import TABLES
from tests.properties.meeting import meets_at
from tests.properties.shipped import any_house, names, shipped
from tests.table.ledgers import EventBook, MovementBook, Played, check_rounds, expected, nonzero
from tests.table.ten_players import dice_of

from trente_rules import CardError, House, PhaseError, Table, TrenteError, loads_house
from trente_rules.core.cards import PACK, Card
from trente_rules.core.chances import Verdict
from trente_rules.core.coup import Coup
from trente_rules.core.stakes import Stake
from trente_rules.table import (
    Burn,
    Choose,
    CloseBets,
    CloseSession,
    Command,
    Correct,
    Cut,
    Deal,
    EndShoe,
    Entry,
    Increase,
    Insure,
    MemoryJournal,
    MovePrisoner,
    OpenBets,
    OpenShoe,
    Phase,
    Place,
    PlaceMarker,
    PlayerCommand,
    Post,
    Retract,
    Settle,
    Slip,
    SlipBet,
    Statistics,
    Turn,
    VoidCoup,
    Withdraw,
    balance,
    coups,
    faults,
    recover,
)
from trente_rules.testing import coup_with, opening_of, stacked_shoe

pytestmark = pytest.mark.slow

MET: Counter[str] = Counter()
"""The cases that were met, over all examples of a test."""
POINTS = ((31, 31), (31, 31), (31, 40), (40, 31), (35, 35), (33, 32))
PLAYERS = ("ann", "bob", "cy/d", "Žofie ☂")


@cache
def orders(packs: int, burn: Any) -> tuple[tuple[Card, ...], ...]:
    """Return orders of whole packs that put many stakes in prison."""
    made = []
    for seed in range(6):
        dice = dice_of(seed)
        for length in (12, 6, 3):
            points = [dice.choice(POINTS) for _ in range(length)]
            try:
                made.append(stacked_shoe(starmap(coup_with, points), packs, burn=burn).cards)
            except CardError:
                continue
            break
    return tuple(made)


class Floor:
    """A table, its ledgers, and those who act at it."""

    def __init__(self, house: House, *, live: bool) -> None:
        """Open the table."""
        self.house, self.live = house, live
        self.journal: Any = MemoryJournal()
        self.table = Table(house, opening=opening_of(house), journal=self.journal)
        self.by_movements, self.by_events = MovementBook(), EventBook(house)
        self.played: list[Played] = []
        self.entries: list[Entry] = []
        self.order: tuple[Card, ...] = ()
        self.number = 0

    # Commands

    def name(self) -> str:
        """Return an id that was not used."""
        self.number += 1
        return f"c/{self.number}"

    def do(self, kind: type[Command], **fields: Any) -> Entry | None:
        """Give a new command, and check all that holds; None where it is refused."""
        return self.give(kind(id=self.name(), **fields))

    def give(self, command: Command) -> Entry | None:
        """Give a command that is new, and check all that holds; None where it is refused."""
        before, asked = self.table.state, None
        try:
            if isinstance(command, PlayerCommand | Correct):
                asked = self.table.preview(command)
            entry = self.table.execute(command)
        except TrenteError as error:
            assert self.table.state is before
            assert self.journal.find(*command.key) is None
            MET[f"refused: {error.code}"] += 1
            return None
        assert asked in (None, entry)
        assert not entry.repeated
        check_rounds(entry, before.round)
        for event in entry.events:
            TABLES.see(self.house, event)
        self.took(command, entry)
        return entry

    def took(self, command: Command, entry: Entry) -> None:
        """Enter a command in the ledgers, and compare them."""
        self.entries.append(entry)
        self.by_movements.take(entry.movements)
        self.by_events.take(entry.events)
        self.follow(command, entry)
        MET[command.kind] += 1
        self.check()
        if isinstance(command, Correct | Settle | OpenBets | EndShoe | CloseSession):
            self.check_rules()

    def check(self) -> None:
        """Compare the ledgers with each other and with the state."""
        state = self.table.state
        accounts = nonzero(dict(state.accounts))
        assert nonzero(self.by_movements.players) == accounts
        assert nonzero(self.by_events.players) == accounts
        assert self.by_events.bank == state.bank
        assert self.by_events.lying == {stake.id: stake for stake in state.stakes}
        assert balance(state) == 0
        assert list(faults(state)) == []

    def check_rules(self) -> None:
        """Compare what each stake moved with what the rules alone say of the coups as they are."""
        state = self.table.state
        sums, lying = expected(self.played)
        moved = dict(self.by_movements.stakes)
        assert moved == {key: sums.get(key[1], 0) for key in moved}
        assert lying == {each.id: each for each in state.stakes}

    def follow(self, command: Command, entry: Entry) -> None:
        """Note how the coups count now, from what was asked and what was shown."""
        if isinstance(command, Correct) and any(e.kind == "coup-corrected" for e in entry.events):
            self.follow_correction(command, entry)
            return  # another correction is of the coup that is on, as its other events are
        for event in entry.events:
            self.follow_event(event)
        state = self.table.state
        if state.in_coup and self.played and self.played[-1].number[1] == state.coup_number:
            step = self.played[-1]
            step.house = state.house
            step.fresh = {each.id: each for each in state.stakes if each.free}
            step.choices = {(c.stake, c.state, c.verdict): c.course for c in state.choices}

    def follow_event(self, event: Any) -> None:
        """Note what an event says of the coups; not of a correction."""
        state = self.table.state
        if event.kind == "bets-opened":
            number = (state.shoe_number, event.coup)
            self.played.append(Played(state.house, state.opening, number))
        elif event.kind == "prisoner-moved":
            self.played[-1].moved[event.stake.id] = event.stake.chance, event.stake.position
        elif event.kind == "stake-insured" and not event.stake.free:
            self.played[-1].insured.add(event.stake.id)
        elif event.kind == "coup-dealt":
            self.played[-1].coup = event.coup
        elif event.kind == "coup-settled":
            self.played[-1].settled = True
        elif event.kind == "coup-voided" and self.played:
            self.played[-1].settled = self.played[-1].void = True
        elif event.kind == "session-closed" or (
            event.kind == "shoe-ended" and self.house.shoe.prisoners_at_end == "close"
        ):
            self.played.append(Played(state.house, state.opening, closes=True))

    def target(self, command: Any) -> Played:
        """Return the coup that a correction is of."""
        coups = [each for each in self.played if each.settled]
        if command.target is None:
            return coups[-1]
        number = command.target.shoe, command.target.coup
        return next(each for each in coups if each.number == number)

    def follow_correction(self, command: Any, entry: Entry) -> None:
        """Note what a correction asks for."""
        step = self.target(command)
        later = self.played[self.played.index(step) + 1 :]
        MET["corrections of a void coup"] += step.void
        MET["corrections of an earlier shoe"] += step.number[0] < self.table.state.shoe_number
        MET["corrections while a coup is on"] += self.table.state.in_coup
        MET["corrections before later coups"] += any(each.settled for each in later)
        kinds = Counter(event.kind for event in entry.events)
        MET["corrections with prisoners that lived on"] += kinds["line-corrected"] > 0
        MET["corrections of what lies on the table"] += kinds["stake-corrected"] > 0
        MET["corrections that move money"] += bool(entry.movements)
        step.void = command.void
        if command.cards:
            step.coup = Coup.of_cards(command.cards)
        _sums, lying = expected(self.played, step)
        for stake, course in command.choices:
            step.choices[stake, lying[stake].state, step.verdict(lying[stake])] = course
        closes, phase = self.house.shoe.prisoners_at_end == "close", self.table.state.phase
        if closes and not later and phase is Phase.NO_SHOE:  # the shoe ends with that coup now
            self.played.append(Played(step.house, step.opening, closes=True))
        if len(later) == 1 and later[0].closes and phase is Phase.READY:  # it does not any more
            self.played.pop()

    # Those who act

    def onwards(self, dice: Random) -> None:
        """Do what a croupier does next."""
        state, rule = self.table.state, self.house.shoe
        match state.phase:
            case Phase.NO_SHOE:
                self.order = dice.choice(orders(rule.packs, rule.burn))
                self.do(OpenShoe, cards=None if self.live else self.order)
            case Phase.CUT:
                named = self.live and self.house.deal.first_row == "cut"
                card = Card(1, dice.choice("♠♥")) if named else None
                self.do(Cut, by=rule.cut_by, card=card)
            case Phase.BURN:
                shown = rule.shown(rule.burned(self.order[0])) if self.live else 0
                self.do(Burn, cards=self.order[:shown])
            case Phase.MARK if rule.marker:
                self.do(PlaceMarker, by=rule.marker.placed_by)
            case Phase.READY:
                self.do(OpenBets)
            case Phase.BETTING:
                self.do(CloseBets)
            case Phase.CLOSED | Phase.DEALING:
                self.deal(dice)
            case Phase.DEALT:
                self.do(Settle)

    def deal(self, dice: Random) -> None:
        """Deal the coup, or turn a card; rarely a wrong one, that is taken back."""
        if not self.live:
            self.do(Deal)
            return
        while self.table.state.phase in (Phase.CLOSED, Phase.DEALING):
            shoe = self.table.state.shoe
            assert shoe is not None
            wrong = dice.random() < 0.04
            card = dice.choice(PACK) if wrong else self.order[shoe.position % len(self.order)]
            if self.do(Turn, card=card) is None:
                self.do(Turn, card=dice.choice(PACK))
                if dice.random() < 0.2:
                    self.do(VoidCoup, reason="no such card")
            if wrong and self.table.state.cards and dice.random() < 0.8:
                self.do(Retract, cards=dice.randint(1, min(3, len(self.table.state.cards))))

    def bets(self, dice: Random) -> None:
        """Let players bet, more or less as the house allows."""
        state = self.table.state
        player, kind = dice.choice(PLAYERS), dice.random()
        mine = [each for each in state.stakes if each.owner == player]
        if kind < 0.6 or not mine:
            bets = tuple(self.bet(dice) for _ in range(dice.choice((1, 1, 2, 3))))
            if len(bets) == 1:
                fields = {"chance": bets[0].chance, "amount": bets[0].amount}
                self.do(
                    Place, player=player, stake=bets[0].stake, insured=bets[0].insured, **fields
                )
            else:
                self.do(Slip, player=player, bets=bets, round=state.round)
        elif kind < 0.75:
            stake = dice.choice(mine)
            more = self.amount(dice, stake.chance)
            self.do(Increase, player=player, stake=stake.id, amount=more)
        else:
            stake, part = dice.choice(mine), dice.random() < 0.3
            amount = self.amount(dice, stake.chance) if part else None
            self.do(Withdraw, player=player, stake=stake.id, amount=amount)

    def prisoners(self, dice: Random) -> None:
        """Let players insure prisoners, or move them, where the house may take it."""
        for stake in self.table.state.prisoners:
            fields = {"player": stake.owner, "stake": stake.id}
            if self.house.limits_table.prisoners_move and dice.random() < 0.3:
                self.do(MovePrisoner, chance=dice.choice(self.house.deal.chances), **fields)
            if self.house.insurance_table is not None and dice.random() < 0.3:
                self.do(Insure, **fields)

    def amount(self, dice: Random, chance: str, *, insured: bool = False) -> int:
        """Return an amount, mostly one that the house takes."""
        least = self.house.limits_table.bounds(self.table.state.opening, chance).lowest
        table = self.house.insurance_table
        if insured and table is not None:
            step = max(table.multiple, 1)
            least = max(least, -(-table.minimum_stake // step) * step)
        return dice.choice((least * dice.choice((1, 1, 2, 3, 7, 11)),) * 12 + (1,))

    def bet(self, dice: Random) -> SlipBet:
        """Return a stake, mostly one that the house takes."""
        chance = dice.choice([each.id for each in self.house.chances])
        insured = self.house.insurance_table is not None and dice.random() < 0.4
        return SlipBet(
            self.name(), chance, self.amount(dice, chance, insured=insured), insured=insured
        )

    def courses(self, stake: Stake) -> list[str]:
        """Return the courses that a house may offer for a stake at a refait."""
        wager = self.house.wager(stake.chance)
        try:
            return [course.name for course in wager.courses(stake.state, Verdict.REFAIT)]
        except TrenteError:  # a house, or a chance, without a refait
            return ["prison"]

    def choose(self, dice: Random) -> None:
        """Choose for a stake, beforehand or when the coup is dealt."""
        for stake in self.table.state.stakes:
            courses = self.courses(stake)
            if len(courses) > 1 and dice.random() < 0.5:
                course = dice.choice(courses)
                self.do(Choose, stake=stake.id, player=stake.owner, course=course)

    def correct(self, dice: Random) -> None:
        """Correct a coup: mostly the last ones, now and then one of an earlier shoe."""
        coups = [each for each in self.played if each.settled]
        if not coups:
            self.do(Correct, reason="nothing is settled", void=True)
            return
        step = dice.choice(coups[-4:]) if dice.random() < 0.7 else dice.choice(coups)
        target = evolve(self.table.state.round, shoe=step.number[0], coup=step.number[1])
        fields: dict[str, Any] = {"reason": "video", "target": target}
        if step is coups[-1] and dice.random() < 0.3:
            fields["target"] = None
        what = dice.choice(("void", "cards", "cards", "choices", "again"))
        if what == "void":
            fields["void"] = True
        elif what == "cards" and self.live:
            fields["cards"] = coup_with(*dice.choice(POINTS)).cards
        elif what == "choices" and step.coup and not step.void:
            _sums, lying = expected(self.played, step)
            stakes = list(lying.values())[:2]
            fields["choices"] = tuple((s.id, dice.choice(self.courses(s))) for s in stakes)
        self.do(Correct, **fields)

    def again(self, dice: Random) -> None:
        """Send an earlier command again, of any shoe; and another one under its id."""
        if not self.entries:
            return
        old, state = dice.choice(self.entries), self.table.state
        entry = self.table.execute(evolve(old.command, at="later"))
        assert entry.repeated
        assert (entry.events, entry.movements, entry.round) == (
            old.events,
            old.movements,
            old.round,
        )
        MET["sent again"] += 1
        MET["sent again after three shoes"] += old.round.shoe + 3 < state.shoe_number
        other = Withdraw(id=old.command.id, player=old.command.owner, stake="another")
        with pytest.raises(PhaseError) as caught:
            self.table.execute(other)
        assert caught.value.code == "same-id"
        if isinstance(old.command, PlayerCommand) and old.round != state.round:
            late = evolve(old.command, id=self.name(), round=old.round)
            assert self.give(late) is None
        assert self.table.state is state
        self.check()

    def recovered(self) -> None:
        """Continue with the table that the journal gives."""
        again = recover(self.journal)
        assert again.state == self.table.state
        for entry in again.entries:
            assert entry == self.entries[entry.sequence - 1]
        self.table = again

    def coup(self, dice: Random) -> None:
        """Play until a coup is settled, or the shoe is over."""
        state = self.table.state
        if state.phase is Phase.READY and dice.random() < 0.1:
            self.do(EndShoe)
        if state.phase is Phase.READY and dice.random() < 0.1:
            self.do(
                Post, opening=self.house.opening_with(2 * (opening_of(self.house).minimum or 1))
            )
        for _step in range(12):
            phase = self.table.state.phase
            if phase is Phase.BETTING:
                self.prisoners(dice)
                for _bet in range(dice.randint(1, 6)):
                    self.bets(dice)
                if dice.random() < 0.3:
                    self.choose(dice)
            if phase is Phase.DEALT and dice.random() < 0.5:
                self.choose(dice)
            if self.table.state.in_coup and dice.random() < 0.03:
                self.do(VoidCoup, reason="a void")
            elif phase is Phase.CLOSED and dice.random() < 0.2:
                self.bets(dice)
                self.onwards(dice)
            else:
                self.onwards(dice)
            if phase is Phase.DEALT:
                return

    def rotated(self) -> None:
        """Continue in another journal, that knows what the one of before knows."""
        journal = MemoryJournal()
        self.table.rotate(journal)
        self.journal = journal
        assert [each.id for each in journal.movements()] == list(self.by_movements.known)

    def act(self, dice: Random) -> None:
        """Do one thing of many."""
        what = dice.random()
        if what < 0.4:
            self.coup(dice)
        elif what < 0.6:  # so that a correction meets a coup that is on
            for _bet in range(3):
                self.bets(dice)
            self.onwards(dice)
        elif what < 0.84:
            self.correct(dice)
        elif what < 0.9:
            self.again(dice)
        elif what < 0.94:
            self.recovered()
        elif what < 0.96:
            self.rotated()
        else:
            self.do(EndShoe)

    def shoes_later(self, dice: Random) -> None:
        """Let some shoes pass; then send commands again, and correct coups of all of them."""
        first = self.table.state.shoe_number
        for _step in range(40):
            if self.table.state.shoe_number > first + 3 or self.house.shoe.every_coup:
                break
            if self.do(EndShoe) is None:
                self.coup(dice)
        for _time in range(4):
            self.again(dice)
            self.correct(dice)

    def closed(self) -> None:
        """Close the session where that can be; correct coups weeks later."""
        self.do(CloseSession)
        for seed in range(2):
            self.correct(dice_of(seed))
        self.recovered()
        if self.table.state.phase is Phase.ENDED:
            net: Counter[str] = Counter()
            events = [event for entry in self.entries for event in entry.events]
            for version in coups(events):
                for sign, line in version.changes():
                    net[line.stake.owner] += sign * line.player_net
            assert nonzero(net) == nonzero(dict(self.table.state.accounts))
            assert Statistics.of(events).bank_net == self.table.state.bank


SEEDS = st.integers(0, 2**32 - 1)


class AnyMoney(RuleBasedStateMachine):
    """Coups, corrections of any of them, retries, recovery, in any order, at any table."""

    floor: Floor

    @initialize(house=any_house(), live=st.booleans())
    def open(self, house: House, live: bool) -> None:  # noqa: FBT001 - hypothesis names it
        """Open a table."""
        self.floor = Floor(house, live=live)

    @rule(seed=SEEDS)
    def three_coups(self, seed: int) -> None:
        """Play three coups: stakes live on."""
        for number in range(3):
            self.floor.coup(dice_of(seed + number))

    @rule(seed=SEEDS)
    def act(self, seed: int) -> None:
        """Do one thing of many."""
        self.floor.act(dice_of(seed))

    @rule(seed=SEEDS)
    def correct(self, seed: int) -> None:
        """Correct a coup."""
        self.floor.correct(dice_of(seed))

    @rule(seed=SEEDS)
    def again(self, seed: int) -> None:
        """Send a command again."""
        self.floor.again(dice_of(seed))

    @rule()
    def recover(self) -> None:
        """Recover the table from its journal."""
        self.floor.recovered()

    def teardown(self) -> None:
        """Close the session, and correct a coup after it."""
        if hasattr(self, "floor"):
            self.floor.closed()


@pytest.mark.meets
def test_money_holds_at_any_table() -> None:
    """T14, T4c, laws 1 to 4: sums, ids, rounds, retries, reversals hold after every command."""
    meets_at(AnyMoney, "test_money_holds_at_any_table", examples=10, steps=12)


@pytest.mark.nightly
@pytest.mark.meets
def test_money_holds_at_any_table_for_long() -> None:
    """The same, over far more tables."""
    meets_at(AnyMoney, "test_money_holds_at_any_table_for_long", examples=500, steps=30)


def betting(house: House, *points: tuple[int, int]) -> Floor:
    """Return a table with a live shoe of coups with these points, and a bet of ann on it."""
    floor, rule = Floor(house, live=True), house.shoe
    floor.onwards(dice_of(0))
    floor.order = stacked_shoe(starmap(coup_with, points), rule.packs, burn=rule.burn).cards
    while floor.table.state.phase is not Phase.BETTING:
        floor.onwards(dice_of(0))
    assert floor.do(Place, stake="s", player="ann", chance="rouge", amount=1000)
    return floor


def dealt(floor: Floor) -> None:
    """Close the bets, and turn the cards of a coup."""
    assert floor.do(CloseBets)
    while floor.table.state.phase is not Phase.DEALT:
        shoe = floor.table.state.shoe
        assert shoe
        assert floor.do(Turn, card=floor.order[shoe.position])


@pytest.mark.parametrize("settled", [True, False], ids=["settled", "on"])
def test_a_premium_for_a_prisoner_that_never_was_comes_back(settled: bool) -> None:  # noqa: FBT001 - a parameter of pytest
    """T14: the coup before is void after all, and its prisoner was insured in a later coup."""
    rules = '[house]\nname = "own"\n[refait]\nrule = "prison"\n[insurance]\nrule = "rate"\n'
    house = loads_house(rules + 'rate = "1/100"\ncovers = ["free", "prison"]\n')
    floor = betting(house, (31, 31), (40, 31))
    around = floor.table.state.round
    dealt(floor)
    assert floor.do(Settle)
    assert floor.do(OpenBets)
    insured = floor.do(Insure, stake="s", player="ann")
    assert insured
    assert [move.units for move in insured.movements] == [-10]
    if settled:
        dealt(floor)
        assert floor.do(Settle)
    entry = floor.do(Correct, reason="video", target=around, void=True)
    assert entry
    told = "line-corrected" if settled else "stake-corrected"
    assert told in [event.kind for event in entry.events]
    assert floor.by_movements.players["ann"] == 0


@pytest.mark.parametrize("target", [None, 2], ids=["default", "named"])
def test_a_correction_of_the_coup_that_is_on_is_of_no_settled_one(target: int | None) -> None:
    """T4c: with cards on the table the coup that is on is the one that a correction voids."""
    floor = betting(shipped("germany-500"), (35, 35), (31, 40))
    dealt(floor)
    assert floor.do(Settle)
    assert floor.do(OpenBets)
    assert floor.do(Place, stake="t", player="bob", chance="noir", amount=1000)
    dealt(floor)
    around = target and evolve(floor.table.state.round, coup=target)
    entry = floor.do(Correct, reason="video", target=around, void=True)
    assert entry
    assert entry.events[0].kind == "coup-voided"
    assert [each.void for each in floor.played] == [False, True]


def evenings(houses: tuple[str, ...], seeds: range, acts: int) -> None:
    """Play evenings at tables of shipped houses, of known and of live shoes."""
    MET.clear()
    for name in houses:
        for seed in seeds:
            floor = Floor(shipped(name), live=bool(seed % 2))
            for number in range(acts):
                floor.act(dice_of(seed * 1000 + number))
            floor.shoes_later(dice_of(seed))
            floor.closed()
    for case in (
        "corrections of a void coup",
        "corrections of an earlier shoe",
        "corrections while a coup is on",
        "corrections with prisoners that lived on",
        "corrections of what lies on the table",
        "corrections that move money",
        "sent again after three shoes",
        "move-prisoner",
        "retract",
        "slip",
    ):
        assert MET[case], (case, MET)


def test_money_holds_in_shipped_houses() -> None:
    """T14, T5: prisoners that lived on, void coups, retries after many shoes are all met."""
    evenings(("france-2007", "campione", "italy-dispenser"), range(2), 30)


@pytest.mark.nightly
def test_money_holds_in_every_shipped_house() -> None:
    """The same in every house, for many evenings."""
    evenings(names(), range(8), 40)
