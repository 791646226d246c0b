"""Settlements a second, by stakes, beside whole coups at a table in memory; prints only.

What a coup at the table takes beyond its settlement is acceptance, movements, events and calls.
Runs alternate; the processor's time counts. ``rivals.py`` sets the table beside other engines.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from statistics import median
from time import process_time
from typing import Final

sys.path.insert(0, str(Path(__file__).parent))

from load import AMOUNT, CHANCES, OPENING, Load, speed  # type: ignore[import-not-found]

from trente_rules import Coup, Opening, Shoe, Stake, deal_coup, load_house, settle
from trente_rules.fair import SystemShuffler

HOUSE: Final = load_house("france-2007")
RUNS: Final = 5
SETTLED: Final = 12_000
"""Stakes that are settled in a run."""
STAKES: Final = (4, 20, 100, 1000)


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


def settlements(number: int) -> Callable[[], float]:
    """Return what settles coups of so many stakes, and returns how many a second."""
    opening = Opening(OPENING)
    stakes = [
        Stake(f"{i}", f"p{i}", CHANCES[i % 4], AMOUNT, insured=i % 5 == 0) for i in range(number)
    ]
    some = coups(SETTLED // number)

    def act() -> float:
        begin = process_time()
        for coup in some:
            settle(HOUSE, coup, stakes, opening=opening)
        return len(some) / (process_time() - begin)

    return act


def at_the_table(number: int) -> Callable[[], float]:
    """Return what plays coups of so many stakes at a table, and returns how many a second."""
    return lambda: float(speed(Load(number), 0.5))


def main() -> None:
    """Measure, and print."""
    print(f"{'stakes':>6} {'settled a second':>17} {'coups at a table':>17}   settle: 1, a coup:")
    for number in STAKES:
        settled, played = settlements(number), at_the_table(number)
        rates = [(settled(), played()) for _ in range(RUNS)]
        one, other = (median(each) for each in zip(*rates, strict=True))
        print(f"{number:6,} {one:17,.0f} {other:17,.1f}   {one / other:.1f}")


if __name__ == "__main__":
    main()
