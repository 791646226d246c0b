"""Settlements and coups a second in memory, beside PokerKit's hands a second; prints only.

A coup at the table is what ``bench_table.py`` plays. The yardstick, where PokerKit is installed
(``pip install pokerkit``), is a heads-up no-limit hold'em hand in which its engine does all that it
can by itself and both players check or call to the showdown. The two games are not the same work:
it is told so that the order of size can be seen. Runs alternate; the processor's time counts.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from time import process_time
from typing import Any, Final

sys.path.insert(0, str(Path(__file__).parent))

from bench_table import HOUSE, STAKES, play  # type: ignore[import-not-found]

from trente_rules import Coup, Opening, Shoe, Stake, Table, deal_coup, settle
from trente_rules.fair import SystemShuffler

RUNS: Final = 7
SETTLED: Final = 3000
COUPS: Final = 400
HANDS: Final = 60


def coups(count: int) -> list[Coup]:
    """Return coups dealt from shuffled shoes."""
    dealt: list[Coup] = []
    while len(dealt) < count:
        shoe = Shoe.shuffled(HOUSE.shoe.packs, SystemShuffler())
        while not shoe.ended:
            found = deal_coup(shoe)
            shoe = found.shoe
            if found.coup:
                dealt.append(found.coup)
    return dealt[:count]


def settlements() -> Callable[[], int]:
    """Return what settles coups of four stakes."""
    opening = Opening(10)
    stakes = [Stake(player, player, chance, 50) for player, chance in STAKES]
    some = coups(SETTLED)

    def act() -> int:
        for coup in some:
            settle(HOUSE, coup, stakes, opening=opening)
        return SETTLED

    return act


def at_the_table() -> int:
    """Play coups of four stakes at a table in memory."""
    play(Table(HOUSE, opening=Opening(10)), COUPS)
    return COUPS


def hands() -> Callable[[], int] | None:
    """Return what plays PokerKit's hands, None where it is not installed."""
    if find_spec("pokerkit") is None:
        return None
    from pokerkit import Automation, NoLimitTexasHoldem  # noqa: PLC0415 - only if it is there

    def act() -> int:
        for _ in range(HANDS):
            state: Any = NoLimitTexasHoldem.create_state(
                tuple(Automation), ante_trimming_status=True, raw_antes=0,
                raw_blinds_or_straddles=(1, 2), min_bet=2, raw_starting_stacks=200,
                player_count=2,
            )  # fmt: skip
            while state.status:
                state.check_or_call()
        return HANDS

    return act


def main() -> None:
    """Measure, and print."""
    acts: dict[str, Callable[[], int] | None] = {
        "settle, four stakes": settlements(),
        "coup at a table": at_the_table,
        "PokerKit hand": hands(),
    }
    found: dict[str, list[float]] = {}
    for _ in range(RUNS):
        for name, act in acts.items():
            if act is not None:
                start = process_time()
                done = act()
                found.setdefault(name, []).append(done / (process_time() - start))
    for name, rates in found.items():
        print(f"{name:24} median {median(rates):8.0f} a second, best {max(rates):8.0f}")
    if "PokerKit hand" in found:
        ratio = median(found["coup at a table"]) / median(found["PokerKit hand"])
        print(f"{'coups for a hand':24} {ratio:.1f}")
    else:
        print("PokerKit is not installed: pip install pokerkit")


if __name__ == "__main__":
    main()
