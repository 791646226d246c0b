"""Install the environment of a checkout from its lock, each file checked by its hash.

``make setup`` and ``make compare`` run it with the Python of ``.venv``, before anything is
installed: it needs the standard library and pip. ``python tools/environment.py runtime`` installs
the library and its command, ``development`` its extras and the tools as well.

The locks, ``.ci/locks/*.txt``, name every file that the index has for any platform (``make lock``).
Where a platform has neither a wheel nor a source that builds, what pyproject.toml asks for is
installed unlocked, with a message. A file whose hash differs is never installed.
"""

# ruff: noqa: INP001, T201 - a script that says what it does

from __future__ import annotations

import re
import subprocess
import sys
from importlib.metadata import distributions
from pathlib import Path
from typing import Final

from made_file import parser_of

ROOT: Final = Path(__file__).parent.parent
LOCKS: Final = ROOT / ".ci" / "locks"
UNLOCKED: Final = {
    "runtime": ["--editable", "."],
    "development": ["--editable", ".[all]", "--group", "dev"],
}
OLDEST_PIP: Final = "pip>=25.1"
"""The first one that knows dependency groups."""
NO_FILE: Final = (
    "No matching distribution found",
    "Could not find a version that satisfies",
    "Failed to build",
    "Failed building wheel",
    "metadata-generation-failed",
)
"""What pip says where a platform has no file that installs."""
OTHER_HASH: Final = "DO NOT MATCH THE HASHES"
PIN: Final = re.compile(r"^([A-Za-z0-9._-]+)==([^ ;\\]+)", re.MULTILINE)
PIP: Final = (sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet")


def pip(*words: str) -> tuple[int, str]:
    """Run pip in the checkout; return its exit status and all that it wrote."""
    done = subprocess.run(  # noqa: S603 - fixed words
        (*PIP, *words),
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout


def normal(name: str) -> str:
    """Return the name of a distribution as indexes compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def locked(lock: Path) -> dict[str, set[str]]:
    """Return the versions that a lock has of each distribution, on any platform."""
    found: dict[str, set[str]] = {}
    for name, version in PIN.findall(lock.read_text("utf-8")):
        found.setdefault(normal(name), set()).add(version)
    return found


def strangers(lock: Path) -> list[str]:
    """Return what is installed in another version than the lock's, or is not in it.

    pip comes with an environment; where the lock has none, it is as it came.
    """
    known = locked(lock)
    wrong = []
    for one in distributions():
        name = normal(one.metadata["Name"])
        if name == "trente-rules" or (name == "pip" and name not in known):
            continue
        if one.version not in known.get(name, ()):
            wrong.append(f"{name} {one.version}")
    return sorted(set(wrong))


def _remove_strangers(lock: Path) -> tuple[int, str]:
    # Python 3.11 puts a setuptools of its own year into an environment, with its advisories.
    brought = {normal(one.metadata["Name"]) for one in distributions()} & {"setuptools", "wheel"}
    unlocked = sorted(brought - locked(lock).keys())
    return pip("uninstall", "--yes", *unlocked) if unlocked else (0, "")


def install(kind: str) -> int:
    """Install a kind of environment; return the exit status."""
    lock = LOCKS / f"{kind}.txt"
    status, said = pip("install", "--require-hashes", "--no-deps", "--requirement", str(lock))
    if status == 0:
        # The build backend is in the lock, too: nothing is fetched beside it.
        status, said = pip("install", "--no-deps", "--no-build-isolation", "--editable", ".")
        if status == 0:
            status, said = _remove_strangers(lock)
        if status == 0:
            print(f"installed {len(locked(lock))} locked distributions, hashes checked")
        else:
            print(said, file=sys.stderr)
        return status
    if OTHER_HASH in said or not any(line in said for line in NO_FILE):
        print(said, file=sys.stderr)
        return status
    missing = next((line for line in said.splitlines() if any(one in line for one in NO_FILE)), "")
    print(
        f"the lock has no file for this platform ({sys.platform}, Python "
        f"{sys.version_info.major}.{sys.version_info.minor}): {missing.strip()}\n"
        "installing what pyproject.toml asks for instead, unlocked",
        file=sys.stderr,
    )
    for words in (("--upgrade", OLDEST_PIP), UNLOCKED[kind]):
        status, said = pip("install", *words)
        if status:
            print(said, file=sys.stderr)
            return status
    return 0


def main(given: list[str] | None = None) -> int:
    """Install, or with ``--check`` compare what is installed; return the exit status."""
    parser = parser_of(__doc__)
    parser.add_argument("kind", choices=tuple(UNLOCKED))
    parser.add_argument("--check", action="store_true", help="compare, and install nothing")
    asked = parser.parse_args(given)
    if asked.check:
        wrong = strangers(LOCKS / f"{asked.kind}.txt")
        print("\n".join(wrong) or "installed as locked")
        return 1 if wrong else 0
    return install(asked.kind)


if __name__ == "__main__":
    sys.exit(main())
