"""The random streams of a simulation: each chunk has its own, worked out from the seed alone.

Chunk k of seed s starts from ``numpy.random.SeedSequence(s, spawn_key=(k,))``: its first four
64-bit words are the state of the xoshiro256++ that shuffles the shoes, the next four that of the
one that places the marker. So all houses with equal packs play the same shoes, and any chunk can
be played again alone, on any machine.
"""

from __future__ import annotations

from typing import Any, Final

WORDS: Final = 4
"""The 64-bit words of the state of a xoshiro256++."""


def streams(seed: int, chunk: int) -> tuple[Any, Any]:
    """Answer the states (numpy arrays) of the two streams of a chunk: shoes, and markers."""
    from numpy import uint64  # noqa: PLC0415 - of the extra
    from numpy.random import SeedSequence  # noqa: PLC0415

    words = SeedSequence(seed, spawn_key=(chunk,)).generate_state(2 * WORDS, uint64)
    return words[:WORDS], words[WORDS:]


def new_seed() -> int:
    """Answer a seed from the operating system, for who names none."""
    from numpy.random import SeedSequence  # noqa: PLC0415 - of the extra

    entropy = SeedSequence().entropy
    assert isinstance(entropy, int)  # noqa: S101 - numpy draws one number
    return entropy
