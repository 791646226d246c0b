"""The houses that trente-rules ships, brought in as any stranger's package brings its own.

Each folder holds one house: ``<name>/house.toml``.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files

from trente_rules.plugins.hookspecs import HouseText, hookimpl


@hookimpl
def trente_houses() -> Sequence[HouseText]:
    """Bring every house of this package, sorted by name."""
    return tuple(
        HouseText(
            folder.name,
            f"trente_variants/{folder.name}/house.toml",
            (folder / "house.toml").read_text("utf-8"),
        )
        for folder in sorted(files(__name__).iterdir(), key=lambda entry: entry.name)
        if (folder / "house.toml").is_file()
    )
