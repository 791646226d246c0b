"""Names that people type: found, or the right ones offered."""

from __future__ import annotations

import click
import pytest

from trente_rules import load_house
from trente_rules.cli.values import CHANCE
from trente_rules.core import systems
from trente_rules.core.errors import BetError, PluginError
from trente_rules.core.names import known_name, nearest, nearest_of_few, plain
from trente_rules.core.plugins.manager import default_manager
from trente_rules.players.seats import system_of

HOUSES = default_manager().names("house")
SYSTEMS = default_manager().names("system")


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("fr", "did you mean 'france-1959' or 'france-2007'?"),
        ("FRANCE", "did you mean 'france-1959' or 'france-2007'?"),
        ("france2007", "did you mean 'france-2007'?"),
        ("campoine", "did you mean 'campione'?"),
        ("carlo", "did you mean 'monte-carlo-1911'?"),
        ("quoted", ""),
        ("i", ""),
        ("", ""),
        ("x" * 101, ""),
    ],
)
def test_houses_that_begin_so_or_are_near_are_offered(typed: str, offered: str) -> None:
    """U36: two houses begin with "fr", and no other of the seventeen is offered."""
    assert nearest(typed, HOUSES) == offered


def test_many_names_that_begin_so_are_not_a_hint() -> None:
    """Up to four are offered; with more, what is spelt most alike, if anything is."""
    assert nearest("row", [f"row-{n}" for n in "abcd"]).count("row-") == 4
    assert nearest("row", [f"row-{n * 9}" for n in "abcdefgh"]) == ""


@pytest.mark.parametrize("prefix", ["inverse-", "contre-", "reverse-", "anti-", "non-", "invers-"])
@pytest.mark.parametrize("name", ["labouchere", "martingale", "d'alembert"])
def test_a_name_is_not_offered_for_its_contrary(prefix: str, name: str) -> None:
    """C15: the reverse system raises after a win, the other after a loss."""
    assert nearest(prefix + name, [name]) == ""
    assert nearest(name, [prefix + name]) == ""


def test_two_words_for_the_contrary_are_alike() -> None:
    """C15, C26: better the system itself; twice turned is as before."""
    assert nearest("inverse-labouchere", ["labouchere", "contre-labouchere"]) == (
        "did you mean 'contre-labouchere'?"
    )
    assert nearest("contre-inverse-paroli", ["paroli"]) == ""
    assert nearest("contre-d'alambert", ["contre-d'alembert", "d'alembert"]) == (
        "did you mean 'contre-d'alembert'?".replace("'contre-d'alembert'", '"contre-d\'alembert"')
    )


@pytest.mark.parametrize(
    ("typed", "known"),
    [("maximum", "minimum"), ("player-on-left", "player-on-right"), ("win", "lose")],
)
def test_opposite_words_are_contraries_too(typed: str, known: str) -> None:
    """C15, the kind: names that differ by one word and mean the opposite."""
    assert nearest(typed, [known]) == nearest(known, [typed]) == ""


def test_a_contrary_does_not_hide_what_is_meant() -> None:
    """The name beside it is offered."""
    assert nearest("maximun", ["minimum", "maximum"]) == "did you mean 'maximum'?"


@pytest.mark.parametrize(
    "typed", ["D\u2019Alembert", "d\u02bcalembert", "d`alembert", " D'ALEMBERT ", "d\u00b4alembert"]
)
def test_an_apostrophe_is_one_however_it_is_typed(typed: str) -> None:
    """C16: telephones and word processors have their own."""
    assert known_name(typed, ["d'alembert", "paroli"]) == "d'alembert"


@pytest.mark.parametrize("hyphen", "\u2010\u2011\u2012\u2013\u2014\u2212")
def test_a_hyphen_is_one_however_it_is_typed(hyphen: str) -> None:
    """C16: hyphens and dashes are as -."""
    assert known_name(f"Contre{hyphen}D\u2019Alembert", ["contre-d'alembert"]) == (
        "contre-d'alembert"
    )
    assert plain(f"a{hyphen}b") == "a-b"


def test_a_name_that_could_be_two_is_none_of_them() -> None:
    """Nothing is guessed: an exact name is itself, another is what was typed."""
    assert known_name("A-B", ["a-B", "A-b"]) == "A-B"
    assert known_name("A-b", ["a-B", "A-b"]) == "A-b"
    assert known_name("c", ["a", "b"]) == "c"


def test_systems_and_houses_are_found_as_they_are_typed() -> None:
    """C16: in every name that people type."""
    assert load_house("France\u20102007") == load_house("france-2007")
    assert system_of("Contre\u2010D\u2019Alembert") == system_of("contre-d'alembert")
    assert isinstance(system_of("MARTINGALE"), systems.Martingale)


def test_chances_are_found_as_they_are_typed() -> None:
    """C16: a capital at the beginning of a line; an unknown one is answered with the near one."""
    option = click.Option(["--chance"], type=CHANCE)
    assert CHANCE.convert("Rouge", option, None) == "rouge"
    assert CHANCE.convert("any-apres", option, None) == "any-apres"
    with pytest.raises(BetError) as caught:
        load_house("campione").chance("Rouje")
    assert caught.value.hint == "did you mean 'rouge'?"


def test_an_unknown_house_is_answered_with_the_near_ones() -> None:
    """U36, U58.16: the message names it, and the houses that begin so."""
    with pytest.raises(PluginError) as caught:
        default_manager().house("fr")
    assert str(caught.value) == (
        "unknown house 'fr' (did you mean 'france-1959' or 'france-2007'?)"
    )
    with pytest.raises(PluginError, match=r"unknown house 'zz' \(houses are .*campione.*\)"):
        default_manager().house("zz")


def test_names_of_a_file_are_looked_up_a_few_times_only() -> None:
    """A file may hold names without end."""
    near = nearest_of_few()
    found = [near("minimun", ["minimum"]) for _ in range(60)]
    assert [bool(each) for each in found] == [True] * 50 + [False] * 10


@pytest.mark.parametrize(("letters", "offered"), [(61, True), (60, False)])
def test_a_name_of_which_61_per_cent_are_alike_is_near(letters: int, offered: bool) -> None:  # noqa: FBT001
    """U36: the bound counts as near; below it nothing is offered."""
    known = "b" * (200 - 2 * letters) + "a" * letters
    assert bool(nearest("a" * letters, [known])) == offered
