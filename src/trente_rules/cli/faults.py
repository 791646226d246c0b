"""Faults as a terminal shows them: the place, the sentence, the line of the file, and a caret."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Final

import click
from rich.cells import cell_len, chop_cells

from trente_rules.cli.output import colours
from trente_rules.core.errors import (
    ConfigurationError,
    Fault,
    RecordError,
    TrenteError,
    without_cards,
)
from trente_rules.core.files import bytes_of
from trente_rules.core.text import counted, printable

_LARGEST: Final = 8_000_000
_WIDEST: Final = 100
"""How many columns of a line of a file are shown."""
_BEFORE: Final = 60
"""How many of them come before the caret in a longer line."""
_TOKEN: Final = re.compile(
    r"""
      " (?: [^"\\] | \\. )* "
    | ' [^']* '
    | [^\s=,\]}\#"'\[{]+
    """,
    re.VERBOSE,
)
_OPEN: Final = {"[": "]", "{": "}"}


def fault_lines(faults: Iterable[Fault], kind: str = "fault") -> Iterator[str]:
    """Return faults, or notes, as lines with their styles: each with its line of the file."""
    colour = "red" if kind == "fault" else "yellow"
    for fault in faults:
        yield _headline(fault, kind, colour)
        yield from _source_lines(fault, colour)


def count_line(many: int, files: int, notes: int = 0) -> str:
    """Return how many faults there are in how many files: ``12 faults in 1 file``."""
    told = f"{counted(many, 'fault')} in {counted(files, 'file')}"
    told += f"; {counted(notes, 'note')}" if notes else ""
    return click.style(told, fg="red" if many else "green", bold=True)


def error_text(error: TrenteError) -> str:
    """Return an error as the command line prints it, with its styles; faults with their lines."""
    faults = error.faults if isinstance(error, ConfigurationError | RecordError) else ()
    if not faults:
        return str(error)
    more = str(error).split("\n")[len(faults) :]
    files = len({fault.file for fault in faults})
    placed = any(fault.line for fault in faults)
    left = error.more if isinstance(error, ConfigurationError) else 0
    count = (count_line(len(faults) + left, files),) if placed else ()
    return "\n".join((*fault_lines(faults), *more, *count))


def print_error(error: TrenteError) -> None:
    """Print an error on the standard error."""
    click.echo(error_text(error), err=True, color=colours())


def _headline(fault: Fault, kind: str, colour: str) -> str:
    """Return the line of a fault: ``str(fault)``, with its parts in colours.

    A file that the message names, in quotes, has no place before it.
    """
    parts = (fault.file, fault.line, fault.column)
    quoted = fault.file if fault.file.startswith("'") else repr(fault.file)
    named = quoted in fault.message
    place = "" if named else ":".join(str(part) for part in parts if part)
    note = click.style("note: ", fg=colour, bold=True) if kind == "note" else ""
    key = f"{fault.key}: " if fault.key else ""
    hint = click.style(f" ({printable(fault.hint)})", fg="cyan") if fault.hint else ""
    return (
        (click.style(printable(place), bold=True) + ": " if place else "")
        + note
        + printable(f"{key}{fault.message}")
        + hint
        + click.style(f" [{fault.code}]", fg=colour)
    )


def _source_lines(fault: Fault, colour: str) -> Iterator[str]:
    """Return the line of the file that a fault is in, and a caret under what is wrong."""
    if fault.line is None or fault.column is None:
        return
    lines = _lines_of(fault.file)
    if fault.line > len(lines):
        return
    line, start = lines[fault.line - 1], fault.column - 1
    before, marked, after = (_shown(part) for part in (line[:start], *_split(line[start:])))
    if cell_len(before) > _BEFORE:
        kept = chop_cells(before[::-1], _BEFORE)[0][::-1]
        before = f"...{kept}"
    room = max(1, _WIDEST - cell_len(before))
    marked = _cut(marked, room)
    after = _cut(after, room - cell_len(marked)) if cell_len(marked) < room else ""
    number = str(fault.line)
    edge = click.style(" | ", fg="blue", bold=True)
    carets = click.style("^" * max(1, cell_len(marked)), fg=colour, bold=True)
    yield f"  {click.style(number, fg='blue', bold=True)}{edge}{before}{marked}{after}".rstrip()
    yield f"  {' ' * len(number)}{edge}{' ' * cell_len(before)}{carets}"


def _shown(text: str) -> str:
    """Return a part of a line: a tab is a space, and what is hidden is an escape."""
    return printable(without_cards(text.replace("\t", " ")))


def _cut(text: str, room: int) -> str:
    return text if cell_len(text) <= room else chop_cells(text, room)[0]


def _split(rest: str) -> tuple[str, str]:
    """Return what a line has at its caret, a key or a value, and what follows."""
    end = _end_of_brackets(rest) if rest[:1] in _OPEN else 0
    if not end:
        found = _TOKEN.match(rest)
        end = found.end() if found else min(1, len(rest))
    return rest[:end], rest[end:]


def _end_of_brackets(rest: str) -> int:
    """Return where the bracket that a text begins with is closed; its end where it is not."""
    closing: list[str] = []
    place = 0
    while place < len(rest):
        character = rest[place]
        if character in "\"'" and (found := _TOKEN.match(rest, place)):
            place = found.end()
            continue
        if character == "#":
            return len(rest[:place].rstrip())
        if character in _OPEN:
            closing.append(_OPEN[character])
        elif closing and character == closing[-1]:
            closing.pop()
            if not closing:
                return place + 1
        place += 1
    return len(rest.rstrip())


@lru_cache(maxsize=4)
def _lines_of(file: str) -> Sequence[str]:
    """Return the lines of a file, none of one that cannot be read again."""
    try:
        return bytes_of(file, _LARGEST).decode("utf-8-sig").split("\n")
    except (TrenteError, UnicodeDecodeError):
        return ()
