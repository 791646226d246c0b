"""The table of a sealed journal as a reader without the key sees it: all but its shoe.

Commands are done again as ``recover`` does them, on an order of the cards that agrees with all that
came out. Cards that nobody has seen are in it somehow: nothing that a table says depends on them.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable

from attrs import Factory, define, evolve

from trente_rules.core.cards import PACK, Card
from trente_rules.core.house.loading import loads_house
from trente_rules.table.commands import OpenShoe
from trente_rules.table.entries import Entry
from trente_rules.table.events import Burned, CardBurned, CardTurned, CutMade
from trente_rules.table.journal import replayed
from trente_rules.table.journal_sql import SqlJournal
from trente_rules.table.sealed import Sealed, set_orders
from trente_rules.table.snapshot import restore
from trente_rules.table.state import TableState


@define
class _SeenShoe:
    """A shoe as far as it came out: its cards by their places after the cut, from 0."""

    opened: Entry
    size: int
    cut: int = 0
    cut_at: int | None = None
    cards: dict[int, Card] = Factory(dict)

    def see(self, entry: Entry) -> None:
        """Add what came out at a command."""
        for event in entry.events:
            match event:
                case CutMade(place, _by, card):
                    self.cut, self.cut_at = place, entry.sequence
                    if card is not None:
                        self.cards[self.size - 1] = card
                case Burned(_count, cards):
                    self.cards.update(enumerate(cards))
                case CardTurned(card=card, place=place) | CardBurned(card, place):
                    self.cards[place - 1] = card

    def order(self, sequence: int) -> tuple[Card, ...]:
        """Return an order that agrees with what came out, as it is after a command."""
        known = self.opened.command.cards if isinstance(self.opened.command, OpenShoe) else None
        if isinstance(known, tuple):  # of an earlier file, which is not sealed
            before = known
            after = (*before[self.cut :], *before[: self.cut])
        else:
            unseen = Counter(PACK * (self.size // len(PACK)))
            unseen.subtract(self.cards.values())
            rest = unseen.elements()
            after = tuple(self.cards.get(n) or next(rest) for n in range(self.size))
            uncut = self.size - self.cut
            before = (*after[uncut:], *after[:uncut])
        return before if self.cut_at is None or sequence < self.cut_at else after


def seen_state(journal: SqlJournal) -> TableState:
    """Return the state of the table of a journal, without its shoe: no table continues from it.

    No key is needed. Raises ``RecordError`` as ``recover`` does, and ``ConfigurationError`` where
    the house cannot be built here.
    """
    kept = journal.kept(sealed=True)
    house = loads_house(kept.house, origin="<journal>")
    state = json.loads(kept.snapshot)["state"]
    shoes = _seen(journal.since(state["shoe_number"]), house.shoe.packs * len(PACK))
    orders = {shoe.opened.sequence: shoe.order(shoe.opened.sequence) for shoe in shoes}
    before = [shoe for shoe in shoes if shoe.opened.sequence <= kept.sequence]
    open_now = before[-1].order(kept.sequence) if before else ()
    text = set_orders(kept.snapshot, open_now, orders)
    table = restore(text, house, session=kept.session)
    entries = tuple(_with_order(entry, orders) for entry in kept.entries)
    found, _entries = replayed(table, evolve(kept, entries=entries), journal)
    return found.replaced(shoe=None, last_shoe=None)


def _seen(entries: Iterable[Entry], size: int) -> list[_SeenShoe]:
    """Return what came out of each shoe that these entries open."""
    shoes: list[_SeenShoe] = []
    for entry in entries:
        if isinstance(entry.command, OpenShoe):
            shoes.append(_SeenShoe(entry, size))
        if shoes:
            shoes[-1].see(entry)
    return shoes


def _with_order(entry: Entry, orders: dict[int, tuple[Card, ...]]) -> Entry:
    command = entry.command
    if not isinstance(command, OpenShoe) or not isinstance(command.cards, Sealed):
        return entry
    return evolve(entry, command=evolve(command, cards=orders[entry.sequence]))
