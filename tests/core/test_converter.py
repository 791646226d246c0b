"""The one converter: strict about types, with the path of each fault."""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated, Any, Literal, cast

import pytest
from attrs import frozen

from trente_rules import Card, Coup, RuleError, Stake, Verdict
from trente_rules.core.converter import (
    Form,
    NewerSchemaWarning,
    Problem,
    converter,
    path_text,
    register_tagged,
    structure,
    whole,
)
from trente_rules.core.money import Amount, parse_share

MADE = converter()


@frozen
class _Inner:
    """Part of a value."""

    words: tuple[str, ...] = ()
    number: int = 0


@frozen
class _Whole:
    """A value of all sorts of fields."""

    name: str
    flag: bool = False
    hand: Literal["left", "right"] = "left"
    inner: tuple[_Inner, ...] = ()
    pair: tuple[str, int] | None = None
    dashed: Annotated[tuple[int, ...], Form(lambda text: tuple(map(int, text.split("-"))))] = ()


def faults(value: Any, **options: Any) -> list[str]:
    """Return what is wrong with a value."""
    return [str(problem) for problem in structure(MADE, value, _Whole, **options)[1]]


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        ("1/2", Fraction),
        ("-7", Fraction),
        ("10♥", Card),
        ("4♥ 10♠ J♦ 9♣ / 8♠ 7♦ Q♣ 6♥", Coup),
        ("refait", Verdict),
        (20, Amount),
        ("12.50", Amount),
    ],
)
def test_a_value_of_the_core_is_written_as_it_is_read(value: Any, kind: Any) -> None:
    """Cards, shares, coups, verdicts and amounts, each by one hook."""
    assert MADE.unstructure(MADE.structure(value, kind)) == value


def test_every_fault_is_named_with_its_path() -> None:
    """Nothing is coerced: "7" and true are no whole numbers, a text is no list."""
    told = {
        "flag": 1,
        "hand": "rihgt",
        "inner": [{"number": "7"}, {"number": True}, {"words": "ab"}, 5],
        "pair": ["a"],
        "more": 1,
    }
    assert faults(told) == [
        "name: 'name' is missing",
        "flag: expected true or false, got the whole number 1",
        "hand: 'rihgt' is not one of 'left', 'right'",
        "inner[1].number: expected a whole number, got the text '7'",
        "inner[2].number: expected a whole number, got true",
        "inner[3].words: expected a list, got the text 'ab'",
        "inner[4]: expected a table, got the whole number 5",
        "pair: ['a'] has 1 members, not 2",
        "more: unknown key 'more'",
    ]


@pytest.mark.parametrize("value", [2**129, -(2**129), 10**4000], ids=["much", "little", "digits"])
def test_an_integer_of_too_many_digits_is_refused(value: int) -> None:
    """A hostile file cannot make anybody reckon with it."""
    (problem,) = structure(MADE, {"name": "n", "inner": [{"number": value}]}, _Whole)[1]
    assert problem.code == "out-of-range"


@pytest.mark.parametrize("text", ["1/0", "", "1e9", "٣", " 1", "1/2/3", "+1", "9" * 1001])
def test_a_share_is_digits(text: str) -> None:
    """A1 1i: a share is read in one place, and only in the form it is written in."""
    with pytest.raises(RuleError, match="is not a fraction"):
        parse_share(text)
    assert parse_share("-3/04") == Fraction(-3, 4)


def test_what_a_newer_release_added_is_left_out_with_a_warning() -> None:
    """A5: an unknown key is a fault in a form of today, and a note in one of tomorrow."""
    told = {"name": "n", "tips": 1, "inner": [{"number": 1, "tips": 2}]}
    assert faults(told) == [
        "inner[1].tips: unknown key 'tips'",
        "tips: unknown key 'tips'",
    ]
    with pytest.warns(NewerSchemaWarning, match=r"inner\[1\].tips, tips left out"):
        found, problems = structure(MADE, told, _Whole, newer=True)
    assert (found, problems) == (_Whole("n", inner=(_Inner(number=1),)), ())
    assert told["tips"] == 1


def test_a_form_says_how_a_field_is_written() -> None:
    """What the type alone does not tell stands with the field."""
    assert structure(MADE, {"name": "n", "dashed": "1-2"}, _Whole)[0].dashed == (1, 2)


def test_a_union_is_told_apart_by_its_tag() -> None:
    """The tag is written first; None stays None."""
    made, union = converter(), cast("Any", _Inner | Stake | None)
    register_tagged(made, union, {"inner": _Inner, "stake": Stake}, "thing")
    for value in (_Inner(number=2), Stake("a", "ann", "rouge", 5), None):
        told = made.unstructure(value, unstructure_as=union)
        assert made.structure(told, union) == value
    with pytest.raises(RuleError, match="'cat' is not a kind of thing"):
        made.structure({"kind": "cat"}, union)


def test_a_path_shows_no_cards() -> None:
    """S16: a key may be anything that a stranger writes, also the order of a shoe."""
    assert path_text(("coups", 1, "stakes", 0, "won")) == "coups[2].stakes[1].won"
    _built, problems = structure(MADE, {"10♠ Q♦ A♥ 10♥ J♠": 1}, _Inner)
    assert str(problems[0]).startswith("(cards): unknown key")


def test_a_count_is_a_number_up_to_a_bound() -> None:
    """No sum of amounts reaches 2**100; what is above it, or below the least, is named."""
    count = whole(0)
    assert count.read(2**100) == 2**100
    assert count.schema == {"type": "integer", "minimum": 0}
    for value in (2**100 + 1, -1):
        with pytest.raises(RuleError) as caught:
            count.read(value)
        assert str(caught.value) == f"{value} is out of range (it is 0 or more)"
        assert caught.value.code == "out-of-range"
    assert whole(1, 8).schema == {"type": "integer", "minimum": 1, "maximum": 8}
    with pytest.raises(RuleError, match=r"9 is out of range \(it is 1 to 8\)"):
        whole(1, 8).read(9)


def test_a_fault_is_the_same_whatever_raised_it() -> None:
    """Faults of two readings are compared by place and words: exceptions never are equal."""
    first, second = (
        Problem(("a",), "bad", "it is bad", cause=ValueError("1"), fix=(("a",), number))
        for number in (1, 2)
    )
    assert first == second
    assert first != Problem(("b",), "bad", "it is bad")
