"""Clients of the service in TypeScript and in Python: each plays a shoe at a real service."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from tests.served import Served, served

EXAMPLES: Final = Path(__file__).parents[2] / "examples"
PYTHON: Final = EXAMPLES / "service_client.py"
TYPESCRIPT: Final = EXAMPLES / "service_client"
MOST_LINES: Final = 100
MISSPELT: Final = """
import { type ClientMessage, type ServerMessage } from "./trente.js";
export const message: ClientMessage = { kind: "redy", ready: true };
export const left = (message: ServerMessage) => message.kind === "clock" ? message.lefft : 0;
"""


def run(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run a program in a folder."""
    return subprocess.run(
        arguments, cwd=cwd, capture_output=True, text=True, check=False, timeout=170
    )


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """Start a service for the clients."""
    with served(tmp_path_factory.mktemp("service")) as running:
        yield running


def played(service: Served, table: str, house: str, *program: str, cwd: Path) -> Any:
    """Create a table that waits for its player, and return what a client prints of its shoe."""
    supervisor = service.token("sue", "supervisor")
    pace = {"bets": None, "cut": None, "choices": None}
    service.ask("POST", "/api/tables", supervisor, {"table": table, "house": house, "pace": pace})
    done = run(*program, service.address, service.token("ann", tables=[table]), table, cwd=cwd)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def check(result: Any, service: Served, table: str) -> None:
    """Check what a client says of its shoe against the books of the table."""
    assert result["balance"] == result["account"] != 0
    assert result["coups"] > 20
    assert result["repeated"] == 1  # the slip that was on its way when the connection was lost
    auditor = service.token("otto", "auditor")
    path = f"/api/tables/{table}/movements?limit=1000"
    moved = service.ask("GET", path, auditor)["movements"]
    assert len({movement["id"] for movement in moved}) == len(moved) < 1000
    assert {movement["player"] for movement in moved} == {"ann"}
    assert sum(movement["units"] for movement in moved) == result["account"]
    staked = [movement for movement in moved if movement["reason"] == "stake"]
    assert len(staked) == 2 * result["coups"]  # a slip that was sent twice staked once
    assert sum(movement["reason"] == "premium" for movement in moved) > 20


@pytest.mark.slow
@pytest.mark.parametrize("house", ["france-2007", "monte-carlo-1911"])
def test_a_client_in_python_plays_a_shoe(service: Served, house: str, tmp_path: Path) -> None:
    """It comes again after the connection is lost; its balance is the service's account."""
    result = played(service, f"py-{house}", house, sys.executable, str(PYTHON), cwd=tmp_path)
    check(result, service, f"py-{house}")


@pytest.mark.slow
def test_a_client_in_typescript_plays_a_shoe(service: Served, tmp_path: Path) -> None:
    """Strict types, no library besides Node's own; the same shoe with the same end."""
    if shutil.which("npm") is None:
        if os.environ.get("TRENTE_NODE"):
            pytest.fail("node and npm are not installed, and the environment says they are needed")
        pytest.skip("node and npm are not installed")
    client = tmp_path / "client"
    left_out = shutil.ignore_patterns("node_modules", "dist")
    shutil.copytree(TYPESCRIPT, client, ignore=left_out)
    installed = run("npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts", cwd=client)
    assert installed.returncode == 0, installed.stderr
    built = run("npm", "run", "build", cwd=client)
    assert built.returncode == 0, built.stdout
    program = ("npm", "start", "--silent", "--")
    check(played(service, "ts", "france-2007", *program, cwd=client), service, "ts")

    (client / "client.ts").write_text(MISSPELT, "utf-8")
    wrong = run("npx", "tsc", "--noEmit", cwd=client)
    assert wrong.returncode != 0
    assert '"redy"' in wrong.stdout  # no such message
    assert "'lefft' does not exist" in wrong.stdout  # that message has no such field


@pytest.mark.slow
def test_a_client_without_a_token_that_counts_is_told_why(service: Served, tmp_path: Path) -> None:
    """A forged token ends with the refusal of the service."""
    head, _, _sign = service.token("ann").rpartition(".")
    token = f"{head}.{'A' * 43}"
    done = run(sys.executable, str(PYTHON), service.address, token, "nowhere", cwd=tmp_path)
    assert done.returncode != 0
    assert "401" in done.stderr


@pytest.mark.parametrize("file", [PYTHON, TYPESCRIPT / "client.ts"], ids=lambda file: file.suffix)
def test_a_client_is_short(file: Path) -> None:
    """Issue 11: each client has fewer than a hundred lines."""
    assert len(file.read_text("utf-8").splitlines()) < MOST_LINES


def test_the_client_in_typescript_needs_no_library() -> None:
    """It runs on Node alone; the compiler and the types of Node are for building it."""
    package = json.loads((TYPESCRIPT / "package.json").read_text("utf-8"))
    assert "dependencies" not in package
    locked = json.loads((TYPESCRIPT / "package-lock.json").read_text("utf-8"))["packages"]
    assert all(each.get("dev") for name, each in locked.items() if name)
