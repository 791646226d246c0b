"""Make golden odds of cards that are left, by the exact engine, for the tests of all engines.

Run ``python tools/make_golden_odds.py [--check] [NAMES ...]``: fresh, one_card_less, half_dealt. It
takes some two minutes. With ``--check`` nothing is written: the stored files are compared.

For each composition a file has the counts of black and red cards, aces first, and whole numbers
over one denominator: ``unfinished``, the ``row`` of points 31 to 40, the ``ties`` on each, and win,
lose, apres and refait of rouge and of couleur (by the coup's first card, noir first, refait on 31).
``digest`` is the SHA-256 of the denominator and all 400 weights in decimal, spaces between them.
"""

# ruff: noqa: INP001, T201 - a script that says what it does

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from fractions import Fraction
from hashlib import sha256
from pathlib import Path
from typing import Any

from trente_rules.core.chances import DealRule
from trente_rules.core.coup import POINTS
from trente_rules.odds.coup_odds import CoupOdds
from trente_rules.odds.exact import odds_of_cards

FOLDER = Path(__file__).parent.parent / "tests" / "analysis" / "golden"
PACK = (2,) * 9 + (8,)
NAMES = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "X")
Counts = tuple[int, ...]
Cards = dict[str, tuple[Counts, Counts]]

HALF_DEALT: Cards = {
    # 156 cards of six packs, and a few: fixed once, uneven in values and colours.
    "many tens gone": ((6, 7, 8, 5, 9, 6, 7, 8, 6, 14), (9, 6, 7, 8, 7, 5, 6, 8, 7, 17)),
    "many tens left": ((4, 5, 3, 6, 4, 5, 2, 5, 4, 42), (3, 4, 6, 2, 5, 4, 5, 3, 5, 39)),
    "black small, red large": (
        (11, 10, 12, 9, 8, 5, 4, 2, 3, 18),
        (2, 3, 1, 4, 5, 8, 9, 11, 10, 21),
    ),
    "red gone": ((12, 11, 12, 10, 12, 9, 11, 12, 10, 37), (1, 0, 2, 1, 0, 3, 1, 2, 0, 10)),
    "values missing": ((0, 12, 0, 12, 0, 12, 0, 12, 0, 36), (3, 0, 12, 0, 11, 0, 12, 0, 10, 24)),
    "end of the shoe": ((2, 0, 3, 1, 2, 1, 0, 4, 2, 7), (1, 3, 0, 2, 1, 2, 3, 0, 1, 9)),
}


def fresh() -> Cards:
    """Return whole packs."""
    return {
        f"{packs} packs": (tuple(packs * n for n in PACK), tuple(packs * n for n in PACK))
        for packs in (1, 2, 4, 8)
    }


def one_card_less() -> Cards:
    """Return one pack without any one card, by value and colour."""
    found: Cards = {}
    for place, name in enumerate(NAMES):
        less = tuple(n - (place == k) for k, n in enumerate(PACK))
        found[f"black {name}"] = less, PACK
        found[f"red {name}"] = PACK, less
    return found


KINDS: dict[str, Callable[[], Cards]] = {
    "fresh": fresh,
    "one_card_less": one_card_less,
    "half_dealt": lambda: HALF_DEALT,
}


def told(noir: Counts, rouge: Counts) -> dict[str, Any]:
    """Compute one entry."""
    odds = odds_of_cards(noir, rouge)
    weights = (odds.denominator, *odds.weights)
    chances = {chance.id: chance.table for chance in DealRule().build()}
    return {
        "black": noir,
        "red": rouge,
        "denominator": str(odds.denominator),
        "unfinished": str(odds.unfinished_weight),
        "row": _whole(odds, odds.row()),
        "ties": _whole(odds, tuple(odds.tie(point) for point in POINTS)),
        **{name: _whole(odds, odds.verdicts(chances[name])) for name in ("rouge", "couleur")},
        "digest": sha256(" ".join(map(str, weights)).encode()).hexdigest(),
    }


def _whole(odds: CoupOdds, shares: tuple[Fraction, ...]) -> list[str]:
    return [str((share * odds.denominator).numerator) for share in shares]


def main() -> int:
    """Write or compare the files."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true")
    parser.add_argument("names", nargs="*", choices=[*KINDS, []], metavar="NAMES")
    options = parser.parse_args()
    wrong = 0
    for name in options.names or KINDS:
        entries = {cards: told(*counts) for cards, counts in KINDS[name]().items()}
        text = json.dumps(entries, indent=1) + "\n"
        file = FOLDER / f"{name}.json"
        if options.check:
            same = file.read_text("utf-8") == text
            wrong += not same
            print(f"{file.name}: {'as it is made' if same else 'differs'}")
        else:
            FOLDER.mkdir(exist_ok=True)
            file.write_text(text, "utf-8")
            print(f"{file.name}: {len(entries)} compositions, {len(text)} bytes")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
