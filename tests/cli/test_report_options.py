"""``--format`` and ``--out``: the same of every command that prints a report."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.calling import trente


def test_a_report_goes_to_a_file_in_the_format_of_its_ending(tmp_path: Path) -> None:
    """Without ``--format`` the ending of ``--out`` chooses the format."""
    file = tmp_path / "houses.json"
    done = trente("houses", "--out", file)
    assert (done.status, done.out) == (0, "")
    assert done.err.endswith("houses.json written\n")
    assert "france-2007" in {each["name"] for each in json.loads(file.read_text("utf-8"))["houses"]}


def test_a_file_is_utf8_and_replaced_whole(tmp_path: Path) -> None:
    """A file that was there is replaced, and what is written is UTF-8."""
    file = tmp_path / "show.toml"
    file.write_text("x" * 100_000, "utf-8")
    done = trente("show", "spain-1979", "--format", "toml", "--out", str(file))
    assert done.status == 0
    assert trente("check", str(file)).status == 0


def test_where_a_report_goes_is_not_in_it(tmp_path: Path) -> None:
    """The stamp of a page is the same wherever the page is put."""
    pages = [tmp_path / name for name in ("one.html", "two.html")]
    for page in pages:
        assert trente("compare", "campione", "--out", str(page)).status == 0
    assert pages[0].read_text("utf-8") == pages[1].read_text("utf-8")
