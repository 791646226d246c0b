"""``trente rules``: the rules of a house in words."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

import pytest
import tomli_w
from tests.cli.calling import trente

from trente_rules import load_house
from trente_rules.core import default_manager

OPENINGS = {"text": "Règles du trente", "markdown": "# Règles du", "html": "<!DOCTYPE html>"}


@pytest.mark.parametrize("form", OPENINGS)
def test_the_rules_in_each_format(form: str) -> None:
    """Each format begins as such, holds the fingerprint, and says nothing to standard error."""
    ran = trente("rules", "france-2007", "--language", "fr", "--format", form)
    assert (ran.status, ran.err) == (0, "")
    assert ran.out.startswith(OPENINGS[form])
    assert load_house("france-2007").fingerprint in ran.out


@pytest.mark.parametrize("language", default_manager().names("language"))
def test_the_rules_in_each_language_hold_the_exact_odds(language: str) -> None:
    """The refait of six packs, and both ends of the advantage, with the mark of the language."""
    ran = trente("rules", "france-2007", "--language", language)
    assert default_manager().language(language).sentence("rulebook.sections.odds") in ran.out
    decimal = default_manager().language(language).sentence("rulebook.decimal")
    for figure in ("2.18914 %", "1.09457 %", "1.10786 %"):
        assert figure.replace(".", decimal) in ran.out


def test_english_text_is_the_default() -> None:
    """Without options the rules are plain English."""
    ran = trente("rules", "hoyle-19c")
    assert ran.out == trente("rules", "hoyle-19c", "--language", "en", "--format", "text").out
    assert "The row with the lower point wins." in ran.out


def test_a_file_of_ones_own_is_told(tmp_path: Path) -> None:
    """A file's house is told as it is; side bets have their advantage too."""
    file = tmp_path / "mine.toml"
    file.write_text('[house]\nname = "mine"\nextends = "venezia-online"\n', "utf-8")
    ran = trente("rules", file)
    assert "house mine" in ran.out
    assert "“exact-apres-31”" in ran.out


@pytest.mark.parametrize("name", ["france-2007", "german-spas-1840", "venezia-online"])
def test_french_has_a_blank_before_colons_and_semicolons(name: str) -> None:
    """Everywhere but in what a house wrote itself: its title and its sources."""
    _title, _line, told = trente("rules", name, "--language", "fr").out.split("\n", 2)
    assert not re.findall(r".*\S[;:](?: .*|)$", told.partition("Sources\n")[0], re.MULTILINE)


def test_choices_that_come_to_the_same_are_not_told_apart() -> None:
    """Monte Carlo: prison that only repeats costs what partage does, so neither is named."""
    odds = trente("rules", "monte-carlo-1911").out.rpartition("Odds\n")[2]
    assert re.search(r"^rouge +no +- +1\.09457 %$", odds, re.MULTILINE)
    assert "prison" not in odds.partition("Sources\n")[0]
    two = trente("rules", "france-2007").out.rpartition("Odds\n")[2]
    assert re.search(r"^rouge +no +free, refait: partage +1\.09457 %$", two, re.MULTILINE)


@pytest.mark.slow
def test_a_house_of_too_many_policies_is_told_without_its_advantages(tmp_path: Path) -> None:
    """More than 4096 ways to choose: the rules are told, and the probabilities of ties."""
    states = ["free", *(f"cell-{number}" for number in range(1, 14))]
    machine = {
        state: {
            "refait": [
                {"course": "stay", "staying": "1", "state": after, "default": True},
                {"course": "pay", "staying": "1/2", "state": after},
            ],
            "close": [{"course": "closed", "returned": "1"}],
        }
        for state, after in pairwise(states)
    }
    machine[states[-1]] = {
        "refait": [{"course": "lost"}],
        "close": [{"course": "closed", "returned": "1"}],
    }
    file = tmp_path / "many.toml"
    tables = {"house": {"name": "many"}, "refait": {"rule": "custom", "machine": machine}}
    file.write_text(tomli_w.dumps(tables), "utf-8")
    ran = trente("rules", file)
    assert (ran.status, ran.err) == (0, "")
    assert "Probability of a refait: 2.18914 %" in ran.out
    assert "advantage of the bank" not in ran.out
    assert "prison “cell-13”" in ran.out


@pytest.mark.parametrize("option", [("--language", "xx"), ("--format", "pdf")])
def test_what_is_not_known_is_misuse(option: tuple[str, str]) -> None:
    """Another language or format ends with status 2 and names those there are."""
    ran = trente("rules", "france-2007", *option)
    assert ran.status == 2
    assert option[1] in ran.err
    assert ran.out == ""


def test_an_unknown_house_is_a_sentence() -> None:
    """The nearest name is offered, as every command does."""
    ran = trente("rules", "france-2008")
    assert ran.status == 2
    assert "france-2007" in ran.err
