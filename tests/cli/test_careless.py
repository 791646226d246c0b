"""What careless users do: paths elsewhere, full disks, stakes that no house takes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from trente_rules import load_house

MAIN = "from trente_rules.cli import main; main()"


def trente(*words: str, folder: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run the command line in a folder."""
    command = [sys.executable, "-c", MAIN, *words]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


@pytest.mark.slow
@pytest.mark.parametrize("parent", ["base.toml", "./base.toml"])
def test_a_file_elsewhere_finds_its_parent(tmp_path: Path, parent: str) -> None:
    """The path of the parent is told from the folder of the new file."""
    (tmp_path / "sub").mkdir()
    base = '[house]\nname = "base"\n[refait]\nrule = "half-loss"\n'
    (tmp_path / "base.toml").write_text(base, encoding="utf-8")
    done = trente("new", "sub/mine.toml", "--from", parent, folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert (
        load_house(tmp_path / "sub" / "mine.toml").refait
        == load_house(tmp_path / "base.toml").refait
    )


@pytest.mark.slow
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_a_full_disk_is_a_sentence() -> None:
    """An answer that cannot be written: exit status 1, a sentence, no traceback."""
    with Path("/dev/full").open("w") as full:
        command = [sys.executable, "-c", MAIN, "houses"]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith("cannot write the output")


@pytest.mark.slow
def test_a_stake_outside_the_limits_is_told_of() -> None:
    """Figures for a stake that is never placed carry the reason under the table."""
    done = trente("compare", "monte-carlo-1911", "--stake", "1")
    assert "monte-carlo-1911 takes no such stake" in done.stdout
    assert "below-minimum" in done.stdout
    assert (
        "takes no such stake" not in trente("compare", "monte-carlo-1911", "--stake", "20").stdout
    )


@pytest.mark.slow
def test_custom_machines_are_told_apart() -> None:
    """Among many houses the machine of each shows what a refait does."""
    done = trente("compare", "--rules")
    assert "half or 3 prisons" in done.stdout
    assert "2 to 41 EUR; 5 to 102 EUR" in done.stdout


@pytest.mark.slow
def test_a_warning_is_a_line() -> None:
    """It named a path and a line of our source; what a stranger wrote in it is shown as escapes."""
    warned = (
        "import warnings; from trente_rules.cli import houses, main; "
        "houses.Output.show = lambda *_: "
        "warnings.warn('a \\x1b[31mcommand of a newer release'); main()"
    )
    command = [sys.executable, "-c", warned, "houses"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stderr == "warning: a \\x1b[31mcommand of a newer release\n"
