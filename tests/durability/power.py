"""The life of a host that is written down, and the power cuts in it that are checked."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from itertools import cycle
from pathlib import Path
from random import Random
from typing import Any

from attrs import evolve
from tests.durability.disk import LOSSES, Act, Disk, Kind, Loss, acts, told
from tests.durability.homes import SqliteHome
from tests.durability.host import HOUSE, SESSION, Order
from tests.durability.ledger import Nursery, Told
from tests.table.ten_players import dice_of

from trente_rules import Table
from trente_rules.table import TableState, recover
from trente_rules.table.state import balance
from trente_rules.testing import opening_of


class Life:
    """What a host did to the files of a home, its answers, and the states it went through."""

    def __init__(
        self, hosts: Nursery, home: SqliteHome, earlier: Told | None = None, **how: Any
    ) -> None:
        """Run a host on a home; ``how`` is of ``Order``. An earlier life had been told things."""
        self.folder = Path(home.folder)
        self.home = home
        self.before = {
            path.name: path.read_bytes() for path in self.folder.iterdir() if path.is_file()
        }
        disk = Disk({name: self.folder / name for name in self.before})
        trace = self.folder.with_name(f"{self.folder.name}.trace")
        hosts.run(Order(home.order(), ends=True, trace=str(trace), **how))
        self.disk, self.acts = disk, list(acts(trace))
        self.loose = 0
        """Cuts so far with something that was not synced."""
        self.told = earlier or Told()
        self.ids: list[str] = []
        alone = Table(HOUSE, opening=opening_of(HOUSE), session=SESSION)
        self.states: list[TableState] = [alone.state]
        for journal in home.journals():
            for entry in journal.entries():
                assert alone.execute(entry.command) == entry
                self.ids.append(entry.command.id)
                self.states.append(alone.state)

    def cuts(self, step: int, dice: Random) -> Iterator[tuple[int, Told, Loss]]:
        """Yield power cuts: one in ``step`` acts, and after one in so many answers.

        An answer is the hardest moment: all that was unsynced then is lost.
        """
        losses, seen = cycle(LOSSES), []
        answers = 0
        for place, act in enumerate(self.acts, 1):
            self.disk.do(act)
            seen.append(act)
            answered = act.kind is Kind.TOLD and act.data.startswith(b"!")
            answers += answered
            if (answered and not answers % step) or not dice.randrange(step):
                yield place, self._told(seen), "all" if answered else next(losses)

    def _told(self, seen: list[Act]) -> Told:
        known = Told(list(self.told.sent), dict(self.told.answered))
        known.read(told(seen))
        return known

    def check(self, told_: Told, folder: Path) -> int:
        """Recover what a power cut left; return how many answered commands are not there.

        All that is there was done, in order, and is recovered to the unit.
        """
        home = evolve(self.home, folder=str(folder))
        kept: list[str] = []
        for journal in home.journals():
            journal.check()
            query = "SELECT id FROM commands ORDER BY sequence"
            kept += [id_ for (id_,) in journal._connection.execute(query)]
        assert kept == self.ids[: len(kept)], "commands changed places"
        unanswered = [each for each in kept if each not in told_.answered]
        in_flight = [batch for batch in told_.sent if not set(batch) & set(told_.answered)]
        assert {*unanswered} <= {each for batch in in_flight for each in batch}
        if kept:
            with home.newest() as journal:
                again = recover(journal)
                assert again.state == self.states[len(kept)]
                assert balance(again.state) == 0
                journal.check()
        return len({*told_.answered} - {*kept})


def cut(life: Life, step: int, seed: int) -> tuple[int, int]:
    """Cut the power in a life, again and again; return how often, and what was lost in all."""
    dice = dice_of(seed)
    images = lost = 0
    for place, told_, loss in life.cuts(step, dice):
        life.loose += not life.disk.calm
        folder = life.folder.with_name(f"{life.folder.name}-{place}")
        life.disk.image(folder, dice, loss)
        images += 1
        lost += life.check(told_, folder)
        shutil.rmtree(folder)
    return images, lost
