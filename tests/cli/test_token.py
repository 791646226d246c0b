"""``trente token``: tokens that the service reads, keys that their owner alone may read."""

from __future__ import annotations

import re
import stat
import time
from pathlib import Path
from typing import Final

import pytest
from tests.cli.calling import trente

from trente_rules.service.tokens import Role, Tokens, Visitor

ASKED: Final = ("token", "--role", "player", "--name", "ann", "--table", "salle-3")


@pytest.fixture
def key(tmp_path: Path) -> Path:
    """Return the file of a new key."""
    made = tmp_path / "house.key"
    ran = trente("token", "key", made)
    assert (ran.status, ran.out, ran.err) == (0, f"{made} written: a key of 256 bits\n", "")
    return made


def test_a_key_is_private_and_new(key: Path) -> None:
    """A key is 64 digits in a file of mode 0600, another each time, and never over a file."""
    text = key.read_text()
    assert re.fullmatch("[0-9a-f]{64}\n", text)
    assert stat.S_IMODE(key.stat().st_mode) == 0o600
    ran = trente("token", "key", key)
    assert ran.status == 1
    assert "is there already" in ran.err
    assert key.read_text() == text
    assert trente("token", "key", key.with_name("other.key")).status == 0
    assert key.with_name("other.key").read_text() != text


def test_a_token_is_one_of_the_service(key: Path) -> None:
    """The standard output has the token and nothing else: it can be piped."""
    ran = trente(*ASKED, "--table", "salle-4", "--hours", "8", "--key-file", key)
    assert ran.status == 0
    now = time.time()
    visitor = Tokens.of_files(key).read(ran.out.strip(), now)
    assert (visitor.name, visitor.role, visitor.tables) == (
        "ann",
        Role.PLAYER,
        ("salle-3", "salle-4"),
    )
    assert now + 8 * 3600 - 60 < visitor.expires <= now + 8 * 3600
    assert re.fullmatch(r"player ann, tables salle-3, salle-4, until .* UTC\n", ran.err)
    assert key.read_text().strip() not in ran.out + ran.err


def test_the_first_key_signs(key: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of several keys the first signs, also of those that the environment names."""
    other = key.with_name("other.key")
    trente("token", "key", other)
    ran = trente(*ASKED, "--key-file", other, "--key-file", key)
    assert Tokens.of_files(other).read(ran.out.strip(), time.time()).name == "ann"
    monkeypatch.setenv("TRENTE_RULES_TOKEN_KEY_FILE", f"{key}:{other}")
    ran = trente(*ASKED)
    assert Tokens.of_files(key).read(ran.out.strip(), time.time()).name == "ann"


def test_every_role_and_all_tables(key: Path) -> None:
    """A star is all tables."""
    for role in Role:
        ran = trente("token", "--role", role, "--name", "eve", "--table", "*", "--key-file", key)
        read = Tokens.of_files(key).read(ran.out.strip(), time.time())
        assert read == Visitor("eve", role, ("*",), read.expires)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        (("--name", ""), "--name needed"),
        (("--name", "x" * 65), "name of a visitor"),
        (("--name", "eve\n"), "name of a visitor"),
        (("--table", "../x"), "table's name"),
        (("--hours", "0"), "--hours"),
        (("--hours", "721"), "--hours"),
        (("--role", "host"), "--role"),
    ],
)
def test_what_no_token_is_made_for(changes: tuple[str, str], words: str, key: Path) -> None:
    """A name, role, table or time that the service would not read is a wrong call: 2."""
    ran = trente(*ASKED, "--key-file", key, *changes)
    assert (ran.status, ran.out) == (2, "")
    assert words in ran.err


def test_what_is_missing() -> None:
    """Without its options the command names them, and makes nothing up."""
    ran = trente("token")
    assert (ran.status, ran.out) == (2, "")
    assert "--role, --name, --table, --key-file needed" in ran.err


def test_a_key_that_others_may_read(key: Path) -> None:
    """It works, and is warned of, as for the keys of sealed cards."""
    key.chmod(0o644)
    ran = trente(*ASKED, "--key-file", key)
    assert ran.status == 0
    assert "may be read by others: chmod 600" in ran.err


@pytest.mark.parametrize("text", ["", "a phrase", "x" * 32, "0" * 63])
def test_what_is_no_key(text: str, tmp_path: Path) -> None:
    """A phrase is not a key, nor half a key; neither is printed."""
    file = tmp_path / "key"
    file.write_text(text)
    ran = trente(*ASKED, "--key-file", file)
    assert (ran.status, ran.out) == (1, "")
    assert "a key is 32 bytes or 64" in ran.err
    assert not text or text not in ran.err
    assert "no such file" in trente(*ASKED, "--key-file", tmp_path / "none").err


def test_without_the_extra(key: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The extra that is missing is named."""
    monkeypatch.setattr("importlib.util.find_spec", lambda _name: None)
    ran = trente(*ASKED, "--key-file", key)
    assert (ran.status, ran.out) == (2, "")
    assert "the service needs" in ran.err
    assert 'pip install "trente-rules[service]"' in ran.err
