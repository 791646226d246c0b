"""A PAR sheet as the value of a JSON document; the keys are kept stable, see docs/cli.md."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from trente_rules.core.machine import Policy
from trente_rules.reports.comparison import exact_text
from trente_rules.reports.par_sheet import (
    PER_COUP,
    PER_STAKE,
    Estimate,
    ParSheet,
    StakeFigures,
    TailleFigures,
    WagerFigures,
    infinite_q,
)
from trente_rules.reports.par_sheet_layout import COUPS, TAILLE, warning


def sheet_json(sheet: ParSheet) -> dict[str, Any]:
    """Return a sheet as ``par --format json`` prints it: fractions as text, decimals as numbers."""
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
        "points": [
            {
                **of_coup,
                "point": line.point,
                **_both("row", line.row),
                **_both("tie", line.tie),
                "refait": line.refait,
            }
            for line in sheet.points
        ],
        "refait": {**of_coup, **_both("q", sheet.q), "infinite_q": float(infinite_q(house))},
        "other_ties": {**of_coup, **_both("t", sheet.other_ties)},
        "chances": [
            {
                **of_coup,
                "chance": line.chance,
                **_both("win", line.win),
                **_both("lose", line.lose),
                **_both("apres", line.apres),
                **_both("refait", line.refait),
            }
            for line in sheet.chances
        ],
        "wagers": [_wager(sheet, line) for line in sheet.wagers],
        "limits": {"minimum": sheet.stake_limits[0], "maximum": sheet.stake_limits[1]},
        "stakes": [_stake(sheet, stake) for stake in sheet.stakes],
        "tailles": [_taille(sheet, line) for line in sheet.tailles],
    }


def _both(name: str, part: Fraction | None) -> dict[str, Any]:
    if part is None:
        return {name: None, f"{name}_exact": None}
    return {name: float(part), f"{name}_exact": exact_text(part)}


def _policy(policy: Policy) -> dict[str, str]:
    return dict(policy.choices)


def _wager(sheet: ParSheet, line: WagerFigures) -> dict[str, Any]:
    wager = line.wager
    bands = [line.band(coups) for coups in COUPS]
    return {
        "basis": PER_STAKE,
        "deal": sheet.deal,
        "chance": wager.chance,
        "insured": wager.insured,
        "policy": _policy(wager.policy),
        "best": line.least_edge,
        "worst": line.greatest_edge,
        **_both("payout_odds", line.payout_odds),
        **_both("true_odds", line.true_odds),
        **_both("edge", wager.edge),
        **_both("edge_per_resolved", wager.per_resolved),
        **_both("edge_per_decided", wager.per_decided),
        **_both("return", line.returned),
        "sd": wager.sd,
        **_both("variance", wager.variance),
        "volatility": line.volatility,
        **_both("hit_frequency", line.more),
        **_both("return_equal", line.same),
        **_both("return_less", line.less),
        **_both("most_won", line.most_won),
        "bands": [
            {"coups": band.coups, "low": band.low, "high": band.high, "half": band.half}
            for band in bands
        ],
    }


def _stake(sheet: ParSheet, stake: StakeFigures) -> dict[str, Any]:
    insurance = stake.insurance
    return {
        "basis": PER_STAKE,
        "deal": sheet.deal,
        "units": stake.units,
        "amount": stake.amount,
        "named": list(stake.named),
        "taken": not stake.refused,
        "refused": [{"code": r.code, "message": r.message} for r in stake.refused],
        "unknown": stake.unknown,
        "wagers": [
            {
                "chances": list(line.chances),
                "insured": line.wager.insured,
                "policy": _policy(line.wager.policy),
                **_both("edge", line.wager.edge),
                **_both("nominal", line.nominal),
                "moved": line.moved,
            }
            for line in stake.wagers
        ],
        "insurance": insurance
        and {
            "premium": insurance.premium,
            **_both("share", insurance.share),
            "taken": not insurance.refused,
            "refused": insurance.refused,
            **_both("gain", stake.gain),
        },
        "warnings": list(warning(stake, sheet)),
    }


def _taille(sheet: ParSheet, line: TailleFigures) -> dict[str, Any]:
    return {
        "basis": "per taille",
        "deal": TAILLE,
        "marker_from_end": line.from_end,
        "cards": line.cards,
        "fewest": line.fewest,
        "most": line.most,
        **_estimate("coups", line.coups),
        **_estimate("refaits", line.refaits),
        **_estimate("refaits_a_coup", line.share),
        **_both("q", line.q),
        **_both("sure_refaits", line.sure_refaits),
        "shoes": sheet.tailles_dealt,
        "seed": sheet.tailles_seed,
    }


def _estimate(name: str, value: Estimate) -> dict[str, float]:
    return {name: value.mean, f"{name}_error": value.error}
