"""No attribute is probed: what an engine must know, a table has a field for."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import trente_rules

SOURCE: Final = Path(trente_rules.__file__).parent
ALLOWED: Final = {
    ("os", "O_NONBLOCK"): "Windows has it not",
    ("os", "O_NOCTTY"): "Windows has it not",
    ("os", "O_NOFOLLOW"): "Windows has it not",
    ("os", "O_BINARY"): "Windows alone has it",
    ("signal", "SIGHUP"): "Windows has it not",
    ("socket", "TCP_USER_TIMEOUT"): "Linux alone has it",
    ("why", "strerror"): "an OSError has it, a sentence has not",
    ("error", "sqlite_errorcode"): "sqlite3 leaves it out where SQLite gave none",
    ("error", "__notes__"): "an exception has it once a note was added",
    ("cls", "__name__"): "a type of the typing module may have none",
    ("function", "stats"): "numba's compiled functions have it, plain ones have not",
    ("deal", "error"): "odds in floating point have an error estimate, exact ones have not",
    ("value", "id"): "parts of a record have an id, a number, or neither",
    ("value", "number"): "parts of a record have an id, a number, or neither",
    ("old", "kind"): "one of two sequences of events may have ended",
    ("new", "kind"): "one of two sequences of events may have ended",
}
"""What may be probed, as (object, name), and why."""


def probes(text: str) -> Iterator[tuple[int, str, str]]:
    """Return each ``getattr`` with a default, and each ``hasattr``: line, object, name."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            probed = node.func.id == "getattr" and len(node.args) == 3
            if probed or node.func.id == "hasattr":
                name = node.args[1]
                known = name.value if isinstance(name, ast.Constant) else ast.unparse(name)
                yield node.lineno, ast.unparse(node.args[0]), str(known)


def test_no_rule_is_probed() -> None:
    """A1 1d: no ``getattr(x, name, default)`` but the few that are named here with a reason."""
    found = [
        f"{path.relative_to(SOURCE)}:{line}: getattr({of}, {name!r}, ...): give the table a field"
        for path in sorted(SOURCE.rglob("*.py"))
        for line, of, name in probes(path.read_text("utf-8"))
        if (of, name) not in ALLOWED
    ]
    assert found == []


def test_what_may_be_probed_is_probed() -> None:
    """No exception outlives its reason."""
    found = {
        (of, name)
        for path in SOURCE.rglob("*.py")
        for _line, of, name in probes(path.read_text("utf-8"))
    }
    assert found >= ALLOWED.keys()


def test_the_check_sees_a_probe() -> None:
    """What the check is for is found by it, however the rule is reached."""
    for probe in ('getattr(house.limits.rule, "late_bets", "refused")', 'hasattr(rule, "step")'):
        assert len(list(probes(f"value = {probe}"))) == 1
    assert not list(probes('value = getattr(rule, "step")'))
