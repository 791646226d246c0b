"""The keys of a course in TOML, and the keys of the prison that build them."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Final

import pytest

from trente_rules import (
    Amount,
    Choice,
    ConfigurationError,
    House,
    Opening,
    RuleError,
    Settlement,
    Stake,
    Verdict,
    courses,
    dumps_house,
    load_house,
    loads_house,
    settle,
)
from trente_rules.core.money import Money
from trente_rules.core.rules.refait import Prison
from trente_rules.reports.formats import text
from trente_rules.reports.rulebook import rulebook
from trente_rules.testing import coup_with

REFAIT: Final = coup_with(31, 31)
ROUGE: Final = coup_with(33, 32)


def house(
    course: str = "", win: str = '{ course = "out", returned = "1" }', more: str = ""
) -> House:
    """Make a house of one prison, where a refait may take this course."""
    also = f", {{ course = {course} }}" if course else ""
    return loads_house(
        '[house]\nname = "own"\n[refait]\nrule = "custom"\n'
        '[refait.machine.free]\nrefait = [{ course = "in", staying = "1", state = "prison", '
        f"default = true }}{also}]\n"
        f"[refait.machine.prison]\nwin = [{win}]\n"
        'refait = [{ course = "lost" }]\nclose = [{ course = "closed", returned = "1/2" }]\n'
        f'[limits]\nrule = "fixed"\nminimum = 10\n{more}'
    )


def chosen(built: House, course: str, amount: int = 400) -> Settlement:
    """Settle one stake on rouge at a refait by a course."""
    return settle(built, REFAIT, [Stake("a", "p", "rouge", amount)], [Choice("a", course)])


def test_the_share_that_the_bank_takes_at_once() -> None:
    """D-R13: a quarter is forfeited now, three quarters stay."""
    built = house('"second", taken = "1/4", staying = "3/4", state = "prison"')
    (line,) = chosen(built, "second").lines
    assert (line.forfeited, line.staying) == (100, 300)
    assert line.after is not None
    assert (line.after.worth, line.after.standing) == (Fraction(300), 300)
    said = " ".join(text.render(rulebook(built, language="en")).split())
    assert "the bank takes a quarter of what the stake is worth at once" in said


def test_a_prisoner_that_wins_is_paid() -> None:
    """D-R12: double or quits: 400 back and 400 won; the rules no longer say that none is paid."""
    paid = house(win='{ course = "paid", returned = "1", pays = "1" }')
    prisoner = Stake("a", "p", "rouge", 400, state="prison")
    (line,) = settle(paid, ROUGE, [prisoner]).lines
    assert (line.returned, line.won) == (400, 400)
    assert "Only a free stake can win" in text.render(rulebook(house(), language="en"))
    said = text.render(rulebook(paid, language="en"))
    assert "Only a free stake can win" not in said
    assert "it is paid 1 to 1" in " ".join(said.split())


@pytest.mark.parametrize(("least", "offered"), [("100", (99, 100)), ('"minimum"', (9, 10))])
def test_a_course_is_offered_from_an_amount(least: str, offered: tuple[int, int]) -> None:
    """D-R16: a course that returns less than the amount, or the minimum, is not offered."""
    built = house(f'"divide", returned = "1/2", offered_from = {least}')
    found = [
        [course.name for course in courses(built, Stake("a", "p", "noir", amount), Verdict.REFAIT)]
        for amount in (2 * offered[0], 2 * offered[1])
    ]
    assert found == [["in"], ["in", "divide"]]
    if least == "100":
        assert "100\N{NO-BREAK SPACE}EUR" in text.render(rulebook(built, language="en"))


def test_the_older_name_of_the_key_is_read() -> None:
    """``not_below = "minimum"`` is what it was, with the same fingerprint."""
    old = house('"divide", returned = "1/2", not_below = "minimum"')
    new = house('"divide", returned = "1/2", offered_from = "minimum"')
    assert old.fingerprint == new.fingerprint
    assert old.machine == new.machine
    assert loads_house(dumps_house(old)) == old


def test_a_call_is_presentation() -> None:
    """What is called changes no rule: the fingerprint is the same."""
    built = house('"divide", returned = "1/2", call = "libre"')
    assert built.fingerprint == house('"divide", returned = "1/2"').fingerprint
    known = {course.name: course.call for course in built.machine.courses("free", Verdict.REFAIT)}
    assert known == {"in": "en_prison", "divide": "libre"}
    assert loads_house(dumps_house(built)) == built


@pytest.mark.parametrize(
    ("course", "path", "code"),
    [
        ('"divide", returned = "1/2", call = "librre"', "free.refait.1.call", "unknown-phrase"),
        ('"divide", returned = "1/2", call = "burn"', "free.refait.1.call", "unknown-phrase"),
        (
            '"divide", returned = "1/2", offered_from = "0.50"',
            "free.refait.1.offered_from",
            "not-whole-units",
        ),
        ('"divide", returned = "1", pays = "1"', "free.refait", "bad-machine"),
        ('"divide", returned = "1/2", taken = "2/3"', "free.refait", "bad-machine"),
    ],
)
def test_a_key_of_a_course_that_cannot_be_is_found(course: str, path: str, code: str) -> None:
    """A phrase that is not one, or needs a value; a part of a unit; shares above 1."""
    with pytest.raises(ConfigurationError) as caught:
        house(course)
    assert [(fault.key, fault.code) for fault in caught.value.faults] == [
        (f"refait.machine.{path}", code)
    ]


def test_two_least_amounts_of_a_course_contradict() -> None:
    """``not_below`` and ``offered_from`` are one key under two names."""
    both = '"divide", returned = "1/2", not_below = "minimum", offered_from = 50'
    with pytest.raises(ConfigurationError) as caught:
        house(both)
    assert [fault.code for fault in caught.value.faults] == ["key-cannot-act"]


# The keys of the prison


def test_foster_takes_the_fourth_at_once() -> None:
    """D7: after the second refait the bank has 100 and 300 are in the square; a win returns 300."""
    built = load_house("foster-1897")
    stake = Stake("a", "p", "rouge", 400)
    (first,) = settle(built, REFAIT, [stake]).lines
    assert first.after is not None
    second = settle(built, REFAIT, [first.after])
    (after,) = second.staying
    assert (second.bank_net, after.standing, after.state) == (100, 300, "prison-2")
    (freed,) = settle(built, ROUGE, [after]).lines
    assert (freed.returned, freed.forfeited, freed.won) == (300, 0, 0)


def test_a_quarter_may_be_taken_in_the_last_prison_again_and_again() -> None:
    """D-R13: 400 is worth 300, then 225; the bank has each quarter at once."""
    built = loads_house(
        '[house]\nname = "own"\n[refait]\nrule = "prison"\nlast = "quarter-taken"\n'
    )
    stake, taken = Stake("a", "p", "noir", 400, state="prison"), []
    for _refait in range(2):
        result = settle(built, REFAIT, [stake])
        taken.append(result.bank_net)
        (stake,) = result.staying
    assert (taken, stake.standing, stake.worth) == ([100, 75], 225, Fraction(225))


PARTAGE: Final = (
    '[house]\nname = "own"\n[refait]\nrule = "prison"\npartage = ["1/2", "1/4"]\n'
    '[limits]\nrule = "fixed"\nminimum = 100\n'
)


@pytest.mark.parametrize(
    ("floor", "first", "second"),
    [
        ("50", (99, 100), (199, 200)),
        ('["none", "minimum"]', (0, 1), (399, 400)),
        ('["minimum"]', (199, 200), (0, 1)),
        ('["none", 30]', (0, 1), (119, 120)),
    ],
)
def test_the_floor_of_the_partage(
    floor: str, first: tuple[int, int], second: tuple[int, int]
) -> None:
    """D-R16, D-R17: an amount, or one bound for each level."""
    built = loads_house(PARTAGE.replace("[limits]", f"partage_not_below = {floor}\n[limits]"))

    def offered(amount: int, state: str) -> bool:
        known = courses(built, Stake("a", "p", "rouge", amount, state), Verdict.REFAIT)
        return "partage" in [course.name for course in known]

    for state, (below, least) in (("free", first), ("prison", second)):
        assert offered(least, state)
        assert below == 0 or not offered(below, state)


def test_spain_divides_small_stakes_at_the_first_zero() -> None:
    """D8: partage of 100 at a table of 100 returns 50."""
    spain = load_house("spain-1979")
    (line,) = settle(
        spain,
        REFAIT,
        [Stake("a", "p", "rouge", 100)],
        [Choice("a", "partage")],
        opening=Opening(100),
    ).lines
    assert (line.returned, line.forfeited) == (50, 50)


@pytest.mark.parametrize(
    ("fields", "field", "code"),
    [
        ({"partage_not_below": Amount.parse(50)}, "partage_not_below", "key-cannot-act"),
        (
            {"partage": (Fraction(1, 2),), "partage_not_below": ("none", "minimum")},
            "partage_not_below",
            "key-cannot-act",
        ),
        (
            {"partage": (Fraction(1, 2),), "partage_not_below": ("none",) * 3},
            "partage_not_below",
            "wrong-number",
        ),
        ({"again": "quarter-taken"}, "again", "key-cannot-act"),
    ],
)
def test_a_floor_that_cannot_act_is_refused(fields: Any, field: str, code: str) -> None:
    """A bound of a partage that is not offered, and more bounds than levels."""
    with pytest.raises(RuleError) as caught:
        Prison(**fields).build(Money())
    assert (caught.value.field, caught.value.code) == (field, code)


def test_a_floor_is_a_whole_number_of_units() -> None:
    """The fault is at the key."""
    with pytest.raises(ConfigurationError) as caught:
        loads_house(PARTAGE.replace("[limits]", 'partage_not_below = "0.50"\n[limits]'))
    (fault,) = caught.value.faults
    assert (fault.key, fault.code) == ("refait.partage_not_below", "not-whole-units")
