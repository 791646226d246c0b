"""README: what a reader who comes new finds on its one page, in the order in which it is needed."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from trente_rules import ROUGE, Stake, load_house, loads_house, refusals
from trente_rules.odds import advantage, fresh_shoe

ROOT: Final = Path(__file__).parents[2]
README: Final = (ROOT / "README.md").read_text("utf-8")
LINES: Final = README.splitlines()


def section(heading: str) -> str:
    """Return the text under a heading."""
    return README.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]


def test_the_readme_is_one_page() -> None:
    """U29: about a hundred lines, with a picture and the game before anything else."""
    assert len(LINES) <= 125
    before = README.partition("\n## ")[0]
    assert "![" in before
    assert "**The game in four sentences.**" in before


def test_install_comes_first_and_from_the_index() -> None:
    """U28: before anything is tried: how to install, and how to play without installing."""
    headings = re.findall(r"^## (.+)$", README, re.MULTILINE)
    assert headings[0] == "Install"
    commands = re.findall(r"^\$ (\S.*?)(?:  +#.*)?$", section("Install"), re.MULTILINE)
    assert commands == [
        "pip install trente-rules",
        'pip install "trente-rules[play,fast]"',
        'uvx --from "trente-rules[play]" trente play',
    ]


def test_a_refait_is_explained_where_it_first_appears() -> None:
    """U32: the word has its meaning in the same sentence, and a link to the page on the game."""
    first = next(line for line in LINES if "refait" in line)
    assert "except at 31 to 31: that is the *refait*, and it costs you" in first
    assert "stable/game.html" in README.partition("\n## ")[0]


def test_the_best_house_without_insurance_is_named() -> None:
    """The comparison names it: the house whose uninsured edge is the least of all."""
    named = re.search(r"Best without insurance: ([\w-]+)\.", section("Try it"))
    assert named
    house = load_house(named[1])
    wagers = advantage(house, fresh_shoe(house.shoe.packs), chances=["rouge"]).wagers
    assert min(wager.edge for wager in wagers) == 0


def test_a_minimum_is_written_in_the_house_that_is_shown() -> None:
    """A reader who looks for the minimum finds its line, and the line is what it says."""
    found = re.search(r"```toml\n(.*?)```", section("Your own house"), re.DOTALL)
    assert found
    line = next(line for line in found[1].splitlines() if line.startswith("minimum"))
    assert "the least stake" in line
    house = loads_house(found[1])
    bets = [Stake("s1", "ann", ROUGE, units) for units in (4_00, 5_00)]
    codes = [[refusal.code for refusal in refusals(house, [bet])] for bet in bets]
    assert codes == [["below-minimum"], []]
