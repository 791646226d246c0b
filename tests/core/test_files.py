"""New files: made whole or not at all, and never in the place of another."""

from __future__ import annotations

import errno
import os
import socket
import stat
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from trente_rules.core import files
from trente_rules.core.errors import RecordError, TrenteError
from trente_rules.core.files import (
    locked_file,
    make_private,
    new_file,
    read_file,
    regular_file,
    replace_file,
    write_folder,
)

POSIX = pytest.mark.skipif(sys.platform == "win32", reason="modes and links of POSIX")


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


def mode_of(file: Path) -> int:
    """Return the rights to a file."""
    return stat.S_IMODE(file.stat().st_mode)


@pytest.fixture
def umask() -> Iterator[None]:
    """Give new files the rights that most systems give them: all may read."""
    before = os.umask(0o022)
    yield
    os.umask(before)


@POSIX
@pytest.mark.usefixtures("umask")
def test_a_private_file_is_so_from_its_first_byte(tmp_path: Path) -> None:
    """S11, C10: 0600 before anything is in it, whatever the umask."""
    with new_file(tmp_path / "a", private=True) as opened:
        assert mode_of(tmp_path / "a") == 0o600
        opened.write(b"cards")
    with new_file(tmp_path / "b"):
        assert mode_of(tmp_path / "b") == 0o644
    assert make_private(tmp_path / "c")
    with regular_file(tmp_path / "d", mode="a+b"):
        pass
    replace_file(tmp_path / "e", b"cards")
    assert {mode_of(tmp_path / name) for name in "acde"} == {0o600}
    replace_file(tmp_path / "f", b"picture", private=False)
    assert mode_of(tmp_path / "f") == 0o644


@POSIX
@pytest.mark.usefixtures("umask")
def test_a_file_that_is_replaced_keeps_its_mode_and_its_link(tmp_path: Path) -> None:
    """C10: chmod and the link are the owner's; a link into another folder too."""
    (tmp_path / "there").mkdir()
    link, real = tmp_path / "link", tmp_path / "there" / "real"
    link.symlink_to("there/real")
    replace_file(link, b"one")
    assert (link.is_symlink(), real.read_bytes(), mode_of(real)) == (True, b"one", 0o600)
    real.chmod(0o640)
    replace_file(link, b"two")
    assert (link.is_symlink(), real.read_bytes(), mode_of(real)) == (True, b"two", 0o640)
    assert not make_private(link)
    assert sorted(each.name for each in tmp_path.rglob("*")) == ["link", "real", "there"]


@POSIX
def test_a_group_that_cannot_be_kept_loses_its_rights(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """S11: what one group might read is not given to another."""

    def refuse(*_args: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    file = tmp_path / "a"
    replace_file(file, b"one")
    file.chmod(0o660)
    real = os.fstat

    def of_another(handle: int) -> os.stat_result:
        values = list(real(handle))
        values[5] += 1  # st_gid
        return os.stat_result(values)

    monkeypatch.setattr("os.fstat", of_another)
    monkeypatch.setattr("os.fchown", refuse)
    replace_file(file, b"two")
    assert (mode_of(file), file.read_bytes()) == (0o600, b"two")


@POSIX
def test_what_was_planted_is_not_followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """S11: a link in place of a new file, or of the temporary one, is not written through."""
    victim = tmp_path / "victim"
    victim.write_bytes(b"mine")
    (tmp_path / "a").symlink_to(victim)
    (tmp_path / "dangling").symlink_to(tmp_path / "nowhere")
    for name in ("a", "dangling"):
        with pytest.raises(TrenteError) as raised, new_file(tmp_path / name, private=True):
            pass
        assert raised.value.code == "file-exists"
    names = iter(["guessed", "fresh"])
    monkeypatch.setattr("tempfile._get_candidate_names", lambda: names)
    (tmp_path / ".guessed.new").symlink_to(victim)
    replace_file(tmp_path / "game", b"cards")
    assert ((tmp_path / "game").read_bytes(), victim.read_bytes()) == (b"cards", b"mine")


@pytest.mark.parametrize("error", [OSError(28, "No space left"), KeyboardInterrupt()])
@pytest.mark.parametrize("call", ["os.fsync", "pathlib.Path.replace"])
def test_a_file_that_cannot_be_replaced_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException, call: str
) -> None:
    """S11: all of it or what was there, and nothing is left next to it."""
    file = tmp_path / "a"
    file.write_bytes(b"before")

    def fail(*_args: object) -> None:
        raise error

    monkeypatch.setattr(call, fail)
    with pytest.raises((RecordError, KeyboardInterrupt)):
        replace_file(file, b"after", RecordError)
    assert [each.name for each in tmp_path.iterdir()] == ["a"]
    assert file.read_bytes() == b"before"


def device_in(folder: Path) -> Path:
    """Return a device: for root one of the folder, as a fault might replace that of the system."""
    if os.geteuid():
        return Path("/dev/zero")
    path = folder / "zero"
    try:
        os.mknod(path, stat.S_IFCHR | 0o666, os.makedev(1, 5))
    except PermissionError:
        pytest.skip("root may make no device here")
    return path


@POSIX
@pytest.mark.parametrize("what", ["pipe", "terminal", "device", "socket", "folder", "loop"])
def test_only_regular_files_are_opened(tmp_path: Path, what: str) -> None:
    """S17: at once, and to read, to append and to replace alike."""
    path = tmp_path / "x"
    ends: list[int] = []
    match what:
        case "pipe":
            os.mkfifo(path)
        case "terminal":
            ends += os.openpty()
            path = Path(os.ttyname(ends[1]))
        case "device":
            path = device_in(tmp_path)
        case "socket":
            with socket.socket(socket.AF_UNIX) as made:
                made.bind(os.path.relpath(path))
        case "folder":
            path.mkdir()
        case "loop":
            path.symlink_to(path)
    with pytest.raises(RecordError) as read:
        read_file(path, 10, RecordError)
    with pytest.raises(TrenteError) as appended:
        regular_file(path, mode="a+b")
    with pytest.raises(TrenteError) as replaced:
        replace_file(path, b"")
    for end in ends:
        os.close(end)
    message = "this is a directory" if what == "folder" else "this is not a file"
    if what not in ("loop", "socket"):  # which the system refuses itself
        assert message in read.value.message
        assert appended.value.message == message
    codes = (read.value.code, appended.value.code, replaced.value.code)
    assert codes == ("file-unreadable", "file-unreadable", "file-unwritable")
    assert repr(str(path)) in read.value.message


def test_a_file_is_read_up_to_a_bound(tmp_path: Path) -> None:
    """S17: the bytes, or why not."""
    (tmp_path / "a").write_bytes(b"0123456789")
    assert read_file(tmp_path / "a", 10) == b"0123456789"
    for path, most, code in (
        (tmp_path / "a", 9, "file-too-large"),
        (tmp_path / "none", 9, "file-missing"),
        (f"{tmp_path}/a\0", 9, "file-unreadable"),
        ("x" * 5_000, 9, "file-unreadable"),
    ):
        with pytest.raises(RecordError) as raised:
            read_file(path, most, RecordError)
        assert raised.value.code == code


@POSIX
def test_what_would_have_to_be_waited_for_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """S17: some files of the system are regular, and hold nothing yet, such as /proc/kmsg."""
    ends = os.pipe2(os.O_NONBLOCK) if hasattr(os, "pipe2") else pytest.skip("no such pipes")
    monkeypatch.setattr(files, "regular_file", lambda _path: os.fdopen(ends[0], "rb"))
    with pytest.raises(RecordError, match="waited for") as caught:
        read_file(tmp_path / "a", 10, RecordError)
    os.close(ends[1])
    assert caught.value.code == "file-unreadable"


@POSIX
def test_a_lock_is_held_by_one(tmp_path: Path) -> None:
    """S11: and a link in its place is not followed."""
    lock = tmp_path / "a.lock"
    with locked_file(lock):
        assert mode_of(lock) == 0o600
        with pytest.raises(BlockingIOError), locked_file(lock):
            pass
    assert not lock.exists()
    lock.symlink_to(tmp_path / "planted")
    with pytest.raises(OSError, match="symbolic"), locked_file(lock):
        pass
    assert not (tmp_path / "planted").exists()


FOLDER: Final = {"a.txt": b"1", "b/c.txt": b"2" * 100_000, "b/d/e.txt": b""}


def held(folder: Path) -> dict[str, bytes]:
    """Return the files of a folder, by their paths in it."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


@pytest.mark.parametrize("there", [False, True], ids=["new", "empty"])
def test_a_folder_is_written_whole(tmp_path: Path, *, there: bool) -> None:
    """A new folder has its files, and nothing is left beside it; an empty one is taken."""
    if there:
        (tmp_path / "out").mkdir()
    write_folder(tmp_path / "out", FOLDER)
    assert held(tmp_path / "out") == FOLDER
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_a_folder_is_never_written_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder with something in it, a file, a dangling link, the folder one is in: all stay."""
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "old").write_bytes(b"old")
    (tmp_path / "file").write_bytes(b"old")
    (tmp_path / "link").symlink_to(tmp_path / "gone")
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    before = sorted(tmp_path.rglob("*"))
    for name in ("full", "file", "link", "here"):
        with pytest.raises(TrenteError) as caught:
            write_folder(tmp_path / name, FOLDER)
        assert caught.value.code == "file-exists", name
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize("error", [OSError(errno.ENOSPC, "full"), KeyboardInterrupt()])
def test_a_folder_that_cannot_be_finished_is_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    """A full disk or an interrupt in the middle of a file leaves nothing behind."""
    done = 0

    def sync(_handle: int) -> None:
        nonlocal done
        done += 1
        if done == 2:
            raise error

    monkeypatch.setattr("os.fsync", sync)
    expected = TrenteError if isinstance(error, OSError) else KeyboardInterrupt
    with pytest.raises(expected) as caught:
        write_folder(tmp_path / "out", FOLDER)
    if isinstance(caught.value, TrenteError):
        assert caught.value.code == "file-unwritable"
    assert list(tmp_path.iterdir()) == []


def test_a_folder_in_no_folder_is_refused(tmp_path: Path) -> None:
    """The folder above must be there; a path that no system takes is refused as well."""
    for name in ("a/b", "a\0b"):
        with pytest.raises(TrenteError) as caught:
            write_folder(tmp_path / name, FOLDER)
        assert caught.value.code == "file-unwritable"
    assert list(tmp_path.iterdir()) == []
