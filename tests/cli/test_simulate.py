"""``trente simulate``: figures beside the exact ones, in a table or JSON; what is refused."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from attrs import evolve

pytest.importorskip("numba")

from tests.cli.calling import trente

from trente_rules import load_house
from trente_rules.cli import simulate as module
from trente_rules.simulation import compiled
from trente_rules.simulation.flat import simulate

SOME = ("--coups", "1e5", "--seed", "7")


@pytest.mark.slow
def test_the_table_tells_edges_beside_the_exact_ones() -> None:
    """Every wager has its edge, its error, the exact edge and z; the seed is told."""
    ran = trente("simulate", "france-2007", *SOME)
    assert ran.status == 0
    assert "seed 7" in ran.out
    assert "coups sure to be completed" in ran.out
    assert sum(line.startswith("couleur") for line in ran.out.splitlines()) == 4
    assert "1.1079 %" in ran.out


def test_two_houses_are_compared_on_the_same_shoes() -> None:
    """Differences are told with an error of their own."""
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
        (("campione", "--coups", "0"), 2, "0 coups cannot be dealt"),
        (("campione", "--coups", "many"), 2, "'many' is not a number"),
        (("campione", "--coups", "nan"), 2, "cannot be dealt"),
        (("campione", "--seed", "-1"), 2, "-1 is not a seed"),
        (("campione", "--chance", "blue"), 2, "no house has a chance 'blue'"),
        (("campione", "--workers", "0"), 2, "x>=1"),
        (("campagne",), 1, "campione"),
        ((), 2, "HOUSE"),
    ],
)
def test_what_cannot_be_simulated(arguments: tuple[str, ...], status: int, told: str) -> None:
    """A sentence, and the exit status of misuse or of a fault."""
    ran = trente("simulate", *arguments)
    assert ran.status == status
    assert told in ran.err


def test_without_numba(monkeypatch: pytest.MonkeyPatch) -> None:
    """The extra is named."""
    monkeypatch.setitem(sys.modules, "trente_rules.simulation.kernel", None)
    compiled._loaded.cache_clear()
    try:
        ran = trente("simulate", "campione", *SOME)
    finally:
        compiled._loaded.cache_clear()
    assert ran.status == 1
    assert 'pip install "trente-rules[fast]"' in ran.err


def test_an_interrupt(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is done is told, with the exit status of a stopped command; nothing is no figure."""
    done = evolve(simulate(load_house("campione"), coups=1e4, seed=7), complete=False)
    monkeypatch.setattr(module, "simulate", lambda *_, **__: done)
    ran = trente("simulate", "campione", *SOME)
    assert ran.status == 130
    assert "stopped" in ran.err
    assert "campione" in ran.out
    monkeypatch.setattr(module, "simulate", lambda *_, **__: evolve(done, houses=()))
    ran = trente("simulate", "campione", *SOME)
    assert ran.status == 130
    assert not ran.out
