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
    assert lines[0].startswith("No alarm: the results and the cards are those of an honest table.")
    assert "EUR is expected: with honest cards" in " ".join(lines[:4])
    (title,) = [number for number, line in enumerate(lines) if ": 60 coups of" in line]
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
    for key in ("coups", "total", "levels", "cards", "pending", "fingerprint"):
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
    for rate in ("0", "1", "-1", "nan", "4"):
        done = trente("monitor", str(journal), "--false-alarms", rate)
        assert (done.status, "a probability between 0 and 1" in done.err) == (2, True)


def test_a_high_rate_raises_an_alarm(journal: Path) -> None:
    """Where nearly every honest table may raise an alarm this one does: exit status 1."""
    done = trente("monitor", str(journal), "--false-alarms", "0.9999")
    assert done.status == 1
    assert done.out.startswith("ALARM: ")
    assert re.search(r"comes (in \d+ % of|once in \d+)\s+cases", done.out)


def test_a_z_score_of_an_earlier_release_is_a_rate(journal: Path) -> None:
    """M1: ``--alarm 3.29`` is read as the rate that it meant, and said so."""
    done = trente("monitor", str(journal), "--alarm", "3.29", "--format", "json")
    assert done.status == 0
    assert "--false-alarms 0.001" in done.err
    assert done.json["tables"][0]["false_alarms"] == pytest.approx(0.001, rel=0.01)


@pytest.mark.parametrize("columns", [60, 80, 120, 200])
def test_the_screen_fits_a_terminal(
    journal: Path, columns: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """U8: the answer first, a line for each wager, an alarm in red."""
    monkeypatch.setenv("COLUMNS", str(columns))
    out = trente("monitor", str(journal), "--false-alarms", "0.9999", out=Terminal()).out
    assert "\x1b[1;38;5;196m" in out
    lines = re.sub(r"\x1b\[[0-9;]*m", "", out).splitlines()
    long = [line for line in lines if len(line) > columns and " " in line.strip()]
    assert all(re.search(r"[0-9a-f]{64}", line) for line in long)


def test_programs_have_the_amounts_in_units(journal: Path) -> None:
    """CSV has one table for all files, with units and plain numbers."""
    rows = [*csv.DictReader(io.StringIO(trente("monitor", str(journal), "--format", "csv").out))]
    told = trente("monitor", str(journal), "--format", "json").json["tables"][0]
    results = [row for row in rows if row["test"] == "result"]
    assert [row["test"] for row in rows[len(results) :]] == [test["test"] for test in told["cards"]]
    assert [int(row["net"]) for row in results] == [
        level["net"] for level in (*told["levels"], told["total"])
    ]


def test_a_taille_counts_once_however_it_is_named(journal: Path, tmp_path: Path) -> None:
    """C3: the same file again, a copy, a link, and the records of a journal add nothing."""
    record = tmp_path / "one.toml"
    assert not trente("record", str(journal), "--shoe", "1", "--out", str(record)).status
    copy, link = tmp_path / "copy.toml", tmp_path / "link.toml"
    copy.write_bytes(record.read_bytes())
    link.symlink_to(record)

    def seen(*files: Path | str) -> dict[str, object]:
        told = trente("monitor", *map(str, files), "--format", "json").json["tables"][0]
        figures = ("coups", "total", "levels", "cards", "pending")
        return {key: told[key] for key in (*figures, "repeated")}

    alone, whole = seen(record), seen(journal)
    assert alone["repeated"] == whole["repeated"] == []
    for files, want in (
        ((record, record), alone),
        ((record, copy, link), alone),
        ((record, f"{tmp_path}/./one.toml"), alone),
        ((journal, record), whole),
        ((journal, journal), whole),
    ):
        got = seen(*files)
        repeated = got.pop("repeated")
        assert repeated
        assert got == {key: each for key, each in want.items() if key != "repeated"}
    said = trente("monitor", str(record), str(copy)).out
    assert f"counted once: {alone['coups']} coups of" in " ".join(said.split())


def test_a_part_of_a_journal_before_all_of_it(journal: Path, tmp_path: Path) -> None:
    """C3: a record of one taille, then the journal: what only the journal has is added."""
    record = tmp_path / "one.toml"
    assert not trente("record", str(journal), "--shoe", "1", "--out", str(record)).status
    told = trente("monitor", str(record), str(journal), "--format", "json").json["tables"][0]
    whole = trente("monitor", str(journal), "--format", "json").json["tables"][0]
    assert told["coups"] == whole["coups"]
    assert told["total"]["turnover"] == whole["total"]["turnover"]
    assert sum(each["coups"] for each in told["repeated"]) > 0


def test_a_taille_is_written_once(journal: Path, tmp_path: Path) -> None:
    """C3: ``record`` of a record and its copy writes it once, in every form, and says so."""
    record, copy = tmp_path / "one.toml", tmp_path / "copy.toml"
    assert not trente("record", str(journal), "--shoe", "1", "--out", str(record)).status
    copy.write_bytes(record.read_bytes())
    for form in ("compact", "json", "csv"):
        once = trente("record", str(record), "--format", form)
        twice = trente("record", str(record), str(copy), str(record), "--format", form)
        assert twice.out == once.out
        assert twice.err.count("is written once") == 2
    assert trente("record", str(record), str(copy)).out == trente("record", str(record)).out


def test_a_copied_journal_has_one_line_however_many_tailles(journal: Path, tmp_path: Path) -> None:
    """C3: what was left out is said once for each file, with the number of its tailles."""
    copy = tmp_path / "copy.journal"
    copy.write_bytes(journal.read_bytes())
    told = trente("monitor", str(journal), str(copy), "--format", "json").json["tables"][0]
    assert len(told["repeated"]) > 1
    coups = sum(each["coups"] for each in told["repeated"])
    said = " ".join(trente("monitor", str(journal), str(copy)).out.split())
    assert said.count("counted once:") == 1
    assert f"counted once: {coups} coups of" in said
    assert f"{len(told['repeated'])} tailles) are those of" in said
