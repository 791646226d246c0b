"""The load that every measurement of the table shares; run by itself it prints what it measured.

A coup is: bets opened, so many stakes placed, rien ne va plus, the deal, the settlement. Stakes are
of as many players, on the four chances in turn, one in five insured; every player stays. It is
written for this checkout and for earlier ones: ``against.py`` runs it with the package of another.
"""

from __future__ import annotations

import json
import sys
from contextlib import suppress
from importlib import import_module
from time import perf_counter, process_time
from typing import Any, Final, Literal

Way = Literal["one-by-one", "slips", "together"]
CHANCES: Final = ("rouge", "noir", "couleur", "inverse")
AMOUNT: Final = 10_000
OPENING: Final = 1_000
IN_A_SLIP: Final = 4


def named(name: str) -> Any:
    """Return a public name of the library, wherever a release has it."""
    for module in ("trente_rules.table", "trente_rules.fair", "trente_rules"):
        with suppress(ImportError, AttributeError):
            return getattr(import_module(module), name)
    raise ImportError(f"trente_rules has no {name}")


class Load:
    """A table, and the commands that keep it busy."""

    def __init__(self, stakes: int, journal: Any = None, way: Way = "one-by-one") -> None:
        """Open a table for so many stakes a coup."""
        house = named("load_house")("france-2007")
        opening = named("Opening")(OPENING)
        self.table = named("Table")(house, opening=opening, journal=journal)
        self.stakes, self.way, self.coups = stakes, way, 0
        self._shuffler = named("SeededShuffler")("00" * 16)
        names = ("OpenShoe", "Cut", "PlaceMarker", "OpenBets", "Place", "CloseBets", "Deal")
        self._open, self._cut, self._mark, self._bets, self._place, self._close, self._deal = (
            named(name) for name in names
        )
        self._settle, phase = named("Settle"), named("Phase")
        self._no_shoe, self._dealt = phase.NO_SHOE, phase.DEALT

    def ready(self) -> None:
        """Open a shoe where none is open."""
        n, do = self.coups, self.table.do
        if self.table.state.phase is self._no_shoe:
            do(self._open.shuffled(f"o{n}", 6, self._shuffler))
            do(self._cut(id=f"k{n}", place=100, by="player"))
            do(self._mark(id=f"m{n}", by="croupier"))

    def bets(self) -> list[Any]:
        """Return the commands that place the stakes of a coup."""
        n, kind = self.coups, self._place
        if self.way == "slips":
            slip, bet = named("Slip"), named("SlipBet")
            return [
                slip(
                    id=f"p{n}.{at}",
                    player=f"p{at}",
                    bets=tuple(
                        bet(f"s{n}.{i}", CHANCES[i % 4], AMOUNT, insured=i % 5 == 0)
                        for i in range(at, min(at + IN_A_SLIP, self.stakes))
                    ),
                )
                for at in range(0, self.stakes, IN_A_SLIP)
            ]
        return [
            kind(
                id=f"p{n}.{i}",
                stake=f"s{n}.{i}",
                player=f"p{i}",
                chance=CHANCES[i % 4],
                amount=AMOUNT,
                insured=i % 5 == 0,
            )
            for i in range(self.stakes)
        ]

    def coup(self) -> None:
        """Play a coup."""
        self.ready()
        n, do = self.coups, self.table.do
        do(self._bets(id=f"b{n}"))
        if self.way == "one-by-one":
            for command in self.bets():
                do(command)
        else:
            self.table.do_many(self.bets())
        do(self._close(id=f"c{n}"))
        do(self._deal(id=f"d{n}"))
        if self.table.state.phase is self._dealt:
            do(self._settle(id=f"s{n}"))
        self.coups += 1


def speed(load: Load, seconds: float, *, wall: bool = False, most: int = 100_000) -> float:
    """Return the coups a second of at least so many seconds; of the processor, or by the clock."""
    clock = perf_counter if wall else process_time
    load.coup()
    begin, first, passed = clock(), load.coups, 0.0
    while passed < seconds and load.coups - first < most:
        load.coup()
        passed = clock() - begin
    return (load.coups - first) / passed


def main() -> None:
    """Print the coups a second in memory for each number of stakes, as JSON; see ``against.py``."""
    seconds, way, *numbers = sys.argv[1:]
    loads = {n: Load(int(n), way=way) for n in numbers}  # type: ignore[arg-type]
    print(json.dumps({n: speed(load, float(seconds)) for n, load in loads.items()}))


if __name__ == "__main__":
    main()
