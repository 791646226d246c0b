"""Rules of other houses: every example of docs/other-rules.md is loaded, computed and simulated."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Final

import pytest
from attrs import frozen

from trente_rules import House, loads_house
from trente_rules.core.money import Amount
from trente_rules.odds.advantage import advantage
from trente_rules.odds.coup_odds import odds_of
from trente_rules.simulation.flat import simulate

PAGE: Final = Path(__file__).parents[2] / "docs" / "other-rules.md"
ONE_IN_A_THOUSAND: Final = 3.2905
_HEADING: Final = re.compile(r"^### (.+)$", re.MULTILINE)
_BLOCK: Final = re.compile(r"```toml\n(.*?)```", re.DOTALL)
_AMOUNT: Final = re.compile(r"advantage at ([0-9.]+)")


@frozen
class Figure:
    """One line of a table: a wager, and its advantage as the page prints it."""

    chance: str
    insured: bool
    choices: str
    advantage: str
    stake: str


@frozen
class Example:
    """One rule of the page: its heading, its house, the figures printed for it."""

    title: str
    text: str
    figures: tuple[Figure, ...]


def _figures(section: str) -> Iterator[Figure]:
    lines = [line for line in section.splitlines() if line.startswith("|")]
    stake = ""
    for line in lines:
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if cells[0] == "chance":
            found = _AMOUNT.fullmatch(cells[-1])
            stake = found[1] if found else ""
        elif not cells[0].startswith("---"):
            chance, insured, choices, figure = cells
            yield Figure(chance, insured == "yes", choices or "no choice", figure, stake)


def _examples() -> tuple[Example, ...]:
    _before, *parts = _HEADING.split(PAGE.read_text("utf-8"))
    pairs = zip(parts[::2], parts[1::2], strict=True)
    return tuple(
        Example(title, block[1], tuple(_figures(section)))
        for title, section in pairs
        if (block := _BLOCK.search(section))
    )


EXAMPLES: Final = _examples()
of_example = pytest.mark.parametrize("example", EXAMPLES, ids=[e.title for e in EXAMPLES])


@cache
def house_of(example: Example) -> House:
    """Return the house of an example."""
    return loads_house(example.text)


def stake_of(example: Example, figure: Figure) -> int | None:
    """Return the stake that a figure is for, in units; None for a nominal one."""
    return house_of(example).money.units(Amount(Fraction(figure.stake))) if figure.stake else None


@of_example
def test_an_example_is_a_house_without_a_fault(example: Example) -> None:
    """Every example loads; its name is that of no other example."""
    assert house_of(example).name
    assert [house_of(other).name for other in EXAMPLES].count(house_of(example).name) == 1


@of_example
def test_the_figures_of_an_example_are_exact(example: Example) -> None:
    """Each printed advantage is the exact one, to the last digit printed."""
    house = house_of(example)
    for figure in example.figures:
        found = [
            f"{float(wager.edge):.5%}".replace("%", " %")
            for wager in advantage(
                house,
                odds_of("own", house.shoe.packs),
                chances=[figure.chance],
                stake=stake_of(example, figure),
                opening=house.lowest_opening(stake_of(example, figure) or 0),
            ).wagers
            if wager.insured == figure.insured and str(wager.policy) == figure.choices
        ]
        assert found == [figure.advantage], figure


@pytest.mark.slow
@of_example
def test_the_figures_of_an_example_are_those_of_a_simulation(example: Example) -> None:
    """Each printed advantage is met over half a million coups that are sure to be completed."""
    pytest.importorskip("numba")
    house = house_of(example)
    for stake in dict.fromkeys(stake_of(example, figure) for figure in example.figures):
        opening = house.lowest_opening(stake or 0)
        played = simulate(house, coups=5e5, seed=31, stake=stake, opening=opening).houses[0].wagers
        for figure in example.figures:
            if stake_of(example, figure) != stake:
                continue
            (wager,) = (
                each
                for each in played
                if (each.chance, each.insured) == (figure.chance, figure.insured)
                and str(each.policy) == figure.choices
            )
            edge, error = wager.sure.edge, wager.sure.standard_error
            assert edge is not None
            assert error is not None
            exact = float(figure.advantage.removesuffix(" %")) / 100
            assert abs(float(edge) - exact) < ONE_IN_A_THOUSAND * error + 1e-7, figure
