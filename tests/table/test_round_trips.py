"""What a table accepts can be kept: journals, snapshots, records, commands, saved sessions.

Large amounts, long names and odd texts are refused when they are given, or read back equal.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.play.seated import ready

from trente_rules import Table, loads_house
from trente_rules.core.errors import TrenteError
from trente_rules.play.saving import session_of_text, session_text
from trente_rules.records import dumps_record, loads_record, record_of
from trente_rules.table import (
    CloseBets,
    Command,
    Cut,
    Deal,
    EndShoe,
    OpenBets,
    OpenShoe,
    Place,
    PlaceMarker,
    Settle,
    VoidCoup,
    command_from_json,
    command_to_json,
    recover,
    restore,
    snapshot,
)
from trente_rules.table.journal_sqlite import SqliteJournal
from trente_rules.testing import coup_with, opening_of, stacked_shoe

HOUSE: Final = loads_house(
    '[house]\nname = "x"\nextends = "venezia-online"\n[money]\nunit = "0.01"\n'
    '[limits]\nrule = "fixed"\nminimum = 1\nmaximum = 1000000000000000000\n'
    '[[side_bets]]\nid = "t"\nwins_on = "any-tie"\nodds = 1000000\n'
)
TEXTS: Final = st.one_of(
    st.text(st.characters(), max_size=6),
    st.sampled_from(("", "e\r\nx", "\x1b[2K", "\u2028", "\u202e", "'''", '"\\', "\x00", "\ud800")),
    st.sampled_from(("n" * 100_000, "é" * 3_000, "\t", "\x85", "\ufeff", " ", "\U0001f0a1")),
)
AMOUNTS: Final = st.one_of(
    st.integers(1, 1000).map(lambda number: 100 * number),
    st.integers(9, 19).map(lambda power: 10**power),
    st.integers(0, 40).map(lambda power: 10**power),
    st.sampled_from((2**63 - 1, 2**63, 2**64 - 1, 2**64, 2**100, 2**128, 2**2000, 0, -1)),
)
BETS: Final = st.tuples(TEXTS, TEXTS, st.sampled_from(("rouge", "t")), AMOUNTS)
SHOE: Final = stacked_shoe([coup_with(31, 31), coup_with(40, 40)], HOUSE.shoe.packs).cards
met: Counter[str] = Counter()


@settings(max_examples=250, deadline=None)
@given(
    st.lists(st.tuples(TEXTS, TEXTS, st.sampled_from(("rouge", "t")), AMOUNTS), max_size=4), TEXTS
)
def _what_is_accepted_reads_back(bets: list[tuple[str, str, str, int]], odd: str) -> None:
    with TemporaryDirectory() as folder:
        path = str(Path(folder) / "j")
        journal = SqliteJournal(path, synchronous="normal")
        try:
            table = Table(HOUSE, name=odd, opening=opening_of(HOUSE), journal=journal)
        except TrenteError:
            journal.close()
            met["name refused"] += 1
            return
        count = 0

        def do(kind: type[Command], **fields: Any) -> bool:
            nonlocal count
            count += 1
            before = table.state
            command = kind(id=f"{odd}{count}", **fields)
            try:
                table.do(command)
            except TrenteError:
                assert table.state is before
                met["refused"] += 1
                return False
            assert command_from_json(command_to_json(command)) == command
            return True

        begun = do(OpenShoe, cards=SHOE, source=odd, at=odd, meta={odd: odd}) and do(
            Cut, by="croupier"
        )
        do(PlaceMarker)
        do(OpenBets, staff=odd, device=odd)
        for stake, player, chance, amount in bets:
            if do(Place, stake=stake, player=player, chance=chance, amount=amount):
                met["large" if amount > 10**9 else "small"] += 1
                met["odd"] += not (stake.isprintable() and player.isprintable())
        do(CloseBets)
        do(Deal)
        do(Settle)
        do(OpenBets)
        do(CloseBets)
        do(Deal)
        do(VoidCoup, reason=odd or "r")
        do(EndShoe)
        assert restore(snapshot(table), HOUSE).state == table.state
        journal.close()
        if not begun:
            return
        record = record_of(table)
        written = dumps_record(record)
        assert loads_record(written) == record
        assert dumps_record(loads_record(written)) == written
        with SqliteJournal(path, read_only=True) as kept:
            kept.check()
            assert recover(kept).state == table.state
        met["kept"] += 1


@pytest.mark.nightly
def test_what_a_table_accepts_reads_back_equal() -> None:
    """S7: every writer whose reader is stricter; large amounts and odd texts are met."""
    met.clear()
    _what_is_accepted_reads_back()
    assert met["kept"] >= 30, met
    assert met["large"] >= 10, met
    assert met["odd"] >= 10, met
    assert met["refused"] >= 30, met


@pytest.mark.slow
@pytest.mark.parametrize("bankroll", [10**6, 10**15, 2**62])
def test_saved_sessions_read_back_equal(bankroll: int) -> None:
    """S7: a session with a purse of any size that it can begin with."""
    session = ready("france-2007")
    session.bankroll = bankroll
    text = session_text(session)
    assert session_text(session_of_text(text)) == text
