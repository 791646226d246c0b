"""The PAR sheet: the mathematical report of one house, as a regulator reads it."""

from __future__ import annotations

from trente_rules.analysis.par_sheet.computing import par_sheet
from trente_rules.analysis.par_sheet.values import ParSheet

__all__ = ["ParSheet", "par_sheet"]
