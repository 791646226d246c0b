"""Measure card counting: the processor time of a coup, beside the joint law that it needs.

Run ``python tests/bench/bench_count.py [HOUSE ...]``. Both are timed in one process, in turns, and
the least of several runs is printed: only the ratio says something.
"""

from __future__ import annotations

import sys
from time import process_time

from trente_rules import load_house
from trente_rules.odds import Composition, fast_odds
from trente_rules.players import count_shoes

RUNS = 7
SHOES = 6


def main() -> None:
    """Print the milliseconds of a coup and of a law, and their ratio, by house."""
    whole = Composition.fresh(6)
    noir = (whole.noir[0] - 1, *whole.noir[1:])
    for name in sys.argv[1:] or ("france-2007", "venezia-online"):
        house = load_house(name)
        count_shoes(house, shoes=1, seed=1, workers=1)
        coups, laws = [], []
        for _run in range(RUNS):
            start = process_time()
            found = count_shoes(house, shoes=SHOES, seed=1, workers=1)
            coups.append((process_time() - start) / found.coups)
            start = process_time()
            for _law in range(50):
                fast_odds(noir, whole.rouge)
            laws.append((process_time() - start) / 50)
        coup, law = 1000 * min(coups), 1000 * min(laws)
        print(f"{name}: a coup {coup:.2f} ms, a law {law:.2f} ms, {coup / law:.1f} laws a coup")


if __name__ == "__main__":
    main()
