"""The public names: each is listed once, and users are shown no others."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Final

import pytest

import trente_rules

ROOT: Final = Path(__file__).parents[2]
SOURCE: Final = ROOT / "src"
PACKAGES: Final = tuple(
    ".".join(stub.parent.relative_to(SOURCE).parts)
    for stub in sorted((SOURCE / "trente_rules").rglob("__init__.pyi"))
)
DOCUMENTS: Final = (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))
EXAMPLES: Final = tuple(sorted((ROOT / "examples").rglob("*.py")))


def listed(package: str) -> list[str]:
    """Return the names that the stub of a package lists, in its order."""
    stub = SOURCE.joinpath(*package.split("."), "__init__.pyi")
    body = ast.parse(stub.read_text("ascii")).body
    assert all(isinstance(node, ast.ImportFrom) for node in body)
    return [alias.name for node in body if isinstance(node, ast.ImportFrom) for alias in node.names]


@pytest.mark.parametrize("package", PACKAGES)
def test_every_public_name_can_be_imported(package: str) -> None:
    """A8: what type checkers find in a stub is what an import gives, lazily."""
    module = import_module(package)
    names = listed(package)
    assert sorted(names) == dir(module)
    assert all(getattr(module, name) is not None for name in names)


def test_every_public_name_is_listed_once() -> None:
    """A8: no name twice, in one package or in two; but a strategy is named for what it draws."""
    packages = [package for package in PACKAGES if package != "trente_rules.testing"]
    names = Counter(name for package in packages for name in listed(package))
    assert [name for name, times in names.items() if times > 1] == []


def test_the_facade_is_small() -> None:
    """A8, T13e: some forty names; commands and events are in ``trente_rules.table``."""
    assert 40 <= len(listed("trente_rules")) <= 50
    assert not {"Deal", "Turn", "Place", "Record", "replay", "snapshot"} & set(dir(trente_rules))


def test_an_unknown_name_is_an_attribute_error() -> None:
    """A name that is not public is refused as any module refuses it."""
    with pytest.raises(AttributeError, match="nonsense"):
        getattr(trente_rules, "nonsense")  # noqa: B009 - mypy refuses it as an attribute


def programs() -> Iterator[tuple[Path, str]]:
    """Yield every program shown to users: those of the documents, and the examples."""
    for page in DOCUMENTS:
        for block in re.findall(r"```python\n(.*?)```", page.read_text("utf-8"), re.DOTALL):
            lines = re.findall(r"^(?:>>> |\.\.\. )(.*)$", block, re.MULTILINE)
            yield page, "\n".join(lines) if lines else block
    for example in EXAMPLES:
        yield example, example.read_text("utf-8")


def test_what_users_are_shown_is_public() -> None:
    """U30, A8: README, documents and examples import public names from public packages alone."""
    public = {package: set(listed(package)) for package in PACKAGES}
    shown = [
        (page.name, node.module, alias.name)
        for page, code in programs()
        for node in ast.walk(ast.parse(code))
        if isinstance(node, ast.ImportFrom) and str(node.module).startswith("trente_rules")
        for alias in node.names
    ]
    assert len(shown) > 100
    assert [use for use in shown if use[2] not in public.get(str(use[1]), ())] == []
