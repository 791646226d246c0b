"""Simulated houses as a report: what the bank won of a stake, next to the exact edge."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any, Final

from trente_rules.core.house.house import House
from trente_rules.core.machine import Policy
from trente_rules.core.text import counted, with_error
from trente_rules.odds.advantage import MOST_CARRIED, advantage
from trente_rules.odds.coup_odds import fresh_shoe
from trente_rules.reports.comparison import Compared
from trente_rules.reports.comparison_layout import scope_parts
from trente_rules.reports.document import Cell, Column, Grid, Lines, Part, Report
from trente_rules.reports.nominal import scope_json, scopes
from trente_rules.simulation.flat_result import (
    BASES,
    Measure,
    PairDifference,
    SimulatedHouse,
    SimulatedWager,
    Simulation,
)

Exact = dict[tuple[str, bool, Policy], Fraction]
"""The exact edges of a fresh shoe, by chance, insurance and policy."""
MOST_BARS: Final = 60
"""The most wagers that a figure is drawn of."""
_COLUMNS: Final = (
    Column("chance"),
    Column("play"),
    Column("simulated", ".4%"),
    Column("exact", ".4%"),
    Column("z", "+.2f"),
)
_ALL: Final = Column("all coups", ".4%")
_FLAT: Final = (
    *("house", "chance", "insurance", "policy", ("coups", "d"), ("edge", ".6f")),
    *(("standard_error", ".6f"), ("exact_edge", ".6f"), ("z", ".3f"), ("edge_of_all_coups", ".6f")),
)


def exact_of(house: House, chances: Sequence[str]) -> tuple[Exact, Compared]:
    """Return the exact edges of a fresh shoe, with the stakes that they hold for.

    What is simulated is nominal too: edges and scopes are those of both.
    """
    names = [chance.id for chance in house.chances if not chances or chance.id in chances]
    odds = fresh_shoe(house.shoe.packs)
    found = advantage(house, odds, chances=names)
    edges = {(one.chance, one.insured, one.policy): one.edge for one in found.wagers}
    return edges, Compared(house, found, scopes=scopes(house, odds, found.wagers))


def houses_report(
    done: Simulation,
    exact: Sequence[tuple[Exact, Compared]],
    *,
    full: bool,
    more: bool = False,
) -> Report:
    """Lay out simulated houses: a table each, a row a wager; all policies where ``full``.

    ``more`` adds a line on how to see the rest.
    """
    from trente_rules.reports.figures import dots, page_figure  # noqa: PLC0415 - of the extra

    pairs = [(house, edges) for house, (edges, _one) in zip(done.houses, exact, strict=False)]
    parts: list[Part] = []
    for house, edges in pairs:
        parts += _house_parts(house, edges, done.seed, full=full)
    parts.append(
        "simulated: what the bank won of a stake, in coups sure to be completed; z: how many "
        "standard errors (+-) it is above the exact edge. From -2 to 2 is chance."
    )
    if any(
        w.sure.edge is not None and not w.sure.standard_error for h, _e in pairs for w in h.wagers
    ):
        parts.append(
            "A wager without z wins too seldom for a standard error in so few coups: one "
            f"stake can carry more than {float(MOST_CARRIED):.0%} of the variance."
        )
    if more and not full:
        parts.append(Lines(("More: --full, --format json",)))
    parts.extend(scope_parts(one for _edges, one in exact))
    if done.differences:
        parts.append(_differences(done.differences))
    bar = [(f"{h.name} {w.chance}, {play_text(w)}", w, e) for h, e in pairs for w in h.wagers]
    drawn = [(name, wager.sure.edge, _edge_of(wager, edges)) for name, wager, edges in bar]
    simulated = [None if edge is None else 100 * float(edge) for _name, edge, _exact in drawn]
    expected = [100 * float(edge) for _name, _simulated, edge in drawn]
    if drawn and len(drawn) <= MOST_BARS:
        title = "The bank's edge: simulated, and exact"
        names = [name for name, _simulated, _exact in drawn]
        series: dict[str, Sequence[float | None]] = {"exact": expected, "simulated": simulated}
        parts.append(
            page_figure(
                "simulated-",
                lambda *, narrow: dots(
                    title, names, series, x_label="% of the stake", narrow=narrow
                ),
            )
        )
    return Report(
        "Houses simulated",
        parts,
        data=lambda: houses_json(done, exact),
        flat=Grid("", _FLAT, (row for pair in pairs for row in _flat(*pair))),
    )


def houses_json(done: Simulation, exact: Sequence[tuple[Exact, Compared]]) -> dict[str, Any]:
    """Return the simulation as JSON, each wager with its exact edge and the stakes it holds for."""
    told = done.to_json()
    for house, shown, (edges, one) in zip(done.houses, told["houses"], exact, strict=False):
        money, wagers = one.house.money, zip(one.advantage.wagers, one.scopes, strict=True)
        holds = {(w.chance, w.insured, w.policy): scope for w, scope in wagers}
        for wager, line in zip(house.wagers, shown["wagers"], strict=True):
            edge = _edge_of(wager, edges)
            scope = holds[wager.chance, wager.insured, wager.policy]
            beside = {"edge_of_fresh_shoe": float(edge), "z": _z(wager.sure, edge)}
            line.update(beside | scope_json(scope, money))
    return told


def play_text(wager: SimulatedWager) -> str:
    """Return how a stake is played: ``insured``, ``partage``, ``prison, then partage``."""
    courses = list(dict.fromkeys(course for _place, course in wager.policy.choices))
    words = ", then ".join(courses) or ("" if wager.insured else "no choice")
    return ", ".join(filter(None, ("insured" if wager.insured else "", words)))


def _edge_of(wager: SimulatedWager, edges: Exact) -> Fraction:
    return edges[wager.chance, wager.insured, wager.policy]


def _z(measure: Measure, exact: Fraction) -> float | None:
    edge, error = measure.edge, measure.standard_error
    return float(edge - exact) / error if edge is not None and error else None


def _house_parts(house: SimulatedHouse, edges: Exact, seed: int, *, full: bool) -> Iterator[Part]:
    sure = sum(map(sum, house.points("sure")))
    columns = (*_COLUMNS, *((_ALL, Column("policy")) if full else ()))
    played = f"{counted(house.coups, 'coup')} of {counted(house.shoes, 'shoe')}"
    yield Grid(
        f"{house.name}: {played}, seed {seed}",
        columns,
        (_row(wager, _edge_of(wager, edges), full=full) for wager in house.wagers),
        f"{sure:,} coups are sure to be completed; {house.refaits():,} refaits, "
        f"{house.ties():,} other ties, {house.voids:,} void",
    )


def _row(wager: SimulatedWager, edge: Fraction, *, full: bool) -> tuple[Cell, ...]:
    measure = wager.sure
    simulated = _with_error(measure.edge, measure.standard_error)
    row = (wager.chance, play_text(wager), simulated, edge)
    more = (wager.all.edge, str(wager.policy)) if full else ()
    return (*row, _z(measure, edge), *more)


def _flat(house: SimulatedHouse, edges: Exact) -> Iterator[tuple[Cell, ...]]:
    for wager in house.wagers:
        edge, sure = _edge_of(wager, edges), wager.sure
        yield (
            *(house.name, wager.chance, "insured" if wager.insured else None, str(wager.policy)),
            *(house.coups, sure.edge, sure.standard_error, edge, _z(sure, edge), wager.all.edge),
        )


def _with_error(edge: Fraction | None, error: float | None) -> Cell:
    """Return a simulated edge with its standard error, alone where it has none."""
    return edge if edge is None or not error else with_error(float(edge), error, share=True)


def _differences(differences: Sequence[PairDifference]) -> Grid:
    return Grid(
        f"Differences on the same shoes, over {BASES['all']}",
        (*("house", "takes more than", "chances", ("difference", ".4%")),),
        (
            (
                *(one.second, one.first),
                ", ".join((*one.chances, *(("insured",) if one.insured else ()))),
                _with_error(one.edge, one.standard_error),
            )
            for one in differences
        ),
    )
