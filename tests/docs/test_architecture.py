"""The pages for contributors: the architecture is the tree, what they ask to run exists."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).parents[2]
SOURCE: Final = ROOT / "src" / "trente_rules"
PAGE: Final = (ROOT / "docs" / "architecture.md").read_text("utf-8")
GUIDE: Final = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
MAKEFILE: Final = (ROOT / "Makefile").read_text("utf-8")


def test_every_module_has_its_line() -> None:
    """A9: the layout has one line for each module, and none for a module that is gone."""
    listed = re.findall(r"^- `([\w/]+\.py)`: .", PAGE, re.MULTILINE)
    modules = {path.relative_to(SOURCE).as_posix() for path in SOURCE.rglob("*.py")}
    assert len(listed) == len(set(listed))
    assert set(listed) == {m for m in modules if not m.endswith(("__init__.py", "_version.py"))}


def test_every_path_of_the_page_exists() -> None:
    """A path in backticks is one of the repository, or of src/trente_rules."""
    for path in re.findall(r"`((?:\w[\w-]*/)+[\w.-]+(?:\.\w+)?)`", PAGE):
        assert (SOURCE / path).exists() or (ROOT / path).exists(), path


def test_the_layers_are_those_of_the_contract() -> None:
    """The picture of the wings is the import contract."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]
    (layers,) = (c["layers"] for c in contracts["contracts"] if c["id"] == "layers")
    (picture,) = re.findall(r"```text\n(.*?)```", PAGE, re.DOTALL)
    assert [sorted(re.findall(r"\w+", layer)) for layer in layers] == [
        sorted(line.split()) for line in picture.splitlines()
    ]


@pytest.mark.parametrize("command", re.findall(r"`make ([a-z-]+)", GUIDE))
def test_every_command_of_the_guide_is_made(command: str) -> None:
    """A9: what CONTRIBUTING.md asks to run is in the Makefile."""
    assert re.search(rf"^{command}:", MAKEFILE, re.MULTILINE)


def test_the_hooks_are_local() -> None:
    """A9: pre-commit runs the tools of the virtual environment, and fetches nothing."""
    text = (ROOT / ".pre-commit-config.yaml").read_text("utf-8")
    assert re.findall(r"- repo: (.*)", text) == ["local"]
    entries = re.findall(r"entry: (\S+)", text)
    assert entries == [f".venv/bin/{tool}" for tool in ("ruff", "ruff", "mypy", "lint-imports")]


def test_the_readme_is_whole_on_a_package_index() -> None:
    """T13d: no link or picture of README.md is relative, since an index page has no such files."""
    text = (ROOT / "README.md").read_text("utf-8")
    assert [to for to in re.findall(r"\]\(([^)]*)\)", text) if not to.startswith("https://")] == []


def test_the_oldest_python_that_is_claimed_is_the_one_that_develops() -> None:
    """T13d: which others are claimed is in tests/packaging/test_pythons.py."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    found = re.findall(r"Python :: (3\.\d+)'", str(project["classifiers"]))
    assert found[0] == project["requires-python"].removeprefix(">=")
    assert all(url.startswith("https://") for url in project["urls"].values())
