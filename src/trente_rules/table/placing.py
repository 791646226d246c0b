"""Stakes placed in less time: what ``bets.place`` does, for the stakes that need no closer look.

Nearly every stake of nearly every house is such a one, and a full table places a thousand of them
for a coup: the steps of ``decide`` and ``place`` one after the other take three times as long. What
is not surely accepted is left to these, and so is every refusal: none is made here. A test compares
both.
"""

from __future__ import annotations

from collections.abc import Iterable
from operator import attrgetter
from typing import Final

from trente_rules.core.errors import BetError
from trente_rules.core.settlement import refusals_near, terms_of
from trente_rules.core.stakes import Stake, free_stake
from trente_rules.table.commands import Place
from trente_rules.table.events import StakePlaced
from trente_rules.table.movements import Movement, movement_of, prefix_of
from trente_rules.table.rounds import Round
from trente_rules.table.state import Phase, TableState, credited, premium_of

Placed = tuple[tuple[StakePlaced], tuple[Movement, ...]]
"""The event and the movements of a command that placed a stake."""
_USUAL: Final = (True, "", "", None)
_unusual: Final = attrgetter("proof", "group", "chips", "position")


def place_alone(
    state: TableState, command: Place
) -> tuple[TableState, tuple[StakePlaced], tuple[Movement, ...]] | None:
    """Place the only stake of a player; None where ``place`` has to look at it more closely.

    The fields of the command are known to be of their types.
    """
    setup, cloth, player = state.setup, state.cloth, command.player
    if state.phase is not Phase.BETTING or setup.purses or cloth.grouped:
        return None
    if not player or _unusual(command) != _USUAL or cloth.of_owner(player):
        return None
    stake_id, chance, amount = command.stake, command.chance, command.amount
    house = state.house if state.first_row else setup.house
    terms = terms_of(house, state.posted or setup.opening)[chance, command.insured]
    if terms is None or not terms.least <= amount <= terms.most or amount % terms.step:
        return None
    around, meant = state.round, command.round
    if cloth.get(stake_id) is not None or (meant is not None and meant != around):
        return None
    premium = terms.wager.premium(amount).units if terms.wager else 0
    stake = free_stake(stake_id, player, chance, amount, command.insured)
    accounts = state.accounts.added(player, -amount - premium)
    new = state.placed(cloth.placed(stake, ()), accounts, 1)
    return new, *_placed(around, command, stake, premium)


def place_many(state: TableState, commands: Iterable[Place]) -> tuple[TableState, list[Placed]]:
    """Place stakes one after the other, as far as none needs a closer look: one state at the end.

    Returns the state after the last that is placed, and what each did; the commands after it are
    left. The fields of all are known to be of their types.
    """
    if not _counts_alone(state):
        return state, []
    house, opening, cloth, around = state.house, state.opening, state.cloth, state.round
    terms_by_wager = terms_of(house, opening)
    new: dict[str, tuple[int, Stake]] = {}
    owners: dict[str, tuple[Stake, ...]] = {}
    totals, sums = dict(cloth.totals), dict[str, int]()
    done: list[Placed] = []
    first, count = cloth.next_place, cloth.count
    for command in commands:
        player, id_, chance = command.player, command.stake, command.chance
        amount, insured = command.amount, command.insured
        if not player or _unusual(command) != _USUAL or id_ in new or cloth.get(id_) is not None:
            break
        if command.round is not None and command.round != around:
            break
        mine = owners.get(player) or cloth.of_owner(player)
        terms = None if mine else terms_by_wager[chance, insured]
        total = totals.get(chance, 0) + amount
        if terms and terms.least <= amount <= terms.most and not amount % terms.step:
            stake = free_stake(id_, player, chance, amount, insured)
            premium = terms.wager.premium(amount).units if terms.wager else 0
        else:
            try:
                stake = Stake(id_, player, chance, amount, insured=insured)
                near, sum_ = (*mine, stake), {**totals, chance: total}
                number = count + len(done) + 1
                if refusals_near(house, id_, near, sum_, number, state.history, opening=opening):
                    break
                premium = premium_of(house, stake)
            except BetError:
                break
        place = first + len(done)
        new[id_] = (place, stake)
        owners[player] = (*mine, stake)
        totals[chance] = total
        sums[player] = sums.get(player, 0) - amount - premium
        done.append(_placed(around, command, stake, premium))
    if not done:
        return state, done
    laid, accounts = cloth.laid(new, owners, totals), credited(state.accounts, sums)
    return state.placed(laid, accounts, len(done)), done


def _counts_alone(state: TableState) -> bool:
    """Return whether bets are open, and nothing but a player's own stakes and sums is looked at.

    Not where players bet together, at tables with purses, and with limits of plugins.
    """
    return (
        state.phase is Phase.BETTING
        and not state.setup.purses
        and not state.cloth.grouped
        and not state.house.limits_table.sees_all
    )


def _placed(around: Round, command: Place, stake: Stake, premium: int) -> Placed:
    """Return the event of a stake that was placed, and the movements that it makes."""
    player = command.player
    prefix = prefix_of(around.session, (player, command.id))
    moved = movement_of(prefix + "0", around, command.stake, player, -command.amount, "stake")
    if not premium:
        return (StakePlaced(stake, premium),), (moved,)
    paid = movement_of(prefix + "1", around, command.stake, player, -premium, "premium")
    return (StakePlaced(stake, premium),), (moved, paid)
