"""Waiting: a sign of life on a terminal after a second, and the word that code is compiled."""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock, Timer
from typing import TYPE_CHECKING, Final

import click

from trente_rules.core.text import printable

if TYPE_CHECKING:
    from rich.live import Live

_SECONDS: Final = 1.0
_META: Final = f"{__name__}.waiting"
"""The key of a context under which the sign of its command is."""


class Waiting:
    """A sign on the standard error that a command works, from its second second on.

    It is gone before anything is printed, and is not there where nobody looks.
    """

    def __init__(self) -> None:
        """Begin to wait."""
        self._lock, self._live = Lock(), list["Live"]()
        self._timer = Timer(_SECONDS, self._show)
        self._timer.daemon = True
        self._over = False
        self._timer.start()

    @classmethod
    @contextmanager
    def begun(cls) -> Iterator[None]:
        """Show the sign while the command of this context works."""
        context = click.get_current_context(silent=True)
        if context is None or sys.stderr is None or not sys.stderr.isatty():
            yield
            return
        context.meta[_META] = sign = cls()
        try:
            yield
        finally:
            sign.stop()

    @staticmethod
    def end() -> None:
        """Take the sign away: something is printed, or a bar is shown instead."""
        context = click.get_current_context(silent=True)
        sign = context.meta.get(_META) if context else None
        if isinstance(sign, Waiting):
            sign.stop()

    def stop(self) -> None:
        """Take the sign away for good."""
        self._timer.cancel()
        with self._lock:
            self._over = True
            while self._live:
                self._live.pop().stop()

    def _show(self) -> None:
        from rich.console import Console  # noqa: PLC0415 - only where somebody waits
        from rich.live import Live  # noqa: PLC0415 - likewise
        from rich.spinner import Spinner  # noqa: PLC0415 - likewise

        with self._lock:
            if not self._over:
                live = Live(
                    Spinner("line", "working ..."),
                    console=Console(stderr=True),
                    transient=True,
                    redirect_stdout=False,
                    redirect_stderr=False,
                )
                live.start()
                self._live.append(live)


class CompilingHandler(logging.Handler):
    """It prints on the standard error what the library says about compiling."""

    def emit(self, record: logging.LogRecord) -> None:
        """Print a message."""
        Waiting.end()
        if sys.stderr is not None:  # not click.echo: it writes past a bar, into the bar's line
            sys.stderr.write(f"{printable(record.getMessage())}\n")
            sys.stderr.flush()


@contextmanager
def compiling_told() -> Iterator[None]:
    """Print when code is compiled, which takes seconds at its first use."""
    from trente_rules.core.compiled import LOGGER  # noqa: PLC0415 - only a command needs it

    handler, level = CompilingHandler(), LOGGER.level
    LOGGER.addHandler(handler)
    LOGGER.setLevel(logging.INFO)
    try:
        yield
    finally:
        LOGGER.removeHandler(handler)
        LOGGER.setLevel(level)
