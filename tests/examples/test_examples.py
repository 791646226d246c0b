"""The examples: installed as a stranger would, and used."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.slow

EXAMPLES = Path(__file__).parents[2] / "examples"
Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Install the example packages into a folder, and run programs that see it."""
    target = tmp_path_factory.mktemp("installed")
    for name in ("variant_package", "rule_plugin", "command_plugin"):
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps"]
        command += ["--no-build-isolation", "--target", str(target), str(EXAMPLES / name)]
        subprocess.run(command, check=True, capture_output=True, text=True)
    environment = {**os.environ, "PYTHONPATH": str(target)}

    def run_program(*arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, *arguments],
            env={**environment, **more},
            capture_output=True,
            text=True,
            check=False,
        )

    return run_program


def trente(run: Run, *arguments: str, **more: str) -> Any:
    """Run a command that prints JSON."""
    done = run("-c", "from trente_rules.cli import main; main()", *arguments, **more)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_the_rule_plugin_is_under_twenty_lines() -> None:
    """A new refait rule takes fewer than twenty lines of code."""
    text = (EXAMPLES / "rule_plugin/src/third_lost.py").read_text("utf-8")
    assert len([line for line in text.splitlines() if line.strip()]) < 20


def test_both_packages_are_found(run: Run) -> None:
    """The houses and the rule of strangers come in beside ours, each under its own name."""
    plugins = {
        plugin["name"]: plugin for plugin in trente(run, "plugins", "--format", "json")["plugins"]
    }
    assert plugins["palais-houses:houses"]["brings"] == [
        "house palais-de-nuit",
        "house palais-des-cartes",
    ]
    assert plugins["third-lost:third-lost"]["brings"] == ["refait rule third-lost"]


def test_a_strangers_command_is_one_of_ours(run: Run) -> None:
    """A10: a package adds a command to ``trente``; it is listed and called like any other."""
    code = "from trente_rules.cli import main; main()"
    assert "the least a house takes of each chance" in run("-c", code, "--help").stdout
    done = run("-c", code, "least", "italy-half-loss")
    assert done.returncode == 0, done.stderr
    assert [line.split(":")[0] for line in done.stdout.splitlines()][:2] == ["rouge", "noir"]


def test_a_strangers_house_extends_a_shipped_one(run: Run) -> None:
    """A house of TOML alone has an exact advantage: two prisons, as computed elsewhere."""
    found = trente(run, "compare", "palais-des-cartes", "--format", "json")["houses"][0]
    nominal = {json.dumps(w["policy"]): w["edge"] for w in found["wagers"] if w["chance"] == "noir"}
    stays = json.dumps({"free/refait": "prison", "prison/refait": "prison"})
    assert round(100 * nominal[stays], 5) == 1.10818


def test_a_strangers_rule_has_an_exact_edge(run: Run, tmp_path: Path) -> None:
    """A rule plugin settles, has an exact edge, and a fingerprint, with no more code."""
    file = tmp_path / "house.toml"
    file.write_text('[house]\nname = "thirds"\n[refait]\nrule = "third-lost"\nkept = "2/3"\n')
    wager = trente(run, "compare", str(file), "--deal", "infinite", "--format", "json")
    edge = wager["houses"][0]["wagers"][0]["edge_exact"]
    program = (
        "from fractions import Fraction as F\n"
        "from trente_rules.odds.coup_odds import infinite_pack\n"
        "odds = infinite_pack()\n"
        "q = odds.tie(31)\n"
        "t = sum(odds.tie(p) for p in range(32, 41))\n"
        "w = (1 - q - t) / 2\n"
        "waiting = w / (1 - t - q * F(2, 3))\n"
        "value = 2 * w + t + q * F(2, 3) * waiting\n"
        "print(1 - value)\n"
    )
    assert run("-c", program).stdout.strip() == edge
    settle = (
        "from trente_rules import *\n"
        f"house = load_house({str(file)!r})\n"
        "coup = Coup.parse('10♠ 10♥ 10♦ A♠ / 10♥ 10♠ 10♦ A♣')\n"
        "print(settle(house, coup, [Stake('a', 'alice', ROUGE, 90)]).lines[0].after.worth)\n"
    )
    assert run("-c", settle).stdout.strip() == "60"


def test_plugins_can_be_shut_out(run: Run) -> None:
    """The environment variable limits strangers' plugins; what is shipped stays."""
    houses = trente(run, "houses", "--format", "json", TRENTE_RULES_PLUGINS="")["houses"]
    names = [house["name"] for house in houses]
    assert "france-2007" in names
    assert "palais-des-cartes" not in names


def test_the_six_lines_settle_a_coup(run: Run) -> None:
    """The program of the README prints one line a stake."""
    done = run(str(EXAMPLES / "settle_a_coup.py"))
    assert done.stdout.splitlines() == [
        "bob's 40 on inverse loses",
        "alice's 100 on rouge wins 100",
    ]


@pytest.mark.parametrize("house", ["france-2007", "italian-program", "hoyle-19c"])
def test_the_host_program_runs(run: Run, house: str) -> None:
    """A whole taille is dealt and settled, and the bank's result is told."""
    done = run(str(EXAMPLES / "host_program.py"), house)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("coup ") > 20
    assert done.stdout.splitlines()[-1].startswith("bank: ")


@pytest.mark.parametrize("program", ["journal_host.py", "service_client.py"])
def test_a_program_that_needs_arguments_prints_its_usage(program: str) -> None:
    """U26: exit status 1 and one line, no traceback."""
    words = [sys.executable, str(EXAMPLES / program)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith(f"usage: python {program} ")
    assert done.stderr.count("\n") == 1


def test_the_table_of_a_killed_host_goes_on(run: Run, tmp_path: Path) -> None:
    """A host with ten players is killed by SIGKILL; what it answered is in the journal."""
    journal = tmp_path / "salle-3.journal"
    done = run(str(EXAMPLES / "journal_host.py"), str(journal), "60")
    assert done.returncode == 0, done.stderr
    killed, kept, stands, went_on, checked = done.stdout.splitlines()
    assert killed.startswith("killed after ")
    assert killed.endswith("exit status -9" if os.name == "posix" else "exit status 1")
    assert "all of them: True" in kept
    assert kept.endswith(("unanswered: 0", "unanswered: 1"))
    assert stands.endswith("balance 0")
    assert "balance 0, bank " in went_on
    assert checked.endswith("commands checked")
    told = trente(run, "history", str(journal), "--format", "json")
    assert len(told["coups"]) == 10


def test_the_live_dealer_feeds_cards(run: Run) -> None:
    """Cards one by one, a card exposed, a correction, a void, the marker: all as the house says."""
    done = run(str(EXAMPLES / "live_dealer.py"))
    assert done.returncode == 0, done.stderr
    lines = [line.strip() for line in done.stdout.splitlines()]
    assert "« Carte brûlée »" in lines
    assert "ann's 50 EUR on rouge wins 50 EUR" in lines
    assert "ann's 50 EUR on rouge loses" in lines
    assert any("turn '15' cannot be done now" in line and "not-now" in line for line in lines)
    assert lines.count("« Le coup est annulé »") == 2
    # The five cards behind the marker are counted aloud.
    assert lines[lines.index("« Les cartes passent »") - 2] == "« Cinq »"
    assert lines[-1] == "players {'ann': -5000, 'bob': 2000}, bank 3000"


def test_the_live_dealer_tells_what_it_cannot_read(run: Run, tmp_path: Path) -> None:
    """A word that is no card, and a card for which no bets are closed, change nothing."""
    words = tmp_path / "words"
    words.write_text("bets\n11x\n4h\n", "utf-8")
    done = run(str(EXAMPLES / "live_dealer.py"), str(words))
    assert done.returncode == 0, done.stderr
    assert "[no-card]" in done.stdout
    assert "[not-now]" in done.stdout
    assert "players {'ann': 0, 'bob': 0}, bank 0" in done.stdout
