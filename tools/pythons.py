"""Try the library on every Python of this machine, with old and new libraries: ``make pythons``.

Each Python that pyproject.toml claims, and each later one that is found, gets an environment with
all extras and the libraries of the tests: the oldest Python those at the floors of pyproject.toml,
the others the newest of today, none of them locked. The fast tests run in all at once:

    python tools/pythons.py                  the parts of continuous integration, on two cores
    python tools/pythons.py --whole          all fast tests, as the nightly run does
    python tools/pythons.py --keep           ... as a part of `make nightly`, which keeps the result
    python tools/pythons.py --only 3.13      one of them

A Python that this machine does not have is named as not tried; that is no failure. They are looked
for on the path, in /usr/bin, in pyenv and in uv.
"""

# ruff: noqa: INP001, T201 - a script that says what it does

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import chain
from pathlib import Path
from typing import Final

from attrs import frozen
from made_file import parser_of
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version
from results import KEEP_HELP, Result, keep

ROOT: Final = Path(__file__).parent.parent
UV: Final = (sys.executable, "-m", "uv", "--quiet")
QUICK: Final = ("core", "table", "records", "packaging/test_facade.py", "cli/test_serve.py")
"""What of tests/ continuous integration runs on each Python."""
LEFT_OUT: Final = ("mutation", "web", "packaging/test_lock.py", "packaging/test_licences.py")
"""Tests that a whole run leaves out: they need tools that the library does not use, one that
changes sources and a browser, or look at the locked environment of the developer."""
PYTEST: Final = (
    *("-m", "pytest", "-q", "-n0", "-pno:cacheprovider", "-mnot slow and not nightly"),
    "-ofaulthandler_timeout=0",  # beside other work a test may take long
)
LATEST: Final = 20
"""The last minor version of Python 3 that is looked for."""
ASK: Final = "import sys; print(sys.implementation.name, *sys.version_info[:4], sys.executable)"


@frozen
class Found:
    """A Python of this machine: its version, such as 3.12.1, and its program."""

    version: Version
    program: str

    @property
    def line(self) -> str:
        """The version as classifiers have it, such as 3.12."""
        return f"{self.version.major}.{self.version.minor}"


@frozen
class Tried:
    """What the tests of one environment said."""

    python: Found
    libraries: str
    summary: str
    seconds: float
    passed: bool


def claimed() -> list[str]:
    """Return the versions of Python that the classifiers of pyproject.toml claim."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    found = (re.fullmatch(r".*:: Python :: (3\.\d+)", one) for one in project["classifiers"])
    return sorted((one[1] for one in found if one), key=Version)


def said(*words: str) -> str:
    """Return what a command writes, and nothing where it is missing or fails."""
    try:
        done = subprocess.run(  # noqa: S603 - fixed words
            words, cwd=ROOT, capture_output=True, text=True, check=False, timeout=60
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def candidates(minor: int) -> Iterator[str]:
    """Return programs that may be Python 3.MINOR, best first."""
    name = f"python3.{minor}"
    for folder in (*os.environ.get("PATH", "").split(os.pathsep), "/usr/bin"):
        program = shutil.which(name, path=folder)
        if program is not None:
            yield program
    for version in reversed(said("pyenv", "versions", "--bare").split()):
        if version.startswith(f"3.{minor}.") and (prefix := said("pyenv", "prefix", version)):
            yield str(Path(prefix) / "bin" / "python")
    if program := said(*UV, "python", "find", "--no-python-downloads", f"3.{minor}"):
        yield program


def python(minor: int) -> Found | None:
    """Return a released CPython 3.MINOR of this machine, if it has one that runs."""
    for program in candidates(minor):
        answer = said(program, "-c", ASK).split(maxsplit=5)
        if answer[:1] == ["cpython"] and answer[2] == str(minor) and answer[4] == "final":
            return Found(Version(".".join(answer[1:4])), answer[5])
    return None


def oldest() -> list[str]:
    """Return the floors of all extras as pins, with whatever they need; ``ValueError`` if none fit.

    A floor that no set of libraries can have is none: a fault.
    """
    compiled = (
        *UV,
        "pip",
        "compile",
        "pyproject.toml",
        "--all-extras",
        "--resolution=lowest-direct",
    )
    pins = said(*compiled, f"--python-version={claimed()[0]}", "--no-header", "--no-annotate")
    got = dict(re.findall(r"^([A-Za-z0-9._-]+)==([^ ;]+)", pins, re.MULTILINE))
    if not got:
        message = "no set of libraries has the floors of pyproject.toml"
        raise ValueError(message)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    asked = [*project["dependencies"], *chain(*project["optional-dependencies"].values())]
    wrong = []
    for requirement in map(Requirement, asked):
        for one in requirement.specifier:
            have = got.get(canonicalize_name(requirement.name), one.version)
            # A floor of two numbers has no release of its own now and then: 3.2 begins with 3.2.1.
            if one.operator == ">=" and not have.startswith(one.version.removesuffix(".0")):
                wrong.append(f"{requirement}: {have}")
    if wrong:
        message = f"floors that the oldest libraries together are above: {', '.join(wrong)}"
        raise ValueError(message)
    return pins.splitlines()


def make(found: Found, libraries: str, folder: Path) -> Path:
    """Make an environment of a Python with old or new libraries; return its program."""
    place = folder / f"{found.line}-{libraries}"
    subprocess.run(  # noqa: S603 - fixed words
        [*UV, "venv", "--python", found.program, str(place)], cwd=ROOT, check=True
    )
    program = place / ("Scripts" if os.name == "nt" else "bin") / "python"
    words = ["--python", str(program), "--editable", ".[all]", "--group", "tests"]
    if libraries == "oldest":
        pins = folder / "oldest.txt"
        pins.write_text("\n".join(oldest()) + "\n")
        words += ["--constraint", str(pins)]
    subprocess.run([*UV, "pip", "install", *words], cwd=ROOT, check=True)  # noqa: S603
    return program


def run(found: Found, libraries: str, folder: Path, *, whole: bool) -> Tried:
    """Make an environment and run the tests in it."""
    began = time.monotonic()
    try:
        program = make(found, libraries, folder)
    except (subprocess.CalledProcessError, ValueError) as error:
        why = f"no environment: {error}"
        return Tried(found, libraries, why, time.monotonic() - began, passed=False)
    tests = [f"tests/{name}" for name in QUICK]
    if whole:
        tests = ["tests", *(f"--ignore=tests/{name}" for name in LEFT_OUT)]
    log = folder / f"{found.line}-{libraries}.log"
    with log.open("w") as written:
        done = subprocess.run(  # noqa: S603 - fixed words
            [str(program), *PYTEST, *tests],
            cwd=ROOT,
            stdout=written,
            stderr=subprocess.STDOUT,
            check=False,
            env=os.environ | {"NUMBA_CACHE_DIR": str(folder / f"{found.line}-{libraries}-numba")},
        )
    lines = log.read_text("utf-8", "replace").splitlines()
    if done.returncode:
        print("\n".join(lines[-60:]))
    last = lines[-1] if lines else "no output"
    return Tried(found, libraries, last, time.monotonic() - began, passed=done.returncode == 0)


def main(given: list[str] | None = None) -> int:
    """Try every Python; return 1 where tests failed or a claim is wrong."""
    first = int(claimed()[0].partition(".")[2])
    known = [f"3.{minor}" for minor in range(first, LATEST)]
    parser = parser_of(__doc__)
    parser.add_argument("--whole", action="store_true", help="All fast tests.")
    parser.add_argument("--keep", action="store_true", help=KEEP_HELP)
    parser.add_argument("--only", choices=known, help="One Python, such as 3.13.")
    asked = parser.parse_args(given)
    if asked.keep and asked.only:
        parser.error("--keep keeps the result of every Python: leave --only out")
    lines = [asked.only] if asked.only else known
    found = {line: one for line in lines if (one := python(int(line[2:]))) is not None}
    missing = [line for line in (lines if asked.only else claimed()) if line not in found]
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor() as pool:
        started = [
            pool.submit(
                run,
                one,
                "oldest" if line == f"3.{first}" else "newest",
                Path(folder),
                whole=asked.whole,
            )
            for line, one in found.items()
        ]
        tried = [one.result() for one in started]
    for done in tried:
        word = "ok" if done.passed else "FAILED"
        which = f"{done.python.version!s:8} {done.libraries} libraries"
        print(f"{which}  {word:6} {done.seconds:4.0f} s  {done.summary}")
    for line in missing:
        print(f"{line:8} not tried: this machine does not have it")
    passed = [done.python.line for done in tried if done.passed]
    unclaimed = sorted(set(passed) - set(claimed()), key=Version)
    if unclaimed:
        print(f"pyproject.toml does not claim {', '.join(unclaimed)}, which passed")
    good = bool(tried) and len(passed) == len(tried)
    if asked.keep:
        figures = {
            done.python.line: f"{done.python.version}, {done.libraries} libraries: {done.summary}"
            for done in tried
        }
        keep(
            Result(
                part="pythons",
                command="python tools/pythons.py" + " --whole" * asked.whole,
                passed=good,
                figures=figures | {"passed": ", ".join(passed)},
                notes=tuple(f"Python {line} was not tried: it was not found." for line in missing),
            )
        )
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
