"""Mutation testing of core, odds, table and records: ``python -m tools.mutants``.

Every site is a small change of the source (``sites``). It is tried with the tests that reach its
lines (``reach``), fastest first, in a fork of a session that has collected them (``warm``), or, for
changes outside functions and of compiled ones, in a fork that imports the changed module
(``cold``). What survives is tried with the slow tests that reach it, too. Results are appended to
build/mutants/results.jsonl; a result holds for as long as the function around its site is the same,
and the file of the test that killed it. ``--again`` tries what survived once more where any test
has changed since.

The rate is of sites that are killed by a test or run out of time; equivalent mutants, each with a
reason in equivalent.toml, are left out of it, and the rate with them is printed, too.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from pathlib import Path
from random import Random
from typing import Any, Final

from attrs import asdict, frozen
from tests.mutation.changes import changed_lines, changed_tests, last_base
from tests.mutation.cold import tried
from tests.mutation.figures import (
    Equivalent,
    Rate,
    Stratum,
    equivalents,
    rate_of,
    sampled,
    shares,
    unmatched,
)
from tests.mutation.reach import KEPT, Reach, digest, stale
from tests.mutation.session import (
    EXCLUDED,
    FAST,
    KERNELS,
    MUTATED,
    SLOW,
    WIDE,
    Bounds,
    Kind,
    files_of,
    run_session,
    tests_state,
)
from tests.mutation.sites import ROOT, Site, modules_of, path_of, sites_of
from tests.mutation.warm import (
    COLD,
    KILLED,
    TIMEOUT,
    UNREACHED,
    Outcome,
    entry_of,
    results_of,
)
from tests.proofs import FOLDER, KEEP_HELP, Result, keep, state_of

WHOLE: Final = ("core.settlement", "core.machine", "core.rules.insurance", "core.rules.limits")
"""Modules of which every site is tried."""
RESULTS: Final = KEPT.parent / "results.jsonl"
CHANGED: Final = KEPT.parent / "changed.jsonl"
"""Results of changed modules, apart from those of the long run."""
USUAL_FILES: Final = FOLDER / "mutation-files.txt"
"""For each module the files of tests that reach it, as the kept runs have found."""
_SITES: Final = KEPT.parent / "sites"
COVER: Final = "cold"
"""The way of a change outside functions: with tests that together reach the whole module."""
OWN: Final = "own"
"""The way after it: with all tests in files that are named after the module."""
COMPILED: Final = "compiled"
"""The way of a change of a compiled module: with tests that reach the module that calls it."""
_COLD_SECONDS: Final = 8.0
_COLD_TESTS: Final = 250
_MOST_MODULES: Final = 2
"""Changed modules of which sites are looked for: finding them takes a second for each."""
_MOST_CHANGED: Final = 6
"""Changed files of tests that are taken for a module: each is run once to measure its reach."""


# --- sites -------------------------------------------------------------------------------------


def all_sites(module: str) -> tuple[Site, ...]:
    """Return the sites of a module, from a file where they have been found before."""
    kept = (
        _SITES
        / f"{module}-{digest(path_of(module))}-{digest(Path(__file__).with_name('sites.py'))}"
    )
    if kept.exists():
        return tuple(Site(**each) for each in json.loads(kept.read_text("utf-8")))
    found = sites_of(module)
    _SITES.mkdir(parents=True, exist_ok=True)
    for old in _SITES.glob(f"{module}-*"):
        old.unlink()
    kept.write_text(json.dumps([asdict(site) for site in found]), "utf-8")
    return found


@frozen
class Group:
    """Sites that one rate is about: all sites of each module, and those that are tried."""

    title: str
    sizes: Mapping[str, int]
    chosen: tuple[Site, ...]


def whole_group(modules: Iterable[str]) -> Group:
    """Return every site of some modules."""
    sites = {module: all_sites(module) for module in modules}
    sizes = {module: len(found) for module, found in sites.items()}
    return Group("every site", sizes, tuple(site for found in sites.values() for site in found))


def sample_group(count: int, seed: int) -> Group:
    """Return a sample of the modules that are not tried whole, stratified by module."""
    names = [m for m in modules_of(MUTATED) if m not in WHOLE and m not in EXCLUDED]
    sites = {module: all_sites(module) for module in names}
    sizes = {module: len(found) for module, found in sites.items() if found}
    counts = shares(sizes, count)
    chosen = [
        site for module, many in counts.items() for site in sampled(sites[module], many, seed)
    ]
    # In an order of its own: what a run that was stopped has tried is a sample, too.
    return Group(f"a sample, seed {seed}", sizes, tuple(sampled(chosen, len(chosen), seed)))


def changed_group(since: str | None, at_most: int, seed: int) -> Group:
    """Return sites of the modules changed since a commit: those on changed lines first.

    Without a commit of this checkout they are some sites of one module.
    """
    lines = None if since is None else changed_lines(since)
    if lines is None:
        if since is not None:
            sys.stdout.write(f"{since}: not a commit of this checkout\n")
        sys.stdout.write(f"sites of {WHOLE[0]} are tried\n")
        return _limited("some sites", {WHOLE[0]: all_sites(WHOLE[0])}, {}, at_most, seed)
    names = [m for m in modules_of(MUTATED) if m in lines and m not in EXCLUDED]
    names = [m for m in names if m not in KERNELS]
    if len(names) > _MOST_MODULES:
        sys.stdout.write(f"{len(names)} modules have changed; {_MOST_MODULES} of them are tried\n")
        names = Random(seed).sample(names, _MOST_MODULES)  # noqa: S311 - no secret
    title = f"modules changed since {since}"
    return _limited(title, {m: all_sites(m) for m in names}, lines, at_most, seed)


def _limited(
    title: str,
    sites: Mapping[str, Sequence[Site]],
    lines: Mapping[str, set[int]],
    at_most: int,
    seed: int,
) -> Group:
    found = [site for each in sites.values() for site in each]
    drawn = sampled(found, len(found), seed)
    drawn.sort(key=lambda site: site.line not in lines.get(site.module, ()))
    return Group(
        title, {module: len(each) for module, each in sites.items()}, tuple(drawn[:at_most])
    )


# --- results -----------------------------------------------------------------------------------


@frozen
class Verdict:
    """How a site ended, over all ways it was tried."""

    how: str
    by: str
    ways: frozenset[str]

    @property
    def is_killed(self) -> bool:
        """Return whether a test notices the change, or does not end."""
        return self.how in {KILLED, TIMEOUT}


def verdicts(sites: Iterable[Site], results: Iterable[Mapping[str, Any]]) -> dict[Site, Verdict]:
    """Return the verdict of each site that has been tried; the first test that kills is kept."""
    found: dict[tuple[str, str], list[Mapping[str, Any]]] = defaultdict(list)
    for each in results:
        if each["how"] == "forgotten":
            found.pop((each["name"], each["within"]), None)
        elif each["how"] != KILLED or _still(each):
            found[each["name"], each["within"]].append(each)
    verdict: dict[Site, Verdict] = {}
    for site in sites:
        tries = found.get((site.name, site.within))
        if tries:
            best = min(tries, key=lambda each: _ORDER.index(each["how"]))
            ways = frozenset(f"{each['way']} {each['how']}" for each in tries)
            verdict[site] = Verdict(best["how"], best["by"], ways)
    return verdict


def _still(result: Mapping[str, Any]) -> bool:
    """Return whether the file of the test that killed a mutant is as it was."""
    file = ROOT / str(result["by"]).split("::", 1)[0]
    return not file.is_file() or result["of"] == digest(file)


_ORDER: Final = (KILLED, TIMEOUT, "survived", UNREACHED, COLD)


# --- trying ------------------------------------------------------------------------------------


@frozen
class Trial:
    """What is tried, and within which bounds."""

    sites: Sequence[Site]
    bounds: Bounds
    results: Path
    files: Sequence[str] | None = None
    slow: bool = True

    def run(self) -> None:
        """Try each site until it is killed, or no test is left; stop when the time is over."""
        kernels = [site for site in self.sites if site.module in KERNELS]
        others = [site for site in self.sites if site.module not in KERNELS]
        untried, left = self._untried(others, FAST.name), self._untried(kernels, COMPILED)
        outside = (*self._outside(others, COVER), *self._outside(others, OWN))
        callers = {KERNELS[site.module] for site in left}
        self._session(FAST, untried, {site.module for site in outside} | callers)
        self._cold(self._outside(others, COVER), COVER)
        self._cold(self._outside(others, OWN), OWN)
        if self.slow:
            self._session(WIDE, self._left(others, WIDE))
            self._session(SLOW, self._left(others, SLOW))
        same = equivalents()
        self._cold([site for site in left if site.key not in same], COMPILED)

    def _session(
        self, kind: Kind, sites: Sequence[Site], modules: AbstractSet[str] = frozenset()
    ) -> None:
        """Try sites with tests of a kind; what reaches ``modules`` is measured, too."""
        if sites or modules:
            sys.stdout.write(f"{len(sites)} sites, {kind.name} tests\n")
            sys.stdout.flush()
            status = run_session(
                kind, sites, self.results, self.bounds, files=self.files, modules=modules
            )
            if status:
                sys.exit(f"pytest ended with status {status}")

    def _untried(self, sites: Sequence[Site], way: str) -> list[Site]:
        found = verdicts(sites, results_of(self.results))
        ways = {site: verdict.ways for site, verdict in found.items()}
        return [
            site for site in sites if not any(each.split()[0] == way for each in ways.get(site, ()))
        ]

    def _left(self, sites: Sequence[Site], kind: Kind) -> list[Site]:
        """Return the sites that have survived, and have not been tried with tests of a kind."""
        found = verdicts(sites, results_of(self.results))
        untried = set(self._untried(sites, kind.name))
        same = equivalents()
        return [
            site
            for site in sites
            if site in untried
            and site in found
            and not found[site].is_killed
            and site.key not in same
        ]

    def _outside(self, sites: Sequence[Site], way: str) -> list[Site]:
        """Return the sites outside functions that no way has killed, and this has not tried."""
        found = verdicts(sites, results_of(self.results))
        same = equivalents()
        return [
            site
            for site in sites
            if site in found
            and f"{FAST.name} {COLD}" in found[site].ways
            and not found[site].is_killed
            and site.key not in same
            and not any(each.split()[0] == way for each in found[site].ways)
        ]

    def _cold(self, left: Sequence[Site], way: str) -> None:
        """Try sites in a way, each in a process that imports its module."""
        if not left:
            return
        what = "compiled" if way == COMPILED else "outside functions"
        sys.stdout.write(f"{len(left)} sites {what}, {way} tests\n")
        sys.stdout.flush()
        ordered = sorted(left, key=lambda each: each.module)
        workers = []
        for n in range(self.bounds.processes):
            pid = os.fork()
            if pid == 0:
                try:
                    self._cold_worker(ordered[n :: self.bounds.processes], way)
                finally:
                    os._exit(0)
            workers.append(pid)
        for pid in workers:
            os.waitpid(pid, 0)

    def _cold_worker(self, sites: Sequence[Site], way: str) -> None:
        """Try sites one after the other."""
        chosen: dict[str, tuple[list[str], float] | None] = {}
        for site in sites:
            if time.time() > self.bounds.until:
                return
            if site.module not in chosen:
                tests, seconds = _tests_of(site.module, way)
                # No change: where a test fails all the same, no change of the module is tried.
                fails = tests and self._cold_outcome(None, tests, seconds, way).how == KILLED
                chosen[site.module] = None if fails else (tests, seconds)
            found = chosen[site.module]
            if found is not None and found[0]:
                self._cold_outcome(site, *found, way)
            elif found is not None and way == COVER:
                self._note(site, Outcome(UNREACHED, "", 0, 0.0), way)

    def _cold_outcome(
        self, site: Site | None, tests: Sequence[str], seconds: float, way: str
    ) -> Outcome:
        outcome = tried(site, tests, seconds, compiled=way == COMPILED)
        self._note(site, outcome, way)
        return outcome

    def _note(self, site: Site | None, outcome: Outcome, way: str) -> None:
        with self.results.open("a", encoding="utf-8") as file:
            file.write(json.dumps(entry_of(site, outcome, way, tests_state())) + "\n")


def _tests_of(module: str, way: str) -> tuple[list[str], float]:
    """Return the tests with which a module is tried in a way, and their seconds."""
    if way != COMPILED:
        reach = Reach.loaded([FAST.name])
        return reach.own(module) if way == OWN else reach.cover(module, _COLD_SECONDS, _COLD_TESTS)
    reach, caller = Reach.loaded([FAST.name, SLOW.name]), KERNELS[module]
    first, seconds = reach.cover(caller, _COLD_SECONDS, _COLD_TESTS)
    own, more = reach.own(caller)  # what is read of the results is not seen in the lines reached
    return list(dict.fromkeys((*first, *own))), seconds + more


# --- the report --------------------------------------------------------------------------------


@frozen
class Found:
    """What is known about a group: its rates, survivors, and those of them that are equivalent."""

    group: Group
    rate: Rate
    bare: Rate
    """The rate with the equivalent mutants in it, as if a test should have killed them."""
    survivors: tuple[Site, ...]
    equivalent: tuple[tuple[Site, Equivalent], ...]
    timeouts: int
    untried: int


def found_of(
    group: Group,
    verdict: Mapping[Site, Verdict],
    listed: Mapping[tuple[str, str, str, str], Equivalent],
) -> Found:
    """Return what the verdicts say about a group."""
    strata: list[Stratum] = []
    bare: list[Stratum] = []
    survivors: list[Site] = []
    equivalent: list[tuple[Site, Equivalent]] = []
    by_module: dict[str, list[Site]] = defaultdict(list)
    for site in group.chosen:
        # One that is listed is not tried outside functions: it is equivalent.
        if site in verdict and (verdict[site].how != COLD or site.key in listed):
            by_module[site.module].append(site)
    for module, sites in by_module.items():
        killed = sum(verdict[site].is_killed for site in sites)
        left = [site for site in sites if not verdict[site].is_killed]
        same = [site for site in left if site.key in listed]
        equivalent.extend((site, listed[site.key]) for site in same)
        survivors.extend(site for site in left if site.key not in listed)
        bare.append(Stratum(group.sizes[module], len(sites), killed))
        strata.append(Stratum(group.sizes[module], len(sites) - len(same), killed))
    done = sum(map(len, by_module.values()))
    return Found(
        group,
        rate_of(strata),
        rate_of(bare),
        tuple(survivors),
        tuple(equivalent),
        sum(verdict[site].how == TIMEOUT for sites in by_module.values() for site in sites),
        len(group.chosen) - done,
    )


def report(found: Found, verdict: Mapping[Site, Verdict], *, brief: bool = False) -> str:
    """Return what is printed about a group."""
    rate, bare = found.rate, found.bare
    sites = sum(found.group.sizes.values())
    lines = [
        f"{found.group.title}: {rate.tried} of {sites} sites in {len(found.group.sizes)} modules",
        f"  killed {rate.rate:.1%}, at least {rate.lower:.1%}; {found.timeouts} ran out of time",
        f"  {bare.rate:.1%}, at least {bare.lower:.1%}, with {len(found.equivalent)} equivalent",
        f"  {len(found.survivors)} survive; {found.untried} were not tried",
    ]
    if not brief:
        for site in found.survivors:
            unreached = verdict[site].how == UNREACHED
            word = " (no test reaches it)" if unreached else ""
            lines += ["", f"{site.place} {site.function} {site.name}{word}", site.diff()]
    return "\n".join(lines)


def survivors_page(founds: Sequence[Found], verdict: Mapping[Site, Verdict]) -> str:
    """Return the page that lists what survives, and what is equivalent with its reason."""
    lines = [
        "# Mutants that survive",
        "",
        "Made by `make nightly`. An equivalent mutant behaves as the source:",
        "the reason is given. The others are tests that are missing.",
    ]
    for found in founds:
        lines += ["", f"## {found.group.title.capitalize()}", ""]
        lines += [f"{line.strip()}  " for line in report(found, verdict, brief=True).splitlines()]
        for site in sorted(found.survivors, key=lambda each: (each.module, each.line)):
            lines += [
                "",
                f"`{site.place}` {_code(site.function)}",
                "",
                "```diff",
                site.diff(),
                "```",
            ]
        if found.equivalent:
            lines += ["", "### Equivalent"]
        for site, same in sorted(found.equivalent, key=lambda each: (each[0].module, each[0].line)):
            lines += ["", f"`{site.place}` {_code(site.function)}: {same.reason}"]
            lines += ["", "```diff", site.diff(), "```"]
    return "\n".join(lines) + "\n"


def _code(text: str) -> str:
    return f"`{text}`" if text else ""


# --- the command -------------------------------------------------------------------------------


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tools.mutants", description=__doc__)
    add = parser.add_argument
    add("--sample", type=int, default=0, help="Sites to sample, stratified by module.")
    add("--seed", type=int, default=17, help="Seed of the sample.")
    add("--modules", nargs="*", default=[], help="Modules to try whole, such as core.settlement.")
    add("--whole", action="store_true", help="Try the four modules of which every site counts.")
    add("--changed-since", metavar="COMMIT", help="Try changed modules; last: since the last kept.")
    add("--at-most", type=int, default=100, help="Sites of changed modules to try.")
    add("--minutes", type=float, default=55.0, help="Stop after so many minutes.")
    add("--processes", type=int, default=1, help="Forks at work at a time.")
    add("--resume", action="store_true", help="Continue: keep results of sites not changed since.")
    add("--again", action="store_true", help="With --resume: try survivors of older tests again.")
    add("--least", type=float, default=95.0, help="Per cent that must be killed.")
    add("--report", action="store_true", help="Print what is known, and try nothing.")
    add("--keep", metavar="PART", help=f"{KEEP_HELP}, under this name")
    return parser


def _base(options: argparse.Namespace) -> str | None:
    """Return the commit since which changes are asked for; print it where another is used."""
    if options.changed_since != "last":
        return options.changed_since or None
    base = last_base()
    if base.told:
        sys.stdout.write(f"{base.told}\n")
    return base.commit


def groups_of(options: argparse.Namespace, since: str | None) -> list[Group]:
    """Return the groups of sites that a call asks for; changes are those since a commit."""
    groups = []
    whole = [*options.modules, *(WHOLE if options.whole else ())]
    if whole:
        groups.append(whole_group(dict.fromkeys(whole)))
    if options.sample:
        groups.append(sample_group(options.sample, options.seed))
    if options.changed_since:
        groups.append(changed_group(since, options.at_most, options.seed))
    return groups


def main(arguments: Sequence[str] | None = None) -> int:
    """Try what a call asks for, print it, and return 1 where too little is killed."""
    options = _parser().parse_args(arguments)
    began = time.time()
    for module, reason in EXCLUDED.items():
        sys.stdout.write(f"not mutated: {module}: {reason}\n")
    results = CHANGED if options.changed_since else RESULTS
    results.parent.mkdir(parents=True, exist_ok=True)
    if not (options.resume or options.report):
        results.unlink(missing_ok=True)
    since = _base(options)
    groups = groups_of(options, since)
    sites = list(dict.fromkeys(site for group in groups for site in group.chosen))
    if options.again:
        _forget(sites, results)
    if not options.report:
        bounds = Bounds(began + 60 * options.minutes, options.processes)
        files = None
        if options.changed_since:
            files = usual_files({site.module for site in sites}, since)
        Trial(sites, bounds, results, files, slow=not options.changed_since).run()
    return _told(groups, sites, options, time.time() - began)


def _forget(sites: Iterable[Site], file: Path) -> None:
    """Forget what has survived other tests than those of today, so that it is tried again."""
    today = tests_state()
    results = list(results_of(file))
    tried_today = {(e["name"], e["within"]) for e in results if e.get("of") == today}
    found = verdicts(sites, results)
    with file.open("a", encoding="utf-8") as out:
        for site, verdict in found.items():
            if not verdict.is_killed and (site.name, site.within) not in tried_today:
                entry = {"name": site.name, "within": site.within, "how": "forgotten"}
                out.write(json.dumps(entry) + "\n")


def usual_files(modules: Iterable[str], since: str | None) -> list[str]:
    """Return the files of tests that reach modules, as the kept runs found.

    A module that is not listed is reached by the tests of its folder. Of tests that have changed
    since, those in the folders of the modules are taken too, unless they are many: each is run once
    to measure what it reaches.
    """
    listed = _listed_files()
    files: set[str] = set()
    changed = [] if since is None else changed_tests(since)
    for module in modules:
        top = f"tests/{module.split('.', maxsplit=1)[0]}/"
        files.update(sorted(file for file in changed if file.startswith(top))[:_MOST_CHANGED])
        folder = ROOT / "tests" / module.split(".", maxsplit=1)[0]
        own = [str(file.relative_to(ROOT)) for file in folder.rglob("test_*.py")]
        files.update(listed.get(module, own))
    return sorted(file for file in files if (ROOT / file).is_file())


def _told(
    groups: Sequence[Group], sites: Sequence[Site], options: argparse.Namespace, seconds: float
) -> int:
    """Print what was found, keep it where that is asked for, and return the exit status."""
    results = list(results_of(CHANGED if options.changed_since else RESULTS))
    verdict = verdicts(sites, results)
    if not sites:
        sys.stdout.write("no module that is mutated has changed\n")
    listed = equivalents()
    founds = [found_of(group, verdict, listed) for group in groups]
    for found in founds:
        sys.stdout.write(report(found, verdict) + "\n\n")
    controls = Counter(each["how"] for each in results if each["name"] == "control")
    wrong = sum(controls.values()) - controls["survived"]
    sys.stdout.write(f"{sum(controls.values())} controls without a change, {wrong} failed\n")
    known: dict[str, list[Site]] = defaultdict(list)
    for site in (site for module in _complete(groups) for site in all_sites(module)):
        known[site.module].append(site)
    for each in unmatched(listed.values(), known):
        sys.stdout.write(f"equivalent.toml: {each.module}: {each.was!r}: no such site any more\n")
    for site, of_site in verdict.items():
        if of_site.is_killed and site.key in listed:
            sys.stdout.write(f"equivalent.toml: {site.place}: killed by {of_site.by}\n")
    # A program without a change that fails its tests makes every kill doubtful.
    passed = not wrong
    for found in founds:
        passed = passed and (not found.rate.tried or found.rate.rate >= options.least / 100)
    if not options.changed_since:
        passed = passed and all(found.rate.tried and not found.untried for found in founds)
    if options.keep and state_of(options.keep) is not None:
        _keep(founds, verdict, options, passed=passed, seconds=seconds, controls=controls)
    return 0 if passed else 1


def _complete(groups: Iterable[Group]) -> list[str]:
    return list(dict.fromkeys(module for group in groups for module in group.sizes))


def _keep(
    founds: Sequence[Found],
    verdict: Mapping[Site, Verdict],
    options: argparse.Namespace,
    *,
    passed: bool,
    seconds: float,
    controls: Mapping[str, int],
) -> None:
    figures: dict[str, str | int] = {}
    for found in founds:
        head = "every site of four modules" if found.group.title == "every site" else "sample"
        figures[f"{head}: sites"] = found.rate.tried
        figures[f"{head}: killed %"] = f"{found.rate.rate:.1%}".rstrip("%")
        figures[f"{head}: lower bound %"] = f"{found.rate.lower:.1%}".rstrip("%")
        figures[f"{head}: killed %, equivalent counted"] = f"{found.bare.rate:.1%}".rstrip("%")
        figures[f"{head}: equivalent"] = len(found.equivalent)
        figures[f"{head}: survivors"] = len(found.survivors)
        figures[f"{head}: not tried"] = found.untried
    figures["controls without a change"] = sum(controls.values())
    figures["controls that failed"] = sum(controls.values()) - controls.get("survived", 0)
    page = FOLDER / f"{options.keep}-survivors.txt"
    page.parent.mkdir(parents=True, exist_ok=True)
    page.write_text(survivors_page(founds, verdict), "utf-8")
    reach = Reach.loaded([FAST.name])
    write_usual_files(
        {module: reach.files(module) for module in reach.lines},
        whole=not any(stale(file, FAST.reach) for file in files_of(FAST)),
    )
    command = " ".join(["python -m tools.mutants", *_words(options)])
    notes = [
        f"Each survivor, and each equivalent mutant with its reason, is in {page.name}.",
        *(f"{module} is not mutated: {reason}." for module, reason in EXCLUDED.items()),
    ]
    if options.resume:
        notes.append(
            "What was tried before on the same source counts; the time is of the last run."
        )
    if any(found.untried for found in founds):
        chosen = {site for found in founds for site in found.group.chosen}
        waiting = sum(site in verdict and verdict[site].how == COLD for site in chosen)
        notes.append(
            f"The run is not finished: the rates are of the sites tried. Of those not tried "
            f"{waiting} are outside functions: constants, fields and defaults."
        )
    result = Result(
        part=options.keep,
        command=command,
        passed=passed,
        figures=figures,
        notes=notes,
        seconds=seconds,
    )
    keep(result)


def _words(options: argparse.Namespace) -> list[str]:
    words = ["--whole"] if options.whole else []
    if options.sample:
        words += ["--sample", str(options.sample), "--seed", str(options.seed)]
    return [*words, "--resume"]


def _listed_files() -> dict[str, list[str]]:
    """Return for each module the files of tests that the kept runs list."""
    text = USUAL_FILES.read_text("utf-8") if USUAL_FILES.exists() else ""
    return {line.split(":")[0]: line.split()[1:] for line in text.splitlines()}


def write_usual_files(measured: Mapping[str, Sequence[str]], *, whole: bool) -> None:
    """Write for each module which files of tests reach its lines.

    ``measured`` are the fewest that do, of those whose reach was measured. Where that was not the
    ``whole`` of the tests, files that are listed already stay.
    """
    listed = _listed_files()
    for module, files in measured.items():
        before = () if whole else listed.get(module, ())
        listed[module] = [
            file for file in dict.fromkeys((*before, *files)) if (ROOT / file).exists()
        ]
    lines = [
        f"{module}: {' '.join(listed[module])}\n"
        for module in sorted(listed)
        if path_of(module).exists()
    ]
    USUAL_FILES.write_text("".join(lines), "utf-8")
