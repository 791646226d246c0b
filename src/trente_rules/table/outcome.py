"""What dealing a coup ends in: its verdicts, the calls, the choices that players have."""

from __future__ import annotations

from collections.abc import Iterator

from trente_rules.deal.coup import Coup
from trente_rules.settlement import courses
from trente_rules.table.events import ChoiceOffered, CoupDealt, Event
from trente_rules.table.state import TableState


def dealt_events(state: TableState, coup: Coup) -> tuple[Event, ...]:
    """Answer what happens when both rows are complete."""
    voice = state.setup.voice
    return (
        CoupDealt(state.coup_number, coup, voice.verdicts(coup)),
        *voice.result(coup),
        *_offers(state, coup),
    )


def _offers(state: TableState, coup: Coup) -> Iterator[ChoiceOffered]:
    house = state.house
    verdicts = dict(state.setup.voice.verdicts(coup))
    for stake in state.stakes:
        verdict = verdicts[stake.chance]
        machine = house.machine_of(house.chance(stake.chance))
        if len(machine.courses(stake.state, verdict)) > 1:
            offered = courses(house, stake, verdict, opening=state.setup.opening)
            if len(offered) > 1:
                yield ChoiceOffered(stake, verdict, tuple(course.name for course in offered))
