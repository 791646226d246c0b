"""What ``--sequential`` tells besides: the advantage with the dependence within a shoe."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

import click

from trente_rules.analysis.comparison import Compared, chances_text, lowest_opening
from trente_rules.analysis.sequential import Sequential, SequentialWager, sequential
from trente_rules.cli.output import Table, percent
from trente_rules.errors import TrenteError

COLUMNS: Final = ("edge_sequential", "difference", "error_bound")
"""What a wager has besides, in JSON and CSV."""
_NUMBERS: Final = frozenset(("edge", "sequential edge", "difference", "error bound"))


def sequential_of(one: Compared) -> Sequential:
    """Answer the advantage of a house that was compared, with the dependence taken in.

    The wagers stand in the order of its advantage. An infinite pack, whose coups are independent,
    and packs that no law is stored for are misuse.
    """
    packs, _dash, whole = one.advantage.deal.partition("-")
    if not whole:
        raise click.UsageError("--sequential is of a shoe of 1 to 8 packs: own, or N-packs")
    units = None if one.stake is None else one.house.money.units(one.stake)
    try:
        return sequential(
            one.house,
            packs=int(packs),
            chances=dict.fromkeys(wager.chance for wager in one.advantage.wagers),
            stake=units,
            opening=lowest_opening(one.house, units or 0),
        )
    except TrenteError as error:
        if error.code == "no-law-after-tie":
            raise click.UsageError(f"{one.house.name}: {error}") from error
        raise


def sequential_json(wager: SequentialWager) -> dict[str, Any]:
    """Answer the keys that JSON and CSV have besides."""
    numbers = (wager.sequential, wager.difference, wager.error)
    return dict(zip(COLUMNS, map(float, numbers), strict=True))


def sequential_table(compared: Iterable[tuple[Compared, Sequential]]) -> Table:
    """Answer both advantages, a line for each house, policy and group of chances alike."""
    rows: list[tuple[str, ...]] = []
    for one, found in compared:
        groups: dict[tuple[bool, str, tuple[str, ...]], list[str]] = {}
        for wager in found.wagers:
            numbers: tuple[str, ...] = (
                percent(wager.independent, 7),
                percent(wager.sequential, 7),
                percent(wager.difference, 7) if wager.difference else "none",
                _bound(wager),
            )
            groups.setdefault((wager.insured, str(wager.policy), numbers), []).append(wager.chance)
        for (insured, policy, told), chances in groups.items():
            name = chances_text(one.house, chances)
            insurance = "insured" if insured else "-"
            rows.append((one.house.name, found.deal, name, insurance, policy, *told))
    return Table(
        "The same, with the dependence within a shoe",
        (
            "house",
            "deal",
            "chances",
            "insurance",
            "policy",
            "edge",
            "sequential edge",
            "difference",
            "error bound",
        ),
        tuple(rows),
        _NUMBERS,
    )


def _bound(wager: SequentialWager) -> str:
    if not wager.error:
        return "exact"
    bound = f"{100 * float(wager.error):.1e} %"
    return bound if wager.certain else f"{bound}, above the difference"
