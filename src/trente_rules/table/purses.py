"""Purses: at a table that keeps them, players buy in before they bet; the bank gives no credit.

A purse is what a player has bought in, less what was cashed out, plus the net result of the table
with all that is staked taken off: so a settlement, a void, a correction and a withdrawal fill it
without a word of their own. Only stakes and premiums are checked against it.
"""

from __future__ import annotations

from trente_rules.core.errors import BetError, Refusal
from trente_rules.core.stakes import Stake
from trente_rules.table.commands import BuyIn, CashOut
from trente_rules.table.events import BoughtIn, CashedOut
from trente_rules.table.shoe import Decided
from trente_rules.table.state import Phase, TableState


def buy_in(state: TableState, command: BuyIn) -> Decided:
    """Buy chips; when the session is closed, up to the debt that a correction has left.

    Raises ``BetError``: "no-purses", "no-player", "bad-amount", "no-debt".
    """
    _check(state, command.player, command.amount)
    debt = max(-state.purse(command.player), 0)
    if state.phase is Phase.ENDED and command.amount > debt:
        text = state.house.money.text
        what = f"{text(command.amount)} of {command.player!r} buy no chips: the session is closed"
        raise BetError(what, "no-debt", f"a debt of {text(debt)} can be paid")
    events = (
        BoughtIn(command.player, command.amount, state.purse(command.player) + command.amount),
    )
    return state.after(events), events


def cash_out(state: TableState, command: CashOut) -> Decided:
    """Take money out of a purse; ``BetError`` as ``buy_in``, and "purse-short"."""
    purse = state.purse(command.player)
    amount = purse if command.amount is None else command.amount
    _check(state, command.player, max(amount, 1) if command.amount is None else amount)
    if amount > purse or amount < 1:
        raise _short_error(state, command.player, amount, "")
    events = (CashedOut(command.player, amount, purse - amount),)
    return state.after(events), events


def check_purse(state: TableState, stake: Stake, units: int) -> None:
    """Refuse what the purse of a player does not pay; ``BetError`` ("purse-short")."""
    if state.setup.purses and units > 0 and units > state.purse(stake.owner):
        raise _short_error(state, stake.owner, units, stake.id)


def _check(state: TableState, player: str, amount: int) -> None:
    if not state.setup.purses:
        hint = "open the table with purses=True"
        raise BetError("this table keeps no purses", "no-purses", hint)
    if not player:
        raise BetError("a purse belongs to nobody", "no-player", "name its player")
    if amount < 1:
        hint = "amounts are whole numbers of units above zero"
        raise BetError(f"{amount!r} cannot be bought or cashed", "bad-amount", hint)


def _short_error(state: TableState, player: str, units: int, stake: str) -> BetError:
    """Return the error of what a purse does not pay."""
    text, purse = state.house.money.text, state.purse(player)
    holds = text(purse) if purse >= 0 else f"a debt of {text(-purse)}"
    why = f"the purse of {player!r} holds {holds}, not enough for {text(units)}"
    values = (("player", player), ("amount", units), ("purse", purse))
    reason = Refusal("purse-short", why, stake, values)
    return BetError(why, "purse-short", "the bank gives no credit: buy in first", stake, (reason,))
