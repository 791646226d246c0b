"""Types of TypeScript from small schemas: the whole text."""

from __future__ import annotations

import pytest

from trente_rules import RecordError
from trente_rules.table.typescript import typescript_of

SCHEMA = {
    "$defs": {
        "Stake": {
            "description": "A stake.",
            "properties": {"id": {"type": "string"}, "amount": {"$ref": "#/$defs/Integer"}},
            "required": ["id"],
        },
        "Integer": {"type": "integer"},
        "Side": {"enum": ["noir", "rouge"]},
    }
}
TYPES = """\
export type Integer = number;

export type Side = "noir" | "rouge";

/** A stake. */
export interface Stake {
  id: string;
  amount?: Integer;
}
"""


def test_each_definition_is_a_type_with_its_words() -> None:
    """A definition without a description has no comment, nor has a module without a head."""
    assert typescript_of([SCHEMA, SCHEMA], declarations=True) == TYPES
    headed = typescript_of([SCHEMA], "Made by hand.", declarations=True)
    assert headed == f"/** Made by hand. */\n\n{TYPES}"
    assert typescript_of([SCHEMA]).startswith(f"{TYPES}\n/** Read JSON; ")


def test_two_schemas_that_differ_in_a_name_are_refused() -> None:
    """The error has the name: somebody who adds a part of the contract chooses another."""
    other = {"$defs": {"Side": {"enum": ["noir"]}}}
    with pytest.raises(RecordError) as caught:
        typescript_of([SCHEMA, other])
    assert caught.value.message == "two schemas define 'Side' differently"
    assert caught.value.code == "two-definitions"
    assert caught.value.hint == "give one of them another name"
