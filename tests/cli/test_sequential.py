"""``--sequential``: the advantage with the dependence within a shoe, in every format."""

from __future__ import annotations

import csv
import io

import pytest
from tests.cli.calling import trente

from trente_rules.core.house.loading import load_house
from trente_rules.odds.sequential import sequential

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
        (("compare", "homburg-1860", "--sequential", "--deal", "8-packs"), "8 packs"),
    ],
)
def test_what_it_does_not_go_with_is_told(arguments: tuple[str, ...], told: str) -> None:
    """Misuse, and packs of which no law is stored, in a sentence."""
    ran = trente(*arguments)
    assert ran.status == 2
    assert told in ran.err
    assert not ran.out
