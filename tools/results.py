"""Results of the proofs: what a command found, kept as one file for each part in docs/quality.

A result is kept by ``make nightly`` alone, whose parts have their whole size: what is run by hand
changes nothing, with ``--keep`` or without. ``python tools/make_quality.py`` makes the page.
"""

# ruff: noqa: INP001

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Final

from attrs import field, frozen

ROOT: Final = Path(__file__).parent.parent
FOLDER: Final = ROOT / "docs" / "quality"
CODE: Final = (
    *("src", "variants", "tests", "tools", "examples", ".ci", "pyproject.toml", "Makefile"),
    ":(exclude)src/trente_rules/reports/quality.json",
)
"""What a result depends on: documents, and what is made of the results, are left out, so that
keeping a result makes none stale."""
_BEGAN: Final = time.monotonic()
KEEP_HELP: Final = "keep the result in docs/quality, where `make nightly` runs this"
"""The help of the option ``--keep`` of every proof."""
NIGHTLY: Final = "TRENTE_NIGHTLY"
"""The variable by which ``make nightly`` names the part that it runs, and what it began with."""


@frozen(kw_only=True)
class Result:
    """What one part of the proofs found.

    ``part`` is lower case with hyphens; ``figures`` in the order in which they are shown; ``notes``
    are sentences for a reader; ``seconds`` of the clock, by default since this module was read.
    """

    part: str
    command: str
    passed: bool
    figures: Mapping[str, str | int | float | bool] = field(factory=dict)
    notes: Sequence[str] = ()
    seconds: float | None = None


def _git(*words: str) -> str:
    # Arguments are fixed words; where git or its folder is missing there is no commit to tell of.
    try:
        done = subprocess.run(  # noqa: S603
            ("git", *words),  # noqa: S607
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=True,
        )
    except (OSError, subprocess.CalledProcessError):
        return ""
    return done.stdout


def commit() -> str:
    """Return the commit of the checkout, with "+" after it where the code differs from it."""
    head = _git("rev-parse", "--short=10", "HEAD").strip() or "unknown"
    return head + ("+" if _git("status", "--porcelain", "--", *CODE) else "")


def code_digest() -> str:
    """Return the start of a SHA-256 of all code and tests as they lie in the checkout.

    Untracked files that git does not ignore count. Without git the text is empty.
    """
    listed = _git("ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *CODE)
    digest = sha256()
    for name in sorted(set(filter(None, listed.split("\0")))):
        path = ROOT / name
        if path.is_file():
            digest.update(f"{name}\0{sha256(path.read_bytes()).hexdigest()}\n".encode())
    return digest.hexdigest()[:16] if listed else ""


@frozen
class State:
    """What is tested: the commit of the checkout, and the digest of its code."""

    commit: str
    code: str

    @classmethod
    def now(cls) -> State:
        """Return the state of the checkout as it lies there."""
        return cls(commit(), code_digest())


def environment(part: str, state: State) -> dict[str, str]:
    """Return the variable by which a command keeps its result, as that of a part."""
    return {NIGHTLY: f"{part} {state.commit} {state.code}"}


def state_of(part: str) -> State | None:
    """Return the state with which ``make nightly`` began a part; None where it does not run it."""
    name, *state = os.environ.get(NIGHTLY, "").split(" ")
    return State(*state) if name == part else None


def machine() -> str:
    """Return the cores, processor, system and Python of this machine in one line."""
    model = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.is_file():
        lines = info.read_text().splitlines()
        names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
        model = names[0] if names else model
    cores = len(os.sched_getaffinity(0)) if os.name == "posix" else os.cpu_count()
    return f"{cores} cores, {model}, {platform.system()}, Python {platform.python_version()}"


def keep(result: Result, folder: Path = FOLDER, state: State | None = None) -> Path | None:
    """Write a result with commit, machine and date; return its file, None where it is not kept.

    ``state`` is what was tested, by default what ``make nightly`` began with: without it nothing
    is written. Where the code is another one by now the result has not passed. Raises
    ``ValueError`` for a name of a part that is no file's.
    """
    if not result.part.replace("-", "").isalnum() or result.part != result.part.lower():
        message = f"part {result.part!r}: lower case letters, digits and hyphens were expected"
        raise ValueError(message)
    began = state or state_of(result.part)
    if began is None:
        word = f"not kept: `make nightly PARTS={result.part}` alone keeps the result of the part"
        sys.stderr.write(f"{word}\n")
        return None
    # A commit of documents or of kept results changes nothing that is tested.
    changed = ["the code was changed while it was tested"] if code_digest() != began.code else []
    seconds = time.monotonic() - _BEGAN if result.seconds is None else result.seconds
    kept = {
        "part": result.part,
        "passed": result.passed and not changed,
        "command": result.command,
        "figures": dict(result.figures),
        "notes": [*result.notes, *changed],
        "commit": began.commit,
        "code": began.code,
        "date": datetime.now(UTC).strftime("%Y-%m-%d"),
        "seconds": round(seconds),
        "machine": machine(),
    }
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"{result.part}.json"
    file.write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return file


def kept_results(folder: Path = FOLDER) -> dict[str, dict[str, object]]:
    """Return the kept results by the name of their part."""
    files = sorted(folder.glob("*.json"))
    return {file.stem: json.loads(file.read_text("utf-8")) for file in files}
