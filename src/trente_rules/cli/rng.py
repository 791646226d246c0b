"""``trente rng``: what a laboratory asks for, and what a player verifies."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from io import UnsupportedOperation
from typing import Any, Final, Literal, TypeVar

import click
from attrs import asdict

from trente_rules.cli.helped import HelpedGroup
from trente_rules.cli.output import Output, bytes_given, misuse, report_options
from trente_rules.cli.values import PATH, SEED, SeedText, WholeNumber
from trente_rules.core.files import new_file
from trente_rules.fair.entropy import (
    LARGEST_NONCE,
    SeededShuffler,
    SystemShuffler,
    WordShuffler,
)
from trente_rules.fair.plan import MOST_FAIR_PACKS
from trente_rules.fair.shoes import Commitment, FairShoe, FairShuffler
from trente_rules.reports.certification.shuffles import shoe_line
from trente_rules.reports.document import Grid, Lines, Report

Source = Literal["system", "seeded", "fair"]
CHUNK: Final = 1 << 16
"""Bytes written at once: memory does not grow with what is asked for."""
NUMBER: Final = WholeNumber(0, LARGEST_NONCE)
MOST_BYTES: Final = LARGEST_NONCE
Drawn = TypeVar("Drawn", SeededShuffler, FairShuffler)


@click.group(
    cls=HelpedGroup,
    examples=(
        ("trente rng export shoes --shoes 10 --out shoes.txt", "ten shuffled shoes, to be tested"),
        ("trente rng verify shoe.json", "whether a provably fair shoe was dealt as committed"),
        ("trente rng audit published", "whether all shoes of a house were"),
    ),
)
def rng_command() -> None:
    """Export shuffles; verify provably fair shoes.

    docs/entropy.md specifies every byte.
    """


@rng_command.group(
    cls=HelpedGroup,
    examples=(
        ("trente rng export raw --bytes 1e6 --out raw.bin", "a million bytes of the system"),
        ("trente rng export shoes --shoes 100", "a hundred shuffled shoes, a line each"),
    ),
)
def export() -> None:
    """Write raw bytes or shuffled shoes, for a laboratory.

    They are drawn by the code that shuffles for play. How much was written, and its SHA-256, are
    printed on the standard error.
    """


def _of_a_source(function: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options that both exports have."""
    for option in (
        click.option(
            "--out",
            default="-",
            show_default=True,
            metavar="FILE",
            help="Write to a new FILE, for its owner alone, instead of the standard output (-).",
        ),
        click.option(
            "--client",
            "clients",
            multiple=True,
            metavar="TEXT",
            help="fair: a client seed; repeat for more.",
        ),
        click.option(
            "--test", is_flag=True, help="seeded: allow a seed under 128 bits, for a test."
        ),
        click.option(
            "--seed",
            type=SEED,
            help="seeded: the seed. fair: the server seed of all shoes, of 32 bytes.",
        ),
        click.option(
            "--source",
            type=click.Choice(["system", "seeded", "fair"]),
            default="system",
            show_default=True,
            help="The source of the bytes: the system, a seed, or provably fair shoes.",
        ),
    ):
        function = option(function)
    return function


@export.command(
    examples=(
        ("trente rng export raw --bytes 1e6 --out raw.bin", "a million bytes of the system"),
        (
            "trente rng export raw --source seeded --seed 2024 --test --out same.bin",
            "the same bytes every time",
        ),
    ),
)
@click.option(
    "--bytes",
    "count",
    type=WholeNumber(1, MOST_BYTES),
    metavar="N",
    default=1_000_000,
    show_default=True,
    help="How many bytes.",
)
@_of_a_source
def raw(*, count: int, out: str, **source: Any) -> None:
    """Write the raw bytes of which all draws are made."""
    if out == "-" and sys.stdout.isatty():
        raise click.UsageError(
            "raw bytes cannot be shown on a terminal: name a file with --out, or pipe"
        )
    first = _shufflers(packs=1, **source)(0)
    digest = _write(_chunks(first, count), out)
    click.echo(f"{count} bytes of {first.provenance().method}, SHA-256 {digest}", err=True)


@export.command(
    examples=(
        ("trente rng export shoes --shoes 2 --packs 1", "two shuffled packs, a line each"),
        (
            "trente rng export shoes --shoes 1 --source fair --client ann",
            "a provably fair shoe with a client seed",
        ),
    ),
)
@click.option(
    "--shoes",
    "count",
    type=WholeNumber(1, LARGEST_NONCE),
    metavar="N",
    default=1_000,
    show_default=True,
    help="How many shoes.",
)
@click.option(
    "--packs",
    type=WholeNumber(1, MOST_FAIR_PACKS),
    metavar="N",
    default=6,
    show_default=True,
    help=f"The packs of a shoe, up to {MOST_FAIR_PACKS}.",
)
@_of_a_source
def shoes(*, count: int, packs: int, out: str, **source: Any) -> None:
    """Write shuffled shoes, one a line, one letter a card.

    The cards are in the order of dealing. A to M are the spades from ace to king, N to Z the
    hearts, a to m the diamonds, n to z the clubs. Nothing is cut or burned.
    """
    make = _shufflers(packs=packs, **source)
    method = make(0).provenance().method
    lines = (shoe_line(packs, make(number)) for number in range(count))
    digest = _write(lines, out)
    click.echo(
        f"{_many(count, 'shoe')} of {_many(packs, 'pack')}, {method}, SHA-256 {digest}", err=True
    )


def _many(count: int, thing: str) -> str:
    return f"{count} {thing}" if count == 1 else f"{count} {thing}s"


def _shufflers(
    *, source: Source, seed: SeedText | None, test: bool, clients: tuple[str, ...], packs: int
) -> Callable[[int], SystemShuffler | SeededShuffler | FairShuffler]:
    """Return what makes the shuffler of shoe number 0, 1, 2 ...

    An option that could not act is misuse. A fair shoe has its number as nonce, and a server seed
    of its own unless one is given for all. A seeded one is a stream of its own, so that any shoe
    can be made again without those before it.
    """
    idle = {
        "--seed": seed is not None and source == "system",
        "--test": test and source != "seeded",
        "--client": bool(clients) and source != "fair",
    }
    for name, is_idle in idle.items():
        if is_idle:
            raise click.UsageError(f"{name} does nothing for the source {source}")
    if source == "system":
        return lambda _number: SystemShuffler()
    if source == "seeded":
        if seed is None:
            raise click.UsageError("the source seeded needs --seed SEED")
        data = seed.data
        return _tried(lambda number: SeededShuffler(data, number, test=test))
    if not clients:
        raise click.UsageError("the source fair needs --client TEXT")
    server = None if seed is None else seed.data
    return _tried(lambda number: FairShoe.seal(number, packs, server).shuffle(clients).shuffler())


def _tried(make: Callable[[int], Drawn]) -> Callable[[int], Drawn]:
    """Return what makes shufflers, tried once: an invalid seed is misuse."""
    with misuse():
        make(0)
    return make


def _chunks(shuffler: WordShuffler, count: int) -> Iterator[bytes]:
    for _whole in range(count // CHUNK):
        yield shuffler.take(CHUNK)
    yield shuffler.take(count % CHUNK)


def _write(chunks: Iterator[bytes], out: str) -> str:
    """Write chunks to a new file or the standard output; return the SHA-256 of all.

    Nothing is buffered here: a command that is interrupted leaves nothing behind that is half
    written, and a file that is not whole is removed.
    """
    if out == "-":
        try:
            handle = sys.stdout.fileno()
        except UnsupportedOperation as error:
            raise click.UsageError("there is no standard output: name a file with --out") from error
        return _pour(chunks, handle)
    with new_file(out, private=True) as opened:
        return _pour(chunks, opened.fileno())


def _pour(chunks: Iterator[bytes], handle: int) -> str:
    from hashlib import sha256  # noqa: PLC0415 - only an export needs it

    digest = sha256()
    for chunk in chunks:
        left = memoryview(chunk)
        while left:
            left = left[os.write(handle, left) :]
        digest.update(chunk)
    return digest.hexdigest()


@rng_command.command(
    examples=(
        ("trente rng verify shoe.json", "what the file alone shows"),
        (
            "trente rng verify shoe.json --nonce 7 --client ann",
            "whether it is the shoe that you wrote down",
        ),
    ),
    status={
        0: "it holds, and its commitment is the one you gave",
        1: "it does not hold",
        2: "wrong call, or not a revealed shoe",
        3: "it holds as far as the file shows: no commitment was given, or trente-fair-1",
    },
    finds=True,
)
@click.argument("file", type=PATH, default="-")
@click.option("--commitment", metavar="HEX", help="The commitment published before the seeds.")
@click.option("--nonce", type=NUMBER, help="The number of the shoe that was announced.")
@click.option(
    "--client", "clients", multiple=True, metavar="TEXT", help="Your own seed; repeat for more."
)
@click.option("--seeds", metavar="HEX", help="The digest of the list of client seeds.")
@click.option("--beacon", metavar="TEXT", help="The value that the beacon published.")
@click.option("--plan", metavar="TEXT", help="How the house prepares its shoes, as it published.")
@click.option(
    "--sealed", metavar="FILE", help="The file that was published at the sealing, as JSON."
)
@click.option("--cut", type=NUMBER, help="How many cards deep the shoe was cut.")
@click.option("--marker", type=NUMBER, help="How many cards were behind the marker.")
@report_options()
def verify(
    file: str, *, output: Output, clients: tuple[str, ...], sealed: str | None, **known: Any
) -> None:
    """Verify a provably fair shoe by what you wrote down.

    FILE is the JSON that was revealed, or - for the standard input. Everything in it is from the
    house: without --commitment it only shows that it agrees with itself. What could not be checked
    is listed. A shoe of trente-fair-1 leaves cut and marker to those who know the order.
    """
    from trente_rules.fair.publication import read_published  # noqa: PLC0415 - only this needs it
    from trente_rules.fair.verification import (  # noqa: PLC0415 - only this needs it
        LEFT_OPEN,
        remembered,
        verify_reveal,
    )

    with misuse():
        table = _revealed(file)
        found = verify_reveal(table)
        known["beacon_value"] = known.pop("beacon")
        if sealed is not None:
            known["sealed"] = Commitment.of_json(read_published(sealed))
        checks = (*found.checks, *remembered(table, client_seeds=clients, **known))
    holds = found.holds and all(check.holds is not False for check in checks)
    given = known["commitment"] is not None or sealed is not None
    bound = found.preparation is not None
    complete = holds and given and bound
    first = str(found)
    if holds and given and not bound:
        first = f"holds, but {LEFT_OPEN}"
    elif holds and not complete:
        first = first.replace("holds:", "holds as far as this file shows:", 1)
    elif found.holds and not holds:
        first = "does not hold: it is not the shoe that you remember"
    data = {
        "holds": holds,
        "complete": complete,
        "opens": found.opens,
        "compared": found.compared,
        "difference": found.difference,
        "checks": [asdict(check) for check in checks],
        "expected": " ".join(map(str, found.expected)),
    }
    flat = Grid("", ("what", "holds", "words"), [tuple(asdict(each).values()) for each in checks])
    lines = Lines([first, *map(str, checks)])
    output.show(Report("A provably fair shoe", [lines], data=lambda: data, flat=flat))
    sys.exit(0 if complete else 3 if holds else 1)


def _revealed(file: str) -> dict[str, Any]:
    """Read what was revealed, of a file or the standard input."""
    from trente_rules.fair.publication import (  # noqa: PLC0415 - only this needs it
        LARGEST,
        published_table,
    )

    return published_table(bytes_given(file, LARGEST))


@rng_command.command(
    examples=(
        ("trente rng audit published", "what is wrong in the folder published"),
        ("trente rng audit published --first 1 --last 500", "the same for announced nonces"),
    ),
    status={
        0: "nothing is wrong",
        1: "something is wrong",
        2: "wrong call, or DIR cannot be read or holds no shoe",
    },
    finds=True,
)
@click.argument("folder", type=click.Path(), metavar="DIR")
@click.option("--first", type=NUMBER, help="The first announced.  [default: the least in DIR]")
@click.option("--last", type=NUMBER, help="The last announced.  [default: the greatest in DIR]")
@report_options()
def audit(folder: str, output: Output, **span: int | None) -> None:
    """Audit all fair shoes that a house has published.

    DIR holds JSON files: the commitments, and what was revealed. The report lists nonces that are
    missing or used twice, shoes that were sealed and never revealed or revealed and never sealed, a
    server seed used twice, commitments with two plans, beacons or lists of client seeds, reveals
    that do not hold, and files that are neither.
    """
    from trente_rules.fair.publication import audit as audited  # noqa: PLC0415 - only this needs it

    with misuse():
        found = audited(folder, **span)
    findings = [asdict(each) for each in found.findings]
    empty = not (found.sealed or found.revealed)
    if empty and not findings:
        raise click.UsageError(f"{folder}: there is no published shoe in it (*.json)")
    data = {
        "folder": folder,
        "first": found.first,
        "last": found.last,
        "sealed": found.sealed,
        "revealed": found.revealed,
        "findings": findings,
        "more": found.more,
    }
    count = f"{_many(found.sealed, 'commitment')} and {_many(found.revealed, 'reveal')}"
    span_text = f"nonces {found.first} to {found.last}"
    if empty:
        count, span_text = "no commitments", "no reveals"
    result = "nothing is wrong" if found.clean else _many(len(findings) + found.more, "finding")
    lines = [f"{count}, {span_text}: {result}", *map(str, found.findings)]
    if found.more:
        lines.append(f"and {found.more} more")
    flat = Grid("", ("what", "words"), [tuple(each.values()) for each in findings])
    output.show(Report("Fair shoes audited", [Lines(lines)], data=lambda: data, flat=flat))
    sys.exit(2 if empty else 0 if found.clean else 1)
