"""Purses: the bank gives no credit. A player buys in, and stakes no more than the purse holds."""

from __future__ import annotations

from typing import Any

import pytest
from tests.table.driving import Driver
from tests.table.laws import NOIR, REFAIT, ROUGE, refused

from trente_rules import BetError, RecordError, Table, load_house
from trente_rules.table import (
    BoughtIn,
    BuyIn,
    CashedOut,
    CashOut,
    CloseBets,
    CloseSession,
    Correct,
    Deal,
    Increase,
    Insure,
    MemoryJournal,
    OpenBets,
    OpenShoe,
    Place,
    Settle,
    VoidCoup,
    Withdraw,
    recover,
    restore,
    snapshot,
)
from trente_rules.testing import opening_of


def with_purses(house: str, **bought: int) -> Driver:
    """Return a table with purses, and chips bought by players."""
    driver = Driver(house)
    driver.table = Table(driver.house, opening=opening_of(driver.house), purses=True)
    for player, units in bought.items():
        driver.do(BuyIn, player=player, amount=units)
    return driver


def purse(driver: Driver, player: str) -> int:
    """Return the purse of a player."""
    return driver.table.state.purse(player)


def stake(driver: Driver, player: str, amount: int, **more: Any) -> None:
    """Place a stake on rouge."""
    driver.do(Place, stake=player, player=player, chance="rouge", amount=amount, **more)


def test_the_bank_cannot_advance_the_insurance_chips() -> None:
    """D12, S1: "The bank cannot advance the ensurance chips": 100 does not pay 100 and its 1 %."""
    driver = with_purses("italy-half-loss", zoe=100)
    driver.shoe(REFAIT)
    driver.do(OpenBets)
    bet = {"stake": "z", "player": "zoe", "chance": "rouge", "amount": 100}
    error = refused(driver, "purse-short", Place, insured=True, **bet)
    assert isinstance(error, BetError)
    assert dict(error.refusals[0].values) == {"player": "zoe", "amount": 101, "purse": 100}
    driver.do(Place, **bet)
    assert isinstance(refused(driver, "purse-short", Insure, stake="z"), BetError)
    driver.do(BuyIn, player="zoe", amount=1)
    driver.do(Insure, stake="z")
    assert purse(driver, "zoe") == 0
    for kind in (CloseBets, Deal, Settle):
        driver.do(kind)
    assert purse(driver, "zoe") == 100


def test_nobody_stakes_without_having_bought_in() -> None:
    """D12: at a new table the account of zoe does not go below nothing."""
    driver = with_purses("italy-half-loss")
    driver.shoe(ROUGE)
    driver.do(OpenBets)
    refused(driver, "purse-short", Place, stake="z", player="zoe", chance="noir", amount=1)
    assert not driver.table.state.accounts


def test_stakes_of_one_player_share_a_purse_and_a_withdrawal_fills_it() -> None:
    """An increase is paid like a stake; what is withdrawn can be staked again."""
    driver = with_purses("france-2007", ann=100, bob=5)
    driver.shoe(ROUGE)
    driver.do(OpenBets)
    stake(driver, "ann", 60)
    refused(driver, "purse-short", Place, stake="x", player="ann", chance="noir", amount=41)
    refused(driver, "purse-short", Increase, stake="ann", amount=41)
    driver.do(Increase, stake="ann", amount=40)
    driver.do(Withdraw, stake="ann", amount=30)
    assert purse(driver, "ann") == 30
    driver.do(Place, stake="x", player="ann", chance="noir", amount=30)
    assert (purse(driver, "ann"), purse(driver, "bob")) == (0, 5)


def test_a_settlement_a_void_and_a_correction_are_in_the_purse() -> None:
    """It is bought less cashed plus the net of the table, whatever happened to a coup."""
    driver = with_purses("france-2007", ann=100)
    driver.live()
    driver.do(OpenBets)
    stake(driver, "ann", 100)
    driver.do(VoidCoup, reason="a card fell")
    assert purse(driver, "ann") == 100
    known = with_purses("france-2007", ann=100)
    known.shoe(ROUGE, NOIR)
    known.do(OpenBets)
    stake(known, "ann", 100)
    for kind in (CloseBets, Deal, Settle):
        known.do(kind)
    assert purse(known, "ann") == 200
    known.do(Correct, reason="a slip", void=True)
    assert purse(known, "ann") == 100


def test_a_correction_after_cashing_out_leaves_a_debt() -> None:
    """The coup was lost after all: what was cashed is owed, and nothing is staked before it."""
    driver = with_purses("france-2007", ann=100)
    driver.shoe(ROUGE, NOIR)
    driver.do(OpenBets)
    stake(driver, "ann", 100)
    for kind in (CloseBets, Deal, Settle):
        driver.do(kind)
    driver.do(CashOut, player="ann")
    driver.do(Correct, reason="a slip", void=True)
    assert purse(driver, "ann") == -100
    error = refused(driver, "purse-short", CashOut, player="ann", amount=1)
    assert "a debt of 100 EUR" in error.message
    driver.do(BuyIn, player="ann", amount=150)
    driver.do(OpenBets)
    refused(driver, "purse-short", Place, stake="b", player="ann", chance="noir", amount=51)
    driver.do(Place, stake="b", player="ann", chance="noir", amount=50)


def test_chips_are_cashed_at_any_time_and_no_more_than_the_purse_holds() -> None:
    """Within a coup, and once the session is closed: then prisoners are in it too."""
    driver = with_purses("france-2007", ann=100)
    driver.shoe(REFAIT)
    driver.do(OpenBets)
    stake(driver, "ann", 60)
    refused(driver, "purse-short", CashOut, player="ann", amount=41)
    assert driver.do(CashOut, player="ann", amount=10) == (CashedOut("ann", 10, 30),)
    for kind in (CloseBets, Deal, Settle):
        driver.do(kind)
    driver.do(CloseSession)
    assert driver.table.allowed() == ("correct", "buy-in", "cash-out")
    refused(driver, "no-debt", BuyIn, player="ann", amount=10)
    assert driver.do(CashOut, player="ann") == (CashedOut("ann", 60, 0),)
    refused(driver, "purse-short", CashOut, player="ann")


def test_a_debt_is_paid_after_the_session_is_closed() -> None:
    """A win that was cashed was none: what is owed can be paid, and no more is bought."""
    driver = with_purses("france-2007", ann=100)
    driver.shoe(ROUGE)
    driver.do(OpenBets)
    stake(driver, "ann", 100)
    for kind in (CloseBets, Deal, Settle, CloseSession):
        driver.do(kind)
    driver.do(CashOut, player="ann")
    driver.do(Correct, reason="a void", void=True)
    assert purse(driver, "ann") == -100
    refused(driver, "no-debt", BuyIn, player="ann", amount=101)
    driver.do(BuyIn, player="ann", amount=100)
    assert purse(driver, "ann") == 0
    refused(driver, "no-debt", BuyIn, player="ann", amount=1)


@pytest.mark.parametrize("kind", [BuyIn, CashOut])
def test_a_table_without_purses_has_no_such_command(kind: Any) -> None:
    """The rule of the table is off by default: stakes are the host's affair."""
    driver = Driver("france-2007")
    assert not {"buy-in", "cash-out"} & {*driver.table.allowed()}
    refused(driver, "no-purses", kind, player="ann", amount=10)
    driver.shoe(ROUGE)
    driver.do(OpenBets)
    stake(driver, "ann", 10)
    assert purse(driver, "ann") == -10


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"player": "", "amount": 5}, "no-player"),
        ({"player": "ann", "amount": 0}, "bad-amount"),
        ({"player": "ann", "amount": -5}, "bad-amount"),
        ({"player": "ann", "amount": 1.5}, "bad-value"),
    ],
)
def test_what_cannot_be_bought_is_refused(fields: dict[str, Any], code: str) -> None:
    """A player and units above zero."""
    driver = with_purses("france-2007")
    refused(driver, code, BuyIn, **fields)
    refused(driver, code, CashOut, **fields)


def test_purses_are_kept_by_snapshot_and_recovery() -> None:
    """A restored table still keeps purses, and a bought chip is bought once."""
    journal = MemoryJournal()
    house = load_house("france-2007")
    table = Table(house, opening=opening_of(house), purses=True, journal=journal)
    buy = BuyIn(id="1", player="ann", amount=100)
    assert table.do(buy) == table.do(buy) == (BoughtIn("ann", 100, 100),)
    table.do(OpenShoe(id="2"))
    for again in (restore(snapshot(table), house), recover(journal)):
        assert again.state == table.state
        assert again.state.setup.purses
        assert again.state.purse("ann") == 100


def test_a_snapshot_without_purses_has_no_chips() -> None:
    """Anyone may have edited it: chips at a table that keeps no purses are refused."""
    house = load_house("france-2007")
    table = Table(house, opening=opening_of(house), purses=True)
    table.do(BuyIn(id="1", player="ann", amount=100))
    with pytest.raises(RecordError, match="chips are bought at a table without purses"):
        restore(snapshot(table).replace('"purses":true,', ""), house)
