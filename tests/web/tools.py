"""What the tests of the web table need of this machine: Chromium, and packages of node."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Final

import pytest

HERE: Final = Path(__file__).parent
WEB: Final = HERE.parents[1] / "src" / "trente_rules" / "service" / "web"
"""The folder of the page."""
_BROWSERS: Final = ("chromium", "chromium-browser", "google-chrome", "chrome")
_LISTS: Final = ("package.json", "package-lock.json")
_OPTIONS: Final = ("--no-audit", "--no-fund", "--ignore-scripts")


def missing(what: str, needed: str) -> None:
    """Skip a test that lacks something; fail where the environment says that it is needed."""
    if os.environ.get(needed):
        pytest.fail(f"{what}, and {needed} says it is needed", pytrace=False)
    pytest.skip(what)


def chromium() -> str:
    """Return the path of Chromium; without one the test is skipped (TRENTE_BROWSER: it fails)."""
    found = next(filter(None, map(shutil.which, _BROWSERS)), None)
    if found is None:
        missing("no Chromium: install it, such as apt-get install chromium", "TRENTE_BROWSER")
    assert found is not None
    return found


def node_modules() -> Path:
    """Return the folder of axe-core and typescript, as the lock file has them.

    They are installed once, outside the source, in a folder named after the lock file: several
    processes of tests may ask at the same time.
    """
    npm = shutil.which("npm")
    if npm is None:
        missing("node and npm are not installed", "TRENTE_NODE")
    lock = hashlib.sha256(b"".join((HERE / name).read_bytes() for name in _LISTS)).hexdigest()
    place = _cache() / f"web-{lock[:16]}"
    if not place.exists():
        place.parent.mkdir(parents=True, exist_ok=True)
        made = Path(tempfile.mkdtemp(prefix="web-", dir=place.parent))
        for name in _LISTS:
            shutil.copy(HERE / name, made)
        done = subprocess.run(
            (npm or "npm", "ci", *_OPTIONS),
            cwd=made,
            capture_output=True,
            text=True,
            check=False,
            timeout=170,
        )
        assert done.returncode == 0, done.stderr
        with suppress(OSError):  # another process was faster: its folder is as good
            made.rename(place)
        shutil.rmtree(made, ignore_errors=True)
    return place / "node_modules"


def _cache() -> Path:
    """Return the folder of what is fetched once for several runs."""
    if sys.platform == "win32":
        return Path(tempfile.gettempdir()) / "trente-rules"
    home = os.environ.get("XDG_CACHE_HOME")
    return Path(home or Path.home() / ".cache") / "trente-rules"
