"""Metrics and traces of tables by OpenTelemetry's API, of the extra ``telemetry``.

A ``Telemetry`` is an observer: ``Table(house, observers=[Telemetry()])``. It says nothing of a
player, an amount or a card: names of tables, rounds, kinds of commands and codes of refusals alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from time import time_ns
from typing import TYPE_CHECKING, Any, Final
from weakref import WeakSet

from trente_rules._version import __version__
from trente_rules.core.errors import TrenteError
from trente_rules.table.commands import COMMANDS, Command
from trente_rules.table.entries import Entry
from trente_rules.table.table import Table

if TYPE_CHECKING:
    from opentelemetry.metrics import CallbackOptions, MeterProvider, Observation
    from opentelemetry.trace import TracerProvider

SCOPE: Final = "trente_rules.table"
"""The name of the instrumentation, of the tracer and of the meter."""
TABLE: Final = "trente.table.name"
ROUND: Final = "trente.round"
KIND: Final = "trente.command.kind"
REPEATED: Final = "trente.command.repeated"
EVENTS: Final = "trente.command.events"
MOVEMENTS: Final = "trente.command.movements"
ERROR: Final = "error.type"
"""The attributes; the last is OpenTelemetry's own, and here the code of a refusal."""
OTHER: Final = "other"
"""The kind of what is not a command of a table: a stranger's word names no attribute."""
_SECOND: Final = 1_000_000_000


class Telemetry:
    """An observer that counts and times commands, and writes a span for each.

    Counters ``trente.table.commands`` and ``trente.table.refusals``, by kind and code; histogram
    ``trente.table.command.duration``, in seconds; gauges ``trente.table.stakes`` and
    ``trente.table.players`` (players with a stake) of each table, read when they are collected.
    Spans are children of the span that the host has open. One observer serves any number of tables.
    """

    def __init__(
        self,
        *,
        tracer_provider: TracerProvider | None = None,
        meter_provider: MeterProvider | None = None,
    ) -> None:
        """Use these providers, by default the global ones of OpenTelemetry.

        Raises ``TrenteError`` ("needs-telemetry") where OpenTelemetry's API is not installed.
        """
        try:
            from opentelemetry import metrics, trace  # noqa: PLC0415 - of the extra
        except ImportError:
            raise TrenteError(
                "telemetry needs the API of OpenTelemetry",
                "needs-telemetry",
                'pip install "trente-rules[telemetry]"',
            ) from None
        self._tables: WeakSet[Table] = WeakSet()
        self._tracer = trace.get_tracer(SCOPE, __version__, tracer_provider)
        self._failed = trace.Status(trace.StatusCode.ERROR)
        self._seen: type[Observation] = metrics.Observation
        meter = metrics.get_meter(SCOPE, __version__, meter_provider)
        self._commands = meter.create_counter(
            "trente.table.commands", "{command}", "Commands that tables did."
        )
        self._refusals = meter.create_counter(
            "trente.table.refusals", "{command}", "Commands that tables refused."
        )
        self._duration = meter.create_histogram(
            "trente.table.command.duration", "s", "Time of a command, its journal included."
        )
        meter.create_observable_gauge(
            "trente.table.stakes", [self._stakes], "{stake}", "Stakes on the table."
        )
        meter.create_observable_gauge(
            "trente.table.players", [self._players], "{player}", "Players with a stake."
        )

    def done(self, table: Table, entries: Sequence[Entry], seconds: float) -> None:
        """Count commands that were done together, and time them."""
        self._tables.add(table)
        for entry in entries:
            kind, repeated = _kind(entry.command), entry.repeated
            self._commands.add(1, {KIND: kind, REPEATED: repeated})
            more: dict[str, Any] = {
                REPEATED: repeated,
                EVENTS: len(entry.events),
                MOVEMENTS: len(entry.movements),
            }
            self._span(table, kind, seconds, more)
        if entries:
            self._duration.record(seconds, {KIND: _kinds(entry.command for entry in entries)})

    def refused(
        self, table: Table, commands: Sequence[Command], error: Exception, seconds: float
    ) -> None:
        """Count a refusal, and time it; its message, which may name a player, goes nowhere."""
        self._tables.add(table)
        kind = _kinds(commands)
        code = error.code if isinstance(error, TrenteError) else type(error).__name__
        self._refusals.add(1, {KIND: kind, ERROR: code})
        self._duration.record(seconds, {KIND: kind, ERROR: code})
        self._span(table, kind, seconds, {ERROR: code})

    def _span(self, table: Table, kind: str, seconds: float, more: Mapping[str, Any]) -> None:
        end = time_ns()
        state = table.state
        about = {TABLE: state.setup.table, ROUND: str(state.round), KIND: kind, **more}
        start = end - round(seconds * _SECOND)
        span = self._tracer.start_span(f"trente.{kind}", attributes=about, start_time=start)
        if ERROR in more:
            span.set_status(self._failed)
        span.end(end)

    def _stakes(self, _options: CallbackOptions) -> Iterable[Observation]:
        for table in tuple(self._tables):
            state = table.state
            yield self._seen(len(state.stakes), {TABLE: state.setup.table})

    def _players(self, _options: CallbackOptions) -> Iterable[Observation]:
        for table in tuple(self._tables):
            state = table.state
            players = {stake.owner for stake in state.stakes}
            yield self._seen(len(players), {TABLE: state.setup.table})


_KINDS: Final = {command: command.kind for command in COMMANDS}


def _kind(command: object) -> str:
    """Return the kind of a command; a value of any other class is "other"."""
    return next((kind for known, kind in _KINDS.items() if type(command) is known), OTHER)


def _kinds(commands: Iterable[object]) -> str:
    """Return the kind of commands done together: "several" where they are of more than one."""
    kinds = {_kind(command) for command in commands}
    return kinds.pop() if len(kinds) == 1 else "several"
