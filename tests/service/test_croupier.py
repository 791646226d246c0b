"""The croupier of a table that the service deals: every house, to the end of its shoe."""

from __future__ import annotations

import asyncio
from threading import Event, Thread
from time import monotonic
from typing import Any

import pytest
from tests.service.hosting import Onlooker, hall, setup

from trente_rules.core.errors import PhaseError, RecordError
from trente_rules.core.plugins.manager import default_manager
from trente_rules.service import croupier as croupiers
from trente_rules.service.croupier import Croupier
from trente_rules.service.hall import Hall
from trente_rules.service.messages import Pace
from trente_rules.table import Audience, Choose, Phase, balance
from trente_rules.table.settle import offers

HOUSES = default_manager().names("house")


async def play(house: str, coups: int) -> Onlooker:
    """Play some coups at a table of a house: the least stake on rouge, whatever is asked done."""
    async with hall() as made:
        hosted, _made = await made.create(setup(house))
        zoe = await Onlooker.at(hosted, "zoe")
        croupier = made.croupier(house)
        assert croupier is not None
        placed = 0
        rule = hosted.table.house.shoe
        while placed < coups:
            await zoe.until(lambda each: each.clock["waits_for"] != "nothing")
            bets, cuts, marks = (
                zoe.count(kind) for kind in ("bets-opened", "cut-made", "marker-placed")
            )
            match zoe.clock["waits_for"]:
                case "cut":
                    croupier.give("cut", 26)
                    await zoe.until(lambda each, now=cuts: each.count("cut-made") > now)  # type: ignore[misc]
                case "marker":
                    assert rule.marker is not None
                    croupier.give("marker", rule.marker.bounds[0])
                    await zoe.until(lambda each, now=marks: each.count("marker-placed") > now)  # type: ignore[misc]
                case "choices":
                    await choose(zoe)
                    await zoe.until(lambda each, now=bets: each.count("bets-opened") > now)  # type: ignore[misc]
                case "bets":
                    state = hosted.table.state
                    least = hosted.table.house.limits_table.bounds(state.opening, "rouge").lowest
                    placed += 1
                    await zoe.place("rouge", least)
                    hosted.set_ready("zoe", ready=True)
                    await zoe.until(lambda each, now=bets: zoe_may_act(each, now))  # type: ignore[misc]
        assert balance(hosted.table.state) == 0
        return zoe


def zoe_may_act(zoe: Onlooker, bets: int) -> bool:
    """Return whether a coup is over, or waits for a choice, a cut, or a marker."""
    return zoe.count("bets-opened") > bets or zoe.clock["waits_for"] not in ("bets", "nothing")


async def choose(zoe: Onlooker) -> None:
    """Choose the first course of whatever is offered."""
    state = zoe.hosted.table.state
    assert state.coup is not None
    made = {choice.stake for choice in state.choices}
    for offer in offers(state, state.coup, state.stakes):
        if offer.stake.id not in made:
            command = Choose(
                id=f"choose-{state.events}-{offer.stake.id}",
                player="zoe",
                stake=offer.stake.id,
                course=offer.courses[0],
                verdict=offer.verdict.id,
            )
            await zoe.hosted.do([command])


@pytest.mark.slow
@pytest.mark.parametrize("house", HOUSES)
def test_every_house_is_dealt(house: str) -> None:
    """Six coups of every house: cut, marker, cards, choices and settlement, each in its turn."""
    zoe = asyncio.run(play(house, 6))
    kinds = [event["kind"] for event in zoe.events]
    assert kinds.count("coup-dealt") >= 5
    indices = [event["index"] for event in zoe.events]
    assert indices == sorted(set(indices))


def test_a_taille_to_its_end_and_another_shoe() -> None:
    """A whole taille is dealt, and the next shoe is opened when it is over."""

    async def run() -> None:
        async with hall() as made:
            hosted, _made = await made.create(setup(pace=Pace(bets=0, cut=0)))
            zoe = await Onlooker.at(hosted, "zoe")
            await zoe.until(lambda each: [e["kind"] for e in each.events].count("shoe-opened") == 2)
            kinds = [event["kind"] for event in zoe.events]
            assert kinds.count("shoe-ended") == 1
            assert 15 < kinds.count("coup-dealt") < 45

    asyncio.run(run())


def test_nobody_there_nothing_dealt() -> None:
    """Without a player no shoe is opened; when the last one leaves the coup ends, and no other."""

    async def run() -> None:
        async with hall() as made:
            hosted, _made = await made.create(setup(pace=Pace(bets=0, cut=0)))
            await asyncio.sleep(0.05)
            assert hosted.table.state.phase is Phase.NO_SHOE
            zoe = await Onlooker.at(hosted, "zoe")
            await zoe.until(lambda each: "coup-settled" in str(each.events))
            zoe.gone()
            await asyncio.sleep(0.1)
            events = hosted.table.state.events
            await asyncio.sleep(0.1)
            assert hosted.table.state.events == events
            assert hosted.table.state.phase in (Phase.BETTING, Phase.NO_SHOE, Phase.READY)

    asyncio.run(run())


def test_all_players_are_waited_for() -> None:
    """Without a time for bets the coup is dealt when all who are there are ready, or have left."""

    async def run() -> None:
        async with hall() as made:
            hosted, _made = await made.create(setup(pace=Pace(cut=0)))
            zoe, bob = await Onlooker.at(hosted, "zoe"), await Onlooker.at(hosted, "bob")
            await zoe.waits_for("bets")
            hosted.set_ready("zoe", ready=True)
            await zoe.until(lambda each: each.clock["ready"] == 1)
            await asyncio.sleep(0.05)
            assert hosted.table.state.phase is Phase.BETTING
            bob.gone()
            await zoe.until(lambda each: "coup-dealt" in str(each.events))

    asyncio.run(run())


def test_cards_at_a_pace() -> None:
    """With a time between cards each is turned by itself."""

    async def run() -> None:
        async with hall() as made:
            hosted, _made = await made.create(setup(pace=Pace(bets=0, cut=0, card=1)))
            zoe = await Onlooker.at(hosted, "zoe")
            await zoe.until(lambda each: "coup-settled" in str(each.events))
            entries = [each["entry"]["events"] for each in zoe.messages if each["kind"] == "entry"]
            cards = [sum(event["kind"] == "card-turned" for event in entry) for entry in entries]
            assert max(cards) == 1

    asyncio.run(run())


def test_a_cut_that_is_not_asked_for() -> None:
    """A place is taken only while the table waits for it, and only one that the house takes."""

    async def run() -> None:
        async with hall() as made:
            hosted, _made = await made.create(setup("campione"))
            croupier = made.croupier("campione")
            assert isinstance(croupier, Croupier)
            with pytest.raises(PhaseError, match="does not wait for the cut"):
                croupier.give("cut", 3)
            zoe = await Onlooker.at(hosted, "zoe")
            await zoe.until(lambda each: each.clock["waits_for"] != "nothing")
            if zoe.clock["waits_for"] == "cut":
                with pytest.raises(Exception, match="cut"):
                    croupier.give("cut", 10_000)

    asyncio.run(run())


def test_the_dealer_sees_all_and_the_public_nobody() -> None:
    """Views in the feed: a player's stake is in the player's and in the dealer's feed alone."""

    async def run() -> None:
        async with hall() as made:
            hosted, _made = await made.create(setup(pace=Pace(cut=0)))
            zoe, bob = await Onlooker.at(hosted, "zoe"), await Onlooker.at(hosted, "bob")
            dealer = await Onlooker.at(hosted, Audience.DEALER)
            public = await Onlooker.at(hosted, Audience.PUBLIC)
            await zoe.waits_for("bets")
            await zoe.place("rouge", 2000)
            for each in (zoe, bob):
                hosted.set_ready(str(each.viewer), ready=True)
            for each in (zoe, bob, dealer, public):
                await each.until(lambda one: "coup-settled" in str(one.events))
            assert "zoe" in str(dealer.events)
            assert "stake-placed" in str(zoe.events)
            for each in (bob, public):
                assert "zoe" not in str(each.events)
                assert "stake-" not in str(each.events)
            assert next(each["units"] for each in zoe.movements) == -2000
            assert not bob.movements
            assert not dealer.movements

    asyncio.run(run())


@pytest.mark.parametrize("code", ["journal-locked", "journal-full", "journal-moved"])
def test_a_journal_that_cannot_be_written_for_a_while(
    code: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A copy of the file, a full disk: the coup goes on afterwards; a lost journal is lost."""
    monkeypatch.setattr(croupiers, "_JOURNAL_AGAIN", 0.01)

    async def run() -> None:
        async with hall() as made:
            hosted, _made = await made.create(setup(pace=Pace(bets=0, cut=0)))
            zoe = await Onlooker.at(hosted, "zoe")
            await zoe.until(lambda each: each.count("bets-closed") > 0)
            journal: Any = hosted.journal
            append, failures = journal.append, [RecordError("no", code)] * 5

            def fail_first(*given: Any) -> None:
                if failures:
                    raise failures.pop()
                append(*given)

            monkeypatch.setattr(journal, "append", fail_first)
            coups = zoe.count("coup-settled")
            if code == "journal-moved":
                async with asyncio.timeout(20):
                    while hosted.failure is None:  # noqa: ASYNC110 - nobody says so
                        await asyncio.sleep(0.01)
                await asyncio.sleep(0.1)
                assert len(failures) == 4
                assert "journal-moved" in {each.code for each in made.failures.values()}
            else:
                await zoe.until(lambda each: each.count("coup-settled") > coups + 2)
                assert not failures
                assert not made.failures

    asyncio.run(run())


def test_a_cut_waits_for_no_commit() -> None:
    """A player's cut is looked at in the loop: it never waits for the lock of a table."""
    held, free = Event(), Event()

    async def run() -> None:
        async with hall() as made:
            hosted, _made = await made.create(setup("campione"))
            croupier = made.croupier("campione")
            assert isinstance(croupier, Croupier)
            zoe = await Onlooker.at(hosted, "zoe")
            await zoe.until(lambda each: each.clock["waits_for"] in ("cut", "bets"))
            what = zoe.clock["waits_for"]
            if what == "bets":
                hosted.set_ready("zoe", ready=True)
                await zoe.waits_for("cut")

            def hold() -> None:
                with hosted.table._lock:
                    held.set()
                    free.wait(5)

            thread = Thread(target=hold)
            thread.start()
            held.wait(5)
            before = monotonic()
            croupier.give("cut", 26)
            assert monotonic() - before < 2  # the lock is held for five seconds
            free.set()
            thread.join()

    asyncio.run(run())


REFAIT: bytes = bytes(15) + bytes([144])
"""A seed whose first coup is a refait, at a table whose cut is drawn at once."""


async def at_a_refait(made: Hall, choices: int | None) -> Onlooker:
    """Bet on rouge at a table whose first coup leaves a choice, and wait until it is asked for."""
    hosted, _made = await made.create(setup(pace=Pace(cut=0, choices=choices)))
    zoe = await Onlooker.at(hosted, "zoe")
    await zoe.waits_for("bets")
    await zoe.place("rouge", 2000)
    hosted.set_ready("zoe", ready=True)
    await zoe.until(lambda each: each.count("choice-offered") == 1)
    await zoe.waits_for("choices")
    return zoe


def test_a_choice_that_is_not_made_in_time() -> None:
    """The coup is settled by the default course when the time is over, and not before."""

    async def run() -> None:
        async with hall(seed=REFAIT) as made:
            began = asyncio.get_running_loop().time()
            zoe = await at_a_refait(made, 250)
            assert 0 < zoe.clock["left"] <= 250
            await zoe.until(lambda each: each.count("coup-settled") == 1)
            assert asyncio.get_running_loop().time() - began >= 0.25

    asyncio.run(run())


def test_a_player_who_left_is_not_waited_for() -> None:
    """Without a time for choices: who goes away lets the others play on, nobody else does."""

    async def run() -> None:
        async with hall(seed=REFAIT) as made:
            zoe = await at_a_refait(made, None)
            yan = await Onlooker.at(zoe.hosted, "yan")
            await asyncio.sleep(0.1)
            assert zoe.hosted.table.state.phase is Phase.DEALT
            zoe.gone()
            await yan.until(lambda each: each.count("coup-settled") == 1)

    asyncio.run(run())


def test_a_croupier_who_cuts_asks_nobody() -> None:
    """Where the house lets the croupier cut no player is asked for it."""

    async def run() -> None:
        async with hall() as made:
            hosted, _made = await made.create(setup("venezia-online"))
            zoe = await Onlooker.at(hosted, "zoe")
            await zoe.waits_for("bets")
            asked = {each["waits_for"] for each in zoe.messages if each["kind"] == "clock"}
            assert asked <= {"nothing", "bets"}

    asyncio.run(run())


def test_the_time_after_a_coup() -> None:
    """The next bets are not open before the time after a coup is over."""

    async def run() -> None:
        async with hall() as made:
            hosted, _made = await made.create(setup(pace=Pace(bets=0, cut=0, rest=300)))
            zoe = await Onlooker.at(hosted, "zoe")
            await zoe.until(lambda each: each.count("coup-settled") == 1)
            settled = asyncio.get_running_loop().time()
            await zoe.until(lambda each: each.count("bets-opened") == 2)
            assert asyncio.get_running_loop().time() - settled >= 0.25

    asyncio.run(run())


def test_a_table_that_is_closed_while_bets_are_open() -> None:
    """Nobody has to be ready: the bets are given back at once, and the session is over."""

    async def run() -> None:
        async with hall() as made:
            hosted, _made = await made.create(setup(pace=Pace(cut=0)))
            zoe = await Onlooker.at(hosted, "zoe")
            await zoe.waits_for("bets")
            await zoe.place("rouge", 2000)
            await made.close(hosted)
            await zoe.until(lambda each: each.count("session-closed") == 1)
            assert zoe.count("bets-closed") == 0
            assert [each["units"] for each in zoe.movements] == [-2000, 2000]

    asyncio.run(run())


def test_a_table_that_is_closed_in_a_coup() -> None:
    """The coup that is on is settled first, as soon as nobody has to choose; no bets are opened."""

    async def run() -> None:
        async with hall(seed=REFAIT) as made:
            zoe = await at_a_refait(made, None)
            await made.close(zoe.hosted)
            await choose(zoe)
            await zoe.until(lambda each: each.count("session-closed") == 1)
            assert zoe.count("coup-settled") == zoe.count("bets-opened") == 1

    asyncio.run(run())


def test_who_is_ready() -> None:
    """Ready is who is here and has said so for this coup; a table without players is not."""

    async def run() -> None:
        async with hall() as made:
            hosted, _made = await made.create(setup(pace=None))
            ready = [hosted.all_ready]
            await hosted.join("zoe")
            await hosted.join("zoe")  # in two windows
            hosted.set_ready("zoe", ready=True)
            hosted.leave("zoe")
            ready.append(hosted.all_ready)
            hosted.leave("zoe")
            ready.append(hosted.all_ready)
            assert hosted.players == ()
            await hosted.join("zoe")
            ready.append(hosted.all_ready)
            hosted.set_ready("zoe", ready=True)
            hosted.set_guests({"yan": True})
            ready.append(hosted.all_ready)
            hosted.clear_ready()
            assert hosted.connected == {"zoe": False}
            hosted.set_ready("zoe", ready=True)
            ready.append(hosted.all_ready)
            assert ready == [False, True, False, False, True, False]

    asyncio.run(run())


def test_what_is_read_twice_is_that_of_now() -> None:
    """A slow reading is kept until the next command, and not a moment longer."""

    async def run() -> None:
        async with hall() as made:
            hosted, _made = await made.create(setup(pace=None))
            asked: list[int] = []

            def read() -> int:
                asked.append(hosted.table.state.events)
                return asked[-1]

            assert await hosted.once("odds", read) == await hosted.once("odds", read)
            assert len(asked) == 1
            await made.open_shoe(hosted, "shoe-1")
            assert await hosted.once("odds", read) == hosted.table.state.events
            assert len(asked) == 2

    asyncio.run(run())


def test_from_the_first_event_that_is_remembered() -> None:
    """Who has seen what is before it gets the entries; who has seen less gets the table now."""

    async def run() -> None:
        async with hall() as made:
            hosted, _made = await made.create(setup(pace=Pace(bets=0, cut=0)))
            zoe = await Onlooker.at(hosted, "zoe")
            await zoe.until(lambda each: each.count("coup-settled") > 0)
            first = hosted.table.entries[0].first_event
            for after, kind in ((first - 1, "entry"), (first - 2, "state")):
                again = await Onlooker.at(hosted, "zoe", after=after)
                await again.until(lambda each: bool(each.messages))
                assert again.messages[0]["kind"] == kind
                again.gone()

    asyncio.run(run())


def test_a_state_has_the_calls_of_the_coup() -> None:
    """Who comes is told what was called since the bets closed last, and nothing of before."""

    async def run() -> None:
        async with hall() as made:
            hosted, _made = await made.create(setup(pace=Pace(bets=0, cut=0)))
            zoe = await Onlooker.at(hosted, "zoe")
            await zoe.until(lambda each: each.count("coup-settled") > 2)
            zoe.gone()
            await zoe.waits_for("nothing")
            state = hosted.state_message("zoe", "en")
            kinds = [event.kind for entry in hosted.table.taille for event in entry.events]
            last = len(kinds) - kinds[::-1].index("bets-closed")
            assert len(state.said) == kinds[last:].count("announced") < kinds.count("announced")

    asyncio.run(run())


def test_a_reader_who_cannot_begin_is_sent_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """What fails as a reader begins leaves nobody in the feed whom messages would wait for."""

    async def run() -> None:
        async with hall() as made:
            hosted, _made = await made.create(setup(pace=None))

            def fails(*_given: object) -> None:
                raise PhaseError("no", "no")

            monkeypatch.setattr(hosted, "_now", fails)
            with pytest.raises(PhaseError):
                await hosted.subscribe("zoe", "en", None)
            assert hosted.feed.subscribers == ()

    asyncio.run(run())
