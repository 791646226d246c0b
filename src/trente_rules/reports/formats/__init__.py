"""The formats that this library ships: a file each, but for the two of plain data.

A format is a function from a report to text, under a name: ``core.plugins.hookspecs.Format``. A
plugin brings more by the hook ``trente_formats``, and every command takes them.
"""

from __future__ import annotations

from typing import Final

from trente_rules.core.plugins.hookspecs import Format
from trente_rules.reports.formats import data, html, latex, markdown, text

FORMATS: Final = (
    Format("text", text.render, ".txt"),
    Format("markdown", markdown.render, ".md"),
    Format("csv", data.render_csv, ".csv"),
    Format("json", data.render_json, ".json"),
    Format("html", html.render, ".html"),
    Format("latex", latex.render, ".tex"),
)
