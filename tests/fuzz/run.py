"""Fuzz the readers of what strangers send, guided by coverage.

    python -m tests.fuzz.run                                every target, a minute in all
    python -m tests.fuzz.run house-files --seconds 600
    python -m tests.fuzz.run --seconds 3600 --resume        an hour that a break does not undo
    python -m tests.fuzz.run --merge                        the corpora that grew, into the kept
    python -m tests.fuzz.run house-files --input FILE       the same input, without the fuzzer
    python -m tests.fuzz.run house-files --input FILE --found   and keep it, once it is mended
    python -m tests.fuzz.run --planted                      find a fault in each target

It needs atheris (`pip install --group fuzz`); only --input does not. An input that breaks a
promise, takes more than 2 s or makes the process larger than 300 MB is a failure: it is written to
a folder, and the command that repeats it is printed. Exit status 1 where there is one.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from attrs import asdict, define, field
from tests.fuzz import corpora
from tests.fuzz.corpora import KINDS, MOST_BYTES, TARGETS
from tests.fuzz.plants import PlantedError, is_seen
from tests.fuzz.target import MOST_MEGABYTES, MOST_SECONDS, ROOT, attempt, memory, prepared
from tests.proofs import KEEP_HELP, Result, code_digest, keep

WORK: Final = ROOT / "build/fuzz"
SLICE: Final = 300.0
"""Seconds after which what was done is written down, and a target starts over."""
LEAST: Final = 1.0
WALL: Final = 20.0
"""Seconds of the clock for an input that does not return to Python; its processor has 2 s."""
LONGEST_MERGE: Final = 3600.0
GRACE: Final = 600.0
"""Seconds that a process may take to begin and to end."""
QUICK: Final = "token-texts", "permanence-files", "house-files"
PLANTS: Final = ("raises", "hangs", "grows")
_OTHERS: Final = "libfuzzer-"
_LINE: Final = re.compile(r"#(\d+)\s+\w+\s+cov: (\d+) ft: (\d+) corp: (\d+)/")


_RAISED: Final = re.compile(r"^(?:[\w.]*Error|[\w.]*Exception)\b.*", re.MULTILINE)


@define
class Done:
    """What a target did so far."""

    name: str
    executions: int = 0
    seconds: float = 0.0
    edges: int = 0
    features: int = 0
    corpus: int = 0
    megabytes: int = 0
    slowest: float = 0.0
    words: dict[str, int] = field(factory=dict)
    failures: list[str] = field(factory=list)
    unsure: int = 0

    @property
    def accepted(self) -> int:
        """The inputs that were accepted, and used."""
        return sum(many for word, many in self.words.items() if word.startswith("accepted"))

    def __str__(self) -> str:
        """Return a line of the table."""
        share = 100 * self.accepted / max(1, sum(self.words.values()))
        return (
            f"{self.name:17} {self.executions:9,} {self.seconds:7.0f} s {self.edges:6,} "
            f"{self.features:7,} {self.corpus:6,} {share:5.1f} % {len(self.words):5} "
            f"{self.megabytes:4} MB {self.slowest:5.2f} s {len(self.failures):3}"
        )


HEAD: Final = (
    f"{'target':17} {'runs':>9} {'time':>9} {'edges':>6} {'feats':>7} {'corpus':>6} {'taken':>7} "
    f"{'words':>5} {'memory':>7} {'longest':>7} {'bad':>3}"
)


class Fuzzer:
    """Runs targets in processes of their own."""

    def __init__(self, work: Path, seed: int, plant: str = "") -> None:
        """Take the folder for corpora and failures; ``plant`` is a fault to plant."""
        self.work, self.seed, self.plant = work, seed, plant

    def run(self, done: Done, seconds: float) -> Done:
        """Fuzz a target for some seconds, from where its corpus is."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) >= LEAST:
            before = len(done.failures)
            self._slice(done, seconds if self.plant else left)
            if len(done.failures) > before:
                break
        return done

    def _slice(self, done: Done, seconds: float) -> None:
        """Fuzz until the time is over or an input fails."""
        grown = self.work / "corpora" / done.name
        grown.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(prefix="fuzz-", dir=memory()) as name:
            place = Path(name)
            kept, stats = place / "kept", place / "stats.json"
            for kind in KINDS:
                corpora.unpack(corpora.kept(done.name, kind), kept)
            artifacts = place / "artifacts"
            artifacts.mkdir()
            command = self._command(done.name, stats, kept if not any(kept.iterdir()) else None)
            command += ["--artifacts", str(artifacts)]
            # A planted fault has its time from the first input on, however slow the start is.
            left = f"-max_total_time={seconds:.0f}" if self.plant else "-max_total_time=0"
            command += [
                *("--seconds", "0" if self.plant else f"{seconds:.1f}", "--", left),
                *(f"-timeout={WALL:.0f}", f"-rss_limit_mb={MOST_MEGABYTES}"),
                f"-seed={self.seed + done.executions % 10**6 + 1}",
                *("-print_final_stats=1", f"-artifact_prefix={artifacts}/{_OTHERS}"),
                *map(str, (grown, kept)),
            ]
            since = time.monotonic()
            status, text = _process(command, seconds + GRACE, place)
            self._count(done, text, stats, time.monotonic() - since)
            # Of two for one input the worker's own, which knows what took too long.
            found = sorted(artifacts.iterdir(), key=lambda path: not path.name.startswith(_OTHERS))
            for artifact in {path.read_bytes(): path for path in found}.values():
                self._judge(done, artifact, text)
            if status and not any(artifacts.iterdir()):
                done.failures.append(f"{done.name}: ended with {status}: {text[-1500:]}")
                print(done.failures[-1], flush=True)

    def _command(self, name: str, stats: Path, seeds: Path | None) -> list[str]:
        command = [sys.executable, "-m", "tests.fuzz.worker", name, "--stats", str(stats)]
        if seeds is not None:
            command += ["--seeds", str(seeds)]
        return [*command, "--plant", self.plant] if self.plant else command

    def _count(self, done: Done, text: str, stats: Path, seconds: float) -> None:
        done.seconds += seconds
        lines = _LINE.findall(text)
        if lines:
            runs, *rest = map(int, lines[-1])
            found = re.search(r"number_of_executed_units:\s+(\d+)", text)
            done.executions += int(found[1]) if found else runs
            done.edges, done.features, done.corpus = rest
        if stats.is_file():
            told = json.loads(stats.read_text())
            for word, many in told["words"].items():
                done.words[word] = done.words.get(word, 0) + many
            done.slowest = max(done.slowest, told["slowest"])
            done.megabytes = max(done.megabytes, told["megabytes"])
        if found := re.search(r"peak_rss_mb:\s+(\d+)", text):
            done.megabytes = max(done.megabytes, int(found[1]))

    def _judge(self, done: Done, artifact: Path, text: str) -> None:
        """Try an input again that the fuzzer gave up on: a busy machine alone is no failure.

        What broke a promise has failed, even where it does not alone, after no other input.
        """
        kind = artifact.name.removeprefix(_OTHERS).partition("-")[0]
        if kind == "slow":  # one that libFuzzer only mentions
            return
        place = self.work / "failures" / done.name / artifact.name
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(artifact, place)
        status, said = self._again(done.name, place)
        if not status and kind != "crash":
            done.unsure += 1
            place.unlink()
            return
        shown = place.relative_to(ROOT) if place.is_relative_to(ROOT) else place
        lines = said.strip().splitlines()[-1:] or [f"status {status}"]
        if not status:
            lines = [f"not alone: {' '.join(_RAISED.findall(text)[-1:])}"]
        if self.plant and PlantedError.__name__ in said + text:  # a service says what came of it
            lines = [f"{PlantedError.__name__}: {lines[0]}"]
        done.failures.append(f"{kind}: {lines[0]:.200}")
        print(f"\n{done.name} fails ({kind}): {lines[0]:.300}")
        print(f"  repeat: python -m tests.fuzz.run {done.name} --input {shown}", flush=True)

    def _again(self, name: str, path: Path) -> tuple[int, str]:
        """Give one input again, in a process with the same bounds."""
        command = [sys.executable, "-m", "tests.fuzz.run", name, "--input", str(path)]
        if self.plant:
            command += ["--plant", self.plant]
        with TemporaryDirectory(prefix="fuzz-", dir=memory()) as place:
            return _process(command, GRACE, Path(place))

    def merge(self, name: str) -> tuple[int, int]:
        """Merge what grew into the kept corpus; return how many inputs were and are kept."""
        before = len([*corpora.kept(name, "corpus")])
        with TemporaryDirectory(prefix="fuzz-", dir=memory()) as place:
            made, kept, stats = (Path(place) / each for each in ("made", "kept", "stats.json"))
            seeds = Path(place) / "seeds"
            for each in (made, seeds):
                each.mkdir()
            corpora.unpack(corpora.kept(name, "corpus"), kept)
            command = [*self._command(name, stats, seeds), "--artifacts", place]
            grown = self.work / "corpora" / name
            grown.mkdir(parents=True, exist_ok=True)
            options = "-set_cover_merge=1", "-use_counters=0", "-timeout=20"
            folders = map(str, (made, kept, grown, seeds))
            whole = [*command, "--", *options, *folders]
            status, text = _process(whole, LONGEST_MERGE, Path(place))
            if status:
                raise SystemExit(f"{name}: the merge ended with {status}: {text[-2000:]}")
            inputs = [path.read_bytes() for path in made.iterdir()]
            return before, corpora.keep(name, "corpus", inputs, MOST_BYTES)


def _process(command: list[str], seconds: float, folder: Path) -> tuple[int, str]:
    """Run a process to its end; return its status and all that it wrote.

    libFuzzer ends a process at once: what it leaves is in a folder that goes with its caller.
    """
    try:
        ran = subprocess.run(
            command,
            cwd=ROOT,
            env={**os.environ, "TMPDIR": str(folder)},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
            timeout=seconds,
        )
    except subprocess.TimeoutExpired as late:
        return -1, f"{(late.stdout or b'').decode(errors='replace')}\nit did not end"
    return ran.returncode, ran.stdout.decode(errors="replace")


def again(name: str, path: Path, plant: str = "") -> int:
    """Give one input to a target, in this process; return 1 where it fails."""
    import resource  # noqa: PLC0415 - not on every system
    import signal  # noqa: PLC0415

    target = corpora.target(name)
    prepared(target)
    if plant:
        from tests.fuzz import plants  # noqa: PLC0415

        plants.plant(name, plant)

    def late(_signal: int, _frame: Any) -> None:
        raise SystemExit(f"it takes more than {MOST_SECONDS:.0f} s of the processor")

    def peak() -> int:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024

    before = peak()
    signal.signal(signal.SIGPROF, late)
    signal.setitimer(signal.ITIMER_PROF, MOST_SECONDS)
    try:
        print(attempt(target, path.read_bytes()))
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    if peak() > max(before, MOST_MEGABYTES):
        print(f"it takes {peak()} MB")
        return 1
    return 0


def main(given: list[str]) -> int:
    """Do what the options say; return the exit status."""
    options = _options(given)
    unknown = set(options.targets) - {*TARGETS}
    if unknown:
        raise SystemExit(f"no target {', '.join(sorted(unknown))}; targets: {', '.join(TARGETS)}")
    names = options.targets or [*TARGETS]
    if options.input:
        status = again(names[0], options.input, options.plant)
        if options.found and not status:
            known = corpora.kept(names[0], "found")
            corpora.keep(names[0], "found", [*known, options.input.read_bytes()])
        return status
    if find_spec("atheris") is None:
        print("atheris is needed (Linux, Python 3.11 to 3.13): pip install --group fuzz")
        return 1
    if options.merge:
        for name in names:
            before, now = Fuzzer(options.work, options.seed).merge(name)
            print(f"{name}: {before} inputs were kept, {now} are", flush=True)
        return 0
    if options.planted:
        return planted(names, options)
    return fuzz(names, options)


def _options(given: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m tests.fuzz.run",
        description=__doc__,
        formatter_class=argparse.RawTextHelpFormatter,
    )
    parser.add_argument("targets", nargs="*", metavar="TARGET")
    parser.add_argument("--seconds", type=float, default=60.0, help="for all targets together")
    parser.add_argument("--seed", type=int, default=17)
    parser.add_argument("--jobs", type=int, default=2, help="processes at a time")
    parser.add_argument("--work", type=Path, default=WORK, help="corpora that grow, and failures")
    parser.add_argument("--resume", action="store_true", help="continue a run that was cut")
    parser.add_argument("--keep", action="store_true", help=KEEP_HELP)
    parser.add_argument("--merge", action="store_true", help="merge what grew into what is kept")
    parser.add_argument("--planted", action="store_true", help="find a fault that is planted")
    parser.add_argument("--plant", choices=("", *PLANTS), default="")
    parser.add_argument("--input", type=Path, help="give one input again, without the fuzzer")
    parser.add_argument("--found", action="store_true", help="keep that input as a test")
    return parser.parse_args(given)


def fuzz(names: list[str], options: argparse.Namespace) -> int:
    """Fuzz all targets for their share of the time; print a table; return the exit status."""
    share = options.seconds * options.jobs / len(names)
    about = {"code": code_digest(), "seconds": options.seconds, "targets": names}
    log = Log(options.work / "done.json", about, resume=options.resume)
    fuzzer = Fuzzer(options.work, options.seed)
    slices = max(1, round(share / SLICE))
    print(f"{len(names)} targets, {share:.0f} s each, {options.jobs} at a time", flush=True)

    def one(name: str) -> None:
        done = log.done(name)
        if done.failures or share - done.seconds < LEAST:
            return
        fuzzer.run(done, min(share / slices, share - done.seconds))
        log.write(done)
        print(done, flush=True)

    print(HEAD, flush=True)
    for _slice in range(slices):
        with ThreadPoolExecutor(options.jobs) as pool:
            [*pool.map(one, names)]
    found = [log.done(name) for name in names]
    _print(found)
    bad = [each for each in found if each.failures or not each.accepted or not each.executions]
    if options.keep:
        keep(_result(found, options, passed=not bad))
    return 1 if bad else 0


class Log:
    """What was done in a run, in a file: a run of the same code that is cut continues there."""

    def __init__(self, path: Path, about: dict[str, Any], *, resume: bool) -> None:
        """Continue a run about the same with ``resume``, or start over."""
        self.path, self.about = path, about
        self._found: dict[str, Done] = {}
        if resume and path.is_file():
            told = json.loads(path.read_text())
            if told["about"] == about:
                self._found = {name: Done(**each) for name, each in told["targets"].items()}

    def done(self, name: str) -> Done:
        """Return what a target did."""
        return self._found.setdefault(name, Done(name))

    def write(self, done: Done) -> None:
        """Write down what a target did."""
        self._found[done.name] = done
        self.path.parent.mkdir(parents=True, exist_ok=True)
        fresh = self.path.with_suffix(".new")
        targets = {name: asdict(each) for name, each in self._found.items()}
        fresh.write_text(json.dumps({"about": self.about, "targets": targets}))
        fresh.replace(self.path)


def _print(found: list[Done]) -> None:
    print(f"\n{HEAD}")
    for done in found:
        print(done)
    print("\nwhat was said most, by target:")
    for done in found:
        often = sorted(done.words.items(), key=lambda each: -each[1])[:7]
        print(f"  {done.name}: " + "; ".join(f"{word} {many:,}" for word, many in often))
        if not done.accepted:
            print(f"  {done.name}: no input was accepted: nothing behind the parser was reached")
        if done.unsure:
            print(f"  {done.name}: {done.unsure} inputs were slow once, and not again")
    print(flush=True)


def _result(found: list[Done], options: argparse.Namespace, *, passed: bool) -> Result:
    figures: dict[str, Any] = {
        "targets": len(found),
        "seconds of fuzzing": round(sum(each.seconds for each in found)),
        "inputs": sum(each.executions for each in found),
        "inputs accepted": sum(each.accepted for each in found),
        "failures": sum(len(each.failures) for each in found),
        "largest process, MB": max(each.megabytes for each in found),
        "longest input, s of the processor": f"{max(each.slowest for each in found):.2f}",
    }
    for each in found:
        share = 100 * each.accepted / max(1, sum(each.words.values()))
        figures[each.name] = (
            f"{each.executions:,} inputs in {each.seconds:,.0f} s, {share:.0f} % accepted, "
            f"{each.edges:,} edges, {each.features:,} features, {each.megabytes} MB"
        )
    command = f"python -m tests.fuzz.run --seconds {options.seconds:.0f} --seed {options.seed}"
    command += f" --jobs {options.jobs}"
    notes = [f"atheris {version('atheris')}, {options.jobs} processes at a time"]
    notes += [f"{each.name}: {why}" for each in found for why in each.failures]
    return Result(part="fuzz", command=command, passed=passed, figures=figures, notes=notes)


def planted(names: list[str], options: argparse.Namespace) -> int:
    """Plant a fault in the product for each target; each must be found in its time.

    Whether a hang and a growing process are noticed does not depend on where they are: they are
    planted for some targets.
    """
    cases = [(name, "raises") for name in names]
    cases += [(name, plant) for plant in PLANTS[1:] for name in names if name in QUICK]
    share = options.seconds * options.jobs / len(cases)
    missed = []

    def one(case: tuple[str, str]) -> None:
        name, plant = case
        with TemporaryDirectory(prefix="fuzz-", dir=memory()) as work:
            done = Fuzzer(Path(work), options.seed, plant).run(Done(name), share)
        found = any(is_seen(plant, each) for each in done.failures)  # and no fault of another kind
        word = "found" if found else "MISSED"
        print(f"{name} {plant}: {word} in {done.seconds:.0f} s, {done.executions:,} inputs")
        if not found:
            missed.append(case)

    with ThreadPoolExecutor(options.jobs) as pool:
        [*pool.map(one, cases)]
    print(f"{len(cases) - len(missed)} found, {len(missed)} missed", flush=True)
    if options.keep:
        figures = {"faults planted": len(cases), "found": len(cases) - len(missed)}
        command = f"python -m tests.fuzz.run --planted --seconds {options.seconds:.0f}"
        notes = [f"missed: {name}, a fault that {plant}" for name, plant in missed]
        result = Result(
            part="fuzz-planted", command=command, passed=not missed, figures=figures, notes=notes
        )
        keep(result)
    return 1 if missed else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
