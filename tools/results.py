"""Results of the proofs: what a command found, kept as one file for each part in docs/quality.

A command calls ``keep`` only where it is asked to (``--keep``, or by ``make nightly``), so that a
run on a clean checkout changes nothing. ``python -m tools.make_quality`` makes the page of them.
"""

# ruff: noqa: INP001

from __future__ import annotations

import json
import os
import platform
import subprocess
import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Final

from attrs import field, frozen

ROOT: Final = Path(__file__).parent.parent
FOLDER: Final = ROOT / "docs" / "quality"
CODE: Final = ("src", "variants", "tests", "tools", "examples", ".ci", "pyproject.toml", "Makefile")
"""What a result depends on: documents are left out, so that keeping a result makes none stale."""
_BEGAN: Final = time.monotonic()


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


def keep(result: Result, folder: Path = FOLDER) -> Path:
    """Write a result with commit, machine and date; return its file.

    Raises ``ValueError`` for a name of a part that is no file's.
    """
    if not result.part.replace("-", "").isalnum() or result.part != result.part.lower():
        message = f"part {result.part!r}: lower case letters, digits and hyphens were expected"
        raise ValueError(message)
    seconds = time.monotonic() - _BEGAN if result.seconds is None else result.seconds
    kept = {
        "part": result.part,
        "passed": result.passed,
        "command": result.command,
        "figures": dict(result.figures),
        "notes": list(result.notes),
        "commit": commit(),
        "code": code_digest(),
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
