"""A misspelt import is a type error: what an integrator's checker says about our names."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from trente_rules.table.commands import COMMANDS
from trente_rules.table.events import EVENTS

RIGHT: Final = """\
from trente_rules import House, Table, load_house
from trente_rules.odds import advantage, fresh_shoe
from trente_rules.table import OpenBets

house: House = load_house("france-2007")
table = Table(house)
table.do(OpenBets(id="1"))
print(advantage(house, fresh_shoe(6)), table.state)
"""


def exhaustive(union: str, classes: tuple[type, ...], left_out: str = "") -> str:
    """Return a program that matches every class of a union, but one."""
    names = [each.__name__ for each in classes if each.__name__ != left_out]
    cases = "".join(f"        case {name}():\n            return value.kind\n" for name in names)
    return (
        "from typing import assert_never\n\n"
        f"from trente_rules.table import {', '.join([union, *names])}\n\n\n"
        f"def kind(value: {union}) -> str:\n    match value:\n{cases}"
        "        case _:\n            assert_never(value)\n"
    )


EXHAUSTIVE: Final = {
    "every_command": exhaustive("AnyCommand", COMMANDS),
    "every_event": exhaustive("AnyEvent", EVENTS),
}
WRONG: Final = {
    "Withdraw": exhaustive("AnyCommand", COMMANDS, "Withdraw"),
    "CoupVoided": exhaustive("AnyEvent", EVENTS, "CoupVoided"),
    "load_huose": "from trente_rules import load_huose\n",
    "Tabel": "import trente_rules\n\ntrente_rules.Tabel\n",
    "advantages": "from trente_rules.odds import advantages\n",
    "Plaice": "from trente_rules.table import Plaice\n",
    "doo": "from trente_rules import Table, load_house\n\nTable(load_house('x')).doo(1)\n",
}
CHECKERS: Final = {
    "mypy": ("-m", "mypy", "--strict", "--config-file=", "--cache-dir=cache"),
    "basedpyright": ("-m", "basedpyright", "--level", "error", "--pythonpath", sys.executable),
}


def checked(checker: str, files: dict[str, str], folder: Path) -> subprocess.CompletedProcess[str]:
    """Return what a checker says of some files, as a host that has the library installed."""
    if importlib.util.find_spec(checker) is None:
        pytest.skip(f"{checker} is not installed")
    for name, text in files.items():
        (folder / f"{name}.py").write_text(text, "utf-8")
    return subprocess.run(
        [sys.executable, *CHECKERS[checker], *(f"{name}.py" for name in files)],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )


@pytest.mark.slow
@pytest.mark.parametrize("checker", CHECKERS)
def test_a_misspelt_import_is_a_type_error(checker: str, tmp_path: Path) -> None:
    """T6, U31: each misspelt name, and each class that a match leaves out, is an error in its file.

    A right program has none: one that matches every command, or every event, is right.
    """
    found = checked(checker, {"right": RIGHT, **EXHAUSTIVE, **WRONG}, tmp_path)
    assert found.returncode == 1, found.stdout + found.stderr
    for name in WRONG:
        lines = [line for line in found.stdout.splitlines() if f"{name}.py:" in line]
        assert any(name in line.split(".py:", 1)[1] for line in lines), found.stdout
    for name in ("right", *EXHAUSTIVE):
        assert f"{name}.py:" not in found.stdout, found.stdout
