"""``trente odds``: the next coup from the cards that are left."""

from __future__ import annotations

from typing import Final, Literal

import click

from trente_rules.cli.compare import sequential_of
from trente_rules.cli.helped import HelpedCommand
from trente_rules.cli.output import Output, bytes_given, misuse, report_options
from trente_rules.cli.values import AMOUNT, COUNT, DEFAULT_HOUSE, HOUSE, WholeNumber
from trente_rules.core.cards import parse_cards
from trente_rules.core.coup import POINTS
from trente_rules.core.errors import CardError, TrenteError
from trente_rules.core.house.house import House
from trente_rules.core.house.loading import load_house
from trente_rules.core.money import Amount
from trente_rules.core.shoe import MOST_PACKS
from trente_rules.odds.advantage import law_of
from trente_rules.odds.coup_odds import CoupOdds
from trente_rules.odds.fast import FastOdds
from trente_rules.odds.first_row import FirstRow
from trente_rules.odds.last_coups import LastCoups, advantage_of_cards
from trente_rules.odds.remaining import CompletedOdds, Composition, deal_odds, unfinished
from trente_rules.reports.comparison import Compared
from trente_rules.reports.first_row import FirstRowKnown, first_row_report
from trente_rules.reports.nominal import Scope, scopes
from trente_rules.reports.odds_layout import NextCoup, odds_report
from trente_rules.reports.removal_table import removal_or_none

LARGEST: Final = 1_000_000
"""Bytes of a list of cards that are read."""


@click.command(
    cls=HelpedCommand,
    examples=(
        ("trente odds", "the first coup of a full shoe, in France"),
        ("trente odds --house italy-prison --full", "the same in Italy, for every policy"),
        (
            "trente odds --remaining A:20,2:24,3:24,4:24,5:24,6:24,7:24,8:24,9:24,X:90",
            "the next coup from these cards",
        ),
        ("trente odds --stake 10 --digits 6", "the edges of a stake of 10, with six decimals"),
        ("trente odds --first 36", "the chances once the first row has ended on 36"),
    ),
    status={0: "printed", 1: "the list of cards has a fault", 2: "wrong call"},
)
@click.option("--packs", type=COUNT, help="Packs in the shoe. [default: the house's]")
@click.option(
    "--remaining",
    metavar="COUNTS",
    help='Unseen cards, such as "A:20,2:24,...,9:24,X:90". X is every card worth ten; a count is '
    '"24", half of it red, or "12r+11b". Values not named have no card.',
)
@click.option(
    "--dealt",
    metavar="FILE",
    help='Cards that are out, such as "10♥ Th / A♠"; - reads the standard input.',
)
@click.option(
    "--house",
    "name",
    type=HOUSE,
    default=DEFAULT_HOUSE,
    show_default=True,
    help="The house whose rules apply.",
)
@click.option(
    "--engine",
    type=click.Choice(["auto", "exact", "fast"]),
    default="auto",
    show_default=True,
    help="exact: fractions, up to some seconds. fast: floating point with an estimated error, "
    "milliseconds (needs trente-rules[fast]). auto: fast where it is installed.",
)
@click.option(
    "--stake",
    type=AMOUNT,
    help="Edges of a stake of N in the currency: rounding and least premiums included.",
)
@click.option("--digits", type=WholeNumber(0, 15), help="Decimals of every figure.")
@click.option(
    "--full",
    is_flag=True,
    help="Every policy and verdict, insurance by chance, effects of removal.",
)
@click.option("--cards", is_flag=True, help="The unseen cards by value and colour.")
@click.option(
    "--first",
    type=WholeNumber(POINTS[0], POINTS[-1]),
    help="The chances once the first row has ended on this point; the cards are those before.",
)
@click.option(
    "--sequential",
    is_flag=True,
    help="Also the edges with dependence between coups of one shoe (full shoe only).",
)
@report_options()
def odds_command(  # noqa: PLR0913 - click passes each option
    *,
    packs: int | None,
    remaining: str | None,
    dealt: str | None,
    name: str,
    engine: Literal["auto", "exact", "fast"],
    stake: Amount | None,
    digits: int | None,
    full: bool,
    cards: bool,
    first: int | None,
    sequential: bool,
    output: Output,
) -> None:
    """Compute the odds of the next coup from the cards left.

    Prints how often each chance wins, loses and ties, the bank's edge by play, whether insurance
    pays, the points, and the unseen cards. Without --remaining or --dealt the shoe is full.

    Later coups, on which a stake in prison waits, count as independent copies of the next one while
    one is sure to fit; near the end of the shoe, those of a fresh shoe follow where none fits. Of
    a full shoe, --sequential prints what the dependence adds.
    """
    if sequential and (remaining is not None or dealt is not None):
        raise click.UsageError("--sequential needs a full shoe: leave out --remaining and --dealt")
    unused = {"--stake": stake, "--full": full, "--cards": cards, "--sequential": sequential}
    given = [option for option, value in unused.items() if value]
    if first is not None and given:
        raise click.UsageError(f"--first has no use for {given[0]}: leave it out")
    if remaining is not None and dealt is not None:
        raise click.UsageError("give --remaining or --dealt, not both")
    house = load_house(name)
    left = _left(house, packs, remaining, dealt)
    with misuse("bad-amount", "not-whole-units"):
        units = None if stake is None else house.money.units(stake)
    odds = _odds(house, left, engine)
    if first is not None:
        with misuse("bad-first-row"):
            known = FirstRowKnown(house, left, FirstRow(odds, first), digits)
        output.show(first_row_report(known))
        return
    found, held, last = None, tuple[Scope | None, ...](), None
    if unfinished(odds) < 1:
        law = CompletedOdds(odds)
        opening = house.lowest_opening(units or 0)
        last = LastCoups.of(house, left, law)
        found = advantage_of_cards(house, left, law, stake=units, opening=opening)
        if units is None:
            held = scopes(house, law, found.wagers, last=last)
    after = None
    if sequential and found is not None:
        after = sequential_of(Compared(house, found, stake))
    coup = NextCoup(house, left, odds, found, held, stake, after, digits, last)
    more = output.form == "text" and output.out is None
    csv = output.form == "csv"  # for programs, which want every figure
    removal = removal_or_none(house, left) if full and found is not None else ()
    output.show(odds_report(coup, full=full or csv, cards=cards, more=more, removal=removal))


def _odds(
    house: House, left: Composition, engine: Literal["auto", "exact", "fast"]
) -> CoupOdds | FastOdds:
    """Return the odds by the engine that is asked for, or the fastest one that is installed."""
    whole = 1 <= left.whole <= MOST_PACKS  # whose odds are stored
    if engine == "auto" and not whole:
        try:
            odds = deal_odds(left, "fast")
            for chance in house.chances:
                law_of(chance, odds)
        except TrenteError as error:
            if error.code not in ("needs-fast", "needs-exact"):
                raise
        else:
            return odds
    return deal_odds(left, "fast" if engine == "fast" else "exact")


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
