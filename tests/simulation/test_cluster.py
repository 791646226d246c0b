"""A cluster of dask that is not there, or comes away."""

from __future__ import annotations

import sys
from concurrent.futures import CancelledError
from types import SimpleNamespace
from typing import Any

import pytest

from trente_rules import TrenteError
from trente_rules.simulation.runner import cluster


def test_a_cluster_that_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """No library, and nobody who answers, are sentences."""
    with monkeypatch.context() as patched:
        patched.setitem(sys.modules, "distributed", None)
        with pytest.raises(TrenteError) as caught, cluster("tcp://127.0.0.1:1"):
            pass
    assert caught.value.code == "needs-cluster"


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (CancelledError(), "its work was cancelled"),
        (ModuleNotFoundError("No module named 'trente_rules'"), "No module named"),
        (ZeroDivisionError(), ""),
    ],
)
def test_a_cluster_that_comes_away_while_it_plays(
    monkeypatch: pytest.MonkeyPatch, error: Exception, told: str
) -> None:
    """Work that is cancelled and workers without the library are a sentence; faults stay faults."""

    class Client:
        def __init__(self, *_arguments: Any, **_named: Any) -> None:
            pass

        def __enter__(self) -> None:
            pass

        def __exit__(self, *_arguments: object) -> None:
            pass

        def get_executor(self) -> None:
            pass

        def ncores(self) -> dict[str, int]:
            return {}

    monkeypatch.setitem(sys.modules, "distributed", SimpleNamespace(Client=Client))
    with pytest.raises(TrenteError if told else ZeroDivisionError) as caught, cluster("tcp://a:1"):
        raise error
    if isinstance(caught.value, TrenteError):
        assert caught.value.code == "cluster-lost"
        assert told in caught.value.message
