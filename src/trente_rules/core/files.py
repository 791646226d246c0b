"""Files: the one place where those that the library reads and writes are opened.

A file is written whole or not at all. One that holds cards, seeds or states may be read by its
owner alone, from its first byte. What is read is a regular file: nothing here waits for a pipe, a
terminal or a device.
"""

from __future__ import annotations

import errno
import os
import stat
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from os import PathLike
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp, mkstemp
from typing import Any, BinaryIO, Final, Literal, cast

from trente_rules.core.errors import TrenteError

PRIVATE: Final = 0o600
"""The mode of a file for its owner alone."""
_PUBLIC: Final = 0o666
_GROUP: Final = 0o070
_OTHERS: Final = 0o044
_NO_WAIT: Final = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0)
_BINARY: Final = getattr(os, "O_BINARY", 0)
_NO_LINK: Final = getattr(os, "O_NOFOLLOW", 0)
_MOST_LINKS: Final = 40
"""How many links a path may lead through: as many as Linux follows."""
_NEW: Final = os.O_CREAT | os.O_EXCL | _NO_LINK
_NO_SYNC: Final = (errno.EINVAL, errno.ENOTSUP, errno.EACCES, errno.EPERM, errno.EBADF)
"""How a system says that it does not sync folders, or not this one."""


def regular_file(
    path: str | PathLike[str],
    kind: type[TrenteError] = TrenteError,
    mode: Literal["rb", "a+b"] = "rb",
) -> BinaryIO:
    """Open a regular file to read, or with "a+b" to append; what is made then is private.

    Pipes, terminals, sockets and devices are refused, and nothing waits for them. The message of an
    error says what is wrong, and not where. Raises an error of the ``kind``: "file-missing",
    "file-unreadable".
    """
    flags = os.O_RDONLY if mode == "rb" else os.O_RDWR | os.O_CREAT | os.O_APPEND
    try:
        handle = os.open(path, flags | _NO_WAIT | _BINARY, PRIVATE)
    except FileNotFoundError:
        raise kind("there is no such file", "file-missing", _missing_folder(path)) from None
    except IsADirectoryError:
        raise _directory_error(kind) from None
    except OSError as error:
        reason = (error.strerror or type(error).__name__).lower()
        raise kind(f"the file cannot be read: {reason}", "file-unreadable") from error
    except ValueError as error:
        what = "no file can have this path: it holds a character that paths cannot hold"
        raise kind(what, "file-unreadable") from error
    # Only what was looked at is made a file of Python, which would read or seek in it.
    kind_of_file = os.fstat(handle).st_mode
    if not stat.S_ISREG(kind_of_file):
        os.close(handle)
        if stat.S_ISDIR(kind_of_file):
            raise _directory_error(kind)
        raise kind("this is not a file", "file-unreadable", "name a file")
    return os.fdopen(handle, mode)


def _directory_error(kind: type[TrenteError]) -> TrenteError:
    return kind("this is a directory", "file-unreadable", "name a file in it")


def read_file(path: str | PathLike[str], most: int, kind: type[TrenteError] = TrenteError) -> bytes:
    """Return the bytes of a regular file, at most ``most`` of them; see ``regular_file``.

    Raises an error of the ``kind``: "file-missing", "file-unreadable", "file-too-large".
    """
    try:
        return bytes_of(path, most)
    except TrenteError as error:
        what = f"{os.fspath(path)!r} cannot be read: {error.message}"
        raise kind(what, error.code, error.hint) from error


def bytes_of(path: str | PathLike[str], most: int) -> bytes:
    """Return the bytes of a regular file; errors are those of ``read_file``, without the path."""
    with regular_file(path) as opened:
        try:
            data = cast("bytes | None", opened.read(most + 1))
        except OSError as error:
            reason = (error.strerror or type(error).__name__).lower()
            raise TrenteError(f"the file cannot be read: {reason}", "file-unreadable") from error
        if data is None:  # a file of the system's own, such as /proc/kmsg, where nothing is yet
            what = "the file cannot be read: it would have to be waited for"
            raise TrenteError(what, "file-unreadable")
        size = max(os.fstat(opened.fileno()).st_size, len(data))
    if len(data) > most:
        raise TrenteError(f"the file has {size} bytes, more than {most}", "file-too-large")
    return data


def path_within(path: str | PathLike[str], folder: str | PathLike[str]) -> Path | None:
    """Return where a path leads, its links followed; None where any step of it leaves a folder.

    The path, and each link that is absolute, begins with the folder, as it is given or as it is
    resolved. Nothing outside is looked at, so that whoever names the path learns nothing of it.
    What is returned is to be opened, and not the path. Links in a circle lead nowhere: None.
    """
    try:
        top = Path(folder).resolve()
        tops, found, links = (Path(folder).absolute(), top), top, 0
        steps = _steps_from(Path(path).absolute(), tops)
        while steps:
            step = steps.pop()
            if step == "..":
                if found == top:
                    return None
                found = found.parent
                continue
            found /= step
            if found.is_symlink():
                target, links = found.readlink(), links + 1
                found = top if target.is_absolute() else found.parent
                more = _steps_from(target, tops) if target.is_absolute() else [*target.parts[::-1]]
                if more is None or links > _MOST_LINKS:
                    return None
                steps += more
    except (OSError, RuntimeError):  # a name that no system takes, a folder of links in a circle
        return None
    return None if steps is None else found


def _steps_from(path: Path, tops: Iterable[Path]) -> list[str] | None:
    """Return the steps from one of some folders to a path, the last first; None from none."""
    for top in tops:
        if path.parts[: len(top.parts)] == top.parts:
            return [*path.parts[: len(top.parts) - 1 : -1]]
    return None


@contextmanager
def new_file(
    name: str | PathLike[str], kind: type[TrenteError] = TrenteError, *, private: bool = False
) -> Iterator[BinaryIO]:
    """Open a new file for bytes; remove it where it could not be written whole.

    With ``private`` its owner alone may read it, from the first byte. A link counts as a file that
    is there already. Raises an error of the ``kind``: "file-exists", "file-unwritable".
    """
    file = Path(name)
    try:
        mode = PRIVATE if private else _PUBLIC
        opened = open(file, "xb", opener=_opener(_NO_LINK, mode))  # noqa: SIM115 - closed below
    except FileExistsError:
        raise kind(
            f"{str(file)!r} is there already", "file-exists", "name another file, or remove it"
        ) from None
    except (OSError, ValueError) as error:
        raise unwritable_error(file, error, kind) from error
    try:
        with opened:
            yield opened
    except BaseException as error:
        file.unlink(missing_ok=True)
        if isinstance(error, OSError | UnicodeError):
            raise unwritable_error(file, error, kind) from error
        raise


def make_private(path: str | PathLike[str]) -> bool:
    """Make an empty file that its owner alone may read; return False where there is a file already.

    It is made where a link points to. For files that a library opens by their names. Raises
    ``OSError``, and ``FileExistsError`` where something else than a file is there.
    """
    target = os.path.realpath(path)
    try:
        os.close(os.open(target, _NEW | os.O_RDWR | _NO_WAIT, PRIVATE))
    except FileExistsError:
        if not Path(target).is_file():
            raise
        return False
    return True


def replace_file(
    path: str | PathLike[str],
    data: bytes | Iterable[bytes],
    kind: type[TrenteError] = TrenteError,
    *,
    private: bool = True,
) -> None:
    """Write a file whole, or leave what was there: also where the machine loses its power.

    ``data`` may come part by part: it is never held whole.
    A link stays a link: the file it points to is replaced. That keeps its mode, and its owner where
    the system allows it; where its group cannot be kept, the group loses its rights. A new file is
    for its owner alone unless ``private`` is false. Raises an error of the ``kind``
    ("file-unwritable").
    """
    try:
        _replace(Path(os.path.realpath(path)), data, PRIVATE if private else _PUBLIC)
    except (OSError, ValueError) as error:
        raise unwritable_error(Path(path), error, kind) from error


def _replace(target: Path, data: bytes | Iterable[bytes], mode: int) -> None:
    try:
        before = target.stat()
    except FileNotFoundError:
        before = None
    if before is not None and not stat.S_ISREG(before.st_mode):
        raise OSError(errno.EINVAL, "it is not a file")
    # A name that nobody can foresee: what was planted under one that can be is never written to.
    handle, name = mkstemp(prefix=".", suffix=".new", dir=target.parent)  # of mode 0600
    fresh = Path(name)
    if before is None and mode != PRIVATE:  # the mode that the system gives new files
        os.close(handle)
        fresh.unlink()
        handle = os.open(name, _NEW | os.O_WRONLY | _BINARY, mode)
    try:
        with os.fdopen(handle, "wb") as opened:
            opened.writelines((data,) if isinstance(data, bytes) else data)
            opened.flush()
            if before is not None:
                _keep_mode(handle, before)
            os.fsync(handle)
        fresh.replace(target)
    except BaseException:
        with suppress(OSError):
            fresh.unlink()
        raise
    sync_folder(target.parent)


def write_folder(
    path: str | PathLike[str],
    files: Mapping[str, bytes],
    kind: type[TrenteError] = TrenteError,
) -> None:
    """Write a new folder of files whole, or nothing: an error or Ctrl-C leaves no part of it.

    ``files`` are by their paths within the folder, with slashes. It is written under a name next
    to it, a dot and random letters, and renamed at the end: a process that is killed leaves that. A
    folder that is there already must be empty. Whoever the system lets read new files may read
    them. Raises an error of the ``kind``: "file-exists",
    "file-unwritable".
    """
    target = Path(path)
    try:
        check_new_folder(target, kind)
        _write_folder(Path(os.path.realpath(target)), files)
    except (OSError, ValueError) as error:
        raise unwritable_error(target, error, kind) from error


def check_new_folder(path: str | PathLike[str], kind: type[TrenteError] = TrenteError) -> None:
    """Refuse a path at which no folder can be made.

    Either something is there ("file-exists"), or it is not in a folder ("file-unwritable"). An
    empty folder is allowed, unless the program is in it: it is replaced.
    """
    target = Path(path)
    if not os.path.lexists(target):
        if not target.parent.is_dir():
            why = f"there is no folder {str(target.parent)!r}"
            raise unwritable_error(target, why, kind, "make it, or name another folder")
        return
    if not target.is_dir():
        what = f"{str(target)!r} is there already, and is not a folder"
    elif any(target.iterdir()):
        what = f"{str(target)!r} is there already, and is not empty"
    elif target.samefile(Path()):
        what = f"{str(target)!r} is the folder that you are in"
    else:
        return
    raise kind(what, "file-exists", "name a folder that is not there yet")


def _write_folder(target: Path, files: Mapping[str, bytes]) -> None:
    fresh = Path(mkdtemp(prefix=".", suffix=".new", dir=target.parent))  # of mode 0700
    try:
        fresh.rmdir()
        fresh.mkdir()  # of the mode that the system gives new folders
        folders = {fresh}
        for name, data in files.items():
            file = fresh / name
            file.parent.mkdir(parents=True, exist_ok=True)
            folders.add(file.parent)
            handle = os.open(file, _NEW | os.O_WRONLY | _BINARY, _PUBLIC)
            with os.fdopen(handle, "wb") as opened:
                opened.write(data)
                opened.flush()
                os.fsync(handle)
        for folder in folders:
            sync_folder(folder)
        if sys.platform == "win32" and target.is_dir():
            target.rmdir()  # a folder cannot be renamed to the name of an empty one there
        fresh.rename(target)
    except BaseException:
        rmtree(fresh, ignore_errors=True)
        raise
    sync_folder(target.parent)


def _keep_mode(handle: int, before: os.stat_result) -> None:
    """Give an open file the owner and the mode of the file that it replaces."""
    if sys.platform == "win32":  # rights are those of the folder
        return
    mode = stat.S_IMODE(before.st_mode)
    now = os.fstat(handle)
    if (now.st_uid, now.st_gid) != (before.st_uid, before.st_gid):
        try:
            os.fchown(handle, before.st_uid, before.st_gid)
        except OSError:
            try:
                os.fchown(handle, -1, before.st_gid)
            except OSError:
                mode &= ~_GROUP  # what its group might read is not for another one
    os.fchmod(handle, mode)


def sync_folder(folder: str | PathLike[str]) -> None:
    """Make the names in a folder durable, where the system can; raises ``OSError``."""
    if sys.platform == "win32":
        return
    try:
        handle = os.open(folder, os.O_RDONLY | _NO_WAIT)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
    except OSError as error:
        if error.errno not in _NO_SYNC:
            raise


@contextmanager
def locked_file(path: str | PathLike[str]) -> Iterator[None]:
    """Hold a lock file for one program at a time; it is made here, and removed at the end.

    A link is not followed. Raises ``OSError``; ``BlockingIOError`` where another program has it.
    """
    handle = _locked(path)
    try:
        yield
    finally:
        if sys.platform == "win32":  # one that is open cannot be removed there
            os.close(handle)
        with suppress(OSError):
            Path(path).unlink()
        if sys.platform != "win32":
            os.close(handle)


def _locked(path: str | PathLike[str]) -> int:
    while True:
        handle = os.open(path, os.O_RDWR | os.O_CREAT | _NO_LINK | _NO_WAIT, PRIVATE)
        try:
            _lock(handle)
            # Whoever held it may have removed it meanwhile: then the lock is of no file.
            if os.path.samestat(Path(path).stat(), os.fstat(handle)):
                return handle
        except FileNotFoundError:
            pass
        except BaseException:
            os.close(handle)
            raise
        os.close(handle)


def _lock(handle: int) -> None:
    if sys.platform == "win32":
        import msvcrt  # noqa: PLC0415 - not on every system

        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except OSError as error:
            raise BlockingIOError(error.errno, "it is locked") from error
    else:
        import fcntl  # noqa: PLC0415 - not on every system

        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)


def open_to_others(path: str | PathLike[str]) -> bool:
    """Return whether others than its owner may read a file, as far as its mode says."""
    try:
        return sys.platform != "win32" and bool(Path(path).stat().st_mode & _OTHERS)
    except (OSError, ValueError):
        return False


def _opener(flags: int, mode: int) -> Callable[[Any, int], int]:
    """Return what opens a file with more flags, and makes it with a mode."""
    return lambda path, given: os.open(path, given | flags, mode)


def _missing_folder(path: str | PathLike[str]) -> str:
    """Return a hint where the folder of a file is missing too."""
    try:
        folder = Path(os.fsdecode(path)).parent
        return "" if folder.is_dir() else "the folder it should be in does not exist either"
    except (OSError, ValueError):
        return ""


def unwritable_error(
    file: Path, why: Exception | str, kind: type[TrenteError] = TrenteError, hint: str = ""
) -> TrenteError:
    """Return the error of a file that cannot be written ("file-unwritable")."""
    reason = getattr(why, "strerror", None) or str(why)
    return kind(f"{str(file)!r} cannot be written: {reason}", "file-unwritable", hint)
