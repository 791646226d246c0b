"""What a text of a table may be: one that can be written to a file or a database."""

from __future__ import annotations

import re
from typing import Final

_HALF: Final = re.compile("[\ud800-\udfff]")


def legible(text: str) -> bool:
    """Tell whether a text can be stored: it holds no half of a character (a lone surrogate)."""
    return text.isascii() or not _HALF.search(text)
