"""Try the installed package as a user has it: no extras, no checkout on the path.

The argument is how many houses the checkout holds: as many must come in.
"""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import trente_rules
from trente_rules.core import default_manager

COMMAND = str(Path(sys.executable).with_name("trente"))


def output(*arguments: str) -> str:
    """Return what a command wrote; fail if it did."""
    return subprocess.run([COMMAND, *arguments], check=True, capture_output=True, text=True).stdout


def check(*, holds: bool, what: str) -> None:
    """Leave with a sentence unless something holds."""
    if not holds:
        sys.exit(f"installed package: {what}")
    print(f"  {what}")


def main(shipped: int) -> None:
    """Try the facade, the houses and the command."""
    home = Path(trente_rules.__file__)
    check(holds=home.is_relative_to(sys.prefix), what=f"imported from its own environment, {home}")
    is_version = version("trente-rules")
    check(
        holds=is_version == trente_rules.__version__ and is_version in output("--version").split(),
        what=f"one version everywhere, {is_version}",
    )
    houses = default_manager().names("house")
    check(holds=len(houses) == shipped, what=f"{len(houses)} of {shipped} houses come in")
    for name in houses:
        trente_rules.load_house(name)
    compared = json.loads(output("compare", "--format", "json"))
    names = [house["name"] for house in compared["houses"]]
    check(holds=sorted(names) == sorted(houses), what="trente compare tells of each, as JSON")


if __name__ == "__main__":
    main(int(sys.argv[1]))
