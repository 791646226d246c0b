"""Sessions of pytest that measure what tests reach and try changes, each a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from attrs import asdict, frozen
from tests.mutation.reach import KEPT, digest, stale
from tests.mutation.sites import ROOT, Site

MUTATED: Final = ("core", "odds", "table", "records")
"""The folders of the package that are mutated."""
TESTS: Final = (
    "core",
    "records",
    "table",
    "odds",
    "fair",
    "properties",
    "variants",
    "sources",
    "golden",
    "players",
    "testing",
    "reports",
    "simulation",
    "cli",
)
"""The folders of tests that take part. The others start services, browsers or builds, or compare
the source with its documents."""
KERNELS: Final = {
    "odds.exact_kernel": "odds.residues",
    "odds.fast_kernel": "odds.fast",
    "odds.taille_kernel": "odds.taille_nodes",
}
"""Modules of compiled functions, each with the module that calls it.

They are tried compiled, each change in a process of its own. Which of their lines a test reaches is
not measured: the tests are those that reach the module that calls them.
"""
EXCLUDED: Final = {
    "odds.vectors": "it writes LLVM instructions, which exist only in compiled code",
}
"""Modules that are not mutated, with the reason."""


@frozen
class Kind:
    """A kind of tests: which of them, in which environment.

    Of the tests that reach a site those are run, fastest first, that are between so many seconds
    and so many: ``reach`` names the kind that has measured them.
    """

    name: str
    marks: str
    reach: str
    beyond: float
    most: float
    folders: tuple[str, ...] = TESTS


_FAST: Final = "not slow and not nightly"
FAST: Final = Kind("fast", _FAST, "fast", 0.0, 2.5)
WIDE: Final = Kind("wide", _FAST, "fast", 2.5, 10.0)
"""The tests that ``FAST`` has left, for what survived it."""
SLOW: Final = Kind("slow", "slow and not nightly", "slow", 0.0, 10.0)


@frozen
class Bounds:
    """Until when, and by how many processes."""

    until: float
    processes: int = 1


def files_of(kind: Kind) -> list[str]:
    """Return the files of tests of a kind."""
    return [
        str(file.relative_to(ROOT))
        for folder in kind.folders
        for file in sorted((ROOT / "tests" / folder).rglob("test_*.py"))
    ]


@cache
def tests_state() -> str:
    """Return a hash of all tests that take part: what survived them may not survive others."""
    files = sorted(file for folder in TESTS for file in (ROOT / "tests" / folder).rglob("*.py"))
    told = "".join(f"{file.relative_to(ROOT)} {digest(file)}\n" for file in files)
    return sha256(told.encode()).hexdigest()[:12]


def run_session(
    kind: Kind,
    sites: Sequence[Site],
    results: Path,
    bounds: Bounds,
    *,
    files: Sequence[str] | None = None,
    modules: AbstractSet[str] = frozenset(),
) -> int:
    """Measure what is stale, then try sites with the tests of a kind; return pytest's status.

    ``files`` are the files of tests, by default all of the kind; what they reach is measured again
    only where it is stale for the modules of the sites, or for other ``modules``.
    """
    modules = modules | {site.module for site in sites}
    used = files_of(kind) if files is None else list(files)
    measure = [file for file in used if stale(file, kind.reach, modules)]
    plan = {
        "kind": kind.name,
        "reach": kind.reach,
        "beyond": kind.beyond,
        "folders": MUTATED,
        "measure": measure,
        "sites": [asdict(site) for site in sites],
        "processes": bounds.processes,
        "until": bounds.until,
        "most seconds": kind.most,
        "results": str(results),
        "state": tests_state(),
    }
    if time.time() > bounds.until or not (measure or sites):
        return 0
    KEPT.parent.mkdir(parents=True, exist_ok=True)
    name = KEPT.parent / f"plan-{kind.name}.json"
    name.write_text(json.dumps(plan), "utf-8")
    words = [
        *(sys.executable, "-m", "pytest", "-q", "-s", "-n", "0", "-p", "tests.mutation.warm"),
        *("-p", "no:cacheprovider", "-p", "no:rerunfailures", "-m", kind.marks),
        *("-o", "faulthandler_timeout=0"),
        *used,
    ]
    done = subprocess.run(words, cwd=ROOT, env=_environment(name), check=False)
    return done.returncode


def _environment(plan: Path) -> Mapping[str, Any]:
    """Return the environment of a session."""
    return {
        **os.environ,
        "MUTATION_PLAN": str(plan),
        "HYPOTHESIS_PROFILE": "mutation",
        "PYTHONPATH": str(ROOT),
    }
