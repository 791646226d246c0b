"""What has changed since a commit, where the checkout can tell."""

from __future__ import annotations

import json
import re
import subprocess
from collections import defaultdict
from pathlib import Path
from typing import Final

from tests.mutation.session import MUTATED, TESTS
from tests.mutation.sites import ROOT

_RESULTS: Final = ROOT / "docs" / "quality"
_HUNK: Final = re.compile(r"^@@ -\S+ \+(\d+)(?:,(\d+))? @@")


def last_commit(folder: Path = _RESULTS) -> str:
    """Return the commit of the last kept result of mutation, "none" where none is kept."""
    commits = []
    for file in sorted(folder.glob("mutation*.json")):
        kept = json.loads(file.read_text("utf-8"))
        commits.append((kept["date"], kept["commit"].rstrip("+")))
    return max(commits)[1] if commits else "none"


def _git(*words: str) -> str | None:
    try:
        done = subprocess.run(
            ("git", *words),  # noqa: S607
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=True,
        )
    except (OSError, subprocess.CalledProcessError):
        return None
    return done.stdout


def changed_lines(since: str) -> dict[str, set[int]] | None:
    """Return the lines that differ from a commit, for each changed module that is mutated.

    None where git is missing, the checkout has no history, or the commit is not in it.
    """
    folders = [f"src/trente_rules/{folder}" for folder in MUTATED]
    told = _git("diff", "-U0", "--no-color", "--diff-filter=AM", since, "--", *folders)
    return None if told is None else lines_of(told)


def lines_of(diff: str) -> dict[str, set[int]]:
    """Return the new lines of each module that a diff without context names."""
    found: dict[str, set[int]] = defaultdict(set)
    module = ""
    for line in diff.splitlines():
        if line.startswith("+++ "):
            name = line.removeprefix("+++ b/src/trente_rules/")
            module = name.removesuffix(".py").replace("/", ".") if name.endswith(".py") else ""
        elif (hunk := _HUNK.match(line)) and module:
            first, many = int(hunk[1]), int(hunk[2] or 1)
            found[module] |= set(range(first, first + max(many, 1)))
    return dict(found)


def changed_tests(since: str) -> list[str]:
    """Return the files of tests that differ from a commit, in the folders that take part."""
    folders = [f"tests/{folder}" for folder in TESTS]
    told = _git("diff", "--name-only", "--diff-filter=AM", since, "--", *folders)
    names = (told or "").splitlines()
    return [name for name in names if re.fullmatch(r"test_\w+\.py", name.rsplit("/", 1)[-1])]
