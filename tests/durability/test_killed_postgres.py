"""A table whose journal is in PostgreSQL is killed: nothing is lost, nothing is done twice."""

from __future__ import annotations

import sys

import pytest
from tests.durability.ledger import kill
from tests.durability.postgres_home import PostgresHome
from tests.durability.test_killed import WAYS

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL and fork are POSIX"),
]


def test_a_table_in_postgresql_that_is_killed_loses_nothing(postgres: str, schema: str) -> None:
    """AGCO 13.1.1, as for a file: threads, a reader that is always there, new journals."""
    homes = [PostgresHome(postgres, schema, "a")]
    ledgers = kill(homes, times=2, most=20, threads=3, readers=True, rotate=4)
    assert sum(len(ledger.kept) for ledger in ledgers) > 8
    assert max(ledger.journals for ledger in ledgers) > 1


@pytest.mark.nightly
@pytest.mark.parametrize("part", range(10))
@pytest.mark.parametrize("way", WAYS)
def test_a_table_in_postgresql_killed_a_thousand_times_loses_nothing(
    way: str, part: int, postgres: str, schema: str
) -> None:
    """As above: twenty-five kills in each part, over some shoes, some within a commit.

    Every part is a test of its own: a run that was cut short goes on with the next (``--lf``).
    """
    how = dict(WAYS[way])
    if "rotate" in how:
        how["rotate"] = 400  # every journal is checked after every kill
    (ledger,) = kill([PostgresHome(postgres, schema, "a")], times=25, most=200, seed=part, **how)
    assert len(ledger.kept) > 1000
    assert ledger.alone.state.shoe_number > 1
