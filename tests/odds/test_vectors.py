"""Vectors of the processor in compiled code, compared with numpy."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

np = pytest.importorskip("numpy")
numba = pytest.importorskip("numba")
vectors = pytest.importorskip("trente_rules.odds.vectors")

LANES = 4


@pytest.mark.slow
def test_each_function_does_what_numpy_does() -> None:
    """Products, sums, signs, rounding: lane by lane, to the last bit where it is promised (P8)."""
    load, store, spread = vectors.load, vectors.store, vectors.spread

    @numba.njit  # type: ignore[untyped-decorator]
    def work(one: Any, other: Any, out: Any) -> None:
        a, b = load(one, 0, LANES), load(other, 1, LANES)
        store(out, 0, vectors.add(a, b))
        store(out, LANES, vectors.subtract(a, b))
        store(out, 2 * LANES, vectors.multiply(a, b))
        store(out, 3 * LANES, vectors.negative(a))
        store(out, 4 * LANES, vectors.plus_product(spread(2.0, LANES), a, b))
        store(out, 5 * LANES, vectors.less_product(spread(2.0, LANES), a, b))
        store(out, 6 * LANES, vectors.fused(a, b, vectors.negative(vectors.multiply(a, b))))
        store(out, 7 * LANES, vectors.rounded(a))

    one, other = np.array([0.1, -2.5, 3.5, 1e17]), np.array([9.0, 0.1, 0.3, 0.7, 1 / 3])
    out = np.zeros(8 * LANES)
    work(one, other, out)
    a, b = one, other[1:]
    lines = out.reshape(8, LANES)
    for line, known in zip(lines, (a + b, a - b, a * b, -a), strict=False):
        assert (line == known).all()
    assert np.allclose(lines[4], 2 + a * b, rtol=1e-15)
    assert np.allclose(lines[5], 2 - a * b, rtol=1e-15)
    # What one rounding leaves of a product less itself rounded is its error, exactly.
    assert lines[6].tolist() == [
        float(fraction - Fraction(product))
        for fraction, product in zip(_exact(a, b), (a * b).tolist(), strict=True)
    ]
    assert (lines[7] == np.rint(a)).all()


@pytest.mark.slow
def test_whole_numbers_have_vectors_too() -> None:
    """A vector has the element type of the array that it is read from (P3)."""
    load, store, spread = vectors.load, vectors.store, vectors.spread

    @numba.njit  # type: ignore[untyped-decorator]
    def work(one: Any, more: Any, out: Any) -> None:
        line = load(one, 2, 8)
        store(out, 0, vectors.multiply(vectors.add(line, spread(more[0], 8)), line))

    one, out = np.arange(10, dtype=np.int16), np.zeros(8, dtype=np.int16)
    work(one, np.array([3], dtype=np.int16), out)
    assert (out == (one[2:] + 3) * one[2:]).all()


def _exact(one: Any, other: Any) -> list[Any]:
    return [Fraction(a) * Fraction(b) for a, b in zip(one.tolist(), other.tolist(), strict=True)]
