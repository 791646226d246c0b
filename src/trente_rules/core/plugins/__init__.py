"""How strangers' houses, rules, languages and side bets come in, and ours beside them."""

from trente_rules.core.plugins.hookspecs import (
    Format,
    HouseText,
    LanguageText,
    Named,
    Subcommand,
    hookimpl,
    houses_in,
)
from trente_rules.core.plugins.manager import PluginManager, PluginReport, default_manager

__all__ = [
    "Format",
    "HouseText",
    "LanguageText",
    "Named",
    "PluginManager",
    "PluginReport",
    "Subcommand",
    "default_manager",
    "hookimpl",
    "houses_in",
]
