"""Measure the branches that tests reach in core/, table/ and records/: ``make coverage``.

``python tools/branches.py`` runs the tests of these folders, prints the lines and branches that no
test reached, and exits with status 1 where a package is below its bound. ``--part core`` runs the
tests of core/ alone and measures core/ alone; ``make nightly`` keeps the result, with ``--keep``.

Each folder is a run of its own, whose data is kept in build/coverage for the state of the code: a
measurement that was stopped, or ended by ``--minutes``, continues at the first folder that is
missing. What is not finished is kept as not passed, with the folders that are missing.
"""

# ruff: noqa: INP001, T201

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from attrs import frozen
from results import KEEP_HELP, ROOT, Result, code_digest, keep

BUILD: Final = ROOT / "build" / "coverage"


@frozen
class Bound:
    """The least share of lines and branches of a package, in per cent, that tests must reach."""

    package: str
    least: float


@frozen
class Part:
    """The folders and files of tests that are run, and the packages that they are measured by."""

    tests: tuple[str, ...]
    bounds: tuple[Bound, ...]


# Commands on journals, records and cards: the tests of the files that they write.
COMMANDS: Final = tuple(
    f"cli/test_{name}.py"
    for name in ("journal_commands", "migrate", "record_commands", "sealed_commands", "card")
)
CORE: Final = Bound("core", 100)
PARTS: Final[Mapping[str, Part]] = {
    "core": Part(("core",), (CORE,)),
    "whole": Part(
        ("core", "table", "records", "properties", "fair", "golden", "variants", *COMMANDS),
        (CORE, Bound("table", 98), Bound("records", 98)),
    ),
}


@frozen
class Reached:
    """What tests reached of a package: lines and branches together, and what is missing."""

    package: str
    all: int
    met: int
    missing: tuple[str, ...]

    @property
    def share(self) -> float:
        """The share that was reached, in per cent."""
        return 100 * self.met / self.all if self.all else 0.0

    def holds(self, bound: Bound) -> bool:
        """Return whether a bound is reached; one of 100 only where nothing at all is missing."""
        return bool(self.all) and self.met * 100 >= bound.least * self.all


def reached(report: Mapping[str, Any], package: str) -> Reached:
    """Return what a report of coverage.py, as JSON, says of a package."""
    start = f"src/trente_rules/{package}/"
    total = met = 0
    missing: list[str] = []
    for name, file in sorted(report["files"].items()):
        if not name.startswith(start):
            continue
        sums = file["summary"]
        total += sums["num_statements"] + sums["num_branches"]
        met += sums["covered_lines"] + sums["covered_branches"]
        missing += _missing(name, file)
    return Reached(package, total, met, tuple(missing))


def _missing(name: str, file: Mapping[str, Any]) -> Iterator[str]:
    lines = file["missing_lines"]
    yield from (f"{name}:{line}: not reached" for line in lines)
    for line, to in file["missing_branches"]:
        if line not in lines:
            where = f"line {to}" if to > 0 else "the end"
            yield f"{name}:{line}: never goes to {where}"


@frozen
class Measured:
    """What runs of tests left: the report, folders with failed tests, and folders not finished."""

    report: Mapping[str, Any]
    failed: tuple[str, ...]
    missing: tuple[str, ...]


def measure(part: Part, workers: int, until: float) -> Measured:
    """Run the tests of a part, folder by folder, until a moment of ``time.monotonic``."""
    kept = BUILD / (code_digest() or "unknown")
    kept.mkdir(parents=True, exist_ok=True)
    failed, missing, data = [], [], []
    for folder in part.tests:
        name = folder.replace("/", "-")
        status, found = kept / f"{name}.status", kept / f"{name}.data"
        if not status.is_file():
            code = _run(f"tests/{folder}", found, workers, until)
            if code is not None:
                status.write_text(f"{code}\n", "utf-8")
        if not (status.is_file() and found.is_file()):
            missing.append(folder)
            continue
        data.append(str(found))
        if status.read_text("utf-8").strip() != "0":
            failed.append(folder)
    return Measured(_report(kept, data), tuple(failed), tuple(missing))


def _run(tests: str, data: Path, workers: int, until: float) -> int | None:
    """Run one folder of tests; return the status of pytest, None where it was not finished."""
    left = until - time.monotonic()
    if left <= 0:
        return None
    words = (
        *("-m", "pytest", "-q", "-n", str(workers), "-p", "no:cacheprovider"),
        *("-o", "faulthandler_timeout=0"),  # tests that are measured take twice as long
        *("--cov", "--cov-branch", "--cov-report=", tests),
    )
    try:
        done = subprocess.run(  # noqa: S603 - our own words
            (sys.executable, *words),
            cwd=ROOT,
            env={
                **os.environ,
                "COVERAGE_FILE": str(data),
                "HYPOTHESIS_PROFILE": "fast",  # the examples of every change, the same each time
            },
            check=False,
            timeout=left,
        )
    except subprocess.TimeoutExpired:
        data.unlink(missing_ok=True)
        return None
    return done.returncode if done.returncode in (0, 1) else None


def _report(kept: Path, data: Sequence[str]) -> dict[str, Any]:
    """Return the report of coverage.py over the data of several runs; empty without any."""
    if not data:
        return {}
    whole, report = kept / "whole.data", kept / "report.json"
    cover = (sys.executable, "-m", "coverage")
    given = f"--data-file={whole}"
    for words in (("combine", "--keep", "-q", given, *data), ("json", "-q", given, "-o", report)):
        subprocess.run((*cover, *words), cwd=ROOT, check=True)  # noqa: S603 - our own words
    return dict(json.loads(report.read_text("utf-8")))


def main() -> int:
    """Measure, print what is missing, keep the result if asked; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--part", choices=[*PARTS], default="whole", help="What is measured.")
    parser.add_argument("--workers", type=int, default=2, help="Processes that share the tests.")
    parser.add_argument("--keep", action="store_true", help=KEEP_HELP)
    parser.add_argument("--minutes", type=float, default=55, help="The longest time it may take.")
    given = parser.parse_args()
    part = PARTS[given.part]
    measured = measure(part, given.workers, time.monotonic() + given.minutes * 60)
    below = [f"tests/{folder}: a test failed" for folder in measured.failed]
    below += [f"tests/{folder}: not finished" for folder in measured.missing]
    if not measured.report:
        print("the tests made no report of coverage", file=sys.stderr)
        return 1
    figures: dict[str, str | int] = {}
    for bound in part.bounds:
        found = reached(measured.report, bound.package)
        print(*found.missing, sep="\n")
        share = f"{found.share:.2f}"
        print(f"{bound.package}: {share} % of {found.all:,} lines and branches")
        figures |= {
            f"{bound.package}: lines and branches": found.all,
            f"{bound.package}: reached %": share,
            f"{bound.package}: least %": f"{bound.least:g}",
        }
        if not found.holds(bound):
            below.append(f"{bound.package}: {share} % is below {bound.least:g} %")
    print(*below, sep="\n")
    if given.keep:
        command = f"python tools/branches.py --part {given.part}"
        keep(
            Result(part="coverage", command=command, passed=not below, figures=figures, notes=below)
        )
    return int(bool(below))


if __name__ == "__main__":
    sys.exit(main())
