"""The house as a page needs it: bounds, keys, names and chips, in every house and language."""

from __future__ import annotations

from fractions import Fraction

import pytest

from trente_rules import House, Table, load_house, loads_house
from trente_rules.core import default_manager
from trente_rules.core.stakes import Opening
from trente_rules.service.house_facts import HouseFacts, decimals_of, house_facts, refait_name
from trente_rules.testing import opening_of

HOUSES = default_manager().names("house")
LANGUAGES = default_manager().names("language")
OF_PAGES = set("uxpdahsolk?+- 0123456789")
"""Keys that the pages use for something else."""


def facts(house: House, language: str = "en", opening: Opening | None = None) -> HouseFacts:
    """Return the facts of a table of a house."""
    table = Table(house, opening=opening or opening_of(house))
    return house_facts(table.state, default_manager().language(language))


@pytest.mark.parametrize("name", HOUSES)
def test_a_house_can_be_shown_in_every_language(name: str) -> None:
    """U21: every chance has a name and a key of its own, and bounds that its chips meet."""
    house = load_house(name)
    told = facts(house)
    for language in LANGUAGES:
        told = facts(house, language)
        names = [chance.name for chance in told.chances]
        assert len(set(names)) == len(names)
        assert all(names)
        assert all(chance.rule.endswith((".", "?")) for chance in told.chances)
    keys = [chance.key for chance in told.chances]
    assert len(set(keys)) == len(keys)
    assert not OF_PAGES & set(keys)
    assert [chance.key for chance in told.chances if chance.simple] == [
        {"rouge": "r", "noir": "n", "couleur": "c", "inverse": "i"}[chance.id]
        for chance in told.chances
        if chance.simple
    ]
    first = told.chances[0]
    assert told.chips[0] >= min(chance.least for chance in told.chances)
    assert all(chip % first.step == 0 for chip in told.chips)
    assert (told.insurance is None) == (house.insurance_table is None)
    assert [code.code for code in told.languages] == list(LANGUAGES)


def test_side_bets_are_named_by_what_they_win_on() -> None:
    """U21: ``exact-apres-31`` is an id: players read "tie at 31", in their language."""
    venice = load_house("venezia-online")
    english, german = ({c.id: c for c in facts(venice, lang).chances} for lang in ("en", "de"))
    assert english["exact-apres-31"].name == "tie at 31"
    assert english["any-apres"].name == "any tie"
    assert german["exact-apres-40"].name == "Après auf 40"
    assert english["exact-apres-31"].odds == ("39",)
    assert english["exact-apres-31"].rule.startswith("Tie at 31 wins when")
    assert english["any-apres"].needs_simple
    assert english["any-apres"].key == "t"
    assert english["rouge"].odds_text == "1 to 1"


def test_two_side_bets_of_one_name_are_told_apart() -> None:
    """Two side bets that win on the same coups are named with their ids."""
    house = loads_house(
        """
        [house]
        name = "twice"
        extends = "france-2007"
        [[side_bets]]
        id = "one"
        wins_on = "row-point"
        point = 40
        row = "first"
        odds = "10"
        [[side_bets]]
        id = "two"
        wins_on = "row-point"
        point = 40
        row = "first"
        odds = "11"
        [[side_bets]]
        id = "odd-one"
        wins_on = "outcome"
        on = [{ winner = "noir", first_card = "rouge" }]
        odds = "1"
        [[side_bets]]
        id = "some"
        wins_on = "any-tie"
        except = [31]
        odds = "1"
        """
    )
    names = {chance.id: chance.name for chance in facts(house).chances}
    assert names["one"] == "first row at 40 (one)"
    assert names["two"] == "first row at 40 (two)"
    assert names["odd-one"] == "odd one"
    assert names["some"] == "any tie but 31"


def test_the_facts_are_those_of_what_is_posted() -> None:
    """A closed chance has a maximum of 0; the minimum is the one of today."""
    house = load_house("spain-1979")
    opening = house.opening(20, per_chance={"couleur": {"maximum": 0}})
    told = {chance.id: chance for chance in facts(house, opening=opening).chances}
    assert told["couleur"].most == 0
    assert told["rouge"].least == house.money.units(house.money.amount(opening.minimum or 0))
    assert told["rouge"].opposite == "noir"


def test_the_insurance_of_a_house_in_words() -> None:
    """U16: germany-500 takes 5 for each started 500, so the whole of a stake of 5."""
    insurance = facts(load_house("germany-500")).insurance
    assert insurance is not None
    assert insurance.rate == "1/100"
    assert "5" in insurance.premium_text
    assert "500" in insurance.premium_text
    assert facts(load_house("foster-1897")).insurance is None


def test_the_shoe_of_a_house() -> None:
    """Cut, marker, burned cards and machines, as [shoe] says."""
    france = facts(load_house("france-2007"))
    assert (france.packs, france.burn, france.cut) == (6, 0, (0, 312))
    assert facts(load_house("italian-program")).burn == 5
    assert france.first_colour == "noir"
    assert france.refaits == (31,)
    machine = facts(load_house("eight-packs-machine"))
    assert machine.every_coup
    assert machine.cut is None
    assert france.marker is not None
    assert france.marker.low <= france.marker.high


def test_what_the_dealer_may_call() -> None:
    """Every phrase without values that the house has a text for, in both languages."""
    phrases = {each.phrase: each for each in facts(load_house("france-2007"), "en").phrases}
    assert phrases["faites_vos_jeux"].said == "Messieurs, faites vos jeux"
    assert phrases["faites_vos_jeux"].translated == "Place your bets"
    assert "point" not in phrases


def test_decimals_and_the_name_of_a_refait() -> None:
    """Units of a cent, of a half, of five; "un après" where 31 alone loses."""
    assert [decimals_of(Fraction(1, n)) for n in (100, 2, 1, 8)] == [2, 2, 0, 3]
    assert refait_name(load_house("france-2007")) == "un après"
    assert refait_name(load_house("german-spas-1840")) == "refait"
