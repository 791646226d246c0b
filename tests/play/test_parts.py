"""Chips, translations and the lesson: each against what it is made from."""

from __future__ import annotations

from fractions import Fraction

import pytest
from tests.play.seated import SEED, go_on, ready
from tests.whole_units import units

from trente_rules import load_house, loads_house
from trente_rules.core import default_manager
from trente_rules.core.rules.announcements import Call, coup_calls
from trente_rules.core.stakes import Opening
from trente_rules.odds.advantage import advantage
from trente_rules.odds.remaining import CompletedOdds, Composition, deal_odds
from trente_rules.play.chips import amount_text, chip_values
from trente_rules.play.cloth import INSURED, ChanceBox, odds_text
from trente_rules.play.lesson import lesson_of, seen_cards
from trente_rules.play.lesson_panel import holds_lines
from trente_rules.play.session import PlaySession, UiStep
from trente_rules.play.views import (
    CoupView,
    Texts,
    calls_of,
    chances_of,
    coups_of,
    other_language,
    shown_coup,
)
from trente_rules.play.widgets import RowsWindow, outcome_text
from trente_rules.testing import coup_with, opening_of

HOUSES = default_manager().names("house")
ENGLISH = default_manager().language("en")


@pytest.mark.parametrize("name", HOUSES)
def test_every_chip_of_a_house_is_a_stake_it_takes(name: str) -> None:
    """Each chip alone is within the limits of the table; they rise, and nine are the most."""
    house = load_house(name)
    chips = chip_values(house, opening_of(house))
    assert list(chips) == sorted(set(chips))
    assert 1 <= len(chips) <= 9
    session = ready(name)
    for chip in chips:
        session.choose_chip(chip)
        session.add(house.deal.chances[0])
        session.take(house.deal.chances[0], whole=True)


def test_chips_follow_minimum_maximum_and_unit() -> None:
    """Venezia's first table takes 2 to 41; half a franc is a unit; a step leaves chips out.

    No chip is one that the house refuses: France takes whole euros, from 7.50 on that is 8. Steps
    of 3 leave no 1, 2, 5, 10 of the currency.
    """
    venice = load_house("venezia-online")
    least, most = (Opening(units(venice, minimum)) for minimum in (2, 200))
    assert chip_values(venice, least) == tuple(units(venice, chip) for chip in (2, 5, 10, 20))
    assert chip_values(venice, most)[0] == units(venice, 200)
    house = loads_house('[house]\nname = "x"\nextends = "france-2007"\n[money]\nunit = "0.50"\n')
    assert chip_values(house, Opening(15))[:3] == (16, 20, 40)
    assert amount_text(house, 24_001, ENGLISH) == "12,000.50"
    assert amount_text(house, -3, ENGLISH) == "-1.50"
    stepped = loads_house('[house]\nname = "x"\nextends = "foster-1897"\n[limits]\nstep = 10\n')
    assert chip_values(stepped, Opening())[:3] == (10, 20, 50)
    threes = loads_house('[house]\nname = "x"\nextends = "foster-1897"\n[limits]\nstep = 3\n')
    assert chip_values(threes, Opening())[:4] == (3, 6, 15, 30)


@pytest.mark.parametrize("language", default_manager().names("language"))
@pytest.mark.parametrize("name", ["france-2007", "foster-1897", "spain-1979", "homburg-1860"])
def test_every_call_of_a_shoe_is_translated(name: str, language: str) -> None:
    """What is said has the phrase of the same key in the other language, its numbers with it."""
    session = ready(name)
    house = session.house
    other = other_language(house, language)
    for _coup in range(8):
        session.deal()
        go_on(session)
    calls = [call for coup in coups_of(session.events) for call in coup.calls]
    assert len(calls) > 20
    if language == house.words.code:
        assert other is None
        return
    assert other
    for call in calls:
        told = other.say(call)
        assert told
        if call.phrase in ("total", "point"):
            number = [n.casefold() for n in house.words.numbers].index(
                house.words.say(call).casefold()
            )
            assert told.casefold() == other.numbers[number].casefold()


def test_a_call_has_its_numbers_in_every_language() -> None:
    """Browning and Spain call both points at once, cards have a gender: each has its words."""
    english = default_manager().language("en")
    assert english.say(Call("points", (("first", 2), ("second", 40)))) == "Two, forty"
    assert english.say(Call("burn", (("number", 5),))).endswith("five cards")
    spanish = default_manager().language("es")
    assert "veintiuna cartas" in spanish.say(Call("burn", (("number", 21),)))


@pytest.mark.parametrize(
    ("points", "own", "told"),
    [
        ((38, 38), ["Point", "Après"], ["Eight", "Tie at eight"]),
        ((38, 35), ["Point", "Point"], ["Eight", "Five"]),
    ],
)
def test_no_number_is_invented(points: tuple[int, int], own: list[str], told: list[str]) -> None:
    """A1 1c: where a house's own phrase says no number, the other language has the right one."""
    house = loads_house(
        '[house]\nname = "x"\nextends = "france-2007"\n'
        '[announcements.phrases]\napres_point = "Après"\npoint = "point"\n'
    )
    coup = coup_with(*points)
    verdicts = {chance.id: chance.verdict(coup) for chance in house.chances}
    first_colour = house.deal.first_colour
    calls = coup_calls(house.announcements, house.words, coup, first_colour, verdicts)
    english = other_language(house, "en")
    assert english
    assert [house.words.say(call) for call in calls][:2] == own
    assert [english.say(call) for call in calls][:2] == told


@pytest.mark.slow
def test_the_lesson_is_what_the_exact_odds_say() -> None:
    """For the cards left after some coups: the probabilities, the edge, what insurance is worth."""
    session = ready("france-2007")
    while (shoe := session.state.shoe) and shoe.left > 45:
        session.deal()
    seen = seen_cards(session.events)
    lesson = lesson_of(session.house, session.opening, seen)
    odds = CompletedOdds(deal_odds(Composition.after(6, seen)))
    assert lesson.cards == 312 - len(seen)
    found = advantage(session.house, odds, opening=session.opening)
    for each in lesson.chances:
        exact = odds.verdicts(session.house.chance(each.id).table)
        told = (each.win, each.lose, each.apres, each.refait)
        assert told == pytest.approx([float(p) for p in exact], abs=1e-12)
        edges = [(w.insured, w.edge) for w in found.wagers if w.chance == each.id]
        without = min(edge for insured, edge in edges if not insured)
        insured = min(edge for is_insured, edge in edges if is_insured)
        assert each.edge == pytest.approx(float(without), abs=1e-12)
        assert each.insured == pytest.approx(float(insured), abs=1e-12)
        assert each.gain == pytest.approx(float(without - insured), abs=1e-12)
        assert each.of_premium == pytest.approx(
            float((without - insured) / Fraction(1, 100)), abs=1e-10
        )


def test_the_lesson_has_the_stakes_that_its_edges_hold_for() -> None:
    """D3, its kind: 0.912 % from 500 F at Monte Carlo, 22.807 % at 20 F; foster-1897 by twos."""
    house = load_house("monte-carlo-1911")
    plain, insured = lesson_of(house, opening_of(house), ()).scopes
    assert plain is None
    assert insured is not None
    assert insured.edge is not None
    money = house.money
    assert (money.text(insured.least), money.text(insured.smallest)) == ("500 FRF", "20 FRF")
    assert f"{float(insured.edge):.5%}" == "22.80731%"
    dollars = load_house("foster-1897")
    plain, insured = lesson_of(dollars, opening_of(dollars), ()).scopes
    assert plain is not None
    assert (plain.multiple, insured) == (2, None)
    high = load_house("france-2007")
    from_a_thousand = lesson_of(high, high.opening(minimum=1000), ()).scopes
    assert from_a_thousand == (None, None)


@pytest.mark.parametrize("language", ["en", "fr", "it", "es", "de"])
def test_the_lesson_says_the_stakes(language: str) -> None:
    """D3, its kind: a line for the stakes, and one for the least stake."""
    house = load_house("monte-carlo-1911")
    texts = Texts(default_manager().language(language))
    _plain, insured = lesson_of(house, opening_of(house), ()).scopes
    told = [line.plain for line in holds_lines(insured, texts, house)]
    assert len(told) == 2
    assert "500" in told[0]
    assert told[1].startswith(texts.chance(house, "rouge"))
    edge = "20: 22.807" if language == "en" else "20: 22,807"
    assert edge in told[1].replace("\N{NARROW NO-BREAK SPACE}:", ":")
    assert holds_lines(None, texts, house) == []


def test_the_lesson_of_a_house_without_insurance_has_none() -> None:
    """Side bets are told too, and nothing is insured."""
    house = load_house("venezia-online")
    lesson = lesson_of(house, opening_of(house), ())
    assert [each.id for each in lesson.chances] == [chance.id for chance in house.chances]
    assert all(each.insured is None and each.gain is None for each in lesson.chances)


OWN = """
[house]
name = "own"
extends = "france-2007"

[deal]
refait_on = [31, 40]

[refait.on.40]
rule = "prison"
levels = 1
partage = ["1/4"]

[insurance]
covers = ["free", "prison"]
lasts = "until-decided"

[[chances]]
id = "couleur"
odds = "19/20"

[[chances]]
id = "inverse"
odds = "2"
commission = "1/20"

[[side_bets]]
id = "tie"
wins_on = "any-tie"
odds = "8"
pays = [{ first = [40], odds = "100" }]
"""
"""Odds that are not even, several odds in one bet, a refait of one point, a premium that lasts."""


def after_refait(point: int, seed: str = SEED) -> PlaySession:
    """Return a session of that house with 20 EUR in prison, just after a refait on a point."""
    session = ready(loads_house(OWN), seed)
    session.choose_chip(units(session.house, 20))
    for _coup in range(2000):
        if session.step is UiStep.SHUFFLE:
            session.shuffle()
            go_on(session)
        if not session.stakes_on("rouge"):
            session.add("rouge")
        session.deal()
        go_on(session)
        dealt = shown_coup(session.events)
        tied = dealt and dealt.coup and dealt.coup.first.point == dealt.coup.second.point == point
        if tied and session.stakes_on("rouge") and session.step is UiStep.DEAL:
            return session
    raise AssertionError(f"no refait of {point} in 2000 coups")


@pytest.mark.slow
@pytest.mark.parametrize(("point", "seed"), [(31, "2e" * 16), (40, "05" * 16)])
def test_a_prisoner_that_an_earlier_premium_covers_is_marked(point: int, seed: str) -> None:
    """D-R19: the mark is there from the premium on until the stake is decided; it is paid once."""
    session = after_refait(point, seed)
    texts = Texts(default_manager().language("en"))

    def shown() -> tuple[bool, int]:
        view = next(view for view in chances_of(session, texts) if view.id == "rouge")
        box = ChanceBox(view, session.house, session.chips, texts)
        lines = box.lines(40, 3)[1].plain, box.lines(22, 2)[1].plain, box.lines(16, 2)[1].plain
        assert f"in prison 20{INSURED if INSURED in lines[0] else ''} " in f"{lines[0]} "
        assert len({INSURED in line for line in lines}) == 1
        return INSURED in lines[0], view.premium

    assert shown() == (False, 0)
    session.toggle_insurance("rouge")
    assert shown() == (True, 20)
    covered = 0
    while session.step is UiStep.DEAL and session.stakes_on("rouge"):
        session.deal()
        go_on(session)
        held = [stake for stake in session.stakes_on("rouge") if not stake.free]
        if held:
            covered += 1
            assert held[0].covered
            assert shown() == (True, 0)
    assert covered == 1


@pytest.mark.slow
def test_the_refait_of_one_point_is_named() -> None:
    """The line of the coup says which refait it was."""
    texts = Texts(default_manager().language("en"))
    for point, name in ((31, "refait"), (40, "refait 40")):
        session = after_refait(point)
        coup = shown_coup(session.events)
        assert coup is not None
        text = outcome_text(coup, session.house, texts).plain
        assert text.split("   ")[0] == f"Coup {coup.number}: {name}"


def test_odds_that_are_not_even_are_shown_on_the_cloth() -> None:
    """D-R2, D-R3, D-R6: what a win pays, the commission taken off; nothing where it is even."""
    session = ready(loads_house(OWN))
    texts = Texts(default_manager().language("en"))
    assert {view.id: odds_text(view.odds) for view in chances_of(session, texts)} == {
        "rouge": "",
        "noir": "",
        "couleur": "19:20",
        "inverse": "19:10",
        "tie": "8:1-100:1",
    }
    for view in chances_of(session, texts):
        for height in (2, 3):
            named = ChanceBox(view, session.house, session.chips, texts).lines(22, height)[0].plain
            assert odds_text(view.odds) in named


def test_a_machine_leaves_the_calls_of_the_coup() -> None:
    """D-R35: the shoe of the next coup is opened at once, and the calls are still there."""
    session = ready("eight-packs-machine")
    session.deal()
    go_on(session)
    coup = shown_coup(session.events)
    assert coup is not None
    said = calls_of(session.events)
    assert said[:-1] == tuple(coup.calls)[-len(said) + 1 :]
    assert len(said) >= 4


def test_a_machine_has_no_taille_that_keeps_the_house() -> None:
    """D-R35: the house may be changed whenever no stake is on the table."""
    session = ready("eight-packs-machine")

    def may_change() -> bool:
        return session.between_tailles

    assert may_change()
    session.add("rouge")
    assert not may_change()
    session.take("rouge", whole=True)
    other = load_house("france-2007")
    session.change_house(other, opening_of(other))
    assert session.house == other
    session.shuffle()
    go_on(session)
    assert not may_change()


@pytest.mark.parametrize(("wins", "winner"), [("lowest", "NOIR"), ("highest", "ROUGE")])
def test_the_dot_marks_the_row_that_wins(wins: str, winner: str) -> None:
    """D-R28: the row with the highest point where that wins."""
    text = f'[house]\nname = "w"\nextends = "france-2007"\n[deal]\nwins = "{wins}"\n'
    coup = coup_with(32, 35)
    view = CoupView(1, list(coup.first.cards), list(coup.second.cards), coup)
    window = RowsWindow("")
    window.rows = view.rows(house := loads_house(text))
    window.highest = house.deal.wins == "highest"
    dotted = [line for line in window.text(60).plain.split("\n") if "●" in line]
    assert [line.split()[0] for line in dotted] == [winner]
