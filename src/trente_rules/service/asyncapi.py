"""A stub."""

from typing import Any


def asyncapi_document() -> dict[str, Any]:
    """Return nothing."""
    return {}
