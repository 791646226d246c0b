"""Premiums: their unit, their maximum, parts of them returned, how long they last."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any, Final

import pytest

from trente_rules import (
    BetError,
    ConfigurationError,
    House,
    Opening,
    Stake,
    Table,
    Verdict,
    close_session,
    dumps_house,
    load_house,
    loads_house,
    refusals,
    settle,
    void_coup,
)
from trente_rules.core.stakes import Line
from trente_rules.odds.advantage import advantage
from trente_rules.odds.coup_odds import CoupOdds, fresh_shoe
from trente_rules.records import dumps_record, loads_record, record_of, replay
from trente_rules.records.record import sealed
from trente_rules.reports.formats import text
from trente_rules.reports.rulebook import rulebook
from trente_rules.table import (
    CloseBets,
    Command,
    Cut,
    Deal,
    EndShoe,
    Event,
    Insure,
    MovePrisoner,
    OpenBets,
    OpenShoe,
    Place,
    Settle,
    VoidCoup,
)
from trente_rules.table.invariants import faults
from trente_rules.table.state import balance
from trente_rules.testing import coup_with, opening_of, stacked_shoe

WIN: Final = coup_with(33, 35)  # noir
LOSE: Final = coup_with(35, 33)
TIE: Final = coup_with(33, 33)
REFAIT: Final = coup_with(31, 31)
SIX: Final = fresh_shoe(6)


def house(insurance: str = "", more: str = "") -> House:
    """Make a house of two prisons, left one at a time, with these keys of insurance."""
    return loads_house(
        '[house]\nname = "own"\n[refait]\nrule = "prison"\nlevels = 2\nrelease = "one-out"\n'
        f'last = "lose"\n[insurance]\nrule = "rate"\n{insurance}\n'
        f'[limits]\nrule = "fixed"\nminimum = 1\n{more}'
    )


def insured(amount: int, **more: Any) -> Stake:
    """Make an insured stake on noir."""
    return Stake("a", "ann", "noir", amount, insured=True, **more)


def one(built: House, coup: Any, stake: Stake) -> Line:
    """Settle one stake."""
    (line,) = settle(built, coup, [stake]).lines
    return line


def flat(built: House) -> str:
    """Return the rules in English as one line; a no-break space stays one."""
    return re.sub("[ \n]+", " ", text.render(rulebook(built, language="en")))


def edge(built: House, policy: str = "", **more: Any) -> Fraction:
    """Return the exact edge on noir: of a policy uninsured, or of the insured stake."""
    (found,) = (
        wager.edge
        for wager in advantage(built, SIX, chances=["noir"], **more).wagers
        if (str(wager.policy) == policy if policy else wager.insured)
    )
    return found


def odds(odds: CoupOdds = SIX) -> dict[str, Fraction]:
    """Return the probability of each verdict of noir."""
    chance = house().chance("noir")
    law = zip(chance.verdicts, odds.verdicts(chance.table), strict=True)
    return {verdict.id: p for verdict, p in law}


# D2, D-R20, D-R21: the unit of a premium, the greatest premium, the greatest insured stake


@pytest.mark.parametrize("amount", [10, 25, 150, 401])
def test_a_premium_is_a_hundredth_to_the_cent(amount: int) -> None:
    """D2: in a house that pays to the cent 1 % is 1 %; with a unit of a euro it is rounded up."""
    cents = house(more='[money]\nunit = "0.01"\n')
    assert one(cents, WIN, insured(100 * amount)).premium == amount
    euros = house("premium_unit = 1", more='[money]\nunit = "0.01"\n')
    assert one(euros, WIN, insured(100 * amount)).premium == 100 * -(-amount // 100)


def test_the_unit_of_a_premium_counts_in_every_figure() -> None:
    """D2: 150 pays 5 where premiums are multiples of 5; so do its edge and its residue."""
    fives = house("premium_unit = 5")
    line = one(fives, WIN, insured(150))
    assert (line.premium_kept, line.premium_residue) == (5, Fraction(7, 2))
    assert edge(fives, stake=150) == Fraction(5, 150)
    assert edge(fives) == Fraction(1, 100)
    said = flat(fives)
    assert "Premiums are counted in units of 5\N{NO-BREAK SPACE}EUR." in said


def test_no_premium_is_above_the_greatest() -> None:
    """D-R20: 1 % of 20,000 is 200; the house asks 60."""
    capped = house("maximum_premium = 60")
    assert [one(capped, WIN, insured(n)).premium for n in (5900, 6000, 20_000)] == [59, 60, 60]
    assert edge(capped, stake=20_000) == Fraction(60, 20_000)
    assert edge(capped, stake=5000) == Fraction(1, 100)
    said = flat(capped)
    assert "The premium is at most 60\N{NO-BREAK SPACE}EUR." in said


def test_larger_stakes_are_not_insured() -> None:
    """D-R21: 6,000 is insured, 6,001 is refused insurance, free or in prison."""
    bounded = house('maximum_stake = 6000\ncovers = ["free", "prison"]')
    assert refusals(bounded, [insured(6000)]) == ()
    for stake in (insured(6001), insured(6001, state="prison")):
        (refusal,) = refusals(bounded, [stake])
        assert refusal.code == "insurance-above-maximum"
        assert "6000 EUR" in refusal.message
    with pytest.raises(BetError) as caught:
        settle(bounded, WIN, [insured(6001)])
    assert caught.value.code == "insurance-above-maximum"
    wagers = advantage(bounded, SIX, chances=["noir"], stake=6001).wagers
    assert [str(wager.policy) for wager in wagers] == ["no choice"]
    said = flat(bounded)
    assert "Only stakes of 6,000\N{NO-BREAK SPACE}EUR or less can be insured." in said


@pytest.mark.parametrize(
    ("keys", "key"),
    [
        ("minimum_premium = 6\nmaximum_premium = 5", "insurance.maximum_premium"),
        ("minimum_stake = 6\nmaximum_stake = 5", "insurance.maximum_stake"),
    ],
)
def test_a_maximum_is_not_below_its_minimum(keys: str, key: str) -> None:
    """The fault is at the maximum."""
    with pytest.raises(ConfigurationError) as caught:
        house(keys)
    assert [(fault.key, fault.code) for fault in caught.value.faults] == [(key, "out-of-range")]


# D-R18: a part of the premium is returned


def test_half_of_a_premium_is_returned_on_a_tie() -> None:
    """D-R18: of a premium of 4 the player has 2 back on an ordinary tie, and none on a win."""
    halves = house('premium_on = { apres = "1/2" }')
    tie, win = one(halves, TIE, insured(400)), one(halves, WIN, insured(400))
    assert (tie.premium_kept, tie.premium_returned, tie.returned) == (2, 2, 400)
    assert (win.premium_kept, win.premium_returned) == (4, 0)
    assert settle(halves, TIE, [insured(400)]).bank_net == 2
    expected = Fraction(1, 100) * (1 - odds()["apres"] / 2)
    assert edge(halves) == edge(halves, stake=400) == expected
    said = " ".join(text.render(rulebook(halves, language="en")).split())
    assert "The player gets half of the premium back on an après" in said


def test_a_part_of_a_premium_is_rounded_for_the_bank() -> None:
    """D-R18: half of a premium of 3 is 1 back and 2 kept: half a unit is the bank's."""
    line = one(house('premium_on = { apres = "1/2" }'), TIE, insured(300))
    assert (line.premium_kept, line.premium_returned) == (2, 1)
    assert line.premium_residue == Fraction(1, 2)


@pytest.mark.parametrize(("part", "word"), [("0", "kept"), ("1", "returned")])
def test_nothing_and_all_of_a_premium_are_the_words(part: str, word: str) -> None:
    """``"0"`` is ``kept`` and ``"1"`` is ``returned``, with the same fingerprint."""
    built = [house(f'premium_on = {{ apres = "{each}" }}') for each in (part, word)]
    assert built[0].fingerprint == built[1].fingerprint


def test_a_part_above_one_is_refused() -> None:
    """More than the premium cannot be returned; a part is written and read again."""
    with pytest.raises(ConfigurationError) as caught:
        house('premium_on = { apres = "3/2" }')
    assert [fault.key for fault in caught.value.faults] == ["insurance.premium_on.apres"]
    built = house('premium_on = { apres = "1/2" }')
    assert loads_house(dumps_house(built)) == built


# D-R19: a premium lasts until the stake is decided

LASTS: Final = 'lasts = "until-decided"\ncovers = ["free", "prison", "prison-2"]'


def test_a_tie_returns_a_lasting_premium_with_the_stake() -> None:
    """D-R19: a free stake that ties is not decided: 400 and the premium of 4 come back."""
    built = house(LASTS)
    tie = one(built, TIE, insured(400))
    assert (tie.returned, tie.premium_returned, tie.premium_kept) == (400, 4, 0)
    assert one(built, WIN, insured(400)).premium_kept == 4
    assert edge(built) == Fraction(1, 100) * (1 - odds()["apres"])


def test_a_prisoner_stays_insured_without_another_premium() -> None:
    """D-R19: paid once, then tie, refait, and free: no premium but the first."""
    built = house(LASTS)
    first = one(built, TIE, insured(400, state="prison"))
    assert (first.premium_kept, first.premium_returned) == (4, 0)
    assert first.after is not None
    assert (first.after.covered, first.after.insured) == (True, False)
    second = one(built, REFAIT, first.after)
    assert (second.course, second.premium, second.insured) == ("insured", 0, True)
    assert second.after is not None
    assert second.after.state == "prison"
    freed = one(built, WIN, second.after)
    assert (freed.returned, freed.premium, freed.after) == (400, 0, None)
    (closed,) = close_session(built, [second.after]).lines
    assert (closed.returned, closed.premium) == (200, 0)


def test_a_prisoner_that_moves_one_prison_out_stays_insured() -> None:
    """D-R19: it is neither won nor lost; a house that covers the inner prison alone is refused."""
    built = house('lasts = "until-decided"\ncovers = ["prison", "prison-2"]')
    after = one(built, WIN, insured(400, state="prison-2")).after
    assert after is not None
    assert (after.state, after.covered) == ("prison", True)
    with pytest.raises(ConfigurationError) as caught:
        house('lasts = "until-decided"\ncovers = ["free", "prison-2"]')
    (fault,) = caught.value.faults
    assert (fault.key, fault.code) == ("insurance.covers", "cover-ends")
    assert "'prison-2' may move to 'prison', which is not covered" in fault.message
    house('covers = ["free", "prison-2"]')  # a premium of one coup covers no other


def test_a_covered_prisoner_moves_only_to_a_chance_that_is_insured() -> None:
    """D-R19: its premium was paid until it is decided, and no stake on rouge can be insured."""
    more = 'move_prisoners = true\n[[chances]]\nid = "rouge"\nrefait_on = []'
    table, do = at_table(house(LASTS, more), (REFAIT, TIE, WIN))
    do(OpenBets)
    do(Place, stake="a", player="ann", chance="noir", amount=400)
    for coup in range(2):
        do(CloseBets)
        do(Deal)
        do(Settle)
        do(OpenBets)
        if not coup:
            do(Insure, stake="a")
    assert table.state.stakes[0].covered
    with pytest.raises(BetError) as caught:
        do(MovePrisoner, stake="a", chance="rouge")
    assert caught.value.code == "no-insurance"
    do(MovePrisoner, stake="a", chance="couleur")
    (moved,) = table.state.stakes
    assert (moved.chance, moved.covered) == ("couleur", True)


def test_rules_bind_free_stakes_alone_where_prisoners_are_insured_too() -> None:
    """A prisoner of any amount can be insured: minimum and multiple are of free stakes."""
    limits = "minimum_stake = 50\nmultiple = 50\n"
    said = flat(house(f'{limits}covers = ["free", "prison"]'))
    assert "Of free stakes, only multiples of 50\u00a0EUR can be insured." in said
    assert "Of free stakes, only those of 50\u00a0EUR or more can be insured." in said
    built = house(f'{limits}covers = ["free", "prison"]')
    assert one(built, REFAIT, insured(33, state="prison")).insured
    assert "Only multiples of 50\u00a0EUR can be insured." in flat(house(limits))


def test_a_premium_of_one_coup_is_paid_again() -> None:
    """The default is as before: each coup has its premium, and nothing is covered."""
    line = one(house('covers = ["free", "prison"]'), TIE, insured(400, state="prison"))
    assert line.premium_kept == 4
    assert line.after is not None
    assert not line.after.covered


def test_a_void_coup_returns_the_premium_it_was_paid_for() -> None:
    """D-R19: a premium of an earlier coup stays paid, and insures on."""
    built = house(LASTS)
    prisoner = insured(400, state="prison")
    (new,) = void_coup(built, [prisoner]).lines
    assert (new.premium_returned, new.after and new.after.covered) == (4, False)
    covered = Stake("a", "ann", "noir", 400, state="prison", covered=True)
    (old,) = void_coup(built, [covered]).lines
    assert (old.premium_returned, old.after and old.after.covered) == (0, True)


def test_no_earlier_premium_covers_a_free_stake() -> None:
    """A free stake was not on the table before."""
    with pytest.raises(BetError) as caught:
        Stake("a", "ann", "noir", 400, covered=True)
    assert caught.value.code == "bad-stake"


def test_the_edge_of_a_lasting_premium_in_prison() -> None:
    """D-R19: computed by hand, one premium for the whole stay.

    In the second prison a premium and then a win leads to the first, covered; a tie or a refait
    changes nothing, a loss ends it. With w and l the odds of a win and a loss, each stay lasts
    until one of them: a covered stake in the first prison is worth w / (w + l), one that enters
    the first prison that less 1/100.
    """
    built = house('lasts = "until-decided"\ncovers = ["prison", "prison-2"]')
    law = odds()
    out = law["win"] / (law["win"] + law["lose"])
    worth = out - Fraction(1, 100)
    assert edge(built, "prison/insured: yes") == law["refait"] * (1 - worth)
    assert edge(built, "prison/insured: yes", stake=10_000) == law["refait"] * (1 - worth)
    coup_by_coup = house('covers = ["prison", "prison-2"]')
    # Every coup of the stay costs a premium: 1 / (w + l) of them in the mean.
    stay = out - Fraction(1, 100) / (law["win"] + law["lose"])
    assert edge(coup_by_coup, "prison/insured: yes") == law["refait"] * (1 - stay)
    # From the second prison, insured there alone: out of it, then covered in the first as well.
    second = out * out - Fraction(1, 100)
    inner = 1 / (1 - law["apres"])
    first = inner * (law["win"] + law["refait"] * second)
    policy = "prison/insured: no, prison-2/insured: yes"
    assert edge(built, policy) == law["refait"] * (1 - first)


def at_table(built: House, coups: tuple[Any, ...]) -> tuple[Table, Any]:
    """Return a table with a stacked shoe, and a function that gives it commands."""
    table, number = Table(built, opening=opening_of(built)), 0

    def do(kind: type[Command], **more: Any) -> tuple[Event, ...]:
        nonlocal number
        number += 1
        return table.do(kind(id=str(number), **more))

    do(OpenShoe, cards=stacked_shoe(coups, packs=6).cards)
    do(Cut, place=0, by=built.shoe.cut_by)
    return table, do


def test_a_lasting_premium_at_the_table() -> None:
    """D-R19: ann insures her prisoner once; it stays insured, is not insured twice, and frees."""
    table, do = at_table(house(LASTS), (REFAIT, TIE, REFAIT, WIN))
    do(OpenBets)
    do(Place, stake="a", player="ann", chance="noir", amount=400)
    for coup in range(4):
        if coup:
            do(OpenBets)
        if coup == 1:
            do(Insure, stake="a")
        if coup == 2:
            assert not table.can(Insure(id="again", stake="a"))
        do(CloseBets)
        if coup == 2:
            do(VoidCoup, reason="a void coup changes nothing")
            assert table.state.stakes[0].covered
            do(OpenBets)
            do(CloseBets)
        do(Deal)
        do(Settle)
        assert balance(table.state) == 0
        assert [*faults(table.state)] == []
        if coup in (1, 2):
            assert [stake.covered for stake in table.state.stakes] == [True]
    assert (dict(table.state.accounts)["ann"], table.state.bank) == (-4, 4)
    do(EndShoe)
    record = sealed(record_of(table))
    covered = [
        (stake.covered, stake.covered_after) for coup in record.coups for stake in coup.stakes
    ]
    assert covered == [(False, False), (False, True), (True, True), (True, True), (True, False)]
    assert loads_record(dumps_record(record)) == record
    assert replay(record).differences == ()


# D14: to insure a prisoner is a choice, with its figure


def test_insured_prisoners_have_their_rows() -> None:
    """D14: campione with all prisons covered: the choices, each with its edge, by hand.

    Insured in the first prison, each coup costs a premium and only a win or a loss ends the stay.
    """
    built = loads_house(
        '[house]\nname = "c"\nextends = "campione"\n[insurance]\nminimum_stake = 0\nmultiple = 0\n'
        'covers = ["free", "prison", "prison-2"]\n'
    )
    wagers = advantage(built, SIX, chances=["noir"]).wagers
    prison = "free/refait: prison, prison/insured"
    assert [str(wager.policy) for wager in wagers if not wager.insured] == [
        f"{prison}: no, prison/refait: prison, prison-2/insured: no",
        f"{prison}: no, prison/refait: prison, prison-2/insured: yes",
        f"{prison}: no, prison/refait: partage",
        f"{prison}: yes",
        "free/refait: partage",
    ]
    law = odds()
    decided = law["win"] + law["lose"]
    stay = (law["win"] - Fraction(1, 100)) / decided
    assert edge(built, f"{prison}: yes") == law["refait"] * (1 - stay)


def test_a_house_that_covers_free_stakes_alone_has_the_rows_it_had() -> None:
    """D14: no choice is added where no prison is covered."""
    wagers = advantage(load_house("campione"), SIX, chances=["noir"]).wagers
    assert not [wager for wager in wagers if "insured" in str(wager.policy)]


def test_a_prisoner_that_cannot_be_insured_to_the_unit_has_no_such_choice() -> None:
    """D14: with ``refuse`` a premium of 0.5 is not taken; at 100 it is 1."""
    built = house('covers = ["prison"]', more='[money]\nrounding = "refuse"\n')
    rows = {
        amount: {
            str(w.policy) for w in advantage(built, SIX, chances=["noir"], stake=amount).wagers
        }
        for amount in (50, 100)
    }
    assert rows == {50: {"no choice"}, 100: {"prison/insured: no", "prison/insured: yes"}}


HOUSES: Final = {
    "campione": 'covers = ["free", "prison", "prison-2"]\nminimum_stake = 0\n',
    "germany-500": 'covers = ["free", "prison", "prison-2", "prison-3"]\n',
    "lasting": (
        'covers = ["free", "prison", "prison-2"]\nminimum_stake = 0\nlasts = "until-decided"\n'
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", HOUSES)
@pytest.mark.parametrize("stake", [None, 500])
def test_insured_prisoners_are_simulated(name: str, stake: int | None) -> None:
    """D14: every row, insured in prison or not, is met by the simulation."""
    pytest.importorskip("numba")
    from trente_rules.simulation.flat import simulate  # noqa: PLC0415 - of the extra

    parent = "campione" if name == "lasting" else name
    built = loads_house(f'[house]\nname = "own"\nextends = "{parent}"\n[insurance]\n{HOUSES[name]}')
    opening = built.lowest_opening(stake or 0)
    exact = {
        (wager.insured, str(wager.policy)): wager.edge
        for wager in advantage(built, SIX, chances=["noir"], stake=stake, opening=opening).wagers
    }
    played = simulate(
        built, coups=4e5, seed=14, stake=stake, opening=opening, chances=["noir"]
    ).houses[0]
    found = {(wager.insured, str(wager.policy)): wager.sure for wager in played.wagers}
    assert found.keys() == exact.keys()
    assert sum("prison/insured: yes" in policy for _insured, policy in exact) == 1
    for key, figure in found.items():
        assert figure.edge is not None
        assert figure.standard_error is not None
        assert abs(float(figure.edge - exact[key])) < 4 * figure.standard_error + 1e-7, key


def test_the_opening_bounds_insured_prisoners_as_well() -> None:
    """A posted least insured stake is one of free stakes; a prisoner may be insured."""
    built = house('covers = ["free", "prison"]')
    prisoner = insured(100, state="prison")
    assert refusals(built, [prisoner], opening=Opening(insurance_minimum=500)) == ()
    assert one(built, REFAIT, prisoner).course == "insured"
    assert Verdict.REFAIT in built.machine.possible
