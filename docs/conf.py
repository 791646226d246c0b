"""The site of the documentation: ``make docs`` builds it into ``build/docs``.

The pages are the Markdown files of this folder, as they are in a checkout. What the code itself
says (names, commands, schemas, hooks ...) comes in by ``{reference}``, from ``tools/reference.py``.
"""

# ruff: noqa: INP001 - read by Sphinx

from __future__ import annotations

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "tools"))

import trente_rules  # noqa: E402 - after the path

project = "trente-rules"
author = "The trente-rules authors"
copyright = author  # noqa: A001 - the name that Sphinx reads
release = version = trente_rules.__version__
language = "en_GB"

extensions = ["myst_parser", "sphinx.ext.autodoc", "reference_site"]
nitpicky = True
# Types of signatures: those of Python have no pages here, and those without a public name no entry.
nitpick_ignore_regex = [("py:class", r".*"), ("py:obj", r"typing\..*")]
smartquotes = False  # quotes are as they are typed, also in commands
highlight_language = "text"
myst_heading_anchors = 4  # the anchors of headings are those of a checkout's pages
autodoc_member_order = "bysource"
autodoc_preserve_defaults = True
autodoc_typehints_format = "short"
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 80
toc_object_entries_show_parents = "hide"

html_theme = "furo"
html_title = f"trente-rules {release}"
html_baseurl = "https://trente-rules.readthedocs.io/en/stable/"
html_copy_source = False
html_show_sphinx = False
