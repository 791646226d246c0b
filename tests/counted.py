"""How many functions something calls: a cost without a clock, so without noise."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable


def calls(act: Callable[[], object]) -> int:
    """Return how many functions are called, built-in ones among them.

    Nothing is collected meanwhile: what a collection calls back is no cost of ``act``.
    """
    counted = 0

    def count(_frame: object, happens: str, _arg: object) -> None:
        nonlocal counted
        counted += happens in ("call", "c_call")

    gc.disable()
    sys.setprofile(count)
    try:
        act()
    finally:
        sys.setprofile(None)
        gc.enable()
    return counted
