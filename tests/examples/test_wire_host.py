"""The host over JSON lines: what it writes to its client."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

HOST = Path(__file__).parents[2] / "examples" / "wire_host.py"


@pytest.mark.slow
def test_the_order_of_the_cards_is_not_written() -> None:
    """R15: the first lines are the session and the bets that are open; no card is named."""
    run = subprocess.run(
        [sys.executable, str(HOST), "france-2007", "5e" * 16],
        input="",
        capture_output=True,
        text=True,
        check=True,
    )
    welcome, bets = map(json.loads, run.stdout.splitlines())
    assert welcome["welcome"]["house"] == "france-2007"
    assert bets["entry"]["command"] == {"kind": "open-bets", "id": "bets"}
    assert not set(run.stdout) & set("♠♥♦♣")
