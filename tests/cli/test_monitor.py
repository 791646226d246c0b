"""``trente monitor``: journals and records of tables, watched."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path

import pytest
from tests.cli.calling import Terminal, trente
from tests.table.driving import Driver
from tests.table.laws import NOIR, REFAIT
from tests.table.test_statistics import play
from tests.whole_units import whole_house

from trente_rules import Table, load_house
from trente_rules.table import Settle, SqliteJournal
from trente_rules.testing import opening_of


@pytest.fixture(scope="module")
def journal(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the journal of a table of 60 coups."""
    path = tmp_path_factory.mktemp("monitor") / "table.journal"
    house = load_house("france-2007")
    driver = Driver(house)
    with SqliteJournal(path) as kept:
        driver.table = Table(house, opening=opening_of(house), journal=kept)
        play(driver, 60)
    return path


def test_a_journal_is_watched_by_wager_and_amount(journal: Path) -> None:
    """Each wager at each amount has its line, and all stakes one."""
    done = trente("monitor", str(journal))
    assert done.status == 0
    lines = done.out.splitlines()
    assert lines[0].startswith("No alarm: the bank ")
    assert "EUR is expected (z " in " ".join(lines[:3])
    (title,) = [number for number, line in enumerate(lines) if "60 coups" in line]
    assert [line.split()[0] for line in lines[title + 2 : title + 5]] == ["noir", "rouge", "all"]


def test_the_journal_and_its_records_say_the_same(journal: Path, tmp_path: Path) -> None:
    """The tailles of a journal, written as records, are watched with the same figures."""
    whole = trente("monitor", str(journal), "--format", "json").json["tables"][0]
    files: list[str] = []
    while True:
        file = tmp_path / f"{len(files) + 1}.toml"
        shoe = str(len(files) + 1)
        if trente("record", str(journal), "--shoe", shoe, "--out", str(file)).status:
            break
        files.append(str(file))
    assert len(files) > 1
    again = trente("monitor", *files, "--format", "json").json["tables"][0]
    for key in ("coups", "total", "levels", "pending", "fingerprint"):
        assert again[key] == whole[key]


def test_two_tables_may_use_the_same_ids(tmp_path: Path) -> None:
    """A stake in prison at one table is not that of the same id at another."""
    house = whole_house("france-2007")
    files = []
    for number, points in enumerate((REFAIT, NOIR)):
        driver = Driver(house)
        files.append(str(tmp_path / str(number)))
        with SqliteJournal(files[-1]) as kept:
            driver.table = Table(house, opening=opening_of(house), journal=kept)
            driver.shoe(points)
            driver.bet(("ann", "noir", 100 + number))
            driver.deal()
            driver.do(Settle)
    seen = trente("monitor", *files, "--format", "json").json["tables"][0]
    assert (seen["pending"], seen["total"]["stakes"], seen["total"]["net"]) == (1, 1, -101)
    assert [level["amount"] for level in seen["levels"]] == [101]


def test_files_that_cannot_be_read_are_told(tmp_path: Path, journal: Path) -> None:
    """A missing file, and one that is no record, end with 2 and a sentence."""
    assert trente("monitor", str(tmp_path / "none.toml")).status == 2
    other = tmp_path / "other.toml"
    other.write_text("x = 1\n", "utf-8")
    assert trente("monitor", str(other)).status == 2
    assert trente("monitor", str(journal), "--alarm", "0").status == 2


def test_a_low_alarm_is_raised(journal: Path) -> None:
    """With an alarm at next to nothing every deviation is one: exit status 1."""
    done = trente("monitor", str(journal), "--alarm", "0.0001")
    assert done.status == 1
    assert done.out.startswith("ALARM on ")
    assert re.search(r"make a result so far off (in \d+ % of|once in \d+) such", done.out)


@pytest.mark.parametrize("columns", [60, 80, 120, 200])
def test_the_screen_fits_a_terminal(
    journal: Path, columns: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """U8: the answer first, a line for each wager, an alarm in red."""
    monkeypatch.setenv("COLUMNS", str(columns))
    out = trente("monitor", str(journal), "--alarm", "0.0001", out=Terminal()).out
    assert "\x1b[1;38;5;196m" in out
    lines = re.sub(r"\x1b\[[0-9;]*m", "", out).splitlines()
    long = [line for line in lines if len(line) > columns and " " in line.strip()]
    assert all(re.search(r"[0-9a-f]{64}", line) for line in long)


def test_programs_have_the_amounts_in_units(journal: Path) -> None:
    """CSV has one table for all files, with units and plain numbers."""
    rows = [*csv.DictReader(io.StringIO(trente("monitor", str(journal), "--format", "csv").out))]
    told = trente("monitor", str(journal), "--format", "json").json["tables"][0]
    assert [int(row["net"]) for row in rows] == [
        level["net"] for level in (*told["levels"], told["total"])
    ]
