"""The evidence: a simulation next to the exact edges, a taille played, recorded and replayed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from attrs import evolve

from trente_rules.core.chances import OPPOSITES
from trente_rules.core.compiled import fast_installed
from trente_rules.core.house.house import House
from trente_rules.core.text import counted
from trente_rules.fair.entropy import SeededShuffler
from trente_rules.players.strategy import StrategySession, TableBet, View
from trente_rules.records.record import Record
from trente_rules.records.recorder import record_of
from trente_rules.records.replay import Replay
from trente_rules.reports.document import Report
from trente_rules.reports.simulated_houses import exact_of, houses_report
from trente_rules.simulation.flat import simulate
from trente_rules.simulation.plain import AFFORDED, shuffled_shoes, simulate_plain
from trente_rules.table.entries import Entry
from trente_rules.table.state import Phase

_MOST_COUPS: Final = 20
"""The coups of a sample of a house whose machine shuffles for every coup: its shoe never ends."""
_TRIED: Final = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 10_000)
"""Multiples of the least stake that are tried, for one that the house takes."""
_OF_THE_CLOCK: Final = ("seconds", "coups_per_second")


def compiled(coups: float) -> bool:
    """Return whether so many coups are simulated by compiled code: too many for plain Python.

    With and without it the coups of a seed are others, so it depends on the number alone.
    """
    return coups > AFFORDED


def can_simulate(coups: float) -> bool:
    """Return whether so many coups can be simulated here."""
    return not compiled(coups) or fast_installed()


def simulation(house: House, coups: int, seed: int) -> Report:
    """Return flat stakes on every chance, played without choices, next to the exact edges.

    The same house, number and seed give the same report: nothing of it is of the clock. Raises
    ``TrenteError`` as ``simulate`` does, and ``KeyboardInterrupt`` where that ends early.
    """
    play = simulate if compiled(coups) else simulate_plain
    done = play(house, coups=coups, seed=seed, policies="default")
    if not done.complete:  # a simulation that is interrupted returns what it has so far
        raise KeyboardInterrupt
    report = houses_report(done, [exact_of(house, ())], full=False)
    json_of = report.data
    assert json_of is not None  # noqa: S101 - a simulation has figures
    return evolve(
        report,
        title=f"Simulation: {house.title}",
        page=True,
        stamp=f"{house.name}, {house.fingerprint}",
        data=lambda: _without_times(json_of()),
    )


def _without_times(value: Any) -> Any:
    match value:
        case dict():
            kept = {name: one for name, one in value.items() if name not in _OF_THE_CLOCK}
            return {name: _without_times(one) for name, one in kept.items()}
        case list():
            return [_without_times(one) for one in value]
    return value


def sample(house: House, seed: str) -> Record:
    """Return the record of a taille of a seed, with a stake on every chance in each coup.

    Each coup one of them is insured, if the house insures it. The choices are those of a player
    who says nothing.
    """
    shoes = shuffled_shoes(house, SeededShuffler(seed))
    opening, steps = house.lowest_opening(), list[Entry]()
    session = StrategySession(house, shoes, opening, None)
    every_coup = house.shoe.every_coup
    session.ready()
    while not every_coup or session.coups < _MOST_COUPS:
        session.open()
        session.bet(tuple(_bets(session.view())))
        session.deal()
        if every_coup:  # each coup has a shoe, and the table remembers the last
            steps += session.table.taille
            session.ready()
        elif session.table.state.phase is Phase.NO_SHOE:
            steps += session.table.taille
            break
    return record_of(steps, house, opening=opening)


def _bets(view: View) -> Iterator[TableBet]:
    """Yield the least bet that the house takes on each chance, one of them insured.

    A house may refuse a stake against one that is there: then each coup has one side of a pair.
    """
    chances, placed = view.house.chances, set[str]()
    first = view.coup % len(chances)
    for chance in (*chances[first:], *chances[:first]):
        if not view.house.limits_table.both_sides and OPPOSITES.get(chance.id) in placed:
            continue
        insured = not placed
        found = _least(view, chance.id, insured=insured)
        found = found or (_least(view, chance.id, insured=False) if insured else None)
        if found is not None:
            placed.add(chance.id)
            yield found


def _least(view: View, chance: str, *, insured: bool) -> TableBet | None:
    step = view.house.limits_table.step
    least = view.house.lowest_opening().minimum or step
    tried = (TableBet(chance, least * times, insured) for times in _TRIED)
    return next((bet for bet in tried if view.why_not(bet) is None), None)


def replay_text(found: Replay) -> str:
    """Return in sentences what the replay of a record found."""
    record = found.record
    stakes = sum(len(coup.stakes) for coup in record.coups)
    lines = [
        f"record: SHA-256 {record.sha256}",
        f"house: {record.house.name}, {record.house.fingerprint}",
        f"played: {counted(len(record.coups), 'coup')}, {counted(stakes, 'stake')} settled",
        "dealt and settled again: "
        + ("nothing differs" if found.equal else counted(len(found.differences), "difference")),
        *map(str, found.differences),
        *found.notes,
    ]
    return "".join(f"{line}\n" for line in lines)
