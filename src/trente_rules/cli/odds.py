"""``trente odds`` and ``trente count``: the next coup from the cards that are left."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final

import click

from trente_rules.cli.compare import sequential_of
from trente_rules.cli.output import Output, bar, bytes_given, misuse, report_options
from trente_rules.core.cards import parse_cards
from trente_rules.core.chances import COUP_VERDICTS
from trente_rules.core.coup import POINTS
from trente_rules.core.errors import CardError
from trente_rules.core.house.house import House
from trente_rules.core.house.loading import load_house
from trente_rules.odds.advantage import Advantage, advantage, law_of, of_kind
from trente_rules.odds.coup_odds import CoupOdds
from trente_rules.odds.fast import FastOdds
from trente_rules.odds.remaining import (
    VALUES,
    CompletedOdds,
    Composition,
    Engine,
    deal_odds,
    unfinished,
)
from trente_rules.reports.comparison import BestScopes, Compared, best_scopes, wager_json
from trente_rules.reports.comparison_layout import (
    add_sequential,
    edges_table,
    scope_parts,
    sequential_table,
)
from trente_rules.reports.document import Cell, Grid, Items, Lines, Part, Report
from trente_rules.reports.nominal import Scope, scope_json, scopes

if TYPE_CHECKING:
    from trente_rules.players.counting import Counting, Favourable

LARGEST: Final = 1_000_000
"""Bytes of a list of cards that are read."""


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
@report_options()
def odds_command(
    *,
    packs: int | None,
    remaining: str | None,
    dealt: str | None,
    name: str,
    engine: Engine,
    sequential: bool,
    output: Output,
) -> None:
    """Compute the odds of the next coup from the cards that are left.

    Without --remaining or --dealt the shoe is full. Later coups, on which a stake in prison waits,
    count as independent copies of the next one; of a full shoe, --sequential prints what the
    dependence adds.
    """
    if sequential and (remaining is not None or dealt is not None):
        raise click.UsageError("--sequential is of a full shoe: no --remaining, no --dealt")
    if remaining is not None and dealt is not None:
        raise click.UsageError("give --remaining or --dealt, not both")
    house = load_house(name)
    left = _left(house, packs, remaining, dealt)
    odds = deal_odds(left, engine)
    found, holds = None, tuple[Scope | None, ...]()
    if unfinished(odds) < 1:
        found = advantage(house, CompletedOdds(odds), opening=house.lowest_opening())
        holds = scopes(house, CompletedOdds(odds), found.wagers)
    parts: list[Part] = [*_tables(house, left, odds, found)]
    of_house = None
    if found is None:
        none = "No coup can be completed from these cards, so there is no advantage."
        parts.append(Lines([none]))
    elif sequential:
        one = Compared(house, found)
        of_house = sequential_of(one)
        parts.append(sequential_table([(one, of_house)]))
    if found is not None:
        parts.extend(scope_parts([Compared(house, found, scopes=holds)]))

    def data() -> dict[str, Any]:
        told = _json(house, left, odds, found)
        for edge, scope in zip(told["edges"] or (), holds, strict=True):
            edge.update(scope_json(scope, house.money))
        if of_house is not None:
            add_sequential(told["edges"], of_house)
        return told

    output.show(Report(f"Odds of the next coup at {house.name}", parts, data=data))


def _left(house: House, packs: int | None, remaining: str | None, dealt: str | None) -> Composition:
    """Return the cards that are left, as the options name them."""
    of_house = packs or house.shoe.packs
    with misuse("bad-composition", "file-missing", "file-unreadable"):
        if remaining is not None:
            return Composition.parse(remaining, packs)
        if dealt is not None:
            listed = _text(bytes_given(dealt, LARGEST))
            return Composition.after(of_house, parse_cards(listed.replace("/", " ")))
        return Composition.fresh(of_house)


def _text(data: bytes) -> str:
    """Return a list of cards; ``CardError`` ("not-utf-8")."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise CardError(
            f"the list of cards is not UTF-8: byte {error.start}", "not-utf-8", "save it as UTF-8"
        ) from error


def _insurance(found: Advantage | None) -> dict[str, tuple[Fraction, Fraction]]:
    """Return the least edges of each chance that can be insured: without insurance and with it."""
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
                verdict.id: float(p) for verdict, p in {**_NO_LAW, **law_of(chance, odds)}.items()
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


_NO_LAW: Final = dict.fromkeys(COUP_VERDICTS, Fraction(0))


def _tables(
    house: House, left: Composition, odds: CoupOdds | FastOdds, found: Advantage | None
) -> Iterator[Grid]:
    title = f"{left.cards} cards are left"
    if isinstance(odds, FastOdds):
        title += f"; fast, off by about {odds.error:.0e}"
    yield Grid(
        title,
        ("value", ("red", "d"), ("black", "d"), ("cards", "d")),
        (
            (value, red, black, red + black)
            for value, red, black in zip(VALUES, left.rouge, left.noir, strict=True)
        ),
    )
    joint, row = odds.joint(), odds.row()
    lines: list[tuple[Cell, ...]] = [(p, row[i], joint[i][i]) for i, p in enumerate(POINTS)]
    cut_short = unfinished(odds)
    if cut_short:
        lines.append(("not completed", None, cut_short))
    yield Grid("Points", (("point", "d"), ("a row", ".9f"), ("both rows", ".9f")), lines)
    yield Grid(
        "Chances",
        ("chance", *((verdict.id, ".9f") for verdict in COUP_VERDICTS)),
        (
            (chance.id, *(of_kind(law_of(chance, odds), verdict.kind) for verdict in COUP_VERDICTS))
            for chance in house.chances
        ),
    )
    if found is None:
        return
    given = "; of a coup that is completed" if cut_short else ""
    yield edges_table([Compared(house, found)], given)
    rate = house.insurance_table.rate if house.insurance_table else Fraction(0)
    worth = [
        (chance, without, insured, without - insured, (without - insured) / rate if rate else None)
        for chance, (without, insured) in _insurance(found).items()
    ]
    if worth:
        yield Grid(
            "What insurance is worth now, per stake",
            (
                *("chance", ("uninsured", ".5%"), ("insured", ".5%"), ("gain", ".5%")),
                ("of the premium", ".3%"),
            ),
            worth,
        )


# --- ``trente count``: what a player who remembers every card could gain

_COLUMNS: Final = (
    *("of the shoe", ("coups", "d"), ("favourable", ".2%"), ("mean edge", ".4%")),
    *(("least edge", ".4%"), ("insured: favourable", ".2%"), ("mean", ".4%"), ("least", ".4%")),
)
_STOPPED: Final = 130


@click.command()
@click.argument("house", default="france-2007")
@click.option("--shoes", type=int, default=200, show_default=True, help="How many tailles to deal.")
@click.option(
    "--to-the-end",
    is_flag=True,
    help="Also the coups before which fewer than 40 cards are unseen: about a second each.",
)
@click.option("--seed", type=int, help="The same seed gives the same shoes; else one is drawn.")
@click.option("--workers", type=click.IntRange(1), help="Threads; else one for each processor.")
@report_options()
@click.pass_context
def count_command(
    context: click.Context,
    /,
    *,
    house: str,
    shoes: int,
    to_the_end: bool,
    seed: int | None,
    workers: int | None,
    output: Output,
) -> None:
    """Count cards: how often, and by how much, couleur or inverse favours who saw every card.

    Tailles are dealt as the house deals them; before each coup the exact advantage is worked out
    from the cards not seen, uninsured and insured, and a linear count is set next to it. Some
    hundredths of a second a coup. Control-C ends with what is done.
    """
    from trente_rules.players.counting import (  # noqa: PLC0415 - only this command counts
        CHANCES,
        count_shoes,
    )

    loaded = load_house(house)
    with misuse("bad-shoes", "bad-seed"), bar("shoes") as progress:
        found = count_shoes(
            loaded,
            shoes=shoes,
            to_the_end=to_the_end,
            seed=seed,
            workers=workers,
            progress=progress,
        )
    if not found.shoes:
        raise click.Abort
    output.show(_report(found, best_scopes(loaded, CHANCES)))
    if found.shoes < found.asked:
        click.echo("stopped: the figures are of the shoes that were dealt", err=True)
        context.exit(_STOPPED)


def _report(found: Counting, scope: BestScopes) -> Report:
    from trente_rules.players.counting import CHANCES, PUBLISHED  # noqa: PLC0415 - as above

    title = (
        f"{found.house.name}: {len(found.coups)} coups of {found.shoes} shoes as a counter of all "
        f"cards saw them, the better of {' and '.join(CHANCES)}; seed {found.seed}"
    )
    rows = [
        _row(f"{100 * low:.0f} to {100 * high:.0f} %", plain, insured)
        for low, high, plain, insured in found.by_depth()
    ]
    rows.append(_row("all", found.uninsured, found.insured))
    held, (plain, insured) = scope
    parts: list[Part] = [Grid(title, _COLUMNS, rows), Lines(_lines(found))]
    if held:
        parts += [
            "Figures are nominal. These, of a full shoe, do not hold for every stake:",
            Items(held),
        ]
    parts.append(Lines([f"{PUBLISHED}."]))
    holds = {"uninsured": plain, "insured": insured}
    return Report(
        f"Counting cards at {found.house.name}",
        parts,
        data=lambda: {**found.to_json(), "holds": holds},
    )


def _lines(found: Counting) -> Iterator[str]:
    for words, insured in (("uninsured", False), ("insured", True)):
        both = found.insured if insured else found.uninsured
        if both is None:
            continue
        yield f"{words}: {_gained(both.favourable, both.coups, both.gain, both.per_coup)}"
        linear = found.linear(insured=insured)
        if linear is None or linear.correlation is None:
            continue
        placed = "none of them"
        if linear.placed:
            placed = (
                f"{linear.placed} of them, {linear.right} rightly, mean gain "
                f"{100 * linear.gain:.4f} %"
            )
        yield (
            f"  by the linear count {placed}; its correlation with the exact advantage is "
            f"{linear.correlation:.3f}"
        )
    if found.too_few:
        yield f"{found.too_few} coups left out: fewer than 40 cards were unseen (--to-the-end)"


def _gained(favourable: int, coups: int, gain: float, per_coup: float) -> str:
    if not favourable:
        return f"none of {coups} coups is favourable"
    return (
        f"{favourable} of {coups} coups are favourable, by {100 * gain:.4f} % of the stake on the "
        f"average: a stake at each of them gains {1000 * per_coup:.4f} stakes in 1000 coups watched"
    )


def _row(name: str, plain: Favourable, insured: Favourable | None) -> tuple[Cell, ...]:
    return (name, plain.coups, *_three(plain), *_three(insured))


def _three(one: Favourable | None) -> tuple[Cell, ...]:
    if one is None or one.mean is None or one.best is None:
        return (None, None, None)
    return (one.share, one.mean, one.best)
