"""Drafts: what commands do at a table, worked out before the journal has them."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence

from attrs import define

from trente_rules.core.errors import BetError, PhaseError, TrenteError
from trente_rules.table.codec import surely_right
from trente_rules.table.commands import Command, Correct, Place, PlayerCommand, Slip, SlipBet
from trente_rules.table.decide import Decision, card_secret_error, decide, without_card
from trente_rules.table.entries import Entry
from trente_rules.table.memory import Memory
from trente_rules.table.movements import Movement
from trente_rules.table.placing import place_alone, place_many
from trente_rules.table.state import TableState

_Key = tuple[str, str]


@define(eq=False)
class Draft:
    """Commands that are done and that no journal has yet: their entries, and the state after.

    ``sequence`` is that of the last command, and ``new`` are the entries by their keys.
    """

    memory: Memory
    state: TableState
    sequence: int
    new: dict[_Key, Entry]

    def do(
        self,
        commands: Sequence[Command],
        expected: Sequence[Movement] | None = None,
        *,
        looked_up: bool = False,
    ) -> tuple[Entry, ...]:
        """Do commands after those of the draft, all or none; return their entries.

        Those that were done long ago are looked up in the journal first where that shall be, else
        only if there is a reason to.
        """
        if expected is not None and moved_by(self.preview_many(commands)) != tuple(expected):
            what = f"{commands[0].kind} {commands[0].id!r} would not move what was previewed"
            hint = "undo what was debited, and preview it again under another id"
            raise PhaseError(what, "other-movements", hint, self.state.phase)
        if not looked_up:
            try:
                return self._done(commands)
            except TrenteError as error:
                self.memory.check_known(error, commands)
        return self._done(commands, looked_up=True)

    def preview(self, command: Command) -> Entry:
        """Return the entry of a player's command, or of a correction, and do nothing.

        Raises ``PhaseError`` ("not-previewed") for another command, and what ``do`` raises.
        """
        earlier = self.memory.earlier(command, self.state, self.new, looked_up=True)
        if earlier is not None:
            return earlier
        decision = self.asked(command)
        if not isinstance(command, PlayerCommand | Correct):
            what = f"what {command.kind!r} would do cannot be asked in advance"
            hint = "ask about the commands of players, and about corrections"
            raise PhaseError(what, "not-previewed", hint, self.state.phase)
        return _entry(command, decision, self.sequence + 1)

    def preview_many(self, commands: Sequence[Command]) -> tuple[Entry, ...]:
        """Return the entries of commands that are done together, and do nothing.

        Raises as ``preview``, for the first that is refused.
        """
        if len(commands) == 1:
            return (self.preview(commands[0]),)
        tried = Draft(self.memory, self.state, self.sequence, dict(self.new))
        entries = []
        for command in commands:
            entries.append(tried.preview(command))
            tried.do((command,))
        return tuple(entries)

    def asked(self, command: Command) -> Decision:
        """Return the decision of a question, without a word on the cards to come."""
        asked = without_card(self.state, command)
        decision = self._decided(self.state, asked, {})
        if asked is not command:
            raise card_secret_error(self.state, command)
        return decision

    def _decided(self, state: TableState, command: Command, new: Mapping[_Key, Entry]) -> Decision:
        _check_named(command)
        if not isinstance(command, Correct):
            return decide(state, command)
        entries = (*self.new.values(), *new.values())
        return decide(state, command, self.memory.past(state, command, entries))

    def _done(self, commands: Sequence[Command], *, looked_up: bool = False) -> tuple[Entry, ...]:
        number = len(commands)
        if number == 1 and not looked_up and type(commands[0]) is Place:
            placed = self._placed(commands[0])
            if placed is not None:
                return (placed,)
        state, sequence = self.state, self.sequence
        entries: list[Entry] = []
        new: dict[_Key, Entry] = {}
        while len(entries) < number:
            command = commands[len(entries)]
            earlier = self.memory.earlier(command, state, self.new, new, looked_up=looked_up)
            if earlier is not None:
                entries.append(earlier)
                continue
            if type(command) is Place and not looked_up:
                # Placed together as far as that can be: a stake takes half the time.
                run: dict[_Key, Place] = {}
                first, around = state.events, state.round
                known = new, self.new, self.memory.entries
                state, made = place_many(state, _run_of(commands, len(entries), known, run))
                for nth, ((key, each), done) in enumerate(zip(run.items(), made, strict=False)):
                    sequence += 1
                    entry = Entry(sequence, around, each, first + nth, *done)
                    new[key] = entry
                    entries.append(entry)
                if made:
                    continue
            decision = self._decided(state, command, new)
            state, sequence = decision.state, sequence + 1
            new[command.key] = entry = _entry(command, decision, sequence)
            entries.append(entry)
        self.new |= new
        self.state, self.sequence = state, sequence
        return tuple(entries)

    def _placed(self, command: Place) -> Entry | None:
        """Place a new stake that needs no closer look: nearly every command is such a one."""
        if not surely_right(command):
            return None
        key, state = (command.player, command.id), self.state
        if key in self.memory.entries or key in self.new:
            return None
        placed = place_alone(state, command)
        if placed is None:
            return None
        self.state, events, movements = placed
        self.sequence += 1
        around = movements[0].round
        entry = Entry(self.sequence, around, command, state.events, events, movements)
        self.new[key] = entry
        return entry


def moved_by(entries: Iterable[Entry]) -> tuple[Movement, ...]:
    """Return the movements of entries, in order."""
    return tuple(movement for entry in entries for movement in entry.movements)


def _entry(command: Command, decision: Decision, sequence: int) -> Entry:
    state, events, movements = decision
    return Entry(sequence, state.round, command, state.events - len(events), events, movements)


def _run_of(
    commands: Sequence[Command],
    first: int,
    known: Sequence[Container[tuple[str, str]]],
    run: dict[tuple[str, str], Place],
) -> Iterator[Place]:
    """Yield the stakes to place from the first of these commands on, as far as all are new.

    ``run`` gets each of them, by its key.
    """
    for number in range(first, len(commands)):
        command = commands[number]
        if type(command) is not Place or not surely_right(command):
            return
        key = (command.player, command.id)
        if key in run or any(key in each for each in known):
            return
        run[key] = command
        yield command


def _check_named(command: object) -> None:
    """Refuse a new command, or a new stake, without an id.

    Journals of earlier releases may have some: there they are done again. Raises ``BetError``
    ("no-id").
    """
    if isinstance(command, Command) and command.id == "":
        hint = "give each command a separate id, and use the same id in a retry"
        raise BetError(f"a command {command.kind!r} has no id", "no-id", hint)
    placed: tuple[object, ...] = ()
    if isinstance(command, Place):
        placed = (command,)
    elif isinstance(command, Slip) and isinstance(command.bets, tuple):
        placed = command.bets
    if any(isinstance(each, Place | SlipBet) and each.stake == "" for each in placed):
        raise BetError("a stake has no id", "no-id", "name each stake: later commands refer to it")
