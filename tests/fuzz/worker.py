"""One process of the fuzzer: a target, instrumented, under libFuzzer; `run` starts it.

    python -m tests.fuzz.worker TARGET --stats FILE --artifacts FOLDER -- OPTIONS...

What the target said of its inputs is counted in the file of statistics, since how deep a fuzzer
comes is not seen in how often it runs. It imports no numba: a compiler takes more memory than an
input may.
"""

from __future__ import annotations

import argparse
import importlib
import json
import resource
import shlex
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:  # imported before the product is instrumented, it would not be
    from tests.fuzz.target import Target

_EVERY: Final = 0.25
"""Seconds between two writings of the statistics."""
_LEAST: Final = 2
FORBIDDEN: Final = ("numba", "llvmlite")


class Statistics:
    """What a target said so far, in a file: libFuzzer ends a process without a word to Python."""

    def __init__(self, path: Path) -> None:
        """Count into a file."""
        self.path, self.words, self.slowest = path, Counter[str](), 0.0
        self._written = 0.0

    def note(self, word: str, seconds: float) -> None:
        """Count the word of an input, and write all of them now and then."""
        self.words[word] += 1
        self.slowest = max(self.slowest, seconds)
        now = time.monotonic()
        if now - self._written > _EVERY:
            self._written = now
            self.write()

    def write(self) -> None:
        """Write the statistics."""
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
        value = {"words": dict(self.words), "slowest": self.slowest, "megabytes": peak}
        self.path.write_text(json.dumps(value))


def dictionary(words: Any) -> str:
    """Return words as a dictionary of libFuzzer."""
    lines = []
    for word in dict.fromkeys(words):
        data = word.encode("utf-8", "surrogatepass")
        if 1 < len(data) <= 60:
            lines.append('"' + "".join(f"\\x{byte:02x}" for byte in data) + '"')
    return "\n".join(lines) + "\n"


def _again(given: argparse.Namespace) -> str:
    """Return a program that starts this process again: a merge gives it to a shell."""
    command = [sys.executable, "-m", "tests.fuzz.worker", given.target]
    command += ["--stats", str(given.stats), "--artifacts", str(given.artifacts), "--"]
    program = given.stats.with_suffix(".sh")
    program.write_text(f'#!/bin/sh\nexec {shlex.join(command)} "$@"\n')
    program.chmod(0o700)
    return str(program)


def _reader(given: argparse.Namespace, target: Target, shared: Any) -> Callable[[bytes], None]:
    """Return what gives an input to a target, counts what it said, and writes what fails."""
    statistics = Statistics(given.stats)

    def late(_signal: int, _frame: Any) -> None:
        raise shared.LateError(f"it takes more than {shared.MOST_SECONDS:.0f} s")

    signal.signal(signal.SIGPROF, late)

    def one(data: bytes) -> None:
        since = time.process_time()
        signal.setitimer(signal.ITIMER_PROF, shared.MOST_SECONDS)
        try:
            word = shared.attempt(target, data)
        except BaseException as error:  # libFuzzer's own alarm may end it before it has written
            kind = "timeout" if isinstance(error, shared.LateError) else "crash"
            name = f"{kind}-{sha256(data).hexdigest()[:20]}"
            (given.artifacts / name).write_bytes(data)
            raise
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
        statistics.note(word, time.process_time() - since)
        assert not any(name in sys.modules for name in FORBIDDEN)

    return one


def _mutator(target: Target, words: list[str], kept: list[bytes]) -> dict[str, Any]:
    """Return the option that changes inputs within their structure, where a target does."""
    import atheris  # noqa: PLC0415 - nothing else of the tests needs it

    if target.mutate is None:
        return {}

    def raw(data: bytes, most: int) -> bytes:  # this name means another function once it fuzzes
        return bytes(atheris.Mutate(data, most))

    change = target.mutate(words, raw, kept)

    def mutated(data: bytes, most: int, seed: int) -> bytes:
        random = Random(seed)
        if kept and not random.randrange(3):  # libFuzzer likes short inputs, few of which mean much
            data = random.choice(kept)
        return bytes(change(data, random)[:most])

    return {"custom_mutator": mutated}


def main() -> None:
    """Fuzz until libFuzzer ends."""
    began = time.monotonic()
    parser = argparse.ArgumentParser()
    parser.add_argument("target")
    parser.add_argument("--stats", type=Path, required=True)
    parser.add_argument("--seeds", type=Path)
    parser.add_argument("--artifacts", type=Path, required=True)
    parser.add_argument("--plant", default="")
    parser.add_argument("--seconds", type=float, default=0.0, help="from the beginning of this")
    split = sys.argv.index("--")
    given, libfuzzer = parser.parse_args(sys.argv[1:split]), sys.argv[split + 1 :]

    import atheris  # noqa: PLC0415 - nothing else of the tests needs it

    # Modules of the product that are first imported by an input are instrumented too.
    with atheris.instrument_imports(include=["trente_rules"], enable_loader_override=False):
        module = importlib.import_module(f"tests.fuzz.{given.target.replace('-', '_')}")
        shared = importlib.import_module("tests.fuzz.target")
        target: Target = module.TARGET
        if given.seeds:
            for seed in target.seeds():
                (given.seeds / sha256(seed).hexdigest()[:16]).write_bytes(seed)
        words = [*target.words()]
        folders = filter(Path.is_dir, map(Path, libfuzzer))
        kept = [path.read_bytes() for each in folders for path in sorted(each.iterdir())]
        lexicon = given.stats.with_suffix(".dict")
        lexicon.write_text(dictionary(words))
        shared.prepared(target)
        if given.plant:
            importlib.import_module("tests.fuzz.plants").plant(given.target, given.plant)
        if given.seconds:
            left = given.seconds - (time.monotonic() - began)
            libfuzzer.append(f"-max_total_time={max(_LEAST, round(left))}")
        options = [f"-max_len={target.longest}", f"-dict={lexicon}", *libfuzzer]
        more = _mutator(target, words, kept)
        atheris.Setup([_again(given), *options], _reader(given, target, shared), **more)
        atheris.Fuzz()


if __name__ == "__main__":
    main()
