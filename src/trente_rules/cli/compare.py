"""``trente compare``: houses side by side."""

from __future__ import annotations

from typing import Any, Final

import click
from attrs import NOTHING

from trente_rules.analysis.advantage import Wager
from trente_rules.analysis.comparison import (
    Compared,
    compare,
    comparison_json,
    differing_keys,
    wager_json,
)
from trente_rules.cli.output import (
    FORMATS,
    Table,
    percent,
    print_csv,
    print_json,
    print_markdown,
    print_table,
    short_text,
    value_text,
)
from trente_rules.errors import ConfigurationError, Fault, TrenteError
from trente_rules.house.house import Chosen, House
from trente_rules.house.toml import load_house
from trente_rules.house.unstructure import unstructure
from trente_rules.keys import keys_of
from trente_rules.money import Amount
from trente_rules.plugins.manager import default_manager
from trente_rules.rules.chances import Verdict
from trente_rules.rules.refait import Custom

SIDE_BY_SIDE: Final = 4
"""Up to so many houses, every differing key is shown; with more, one line a house."""
_NUMBERS: Final = frozenset(("edge", "per resolved", "per decided", "sd", "packs", "burn"))
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
@click.option("--format", "form", type=click.Choice(FORMATS), default="table", show_default=True)
def command(
    houses: tuple[str, ...],
    deal: str,
    stake: str | None,
    chances: tuple[str, ...],
    sort: str,
    form: str,
) -> None:
    """Compare houses: the rules that differ, and the bank's advantage on every wager.

    Without a house, all that are known are compared. The advantage is exact, in stakes: for each
    chance, insured and not, and for each pure policy of the player.
    """
    try:
        amount = None if stake is None else Amount.parse(_written(stake))
        compared = compare(load_houses(houses), deal=deal, stake=amount, chances=chances)
    except TrenteError as error:
        if error.code in ("unknown-deal", "bad-amount", "unknown-chance", "too-few-packs"):
            raise click.UsageError(str(error)) from error
        raise
    if sort == "edge":
        compared = tuple(sorted(compared, key=lambda one: (not one.advantage.wagers, _least(one))))
    if form == "json":
        print_json(comparison_json(compared))
    elif form == "csv":
        print_csv((_flat(one, wager) for one in compared for wager in one.advantage.wagers), _CSV)
    else:
        printed = print_table if form == "table" else print_markdown
        for table in (rules_table([one.house for one in compared]), edges_table(compared)):
            if table.rows:
                printed(table)
        for one in compared:
            for refusal in one.refused:
                click.echo(f"{one.house.name} takes no such stake: {refusal}")


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
            if names and not isinstance(error, ConfigurationError):
                raise
            if names:
                faults.extend(getattr(error, "faults", ()))
            else:  # one house of one plugin does not keep the others from being shown
                click.echo(f"left out: {error}", err=True)
    if faults:
        raise ConfigurationError.of(*faults)
    return tuple(houses)


def _flat(one: Compared, wager: Wager) -> dict[str, Any]:
    row = wager_json(wager, one.stake)
    row["policy"] = str(wager.policy)
    return {"house": one.house.name, "deal": one.advantage.deal, **row}


def rules_table(houses: list[House]) -> Table:
    """Answer the rules that differ: each key for few houses, a line a house for many."""
    if len(houses) < 2:  # noqa: PLR2004 - one house differs from none
        return Table("", (), ())
    if len(houses) <= SIDE_BY_SIDE:
        rows = tuple(
            (key, *(short_text(value) for value in values))
            for key, values in differing_keys(houses)
        )
        return Table("The rules that differ", ("key", *(house.name for house in houses)), rows)
    lines = [_line(house) for house in houses]
    columns = [
        name for name in lines[0] if name == "house" or len({line[name] for line in lines}) > 1
    ]
    rows = tuple(tuple(line[name] for name in columns) for line in lines)
    return Table("The main rules that differ", tuple(columns), rows, _NUMBERS)


def _line(house: House) -> dict[str, str]:
    """Answer the rules of a house in few words."""
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
    """Answer the least and the most a player may stake, in the currency."""
    rule = house.limits.rule
    pairs = getattr(rule, "tables", ())
    if pairs:
        return f"{len(pairs)} tables, {pairs[0].minimum} to {pairs[-1].maximum}"
    least, most = getattr(rule, "minimum", None), getattr(rule, "maximum", None)
    many = getattr(rule, "maximum_multiple", None)
    if least is None:
        return house.limits.name
    upper = f"{most}" if most is not None else f"{many} times that" if many else "any"
    return f"{least} to {upper}"


def _rule(chosen: Chosen) -> str:
    """Answer a rule's name and those of its values that are not its defaults."""
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


def edges_table(compared: tuple[Compared, ...]) -> Table:
    """Answer the advantage, a line for each house, policy and group of chances that are alike."""
    rows: list[tuple[str, ...]] = []
    for one in compared:
        groups: dict[tuple[Any, ...], list[str]] = {}
        for wager in one.advantage.wagers:
            alike = (
                wager.insured,
                str(wager.policy),
                wager.edge,
                wager.per_resolved,
                wager.per_decided,
                f"{wager.sd:.6f}",
            )
            groups.setdefault(alike, []).append(wager.chance)
        for (insured, policy, edge, resolved, decided, deviation), chances in groups.items():
            rows.append(
                (
                    one.house.name,
                    one.advantage.deal,
                    _chances(one.house, chances),
                    "insured" if insured else "-",
                    policy,
                    percent(edge),
                    percent(resolved),
                    percent(decided),
                    deviation,
                )
            )
    stakes = {str(one.stake) for one in compared if one.stake is not None}
    suffix = f", for a stake of {stakes.pop()}" if stakes else ""
    return Table(
        f"The bank's advantage, per stake{suffix}",
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
        tuple(rows),
        _NUMBERS,
    )


def _chances(house: House, chances: list[str]) -> str:
    simple = [chance.id for chance in house.chances if chance.simple]
    if len(chances) > 1 and chances == simple:
        return f"all {len(simple)}"
    return ", ".join(chances)
