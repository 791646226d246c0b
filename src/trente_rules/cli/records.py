"""``trente record``, ``replay`` and ``card``: tailles converted, dealt again and drawn."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NoReturn

import attrs
import click
from attrs import define, field, frozen
from click.core import ParameterSource

from trente_rules.cli.faults import print_error
from trente_rules.cli.helped import HelpedCommand
from trente_rules.cli.output import PLAIN_TEXT, Output, key_option, report_options
from trente_rules.cli.values import COUNT, HOUSE, PATH
from trente_rules.core.cards import Card
from trente_rules.core.errors import ConfigurationError, RecordError, TrenteError
from trente_rules.core.house.house import House
from trente_rules.core.house.loading import installed_house, load_house
from trente_rules.core.text import counted, json_text, printable, printable_lines
from trente_rules.fair.card_seal import CardSeal
from trente_rules.records.files import dumps_record
from trente_rules.records.permanence import Noted, Permanence
from trente_rules.records.record import CoupRecord, Record
from trente_rules.records.record_json import record_to_json
from trente_rules.records.replay import Replay, replay
from trente_rules.records.scorecard import ScoreCard, cards_text
from trente_rules.records.scorecard_drawing import cards_png, cards_svg
from trente_rules.records.tailles import (
    Tailles,
    card_of_record,
    cards_of_permanence,
    is_journal,
    load_tailles,
    records_of_journal,
    shoes_of_journal,
)
from trente_rules.reports.document import Cell, Column, Grid, Items, Lines, Part, Report


@click.command(
    cls=HelpedCommand,
    examples=(
        ("trente record table.journal --out taille.toml", "the record of the last taille"),
        ("trente record taille.toml --format compact", "the taille as a permanence"),
        ("trente record taille.toml --format text", "its coups, a line each"),
    ),
    status={0: "written", 1: "it cannot be written", 2: "a file cannot be read; wrong call"},
)
@click.argument("files", nargs=-1, required=True, type=PATH, metavar="FILE...")
@click.option("--shoe", type=COUNT, help="Only the taille of this shoe.")
@click.option(
    "--house", "name", type=HOUSE, help="json: add the verdicts of a permanence under this house."
)
@report_options("toml", "compact", default="toml")
@key_option("The key of a sealed journal, for the order of its cards.")
@click.pass_context
def record_command(
    context: click.Context,
    *,
    files: tuple[str, ...],
    shoe: int | None,
    name: str | None,
    output: Output,
    seal: CardSeal | None,
) -> None:
    """Convert records, journals and permanences.

    A FILE is a journal, a record (it ends in .toml), or otherwise a permanence. Formats: toml, the
    default, one record (of a journal the last taille, or that of --shoe); compact, a permanence of
    all tailles; json, everything; the others, a table of the coups. A permanence holds no cards and
    cannot be written as toml.
    """
    form = output.form
    if form == PLAIN_TEXT and context.get_parameter_source("form") is not _GIVEN:
        form = "toml" if output.out is None or not output.out.suffix else form
    if name is not None and form != "json":
        raise click.UsageError("--house has an effect only with --format json")
    read = [(file, shoe, seal) for file in files]
    if form in _TEXTS:
        attrs.evolve(output, form=form).pour(_text(read, form, name))
    else:
        output.show(Report("Tailles", [_coups_grid(read)]))


_GIVEN: Final = ParameterSource.COMMANDLINE


def _coups_grid(read: Iterable[tuple[str, int | None, CardSeal | None]]) -> Grid:
    """Return the coups of all files, a line each; exit with 2 where one cannot be read."""
    columns = (
        *(Column("file", rank=3), ("taille", "d"), ("coup", "d"), "first", "second"),
        *("points", Column("stakes", "d", rank=1), Column("note", rank=2)),
    )
    try:
        once = _Written()
        rows = [row for file in read for row in _coup_rows(_Source.of(*file), once)]
    except TrenteError as error:
        unreadable(error)
    return Grid("", columns, rows)


def _coup_rows(source: _Source, once: _Written) -> Iterator[tuple[Cell, ...]]:
    if source.permanence is not None:
        for number, taille in enumerate(source.permanence.tailles, 1):
            for place, noted in enumerate(taille, 1):
                points = " ".join(map(str, noted.points)) or None
                yield source.name, number, place, None, None, points, None, "noted"
        return
    for record in once.records(source):
        for coup in record.coups:
            yield source.name, record.shoe.number, coup.number, *_coup_cells(coup)


def _coup_cells(coup: CoupRecord) -> tuple[Cell, ...]:
    return (
        *(" ".join(map(str, coup.first)), " ".join(map(str, coup.second))),
        *(" ".join(map(str, coup.points)), len(coup.stakes)),
        f"void: {coup.void}" if coup.void else "",
    )


def _text(
    files: Iterable[tuple[str, int | None, CardSeal | None]], form: str, name: str | None
) -> Iterator[str]:
    """Yield the text of all files in a form, part by part; exit with 2 where one is unreadable."""
    try:
        house = None if name is None else load_house(name)
        yield from _TEXTS[form]([_Source.of(*file) for file in files], house)
    except TrenteError as error:
        unreadable(error)


def unreadable(error: TrenteError) -> NoReturn:
    """Print why a file cannot be read, and exit with 2."""
    print_error(error)
    sys.exit(2)


def warn(records: Iterator[Record]) -> None:
    """Print what was passed over in records, on the standard error."""
    for record in records:
        for warning in record.warnings:
            click.echo(f"warning: {printable(warning)}", err=True)
        if record.shoe.order_sealed:
            what = f"shoe {record.shoe.number}: the order is sealed, and left out: give --key-file"
            click.echo(f"warning: {what}", err=True)


@frozen
class _Source:
    """A file of tailles, or one of them; the records of a journal are made one after the other."""

    name: str
    shoe: int | None
    seal: CardSeal | None
    tailles: Tailles | None

    @classmethod
    def of(cls, file: str, shoe: int | None, seal: CardSeal | None) -> _Source:
        """Read a file; of a journal no more than what it is. ``seal`` is that of its cards."""
        return cls(file, shoe, seal, None if is_journal(file) else load_tailles(file, seal))

    @property
    def permanence(self) -> Permanence | None:
        """The permanence that the file is."""
        return None if self.tailles is None else self.tailles.permanence

    def records(self, shoe: int | None = None) -> Iterator[Record]:
        """Yield the records, or that of one shoe; print what was passed over in them."""
        wanted = shoe or self.shoe
        if self.tailles is None:
            found = records_of_journal(self.name, wanted, self.seal)
        else:
            known = self.tailles.records if wanted is None else self.tailles.dealt()
            found = (record for record in known if wanted in (None, record.shoe.number))
        missing = wanted is not None
        for record in found:
            missing = False
            warn(iter((record,)))
            yield record
        if missing:
            raise self._missing_error()

    def last(self) -> Iterator[Record]:
        """Yield the records that can be meant by one: of a journal the last."""
        if self.tailles is not None:
            self.tailles.dealt()
            return self.records()
        shoes = shoes_of_journal(self.name)
        return self.records(self.shoe or shoes[-1]) if shoes or self.shoe else iter(())

    def _missing_error(self) -> RecordError:
        if self.tailles is None:
            shoes: Iterable[int] = shoes_of_journal(self.name)
        else:
            shoes = (record.shoe.number for record in self.tailles.records)
        numbers = ", ".join(map(str, shoes)) or "none"
        what = f"{self.name!r} holds no shoe {self.shoe}"
        return RecordError(what, "no-such-shoe", f"shoes: {numbers}", self.name)


@define
class _Written:
    """The tailles that are written: each once, although several files have it."""

    _names: dict[tuple[str, int, tuple[Card, ...]], str] = field(factory=dict)

    def records(self, source: _Source) -> Iterator[Record]:
        """Yield the records of a file that no file before has; print which are left out."""
        mine: list[tuple[str, int, tuple[Card, ...]]] = []
        for record in source.records():
            # A record may be a part of another one: both begin with the same coup.
            cards = record.coups[0].cards if record.coups else ()
            key = record.table.name, record.shoe.number, cards
            if cards and key in self._names:
                what = f"taille {key[1]} of table {key[0]} is that of {self._names[key]}"
                text = printable(f"{source.name}: {what}, and is written once")
                click.echo(f"warning: {text}", err=True)
            else:
                mine.append(key)
                yield record
        self._names |= dict.fromkeys(mine, source.name)


def _toml_text(read: Sequence[_Source], _house: House | None) -> Iterator[str]:
    whole = [record for each in read for record in each.last()]
    if whole and whole[0].sha256 and len({record.sha256 for record in whole}) == 1:
        whole = whole[:1]  # the same taille, named more than once
    if len(whole) != 1:
        raise RecordError(
            f"{len(whole)} tailles cannot be written as one record",
            "several-tailles",
            "name one file, or write them as compact or json",
        )
    yield dumps_record(whole[0])


def _compact_text(read: Sequence[_Source], _house: House | None) -> Iterator[str]:
    once = _Written()
    noted = [each.permanence or Permanence.of_records(once.records(each)) for each in read]
    houses = {each.house for each in noted if each.tailles}
    same = noted[0].headers if len(houses) == 1 else ()
    text = str(Permanence(tuple(t for each in noted for t in each.tailles), same))
    yield printable_lines(text)


def _json_text(read: Sequence[_Source], house: House | None) -> Iterator[str]:
    """Yield the text of one object, record by record, in the form of ``json.dumps``."""
    head = before = '{\n  "records": ['
    once = _Written()
    for each in read:
        for record in once.records(each):
            yield f"{before}\n    {_json(record_to_json(record), '    ')}"
            before = ","
    permanences = [
        _permanence(each.permanence, house) for each in read if each.permanence is not None
    ]
    end = f"{head}]" if before == head else "\n  ]"
    yield f'{end},\n  "permanences": {_json(permanences, "  ")}\n}}\n'


def _json(value: object, before: str) -> str:
    # No string holds a line break: JSON writes it with an escape.
    return json_text(value).replace("\n", f"\n{before}")


_TEXTS: Final = {"toml": _toml_text, "compact": _compact_text, "json": _json_text}
"""The forms that tailles are written in; the other formats print a table of their coups."""


def _permanence(permanence: Permanence, house: House | None) -> dict[str, Any]:
    known = house or (installed_house(permanence.house) if permanence.house else None)
    return {
        "house": known.name if known else None,
        "headers": dict(permanence.headers),
        "tailles": [[_noted(noted, known) for noted in taille] for taille in permanence.tailles],
    }


def _noted(noted: Noted, house: House | None) -> dict[str, Any]:
    colours = (noted.colour, noted.second_colour)
    first, second = (None if colour is None else colour.id for colour in colours)
    told: dict[str, Any] = {
        "points": [noted.first, noted.second],
        "colour": first,
        "second_colour": second,
        "winners": list(noted.winners),
        "tie": noted.tie or None,
    }
    if house is not None:
        met = {chance.id: noted.verdict(chance, house) for chance in house.chances}
        told["verdicts"] = {
            chance: None if verdict is None else verdict.id for chance, verdict in met.items()
        }
    return told


# --- ``trente replay``: records dealt and settled again


@click.command(
    cls=HelpedCommand,
    finds=True,
    examples=(
        ("trente replay taille.toml", "whether a record is dealt and settled by its rules"),
        ("trente replay table.journal --house my.toml", "the tailles under a different house"),
    ),
    status={0: "all is equal", 1: "something differs", 2: "a file cannot be read"},
)
@click.argument("files", nargs=-1, required=True, type=PATH, metavar="FILE...")
@click.option("--house", "name", type=HOUSE, help="Replay under a different house.")
@key_option("The key of a sealed journal, to deal its shoes in their order.")
@report_options()
def replay_command(
    *, files: tuple[str, ...], name: str | None, output: Output, seal: CardSeal | None
) -> None:
    """Deal and settle records again and report differences.

    A FILE is a record, or a journal, whose tailles are all replayed. Each difference is a line:
    coup, stake, field, what is recorded and what the rules give. Where one file cannot be read, the
    others are still replayed.
    """
    try:
        house = None if name is None else load_house(name)
    except TrenteError as error:
        unreadable(error)
    told: list[dict[str, Any]] = []
    parts: list[Part] = []
    status = 0
    for file in files:
        found: list[tuple[dict[str, Any], list[Part]]] = []  # what is printed: no record is held
        try:
            found.extend(
                ({"file": file, **_replay_json(each)}, [*_replay_parts(file, each)])
                for each in _replays(file, house, seal)
            )
        except TrenteError as error:
            click.echo(str(error), err=True)
            told.append({"file": file, "error": error.code, "message": str(error)})
            status = 2
            continue
        for one, lines in found:
            told.append(one)
            parts += lines
            if not one["equal"]:
                status = max(status, 1)
    columns = ("file", "table", "shoe", "house", "fingerprint", "coups", "stakes", "equal")
    flat = Grid("", columns, ((one.get(name) for name in columns) for one in told))
    parts.insert(0, _replay_answer(told))
    output.show(Report("Tailles replayed", parts, data=lambda: {"replays": told}, flat=flat))
    sys.exit(status)


def _replay_answer(told: Sequence[Mapping[str, Any]]) -> str:
    """Return how many tailles came out as they are recorded, in a sentence."""
    read = [one for one in told if "equal" in one]
    wrong = sum(1 for one in read if not one["equal"])
    unread = len(told) - len(read)
    if not read:
        return f"No taille was dealt again: {counted(unread, 'file')} not read."
    text = f"{counted(len(read), 'taille')} dealt and settled again: "
    text += f"{wrong} with differences" if wrong else "nothing differs"
    return f"{text}; {unread} not read." if unread else f"{text}."


def _replays(file: str, house: House | None, seal: CardSeal | None) -> Iterator[Replay]:
    source = _Source.of(file, None, seal)
    if source.tailles is not None:
        source.tailles.dealt()  # a permanence holds no cards
    for record in source.records():
        yield replay(record, house, folder=Path(file).parent)


def _replay_json(found: Replay) -> dict[str, Any]:
    record = found.record
    return {
        "table": record.table.name,
        "shoe": record.shoe.number,
        "house": record.house.name,
        "fingerprint": record.house.fingerprint,
        "coups": len(record.coups),
        "stakes": sum(len(coup.stakes) for coup in record.coups),
        "equal": found.equal,
        "differences": [attrs.asdict(each) for each in found.differences],
        "notes": list(found.notes),
    }


def _replay_parts(file: str, found: Replay) -> Iterator[Part]:
    told = _replay_json(found)
    answer = "equal" if found.equal else counted(len(found.differences), "difference")
    played = f"{counted(told['coups'], 'coup')}, {counted(told['stakes'], 'stake')}"
    first = f"{file}: shoe {told['shoe']}, {played}: {answer}"
    yield Lines([first, *(f"  {note}" for note in found.notes)])
    yield Items(map(str, found.differences))


# --- ``trente card``: the score card of a taille, the traditional carton

_DRAWN: Final[Mapping[str, Callable[[Sequence[ScoreCard]], str | bytes]]] = {
    "text": cards_text,
    "svg": cards_svg,
    "png": cards_png,
}
"""The forms of a card."""
PLAIN_HOUSE: Final = "france-2007"
"""What a permanence that names no house is read by."""


@click.command(
    cls=HelpedCommand,
    examples=(
        ("trente card permanence.txt", "the tailles of a permanence, as text"),
        ("trente card taille.toml --out card.svg", "the card of a record as a picture"),
        ("trente card permanence.txt --format csv", "the coups as a table"),
    ),
    status={0: "drawn", 1: "it cannot be written", 2: "the file cannot be read; wrong call"},
)
@click.argument("file", type=PATH, metavar="RECORD")
@click.option("--taille", type=COUNT, help="Only this taille of several, from 1.")
@click.option("--house", "name", type=HOUSE, help="The house whose rules apply to a permanence.")
@report_options("svg", "png")
def card_command(*, file: str, taille: int | None, name: str | None, output: Output) -> None:
    """Draw a score card.

    It is the traditional carton: a dot in the winner's column, one line a coup. RECORD is a record
    (it ends in .toml), a journal, or a permanence that a player noted. An après is empty boxes, a
    refait crosses in all of them. svg and png are pictures (png needs trente-rules[report]).
    """
    terminal = output.out is None and sys.stdout is not None and sys.stdout.isatty()
    if output.form == "png" and terminal:
        raise click.UsageError(
            "a PNG cannot be shown on a terminal: name a file with --out, or pipe"
        )
    try:
        cards = _cards(file, name)
    except (RecordError, ConfigurationError) as error:
        unreadable(error)
    if taille is not None:
        if taille > len(cards):
            raise click.UsageError(f"--taille {taille}: {file} holds {len(cards)}")
        cards = cards[taille - 1 : taille]
    if output.form in _DRAWN:
        output.write(_DRAWN[output.form](cards))
    else:
        output.show(Report("Score cards", [_card_grid(cards)]))


def _card_grid(cards: Iterable[ScoreCard]) -> Grid:
    """Return the coups of cards, a line each."""
    rows = (
        (card.title, line.number, " ".join(line.winners), line.tie, " ".join(map(str, line.points)))
        for card in cards
        for line in card.lines
    )
    return Grid("", ("card", ("coup", "d"), "winners", "tie", "points"), rows)


def _cards(file: str, name: str | None) -> tuple[ScoreCard, ...]:
    tailles = load_tailles(file)
    if tailles.permanence is None:
        if name is not None:
            raise click.UsageError("--house does nothing: the record holds its verdicts")
        return tuple(map(card_of_record, tailles.records))
    said = tailles.permanence.house or PLAIN_HOUSE
    house = load_house(name) if name else installed_house(said)
    for fault in tailles.permanence.impossible(house):
        click.echo(f"warning: {fault}", err=True)
    return tuple(cards_of_permanence(tailles.permanence, house))
