"""Faults that no key shows by itself: contradictions, idle keys, amounts off the unit."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from functools import partial
from typing import Any, Final, Literal

import attrs
from attrs import NOTHING, frozen

from trente_rules.core.cards import Colour
from trente_rules.core.chances import (
    COULEUR,
    INVERSE,
    OPPOSITES,
    ChanceKeys,
    Condition,
    DealRule,
    OutcomeBet,
    Pay,
    Verdict,
    met,
    wins_of,
)
from trente_rules.core.converter import KeyPath, Problem
from trente_rules.core.coup import Outcome, outcomes
from trente_rules.core.errors import RuleError, TrenteError, shown
from trente_rules.core.house.converter import NONE, unstructure
from trente_rules.core.house.house import Chosen, House, PointRefait, SideBet, possible_verdicts
from trente_rules.core.keys import KeyInfo, cannot_act_error, keys_of
from trente_rules.core.machine import FREE, USUAL
from trente_rules.core.money import Amount, Money, round_to_player, rounded_up
from trente_rules.core.names import nearest_of_few
from trente_rules.core.rules.announcements import PHRASE_KEYS, phrase_faults
from trente_rules.core.rules.insurance import InsuranceTable
from trente_rules.core.rules.limits import ChanceLimit, Limits, OwnBounds, has_opposites
from trente_rules.core.rules.refait import CoursesKeys, Custom, Prison
from trente_rules.core.stakes import Opening

At = Literal["key", "value"]
_NO_TABLE: Final = "leave the table out"
_NO_RULE: Final = 'write rule = "none"'
_NOTHING_POSTED: Final = Opening()
_ON: Final = ("refait", "on")


def cross_checks(house: House) -> Iterator[Problem]:
    """Return every problem across the keys of a house."""
    for problem in _across(house):
        idle = problem.code == "key-cannot-act" and problem.fix is None
        yield _with_default(house, problem) if idle else problem


def _with_default(house: House, problem: Problem) -> Problem:
    """Return the problem of a key that cannot act, with its default as the fix, if it has one."""
    table, *steps = problem.path
    value = getattr(house, str(table))
    value = value.rule if isinstance(value, Chosen) else value
    for step in steps:
        known = keys_of(type(value)) if attrs.has(type(value)) else ()
        value = {info.name: info.default for info in known}.get(str(step), NOTHING)
    return problem if value is NOTHING else attrs.evolve(problem, fix=(problem.path, _toml(value)))


def _toml(value: object) -> object:
    """Return a value as TOML writes it."""
    return NONE if value is None else unstructure(value)


def _across(house: House) -> Iterator[Problem]:
    yield from _deal(house)
    yield from _chances(house)
    yield from _built(("shoe",), house.shoe.check)
    off_unit = [*_off_unit(house, ("insurance", "limits"))]
    yield from off_unit
    refait = [*_off_unit(house, ("refait",))] or [*_refait(house)]
    yield from refait
    if not refait:
        yield from _calls(house)
        yield from _prisons(house)
        yield from _insurance(house, off_unit)
    if not off_unit:
        yield from _limits(house, faulty=bool(refait))
    yield from _settlement(house)
    yield from _side_bets(house)
    for fault in phrase_faults(house.announcements.phrases):
        yield problem_of(("announcements",), fault)


def problem_of(path: KeyPath, error: TrenteError) -> Problem:
    """Return the problem that an error is: at the path, or at the field that the error names."""
    field, fix = (error.field, error.fix) if isinstance(error, RuleError) else ("", None)
    place = (*path, *field.split(".")) if field else path
    known = None if fix is None else (place, fix)
    return Problem(place, error.code, error.message, error.hint, fix=known)


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
        table, key = path[:1], "rule"
        if path[0] == "side_bets":
            table, key = path[:2], "wins_on"
        elif path[:2] == _ON:
            table = path[:3]
        yield Problem((*table, key), "rule-fails", message, cause=error)


def _idle(
    path: KeyPath, why: str, fix: object = None, *, hint: str = "", when: bool = True
) -> Iterator[Problem]:
    """Return the problem of a key that cannot act; ``fix`` where that is not its default.

    ``hint`` is what to do where the key cannot just be left out.
    """
    if when:
        numbered = str(path[-1]).isdigit()
        named = ".".join(map(str, path[-2:] if numbered else path[-1:]))
        error = cannot_act_error(named, why)
        known = None if fix is None else (path, fix)
        yield Problem(path, error.code, error.message, hint or error.hint, fix=known)


def _unknown(what: str, known: Sequence[str], at: At) -> Callable[[KeyPath, str], Problem]:
    """Return what makes the problem of a name that the house does not have.

    The first of them have the nearest that it has as a hint.
    """
    near, listed = nearest_of_few(), f"{what}s are {', '.join(known)}"

    def problem(path: KeyPath, name: str) -> Problem:
        message = f"{name!r} is not a {what} of this house"
        return Problem(path, f"unknown-{what}", message, near(name, known) or listed, at)

    return problem


def _deal(house: House) -> Iterator[Problem]:
    unused = house.deal.couleur != "first-of-coup" and not {COULEUR, INVERSE} & {
        *house.deal.chances
    }
    yield from _idle(
        ("deal", "couleur"), "the house offers neither couleur nor inverse", when=unused
    )
    unused = house.deal.first_row == "cut" and house.shoe.every_coup
    why = "a machine shuffles the cards for every coup: they are not cut"
    yield from _idle(("deal", "first_row"), why, when=unused)


def amounts(value: Any, path: KeyPath) -> Iterator[tuple[KeyPath, Amount]]:
    """Return every amount of a rule, with the path of its key."""
    if isinstance(value, Amount):
        yield path, value
    elif isinstance(value, tuple):
        for place, member in enumerate(value):
            if isinstance(member, CoursesKeys):
                yield from amounts(member.courses, (*path, member.state, member.verdict.id))
                continue
            step = member.chance if isinstance(member, ChanceLimit) else place
            yield from amounts(member, (*path, step))
    elif attrs.has(type(value)):
        for attribute in attrs.fields(type(value)):
            yield from amounts(getattr(value, attribute.name), (*path, attribute.name))


_MULTIPLES: Final = {
    ("limits", "step"),
    ("insurance", "multiple"),
    ("insurance", "premium_unit"),
}
"""Keys of amounts that others are multiples of: each may divide the unit."""


def _off_unit(house: House, tables: Iterable[str]) -> Iterator[Problem]:
    for table in tables:
        chosen: Chosen = getattr(house, table)
        for path, amount in amounts(chosen.rule, (table,)):
            money = house.money
            read = money.multiple if path in _MULTIPLES else money.units
            for problem in _built(path, partial(read, amount)):
                if path[1] == "machine":  # a list of courses is not written anew
                    yield problem
                    continue
                listed = [place for place, step in enumerate(path) if isinstance(step, int)]
                key = path[: listed[0]] if listed else path
                value = getattr(chosen.rule, str(path[1])) if listed else amount
                fix = key, unstructure(_in_whole_units(value, house.money))
                yield attrs.evolve(problem, fix=fix)


def _in_whole_units(value: Any, money: Money) -> Any:
    """Return a value with all its amounts raised to whole units."""
    if isinstance(value, Amount):
        return money.amount(math.ceil(value.value / money.unit.value))
    if isinstance(value, tuple):
        return tuple(_in_whole_units(member, money) for member in value)
    if attrs.has(type(value)):
        parts = (attribute.name for attribute in attrs.fields(type(value)) if attribute.init)
        whole = {name: _in_whole_units(getattr(value, name), money) for name in parts}
        return attrs.evolve(value, **whole)
    return value


def _chances(house: House) -> Iterator[Problem]:
    """Find [[chances]] tables that name no chance of the house, name one twice, or say nothing."""
    seen = set[str]()
    unknown = _unknown("chance", house.deal.chances, "value")
    for place, keys in enumerate(house.chance_keys):
        path = ("chances", place)
        if keys.id not in house.deal.chances:
            yield unknown((*path, "id"), keys.id)
        elif keys.id in seen:
            yield Problem((*path, "id"), "double-chance", f"{keys.id!r} has a table already")
        seen.add(keys.id)
        yield from _idle(
            (*path, "id"),
            "the table has no other key",
            hint=_NO_TABLE,
            when=keys == ChanceKeys(keys.id),
        )
        yield from _idle(
            (*path, "commission"), "nothing is won", when=bool(keys.commission and not keys.odds)
        )
    own = [keys.id for keys in house.chance_keys if keys.refait_on is not None]
    yield from _idle(
        ("deal", "refait_on"),
        "each chance has its own losing ties",
        when=house.deal.refait_on != DealRule().refait_on and set(house.deal.chances) <= {*own},
    )


def _refait(house: House) -> Iterator[Problem]:
    rule, possible = house.refait.name != "none", possible_verdicts(house.simple_chances)
    acts = Verdict.REFAIT in possible
    special = [*_special_refaits(house)]
    yield from special
    unbuilt = any(
        problem.path[:2] == _ON and len(problem.path) > len(_ON) + 1 for problem in special
    )
    if rule and not acts and not _machine_points(house) & {*house.losing_ties}:
        why = (
            "every losing tie has a separate rule"
            if house.losing_ties
            else "no tie loses, since deal.refait_on is empty"
        )
        yield from _idle(("refait", "rule"), why, NONE, hint=_NO_RULE)
    elif acts and not rule:
        yield Problem(
            ("refait", "rule"),
            "no-refait-rule",
            "ties lose, but no rule says what happens to the stakes",
            "set deal.refait_on = [], or name a refait rule",
            fix=(("refait", "rule"), "half-loss"),
        )
    elif unbuilt:
        return  # the machine would name the same fault once more, elsewhere
    elif house.refait.name == "custom":
        for problem in _built(("refait", "machine"), lambda: house.machine, house.refait):
            yield _in_machine(problem)
    else:
        yield from _built(("refait",), lambda: house.machine, house.refait)


def _machine_points(house: House) -> frozenset[int]:
    rule = house.refait.rule
    return rule.points if isinstance(rule, Custom) else frozenset()


def _special_refaits(house: House) -> Iterator[Problem]:
    """Find refait rules of one point that cannot act, or that do not build."""
    named, losing = _machine_points(house), house.losing_ties
    for special in house.refaits:
        point = special.point
        path = (*_ON, str(point))
        if point not in losing:
            yield from _idle(path, f"a tie on {point} does not lose", NONE, hint=_NO_TABLE)
        elif special.rule.name == "none":
            yield Problem(
                (*path, "rule"),
                "no-refait-rule",
                f"a tie on {point} loses, but the rule says nothing of it",
                f"leave {point} out of deal.refait_on, or name another rule",
                fix=(path, NONE),
            )
        elif point in named:
            verdict = Verdict.refait_of(point).id
            message = f"refait.machine says what {verdict} does already"
            hint = f"leave refait.on.{point} out"
            yield Problem(path, "double-rule", message, hint, fix=(path, NONE))
        build = partial(special.rule.rule.build, house.money)
        wrong = [*_built(path, build, special.rule)]
        yield from wrong
        if not wrong and point in losing:
            yield from _idle_beside(house, special)
    rule = house.refait.rule
    for answer in rule.machine if isinstance(rule, Custom) else ():
        if answer.verdict.point in named - {*losing}:
            here = ("refait", "machine", answer.state, answer.verdict.id)
            yield from _idle(here, f"a tie on {answer.verdict.point} does not lose", [])


def _idle_beside(house: House, special: PointRefait) -> Iterator[Problem]:
    """Find keys of the rule of one point that change nothing: [refait] has those courses."""
    rule = special.rule.rule
    for info in keys_of(type(rule)):
        given = getattr(rule, info.attribute)
        if info.default in (NOTHING, given):
            continue
        path = (*_ON, str(special.point), info.name)
        unused = _same_without(house, special, info)
        fix = _toml(info.default)
        yield from _idle(path, "prisoners go by the rule of [refait]", fix, when=unused)


def _same_without(house: House, special: PointRefait, info: KeyInfo) -> bool:
    """Return whether the machine of a house is the same without a key of the rule of one point."""
    rule: Any = special.rule.rule
    try:
        plain = attrs.evolve(rule, **{info.attribute: info.default})
        chosen = attrs.evolve(special, rule=attrs.evolve(special.rule, rule=plain))
        refaits = (chosen if each is special else each for each in house.refaits)
        return attrs.evolve(house, refaits=(*refaits,)).machine == house.machine
    except Exception:  # noqa: BLE001 - it is not whole without the key, or a stranger's
        return False


def _in_machine(problem: Problem) -> Problem:
    """Turn the place inside a machine (``prison/refait``) into a path of the TOML file."""
    steps = tuple(step for part in problem.path for step in str(part).split("/"))
    return attrs.evolve(problem, path=steps)


_CALLED: Final = (
    *("", USUAL),
    *(name for name, phrase in PHRASE_KEYS.items() if not phrase.placeholders),
)
"""What a course may call: nothing, the usual phrase, or one that needs no value."""


def _calls(house: House) -> Iterator[Problem]:
    """Return the calls of courses that are not phrases, each at its key."""
    rule, unknown = house.refait.rule, _unknown("phrase", _CALLED[1:], "value")
    if isinstance(rule, Custom):
        for written in rule.machine:
            for place, course in enumerate(written.courses):
                if course.call not in _CALLED:
                    path = ("refait", "machine", written.state, written.verdict.id, place, "call")
                    yield unknown(path, course.call)
        return
    for answer in house.machine.answers:
        for built in answer.courses:
            if built.call not in _CALLED:
                yield unknown(("refait", "rule"), built.call)


def _prisons(house: House) -> Iterator[Problem]:
    prisons, rule = bool(house.machine.prisons), house.refait.rule
    tie = isinstance(rule, Prison) and rule.tie != "stays"
    unused = prisons and tie and Verdict.APRES not in house.machine.possible
    yield from _idle(("refait", "tie"), "every tie is a refait", when=unused)
    for chance in house.simple_chances:
        met = chance.possible()
        stays = any(c.state for v in met for c in house.machine.courses(FREE, v))
        if stays and house.machine.trapped(met=met):
            message = f"a stake on {chance.id} could stay in prison forever"
            hint = "let a verdict of this chance release it or lose it"
            yield Problem(("refait", "rule"), "bad-machine", message, hint)
    unused = not prisons and house.shoe.prisoners_at_end != "carry"
    yield from _idle(("shoe", "prisoners_at_end"), "the house has no prison", when=unused)


def _insurance(house: House, off_unit: list[Problem]) -> Iterator[Problem]:
    machine, path = house.machine, ("insurance",)
    if house.insurance.name == "none":
        return
    why = "no tie loses, so there is nothing to insure against"
    yield from _idle((*path, "rule"), why, NONE, hint=_NO_RULE, when=not house.losing_ties)
    if off_unit:
        return
    wrong = [*_built(path, partial(_table_of, house), house.insurance)]
    yield from wrong
    table = None if wrong else house.insurance_table
    if table is None:
        return
    if trapped := machine.trapped(table.covers):
        covers = [state for state in table.covers if state not in trapped]
        yield Problem(
            (*path, "covers"),
            "bad-machine",
            f"a stake insured in {min(trapped)!r} could stay there forever",
            "do not cover a prison that only a refait ends",
            fix=((*path, "covers"), covers) if covers else ((*path, "rule"), NONE),
        )
    unused = Verdict.APRES not in machine.possible and Verdict.APRES not in table.kept
    yield from _idle((*path, "premium_on", "apres"), "every tie is a refait", when=unused)
    yield from _lasting(house, table)
    for name, unused in (
        ("minimum_stake", bool(table.minimum_stake or table.minimum_posted)),
        ("multiple", bool(table.multiple)),
    ):
        # A plugin's rule may set these without a key.
        if unused and FREE not in table.covers and _has(house.insurance.rule, name):
            yield from _idle((*path, name), "it binds free stakes, which are not covered", 0)
    unknown = _unknown("state", machine.states, "value")
    covers = [state for state in table.covers if state in machine.states] or [FREE]
    for place, state in enumerate(table.covers):
        if state not in machine.states:
            problem = unknown((*path, "covers", place), state)
            yield attrs.evolve(problem, fix=((*path, "covers"), covers))
    unused = not table.proof_needed and table.without_proof != "uninsured"
    why = "the premium is not paid in advance"
    yield from _idle((*path, "without_proof"), why, when=unused)


def _lasting(house: House, table: InsuranceTable) -> Iterator[Problem]:
    """Find keys of a premium that lasts until the stake is decided and cannot."""
    if table.lasts == "coup":
        return
    machine, prisons = house.machine, set(table.covers) - {FREE}
    ties = [
        course
        for state in table.covers
        for verdict, courses in machine.occurring(state)
        if verdict.kind == "push"
        for course in courses
    ]
    why = "every tie is a refait, and no prison is covered"
    yield from _idle(("insurance", "lasts"), why, when=not ties and not prisons)
    lost = any(not course.staying and not course.returned for course in ties)
    unused = bool(ties) and not lost and Verdict.APRES not in table.kept
    why = "on an ordinary tie the premium stays in force, or is returned with the stake"
    yield from _idle(("insurance", "premium_on", "apres"), why, when=unused)
    for state in table.covers:
        for verdict, _courses in machine.occurring(state):
            for course in machine.courses(state, verdict, insured=table.back):
                if course.state and course.state not in table.covers:
                    yield Problem(
                        ("insurance", "covers"),
                        "cover-ends",
                        f"a stake insured in {state!r} may move to {course.state!r}, which is not "
                        "covered, but its premium insures it until it is decided",
                        f"add {course.state!r} to covers",
                        fix=(("insurance", "covers"), [*table.covers, course.state]),
                    )
                    return


def _table_of(house: House) -> None:
    table: object = house.insurance_table
    if table is not None and not isinstance(table, InsuranceTable):
        raise TypeError(f"it built {shown(table)}, not an InsuranceTable")


def _no_stake_possible(house: House, limits: Limits) -> Iterator[Problem]:
    """Refuse limits that let no stake on a chance through, whatever the opening."""
    text, seen = house.money.text, set[KeyPath]()

    def amount(units: int) -> object:
        return house.money.amount(units).written()

    lowest = 1
    for chance in (chance.id for chance in house.chances):
        own = limits.own(chance)
        bounded = own != OwnBounds(chance)
        at: KeyPath = ("limits", "per_chance", chance) if bounded else ("limits", "step")
        for table in limits.tables:
            bounds = limits.bounds_at(table, _NOTHING_POSTED, chance)
            lowest = max(lowest, bounds.lowest)
            most = bounds.most  # a minimum that is set at the opening counts as none
            path, fix = at, (at, 0) if not bounded else ((*at, "maximum"), amount(bounds.lowest))
            if own.multiple is not None:
                fix = (*at, "maximum_multiple"), NONE
            if bounds.win is not None:
                path = (*at, "maximum_win") if own.maximum_win else ("limits", "maximum_win")
                fix = (path, NONE)
            if most is not None and bounds.lowest > most and path not in seen:
                seen.add(path)
                yield Problem(
                    path,
                    "no-stake-possible",
                    f"no stake on {chance} is a multiple of {text(bounds.step)} from "
                    f"{text(bounds.least)} to {text(most)}",
                    "widen the limits",
                    fix=fix,
                )
    if not seen and limits.tables[0].minimum is None:
        yield from _no_minimum_possible(house, limits)
    for name in _TOGETHER:
        most = getattr(limits, name)
        if most is not None and most < lowest:
            yield Problem(
                ("limits", name),
                "no-stake-possible",
                f"a stake of {text(lowest)} alone is above {text(most)}",
                f"raise {name}, or lower the minimum",
                fix=(("limits", name), amount(lowest)),
            )


def _no_minimum_possible(house: House, limits: Limits) -> Iterator[Problem]:
    """Refuse limits of which no minimum at the opening leaves a stake on every chance."""
    text, (least, _greatest) = house.money.text, limits.posted_minima
    for chance in (chance.id for chance in house.chances):
        most = limits.greatest_minimum(chance)
        if most is not None and most < least:
            path: KeyPath = ("limits", "maximum_multiple")
            yield Problem(
                path,
                "no-stake-possible",
                f"a table opens at {text(least)} or more, so that its maximum leaves a stake on "
                f"every chance, and no stake on {chance} is possible above {text(most)}",
                "raise it, or widen the limits of that chance",
                fix=(path, NONE),
            )
            return


_TOGETHER: Final = ("aggregate_maximum", "differential_maximum", "table_maximum")
"""The maxima of all players together; each of the first two lies below the next that is set."""


_COUNTS: Final = ("most_stakes", "table_most_stakes")
_MAXIMA: Final = ("maximum_win", *_TOGETHER, *_COUNTS)


def _idle_maxima(house: House, limits: Limits) -> Iterator[tuple[str, bool, str]]:
    """Return each maximum of the house, whether it cannot act, and why."""
    total, over, table = (getattr(limits, name) for name in _TOGETHER)
    paired = has_opposites(house.deal.chances)
    yield "differential_maximum", over is not None and not paired, "no chance has its opposite"
    for name, units, above, wider in (
        ("aggregate_maximum", total, table, "table_maximum"),
        ("differential_maximum", over, total, "aggregate_maximum"),
        ("differential_maximum", over, table, "table_maximum"),
    ):
        unused = units is not None and above is not None and units >= above
        yield name, unused, f"{wider} is reached first"
    if limits.maximum_payout is not None:
        without = attrs.evolve(limits, maximum_payout=None)
        acts = any(
            limits.bounds_at(each, _NOTHING_POSTED, chance.id)
            != without.bounds_at(each, _NOTHING_POSTED, chance.id)
            for each in limits.tables
            for chance in house.chances
        )
        yield "maximum_win", not acts, "no stake that is accepted can win more"
    yield from _idle_counts(house, limits)


def _idle_counts(house: House, limits: Limits) -> Iterator[tuple[str, bool, str]]:
    """Return each number of stakes that no player, or no table, can reach, and why."""
    own, together = limits.most_stakes, limits.table_most_stakes
    unused = own is not None and together is not None and own >= together
    yield "most_stakes", unused, "table_most_stakes is reached first"
    chances = [chance.id for chance in house.chances]
    bounds = [
        [limits.bounds_at(table, _NOTHING_POSTED, chance) for chance in chances]
        for table in limits.tables
    ]
    # Of a minimum that is set at the opening nobody knows how often a maximum holds it.
    known = not limits.posted and all(each.most is not None for row in bounds for each in row)
    if own is not None and known:
        most = max(sum((each.most or 0) // each.lowest for each in row) for row in bounds)
        yield "most_stakes", own >= most, f"the maxima hold {most} of the least stakes"
    if together is not None and limits.table_maximum is not None and not limits.posted:
        most = limits.table_maximum // min(each.lowest for row in bounds for each in row)
        why = f"table_maximum holds {most} of the least stakes"
        yield "table_most_stakes", together >= most, why


def _has(rule: object, name: str) -> bool:
    """Return whether a rule has a key of this name."""
    return any(info.name == name for info in keys_of(type(rule)))


def _limits(house: House, *, faulty: bool) -> Iterator[Problem]:
    """Find wrong limits; where the refait rule is ``faulty``, by the odds of free stakes alone."""
    wrong = [*_built(("limits",), lambda: house.free_limits, house.limits)]
    yield from wrong
    if wrong:
        return
    limits = house.free_limits if faulty else house.limits_table
    yield from _no_stake_possible(house, limits)
    ids = [chance.id for chance in house.chances]
    unknown = _unknown("chance", ids, "key")
    for own in limits.per_chance:
        path = ("limits", "per_chance", own.chance)
        if own.chance not in ids:
            yield attrs.evolve(unknown(path, own.chance), fix=(path, NONE))
        unused = own == OwnBounds(own.chance)
        why = "it names neither a minimum nor a maximum"
        yield from _idle(path, why, NONE, hint=_NO_TABLE, when=unused)
    one_sided = not limits.both_sides and not has_opposites(house.deal.chances)
    nobody_moves = limits.prisoners_move and not (faulty or house.machine.prisons)
    for name, unused, why in (
        ("move_prisoners", nobody_moves, "the house has no prison"),
        ("both_sides", one_sided, "no chance of the house has its opposite"),
        *_idle_maxima(house, limits),
    ):
        # A plugin's rule may set these in every house: then there is no key to leave out.
        if unused and _has(house.limits.rule, name):
            yield from _idle(("limits", name), why, NONE if name in _MAXIMA else None)


def _settlement(house: House) -> Iterator[Problem]:
    rule, seen = house.settlement, set[str]()
    unknown = _unknown("chance", house.deal.chances, "value")
    offered = [chance for chance in rule.pay if chance in house.deal.chances]
    for place, chance in enumerate(rule.pay):
        path = ("settlement", "pay", place)
        if chance not in house.deal.chances:
            yield attrs.evolve(unknown(path, chance), fix=(path[:-1], offered))
        if chance in seen:
            yield Problem(path, "double-chance", f"{chance!r} is paid already")
        seen.add(chance)
    unused = rule.order == "by-position" and rule.pay != ()
    why = "stakes are paid as they lie, whatever their chance"
    yield from _idle(("settlement", "pay"), why, [], when=unused)
    for name in ("pay", "collect_from", "pay_from"):
        unused = rule.order == "as-placed" and getattr(rule, name) not in ((), "nearest")
        yield from _idle(
            ("settlement", name), "stakes are settled as they were placed", when=unused
        )


def _side_bets(house: House) -> Iterator[Problem]:
    seen = {*OPPOSITES}
    for place, bet in enumerate(house.side_bets):
        if bet.id in seen:
            message = f"another chance has the id {bet.id!r} already"
            yield Problem(("side_bets", place, "id"), "double-chance", message)
        seen.add(bet.id)
        path = ("side_bets", place)
        wrong = [*_built(path, partial(bet.build, bet.wins_on.rule, house.deal), bet.wins_on)]
        yield from wrong or _conditions(path, bet, house.deal)
        if not wrong and house.deal.first_row == "cut":
            yield from _odds_by_cut(path, bet, house.deal)


def _conditions(path: KeyPath, bet: SideBet, deal: DealRule) -> Iterator[Problem]:
    """Find conditions of a side bet that no coup meets, or that change nothing."""
    rule = bet.wins_on.rule
    if isinstance(rule, OutcomeBet):
        hint = "write the outcomes that win, such as [{ tie = true }]"
        yield from _idle((*path, "on"), "it names no outcome", hint=hint, when=not rule.on)
        yield from _never((*path, "on"), rule.on, deal)
    yield from _never((*path, "pushes_on"), bet.pushes_on, deal)
    for place, pay in enumerate(bet.pays):
        yield from _empty((*path, "pays", place), when=pay == Pay(odds=pay.odds))
    if not bet.pays:
        return
    left = {*filter(wins_of(rule, deal), outcomes())} - met(bet.pushes_on, deal)
    for place, pay in enumerate(bet.pays):
        paid = pay.outcomes(deal)
        yield from _idle(
            (*path, "pays", place), "no win is left that meets it", when=left.isdisjoint(paid)
        )
        left -= paid


def _odds_by_cut(path: KeyPath, bet: SideBet, deal: DealRule) -> Iterator[Problem]:
    """Refuse a side bet whose odds are others where the cut gives the first row to rouge."""

    def law(first_row: Literal["noir", "rouge"]) -> Counter[tuple[object, Verdict]]:
        verdicts = bet.verdicts(bet.wins_on.rule, attrs.evolve(deal, first_row=first_row))
        return Counter(zip(map(_alike, outcomes()), verdicts, strict=True))

    if law("noir") != law("rouge"):
        yield Problem(
            (*path, "wins_on"),
            "odds-by-cut",
            f"the odds of {bet.id} depend on the colour that the cut gives the first row",
            "leave the winner out of its conditions, or name the colour of the first row",
        )


def _alike(outcome: Outcome) -> object:
    """Return what outcomes of equal odds share: rows may be exchanged, and the two colours."""
    rows = (outcome.first, outcome.first_colour), (outcome.second, outcome.second_colour)
    other = tuple((point, Colour(1 - colour)) for point, colour in rows)
    return min(tuple(sorted(rows)), tuple(sorted(other)))


def _never(path: KeyPath, conditions: Sequence[Condition], deal: DealRule) -> Iterator[Problem]:
    for place, condition in enumerate(conditions):
        yield from _empty((*path, place), when=condition == Condition())
        yield from _idle((*path, place), "no coup meets it", when=not condition.outcomes(deal))


def _empty(path: KeyPath, *, when: bool) -> Iterator[Problem]:
    """Return the problem of a condition that every coup meets, since it asks for nothing."""
    hint = "name what the coup must be, such as tie = true"
    yield from _idle(path, "it names no condition, so every coup meets it", hint=hint, when=when)


# Notes: what a house may say, but deserves a word.


@frozen
class Note:
    """A remark on a valid house: the path of the key, what follows from it, what to do."""

    path: KeyPath
    code: str
    message: str
    hint: str = ""

    def problem(self) -> Problem:
        """Return the note as a problem, to be placed like one."""
        return Problem(self.path, self.code, self.message, self.hint)


def same_amounts(old: House, new: House) -> Iterator[tuple[KeyPath, Amount]]:
    """Return the amounts above zero that two houses write alike, in whatever currency."""
    was = dict(_written_amounts(old))
    for path, amount in _written_amounts(new):
        if amount.value and was.get(path) == amount:
            yield path, amount


def _written_amounts(house: House) -> Iterator[tuple[KeyPath, Amount]]:
    for table in ("refait", "insurance", "limits"):
        yield from amounts(getattr(house, table).rule, (table,))
    for special in house.refaits:
        yield from amounts(special.rule.rule, (*_ON, str(special.point)))


def notes(house: House) -> tuple[Note, ...]:
    """Return what is allowed in a house but probably not intended, in the order of the file.

    The codes are listed in docs/errors.md. What a rule of a plugin raises is left to the caller.
    """
    return (
        *_premiums_rounded(house),
        *_shares_rounded(house),
        *_no_sure_coup(house),
        *_openings_without_stake(house),
        *_maxima_between_steps(house),
        *_decided_bets(house),
    )


def _least_stake(house: House, chance: str, least: int = 0) -> int:
    """Return the least ordinary stake of a chance in units; at least one whole of the currency.

    A minimum that is set at the opening counts as one of the currency.
    """
    limits = house.limits_table
    table = min(limits.tables, key=lambda table: table.minimum or 0)
    bounds = limits.bounds_at(table, _NOTHING_POSTED, chance)
    one = 1 if table.minimum else math.ceil(1 / house.money.unit.value)
    return attrs.evolve(bounds, least=max(bounds.least, least, one)).lowest


def _premiums_rounded(house: House) -> Iterator[Note]:
    """Return notes on premiums that are rounded to nothing, or to more than their rate."""
    insured = (wager for (_chance, insured), wager in house.wagers.items() if insured)
    wager = next(insured, None)
    if wager is None or (table := wager.insurance) is None:
        return
    path, text = ("money", "rounding"), house.money.text
    if stakes := wager.insured_for_nothing():
        least, most = map(text, stakes)
        which = f"a stake of {least} is" if least == most else f"stakes of {least} to {most} are"
        message = f"{which} insured for nothing: the premium is rounded to 0 {house.money.currency}"
        yield Note(path, "insured-for-nothing", message, "set insurance.minimum_premium")
    if house.money.rounding == "refuse":
        return  # a premium that is not exact is refused, with its stake
    said = table.minimum_premium or table.started or table.premium_unit > 1
    if said or type(table).premium is not InsuranceTable.premium:
        return  # the house says itself that small stakes pay more
    stake = _least_stake(house, wager.chance.id, table.minimum_stake)
    stake = rounded_up(stake, table.multiple or 1)
    premium, exact = wager.premium(stake).units, stake * table.rate
    nominal = table.nominal_stakes()
    if table.refusal(stake) or premium * 10 < exact * 11:
        return
    message = (
        f"a stake of {text(stake)} is insured for {text(premium)}, which is "
        f"{_percent(Fraction(premium, stake))} and not {_percent(table.rate)}"
    )
    whole = f"; multiples of {text(nominal.step)} pay the rate" if nominal else ""
    yield Note(path, "premium-above-rate", message + whole, "set a smaller money.unit")


def _percent(share: Fraction) -> str:
    return f"{float(share * 100):.4g} %"


def _shares_rounded(house: House) -> Iterator[Note]:
    """Return a note where a part of the least stake is rounded to all or nothing of it."""
    for chance in house.simple_chances:
        stake = _least_stake(house, chance.id)
        for verdict in chance.possible():
            for course in house.machine.courses(FREE, verdict):
                if not 0 < course.returned < 1 or course.state:
                    continue
                back = round_to_player(stake * course.returned, house.money.rounding).units
                if house.money.rounding != "refuse" and back in (0, stake):
                    text = house.money.text
                    message = f"{course.returned} of a stake of {text(stake)} is {text(back)}"
                    hint = "set a smaller money.unit, or a higher limits.minimum"
                    yield Note(("money", "rounding"), "share-rounded-away", message, hint)
                    return


def _no_sure_coup(house: House) -> Iterator[Note]:
    """Return a note where a shoe may end before one coup is complete."""
    if not house.shoe.sure_coups():
        message = "the cards before the marker may not make a single coup"
        hint = "put the marker nearer to the end, or take more packs"
        yield Note(("shoe", "marker", "from_end"), "no-sure-coup", message, hint)


def _openings_without_stake(house: House) -> Iterator[Note]:
    """Return notes on chances whose own maximum lies below some minima of the opening."""
    limits = house.limits_table
    for own in limits.per_chance:
        most = limits.greatest_minimum(own.chance)
        if most is not None and own.bounded:
            message = (
                f"no stake on {own.chance} is possible where a table opens above "
                f"{house.money.text(most)}"
            )
            path = ("limits", "per_chance", own.chance, "maximum")
            hint = "an opening with a higher minimum is refused"
            yield Note(path, "no-stake-at-opening", message, hint)


def _maxima_between_steps(house: House) -> Iterator[Note]:
    """Return notes on maxima that are not multiples of the step."""
    limits, text = house.limits_table, house.money.text
    tables = [("maximum", table.maximum) for table in limits.tables if len(limits.tables) == 1]
    chances = [(f"per_chance.{own.chance}.maximum", own.maximum) for own in limits.per_chance]
    for key, most in (*tables, *chances):
        if most and most % limits.step:
            reached = most // limits.step * limits.step
            message = f"no stake reaches {text(most)}: in steps of {text(limits.step)} the most "
            path = ("limits", *key.split("."))
            yield Note(path, "maximum-between-steps", f"{message}is {text(reached)}")


def _decided_bets(house: House) -> Iterator[Note]:
    """Return notes on side bets that no coup wins, or that none loses."""
    for place, bet in enumerate(house.side_bets):
        kinds = {verdict.kind for verdict in house.chance(bet.id).possible()}
        if "win" not in kinds:
            key = "pushes_on" if "push" in kinds else "wins_on"
            message = f"no coup wins {bet.id}"
            hint = "leave some of its wins to it" if key == "pushes_on" else "name a coup that wins"
            yield Note(("side_bets", place, key), "never-wins", message, hint)
        elif "lose" not in kinds:
            message, hint = f"no coup loses {bet.id}", "name fewer coups that win"
            yield Note(("side_bets", place, "wins_on"), "never-loses", message, hint)
