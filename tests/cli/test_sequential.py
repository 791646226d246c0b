"""``--sequential``: the advantage with the dependence within a shoe, in every format."""

from __future__ import annotations

import csv
import io
from importlib import import_module

import pytest
from tests.cli.calling import trente

from trente_rules.core.errors import TrenteError
from trente_rules.core.house.loading import load_house
from trente_rules.odds.sequential import after_tie, sequential

odds_sequential = import_module("trente_rules.odds.sequential")
"""The module; the package has a function of its name."""
KEYS = ("edge_sequential", "difference", "error_bound")


@pytest.mark.parametrize(
    "command",
    [("compare", "homburg-1860", "--chance", "rouge"), ("odds", "--house", "homburg-1860")],
)
def test_json_tells_both_advantages(command: tuple[str, ...]) -> None:
    """Each wager has the sequential edge, the difference and its bound; without the flag none."""
    found = trente(*command, "--format", "json", "--sequential").json
    wagers = found["houses"][0]["wagers"] if "houses" in found else found["edges"]
    expected = sequential(load_house("homburg-1860")).wagers
    for entry, wager in zip(wagers, expected, strict=False):
        assert entry["chance"] == wager.chance
        assert entry["edge"] == float(wager.independent)
        assert entry["edge_sequential"] == float(wager.sequential)
        assert entry["difference"] == float(wager.difference)
        assert entry["error_bound"] == float(wager.error)
    prison = wagers[0]
    assert prison["difference"] < -prison["error_bound"] < 0
    plain = trente(*command, "--format", "json").out
    assert not any(key in plain for key in KEYS)


@pytest.mark.slow
def test_csv_has_three_columns_more() -> None:
    """The columns of compare, and the three keys."""
    rows = list(
        csv.DictReader(io.StringIO(trente("compare", "--sequential", "--format", "csv").out))
    )
    assert tuple(rows[0])[-3:] == KEYS
    assert {row["house"] for row in rows} >= {"german-spas-1840", "wilhelmsbad-1840"}
    assert "edge_sequential" not in trente("compare", "--format", "csv").out


def test_the_table_says_what_is_exact_and_what_is_bounded() -> None:
    """A prison that only repeats is exact; one whose second refait takes all has a bound."""
    told = trente("compare", "monte-carlo-1911", "homburg-1860", "--sequential", "--full").out
    assert "later coups count as independent" in told
    table = told.split("The same, with the dependence within a shoe")[1].split("The bank.s")[0]
    lines = {
        tuple(line.split()[:1]) + tuple(line.split()[-2:])
        for line in table.splitlines()
        if "free/refait: prison" in line
    }
    assert ("monte-carlo-1911", "none", "exact") in lines
    assert any(line[0] == "homburg-1860" and line[-1] == "%" for line in lines)
    assert "Later coups count as independent" in " ".join(trente("odds").out.split())


def test_a_stake_is_rounded_in_both() -> None:
    """With --stake both figures are of that stake."""
    entry = trente(
        "compare", "france-2007", "--stake", "7", "--sequential", "--format", "json"
    ).json["houses"][0]["wagers"][0]
    assert entry["stake"] == 7
    assert 0 < abs(entry["difference"]) < 1e-5


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("compare", "--sequential", "--deal", "infinite"), "needs a shoe of 1 to 8"),
        (("compare", "--sequential", "--against", "homburg-1860"), "--against"),
        (("odds", "--sequential", "--remaining", "X:100"), "full shoe"),
    ],
)
def test_what_it_does_not_go_with_is_told(arguments: tuple[str, ...], told: str) -> None:
    """Misuse, in a sentence."""
    ran = trente(*arguments)
    assert ran.status == 2
    assert told in ran.err
    assert not ran.out


@pytest.mark.parametrize("command", ["compare", "odds"])
def test_a_house_without_a_law_does_not_keep_the_others_out(
    command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """M17: dashes and the reason for that house, figures for the others; null in JSON."""

    def stored(packs: int) -> object:
        if packs == 6:
            raise TrenteError("what follows a tie is not computed for 6 packs", "no-law-after-tie")
        return kept(packs)

    kept = odds_sequential._stored
    monkeypatch.setattr(odds_sequential, "_stored", stored)
    after_tie.cache_clear()
    named = ("homburg-1860", "german-spas-1840") if command == "compare" else ()
    asked = ("odds", "--house", "homburg-1860") if not named else ("compare", *named)
    table = trente(*asked, "--sequential").out
    found = trente(*asked, "--sequential", "--format", "json").json
    after_tie.cache_clear()
    lines = table.split("The same, with the dependence within a shoe")[1].splitlines()
    row = next(line.split() for line in lines if line.startswith("homburg-1860"))
    assert row[-6:] == ["-"] * 6
    assert "homburg-1860: what follows a tie is not computed for 6 packs" in table
    first = found["houses"][0]["wagers"] if named else found["edges"]
    assert {entry["edge_sequential"] for entry in first} == {None}
    if named:
        assert any(line.startswith("german-spas-1840") and "0.0" in line for line in lines)
        assert found["houses"][1]["wagers"][0]["edge_sequential"] > 0


def test_every_number_of_packs_is_answered() -> None:
    """M17: `odds --packs 1 --sequential` and the like have figures, one line a policy."""
    for packs in (2, 4, 8):
        table = trente("odds", "--packs", str(packs), "--sequential").out
        assert "sequential edge" in table
        assert "not computed" not in table
