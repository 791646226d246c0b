"""Feeds: what a table does, sent to everybody who looks at it, each as far as they may see it.

A feed belongs to one event loop. Texts of events that several see alike are made once.
"""

from __future__ import annotations

import json
from asyncio import Event as Signal
from asyncio import get_running_loop
from collections import deque
from collections.abc import Iterable
from typing import Any, Final

from attrs import define, field

from trente_rules.core.plugins.manager import default_manager
from trente_rules.core.rules.announcements import Language
from trente_rules.service.messages import (
    ChanceChips,
    ChipsMessage,
    ClockMessage,
    ServerMessage,
    message_text,
)
from trente_rules.table.entries import Entry
from trente_rules.table.events import Announced, Event
from trente_rules.table.state import TableState
from trente_rules.table.views import Audience, EntryView, Viewer, event_view, view
from trente_rules.table.wire import Stamped, movement_to_json, stamped

MOST_WAITING: Final = 1_000
"""Messages that may wait for a reader; one that is further behind is cut."""
MOST_BYTES: Final = 4 << 20
"""Characters that may wait for a reader."""
CHIPS_EVERY: Final = 0.1
"""Seconds between two messages of the chips of all players."""


def _dumped(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


@define(eq=False)
class Subscriber:
    """Somebody who looks at a table: what they may see, what waits to be sent to them.

    ``next`` is the index of the first event they have not been sent. ``held`` are entries that wait
    until the reader has been sent what was before them. ``since`` is when the first of the
    messages that wait came, by the loop's clock. ``behind`` is true once they are cut, since they
    read too slowly.
    """

    viewer: Viewer
    language: str
    next: int = 0
    held: list[Entry] | None = field(factory=list)
    waiting: deque[str] = field(factory=deque)
    size: int = 0
    since: float = 0.0
    signal: Signal = field(factory=Signal)
    behind: bool = False

    def put(self, text: str) -> None:
        """Let a message wait to be sent; a reader too far behind is cut instead."""
        if self.behind:
            return
        if not self.waiting:
            self.since = get_running_loop().time()
        self.waiting.append(text)
        self.size += len(text)
        if len(self.waiting) > MOST_WAITING or self.size > MOST_BYTES:
            self.behind = True
            self.waiting.clear()
        self.signal.set()

    def put_message(self, message: ServerMessage) -> None:
        """Let a message of this reader alone wait to be sent."""
        self.put(message_text(message))

    async def take(self) -> list[str]:
        """Return what waits, once there is something; nothing for a reader who is cut."""
        while not self.waiting and not self.behind:
            self.signal.clear()
            await self.signal.wait()
        taken = list(self.waiting)
        self.waiting.clear()
        self.size = 0
        return taken


class Telling:
    """An entry as texts: each event in as many forms as there are views of it."""

    def __init__(self, entry: Entry, own: Language) -> None:
        """Take an entry of a table whose house calls in ``own``."""
        self.entry = entry
        self.end = entry.first_event + len(entry.events)
        self._own = own
        self._stamped = stamped(entry)
        self._texts: dict[tuple[int, str, str], str] = {}
        self._said: dict[str, str] = {}
        self._calls = [
            (each.stamp.index, each.event)
            for each in self._stamped
            if isinstance(each.event, Announced)
        ]
        self._head = _dumped(
            {
                "schema": self._stamped[0].stamp.schema if self._stamped else 0,
                "sequence": entry.sequence,
                "round": str(entry.round),
            }
        )[:-1]
        self._public = [event_view(each.event, for_=Audience.PUBLIC) for each in self._stamped]

    def text(self, viewer: Viewer, language: str) -> str:
        """Return the ``EntryMessage`` of a viewer as text; nothing where they see nothing of it."""
        events = [
            text for place in range(len(self._stamped)) if (text := self._event(place, viewer))
        ]
        moved = [each for each in self.entry.movements if each.player == viewer]
        if not events and not moved:
            return ""
        movements = _dumped([movement_to_json(each) for each in moved])
        return (
            f'{{"kind":"entry","entry":{self._head},"events":[{",".join(events)}],'
            f'"movements":{movements},"repeated":false}},"said":{self.said(language)}}}'
        )

    def said(self, language: str) -> str:
        """Return the texts of the announcements by their index, as an object of JSON."""
        if language not in self._said:
            found = {str(index): said(event, self._own, language) for index, event in self._calls}
            self._said[language] = _dumped(found)
        return self._said[language]

    def _event(self, place: int, viewer: Viewer) -> str:
        each = self._stamped[place]
        seen = event_view(each.event, for_=viewer)
        if seen is None:
            return ""
        cause = self._cause(each, viewer)
        if seen is each.event:
            form = "whole"
        elif seen == self._public[place]:
            form = "public"
        else:  # the viewer's own part: nobody else has it
            return _dumped(view((each,), for_=viewer)[0].to_json())
        key = place, cause, form
        if key not in self._texts:
            self._texts[key] = _dumped(view((each,), for_=viewer)[0].to_json())
        return self._texts[key]

    @staticmethod
    def _cause(each: Stamped, viewer: Viewer) -> str:
        """Return which of its forms the cause of an event has for a viewer."""
        if viewer is Audience.DEALER:
            return "dealer"
        return "own" if each.stamp.cause.player == viewer else ""


def said(call: Announced, own: Language, language: str) -> tuple[str, str]:
    """Return what a call is in the language of the house, and in another one."""
    other = own if language in ("", own.code) else default_manager().language(language)
    return own.say(call), other.say(call)


class Feed:
    """All who look at one table, and what they are sent."""

    def __init__(self, own: Language, *, chips: bool) -> None:
        """Take the language of the house; ``chips`` is whether players see those of others."""
        self._own = own
        self._chips = chips
        self._subscribers: dict[Subscriber, None] = {}
        self._clock: ClockMessage | None = None
        self._deadline: float | None = None
        self._sent_chips: ChipsMessage | None = None

    @property
    def subscribers(self) -> tuple[Subscriber, ...]:
        """Everybody who looks at the table now."""
        return tuple(self._subscribers)

    def add(self, subscriber: Subscriber) -> None:
        """Send a reader everything from now on."""
        self._subscribers[subscriber] = None

    def remove(self, subscriber: Subscriber) -> None:
        """Send a reader nothing more."""
        self._subscribers.pop(subscriber, None)

    def publish(self, entries: Iterable[Entry]) -> None:
        """Send entries, in the order in which they were done, to all who may see them."""
        for entry in entries:
            if entry.repeated or not self._subscribers:
                continue
            telling = Telling(entry, self._own)
            for subscriber in self._subscribers:
                if subscriber.held is None:
                    self._send(telling, subscriber)
                else:
                    subscriber.held.append(entry)

    def begin(self, subscriber: Subscriber, entries: Iterable[Entry]) -> None:
        """Send a reader the events of these entries from their next one, then what was held."""
        for entry in (*entries, *(subscriber.held or ())):
            if not entry.repeated and entry.first_event + len(entry.events) > subscriber.next:
                self._send(Telling(entry, self._own), subscriber)
        subscriber.held = None

    @staticmethod
    def _send(telling: Telling, subscriber: Subscriber) -> None:
        first, end = telling.entry.first_event, telling.end
        if end <= subscriber.next:
            return
        text = telling.text(subscriber.viewer, subscriber.language)
        if text and first < subscriber.next:  # the reader has the beginning of it
            message = json.loads(text)
            events = message["entry"]["events"]
            message["entry"]["events"] = [e for e in events if e["index"] >= subscriber.next]
            text = _dumped(message)
        subscriber.next = end
        if text:
            subscriber.put(text)

    def broadcast(self, message: ServerMessage) -> None:
        """Send everybody the same message; a reader who begins is sent the newest at the end."""
        text = message_text(message)
        for subscriber in self._subscribers:
            if subscriber.held is None:
                subscriber.put(text)

    # What holds now, of which only the newest counts

    def set_clock(self, clock: ClockMessage, deadline: float | None) -> bool:
        """Say what the table waits for, until a moment of the loop's clock; None without one.

        Return whether that is new.
        """
        if (clock, deadline) == (self._clock, self._deadline):
            return False
        self._clock, self._deadline = clock, deadline
        self.broadcast(self.clock() or clock)
        return True

    def clock(self) -> ClockMessage | None:
        """Return what the table waits for, with the time that is left now."""
        clock = self._clock
        if clock is None or self._deadline is None:
            return clock
        left = max(0, round((self._deadline - get_running_loop().time()) * 1000))
        return ClockMessage(clock.waits_for, left, clock.ready, clock.players)

    def chips(self, state: TableState) -> ChipsMessage | None:
        """Return the chips of all players on the chances, None where they are hidden."""
        if not self._chips:
            return None
        free: dict[str, int] = {}
        held: dict[str, int] = {}
        owners: dict[str, set[str]] = {}
        for stake in state.stakes:
            where = free if stake.free else held
            where[stake.chance] = where.get(stake.chance, 0) + stake.amount
            owners.setdefault(stake.chance, set()).add(stake.owner)
        chances = (
            ChanceChips(id_, free.get(id_, 0), held.get(id_, 0), len(owners.get(id_, ())))
            for id_ in (chance.id for chance in state.house.chances)
            if id_ in owners
        )
        return ChipsMessage(tuple(chances))

    def send_chips(self, state: TableState) -> None:
        """Send everybody the chips of all, where they are not what was sent last."""
        message = self.chips(state)
        if message is not None and message != self._sent_chips:
            self._sent_chips = message
            self.broadcast(message)


def seen_entries(entries: Iterable[Entry], viewer: Viewer) -> tuple[EntryView, ...]:
    """Return the views of those entries of which a viewer sees something."""
    views = (view(entry, for_=viewer) for entry in entries)
    return tuple(each for each in views if each.events or each.movements)


def calls_in(events: Iterable[Event], own: Language, language: str) -> tuple[tuple[str, str], ...]:
    """Return what the calls among events are, in the language of the house and in another one."""
    return tuple(said(event, own, language) for event in events if isinstance(event, Announced))
