"""``trente odds``: the next coup from the cards that are left."""

from __future__ import annotations

from fractions import Fraction
from typing import IO, Any, Final

import click
from attrs import evolve

from trente_rules.analysis.advantage import Advantage, advantage
from trente_rules.analysis.comparison import Compared, lowest_opening, wager_json
from trente_rules.analysis.deal_odds import CoupOdds
from trente_rules.analysis.fast_odds import FastOdds
from trente_rules.analysis.remaining import (
    VALUES,
    CompletedOdds,
    Composition,
    Engine,
    deal_odds,
    unfinished,
)
from trente_rules.cli.compare_tables import edges_table
from trente_rules.cli.output import Table, percent, print_json, print_table
from trente_rules.cli.sequential import sequential_json, sequential_of, sequential_table
from trente_rules.deal.cards import parse_cards
from trente_rules.deal.coup import POINTS
from trente_rules.errors import CardError, TrenteError
from trente_rules.house.house import House
from trente_rules.house.toml import load_house
from trente_rules.rules.chances import COUP_VERDICTS

LARGEST: Final = 1_000_000
"""Bytes of a list of cards that are read."""
_NUMBERS: Final = frozenset(
    (
        *("point", "a row", "both rows", "win", "lose", "apres", "refait"),
        *("cards", "red", "black", "uninsured", "insured", "gain", "of the premium"),
    )
)


@click.command()
@click.option("--packs", type=click.IntRange(1), help="Packs of the shoe; else those of the house.")
@click.option(
    "--remaining",
    metavar="COUNTS",
    help='The cards that are left: "A:20,2:24,...,9:24,X:90". X is every card worth ten; a count '
    'is "24", colours even, or "12r+11b". Values not named have no card.',
)
@click.option(
    "--dealt",
    type=click.File("rb"),
    metavar="FILE",
    help='A list of the cards that are out, as "10♥ Th / A♠"; - reads the standard input.',
)
@click.option("--house", "name", default="france-2007", show_default=True, help="A name or a file.")
@click.option(
    "--engine",
    type=click.Choice(["exact", "fast"]),
    default="exact",
    show_default=True,
    help="exact: fractions, some seconds; fast: floating point, of the extra fast.",
)
@click.option(
    "--sequential",
    is_flag=True,
    help="Of a full shoe: the edges with the dependence of later coups taken in as well.",
)
@click.option("--format", "form", type=click.Choice(["table", "json"]), default="table")
def command(
    *,
    packs: int | None,
    remaining: str | None,
    dealt: IO[bytes] | None,
    name: str,
    engine: Engine,
    sequential: bool,
    form: str,
) -> None:
    """Odds of the next coup from the cards that are left: points, chances, refait, edges.

    Without --remaining or --dealt the shoe is full. Later coups, on which a stake in prison waits,
    count as independent copies of the next one; of a full shoe, --sequential tells what the
    dependence adds.
    """
    if sequential and (remaining is not None or dealt is not None):
        raise click.UsageError("--sequential is of a full shoe: no --remaining, no --dealt")
    if remaining is not None and dealt is not None:
        raise click.UsageError("give --remaining or --dealt, not both")
    house = load_house(name)
    left = _left(house, packs, remaining, dealt)
    odds = deal_odds(left, engine)
    found = None
    if unfinished(odds) < 1:
        found = advantage(house, CompletedOdds(odds), opening=lowest_opening(house))
    both = (Compared(house, found),) if sequential and found else ()
    wagers = [(one, sequential_of(one)) for one in both]
    if form == "json":
        told = _json(house, left, odds, found)
        for _one, of_house in wagers:
            for entry, wager in zip(told["edges"], of_house.wagers, strict=True):
                entry.update(sequential_json(wager))
        print_json(told)
        return
    for table in _tables(house, left, odds, found):
        print_table(table)
    if found is None:
        click.echo("No coup can be completed from these cards, so there is no advantage.")
    if wagers:
        print_table(sequential_table(wagers))


def _left(
    house: House, packs: int | None, remaining: str | None, dealt: IO[bytes] | None
) -> Composition:
    """Answer the cards that are left, as the options tell them."""
    of_house = packs or house.shoe.packs
    try:
        if remaining is not None:
            return Composition.parse(remaining, packs)
        if dealt is not None:
            return Composition.after(of_house, parse_cards(_text(dealt).replace("/", " ")))
        return Composition.fresh(of_house)
    except TrenteError as error:
        if error.code == "bad-composition":
            raise click.UsageError(str(error)) from error
        raise


def _text(dealt: IO[bytes]) -> str:
    """Read a list of cards; ``CardError`` ("not-utf-8", "file-too-large")."""
    data = dealt.read(LARGEST + 1)
    if len(data) > LARGEST:
        raise CardError(
            f"the list of cards is above {LARGEST} bytes", "file-too-large", "give one shoe's cards"
        )
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise CardError(
            f"the list of cards is not UTF-8: byte {error.start}", "not-utf-8", "save it as UTF-8"
        ) from error


def _insurance(found: Advantage | None) -> dict[str, tuple[Fraction, Fraction]]:
    """Answer the least edges of each chance that can be insured: without insurance and with it."""
    least: dict[str, dict[bool, Fraction]] = {}
    for wager in found.wagers if found else ():
        edges = least.setdefault(wager.chance, {})
        edges[wager.insured] = min(edges.get(wager.insured, wager.edge), wager.edge)
    return {chance: (e[False], e[True]) for chance, e in least.items() if len(e) > 1}


def _json(
    house: House, left: Composition, odds: CoupOdds | FastOdds, found: Advantage | None
) -> dict[str, Any]:
    rate = house.insurance_table.rate if house.insurance_table else Fraction(0)
    return {
        "house": house.name,
        "fingerprint": house.fingerprint,
        "deal": odds.deal,
        "engine": "fast" if isinstance(odds, FastOdds) else "exact",
        "error": odds.error if isinstance(odds, FastOdds) else 0,
        "remaining": {
            value: {"red": red, "black": black}
            for value, red, black in zip(VALUES, left.rouge, left.noir, strict=True)
        },
        "cards": left.cards,
        "joint": [[float(p) for p in line] for line in odds.joint()],
        "row": [float(p) for p in odds.row()],
        "unfinished": float(unfinished(odds)),
        "chances": {
            chance.id: {
                verdict.id: float(p)
                for verdict, p in zip(COUP_VERDICTS, odds.verdicts(chance.verdicts), strict=True)
            }
            for chance in house.chances
        },
        "edges": [wager_json(wager, None) for wager in found.wagers] if found else None,
        "insurance": {
            chance: {
                "uninsured": float(without),
                "insured": float(insured),
                "gain": float(without - insured),
                "of_premium": float((without - insured) / rate) if rate else None,
            }
            for chance, (without, insured) in _insurance(found).items()
        },
    }


def _share(p: Fraction | float) -> str:
    return f"{float(p):.9f}"


def _tables(
    house: House, left: Composition, odds: CoupOdds | FastOdds, found: Advantage | None
) -> list[Table]:
    title = f"{left.cards} cards are left"
    if isinstance(odds, FastOdds):
        title += f"; fast, off by about {odds.error:.0e}"
    counts = zip(VALUES, left.rouge, left.noir, strict=True)
    tables = [
        Table(
            title,
            ("value", "red", "black", "cards"),
            tuple((v, str(red), str(black), str(red + black)) for v, red, black in counts),
            _NUMBERS,
        )
    ]
    joint, row = odds.joint(), odds.row()
    lines = [(str(p), _share(row[i]), _share(joint[i][i])) for i, p in enumerate(POINTS)]
    cut_short = unfinished(odds)
    if cut_short:
        lines.append(("not completed", "-", _share(cut_short)))
    tables.append(Table("Points", ("point", "a row", "both rows"), tuple(lines), _NUMBERS))
    tables.append(
        Table(
            "Chances",
            ("chance", *(verdict.id for verdict in COUP_VERDICTS)),
            tuple((c.id, *map(_share, odds.verdicts(c.verdicts))) for c in house.chances),
            _NUMBERS,
        )
    )
    if found is None:
        return tables
    edges = edges_table((Compared(house, found),))
    given = "; of a coup that is completed" if cut_short else ""
    tables.append(evolve(edges, title=edges.title + given))
    rate = house.insurance_table.rate if house.insurance_table else Fraction(0)
    worth = tuple(
        (
            chance,
            percent(without),
            percent(insured),
            percent(without - insured),
            percent((without - insured) / rate, 3) if rate else "-",
        )
        for chance, (without, insured) in _insurance(found).items()
    )
    if worth:
        tables.append(
            Table(
                "What insurance is worth now, per stake",
                ("chance", "uninsured", "insured", "gain", "of the premium"),
                worth,
                _NUMBERS,
            )
        )
    return tables
