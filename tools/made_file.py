"""What the tools share: how they read arguments, and write or compare files of the project."""

# ruff: noqa: INP001, T201 - the tools beside it are scripts that say what they do

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable
from pathlib import Path


def parser_of(about: str | None) -> argparse.ArgumentParser:
    """Return a parser of arguments that describes a tool by the first line of its docstring."""
    return argparse.ArgumentParser(description=(about or "").partition("\n")[0])


def write_or_check(
    about: str | None,
    files: Callable[[], Iterable[tuple[Path, str]]],
    given: list[str] | None = None,
) -> int:
    """Write files, or compare them where ``--check`` is asked for; return the exit status.

    ``about`` is the docstring of the tool, and ``given`` are its arguments, by default those of the
    program. Wrong ones end it with status 2 before any file is made.
    """
    parser = parser_of(about)
    parser.add_argument("--check", action="store_true", help="compare the files, and write nothing")
    check = parser.parse_args(given).check
    return max([_write_or_check(file, text, check=check) for file, text in files()])


def _write_or_check(file: Path, text: str, *, check: bool) -> int:
    if check:
        same = file.read_text("utf-8") == text
        word = "as it is made" if same else "not what is made: run this without --check"
        print(f"{file.name} is {word}")
        return 0 if same else 1
    file.write_text(text, encoding="utf-8")
    return 0
