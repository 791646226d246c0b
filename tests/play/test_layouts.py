"""Sizes, letters and colours: the table uses the space there is, and any terminal shows it."""

from __future__ import annotations

from itertools import pairwise

import pytest
from tests.play.scenes import before_a_refait, staked
from tests.play.seated import NARROW, WIDE, drawn, play_on_screen, ready, seen, seen_in, sit
from textual.pilot import Pilot

from trente_rules.core.cards import PACK
from trente_rules.play.app import TableApp
from trente_rules.play.cloth import ChanceBox
from trente_rules.play.lesson_panel import LessonPanel
from trente_rules.play.letters import in_letters
from trente_rules.play.notes import Chart, Counts, Road
from trente_rules.play.session import PlaySession
from trente_rules.play.widgets import PICTURE, pictures_text

pytestmark = pytest.mark.slow


def test_cards_are_pictures_of_five_lines_that_overlap_where_they_must() -> None:
    """U20: a card has five lines; many of them lie on each other, their corners seen."""
    few = pictures_text(PACK[:3], 60)
    assert few is not None
    assert [line.cell_len for line in few] == [3 * 6 - 1] * PICTURE
    assert few[1].plain.split("│")[1].strip() == str(PACK[0])[:-1]
    assert str(PACK[0])[-1] in few[2].plain
    many = pictures_text(PACK[:13], 45)
    assert many is not None
    assert many[0].cell_len <= 45
    for card in PACK[:13]:
        assert f"│{str(card)[:-1]}" in many[1].plain
    assert pictures_text(PACK[:30], 45) is None


@pytest.mark.parametrize("size", [(80, 36), (120, 40), WIDE])
def test_from_36_lines_on_cards_are_pictures(size: tuple[int, int]) -> None:
    """U20: the rows have ten lines of cards; below 36 lines they have one line each."""

    async def play(app: TableApp, _pilot: Pilot[None]) -> None:
        assert seen(app).count("╭───╮") >= 4

    play_on_screen(staked("france-2007", 3, 50), play, size)

    async def short(app: TableApp, _pilot: Pilot[None]) -> None:
        assert "╭───╮" not in seen(app)

    play_on_screen(staked("france-2007", 3, 50), short, NARROW)


@pytest.mark.parametrize("size", [(80, 40), (120, 30), (120, 40), WIDE])
def test_the_lesson_leaves_the_score_card_where_there_is_room(size: tuple[int, int]) -> None:
    """U20: score card, counts and lesson are all on the screen."""

    async def play(app: TableApp, pilot: Pilot[None]) -> None:
        await pilot.press("l")
        await app.workers.wait_for_complete()
        await drawn(pilot, lambda: "cards unseen" in seen(app))
        assert "cards left" in seen(app)
        assert "R N   C I" in seen(app)
        assert "bank's edge with best play" in seen(app)
        for kind in (Chart, Counts, LessonPanel):
            part = app.query_one(kind)
            assert part.region.height >= min(4, part.virtual_size.height)
            assert app.screen.region.contains_region(part.region)

    play_on_screen(staked("france-2007", 20, 50), play, size)


def test_a_small_terminal_shows_the_last_coups() -> None:
    """U20: 60 x 20 has lines to spare below the table: the score card is in them."""

    async def play(app: TableApp, _pilot: Pilot[None]) -> None:
        assert "NEXT: DEAL THE COUP" in seen(app)
        assert "R N   C I" in seen(app)
        assert " 9 │" in seen(app)

    play_on_screen(staked("france-2007", 9, 50), play, (60, 20))


@pytest.mark.parametrize("size", [NARROW, (120, 40), WIDE, (100, 28)])
@pytest.mark.parametrize("house", ["france-2007", "venezia-online", "hoyle-19c"])
def test_no_word_in_a_box_is_wrapped(size: tuple[int, int], house: str) -> None:
    """U20: each line of each box fits, with a refait in it too."""

    async def play(app: TableApp, _pilot: Pilot[None]) -> None:
        for box in app.query(ChanceBox):
            width, height = box.content_size
            lines = box.lines(width, height)
            assert len(lines) <= height
            assert all(line.cell_len <= width for line in lines), lines
            assert app.screen.region.contains_region(box.region)

    session = before_a_refait(PlaySession.deal) if house == "france-2007" else ready(house)
    if session.offers():
        session.choose(session.offers()[0].stake.id, "prison")
    play_on_screen(session, play, size)


def test_an_ascii_terminal_gets_ascii_frames() -> None:
    """U20: no character that the encoding lacks, in frames, cards, score card, help and dialogs."""

    async def play(app: TableApp, pilot: Pilot[None]) -> None:
        shown = ""
        for key in ("r", "d", "v", "escape", "question_mark", "escape", "x", "escape", "g"):
            await pilot.press(key)
            await pilot.pause()
            shown += seen(app)
            assert shown.isascii(), [sign for sign in shown if not sign.isascii()]
        assert "+--" in shown
        assert "#==" in shown  # what has the focus is seen without colours

    import asyncio  # noqa: PLC0415 - the app with an encoding

    async def run() -> None:
        app = TableApp(ready("france-2007"), language="fr", encoding="ascii")
        async with app.run_test(size=(120, 40)) as pilot:
            await pilot.pause()
            await play(app, pilot)

    asyncio.run(run())


def test_letters_say_the_same_in_one_column() -> None:
    """U20: frames, suits, dots and accents; Latin-1 keeps its accents."""
    assert in_letters("┏━┓┃ ╔═╗║", "ascii") == "#=## +=+|"
    text = "╭─╮│ 10♥ ● \N{MULTIPLICATION SIGN} \N{EN DASH} … Übung, après œ"
    plain = in_letters(text, "ascii")
    assert plain == "+-+| 10H * x - . Ubung, apres e"
    assert len(plain) == len(text)
    assert "Übung, après" in in_letters(text, "latin-1")
    assert in_letters(text, "utf-8") == text


def test_the_winning_box_is_lit_for_a_moment() -> None:
    """U20: a flash when the coup is decided, then a frame of its own until the next coup."""

    async def play(app: TableApp, pilot: Pilot[None]) -> None:
        assert not app.query("ChanceBox.-flash")
        while not app.query("ChanceBox.-won"):
            await pilot.press("d")
            await pilot.pause()
        won = {box.view.id for box in app.boxes() if box.has_class("-won")}
        lit = {box.view.id for box in app.boxes() if box.has_class("-flash")}
        assert lit == won
        assert len(won) == 2
        await pilot.pause(1.0)
        assert not app.query("ChanceBox.-flash")
        assert {box.view.id for box in app.boxes() if box.has_class("-won")} == won

    play_on_screen(ready("italian-program"), play)


def test_the_runs_are_those_of_the_score_card() -> None:
    """U20: a column for each run; ties are left out; the letters in their order."""

    async def play(app: TableApp, _pilot: Pilot[None]) -> None:
        road = app.query_one(Road)
        card = app.query_one(Chart).card
        assert card is not None
        winners = [line.winners[0] for line in card.lines if line.winners]
        runs = 1 + sum(a != b for a, b in pairwise(winners))
        first = road.plain.split("\n")[0].split()
        assert len(first) >= runs
        depth = 6
        letters = "".join(road.plain.split("\n")[:depth]).replace(" ", "")
        assert (letters.count("R"), letters.count("N")) == (
            winners.count("rouge"),
            winners.count("noir"),
        )

    play_on_screen(staked("france-2007", 20, 50), play, WIDE)


def test_the_money_is_in_the_first_line() -> None:
    """U21: purse, net result and what is at stake; the purse alone where there is no room."""

    async def play(app: TableApp, _pilot: Pilot[None]) -> None:
        session = app.session
        head = seen(app).split("\n")[0]
        assert "at stake 100" in head
        assert f"net {session.net // 100:+d}" in head
        assert "coups won" in seen_in(app, "counts")

    play_on_screen(staked("france-2007", 20, 50), play, (120, 40))

    async def new(app: TableApp, _pilot: Pilot[None]) -> None:
        assert "purse 1,000 EUR" in seen(app).split("\n")[0]

    play_on_screen(sit("france-2007", 1000), new, (60, 20))
