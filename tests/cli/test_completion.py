"""Completion in a shell: commands, options, and every name that can be typed."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from tests.cli.calling import TRENTE, trente, trente_process

from trente_rules.cli.commands import COMMANDS
from trente_rules.core import default_manager

pytestmark = pytest.mark.slow

_BASH = shutil.which("bash") or ""


def completed(line: str, folder: Path | None = None, asked_by: str = "zsh") -> list[str]:
    """Return what is offered for the last word of a line, files as ``file``."""
    words = line.split(" ")
    asked = {"COMP_WORDS": line, "COMP_CWORD": str(len(words) - 1)}
    done = subprocess.run(
        TRENTE,
        capture_output=True,
        check=True,
        cwd=folder,
        encoding="utf-8",
        env={**os.environ, **asked, "_TRENTE_COMPLETE": f"{asked_by}_complete"},
    )
    assert done.stderr == ""
    lines = done.stdout.strip("\n").splitlines()
    if asked_by != "zsh":
        return lines
    return [
        name if kind == "plain" else kind
        for kind, name in zip(lines[::3], lines[1::3], strict=True)
    ]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_of_a_shell_comes_out(shell: str) -> None:
    """U35: by click's variable, and by a command."""
    done = subprocess.run(
        TRENTE,
        capture_output=True,
        check=True,
        encoding="utf-8",
        env={**os.environ, "_TRENTE_COMPLETE": f"{shell}_source"},
    )
    assert "_TRENTE_COMPLETE" in done.stdout
    assert "Usage" not in done.stdout
    ran = trente_process("completion", shell)
    assert (ran.status, ran.out.strip()) == (0, done.stdout.strip())


def test_another_shell_is_a_wrong_call() -> None:
    """Names the ones there are."""
    ran = trente("completion", "tcsh")
    assert ran.status == 2
    assert "'bash', 'zsh', 'fish'" in ran.err


def test_commands_and_options_are_completed() -> None:
    """U35: every command, those of a group, the options of a command."""
    assert completed("trente ") == [command.name for command in COMMANDS]
    assert completed("trente co") == ["compare", "count", "completion"]
    assert set(completed("trente rng ")) == {"export", "verify", "audit"}
    assert {"--format", "--out"} <= set(completed("trente show --"))


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("trente rules fr", ["france-1959", "france-2007"]),
        ("trente new my.toml --from fr", ["france-1959", "france-2007"]),
        ("trente rules campione --language f", ["fr"]),
        ("trente compare campione fr", ["france-1959", "france-2007"]),
        ("trente odds --house fr", ["france-1959", "france-2007"]),
        ("trente compare campione --chance r", ["rouge"]),
        ("trente compare --deal i", ["infinite"]),
        ("trente par campione --deal i", ["infinite"]),
        ("trente simulate campione --system nothing", []),
        ("trente simulate campione --system paro", ["paroli"]),
        ("trente compare --format j", ["json"]),
        ("trente check ", ["file"]),
        ("trente rules ./", ["file"]),
        ("trente replay ", ["file"]),
        ("trente houses --out ", ["file"]),
        ("trente play --bankroll ", []),
    ],
)
def test_names_are_completed(line: str, offered: list[str]) -> None:
    """U35: houses, chances, systems, languages, deals, formats, files."""
    assert completed(line) == offered


def test_the_chances_are_those_of_the_house_that_is_typed(tmp_path: Path) -> None:
    """U35: a house of a file has other chances."""
    text = '[house]\nname = "x"\nextends = "france-2007"\n'
    text += '[[side_bets]]\nid = "tie"\nwins_on = "any-tie"\nodds = "8"\n'
    (tmp_path / "x.toml").write_text(text, "utf-8")
    assert completed("trente compare x.toml --chance t", tmp_path) == ["tie"]
    assert completed("trente compare campione --chance t", tmp_path) == []
    assert completed("trente compare broken.toml --chance ", tmp_path) == []


def test_every_shell_is_answered() -> None:
    """The same names for bash and fish, each in its own form."""
    assert completed("trente rules fr", asked_by="bash") == [
        "plain,france-1959",
        "plain,france-2007",
    ]
    done = subprocess.run(
        TRENTE,
        capture_output=True,
        check=True,
        encoding="utf-8",
        env={
            **os.environ,
            "COMP_WORDS": "trente rules fr",
            "COMP_CWORD": "fr",
            "_TRENTE_COMPLETE": "fish_complete",
        },
    )
    assert done.stdout.splitlines() == ["plain,france-1959", "plain,france-2007"]


@pytest.mark.skipif(not _BASH, reason="there is no bash")
def test_bash_completes_a_house(tmp_path: Path) -> None:
    """The script is sourced, and its function called as bash calls it."""
    program = tmp_path / "trente"
    program.write_text(f"#!/bin/sh\nexec {TRENTE[0]} -c '{TRENTE[2]}' \"$@\"\n", "utf-8")
    program.chmod(0o755)
    text = (
        'eval "$(trente completion bash)"\n'
        "COMP_WORDS=(trente rules fr) COMP_CWORD=2\n"
        "_trente_completion trente fr rules\n"
        'echo "${COMPREPLY[@]}"\n'
    )
    done = subprocess.run(
        [_BASH, "-c", text],
        capture_output=True,
        check=False,
        encoding="utf-8",
        env={**os.environ, "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"},
    )
    assert done.stdout.strip() == "france-1959 france-2007", done.stderr


def test_a_completion_is_quick() -> None:
    """U35: the same process imports no command but the one that is typed."""
    loads = (
        "import sys; from trente_rules.cli import main\ntry:\n main()\nexcept SystemExit: pass\n"
    )
    loads += (
        "print([m for m in sys.modules if m.startswith(('numpy','numba','rich','matplotlib'))])"
    )
    for line in ("trente co", "trente compare fr"):
        asked = {"COMP_WORDS": line, "COMP_CWORD": str(line.count(" "))}
        done = subprocess.run(
            [TRENTE[0], "-c", loads],
            capture_output=True,
            check=True,
            encoding="utf-8",
            env={**os.environ, **asked, "_TRENTE_COMPLETE": "zsh_complete"},
        )
        assert done.stdout.splitlines()[-1] == "[]"


def test_houses_are_those_of_plugins_too() -> None:
    """The names are asked of the manager of plugins."""
    assert completed("trente show ") == list(default_manager().names("house"))
