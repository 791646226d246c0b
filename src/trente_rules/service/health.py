"""Health: whether the process lives, and whether it should be sent players.

``/healthz`` says that the process answers; who asks restarts it where it does not. ``/readyz`` says
whether it can serve: not while it stops, nor while a check fails. Anybody may ask, so it names
checks and codes and nothing else, and asking often costs no more than asking once.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from time import monotonic
from typing import Final

from attrs import define, field
from starlette.requests import Request
from starlette.responses import JSONResponse

from trente_rules.core.errors import TrenteError

Check = Callable[[], Awaitable[None]]
"""A question whether something works: it raises where it does not."""
PATIENCE: Final = 2.0
"""Seconds a check may take."""
KEPT: Final = 1.0
"""Seconds for which its outcome is given again."""
_UNAVAILABLE: Final = 503
_LOG: Final = logging.getLogger("trente_rules.service")


@define
class HealthChecks:
    """The two endpoints of a service, by what it knows of itself.

    ``stopping`` is asked each time; ``checks`` have names, such as "journal".
    """

    stopping: Callable[[], bool]
    checks: Mapping[str, Check] = field(factory=dict)
    patience: float = PATIENCE
    clock: Callable[[], float] = monotonic
    _asked: float | None = None
    _failing: dict[str, str] = field(factory=dict, init=False)
    _lock: asyncio.Lock = field(factory=asyncio.Lock, init=False)

    async def alive(self, _request: Request | None = None) -> JSONResponse:
        """Return that the process answers."""
        return JSONResponse({"status": "ok"})

    async def ready(self, _request: Request | None = None) -> JSONResponse:
        """Return whether the service can serve: 200, or 503 with the codes of what fails."""
        if self.stopping():
            return JSONResponse({"status": "stopping"}, _UNAVAILABLE)
        failing = await self._checked()
        if failing:
            return JSONResponse({"status": "failing", "checks": failing}, _UNAVAILABLE)
        return JSONResponse({"status": "ok"})

    async def _checked(self) -> dict[str, str]:
        """Return the codes of the checks that fail, by their names; asked once at a time."""
        async with self._lock:
            if self._asked is None or self.clock() - self._asked >= KEPT:
                names = [*self.checks]
                codes = await asyncio.gather(*(self._code(name) for name in names))
                self._failing = {
                    name: code for name, code in zip(names, codes, strict=True) if code
                }
                self._asked = self.clock()
            return self._failing

    async def _code(self, name: str) -> str:
        try:
            async with asyncio.timeout(self.patience):
                await self.checks[name]()
        except TrenteError as error:
            code = error.code
        except TimeoutError:
            code = "too-slow"
        except Exception:  # noqa: BLE001 - a check that fails by itself is one that fails
            _LOG.exception("the check of %s failed", name)
            return "internal"
        else:
            return ""
        _LOG.warning("%s is not ready", name, extra={"code": code})
        return code
