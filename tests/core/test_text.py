"""Texts of strangers: what is hidden is shown as its escape, everywhere a text may be shown."""

from __future__ import annotations

import json
import re
import tomllib
from unicodedata import category

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from trente_rules.core.errors import BetError, ConfigurationError, Fault, RecordError, shown
from trente_rules.core.text import (
    MOST_MARKS,
    hides,
    json_text,
    printable,
    printable_lines,
    to_error,
    with_error,
)
from trente_rules.core.toml import inline, written
from trente_rules.reports.document import Grid, Items, Lines, Report, Section
from trente_rules.reports.formats import FORMATS

FORBIDDEN = {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"}
HIDDEN = st.sampled_from("\n\r\t\x00\x1b\x7f\x85\x9b\xad\u061c\u200b\u2028\u202e\u2067\ufeff\ue000")
OWN_STYLES = re.compile(r"\x1b\[[01]m")
"""Bold heads on a terminal. A text that brought a style would differ from its printable form."""
ODD = st.text(st.one_of(st.characters(), HIDDEN, st.sampled_from("\u0301\u0303=|<&\\'\"%_[é♠")))


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("rouge et noir", "rouge et noir"),
        ("Trente-et-Quarante à 1 %, A♠ 日本 €", "Trente-et-Quarante à 1 %, A♠ 日本 €"),
        ("12\u202f500\xa0EUR", "12\u202f500\xa0EUR"),
        ("eve\r\nnow: bets", r"eve\r\nnow: bets"),
        ("\t\0\x07\x7f", r"\t\x00\x07\x7f"),
        ("eve\x1b[2K", r"eve\x1b[2K"),
        ("eve\x9b31m", r"eve\x9b31m"),
        ("eve\u2067dna", r"eve\u2067dna"),
        ("eve\u200b", r"eve\u200b"),
        ("eve\u2028x", r"eve\u2028x"),
        ("eve\U000e0001\U000e0065", r"eve\U000e0001\U000e0065"),
        ("eve\ufe0f\u3164\u2800", r"eve\ufe0f\u3164\u2800"),
        ("half \udc9b", r"half \udc9b"),
        ("\ufeff\ufffe\ufdd0", r"\ufeff\ufffe\ufdd0"),
        ("e\u0301te\u0301", "e\u0301te\u0301"),
        ("\u0301a", r"\u0301a"),
        ("a" + "\u0301" * 7, "a" + "\u0301" * MOST_MARKS + r"\u0301\u0301\u0301"),
        ("\u0903a\u0903", "\\u0903a\u0903"),
        (r"C:\new", r"C:\new"),
    ],
)
def test_hidden_characters_are_shown_as_escapes(text: str, seen: str) -> None:
    """S4, C12: the escapes are those that faults show; letters of all scripts stay."""
    assert printable(text) == seen


@given(ODD)
def test_nothing_shown_acts(text: str) -> None:
    """S4: one line, no control, format, private or half character; shown twice is shown once."""
    seen = printable(text)
    assert not {category(one) for one in seen} & FORBIDDEN
    assert len(seen.splitlines()) <= 1
    assert printable(seen) == seen
    marks = 0
    for one in seen:
        marks = marks + 1 if category(one).startswith("M") else 0
        assert marks <= MOST_MARKS


@given(ODD)
def test_errors_are_lines_that_can_be_printed(text: str) -> None:
    """S4: the key in front of a message too; a text of a stranger makes no line of its own."""
    fault = Fault(text, 1, None, text, "bad", text, text)
    one = ConfigurationError.of(fault)
    two = ConfigurationError.of(fault, fault, more=3)
    record = RecordError(two.message, "bad", "", text, two.faults)
    for error, lines in ((BetError(text, "bad", text), 1), (one, 1), (two, 3), (record, 3)):
        assert str(error) == printable_lines(str(error))
        assert str(error).count("\n") == lines - 1
    assert printable(shown(text)) == shown(text)
    assert printable(shown({text: [text]})) == shown({text: [text]})


@given(ODD)
def test_json_and_toml_are_read_as_they_were(text: str) -> None:
    """S4: hidden characters are escapes of the format, so that the value is the same."""
    assert json.loads(json_text({text: 1, "k": text}))["k"] == text
    assert not hides(json_text({"k": text}))
    if not any("\ud800" <= one <= "\udfff" for one in text):  # TOML has none
        assert tomllib.loads(written({"k": text}))["k"] == text
        assert tomllib.loads(f"k = {inline({text: [text]})}")["k"] == {text: [text]}
        assert not hides(written({"k": text, text: 1}))


@given(ODD)
@example(" \n")
def test_every_format_shows_a_text_of_a_stranger_as_it_shows_another(text: str) -> None:
    """S4, C12, S20: as many lines as with a plain text, nothing hidden, no mark that acts."""

    def report(word: str) -> Report:
        table = Grid(word, (word, ("n", "d")), [(word, 1), (word, word)])
        parts = (word, Items([word, word]), Lines([word]), table, Section(word, [table]))
        return Report(word, parts, word, (word,), page=True)

    text = text or "x"
    seen = printable(text)
    for form in FORMATS:
        plain = form.render(report("x"), None)
        for width in (60, None):
            made = form.render(report(text), width)
            assert isinstance(made, str)
            assert isinstance(plain, str)
            assert not hides(OWN_STYLES.sub("", made) if form.name == "text" else made)
            if form.name != "json":
                assert made == form.render(report(seen), width)
            if form.name == "markdown":
                for line in made.splitlines():
                    cells = line.replace("\\\\", "").replace(r"\|", "")
                    assert cells.count("|") in (0, 3)
                    assert "<" not in cells.replace(r"\<", "")
            if form.name == "html":
                assert made.count("<") == plain.count("<")


@pytest.mark.parametrize(
    ("value", "error", "written"),
    [
        (0.0869388, 0.0000469, "0.086939 +- 0.000047"),
        (29.02267, 0.000117, "29.02267 +- 0.00012"),
        (7524.3, 834.1, "7,520 +- 830"),
        (0.5, 0.0996, "0.50 +- 0.10"),
        (-2.0, 9.96, "-2 +- 10"),
        (1.25, 0.0, "1.250000 +- 0.000000"),
    ],
)
def test_a_figure_has_two_digits_of_its_error(value: float, error: float, written: str) -> None:
    """M10: an error is never printed as zero unless it is."""
    assert with_error(value, error) == written
    assert to_error(value, error) == written.partition(" ")[0]


@pytest.mark.parametrize(
    ("first", "last"),
    [
        *((0x034F, 0x034F), (0x115F, 0x1160), (0x17B4, 0x17B5), (0x180B, 0x180F)),
        *((0x2800, 0x2800), (0x3164, 0x3164), (0xFE00, 0xFE0F), (0xFFA0, 0xFFA0)),
        *((0xFDD0, 0xFDEF), (0xFFF0, 0xFFF8), (0xE0000, 0xE0FFF)),
    ],
)
def test_what_has_no_ink_is_hidden_and_its_neighbours_are_not(first: int, last: int) -> None:
    """S4: the default-ignorable fillers and selectors of Unicode, from the first to the last."""
    for code in (first, last):
        assert hides(f"a{chr(code)}")
        assert printable(f"a{chr(code)}") == "a" + ascii(chr(code))[1:-1]
    shown = {first - 1, last + 1} - {0xFFF9, 0xDFFFF}  # one a control, one no character
    for code in shown:
        assert printable(f"a{chr(code)}") == f"a{chr(code)}"
