"""Tables on terminals of every width: a line a row, and what does not fit is left out by name."""

from __future__ import annotations

import re
from itertools import product

import pytest
from tests.cli.calling import Terminal, trente

from trente_rules.reports.document import Column, Grid, Marked, Report
from trente_rules.reports.formats import text

WIDTHS = (60, 80, 120, 200)
STYLE = re.compile(r"\x1b\[[0-9;]*m")
REPORTS = (
    ("compare",),
    ("compare", "campione", "--against", "france-2007"),
    ("diff", "france-2007", "campione"),
    ("houses",),
    ("odds",),
    ("par", "france-2007"),
    ("plugins",),
    ("rules", "campione"),
    ("show", "campione"),
    ("monitor", "examples/taille.toml"),
)


def drawn(grid: Grid, width: int | None) -> list[str]:
    """Return the lines of a report of one table, without styles."""
    return STYLE.sub("", text.render(Report("", (grid,)), width)).splitlines()


@pytest.mark.slow
@pytest.mark.parametrize(("command", "columns"), [*product(REPORTS, WIDTHS)], ids=str)
def test_no_line_is_longer_than_the_terminal(
    monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...], columns: int
) -> None:
    """U5, U8, U45: every report at 60, 80, 120, 200; a word longer than the line stays whole."""
    monkeypatch.setenv("COLUMNS", str(columns))
    ran = trente(*command, out=Terminal())
    assert ran.out
    lines = STYLE.sub("", ran.out).splitlines()
    assert [line for line in lines if len(line) > columns and " " in line.strip(" -")] == []
    assert [line for line in lines if line.endswith(" ")] == []


EDGES = Grid(
    "Edges",
    (
        "house",
        ("edge", ".5%"),
        Column("sd", ".6f", rank=2),
        Column("per resolved", ".5%", rank=1),
        Column("per decided", ".5%", rank=2),
        "a refait",
    ),
    [
        ("france-2007", 0.0110786, 0.949364, 0.0121437, 0.0124423, "half or prison"),
        ("spa", Marked(0.0578963, "bad"), 1, None, None, "any tie: half or prison"),
    ],
    caption="Figures are nominal.",
)


def test_a_table_is_plain_columns_two_blanks_apart() -> None:
    """Sketch 1: the same in a pipe and on a terminal where it fits."""
    plain = [
        "Edges",
        "house             edge        sd  per resolved  per decided  a refait",
        "france-2007  1.10786 %  0.949364     1.21437 %    1.24423 %  half or prison",
        "spa          5.78963 %         1             -            -  any tie: half or prison",
        "Figures are nominal.",
    ]
    assert drawn(EDGES, None) == drawn(EDGES, 84) == drawn(EDGES, 200) == plain


def test_headings_wrap_before_a_column_is_left_out() -> None:
    """A heading is not worth a column: 80 columns, every row on one line."""
    assert drawn(EDGES, 80) == [
        "Edges",
        "                                        per        per",
        "house             edge        sd   resolved    decided  a refait",
        "france-2007  1.10786 %  0.949364  1.21437 %  1.24423 %  half or prison",
        "spa          5.78963 %         1          -          -  any tie: half or prison",
        "Figures are nominal.",
    ]


@pytest.mark.parametrize(
    ("columns", "left_out"),
    [(70, "per decided"), (60, "sd, per decided"), (50, "sd, per resolved, per decided")],
)
def test_columns_of_the_greatest_rank_are_left_out_by_name(columns: int, left_out: str) -> None:
    """U5 d: from the right among equals; one line says which."""
    lines = drawn(EDGES, columns)
    told = f"left out, too narrow: {left_out} (a wider terminal, or --format csv)"
    assert " ".join(lines).endswith(f"Figures are nominal. {told}")
    (row,) = (line for line in lines if line.startswith("france-2007  1.10786 %"))
    assert row.endswith("half or prison")
    assert all(len(line) <= columns for line in lines)


def test_words_that_are_long_wrap_before_a_column_is_left_out() -> None:
    """Sketch 2: between words, numbers in the first line of the row."""
    grid = Grid(
        "", ("house", "rule", ("n", "d")), [("a", "half or prison, again: the half of that", 5)]
    )
    assert drawn(grid, 44) == [
        "house  rule                                n",
        "a      half or prison, again: the half of  5",
        "       that",
    ]


def test_long_words_are_broken_behind_a_sign_before_a_table_is_given_up() -> None:
    """U5: `shoe.marker.from_en / d`."""
    grid = Grid("", ("key", "old", "new"), [("shoe.marker.from_end", "nearest", "farthest")])
    assert drawn(grid, 37) == [
        "key                 old      new",
        "shoe.marker.from_   nearest  farthest",
        "end",
    ]


def test_only_below_its_columns_of_rank_0_is_a_row_stacked() -> None:
    """A line for each cell where even the columns that stay do not fit."""
    assert any(line.startswith("house   ") for line in drawn(EDGES, 30))
    assert drawn(EDGES, 29) == [
        "Edges",
        *("house         france-2007", "edge          1.10786 %", "sd            0.949364"),
        *("per resolved  1.21437 %", "per decided   1.24423 %", "a refait      half or prison"),
        "",
        *("house         spa", "edge          5.78963 %", "sd            1"),
        *("per resolved  -", "per decided   -", "a refait      any tie: half"),
        "              or prison",
        "Figures are nominal.",
    ]


@pytest.mark.parametrize("columns", range(1, 90))
def test_a_number_is_never_broken(columns: int) -> None:
    """U5: at any width each number is in one piece."""
    lines = drawn(EDGES, columns)
    for number in ("1.10786 %", "5.78963 %"):
        assert any(number in line for line in lines)


def test_a_table_without_headings_has_no_line_for_them() -> None:
    """Keys and values need no head."""
    grid = Grid("", ("", ""), [("cards", "312"), ("packs", "6")])
    assert drawn(grid, None) == drawn(grid, 80) == ["cards  312", "packs  6"]


def test_wide_letters_take_two_cells() -> None:
    """Columns stay straight below letters of East Asia."""
    grid = Grid("", ("house", "n"), [("東京", "1"), ("abcd", "2")])
    assert drawn(grid, None) == ["house  n", "東京   1", "abcd   2"]


def test_colours_and_bold_letters_are_for_terminals() -> None:
    """U6: best and worst in colour; the words are the same without."""
    with_styles = text.render(Report("", (EDGES,)), 120)
    assert "\x1b[1mhouse\x1b[0m" in with_styles
    assert "\x1b[1;38;5;196m5.78963 %\x1b[0m" in with_styles
    assert "\x1b" not in text.render(Report("", (EDGES,)))
    assert STYLE.sub("", with_styles) == text.render(Report("", (EDGES,)))


@pytest.mark.parametrize(("name", "value"), [("NO_COLOR", "1"), ("TERM", "dumb")])
def test_no_style_where_the_terminal_wants_none(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    """NO_COLOR and a terminal without colours: plain text, fitted."""
    monkeypatch.setenv("COLUMNS", "80")
    assert "\x1b[1m" in trente("houses", out=Terminal()).out
    monkeypatch.setenv(name, value)
    assert "\x1b" not in trente("houses", out=Terminal()).out
