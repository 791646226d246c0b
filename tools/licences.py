"""Print each dependency with its licence: ``make licences``; some licences are faults.

What is installed is listed: first what a user gets with the library and all extras, then the tools
of the project. ``tools/licences.toml`` has the licences that are allowed, with the reason for each.

Run ``python tools/licences.py [--keep]``; the exit status is 1 for a licence that is not allowed.
"""

# ruff: noqa: INP001, T201 - a script that says what it does

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Iterable, Mapping
from email.message import Message
from importlib.metadata import Distribution, PackageNotFoundError, distribution, distributions
from pathlib import Path
from typing import Any, Final, cast

from made_file import parser_of
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from results import KEEP_HELP, Result, keep

FILE: Final = Path(__file__).with_name("licences.toml")
LIST: Final[Mapping[str, Any]] = tomllib.loads(FILE.read_text("utf-8"))
SELF: Final = "trente-rules"


def licence(one: Distribution) -> str:
    """Return the licence of a distribution as an SPDX expression, or what its metadata say."""
    name = canonicalize_name(one.metadata["Name"])
    if name in LIST["read"]:
        return str(LIST["read"][name][0])
    metadata = cast("Message", one.metadata)
    expression = metadata.get("License-Expression")
    if expression:
        return str(expression)
    lines = metadata.get_all("Classifier") or []
    said = [line.rpartition("::")[2].strip() for line in lines if line.startswith("License ::")]
    said = [word for word in said if word != "OSI Approved"]
    if not said:
        said = str(metadata.get("License") or "not given").strip().splitlines()[:1]
    return " AND ".join(LIST["words"].get(word, word) for word in said)


def allowed(expression: str) -> bool:
    """Return whether a licence may be used: of alternatives one, of parts each."""
    if "(" in expression:  # alternatives inside parts: each must do
        names = re.split(r"\s+(?:AND|OR|WITH)\s+|[()]", expression)
        return all(name.strip() in LIST["allowed"] for name in names if name.strip())
    return any(
        all(name in LIST["allowed"] for name in re.split(r"\s+(?:AND|WITH)\s+", choice.strip()))
        for choice in re.split(r"\s+OR\s+", expression)
    )


def closure(name: str = SELF, extras: Iterable[str] = ("all",)) -> set[str]:
    """Return the names of a distribution and of all that it brings here, with extras."""
    seen: set[tuple[str, str]] = set()
    ahead = [(name, extra) for extra in ("", *extras)]
    while ahead:
        at = ahead.pop()
        if at in seen:
            continue
        try:
            requires = distribution(at[0]).requires or ()
        except PackageNotFoundError:  # of another platform
            continue
        seen.add(at)
        for requirement in map(Requirement, requires):
            if requirement.marker is None or requirement.marker.evaluate({"extra": at[1]}):
                other = canonicalize_name(requirement.name)
                ahead += [(other, extra) for extra in ("", *requirement.extras)]
    return {name for name, _ in seen}


def installed() -> dict[str, str]:
    """Return the licence of everything that is installed but the library."""
    found = {canonicalize_name(one.metadata["Name"]): licence(one) for one in distributions()}
    return {name: found[name] for name in sorted(found) if name != SELF}


def main(given: list[str] | None = None) -> int:
    """Print both lists; return the exit status."""
    parser = parser_of(__doc__)
    parser.add_argument("--keep", action="store_true", help=KEEP_HELP)
    asked = parser.parse_args(given)
    found, users = installed(), closure()
    for title, here in (("with the library and its extras", True), ("tools of the project", False)):
        print(f"\n{title}")
        for name, expression in found.items():
            if (name in users) == here:
                word = "" if allowed(expression) else "  NOT ALLOWED (tools/licences.toml)"
                print(f"  {name:36}{expression}{word}")
    wrong = [name for name, expression in found.items() if not allowed(expression)]
    print(f"\n{len(found)} distributions, {len(wrong)} with a licence that is not allowed")
    if asked.keep:
        shipped = len(users & found.keys())
        keep(
            Result(
                part="licences",
                command="python tools/licences.py",
                passed=not wrong,
                figures={
                    "with the library": shipped,
                    "tools": len(found) - shipped,
                    "kinds": len(set(found.values())),
                    "not allowed": len(wrong),
                },
            )
        )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
