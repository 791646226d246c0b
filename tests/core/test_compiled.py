"""Loading compiled modules, for the odds and for the simulation alike."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path
from pickle import UnpicklingError
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


def test_without_numba_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """A1 1h: one sentence, with what to install and what to do instead."""
    monkeypatch.setitem(sys.modules, "trente_rules.core.missing", None)
    with pytest.raises(TrenteError) as caught:
        compiled.loaded(("core.missing",), lambda _module: None, WHAT, ", or wait")
    assert caught.value.code == "needs-fast"
    assert caught.value.message.startswith("the odds need numba and numpy: ")
    assert caught.value.hint == 'pip install "trente-rules[fast]", or wait'


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
