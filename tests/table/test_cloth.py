"""The cloth: stakes by id, owner and party; what it knows is enough to accept a change."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from attrs import evolve
from hypothesis import event, given
from hypothesis import strategies as st
from tests.properties.meeting import meets
from tests.properties.shipped import any_house, names, some_stakes

from trente_rules import History, House, Opening, Stake, loads_house, refusals
from trente_rules.core.settlement import refusals_near
from trente_rules.core.stakes import Choice
from trente_rules.table.cloth import Choices, Cloth

SHIPPED = tuple(names())
# Limits that look at parties and at all players, for houses that have none of them.
MORE: tuple[dict[str, Any], ...] = (
    {},
    {"both_sides": False},
    {"aggregate_maximum": 900, "differential_maximum": 500, "table_maximum": 1500},
    {"associations": True, "maximum_payout": 700},
    {"most_stakes": 2, "table_most_stakes": 3},
)


@st.composite
def _stakes(draw: st.DrawFn, house: House) -> list[Stake]:
    """Return stakes with groups; a group may have the name of a player, and a player several."""
    return [
        evolve(stake, group=draw(st.sampled_from(("", "", "team", "bob"))))
        for stake in draw(some_stakes(house))
    ]


@st.composite
def _houses(draw: st.DrawFn) -> House:
    house = evolve(draw(any_house()))  # with nothing worked out yet
    limits = evolve(house.limits_table, **draw(st.sampled_from(MORE)))
    vars(house)["limits_table"] = limits  # a cached property
    return house


def _codes(found: Any) -> list[tuple[str, str]]:
    return [(refusal.code, refusal.stake) for refusal in found]


@meets(house=_houses())
def test_what_lies_near_a_stake_decides_as_all_stakes_do(house: House, data: st.DataObject) -> None:
    """T1: placed, changed or withdrawn, each stake is refused for what the whole table would say.

    In shipped and in random houses, with groups, prisoners, earlier coups and limits of all kinds.
    """
    opening = house.limits_table.lowest_opening(data.draw(st.integers(1, 500)))
    history = History.of(data.draw(st.lists(_stakes(house), max_size=5)))
    cloth = Cloth()

    def near(stake: Stake, after: Cloth) -> Any:
        return refusals_near(
            house,
            stake.id,
            after.near(stake),
            after.totals,
            after.count,
            history,
            opening=opening,
        )

    for stake in data.draw(_stakes(house)):
        after = cloth.placed(stake)
        whole = refusals(house, after.stakes, history, opening=opening)
        assert near(stake, after) == whole
        for refusal in whole:
            event(refusal.code)
        cloth = cloth if whole else after
    names = [stake.id for stake in cloth]
    for name in data.draw(st.lists(st.sampled_from(names or ["none"]), max_size=4)):
        old = cloth.get(name)
        if old is None:
            continue
        amount = data.draw(st.one_of(st.none(), st.integers(max(1, old.handed_back), 2000)))
        now = None if amount is None else evolve(old, amount=amount)
        after = cloth.replaced(old, now)
        whole, found = refusals(house, after.stakes, history, opening=opening), near(old, after)
        assert sorted(code for code, _ in _codes(found)) == sorted(c for c, _ in _codes(whole))
        near_ids = {each.id for each in after.near(old)} | {old.id}
        assert {name for _, name in _codes(found)} <= near_ids  # of no other player
        event("taken back" if now is None else "changed")
        cloth = cloth if whole else after


@pytest.mark.parametrize(
    "limits",
    [
        {"aggregate_maximum": 500},
        {"differential_maximum": 400},
        {"table_maximum": 500},
        {"table_most_stakes": 1},
    ],
    ids=str,
)
@pytest.mark.parametrize(
    ("now", "code"),
    [
        ({"amount": 501, "insured": True}, "insurance-above-maximum"),
        ({"amount": 501, "chance": "zero"}, "unknown-chance"),
    ],
)
def test_a_stake_that_cannot_be_settled_counts_towards_no_limit(
    limits: dict[str, Any], now: dict[str, Any], code: str
) -> None:
    """T1: of a change to such a stake the whole table and what lies near it say the same."""
    insured = '[insurance]\nrule = "rate"\nrate = "1/100"\nmaximum_stake = 120\n'
    house = loads_house('[house]\nname = "own"\n[refait]\nrule = "half-loss"\n' + insured)
    vars(house)["limits_table"] = evolve(house.limits_table, **limits)  # a cached property
    old, other = Stake("s", "ann", "rouge", 100), Stake("t", "bob", "noir", 100)
    cloth = Cloth((old, other))
    changed = evolve(old, **now)
    taken = cloth.replaced(old, changed)
    opening, history = Opening(), History()
    whole = refusals(house, taken.stakes, history, opening=opening)
    near = taken.near(changed)
    found = refusals_near(house, "s", near, taken.totals, taken.count, history, opening=opening)
    assert found == whole
    assert _codes(whole) == [(code, "s")]


NAMES = st.sampled_from(("a", "b", "c", "d", "e", "f"))
STEPS = st.lists(
    st.tuples(
        st.sampled_from(("place", "change", "take")), NAMES, NAMES, st.sampled_from(("", "a"))
    ),
    max_size=40,
)


@given(STEPS)
def test_a_cloth_is_the_tuple_of_its_stakes(
    steps: list[tuple[str, str, str, str]],
) -> None:
    """T1: the order of placing, what is found, the totals; earlier cloths do not change."""
    cloth, model = Cloth(), tuple[Stake, ...]()
    earlier: list[tuple[Cloth, tuple[Stake, ...]]] = []
    for number, (kind, name, owner, group) in enumerate(steps, 1):
        earlier.append((cloth, model))
        old = next((stake for stake in model if stake.id == name), None)
        if old is None:
            state = "prison" if kind == "change" else "free"
            stake = Stake(name, owner, f"chance {number % 2}", number, state, group=group)
            cloth, model = cloth.placed(stake), (*model, stake)
        elif kind != "place":
            now = evolve(old, amount=number) if kind == "change" else None
            cloth = cloth.replaced(old, now)
            model = tuple(
                each for each in (now if s is old else s for s in model) if each is not None
            )
    for was, then in (*earlier, (cloth, model)):
        assert was.stakes == tuple(was) == then
        assert was == Cloth(then) == copy.deepcopy(was)
        assert hash(was) == hash(Cloth(then))
        assert (was.totals, was.count) == (Cloth(then).totals, Cloth(then).count)
        for stake in then:
            assert was.get(stake.id) == stake
            mates = (stake.owner, stake.party)
            expected = [s for s in then if s.owner == mates[0] or s.party == mates[1]]
            assert list(was.near(stake)) == expected
            assert was.of_owner(stake.owner) == tuple(s for s in then if s.owner == stake.owner)
    assert cloth.get("nobody's") is None


def test_a_cloth_that_was_emptied_is_as_one_that_always_was() -> None:
    """T1: the total of a chance goes with the last free stake on it; others keep theirs."""
    mine, other = Stake("s", "ann", "rouge", 100), Stake("t", "bob", "noir", 70)
    cloth = Cloth((mine, other)).replaced(mine, None)
    assert dict(cloth.totals) == {"noir": 70}
    assert dict(cloth.replaced(other, None).totals) == {}


def test_choices_are_equal_to_the_same_choices_alone() -> None:
    """T1: other choices, and other values of any kind, are not equal to them."""
    left, right = Choice("a", "left"), Choice("a", "right")
    assert Choices((left,)) == Choices((left,))
    assert Choices((left,)) != Choices((right,))
    assert Choices((left, right)) != Choices((right, left))
    assert Choices((left,)) != (left,)
    assert Choices() != ()


def test_choices_are_kept_by_stake_in_the_order_they_were_made() -> None:
    """T1: a later choice for the same state and verdict replaces the earlier one, at the end."""
    first, other = Choice("a", "left"), Choice("b", "left")
    again, later = Choice("a", "right"), Choice("a", "left", "prison")
    made = Choices((first, other)).made(later).made(again)
    assert tuple(made) == (other, later, again)
    assert made == Choices((other, later, again)) == copy.deepcopy(made)
    assert hash(made) == hash(Choices(tuple(made)))
    assert made.of_stake("a") == (later, again)
    assert tuple(made.without("a")) == (other,)
    assert made.without("c") is made
    assert made
    assert not Choices()


@pytest.mark.parametrize("parties", [("alice", "bob")])
def test_a_history_is_looked_up_by_party(parties: tuple[str, ...]) -> None:
    """P1: a party's earlier bets are one look-up, whatever the history holds."""
    coups = [[Stake(f"{n}{p}", p, "rouge", n + 1) for p in parties] for n in range(5)]
    history = History.of(coups)
    assert history.of_party("bob") == (1, 2, 3, 4, 5)
    assert history.of_party("carol") == ()
    assert History(history.bets) == history
    assert history.after(()) is history
