"""A plugin of pytest that tries changes in forks of a session that has collected its tests.

The tests are collected once. Each change is tried in a fork: the code objects of the functions that
it changes are put into the live functions, and the tests that reach its lines are run, fastest
first, until one fails. A change outside functions, or one that changes what a function closes over,
cannot be put in: it is left for ``cold``.

First it measures, in a fork for each file of tests, which test reaches which lines. A test that
fails there is never chosen.
"""

from __future__ import annotations

import gc
import json
import os
import resource
import shutil
import signal
import sys
import tempfile
import time
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, nullcontext, suppress
from functools import cache, cached_property
from importlib import import_module
from itertools import count
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any, Final

import coverage.exceptions
import pytest
from attrs import define, frozen
from hypothesis import Phase, settings
from tests.mutation.reach import Reach, digest, measured, reach_file
from tests.mutation.sites import PACKAGE, ROOT, Site, path_of
from tests.postgres_server import programs, server

KILLED, SURVIVED, TIMEOUT, COLD, UNREACHED = "killed", "survived", "timeout", "cold", "unreached"
CONTROL_EVERY: Final = 40
_MOST_MEASURED: Final = 150.0
_NOTICED: Final = 0.05
_LRU: Final = type(cache(int))
_IMPORTED: Final = ("core", "fair", "odds", "table", "records", "simulation", "players", "reports")
_MEMORY: Final = 3 << 30
_OPTIMIZED: Final = 0x1  # inspect.CO_OPTIMIZED: a function, not a module or a class

# An example that fails is not made smaller: it has done its work.
settings.register_profile(
    "mutation",
    max_examples=30,
    deadline=None,
    derandomize=True,
    database=None,
    phases=(Phase.explicit, Phase.generate),
)


@frozen
class Outcome:
    """How one change ended: by which test, after how many tests and seconds."""

    how: str
    by: str = ""
    tests: int = 0
    seconds: float = 0.0


@define
class _Running:
    """A fork at work: which change it tries, since when, and until when it may."""

    site: Site | None
    tests: int
    began: float
    until: float
    pipe: int
    folder: Path


# --- changes of code ---------------------------------------------------------------------------


def _children(code: CodeType) -> list[CodeType]:
    return [each for each in code.co_consts if isinstance(each, CodeType)]


def _own(code: CodeType) -> tuple[object, ...]:
    """Return what a code object is apart from line numbers and the code inside it."""
    consts = tuple(
        each.co_qualname if isinstance(each, CodeType) else (type(each), repr(each))
        for each in code.co_consts
    )
    return (
        code.co_code,
        consts,
        code.co_names,
        code.co_varnames,
        code.co_freevars,
        code.co_cellvars,
        code.co_flags,
        code.co_argcount,
        code.co_posonlyargcount,
        code.co_kwonlyargcount,
        code.co_exceptiontable,
    )


def changed_code(old: CodeType, new: CodeType) -> list[tuple[CodeType, CodeType]] | None:
    """Return the functions that differ, outer before inner; None where other code differs too."""
    pairs: list[tuple[CodeType, CodeType]] = []
    olds, news = _children(old), _children(new)
    aligned = [each.co_qualname for each in olds] == [each.co_qualname for each in news]
    if aligned:
        for one, other in zip(olds, news, strict=True):
            inner = changed_code(one, other)
            if inner is None:
                return None
            pairs.extend(inner)
    same = aligned and _own(old) == _own(new)
    if not old.co_flags & _OPTIMIZED:
        return pairs if same else None
    return pairs if same and not pairs else [(old, new), *pairs]


def _where(code: CodeType) -> tuple[str, str, int]:
    return (code.co_filename, code.co_qualname, code.co_firstlineno)


def live_functions() -> dict[tuple[str, str, int], list[FunctionType]]:
    """Return the functions of the package that are alive, by the place of their code."""
    found: dict[tuple[str, str, int], list[FunctionType]] = defaultdict(list)
    root = str(PACKAGE)
    for each in gc.get_objects():
        if isinstance(each, FunctionType) and each.__code__.co_filename.startswith(root):
            found[_where(each.__code__)].append(each)
    return found


def swaps(
    site: Site, source: str, live: Mapping[tuple[str, str, int], Sequence[FunctionType]]
) -> list[tuple[FunctionType, CodeType]] | None:
    """Return which function gets which code; None where a change cannot be put in."""
    name = str(path_of(site.module))
    old = compile(source, name, "exec", dont_inherit=True)
    try:
        new = compile(site.mutated(source), name, "exec", dont_inherit=True)
    except SyntaxError:
        return None
    pairs = changed_code(old, new)
    if not pairs:
        return None
    found: list[tuple[FunctionType, CodeType]] = []
    for one, other in pairs:
        for function in live.get(_where(one), ()):
            if len(function.__code__.co_freevars) != len(other.co_freevars):
                return None
            found.append((function, other))
    outermost = pairs[0][0]
    return found if live.get(_where(outermost)) else None


# --- forks -------------------------------------------------------------------------------------


class Warm:
    """The plugin: it takes the place of the loop that runs the tests."""

    def __init__(self, plan: Mapping[str, Any]) -> None:
        """Make what tries the changes of a plan."""
        self._plan = plan
        self._processes = int(plan["processes"])
        self._running: dict[int, _Running] = {}
        self._failed: str | None = None
        self._setup = 0.0
        self._outcomes: Callable[[Site | None, Outcome], None] = self._write
        self._file = Path(plan["results"])
        self._folder = Path(tempfile.mkdtemp(prefix="mutation-"))
        self._controls = [0, 0]
        self._conftest: Any = None

    # --- hooks

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Remember that a test has failed, and how long its fixtures took."""
        if report.when == "setup":
            self._setup = report.duration
        if report.failed and self._failed is None:
            self._failed = report.nodeid

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Measure what has not been measured, then try the changes of the plan."""
        sys.stdout.write(f"{len(session.items)} tests collected\n")
        _import_all()  # forks share it
        sys.stdout.write(f"{forget_computed()} values that were computed before are forgotten\n")
        with ExitStack() as stack:
            stack.callback(shutil.rmtree, self._folder, ignore_errors=True)
            self._share_server(session, stack)
            self._measure(session)
            self._try(session)
        return True

    def _share_server(self, session: pytest.Session, stack: ExitStack) -> None:
        """Start PostgreSQL once for all tests: each fork has schemas of its own."""
        found = programs()
        asked = any("postgres" in getattr(item, "fixturenames", ()) for item in session.items)
        plugins = session.config.pluginmanager.get_plugins()
        held = [each for each in plugins if getattr(each, "_SCHEMAS", None) is not None]
        if found is None or not asked or not held:
            return
        self._conftest = held[0]
        conninfo = stack.enter_context(server(found))
        self._conftest.server = lambda _: nullcontext(conninfo)

    # --- one fork

    def _fork(
        self, site: Site | None, tests: int, seconds: float, work: Callable[[], str | None]
    ) -> None:
        """Start a fork that works, and writes the name of a test that failed into a pipe."""
        sys.stdout.flush()
        reading, writing = os.pipe()
        folder = Path(tempfile.mkdtemp(dir=self._folder))
        pid = os.fork()
        if pid == 0:
            code = 1
            try:
                os.setsid()
                os.close(reading)
                bound(seconds)
                tempfile.tempdir = str(folder)
                os.environ["TMPDIR"] = str(folder)
                if self._conftest is not None:
                    self._conftest._SCHEMAS = count(os.getpid() * 1000)
                null = os.open(os.devnull, os.O_RDWR)
                os.dup2(null, 1)
                os.dup2(null, 2)
                found = work()
                os.write(writing, (found or "")[:4000].encode())
                code = 1 if found else 0
            except BaseException as error:  # noqa: BLE001 - whatever gets here has ended the tests
                with suppress(OSError):
                    os.write(writing, f"{type(error).__name__}".encode())
            finally:
                os._exit(code)
        os.close(writing)
        now = time.monotonic()
        # Processor seconds are limited in the fork; this is for one that waits for ever.
        self._running[pid] = _Running(site, tests, now, now + 30 + 8 * seconds, reading, folder)

    def _reap(self, at_most: int) -> None:
        """Wait until at most so many forks are running."""
        while len(self._running) > at_most:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if pid == 0:
                self._end_late()
                time.sleep(0.004)
                continue
            running = self._running.pop(pid, None)
            if running is not None:
                self._ended(pid, running, status)

    def _end_late(self) -> None:
        for pid, running in self._running.items():
            if time.monotonic() > running.until:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)

    def _ended(self, pid: int, running: _Running, status: int) -> None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(pid, signal.SIGKILL)  # what the tests have started, too
        with os.fdopen(running.pipe, "rb") as pipe:
            by = pipe.read().decode("utf-8", "replace")
        shutil.rmtree(running.folder, ignore_errors=True)
        seconds = time.monotonic() - running.began
        if os.WIFSIGNALED(status):
            late = os.WTERMSIG(status) in {signal.SIGXCPU, signal.SIGKILL}
            how, by = (TIMEOUT, by) if late else (KILLED, f"signal {os.WTERMSIG(status)}")
        else:
            how = KILLED if os.WEXITSTATUS(status) else SURVIVED
        self._outcomes(running.site, Outcome(how, by, running.tests, round(seconds, 2)))

    def _run(self, session: pytest.Session, items: Sequence[pytest.Item]) -> str | None:
        """Run tests in this fork; return the first that fails."""
        factory: Any = session.config._tmp_path_factory  # type: ignore[attr-defined]
        factory._basetemp = Path(tempfile.mkdtemp())
        other = next((each for each in session.items if each.path != items[-1].path), items[0])
        for n, item in enumerate(items):
            following = items[n + 1] if n + 1 < len(items) else other
            if self._fails(item, following):
                return item.nodeid
        return None

    def _fails(self, item: pytest.Item, following: pytest.Item) -> bool:
        """Run one test; return whether it fails."""
        self._failed = None
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        return self._failed is not None

    # --- measuring

    def _measure(self, session: pytest.Session) -> None:
        """Measure, a fork for each file of tests, which tests reach which lines."""
        wanted = set(self._plan["measure"])
        files: dict[str, list[pytest.Item]] = defaultdict(list)
        for item in session.items:
            file = item.nodeid.split("::", 1)[0]
            if file in wanted:
                files[file].append(item)
        self._outcomes = self._measured
        for n, (file, items) in enumerate(files.items()):
            if time.time() > float(self._plan["until"]):
                break
            self._reap(self._processes - 1)
            sys.stdout.write(f"reach {n + 1} of {len(files)}: {file}, {len(items)} tests\n")
            self._fork(None, len(items), 3 * _MOST_MEASURED, self._measuring(session, file, items))
        self._reap(0)
        self._outcomes = self._write

    def _measured(self, _: Site | None, outcome: Outcome) -> None:
        if outcome.how != SURVIVED:
            sys.stdout.write(f"a file of tests could not be measured: {outcome}\n")

    def _measuring(
        self, session: pytest.Session, file: str, items: Sequence[pytest.Item]
    ) -> Callable[[], str | None]:
        def work() -> str | None:
            watcher = coverage.Coverage(
                data_file=None,
                config_file=False,
                include=[f"{PACKAGE}/{folder}/*" for folder in self._plan["folders"]],
            )
            seconds: dict[str, float] = {}
            setups: dict[str, float] = {}
            bad: list[str] = []
            first = time.process_time()
            watcher.start()
            for n, item in enumerate(items):
                watcher.switch_context(item.nodeid)
                began = time.process_time()
                other = items[n + 1] if n + 1 < len(items) else session.items[0]
                if self._fails(item, other):
                    bad.append(item.nodeid)
                seconds[item.nodeid] = time.process_time() - began
                setups[item.nodeid] = self._setup
                if time.process_time() - first > _MOST_MEASURED:
                    break
            watcher.stop()
            warnings.simplefilter("ignore", coverage.exceptions.CoverageWarning)  # nothing reached
            reach_file(file, self._plan["reach"]).parent.mkdir(parents=True, exist_ok=True)
            found = json.dumps(measured(file, watcher.get_data(), by_itself(seconds, setups), bad))
            reach_file(file, self._plan["reach"]).write_text(found, "utf-8")
            return None

        return work

    # --- trying

    def _try(self, session: pytest.Session) -> None:
        sites = [Site(**each) for each in self._plan["sites"]]
        if not sites:
            return
        reach = Reach.loaded([self._plan["reach"]])
        items = {item.nodeid: item for item in session.items}
        known = set(items)
        live = live_functions()
        sources = {site.module: path_of(site.module).read_text("utf-8") for site in sites}
        gc.collect()
        gc.freeze()  # forks share what is here
        beyond, most = float(self._plan["beyond"]), float(self._plan["most seconds"])
        for n, site in enumerate(sites):
            if time.time() > float(self._plan["until"]):
                break
            self._reap(self._processes - 1)
            put = swaps(site, sources[site.module], live)
            if put is None:
                self._write(site, Outcome(COLD))
                continue
            chosen = reach.chosen(site, beyond, most, known)
            if not chosen.tests:
                self._write(site, Outcome(UNREACHED))
                continue
            tests = [items[name] for name in by_file(chosen.tests)]
            bound = 4 + 5 * chosen.seconds
            self._fork(site, len(tests), bound, self._trying(session, put, tests))
            if n % CONTROL_EVERY == CONTROL_EVERY - 1:  # no change: no test may fail
                self._reap(self._processes - 1)
                self._fork(None, len(tests), bound, self._trying(session, (), tests))
        self._reap(0)
        runs, wrong = self._controls
        sys.stdout.write(f"controls: {runs} runs without a change, {wrong} of them failed\n")

    def _trying(
        self,
        session: pytest.Session,
        put: Iterable[tuple[FunctionType, CodeType]],
        tests: Sequence[pytest.Item],
    ) -> Callable[[], str | None]:
        def work() -> str | None:
            for function, code in put:
                function.__code__ = code
            return self._run(session, tests)

        return work

    def _write(self, site: Site | None, outcome: Outcome) -> None:
        """Append a result; one without a site is of a control."""
        if site is None:
            self._controls[0] += 1
            self._controls[1] += outcome.how != SURVIVED
        entry = entry_of(site, outcome, self._plan["kind"], self._plan["state"])
        with self._file.open("a", encoding="utf-8") as file:
            file.write(json.dumps(entry) + "\n")


def by_itself(seconds: Mapping[str, float], setups: Mapping[str, float]) -> dict[str, float]:
    """Return the seconds of each test of a file if it runs without the others.

    What the slowest fixtures took is added to each: they may be those of the file, made once.
    """
    most = max(setups.values(), default=0.0)
    shared = most if most > _NOTICED else 0.0
    return {
        name: round(taken + max(0.0, shared - setups[name]), 4) for name, taken in seconds.items()
    }


def by_file(tests: Sequence[str]) -> list[str]:
    """Return tests with those of a file together, so that its fixtures are made once."""
    files: dict[str, list[str]] = defaultdict(list)
    for name in tests:
        files[name.split("::", 1)[0]].append(name)
    return [name for names in files.values() for name in names]


def _import_all() -> None:
    """Import what tests import late: all modules of the package whose libraries are there."""
    for folder in _IMPORTED:
        for file in sorted((PACKAGE / folder).rglob("*.py")):
            parts = file.relative_to(PACKAGE.parent).with_suffix("").parts
            with suppress(ImportError):
                import_module(".".join(parts).removesuffix(".__init__"))


def forget_computed() -> int:
    """Forget what the package has computed and kept while tests were collected; return how much.

    A change would not be met where its result is kept: a house that a file of tests made when it
    was imported has its machine already.
    """
    forgotten = 0
    for each in gc.get_objects():
        kind = type(each)
        if not str(kind.__module__).startswith("trente_rules"):
            wrapper = kind is _LRU and str(each.__module__).startswith(("trente_rules", "tests."))
            if wrapper:
                each.cache_clear()
                forgotten += 1
            continue
        for name in [*vars(each)] if "__dict__" in dir(kind) and not isinstance(each, type) else []:
            if isinstance(_of_class(kind, name), cached_property):
                del vars(each)[name]
                forgotten += 1
    return forgotten


def _of_class(kind: type, name: str) -> object:
    return next((vars(base)[name] for base in kind.__mro__ if name in vars(base)), None)


def entry_of(site: Site | None, outcome: Outcome, way: str, state: str) -> dict[str, Any]:
    """Return the line of a result; without a site it is of a control.

    ``of`` is a hash of the tests that it depends on: the file of the test that failed, or all.
    """
    file = ROOT / outcome.by.split("::", 1)[0]
    return {
        "name": "control" if site is None else site.name,
        "within": "" if site is None else site.within,
        "module": "" if site is None else site.module,
        "how": outcome.how,
        "by": outcome.by,
        "tests": outcome.tests,
        "seconds": outcome.seconds,
        "way": way,
        "of": digest(file) if outcome.how == KILLED and file.is_file() else state,
    }


def bound(seconds: float) -> None:
    """Limit the processor time and the memory of this process."""
    whole = max(5, int(seconds + resource_used()))
    resource.setrlimit(resource.RLIMIT_CPU, (whole, whole + 5))
    size = int(Path("/proc/self/statm").read_text("ascii").split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (size + _MEMORY, size + _MEMORY))


def resource_used() -> float:
    """Return the processor seconds that this process has used so far."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def pytest_configure(config: pytest.Config) -> None:
    """Register the plugin, where a plan is named."""
    plan = os.environ.get("MUTATION_PLAN")
    if plan:
        config.pluginmanager.register(Warm(json.loads(Path(plan).read_text("utf-8"))), "mutation")


def results_of(file: Path) -> Iterator[Mapping[str, Any]]:
    """Yield the results in a file, oldest first; a line that was cut short is passed over."""
    if file.exists():
        for line in file.read_text("utf-8").splitlines():
            with suppress(ValueError):
                yield json.loads(line)
