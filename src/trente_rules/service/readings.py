"""Everything that a page asks of a table and that is not a command, by the path of its endpoint.

A reading is a pure function of a ``Look``: the table, who looks, and what was asked. It may be
computed in any thread, and is the same until the next command: keep it by the table's sequence. A
``slow`` one takes from tenths of a second to seconds, so never in an event loop.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import cached_property
from types import MappingProxyType
from typing import Any, Final, Literal

from attrs import field, frozen

from trente_rules.reports.formats.data import render_json
from trente_rules.reports.rulebook import rulebook
from trente_rules.reports.rulebook_figures import rulebook_figures
from trente_rules.service.bodies import MovementsPage
from trente_rules.service.choices_reading import ChoiceReading, choices_reading
from trente_rules.service.house_facts import HouseFacts, house_facts
from trente_rules.service.odds_reading import OddsReading, odds_reading
from trente_rules.service.past_reading import (
    CardReading,
    CoupReading,
    ReplayReading,
    card_reading,
    history_reading,
    replay_reading,
)
from trente_rules.service.staff_reading import (
    DealerReading,
    JournalReading,
    MonitorReading,
    dealer_reading,
    journal_reading,
    monitor_reading,
    movements_reading,
)
from trente_rules.service.statistics_reading import StatisticsReading, statistics_reading
from trente_rules.service.table_notes import TableNotes
from trente_rules.service.texts import PageWords
from trente_rules.table.entries import Journal
from trente_rules.table.table import Table
from trente_rules.table.views import Viewer

USUAL_COUPS: Final = 20
USUAL_MOVEMENTS: Final = 100


@frozen(slots=False)
class Look:
    """One look at a table: by whom, what was ``asked`` (by name), and where its past is kept.

    ``journal`` is that of the table, which has what the table forgot; ``notes`` are those that the
    host keeps for the table, so that an evening is not counted again at each look.
    """

    table: Table
    viewer: Viewer
    asked: Mapping[str, str] = field(factory=dict)
    journal: Journal | None = None
    notes: TableNotes | None = None

    @cached_property
    def words(self) -> PageWords:
        """The words in the language asked for, by default that of the house.

        Raises ``PluginError`` ("unknown-language").
        """
        return PageWords.of(self.table.state.house, self.asked.get("language", ""))

    def number(self, name: str, usual: int = 0) -> int:
        """Return a number that was asked."""
        return int(self.asked.get(name, usual))


@frozen
class Reading:
    """A reading: its function, and what it costs."""

    function: Callable[[Look], Any]
    cost: Literal["quick", "slow"] = "quick"

    def read(
        self,
        table: Table,
        viewer: Viewer,
        asked: Mapping[str, str],
        journal: Journal | None = None,
        notes: TableNotes | None = None,
    ) -> Any:
        """Return what was asked, as a value that ``message_converter`` writes.

        Raises ``PluginError`` ("unknown-language"), ``TrenteError`` ("unknown-coup", "needs-fast",
        "no-coup-left"), ``RecordError`` ("unknown-movement").
        """
        return self.function(Look(table, viewer, asked, journal, notes))


def house(look: Look) -> HouseFacts:
    """Return what a page needs to know of the house."""
    return house_facts(look.table.state, look.words.language)


def rules(look: Look) -> dict[str, Any]:
    """Return the rules of the house in words, with the odds, as the format ``json`` writes them.

    It has ``title``, ``stamp`` and ``parts``. A part is a paragraph (a string), a list (of
    strings), a table (``title``, ``columns``, ``rows``) or a section (``title``, ``parts``).
    """
    house = look.table.house
    written = rulebook(house, look.words.language.code, rulebook_figures(house))
    report: dict[str, Any] = json.loads(render_json(written))
    return report


def odds(look: Look) -> OddsReading:
    """Return the exact odds of the next coup."""
    return odds_reading(look.table.state, look.words)


def choices(look: Look) -> tuple[ChoiceReading, ...]:
    """Return the choices that the viewer has at a refait."""
    return choices_reading(look.table.state, look.viewer, look.words)


def past(look: Look) -> tuple[CoupReading, ...]:
    """Return the last coups."""
    coups = look.number("coups", USUAL_COUPS)
    return history_reading(look.table, look.viewer, look.words, coups, look.journal)


def replay(look: Look) -> ReplayReading:
    """Return one coup with its events."""
    place = look.number("shoe"), look.number("coup")
    return replay_reading(look.table, look.viewer, look.words, *place, look.journal)


def statistics(look: Look) -> StatisticsReading:
    """Return what players note."""
    return statistics_reading(look.table, look.viewer, look.notes, look.journal)


def card(look: Look) -> CardReading:
    """Return the score card of the taille."""
    return card_reading(look.table)


def dealer(look: Look) -> DealerReading:
    """Return what the dealer's page shows."""
    return dealer_reading(look.table, look.words, look.journal)


def monitor(look: Look) -> MonitorReading:
    """Return the table against the odds."""
    return monitor_reading(look.table, look.notes, look.journal)


def journal(look: Look) -> JournalReading:
    """Return one coup of the journal."""
    place = look.number("shoe"), look.number("coup")
    return journal_reading(look.table, *place, look.journal)


def movements(look: Look) -> MovementsPage:
    """Return a part of the movements of money."""
    limit, after = look.number("limit", USUAL_MOVEMENTS), look.asked.get("after", "")
    found = movements_reading(look.table, after, limit, look.journal)
    return MovementsPage(found, found[-1].id if found else after)


READINGS: Final[Mapping[str, Reading]] = MappingProxyType(
    {
        "house": Reading(house),
        "rules": Reading(rules, "slow"),
        "odds": Reading(odds, "slow"),
        "choices": Reading(choices),
        "history": Reading(past, "slow"),
        "history/{shoe}/{coup}": Reading(replay, "slow"),
        "statistics": Reading(statistics, "slow"),
        "card": Reading(card),
        "dealer": Reading(dealer),
        "monitor": Reading(monitor, "slow"),
        "journal/{shoe}/{coup}": Reading(journal, "slow"),
        "movements": Reading(movements, "slow"),
    }
)
"""The readings by the paths of their endpoints, behind that of the table."""
