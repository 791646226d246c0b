"""What a record cannot be, whatever its house: rows that are none, cards no packs hold."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from trente_rules.deal.cards import Card
from trente_rules.deal.coup import LAST_OPEN_TOTAL, Row
from trente_rules.deal.shoe import check_whole_packs
from trente_rules.errors import TrenteError
from trente_rules.rules.shoe_rule import CARDS_IN_PACK
from trente_rules.table.records.kinds import MOST_PLACES
from trente_rules.table.records.tables import Path, Problem
from trente_rules.table.records.values import CoupRecord, Record, Rows, Standing


def problems_of(record: Record) -> Iterator[Problem]:
    """Answer what is wrong with a record whose fields are each what they can be."""
    packs = record.shoe.packs
    if packs * CARDS_IN_PACK > MOST_PLACES:
        hint = f"a record knows at most {MOST_PLACES} cards"
        yield Problem(("shoe", "packs"), "out-of-range", f"{packs} packs are too many", hint)
        return
    if record.shoe.order:
        try:
            check_whole_packs(record.shoe.order, packs)
        except TrenteError as error:
            yield Problem(("shoe", "order"), error.code, error.message, error.hint)
    yield from _stakes(record.prisoners, ("prisoners",))
    for place, coup in enumerate(record.coups):
        path: Path = ("coups", place)
        yield from _coup(coup, packs, path)
        if coup.number != place + 1:
            message = f"coup {coup.number} stands in the place of coup {place + 1}"
            yield Problem((*path, "number"), "bad-record", message, "coups are counted from 1")
    yield from _stakes(record.end.stakes, ("end", "stakes"))
    if record.end.why not in ("", "marker", "cards", "called"):
        message = f"{record.end.why!r} is no end of a taille"
        yield Problem(("end", "why"), "bad-record", message, "it is marker, cards or called")
    yield from _counted(record)


def _counted(record: Record) -> Iterator[Problem]:
    """Name the first card that came up more often than there are packs, where it did."""
    packs = record.shoe.packs
    seen: Counter[Card] = Counter(record.shoe.burned)
    if seen and max(seen.values()) > packs:
        yield Problem(("shoe", "burned"), "too-many-of-a-card", f"{packs} packs do not hold them")
        return
    for place, coup in enumerate(record.coups):
        for name in ("first", "second", "exposed"):
            for card in getattr(coup, name):
                seen[card] += 1
                if seen[card] > packs:
                    message = f"{card} comes up a {seen[card]}th time: {packs} packs hold no more"
                    yield Problem(("coups", place, name), "too-many-of-a-card", message)
                    return


def _coup(coup: CoupRecord, packs: int, path: Path) -> Iterator[Problem]:
    yield from _rows(coup, packs, path)
    yield from _placed(coup, "exposed", packs, path)
    for place, earlier in enumerate(coup.taken_back):
        yield from _rows(earlier, packs, (*path, "taken_back", place))
        if earlier.void:
            here = (*path, "taken_back", place, "void")
            yield Problem(here, "bad-record", "a void coup is not taken back")


def _rows(rows: Rows, packs: int, path: Path) -> Iterator[Problem]:
    """Check both rows: whole for a coup that stands, as far as they got for one that is void."""
    for name in ("first", "second"):
        yield from _placed(rows, name, packs, path)
        cards: tuple[Card, ...] = getattr(rows, name)
        whole = not rows.void or (name == "first" and rows.second)
        try:
            if whole or sum(card.points for card in cards[:-1]) > LAST_OPEN_TOTAL:
                Row(cards)
        except TrenteError as error:
            yield Problem((*path, name), error.code, error.message, error.hint)
    yield from _stakes(rows.stakes, (*path, "stakes"))


def _placed(rows: Rows, name: str, packs: int, path: Path) -> Iterator[Problem]:
    cards, places = getattr(rows, name), getattr(rows, f"{name}_places")
    here = (*path, f"{name}_places")
    if len(cards) != len(places):
        message = f"{len(places)} places are told for {len(cards)} cards"
        yield Problem(here, "bad-places", message, "each card has its place in the shoe")
    elif places and places[-1] > packs * CARDS_IN_PACK:
        message = f"a shoe of {packs} packs has no place {places[-1]}"
        yield Problem(here, "bad-places", message)


def _stakes(stakes: tuple[Standing, ...], path: Path) -> Iterator[Problem]:
    seen: set[str] = set()
    for place, stake in enumerate(stakes):
        if stake.id in seen:
            message = f"two stakes have the id {stake.id!r}"
            yield Problem((*path, place, "id"), "double-stake", message, "give each its own")
        seen.add(stake.id)
        try:
            stake.stake()
        except TrenteError as error:
            yield Problem((*path, place), error.code, error.message, error.hint)
