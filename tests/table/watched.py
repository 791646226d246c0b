"""A table that is watched: after every command all is checked that holds of every table."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve
from tests.properties.cases import TABLES

from trente_rules import House, PhaseError, Shoe, Stake, Table, TrenteError
from trente_rules.core.cards import Card
from trente_rules.core.rules.announcements import coup_calls
from trente_rules.table import (
    BetsOpened,
    Command,
    Correct,
    Event,
    MemoryJournal,
    Phase,
    TableState,
    restore,
    snapshot,
)
from trente_rules.table.invariants import faults
from trente_rules.table.past import Past, past_of
from trente_rules.table.rounds import Round
from trente_rules.table.state import balance, premium_of
from trente_rules.testing import opening_of

ROOT = Path(__file__).parents[2]
ASIDE = {"carte_brulee", "dernier_coup"}
"""What is said within a coup and is no call of its cards."""


@cache
def documented() -> set[str]:
    """Return every code that the page of errors tells of."""
    return set(re.findall(r"`([a-z0-9-]+)`", (ROOT / "docs/errors.md").read_text("utf-8")))


class Books:
    """What the events alone say of the money and of the stakes: kept apart from the state."""

    def __init__(self, house: House) -> None:
        """Begin with nothing."""
        self.house = house
        self.correcting = self.direct = False
        self.players: Counter[str] = Counter()
        self.bank = 0
        self.standing: dict[str, Stake] = {}
        self.ended: Counter[str] = Counter()
        self.placed: Counter[str] = Counter()

    def write(self, event: Any) -> None:  # noqa: C901, PLR0912 - one case an event
        """Take an event into the books."""
        kind = event.kind
        if kind == "stake-placed":
            assert event.stake.id not in self.standing
            self.placed[event.stake.id] += 1
            self._paid(event.stake, event.stake.amount + event.premium)
        elif kind == "stake-increased":
            self._paid(event.stake, event.added + event.premium)
        elif kind == "stake-insured":
            self._paid(event.stake, event.premium)
        elif kind == "stake-withdrawn":
            self._paid(event.stake, -event.taken - event.premium)
            if event.left:
                self.standing[event.stake.id] = evolve(event.stake, amount=event.left)
            else:
                self._gone(event.stake)
        elif kind == "prisoner-moved":
            self.standing[event.stake.id] = event.stake
        elif kind == "coup-corrected":
            for line in event.reversed:
                self._money(line, -1)
        elif kind == "line-corrected":
            for line, sign in ((event.was, -1), (event.line, 1)):
                if line is not None:
                    self.players[line.stake.owner] -= sign * line.premium
                    self._money(line, sign)
        elif kind == "stake-corrected":
            self._lies(event.was, event.now)
        elif kind == "stake-settled" and self.correcting and event.line.verdict.id != "close":
            self._money(event.line)
            if self.direct:
                self._lies(event.line.stake, event.line.after, paid=False)
        elif kind == "stake-settled":
            if self.correcting:
                self.standing[event.line.stake.id] = event.line.stake
            self._line(event.line)
        elif kind == "coup-voided" and self.correcting:
            for line in event.lines:
                self._money(line)
                if self.direct:
                    self._lies(line.stake, line.after, paid=False)
        elif kind == "coup-voided":
            for line in event.lines:
                assert (line.won, line.forfeited, line.premium_kept) == (0, 0, 0)
                self._line(line)

    def _paid(self, stake: Stake, units: int) -> None:
        self.players[stake.owner] -= units
        self.standing[stake.id] = stake

    def _gone(self, stake: Stake) -> None:
        del self.standing[stake.id]
        self.ended[stake.id] += 1

    def _lies(self, was: Stake | None, now: Stake | None, *, paid: bool = True) -> None:
        """Let a correction change what lies on the table, and the premium on the table for it."""
        for stake, sign in ((was, 1), (now, -1)) if paid else ():
            if stake is not None:
                self.players[stake.owner] += sign * premium_of(self.house, stake)
        (name,) = {stake.id for stake in (was, now) if stake is not None}
        self.standing.pop(name, None)
        if now is not None:
            self.standing[name] = now
        self.ended[name] = self.placed[name] - (now is not None)

    def _money(self, line: Any, sign: int = 1) -> None:
        paid = line.returned + line.won + line.premium_returned
        self.players[line.stake.owner] += sign * paid
        self.bank += sign * (line.forfeited + line.premium_kept - line.won)

    def _line(self, line: Any) -> None:
        assert line.stake == self.standing[line.stake.id]
        self._money(line)
        if line.after is None:
            self._gone(line.stake)
        else:
            self.standing[line.stake.id] = line.after


def money(state: TableState) -> Any:
    """Return the money of a state: accounts that are not nought, the bank, what stands."""
    return {p: units for p, units in state.accounts.items() if units}, state.bank, state.stakes


class Watched:
    """A table, its books, and a twin restored from a snapshot that goes the same way."""

    def __init__(
        self, house: House, *, journal: MemoryJournal | None = None, purses: bool = False
    ) -> None:
        """Set the table up."""
        self.house = house
        self.table = Table(
            house, opening=opening_of(house), journal=journal, purses=purses, session="s"
        )
        self.twin: Table | None = None
        self.books = Books(house)
        self.opened: Any = None
        self.count = 0
        self.shoe_and_coup = (0, 0)
        self.done: list[Command] = []
        self.since_closed: list[Any] = []
        self.codes: Counter[str] = Counter()
        self.kinds: Counter[str] = Counter()

    @property
    def state(self) -> TableState:
        """Return the state of the table."""
        return self.table.state

    @property
    def past(self) -> Past:
        """Return the past of one of the coups that can be corrected, in turn."""
        opened = [
            Round("s", entry.shoe, event.coup)
            for entry in self.table.entries
            for event in entry.events
            if isinstance(event, BetsOpened)
        ]
        target = opened[self.count % len(opened)] if opened else None
        return past_of(self.table.entries, target, self.state)

    def do(self, kind: type[Command], **fields: Any) -> tuple[Event, ...] | None:
        """Give a command with the next id; None where it is refused, and nothing is changed."""
        self.count += 1
        return self.give(kind(id=f"c{self.count}", **fields))

    def give(self, command: Command) -> tuple[Event, ...] | None:
        """Give a command, check what holds, answer its events, or None where it is refused."""
        before, allowed = self.state, self.table.allowed()
        why = self.table.why_not(command)
        assert self.state is before
        try:
            events = self.table.do(command)
        except TrenteError as error:
            self._refused(command, before, error, why)
            return None
        secret = why is not None and why.code == "card-secret"
        assert why is None or secret
        assert self.table.can(command)  # it is done
        assert command.kind in allowed
        self._took(command, before, events)
        return events

    def _refused(
        self, command: Command, before: TableState, error: TrenteError, why: TrenteError | None
    ) -> None:
        assert self.state is before
        assert why is not None
        if why.code != "card-secret":  # a question about a card is never answered
            assert (why.code, why.message) == (error.code, error.message)
        assert error.code in documented(), error.code
        assert error.message
        self.codes[error.code] += 1
        if self.twin:
            assert not self.twin.can(command)

    def _took(self, command: Command, before: TableState, events: tuple[Any, ...]) -> None:
        state = self.state
        self.done.append(command)
        self.kinds[command.kind] += 1
        assert balance(state) == 0
        assert list(faults(state)) == []
        assert state.events == before.events + len(events)
        corrected = any(event.kind == "coup-corrected" for event in events)
        self.books.correcting = corrected
        if corrected and isinstance(command, Correct):
            past = past_of(self.table.entries[:-1], command.target, before)
            between = before.phase in (Phase.READY, Phase.NO_SHOE)
            self.books.direct = past.direct and between
        for place, event in enumerate(events):
            TABLES.see(self.house, event)
            self.books.write(event)
            self._numbered(event)
            self._called(event, events[place + 1 :])
        self._books_agree(state)
        self._cards(command, before, state, events)
        if any(e.kind == "coup-voided" for e in events) and not self.books.correcting:
            self._voided(state, events)
        if self.books.correcting:
            self.opened = None
        if command.kind == "open-bets" and state.phase is Phase.BETTING:
            self.opened = money(state)
        if self.twin:
            assert self.twin.do(command) == events
            assert self.twin.state == state
            assert self.twin.allowed() == self.table.allowed()

    def _numbered(self, event: Any) -> None:
        """Check that shoes and coups are counted one by one."""
        shoe, coup = self.shoe_and_coup
        if event.kind == "shoe-opened" and self.house.shoe.every_coup:
            self.shoe_and_coup = (1, coup)  # the cards of the next coup
            assert event.shoe == 1
        elif event.kind == "shoe-opened":
            self.shoe_and_coup = (shoe + 1, 0)
            assert event.shoe == shoe + 1
        elif event.kind == "bets-opened":
            self.shoe_and_coup = (shoe, coup + 1)
            assert event.coup == coup + 1
        elif event.kind == "bets-closed":
            assert event.coup == coup
        elif event.kind == "coup-corrected":
            assert (event.shoe, event.number) <= (shoe, coup)
        elif event.kind in ("coup-dealt", "coup-settled", "coup-voided"):
            assert event.number == coup or self.books.correcting

    def _books_agree(self, state: TableState) -> None:
        assert {p: n for p, n in state.accounts.items() if n} == {
            p: n for p, n in self.books.players.items() if n
        }
        assert state.bank == self.books.bank
        assert {stake.id: stake for stake in state.stakes} == self.books.standing
        for stake, times in self.books.placed.items():
            assert times == self.books.ended[stake] + (stake in self.books.standing)

    def _voided(self, state: TableState, events: tuple[Any, ...]) -> None:
        """Check that a void gives all back; the end of the shoe may close prisoners then."""
        closed_too = any(event.kind == "stake-settled" for event in events)
        if not closed_too and self.opened is not None:  # no earlier coup was corrected since
            assert money(state) == self.opened

    def _cards(
        self, command: Command, before: TableState, state: TableState, events: tuple[Any, ...]
    ) -> None:
        """Check that no card comes back or changes its place, and each comes out in its turn."""
        old, new = before.shoe, state.shoe
        out = [event for event in events if event.kind in ("card-turned", "card-burned")]
        if isinstance(old, Shoe) and out:
            assert [e.place for e in out] == [old.position + n + 1 for n in range(len(out))]
            assert all(event.card is old.cards[event.place - 1] for event in out)
        if old is None or new is None or command.kind in ("open-shoe", "cut", "correct"):
            return
        assert new.position >= old.position
        if isinstance(old, Shoe) and isinstance(new, Shoe):
            assert new.cards is old.cards or new.cards == old.cards
            if old.marker is not None:
                assert new.marker == old.marker

    def _called(self, event: Any, after: tuple[Any, ...]) -> None:
        """Check that calls come right behind what they are about, and a coup's are whole."""
        words = self.house.words
        if event.kind == "bets-opened":
            self._next(after, ["faites_vos_jeux"])
        elif event.kind == "bets-closed":
            self.since_closed = []
            self._next(after, ["les_jeux_sont_faits", "rien_ne_va_plus"])
        elif event.kind == "coup-voided" and (self.books.direct or not self.books.correcting):
            self._next(after, ["coup_annule"])
        elif event.kind == "shoe-ended":
            self._next(after, ["les_cartes_passent"])
        elif event.kind == "card-burned":
            self._next(after, ["carte_brulee"])
        elif event.kind == "card-turned" or (event.kind == "announced" and self.since_closed):
            self.since_closed.append(event)
        elif event.kind == "coup-dealt":
            turned = [e.card for e in self.since_closed if e.kind == "card-turned"]
            if tuple(turned) != event.coup.cards:  # a correction has no cards turned
                return
            result = []
            for each in after:
                if each.kind != "announced":
                    break
                result.append(each)
            said = [e for e in (*self.since_closed, *result) if e.kind == "announced"]
            expected = coup_calls(
                self.house.announcements,
                words,
                event.coup,
                self.state.house.deal.first_colour,
                {k: v for k, v in event.verdicts if k in self.house.deal.chances},
            )
            spoken = [(e.phrase, e.values) for e in said if e.phrase not in ASIDE]
            spoken = [each for each in spoken if each[0] != "ajouter_a_la_banque"]
            assert spoken == [(call.phrase, call.values) for call in expected]
            self.since_closed = []

    def _next(self, after: tuple[Any, ...], phrases: list[str]) -> None:
        words = self.house.words
        wanted = [phrase for phrase in phrases if words.calls(phrase)]
        said = [e.phrase for e in after[: len(wanted)] if e.kind == "announced"]
        assert said == wanted

    def again(self, place: int) -> None:
        """Give an earlier command of this shoe again, and another one under its id."""
        entries = self.table.taille
        if not entries:
            return
        entry = entries[place % len(entries)]
        command, events = entry.command, entry.events
        before = self.state
        assert self.table.do(command) is events
        assert self.state is before
        with pytest.raises(PhaseError) as caught:
            self.table.do(evolve(command, round=Round("another", 1, 1)))
        assert caught.value.code == "same-id"
        assert self.state is before

    def restored(self) -> None:
        """Take a snapshot, restore it, and let what is restored go on beside the table."""
        text = snapshot(self.table)
        self.twin = restore(text, self.house)
        assert self.twin.state == self.state
        assert self.twin.taille == self.table.taille
        assert snapshot(self.twin) == text


def card_at(order: tuple[Card, ...], position: int) -> Card:
    """Return the card a live shoe hands in: one order, known to the dealer's helper alone."""
    return order[position % len(order)]
