"""Figures of the service for Prometheus."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from trente_rules.table.entries import Entry
from trente_rules.table.table import Table


class Metrics:
    """What is counted: a stub until the real one is here."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self._counts: Counter[str] = Counter()

    def done(self, table: Table, entries: Sequence[Entry], seconds: float) -> None:
        """Count commands that were done."""

    def refused(self, *_what: object) -> None:
        """Count a refusal."""

    def socket_opened(self) -> None:
        """Count a socket."""

    def socket_closed(self) -> None:
        """Count a socket no more."""

    def message_sent(self) -> None:
        """Count a message."""

    def slow_reader_cut(self) -> None:
        """Count a reader who was cut."""

    def text(self) -> str:
        """Return all figures."""
        return ""
