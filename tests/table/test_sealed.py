"""Sealed journals and snapshots: who has no key reads everything but the cards to come."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any, Final

import pytest
from tests.table.laws import house_like

from trente_rules import House, RecordError, Shoe, Table, TrenteError, load_house
from trente_rules.core.cards import Card, compact
from trente_rules.fair import SeededShuffler
from trente_rules.fair.card_seal import CardSeal
from trente_rules.records.recorder import record_of
from trente_rules.table import (
    Burn,
    CloseBets,
    Command,
    Correct,
    Cut,
    Deal,
    EndShoe,
    Entry,
    OpenBets,
    OpenShoe,
    Phase,
    Place,
    PlaceMarker,
    Sealed,
    Settle,
    SqliteJournal,
    command_from_json,
    command_to_json,
    history,
    recover,
    restore,
    snapshot,
)
from trente_rules.table.journal_sql import SqlJournal
from trente_rules.table.seen import _seen, seen_state
from trente_rules.testing import opening_of

SEAL: Final = CardSeal(bytes(range(32)))
OTHER: Final = CardSeal(bytes(32))
RUN: Final = 5
CARD: Final = re.compile(r"(?:10|[2-9TJQKA])[♠♥♦♣]")


class Play:
    """A table that is played on, with ids that are counted."""

    def __init__(self, house: House | str, journal: SqlJournal | None = None) -> None:
        """Open a table, its cards shuffled by a seed."""
        self.house = load_house(house) if isinstance(house, str) else house
        opening = opening_of(self.house)
        self.table = Table(self.house, session="s", opening=opening, journal=journal)
        self.shuffler = SeededShuffler(bytes(16))
        self.ids = count(1)

    def do(self, kind: type[Command], **fields: Any) -> None:
        """Do a command."""
        self.table.do(kind(id=f"c{next(self.ids)}", **fields))

    def step(self) -> None:
        """Do what the phase of the table asks for, with a stake in each coup."""
        rule, state = self.table.state.house.shoe, self.table.state
        match state.phase:
            case Phase.NO_SHOE:
                self.open()
            case Phase.CUT:
                self.do(Cut, place=99, by=rule.cut_by)
            case Phase.BURN:
                self.do(Burn)
            case Phase.MARK:
                self.do(PlaceMarker, by=rule.marker.placed_by if rule.marker else "croupier")
            case Phase.READY:
                self.do(OpenBets)
            case Phase.BETTING:
                least = state.opening.minimum or 1
                stake = {"stake": f"s{next(self.ids)}", "player": "ann", "chance": "rouge"}
                self.do(Place, **stake, amount=least)
                self.do(CloseBets)
            case Phase.CLOSED | Phase.DEALING:
                self.do(Deal)
            case Phase.DEALT:
                self.do(Settle)

    def finish(self) -> None:
        """Play to where a shoe may end."""
        while self.table.state.phase is not Phase.READY:
            self.step()

    def open(self) -> None:
        """Open a shoe that is shuffled by the seed."""
        name = f"c{next(self.ids)}"
        self.table.do(OpenShoe.shuffled(name, self.house.shoe.packs, self.shuffler))


def coming(table: Table) -> tuple[Card, ...]:
    """Return the cards that no player has seen."""
    shoe = table.state.shoe
    assert isinstance(shoe, Shoe)
    return shoe.cards[shoe.position : -1]  # the cut may have shown the last one


def found(data: bytes, cards: tuple[Card, ...]) -> bool:
    """Return whether any five cards in a row are in some bytes, in any form they are written.

    Of the form that has one letter a card, eight: five are there by chance in what is sealed.
    """
    text = data.decode("utf-8", "ignore")
    for escape, suit in (("\\u2660", "♠"), ("\\u2665", "♥"), ("\\u2666", "♦"), ("\\u2663", "♣")):
        text = text.replace(escape, suit)
    runs = [cards[place : place + RUN] for place in range(len(cards) - RUN + 1)]
    words = compact(map(Card.parse, CARD.findall(text)))
    letters = re.sub(r"[^0-9A-Za-z]", "", text).upper()
    return any(
        compact(run) in words
        or "".join(str(card)[:-1] + "SHDC"["♠♥♦♣".index(card.suit)] for card in run) in letters
        for run in runs
    ) or any(compact(cards[place : place + 8]) in text for place in range(len(cards) - 7))


def files_of(path: Path) -> bytes:
    """Return every byte of a journal, its log and what lies next to it."""
    return b"\n".join(each.read_bytes() for each in path.parent.iterdir() if each.is_file())


@pytest.mark.slow
@pytest.mark.parametrize("sealed", [True, False])
def test_no_five_cards_to_come_are_in_the_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, sealed: bool
) -> None:
    """T9a: in every phase, over two shoes, snapshots within a shoe and a new file."""
    monkeypatch.setattr("trente_rules.table.journal_sql.SNAPSHOT_EVERY", 10)
    key = SEAL if sealed else None
    seen = set()
    with SqliteJournal(tmp_path / "a", seal=key) as journal:
        play = Play("hoyle-19c", journal)
        for number in range(48):
            if number == 40:
                play.table = recover(journal)
                play.table.rotate(SqliteJournal(tmp_path / "b", seal=key and OTHER))
            if number in (21, 38):
                play.finish()
                play.do(EndShoe)
            play.step()
            if isinstance(play.table.state.shoe, Shoe) and number in (0, 1, 3, 4, 6, 24, 41):
                there = found(files_of(tmp_path / "a"), coming(play.table))
                seen.add((play.table.state.phase, there))
    assert {there for _phase, there in seen} == {not sealed}
    assert len(seen) >= 5
    told = [event for entry in play.table.taille for event in entry.events]
    assert not found(repr(told).encode(), coming(play.table))


def played(path: Path, house: str, seal: CardSeal | None, steps: int = 40) -> Play:
    """Return a table that was played on a journal, which is closed."""
    with SqliteJournal(path, seal=seal) as journal:
        play = Play(house, journal)
        for _ in range(steps):
            play.step()
    return play


@pytest.mark.slow
@pytest.mark.parametrize("house", ["hoyle-19c", "eight-packs-machine"])
def test_with_the_key_a_sealed_journal_is_like_one_without(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, house: str
) -> None:
    """T9a: table, entries, movements and records are equal, also from a snapshot in a shoe."""
    monkeypatch.setattr("trente_rules.table.journal_sql.SNAPSHOT_EVERY", 7)
    seen = []
    for name, seal in (("open", None), ("sealed", SEAL)):
        played(tmp_path / name, house, seal)
        with SqliteJournal(tmp_path / name, seal=seal) as journal:
            table = recover(journal)
            assert journal.sealed == journal.meta["sealed"] == (seal.key_id if seal else "")
            seen.append(
                (table.state, tuple(journal.entries()), tuple(journal.movements()), table.taille)
            )
            assert recover(journal).state == table.state
    assert seen[0] == seen[1]
    assert len(seen[0][1]) >= 40


def plain_of(play: Play) -> list[Entry]:
    """Return what the table remembers: all of its shoe."""
    return list(play.table.entries)


def test_without_the_key_all_is_there_but_the_cards_to_come(tmp_path: Path) -> None:
    """T9a: events, movements, history, records, the chain; no recovery, and no command."""
    play = played(tmp_path / "j", "hoyle-19c", SEAL)
    plain = plain_of(play)
    with SqliteJournal(tmp_path / "j", read_only=True) as reader:
        assert reader.check() == reader.head
        for sealed, known in zip(reader.entries(), plain, strict=True):
            assert (sealed.events, sealed.movements) == (known.events, known.movements)
            if isinstance(known.command, OpenShoe):
                assert isinstance(sealed.command, OpenShoe)
                assert isinstance(sealed.command.cards, Sealed)
                assert (str(sealed.command.cards), repr(sealed.command.cards)) == (
                    *("sealed", "Sealed(...)"),
                )
                again = command_from_json(command_to_json(sealed.command))
                assert again == sealed.command
                with pytest.raises(TrenteError) as given:
                    Play("hoyle-19c").table.do(sealed.command)
                assert given.value.code == "bad-value"
            else:
                assert sealed.command == known.command
        assert tuple(reader.movements()) == tuple(each for e in plain for each in e.movements)
        assert [each.coup for each in history(reader.last_coups(3))] == [8, 9, 10]
        record = record_of(reader.entries(), play.house)
        assert (record.shoe.order, len(record.coups)) == ((), play.table.state.coup_number - 1)
        with pytest.raises(RecordError, match="give the key") as raised:
            recover(reader)
        assert raised.value.code == "journal-sealed"
    with SqliteJournal(tmp_path / "j") as writer:
        for act in (lambda: recover(writer), lambda: writer.append(plain[:1], play.table.state)):
            with pytest.raises(RecordError) as refused:
                act()
            assert refused.value.code in ("journal-sealed", "journal-moved")


@pytest.mark.parametrize("read_only", [True, False])
def test_a_wrong_key_is_refused_at_once(tmp_path: Path, *, read_only: bool) -> None:
    """T9a: key and journal are compared before anything is read; the file is not held."""
    played(tmp_path / "j", "hoyle-19c", SEAL, 3)
    with pytest.raises(RecordError, match=SEAL.key_id) as raised:
        SqliteJournal(tmp_path / "j", seal=OTHER, read_only=read_only)
    assert raised.value.code == "wrong-key"
    with SqliteJournal(tmp_path / "j", seal=CardSeal(bytes(32), [SEAL.key])) as journal:
        assert isinstance(recover(journal).state.shoe, Shoe)


@pytest.mark.slow
def test_a_journal_is_sealed_from_its_beginning(tmp_path: Path) -> None:
    """T9a: no key is taken for a file that has clear cards; a new file may have one."""
    played(tmp_path / "j", "hoyle-19c", None, 3)
    with pytest.raises(RecordError, match="rotate") as raised:
        SqliteJournal(tmp_path / "j", seal=SEAL)
    assert raised.value.code == "journal-not-sealed"
    with SqliteJournal(tmp_path / "j", seal=SEAL, read_only=True) as reader:
        assert reader.sealed == ""
    with SqliteJournal(tmp_path / "j") as old, SqliteJournal(tmp_path / "k", seal=SEAL) as new:
        table = recover(old)
        table.rotate(new)
        assert recover(new).state == table.state
        assert new.sealed == SEAL.key_id


def test_a_key_changes_with_the_file(tmp_path: Path) -> None:
    """T9a: the keys of before open the earlier files; without them their cards stay sealed."""
    play = played(tmp_path / "a", "hoyle-19c", SEAL, 12)
    with SqliteJournal(tmp_path / "a", seal=SEAL) as old:
        play.table = recover(old)
        with SqliteJournal(tmp_path / "none") as unsealed, pytest.raises(RecordError) as raised:
            play.table.rotate(unsealed)
        assert raised.value.code == "journal-not-sealed"
        with SqliteJournal(tmp_path / "b", seal=OTHER) as new:
            play.table.rotate(new)
            play.finish()
            play.do(EndShoe)
            for _ in range(8):
                play.step()
            assert recover(new).state == play.table.state
            entry = new.find("", "c1")
            assert entry is not None
    both = CardSeal(OTHER.key, [SEAL.key])
    for seal, kind in ((both, tuple), (OTHER, Sealed), (None, Sealed)):
        with SqliteJournal(tmp_path / "b", seal=seal, read_only=True) as reader:
            first = next(reader.last_coups(99), None)
            opened = next(e.command for e in earlier(reader) if isinstance(e.command, OpenShoe))
            assert first is not None
            assert type(opened.cards) is kind


def earlier(journal: SqliteJournal) -> Iterator[Entry]:
    """Yield the entries of the file before."""
    with journal._earlier(journal.links[-1], "an entry") as before:
        yield from before.entries()


def test_sealed_cards_cannot_take_the_place_of_others(tmp_path: Path) -> None:
    """T9a: not within a journal either; who has no key cannot say."""
    play = played(tmp_path / "j", "hoyle-19c", SEAL, 20)
    with SqliteJournal(tmp_path / "j", seal=SEAL) as journal:
        play.table = recover(journal)
        play.finish()
        play.do(EndShoe)
        play.step()
    with closing(sqlite3.connect(tmp_path / "j")) as file:
        one, two = file.execute("SELECT body FROM commands WHERE kind = 'open-shoe'").fetchall()
        assert json.loads(one[0])["cards"] != json.loads(two[0])["cards"]
        value = {**json.loads(two[0]), "cards": json.loads(one[0])["cards"]}
        file.execute(
            "UPDATE commands SET body = ? WHERE body = ?", (json.dumps(value), two[0])
        ).connection.commit()
    with SqliteJournal(tmp_path / "j", read_only=True) as keyless:
        assert len(list(keyless.entries())) > len(play.table.taille)
    with SqliteJournal(tmp_path / "j", read_only=True, seal=SEAL) as reader:
        with pytest.raises(RecordError) as raised:
            list(reader.entries())
        assert raised.value.code == "seal-broken"
        with pytest.raises(RecordError, match="command 30"):
            list(reader.entries())
        with pytest.raises(RecordError) as changed:
            reader.check()
        assert changed.value.code == "journal-changed"


@pytest.mark.parametrize("table", ["commands", "snapshots"])
def test_clear_cards_cannot_take_the_place_of_sealed_ones(tmp_path: Path, table: str) -> None:
    """T9a: who has no key chooses no card: not in a command, nor in a snapshot."""
    play = played(tmp_path / "j", "hoyle-19c", SEAL, 9)
    shoe = play.table.state.shoe
    assert isinstance(shoe, Shoe)
    with closing(sqlite3.connect(tmp_path / "j")) as file:
        rows = file.execute(f"SELECT rowid, body FROM {table}").fetchall()  # noqa: S608 - ours
        for row, body in rows:
            value = json.loads(body)
            if table == "commands" and value["kind"] == "open-shoe":
                value["cards"] = [*map(str, shoe.cards)]
            elif table == "snapshots" and value["state"]["shoe"]:
                value["state"]["shoe"]["cards"] = " ".join(map(str, shoe.cards))
            query = f"UPDATE {table} SET body = ? WHERE rowid = ?"  # noqa: S608 - ours
            file.execute(query, (json.dumps(value, ensure_ascii=False), row))
        file.commit()
    with SqliteJournal(tmp_path / "j", read_only=True, seal=SEAL) as journal:
        body = journal._connection.execute("SELECT body FROM snapshots").fetchall()[-1][0]
        act = partial(list, journal.entries()) if table == "commands" else journal._unsealed
        with pytest.raises(RecordError, match="clear text") as raised:
            act(*([body] * (table == "snapshots")))
        assert raised.value.code == "seal-broken"


def test_a_snapshot_is_sealed_like_a_journal() -> None:
    """T9a: in both shoes, and in the commands that opened them."""
    play = Play("hoyle-19c")
    for _ in range(20):
        play.step()
    text = snapshot(play.table, SEAL)
    assert found(snapshot(play.table).encode(), coming(play.table))
    assert not found(text.encode(), coming(play.table))
    assert restore(text, play.house, seal=SEAL).state == play.table.state
    assert restore(text, play.house, seal=SEAL).entries == play.table.entries
    assert restore(snapshot(play.table), play.house, seal=SEAL).state == play.table.state
    for seal, code in ((None, "snapshot-sealed"), (OTHER, "wrong-key")):
        with pytest.raises(RecordError) as raised:
            restore(text, play.house, seal=seal)
        assert raised.value.code == code
    value = json.loads(text)
    value["session"] = "t"
    with pytest.raises(RecordError) as moved:
        restore(json.dumps(value), play.house, seal=SEAL)
    assert moved.value.code == "seal-broken"


def test_the_cards_of_a_shoe_that_has_ended_stay_sealed() -> None:
    """T9a: of a shoe that its marker ended, the cards that nobody saw are sealed as before."""
    play = Play("france-2007")
    while play.table.state.last_shoe is None:
        play.step()
    ended = play.table.state.last_shoe
    assert isinstance(ended, Shoe)
    unseen = ended.cards[ended.position :]
    assert len(unseen) >= RUN
    text = snapshot(play.table, SEAL)
    assert found(snapshot(play.table).encode(), unseen)
    assert not found(text.encode(), unseen)
    assert restore(text, play.house, seal=SEAL).state == play.table.state


@pytest.mark.parametrize("colour", ["rouge", "noir"])
def test_a_reader_without_the_key_sees_the_card_that_the_cut_showed(
    tmp_path: Path, colour: str
) -> None:
    """T9a: its colour names the first row, so that the reader has the row that the table has."""
    with SqliteJournal(tmp_path / "j", seal=SEAL) as journal:
        play = Play(house_like("france-2007", '[deal]\nfirst_row = "cut"'), journal)
        while play.table.state.phase is not Phase.CUT:
            play.step()
        cards = coming(play.table)
        place = next(n for n, card in enumerate(cards, 1) if card.colour.id == colour)
        play.do(Cut, place=place, by=play.house.shoe.cut_by)
        state = play.table.state
    with SqliteJournal(tmp_path / "j", read_only=True) as reader:
        assert seen_state(reader) == state.replaced(shoe=None, last_shoe=None)
    assert state.first_row == colour


@pytest.mark.slow
@pytest.mark.parametrize(
    "house",
    [
        "hoyle-19c",
        pytest.param("monte-carlo-1911", marks=pytest.mark.nightly),
        pytest.param("eight-packs-machine", marks=pytest.mark.nightly),
    ],
)
def test_a_reader_without_the_key_sees_the_table_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, house: str
) -> None:
    """T9a: in every phase, from each snapshot, in a new file: all of the state but its shoe."""
    monkeypatch.setattr("trente_rules.table.journal_sql.SNAPSHOT_EVERY", 7)
    with SqliteJournal(tmp_path / "a", seal=SEAL) as first:
        play = Play(house, first)
        phases, path = set(), tmp_path / "a"
        for number in range(50):
            if number in (22, 40) and not play.house.shoe.every_coup:
                play.finish()
                play.do(Correct, reason="wrong", void=True)
                play.do(EndShoe)
            play.step()
            if number == 33:
                path = tmp_path / "b"
                play.table.rotate(SqliteJournal(path, seal=OTHER))
            if number % 3:
                continue
            with SqliteJournal(path, read_only=True) as reader:
                seen = seen_state(reader)
            assert seen == play.table.state.replaced(shoe=None, last_shoe=None)
            phases.add(seen.phase)
    assert len(phases) >= 4


def test_commands_that_share_a_commit_are_sealed_too(tmp_path: Path) -> None:
    """T9a: ``do_many`` and a transaction write through the same place."""
    with SqliteJournal(tmp_path / "j", seal=SEAL) as journal:
        play = Play("hoyle-19c", journal)
        rule = play.house.shoe
        opened = OpenShoe.shuffled("o1", rule.packs, play.shuffler)
        play.table.do_many([opened, Cut(id="o2", place=9, by=rule.cut_by)])
        assert not found(files_of(tmp_path / "j"), coming(play.table))
        with play.table.transaction():
            play.finish()
        assert recover(journal).state == play.table.state
    with SqliteJournal(tmp_path / "j", read_only=True) as reader:
        assert seen_state(reader).phase is Phase.READY


def test_what_came_out_is_not_what_is_to_come(tmp_path: Path) -> None:
    """T9a: the order that a reader without the key works on is not the one of the shoe."""
    play = played(tmp_path / "j", "hoyle-19c", SEAL, 30)
    with SqliteJournal(tmp_path / "j", read_only=True) as reader:
        shoe = play.table.state.shoe
        (seen,) = _seen(reader.since(1), 52 * play.house.shoe.packs)
        order = seen.order(30)
    assert isinstance(shoe, Shoe)
    assert sorted(map(str, order)) == sorted(map(str, shoe.cards))
    assert order[shoe.burned : shoe.position] == shoe.cards[shoe.burned : shoe.position]
    assert not found(" ".join(map(str, order[shoe.position :])).encode(), coming(play.table))
