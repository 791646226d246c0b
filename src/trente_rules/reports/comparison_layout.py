"""A comparison laid out: the rules that differ, the advantages, differences from a base house."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final

from attrs import NOTHING

from trente_rules._version import __version__
from trente_rules.core.errors import TrenteError
from trente_rules.core.house.converter import unstructure
from trente_rules.core.house.house import Chosen, House
from trente_rules.core.keys import keys_of
from trente_rules.core.rules.refait import Custom
from trente_rules.reports.comparison import (
    Compared,
    Deviation,
    Range,
    against_json,
    alike_chances,
    chances_text,
    comparison_json,
    deviations,
    differing_keys,
    wager_json,
)
from trente_rules.reports.document import (
    MISSING,
    Cell,
    Column,
    Figure,
    Grid,
    Lines,
    Part,
    Report,
    percent,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawn

    from trente_rules.odds.sequential import Sequential, SequentialWager

SIDE_BY_SIDE: Final = 4
"""Up to so many houses, every differing key is shown; with more, one line a house."""
LONGEST_CELL: Final = 48
_CSV: Final = (
    *("house", "deal", "chance", "insured", "policy", "stake", "edge", "edge_exact"),
    *("edge_per_resolved", "edge_per_decided", "sd"),
)
_SEQUENTIAL: Final = ("edge_sequential", "difference", "error_bound")
"""What a wager has besides with the dependence within a shoe, in JSON and CSV."""


def value_text(value: Any) -> str:
    """Return a TOML value as a cell shows it."""
    match value:
        case None:
            return "-"
        case bool():
            return "yes" if value else "no"
        case list() | tuple():
            return ", ".join(value_text(member) for member in value) or "none"
        case dict():
            return ", ".join(f"{name} {value_text(member)}" for name, member in value.items())
    return str(value)


def insured_text(*, insured: bool) -> str:
    """Return the word of a column."""
    return "insured" if insured else "-"


# --- Houses side by side


def comparison_report(
    compared: Sequence[Compared],
    found: Sequence[Sequential] = (),
    *,
    deal: str = "own",
    chances: Sequence[str] = (),
    command: str = "",
) -> Report:
    """Lay out houses side by side: the rules that differ, and the advantage on every wager.

    ``found`` are their advantages with the dependence within a shoe, if asked for. ``deal``,
    ``chances`` and ``command`` are what was asked, as a page tells it.
    """
    parts = [*rules_tables([one.house for one in compared])]
    parts += [table for table in (edges_table(compared),) if table.rows]
    if found:
        parts.append(sequential_table(zip(compared, found, strict=True)))
    columns: tuple[str, ...] = (*_CSV, *_SEQUENTIAL) if found else _CSV
    return Report(
        "Houses compared",
        (*parts, *_refused(compared)),
        stamp=_stamp(command),
        about=_about(compared, chances, deal),
        data=lambda: _json(compared, found),
        flat=Grid("", columns, _flat(compared, found, columns)),
    )


def _json(compared: Sequence[Compared], found: Sequence[Sequential]) -> dict[str, Any]:
    data = comparison_json(compared)
    for house, of_house in zip(data["houses"], found, strict=False):
        add_sequential(house["wagers"], of_house)
    return data


def _flat(
    compared: Sequence[Compared], found: Sequence[Sequential], columns: Sequence[str]
) -> Iterator[Iterable[Cell]]:
    besides = (sequential_json(wager) for of_house in found for wager in of_house.wagers)
    for one in compared:
        for wager in one.advantage.wagers:
            row = {
                **wager_json(wager, one.stake),
                "policy": str(wager.policy),
                "house": one.house.name,
                "deal": one.advantage.deal,
                **next(besides, {}),
            }
            yield (row[name] for name in columns)


def _refused(compared: Iterable[Compared]) -> Iterator[Part]:
    lines = tuple(
        f"{one.house.name} takes no such stake: {refusal}"
        for one in compared
        for refusal in one.refused
    )
    if lines:
        yield Lines(lines)


def rules_tables(houses: Sequence[House]) -> tuple[Grid, ...]:
    """Return the table of rules that differ, if any: each key for few houses, else a line each."""
    if len(houses) < 2:  # noqa: PLR2004 - one house differs from none
        return ()
    if len(houses) <= SIDE_BY_SIDE:
        rows = [(key, *map(value_text, values)) for key, values in differing_keys(houses)]
        shown = (Column(house.name, cut=LONGEST_CELL) for house in houses)
        return (Grid("The rules that differ", (Column("key"), *shown), rows),) if rows else ()
    lines = [_line(house) for house in houses]
    names = [n for n in lines[0] if n == "house" or len({line[n] for line in lines}) > 1]
    return (
        Grid(
            "The main rules that differ",
            ((name, "d" if isinstance(lines[0][name], int) else "") for name in names),
            ((line[name] for name in names) for line in lines),
        ),
    )


def _line(house: House) -> dict[str, Cell]:
    """Return the rules of a house in few words."""
    marker = house.shoe.marker
    return {
        "house": house.name,
        "packs": house.shoe.packs,
        "burn": house.shoe.burn,
        "marker": value_text(marker.from_end) + f" {marker.on_marker}" if marker else "none",
        "first row": house.deal.first_row,
        "chances": str(len(house.deal.chances)),
        "couleur": house.deal.couleur.removeprefix("first-of-"),
        "losing ties": value_text(house.deal.refait_on),
        "refait": _rule(house.refait),
        "insurance": _rule(house.insurance),
        "limits": _limits(house),
        "side bets": str(len(house.side_bets)),
    }


def _limits(house: House) -> str:
    """Return the least and the most a player may stake, in the currency."""
    limits, amount = house.limits_table, house.money.amount
    least, most = limits.span
    many = limits.tables[0].multiple
    upper = f"{many} times that" if many else "any" if most is None else amount(most)
    span = f"{'at-opening' if least is None else amount(least)} to {upper}"
    return f"{len(limits.tables)} tables, {span}" if limits.by_opening else span


def _rule(chosen: Chosen) -> str:
    """Return a rule's name and those of its values that are not its defaults."""
    written = unstructure(chosen.rule)
    if isinstance(chosen.rule, Custom):
        told = (
            f"{answer.state}/{answer.verdict.id} {' | '.join(map(str, answer.courses))}"
            for answer in chosen.rule.machine
            if answer.verdict.kind == "tie"
        )
        return f"{chosen.name} ({'; '.join(told)})"
    values = [
        f"{info.name.replace('_', ' ')} {value_text(written[info.name])}"
        for info in keys_of(type(chosen.rule))
        if info.default is NOTHING or getattr(chosen.rule, info.name) != info.default
        if info.name in written
    ]
    return f"{chosen.name} ({'; '.join(values)})" if values else chosen.name


def edges_table(compared: Sequence[Compared], besides: str = "") -> Grid:
    """Return the advantage, a line for each house, policy and group of chances that are alike."""
    return Grid(
        f"The bank's advantage, per stake{_of_stake(compared)}; later coups count as independent"
        f"{besides}",
        (
            *("house", "deal", "chances", "insurance", "policy", ("edge", ".5%")),
            *(("per resolved", ".5%"), ("per decided", ".5%"), ("sd", ".6f")),
        ),
        (
            (
                one.house.name,
                one.advantage.deal,
                chances_text(one.house, chances),
                insured_text(insured=wager.insured),
                str(wager.policy),
                *(wager.edge, wager.per_resolved, wager.per_decided, wager.sd),
            )
            for one in compared
            for wager, chances in alike_chances(one.advantage)
        ),
    )


def _of_stake(compared: Iterable[Compared]) -> str:
    stakes = {str(one.stake) for one in compared if one.stake is not None}
    return f", for a stake of {stakes.pop()}" if stakes else ""


# --- What a page tells besides


def _stamp(command: str) -> str:
    return f"trente-rules {__version__}. Made by: {command}"


def _about(compared: Sequence[Compared], chances: Sequence[str], deal: str) -> tuple[Part, ...]:
    houses = Grid(
        "The houses",
        ("house", "title", "deal", "fingerprint"),
        (
            (one.house.name, one.house.title, one.advantage.deal, one.house.fingerprint)
            for one in compared
        ),
    )
    return (*_basis(compared, deal), *_figures(compared, chances), houses)


def _basis(compared: Sequence[Compared], deal: str) -> tuple[str, ...]:
    """Return what the figures rest on, in sentences."""
    cards = {
        "own": "Each house deals from its own packs, whole and well shuffled.",
        "infinite": "Every house deals from an infinite pack.",
    }.get(deal, f"Every house deals from {deal.replace('-', ' ')}, whole and well shuffled.")
    stake = _of_stake(compared)
    stake = (
        f"They are{stake.removeprefix(',')} in the currency of each house: rounding, minimum "
        "premium and insurable amounts included."
        if stake
        else "They are nominal: nothing is rounded, and there is no minimum premium."
    )
    figures = (
        "Edges are the bank's exact advantage in per cent of the stake, printed to five places: "
        "edge per coup, per resolved coup (one that is no ordinary tie), per decided coup (one "
        "that is won or lost). sd is the standard deviation of the player's result, in stakes. "
        f"{stake}"
    )
    return figures, cards


def _figures(compared: Sequence[Compared], chances: Sequence[str]) -> Iterator[Figure]:
    """Yield the figure of a page; without a wager to draw there is none."""
    if any(_edges(one, chances) for one in compared):
        yield Figure("", lambda: _svg(comparison_figure(compared, chances)))


def _svg(figure: Drawn) -> str:
    from trente_rules.reports.figures import svg_text  # noqa: PLC0415 - only pages have figures

    return svg_text(figure, "edges-")


_INSURED: Final = "insured"


def comparison_figure(compared: Sequence[Compared], chances: Sequence[str] = ()) -> Drawn:
    """Return the edges per coup, in per cent of the stake, by house and policy.

    Of a comparison that names no ``chances``, the simple ones are drawn: next to side bets, whose
    edges are many times theirs, their differences would not be seen. Chances that are alike share
    their bars. Raises ``TrenteError`` ("bad-figure") where no wager is left to draw, and
    ("needs-report") where matplotlib is not installed.
    """
    from trente_rules.reports.figures import bars  # noqa: PLC0415 - only pages have figures

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
    which = ", ".join(chances) or "simple chances"
    return bars(
        f"The bank's advantage, per stake{_of_stake(compared)}: {which}",
        labels,
        [[float(row[name] * 100) if name in row else None for row in rows] for name in groups],
        x_label="edge per coup, in per cent of the stake",
        groups=groups,
        horizontal=True,
        number_format="{:.5f} %",
    )


def _edges(
    one: Compared, chances: Sequence[str]
) -> list[tuple[dict[str, Fraction], tuple[str, ...]]]:
    """Return the edges of a house by the name of the policy, with the chances that share them."""
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


# --- Houses against a base house


def against_report(
    base: Compared,
    others: Sequence[Compared],
    *,
    deal: str = "own",
    chances: Sequence[str] = (),
    command: str = "",
) -> Report:
    """Lay out how each house differs from the base: keys with both values, then the advantage."""
    found = deviations(base, others)
    compared = (base, *others)
    return Report(
        f"Houses against {base.house.name}",
        (*(_deviation(base, one) for one in found), *_refused(compared)),
        stamp=_stamp(command),
        about=(*_about(compared, chances, deal), edges_table(compared)),
        data=lambda: against_json(base, found),
        flat=Grid(
            "",
            ("house", "kind", "key", "old", "new"),
            (row for one in found for row in _flat_against(one)),
        ),
    )


def _deviation(base: Compared, one: Deviation) -> Part:
    name = one.one.house.name
    if not one.changes and not one.edges:
        return Lines((f"{name}: no difference from {base.house.name}",))
    kinds = [change.kind for change in one.changes]
    counted = " and ".join(
        f"{kinds.count(kind)} of {kind}" for kind in ("fairness", "presentation")
    )
    moved = "another advantage" if one.edges else "the same advantage"
    return Grid(
        f"{name} against {base.house.name}: keys that differ: {counted}; {moved}",
        (
            "key",
            Column(base.house.name, cut=LONGEST_CELL),
            Column(name, cut=LONGEST_CELL),
            "kind",
        ),
        (
            *((c.key, value_text(c.old), value_text(c.new), c.kind) for c in one.changes),
            *_edge_rows(base, one),
        ),
    )


def _edge_rows(base: Compared, one: Deviation) -> Iterator[tuple[str, ...]]:
    groups: dict[tuple[bool, Range | None, Range | None], list[str]] = {}
    for edge in one.edges:
        groups.setdefault((edge.insured, edge.old, edge.new), []).append(edge.chance)
    for (insured, old, new), chances in groups.items():
        house = base.house if new is None else one.one.house
        which = f"{chances_text(house, chances)}{', insured' if insured else ''}"
        yield (f"edge ({which})", _range(old), _range(new), "advantage")


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
    ends: tuple[tuple[str, Callable[[Range], Fraction]], ...] = (
        ("least", lambda edges: edges.least),
        ("greatest", lambda edges: edges.greatest),
    )
    for edge in one.edges:
        place = f"{edge.chance}{'.insured' if edge.insured else ''}"
        for end, of in ends:
            old, new = ("-" if r is None else str(float(of(r))) for r in (edge.old, edge.new))
            if old != new:
                yield name, "advantage", f"{place}.{end}", old, new


# --- The advantage with the dependence within a shoe


def sequential_json(wager: SequentialWager) -> dict[str, Any]:
    """Return the keys that JSON and CSV have besides."""
    numbers = (wager.sequential, wager.difference, wager.error)
    return dict(zip(_SEQUENTIAL, map(float, numbers), strict=True))


def add_sequential(entries: Iterable[dict[str, Any]], found: Sequential) -> None:
    """Add those keys to the entries of the wagers of a house."""
    for entry, wager in zip(entries, found.wagers, strict=True):
        entry.update(sequential_json(wager))


def sequential_table(compared: Iterable[tuple[Compared, Sequential]]) -> Grid:
    """Return both advantages, a line for each house, policy and group of chances alike."""
    rows: list[tuple[Cell, ...]] = []
    for one, found in compared:
        groups: dict[tuple[Cell, ...], list[str]] = {}
        for wager in found.wagers:
            key: tuple[Cell, ...] = (
                insured_text(insured=wager.insured),
                str(wager.policy),
                wager.independent,
                wager.sequential,
                wager.difference or "none",
                _bound(wager),
            )
            groups.setdefault(key, []).append(wager.chance)
        for key, chances in groups.items():
            rows.append((one.house.name, found.deal, chances_text(one.house, chances), *key))
    return Grid(
        "The same, with the dependence within a shoe",
        (
            *("house", "deal", "chances", "insurance", "policy"),
            *(("edge", ".7%"), ("sequential edge", ".7%"), ("difference", ".7%")),
            ("error bound", "s"),
        ),
        rows,
    )


def _bound(wager: SequentialWager) -> str:
    if not wager.error:
        return "exact"
    bound = f"{100 * float(wager.error):.1e} %"
    return bound if wager.certain else f"{bound}, above the difference"
