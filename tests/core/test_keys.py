"""Keys of TOML: what each is declared with, and what the schema states of it."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from attrs import NOTHING, frozen

from trente_rules.core.keys import (
    NumberRange,
    at_least,
    at_most,
    between,
    if_given,
    key,
    keys_of,
    presentation,
)


@frozen
class _Table:
    """A table of keys of all kinds."""

    needed: int = key(doc="It has to be given.")
    number: int = key(7, "A number.", check=between(1, 8))
    words: tuple[str, ...] = presentation((), "Words.")
    listed: list[int] = key(factory=list, doc="Made anew for each.")
    from_: str = key("x", name="from")


def test_a_key_has_the_default_the_kind_and_the_words_it_is_declared_with() -> None:
    """The schema, the reference and the difference of two houses are made of these."""
    found = {info.name: (info.default, info.doc, info.kind) for info in keys_of(_Table)}
    assert found == {
        "needed": (NOTHING, "It has to be given.", "fairness"),
        "number": (7, "A number.", "fairness"),
        "words": ((), "Words.", "presentation"),
        "listed": ([], "Made anew for each.", "fairness"),
        "from": ("x", "", "fairness"),
    }
    assert _Table(1) == _Table(1, 7, (), [], "x")
    with pytest.raises(ValueError, match=r"number: 9 is out of range \(1 to 8\)"):
        _Table(1, 9)


@pytest.mark.parametrize(
    ("check", "schema", "wrong", "fault"),
    [
        (between(1, 8), {"minimum": 1, "maximum": 8}, 9, "9 is out of range (1 to 8)"),
        (at_least(1), {"minimum": 1}, 0, "0 is out of range (1 or more)"),
        (at_most(8), {"maximum": 8}, Fraction(17, 2), "17/2 is out of range (8 or less)"),
        (between(1, 8), {"minimum": 1, "maximum": 8}, None, "it is missing"),
        (NumberRange(), {}, None, "it is missing"),
    ],
)
def test_the_schema_states_the_bounds_of_a_number(
    check: NumberRange, schema: dict[str, int], wrong: Any, fault: str
) -> None:
    """U48: what the loader refuses by a bound, an editor refuses by the same one."""
    assert check.schema == {"integer": schema}
    assert check(wrong) == fault
    assert check(3) == if_given(check)(3) == if_given(check)(None) == ""
    assert isinstance(if_given(check), NumberRange)
