"""Readers that wait: what a table does is seen by other processes as it is committed."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from time import monotonic, sleep
from typing import Final

from trente_rules.table.entries import Entry
from trente_rules.table.journal_chain import Head

_LOOK: Final = 1.0
"""Seconds after which a reader looks, whether or not it was notified."""
_GLANCE: Final = 0.02
"""Seconds after which a reader looks that nobody notifies: to read the end costs some µs."""


class Following(ABC):
    """A journal whose new commands can be waited for, by any thread or process."""

    @property
    @abstractmethod
    def head(self) -> Head | None:
        """The end of the journal, None before a table began."""

    @abstractmethod
    def entries(self, first: int = 1) -> Iterator[Entry]:
        """Yield the commands of this journal from a sequence number on."""

    @abstractmethod
    def _is_closed_for_good(self) -> bool:
        """Return whether the table continues in another journal."""

    def _pause(self, seconds: float) -> None:
        """Wait until something was committed, or for so long; it may return early."""
        sleep(min(seconds, _GLANCE))

    def wait(self, sequence: int, timeout: float | None = None) -> bool:
        """Wait until there is a command after the one of a sequence number; return whether.

        ``timeout`` is in seconds; without one it is waited as long as it takes, but not where the
        table continues in another journal. Raises ``RecordError`` as every reader does.
        """
        end = None if timeout is None else monotonic() + timeout
        while True:
            head = self.head
            if head is not None and head.sequence > sequence:
                return True
            left = _LOOK if end is None else min(end - monotonic(), _LOOK)
            if left <= 0 or (head is not None and self._is_closed_for_good()):
                return False
            self._pause(left)

    def follow(self, after: int = 0, timeout: float | None = None) -> Iterator[Entry]:
        """Yield the commands after the one of a sequence number, and later ones as they come.

        It ends where the table continues in another journal, and where none comes for ``timeout``
        seconds.
        """
        while self.wait(after, timeout):
            head = self.head
            for entry in self.entries(after + 1):
                after = entry.sequence
                yield entry
            if head is not None:  # a journal that continues another one may have none yet
                after = max(after, head.sequence)
