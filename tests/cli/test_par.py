"""``trente par``: every house in every format, the JSON, the page that stands alone, misuse."""

from __future__ import annotations

import builtins
import re
from fractions import Fraction
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from tests.chosen import by_day
from tests.cli.calling import Terminal, trente
from tests.properties.shipped import names

from trente_rules import load_house
from trente_rules.reports.formats.html import SCRIPT

pytestmark = pytest.mark.slow

Q = "45590155731957200269313958556759358571122564966802626914292869/"
NAMES = names()
DRAWN = {"france-2007", "venezia-online", "wilhelmsbad-1840"}
"""Houses of three kinds, whose pages are drawn at every change; the others at night."""
VOID = {"meta", "link", "br", "hr", "img"}


class Reader(HTMLParser):
    """Checks that elements are closed in order, and keeps what refers to something."""

    def __init__(self) -> None:
        """Begin with nothing read."""
        super().__init__()
        self.opened: list[str] = []
        self.tags: list[str] = []
        self.ids: list[str] = []
        self.references: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Open an element."""
        self.tags.append(tag)
        if tag not in VOID:
            self.opened.append(tag)
        for name, value in attrs:
            if name == "id":
                self.ids.append(str(value))
            if name in {"src", "href", "xlink:href", "srcset", "action", "data"}:
                self.references.append(str(value))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Open and close an element."""
        self.handle_starttag(tag, attrs)
        if self.opened and self.opened[-1] == tag:
            self.opened.pop()

    def handle_endtag(self, tag: str) -> None:
        """Close the element that was opened last."""
        assert self.opened.pop() == tag


@pytest.mark.parametrize("name", NAMES)
def test_every_house_has_a_sheet_in_every_format(name: str) -> None:
    """Text, Markdown and JSON hold the fingerprint and the command of the house."""
    house = load_house(name)
    rans = {form: trente("par", name, "--format", form) for form in ("table", "markdown", "json")}
    for ran in rans.values():
        assert ran.status == 0, ran.err
        assert house.fingerprint in ran.out
        assert ran.err == ""
    told = rans["json"].json
    assert told["house"] == name
    assert told["command"] == f"trente par {name} --format json"
    assert {wager["chance"] for wager in told["wagers"]} == {c.id for c in house.chances}


@pytest.mark.parametrize("name", by_day(DRAWN, NAMES))
def test_every_house_has_a_page_that_stands_alone(name: str) -> None:
    """The page parses, has its three figures in two forms, and refers to nothing outside itself."""
    pytest.importorskip("matplotlib")
    ran = trente("par", name, "--format", "html")
    assert ran.status == 0, ran.err
    reader = Reader()
    reader.feed(ran.out)
    reader.close()
    assert reader.opened == []
    assert reader.tags.count("svg") == 2 * reader.tags.count("figcaption") == 6
    assert len(reader.ids) == len(set(reader.ids))
    assert all(re.fullmatch(r"#.+", reference) for reference in reader.references)
    assert {reference[1:] for reference in reader.references} <= set(reader.ids)
    assert not re.search(r"url\((?!#)|@import|<link|<img", ran.out)
    assert ran.out.count("<script") == ran.out.count(f"<script>{SCRIPT}</script>") == 1
    assert load_house(name).fingerprint in ran.out


def test_what_a_house_wrote_is_escaped_on_the_page(tmp_path: Path) -> None:
    """A title with marks of HTML is a title, and no element."""
    pytest.importorskip("matplotlib")
    file = tmp_path / "house.toml"
    file.write_text(
        '[house]\nname = "x"\ntitle = "<script>&"\nextends = "italy-half-loss"\n', "utf-8"
    )
    ran = trente("par", file, "--format", "html")
    assert ran.status == 0, ran.err
    assert ran.out.count("<script") == 1
    assert "&lt;script&gt;&amp;" in ran.out


def test_the_json_keeps_its_keys() -> None:
    """Fractions are text, decimals numbers, and each entry names basis and deal."""
    told = trente("par", "monte-carlo-1911", "--format", "json", "--stake", "7").json
    assert list(told) == [
        *("house", "title", "fingerprint", "version", "command", "deal", "z", "unit"),
        *("rounding", "points", "refait", "other_ties", "chances", "wagers", "limits"),
        *("stakes", "tailles", "removal"),
    ]
    lists = ("points", "chances", "wagers", "stakes", "tailles")
    for entry in (told["refait"], told["other_ties"], *(e for name in lists for e in told[name])):
        assert entry["basis"]
        assert entry["deal"]
    assert told["refait"]["q_exact"].startswith(Q)
    for entry in told["wagers"]:
        for name in [key.removesuffix("_exact") for key in entry if key.endswith("_exact")]:
            exact = entry[f"{name}_exact"]
            assert entry[name] == (None if exact is None else float(Fraction(exact)))
        # The least premium of 5 F moves the figure of an insured stake, and of no other.
        assert (entry["edge_at_smallest"] is not None) is entry["insured"]
        assert [band["coups"] for band in entry["bands"]] == [10**n for n in range(3, 10)]
    assert told["limits"] == {"minimum": 20_00, "maximum": 12_000_00}
    (asked,) = [stake for stake in told["stakes"] if stake["named"] == ["asked"]]
    assert (asked["units"], asked["taken"]) == (7_00, False)
    assert asked["refused"][0]["code"] == "below-minimum"
    assert told["tailles"][0]["fewest"] == 25


def test_the_documented_keys_are_those_that_are_printed() -> None:
    """docs/cli.md names each key of an entry."""
    page = Path(__file__).parents[2] / "docs" / "cli.md"
    section = page.read_text("utf-8").split("## par\n")[1].split("\n## ")[0]
    told = trente("par", "france-2007", "--format", "json").json
    keys = set(told)
    for name in ("points", "chances", "wagers", "stakes", "tailles"):
        keys |= {key for entry in told[name] for key in entry}
    for key in keys:
        plain = key.removesuffix("_exact").removesuffix("_error")
        assert f"`{plain}`" in section or f'"{plain}"' in section, key


def test_a_warning_stands_where_rounding_moves_the_advantage(tmp_path: Path) -> None:
    """Half-loss at one unit: 2.19 % instead of 1.09 %."""
    file = tmp_path / "whole.toml"
    file.write_text('[house]\nname = "x"\nextends = "italy-half-loss"\n[money]\nunit = "1"\n')
    out = trente("par", file).out
    unwrapped = " ".join(out.split())
    assert "Warning: a stake of 1 EUR on all 4 simple (no choice)" in unwrapped
    assert "make the edge 2.18914 % instead of 1.09457 %" in unwrapped


def test_options_are_told_in_the_command() -> None:
    """The stamp has the options that were given, and no others."""
    ran = trente("par", "france-2007", "--z", "2.576", "--deal", "8-packs", "--stake", "50")
    assert ran.status == 0
    told = " ".join(ran.out.split())
    assert "trente par france-2007 --deal 8-packs --stake 50 --z 2.576" in told
    assert "z = 2.576" in told
    assert "8 packs, first coup of a fresh full shoe" in told


@pytest.mark.parametrize(
    ("arguments", "status", "told"),
    [
        (("nowhere",), 2, "'nowhere'"),
        (("france-2007", "--stake", "0"), 2, "a stake of 0"),
        (("france-2007", "--stake", "many"), 2, "'many' is not an amount"),
        (("france-2007", "--stake", "-5"), 2, "'-5' is not an amount"),
        (("france-2007", "--stake", "9" * 20), 2, "is not an amount"),
        (("france-2007", "--stake", "2.505"), 2, "is not a multiple of"),
        (("france-2007", "--z", "3"), 2, "'3' is not one of"),
        (("france-2007", "--deal", "9-packs"), 2, "'9-packs' is not a deal"),
        (("france-2007", "--format", "pdf"), 2, "'pdf' is not one of"),
        ((), 2, "HOUSE"),
    ],
)
def test_bad_input_is_told_of(arguments: tuple[str, ...], status: int, told: str) -> None:
    """A sentence with the bad value, nothing printed, exit status 1 or 2."""
    ran = trente("par", *arguments)
    assert ran.status == status
    assert told in ran.err
    assert ran.out == ""
    assert "Traceback" not in ran.err


def test_a_page_without_the_extra_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without matplotlib the other formats work, and html names the extra."""
    original = builtins.__import__

    def without(name: str, *rest: Any, **named: Any) -> Any:
        if name.partition(".")[0] == "matplotlib":
            raise ImportError(f"No module named {name!r}")
        return original(name, *rest, **named)

    monkeypatch.setattr(builtins, "__import__", without)
    ran = trente("par", "france-2007", "--format", "html")
    assert ran.status == 2
    assert "trente-rules[report]" in ran.err
    assert ran.out == ""
    for form in ("table", "json", "markdown"):
        assert trente("par", "france-2007", "--format", form).status == 0


@pytest.mark.parametrize("columns", [60, 80, 120, 200])
def test_the_sheet_fits_a_terminal(columns: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """U8, U45: no line but a fraction is longer than the terminal, and tables stay tables."""
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setenv("PAGER", "cat")
    out = trente("par", "monte-carlo-1911", out=Terminal()).out
    lines = re.sub(r"\x1b\[[0-9;]*m", "", out).splitlines()
    assert [line for line in lines if len(line) > columns and " " in line.strip(" -")] == []
    assert any(line.split()[:2] == ["wager", "best"] for line in lines)
    assert any(line.startswith("20 FRF (minimum)") for line in lines)


def test_the_edges_are_drawn_into_a_file(tmp_path: Path) -> None:
    """U55: par has --plot; a file that no figure can be is misuse before anything is computed."""
    pytest.importorskip("matplotlib")
    ran = trente("par", "italy-half-loss", "--plot", tmp_path / "edges.svg", "--format", "json")
    assert ran.status == 0, ran.err
    assert "<svg" in (tmp_path / "edges.svg").read_text("utf-8")
    assert trente("par", "italy-half-loss", "--plot", tmp_path / "edges.doc").status == 2
