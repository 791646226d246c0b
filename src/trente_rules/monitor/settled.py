"""What is watched: the settlements of stakes, coup by coup, from events or from records."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from attrs import evolve, frozen

from trente_rules.lines import Line
from trente_rules.rules.chances import Verdict
from trente_rules.rules.machine import FREE
from trente_rules.table.events import CoupCorrected, CoupDealt, CoupSettled, Event, StakeSettled
from trente_rules.table.records.values import Record, StakeRecord


@frozen
class Settled:
    """What one settlement did to a stake; ``net`` is what the bank is richer by, in units.

    ``free`` tells that the stake was placed for this coup, ``ended`` that nothing of it stays. One
    that is taken back because the session closes was placed for no coup.
    """

    stake: str
    chance: str
    insured: bool
    amount: int
    net: int
    free: bool
    ended: bool

    @classmethod
    def of_line(cls, line: Line) -> Settled:
        """Answer what a line of a settlement says."""
        stake = line.stake
        net, ended = -line.player_net, line.after is None
        free = stake.free and line.verdict is not Verdict.CLOSE
        return cls(stake.id, stake.chance, line.insured, stake.amount, net, free, ended)

    @classmethod
    def of_record(cls, told: StakeRecord) -> Settled:
        """Answer what a record says of a stake."""
        net = told.forfeited + told.premium - told.premium_returned - told.won
        free = told.state == FREE and told.verdict != Verdict.CLOSE.id
        ended = not told.after
        return cls(told.id, told.chance, told.insured, told.amount, net, free, ended)


Coups = Iterable[Sequence[Settled]]
"""The settlements of a table, coup by coup."""


def coups_of_events(events: Iterable[Event]) -> Coups:
    """Answer the settlements of each coup; one that was corrected counts as corrected.

    Lines that belong to no coup, those of the end of a shoe or a session, go with the coup before.
    """
    groups: list[list[Settled]] = []
    settled: list[Settled] = []
    for event in events:
        if isinstance(event, StakeSettled):
            settled.append(Settled.of_line(event.line))
        elif isinstance(event, CoupDealt):
            if groups:
                groups[-1].extend(settled)
            settled = []
        elif isinstance(event, CoupSettled):
            groups.append(settled)
            settled = []
        elif isinstance(event, CoupCorrected):
            settled = []
            if groups:
                groups.pop()
    return [*groups[:-1], [*groups[-1], *settled]] if groups and settled else groups


def of_table(coups: Coups, table: str) -> Coups:
    """Answer coups that can stand beside those of other tables: a table has its own stake ids."""
    return [
        [evolve(settled, stake=f"{table}\n{settled.stake}") for settled in group] for group in coups
    ]


def coups_of_records(records: Iterable[Record]) -> Coups:
    """Answer the settlements of each coup of records, in the order they are given."""
    groups: list[list[Settled]] = []
    for record in records:
        groups.extend(
            [Settled.of_record(stake) for stake in coup.stakes]
            for coup in record.coups
            if not coup.void
        )
        if groups:
            groups[-1].extend(Settled.of_record(stake) for stake in record.end.stakes)
    return groups
