"""Corrections of a machine, whose one shoe is opened for each coup, are recovered from a file."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.table.driving import Driver
from tests.whole_units import whole_house

from trente_rules import Table
from trente_rules.table import (
    Correct,
    OpenBets,
    OpenShoe,
    Round,
    Settle,
    SqliteJournal,
    recover,
)
from trente_rules.testing import coup_with, opening_of


@pytest.mark.parametrize("rotated", [False, True])
@pytest.mark.parametrize("target", [None, Round("s", 1, 1)])
def test_a_correction_while_the_next_coup_is_on_is_recovered(
    tmp_path: Path, target: Round | None, *, rotated: bool
) -> None:
    """R19: the coup before is in the file alone, after a rotation the first in an earlier one."""
    driver = Driver(whole_house("eight-packs-machine"))
    journal = SqliteJournal(tmp_path / "a.journal")
    driver.table = Table(
        driver.house, opening=opening_of(driver.house), session="s", journal=journal
    )
    for number in range(5):
        driver.do(OpenShoe)
        driver.bet((f"p{number}", "noir", 20))
        driver.turn(coup_with(31, 40))
        driver.do(Settle)
    if rotated:
        driver.table.rotate(new := SqliteJournal(tmp_path / "b.journal"))
        journal.close()
        journal = new
    driver.do(OpenShoe)
    driver.do(OpenBets)
    driver.do(Correct, reason="video", target=target, void=True)
    name, state = journal.path, driver.table.state
    journal.close()
    with SqliteJournal(name) as again:
        assert recover(again).state == state
