"""The registry of formats, and what each of them escapes."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator
from fractions import Fraction
from html.parser import HTMLParser
from pathlib import Path
from types import SimpleNamespace

import pytest
from tests.cli.calling import Ran, trente

from trente_rules import PluginManager, hookimpl
from trente_rules.cli import output
from trente_rules.core.plugins.hookspecs import Format
from trente_rules.reports.document import (
    Column,
    Folded,
    Grid,
    Items,
    Lines,
    Marked,
    Report,
    Section,
    percent,
)
from trente_rules.reports.formats import FORMATS, data, html, latex, markdown, text

TITLE = "@SUM(1) <i>x</i> | y"
HOSTILE = f"""
[house]
name = "tag"
extends = "campione"
title = "{TITLE} $\\\\input{{a}}$ #1 50% _e_ \\u001b[31m\\u202e"
"""
NAMES = ("text", "markdown", "csv", "json", "html", "latex")


def tsv(report: Report, _width: int | None) -> str:
    """Write the tables of a report with tabs."""
    lines = []
    for table in report.tables():
        lines.append([column.name for column in table.columns])
        lines += [[str(cell) for cell in row] for row in table.rows]
    return "".join("\t".join(line) + "\n" for line in lines)


@pytest.fixture
def with_tsv(monkeypatch: pytest.MonkeyPatch) -> None:
    """Add a plugin that brings one format, as a package of one file does."""

    @hookimpl
    def trente_formats() -> list[Format]:
        return [Format("tsv", tsv, ".tsv")]

    manager = PluginManager()
    manager.register(SimpleNamespace(trente_formats=trente_formats), "stranger:tsv")
    monkeypatch.setattr(output, "default_manager", lambda: manager)


@pytest.mark.usefixtures("with_tsv")
@pytest.mark.parametrize(
    "command",
    [
        ("compare", "campione", "spain-1979"),
        ("compare", "campione", "--against", "spain-1979"),
        ("par", "campione"),
        ("rules", "campione"),
        ("houses",),
        ("show", "campione"),
        ("diff", "campione", "spain-1979"),
    ],
)
def test_a_format_of_a_plugin_serves_every_command(command: tuple[str, ...]) -> None:
    """A6, A13 f: one file, no change to any command."""
    ran = trente(*command, "--format", "tsv")
    assert (ran.status, ran.err) == (0, "")
    assert "\t" in ran.out


@pytest.mark.parametrize("command", ["compare", "par", "rules", "houses", "show", "odds"])
def test_an_unknown_format_is_refused_with_the_list(command: str) -> None:
    """A6: it printed Markdown in silence, exit 0."""
    arguments = () if command in ("compare", "houses", "odds") else ("campione",)
    ran = trente(command, *arguments, "--format", "tsv")
    assert (ran.status, ran.out) == (2, "")
    assert "'tsv'" in ran.err
    assert all(f"'{name}'" in ran.err for name in NAMES)


def test_the_built_in_formats_come_through_the_hook() -> None:
    """A13 f: the registry is that of plugins; their names are reserved."""
    manager = PluginManager(only=())
    assert manager.names("format") == tuple(sorted(NAMES))
    assert [manager.format(one.name) for one in FORMATS] == list(FORMATS)


def test_text_was_called_table() -> None:
    """Command lines of before go on."""
    assert trente("houses", "--format", "table").out == trente("houses").out


# --- Escaping ----------------------------------------------------------------------------------


@pytest.fixture
def hostile(tmp_path: Path) -> str:
    """Write a house whose title acts wherever it is not escaped; answer its path."""
    file = tmp_path / "tag.toml"
    file.write_text(HOSTILE, encoding="utf-8")
    return str(file)


def printed(form: str, house: str) -> Iterator[Ran]:
    """Run every command that prints the title of a house."""
    for command in (
        ("compare", house, "campione"),
        ("compare", "campione", "--against", house),
        ("compare", house, "--against", "campione"),
        ("rules", house),
        ("rules", house, "--language", "fr"),
        ("par", house),
        ("show", house),
        ("diff", "campione", house),
    ):
        ran = trente(*command, "--format", form)
        assert (ran.status, ran.err) == (0, ""), command
        yield ran


def test_markdown_has_no_raw_html(hostile: str) -> None:
    """C18: `compare --against --format markdown` left the tags of a title raw."""
    for ran in printed("markdown", hostile):
        assert "<i>" not in ran.out
        for line in ran.out.splitlines():
            assert re.search(r"(?<!\\)[<>]", line) is None, line
            if line.startswith("|"):
                assert line.endswith("|")
        tables = [line for line in ran.out.splitlines() if line.startswith("|")]
        assert all(r"@SUM(1) \<i\>x\</i\> \| y" in line for line in tables if "SUM" in line)


def test_csv_has_no_formulas(hostile: str) -> None:
    """C18: a cell that begins with = + - or @ has a quote in front, numbers excepted."""
    told = 0
    for ran in printed("csv", hostile):
        for row in csv.reader(io.StringIO(ran.out)):
            for cell in row:
                if cell[:1] in ("=", "+", "-", "@") and cell != "-":
                    float(cell)
                told += cell.startswith("'@SUM")
    assert told >= 3


@pytest.mark.parametrize(
    ("cell", "written"),
    [
        ("=1+1", "'=1+1"), ("+a", "'+a"), ("-a", "'-a"), ("@a", "'@a"), ("\ta", r"\ta"),
        ("-", "-"), ("-5", "-5"), ("+5.5", "+5.5"), ("-1e-9", "-1e-9"), ("a=1", "a=1"), ("", ""),
    ],
)  # fmt: skip
def test_a_quote_goes_before_what_a_spreadsheet_would_run(cell: str, written: str) -> None:
    """C18: words alone; a number with its sign is a number."""
    assert data.escape(cell) == written


class Tags(HTMLParser):
    """The tags of a page."""

    def __init__(self, page: str) -> None:
        """Read a page."""
        super().__init__()
        self.seen: set[str] = set()
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002
        """Note a tag."""
        self.seen.add(tag)


@pytest.mark.slow
def test_html_has_no_tags_of_a_house(hostile: str) -> None:
    """C18: one function for every page."""
    for ran in printed("html", hostile):
        assert "i" not in Tags(ran.out).seen
        assert "\x1b" not in ran.out


def test_latex_has_no_commands_of_a_house(hostile: str) -> None:
    """Marks of LaTeX are letters; every brace is closed."""
    for ran in printed("latex", hostile):
        assert r"\input" not in ran.out
        assert "<" not in ran.out
        assert re.search(r"(?<!\\)[#%_]", ran.out) is None
        bare = re.sub(r"\\[{}]", "", ran.out)
        assert bare.count("{") == bare.count("}")
        assert ran.out.count(r"\begin") == ran.out.count(r"\end")


@pytest.mark.parametrize(
    ("word", "written"),
    [
        (r"a\b{c}", r"a\textbackslash{}b\{c\}"),
        ("5 % & $1 #2 a_b", r"5 \% \& \$1 \#2 a\_b"),
        ("a~b^c", r"a\textasciitilde{}b\textasciicircum{}c"),
        ("<d>|", r"\textless{}d\textgreater{}\textbar{}"),
        ("--against", "-{}-against"),
        ("[1] *", "{[}1] {*}"),
        ("A♠ ± 1", r"A$\spadesuit$ $\pm$ 1"),
    ],
)  # fmt: skip
def test_marks_of_latex(word: str, written: str) -> None:
    """Each character that acts is written as one that does not."""
    assert latex.escape(word) == written


def test_text_does_not_act_on_a_terminal(hostile: str) -> None:
    """No control character of a house reaches the screen, nor turns the direction of a line."""
    for ran in printed("text", hostile):
        assert not set("\x1b\u202e") & set(ran.out)


# --- One report in every format ----------------------------------------------------------------

REPORT = Report(
    "A report",
    (
        "A paragraph.",
        Items(["one", "two"]),
        Lines(()),
        Section(
            "Part",
            (
                Grid(
                    "Figures",
                    ("name", ("edge", ".5%"), ("sd", ".3f"), ("net", "+d"), Column("rule", cut=6)),
                    [
                        ("a", Fraction(1, 90), 0.5, 3, "a long rule"),
                        ("b", None, 1, -3, ""),
                    ],
                ),
            ),
        ),
    ),
    stamp="made by hand",
    page=True,
)


def test_text_of_a_report() -> None:
    """A1 1o: headings underlined, numbers at the right, what is missing a dash, long words cut."""
    assert text.render(REPORT) == (
        "A report\n========\n\nmade by hand\n\nA paragraph.\n\n  - one\n  - two\n\nPart\n----\n\n"
        "Figures\n"
        "name       edge     sd  net  rule\n"
        "a     1.11111 %  0.500   +3  a l...\n"
        "b             -      1   -3\n"
    )


def test_markdown_of_a_report() -> None:
    """A1 1o: numbers at the right, nothing cut."""
    assert markdown.render(REPORT) == (
        "# A report\n\nmade by hand\n\nA paragraph.\n\n- one\n- two\n\n## Part\n\n### Figures\n\n"
        "| name | edge | sd | net | rule |\n| :--- | ---: | ---: | ---: | :--- |\n"
        "| a | 1.11111 % | 0.500 | +3 | a long rule |\n| b | - | 1 | -3 |  |\n"
    )


def test_csv_and_json_of_a_report() -> None:
    """Numbers are numbers, what is missing is empty."""
    assert data.render_csv(REPORT) == (
        f"name,edge,sd,net,rule\na,{float(Fraction(1, 90))},0.5,3,a long rule\nb,,1,-3,\n"
    )
    assert '"stamp": "made by hand"' in data.render_json(REPORT)
    assert data.render_json(Report("", (), data=lambda: {"a": 1})) == '{\n  "a": 1\n}\n'


def test_html_and_latex_of_a_report() -> None:
    """The same parts, the same order."""
    page = html.render(REPORT)
    assert '<td class="number">1.11111 %</td>' in page
    assert page.index('<h2 id="part-1">Part</h2>') < page.index("<h3>Figures</h3>")
    assert latex.render(REPORT).endswith(
        "\\subsection*{Part}\n\n\\paragraph{Figures}\n\n\\begin{tabular}{lrrrl}\n\\hline\n"
        "name & edge & sd & net & rule \\\\\n\\hline\na & 1.11111 \\% & 0.500 & +3 & a long rule"
        " \\\\\nb & - & 1 & -3 &  \\\\\n\\hline\n\\end{tabular}\n"
    )


MARKED = Report(
    "Marked",
    (
        Folded(
            "Edges & more",
            (
                Section(
                    "Inner",
                    (
                        Grid(
                            "",
                            ("house", ("edge", ".4h")),
                            [
                                ("a", Marked(0.01, "good")),
                                ("b", Marked(Fraction(1, 20), "bad")),
                                (Marked("c_", "note"), Marked(None, "note")),
                            ],
                            caption="% of the stake*",
                        ),
                    ),
                ),
            ),
        ),
    ),
)


def test_captions_marks_and_folded_parts_in_markdown() -> None:
    """Emphasis for marks, the caption below its table, folded parts as sections."""
    assert markdown.render(MARKED) == (
        "## Edges \\& more\n\n### Inner\n\n| house | edge |\n| :--- | ---: |\n"
        "| a | **1.0000** |\n| b | **5.0000** |\n| *c\\_* | *-* |\n\n% of the stake\\*\n"
    )


def test_captions_marks_and_folded_parts_in_latex() -> None:
    """Bold for best and worst, sections that LaTeX has."""
    assert latex.render(MARKED).endswith(
        "\\subsection*{Edges \\& more}\n\n\\subsubsection*{Inner}\n\n"
        "\\begin{tabular}{lr}\n\\hline\nhouse & edge \\\\\n\\hline\na & \\textbf{1.0000} \\\\\n"
        "b & \\textbf{5.0000} \\\\\n\\emph{c\\_} & \\emph{-} \\\\\n\\hline\n\\end{tabular}\n\n"
        "\\% of the stake{*}\n"
    )


def test_data_have_no_marks() -> None:
    """CSV and JSON: values as they are; JSON has the caption."""
    assert data.render_csv(MARKED) == "house,edge\na,0.01\nb,0.05\nc_,\n"
    written = json.loads(data.render_json(MARKED))
    (grid,) = written["parts"][0]["parts"][0]["parts"]
    assert grid["rows"] == [["a", 0.01], ["b", 0.05], ["c_", None]]
    assert grid["caption"] == "% of the stake*"


def test_a_terminal_has_its_width_from_the_caller() -> None:
    """The same lines where they fit, in styles; a line a cell only where nothing else fits."""
    fitted = text.render(REPORT, 60)
    assert re.sub(r"\x1b\[[\d;]*m", "", fitted) == text.render(REPORT)
    assert "edge  1.11111 %" in text.render(REPORT, 20)


def test_percent_of_nothing_is_a_dash() -> None:
    """Missing figures are not noughts."""
    assert (percent(None), percent(Fraction(1, 8), ".1")) == ("-", "12.5 %")


def test_a_column_of_hundredths_leaves_the_sign_to_the_title() -> None:
    """U5: a table that says "% of the stake" has no sign in each of its cells."""
    assert Column("edge", ".4h").text(Fraction(1, 80)) == "1.2500"
    assert Column("edge", "+.2h").text(-0.05) == "-5.00"
    assert Column("edge", ".4h").text(None) == "-"
