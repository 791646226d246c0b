"""A host that deals one taille by itself: two players, prisoners carried from coup to coup.

Run it as ``python examples/host_program.py [HOUSE]``. A real host takes its cards from a live shoe
and its stakes from players; what the library does is the same.
"""

from __future__ import annotations

import sys

from trente_rules import (
    NOIR,
    ROUGE,
    Amount,
    Opening,
    Shoe,
    Stake,
    close_session,
    load_house,
    refusals,
    settle,
)
from trente_rules.fair import SystemShuffler

MINIMUM = Amount.parse(20)
"""The least stake, in the currency of the house."""


def main() -> None:
    """Deal one taille and print what each coup does."""
    house = load_house(sys.argv[1] if len(sys.argv) > 1 else "france-2007")
    minimum = house.money.units(MINIMUM)
    opening = Opening(minimum)
    shoe = house.shoe.prepare(Shoe.shuffled(house.shoe.packs, SystemShuffler()))
    prisoners: tuple[Stake, ...] = ()
    bank = number = 0
    while not house.shoe.ended(shoe):
        number += 1
        placed = (
            *prisoners,
            Stake(f"a{number}", "alice", ROUGE, 5 * minimum),
            Stake(f"b{number}", "bob", NOIR, minimum),
        )
        for refusal in refusals(house, placed, opening=opening):
            sys.exit(f"refused: {refusal}")
        dealt = house.shoe.deal(shoe)
        shoe = dealt.shoe
        if dealt.coup is None:
            print(f"coup {number} is void: stakes go back, prisoners stay as they were")
            break
        done = settle(house, dealt.coup, placed, opening=opening)
        prisoners, bank = done.staying, bank + done.bank_net
        points = f"{dealt.coup.first.point}, {dealt.coup.second.point}"
        print(
            f"coup {number}: {points}; " + "; ".join(line.text(house.money) for line in done.lines)
        )
    closed = close_session(house, prisoners, opening=opening)
    print(f"bank: {house.money.text(abs(bank + closed.bank_net))}", end="")
    print(" won" if bank + closed.bank_net >= 0 else " lost")


if __name__ == "__main__":
    main()
