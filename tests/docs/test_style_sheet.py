"""The style sheet of CONTRIBUTING.md: turns that no text for people has.

Read are README, CHANGELOG, CONTRIBUTING, SECURITY, all documents, the examples, the help of every
command and the messages (strings of the source, docstrings too: they make the reference), and the
English catalogue. What is quoted from a source, and names of things, are exceptions with a reason.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).parents[2]
AVOID: Final = (
    r"\b(tells?|told)\b",
    r"\b(is|are|was|were) (?-i:none)\b",
    r"(?<!there )\b(is|are|was|were) no (?!longer|more|fewer|less)\w+",
    r"\bgo(es)? on\b",
    r"\bstands?\b",
    r"\bbeside\b",
    r"\bbecom(e|es|ing) of\b",
    r"\bhand(s|ed)? back\b",
    r"\bthe very\b",
    r"\bbeg[iu]ns? (anew|again)\b",
    r"\bunless (said|told)\b",
    r"\b(otherwise|another) than\b",
    r"\bnoughts?\b",
    r"\bleaves with\b",
    r"\b(he|him|his)\b",
    r"\bhangs? on\b",
    r", as [\"'`\d]",
)
FOUND: Final = re.compile("|".join(AVOID), re.IGNORECASE)
PAGES: Final = (
    *(ROOT / name for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md")),
    *sorted((ROOT / "docs").glob("*.md")),
    *sorted((ROOT / "src" / "trente_rules" / "core" / "rules" / "languages").glob("en.toml")),
    ROOT / "src" / "trente_rules" / "service" / "web" / "index.html",
)
PROGRAMS: Final = (
    *sorted((ROOT / "src" / "trente_rules").rglob("*.py")),
    *sorted((ROOT / "examples").rglob("*.py")),
)
_A_MAN: Final = "the author is a man of history, named in the sentence"
EXCEPTIONS: Final[dict[tuple[str, str], str]] = {
    ("CHANGELOG.md", '"When he has not enough left'): "a quotation of the rules of Monte Carlo",
    ("CONTRIBUTING.md", '"the player" and "they", never "he"'): "the rule itself",
    ("CONTRIBUTING.md", "never Answer, Tell"): "the rule itself",
    ("docs/house-histories.md", "His figure, eleven thousandths"): _A_MAN,
    ("docs/house-histories.md", "so is his bound for the coups"): _A_MAN,
    ("docs/house-histories.md", "his wording gives"): _A_MAN,
}
"""A file and a part of its line, with the reason why the words stay."""


def named(path: Path) -> str:
    """Return a file as it is named in the project."""
    return path.relative_to(ROOT).as_posix()


def lines_of_page(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the lines of a page, numbered, without the tables of the style sheet itself."""
    quotes = path.name == "CONTRIBUTING.md"
    for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
        if not (quotes and line.startswith("| ")):
            yield number, line


def lines_of_program(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the lines of all strings of a program, numbered: messages, help, docstrings."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield from enumerate(node.value.splitlines(), node.lineno)


def faults(path: Path) -> Iterator[str]:
    """Yield each turn to avoid in a file, with its line."""
    lines = lines_of_program(path) if path.suffix == ".py" else lines_of_page(path)
    for number, line in lines:
        for found in FOUND.finditer(line):
            excused = any(file == named(path) and part in line for file, part in EXCEPTIONS)
            if not excused:
                yield f"{named(path)}:{number}: {found[0]!r} in {line.strip()!r}"


@pytest.mark.slow
@pytest.mark.parametrize("path", [*PAGES, *PROGRAMS], ids=named)
def test_no_text_has_a_turn_to_avoid(path: Path) -> None:
    """U56: ``grep`` for what the style sheet avoids finds nothing in texts for people."""
    found = list(faults(path))
    assert found == [], "\n".join(found)


def test_every_exception_is_needed() -> None:
    """An exception names a line that exists and has such a turn, and says why it stays."""
    for (file, part), reason in EXCEPTIONS.items():
        path = ROOT / file
        lines = lines_of_program(path) if path.suffix == ".py" else lines_of_page(path)
        assert any(part in line and FOUND.search(line) for _number, line in lines), (file, part)
        assert reason


def test_the_turns_are_found() -> None:
    """Each pattern finds its turn; words that only look like one are left alone."""
    for text in (
        "it tells you",
        "where there are none",
        "that is no file",
        "it goes on",
        "stakes that stand in prison",
        "beside the net",
        "what becomes of it",
        "handed back",
        "the very same",
        "it begins anew",
        "unless told",
        "another than",
        "nought",
        "leaves with 1",
        "as he chooses",
        "hangs on the order",
        "a number, as 1e8",
    ):
        assert FOUND.search(text), text
    for text in ("there is no house", "it is None", "no longer", "the standard error", "besides"):
        assert not FOUND.search(text), text
