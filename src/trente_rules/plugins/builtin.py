"""The rules and languages that this library ships, brought in through its own hooks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from trente_rules.plugins.hookspecs import LanguageText, Named, hookimpl
from trente_rules.rules import chances, insurance, limits, refait

_LANGUAGES: Final = ("fr", "en", "it", "es", "de")


@hookimpl
def trente_refait_rules() -> Sequence[Named]:
    """Bring the refait rules of the sources, and the one that TOML writes itself."""
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
    return (
        Named("none", insurance.NoInsurance),
        Named("rate", insurance.Rate),
        Named("per-started", insurance.PerStarted),
    )


@hookimpl
def trente_limit_rules() -> Sequence[Named]:
    """Bring one pair of limits, and several tables."""
    return (Named("fixed", limits.Fixed), Named("tables", limits.Tables))


@hookimpl
def trente_side_bets() -> Sequence[Named]:
    """Bring the two side bets of the online houses."""
    return (Named("any-tie", chances.AnyTie), Named("exact-tie", chances.ExactTie))


@hookimpl
def trente_systems() -> Sequence[Named]:
    """Bring the classical staking systems."""
    from trente_rules.systems import following, progressions  # noqa: PLC0415 - only when asked for

    return (
        Named("flat", progressions.Flat),
        Named("martingale", progressions.Martingale),
        Named("grande-martingale", progressions.GrandeMartingale),
        Named("paroli", progressions.Paroli),
        Named("d'alembert", progressions.DAlembert),
        Named("contre-d'alembert", progressions.ContreDAlembert),
        Named("labouchere", progressions.Labouchere),
        Named("fibonacci", progressions.Fibonacci),
        Named("oscars-grind", progressions.OscarsGrind),
        Named("serie", following.Serie),
        Named("intermittence", following.Intermittence),
        Named("tiers-du-tout", following.TiersDuTout),
    )


@hookimpl
def trente_languages() -> Sequence[LanguageText]:
    """Bring French, English, Italian, Spanish and German."""
    from importlib.resources import files  # noqa: PLC0415 - only languages that are asked for

    folder = files("trente_rules.rules") / "languages"
    return tuple(
        LanguageText(code, f"{code}.toml", (folder / f"{code}.toml").read_text("utf-8"))
        for code in _LANGUAGES
    )
