"""The certification pack as a value: files by name, made from a house, the same every time."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import date
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from importlib.resources import files as package_files
from itertools import chain
from os import PathLike
from pathlib import PurePath
from platform import machine, python_version, system
from typing import Any, Final

from attrs import asdict, evolve, frozen

from trente_rules._version import __version__
from trente_rules.core.errors import TrenteError, shown
from trente_rules.core.files import write_folder
from trente_rules.core.house.house import House
from trente_rules.core.house.loading import dumps_house, house_of_documents
from trente_rules.core.house.templates import SCHEMA_LINE
from trente_rules.core.plugins.manager import PluginManager, default_manager
from trente_rules.core.rules.announcements import LANGUAGE_CODE
from trente_rules.core.text import counted, json_text
from trente_rules.core.toml import Document
from trente_rules.fair.entropy import seed_bytes
from trente_rules.records.files import dumps_record
from trente_rules.records.replay import replay
from trente_rules.reports.certification.evidence import replay_text, sample, simulation
from trente_rules.reports.certification.installation import (
    NAME,
    installation,
    plugin_distributions,
    sums_text,
)
from trente_rules.reports.certification.pages import Chapter, cover
from trente_rules.reports.certification.sbom import bill_of_materials
from trente_rules.reports.certification.shuffles import DATA, data, export
from trente_rules.reports.document import Figure, Folded, Part, Report, Section
from trente_rules.reports.effects import difference_of
from trente_rules.reports.effects_layout import difference_report
from trente_rules.reports.par_sheet import par_sheet
from trente_rules.reports.par_sheet_layout import sheet_report
from trente_rules.reports.rulebook import rulebook
from trente_rules.reports.rulebook_figures import rulebook_figures

_FORM_NAME: Final = "trente-certification-"
FORM: Final = f"{_FORM_NAME}1"
"""The form of the packs that are made here: files, names and options may differ in a later one."""
MANIFEST: Final = "MANIFEST.sha256"
PLAN: Final = "pack.json"
WHOLE: Final = "house/house.toml"
BASE: Final = "deviations/base-house.toml"
SHEET: Final = "par/par-sheet.json"
EXPORT: Final = "shuffles/shoes.txt"
RECORD: Final = "sample/taille.toml"
SOFTWARE: Final = "software/"
"""The folder of what depends on the environment, not on the house."""
FILES: Final = f"{SOFTWARE}files.sha256"
_FORMS: Final = {"html": ".html", "markdown": ".md", "csv": ".csv", "json": ".json"}
_BOOK: Final = "rules/rules-"
_BOOK_FORMS: Final = ("html", "markdown")


def book_files(code: str) -> tuple[str, ...]:
    """Return the files of the rules in a language: a page, and Markdown."""
    return tuple(f"{_BOOK}{code}{_FORMS[form]}" for form in _BOOK_FORMS)


def book_languages(names: Collection[str]) -> list[str]:
    """Return the languages of which all files of the rules are among these names, sorted."""
    codes = {PurePath(name).stem.removeprefix(PurePath(_BOOK).name) for name in names}
    whole = (code for code in codes if all(name in names for name in book_files(code)))
    return sorted(code for code in whole if LANGUAGE_CODE.fullmatch(code))


_LANGUAGES: Final = ("de", "en", "es", "fr", "it")
"""Those that were built in when this form began: each pack of it has them."""
NEEDED: Final = frozenset(
    (
        *(PLAN, "index.html", "README.txt"),
        *(WHOLE, "house/canonical.json", "house/fingerprint.txt"),
        *chain.from_iterable(map(book_files, _LANGUAGES)),
        *("par/par-sheet.html", SHEET, "par/par-sheet.csv"),
        *(f"shuffles/{name}" for name in DATA),
        *(EXPORT, "shuffles/commands.txt", RECORD, "sample/replay.txt"),
        *(FILES, f"{SOFTWARE}software.json", f"{SOFTWARE}sbom.cdx.json"),
        *(f"{SOFTWARE}plugins.json", f"{SOFTWARE}tests.json"),
    )
)
"""The files that every pack has besides its manifest. A later form may add some, and drops none."""
SEED: Final = bytes(range(16)).hex()
"""The seed of the export, of the sample and of the simulation: it is public."""
MOST_SHOES: Final = 100_000
_LANGUAGE: Final = "en"
_LIBRARIES: Final = ("matplotlib", "numba", "numpy")
"""Libraries of which figures depend: drawn ones, and those of whole tailles."""
Files = dict[str, tuple[bytes, str]]
"""Files of a chapter by name: their bytes, and what each is."""


@frozen(kw_only=True)
class PackOptions:
    """The choices of a pack; with the house and the version they decide every byte of it.

    ``shoes`` are those of the export, ``coups`` those of the simulation, 0 for none. ``seed`` is
    hexadecimal, of 16 bytes or more. ``date`` is ``2026-01-31``, or empty: then no time is in the
    pack. Raises ``TrenteError`` ("bad-pack-option", "bad-seed").
    """

    seed: str = SEED
    shoes: int = 100
    coups: int = 20_000
    date: str = ""

    def __attrs_post_init__(self) -> None:
        """Check that a pack can be made with these."""
        if type(self.shoes) is not int or not 1 <= self.shoes <= MOST_SHOES:
            raise _option_error("shoes", self.shoes, f"a whole number from 1 to {MOST_SHOES}")
        if type(self.coups) is not int or self.coups < 0:
            raise _option_error("coups", self.coups, "a whole number, 0 for no simulation")
        if len(seed_bytes(self.seed)) < len(SEED) // 2:
            raise TrenteError("a seed under 128 bits", "bad-seed", "give 16 bytes or more")
        if self.date and not _is_date(self.date):
            raise _option_error("date", self.date, "a day such as 2026-01-31")

    @property
    def number(self) -> int:
        """The seed as the whole number that a simulation takes."""
        return int.from_bytes(seed_bytes(self.seed), "big")


def _is_date(text: object) -> bool:
    try:
        return isinstance(text, str) and date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


def _option_error(name: str, value: object, hint: str) -> TrenteError:
    return TrenteError(f"{name}: {shown(value)} cannot be used", "bad-pack-option", hint)


@frozen
class CertificationPack:
    """A certification pack: ``files`` are by their paths in its folder, the manifest among them."""

    house: House
    options: PackOptions
    files: Mapping[str, bytes]

    @property
    def digest(self) -> str:
        """The SHA-256 of the manifest: it covers every byte of the pack."""
        return sha256(self.files[MANIFEST]).hexdigest()

    def write(self, folder: str | PathLike[str]) -> None:
        """Write the pack as a new folder, whole or not at all.

        Raises ``TrenteError`` ("file-exists", "file-unwritable").
        """
        write_folder(folder, self.files)


def certification_pack(
    house: House,
    *,
    given: Sequence[Document] = (),
    against: House | None = None,
    options: PackOptions | None = None,
    plugins: PluginManager | None = None,
) -> CertificationPack:
    """Return the pack of a house: all files that a test laboratory asks for, none written yet.

    ``given`` are the documents of the house as ``house_documents`` returns them. ``against`` is the
    house that deviations are listed from, by default the last of those that it extends. The same
    house, options, version, plugins and machine give the same bytes. Raises ``TrenteError`` as the
    reports do, and ("needs-fast") for a simulation of more coups than plain Python affords.
    """
    manager, asked = plugins or default_manager(), options or PackOptions()
    return pack_in(
        manager.names("language"),
        house,
        given=given,
        against=against,
        options=asked,
        manager=manager,
    )


def pack_in(
    languages: Collection[str],
    house: House,
    *,
    given: Sequence[Document],
    against: House | None,
    options: PackOptions,
    manager: PluginManager,
    foreign: Mapping[str, bytes] | None = None,
) -> CertificationPack:
    """Return a pack as ``certification_pack`` does, with the rules in these languages.

    ``foreign`` are the files of those that no plugin here brings: they are taken as they are.
    """
    base = against
    if base is None and len(given) > 1:
        base = house_of_documents(given[-1:], plugins=manager)
    chapters = [
        _rules_in_force(house, given),
        _rules_for_players(house, languages, foreign or {}, manager),
        _deviations(house, base, manager),
        _sheet(house, manager),
        _shuffles(house, options),
        *_simulated(house, options, manager),
        _played(house, options, manager),
        _software(house, options, manager),
    ]
    files = {name: held for chapter in chapters for name, (held, _what) in chapter.files.items()}
    files[PLAN] = _json(_plan(house, options))
    page = cover(house, chapters, options.date)
    files["index.html"] = _bytes(manager.render("html", page, None))
    plain = _STYLE.sub("", str(manager.render("text", page, _WIDTH)))
    files["README.txt"] = plain.encode()
    listed = sums_text({name: sha256(held).hexdigest() for name, held in files.items()})
    return CertificationPack(house, options, {**files, MANIFEST: listed.encode()})


_WIDTH: Final = 78
_STYLE: Final = re.compile(r"\x1b\[[0-9;]*m")


def _plan(house: House, options: PackOptions) -> dict[str, Any]:
    return {
        "form": FORM,
        "house": house.name,
        "fingerprint": house.fingerprint,
        "options": asdict(options),
        "made_with": made_with(),
    }


def made_with() -> dict[str, str]:
    """Return what the figures and pages of a pack depend on, besides the house."""
    return {
        NAME: __version__,
        "python": python_version(),
        "system": f"{system()} {machine()}",
        **{name: _version(name) for name in _LIBRARIES},
    }


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return ""


def _bytes(written: str | bytes) -> bytes:
    return written.encode() if isinstance(written, str) else written


def _json(value: object) -> bytes:
    return f"{json_text(value)}\n".encode()


# --- The chapters


def _rules_in_force(house: House, given: Sequence[Document]) -> Chapter:
    files: Files = {
        WHOLE: (
            (SCHEMA_LINE + dumps_house(house)).encode(),
            "The house as it is loaded: every key of it, self-contained.",
        ),
        "house/canonical.json": (
            house.canonical_rules.encode("ascii"),
            (
                "The rules that are played, as they are hashed: the SHA-256 of this file is the "
                "fingerprint."
            ),
        ),
        "house/fingerprint.txt": (f"{house.fingerprint}\n".encode(), "The fingerprint."),
    }
    for number, document in enumerate(given, 1):
        what = "The house as it was given." if number == 1 else "What it extends, as it was given."
        files[f"house/given-{number}-{_file_name(document)}"] = (document.text.encode(), what)
    return Chapter("Which rules are played?", files)


def _file_name(document: Document) -> str:
    """Return the name of a document without its folders, of letters that every system has."""
    path = PurePath(document.origin.replace("\\", "/"))
    name = path.parent.name if path.name == "house.toml" else path.stem
    return f"{re.sub(r'[^A-Za-z0-9._-]+', '-', name)[:40].strip('.-') or 'house'}.toml"


def _rules_for_players(
    house: House, languages: Collection[str], foreign: Mapping[str, bytes], manager: PluginManager
) -> Chapter:
    figures, files, known = rulebook_figures(house), Files(), manager.names("language")
    for code in sorted(languages):
        what = f"The rules in plain language ({code}), with the exact odds."
        if code in known:
            book = rulebook(house, code, figures, plugins=manager)
            files |= _rendered(_BOOK + code, book, what, manager, *_BOOK_FORMS)
        else:
            page, text = book_files(code)
            files |= {page: (foreign[page], what), text: (foreign[text], "")}
    return Chapter("What do players read?", files)


def _deviations(house: House, base: House | None, manager: PluginManager) -> Chapter:
    title = "How do the rules differ from those of the law?"
    if base is None:
        words = "No house was named to compare with, and this one extends none (--against)."
        return Chapter(title, {}, words)
    report = difference_report(difference_of(base, house, manager), whole=True)
    report = evolve(report, page=True, title=f"{house.title}: deviations from {base.title}")
    what = f"Every key that differs from {base.name}, with what it does to the bank's edge."
    files = _rendered("deviations/deviations", report, what, manager, "html", "csv", "json")
    text = (SCHEMA_LINE + dumps_house(base)).encode()
    files[BASE] = (text, f"{base.name}, the house that is compared with.")
    return Chapter(title, files)


def _sheet(house: House, manager: PluginManager) -> Chapter:
    sheet = par_sheet(house, command=f"trente par {WHOLE}", compute=True)
    what = "The PAR sheet: odds, edges, deviations, tailles, each with its basis."
    files = _rendered("par/par-sheet", sheet_report(sheet), what, manager, "html", "json", "csv")
    return Chapter("What do the rules cost the player?", files)


def _shuffles(house: House, options: PackOptions) -> Chapter:
    packs = house.shoe.packs
    commands = [
        "# The files of this folder; --out writes a new file.",
        (
            f"trente rng export shoes --source seeded --seed {options.seed} "
            f"--shoes {options.shoes} --packs {packs} --out shoes.txt"
        ),
        "python reference.py vectors.json",
        f"python reference.py shoes.txt {options.seed} {packs}",
        "",
        "# As many random numbers and shoes as a battery of tests needs, by the generator of the",
        "# operating system, which shuffles for real tables.",
        "trente rng export raw --bytes 100000000 --out raw.bin",
        f"trente rng export shoes --shoes 1000000 --packs {packs} --out million.txt",
    ]
    what = {
        "specification.md": "The shuffles, byte by byte: sources, algorithm, what each promises.",
        "vectors.json": "Test vectors: frozen, and the same in every release.",
        "reference.py": "A second implementation, of the standard library of Python alone.",
    }
    files: Files = {f"shuffles/{name}": (data(name), what[name]) for name in DATA}
    shoes = f"{counted(options.shoes, 'shoe')} of the seed {options.seed}"
    files[EXPORT] = (
        export(options.seed, packs, options.shoes),
        f"A small export: {shoes}, one a line.",
    )
    files["shuffles/commands.txt"] = (
        "".join(f"{line}\n" for line in commands).encode(),
        "The commands that make this export again, and large ones.",
    )
    return Chapter("Are the cards random?", files)


def _simulated(house: House, options: PackOptions, manager: PluginManager) -> Iterator[Chapter]:
    if options.coups:
        report = simulation(house, options.coups, options.number)
        what = f"{options.coups:,} coups, next to the exact edges."
        files = _rendered("simulation/simulation", report, what, manager, "html", "json")
        yield Chapter("Does a simulation agree?", files)


def _played(house: House, options: PackOptions, manager: PluginManager) -> Chapter:
    record = sample(house, options.seed)
    found = replay(record, house, plugins=manager)
    files: Files = {
        RECORD: (
            dumps_record(record).encode(),
            "A taille of the seed, as a table records it: cards, stakes, settlements.",
        ),
        "sample/replay.txt": (replay_text(found).encode(), "The same taille, settled again."),
    }
    return Chapter("Can play be audited?", files)


def _software(house: House, options: PackOptions, manager: PluginManager) -> Chapter:
    loaded = [one for one in manager.reports() if not one.builtin]
    plugins = plugin_distributions(one.name for one in loaded)
    found = installation(plugins)
    bill = bill_of_materials(plugins, timestamp=f"{options.date}T00:00:00Z" if options.date else "")
    added = {
        "used_by_the_house": plugins_of(house),
        "loaded": [asdict(one) for one in loaded],
    }
    files: Files = {
        f"{SOFTWARE}software.json": (
            _json(found.to_json()),
            (
                "Versions and SHA-256 of the package, Python and every dependency, and which files "
                "differ from what was installed (RECORD)."
            ),
        ),
        FILES: (
            found.sums().encode(),
            "Every file of the package; check it by sha256sum -c in its folder.",
        ),
        f"{SOFTWARE}sbom.cdx.json": (_json(bill), "The software bill of materials (CycloneDX)."),
        f"{SOFTWARE}plugins.json": (_json(added), "The plugins that were loaded."),
        f"{SOFTWARE}tests.json": (_tests(), "The results of the tests of this release."),
    }
    return Chapter("Which program is it?", files)


def plugins_of(house: House) -> list[str]:
    """Return the plugins whose rules a house plays by."""
    chosen = (
        *(house.refait, house.insurance, house.limits),
        *(own.rule for own in house.refaits),
        *(bet.wins_on for bet in house.side_bets),
    )
    return sorted({each.plugin for each in chosen if each.plugin})


def _tests() -> bytes:
    kept = package_files("trente_rules.reports") / "quality.json"
    if kept.is_file():
        return kept.read_bytes()
    return _json({"note": "no summary of tests is kept in this release"})


def _rendered(name: str, report: Report, what: str, manager: PluginManager, *forms: str) -> Files:
    return {
        name + _FORMS[form]: (_bytes(_page(form, report, manager)), what if not number else "")
        for number, form in enumerate(forms)
    }


def _page(form: str, report: Report, manager: PluginManager) -> str | bytes:
    """Return a report in a format; without its figures where nothing can draw them."""
    try:
        return manager.render(form, report, None)
    except TrenteError as error:
        if error.code != "needs-report":
            raise
    return manager.render(form, evolve(report, parts=_without_figures(report.parts)), None)


def _without_figures(parts: Iterable[Part]) -> Iterator[Part]:
    for part in parts:
        if isinstance(part, Section | Folded):
            yield evolve(part, parts=_without_figures(part.parts))
        elif not isinstance(part, Figure):
            yield part


def plan_of(text: bytes) -> dict[str, Any]:
    """Return the plan of a pack, of any form; ``TrenteError`` ("not-a-pack") for anything else."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict) or not str(found.get("form")).startswith(_FORM_NAME):
        hint = "trente certify makes one"
        raise TrenteError(f"{PLAN}: not the plan of a certification pack", "not-a-pack", hint)
    return found
