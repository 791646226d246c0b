"""What the tools share that make a file of the project: to write it, or to compare it."""

# ruff: noqa: INP001, T201 - the tools beside it are scripts that say what they do

from __future__ import annotations

import sys
from pathlib import Path


def write_or_check(file: Path, text: str) -> int:
    """Write a file, or compare it where ``--check`` is asked for; return the exit status."""
    if "--check" in sys.argv[1:]:
        same = file.read_text("utf-8") == text
        word = "as it is made" if same else "not what is made: run this without --check"
        print(f"{file.name} is {word}")
        return 0 if same else 1
    file.write_text(text, encoding="utf-8")
    return 0
