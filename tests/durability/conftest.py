"""What the tests of durability share: a quick folder, and hosts whose files are watched."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from tests.durability.disk import shim
from tests.durability.ledger import Nursery, nursery

_QUICK = Path("/dev/shm")  # noqa: S108 - a folder of our own is made in it


@pytest.fixture
def quick(tmp_path: Path) -> Iterator[Path]:
    """Return a folder in memory where there is one: a process is killed there as anywhere."""
    if not os.access(_QUICK, os.W_OK):
        yield tmp_path
        return
    with TemporaryDirectory(dir=_QUICK, prefix="trente-") as folder:
        yield Path(folder)


@pytest.fixture(scope="session")
def library() -> str:
    """Return the path of the shim; without Linux or a compiler the test is skipped."""
    found = shim() if sys.platform == "linux" else ""
    if not found:
        assert not os.environ.get("TRENTE_SHIM"), "a C compiler is needed: gcc or cc"
        pytest.skip("no C compiler, or not Linux: the power cut is not tried")
    return found


@pytest.fixture
def watched(library: str) -> Iterator[Nursery]:
    """Return what runs hosts whose files are watched."""
    with nursery(LD_PRELOAD=library) as hosts:
        yield hosts
