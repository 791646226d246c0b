"""Chips by their values: what digits name, the steps of the brackets, stacks on the cloth."""

from __future__ import annotations

from fractions import Fraction

import pytest
from tests.play.seated import WIDE, play_on_screen, ready, seen, seen_in
from tests.whole_units import units
from textual.pilot import Pilot

from trente_rules import House, load_house, loads_house
from trente_rules.core import default_manager
from trente_rules.play.app import TableApp
from trente_rules.play.chips import (
    ChipKeys,
    amount_text,
    chip_text,
    chip_values,
    money_text,
    share_text,
    signed_text,
    stack_of,
    worth_text,
)
from trente_rules.reports.sentences import Speech
from trente_rules.testing import opening_of

HOUSES = default_manager().names("house")
ENGLISH = default_manager().language("en")


def named(house: House, keys: str, seconds: float = 0.2) -> list[str]:
    """Return the chip that is in hand after each key, all typed in quick succession."""
    chips, typing, hand, found = chip_values(house, opening_of(house)), ChipKeys(), 0, []
    for number, key in enumerate(keys):
        typed = typing.type(key, seconds * number, house, chips, ENGLISH)
        hand = typed.chip or hand
        found.append(chip_text(house, hand, ENGLISH) if hand else "")
    return found


def test_a_digit_names_a_value_not_a_place() -> None:
    """U15: 5 takes the chip of 5, where it was the fifth one; digits together are one number."""
    house = load_house("italian-program")
    assert named(house, "5") == ["5"]
    assert named(house, "20") == ["2", "20"]
    assert named(house, "500") == ["5", "50", "500"]
    assert named(house, "25") == ["2", "5"]  # no table has a chip of 25
    assert named(house, "3") == [""]
    assert named(house, "20", seconds=3) == ["2", "2"]  # slowly they are two numbers


def test_thousands_and_parts_are_typed_as_they_are_written() -> None:
    """U15: 5k is 5 k or 5 0 0 0; half a unit of the currency has its point."""
    dear = loads_house('[house]\nname = "x"\nextends = "france-2007"\n[limits]\nminimum = "1000"\n')
    assert chip_text(dear, chip_values(dear, opening_of(dear))[2], ENGLISH) == "5k"
    assert named(dear, "5k")[-1] == "5k"
    assert named(dear, "5000")[-1] == "5k"
    assert named(dear, "10000")[-1] == "10k"
    typing = ChipKeys()
    assert not typing.takes("k")
    assert not typing.takes(".")
    typed = typing.type("5", 0, dear, chip_values(dear, opening_of(dear)), ENGLISH)
    assert (typed.chip, typed.near[0]) == (None, "5k")
    assert typing.takes("k")


@pytest.mark.parametrize("name", HOUSES)
def test_every_chip_is_taken_by_its_own_keys(name: str) -> None:
    """U15: in every house, for each chip, the digits on it take it and no other."""
    house = load_house(name)
    for chip in chip_values(house, opening_of(house)):
        assert named(house, chip_text(house, chip, ENGLISH).replace(",", ""))[-1] == chip_text(
            house, chip, ENGLISH
        )


def test_stacks_and_figures_are_written_as_at_a_table() -> None:
    """U16, U20, U21: parts in per cent, results with their sign, the fewest chips."""
    house = load_house("france-2007")
    chips = chip_values(house, opening_of(house))
    whole = units(house, 1)
    assert stack_of(chips, 188 * whole) == tuple(
        (value * whole, number)
        for value, number in ((100, 1), (50, 1), (20, 1), (10, 1), (5, 1), (2, 1), (1, 1))
    )
    assert stack_of(chips, 1500 * whole) == ((500 * whole, 3),)
    assert stack_of(chips, 0) == ()
    assert [
        share_text(Fraction(part), ENGLISH) for part in ("1", "1/100", "1/200", "1/3", "25")
    ] == [
        "100 %",
        "1 %",
        "0.5 %",
        "33.3 %",
        "2,500 %",
    ]
    assert [signed_text(house, each * whole, ENGLISH) for each in (12, 0, -12)] == [
        "+12",
        "0",
        "-12",
    ]
    assert worth_text(house, Fraction(1976, 100) * whole, ENGLISH) == "19.76 EUR"


@pytest.mark.parametrize(
    ("code", "thousands", "half"),
    [
        ("en", "12,000.50", "0.5 %"),
        ("fr", "12\N{NARROW NO-BREAK SPACE}000,50", "0,5 %"),
        ("it", "12.000,50", "0,5 %"),
        ("es", "12.000,50", "0,5 %"),
        ("de", "12.000,50", "0,5 %"),
    ],
)
def test_amounts_follow_the_language(code: str, thousands: str, half: str) -> None:
    """Issue 15: in play an amount is written as in the rulebook, by the language of the screen."""
    language, house = default_manager().language(code), load_house("france-2007")
    units_ = units(house, 1) * 24_001 // 2
    assert amount_text(house, units_, language) == thousands
    assert money_text(house, units_, language) == f"{thousands} EUR"
    assert signed_text(house, units_, language) == f"+{thousands}"
    assert signed_text(house, -units_, language) == f"-{thousands}"
    assert worth_text(house, Fraction(units_), language) == f"{thousands} EUR"
    assert share_text(Fraction(1, 200), language) == half
    spoken = Speech(language, house.money, ()).amount(units_)
    assert spoken == f"{thousands}\N{NO-BREAK SPACE}EUR"


def test_a_comma_is_typed_where_a_chip_has_one() -> None:
    """Issue 15: a chip of 0,5 is 0 , 5 on the keys, as well as 0 . 5."""
    house = loads_house(
        '[house]\nname = "x"\nextends = "france-2007"\n[limits]\nminimum = "0.50"\nstep = "0.50"\n'
    )
    assert named(house, "0,50")[-1] == named(house, "0.50")[-1] == "0.50"


@pytest.mark.slow
def test_keys_take_chips_on_the_screen() -> None:
    """U15: digits, brackets, and the message where no chip has the value."""

    async def play(app: TableApp, pilot: Pilot[None]) -> None:
        house = app.session.house

        def hand() -> str:
            return chip_text(house, app.session.chip, ENGLISH)

        await pilot.press("5", "r")
        assert app.session.at_stake == units(house, 5)
        await pilot.press("2", "0")
        assert hand() == "20"
        await pilot.press("right_square_bracket")
        assert hand() == "50"
        await pilot.press("left_square_bracket", "left_square_bracket")
        assert hand() == "10"
        await pilot.press(*["left_square_bracket"] * 9)
        assert hand() == "1"
        await pilot.press("7")
        await pilot.pause()
        assert "no chip of 7" in seen(app)
        assert hand() == "1"
        await pilot.press("1", "r", "0")
        await pilot.pause()
        assert hand() == "1"  # another key between two digits begins a new number
        assert "[1]" in seen_in(app, "chips")

    play_on_screen(ready("france-2007"), play)


@pytest.mark.slow
def test_the_key_of_each_chip_is_below_it() -> None:
    """U15: where there is room, each chip has its keys under it, and stacks lie on the cloth."""

    async def play(app: TableApp, pilot: Pilot[None]) -> None:
        region = app.query_one("#chips").region
        chips, keys = seen(app).split("\n")[region.y : region.y + 2]
        for chip in app.session.chips:
            name = chip_text(app.session.house, chip, ENGLISH)
            assert name in chips.split()[1:] or f"[{name}]" in chips
            assert name in keys.split()
        await pilot.press("1", "0", "0", "r", "2", "r", "r")
        await pilot.pause()
        rouge = app.boxes()[0]
        lines = [line.plain for line in rouge.lines(26, 7)]
        assert any(" 100   2 " in line for line in lines)
        assert sum("  2 " in line for line in lines) == 2

    play_on_screen(ready("france-2007"), play, WIDE)
