"""The certification pack: the same every time, all of it verified, any change of it found."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from hashlib import sha256
from importlib.resources import files as resources
from pathlib import Path
from typing import Any, Final

import pytest
from attrs import evolve, frozen
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from trente_rules import (
    House,
    Named,
    PluginManager,
    TrenteError,
    dumps_house,
    hookimpl,
    load_house,
    loads_house,
)
from trente_rules._version import __version__
from trente_rules.core import LanguageText
from trente_rules.core.house.loading import house_documents
from trente_rules.core.rules.refait import HalfLoss
from trente_rules.reports import PackOptions, certification_pack, verify_pack
from trente_rules.reports.certification import evidence, verification
from trente_rules.reports.certification import pack as packs
from trente_rules.reports.certification.pack import MANIFEST, NEEDED, PLAN, CertificationPack
from trente_rules.reports.certification.verification import PackCheck
from trente_rules.simulation.plain import simulate_plain

SMALL: Final = PackOptions(shoes=2, coups=0)
TEXT: Final = '[house]\nname = "mine"\nextends = "jeu-casino"\n[money]\ncurrency = "XTS"\n'
"""A house of two packs, with few coups: quickly made."""


@pytest.fixture(scope="module")
def mine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the file of a house that extends another."""
    file = tmp_path_factory.mktemp("houses") / "mine.toml"
    file.write_text(TEXT, "utf-8")
    return file


@pytest.fixture(scope="module")
def made(mine: Path) -> CertificationPack:
    """Return a small pack of the house, made once."""
    return certification_pack(load_house(mine), given=house_documents(mine), options=SMALL)


@pytest.fixture
def folder(made: CertificationPack, tmp_path: Path) -> Path:
    """Return the folder of the pack."""
    made.write(tmp_path / "pack")
    return tmp_path / "pack"


@pytest.fixture
def quick(made: CertificationPack, monkeypatch: pytest.MonkeyPatch) -> None:
    """Take the pack that is made again from the one that was made: it is the same."""
    monkeypatch.setattr(verification, "pack_in", lambda *_a, **_o: made)


@pytest.fixture
def manifest_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compute nothing again: the manifest has to find the change."""
    monkeypatch.setattr(verification, "_computed", lambda *_a: ())


def listed_again(folder: Path) -> None:
    """Write the manifest anew, as somebody does who alters files."""
    names = sorted(
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*")
        if path.is_file() and path.name != MANIFEST
    )
    sums = (f"{sha256((folder / name).read_bytes()).hexdigest()}  {name}\n" for name in names)
    (folder / MANIFEST).write_text("".join(sums), "utf-8")


def wrong(found: PackCheck) -> dict[str, str]:
    """Return the checks that do not hold, with their words."""
    return {check.what: check.words for check in found.checks if check.holds is False}


def altered(folder: Path, made: CertificationPack, **plan: Any) -> PackCheck:
    """Put false rules and an empty PAR sheet into a pack, with its plan changed, and verify it.

    The manifest is written anew, and its digest is the one that is given: as whoever makes a false
    pack does.
    """
    (folder / "rules" / "rules-en.html").write_text("You always win", "utf-8")
    if (folder / "par").is_dir():
        (folder / "par" / "par-sheet.json").write_text("{}", "utf-8")
    (folder / PLAN).write_text(json.dumps(json.loads(made.files[PLAN]) | plan), "utf-8")
    listed_again(folder)
    return verify_pack(folder, digest=sha256((folder / MANIFEST).read_bytes()).hexdigest())


def made_by(made: CertificationPack, **versions: str) -> dict[str, str]:
    """Return what a pack was made with, some of it changed: by the plan, anybody can claim it."""
    return {**json.loads(made.files[PLAN])["made_with"], **versions}


def test_the_pack_has_what_a_laboratory_asks_for(made: CertificationPack, mine: Path) -> None:
    """Issue 17: each file by name, and none without its line on the cover and in the manifest."""
    names = set(made.files)
    assert {
        *("index.html", "README.txt", MANIFEST, PLAN, "house/house.toml"),
        *("house/given-1-mine.toml", "house/given-2-jeu-casino.toml"),
        *("house/canonical.json", "house/fingerprint.txt", "par/par-sheet.json"),
        *("rules/rules-en.html", "rules/rules-fr.md", "deviations/deviations.html"),
        *("shuffles/specification.md", "shuffles/vectors.json", "shuffles/shoes.txt"),
        *("sample/taille.toml", "sample/replay.txt", "software/software.json"),
        *("software/sbom.cdx.json", "software/tests.json", "software/files.sha256"),
    } <= names
    cover, readme = made.files["index.html"].decode(), made.files["README.txt"].decode()
    manifest = made.files[MANIFEST].decode()
    for name in names - {MANIFEST}:
        assert f"  {name}\n" in manifest
        if name not in ("index.html", "README.txt", PLAN):
            assert f'href="{name}"' in cover
            assert name in readme
    assert "\x1b" not in readme
    assert max(map(len, readme.splitlines())) < 80
    optional = {name for name in names if name.startswith(("house/given-", "deviations/"))}
    assert names - optional - {MANIFEST} == NEEDED
    house = load_house(mine)
    assert f"f1:{sha256(made.files['house/canonical.json']).hexdigest()}" == house.fingerprint
    assert json.loads(made.files["par/par-sheet.json"])["fingerprint"] == house.fingerprint


@pytest.mark.slow
@pytest.mark.nightly
def test_two_packs_have_the_same_bytes(made: CertificationPack, mine: Path) -> None:
    """The same house, options, version and machine: the same files and the same digest."""
    again = certification_pack(load_house(mine), given=house_documents(mine), options=SMALL)
    assert again.files == made.files
    assert again.digest == made.digest


def test_no_place_of_this_machine_is_in_it(made: CertificationPack) -> None:
    """No folder, no name of a user or of a machine is in any file, and no time."""
    secrets = {str(Path.cwd()), str(Path(packs.__file__).parent), str(Path(sys.prefix))}
    for name, held in made.files.items():
        assert not [each for each in secrets if each.encode() in held], name


@pytest.mark.slow
def test_a_pack_as_it_was_made_holds(folder: Path, made: CertificationPack) -> None:
    """All is computed again and equal; with the digest it is proven, without it is not."""
    found = verify_pack(folder, digest=made.digest.upper())
    assert wrong(found) == {}
    assert (found.holds, found.compared, found.digest) == (True, True, made.digest)
    assert str(found) == "Proven: all that can be checked holds."
    assert [check.what for check in found.checks if check.holds is None] == []


@pytest.mark.usefixtures("quick")
def test_a_pack_without_its_digest_only_agrees_with_itself(folder: Path) -> None:
    """Nothing is proven by a manifest that whoever alters a file can write anew."""
    found = verify_pack(folder)
    assert found.holds
    assert str(found).startswith("Holds as far as the pack shows")


@pytest.mark.slow
@pytest.mark.usefixtures("manifest_alone")
def test_every_file_that_is_altered_is_named(folder: Path, made: CertificationPack) -> None:
    """One byte of any file, changed: the file is named by the manifest."""
    for name, held in made.files.items():
        if name == MANIFEST:
            continue
        (folder / name).write_bytes(bytes((held[0] ^ 1,)) + held[1:])
        assert wrong(verify_pack(folder)) == {"files": f"altered: {name}"}
        (folder / name).write_bytes(held)


@pytest.mark.slow
@pytest.mark.nightly
@pytest.mark.usefixtures("manifest_alone")
@settings(max_examples=12, phases=[Phase.generate])
@given(st.data())
def test_any_byte_that_is_altered_is_found(
    made: CertificationPack, tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    """Property: a change of any byte of any file, at any place, is found under the digest."""
    folder = tmp_path_factory.mktemp("packs") / "pack"
    made.write(folder)
    name = data.draw(st.sampled_from(sorted(made.files)))
    held = made.files[name]
    place = data.draw(st.integers(0, len(held) - 1))
    other = data.draw(st.integers(1, 255))
    altered = bytearray(held)
    altered[place] ^= other
    (folder / name).write_bytes(altered)
    try:
        found = verify_pack(folder, digest=made.digest)
    except TrenteError as error:
        assert error.code == "not-a-pack"  # noqa: PT017 - the other way to find it
    else:
        assert not found.holds


@pytest.mark.usefixtures("quick")
def test_missing_and_added_files_are_named(folder: Path) -> None:
    """A file that is gone, one that was added, a link in the place of one."""
    (folder / "README.txt").unlink()
    (folder / "rules" / "more.txt").write_text("new", "utf-8")
    (folder / "index.html").rename(folder.parent / "index.html")
    (folder / "index.html").symlink_to(folder.parent / "index.html")
    (folder / "linked").symlink_to(folder.parent)
    assert wrong(verify_pack(folder))["files"].split(", ") == [
        *("altered: index.html", "missing: README.txt"),
        *("added: linked", "added: rules/more.txt"),
    ]


@pytest.mark.usefixtures("manifest_alone")
def test_files_that_are_too_much_together_are_refused(
    folder: Path, made: CertificationPack, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Many large files are not read into memory: the whole is bounded, not each alone."""
    size = sum(map(len, made.files.values()))
    monkeypatch.setattr(verification, "MOST_TOTAL", size)
    assert verify_pack(folder).holds
    (folder / "more").write_bytes(b"x")
    with pytest.raises(TrenteError) as caught:
        verify_pack(folder)
    assert caught.value.code == "file-too-large"


@pytest.mark.usefixtures("manifest_alone")
def test_a_file_that_would_take_much_memory_is_refused(
    folder: Path, made: CertificationPack
) -> None:
    """A file that is parsed may have 4 MB, not more: a list of lists takes thirty times as much."""
    (folder / PLAN).write_bytes(b"[" + b"[]," * 1_400_000 + b"[]]")
    with pytest.raises(TrenteError) as caught:
        verify_pack(folder)
    assert caught.value.code == "file-too-large"
    assert PLAN in str(caught.value)
    (folder / PLAN).write_bytes(made.files[PLAN])
    (folder / "shuffles" / "shoes.txt").write_bytes(b"A" * 5_000_000)
    assert wrong(verify_pack(folder)) == {"files": "altered: shuffles/shoes.txt"}


@pytest.mark.slow
@pytest.mark.usefixtures("manifest_alone")
@pytest.mark.parametrize("deep", [False, True])
def test_folders_without_end_are_refused(folder: Path, *, deep: bool) -> None:
    """A thousand folders, in each other or next to each other, are a sentence."""
    folders = [folder]
    for number in range(1_000):
        folders.append(folders[-1] / "a" if deep else folder / str(number))
        folders[-1].mkdir()
    with pytest.raises(TrenteError) as caught:
        verify_pack(folder)
    assert caught.value.code == "not-a-pack"
    assert "more than 1000 files and folders" in str(caught.value)
    for made in folders[:0:-1]:  # what removes the folders of tests is recursive
        made.rmdir()


def test_a_folder_that_cannot_be_read_is_named(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is in a folder without rights is not passed over."""
    scanned = os.scandir

    def barred(path: Path) -> Any:
        if path.name == "par":
            raise PermissionError(13, "Permission denied")
        return scanned(path)

    monkeypatch.setattr(os, "scandir", barred)
    with pytest.raises(TrenteError) as caught:
        verify_pack(folder)
    assert caught.value.code == "file-unreadable"
    assert str(caught.value) == f"{str(folder / 'par')!r} cannot be read: permission denied"


@pytest.mark.usefixtures("quick")
def test_folders_of_another_kind_are_named(folder: Path, made: CertificationPack) -> None:
    """Files in folders that a pack does not have, listed in the manifest, are not passed over."""
    for name in ("more/a.html", "par/more/b.html"):
        (folder / name).parent.mkdir()
        (folder / name).write_text("evil", "utf-8")
    listed_again(folder)
    assert wrong(verify_pack(folder)) == {
        "other files": "not of a pack: more/a.html, par/more/b.html"
    }
    plan = json.loads(made.files[PLAN])
    plan["made_with"]["trente-rules"] = "99"
    (folder / PLAN).write_text(json.dumps(plan), "utf-8")
    listed_again(folder)
    found = verify_pack(folder)
    assert found.holds
    assert "other files" in {check.what for check in found.checks if check.holds is None}


@pytest.mark.usefixtures("quick")
def test_software_that_is_not_listed_is_named(folder: Path, made: CertificationPack) -> None:
    """Without its list of software, or with a program of fewer files, a pack does not hold."""
    listed = folder / "software" / "files.sha256"
    lines = made.files["software/files.sha256"].decode().splitlines(keepends=True)
    listed.write_text("".join(lines[1:]), "utf-8")
    listed_again(folder)
    words = wrong(verify_pack(folder))["software"]
    assert words.endswith(f"not the one that made the pack: {lines[0].split()[1]}")
    for path in (folder / "software").iterdir():
        path.unlink()
    (folder / "software" / "more.txt").write_text("x", "utf-8")
    listed_again(folder)
    words = wrong(verify_pack(folder))["software"]
    assert words == (
        "missing, or not of a pack: software/files.sha256, software/more.txt, "
        "software/plugins.json, software/sbom.cdx.json, software/software.json, software/tests.json"
    )


def with_house(folder: Path, made: CertificationPack, old: str, new: str) -> PackCheck:
    """Change the house of a pack in one place, and the rest as ``altered`` does; verify it."""
    file = folder / "house" / "house.toml"
    text = file.read_text("utf-8")
    assert text.count(old) == 1
    file.write_text(text.replace(old, new), "utf-8")
    return altered(folder, made)


@pytest.mark.parametrize(
    ("old", "new", "key"),
    [
        ("[house]", "zzz = 1\n[house]", "zzz"),
        ("[house]", '[house]\nextends = "no-such-house"', "house.extends"),
        ("[shoe]", "[shoe]\nzzz = 1", "shoe.zzz"),
        ('"half-loss"', '"no-such-rule"\nzzz = 1\n[refait.on.31]\nrule = 1', "refait.on.31.rule"),
        ('language = "fr"', 'language = "xx"\nzzz = 1', "announcements.zzz"),
    ],
)
def test_a_key_that_no_plugin_can_add_does_not_hold(
    folder: Path, made: CertificationPack, old: str, new: str, key: str
) -> None:
    """A key of house.toml that is unknown is a fault, not a reason to compute nothing again."""
    found = with_house(folder, made, old, new)
    assert (found.holds, found.proven) == (False, False)
    assert str(found).startswith("Not proven: pack: it cannot be computed again: ")
    assert f"{key}: " in wrong(found)["pack"]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"half-loss"', '"no-such-rule"\nzzz = 1'),
        ('language = "fr"', 'language = "xx"'),
    ],
)
def test_a_name_that_a_plugin_can_add_is_not_checked(
    folder: Path, made: CertificationPack, old: str, new: str
) -> None:
    """What only a missing plugin can explain is no fault, and proves nothing."""
    found = with_house(folder, made, old, new)
    assert wrong(found) == {}
    assert (found.proven, found.unchecked) == (False, ("rules, figures and software",))


def test_a_pack_of_an_unknown_form_is_not_proven(folder: Path, made: CertificationPack) -> None:
    """Nothing is computed again for a form that the plan claims: the first line says so."""
    found = altered(folder, made, form="trente-certification-9")
    assert (found.holds, found.compared, found.proven) == (True, True, False)
    assert str(found) == (
        "Holds as far as it was checked: the files are those of the manifest, but not everything "
        "was made again and compared here. Open: rules, figures and software."
    )
    assert str(verify_pack(folder)).endswith("Open: rules, figures and software, digest.")


@pytest.mark.usefixtures("quick")
def test_an_older_version_that_a_plan_claims_proves_nothing(
    folder: Path, made: CertificationPack
) -> None:
    """False rules are not compared with those of a different version, an empty PAR sheet is."""
    older = made_by(made, **{"trente-rules": "0.1.0"})
    assert wrong(altered(folder, made, made_with=older)) == {
        "PAR sheet": "computed otherwise: par/par-sheet.json"
    }
    (folder / "par" / "par-sheet.json").write_bytes(made.files["par/par-sheet.json"])
    listed_again(folder)
    found = verify_pack(folder, digest=verify_pack(folder).digest)
    assert (found.holds, found.proven) == (True, False)
    assert found.unchecked == ("rules in plain language", "software")
    assert str(found).startswith("Holds as far as it was checked: ")


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize(
    "plan", [{}, {"form": "trente-certification-9"}, {"made_with": {"trente-rules": "0.1.0"}}]
)
def test_a_file_that_every_pack_has_is_missed(
    folder: Path, made: CertificationPack, plan: dict[str, Any]
) -> None:
    """A pack without its PAR sheet does not hold, whatever made it by its plan."""
    for path in (folder / "par").iterdir():
        path.unlink()
    (folder / "par").rmdir()
    found = altered(folder, made, **plan)
    assert not found.holds
    assert wrong(found)["files"] == (
        "missing: par/par-sheet.csv, missing: par/par-sheet.html, missing: par/par-sheet.json"
    )


@pytest.mark.usefixtures("quick")
def test_a_part_of_the_deviations_is_missed(folder: Path, made: CertificationPack) -> None:
    """A chapter that not every pack has is whole, whatever version made it by its plan."""
    (folder / "deviations" / "deviations.html").unlink()
    found = altered(folder, made, made_with={"trente-rules": "0.1.0"})
    assert wrong(found)["deviations"] == "computed otherwise: deviations/deviations.html"


@pytest.mark.usefixtures("quick")
def test_other_libraries_that_a_plan_claims_prove_nothing(
    folder: Path, made: CertificationPack
) -> None:
    """Words in the place of a drawing are not compared where other libraries are claimed."""
    page = folder / "rules" / "rules-en.html"
    page.write_bytes(made.files["rules/rules-en.html"] + b"<figure>You always win</figure>")
    plan = json.loads(made.files[PLAN]) | {"made_with": made_by(made, numba="0.1")}
    (folder / PLAN).write_text(json.dumps(plan), "utf-8")
    listed_again(folder)
    found = verify_pack(folder, digest=verify_pack(folder).digest)
    assert (found.holds, found.proven, found.unchecked) == (True, False, ("software",))
    (words,) = (one.words for one in found.checks if one.what == "rules in plain language")
    assert words.endswith("computed again, equal in what does not depend on the libraries")


@pytest.mark.usefixtures("quick")
def test_a_simulation_that_is_not_made_again_is_named(
    folder: Path, made: CertificationPack, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A simulation that is too long to repeat is open, where its folder is missing too."""
    monkeypatch.setattr(verification, "can_simulate", lambda _coups: False)
    found = verify_pack(folder, digest=made.digest)
    assert (found.holds, found.proven) == (True, False)
    assert found.unchecked == ("simulation", "cover")


@pytest.mark.parametrize("there", [None, [], {}, {"refait": 1}, {"refait": []}])
def test_a_sheet_without_fractions_is_not_alike(there: Any) -> None:
    """Values with nothing in common are not equal; what only one of two has is not known."""
    here = {"refait": {"q_exact": "1/3"}, "points": [{"row_exact": "1/9"}, {"row_exact": "1/7"}]}
    assert verification._exact_alike(there, here) is False


@pytest.mark.parametrize(
    ("there", "alike"),
    [
        ({"a_exact": "1/2", "b": {"c_exact": "1/3"}}, True),
        ({"a_exact": "1/2", "b": {"c_exact": "1/3"}, "d": 1}, True),
        ({"a_exact": "1/2", "b": {"c_exact": "1/4"}}, False),
        ({"a_exact": "1/2", "b": {}}, None),
        ({"a_exact": "1/2", "b": 1}, None),
        ({"a_exact": "1/2"}, None),
        ({"a_exact": "1/2", "b": {"c_exact": "1/3"}, "d_exact": "1"}, None),
        ({"a_exact": "1/2", "b": {"c_exact": "1/3"}, "d": {"e_exact": "1"}}, None),
    ],
)
def test_fractions_of_two_versions(there: Any, alike: bool | None) -> None:  # noqa: FBT001
    """A fraction that differs is wrong, one that only one sheet has is not compared."""
    here = {"a_exact": "1/2", "b": {"c_exact": "1/3"}}
    assert verification._exact_alike(there, here) is alike


def test_a_pack_of_a_later_form_is_compared_with_its_manifest(
    folder: Path, made: CertificationPack
) -> None:
    """A later version may make other files: what this one does not know, it does not deny."""
    plan = json.loads(made.files[PLAN])
    plan |= {"form": "trente-certification-2", "options": {}}
    plan["made_with"]["trente-rules"] = "7.0.0"
    (folder / PLAN).write_text(json.dumps(plan), "utf-8")
    listed_again(folder)
    found = verify_pack(folder)
    assert wrong(found) == {}
    (words,) = (
        check.words for check in found.checks if check.what == "rules, figures and software"
    )
    assert words == (
        "not computed again: the pack has the form 'trente-certification-2', "
        "trente-certification-1 was expected (verify it with trente-rules '7.0.0')"
    )


def test_an_interrupted_simulation_is_in_no_pack(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C in the simulation ends the pack: it is not made of the coups that were dealt."""

    def halved(*given: Any, coups: int, **options: Any) -> Any:
        return evolve(simulate_plain(*given, coups=coups // 2, **options), complete=False)

    monkeypatch.setattr(evidence, "simulate_plain", halved)
    with pytest.raises(KeyboardInterrupt):
        evidence.simulation(load_house("jeu-casino"), 20, 1)


def altered_sheet(text: str) -> str:
    """Return a PAR sheet with another edge."""
    return text.replace("0.0", "0.1", 1)


@pytest.mark.slow
@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize(
    ("name", "change", "what"),
    [
        ("par/par-sheet.json", altered_sheet, "PAR sheet"),
        ("rules/rules-en.md", lambda text: text.replace("half", "all", 1), "rules in plain"),
        ("shuffles/shoes.txt", lambda text: text[1] + text[0] + text[2:], "shuffles"),
        ("shuffles/vectors.json", lambda text: text.replace("e108872d", "e108872e"), "shuffles"),
        ("deviations/deviations.csv", lambda text: text[:-9], "deviations"),
        ("sample/replay.txt", lambda text: text + "x", "sample"),
        ("sample/taille.toml", lambda text: text.replace("sha256", "_sha256"), "sample"),
        ("index.html", lambda text: text.replace("Nothing", "All"), "cover"),
        ("house/fingerprint.txt", lambda text: text.replace("f1", "f2"), "house"),
        ("house/given-1-mine.toml", lambda text: text.replace("XTS", "XXX"), "house as"),
    ],
)
def test_what_is_computed_otherwise_is_named(
    folder: Path, name: str, change: Callable[[str], str], what: str
) -> None:
    """With a manifest that was written anew, what can be computed still shows the change."""
    text = (folder / name).read_text("utf-8")
    assert change(text) != text
    (folder / name).write_text(change(text), "utf-8", newline="")
    listed_again(folder)
    found = wrong(verify_pack(folder))
    assert any(key.startswith(what) for key in found), found
    assert "files" not in found


@pytest.mark.slow
@pytest.mark.usefixtures("quick")
def test_another_house_is_found_by_its_fingerprint(folder: Path) -> None:
    """A rule that is changed in house.toml changes the fingerprint that the plan names."""
    file = folder / "house" / "house.toml"
    text = file.read_text("utf-8")
    assert "packs = 2" in text
    file.write_text(text.replace("packs = 2", "packs = 3"), "utf-8")
    listed_again(folder)
    assert "fingerprint" in wrong(verify_pack(folder))


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"form": 1}', '{"form": "trente-certification-1"}']
)
def test_a_plan_that_is_none_is_a_sentence(folder: Path, text: str) -> None:
    """A plan of anything is not a traceback: no pack, or a check that does not hold."""
    (folder / PLAN).write_text(text, "utf-8")
    listed_again(folder)
    assert "pack" in wrong(verify_pack(folder)) or "fingerprint" in wrong(verify_pack(folder))


@pytest.mark.parametrize("names", [(), (MANIFEST,), (PLAN,)])
def test_another_folder_is_no_pack(tmp_path: Path, names: tuple[str, ...]) -> None:
    """A folder without manifest or plan is rejected, with what to name."""
    for name in names:
        (tmp_path / name).write_text("x", "utf-8")
    with pytest.raises(TrenteError) as caught:
        verify_pack(tmp_path)
    assert caught.value.code == "not-a-pack"


@pytest.mark.parametrize("digest", ["", "x", "0" * 63, "f1:" + "0" * 64])
def test_a_digest_that_is_none_is_refused(tmp_path: Path, digest: str) -> None:
    """A digest has 64 hexadecimal digits."""
    with pytest.raises(TrenteError) as caught:
        verify_pack(tmp_path, digest=digest)
    assert caught.value.code == "bad-digest"


@pytest.mark.parametrize(
    "change",
    [{"shoes": 0}, {"shoes": 10**9}, {"coups": -1}, {"date": "today"}, {"date": "20260131"}],
)
def test_options_of_a_pack_are_checked(change: dict[str, Any]) -> None:
    """Each option that cannot be used is a sentence; so is a short seed."""
    with pytest.raises(TrenteError) as caught:
        evolve(SMALL, **change)
    assert caught.value.code == "bad-pack-option"
    with pytest.raises(TrenteError) as caught:
        evolve(SMALL, seed="00")
    assert caught.value.code == "bad-seed"


def test_a_different_environment_is_said(
    folder: Path, made: CertificationPack, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without matplotlib pages are compared but for their figures; other software is not."""
    bare = {
        name: verification._FIGURE.sub(b"", held) if name.endswith(".html") else held
        for name, held in made.files.items()
    }
    bare["software/software.json"] = b"{}"
    assert bare["par/par-sheet.html"] != made.files["par/par-sheet.html"]
    monkeypatch.setattr(verification, "pack_in", lambda *_a, **_o: evolve(made, files=bare))
    now = packs.made_with()
    assert wrong(verify_pack(folder)).keys() == {"PAR sheet"}
    monkeypatch.setattr(verification, "made_with", lambda: {**now, "matplotlib": ""})
    found = verify_pack(folder)
    assert wrong(found) == {}
    assert {check.what for check in found.checks if check.holds is None} == {"digest", "software"}


def test_an_older_pack_is_compared_by_its_figures(
    folder: Path, made: CertificationPack, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Words of an older version are not compared, exact fractions and exports are."""
    other = dict(made.files)
    for name in ("rules/rules-en.md", "index.html"):
        other[name] += b"new words"
    sheet = json.loads(other["par/par-sheet.json"])
    other["par/par-sheet.json"] = json.dumps({**sheet, "new": 1}).encode()
    monkeypatch.setattr(verification, "pack_in", lambda *_a, **_o: evolve(made, files=other))
    now = {**packs.made_with(), "trente-rules": "99"}
    monkeypatch.setattr(verification, "made_with", lambda: now)
    monkeypatch.setattr(verification, "__version__", "99")
    found = verify_pack(folder)
    assert wrong(found) == {}
    open_ = {check.what for check in found.checks if check.holds is None}
    assert open_ == {"digest", "rules in plain language", "cover", "software"}
    sheet["refait"]["q_exact"] = "1/2"
    other["par/par-sheet.json"] = json.dumps(sheet).encode()
    assert wrong(verify_pack(folder)).keys() == {"PAR sheet"}
    other["shuffles/shoes.txt"] = b"x"
    assert wrong(verify_pack(folder)).keys() == {"PAR sheet", "shuffles"}


@frozen
class Plugin:
    """A plugin with a refait rule."""

    @hookimpl
    def trente_refait_rules(self) -> list[Named]:
        """Return the rule."""
        return [Named("my-half", HalfLoss)]


@pytest.fixture
def plugins() -> PluginManager:
    """Return a manager with the plugin."""
    manager = PluginManager(only=())
    manager.register(Plugin(), "my-package:rules")
    return manager


@pytest.mark.slow
@pytest.mark.parametrize("anew", [False, pytest.param(True, marks=pytest.mark.nightly)])
def test_a_house_with_a_rule_of_a_plugin(
    tmp_path: Path, plugins: PluginManager, monkeypatch: pytest.MonkeyPatch, *, anew: bool
) -> None:
    """The plugin is named; without it, the pack is checked as far as its files."""
    text = '[house]\nname = "mine"\nextends = "jeu-casino"\n[refait]\nrule = "my-half"\n'
    house: House = loads_house(text, plugins=plugins)
    found = certification_pack(house, options=SMALL, plugins=plugins)
    named = json.loads(found.files["software/plugins.json"])
    assert named["used_by_the_house"] == ["my-package:rules"]
    assert "deviations/deviations.html" not in found.files
    assert "--against" in found.files["README.txt"].decode()
    found.write(tmp_path / "pack")
    if not anew:  # the pack is made once
        monkeypatch.setattr(verification, "pack_in", lambda *_a, **_o: found)
    assert wrong(verify_pack(tmp_path / "pack", plugins=plugins)) == {}
    alone = verify_pack(tmp_path / "pack", plugins=PluginManager(only=()))
    assert wrong(alone) == {}
    assert [check.what for check in alone.checks if check.holds is None] == [
        "digest",
        "rules, figures and software",
    ]
    assert dumps_house(house).encode() in found.files["house/house.toml"]


@frozen
class Speaker:
    """A plugin with a language: Spanish, by another name."""

    @hookimpl
    def trente_languages(self) -> list[LanguageText]:
        """Return the language."""
        spanish = (resources("trente_rules.core.rules") / "languages/es.toml").read_text("utf-8")
        return [LanguageText("xx", "xx.toml", spanish.replace('"es"', '"xx"', 1))]


@pytest.fixture(scope="module")
def speaking() -> PluginManager:
    """Return a manager with the plugin of a language."""
    manager = PluginManager(only=())
    manager.register(Speaker(), "my-package:language")
    return manager


@pytest.fixture(scope="module")
def spoken(mine: Path, speaking: PluginManager) -> CertificationPack:
    """Return the pack of the house where the plugin of a language is installed."""
    found = certification_pack(load_house(mine), options=SMALL, plugins=speaking)
    assert {"rules/rules-xx.html", "rules/rules-xx.md"} <= found.files.keys()
    return found


@pytest.mark.slow
def test_a_language_that_was_added_since_is_not_of_the_pack(
    tmp_path: Path, mine: Path, speaking: PluginManager
) -> None:
    """The rules are made again in the languages of the pack; the program is another one."""
    made = certification_pack(load_house(mine), options=SMALL, plugins=PluginManager(only=()))
    made.write(tmp_path / "pack")
    found = verify_pack(tmp_path / "pack", digest=made.digest, plugins=speaking)
    assert (wrong(found), found.unchecked) == ({}, ("software",))


@pytest.mark.slow
def test_a_language_that_was_removed_since_is_open(
    tmp_path: Path, spoken: CertificationPack, speaking: PluginManager
) -> None:
    """The rules in it are not compared; all else is, the cover that lists them too."""
    folder = tmp_path / "pack"
    spoken.write(folder)
    assert verify_pack(folder, digest=spoken.digest, plugins=speaking).proven
    bare = PluginManager(only=())
    found = verify_pack(folder, digest=spoken.digest, plugins=bare)
    assert (wrong(found), found.unchecked) == ({}, ("rules in plain language", "software"))
    words = {check.what: check.words for check in found.checks}
    assert words["rules in plain language"] == (
        "not compared: rules/rules-xx.html, rules/rules-xx.md (no language xx here)"
    )
    for name in ("rules/rules-en.md", "README.txt"):
        (folder / name).write_text("You always win.", "utf-8")
    listed_again(folder)
    assert wrong(verify_pack(folder, plugins=bare)).keys() == {"rules in plain language", "cover"}


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize(
    "names",
    [
        ("rules/rules-EN.html", "rules/rules-EN.md"),
        ("rules/rules-..html", "rules/rules-..md"),
        ("rules/rules-en.html.html", "rules/rules-en.html.md"),
        ("rules/rules-xx.md",),
        ("rules/rules-xx.html",),
    ],
)
def test_what_no_language_has_does_not_hold(folder: Path, names: tuple[str, ...]) -> None:
    """A name that no language can have, and a language with one of its two files."""
    for name in names:
        (folder / name).write_text("You always win.", "utf-8")
    listed_again(folder)
    found = verify_pack(folder)
    assert wrong(found) == {"rules in plain language": f"computed otherwise: {', '.join(names)}"}


def test_each_file_that_is_not_compared_has_its_reason(
    folder: Path, made: CertificationPack, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One is in a language that is missing, another one of an older version; here they meet."""
    names = ("rules/rules-xx.html", "rules/rules-xx.md")
    other = {**made.files, **dict.fromkeys(names, b"rules"), "rules/rules-de.md": b"new words"}
    monkeypatch.setattr(verification, "pack_in", lambda *_a, **_o: evolve(made, files=other))
    for name in names:
        (folder / name).write_text("rules", "utf-8")
    found = altered(folder, made, made_with=made_by(made, **{"trente-rules": "0.1.0"}))
    (words,) = (one.words for one in found.checks if one.what == "rules in plain language")
    assert words == (
        "not compared: rules/rules-de.md, rules/rules-en.html, rules/rules-xx.html, "
        "rules/rules-xx.md (no language xx here, made with trente-rules '0.1.0', here "
        f"'{__version__}')"
    )
