"""Measure the branches that tests reach in core/, table/ and records/: ``make coverage``.

``python tools/branches.py`` runs the tests of these folders, prints the lines and branches that no
test reached, and exits with status 1 where a package is below its bound. ``--part core`` runs the
tests of core/ alone and measures core/ alone; ``--keep`` keeps the result in docs/quality.
"""

# ruff: noqa: INP001, T201

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from typing import Any, Final

from attrs import frozen
from results import ROOT, Result, keep

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


def measure(part: Part, workers: int) -> tuple[int, dict[str, Any]]:
    """Run the tests of a part; return the status of pytest, and the report."""
    BUILD.mkdir(parents=True, exist_ok=True)
    report = BUILD / "report.json"
    report.unlink(missing_ok=True)
    cover = ("--cov", "--cov-branch", "--cov-report", f"json:{report}")
    folders = [f"tests/{folder}" for folder in part.tests]
    done = subprocess.run(  # noqa: S603 - our own words
        (sys.executable, "-m", "pytest", "-q", "-n", str(workers), *cover, *folders),
        cwd=ROOT,
        env={**os.environ, "COVERAGE_FILE": str(BUILD / "data")},
        check=False,
    )
    return done.returncode, json.loads(report.read_text("utf-8")) if report.is_file() else {}


def main() -> int:
    """Measure, print what is missing, keep the result if asked; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--part", choices=[*PARTS], default="whole", help="What is measured.")
    parser.add_argument("--workers", type=int, default=2, help="Processes that share the tests.")
    parser.add_argument("--keep", action="store_true", help="Keep the result in docs/quality.")
    given = parser.parse_args()
    part = PARTS[given.part]
    status, report = measure(part, given.workers)
    if not report:
        print("the tests made no report of coverage", file=sys.stderr)
        return 1
    figures: dict[str, str | int] = {}
    below = []
    for bound in part.bounds:
        found = reached(report, bound.package)
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
            Result(part="coverage", command=command, passed=not (status or below), figures=figures)
        )
    return int(bool(status or below))


if __name__ == "__main__":
    sys.exit(main())
