"""The compiled kernels of the simulation, loaded when they are first played."""

from __future__ import annotations

from functools import cache
from threading import Lock
from typing import Any, Final

from trente_rules.core.compiled import loaded

_WHAT: Final = "the simulation needs"
_lock: Final = Lock()


@cache
def _flat() -> Any:
    def trial(kernel: Any) -> None:
        import numpy as np  # noqa: PLC0415 - of the extra

        cards = np.array([10] * 24, np.uint16)
        whole = np.zeros((1, 2), np.int64)
        table = np.full((1, 5), -1, np.int64)
        state = np.arange(1, 5, dtype=np.uint64)
        kernel.play(
            cards,
            state,
            state.copy(),
            np.array([0, 0, 1, 2, 0, 1]),
            1,
            1,
            np.zeros((1, 400), np.uint8),
            np.zeros(400, np.uint8),
            whole,
            table,
            table,
        )

    return loaded(("simulation.draws", "simulation.kernel"), trial, _WHAT)


def flat_kernel() -> Any:
    """Return the compiled play of flat stakes; threads wait for the first to load it.

    Raises ``TrenteError`` ("needs-fast").
    """
    with _lock:
        return _flat()


@cache
def _staking() -> Any:
    names = ("simulation.draws", "simulation.kernel", "simulation.staking_kernel")
    return loaded(names, lambda kernel: kernel.tried(), _WHAT)


def staking_kernel() -> Any:
    """Return the compiled play of systems; threads wait for the first to load it.

    Raises ``TrenteError`` ("needs-fast").
    """
    with _lock:
        return _staking()
