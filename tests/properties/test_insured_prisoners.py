"""In every house that insures prisoners: what a policy costs is what its coups settle for."""

from __future__ import annotations

from itertools import islice
from typing import Any, Final

import pytest
import tomli_w
from attrs import evolve
from hypothesis import assume
from hypothesis import strategies as st
from tests.properties.cases import COUPS, STAKES
from tests.properties.meeting import meets

from trente_rules import House, Stake, TrenteError, loads_house, refusals
from trente_rules.core.chances import Verdict
from trente_rules.core.machine import FREE, Policy
from trente_rules.core.settlement import wager_of
from trente_rules.core.stakes import Line, Opening
from trente_rules.testing import custom_tables, opening_of, prison_tables

FOLLOWED = 40
"""So many policies of a house are followed; most have fewer."""


MISSES: Final = {
    "an insured stake that is free": "policies insure prisoners, a free stake is another wager",
    "a side bet": "simple chances alone go to prison",
    "a side bet wins": "the same",
    "a stake whose premium nobody saw": "a policy pays what it insures",
}
"""What these houses and their policies have not."""
FATES: Final = st.sampled_from(["kept", "returned", "1/2", "1/3"])


@st.composite
def insuring_houses(draw: st.DrawFn) -> House:
    """Return a strategy for houses that insure stakes in each of their prisons."""
    refait = draw(st.one_of(prison_tables(), custom_tables()))
    lasts = draw(st.sampled_from(["coup", "until-decided"]))
    insurance: dict[str, Any] = {
        "rule": "rate",
        "rate": draw(st.sampled_from(["1/100", "1/7", "3/200"])),
        "premium_unit": draw(st.integers(0, 5)),
        "minimum_premium": draw(st.integers(0, 3)),
        "maximum_premium": draw(st.sampled_from([0, 4, 9])),
        "maximum_stake": draw(st.sampled_from([0, 0, 500])),
        "lasts": lasts,
        "premium_on": {name: draw(FATES) for name in ("win", "lose", "refait")},
    }
    rounding = draw(st.sampled_from(["bank", "player", "half-even", "refuse"]))
    table = {
        "house": {"name": "insuring"},
        "money": {"rounding": rounding},
        "refait": refait,
        "limits": {"rule": "fixed", "minimum": 1},
    }
    prisons = loads_house(tomli_w.dumps(table)).machine.prisons
    some = draw(st.lists(st.sampled_from(prisons), min_size=1, unique=True))
    # A premium that lasts insures a stake wherever it moves.
    insurance["covers"] = [FREE, *(some if lasts == "coup" else prisons)]
    return loads_house(tomli_w.dumps({**table, "insurance": insurance}))


def asked_for(house: House, stake: Stake, policy: Policy, opening: Opening) -> Stake:
    """Return a stake insured where the policy says so, and the house takes the premium."""
    if not policy.insures(stake.state) or stake.covered:
        return stake
    insured = evolve(stake, insured=True)
    return stake if refusals(house, [insured], opening=opening) else insured


def settled(house: House, stake: Stake, policy: Policy, verdict: Verdict, opening: Opening) -> Line:
    """Settle a stake by the course that the policy names, where it is offered."""
    wager = wager_of(house, stake)
    offered = [course.name for course in wager.offered(stake, verdict, opening=opening)]
    name = policy.course(stake.state, verdict)
    return wager.settle(stake, verdict, name if name in offered else "", opening=opening)


@pytest.mark.slow
@meets(house=insuring_houses(), examples=40, misses=MISSES)
def test_a_policy_is_worth_what_its_coups_settle_for(house: House, data: st.DataObject) -> None:
    """D14: the steps of a stake, insured in prison or not, coup by coup to the unit."""
    chance = house.chance("noir")
    amount = data.draw(st.integers(1, 3000))
    opening = opening_of(house)
    met = st.sampled_from(sorted(chance.possible(), key=lambda verdict: verdict.id))
    deep = [Verdict.REFAIT] * data.draw(st.integers(1, 4))
    verdicts = [*deep, *data.draw(st.lists(met, min_size=1, max_size=6))]
    try:
        paths = [*islice(house.wager(chance.id).paths(stake=amount, opening=opening), FOLLOWED)]
    except TrenteError as error:
        assume(error.code not in {"too-many-states", "too-many-policies"})
        raise
    for path in paths:
        stake: Stake | None = Stake("a", "ann", chance.id, amount)
        node = next(iter(path.steps))
        for verdict in verdicts:
            if stake is None:
                break
            stake = asked_for(house, stake, path.policy, opening)
            line = settled(house, stake, path.policy, verdict, opening)
            STAKES.see(house, stake)
            COUPS.see(house, line)
            step = path.steps[node][verdict]
            assert step.back * amount == line.returned + line.won - line.premium_kept
            assert step.premium * amount == line.premium_kept
            assert bool(step.target) == (line.after is not None)
            node, stake = step.target, line.after
