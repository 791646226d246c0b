"""Files of strangers: nothing outside a folder is opened, and nothing of it is said."""

from __future__ import annotations

from pathlib import Path

import attrs
import pytest
from tests.cli.calling import trente
from tests.records.recorded import rich_session

from trente_rules import load_house, loads_house
from trente_rules.core.errors import ConfigurationError
from trente_rules.core.house.loading import load_with_notes
from trente_rules.records import replay
from trente_rules.records.record import RulesOf
from trente_rules.records.replay import house_of

HIDDEN = '[house]\nname = "y"\nextends = "SECRETVALUE2"\nsecret_key = 1\n'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Make a folder of uploads beside a secret file, with links out of it."""
    (tmp_path / "secret.toml").write_text(HIDDEN, "utf-8")
    uploads = tmp_path / "uploads"
    (uploads / "inner").mkdir(parents=True)
    (uploads / "link.toml").symlink_to(tmp_path / "secret.toml")
    (uploads / "dangling.toml").symlink_to(tmp_path / "nothing.toml")
    (uploads / "up").symlink_to(tmp_path)
    base = '[house]\nname = "base"\nextends = "france-2007"\n'
    (uploads / "base.toml").write_text(base, "utf-8")
    (uploads / "inner" / "same.toml").symlink_to(uploads / "base.toml")
    (uploads / "inner" / "beside.toml").symlink_to("../base.toml")
    (uploads / "around.toml").symlink_to("../nothing/../uploads/base.toml")
    (uploads / "loop.toml").symlink_to("loop.toml")
    return uploads


def child(parent: str) -> str:
    """Return a house that extends a file."""
    return f'[house]\nname = "x"\nextends = "{parent}"\n'


def outside(folder: Path) -> list[str]:
    """Return paths that lead out of a folder: to what is there, and to what is not."""
    there, gone = folder.parent / "secret.toml", folder.parent / "gone.toml"
    return [
        *("../secret.toml", "../gone.toml", str(there), str(gone), "link.toml", "dangling.toml"),
        *("up/secret.toml", "up/gone.toml", "inner/../../secret.toml", "../uploads/../gone.toml"),
        *("/etc/ssl/../../proc/self/cwd/x.toml", "../nothing/../uploads/base.toml"),
        *("up/etc/../uploads/base.toml", "around.toml", "loop.toml"),
        *("/etc/passwd/x.toml", "/dev/zero/../x.toml", "/proc/self/environ/", "./link.toml"),
    ]


def test_nothing_outside_is_opened_and_nothing_of_it_is_said(folder: Path) -> None:
    """S20: one fault at ``extends``, the same whether the file is there or not."""
    said = set()
    for path in outside(folder):
        (folder / "d.toml").write_text(child(path), "utf-8")
        for read in (
            lambda: load_house(folder / "d.toml", within=folder),
            lambda: loads_house(child(path), folder=folder, within=folder),  # noqa: B023
            lambda: load_with_notes(folder / "d.toml", within=folder),
        ):
            with pytest.raises(ConfigurationError) as caught:
                read()
            (fault,) = caught.value.faults
            assert (fault.key, fault.code) == ("house.extends", "outside-folder")
            assert "secret_key" not in str(fault)
            assert "SECRETVALUE2" not in str(fault)
            said.add(fault.message.partition(": ")[2])
        with pytest.raises(ConfigurationError) as caught:
            load_house(folder / path, within=folder)
        assert caught.value.code == "outside-folder"
    assert len(said) == 1


def test_what_is_inside_is_read(folder: Path) -> None:
    """S20: files of the folder, links within it, and the houses that are shipped."""
    inside = ("base.toml", "./base.toml", "inner/same.toml", "inner/../base.toml")
    for path in (*inside, "inner/beside.toml", str(folder / "base.toml")):
        (folder / "d.toml").write_text(child(path), "utf-8")
        assert load_house(folder / "d.toml", within=folder).name == "x"
    assert load_house("campione", within=folder).name == "campione"
    with pytest.raises(ConfigurationError, match="no such file"):
        load_house(folder / "gone.toml", within=folder)


@pytest.mark.parametrize("around", ["..", "/etc/ssl/../..", "/etc/nothing/..", "/etc/passwd/.."])
def test_a_path_that_comes_back_is_outside(
    folder: Path, monkeypatch: pytest.MonkeyPatch, around: str
) -> None:
    """S20: whether it comes back would say what is there, outside."""
    monkeypatch.chdir(folder)
    away = f"{around}{folder}/base.toml" if around != ".." else "../uploads/base.toml"
    Path("d.toml").write_text(child(away), "utf-8")
    with pytest.raises(ConfigurationError) as caught:
        load_house("d.toml", within=folder)
    assert (caught.value.code, caught.value.faults[0].key) == ("outside-folder", "house.extends")
    with pytest.raises(ConfigurationError) as caught:
        load_house(away, within=folder)
    assert caught.value.code == "outside-folder"


def test_a_folder_that_a_link_names(folder: Path) -> None:
    """S20: by the link, or where it leads; faults name a file as it was asked for."""
    link = folder.parent / "link"
    link.symlink_to(folder)
    for path in (link / "base.toml", folder / "base.toml"):
        assert load_house(path, within=link).name == "base"
    (folder / "d.toml").write_text(child("gone.toml"), "utf-8")
    with pytest.raises(ConfigurationError) as caught:
        load_house(link / "d.toml", within=link)
    assert caught.value.faults[0].file == str(link / "d.toml")


@pytest.mark.parametrize("within", ["", "nothing", "base.toml"])
def test_what_is_no_folder_bounds_nothing(
    folder: Path, monkeypatch: pytest.MonkeyPatch, within: str
) -> None:
    """S20: an empty text was the current directory, without a word."""
    monkeypatch.chdir(folder)
    for read in (load_house, load_with_notes):
        with pytest.raises(ConfigurationError, match="not a folder") as caught:
            read("base.toml", within=within)
        assert caught.value.code == "no-folder"
    with pytest.raises(ConfigurationError, match="not a folder"):
        loads_house(child("base.toml"), folder=folder, within=within)
    ran = trente("check", "base.toml", "--within", within)
    assert ran.status == 2
    assert "--within" in ran.err
    assert "base.toml:" not in ran.err


def test_a_text_without_a_folder_reads_no_file(folder: Path) -> None:
    """S20: not even one beside the process."""
    with pytest.raises(ConfigurationError) as caught:
        loads_house(child(str(folder / "base.toml")))
    assert caught.value.code == "no-folder"


def test_a_record_reads_files_of_its_folder_alone(folder: Path) -> None:
    """S20: ``rules.file``, and what the rules that a record holds extend."""
    _driver, kept = rich_session()
    record = kept.recorder.records[0]
    for path in outside(folder):
        named = attrs.evolve(record, rules=RulesOf(file=path))
        held = attrs.evolve(record, rules=RulesOf(toml=child(path)))
        for each in (named, held):
            with pytest.raises(ConfigurationError) as caught:
                house_of(each, folder=folder)
            assert caught.value.code == "outside-folder"
            with pytest.raises(ConfigurationError) as caught:
                house_of(each)
            assert caught.value.code == "no-folder"
    inside = attrs.evolve(record, rules=RulesOf(file="base.toml"))
    assert replay(inside, folder=folder).record == inside


def test_check_of_uploads(folder: Path) -> None:
    """S20: ``trente check --within`` for a service that checks what it was sent."""
    file = folder / "d.toml"
    file.write_text(child("../secret.toml"), "utf-8")
    ran = trente("check", file, "--within", folder)
    assert ran.status == 1
    assert "SECRET" not in ran.out
    assert "d.toml:3:11: house.extends: '../secret.toml': this leads out of the folder" in ran.out
    file.write_text(child("base.toml"), "utf-8")
    assert trente("check", file, "--within", folder).status == 0
