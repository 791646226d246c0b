"""Estimate where coups end in a shoe: ``python tools/make_tailles.py PACKS...`` (needs numba).

Whole shoes in random order are dealt to the last card. The counts, written to
``reports/shoes/N.json``, serve every burn and marker: the cards that are burned leave
the others in as random an order as before, so place n is the n-th card behind them. The seed makes
the same file again, number by number; all eight take some ten minutes.
"""

# ruff: noqa: INP001, T201 - a script that says what it does

from __future__ import annotations

import json
import sys
from math import sqrt
from pathlib import Path
from typing import Any, Final

import numba
import numpy as np

TAILLES: Final = 40_000_000
SEED: Final = 20_240_607
LAST_OPEN: Final = 30
FOLDER: Final = Path(__file__).parents[1] / "src" / "trente_rules" / "reports" / "shoes"


@numba.njit(inline="always")
def _turned(x: Any, by: int) -> Any:
    return (x << np.uint64(by)) | (x >> np.uint64(64 - by))


@numba.njit
def _state(seed: int) -> Any:
    """Fill the state of xoshiro256** by splitmix64."""
    state = np.zeros(4, np.uint64)
    x = np.uint64(seed)
    for i in range(4):
        x += np.uint64(0x9E3779B97F4A7C15)
        z = x
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        state[i] = z ^ (z >> np.uint64(31))
    return state


@numba.njit
def _next(state: Any) -> Any:
    answer = _turned(state[1] * np.uint64(5), 7) * np.uint64(9)
    shifted = state[1] << np.uint64(17)
    state[2] ^= state[0]
    state[3] ^= state[1]
    state[1] ^= state[2]
    state[0] ^= state[3]
    state[2] ^= shifted
    state[3] = _turned(state[3], 45)
    return answer


@numba.njit
def _below(state: Any, many: int) -> int:
    """Draw from 0 to many - 1: high bits times many, rejected where they would be uneven."""
    limit = np.uint64((2**32 - many) % many)
    while True:
        product = (_next(state) >> np.uint64(32)) * np.uint64(many)
        if (product & np.uint64(0xFFFFFFFF)) >= limit:
            return int(product >> np.uint64(32))


@numba.njit
def deal(packs: int, tailles: int, seed: int) -> Any:
    """Deal shoes; count whole coups by the place of their last card, and of the card before them.

    Answers both counts, both by point for ties, and the squares of the coups ended by each place.
    """
    cards = 52 * packs
    deck = np.empty(cards, np.int64)
    for i in range(cards):
        deck[i] = min(i % 13 + 1, 10)
    state = _state(seed)
    coups = np.zeros((2, cards + 1), np.int64)
    ties = np.zeros((2, 10, cards + 1), np.int64)
    squares = np.zeros(cards + 1, np.int64)
    for _ in range(tailles):
        total = first = ended = begun = 0
        second = False
        for i in range(cards):
            j = i + _below(state, cards - i)
            value = deck[j]
            deck[j] = deck[i]
            deck[i] = value
            total += value
            if total > LAST_OPEN:
                if second:
                    ended += 1
                    coups[0, i + 1] += 1
                    coups[1, begun] += 1
                    if total == first:
                        ties[0, total - 31, i + 1] += 1
                        ties[1, total - 31, begun] += 1
                    begun = i + 1
                first, total, second = total, 0, not second
            squares[i + 1] += ended * ended
    return coups, ties, squares


def main() -> None:
    """Make the files of the packs named."""
    FOLDER.mkdir(exist_ok=True)
    for packs in map(int, sys.argv[1:]):
        coups, ties, squares = deal(packs, TAILLES, SEED + packs)
        means = np.cumsum(coups[0]) / TAILLES
        deviation = sqrt(float(np.max(squares / TAILLES - means**2)))
        text = {
            "packs": packs,
            "tailles": TAILLES,
            "seed": SEED + packs,
            "sd": round(deviation, 4),
            "coups": {"by_end": coups[0].tolist(), "by_start": coups[1].tolist()},
            "ties": {"by_end": ties[0].tolist(), "by_start": ties[1].tolist()},
        }
        written = json.dumps(text, separators=(",", ":")).replace("],", "],\n") + "\n"
        (FOLDER / f"{packs}.json").write_text(written, "utf-8")
        refaits = int(ties[0, 0].sum())
        print(packs, means[-1], refaits / TAILLES, refaits / int(coups[0].sum()), deviation)


if __name__ == "__main__":
    main()
