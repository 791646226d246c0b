"""Target: house files. What is accepted is written, read back equal, and played a little."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from hashlib import sha256
from typing import Any, Final

import tomli_w
from tests.fuzz.mutation import toml_mutation
from tests.fuzz.target import Target, check, folder, refused
from tests.table.choosing import Bytes, Chooser
from tests.table.watched import Watched

from trente_rules import House, TrenteError, dumps_house, load_house, loads_house
from trente_rules.core import default_manager, notes
from trente_rules.core.house.schema import house_schema
from trente_rules.reports.rulebook import rulebook
from trente_rules.table import Phase
from trente_rules.table.commands import COMMANDS

STEPS: Final = 20
RANDOM: Final = 60
"""Random houses among the seeds."""


def one(data: bytes) -> str:
    """Read a file, and play at the house if it is one."""
    file = folder() / "house.toml"
    file.write_bytes(data)
    try:
        house = load_house(file, within=folder())
    except TrenteError as error:
        return refused(error)
    text = dumps_house(house)
    again = loads_house(text)
    check(again == house, "it is read back as another house")
    check(again.fingerprint == house.fingerprint, "its fingerprint changes as it is read back")
    check(dumps_house(again) == text, "it is written in another way the second time")
    for note in notes(house):
        str(note.problem())
    said = str(rulebook(house))
    check(said, "no word is said of its rules")
    return f"accepted, {played(house, sha256(data).digest() * 3)}"


def played(house: House, data: bytes) -> str:
    """Play at a house as some bytes choose, watched; return how far it came."""
    watched = Watched(house)
    chooser, choices = Chooser(watched, live=False), Bytes(data)
    for _step in range(STEPS):
        if watched.state.phase is Phase.BETTING and choices.below(4):
            chooser.give(chooser.typical(choices), choices)
        elif choices.below(6) < 5:
            chooser.onwards(choices)
        else:
            chooser.give(choices.of(COMMANDS), choices)
    return "settled" if watched.kinds["settle"] else "dealt" if watched.kinds["deal"] else "played"


def seeds() -> Iterator[bytes]:
    """Yield the files of shipped houses, as they are and whole; and some with odd rules."""
    manager = default_manager()
    for name in manager.names("house"):
        text = manager.house(name).text
        yield text.encode()
    yield dumps_house(load_house("campione")).encode()
    yield dumps_house(load_house("monte-carlo-1911")).encode()
    for table in _random():
        yield tomli_w.dumps(table).encode()


def _random() -> list[dict[str, Any]]:
    """Return the tables of houses with rules of every kind, the same ones each time."""
    # Only a merge asks for them: a process of the fuzzer has no need of hypothesis.
    from hypothesis import HealthCheck, Phase, given, settings  # noqa: PLC0415

    from trente_rules.testing import house_tables  # noqa: PLC0415

    found: list[dict[str, Any]] = []

    @settings(
        max_examples=RANDOM,
        derandomize=True,
        database=None,
        deadline=None,
        phases=(Phase.generate,),
        suppress_health_check=list(HealthCheck),
    )
    @given(table=house_tables())
    def draw(table: dict[str, Any]) -> None:
        found.append(table)

    draw()
    return found


def words() -> Iterable[str]:
    """Return all keys of house files, and the words that their values may be."""
    return schema_words(house_schema(default_manager()))


def schema_words(schema: Any) -> list[str]:
    """Return the names of properties in a schema, and every word and number that is listed."""
    found: dict[str, None] = {}

    def walk(part: Any) -> None:
        if isinstance(part, dict):
            for name in part.get("properties", {}):
                found[name] = None
            for each in (*part.get("enum", ()), part.get("const"), *part.get("required", ())):
                if each is not None:
                    found[str(each)] = None
            for value in part.values():
                walk(value)
        elif isinstance(part, list):
            for value in part:
                walk(value)

    walk(schema)
    return list(found)


TARGET = Target("house-files", one, seeds, words, toml_mutation, 6000)
