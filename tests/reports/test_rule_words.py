"""Rules in short words: from the tables that the rules built, with no key of the file in them."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any

import pytest
import tomli_w
from attrs import evolve, fields, frozen
from hypothesis import given
from hypothesis import strategies as st
from tests.properties.meeting import meets
from tests.properties.shipped import random_house

from trente_rules import ConfigurationError, House, load_house
from trente_rules.core import default_manager
from trente_rules.core.house.loading import loads_house
from trente_rules.core.money import Rounded, Rounding
from trente_rules.core.rules.insurance import InsuranceTable
from trente_rules.odds.advantage import advantage
from trente_rules.odds.coup_odds import odds_of
from trente_rules.reports.plays import plays_of
from trente_rules.reports.rule_words import (
    CHANCE_WORDS,
    LIMIT_WORDS,
    REFAIT,
    differing_words,
    refait_words,
    rule_words,
)
from trente_rules.testing import custom_tables, prison_tables

NAMES = default_manager().names("house")
SYNTAX = re.compile(r"[={}\[\]\"_]|\b(None|True|False|Fraction)\b")
"""Signs of a TOML file or of Python, which no word of a rule has."""
FIELDS = [attribute.name for attribute in fields(House)]
KNOWN_FACTS = {*LIMIT_WORDS, *CHANCE_WORDS, "whole", "step", "move_prisoners", "prisoners_stay"}
"""The facts of limits that have words, or a topic by themselves."""


@frozen
class Tiers(InsuranceTable):
    """An insurance with a scale of premiums, as a plugin may build it."""

    def premium(self, worth: Fraction | int, rounding: Rounding) -> Rounded:
        """Return twice the premium."""
        once = super().premium(worth, rounding)
        return Rounded(2 * once.units)


STAKE_TOPICS = (
    *("a refait", "without a choice", "a further refait", "a win in prison"),
    *("a loss in prison", "a tie in prison", "refait at", "a win pays"),
)


@pytest.mark.parametrize(
    ("house", "words"),
    [
        ("france-2007", "half or prison"),
        ("foster-1897", "half or 2 prisons"),
        ("germany-500", "half or 3 prisons"),
        ("hoyle-19c", "2 prisons"),
        ("italian-program", "takes all"),
        ("italy-half-loss", "takes half"),
        ("wilhelmsbad-1840", "does nothing"),
        ("german-spas-1840", "any tie: half or prison"),
    ],
)
def test_a_refait_in_words(house: str, words: str) -> None:
    """The last column of the table of all houses (sketch 1)."""
    assert refait_words(load_house(house)) == words
    assert rule_words(load_house(house))[REFAIT].startswith(words)


@pytest.mark.parametrize(
    ("house", "topic", "words"),
    [
        ("france-2007", "minimum", "set at opening"),
        ("france-2007", "maximum", "1000 x minimum"),
        ("italian-program", "maximum", "none"),
        ("france-2007", "marker", "5 from the end, voids the coup"),
        ("italian-program", "marker", "20 to 40 from the end, one more coup, put in by a player"),
        ("monte-carlo-1911", "insurance", "1 % of the stake, back on a tie"),
        ("monte-carlo-1911", "premium", "at least 5 FRF"),
        ("germany-500", "insurance", "1 % of each 500 EUR begun"),
        ("campione", "insured stakes", "from 500 CHF, multiples of 500 CHF"),
        ("campione", "a win in prison", "frees; in the last: previous prison"),
        ("campione", "a further refait", "next prison or a quarter back; in the last: loses"),
        (
            "foster-1897",
            "a further refait",
            "next prison, a quarter taken at once; in the last: stays",
        ),
        ("homburg-1860", "a further refait", "loses"),
        ("german-spas-1840", "a tie in prison", "does not occur"),
        ("germany-500", "a win in prison", "frees; in the others: previous prison"),
        ("hoyle-1820", "cards burned", "1, shown"),
        ("campione", "cards burned", "5"),
        ("france-2007", "a further refait", "halved or a quarter back"),
        ("france-2007", "paid in the order", "inverse, noir, rouge, couleur"),
        ("france-2007", "talon counted", "yes"),
    ],
)
def test_rules_in_words(house: str, topic: str, words: str) -> None:
    """Short words for every kind of rule (U7, sketch 2)."""
    assert rule_words(load_house(house))[topic] == words


@pytest.mark.parametrize("house", NAMES)
def test_no_word_of_a_shipped_house_is_a_key(house: str) -> None:
    """No sign of a configuration file in any of the words (U7)."""
    for topic, words in rule_words(load_house(house)).items():
        assert words, topic
        assert not SYNTAX.search(f"{topic} {words}"), (topic, words)


def test_every_house_has_the_same_topics() -> None:
    """A table of any houses has no hole."""
    topics = [list(rule_words(load_house(name))) for name in NAMES]
    assert all(sorted(each) == sorted(topics[0]) for each in topics)


def edges(house: House) -> list[Any]:
    """Return the named edges of the simple chances."""
    wagers = advantage(house, odds_of("own", house.shoe.packs)).wagers
    return [
        (each.chances, each.best.edge, each.default.edge, each.worst.edge)
        for each in plays_of(house, wagers)
        if house.chance(each.chances[0]).simple
    ]


@pytest.mark.slow
def test_shipped_houses_with_different_edges_have_different_words() -> None:
    """Houses whose stakes are worth something else differ in a word on stakes, or in packs."""
    found = [load_house(name) for name in NAMES]
    for at, one in enumerate(found):
        for other in found[at + 1 :]:
            if edges(one) != edges(other):
                topics = differing_words([one, other])
                assert set(topics) & {*STAKE_TOPICS, "packs", "chances"}, (one.name, other.name)


def loaded(refait: dict[str, Any]) -> House | None:
    """Return an Italian house with another refait rule, None where the rule has a fault."""
    table = {"house": {"name": "other", "extends": "italy-half-loss"}, "refait": refait}
    try:
        return loads_house(tomli_w.dumps(table))
    except ConfigurationError:
        return None


def check_words(one: House | None, other: House | None) -> None:
    """Check that two machines with the same words cost the player the same."""
    if one is None or other is None:
        return
    words = [{t: rule_words(house)[t] for t in STAKE_TOPICS} for house in (one, other)]
    if words[0] == words[1]:
        assert edges(one) == edges(other), words[0]


@pytest.mark.slow
@given(first=prison_tables(), second=prison_tables())
def test_one_key_of_a_prison_that_moves_an_edge_moves_a_word(
    first: dict[str, Any], second: dict[str, Any]
) -> None:
    """Change any one key: if the words stay, so does what every play costs (U7)."""
    before = loaded(first)
    for name in first.keys() | second.keys():
        changed = {k: v for k, v in {**first, name: second.get(name)}.items() if v is not None}
        check_words(before, loaded(changed))


@pytest.mark.slow
@given(table=custom_tables(), share=st.sampled_from(["0", "1/3", "1/2", "1"]), data=st.data())
def test_one_share_of_a_machine_that_moves_an_edge_moves_a_word(
    table: dict[str, Any], share: str, data: st.DataObject
) -> None:
    """Machines of the file's own: a share that is changed is read in the words."""
    before = loaded(table)
    places = [(state, verdict) for state, cells in table["machine"].items() for verdict in cells]
    state, verdict = data.draw(st.sampled_from(places))
    courses = [dict(course) for course in table["machine"][state][verdict]]
    courses[0]["returned"] = share
    machine = {**table["machine"], state: {**table["machine"][state], verdict: courses}}
    check_words(before, loaded({**table, "machine": machine}))


@pytest.mark.slow
def test_houses_with_different_rules_have_different_words() -> None:
    """Every pair of shipped houses whose fingerprints differ differs in a word."""
    words = {name: rule_words(load_house(name)) for name in NAMES}
    for at, name in enumerate(NAMES):
        for other in NAMES[at + 1 :]:
            assert words[name] != words[other], (name, other)


def test_a_check_of_a_plugin_is_named_without_its_name() -> None:
    """Limits that refuse by a function, and a premium by tiers, have words (U7)."""
    house = load_house("france-2007")
    limits = evolve(house.limits_table, also=lambda *_arguments: ())
    table = house.insurance_table
    assert table is not None
    tiers = Tiers(table.rate, minimum_stake=table.minimum_stake, kept=table.kept)
    built = House(**{name: getattr(house, name) for name in FIELDS})
    built.__dict__["limits_table"] = limits
    built.__dict__["insurance_table"] = tiers
    words = rule_words(built)
    assert words["further limits"] == "a separate check"
    assert words["insurance"] == "about 1 % of the stake, by a separate scale"
    assert rule_words(house)["further limits"] == "none"


@pytest.mark.slow
@meets(house=random_house())
def test_any_house_has_words(house: House) -> None:
    """Every house that can be written has words for each topic, and no sign of a file in them."""
    for topic, words in rule_words(house).items():
        assert words, topic
        assert not SYNTAX.search(words.replace("_", " ")), (topic, words)
    facts = house.limits_table.facts(house.deal.chances, prisons=bool(house.machine.prisons))
    assert {fact for fact, _values in facts} <= KNOWN_FACTS
