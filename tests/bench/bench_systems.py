"""Systems compared with the martingale in one process; the number of coups is an argument."""

from __future__ import annotations

import sys
from time import process_time

from trente_rules import load_house
from trente_rules.players.seats import seat_of
from trente_rules.simulation.rungs import rungs_of
from trente_rules.simulation.sessions import session_law
from trente_rules.simulation.staking import simulate_systems

SYSTEMS = ("martingale", "labouchere", "reverse-labouchere", "oscars-grind", "fibonacci")


def main() -> None:
    """Print seconds of each system, the first time and the second, and the bets it learned."""
    house = load_house("france-2007")
    coups = float(sys.argv[1]) if len(sys.argv) > 1 else 1e7
    simulate_systems(seat_of(house, "flat"), coups=1000, seed=1, workers=1)  # compiles
    for system in SYSTEMS:
        seat = seat_of(house, system)
        seconds = []
        for seed in (1, 2):
            before = process_time()
            simulate_systems(seat, coups=coups, seed=seed, workers=1)
            seconds.append(process_time() - before)
        print(f"{system:20} {seconds[0]:6.2f} {seconds[1]:6.2f} {len(rungs_of(seat, 1000)):8,}")
    seat = seat_of(house, "martingale", base=1000, bankroll=200_000, play="partage")
    session_law(seat, session=10)
    before = process_time()
    law = session_law(seat)
    print(f"law of 1,000 coups: {process_time() - before:.3f} s, ruin {law.ruin:.6f}")


if __name__ == "__main__":
    main()
