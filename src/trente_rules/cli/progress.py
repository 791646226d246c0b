"""How far a run is, on the standard error, where somebody looks."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import perf_counter


@contextmanager
def bar(what: str) -> Iterator[Callable[[int, int], object] | None]:
    """Show how much is done, how fast, and the time left; None where no terminal shows it."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield None
        return
    from rich import progress  # noqa: PLC0415 - only a terminal needs it
    from rich.console import Console  # noqa: PLC0415

    columns = (
        *progress.Progress.get_default_columns()[:-1],
        progress.TextColumn("{task.fields[rate]}"),
        progress.TimeRemainingColumn(),
    )
    started = perf_counter()
    with progress.Progress(*columns, console=Console(stderr=True), transient=True) as shown:
        task = shown.add_task(what, total=None, rate="")

        def show(done: int, total: int) -> None:
            seconds = perf_counter() - started
            rate = f"{done / seconds:,.0f} {what}/s" if seconds else ""
            shown.update(task, completed=done, total=total, rate=rate)

        yield show
