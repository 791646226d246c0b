"""Renew the locks of the environment, ``.ci/locks``: ``make lock``.

uv resolves pyproject.toml for every platform and every Python that it admits, and writes each
distribution with the hashes of all its files, but no address: a lock installs from whatever index
pip is set up for. ``runtime`` is the library and its build backend, ``development`` its extras
and the tools as well, in the same versions.

Run ``python tools/locks.py``; with ``--keep-versions`` what is locked stays where it still fits.
"""

# ruff: noqa: INP001, T201 - a script that says what it does

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Final

from hatchling import build
from made_file import parser_of

ROOT: Final = Path(__file__).parent.parent
LOCKS: Final = ROOT / ".ci" / "locks"
OPTIONS: Final = (
    "--universal",
    "--python-version=3.11",
    "--generate-hashes",
    "--no-emit-index-url",
    "--no-emit-find-links",
    "--no-annotate",
    "--custom-compile-command=make lock",
    "--quiet",
)


def compile_lock(lock: Path, *words: str, asked: str = "") -> None:
    """Write a lock of pyproject.toml and of more requirements, one a line."""
    uv = (sys.executable, "-m", "uv", "pip", "compile", "pyproject.toml", "-", *OPTIONS, *words)
    subprocess.run(  # noqa: S603 - fixed words
        [*uv, "--output-file", str(lock.relative_to(ROOT))],
        cwd=ROOT,
        input=asked,
        text=True,
        check=True,
    )
    pinned = re.findall(r"^[^ #]+==", lock.read_text("utf-8"), re.MULTILINE)
    print(f"{lock.relative_to(ROOT)}: {len(pinned)} pinned")


def backend_requirements() -> list[str]:
    """Return what an editable install needs: the build backend, and what it asks for itself."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    more = build.get_requires_for_build_editable()
    return [*project["build-system"]["requires"], *more]


def main(given: list[str] | None = None) -> int:
    """Write both locks; return the exit status."""
    parser = parser_of(__doc__)
    parser.add_argument("--keep-versions", action="store_true", help="what still fits stays")
    newest = () if parser.parse_args(given).keep_versions else ("--upgrade",)
    backend = "\n".join(backend_requirements())
    development = LOCKS / "development.txt"
    LOCKS.mkdir(exist_ok=True)
    compile_lock(development, "--all-extras", "--group=dev", *newest, asked=backend)
    compile_lock(
        LOCKS / "runtime.txt", "--constraint", str(development.relative_to(ROOT)), asked=backend
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
