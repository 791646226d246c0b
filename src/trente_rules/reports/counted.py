"""Card counting as a report: what a player who remembers every card could gain."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from trente_rules.core.text import counted
from trente_rules.players.counting import CHANCES, PUBLISHED, Counting, Favourable
from trente_rules.reports.comparison import BestScopes
from trente_rules.reports.document import Cell, Column, Grid, Items, Lines, Part, Report

_COLUMNS: Final = (
    Column("of the shoe"),
    Column("coups", "d"),
    Column("favourable", ".2%"),
    Column("mean edge", ".4%"),
    Column("least edge", ".4%"),
)
_WORDS: Final = {False: "uninsured", True: "insured"}


def counting_report(found: Counting, scope: BestScopes) -> Report:
    """Lay out what was counted: the answer, then a table for uninsured and for insured stakes."""
    held, (plain, insured) = scope
    parts: list[Part] = [
        Lines(
            (
                f"{found.house.name}: {_dealt(found)}, seed {found.seed}",
                f"as a counter of all cards saw them; the better of {' and '.join(CHANCES)}",
            )
        ),
        Lines(_answers(found)),
        *(_table(found, insured=insured) for insured in (False, True) if _of(found, insured)),
    ]
    if held:
        parts += [
            "Figures are nominal. These, of a full shoe, do not hold for every stake:",
            Items(held),
        ]
    parts.append(f"{PUBLISHED}.")
    holds = {"uninsured": plain, "insured": insured}
    return Report(
        f"Counting cards at {found.house.name}",
        parts,
        data=lambda: {**found.to_json(), "holds": holds},
        flat=_flat(found),
    )


def _dealt(found: Counting) -> str:
    coups, shoes = len(found.coups), found.shoes
    return f"{counted(coups, 'coup')} of {counted(shoes, 'shoe')}"


def _of(found: Counting, insured: bool) -> Favourable | None:  # noqa: FBT001 - one of two
    return found.insured if insured else found.uninsured


def _answers(found: Counting) -> Iterator[str]:
    """Yield in plain language how often a stake is favourable, and what it gains."""
    for insured, words in _WORDS.items():
        both = _of(found, insured)
        if both is None:
            continue
        if both.favourable:
            yield f"{words}: {both.favourable:,} of {both.coups:,} coups favour the player, by"
            yield f"  {100 * both.gain:.4f} % of the stake on average; a stake at each of them"
            yield f"  gains {1000 * both.per_coup:.4f} stakes in 1,000 coups watched"
        else:
            yield f"{words}: none of {both.coups:,} coups favours the player"
        linear = found.linear(insured=insured)
        if linear is not None and linear.correlation is not None:
            placed = "none of them"
            if linear.placed:
                placed = (
                    f"{linear.placed:,} of them, {linear.right:,} rightly, mean gain "
                    f"{100 * linear.gain:.4f} %"
                )
            yield f"  the linear count finds {placed}"
            yield f"  (correlation with the exact edge: {linear.correlation:.3f})"
    if found.too_few:
        yield f"{found.too_few:,} coups left out: fewer than 40 cards were unseen (--to-the-end)"


def _table(found: Counting, *, insured: bool) -> Grid:
    rows = [
        _row(f"{100 * low:.0f} to {100 * high:.0f} %", both[insured])
        for low, high, *both in found.by_depth()
    ]
    rows.append(_row("all", _of(found, insured)))
    return Grid(_WORDS[insured].capitalize(), _COLUMNS, rows)


def _row(name: str, one: Favourable | None) -> tuple[Cell, ...]:
    if one is None or one.mean is None or one.best is None:
        return (name, None, None, None, None)
    return (name, one.coups, one.share, one.mean, one.best)


def _flat(found: Counting) -> Grid:
    """Return both tables as one, for CSV."""
    rows: list[tuple[Cell, ...]] = []
    for insured in (False, True):
        if _of(found, insured):
            rows += ((_WORDS[insured], *row) for row in _table(found, insured=insured).rows)
    names = ("wager", *(column.name.replace(" ", "_") for column in _COLUMNS))
    forms = ("", "", "d", ".6f", ".6f", ".6f")
    return Grid("", tuple(zip(names, forms, strict=True)), rows)
