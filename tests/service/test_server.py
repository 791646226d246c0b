"""The server: a browser that is opened gets its token without anybody else at the machine."""

from __future__ import annotations

import html
import os
import re
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from trente_rules.service.server import door_to

PAGE = "http://127.0.0.1:8030/#token=a.b-c_d&table=x"


def test_a_door(tmp_path: Path) -> None:
    """The file leads to the page and is its owner's alone; its address has nothing of a token."""
    address = door_to(PAGE, str(tmp_path))
    file = Path(unquote(urlsplit(address).path))
    assert address.startswith("file:///")
    assert "token" not in address
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    found = re.search(r'content="0; url=([^"]+)"', file.read_text("utf-8"))
    assert found
    assert html.unescape(found[1]) == PAGE


@pytest.mark.slow
def test_a_browser_is_not_started_with_a_token(tmp_path: Path) -> None:
    """S3: what is in the list of processes has no token; the file is gone when the service ends."""
    seen, browser = tmp_path / "seen", tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\necho "$@" > {seen}\n')
    browser.chmod(0o700)
    command = [sys.executable, "-c", "from trente_rules.cli import main; main()"]
    words = ["serve", "--open", "--port", "0", "--house", "france-2007"]
    environment = {**os.environ, "BROWSER": f"{browser} %s"}
    with subprocess.Popen(
        [*command, *words], env=environment, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            until = time.monotonic() + 30
            while not (seen.exists() and seen.read_text()) and time.monotonic() < until:
                time.sleep(0.05)
            address = seen.read_text().strip()
            file = Path(unquote(urlsplit(address).path))
            assert re.search("#token=eyJ", file.read_text("utf-8"))
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(20)
    assert address.startswith("file:///")
    assert "eyJ" not in address
    assert not file.exists()
