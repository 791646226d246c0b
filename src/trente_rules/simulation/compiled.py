"""Loading compiled modules: a sentence where numba is missing, a damaged cache put away.

Numba keeps what it has compiled in files; one that a crash or a full disk cut short raises
``EOFError`` and its like for ever. Such files are deleted, and compiled anew.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import cache
from importlib import import_module, reload
from pathlib import Path
from pickle import UnpicklingError
from threading import Lock
from typing import Any, Final

from trente_rules.core.errors import TrenteError

_DAMAGED: Final = (EOFError, UnpicklingError, ValueError, IndexError, AttributeError, RuntimeError)
_ROOM: Final = "trente_rules.simulation"
_lock: Final = Lock()


def loaded(names: Sequence[str], trial: Callable[[Any], object]) -> Any:
    """Import compiled modules of this room, and answer the last, tried once.

    ``names`` are in the order in which they import one another. Raises ``TrenteError``
    ("needs-fast") where numba or numpy is not installed.
    """
    try:
        modules = [import_module(f"{_ROOM}.{name}") for name in names]
    except ImportError as error:
        raise TrenteError(
            f"the simulation needs numba and numpy: {error}",
            "needs-fast",
            'pip install "trente-rules[fast]"',
        ) from error
    try:
        trial(modules[-1])
    except _DAMAGED:
        clear(modules)
        modules = [reload(module) for module in modules]
        trial(modules[-1])
    return modules[-1]


def clear(modules: Sequence[Any]) -> None:
    """Delete what numba has kept of compiled modules."""
    for module in modules:
        folders = {Path(function.stats.cache_path) for function in _compiled(module)}
        for folder in folders:
            for kept in folder.glob(f"{Path(module.__file__).stem}.*.nb[ic]"):
                with suppress(OSError):
                    kept.unlink()


def _compiled(module: Any) -> Iterator[Any]:
    for function in vars(module).values():
        if getattr(function, "stats", None) is not None and function.stats.cache_path:
            yield function


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

    return loaded(("draws", "kernel"), trial)


def flat_kernel() -> Any:
    """Return the compiled play of flat stakes; threads wait for the first to load it.

    Raises ``TrenteError`` ("needs-fast").
    """
    with _lock:
        return _flat()


@cache
def _staking() -> Any:
    return loaded(("draws", "kernel", "staking_kernel"), lambda kernel: kernel.tried())


def staking_kernel() -> Any:
    """Return the compiled play of systems; threads wait for the first to load it.

    Raises ``TrenteError`` ("needs-fast").
    """
    with _lock:
        return _staking()
