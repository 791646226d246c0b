"""Words: docstrings of the library begin as the style sheet in CONTRIBUTING.md asks."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).parents[2]
SOURCE: Final = ROOT / "src" / "trente_rules"
NEVER: Final = {"Answer", "Answers", "Tell", "Tells", "Whether", "What"}
"""First words that no docstring has."""
NOT_A_VERB: Final = re.compile(
    r"(?:The|An?|This|That|These|Those|It|Its|Each|Every|All|Any|Some|No|None|One|Two|Which|Who|How"
    r"|Why|When|Where|If|Of|In|On|For|From|With|By|To|As|At|\w+ing|\w+s)\b"
)
"""How a function's first line does not begin: with a noun, a question, a verb that is no order."""
VERBS: Final = {"Bring", "Cross", "Discuss", "Dress", "Focus", "Pass", "Press", "Process", "Toss"}
"""Orders that look like one of the above."""
EXCEPTIONS: Final[dict[str, str]] = {}
"""``file:name`` and the reason."""

Documented = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


def documented(path: Path) -> Iterator[tuple[str, Documented, str]]:
    """Return what has a docstring in a file: its name, itself, and the first line."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, Documented) and (text := ast.get_docstring(node)):
            yield getattr(node, "name", "module"), node, text.splitlines()[0]


def is_property(node: Documented) -> bool:
    """Return whether a function is a property: its docstring is a noun phrase."""
    decorators = getattr(node, "decorator_list", [])
    return any(ast.unparse(each).endswith(("property", ".setter")) for each in decorators)


def faults(path: Path) -> Iterator[str]:
    """Return every docstring of a file that begins otherwise than the style sheet asks."""
    name = path.relative_to(SOURCE).as_posix()
    for member, node, first in documented(path):
        if f"{name}:{member}" in EXCEPTIONS:
            continue
        line = getattr(node, "lineno", 1)
        word = re.split(r"\W", first, maxsplit=1)[0]
        if word in NEVER:
            yield f"{name}:{line}: {member} begins with {word!r}"
        function = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        public = function and not is_property(node) and not member.startswith("_")
        order = re.match(r"[A-Z][a-z]+\b", first) and not NOT_A_VERB.match(first)
        if public and not order and word not in VERBS:
            yield f"{name}:{line}: {member} does not begin with an order: {first!r}"


FILES: Final = sorted(SOURCE.rglob("*.py"))


@pytest.mark.slow
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(SOURCE).as_posix())
def test_docstrings_begin_as_the_style_sheet_asks(path: Path) -> None:
    """U59: "Return ...", never "Answer", "Tell", "Whether" or "What" first."""
    found = list(faults(path))
    assert found == [], "\n".join(found)


@pytest.mark.slow
def test_every_exception_has_a_reason() -> None:
    """An exception names a file and a function that exist, and why."""
    names = {
        f"{path.relative_to(SOURCE).as_posix()}:{name}"
        for path in FILES
        for name, _node, _first in documented(path)
    }
    assert set(EXCEPTIONS) <= names
    assert all(EXCEPTIONS.values())
