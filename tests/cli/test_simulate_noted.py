"""``trente simulate --permanence`` and ``--results``: a system over your own coups."""

from __future__ import annotations

import re
from importlib.util import find_spec
from pathlib import Path
from typing import Final

import pytest
from tests.cli.calling import Terminal, trente

EXAMPLES: Final = Path(__file__).parents[2] / "examples"
THREE: Final = "35 32 n\n33 38 n\n31 36 r\n"
MARTINGALE: Final = ("--system", "martingale", "--chance", "noir")


@pytest.fixture
def noted(tmp_path: Path) -> Path:
    """Write the three coups of the finding."""
    file = tmp_path / "p.txt"
    file.write_text(THREE, "utf-8")
    return file


@pytest.mark.parametrize("amount", ["--unit", "--stake"])
def test_a_martingale_over_a_permanence(noted: Path, amount: str) -> None:
    """C24: stakes 10 lost, 20 won, 10 won; net +20, which is printed first."""
    ran = trente(
        *("simulate", "foster-1897", *MARTINGALE, amount, "10", "--permanence", noted),
    )
    retired = "warning: --unit is deprecated and will be removed in 1.0.0: use --stake\n"
    assert (ran.status, ran.err) == (0, retired if amount == "--unit" else "")
    lines = [line.split() for line in ran.out.splitlines()]
    total = next(line for line in lines if line[:1] == ["martingale"] and len(line) > 1)
    assert total[1:6] == ["20.00", "3", "2", "1", "40.00"]
    coups = [line for line in lines if line and re.fullmatch(r"1\.\d", line[0])]
    assert [line[-5:] for line in coups] == [
        ["lose", "10.00", "-10.00", "-10.00", "20.00"],
        ["win", "20.00", "+20.00", "+10.00", "10.00"],
        ["win", "10.00", "+10.00", "+20.00", "10.00"],
    ]


def test_results_give_the_same_lines(noted: Path) -> None:
    """C24: results as text; JSON has every line, in units."""
    base = ("simulate", "foster-1897", *MARTINGALE, "--stake", "10", "--format", "json")
    one = trente(*base, "--permanence", noted).json
    two = trente(*base, "--results", "L W W").json
    assert one["sources"] == [str(noted)]
    assert two["sources"] == ["--results"]
    first, second = one["systems"][0], two["systems"][0]
    assert (first["net"], first["staked"], first["currency"]) == (20, 40, "USD")
    assert first["bankroll"] is None
    assert [line["stake"] for line in first["lines"]] == [10, 20, 10]
    assert [line["next_stake"] for line in first["lines"]] == [20, 10, 10]
    for line in (*first["lines"], *second["lines"]):
        line.pop("noted")
    assert first == second


def test_several_systems_are_side_by_side(noted: Path) -> None:
    """C24: stakes and nets coup by coup; each by itself with --full; CSV a line a coup."""
    words = (
        *("simulate", "foster-1897", *MARTINGALE, "--system", "d'alembert", "--stake", "10"),
        *("--permanence", noted),
    )
    ran = trente(*words)
    assert "The stake of each system, and its running net" in ran.out
    line = next(line for line in ran.out.splitlines() if line.startswith("1.2"))
    assert line.split() == ["1.2", "33", "38", "n", "20.00", "+10.00", "20.00", "+10.00"]
    assert ran.out.count("verdict") == 0
    assert trente(*words, "--full").out.count("verdict") == 2
    if find_spec("matplotlib"):
        page = trente(*words, "--format", "html").out
        assert "<svg" in page  # U55
        assert "The running net at foster-1897" in page
    head, *rows = trente(*words, "--format", "csv").out.splitlines()
    assert head.startswith("house,system,taille,coup,noted,chance,verdict,stake")
    assert len(rows) == 6


def test_the_house_is_the_one_of_the_permanence(tmp_path: Path) -> None:
    """The example names France; ``--house`` and HOUSE are the same; without any, the default."""
    example = EXAMPLES / "permanence.txt"
    words = ("simulate", "--system", "flat", "--format", "json", "--permanence")
    assert trente(*words, example).json["systems"][0]["house"] == "france-2007"
    named = trente(*words, example, "--house", "campione").json["systems"][0]
    assert named["house"] == "campione"
    assert trente("simulate", "campione", *words[1:], example).json["systems"][0] == named
    file = tmp_path / "p.txt"
    file.write_text(THREE, "utf-8")
    assert trente(*words, file).json["systems"][0]["house"] == "france-2007"
    several = trente(*words, file, "--permanence", example).json["systems"][0]
    assert several["coups"] == 10
    assert {line["taille"] for line in several["lines"]} == {1, 2, 3}


def test_a_record_is_played_too() -> None:
    """A record has the coups that a player would have noted."""
    words = ("simulate", "--system", "flat", "--permanence", EXAMPLES / "taille.toml")
    assert trente(*words).status == 0


def test_dots_gaps_and_prisons_are_explained(tmp_path: Path) -> None:
    """C25: a line that was missed has no stake, and a sentence; a prisoner is named."""
    file = tmp_path / "p.txt"
    file.write_text("N C\n? ?\nR I\nX\n", "utf-8")
    ran = trente("simulate", "--system", "martingale", "--stake", "10", "--permanence", file)
    assert "martingale: 1 coup has no verdict for its bet" in ran.out
    assert "martingale: 10 EUR still in prison, counted as the player's" in ran.out
    assert "refait, prison" in ran.out
    file.write_text("X\n? ?\n", "utf-8")
    stopped = trente("simulate", "--system", "flat", "--permanence", file)
    assert "flat stops after 1 coup: the stake in prison met coup 2 of taille 1" in " ".join(
        stopped.out.split()
    )
    poor = trente(
        *("simulate", "--system", "martingale", "--results", "L L L", "--stake", "10"),
        *("--bankroll", "30"),
    )
    assert "the next bet costs 40 EUR, and 0 EUR are left" in poor.out


def test_a_taille_that_no_packs_can_deal_is_rejected(tmp_path: Path) -> None:
    """C25: with the file, the line, and what may be missing; a card is drawn with a warning."""
    file = tmp_path / "long.txt"
    file.write_text("39 38 n\n" * 40, "utf-8")
    ran = trente("simulate", "--system", "flat", "--permanence", file)
    assert ran.status != 0
    assert f"{file}:27: coup 27 of taille 1: 6 packs have 2,040 points" in ran.err
    assert "is a line -- missing above?" in ran.err
    card = trente("card", file)
    assert card.status == 0
    assert "warning: " in card.err
    assert "27" in card.err


@pytest.mark.parametrize("columns", [60, 80, 120, 200])
@pytest.mark.parametrize("count", [1, 2, 4])
def test_it_fits_the_terminal(monkeypatch: pytest.MonkeyPatch, columns: int, count: int) -> None:
    """No line is longer than the terminal; a line a coup."""
    monkeypatch.setenv("COLUMNS", str(columns))
    names = ("martingale", "reverse-labouchere", "montant-et-demontant", "fitzroy")[:count]
    systems = [word for name in names for word in ("--system", name)]
    example = EXAMPLES / "permanence.txt"
    ran = trente("simulate", *systems, "--stake", "10", "--permanence", example, out=Terminal())
    plain = re.sub(r"\x1b\[[0-9;]*m", "", ran.out).splitlines()
    assert max(map(len, plain)) <= columns
    assert sum(bool(re.match(r"\d\.\d ", line)) for line in plain) == 7


def test_a_system_is_shown_by_its_own_name() -> None:
    """C16: typed on a telephone, found, and printed as every other report prints it."""
    words = (
        "simulate",
        "foster-1897",
        "--system",
        "D\u2019Alembert{chance='noir'}",
        "--results",
        "L W",
    )
    ran = trente(*words, "--format", "json")
    assert ran.status == 0
    assert "d'alembert{chance='noir'}" in ran.out
    assert "D\u2019Alembert" not in ran.out


def test_no_results_are_a_wrong_call() -> None:
    """An empty text is not a missing option."""
    ran = trente("simulate", *MARTINGALE, "--results", " ")
    assert (ran.status, ran.out) == (2, "")
    assert "--results: no result (example: --results 'L W W')" in ran.err
