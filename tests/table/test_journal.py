"""The journal: what it keeps, and a table that goes on from it as if nothing had been."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from importlib.resources import files
from pathlib import Path
from random import Random
from threading import Thread
from typing import Any

import pytest
from attrs import evolve, frozen
from tests.table.ten_players import dice_of, following
from tests.whole_units import whole_house

from trente_rules import (
    House,
    Named,
    Opening,
    PhaseError,
    PluginManager,
    RecordError,
    Table,
    dumps_house,
    hookimpl,
    loads_house,
)
from trente_rules.core import LanguageText, default_manager
from trente_rules.core.money import Money
from trente_rules.core.rules.refait import AllLose, HalfLoss
from trente_rules.table import (
    BetsOpened,
    CloseBets,
    Command,
    Cut,
    Deal,
    Event,
    Expose,
    MemoryJournal,
    OpenBets,
    OpenShoe,
    Place,
    PlaceMarker,
    Settle,
    SqliteJournal,
    StakePlaced,
    journal_entries,
    recover,
    restore,
    snapshot,
)
from trente_rules.table import journal as journal_module
from trente_rules.table.entries import Entry, Kept
from trente_rules.table.events import CoupVoided
from trente_rules.table.journal_chain import Head
from trente_rules.table.journal_following import Following
from trente_rules.table.rounds import Round
from trente_rules.table.state import balance
from trente_rules.testing import coup_with, opening_of, stacked_shoe

HOUSE = whole_house("france-2007")
OPENING = opening_of(HOUSE)
AnyJournal = MemoryJournal | SqliteJournal
Done = list[tuple[Command, tuple[Event, ...]]]


@pytest.fixture(params=["memory", "sqlite"])
def journal(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[AnyJournal]:
    """Return an empty journal of each kind."""
    if request.param == "memory":
        yield MemoryJournal()
        return
    with SqliteJournal(tmp_path / "table.journal") as made:
        yield made


def play(table: Table, commands: int, dice: Random) -> Done:
    """Do so many commands; answer them with their events."""
    done: Done = []
    for _ in range(commands):
        command = following(table, dice)
        done.append((command, table.do(command)))
    return done


def begun(journal: AnyJournal, commands: int = 0, seed: int = 1) -> tuple[Table, Done]:
    """Return a table on a journal, and what it did."""
    table = Table(HOUSE, name="salle 3", opening=OPENING, journal=journal, session="s")
    return table, play(table, commands, dice_of(seed))


@pytest.mark.slow
def test_the_recovered_table_is_the_uninterrupted_one_after_every_command(
    journal: AnyJournal,
) -> None:
    """State, card order, prisoners, accounts and known ids are those before the end."""
    table, _done = begun(journal)
    dice = dice_of(3)
    for number in range(100):
        if number % (1 if number < 30 else 16) == 0:
            again = recover(journal)
            assert again.state == table.state
            assert again.taille == table.taille
            assert balance(again.state) == 0
        play(table, 1, dice)


def test_a_recovered_table_goes_on_alike(journal: AnyJournal) -> None:
    """The same commands, after a recovery, give what they give to a table without a journal."""
    alone = Table(HOUSE, name="salle 3", opening=OPENING, session="s")
    wanted = play(alone, 150, dice_of(8))
    table, _none = begun(journal)
    for number, (command, events) in enumerate(wanted):
        if number % 40 == 39:
            table = recover(journal)
        assert table.do(command) == events
    assert table.state == alone.state


def test_every_command_is_kept_once_with_its_events(journal: AnyJournal) -> None:
    """Entries are numbered from 1, events by their index in the session."""
    _table, done = begun(journal, 90)
    entries = list(journal.entries())
    assert [(entry.command, entry.events) for entry in entries] == done
    assert [entry.sequence for entry in entries] == list(range(1, 91))
    index = 0
    for entry in entries:
        assert entry.first_event == index
        index += len(entry.events)


def test_the_same_id_after_a_restart_has_no_second_effect(journal: AnyJournal) -> None:
    """Hub88: sent twice, answered alike; another command of that id is an error."""
    table, done = begun(journal, 60)
    table = recover(journal)
    state = table.state
    for command, events in done:
        assert table.do(command) == events
    assert table.state is state
    assert len(list(journal.entries())) == 60
    placed = next(command for command, events in done if isinstance(events[0], StakePlaced))
    with pytest.raises(PhaseError) as caught:
        table.do(evolve(placed, round=Round("other", 1, 1)))
    assert caught.value.code == "same-id"


def test_a_refused_command_is_not_kept(journal: AnyJournal) -> None:
    """What has no effect leaves no trace."""
    table, _done = begun(journal, 2)
    with pytest.raises(PhaseError):
        table.do(Cut(id="again"))
    assert len(list(journal.entries())) == 2


def test_no_table_begins_anew_on_a_journal_in_use(journal: AnyJournal) -> None:
    """A new table would forget the old one's stakes: the error says how to go on."""
    table, _done = begun(journal, 30)
    with pytest.raises(RecordError, match="recover") as caught:
        Table(HOUSE, opening=OPENING, journal=journal)
    assert caught.value.code == "journal-in-use"
    with pytest.raises(RecordError, match="recover"):
        restore(snapshot(table), HOUSE, journal=journal)
    assert recover(journal).state == table.state


def test_an_empty_journal_cannot_be_recovered(journal: AnyJournal) -> None:
    """There is no table in it yet."""
    with pytest.raises(RecordError) as caught:
        recover(journal)
    assert caught.value.code == "journal-empty"


def test_a_journal_begins_with_a_restored_table(journal: AnyJournal) -> None:
    """A table that was moved by a snapshot keeps its stakes and its ids in the new journal."""
    table, done = begun(MemoryJournal(), 70)
    moved = restore(snapshot(table), HOUSE, journal=journal)
    play(moved, 30, dice_of(4))
    again = recover(journal)
    assert again.state == moved.state
    assert again.do(done[-1][0]) == done[-1][1]


def test_a_journal_is_recovered_under_its_own_rules_only(journal: AnyJournal) -> None:
    """The fingerprint decides, not the name."""
    table, _done = begun(journal, 5)
    assert recover(journal, HOUSE).state == table.state
    with pytest.raises(RecordError) as caught:
        recover(journal, whole_house("france-1959"))
    assert caught.value.code == "other-house"


@pytest.mark.slow
@pytest.mark.parametrize("name", default_manager().names("house"))
def test_a_journal_holds_its_house(name: str) -> None:
    """Every shipped house is read back from the journal with the same fingerprint."""
    house, journal = whole_house(name), MemoryJournal()
    table = Table(house, opening=opening_of(house), journal=journal)
    play(table, 40, dice_of(2))
    again = recover(journal)
    assert again.house.fingerprint == house.fingerprint
    assert again.state.accounts == table.state.accounts
    assert snapshot(again) == snapshot(table)


def _edited(change: Callable[[list[Event]], None], command: Command | None = None) -> RecordError:
    """Return the error of a recovery whose fourth command, that opens the bets, was changed."""
    journal = MemoryJournal()
    begun(journal, 6)

    class Edited(MemoryJournal):
        def kept(self) -> Kept:
            whole = journal.kept()
            entries = list(whole.entries)
            events = list(entries[3].events)
            change(events)
            entries[3] = evolve(
                entries[3], events=tuple(events), command=command or entries[3].command
            )
            return evolve(whole, entries=tuple(entries))

    with pytest.raises(RecordError) as caught:
        recover(Edited())
    assert caught.value.code == "other-events"
    assert caught.value.place.startswith("command 4")
    return caught.value


def test_a_house_that_would_be_read_back_as_another_is_not_kept(
    journal: AnyJournal, monkeypatch: pytest.MonkeyPatch
) -> None:
    """S7: a recovery would continue the table under other rules."""
    other = dumps_house(whole_house("monte-carlo-1911"))
    monkeypatch.setattr(journal_module, "dumps_house", lambda _house: other)
    with pytest.raises(RecordError) as caught:
        begun(journal)
    what = "cannot be kept in a journal: it is read back as a different house"
    assert caught.value.message == f"house {HOUSE.name!r} {what}"
    assert caught.value.code == "house-not-kept"
    with pytest.raises(RecordError, match="holds no table"):
        journal.kept()


class Waited(Following):
    """A journal that can be waited for; what happens meanwhile is done in a pause."""

    def __init__(self) -> None:
        """Begin with an empty journal in memory, and nothing to do."""
        self.journal = MemoryJournal()
        self.pauses: list[float] = []
        self.meanwhile: Callable[[], object] = list
        self.closed = False

    @property
    def head(self) -> Head:
        """The end: a number alone."""
        return Head(len(list(self.journal.entries())), 0, b"")

    def entries(self, first: int = 1) -> Iterator[Entry]:
        """Yield the entries from a number on."""
        return iter(list(self.journal.entries())[first - 1 :])

    def _is_closed_for_good(self) -> bool:
        return self.closed

    def _pause(self, seconds: float) -> None:
        self.pauses.append(seconds)
        self.meanwhile()


def test_a_reader_waits_for_a_command_as_long_as_it_is_told() -> None:
    """T15: with a timeout, and without: it looks once a second at most, and again at once."""
    journal, dice = Waited(), dice_of(1)
    table, _none = begun(journal.journal)
    for timeout in (30.0, None):
        journal.meanwhile = lambda: play(table, 1, dice)
        before = len(table.entries)
        assert journal.wait(before, timeout)
        assert len(table.entries) == before + 1
    assert journal.pauses == [1.0, 1.0]
    assert not journal.wait(len(table.entries), 0)
    journal.closed = True
    assert not journal.wait(len(table.entries))
    assert len(journal.pauses) == 2


def test_events_of_some_kinds_are_read_in_portions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """P1: memory does not grow with a journal; every portion is read, up to the command asked."""
    monkeypatch.setattr(journal_entries, "_AT_ONCE", 7)
    with SqliteJournal(tmp_path / "j", "normal") as journal:
        table, _done = begun(journal, 60)
        kinds = ("stake-placed", "coup-dealt")
        for last, least in ((7, 1), (40, 8), (60, 8)):
            events = (event for entry in table.entries[:last] for event in entry.events)
            wanted = [event for event in events if event.kind in kinds]
            assert list(journal.events(kinds, last)) == wanted
            assert len(wanted) >= least


def test_other_events_than_those_kept_are_named() -> None:
    """A version with other rules does not go on in silence: command, event and field are told."""

    def later(events: list[Event]) -> None:
        assert isinstance(events[0], BetsOpened)
        events[0] = BetsOpened(7777)

    error = _edited(later)
    assert error.place.endswith("coup")
    assert "7777" in error.message
    assert _edited(list.clear).place.endswith("kind")
    assert _edited(lambda events: events.append(events[0])).place.endswith("kind")


def test_a_command_that_is_refused_now_is_named() -> None:
    """So is one that could not be taken, or that has the id of another."""
    assert "refused" in _edited(lambda _events: None, Cut(id="x")).message
    journal = MemoryJournal()
    _table, done = begun(journal, 6)
    assert "earlier" in _edited(lambda _events: None, done[0][0]).message


@pytest.mark.slow
def test_a_snapshot_is_kept_as_each_shoe_is_opened(tmp_path: Path) -> None:
    """So a recovery never does more again than one taille."""
    with SqliteJournal(tmp_path / "j") as journal:
        table, _done = begun(journal)
        dice = dice_of(5)
        while table.state.shoe_number < 3:
            play(table, 1, dice)
        play(table, 20, dice)
        kept = journal.kept()
        assert len(kept.entries) == 20
        assert restore(kept.snapshot, HOUSE).state.shoe_number == 3
        assert len(list(journal.entries(first=100))) == journal.check().sequence - 99


def test_what_is_told_of_the_table_is_in_the_journal(tmp_path: Path) -> None:
    """A journal needs no other file: the house, its fingerprint, table, opening, versions."""
    with SqliteJournal(tmp_path / "j") as journal:
        begun(journal)
        told = journal.meta
        head = journal.head
    assert told["house"] == "france-2007"
    assert told["fingerprint"] == HOUSE.fingerprint
    assert (told["table"], told["opening"], told["schema"]) == (
        "salle 3",
        str(OPENING.minimum or ""),
        "3",
    )
    assert "[settlement]" in told["house_toml"]
    assert head is not None
    assert (head.sequence, head.events) == (0, 0)


@pytest.mark.slow
def test_readers_see_whole_commands_while_a_table_runs(tmp_path: Path) -> None:
    """A monitor in another thread or process reads; the writer does not wait for it."""
    path = tmp_path / "j"
    wrong: list[str] = []

    def watch() -> None:
        try:
            with SqliteJournal(path, read_only=True) as monitor:
                for _ in range(10):
                    head = monitor.check()
                    if len(list(monitor.entries())) < head.sequence:
                        wrong.append("an entry is missing")
                    recover(monitor)
        except RecordError as error:
            wrong.append(str(error))

    with SqliteJournal(path) as journal:
        table, _done = begun(journal, 1)
        watcher = Thread(target=watch)
        watcher.start()
        play(table, 150, dice_of(1))
        watcher.join()
    assert wrong == []


def test_a_journal_may_be_used_from_several_threads(tmp_path: Path) -> None:
    """A host reads the history in one thread while another writes."""
    wrong: list[object] = []
    with SqliteJournal(tmp_path / "j") as journal:
        table, _done = begun(journal, 10)

        def read() -> None:
            for _ in range(20):
                numbers = [entry.sequence for entry in journal.entries()]
                if numbers != list(range(1, len(numbers) + 1)):
                    wrong.append(numbers)

        readers = [Thread(target=read) for _ in range(2)]
        for each in readers:
            each.start()
        play(table, 100, dice_of(1))
        for each in readers:
            each.join()
        assert journal.check().sequence == 110
    assert wrong == []


def test_a_copy_of_the_file_is_a_journal(tmp_path: Path) -> None:
    """Closed, a journal is one file, and can be read where nothing can be written."""
    with SqliteJournal(tmp_path / "j") as journal:
        table, _done = begun(journal, 40)
    assert [each.name for each in tmp_path.iterdir()] == ["j"]
    (tmp_path / "copy").write_bytes((tmp_path / "j").read_bytes())
    with closing(SqliteJournal(tmp_path / "copy", read_only=True)) as copy:
        assert recover(copy).state == table.state


def test_the_order_of_the_cards_is_in_the_command_that_opened_the_shoe(tmp_path: Path) -> None:
    """The shoe of a recovered table is the one that was shuffled, to the last card."""
    with SqliteJournal(tmp_path / "j") as journal:
        table, done = begun(journal, 30)
        opened = done[0][0]
        assert isinstance(opened, OpenShoe)
        assert opened.cards
        again = recover(journal)
    assert again.state.shoe == table.state.shoe
    assert isinstance(opened.cards, tuple)
    assert sorted(map(str, opened.cards)) == sorted(map(str, table.state.shoe.cards))  # type: ignore[union-attr]


def _manager(text: str = "", refait: type | None = None) -> PluginManager:
    """Return plugins with the language ``xx`` and a refait rule ``mine``."""

    class Plugin:
        @hookimpl
        def trente_languages(self) -> list[LanguageText]:
            return [LanguageText("xx", "xx.toml", text)] if text else []

        @hookimpl
        def trente_refait_rules(self) -> list[Named]:
            return [Named("mine", refait)] if refait else []

    manager = PluginManager(only=())
    manager.register(Plugin(), "my:xx")
    return manager


def _with_a_prisoner(house: House, journal: AnyJournal) -> Table:
    """Return a table with a stake that met a refait, and bets that are open again."""
    table = Table(house, opening=Opening(10), journal=journal)
    for command in (
        OpenShoe(id="1", cards=stacked_shoe([coup_with(31, 31)]).cards),
        Cut(id="2"),
        PlaceMarker(id="3"),
        OpenBets(id="4"),
        Place(id="5", stake="s", player="ann", chance="rouge", amount=10_000),
        CloseBets(id="6"),
        Deal(id="7"),
        Settle(id="8"),
        OpenBets(id="9"),
    ):
        table.do(command)
    return table


FRENCH = (files("trente_rules.core.rules") / "languages/fr.toml").read_text("utf-8")
FRENCH = FRENCH.replace('"fr"', '"xx"', 1)


@pytest.mark.parametrize("words", ["misez", ""], ids=["reworded", "no longer called"])
def test_other_words_do_not_stop_a_recovery(journal: AnyJournal, words: str) -> None:
    """T2: a phrase reworded, or emptied, leaves open tables recoverable, prisoners included."""
    toml = '[house]\nname = "x"\nextends = "france-2007"\n[announcements]\nlanguage = "xx"\n'
    table = _with_a_prisoner(loads_house(toml, plugins=_manager(FRENCH)), journal)
    assert [(stake.amount, stake.free) for stake in table.state.stakes] == [(10_000, False)]
    text = FRENCH.replace("Messieurs, faites vos jeux", words, 1)
    house = loads_house(toml, plugins=_manager(text))
    again = recover(journal, house)
    assert house.fingerprint == table.house.fingerprint
    assert again.state.stakes == table.state.stakes
    assert again.state.accounts == table.state.accounts
    assert again.state.events == table.state.events
    assert again.taille == table.taille
    done = again.do(CloseBets(id="10"))
    assert [entry.first_event for entry in journal.entries()][-1] == table.state.events
    assert again.state.events == table.state.events + len(done)
    assert recover(journal, house).state == again.state


def test_other_words_for_a_void_do_not_stop_a_recovery() -> None:
    """T2: why a table voids a coup is a code; its sentence may be another in the next release."""
    toml = '[house]\nname = "x"\nextends = "france-2007"\n[shoe]\nexposed_card = "void"\n'
    table = Table(loads_house(toml), opening=Opening(10), journal=(journal := MemoryJournal()))
    for command in (
        OpenShoe(id="1", cards=stacked_shoe([coup_with(31, 31)]).cards),
        *(Cut(id="2"), PlaceMarker(id="3"), OpenBets(id="4"), CloseBets(id="5"), Expose(id="6")),
    ):
        table.do(command)

    class Edited(MemoryJournal):
        def kept(self) -> Kept:
            whole = journal.kept()
            *entries, last = whole.entries
            voids = [each for each in last.events if isinstance(each, CoupVoided)]
            assert [each.why for each in voids] == ["exposed"]
            events = tuple(changed if each in voids else each for each in last.events)
            return evolve(whole, entries=(*entries, evolve(last, events=events)))

    reworded = changed = CoupVoided(1, "somebody dropped a card", (), "exposed")
    assert recover(Edited()).state == table.state
    for differs in ({"number": 2}, {"why": "marker-out"}):
        changed = evolve(reworded, **differs)
        with pytest.raises(RecordError, match="stored is"):
            recover(Edited())


@frozen
class _Half:
    def build(self, _money: Money) -> Mapping[str, Any]:
        return HalfLoss().build(_money)


@frozen
class _All:
    def build(self, _money: Money) -> Mapping[str, Any]:
        return AllLose().build(_money)


def test_another_rule_stops_a_recovery(journal: AnyJournal) -> None:
    """T2: a rule that does something else under the same name and version is refused."""
    toml = '[house]\nname = "x"\nextends = "france-2007"\n[refait]\nrule = "mine"\n'
    _with_a_prisoner(loads_house(toml, plugins=_manager(refait=_Half)), journal)
    with pytest.raises(RecordError) as caught:
        recover(journal, loads_house(toml, plugins=_manager(refait=_All)))
    assert caught.value.code == "other-house"
