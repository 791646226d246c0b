"""The site: every page is in its contents, begins well, and is found from the README."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any, Final

import pytest
import reference
from tests.docs.test_documents import anchors

from trente_rules.core.house.schema import ADDRESS, house_schema

ROOT: Final = Path(__file__).parents[2]
DOCS: Final = ROOT / "docs"
SITE: Final = "https://trente-rules.readthedocs.io/en/stable/"
PROJECT: Final[dict[str, Any]] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
_BLOCK: Final = re.MULTILINE | re.DOTALL
CAPTIONS: Final = ["Start", "How to", "Explanation", "Reference", "About"]
PAGES: Final = sorted(DOCS.glob("*.md"))
PUBLISHED: Final = {"house.schema.json", "search.html", "genindex.html"}
"""Files of the site that are not a page of this folder."""
of_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)


def contents(page: Path) -> dict[str, list[str]]:
    """Return the pages in the contents of a page, by their captions."""
    found: dict[str, list[str]] = {}
    for block in re.findall(r"^```\{toctree\}\n(.*?)^```$", page.read_text("utf-8"), _BLOCK):
        caption = re.search(r"^:caption: (.+)$", block, re.MULTILINE)
        names = [line for line in block.splitlines() if line and not line.startswith(":")]
        found[caption[1] if caption else ""] = names
    return found


def test_every_page_is_in_the_contents() -> None:
    """Each page is listed once, and what is listed is a page."""
    listed = [name for page in PAGES for names in contents(page).values() for name in names]
    assert len(set(listed)) == len(listed)
    assert {*listed, "index"} == {page.stem for page in PAGES}


def test_the_contents_are_by_kind() -> None:
    """U33: start, how to, explanation, reference, about: in that order, none of them empty."""
    found = contents(DOCS / "index.md")
    assert list(found) == CAPTIONS
    assert all(found.values())
    assert found["Start"][0] == "game"
    assert {"game", "first-hour"} <= set(found["Start"])
    assert [page.stem for page in PAGES if page.stem.startswith("how-to-")] == sorted(
        name for name in found["How to"] if name.startswith("how-to-")
    )


@of_page
def test_a_page_says_first_what_the_reader_gets(page: Path) -> None:
    """One title, then a paragraph of words, neither a line only nor a wall."""
    text = page.read_text("utf-8")
    blocks = text.split("\n\n")
    assert re.fullmatch(r"# \S.*", blocks[0])
    plain = re.sub(r"^(`{3,}).*?^\1$", "", text, flags=_BLOCK)
    assert len(re.findall(r"^# ", plain, re.MULTILINE)) == 1
    assert re.match(r"[A-Z`\[]", blocks[1]), blocks[1]
    assert 60 <= len(" ".join(blocks[1].split())) <= 700, blocks[1]


def targets(text: str) -> list[str]:
    """Return the targets of links and pictures of a Markdown text."""
    plain = re.sub(r"^(`{3,}).*?^\1$", "", text, flags=_BLOCK)
    return re.findall(r"\]\(([^)\s]+)\)", plain) + re.findall(r'(?:src|href)="([^"]+)"', plain)


def fault_of(target: str) -> str:
    """Return what is wrong with a link of the README, or an empty string."""
    if not target.startswith(SITE):
        return "" if target.startswith(("https://", "#")) else "not absolute"
    name, _, anchor = target.removeprefix(SITE).partition("#")
    if name.startswith("images/"):
        return "" if (DOCS / name).is_file() else "no such picture"
    if name in PUBLISHED:
        return ""
    page = DOCS / f"{name.removesuffix('.html') or 'index'}.md"
    if not page.is_file() or (name and not name.endswith(".html")):
        return "no such page"
    if not anchor:
        return ""
    text = reference.whole(page.read_text("utf-8"))
    marked = set(re.findall(r"^\(([\w-]+)\)=$", text, re.MULTILINE))
    return "" if anchor in anchors(page) | marked else "no such heading"


@pytest.mark.parametrize("page", [ROOT / "README.md", *PAGES], ids=lambda page: page.stem)
def test_links_to_the_site_lead_somewhere(page: Path) -> None:
    """U27: an address of the site is a page of docs/, with the heading, or a picture."""
    found = {each: fault_of(each) for each in targets(page.read_text("utf-8")) if SITE in each}
    assert {target: fault for target, fault in found.items() if fault} == {}


def test_every_link_of_the_readme_is_absolute() -> None:
    """U27: the package index has no checkout next to its page: no link or picture is relative."""
    found = {each: fault_of(each) for each in targets((ROOT / "README.md").read_text("utf-8"))}
    assert {target: fault for target, fault in found.items() if fault} == {}
    assert f"{SITE}game.html" in found
    assert sum(target.startswith(f"{SITE}images/") for target in found) > 0


@pytest.mark.parametrize(
    ("target", "fault"),
    [
        ("docs/table.md", "not absolute"),
        (f"{SITE}table.html", ""),
        (f"{SITE}table.md", "no such page"),
        (f"{SITE}tables.html", "no such page"),
        (f"{SITE}wire.html#versions", ""),
        (f"{SITE}wire.html#version", "no such heading"),
        (f"{SITE}commands.html#command-compare", ""),
        (f"{SITE}images/play-table-80x24.svg", ""),
        (f"{SITE}images/play-table.svg", "no such picture"),
        (f"{SITE}house.schema.json", ""),
        (SITE, ""),
    ],
)
def test_a_dead_link_is_seen(target: str, fault: str) -> None:
    """The check of links sees a missing page, heading or picture, and a path of a checkout."""
    assert fault_of(target) == fault


def test_the_package_index_links_to_the_site() -> None:
    """U27: documentation and changelog have addresses, and those of the site are pages."""
    urls = PROJECT["project"]["urls"]
    assert {"Documentation", "Changelog"} <= urls.keys()
    assert urls["Documentation"] == SITE
    assert [url for url in urls.values() if fault_of(url)] == []


def test_the_published_schema_is_at_the_address_that_files_name() -> None:
    """The ``$id`` of the schema, and the line in written house files, are its place on the site."""
    assert f"{SITE}house.schema.json" == ADDRESS == house_schema(reference.PLUGINS)["$id"]


def test_documents_are_in_the_source_distribution() -> None:
    """Pages, their configuration and what makes them go into the sdist; the wheel has none."""
    targets_of_build = PROJECT["tool"]["hatch"]["build"]["targets"]
    assert {"/docs", "/tools", "/.readthedocs.yaml"} <= set(targets_of_build["sdist"]["include"])
    assert not any("docs" in folder for folder in targets_of_build["wheel"]["packages"])


def test_one_build_everywhere() -> None:
    """The site is built by one command, on one configuration, with warnings as errors."""
    made = (ROOT / "Makefile").read_text("utf-8")
    assert re.search(r"sphinx -b html .*-W .*docs build/docs", made)
    assert re.search(r"^\.PHONY:(.*\\\n)*.*\bdocs\b", made, re.MULTILINE)  # a folder is called so
    assert "step documents make docs" in (ROOT / ".ci/run").read_text("utf-8")
    hosted = (ROOT / ".readthedocs.yaml").read_text("utf-8")
    assert "configuration: docs/conf.py" in hosted
    assert "fail_on_warning: true" in hosted
    assert {"include-group": "docs"} in PROJECT["dependency-groups"]["dev"]


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ('<script src="_static/a.js">', 0),
        ('<script src="https://cdn.example/a.js">', 1),
        ('<link rel="stylesheet" href="//fonts.example/a.css">', 1),
        ('<link rel="canonical" href="https://trente-rules.readthedocs.io/">', 0),
        ('<a href="https://keepachangelog.com/">', 0),
        ("@font-face { src: url(https://fonts.example/a.woff2) }", 1),
    ],
)
def test_what_is_loaded_from_elsewhere_is_seen(text: str, count: int, tmp_path: Path) -> None:
    """A page or style of the built site that loads from another site is named, a link is not."""
    (tmp_path / "page.html").write_text(text, "utf-8")
    assert len(reference.loaded_from_elsewhere(tmp_path)) == count


GUIDES: Final = [DOCS / "first-hour.md", *sorted(DOCS.glob("how-to-*.md"))]


@pytest.mark.parametrize("page", GUIDES, ids=lambda page: page.stem)
def test_a_guide_writes_what_its_commands_read(page: Path) -> None:
    """A reader in an empty folder has each file, or is shown where it is (U33)."""
    text = page.read_text("utf-8")
    commands = re.findall(r"^(?:\$ )?trente (.+)$", text, re.MULTILINE)
    read = {word for line in commands for word in line.split() if word.endswith(".toml")}
    written = set(re.findall(r"^```.*\n# (\S+\.toml)$", text, re.MULTILINE))
    written |= set(re.findall(r"--out (\S+\.toml)", text))
    if any(name.startswith("examples/") for name in read):
        assert "(examples.md)" in text
    assert {name for name in read - written if not name.startswith("examples/")} == set()


@pytest.mark.parametrize("page", GUIDES, ids=lambda page: page.stem)
def test_a_package_of_a_guide_is_whole_when_it_is_built(page: Path) -> None:
    """A project says what builds it and which files: a catalogue is not left out (U33)."""
    for block in re.findall(r"^```\w+\n(.*?)^```$", page.read_text("utf-8"), _BLOCK):
        if "[project.entry-points" in block:
            assert tomllib.loads(block).keys() == {"build-system", "project", "tool"}
