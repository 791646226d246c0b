"""Cards from which a coup is nearly or quite certain, by both engines."""

from __future__ import annotations

import pytest

pytest.importorskip("numba")

from tests.cli.calling import trente

from trente_rules.core.house.loading import load_house
from trente_rules.odds.advantage import advantage
from trente_rules.odds.remaining import Composition, Engine, deal_odds

CERTAIN = ("X:96", "X:400", "8:60", "5:80", "9:40,X:1r+0b", "A:80", "X:2r+1b")
HOUSES = ("france-2007", "germany-500", "venezia-online")
ENGINES: tuple[Engine, ...] = ("exact", "fast")


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("cards", CERTAIN)
def test_the_law_sums_to_one_and_no_variance_is_negative(cards: str, engine: Engine) -> None:
    """Of every chance: a certain coup has variance 0, not a rounding error below it (M4)."""
    odds = deal_odds(Composition.parse(cards), engine)
    for name in HOUSES:
        house = load_house(name)
        laws = [odds.verdicts(chance.table) for chance in house.chances]
        assert all(min(law) >= 0 for law in laws)
        assert len({sum(law) for law in laws}) == 1
        if sum(laws[0]) == 1:
            for wager in advantage(house, odds).wagers:
                assert wager.variance >= 0, (name, wager)
        else:
            assert cards == "X:2r+1b"


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("cards", ["X:96", "X:400", "8:60", "5:80"])
def test_the_command_prints_a_certain_coup(cards: str, engine: Engine) -> None:
    """`trente odds` with either engine: 40 or 32 or 35 in both rows, and no traceback (M4)."""
    done = trente("odds", "--engine", engine, "--remaining", cards, "--format", "json")
    assert done.status == 0, done.err
    assert done.json
