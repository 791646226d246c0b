"""``CardSeal``: AES-GCM of a library, bound to a place, and errors that show no secret."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from trente_rules import RecordError, Table, TrenteError, load_house
from trente_rules.fair.card_seal import CardSeal, about, key_of_file, seal_of_files
from trente_rules.table import SqliteJournal, restore, snapshot

KEY = bytes(range(32))
OTHER = bytes(32)
HERE = about("s", "command", 1)


def test_what_is_closed_opens_where_it_was() -> None:
    """T9a: each text has a nonce of its own, and two keys that are written in two ways are one."""
    seal = CardSeal(KEY)
    texts = {seal.close("A♠ K♥", HERE) for _ in range(3)}
    assert len(texts) == 3
    assert {CardSeal(KEY.hex().upper()).open(text, HERE) for text in texts} == {"A♠ K♥"}
    assert len({len(text) for text in texts}) == 1
    assert all("♠" not in text and text.startswith(f"{seal.key_id}.") for text in texts)


@pytest.mark.parametrize(
    "where", [about("t", "command", 1), about("s", "snapshot", 1), about("s", "command", 11)]
)
def test_a_sealed_text_opens_at_its_place_alone(where: str) -> None:
    """T9a: session, kind and place are bound to it."""
    text = CardSeal(KEY).close("A♠", HERE)
    with pytest.raises(RecordError) as raised:
        CardSeal(KEY).open(text, where)
    assert raised.value.code == "seal-broken"


def test_a_changed_text_does_not_open() -> None:
    """T9a: one bit, one letter, one byte less, or what is no sealed text: an error with a code."""
    seal = CardSeal(KEY)
    text = seal.close("A♠", HERE)
    key, _, data = text.partition(".")
    changed = "B" if data[20] != "B" else "C"
    for bad in (
        f"{key}.{data[:20]}{changed}{data[21:]}",
        *(text[:-4], f"{key}.", f"{key}.AAAA", f"{key}.é", f"{key}.{data}=", text + "\n"),
    ):
        with pytest.raises(RecordError) as raised:
            seal.open(bad, HERE)
        assert raised.value.code == "seal-broken", bad


def test_a_wrong_key_is_a_clear_error() -> None:
    """T9a: both keys are named by their ids; a key that was changed opens what is older."""
    old, new = CardSeal(OTHER), CardSeal(KEY, [OTHER])
    text = old.close("A♠", HERE)
    with pytest.raises(RecordError, match=f"{old.key_id}.*{CardSeal(KEY).key_id}") as raised:
        CardSeal(KEY).open(text, HERE)
    assert raised.value.code == "wrong-key"
    assert new.open(text, HERE) == "A♠"
    assert new.close("A♠", HERE).startswith(f"{CardSeal(KEY).key_id}.")
    assert new.of(old.key_id).key == OTHER
    assert (new.has(old.key_id), CardSeal(KEY).has(old.key_id)) == (True, False)


def test_no_key_is_shown(tmp_path: Path) -> None:
    """T9a: not in a repr, an id or an error."""
    seal = CardSeal(KEY, [OTHER])
    assert KEY.hex()[:8] not in repr(seal) + seal.key_id
    assert str(KEY) not in repr(seal)
    (tmp_path / "key").write_text("secret" * 10)
    for bad in ("secret", KEY[:31], KEY.hex()[:-1] + "g", 5, None, bytearray(KEY)):
        with pytest.raises(TrenteError) as raised:
            CardSeal(bad)  # type: ignore[arg-type]
        assert raised.value.code == "bad-key"
        assert "secret" not in str(raised.value)
    with pytest.raises(TrenteError) as of_file:
        key_of_file(tmp_path / "key")
    assert of_file.value.code == "bad-key"
    assert "secret" not in str(of_file.value)
    for text in (KEY.hex()[:32], " " * 32, "correct horse battery staples it"):
        assert len(text) == 32
        (tmp_path / "text").write_text(text)  # half a key, or a phrase: not 256 bits
        with pytest.raises(TrenteError, match="32 characters, not 32 bytes") as half:
            key_of_file(tmp_path / "text")
        assert half.value.code == "bad-key"


def test_a_key_is_read_from_a_file(tmp_path: Path) -> None:
    """T9a: digits with white space around them, or 32 bytes; the first closes, all open."""
    (tmp_path / "digits").write_text(f" {KEY.hex()}\n")
    (tmp_path / "bytes").write_bytes(OTHER)
    seal = seal_of_files([tmp_path / "digits", tmp_path / "bytes"])
    assert seal == CardSeal(KEY, [OTHER])
    assert seal_of_files([]) is None
    with pytest.raises(TrenteError) as raised:
        key_of_file(tmp_path)
    assert raised.value.code == "file-unreadable"


def test_a_missing_library_is_named_with_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    """T9a: cryptography comes with the extra ``seal``."""
    monkeypatch.setitem(sys.modules, "cryptography.hazmat.primitives.ciphers.aead", None)
    with pytest.raises(TrenteError, match=r"trente-rules\[seal\]") as raised:
        CardSeal(KEY)
    assert raised.value.code == "needs-seal"


@pytest.mark.slow
def test_the_library_is_imported_where_a_key_is_given() -> None:
    """T9a: never before."""
    program = (
        "import sys, trente_rules.table.journal_sqlite, trente_rules.fair.card_seal as c\n"
        "assert 'cryptography' not in sys.modules\n"
        "c.CardSeal(bytes(32))\n"
        "assert 'cryptography' in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_a_key_is_no_seal(tmp_path: Path) -> None:
    """The obvious slip is refused at once, and named: a key where a ``CardSeal`` is wanted."""
    table = Table(load_house("hoyle-19c"))
    for key in (KEY, KEY.hex()):
        wrong: Any = key
        asked: tuple[Callable[[], object], ...] = (
            lambda: SqliteJournal(tmp_path / "j", seal=wrong),  # noqa: B023
            lambda: snapshot(table, wrong),  # noqa: B023
            lambda: restore(snapshot(table), table.house, seal=wrong),  # noqa: B023
        )
        for ask in asked:
            with pytest.raises(TrenteError, match=r"CardSeal\(key\)") as raised:
                ask()
            assert raised.value.code == "bad-key"
            assert KEY.hex()[:8] not in str(raised.value)
