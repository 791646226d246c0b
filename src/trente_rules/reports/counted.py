"""Card counting as a report: what a player who remembers every card could gain."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from trente_rules.core.stakes import Opening
from trente_rules.core.text import counted
from trente_rules.players.counting import ALL, PUBLISHED, SIMPLE, Counting
from trente_rules.players.tallies import DEPTHS, Favourable, Watched
from trente_rules.reports.choice_words import counted_choices
from trente_rules.reports.comparison import BestScopes
from trente_rules.reports.document import Cell, Column, Grid, Items, Lines, Part, Report
from trente_rules.reports.removal_table import tags_table

_DEPTH_COLUMNS: Final = (
    Column("of the shoe"),
    Column("coups", "d"),
    Column("favourable", ".2%"),
    Column("mean edge", ".4%"),
    Column("least edge", ".4%"),
)
_CHANCE_COLUMNS: Final = (
    Column("chance", cut=18),
    Column("stake"),
    Column("favourable", ".2h"),
    Column("by theory", ".2h", rank=2),
    Column("mean gain", ".3h", rank=1),
    Column("in 1,000", ".3f"),
    Column("by theory", ".3f", rank=3),
    Column("linear", ".3f", rank=2),
)


def counting_report(found: Counting, scope: BestScopes) -> Report:
    """Lay out what was counted: the answer, a table by chance, and one by the depth of the shoe."""
    held, (plain, insured) = scope
    parts: list[Part] = [
        Lines(
            (
                f"{found.house.name}: {_dealt(found)}, seed {found.seed}",
                "as a counter of all cards saw them",
            )
        ),
        Lines(_answers(found)),
        _by_chance(found),
        *_needs(found),
        *(_by_depth(each) for each in _shown(found)),
        *counted_choices(found.choosing),
        tags_table([each for each in found.effects if not each.insured]),
    ]
    if held:
        parts += [
            "Figures are nominal. These, of a full shoe, do not hold for every stake:",
            Items(held),
        ]
    if found.of(SIMPLE, "uninsured"):
        where = ", on the simple chances" if found.of(ALL, "uninsured") else ""
        parts.append(f"{PUBLISHED}{where}.")
    holds = {"uninsured": plain, "insured": insured}
    return Report(
        f"Counting cards at {found.house.name}",
        parts,
        data=lambda: {**found.to_json(), "tables": _tables(found), "holds": holds},
        flat=_flat(found),
    )


def _dealt(found: Counting) -> str:
    return f"{counted(found.coups, 'coup')} of {counted(found.shoes, 'shoe')}"


def _shown(found: Counting) -> list[Watched]:
    """Return the best simple chance and the best of all, as well played as the house allows."""
    shown = []
    for name in (SIMPLE, ALL):
        each = found.of(name, "better") or found.of(name, "uninsured")
        if each is not None:
            shown.append(each)
    return shown


def _answers(found: Counting) -> Iterator[str]:
    """Yield in plain language how often a stake is favourable, and what it gains."""
    for each in found.watched:
        if each.name not in (SIMPLE, ALL):
            continue
        title, whole, linear = _title(each), each.whole, each.linear
        if not whole.coups:
            yield f"{title}: no coup was counted"
        elif whole.gain is not None and whole.per_coup is not None:
            yield f"{title}: {whole.favourable:,} of {whole.coups:,} coups favour the player, by"
            yield f"  {100 * whole.gain:.4f} % of the stake on average; a stake at each of them"
            yield f"  gains {1000 * whole.per_coup:.4f} stakes in 1,000 coups watched"
        else:
            yield f"{title}: none of {whole.coups:,} coups favours the player"
        if linear.gain is not None:
            yield (
                f"  the linear count finds {linear.placed:,} coups, {linear.right:,} rightly, mean "
                f"gain {100 * linear.gain:.4f} %"
            )
        elif whole.favourable:
            yield "  the linear count finds none of them"
    if found.too_few:
        yield f"{found.too_few:,} coups left out: fewer than 40 cards were unseen (--to-the-end)"


def _title(each: Watched) -> str:
    best = "the best simple chance" if each.name == SIMPLE else "the best of all chances"
    return f"{best}, {'insured or not' if each.kind == 'better' else each.kind}"


def _by_chance(found: Counting) -> Grid:
    rows = (
        (
            each.name,
            each.kind,
            each.whole.share,
            each.theory.share if each.theory else None,
            each.whole.gain,
            None if each.whole.per_coup is None else 1000 * each.whole.per_coup,
            1000 * each.theory.per_coup if each.theory else None,
            each.linear.correlation,
        )
        for each in found.watched
    )
    caption = (
        "favourable: % of the coups; mean gain: % of the stake there; in 1,000: stakes gained in "
        "1,000 coups watched; by theory: from the effects of removal; linear: correlation of the "
        "linear count with the exact edge."
    )
    return Grid("By chance", _CHANCE_COLUMNS, rows, caption=caption)


def _by_depth(each: Watched) -> Grid:
    rows = [
        _row(f"{100 * place // DEPTHS} to {100 * (place + 1) // DEPTHS} %", part)
        for place, part in enumerate(each.by_depth)
        if part is not None
    ]
    rows.append(_row("all", each.whole))
    title = _title(each)
    return Grid(title[0].upper() + title[1:], _DEPTH_COLUMNS, rows, sorts=False)


def _row(name: str, one: Favourable) -> tuple[Cell, ...]:
    return (name, one.coups, one.share, one.mean, one.best)


# Side bets that need a stake on a simple chance, and the brake on raises


def _needs(found: Counting) -> Iterator[str]:
    """Say what the simple stake costs that a side bet needs, and whether raises are limited."""
    for each in found.watched:
        if each.cost is None or not each.whole.favourable:
            continue
        per_coup = each.cost / each.whole.coups
        text = (
            f"{each.name} is taken only with a stake on a simple chance, which costs "
            f"{1000 * per_coup:.2f} minimum stakes in 1,000 coups watched."
        )
        nets = [net for _table, net in _nets(found, each)]
        if nets:
            money = found.house.money
            least, most = (money.text(round(1000 * net)) for net in (min(nets), max(nets)))
            span = least if least == most else f"{least} to {most}, by the table"
            text += f" With the maximum on {each.name} the two together gain {span}."
        yield text
    brake = found.house.limits_table.progression
    if brake is not None and any(each.whole.favourable for each in found.watched):
        yield (
            "The house limits raises. A player who stakes the same amount in every favourable coup "
            "never exceeds that limit."
        )


def _nets(found: Counting, each: Watched) -> Iterator[tuple[int, float]]:
    """Yield for each table its minimum, and the net of a coup watched, in units.

    The largest stake on a side bet in every favourable coup, and the least on a simple chance.
    """
    house, cost = found.house, (each.cost or 0.0) / max(1, each.whole.coups)
    simple = next((chance.id for chance in house.chances if chance.simple), None)
    if simple is None:
        return
    for table in house.limits_table.tables:
        side, other = (
            house.limits_table.bounds_at(table, Opening(), name) for name in (each.name, simple)
        )
        if side.most is not None:
            yield other.lowest, side.most * (each.whole.per_coup or 0.0) - other.lowest * cost


def _tables(found: Counting) -> dict[str, Any]:
    """Return the nets of the side bets that need a simple stake, in units, by table."""
    return {
        each.name: [{"minimum": least, "net_per_coup": net} for least, net in _nets(found, each)]
        for each in found.watched
        if each.cost is not None
    }


def _flat(found: Counting) -> Grid:
    """Return all figures by depth as one table, for CSV."""
    rows: list[tuple[Cell, ...]] = []
    for each in found.watched:
        rows += ((each.name, each.kind, *row) for row in _by_depth(each).rows)
    names = ("chance", "wager", *(column.name.replace(" ", "_") for column in _DEPTH_COLUMNS))
    forms = ("", "", "", "d", ".6f", ".6f", ".6f")
    return Grid("", tuple(zip(names, forms, strict=True)), rows)
