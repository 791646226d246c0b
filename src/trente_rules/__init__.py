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
    from trente_rules.acceptance import refusals
    from trente_rules.deal.cards import PACK, Card, Colour, parse_cards
    from trente_rules.deal.coup import Coup, Row
    from trente_rules.deal.entropy import Shuffler, SystemShuffler
    from trente_rules.deal.shoe import Dealt, Shoe, deal_coup
    from trente_rules.errors import (
        BetError,
        CardError,
        ConfigurationError,
        Fault,
        PluginError,
        Refusal,
        RuleError,
        TrenteError,
    )
    from trente_rules.house.difference import Change, difference
    from trente_rules.house.house import House
    from trente_rules.house.toml import dumps_house, load_house, loads_house
    from trente_rules.money import Amount, Money
    from trente_rules.plugins.hookspecs import HouseText, LanguageText, Named, hookimpl, houses_in
    from trente_rules.plugins.manager import PluginManager, default_manager
    from trente_rules.rules.announce import Call, coup_calls
    from trente_rules.rules.chances import COULEUR, INVERSE, NOIR, ROUGE, Chance, Verdict
    from trente_rules.rules.insurance import InsuranceTable
    from trente_rules.rules.machine import Course, StakeMachine
    from trente_rules.settlement import (
        Choice,
        Line,
        Settlement,
        close_session,
        courses,
        settle,
        void_coup,
    )
    from trente_rules.stakes import History, Opening, Stake

_HOMES: Final = {
    "acceptance": "refusals",
    "deal.cards": "PACK Card Colour parse_cards",
    "deal.coup": "Coup Row",
    "deal.entropy": "Shuffler SystemShuffler",
    "deal.shoe": "Dealt Shoe deal_coup",
    "errors": "BetError CardError ConfigurationError Fault PluginError Refusal RuleError "
    "TrenteError",
    "house.difference": "Change difference",
    "house.house": "House",
    "house.toml": "dumps_house load_house loads_house",
    "money": "Amount Money",
    "plugins.hookspecs": "HouseText LanguageText Named hookimpl houses_in",
    "plugins.manager": "PluginManager default_manager",
    "rules.announce": "Call coup_calls",
    "rules.chances": "COULEUR INVERSE NOIR ROUGE Chance Verdict",
    "rules.insurance": "InsuranceTable",
    "rules.machine": "Course StakeMachine",
    "settlement": "Choice Line Settlement close_session courses settle void_coup",
    "stakes": "History Opening Stake",
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
    "BetError",
    "Call",
    "Card",
    "CardError",
    "Chance",
    "Change",
    "Choice",
    "Colour",
    "ConfigurationError",
    "Coup",
    "Course",
    "Dealt",
    "Fault",
    "History",
    "House",
    "HouseText",
    "InsuranceTable",
    "LanguageText",
    "Line",
    "Money",
    "Named",
    "Opening",
    "PluginError",
    "PluginManager",
    "Refusal",
    "Row",
    "RuleError",
    "Settlement",
    "Shoe",
    "Shuffler",
    "Stake",
    "StakeMachine",
    "SystemShuffler",
    "TrenteError",
    "Verdict",
    "__version__",
    "close_session",
    "coup_calls",
    "courses",
    "deal_coup",
    "default_manager",
    "difference",
    "dumps_house",
    "hookimpl",
    "houses_in",
    "load_house",
    "loads_house",
    "parse_cards",
    "refusals",
    "settle",
    "void_coup",
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
    """Answer the public names."""
    return sorted({*globals(), *__all__})
