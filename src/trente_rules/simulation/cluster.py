"""A cluster of dask as an executor; the library comes with the extra ``cluster``."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from typing import Any, Final

from trente_rules.errors import TrenteError

PATIENCE: Final = 10
"""Seconds after which a scheduler that does not answer counts as absent."""


@contextmanager
def cluster(address: str) -> Iterator[tuple[Executor, int]]:
    """Connect to a scheduler, as ``tcp://host:8786``; answer its executor, and its threads.

    The workers need this library with its extra ``fast``. Raises ``TrenteError`` ("needs-cluster"
    where distributed is not installed, "no-cluster" where nobody answers).
    """
    try:
        import distributed  # noqa: PLC0415 - of the extra
    except ImportError as error:
        raise TrenteError(
            f"a cluster needs distributed: {error}",
            "needs-cluster",
            'pip install "trente-rules[cluster]"',
        ) from error
    connect: Any = distributed.Client  # its own types are none
    try:
        client = connect(address, timeout=PATIENCE)
    except (OSError, TimeoutError, ValueError, TypeError) as error:
        raise TrenteError(
            f"no scheduler of dask answers at {address!r}: {str(error)[:80]}",
            "no-cluster",
            "start one with `dask scheduler`, and give its address as tcp://host:8786",
        ) from error
    with client:
        yield client.get_executor(), max(1, sum(client.ncores().values()))
