"""The bankroll through a session as a figure: one small panel for each system, ruin drawn in."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from textwrap import fill
from typing import TYPE_CHECKING, Final

from trente_rules.core.text import printable
from trente_rules.reports.figures import BAD, INK, PALETTE, drawing
from trente_rules.simulation.sessions import SessionLaw
from trente_rules.simulation.staking_result import SimulatedSystem, bands

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_LOW, _MIDDLE, _HIGH = "0.05", "0.5", "0.95"
_ABREAST: Final = 2
_WIDTH: Final = 8.0  # inches, as every length here
_NARROW: Final = 3.75
_PANEL: Final = 2.4
_TITLE: Final = 0.6
_LEGEND: Final = (
    "blue: the median session, and 5 % to 95 % of sessions; dotted: the start;",
    "red: sessions ruined by then (right); thin: exactly, on independent coups",
)


def bankroll_figure(
    seats: Sequence[SimulatedSystem],
    laws: Sequence[SessionLaw | str] = (),
    *,
    narrow: bool = False,
) -> Figure:
    """Return a figure with a panel for each system: the bankroll, and how many are ruined.

    The line is the median session, the band holds 90 % of them; the red line on the right axis is
    the share of sessions that were ruined by then, with a thin line for its exact law, where
    ``laws`` has one. ``narrow`` is for a phone.

    Raises ``TrenteError`` ("needs-report").
    """
    columns = 1 if narrow else min(_ABREAST, len(seats))
    rows = -(-len(seats) // columns)
    with drawing():
        from matplotlib.figure import Figure as Made  # noqa: PLC0415 - of the extra

        figure = Made(
            figsize=(_NARROW if narrow else _WIDTH, _PANEL * rows + _TITLE), layout="constrained"
        )
        figure.suptitle("The bankroll through a session", x=0.01, ha="left", fontsize=11)
        panels = figure.subplots(rows, columns, squeeze=False, sharex=True)
        flat = [panel for row in panels for panel in row]
        several = len({one.seat.house.name for one in seats}) > 1
        for number, panel in enumerate(flat):
            if number < len(seats):
                law = laws[number] if laws else ""
                _draw(panel, seats[number], law, house=several)
            else:
                panel.set_visible(False)
        for panel in flat[len(seats) - columns : len(seats)]:  # the lowest of each column
            panel.set_xlabel("coup of the session")
            panel.tick_params(labelbottom=True)
        legend = fill(" ".join(_LEGEND), 48 if narrow else 120)
        figure.supxlabel(legend, x=0.01, ha="left", fontsize=8)
    return figure


def _draw(panel: Axes, one: SimulatedSystem, law: SessionLaw | str, *, house: bool) -> None:
    """Draw one system into its panel."""
    seat = one.seat
    unit = float(seat.house.money.unit.value)
    name = f"{seat.house.name}: {seat.label}" if house else seat.label
    told = bands(one, start=seat.bankroll or 0)
    coups = list(told)
    low, middle, high = (
        [unit * (band[part] or 0) for band in told.values()] for part in (_LOW, _MIDDLE, _HIGH)
    )
    panel.set_title(printable(name), loc="left", fontsize=10)
    panel.set_ylabel(printable(seat.house.money.currency))
    panel.fill_between(coups, low, high, color=PALETTE[0], alpha=0.2, linewidth=0)
    panel.plot(coups, middle, color=PALETTE[0], linewidth=1.4)
    panel.axhline(unit * (seat.bankroll or 0), color=INK, linewidth=0.8, linestyle=":")
    if seat.bankroll is None or not one.sessions:
        return
    ends = [0, *one.lasted.counts, one.session]
    ruined = [0, *accumulate(one.lasted.counts.values())]
    shares = [100 * count / one.sessions for count in (*ruined, ruined[-1])]
    other = panel.twinx()
    other.grid(visible=False)
    other.step(ends, shares, where="post", color=BAD, linewidth=1.2, linestyle="--")
    if isinstance(law, SessionLaw):
        exact = [100 * share for share in law.ruined]
        other.plot(range(len(exact)), exact, color=BAD, linewidth=0.7)
    other.set_ylim(0, 100)
    other.set_yticks([0, 50, 100], ["0 %", "50 %", "100 %"], color=BAD)
    panel.set_title(f"ruined: {shares[-1]:.1f} %", loc="right", fontsize=9, color=BAD)
