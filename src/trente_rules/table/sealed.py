"""Sealed cards: where the cards to come are in commands and snapshots, closed and opened.

What is sealed is written as ``{"sealed": "..."}`` in place of the cards: in the command that opens
a shoe, and in a snapshot in its shoes and in such commands of its entries. Each is bound to its
session and its place, so that one cannot take the place of another.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from attrs import frozen

from trente_rules.core.cards import Card
from trente_rules.core.errors import RecordError
from trente_rules.fair.card_seal import CardSeal, about

KEY: Final = "sealed"
"""The one key of what is written in place of cards."""
_OPENS: Final = "open-shoe"


@frozen(repr=False)
class Sealed:
    """Cards that are sealed, as a reader without the key has them: no table takes them."""

    sealed: str

    def __str__(self) -> str:
        """Return the word that is shown in place of the cards."""
        return KEY

    def __repr__(self) -> str:
        """Return the word alone: the text says nothing to anybody."""
        return "Sealed(...)"

    def __bool__(self) -> bool:
        """Return true: there are cards."""
        return True


def is_sealed(value: Any) -> bool:
    """Return whether a value of JSON is in place of cards."""
    return isinstance(value, dict) and value.keys() == {KEY} and isinstance(value[KEY], str)


def close_command(value: dict[str, Any], seal: CardSeal, session: str, sequence: int) -> None:
    """Seal the cards of a command in JSON, at its place among the commands of a session."""
    for place, cards in _of_command(value):
        place[cards] = {KEY: seal.close(_text(place[cards]), about(session, "command", sequence))}


def open_command(value: Any, seal: CardSeal, session: str, sequence: int) -> None:
    """Open the cards of a command of a sealed journal.

    Raises ``RecordError``: "wrong-key"; "seal-broken", also for cards in clear text.
    """
    for place, cards in _of_command(value):
        text = seal.open(_closed(place[cards]), about(session, "command", sequence))
        place[cards] = text.split()


def close_snapshot(value: dict[str, Any], seal: CardSeal) -> None:
    """Seal the cards in a snapshot."""
    session, number = value["session"], value["state"]["events"]
    for place, cards, where in _of_snapshot(value):
        text = _text(place[cards])
        place[cards] = {KEY: seal.close(text, about(session, "snapshot", f"{number}/{where}"))}


def open_snapshot(value: dict[str, Any], seal: CardSeal | None) -> None:
    """Open the cards in a snapshot.

    Raises ``RecordError``: "snapshot-sealed" without a key, "wrong-key", "seal-broken".
    """
    state = value.get("state")
    number = state.get("events") if isinstance(state, dict) else None
    for place, cards, where in _of_snapshot(value):
        if not is_sealed(place[cards]):
            continue
        if seal is None:
            raise sealed_error("the snapshot", "snapshot-sealed")
        what = about(str(value.get("session")), "snapshot", f"{number}/{where}")
        text = seal.open(place[cards][KEY], what)
        place[cards] = text.split() if where.startswith("entries") else text


def opened_snapshot(text: str, seal: CardSeal) -> str:
    """Return a snapshot of a sealed journal with its cards open; errors as ``open_command``."""
    value = json.loads(text)
    for place, cards, _where in _of_snapshot(value):
        _closed(place[cards])
    open_snapshot(value, seal)
    return json.dumps(value, ensure_ascii=False)


def _closed(cards: Any) -> str:
    """Return a sealed text; who cannot seal may not put clear cards in its place."""
    if not is_sealed(cards):
        what = "the cards are in clear text in a sealed journal: somebody else wrote them"
        raise RecordError(what, "seal-broken", "restore a copy")
    text: str = cards[KEY]
    return text


def set_orders(text: str, order: Sequence[Card], orders: Mapping[int, Sequence[Card]]) -> str:
    """Return a snapshot with an order in place of each sealed one.

    ``order`` is that of its shoe, and of commands that ``orders`` does not have by their sequence.
    """
    value = json.loads(text)
    for place, cards, where in _of_snapshot(value):
        if is_sealed(place[cards]):
            _, _, number = where.partition("/")
            if number:
                sequence = value["entries"][int(number)]["sequence"]
                place[cards] = [*map(str, orders.get(sequence, order))]
            else:
                place[cards] = " ".join(map(str, order))
    return json.dumps(value, ensure_ascii=False)


def without_shoes(value: dict[str, Any]) -> None:
    """Take sealed shoes out of the state of a snapshot, for a reader of its entries."""
    state = value.get("state")
    for place, cards, _where in _of_snapshot(value):
        if is_sealed(place[cards]) and isinstance(state, dict):
            for name in _SHOES:
                if state.get(name) is place:
                    state[name] = None


def sealed_error(what: str, code: str) -> RecordError:
    """Return the error of what needs the cards to come, and has no key."""
    return RecordError(f"{what} is sealed: its cards are closed", code, "give the key: seal=")


_SHOES: Final = ("shoe", "last_shoe")


def _text(cards: Any) -> str:
    """Return cards as one text, as a snapshot writes a shoe; a command has a list."""
    return cards if isinstance(cards, str) else " ".join(cards)


def _of_command(value: Any) -> Iterator[tuple[dict[str, Any], str]]:
    """Yield where the cards to come are in a command: the object, and its key."""
    if isinstance(value, dict) and value.get("kind") == _OPENS and value.get("cards") is not None:
        yield value, "cards"


def _of_snapshot(value: dict[str, Any]) -> Iterator[tuple[dict[str, Any], str, str]]:
    """Yield where cards to come are in a snapshot: the object, its key, and the name of it."""
    state, entries = value.get("state"), value.get("entries")
    for name in _SHOES:
        shoe = state.get(name) if isinstance(state, dict) else None
        if isinstance(shoe, dict) and shoe.get("kind") == "known" and "cards" in shoe:
            yield shoe, "cards", name
    for number, entry in enumerate(entries if isinstance(entries, list) else ()):
        if isinstance(entry, dict):
            for place, cards in _of_command(entry.get("command")):
                yield place, cards, f"entries/{number}"
