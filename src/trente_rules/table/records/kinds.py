"""The kinds of values in a record: how each is read from TOML, and how it is written."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import cache
from typing import Any, Final

from attrs import NOTHING, Attribute, field, fields, frozen

from trente_rules.deal.cards import Card, parse_cards
from trente_rules.deal.provenance import Provenance
from trente_rules.errors import RecordError
from trente_rules.house.faults import shown
from trente_rules.money import MOST

MOST_PLACES: Final = 10_000
"""The last place in a shoe that a record can name."""
MOST_UNITS: Final = 1 << 100
"""No sum of amounts that are each allowed reaches this."""
_LONGEST_SHARE: Final = 2_000
_SHARE: Final = re.compile(r"(-?[0-9]+)(?:/(0*[1-9][0-9]*))?", re.ASCII)
_PLACES: Final = re.compile(r"([1-9][0-9]{0,4})(?:-([1-9][0-9]{0,4}))?", re.ASCII)
_KIND: Final = "trente.record"
_HEAD: Final = {"number": 0, "opened": 1, "closed": 2, "settled": 3}


@frozen
class Kind:
    """A kind of value: read from TOML (``RecordError`` where it is none), and written."""

    read: Callable[[Any], Any]
    write: Callable[[Any], Any] = field(default=lambda value: value)


@frozen
class One:
    """A table of its own, read into a class."""

    cls: type


@frozen
class Many:
    """A list of tables, each read into a class; ``inline`` where each is written on one line."""

    cls: type
    inline: bool = False


Slot = Kind | One | Many


def slot(kind: Slot, default: Any = NOTHING, *, long: bool = False) -> Any:
    """Declare a field of a record: a key of its table, required where it has no default."""
    return field(default=default, metadata={_KIND: kind}, repr=not long)


def user_fields() -> Any:
    """Declare the field that holds what users add: names that start with ``_``."""
    return field(factory=dict, hash=False, kw_only=True)


def slots(cls: type) -> dict[str, tuple[Attribute[Any], Slot]]:
    """Answer the keys of a class of a record, as they are written: number and times first."""
    return _slots(cls)


@cache
def _slots(cls: Any) -> dict[str, tuple[Attribute[Any], Slot]]:
    found = [attribute for attribute in fields(cls) if _KIND in attribute.metadata]
    found.sort(key=lambda attribute: _HEAD.get(attribute.name, len(_HEAD)))
    return {attribute.name: (attribute, attribute.metadata[_KIND]) for attribute in found}


def _wrong(value: object, wanted: str) -> RecordError:
    return RecordError(f"{shown(value)} is not {wanted}", "wrong-type", f"write {wanted}")


def _text(value: object) -> str:
    if type(value) is not str:
        raise _wrong(value, "a text")
    return value


def _flag(value: object) -> bool:
    if type(value) is not bool:
        raise _wrong(value, "true or false")
    return value


def _whole(value: object, least: int, most: int) -> int:
    if type(value) is not int:
        raise _wrong(value, "a whole number")
    if not least <= value <= most:
        wanted = f"it is {least} to {most}" if most < MOST_UNITS else f"it is {least} or more"
        raise RecordError(f"{shown(value)} is out of range", "out-of-range", wanted)
    return value


def _share(value: object) -> Fraction:
    text = _text(value)
    found = _SHARE.fullmatch(text) if len(text) <= _LONGEST_SHARE else None
    if found is None:
        raise _wrong(value, 'a share such as "1/2"')
    return Fraction(int(found[1]), int(found[2] or 1))


def _part(value: object) -> Fraction:
    share = _share(value)
    if not 0 <= share <= 1:
        raise RecordError(f"share {value} is out of range", "out-of-range", "it is 0 to 1")
    return share


def _texts(value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(type(each) is str for each in value):
        raise _wrong(value, "a list of texts")
    return tuple(value)


def _numbers(value: object) -> tuple[int, ...]:
    if not isinstance(value, list):
        raise _wrong(value, "a list of whole numbers")
    return tuple(_whole(each, 0, MOST_UNITS) for each in value)


def _pairs(value: object) -> tuple[tuple[str, str], ...]:
    if not isinstance(value, dict) or not all(type(each) is str for each in value.values()):
        raise _wrong(value, "a table of texts")
    return tuple(value.items())


def _cards(value: object) -> tuple[Card, ...]:
    return parse_cards(_text(value))


def _order(value: object) -> tuple[Card, ...]:
    return tuple(card for line in _texts(value) for card in parse_cards(line))


_IN_A_LINE: Final = 26


def _order_lines(cards: tuple[Card, ...]) -> list[str]:
    return [
        " ".join(map(str, cards[start : start + _IN_A_LINE]))
        for start in range(0, len(cards), _IN_A_LINE)
    ]


def _places(value: object) -> tuple[int, ...]:
    places: list[int] = []
    for word in _text(value).split():
        found = _PLACES.fullmatch(word)
        first, last = (int(found[1]), int(found[2] or found[1])) if found else (1, 0)
        if not (places[-1] if places else 0) < first <= last <= MOST_PLACES:
            raise RecordError(
                f"{shown(value)} are no places in a shoe",
                "bad-places",
                'places count from 1 and rise: "1-4" or "1-2 4 6-9"',
            )
        places.extend(range(first, last + 1))
    return tuple(places)


def places_text(places: tuple[int, ...]) -> str:
    """Answer places as ranges: ``1-4 6``."""
    runs: list[list[int]] = []
    for place in places:
        if runs and place == runs[-1][1] + 1:
            runs[-1][1] = place
        else:
            runs.append([place, place])
    return " ".join(str(a) if a == b else f"{a}-{b}" for a, b in runs)


def _provenance(value: object) -> Provenance:
    if not isinstance(value, Mapping):
        raise _wrong(value, "a table")
    return Provenance.of_json(value)


def _words(cards: tuple[Card, ...]) -> str:
    return " ".join(map(str, cards))


TEXT: Final = Kind(_text)
FLAG: Final = Kind(_flag)
COUNT: Final = Kind(lambda value: _whole(value, 0, MOST_UNITS))
PLACE: Final = Kind(lambda value: _whole(value, 1, MOST))
NUMBER: Final = Kind(lambda value: _whole(value, -MOST_UNITS, MOST_UNITS))
SHARE: Final = Kind(_part, str)
RESIDUE: Final = Kind(_share, str)
TEXTS: Final = Kind(_texts, list)
NUMBERS: Final = Kind(_numbers, list)
PAIRS: Final = Kind(_pairs, dict)
CARDS: Final = Kind(_cards, _words)
ORDER: Final = Kind(_order, _order_lines)
PLACES: Final = Kind(_places, places_text)
PROVENANCE: Final = Kind(_provenance, lambda provenance: provenance.to_json())
