"""TOML as it is written: values and keys on one line."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trente_rules.core.errors import ConfigurationError
from trente_rules.core.toml import Document, inline, inline_key, parse

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


def test_a_number_that_is_too_long_is_one_sentence() -> None:
    """Up to 200 characters are read; what is longer would cost time to nobody's use."""
    assert parse(Document("h.toml", f"a = {'1' * 200}")) == {"a": int("1" * 200)}
    with pytest.raises(ConfigurationError) as caught:
        parse(Document("h.toml", f"a = 1\nb = {'1' * 201}"))
    assert str(caught.value) == (
        "h.toml:2:5: a number of 201 characters, more than 200 [number-too-long]"
    )


def test_a_byte_order_mark_is_no_part_of_a_document() -> None:
    """Columns are those that an editor shows, and a document is shown without its text."""
    document = Document("h.toml", "\ufeffa = 1")
    assert document.text == "a = 1"
    assert repr(document) == "Document(origin='h.toml')"
