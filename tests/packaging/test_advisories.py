"""Neither a floor of pyproject.toml nor a locked version has a known fault (S19)."""

from __future__ import annotations

import json
import tomllib
from datetime import date
from pathlib import Path
from typing import Any, Final

import audit
import pytest
from packaging.version import Version

ROOT: Final = Path(__file__).parents[2]
PROJECT: Final[dict[str, Any]] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))


def test_no_floor_and_no_locked_version_is_in_an_advisory() -> None:
    """S19, its kind: each floor is held against the advisories of that version."""
    pins = audit.locked(audit.LOCK.read_text("utf-8"))
    assert len(pins) > 100
    assert audit.faults(audit.floors(PROJECT), pins, audit.known()) == []


@pytest.mark.parametrize(
    ("requirement", "why"),
    [
        ("pyjwt>=2.10", "CVE-2024-53861"),
        ("starlette>=1.0", "CVE-2026-48710"),
        ("cryptography>=43.0", "GHSA-h4gh-qq45-vh27"),
        ("a-new-library>=1", "nobody looked it up"),
        ("attrs", "any version will do"),
    ],
)
def test_a_floor_that_admits_a_fault_is_found(requirement: str, why: str) -> None:
    """Floors of 0.8.0 were faults; so is a library without a floor, or not looked up."""
    project = {
        "project": {"dependencies": [requirement], "optional-dependencies": {}},
        "build-system": {"requires": []},
        "dependency-groups": {},
    }
    found = audit.faults(audit.floors(project), [], audit.known())
    assert any(why in line for line in found), found


def test_a_locked_version_with_a_fault_is_found() -> None:
    """The bounds of an advisory: from the first version with the fault, before the one without."""
    for version, wrong in (("43.0.0", True), ("49.9", True), ("50.0.0", False), ("50.0.2", False)):
        found = audit.faults({}, [("cryptography", Version(version))], audit.known())
        assert bool(found) == wrong, version
    since = [("python-json-logger", Version("3.1.0")), ("python-json-logger", Version("3.2.1"))]
    assert len(audit.faults({}, since, audit.known())) == 1


def test_advisories_are_named_by_their_ids_and_dated() -> None:
    """Every entry can be looked up; the file says when it was read; no library is in both lists."""
    read = audit.known()
    assert date(2026, 12, 2) <= read.day
    for one in read.advisories:
        assert all(known.startswith(("CVE-", "GHSA-", "PYSEC-")) for known in one.ids), one.name
        assert one.since is None or one.since < one.fixed
    assert not read.none_known & {one.name for one in read.advisories}


def test_what_the_service_skipped_is_not_audited() -> None:
    """pip-audit exits with 0 where it could look nothing up: that is no audit."""
    skipped = {"name": "attrs", "skip_reason": "not found"}
    fault = {"id": "PYSEC-1", "fix_versions": ["2"]}
    found = {"name": "jwt", "version": "1", "vulns": [fault]}
    assert audit.answered(json.dumps({"dependencies": [skipped]})) == ([], 0, 1)
    faults, audited, left = audit.answered(json.dumps({"dependencies": [skipped, found]}))
    assert (faults, audited, left) == (["jwt==1: PYSEC-1: 2"], 1, 1)
