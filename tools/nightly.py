"""Run the long proofs in parts of an hour at most: ``make nightly``.

Each part keeps its result in docs/quality with the commit it was found on. A part that passed on
the code as it is in the checkout is not run again, so a run that was stopped continues where it
was; the whole is green where every part is. ``python tools/nightly.py --list`` shows the parts,
``--again`` runs those that passed, too, and names of parts run those alone. What a part prints is
in build/nightly.
"""

# ruff: noqa: INP001, T201

from __future__ import annotations

import argparse
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from attrs import frozen
from results import FOLDER, ROOT, Result, State, environment, keep, kept_results

LOGS: Final = ROOT / "build" / "nightly"
LONGEST: Final = 60 * 60
"""Seconds that a part may take before it is ended, and has failed."""
ENDED: Final = 124
"""The status of a part that was ended."""


@frozen
class Part:
    """A part of the nightly run: its name, what it proves, and its command after ``python``.

    A part of tests is run by pytest with the nightly examples and its result is kept here; any
    other command keeps its own result.
    """

    name: str
    proves: str
    command: tuple[str, ...]
    tests: bool = False


FOLDERS: Final = {
    "cli": "the commands: figures, files, careless use",
    "core": "rules, houses, machine, settlement",
    "docs": "every document is true: its examples run",
    "durability": "nothing confirmed is lost: kills, power cuts, ghosts, growth",
    "examples": "the examples run, hosts that are killed among them",
    "fair": "shuffles and fair shoes, byte by byte",
    "fuzz": "the kept inputs of the fuzzer break no promise",
    "golden": "files of every released version are read",
    "mutation": "the logic of mutation testing",
    "odds": "exact and fast odds by two ways",
    "packaging": "names, imports, distribution",
    "play": "the table in the terminal",
    "players": "counting, permanences, systems",
    "properties": "what holds in every house, and in houses at random",
    "records": "records, seals, replay",
    "reports": "reports, and honest tables under the monitor",
    "service": "the table service: attacks, wallet, cluster, kills",
    "simulation": "the kernel agrees with exact odds and with plain Python",
    "sources": "what the books say",
    "table": "commands, events, journals, views",
    "testing": "what a package of houses tests itself with",
    "typing": "the public types",
    "variants": "the shipped houses",
    "web": "the web table in a browser",
}
"""The folders of tests by what they prove; one that is not here is an error of a test."""

# Files that would take their folder over the hour, each set a part of its own.
SPLIT: Final[dict[str, dict[str, tuple[str, tuple[str, ...]]]]] = {
    "durability": {
        "kills": (
            "a process killed in the middle of a session loses no answer",
            ("test_killed.py", "test_killed_postgres.py"),
        ),
        "power": (
            "a power cut, or a torn write, leaves what was confirmed",
            ("test_power_cut.py", "test_torn.py"),
        ),
    },
    "properties": {
        "houses": ("settlement and exact odds of houses at random", ("test_every_house.py",)),
    },
    "simulation": {
        "tailles": ("10^9 coups agree with the laws of a taille", ("test_whole_tailles.py",)),
        "coverage": ("error bands cover what they say, 2,000 seeds", ("test_coverage.py",)),
    },
    "reports": {
        "honest": (
            "the monitor accuses honest tables as rarely as it says",
            ("test_honest_tables.py",),
        )
    },
    "table": {
        "machines": (
            "any table, driven by anything, keeps its money, its cards and its word",
            ("test_machine.py", "test_machine_corrected.py", "test_ledger_machine.py"),
        )
    },
}

CRASHES: Final = {
    "kill": ("a process killed anywhere loses no answer", ("sqlite", "postgresql", "save-file")),
    "full": (
        "without room nothing changes, and the same command acts once later",
        ("sqlite", "postgresql", "save-file", "run-file"),
    ),
    "torn": (
        "what was cut is a prefix, or is refused; never a wrong state",
        ("sqlite", "postgresql", "texts", "run-file"),
    ),
    "clock": (
        "with clocks that go back nothing is lost, and order is kept",
        ("sqlite", "postgresql"),
    ),
    "writers": ("of two writers exactly one continues", ("sqlite", "postgresql")),
    "power": ("a power cut loses no answer", ("sqlite",)),
}
"""What a thousand crashes of a kind prove, and where they are tried."""
_THOUSAND: Final = ("-m", "tests.durability.thousand", "--times", "1000", "--seed", "1")


def _crash_parts() -> Iterator[Part]:
    for kind, (proves, stores) in CRASHES.items():
        for store in stores:
            words = (*_THOUSAND, "--kind", kind, "--journal", store, "--resume", "--keep")
            yield Part(f"crash-{kind}-{store}", proves, words)


def _mutants(name: str, proves: str, *which: str) -> Part:
    bounds = ("--resume", "--again", "--processes", "2", "--minutes", "55")
    return Part(name, proves, ("-m", "tools.mutants", *which, *bounds, "--keep", name))


PROOFS: Final[tuple[Part, ...]] = (
    Part(
        "fuzz",
        "no input of a stranger breaks a reader: fuzzed, guided by coverage",
        ("-m", "tests.fuzz.run", "--seconds", "3300", "--resume", "--keep"),
    ),
    Part(
        "fuzz-planted",
        "the fuzzer finds a fault that is planted behind each reader",
        ("-m", "tests.fuzz.run", "--planted", "--seconds", "1800", "--keep"),
    ),
    _mutants(
        "mutation-core",
        "95 % of all small changes of settlement, machine, insurance and limits fail a test",
        "--whole",
    ),
    _mutants(
        "mutation-sample",
        "so does a sample of 1,500 small changes of core, odds, table and records",
        *("--sample", "1500", "--seed", "17"),
    ),
    Part(
        "properties",
        "each property over houses meets its cases, from insured stakes to corrections",
        ("-m", "tests.properties.report", "--keep"),
    ),
    Part(
        "coverage",
        "tests reach every branch of core, and 98 % of table and records",
        ("tools/branches.py", "--keep"),
    ),
    Part(
        "api",
        "every change of what is public is named in the changelog",
        ("tools/api_changes.py", "--keep"),
    ),
    Part(
        "licences",
        "each library has a licence of the list",
        ("tools/licences.py", "--keep"),
    ),
    *_crash_parts(),
    Part(
        "pythons",
        "the fast tests pass on every Python that is claimed, with oldest and newest libraries",
        ("tools/pythons.py", "--whole", "--keep"),
    ),
)


def _folder_parts(folder: str) -> Iterator[Part]:
    split = SPLIT.get(folder, {})
    for name, (proves, files) in split.items():
        yield Part(
            f"tests-{folder}-{name}",
            proves,
            tuple(f"tests/{folder}/{f}" for f in files),
            tests=True,
        )
    taken = [f for _proves, files in split.values() for f in files]
    left = tuple(f"--ignore=tests/{folder}/{file}" for file in taken)
    yield Part(f"tests-{folder}", FOLDERS[folder], (f"tests/{folder}", *left), tests=True)


PARTS: Final = (*(part for folder in FOLDERS for part in _folder_parts(folder)), *PROOFS)


def _run(words: Iterable[str], log: Path, **variables: str) -> int:
    """Run a command, what it prints into ``log``; return its status, 124 where the hour is over."""
    log.parent.mkdir(parents=True, exist_ok=True)
    with (
        log.open("wb") as out,
        subprocess.Popen(  # noqa: S603 - the commands of the table above
            (sys.executable, *words),
            cwd=ROOT,
            env={**os.environ, "HYPOTHESIS_PROFILE": "nightly", **variables},
            stdout=out,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            start_new_session=True,  # so that its own processes end with it
        ) as process,
    ):
        try:
            return process.wait(LONGEST)
        except subprocess.TimeoutExpired:
            return ENDED
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)


def counts(text: str) -> dict[str, str | int | float | bool]:
    """Return how many tests passed, failed and were skipped, from the last line of pytest."""
    last = text.rstrip().rpartition("\n")[2]
    found = {word.rstrip("s"): int(n) for n, word in re.findall(r"(\d+) ([a-z]+)", last)}
    wanted = {"passed": "passed", "failed": "failed", "error": "errors", "skipped": "skipped"}
    return {said: found[word] for word, said in wanted.items() if word in found}


def run(part: Part, workers: int) -> bool:
    """Run a part, whose result is kept; return whether it passed."""
    log, began, state = LOGS / f"{part.name}.txt", time.monotonic(), State.now()
    file = FOLDER / f"{part.name}.json"
    words = part.command
    if part.tests:
        options = ("-q", "-n", str(workers), "-o", "faulthandler_timeout=0", "--durations=10")
        words = ("-m", "pytest", *options, "-m", "nightly or not nightly", *part.command)
    before = file.stat().st_mtime_ns if file.is_file() else 0
    status = _run(words, log, **environment(part.name, state))
    notes = [f"ended after {LONGEST // 60} minutes"] if status == ENDED else []
    figures: dict[str, str | int | float | bool] = {}
    passed = False
    if part.tests:
        figures = counts(log.read_text("utf-8", errors="replace"))
        passed = status == 0 and "passed" in figures
    else:
        renewed = file.is_file() and file.stat().st_mtime_ns != before
        green = renewed and is_green(part, state.code)
        if renewed and (status == 0 or not green):
            return green  # it has kept its result itself
        notes = notes or [f"ended with status {status}, without a result"]
    command = f"make nightly PARTS={part.name}"
    seconds = time.monotonic() - began
    keep(
        Result(
            part=part.name,
            command=command,
            passed=passed,
            figures=figures,
            notes=notes,
            seconds=seconds,
        ),
        state=state,
    )
    return is_green(part, state.code)


def is_green(part: Part, code: str) -> bool:
    """Return whether a part passed on this code, by the digest of it."""
    kept = kept_results().get(part.name)
    return kept is not None and kept["passed"] is True and kept["code"] == code


def table(parts: Iterable[Part]) -> str:
    """Return a line for each part: whether it passed, on which commit, in how many minutes."""
    lines, kept, code = [], kept_results(), State.now().code
    for part in parts:
        result = kept.get(part.name)
        if result is None:
            lines.append(f"{part.name:<28} not run")
            continue
        word = "passed" if result["passed"] else "FAILED"
        other = "" if result["code"] == code else "  other code"
        minutes = int(str(result["seconds"])) / 60
        lines.append(f"{part.name:<28} {word} at {result['commit']:<11} {minutes:5.1f} min{other}")
    return "\n".join(lines)


def main() -> int:
    """Run the parts that are not green; return 0 where all are, 1 where not, 2 for a wrong name."""
    parser = argparse.ArgumentParser(prog="nightly.py", description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART")
    parser.add_argument("--list", action="store_true", help="show the parts and run none")
    parser.add_argument("--again", action="store_true", help="run parts that passed, too")
    parser.add_argument("--workers", type=int, default=2, help="processes of pytest (2)")
    asked = parser.parse_args()
    by_name = {part.name: part for part in PARTS}
    for name in asked.parts:
        if name not in by_name:
            print(f"part {name!r}: one of {', '.join(by_name)} was expected", file=sys.stderr)
            return 2
    parts = [by_name[name] for name in asked.parts] or list(PARTS)
    if asked.list:
        print(table(parts))
        return 0
    failed = False
    try:
        for part in parts:
            state = State.now()
            if is_green(part, state.code) and not asked.again:
                continue
            print(f"{part.name} on {state.commit}: {part.proves}", flush=True)
            passed = run(part, asked.workers)
            _run(("tools/make_quality.py",), LOGS / "page.txt")  # the page is that of the results
            failed |= not passed
            print("  passed" if passed else f"  FAILED: {LOGS / part.name}.txt", flush=True)
    except KeyboardInterrupt:
        print("stopped: the same command continues with the parts that are left", file=sys.stderr)
        return 130
    print(table(parts))
    code = State.now().code
    return 0 if not failed and all(is_green(part, code) for part in parts) else 1


if __name__ == "__main__":
    sys.exit(main())
