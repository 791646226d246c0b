"""A record as TOML text: always the same bytes for the same record."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from os import PathLike
from pathlib import Path
from typing import Any, Final

import tomli_w

from trente_rules.errors import RecordError
from trente_rules.table.records.kinds import Many, One, slots
from trente_rules.table.records.tables import write_table
from trente_rules.table.records.values import Record

_AS_IT_STANDS: Final = re.compile(r"(?:[^\x00-\x1f\x7f]|[\t\n])*\n")
_BARE: Final = re.compile(r"[A-Za-z0-9_-]+", re.ASCII)
_TABLES: Final = (
    *(name for name, (_, kind) in slots(Record).items() if isinstance(kind, One | Many)),
    "provenance",
)


def dumps_record(record: Record) -> str:
    """Write a record as TOML; it reads back equal, and is written again bit for bit the same."""
    return "\n".join(_lines(record)) + "\n"


def write_record(record: Record, path: str | PathLike[str]) -> None:
    """Write a record to a new file; ``RecordError`` ("file-exists", "file-unwritable")."""
    write_text(dumps_record(record), path)


def write_text(text: str, path: str | PathLike[str]) -> None:
    """Write a text to a new file; ``RecordError`` ("file-exists", "file-unwritable")."""
    file = Path(path)
    try:
        with file.open("x", encoding="utf-8", newline="\n") as opened:
            opened.write(text)
    except FileExistsError:
        raise RecordError(
            f"{str(file)!r} is there already", "file-exists", "name another file, or remove it"
        ) from None
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise RecordError(f"{str(file)!r} cannot be written: {why}", "file-unwritable") from error


def _lines(record: Record) -> Iterator[str]:
    table = write_table(record)
    tables = {name: table.pop(name) for name in _TABLES if name in table}
    yield from _pairs(table)
    for name, value in tables.items():
        for each in value if isinstance(value, list) else (value,):
            yield ""
            yield f"[[{name}]]" if isinstance(value, list) else f"[{name}]"
            yield from _body(name, each)


def _body(name: str, table: dict[str, Any]) -> Iterator[str]:
    """Write the keys of a table: those of one line first, settlements taken back at the end."""
    lists = {key: table[key] for key in ("stakes", "taken_back") if key in table}
    yield from _pairs({key: value for key, value in table.items() if key not in lists})
    for stakes in (lists.get("stakes", ()),):
        if stakes:
            yield "stakes = ["
            yield from (f"    {inline(stake)}," for stake in stakes)
            yield "]"
    for each in lists.get("taken_back", ()):
        yield ""
        yield f"[[{name}.taken_back]]"
        yield from _body(f"{name}.taken_back", each)


def _pairs(table: Mapping[str, Any]) -> Iterator[str]:
    for key, value in table.items():
        if key == "order":
            yield "order = ["
            yield from (f"    {inline(line)}," for line in value)
            yield "]"
        elif key == "toml":
            yield f"toml = {_long(value)}"
        else:
            yield f"{_key(key)} = {inline(value)}"


def _long(text: str) -> str:
    """Answer a text of many lines as it stands, where TOML can hold it so."""
    if "\n" in text and "'''" not in text and _AS_IT_STANDS.fullmatch(text):
        return f"'''\n{text}'''"
    return inline(text)


def inline(value: Any) -> str:
    """Answer a TOML value on one line."""
    if isinstance(value, Mapping):
        inner = ", ".join(f"{_key(key)} = {inline(each)}" for key, each in value.items())
        return f"{{{inner}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(inline, value))}]"
    if type(value) is int:
        return str(value)
    if type(value) is str and _BARE.fullmatch(value):
        return f'"{value}"'
    return tomli_w.dumps({"k": value}).removeprefix("k = ").rstrip("\n")


def _key(key: str) -> str:
    return key if _BARE.fullmatch(key) else tomli_w.dumps({key: 0}).removesuffix(" = 0\n")
