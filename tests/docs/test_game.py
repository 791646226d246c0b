"""The page on the game: its figures, its pictures, its glossary, its words in other languages."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final
from xml.etree import ElementTree as ET

import pytest

from trente_rules import load_house
from trente_rules.odds import advantage, fresh_shoe
from trente_rules.odds.coup_odds import odds_of

DOCS: Final = Path(__file__).parents[2] / "docs"
PAGE: Final = (DOCS / "game.md").read_text("utf-8")
CATALOGUES: Final = DOCS.parent / "src/trente_rules/core/rules/languages"
IMAGES: Final = re.findall(r"!\[(.*?)\]\((images/.*?)\)", PAGE, re.DOTALL)
TERMS: Final = (
    *("house", "edge, the bank's edge", "best, default, worst play", "shoe", "taille", "coup"),
    *("row", "point", "chance", "stake", "wager", "après", "refait", "partage", "prison"),
    *("insured", "marker", "talon", "burned", "returned, won, lost, staying", "unit", "policy"),
    *("course", "record", "permanence", "journal", "snapshot"),
)
"""The words that the style sheet fixes."""
LANGUAGES: Final = ("fr", "it", "es", "de")


def rows(heading: str) -> list[list[str]]:
    """Return the rows of the table under a heading, its head left out."""
    section = PAGE.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines[2:]]


def test_the_glossary_has_every_word_of_the_style_sheet_in_order() -> None:
    """U32: a word of the game is explained in one place."""
    words = [row[0].strip("*") for row in rows("Glossary")]
    assert set(TERMS) <= set(words)
    assert words == sorted(words, key=lambda word: word.casefold().replace("è", "e"))


def test_words_of_other_languages_are_those_of_the_catalogues() -> None:
    """Each word of the table is one that the catalogue of its language uses."""
    texts = {}
    for code in LANGUAGES:
        texts[code] = (CATALOGUES / f"{code}.toml").read_text("utf-8").casefold()
    table = rows("In other languages")
    assert len(table) > 20
    for row in table:
        assert len(row) == 1 + len(LANGUAGES)
        for code, word in zip(LANGUAGES, row[1:], strict=True):
            assert word.casefold() in texts[code], (code, word)


def test_how_often_rows_tie_is_computed() -> None:
    """The frequencies on the page are those of the first coup of six fresh packs."""
    house = load_house("france-2007")
    odds = fresh_shoe(house.shoe.packs)
    chance = house.chance("rouge")
    found = dict(zip((v.id for v in chance.verdicts), odds.verdicts(chance.table), strict=True))
    apres, refait, win = (float(found[name]) for name in ("apres", "refait", "win"))
    assert f"{apres:.2%}".replace("%", " %") in PAGE
    assert f"{refait:.2%}".replace("%", " %") + f" of coups, one in {1 / refait:.0f}" in PAGE
    assert f"{win:.2%}".replace("%", " %") in PAGE


def test_what_a_refait_costs_is_computed() -> None:
    """The edges of the four usual rules are those of the houses that the page names."""
    table = rows("What a refait costs")
    assert len(table) == 4
    for _rule, _effect, edge, name in table:
        house = load_house(name.strip("`"))
        wagers = advantage(house, odds_of("own", house.shoe.packs), chances=["rouge"]).wagers
        edges = sorted(float(wager.edge) for wager in wagers if not wager.insured)
        shown = dict.fromkeys(f"{edge * 100:.2f}" for edge in (edges[0], edges[-1]))
        assert edge == " to ".join(shown) + " %"


@pytest.mark.parametrize(("words", "file"), IMAGES, ids=lambda each: each.partition("/")[2])
def test_every_picture_is_described(words: str, file: str) -> None:
    """A picture has words for those who do not see it, on the page and in itself."""
    assert len(words) > 20
    root = ET.fromstring((DOCS / file).read_text("utf-8"))  # noqa: S314 - a picture of our own
    assert root.findtext("{http://www.w3.org/2000/svg}title")


def test_the_page_has_its_pictures() -> None:
    """U32: the tableau, a coup, a refait, a taille, a score card and the machine of a stake."""
    names = {Path(file).stem for _words, file in IMAGES}
    assert {"tableau", "coup", "refait", "taille", "score-card"} <= names
    assert sum(name.startswith("machine-") for name in names) >= 3
