"""What is sent of a table: as its views say, in order, to each reader who keeps up."""

from __future__ import annotations

import asyncio
import json

import pytest
from attrs import evolve
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.service.hosting import Onlooker, hall, setup
from tests.table.driving import Driver

from trente_rules.core.plugins.manager import default_manager
from trente_rules.service import feed as feeds
from trente_rules.service.feed import Feed, Subscriber, Telling, said
from trente_rules.service.messages import ClockMessage, EntryMessage, Pace, message_text
from trente_rules.table import Announced, Audience, CloseSession, Correct, Settle, VoidCoup, view
from trente_rules.table.views import Viewer

VIEWERS: tuple[Viewer, ...] = ("zoe", "yan", "nobody", Audience.PUBLIC, Audience.DEALER)
HOUSES = default_manager().names("house")


def driven(house: str, points: list[tuple[int, int]]) -> Driver:
    """Return a table at which two players have bet, some coups, one voided, one corrected."""
    table = Driver(house)
    each_coup = table.house.shoe.every_coup
    if not each_coup:
        table.shoe(*points)
    least = table.house.limits_table.bounds(table.table.state.opening, "rouge").lowest
    for number, pair in enumerate(points):
        if each_coup:
            table.shoe(pair)
        bets = [("zoe", "rouge", least), ("yan", "noir", least)]
        table.bet(*([] if table.table.state.stakes else bets))
        table.deal()
        table.do(VoidCoup, reason="zoe said so") if number == 1 else table.do(Settle)
        if number == 0:
            table.do(Correct, reason="a word")
    table.do(CloseSession)
    return table


@settings(max_examples=20, deadline=None)
@given(st.sampled_from(HOUSES), st.sampled_from(["", "en", "de"]))
def test_a_text_is_that_of_the_view(house: str, language: str) -> None:
    """The texts that are shared are those that each view gives by itself, word for word."""
    table = driven(house, [(31, 31), (34, 36), (33, 40)])
    own = table.house.words
    for entry in table.table.entries:
        telling = Telling(entry, own)
        for viewer in VIEWERS:
            seen = view(entry, for_=viewer)
            calls = {
                str(each.stamp.index): said(each.event, own, language)
                for each in seen.events
                if isinstance(each.event, Announced)
            }
            whole = message_text(EntryMessage(seen, calls))
            text = telling.text(viewer, language)
            if seen.events or seen.movements:
                assert json.loads(text) == json.loads(whole)
                assert text == telling.text(viewer, language)
            else:
                assert not text


def test_a_reader_who_comes_again_misses_nothing() -> None:
    """After any index: the events that come are those after it, each once, in order."""

    async def run() -> None:
        async with hall() as made:
            hosted, _made = await made.create(setup(pace=Pace(bets=0, cut=0)))
            zoe = await Onlooker.at(hosted, "zoe")
            await zoe.until(lambda each: each.count("coup-settled") > 3)
            whole = [event["index"] for event in zoe.events]
            for after in (whole[0], whole[5], whole[-1]):
                again = await Onlooker.at(hosted, "zoe", after=after)
                await again.until(lambda each, last=whole[-1]: each.reader.next > last)  # type: ignore[misc]
                await again.until(lambda each: bool(each.events))
                assert "state" not in {each["kind"] for each in again.messages}
                seen = [event["index"] for event in again.events]
                assert seen[0] > after
                assert seen == sorted(set(seen))
                wanted = [index for index in whole if index > after]
                assert seen[: len(wanted)] == wanted
                again.gone()

    asyncio.run(run())


@pytest.mark.parametrize("after", [-2, 10_000])
def test_who_cannot_resume_begins_with_the_table(after: int) -> None:
    """An index that the table never had: the table now is sent instead."""

    async def run() -> None:
        async with hall() as made:
            hosted, _made = await made.create(setup(pace=Pace(bets=0, cut=0)))
            zoe = await Onlooker.at(hosted, "zoe")
            await zoe.until(lambda each: each.count("coup-settled") > 0)
            again = await Onlooker.at(hosted, "zoe", after=after)
            await again.until(lambda each: bool(each.messages))
            assert again.messages[0]["kind"] == "state"

    asyncio.run(run())


def test_a_slow_reader_is_cut_and_nobody_waits() -> None:
    """Who does not read is cut, and what waits for them is let go."""

    async def run() -> None:
        reader = Subscriber("zoe", "en")
        for number in range(feeds.MOST_WAITING + 1):
            reader.put(str(number))
        assert reader.behind
        assert not reader.waiting
        assert await reader.take() == []
        heavy = Subscriber("zoe", "en")
        heavy.put("x" * (feeds.MOST_BYTES + 1))
        assert heavy.behind

    asyncio.run(run())


def test_chips_of_others() -> None:
    """Players see how much lies on each chance and of how many, where the table shows it."""

    async def run() -> None:
        async with hall() as made:
            for chips in ("shown", "hidden"):
                hosted, _made = await made.create(setup(table=chips, pace=Pace(cut=0), chips=chips))
                zoe = await Onlooker.at(hosted, "zoe")
                yan = await Onlooker.at(hosted, "yan")
                await zoe.waits_for("bets")
                await zoe.place("rouge", 2000)
                await yan.place("rouge", 1000)
                await asyncio.sleep(feeds.CHIPS_EVERY * 2)
                await yan.until(lambda each: each.count("stake-placed") == 1)
                yan.messages += map(json.loads, yan.reader.waiting)
                shown = [each["chances"] for each in yan.messages if each["kind"] == "chips"]
                if chips == "hidden":
                    assert not shown
                else:
                    rouge = {"chance": "rouge", "amount": 3000, "prisoners": 0, "players": 2}
                    assert shown[-1] == [rouge]

    asyncio.run(run())


def test_who_reads_in_time_is_never_cut() -> None:
    """The bounds are those of what waits: what was sent before does not count."""

    async def run() -> None:
        reader = Subscriber("zoe", "en")
        for _time in range(3):
            reader.put("x" * (feeds.MOST_BYTES - 1))
            assert len(await reader.take()) == 1
        assert not reader.behind
        assert reader.size == 0

    asyncio.run(run())


def test_what_was_done_while_a_reader_began_comes_once() -> None:
    """Entries that are read and held alike, repeated, or published again: each event once."""

    async def run() -> None:
        table = driven("france-2007", [(31, 31), (34, 36), (33, 40)])
        entries = table.table.entries
        feed = Feed(table.house.words, chips=False)
        for begun in (0, entries[4].first_event + 1):
            reader = Subscriber("zoe", "en", next=begun)
            feed.add(reader)
            feed.publish(entries[3:])
            assert not reader.waiting
            feed.begin(reader, (*entries, evolve(entries[5], repeated=True)))
            feed.publish(entries[-3:])
            texts = [json.loads(text) for text in reader.waiting]
            seen = [event["index"] for each in texts for event in each["entry"]["events"]]
            views = [view(each, for_="zoe").events for each in entries]
            every = [each.stamp.index for events in views for each in events]
            assert seen == [index for index in every if index >= begun]
            assert all(each["entry"]["events"] or each["entry"]["movements"] for each in texts)
            assert reader.next == entries[-1].first_event + len(entries[-1].events)

    asyncio.run(run())


def test_a_clock_is_sent_when_it_is_another() -> None:
    """The same clock is said once; one that has run out says that nothing is left."""

    async def run() -> None:
        feed = Feed(driven("france-2007", []).house.words, chips=False)
        reader = Subscriber("zoe", "en", held=None)
        feed.add(reader)
        over = asyncio.get_running_loop().time() - 1
        bets = ClockMessage("bets", 0, 0, 1)
        assert feed.set_clock(bets, over)
        assert not feed.set_clock(bets, over)
        assert feed.set_clock(bets, None)
        assert [json.loads(text)["left"] for text in reader.waiting] == [0, 0]
        assert feed.set_clock(bets, over + 61)
        assert 59_000 < json.loads(reader.waiting[-1])["left"] <= 60_000

    asyncio.run(run())


def test_chips_are_sent_when_they_are_others() -> None:
    """The chips of all are said once, until they change."""

    async def run() -> None:
        table = Driver("france-2007")
        table.shoe((34, 36))
        feed = Feed(table.house.words, chips=True)
        reader = Subscriber("zoe", "en", held=None)
        feed.add(reader)
        feed.send_chips(table.table.state)
        feed.send_chips(table.table.state)
        assert len(reader.waiting) == 1
        table.bet(("zoe", "rouge", 1000))
        feed.send_chips(table.table.state)
        feed.send_chips(table.table.state)
        assert len(reader.waiting) == 2

    asyncio.run(run())
