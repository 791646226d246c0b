"""Ledgers that are kept apart from the table: by its movements, by its events, by the rules alone.

``MovementBook`` reads units and ids and nothing else; ``EventBook`` reads lines and stakes and no
movement; ``expected`` follows one stake through the coups as they count now, by the core alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from attrs import define, evolve, field

from trente_rules import House
from trente_rules.core.chances import Verdict
from trente_rules.core.coup import Coup
from trente_rules.core.settlement import (
    close_session,
    courses,
    refusals,
    settle,
    void_coup,
    wager_of,
)
from trente_rules.core.stakes import Choice, Line, Opening, Stake
from trente_rules.table import Entry, Movement, Round, stamped
from trente_rules.table.state import premium_of

Sums = Counter[Any]
PURSE = ("bought-in", "cashed-out")


def nonzero(sums: Mapping[Any, int]) -> dict[Any, int]:
    """Return the sums that are not nought."""
    return {key: units for key, units in sums.items() if units}


class MovementBook:
    """Sums over movements: of players, and of the stakes of a player."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self.known: dict[str, Movement] = {}
        self.taken_back: set[str] = set()
        self.players: Sums = Counter()
        self.stakes: Sums = Counter()

    def take(self, movements: Iterable[Movement]) -> None:
        """Enter movements; their ids are new, and what they reverse is known and was not yet."""
        for move in movements:
            assert move.id not in self.known
            assert move.units
            if move.reverses:
                assert move.reason == "reversal"
                old = self.known[move.reverses]
                assert (old.stake, old.player, -old.units) == (move.stake, move.player, move.units)
                assert old.round == move.round
                assert not old.reverses
                assert old.id not in self.taken_back
                self.taken_back.add(old.id)
            else:
                assert move.reason != "reversal"
            self.known[move.id] = move
            if move.reason not in PURSE:
                self.players[move.player] += move.units
                self.stakes[move.player, move.stake] += move.units


class EventBook:
    """What the events say: of players, of the bank, and of the stakes on the table.

    A premium that a correction brings, or takes back, is in the lines of later coups, and on the
    table as the house sells it: no event of a bet tells of it.
    """

    def __init__(self, house: House) -> None:
        """Begin with nothing."""
        self.house = house
        self.players: Sums = Counter()
        self.bank = 0
        self.lying: dict[str, Stake] = {}

    def take(self, events: Iterable[Any]) -> None:
        """Enter the events of one command."""
        corrected = False
        for event in events:
            corrected |= event.kind == "coup-corrected"
            self._enter(event, corrected=corrected)

    def _enter(  # noqa: C901, PLR0912 - one case an event
        self, event: Any, *, corrected: bool
    ) -> None:
        kind = event.kind
        if kind == "stake-placed":
            self._pay(event.stake, event.stake.amount + event.premium)
        elif kind == "stake-increased":
            self._pay(event.stake, event.added + event.premium)
        elif kind == "stake-insured":
            self._pay(event.stake, event.premium)
        elif kind == "stake-withdrawn":
            self._pay(event.stake, -event.taken - event.premium)
            if event.left:
                self.lying[event.stake.id] = evolve(event.stake, amount=event.left)
            else:
                del self.lying[event.stake.id]
        elif kind == "prisoner-moved":
            self.lying[event.stake.id] = event.stake
        elif kind == "stake-settled":
            self._line(event.line, 1, lies=not corrected)
        elif kind == "coup-voided":
            for line in event.lines:
                self._line(line, 1, lies=not corrected)
        elif kind == "coup-corrected":
            for line in event.reversed:
                self._line(line, -1, lies=False)
        elif kind == "line-corrected":
            for line, sign in ((event.was, -1), (event.line, 1)):
                if line is not None:
                    self.players[line.stake.owner] -= sign * line.premium
                    self._line(line, sign, lies=False)
        elif kind == "stake-corrected":
            for stake, sign in ((event.was, 1), (event.now, -1)):
                if stake is not None:
                    self.players[stake.owner] += sign * premium_of(self.house, stake)
            if event.was is not None:
                assert self.lying.pop(event.was.id) == event.was
            if event.now is not None:
                assert event.now.id not in self.lying
                self.lying[event.now.id] = event.now

    def _pay(self, stake: Stake, units: int) -> None:
        self.players[stake.owner] -= units
        self.lying[stake.id] = stake

    def _line(self, line: Line, sign: int, *, lies: bool) -> None:
        received = line.returned + line.won + line.premium_returned
        self.players[line.stake.owner] += sign * received
        self.bank += sign * (line.forfeited + line.premium_kept - line.won)
        if lies:
            del self.lying[line.stake.id]
            if line.after is not None:
                self.lying[line.stake.id] = line.after


def check_rounds(entry: Entry, before: Round) -> None:
    """Check the round of each event of a command against its movements and what came before it."""
    found, now = stamped(entry), entry.round
    paid: set[tuple[str, Round]] = set()
    at = before
    for each in found:
        event: Any = each.event
        around = each.stamp.round
        match event.kind:
            case "shoe-opened":
                at = now
            case "bets-opened":
                at = evolve(at, coup=event.coup)
            case "shoe-ended" | "session-closed":
                at = evolve(at, coup=0)
            case "coup-corrected":
                at = evolve(at, shoe=event.shoe, coup=event.number)
                paid |= {(line.stake.id, _around(line, at)) for line in event.reversed}
            case "line-corrected":
                at = evolve(at, shoe=event.shoe, coup=event.coup)
                paid |= {(each.stake.id, at) for each in (event.was, event.line) if each}
            case "stake-corrected":
                at = now
                paid |= {(each.id, at) for each in (event.was, event.now) if each}
            case "stake-settled":
                at = _around(event.line, at)
                paid.add((event.line.stake.id, at))
            case "coup-voided":
                paid |= {(line.stake.id, at) for line in event.lines}
            case "bought-in" | "cashed-out":
                paid.add(("", at))
            case "stake-placed" | "stake-increased" | "stake-insured" | "stake-withdrawn":
                paid.add((event.stake.id, at))
        assert around == at, (event, before)
    assert {(move.stake, move.round) for move in entry.movements} <= paid


def _around(line: Line, at: Round) -> Round:
    """Return the round of a line: none where it was closed with a shoe or a session."""
    return evolve(at, coup=0) if line.verdict == Verdict.CLOSE else at


@define
class Played:
    """A coup as it counts now; or, where it ``closes``, an end at which stakes leave the table."""

    house: House
    opening: Opening
    number: tuple[int, int] = (0, 0)
    settled: bool = False
    coup: Coup | None = None
    void: bool = False
    choices: dict[tuple[str, str, Verdict], str] = field(factory=dict)
    fresh: dict[str, Stake] = field(factory=dict)
    """The stakes that were placed for it, as they lay when it was dealt."""
    moved: dict[str, tuple[str, int | None]] = field(factory=dict)
    insured: set[str] = field(factory=set)
    """What players did for prisoners: the chance and place they were moved to; the insured ones."""
    closes: bool = False

    def acted(self, came: Stake) -> Stake:
        """Return a prisoner with what its player did for it, as far as the house takes it."""
        stake = came
        if came.id in self.moved:
            chance, position = self.moved[came.id]
            if not came.covered or (chance, True) in self.house.wagers:
                stake = evolve(came, chance=chance, position=position)
        if came.id in self.insured and not stake.covered:
            insured = evolve(stake, insured=True)
            if not refusals(self.house, [insured], opening=self.opening):
                return insured
        return stake

    def verdict(self, stake: Stake) -> Verdict:
        """Return what a stake meets in the coup."""
        assert self.coup is not None
        chance = next(each for each in self.house.chances if each.id == stake.chance)
        return chance.verdicts[chance.table[self.coup.outcome]]

    def line(self, stake: Stake) -> Line | None:
        """Return the line of a stake, None where it is not settled yet."""
        if self.closes:
            return close_session(self.house, [stake], opening=self.opening).lines[0]
        if not self.settled:
            return None
        if self.void or self.coup is None:
            return void_coup(self.house, [stake]).lines[0]
        verdict = self.verdict(stake)
        course = self.choices.get((stake.id, stake.state, verdict))
        offered = [c.name for c in courses(self.house, stake, verdict, opening=self.opening)]
        acting = [Choice(stake.id, course, stake.state, verdict)] if course in offered else []
        return settle(self.house, self.coup, [stake], acting, opening=self.opening).lines[0]


def expected(
    played: Iterable[Played], end: Played | None = None
) -> tuple[dict[str, int], dict[str, Stake]]:
    """Return what every stake brings its player, and the stakes that lie on the table at last.

    Units paid count below zero. With ``end`` it stops before that coup is settled.
    """
    sums: Sums = Counter()
    lying: dict[str, Stake] = {}
    for step in played:
        came = lying
        lying = {name: step.acted(stake) for name, stake in came.items()} | step.fresh
        for name, stake in lying.items():
            paid = wager_of(step.house, stake).premium(stake.worth).units if stake.insured else 0
            sums[name] -= paid + (stake.amount if name in step.fresh else 0)
        if step is end:
            break
        for name, stake in tuple(lying.items()):
            line = step.line(stake)
            if line is None:
                continue
            sums[name] += line.returned + line.won + line.premium_returned
            del lying[name]
            if line.after is not None:  # a void brings a prisoner back to where it was
                lying[name] = came[name] if step.void else line.after
    return dict(sums), lying
