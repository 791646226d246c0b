"""``trente compare --plot`` and ``--format html``: files and pages that stand alone."""

from __future__ import annotations

import sys
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from tests.cli.calling import trente

from trente_rules import __version__, load_house
from trente_rules.core import default_manager
from trente_rules.reports.formats.html import SCRIPT

pytestmark = pytest.mark.slow

SVG = "{http://www.w3.org/2000/svg}"
VOID = ("meta", "br", "link", "img", "input", "hr")


class Page(HTMLParser):
    """An HTML page read strictly: what it refers to, its texts, and tags that are left open."""

    def __init__(self, text: str) -> None:
        """Read a page."""
        super().__init__()
        self.open: list[str] = []
        self.references: list[str] = []
        self.tags: set[str] = set()
        self.cells: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note a tag and what its attributes refer to."""
        self.tags.add(tag)
        if tag not in VOID:
            self.open.append(tag)
        for name, value in attrs:
            if name in ("src", "href", "xlink:href", "action", "data", "srcset"):
                self.references.append(value or "")
            elif "url(" in (value or ""):
                self.references.append((value or "").partition("url(")[2])

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note a tag that closes itself."""
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        """Close the tag that was opened last."""
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        """Keep what is read."""
        self.cells.append(data)


def svg_texts(path: Path) -> list[str]:
    """Return the letters of an SVG file."""
    return [e.text or "" for e in ET.parse(path).getroot().iter(f"{SVG}text")]  # noqa: S314


def test_the_plot_has_a_line_for_each_house(tmp_path: Path) -> None:
    """Each shipped house once, the cheapest first, the plays in the legend (U51)."""
    path = tmp_path / "all.svg"
    ran = trente("compare", "--plot", path)
    assert (ran.status, ran.err) == (0, f"{path} written\n")
    assert ran.out == trente("compare").out
    written = svg_texts(path)
    names = [text for text in written if text in default_manager().names("house")]
    assert sorted(names) == sorted(default_manager().names("house"))
    heads = [line.partition("  ")[0] for line in ran.out.splitlines()]
    assert names == [name for name in heads if name in names]
    for play in ("default", "partage", "insured"):
        assert play in written
    assert not any("free/" in text or "any-apres" in text for text in written)


def test_a_chance_that_is_asked_for_is_drawn(tmp_path: Path) -> None:
    """A side bet is drawn where it is named; houses that do not take it are not."""
    path = tmp_path / "side.svg"
    trente("compare", "--plot", path, "--chance", "any-apres", "france-2007", "venezia-online")
    written = svg_texts(path)
    assert "venezia-online" in written
    assert "Bank's edge on any-apres" in written
    assert "france-2007" not in written


@pytest.mark.parametrize("name", ["a.svg", "a.png"])
def test_a_plot_has_the_same_bytes_each_time(tmp_path: Path, name: str) -> None:
    """Drawn twice, nothing differs; the second replaces the first."""
    path = tmp_path / name
    kept = []
    for _time in range(2):
        assert trente("compare", "france-2007", "hoyle-19c", "--plot", path).status == 0
        kept.append(path.read_bytes())
    assert kept[0] == kept[1]
    assert kept[0].startswith(b"<?xml" if name == "a.svg" else b"\x89PNG\r\n\x1a\n")


def test_the_base_is_drawn_with_the_others(tmp_path: Path) -> None:
    """Against a base, the plot has the base and the others, the cheapest first."""
    path = tmp_path / "against.svg"
    trente("compare", "--against", "hoyle-19c", "france-2007", "--plot", path)
    houses = [text for text in svg_texts(path) if text in ("hoyle-19c", "france-2007")]
    assert houses == ["france-2007", "hoyle-19c"]


@pytest.mark.parametrize("options", [(), ("--against", "france-2007"), ("--stake", "20")])
def test_the_page_stands_alone(options: tuple[str, ...]) -> None:
    """Every tag is closed, nothing outside is referred to, nothing runs but what sorts tables."""
    ran = trente("compare", "--format", "html", *options)
    assert (ran.status, ran.err) == (0, "")
    page = Page(ran.out)
    assert page.open == []
    assert page.references
    assert all(reference.startswith("#") for reference in page.references)
    assert not page.tags & {"link", "img", "iframe", "object"}
    assert ran.out.count("<script") == ran.out.count(f"<script>{SCRIPT}</script>") == 1
    assert "@import" not in ran.out
    assert {"svg", "table", "title"} <= page.tags


def test_the_page_says_what_it_rests_on_and_how_it_is_made() -> None:
    """Version, command, basis, fingerprints, and each figure of the table."""
    arguments = ("--format", "html", "--deal", "infinite", "france-2007", "italian-program")
    ran = trente("compare", *arguments)
    page = "".join(Page(ran.out).cells)
    assert f"trente-rules {__version__}. Generated by: trente compare" in page
    assert "--deal infinite --format html france-2007 italian-program" in page
    assert "Every house deals from an infinite pack." in page
    assert "They are nominal" in page
    for house in ("france-2007", "italian-program"):
        assert load_house(house).fingerprint in page
    table = trente("compare", *arguments[2:]).out
    for cell in table.split():
        if cell.replace(".", "").isdigit():
            assert cell in page
    assert trente("compare", *arguments).out == ran.out


def test_what_a_house_wrote_is_escaped(tmp_path: Path) -> None:
    """A title cannot bring a script into the page, nor a name into the plot."""
    file = tmp_path / "evil.toml"
    file.write_text(
        '[house]\nname = "evil"\nextends = "france-2007"\n'
        'title = "</td><script>alert(1)</script>{{ 7*7 }} \\"\'&"\n',
        "utf-8",
    )
    out = trente("compare", "--format", "html", "--against", "france-2007", file).out
    page = Page(out)
    assert out.count("<script") == 1
    assert any("</td><script>alert(1)</script>{{ 7*7 }}" in cell for cell in page.cells)


@pytest.mark.parametrize(
    ("name", "told"),
    [("a.pdf", "'.pdf'"), ("a", "suffix"), ("missing/a.svg", "cannot be written")],
)
def test_a_plot_that_cannot_be_written(tmp_path: Path, name: str, told: str) -> None:
    """Misuse, told before anything is printed."""
    ran = trente("compare", "france-2007", "--plot", tmp_path / name)
    assert (ran.status, ran.out) == (2, "")
    assert told in ran.err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("library", "options"),
    [
        ("matplotlib", ("--plot", "a.svg")),
        ("matplotlib", ("--format", "html")),
    ],
)
def test_without_the_extra(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, library: str, options: tuple[str, str]
) -> None:
    """The sentence names the library and has the line that installs it; tables need neither."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, library, None)
    ran = trente("compare", "france-2007", *options)
    assert (ran.status, ran.out) == (2, "")
    assert library in ran.err
    assert 'pip install "trente-rules[report]"' in ran.err
    assert trente("compare", "france-2007", "--against", "hoyle-19c").status == 0


def test_nothing_to_draw(tmp_path: Path) -> None:
    """A stake that could not be settled has no figures: no plot, and a page without one."""
    file, path = tmp_path / "exact.toml", tmp_path / "a.svg"
    file.write_text(
        '[house]\nname = "exact"\nextends = "italy-half-loss"\n'
        '[money]\nunit = "1"\nrounding = "refuse"\n',
        "utf-8",
    )
    ran = trente("compare", file, "--stake", "1", "--plot", path)
    assert (ran.status, ran.out) == (2, "")
    assert "no house has a wager to draw" in ran.err
    assert not path.exists()
    page = trente("compare", file, "--stake", "1", "--format", "html")
    assert page.status == 0
    assert "svg" not in Page(page.out).tags
