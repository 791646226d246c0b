"""A comparison laid out: the rules that differ, the advantages, differences from a base house."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from attrs import evolve

from trente_rules._version import __version__
from trente_rules.core.errors import TrenteError
from trente_rules.reports.comparison import (
    Compared,
    Deviation,
    Range,
    against_json,
    chances_text,
    comparison_json,
    deal_text,
    deviations,
    grouped,
    value_text,
    wager_json,
)
from trente_rules.reports.document import (
    MISSING,
    Cell,
    Column,
    Figure,
    Folded,
    Grid,
    Items,
    Lines,
    Part,
    Report,
    percent,
)
from trente_rules.reports.nominal import KEYS as SCOPE_KEYS
from trente_rules.reports.nominal import scope_json, scope_lines
from trente_rules.reports.overview import (
    SIDE_BY_SIDE,
    against_table,
    notes,
    overview,
    plays_shown,
    rows_of,
    rules_parts,
)
from trente_rules.reports.tailles_compared import HOLD_KEYS, Held, hold_json, holds_parts

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawn

    from trente_rules.odds.advantage import WagerAdvantage
    from trente_rules.odds.sequential import Sequential, SequentialWager
    from trente_rules.reports.nominal import Scope

LONGEST_CELL: Final = 48
_DRAWN: Final = ("worst", "default", "partage", "best", "insured")
"""The plays in the order in which they are drawn: dots that come later are smaller."""
_CSV: Final = (
    *("house", "deal", "chance", "insured", "policy", "stake", "edge", "edge_exact"),
    *("edge_per_resolved", "edge_per_decided", "sd"),
    *SCOPE_KEYS,
)
_SEQUENTIAL: Final = ("edge_sequential", "difference", "error_bound")
"""The additional keys of a wager with the dependence within a shoe, in JSON and CSV."""


def insured_text(*, insured: bool) -> str:
    """Return the word of a column for an insured stake or another."""
    return "insured" if insured else "-"


def comparison_report(
    compared: Sequence[Compared],
    found: Sequence[Sequential] = (),
    *,
    held: Sequence[Held] = (),
    deal: str = "own",
    chances: Sequence[str] = (),
    command: str = "",
    show: Collection[str] = (),
) -> Report:
    """Lay out houses on one screen: what each play costs, and the rules that differ.

    ``found`` are their advantages with the dependence within a shoe, ``held`` the bank's holds of
    their wagers over whole tailles, if asked for. ``deal``,
    ``chances`` and ``command`` are the options of the command, which a page prints. ``show`` may
    have "full" (every policy), "rules" (all rules, in words) and "keys" (keys instead of words).
    """
    houses = [one.house for one in compared]
    keys = "keys" in show
    whole = rules_parts(houses, keys=keys, whole=True) if "rules" in show else []
    parts: list[Part] = [*overview(compared, chances, keys=keys, rules=not whole), *whole]
    if found:
        parts.append(sequential_table(zip(compared, found, strict=True)))
    every = _every(compared) if "full" in show else ()
    parts += every
    parts.append(notes(compared, chances, shown=show))
    if held:
        parts += holds_parts(compared, held)
    columns = (*_CSV, *(_SEQUENTIAL if found else ()), *(HOLD_KEYS if held else ()))
    return Report(
        "Houses compared",
        (*_filled(parts), *_refused(compared)),
        stamp=_stamp(command),
        appendix=lambda: _appendix(compared, chances, deal, every),
        data=lambda: _json(compared, found, held),
        flat=lambda: Grid("", columns, _flat(compared, found, held, columns)),
    )


def _filled(parts: Iterable[Part]) -> Iterator[Part]:
    """Leave out tables without rows."""
    return (part for part in parts if not isinstance(part, Grid) or part.rows)


def _json(
    compared: Sequence[Compared], found: Sequence[Sequential], held: Sequence[Held]
) -> dict[str, Any]:
    data = comparison_json(compared)
    for house, of_tailles in zip(data["houses"], held, strict=False):
        for wager, hold in zip(house["wagers"], of_tailles, strict=True):
            wager.update(hold_json(hold))
    for house, of_house in zip(data["houses"], found, strict=False):
        add_sequential(house["wagers"], of_house)
    return data


def _flat(
    compared: Sequence[Compared],
    found: Sequence[Sequential],
    held: Sequence[Held],
    columns: Sequence[str],
) -> Iterator[Iterable[Cell]]:
    of_tailles = (hold_json(hold) for of_house in held for hold in of_house)
    more = iter(
        keys
        for one, of_house in zip(compared, found, strict=False)
        for keys in _sequential_keys((w.chance for w in one.advantage.wagers), of_house)
    )
    for one in compared:
        for wager, scope in zip(one.advantage.wagers, one.scopes, strict=True):
            row = {
                **wager_json(wager, one.stake),
                **scope_json(scope, one.house.money),
                "policy": str(wager.policy),
                "house": one.house.name,
                "deal": one.advantage.deal,
                **next(more, {}),
                **next(of_tailles, {}),
            }
            yield (row[name] for name in columns)


def scope_parts(compared: Iterable[Compared]) -> Iterator[Part]:
    """Yield what nominal figures hold for, where that is not every stake that a house takes."""
    lines = [
        line
        for one in compared
        for line in scope_lines(
            one.house,
            (
                (f"{one.house.name}, {chances}{', insured' if wager.insured else ''}", wager, scope)
                for chances, wager, scope in _with_scopes(one)
            ),
        )
    ]
    if lines:
        yield "Figures are nominal. These do not hold for every stake that the house takes:"
        yield Items(lines)


def _with_scopes(one: Compared) -> Iterator[tuple[str, WagerAdvantage, Scope | None]]:
    pairs = zip(one.advantage.wagers, one.scopes, strict=True)
    groups = grouped(((_figures_of(wager), scope), (wager, scope)) for wager, scope in pairs)
    for group in groups.values():
        names = chances_text(one.house, [wager.chance for wager, _scope in group])
        yield names, *group[0]


def _refused(compared: Sequence[Compared]) -> Iterator[Part]:
    yield Lines(
        f"{one.house.name} takes no such stake: {refusal}"
        for one in compared
        for refusal in one.refused
    )
    groups = grouped(
        ((one, each.insured, each.why), each.chance) for one in compared for each in one.left_out
    )
    yield Lines(
        f"{one.house.name} has no figures for {chances_text(one.house, chances)}"
        f"{', insured' if insured else ''}: {why}"
        for (one, insured, why), chances in groups.items()
    )


def edges_table(compared: Sequence[Compared], note: str = "") -> Grid:
    """Return the advantage, a line for each house, policy and group of chances that are alike."""
    return Grid(
        f"The bank's edge, per stake{_of_stake(compared)}; later coups count as independent{note}",
        (
            *("house", Column("deal", rank=4), "chances", "insurance", "policy", ("edge", ".5%")),
            *(Column("per resolved", ".5%", rank=2), Column("per decided", ".5%", rank=3)),
            Column("sd", ".6f", rank=1),
        ),
        (
            (
                one.house.name,
                deal_text(one.advantage.deal),
                chances_text(one.house, [wager.chance for wager in group]),
                insured_text(insured=group[0].insured),
                str(group[0].policy),
                *(group[0].edge, group[0].per_resolved, group[0].per_decided, group[0].sd),
            )
            for one in compared
            for group in grouped((_figures_of(w), w) for w in one.advantage.wagers).values()
        ),
    )


def _figures_of(wager: WagerAdvantage) -> tuple[object, ...]:
    """Return everything that is printed of a wager but its chance."""
    edges = (wager.edge, wager.per_resolved, wager.per_decided)
    return (wager.insured, wager.policy, *edges, f"{wager.sd:.6f}")


def _of_stake(compared: Iterable[Compared]) -> str:
    stakes = {str(one.stake) for one in compared if one.stake is not None}
    return f", for a stake of {stakes.pop()}" if stakes else ""


def _stamp(command: str) -> str:
    """Return the line of a page that names what it was generated from."""
    return f"trente-rules {__version__}. Generated by: {command}"


def _every(compared: Sequence[Compared]) -> tuple[Part, ...]:
    """Return the tables of all policies."""
    return (edges_table(compared), *scope_parts(compared))


def _appendix(
    compared: Sequence[Compared], chances: Sequence[str], deal: str, every: Sequence[Part]
) -> tuple[Part, ...]:
    """Return the parts of a report that only pages print: the figure, the basis, all policies.

    What is looked up is folded, so that the answers come first. All policies are left out where
    the report has them (``every``).
    """
    houses = Grid(
        "The houses",
        ("house", "title", "deal", "fingerprint"),
        (
            (one.house.name, one.house.title, deal_text(one.advantage.deal), one.house.fingerprint)
            for one in compared
        ),
    )
    folded = [Folded("What the figures rest on", (*_basis(compared, deal), houses))]
    if not every:
        folded.append(Folded("Every policy", _every(compared)))
    return (*_figure(compared, chances), *folded)


def _basis(compared: Sequence[Compared], deal: str) -> tuple[str, ...]:
    """Return the basis of the figures, in sentences."""
    cards = {
        "own": "Each house deals from its own packs, whole and well shuffled.",
        "infinite": "Every house deals from an infinite pack.",
    }
    every = cards.get(deal) or f"Every house deals from {deal_text(deal)}, whole and well shuffled."
    stake = _of_stake(compared)
    stake = (
        f"They are{stake.removeprefix(',')} in the currency of each house: rounding, minimum "
        "premium and insurable amounts included."
        if stake
        else "They are nominal: nothing is rounded, and there is no minimum premium."
    )
    figures = (
        "The bank's edges are exact, in % of the stake: edge per coup, per resolved coup (one that "
        "is not an ordinary tie), per decided coup (one that is won or lost). sd is the standard "
        "deviation of the player's result, in stakes. "
        f"{stake}"
    )
    return figures, every


def _figure(compared: Sequence[Compared], chances: Sequence[str]) -> Iterator[Figure]:
    """Yield the figure of a page, if there is a wager to draw."""
    from trente_rules.reports.figures import page_figure  # noqa: PLC0415 - only pages have figures

    if rows_of(compared, chances):
        yield page_figure("edges-", partial(comparison_figure, compared, chances))


def comparison_figure(
    compared: Sequence[Compared], chances: Sequence[str] = (), *, narrow: bool = False
) -> Drawn:
    """Return the edges by play, in % of the stake: a line for each house, the cheapest first.

    Without ``chances``, the simple ones are drawn: side bets cost many times as much. ``narrow``
    draws for a phone. Raises ``TrenteError`` ("bad-figure") where no wager is left to draw, and
    ("needs-report") where matplotlib is not installed.
    """
    from trente_rules.reports.figures import dots  # noqa: PLC0415 - only pages have figures

    rows = sorted(rows_of(compared, chances), key=lambda row: row.plays.ranked)
    if not rows:
        raise TrenteError(
            "no house has a wager to draw", "bad-figure", "name other houses, chances or a stake"
        )
    names = [row.house.name for row in rows]
    labels = [
        name if names.count(name) == 1 else f"{name}: {chances_text(row.house, row.plays.chances)}"
        for name, row in zip(names, rows, strict=True)
    ]
    shown = [play for play in plays_shown(rows) if play != "prison"]
    shown.sort(key=_DRAWN.index)
    edges = {play: [row.plays.edge(play) for row in rows] for play in shown}
    which = ", ".join(chances) or "a simple chance"
    return dots(
        f"Bank's edge on {which}{_of_stake(compared)}",
        labels,
        {
            play: [None if e is None else float(e * 100) for e in found]
            for play, found in edges.items()
        },
        x_label="% of the stake, per coup",
        narrow=narrow,
    )


def against_report(
    base: Compared,
    others: Sequence[Compared],
    *,
    deal: str = "own",
    chances: Sequence[str] = (),
    command: str = "",
    show: Collection[str] = (),
) -> Report:
    """Lay out how houses differ from a base house: the edges by play, then the rules.

    ``show`` is as for ``comparison_report``.
    """
    found = deviations(base, others)
    compared = (base, *others)
    shown = _every(compared) if "full" in show else ()
    deviating = (part for one in found for part in _deviation(base, one, keys="keys" in show))
    return Report(
        f"Houses against {base.house.name}",
        (
            *against_table(base, others, chances),
            *deviating,
            *shown,
            *_refused(compared),
        ),
        stamp=_stamp(command),
        appendix=lambda: _appendix(compared, chances, deal, shown),
        data=lambda: against_json(base, found),
        flat=Grid(
            "",
            ("house", "kind", "key", "old", "new"),
            (row for one in found for row in _flat_against(one)),
        ),
    )


def _deviation(base: Compared, one: Deviation, *, keys: bool) -> Iterator[Part]:
    """Yield the rules in which a house differs from the base, and other wagers that it changes."""
    name = one.one.house.name
    if not one.changes and not one.edges:
        yield Lines((f"{name}: no difference from {base.house.name}",))
        return
    title = f"{name}: where it differs from {base.house.name}"
    kinds = [change.kind for change in one.changes]
    words = kinds.count("presentation")
    hidden = "" if keys or not words else f"{_counted(words, 'key')} of presentation: --keys"
    if keys:
        rows = ((c.key, value_text(c.old), value_text(c.new), c.kind) for c in one.changes)
        cut = (Column(house.name, cut=LONGEST_CELL) for house in (base.house, one.one.house))
        yield Grid(title, ("key", *cut, "kind"), rows)
    elif grids := rules_parts([base.house, one.one.house]):
        yield from (evolve(grid, title=title, caption=hidden) for grid in grids)
    else:
        yield Lines([f"{name}: the rules of {base.house.name}. {hidden}".rstrip()])
    lines = [*_edge_lines(base, one)]
    many = f"{len(lines)} edges of side bets differ: --full"
    yield Lines(lines if len(lines) <= SIDE_BY_SIDE else [many])


def _counted(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def _edge_lines(base: Compared, one: Deviation) -> Iterator[str]:
    """Yield the edges of wagers that are not simple chances, where they differ."""
    known = {c.id for house in (base.house, one.one.house) for c in house.chances if c.simple}
    groups = grouped(
        ((edge.insured, edge.old, edge.new), edge.chance)
        for edge in one.edges
        if edge.chance not in known
    )
    for (insured, old, new), chances in groups.items():
        house = base.house if new is None else one.one.house
        which = f"{chances_text(house, chances)}{', insured' if insured else ''}"
        yield f"edge of {which}: {_range(old)} -> {_range(new)}"


def _range(edges: Range | None) -> str:
    if edges is None:
        return MISSING
    if edges.least == edges.greatest:
        return percent(edges.least)
    return f"{percent(edges.least)} to {percent(edges.greatest)}"


def _flat_against(one: Deviation) -> Iterator[tuple[str, ...]]:
    name = one.one.house.name
    for change in one.changes:
        yield name, change.kind, change.key, value_text(change.old), value_text(change.new)
    for edge in one.edges:
        place = f"{edge.chance}{'.insured' if edge.insured else ''}"
        for end in ("least", "default", "greatest"):
            old, new = (
                "-" if edges is None else str(float(getattr(edges, end)))
                for edges in (edge.old, edge.new)
            )
            if old != new:
                yield name, "advantage", f"{place}.{end}", old, new


def sequential_json(wager: SequentialWager) -> dict[str, Any]:
    """Return the additional keys of a wager in JSON and CSV."""
    numbers = (wager.sequential, wager.difference, wager.error)
    return dict(zip(_SEQUENTIAL, map(float, numbers), strict=True))


def add_sequential(entries: Sequence[dict[str, Any]], found: Sequential) -> None:
    """Add the additional keys to the entries of the wagers of a house; null where not computed."""
    keys = _sequential_keys((entry["chance"] for entry in entries), found)
    for entry, more in zip(entries, keys, strict=True):
        entry.update(more)


def _sequential_keys(chances: Iterable[str], found: Sequential) -> Iterator[dict[str, Any]]:
    """Yield the additional keys of each wager, by its chance."""
    unknown, wagers = dict(found.unknown), iter(found.wagers)
    for chance in chances:
        if chance in unknown:
            yield dict.fromkeys(_SEQUENTIAL)
        else:
            yield sequential_json(next(wagers))


def sequential_table(compared: Iterable[tuple[Compared, Sequential]]) -> Grid:
    """Return both advantages, a line for each house, policy and group of chances alike.

    A chance that the dependence is not computed for has a dash, and its reason in the caption.
    """
    rows: list[tuple[Cell, ...]] = []
    reasons: dict[str, None] = {}
    for one, found in compared:
        groups = grouped((_sequential_cells(wager), wager.chance) for wager in found.wagers)
        unknown = grouped((("-",) * 6, chance) for chance, _reason in found.unknown)
        for cells, chances in (*groups.items(), *unknown.items()):
            names = chances_text(one.house, chances)
            rows.append((one.house.name, deal_text(found.deal), names, *cells))
        reasons |= dict.fromkeys(f"{one.house.name}: {why}" for _chance, why in found.unknown)
    return Grid(
        "The same, with the dependence within a shoe",
        (
            *("house", "deal", "chances", "insurance", "policy"),
            *(("edge", ".7%"), ("sequential edge", ".7%"), ("difference", ".7%")),
            ("error bound", "s"),
        ),
        rows,
        "; ".join(reasons),
    )


def _sequential_cells(wager: SequentialWager) -> tuple[Cell, ...]:
    bound = f"{100 * float(wager.error):.1e} %" if wager.error else "exact"
    if wager.error and not wager.certain:
        bound = f"{bound}, above the difference"
    return (
        insured_text(insured=wager.insured),
        str(wager.policy),
        *(wager.independent, wager.sequential, wager.difference or "none", bound),
    )
