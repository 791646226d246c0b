"""Where two records of one taille differ: coup, stake, field, recorded, computed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from attrs import evolve, frozen

from trente_rules.table.records.kinds import Kind, Many, One, slots
from trente_rules.table.records.values import CoupRecord, Record, Standing

NOTHING = "nothing"
_NOT_COMPUTED = frozenset(("engine", "sha256", "house", "rules"))


@frozen
class Difference:
    """One field that is recorded otherwise than it is computed.

    ``coup`` is None for the header and the end; ``stake`` is empty where it is not about one.
    """

    coup: int | None
    stake: str
    field: str
    recorded: str
    computed: str

    def __str__(self) -> str:
        """Answer ``coup 3, stake a1, won: recorded 100, computed 50``."""
        where = [f"coup {self.coup}"] if self.coup is not None else []
        where += [f"stake {self.stake}"] if self.stake else []
        where.append(self.field)
        return f"{', '.join(where)}: recorded {self.recorded}, computed {self.computed}"


def differences(recorded: Record, computed: Record) -> Iterator[Difference]:
    """Answer every field in which two records differ; what no deal gives is not looked at."""
    for name, (_attribute, kind) in slots(Record).items():
        if name not in _NOT_COMPUTED:
            yield from _field(kind, getattr(recorded, name), getattr(computed, name), name, None)


def _field(
    kind: Kind | One | Many, recorded: Any, computed: Any, name: str, coup: int | None
) -> Iterator[Difference]:
    if isinstance(kind, One):
        yield from _value(kind.cls, recorded, computed, name, coup)
    elif isinstance(kind, Many):
        yield from _list(kind.cls, recorded, computed, name, coup)
    elif recorded != computed:
        yield Difference(coup, "", name, told(kind, recorded), told(kind, computed))


def _value(cls: type, recorded: Any, computed: Any, name: str, coup: int | None) -> Iterator[Any]:
    stake = recorded.id if isinstance(recorded, Standing) else ""
    for inner, (_attribute, kind) in slots(cls).items():
        path = inner if isinstance(recorded, Standing | CoupRecord) else f"{name}.{inner}"
        for found in _field(kind, getattr(recorded, inner), getattr(computed, inner), path, coup):
            yield evolve(found, stake=found.stake or stake)


def _list(cls: type, recorded: Any, computed: Any, name: str, coup: int | None) -> Iterator[Any]:
    here, there = _by_name(recorded), _by_name(computed)
    for each in dict.fromkeys((*here, *there)):
        number = each if cls is CoupRecord and isinstance(each, int) else coup
        stake = each if isinstance(each, str) else ""
        label = "coup" if cls is CoupRecord else "stake" if stake else f"{name}[{each}]"
        if each not in there:
            yield Difference(number, stake, label, "there", NOTHING)
        elif each not in here:
            yield Difference(number, stake, label, NOTHING, "there")
        else:
            path = name if stake or cls is CoupRecord else f"{name}[{each}]"
            yield from _value(cls, here[each], there[each], path, number)
    if list(here) != list(there) and sorted(map(str, here)) == sorted(map(str, there)):
        yield Difference(coup, "", name, " ".join(map(str, here)), " ".join(map(str, there)))


def _by_name(values: Any) -> dict[Any, Any]:
    """Answer values by their ids or numbers, counted from 1 where they have none."""
    return {
        getattr(value, "id", getattr(value, "number", place)): value
        for place, value in enumerate(values, 1)
    }


def told(kind: Kind, value: Any) -> str:
    """Answer a value as a difference tells it."""
    if value in (None, (), ""):
        return NOTHING
    written = kind.write(value)
    if isinstance(written, dict):
        return ", ".join(f"{key} {each}" for key, each in written.items())
    if isinstance(written, list):
        return " ".join(map(str, written))
    if isinstance(written, bool):
        return "true" if written else "false"
    return str(written)


def adopt(computed: Any, recorded: Any) -> Any:
    """Answer a computed value with the fields of the user that the recorded one has."""
    changes: dict[str, Any] = {}
    for name, (_attribute, kind) in slots(type(computed)).items():
        mine, other = getattr(computed, name), getattr(recorded, name)
        if isinstance(kind, One):
            changes[name] = adopt(mine, other)
        elif isinstance(kind, Many):
            others = _by_name(other)
            changes[name] = tuple(
                adopt(each, others[key]) if key in others else each
                for key, each in _by_name(mine).items()
            )
    return evolve(computed, user=recorded.user, **changes)
