"""Commands on a sealed journal: with its key, without, and with a different one."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.cli.calling import Terminal, trente
from tests.table.test_sealed import OTHER, SEAL, Play

from trente_rules.records.files import load_record
from trente_rules.table import EndShoe, SqliteJournal, recover

pytestmark = pytest.mark.slow
KEY_FILE = "TRENTE_RULES_KEY_FILE"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with a sealed journal, a plain one that is equal to it, and two keys."""
    for name, key in (("key", SEAL), ("other", OTHER)):
        (tmp_path / name).write_text(f"{key.key.hex()}\n")
        (tmp_path / name).chmod(0o600)
    for name, seal in (("sealed", SEAL), ("plain", None)):
        with SqliteJournal(tmp_path / name, seal=seal) as journal:
            play = Play("hoyle-19c", journal)
            for _ in range(20):
                play.step()
            play.finish()
            play.do(EndShoe)
            for _ in range(20):
                play.step()
    return tmp_path


def test_with_the_key_each_command_prints_what_it_prints_of_a_plain_journal(folder: Path) -> None:
    """T9a: history with the table now, records with their order, replays dealt from it."""
    for command in ("history", "monitor", "replay", "record"):
        plain = trente(command, folder / "plain", "--format", "json")
        ran = trente(command, folder / "sealed", "--format", "json", "--key-file", folder / "key")
        assert (ran.status, ran.err) == (plain.status, plain.err) == (0, "")
        names = (str(folder / "sealed"), str(folder / "plain"))
        said = ran.out.replace(*names)
        if command in ("history", "monitor"):  # the head is over other bytes
            said, plain_said = (_without_heads(each) for each in (said, plain.out))
            assert said == plain_said
        else:
            assert said == plain.out


def _without_heads(text: str) -> str:
    return "\n".join(
        line for line in text.splitlines() if "head" not in line and "plain" not in line
    )


def test_without_the_key_each_command_works_on_what_was_dealt(folder: Path) -> None:
    """T9a: the order is left out of records, and that is said; nothing else is missing."""
    sealed = folder / "sealed"
    ran = trente("verify", sealed)
    assert ran.status == 0
    assert "chain: holds" in ran.out
    assert f"cards: not checked: the cards to come are sealed with the key {SEAL.key_id}" in ran.out
    ran = trente("verify", folder / "plain")
    assert "cards: not checked: the journal is not sealed" in ran.out
    ran = trente("verify", sealed, "--key-file", folder / "key")
    assert f"cards: holds: the cards to come are sealed with the key {SEAL.key_id}" in ran.out
    ran = trente("history", sealed, "--format", "json")
    plain = trente("history", folder / "plain", "--format", "json")
    assert (ran.status, ran.json["now"]) == (0, plain.json["now"])
    assert ran.json["coups"] == plain.json["coups"]
    assert trente("monitor", sealed).status == 0
    ran = trente("replay", sealed)
    assert (ran.status, ran.out.count(": equal")) == (0, 2)
    assert "the order is sealed" in ran.out
    ran = trente("record", sealed, "--shoe", "1", "--out", folder / "r.toml")
    assert (ran.status, "give --key-file" in ran.err) == (0, True)
    record = load_record(folder / "r.toml")
    assert (record.shoe.order, record.shoe.order_sealed) == ((), True)
    ran = trente("replay", folder / "r.toml")
    assert (ran.status, "the order is sealed" in ran.out) == (0, True)
    assert trente("verify", folder / "r.toml").status == 0
    whole = trente("record", sealed, "--shoe", "1", "--key-file", folder / "key").out
    assert whole == trente("record", folder / "plain", "--shoe", "1").out
    assert "order_sealed" not in whole


def test_a_key_file_is_named_by_the_environment_too(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """T9a: a wrong key is a sentence; one that others may read is warned of."""
    ran = trente("verify", folder / "sealed", "--key-file", folder / "other")
    assert ran.status == 2
    assert f"sealed with the key '{SEAL.key_id}'" in ran.err
    monkeypatch.setenv(KEY_FILE, f"{folder / 'other'}:{folder / 'key'}")
    ran = trente("verify", folder / "sealed")
    assert (ran.status, "open with it" in ran.out, ran.err) == (0, True, "")
    (folder / "key").chmod(0o640)
    ran = trente("verify", folder / "sealed")
    assert "may be read by others" in ran.err
    monkeypatch.delenv(KEY_FILE)
    (folder / "bad").write_text("not a key")
    for name, code in (("bad", "does not hold a key"), ("none", "there is no such file")):
        ran = trente("verify", folder / "sealed", "--key-file", folder / name)
        assert (ran.status, code in ran.err) == (2, True)
        assert "Traceback" not in ran.err


def test_a_player_may_seal_the_saved_session(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """T9a: it is written with the key, and resumed with it alone."""
    pytest.importorskip("textual")
    monkeypatch.setattr("sys.stdin", Terminal())
    monkeypatch.setattr("trente_rules.cli.play._play", lambda *_arguments: None)
    save, key = folder / "save.json", ("--key-file", folder / "key")
    seed = "5e" * 16
    for arguments in (("hoyle-19c", "--seed", seed), ()):
        ran = trente("play", *arguments, "--save", save, *key)
        assert (ran.status, ran.err) == (0, "")
        assert '"shuffler":{"sealed":' in save.read_text("utf-8")
        assert seed not in save.read_text("utf-8")
    ran = trente("play", "--save", save)
    assert ran.status == 1
    assert "--key-file" in ran.err


def test_a_sealed_journal_is_migrated_without_its_key(folder: Path) -> None:
    """T9a: it is checked by what a reader without the key sees."""
    ran = trente("migrate", folder / "sealed", folder / "new")
    assert (ran.status, "recovered: shoe 2" in ran.out) == (0, True)
    with SqliteJournal(folder / "new", seal=SEAL, read_only=True) as journal:
        assert recover(journal).state.shoe_number == 2
