"""What has changed since a commit, where the checkout can tell."""

from __future__ import annotations

import json
import re
import subprocess
from collections import defaultdict
from pathlib import Path
from typing import Final

from attrs import frozen
from tests.mutation.session import MUTATED, TESTS
from tests.mutation.sites import ROOT

_RESULTS: Final = ROOT / "docs" / "quality"
_HUNK: Final = re.compile(r"^@@ -\S+ \+(\d+)(?:,(\d+))? @@")


@frozen
class Base:
    """The commit that changes are counted from, None where there is none, and what to print."""

    commit: str | None
    told: str = ""


def last_base(folder: Path = _RESULTS) -> Base:
    """Return the commit of the last kept result of mutation.

    Where the checkout does not have it, such as that of a branch which was never merged, it is the
    commit that recorded the result; None where a shallow checkout does not reach back to that.
    """
    kept = []
    for file in sorted(folder.glob("mutation*.json")):
        result = json.loads(file.read_text("utf-8"))
        kept.append((result["date"], result["commit"].rstrip("+"), file))
    if not kept:
        return Base(None, "no result of mutation is kept")
    _date, commit, file = max(kept)
    if _git("rev-parse", "--verify", "--quiet", f"{commit}^{{commit}}", folder=folder) is not None:
        return Base(commit)
    found = _git("log", "-1", "--format=%h %p", "--", file.name, folder=folder)
    recorded, *parents = (found or "").split() or [""]
    shallow = (_git("rev-parse", "--is-shallow-repository", folder=folder) or "").strip() == "true"
    if shallow and not parents:  # the oldest commit there: it seems to record every file
        why = "the checkout is shallow (git fetch --unshallow gives it its history)"
        return Base(None, f"{commit}, of {file.name}, is not in the checkout, and {why}")
    if not recorded:
        return Base(None, f"{commit}, of {file.name}, is not in the checkout")
    return Base(
        recorded,
        f"{commit}, of {file.name}, is not in the checkout; {recorded}, which recorded it, is used",
    )


def _git(*words: str, folder: Path = ROOT) -> str | None:
    try:
        done = subprocess.run(
            ("git", *words),  # noqa: S607
            cwd=folder,
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
