"""HTML pages that stand alone: templates filled in, whatever a house wrote escaped.

jinja2 comes with the extra ``report`` and is imported when a page is made.
"""

from __future__ import annotations

from importlib.resources import files

from trente_rules.analysis.figure_style import plain
from trente_rules.errors import TrenteError


def page_text(template: str, **told: object) -> str:
    """Fill in a template of ``analysis/templates``, named without ``.html.jinja``.

    Raises ``TrenteError`` ("needs-report") where jinja2 is not installed.
    """
    try:
        import jinja2  # noqa: PLC0415 - of the extra
    except ImportError as error:
        raise TrenteError(
            f"a page needs jinja2: {error}",
            "needs-report",
            'pip install "trente-rules[report]", or ask for another format',
        ) from error
    environment = jinja2.Environment(
        autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    source = files("trente_rules.analysis").joinpath(f"templates/{template}.html.jinja")
    return plain(environment.from_string(source.read_text("utf-8")).render(told)) + "\n"
