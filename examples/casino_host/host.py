"""The process that may be killed: the tables of a casino, and those who play there.

Each table has a thread, its croupier; the players of all tables share some more. Bets are closed
while slips are still under way, as in life: those come too late, and their debits are rolled back.
"""

import json
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from random import Random
from threading import Lock, Thread
from types import SimpleNamespace
from traceback import format_exc
from typing import NamedTuple

from casino import SIZES, coup_at, house_of, least_of, misread, opening_of, order_of, specs_of
from trente_rules import CardError, Table, TrenteError
from trente_rules.table import (
    Burn,
    BetsClosed,
    Choose,
    ChoiceOffered,
    CloseBets,
    CloseSession,
    Correct,
    CoupCorrected,
    CoupDealt,
    CoupVoided,
    Cut,
    Deal,
    EndShoe,
    Increase,
    Insure,
    MovePrisoner,
    OpenBets,
    OpenShoe,
    Phase,
    PlaceMarker,
    Retract,
    Round,
    Settle,
    Slip,
    SlipBet,
    SqliteJournal,
    Turn,
    Withdraw,
    recover,
)
from wallet import Client, RefusedError, UnreachableError
from wallet_adapter import Diary, WalletAdapter

COUNTS, COUNTING = Counter(), Lock()


def counted(what, number=1):
    """Count something that happened."""
    with COUNTING:
        COUNTS[what] += number


def say(**given):
    """Print a line for the process that watches."""
    sys.stdout.write(json.dumps(given) + "\n")
    sys.stdout.flush()


class Pending(NamedTuple):
    """A coup that was settled by cards that were read wrong: its true cards, when it is found."""

    round: Round
    cards: tuple
    when: str


class Croupier(Thread):
    """A table and its croupier."""

    def __init__(self, spec, given, pool):
        super().__init__(daemon=True)
        self.spec, self.seed, self.run_number, self.pool = spec, given.seed, given.run, pool
        _tables, _live, _players, self.shoes, self.coups = SIZES[given.size]
        self.dice = Random(f"{given.seed} {spec.name} {given.run}")
        self.house, self.least = house_of(spec.house), least_of(spec.house)
        self.journal = SqliteJournal(given.folder / f"{spec.name}.journal")
        self.client, self.diary = Client(given.port), Diary(given.folder / f"{spec.name}.diary")
        self.number, self.slips, self.settled = 0, [], []
        self.pending, self.mended, self.offers, self.failure = [], set(), [], None

    def run(self):
        """Play until the session is closed."""
        try:
            self.begin()
            while self.table.state.phase is not Phase.ENDED:
                self.step()
            self.last_corrections()
            self.adapter.pay()
        except Exception:  # noqa: BLE001 - the report has it
            self.failure = f"{self.spec.name}: {format_exc()}"

    def begin(self):
        """Open the table, or recover it."""
        if self.journal.head is None:
            fields = {"name": self.spec.name, "opening": opening_of(self.spec.house)}
            self.table = Table(self.house, journal=self.journal, **fields)
        else:
            self.table = recover(self.journal)
            for entry in self.journal.entries():
                if isinstance(entry.command, Slip):
                    self.slips.append(entry.command)
                if isinstance(entry.command, Settle):
                    self.settled.append(entry.round)
        self.adapter = WalletAdapter(self.table, self.journal, self.client, self.diary)
        self.adapter.resume()
        if self.spec.live and self.table.state.shoe_number:
            self.pending = self.misread_coups()

    def new_id(self):
        """Return an id that no other command has."""
        with COUNTING:
            self.number += 1
            return f"{self.run_number}.{self.number}"

    def do(self, kind, **fields):
        """Do a command of the staff."""
        return self.table.execute(kind(id=self.new_id(), staff="croupier", **fields)).events

    def step(self):
        """Do what a croupier does now."""
        state, rule = self.table.state, self.house.shoe
        match state.phase:
            case Phase.NO_SHOE if state.shoe_number == self.shoes:
                self.do(CloseSession)
            case Phase.NO_SHOE:
                order = order_of(self.seed, self.spec, state.shoe_number + 1)
                self.do(OpenShoe, cards=None if self.spec.live else order)
            case Phase.CUT:
                self.do(Cut, place=0 if self.spec.live else 100, by=rule.cut_by)
            case Phase.BURN:
                self.do(Burn)
            case Phase.MARK:
                self.do(PlaceMarker, by=rule.marker.placed_by)
            case Phase.READY:
                self.between()
            case Phase.BETTING:
                self.bets()
                start = self.table.state.shoe.position
                self.do(CloseBets, meta={"start": str(start)})
            case Phase.CLOSED | Phase.DEALING:
                self.offers = [*(self.scan() if self.spec.live else self.do(Deal))]
            case Phase.DEALT:
                if not self.retracted():
                    self.settle()

    def settle(self):
        """Settle the coup, and remember it where its cards are not the true ones."""
        self.choices()
        around = self.table.state.round
        if self.spec.live:
            start, true, _order = self.truth()
            wrong = misread(self.seed, self.spec, around.shoe, start, true)
            if self.table.state.cards != true:
                self.pending.append(Pending(around, true, wrong.when))
        self.do(Settle)
        self.settled.append(around)
        self.adapter.pay()
        say(coup=self.spec.name, prisoners=len(self.table.state.stakes))

    # Live cards

    def truth(self):
        """Return where the coup at hand begins in the shoe, and its cards."""
        state = self.table.state
        start = state.shoe.position - len(state.cards)
        order = order_of(self.seed, self.spec, state.shoe_number)
        return start, coup_at(order, start), order

    def scan(self):
        """Turn the next card of a live shoe, as the reader reads it."""
        if self.retracted():
            return ()
        start, true, order = self.truth()
        place = len(self.table.state.cards)
        wrong = misread(self.seed, self.spec, self.table.state.shoe_number, start, true)
        card = order[start + place]
        known = (self.table.state.shoe_number, start) in self.mended
        if wrong and wrong.place == place and not known:
            try:
                events = self.do(Turn, card=wrong.card)
            except CardError:  # it cannot be: the packs hold no more of them
                counted("wrong scans that the table refused")
            else:
                counted(f"wrong scans, found {wrong.when}")
                return events
        try:
            return self.do(Turn, card=card)
        except CardError as error:  # an earlier one was read as this card
            if error.code != "too-many-of-a-card":
                raise
            counted("wrong scans found by later cards")
            if wrong and self.take_back(wrong.place, start):
                return ()
            self.correct()
            return self.do(Turn, card=card)

    def take_back(self, place, start):
        """Take the cards of the coup back from a place on; return whether there were any."""
        state = self.table.state
        number = len(state.cards) - place
        if number > 0:
            self.do(Retract, cards=number, reason="read wrong")
            self.mended.add((state.shoe_number, start))
        return number > 0

    def retracted(self):
        """Take a card back that was read wrong, and all after it; return whether one was."""
        if not self.spec.live:
            return False
        start, true, _order = self.truth()
        state = self.table.state
        wrong = misread(self.seed, self.spec, state.shoe_number, start, true)
        read = state.cards
        if not wrong or len(read) <= wrong.place or read[wrong.place] == true[wrong.place]:
            return False
        if wrong.when != "row":
            return False
        seen = state.phase is Phase.DEALT or len(read) > wrong.place + 1
        if seen or self.dice.random() < 0.5:
            counted("wrong scans taken back in the row")
            return self.take_back(wrong.place, start)
        return False

    def misread_coups(self):
        """Return the coups of the journal whose cards are not the true ones."""
        starts, cards, now = {}, {}, None
        for entry in self.journal.entries():
            for event in entry.events:
                match event:
                    case BetsClosed():
                        now = entry.round
                        starts[now] = int(dict(entry.command.meta)["start"])
                    case CoupCorrected(number=number, shoe=shoe):
                        now = Round(entry.round.session, shoe, number)
                    case CoupDealt(coup=coup):
                        cards[now] = coup.cards
                    case CoupVoided():
                        cards.pop(now, None)
            now = entry.round
        true = {
            around: coup_at(order_of(self.seed, self.spec, around.shoe), starts[around])
            for around in cards
        }
        return [Pending(each, true[each], "later") for each in cards if cards[each] != true[each]]

    def correct(self):
        """Correct all that was read wrong: one may wait for another that has its card."""
        left = len(self.pending) + 1
        while len(self.pending) < left:
            left = len(self.pending)
            reason = "read wrong: seen on the video"
            self.pending = [
                each
                for each in self.pending
                if not self.corrected(target=each.round, cards=each.cards, reason=reason)
            ]

    def corrected(self, **fields):
        """Correct a coup; return whether the table took it, and count why not."""
        try:
            self.do(Correct, **fields)
        except TrenteError as error:
            counted(f"corrections refused: {error.code}")
            return False
        counted("corrections")
        self.adapter.pay()
        return True

    def between(self):
        """Correct what there is to correct, and open the next bets, or end the shoe."""
        state = self.table.state
        if self.spec.live and state.coup_number:
            self.look_again()
        if state.coup_number and self.dice.random() < 0.06:
            self.dispute()
        if self.table.state.phase is not Phase.READY:
            return
        if state.coup_number < self.coups:
            self.do(OpenBets)
        else:
            self.do(EndShoe)
            self.adapter.pay()

    def look_again(self):
        """Correct what was read wrong: in the last coup, or some coups ago after a complaint."""
        now = self.table.state.round
        for each in self.pending:
            last = each.round == now
            if (last and each.when == "after") or (not last and self.dice.random() < 0.3):
                when = "after the settlement" if last else "coups later"
                reason = f"read wrong, seen {when}"
                if self.corrected(target=each.round, cards=each.cards, reason=reason):
                    self.pending.remove(each)
                    counted(f"wrong scans corrected {when}")
                return

    def dispute(self):
        """Void an earlier coup, of any shoe, for a complaint."""
        wrong = {each.round for each in self.pending}
        known = [around for around in self.settled if around not in wrong]
        if known:
            target = self.dice.choice(known)
            self.corrected(target=target, void=True, reason="a complaint")

    def last_corrections(self):
        """Correct what was read wrong and is found at the end: weeks later, as it were."""
        if self.spec.live:
            self.pending = self.misread_coups()
            counted("wrong scans corrected after the session", len(self.pending))
            self.correct()
            if self.misread_coups():
                raise AssertionError("a coup does not have the cards that lay on the cloth")

    # Players

    def bets(self):
        """Let the players bet, and close while some of them are not done yet."""
        tasks = [
            self.pool.submit(self.player, player, self.dice.random())
            for player in self.spec.players
            if self.dice.random() < 0.8
        ]
        for number, task in enumerate(as_completed(tasks), 1):
            task.result()
            if number >= 0.85 * len(tasks):
                break

    def player(self, player, seed):
        """Do what a player does in a coup."""
        dice, now = Random(seed), self.table.state.round
        mine = [stake for stake in self.table.state.stakes if stake.owner == player]
        for stake in mine:
            if self.house.insurance_table and dice.random() < 0.3:
                self.ask(Insure, player, now, stake=stake.id)
            elif self.house.limits_table.prisoners_move and dice.random() < 0.3:
                chance = dice.choice(self.house.deal.chances)
                self.ask(MovePrisoner, player, now, stake=stake.id, chance=chance)
        chances = dice.sample(self.house.deal.chances, dice.choice((1, 1, 2, 3)))
        bets = [
            SlipBet(
                stake=f"{player} {self.new_id()}",
                chance=chance,
                amount=self.least * dice.choice((1, 2, 3, 5, 10, 25)),
                insured=dice.random() < 0.2,
            )
            for chance in chances
        ]
        slip = self.ask(Slip, player, now, bets=bets)
        if slip is None:
            return
        self.slips.append(slip)
        if dice.random() < 0.1:
            self.ask(Increase, player, now, stake=bets[0].stake, amount=self.least)
        if dice.random() < 0.1:
            self.ask(Withdraw, player, now, stake=bets[-1].stake)
        if dice.random() < 0.1:  # the client got no reply, perhaps long ago
            again = dice.choice(self.slips)
            entry = self.adapter.execute(again)
            if not entry.repeated:
                raise AssertionError(f"{again} was done twice")
            counted("slips sent again")

    def ask(self, kind, player, now, **fields):
        """Give a command of a player; return it, None where it is refused."""
        command = kind(id=self.new_id(), player=player, round=now, **fields)
        try:
            self.adapter.execute(command)
        except TrenteError as error:
            counted(f"{command.kind} refused: {error.code}")
        except RefusedError as error:
            counted(f"wallet: {error}")
        except UnreachableError:
            counted("wallet: given up")
        else:
            counted(command.kind)
            return command
        return None

    def choices(self):
        """Let the players choose between prison and partage, where the house does."""
        for event in self.offers:
            if isinstance(event, ChoiceOffered) and self.dice.random() < 0.6:
                stake, course = event.stake, self.dice.choice(event.courses)
                fields = {"stake": stake.id, "course": course, "verdict": event.verdict.id}
                self.ask(Choose, stake.owner, self.table.state.round, **fields)


def main():
    """Run the casino until it is closed."""
    folder, port, size, seed, run = sys.argv[1:]
    given = SimpleNamespace(folder=Path(folder), port=int(port), size=size, seed=seed, run=run)
    sys.setswitchinterval(1e-4)
    with ThreadPoolExecutor(16) as pool:
        croupiers = [Croupier(spec, given, pool) for spec in specs_of(size)]
        for croupier in croupiers:
            croupier.start()
        for croupier in croupiers:
            croupier.join()
    say(counts=COUNTS, failures=[c.failure for c in croupiers if c.failure])


if __name__ == "__main__":
    main()
