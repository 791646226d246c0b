"""Strategies in Python, played through the real table: nothing compiled, every rule in force.

A strategy is anything that can be called with a ``View`` and answers bets. It may look at all that
a player can: the cards that came, its bankroll, its stakes in prison, what became of the others.
``SystemPlayer`` plays a staking system so, and is the oracle of the compiled simulation.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Final

from trente_rules.analysis.comparison import lowest_opening
from trente_rules.deal.entropy import Entropy, Shuffler
from trente_rules.deal.shoe import Shoe
from trente_rules.errors import TrenteError
from trente_rules.house.house import House
from trente_rules.stakes import Opening
from trente_rules.strategy.session import Session
from trente_rules.strategy.view import Played, Strategy

_FIRST_SHOES: Final = 32


def play_strategy(  # noqa: PLR0913 - each is told by name
    house: House,
    strategy: Strategy,
    *,
    coups: int,
    bankroll: int | None = None,
    shuffler: Shuffler | None = None,
    seed: int | None = None,
    shoes: Iterable[Shoe] | None = None,
    opening: Opening | None = None,
) -> Played:
    """Play so many coups through the real table, and then until the stakes in prison have left.

    The shoes are put in order by ``shuffler``, or are those of stream nought of a simulation with
    this ``seed`` (which needs the extra ``fast``), or are given (prepared: burned and marked); one
    of the three. A marker that the house puts anywhere within bounds is placed by the shuffler too,
    where it can draw numbers, else as near to the end as may be. ``bankroll`` is in units, None for
    endless credit; the session ends early where bets cannot be paid.

    Raises ``TrenteError`` ("bad-coups", "which-shoes", "shoes-used-up"), ``BetError`` with the
    table's own code for a bet that it refuses.
    """
    if type(coups) is not int or coups < 1:
        raise TrenteError(f"{coups!r} coups cannot be played", "bad-coups", "a whole number from 1")
    given = [each for each in (shuffler, seed, shoes) if each is not None]
    if len(given) != 1:
        raise TrenteError(
            f"{len(given)} sources of shoes are given",
            "which-shoes",
            "give one of shuffler=, seed=, shoes=",
        )
    if shuffler is not None:
        shoes = _shuffled(house, shuffler)
    elif seed is not None:
        shoes = simulated_shoes(house, seed, 0)
    session = Session(house, iter(shoes or ()), opening or lowest_opening(house), bankroll)
    while session.coups < coups or session.table.state.stakes:
        session.ready()
        if session.coups >= coups and not session.table.state.stakes:
            break  # the end of the shoe closed the last
        session.open()
        if session.coups < coups and not session.bet(tuple(strategy(session.view()))):
            return session.played(ruined=True)
        session.deal()
    return session.played(ruined=False)


def _shuffled(house: House, shuffler: Shuffler) -> Iterator[Shoe]:
    marker = house.shoe.marker
    while True:
        shoe = Shoe.shuffled(house.shoe.packs, shuffler)
        place = None
        if marker is not None:
            low, high = marker.bounds
            place = low
            if isinstance(shuffler, Entropy):
                place += shuffler.below(high - low + 1)
        yield house.shoe.prepare(shoe, marker_from_end=place)


def simulated_shoes(house: House, seed: int, stream: int) -> Iterator[Shoe]:
    """Answer the shoes of a stream of a simulation, without end; ``TrenteError`` ("needs-fast")."""
    from trente_rules.simulation.replay import shoes_of  # noqa: PLC0415 - needs numba

    done, many = 0, _FIRST_SHOES
    while True:
        yield from islice(shoes_of(house, seed, stream, many), done, None)
        done, many = many, 2 * many
