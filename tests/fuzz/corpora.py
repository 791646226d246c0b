"""The kept inputs of the fuzzer: a file of JSON lines for each target.

``corpus/TARGET.jsonl`` holds inputs that together reach what was ever reached; ``found/`` those
that a target failed on once, before the fault was mended; ``planted/`` one that meets the fault
which tests plant in a target: the fuzzer has to find such a one itself. An input is a string, or an
object with its bytes in hexadecimal where they are not UTF-8.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from typing import Final

from tests.fuzz.target import Target

HERE: Final = Path(__file__).parent
TARGETS: Final = (
    "house-files",
    "record-files",
    "record-objects",
    "permanence-files",
    "snapshots",
    "saves",
    "journal-rows",
    "wire-commands",
    "socket-frames",
    "service-requests",
    "token-texts",
    "fair-shoes",
)
KINDS: Final = ("corpus", "found")
"""What the fuzzer begins with."""
PLANTED: Final = "planted"
MOST_BYTES: Final = 90_000
"""Bytes that the corpus of one target takes at most, so that all take less than a megabyte."""


def target(name: str) -> Target:
    """Return a target by its name: each has a module."""
    found: Target = import_module(f"tests.fuzz.{name.replace('-', '_')}").TARGET
    return found


def kept(name: str, kind: str) -> Iterator[bytes]:
    """Yield the kept inputs of a target."""
    path = HERE / kind / f"{name}.jsonl"
    if path.is_file():
        for line in path.read_text("utf-8").splitlines():
            value = json.loads(line)
            yield value.encode() if isinstance(value, str) else bytes.fromhex(value["hex"])


def line_of(data: bytes) -> str:
    """Return an input as a line."""
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return json.dumps({"hex": data.hex()})
    return (
        json.dumps(text, ensure_ascii=False).replace("\u2028", "\\u2028").replace("\x85", "\\u0085")
    )


def keep(name: str, kind: str, inputs: Iterable[bytes], most: int | None = None) -> int:
    """Write the kept inputs of a target, the shortest first; return how many they are."""
    lines: list[str] = []
    size = 0
    for data in sorted(set(inputs), key=lambda each: (len(each), each)):
        line = line_of(data)
        size += len(line.encode()) + 1
        if most is not None and size > most:
            break
        lines.append(line)
    path = HERE / kind / f"{name}.jsonl"
    path.parent.mkdir(exist_ok=True)
    path.write_text("".join(f"{line}\n" for line in lines), "utf-8")
    return len(lines)


def unpack(inputs: Iterable[bytes], folder: Path) -> None:
    """Write inputs as files of a folder, as libFuzzer reads them."""
    folder.mkdir(parents=True, exist_ok=True)
    for data in inputs:
        (folder / sha256(data).hexdigest()[:20]).write_bytes(data)
