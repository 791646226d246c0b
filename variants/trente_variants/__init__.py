"""The houses that trente-rules ships, brought in as any stranger's package brings its own.

Each folder holds one house: ``<name>/house.toml``.
"""

from __future__ import annotations

from collections.abc import Sequence

from trente_rules.core.plugins.hookspecs import HouseText, hookimpl, houses_in


@hookimpl
def trente_houses() -> Sequence[HouseText]:
    """Bring every house of this package, sorted by name."""
    return houses_in(__name__)
