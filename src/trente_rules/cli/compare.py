"""``trente compare``: houses side by side, or against one of them."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, Final

import click
from attrs import NOTHING
from click.core import ParameterSource

from trente_rules.cli.output import (
    FORMATS,
    Listing,
    percent,
    print_csv,
    print_json,
    print_markdown,
    print_table,
    short_text,
    value_text,
)
from trente_rules.core.chances import Verdict
from trente_rules.core.errors import ConfigurationError, Fault, TrenteError
from trente_rules.core.house.converter import unstructure
from trente_rules.core.house.house import Chosen, House
from trente_rules.core.house.loading import load_house
from trente_rules.core.keys import keys_of
from trente_rules.core.money import Amount
from trente_rules.core.plugins.manager import default_manager
from trente_rules.core.rules.refait import Custom
from trente_rules.odds.advantage import WagerAdvantage
from trente_rules.odds.sequential import Sequential, SequentialWager, sequential
from trente_rules.reports.comparison import (
    Compared,
    Deviation,
    Range,
    against_json,
    alike_chances,
    chances_text,
    compare,
    comparison_json,
    deviations,
    differing_keys,
    wager_json,
)
from trente_rules.reports.pages import Page, comparison_page

# --- ``trente compare --against``: how each house differs from a base house, in every format

_AGAINST_CSV: Final = ("house", "kind", "key", "old", "new")


def print_against(base: Compared, others: tuple[Compared, ...], form: str) -> None:
    """Print the differences of each house from the base."""
    found = deviations(base, others)
    if form == "json":
        print_json(against_json(base, found))
    elif form == "csv":
        print_csv((row for one in found for row in _flat_against(one)), _AGAINST_CSV)
    else:
        text, printed = (short_text, print_table) if form == "table" else (value_text, _markdown)
        for one in found:
            table = against_table(base, one, text)
            if table.rows:
                printed(table)
            else:
                click.echo(f"{table.title}\n")


def _markdown(table: Listing) -> None:
    lines = tuple(tuple(" ".join(cell.split()) for cell in row) for row in table.rows)
    print_markdown(Listing(table.title, table.columns, lines, table.right))


def against_table(base: Compared, one: Deviation, text: Callable[[Any], str]) -> Listing:
    """Return the differences of one house: keys with both values, then the advantage."""
    name = one.one.house.name
    if not one.changes and not one.edges:
        return Listing(f"{name}: no difference from {base.house.name}", (), ())
    kinds = [change.kind for change in one.changes]
    counted = " and ".join(
        f"{kinds.count(kind)} of {kind}" for kind in ("fairness", "presentation")
    )
    moved = "another advantage" if one.edges else "the same advantage"
    rows = [(change.key, text(change.old), text(change.new), change.kind) for change in one.changes]
    return Listing(
        f"{name} against {base.house.name}: keys that differ: {counted}; {moved}",
        ("key", base.house.name, name, "kind"),
        (*rows, *_edge_rows(base, one)),
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
        return "-"
    if edges.least == edges.greatest:
        return percent(edges.least)
    return f"{percent(edges.least)} to {percent(edges.greatest)}"


def _flat_against(one: Deviation) -> Iterator[dict[str, str]]:
    name = one.one.house.name
    for change in one.changes:
        yield {
            "house": name,
            "kind": change.kind,
            "key": change.key,
            "old": value_text(change.old),
            "new": value_text(change.new),
        }
    for edge in one.edges:
        place = f"{edge.chance}{'.insured' if edge.insured else ''}"
        for end in ("least", "greatest"):
            old, new = (None if of is None else getattr(of, end) for of in (edge.old, edge.new))
            if old != new:
                yield {
                    "house": name,
                    "kind": "advantage",
                    "key": f"{place}.{end}",
                    "old": "-" if old is None else str(float(old)),
                    "new": "-" if new is None else str(float(new)),
                }


# --- The tables of ``trente compare``: rules and advantages, a line a house or wager

SIDE_BY_SIDE: Final = 4
"""Up to so many houses, every differing key is shown; with more, one line a house."""
_NUMBERS: Final = frozenset(("edge", "per resolved", "per decided", "sd", "packs", "burn"))


def rules_table(houses: list[House]) -> Listing:
    """Return the rules that differ: each key for few houses, a line a house for many."""
    if len(houses) < 2:  # noqa: PLR2004 - one house differs from none
        return Listing("", (), ())
    if len(houses) <= SIDE_BY_SIDE:
        rows = tuple(
            (key, *(short_text(value) for value in values))
            for key, values in differing_keys(houses)
        )
        return Listing("The rules that differ", ("key", *(house.name for house in houses)), rows)
    lines = [_line(house) for house in houses]
    columns = [
        name for name in lines[0] if name == "house" or len({line[name] for line in lines}) > 1
    ]
    rows = tuple(tuple(line[name] for name in columns) for line in lines)
    return Listing("The main rules that differ", tuple(columns), rows, _NUMBERS)


def _line(house: House) -> dict[str, str]:
    """Return the rules of a house in few words."""
    marker = house.shoe.marker
    return {
        "house": house.name,
        "packs": str(house.shoe.packs),
        "burn": str(house.shoe.burn),
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
            if answer.verdict is Verdict.REFAIT
        )
        return f"{chosen.name} ({'; '.join(told)})"
    values = [
        f"{info.name.replace('_', ' ')} {value_text(written[info.name])}"
        for info in keys_of(type(chosen.rule))
        if info.default is NOTHING or getattr(chosen.rule, info.name) != info.default
        if info.name in written
    ]
    return f"{chosen.name} ({'; '.join(values)})" if values else chosen.name


def edges_table(compared: tuple[Compared, ...]) -> Listing:
    """Return the advantage, a line for each house, policy and group of chances that are alike."""
    rows = tuple(
        (
            one.house.name,
            one.advantage.deal,
            chances_text(one.house, chances),
            "insured" if wager.insured else "-",
            str(wager.policy),
            percent(wager.edge),
            percent(wager.per_resolved),
            percent(wager.per_decided),
            f"{wager.sd:.6f}",
        )
        for one in compared
        for wager, chances in alike_chances(one.advantage)
    )
    stakes = {str(one.stake) for one in compared if one.stake is not None}
    suffix = f", for a stake of {stakes.pop()}" if stakes else ""
    return Listing(
        f"The bank's advantage, per stake{suffix}; later coups count as independent",
        (
            "house",
            "deal",
            "chances",
            "insurance",
            "policy",
            "edge",
            "per resolved",
            "per decided",
            "sd",
        ),
        rows,
        _NUMBERS,
    )


# --- ``trente compare --format html``: the comparison as a page that stands alone


def print_page(
    base: tuple[Compared, ...],
    others: tuple[Compared, ...],
    chances: tuple[str, ...],
    deal: str,
    *,
    command: str,
) -> None:
    """Print the page: of houses side by side, or of their differences from the base."""
    compared = (*base, *others)
    if base:
        title = f"Houses against {base[0].house.name}"
        found = deviations(base[0], others)
        tables = [against_table(base[0], one, value_text) for one in found]
    else:
        title = "Houses compared"
        tables = [rules_table([one.house for one in compared])]
    tables = [table for table in (*tables, edges_table(compared)) if table.rows or table.title]
    notes = [f"{one.house.name} takes no such stake: {r}" for one in compared for r in one.refused]
    page = Page(title, _basis(compared, deal), tables, tuple(notes), command)
    click.echo(comparison_page(page, compared, chances), nl=False)


def _basis(compared: tuple[Compared, ...], deal: str) -> tuple[str, ...]:
    """Return what the figures rest on, in sentences."""
    cards = {
        "own": "Each house deals from its own packs, whole and well shuffled.",
        "infinite": "Every house deals from an infinite pack.",
    }.get(deal, f"Every house deals from {deal.replace('-', ' ')}, whole and well shuffled.")
    stakes = {str(one.stake) for one in compared if one.stake is not None}
    stake = (
        f"They are for a stake of {stakes.pop()} in the currency of each house: rounding, minimum "
        "premium and insurable amounts included."
        if stakes
        else "They are nominal: nothing is rounded, and there is no minimum premium."
    )
    figures = (
        "Edges are the bank's exact advantage in per cent of the stake, printed to five places: "
        "edge per coup, per resolved coup (one that is no ordinary tie), per decided coup (one "
        "that is won or lost). sd is the standard deviation of the player's result, in stakes. "
        f"{stake}"
    )
    return figures, cards


# --- What ``--sequential`` tells besides: the advantage with the dependence within a shoe

COLUMNS: Final = ("edge_sequential", "difference", "error_bound")
"""What a wager has besides, in JSON and CSV."""
_SEQUENTIAL_NUMBERS: Final = frozenset(("edge", "sequential edge", "difference", "error bound"))


def sequential_of(one: Compared) -> Sequential:
    """Return the advantage of a house that was compared, with the dependence taken in.

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
            opening=one.house.lowest_opening(units or 0),
        )
    except TrenteError as error:
        if error.code == "no-law-after-tie":
            raise click.UsageError(f"{one.house.name}: {error}") from error
        raise


def sequential_json(wager: SequentialWager) -> dict[str, Any]:
    """Return the keys that JSON and CSV have besides."""
    numbers = (wager.sequential, wager.difference, wager.error)
    return dict(zip(COLUMNS, map(float, numbers), strict=True))


def sequential_table(compared: Iterable[tuple[Compared, Sequential]]) -> Listing:
    """Return both advantages, a line for each house, policy and group of chances alike."""
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
    return Listing(
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
        _SEQUENTIAL_NUMBERS,
    )


def _bound(wager: SequentialWager) -> str:
    if not wager.error:
        return "exact"
    bound = f"{100 * float(wager.error):.1e} %"
    return bound if wager.certain else f"{bound}, above the difference"


_MISUSE: Final = (
    "bad-amount",
    "bad-figure",
    "file-unwritable",
    "needs-report",
    "too-few-packs",
    "unknown-chance",
    "unknown-deal",
    "unknown-suffix",
)
_NO_BASE: Final = ("unknown-house", "file-missing", "file-unreadable")
_CSV: Final = (
    "house",
    "deal",
    "chance",
    "insured",
    "policy",
    "stake",
    "edge",
    "edge_exact",
    "edge_per_resolved",
    "edge_per_decided",
    "sd",
)


@click.command()
@click.argument("houses", nargs=-1, metavar="[HOUSE|FILE]...")
@click.option(
    "--against",
    metavar="HOUSE|FILE",
    help="A house to begin from: show only how each of the others differs from it.",
)
@click.option(
    "--deal",
    default="own",
    show_default=True,
    help="What the odds are of: own (each house's own packs), infinite, or N-packs.",
)
@click.option(
    "--stake",
    metavar="N",
    help="Figures for a stake of N in the currency of each house: rounding, minimum premium and "
    "insurable amounts included.",
)
@click.option("--chance", "chances", multiple=True, help="Only this chance; may be repeated.")
@click.option(
    "--sort",
    type=click.Choice(["given", "edge"]),
    default="given",
    help="The order of the houses: as given (by name without any), or by their least advantage.",
)
@click.option(
    "--plot",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE.svg|FILE.png",
    help="Draw the advantage by house and policy into a file as well.",
)
@click.option(
    "--sequential",
    is_flag=True,
    help="Tell the advantage with the dependence of later coups of a shoe taken in as well.",
)
@click.option(
    "--format", "form", type=click.Choice((*FORMATS, "html")), default="table", show_default=True
)
@click.pass_context
def compare_command(  # noqa: PLR0913 - click passes each option
    context: click.Context,
    *,
    houses: tuple[str, ...],
    against: str | None,
    deal: str,
    stake: str | None,
    chances: tuple[str, ...],
    sort: str,
    plot: Path | None,
    sequential: bool,
    form: str,
) -> None:
    """Compare houses: the rules that differ, and the bank's advantage on every wager.

    Without a house, all that are known are compared. The advantage is exact, in stakes: for each
    chance, insured and not, and for each pure policy of the player. With --against, each key that
    differs from the base house is told with both values, and how the advantage differs.

    Later coups, on which a stake in prison waits, count as independent copies of the first;
    --sequential tells what the dependence within a shoe adds.
    """
    if sequential and (against is not None or form == "html"):
        raise click.UsageError("--sequential goes with neither --against nor --format html")
    try:
        amount = None if stake is None else Amount.parse(_written(stake))
        base, listed = _houses(against, houses)
        compared = compare((*base, *listed), deal=deal, stake=amount, chances=chances)
        begun, others = compared[: len(base)], compared[len(base) :]
        if sort == "edge":
            others = tuple(sorted(others, key=lambda one: (not one.advantage.wagers, _least(one))))
        if plot is not None:
            _plot((*begun, *others), chances, plot)
        if form == "html":
            print_page(begun, others, chances, deal, command=_command_line(context))
        elif begun:
            print_against(begun[0], others, form)
        else:
            _print(others, form, sequential=sequential)
    except TrenteError as error:
        if error.code in _MISUSE:
            raise click.UsageError(str(error)) from error
        raise
    if form in ("table", "markdown"):
        for one in (*begun, *others):
            for refusal in one.refused:
                click.echo(f"{one.house.name} takes no such stake: {refusal}")


def _houses(
    against: str | None, names: tuple[str, ...]
) -> tuple[tuple[House, ...], tuple[House, ...]]:
    """Load the base, if any, and the houses; of all that are known, the base is left out."""
    if against is None:
        return (), load_houses(names)
    base = _base(against)
    listed = load_houses(names)
    return (base,), listed if names else tuple(one for one in listed if one.name != base.name)


def _print(compared: tuple[Compared, ...], form: str, *, sequential: bool) -> None:
    """Print houses side by side."""
    found = [sequential_of(one) for one in compared] if sequential else []
    if form == "json":
        told = comparison_json(compared)
        for house, of_house in zip(told["houses"], found, strict=False):
            for entry, wager in zip(house["wagers"], of_house.wagers, strict=True):
                entry.update(sequential_json(wager))
        print_json(told)
    elif form == "csv":
        rows = [_flat(one, wager) for one in compared for wager in one.advantage.wagers]
        wagers = (wager for of_house in found for wager in of_house.wagers)
        for row, wager in zip(rows, wagers, strict=False):
            row.update(sequential_json(wager))
        print_csv(rows, (*_CSV, *COLUMNS) if sequential else _CSV)
    else:
        printed = print_table if form == "table" else print_markdown
        tables = [rules_table([one.house for one in compared]), edges_table(compared)]
        if sequential:
            tables.append(sequential_table(zip(compared, found, strict=True)))
        for table in tables:
            if table.rows:
                printed(table)


def _base(name: str) -> House:
    """Load the house to begin from; a house that is not there is misuse, a faulty one is not."""
    try:
        return load_house(name)
    except TrenteError as error:
        if error.code in _NO_BASE:
            raise click.UsageError(f"--against {error}") from error
        raise


def _plot(compared: tuple[Compared, ...], chances: tuple[str, ...], path: Path) -> None:
    from trente_rules.reports.figures import (  # noqa: PLC0415
        check_target,
        comparison_figure,
        save_figure,
    )

    check_target(path)
    save_figure(comparison_figure(compared, chances), path)
    click.echo(f"{path} written", err=True)


def _command_line(context: click.Context) -> str:
    """Return the command as it would be typed again, the houses last."""
    words, houses = ["trente", "compare"], list(context.params["houses"])
    for parameter in context.command.params:
        name = parameter.name or ""
        if isinstance(parameter, click.Option) and (
            context.get_parameter_source(name) is ParameterSource.COMMANDLINE
        ):
            value = context.params[name]
            for one in value if parameter.multiple else (value,):
                words += [parameter.opts[0], str(one)]
    if any(house.startswith("-") for house in houses):
        words.append("--")
    return shlex.join([*words, *houses])


def _written(stake: str) -> int | str:
    return int(stake) if stake.isascii() and stake.isdigit() and len(stake) < 20 else stake  # noqa: PLR2004


def _least(one: Compared) -> Any:
    return one.advantage.best.edge if one.advantage.wagers else 0


def load_houses(names: tuple[str, ...]) -> tuple[House, ...]:
    """Load houses by name or path, every fault of all at once; without a name, all sound ones."""
    faults: list[Fault] = []
    houses: list[House] = []
    for name in names or default_manager().names("house"):
        try:
            houses.append(load_house(name))
        except TrenteError as error:
            if not names:  # one house of one plugin does not keep the others from being shown
                click.echo(f"left out: {error}", err=True)
            elif isinstance(error, ConfigurationError):
                faults.extend(error.faults)
            else:
                raise
    if faults:
        raise ConfigurationError.of(*faults)
    return tuple(houses)


def _flat(one: Compared, wager: WagerAdvantage) -> dict[str, Any]:
    row = wager_json(wager, one.stake)
    row["policy"] = str(wager.policy)
    return {"house": one.house.name, "deal": one.advantage.deal, **row}
