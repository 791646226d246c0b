"""The installation: the package, Python, dependencies and plugins, with the SHA-256 of their files.

Everything is read from what is installed; nothing is imported for it, and no path, name of a user
or name of a machine is among the results.
"""

from __future__ import annotations

import base64
import csv
import json
import platform
import sys
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from hashlib import sha256
from importlib.metadata import Distribution, distributions
from pathlib import Path, PurePosixPath
from typing import Any, Final

from attrs import frozen
from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name

NAME: Final = "trente-rules"
_PACKAGES: Final = ("trente_rules", "trente_variants")
_MADE: Final = ("__pycache__", ".pyc")
"""What Python makes by itself: it is in no wheel."""
_CHUNK: Final = 1 << 20
_LONGEST_LICENCE: Final = 80


@frozen
class Installed:
    """A distribution that is installed.

    ``requires`` are the names of those installed ones that it needs, as packaging tools compare
    names. ``recorded`` counts the files of its RECORD that have a SHA-256; ``changed`` are those
    that differ from it, ``missing`` those that are not there. ``editable`` is true of a checkout,
    whose RECORD does not list its files. ``digest`` is the SHA-256 of the list of its files as
    ``sha256sum`` would write it, in the order of their names; scripts and metadata, which differ
    between environments, are not in it.
    """

    name: str
    version: str
    licence: str
    licence_is_expression: bool
    requires: tuple[str, ...]
    recorded: int
    changed: tuple[str, ...]
    missing: tuple[str, ...]
    editable: bool
    digest: str

    @property
    def key(self) -> str:
        """The name, as packaging tools compare it."""
        return canonicalize_name(self.name)


@frozen
class Installation:
    """All that runs the game: the package and what it can use, Python and the machine.

    ``files`` are the files of the package by their names in the folder of packages, with their
    SHA-256. ``components`` are the distributions that the package and its plugins can use, itself
    first, then by name. ``others`` are the names and versions of what else is installed.
    """

    files: Mapping[str, str]
    components: tuple[Installed, ...]
    others: tuple[tuple[str, str], ...]
    python: Mapping[str, str]
    machine: Mapping[str, str]

    @property
    def package(self) -> Installed:
        """The package itself."""
        return self.components[0]

    def to_json(self) -> dict[str, Any]:
        """Return the installation as JSON, without the list of files."""
        return {
            "package": _component_json(self.package),
            "python": dict(self.python),
            "machine": dict(self.machine),
            "dependencies": [_component_json(one) for one in self.components[1:]],
            "not_used": [{"name": name, "version": version} for name, version in self.others],
        }

    def sums(self) -> str:
        """Return the files of the package as ``sha256sum`` lists them."""
        return sums_text(self.files)


def sums_text(files: Mapping[str, str]) -> str:
    """Return SHA-256 sums by the names of files, a line each, in the form of ``sha256sum``."""
    return "".join(f"{files[name]}  {name}\n" for name in sorted(files))


def _component_json(one: Installed) -> dict[str, Any]:
    return {
        "name": one.name,
        "version": one.version,
        "licence": one.licence,
        "installed_as": "checkout" if one.editable else "wheel",
        "files_in_record": one.recorded,
        "files_changed": list(one.changed),
        "files_missing": list(one.missing),
        "sha256_of_list": one.digest,
    }


@cache
def installation(plugins: tuple[str, ...] = ()) -> Installation:
    """Return what is installed in this environment.

    ``plugins`` are the distributions of the plugins that are loaded: what they need is in it too.
    Every file is read once a process.
    """
    found: dict[str, Distribution] = {}
    for each in distributions():
        if each.name:  # of two with one name, the first is the one that is imported
            found.setdefault(canonicalize_name(each.name), each)
    used = _used(found, (NAME, *plugins))
    components = tuple(_installed(found[name], needs) for name, needs in used.items())
    others = sorted((each.name, each.version) for name, each in found.items() if name not in used)
    return Installation(_sums(_folders()), components, tuple(others), _python(), _machine())


def _folders() -> Iterator[Path]:
    """Yield the folders of our packages, which a checkout has in two places."""
    from importlib.util import find_spec  # noqa: PLC0415 - only an inventory needs it

    for name in _PACKAGES:
        spec = find_spec(name)
        yield from map(Path, (spec and spec.submodule_search_locations) or ())


def _sums(folders: Iterable[Path]) -> dict[str, str]:
    """Return the SHA-256 of every file of some folders of packages, by their names in these."""
    return {
        path.relative_to(folder.parent).as_posix(): sha256_of(path)
        for folder in dict.fromkeys(map(Path.resolve, folders))
        if folder.is_dir()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not _is_made(path.as_posix())
    }


def _is_made(name: str) -> bool:
    return _MADE[0] in PurePosixPath(name).parts or name.endswith(_MADE[1])


def sha256_of(path: Path) -> str:
    """Return the SHA-256 of a file."""
    digest = sha256()
    with path.open("rb") as opened:
        while chunk := opened.read(_CHUNK):
            digest.update(chunk)
    return digest.hexdigest()


def _used(found: Mapping[str, Distribution], roots: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Return the distributions that some can use, with those that each needs; roots first.

    Of a root every extra that is installed counts, of the others those that are asked for.
    """
    extras: dict[str, set[str]] = {}
    waiting: list[tuple[str, set[str]]] = []
    for root in map(canonicalize_name, roots):
        if root in found:
            every = found[root].metadata.get_all("Provides-Extra") or ()
            waiting.append((root, set(every)))
    first = [name for name, _extras in waiting]
    while waiting:
        name, asked = waiting.pop()
        if name in extras and asked <= extras[name]:
            continue
        extras[name] = extras.get(name, set()) | asked
        waiting += [
            (canonicalize_name(each.name), set(each.extras))
            for each in _needed(found[name], extras[name])
            if canonicalize_name(each.name) in found
        ]
    order = [*dict.fromkeys(first), *sorted(extras.keys() - set(first))]
    return {
        name: tuple(
            sorted(
                {
                    key
                    for each in _needed(found[name], extras[name])
                    if (key := canonicalize_name(each.name)) in found and key != name
                }
            )
        )
        for name in order
    }


def _needed(one: Distribution, extras: Iterable[str]) -> Iterator[Requirement]:
    """Yield what a distribution needs here, with some of its extras."""
    for text in one.requires or ():
        try:
            needed = Requirement(text)
        except InvalidRequirement:  # of a distribution older than the standard
            continue
        marker = needed.marker
        if marker is None or any(marker.evaluate({"extra": extra}) for extra in ("", *extras)):
            yield needed


def _installed(one: Distribution, requires: tuple[str, ...]) -> Installed:
    recorded, changed, missing, sums = 0, list[str](), list[str](), dict[str, str]()
    # ``Distribution.files`` leaves out what is missing, from Python 3.12 on: RECORD is read here.
    listed = csv.reader((one.read_text("RECORD") or "").splitlines())
    for name, stated in (row[:2] for row in listed if len(row) > 1):
        mode, _, value = stated.partition("=")
        if mode != "sha256" or _is_made(name):
            continue
        recorded += 1
        path = Path(str(one.locate_file(name)))
        if not path.is_file():
            missing.append(name)
            continue
        found = sha256_of(path)
        padded = value + "=" * (-len(value) % 4)
        if base64.urlsafe_b64decode(padded).hex() != found:
            changed.append(name)
        if _is_code(PurePosixPath(name)):
            sums[name] = found
    licence, is_expression = _licence(one)
    return Installed(
        name=one.name,
        version=one.version,
        licence=licence,
        licence_is_expression=is_expression,
        requires=requires,
        recorded=recorded,
        changed=tuple(changed),
        missing=tuple(missing),
        editable=_is_editable(one),
        digest=sha256(sums_text(sums).encode()).hexdigest(),
    )


def _is_code(file: PurePosixPath) -> bool:
    """Return whether a file of a RECORD is the same in every environment."""
    return file.parts[0] != ".." and not file.parts[0].endswith(".dist-info")


def _is_editable(one: Distribution) -> bool:
    text = one.read_text("direct_url.json")
    info = json.loads(text).get("dir_info", {}) if text else {}
    return bool(info.get("editable"))


def _licence(one: Distribution) -> tuple[str, bool]:
    """Return the licence that a distribution states, and whether it is an SPDX expression."""
    stated = one.metadata.json
    expression = stated.get("license_expression")
    if expression:
        return str(expression), True
    text = str(stated.get("license") or "").strip()
    if text and "\n" not in text and len(text) <= _LONGEST_LICENCE:
        return text, False
    start = "License :: "
    classified = (
        str(each).rpartition(" :: ")[2]
        for each in stated.get("classifier", ())
        if str(each).startswith(start)
    )
    return ", ".join(classified), False


def _python() -> dict[str, str]:
    from ssl import OPENSSL_VERSION  # noqa: PLC0415 - only an inventory needs it

    executable = Path(sys.executable).resolve() if sys.executable else None
    known = executable is not None and executable.is_file()
    return {
        "implementation": platform.python_implementation(),
        "version": platform.python_version(),
        "build": " ".join(platform.python_build()),
        "compiler": platform.python_compiler(),
        "sha256_of_program": sha256_of(executable) if executable and known else "",
        "openssl": OPENSSL_VERSION,
    }


def _machine() -> dict[str, str]:
    return {
        "system": platform.system(),
        "release": platform.release(),
        "processor": platform.machine(),
        "libc": " ".join(platform.libc_ver()).strip(),
        "byte_order": sys.byteorder,
    }


def plugin_distributions(names: Iterable[str]) -> tuple[str, ...]:
    """Return the distributions of plugins, from their names ``distribution:entry``."""
    found = {canonicalize_name(name.partition(":")[0]) for name in names}
    return tuple(sorted(found - {NAME}))
