"""A house as a value: the rules it chose, what may be insured, the text of its fingerprint."""

from __future__ import annotations

import json
from hashlib import sha256

from tests.core.rules.test_insurance import plugin_house
from tests.table.laws import house_like

from trente_rules import load_house
from trente_rules.core.house.house import Chosen

SIDE = '[[side_bets]]\nid = "tie"\nwins_on = "any-tie"\nodds = "8"\n'
COVERED = '[insurance]\nrule = "rate"\ncovers = ["free", "prison"]\nminimum_stake = 0\n'


def test_a_rule_is_the_same_whichever_plugin_adds_it() -> None:
    """Houses are compared by their rules; where a rule is from is known, but does not count."""
    chosen = Chosen("mine", 7, plugin="my:rules")
    assert chosen.plugin == "my:rules"
    assert chosen == Chosen("mine", 7)
    assert repr(chosen) == "Chosen(name='mine', rule=7, version=1)"


def test_insurance_in_a_prison_is_offered_for_uninsured_stakes_of_simple_chances() -> None:
    """A side bet is decided at once, and an insured stake is insured already."""
    house = house_like("france-2007", COVERED + SIDE)
    assert house.insurance_table is not None
    detained = {wager: each.detained for wager, each in house.wagers.items()}
    assert {wager for wager, table in detained.items() if table} == {
        (chance, False) for chance in ("rouge", "noir", "couleur", "inverse")
    }
    assert house.wager("rouge").detained == house.insurance_table


def test_the_fingerprint_names_the_rule_of_a_premium_of_a_plugin() -> None:
    """T12 e: what a plugin's table computes is not in its fields, so its rule is in the text."""
    house = plugin_house("tiers")
    rules = json.loads(house.canonical_rules)
    assert "tiers" in json.dumps(rules["insurance_rule"])
    assert house.fingerprint == f"f1:{sha256(house.canonical_rules.encode()).hexdigest()}"
    shipped = json.loads(load_house("france-2007").canonical_rules)
    assert sorted({*rules} - {*shipped}) == ["insurance_rule"]
