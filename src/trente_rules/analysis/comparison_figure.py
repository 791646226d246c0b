"""The advantage of several houses as a figure: a bar for each house, policy and kind of chance."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Final

from trente_rules.analysis.comparison import Compared, chances_text
from trente_rules.analysis.figures import bars
from trente_rules.errors import TrenteError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_INSURED: Final = "insured"


def comparison_figure(compared: Sequence[Compared], chances: Sequence[str] = ()) -> Figure:
    """Answer the edges per coup, in per cent of the stake, by house and policy.

    Of a comparison that names no ``chances``, the simple ones are drawn: beside side bets, whose
    edges are many times theirs, their differences would not be seen. Chances that are alike share
    their bars. Raises ``TrenteError`` ("bad-figure") where no wager is left to draw, and
    ("needs-report") where matplotlib is not installed.
    """
    labels: list[str] = []
    rows: list[dict[str, Fraction]] = []
    for one in compared:
        drawn = _edges(one, chances)
        for edges, alike in drawn:
            text = chances_text(one.house, alike)
            plain = len(drawn) == 1 and (not chances or len(chances) == len(alike))
            labels.append(one.house.name if plain else f"{one.house.name}: {text}")
            rows.append(edges)
    if not rows:
        raise TrenteError(
            "no house has a wager to draw", "bad-figure", "name other houses, chances or a stake"
        )
    names = dict.fromkeys(name for row in rows for name in row)
    groups = sorted(names, key=lambda name: name.startswith(_INSURED))  # those stand last
    stakes = {str(one.stake) for one in compared if one.stake is not None}
    of = f", for a stake of {stakes.pop()}" if stakes else ""
    which = ", ".join(chances) or "simple chances"
    return bars(
        f"The bank's advantage, per stake{of}: {which}",
        labels,
        [[_percent(row.get(name)) for row in rows] for name in groups],
        x_label="edge per coup, in per cent of the stake",
        groups=groups,
        horizontal=True,
        number_format="{:.5f} %",
    )


def is_drawable(compared: Sequence[Compared], chances: Sequence[str] = ()) -> bool:
    """Answer whether there is a wager to draw: stakes that are never settled have no figures."""
    return any(_edges(one, chances) for one in compared)


def _edges(
    one: Compared, chances: Sequence[str]
) -> list[tuple[dict[str, Fraction], tuple[str, ...]]]:
    """Answer the edges of a house by the name of the policy, with the chances that share them."""
    simple = {chance.id for chance in one.house.chances if chance.simple}
    by_chance: dict[str, dict[str, Fraction]] = {}
    for wager in one.advantage.wagers:
        if wager.chance in (chances or simple):
            policy = str(wager.policy)
            if wager.insured:
                policy = f"{_INSURED}, {policy}" if wager.policy.choices else _INSURED
            by_chance.setdefault(wager.chance, {})[policy] = wager.edge
    alike: dict[tuple[tuple[str, Fraction], ...], list[str]] = {}
    for chance, edges in by_chance.items():
        alike.setdefault(tuple(edges.items()), []).append(chance)
    return [(dict(edges), tuple(shared)) for edges, shared in alike.items()]


def _percent(edge: Fraction | None) -> float | None:
    return None if edge is None else float(edge * 100)
