"""The built-in rules, languages, formats and commands, added by the hooks that plugins use."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from trente_rules.core.plugins.hookspecs import (
    Format,
    HouseText,
    LanguageText,
    Named,
    Subcommand,
    hookimpl,
    houses_in,
)

HOUSES: Final = "trente_variants"
"""The package of the shipped houses, by its module: a distribution may call itself anything."""


@hookimpl
def trente_houses() -> Sequence[HouseText]:
    """Bring the shipped houses."""
    return houses_in(HOUSES)


@hookimpl
def trente_refait_rules() -> Sequence[Named]:
    """Bring the refait rules of the sources, and the one that TOML writes itself."""
    from trente_rules.core.rules import refait

    return (
        Named("none", refait.NoRefait),
        Named("all-lose", refait.AllLose),
        Named("half-loss", refait.HalfLoss),
        Named("prison", refait.Prison),
        Named("custom", refait.Custom),
    )


@hookimpl
def trente_insurance_rules() -> Sequence[Named]:
    """Bring no insurance, a rate, and a premium for each started amount."""
    from trente_rules.core.rules import insurance

    return (
        Named("none", insurance.NoInsurance),
        Named("rate", insurance.Rate),
        Named("per-started", insurance.PerStarted),
    )


@hookimpl
def trente_limit_rules() -> Sequence[Named]:
    """Bring one pair of limits, and several tables."""
    from trente_rules.core.rules import limits

    return (Named("fixed", limits.Fixed), Named("tables", limits.TableTiers))


@hookimpl
def trente_side_bets() -> Sequence[Named]:
    """Bring the two side bets of the online houses, on a row's point, and on any outcome."""
    from trente_rules.core import chances

    return (
        Named("any-tie", chances.AnyTie),
        Named("exact-tie", chances.ExactTie),
        Named("row-point", chances.RowPoint),
        Named("outcome", chances.OutcomeBet),
    )


@hookimpl
def trente_systems() -> Sequence[Named]:
    """Bring the classical staking systems."""
    from trente_rules.core import systems

    return (
        Named("flat", systems.Flat),
        Named("martingale", systems.Martingale),
        Named("grande-martingale", systems.GrandeMartingale),
        Named("paroli", systems.Paroli),
        Named("d'alembert", systems.DAlembert),
        Named("contre-d'alembert", systems.ContreDAlembert),
        Named("montant-et-demontant", systems.MontantEtDemontant),
        Named("fitzroy", systems.Fitzroy),
        Named("labouchere", systems.Labouchere),
        Named("reverse-labouchere", systems.ReverseLabouchere),
        Named("fibonacci", systems.Fibonacci),
        Named("oscars-grind", systems.OscarsGrind),
        Named("1-3-2-6", systems.OneThreeTwoSix),
        Named("serie", systems.Serie),
        Named("intermittence", systems.Intermittence),
        Named("avant-dernier", systems.AvantDernier),
        Named("tiers-du-tout", systems.TiersDuTout),
    )


@hookimpl
def trente_languages() -> Sequence[LanguageText]:
    """Bring every language that has a catalogue among the shipped ones."""
    from importlib.resources import files

    folder = files("trente_rules.core.rules") / "languages"
    return tuple(
        LanguageText(file.name.removesuffix(".toml"), file.name, file.read_text("utf-8"))
        for file in sorted(folder.iterdir(), key=lambda file: file.name)
        if file.name.endswith(".toml")
    )


@hookimpl
def trente_formats() -> Sequence[Format]:
    """Bring text, Markdown, CSV, JSON, HTML and LaTeX."""
    from importlib import import_module

    # By name: the core imports no wing, and formats are of the wing reports.
    built_in: Sequence[Format] = import_module("trente_rules.reports.formats").FORMATS
    return built_in


@hookimpl
def trente_commands() -> Sequence[Subcommand]:
    """Bring the commands of ``trente``."""
    from importlib import import_module

    commands: Sequence[Subcommand] = import_module("trente_rules.cli.commands").COMMANDS
    return commands  # by the module's name: the core imports no wing
