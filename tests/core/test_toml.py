"""TOML as it is written: values and keys on one line."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trente_rules.core.toml import inline, inline_key

TEXT = st.text(st.characters(exclude_categories=["Cs"]))
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.booleans() | st.integers(-(2**63), 2**63 - 1) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=8,
)


@given(TEXT, VALUES)
def test_what_is_written_on_one_line_is_read_again(key: str, value: object) -> None:
    """A1 1n: one writer of a key and a value on one line, for records and houses to begin from."""
    line = f"{inline_key(key)} = {inline(value)}"
    assert "\n" not in line
    assert tomllib.loads(line) == {key: value}


@pytest.mark.parametrize("key", ["a", "a-b_1", "a.b", "", "é", 'say "so"'])
def test_a_key_has_quotes_where_it_must(key: str) -> None:
    """A1 1n: a bare key stands bare, any other in quotes."""
    bare = key.isascii() and key.replace("-", "").replace("_", "").isalnum()
    assert (inline_key(key) == key) is bare
