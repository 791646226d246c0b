"""Calling the command line within the process, as a shell would see it."""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any, Final

import pytest
from attrs import frozen

from trente_rules.cli.group import run

TRENTE: Final = (sys.executable, "-c", "from trente_rules.cli import main; main()")
"""The command line in a process of its own."""
HANGS: Final = 20
"""Seconds after which a process counts as hanging; none is expected to come near."""


@frozen
class Ran:
    """What a command left behind: its exit status, and what it printed."""

    status: object
    out: str
    err: str

    @property
    def json(self) -> Any:
        """What was printed, read as JSON."""
        return json.loads(self.out)


class Terminal(io.StringIO):
    """A text stream that says it is a terminal."""

    def isatty(self) -> bool:
        """Return yes."""
        return True


def longest_line(out: str) -> int:
    """Return the length of the longest line that was printed, styles left out."""
    return max(map(len, re.sub(r"\x1b\[[0-9;]*m", "", out).splitlines()))


def trente(*arguments: str | Path, out: io.StringIO | None = None) -> Ran:
    """Run a command in this process; anything but an orderly exit fails the test."""
    printed, told = out or io.StringIO(), io.StringIO()
    with redirect_stdout(printed), redirect_stderr(told), pytest.raises(SystemExit) as left:
        run([str(argument) for argument in arguments])
    return Ran(left.value.code, printed.getvalue(), told.getvalue())


def trente_process(*arguments: str | Path, folder: Path | None = None) -> Ran:
    """Run a command in a process of its own."""
    done = subprocess.run(
        [*TRENTE, *map(str, arguments)],
        capture_output=True,
        check=False,
        cwd=folder,
        encoding="utf-8",
        env={**os.environ, "PYTHONIOENCODING": "utf-8"},
        timeout=HANGS,
    )
    return Ran(done.returncode, done.stdout, done.stderr)
