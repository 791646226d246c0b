"""The odds of the coup after a tie, dealt from a shoe from which the two rows of the tie are gone.

``tools/make_after_refait.py`` makes the stored laws: over every composition that two such rows can
take out of fresh packs, weighed exactly. By exchangeability they hold for any two coups of one shoe
that are sure to be completed, in either order, whatever was dealt unseen before or between.
"""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import Final

from trente_rules.analysis.fast_odds import FastOdds
from trente_rules.deal.coup import POINTS
from trente_rules.errors import TrenteError

_REFAIT: Final = (31,)
_ORDINARY: Final = POINTS[1:]
_STORED: Final = {
    (6, _REFAIT): "six_packs",
    (6, _ORDINARY): "six_packs_apres",
    (3, POINTS): "three_packs_any_tie",
}


@cache
def after_tie(packs: int, points: tuple[int, ...]) -> FastOdds:
    """Answer the odds of a coup, given that another coup of the shoe ties on one of ``points``.

    ``error`` says what any probability may be off: that of the engine, and, where compositions were
    left out, three times what the estimate that stands for them missed in a sample of them, a
    measured margin and no proof. The colour of a first card is even, whatever
    the points of both coups: swapping the colours of all cards changes no value. Raises
    ``TrenteError`` ("no-law-after-tie") where no law is stored.
    """
    name = _STORED.get((packs, points))
    if name is None:
        raise TrenteError(
            f"what follows a tie on {_told(points)} is not computed for {packs} packs",
            "no-law-after-tie",
            "it is for six packs where 31 alone loses, and for three packs where every tie does",
        )
    text = (files("trente_rules.analysis") / "after_refait" / f"{name}.json").read_text("utf-8")
    stored = json.loads(text)
    size = len(POINTS)
    table = [[0.0] * size for _ in range(size)]
    numbers = iter(stored["points"])
    for i in range(size):
        for j in range(i, size):
            table[i][j] = table[j][i] = next(numbers)
    return FastOdds(
        f"{packs}-packs after a tie on {_told(points)}",
        tuple(map(tuple, table)),
        tuple(tuple(p / 2 for p in line) for line in table),
        0.0,
        stored["error"],
    )


def _told(points: tuple[int, ...]) -> str:
    if points == POINTS:
        return "any point"
    return "31" if points == _REFAIT else ", ".join(map(str, points))
