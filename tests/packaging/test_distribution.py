"""The distribution as installed: metadata, entry points, data, and the floors that are checked."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import distribution, packages_distributions
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

import pytest

import trente_rules
from trente_rules.core import default_manager

ROOT: Final = Path(__file__).parents[2]
SOURCES: Final = (ROOT / "src" / "trente_rules", ROOT / "variants" / "trente_variants")
PROJECT: Final[dict[str, Any]] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))


def normal(name: str) -> str:
    """Return the name of a distribution as indexes compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def requirement_name(requirement: str) -> str:
    """Return which distribution a requirement asks for."""
    found = re.match(r"[A-Za-z0-9._-]+", requirement)
    assert found is not None
    return normal(found[0])


def imported_roots(path: Path) -> set[str]:
    """Return the top-level packages that a file imports, anywhere in it, by absolute imports."""
    roots = set()
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            roots |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            roots.add(node.module.partition(".")[0])
    return roots


def modules() -> Iterator[Path]:
    """Return every module of both source roots."""
    for source in SOURCES:
        yield from sorted(source.rglob("*.py"))


def test_version_is_written_once() -> None:
    """The installed metadata takes the version from the one module that holds it."""
    assert distribution("trente-rules").version == trente_rules.__version__
    assert "version" in PROJECT["project"]["dynamic"]


def test_metadata_says_who_may_use_it_and_where() -> None:
    """The installed metadata names the licence, the oldest Python and the summary."""
    metadata = distribution("trente-rules").metadata
    assert metadata["License-Expression"] == "MIT"
    assert metadata["Requires-Python"] == PROJECT["project"]["requires-python"]
    assert metadata["Summary"] == PROJECT["project"]["description"]


def test_the_command_is_an_entry_point() -> None:
    """The command is `trente`; the shipped houses are found by their module, not by a name."""
    found = {
        (point.group, point.name): point.value
        for point in distribution("trente-rules").entry_points
    }
    assert found["console_scripts", "trente"] == "trente_rules.cli:main"


def test_entry_points_load() -> None:
    """What the entry points name exists."""
    for point in distribution("trente-rules").entry_points:
        point.load()


def test_every_folder_of_the_variants_is_a_house() -> None:
    """Each folder of the variants is one house, found under its name; none gets lost."""
    folders = {path.name for path in SOURCES[1].iterdir() if path.name[0].isalpha()}
    assert len(folders) >= 30
    assert folders == set(default_manager().names("house"))


def test_package_says_that_it_is_typed() -> None:
    """Type checkers find the marker of PEP 561 beside the facade."""
    assert (files("trente_rules") / "py.typed").is_file()


@pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.name)
def test_every_file_of_a_package_is_found_as_a_resource(source: Path) -> None:
    """Modules and data of both source roots are reached through the installed packages."""
    for path in source.rglob("*"):
        if path.is_file() and "__pycache__" not in path.parts:
            resource = files(source.name).joinpath(*path.relative_to(source).parts)
            assert resource.read_bytes() == path.read_bytes()


def test_every_folder_with_modules_is_a_package() -> None:
    """No folder of the sources is a namespace package by oversight."""
    for folder in {path.parent for path in modules()}:
        assert (folder / "__init__.py").is_file(), f"{folder} lacks an __init__.py"


@pytest.mark.slow
def test_every_import_is_declared() -> None:
    """A library that the sources import is a dependency, or belongs to an extra."""
    project = PROJECT["project"]
    extras = (part for name, part in project["optional-dependencies"].items() if name != "all")
    declared = {
        requirement_name(requirement)
        for part in (project["dependencies"], *extras)
        for requirement in part
    }
    owners = packages_distributions()
    ours = {source.name for source in SOURCES}
    for path in modules():
        for root in imported_roots(path) - sys.stdlib_module_names - ours:
            names = {normal(owner) for owner in owners.get(root, [root])}
            assert names & declared, f"{path} imports {root}, which pyproject.toml does not declare"


@pytest.mark.slow
def test_every_dependency_is_used() -> None:
    """No dependency is asked of users for nothing."""
    owners = packages_distributions()
    used = {
        normal(owner)
        for path in modules()
        for root in imported_roots(path)
        for owner in owners.get(root, [])
    }
    for requirement in PROJECT["project"]["dependencies"]:
        assert requirement_name(requirement) in used


def test_extra_all_holds_every_extra() -> None:
    """``trente-rules[all]`` brings what all other extras bring."""
    extras = PROJECT["project"]["optional-dependencies"]
    (every,) = extras["all"]
    named = re.fullmatch(r"trente-rules\[(.*)\]", every)
    assert named is not None
    assert sorted(named[1].split(",")) == sorted(extras.keys() - {"all"})


def layers() -> list[set[str]]:
    """Return the layers of the import contract, highest first, with the folders of each."""
    (contract,) = (
        one for one in PROJECT["tool"]["importlinter"]["contracts"] if one["id"] == "layers"
    )
    return [
        {folder.strip(" ()") for folder in re.split(r"[|:]", layer)} for layer in contract["layers"]
    ]


def test_every_folder_has_one_layer() -> None:
    """Each module or package right under trente_rules is in the contract once, or is exempt."""
    folders = [folder for layer in layers() for folder in sorted(layer)]
    assert len(folders) == len(set(folders))
    present = {
        path.stem
        for path in SOURCES[0].iterdir()
        if (path.suffix == ".py" or (path / "__init__.py").is_file())
    }
    assert present - {"__init__", "_version"} <= set(folders)
    assert len(layers()) <= 9


def test_layers_are_in_the_order_of_the_design() -> None:
    """The core is below every wing: odds, table, records, players, reports, play and commands."""
    height = {folder: -number for number, layer in enumerate(layers()) for folder in layer}
    plan = ("core", "odds", "table", "records", "players", "reports", "play", "cli")
    assert sorted(plan, key=height.__getitem__) == list(plan)
    assert height["fair"] == height["odds"]
    assert height["simulation"] == height["records"]
