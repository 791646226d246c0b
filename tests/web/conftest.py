"""Fixtures of the web table: Chromium, the service, and people who sit down at it."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack
from itertools import count
from pathlib import Path
from typing import Any, Final, cast

import pytest
from playwright.sync_api import Browser, Playwright, sync_playwright
from tests.served import Served, served
from tests.web.observer import Observer
from tests.web.seats import Seat
from tests.web.tools import chromium

FOLDER: Final = Path(__file__).parent
_TABLES = count(1)
_ARGUMENTS = (
    "--no-sandbox",  # the tests may run as root, in a container; nothing but the own page is opened
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-sync",
    "--no-first-run",
    "--mute-audio",
)


@pytest.fixture(scope="session")
def playwright() -> Iterator[Playwright]:
    """Start Playwright once for a process of tests."""
    if sys.platform == "win32":
        pytest.skip("Chromium is looked for where Debian has it")
    chromium()
    with sync_playwright() as made:
        yield made


@pytest.fixture(scope="session")
def launched(playwright: Playwright) -> Iterator[tuple[Browser, asyncio.AbstractEventLoop]]:
    """Start Chromium once for a process of tests.

    Playwright leaves its loop as the running one of this thread. Between tests of the page it is
    put aside: tests of other folders, in the same process, run loops of their own.
    """
    browser = playwright.chromium.launch(executable_path=chromium(), args=[*_ARGUMENTS])
    loop = asyncio.get_running_loop()
    asyncio._set_running_loop(None)
    yield browser, loop
    asyncio._set_running_loop(loop)
    browser.close()


@pytest.fixture
def browser(launched: tuple[Browser, asyncio.AbstractEventLoop]) -> Iterator[Browser]:
    """Return Chromium, with the loop of Playwright running for the time of a test."""
    browser, loop = launched
    asyncio._set_running_loop(loop)
    try:
        yield browser
    finally:
        asyncio._set_running_loop(None)


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """Start the service once for a process of tests; each test creates a table of its own."""
    with served(tmp_path_factory.mktemp("service")) as running:
        yield running


@pytest.fixture
def own_service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """Start a service that a test may kill."""
    with served(tmp_path_factory.mktemp("own")) as running:
        yield running


@pytest.fixture
def observed(service: Served) -> Callable[..., Observer]:
    """Return how to create a table that nobody else has, and to observe its events."""

    def created(house: str = "france-2007", **setup: Any) -> Observer:
        return Observer.create(service, f"{house}-{next(_TABLES)}", house=house, **setup)

    return created


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run a test of the page once more where a wait of the browser's timed out.

    A machine that is busy with other work can stop a browser for longer than any wait; what the
    page did wrong is an assertion, and is never run again. The report counts each rerun.
    """
    for item in items:
        if FOLDER in item.path.parents:
            item.add_marker(pytest.mark.flaky(reruns=1, only_rerun=[r"TimeoutError"]))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Keep pictures of the pages of a test that failed, before they are closed."""
    report = yield
    if call.when == "call" and report.failed and isinstance(item, pytest.Function):
        for seat in cast("list[Seat]", item.funcargs.get("sits_open", [])):
            seat.keep("failed")
    return report


@pytest.fixture
def sits_open() -> list[Seat]:
    """Return the seats of a test."""
    return []


@pytest.fixture
def sits(browser: Browser, sits_open: list[Seat]) -> Iterator[Callable[..., Seat]]:
    """Return how a person sits down at a table: a page that fails the test on any error."""
    with ExitStack() as stack:

        def sat(observer: Observer, name: str = "alice", **how: Any) -> Seat:
            seat = stack.enter_context(Seat.opened(browser, observer, name, **how))
            sits_open.append(seat)
            return seat

        yield sat
