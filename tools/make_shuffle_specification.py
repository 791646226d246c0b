"""Make the specification of the shuffles that a certification pack holds, and its test vectors.

The specification is docs/entropy.md as it is. The vectors are computed by the second
implementation, never by the one that shuffles for play. They are frozen: a new vector may be added,
one that is there never changes.

    python tools/make_shuffle_specification.py [--check]
"""

# ruff: noqa: INP001

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from made_file import write_or_check

from trente_rules.reports.certification.reference import METHODS

ROOT: Final = Path(__file__).parent.parent
FOLDER: Final = ROOT / "src/trente_rules/reports/certification"
SEED: Final = bytes(range(16)).hex()
SERVER: Final = bytes(range(32)).hex()
TOP: Final = "ff" * 8
"""A word that every bound rejects but powers of two."""


def below(data: str, *bounds: int) -> dict[str, Any]:
    """Return the given part of a vector of numbers drawn from bytes."""
    return {"bytes": data, "bounds": list(bounds)}


def seeded(seed: str, stream: int, packs: int) -> dict[str, Any]:
    """Return the given part of a vector of a seed."""
    return {"seed": seed, "stream": stream, "packs": packs}


def fair(plan: str, nonce: int, *clients: str, beacon: str = "", value: str = "") -> dict[str, Any]:
    """Return the given part of a vector of a provably fair shoe."""
    return {
        "server_seed": SERVER,
        "nonce": nonce,
        "plan": plan,
        "beacon": beacon,
        "beacon_value": value,
        "client_seeds": list(clients),
    }


GIVEN: Final = (
    ("below", below(f"{0:016x}{1:016x}{(1 << 64) - 1:016x}", 1, 52, 1 << 64)),
    ("below", below(f"{TOP}{TOP}{311:016x}", 312)),
    ("below", below(f"{(1 << 64) - 16:016x}{(1 << 64) - 17:016x}", 100)),
    ("below", below(f"{TOP}{(1 << 64) - 2:016x}{TOP}{5:016x}", 3, 3)),
    ("below", below(f"{(1 << 63) + 1:016x}{1 << 63:016x}", (1 << 63) + 1)),
    *(("trente-seeded-1", seeded(SEED, stream, 6)) for stream in (0, 1, 2, (1 << 63) - 1)),
    *(("trente-seeded-1", seeded(SEED, 0, packs)) for packs in (1, 2, 8)),
    ("trente-seeded-1", seeded("00" * 16, 0, 1)),
    ("trente-seeded-1", seeded("ff" * 1024, 7, 4)),
    ("trente-fair-2", fair("packs=6 cut=0-312 burn=5 marker=20-40", 7, "bob:1", "alice")),
    (
        "trente-fair-2",
        fair(
            "packs=6 cut=0-312 burn=5 marker=20-40",
            7,
            "bob:1",
            "alice",
            beacon="drand 4242",
            value="b0a7",
        ),
    ),
    ("trente-fair-2", fair("packs=6 cut=0-312 burn=first-card marker=5-5", 0, "z\u00e9ro", "z")),
    ("trente-fair-2", fair("packs=4 cut=0-208 burn=0 marker=none", (1 << 63) - 1, "a" * 256)),
    ("trente-fair-2", fair("packs=8 cut=none burn=0 marker=none", 42, "one")),
)


def text() -> str:
    """Return the vectors as they are written."""
    vectors = [
        {"method": method, "given": given, "gives": METHODS[method](given)}
        for method, given in GIVEN
    ]
    return json.dumps({"form": "trente-vectors-1", "vectors": vectors}, indent=1) + "\n"


def files() -> Iterator[tuple[Path, str]]:
    """Yield the specification and the vectors, each with its file."""
    yield FOLDER / "specification.md", (ROOT / "docs" / "entropy.md").read_text("utf-8")
    yield FOLDER / "vectors.json", text()


if __name__ == "__main__":
    sys.exit(write_or_check(__doc__, files))
