"""Check that two wheels hold the same files, and the data that the package reads."""

from __future__ import annotations

import sys
from pathlib import Path
from zipfile import ZipFile

NEEDED = (
    "trente_rules/py.typed",
    "trente_rules/core/rules/languages/fr.toml",
    "trente_variants/__init__.py",
)


def contents(path: Path) -> dict[str, int]:
    """Return the names of a wheel's files, each with its check sum."""
    with ZipFile(path) as wheel:
        return {entry.filename: entry.CRC for entry in wheel.infolist()}


def main(first: Path, second: Path) -> None:
    """Compare two wheels; leave with a sentence if they differ or lack a file."""
    one, other = contents(first), contents(second)
    if one != other:
        differing = sorted(name for name, _ in one.items() ^ other.items())
        sys.exit(f"{first.name} from the sdist and from the tree differ in {differing}")
    missing = [name for name in NEEDED if name not in one]
    houses = [name for name in one if name.endswith("/house.toml")]
    if missing or not houses:
        sys.exit(f"{first.name} lacks {missing or 'every house.toml'}")
    strange = [name for name in one if not name.startswith(("trente_rules", "trente_variants"))]
    if strange:
        sys.exit(f"{first.name} holds {strange}, which are no part of the package")
    print(f"{first.name}: {len(one)} files, {len(houses)} houses; the same from sdist and tree")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
