"""The exact odds by residues next to the series of whole numbers, in one run; prints only.

Runs alternate, so that a busy machine disturbs both alike; times are processor time, the least of
the runs. Memory is how much the largest size of the process grew, numba's own left out.
"""

from __future__ import annotations

import sys
from resource import RUSAGE_SELF, getrusage
from time import process_time
from typing import Any, Final

from trente_rules.odds.exact import odds_of_cards

RUNS: Final = 3
CARDS: Final = {
    "52 cards": ((2,) * 9 + (8,), (2,) * 9 + (8,)),
    "151 cards": ((3, 7, 5, 6, 9, 4, 6, 5, 8, 20), (8, 5, 2, 6, 7, 7, 4, 9, 3, 27)),
    "311 cards": ((12,) * 9 + (48,), (11,) + (12,) * 8 + (48,)),
}


def timed(cards: Any) -> tuple[float, Any, float]:
    """Return the seconds of one count, its odds, and by how many MB the process grew."""
    before = getrusage(RUSAGE_SELF).ru_maxrss
    began = process_time()
    odds = odds_of_cards(*cards)
    took = process_time() - began
    return took, odds, (getrusage(RUSAGE_SELF).ru_maxrss - before) / 1024


def main() -> None:
    """Print the times of both ways, their ratio and the memory."""
    odds_of_cards(*CARDS["52 cards"])
    for name, cards in CARDS.items():
        fast, slow = [], []
        for _run in range(RUNS):
            took, odds, grew = timed(cards)
            fast.append((took, grew))
            kept = sys.modules["numba"]
            sys.modules["numba"] = None  # type: ignore[assignment]
            took, other, grew = timed(cards)
            sys.modules["numba"] = kept
            slow.append((took, grew))
            if odds != other:
                raise ValueError("the two ways differ")
        residues, series = min(fast)[0], min(slow)[0]
        memory = f"{max(m for _t, m in fast):.0f} MB and {max(m for _t, m in slow):.0f} MB more"
        print(f"{name}: {residues * 1000:.0f} ms, series {series:.2f} s:", end=" ")
        print(f"{series / residues:.0f} times; {memory}")


if __name__ == "__main__":
    main()
