"""The schema of small types: the whole value."""

from __future__ import annotations

from typing import Literal

from trente_rules.table import Phase
from trente_rules.table.schemas import DRAFT, Walk, wire_schema


def test_a_choice_of_words_is_an_enum() -> None:
    """T4b: of an enumeration, and of several literals; one literal is a constant."""
    walk = Walk()
    phases = [each.value for each in Phase]
    assert walk.schema(Phase) == {"enum": phases}
    assert walk.schema(Literal["noir", "rouge"]) == {"enum": ["noir", "rouge"]}
    assert walk.schema(Literal["noir"]) == {"const": "noir"}
    state = wire_schema("snapshots")["$defs"]["TableState"]["properties"]
    assert state["phase"] == {"enum": phases}


def test_a_document_has_a_description_where_one_is_given() -> None:
    """T4b: the draft, an id of this version and a title are in each."""
    head = {"$schema": DRAFT, "$id": "urn:trente-rules:wire:1:flags", "title": "A flag"}
    rest = {"type": "boolean", "$defs": {}}
    assert Walk().document("flags", bool, "A flag") == {**head, **rest}
    described = Walk().document("flags", bool, "A flag", "Raised or not.")
    assert described == {**head, "description": "Raised or not.", **rest}
