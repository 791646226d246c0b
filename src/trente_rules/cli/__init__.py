"""The command line ``trente``: one thin file a command."""

from __future__ import annotations

__all__ = ["main"]


def main() -> None:
    """Run the command line; every known error ends as a sentence, none as a traceback."""
    from trente_rules.cli.group import run  # noqa: PLC0415 - click is imported when it is used

    run()
