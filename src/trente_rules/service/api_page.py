"""A stub."""


def api_page() -> str:
    """Return nothing."""
    return ""
