"""The path of a stake under every policy: nominal, and in whole units."""

from __future__ import annotations

from fractions import Fraction

import pytest
from tests.table.laws import house_like
from tests.whole_units import whole_house

from trente_rules import BetError, Stake, TrenteError, Verdict
from trente_rules.core import wager as wagers
from trente_rules.core.machine import FREE
from trente_rules.core.wager import Step, WagerPath

PREMIUM = Fraction(1, 100)
HALF = Fraction(1, 2)
PRISONS = '[insurance]\nrule = "rate"\ncovers = ["prison"]\nminimum_stake = 0\n'
NESTED = """[refait]
rule = "prison"
levels = 2
again = "quarter-lost"
last = "lose"
close = ["1/2", "1/4"]
partage = ["0", "0", "1/2"]
"""


def path_of(paths: list[WagerPath], *choices: tuple[str, str]) -> WagerPath:
    """Return the one path whose policy makes these choices."""
    (found,) = [path for path in paths if set(choices) <= set(path.policy.choices)]
    return found


def test_a_policy_that_insures_in_prison_pays_the_premium_there_alone() -> None:
    """Nominal figures: the free stake pays none, and each coup in prison costs one."""
    wager = house_like("france-2007", PRISONS).wager("rouge")
    paths = [*wager.paths()]
    insured = path_of(paths, ("prison/insured", "yes"))
    assert [*insured.steps] == [FREE, "prison"]
    assert {step.premium for step in insured.steps[FREE].values()} == {0}
    assert {step.premium for step in insured.steps["prison"].values()} == {PREMIUM}
    assert insured.steps["prison"][Verdict.REFAIT] == Step(-PREMIUM, Fraction(1), "prison", PREMIUM)
    for path in paths:
        if path is not insured:
            assert {step.premium for here in path.steps.values() for step in here.values()} == {0}


def test_an_insured_wager_pays_no_premium_in_a_state_that_is_not_covered() -> None:
    """Where insurance covers the prison alone, the nominal stake becomes insured there."""
    wager = house_like("france-2007", PRISONS).wager("rouge", insured=True)
    path = path_of([*wager.paths()], ("free/refait", "prison"))
    assert path.steps[FREE][Verdict.WIN] == Step(Fraction(2))
    assert path.steps[FREE][Verdict.REFAIT] == Step(Fraction(0), Fraction(1), "prison")
    assert path.steps["prison"][Verdict.WIN] == Step(1 - PREMIUM, premium=PREMIUM)
    free = Stake("s1", "ann", "rouge", 100, insured=True)
    assert {wager.settle(free, verdict).premium for verdict in wager.chance.verdicts} == {0}


@pytest.mark.parametrize(
    ("extra", "amount", "back"),
    [
        ('partage_not_below = ["none", "none", 2]\n', 4, Fraction(0)),
        ('partage_not_below = ["none", "none", 2]\n', 8, Fraction(3, 8)),
        ('[money]\nunit = 1\nrounding = "refuse"\n', 4, Fraction(0)),
        ('[money]\nunit = 1\nrounding = "refuse"\n', 8, Fraction(3, 8)),
    ],
)
def test_a_stake_too_small_for_the_course_of_its_policy_takes_the_default(
    extra: str, amount: int, back: Fraction
) -> None:
    """Of 4 units 3 are worth something in the second prison: no 2 of them, nor half, come back."""
    wager = house_like("france-2007", NESTED + extra).wager("rouge")
    path = path_of([*wager.paths(stake=amount)], ("prison-2/refait", "partage"))
    (second,) = [state for state in path.steps if state.startswith("prison-2")]
    assert path.steps[second][Verdict.REFAIT] == Step(back)
    assert path.steps[second][Verdict.WIN] == Step(Fraction(3, 4))


def test_an_opening_that_a_choice_at_the_close_needs_is_asked_for() -> None:
    """The table closes: what is offered from the minimum up depends on a minimum posted daily."""
    house = house_like(
        "france-2007",
        '[refait]\nrule = "custom"\n'
        '[refait.machine.free]\nrefait = [{course = "in", staying = 1, state = "prison"}]\n'
        '[refait.machine.prison]\nrefait = [{course = "lost"}]\n'
        "close = [\n"
        '  {course = "half", returned = "1/2", default = true},\n'
        '  {course = "more", returned = "3/4", offered_from = "minimum"},\n'
        "]\n",
    )
    wager, verdicts = house.wager("rouge"), [Verdict.REFAIT, Verdict.CLOSE]
    with pytest.raises(BetError) as caught:
        [*wager.paths(stake=4, verdicts=verdicts)]
    assert caught.value.code == "opening-needed"
    (path,) = wager.paths(stake=4, verdicts=verdicts, opening=house.lowest_opening())
    assert path.steps["prison 1"][Verdict.CLOSE] == Step(HALF)


@pytest.mark.parametrize(
    ("name", "amount", "returned", "keeps"),
    [
        ("france-2007", None, HALF, HALF),
        ("france-2007", 100, HALF, 1),
        ("france-2007", 5, Fraction(2, 5), 1),
        ("italy-half-loss", None, HALF, None),
        ("italy-half-loss", 100, HALF, None),
        ("italy-half-loss", 5, Fraction(2, 5), None),
    ],
)
def test_a_refait_costs_what_the_policy_chooses(
    name: str, amount: int | None, returned: Fraction, keeps: Fraction | int | None
) -> None:
    """A half of 5 units is 2; in prison a nominal stake halves, and a real one keeps its units."""
    paths = [*whole_house(name).wager("rouge").paths(stake=amount)]
    for path in paths:
        assert all(
            not step.target or step.target in path.steps
            for here in path.steps.values()
            for step in here.values()
        )
    if keeps is None:
        (path,) = paths
        assert [*path.steps] == [FREE]
    else:
        path = path_of(paths, ("free/refait", "partage"))
        waiting = path_of(paths, ("free/refait", "prison"), ("prison/refait", "prison"))
        prison = waiting.steps[FREE][Verdict.REFAIT]
        assert prison == Step(Fraction(0), Fraction(1), prison.target)
        assert waiting.steps[prison.target][Verdict.REFAIT].keeps == keeps
    assert path.steps[FREE][Verdict.REFAIT] == Step(returned)


def test_a_stake_of_too_many_worths_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """The error "too-many-states" says to ask for the nominal figures."""
    wager = whole_house("france-2007").wager("rouge")
    paths = [*wager.paths(stake=100)]
    most = max(len(path.steps) for path in paths)
    monkeypatch.setattr(wagers, "MOST_STATES", most)
    assert [*wager.paths(stake=100)] == paths
    monkeypatch.setattr(wagers, "MOST_STATES", most - 1)
    with pytest.raises(TrenteError, match=f"more than {most - 1} different worths") as caught:
        [*wager.paths(stake=100)]
    assert caught.value.code == "too-many-states"
    assert caught.value.hint == "ask for the nominal figures, or for a smaller stake"


def test_shares_below_half_a_unit_are_settled_alike() -> None:
    """An endless halving has finitely many shares: all up to half a unit become one."""
    for share in (HALF, Fraction(1, 8)):
        tiny = Stake("s1", "ann", "rouge", 1, "prison", share)
        assert wagers._merged(tiny).share == Fraction(1, 4)
    for stake in (
        Stake("s1", "ann", "rouge", 1),
        Stake("s1", "ann", "rouge", 1, "prison", Fraction(9, 16)),
    ):
        assert wagers._merged(stake) is stake


def test_a_stake_is_followed_through_a_thousand_worths() -> None:
    """A machine that leaves 99 parts of 100 at each refait: the figures would take seconds."""
    house = house_like(
        "france-2007",
        '[refait]\nrule = "custom"\n[money]\nunit = 1\n[refait.machine.free]\n'
        'refait = [{course = "in", staying = "99/100", state = "prison"}]\n'
        "[refait.machine.prison]\n"
        'refait = [{course = "on", staying = "99/100", state = "prison"}]\n'
        'close = [{course = "out", returned = 1}]\n',
    )
    wager = house.wager("rouge")
    with pytest.raises(TrenteError) as caught:
        [*wager.paths(stake=20_000)]
    assert str(caught.value) == (
        "one stake can reach more than 1000 different worths "
        "(ask for the nominal figures, or for a smaller stake)"
    )
