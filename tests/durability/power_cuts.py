"""Power cuts: the disk forgets what was not synced, after every answer and at random moments."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any, Final

from tests.durability.homes import SqliteHome
from tests.durability.power import Life, cut
from tests.durability.scenes import TRIED, Met, Scene, Stage, dice_for

CALM: Final = "at a moment when all was synced"
LOOSE: Final = "with writes that were not synced"


def sqlite(stage: Stage, seed: int) -> Met:
    """Cut the power in the life of a host: what was answered is there."""
    dice = dice_for("power sqlite", seed)
    folder = stage.home()
    home = SqliteHome(str(folder), log_pages=dice.choice((0, 8)), sealed=dice.random() < 0.25)
    threads = dice.choice((1, 4))
    how: dict[str, Any] = {"threads": threads, "rotate": dice.choice((0, 12))}
    how["sync"] = 100 if threads > 1 else 0
    life = Life(stage.hosts, home, seed=dice.getrandbits(30), answers=24, fault=stage.fault, **how)
    images, lost = cut(life, step=10, seed=seed)
    assert not lost, f"{lost} answered commands are not there"
    shutil.rmtree(folder)
    Path(f"{folder}.trace").unlink(missing_ok=True)
    return Met({TRIED: images, LOOSE: life.loose, CALM: images - life.loose})


SCENES: Final = (Scene("power", "sqlite", sqlite, (LOOSE,)),)
