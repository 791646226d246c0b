"""``trente certify``: what a test laboratory asks for about a house, as one folder."""

from __future__ import annotations

from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Final

import click

from trente_rules.cli.helped import HelpedCommand
from trente_rules.cli.output import PLAIN_TEXT, FormatName, Output, misuse
from trente_rules.cli.values import HOUSE, SEED, SeedText, WholeNumber
from trente_rules.cli.waiting import Waiting
from trente_rules.core.files import check_new_folder
from trente_rules.core.house.loading import house_documents, load_house
from trente_rules.core.text import counted, printable
from trente_rules.reports.document import Lines, Report

if TYPE_CHECKING:
    from trente_rules.reports.certification.pack import CertificationPack

_MOST_SHOES: Final = 100_000
_MOST_COUPS: Final = 10**12
_MISUSE: Final = ("bad-pack-option", "bad-seed", "short-seed")


@click.command(
    cls=HelpedCommand,
    finds=True,
    examples=(
        ("trente certify france-1959 --out pack", "the pack, with its deviations from the law"),
        ("trente certify my.toml --against campione --out pack", "deviations from another house"),
        ("trente verify pack", "whether a pack is as it was made"),
    ),
    status={0: "written", 1: "not written: the folder exists, or the house has faults"},
)
@click.argument("house", type=HOUSE)
@click.option(
    "--out",
    required=True,
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="The new folder to write.",
)
@click.option(
    "--against",
    type=HOUSE,
    help="List the deviations from this house.  [default: the last one that HOUSE extends]",
)
@click.option(
    "--shoes",
    type=WholeNumber(1, _MOST_SHOES),
    default=100,
    show_default=True,
    metavar="N",
    help="The shoes of the export.",
)
@click.option(
    "--coups",
    type=WholeNumber(0, _MOST_COUPS),
    default=20_000,
    show_default=True,
    metavar="N",
    help="The coups of the simulation, 0 for none; above 50,000 it needs trente-rules[fast].",
)
@click.option(
    "--seed",
    type=SEED,
    help="The seed of export, sample and simulation, of 16 bytes or more.  "
    "[default: 0x000102...0f]",
)
@click.option("--date", metavar="YYYY-MM-DD", help="The day to print; by default none is.")
@click.option(
    "--format",
    "form",
    type=FormatName(),
    default=PLAIN_TEXT,
    show_default=True,
    help="The format of what is printed.",
)
def certify_command(  # noqa: PLR0913 - click passes each option
    *,
    house: str,
    out: Path,
    against: str | None,
    shoes: int,
    coups: int,
    seed: SeedText | None,
    date: str | None,
    form: str,
) -> None:
    """Write what a test laboratory asks for about a house.

    One folder with the house, its rules in plain language, deviations, PAR sheet, the shuffles with
    test vectors and an export, a simulation, a recorded taille, versions, hashes, the bill of
    materials and the results of the tests. index.html explains each file. The same house, options,
    version and machine give the same bytes. The digest that is printed covers all of them:
    note it, and give it to trente verify.
    """
    from trente_rules.reports.certification.pack import (  # noqa: PLC0415 - only this makes one
        SEED as USUAL,
    )
    from trente_rules.reports.certification.pack import PackOptions, certification_pack  # noqa: PLC0415

    with Waiting.begun():
        with misuse(*_MISUSE):
            text = USUAL if seed is None else seed.data.hex()
            options = PackOptions(seed=text, shoes=shoes, coups=coups, date=date or "")
        check_new_folder(out)
        loaded, given = load_house(house), house_documents(house)
        base = None if against is None else load_house(against)
        pack = certification_pack(loaded, given=given, against=base, options=options)
        pack.write(out)
        Output(form).show(_report(pack, out))


def _report(pack: CertificationPack, out: Path) -> Report:
    size = sum(map(len, pack.files.values()))
    typed = quote(str(out))
    data = {
        "folder": str(out),
        "house": pack.house.name,
        "fingerprint": pack.house.fingerprint,
        "digest": pack.digest,
        "files": len(pack.files),
        "bytes": size,
    }
    what = f"{counted(len(pack.files), 'file')}, {size / 1e6:.1f} MB"
    lines = (
        f"{printable(str(out))} written: {what}. Begin with its index.html.",
        "",
        "The digest covers every byte of them. Note it where nobody can change it:",
        f"  {pack.digest}",
        "",
        "To verify the folder:",
        f"  trente verify {printable(typed)} --digest {pack.digest}",
    )
    return Report("Certification pack", [Lines(lines)], data=lambda: data)
