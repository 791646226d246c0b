"""A stub."""


def texts(language: str) -> dict[str, str]:
    """Return nothing."""
    return {"language": language}
