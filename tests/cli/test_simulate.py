"""``trente simulate``: figures next to the exact ones, in every format; what is refused."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from attrs import evolve

pytest.importorskip("numba")

from tests.cli.calling import Terminal, trente

from trente_rules import load_house
from trente_rules.cli import simulate as module
from trente_rules.simulation.flat import simulate

SOME = ("--coups", "1e5", "--seed", "7")


@pytest.mark.slow
def test_the_table_has_edges_next_to_the_exact_ones() -> None:
    """Every wager has its edge, its error, the exact edge and z; the seed is named."""
    ran = trente("simulate", "france-2007", *SOME)
    assert ran.status == 0
    assert "seed 7" in ran.out
    assert "coups sure to be completed" in ran.out
    assert sum(line.startswith("couleur") for line in ran.out.splitlines()) == 4
    assert "1.1079 %" in ran.out
    assert "prison, then partage" in ran.out
    assert "free/refait" not in ran.out
    assert "More: --full" in ran.out
    full = trente("simulate", "france-2007", *SOME, "--full")
    assert "free/refait: prison" in full.out
    assert "all coups" in full.out


def test_as_many_shoes_are_dealt_in_each_house() -> None:
    """U46: at least about so many coups in each house; the help says so."""
    words = ("simulate", "france-2007", "german-spas-1840", *SOME, "--policies", "default")
    told = trente(*words, "--format", "json").json["houses"]
    assert all(house["coups"] > 0.98e5 for house in told)
    assert "At least about N coups in each house" in trente("simulate", "--help").out


def test_an_unasked_seed_is_short() -> None:
    """U43: a seed of few digits, whole in every JSON; the same spelling as any other command's."""
    told = trente("simulate", "campione", "--coups", "1e4", "--format", "json").json
    assert 0 <= told["seed"] < 2**48
    seeds = ("255", "0xff", "0x00ff")
    one, two, three = (
        trente("simulate", "campione", "--coups", "1e4", "--seed", seed).out for seed in seeds
    )
    assert one == two == three
    assert "seed 255" in one


@pytest.mark.slow
def test_every_format_has_the_report(tmp_path: Path) -> None:
    """U55: a page with a figure, CSV in columns of numbers, Markdown, LaTeX."""
    pytest.importorskip("matplotlib")
    words = ("simulate", "campione", *SOME, "--policies", "default")
    page = trente(*words, "--format", "html").out
    assert "<svg" in page
    assert "The bank's edge: simulated, and exact" in page.replace("&#39;", "'").replace(
        "&#x27;", "'"
    )
    lines = trente(*words, "--format", "csv").out.splitlines()
    assert lines[0].startswith("house,chance,insurance,policy,coups,edge,standard_error,exact_edge")
    assert len(lines) > 4
    for form in ("markdown", "latex"):
        assert "campione" in trente(*words, "--format", form).out
    file = tmp_path / "page.html"
    assert trente(*words, "--out", file).status == 0
    assert "<svg" in file.read_text("utf-8")


def test_two_houses_are_compared_on_the_same_shoes() -> None:
    """Differences have a separate error."""
    ran = trente("simulate", "france-2007", "italy-half-loss", *SOME, "--policies", "default")
    assert "Differences on the same shoes" in ran.out
    assert "rouge, noir" in ran.out


def test_the_json_holds_every_figure() -> None:
    """The same figures whatever the number of workers; z is of the basis that is named."""
    one, two = (
        trente("simulate", "campione", *SOME, "--workers", n, "--format", "json").json
        for n in ("1", "2")
    )
    for told in (one, two):
        assert told.pop("seconds") > 0
        assert told["houses"][0].pop("coups_per_second") > 0
    assert one == two
    wager = one["houses"][0]["wagers"][0]
    assert wager["z"] == pytest.approx(
        (wager["edge"] - wager["edge_of_fresh_shoe"]) / wager["standard_error"]
    )
    assert abs(wager["z"]) < 4
    assert one["seed"] == 7


def test_a_run_is_kept_and_resumed(tmp_path: Path) -> None:
    """The file holds the run; with another seed it is of another run."""
    file = tmp_path / "run.jsonl"
    first = trente("simulate", "campione", *SOME, "--resume", file)
    assert trente("simulate", "campione", *SOME, "--resume", file).out == first.out
    ran = trente("simulate", "campione", "--coups", "1e5", "--seed", "8", "--resume", file)
    assert ran.status == 2
    assert "its seed is 7, not 8" in ran.err


@pytest.mark.parametrize(
    ("arguments", "status", "told"),
    [
        (("campione", "--coups", "0"), 2, "'0' is not a whole number from 1"),
        (("campione", "--coups", "many"), 2, "'many' is not a whole number"),
        (("campione", "--coups", "nan"), 2, "'nan' is not a whole number"),
        (("campione", "--seed", "-1"), 2, "not a seed"),
        (("campione", "--chance", "blue"), 2, "no house has a chance 'blue'"),
        (("campione", "--chance", "roge"), 2, "did you mean 'rouge'?"),
        (("campione", "--workers", "0"), 2, "'0' is not a whole number from 1"),
        ((), 2, "name a house, such as france-2007"),
    ],
)
def test_what_cannot_be_simulated(arguments: tuple[str, ...], status: int, told: str) -> None:
    """A sentence, and the exit status of misuse or of a fault."""
    ran = trente("simulate", *arguments)
    assert ran.status == status
    assert told in ran.err


@pytest.mark.slow
def test_without_numba_it_plays_slowly_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """U43: the slow plain way, with how many coups it affords; what needs numba names the extra."""
    monkeypatch.setattr(module, "fast_installed", lambda: False)
    ran = trente("simulate", "campione", "--seed", "7", "--coups", "2000")
    assert ran.status == 0
    assert "numba is not installed: playing in plain Python" in ran.err
    assert "2,000 coups take about 1 s" in ran.err
    assert 'pip install "trente-rules[fast]"' in ran.err
    assert "seed 7" in ran.out
    monkeypatch.setattr(module, "AFFORDED_OF_SYSTEM", 400)
    words = ("simulate", "campione", "--seed", "7", "--system", "flat", "--session", "200")
    ran = trente(*words)
    assert "400 coups take about 1 s" in ran.err
    assert "2 sessions of 200 coups" in " ".join(ran.out.split())
    for option in ("--resume", "--dask"):
        refused = trente("simulate", "campione", option, "somewhere")
        assert refused.status == 2
        assert f"{option} needs numba and numpy" in refused.err


@pytest.mark.slow
@pytest.mark.parametrize("columns", [60, 80, 120, 200])
@pytest.mark.parametrize(
    "options", [("--policies", "default"), ("--system", "flat", "--system", "d'alembert", "--full")]
)
def test_it_fits_the_terminal(
    monkeypatch: pytest.MonkeyPatch, columns: int, options: tuple[str, ...]
) -> None:
    """U8: no line is longer than the terminal, and no cell has a line to itself."""
    monkeypatch.setenv("COLUMNS", str(columns))
    ran = trente(
        "simulate", "france-2007", "--coups", "1e4", "--seed", "7", *options, out=Terminal()
    )
    plain = re.sub(r"\x1b\[[0-9;]*m", "", ran.out).splitlines()
    assert max(map(len, plain)) <= columns
    assert len(plain) < 60


def test_an_interrupt(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is done is printed, with the exit status of an interrupt; nothing is no figure."""
    done = evolve(simulate(load_house("campione"), coups=1e4, seed=7), complete=False)
    monkeypatch.setattr(module, "simulate", lambda *_, **__: done)
    ran = trente("simulate", "campione", *SOME)
    assert ran.status == 130
    assert "interrupted" in ran.err
    assert "campione" in ran.out
    monkeypatch.setattr(module, "simulate", lambda *_, **__: evolve(done, houses=()))
    ran = trente("simulate", "campione", *SOME)
    assert ran.status == 130
    assert not ran.out
