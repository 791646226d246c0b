"""Sessions in files: written whole or not at all, and going on as if nothing had been between."""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path
from typing import Any, Final

import pytest
from tests.play.seated import SEED, go_on, ready, sit
from tests.table.test_sealed import found

from trente_rules import Shoe, loads_house
from trente_rules.core.errors import BetError, RecordError
from trente_rules.core.money import Amount
from trente_rules.fair import CardSeal
from trente_rules.fair.card_seal import about
from trente_rules.fair.entropy import SystemShuffler
from trente_rules.play.saving import SaveFile, session_of_text, session_text
from trente_rules.play.session import PlaySession, UiStep
from trente_rules.table.sealed import KEY
from trente_rules.testing import opening_of


def coup(session: PlaySession) -> None:
    """Play one coup, or what comes before the next one.

    Chips follow one another from the first coup of each taille: the third is the largest, and no
    progression refuses a later one.
    """
    if session.step is UiStep.SHUFFLE:
        session.shuffle()
    if session.step is UiStep.DEAL and session.free_on("rouge") is None:
        session.choose_chip(session.chips[(session.state.coup_number - 1) % 3])
        session.add("rouge")
    if session.step in (UiStep.DEAL, UiStep.CARD):
        session.deal()
    go_on(session)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["france-2007", "italian-program", "venezia-online", "hoyle-19c"])
def test_a_session_resumed_at_each_coup_is_the_one_that_went_on(name: str) -> None:
    """Saved and read again all along, over more than a shoe: the same text at the end."""
    whole = ready(name)
    resumed = session_of_text(session_text(whole))
    for number in range(36):
        coup(whole)
        coup(resumed)
        if number % 5 == 0:
            resumed = session_of_text(session_text(resumed))
    assert session_text(resumed) == session_text(whole)
    assert resumed.statistics == whole.statistics
    assert resumed.purse == whole.purse


def test_bets_choices_and_cards_half_dealt_are_kept() -> None:
    """A session is whole wherever it stands: at the cut, at a bet, within a row, at a choice."""
    session = sit("france-2007")
    found: set[UiStep] = set()
    while found != {UiStep.SHUFFLE, UiStep.CUT, UiStep.DEAL, UiStep.CARD, UiStep.CHOOSE}:
        if session.step not in found:
            again = session_of_text(session_text(session))
            assert session_text(again) == session_text(session)
            assert again.offers() == session.offers()
            found.add(session.step)
        if session.step is UiStep.SHUFFLE:
            session.shuffle()
        elif session.step is UiStep.DEAL and session.free_on("noir") is None:
            session.add("noir")
        elif session.step is UiStep.DEAL:
            session.turn()
        elif session.step is UiStep.CARD:
            session.deal()
        else:
            go_on(session)


def test_a_session_of_the_systems_generator_is_kept_without_a_seed() -> None:
    """There is no seed to keep; the order of the open shoe is in the table."""
    session = sit("france-2007")
    session.shuffler = SystemShuffler()
    session.shuffle()
    again = session_of_text(session_text(session))
    assert isinstance(again.shuffler, SystemShuffler)
    assert again.state.shoe == session.state.shoe


def test_a_file_holds_the_session_after_each_action(tmp_path: Path) -> None:
    """What is read is what was kept last; bets alone are kept when the player leaves."""
    with SaveFile(tmp_path / "session.json") as save:
        assert save.read() is None
        session = ready("france-2007")
        session.keeper = save.write
        session.deal()
        after = session_text(session)
        session.add("rouge")
        read = save.read()
        assert read
        assert session_text(read) == after
        session.keep()
        read = save.read()
        assert read
        assert session_text(read) == session_text(session)


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EACCES])
def test_a_full_disk_leaves_the_file_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    """The sentence says why and what to do, nothing is left beside the file, no coup is dealt."""
    file = tmp_path / "session.json"
    with SaveFile(file) as save:
        session = ready("france-2007")
        session.keeper = save.write
        session.keep()
        before, text = session.state, file.read_text("utf-8")

        def fails(_handle: int) -> None:
            raise OSError(number, os.strerror(number))

        with monkeypatch.context() as patch:
            patch.setattr(os, "fsync", fails)
            with pytest.raises(RecordError, match=os.strerror(number)) as raised:
                session.deal()
        assert raised.value.code == "file-unwritable"
        assert "the coup is not dealt" in raised.value.hint
        assert file.read_text("utf-8") == text
        assert not list(tmp_path.glob("*.new"))
        assert session.state == before
        session.deal()
        assert file.read_text("utf-8") != text


def test_a_folder_that_cannot_be_written_to_is_told(tmp_path: Path) -> None:
    """The file is held before the first card: a folder that is none is told at once."""
    with (
        pytest.raises(RecordError, match="cannot be written"),
        SaveFile(tmp_path / "no" / "s.json"),
    ):
        pass


def test_two_sessions_do_not_share_a_file(tmp_path: Path) -> None:
    """The second is told so; when the first has left, the file is free."""
    with (
        SaveFile(tmp_path / "s.json"),
        pytest.raises(RecordError, match="in use by another session"),
        SaveFile(tmp_path / "s.json"),
    ):
        pass
    with SaveFile(tmp_path / "s.json") as save:
        assert save.read() is None
    assert list(tmp_path.iterdir()) == []


SAVED: Final[dict[str, Any]] = json.loads(session_text(ready("france-2007")))


def damaged(**changes: Any) -> str:
    """Return a saved session with some keys changed."""
    return json.dumps({**SAVED, **changes})


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "not-json"),
        ("[" * 100_000, "not-json"),
        ("[]", "bad-session"),
        ("{}", "bad-session"),
        (damaged(trente_play=2), "unknown-schema"),
        (damaged(bankroll="1000"), "bad-session"),
        (damaged(bankroll=None), "bad-session"),
        (damaged(insure=[[]]), "bad-session"),
        (damaged(chip=True), "bad-session"),
        (damaged(chip=-5), "bad-session"),
        (damaged(shuffler={"seed": "zz"}), "bad-session"),
        (damaged(shuffler={"seed": "00", "stream": 0, "position": "x"}), "bad-session"),
        (damaged(statistics={"tailles": "x"}), "bad-session"),
        (damaged(table={}), "unknown-schema"),
    ],
)
def test_a_damaged_file_is_a_sentence(text: str, code: str) -> None:
    """Whatever the file holds, it is told in one error with a code."""
    with pytest.raises(RecordError) as raised:
        session_of_text(text)
    assert raised.value.code == code


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"more": 1}, "session.more: unknown key 'more'"),
        ({"chip": True}, "session.chip: expected a whole number, got true"),
        ({"insure": [[1]]}, "session.insure[1]: expected a text, got the list [1]"),
        (
            {"shuffler": {"seed": "ab", "stream": 0}},
            "session.shuffler.position: 'position' is missing",
        ),
        ({"coups": {"won": "x"}}, "session.coups.won: expected a whole number, got the text 'x'"),
    ],
)
def test_what_is_wrong_in_a_saved_session_is_named(changed: dict[str, Any], said: str) -> None:
    """S4: with its place, as in every other file; nothing is left out or guessed."""
    with pytest.raises(RecordError) as raised:
        session_of_text(damaged(**changed))
    assert (raised.value.code, raised.value.message) == ("bad-session", said)


STREAM: Final = {"seed": SEED, "stream": 0, "position": 0}
PLAYED: Final = {"player": "player", "won": 1, "lost": 1, "neither": 0, "staked": 20, "net": -5}


def counted(**changes: Any) -> dict[str, Any]:
    """Return a change of a saved session: statistics with some keys changed."""
    return {"statistics": SAVED["statistics"] | changes}


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        (counted(coups=-1), "statistics.coups: -1 is out of range (it is 0 or more)"),
        (counted(tailles=-1), "statistics.tailles: -1 is out of range (it is 0 or more)"),
        (counted(wins=[["noir", -3]]), "statistics.wins[1][2]: -3 is out of range"),
        (counted(wins=[["noir", 1], ["x", 3]]), "statistics.wins[2]: france-2007 has no chance"),
        (counted(points=[-1] + 99 * [0]), "statistics.points[1]: -1 is out of range"),
        (counted(points=[1, 2]), "statistics.points: 2 numbers instead of 100"),
        (counted(players=[PLAYED | {"won": -1}]), "statistics.players[1].won: -1 is out of range"),
        (
            counted(players=[PLAYED | {"player": "ann"}]),
            "statistics.players[1]: 'ann' is one player too many (a session has one player",
        ),
        (counted(players=2 * [PLAYED]), "statistics.players[2]: 'player' is one player too many"),
        (counted(shoe={"packs": -6}), "statistics.shoe.packs: -6 is out of range"),
        (counted(shoe={"packs": 6}), "statistics.shoe.cards_out: 'cards_out' is missing"),
        (counted(a=1), "statistics.a: unknown key 'a'"),
        ({"statistics": {}}, "statistics.tailles: 'tailles' is missing"),
        ({"statistics": []}, "statistics: expected a table, got the list []"),
        ({"coups": {"won": -1, "lost": 0, "even": 0}}, "coups.won: -1 is out of range"),
        ({"coups": {"won": 1, "even": 0}}, "coups.lost: 'lost' is missing"),
        ({"insure": ["x"]}, "insure[1]: france-2007 has no chance 'x' (chances are rouge, noir"),
        ({"began": "not a date \x1b[31m"}, "began: expected the name of a house, got the text"),
        ({"bankroll": -5}, f"bankroll: -5 is out of range (it is 0 to {10**27})"),
        ({"bankroll": 10**30}, f"bankroll: {10**30} is out of range (it is 0 to {10**27})"),
        ({"chip": 0}, "chip: 0 is not a chip of this table (its chips are 100, 200, 500"),
        ({"shuffler": []}, "shuffler: expected a table, got the list []"),
        ({"shuffler": STREAM | {"x": 1}}, "shuffler.x: unknown key 'x'"),
        ({"shuffler": STREAM | {"position": -1}}, "shuffler.position: -1 is out of range"),
        ({"shuffler": STREAM | {"stream": 2**63}}, f"shuffler.stream: {2**63} is out of range"),
        ({"shuffler": STREAM | {"seed": "zz"}}, "shuffler.seed: character 1 of the seed is not"),
        ({"shuffler": STREAM | {"seed": ""}}, "shuffler.seed: a seed of 0 bytes"),
        ({"table": []}, "table: expected a table, got the list []"),
        ({"table": {}}, "table: a snapshot without a schema (schemas are 1 to"),
    ],
)
def test_an_impossible_value_is_refused_with_its_place(changed: dict[str, Any], said: str) -> None:
    """What no player can have reached: no count is below zero, and no chance is invented."""
    with pytest.raises(RecordError) as raised:
        session_of_text(damaged(**changed))
    assert str(raised.value).startswith(f"session.{said}")
    assert said.startswith(raised.value.place.removeprefix("session."))
    assert "\x1b" not in str(raised.value)


def test_a_sealed_shuffler_that_is_wrong_has_its_place() -> None:
    """What was sealed is read as strictly as what was not."""
    key, session = CardSeal(bytes(32)), ready("france-2007")
    saved = json.loads(session_text(session, key))
    place = about(session.state.setup.session, "shuffler", session.state.events)
    for sealed, said in (
        (STREAM | {"position": -1}, "session.shuffler.position: -1 is out of range"),
        ([], "session.shuffler: expected a table, got the list []"),
    ):
        saved["shuffler"] = {KEY: key.close(json.dumps(sealed), place)}
        with pytest.raises(RecordError) as raised:
            session_of_text(json.dumps(saved), key)
        assert raised.value.code == "bad-session"
        assert raised.value.message == said


def test_insurance_that_the_house_does_not_give_is_refused() -> None:
    """A chance is insured where the house insures it, in a file as at the table."""
    for house, chance, said in (
        ("hoyle-19c", "rouge", "hoyle-19c does not insure rouge"),
        ("venezia-online", "any-apres", "venezia-online does not insure any-apres"),
    ):
        saved = json.loads(session_text(ready(house)))
        with pytest.raises(RecordError) as raised:
            session_of_text(json.dumps({**saved, "insure": [chance]}))
        assert (raised.value.code, raised.value.place) == ("bad-session", "session.insure[1]")
        assert raised.value.message == f"session.insure[1]: {said}"


def test_no_more_is_lost_than_the_player_had() -> None:
    """A purse is never below zero: a bankroll covers what its player lost, and has on the table."""
    session = ready("france-2007")
    session.add("rouge")
    staked = session.at_stake
    session.bankroll = staked
    assert session_of_text(session_text(session)).purse == 0
    session.bankroll -= 1
    with pytest.raises(RecordError) as raised:
        session_of_text(session_text(session))
    said = f"{staked - 1} does not cover what was lost and staked (it is {staked} or more)"
    assert (raised.value.code, raised.value.place) == ("bad-session", "session.bankroll")
    assert str(raised.value) == f"session.bankroll: {said}"


def test_the_largest_bankroll_is_saved_and_read() -> None:
    """The richest player that a house of the smallest unit can have; one richer cannot sit down."""
    house = loads_house(
        '[house]\nname = "dust"\nextends = "france-2007"\n[money]\nunit = "0.000000001"\n'
    )
    opening, shuffler = opening_of(house), SystemShuffler()
    largest = house.money.units(Amount.parse(10**18))
    session = PlaySession.begin(house, opening, largest, shuffler)
    assert session_of_text(session_text(session)).purse == largest
    with pytest.raises(BetError, match="come with less") as raised:
        PlaySession.begin(house, opening, largest + 1, shuffler)
    assert raised.value.code == "too-much"


def test_an_id_of_another_command_is_refused() -> None:
    """Found by fuzzing: the next command had the id of one that was done, and play never ended."""
    saved = json.loads(session_text(ready("france-2007")))
    last = saved["table"]["entries"][-1]
    last["command"]["id"] = str(last["sequence"] + 1)
    with pytest.raises(RecordError) as raised:
        session_of_text(json.dumps(saved))
    assert raised.value.code == "bad-session"
    assert f"command {last['sequence']} has the id '{last['sequence'] + 1}'" in str(raised.value)


def test_a_damaged_file_is_named_and_what_to_do_is_told(tmp_path: Path) -> None:
    """The player sees which file it is, and how to go on."""
    file = tmp_path / "s.json"
    file.write_text("{")
    with SaveFile(file) as save, pytest.raises(RecordError, match=r"s\.json.*not JSON") as raised:
        save.read()
    assert "--save" in raised.value.hint


def test_a_file_that_is_no_text_is_a_sentence(tmp_path: Path) -> None:
    """Bytes that are no UTF-8 are told with their place."""
    file = tmp_path / "s.json"
    file.write_bytes(b'{"a": "\xff"}')
    with SaveFile(file) as save, pytest.raises(RecordError, match="not UTF-8: byte 7"):
        save.read()


def test_a_name_that_no_file_can_have_is_refused() -> None:
    """A name with a null character is unwritable, and no error of Python's own."""
    with pytest.raises(RecordError) as raised, SaveFile("a\0b"):
        pass
    assert raised.value.code == "file-unwritable"


def test_a_sealed_save_shows_neither_cards_nor_seed(tmp_path: Path) -> None:
    """T9a: with the key it resumes as it was; without, and with another one, it is refused."""
    session = ready("france-2007")
    file, key = tmp_path / "s.json", CardSeal(bytes(32))
    with SaveFile(file) as save:
        save.write(session)
        assert SEED in file.read_text("utf-8")
    with SaveFile(file, key) as save:  # a key is taken on with the next action
        read = save.read()
        assert read
        save.write(read)
        text = file.read_text("utf-8")
        shoe = read.state.shoe
        assert isinstance(shoe, Shoe)
        assert not found(text.encode(), shoe.cards)
        assert SEED not in text
        assert '"seed"' not in text
        read = save.read()
        assert read
        assert session_text(read) == session_text(session)
    for other, code in ((None, "session-sealed"), (CardSeal(bytes(31) + b"1"), "wrong-key")):
        with SaveFile(file, other) as save, pytest.raises(RecordError) as raised:
            save.read()
        assert raised.value.code == code
    with SaveFile(file, key) as save:
        file.write_text(text.replace(session.state.setup.session, "another"))
        with pytest.raises(RecordError) as moved:
            save.read()
        assert moved.value.code == "seal-broken"
