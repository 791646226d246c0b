"""``trente odds``: the next coup from the cards that are left."""

from __future__ import annotations

import shlex
from fractions import Fraction
from typing import IO, Any, Final

import click
from attrs import evolve
from click.core import ParameterSource

from trente_rules.cli.compare import edges_table, sequential_json, sequential_of, sequential_table
from trente_rules.cli.output import Listing, bar, percent, print_json, print_table
from trente_rules.core.cards import parse_cards
from trente_rules.core.chances import COUP_VERDICTS
from trente_rules.core.coup import POINTS
from trente_rules.core.errors import CardError, TrenteError
from trente_rules.core.house.house import House
from trente_rules.core.house.loading import load_house
from trente_rules.core.money import Amount
from trente_rules.odds.advantage import Advantage, advantage
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
from trente_rules.players.counting import CHANCES, PUBLISHED, Counting, Favourable, count_shoes
from trente_rules.reports.comparison import Compared, wager_json
from trente_rules.reports.pages import sheet_html
from trente_rules.reports.par_sheet import par_sheet
from trente_rules.reports.par_sheet_json import sheet_json
from trente_rules.reports.par_sheet_layout import sheet_markdown, sheet_text

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
def odds_command(
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
        found = advantage(house, CompletedOdds(odds), opening=house.lowest_opening())
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
    """Return the cards that are left, as the options tell them."""
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
) -> list[Listing]:
    title = f"{left.cards} cards are left"
    if isinstance(odds, FastOdds):
        title += f"; fast, off by about {odds.error:.0e}"
    counts = zip(VALUES, left.rouge, left.noir, strict=True)
    tables = [
        Listing(
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
    tables.append(Listing("Points", ("point", "a row", "both rows"), tuple(lines), _NUMBERS))
    tables.append(
        Listing(
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
            Listing(
                "What insurance is worth now, per stake",
                ("chance", "uninsured", "insured", "gain", "of the premium"),
                worth,
                _NUMBERS,
            )
        )
    return tables


# --- ``trente par``: the PAR sheet of a house, its mathematical report

_PAR_MISUSE: Final = ("unknown-deal", "bad-amount", "not-whole-units", "needs-report")
_RENDER: Final = {"table": sheet_text, "markdown": sheet_markdown, "html": sheet_html}
_Z: Final = ("1.65", "1.96", "2.576")


@click.command()
@click.argument("house")
@click.option(
    "--format",
    "form",
    type=click.Choice(["table", "json", "markdown", "html"]),
    default="table",
    show_default=True,
    help="html: a page with figures that stands alone, of the extra report.",
)
@click.option(
    "--deal",
    default="own",
    show_default=True,
    help="What the odds are of: own (the packs of the house), infinite, or N-packs.",
)
@click.option(
    "--stake",
    metavar="N",
    help="Tell the advantage for a stake of N in the currency of the house as well.",
)
@click.option(
    "--z",
    type=click.Choice(_Z),
    default="1.96",
    show_default=True,
    help="The z of volatility index and confidence bands: 90, 95 or 99 % of a normal law.",
)
@click.pass_context
def par_command(
    context: click.Context, *, house: str, form: str, deal: str, stake: str | None, z: str
) -> None:
    """Print the PAR sheet of a HOUSE (a name or a file): odds, advantages, risks, exact.

    Points, ties and chances; for each wager and each pure policy true odds, advantage, deviation,
    hit frequency and confidence bands; the advantage by stake as the house rounds; the coups of a
    taille. Each figure names its basis and its deal.
    """
    loaded = load_house(house)
    try:
        amount = None if stake is None else Amount.parse(stake)
        sheet = par_sheet(loaded, deal=deal, stake=amount, z=float(z), command=_told(context))
        if form == "json":
            print_json(sheet_json(sheet))
        else:
            click.echo(_RENDER[form](sheet), nl=False)
    except TrenteError as error:
        if error.code in _PAR_MISUSE:
            raise click.UsageError(str(error)) from error
        raise


def _told(context: click.Context) -> str:
    """Return the command as it was given, options that were not left out."""
    words = ["trente", "par", context.params["house"]]
    for name, option in (("form", "format"), ("deal", "deal"), ("stake", "stake"), ("z", "z")):
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            words += [f"--{option}", context.params[name]]
    return shlex.join(words)


# --- ``trente count``: what a player who remembers every card could gain

_COUNT_MISUSE: Final = ("bad-shoes", "bad-seed")
_COLUMNS: Final = (
    *("of the shoe", "coups", "favourable", "mean edge", "least edge"),
    *("insured: favourable", "mean", "least"),
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
@click.option(
    "--format", "form", type=click.Choice(["table", "json"]), default="table", show_default=True
)
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
    form: str,
) -> None:
    """Count cards: how often, and by how much, couleur or inverse favours who saw every card.

    Tailles are dealt as the house deals them; before each coup the exact advantage is worked out
    from the cards not seen, uninsured and insured, and a linear count is set beside it. Some
    hundredths of a second a coup. Control-C ends with what is done.
    """
    loaded = load_house(house)
    try:
        with bar("shoes") as progress:
            found = count_shoes(
                loaded,
                shoes=shoes,
                to_the_end=to_the_end,
                seed=seed,
                workers=workers,
                progress=progress,
            )
    except TrenteError as error:
        if error.code in _COUNT_MISUSE:
            raise click.UsageError(str(error)) from error
        raise
    if not found.shoes:
        raise click.Abort
    if form == "json":
        print_json(found.to_json())
    else:
        _print(found)
    if found.shoes < found.asked:
        click.echo("stopped: the figures are of the shoes that were dealt", err=True)
        context.exit(_STOPPED)


def _print(found: Counting) -> None:
    title = (
        f"{found.house.name}: {len(found.coups)} coups of {found.shoes} shoes as a counter of all "
        f"cards saw them, the better of {' and '.join(CHANCES)}; seed {found.seed}"
    )
    rows = [
        _row(f"{100 * low:.0f} to {100 * high:.0f} %", plain, insured)
        for low, high, plain, insured in found.by_depth()
    ]
    rows.append(_row("all", found.uninsured, found.insured))
    print_table(Listing(title, _COLUMNS, tuple(rows), frozenset(_COLUMNS[1:])))
    for words, insured in (("uninsured", False), ("insured", True)):
        both = found.insured if insured else found.uninsured
        if both is None:
            continue
        click.echo(f"{words}: {_gained(both.favourable, both.coups, both.gain, both.per_coup)}")
        linear = found.linear(insured=insured)
        if linear is None or linear.correlation is None:
            continue
        placed = "none of them"
        if linear.placed:
            placed = (
                f"{linear.placed} of them, {linear.right} rightly, mean gain "
                f"{100 * linear.gain:.4f} %"
            )
        click.echo(
            f"  by the linear count {placed}; its correlation with the exact advantage is "
            f"{linear.correlation:.3f}"
        )
    if found.too_few:
        click.echo(
            f"{found.too_few} coups left out: fewer than 40 cards were unseen (--to-the-end)"
        )
    click.echo(f"\n{PUBLISHED}.")


def _gained(favourable: int, coups: int, gain: float, per_coup: float) -> str:
    if not favourable:
        return f"none of {coups} coups is favourable"
    return (
        f"{favourable} of {coups} coups are favourable, by {100 * gain:.4f} % of the stake on the "
        f"average: a stake at each of them gains {1000 * per_coup:.4f} stakes in 1000 coups watched"
    )


def _row(name: str, plain: Favourable, insured: Favourable | None) -> tuple[str, ...]:
    return (name, str(plain.coups), *_three(plain), *_three(insured))


def _three(one: Favourable | None) -> tuple[str, ...]:
    if one is None or one.mean is None or one.best is None:
        return ("-", "-", "-")
    return (f"{100 * one.share:.2f} %", _edge(one.mean), _edge(one.best))


def _edge(edge: float) -> str:
    return f"{100 * edge:.4f} %"
