"""Values of a test of which some are tried at every change, and all of them at night."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

import pytest


def by_day(chosen: Collection[Any], values: Iterable[Any]) -> list[Any]:
    """Return the values as parameters of a test; those that are not chosen are nightly.

    A value that is chosen and not among them is a ``ValueError``: the test would not try it.
    """
    values = tuple(values)
    if strange := set(chosen) - set(values):
        message = f"{sorted(strange)} chosen, of {values}"
        raise ValueError(message)
    return [
        pytest.param(value, id=str(value), marks=() if value in chosen else pytest.mark.nightly)
        for value in values
    ]
