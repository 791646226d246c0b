"""How often the properties over houses meet their cases: ``python -m tests.properties.report``.

It runs every test that is marked ``meets``, with the examples of every change, prints the counts,
and keeps them as a result where ``make nightly`` runs it, with ``--keep``.
"""

from __future__ import annotations

import os
import sys

import pytest
from tests.proofs import Result, keep


class Reports:
    """A plugin of pytest that takes what the reports of tests carry."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self.reports: list[pytest.TestReport] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Take a report."""
        self.reports.append(report)


def main(words: list[str]) -> int:
    """Run the properties; return 0 where each met its cases."""
    os.environ["HYPOTHESIS_PROFILE"] = "fast"
    reports = Reports()
    wanted = [
        "-q",
        "-n",
        "2",
        "-m",
        "meets and not nightly",
        "-o",
        "faulthandler_timeout=0",
        "tests",
    ]
    passed = pytest.main(wanted, plugins=[reports]) == pytest.ExitCode.OK
    from tests.properties import meeting  # noqa: PLC0415 - pytest has to import hypothesis first

    met = meeting.carried(reports.reports)
    for line in meeting.lines(met):
        sys.stdout.write(f"{line}\n")
    if "--keep" in words:
        found = meeting.totals(met)
        keep(
            Result(
                part="properties",
                command="python -m tests.properties.report",
                passed=passed,
                figures={
                    "properties": len(met),
                    "examples": sum(each["examples"] for each in met),
                    "cases": len(found),
                    "cases never met": sum(not each.least for each in found),
                    **{f"{each.kind}: {each.case}": each.times for each in found},
                },
                notes=["A figure of a case is the number of examples that met it."],
            )
        )
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
