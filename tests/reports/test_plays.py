"""The plays that have a name: best, default, worst, partage, prison, insured."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest
from tests.properties.meeting import meets
from tests.properties.shipped import random_house

from trente_rules import House, load_house
from trente_rules.core.money import Amount
from trente_rules.odds.advantage import advantage
from trente_rules.odds.coup_odds import odds_of
from trente_rules.reports.comparison import compare
from trente_rules.reports.plays import PLAYS, Plays, plays_of


def simple(house: House, stake: int | None = None) -> Plays:
    """Return the plays of the simple chances, which are alike in every shipped house."""
    amount = None if stake is None else Amount(Fraction(stake))
    (one,) = compare([house], stake=amount)
    (plays,) = (
        each
        for each in plays_of(house, one.advantage.wagers, one.scopes)
        if house.chance(each.chances[0]).simple
    )
    return plays


def shown(plays: Plays) -> list[str]:
    """Return the edges in the order of PLAYS, in per cent, to four places."""
    edges = map(plays.edge, PLAYS)
    return ["-" if edge is None else f"{float(edge) * 100:.4f}" for edge in edges]


@pytest.mark.parametrize(
    ("house", "edges"),
    [
        ("wilhelmsbad-1840", ["0.0000", "0.0000", "0.0000", "-", "-", "-"]),
        ("italy-half-loss", ["1.0946", "1.0946", "1.0946", "-", "-", "1.0000"]),
        ("france-2007", ["1.0946", "1.1079", "1.1079", "1.0946", "1.1079", "1.0000"]),
        ("homburg-1860", ["1.0946", "1.1208", "1.1208", "1.0946", "1.1208", "-"]),
        ("hoyle-19c", ["1.1082", "1.1082", "1.1082", "-", "1.1082", "-"]),
        ("campione", ["1.0946", "1.1082", "1.1082", "1.0946", "1.1082", "1.0000"]),
        ("italian-program", ["2.1891", "2.1891", "2.1891", "-", "-", "1.0000"]),
        ("german-spas-1840", ["5.4727", "5.7896", "5.7896", "5.4727", "5.7896", "-"]),
    ],
)
def test_the_plays_of_shipped_houses(house: str, edges: list[str]) -> None:
    """Partage where a player may ask for it, prison where a stake goes there (sketch 1)."""
    assert shown(simple(load_house(house))) == edges


def test_an_insured_play_is_best_only_where_it_loses_the_least_money() -> None:
    """At the least stake of the house without a stake, at the stake where one is named (U4)."""
    assert simple(load_house("france-2007")).insured_best  # 1 % of 10 EUR is paid exactly
    assert not simple(load_house("monte-carlo-1911")).insured_best  # 22.8 % at 20 FRF
    assert not simple(load_house("campione")).insured_best  # multiples of 500 CHF alone
    assert simple(load_house("campione"), 500).insured_best
    assert not simple(load_house("monte-carlo-1911"), 100).insured_best
    assert simple(load_house("monte-carlo-1911"), 1000).insured_best
    assert simple(load_house("monte-carlo-1911"), 1000).overall.insured


def test_a_premium_in_prison_is_no_uninsured_play(tmp_path: Path) -> None:
    """Best and worst pay no premium, though each stake begins without insurance (U4)."""
    file = tmp_path / "both.toml"
    file.write_text(
        '[house]\nname = "both"\nextends = "france-2007"\n'
        '[insurance]\nrate = "1/5"\ncovers = ["free", "prison"]\n',
        encoding="utf-8",
    )
    dear, usual = simple(load_house(file)), simple(load_house("france-2007"))
    for play in ("best", "default", "worst", "partage", "prison"):
        assert dear.edge(play) == usual.edge(play)


OWN_MACHINE = """[house]
name = "own"
extends = "italy-half-loss"
[refait]
rule = "custom"
[refait.machine.free]
refait = [
  { course = "third", returned = "1/3", default = true },
  { course = "cellar", staying = "1", state = "cellar" },
]
[refait.machine.cellar]
refait = [{ course = "halved", staying = "1/2", state = "cellar" }]
close = [{ course = "closed", returned = "1/2" }]
"""


def test_plays_come_from_the_machine_not_from_names(tmp_path: Path) -> None:
    """A machine with other names has the same plays: what its courses do decides."""
    file = tmp_path / "own.toml"
    file.write_text(OWN_MACHINE, "utf-8")
    plays = simple(load_house(file))
    assert plays.partage == plays.default == plays.worst
    assert str(plays.partage.policy if plays.partage is not None else "") == "free/refait: third"
    assert str(plays.prison.policy if plays.prison is not None else "") == "free/refait: cellar"
    assert plays.prison == plays.best


@pytest.mark.slow
@meets(house=random_house())
def test_every_house_has_its_plays(house: House) -> None:
    """Any machine: the default lies between best and worst, and each play is one of its wagers."""
    wagers = advantage(house, odds_of("own", house.shoe.packs)).wagers
    found = plays_of(house, wagers)
    assert {chance for plays in found for chance in plays.chances} == {c.id for c in house.chances}
    for plays in found:
        assert plays.best.edge <= plays.default.edge <= plays.worst.edge
        for play in (plays.partage, plays.prison):
            assert play is None or play in wagers
        for play in (plays.best, plays.default, plays.worst, plays.partage, plays.prison):
            assert play is None or not (play.insured or play.policy.insured)
