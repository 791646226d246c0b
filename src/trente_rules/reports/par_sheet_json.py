"""A PAR sheet as JSON, and the warnings of its stakes."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from attrs import asdict

from trente_rules.core.machine import Policy
from trente_rules.odds.taille import Estimated
from trente_rules.reports.comparison import chances_text, exact_text
from trente_rules.reports.document import percent
from trente_rules.reports.nominal import scope_json
from trente_rules.reports.par_sheet import (
    COUPS,
    PER_COUP,
    PER_STAKE,
    ParSheet,
    StakeFigures,
    WagerFigures,
    infinite_q,
)
from trente_rules.reports.removal_table import json_of_deal
from trente_rules.reports.tailles import TAILLE, TailleFigures


def stake_warnings(sheet: ParSheet, stake: StakeFigures) -> tuple[str, ...]:
    """Return a sentence for each wager whose edge the rounding of a stake moves by a tenth."""
    return tuple(
        f"Warning: a stake of {stake.amount} on {chances_text(sheet.house, line.chances, 'simple')}"
        f"{', insured' if line.wager.insured else ''} ({line.wager.policy}): rounding and least "
        f"premiums make the edge {percent(line.wager.edge)} instead of "
        f"{percent(line.nominal)}."
        for line in stake.wagers
        if line.moved
    )


def sheet_json(sheet: ParSheet) -> dict[str, Any]:
    """Return a sheet as ``par --format json`` prints it: fractions as text, decimals as numbers.

    The keys are promised in docs/cli.md.
    """
    house = sheet.house
    of_coup = {"basis": PER_COUP, "deal": sheet.deal}
    return {
        "house": house.name,
        "title": house.title,
        "fingerprint": house.fingerprint,
        "version": sheet.version,
        "command": sheet.command,
        "deal": sheet.deal,
        "z": sheet.z,
        "unit": house.money.text(1),
        "rounding": house.money.rounding,
        "points": [{**of_coup, **_json(**asdict(line))} for line in sheet.points],
        "refait": {**of_coup, **_json(q=sheet.q), "infinite_q": float(infinite_q(house))},
        "other_ties": {**of_coup, **_json(t=sheet.other_ties)},
        "chances": [{**of_coup, **_json(**asdict(line))} for line in sheet.chances],
        "wagers": [_wager(sheet, line) for line in sheet.wagers],
        "limits": {"minimum": sheet.stake_limits[0], "maximum": sheet.stake_limits[1]},
        "stakes": [_stake(sheet, stake) for stake in sheet.stakes],
        "tailles": [_taille(line) for line in sheet.tailles],
        "removal": json_of_deal(house, sheet.deal),
    }


def _json(**values: Any) -> dict[str, Any]:
    """Return values by their keys: a fraction exactly as well, an estimate with its error."""
    data: dict[str, Any] = {}
    for name, value in values.items():
        match value:
            case Fraction():
                data |= {name: float(value), f"{name}_exact": exact_text(value)}
            case Estimated():
                data |= {name: value.value, f"{name}_error": value.error}
            case Policy():
                data[name] = dict(value.choices)
            case tuple():
                data[name] = list(value)
            case _:
                data[name] = value
    return data


def _maybe(name: str, part: Fraction | None) -> dict[str, Any]:
    return {name: None, f"{name}_exact": None} if part is None else _json(**{name: part})


def _wager(sheet: ParSheet, line: WagerFigures) -> dict[str, Any]:
    wager = line.wager
    return {
        "basis": PER_STAKE,
        "deal": sheet.deal,
        **_json(chance=wager.chance, insured=wager.insured, policy=wager.policy),
        **_json(best=line.least_edge, best_uninsured=line.least_uninsured),
        **_json(worst=line.greatest_edge, payout_odds=line.payout_odds),
        **_maybe("true_odds", line.true_odds),
        **_json(edge=wager.edge),
        **_maybe("edge_per_resolved", wager.per_resolved),
        **_maybe("edge_per_decided", wager.per_decided),
        **_json(**{"return": line.returned}, sd=wager.sd),
        **_json(variance=wager.variance, volatility=line.volatility, hit_frequency=line.more),
        **_json(return_equal=line.same, return_less=line.less, most_won=line.most_won),
        **scope_json(line.scope, sheet.house.money),
        **_estimated("hold_of_tailles", line.held),
        **_json(variance_on_every_coup=line.long_run),
        "bands": [_band(line, coups) for coups in COUPS],
        "bands_apart": [_band(line, coups, apart=True) for coups in COUPS],
    }


def _band(line: WagerFigures, coups: int, *, apart: bool = False) -> dict[str, Any]:
    """Return a band; where it has no meaning its numbers are null."""
    band = line.band(coups, apart=apart)
    return asdict(band) if band else {"coups": coups, "low": None, "high": None, "half": None}


def _stake(sheet: ParSheet, stake: StakeFigures) -> dict[str, Any]:
    insurance = stake.insurance
    return {
        "basis": PER_STAKE,
        "deal": sheet.deal,
        **_json(units=stake.units, amount=stake.amount, named=stake.named),
        "taken": not stake.refused,
        "refused": [{"code": r.code, "message": r.message} for r in stake.refused],
        "unknown": stake.unknown,
        "wagers": [
            _json(
                chances=line.chances,
                insured=line.wager.insured,
                policy=line.wager.policy,
                edge=line.wager.edge,
                nominal=line.nominal,
                moved=line.moved,
            )
            for line in stake.wagers
        ],
        "insurance": insurance
        and {
            **_json(premium=insurance.premium, share=insurance.share),
            **_json(taken=not insurance.refused, refused=insurance.refused),
            **_maybe("gain", stake.gain),
        },
        "warnings": list(stake_warnings(sheet, stake)),
    }


def _estimated(name: str, value: Estimated | None) -> dict[str, Any]:
    return {name: None, f"{name}_error": None} if value is None else _json(**{name: value})


def _taille(line: TailleFigures) -> dict[str, Any]:
    law = line.law
    return {
        "basis": "per taille",
        "deal": TAILLE,
        "marker_from_end": None if line.places is None else list(line.places),
        **_json(cards=line.cards, fewest=line.fewest, most=line.most),
        **_estimated("coups", line.coups),
        **_estimated("refaits", line.refaits),
        **_estimated("refaits_a_coup", line.share),
        "law": law and {str(n): chance for n, chance in enumerate(law) if n >= line.fewest},
        **_json(q=line.q, sure_refaits=line.sure_refaits),
    }
