"""The sites of mutation: what is changed, what is left alone, and what names a change."""

from __future__ import annotations

import ast

import pytest
from tests.mutation.sites import Site, modules_of, path_of, sites_of

SOURCE = '''
"""A module."""

from __future__ import annotations

LIMIT: Final = 3


@frozen
class Bounds:
    """A class."""

    least: int = field(default=1, converter=int)

    @property
    def wide(self) -> bool:
        """A property."""
        if self.least > 0 and self.least < LIMIT:
            return True
        raise _error("the least is too large", code="bad-least")


def paid(stakes: Sequence[int], kind: Literal["a", "b"]) -> int:
    """A function."""
    total = 0
    for stake in stakes:
        if not stake:
            continue
        total += stake * 2
    note(
        total,
        kind=kind,
    )
    return total if kind == "a" else -total
'''


def changes(source: str = SOURCE) -> set[tuple[str, str, str]]:
    """Return the function and the lines of every change."""
    return {(site.function, site.was, site.now) for site in sites_of("core.money", source)}


@pytest.mark.parametrize(
    ("function", "was", "now"),
    [
        ("", "LIMIT: Final = 3", "LIMIT: Final = 4"),
        (
            "Bounds",
            "least: int = field(default=1, converter=int)",
            "least: int = field(converter=int)",
        ),
        (
            "Bounds.wide",
            "if self.least > 0 and self.least < LIMIT:",
            "if self.least >= 0 and self.least < LIMIT:",
        ),
        (
            "Bounds.wide",
            "if self.least > 0 and self.least < LIMIT:",
            "if self.least > 0 or self.least < LIMIT:",
        ),
        ("Bounds.wide", "if self.least > 0 and self.least < LIMIT:", "if True:"),
        ("Bounds.wide", "if self.least > 0 and self.least < LIMIT:", "if False:"),
        ("Bounds.wide", 'raise _error("the least is too large", code="bad-least")', "pass"),
        (
            "Bounds.wide",
            'raise _error("the least is too large", code="bad-least")',
            'raise _error("the least is too large", code="XXbad-leastXX")',
        ),
        ("paid", "if not stake:", "if stake:"),
        ("paid", "continue", "break"),
        ("paid", "total += stake * 2", "total -= stake * 2"),
        ("paid", "total += stake * 2", "total = stake * 2"),
        ("paid", "total,\nkind=kind,\n)", "total)"),
        ("paid", "note(\ntotal,\nkind=kind,\n)", "pass"),
        (
            "paid",
            'return total if kind == "a" else -total',
            'return total if (kind == "a") and False else -total',
        ),
    ],
)
def test_a_change_is_made(function: str, was: str, now: str) -> None:
    """Each operator changes the code that S21 names: comparisons, branches, raises, keywords."""
    assert (function, was, now) in changes()


def test_sentences_annotations_and_decorators_stay() -> None:
    """Docstrings, sentences, annotations, decorators and imports have no sites."""
    lines = {line.strip() for _, was, _ in changes() for line in was.splitlines()}
    assert not any('"""' in line for line in lines)
    assert "@frozen" not in lines
    assert "from __future__ import annotations" not in lines
    assert not any("def paid" in line for line in lines)
    assert not any("XXthe least" in now for _, _, now in changes())


def test_every_changed_source_can_be_read() -> None:
    """A change is valid Python, and differs from the source in the lines that it names."""
    source = path_of("core.money").read_text("utf-8")
    sites = sites_of("core.money")
    assert len(sites) > 100
    for site in sites:
        ast.parse(site.mutated(source))
        assert site.mutated(source) != source
        assert site.was.splitlines()[0] in source.splitlines()[site.line - 1]


def test_a_key_holds_when_lines_move() -> None:
    """Lines above a function move it: the key, the name and the hash of its text stay."""
    moved = SOURCE.replace("LIMIT: Final = 3", "\n\nOTHER: Final = 3\nLIMIT: Final = 3")

    def of_paid(source: str) -> list[tuple[str, str]]:
        sites = sites_of("core.money", source)
        return [(site.name, site.within) for site in sites if site.function == "paid"]

    assert of_paid(moved) == of_paid(SOURCE)
    lines = [site.line for site in sites_of("core.money", moved) if site.function == "paid"]
    assert lines != [site.line for site in sites_of("core.money") if site.function == "paid"]


def test_equal_changes_have_names_of_their_own() -> None:
    """Two changes of one function that read the same have one key, and two names."""
    twice = "def one(a):\n    if a:\n        a += 1\n    else:\n        a += 1\n"
    found = [site for site in sites_of("core.money", twice) if site.now == "a += 2"]
    assert len(found) == 2
    assert found[0].key == found[1].key
    assert found[0].name != found[1].name


def test_a_changed_function_makes_its_results_old() -> None:
    """A result holds for the text of the function: one changed line elsewhere in it is enough."""
    other = SOURCE.replace("return total if", "return 2 * total if")

    def continuing(source: str) -> Site:
        return next(site for site in sites_of("core.money", source) if site.now == "break")

    assert continuing(other).name == continuing(SOURCE).name
    assert continuing(other).within != continuing(SOURCE).within


def test_overloads_do_not_shift_what_follows() -> None:
    """A function that is left alone ends where it ends."""
    source = "@overload\ndef one(a: int) -> int: ...\n\n\ndef two(a):\n    return a + 1\n"
    assert {site.function for site in sites_of("core.money", source)} == {"two"}


def test_modules_are_named_as_they_are_imported() -> None:
    """Modules of all levels are found; packages have no code."""
    found = modules_of(("core",))
    assert "core.settlement" in found
    assert "core.rules.limits" in found
    assert all(path_of(module).is_file() for module in found)
    assert not any(module.endswith("__init__") for module in found)
