"""U38: faults and refusals say amounts in the currency, as they are written, never in units."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
from tests.table.driving import Driver

import trente_rules
from trente_rules import BetError, ConfigurationError, Opening, load_house, loads_house
from trente_rules.table import OpenBets, Place, Withdraw

SOURCE: Final = Path(trente_rules.__file__).parent
OF_UNITS: Final = {
    "core/stakes.py": "a stake and an opening are made of units, before a house is known",
    "table/invariants.py": "a state that cannot be: for whoever looks for the fault in the library",
    "service/messages.py": "a message of the wire is in units",
    "simulation/arrays.py": "the limit of an engine, whatever the house",
    "simulation/staking.py": "the bankroll is given in units",
}
"""Where a message speaks of units, and why."""
HALVES: Final = """[house]
name = "u"
extends = "france-2007"
[money]
unit = "0.50"
[limits]
"""


def spoken_in_units() -> Iterator[str]:
    """Return the files of which a string with a value in it says "units"."""
    for path in sorted(SOURCE.rglob("*.py")):
        tree = ast.parse(path.read_text("utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, ast.JoinedStr) and len(node.values) > 1:
                words = " ".join(
                    str(each.value) for each in node.values if isinstance(each, ast.Constant)
                )
                if " units" in f" {words}".replace("minutes", ""):
                    yield path.relative_to(SOURCE).as_posix()


@pytest.mark.slow
def test_no_other_message_speaks_of_units() -> None:
    """U38, the kind: each string with a value is looked at; the exceptions have a reason."""
    assert {*spoken_in_units()} == {*OF_UNITS}


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ("minimum = 100\nmaximum = 50", "50 EUR is below the minimum of 100 EUR"),
        ('minimum = "0.75"', "0.75 EUR is not a multiple of 0.50 EUR"),
        ("minimum = 20\nstep = 30\nmaximum = 25", "no stake on rouge is a multiple of 30 EUR"),
        ("minimum = 20\ntable_maximum = 10", "a stake of 20 EUR alone is above 10 EUR"),
    ],
)
def test_faults_of_a_house_with_half_units(keys: str, said: str) -> None:
    """U38: "a maximum of 100 units is below the minimum of 200" before."""
    with pytest.raises(ConfigurationError) as caught:
        loads_house(HALVES + keys)
    assert said in str(caught.value)
    assert " unit" not in str(caught.value)


def test_refusals_of_a_table_with_half_units() -> None:
    """U38: bets, and what is taken back."""
    table = Driver(loads_house(f"{HALVES}minimum = 10\nmaximum = 100"))
    table.shoe((33, 31))
    table.do(OpenBets)
    stake = {"stake": "p", "player": "a", "chance": "rouge"}
    for amount in (5, 500):
        with pytest.raises(BetError) as caught:
            table.do(Place, **stake, amount=amount)
        assert "EUR" in str(caught.value)
        assert "unit" not in str(caught.value)
    table.do(Place, **stake, amount=40)
    with pytest.raises(BetError, match=r"cannot be reduced by 25.* EUR"):
        table.do(Withdraw, stake="p", amount=50)


def test_an_opening_that_no_table_has_is_told_in_the_currency() -> None:
    """U38: venezia-online has seven tables, by their minima."""
    house = load_house("venezia-online")
    with pytest.raises(BetError, match=r"a minimum of .* EUR") as caught:
        house.check_opening(Opening(3))
    assert caught.value.hint.count("EUR") > 3
