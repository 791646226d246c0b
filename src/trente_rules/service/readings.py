"""A stub."""

from collections import defaultdict
from typing import Any


class Reading:
    """A stub."""

    def read(self, *_given: Any) -> Any:
        """Return nothing."""
        return {}


READINGS: dict[str, Reading] = defaultdict(Reading)
