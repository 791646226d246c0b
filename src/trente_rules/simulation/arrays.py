"""A house as the kernel reads it: arrays of its shoe rule, its verdicts and its stakes' steps.

The steps of a stake (``trente_rules.core.wager``) are shares of it; here they become whole numbers
of a scale, so that everything is added up exactly.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import islice
from math import ceil, lcm
from typing import Any, Final

from attrs import frozen

from trente_rules.core.cards import LARGEST_POINTS, PACK, Card
from trente_rules.core.chances import COUP_VERDICTS, Chance, Verdict
from trente_rules.core.coup import OUTCOMES
from trente_rules.core.errors import TrenteError
from trente_rules.core.house.house import House
from trente_rules.core.machine import Policy
from trente_rules.core.money import ONE
from trente_rules.core.shoe import CARDS_IN_PACK, ShoeRule
from trente_rules.core.stakes import Opening
from trente_rules.core.wager import Steps, WagerPath
from trente_rules.simulation.prisoners import Automaton, automaton

CARD_BITS: Final = 5
"""A card is its place in the pack above its colour and its points."""
MOST_SCALE: Final = 2**28
"""The square of the net of a stake fits in 63 bits, premiums of many coups included."""
MOST_CUTS: Final = 24
FEWEST_CUTS: Final = 4
"""A nominal stake that loses part of its worth again and again is followed through so many cuts;
after that it is no longer cut. The 25th refait in a row comes less than once in 10^20 coups."""
_POINT_BITS: Final = 15
_CARDS_A_COUP: Final = 10.577
_LOST_AT_END: Final = 0.48


@frozen
class FlatStake:
    """A wager on which one stake is placed in every coup.

    ``scale`` is how many of the kernel's whole numbers make one stake.
    """

    chance: str
    insured: bool
    policy: Policy
    stake: int | None
    scale: int


@frozen(eq=False)
class HouseArrays:
    """The arrays of one house for the kernel, and the wagers they describe."""

    wagers: tuple[FlatStake, ...]
    cards: Any
    shoe_rule: Any
    verdicts: Any
    imprisons: Any
    starts: Any
    gains: Any
    nexts: Any
    joint: Automaton | None

    @property
    def points(self) -> int:
        """The points of the packs."""
        return sum(int(card) & _POINT_BITS for card in self.cards)


def shoes_for(rule: ShoeRule, coups: int) -> int:
    """Return how many shoes hold about so many coups."""
    if rule.every_coup:
        return coups
    behind, burned = sum(rule.marker_bounds) / 2, sum(rule.burn_bounds) / 2
    usable = rule.packs * CARDS_IN_PACK - burned - behind
    a_shoe = usable / _CARDS_A_COUP + (_LOST_AT_END if rule.finishes else -_LOST_AT_END)
    return ceil(coups / max(a_shoe, 1.0))


@lru_cache(maxsize=64)
def tables(
    house: House,
    stake: int | None,
    opening: Opening,
    chances: tuple[str, ...] | None,
    policies: str,
) -> HouseArrays:
    """Build the tables of a house for the wagers wanted.

    ``stake`` is in units, None for nominal stakes; ``chances`` is None for all,
    ``policies`` is "all" or "default". Raises ``BetError`` ("unknown-chance"), ``TrenteError``
    ("too-many-policies", "too-many-states", "too-fine-shares").
    """
    import numpy as np  # noqa: PLC0415 - of the extra

    wanted = [house.chance(name) for name in chances] if chances is not None else house.chances
    wagers: list[FlatStake] = []
    starts: list[tuple[int, int]] = []
    gains: list[list[int]] = []
    nexts: list[list[int]] = []
    imprisons = bytearray(OUTCOMES)
    width = width_of(wanted)
    for place, chance in enumerate(wanted):
        followed = (*chance.verdicts, Verdict.CLOSE)
        # The first policy takes every default.
        most = 1 if policies == "default" else None
        for path in (
            path
            for wager in house.wagers_on(chance.id)
            for path in islice(wager.paths(stake=stake, opening=opening, verdicts=followed), most)
        ):
            scale, nodes = _nodes(path, columns(chance, width))
            first = len(gains)
            starts.append((place, first))
            wagers.append(FlatStake(chance.id, path.insured, path.policy, stake, scale))
            for node in nodes:
                gains.append([gain for gain, _next in node])
                nexts.append([first + then if then >= 0 else -1 for _gain, then in node])
            for outcome, verdict in enumerate(chance.table):
                imprisons[outcome] |= nexts[first][verdict] >= 0
    verdicts = verdict_array(wanted)
    steps = (
        np.array(starts, np.int64).reshape(-1, 2),
        np.array(gains, np.int64).reshape(-1, width),
        np.array(nexts, np.int64).reshape(-1, width),
    )
    return HouseArrays(
        tuple(wagers),
        cards_of(house.shoe.packs),
        rule_array(house.shoe),
        verdicts,
        np.frombuffer(bytes(imprisons), np.uint8).copy(),
        *steps,
        automaton(verdicts, *steps),
    )


def width_of(chances: Sequence[Chance]) -> int:
    """Return the columns of a table by verdict: those of any chance, and last the close."""
    return max([len(COUP_VERDICTS), *(len(chance.verdicts) for chance in chances)]) + 1


def columns(chance: Chance, width: int) -> tuple[Verdict | None, ...]:
    """Return the verdict of each column for one chance, the close in the last."""
    empty = (None,) * (width - 1 - len(chance.verdicts))
    return (*chance.verdicts, *empty, Verdict.CLOSE)


def rule_array(rule: ShoeRule) -> Any:
    """Return the shoe rule as the kernel reads it; see ``kernel.play``."""
    import numpy as np  # noqa: PLC0415 - of the extra

    low, high = rule.marker_bounds
    close = rule.prisoners_at_end == "close"
    burn = -1 if rule.burn == "first-card" else rule.burn
    return np.array([burn, low, high, _ending(rule), close, rule.sure_coups()], np.int64)


def _ending(rule: ShoeRule) -> int:
    """Return the way a shoe ends as the kernel knows it."""
    from trente_rules.simulation import kernel  # noqa: PLC0415 - of the extra

    if rule.every_coup:
        return kernel.EVERY_COUP
    if rule.marker:
        endings = {"void": kernel.VOID, "finish": kernel.FINISH, "last-coup": kernel.LAST_COUP}
        return endings[rule.marker.on_marker]
    return kernel.NO_COUP if rule.ends == "no-coup" else kernel.VOID


def verdict_array(chances: Sequence[Chance]) -> Any:
    """Return the verdict of each chance on each outcome."""
    import numpy as np  # noqa: PLC0415 - of the extra

    return np.array([list(chance.table) for chance in chances], np.uint8).reshape(-1, OUTCOMES)


def cards_of(packs: int) -> Any:
    """Return whole packs as the kernel's numbers, before the first shuffle."""
    import numpy as np  # noqa: PLC0415 - of the extra

    pack = [
        place << CARD_BITS | card.colour << (CARD_BITS - 1) | card.points
        for place, card in enumerate(PACK)
    ]
    return np.array(pack * packs, np.uint16)


def reach(made: HouseArrays) -> tuple[int, int]:
    """Return how many cards of a shoe a house can need from the front, and from the end."""
    from trente_rules.simulation import kernel  # noqa: PLC0415 - of the extra

    burn, low, _high, ending = made.shoe_rule[:4].tolist()
    size = len(made.cards)
    if ending == kernel.EVERY_COUP:
        return min(size, kernel.LONGEST_COUP), 0
    if burn < 0:
        return size, 1 + LARGEST_POINTS
    if ending == kernel.NO_COUP and burn:
        return size, burn
    return size - burn - (low if ending == kernel.VOID else 0), 0


def turned(rule: ShoeRule, cards: Sequence[Card]) -> tuple[Card, ...]:
    """Return a shuffled order with the cards to be burned taken from its end, the last one first.

    Every order is as likely as before, and houses of equal packs deal the same coups from it,
    however many cards each of them burns.
    """
    burned = rule.burned(cards[-1])
    return (*reversed(cards[len(cards) - burned :]), *cards[: len(cards) - burned])


def prefix_of(cards: Any) -> Any:
    """Return how many cards are below each kind, for ``lockstep``."""
    import numpy as np  # noqa: PLC0415 - of the extra

    kinds = np.bincount(kinds_of(cards), minlength=2 * LARGEST_POINTS)
    return np.cumsum(kinds)[:-1].astype(np.uint16)


def kinds_of(cards: Any) -> Any:
    """Return the kinds of the kernel's cards: twice the points less 2, and 1 for a red card."""
    return 2 * (cards & _POINT_BITS) - 2 + (cards >> (CARD_BITS - 1) & 1)


Node = list[tuple[int, int]]
"""The gain of a stake and the node that follows (-1: it ends), by verdict."""
Columns = Sequence[Verdict | None]


def _nodes(path: WagerPath, columns: Columns) -> tuple[int, list[Node]]:
    """Return the scale of a path, and its nodes: a state, and the share of the stake left in it."""
    for cuts in range(MOST_CUTS, FEWEST_CUTS - 1, -1):
        places = _shares(path.steps, columns, cuts)
        backs = (
            share * step.back
            for state, share, _cut in places
            for step in path.steps[state].values()
        )
        scale = lcm(*(back.denominator for back in backs))
        if path.stake is not None and path.stake % scale == 0:
            scale = path.stake
        if scale <= MOST_SCALE:
            return scale, _numbered(path.steps, columns, places, scale)
    raise TrenteError(
        f"the shares of a stake on {path.chance.id} are too fine to be added up exactly",
        "too-fine-shares",
        f"simulate a stake of at most {MOST_SCALE} units, or simpler shares",
    )


Place = tuple[str, Fraction, int]
"""A state, the share of the stake that is left in it, and how often it has been cut."""


def _then(steps: Steps, place: Place, verdict: Verdict | None, cuts: int) -> Place | None:
    state, share, cut = place
    step = steps[state].get(verdict) if verdict else None
    if step is None or not step.target:
        return None
    if step.keeps == 1 or cut == cuts:
        return step.target, share, cut
    return step.target, share * step.keeps, cut + 1


def _shares(steps: Steps, columns: Columns, cuts: int) -> dict[Place, tuple[Place | None, ...]]:
    """Follow a stake to every place it can reach; the first is where it is placed."""
    order: list[Place] = [(next(iter(steps)), ONE, 0)]
    known = set(order)
    places: dict[Place, tuple[Place | None, ...]] = {}
    for place in order:
        then = tuple(_then(steps, place, verdict, cuts) for verdict in columns)
        places[place] = then
        for new in then:
            if new is not None and new not in known:
                known.add(new)
                order.append(new)
    return places


def _numbered(
    steps: Steps, columns: Columns, places: dict[Place, tuple[Place | None, ...]], scale: int
) -> list[Node]:
    numbers: dict[Place | None, int] = {place: n for n, place in enumerate(places)}
    numbers[None] = -1
    nodes: list[Node] = []
    for (state, share, _cut), then in places.items():
        paid_in = 0 if nodes else scale  # the first node is the placing
        steps_here = (steps[state].get(verdict) if verdict else None for verdict in columns)
        backs = [share * step.back if step else 0 for step in steps_here]
        numbered = zip(backs, then, strict=True)
        nodes.append([(int(back * scale) - paid_in, numbers[goes]) for back, goes in numbered])
    return nodes
