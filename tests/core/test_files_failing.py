"""Files of a system that fails: reads, folders that cannot be synced, locks that go, long names."""

from __future__ import annotations

import errno
import os
import sys
from pathlib import Path

import pytest

from trente_rules.core import files
from trente_rules.core.errors import RecordError
from trente_rules.core.files import (
    locked_file,
    make_private,
    open_to_others,
    path_within,
    read_file,
    replace_file,
    sync_folder,
)

POSIX = pytest.mark.skipif(sys.platform == "win32", reason="modes and links of POSIX")


@pytest.mark.skipif(sys.platform != "linux", reason="a file of Linux")
def test_a_file_that_opens_and_cannot_be_read_is_a_sentence() -> None:
    """S17: the memory of a process is a regular file whose first byte is not there."""
    with pytest.raises(RecordError, match="the file cannot be read: input/output error") as caught:
        read_file("/proc/self/mem", 10, RecordError)
    assert caught.value.code == "file-unreadable"


def test_a_name_that_no_system_takes_leads_nowhere(tmp_path: Path) -> None:
    """S9: a step that is too long is not an error of the caller."""
    assert path_within(tmp_path / ("x" * 5_000) / "a", tmp_path) is None
    assert path_within(tmp_path / "a", tmp_path) == tmp_path.resolve() / "a"


def test_the_folder_of_a_missing_file_is_named_where_it_is_missing_too(tmp_path: Path) -> None:
    """U26: a hint, and none where the folder is there."""
    for name, hint in (("a", ""), ("none/a", "the folder it should be in does not exist either")):
        with pytest.raises(RecordError) as caught:
            read_file(tmp_path / name, 10, RecordError)
        assert (caught.value.code, caught.value.hint) == ("file-missing", hint)


def test_a_folder_is_no_private_file(tmp_path: Path) -> None:
    """S11: one that is there is left, anything else than a file is an error."""
    assert make_private(tmp_path / "a")
    assert not make_private(tmp_path / "a")
    with pytest.raises(FileExistsError):
        make_private(tmp_path)


@POSIX
def test_whether_others_may_read_a_file(tmp_path: Path) -> None:
    """S11: by its mode; of a file that is not there nobody can say so."""
    file = tmp_path / "a"
    file.touch(0o600)
    assert not open_to_others(file)
    file.chmod(0o640)
    assert open_to_others(file)
    assert not open_to_others(tmp_path / "none")
    assert not open_to_others("a\0")


@POSIX
@pytest.mark.parametrize("number", [errno.EINVAL, errno.EIO])
def test_a_system_that_does_not_sync_folders_is_not_an_error(
    number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A disk that fails is one, and says so."""

    def fail(_handle: int) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "fsync", fail)
    if number == errno.EINVAL:
        sync_folder(tmp_path)
        return
    with pytest.raises(OSError, match=os.strerror(number)):
        sync_folder(tmp_path)


@POSIX
@pytest.mark.parametrize("again", [False, True])
def test_a_lock_that_went_while_it_was_waited_for_is_taken_anew(
    again: bool,  # noqa: FBT001
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """S11: whoever held it has removed it, and perhaps a third one has made it again."""
    lock, taken, real = tmp_path / "a.lock", [], files._lock

    def slow(handle: int) -> None:
        real(handle)
        taken.append(handle)
        if len(taken) == 1:
            lock.unlink()
            if again:
                (tmp_path / "new").touch()  # another inode
                (tmp_path / "new").rename(lock)

    monkeypatch.setattr(files, "_lock", slow)
    with locked_file(lock), pytest.raises(BlockingIOError), locked_file(lock):
        pass
    assert len(taken) == 2
    assert taken[0] == taken[1]  # the first was closed: the system gives its number again
    assert not lock.exists()


@POSIX
def test_a_lock_that_is_held_leaves_no_file_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """S11: a host may ask for a lock as often as it likes while another one holds it."""
    lock, tried, real = tmp_path / "a.lock", [], files._lock

    def noted(handle: int) -> None:
        tried.append(handle)
        real(handle)

    monkeypatch.setattr(files, "_lock", noted)
    with locked_file(lock):
        for _again in range(3):
            with pytest.raises(BlockingIOError), locked_file(lock):
                pass
    assert len(tried) == 4
    assert len(set(tried)) == 2  # the system gives the number of a closed file again


@POSIX
def test_a_system_of_other_rights_keeps_those_of_the_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """C10: Windows has no mode and no owner to give to the file that replaces another."""
    file = tmp_path / "a"
    replace_file(file, b"one")
    file.chmod(0o640)
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.delattr(os, "fchmod")
    monkeypatch.delattr(os, "fchown")
    replace_file(file, b"two")
    assert file.read_bytes() == b"two"
    assert [each.name for each in tmp_path.iterdir()] == ["a"]
