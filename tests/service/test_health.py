"""Health: a process that answers, a service that is ready or says what is not."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest

from trente_rules.core.errors import RecordError
from trente_rules.service.health import HealthChecks


def said(health: HealthChecks) -> tuple[int, Any]:
    """Return the status and the body of the readiness, and check that the process lives."""
    alive = asyncio.run(health.alive())
    assert (alive.status_code, json.loads(bytes(alive.body))) == (200, {"status": "ok"})
    ready = asyncio.run(health.ready())
    return ready.status_code, json.loads(bytes(ready.body))


async def fine() -> None:
    """Find nothing wrong."""


async def locked() -> None:
    """Find the journal locked."""
    raise RecordError("'/srv/tables/a.db' is locked", "journal-locked")


async def broken() -> None:
    """Find something that nobody thought of."""
    raise KeyError("/srv/secret")


async def endless() -> None:
    """Find nothing, for ever."""
    await asyncio.sleep(60)


def test_ready() -> None:
    """With nothing wrong it is ready, also without a check."""
    assert said(HealthChecks(lambda: False)) == (200, {"status": "ok"})
    assert said(HealthChecks(lambda: False, {"journal": fine})) == (200, {"status": "ok"})


def test_stopping() -> None:
    """A service that stops is sent nobody more, and still lives."""
    assert said(HealthChecks(lambda: True, {"journal": locked})) == (503, {"status": "stopping"})


@pytest.mark.parametrize(
    ("check", "code"), [(locked, "journal-locked"), (broken, "internal"), (endless, "too-slow")]
)
def test_failing(check: Any, code: str, caplog: pytest.LogCaptureFixture) -> None:
    """What fails is named with its code: no path, no message, and no waiting for ever."""
    health = HealthChecks(lambda: False, {"disk": fine, "journal": check}, patience=0.05)
    expected = (503, {"status": "failing", "checks": {"journal": code}})
    assert said(health) == expected
    assert len(caplog.records) == 1


def test_asked_often() -> None:
    """Who asks all the time is given the last outcome; after a second it is looked at again."""
    calls, now = [], 0.0

    async def counted() -> None:
        calls.append(1)

    clock: Callable[[], float] = lambda: now  # noqa: E731 - a test's own clock
    health = HealthChecks(lambda: False, {"journal": counted}, clock=clock)

    async def ask() -> None:
        nonlocal now
        await asyncio.gather(*(health.ready() for _ in range(50)))
        assert len(calls) == 1
        now = 1.0
        await asyncio.gather(*(health.ready() for _ in range(50)))
        assert len(calls) == 2

    asyncio.run(ask())
