"""New files: made whole or not at all, and never in the place of another."""

from __future__ import annotations

from pathlib import Path

import pytest

from trente_rules.core.errors import RecordError, TrenteError
from trente_rules.core.files import new_file


def test_a_file_of_before_is_left_alone(tmp_path: Path) -> None:
    """A1 1l: one sentence for every file that a command writes."""
    file = tmp_path / "a"
    file.write_text("before", "utf-8")
    with pytest.raises(TrenteError, match="is there already") as raised, new_file(file):
        pass
    assert (raised.value.code, file.read_text("utf-8")) == ("file-exists", "before")


@pytest.mark.parametrize("name", ["missing/a", "a\0b"])
def test_what_cannot_be_written_is_a_sentence(tmp_path: Path, name: str) -> None:
    """A1 1l: of the kind that the caller raises."""
    with (
        pytest.raises(RecordError, match="cannot be written"),
        new_file(tmp_path / name, RecordError),
    ):
        pass


@pytest.mark.parametrize("error", [OSError(28, "No space left"), KeyboardInterrupt()])
def test_a_file_that_is_not_whole_is_removed(tmp_path: Path, error: BaseException) -> None:
    """A1 1l: whoever stops a command finds no half of a file."""
    file = tmp_path / "a"
    with pytest.raises((TrenteError, KeyboardInterrupt)):
        stopped(file, error)
    assert not file.exists()


def stopped(file: Path, error: BaseException) -> None:
    """Begin to write a file, and fail."""
    with new_file(file) as opened:
        opened.write(b"half")
        raise error
