"""Tables on terminals of every width: numbers stay whole, and so do words where there is room."""

from __future__ import annotations

import re

import pytest
from tests.cli.calling import Terminal, trente

EDGES = ("1.10786 %", "1.21437 %", "1.24423 %", "0.949364")
POLICY = "free/refait: prison, prison/refait: prison"


def longest_line(out: str) -> int:
    """Return the length of the longest line, styles left out."""
    return max(map(len, re.sub(r"\x1b\[[0-9;]*m", "", out).splitlines()))


@pytest.mark.parametrize("columns", [20, 60, 80, 100, 120, 140, 200])
def test_no_number_is_broken_on_a_terminal(monkeypatch: pytest.MonkeyPatch, columns: int) -> None:
    """Each advantage stands in one piece, however narrow the terminal."""
    monkeypatch.setenv("COLUMNS", str(columns))
    ran = trente("compare", "france-2007", "--chance", "rouge", out=Terminal())
    assert ran.status == 0
    for edge in EDGES:
        assert edge in ran.out


@pytest.mark.parametrize("columns", [120, 140, 200])
def test_a_drawn_table_keeps_within_the_terminal(
    monkeypatch: pytest.MonkeyPatch, columns: int
) -> None:
    """Where the numbers fit, the table is drawn, and no line is longer than the terminal."""
    monkeypatch.setenv("COLUMNS", str(columns))
    out = trente("compare", "france-2007", "--chance", "rouge", out=Terminal()).out
    assert "─" in out
    assert longest_line(out) <= columns


def test_a_terminal_too_narrow_has_a_line_for_each_cell(monkeypatch: pytest.MonkeyPatch) -> None:
    """At 80 columns the advantages are not drawn: the name of the column, and the cell, whole."""
    monkeypatch.setenv("COLUMNS", "80")
    lines = trente("compare", "france-2007", "--chance", "rouge", out=Terminal()).out.splitlines()
    assert f"policy        {POLICY}" in lines
    assert "edge          1.10786 %" in lines
    assert not any("─" in line for line in lines)


def test_long_keys_are_broken_before_a_table_of_words_is_given_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The deviations of a house fit 80 columns, keys folded."""
    monkeypatch.setenv("COLUMNS", "80")
    out = trente("compare", "campione", "--against", "france-2007", out=Terminal()).out
    assert "─" in out
    assert longest_line(out) <= 80
