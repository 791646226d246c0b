"""The unit of systemd, and the page on deploying: what they name is there."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from trente_rules.cli.serve import serve_command
from trente_rules.cli.token import token_command

ROOT = Path(__file__).parents[2]
UNIT = ROOT / "examples" / "trente-rules.service"
PAGE = ROOT / "docs" / "deploying.md"


def options(text: str) -> set[str]:
    """Return the long options in a text."""
    return set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", text))


def known(*commands: object) -> set[str]:
    """Return the options of commands."""
    return {name for each in commands for given in each.params for name in given.opts}  # type: ignore[attr-defined]


def test_the_unit_starts_the_service_with_options_that_there_are() -> None:
    """Issue 14: a systemd unit; an option that is renamed is found here."""
    command = UNIT.read_text("utf-8").partition("ExecStart=")[2].partition("\nLoad")[0]
    assert options(command)
    assert options(command) <= known(serve_command)


def test_the_unit_says_what_keeps_it_apart() -> None:
    """Hardened: a user of its own, no privileges, keys as credentials."""
    text = UNIT.read_text("utf-8")
    for line in (
        "DynamicUser=yes",
        "StateDirectory=trente-rules",
        "NoNewPrivileges=yes",
        "ProtectSystem=strict",
        "CapabilityBoundingSet=",
        "MemoryDenyWriteExecute=yes",
    ):
        assert f"\n{line}\n" in text
    for key in re.findall(r"CREDENTIALS_DIRECTORY}/(\S+)", text):
        assert f"LoadCredential={key}:/etc/trente-rules/{key}" in text


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="systemd is not installed")
def test_systemd_takes_the_unit(tmp_path: Path) -> None:
    """``systemd-analyze verify`` finds nothing, and the exposure is low."""
    copy = tmp_path / UNIT.name
    copy.write_text(UNIT.read_text("utf-8").replace("/opt/trente-rules/bin/trente", sys.executable))
    command = ["systemd-analyze", "verify", str(copy)]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (run.returncode, run.stderr.strip()) == (0, "")
    command = ["systemd-analyze", "security", "--offline=true", "--threshold=20", str(copy)]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout[-300:]


def test_the_page_names_options_that_there_are() -> None:
    """docs/deploying.md is about this service."""
    found = options(PAGE.read_text("utf-8"))
    others = {"--upgrade", "--now"}  # of pip and systemctl
    assert found - others <= known(serve_command, token_command)
