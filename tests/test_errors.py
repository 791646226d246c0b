"""Errors: data, words, pickling."""

from __future__ import annotations

import pickle

import pytest

from trente_rules import (
    BetError,
    CardError,
    ConfigurationError,
    Fault,
    PluginError,
    Refusal,
    RuleError,
    TrenteError,
)

FAULT = Fault("house.toml", 3, 7, "money.unit", "wrong-type", "2.5 is a decimal number", "write 2")
ERRORS = [
    TrenteError("a message", "a-code", "a hint"),
    ConfigurationError.of(FAULT),
    ConfigurationError.of(FAULT, FAULT, more=3),
    RuleError("a message", "a-code", "", "refait.levels"),
    CardError("a message", "a-code", missing=("A♠",)),
    BetError("a message", "a-code", "", "a1", (Refusal("x", "y", "a1"),)),
    PluginError("a message", "a-code", "", "package:entry"),
]


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
def test_errors_survive_pickling_whole(error: TrenteError) -> None:
    """An error crosses a process border with every field."""
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is type(error)
    assert vars(again) == vars(error)
    assert str(again) == str(error)


def test_a_fault_is_one_line_with_its_place() -> None:
    """file:line:column: key: message (hint) [code]."""
    expected = "house.toml:3:7: money.unit: 2.5 is a decimal number (write 2) [wrong-type]"
    assert str(FAULT) == expected


def test_a_fault_without_a_place_leaves_it_out() -> None:
    """No line and no column where none can be named."""
    assert str(Fault("x", None, None, "", "file-missing", "gone")) == "x: gone [file-missing]"


def test_several_faults_are_listed() -> None:
    """Every fault has its line, and those left out are counted."""
    text = str(ConfigurationError.of(FAULT, FAULT, more=3))
    assert text.count("money.unit") == 2
    assert text.endswith("and 3 more faults")
