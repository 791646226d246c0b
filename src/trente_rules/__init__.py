"""Trente et quarante (rouge et noir): a rules engine in which a house is one TOML file.

The names below are the public ones; what is not here may change. ``load_house`` reads a house,
``settle`` settles a coup, ``refusals`` tells which stakes a house does not accept; the submodule
``analysis`` answers the exact advantage.

A name is imported from its module when it is first asked for, so ``import trente_rules`` is cheap.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from trente_rules._version import __version__

if TYPE_CHECKING:
    from trente_rules.core.cards import PACK, Card, Colour, parse_cards
    from trente_rules.core.chances import COULEUR, INVERSE, NOIR, ROUGE, Chance, Verdict
    from trente_rules.core.coup import Coup, Row
    from trente_rules.core.errors import (
        BetError,
        CardError,
        ConfigurationError,
        Fault,
        PhaseError,
        PluginError,
        RecordError,
        Refusal,
        RuleError,
        TrenteError,
    )
    from trente_rules.core.house.difference import Change, difference
    from trente_rules.core.house.house import House
    from trente_rules.core.house.loading import dumps_house, load_house, loads_house
    from trente_rules.core.machine import Course, StakeMachine
    from trente_rules.core.money import Amount, Money
    from trente_rules.core.plugins.hookspecs import (
        HouseText,
        LanguageText,
        Named,
        hookimpl,
        houses_in,
    )
    from trente_rules.core.plugins.manager import PluginManager, default_manager
    from trente_rules.core.rules.announcements import Call, coup_calls
    from trente_rules.core.rules.insurance import InsuranceTable
    from trente_rules.core.settlement import close_session, courses, refusals, settle, void_coup
    from trente_rules.core.shoe import Dealt, Shoe, Shuffler, deal_coup
    from trente_rules.core.stakes import Choice, History, Line, Opening, Settlement, Stake
    from trente_rules.fair.entropy import Entropy, SeededShuffler, SystemShuffler
    from trente_rules.fair.provenance import Provenance
    from trente_rules.fair.shoes import (
        Commitment,
        FairCheck,
        FairShoe,
        FairShuffler,
        Reveal,
        verify_fair,
    )
    from trente_rules.records.files import dumps_record, load_record, loads_record, write_record
    from trente_rules.records.permanence import Permanence, load_permanence
    from trente_rules.records.record import Record
    from trente_rules.records.recorder import Recorder, record_of
    from trente_rules.records.replay import Difference, Replay, replay
    from trente_rules.records.seal import verify_record
    from trente_rules.reports.par_sheet import ParSheet, par_sheet
    from trente_rules.table.commands import (
        Announce,
        Burn,
        Choose,
        CloseBets,
        CloseSession,
        Command,
        Correct,
        Cut,
        Deal,
        EndShoe,
        Expose,
        Increase,
        Insure,
        MovePrisoner,
        OpenBets,
        OpenShoe,
        Place,
        PlaceMarker,
        Settle,
        ShowMarker,
        Turn,
        VoidCoup,
        Withdraw,
    )
    from trente_rules.table.events import (
        Announced,
        BetsClosed,
        BetsOpened,
        Burned,
        CardBurned,
        CardTurned,
        ChoiceDropped,
        ChoiceMade,
        ChoiceOffered,
        CoupCorrected,
        CoupDealt,
        CoupSettled,
        CoupVoided,
        CutMade,
        Event,
        MarkerPlaced,
        MarkerShown,
        PrisonerMoved,
        SessionClosed,
        ShoeEnded,
        ShoeOpened,
        StakeIncreased,
        StakeInsured,
        StakePlaced,
        StakeSettled,
        StakeWithdrawn,
    )
    from trente_rules.table.journal import MemoryJournal, recover
    from trente_rules.table.journal_sqlite import SqliteJournal
    from trente_rules.table.snapshot import restore, snapshot
    from trente_rules.table.state import Phase, TableState
    from trente_rules.table.table import Journal, Table

_HOMES: Final = {
    "core.cards": "Card Colour PACK parse_cards",
    "core.chances": "COULEUR Chance INVERSE NOIR ROUGE Verdict",
    "core.coup": "Coup Row",
    "core.errors": (
        "BetError CardError ConfigurationError Fault PhaseError PluginError RecordError "
        "Refusal RuleError TrenteError "
    ),
    "core.house.difference": "Change difference",
    "core.house.house": "House",
    "core.house.loading": "dumps_house load_house loads_house",
    "core.machine": "Course StakeMachine",
    "core.money": "Amount Money",
    "core.plugins.hookspecs": "HouseText LanguageText Named hookimpl houses_in",
    "core.plugins.manager": "PluginManager default_manager",
    "core.rules.announcements": "Call coup_calls",
    "core.rules.insurance": "InsuranceTable",
    "core.settlement": "close_session courses refusals settle void_coup",
    "core.shoe": "Dealt Shoe Shuffler deal_coup",
    "core.stakes": "Choice History Line Opening Settlement Stake",
    "fair.entropy": "Entropy SeededShuffler SystemShuffler",
    "fair.provenance": "Provenance",
    "fair.shoes": "Commitment FairCheck FairShoe FairShuffler Reveal verify_fair",
    "records.files": "dumps_record load_record loads_record write_record",
    "records.permanence": "Permanence load_permanence",
    "records.record": "Record",
    "records.recorder": "Recorder record_of",
    "records.replay": "Difference Replay replay",
    "records.seal": "verify_record",
    "reports.par_sheet": "ParSheet par_sheet",
    "table.commands": (
        "Announce Burn Choose CloseBets CloseSession Command Correct "
        "Cut Deal EndShoe Expose Increase Insure MovePrisoner "
        "OpenBets OpenShoe Place PlaceMarker Settle ShowMarker Turn "
        "VoidCoup Withdraw "
    ),
    "table.events": (
        "Announced BetsClosed BetsOpened Burned CardBurned CardTurned ChoiceDropped "
        "ChoiceMade ChoiceOffered CoupCorrected CoupDealt CoupSettled CoupVoided CutMade "
        "Event MarkerPlaced MarkerShown PrisonerMoved SessionClosed ShoeEnded ShoeOpened "
        "StakeIncreased StakeInsured StakePlaced StakeSettled StakeWithdrawn "
    ),
    "table.journal": "MemoryJournal recover",
    "table.journal_sqlite": "SqliteJournal",
    "table.snapshot": "restore snapshot",
    "table.state": "Phase TableState",
    "table.table": "Journal Table",
}
"""The modules of the public names: what is imported above for type checkers, as data."""
_HOME_OF: Final = {name: home for home, names in _HOMES.items() for name in names.split()}

__all__ = [
    "COULEUR",
    "INVERSE",
    "NOIR",
    "PACK",
    "ROUGE",
    "Amount",
    "Announce",
    "Announced",
    "BetError",
    "BetsClosed",
    "BetsOpened",
    "Burn",
    "Burned",
    "Call",
    "Card",
    "CardBurned",
    "CardError",
    "CardTurned",
    "Chance",
    "Change",
    "Choice",
    "ChoiceDropped",
    "ChoiceMade",
    "ChoiceOffered",
    "Choose",
    "CloseBets",
    "CloseSession",
    "Colour",
    "Command",
    "Commitment",
    "ConfigurationError",
    "Correct",
    "Coup",
    "CoupCorrected",
    "CoupDealt",
    "CoupSettled",
    "CoupVoided",
    "Course",
    "Cut",
    "CutMade",
    "Deal",
    "Dealt",
    "Difference",
    "EndShoe",
    "Entropy",
    "Event",
    "Expose",
    "FairCheck",
    "FairShoe",
    "FairShuffler",
    "Fault",
    "History",
    "House",
    "HouseText",
    "Increase",
    "InsuranceTable",
    "Insure",
    "Journal",
    "LanguageText",
    "Line",
    "MarkerPlaced",
    "MarkerShown",
    "MemoryJournal",
    "Money",
    "MovePrisoner",
    "Named",
    "OpenBets",
    "OpenShoe",
    "Opening",
    "ParSheet",
    "Permanence",
    "Phase",
    "PhaseError",
    "Place",
    "PlaceMarker",
    "PluginError",
    "PluginManager",
    "PrisonerMoved",
    "Provenance",
    "Record",
    "RecordError",
    "Recorder",
    "Refusal",
    "Replay",
    "Reveal",
    "Row",
    "RuleError",
    "SeededShuffler",
    "SessionClosed",
    "Settle",
    "Settlement",
    "Shoe",
    "ShoeEnded",
    "ShoeOpened",
    "ShowMarker",
    "Shuffler",
    "SqliteJournal",
    "Stake",
    "StakeIncreased",
    "StakeInsured",
    "StakeMachine",
    "StakePlaced",
    "StakeSettled",
    "StakeWithdrawn",
    "SystemShuffler",
    "Table",
    "TableState",
    "TrenteError",
    "Turn",
    "Verdict",
    "VoidCoup",
    "Withdraw",
    "__version__",
    "close_session",
    "coup_calls",
    "courses",
    "deal_coup",
    "default_manager",
    "difference",
    "dumps_house",
    "dumps_record",
    "hookimpl",
    "houses_in",
    "load_house",
    "load_permanence",
    "load_record",
    "loads_house",
    "loads_record",
    "par_sheet",
    "parse_cards",
    "record_of",
    "recover",
    "refusals",
    "replay",
    "restore",
    "settle",
    "snapshot",
    "verify_fair",
    "verify_record",
    "void_coup",
    "write_record",
]


def __getattr__(name: str) -> Any:
    """Import a public name from its module when it is first asked for (PEP 562)."""
    home = _HOME_OF.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{home}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """Return the public names."""
    return sorted({*globals(), *__all__})
