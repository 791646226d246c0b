"""Trying a change in a fork that has not imported the package: it imports the changed module.

This is for changes outside functions, which ``warm`` cannot put in: constants, fields of a class,
defaults of arguments; and for compiled functions, which numba compiles anew. It is slower by the
seconds that importing, collecting and compiling take.
"""

from __future__ import annotations

import os
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType
from typing import Any, Final

import pytest
from tests.mutation.sites import ROOT, Site, path_of
from tests.mutation.warm import KILLED, SURVIVED, TIMEOUT, Outcome, bound

_READ: Final = SourceFileLoader.get_code


class _Watcher:
    """A plugin that remembers the first test that fails."""

    def __init__(self) -> None:
        self.failed = ""

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Remember a test that has failed."""
        if report.failed and not self.failed:
            self.failed = report.nodeid

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Remember a file of tests that could not be collected."""
        if report.failed and not self.failed:
            self.failed = report.nodeid or "collection"


def _replace(site: Site) -> None:
    """Let the changed source be imported in place of the file."""
    name = str(path_of(site.module))
    code = compile(site.mutated(Path(name).read_text("utf-8")), name, "exec", dont_inherit=True)

    def get_code(self: Any, fullname: str) -> CodeType | None:
        if self.path == name:
            return code
        return _READ(self, fullname)

    SourceFileLoader.get_code = get_code  # type: ignore[method-assign]


def _work(site: Site | None, tests: Sequence[str]) -> str:
    """Run tests with a change; return the first that fails, or "" where none does."""
    os.chdir(ROOT)
    os.environ["HYPOTHESIS_PROFILE"] = "mutation"
    sys.dont_write_bytecode = True
    for name in [each for each in sys.modules if each.split(".", 1)[0] == "trente_rules"]:
        del sys.modules[name]  # what counts the binomials of the report
    if site is not None:
        _replace(site)
    watcher = _Watcher()
    status = pytest.main(
        [
            *("-x", "-q", "-s", "-n", "0", "-p", "no:cacheprovider", "-p", "no:sugar"),
            # What counts the report has imported hypothesis: it is an error of the configuration.
            *("-W", "ignore::pytest.PytestAssertRewriteWarning"),
            *tests,
        ],
        plugins=[watcher],
    )
    if status == pytest.ExitCode.OK:
        return ""
    return watcher.failed or f"status {int(status)}"


def tried(
    site: Site | None, tests: Sequence[str], seconds: float, *, compiled: bool = False
) -> Outcome:
    """Try a change with tests that take ``seconds`` by themselves; None tries no change.

    What numba ``compiled`` is compiled anew.
    """
    sys.stdout.flush()
    began = time.monotonic()
    folder = tempfile.mkdtemp(prefix="mutation-")
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            os.setsid()
            bound(20 + 6 * seconds)
            os.environ["TMPDIR"] = tempfile.tempdir = folder
            if compiled:  # of the changed source nothing is kept, nor is what was kept used for it
                os.environ["NUMBA_CACHE_DIR"] = folder
            null = os.open(os.devnull, os.O_RDWR)
            os.dup2(null, 1)
            os.dup2(null, 2)
            found = _work(site, tests)
            os.write(writing, found[:4000].encode())
            code = 1 if found else 0
        except BaseException as error:  # noqa: BLE001 - whatever gets here has ended the tests
            with suppress(OSError):
                os.write(writing, type(error).__name__.encode())
        finally:
            os._exit(code)
    os.close(writing)
    status = _waited(pid, began + 60 + 12 * seconds)
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)
    with os.fdopen(reading, "rb") as pipe:
        by = pipe.read().decode("utf-8", "replace")
    shutil.rmtree(folder, ignore_errors=True)
    took = round(time.monotonic() - began, 2)
    if os.WIFSIGNALED(status):
        return Outcome(TIMEOUT, f"signal {os.WTERMSIG(status)}", len(tests), took)
    how = KILLED if os.WEXITSTATUS(status) else SURVIVED
    return Outcome(how, by, len(tests), took)


def _waited(pid: int, until: float) -> int:
    """Wait for a fork, end it when its time is over, and return how it ended."""
    while True:
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            return status
        if time.monotonic() > until:
            os.kill(pid, signal.SIGKILL)
            return os.waitpid(pid, 0)[1]
        time.sleep(0.01)
