"""The tables of a service: created, recovered, closed, each by itself."""

from __future__ import annotations

import asyncio
from pathlib import Path
from threading import Event

import pytest
from tests.service.bad_wallet import KEY, BadWallet, serving
from tests.service.hosting import Onlooker, hall, setup

from trente_rules.core.errors import PhaseError, RecordError, TrenteError
from trente_rules.service.hall import Hall
from trente_rules.service.messages import Pace
from trente_rules.service.stores import FolderStore
from trente_rules.service.wallet import HttpWallet
from trente_rules.table import (
    Audience,
    CloseBets,
    Cut,
    Deal,
    OpenBets,
    Phase,
    Place,
    PlaceMarker,
    Settle,
)

QUICK = Pace(bets=0, cut=0)


def test_a_table_is_created_once() -> None:
    """The same setup again is the same table; another setup of its name is refused."""

    async def run() -> None:
        async with hall() as made:
            first, new = await made.create(setup())
            again, second = await made.create(setup())
            assert (new, second) == (True, False)
            assert first is again
            with pytest.raises(TrenteError) as refused:
                await made.create(setup(purses=True))
            assert refused.value.code == "table-exists"
            both = await asyncio.gather(*(made.create(setup(table="other")) for _n in range(5)))
            assert sum(new for _hosted, new in both) == 1

    asyncio.run(run())


@pytest.mark.parametrize("house", ["../../etc/passwd", "/etc/passwd", "no-such", "a.toml", ""])
def test_a_house_is_a_name_and_no_path(house: str) -> None:
    """S20: a client names a house that is offered; nothing it sends is opened as a file."""

    async def run() -> None:
        async with hall() as made:
            with pytest.raises(TrenteError) as refused:
                await made.create(setup(house, table="t"))
            assert refused.value.code == "unknown-house"
            assert not made.tables

    asyncio.run(run())


def test_tables_are_recovered_and_the_coup_goes_on(tmp_path: Path) -> None:
    """A service that starts again has its tables, with the stakes that lay on them."""

    async def before() -> tuple[int, str]:
        async with hall(FolderStore(tmp_path)) as made:
            hosted, _new = await made.create(setup(pace=Pace(cut=0)))
            zoe = await Onlooker.at(hosted, "zoe")
            await zoe.waits_for("bets")
            await zoe.place("rouge", 2000)
            return hosted.table.state.events, str(hosted.table.state.round)

    async def after() -> tuple[int, str, int]:
        async with hall(FolderStore(tmp_path)) as made:
            hosted = made.table("france-2007")
            assert hosted.setup == setup(pace=Pace(cut=0))
            state = hosted.table.state
            found = state.events, str(state.round), sum(stake.amount for stake in state.stakes)
            zoe = await Onlooker.at(hosted, "zoe", after=state.events - 1)
            await zoe.waits_for("bets")
            hosted.set_ready("zoe", ready=True)
            await zoe.until(lambda each: each.count("coup-settled") == 1)
            return found

    events, where = asyncio.run(before())
    assert asyncio.run(after()) == (events, where, 2000)


def test_one_broken_journal_harms_no_other(tmp_path: Path) -> None:
    """A table that cannot be recovered is named with the reason; the others are dealt."""

    async def make() -> None:
        async with hall(FolderStore(tmp_path)) as made:
            for name in ("one", "two"):
                await made.create(setup(table=name))

    async def again() -> None:
        async with hall(FolderStore(tmp_path)) as made:
            assert [each.setup.table for each in made.tables] == ["two"]
            assert list(made.failures) == ["one"]
            with pytest.raises(TrenteError) as refused:
                made.table("one")
            assert refused.value.code == "table-failed"

    asyncio.run(make())
    broken = tmp_path / "one.journal"
    broken.write_bytes(b"not a database" * 100)
    asyncio.run(again())


def test_a_table_is_closed_and_closed_again() -> None:
    """At once where it may be, after the coup where one is on; again nothing happens."""

    async def run() -> None:
        async with hall() as made:
            idle, _new = await made.create(setup(table="idle"))
            await made.close(idle)
            assert idle.table.state.phase is Phase.ENDED
            await made.close(idle)
            hosted, _new = await made.create(setup(pace=QUICK))
            zoe = await Onlooker.at(hosted, "zoe")
            await zoe.until(lambda each: each.count("bets-opened") > 2)
            await made.close(hosted)
            await made.close(hosted)
            await zoe.until(lambda each: each.count("session-closed") == 1)
            assert hosted.summary().closed

    asyncio.run(run())


def test_a_dealers_table_is_closed_between_coups() -> None:
    """Where a dealer deals, a coup that is on refuses the end, and says what may be done."""

    async def run() -> None:
        async with hall() as made:
            hosted, _new = await made.create(setup(pace=None))
            await made.open_shoe(hosted, "1")
            rule = hosted.table.house.shoe
            assert rule.marker is not None
            await hosted.do(
                [
                    Cut(id="2", place=3, by=rule.cut_by),
                    PlaceMarker(id="3", from_end=rule.marker.bounds[0], by=rule.marker.placed_by),
                    OpenBets(id="4"),
                    CloseBets(id="5"),
                    Deal(id="6"),
                ]
            )
            with pytest.raises(PhaseError) as refused:
                await made.close(hosted)
            assert refused.value.code == "not-now"
            await hosted.do([Settle(id="7")])
            await made.close(hosted)
            assert hosted.summary().closed

    asyncio.run(run())


def test_a_shoe_is_opened_once() -> None:
    """The same id again opens no second shoe; nobody is shown its order."""

    async def run() -> None:
        async with hall() as made:
            hosted, _new = await made.create(setup(pace=None))
            dealer = await Onlooker.at(hosted, Audience.DEALER)
            first = await made.open_shoe(hosted, "1")
            again = await made.open_shoe(hosted, "1")
            assert again.sequence == first.sequence
            assert again.repeated
            with pytest.raises(PhaseError):
                await made.open_shoe(hosted, "2")
            other, _new = await made.create(setup(table="other", pace=None))
            several = await asyncio.gather(*(made.open_shoe(other, "1") for _n in range(8)))
            assert sum(not each.repeated for each in several) == 1
            await dealer.until(lambda each: each.count("shoe-opened") == 1)
            assert "cards" not in str(dealer.events)

    asyncio.run(run())


def test_live_tables_have_live_shoes() -> None:
    """A live table: the shoe has no order here; its cards come one by one."""

    async def run() -> None:
        async with hall() as made:
            hosted, _new = await made.create(setup(pace=None, live=True))
            await made.open_shoe(hosted, "1")
            assert hosted.summary().live
            assert hosted.summary().dealt_by == "dealer"
            paced, _new = await made.create(setup(table="paced", live=True))
            assert made.croupier("paced") is None
            assert paced.summary().dealt_by == "dealer"  # a pace deals no live shoe
            assert hosted.table.state.shoe is not None
            assert made.croupier("france-2007") is None

    asyncio.run(run())


def test_nothing_is_taken_once_the_service_stops() -> None:
    """What comes after the stop is refused, not lost in silence."""

    async def run() -> None:
        async with hall() as made:
            hosted, _new = await made.create(setup(pace=None))
            await made.stop()
            with pytest.raises(TrenteError) as refused:
                await hosted.do([OpenBets(id="1")])
            assert refused.value.code == "stopping"
            with pytest.raises(TrenteError) as refused:
                await made.create(setup(table="late"))
            assert refused.value.code == "stopping"

    asyncio.run(run())


def test_play_money_is_given_once() -> None:
    """A player of a table with purses gets the advance once a session, however often they come."""

    async def run() -> None:
        async with hall() as made:
            hosted, _new = await made.create(setup(purses=True, advance=5000, pace=None))
            for _time in range(3):
                zoe = await Onlooker.at(hosted, "zoe")
                zoe.gone()
            assert hosted.table.state.purse("zoe") == 5000

    asyncio.run(run())


def test_a_table_that_is_given_up_takes_no_bet_without_its_debit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While its journal is being closed there is a cashier still, and it refuses."""
    wallet = BadWallet({"ann": 0}, lambda _what: "fine")
    closing, closed = Event(), Event()

    async def run(url: str) -> None:
        made = Hall(FolderStore(tmp_path), wallet=HttpWallet(url, KEY))
        hosted, _new = await made.create(setup(pace=None))
        await made.open_shoe(hosted, "1")
        await hosted.do([Cut(id="2"), PlaceMarker(id="3"), OpenBets(id="4")])
        journal = hosted.journal
        assert journal is not None
        close = journal.close  # type: ignore[attr-defined]

        def slow() -> None:
            closing.set()
            closed.wait(10)
            close()

        monkeypatch.setattr(journal, "close", slow)
        giving = asyncio.create_task(made.give_up(hosted))
        await asyncio.to_thread(closing.wait, 10)
        place = Place(id="b", stake="b", player="ann", chance="rouge", amount=20_00)
        try:
            with pytest.raises(TrenteError) as refused:
                await hosted.take([place])
            assert refused.value.code == "stopping"
            assert not hosted.table.state.stakes
        finally:
            closed.set()
            await giving
            await made.stop()

    with serving(wallet) as url:
        asyncio.run(run(url))


def test_no_wallet_pays_an_advance(tmp_path: Path) -> None:
    """Whoever comes to a table would be debited what they never asked for."""
    wallet = BadWallet({"ann": 100_00}, lambda _what: "fine")

    async def run(url: str) -> None:
        made = Hall(FolderStore(tmp_path), wallet=HttpWallet(url, KEY))
        with pytest.raises(TrenteError) as refused:
            await made.create(setup(purses=True, advance=50_00, pace=None))
        assert refused.value.code == "bad-setup"
        assert not made.tables
        await made.stop()

    with serving(wallet) as url:
        asyncio.run(run(url))
    assert wallet.accounts == {"ann": 100_00}


def test_a_table_that_is_to_be_closed_is_closed_after_a_restart(tmp_path: Path) -> None:
    """What a supervisor was told is kept: the coup that is on is settled, and no other begun."""

    async def run() -> None:
        async with hall(FolderStore(tmp_path)) as made:
            slow = setup(pace=Pace(bets=50, cut=0, card=200))
            hosted, _new = await made.create(slow)
            zoe = await Onlooker.at(hosted, "zoe")
            await zoe.until(lambda each: each.count("card-turned") > 0)
            await made.close(hosted)
            assert hosted.closing
            assert hosted.table.state.phase is Phase.DEALING
        async with hall(FolderStore(tmp_path)) as again:
            hosted = again.table("france-2007")
            zoe = await Onlooker.at(hosted, "zoe")
            await zoe.until(lambda each: each.count("session-closed") == 1)
            assert zoe.count("bets-opened") == 0

    asyncio.run(run())


def test_a_player_sees_a_table_that_gives_no_advance(monkeypatch: pytest.MonkeyPatch) -> None:
    """While the journal takes nothing a player who comes is let in; they get it the next time."""

    async def run() -> None:
        async with hall() as made:
            hosted, _new = await made.create(setup(purses=True, advance=5000, pace=None))

            def full(*_given: object) -> None:
                raise RecordError("the disk is full", "journal-full")

            with monkeypatch.context() as patched:
                patched.setattr(hosted.journal, "append", full)
                zoe = await Onlooker.at(hosted, "zoe")
            await zoe.until(lambda each: bool(each.messages))
            assert zoe.messages[0]["kind"] == "state"
            assert hosted.players == ("zoe",)
            zoe.gone()
            await Onlooker.at(hosted, "zoe")
            assert hosted.table.state.purse("zoe") == 5000

    asyncio.run(run())
