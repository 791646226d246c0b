"""Make the golden files of this version: ``python -m tools.make_golden_files [HOUSE...]``.

They are what a host has in store when it changes to a newer release: snapshots, journals, records,
permanences, files of runs and of sessions, of every shipped house, in ``tests/golden/VERSION``.
Beside them ``expected.json`` says what every later version must find in them. Files of a released
version are never made again.
"""

# ruff: noqa: INP001, T201 - a script that says what it does

from __future__ import annotations

import gzip
import json
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterable
from contextlib import closing, suppress
from itertools import cycle
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from made_file import parser_of
from tests.golden import figures

from trente_rules import PACK, Card, Coup, House, Table, TrenteError, __version__, load_house
from trente_rules.core import Row, default_manager
from trente_rules.core.house.loading import dumps_house
from trente_rules.fair import CardSeal, FairShoe, SeededShuffler
from trente_rules.play.saving import session_text
from trente_rules.play.session import PlaySession, UiStep
from trente_rules.records import Permanence, Recorder, dumps_record
from trente_rules.table import (
    Burn,
    ChoiceOffered,
    Choose,
    CloseBets,
    CloseSession,
    Command,
    Correct,
    Cut,
    Deal,
    EndShoe,
    Event,
    HeadSigner,
    Increase,
    Insure,
    OpenBets,
    OpenShoe,
    Phase,
    Place,
    PlaceMarker,
    Settle,
    SqliteJournal,
    Turn,
    VoidCoup,
    Withdraw,
    entry_to_json,
    snapshot,
)
from trente_rules.testing import opening_of, stacked_shoe

FOLDER: Final = Path(__file__).parents[1] / "tests" / "golden" / __version__
SERVER_SEED: Final = "5e" * 32
PLAY_SEED: Final = "7a" * 16
CLIENTS: Final = ("ann", "zoë")
REFAIT: Final = (31, 31)
FIRST: Final = ((38, 31), REFAIT, (32, 37), (36, 36), (34, 33), REFAIT, REFAIT)
LAST: Final = ((33, 39), (35, 35), REFAIT, (37, 32), REFAIT)
PLAYERS: Final = ("ann", "bob", "cid", "zoë")
SPREAD: Final = (1, 3, 2, 5)
FLAT: Final = ("--coups", "20000", "--seed", "1911", "--workers", "1")
LONG: Final = ("--coups", "1000000", "--seed", "1911", "--workers", "1")
SYSTEMS: Final = (
    *("--coups", "10000", "--session", "200", "--seed", "1911", "--workers", "1"),
    *("--system", "martingale", "--system", "d'alembert"),
)
BANKROLL: Final = 200_000
MOST_COUPS: Final = 150
"""Coups that a session at the screen waits for a prisoner."""
LARGE: Final = 16_000
"""Bytes above which a file is compressed."""
FEW: Final = 6
"""Coups of the fair shoe, where no marker ends it."""
LONG_RUNS: Final = ("france-2007",)
"""Houses that have a run of several chunks, broken off after the first."""


def coups_on(points: Iterable[tuple[int, int]]) -> list[Coup]:
    """Return coups on these points, of different cards as far as a pack has them."""
    tens = cycle(card for card in PACK if card.points == 10)  # noqa: PLR2004 - of the rules
    suits = cycle("♠♥♦♣")

    def row(point: int) -> Row:
        return Row((next(tens), next(tens), next(tens), Card(point - 30, next(suits))))

    return [Coup(row(first), row(second)) for first, second in points]


class Evening:
    """A session at a table of a house, its snapshots and its records."""

    def __init__(self, house: House, journal: SqliteJournal) -> None:
        """Open the table."""
        opening = opening_of(house)
        self.house = house
        self.table = Table(house, name=f"salle de {house.name}", opening=opening, journal=journal)
        self.recorder = Recorder(house, self.table.state.setup.table, opening)
        self.snapshots: dict[str, str] = {}
        self.events: list[Event] = []
        self.count = 0
        insurance = house.insurance_table
        insured = (insurance.minimum_stake, insurance.multiple) if insurance else (0, 0)
        limits = house.limits_table
        least = max(limits.bounds(opening, chance.id).least for chance in house.chances)
        self.base = max(least, 1, *insured)

    def do(self, kind: type[Command], **fields: Any) -> tuple[Event, ...]:
        """Do a command, the clock going on by a minute."""
        self.count += 1
        hour, minute = divmod(self.count, 60)
        command = kind(id=f"c{self.count}", at=f"2024-05-14T{hour:02}:{minute:02}", **fields)
        events = self.table.do(command)
        self.recorder.append(command, events, self.table.state)
        self.events.extend(events)
        return events

    def may(self, kind: type[Command], **fields: Any) -> bool:
        """Do a command where the house takes it; tell whether it did."""
        if not self.table.can(kind(id="may", **fields)):
            return False
        self.do(kind, **fields)
        return True

    def shoe(self, **opening: Any) -> None:
        """Open a shoe, ready for its first bets."""
        rule = self.house.shoe
        self.do(OpenShoe, **opening)
        if self.table.state.phase is Phase.CUT:  # else the first bets come before it
            self.do(Cut, by=rule.cut_by)
        if rule.burn and self.table.state.phase is Phase.BURN:
            self.do(Burn)
        if rule.marker and self.table.state.phase is Phase.MARK:
            self.do(PlaceMarker, by=rule.marker.placed_by)

    def stacked(self, points: Iterable[tuple[int, int]]) -> None:
        """Open a shoe that begins with coups on these points."""
        rule = self.house.shoe
        stacked = stacked_shoe(coups_on(points), rule.packs, burn=rule.burn)
        self.shoe(cards=stacked.cards, source="stacked")

    def bets(self, number: int, players: Iterable[str] = PLAYERS) -> None:
        """Open the bets and place stakes, some insured; side bets every other coup."""
        self.do(OpenBets)
        simple = [chance.id for chance in self.house.chances if chance.simple]
        side = [chance.id for chance in self.house.chances if not chance.simple]
        place = f"{self.table.state.shoe_number}.{self.table.state.coup_number}"
        for seat, player in enumerate(players):
            wish: dict[str, Any] = {
                "stake": f"{player} {place}",
                "player": player,
                "chance": simple[(seat + number) % len(simple)],
            }
            amounts = (self.base * SPREAD[seat] + (seat == 1), self.base * SPREAD[seat], self.base)
            _ = any(
                self.may(Place, **wish, amount=amount, insured=insured)
                for amount in amounts
                for insured in ((True, False) if seat in (1, 2) else (False,))
            )
        for seat, chance in enumerate(side[: 3 if number % 2 else 0]):
            player = PLAYERS[seat]
            fields = {"player": player, "chance": chance, "amount": self.base}
            self.may(Place, stake=f"{player} {place} side", **fields)

    def close_bets(self) -> None:
        """Close the bets; a house that cuts after the first ones cuts now."""
        self.do(CloseBets)
        if self.table.state.phase is Phase.CUT:
            self.do(Cut, by=self.house.shoe.cut_by)

    def coup(self, number: int, players: Iterable[str] = PLAYERS, course: str = "") -> None:
        """Play a coup to its settlement; choose a course where it is offered."""
        self.bets(number, players)
        self.close_bets()
        self.deal(course)
        if self.table.state.phase is Phase.DEALT:  # else the shoe ended in the coup, and voided it
            self.do(Settle)

    def deal(self, course: str = "") -> list[str]:
        """Deal, and choose; return the stakes that a choice was offered for."""
        events = self.do(Deal)
        offered = [event for event in events if isinstance(event, ChoiceOffered)]
        for seat, event in enumerate(offered):
            wish = course or ("prison", "partage")[seat % 2]
            choice = {"stake": event.stake.id, "verdict": event.verdict.id}
            self.may(Choose, **choice, course=wish)
        return [event.stake.id for event in offered]

    def keep(self, name: str) -> None:
        """Keep a snapshot."""
        self.snapshots[name] = snapshot(self.table)

    def begin(self) -> None:
        """Play a stacked shoe: corrections, a void, prisoners that are carried over."""
        self.keep("no-shoe")
        self.stacked(FIRST)
        self.bets(1)
        self.may(Increase, stake="ann 1.1", amount=self.base)
        self.may(Insure, stake="ann 1.1")
        self.may(Withdraw, stake="zoë 1.1", amount=self.base)
        self.keep("bets-open")
        self.close_bets()
        for _card in range(3):
            self.do(Turn)
        self.keep("mid-deal")
        self.deal()
        self.do(Settle)
        self.bets(2)
        self.close_bets()
        offered = self.deal()
        self.keep("refait-dealt")
        self.do(Settle)
        self.keep("refait-settled")
        self.correct(offered)
        self.keep("corrected")
        self.bets(3)
        self.close_bets()
        self.do(Deal)
        self.do(VoidCoup, reason="a row was read twice")
        self.coup(4, PLAYERS[:2])
        self.coup(5, PLAYERS[2:])
        self.do(Correct, reason="the coup does not count", void=True)
        self.coup(6, PLAYERS[:2], course="prison")
        self.bets(7, PLAYERS[2:])
        self.close_bets()
        self.deal("prison")
        self.keep("second-refait-dealt")
        self.do(Settle)
        if self.table.state.phase is not Phase.NO_SHOE:
            self.do(EndShoe)
        self.keep("between-shoes")

    def correct(self, offered: list[str]) -> None:
        """Correct the last settlement: other courses where there were any to choose."""
        choices = tuple((stake, "partage") for stake in offered[:1])
        reason = "paid to the wrong player"
        if not (choices and self.may(Correct, reason=reason, choices=choices)):
            self.do(Correct, reason=reason)

    def fair(self) -> None:
        """Play a provably fair shoe, one or two players at a time: to its marker if it has one."""
        opened = FairShoe.seal(7, self.house, SERVER_SEED).shuffle(CLIENTS).open_shoe("fair")
        drawn = ("cards", "source", "cut", "marker")
        self.shoe(**{name: getattr(opened, name) for name in drawn})
        number = 0
        while self.table.state.phase is Phase.READY:
            self.coup(number, PLAYERS[: 1 + number % 2])
            number += 1
            if number == FEW and not self.house.shoe.marker:
                self.do(EndShoe)

    def prisoners(self) -> None:
        """Open a last stacked shoe and go on to open bets, with prisoners where there can be."""
        self.stacked(LAST)
        for number in range(3):
            self.coup(number, PLAYERS[:3], course="prison")
        self.bets(4)

    def close(self) -> None:
        """Play on to a refait, and close the session."""
        self.close_bets()
        self.do(Deal)
        self.do(Settle)
        self.coup(5, course="prison")
        self.keep("prisoners-before-close")
        self.do(CloseSession)
        self.keep("closed")


def one_file(journal: Path, target: Path) -> None:
    """Copy a journal that is closed, or may still be written to, as one file, compressed."""
    with TemporaryDirectory() as folder:
        copy = Path(folder) / "copy"
        with (
            closing(sqlite3.connect(journal)) as connection,
            closing(sqlite3.connect(copy)) as other,
        ):
            connection.backup(other)
            other.execute("VACUUM")
        target.write_bytes(gzip.compress(copy.read_bytes(), mtime=0))


def at_the_screen(house: House) -> PlaySession:
    """Return a session of one player, with a prisoner where a fixed number of coups brings one."""
    session = PlaySession.begin(
        house, opening_of(house), BANKROLL, SeededShuffler(PLAY_SEED, test=True)
    )
    coups = 0
    while coups < MOST_COUPS:
        if session.step is UiStep.SHUFFLE:
            session.shuffle()
        elif session.step is UiStep.CUT:
            session.cut(78)
        elif session.step is UiStep.MARKER:
            assert house.shoe.marker  # noqa: S101 - for the type checker
            session.place_marker(house.shoe.marker.bounds[0])
        elif session.step is UiStep.CHOOSE:
            offer = session.offers()[0]
            courses = offer.courses
            session.choose(offer.stake.id, "prison" if "prison" in courses else courses[0])
        elif any(not stake.free for stake in session.state.stakes):
            break
        else:
            if session.free_on("rouge") is None:
                session.add("rouge")
            session.deal()
            coups += 1
            if coups > 40 and len(house.wager(house.chances[0].id).machine.states) == 1:  # noqa: PLR2004
                break
    if session.free_on("noir") is None:
        session.add("noir")
    if house.insurance_table:
        with suppress(TrenteError):  # the least chip is below what the house insures
            session.toggle_insurance("noir")
    return session


def runs_of(house: House, folder: Path) -> dict[str, Any]:
    """Write files of runs; return what they come to."""
    asked = {"run-flat.jsonl": FLAT, "run-systems.jsonl": SYSTEMS}
    expected: dict[str, Any] = {}
    for name, arguments in asked.items():
        file = folder / name
        totals = figures.of_run(house.name, arguments, file)
        told = {"arguments": list(arguments), "chunks": _chunks(file), "totals": totals}
        text = file.read_text("utf-8")
        file.unlink()
        expected[write(file, text)] = told
    whole = folder / "run-flat.jsonl"
    cut = folder / "run-flat-unfinished.jsonl"
    cut.write_bytes(whole.read_bytes()[:-100])
    expected[cut.name] = {"arguments": list(FLAT), "chunks": 0, "totals_of": whole.name}
    if house.name in LONG_RUNS:
        cut = folder / "run-long-unfinished.jsonl"
        totals = figures.of_run(house.name, LONG, cut)
        chunks = _chunks(cut) - 1
        cut.write_bytes(b"".join(cut.read_bytes().splitlines(keepends=True)[:-1]))
        expected[cut.name] = {"arguments": list(LONG), "chunks": chunks, "totals": totals}
    return expected


def _chunks(file: Path) -> int:
    return len(file.read_bytes().splitlines()) - 1


def make(name: str, folder: Path) -> None:
    """Write the files of a house."""
    house = load_house(name)
    folder.mkdir(parents=True)
    write(folder / "house.toml", dumps_house(house))
    with TemporaryDirectory() as kept:
        path = Path(kept) / "journal"
        with SqliteJournal(path) as journal:
            evening = Evening(house, journal)
            evening.begin()
            evening.fair()
            evening.prisoners()
            evening.keep("prisoners-and-bets")
            one_file(path, folder / "journal-open.sqlite.gz")
            opened = of_journal(evening, journal)
            evening.close()
            one_file(path, folder / "journal-closed.sqlite.gz")
            closed = of_journal(evening, journal)
    expected: dict[str, Any] = {
        "house": name,
        "fingerprint": house.fingerprint,
        "server_seed": SERVER_SEED,
        "journals": {"journal-open.sqlite.gz": opened, "journal-closed.sqlite.gz": closed},
        "snapshots": write_snapshots(evening, folder),
        "records": {},
    }
    for record in evening.recorder.records:
        file = write(folder / f"record-{record.shoe.number}.toml", dumps_record(record))
        expected["records"][file] = figures.of_record(record)
    write(folder / "record-1.json", compact(json.loads(told_record(folder / "record-1.toml"))))
    permanence = Permanence.of_records(evening.recorder.records)
    write(folder / "permanence.txt", str(permanence))
    expected["permanence"] = {
        "house": permanence.house,
        "tailles": [[[each.first, each.second] for each in one] for one in permanence.tailles],
        "verdicts": {
            chance: [[None if met is None else met.id for met in one] for one in tailles]
            for chance, tailles in permanence.verdicts(house).items()
        },
    }
    saved = session_text(at_the_screen(house))
    file = write(folder / "save.json", saved + "\n")
    expected["save"] = {"file": file, "session": figures.of_save(saved)}
    expected["runs"] = runs_of(house, folder)
    write(folder / "expected.json", compact(expected))


def told_record(file: Path) -> str:
    """Return a record as JSON, as the command line tells it."""
    return figures.told("record", str(file), "--format", "json")


def of_journal(evening: Evening, journal: SqliteJournal) -> dict[str, Any]:
    """Return what a journal holds now."""
    head = journal.head
    assert head  # noqa: S101 - for the type checker
    return {
        "head": [head.sequence, head.events, head.hash.hex()],
        "table": figures.of_table(evening.table),
        "events": figures.of_events(evening.events),
        "records": [record.sha256 for record in evening.recorder.records],
    }


def write_snapshots(evening: Evening, folder: Path) -> dict[str, Any]:
    """Write the snapshots of an evening; return where each stands, and where it goes on to."""
    expected = {}
    for name, text in evening.snapshots.items():
        file = write(folder / f"snapshot-{name}.json", text + "\n")
        table = figures.restored(text, evening.house)
        expected[file] = {"table": figures.of_table(table), "then": figures.gone_on(table)}
    return expected


def compact(value: Any) -> str:
    """Return JSON on one line."""
    return json.dumps(value, ensure_ascii=False, indent=None, separators=(",", ":")) + "\n"


def write(file: Path, text: str) -> str:
    """Write a new file, compressed if it is large; return its name."""
    data = text.encode()
    if len(data) > LARGE and file.name != "expected.json":
        file, data = file.with_name(f"{file.name}.gz"), gzip.compress(data, mtime=0)
    with file.open("xb") as opened:
        opened.write(data)
    return file.name


def make_fair(folder: Path) -> None:
    """Write a provably fair shoe that was revealed, and what a host keeps of one in play."""
    folder.mkdir(parents=True)
    shoe = FairShoe.seal(7, 6, SERVER_SEED).shuffle(CLIENTS)
    write(folder / "in-play.json", compact(shoe.to_json()))
    write(folder / "reveal.json", compact(shoe.retire().reveal().to_json()))
    expected = {"cards": figures.of_cards(shoe.cards), "drawn": list(shoe.drawn(312, 20))}
    write(folder / "expected.json", compact(expected))


def make_kept(folder: Path) -> None:
    """Write a journal whose cards are sealed and whose heads are signed, and its JSON of the wire.

    The key of the seal is in ``expected-kept.json``, the public key of the heads in a file.
    """
    folder.mkdir(parents=True)
    signer = HeadSigner.new()
    with TemporaryDirectory() as kept:
        path = Path(kept) / "journal"
        with SqliteJournal(path, seal=CardSeal(SERVER_SEED), signer=signer) as journal:
            evening = Evening(load_house("france-2007"), journal)
            evening.fair()
            evening.prisoners()
            head, entries = journal.head, list(journal.entries())
        one_file(path, folder / "journal-signed.sqlite.gz")
    assert head  # noqa: S101 - for the type checker
    write(folder / "head.key.pub", signer.public_pem().decode())
    write(folder / "entries.json", compact([entry_to_json(entry) for entry in entries]))
    expected = {
        "head": f"{head.sequence}:{head.hash.hex()}",
        "seal": SERVER_SEED,
        "table": figures.of_table(evening.table),
    }
    write(folder / "expected-kept.json", compact(expected))


def main(given: list[str] | None = None) -> None:
    """Write the files of all houses, or of some."""
    parser = parser_of(__doc__)
    houses = default_manager().names("house")
    parser.add_argument(
        "houses", nargs="*", metavar="HOUSE", help="a shipped house, by default all"
    )
    asked = parser.parse_args(given).houses
    if unknown := [name for name in asked if name not in houses]:
        parser.error(f"no shipped house is named {unknown[0]!r}: name one of {', '.join(houses)}")
    for name in asked or houses:
        folder = FOLDER / name
        shutil.rmtree(folder, ignore_errors=True)
        make(name, folder)
        size = sum(file.stat().st_size for file in folder.iterdir())
        print(f"{name}: {size / 1000:.0f} kB")
    fair = FOLDER / "fair-shoe"
    shutil.rmtree(fair, ignore_errors=True)
    make_fair(fair)
    shutil.rmtree(FOLDER / "kept", ignore_errors=True)
    make_kept(FOLDER / "kept")
    # What is public, beside the files: a script of its own, as `make api` runs it.
    tool = Path(__file__).with_name("api_changes.py")
    subprocess.run([sys.executable, str(tool), "--write"], check=True)  # noqa: S603


if __name__ == "__main__":
    main()
