"""Which tests reach which lines, measured, and kept for as long as test and source are the same."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from attrs import frozen
from tests.mutation.sites import PACKAGE, ROOT, Site, path_of

if TYPE_CHECKING:
    from coverage import CoverageData

_MOST_FILES: Final = 5
KEPT: Final = ROOT / "build" / "mutants" / "reach"


@frozen
class Chosen:
    """The tests of a change, fastest first, and the processor seconds that they take."""

    tests: tuple[str, ...]
    seconds: float


@cache
def digest(file: Path) -> str:
    """Return a hash of a file, empty where there is none."""
    return sha256(file.read_bytes()).hexdigest()[:12] if file.is_file() else ""


def reach_file(file: str, kind: str) -> Path:
    """Return the file that keeps what the tests of a kind in a file reach."""
    return KEPT / kind / f"{file.replace('/', '.')}.json"


def measured(
    file: str, data: CoverageData, seconds: Mapping[str, float], bad: Sequence[str]
) -> dict[str, Any]:
    """Return what is kept of a file of tests: seconds, and for each module the lines of a test."""
    names = list(seconds)
    number = {name: n for n, name in enumerate(names)}
    reached: dict[str, dict[str, list[int]]] = {}
    for each in sorted(data.measured_files()):
        module = ".".join(Path(each).relative_to(PACKAGE).with_suffix("").parts)
        lines: dict[str, list[int]] = {}
        for line, contexts in data.contexts_by_lineno(each).items():
            lines[str(line)] = sorted(number[name] for name in contexts if name in number)
        if any(lines.values()):
            reached[module] = lines
    return {
        "file": digest(ROOT / file),
        "sources": {module: digest(path_of(module)) for module in reached},
        "tests": names,
        "seconds": [seconds[name] for name in names],
        "bad": list(bad),
        "reached": reached,
    }


def stale(file: str, kind: str, modules: Iterable[str] | None = None) -> bool:
    """Return whether a file of tests has to be measured again, for some modules or for all."""
    try:
        kept = json.loads(reach_file(file, kind).read_text("utf-8"))
    except (OSError, ValueError):
        return True
    if kept["file"] != digest(ROOT / file):
        return True
    sources: dict[str, str] = kept["sources"]
    looked = sources if modules is None else set(sources) & set(modules)
    return any(sources[module] != digest(path_of(module)) for module in looked)


@frozen
class Reach:
    """The tests that reach a line, for all lines of all modules."""

    seconds: Mapping[str, float]
    lines: Mapping[str, Mapping[int, AbstractSet[str]]]
    """For each module, for each line."""

    @classmethod
    def loaded(cls, kinds: Iterable[str]) -> Reach:
        """Return what is kept of tests of some kinds.

        Tests that failed by themselves are left out, and those of files that have changed since.
        """
        seconds: dict[str, float] = {}
        lines: dict[str, dict[int, set[str]]] = defaultdict(lambda: defaultdict(set))
        for file in (each for kind in kinds for each in sorted((KEPT / kind).glob("*.json"))):
            kept = json.loads(file.read_text("utf-8"))
            names, bad = kept["tests"], set(kept["bad"])
            if not names or kept["file"] != digest(ROOT / names[0].partition("::")[0]):
                continue  # its tests are gone, or have changed: pytest would refuse their names
            seconds.update(
                {n: s for n, s in zip(names, kept["seconds"], strict=True) if n not in bad}
            )
            for module, found in kept["reached"].items():
                if kept["sources"][module] != digest(path_of(module)):
                    continue
                of_module = lines[module]
                for line, numbers in found.items():
                    of_module[int(line)].update(names[n] for n in numbers if names[n] not in bad)
        return cls(seconds, lines)

    def tests_of(self, site: Site) -> AbstractSet[str]:
        """Return the tests that reach a site.

        A line that is never recorded by itself, such as one of a constant inside a call, is
        reached by what reaches the line before it.
        """
        lines = self.lines.get(site.module, {})
        found: set[str] = set()
        for line in range(site.line, max(site.line, site.last) + 1):
            found |= lines.get(line, set())
        line = site.line
        while not found and line > max(1, site.line - 12):
            line -= 1
            found |= lines.get(line, set())
        return found

    def chosen(self, site: Site, beyond: float, most: float, known: AbstractSet[str]) -> Chosen:
        """Return the tests that reach a site, fastest first, of so many seconds and no more.

        Those that the first ``beyond`` seconds have room for are left out; from 0 on at least one
        test is returned where any reaches the site.
        """
        names = self.tests_of(site) & known
        taken = {name: self.seconds.get(name, 0.0) + 0.002 for name in names}
        passed = total = 0.0
        tests: list[str] = []
        for name in sorted(names, key=lambda each: (taken[each], each)):
            passed += taken[name]
            if beyond and passed <= beyond:
                continue
            if tests and total + taken[name] > most:
                break
            total += taken[name]
            tests.append(name)
        return Chosen(tuple(tests), total)

    def cover(self, module: str, most: float, many: int) -> tuple[list[str], float]:
        """Return tests that together reach a module, for at most so many seconds, and the seconds.

        First come those that add the most lines for each second; then those that reach the most.
        """
        reached: dict[str, set[int]] = defaultdict(set)
        for line, names in self.lines.get(module, {}).items():
            for name in names:
                reached[name].add(line)
        seconds = {name: self.seconds.get(name, 0.0) + 0.005 for name in reached}
        chosen = _greedy(reached, seconds)
        rest = sorted(set(reached) - set(chosen), key=lambda n: (-len(reached[n]), seconds[n], n))
        total = 0.0
        kept: list[str] = []
        for name in (*chosen, *rest):
            if kept and (total + seconds[name] > most or len(kept) >= many):
                continue
            total += seconds[name]
            kept.append(name)
        return sorted(kept, key=lambda name: name.split("::", 1)[0]), total

    def own(self, module: str) -> tuple[list[str], float]:
        """Return the tests in files that are named after a module, and their seconds.

        ``core.rules.limits`` has those of ``test_limits.py``, ``test_limits_posted.py`` and so on.
        """
        head = f"test_{module.rpartition('.')[2]}"
        names = [
            name
            for name in self.seconds
            if (stem := Path(name.split("::", 1)[0]).stem) == head or stem.startswith(f"{head}_")
        ]
        folder = f"tests/{module.partition('.')[0]}/"
        own = sorted(name for name in names if name.startswith(folder))
        return own, sum(self.seconds[name] + 0.005 for name in own)

    def files(self, module: str) -> list[str]:
        """Return the files of tests that a module needs most.

        Together they reach all lines that any test reaches; those that reach the most come, too.
        """
        reached: dict[str, set[int]] = defaultdict(set)
        seconds: dict[str, float] = defaultdict(lambda: 0.5)
        for line, names in self.lines.get(module, {}).items():
            for name in names:
                reached[name.split("::", 1)[0]].add(line)
        for name, taken in self.seconds.items():
            seconds[name.split("::", 1)[0]] += taken
        most = sorted(reached, key=lambda name: (-len(reached[name]), seconds[name]))
        return list(dict.fromkeys([*_greedy(reached, seconds), *most[:_MOST_FILES]]))


def _greedy(reached: Mapping[str, AbstractSet[int]], seconds: Mapping[str, float]) -> list[str]:
    """Return what covers all lines, the most lines for a second first."""
    left = set().union(*reached.values()) if reached else set()
    open_ = dict(reached)
    chosen: list[str] = []
    while left:
        best = max(sorted(open_), key=lambda name: len(open_[name] & left) / seconds[name])
        left -= open_.pop(best)
        chosen.append(best)
        open_ = {name: lines for name, lines in open_.items() if lines & left}
    return chosen
