"""Ten players at a table: commands that follow from its state and from dice."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from trente_rules import PACK, Table
from trente_rules.table import (
    Burn,
    Choose,
    CloseBets,
    Command,
    Correct,
    Cut,
    Deal,
    Increase,
    Insure,
    OpenBets,
    OpenShoe,
    Phase,
    Place,
    PlaceMarker,
    Settle,
    Turn,
    VoidCoup,
    Withdraw,
)

PLAYERS = tuple(f"player {number}" for number in range(1, 11))


def dice_of(seed: int) -> Random:
    """Return dice that fall alike for the same seed."""
    return Random(seed)  # noqa: S311 - no secret comes of them


def following(table: Table, dice: Random) -> Command:
    """Return a command that the table takes now; its id is the number of events there are."""
    return next(command for command in _wishes(table, dice) if table.can(command))


def _wishes(table: Table, dice: Random) -> Iterator[Command]:
    state, rule = table.state, table.house.shoe
    own = f"e{state.events}"
    rare = dice.random() < 0.05  # some things are seldom done
    match state.phase:
        case Phase.NO_SHOE:
            cards = list(PACK * rule.packs)
            dice.shuffle(cards)
            yield OpenShoe(id=own, cards=tuple(cards), source="dice")
        case Phase.CUT:
            yield Cut(id=own, place=dice.randrange(52 * rule.packs), by=rule.cut_by)
        case Phase.BURN:
            yield Burn(id=own)
        case Phase.MARK:
            assert rule.marker
            yield PlaceMarker(id=own, by=rule.marker.placed_by)
        case Phase.READY:
            if rare:
                yield Correct(id=own, reason="paid wrong", void=dice.random() < 0.5)
            yield OpenBets(id=own)
        case Phase.BETTING:
            yield from _bets(table, dice, own)
        case Phase.CLOSED | Phase.DEALING:
            yield Turn(id=own) if dice.random() < 0.3 else Deal(id=own)
        case Phase.DEALT:
            if rare:
                yield VoidCoup(id=own, reason="a quarrel")
            if dice.random() < 0.3:
                yield from _choices(table, dice, own)
            yield Settle(id=own)


def _bets(table: Table, dice: Random, own: str) -> Iterator[Command]:
    state = table.state
    least = state.setup.opening.minimum or 10
    if state.stakes and dice.random() < 0.2:
        stake = dice.choice(state.stakes).id
        yield dice.choice(
            [
                Increase(id=own, stake=stake, amount=least),
                Insure(id=own, stake=stake),
                Withdraw(id=own, stake=stake),
                Choose(id=own, stake=stake, course="partage"),
            ]
        )
    there = {stake.id for stake in state.stakes}
    for player in PLAYERS:
        stake = f"{player}, {state.shoe_number}.{state.coup_number}"
        if stake not in there:
            chance = dice.choice([chance.id for chance in table.house.chances if chance.simple])
            amount, insured = least * dice.randint(1, 20), dice.random() < 0.4
            for wish in (insured, False):
                yield Place(
                    id=own,
                    stake=stake,
                    player=player,
                    chance=chance,
                    amount=amount,
                    insured=wish,
                    at=f"{state.events} s",
                )
    yield CloseBets(id=own, at=f"{state.events} s")


def _choices(table: Table, dice: Random, own: str) -> Iterator[Command]:
    state = table.state
    for stake in state.stakes:
        course = dice.choice(("partage", "prison"))
        for verdict in ("refait", "apres", "win", "lose"):
            yield Choose(id=own, stake=stake.id, course=course, verdict=verdict)
