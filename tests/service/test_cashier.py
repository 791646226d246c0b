"""The cashier: every unit moves once between wallet and table, whatever fails on the way."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from itertools import chain, repeat
from pathlib import Path
from random import Random
from typing import Any, Final

import pytest
from tests.service.bad_wallet import BadWallet, Refused, lottery, serving
from tests.service.cashier_stage import SETUP, START, Stage, bet, staged, until

from trente_rules import Opening, PhaseError, RecordError, TrenteError
from trente_rules.service import cashier as cashiers
from trente_rules.service.messages import TableSetup
from trente_rules.service.stores import FolderStore, MemoryStore, PostgresStore, Store
from trente_rules.service.wallet import WalletError
from trente_rules.table import BuyIn, CashOut, Correct, Increase, Withdraw

PLAYERS: Final = tuple(f"player-{n}" for n in range(12))


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """Return a store of files."""
    made = FolderStore(tmp_path / "tables")
    yield made
    made.close()


def listed(*faults: str) -> Callable[[str], str]:
    """Return faults for the first calls, and none afterwards."""
    left = chain(faults, repeat("fine"))
    return lambda _what: next(left)


def exact(stage: Stage, wallet: BadWallet, start: int = START) -> None:
    """Check every account against the journal, and every movement."""
    due = {each.id: (each.player, each.units) for each in stage.journal.movements()}
    assert wallet.moved == due
    told = dict.fromkeys(wallet.accounts, start)
    assert wallet.accounts == {**told, **stage.balances(start)}
    assert wallet.counts["other content"] == 0


async def play(stage: Stage, seed: int, coups: int) -> int:
    """Let all players bet at the same time, coup after coup; return how many bets were refused."""
    dice, refused = Random(seed), 0  # noqa: S311 - players, no cards

    async def one(player: str, number: int) -> bool:
        command = bet(player, number, dice.randrange(10_00, 200_00, 10_00), "rouge")
        try:
            await stage.cashier.do([command])
            if dice.random() < 0.3:
                more = Increase(
                    id=f"more-{number}", player=player, stake=command.stake, amount=10_00
                )
                await stage.cashier.do([more])
            if dice.random() < 0.1:
                back = Withdraw(id=f"back-{number}", player=player, stake=command.stake)
                await stage.cashier.do([back])
        except WalletError:
            return True
        return False

    for number in range(coups):
        refused += sum(await asyncio.gather(*(one(player, number) for player in PLAYERS)))
        await stage.coup(number)
    return refused


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_money_is_exact_with_a_bad_wallet(
    kind: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    """Issue 14: errors, lost replies, late, doubled, slow calls: each player's money is exact."""
    store: Store = FolderStore(tmp_path)
    if kind == "postgresql":
        store.close()
        place, schema = map(request.getfixturevalue, ("postgres", "schema"))
        store = PostgresStore(f"{place}#{schema}")
    wallet = BadWallet(dict.fromkeys(PLAYERS, START), lottery(7, 0.25))

    async def run(url: str) -> None:
        async with staged(store, url, tries=1, timeout=1.0) as stage:
            await stage.open()
            refused = await play(stage, 1, 6)
            await stage.quiet()
            await asyncio.sleep(0.1)  # calls that come late
            exact(stage, wallet)
            assert refused > 0
            assert wallet.counts["reversed"] > 0
            assert wallet.counts["again"] > 0
            assert stage.cashier.stuck == 0
        async with staged(store, url, timeout=1.0) as again:  # nothing is left, nothing moves
            before = wallet.counts["moved"]
            await again.quiet()
            assert wallet.counts["moved"] == before
            assert len(list(again.journal.movements(again.cashier._cursor))) == 0

    with serving(wallet) as url:
        asyncio.run(run(url))
    store.close()


FIRST: Final = {
    "a debit that is refused for funds": (("fine",), 2_000_00, "wallet-refused", 0),
    "a debit whose reply is lost, then known": (("lost",), 20_00, "", 1),
    "a debit that is asked twice": (("twice",), 20_00, "", 1),
    "a debit that is slow": (("slow",), 20_00, "", 1),
    "an error, then done": (("error", "error"), 20_00, "", 1),
    "three lost replies": (("lost",) * 3, 20_00, "wallet-unknown", 0),
    "three errors": (("error",) * 3, 20_00, "wallet-unknown", 0),
    "three debits that come after their reversal": (("later",) * 3, 20_00, "wallet-unknown", 0),
    "three lost, and the reversal lost": (("lost",) * 4, 20_00, "wallet-unknown", 0),
}


@pytest.mark.parametrize("name", FIRST)
def test_what_a_bet_does_where_its_debit_fails(name: str, store: Store) -> None:
    """A bet lies on the table with its money, or neither."""
    faults, amount, code, bets = FIRST[name]
    wallet = BadWallet({"ann": START}, listed(*faults))

    async def run(url: str) -> None:
        async with staged(store, url) as stage:
            await stage.open()
            if code:
                with pytest.raises(WalletError) as caught:
                    await stage.cashier.do([bet("ann", 1, amount)])
                assert caught.value.code == code
            else:
                await stage.cashier.do([bet("ann", 1, amount)])
            await stage.quiet()
            if "later" in faults:
                await asyncio.sleep(1.2)
                assert wallet.counts["came after its reversal"] > 0
            exact(stage, wallet)
            assert len(stage.table.state.stakes) == bets
            if code:  # the same command was reversed: it is never debited again
                with pytest.raises(TrenteError) as again:
                    await stage.cashier.do([bet("ann", 1, amount)])
                assert again.value.code == "wallet-refused"
                await stage.cashier.do([bet("ann", 2)])
            await stage.quiet()
            exact(stage, wallet)

    with serving(wallet) as url:
        asyncio.run(run(url))


def test_a_bet_that_the_table_refuses_is_not_paid(store: Store) -> None:
    """Refused before the wallet is asked; or after, where bets close meanwhile: reversed."""
    wallet = BadWallet({"ann": START}, listed("fine", "slow"))

    async def run(url: str) -> None:
        async with staged(store, url) as stage:
            await stage.open()
            with pytest.raises(TrenteError):
                await stage.cashier.do([bet("ann", 1, 10)])
            assert wallet.asked == []
            await stage.cashier.do([bet("ann", 2)])
            late = asyncio.create_task(stage.cashier.do([bet("ann", 3)]))
            await until(lambda: wallet.counts["fault slow"] > 0)
            await stage.coup(0)  # it closes the bets, and opens the next ones
            with pytest.raises(PhaseError):
                await late
            await stage.quiet()
            exact(stage, wallet)

    with serving(wallet) as url:
        asyncio.run(run(url))


def test_one_command_from_two_devices_acts_once(store: Store) -> None:
    """The commands of a player are done one after the other: the copy is a retry."""
    wallet = BadWallet({"ann": START}, listed("slow"))

    async def run(url: str) -> None:
        async with staged(store, url) as stage:
            await stage.open()
            one, two = await asyncio.gather(*(stage.cashier.do([bet("ann", 1)]) for _ in "12"))
            assert (one[0].repeated, two[0].repeated) == (False, True)
            await stage.quiet()
            exact(stage, wallet)
            assert wallet.accounts == {"ann": START - 20_00}

    with serving(wallet) as url:
        asyncio.run(run(url))


def test_a_player_who_goes_away_has_their_bet_done(store: Store) -> None:
    """A connection that is lost in the middle stops nothing that was begun."""
    wallet = BadWallet({"ann": START}, listed("slow"))

    async def run(url: str) -> None:
        async with staged(store, url) as stage:
            await stage.open()
            task = asyncio.create_task(stage.cashier.do([bet("ann", 1)]))
            await until(lambda: wallet.counts["fault slow"] > 0)
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            await until(lambda: bool(stage.table.state.stakes))
            await stage.quiet()
            exact(stage, wallet)

    with serving(wallet) as url:
        asyncio.run(run(url))


def test_a_list_of_commands_is_done_whole_or_not_at_all(store: Store) -> None:
    """API: one command or a list, all or none, with the wallet, too."""
    wallet = BadWallet({"ann": START}, listed())

    async def run(url: str) -> None:
        async with staged(store, url) as stage:
            await stage.open()
            more = Increase(id="more", player="ann", stake="ann-1", amount=30_00)
            done = await stage.cashier.do([bet("ann", 1), more])
            assert [each.repeated for each in done] == [False, False]
            assert stage.table.state.stakes[0].amount == 50_00
            again = await stage.cashier.do([bet("ann", 1), more])
            assert [each.repeated for each in again] == [True, True]
            with pytest.raises(WalletError):
                await stage.cashier.do([bet("ann", 2), bet("ann", 3, 990_00)])
            await stage.quiet()
            assert len(stage.table.state.stakes) == 1
            exact(stage, wallet)
            assert wallet.accounts == {"ann": START - 50_00}

    with serving(wallet) as url:
        asyncio.run(run(url))


def test_with_purses_the_wallet_sees_the_chips_alone(store: Store) -> None:
    """Chips are bought from the wallet; what is staked is of the purse."""
    wallet = BadWallet({"ann": START}, listed())
    setup = TableSetup("salle-3", "france-2007", Opening(10_00), purses=True)

    async def run(url: str) -> None:
        async with staged(store, url, setup) as stage:
            await stage.open()
            await stage.cashier.do([BuyIn(id="b", player="ann", amount=500_00)])
            await stage.cashier.do([bet("ann", 1)])
            await stage.cashier.do([CashOut(id="c", player="ann", amount=480_00)])
            await stage.quiet()
            assert [(each["reason"], each["units"]) for _what, each in wallet.asked] == [
                ("bought-in", 500_00),
                ("cashed-out", 480_00),
            ]
            assert wallet.accounts == {"ann": START - 20_00}
            with pytest.raises(WalletError):
                await stage.cashier.do([BuyIn(id="d", player="ann", amount=990_00)])

    with serving(wallet) as url:
        asyncio.run(run(url))


def test_what_a_correction_takes_back_is_due(store: Store) -> None:
    """Issue 14: a correction moves money that was paid; the wallet is told, and cannot refuse."""
    wallet = BadWallet({"ann": START, "bob": START}, listed())

    async def run(url: str) -> None:
        async with staged(store, url) as stage:
            await stage.open()
            await stage.cashier.do([bet("ann", 1)])
            await stage.cashier.do([bet("bob", 1, chance="noir")])
            await stage.coup(0)
            await stage.cashier.do([Correct(id="v", reason="misdeal", void=True)])
            await stage.quiet()
            exact(stage, wallet)
            assert wallet.accounts == {"ann": START, "bob": START}
            assert any(each.get("reverses") for _what, each in wallet.asked)
            assert all(each["due"] for what, each in wallet.asked if what == "credit")

    with serving(wallet) as url:
        asyncio.run(run(url))


def test_what_a_wallet_refuses_though_it_is_due_stops_nobody_else(store: Store) -> None:
    """It is kept, counted, and asked for again, over a restart, until it is done."""
    wallet = BadWallet({"ann": START, "bob": START}, listed())

    async def run(url: str) -> None:
        async with staged(store, url) as stage:
            await stage.open()
            await stage.cashier.do([bet("ann", 1, chance="noir")])
            await stage.cashier.do([bet("bob", 1, chance="noir")])
            wallet.refuses = {"ann"}
            await stage.coup(0)
            await stage.quiet()
            assert stage.cashier.stuck == 2
            assert wallet.accounts == {"ann": START - 20_00, "bob": START + 20_00}
        async with staged(store, url) as stage:
            await asyncio.sleep(0.1)
            assert stage.cashier.stuck == 2
        wallet.refuses = set()
        async with staged(store, url) as stage:
            await until(lambda: not stage.cashier.stuck)
            exact(stage, wallet)

    with serving(wallet) as url:
        asyncio.run(run(url))


def test_a_wallet_that_is_gone_is_counted_and_caught_up_with(store: Store) -> None:
    """Metrics: how many movements wait, and for how long; nothing is lost meanwhile."""
    down = [False]
    wallet = BadWallet({"ann": START}, lambda _what: "error" if down[0] else "fine")

    async def run(url: str) -> None:
        async with staged(store, url, tries=1) as stage:
            await stage.open()
            await stage.cashier.do([bet("ann", 1, chance="noir")])
            await stage.quiet()
            assert (stage.cashier.pending, stage.cashier.oldest) == (0, 0.0)
            down[0] = True
            await stage.coup(0)
            with pytest.raises(WalletError):
                await stage.cashier.do([bet("ann", 2)])
            await asyncio.sleep(0.2)
            assert stage.cashier.pending == 2
            assert stage.cashier.oldest > 0.1
            assert stage.cashier.reversing == 1
            down[0] = False
            await stage.quiet()
            exact(stage, wallet)

    with serving(wallet) as url:
        asyncio.run(run(url))


def test_debits_that_come_together_share_a_commit(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What an outbox costs: a row before each debit, and many players' rows are one transaction."""
    wallet = BadWallet(dict.fromkeys(PLAYERS, START), listed())

    async def run(url: str) -> None:
        async with staged(store, url) as stage:
            await stage.open()
            begun: list[int] = []
            opened = type(stage.journal).transaction

            def counted(journal: Any) -> Any:
                begun.append(1)
                return opened(journal)

            monkeypatch.setattr(type(stage.journal), "transaction", counted)
            await asyncio.gather(*(stage.cashier.do([bet(each, 1)]) for each in PLAYERS))
            assert len(stage.table.state.stakes) == len(PLAYERS)
            assert len(begun) < len(PLAYERS)

    with serving(wallet) as url:
        asyncio.run(run(url))


def test_no_wallet_without_a_journal_that_keeps_it() -> None:
    """In memory a debit would be forgotten with the process: such a table takes no wallet."""

    async def run() -> None:
        async with staged(MemoryStore(), "http://127.0.0.1:9/wallet"):
            raise AssertionError

    with pytest.raises(RecordError) as caught:
        asyncio.run(run())
    assert caught.value.code == "no-transaction"


def test_a_stopped_cashier_takes_nothing_more(store: Store) -> None:
    """Graceful stop: a bet under way is done, the next one is refused."""
    wallet = BadWallet({"ann": START}, listed("slow"))

    async def run(url: str) -> None:
        async with staged(store, url) as stage:
            await stage.open()
            under_way = asyncio.create_task(stage.cashier.do([bet("ann", 1)]))
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            await stage.cashier.close()
            assert not (await under_way)[0].repeated
            with pytest.raises(TrenteError) as caught:
                await stage.cashier.do([bet("ann", 2)])
            assert caught.value.code == "stopping"
            exact(stage, wallet)

    with serving(wallet) as url:
        asyncio.run(run(url))
    assert SETUP.table == "salle-3"


def test_a_bet_that_a_closing_cashier_gives_up_is_refused(store: Store) -> None:
    """Who waits for it is told so, and is not cancelled themselves: their socket lives on."""
    wallet = BadWallet({"ann": START}, listed("error", "error", "error"))

    async def run(url: str) -> None:
        async with staged(store, url) as stage:
            await stage.open()
            waiting = asyncio.create_task(stage.cashier.do([bet("ann", 1)]))
            await until(lambda: wallet.counts["fault error"] > 0)
            await stage.cashier.close(0.0)
            with pytest.raises(TrenteError) as refused:
                await waiting
            assert refused.value.code == "stopping"
        async with staged(store, url) as again:
            await again.quiet()
            exact(again, wallet)

    with serving(wallet) as url:
        asyncio.run(run(url))


class OneIsOut(BadWallet):
    """A wallet that has an error at every credit of one player."""

    def ask(self, what: str, body: dict[str, Any]) -> None:
        """Do what is asked, once, of all others."""
        if what == "credit" and body["player"] == "cem":
            raise Refused(500, "the account is out of order")
        super().ask(what, body)


def test_one_account_that_is_out_of_order_stops_nobody_else(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What others are due is read on, also where more waits than is read ahead."""
    monkeypatch.setattr(cashiers, "_MOST", 4)
    wallet = OneIsOut(dict.fromkeys(("ann", "bob", "cem"), START), listed())

    async def run(url: str) -> None:
        async with staged(store, url, tries=1) as stage:
            await stage.open()
            for player in wallet.accounts:
                await stage.cashier.do([bet(player, 1, chance="noir")])
            await stage.coup(0)  # six credits; the first two stay
            await until(lambda: wallet.accounts["ann"] == START + 20_00)
            await stage.cashier.do([bet("bob", 2, chance="rouge")])
            await stage.coup(1)
            await until(lambda: wallet.accounts["bob"] == START + 40_00)
            await until(lambda: stage.cashier.pending == 2)  # which are the first of all

    with serving(wallet) as url:
        asyncio.run(run(url))


def test_refused_bets_leave_nothing_behind(store: Store) -> None:
    """A player without funds who bets again and again costs no memory that stays."""
    wallet = BadWallet({"ann": 0}, listed())

    async def run(url: str) -> None:
        async with staged(store, url) as stage:
            await stage.open()
            for number in range(20):
                with pytest.raises(WalletError):
                    await stage.cashier.do([bet("ann", number)])
            await stage.quiet()
            assert not stage.cashier._blocked
            assert not stage.cashier._open
            exact(stage, wallet, 0)

    with serving(wallet) as url:
        asyncio.run(run(url))
