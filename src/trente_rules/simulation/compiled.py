"""The compiled kernels of the simulation, loaded when they are first played."""

from __future__ import annotations

from functools import cache
from threading import Lock
from typing import Any, Final

from trente_rules.core.compiled import loaded

_SECONDS: Final = 2
"""About how long it takes to compile one of the modules."""
_lock: Final = Lock()


@cache
def _loaded(*names: str, what: str = "the simulation needs") -> Any:
    modules = [f"simulation.{name}" for name in names]
    seconds = _SECONDS * len(names)
    return loaded(modules, lambda kernel: kernel.tried(), what, seconds=seconds)


def flat_kernel(what: str = "the simulation needs") -> Any:
    """Return the compiled play of flat stakes; threads wait for the first to load it.

    ``what`` is what needs it. Raises ``TrenteError`` ("needs-fast").
    """
    with _lock:
        return _loaded("draws", "lockstep", "kernel", what=what)


def staking_kernel() -> Any:
    """Return the compiled play of systems, loaded like ``flat_kernel``."""
    with _lock:
        return _loaded("draws", "lockstep", "kernel", "staking_kernel")


def session_kernel() -> Any:
    """Return the compiled step of a session's law, loaded like ``flat_kernel``."""
    with _lock:
        return _loaded("session_kernel", what="the law of a session needs")
