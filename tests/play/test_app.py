"""The app under its pilot: what the screen shows is what the engine's events say."""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path

import pytest
from tests.chosen import by_day
from tests.play.seated import (
    NARROW,
    WIDE,
    drawn,
    go_on,
    play_on_screen,
    ready,
    seen,
    seen_in,
    sit,
    step_of,
)
from tests.whole_units import units, whole_house
from textual.pilot import Pilot
from textual.widgets import Input, OptionList

from trente_rules.core import default_manager
from trente_rules.core.coup import Outcome
from trente_rules.core.errors import RecordError
from trente_rules.play.app import TableApp
from trente_rules.play.chips import amount_text, chip_text
from trente_rules.play.cloth import ChanceBox, ChipsBar
from trente_rules.play.dialogs import AskScreen, HelpScreen, PlaceScreen, ReviewScreen
from trente_rules.play.lesson_panel import LessonPanel
from trente_rules.play.session import PlaySession, UiStep
from trente_rules.play.views import counts_of, shown_coup
from trente_rules.play.widgets import PICTURE, NextBar, outcome_text
from trente_rules.records.files import load_record
from trente_rules.reports.names import chance_names
from trente_rules.table import CardTurned, CoupDealt
from trente_rules.table.events import Announced, CoupVoided, ShoeOpened

pytestmark = pytest.mark.slow

HOUSES = default_manager().names("house")
ENGLISH = default_manager().language("en")
OTHERWISE = ("monte-carlo-1911", "venezia-online", "hoyle-19c", "campione")
"""Houses that are laid out otherwise than those played below: large chips, side bets ..."""
_MACHINE = 20
"""Coups at a table with a machine, which has no end of a shoe."""
_COUPS_A_PACK = 3
"""A pack gives five coups or so, fewer where many of its cards are burnt or behind the marker."""
FEW = ("france-2007", "italian-program")


async def answer(app: TableApp, pilot: Pilot[None]) -> None:
    """Return what a dialog asks, by its first answer."""
    while isinstance(app.screen, PlaceScreen | AskScreen):
        await pilot.press("enter")
        await pilot.pause()


def before_a_refait() -> PlaySession:
    """Return a session with 20 on rouge, whose next coup is a refait."""
    ahead, session = ready("france-2007"), ready("france-2007")
    for each in (ahead, session):
        each.choose_chip(units(each.house, 20))
    while True:
        for each in (ahead, session):
            if each.step is UiStep.SHUFFLE:
                each.shuffle()
                go_on(each)
            if each.free_on("rouge") is None:
                each.add("rouge")
        ahead.deal()
        if ahead.offers():
            return session
        session.deal()


def rows_on_screen(app: TableApp) -> str:
    """Return both rows as they are read on the screen, cards as pictures or in short."""
    if not app.high:
        return seen_in(app, "rows").strip()
    region = app.screen_stack[0].query_one("#rows").region
    lines = [line[region.x : region.right] for line in seen(app).split("\n")]
    read = []
    for top in range(region.y, region.bottom, PICTURE + 1):
        ranks = re.findall("│([AJQK0-9]+) *│", lines[top + 1])
        head, *_cards = re.split("│", lines[top + 2])
        suits = re.findall("[♠♥♦♣]", lines[top + 2])
        read.append(re.sub(r"\s+", " ", head.strip()))
        read += [f"{rank}{suit}" for rank, suit in zip(ranks, suits, strict=True)]
    return " ".join(read)


def compare(app: TableApp) -> None:
    """Compare the screen with the events of the shoe."""
    session = app.session
    dealt = [event for event in session.events if isinstance(event, CoupDealt)]
    voided = {event.number for event in session.events if isinstance(event, CoupVoided)}
    turned = 0
    for event in session.events:  # a machine opens a shoe for every coup
        turned = 0 if isinstance(event, ShoeOpened) else turned + isinstance(event, CardTurned)
    counts, told = counts_of(session), seen_in(app, "counts")
    assert f"cards left {52 * counts.shoe.packs - counts.burned - turned}" in told
    assert f"points out {counts.shoe.points_out}" in told
    assert f"low A-6 {counts.shoe.low_in} high 8-K {counts.shoe.high_in}" in told
    assert f"purse {amount_text(session.house, session.purse, ENGLISH)}" in seen_in(app, "head")
    told = re.sub(
        r"\s+", " ", outcome_text(shown_coup(session.events), session.house, app.texts).plain
    )
    assert seen_in(app, "outcome").strip() == told.strip()
    if not dealt or voided:
        return
    coup = dealt[-1].coup
    first = session.house.deal.first_colour.id.upper()
    names = (first, "ROUGE" if first == "NOIR" else "NOIR")
    winner = session.house.deal.winner(
        Outcome(coup.first.point, coup.second.point, coup.first.colour, coup.second.colour)
    )
    expected = []
    for row, name in zip(coup.rows, names, strict=True):
        mark = "● " if winner is not None and winner.id.upper() == name else ""
        expected.append(f"{name} {row.point} {mark}{' '.join(map(str, row.cards))}")
    assert rows_on_screen(app) == " ".join(expected)
    verdicts = {chance: verdict.id for chance, verdict in dealt[-1].verdicts}
    simple = {chance: verdicts[chance] for chance in session.house.deal.chances}
    outcome = seen_in(app, "outcome")
    if "refait" in simple.values():
        assert f"Coup {dealt[-1].number}: refait" in outcome
    elif "apres" in simple.values():
        assert f"Coup {dealt[-1].number}: après" in outcome
    else:
        winners = [chance for chance, verdict in simple.items() if verdict == "win"]
        assert f"Coup {dealt[-1].number}: {' and '.join(winners)} win" in outcome
    line = re.search(rf"(?m)^.*[ │]{dealt[-1].number} │(.)│(.)│", seen(app))
    assert line
    marks = ["●" if verdicts[chance] == "win" else " " for chance in ("rouge", "noir")]
    if verdicts["rouge"] == "refait":
        marks = ["\N{MULTIPLICATION SIGN}"] * 2
    assert [line[1], line[2]] == marks
    last = [event for event in session.events if isinstance(event, Announced)][-1]
    assert session.house.words.say(last) in seen_in(app, "words")


async def play_a_shoe(app: TableApp, pilot: Pilot[None], every: int) -> None:
    """Play a shoe by the keyboard, and compare after every so many coups."""
    await pilot.press("d")
    await pilot.pause()
    await answer(app, pilot)
    coups, machine = 0, app.session.house.shoe.every_coup
    while step_of(app.session) is not UiStep.SHUFFLE and not (machine and coups > _MACHINE):
        if step_of(app.session) is UiStep.DEAL and coups % 3 == 0:
            await pilot.press("r" if coups % 2 else "n")
        await pilot.press("d")
        await answer(app, pilot)
        if coups % every == 0 or step_of(app.session) is UiStep.SHUFFLE:
            await pilot.pause()
            compare(app)
        coups += 1
    assert machine or coups > _COUPS_A_PACK * app.session.house.shoe.packs
    assert machine or "NEXT: SHUFFLE" in seen(app)


@pytest.mark.parametrize("name", FEW)
def test_a_whole_shoe_on_the_screen(name: str) -> None:
    """By the keyboard alone, from the shuffle to the end of the taille."""
    play_on_screen(sit(name), lambda app, pilot: play_a_shoe(app, pilot, 4))


@pytest.mark.nightly
@pytest.mark.parametrize("size", [NARROW, WIDE])
@pytest.mark.parametrize("name", HOUSES)
def test_a_whole_shoe_on_the_screen_in_every_house(name: str, size: tuple[int, int]) -> None:
    """The same in every house, at both sizes, compared after each coup."""
    play_on_screen(sit(name), lambda app, pilot: play_a_shoe(app, pilot, 1), size)


@pytest.mark.parametrize("name", by_day(OTHERWISE, HOUSES))
def test_every_house_is_laid_out_whole(name: str) -> None:
    """At 80 x 24 every chance, chip and count of the house is on the screen."""

    async def look(app: TableApp, pilot: Pilot[None]) -> None:
        await pilot.press("r")
        await pilot.press("d")
        await pilot.pause()
        await answer(app, pilot)
        compare(app)
        shown = seen(app)
        for called in chance_names(app.session.house, app.texts.language).values():
            assert called in shown
        for chip in app.session.chips:
            assert chip_text(app.session.house, chip, ENGLISH) in shown
        assert "NEXT: DEAL THE COUP" in shown
        assert "q Quit" in shown
        for box in app.query(ChanceBox):
            assert app.screen.region.contains_region(box.region)

    play_on_screen(ready(name), look)


def test_keys_add_chips_and_take_them_off() -> None:
    """R adds, R takes off; arrows walk; enter adds there, minus takes, backspace takes all."""

    async def play(app: TableApp, pilot: Pilot[None]) -> None:
        await pilot.press("5", "r", "r", "n")
        assert [stake.amount for stake in app.session.state.stakes] == [10, 5]
        await pilot.press("R", "down", "enter", "+", "+")
        amounts = {stake.chance: stake.amount for stake in app.session.state.stakes}
        assert amounts == {"rouge": 5, "noir": 5, "couleur": 15}
        await pilot.press("right", "enter", "up", "backspace")
        amounts = {stake.chance: stake.amount for stake in app.session.state.stakes}
        assert amounts == {"rouge": 5, "couleur": 15, "inverse": 5}
        await pilot.press("down", "left", "minus", "a", "down", "enter", "I")
        await pilot.pause()
        assert [(s.chance, s.amount, s.insured) for s in app.session.state.stakes] == [
            ("rouge", 5, False),
            ("couleur", 10, True),
        ]
        shown = seen(app)
        assert "[x] insured 1, 10 %" in shown
        assert "[5]" in shown

    play_on_screen(ready(whole_house("italian-program")), play)


def test_the_mouse_alone_plays() -> None:
    """Shuffle, cut, marker, chip, stake, insurance, deal: all by clicks."""

    async def play(app: TableApp, pilot: Pilot[None]) -> None:
        session = app.session
        await pilot.click(NextBar)
        await pilot.pause()
        assert isinstance(app.screen, PlaceScreen)
        await pilot.click("PlaceBar", offset=(10, 0))
        await pilot.pause()
        place = app.screen.at
        assert 0 < place < 156
        await pilot.click(".presses Press:last-of-type")
        await pilot.pause()
        assert counts_of(session).cut == place
        await pilot.click(".presses Press:first-of-type")
        await pilot.click(".presses Press:last-of-type")
        await pilot.pause()
        assert counts_of(session).marker == 20
        chips = app.query_one(ChipsBar)
        await pilot.click(chips, offset=(chips.plain.index("100") + 1, 0))
        rouge, noir, *_others = app.query(ChanceBox)
        await pilot.click(rouge, offset=(4, 1))
        await pilot.click(rouge, offset=(4, 1))
        await pilot.click(noir, offset=(4, 1))
        await pilot.click(rouge, offset=(rouge.size.width - 1, 2))
        await pilot.click(noir, offset=(3, 3))
        await pilot.pause()
        assert [(s.chance, s.amount, s.insured) for s in session.state.stakes] == [
            ("rouge", 100, False),
            ("noir", 100, True),
        ]
        await pilot.click(NextBar)
        await pilot.pause()
        assert session.state.coup_number == 2
        compare(app)

    play_on_screen(sit(whole_house("italian-program")), play)


@pytest.mark.parametrize("size", [NARROW, WIDE])
def test_a_side_bet_that_won_is_told(size: tuple[int, int]) -> None:
    """After an après its side bets have the word or the dot of a winner; so have no others."""
    session = ready("venezia-online")
    while True:
        if session.step is UiStep.SHUFFLE:
            session.shuffle()
            go_on(session)
        session.add("rouge")
        session.add("any-apres")
        session.deal()
        dealt = [event for event in session.events if isinstance(event, CoupDealt)]
        verdicts = {chance: verdict.id for chance, verdict in dealt[-1].verdicts}
        if verdicts["any-apres"] == "win":
            break

    async def play(app: TableApp, _pilot: Pilot[None]) -> None:
        won_in_all = app.session.house.chance("any-apres").odds * session.chip
        assert f"you: +{chip_text(app.session.house, int(won_in_all), ENGLISH)}" in seen(app)
        assert "après, nothing moves" not in seen_in(app, "outcome")
        for box in app.query(ChanceBox):
            told = box.render().plain
            won = verdicts[box.view.id] == "win"
            assert ("wins" in told or "●" in told) is won

    play_on_screen(session, play, size)


@pytest.mark.parametrize("size", [(40, 12), (160, 16), (60, 50)])
def test_a_window_that_is_too_small_is_told(size: tuple[int, int]) -> None:
    """Below 80 x 24 a sentence says so, until it is large again; the coup can be dealt still."""

    async def play(app: TableApp, pilot: Pilot[None]) -> None:
        await pilot.resize_terminal(*size)
        await pilot.pause()
        await pilot.pause()
        assert "! a window below 80 x 24" in seen(app)
        assert "NEXT: DEAL THE COUP" in seen(app)
        assert "chips [1]" in seen(app)
        await pilot.resize_terminal(*NARROW)
        await pilot.pause()
        await pilot.pause()
        assert "below 80 x 24" not in seen(app)

    play_on_screen(ready("france-2007"), play)


def test_the_cut_is_made_by_keys() -> None:
    """Arrows move the place by one and by ten, home and end to the bounds."""

    async def play(app: TableApp, pilot: Pilot[None]) -> None:
        await pilot.press("d")
        await pilot.pause()
        assert "Messieurs, à la coupe" in seen(app)
        await pilot.press("left", "down", "right", "right", "up", "up")
        screen = app.screen
        assert isinstance(screen, PlaceScreen)
        assert screen.at == 156 - 1 - 10 + 2 + 20
        await pilot.press("escape", "end", "enter")
        await pilot.pause()
        assert counts_of(app.session).cut == 312

    play_on_screen(sit("france-2007"), play)


def test_the_choice_is_asked_and_prisoners_are_shown_where_they_stand() -> None:
    """On a refait the dialog names both courses; the second one is taken by keys."""

    async def play(app: TableApp, pilot: Pilot[None]) -> None:
        await pilot.press("d")
        await pilot.pause()
        shown = seen(app)
        assert "Your choice" in shown
        assert "Refait! Your 20 EUR on rouge: prison or half back?" in shown
        await pilot.press("escape")
        assert isinstance(app.screen, AskScreen)
        picks = app.screen.query_one(OptionList)
        names = [picks.get_option_at_index(place).id for place in range(picks.option_count)]
        assert set(names) == {"prison", "partage"}
        assert picks.highlighted == names.index("partage")
        await pilot.press("home", *(["down"] * names.index("prison")), "enter")
        await pilot.pause()
        assert "in prison 20" in seen(app)

    play_on_screen(before_a_refait(), play)


def test_the_cards_are_cut_after_the_bets_and_the_coup_is_dealt() -> None:
    """D11: at Foster's table the cut comes with the first coup, of which no card is dealt yet."""

    async def play(app: TableApp, pilot: Pilot[None]) -> None:
        assert "NEXT: SHUFFLE " in seen(app).replace("\n", " ")
        assert "AND CUT" not in seen(app)
        await pilot.press("d", "r", "d")
        await pilot.pause()
        assert "Cut the cards" in seen(app)
        await pilot.press("enter")
        await pilot.pause()
        assert "NEXT: DEAL THE COUP" in seen(app)
        await pilot.press("t")
        await pilot.pause()
        assert "NEXT: DEAL THE REST" in seen(app)

    play_on_screen(sit("foster-1897"), play)


def test_a_table_with_a_machine_has_no_tailles() -> None:
    """D-R35: the head counts coups alone, and another house may be chosen after any of them."""

    async def play(app: TableApp, pilot: Pilot[None]) -> None:
        await pilot.press("d", "r", "d")
        await pilot.pause()
        head = seen(app).split("\n")[0]
        assert "coup 2" in head
        assert "taille" not in head
        await pilot.press("h")
        await pilot.pause()
        assert isinstance(app.screen, AskScreen)

    play_on_screen(sit("eight-packs-machine"), play)


def test_cards_are_turned_one_by_one_on_the_screen() -> None:
    """Each key turns a card; the row counts as it goes, and what is refused is told."""

    async def play(app: TableApp, pilot: Pilot[None]) -> None:
        await pilot.press("r", "t", "t")
        await pilot.pause()
        cards = [event.card for event in app.session.events if isinstance(event, CardTurned)]
        assert f"{sum(card.points for card in cards)}…" in seen(app)
        assert "NEXT: DEAL THE REST" in seen(app)
        await pilot.press("n")
        await pilot.pause()
        assert "! rien ne va plus" in seen(app)

    play_on_screen(ready("france-2007"), play)


def test_the_lesson_is_off_until_it_is_asked_for() -> None:
    """L shows it in place of the score card where the table is narrow, and hides it again."""

    async def play(app: TableApp, pilot: Pilot[None]) -> None:
        panel = app.query_one(LessonPanel)
        assert not panel.display
        assert not panel.plain
        await pilot.press("l")
        await app.workers.wait_for_complete()
        await pilot.pause()
        assert app.lesson
        shown = seen(app)
        assert "Next coup, 312 cards unseen" in shown
        rouge = app.lesson.chances[0]
        told = f"{100 * rouge.win:.2f} +{100 * rouge.apres:.2f} +{100 * rouge.edge:.3f}"
        assert re.search(rf"rouge +{told}", shown)
        assert "insurance pays on this coup" in shown
        assert re.search(r"refait \d\.\d{3} %", shown)
        assert "off by" not in shown
        assert "bank's edge with best play" in shown
        assert "cards left" not in shown
        await pilot.press("l")
        await pilot.pause()
        assert "cards left" in seen(app)

    play_on_screen(ready("france-2007"), play)


@pytest.mark.parametrize("name", ["venezia-online", "italian-program", "rouge-et-noir-meyers"])
def test_the_lesson_is_whole_in_a_narrow_terminal(name: str) -> None:
    """From its first line to its last, side bets or not: the panel has no more than is seen."""

    async def play(app: TableApp, pilot: Pilot[None]) -> None:
        await pilot.press("r", "l")
        await app.workers.wait_for_complete()
        await pilot.pause()
        told = [line.strip() for line in app.query_one(LessonPanel).plain.split("\n")]
        shown = [line[51:].strip() for line in seen(app).split("\n")[1:22]]
        assert [line for line in told if line] == [line for line in shown if line]

    play_on_screen(ready(name), play)


def test_a_lesson_that_cannot_be_given_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the extra fast the panel names it."""
    from trente_rules.core.errors import TrenteError  # noqa: PLC0415 - raised here alone
    from trente_rules.play import app as module  # noqa: PLC0415

    def absent(*_args: object) -> None:
        raise TrenteError("the fast engine needs numba", "needs-fast", "pip install it")

    monkeypatch.setattr(module, "lesson_of", absent)

    async def play(app: TableApp, pilot: Pilot[None]) -> None:
        await pilot.press("l")
        await app.workers.wait_for_complete()
        await pilot.pause()
        assert "! the fast engine needs" in seen(app)

    play_on_screen(ready("france-2007"), play)


def test_the_taille_is_reviewed_coup_by_coup() -> None:
    """V shows the last coup, arrows go back; its cards, calls and lines are those of the events."""

    async def play(app: TableApp, pilot: Pilot[None]) -> None:
        await pilot.press("v")
        await pilot.pause()
        assert "no coup has been dealt in this taille yet" in seen(app)
        for _coup in range(4):
            await pilot.press("d")
            await pilot.pause()
            await answer(app, pilot)
        dealt = [event for event in app.session.events if isinstance(event, CoupDealt)]
        await pilot.press("v")
        await pilot.pause()
        assert isinstance(app.screen, ReviewScreen)
        for event in reversed(dealt):
            flat = re.sub(r"\s+", " ", seen(app))
            assert f"Coup {event.number}:" in flat
            for row in event.coup.rows:
                assert " ".join(map(str, row.cards)) in flat
            await pilot.press("left")
            await pilot.pause()
        await pilot.press("escape")
        await pilot.pause()
        assert not isinstance(app.screen, ReviewScreen)

    play_on_screen(ready("france-2007"), play)


def test_the_house_is_changed_between_two_tailles() -> None:
    """H within a taille is refused; after it, the list of houses opens and the table is theirs."""

    async def play(app: TableApp, pilot: Pilot[None]) -> None:
        await pilot.press("h")
        await pilot.pause()
        assert "change house only between shoes" in seen(app)
        while app.session.step is not UiStep.SHUFFLE:
            app.session.deal()
            go_on(app.session)
        await pilot.press("f2")
        await pilot.pause()
        assert isinstance(app.screen, AskScreen)
        await pilot.press("down", "down", "enter")
        await pilot.pause()
        assert app.session.house.name == "hoyle-19c"
        shown = seen(app)
        assert "n noir" in shown
        assert "couleur" not in shown

    play_on_screen(ready("france-2007"), play)


def test_reset_asks_first() -> None:
    """X and enter changes nothing; x and the last answer begins again."""

    async def play(app: TableApp, pilot: Pilot[None]) -> None:
        await pilot.press("r", "x", "enter")
        await pilot.pause()
        assert app.session.state.stakes
        await pilot.press("x", "end", "enter")
        await pilot.pause()
        assert app.session.step is UiStep.SHUFFLE
        assert "purse 100,000 EUR" in seen(app)

    play_on_screen(ready("france-2007"), play)


def test_the_taille_is_saved_as_a_record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """W asks for a file; the record replays; a file that is there already is refused."""
    monkeypatch.chdir(tmp_path)

    async def play(app: TableApp, pilot: Pilot[None]) -> None:
        await pilot.press("r", "d")
        await pilot.pause()
        await answer(app, pilot)
        await pilot.press("w")
        await pilot.pause()
        app.screen.query_one(Input).value = "mine.toml"
        await pilot.press("enter")
        await pilot.pause()
        assert "the taille is recorded in mine.toml" in seen(app)
        await pilot.press("w")
        await pilot.pause()
        app.screen.query_one(Input).value = "mine.toml"
        await pilot.press("enter")
        await pilot.pause()
        assert "is there already" in seen(app)

    play_on_screen(ready("france-2007"), play)
    record = load_record(tmp_path / "mine.toml")
    assert [coup.number for coup in record.coups if coup.settled or coup.points] == [1]


def test_help_tells_every_key() -> None:
    """? opens it, escape closes it; each key of the table stands in it."""

    async def play(app: TableApp, pilot: Pilot[None]) -> None:
        await pilot.press("question_mark")
        await pilot.pause()
        assert isinstance(app.screen, HelpScreen)
        shown = seen(app)
        for key in ("d  ", "t  ", "2 0", "[ ]", "r n c i", "R N C I", "arrows", "a  ", "m  "):
            assert key in shown
        for key in ("p  ", "b  ", "e  ", "u  ", "g or F1", "ctrl+p"):
            assert key in shown
        await pilot.press("escape")
        await pilot.pause()
        assert not isinstance(app.screen, HelpScreen)

    play_on_screen(ready("france-2007"), play, WIDE)


def test_the_table_follows_the_size_of_the_terminal() -> None:
    """From narrow to wide and back: points beside the score card, and the coups before."""

    async def play(app: TableApp, pilot: Pilot[None]) -> None:
        for _coup in range(3):
            await pilot.press("d")
            await pilot.pause()
            await answer(app, pilot)
        assert "session" not in seen(app)
        await pilot.resize_terminal(*WIDE)
        await pilot.pause()
        await pilot.pause()
        wide = seen(app)
        assert "taille  session" in wide
        assert "Coup 1:" in wide
        compare(app)
        await pilot.resize_terminal(*NARROW)
        await pilot.pause()
        await pilot.pause()
        assert "session" not in seen(app)
        compare(app)

    play_on_screen(ready("france-2007"), play)


def test_a_full_disk_is_told_and_nothing_is_dealt() -> None:
    """The sentence stands at the foot; the coup comes when there is room."""

    async def play(app: TableApp, pilot: Pilot[None]) -> None:
        def full(_session: object) -> None:
            raise RecordError("the session cannot be saved", "file-unwritable", "make room")

        app.session.keeper = full
        before = app.session.state
        await pilot.press("d")
        await pilot.pause()
        assert "! the session cannot be saved (make room)" in seen(app)
        assert app.session.state == before
        app.session.keeper = None
        await pilot.press("d")
        await pilot.pause()
        assert "cannot be saved" not in seen(app)
        compare(app)

    play_on_screen(ready("france-2007"), play)


def test_ctrl_c_leaves_in_order() -> None:
    """The app ends by itself; the command line then saves."""

    async def play(app: TableApp, pilot: Pilot[None]) -> None:
        assert app.is_running
        await pilot.press("ctrl+c")
        await pilot.pause()

    app = play_on_screen(ready("france-2007"), play)
    assert app.return_code == 0


@pytest.mark.parametrize("name", ["venezia-online", "france-2007"])
@pytest.mark.parametrize("size", [NARROW, (80, 16), WIDE])
def test_the_focus_is_seen_without_colours(name: str, size: tuple[int, int]) -> None:
    """The chance that has the focus has a frame or a bar that the others have not."""

    async def play(app: TableApp, pilot: Pilot[None]) -> None:
        def marked(at: int) -> bool:
            lines = seen(app).split("\n")
            places = (each.region for each in app.boxes())
            corners = [lines[place.y][place.x : place.x + 1] for place in places]
            return corners.pop(at) in ("┏", "█") and not set(corners) & set("┏█")

        for at, box in enumerate(app.boxes()):
            box.focus()
            await drawn(pilot, partial(marked, at))

    play_on_screen(ready(name), play, size)
