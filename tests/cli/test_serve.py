"""``trente serve`` as a careless user calls it: what is wrong is named, and nothing is served."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Final
from unittest.mock import patch

import pytest
from tests.cli.calling import trente

from trente_rules.core.errors import TrenteError
from trente_rules.service.desk import Desk
from trente_rules.service.stores import FolderStore

KEY: Final = "00" * 32
COMMAND: Final = [sys.executable, "-c", "from trente_rules.cli import main; main()", "serve"]


@pytest.fixture
def key(tmp_path: Path) -> Path:
    """Return the file of a key, for its owner alone."""
    made = tmp_path / "house.key"
    made.write_text(KEY)
    made.chmod(0o600)
    return made


@pytest.mark.parametrize(
    ("words", "status", "why"),
    [
        (["--host", ""], 1, "leave --host out, or name an address"),
        (["--host", "nosuch.invalid"], 1, "choose another --host or --port"),
        (["--address", "foo"], 2, "'foo' is not an address (write http://HOST:PORT)"),
        (["--address", "http://10.0.0.5:8030"], 2, "does nothing without --journal postgresql:"),
        (["--name", "casino.example:99999"], 1, "'casino.example:99999' is not the name of a site"),
        (["--journal", "sqlite:"], 1, "'sqlite:' does not name a place"),
        (["--journal", "tables"], 1, "'tables' does not name a place"),
    ],
)
def test_what_cannot_be_served(key: Path, words: list[str], status: int, why: str) -> None:
    """An option that would be without effect, or another one than meant, is refused in a line."""
    ran = trente("serve", "--port", "0", "--token-key-file", key, *words)
    assert (ran.status, ran.out) == (status, "")
    assert why in ran.err
    assert "Traceback" not in ran.err


@pytest.mark.parametrize("url", ["nonsense", "ftp://bank.example", "http://[x", "http://b.example"])
def test_what_is_no_wallet(key: Path, url: str) -> None:
    """The address is named as far as it has no password in it, and its file is looked at.

    The folder of the tables is free again at once: Python 3.13 warns of a file that stays open.
    """
    key.chmod(0o644)
    place = f"sqlite:{key.parent}"
    words = ("--journal", place, "--wallet", url, "--wallet-key-file", key)
    with patch.object(FolderStore, "close", autospec=True, side_effect=FolderStore.close) as close:
        ran = trente("serve", "--port", "0", *words)
    close.assert_called_once()
    assert (ran.status, ran.out) == (1, "")
    assert "is not the address of a wallet (give an address that begins with https://" in ran.err
    assert "None" not in ran.err
    assert "may be read by others: chmod 600" in ran.err


@pytest.mark.slow
def test_stopped_twice(key: Path) -> None:
    """Whoever presses Ctrl-C twice sees no traceback."""
    with subprocess.Popen(
        [*COMMAND, "--port", "0", "--token-key-file", str(key)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline().startswith("http://127.0.0.1:")
        process.send_signal(signal.SIGINT)
        time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        _out, err = process.communicate(timeout=30)
    assert (process.returncode, err) == (0, "")


@pytest.mark.slow
def test_nobody_reads_the_address(key: Path) -> None:
    """Where the standard output is closed at its other end the tables are served all the same."""
    reading, writing = os.pipe()
    os.close(reading)
    with subprocess.Popen(
        [*COMMAND, "--port", "0", "--token-key-file", str(key), "--log-format", "text"],
        stdout=writing,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    ) as process:
        os.close(writing)
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(4)
        process.send_signal(signal.SIGTERM)
        _out, err = process.communicate(timeout=30)
    assert "Traceback" not in err


def test_a_wallet_without_a_journal(key: Path) -> None:
    """Tables in memory would forget whom they owe: none is served with a wallet."""
    words = ["--wallet", "https://bank.example", "--wallet-key-file", str(key)]
    ran = trente("serve", "--port", "0", "--token-key-file", key, *words)
    assert (ran.status, ran.out) == (2, "")
    assert "--wallet needs --journal" in ran.err


def opened(*words: str) -> subprocess.Popen[str]:
    """Return ``trente play --browser`` without a browser, in another process."""
    return subprocess.Popen(
        [*COMMAND[:-1], "play", "--browser", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "BROWSER": "true"},
    )


@pytest.mark.slow
def test_a_kept_table_is_resumed_with_another_bankroll(tmp_path: Path) -> None:
    """As at the table in the terminal: what is kept continues, also where more is asked for."""
    folder = str(tmp_path / "tables")
    for words in ((), ("--bankroll", "2000.50"), ("germany-500", "--minimum", "10")):
        with opened("--save", folder, *words) as process:
            assert process.stdout is not None
            line = process.stdout.readline()
            process.send_signal(signal.SIGINT)
            _out, err = process.communicate(timeout=30)
        assert line.startswith("http://127.0.0.1:"), err
        assert (process.returncode, err) == (0, "")


@pytest.mark.slow
def test_what_fails_at_the_start_is_a_line(
    key: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An error of the library while tables are recovered is its message, without a traceback."""

    async def fails(_desk: Desk) -> None:
        raise TrenteError("the database is gone", "store-unusable", "look at it")

    monkeypatch.setattr(Desk, "open", fails)
    ran = trente("serve", "--port", "0", "--token-key-file", key, "--journal", f"sqlite:{tmp_path}")
    assert (ran.status, ran.err) == (1, "the database is gone (look at it)\n")
