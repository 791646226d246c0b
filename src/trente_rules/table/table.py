"""``Table``: a live table, which does each command once and writes it to a journal."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from itertools import takewhile
from threading import RLock
from time import perf_counter
from types import MappingProxyType
from typing import Final, Protocol, runtime_checkable

from attrs import evolve

from trente_rules.core.errors import BetError, PhaseError, RecordError, TrenteError, shown
from trente_rules.core.house.house import House
from trente_rules.core.stakes import Opening, Stake
from trente_rules.fair.entropy import fresh_seed
from trente_rules.table.codec import surely_right
from trente_rules.table.commands import (
    Command,
    Correct,
    OpenShoe,
    Place,
    PlayerCommand,
    Slip,
    SlipBet,
)
from trente_rules.table.decide import (
    Decision,
    allowed,
    card_secret_error,
    decide,
    without_card,
)
from trente_rules.table.entries import ClosingJournal, Entry, Journal, check_journal
from trente_rules.table.events import Event
from trente_rules.table.movements import Movement
from trente_rules.table.past import NO_PAST, Past, bets_opened, meant, opens, past_of
from trente_rules.table.placing import place_alone, place_many
from trente_rules.table.rounds import Round
from trente_rules.table.state import Setup, TableState

SHOES_KEPT: Final = 3
"""Shoes whose commands a table remembers, the one at hand included; a journal has all of them."""
_SESSION_BYTES: Final = 16
_NO_OPENING: Final = Opening()
_NONE: Final[Mapping[tuple[str, str], Entry]] = MappingProxyType({})


@runtime_checkable
class Observer(Protocol):
    """An onlooker of a table: it is called after each command, done or refused.

    It is called in the thread of the command, inside the table's lock, in the order in which the
    commands were done: it should be quick, and never wait for a thread that uses the table. What it
    raises is logged by ``logging`` under ``trente_rules.table``, and changes nothing. Questions
    (``can``, ``why_not``, ``verify``, ``preview``) are not observed. An entry is for the host
    alone: that of an opened shoe holds the cards to come.
    """

    def done(self, table: Table, entries: Sequence[Entry], seconds: float, /) -> None:
        """Look at commands that were done together, most often one; the state is that after them.

        ``seconds`` is how long they took, the journal included.
        """

    def refused(
        self, table: Table, commands: Sequence[Command], error: Exception, seconds: float, /
    ) -> None:
        """Look at commands of which one was refused, so that none was done; ``error`` says why."""


def _checked(observer: object) -> Observer:
    if not isinstance(observer, Observer):
        hint = "it needs both methods, done and refused"
        raise TrenteError(f"{shown(observer)} is not an observer", "bad-setup", hint)
    return observer


class Table:
    """A table of any number of players: commands in, events and movements of money out.

    It may be used from many threads: each command is done as a whole, one after the other.
    ``state`` may be read at any time.
    """

    def __init__(  # noqa: PLR0913 - a table has so many parts, each with its name
        self,
        house: House,
        *,
        name: str = "table",
        opening: Opening = _NO_OPENING,
        journal: Journal | None = None,
        state: TableState | None = None,
        entries: Iterable[Entry] = (),
        purses: bool = False,
        session: str = "",
        observers: Iterable[Observer] = (),
    ) -> None:
        """Set a table up; ``opening`` is needed where the house sets its minimum daily.

        With ``purses`` players buy in before they bet, and the bank does not advance. ``session``
        names the session of this one table for ever, in the ids of its rounds and movements: never
        give it to another table, or on another evening. Without it 128 bits are drawn from the
        operating system.

        With ``state`` and ``entries`` the table continues from there; name, opening, purses and
        session are those of the state. A ``journal`` must be new: ``recover`` continues one that
        holds a table. ``observers`` are told of every command; ``observe`` adds more.

        Raises ``TrenteError`` ("bad-setup") for an argument of another type or without its methods,
        ``BetError`` ("opening-needed", "no-such-table") where the minimum is not known, and
        ``RecordError`` ("journal-in-use") where the journal holds a table.
        """
        if journal is not None:
            check_journal(journal)
        if state is None:
            drawn = session or fresh_seed(_SESSION_BYTES).hex()
            state = TableState(Setup(house, name, opening, purses, drawn))
        self._state = state
        house.check_opening(self._state.opening)
        self._entries = {entry.key: entry for entry in entries}
        # Until entries are forgotten, or read from the journal, this is what lay before them.
        # None where they begin within a shoe: then a past is read from the journal.
        self._lying: Sequence[Stake] | None = (
            () if bets_opened(self._entries.values()) else state.stakes
        )
        self._sequence = max((entry.sequence for entry in self._entries.values()), default=0)
        opened = [e.sequence for e in self._entries.values() if isinstance(e.command, OpenShoe)]
        self._opened = tuple(opened[-SHOES_KEPT:])
        self._journal = journal
        self._lock = RLock()
        self._observers = tuple(map(_checked, observers))
        if journal is not None:
            journal.begin(self._state, self.entries)

    @classmethod
    def going_on(
        cls,
        state: TableState,
        entries: Iterable[Entry],
        journal: Journal,
        *,
        sequence: int = 0,
        within: bool = False,
    ) -> Table:
        """Return a table that continues a journal that led to this state; see ``recover``.

        ``sequence`` is that of the last command before these entries; with ``within`` they do not
        begin where a shoe opened.
        """
        table = cls(state.house, state=state, entries=entries)
        table._journal = journal
        table._sequence = max(table._sequence, sequence)
        if within:
            table._lying = None
        return table

    def observe(self, observer: Observer) -> None:
        """Call an observer after every further command, as those that the table was made with.

        Raises ``TrenteError`` ("bad-setup") for one that has not both methods of ``Observer``.
        """
        with self._lock:
            self._observers += (_checked(observer),)

    @property
    def state(self) -> TableState:
        """The state between two commands."""
        return self._state

    @property
    def house(self) -> House:
        """The house the table is run by."""
        return self._state.setup.house

    @property
    def entries(self) -> tuple[Entry, ...]:
        """The entries of the last shoes, the oldest first."""
        with self._lock:
            return tuple(self._entries.values())

    @property
    def taille(self) -> tuple[Entry, ...]:
        """The entries since the last shoe was opened, with its opening."""
        entries = self.entries
        if self._journal is not None and self._lying is None and not self._opened:
            with self._lock:  # the table was recovered within the shoe
                entries = tuple(self._journal.since(self._state.shoe_number))
        opened = [n for n, entry in enumerate(entries) if isinstance(entry.command, OpenShoe)]
        return entries[opened[-1] :] if opened else entries

    def do(self, command: Command) -> tuple[Event, ...]:
        """Do a command and return its events; see ``execute``."""
        return self.execute(command).events

    def execute(self, command: Command, *, expected: Sequence[Movement] | None = None) -> Entry:
        """Do a command; return its events and movements.

        A command that was done before is not done again: its entry is returned as it was, with
        ``repeated`` set. Raises ``PhaseError`` ("same-id") for another command of the same player
        and id, and whatever ``decide`` raises; the table is then unchanged. With a journal the
        command is durable before this returns.

        ``expected`` are the movements of its preview, for which a wallet was debited: where the
        command would now move other units, it is refused with ``PhaseError`` ("other-movements").
        """
        with self._lock:
            if expected is not None or self._observers:
                return self._run((command,), expected)[0]
            try:
                return self._one(command)
            except TrenteError as error:
                self._check_known(error, (command,))
            return self._done((command,), looked_up=True)[0]

    def do_many(self, commands: Sequence[Command]) -> tuple[Entry, ...]:
        """Do several commands, all of them or none; return their entries.

        They are durable together. Raises what ``execute`` raises for the first that is refused.
        """
        return self._run(commands)

    def _run(
        self, commands: Sequence[Command], expected: Sequence[Movement] | None = None
    ) -> tuple[Entry, ...]:
        with self._lock:
            if not self._observers:
                return self._do_many(commands, expected)
            return self._observed(commands, expected)

    def _observed(
        self, commands: Sequence[Command], expected: Sequence[Movement] | None
    ) -> tuple[Entry, ...]:
        """Do commands, and call the observers, done or refused."""
        begin = perf_counter()
        try:
            entries = self._do_many(commands, expected)
        except Exception as error:
            seconds = perf_counter() - begin
            for observer in self._observers:
                self._call(observer.refused, commands, error, seconds)
            raise
        seconds = perf_counter() - begin
        for observer in self._observers:
            self._call(observer.done, entries, seconds)
        return entries

    def _call(self, look: Callable[..., None], *about: object) -> None:
        """Call an observer; what it raises is logged, and harms no command."""
        try:
            look(self, *about)
        except Exception:
            import logging  # noqa: PLC0415 - only a fault needs it

            logging.getLogger("trente_rules.table").exception(
                "an observer of table %r failed", self._state.setup.table
            )

    def _do_many(
        self, commands: Sequence[Command], expected: Sequence[Movement] | None
    ) -> tuple[Entry, ...]:
        if expected is not None and self.preview(commands[0]).movements != tuple(expected):
            what = f"{commands[0].kind} {commands[0].id!r} would not move what was previewed"
            hint = "undo what was debited, and preview it again under another id"
            raise PhaseError(what, "other-movements", hint, self._state.phase)
        try:
            return self._done(commands, looked_up=False)
        except TrenteError as error:
            self._check_known(error, commands)
        return self._done(commands, looked_up=True)

    def _check_known(self, error: TrenteError, commands: Iterable[Command]) -> None:
        """Raise an error again, unless its reason may be that a command was done long ago.

        Only then is that looked up, so that a new command never waits for it.
        """
        # Where the journal refuses, the table may not be where the journal ends.
        if isinstance(error, RecordError) and error.code != "same-id":
            raise error
        if not self._any_known(commands):
            raise error

    def preview(self, command: Command) -> Entry:
        """Return what ``execute`` would return now; nothing is changed or kept.

        The commands of players can be asked about, and corrections: what they cost is known before
        a wallet is debited, by the ids of the movements. Raises ``PhaseError`` ("not-previewed")
        for another command, whose events would show what is to come, and what ``execute`` raises.
        """
        with self._lock:
            earlier = self._earlier(command, looked_up=True)
            if earlier is not None:
                return earlier
            decision = self._asked(command)
            if not isinstance(command, PlayerCommand | Correct):
                what = f"what {command.kind!r} would do cannot be asked in advance"
                hint = "ask about the commands of players, and about corrections"
                raise PhaseError(what, "not-previewed", hint, self._state.phase)
            return self._entry(command, decision, self._sequence + 1)

    def rotate(self, journal: Journal) -> None:
        """Continue in a new journal, which is linked to the one of before; that takes no more.

        A table without a journal begins to write one. The new journal has the ids of all commands
        of the session. Raises ``RecordError``: "journal-in-use" where the new one holds a table,
        "journal-moved" where the old one does not end where the table is, "no-rotation" where the
        old one cannot be closed for good, or not for a journal of another class; and
        ``TrenteError`` ("bad-setup") for what is no journal. The table then continues in the old
        one.
        """
        check_journal(journal)
        with self._lock:
            if self._journal is None:
                journal.begin(self._state, self.entries)
            elif not isinstance(self._journal, ClosingJournal):
                what = "this journal cannot be closed for good"
                raise RecordError(what, "no-rotation", "give it the method hand_over")
            else:
                self._journal.hand_over(journal, self._state, self.entries)
            self._journal = journal

    def earlier(self, command: Command) -> Entry | None:
        """Return the entry of a command that was done before, None where it was not.

        Raises ``PhaseError`` ("same-id") for another command of the same player and id.
        """
        with self._lock:
            return self._earlier(command, looked_up=True)

    def verify(self, command: Command) -> None:
        """Raise what ``do`` would raise; change nothing.

        A question does not find a card to come: one that names a card of a shoe whose order is
        known raises ``PhaseError`` ("card-secret"), whatever the card is.
        """
        with self._lock:
            if self._earlier(command, looked_up=False) is not None:
                return
            try:
                self._asked(command)
            except TrenteError:
                if not self._any_known((command,)):
                    raise
                self._earlier(command, looked_up=True)
            else:
                if self._any_known((command,)):  # long ago, this one or another of its id
                    self._earlier(command, looked_up=True)

    def can(self, command: Command) -> bool:
        """Return whether ``do`` would take the command."""
        return self.why_not(command) is None

    def why_not(self, command: Command) -> TrenteError | None:
        """Return why ``do`` would refuse the command, None where it would not."""
        try:
            self.verify(command)
        except TrenteError as error:
            return error
        return None

    def allowed(self) -> tuple[str, ...]:
        """Return the kinds of command that can be taken now."""
        return allowed(self._state)

    def _asked(self, command: Command) -> Decision:
        """Return the decision of a question, without a word on the cards to come."""
        asked = without_card(self._state, command)
        decision = self._decide(self._state, asked)
        if asked is not command:
            raise card_secret_error(self._state, command)
        return decision

    def _decide(self, state: TableState, command: Command, new: Iterable[Entry] = ()) -> Decision:
        _check_named(command)
        return decide(state, command, self._past(state, command, new))

    def _past(self, state: TableState, command: Command, new: Iterable[Entry] = ()) -> Past:
        """Return the past that a correction needs: from memory, or from the journal."""
        if not isinstance(command, Correct):
            return NO_PAST
        target = command.target if isinstance(command.target, Round) else None  # else it is refused
        target = meant(state, target)
        entries: Iterable[Entry] = (*self._entries.values(), *new)
        lying = self._lying
        if self._journal is not None and (lying is None or not opens(entries, target)):
            entries = (*self._journal.since(target.shoe), *new)
            lying = ()
        return past_of(entries, target, state, lying=lying or ())

    def _one(self, command: Command) -> Entry:
        """Do one command, as ``_done`` does it, in less time."""
        if type(command) is Place and (entry := self._placed(command)) is not None:
            return entry
        key = _key(command)
        if key is None or key in self._entries:
            return self._done((command,), looked_up=False)[0]
        decision = self._decide(self._state, command)
        entry = self._entry(command, decision, self._sequence + 1)
        if self._journal is not None:
            self._journal.append((entry,), decision.state)
        self._entries[key] = entry
        self._state, self._sequence = decision.state, entry.sequence
        if type(command) is OpenShoe:
            self._forget(entry)
        return entry

    def _placed(self, command: Place) -> Entry | None:
        """Place a new stake that needs no closer look: nearly every command is such a one."""
        if not surely_right(command):
            return None
        key, state = (command.player, command.id), self._state
        placed = None if key in self._entries else place_alone(state, command)
        if placed is None:
            return None
        new, events, movements = placed
        sequence, around = self._sequence + 1, movements[0].round
        entry = Entry(sequence, around, command, state.events, events, movements)
        if self._journal is not None:
            self._journal.append((entry,), new)
        self._entries[key] = entry
        self._state, self._sequence = new, sequence
        return entry

    def _done(self, commands: Sequence[Command], *, looked_up: bool) -> tuple[Entry, ...]:
        state, sequence = self._state, self._sequence
        entries: list[Entry] = []
        new: dict[tuple[str, str], Entry] = {}
        while len(entries) < len(commands):
            command = commands[len(entries)]
            earlier = self._earlier(command, new, looked_up=looked_up)
            if earlier is not None:
                entries.append(earlier)
                continue
            if type(command) is Place and not looked_up:
                # Placed together as far as that can be: a stake takes half the time.
                run: dict[tuple[str, str], Place] = {}
                first, around = state.events, state.round
                state, made = place_many(state, self._run_of(commands, len(entries), new, run))
                for number, ((key, each), done) in enumerate(zip(run.items(), made, strict=False)):
                    sequence += 1
                    entry = Entry(sequence, around, each, first + number, *done)
                    new[key] = entry
                    entries.append(entry)
                if made:
                    continue
            decision = self._decide(state, command, new.values())
            state, sequence = decision.state, sequence + 1
            new[command.key] = entry = self._entry(command, decision, sequence)
            entries.append(entry)
        if new:
            self._keep(new, state)
        return tuple(entries)

    def _run_of(
        self,
        commands: Sequence[Command],
        first: int,
        new: Container[tuple[str, str]],
        run: dict[tuple[str, str], Place],
    ) -> Iterator[Place]:
        """Yield the stakes to place from the first of these commands on, as far as all are new.

        ``run`` gets each of them, by its key.
        """
        known = self._entries
        for number in range(first, len(commands)):
            command = commands[number]
            if type(command) is not Place or not surely_right(command):
                return
            key = (command.player, command.id)
            if key in run or key in new or key in known:
                return
            run[key] = command
            yield command

    def _keep(self, new: dict[tuple[str, str], Entry], state: TableState) -> None:
        """Write entries to the journal, and then continue from the state after them."""
        if self._journal is not None:
            self._journal.append(tuple(new.values()), state)
        self._entries |= new
        self._state, self._sequence = state, self._sequence + len(new)
        for entry in new.values():
            if type(entry.command) is OpenShoe:
                self._forget(entry)

    def _entry(self, command: Command, decision: Decision, sequence: int) -> Entry:
        state, events, movements = decision
        return Entry(sequence, state.round, command, state.events - len(events), events, movements)

    def _forget(self, opened: Entry) -> None:
        """Forget the entries of the shoes that are too long ago, when another is opened."""
        self._opened = (*self._opened, opened.sequence)[-SHOES_KEPT:]
        if len(self._opened) < SHOES_KEPT:
            return
        first, known = self._opened[0], self._entries.items()
        gone = [key for key, _entry in takewhile(lambda item: item[1].sequence < first, known)]
        for key in gone:
            del self._entries[key]
        if gone:
            self._lying = ()

    def _any_known(self, commands: Iterable[Command]) -> bool:
        """Return whether one of these was done before; False where the journal cannot say.

        Raise ``RecordError`` ("in-earlier-journal") where it can only say which file has the entry.
        """
        try:
            return any(self._find(command) for command in commands)
        except TrenteError as error:
            if error.code == "in-earlier-journal":
                raise
            return False

    def _find(self, command: object) -> Entry | None:
        """Return the entry of a command's key, wherever it is kept."""
        key = _key(command)
        found = key and self._entries.get(key)
        if key and not found and self._journal is not None:
            found = self._journal.find(*key)
        return found or None

    def _earlier(
        self,
        command: object,
        new: Mapping[tuple[str, str], Entry] = _NONE,
        *,
        looked_up: bool,
    ) -> Entry | None:
        """Return the entry of a command that was done, None where it is a new one."""
        key = _key(command)
        if key is None:
            return None  # ``decide`` refuses it
        found = new.get(key) or (self._find(command) if looked_up else self._entries.get(key))
        if found is None:
            return None
        if found.command != command:
            what = f"command id {key[1]!r} was used for another command"
            hint = "give each command a separate id"
            raise PhaseError(what, "same-id", hint, self._state.phase)
        return evolve(found, repeated=True)


def _key(command: object) -> tuple[str, str] | None:
    """Return what a command is known by, None for a value that is not one."""
    if not isinstance(command, Command):
        return None
    key = command.key
    return key if isinstance(key[0], str) and isinstance(key[1], str) else None


def _check_named(command: object) -> None:
    """Refuse a new command, or a new stake, without an id.

    Journals of earlier releases may have some: there they are done again. Raises ``BetError``
    ("no-id").
    """
    if isinstance(command, Command) and command.id == "":
        hint = "give each command an id of its own, that a retry has too"
        raise BetError(f"a command {command.kind!r} has no id", "no-id", hint)
    placed: tuple[object, ...] = ()
    if isinstance(command, Place):
        placed = (command,)
    elif isinstance(command, Slip) and isinstance(command.bets, tuple):
        placed = command.bets
    if any(isinstance(each, Place | SlipBet) and each.stake == "" for each in placed):
        raise BetError("a stake has no id", "no-id", "name each stake: later commands refer to it")
