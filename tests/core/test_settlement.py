"""Settlement: the faults that engines of this kind are known for, each with its test."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from attrs import evolve
from tests.properties.shipped import shipped
from tests.whole_units import whole_house

from trente_rules import (
    BetError,
    Choice,
    Colour,
    Coup,
    History,
    House,
    Opening,
    Stake,
    Verdict,
    close_session,
    courses,
    loads_house,
    refusals,
    settle,
    void_coup,
)
from trente_rules.core.settlement import wager_of
from trente_rules.core.stakes import Line
from trente_rules.testing import coup_with


def settle_stake(house: House, stake: Stake, verdict: Verdict) -> Line:
    """Settle one stake by its wager."""
    return wager_of(house, stake).settle(stake, verdict)


REFAIT = coup_with(31, 31)
NOIR_WINS = coup_with(31, 32)
ROUGE_WINS = coup_with(32, 31)
APRES = coup_with(40, 40)
HEAD = '[house]\nname = "test"\n'
HALF = f'{HEAD}[refait]\nrule = "half-loss"\n'
PRISON = f'{HEAD}[refait]\nrule = "prison"\npartage = ["1/2", "1/4"]\nlast = "halve"\n'
INSURED = '[insurance]\nrule = "rate"\n'


def one(house: House, coup: Any, stake: Stake, *choices: Choice, **more: Any) -> Line:
    """Settle one stake."""
    return settle(house, coup, [stake], choices, **more).lines[0]


def stake(chance: str = "rouge", amount: int = 100, **more: Any) -> Stake:
    """Make a stake."""
    return Stake(more.pop("id", "a"), more.pop("owner", "alice"), chance, amount, **more)


def test_an_ordinary_tie_is_no_loss_and_not_paid() -> None:
    """Ties counted as losses or paid twice: the stake comes back, once, on all four chances."""
    house = loads_house(HALF)
    for chance in ("rouge", "noir", "couleur", "inverse"):
        line = one(house, APRES, stake(chance))
        assert (line.returned, line.won, line.forfeited) == (100, 0, 0)


def test_every_stake_of_a_player_comes_back_on_a_tie() -> None:
    """A push returns all of a player's bets, not only one."""
    placed = [stake(chance, id=chance) for chance in ("rouge", "couleur", "inverse")]
    done = settle(loads_house(HALF), APRES, placed)
    assert [line.returned for line in done.lines] == [100, 100, 100]


def test_a_win_is_paid_even_and_hands_the_stake_back() -> None:
    """A free stake that wins: its amount back, and as much from the bank."""
    line = one(loads_house(HALF), ROUGE_WINS, stake())
    assert (line.returned, line.won, line.player_net) == (100, 100, 100)


def test_a_prisoner_that_wins_is_only_freed() -> None:
    """A prisoner is freed, never paid; what it has lost by then stays with the bank."""
    house = loads_house(PRISON)
    whole = one(house, ROUGE_WINS, stake(state="prison"))
    assert (whole.returned, whole.won) == (100, 0)
    halved = one(house, ROUGE_WINS, stake(state="prison", share=Fraction(1, 2)))
    assert (halved.returned, halved.won, halved.forfeited) == (50, 0, 50)


def test_couleur_is_read_from_the_first_card_of_the_coup() -> None:
    """Rouge wins with a black first card: inverse, whatever the winning row began with."""
    coup = coup_with(32, 31, Colour.NOIR, Colour.ROUGE)
    assert one(loads_house(HALF), coup, stake("inverse")).verdict == Verdict.WIN
    by_row = loads_house(HALF + '[deal]\ncouleur = "first-of-winning-row"\n')
    assert one(by_row, coup, stake("couleur")).verdict == Verdict.WIN


def test_noir_is_dealt_first() -> None:
    """The lower first row is noir's win."""
    assert one(loads_house(HALF), NOIR_WINS, stake("noir")).verdict == Verdict.WIN


@pytest.mark.parametrize(
    ("rounding", "amount", "returned", "residue"),
    [
        ("bank", 1, 0, Fraction(1, 2)),
        ("player", 1, 1, Fraction(-1, 2)),
        ("half-even", 1, 0, Fraction(1, 2)),
        ("bank", 3, 1, Fraction(1, 2)),
        ("player", 3, 2, Fraction(-1, 2)),
        ("half-even", 3, 2, Fraction(-1, 2)),
        ("bank", 4, 2, Fraction(0)),
    ],
)
def test_odd_halves_go_by_the_policy(
    rounding: str, amount: int, returned: int, residue: Fraction
) -> None:
    """Half of an odd stake is rounded once, as the house says, and the residue is recorded."""
    house = loads_house(f'{HALF}[money]\nrounding = "{rounding}"\n')
    line = one(house, REFAIT, stake(amount=amount))
    assert (line.returned, line.residue) == (returned, residue)
    assert line.returned + line.forfeited == amount


def test_a_house_that_refuses_to_round_refuses_odd_stakes() -> None:
    """With ``refuse`` a stake that could not be halved to the unit is not accepted."""
    house = loads_house(f'{PRISON}[money]\nrounding = "refuse"\n')
    assert [refusal.code for refusal in refusals(house, [stake(amount=3)])] == ["inexact"]
    assert refusals(house, [stake(amount=2)]) == ()


def test_a_house_that_refuses_to_round_offers_the_exact_course() -> None:
    """An inexact partage is not offered beside an exact course; alone, it rounds for the bank."""
    house = loads_house(f'{PRISON}[money]\nrounding = "refuse"\n')
    prisoner = stake(amount=2, state="prison")
    offered = courses(house, prisoner, Verdict.REFAIT)
    assert [course.name for course in offered] == ["prison"]
    closed = settle_stake(house, stake(amount=3, state="prison"), Verdict.CLOSE)
    assert closed.returned == 1


def test_a_partage_below_the_minimum_is_not_offered() -> None:
    """Spain: a quarter of 70 is below a minimum of 20, so a prisoner stays; of 80 it is not."""
    house, opening = whole_house("spain-1979"), Opening(20)
    choice = Choice("a", "partage", "prison")
    prisoner = stake(amount=80, state="prison")
    assert one(house, REFAIT, prisoner, choice, opening=opening).returned == 20
    with pytest.raises(BetError) as caught:
        one(house, REFAIT, evolve(prisoner, amount=70), choice, opening=opening)
    assert caught.value.code == "course-not-offered"
    with pytest.raises(BetError) as caught:
        one(house, REFAIT, prisoner)
    assert caught.value.code == "opening-needed"


def test_a_halved_stake_keeps_its_amount() -> None:
    """The whole amount stays on the table; only its worth halves, and only what leaves rounds."""
    house = loads_house(PRISON)
    first = one(house, REFAIT, stake(amount=101)).after
    assert first is not None
    second = one(house, REFAIT, first).after
    assert second is not None
    assert (second.amount, second.share, second.worth) == (101, Fraction(1, 2), Fraction(101, 2))
    freed = one(house, ROUGE_WINS, second)
    assert (freed.returned, freed.forfeited, freed.residue) == (50, 51, Fraction(1, 2))


def test_units_handed_back_before_are_never_handed_back_again() -> None:
    """A stake of which a part left and a part stays: no more is handed back than is left."""
    house = loads_house(
        f"""{HEAD}[money]
rounding = "player"
[refait]
rule = "custom"
[refait.machine.free]
refait = [{{ course = "divide", returned = "1/2", staying = "1/2", state = "prison" }}]
[refait.machine.prison]
refait = [{{ course = "again", staying = "1", state = "prison" }}]
close = [{{ course = "closed", returned = "1" }}]
"""
    )
    line = one(house, REFAIT, stake(amount=3))
    assert (line.returned, line.staying) == (2, 1)
    assert line.after is not None
    assert (line.after.handed_back, line.after.standing) == (2, 1)
    freed = one(house, ROUGE_WINS, line.after)
    assert (freed.returned, freed.forfeited) == (1, 0)


def test_an_insured_refait_hands_the_whole_stake_back() -> None:
    """The insurance serves: the stake comes back whole, and the premium is kept."""
    house = loads_house(PRISON + INSURED)
    line = one(house, REFAIT, stake(insured=True))
    assert (line.returned, line.forfeited, line.premium_kept) == (100, 0, 1)


def test_the_premium_goes_as_the_house_says() -> None:
    """On each verdict the premium is kept or handed back; both are told."""
    fates = (
        'premium_on = { win = "returned", lose = "kept", apres = "returned", refait = "kept" }\n'
    )
    house = loads_house(PRISON + INSURED + fates)
    insured = stake(insured=True)
    for coup, kept in ((ROUGE_WINS, 0), (NOIR_WINS, 1), (APRES, 0), (REFAIT, 1)):
        line = one(house, coup, insured)
        assert (line.premium_kept, line.premium_returned) == (kept, 1 - kept)


def test_a_prisoner_is_insured_only_where_the_house_covers_it() -> None:
    """Uncovered, it is refused; covered, a further refait leaves it as it was."""
    prisoner = stake(state="prison", insured=True)
    with pytest.raises(BetError) as caught:
        one(loads_house(PRISON + INSURED), REFAIT, prisoner)
    assert caught.value.code == "not-covered"
    house = loads_house(PRISON + INSURED + 'covers = ["free", "prison"]\n')
    line = one(house, REFAIT, prisoner)
    assert line.after is not None
    assert (line.after.share, line.after.insured, line.premium_kept) == (Fraction(1), False, 1)


@pytest.mark.parametrize(
    ("text", "placed", "code"),
    [
        (PRISON, stake(insured=True), "no-insurance"),
        (
            PRISON + INSURED + "minimum_stake = 500\n",
            stake(insured=True),
            "insurance-below-minimum",
        ),
        (PRISON + INSURED + "multiple = 30\n", stake(insured=True), "insurance-not-multiple"),
        (
            PRISON + INSURED + 'without_proof = "refused"\n',
            stake(insured=True, proof=False),
            "insurance-without-proof",
        ),
        (PRISON, stake("zero"), "unknown-chance"),
        (PRISON, stake(state="tower"), "unknown-state"),
    ],
)
def test_what_cannot_be_settled_is_refused_and_raised(text: str, placed: Stake, code: str) -> None:
    """``refusals`` answers the code, and ``settle`` raises it: nothing is settled wrongly."""
    house = loads_house(text)
    assert code in [refusal.code for refusal in refusals(house, [placed])]
    with pytest.raises(BetError) as caught:
        settle(house, REFAIT, [placed])
    assert caught.value.code == code
    assert caught.value.stake in ("a", "")


def test_without_proof_a_stake_is_uninsured() -> None:
    """Where the house says so, a claim without proof is settled as an uninsured stake."""
    house = loads_house(PRISON + INSURED)
    line = one(house, REFAIT, stake(insured=True, proof=False))
    assert (line.insured, line.premium, line.staying) == (False, 0, 100)


@pytest.mark.parametrize(
    ("choice", "code"),
    [
        (Choice("b", "partage"), "unknown-stake"),
        (Choice("a", "escape"), "unknown-course"),
        (Choice("a", "partage", state="tower"), "unknown-state"),
    ],
)
def test_choices_that_make_no_sense_are_refused(choice: Choice, code: str) -> None:
    """A choice for no stake, of no course, in no state."""
    with pytest.raises(BetError) as caught:
        one(loads_house(PRISON), REFAIT, stake(), choice)
    assert caught.value.code == code


def test_a_choice_acts_only_where_it_is_meant() -> None:
    """A choice for the prison leaves a free stake alone; given before the coup, it waits."""
    house = loads_house(PRISON)
    meant = Choice("a", "partage", state="prison")
    assert one(house, REFAIT, stake(), meant).course == "prison"
    assert one(house, REFAIT, stake(state="prison"), meant).returned == 25
    assert one(house, ROUGE_WINS, stake(), Choice("a", "partage")).course == "won"


def test_ids_are_each_stakes_own() -> None:
    """Two stakes of one id cannot be told apart, and are refused."""
    with pytest.raises(BetError) as caught:
        settle(loads_house(PRISON), REFAIT, [stake(), stake("noir")])
    assert caught.value.code == "double-stake"
    found = refusals(loads_house(PRISON), [stake(), stake("noir"), stake(id="b")])
    assert [(refusal.code, refusal.stake) for refusal in found] == [("double-stake", "a")]


def test_losers_are_taken_before_winners_are_paid() -> None:
    """France: losers first, then inverse, noir or rouge, couleur, the farthest stack first."""
    placed = [
        stake("couleur", id="c"),
        stake("rouge", id="r1"),
        stake("rouge", id="r2"),
        stake("noir", id="n"),
        stake("inverse", id="i"),
    ]
    coup = coup_with(32, 31, Colour.ROUGE)
    done = settle(whole_house("france-2007"), coup, placed)
    assert [line.stake.id for line in done.lines] == ["n", "i", "r2", "r1", "c"]


def test_a_void_coup_puts_everything_back() -> None:
    """Stakes and premiums come back; a prisoner is as it was before the coup."""
    house = loads_house(PRISON + INSURED)
    prisoner = stake(id="p", state="prison", share=Fraction(1, 2))
    done = void_coup(house, [stake(insured=True), prisoner])
    assert [(line.returned, line.premium_returned) for line in done.lines] == [(100, 1), (0, 0)]
    assert done.staying == (prisoner,)
    assert done.bank_net == 0


def test_the_close_forces_the_settlement_of_prisoners() -> None:
    """The last coup of the session: half, a quarter, an eighth of the first stake."""
    house = whole_house("france-2007")
    for halvings, returned in ((0, 400), (1, 200), (2, 100)):
        prisoner = stake(amount=800, state="prison", share=Fraction(1, 2**halvings))
        assert close_session(house, [prisoner]).lines[0].returned == returned


def test_a_line_can_be_found_and_read() -> None:
    """Lines are found by the id of their stake, and read as a sentence."""
    done = settle(loads_house(HALF), ROUGE_WINS, [stake()])
    assert str(done.line("a")) == "alice's 100 on rouge wins 100"
    with pytest.raises(BetError) as caught:
        done.line("z")
    assert caught.value.code == "unknown-stake"


PAYING = f"""{HEAD}[refait]
rule = "custom"
[refait.machine.free]
refait = [{{ course = "down", staying = "1", state = "cellar" }}]
[refait.machine.cellar]
win = [{{ course = "paid", returned = "PART", pays = "1" }}]
refait = [{{ course = "halved", staying = "1/2", state = "cellar" }}]
close = [{{ course = "closed", returned = "1/2" }}]
"""
LEVELS = f'{HEAD}[refait]\nrule = "prison"\nlevels = 2\nclose = ["1/2", "1/4"]\n'
PRISONER = stake(state="prison")
HALVED = stake(state="prison", share=Fraction(1, 2))


@pytest.mark.parametrize(
    ("rules", "coup", "placed", "words"),
    [
        (HALF, ROUGE_WINS, stake(), "alice's 100 on rouge wins 100"),
        (HALF, NOIR_WINS, stake(), "alice's 100 on rouge loses"),
        (HALF, APRES, stake(), "alice's 100 on rouge is returned"),
        (HALF, REFAIT, stake(), "alice's 100 on rouge: half back, 50"),
        (HALF, REFAIT, stake(amount=5), "alice's 5 on rouge: 2 back, 3 lost"),
        (PRISON, REFAIT, stake(), "alice's 100 on rouge goes to prison"),
        (PRISON, ROUGE_WINS, PRISONER, "alice's 100 on rouge in prison is freed, 100 back"),
        (PRISON, NOIR_WINS, PRISONER, "alice's 100 on rouge in prison loses"),
        (PRISON, APRES, PRISONER, "alice's 100 on rouge in prison stays there"),
        (
            PRISON,
            REFAIT,
            PRISONER,
            "alice's 100 on rouge in prison stays there at half of its value",
        ),
        (PRISON, ROUGE_WINS, HALVED, "alice's 100 on rouge in prison is freed, 50 back"),
        (
            PAYING.replace("PART", "1"),
            ROUGE_WINS,
            evolve(HALVED, state="cellar"),
            "alice's 100 on rouge in cellar is freed, 50 back, 50 won",
        ),
        (
            PAYING.replace("PART", "1/4"),
            ROUGE_WINS,
            evolve(PRISONER, state="cellar"),
            "alice's 100 on rouge in cellar: a quarter back, 25, 25 won",
        ),
        (LEVELS, REFAIT, PRISONER, "alice's 100 on rouge in prison moves to prison-2"),
        (HALF, ROUGE_WINS, stake(owner=""), "100 on rouge wins 100"),
        (
            HALF + INSURED,
            ROUGE_WINS,
            stake(insured=True),
            "alice's 100 on rouge wins 100, insured (premium 1)",
        ),
        (
            HALF + INSURED,
            REFAIT,
            stake(insured=True),
            "alice's 100 on rouge is returned, insured (premium 1)",
        ),
    ],
)
def test_a_line_reads_as_a_sentence(rules: str, coup: Coup, placed: Stake, words: str) -> None:
    """U34: what a host prints to people is language, from the parts of the settled stake."""
    assert str(one(loads_house(rules), coup, placed)) == words


def test_a_line_has_the_currency_where_its_house_is_known() -> None:
    """U34: amounts are in the currency of the house that is given, never in its units."""
    house = loads_house(f'{HALF}[money]\ncurrency = "CHF"\nunit = "0.50"\n')
    line = one(house, ROUGE_WINS, stake())
    assert line.text(house.money) == "alice's 50 CHF on rouge wins 50 CHF"


def test_the_line_of_a_void_coup_says_so() -> None:
    """U34: a void coup returns free stakes and premiums, and leaves prisoners."""
    house = loads_house(PRISON + INSURED)
    free, prisoner = void_coup(house, [stake(insured=True), stake(id="p", state="prison")]).lines
    assert str(free) == "alice's 100 on rouge: void, 100 back, insured (premium 1 back)"
    assert str(prisoner) == "alice's 100 on rouge in prison: void, stays there"


def test_the_line_of_a_plugin_s_rule_reads_well() -> None:
    """U34: a custom machine returns a quarter and keeps a half; the words follow."""
    kept = evolve(stake(), state="penalty", share=Fraction(1, 2), handed_back=25)
    line = Line(
        stake(),
        Verdict.REFAIT,
        "x",
        returned=25,
        forfeited=25,
        staying=50,
        after=kept,
    )
    assert str(line) == "alice's 100 on rouge: 25 back, 25 lost, 50 goes to penalty"


@pytest.mark.parametrize(
    "bad",
    [
        {"amount": 0},
        {"amount": -5},
        {"amount": 1.5},
        {"amount": True},
        {"share": 0.5},
        {"share": Fraction(3, 2)},
        {"share": Fraction(1, 2)},
        {"state": "prison", "handed_back": 101},
        {"handed_back": 1},
    ],
)
def test_a_stake_that_is_none_is_refused(bad: dict[str, Any]) -> None:
    """Amounts are whole units above nought; a free stake is worth all of its amount."""
    with pytest.raises(BetError) as caught:
        stake(**bad)
    assert caught.value.code == "bad-stake"


LIMITS = "[limits]\nminimum = 20\nmaximum = 100\nstep = 5\n"


@pytest.mark.parametrize(
    ("more", "placed", "codes"),
    [
        ("", [stake(amount=20)], []),
        ("", [stake(amount=19)], ["below-minimum", "not-a-step"]),
        ("", [stake(amount=105)], ["above-maximum"]),
        ("", [stake(amount=60), stake(amount=60, id="b")], ["above-maximum"]),
        ("", [stake(amount=60), stake("noir", 60, id="b")], []),
        (
            "",
            [stake(amount=60, group="g"), stake(amount=60, id="b", owner="bob", group="g")],
            ["above-maximum"],
        ),
        (
            'associations = "allowed"\n',
            [stake(amount=60, group="g"), stake(amount=60, id="b", owner="bob", group="g")],
            [],
        ),
        ("both_sides = false\n", [stake(), stake("noir", id="b")], ["both-sides"]),
        ("both_sides = false\n", [stake(), stake("couleur", id="b")], []),
        ("per_chance = { rouge = { maximum = 50 } }\n", [stake(amount=60)], ["above-maximum"]),
        ("per_chance = { rouge = { minimum = 50 } }\n", [stake(amount=40)], ["below-minimum"]),
        ("", [stake(amount=5, state="prison")], []),
    ],
)
def test_limits_refuse_by_code(more: str, placed: list[Stake], codes: list[str]) -> None:
    """Each limit has its code; prisoners count towards none."""
    house = loads_house(PRISON + LIMITS + more)
    assert [refusal.code for refusal in refusals(house, placed)] == codes


def test_stakes_rise_no_faster_than_the_house_allows() -> None:
    """Venezia online: from the fourth bet at most 150 % of the third."""
    house, opening = whole_house("venezia-online"), Opening(2)
    history = History.of([[stake(amount=2)], [stake(amount=2)], [stake(amount=10)]])
    for amount, codes in ((15, []), (16, ["raised-too-fast"])):
        found = refusals(house, [stake(amount=amount)], history, opening=opening)
        assert [refusal.code for refusal in found] == codes


def test_a_side_bet_needs_a_simple_stake_of_the_same_player() -> None:
    """Any après is taken only beside a free stake on a simple chance."""
    house, opening = whole_house("venezia-online"), Opening(2)
    side = stake("any-apres", 2, id="s")
    codes = [refusal.code for refusal in refusals(house, [side], opening=opening)]
    assert codes == ["needs-simple"]
    bobs = stake(amount=2, owner="bob")
    assert refusals(house, [side, bobs], opening=opening)
    assert refusals(house, [side, stake(amount=2)], opening=opening) == ()
    assert one(house, APRES, side).won == 16


def test_a_house_of_several_tables_needs_to_know_which() -> None:
    """Without an opening, or with the minimum of no table, the limits are not known."""
    house = whole_house("venezia-online")
    for opening, code in ((Opening(), "opening-needed"), (Opening(3), "no-such-table")):
        with pytest.raises(BetError) as caught:
            refusals(house, [stake()], opening=opening)
        assert caught.value.code == code


def test_the_maximum_may_be_a_multiple_of_the_minimum() -> None:
    """France: a thousand times the minimum that the table opens with."""
    house, opening = whole_house("france-2007"), Opening(5)
    assert refusals(house, [stake(amount=5000)], opening=opening) == ()
    codes = [r.code for r in refusals(house, [stake(amount=5001)], opening=opening)]
    assert codes == ["above-maximum"]


def order_of(settlement: str, placed: list[str]) -> list[str]:
    """Return the ids of stakes, which begin with a chance, in the order they are settled.

    The first card is red and rouge wins: rouge and couleur are paid, noir and inverse lose.
    """
    house = loads_house(f"{HALF}[settlement]\n{settlement}\n")
    names = {"r": "rouge", "n": "noir", "c": "couleur", "i": "inverse"}
    stakes = [stake(names[name[0]], id=name) for name in placed]
    done = settle(house, coup_with(32, 31, Colour.ROUGE), stakes)
    return [line.stake.id for line in done.lines]


@pytest.mark.parametrize(
    ("settlement", "expected"),
    [
        ("", "n1 i1 n2 r1 r2 c1 c2"),
        ('collect_from = "farthest"', "n2 i1 n1 r1 r2 c1 c2"),
        ('collect_from = "right"', "n2 i1 n1 r1 r2 c1 c2"),
        ('collect_from = "left"', "n1 i1 n2 r1 r2 c1 c2"),
        ('pay_from = "farthest"', "n1 i1 n2 r2 r1 c2 c1"),
        ('pay = ["couleur"]', "n1 i1 n2 c1 c2 r1 r2"),
        ('pay = ["inverse", "couleur", "rouge"]\npay_from = "right"', "n1 i1 n2 c2 c1 r2 r1"),
        ('order = "as-placed"', "c1 n1 r1 i1 c2 n2 r2"),
    ],
)
def test_lines_come_in_the_order_of_the_house(settlement: str, expected: str) -> None:
    """Each key of [settlement] orders what it says, and nothing else."""
    placed = ["c1", "n1", "r1", "i1", "c2", "n2", "r2"]
    assert order_of(settlement, placed) == expected.split()


def test_a_stake_that_is_parted_is_settled_among_those_paid() -> None:
    """At a refait nothing is collected whole: the halves are handed back in the order of paying."""
    house = loads_house(f'{HALF}[settlement]\npay = ["noir", "rouge"]\n')
    placed = [stake("rouge", id="r"), stake("inverse", id="i"), stake("noir", id="n")]
    assert [line.stake.id for line in settle(house, REFAIT, placed).lines] == ["n", "r", "i"]


def test_each_stake_of_a_coup_goes_its_own_way() -> None:
    """Free, insured and imprisoned stakes, and a choice for one of them, in one refait."""
    house = loads_house(PRISON + INSURED)
    placed = [
        stake(id="asks"),
        stake(id="waits"),
        stake(id="insured", insured=True),
        stake("couleur", id="inside", state="prison", share=Fraction(1, 2)),
    ]
    done = settle(house, REFAIT, placed, [Choice("asks", "partage")])
    told = {line.stake.id: (line.returned, line.forfeited, line.staying) for line in done.lines}
    assert told == {
        "asks": (50, 50, 0),
        "waits": (0, 0, 100),
        "insured": (100, 0, 0),
        "inside": (0, 0, 100),
    }
    assert {s.id: s.share for s in done.staying} == {
        "waits": Fraction(1),
        "inside": Fraction(1, 4),
    }
    assert done.bank_net == 51
    assert done.players_net == -51


def test_what_leaves_a_prison_over_many_coups_is_rounded_once() -> None:
    """Halved three times, 999 are worth 124 7/8: only what is handed back is rounded."""
    house = loads_house(f'{PRISON}[money]\nrounding = "player"\n')
    inside = one(house, REFAIT, stake(amount=999)).after
    for _again in range(3):
        assert inside is not None
        inside = one(house, REFAIT, inside).after
    assert inside is not None
    assert inside.worth == Fraction(999, 8)
    freed = one(house, ROUGE_WINS, inside)
    assert (freed.returned, freed.forfeited, freed.residue) == (125, 874, Fraction(-1, 8))


def test_a_side_bet_of_broken_odds_is_rounded_once() -> None:
    """Odds of 3/2 on one unit win 1.5, rounded as the house says; the stake itself comes whole."""
    bets = '[[side_bets]]\nid = "tie"\nwins_on = "any-tie"\nodds = "3/2"\n'
    for rounding, won in (("bank", 1), ("player", 2)):
        house = loads_house(f'{HALF}[money]\nrounding = "{rounding}"\n{bets}')
        line = one(house, APRES, stake("tie", 1))
        assert (line.returned, line.won, line.residue) == (1, won, Fraction(3, 2) - won)
    refuses = loads_house(f'{HALF}[money]\nrounding = "refuse"\n{bets}')
    assert [r.code for r in refusals(refuses, [stake("tie", 1)])] == ["inexact"]


def test_a_side_bet_loses_at_once_where_its_tie_does_not_come() -> None:
    """It goes to no prison, and a refait is a tie like any other."""
    house, exact = whole_house("venezia-online"), stake("exact-apres-32", 2)
    tie = coup_with(32, 32)
    assert [one(house, coup, exact).won for coup in (tie, REFAIT, APRES)] == [78, 0, 0]
    assert one(house, REFAIT, exact).forfeited == 2


def test_a_verdict_that_no_coup_of_the_house_gives_is_refused() -> None:
    """Where no tie loses there is no refait to settle, nor to choose for."""
    house = whole_house("wilhelmsbad-1840")
    with pytest.raises(BetError) as caught:
        settle_stake(house, stake(), Verdict.REFAIT)
    assert caught.value.code == "impossible-verdict"
    with pytest.raises(BetError) as caught:
        one(house, REFAIT, stake(), Choice("a", "partage"))
    assert caught.value.code == "impossible-verdict"
    assert one(house, REFAIT, stake()).returned == 100


def test_settling_twice_gives_the_same() -> None:
    """Nothing is remembered from one coup to the next but what the stakes themselves hold."""
    house = loads_house(PRISON + INSURED)
    placed = [stake(insured=True), stake("noir", id="b"), stake(id="c", state="prison")]
    first = settle(house, REFAIT, placed)
    settle(house, ROUGE_WINS, placed)
    assert settle(house, REFAIT, placed) == first
    assert settle(house, REFAIT, iter(placed)) == first


def test_a_coup_without_stakes_settles_nothing() -> None:
    """No stake, no line, nothing won."""
    done = settle(loads_house(PRISON), REFAIT, [])
    assert (done.lines, done.staying, done.bank_net) == ((), (), 0)


def test_a_minimum_is_asked_for_only_where_it_counts() -> None:
    """Spain: only the refait asks for the minimum; wins, losses and ties are settled without."""
    house = whole_house("spain-1979")
    for coup in (ROUGE_WINS, NOIR_WINS, APRES):
        assert one(house, coup, stake()).staying == 0


def test_what_a_premium_was_rounded_by_is_recorded() -> None:
    """1 % of 15 is .15: a whole unit is kept, and .85 is told; a minimum premium is no rounding."""
    house = loads_house(PRISON + INSURED)
    assert one(house, NOIR_WINS, stake(amount=15, insured=True)).premium_residue == Fraction(17, 20)
    least = loads_house(PRISON + INSURED + "minimum_premium = 5\n")
    assert one(least, NOIR_WINS, stake(amount=15, insured=True)).premium_residue == 0


def test_choices_that_contradict_are_refused() -> None:
    """Two courses for one stake, state and verdict; the same one twice is no matter."""
    house, twice = loads_house(PRISON), Choice("a", "partage")
    assert one(house, REFAIT, stake(), twice, twice).course == "partage"
    with pytest.raises(BetError) as caught:
        one(house, REFAIT, stake(), twice, Choice("a", "prison"))
    assert caught.value.code == "double-choice"


def test_a_choice_may_name_its_verdict_by_text() -> None:
    """As JSON would have it."""
    assert Choice("a", "partage", verdict="refait") == Choice("a", "partage")


def test_the_minimum_of_a_chance_decides_its_partage() -> None:
    """Spain with a lower minimum on rouge: the partage there is measured by that."""
    text = (
        '[house]\nname = "c"\nextends = "spain-1979"\n[money]\nunit = "1"\n'
        '[refait]\npartage_not_below = "minimum"\n'
        "[limits]\nper_chance = { rouge = { minimum = 2 } }\n"
    )
    house, opening = loads_house(text), Opening(10)
    choice = Choice("a", "partage")
    assert one(house, REFAIT, stake(amount=6), choice, opening=opening).returned == 3
    with pytest.raises(BetError):
        one(house, REFAIT, stake("noir", 6), choice, opening=opening)


def test_players_who_bet_together_rise_together() -> None:
    """A second member of a group is measured by the group's bets."""
    house, opening = whole_house("venezia-online"), Opening(2)
    history = History.of([[stake(amount=2, group="g")]] * 3)
    late = stake(amount=4, owner="bob", group="g")
    codes = [refusal.code for refusal in refusals(house, [late], history, opening=opening)]
    assert codes == ["raised-too-fast"]


def test_a_refused_stake_does_not_carry_a_side_bet() -> None:
    """The simple stake beside a side bet must itself be accepted."""
    house, opening = whole_house("venezia-online"), Opening(2)
    placed = [stake("any-apres", 2, id="s"), stake(amount=1)]
    codes = [refusal.code for refusal in refusals(house, placed, opening=opening)]
    assert codes == ["below-minimum", "needs-simple"]


@pytest.mark.parametrize(
    ("house", "amount", "code", "values"),
    [
        ("", 5, "below-minimum", {"amount": 5, "minimum": 10}),
        ("step = 10", 25, "not-a-step", {"amount": 25, "step": 10}),
        (
            "maximum = 50",
            60,
            "above-maximum",
            {"amount": 60, "maximum": 50, "chance": "rouge", "player": "ann"},
        ),
    ],
)
def test_a_refusal_has_its_numbers(
    house: str, amount: int, code: str, values: dict[str, Any]
) -> None:
    """T11b: what the sentence is made with is in fields, so that it can be said in any language."""
    limits = f'[limits]\nrule = "fixed"\nminimum = 10\n{house}\n'
    own = loads_house(
        f'[house]\nname = "x"\n[money]\nunit = "1"\n[refait]\nrule = "half-loss"\n'
        f'[insurance]\nrule = "none"\n{limits}'
    )
    (refusal,) = refusals(own, [Stake("s", "ann", "rouge", amount)])
    assert (refusal.code, dict(refusal.values)) == (code, values)
    for value in values.values():
        assert str(value) in refusal.message or value == "ann"


@pytest.mark.parametrize("name", ["france-2007", "monte-carlo-1911", "spain-1979"])
def test_stakes_that_are_alike_are_each_settled_as_if_alone(name: str) -> None:
    """T1: each line of a full table, where stakes share a result, is the one it has alone."""
    house, opening = shipped(name), Opening(1000)
    insured = (False, True) if house.insurance_table else (False,)
    placed = [
        Stake(f"{owner}-{chance}-{amount}-{covered}", owner, chance, amount, insured=covered)
        for owner in ("ann", "bob")
        for chance in house.deal.chances
        for amount in (1000, 2005)
        for covered in insured
        if not covered or not house.insurance_table or not house.insurance_table.refusal(amount)
    ]
    placed += [Stake("cy", "cy", "rouge", 1000, state="prison", position=3)]
    for points in ((33, 31), (31, 33), (31, 31), (34, 34)):
        coup = coup_with(*points)
        lines = settle(house, coup, placed, opening=opening).lines
        assert len(lines) == len(placed)
        for line in lines:
            (alone,) = settle(house, coup, [line.stake], opening=opening).lines
            assert line == alone
