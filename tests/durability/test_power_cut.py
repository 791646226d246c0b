"""A power cut: the disk forgets what was not synced, and no answered command is lost."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any, Final

import pytest
from tests.durability.disk import LOSSES, Disk, acts
from tests.durability.homes import SqliteHome
from tests.durability.host import Order
from tests.durability.ledger import Nursery
from tests.durability.power import Life, cut
from tests.table.ten_players import dice_of

from trente_rules.table import SqliteJournal, recover
from trente_rules.table.journal_rows import SCHEMA

GOLDEN: Final = Path(__file__).parents[1] / "table" / "golden"
SCENES: Final[dict[str, tuple[dict[str, Any], dict[str, Any]]]] = {
    "one caller, and a log that is soon moved": ({"log_pages": 8}, {}),
    "four threads, and new files": ({}, {"threads": 4, "rotate": 12, "sync": 100}),
    "all of it, sealed": (
        {"log_pages": 8, "sealed": True},
        {"threads": 4, "rotate": 20, "sync": 100},
    ),
}

pytestmark = pytest.mark.slow


def home(folder: Path, **how: Any) -> SqliteHome:
    """Return a home in a new folder."""
    folder.mkdir()
    return SqliteHome(str(folder), **how)


@pytest.mark.parametrize("scene", list(SCENES)[:2])
def test_a_power_cut_loses_no_answered_command(scene: str, quick: Path, watched: Nursery) -> None:
    """S5: at the default all that was answered is there, to the unit, whatever the disk forgot.

    The file of the journal, its log, and the names in the folder are as they were synced; of all
    later writes there is nothing, all, the first part, or some sectors.
    """
    how, order = SCENES[scene]
    life = Life(watched, home(quick / "a", **how), seed=1, answers=36, **order)
    images, lost = cut(life, step=20, seed=1)
    assert lost == 0
    assert images > 30


def test_normal_loses_answered_commands_and_has_none_half_done(
    quick: Path, watched: Nursery
) -> None:
    """S5: the cuts that harm nothing at the default lose commands at "normal": they are true cuts.

    What is left is a table as it was after some earlier command.
    """
    life = Life(watched, home(quick / "a", synchronous="normal"), seed=1, answers=20)
    images, lost = cut(life, step=20, seed=1)
    assert lost > images


def test_a_power_cut_in_a_recovery_loses_no_answered_command(quick: Path, watched: Nursery) -> None:
    """S5, S6: the power fails, and again while what was left is recovered and continued."""
    life = Life(watched, home(quick / "a"), seed=2, answers=24)
    tried = again(life, watched, step=30, most=2, within=10)
    assert tried > 12


def again(life: Life, hosts: Nursery, *, step: int, most: int, within: int) -> int:
    """Cut the power in a life, let a host go on, and cut it again; return the second cuts."""
    tried = lives = 0
    dice = dice_of(3)
    for place, told, _loss in life.cuts(step, dice):
        if lives == most:
            break
        if life.disk.calm or not told.answered:
            continue
        folder = life.folder.with_name(f"again-{place}")
        life.disk.image(folder, dice, ("none", "some")[lives % 2])
        second = Life(hosts, SqliteHome(str(folder)), told, seed=place, answers=2)
        images, lost = cut(second, step=within, seed=place)
        assert lost == 0
        tried += images
        lives += 1
        shutil.rmtree(folder)
    assert lives == most
    return tried


@pytest.mark.parametrize("schema", range(1, SCHEMA))
def test_a_power_cut_in_an_upgrade_harms_no_journal(
    schema: int, quick: Path, watched: Nursery
) -> None:
    """S5: a file of an earlier release that is brought to the form of today is one or the other."""
    cut_in_upgrade(schema, quick, watched, step=12)


def cut_in_upgrade(schema: int, folder: Path, hosts: Nursery, step: int) -> None:
    """Cut the power while a golden journal is opened, one in so many acts."""
    here = home(folder / "a")
    with closing(sqlite3.connect(here.path(0))) as file:
        file.executescript((GOLDEN / f"journal-{schema}.sql").read_text("utf-8"))
    shutil.copytree(here.folder, folder / "whole")
    with SqliteJournal(folder / "whole" / "0") as journal:
        state, entries = recover(journal).state, list(journal.entries())
    disk = Disk({"0": here.path(0)})
    trace, dice = folder / "trace", dice_of(schema)
    hosts.run(Order(here.order(), 1, ends=True, trace=str(trace)))
    cuts = [False, False]
    done = list(acts(trace))
    for number, act in enumerate(done):
        disk.do(act)
        if dice.randrange(step) and number not in (0, len(done) - 1):
            continue
        image = folder / f"{number}"
        disk.image(image, dice, LOSSES[number % len(LOSSES)])
        with closing(sqlite3.connect(image / "0")) as file:
            cuts[file.execute("PRAGMA user_version").fetchone() == (SCHEMA,)] = True
        with SqliteJournal(image / "0") as journal:
            assert recover(journal).state == state
            assert list(journal.entries()) == entries
            journal.check()
        shutil.rmtree(image)
    assert all(cuts), "before and after"


@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("scene", SCENES)
def test_a_power_cut_at_any_moment_loses_no_answered_command(
    scene: str, seed: int, quick: Path, watched: Nursery
) -> None:
    """S5: as above, after every answer, and at one in three of all writes and syncs."""
    how, order = SCENES[scene]
    life = Life(watched, home(quick / "a", **how), seed=seed, answers=120, **order)
    images, lost = cut(life, step=3, seed=seed)
    assert lost == 0
    assert images > 500


@pytest.mark.nightly
def test_power_cuts_in_many_recoveries_lose_no_answered_command(
    quick: Path, watched: Nursery
) -> None:
    """S5, S6: as above, from many images, at every act of the recovery."""
    life = Life(watched, home(quick / "a", log_pages=8), seed=3, answers=120)
    assert again(life, watched, step=20, most=40, within=2) > 1000


@pytest.mark.nightly
@pytest.mark.parametrize("schema", range(1, SCHEMA))
def test_a_power_cut_at_any_moment_of_an_upgrade_harms_no_journal(
    schema: int, quick: Path, watched: Nursery
) -> None:
    """S5: as above, at every act."""
    cut_in_upgrade(schema, quick, watched, step=1)
