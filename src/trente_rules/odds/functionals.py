"""The edges of all wagers of a house from the law of a coup, in floating point, many at once.

The law of a coup is a vector: the probability of both points, and of both points with a red first
card, 100 numbers each. The probability of a verdict is a linear functional of it, one row of
weights that is made once for a house. So is the edge of a stake that is settled at once; where a
stake may wait in a prison, a small linear system in the same numbers follows. Edges equal those of
``advantage`` to 1e-12.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any, Final

from attrs import field, frozen

from trente_rules.core.chances import Chance, Verdict
from trente_rules.core.coup import OUTCOMES, POINTS
from trente_rules.core.errors import TrenteError
from trente_rules.core.house.house import House
from trente_rules.core.wager import Steps, WagerPath
from trente_rules.odds.coup_odds import CoupOdds, fresh_shoe
from trente_rules.odds.fast import FastOdds

Array = Any
_SIZE: Final = len(POINTS)
FEATURES: Final = 2 * _SIZE**2
"""The numbers of a law: both points, then both points with a red first card in the first row."""
TOTALS: Final = range(2 * POINTS[0], 2 * POINTS[-1] + 1)
"""The points that both rows of a coup can have together."""

_SINGULAR: Final = 1e-12


def vector_of(odds: CoupOdds | FastOdds) -> Array:
    """Return the law of a coup that is completed, as a vector of 200 numbers."""
    import numpy as np  # noqa: PLC0415 - of the extra

    if isinstance(odds, FastOdds):
        points, red = np.array(odds.points), np.array(odds.first_red)
    else:
        weights = np.array([weight / odds.denominator for weight in odds.weights])
        four = weights.reshape(_SIZE, _SIZE, 4)
        points, red = four.sum(axis=2), four[:, :, 2] + four[:, :, 3]
    law = np.concatenate([points.ravel(), red.ravel()])
    return law / points.sum()


def totals() -> Array:
    """Return the points of both rows together, by the place in the vector of a law."""
    import numpy as np  # noqa: PLC0415 - of the extra

    one = np.add.outer(np.array(POINTS), np.array(POINTS)).ravel()
    return np.concatenate([one, one])


def verdict_weights(chance: Chance) -> Array:
    """Return the weights of each verdict of a chance: a line each, to multiply a law with.

    Raises ``TrenteError`` ("needs-exact") for a chance that looks at both first colours at once.
    """
    import numpy as np  # noqa: PLC0415 - of the extra

    weights = np.zeros((len(chance.verdicts), 2, _SIZE, _SIZE))
    for place in range(OUTCOMES // 4):
        i, j = divmod(place, _SIZE)
        noirs, second, first, rouges = chance.table[4 * place : 4 * place + 4]
        weights[noirs, 0, i, j] += 1
        if (noirs, second) == (first, rouges):  # the second card decides, if any colour does
            weights[noirs, 1, j, i] -= 1
            weights[second, 1, j, i] += 1
        elif (noirs, first) == (second, rouges):
            weights[noirs, 1, i, j] -= 1
            weights[first, 1, i, j] += 1
        else:
            raise TrenteError(
                f"{chance.id} looks at both first colours of {POINTS[i]} and {POINTS[j]}",
                "needs-exact",
                'ask for engine="exact"',
            )
    return weights.reshape(len(chance.verdicts), FEATURES)


@frozen(eq=False)
class EdgeFunctional:
    """The edge of one wager under one policy, as arrays by state and verdict.

    ``rows`` are the lines of the verdicts in ``HouseFunctionals.weights``. A unit in a state comes
    back as ``back``, and its part ``keeps`` stays in the state ``target``. ``ends`` is the worth of
    each state where no coup of this shoe follows: that of a fresh shoe, or what the close returns.
    """

    path: WagerPath
    rows: slice
    back: Array = field(repr=False)
    keeps: Array = field(repr=False)
    ends: Array = field(repr=False)

    def worths(self, laws: Array) -> Array:
        """Return the worth of a unit in each state, [law, state], if later coups are alike."""
        import numpy as np  # noqa: PLC0415 - of the extra

        given = laws[:, self.rows]
        constants = given @ self.back.T
        if not self.keeps.any():
            return constants
        parts = np.einsum("lv,svt->lst", given, self.keeps)
        whole = np.eye(len(self.back)) - parts
        stuck = np.linalg.det(whole) < _SINGULAR
        if stuck.any():  # no coup of these cards decides: a stake waits for others
            whole[stuck], constants[stuck, 1:] = np.eye(len(self.back)), self.ends[1:]
        return np.linalg.solve(whole, constants[:, :, None])[:, :, 0]

    def edges(self, laws: Array, fitting: Array | None = None) -> Array:
        """Return the edge for each law of verdicts, in stakes.

        ``fitting`` is the part of each verdict after which a next coup of this shoe fits; after the
        others a stake that stays is worth ``ends``. Without it a next coup always fits.
        """
        worths = self.worths(laws)
        if fitting is None or len(self.back) == 1:
            return 1 - worths[:, 0]
        given, fits = laws[:, self.rows], fitting[:, self.rows]
        here, there = fits @ self.keeps[0], (given - fits) @ self.keeps[0]
        return 1 - (given @ self.back[0] + (here * worths).sum(axis=1) + there @ self.ends)


@frozen(slots=False, eq=False)
class HouseFunctionals:
    """All wagers of a house, each chance insured and not under each policy, in their order.

    ``weights`` has a line for each verdict of each chance; the wagers are those of ``advantage``.
    """

    house: House
    weights: Array = field(repr=False)
    wagers: tuple[EdgeFunctional, ...]

    @classmethod
    def of(cls, house: House) -> HouseFunctionals:
        """Return the functionals of a house; ``TrenteError`` ("needs-exact", "needs-fast")."""
        import numpy as np  # noqa: PLC0415 - of the extra

        lines, wagers, first = [], [], 0
        fresh = vector_of(fresh_shoe(house.shoe.packs))
        for chance in house.chances:
            weights = verdict_weights(chance)
            rows = slice(first, first + len(weights))
            wagers += [
                _functional(path, rows, weights @ fresh, closes=_closes(house))
                for wager in house.wagers_on(chance.id)
                for path in wager.paths(verdicts=(*chance.verdicts, Verdict.CLOSE))
            ]
            lines.append(weights)
            first = rows.stop
        return cls(house, np.concatenate(lines), tuple(wagers))

    @cached_property
    def groups(self) -> dict[tuple[str, bool], tuple[int, ...]]:
        """The places of the wagers of each chance, uninsured and insured."""
        found: dict[tuple[str, bool], list[int]] = {}
        for place, each in enumerate(self.wagers):
            found.setdefault((each.path.chance.id, each.path.insured), []).append(place)
        return {key: tuple(places) for key, places in found.items()}

    def edges(self, vectors: Array, fits: Array | None = None) -> Array:
        """Return the edges, [law, wager], for laws of a coup, [law, 200].

        ``fits``, [law, total of both rows from 62], is the probability that after a coup of so many
        points a next one fits in this shoe.
        """
        import numpy as np  # noqa: PLC0415 - of the extra

        laws = vectors @ self.weights.T
        fitting = None
        if fits is not None:
            fitting = (vectors * fits[:, totals() - TOTALS[0]]) @ self.weights.T
        return np.stack([each.edges(laws, fitting) for each in self.wagers], axis=1)

    def best(self, edges: Array) -> dict[tuple[str, bool], Array]:
        """Return the least edge of each chance, uninsured and insured: the best of all policies."""
        return {key: edges[:, list(places)].min(axis=1) for key, places in self.groups.items()}


def _closes(house: House) -> bool:
    return house.shoe.prisoners_at_end == "close"


def _functional(path: WagerPath, rows: slice, fresh: Array, *, closes: bool) -> EdgeFunctional:
    """Lay the steps of a path out in arrays."""
    import numpy as np  # noqa: PLC0415 - of the extra

    states = {state: place for place, state in enumerate(path.steps)}
    verdicts = path.chance.verdicts
    back = np.zeros((len(states), len(verdicts)))
    keeps = np.zeros((len(states), len(verdicts), len(states)))
    for state, place in states.items():
        for column, verdict in enumerate(verdicts):
            step = path.steps[state].get(verdict)
            if step is not None:
                back[place, column] = step.back
                if step.target:
                    keeps[place, column, states[step.target]] = step.keeps
    made = EdgeFunctional(path, slice(0, len(verdicts)), back, keeps, np.zeros(len(states)))
    ends = _closing(path.steps) if closes else made.worths(fresh[None, :])[0]
    return EdgeFunctional(path, rows, back, keeps, np.array(ends))


def _closing(steps: Steps) -> list[float]:
    """Return what the close of the session returns of a unit in each state."""
    return [float(there[Verdict.CLOSE].back) for there in steps.values()]


def vectors_of(odds: Iterable[CoupOdds | FastOdds]) -> Array:
    """Return the laws of several coups, [law, 200]."""
    import numpy as np  # noqa: PLC0415 - of the extra

    found: Sequence[Array] = [vector_of(each) for each in odds]
    return np.stack(found) if found else np.zeros((0, FEATURES))
