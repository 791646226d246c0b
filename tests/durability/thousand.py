"""A thousand crashes: ``python -m tests.durability.thousand --kind kill --journal sqlite``.

Scenes are played from one seed after the other until so many crashes were tried; each is written to
a file at once, and ``--resume`` continues there. It prints how often the cases were met that count,
and fails where a promise was broken or one of them was never met: a thousand kills between two
commands prove nothing. The exit status is 0 or 1; what is not done in ``--minutes`` is resumed.

``--fault NAME`` plants a fault in the product, and shows that it is found; ``--list`` lists scenes.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import traceback
from collections import Counter
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Final

from tests.durability.faults import NAMES
from tests.durability.scenes import TRIED, Met, Scene, Stage, stage
from tests.proofs import KEEP_HELP, Result, code_digest, keep

MODULES: Final = ("kills", "full_disks", "torn", "clocks", "writers", "power_cuts", "other_files")
FOLDER: Final = Path("build/durability")
_OFTEN: Final = 30.0
"""Seconds between two lines of progress."""


def all_scenes() -> list[Scene]:
    """Return every scene, by kind and store."""
    found: list[Scene] = []
    for name in MODULES:
        found += import_module(f"tests.durability.{name}").SCENES
    return found


class Run:
    """Scenes of one kind, from one seed after the other."""

    def __init__(self, scene: Scene, times: int, first: int, fault: str, file: Path) -> None:
        """Prepare so many crashes; what was done is written to a file."""
        self.scene, self.times, self.first, self.fault = scene, times, first, fault
        self.file = file
        self.met = Met()
        self.done: set[int] = set()
        self.seconds = 0.0
        self.broken = ""
        self._head = {"scene": scene.name, "first": first, "code": code_digest()}

    def begin(self, *, resume: bool) -> None:
        """Start the file, or read what was done; a run of other code is started again."""
        self.file.parent.mkdir(parents=True, exist_ok=True)
        lines = self.file.read_text("utf-8").splitlines() if resume and self.file.exists() else []
        found = [json.loads(line) for line in lines if line.endswith("}")]
        if found and found[0] == self._head:
            for each in found[1:]:
                if "broken" in each:  # a promise stays broken, though the seed may hold again
                    self.broken = each["broken"]
                    return
                self.done.add(each["seed"])
                self.met += Met(each["met"])
                self.seconds += each["seconds"]
            return
        self.file.write_text(json.dumps(self._head) + "\n", "utf-8")

    def play(self, minutes: float) -> None:
        """Play until enough was tried, the time is over, or a promise is broken."""
        if self.broken:
            return
        try:
            self._play_all(minutes)
        except AssertionError:
            if not self.broken:  # else it is what a host that failed leaves behind
                raise

    def _play_all(self, minutes: float) -> None:
        begun = told = time.monotonic()
        with stage(fault=self.fault) as here:
            seed = self.first
            while self.met[TRIED] < self.times and time.monotonic() - begun < 60 * minutes:
                if seed not in self.done and not self._play(here, seed):
                    return
                seed += 1
                if time.monotonic() - told > _OFTEN:
                    told = time.monotonic()
                    _say(f"{self.met[TRIED]} of {self.times} in {self.seconds:.0f} s")

    def _play(self, here: Stage, seed: int) -> bool:
        begun = time.monotonic()
        try:
            met = self.scene.play(here, seed)
        except AssertionError as error:
            traceback.print_exc()
            said = str(error).partition("\n")[0] or "see the traceback"
            self.broken = f"seed {seed}: {said}"
            self._write({"broken": self.broken})
            return False
        seconds = time.monotonic() - begun
        self.met += met
        self.seconds += seconds
        self._write({"seed": seed, "seconds": round(seconds, 3), "met": dict(met)})
        return True

    def _write(self, line: dict[str, object]) -> None:
        with self.file.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")

    @property
    def missing(self) -> list[str]:
        """The cases that were to be met, and were not."""
        return [each for each in self.scene.wanted if not self.met[each]]

    @property
    def is_whole(self) -> bool:
        """True where as much was tried as was asked for."""
        return self.met[TRIED] >= self.times

    def report(self) -> bool:
        """Print what was met; return whether all holds."""
        _say(f"{self.scene.name}: {self.met[TRIED]} crashes in {self.seconds / 60:.1f} minutes")
        for case, number in sorted(_cases(self.met).items()):
            _say(f"  {number:6} {case}")
        if self.broken:
            _say(f"BROKEN: {self.broken} (without --resume the run begins anew)")
        elif not self.is_whole:
            _say(f"{self.times - self.met[TRIED]} are left: run it again with --resume")
        elif self.missing:
            _say(f"NEVER MET: {', '.join(self.missing)}")
        return self.is_whole and not (self.broken or self.missing)

    def result(self, *, passed: bool) -> Result:
        """Return the result that is kept."""
        store = self.scene.store.replace(" ", "-")
        figures: dict[str, str | int | float | bool] = {
            "crashes": self.met[TRIED],
            "seeds": f"{self.first} and following",
        }
        figures |= dict(sorted(_cases(self.met).items()))
        command = (
            f"python -m tests.durability.thousand --kind {self.scene.kind} --journal {store}"
            f" --times {self.times} --seed {self.first} --resume"
        )
        notes = [f"Broken: {self.broken}"] if self.broken else []
        if not self.is_whole:
            notes.append(f"{self.met[TRIED]} of {self.times} are done: the next run continues.")
        notes += [f"Never met: {each}" for each in self.missing]
        return Result(
            part=f"crash-{self.scene.kind}-{store}",
            command=command,
            passed=passed,
            figures=figures,
            notes=notes,
            seconds=round(self.seconds),
        )


def _cases(met: Met) -> Counter[str]:
    return Counter({case: number for case, number in met.items() if case != TRIED})


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def main(words: Sequence[str] | None = None) -> int:
    """Run the command; return its exit status."""
    scenes = {(each.kind, each.store): each for each in all_scenes()}
    parser = argparse.ArgumentParser(description="Play crashes of a kind, and check the promises.")
    parser.add_argument("--kind", choices=sorted({kind for kind, _store in scenes}))
    parser.add_argument("--journal", choices=sorted({store for _kind, store in scenes}))
    parser.add_argument("--times", type=int, default=1000, help="crashes (default: 1000)")
    parser.add_argument("--seed", type=int, default=1, help="the first seed (default: 1)")
    parser.add_argument("--minutes", type=float, default=55, help="at most (default: 55)")
    parser.add_argument("--resume", action="store_true", help="continue an earlier run")
    parser.add_argument("--keep", action="store_true", help=KEEP_HELP)
    parser.add_argument("--fault", choices=NAMES, default="", help="plant a fault")
    parser.add_argument("--list", action="store_true", help="list the scenes")
    given = parser.parse_args(words)
    if given.list:
        for each in scenes.values():
            _say(f"--kind {each.kind} --journal {each.store}")
        return 0
    scene = scenes.get((given.kind, given.journal))
    if scene is None:
        parser.error("name a kind and a journal that --list shows")
    file = FOLDER / f"{scene.kind}-{scene.store}-{given.seed}{given.fault and '-fault'}.jsonl"
    run = Run(scene, given.times, given.seed, given.fault, file)
    run.begin(resume=given.resume)
    run.play(given.minutes)
    passed = run.report()
    if given.keep:
        keep(run.result(passed=passed))
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())
