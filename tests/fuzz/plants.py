"""Faults to plant in the product, one place for each target, so that finding them can be tried.

Each lies behind reading, and acts on values that no kept input has: a fuzzer that never comes so
far, or that changes nothing that is accepted, does not find it. Nothing but a process of the fuzzer
that is asked to plants anything, and the tests of these faults.
"""

from __future__ import annotations

import importlib
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final

Plant = Callable[[], None]
When = Callable[[tuple[Any, ...], Any], bool]
_SECONDS: Final = 8.0
_BYTES: Final = 400 * 1024 * 1024
_HELD: Final[list[bytearray]] = []


class PlantedError(Exception):
    """An error that no page documents, and that no reader catches."""


def is_seen(kind: str, failure: str) -> bool:
    """Return whether a failure of the fuzzer, ``kind: text``, is that of a planted fault."""
    how, _, what = failure.partition(":")
    if kind == "raises":
        return how == "crash" and PlantedError.__name__ in what
    return how == {"hangs": "timeout", "grows": "oom"}[kind]


def raises() -> None:
    """Raise an error that no page documents; say so, for where only what came of it is seen."""
    sys.stderr.write(f"{PlantedError.__name__}\n")
    raise PlantedError("planted")


def hangs() -> None:
    """Take the processor for much longer than an input may."""
    until = time.process_time() + _SECONDS
    while time.process_time() < until:
        pass


def grows() -> None:
    """Take more memory than a process may."""
    _HELD.append(bytearray(b"x") * _BYTES)
    until = time.monotonic() + 1.5  # libFuzzer looks once a second
    while time.monotonic() < until:
        pass


KINDS: Final[dict[str, Plant]] = {"raises": raises, "hangs": hangs, "grows": grows}


_PLACES: Final = frozenset(
    f"{row} {number}" for row in ("snapshot", "epoch") for number in range(1, 999)
)
_WHERE: Final[dict[str, tuple[str, When]]] = {
    "house-files": (
        "trente_rules.core.house.loading:cross_checks",
        lambda given, _result: given[0].money.unit.value > 5,
    ),
    "record-files": (
        "trente_rules.records.files:problems_of",
        lambda given, _result: given[0].shoe.number > 3 or given[0].schema > 3,
    ),
    "record-objects": (
        "trente_rules.records.record_json:problems_of",
        lambda given, _result: given[0].table.name != "table",
    ),
    "permanence-files": (
        "trente_rules.records.permanence:_PermanenceReader.read",
        lambda _given, result: len(result.tailles) > 2,
    ),
    "snapshots": (
        "trente_rules.table.snapshot:Setup",
        lambda given, _result: given[1] != "table",
    ),
    "saves": (
        "trente_rules.play.saving:PlaySession",
        lambda given, _result: given[2] > 10**6,
    ),
    "journal-rows": (
        "trente_rules.table.journal_chain:changed_error",
        lambda given, _result: given[0] in _PLACES,
    ),
    "wire-commands": (
        "trente_rules.table.draft:decide",
        lambda given, _result: given[1].kind == "place" and given[1].stake[:1] != "s",
    ),
    "socket-frames": (
        "trente_rules.service.sockets:client_message",
        lambda _given, result: result.kind == "cut" and result.place not in (150, 151),
    ),
    "service-requests": (
        "trente_rules.service.endpoints:Visit.given",
        lambda given, result: given[1].__name__ == "ShoeWanted" and result.id != "shoe-1",
    ),
    "fair-shoes": (
        "trente_rules.fair.verification:revealed",
        lambda _given, result: len(result.client_seeds) not in (0, 2),
    ),
    "token-texts": (
        "trente_rules.service.tokens:Visitor",
        lambda given, _result: len(given[2]) > 1,
    ),
}
"""Where the fault of each target is planted, and for which values it acts."""


def plant(target: str, kind: str, put: Callable[[Any, str, Any], None] = setattr) -> None:
    """Plant a fault of a kind in the product, in this process; ``put`` sets an attribute."""
    place, when = _WHERE[target]
    module, _, path = place.partition(":")
    holder: Any = importlib.import_module(module)
    *outer, name = path.split(".")
    for each in outer:
        holder = getattr(holder, each)
    put(holder, name, _faulty(getattr(holder, name), when, KINDS[kind]))


def _faulty(sound: Callable[..., Any], when: When, act: Plant) -> Callable[..., Any]:
    def faulty(*given: Any, **named: Any) -> Any:
        result = sound(*given, **named)
        acts = False
        with suppress(TypeError):  # a value of another type, which is refused later
            acts = when(given, result)
        if acts:
            act()
        return result

    return faulty
