"""A comparison laid out: the rules that differ, the advantages, differences from a base house."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final

from attrs import NOTHING

from trente_rules._version import __version__
from trente_rules.core.errors import TrenteError
from trente_rules.core.house.converter import unstructure
from trente_rules.core.house.house import Chosen, House
from trente_rules.core.keys import keys_of
from trente_rules.core.rules.refait import Custom
from trente_rules.core.toml import inline
from trente_rules.reports.comparison import (
    Compared,
    Deviation,
    Range,
    against_json,
    chances_text,
    comparison_json,
    deviations,
    differing_keys,
    grouped,
    wager_json,
)
from trente_rules.reports.document import (
    MISSING,
    Cell,
    Column,
    Figure,
    Grid,
    Items,
    Lines,
    Part,
    Report,
    percent,
)
from trente_rules.reports.nominal import KEYS as SCOPE_KEYS
from trente_rules.reports.nominal import scope_json, scope_lines

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawn

    from trente_rules.odds.advantage import WagerAdvantage
    from trente_rules.odds.sequential import Sequential, SequentialWager
    from trente_rules.reports.nominal import Scope

SIDE_BY_SIDE: Final = 4
"""The most houses for which every differing key is shown; more have one line each."""
LONGEST_CELL: Final = 48
_CSV: Final = (
    *("house", "deal", "chance", "insured", "policy", "stake", "edge", "edge_exact"),
    *("edge_per_resolved", "edge_per_decided", "sd"),
    *SCOPE_KEYS,
)
_SEQUENTIAL: Final = ("edge_sequential", "difference", "error_bound")
"""The additional keys of a wager with the dependence within a shoe, in JSON and CSV."""


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
            return inline(value)
    return str(value)


def insured_text(*, insured: bool) -> str:
    """Return the word of a column for an insured stake or another."""
    return "insured" if insured else "-"


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
    ``chances`` and ``command`` are the options of the command, which a page prints.
    """
    parts = [*_rules_tables([one.house for one in compared]), edges_table(compared)]
    if found:
        parts.append(sequential_table(zip(compared, found, strict=True)))
    columns: tuple[str, ...] = (*_CSV, *_SEQUENTIAL) if found else _CSV
    return Report(
        "Houses compared",
        (*(table for table in parts if table.rows), *scope_parts(compared), *_refused(compared)),
        **_page(compared, chances, deal, command),
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
    more = (sequential_json(wager) for of_house in found for wager in of_house.wagers)
    for one in compared:
        for wager, scope in zip(one.advantage.wagers, one.scopes, strict=True):
            row = {
                **wager_json(wager, one.stake),
                **scope_json(scope, one.house.money),
                "policy": str(wager.policy),
                "house": one.house.name,
                "deal": one.advantage.deal,
                **next(more, {}),
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


def _rules_tables(houses: Sequence[House]) -> Iterator[Grid]:
    """Yield the table of rules that differ: every key for few houses, a line each for many."""
    if 1 < len(houses) <= SIDE_BY_SIDE:
        shown = (Column(house.name, cut=LONGEST_CELL) for house in houses)
        rows = ((key, *map(value_text, values)) for key, values in differing_keys(houses))
        yield Grid("The rules that differ", ("key", *shown), rows)
    elif houses[1:]:
        lines = [_line(house) for house in houses]
        names = [n for n in lines[0] if n == "house" or len({line[n] for line in lines}) > 1]
        yield Grid(
            "The main rules that differ",
            ((name, "d" if isinstance(lines[0][name], int) else "") for name in names),
            ((line[name] for name in names) for line in lines),
        )


def _line(house: House) -> dict[str, Cell]:
    """Return the main rules of a house, each as a cell."""
    marker = house.shoe.marker
    return {
        "house": house.name,
        "packs": house.shoe.packs,
        "burn": house.shoe.burn,
        "marker": value_text(marker.from_end) + f" {marker.on_marker}" if marker else "none",
        "first row": house.deal.first_row,
        "chances": _simple_chances(house),
        "couleur": house.deal.couleur.removeprefix("first-of-"),
        "losing ties": value_text(house.deal.refait_on),
        "refait": "; ".join(
            (
                _rule(house.refait),
                *(f"on {special.point}: {_rule(special.rule)}" for special in house.refaits),
            )
        ),
        "insurance": _rule(house.insurance),
        "limits": _limits(house),
        "side bets": str(len(house.side_bets)),
    }


def _simple_chances(house: House) -> str:
    """Return how many simple chances there are, and what some have of their own."""
    own = [f"{keys.id}: {'; '.join(_values(keys, without=('id',)))}" for keys in house.chance_keys]
    number = str(len(house.deal.chances))
    return f"{number} ({', '.join(own)})" if own else number


def _limits(house: House) -> str:
    """Return the least and the most a player may stake, in the currency."""
    limits, amount = house.limits_table, house.money.amount
    least, most = limits.span
    many = limits.tables[0].multiple
    upper = f"{many} times that" if many else "any" if most is None else amount(most)
    upper = "at-opening" if limits.tables[0].posted else upper
    span = f"{'at-opening' if least is None else amount(least)} to {upper}"
    return f"{len(limits.tables)} tables, {span}" if limits.by_opening else span


def _rule(chosen: Chosen) -> str:
    """Return the name of a rule, with the values that are not its defaults."""
    if isinstance(chosen.rule, Custom):
        values = [
            f"{answer.state}/{answer.verdict.id} {' | '.join(map(str, answer.courses))}"
            for answer in chosen.rule.machine
            if answer.verdict.kind == "tie"
        ]
        return f"{chosen.name} ({'; '.join(values)})"
    values = _values(chosen.rule)
    return f"{chosen.name} ({'; '.join(values)})" if values else chosen.name


def _values(keys: Any, without: Sequence[str] = ()) -> list[str]:
    """Return the keys that are not at their defaults, with their values."""
    written = unstructure(keys)
    return [
        f"{info.name.replace('_', ' ')} {value_text(written[info.name])}"
        for info in keys_of(type(keys))
        if info.default is NOTHING or getattr(keys, info.attribute) != info.default
        if info.name in written and info.name not in without
    ]


def edges_table(compared: Sequence[Compared], note: str = "") -> Grid:
    """Return the advantage, a line for each house, policy and group of chances that are alike."""
    return Grid(
        f"The bank's advantage, per stake{_of_stake(compared)}; later coups count as independent"
        f"{note}",
        (
            *("house", "deal", "chances", "insurance", "policy", ("edge", ".5%")),
            *(("per resolved", ".5%"), ("per decided", ".5%"), ("sd", ".6f")),
        ),
        (
            (
                one.house.name,
                one.advantage.deal,
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


def _page(
    compared: Sequence[Compared], chances: Sequence[str], deal: str, command: str
) -> dict[str, Any]:
    """Return the parts of a report that only pages print: its stamp, and the basis and houses."""
    houses = Grid(
        "The houses",
        ("house", "title", "deal", "fingerprint"),
        (
            (one.house.name, one.house.title, one.advantage.deal, one.house.fingerprint)
            for one in compared
        ),
    )
    return {
        "stamp": f"trente-rules {__version__}. Made by: {command}",
        "about": (*_basis(compared, deal), *_figure(compared, chances), houses),
    }


def _basis(compared: Sequence[Compared], deal: str) -> tuple[str, ...]:
    """Return the basis of the figures, in sentences."""
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


def _figure(compared: Sequence[Compared], chances: Sequence[str]) -> Iterator[Figure]:
    """Yield the figure of a page, if there is a wager to draw."""
    from trente_rules.reports.figures import svg_text  # noqa: PLC0415 - only pages have figures

    if any(_edges(one, chances) for one in compared):
        yield Figure("", lambda: svg_text(comparison_figure(compared, chances), "edges-"))


_INSURED: Final = "insured"


def comparison_figure(compared: Sequence[Compared], chances: Sequence[str] = ()) -> Drawn:
    """Return the edges per coup, in per cent of the stake, by house and policy.

    Without ``chances``, the simple ones are drawn: next to side bets, whose edges are many times
    as large, their differences would be too small to see. Chances that are alike share their bars.
    Raises ``TrenteError`` ("bad-figure") where no wager is left to draw, and
    ("needs-report") where matplotlib is not installed.
    """
    from trente_rules.reports.figures import bars  # noqa: PLC0415 - only pages have figures

    labels: list[str] = []
    rows: list[dict[str, Fraction]] = []
    for one in compared:
        drawn = _edges(one, chances)
        for edges, alike in drawn:
            text = f"{one.house.name}: {chances_text(one.house, alike)}"
            plain = len(drawn) == 1 and (not chances or len(chances) == len(alike))
            labels.append(one.house.name if plain else text)
            rows.append(edges)
    if not rows:
        raise TrenteError(
            "no house has a wager to draw", "bad-figure", "name other houses, chances or a stake"
        )
    names = dict.fromkeys(name for row in rows for name in row)
    groups = sorted(names, key=lambda name: name.startswith(_INSURED))  # those are last
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


def _edges(one: Compared, chances: Sequence[str]) -> list[tuple[dict[str, Fraction], list[str]]]:
    """Return the edges of a house by the name of the policy, with the chances that share them."""
    simple = {chance.id for chance in one.house.chances if chance.simple}
    by_chance: dict[str, dict[str, Fraction]] = {}
    for wager in one.advantage.wagers:
        if wager.chance in (chances or simple):
            policy = str(wager.policy)
            if wager.insured:
                policy = f"{_INSURED}, {policy}" if wager.policy.choices else _INSURED
            by_chance.setdefault(wager.chance, {})[policy] = wager.edge
    alike = grouped((tuple(edges.items()), chance) for chance, edges in by_chance.items())
    return [(dict(edges), shared) for edges, shared in alike.items()]


def against_report(
    base: Compared,
    others: Sequence[Compared],
    *,
    deal: str = "own",
    chances: Sequence[str] = (),
    command: str = "",
) -> Report:
    """Lay out how houses differ from a base house: keys with both values, then the advantage."""
    found = deviations(base, others)
    compared = (base, *others)
    page = _page(compared, chances, deal, command)
    return Report(
        f"Houses against {base.house.name}",
        (*(_deviation(base, one) for one in found), *scope_parts(compared), *_refused(compared)),
        stamp=page["stamp"],
        about=(*page["about"], edges_table(compared)),
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
        ("key", Column(base.house.name, cut=LONGEST_CELL), Column(name, cut=LONGEST_CELL), "kind"),
        (
            *((c.key, value_text(c.old), value_text(c.new), c.kind) for c in one.changes),
            *_edge_rows(base, one),
        ),
    )


def _edge_rows(base: Compared, one: Deviation) -> Iterator[tuple[str, ...]]:
    groups = grouped(((edge.insured, edge.old, edge.new), edge.chance) for edge in one.edges)
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
    for edge in one.edges:
        place = f"{edge.chance}{'.insured' if edge.insured else ''}"
        for end in ("least", "greatest"):
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


def add_sequential(entries: Iterable[dict[str, Any]], found: Sequential) -> None:
    """Add the additional keys to the entries of the wagers of a house."""
    for entry, wager in zip(entries, found.wagers, strict=True):
        entry.update(sequential_json(wager))


def sequential_table(compared: Iterable[tuple[Compared, Sequential]]) -> Grid:
    """Return both advantages, a line for each house, policy and group of chances alike."""
    rows = []
    for one, found in compared:
        groups = grouped((_sequential_cells(wager), wager.chance) for wager in found.wagers)
        for cells, chances in groups.items():
            rows.append((one.house.name, found.deal, chances_text(one.house, chances), *cells))
    return Grid(
        "The same, with the dependence within a shoe",
        (
            *("house", "deal", "chances", "insurance", "policy"),
            *(("edge", ".7%"), ("sequential edge", ".7%"), ("difference", ".7%")),
            ("error bound", "s"),
        ),
        rows,
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
