"""``trente card``: the score card of a taille, the traditional carton."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import click

from trente_rules.cli.record import unreadable
from trente_rules.errors import ConfigurationError, RecordError, TrenteError
from trente_rules.house.toml import load_house
from trente_rules.scorecard.lines import ScoreCard
from trente_rules.scorecard.tailles import card_of_record, cards_of_permanence
from trente_rules.table.records.opening import load_tailles

FORMS: Final = ("text", "svg", "png")
PLAIN_HOUSE: Final = "france-2007"
"""What a permanence that names no house is read by."""


@click.command()
@click.argument("file", metavar="RECORD")
@click.option(
    "--format",
    "form",
    type=click.Choice(FORMS),
    help="How it is drawn; png needs the extra report.  [default: the ending of --out, or text]",
)
@click.option("--taille", type=click.IntRange(1), help="Only this taille of several, from 1.")
@click.option("--house", "name", help="The house a noted permanence is read by.")
@click.option("--out", metavar="FILE", help="A new file, instead of the standard output.")
def command(
    *, file: str, form: str | None, taille: int | None, name: str | None, out: str | None
) -> None:
    """Draw tailles as the traditional carton: a dot in the winner's column, one line a coup.

    RECORD is a record (it ends in .toml), a journal, or a permanence that a player noted. An après
    is empty boxes, a refait crosses in all of them. Exit status: 0 drawn, 1 not writable, 2 the
    file cannot be read.
    """
    drawn = form or _form_of(out)
    if drawn == "png" and out is None and sys.stdout is not None and sys.stdout.isatty():
        raise click.UsageError("a PNG is not for a terminal: name a file by --out, or pipe")
    try:
        cards = _cards(file, name)
    except (RecordError, ConfigurationError) as error:
        unreadable(error)
    if taille is not None:
        if taille > len(cards):
            raise click.UsageError(f"--taille {taille}: {file} holds {len(cards)}")
        cards = cards[taille - 1 : taille]
    _write(_drawn(cards, drawn), out)


def _form_of(out: str | None) -> str:
    """Answer the form that the ending of a file says."""
    ending = Path(out).suffix.removeprefix(".").lower() if out else ""
    if ending in {"", "txt"}:
        return "text"
    if ending not in FORMS:
        raise click.UsageError(
            f"--out {out}: .{ending} is no form a card has; name a .txt, .svg or .png, or --format"
        )
    return ending


def _cards(file: str, name: str | None) -> tuple[ScoreCard, ...]:
    tailles = load_tailles(file)
    if tailles.permanence is None:
        if name is not None:
            raise click.UsageError("--house does nothing: the record holds its verdicts")
        return tuple(map(card_of_record, tailles.records))
    house = load_house(name or tailles.permanence.house or PLAIN_HOUSE)
    return tuple(cards_of_permanence(tailles.permanence, house))


def _drawn(cards: Sequence[ScoreCard], form: str) -> bytes | str:
    if form == "png":
        from trente_rules.scorecard.png import cards_png  # noqa: PLC0415 - only this form

        return cards_png(cards)
    if form == "svg":
        from trente_rules.scorecard.svg import cards_svg  # noqa: PLC0415 - only this form

        return cards_svg(cards)
    from trente_rules.scorecard.text import cards_text  # noqa: PLC0415 - only this form

    return cards_text(cards)


def _write(drawn: bytes | str, out: str | None) -> None:
    if out is None:
        click.echo(drawn, nl=False)
        return
    file = Path(out)
    try:
        with file.open("xb") as opened:
            opened.write(drawn if isinstance(drawn, bytes) else drawn.encode())
    except FileExistsError:
        raise TrenteError(
            f"{out!r} is there already", "file-exists", "name another file, or remove it"
        ) from None
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise TrenteError(f"{out!r} cannot be written: {why}", "file-unwritable") from error
