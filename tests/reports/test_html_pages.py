"""Pages of reports: contents, tables, what is folded; and in a browser, small and large."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import pytest
from tests.cli.calling import trente
from tests.web.tools import chromium, missing, node_modules

from trente_rules.reports.document import (
    Column,
    Figure,
    Folded,
    Grid,
    Items,
    Marked,
    Part,
    Report,
    Section,
)
from trente_rules.reports.formats.html import SCRIPT, render

FINGERPRINT: Final = f"f1:{'0123456789abcdef' * 4}"
FRACTION: Final = f"{'12345678' * 8}/{'98765432' * 8}"
HOUSES: Final = Grid(
    "Houses",
    ("house", ("edge", ".4h"), "fingerprint"),
    [
        ("france", Marked(0.010946, "good"), FINGERPRINT),
        ("spa", Marked(0.054727, "bad"), FINGERPRINT.replace("0", "9")),
        ("none", None, None),
        ("monte-carlo", 0.009123, ""),
    ],
    caption="In per cent of the stake.",
)


def page(*parts: Part, language: str = "en") -> str:
    """Return a page of these parts."""
    return render(Report("A <report>", parts, stamp=f"of {FINGERPRINT}", language=language))


def test_contents_where_there_are_three_headings() -> None:
    """U53: a link to each heading of the upper level; a short page has none."""
    sections = [Section(f"Part & {number}", (Grid("Inner", ("a",), [("b",)]),)) for number in "123"]
    written = page(*sections)
    assert '<nav aria-labelledby="contents"><h2 id="contents">Contents</h2>' in written
    for number in (1, 2, 3):
        assert f'<a href="#part-{number}">Part &amp; {number}</a>' in written
        assert f'<h2 id="part-{number}">Part &amp; {number}</h2>' in written
    assert "Inner</a>" not in written
    assert "<nav" not in page(*sections[:2])
    assert ">Sommaire</h2>" in page(*sections, language="fr")


def test_a_table_has_a_caption_and_scopes() -> None:
    """U53: `scope` on every th, a caption in every table, a name for the box that scrolls."""
    written = page(HOUSES, Section("Rules", (Grid("", ("key", "value"), [("a", "b")]),)))
    assert written.count("<th ") == written.count('<th scope="') == 3 + 4 + 2 + 1
    assert written.count("<caption>") == written.count("<table>") == 2
    assert "<caption><div>In per cent of the stake.</div></caption>" in written
    assert '<caption><span class="unseen">Rules</span></caption>' in written
    assert '<div class="wide" role="group" tabindex="0" aria-label="Houses">' in written
    assert '<td class="number good">1.0946</td>' in written
    assert '<td class="number bad">5.4727</td>' in written


def test_long_numbers_are_folded() -> None:
    """U52, U53: 12 digits of a fingerprint, the ends of a fraction; the whole is in the page."""
    written = page(HOUSES, f"Refait q = {FRACTION}.", Items([f"exact: {FRACTION}"]))
    folded = (
        f'<details class="whole"><summary>f1:0123456789ab…</summary>{FINGERPRINT}</details>',
        f'<details class="whole"><summary>123456…/987654…</summary>{FRACTION}</details>',
    )
    assert written.count(folded[0]) == 2
    assert f'<div class="text">Refait q = {folded[1]}.</div>' in written
    assert f"<li>exact: {folded[1]}</li>" in written


def test_folded_parts_open_on_request() -> None:
    """A part that is folded is a `<details>`; the contents leave it out."""
    written = page(Folded("All <policies>", ("Words.", HOUSES)))
    assert "<details><summary>All &lt;policies&gt;</summary>\n<p>Words.</p>" in written
    assert "<h3>Houses</h3>" in written
    assert f"<td>{FINGERPRINT}</td>" in written


def test_a_figure_has_its_form_for_a_phone() -> None:
    """U52: two forms, of which the style shows one; one alone scrolls in its box."""
    both = page(Figure("Edges", lambda: "<svg>1</svg>", lambda: "<svg>2</svg>"))
    assert '<div class="broad"><svg>1</svg></div>\n<div class="narrow"><svg>2</svg></div>' in both
    assert '<div class="wide alone"' in page(Figure("Edges", lambda: "<svg></svg>"))


def test_only_the_script_of_every_page_runs() -> None:
    """A house can add none: one script, the same bytes."""
    written = page(Section("</script><script>alert(1)</script>", ("<script>alert(1)</script>",)))
    assert written.count("<script") == written.count(f"<script>{SCRIPT}</script>") == 1


# --- In a browser ------------------------------------------------------------------------------

PHONE, TABLET, DESKTOP = (390, 844), (820, 1180), (1280, 800)


@contextmanager
def opened(file: Path, size: tuple[int, int], scheme: str) -> Iterator[Any]:
    """Open a page in Chromium; whatever its console says fails the test."""
    try:
        from playwright.sync_api import sync_playwright  # noqa: PLC0415 - of the tests in a browser
    except ImportError:
        missing("playwright is not installed", "TRENTE_BROWSER")
        raise
    width, height = size
    said: list[str] = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=["--no-sandbox"])
        shown = browser.new_page(
            viewport={"width": width, "height": height},
            color_scheme="dark" if scheme == "dark" else "light",
        )
        shown.on("console", lambda message: said.append(message.text))
        shown.on("pageerror", lambda error: said.append(str(error)))
        shown.goto(file.as_uri())
        yield shown
        browser.close()
    assert said == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "size", "scheme"),
    [
        (("compare", "france-2007", "german-spas-1840", "campione"), PHONE, "dark"),
        (("compare", "france-2007", "german-spas-1840", "campione"), DESKTOP, "light"),
        (("par", "france-2007"), PHONE, "light"),
        (("par", "france-2007"), TABLET, "dark"),
        (("rules", "campione"), PHONE, "dark"),
        (("odds",), DESKTOP, "light"),
    ],
)
def test_axe_finds_nothing_and_nothing_runs_over_the_side(
    tmp_path: Path, command: tuple[str, ...], size: tuple[int, int], scheme: str
) -> None:
    """U52, U53: contrast, names, order of headings; only boxes scroll from side to side."""
    axe = (node_modules() / "axe-core" / "axe.min.js").read_text("utf-8")
    file = tmp_path / "page.html"
    assert trente(*command, "--out", file).status == 0
    with opened(file, size, scheme) as shown:
        assert shown.evaluate("document.documentElement.scrollWidth") == size[0]
        papers = {"light": "rgb(255, 255, 255)", "dark": "rgb(22, 25, 29)"}
        paper = shown.evaluate("getComputedStyle(document.body).backgroundColor")
        assert paper == papers[scheme]
        shown.evaluate(axe)
        found = shown.evaluate("axe.run().then(({violations}) => violations.map(({id}) => id))")
        assert found == []


@pytest.mark.slow
def test_a_table_is_sorted_by_mouse_and_keyboard(tmp_path: Path) -> None:
    """U53: numbers as numbers, words as words, what is missing last; the third time as it was."""
    file = tmp_path / "page.html"
    file.write_text(page(HOUSES), "utf-8")
    rows = "[...document.querySelectorAll('tbody tr')].map((row) => row.cells[0].textContent)"
    with opened(file, DESKTOP, "light") as shown:
        edge = shown.get_by_role("button", name="edge")
        sort = "document.querySelectorAll('thead th')[1].getAttribute('aria-sort')"
        edge.click()
        assert shown.evaluate(rows) == ["monte-carlo", "france", "spa", "none"]
        assert shown.evaluate(sort) == "ascending"
        edge.press("Enter")
        assert shown.evaluate(rows) == ["spa", "france", "monte-carlo", "none"]
        assert shown.evaluate(sort) == "descending"
        edge.press("Space")
        assert shown.evaluate(rows) == ["france", "spa", "none", "monte-carlo"]
        assert shown.evaluate(sort) is None
        shown.get_by_role("button", name="house").click()
        assert shown.evaluate(rows) == ["france", "monte-carlo", "none", "spa"]


def test_rows_that_belong_together_are_not_sorted() -> None:
    """A key and those that change with it stay neighbours: the script leaves such tables alone."""
    rows = [("refait.levels", 1), ("  with refait.close", None), ("refait.last", 2)]
    assert '<table class="fixed">' in page(Grid("Changes", ("key", "change"), rows, sorts=False))
    assert "<table>" in page(Grid("Changes", ("key", "change"), rows))
    assert "table:not(.fixed)" in SCRIPT


def test_a_column_without_a_name_has_no_heading() -> None:
    """There is nothing to sort by, and no heading without words; its cells are as others."""
    written = page(Grid("", ("", Column("", ".1f")), [("a", 1.0)]))
    assert "<thead><tr><td></td><td></td></tr></thead>" in written
    assert '<th scope="row">a</th><td class="number">1.0</td>' in written


@pytest.mark.slow
def test_the_answer_of_compare_is_whole_on_a_desktop(tmp_path: Path) -> None:
    """U53: its last column was cut off by a few pixels, though its words could be wrapped."""
    file = tmp_path / "page.html"
    assert trente("compare", "--out", file).status == 0
    with opened(file, DESKTOP, "light") as shown:
        box = "document.querySelector('.wide')"
        assert shown.evaluate(f"{box}.scrollWidth - {box}.clientWidth") == 0
