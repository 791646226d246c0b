"""What one changed key does to the bank's advantage, everything else left as it was."""

from __future__ import annotations

from copy import deepcopy
from fractions import Fraction
from typing import Any

import tomli_w
from attrs import frozen

from trente_rules.analysis.advantage import Advantage, advantage
from trente_rules.analysis.deal_odds import odds_of
from trente_rules.errors import ConfigurationError
from trente_rules.house.difference import Change, difference
from trente_rules.house.extends import RULE_TABLES
from trente_rules.house.house import House
from trente_rules.house.toml import house_table, loads_house
from trente_rules.plugins.manager import PluginManager


@frozen
class Effect:
    """A changed key, and the best uninsured advantage with it alone changed.

    ``before`` and ``after`` are the least advantage of the bank over the uninsured wagers on simple
    chances and over the insured ones, in stakes; None where there is no such wager. ``alone`` is
    False where the key cannot be changed without the others.
    """

    change: Change
    alone: bool
    before: tuple[Fraction | None, Fraction | None]
    after: tuple[Fraction | None, Fraction | None]

    @property
    def moves(self) -> bool:
        """Whether the advantage is another one with the change."""
        return self.alone and self.before != self.after


def effects(old: House, new: House, plugins: PluginManager) -> tuple[Effect, ...]:
    """Answer every key in which two houses differ, with what it does to the advantage.

    A table that names another rule changes whole: its effect is told at its ``rule`` key.
    """
    before = best_edges(old)
    table, target = house_table(old), house_table(new)
    answered = []
    for change in difference(old, new):
        after: tuple[Fraction | None, Fraction | None] | None = before
        if change.kind == "fairness":
            after = _with(table, target, change, plugins)
        answered.append(Effect(change, after is not None, before, after or before))
    return tuple(answered)


def best_edges(house: House) -> tuple[Fraction | None, Fraction | None]:
    """Answer the least advantage on the simple chances, uninsured and insured, own packs."""
    simple = [chance.id for chance in house.chances if chance.simple]
    found: Advantage = advantage(house, odds_of("own", house.shoe.packs), chances=simple)
    least = []
    for insured in (False, True):
        edges = [wager.edge for wager in found.wagers if wager.insured == insured]
        least.append(min(edges, default=None))
    return least[0], least[1]


def _with(
    table: dict[str, Any], target: dict[str, Any], change: Change, plugins: PluginManager
) -> tuple[Fraction | None, Fraction | None] | None:
    """Answer the advantage with one change made, None where it cannot stand alone."""
    changed = deepcopy(table)
    steps = change.key.split(".")
    whole = steps[0] in RULE_TABLES and table[steps[0]]["rule"] != target[steps[0]]["rule"]
    if whole and steps[1:] != ["rule"]:
        return None
    if whole or steps[0] == "side_bets":
        changed.pop(steps[0], None)
        if steps[0] in target:
            changed[steps[0]] = target[steps[0]]
    else:
        inner = changed
        for step in steps[:-1]:
            if not isinstance(inner.get(step), dict):
                inner[step] = {}
            inner = inner[step]
        if change.new is None:
            inner.pop(steps[-1], None)
        else:
            inner[steps[-1]] = change.new
    changed["house"].pop("inferred", None)
    try:
        return best_edges(loads_house(tomli_w.dumps(changed), plugins=plugins))
    except ConfigurationError:
        return None
