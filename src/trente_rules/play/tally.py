"""The player's coups, counted: won, lost and even, by the net result of each."""

from __future__ import annotations

from collections.abc import Iterable

from attrs import frozen

from trente_rules.table.coups import CoupFold
from trente_rules.table.events import Event


@frozen
class Tally:
    """Coups on which the player had stakes: with a profit, with a loss, with neither.

    A coup counts once, however many stakes were on it. Void coups do not count; a corrected coup
    counts with its last settlement.
    """

    won: int = 0
    lost: int = 0
    even: int = 0

    def __add__(self, other: Tally) -> Tally:
        """Return the sums of both."""
        return Tally(self.won + other.won, self.lost + other.lost, self.even + other.even)


def tally_of(events: Iterable[Event]) -> Tally:
    """Return the tally of the coups that these events settle."""
    fold, nets = CoupFold(), dict[int, int]()
    for event in events:
        settled = fold.feed(event)
        if settled is None:
            continue
        nets.pop(settled.number, None)
        if settled.lines and not settled.void:
            nets[settled.number] = sum(line.player_net for line in settled.counted)
    won = sum(net > 0 for net in nets.values())
    lost = sum(net < 0 for net in nets.values())
    return Tally(won, lost, len(nets) - won - lost)
