"""The simulation of flat stakes in plain Python, where numba is not installed: slow, and the same.

Shoes are dealt by the rules themselves, stakes follow the steps of their wagers. On the same shoes
every figure is that of the compiled simulation; without numpy the shoes are others, those of
``SeededShuffler``. Differences between houses, resumed runs and threads are left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import islice
from time import perf_counter
from typing import Any, Final

from attrs import evolve, frozen

from trente_rules.core.chances import Verdict
from trente_rules.core.coup import OUTCOMES
from trente_rules.core.house.house import House
from trente_rules.core.money import NOUGHT, ONE
from trente_rules.core.shoe import Shoe, Shuffler
from trente_rules.core.wager import WagerPath
from trente_rules.fair.entropy import Entropy, SeededShuffler
from trente_rules.simulation.arrays import shoes_for, turned
from trente_rules.simulation.flat import Policies, check_flat
from trente_rules.simulation.flat_result import (
    BASES,
    Measure,
    SimulatedHouse,
    SimulatedWager,
    Simulation,
    spread_of,
)
from trente_rules.simulation.runner import Progress, seed_for

AFFORDED: Final = 50_000
"""Coups of one house that take some seconds."""
_BYTES: Final = 16


def shuffled_shoes(house: House, shuffler: Shuffler) -> Iterator[Shoe]:
    """Yield prepared shoes without end; a shuffler that draws numbers places the marker too.

    One that does not has the marker as near to the end as the house allows.
    """
    marker = house.shoe.marker
    low, high = house.shoe.marker_bounds
    while True:
        shoe = Shoe.shuffled(house.shoe.packs, shuffler)
        shoe = evolve(shoe, cards=turned(house.shoe, shoe.cards))
        place = low
        if marker and isinstance(shuffler, Entropy):
            place += shuffler.below(high - low + 1)
        yield house.shoe.prepare(shoe, marker_from_end=place if marker else None)


def plain_shoes(house: House, seed: int, stream: int = 0) -> Iterator[Shoe]:
    """Yield the shoes of a stream of a seed without end, shuffled without numpy."""
    data = seed.to_bytes(max(_BYTES, (seed.bit_length() + 7) // 8), "big")
    return shuffled_shoes(house, SeededShuffler(data, stream))


@frozen
class _Imprisoned:
    """A stake in prison: its wager, the kind of coup it was placed in, its state, share and net."""

    wager: int
    kind: int
    state: str
    share: Fraction
    net: Fraction


class PlainHouse:
    """A house in which one stake is placed on every wager in each coup."""

    def __init__(self, house: House, chances: Sequence[str], policies: Policies) -> None:
        """Find the wagers: every chance or those named, insured and not, by their policies."""
        self.house = house
        most = 1 if policies == "default" else None
        self.paths: list[WagerPath] = []
        for chance in house.chances:
            if not chances or chance.id in chances:
                followed = (*chance.verdicts, Verdict.CLOSE)
                for wager in house.wagers_on(chance.id):
                    self.paths += islice(wager.paths(verdicts=followed), most)
        self._gains = [[self._first(path, n) for n in range(OUTCOMES)] for path in self.paths]
        self._outcomes = [[0] * OUTCOMES for _kind in range(3)]
        self._nets = [[NOUGHT] * len(self.paths) for _kind in range(3)]
        self._squares = [[NOUGHT] * len(self.paths) for _kind in range(3)]
        self._tailles: dict[int, int] = {}
        self._voids = self._extra = self.shoes = 0
        self._waiting: list[_Imprisoned] = []

    def _first(self, path: WagerPath, outcome: int) -> tuple[Fraction, str, Fraction]:
        """Return what a stake that is placed gains, its state after the coup, and its share."""
        step = path.steps["free"][path.chance.verdicts[path.chance.table[outcome]]]
        return step.back - 1, step.target, step.keeps

    def play(self, shoes: Iterable[Shoe], many: int, progress: Progress | None = None) -> None:
        """Deal so many shoes, and more where stakes are still in prison.

        An interrupt leaves what was dealt.
        """
        for shoe in shoes:
            if self.shoes >= many and not self._waiting:
                return
            placing = self.shoes < many
            self._deal(shoe, placing=placing)
            self.shoes += placing
            if progress and placing:
                progress(self.shoes, many)

    def _deal(self, shoe: Shoe, *, placing: bool) -> None:
        rule = self.house.shoe
        sure, coups = rule.sure_coups(), 0
        while not rule.ended(shoe):
            dealt = rule.deal(shoe)
            shoe = dealt.shoe
            if dealt.coup is None:
                self._voids += placing
                break
            outcome = dealt.coup.outcome
            if self._waiting:
                self._waiting = [*self._followed(outcome)]
            if placing:
                kind = 0 if not coups else 1 if coups < sure else 2
                self._outcomes[kind][outcome] += 1
                self._waiting += self._imprisoned(kind, outcome)
            coups += 1
        if rule.prisoners_at_end == "close":
            for one in self._waiting:
                step = self.paths[one.wager].steps[one.state][Verdict.CLOSE]
                self._end(one, one.net + one.share * step.back)
            self._waiting = []
        self._extra += not placing
        if placing:
            self._tailles[coups] = self._tailles.get(coups, 0) + 1

    def _imprisoned(self, kind: int, outcome: int) -> Iterator[_Imprisoned]:
        for wager, gains in enumerate(self._gains):
            net, target, share = gains[outcome]
            if target:
                yield _Imprisoned(wager, kind, target, share, net)

    def _followed(self, outcome: int) -> Iterator[_Imprisoned]:
        for one in self._waiting:
            path = self.paths[one.wager]
            step = path.steps[one.state][path.chance.verdicts[path.chance.table[outcome]]]
            net = one.net + one.share * step.back
            if step.target:
                yield _Imprisoned(one.wager, one.kind, step.target, one.share * step.keeps, net)
            else:
                self._end(one, net)

    def _end(self, one: _Imprisoned, net: Fraction) -> None:
        self._nets[one.kind][one.wager] += net
        self._squares[one.kind][one.wager] += net**2

    def _measure(self, wager: int, kinds: Sequence[int], spread: tuple[float, float]) -> Measure:
        stakes, net, square = 0, NOUGHT, NOUGHT
        for kind in kinds:
            net += self._nets[kind][wager]
            square += self._squares[kind][wager]
            for count, (gain, target, _share) in zip(
                self._outcomes[kind], self._gains[wager], strict=True
            ):
                stakes += count
                if count and not target:
                    net += count * gain
                    square += count * gain**2
        return Measure(stakes, net * ONE, square * ONE, *spread)

    def result(self, seconds: float) -> SimulatedHouse:
        """Return the figures of what was dealt."""
        house, rule = self.house, self.house.shoe
        bases = ((0, 1) if rule.sure_coups() else (), (0, 1, 2), (0,))
        longest = max(self._tailles, default=0)
        coups = sum(number * shoes for number, shoes in self._tailles.items())
        return SimulatedHouse(
            name=house.name,
            title=house.title,
            fingerprint=house.fingerprint,
            packs=rule.packs,
            shoes=self.shoes,
            per_taille=tuple(self._tailles.get(n, 0) for n in range(longest + 1)),
            voids=self._voids,
            extra_shoes=self._extra,
            sure_coups=rule.sure_coups(),
            refait_on=frozenset(house.losing_ties),
            outcomes=tuple(
                tuple(sum(self._outcomes[kind][n] for kind in kinds) for n in range(OUTCOMES))
                for kinds in bases
            ),
            wagers=tuple(
                SimulatedWager(
                    *(path.chance.id, path.insured, path.policy, None),
                    *(
                        self._measure(place, kinds, spread.over(name))
                        for name, kinds in zip(BASES, bases, strict=True)
                    ),
                )
                for place, path in enumerate(self.paths)
                for spread in [
                    spread_of(
                        self.house, path.chance.id, path.policy, insured=path.insured, stake=None
                    )
                ]
            ),
            coups_per_second=coups / seconds if seconds else 0.0,
        )


def simulate_plain(
    houses: House | Iterable[House],
    *,
    coups: float,
    seed: int | None = None,
    chances: Sequence[str] = (),
    policies: Policies = "all",
    progress: Progress | None = None,
) -> Simulation:
    """Return what ``simulate`` returns, without numba and numpy, at some thousand coups a second.

    Stakes are nominal. Houses are played one after the other; ``differences`` are left out. An
    interrupt gives what is done so far. Raises as ``simulate``, "needs-fast" apart.
    """
    listed = (houses,) if isinstance(houses, House) else tuple(houses)
    check_flat(listed, coups, chances, policies)
    number, started = seed_for(seed), perf_counter()
    shoes = max(shoes_for(house.shoe, int(coups)) for house in listed)
    found: list[SimulatedHouse] = []
    complete = True
    for place, house in enumerate(listed):

        def seen(done: int, total: int, before: int = place) -> Any:
            return progress and progress(before * total + done, len(listed) * total)

        one, begun = PlainHouse(house, chances, policies), perf_counter()
        try:
            one.play(plain_shoes(house, number), shoes, seen)
        except KeyboardInterrupt:
            complete = False
        if one.shoes:
            found.append(one.result(perf_counter() - begun))
        if not complete:
            break
    return Simulation(tuple(found), (), number, int(coups), complete, perf_counter() - started)
