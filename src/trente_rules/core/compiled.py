"""Loading compiled modules: a sentence where numba is missing, a damaged cache put away.

Numba keeps what it has compiled in files; one that a crash or a full disk cut short raises
``EOFError`` and its like for ever. Such files are deleted, and compiled anew. Where no file can be
written, as in a read-only container, nothing is kept and the figures are the same.

Compiling takes seconds: the logger of this module says so before it begins.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from importlib import import_module, reload
from importlib.util import find_spec
from pathlib import Path
from pickle import UnpicklingError
from typing import Any, Final, TypeVar

from trente_rules.core.errors import TrenteError

_DAMAGED: Final = (EOFError, UnpicklingError, ValueError, IndexError, AttributeError, RuntimeError)
LOGGER: Final = logging.getLogger(__name__)
"""It says, as information, that compiling begins; a host shows it where somebody waits."""
_CANNOT_KEEP: Final = "set NUMBA_CACHE_DIR to a folder that can be written, to compile only once"
F = TypeVar("F")


def kept(function: F) -> F:
    """Decorate a compiled function: it is kept in numba's cache, where there is a place for one."""
    compiled: Any = function
    # "no locator available": nothing can be written. With NUMBA_DISABLE_JIT nothing is compiled.
    with suppress(RuntimeError, AttributeError):
        compiled.enable_caching()
    return function


def loaded(
    names: Sequence[str],
    trial: Callable[[Any], object],
    what: str,
    instead: str = "",
    *,
    seconds: int = 10,
) -> Any:
    """Import compiled modules, in the order in which they import one another; return the last.

    It is tried once. Raises ``TrenteError`` ("needs-fast") where numba or numpy is not installed:
    ``what`` needs them, ``instead`` is what to do without. ``seconds`` is about how long it takes
    to compile them all; what numba has kept already takes no part of it.
    """
    try:
        modules = [import_module(f"trente_rules.{name}") for name in names]
    except ImportError as error:
        raise TrenteError(
            f"{what} numba and numpy: {error}",
            "needs-fast",
            f'pip install "trente-rules[fast]"{instead}',
        ) from error
    if new := [each for each in modules if not _is_kept(each)]:
        places = [function.stats.cache_path for each in modules for function in _functions(each)]
        # Helpers of a compiled function have no place of their own; without any, nothing is kept.
        when = _CANNOT_KEEP if places and not any(places) else "first run only"
        LOGGER.info("compiling, %s, about %d s ...", when, -(-seconds * len(new) // len(modules)))
    try:
        trial(modules[-1])
    except _DAMAGED:
        clear(modules)
        modules = [reload(module) for module in modules]
        trial(modules[-1])
    return modules[-1]


def fast_installed() -> bool:
    """Return whether numba and numpy, of the extra ``fast``, can be imported."""
    try:
        return all(find_spec(name) is not None for name in ("numpy", "numba"))
    except ValueError:  # one of them is barred from being imported
        return False


def compiling(names: Sequence[str]) -> bool:
    """Return whether these modules would be compiled when they are loaded, which takes seconds.

    What numba has kept of a module as it is now is not compiled again. False where numba is not
    installed.
    """
    if not fast_installed():
        return False
    return any(not _is_kept(import_module(f"trente_rules.{name}")) for name in names)


def _is_kept(module: Any) -> bool:
    """Return whether a module was compiled before: in this process, or into a file of its cache.

    A module without compiled functions needs none.
    """
    functions = list(_functions(module))
    if not functions or any(function.signatures for function in functions):
        return True
    source = Path(module.__file__)
    written = source.stat().st_mtime
    folders = {Path(function.stats.cache_path) for function in _compiled(module)}
    files = (file for folder in folders for file in folder.glob(f"{source.stem}.*.nbi"))
    return any(file.stat().st_mtime >= written for file in files)


def clear(modules: Sequence[Any]) -> None:
    """Delete what numba has kept of compiled modules."""
    for module in modules:
        folders = {Path(function.stats.cache_path) for function in _compiled(module)}
        for folder in folders:
            for file in folder.glob(f"{Path(module.__file__).stem}.*.nb[ic]"):
                with suppress(OSError):
                    file.unlink()


def _compiled(module: Any) -> Iterator[Any]:
    return (function for function in _functions(module) if function.stats.cache_path)


def _functions(module: Any) -> Iterator[Any]:
    """Yield the compiled functions that a module defines."""
    for function in vars(module).values():
        if getattr(function, "stats", None) is not None and function.__module__ == module.__name__:
            yield function
