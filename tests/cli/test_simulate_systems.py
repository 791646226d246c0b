"""``trente simulate --system`` and ``trente count``: what they print, what they refuse."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("numba")

from tests.cli.calling import trente

from trente_rules.cli import simulate as module
from trente_rules.players import counting
from trente_rules.players.counting import count_shoes
from trente_rules.simulation.staking import simulate_systems

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
SOME = ("--coups", "2e4", "--session", "200", "--seed", "7")
HOUSES = ("monte-carlo-1911", "france-2007")


def test_systems_are_next_to_the_exact_edge() -> None:
    """A table for each house, a row for each system; the rest with --full."""
    words = ("simulate", *HOUSES, *SOME, "--system", "flat", "--system", "d'alembert")
    ran = trente(*words)
    assert ran.status == 0
    assert ran.out.count("100 sessions of 200 coups") == 2
    assert "stake 20 FRF, bankroll 20000 FRF" in ran.out
    assert ran.out.count("d'alembert") == 2
    assert ran.out.count("1.095 %") == 2
    assert ran.out.count("1.108 %") == 2
    assert "More: --full" in ran.out
    for label in ("net a coup", "loss rate", "exact edge", "restarts"):  # U58
        assert label in ran.out
    full = trente(*words, "--full").out
    for label in ("final bankroll: p5", "median", "p95", "N0", "drawdown", "longest loss"):
        assert label in full
    assert full.count("d'alembert") == 6


@pytest.mark.slow
def test_a_report_of_systems_in_every_format() -> None:
    """U55: CSV has every figure in a row a system; a page has the figure."""
    pytest.importorskip("matplotlib")
    words = ("simulate", "france-2007", *SOME, "--system", "flat", "--system", "martingale")
    head, *lines = trente(*words, "--format", "csv").out.splitlines()
    assert head.startswith("house,system,currency,base_stake,bankroll,sessions,coups")
    assert [line.split(",")[1] for line in lines] == ["flat", "martingale"]
    assert "<svg" in trente(*words, "--format", "html").out


def test_where_one_stake_decides_the_reason_is_printed() -> None:
    """C1: no z, and a sentence; C2: what the simulation cannot count is not the house's doing."""
    ran = trente(
        *("simulate", "italian-program", "--coups", "2e5", "--seed", "3", "--bankroll", "none"),
        *("--system", "grande-martingale"),
    )
    line = next(line for line in ran.out.splitlines() if line.startswith("grande-martingale "))
    assert line.split()[-3:-1] == ["-", "-"]
    assert "grande-martingale has no z: one stake of " in ran.out
    assert "of the squares of all stakes" in " ".join(ran.out.split())
    assert "endless credit" in ran.out
    capped = trente(
        *("simulate", "foster-1897", "--coups", "2000", "--seed", "1", "--session", "100"),
        *("--system", "martingale", "--stake", "5e13", "--bankroll", "none"),
    )
    assert "at a limit of the simulation, not of the house" in " ".join(capped.out.split())


def test_one_restart_at_a_limit_of_the_simulation_is_one_time(tmp_path: Path) -> None:
    """C2: a house of nine decimals meets the limit once; a number and its noun agree."""
    house = tmp_path / "fine.toml"
    house.write_text(
        '[house]\nname = "fine"\nextends = "italian-program"\n'
        '[money]\ncurrency = "XYZ"\nunit = "0.000000001"\n[insurance]\nrule = "none"\n'
    )
    ran = trente(
        *("simulate", str(house), "--coups", "1e5", "--seed", "11", "--stake", "25"),
        *("--system", "grande-martingale", "--bankroll", "20000000"),
    )
    assert "restarted 1 time at a limit of the simulation" in " ".join(ran.out.split())
    assert "The law of a session of grande-martingale at fine is out of reach: " in ran.out


def test_a_posted_maximum_cuts_a_system() -> None:
    """T8: --maximum is an amount of each house; a martingale begins again where it is reached."""
    greatest = []
    for options in ((), ("--maximum", "80")):
        ran = trente(
            *("simulate", "italy-half-loss", *SOME, "--system", "martingale", "--unit", "10"),
            *("--bankroll", "none", *options, "--format", "json"),
        )
        (system,) = ran.json["houses"][0]["systems"]
        greatest.append(system["greatest_stake"]["greatest"])
    assert greatest == [5_120_00, 80_00]
    refused = trente(*("simulate", "monte-carlo-1911", *SOME, "--system", "flat", "--maximum", "5"))
    assert refused.status == 2
    assert "5 FRF is below the minimum of 20 FRF" in refused.err


def test_the_json_holds_what_was_to_be_expected() -> None:
    """The same whatever the number of workers, but for the time; by house."""
    options = ("--system", "paroli{coups=2}", "--unit", "100", "--insured", "--policy", "partage")
    one, two = (
        trente("simulate", *HOUSES, *SOME, *options, "--workers", n, "--format", "json").json
        for n in ("1", "2")
    )
    for told in (one, two):
        assert told.pop("seconds") > 0
        assert told.pop("coups_per_second") > 0
    assert one == two
    assert [house["name"] for house in one["houses"]] == list(HOUSES)
    system = one["houses"][1]["systems"][0]
    assert system["insured"] is True
    assert system["policy"] == "partage"
    assert system["bankroll"] == 100_000_00
    assert system["exact"]["edge"] == pytest.approx(0.01, abs=1e-9)
    assert abs(system["exact"]["z"]) < 4
    assert system["premiums"] * 100 == system["staked"]


def test_the_page_of_the_command_names_every_key_of_a_system() -> None:
    """M27: the JSON example and the words below it."""
    ran = trente("simulate", *HOUSES, *SOME, "--system", "flat", "--format", "json")
    system = ran.json["houses"][0]["systems"][0]
    page = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    keys = {*system, *system["exact"], *(system["session_law"] or {"ruin": 0})}
    assert {key for key in keys if f'"{key}"' not in page} == set()


def test_endless_credit_knows_no_ruin() -> None:
    """``--bankroll none``; a chance of one's own."""
    ran = trente(
        *("simulate", "france-2007", *SOME, "--system", "flat", "--bankroll", "none"),
        *("--chance", "noir", "--format", "json"),
    )
    system = ran.json["houses"][0]["systems"][0]
    assert system["ruin"] is None
    assert system["bankroll"] is None
    assert system["bets"] > 19_000
    table = trente("simulate", "france-2007", *SOME, "--system", "flat", "--bankroll", "none")
    assert "endless credit" in table.out


def test_the_bankroll_is_drawn(tmp_path: Path) -> None:
    """U54: an SVG with a panel for each seat, the currency and the ruin in it."""
    pytest.importorskip("matplotlib")
    file = tmp_path / "bankroll.svg"
    ran = trente(
        *("simulate", *HOUSES, *SOME, "--system", "flat", "--system", "martingale"),
        *("--plot", file),
    )
    assert ran.status == 0
    assert "written" in ran.err
    drawn = file.read_text("utf-8")
    assert "<svg" in drawn
    for text in ("monte-carlo-1911: martingale", "france-2007: flat", "FRF", "EUR", "ruined: "):
        assert text in drawn


def test_a_run_is_kept_and_resumed(tmp_path: Path) -> None:
    """Another base stake is another run."""
    file = tmp_path / "run.jsonl"
    words = ("simulate", "france-2007", *SOME, "--system", "flat", "--resume", file)
    first = trente(*words)
    assert trente(*words).out == first.out
    other = trente(*words, "--unit", "20")
    assert other.status == 2
    assert "is of a different run" in other.err


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--system", "martingal"), "did you mean 'martingale'?"),
        (("--system", "paroli{coups=0}"), "0 is out of range (1 or more)"),
        (
            ("--system", "labouchere{line=[10000000000000]}"),
            "is above the maximum of 12000 FRF",
        ),
        (("--system", "flat", "--coups", "0"), "'0' is not a whole number"),
        (("--system", "flat", "--unit", "5"), "below the minimum of 20 FRF"),
        (("--system", "flat", "--unit", "50000"), "above the maximum of 12000 FRF"),
        (("--system", "flat", "--unit", "20.505"), "is not a multiple of"),
        (("--system", "flat", "--unit", "much"), "is not an amount"),
        (("--system", "flat", "--unit", "0"), "above 0"),
        (("--system", "flat", "--bankroll", "10"), "does not pay the first bet"),
        (("--system", "flat", "--chance", "rogue"), "no chance 'rogue'"),
        (("--system", "flat", "--chance", "rouge", "--chance", "noir"), "one --chance"),
        (("--system", "flat", "--session", "0"), "'0' is not a whole number"),
        (("--system", "flat", "--plot", "bankroll.gif"), "'.gif'"),
        (("--system", "flat", "--plot", "no folder/bankroll.svg"), "there is no such folder"),
        (("--unit", "20"), "name one with --system"),
        (("--stake", "20"), "name one with --system"),
        (("--permanence", "mine.txt"), "name one with --system"),
        (("--system", "flat", "--results", "W", "--permanence", "x.txt"), "not both"),
        (("--system", "flat", "--results", "W", "--seed", "1"), "--seed does nothing with"),
        (("--system", "flat", "--results", "W Q"), "'Q' is not a result"),
        (("--plot", "bankroll.svg"), "name one with --system"),
    ],
)
def test_what_is_asked_for_wrongly_is_misuse(options: tuple[str, ...], told: str) -> None:
    """Exit status 2, and a sentence."""
    seed = () if "--results" in options else ("--seed", "1")
    ran = trente("simulate", "monte-carlo-1911", *seed, *options)
    assert ran.status == 2
    assert told in ran.err
    assert ran.out == ""


def test_hints_fit_what_was_refused() -> None:
    """Another base stake is no help where the chance, or the insurance, is refused."""
    words = ("simulate", "--seed", "1", "--system", "flat")
    side = trente(*words, "venezia-online", "--chance", "any-apres", "--unit", "10")
    assert "with a stake on a simple chance" in side.err
    uninsured = trente(*words, "german-spas-1840", "--insured")
    assert "does not insure" in uninsured.err
    assert "base stake" not in side.err + uninsured.err


def test_an_interrupt_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was dealt is printed, and the exit status is that of an interrupt."""

    def cut_short(*arguments: object, **options: object) -> object:
        def stop(_done: int, _total: int) -> None:
            raise KeyboardInterrupt

        return simulate_systems(*arguments, **{**options, "progress": stop})  # type: ignore[arg-type]

    monkeypatch.setattr(module, "simulate_systems", cut_short)
    ran = trente("simulate", "france-2007", "--coups", "2e6", "--system", "flat", "--workers", "1")
    assert ran.status == 130
    assert "interrupted: the figures are of the shoes that were dealt" in ran.err
    assert "flat" in ran.out


def test_counting_is_reported_by_depth() -> None:
    """The answer first; a line for each part of the shoe, one for all; what was published."""
    ran = trente("count", "italy-half-loss", "--shoes", "1", "--seed", "1")
    assert ran.status == 0
    lines = ran.out.splitlines()
    assert lines[0].startswith("italy-half-loss: ")
    assert lines[3] == "the best simple chance, uninsured: none of 26 coups favours the player"
    assert lines[5].startswith("the best simple chance, insured or not: none")
    assert sum(line.startswith("0 to 10 %") for line in lines) == 1
    assert sum(line.startswith("all ") for line in lines) == 1
    assert sum(line.startswith("couleur  ") for line in lines) == 3
    assert sum(line.startswith("couleur, red") for line in lines) == 1
    assert "Thorp and Walden (1973)" in ran.out
    assert max(map(len, lines)) <= 88
    flat = trente("count", "italy-half-loss", "--shoes", "1", "--seed", "4", "--format", "csv").out
    assert flat.startswith("chance,wager,of_the_shoe,coups,favourable,mean_edge,least_edge\n")


def test_counting_as_json() -> None:
    """The same figures for programs; a house that insures nothing has none of that."""
    told = trente("count", "foster-1897", "--shoes", "1", "--seed", "4", "--format", "json").json
    assert told["house"] == "foster-1897"
    assert told["insured"] is None
    assert told["uninsured"]["coups"] == told["coups"]
    assert {each["wager"] for each in told["watched"]} == {"uninsured"}


@pytest.mark.slow
def test_a_side_bet_is_counted_with_the_stake_that_it_needs() -> None:
    """M2: its costs, the limit on raises, and what was published on the simple chances alone."""
    words = ("count", "venezia-online", "--shoes", "4", "--seed", "2")
    out = " ".join(trente(*words).out.split())
    assert "any-apres is taken only with a stake on a simple chance, which costs" in out
    assert "With the maximum on any-apres the two together gain" in out
    assert "The house limits raises." in out
    assert "no practical advantage at trente et quarante, on the simple chances." in out
    told = trente(*words, "--format", "json").json
    tables = told["tables"]["any-apres"]
    assert [each["minimum"] for each in tables] == [200, 500, 1000, 2000, 5000, 10000, 20000]
    (watched,) = [each for each in told["watched"] if each["name"] == "any-apres"]
    gain, cost = watched["gain_per_coup_watched"], watched["cost_of_simple_stakes"]
    net = 4100 * gain - 200 * cost / watched["coups"]
    assert tables[0]["net_per_coup"] == pytest.approx(net)
    assert told["best"]["name"] == "all chances"


def test_counting_no_shoes_is_misuse() -> None:
    """Exit status 2."""
    ran = trente("count", "--shoes", "0")
    assert ran.status == 2
    assert "'0' is not a whole number from 1 to 100000" in ran.err


def test_counting_that_is_stopped_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Before the first shoe there is nothing; after it, the figures of what was dealt."""

    def one_shoe(*arguments: object, **options: object) -> object:
        def stop(_done: int, _total: int) -> None:
            raise KeyboardInterrupt

        return count_shoes(*arguments, **{**options, "progress": stop})  # type: ignore[arg-type]

    monkeypatch.setattr(counting, "count_shoes", one_shoe)
    ran = trente("count", "italy-half-loss", "--shoes", "2", "--seed", "4", "--workers", "1")
    assert ran.status == 130
    assert "interrupted" in ran.err


@pytest.mark.nightly
def test_a_cluster_gives_the_same_figures() -> None:
    """``--dask`` by the address of a scheduler: systems, and flat stakes."""
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=2, processes=False, dashboard_address=None
    ) as own:
        for options in (("--system", "flat"), ("--policies", "default")):
            words = ("simulate", "france-2007", "--coups", "2e5", "--seed", "7", *options)
            there = trente(*words, "--dask", own.scheduler_address)
            assert there.status == 0
            assert there.out == trente(*words).out


@pytest.mark.nightly
def test_nobody_answers_at_an_address() -> None:
    """A sentence, after ten seconds."""
    pytest.importorskip("distributed")
    ran = trente("simulate", "france-2007", "--coups", "1e5", "--dask", "tcp://127.0.0.1:1")
    assert ran.status == 2
    assert "no dask scheduler answers at 'tcp://127.0.0.1:1'" in ran.err
