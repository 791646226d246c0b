"""``trente compare`` on terminals: one screen at 80 columns, a line for each house at any width."""

from __future__ import annotations

import re

import pytest
from tests.cli.calling import Terminal, trente

from trente_rules.core import default_manager

pytestmark = pytest.mark.slow

WIDTHS = (60, 80, 120, 200)
STYLE = re.compile(r"\x1b\[[0-9;]*m")
NAMES = default_manager().names("house")


def screen(monkeypatch: pytest.MonkeyPatch, columns: int, *arguments: str) -> list[str]:
    """Return the lines of ``compare`` on a terminal so wide, without styles."""
    monkeypatch.setenv("COLUMNS", str(columns))
    ran = trente("compare", *arguments, out=Terminal())
    assert ran.status == 0
    return STYLE.sub("", ran.out).splitlines()


def test_all_houses_are_one_screen_of_80_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    """At most 45 lines, none longer than 80, with every play and what a refait does (U5)."""
    lines = screen(monkeypatch, 80)
    assert len(lines) <= 45
    assert max(map(len, lines)) <= 80
    (head,) = (line for line in lines if line.startswith("house "))
    assert head.split("  ")[-1] == "a refait"
    assert all(play in head for play in ("partage", "prison", "default", "insured*"))


@pytest.mark.parametrize("columns", WIDTHS)
def test_each_house_is_one_line(monkeypatch: pytest.MonkeyPatch, columns: int) -> None:
    """Never a line for each cell: columns are left out from the right (U5)."""
    lines = screen(monkeypatch, columns)
    for name in NAMES:
        (line,) = (line for line in lines if line.startswith(f"{name}  "))
        assert re.search(r"\d\.\d{4}", line)
    assert max(map(len, lines)) <= columns


@pytest.mark.parametrize("columns", WIDTHS)
def test_four_houses_are_columns(monkeypatch: pytest.MonkeyPatch, columns: int) -> None:
    """The edges of a few houses, side by side, with words that wrap in their cells (sketch 2)."""
    names = ("france-2007", "italian-program", "italy-half-loss")
    lines = screen(monkeypatch, columns, *names)
    assert max(map(len, lines)) <= columns
    row = next(line.split() for line in lines if line.startswith("default "))
    assert row == ["default", "1.1079", "2.1891", "1.0946"]
    row = next(line.split() for line in lines if line.startswith("insured* "))
    assert row == ["insured*", "1.0000", "1.0000", "1.0000"]
    assert any(line.startswith("marker ") for line in lines)


def test_the_best_and_the_worst_house_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """By word and by colour (U6): the first question of a player."""
    text = " ".join(screen(monkeypatch, 80))
    assert "Best without insurance: wilhelmsbad-1840. Worst: german-spas-1840." in text
    monkeypatch.setenv("COLUMNS", "80")
    styled = trente("compare", out=Terminal()).out.splitlines()
    (best,) = (line for line in styled if "wilhelmsbad-1840" in line and "does nothing" in line)
    (worst,) = (line for line in styled if "german-spas-1840" in line and "5.4727" in line)
    assert STYLE.search(best)
    assert STYLE.search(worst)
    assert STYLE.findall(best)[0] != STYLE.findall(worst)[0]


def test_wide_screens_show_rules_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    """From 120 columns on the deal, at 200 what a further refait does, in words (sketch 1)."""
    assert any("3 packs" in line for line in screen(monkeypatch, 120))
    assert any("next prison; in the last: loses" in line for line in screen(monkeypatch, 200))


def test_what_the_insured_figure_holds_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """The stake it holds from, and what it is at a small one (U4)."""
    text = " ".join(" ".join(screen(monkeypatch, 80)).split())
    assert "monte-carlo-1911 from 500 FRF (22.81 % at 20 FRF)" in text
    assert "germany-500 for multiples of 500 EUR (50.00 % at 10 EUR)" in text
    at = " ".join(screen(monkeypatch, 80, "--stake", "100", "monte-carlo-1911"))
    assert "% of the stake of 100" in at
    assert "insured  " in at
    assert "5.0000" not in at
    assert "4.5615" in at


def test_side_bets_are_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """From the least edge to the greatest; as rows where one is asked for (U6)."""
    lines = screen(monkeypatch, 80)
    assert "Side bets (casinoespresso, venezia-online): 1.36 to 89.46 %." in " ".join(lines)
    assert not any("exact-apres" in line for line in lines)
    rows = screen(monkeypatch, 80, "--chance", "any-apres")
    assert "Bank's edge on any-apres, % of the stake" in rows[0]
    assert [line.split()[:2] for line in rows if line.startswith("venezia-online ")] == [
        ["venezia-online", "1.3610"]
    ]
