"""The client in TypeScript: its types are compiled strictly, and it plays a shoe."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

EXAMPLES: Final = Path(__file__).parents[2] / "examples"
MISSPELT: Final = """
import { type AnyCommand, type AnyEvent } from "./trente.js";
export const command: AnyCommand = { kind: "plaice", id: "1" };
export const text = (event: AnyEvent): string => event.kind === "bets-opened" ? event.shoe : "";
"""


def run(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run a program in a folder."""
    return subprocess.run(
        arguments, cwd=cwd, capture_output=True, text=True, check=False, timeout=170
    )


@pytest.mark.slow
def test_a_client_in_typescript_plays_a_shoe(tmp_path: Path) -> None:
    """T4b: strict types; slips and choices; its balance from movements is the table's account."""
    if shutil.which("npm") is None:
        if os.environ.get("TRENTE_NODE"):
            pytest.fail("node and npm are not installed, and the environment says they are needed")
        pytest.skip("node and npm are not installed")
    client = tmp_path / "client"
    left_out = shutil.ignore_patterns("node_modules", "dist")
    shutil.copytree(EXAMPLES / "node_client", client, ignore=left_out)
    installed = run("npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts", cwd=client)
    assert installed.returncode == 0, installed.stderr
    built = run("npm", "run", "build", cwd=client)
    assert built.returncode == 0, built.stdout
    host = (sys.executable, str(EXAMPLES / "wire_host.py"), "france-2007", "5e" * 16)
    played = run("node", "dist/client.js", *host, cwd=client)
    assert played.returncode == 0, played.stderr
    result = json.loads(played.stdout)
    assert result["account"] == result["balance"] != 0
    assert result["coups"] == result["repeated"] > 20  # each slip was sent twice, and counted once

    (client / "client.ts").write_text(MISSPELT, "utf-8")
    wrong = run("npx", "tsc", "--noEmit", cwd=client)
    assert wrong.returncode != 0
    assert '"plaice"' in wrong.stdout  # no such command
    assert "'shoe' does not exist" in wrong.stdout  # that event has no such field
