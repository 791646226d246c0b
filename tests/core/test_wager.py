"""Wagers: what a house resolves once, and the way of a stake through the package."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from tests.whole_units import whole_house

import trente_rules
from trente_rules import (
    NOIR,
    ROUGE,
    BetError,
    Choice,
    House,
    Stake,
    load_house,
    loads_house,
    settle,
    void_coup,
)
from trente_rules.core.machine import FREE
from trente_rules.core.settlement import wager_of
from trente_rules.table.state import premium_of
from trente_rules.testing import coup_with

ROOT = str(Path(trente_rules.__file__).parent)
GERMAN = load_house("german-spas-1840")
INSURED = "france-2007"


def files_entered(call: Callable[[], object]) -> set[str]:
    """Return the files of the package that a call enters."""
    entered: set[str] = set()

    def hook(frame: FrameType, event: str, _argument: Any) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(ROOT):
            entered.add(frame.f_code.co_filename.removeprefix(ROOT))

    sys.setprofile(hook)
    try:
        call()
    finally:
        sys.setprofile(None)
    return entered


def test_a_stake_is_settled_in_at_most_five_files() -> None:
    """A2: one stake, a refait, a choice: the way stays in the core and does not wander."""
    house, stakes = load_house("monte-carlo-1911"), [Stake("a1", "alice", ROUGE, 100)]
    choices = [Choice("a1", "partage")]
    assert settle(house, coup_with(31, 31), stakes, choices).lines[0].returned == 50
    coup = coup_with(31, 31)
    entered = files_entered(lambda: settle(house, coup, stakes, choices))
    assert len(entered) <= 5, entered


def test_a_wager_is_resolved_once() -> None:
    """The same value whenever it is asked for, with what acts on it."""
    house = load_house(INSURED)
    wager = house.wager(ROUGE, insured=True)
    assert wager is house.wager(ROUGE, insured=True)
    assert wager.chance is house.chance(ROUGE)
    assert wager.machine is house.machine
    assert wager.insurance is house.insurance_table
    assert [each.insured for each in house.wagers_on(ROUGE)] == [False, True]


def test_what_a_house_has_not_is_named() -> None:
    """A chance, or an insurance."""
    with pytest.raises(BetError) as caught:
        GERMAN.wager("zero")
    assert caught.value.code == "unknown-chance"
    with pytest.raises(BetError) as caught:
        load_house("wilhelmsbad-1840").wager(ROUGE, insured=True)
    assert caught.value.code == "no-insurance"


@pytest.mark.parametrize("amount", [100, 105, 12_345])
def test_the_premium_of_a_stake_is_one_figure(amount: int) -> None:
    """A1 1p: the table, a void coup, a settled coup and the wager say the same."""
    house = whole_house(INSURED)
    stake = Stake("a", "ann", NOIR, amount, insured=True)
    said = {
        house.wager(NOIR, insured=True).premium(amount).units,
        premium_of(house, stake),
        void_coup(house, [stake]).lines[0].premium_returned,
        settle(house, coup_with(31, 31), [stake]).lines[0].premium,
    }
    assert len(said) == 1
    assert said != {0}


def test_a_stake_without_proof_is_on_the_uninsured_wager() -> None:
    """Where the house says so; its premium is then nothing."""
    house = load_house(INSURED)
    stake = Stake("a", "ann", NOIR, 1000, insured=True, proof=False)
    assert wager_of(house, stake) is house.wager(NOIR)
    assert house.wager(NOIR).premium(1000).units == 0


ORDER = """
[house]
name = "ordered"
[refait]
rule = "prison"
[settlement]
pay = ["inverse", "noir", "rouge", "couleur"]
pay_from = "{}"
collect_from = "{}"
"""


def ordered(pay_from: str, collect_from: str) -> House:
    """Return a house that pays chances by rank."""
    return loads_house(ORDER.format(pay_from, collect_from))


@pytest.mark.parametrize("pay_from", ["nearest", "farthest"])
@pytest.mark.parametrize("collect_from", ["nearest", "farthest"])
@pytest.mark.parametrize("points", [(31, 31), (33, 36), (40, 32), (35, 35)])
def test_the_order_of_settlement_has_an_inverse(
    pay_from: str, collect_from: str, points: tuple[int, int]
) -> None:
    """A1 1g: with pay ranks and four chances; each chance lies as it lay, losers too."""
    house = ordered(pay_from, collect_from)
    chances = ("couleur", "rouge", "inverse", "noir", "rouge", "inverse", "couleur", "noir")
    stakes = [Stake(f"s{n}", "ann", chance, 100 + n) for n, chance in enumerate(chances)]
    lines = settle(house, coup_with(*points), stakes).lines
    lying = house.settlement.lying(lines)
    again = settle(house, coup_with(*points), [line.stake for line in lying]).lines
    assert again == lines
    for chance in set(chances):
        on = [stake.id for stake in stakes if stake.chance == chance]
        assert [line.stake.id for line in lying if line.stake.chance == chance] == on
    lost = [line.stake.id for line in lying if line.forfeited]
    assert lost == sorted(lost)


def test_free_is_defined_once() -> None:
    """A1 1q: the state every stake starts in has one name."""
    assert Stake("a", "ann", ROUGE, 1).state is FREE
    found = [
        path for path in Path(ROOT).rglob("*.py") if 'Final = "free"' in path.read_text("utf-8")
    ]
    assert [path.name for path in found] == ["machine.py"]


def test_a_house_is_loaded_in_few_files() -> None:
    """A2: of 21 files at first, when no name was typed freely; each module checks its table."""
    for name in ("monte-carlo-1911", INSURED, "german-spas-1840"):
        load_house(name)
        entered = files_entered(lambda: load_house(name))  # noqa: B023 - called at once
        assert len(entered) <= 20, entered


def test_only_what_a_croupier_says_is_called() -> None:
    """Prison, partage and freedom (libre) are called, what every stake meets is not."""
    wager = load_house("monte-carlo-1911").wager(ROUGE)
    names = {
        course.name
        for answer in wager.machine.answers
        for course in wager.courses(answer.state, answer.verdict)
    }
    assert wager.called == {"prison", "partage", "freed"}
    assert names - wager.called == {"won", "lost", "taken-back", "stays", "closed"}
    assert load_house("italy-half-loss").wager(ROUGE).called == set()
