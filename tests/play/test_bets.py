"""Repeat, double, clear, undo; what insurance costs, and the question before a dear one."""

from __future__ import annotations

from fractions import Fraction

import pytest
from attrs import evolve
from tests.play.seated import drawn, go_on, play_on_screen, ready, seen, seen_in
from tests.whole_units import units, whole_house
from textual.pilot import Pilot

from trente_rules.core import default_manager
from trente_rules.core.errors import BetError
from trente_rules.play.app import TableApp
from trente_rules.play.cloth import ChanceBox
from trente_rules.play.dialogs import AskScreen
from trente_rules.play.saving import session_of_text, session_text
from trente_rules.play.session import PlaySession, Price, UiStep
from trente_rules.play.tally import Tally
from trente_rules.play.views import Texts, chances_of, coups_of
from trente_rules.play.widgets import BAD
from trente_rules.table.events import CoupDealt
from trente_rules.table.table import Table


def stakes(session: PlaySession) -> dict[str, int]:
    """Return the free stakes in the currency."""
    unit = units(session.house, 1)
    return {chance: amount // unit for chance, amount in session.free_stakes}


def laid(house: str = "france-2007") -> PlaySession:
    """Return a session with 50 on rouge and 20 on couleur."""
    session = ready(house)
    for chip, chance in ((50, "rouge"), (20, "couleur")):
        session.choose_chip(units(session.house, chip))
        session.add(chance)
    return session


def until_apres(session: PlaySession) -> None:
    """Play on, the same stakes each time, until a coup is an après."""
    while True:
        session.deal()
        go_on(session)
        if session.step is UiStep.SHUFFLE:
            session.shuffle()
            go_on(session)
        dealt = [event for event in session.events if isinstance(event, CoupDealt)]
        if dealt and {verdict.id for _chance, verdict in dealt[-1].verdicts} == {"apres"}:
            return
        if not session.free_stakes:
            session.repeat()


def test_stakes_are_repeated_after_an_apres_and_after_any_coup() -> None:
    """U17: the stakes of the coup before, whatever became of them; none of them twice."""
    session = laid()
    until_apres(session)
    assert stakes(session) == {}
    session.repeat()
    assert stakes(session) == {"rouge": 50, "couleur": 20}
    with pytest.raises(BetError, match="no earlier stakes"):
        session.repeat()
    session.clear()
    session.choose_chip(units(session.house, 20))
    session.add("rouge")
    session.repeat()
    assert stakes(session) == {"rouge": 50, "couleur": 20}


def test_stakes_are_repeated_after_a_coup_without_any_and_after_a_file() -> None:
    """U17: the last stakes are those of the last coup that had some, in a saved session too."""
    session = laid()
    session.deal()
    go_on(session)
    session.deal()
    go_on(session)
    again = session_of_text(session_text(session))
    for each in (session, again):
        each.clear() if each.free_stakes else None
        each.repeat()
        assert stakes(each) == {"rouge": 50, "couleur": 20}


def test_double_clear_and_undo() -> None:
    """U17: every stake doubled, taken off, and each step taken back, to the first one."""
    session = laid()
    purse = session.purse
    session.double()
    assert stakes(session) == {"rouge": 100, "couleur": 40}
    session.clear()
    assert (stakes(session), session.at_stake) == ({}, 0)
    session.undo()
    assert stakes(session) == {"rouge": 100, "couleur": 40}
    session.undo()
    assert (stakes(session), session.purse) == ({"rouge": 50, "couleur": 20}, purse)
    session.undo()
    session.undo()
    assert stakes(session) == {}
    with pytest.raises(BetError, match="no bet to undo"):
        session.undo()
    for act in (session.double, session.clear):
        with pytest.raises(BetError):
            act()


def test_double_is_whole_or_nothing_and_undo_ends_with_the_bets() -> None:
    """U17: above the maximum nothing is doubled; a coup that is dealt cannot be undone."""
    session = laid()
    before = session.state
    for _time in range(20):
        before = session.state
        try:
            session.double()
        except BetError:
            break
    assert session.state == before
    session.undo()
    session.deal()
    assert not session.can_undo


def test_a_premium_is_what_the_table_says_that_it_costs() -> None:
    """U16: in germany-500 five on five; a hundredth in France; nothing where none is insured."""
    session = ready("germany-500")
    five = units(session.house, 5)
    session.choose_chip(five)
    assert session.insurance_on("rouge") == Price(five, five)
    assert Price(five, five).share == 1
    session.add("rouge")
    assert session.insurance_on("rouge") == Price(five, five)
    session.toggle_insurance("rouge")
    assert session.insurance_on("rouge") == Price(five, five)
    assert session.at_stake + session.purse == session.bankroll - five
    session.add("rouge")
    assert session.insurance_on("rouge") == Price(five, 2 * five)
    france = laid()
    price = france.insurance_on("rouge")
    assert price is not None
    assert price.share == Fraction(1, 100)
    assert ready("venezia-online").insurance_on("rouge") is None


def test_the_box_has_the_price_and_warns_above_two_per_cent() -> None:
    """U16: the amount, the part of the stake, and amber from two per cent on."""
    texts = Texts(default_manager().language("en"))
    for house, words, warned in (
        ("germany-500", "[x] insured: 5 EUR, 50 %", True),
        ("france-2007", "[x] insured: 0.10 EUR, 1 %", False),
    ):
        session = ready(house)
        session.choose_chip(units(session.house, 10))
        session.add("rouge")
        session.toggle_insurance("rouge")
        box = ChanceBox(chances_of(session, texts)[0], session.house, session.chips, texts)
        told = box.insurance(40)
        assert told.plain == words
        assert any(span.style == BAD for span in told.spans) is warned
        assert box.insurance(20).plain.endswith(words.rsplit(", ")[-1])
        session.toggle_insurance("rouge")
        box = ChanceBox(chances_of(session, texts)[0], session.house, session.chips, texts)
        assert box.insurance(40).plain == words.replace("[x] insured", "[ ] insure")


@pytest.mark.slow
def test_a_dear_premium_is_asked_about_once() -> None:
    """U16: no is picked; yes insures; from then on nothing is asked, and A switches all off."""

    async def play(app: TableApp, pilot: Pilot[None]) -> None:
        session = app.session
        await pilot.press("5", "r", "a")
        await pilot.pause()
        assert isinstance(app.screen, AskScreen)
        asked = "The premium is 5 EUR for a stake of 5 EUR: 100 % of it."
        await drawn(pilot, lambda: asked in seen(app))
        await pilot.press("enter")
        await pilot.pause()
        assert not session.insure
        session.warned = False
        await pilot.press("a", "down", "enter")
        await pilot.pause()
        assert session.insure == {"rouge"}
        assert session.stakes_on("rouge")[0].insured
        await pilot.press("n", "down", "a")
        await pilot.pause()
        assert len(app.screen_stack) == 1
        await pilot.press("A")
        assert not session.insure

    play_on_screen(ready("germany-500"), play)


@pytest.mark.slow
def test_a_chip_on_an_insured_chance_is_asked_about_too() -> None:
    """U16: where insurance is on from before, the first dear chip asks; no places it without."""

    async def play(app: TableApp, pilot: Pilot[None]) -> None:
        session = app.session
        session.insure = frozenset({"rouge"})
        await pilot.press("5", "r")
        await pilot.pause()
        assert isinstance(app.screen, AskScreen)
        await pilot.press("escape")
        await pilot.pause()
        assert session.at_stake == 0
        await pilot.press("r", "enter")
        await pilot.pause()
        assert [(stake.chance, stake.insured) for stake in session.state.stakes] == [
            ("rouge", False)
        ]
        assert not session.insure

    play_on_screen(ready("germany-500"), play)


@pytest.mark.slow
def test_the_keys_of_the_bets_are_at_the_foot_when_they_do_something() -> None:
    """U17, U23: repeat after a coup, double, clear and undo where a stake is on the table."""

    async def play(app: TableApp, pilot: Pilot[None]) -> None:
        def foot() -> str:
            return seen_in(app, "foot")

        await pilot.pause()
        assert not {"Repeat", "Double", "Clear", "Undo"} & set(foot().split())
        await pilot.press("5", "r")
        await pilot.pause()
        assert "b Double" in foot()
        assert "e Clear" in foot()
        assert "u Undo" in foot()
        await pilot.press("b", "d")
        await pilot.pause()
        assert "p Repeat" in foot()
        await pilot.press("p")
        await pilot.pause()
        assert stakes(app.session) == {"rouge": 10}
        await pilot.press("e")
        assert stakes(app.session) == {}
        await pilot.press("u", "u")
        assert stakes(app.session) == {}
        await pilot.press("u")
        await pilot.pause()
        assert "! no bet to undo" in seen(app)

    play_on_screen(ready(whole_house("italian-program")), play)


def test_coups_are_counted_not_stakes() -> None:
    """U21: rouge and inverse in one coup are one coup, won, lost or neither; over shoes and files.

    LOSE and WIN of the Italian program count coups.
    """
    session = ready("france-2007")
    won = lost = even = 0
    while won + lost + even < 60:
        if session.step is UiStep.SHUFFLE:
            session.shuffle()
            go_on(session)
        if not session.free_stakes:
            for chance in ("rouge", "inverse"):
                session.add(chance)
        before, coup = session.net, session.state.coup_number
        session.deal()
        go_on(session)
        assert session.state.coup_number != coup or session.step is UiStep.SHUFFLE
        change = session.net - before
        if not next(each for each in coups_of(session.events) if each.number == coup).void:
            won, lost, even = won + (change > 0), lost + (change < 0), even + (change == 0)
    assert session.tally == Tally(won, lost, even)
    assert won + lost != session.statistics.player("player").won  # which counts stakes
    assert session_of_text(session_text(session)).tally == session.tally
    assert session.net + session.bankroll == session.purse + session.at_stake


def test_undo_takes_insurance_back() -> None:
    """U17: insurance that was turned on is off again, with its premium in the purse."""
    session = laid("monte-carlo-1911")
    before = session.purse, session.insure
    session.toggle_insurance("rouge")
    assert session.purse < before[0]
    assert session.insure == {"rouge"}
    session.undo()
    assert (session.purse, session.insure) == before
    session.add("rouge")
    assert not any(stake.insured for stake in session.stakes_on("rouge"))


def test_a_stake_that_was_taken_off_is_not_repeated_from_a_file() -> None:
    """U17: the stakes of the coup before are those that lay there when its bets closed."""
    session = laid()
    session.take("couleur", whole=True)
    session.choose_chip(units(session.house, 10))
    session.take("rouge")
    session.deal()
    go_on(session)
    kept = session_of_text(session_text(session))
    unit = units(session.house, 1)
    assert kept.laid == session.laid == (("rouge", 40 * unit),)


def test_a_new_table_has_nothing_of_the_old_one() -> None:
    """U17: at another table no stakes are repeated, and the first dear premium is asked about."""
    session = laid("germany-500")
    session.warned = True
    session.deal()
    assert session.laid
    session.reset()
    assert (session.laid, session.warned, session.insure) == ((), False, frozenset())


def test_a_prisoner_counts_with_what_it_can_still_return() -> None:
    """U21: a stake of which a part is gone for good is at stake with the rest alone."""
    session = ready("france-2007")
    session.add("rouge")
    state = session.state
    held = evolve(state.stakes[0], state="prison", amount=4000, handed_back=1000)
    session.table = Table(state.house, state=evolve(state, stakes=(held,)))
    assert session.at_stake == held.standing < 4000


@pytest.mark.parametrize(("chip", "asked"), [(50, True), (100, False)])
def test_a_premium_is_dear_above_a_twentieth(chip: int, *, asked: bool) -> None:
    """U16: 5 EUR on 50 are asked about, 5 EUR on 100 are not."""

    async def play(app: TableApp, pilot: Pilot[None]) -> None:
        app.session.choose_chip(units(app.session.house, chip))
        await pilot.press("r", "a")
        await pilot.pause()
        assert isinstance(app.screen, AskScreen) == asked

    play_on_screen(ready("germany-500"), play)
