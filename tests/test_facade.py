"""The facade: what ``from trente_rules import`` gives."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import trente_rules


def test_what_type_checkers_see_is_what_is_imported() -> None:
    """The imports under TYPE_CHECKING and the table of homes name the same things."""
    tree = ast.parse(Path(trente_rules.__file__).read_text("utf-8"))
    (block,) = [node for node in tree.body if isinstance(node, ast.If)]
    seen = {
        alias.name: str(node.module).removeprefix("trente_rules.")
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert seen == trente_rules._HOME_OF


def test_every_public_name_is_there_and_sorted() -> None:
    """``__all__`` is sorted, and each of its names can be had."""
    names = [name for name in trente_rules.__all__ if name != "__version__"]
    assert set(names) == set(trente_rules._HOME_OF)
    assert all(getattr(trente_rules, name) is not None for name in names)
    assert set(names) <= set(dir(trente_rules))


def test_an_unknown_name_is_an_attribute_error() -> None:
    """A name that is not public is refused as any module refuses it."""
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = trente_rules.nonsense
