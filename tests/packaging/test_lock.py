"""The lock of the environment has all that pyproject.toml asks for, with hashes, no addresses.

``make lock`` renews it; ``tools/environment.py`` installs it.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, distribution, distributions
from pathlib import Path
from typing import Any, Final

import environment
import pytest
from attrs import frozen
from packaging.markers import Marker
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT: Final = Path(__file__).parents[2]
LOCKS: Final = ROOT / ".ci" / "locks"
PROJECT: Final[dict[str, Any]] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
PLACES: Final = [
    {
        "python_version": f"3.{minor}",
        "python_full_version": f"3.{minor}.7",
        "sys_platform": system,
        "platform_system": name,
        "os_name": family,
        "implementation_name": "cpython",
        "platform_python_implementation": "CPython",
        "extra": "",
    }
    for minor in (11, 12, 13)
    for system, name, family in (
        ("linux", "Linux", "posix"),
        ("darwin", "Darwin", "posix"),
        ("win32", "Windows", "nt"),
    )
]
"""Pythons and platforms that the lock is for, in the words of environment markers."""


@frozen
class Pin:
    """A line of a lock: a distribution, its version, where it applies, and the hashes."""

    name: str
    version: Version
    marker: Marker | None
    hashes: tuple[str, ...]

    def applies(self, place: dict[str, str]) -> bool:
        """Return whether it is installed in a place."""
        return self.marker is None or self.marker.evaluate(place)


def pins(text: str) -> list[Pin]:
    """Return the pins of a lock; fail for a line that is none."""
    found = []
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    for entry in "\n".join(lines).replace("\\\n", " ").splitlines():
        asked, *hashes = re.split(r"\s+--hash=", entry.strip())
        requirement = Requirement(asked)
        (pinned,) = requirement.specifier
        assert pinned.operator == "==", entry
        assert requirement.url is None, entry
        assert not requirement.extras, entry
        name = canonicalize_name(requirement.name)
        found.append(Pin(name, Version(pinned.version), requirement.marker, tuple(hashes)))
    return found


def group(name: str) -> Iterator[str]:
    """Return the requirements of a dependency group, with those that it includes."""
    for line in PROJECT["dependency-groups"][name]:
        if isinstance(line, dict):
            yield from group(line["include-group"])
        else:
            yield line


def asked_for(kind: str) -> Iterator[Requirement]:
    """Return what an environment of a kind is asked to have."""
    project = PROJECT["project"]
    yield from map(Requirement, project["dependencies"])
    yield from map(Requirement, PROJECT["build-system"]["requires"])
    if kind == "development":
        extras = project["optional-dependencies"]
        for name in extras.keys() - {"all"}:
            yield from map(Requirement, extras[name])
        yield from map(Requirement, group("dev"))


def unmet(wanted: Iterator[Requirement], lock: list[Pin], asker: Pin | None = None) -> list[str]:
    """Return each requirement that a lock does not meet exactly once, where its asker applies."""
    missing = []
    for requirement in wanted:
        name = canonicalize_name(requirement.name)
        for place in PLACES:
            if asker is not None and not asker.applies(place):
                continue
            if requirement.marker is not None and not requirement.marker.evaluate(place):
                continue
            found = [pin for pin in lock if pin.name == name and pin.applies(place)]
            if len(found) != 1 or found[0].version not in requirement.specifier:
                where = f"Python {place['python_version']}, {place['sys_platform']}"
                missing.append(f"{requirement}: {where}: {[str(pin.version) for pin in found]}")
    return missing


def read(kind: str) -> list[Pin]:
    """Return the pins of the lock of a kind."""
    return pins((LOCKS / f"{kind}.txt").read_text("utf-8"))


@pytest.mark.parametrize("kind", ["runtime", "development"])
def test_the_lock_meets_pyproject(kind: str) -> None:
    """S19: each requirement has a locked version on every Python and platform."""
    assert unmet(asked_for(kind), read(kind)) == [], "renew the lock: make lock"


def test_a_requirement_that_is_not_locked_is_found() -> None:
    """Somebody who adds a dependency, or raises a floor, and forgets the lock is told so."""
    lock = read("development")
    assert len(unmet(iter([Requirement("a-new-library>=1")]), lock)) == len(PLACES)
    assert len(unmet(iter([Requirement("attrs>=9999")]), lock)) == len(PLACES)
    assert unmet(iter([Requirement("attrs>=9999; python_version < '3'")]), lock) == []
    only_here = [pin for pin in lock if pin.name != "attrs"]
    assert len(unmet(iter([Requirement("attrs")]), only_here)) == len(PLACES)


@pytest.mark.parametrize("kind", ["runtime", "development"])
def test_every_file_is_checked_and_no_address_is_written(kind: str) -> None:
    """S19: each pin has SHA-256 hashes; a lock names no index, host or path."""
    text = (LOCKS / f"{kind}.txt").read_text("utf-8")
    for pin in pins(text):
        assert pin.hashes, pin.name
        assert all(re.fullmatch("sha256:[0-9a-f]{64}", one) for one in pin.hashes), pin.name
    assert re.findall(r"://|--index|--find-links|file:|@", text) == []


def test_both_locks_have_the_same_versions() -> None:
    """The library is developed with what a user of the checkout runs."""
    every = {(pin.name, pin.version, pin.hashes) for pin in read("development")}
    assert {(pin.name, pin.version, pin.hashes) for pin in read("runtime")} <= every


def test_the_lock_is_closed() -> None:
    """What a locked distribution asks for is locked too, in a version that it admits."""
    lock = read("development")
    seen = 0
    for pin in lock:
        try:
            found = distribution(pin.name)
        except PackageNotFoundError:  # of another platform
            continue
        if Version(found.version) != pin.version:
            continue
        seen += 1
        needs = [Requirement(line) for line in found.requires or ()]
        assert unmet(iter(needs), lock, pin) == [], pin.name
    assert seen > len(lock) / 2


def test_what_is_installed_is_compared_with_the_lock(tmp_path: Path) -> None:
    """`tools/environment.py --check` names what an environment has in another version."""
    lock = tmp_path / "lock.txt"
    installed = {
        str(canonicalize_name(one.metadata["Name"])): one.version for one in distributions()
    }
    lines = [f"{name}=={version} \\" for name, version in installed.items()]
    lock.write_text("\n".join(lines))
    assert environment.strangers(lock) == []
    attrs = f"attrs=={installed['attrs']}"
    lock.write_text("\n".join(lines).replace(attrs, "attrs==0.1"))
    assert environment.strangers(lock) == [f"attrs {installed['attrs']}"]


@pytest.mark.parametrize(
    ("said", "falls_back"),
    [
        ("ERROR: No matching distribution found for numba==9.9", True),
        ("ERROR: Failed building wheel for numba", True),
        ("ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE.", False),
        ("ERROR: something else", False),
    ],
)
def test_only_a_missing_file_is_installed_unlocked(
    said: str,
    falls_back: bool,  # noqa: FBT001
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """S19: a wrong hash ends the installation; a platform without a file is named."""
    asked: list[tuple[str, ...]] = []

    def pip(*words: str) -> tuple[int, str]:
        asked.append(words)
        return (1, said) if "--require-hashes" in words else (0, "")

    monkeypatch.setattr(environment, "pip", pip)
    assert environment.install("development") == (0 if falls_back else 1)
    assert (("install", *environment.UNLOCKED["development"]) in asked) == falls_back
    told = capsys.readouterr().err
    assert ("the lock has no file for this platform" in told) == falls_back
    assert said.removeprefix("ERROR: ") in told
