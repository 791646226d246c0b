"""Games a second of other engines beside coups a second of the table, in one run; prints only.

``make bench-rivals`` installs PokerKit, rlcard and OpenSpiel (the dependency group ``bench``) and
runs this; an engine that is missing is left out, and named. The games are not the same work: a
heads-up and a six-handed no-limit hold'em hand in which all check or call to the showdown
(PokerKit), a hand of blackjack of one player whose moves are drawn at random (rlcard, OpenSpiel),
and a coup with so many stakes, each placed, settled, announced and moved (the table, in memory).
Rounds alternate, so that a busy machine disturbs all alike; the processor's time counts, the best
and the median are told.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from functools import partial
from importlib.metadata import version
from pathlib import Path
from random import Random
from statistics import median
from time import process_time
from typing import Any, Final

sys.path.insert(0, str(Path(__file__).parent))

from load import Load, speed  # type: ignore[import-not-found]

ROUNDS: Final = 5
SECONDS: Final = 1.0
STAKES: Final = (4, 20, 100, 1000)


def pokerkit(players: int) -> Callable[[], None]:
    """Return what plays a hand of PokerKit: all check or call to the showdown."""
    from pokerkit import Automation, NoLimitTexasHoldem

    automations = tuple(Automation)

    def hand() -> None:
        state = NoLimitTexasHoldem.create_state(
            automations,
            ante_trimming_status=True,
            raw_antes=0,
            raw_blinds_or_straddles=(1, 2),
            min_bet=2,
            raw_starting_stacks=200,
            player_count=players,
        )
        while state.status:
            state.check_or_call()

    return hand


def rlcard() -> Callable[[], None]:
    """Return what plays a hand of rlcard's blackjack with moves drawn at random."""
    import rlcard as engine

    game = engine.make("blackjack")
    draw = Random(1)

    def hand() -> None:
        state, _player = game.reset()
        while not game.is_over():
            state, _player = game.step(draw.choice(list(state["legal_actions"])))

    return hand


def open_spiel() -> Callable[[], None]:
    """Return what plays a hand of OpenSpiel's blackjack with moves drawn at random."""
    import pyspiel

    game = pyspiel.load_game("blackjack")
    draw = Random(1)

    def hand() -> None:
        state: Any = game.new_initial_state()
        while not state.is_terminal():
            state.apply_action(draw.choice(state.legal_actions()))

    return hand


def hands_a_second(hand: Callable[[], None]) -> float:
    """Return the hands a second, of the processor's time."""
    hand()
    begin, count, passed = process_time(), 0, 0.0
    while passed < SECONDS:
        hand()
        count += 1
        passed = process_time() - begin
    return count / passed


def coups_a_second(stakes: int) -> float:
    """Return the coups a second of a table in memory, likewise."""
    return float(speed(Load(stakes), SECONDS))


def runners() -> Iterator[tuple[str, Callable[[], float]]]:
    """Yield every engine that is installed, and what measures it."""
    engines: tuple[tuple[str, str, Callable[[], Callable[[], None]]], ...] = (
        ("PokerKit {}, heads-up", "pokerkit", partial(pokerkit, 2)),
        ("PokerKit {}, six players", "pokerkit", partial(pokerkit, 6)),
        ("rlcard {}, blackjack", "rlcard", rlcard),
        ("OpenSpiel {}, blackjack", "open-spiel", open_spiel),
    )
    for name, package, make in engines:
        try:
            hand = make()
        except ImportError as error:
            print(f"left out: {package}, {error}")
            continue
        yield name.format(version(package)), partial(hands_a_second, hand)
    for stakes in STAKES:
        yield f"table, {stakes} stakes", partial(coups_a_second, stakes)


def main() -> None:
    """Measure in turn; print games a second, and how many games one coup takes the time of."""
    found: dict[str, list[float]] = {}
    every = list(runners())
    for _ in range(ROUNDS):
        for name, measure in every:
            found.setdefault(name, []).append(measure())
    best = {name: max(speeds) for name, speeds in found.items()}
    coups = {name: value for name, value in best.items() if name.startswith("table")}
    heads = " ".join(f"{name.removeprefix('table, '):>12}" for name in coups)
    print(
        f"{'games a second':28} {'best':>9} {'median':>9}   games in the time of one coup: {heads}"
    )
    for name, speeds in found.items():
        ratios = " ".join(f"{best[name] / value:12.2f}" for value in coups.values())
        print(f"{name:28} {best[name]:9,.0f} {median(speeds):9,.0f}{'':33}{ratios}")


if __name__ == "__main__":
    main()
