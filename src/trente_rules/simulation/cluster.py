"""A cluster of dask as an executor; the library comes with the extra ``cluster``."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import CancelledError, Executor
from contextlib import contextmanager
from typing import Any, Final

from trente_rules.errors import TrenteError

PATIENCE: Final = 10
"""Seconds after which a scheduler that does not answer counts as absent."""
_SHOWN: Final = 80


@contextmanager
def cluster(address: str) -> Iterator[tuple[Executor, int]]:
    """Connect to a scheduler, as ``tcp://host:8786``; answer its executor, and its threads.

    The workers need this library with its extra ``fast``. Raises ``TrenteError`` ("needs-cluster"
    where distributed is not installed, "no-cluster" where nobody answers, "cluster-lost" where its
    workers come away while they play, or cannot).
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
            f"no scheduler of dask answers at {address!r}: {str(error)[:_SHOWN]}",
            "no-cluster",
            "start one with `dask scheduler`, and give its address as tcp://host:8786",
        ) from error
    with client:
        try:
            yield client.get_executor(), max(1, sum(client.ncores().values()))
        except Exception as error:
            if not isinstance(error, (CancelledError, ImportError)) and not _of_dask(error):
                raise
            why = str(error)[:_SHOWN] or "its work was cancelled"
            raise TrenteError(
                f"the cluster at {address!r} plays no longer: {why}",
                "cluster-lost",
                "see that its workers have this library with its extra fast, and begin again: with "
                "--resume, chunks that were done are not played again",
            ) from error


def _of_dask(error: Exception) -> bool:
    return type(error).__module__.partition(".")[0] == "distributed"
