"""The stakes that a nominal figure holds for, and the figure at the least stake.

A nominal figure knows no rounding and no minimum premium. Where one of them moves it for a stake
that a house takes, every report that prints the figure prints its ``Scope`` with it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from functools import cache
from math import lcm
from typing import Any, Final, Protocol

from attrs import frozen

from trente_rules.core.errors import TrenteError
from trente_rules.core.house.house import House
from trente_rules.core.machine import FREE, Policy
from trente_rules.core.money import Money, rounded_up
from trente_rules.core.stakes import Opening
from trente_rules.core.wager import Wager
from trente_rules.odds.advantage import (
    Law,
    VerdictOdds,
    WagerAdvantage,
    alike_by,
    law_of,
    wager_advantages,
)
from trente_rules.odds.last_coups import LastCoups

_MOST_SHARES: Final = 64
_DIGITS: Final = 5
"""The decimals of a figure in per cent, as every report prints it."""


class Figures(Protocol):
    """The advantage on one wager under each policy: ``wager_advantages``, or one like it."""

    def __call__(
        self, wager: Wager, law: Law, *, stake: int | None, opening: Opening | None
    ) -> Iterator[WagerAdvantage]:
        """Return the advantage under each policy."""
        ...  # pragma: no cover - a protocol has no body


@frozen
class Scope:
    """The stakes that a nominal figure holds for; amounts in units.

    They are the multiples of ``multiple`` from ``least`` to ``most``; ``multiple`` is 0 where every
    stake of the house is one, ``most`` is None where there is no end. ``exact`` is False where the
    figure holds for no stake exactly. ``smallest`` is the least stake of its kind that the house
    takes, ten of the currency where it sets its minimum daily; ``edge`` is the bank's edge there,
    None where it is printed like the nominal one.
    """

    least: int
    multiple: int
    most: int | None
    exact: bool
    smallest: int
    edge: Fraction | None


def moved(nominal: Fraction, edge: Fraction) -> bool:
    """Return whether an edge is more than a tenth away from the nominal one."""
    return 10 * abs(edge - nominal) > abs(nominal)


def scopes(
    house: House,
    odds: VerdictOdds,
    wagers: Iterable[WagerAdvantage],
    posted: Opening | None = None,
    last: LastCoups | None = None,
) -> tuple[Scope | None, ...]:
    """Return the scope of each nominal figure, None where it holds for every stake.

    At a table that is open, ``posted`` has its bounds: the least stake is the one it takes. With
    ``last`` the figures are those of the last coups of a shoe.
    """
    figures = wager_advantages if last is None else last.wager_advantages
    opening = posted or _daily(house)
    lowest = posted or house.lowest_opening()
    known: dict[object, dict[Any, Fraction]] = {}

    @cache
    def least(chance: str, insured: bool) -> tuple[int, dict[Any, Fraction]]:  # noqa: FBT001
        """Return the least stake of a wager, and its figures by their policies."""
        wager = house.wager(chance, insured=insured)
        smallest, law = _smallest(wager, opening), law_of(wager.chance, odds)
        key = alike_by(wager.chance, law), insured, smallest
        if key not in known:
            alike = never_rounded(wager, smallest)
            known[key] = {} if alike else _edges(wager, law, smallest, opening, figures)
        return smallest, known[key]

    return tuple(
        None
        if wager.stake is not None
        else _scope(house, lowest, wager, *least(wager.chance, wager.insured))
        for wager in wagers
    )


def _scope(
    house: House,
    lowest: Opening,
    nominal: WagerAdvantage,
    smallest: int,
    edges: dict[Any, Fraction],
) -> Scope | None:
    wager = house.wager(nominal.chance, insured=nominal.insured)
    edge = _like(nominal, edges)
    if edge is not None and not (
        _printed(edge) != _printed(nominal.edge) if wager.insured else moved(nominal.edge, edge)
    ):
        edge = None
    if wager.insured:
        return _insured(wager, nominal.policy, lowest, smallest, edge)
    return _plain(wager, nominal.policy, smallest, edge)


def never_rounded(wager: Wager, stake: int) -> bool:
    """Return whether every policy settles a stake exactly: its figures are the nominal ones."""
    if wager.insured or wager.detained:
        return False
    courses = [course for answer in wager.machine.answers for course in answer.courses]
    if any(course.offered_from for course in courses):
        return False
    multiple = exact_multiple(wager, None)
    return multiple > 0 and stake % multiple == 0


def _edges(
    wager: Wager, law: Any, stake: int, opening: Opening, figures: Figures
) -> dict[Any, Fraction]:
    try:
        return {
            frozenset(found.policy.choices): found.edge
            for found in figures(wager, law, stake=stake, opening=opening)
        }
    except TrenteError as error:
        if error.code not in ("too-many-states", "too-many-policies"):
            raise
        return {}


def _like(nominal: WagerAdvantage, edges: dict[Any, Fraction]) -> Fraction | None:
    """Return the edge under a policy, or under one whose fewer choices it makes."""
    chosen = frozenset(nominal.policy.choices)
    return edges.get(chosen) or max((e for c, e in edges.items() if c <= chosen), default=None)


def _printed(edge: Fraction) -> str:
    return f"{float(edge) * 100:.{_DIGITS}f}"


def _insured(
    wager: Wager, policy: Policy, lowest: Opening, smallest: int, edge: Fraction | None
) -> Scope | None:
    table, limits = wager.insurance, wager.limits
    if table is None:
        return None
    bounds = limits.bounds(lowest, wager.chance.id)
    nominal, exact = table.nominal_stakes(), exact_multiple(wager, policy)
    if nominal is None or (edge is not None and not exact):
        return (
            None if edge is None else Scope(0, 0, None, exact=False, smallest=smallest, edge=edge)
        )
    # What the stake itself pays counts where rounding moves the figure at the least stake.
    multiple = lcm(nominal.step, limits.step, exact if edge is not None else 1)
    least = rounded_up(max(nominal.least, bounds.lowest), multiple)
    if least <= bounds.lowest and multiple == limits.step and nominal.most is None and edge is None:
        return None
    free = multiple == limits.step
    return Scope(
        least, 0 if free else multiple, nominal.most, exact=True, smallest=smallest, edge=edge
    )


def _plain(wager: Wager, policy: Policy, smallest: int, edge: Fraction | None) -> Scope | None:
    """Return the scope of a stake without insurance, which rounding alone can move."""
    if edge is None:
        return None
    multiple = lcm(exact_multiple(wager, policy), wager.limits.step)
    return Scope(multiple, multiple, None, exact=multiple > 0, smallest=smallest, edge=edge)


def exact_multiple(wager: Wager, policy: Policy | None) -> int:
    """Return the units whose multiples a policy settles exactly, every policy where it is None.

    It is 0 where none are.
    """
    seen = {(FREE, Fraction(1))}
    order = list(seen)
    units = 1
    for state, share in order:
        for verdict, _courses in wager.machine.occurring(state):
            courses = wager.courses(state, verdict)
            chosen = policy.course(state, verdict) if policy else ""
            taken = [c for c in courses if c.name == chosen] or courses[:1]
            for course in taken if policy else courses:
                kept = share * course.staying
                back = share * course.returned
                parts = (back, back * course.pays, share * course.taken, kept)
                units = lcm(units, *(part.denominator for part in parts))
                if kept and (course.state, kept) not in seen:
                    if len(seen) >= _MOST_SHARES:
                        return 0
                    seen.add((course.state, kept))
                    order.append((course.state, kept))
    return lcm(units, *(verdict.odds.denominator for verdict in wager.chance.verdicts))


def _daily(house: House) -> Opening:
    """Return the lowest opening; ten of the currency where the minimum is set daily."""
    limits = house.limits_table
    if limits.by_opening or limits.tables[0].minimum is not None:
        return house.lowest_opening()
    units = rounded_up(house.usual_minimum, limits.step)
    return house.opening_with(units, units)


def least_stake(house: House, chance: str, *, insured: bool = False) -> int:
    """Return the least stake on a chance, in units: ten of the currency where it is set daily.

    With ``insured``, the least that the house insures; raises ``BetError`` as ``House.wager``.
    """
    return _smallest(house.wager(chance, insured=insured), _daily(house))


def _smallest(wager: Wager, opening: Opening) -> int:
    """Return the least stake of a wager that the house takes."""
    least = wager.limits.bounds(opening, wager.chance.id).lowest
    if wager.insurance is None:
        return least
    step = lcm(wager.limits.step, wager.insurance.multiple or 1)
    return rounded_up(max(least, wager.insurance.minimum_stake), step)


def scope_text(scope: Scope, money: Money) -> str:
    """Return a scope in English: ``from 500 FRF; 22.80731 % at 20 FRF``."""
    text = money.text
    if not scope.exact:
        parts = ["for no stake exactly"]
    elif scope.multiple and scope.multiple == scope.least:
        parts = [f"for multiples of {text(scope.multiple)}"]
    elif scope.multiple:
        parts = [f"for multiples of {text(scope.multiple)} from {text(scope.least)}"]
    else:
        parts = [f"from {text(scope.least)}"]
    if scope.most is not None:
        parts[0] += f" to {text(scope.most)}"
    if scope.edge is not None:
        parts.append(f"{_printed(scope.edge)} % at {text(scope.smallest)}")
    return "; ".join(parts)


def scope_json(scope: Scope | None, money: Money) -> dict[str, Any]:
    """Return a scope as JSON and CSV have it, amounts in the currency."""

    def amount(units: int | None) -> int | float | None:
        if units is None:
            return None
        value = money.amount(units).value
        return value.numerator if value.denominator == 1 else float(value)

    if scope is None:
        return dict.fromkeys(KEYS)
    edge = scope.edge
    values = (
        amount(scope.least) if scope.exact else None,
        amount(scope.multiple or None) if scope.exact else None,
        amount(scope.most),
        amount(scope.smallest),
        None if edge is None else float(edge),
        None if edge is None else f"{edge.numerator}/{edge.denominator}",
    )
    return dict(zip(KEYS, values, strict=True))


KEYS: Final = (
    *("holds_from", "holds_for_multiples_of", "holds_to"),
    *("smallest_stake", "edge_at_smallest", "edge_at_smallest_exact"),
)
"""The keys of a scope in JSON and CSV; all null where a figure holds for every stake."""


def scope_lines(
    house: House, labelled: Iterable[tuple[str, WagerAdvantage, Scope | None]]
) -> Iterator[str]:
    """Yield a line for each figure that does not hold for every stake, each once."""
    lines = {
        f"{label}: {_printed(wager.edge)} % {scope_text(scope, house.money)}": None
        for label, wager, scope in labelled
        if scope is not None
    }
    yield from lines
