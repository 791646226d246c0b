"""The verification of a certification pack: every file against the manifest, all computed again.

A pack comes from somebody else: nothing outside its folder is opened for it, no link is followed,
and what is read is bounded.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Collection, Iterator, Mapping
from functools import cached_property
from hashlib import sha256
from itertools import islice
from math import isclose
from os import PathLike
from pathlib import Path
from typing import Any, Final

from attrs import evolve, field, frozen

from trente_rules._version import __version__
from trente_rules.core.errors import ConfigurationError, TrenteError, shown
from trente_rules.core.files import read_file
from trente_rules.core.house.house import House
from trente_rules.core.house.loading import house_of_documents, lacks_plugin, loads_house
from trente_rules.core.plugins.manager import PluginManager, default_manager
from trente_rules.core.text import counted
from trente_rules.core.toml import Document
from trente_rules.fair.verification import Check
from trente_rules.records.files import loads_record
from trente_rules.records.replay import replay
from trente_rules.reports.certification.evidence import can_simulate
from trente_rules.reports.certification.installation import NAME
from trente_rules.reports.certification.pack import (
    BASE,
    EXPORT,
    FILES,
    FORM,
    MANIFEST,
    NEEDED,
    PLAN,
    RECORD,
    SHEET,
    SOFTWARE,
    WHOLE,
    PackOptions,
    book_files,
    book_languages,
    made_with,
    pack_in,
    plan_of,
)
from trente_rules.reports.certification.shuffles import data, differing_vectors

MOST_FILES: Final = 1_000
"""The most files and folders that a pack has."""
MOST_BYTES: Final = 4_000_000
"""The most bytes that a file of a pack has: parsed, it takes thirty times as much memory."""
MOST_EXPORT: Final = 48_000_000
"""The most bytes of the export, which is not parsed."""
MOST_TOTAL: Final = 64_000_000
"""The most bytes that all files of a pack have together: they are held at once."""
MOST_COUPS: Final = 10**8
"""The most coups that are simulated again."""
_SUM: Final = re.compile(r"([0-9a-f]{64})  (\S(?:.*\S)?)")
_DIGEST: Final = re.compile(r"[0-9a-f]{64}")
_FIGURE: Final = re.compile(rb"<figure>.*?</figure>\n?", re.DOTALL)
_NUMBERED: Final = re.compile(r"^house/given-\d+-")
_EXACT: Final = "_exact"
_CLOSE: Final = 1e-9
_GIVEN: Final = "house/given-"
_DIGEST_CHECK: Final = "digest"
_NOTHING_MADE: Final = "rules, figures and software"
"""The check of all that is made again, where nothing can be."""
_NAMES: Final = {
    "house": "house",
    "rules": "rules in plain language",
    "deviations": "deviations",
    "par": "PAR sheet",
    "shuffles": "shuffles",
    "simulation": "simulation",
    "sample": "sample",
    "": "cover",
}
"""The checks of what is computed again, by folder, in their order."""
_FIGURES: Final = (
    *(SHEET, EXPORT, "shuffles/vectors.json"),
    *("house/canonical.json", "house/fingerprint.txt"),
)
"""What must be the same in every version."""


@frozen
class PackCheck:
    """The result of a verification: ``checks``, and the ``digest`` of the manifest that was found.

    ``compared`` is whether that digest was compared with one that was noted elsewhere: without it a
    pack only shows that it agrees with itself.
    """

    checks: tuple[Check, ...]
    digest: str
    compared: bool

    @property
    def holds(self) -> bool:
        """Return whether nothing was found that does not hold."""
        return all(check.holds is not False for check in self.checks)

    @property
    def unchecked(self) -> tuple[str, ...]:
        """The checks, besides that of the digest, of what was not all made again and compared."""
        return tuple(
            check.what
            for check in self.checks
            if check.holds is None and check.what != _DIGEST_CHECK
        )

    @property
    def proven(self) -> bool:
        """True where every check was made and holds, that of the digest too."""
        return self.holds and self.compared and not self.unchecked

    def __str__(self) -> str:
        """Return the result in a sentence."""
        wrong = next((check for check in self.checks if check.holds is False), None)
        if wrong is not None:
            return f"Not proven: {wrong.what}: {wrong.words}."
        if self.proven:
            return "Proven: all that can be checked holds."
        if self.unchecked:
            left = ", ".join((*self.unchecked, *(() if self.compared else (_DIGEST_CHECK,))))
            return (
                "Holds as far as it was checked: the files are those of the manifest, but not "
                f"everything was made again and compared here. Open: {left}."
            )
        return (
            "Holds as far as the pack shows: compare its digest with the one that was noted when "
            "it was made (--digest)."
        )


def verify_pack(
    folder: str | PathLike[str],
    *,
    digest: str | None = None,
    plugins: PluginManager | None = None,
) -> PackCheck:
    """Verify the files of a certification pack, and compute its figures again from its house.

    ``digest`` is that of the manifest, as it was noted when the pack was made. Raises
    ``TrenteError``: "not-a-pack" for any other folder, "bad-digest", "file-unreadable",
    "file-too-large".
    """
    wanted = None if digest is None else digest.strip().lower()
    if wanted is not None and not _DIGEST.fullmatch(wanted):
        hint = "64 hexadecimal digits, as printed when the pack was made"
        raise TrenteError(f"{shown(digest)} is not the digest of a pack", "bad-digest", hint)
    found = _files_of(Path(folder))
    listed = _listed(found)
    own = sha256(found[MANIFEST]).hexdigest()
    checks = [_digest_check(own, wanted), _manifest_check(found, listed)]
    try:
        checks += _computed(found, plugins or default_manager())
    except TrenteError as error:
        checks.append(Check("pack", holds=False, words=f"it cannot be computed again: {error}"))
    return PackCheck(tuple(checks), own, wanted is not None)


def _files_of(folder: Path) -> dict[str, bytes]:
    """Return the files of a folder; what is not a file is an empty one, so that it is noticed."""
    if not (folder / MANIFEST).is_file() or not (folder / PLAN).is_file():
        what = f"{str(folder)!r} is not a certification pack: it lacks {MANIFEST} or {PLAN}"
        raise TrenteError(what, "not-a-pack", "name a folder that trente certify made")
    found: dict[str, bytes] = {}
    total = 0
    for name, path, regular in _entries(folder):
        most = min(MOST_EXPORT if name == EXPORT else MOST_BYTES, MOST_TOTAL - total)
        found[name] = read_file(path, most) if regular else b""
        total += len(found[name])
    return found


def _entries(top: Path) -> Iterator[tuple[str, Path, bool]]:
    """Yield what a folder holds but the folders in it: names, paths, whether each is a file.

    No link is followed. Not by ``os.walk``, which is recursive: a stranger's folders may be in each
    other a thousand deep.
    """
    seen, waiting = 0, [top]
    while waiting:
        folder = waiting.pop()
        try:
            with os.scandir(folder) as entries:
                each = sorted(islice(entries, MOST_FILES - seen + 1), key=lambda one: one.name)
            waiting += [folder / one.name for one in each if one.is_dir(follow_symlinks=False)]
            others = [
                (one.name, one.is_file(follow_symlinks=False))
                for one in each
                if not one.is_dir(follow_symlinks=False)
            ]
        except OSError as error:
            reason = (error.strerror or type(error).__name__).lower()
            what = f"{str(folder)!r} cannot be read: {reason}"
            raise TrenteError(what, "file-unreadable") from error
        seen += len(each)
        if seen > MOST_FILES:
            what = f"{str(top)!r} has more than {MOST_FILES} files and folders: not a pack"
            raise TrenteError(what, "not-a-pack")
        for name, regular in others:
            path = folder / name
            yield path.relative_to(top).as_posix(), path, regular


def _listed(found: Mapping[str, bytes]) -> dict[str, str]:
    """Return the manifest: SHA-256 sums by names; ``TrenteError`` ("not-a-pack")."""
    lines = found[MANIFEST].decode("utf-8", "replace").splitlines()
    sums = [_SUM.fullmatch(line) for line in lines]
    listed = {each[2]: each[1] for each in sums if each is not None}
    if not lines or len(listed) != len(lines):
        raise TrenteError(f"{MANIFEST}: not a list of SHA-256 sums", "not-a-pack")
    return listed


def _digest_check(own: str, wanted: str | None) -> Check:
    if wanted is None:
        words = f"compare {own} with the one that was noted when the pack was made"
        return Check(_DIGEST_CHECK, holds=None, words=words)
    if own == wanted:
        return Check(_DIGEST_CHECK, holds=True, words="it is the one you gave")
    return Check(_DIGEST_CHECK, holds=False, words=f"it is {own}, not {wanted}")


def _manifest_check(found: Mapping[str, bytes], listed: Mapping[str, str]) -> Check:
    names = found.keys() - {MANIFEST}
    altered = [name for name in sorted(names & listed.keys()) if _sum(found[name]) != listed[name]]
    wrong = [
        *(f"altered: {name}" for name in altered),
        *(f"missing: {name}" for name in sorted((listed.keys() | NEEDED) - names)),
        *(f"added: {name}" for name in sorted(names - listed.keys())),
    ]
    if wrong:
        return Check("files", holds=False, words=", ".join(wrong))
    return Check("files", holds=True, words=f"{counted(len(names), 'file')}, as in the manifest")


def _sum(held: bytes) -> str:
    return sha256(held).hexdigest()


# --- What is computed again


def _computed(found: Mapping[str, bytes], manager: PluginManager) -> Iterator[Check]:
    """Yield the checks of what is made again from the house of a pack."""
    plan = plan_of(found[PLAN])
    if plan["form"] != FORM:
        yield _other_form(plan)
        return
    text = _text(found, WHOLE)
    try:
        house = loads_house(text, origin=WHOLE, plugins=manager)
    except ConfigurationError as error:
        if not lacks_plugin(text, plugins=manager):
            raise
        yield _not_loaded(error)
        return
    same = house.fingerprint == plan.get("fingerprint")
    words = house.fingerprint if same else f"{house.fingerprint}, not {plan.get('fingerprint')}"
    yield Check("fingerprint", holds=same, words=words)
    yield _replayed(found, house, manager)
    yield from _as_given(found, house, manager)
    wrong = [*differing_vectors(data("vectors.json"))]
    words = ", ".join(wrong) or "the code here gives every one"
    yield Check("test vectors", holds=not wrong, words=words)
    yield from _made_again(found, house, plan, manager)


def _other_form(plan: Mapping[str, Any]) -> Check:
    """Return the check of a pack in a form that this version does not make."""
    made = plan.get("made_with")
    version = made.get(NAME) if isinstance(made, dict) else None
    words = (
        f"not computed again: the pack has the form {shown(plan['form'])}, {FORM} was expected "
        f"(verify it with {NAME} {shown(version or 'that made it')})"
    )
    return Check(_NOTHING_MADE, holds=None, words=words)


def _not_loaded(error: ConfigurationError) -> Check:
    """Return the check of a house that needs a plugin which is not here."""
    first = error.faults[0]
    words = f"the house cannot be loaded here: {first} (is a plugin missing?)"
    return Check(_NOTHING_MADE, holds=None, words=words)


def _text(found: Mapping[str, bytes], name: str) -> str:
    if name not in found:
        raise TrenteError(f"{name} is missing", "not-a-pack")
    try:
        return found[name].decode("utf-8")
    except UnicodeDecodeError as error:
        raise TrenteError(f"{name} is not UTF-8", "not-a-pack") from error


def _replayed(found: Mapping[str, bytes], house: House, manager: PluginManager) -> Check:
    record = loads_record(_text(found, RECORD))
    done = replay(record, house, plugins=manager)
    wrong = [*map(str, done.differences), *done.notes]
    words = "; ".join(wrong[:3]) if wrong else "dealt and settled again, nothing differs"
    return Check("record", holds=not wrong, words=words)


def _as_given(found: Mapping[str, bytes], house: House, manager: PluginManager) -> Iterator[Check]:
    """Yield whether the house as it was given is the one that was loaded."""
    names = sorted((name for name in found if name.startswith(_GIVEN)), key=_number)
    if not names:
        return
    given = [Document(name, _text(found, name)) for name in names]
    same = house_of_documents(given, plugins=manager) == house
    words = f"{'the' if same else 'not the'} house that was loaded"
    yield Check("house as given", holds=same, words=words)


def _number(name: str) -> tuple[int, str]:
    digits = name.removeprefix(_GIVEN).partition("-")[0]
    return int(digits) if digits.isdecimal() and len(digits) < len(str(MOST_FILES)) else 0, name


def _made_again(
    found: Mapping[str, bytes], house: House, plan: Mapping[str, Any], manager: PluginManager
) -> Iterator[Check]:
    options = _options(plan)
    repeats = options.coups <= MOST_COUPS and can_simulate(options.coups)
    base = None
    if BASE in found:
        base = loads_house(_text(found, BASE), origin=BASE, plugins=manager)
    given = [
        Document(_NUMBERED.sub("", name), _text(found, name))
        for name in sorted(found, key=_number)
        if name.startswith(_GIVEN)
    ]
    asked = options if repeats else evolve(options, coups=0)
    languages = book_languages(found)
    unknown = set(languages).difference(manager.names("language"))
    foreign = {name: found[name] for code in unknown for name in book_files(code)}
    made = pack_in(
        languages,
        house,
        given=given,
        against=base,
        options=asked,
        manager=manager,
        foreign=foreign,
    )
    kept = plan.get("made_with")
    then = kept if isinstance(kept, dict) else {}
    remade = _Remade(found, made.files, then, frozenset(foreign), repeats=repeats)
    for folder, title in _NAMES.items():
        if check := remade.check(folder, title):
            yield check
    if check := remade.others():
        yield check
    yield remade.software()


def _options(plan: Mapping[str, Any]) -> PackOptions:
    given = plan.get("options")
    known = {"seed": str, "shoes": int, "coups": int, "date": str}
    if (
        not isinstance(given, dict)
        or given.keys() != known.keys()
        or any(type(given[name]) is not kind for name, kind in known.items())
    ):
        raise TrenteError(f"{PLAN}: options: not those of a pack", "not-a-pack")
    return PackOptions(**given)


@frozen(slots=False)
class _Remade:
    """A pack that was found, and the same one made here.

    ``then`` is what it was made with, ``foreign`` are its files of rules in languages that no
    plugin here brings.
    """

    found: Mapping[str, bytes]
    made: Mapping[str, bytes]
    then: Mapping[str, Any]
    foreign: frozenset[str]
    repeats: bool = field(kw_only=True)

    @cached_property
    def changed(self) -> list[str]:
        """Versions, and the system, that differ here from those of the folder."""
        return [
            f"{name} {shown(self.then.get(name) or 'missing')}, here {shown(now or 'missing')}"
            for name, now in made_with().items()
            if self.then.get(name) != now
        ]

    @property
    def older(self) -> bool:
        """True where a different version of the package made the pack."""
        return bool(self.then.get(NAME) != __version__)

    def _why(self, names: Collection[str]) -> str:
        """Return why files are not compared."""
        missing = ", ".join(book_languages(self.foreign.intersection(names)))
        why = [f"no language {missing} here"] if missing else []
        if not self.foreign.issuperset(names):
            why.append(f"made with {'; '.join(self.changed)}")
        return ", ".join(why)

    def check(self, folder: str, title: str) -> Check | None:
        """Return the check of the files of a folder, None where neither pack has one."""
        names = [
            name
            for name in sorted(self.found.keys() | self.made.keys())
            if name.rpartition("/")[0] == folder
            and not name.startswith(_GIVEN)
            and name not in (MANIFEST, PLAN)
        ]
        if not self.repeats and folder in ("simulation", ""):
            words = "not made again: the simulation is too long, or needs trente-rules[fast]"
            return Check(title, holds=None, words=words)
        if not names:
            return None
        results = {name: self._same(name) for name in names}
        wrong = [name for name, same in results.items() if same is False]
        unknown = [name for name, same in results.items() if same is None]
        if wrong:
            return Check(title, holds=False, words=f"computed otherwise: {', '.join(wrong)}")
        if unknown:
            words = f"not compared: {', '.join(unknown)} ({self._why(unknown)})"
            return Check(title, holds=None, words=words)
        words = f"{counted(len(names), 'file')}, computed again, equal"
        if any(self.found[name] != self.made[name] for name in names):
            words += " in what does not depend on the libraries"
        return Check(title, holds=True, words=words)

    def _same(self, name: str) -> bool | None:
        """Return whether a file is as it is made here, None where that is unknown."""
        there, here = self.found.get(name), self.made.get(name)
        if name in self.foreign:
            return None
        if there == here:
            return True
        if there is None:
            return False
        if here is None:
            return None if self.older else False
        if self.older:
            if name == SHEET:
                return _exact_alike(_loaded(there), _loaded(here))
            return False if name in _FIGURES else None
        if not self.changed:
            return False
        if name.endswith(".json"):
            return _alike(_loaded(there), _loaded(here))
        if name.endswith(".html"):
            return _FIGURE.sub(b"", there) == _FIGURE.sub(b"", here)
        return None if name.endswith(".csv") else False

    def others(self) -> Check | None:
        """Return the check of files in folders that a pack does not have, None without any."""
        names = [
            name
            for name in sorted(self.found)
            if name.rpartition("/")[0] not in _NAMES and not name.startswith((_GIVEN, SOFTWARE))
        ]
        if not names:
            return None
        words = f"not of a pack: {', '.join(names)}"
        return Check("other files", holds=None if self.older else False, words=words)

    def software(self) -> Check:
        """Return whether the program and its environment are those that made the pack."""
        title = "software"
        if self.older:
            return Check(title, holds=None, words=f"not compared: {'; '.join(self.changed)}")
        names = [name for name in {**self.found, **self.made} if name.startswith(SOFTWARE)]
        if wrong := [name for name in names if (name in self.found) != (name in self.made)]:
            words = f"missing, or not of a pack: {', '.join(sorted(wrong))}"
            return Check(title, holds=False, words=words)
        there, here = (_sums(files[FILES]) for files in (self.found, self.made))
        every = sorted(there.keys() | here.keys())
        if differ := [name for name in every if there.get(name) != here.get(name)]:
            words = f"the program here is not the one that made the pack: {', '.join(differ[:5])}"
            return Check(title, holds=False, words=words)
        if not self.changed and all(self.found[name] == self.made[name] for name in names):
            return Check(title, holds=True, words="the same program, in the same environment")
        words = "the same program in a different environment, which is not compared"
        return Check(title, holds=None, words=words)


def _sums(text: bytes) -> dict[str, str]:
    lines = (_SUM.fullmatch(line) for line in text.decode("utf-8", "replace").splitlines())
    return {each[2]: each[1] for each in lines if each is not None}


def _loaded(text: bytes) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _alike(there: Any, here: Any) -> bool:
    """Return whether two values of JSON are equal, decimals but for their last digits.

    What cannot be computed here, such as tailles without numba, is None and not compared.
    """
    if here is None:
        return True
    if isinstance(there, dict) and isinstance(here, dict):
        same = there.keys() == here.keys()
        return same and all(_alike(there[name], here[name]) for name in there)
    if isinstance(there, list) and isinstance(here, list):
        return len(there) == len(here) and all(map(_alike, there, here))
    if isinstance(there, float) or isinstance(here, float):
        numbers = isinstance(there, int | float) and isinstance(here, int | float)
        return numbers and isclose(there, here, rel_tol=_CLOSE, abs_tol=_CLOSE)
    return type(there) is type(here) and bool(there == here)


def _exact_alike(there: Any, here: Any) -> bool | None:
    """Return whether two values of JSON have the same exact fractions; None if one has more.

    With none of those that are made here, it is not the sheet of any version.
    """
    found = [*_fractions_alike(there, here)]
    if False in found or True not in found:
        return False
    return None if None in found else True


def _fractions_alike(there: Any, here: Any) -> Iterator[bool | None]:
    """Yield for each exact fraction whether it is the same, None where only one value has it.

    No deeper than what is made here: the other value is a stranger's.
    """
    if isinstance(there, dict) and isinstance(here, dict):
        for name in there.keys() | here.keys():
            old, new, exact = there.get(name), here.get(name), name.endswith(_EXACT)
            if name in there and name in here:
                yield from (bool(old == new),) if exact else _fractions_alike(old, new)
            elif exact or _has_fractions(new) or isinstance(old, dict | list):
                yield None
    elif isinstance(there, list) and isinstance(here, list):
        if len(there) != len(here):
            yield False
        for one, other in zip(there, here, strict=False):
            yield from _fractions_alike(one, other)
    elif _has_fractions(here):
        yield None


def _has_fractions(made: Any) -> bool:
    if isinstance(made, dict):
        return any(name.endswith(_EXACT) or _has_fractions(made[name]) for name in made)
    return isinstance(made, list) and any(map(_has_fractions, made))
