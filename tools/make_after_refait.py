"""Make the odds of the coup after a tie, from shoes that a tie has taken two rows out of.

Run ``python tools/make_after_refait.py [--check] [--all] [--draws N] [--packs N] [POINT ...]``; it
needs the extra fast. A law that is stored already is left as it is, so a making that was stopped
is taken up again; ``--again`` makes it anew. With ``--check`` nothing is written: what is made
with another seed is compared with what is stored, within both errors.

Every composition of two rows of a point is listed with its weight, and the weights are checked to
sum to the probability of the tie that ``fresh_shoes`` stores. With ``--all`` the odds of the cards
that are left are computed for every composition: no estimate, the error is rounding. By default
compositions are drawn by weight, and a polynomial of the third degree in the counts is a control
variate: its mean over all compositions is known, so only what it misses is estimated. It is
fitted on one half of the draws and used on the other, both ways, so the estimate has no bias;
the error is five standard errors of the worst of the 55 probabilities, and is an estimate.

Two ties: ``--pairs`` makes the odds of a coup after two ties, on 31, on 32 to 40, or one of each.
Pairs of compositions are drawn independently and weighed with the ratio of their probability in
one shoe to the product of both. The control variate is a polynomial in the one composition and
one in the other; its mean follows from the law of the second coup. The error is five standard
errors again.

Only points are stored. Swapping the colours of all cards leaves values alone, so given the values
of both coups either colour of one card is as likely, and no chance looks at two first cards.
"""

# ruff: noqa: INP001, T201, TID251 - a script that says what it does, and draws with a seed

from __future__ import annotations

import argparse
import json
import sys
import time
from math import factorial, fsum, log, perm, prod
from pathlib import Path

import numpy as np

from trente_rules.core.coup import POINTS
from trente_rules.odds.coup_odds import fresh_shoe
from trente_rules.odds.fast import fast_odds_of_many

FOLDER = Path(__file__).parent.parent / "src" / "trente_rules" / "odds" / "after_refait"
SIZE = 10
UPPER = [(i, j) for i in range(SIZE) for j in range(i, SIZE)]
BITS = 6
"""Of a count in a packed composition: two rows have at most 62 cards."""
CHUNK = 20_000
DRAWS = 6000
MARGIN = 5
"""How many standard errors are the error that is stored."""
ROUNDING = 2e-15


def cards_of(packs: int) -> list[int]:
    """Return how many cards of each value are in whole packs, aces first, tens and courts last."""
    return [4 * packs] * (SIZE - 1) + [16 * packs]


def rows_of(counts: list[int], point: int) -> tuple[np.ndarray, np.ndarray]:
    """Return every set of cards that makes a row of a point, packed, and its orders."""
    hands: list[tuple[tuple[int, ...], int]] = [((), point)]
    for value, count in enumerate(counts, 1):
        hands = [
            ((*hand, n), left - n * value)
            for hand, left in hands
            for n in range(min(count, left // value) + 1)
        ]
    packed, orders = [], []
    for hand, left in hands:
        # Only a card that lifts an open total to the point can be the last one.
        last = sum(hand[point - POINTS[0] :])
        if last and not left:
            packed.append(sum(n << BITS * place for place, n in enumerate(hand)))
            orders.append(float(factorial(sum(hand) - 1) * last // prod(map(factorial, hand))))
    return np.array(packed, dtype=np.int64), np.array(orders)


def compositions(packs: int, point: int) -> tuple[np.ndarray, np.ndarray]:
    """Return what two rows of a point can take out of whole packs, and the probability of each."""
    counts = cards_of(packs)
    cards = sum(counts)
    rows, orders = rows_of(counts, point)
    keys: np.ndarray = np.zeros(0, dtype=np.int64)
    ways: np.ndarray = np.zeros(0)
    for start in range(0, len(rows), 256):
        stop = min(start + 256, len(rows))
        pairs = [(place, rows[place:] + rows[place]) for place in range(start, stop)]
        more = [2 * orders[place:] * orders[place] for place in range(start, stop)]
        for line in more:
            line[0] /= 2
        together = np.concatenate([keys, *(key for _place, key in pairs)])
        keys, inverse = np.unique(together, return_inverse=True)
        ways = np.bincount(inverse, weights=np.concatenate([ways, *more]))
    gone = np.stack([keys >> BITS * place & (1 << BITS) - 1 for place in range(SIZE)], axis=1)
    possible = (gone <= counts).all(axis=1)
    gone, weights = gone[possible], ways[possible]
    for place, n in enumerate(counts):
        weights = weights * np.array([float(perm(n, k)) for k in range(64)])[gone[:, place]]
    weights = weights / np.array([float(perm(cards, k)) for k in range(64)])[gone.sum(axis=1)]
    tie = float(fresh_shoe(packs).tie(point))
    if abs(weights.sum() / tie - 1) > ROUNDING * SIZE:
        raise ValueError("the weights do not sum to the probability of the tie")
    return gone, weights / weights.sum()


def tables(packs: int, gone: np.ndarray, workers: int) -> tuple[np.ndarray, float]:
    """Return the odds of the cards that are left: 55 of each composition, and the worst error."""
    cards = cards_of(packs)
    # All of one colour: the points are the same, and the engine leaves the colours out.
    left = [((cards - one).tolist(), [0] * SIZE) for one in gone]
    odds = fast_odds_of_many(left, workers)
    rows, columns = zip(*UPPER, strict=True)
    points = np.array([one.points for one in odds])
    both = (points + points.transpose(0, 2, 1))[:, rows, columns] / 2
    return both, max(one.error for one in odds)


def features(standard: np.ndarray) -> np.ndarray:
    """Return one, the counts, and their products by two and by three."""
    columns = [np.ones(len(standard))]
    last = [(0, columns[0])]  # the products of one degree, with the last place that is in them
    for _degree in range(3):
        last = [(k, term * standard[:, k]) for at, term in last for k in range(at, SIZE)]
        columns += [term for _at, term in last]
    return np.stack(columns, axis=1)


def estimated(
    packs: int, gone: np.ndarray, shares: np.ndarray, draws: int, seed: int, workers: int
) -> tuple[list[float], float, int]:
    """Return the mean odds after these compositions, its error, and how many were computed."""
    random = np.random.default_rng(seed)
    middle = shares @ gone
    spread = np.maximum(np.sqrt(shares @ (gone - middle) ** 2), 1e-9)
    parts = np.array_split(np.arange(len(gone)), max(len(gone) // CHUNK, 1))
    means = sum(shares[p] @ features((gone[p] - middle) / spread) for p in parts)
    drawn = random.choice(len(gone), size=draws, p=shares)
    places, inverse = np.unique(drawn, return_inverse=True)
    table, engine = tables(packs, gone[places], workers)
    known = features((gone[places] - middle) / spread)
    halves = np.array_split(np.arange(draws), 2)
    missed = np.zeros((draws, len(UPPER)))
    guessed = np.zeros(len(UPPER))
    for fitted, used in (halves, halves[::-1]):
        at = inverse[fitted]
        solved, *_rest = np.linalg.lstsq(known[at], table[at], rcond=None)
        missed[used] = table[inverse[used]] - known[inverse[used]] @ solved
        guessed += means @ solved / 2
    error = float(missed.std(axis=0).max()) / draws**0.5
    return (guessed + missed.mean(axis=0)).tolist(), MARGIN * error + engine, len(places)


def whole(
    packs: int, gone: np.ndarray, shares: np.ndarray, workers: int
) -> tuple[list[float], float, int]:
    """Return the mean odds after all compositions, its error, and how many were computed."""
    began, engine, parts = time.monotonic(), 0.0, []
    for start in range(0, len(gone), CHUNK):
        stop = min(start + CHUNK, len(gone))
        table, error = tables(packs, gone[start:stop], workers)
        parts.append(shares[start:stop, None] * table)
        engine = max(engine, error)
        print(f"{stop} of {len(gone)}, {time.monotonic() - began:.0f} s", flush=True)
    columns = np.concatenate(parts).T
    return [fsum(column.tolist()) for column in columns], engine + ROUNDING, len(gone)


def law(packs: int, point: int, draws: int, seed: int, workers: int) -> dict[str, object]:
    """Return the law after a tie on a point; all compositions are computed if there are few."""
    gone, shares = compositions(packs, point)
    if len(gone) <= draws:
        points, error, computed = whole(packs, gone, shares, workers)
    else:
        points, error, computed = estimated(packs, gone, shares, draws, seed, workers)
    return {
        "tie": point,
        "compositions": len(gone),
        "computed": computed,
        "error": error,
        "points": points,
    }


class Group:
    """The compositions of all ties on some points, with their probabilities given such a tie."""

    def __init__(self, packs: int, points: list[int]) -> None:
        """List the compositions, point by point."""
        ties = np.array([float(fresh_shoe(packs).tie(point)) for point in points])
        lists = [compositions(packs, point) for point in points]
        self.gone = np.concatenate([gone.astype(np.int8) for gone, _shares in lists])
        self.shares = np.concatenate(
            [tie * shares for tie, (_gone, shares) in zip(ties / ties.sum(), lists, strict=True)]
        )
        self.tie = float(ties.sum())
        self.at = [point - POINTS[0] for point in points]
        self.middle = self.shares @ self.gone
        self.spread = np.sqrt(self.shares @ self.gone.astype(float) ** 2 - self.middle**2)

    def features(self, gone: np.ndarray) -> np.ndarray:
        """Return the polynomials of compositions, in standard units of the group."""
        return features((gone - self.middle) / self.spread)

    def drawn(self, random: np.random.Generator, draws: int) -> np.ndarray:
        """Draw compositions by their probabilities."""
        return self.gone[random.choice(len(self.gone), size=draws, p=self.shares)].astype(int)

    def means_before(self, packs: int, other: Group, gone: np.ndarray, workers: int) -> np.ndarray:
        """Return the means of the polynomials, given that a tie of ``other`` comes as well.

        The probability of that tie, given a composition, is itself nearly such a polynomial: it is
        fitted to the compositions that were drawn.
        """
        known = self.features(gone)
        solved, *_rest = np.linalg.lstsq(known, ties_of(packs, gone, workers)[:, other.at].sum(1))
        total = np.zeros(known.shape[1])
        for part in np.array_split(np.arange(len(self.gone)), len(self.gone) // CHUNK + 1):
            values = self.features(self.gone[part])
            total += (self.shares[part] * (values @ solved)) @ values
        means: np.ndarray = total / total[0]
        return means


def ties_of(packs: int, gone: np.ndarray, workers: int) -> np.ndarray:
    """Return the probabilities of the ten ties, from the cards that each composition leaves."""
    table, _error = tables(packs, gone, workers)
    ties: np.ndarray = table[:, [place for place, (i, j) in enumerate(UPPER) if i == j]]
    return ties


def ratios(packs: int, one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Return how much likelier two compositions are in one shoe than in two shoes."""
    counts = cards_of(packs)
    cards = sum(counts)
    logs = [np.array([log(max(perm(n, k), 1)) for k in range(128)]) for n in (*counts, cards)]
    possible = (one + other <= counts).all(axis=1)
    ratio = -logs[-1][one.sum(1) + other.sum(1)] + logs[-1][one.sum(1)] + logs[-1][other.sum(1)]
    for place in range(SIZE):
        a, b = one[:, place], other[:, place]
        ratio += logs[place][a + b] - logs[place][a] - logs[place][b]
    weights: np.ndarray = np.where(possible, np.exp(ratio), 0.0)
    return weights


def pair(
    packs: int, first: Group, second: Group, draws: int, seed: int, workers: int
) -> tuple[list[float], float]:
    """Return the probabilities of the ten ties after one tie of each group, and their error.

    The error is that of a refait and of all ordinary ties together, whichever is larger.
    """
    random = np.random.default_rng(seed)
    one, other = first.drawn(random, draws), second.drawn(random, draws)
    weights = ratios(packs, one, other)
    fit = draws // 2
    means = np.concatenate(
        [
            first.means_before(packs, second, one[:fit], workers),
            second.means_before(packs, first, other[:fit], workers)[1:],
        ]
    )
    known = np.concatenate([first.features(one), second.features(other)[:, 1:]], axis=1)
    left = weights > 0
    found = np.zeros((draws, SIZE))
    found[left] = ties_of(packs, (one + other)[left], workers)
    halves = np.array_split(np.arange(draws), 2)
    missed, guessed = np.zeros((draws, SIZE)), np.zeros(SIZE)
    for fitted, used in (halves, halves[::-1]):
        scale = np.sqrt(weights[fitted])[:, None]
        solved, *_rest = np.linalg.lstsq(known[fitted] * scale, found[fitted] * scale)
        missed[used] = weights[used, None] * (found[used] - known[used] @ solved)
        guessed += means @ solved / 2
    missed /= weights.mean()
    error = max(float(missed[:, 0].std()), float(missed[:, 1:].sum(axis=1).std())) / draws**0.5
    return (guessed + missed.mean(axis=0)).tolist(), MARGIN * error


def make_pairs(packs: int, draws: int, seed: int, workers: int) -> list[dict[str, object]]:
    """Return the laws after two ties."""
    refait, apres = Group(packs, [POINTS[0]]), Group(packs, list(POINTS[1:]))
    laws: list[dict[str, object]] = []
    for refaits, first, second in ((2, refait, refait), (1, refait, apres), (0, apres, apres)):
        ties, error = pair(packs, first, second, draws, seed, workers)
        print(f"{packs} packs, {refaits} refaits of two ties: error {error:.1e}", flush=True)
        laws.append({"refaits": refaits, "computed": draws, "error": error, "ties": ties})
    return laws


def stored(packs: int) -> dict[int, dict[str, object]]:
    """Return the laws that are stored for a number of packs, by the point of the tie."""
    path = FOLDER / f"{packs}.json"
    if not path.exists():
        return {}
    return {one["tie"]: one for one in json.loads(path.read_text("utf-8"))["ties"]}


def write(packs: int, **more: list[dict[str, object]]) -> None:
    """Write laws of a number of packs: ``ties`` or ``pairs``; the others stay as they are."""
    path = FOLDER / f"{packs}.json"
    old = json.loads(path.read_text("utf-8")) if path.exists() else {"packs": packs}
    path.write_text(json.dumps(old | more, indent=1) + "\n", encoding="utf-8")


def apart(one: dict[str, object], other: dict[str, object]) -> float:
    """Return the largest difference of two laws, in units of what their errors allow."""
    allowed = float(str(one["error"])) + float(str(other["error"]))
    both = zip(one["points"], other["points"], strict=True)  # type: ignore[call-overload]
    return float(max(abs(a - b) for a, b in both) / allowed)


def main() -> int:
    """Make or check the laws; leaves with 1 where a stored law is not what is made."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("points", nargs="*", type=int, metavar="POINT", help="31 to 40; all")
    parser.add_argument("--packs", type=int, action="append", help="1 to 8; all")
    parser.add_argument("--check", action="store_true", help="compare, and write nothing")
    parser.add_argument("--again", action="store_true", help="make what is stored anew")
    parser.add_argument("--all", action="store_true", help="compute every composition")
    parser.add_argument("--pairs", action="store_true", help="make the laws after two ties")
    parser.add_argument("--draws", type=int, default=DRAWS, help="compositions drawn by weight")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=1)
    arguments = parser.parse_args()
    draws = sys.maxsize if arguments.all else arguments.draws
    sound = True
    for packs in arguments.packs or range(8, 0, -1):
        if arguments.pairs:
            made_pairs = make_pairs(packs, arguments.draws, arguments.seed, arguments.workers)
            write(packs, pairs=made_pairs)
            continue
        for point in arguments.points or POINTS:
            laws = stored(packs)
            if point in laws and not (arguments.check or arguments.again):
                continue
            began = time.monotonic()
            made = law(packs, point, draws, arguments.seed, arguments.workers)
            took = f"{time.monotonic() - began:.0f} s"
            print(f"{packs} packs, {point}: {made['computed']} of {made['compositions']},", end=" ")
            print(f"error {made['error']:.1e}, {took}", end="", flush=True)
            if point in laws:
                off = apart(laws[point], made)
                sound &= off <= 1
                print(f", {off:.2f} of what is allowed from what is stored", end="")
            print(flush=True)
            if not arguments.check:
                laws = stored(packs) | {point: made}
                write(packs, ties=[laws[point] for point in sorted(laws)])
    return 0 if sound else 1


if __name__ == "__main__":
    sys.exit(main())
