"""New files: written whole or not at all, and never over an existing file."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import BinaryIO

from trente_rules.core.errors import TrenteError


@contextmanager
def new_file(
    name: str | PathLike[str], kind: type[TrenteError] = TrenteError
) -> Iterator[BinaryIO]:
    """Open a new file for bytes; remove it where it could not be written whole.

    Raises an error of the ``kind``: "file-exists", "file-unwritable".
    """
    file = Path(name)
    try:
        opened = file.open("xb")
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


def unwritable_error(
    file: Path, why: Exception | str, kind: type[TrenteError] = TrenteError, hint: str = ""
) -> TrenteError:
    """Return the error of a file that cannot be written ("file-unwritable")."""
    reason = getattr(why, "strerror", None) or str(why)
    return kind(f"{str(file)!r} cannot be written: {reason}", "file-unwritable", hint)
