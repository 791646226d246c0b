"""Broken and hostile files through ``trente check``, each in a process of its own.

Every file ends with exit status 1 and its faults as JSON, placed where a place can be named; none
ends in a traceback, and none holds the program up.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest
from tests.cli.calling import Ran, trente_process

pytestmark = pytest.mark.slow

BASE: Final = '[house]\nname = "x"\nextends = "france-2007"\n'
MILLION: Final = 1_000_000
FIELDS: Final = ["file", "line", "column", "key", "code", "message", "hint"]
Place = tuple[str, str, int | None, int | None]
"""Key, code, line and column of a fault."""


def faults_of(ran: Ran) -> list[dict[str, Any]]:
    """Return the faults that a check printed, after what holds of every faulty file."""
    assert ran.status == 1
    assert ran.err == ""
    assert "Traceback" not in ran.out
    printed = ran.json
    assert list(printed) == ["faults", "notes"]
    assert printed["notes"] == []
    assert printed["faults"]
    for fault in printed["faults"]:
        assert list(fault) == FIELDS
        assert fault["message"]
        assert len(fault["message"]) < 400
    return list(printed["faults"])


def checked(folder: Path, name: str = "h.toml") -> list[Place]:
    """Check a file of a folder; answer where and what its faults are."""
    faults = faults_of(trente_process("check", name, "--format", "json", folder=folder))
    return [(f["key"], f["code"], f["line"], f["column"]) for f in faults]


@pytest.mark.parametrize(
    ("text", "places"),
    [
        pytest.param(
            f"{BASE}[refait]\nlevles = 2\n",
            [("refait.levles", "unknown-key", 5, 1)],
            id="unknown key",
        ),
        pytest.param(
            f"{BASE}[refiat]\nlevels = 2\n",
            [("refiat", "unknown-key", 4, 2)],
            id="unknown table",
        ),
        pytest.param(
            f"{BASE}[insurance]\nminimum_stake = 10.5\n",
            [("insurance.minimum_stake", "float-money", 5, 17)],
            id="float money",
        ),
        pytest.param(
            f'{BASE}[deal]\nrefait_on = ["31"]\n',
            [("deal.refait_on.0", "wrong-type", 5, 14)],
            id="31 as text",
        ),
        pytest.param(
            f"shoe = {{ packs = 0, burn = 1.5 }}\n{BASE}",
            [("shoe.packs", "out-of-range", 1, 18), ("shoe.burn", "wrong-type", 1, 28)],
            id="two faults on one line",
        ),
        pytest.param(
            '[house]\nname = "x"\nextends = "nowhere.toml"\n',
            [("house.extends", "extends-unreadable", 3, 11)],
            id="missing parent file",
        ),
        pytest.param(
            '[house]\nname = "x"\nextends = "france-2008"\n',
            [("house.extends", "unknown-house", 3, 11)],
            id="unknown parent house",
        ),
        pytest.param(
            '[house]\nname = "x"\nextends = "h.toml"\n',
            [("house.extends", "circular-extends", 3, 11)],
            id="extends itself",
        ),
        pytest.param("this is no house\n", [("", "not-toml", 1, 6)], id="not TOML"),
        pytest.param(
            "",
            [("house.name", "missing-key", None, None), ("refait.rule", "missing-key", None, None)],
            id="empty",
        ),
        pytest.param("a = " + "[" * 5000 + "]" * 5000, [("", "too-deep", 1, 21)], id="deep lists"),
        pytest.param(
            "a = " + "{ b = " * 5000 + "1" + " }" * 5000,
            [("", "too-deep", 1, 101)],
            id="deep tables",
        ),
        pytest.param(".".join("a" * 5000) + " = 1", [("", "too-deep", 1, 1)], id="deep keys"),
        pytest.param(
            f'{BASE}[refait]\npartage = ["1/{"9" * (MILLION - 100)}"]\n',
            [("refait.partage.0", "bad-fraction", 5, 12)],
            id="a fraction of nearly a million digits",
        ),
        pytest.param(
            f'{BASE}[refait]\npartage = ["1/{"9" * MILLION}"]\n',
            [("", "file-too-large", None, None)],
            id="a fraction of a million digits",
        ),
        pytest.param(
            f"{BASE}[shoe]\npacks = {'9' * (MILLION - 100)}\n",
            [("", "number-too-long", 5, 9)],
            id="an integer of nearly a million digits",
        ),
        pytest.param(
            f"{BASE}[shoe]\npacks = {'9' * MILLION}\n",
            [("", "file-too-large", None, None)],
            id="an integer of a million digits",
        ),
        pytest.param(
            f"{BASE}[shoe]\npacks = {'9' * 200}\n",
            [("shoe.packs", "out-of-range", 5, 9)],
            id="an integer of two hundred digits",
        ),
        pytest.param("[[[[\n" * 1000, [("", "too-deep", 5, 1)], id="open brackets"),
        pytest.param('a = """' + "x" * 1000, [("", "not-toml", 1, 1008)], id="endless string"),
    ],
)
def test_broken_texts_are_placed_faults(tmp_path: Path, text: str, places: list[Place]) -> None:
    """Each fault has its key, code, line and column."""
    (tmp_path / "h.toml").write_text(text, encoding="utf-8")
    assert checked(tmp_path) == places


def test_houses_that_extend_each_other(tmp_path: Path) -> None:
    """The circle is told at the key that closes it, in the file that holds the key."""
    for name, parent in (("h", "b"), ("b", "c"), ("c", "h")):
        text = f'[house]\nname = "{name}"\nextends = "{parent}.toml"\n'
        (tmp_path / f"{name}.toml").write_text(text, encoding="utf-8")
    ran = trente_process("check", "h.toml", "--format", "json", folder=tmp_path)
    (fault,) = faults_of(ran)
    assert (fault["code"], fault["line"], fault["column"]) == ("circular-extends", 3, 11)
    assert Path(fault["file"]).name == "c.toml"
    assert fault["message"].count("extends") == 3


def test_faults_of_a_parent_are_placed_in_the_parent(tmp_path: Path) -> None:
    """A child without fault: the file named is the one to mend."""
    (tmp_path / "p.toml").write_text(f"{BASE}[shoe]\npacks = 0\n", encoding="utf-8")
    (tmp_path / "h.toml").write_text('[house]\nname = "c"\nextends = "p.toml"\n', encoding="utf-8")
    (fault,) = faults_of(trente_process("check", "h.toml", "--format", "json", folder=tmp_path))
    assert (Path(fault["file"]).name, fault["line"], fault["column"]) == ("p.toml", 5, 9)


def _binary(file: Path) -> None:
    file.write_bytes(bytes(range(256)) * 10)


def _large(file: Path) -> None:
    file.write_bytes(b"a = 1\n" * (10 * MILLION // 6 + 1))


def _utf_16(file: Path) -> None:
    file.write_bytes(BASE.encode("utf-16"))


def _unreadable(file: Path) -> None:
    file.write_text(BASE, encoding="utf-8")
    file.chmod(0)


_ROOT: Final = hasattr(os, "geteuid") and os.geteuid() == 0


@pytest.mark.parametrize(
    ("make", "place"),
    [
        pytest.param(_binary, ("", "not-utf-8", 2, 118), id="binary"),
        pytest.param(_utf_16, ("", "not-utf-8", 1, 1), id="UTF-16"),
        pytest.param(_large, ("", "file-too-large", None, None), id="10 MB"),
        pytest.param(Path.mkdir, ("", "file-unreadable", None, None), id="a directory"),
        pytest.param(lambda _file: None, ("", "file-missing", None, None), id="no file"),
        pytest.param(
            _unreadable,
            ("", "file-unreadable", None, None),
            id="no permission",
            marks=pytest.mark.skipif(_ROOT, reason="root may read every file"),
        ),
    ],
)
def test_files_that_are_no_text(
    tmp_path: Path, make: Callable[[Path], object], place: Place
) -> None:
    """One fault each, that says what the file is."""
    make(tmp_path / "h.toml")
    assert checked(tmp_path) == [place]


def test_every_command_tells_a_broken_file_the_same_way(tmp_path: Path) -> None:
    """Whatever is asked about a faulty house: exit status 1, the fault on standard error."""
    (tmp_path / "h.toml").write_text(f"{BASE}[shoe]\npacks = 0\n", encoding="utf-8")
    for command in (
        ("compare", "h.toml"),
        ("show", "h.toml"),
        ("diff", "h.toml", "campione"),
        ("diff", "campione", "h.toml"),
        ("fingerprint", "h.toml"),
        ("new", "n.toml", "--from", "h.toml"),
    ):
        ran = trente_process(*command, folder=tmp_path)
        assert (ran.status, ran.out) == (1, "")
        assert "h.toml:5:9: shoe.packs: 0 is out of range (1 to 8)" in ran.err
        assert "Traceback" not in ran.err
    assert not (tmp_path / "n.toml").exists()


def test_many_faults_are_told_without_end_or_flood(tmp_path: Path) -> None:
    """Two thousand unknown keys: an answer that says how many, not a traceback."""
    keys = "".join(f"key_{number} = 1\n" for number in range(2000))
    (tmp_path / "h.toml").write_text(f"{BASE}[shoe]\n{keys}", encoding="utf-8")
    ran = trente_process("check", "h.toml", "--format", "json", folder=tmp_path)
    faults = faults_of(ran)
    assert faults[0]["key"] == "shoe.key_0"
    assert all(fault["code"] == "unknown-key" for fault in faults)
