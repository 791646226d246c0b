"""Make the exact odds of a coup dealt from fresh full shoes of 1 to 8 packs.

Run ``python tools/make_fresh_shoes.py [--check] [PACKS ...]``; it needs numpy, and one to two
minutes for each number of packs (12 minutes for all). With ``--check`` nothing is written: the
stored files are compared. ``trente_rules.odds.exact`` counts the same odds in another
way; the nightly tests compare all eight tables.

Method. A row is some cards with a total of at most 30 and a last card that takes it above. Cards
are exchangeable, so the last cards x and y of both rows may be drawn first; what is left to count
are ordered pairs of hands, m1 cards of total S1 and m2 cards of total S2, from the other cards:
the coefficients of ``prod over values v of (1 + u s^v + z t^v) ** n[v]``, each hand in any order.
The polynomial is made once for the whole shoe; taking a card out divides it by a factor. All is
integer arithmetic modulo primes, put together by the Chinese remainder theorem: exact.

The colour of the first cards matters only where both have the same value: a pair of cards of one
value in a fresh shoe of n such cards is of one colour with probability (n/2 - 1)/(n - 1), any other
pair with probability 1/2. So the same is counted with both first cards of value v, for each v.
"""

# ruff: noqa: INP001, T201 - a script that says what it does

from __future__ import annotations

import argparse
import json
import sys
from fractions import Fraction
from math import factorial, gcd, lcm, prod
from pathlib import Path

import numpy as np

FOLDER = Path(__file__).parent.parent / "src" / "trente_rules" / "odds" / "fresh_shoes"
VALUES = range(1, 11)
LAST_OPEN = 30
MOST_CARDS = 2 * (LAST_OPEN + 1)
PRIMES_NEEDED = 19
"""Their product is above every count of any shoe; ``odds`` checks that."""
LAZY = 18
"""How many cards may grow a table before it is reduced: 3**18 * 2**31 is below 2**63."""
TEN = 10


def primes(count: int) -> list[int]:
    """Return the largest primes below 2**31, by trial division."""
    small = [n for n in range(2, 46350) if all(n % d for d in range(2, int(n**0.5) + 1))]
    found: list[int] = []
    candidate = 2**31 - 1
    while len(found) < count:
        if all(candidate % divisor for divisor in small):
            found.append(candidate)
        candidate -= 2
    return found


MODULI = primes(PRIMES_NEEDED)
PRIMES = np.array(MODULI, dtype=np.int64)


def polynomial(counts: dict[int, int], limit: int) -> np.ndarray:
    """Return the coefficients, indexed [m1, m2, S1, S2, prime], up to a total of ``limit``."""
    size = limit + 1
    table = np.zeros((size, size, size, size, len(MODULI)), dtype=np.int64)
    table[0, 0, 0, 0] = 1
    lazy = 0
    for value in sorted(VALUES, reverse=True):
        for _card in range(counts[value]):
            grown = table.copy()
            if value <= limit:
                grown[1:, :, value:] += table[:-1, :, :-value]
                grown[:, 1:, :, value:] += table[:, :-1, :, :-value]
            table = grown
            lazy += 1
            if lazy == LAZY:
                table %= PRIMES
                lazy = 0
    return table % PRIMES


def without(table: np.ndarray, value: int) -> np.ndarray:
    """Return the polynomial with one card of a value taken out: divided by its factor."""
    left = np.zeros_like(table)
    size = table.shape[0]
    for m1 in range(size):
        for m2 in range(size):
            block = table[m1, m2, m1:, m2:].copy()
            if m1 and value < size:
                # Row totals below m1 hold nothing: views start at the first total that can be.
                source = left[m1 - 1, m2, : size - value, m2:]
                block[max(0, value - m1) :] -= source[max(0, m1 - value) :]
            if m2 and value < size:
                source = left[m1, m2 - 1, m1:, : size - value]
                block[:, max(0, value - m2) :] -= source[:, max(0, m2 - value) :]
            block %= PRIMES
            left[m1, m2, m1:, m2:] = block
    return left


def weighed(table: np.ndarray, cards: int, drawn: int) -> np.ndarray:
    """Sum over both numbers of cards, each hand in any order; scaled by (N - MOST_CARDS - 2)!."""
    size = table.shape[0]
    total = np.zeros(table.shape[2:], dtype=np.int64)
    least = max(cards - MOST_CARDS - 4, 0)
    for m1 in range(size):
        for m2 in range(size):
            left = cards - m1 - m2 - drawn
            if left < 0:
                continue
            if left < least:
                raise ValueError("a coup with more cards than was thought")
            weight = factorial(m1) * factorial(m2) * (factorial(left) // factorial(least))
            modular = np.array([weight % prime for prime in MODULI], dtype=np.int64)
            total += table[m1, m2] * modular % PRIMES
    return total % PRIMES


def whole(residues: np.ndarray) -> list[int]:
    """Put residues together to integers, by the Chinese remainder theorem."""
    product = prod(MODULI)
    parts = [(product // prime) * pow(product // prime, -1, prime) for prime in MODULI]
    flat = residues.reshape(-1, len(MODULI)).tolist()
    return [sum(r * part for r, part in zip(row, parts, strict=True)) % product for row in flat]


def joint(
    table: np.ndarray, counts: dict[int, int], cards: int, drawn: int, start: int
) -> list[list[int]]:
    """Return the weight of each pair of points for rows that begin at the total ``start``.

    ``counts`` are what is left for the rows, ``table`` is their polynomial; ``drawn`` cards are
    drawn already, of ``cards``. The weight is scaled by ``N! / (N - MOST_CARDS - 4)!``.
    """
    size = table.shape[0]
    result = [[0] * 10 for _ in range(10)]
    for x in VALUES:
        if not counts[x]:
            continue
        one_less = without(table, x)
        for y in range(x, 11):
            ways = counts[x] * (counts[y] - (x == y))
            if not ways:
                continue
            hands = whole(weighed(without(one_less, y), cards, drawn + 2))
            for s1 in range(size):
                for s2 in range(size):
                    weight = ways * hands[s1 * size + s2]
                    ends = [(s1 + start + x, s2 + start + y)]
                    if x != y:
                        ends.append((s1 + start + y, s2 + start + x))
                    for first, second in ends:
                        if first > LAST_OPEN and second > LAST_OPEN:
                            result[first - 31][second - 31] += weight
    return result


def odds(packs: int) -> tuple[list[list[Fraction]], list[list[Fraction]]]:
    """Return P(points) and P(points and first cards of one colour)."""
    cards = 52 * packs
    counts = {value: packs * (4 if value < TEN else 16) for value in VALUES}
    scale = factorial(cards) // factorial(max(cards - MOST_CARDS - 4, 0))
    if scale >= prod(MODULI):
        raise ValueError(f"counts of {packs} packs may be above the product of the primes")
    table = polynomial(counts, LAST_OPEN)
    points = [[Fraction(w, scale) for w in row] for row in joint(table, counts, cards, 0, 0)]
    if sum(map(sum, points)) != 1:
        raise ValueError(f"the odds of {packs} packs do not sum to one")
    same = [[p / 2 for p in row] for row in points]
    for value in VALUES:
        n = counts[value]
        size = LAST_OPEN + 1 - value
        rest = dict(counts)
        rest[value] -= 2
        left = without(without(table, value), value)[:size, :size, :size, :size]
        ordered = n * (n - 1)
        for i, row in enumerate(joint(left, rest, cards, 2, value)):
            for j, weight in enumerate(row):
                both = Fraction(ordered * weight, scale)
                same[i][j] -= both / (2 * (n - 1))
    return points, same


def document(packs: int) -> str:
    """Return the stored file of a number of packs."""
    points, same = odds(packs)
    denominator = 1
    for table in (points, same):
        for row in table:
            for value in row:
                denominator = lcm(denominator, (value / 2).denominator)
    upper = [(i, j) for i in range(10) for j in range(i, 10)]
    for i, j in upper:
        if points[i][j] != points[j][i] or same[i][j] != same[j][i]:
            raise ValueError("the rows are not exchangeable")
    numbers = {
        name: [int(table[i][j] * denominator) for i, j in upper]
        for name, table in (("points", points), ("same_colour", same))
    }
    common = gcd(denominator // 2, *(n // 2 for ns in numbers.values() for n in ns))
    if any(n % 2 for ns in numbers.values() for n in ns):
        common = 1
    stored = {
        "packs": packs,
        "denominator": str(denominator // common),
        **{name: [str(n // common) for n in ns] for name, ns in numbers.items()},
    }
    return json.dumps(stored, indent=1) + "\n"


def main() -> int:
    """Make or check the files; leaves with 1 where a stored file is not what is made."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("packs", nargs="*", type=int, default=[])
    parser.add_argument("--check", action="store_true", help="compare, and write nothing")
    arguments = parser.parse_args()
    wrong = 0
    for packs in arguments.packs or range(1, 9):
        text, path = document(packs), FOLDER / f"{packs}.json"
        if not arguments.check:
            path.write_text(text, encoding="utf-8")
            print(f"{path.name} written")
        elif path.read_text(encoding="utf-8") == text:
            print(f"{path.name} is as it is made")
        else:
            print(f"{path.name} differs")
            wrong = 1
    return wrong


if __name__ == "__main__":
    sys.exit(main())
