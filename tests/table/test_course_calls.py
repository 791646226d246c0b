"""The calls of courses: what the croupier says when stakes go to prison, are divided or freed."""

from __future__ import annotations

from typing import Any, Final

import pytest

from trente_rules import Coup, House, Opening, Table, load_house, loads_house
from trente_rules.core.rules.announcements import Call
from trente_rules.table import (
    Burn,
    Choose,
    CloseBets,
    Command,
    Cut,
    Deal,
    Event,
    OpenBets,
    OpenShoe,
    Place,
    PlaceMarker,
    Settle,
)
from trente_rules.table.events import Announced, StakeSettled
from trente_rules.testing import opening_of, stacked_shoe

WIN: Final = Coup.parse("K♠ Q♥ 9♦ 6♣ / 10♦ 10♣ 8♠ 4♥")  # 35 and 32: rouge wins
REFAIT: Final = Coup.parse("K♠ K♥ Q♦ A♣ / 10♥ 10♠ J♣ A♦")  # 31 and 31
TIE: Final = Coup.parse("K♠ K♥ Q♦ 3♣ / 10♥ 10♠ J♣ 3♦")  # 33 and 33


def play(
    house: House,
    coups: tuple[Coup, ...],
    amount: int = 400,
    opening: Opening | None = None,
    choose: str = "",
) -> list[list[str]]:
    """Return what is said and settled behind the cards of each coup: one stake on rouge."""
    table = Table(house, opening=opening or opening_of(house))
    number = 0

    def do(kind: type[Command], **more: Any) -> tuple[Event, ...]:
        nonlocal number
        number += 1
        return table.do(kind(id=str(number), **more))

    do(OpenShoe, cards=stacked_shoe(coups, packs=house.shoe.packs, burn=house.shoe.burn).cards)
    if "cut" in table.allowed():
        do(Cut, place=0, by=house.shoe.cut_by)
    if "burn" in table.allowed():
        do(Burn)
    if "place-marker" in table.allowed() and house.shoe.marker:
        do(PlaceMarker, by=house.shoe.marker.placed_by)
    said: list[list[str]] = []
    for coup in range(len(coups)):
        do(OpenBets)
        if not coup:
            do(Place, stake="a", player="p", chance="rouge", amount=amount)
        do(CloseBets)
        if "cut" in table.allowed():  # where bets are taken before the cut
            do(Cut, place=0, by=house.shoe.cut_by)
        do(Deal)
        if choose and not coup:
            do(Choose, stake="a", course=choose, verdict="refait")
        texts: list[str] = []
        for event in do(Settle):
            if isinstance(event, StakeSettled):
                texts.append(str(event.line))
            elif isinstance(event, Announced):
                texts.append(f"«{house.words.say(Call(event.phrase, event.values))}»")
        said.append(texts)
    return said


SCRIPTS: Final = {
    "france-2007": (
        (REFAIT, REFAIT, WIN),
        400,
        [
            ["p's 400 on rouge goes to prison", "«En prison»"],
            ["p's 400 on rouge in prison stays there at half of its value", "«En prison»"],
            ["p's 400 on rouge in prison is freed, 200 back", "«Mise libre»"],
        ],
    ),
    "spain-1979": (
        (REFAIT, REFAIT, WIN),
        400,
        [
            ["p's 400 on rouge goes to prison", "«En prisión»"],
            ["p's 400 on rouge in prison stays there at half of its value", "«En prisión»"],
            ["p's 400 on rouge in prison is freed, 200 back", "«La apuesta queda libre»"],
        ],
    ),
    "foster-1897": (
        (REFAIT, REFAIT, WIN),
        400,
        [
            ["p's 400 on rouge goes to prison", "«En prison»"],
            ["p's 400 on rouge in prison: 100 lost, 300 goes to prison-2", "«En prison»"],
            ["p's 300 on rouge in prison-2 is freed, 300 back", "«Mise libre»"],
        ],
    ),
    "german-spas-1840": (
        (TIE, TIE, WIN),
        40,
        [
            ["p's 40 on rouge goes to prison", "«En prison»"],
            ["p's 40 on rouge in prison stays there at half of its value", "«En prison»"],
            ["p's 40 on rouge in prison is freed, 20 back", "«Mise libre»"],
        ],
    ),
    "italy-half-loss": ((REFAIT,), 400, [["p's 400 on rouge: half back, 200"]]),
}


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_stake_that_is_freed_is_called_free(name: str) -> None:
    """D1: "mise libre" for a prisoner that wins, whatever it is worth; never "partage".

    Where half is lost at once nothing is divided by choice: neither phrase is called.
    """
    coups, amount, script = SCRIPTS[name]
    assert play(load_house(name), coups, amount) == script


def test_a_partage_is_called_where_the_player_asks_for_it() -> None:
    """D1: the course called "partage" is the only one that says so."""
    (said,) = play(load_house("france-2007"), (REFAIT,), choose="partage")
    assert said == ["p's 400 on rouge: half back, 200", "«Partage»"]


def test_nothing_is_called_for_a_prisoner_that_stays_or_moves_one_prison_out() -> None:
    """D1: an ordinary tie changes nothing; one prison out is neither free nor a new prison."""
    said = play(load_house("germany-500"), (REFAIT, TIE, REFAIT, WIN, WIN))
    words = [[text for text in texts if text.startswith("«")] for texts in said]
    assert [bool(each) for each in words] == [True, False, True, False, True]
    assert "prison-2" in said[2][0]
    assert said[3][0].endswith("moves to prison")


CUSTOM: Final = """
[house]
name = "custom-calls"
[refait]
rule = "custom"
[refait.machine.free]
refait = [{ course = "in", staying = "1", state = "prison" }]
[refait.machine.prison]
win = [{ course = "out", returned = "3/4" }]
refait = [{ course = "again", staying = "1/2", state = "prison" }]
close = [{ course = "closed", returned = "1/2" }]
[limits]
rule = "fixed"
minimum = 1
"""


def test_a_custom_course_says_what_it_does_by_default() -> None:
    """D1: a custom course that names no call is called by what it does, once for all amounts."""
    house = loads_house(CUSTOM)
    said = play(house, (REFAIT, REFAIT, WIN))
    assert [texts[1:] for texts in said] == [["«En prison»"], ["«En prison»"], ["«Mise libre»"]]
