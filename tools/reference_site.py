"""An extension of Sphinx: ``{reference}`` puts what the code says into a page, and links to it."""

# ruff: noqa: INP001

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final

from docutils import nodes
from reference import PARTS, ROOT, all_public_names, linked
from sphinx.util.docutils import SphinxDirective
from sphinx.util.nodes import make_refnode

from trente_rules.cli.schema import _SCHEMAS
from trente_rules.core.text import json_text

if TYPE_CHECKING:
    from sphinx.addnodes import pending_xref
    from sphinx.application import Sphinx
    from sphinx.environment import BuildEnvironment

SCHEMA: Final = "house.schema.json"
"""The file at the root of the site that editors read."""


class Reference(SphinxDirective):
    """``{reference} PART [ARGUMENT]``: the text of a part, as if it were written in the page."""

    required_arguments = 1
    optional_arguments = 1
    has_content = False
    option_spec: ClassVar[dict[str, Any]] = {}

    def run(self) -> list[nodes.Node]:
        """Return the nodes of the part."""
        part, *arguments = self.arguments
        if part == "file":
            self.env.note_dependency(str(ROOT / arguments[0]))
        text = PARTS[part](*arguments)
        return self.parse_text_to_nodes(text, allow_section_headings=True)


def _links_out(_app: Sphinx, _name: str, source: list[str]) -> None:
    """Let links out of docs/ lead to the pages that show what is there."""
    source[0] = linked(source[0], in_docs=True)


def _public(
    app: Sphinx, env: BuildEnvironment, node: pending_xref, shown: nodes.TextElement
) -> nodes.Node | None:
    """Link a class, named by its module or not at all, to its public entry."""
    if node.get("refdomain") != "py":
        return None
    name = node["reftarget"].rpartition(".")[2]
    paths = [each.path for each in all_public_names() if each.name == name]
    known = env.domains.python_domain.objects
    if len(paths) != 1 or paths[0] not in known:
        return None
    entry = known[paths[0]]
    return make_refnode(
        app.builder, node["refdoc"], entry.docname, entry.node_id, [shown], paths[0]
    )


_OUTSIDE: Final = re.compile(
    r"""<(?:script|img|iframe|source|video|audio)[^>]*\ssrc=["'](?:https?:)?//"""
    r"""|<link(?![^>]*rel=["']canonical)[^>]*\shref=["'](?:https?:)?//"""
    r"""|@import\s+(?:url\()?["']?(?:https?:)?//|url\(["']?(?:https?:)?//"""
)


def loaded_from_elsewhere(folder: Path) -> list[str]:
    """Return what pages or styles of a built site load from other sites."""
    return [
        f"{path.relative_to(folder)}: {found[0]}"
        for path in sorted(folder.rglob("*"))
        if path.suffix in (".html", ".css")
        for found in _OUTSIDE.finditer(path.read_text("utf-8"))
    ]


def _publish(app: Sphinx, error: Exception | None) -> None:
    """Publish the schema and the pictures beside the pages; nothing comes from other sites."""
    if error is not None or app.builder.format != "html":
        return
    out = Path(app.outdir)
    (out / SCHEMA).write_text(json_text(_SCHEMAS["house"]()) + "\n", encoding="utf-8")
    shutil.copytree(Path(app.srcdir) / "images", out / "images", dirs_exist_ok=True)
    if faults := loaded_from_elsewhere(out):
        raise ValueError("loaded from elsewhere: " + "; ".join(faults))


def setup(app: Sphinx) -> dict[str, Any]:
    """Add the directive, the links and the files."""
    app.add_directive("reference", Reference)
    app.connect("source-read", _links_out)
    app.connect("missing-reference", _public)
    app.connect("build-finished", _publish)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
