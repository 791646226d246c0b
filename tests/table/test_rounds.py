"""Rounds as they are written."""

from __future__ import annotations

import pytest

from trente_rules import RecordError
from trente_rules.table.rounds import Round


@pytest.mark.parametrize("round_", [Round("s", 2, 14), Round("a/b", 1, 0), Round("", 0, 0)])
def test_a_round_is_read_as_it_is_written(round_: Round) -> None:
    """A session may have slashes in its name; shoe and coup are the last two parts."""
    assert Round.parse(str(round_)) == round_


@pytest.mark.parametrize(
    "text", ["", "s", "s/1", "1/2", "s/x/1", "s/1/x", "s/1/", "s/1/²", "s/1/-2"]
)
def test_other_texts_are_not_rounds(text: str) -> None:
    """The error has the text as it was given, and how a round is written."""
    with pytest.raises(RecordError) as caught:
        Round.parse(text)
    assert caught.value.message == f"{text!r} is not a round"
    assert caught.value.code == "bad-round"
    assert caught.value.hint == "a round is written SESSION/SHOE/COUP, such as a1b2c3/2/14"
