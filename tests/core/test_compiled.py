"""Loading compiled modules, for the odds and for the simulation alike."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path
from pickle import UnpicklingError
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

import trente_rules
from trente_rules import TrenteError
from trente_rules.core import compiled

WHAT = "the odds need"


@pytest.mark.parametrize("damage", [EOFError, UnpicklingError, IndexError])
def test_a_damaged_cache_is_put_away_and_the_module_tried_again(
    damage: type[Exception], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A1 1h: the files are deleted, the module loaded anew; a second failure is raised."""
    cleared: list[Any] = []
    tried: list[Any] = []

    def trial(module: Any) -> None:
        tried.append(module)
        if len(tried) == 1:
            raise damage

    monkeypatch.setattr(compiled, "clear", cleared.extend)
    found = compiled.loaded(("_version",), trial, WHAT)
    assert found is sys.modules["trente_rules._version"]
    assert len(tried) == 2
    assert cleared == [found]


def test_only_what_is_compiled_now_takes_time(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """P19: the seconds that are announced leave out modules that are kept already."""
    names = ("_version", "core.text", "core.names")
    monkeypatch.setattr(compiled, "_is_kept", lambda module: module.__name__.endswith("text"))
    with caplog.at_level("INFO"):
        compiled.loaded(names, lambda _module: None, WHAT, seconds=9)
    assert "compiling, first run only, about 6 s ..." in caplog.text


@pytest.mark.parametrize(
    ("places", "said"),
    [(("kept", None), "first run only"), ((None, None), "set NUMBA_CACHE_DIR")],
)
def test_helpers_without_a_place_do_not_ask_for_one(
    places: tuple[str | None, ...],
    said: str,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """A folder is asked for only where nothing of a module can be kept."""
    functions = [SimpleNamespace(stats=SimpleNamespace(cache_path=place)) for place in places]
    monkeypatch.setattr(compiled, "_functions", lambda _module: functions)
    monkeypatch.setattr(compiled, "_is_kept", lambda _module: False)
    with caplog.at_level("INFO"):
        compiled.loaded(("core.text",), lambda _module: None, WHAT)
    assert said in caplog.text


def test_without_numba_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """A1 1h: one sentence, with what to install and what to do instead."""
    monkeypatch.setitem(sys.modules, "trente_rules.core.missing", None)
    with pytest.raises(TrenteError) as caught:
        compiled.loaded(("core.missing",), lambda _module: None, WHAT, ", or wait")
    assert caught.value.code == "needs-fast"
    assert caught.value.message.startswith("the odds need numba and numpy: ")
    assert caught.value.hint == 'pip install "trente-rules[fast]", or wait'


@pytest.mark.slow
def test_what_a_damaged_cache_raises_is_listed_once() -> None:
    """A1 1h: in core.compiled, and nowhere else."""
    source = Path(trente_rules.__file__).parent
    users = [
        path.relative_to(source).as_posix()
        for path in sorted(source.rglob("*.py"))
        if any(
            isinstance(node, ast.Name) and node.id == "UnpicklingError"
            for node in ast.walk(ast.parse(path.read_text("utf-8")))
        )
    ]
    assert users == ["core/compiled.py"]


@pytest.mark.slow
def test_whether_it_will_compile_is_known_before(tmp_path: Path) -> None:
    """U24: yes with an empty cache, no once a module is compiled, here or in an earlier process."""
    pytest.importorskip("numba")
    code = """
from trente_rules.core.compiled import compiling
names = ["simulation.draws"]
print(compiling(names))
from trente_rules.simulation import draws
import numpy as np
draws.draw(np.arange(1, 5, dtype=np.uint64))
print(compiling(names))
"""
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    told = [
        subprocess.run(
            [sys.executable, "-c", code],
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        ).stdout.split()
        for _process in range(2)
    ]
    assert told == [["True", "False"], ["False", "False"]]


class _Function:
    """What numba makes of a function, as far as it is asked here."""

    def __init__(self, place: Path | None, module: str) -> None:
        self.signatures: list[Any] = []
        self.stats = SimpleNamespace(cache_path=place and str(place))
        self.__module__ = module

    def enable_caching(self) -> None:
        """Fail as numba does where no file can be written."""
        raise RuntimeError("cannot cache function 'draw': no locator available for file 'draws.py'")


def test_without_a_place_for_its_cache_a_function_is_compiled_all_the_same() -> None:
    """C6: a read-only container has no folder for compiled code."""
    function = _Function(None, "any")
    assert compiled.kept(function) is function


def test_who_waits_is_told_why(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """U24, C6: nothing where it is kept; else how long it takes, and how it can be kept."""
    module = ModuleType("slow")
    source = tmp_path / "slow.py"
    source.write_text("", "utf-8")
    module.__file__ = str(source)
    sys.modules["trente_rules.slow"] = module
    caplog.set_level("INFO", "trente_rules.core.compiled")

    def told(place: Path | None) -> str:
        caplog.clear()
        vars(module)["play"] = _Function(place, "slow")
        compiled.loaded(["slow"], lambda _module: None, WHAT, seconds=12)
        return caplog.text

    try:
        assert "compiling, first run only, about 12 s ..." in told(tmp_path)
        assert "set NUMBA_CACHE_DIR to a folder that can be written" in told(None)
        (tmp_path / "slow.play-1.py311.nbi").write_text("", "utf-8")
        assert told(tmp_path) == ""
        os.utime(source, (2**31, 2**31))
        assert "first run only" in told(tmp_path)
    finally:
        del sys.modules["trente_rules.slow"]


@pytest.mark.nightly
def test_the_figures_without_a_cache_are_the_same(tmp_path: Path) -> None:
    """C6: numba finds no place for its cache, as in a read-only container."""
    call = [sys.executable, "-c", "from trente_rules.cli import main; main()"]
    call += ["odds", "--engine", "fast", "--format", "csv"]
    usual = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    nowhere = {**os.environ, "NUMBA_CACHE_LOCATOR_CLASSES": "IPythonCacheLocator"}
    first, second = (
        subprocess.run(call, capture_output=True, check=True, encoding="utf-8", env=env)
        for env in (usual, nowhere)
    )
    assert second.stdout == first.stdout
    assert "compiling, first run only" in first.stderr
    assert "set NUMBA_CACHE_DIR" in second.stderr


def test_without_numba_nothing_is_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    """D11: a host may bar numba from being imported; nothing is announced then."""
    monkeypatch.setitem(sys.modules, "numba", None)
    assert not compiled.fast_installed()
    assert not compiled.compiling(("_version",))


def test_what_is_kept_is_found_and_can_be_deleted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A1 1h: only the files of the module go; one that cannot be deleted is left."""
    source = tmp_path / "made.py"
    source.touch()
    cache = tmp_path / "cache"
    cache.mkdir()
    module = ModuleType("made")
    module.__file__ = str(source)
    function = SimpleNamespace(
        stats=SimpleNamespace(cache_path=str(cache)), signatures=[], __module__="made"
    )
    vars(module)["function"] = function
    monkeypatch.setattr(compiled, "fast_installed", lambda: True)
    monkeypatch.setattr(compiled, "import_module", lambda _name: module)
    assert compiled.compiling(("made",))
    for name in ("made.f-1.nbi", "made.f-1.nbc", "other.f-1.nbi"):
        (cache / name).touch()
    (cache / "made.folder.nbc").mkdir()
    assert not compiled.compiling(("made",))
    compiled.clear([module])
    assert sorted(file.name for file in cache.iterdir()) == ["made.folder.nbc", "other.f-1.nbi"]
    assert compiled.compiling(("made",))
