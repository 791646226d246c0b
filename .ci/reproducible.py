"""Build sdist and wheel twice, in places that differ in all that should not matter: the same bytes.

usage: reproducible.py PYTHON [OUTDIR]

The places differ in their folder, in the dates and rights of all files, in umask, time zone,
locale and SOURCE_DATE_EPOCH, and in the order in which files are written. The build backend is the
installed one (a lock pins it), so that whoever installs the lock gets the bytes of a release.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path
from zipfile import ZipFile

ROOT = Path(__file__).parent.parent
PLACES = (
    {"umask": "022", "date": "200001010000", "TZ": "UTC", "LC_ALL": "C.UTF-8"},
    {
        "umask": "077",
        "date": "203704052359",
        "TZ": "Pacific/Chatham",
        "LC_ALL": "POSIX",
        "SOURCE_DATE_EPOCH": "1",
        "PYTHONHASHSEED": "7",
    },
)


def listed() -> list[str]:
    """Return the files of the checkout that git does not ignore; of an sdist, every file."""
    words = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    try:
        done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        files = (path.relative_to(ROOT) for path in ROOT.rglob("*") if path.is_file())
        return sorted(str(one) for one in files if not {".venv", "build"} & set(one.parts))
    return sorted({name for name in done.stdout.split("\0") if name and (ROOT / name).is_file()})


def built(python: str, folder: Path, place: dict[str, str], names: list[str]) -> dict[str, Path]:
    """Copy the checkout into a folder, build there, and return the files by their names."""
    mask = int(place["umask"], 8)
    for name in names:
        copy = folder / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, copy)
        copy.chmod((0o777 if os.access(ROOT / name, os.X_OK) else 0o666) & ~mask)
    subprocess.run(
        ["find", str(folder), "-exec", "touch", "-h", "-t", place["date"], "{}", "+"],  # noqa: S607
        check=True,
    )
    more = {name: value for name, value in place.items() if name.isupper()}
    environment = {name: value for name, value in os.environ.items() if name != "LANG"} | more
    # What a builder has set does not reach the archives: the backend's own date is in them.
    environment.pop("SOURCE_DATE_EPOCH", None)
    done = subprocess.run(
        [python, "-m", "build", "--no-isolation", "--outdir", str(folder / "made"), str(folder)],
        env=environment,
        umask=mask,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if done.returncode:
        sys.exit(done.stdout)
    return {path.name: path for path in sorted((folder / "made").iterdir())}


def members(path: Path) -> dict[str, tuple[object, ...]]:
    """Return what an archive holds: of each member its rights, date and content."""
    if path.suffix == ".whl":
        with ZipFile(path) as wheel:
            return {
                one.filename: (one.external_attr, one.date_time, one.CRC)
                for one in wheel.infolist()
            }
    with tarfile.open(path) as sdist:
        return {
            one.name: (one.mode, one.mtime, one.uid, one.uname, hashed(sdist, one))
            for one in sdist.getmembers()
        }


def hashed(sdist: tarfile.TarFile, member: tarfile.TarInfo) -> str:
    """Return the SHA-256 of a member of an sdist."""
    content = sdist.extractfile(member)
    return hashlib.sha256(content.read() if content else b"").hexdigest()


def compare(one: dict[str, Path], other: dict[str, Path]) -> list[str]:
    """Return a sentence for each archive that differs, with what differs in it."""
    if one.keys() != other.keys():
        return [f"other files: {sorted(one)} and {sorted(other)}"]
    found = []
    for name, path in one.items():
        if path.read_bytes() != other[name].read_bytes():
            here, there = members(path), members(other[name])
            names = sorted(
                key for key in here.keys() | there.keys() if here.get(key) != there.get(key)
            )
            found.append(f"{name} differs in {names[:10] or 'its own headers or order'}")
    return found


def main(python: str, outdir: Path | None) -> int:
    """Build in both places; print the SHA-256 of what is the same; return the exit status."""
    names = listed()
    with tempfile.TemporaryDirectory() as near, tempfile.TemporaryDirectory() as far:
        deep = Path(far) / "a longer way" / "to it"
        one = built(python, Path(near) / "x", PLACES[0], names)
        other = built(python, deep, PLACES[1], names[::-1])
        wrong = compare(one, other)
        if wrong:
            print("\n".join(wrong))
            return 1
        for name, path in one.items():
            print(f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {name}")
            if outdir is not None:
                outdir.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(path, outdir / name)
    print("  built twice, byte for byte the same")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], Path(sys.argv[2]) if sys.argv[2:] else None))
