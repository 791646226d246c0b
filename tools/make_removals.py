"""Make the laws of a coup from full shoes with one card out, of 1 to 8 packs.

Run ``python tools/make_removals.py [--check] [PACKS ...]``; it needs the extra ``fast``, and takes
some seconds. With ``--check`` nothing is written: the stored files are compared. The exact engine
gives the same laws in another way: see ``tests/odds/test_removal.py``.

For each value a file has the law with one black card out, less that of the full shoe, in units of
1e-15: ``points`` as the upper triangle of ten by ten, line by line, and ``first_red``, all hundred.
"""

# ruff: noqa: INP001, T201 - a script that says what it does

from __future__ import annotations

import argparse
import json
import sys
from itertools import combinations_with_replacement
from pathlib import Path

from trente_rules.odds import Composition, fast_odds, fresh_shoe
from trente_rules.odds.removal import without

FOLDER = Path(__file__).parent.parent / "src" / "trente_rules" / "odds" / "removals"
UNITS = 10**15
SIZE = 10
NEAR = 20
"""Units by which another processor may differ."""


def made(packs: int) -> dict[str, list[dict[str, list[int]]]]:
    """Return the file of a number of packs."""
    whole = Composition.fresh(packs)
    fresh = [[float(part) for part in line] for line in fresh_shoe(packs).joint()]
    removed = []
    for value in range(SIZE):
        odds = fast_odds(*without(whole, 0, value))
        points = [
            round((odds.points[i][j] + odds.points[j][i] - 2 * fresh[i][j]) / 2 * UNITS)
            for i, j in combinations_with_replacement(range(SIZE), 2)
        ]
        red = [
            round((odds.first_red[i][j] - fresh[i][j] / 2) * UNITS)
            for i in range(SIZE)
            for j in range(SIZE)
        ]
        removed.append({"points": points, "first_red": red})
    return {"removed": removed}


def differs(one: dict[str, list[dict[str, list[int]]]], path: Path) -> bool:
    """Return whether a stored file is another one, beyond the rounding of processors."""
    stored = json.loads(path.read_text("utf-8"))
    pairs = [
        (a, b)
        for mine, other in zip(one["removed"], stored["removed"], strict=True)
        for name in mine
        for a, b in zip(mine[name], other[name], strict=True)
    ]
    return any(abs(a - b) > NEAR for a, b in pairs)


def main() -> int:
    """Write or compare the files."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("packs", nargs="*", type=int)
    asked = parser.parse_args()
    FOLDER.mkdir(exist_ok=True)
    wrong = 0
    for packs in asked.packs or range(1, 9):
        path, one = FOLDER / f"{packs}.json", made(packs)
        if asked.check:
            wrong += differs(one, path)
        else:
            path.write_text(json.dumps(one, separators=(",", ":")) + "\n", "utf-8")
        print(path.name)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
