"""Make the odds of the coup after a tie, from shoes that a tie has taken two rows out of.

Run ``python tools/make_after_refait.py [--check] [--most N] [--progress FOLDER] [NAME ...]``; it
needs the extra fast. With ``--check`` nothing is written: the stored laws are compared, within
their errors. About 10 minutes a law; ``--most 229130`` leaves none of the compositions of two rows
of 31 from six packs out, and takes half an hour.

Every composition of two such rows is listed with its exact weight, in integers, and the weights
are checked to sum to the probability of the tie that ``fresh_shoes`` stores. The heaviest are
computed by the fast engine on the cards that are left; where some are left out, a sample spread
over them is computed too. A polynomial of the second degree in the ten counts, fitted to what was
computed, stands for the rest; three times what it misses in the sample goes into the error.

Only points are stored. Swapping the colours of all cards leaves values alone, so given the values
of both coups either colour of one card is as likely, and no chance looks at two first cards.
"""

# ruff: noqa: INP001, T201 - a script that says what it does

from __future__ import annotations

import argparse
import json
import sys
import time
from fractions import Fraction
from itertools import combinations_with_replacement
from math import fsum
from pathlib import Path

import numpy as np
from attrs import evolve, frozen

from trente_rules.odds.coup_odds import fresh_shoe
from trente_rules.odds.exact import RemovedRows, removed_rows
from trente_rules.odds.fast import fast_odds_of_many

FOLDER = Path(__file__).parent.parent / "src" / "trente_rules" / "odds" / "after_refait"
SIZE = 10
UPPER = [(i, j) for i in range(SIZE) for j in range(i, SIZE)]
CHUNK = 4096
KEPT = 4
"""After how many chunks what is computed is kept."""
SAMPLE = 4000
"""How many of the compositions left out are computed, to measure what stands for them."""
FITTED = 40_000
MARGIN = 3
ROUNDING = 1e-15


@frozen
class Target:
    """A law to make: the packs, the points of the tie, how many compositions to compute."""

    packs: int
    points: tuple[int, ...]
    most: int


TARGETS = {
    "six_packs": Target(6, (31,), 69_000),
    "six_packs_apres": Target(6, tuple(range(32, 41)), 16_000),
    "three_packs_any_tie": Target(3, tuple(range(31, 41)), 60_000),
}


def cards_of(packs: int) -> list[int]:
    """Return how many cards of each value are in whole packs, aces first, tens and courts last."""
    return [4 * packs] * (SIZE - 1) + [16 * packs]


def chosen(count: int, most: int) -> list[int]:
    """Return which compositions are computed: the heaviest, and a sample spread over the rest."""
    if count <= most:
        return list(range(count))
    step = max((count - most) // SAMPLE, 1)
    return [*range(most), *range(most + step // 2, count, step)]


def computed(
    target: Target, removed: RemovedRows, places: list[int], kept: Path | None, workers: int
) -> tuple[np.ndarray, float]:
    """Run the fast engine on the cards left by each composition; kept on the way, taken up again.

    Answers the upper triangle of the points for each, and the mean of the engine's errors.
    """
    cards = cards_of(target.packs)
    table, errors = np.zeros((len(places), len(UPPER))), np.zeros(len(places))
    done = 0
    if kept is not None and kept.exists():
        with np.load(kept) as stored:
            # What was kept by another list of compositions serves as far as the lists agree.
            most = min(len(stored["places"]), len(places))
            agree = stored["places"][:most] == np.array(places[:most])
            done = most if agree.all() else int(agree.argmin())
            table[:done], errors[:done] = stored["table"][:done], stored["errors"][:done]
    began = time.monotonic()
    for start in range(done, len(places), CHUNK):
        chunk = places[start : start + CHUNK]
        # All of one colour: the points are the same, and the engine leaves the colours out.
        left = [
            ([n - gone for n, gone in zip(cards, removed.removed[place], strict=True)], [0] * SIZE)
            for place in chunk
        ]
        for at, odds in enumerate(fast_odds_of_many(left, workers), start):
            table[at] = [(odds.points[i][j] + odds.points[j][i]) / 2 for i, j in UPPER]
            errors[at] = odds.error
        end = start + len(chunk)
        if kept is not None and (end == len(places) or start // CHUNK % KEPT == 0):
            np.savez(kept, table=table[:end], errors=errors[:end], places=places[:end])
        print(f"{end} of {len(places)}, {time.monotonic() - began:.0f} s", flush=True)
    return table, float(errors.max())


def features(removed: np.ndarray) -> np.ndarray:
    """Return one, the counts, and their products by two."""
    pairs = list(combinations_with_replacement(range(SIZE), 2))
    columns = [
        np.ones(len(removed)),
        *removed.T,
        *(removed[:, i] * removed[:, j] for i, j in pairs),
    ]
    return np.stack(columns, axis=1)


def remainder(
    removed: RemovedRows, shares: np.ndarray, places: list[int], table: np.ndarray, most: int
) -> tuple[np.ndarray, float]:
    """Return what the compositions that are not computed add, and how far that may be off.

    Each of the sample answers for its own stretch of the compositions left out: what the polynomial
    misses there, without its sign, with a margin.
    """
    rest = np.setdiff1d(np.arange(len(shares)), np.array(places))
    counts = np.array(removed.removed, dtype=np.float64)
    of_sample = np.array(places[most:])
    fitted = np.unique(np.linspace(0, most - 1, FITTED).astype(int))
    known = np.concatenate([fitted, np.arange(most, len(places))])
    at = np.array(places)[known]
    # As heavy in the fit as in the law, but none negligible.
    scale = np.sqrt(shares[at] + shares.mean())[:, None]
    solved, *_rest = np.linalg.lstsq(features(counts[at]) * scale, table[known] * scale, rcond=None)
    misses = np.abs(features(counts[of_sample]) @ solved - table[most:])
    starts = most + np.arange(len(of_sample)) * (of_sample[1] - of_sample[0])
    missed = float((np.add.reduceat(shares, starts) @ misses).max())
    added = np.zeros(len(UPPER))
    for part in np.array_split(rest, max(len(rest) // 50_000, 1)):
        added += shares[part] @ (features(counts[part]) @ solved)
    mass = float(shares[rest].sum())
    print(f"left out {mass:.3e}, missed {missed:.3e}, worst miss {misses.max():.3e}", flush=True)
    return added, MARGIN * missed


def law(target: Target, kept: Path | None, workers: int) -> dict[str, object]:
    """Return the stored law of a target."""
    began = time.monotonic()
    removed = removed_rows(cards_of(target.packs), target.points)
    whole = sum(removed.weights)
    tie = Fraction(whole, removed.denominator)
    if tie != sum(fresh_shoe(target.packs).tie(point) for point in target.points):
        raise ValueError("the weights do not sum to the probability of the tie")
    print(f"{len(removed.weights)} compositions, {time.monotonic() - began:.0f} s", flush=True)
    shares = np.array([float(Fraction(weight, whole)) for weight in removed.weights])
    places = chosen(len(shares), target.most)
    table, engine = computed(target, removed, places, kept, workers)
    parts = [table * shares[places][:, None]]
    missed = 0.0
    if len(places) < len(shares):
        added, missed = remainder(removed, shares, places, table, target.most)
        parts.append(added[None, :])
    columns = np.concatenate(parts).T
    return {
        "packs": target.packs,
        "points_of_tie": list(target.points),
        "tie": f"{tie.numerator}/{tie.denominator}",
        "compositions": len(shares),
        "computed": len(places),
        "error": engine + missed + ROUNDING,
        "points": [fsum(column.tolist()) for column in columns],
    }


def check(path: Path, made: dict[str, object]) -> bool:
    """Compare a stored law with what is made, within both errors."""
    stored = json.loads(path.read_text("utf-8"))
    points = [abs(a - b) for a, b in zip(stored.pop("points"), made["points"], strict=True)]  # type: ignore[call-overload]
    within = max(points) <= stored["error"] + float(str(made["error"]))
    same = all(stored[name] == made[name] for name in ("packs", "points_of_tie", "tie"))
    print(f"{path.name} {'is as it is made' if within and same else 'differs'}: {max(points):.1e}")
    return within and same


def main() -> int:
    """Make or check the laws; leaves with 1 where a stored law is not what is made."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(TARGETS))
    parser.add_argument("--check", action="store_true", help="compare, and write nothing")
    parser.add_argument("--progress", type=Path, help="a folder to keep what is computed so far")
    parser.add_argument("--most", type=int, help="how many of the heaviest to compute")
    parser.add_argument("--workers", type=int, default=2)
    arguments = parser.parse_args()
    sound = True
    for name in arguments.names or TARGETS:
        path = FOLDER / f"{name}.json"
        kept = arguments.progress / f"{name}.npz" if arguments.progress else None
        target = TARGETS[name]
        target = evolve(target, most=arguments.most or target.most)
        made = law(target, kept, arguments.workers)
        if arguments.check:
            sound &= check(path, made)
        else:
            path.write_text(json.dumps(made, indent=1) + "\n", encoding="utf-8")
            print(f"{path.name} written", flush=True)
    return 0 if sound else 1


if __name__ == "__main__":
    sys.exit(main())
