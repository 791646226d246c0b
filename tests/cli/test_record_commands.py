"""``trente record``, ``replay`` and ``verify``: forms, differences, exit statuses."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from tests.cli.calling import trente
from tests.whole_units import whole_house

from trente_rules import Table, load_house
from trente_rules.fair import FairShoe
from trente_rules.records import load_record, loads_record, record_of, write_record
from trente_rules.table import (
    CloseBets,
    Cut,
    Deal,
    EndShoe,
    OpenBets,
    OpenShoe,
    Place,
    PlaceMarker,
    Settle,
)
from trente_rules.table.journal_sqlite import SqliteJournal
from trente_rules.testing import coup_with, opening_of, stacked_shoe

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "taille.toml"
PERMANENCE = ROOT / "examples" / "permanence.txt"


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    """Play two shoes on a journal; a prisoner goes from the one to the other."""
    path = tmp_path / "table.journal"
    house = whole_house("france-2007")
    with SqliteJournal(path) as kept:
        table = Table(house, name="salon", opening=opening_of(house), journal=kept)
        number = 0
        for points in ((31, 31), (40, 31)):
            shoe = stacked_shoe([coup_with(*points)], 6).cards
            for kind, fields in (
                (OpenShoe, {"cards": shoe}),
                (Cut, {}),
                (PlaceMarker, {}),
                (OpenBets, {}),
                (Place, {"player": "ann", "chance": "rouge", "amount": 50}),
                (CloseBets, {}),
                (Deal, {}),
                (Settle, {}),
                (EndShoe, {}),
            ):
                number += 1
                named = {"stake": f"s{number}"} if kind is Place else {}
                table.do(kind(id=f"c{number}", **fields, **named))  # type: ignore[arg-type]
    return path


def changed(tmp_path: Path, old: str, new: str) -> Path:
    """Return a copy of the example in which a text is another."""
    text = EXAMPLE.read_text("utf-8")
    assert old in text
    path = tmp_path / "changed.toml"
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    return path


def test_a_record_is_written_as_it_was() -> None:
    """As TOML it is the same text."""
    ran = trente("record", EXAMPLE)
    assert (ran.status, ran.err) == (0, "")
    assert ran.out == EXAMPLE.read_text("utf-8")


def test_a_record_as_json_and_compact(tmp_path: Path) -> None:
    """JSON has the keys of the file; compact is read again; --out replaces a file whole."""
    told = trente("record", EXAMPLE, "--format", "json").json
    assert told["records"][0]["coups"][0]["stakes"][0]["won"] == 10_000
    assert told["permanences"] == []
    out = tmp_path / "p.txt"
    ran = trente("record", EXAMPLE, PERMANENCE, "--format", "compact", "--out", out)
    assert (ran.status, ran.out) == (0, "")
    both = trente("record", out, "--format", "json", "--house", "monte-carlo-1911").json
    (noted,) = both["permanences"]
    assert [len(taille) for taille in noted["tailles"]] == [5, 5, 2]
    assert noted["house"] == "monte-carlo-1911"
    coup = noted["tailles"][1][0]
    assert (coup["points"], coup["colour"], coup["second_colour"]) == ([38, 36], "rouge", None)
    assert coup["verdicts"]["couleur"] == "win"
    again = tmp_path / "r.toml"
    again.write_text("earlier", "utf-8")
    assert trente("record", EXAMPLE, "--out", again).status == 0
    assert again.read_text("utf-8") == EXAMPLE.read_text("utf-8")
    assert trente("record", again, "--out", again).status == 2
    listed = trente("record", EXAMPLE, PERMANENCE, "--format", "text").out.splitlines()
    assert listed[0].split()[:6] == ["file", "taille", "coup", "first", "second", "points"]
    assert "38 36" in listed[1]
    json_file = tmp_path / "r.json"
    assert trente("record", EXAMPLE, "--format", "json", "--out", json_file).status == 0
    assert json.loads(json_file.read_text("utf-8"))["records"] == told["records"]


def test_a_permanence_without_a_house_has_no_verdicts(tmp_path: Path) -> None:
    """Points are what they are; who wins is for a house to say."""
    path = tmp_path / "p.txt"
    path.write_text("33 31 r\n", encoding="utf-8")
    (noted,) = trente("record", path, "--format", "json").json["permanences"]
    assert noted["house"] is None
    assert "verdicts" not in noted["tailles"][0][0]


def test_a_time_of_the_user_is_a_text_in_json(tmp_path: Path) -> None:
    """TOML has dates and times; JSON has texts."""
    path = changed(tmp_path, "_note = ", "_when = [2026-03-14, 22:00:00]\n_note = ")
    (record,) = trente("record", path, "--format", "json").json["records"]
    assert record["_when"] == ["2026-03-14", "22:00:00"]


def test_a_journal_gives_the_record_of_each_shoe(journal: Path) -> None:
    """The last one, or the one of --shoe; all of them as JSON or compact."""
    second = loads_record(trente("record", journal).out)
    assert (second.shoe.number, second.table.name) == (2, "salon")
    assert [prisoner.state for prisoner in second.prisoners] == ["prison"]
    first = loads_record(trente("record", journal, "--shoe", "1").out)
    assert [stake.after for stake in first.coups[0].stakes] == ["prison"]
    assert len(trente("record", journal, "--format", "json").json["records"]) == 2
    compact = trente("record", journal, "--format", "compact").out
    assert compact == "house = france-2007\n\n31 31 n n\n--\n40 31 n n\n"
    ran = trente("replay", journal, "--format", "json")
    assert ran.status == 0
    assert [(told["shoe"], told["equal"]) for told in ran.json["replays"]] == [(1, True), (2, True)]


def test_what_cannot_be_read_leaves_with_2(tmp_path: Path, journal: Path) -> None:
    """Misuse, missing files, permanences where cards are needed: a sentence, no traceback."""
    bad = changed(tmp_path, "packs = 6", "packs = 0")
    other = tmp_path / "other.toml"
    other.write_text(EXAMPLE.read_text("utf-8").replace('sha256 = "7', 'sha256 = "8'), "utf-8")
    empty = tmp_path / "empty.journal"
    with closing(sqlite3.connect(empty)) as connection:
        connection.execute("CREATE TABLE t (x)")
        connection.commit()
    for words, part in (
        (("record", PERMANENCE), "it holds no cards"),
        (("record", EXAMPLE, other), "2 tailles cannot be written as one record"),
        (("record", EXAMPLE, "--shoe", "9"), "holds no shoe 9"),
        (("record", bad), "shoe.packs: 0 is out of range"),
        (("record", tmp_path / "none"), "no such file"),
        (("record", tmp_path), "directory"),
        (("record", EXAMPLE, "--house", "campione"), "--house has an effect only"),
        (("record", PERMANENCE, "--format", "json", "--house", "nowhere"), "nowhere"),
        (("record", empty), "empty.journal"),
        (("replay", PERMANENCE), "it holds no cards"),
        (("replay", bad), "shoe.packs"),
        (("replay", EXAMPLE, "--house", "nowhere"), "nowhere"),
        (("verify", PERMANENCE), "it holds no cards"),
        (("verify", bad), "shoe.packs"),
        (("verify", EXAMPLE, "--reveal", tmp_path / "none"), "cannot be read"),
        (("verify", EXAMPLE, "--reveal", EXAMPLE), "not JSON"),
        (("verify", journal, "--reveal", EXAMPLE), "--reveal is for a record"),
    ):
        ran = trente(*words)
        assert ran.status == 2, words
        assert part in ran.err, (words, ran.err)
        assert "Traceback" not in ran.err


def test_replay_names_what_differs(tmp_path: Path) -> None:
    """Coup, stake, field, recorded, computed; exit status 1, and 2 where a file is none."""
    path = changed(
        tmp_path, "returned = 7000, forfeited = 7000", "returned = 7001, forfeited = 6999"
    )
    ran = trente("replay", EXAMPLE, path)
    assert ran.status == 1
    assert f"{EXAMPLE}: shoe 1, 6 coups, 12 stakes: equal" in ran.out
    assert f"{path}: shoe 1, 6 coups, 12 stakes: 2 differences" in ran.out
    assert ran.out.startswith("2 tailles dealt and settled again: 1 with differences.\n")
    for words in (
        "coup 3, stake a3, returned: recorded 7001, computed 7000",
        "coup 3, stake a3, forfeited: recorded 6999, computed 7000",
    ):
        assert f"- {words}\n" in ran.out
    ran = trente("replay", path, tmp_path / "none.toml", "--format", "json")
    assert ran.status == 2
    first, second = ran.json["replays"]
    assert first["differences"][0] == {
        "coup": 3,
        "stake": "a3",
        "field": "returned",
        "recorded": "7001",
        "computed": "7000",
    }
    assert second["error"] == "file-missing"


def test_replay_under_another_house_tells_both_fingerprints() -> None:
    """What other rules would have changed, the shoe handled as it was."""
    ran = trente("replay", EXAMPLE, "--house", "monte-carlo-1911")
    assert ran.status == 1
    for name in ("france-2007", "monte-carlo-1911"):
        assert load_house(name).fingerprint in ran.out
    ran = trente("replay", EXAMPLE, "--house", "france-2007", "--format", "json")
    assert ran.status == 0
    assert ran.json["replays"][0]["notes"] == []


def test_unknown_fields_are_told_on_the_standard_error(tmp_path: Path) -> None:
    """A warning, and the work is done."""
    path = changed(tmp_path, "_note = ", "note = ")
    for command in ("record", "replay", "verify"):
        ran = trente(command, path)
        assert ran.status == (3 if command == "verify" else 0)
        assert ran.err == "warning: note is unknown and passed over\n"


def test_verify_says_what_does_not_hold(tmp_path: Path) -> None:
    """An altered card: the seal, the order of the shuffle. Exit status 1."""
    digest = load_record(EXAMPLE).provenance
    assert digest is not None
    ran = trente("verify", EXAMPLE, "--commitment", digest.commitment)
    assert ran.status == 3
    assert ran.out.startswith("Holds as far as the record shows: the house may have chosen cut")
    path = changed(tmp_path, '"10♠ 9♥ A♦', '"9♥ 10♠ A♦')
    ran = trente("verify", path, "--format", "json")
    assert ran.status == 1
    assert ran.json["holds"] is False
    broken = [check["what"] for check in ran.json["checks"] if check["holds"] is False]
    assert broken == ["sha256", "order"]


def test_verify_takes_the_seed_from_what_was_revealed(tmp_path: Path) -> None:
    """The record of a fair shoe, and the reveal that came when it was retired."""
    table = Table(load_house("monte-carlo-1911"))
    fair = FairShoe.seal(7, table.house, bytes(range(32))).shuffle(["ann"])
    table.do(fair.open_shoe("1"))
    record = record_of(table)
    assert record.provenance == fair.provenance()
    path = tmp_path / "fair.toml"
    write_record(record, path)
    ran = trente("verify", path)
    assert ran.status == 3
    assert "commitment: not checked: the server seed is not revealed yet" in ran.out
    reveal = tmp_path / "reveal.json"
    reveal.write_text(json.dumps(fair.retire().reveal().to_json()), encoding="utf-8")
    ran = trente("verify", path, "--reveal", reveal)
    assert (ran.status, "commitment: holds" in ran.out) == (3, True)
    assert ran.out.startswith("Holds as far as the record shows: its commitment is not compared ")
    assert f"published: not checked: compare {fair.commitment.digest} with" in ran.out
    mine = ("--commitment", fair.commitment.digest, "--client", "ann", "--nonce", "7")
    ran = trente("verify", path, "--reveal", reveal, *mine, "--seeds", fair.seeds_digest)
    assert (ran.status, "not compared" in ran.out) == (0, False)
    for wrong in ("--client", "bob"), ("--nonce", "8"), ("--beacon", "x"):
        assert trente("verify", path, *mine, *wrong).status == 1
    for invalid in ("--commitment", ""), ("--seeds", "12"), ("--nonce", "-1"):
        assert trente("verify", path, *invalid).status == 2
    other = FairShoe.seal(7, table.house, bytes(32)).shuffle(["ann"]).retire().reveal().to_json()
    reveal.write_text(json.dumps(other), encoding="utf-8")
    ran = trente("verify", path, "--reveal", reveal)
    assert (ran.status, "commitment: does not hold" in ran.out) == (1, True)


def test_verify_checks_the_chain_of_a_journal(journal: Path) -> None:
    """A row that was changed breaks the chain."""
    ran = trente("verify", journal)
    assert ran.status == 0
    assert ran.out.startswith("Holds as far as the journal shows: ")
    assert "\nchain: holds: 18 commands" in ran.out
    with closing(sqlite3.connect(journal)) as connection:
        connection.execute("UPDATE commands SET events = replace(events, '50', '60')")
        connection.commit()
    ran = trente("verify", journal)
    assert ran.status == 1
    assert ran.out.startswith("Not proven: chain: ")
    assert "\nchain: does not hold: " in ran.out
