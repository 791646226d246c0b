"""The formats that this library ships: one file each; CSV and JSON share one.

A format is a name and a function from a report to text: ``core.plugins.hookspecs.Format``. Plugins
add more by the hook ``trente_formats``; every command takes them.
"""

from __future__ import annotations

from functools import partial
from importlib import import_module
from typing import Final

from trente_rules.core.plugins.hookspecs import Format
from trente_rules.reports.document import Report


def _render(module: str, function: str, report: Report, width: int | None) -> str:
    """Import a format and render a report; not before, as `--format` needs only the names."""
    text: str = getattr(import_module(f"{__name__}.{module}"), function)(report, width)
    return text


FORMATS: Final = (
    Format("text", partial(_render, "text", "render"), ".txt"),
    Format("markdown", partial(_render, "markdown", "render"), ".md"),
    Format("csv", partial(_render, "data", "render_csv"), ".csv"),
    Format("json", partial(_render, "data", "render_json"), ".json"),
    Format("html", partial(_render, "html", "render"), ".html"),
    Format("latex", partial(_render, "latex", "render"), ".tex"),
)
