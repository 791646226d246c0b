"""The one fold over the events of a table, and the seven that map over it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from attrs import evolve
from tests.records.recorded import Kept
from tests.table.driving import Driver
from tests.table.laws import house_like
from tests.table.test_statistics import play

import trente_rules
from trente_rules import Coup, House, Table
from trente_rules.core.chances import Verdict
from trente_rules.core.coup import POINTS
from trente_rules.core.stakes import Line
from trente_rules.play.views import coups_of
from trente_rules.players.strategy import StrategySession, TableBet
from trente_rules.records.scorecard import lines_of_events
from trente_rules.reports.settlements import coups_of_events
from trente_rules.table import (
    CloseBets,
    CloseSession,
    Correct,
    Deal,
    EndShoe,
    MemoryJournal,
    Settle,
    ShowMarker,
    Turn,
    VoidCoup,
)
from trente_rules.table.coups import CoupFold, SettledCoup, Touched, coups, final
from trente_rules.table.events import CoupSettled, Event, StakeSettled
from trente_rules.table.history import coup_to_json, history
from trente_rules.table.statistics import LiveStatistics, Statistics
from trente_rules.testing import coup_with, opening_of

CLOSES = '[shoe]\nends = "last-card"\nprisoners_at_end = "close"\n'
MARKER = '[shoe.marker]\nfrom_end = 5\non_marker = "finish"\n'
WRONG, RIGHT, TIE = coup_with(33, 31), coup_with(31, 33), coup_with(31, 31)


class Seen(Driver):
    """A driver that keeps events, a record and a journal."""

    def __init__(self, house: House | str = "italy-prison") -> None:
        """Set the table up with a journal."""
        super().__init__(house)
        self.journal = MemoryJournal()
        self.table = Table(self.house, opening=opening_of(self.house), journal=self.journal)
        self.kept = Kept(self)

    @property
    def events(self) -> list[Event]:
        """All events so far."""
        return [event for _command, happened in self.kept.steps for event in happened]

    @property
    def final(self) -> tuple[SettledCoup, ...]:
        """The coups as they are in the end."""
        return final(coups(self.events))

    def agrees(self) -> None:
        """Compare sums of money with the accounts of the table, and the folds with each other."""
        state = self.table.state
        statistics = Statistics.of(self.events)
        staying = dict.fromkeys(dict(state.accounts), 0)
        for stake in state.stakes:
            staying[stake.owner] += stake.standing
        for player, account in state.accounts.items():
            assert statistics.player(player).net == account + staying[player]
        assert statistics.bank_net == state.bank
        sums = [sign * line.player_net for c in coups(self.events) for sign, line in c.changes()]
        assert -sum(sums) == state.bank
        lines = [line for coup in self.final for line in coup.counted]
        assert -sum(line.player_net for line in lines) == state.bank


def corrected() -> Seen:
    """Settle a coup that was read wrong, and correct it."""
    table = Seen()
    table.live()
    table.play(WRONG, ("ann", "rouge", 100))
    table.do(Correct, reason="read wrong", cards=RIGHT.cards)
    return table


def test_a_corrected_coup_is_a_new_version_that_names_the_old_one() -> None:
    """A1 1b: the version that counts no more is taken off, the new one is added."""
    first, second = coups(corrected().events)
    assert (first.number, first.coup, first.replaces, first.earlier) == (1, WRONG, None, ())
    assert (second.number, second.coup, second.replaces) == (1, RIGHT, first)
    assert second.earlier == (evolve(first, taken_back="read wrong"),)
    assert [(sign, *_money(line)) for sign, line in second.changes()] == [
        (-1, *_money(first.lines[0])),
        (1, *_money(second.lines[0])),
    ]
    assert final((first, second)) == (second,)


def _money(line: Line) -> tuple[int, int]:
    return line.won, line.forfeited


def test_all_seven_folds_see_the_corrected_coup() -> None:
    """A1 1b: 33/31 corrected to 31/33 is lost by rouge, wherever it is looked at."""
    table = corrected()
    statistics = Statistics.of(table.events)
    assert statistics.player("ann").net == -100
    assert (statistics.coups, statistics.corrected) == (1, 1)
    (kept,) = history(table.journal.entries())
    assert kept.outcome is not None
    assert [line.won for line in kept.outcome.lines] == [0]
    (taken,) = coup_to_json(kept)["taken_back"]
    assert taken["taken_back"] == "read wrong"
    assert taken["stakes"][0]["won"] == 100
    assert [[each.net for each in coup.settled] for coup in coups_of_events(table.events)] == [
        [100]
    ]
    (line,) = lines_of_events(table.events)
    assert (line.points, line.winners) == ((31, 33), ("noir", "couleur"))
    (view,) = coups_of(table.events)
    assert [str(each) for each in view.lines] == [str(kept.outcome.lines[0])]
    assert (view.net, tuple(view.first + view.second)) == (-100, RIGHT.cards)
    (coup,) = table.kept.recorder.record().coups
    assert [(each.won, each.forfeited) for each in coup.stakes] == [(0, 100)]
    assert [stake.won for stake in coup.taken_back[0].stakes] == [100]
    table.agrees()


def test_a_strategy_sees_the_corrected_coup() -> None:
    """A1 1b: a stake that was freed by mistake is lost, and counted once."""
    driver = Driver("italy-prison")
    session = StrategySession(driver.house, iter(()), opening_of(driver.house), None)
    session.table, session._commands = driver.table, 100
    driver.live()
    session.open()
    session.bet((TableBet("rouge", 100),))
    driver.turn(WRONG)
    session.coups = 1
    session._do(Settle)
    assert [each.net for each in session.played(ruined=False).ended] == [100]
    session._do(Correct, reason="read wrong", cards=RIGHT.cards)
    assert [each.net for each in session.played(ruined=False).ended] == [-100]
    session._do(Correct, reason="again", cards=TIE.cards)
    assert session.played(ruined=False).ended == ()
    session._do(Correct, reason="no coup at all", void=True)
    assert session.coups == 0
    assert session.played(ruined=False).ended == ()


def test_corrected_twice() -> None:
    """Both settlements that were taken back stay, in their order; one counts."""
    table = corrected()
    table.do(Correct, reason="read wrong again", cards=TIE.cards)
    (coup,) = table.final
    assert [each.coup for each in coup.earlier] == [WRONG, RIGHT]
    assert [each.taken_back for each in coup.earlier] == ["read wrong", "read wrong again"]
    assert all(not each.earlier and each.replaces is None for each in coup.earlier)
    statistics = Statistics.of(table.events)
    assert (statistics.coups, statistics.corrected, statistics.refaits) == (1, 2, 1)
    assert len(table.kept.recorder.record().coups[0].taken_back) == 2
    (view,) = coups_of(table.events)
    assert [line.verdict for line in view.lines] == [Verdict.REFAIT]
    table.agrees()


def test_corrected_to_void() -> None:
    """What was won goes back, and the coup is no outcome."""
    table = corrected()
    table.do(Correct, reason="a card too many", void=True)
    (coup,) = table.final
    assert (coup.void, coup.counted, len(coup.earlier)) == ("a card too many", (), 2)
    statistics = Statistics.of(table.events)
    assert (statistics.coups, statistics.voided, statistics.corrected) == (0, 1, 2)
    assert sum(statistics.points) == 0
    assert list(coups_of_events(table.events)) == []
    assert lines_of_events(table.events) == ()
    (view,) = coups_of(table.events)
    assert (view.void, view.net) == ("a card too many", None)
    assert table.kept.recorder.record().coups[0].void == "a card too many"
    table.agrees()


def test_voided_and_then_nothing() -> None:
    """A coup that is void before its first card has no outcome and moved no money."""
    table = Seen()
    table.live()
    table.bet(("ann", "rouge", 100))
    table.do(VoidCoup, reason="a quarrel")
    (coup,) = table.final
    assert (coup.number, coup.coup, coup.void, coup.counted) == (1, None, "a quarrel", ())
    assert [line.stake.id for line in coup.lines] == ["ann-rouge"]
    assert Statistics.of(table.events).voided == 1
    table.agrees()


@pytest.mark.parametrize("ended", [True, False])
def test_the_session_closes_after_a_correction(ended: bool) -> None:  # noqa: FBT001 - a parameter
    """A prisoner that is closed belongs to the corrected coup; its stake is counted once."""
    table = Seen()
    table.live()
    table.play(WRONG, ("ann", "rouge", 100), ("bob", "noir", 50))
    table.do(Correct, reason="read wrong", cards=TIE.cards)
    if ended:
        table.do(EndShoe)
    table.do(CloseSession)
    (coup,) = table.final
    assert [line.stake.id for line in coup.closed] == ["ann-rouge", "bob-noir"]
    assert (coup.end is not None) is ended
    statistics = Statistics.of(table.events)
    assert (statistics.coups, statistics.corrected, statistics.tailles) == (1, 1, ended)
    assert statistics.staked == 150
    (group,) = coups_of_events(table.events)
    assert [(each.stake, each.free, each.ended) for each in group.settled] == [
        (name, free, not free) for free in (True, False) for name in ("ann-rouge", "bob-noir")
    ]
    table.agrees()


def test_a_correction_takes_an_end_of_the_shoe_and_its_closed_stakes_back() -> None:
    """The marker makes a coup the last, prisoners are closed with the shoe; it is corrected."""
    table = Seen(
        house_like(
            "italy-prison",
            '[shoe]\nprisoners_at_end = "close"\nends = "last-card"\n'
            '[shoe.marker]\nfrom_end = 20\non_marker = "finish"\n',
        )
    )
    table.live()
    table.bet(("ann", "rouge", 100))
    table.do(CloseBets)
    for place, card in enumerate(TIE.cards):
        if place == 3:
            table.do(ShowMarker)
        table.do(Turn, card=card)
    table.do(Settle)
    (coup,) = table.final
    assert [line.stake.id for line in coup.closed] == ["ann-rouge"]
    before = Statistics.of(table.events)
    assert (before.tailles, before.player("ann").neither) == (1, 2)
    table.agrees()
    table.do(Correct, reason="read wrong", cards=RIGHT.cards)
    (coup,) = table.final
    assert (coup.closed, len(coup.earlier[0].closed), coup.end is not None) == ((), 1, True)
    after = Statistics.of(table.events)
    assert (after.tailles, after.player("ann").neither, after.player("ann").lost) == (1, 0, 1)
    assert [
        each.ended for (group,) in [coups_of_events(table.events)] for each in group.settled
    ] == [True]
    record = table.kept.recorder.record()
    assert (record.end.stakes, record.coups[0].stakes[0].forfeited) == ((), 100)
    (view,) = coups_of(table.events)
    assert len(view.lines) == 1
    table.agrees()


def test_prisoners_go_from_coup_to_coup() -> None:
    """A stake in prison has a line in each coup, and counts as staked in the first."""
    table = Seen()
    table.live()
    tie, wrong, right = map(
        Coup.parse,
        (
            "10♠ J♠ Q♠ A♠ / K♠ 10♥ J♥ A♥",
            "Q♥ K♥ 10♦ 3♦ / J♦ Q♦ K♦ A♣",
            "10♣ J♣ Q♣ A♠ / K♣ 10♠ J♠ 3♥",
        ),
    )
    table.play(tie, ("ann", "rouge", 100))
    table.play(wrong)
    table.do(Correct, reason="read wrong", cards=right.cards)
    first, second = table.final
    assert [line.after is not None for line in (*first.lines, *second.lines)] == [True, False]
    statistics = Statistics.of(table.events)
    assert (statistics.staked, statistics.player("ann").net) == (100, -100)
    assert (statistics.coups, statistics.refaits, statistics.corrected) == (2, 1, 1)
    table.agrees()


def test_stakes_that_leave_before_a_coup_is_settled_belong_to_none() -> None:
    """A session closed while bets are open: the stakes count, no coup does."""
    table = Seen()
    table.live()
    table.play(WRONG, ("ann", "rouge", 100))
    table.bet(("bob", "noir", 50))
    table.do(CloseSession)
    coup, rest = table.final
    assert (coup.number, rest.number, rest.coup, rest.lines) == (1, 0, None, ())
    assert [line.stake.id for line in rest.closed] == ["bob-noir"]
    assert [kept.status for kept in history(table.journal.entries())] == ["settled", "betting"]
    assert [len(group.settled) for group in coups_of_events(table.events)] == [2]
    table.agrees()


def test_a_fold_that_begins_within_a_session() -> None:
    """What was settled before the first event is known from the event that takes it back."""
    table = corrected()
    events = table.events
    begin = next(n for n, event in enumerate(events) if event.kind == "coup-corrected")
    (coup,) = coups(events[begin:])
    assert (coup.number, coup.coup) == (1, RIGHT)
    assert coup.replaces is not None
    assert (coup.replaces.coup, [sign for sign, _line in coup.changes()]) == (WRONG, [-1, 1])
    assert [each.taken_back for each in coup.earlier] == ["read wrong"]
    assert Statistics.of(events[begin:]).corrected == 1


def test_a_coup_that_waits_for_its_settlement_is_on_the_card() -> None:
    """A score card shows what is dealt; no version of the coup is made yet."""
    driver = Driver("italy-prison")
    driver.shoe((40, 31))
    kept = Kept(driver)
    driver.bet(("ann", "rouge", 100))
    driver.deal()
    fold = CoupFold()
    events = [event for _command, happened in kept.steps for event in happened]
    assert [fold.feed(event) for event in events] == [None] * len(events)
    assert fold.unsettled is not None
    assert [line.points for line in lines_of_events(events)] == [(40, 31)]


def test_statistics_follow_a_table_event_by_event() -> None:
    """Counted as a table goes, and counted at once from all its events, over several shoes."""
    driver = Driver("france-2007")
    events = play(driver, 70)
    live, base = LiveStatistics(), Statistics()
    for event in events:
        live.feed(event)
    assert live.counted == Statistics.of(events)
    cut = max(n for n, event in enumerate(events) if event.kind == "shoe-opened")
    base = Statistics.of(events[:cut])
    following = LiveStatistics(base)
    for event in events[cut:]:
        following.feed(event)
    assert following.counted == live.counted


def test_the_matrix_of_points_has_the_first_row_by_tens() -> None:
    """A7: each pair of points is counted in its own cell, the first row dealt above."""
    driver = Driver("france-2007")
    kept = Kept(driver)
    pairs = [(31, 40), (40, 31), (31, 40), (35, 35), (32, 39)]
    driver.shoe(*pairs)
    for _ in pairs:
        driver.bet()
        driver.do(CloseBets)
        driver.do(Deal)
        driver.do(Settle)
    counted = Statistics.of(event for _command, happened in kept.steps for event in happened)
    expected = [[pairs.count((first, second)) for second in POINTS] for first in POINTS]
    assert counted.to_json()["points"] == expected
    assert counted.points[9] == 2
    assert counted.points[90] == 1
    assert counted.points[44] == 1
    assert counted.points[18] == 1


def test_many_closed_stakes_are_added_one_by_one() -> None:
    """Each closed stake is a change of one line: a sum does not go through all the others."""
    table = Seen()
    table.live()
    table.play(TIE, *((f"p{n}", "rouge", 10) for n in range(40)))
    table.do(CloseSession)
    versions = list(coups(table.events))
    assert [len(list(version.changes())) for version in versions] == [40, *[1] * 40]
    assert all(not (each.replaces and each.replaces.replaces) for each in versions)
    closed = [e for e in table.events if isinstance(e, StakeSettled)][40:]
    assert tuple(event.line for event in closed) == versions[-1].closed


def test_no_other_module_decides_what_a_correction_means() -> None:
    """A1 1b: the table makes the events that settle, void and correct; only the fold reads them."""
    decided = {"CoupSettled", "CoupVoided", "CoupCorrected", "StakeSettled"}
    table = Path(trente_rules.__file__).parent / "table"
    names = [
        "events",
        "settle",
        "shoe",
        "coups",
        "movements",
        "views",
        "journal_upgrade",
        "snapshot",
    ]
    names += ("wire", "journal")  # the round of an event; words that recovery leaves alone
    names += ("corrections", "past")
    allowed = {table / f"{name}.py" for name in names}
    allowed.add(table.parent / "service" / "past_reading.py")  # a reason, in words
    for path in table.parent.rglob("*.py"):
        found = decided & set(re.findall(r"\w+", path.read_text("utf-8")))
        assert not found or path in allowed, (path, found)


def test_a_coup_that_was_never_changed_replaces_none() -> None:
    """Before any correction: no version is replaced, none is taken back."""
    coup = SettledCoup(1, 1)
    assert (coup.replaces, coup.earlier, coup.end, coup.coup) == (None, (), None, None)
    assert CoupFold().with_end is True


def test_a_view_without_sums_is_summed_from_the_lines_it_has() -> None:
    """A player sees no net of the bank: that of a coup is then what their own lines come to."""
    table = Seen()
    table.live()
    table.play(WRONG, ("ann", "rouge", 100))
    seen = [
        evolve(event, players_net=None, bank_net=None) if isinstance(event, CoupSettled) else event
        for event in table.events
    ]
    (coup,) = final(coups(seen))
    assert (coup.players_net, coup.bank_net) == (100, -100)
    assert coup == table.final[0]


def closed_with_its_shoe() -> Seen:
    """Settle a refait as the last coup of a shoe that closes prisoners, then correct it."""
    table = Seen(house_like("italy-prison", '[shoe]\nprisoners_at_end = "close"'))
    table.live()
    table.play(TIE, ("ann", "rouge", 100))
    table.do(EndShoe)
    table.do(Correct, reason="video", cards=RIGHT.cards, target=table.table.state.round)
    return table


def test_a_fold_that_begins_late_parts_the_lines_of_a_coup_from_those_of_the_end() -> None:
    """A correction of a coup settled before the first event says which lines it takes back."""
    table = Seen(house_like("italy-prison", f"{CLOSES}{MARKER}"))
    table.live()
    table.bet(("ann", "rouge", 100))
    table.do(CloseBets)
    table.do(Turn, card=TIE.cards[0])
    table.do(ShowMarker)
    for card in TIE.cards[1:]:
        table.do(Turn, card=card)
    table.do(Settle)
    table.do(Correct, reason="read wrong", cards=RIGHT.cards)
    (first,) = final(coups(table.events[: -len(table.table.entries[-1].events)]))
    (again,) = final(coups(table.table.entries[-1].events))
    (taken,) = again.earlier
    assert first.closed
    assert (taken.lines, taken.closed) == (first.lines, first.closed)


def test_corrections_touch_the_end_whose_lines_they_change() -> None:
    """A line of no coup is one of the end of its shoe; coups of that shoe may change with it."""
    touched = Touched.by(closed_with_its_shoe().table.entries[-1:])
    assert touched == Touched(frozenset({(1, 1), (1, 0)}), frozenset({1}), frozenset({1}))
    plain = Touched.by(corrected().table.entries[-1:])
    assert plain == Touched(frozenset({(1, 1)}), frozenset(), frozenset({1}))
    assert (SettledCoup(1, 7) in touched, SettledCoup(1, 7) in plain) == (True, False)
