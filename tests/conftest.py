"""How every test runs: the profiles of Hypothesis; a PostgreSQL server for those that need one.

``fast`` (the default) tries the same modest number of examples every time; ``nightly``, chosen with
``HYPOTHESIS_PROFILE=nightly``, tries many and new ones. What properties over houses met is shown
with ``-v``.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from itertools import count

import pytest
from hypothesis import HealthCheck, settings
from tests.postgres_server import programs, server
from tests.properties import meeting

# Not the settings that Hypothesis loads by itself where it finds itself in a CI: there the night
# would have no new examples. A slow machine is not a fault of a test.
_PLAIN = settings(
    settings.get_profile("default"),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    print_blob=True,
)
settings.register_profile("fast", _PLAIN, max_examples=30, derandomize=True, database=None)
settings.register_profile("nightly", _PLAIN, max_examples=500)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "fast"))

_SCHEMAS = count(1)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """Let the report of a test carry what its properties met."""
    try:
        yield
    finally:
        item.user_properties.extend(meeting.reported())


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Show with ``-v`` what the properties met."""
    if terminalreporter.config.get_verbosity() > 0:
        reports = [each for found in terminalreporter.stats.values() for each in found]
        for line in meeting.lines(meeting.carried(reports)):
            terminalreporter.write_line(line)


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """Return how to connect to a private server; where none is installed the test is skipped."""
    found = programs() if sys.platform != "win32" else None
    if found is None:
        assert not os.environ.get("TRENTE_POSTGRES"), "PostgreSQL is needed: initdb and postgres"
        pytest.skip("no PostgreSQL: install it, such as apt-get install postgresql")
    with server(found) as conninfo:
        yield conninfo


@pytest.fixture
def schema() -> str:
    """Return the name of a schema that no other test has."""
    return f"journals_{next(_SCHEMAS)}"
