"""The smallest cases: a stake of one unit, a marker at 0, a multiple of 1, an empty shoe."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from attrs import frozen

from trente_rules import (
    PACK,
    BetError,
    CardError,
    Choice,
    ConfigurationError,
    Course,
    History,
    Money,
    Opening,
    RuleError,
    Shoe,
    Stake,
    StakeMachine,
    TrenteError,
    Verdict,
    load_house,
    loads_house,
    refusals,
    settle,
)
from trente_rules.core import systems
from trente_rules.core.cards import Colour
from trente_rules.core.chances import Condition, OutcomeBet
from trente_rules.core.coup import Outcome
from trente_rules.core.house.difference import kind_of
from trente_rules.core.house.house import canonical
from trente_rules.core.machine import pure_policies
from trente_rules.core.rules.limits import Limits, OwnBounds, TableBounds
from trente_rules.core.rules.refait import CourseKeys
from trente_rules.core.settlement import terms_of
from trente_rules.core.shoe import LiveShoe, ShoePlan, ShoeRule, deal_coup
from trente_rules.core.text import with_error
from trente_rules.testing import coup_with

HEAD = '[house]\nname = "x"\nextends = "france-2007"\n'


def test_half_of_one_unit_rounded_for_the_player_comes_back_whole() -> None:
    """S21: nothing is left of a stake of one unit that is halved in the player's favour."""
    house = loads_house(
        HEAD + '[money]\nrounding = "player"\n[refait]\nrule = "custom"\n'
        "[refait.machine.free]\nrefait = "
        '[{course = "half", staying = "1/2", returned = "1/2", state = "held"}]\n'
        '[refait.machine.held]\nwin = [{course = "out", returned = "1"}]\n'
        'lose = [{course = "lost"}]\nrefait = [{course = "lost"}]\n'
        'close = [{course = "c", returned = "1"}]\n'
    )
    line = house.wager("rouge").settle(Stake("s", "ann", "rouge", 1), Verdict.REFAIT)
    assert (line.returned, line.after, line.staying) == (1, None, 0)


def test_the_smallest_maximum_is_once_the_minimum() -> None:
    """S21: a multiple of 1 takes the minimum and nothing more; 0 is refused."""
    limits = '[limits]\nminimum = 10\nmaximum_multiple = {}\n[money]\nunit = "1"\n'
    house = loads_house(HEAD + limits.format(1))
    bounds = house.limits_table.bounds(Opening(), "rouge")
    assert (bounds.least, bounds.most) == (10, 10)
    with pytest.raises(ConfigurationError) as caught:
        loads_house(HEAD + limits.format(0))
    assert caught.value.faults[0].code == "out-of-range"


def test_a_marker_may_lie_behind_the_last_card() -> None:
    """S21: 0 cards from the end is a place, -1 is none, and the first card stays before it."""
    shoe = Shoe.of_cards(PACK, 1)
    assert shoe.place_marker(0).marker == len(PACK)
    assert shoe.place_marker(51).marker == 1
    for place in (-1, 52):
        with pytest.raises(CardError) as caught:
            shoe.place_marker(place)
        assert caught.value.code == "bad-marker"


def test_cards_that_are_not_whole_packs_have_a_code() -> None:
    """S21: the code is part of the error, which hosts act on."""
    with pytest.raises(CardError) as cards:
        Shoe.of_cards(PACK[1:], 1)
    assert (cards.value.code, cards.value.missing) == ("not-whole-packs", (f"1 x {PACK[0]}",))
    with pytest.raises(RuleError) as machine:
        StakeMachine.of({})
    assert machine.value.code == "bad-machine"


def test_a_live_shoe_is_dealt_to_its_last_card() -> None:
    """A live shoe has ended with its last card, and no further card can come out of it."""
    shoe = LiveShoe(1, seen=PACK[:51])
    assert not shoe.ended
    shoe = shoe.see(PACK[51])
    assert shoe.ended
    with pytest.raises(CardError, match="all 52 cards are out") as caught:
        shoe.see(PACK[0])
    assert (caught.value.code, caught.value.extra) == ("shoe-empty", (str(PACK[0]),))


def test_cards_too_few_for_a_coup_are_named() -> None:
    """A plan that ends a shoe before its last card says how many cards are left."""
    shoe = Shoe.of_cards(PACK, 1)
    with pytest.raises(CardError, match="the 52 cards that are left make no coup") as caught:
        deal_coup(shoe, plan=ShoePlan(0, 52))
    assert caught.value.code == "shoe-ended"


def test_players_have_seen_what_came_out_and_the_first_burned_card() -> None:
    """The burned cards are seen as the house says, the dealt ones always."""
    _, shoe = Shoe.of_cards(PACK, 1).burn(3).take()
    assert ShoeRule(packs=1, burn=3).seen(shoe) == (PACK[3],)
    assert ShoeRule(packs=1, burn=3, burn_shown=True).seen(shoe) == PACK[:4]


def test_a_chance_of_conditions_wins_where_the_lower_point_wins() -> None:
    """Without the deal of a house the usual one decides which row has won."""
    bet = OutcomeBet((Condition(winner="noir"),))
    rows = (31, 40), (40, 31), (31, 31)
    won = [bet.wins(Outcome(*row, Colour.NOIR, Colour.NOIR)) for row in rows]
    assert won == [True, False, False]


def test_a_figure_that_is_not_finite_is_written_as_it_is() -> None:
    """No digits are counted in a value or an error without a number."""
    assert with_error(float("nan"), 0.1) == "nan +- 0.10"
    assert with_error(1.0, float("inf")) == "1.0 +- inf"


def test_a_key_that_no_table_has_counts_as_fairness() -> None:
    """What is not known to be presentation may change the game."""
    assert kind_of("shoe.nonesuch") == "fairness"
    with pytest.raises(TypeError, match="object has no canonical form"):
        canonical(object())


def test_a_line_played_in_another_way_is_not_a_labouchere() -> None:
    """Only a system that is its line alone can be played without a table of all its lists."""

    @frozen(kw_only=True)
    class Own(systems.Labouchere):
        def after(self, state: tuple[int, ...], result: Any) -> tuple[int, ...]:
            return (*super().after(state, result), 1)

    assert systems.line_of(Own()) is None
    assert systems.line_of(systems.Labouchere()) == systems.Labouchere()


def test_a_posted_maximum_narrows_an_opening() -> None:
    """The maximum of the day replaces that of the house; it is not below the minimum."""
    house = load_house("monte-carlo-1911")
    opening = Opening(minimum=house.limits_table.tables[0].minimum)
    least = house.limits_table.bounds(opening, "rouge").least
    with pytest.raises(BetError) as caught:
        house.narrowed(Opening(minimum=least), least - 1)
    assert caught.value.code == "bad-opening"


def test_limits_without_a_table_or_with_a_part_of_a_unit_are_refused() -> None:
    """S21: only a stranger's rule can build these."""
    wrong: tuple[dict[str, Any], ...] = ({"tables": ()}, {"step": 0}, {"step": True})
    for keys in wrong:
        with pytest.raises(RuleError) as caught:
            Limits(Money(), **keys)
        assert caught.value.code == "bad-limits"
    assert Limits(Money(), (TableBounds(1, 1),), step=1).bounds(Opening(), "rouge").least == 1


def test_the_maximum_of_one_chance_is_a_fact() -> None:
    """The bounds of one chance are told with the amount that sets them."""
    facts = dict(OwnBounds("rouge", maximum=40).facts())
    assert facts["chance_maximum"] == {"chance": "rouge", "amount": 40}


def test_limits_say_whether_the_opening_must_say_more() -> None:
    """A minimum that is posted each day is not known before the table opens."""
    text = '[limits]\nminimum = "at-opening"\nmaximum_multiple = 100\n'
    house = loads_house(HEAD + text)
    assert house.limits_table.opening_needed
    assert not load_house("monte-carlo-1911").limits_table.opening_needed
    assert terms_of(house, Opening())["rouge", False] is None
    assert terms_of(house, Opening())["nonesuch", False] is None


def test_a_full_table_refuses_one_stake_more() -> None:
    """The stakes of all players together are counted; one fewer is taken."""
    limits = Limits(Money(), (TableBounds(1, 100),), table_most_stakes=2)
    stake = Stake("s", "ann", "rouge", 4)
    codes = [
        [each.code for each in limits.refusals_near("s", [stake], {"rouge": 4}, count, *rest)]
        for count in (2, 3)
        for rest in [(History(), Opening())]
    ]
    assert codes[0] == []
    assert len(codes[1]) == 1


def test_a_choice_for_a_chance_that_the_house_lacks_is_refused() -> None:
    """The stake is named, not an internal state."""
    house = load_house("france-2007")
    stake = Stake("s", "ann", "nonesuch", 4)
    with pytest.raises(BetError) as caught:
        settle(house, coup_with(31, 31), [stake], [Choice("s", "partage")])
    assert caught.value.code == "unknown-chance"


def test_a_course_that_pays_says_so() -> None:
    """What a course pays is part of its text, as is what it returns."""
    text = str(Course("divide", returned=Fraction(1), pays=Fraction(1, 2)))
    assert "returned 1" in text
    assert "pays 1/2" in text


def test_the_terms_of_a_stake_say_what_refusals_say() -> None:
    """What is worked out once for each wager takes the same stakes as the limits themselves."""
    head = '[house]\nname = "x"\n[refait]\nrule = "prison"\n[money]\nunit = "1"\n'
    limits = "[limits]\nminimum = 6\nmaximum = 40\nstep = 2\n"
    insured = '[insurance]\nrule = "rate"\nminimum_stake = 12\nmultiple = 4\n'
    house = loads_house(f"{head}{limits}{insured}maximum_stake = 32\n")
    terms = terms_of(house, Opening())
    for bought in (False, True):
        found = terms["rouge", bought]
        assert found is not None
        for amount in range(60):
            stake = Stake("s", "ann", "rouge", amount or 60, insured=bought)
            good = found.least <= stake.amount <= found.most and not stake.amount % found.step
            assert good == (not refusals(house, [stake])), stake
    assert (terms["rouge", False].wager, terms["rouge", True].wager) == (  # type: ignore[union-attr]
        None,
        house.wager("rouge", insured=True),
    )
    assert terms is terms_of(house, terms.opening)


def test_terms_are_left_open_where_more_must_be_looked_at() -> None:
    """Prisoners alone are insured, or a house refuses to round: ``refusals`` decides."""
    head = '[house]\nname = "x"\n[refait]\nrule = "prison"\n'
    detained = loads_house(head + '[insurance]\nrule = "rate"\ncovers = ["prison"]\n')
    assert terms_of(detained, Opening())["rouge", True] is None
    assert terms_of(detained, Opening())["rouge", False] is not None
    exact = loads_house(head + '[money]\nrounding = "refuse"\n')
    assert terms_of(exact, Opening())["rouge", False] is None
    bets = '[[side_bets]]\nid = "pair"\nodds = 8\nwins_on = "any-tie"\n'
    side = terms_of(loads_house(head + bets), Opening())
    assert side["pair", False] is None
    assert side["rouge", False] is not None


def test_a_house_of_too_many_policies_says_so() -> None:
    """Each choice doubles the policies; they are not listed beyond a bound."""
    courses = tuple(Course(f"c{n}", returned=Fraction(n, 20)) for n in range(17))
    verdicts = [Verdict.WIN, Verdict.LOSE, Verdict.REFAIT, Verdict.APRES]
    offer = {("free", verdict.id): courses for verdict in verdicts}

    def offered(state: str, verdict: Verdict, _insured: bool) -> tuple[Course, ...]:  # noqa: FBT001
        return offer[state, verdict.id]

    assert len(pure_policies(offered, frozenset(verdicts[:2]))) == 17**2
    with pytest.raises(TrenteError, match="more than 4096 pure policies") as caught:
        pure_policies(offered, frozenset(verdicts))
    assert caught.value.code == "too-many-policies"


def test_the_keys_of_a_course_are_written_as_the_course() -> None:
    """Messages show what a file says as the documents do."""
    assert str(CourseKeys("prison", staying=Fraction(1, 2), state="held")) == (
        "prison(staying 1/2 -> held)"
    )


def test_nothing_is_taken_of_a_stake_that_came_back_whole() -> None:
    """S21: of one unit, half is returned and rounded up: no quarter is left for the bank."""
    house = loads_house(
        HEAD + '[money]\nrounding = "player"\n[refait]\nrule = "custom"\n[refait.machine.free]\n'
        'refait = [{course = "cut", staying = "1/2", taken = "1/4", returned = "1/4", '
        'state = "held"}]\n[refait.machine.held]\nwin = [{course = "out", returned = "1"}]\n'
        'lose = [{course = "lost"}]\nrefait = [{course = "lost"}]\n'
        'close = [{course = "c", returned = "1"}]\n'
    )
    line = house.wager("rouge").settle(Stake("s", "ann", "rouge", 1), Verdict.REFAIT)
    assert (line.returned, line.forfeited, line.staying, line.after) == (1, 0, 0, None)
    assert line.residue == Fraction(-3, 4)


@pytest.mark.parametrize(("times", "good"), [("1", True), ("1/2", True), ("0", False)])
def test_a_bet_may_be_held_to_the_bet_before_it(times: str, good: bool) -> None:  # noqa: FBT001
    """S21: a progression may forbid to raise at all, or ask for less; not for nothing."""
    text = f'{HEAD}[limits.progression]\nreference = 1\nat_most = "{times}"\n'
    if good:
        loads_house(text)
        return
    with pytest.raises(ConfigurationError) as caught:
        loads_house(text)
    assert caught.value.faults[0].key == "limits.progression.at_most"
