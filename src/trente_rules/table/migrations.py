"""What earlier releases wrote, brought to the form of today: one function for each old schema.

They work on plain JSON, before anything is built of it; a value of another shape than expected is
left as it is, for the converter to refuse. A file that is already of today's form passes unchanged:
a journal that an old release began has rows of both.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def command(value: Mapping[str, Any], schema: int) -> Mapping[str, Any]:
    """Return a command of an older schema in the form of today."""
    del schema  # commands of schema 1 are those of today
    return value


def event(value: Mapping[str, Any], schema: int) -> Mapping[str, Any]:
    """Return an event of an older schema in the form of today."""
    del schema  # there is one older schema
    if isinstance(value, Mapping) and value.get("kind") == "announced" and "text" in value:
        # Announcements were a text, of which no value can be known.
        return {
            "kind": "announced",
            "phrase": value.get("phrase"),
            "values": {"text": value["text"]},
        }
    return value
