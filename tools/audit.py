"""Hold what the project asks for and what is locked against known advisories: ``make audit``.

Two parts. The first needs no network: ``tools/advisories.toml`` lists the advisories that were read
by its date, and neither the oldest version that pyproject.toml admits nor a locked one may be in
one of them; each requirement must have been looked up. The second asks pip-audit about the lock
where its service can be reached, and says so where it cannot.

Run ``python tools/audit.py [--offline]``; the exit status is 1 for a fault of either part.
"""

# ruff: noqa: INP001, T201 - a script that says what it does

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Iterator
from datetime import date
from pathlib import Path
from typing import Any, Final

from attrs import frozen
from made_file import parser_of
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT: Final = Path(__file__).parent.parent
LOCK: Final = ROOT / ".ci" / "locks" / "development.txt"
FILE: Final = ROOT / "tools" / "advisories.toml"


@frozen
class Advisory:
    """An advisory: the versions from ``since`` on and before ``fixed`` have the fault."""

    name: str
    ids: tuple[str, ...]
    fixed: Version
    since: Version | None
    what: str

    def admits(self, version: Version) -> bool:
        """Return whether a version has the fault."""
        return version < self.fixed and (self.since is None or version >= self.since)


@frozen
class Known:
    """The advisories that were read, the names without any, and the day."""

    advisories: tuple[Advisory, ...]
    none_known: frozenset[str]
    day: date

    def of(self, name: str) -> Iterator[Advisory]:
        """Return the advisories of a distribution."""
        return (one for one in self.advisories if one.name == canonicalize_name(name))


def known(file: Path = FILE) -> Known:
    """Read the advisories."""
    stored = tomllib.loads(file.read_text("utf-8"))
    advisories = tuple(
        Advisory(
            one["name"],
            tuple(one["ids"]),
            Version(one["fixed"]),
            Version(one["since"]) if "since" in one else None,
            one["what"],
        )
        for one in stored["advisory"]
    )
    return Known(advisories, frozenset(stored["none_known"]), stored["read"])


def floors(project: dict[str, Any]) -> dict[str, Version | None]:
    """Return the oldest version that each requirement of a pyproject.toml admits; None: any."""
    asked = [*project["project"]["dependencies"], *project["build-system"]["requires"]]
    for lines in project["project"]["optional-dependencies"].values():
        asked += lines
    for name, lines in project["dependency-groups"].items():
        if name != "bench":  # other engines, which nothing but a benchmark installs
            asked += [line for line in lines if isinstance(line, str)]
    found: dict[str, Version | None] = {}
    for requirement in map(Requirement, asked):
        name = canonicalize_name(requirement.name)
        if name == "trente-rules":
            continue
        least = [Version(one.version) for one in requirement.specifier if one.operator == ">="]
        version = least[0] if least else None
        before = found.get(name, version)
        found[name] = None if version is None or before is None else min(version, before)
    return found


def locked(text: str) -> list[tuple[str, Version]]:
    """Return every pin of a lock."""
    pins = re.findall(r"^([A-Za-z0-9._-]+)==([^ ;\\]+)", text, re.MULTILINE)
    return [(canonicalize_name(name), Version(version)) for name, version in pins]


def faults(
    least: dict[str, Version | None], pins: Iterable[tuple[str, Version]], read: Known
) -> list[str]:
    """Return a sentence for each floor or pin that an advisory is about, or nobody looked up."""
    found = []
    looked_up = read.none_known | {one.name for one in read.advisories}
    for name, version in least.items():
        if name not in looked_up:
            found.append(f"{name}: nobody looked it up (tools/advisories.toml)")
        if version is None:
            found.append(f"{name}: it has no floor, so any version will do (pyproject.toml)")
            continue
        found += [
            f"{name}>={version}: {', '.join(one.ids)}: {one.what} (raise the floor to {one.fixed})"
            for one in read.of(name)
            if one.admits(version)
        ]
    for name, version in pins:
        found += [
            f"{name}=={version}: {', '.join(one.ids)}: {one.what} (make lock)"
            for one in read.of(name)
            if one.admits(version)
        ]
    return found


def answered(text: str) -> tuple[list[str], int, int]:
    """Return the faults that pip-audit found, how many pins it audited, and how many it skipped.

    pip-audit exits with 0 where its service knows nothing of a distribution, or does not answer as
    it should: what it skipped is not audited.
    """
    audited = json.loads(text)["dependencies"]
    skipped = sum("skip_reason" in one for one in audited)
    found = [
        f"{one['name']}=={one['version']}: {fault['id']}: {', '.join(fault['fix_versions'])}"
        for one in audited
        for fault in one.get("vulns", ())
    ]
    return found, len(audited) - skipped, skipped


def ask_service() -> int:
    """Ask pip-audit about the lock; return 1 for an advisory, 0 where none or nobody answers."""
    options = ("--require-hashes", "--disable-pip", "--progress-spinner=off", "--timeout=15")
    done = subprocess.run(  # noqa: S603 - fixed words
        [sys.executable, "-m", "pip_audit", *options, "--format=json", f"--requirement={LOCK}"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    try:
        found, audited, skipped = answered(done.stdout)
    except ValueError:
        found, audited, skipped = [], 0, 0
    print("\n".join(found), end="\n" if found else "")
    if audited:
        print(f"pip-audit: {len(found)} advisories, {audited} versions audited, {skipped} not")
    else:
        print("pip-audit: its service did not answer, so only the file was checked")
    return 1 if found else 0


def main(given: list[str] | None = None) -> int:
    """Run both parts; return the exit status."""
    parser = parser_of(__doc__)
    parser.add_argument("--offline", action="store_true", help="read the file alone, ask nobody")
    asked = parser.parse_args(given)
    read = known()
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    least, pins = floors(project), locked(LOCK.read_text("utf-8"))
    found = faults(least, pins, read)
    print("\n".join(found))
    print(
        f"{len(least)} floors and {len(pins)} locked versions against {len(read.advisories)} "
        f"entries of tools/advisories.toml, read on {read.day}: "
        + (f"{len(found)} faults" if found else "no fault")
    )
    return max(1 if found else 0, 0 if asked.offline else ask_service())


if __name__ == "__main__":
    sys.exit(main())
