"""The history of a table: the last game and nine before it, with every step (AGCO 13.1.1)."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from itertools import accumulate
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve
from tests.cli.calling import Terminal, trente
from tests.table.driving import Driver
from tests.table.ten_players import dice_of, following
from tests.whole_units import whole_house

from trente_rules import Card, Table, parse_cards
from trente_rules.table import (
    CloseBets,
    CloseSession,
    Correct,
    EndShoe,
    MemoryJournal,
    OpenBets,
    Place,
    Retract,
    Settle,
    SqliteJournal,
    Turn,
    VoidCoup,
)
from trente_rules.table.history import coup_to_json, history
from trente_rules.testing import opening_of

REFAIT = (31, 31)
ROUGE_WINS = (40, 31)
NOIR_WINS = (31, 40)
HOUSE = whole_house("france-2007")


class Kept(Driver):
    """A driver whose table has a journal."""

    def __init__(self, name: str = "france-2007", journal: Any = None) -> None:
        """Set the table up."""
        super().__init__(name)
        self.journal: Any = journal or MemoryJournal()
        self.table = Table(self.house, opening=opening_of(self.house), journal=self.journal)

    def told(self) -> list[dict[str, Any]]:
        """Return the history as JSON."""
        return [coup_to_json(coup) for coup in history(self.journal.entries())]


def test_a_prisoner_is_told_before_and_after() -> None:
    """A stake goes to prison in one coup and is freed in the next: states, sums, totals."""
    table = Kept()
    table.shoe(REFAIT, NOIR_WINS)
    table.bet(("ann", "rouge", 100), ("bob", "noir", 101))
    table.deal()
    table.do(Settle, at="21:04")
    table.do(OpenBets, at="21:05")
    table.do(CloseBets, at="21:06")
    table.deal_only()
    table.do(Settle)
    first, second = table.told()
    assert [first["status"], second["status"]] == ["settled", "settled"]
    assert first["outcome"]["at"] == "21:04"
    assert (second["opened_at"], second["closed_at"]) == ("21:05", "21:06")
    before = {line["player"]: line for line in first["outcome"]["stakes"]}
    ann, bob = before["ann"], before["bob"]
    assert (ann["state_before"], ann["verdict"], ann["state_after"]) == ("free", "refait", "prison")
    assert (ann["premium"], ann["insured"], ann["staying"]) == (0, False, 100)
    after = {line["id"]: line for line in second["outcome"]["stakes"]}
    assert after[ann["id"]]["state_before"] == "prison"
    assert (after[ann["id"]]["returned"], after[ann["id"]]["forfeited"]) == (0, 100)
    freed = after[bob["id"]]
    assert (freed["state_after"], freed["returned"], freed["won"]) == (None, 101, 0)


def test_every_card_has_its_row_its_total_and_its_place() -> None:
    """Cards of both rows, in order, with what the row counts and their place in the shoe."""
    table = Kept()
    table.shoe(ROUGE_WINS, NOIR_WINS)
    for _ in range(2):
        table.bet(("ann", "rouge", 100))
        table.deal()
        table.do(Settle)
    for coup in table.told():
        for row in (coup["first"], coup["second"]):
            points = [Card.parse(each["card"]).points for each in row["cards"]]
            assert [each["total"] for each in row["cards"]] == list(accumulate(points))
            assert sum(points) == row["point"]
    rows = (coup[row] for coup in table.told() for row in ("first", "second"))
    places = [each["place"] for row in rows for each in row["cards"]]
    assert places == list(range(1, len(places) + 1))
    assert table.told()[0]["verdicts"]["rouge"] == "win"


def test_a_coup_that_is_open_is_the_last_game() -> None:
    """A game that is not over is told as far as it is."""
    table = Kept()
    table.shoe(ROUGE_WINS)
    table.bet(("ann", "rouge", 100))
    for status, do in (
        ("betting", lambda: table.do(CloseBets)),
        ("closed", table.deal_only),
        ("dealt", lambda: table.do(Settle)),
        ("settled", lambda: None),
    ):
        (coup,) = table.told()
        assert coup["status"] == status
        assert (coup["outcome"] is None) is (status != "settled")
        do()


def test_a_correction_tells_both_settlements_and_the_reason() -> None:
    """N.J.A.C. 13:69E-1.28P: what was taken back stays to be seen."""
    table = Kept()
    table.shoe(REFAIT)
    table.bet(("ann", "rouge", 100))
    table.deal()
    table.do(Settle)
    table.do(Correct, reason="she chose to share", choices=(("ann-rouge", "partage"),))
    (coup,) = table.told()
    (taken,) = coup["taken_back"]
    assert taken["taken_back"] == "she chose to share"
    assert taken["stakes"][0]["course"] == "prison"
    assert coup["outcome"]["stakes"][0]["course"] == "partage"
    assert coup["outcome"]["stakes"][0]["returned"] == 50
    table.do(Correct, reason="a card too many", void=True)
    (coup,) = table.told()
    assert coup["status"] == "void"
    assert coup["outcome"]["void"] == "a card too many"
    assert len(coup["taken_back"]) == 2


def test_the_stakes_of_a_void_coup_met_no_verdict(tmp_path: Path) -> None:
    """No ordinary tie is told of where nothing was decided."""
    path = tmp_path / "j"
    with SqliteJournal(path) as journal:
        table = Kept(journal=journal)
        table.shoe(ROUGE_WINS)
        table.bet(("ann", "rouge", 100))
        table.do(VoidCoup, reason="a quarrel")
    (line,) = (text for text in trente("history", path).out.splitlines() if "ann-rouge" in text)
    assert line.startswith("ann's 100 EUR on rouge: void, 100 EUR back")
    rows = [*csv.DictReader(io.StringIO(trente("history", path, "--format", "csv").out))]
    assert [(row["verdict"], row["course"], row["back"]) for row in rows] == [("", "void", "100")]


def test_stakes_that_leave_at_the_end_are_told_apart() -> None:
    """Prisoners are settled when the session closes: not by the coup."""
    table = Kept()
    table.shoe(REFAIT)
    table.bet(("ann", "rouge", 100))
    table.deal()
    table.do(Settle)
    table.do(EndShoe)
    table.do(CloseSession)
    (coup,) = table.told()
    assert coup["outcome"]["stakes"][0]["state_after"] == "prison"
    assert [line["id"] for line in coup["outcome"]["closed"]] == ["ann-rouge"]


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the journal of a table that is in the middle of a coup of its second shoe."""
    made = tmp_path_factory.mktemp("history") / "j"
    with SqliteJournal(made) as journal:
        table = Table(HOUSE, name="salle 3", opening=opening_of(HOUSE), journal=journal)
        dice = dice_of(11)
        while table.state.shoe_number < 2 or table.state.coup_number < 4:
            table.do(following(table, dice))
        table.do(following(table, dice))
    return made


def test_the_command_tells_the_last_ten_coups(path: Path) -> None:
    """Ten by default, over the edge of a shoe; every index once and in order."""
    told = trente("history", path, "--format", "json").json
    assert [(coup["shoe"], coup["coup"]) for coup in told["coups"]][-4:] == [
        (2, number) for number in range(1, 5)
    ]
    assert len(told["coups"]) == 10
    assert told["fingerprint"] == HOUSE.fingerprint
    assert told["now"]["balance"] == 0
    indices = [step["index"] for coup in told["coups"] for step in coup["steps"]]
    assert indices == sorted(set(indices))
    for coup in told["coups"]:
        numbers = [step["index"] for step in coup["steps"]]
        assert numbers == list(range(numbers[0], numbers[-1] + 1))


def test_what_the_command_tells_adds_up(path: Path) -> None:
    """For each stake: what stood and the premium went in, and came out, once."""
    told = trente("history", path, "--coups", "1000", "--format", "json").json
    nets: Counter[str] = Counter()
    for coup in told["coups"]:
        outcome = coup["outcome"] or {"stakes": [], "closed": [], "players_net": 0}
        for line in outcome["stakes"]:
            net = line["won"] - line["forfeited"] - line["premium_kept"]
            assert line["premium"] == line["premium_kept"] + line["premium_returned"]
            nets["coup"] += net
            nets[line["player"]] += net
        assert nets.pop("coup", 0) == outcome["players_net"]
        assert outcome["closed"] == []
    on_table: Counter[str] = Counter()
    for stake in told["now"]["stakes"]:
        on_table[stake["player"]] += stake["standing"] + stake["premium"]
    for player, account in told["now"]["accounts"].items():
        assert account == nets[player] - on_table[player]


def test_the_command_prints_tables(path: Path) -> None:
    """For people: cards, stakes, what stands on the table now; the chain is checked on demand."""
    ran = trente("history", path, "--coups", "3", "--check")
    assert ran.status == 0
    assert "table salle 3, house france-2007" in ran.out
    assert "checked, head " in ran.out
    assert ran.out.count("shoe 2, coup ") == 3
    assert "row     cards " in ran.out
    assert "now: betting" in ran.out


@pytest.mark.parametrize("columns", [60, 80, 120, 200])
def test_the_screen_fits_a_terminal(
    path: Path, columns: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """U8: a stake is one line, and no line but a fingerprint is longer than the terminal."""
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setenv("PAGER", "cat")
    out = trente("history", path, "--coups", "3", out=Terminal()).out
    lines = re.sub(r"\x1b\[[0-9;]*m", "", out).splitlines()
    long = [line for line in lines if len(line) > columns]
    assert all(re.search(r"[0-9a-f]{64}", line) for line in long)
    assert len(lines) < 100


def test_the_command_refuses_what_is_no_journal(path: Path, tmp_path: Path) -> None:
    """One sentence, and an exit status of 2, as of every reader; nothing is made."""
    missing = tmp_path / "none"
    ran = trente("history", missing)
    assert (ran.status, missing.exists()) == (2, False)
    assert "there is no journal" in ran.err
    other = tmp_path / "house.toml"
    other.write_text("[house]\n")
    assert "a house, not a journal" in trente("history", other).err
    broken = tmp_path / "broken"
    data = path.read_bytes()
    broken.write_bytes(data.replace(b'"amount":', b'"AMOUNT":'))
    ran = trente("history", broken, "--check")
    assert ran.status == 2
    assert "changed" in ran.err
    for words in (("history", path, "--coups", "9" * 23), ("record", path, "--shoe", "9" * 23)):
        ran = trente(*words)
        assert (ran.status, "is not a whole number" in ran.err) == (2, True)
    for command in ("history", "verify", "monitor"):
        ran = trente(command, path, "--key-file", missing)
        assert (ran.status, "no such file" in ran.err) == (2, True)


def test_a_table_that_cannot_be_recovered_here_is_told_all_the_same(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another version may give other events: what was kept is shown, and why there is no now."""
    monkeypatch.setattr(
        "trente_rules.table.journal.decide", lambda state, _command, _past: (state, (), ())
    )
    told = trente("history", path, "--format", "json").json
    assert told["now"] is None
    assert "command" in told["why"]
    assert len(told["coups"]) == 10
    assert "cannot be shown" in trente("history", path).out


def test_a_journal_without_a_coup_has_an_empty_history(tmp_path: Path) -> None:
    """A table that was only set up."""
    with SqliteJournal(tmp_path / "j") as journal:
        table = Kept(journal=journal)
        assert trente("history", tmp_path / "j", "--format", "json").json["coups"] == []
        table.shoe(ROUGE_WINS)
        table.do(OpenBets)
        table.do(Place, stake="a", player="ann", chance="noir", amount=100)
        assert "coup 1: betting" in trente("history", tmp_path / "j").out


def test_who_took_back_corrected_and_voided_is_in_the_history(tmp_path: Path) -> None:
    """T10: staff, device and more texts of each step, in JSON and on the screen."""
    who: dict[str, Any] = {"staff": "pit-3", "device": "desk 2", "meta": {"ticket": "77"}}
    with SqliteJournal(tmp_path / "who.journal") as journal:
        table = Kept(journal=journal)
        table.live()
        for number in range(2):
            table.bet(("ann", "rouge", 100 + number))
            table.do(CloseBets)
            for text in ["4h", "Td", "Jc", "9s", "8s", "7d", "Qc", "5h"]:
                table.do(Turn, card=Card.parse(text), device="reader")
            table.do(Retract, cards=1, reason="a six", at="21:07", **who)
            table.do(Turn, card=Card.parse("6h"), device="reader")
            if number:
                table.do(VoidCoup, reason="a fight", **who)
            else:
                table.do(Settle)
                table.do(Correct, reason="a claim", staff="pit-4")
        first, second = table.told()
    (back,) = first["retracted"]
    assert {name: back[name] for name in who} == who
    (settled,) = [step for step in first["steps"] if step["kind"] == "coup-corrected"]
    assert (settled["staff"], "device" in settled, "meta" in settled) == ("pit-4", False, False)
    (voided,) = [step for step in second["steps"] if step["kind"] == "coup-voided"]
    assert {name: voided[name] for name in who} == who
    turned = [step for step in first["steps"] if step["kind"] == "card-turned"]
    assert {step["device"] for step in turned} == {"reader"}
    shown = trente("history", str(tmp_path / "who.journal")).out
    assert "cards taken back: 5♥, a six, 21:07, by pit-3, desk 2, ticket: 77" in shown
    assert "corrected: a claim, by pit-4" in shown
    assert "void: a fight, by pit-3, desk 2, ticket: 77" in shown


def test_what_the_correction_of_an_earlier_coup_changed_is_in_the_history(tmp_path: Path) -> None:
    """AGCO 13.1.1: the settlement as it was, and the correction: why, when, by whom; the cards."""
    with SqliteJournal(tmp_path / "line.journal") as journal:
        table = Kept(journal=journal)
        table.live()
        rows = ("Kh Kd Qh Ah 9h Td 8d 5s", "Kc Kd Qh As 9c Td 7d 5c")  # the 32 is really a 31
        for number, row in enumerate(rows):
            table.bet()
            stake = {"player": "bob", "chance": "noir", "amount": 100 + number}
            table.do(Place, stake=f"s{number}", **stake)
            table.do(CloseBets)
            for card in parse_cards(row):
                table.do(Turn, card=card)
            table.do(Settle)
        first = evolve(table.table.state.round, coup=1)
        right = parse_cards("Kh Kd Qh Ah 9h Td 8d 4s")
        table.do(Correct, reason="scan", target=first, cards=right, at="22:10", staff="pit-4")
        corrected, changed = table.told()
    assert [each["taken_back"] for each in corrected["taken_back"]] == ["scan"]
    (was,) = changed["taken_back"]
    assert was["taken_back"] == "correction of shoe 1, coup 1: scan"
    assert [line["id"] for line in was["stakes"]] == ["s1"]
    assert [line["id"] for line in changed["outcome"]["stakes"]] == ["s1", "s0"]
    (step,) = [each for each in changed["steps"] if each["kind"] == "line-corrected"]
    assert step["correction"] == {"shoe": 1, "coup": 1, "reason": "scan"}
    assert (step["at"], step["staff"]) == ("22:10", "pit-4")
    assert not [each for each in corrected["steps"] if "correction" in each]
    shown = trente("history", str(tmp_path / "line.journal")).out
    assert "changed by the correction of shoe 1, coup 1: scan, 22:10, by pit-4" in shown
    cards, read = shown.split("the cards as they are")[1].split("taken back: as they were read")
    assert "second  9♥ 10♦ 8♦ 4♠     31" in cards
    assert "second  9♥ 10♦ 8♦ 5♠     32" in read


def test_a_coup_that_the_correction_of_another_changed_names_it() -> None:
    """Two prisoners of coup 1 have another line in coup 2: one decision, and its reason."""
    table = Kept("italy-prison")
    table.live()
    for cards in ("K♥ K♥ K♥ A♥ K♦ K♦ K♦ A♦", "Q♥ Q♥ Q♥ A♥ Q♦ Q♦ Q♦ 3♦"):
        bets = [("ann", "rouge", 100), ("bob", "rouge", 100)] if cards.startswith("K") else []
        table.bet(*bets)
        table.do(CloseBets)
        for card in parse_cards(cards):
            table.do(Turn, card=card)
        table.do(Settle)
    target = evolve(table.table.state.round, coup=1)
    table.do(Correct, reason="video", void=True, target=target)
    first, second = history(table.journal.entries())
    assert len(second.decisions) == 1
    assert [each.taken_back for each in second.outcomes] == [
        "correction of shoe 1, coup 1: video",
        "",
    ]
    assert [len(each.lines) for each in second.outcomes] == [2, 0]
    assert [each.taken_back for each in first.outcomes] == ["video", ""]


def test_a_step_names_its_command_and_what_was_called() -> None:
    """A step has the id and the time of its command; with words, a call has its text."""
    table = Kept()
    table.shoe(ROUGE_WINS)
    table.do(OpenBets, at="21:05")
    (coup,) = history(table.journal.entries())
    plain = coup_to_json(coup)["steps"]
    assert {step["command"] for step in plain} == {f"c{table.count}"}
    assert {step["at"] for step in plain} == {"21:05"}
    assert all("text" not in step for step in plain)
    called = [step for step in coup_to_json(coup, HOUSE.words)["steps"] if "text" in step]
    assert [step["kind"] for step in called] == ["announced"] * len(called)
    assert [step["text"] for step in called] == ["Messieurs, faites vos jeux"]
