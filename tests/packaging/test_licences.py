"""Every dependency may be used and passed on (S19)."""

from __future__ import annotations

import licences
import pytest


def test_every_licence_is_allowed() -> None:
    """S19: a dependency with a licence that nobody has allowed fails, with its name."""
    found = licences.installed()
    assert len(found) > 20
    assert {name: one for name, one in found.items() if not licences.allowed(one)} == {}


def test_each_allowed_licence_has_its_reason() -> None:
    """The list says why, and names nothing twice."""
    for reasons in (licences.LIST["allowed"].values(), licences.LIST["words"].values()):
        assert all(reasons)
    assert set(licences.LIST["words"].values()) <= licences.LIST["allowed"].keys()


@pytest.mark.parametrize(
    ("expression", "may"),
    [
        ("MIT", True),
        ("AGPL-3.0-only", False),
        ("not given", False),
        ("MIT AND AGPL-3.0-only", False),
        ("AGPL-3.0-only OR MIT", True),
        ("Apache-2.0 WITH LLVM-exception AND BSD-2-Clause", True),
        ("(MIT OR AGPL-3.0-only) AND BSD-2-Clause", False),
        ("(MIT OR Apache-2.0) AND BSD-2-Clause", True),
    ],
)
def test_alternatives_and_parts(expression: str, may: bool) -> None:  # noqa: FBT001
    """Of alternatives one must be allowed, of parts each."""
    assert licences.allowed(expression) == may


def test_what_users_get_is_followed_through_extras() -> None:
    """The closure has what an extra's library brings, and no tool of the project."""
    users = licences.closure()
    assert {"attrs", "psycopg-binary", "tornado"} <= users
    assert not {"ruff", "mypy"} & users
    assert "numba" not in licences.closure(extras=())
