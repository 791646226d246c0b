"""``trente certify``, and ``trente verify`` on its folder: exit statuses, nothing half made."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from tests.cli.calling import trente

from trente_rules.reports.certification import pack, verification
from trente_rules.reports.certification.pack import CertificationPack

ASKED = ("--shoes", "2", "--coups", "0")
_PAGE = "rules/rules-en.html"


@pytest.fixture
def made_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the pack of a test once: what is made again is the same."""
    make, made = pack.pack_in, list[CertificationPack]()

    def once(*given: Any, **options: Any) -> CertificationPack:
        if not made:
            made.append(make(*given, **options))
        return made[0]

    for module in (pack, verification):
        monkeypatch.setattr(module, "pack_in", once)


@pytest.mark.slow
@pytest.mark.nightly
def test_a_pack_is_written_and_verified_anew(tmp_path: Path) -> None:
    """The same with every pack made again."""
    _written_and_verified(tmp_path)


@pytest.mark.slow
@pytest.mark.usefixtures("made_once")
def test_a_pack_is_written_and_verified(tmp_path: Path) -> None:
    """What is printed proves the folder, a changed one is found, a folder is not overwritten."""
    _written_and_verified(tmp_path)


@pytest.mark.slow
@pytest.mark.usefixtures("made_once")
def test_what_was_not_made_again_has_a_status(tmp_path: Path) -> None:
    """False rules in a pack of a form that nobody knows: 4, with its own digest and without."""
    out = tmp_path / "pack"
    assert trente("certify", "jeu-casino", "--out", out, *ASKED).status == 0
    plan, page, manifest = (out / name for name in (pack.PLAN, _PAGE, pack.MANIFEST))
    lines = manifest.read_text("utf-8")
    for path, text in (
        (plan, plan.read_text("utf-8").replace(pack.FORM, "trente-certification-9")),
        (page, "You always win"),
    ):
        old = sha256(path.read_bytes()).hexdigest()
        path.write_text(text, "utf-8")
        lines = lines.replace(old, sha256(path.read_bytes()).hexdigest())
    manifest.write_text(lines, "utf-8")
    digest = sha256(manifest.read_bytes()).hexdigest()
    done = trente("verify", out, "--digest", digest)
    assert done.status == 4
    first, *checks = done.out.splitlines()
    assert first.startswith("Holds as far as it was checked: ")
    assert first.endswith("Open: rules, figures and software.")
    assert any(
        line.startswith("rules, figures and software: not checked: not computed again: ")
        for line in checks
    )
    alone = trente("verify", out, "--format", "json")
    assert (alone.status, alone.json["holds"], alone.json["complete"]) == (4, True, False)


def _written_and_verified(tmp_path: Path) -> None:
    """Check the folder by its digest: 0 with it, 3 without, 1 where it is altered."""
    out = tmp_path / "pack"
    done = trente("certify", "jeu-casino", "--out", out, *ASKED, "--format", "json")
    assert done.status == 0, done.err
    digest = done.json["digest"]
    assert done.json["files"] == sum(path.is_file() for path in out.rglob("*"))
    proven = trente("verify", out, "--digest", digest)
    assert (proven.status, proven.out.splitlines()[0]) == (
        0,
        "Proven: all that can be checked holds.",
    )
    alone = trente("verify", out, "--format", "json")
    assert (alone.status, alone.json["holds"], alone.json["complete"]) == (3, True, False)
    (out / "README.txt").write_text("other", "utf-8")
    altered = trente("verify", out, "--digest", digest)
    assert altered.status == 1
    assert "altered: README.txt" in altered.out.splitlines()[0]
    again = trente("certify", "jeu-casino", "--out", out, *ASKED)
    assert again.status == 1
    assert "is there already, and is not empty" in again.err
    assert (out / "README.txt").read_text("utf-8") == "other"


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        (("no-such-house",), 2, "unknown house"),
        (("jeu-casino", "--against", "no-such-house"), 2, "unknown house"),
        (("jeu-casino", "--date", "today"), 2, "2026-01-31"),
        (("jeu-casino", "--seed", "5"), 2, "16 bytes"),
        (("jeu-casino", "--shoes", "0"), 2, "--shoes"),
    ],
)
def test_a_wrong_call_writes_nothing(
    tmp_path: Path, words: tuple[str, ...], status: int, said: str
) -> None:
    """A wrong name or option is a sentence, and no folder is made."""
    done = trente("certify", *words, "--out", tmp_path / "pack")
    assert done.status == status
    assert said in done.err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("out", ["file/pack", "nowhere/pack"])
def test_a_place_where_no_folder_can_be_is_said_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, out: str
) -> None:
    """Nothing is computed for a folder inside a file, or inside a folder that is not there."""
    monkeypatch.setattr(pack, "certification_pack", None)
    (tmp_path / "file").write_text("x", "utf-8")
    done = trente("certify", "jeu-casino", "--out", tmp_path / out, *ASKED)
    assert done.status == 1, done.err
    assert "cannot be written" in done.err
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_a_house_with_faults_has_no_pack(tmp_path: Path) -> None:
    """The faults of a house file are printed with their lines, and nothing is written."""
    file = tmp_path / "mine.toml"
    file.write_text('[house]\nname = "mine"\nextends = "jeu-casino"\n[shoe]\npacks = 99\n', "utf-8")
    done = trente("certify", file, "--out", tmp_path / "pack")
    assert (done.status, list(tmp_path.iterdir())) == (1, [file])
    assert "shoe.packs" in done.err


def test_an_interrupt_leaves_no_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C on the way: exit status 130, and nothing is there."""

    def stopped(*_given: object) -> object:
        raise KeyboardInterrupt

    monkeypatch.setattr(pack, "_sheet", stopped)
    done = trente("certify", "jeu-casino", "--out", tmp_path / "pack", *ASKED)
    assert (done.status, list(tmp_path.iterdir())) == (130, [])


def test_another_folder_or_option_is_a_wrong_call(tmp_path: Path) -> None:
    """A folder that is not a pack, options of a record for a folder, a digest for a file: 2."""
    assert trente("verify", tmp_path).status == 2
    assert trente("verify", tmp_path, "--nonce", "1").status == 2
    file = tmp_path / "a.toml"
    file.write_text("x = 1\n", "utf-8")
    assert trente("verify", file, "--digest", "0" * 64).status == 2
