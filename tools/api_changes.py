"""What of the last release is missing or different today: ``python tools/api_changes.py``.

Compared is what is public: the Python API by griffe, and by their types what griffe does not look
at; and the list of commands, options, error codes, hooks, keys, requests and fields of JSON. Each
change must be named in the changelog, in a table under a heading that ends in "must do", or in
``tests/golden/harmless.toml`` with the reason why nobody needs to do anything. Exits with status 1
for one that is not. ``--write`` keeps what is public today as that of this version.
"""

# ruff: noqa: INP001, T201 - a script that prints what it finds

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final

import griffe
import public_surface
from attrs import frozen
from made_file import parser_of
from results import KEEP_HELP, Result, keep

from trente_rules import __version__

ROOT: Final = Path(__file__).parent.parent
GOLDEN: Final = ROOT / "tests" / "golden"
HARMLESS: Final = GOLDEN / "harmless.toml"
PYTHON: Final = "Python"


@frozen(order=True)
class Change:
    """Something public that is no longer as it was."""

    area: str
    name: str
    what: str

    def __str__(self) -> str:
        """Return the change as one line."""
        return f"{self.area}: {self.name}: {self.what}"

    @property
    def key(self) -> str:
        """The change as ``harmless.toml`` names it."""
        return f"{self.area}: {self.name}"

    @property
    def word(self) -> str:
        """The last word of the name, which the changelog must have as code."""
        words: list[str] = re.findall(r"[^\s.,:()|\[\]]+", self.name)
        return words[-1]


# --- Python ------------------------------------------------------------------------------------


def tree(stubs: Mapping[str, str]) -> griffe.Module:
    """Return the stubs as a package of griffe."""
    modules = griffe.ModulesCollection()
    root: griffe.Module | None = None
    for path in sorted(stubs):  # the root comes first
        name = path.rpartition(".")[2]
        module = griffe.visit(
            name,
            filepath=Path(f"{path}.pyi"),
            code=stubs[path],
            parent=root,
            modules_collection=modules,
        )
        if root is None:
            modules[path] = root = module
        else:
            root.set_member(name, module)
    if root is None:
        raise ValueError("no stubs")
    return root


def python_changes(before: Mapping[str, str], now: Mapping[str, str]) -> Iterator[Change]:
    """Yield what a program that was written for the stubs of before may stumble over."""
    old, new = tree(before), tree(now)
    for found in griffe.find_breaking_changes(old, new):
        path = found.obj.path
        if isinstance(
            found,
            griffe.ParameterMovedBreakage
            | griffe.ParameterRemovedBreakage
            | griffe.ParameterChangedKindBreakage
            | griffe.ParameterChangedDefaultBreakage
            | griffe.ParameterChangedRequiredBreakage
            | griffe.ParameterAddedRequiredBreakage,
        ):
            each = found.old_value or found.new_value
            path = f"{path}({each.name})"
        yield Change(PYTHON, path, found.kind.value)
    yield from _type_changes(old, new)


def _type_changes(old: griffe.Module | griffe.Class, new: object) -> Iterator[Change]:
    """Yield annotations, values and bases that differ: griffe leaves them alone."""
    assert isinstance(new, griffe.Module | griffe.Class)  # noqa: S101 - for the type checker
    for name, before in old.members.items():
        now = new.members.get(name)
        if now is None or before.is_alias or now.is_alias or before.kind != now.kind:
            continue
        if isinstance(before, griffe.Module):
            yield from _type_changes(before, now)
        elif isinstance(before, griffe.Class) and isinstance(now, griffe.Class):
            gone = {str(each) for each in before.bases} - {str(each) for each in now.bases}
            yield from (Change(PYTHON, before.path, f"base {each} was removed") for each in gone)
            yield from _type_changes(before, now)
        elif isinstance(before, griffe.Attribute) and isinstance(now, griffe.Attribute):
            if name != "__all__":
                yield from _differs(before.path, "type", before.annotation, now.annotation)
                yield from _differs(before.path, "value", before.value, now.value)
        elif isinstance(before, griffe.Function) and isinstance(now, griffe.Function):
            yield from _differs(before.path, "returned type", before.returns, now.returns)
            others = {each.name: each for each in now.parameters}
            for each in before.parameters:
                if (other := others.get(each.name)) is not None:
                    path = f"{before.path}({each.name})"
                    yield from _differs(path, "type", each.annotation, other.annotation)


def _differs(path: str, what: str, before: object, now: object) -> Iterator[Change]:
    if str(before) != str(now):
        yield Change(PYTHON, path, f"{what}: it was {before}, it is {now}")


# --- all else ----------------------------------------------------------------------------------


def listed_changes(before: public_surface.Surface, now: public_surface.Surface) -> Iterator[Change]:
    """Yield what is gone from the list or has another fact; and what is new and must be given."""
    for area, names in before.items():
        today = now.get(area, {})
        for name, fact in names.items():
            if name not in today:
                yield Change(area, name, "was removed")
            elif today[name] != fact:
                yield Change(area, name, f"it was {fact}, it is {today[name]}")
        parents = {_parent(name) for name in names}
        for name, fact in today.items():
            # Of a kind, a hook or a command that is itself new nobody has used the old form.
            is_needed = fact.endswith(", needed") and area != "schemas"
            if name not in names and is_needed and _parent(name) in parents:
                yield Change(area, name, "is new and must be given")


def _parent(name: str) -> str:
    return re.split(r"[. ](?=[^. ]*$)", name)[0]


def changes(folder: Path, now: tuple[dict[str, str], public_surface.Surface]) -> list[Change]:
    """Return all changes from what a release kept to what is public now, sorted."""
    stubs, listed = public_surface.kept(folder)
    found = {*python_changes(stubs, now[0]), *listed_changes(listed, now[1])}
    return sorted(found)


# --- what the changelog names ------------------------------------------------------------------


def numbers(version: str) -> tuple[int, ...]:
    """Return a version as numbers, which have an order."""
    return tuple(map(int, version.split(".")))


def releases() -> list[Path]:
    """Return the folders of the releases that kept what was public, oldest first."""
    found = {path.parent for path in GOLDEN.glob(f"*/{public_surface.LIST}")}
    return sorted(found, key=lambda path: numbers(path.name))


def named(changelog: str, version: str) -> set[str]:
    """Return the words that are code in the first cells of tables of what a host must do.

    Read are the sections above that of the version.
    """
    since = re.split(rf"^## {re.escape(version)}\b", changelog, flags=re.MULTILINE)[0]
    words: set[str] = set()
    for section in re.split(r"^#+ ", since, flags=re.MULTILINE):
        if section.partition("\n")[0].rstrip().endswith("must do"):
            for cell in re.findall(r"^\|(.*?[^\\])\|", section, re.MULTILINE):
                for code in re.findall(r"`([^`]+)`", cell):
                    words |= {code, *re.findall(r"[^\s.,:()|\[\]]+", code)}
    return words


def harmless(version: str) -> dict[str, str]:
    """Return the changes since a release that need nothing done, each with the reason."""
    kept: dict[str, dict[str, str]] = tomllib.loads(HARMLESS.read_text("utf-8"))
    return kept.get(version, {})


def unnamed(found: Iterable[Change], changelog: str, version: str) -> list[Change]:
    """Return the changes that neither the changelog nor ``harmless.toml`` names."""
    words, reasons = named(changelog, version), harmless(version)
    return [each for each in found if each.word not in words and each.key not in reasons]


def main(given: list[str] | None = None) -> int:
    """Print the changes since the last releases; return the exit status."""
    parser = parser_of(__doc__)
    parser.add_argument("--write", action="store_true", help="keep what is public today")
    known = [folder.name for folder in releases()]
    parser.add_argument("--against", choices=known, help="compare with this release only")
    parser.add_argument("--keep", action="store_true", help=KEEP_HELP)
    asked = parser.parse_args(given)
    if asked.write:
        public_surface.write(GOLDEN / __version__)
        return 0
    changelog = (ROOT / "CHANGELOG.md").read_text("utf-8")
    now = public_surface.stubs(), public_surface.surface()
    figures: dict[str, str | int] = {
        "public names": sum(text.count("\n") for text in now[0].values()),
        "other facts": sum(map(len, now[1].values())),
    }
    missing = 0
    for folder in [GOLDEN / asked.against] if asked.against else releases()[-2:]:
        found = changes(folder, now)
        silent = unnamed(found, changelog, folder.name)
        missing += len(silent)
        for each in found:
            print(f"{'NOT NAMED ' if each in silent else ''}{each}")
        print(f"{len(found)} changes since {folder.name}, {len(silent)} of them not named")
        figures |= {f"changes since {folder.name}": len(found), "not named": missing}
    if asked.keep:
        keep(Result(part="api", command="make api", passed=not missing, figures=figures))
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
