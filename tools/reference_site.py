"""An extension of Sphinx: ``{reference}`` puts what the code says into a page, and links to it."""

# ruff: noqa: INP001

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import attrs
from reference import (
    all_public_names,
    is_made,
    linked,
    loaded_from_elsewhere,
    shown_default,
    whole,
)
from sphinx.util.nodes import make_refnode

from trente_rules.cli.schema import _SCHEMAS

if TYPE_CHECKING:
    from docutils import nodes
    from sphinx.addnodes import pending_xref
    from sphinx.application import Sphinx
    from sphinx.environment import BuildEnvironment

SCHEMA: Final = "house.schema.json"
"""The file at the root of the site that editors read."""


def _whole(_app: Sphinx, _name: str, source: list[str]) -> None:
    """Put the parts that a page names into it, and let links out of docs/ lead to pages."""
    source[0] = whole(linked(source[0], in_docs=True))


def _not_from_pages_alone(_app: Sphinx, env: BuildEnvironment, *_changes: set[str]) -> list[str]:
    """Return the pages that name a part: it is from the code, so they are read each time."""
    return [name for name in env.found_docs if is_made(env.doc2path(name).read_text("utf-8"))]


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


_FROM_ATTRS: Final = re.compile(r"attr_dict\['(\w+)'\]\.default|\bNOTHING\b")


def _signature(
    _app: Sphinx, _what: str, _name: str, value: Any, _options: Any, signature: str, returns: str
) -> tuple[str, str]:
    """Write the defaults of a class of attrs, which only its fields have."""

    def default(found: re.Match[str]) -> str:
        fields = attrs.fields_dict(value)
        return shown_default(fields[found[1]].default) if found[1] in fields else "..."

    if signature and isinstance(value, type) and attrs.has(value):
        signature = _FROM_ATTRS.sub(default, signature)
    return signature, returns


def _publish(app: Sphinx, error: Exception | None) -> None:
    """Publish the schema and the pictures beside the pages; nothing comes from other sites."""
    if error is not None or app.builder.format != "html":
        return
    out = Path(app.outdir)
    schema = json.dumps(_SCHEMAS["house"](), ensure_ascii=False, separators=(",", ":"))
    (out / SCHEMA).write_text(schema + "\n", encoding="utf-8")
    shutil.copytree(Path(app.srcdir) / "images", out / "images", dirs_exist_ok=True)
    if faults := loaded_from_elsewhere(out):
        raise ValueError("loaded from elsewhere: " + "; ".join(faults))


def setup(app: Sphinx) -> dict[str, Any]:
    """Add the directive, the links and the files."""
    app.connect("env-get-outdated", _not_from_pages_alone)
    app.connect("source-read", _whole)
    app.connect("missing-reference", _public)
    app.connect("autodoc-process-signature", _signature)
    app.connect("build-finished", _publish)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
