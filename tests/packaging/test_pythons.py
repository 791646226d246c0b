"""The classifiers claim the Pythons that passed, and no other (S19)."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
import pythons
from results import kept_results


def unproved(claimed: list[str], kept: Mapping[str, object] | None) -> set[str]:
    """Return claims without a passed run, and passed ones that are not claimed.

    Before a run was kept nothing but the Python that develops may be claimed.
    """
    passed = str(kept["passed"]).split(", ") if kept else ["3.11"]
    return set(claimed) ^ set(passed)


def test_what_is_claimed_has_passed() -> None:
    """S19: the kept result of `tools/pythons.py --keep` and the classifiers name the same."""
    kept = kept_results().get("pythons")
    figures = kept["figures"] if kept else None
    assert figures is None or isinstance(figures, dict)
    assert unproved(pythons.claimed(), figures) == set()


@pytest.mark.parametrize(
    ("claimed", "kept", "wrong"),
    [
        (["3.11"], None, set()),
        (["3.11", "3.12"], None, {"3.12"}),
        (["3.11", "3.12"], {"passed": "3.11, 3.12"}, set()),
        (["3.11", "3.12"], {"passed": "3.11"}, {"3.12"}),
        (["3.11"], {"passed": "3.11, 3.12"}, {"3.12"}),
    ],
)
def test_a_claim_without_a_run_is_found(
    claimed: list[str], kept: Mapping[str, object] | None, wrong: set[str]
) -> None:
    """Each way in which the two can differ."""
    assert unproved(claimed, kept) == wrong
