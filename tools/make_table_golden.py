"""Make the golden files of a table: ``python tools/make_table_golden.py``.

They are a snapshot and a journal, as SQL, of the current schemas, in ``tests/table/golden``. A file
that exists is kept: later versions must read what a release wrote, and a new schema has new files.
"""

# ruff: noqa: INP001, T201 - a script that says what it does

from __future__ import annotations

import sqlite3
from contextlib import closing
from itertools import cycle
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from made_file import parser_of
from tests.whole_units import whole_house

from trente_rules import PACK, Card, Coup, Opening, Table
from trente_rules.core import Row
from trente_rules.table import (
    Choose,
    CloseBets,
    Command,
    Correct,
    Cut,
    Deal,
    Increase,
    Insure,
    OpenBets,
    OpenShoe,
    Place,
    PlaceMarker,
    Settle,
    SqliteJournal,
    Turn,
    VoidCoup,
    Withdraw,
    snapshot,
)
from trente_rules.table.codec import SCHEMA as SNAPSHOT_SCHEMA
from trente_rules.table.journal_rows import SCHEMA as JOURNAL_SCHEMA
from trente_rules.testing import stacked_shoe

FOLDER: Final = Path(__file__).parents[1] / "tests" / "table" / "golden"
POINTS: Final = ((31, 31), (33, 40), (38, 32), (31, 31))


def coups() -> list[Coup]:
    """Return coups on these points, of cards that six packs hold."""
    tens = cycle(card for card in PACK if card.points == 10)  # noqa: PLR2004 - of the rules
    suits = cycle("♠♥♦♣")

    def row(point: int) -> Row:
        return Row((next(tens), next(tens), next(tens), Card(point - 30, next(suits))))

    return [Coup(row(first), row(second)) for first, second in POINTS]


def play(table: Table) -> None:
    """Play four coups: a refait shared and imprisoned, a void, a correction, a refait to choose."""
    count = 0

    def do(kind: type[Command], **fields: Any) -> None:
        nonlocal count
        count += 1
        table.do(kind(id=f"c{count}", at=f"2024-05-14T21:{count:02}", **fields))

    def bet(player: str, chance: str, amount: int, **fields: Any) -> None:
        stake = f"{player}-{table.state.coup_number}"
        do(Place, stake=stake, player=player, chance=chance, amount=amount, **fields)

    do(OpenShoe, cards=stacked_shoe(coups()).cards, source="test")
    do(Cut, place=0)
    do(PlaceMarker)
    do(OpenBets)
    bet("ann", "rouge", 100)
    bet("zoë", "noir", 55)
    bet("bob", "couleur", 200, insured=True)
    do(Increase, stake="ann-1", amount=50)
    do(CloseBets)
    do(Deal)
    do(Choose, stake="ann-1", course="partage")
    do(Settle)
    do(OpenBets)
    bet("cid", "inverse", 30, group="cousins")
    do(Insure, stake="cid-2")
    do(Withdraw, stake="cid-2", amount=10)
    do(CloseBets)
    do(Deal)
    do(Settle)
    do(Correct, reason="paid to the wrong player")
    do(OpenBets)
    bet("ann", "rouge", 20)
    do(CloseBets)
    do(Turn)
    do(Turn)
    do(VoidCoup, reason="a quarrel")
    do(OpenBets)
    bet("ann", "noir", 40)
    bet("bob", "rouge", 35)
    do(CloseBets)
    do(Deal)


def main() -> None:
    """Write both files."""
    parser_of(__doc__).parse_args()
    with TemporaryDirectory() as folder:
        path = Path(folder) / "journal"
        with SqliteJournal(path) as journal:
            table = Table(
                whole_house("france-2007"), name="salle 3", opening=Opening(5), journal=journal
            )
            play(table)
        with closing(sqlite3.connect(path)) as connection:
            marks = [
                f"PRAGMA {name} = {connection.execute(f'PRAGMA {name}').fetchone()[0]};"
                for name in ("application_id", "user_version")
            ]
            sql = "\n".join([*marks, *connection.iterdump()])
    FOLDER.mkdir(exist_ok=True)
    for name, text in (
        (f"journal-{JOURNAL_SCHEMA}.sql", sql),
        (f"snapshot-{SNAPSHOT_SCHEMA}.json", snapshot(table)),
    ):
        file = FOLDER / name
        if file.exists():
            print(f"{file}: kept")
            continue
        file.write_text(text + "\n", "utf-8")
        print(f"{file}: {len(text)} characters")


if __name__ == "__main__":
    main()
