"""Faults that no key shows by itself: contradictions, idle keys, amounts off the unit."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import attrs

from trente_rules.core.chances import COULEUR, INVERSE, OPPOSITES, Verdict
from trente_rules.core.converter import KeyPath, Problem
from trente_rules.core.errors import RuleError, TrenteError, nearest, shown
from trente_rules.core.house.house import Chosen, House
from trente_rules.core.keys import cannot_act_error, keys_of
from trente_rules.core.money import Amount
from trente_rules.core.rules.announcements import phrase_faults
from trente_rules.core.rules.insurance import InsuranceTable
from trente_rules.core.rules.limits import ChanceLimit, has_opposites
from trente_rules.core.rules.refait import Prison
from trente_rules.core.stakes import Opening


def cross_checks(house: House) -> Iterator[Problem]:
    """Return everything that is wrong across the keys of a house."""
    yield from _deal(house)
    yield from _built(("shoe",), house.shoe.check)
    off_unit = [*_off_unit(house)]
    yield from off_unit
    refait = [*_refait(house)]
    yield from refait
    if not refait:
        yield from _prisons(house)
        yield from _insurance(house, off_unit)
    if not off_unit:
        yield from _limits(house, prisons=bool(refait or house.machine.prisons))
    yield from _settlement(house)
    yield from _side_bets(house)
    for fault in phrase_faults(house.announcements.phrases):
        yield problem_of(("announcements",), fault)


def problem_of(path: KeyPath, error: TrenteError) -> Problem:
    """Return the problem that an error is: at the path, or at the field that the error names."""
    field = error.field if isinstance(error, RuleError) else ""
    return Problem(
        (*path, *field.split(".")) if field else path, error.code, error.message, error.hint
    )


def _built(
    path: KeyPath, build: Callable[[], object], rule: Chosen | None = None
) -> Iterator[Problem]:
    """Build a table, and return what is wrong with it; a plugin's rule may raise anything."""
    try:
        build()
    except TrenteError as error:
        yield problem_of(path, error)
    except Exception as error:
        if rule is None:
            raise
        whose = f"rule {rule.name!r}" + (f" of plugin {rule.plugin!r}" if rule.plugin else "")
        message = f"the {whose} fails to build: {rule.words_of(error)}"
        key = "wins_on" if path[0] == "side_bets" else "rule"
        yield Problem(
            (*path[:2], key) if key == "wins_on" else (path[0], key),
            "rule-fails",
            message,
            cause=error,
        )


def _idle(path: KeyPath, why: str) -> Problem:
    error = cannot_act_error(str(path[-1]), why)
    return Problem(path, error.code, error.message, error.hint)


def _deal(house: House) -> Iterator[Problem]:
    if house.deal.couleur != "first-of-coup" and not {COULEUR, INVERSE} & set(house.deal.chances):
        yield _idle(("deal", "couleur"), "the house offers neither couleur nor inverse")


def amounts(value: Any, path: KeyPath) -> Iterator[tuple[KeyPath, Amount]]:
    """Return every amount of a rule, with the path of its key."""
    if isinstance(value, Amount):
        yield path, value
    elif isinstance(value, tuple):
        for place, member in enumerate(value):
            step = member.chance if isinstance(member, ChanceLimit) else place
            yield from amounts(member, (*path, step))
    elif attrs.has(type(value)):
        for attribute in attrs.fields(type(value)):
            yield from amounts(getattr(value, attribute.name), (*path, attribute.name))


def _off_unit(house: House) -> Iterator[Problem]:
    for table in ("insurance", "limits"):
        chosen: Chosen = getattr(house, table)
        for path, amount in amounts(chosen.rule, (table,)):
            yield from _built(path, partial(house.money.units, amount))


def _refait(house: House) -> Iterator[Problem]:
    refait_on = house.deal.refait_on
    if refait_on == () and house.refait.name != "none":
        yield _idle(("refait", "rule"), "no tie loses, since deal.refait_on is empty")
    elif refait_on != () and house.refait.name == "none":
        yield Problem(
            ("refait", "rule"),
            "no-refait-rule",
            "ties lose, but no rule says what becomes of the stakes",
            "set deal.refait_on = [], or name a refait rule",
        )
    else:
        path = ("refait", "machine") if house.refait.name == "custom" else ("refait",)
        for problem in _built(path, lambda: house.machine, house.refait):
            yield _in_machine(problem) if path[-1] == "machine" else problem


def _in_machine(problem: Problem) -> Problem:
    """Turn the place inside a machine (``prison/refait``) into a path of the TOML file."""
    steps = tuple(step for part in problem.path for step in str(part).split("/"))
    return attrs.evolve(problem, path=steps)


def _prisons(house: House) -> Iterator[Problem]:
    if house.machine.prisons:
        rule, ties = house.refait.rule, Verdict.APRES in house.machine.possible
        if isinstance(rule, Prison) and rule.tie != "stays" and not ties:
            yield _idle(("refait", "tie"), "every tie is a refait")
        return
    if house.shoe.prisoners_at_end != "carry":
        yield _idle(("shoe", "prisoners_at_end"), "the house has no prison")


def _insurance(house: House, off_unit: list[Problem]) -> Iterator[Problem]:
    if house.insurance.name == "none":
        return
    if Verdict.REFAIT not in house.machine.possible:
        yield _idle(("insurance", "rule"), "no tie loses, so there is nothing to insure against")
    if off_unit:
        return
    wrong = [*_built(("insurance",), partial(_table_of, house), house.insurance)]
    yield from wrong
    table = None if wrong else house.insurance_table
    if table is None:
        return
    trapped = house.machine.trapped(table.covers)
    if trapped:
        yield Problem(
            ("insurance", "covers"),
            "bad-machine",
            f"a stake insured in {min(trapped)!r} could stand there for ever",
            "do not cover a prison that only a refait ends",
        )
    if Verdict.APRES not in house.machine.possible and Verdict.APRES not in table.kept:
        yield _idle(("insurance", "premium_on", "apres"), "every tie is a refait")
    for place, state in enumerate(table.covers):
        if state not in house.machine.states:
            yield Problem(
                ("insurance", "covers", place),
                "unknown-state",
                f"{state!r} is not a state of this house",
                nearest(state, house.machine.states)
                or f"states are {', '.join(house.machine.states)}",
            )
    if not table.proof_needed and table.without_proof != "uninsured":
        yield _idle(("insurance", "without_proof"), "the premium is not paid in advance")


def _table_of(house: House) -> None:
    table: object = house.insurance_table
    if table is not None and not isinstance(table, InsuranceTable):
        raise TypeError(f"it built {shown(table)}, not an InsuranceTable")


def _no_stake_possible(house: House) -> Iterator[Problem]:
    """Refuse limits that let no stake on a chance through, whatever the opening."""
    limits, told = house.limits_table, set[KeyPath]()
    for chance in (chance.id for chance in house.chances):
        own = limits.own(chance)
        path: KeyPath = ("limits", "step")
        if (own.minimum, own.maximum) != (None, None):
            path = ("limits", "per_chance", chance)
        for table in limits.tables:
            bounds = limits.bounds(Opening(table.minimum or 1), chance)
            # A minimum that is set at the opening can always be one that the maximum allows.
            most = own.maximum if table.minimum is None else bounds.most
            if most is not None and bounds.lowest > most and path not in told:
                told.add(path)
                text = house.money.text
                yield Problem(
                    path,
                    "no-stake-possible",
                    f"no stake on {chance} is a multiple of {text(bounds.step)} from "
                    f"{text(bounds.least)} to {text(most)}",
                    "widen the limits",
                )


def _limits(house: House, *, prisons: bool) -> Iterator[Problem]:
    wrong = [*_built(("limits",), lambda: house.limits_table, house.limits)]
    yield from wrong
    if wrong:
        return
    yield from _no_stake_possible(house)
    limits = house.limits_table
    ids = [chance.id for chance in house.chances]
    for own in limits.per_chance:
        path = ("limits", "per_chance", own.chance)
        if own.chance not in ids:
            yield Problem(
                path,
                "unknown-chance",
                f"{own.chance!r} is not a chance of this house",
                nearest(own.chance, ids) or f"chances are {', '.join(ids)}",
                "key",
            )
        if own.minimum is None and own.maximum is None:
            yield _idle(path, "it names neither a minimum nor a maximum")
    idle = {
        "move_prisoners": "the house has no prison"
        if limits.prisoners_move and not prisons
        else "",
        "both_sides": "no chance of the house has its opposite"
        if not limits.both_sides and not has_opposites(house.deal.chances)
        else "",
    }
    # A plugin's rule may set these in every house: then there is no key to leave out.
    for info in keys_of(type(house.limits.rule)):
        if why := idle.get(info.name):
            yield _idle(("limits", info.name), why)


def _settlement(house: House) -> Iterator[Problem]:
    seen: set[str] = set()
    for place, chance in enumerate(house.settlement.pay):
        path = ("settlement", "pay", place)
        if chance not in house.deal.chances:
            yield Problem(
                path,
                "unknown-chance",
                f"the house does not offer {chance!r}",
                f"chances are {', '.join(house.deal.chances)}",
            )
        if chance in seen:
            yield Problem(path, "double-chance", f"{chance!r} is paid already")
        seen.add(chance)
    if house.settlement.order == "as-placed":
        for name in ("pay", "collect_from", "pay_from"):
            if getattr(house.settlement, name) not in ((), "nearest"):
                yield _idle(("settlement", name), "stakes are settled as they were placed")


def _side_bets(house: House) -> Iterator[Problem]:
    seen: set[str] = set(OPPOSITES)
    for place, bet in enumerate(house.side_bets):
        path = ("side_bets", place, "id")
        if bet.id in seen:
            yield Problem(path, "double-chance", f"another chance has the id {bet.id!r} already")
        seen.add(bet.id)
        yield from _built(("side_bets", place), lambda: house.chances, bet.wins_on)
