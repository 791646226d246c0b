"""A journal that begins in the middle of a shoe holds the house of the table."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

import pytest
from tests.table.laws import house_like

from trente_rules import Card, Table
from trente_rules.table import Cut, MemoryJournal, OpenShoe, SqliteJournal, recover
from trente_rules.testing import opening_of


@pytest.mark.parametrize("stored", [False, True], ids=["memory", "file"])
def test_a_table_that_moved_after_the_cut_is_recovered(
    tmp_path: Path,
    stored: bool,  # noqa: FBT001 - a parameter of pytest
) -> None:
    """T9e: the cut gave the first row its colour; the journal has the house as it was loaded."""
    house = house_like("monte-carlo-1911", '[deal]\nfirst_row = "cut"')
    with ExitStack() as opened:
        old, new = (
            opened.enter_context(SqliteJournal(tmp_path / name)) if stored else MemoryJournal()
            for name in "12"
        )
        table = Table(house, opening=opening_of(house), journal=old)
        table.do(OpenShoe(id="1"))
        table.do(Cut(id="2", card=Card(1, "♥")))
        assert table.state.house != house
        table.rotate(new)
        assert recover(new).state == table.state
