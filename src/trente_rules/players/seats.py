"""Seats from names: a system as it is written, its base stake, the table that takes the stake."""

from __future__ import annotations

import tomllib
from fractions import Fraction
from math import sqrt
from typing import Any, Final

import attrs
from attrs import frozen

from trente_rules.core.errors import TrenteError, shown
from trente_rules.core.house.converter import structure
from trente_rules.core.house.house import House
from trente_rules.core.money import rounded_up
from trente_rules.core.plugins.manager import PluginManager, default_manager
from trente_rules.core.stakes import Opening
from trente_rules.core.systems import System
from trente_rules.odds.advantage import VerdictOdds
from trente_rules.simulation.runner import figures
from trente_rules.simulation.seat import Play, Seat
from trente_rules.simulation.staking_result import SimulatedSystem, stakes_placed

DEFAULT_BANKROLL: Final = 1000
"""The default bankroll in base stakes."""
LONGEST: Final = 1000
MOST_TIMES: Final = 1000
"""An insured base stake is less than so many least stakes."""
_CHANCE_KEYS: Final = ("chance", "begin")


def system_of(text: str, manager: PluginManager | None = None, *, chance: str = "") -> System:
    """Read a system: its name, and its keys as a table of TOML where they differ.

    ``"paroli"``, ``"paroli{coups=2}"``, ``"labouchere{line=[1, 1, 2], chance='noir'}"``. ``chance``
    is the one that is bet on, or bet on first, where the text names none.

    Raises ``PluginError`` ("unknown-system") with the nearest name, ``TrenteError``
    ("bad-system-text") where the keys cannot be read or are not the system's.
    """
    name, brace, keys = text.strip().partition("{")
    rule = (manager or default_manager()).rule("system", name.strip().lower()).rule
    table = _keys(text, keys) if brace else {}
    for key in _CHANCE_KEYS:
        if chance and key in {field.name for field in attrs.fields(rule)}:
            table.setdefault(key, chance)
    system: System
    system, problems = structure(rule, table, (name,))
    for problem in problems:
        where = ".".join(map(str, problem.path))
        raise TrenteError(f"{where}: {problem.message}", "bad-system-text", problem.hint)
    return system


def _keys(text: str, keys: str) -> dict[str, Any]:
    """Return the keys behind the brace, read as one table of TOML."""
    why = "it is too long, or has more than one line"
    if len(text) <= LONGEST and not {*"\n\r"} & {*text}:
        try:
            return dict(tomllib.loads(f"keys = {{{keys}\n")["keys"])
        except ValueError as error:
            why = str(error)
    raise TrenteError(
        f"the system {shown(text)} cannot be read: {why}",
        "bad-system-text",
        "write a name, or a name with its keys: paroli{coups=2}",
    )


def base_stake(house: House, *, insured: bool = False) -> int:
    """Return the least stake of a house in units; insured, the least whose premium is not rounded.

    Where the minimum is set when the table opens, it is ten of the currency.
    """
    tables = house.limits_table.tables
    least = min((table.minimum for table in tables if table.minimum), default=0)
    if not least:
        least = house.usual_minimum
    table = house.insurance_table if insured else None
    if table is not None:
        least = max(least, table.minimum_stake)
        least = rounded_up(least, table.multiple or 1)
        for amount in range(least, least * MOST_TIMES, least):
            rounded = table.premium(amount, house.money.rounding).units != amount * table.rate
            if not rounded and not table.refusal(amount):
                return amount
    return least


def opening_for(house: House, base: int) -> Opening:
    """Return the opening of the table that a base stake is played at.

    A minimum that is set daily is the base stake itself; of several tables it is the one with the
    highest maximum of those that take the stake.
    """
    tables = house.limits_table.tables
    if tables[0].minimum is None:
        return house.opening_with(base, base)
    fitting = [table for table in tables if table.takes(base)]
    if not fitting:
        return house.lowest_opening()
    highest = max(fitting, key=lambda table: (table.most is None, table.most or 0))
    return house.opening_with(highest.minimum or 1, base)


def seat_of(  # noqa: PLR0913 - each is given by name
    house: House,
    system: System | str,
    *,
    label: str = "",
    base: int | None = None,
    bankroll: int | None = None,
    endless: bool = False,
    insured: bool = False,
    play: Play = "default",
) -> Seat:
    """Return a seat; amounts in units of the house.

    ``base`` (default: the house's least stake), ``bankroll`` (default: 1000 base stakes, or endless
    credit where ``endless`` is set). Raises as ``system_of`` for a system that is given by name.
    """
    if isinstance(system, str):
        label, system = label or system, system_of(system)
    units = base_stake(house, insured=insured) if base is None else base
    if bankroll is None and not endless:
        bankroll = DEFAULT_BANKROLL * units
    opening = opening_for(house, units) if type(units) is int and units > 0 else Opening()
    return Seat(
        house=house,
        label=label or type(system).__name__,
        system=system,
        base=units,
        bankroll=None if endless else bankroll,
        insured=insured,
        play=play,
        opening=opening,
    )


# The expected result of a system: the bank's exact edge on the stakes it placed.


@frozen
class Expected:
    """The exact edge on the stakes of a seat, and its simulation compared with it.

    ``edge`` is per unit staked; ``share`` is the loss of the simulation, as a part of that;
    ``error`` the standard error of the net per unit staked, from the exact variance of every stake
    that was placed; ``z`` how many standard errors the net is above the expected one; ``n0`` after
    how many coups the expected loss is as large as one standard deviation. These three are None
    where a single stake carries so much of the variance that they mean nothing; ``why`` says so.
    ``n0`` is exact for flat stakes (``exact_n0``), otherwise an estimate of two digits, and None
    for the reason ``why_n0`` where most sessions end in ruin.
    """

    edge: Fraction
    share: float | None
    error: float | None
    z: float | None
    n0: float | None
    why: str = ""
    why_n0: str = ""
    exact_n0: bool = False

    def to_json(self) -> dict[str, Any]:
        """Return all figures as an object."""
        return {
            **figures(self, "edge share standard_error=error z n0"),
            "why": self.why or self.why_n0 or None,
        }


def expected_of(one: SimulatedSystem, odds: VerdictOdds | None = None) -> Expected | None:
    """Return the expected result of a seat, None where it placed no stake.

    The odds are those of a fresh shoe of the house, as for every coup that is sure to be completed;
    the last coups of a taille hold a few refaits more.
    """
    if not one.staked:
        return None
    placed = one.expected if odds is None else stakes_placed(one, odds)
    edge = placed.loss / one.staked
    share = float(-one.net / one.staked / edge) if edge else None
    if not one.errs:
        return Expected(edge, share, None, None, None, why=_why_no_error(one))
    error = sqrt(placed.variance)
    z = float(one.net + placed.loss) / error if error else None
    if 2 * one.ruined > one.sessions:
        why = "most of its sessions end in ruin, and nobody plays so long"
        return Expected(edge, share, error / one.staked, z, None, why_n0=why)
    return Expected(edge, share, error / one.staked, z, placed.n0, exact_n0=placed.flat)


def _why_no_error(one: SimulatedSystem) -> str:
    """Return why a result has no error, as a sentence."""
    greatest = one.seat.house.money.text(one.greatest.greatest or 0)
    return (
        f"one stake of {greatest} carries {100 * one.carried:.0f} % of the squares of all stakes, "
        "and no sample shows how far such a net can be off"
    )
