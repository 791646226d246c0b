"""``trente card``: the carton of a record, of a noted permanence, in three forms."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.cli.calling import trente
from tests.play.seated import go_on, ready
from tests.whole_units import units

from trente_rules.play.session import UiStep
from trente_rules.records.files import write_record
from trente_rules.records.recorder import record_of
from trente_rules.records.scorecard import lines_of_events
from trente_rules.table import CoupDealt

NOTED = "house = hoyle-19c\n\n33 31 r\n36 36\n--\n31 31\n32 39\n"


@pytest.fixture
def noted(tmp_path: Path) -> Path:
    """Return a file with a permanence of two tailles."""
    file = tmp_path / "noted.txt"
    file.write_text(NOTED, "utf-8")
    return file


def test_a_record_is_drawn_as_its_events_were(tmp_path: Path) -> None:
    """A whole taille at the table, recorded: the card has the lines of its events."""
    session = ready("spain-1979")
    while session.step is UiStep.DEAL:
        session.deal()
        go_on(session)
    file = tmp_path / "taille.toml"
    write_record(record_of(session.table), file)
    ran = trente("card", file)
    lines = [line for line in ran.out.splitlines() if "│" in line]
    expected = lines_of_events(session.events)
    assert ran.status == 0
    assert len(lines) == len(expected) > 20
    for line, known in zip(lines, expected, strict=True):
        boxes = line[5:].split("│")
        drawn = [boxes[0], boxes[1], boxes[3], boxes[4]]
        assert drawn == [known.mark(c) for c in ("rouge", "noir", "couleur", "inverse")]
        assert line.split("│ ")[-1].split()[:2] == [str(point) for point in known.points]
    assert sum(isinstance(event, CoupDealt) for event in session.events) == len(lines)


@pytest.mark.slow
def test_a_taille_that_was_played_is_replayed(tmp_path: Path) -> None:
    """Stakes, insurance, a choice, a prisoner from the shoe before: every amount comes again."""
    session = ready("france-2007")
    session.toggle_insurance("noir")
    session.choose_chip(units(session.house, 100))
    for number in range(8):
        while session.step is UiStep.DEAL:
            for chance in ("rouge", "noir"):
                if session.free_on(chance) is None:
                    session.add(chance)
            session.deal()
            go_on(session)
        file = tmp_path / f"{number}.toml"
        write_record(record_of(session.table), file)
        ran = trente("replay", file)
        assert (ran.status, ran.err) == (0, "")
        session.shuffle()
        go_on(session)
    assert session.statistics.refaits > 0


def test_a_permanence_is_read_by_the_house_it_names(noted: Path) -> None:
    """Hoyle's house has two chances; --taille picks one of several; --house another house."""
    ran = trente("card", noted)
    assert ran.status == 0
    assert "hoyle-19c, taille 2" in ran.out
    assert "  1 │●│ │  33 31" in ran.out
    assert "taille 1" not in trente("card", noted, "--taille", "2").out
    assert "france-2007, taille 1" in trente("card", noted, "--house", "france-2007").out


@pytest.mark.slow
def test_the_ending_of_the_file_says_the_form(noted: Path, tmp_path: Path) -> None:
    """.svg and .png are drawn, .txt and none is text; --format goes before the ending."""
    forms = {"a.svg": b"<svg", "a.PNG": b"\x89PNG", "a.txt": b"hoyle-19c", "a": b"hoyle-19c"}
    for name, start in forms.items():
        assert trente("card", noted, "--out", tmp_path / name).status == 0
        assert (tmp_path / name).read_bytes().startswith(start)
    trente("card", noted, "--format", "svg", "--out", tmp_path / "b.png")
    assert (tmp_path / "b.png").read_bytes().startswith(b"<svg")
    assert trente("card", noted, "--format", "svg").out.startswith("<svg")
    ran = trente("card", noted, "--out", tmp_path / "a.jpg")
    assert (ran.status, (tmp_path / "a.jpg").exists()) == (2, False)
    assert "no format has the ending '.jpg'" in ran.err
    assert trente("card", noted, "--format", "text", "--out", tmp_path / "a.card").status == 0
    assert trente("card", noted, "--format", "csv").out.startswith("card,coup,winners")


def test_a_file_that_is_there_is_replaced(noted: Path, tmp_path: Path) -> None:
    """U43: --out replaces a file whole, as everywhere; a folder that is none is told."""
    (tmp_path / "there.svg").write_text("mine", "utf-8")
    ran = trente("card", noted, "--out", tmp_path / "there.svg")
    assert ran.status == 0
    assert (tmp_path / "there.svg").read_text("utf-8").startswith("<svg")
    ran = trente("card", noted, "--out", tmp_path / "none" / "a.svg")
    assert ran.status == 1
    assert "cannot be written" in ran.err


@pytest.mark.parametrize(
    ("options", "status", "told"),
    [
        (("--taille", "3"), 2, "--taille 3"),
        (("--house", "nowhere"), 2, "nowhere"),
    ],
)
def test_what_cannot_be_drawn_is_a_sentence(
    noted: Path, options: tuple[str, ...], status: int, told: str
) -> None:
    """Misuse leaves with 2."""
    ran = trente("card", noted, *options)
    assert ran.status == status
    assert told in ran.err


def test_a_file_that_cannot_be_read_is_told_with_its_line(tmp_path: Path) -> None:
    """Status 2, the line and what is wrong with it."""
    file = tmp_path / "bad.txt"
    file.write_text("33 31 r\n99 31\n", "utf-8")
    ran = trente("card", file)
    assert ran.status == 2
    assert ":2:" in ran.err
    assert trente("card", tmp_path / "none").status == 2
