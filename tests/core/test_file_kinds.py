"""U41: a file of another kind is recognised, and one sentence says what it is."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from tests.cli.calling import trente

from trente_rules import ConfigurationError, RecordError, load_house
from trente_rules.core.file_kinds import kind_of, kind_of_bytes, other_kind
from trente_rules.records.tailles import load_tailles

ROOT = Path(__file__).parents[2]
GOLDEN = ROOT / "tests/golden/0.6.0/france-2007"


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    """Return a file of each kind."""
    written = {
        "house": ("mine.toml", b'[house]\nname = "mine"\nextends = "france-2007"\n'),
        "record": ("taille.toml", (ROOT / "examples/taille.toml").read_bytes()),
        "permanence": ("saturday.txt", (ROOT / "examples/permanence.txt").read_bytes()),
        "journal": (
            "table.sqlite",
            gzip.decompress((GOLDEN / "journal-closed.sqlite.gz").read_bytes()),
        ),
        "snapshot": ("table.json", (GOLDEN / "snapshot-no-shoe.json").read_bytes()),
        "other": ("README.md", (ROOT / "README.md").read_bytes()),
    }
    for name, data in written.values():
        (tmp_path / name).write_bytes(data)
    return {kind: tmp_path / name for kind, (name, _data) in written.items()}


def test_each_kind_is_recognised(files: dict[str, Path]) -> None:
    """By what it holds, whatever it is called."""
    assert {kind_of(path) for path in files.values()} == set(files)
    assert all(kind_of(path) == kind for kind, path in files.items())
    assert kind_of(files["house"].parent / "none") == "unreadable"


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"", "other"),
        (b"\xff\xfe\x00", "other"),
        (b"{", "other"),
        (b"[1, 2]", "other"),
        (b'{"a": 1}', "other"),
        (b'{"trente_play": 1}', "session"),
        (b'{"method": "m", "commitment": "c"}', "shoe"),
        (b"33 31 r\nx y z\n", "permanence"),
        (b"33 31 r\nThe quick\nbrown fox\n", "other"),
        (b"a.b.c.d.e.f.g.h.i.j.k.l.m.n.o.p.q.r.s = 1", "other"),
        (b"\xef\xbb\xbf[money]\nunit = 1", "house"),
    ],
)
def test_what_it_holds_decides(data: bytes, kind: str) -> None:
    """Half a file of anything is not taken for what it is not."""
    assert kind_of_bytes(data) == kind


@pytest.mark.parametrize("kind", ["house", "snapshot"])
def test_another_kind_than_a_taille_is_one_sentence(kind: str, files: dict[str, Path]) -> None:
    """U41: five to seven lines of missing keys before."""
    with pytest.raises(RecordError) as caught:
        load_tailles(files[kind])
    (fault,) = caught.value.faults
    assert fault.code == caught.value.code == "other-kind"
    assert fault.message.endswith(", not a record, a journal or a permanence")
    assert fault.hint == (f"trente show {files[kind]}" if kind == "house" else "")


@pytest.mark.parametrize("kind", ["record", "permanence", "journal", "snapshot"])
def test_another_kind_than_a_house_is_one_sentence(kind: str, files: dict[str, Path]) -> None:
    """U41, the other way round, and a journal given as a house."""
    with pytest.raises(ConfigurationError) as caught:
        load_house(files[kind])
    (fault,) = caught.value.faults
    assert fault.code == "other-kind"
    assert fault.message.endswith(", not a house")
    assert str(files[kind]) in fault.hint or kind == "snapshot"


@pytest.mark.parametrize("command", ["card", "replay", "verify", "monitor", "record"])
def test_a_document_is_none_of_them_in_one_line(command: str, files: dict[str, Path]) -> None:
    """U40: 201 faults for a README before."""
    ran = trente(command, files["other"])
    assert ran.status == 2 or (command, ran.status) == ("replay", 1)
    lines = (ran.out + ran.err).split("\n")
    told = [line for line in lines if "not a record, a journal or a permanence" in line]
    assert len(told) == 1
    assert "bad-point" not in ran.out + ran.err


def test_a_house_that_is_broken_keeps_its_own_faults(tmp_path: Path) -> None:
    """What is of the kind that is wanted, or cannot be said, is told as before."""
    broken = tmp_path / "mine.toml"
    broken.write_text('[house]\nname = "mine"\nburn = 3\n', "utf-8")
    with pytest.raises(ConfigurationError, match="burn"):
        load_house(broken)
    broken.write_text("[house\n", "utf-8")
    with pytest.raises(ConfigurationError, match="not-toml"):
        load_house(broken)
    assert other_kind(tmp_path / "none.toml", ("house",)) is None


def test_a_house_is_not_a_journal(files: dict[str, Path]) -> None:
    """U58.4: a file that is no journal is told without SQLite's own words."""
    ran = trente("history", files["house"])
    assert ran.err.strip() == (
        f"{files['house']}: a house, not a journal (trente show {files['house']}) [other-kind]"
    )
