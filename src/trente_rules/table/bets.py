"""Commands on stakes: placed, increased, insured, withdrawn, moved in prison; limits posted."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from attrs import asdict, evolve

from trente_rules.core.errors import BetError, Refusal
from trente_rules.core.settlement import (
    double_stake,
    refusals,
    refusals_near,
    wager_of,
)
from trente_rules.core.stakes import Stake
from trente_rules.table.cloth import Cloth
from trente_rules.table.commands import (
    Increase,
    Insure,
    MovePrisoner,
    Place,
    Post,
    Slip,
    Withdraw,
)
from trente_rules.table.events import (
    Event,
    OpeningPosted,
    PrisonerMoved,
    StakeIncreased,
    StakeInsured,
    StakePlaced,
    StakeWithdrawn,
)
from trente_rules.table.movements import movements_of
from trente_rules.table.purses import check_purse
from trente_rules.table.shoe import Decided
from trente_rules.table.state import TableState, moved, premium_of, stake_error


def place(state: TableState, command: Place) -> Decided:
    """Place a stake; ``BetError`` with every reason where the house refuses it."""
    if command.chips:
        _check_chips(state, command.chips, command.stake)
    old, stake = state.cloth, _stake_of(command)
    mine = old.of_owner(stake.owner)
    _check_group(mine, command)
    if old.get(stake.id) is not None:
        raise _refusal_error((double_stake(stake.id),))
    cloth = old.placed(stake, mine)
    _accept(state, cloth, stake)
    premium = 0
    if stake.insured:
        premium = premium_of(state.house, stake)
        if not wager_of(state.house, stake).insured:  # without proof: this house takes it uninsured
            stake = evolve(stake, insured=False)
            cloth = old.placed(stake, mine)
    check_purse(state, stake, stake.amount + premium)
    events = (StakePlaced(stake, premium),)
    return state.after(events, cloth=cloth), events


def _stake_of(command: Place) -> Stake:
    if not command.player:
        raise stake_error(command.stake, "belongs to nobody", "no-player", "name its player")
    return Stake(
        command.stake,
        command.player,
        command.chance,
        command.amount,
        insured=command.insured,
        proof=command.proof,
        group=command.group,
        position=command.position,
    )


def place_slip(state: TableState, command: Slip) -> Decided:
    """Place the stakes of a slip, all of them or none; ``BetError`` as ``place``."""
    if not command.bets:
        what = f"slip {command.id!r} has no bets"
        raise BetError(what, "empty-slip", "give at least one SlipBet")
    new = state
    events: tuple[Event, ...] = ()
    for bet in command.bets:
        new, placed = place(new, Place(id=command.id, player=command.player, **asdict(bet)))
        new = moved(new, movements_of(state.round, command.key, placed))
        events += placed
    return new.replaced(accounts=state.accounts, deposits=state.deposits), events


def increase(state: TableState, command: Increase) -> Decided:
    """Add to a free stake; ``BetError`` as ``place``."""
    _check_chips(state, command.chips, command.stake)
    old = _free(state.stake(command.stake, command.player), "increased")
    if command.amount < 1:
        hint = "amounts are whole numbers of units above zero"
        raise stake_error(old.id, f"cannot grow by {command.amount!r}", "bad-stake", hint)
    new = evolve(old, amount=old.amount + command.amount)
    return _changed(state, old, new, lambda paid: StakeIncreased(new, command.amount, paid))


def insure(state: TableState, command: Insure) -> Decided:
    """Insure a stake; ``BetError`` where it cannot be, or is already."""
    old = state.stake(command.stake, command.player)
    if old.insured or old.covered:
        raise stake_error(old.id, "is insured already", "insured-already")
    new = evolve(old, insured=True, proof=command.proof)
    if not wager_of(state.house, new).insured:
        what, hint = "has no proof that its premium was paid", "pay the premium first"
        raise stake_error(old.id, what, "insurance-without-proof", hint)
    return _changed(state, old, new, lambda paid: StakeInsured(new, paid))


def withdraw(state: TableState, command: Withdraw) -> Decided:
    """Take back a free stake or a part of it; ``BetError`` where the rest cannot stay."""
    old = _free(state.stake(command.stake, command.player), "withdrawn")
    taken = old.amount if command.amount is None else command.amount
    if not 0 < taken <= old.amount:
        text = state.house.money.text
        by = text(taken)
        what, hint = f"cannot be reduced by {by}", f"take {text(1)} to {text(old.amount)}"
        raise stake_error(old.id, what, "bad-stake", hint)
    left = old.amount - taken
    if not left:
        state = state.replaced(chosen=state.chosen.without(old.id))
    new = evolve(old, amount=left) if left else None
    return _changed(state, old, new, lambda paid: StakeWithdrawn(old, taken, -paid, left))


def move_prisoner(state: TableState, command: MovePrisoner) -> Decided:
    """Move a stake in prison to another chance, where the house allows it."""
    old = state.stake(command.stake, command.player)
    why = code = hint = ""
    if not state.house.limits_table.prisoners_move:
        code, why = "prisoners-stay", "this house does not let prisoners move"
    elif old.free:
        code, why, hint = "not-a-prisoner", "it is free", "withdraw it, and place another"
    elif not state.house.chance(command.chance).simple:
        code, why = "not-covered", f"{command.chance} has no prison"
    elif command.chance == old.chance:
        code, why = "same-chance", f"it is on {command.chance} already"
    elif old.covered and (command.chance, True) not in state.house.wagers:
        code, why = "no-insurance", f"it is insured, and stakes on {command.chance} cannot be"
    if code:
        raise stake_error(old.id, f"cannot be moved: {why}", code, hint)
    new = evolve(old, chance=command.chance, position=command.position)
    return _changed(state, old, new, lambda _paid: PrisonerMoved(new, old.chance))


def post(state: TableState, command: Post) -> Decided:
    """Post other limits; ``BetError`` as ``House.check_opening`` where the house cannot play so."""
    state.house.check_opening(command.opening)
    events = (OpeningPosted(command.opening, state.opening),)
    return state.after(events, posted=command.opening), events


def _check_group(stakes: Iterable[Stake], command: Place) -> None:
    """Refuse a player who bets for two groups, or for one and alone: each has its own limit.

    ``stakes`` are those of the player.
    """
    for stake in stakes:
        if stake.free and stake.group != command.group:
            what = f"is of group {command.group!r}, other stakes of {stake.owner!r} are of"
            hint = "name one group in all stakes of a player, or none"
            raise stake_error(command.stake, f"{what} {stake.group!r}", "other-group", hint)


def _changed(
    state: TableState, old: Stake, new: Stake | None, event: Callable[[int], Event]
) -> Decided:
    """Replace a stake, or remove it (None); ``event`` makes the event of the premium paid."""
    cloth = state.cloth.replaced(old, new)
    _accept(state, cloth, new or old)
    amount, premium = (new.amount, premium_of(state.house, new)) if new else (0, 0)
    premium -= premium_of(state.house, old)
    paid = amount - old.amount + premium
    check_purse(state, old, paid)
    events = (event(premium),)
    return state.after(events, cloth=cloth), events


def _accept(state: TableState, cloth: Cloth, changed: Stake) -> None:
    """Refuse stakes the house does not take, of which one is changed; the others were taken."""
    house, history, opening = state.house, state.history, state.opening
    if house.limits_table.sees_all:
        reasons = refusals(house, cloth.stakes, history, opening=opening)
    else:
        near, totals, count = cloth.near(changed), cloth.totals, cloth.count
        reasons = refusals_near(house, changed.id, near, totals, count, history, opening=opening)
    if reasons:
        raise _refusal_error(reasons, changed.id)


def _refusal_error(reasons: tuple[Refusal, ...], stake: str = "") -> BetError:
    """Return the error of a command that is refused, by the reason that is about its stake."""
    first = next((reason for reason in reasons if reason.stake == stake), reasons[0])
    return BetError(first.message, first.code, "", first.stake, reasons)


def _check_chips(state: TableState, chips: str, stake: str) -> None:
    wanted = state.house.money.currency
    if chips and chips != wanted:
        hint = f"this table plays in {wanted}"
        raise BetError(f"chips of {chips!r} are not taken", "wrong-chips", hint, stake)


def _free(stake: Stake, what: str) -> Stake:
    """Return a stake that is free; ``BetError`` ("in-prison") where it is not."""
    if not stake.free:
        what = f"cannot be {what}: it is in {stake.state}"
        raise stake_error(stake.id, what, "in-prison", "prisoners wait for the next coup")
    return stake
