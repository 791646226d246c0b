"""Entries from the texts that a journal stores."""

from __future__ import annotations

import pytest

from trente_rules import RecordError
from trente_rules.table import OpenBets
from trente_rules.table.entries import entry_of, events_of
from trente_rules.table.events import BetsOpened
from trente_rules.table.rounds import Round

OPENED = '[{"kind": "bets-opened", "coup": 2}, {"kind": "bets-closed"}]'


def test_a_command_that_names_no_schema_is_of_the_first() -> None:
    """T4b: release 0.1.0 wrote none; an entry has the schema that it was written in."""
    entry = entry_of(3, Round("s", 1, 2), '{"kind": "open-bets", "id": "o"}', 7, "[]")
    assert (entry.schema, entry.command) == (1, OpenBets(id="o"))
    entry = entry_of(3, Round("s", 1, 2), '{"kind": "open-bets", "id": "o", "schema": 3}', 7, "[]")
    assert entry.schema == 3


def test_events_that_are_not_asked_for_are_not_taken_apart() -> None:
    """P1: of a long journal most commands have none of a kind: their texts are only searched."""
    assert events_of(1, "no JSON", "no JSON", ("bets-opened",)) == []
    assert events_of(1, "{}", OPENED, ("bets-opened",)) == [BetsOpened(2)]
    escaped = OPENED.replace("bets-opened", "bets\\u002dopened")
    assert events_of(1, "{}", escaped, ("bets-opened",)) == [BetsOpened(2)]
    with pytest.raises(RecordError, match="command 1 is not JSON") as caught:
        events_of(1, "{}", 'no "bets-opened"', ("bets-opened",))
    assert (caught.value.code, caught.value.place) == ("not-json", "command 1")
