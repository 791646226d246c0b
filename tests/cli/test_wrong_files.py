"""Files that a command does not read, and counts of one: what a person in a hurry sees."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.cli.calling import trente
from tests.cli.examples import fill


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the files that examples name: a taille of one coup among them."""
    made = tmp_path_factory.mktemp("files")
    fill(made)
    return made


def test_one_of_a_thing_is_singular(folder: Path) -> None:
    """U38's rule of plurals: 1 coup, 1 shoe, 1 session."""
    taille = folder / "taille.toml"
    assert f"{taille}: shoe 1, 1 coup, 2 stakes: equal" in trente("replay", taille).out
    assert f": 1 coup of {taille}\n" in trente("monitor", taille).out
    assert "record: shoe 1, 1 coup\n" in trente("migrate", taille, folder / "today.toml").out


def test_replay_of_nothing_says_nothing_of_differences(folder: Path) -> None:
    """U41: a house is not a taille in which nothing differs."""
    house = folder / "my.toml"
    ran = trente("replay", house)
    assert (ran.status, ran.out) == (2, "No taille was dealt again: 1 file not read.\n")
    assert ran.err.startswith(f"{house}: a house, not a record")
    ran = trente("replay", folder / "taille.toml", house)
    assert ran.out.startswith("1 taille dealt and settled again: nothing differs; 1 not read.\n")


@pytest.mark.parametrize(
    ("file", "what"),
    [
        ("my.toml", "a house, not {} (trente show {})"),
        ("permanence.txt", "a permanence, not {} (trente card {})"),
        ("shoe.json", "a provably fair shoe, not {} (trente rng verify {})"),
        ("token.key", "not {}"),
    ],
)
def test_migrate_recognises_files_of_another_kind(
    file: str, what: str, folder: Path, tmp_path: Path
) -> None:
    """U41: one sentence that names the file, and no fault for each key that it lacks."""
    ran = trente("migrate", folder / file, tmp_path / "new")
    assert (ran.status, ran.out) == (2, "")
    wanted = "a journal, a snapshot of a table or a record"
    assert ran.err == f"{folder / file}: {what.format(wanted, folder / file)} [other-kind]\n"


@pytest.mark.parametrize(
    "words",
    [
        *(("compare", "taille.toml"), ("show", "taille.toml"), ("par", "taille.toml")),
        *(("diff", "france-2007", "taille.toml"), ("rules", "./table.journal")),
        *(("card", "my.toml"), ("replay", "my.toml"), ("history", "my.toml")),
        ("simulate", "--system", "flat", "--permanence", "my.toml"),
    ],
    ids=" ".join,
)
def test_a_file_of_another_kind_is_a_wrong_call(
    words: tuple[str, ...], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """U41, U43: the same exit status in every command but check, whose finding it is."""
    monkeypatch.chdir(folder)
    ran = trente(*words)
    assert ran.status == 2
    assert ran.err.endswith("[other-kind]\n")
    assert trente("check", "taille.toml").status == 1
