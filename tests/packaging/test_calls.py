"""What starting and settling cost, counted in calls of functions: no clock, so no noise.

A figure that grows by a twentieth is a change to look at: raise it here, and say why.
"""

from __future__ import annotations

import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

COUNTED = """
import gc
import sys
{before}
gc.disable()
calls = 0
def count(frame, event, argument):
    global calls
    if event == "call" or event == "c_call":
        calls += 1
sys.setprofile(count)
{code}
sys.setprofile(None)
print(calls, file=sys.stderr)
"""
TRENTE = """
import io
sys.argv, sys.stdout = ["trente", {arguments}], io.StringIO()
try:
    from trente_rules.cli import main
    main()
except SystemExit as left:
    assert not left.code
"""
SETTLED = """
from trente_rules import Opening, Shoe, Stake, deal_coup, load_house, settle
from trente_rules.fair import SeededShuffler
house = load_house("france-2007")
shoe = Shoe.shuffled(6, SeededShuffler("00" * 16))
coup, opening, four = deal_coup(shoe).coup, Opening(1000), ("rouge", "noir", "couleur", "inverse")
stakes = [
    Stake(f"{{i}}", f"p{{i}}", four[i % 4], 10_000, insured=i % 5 == 0) for i in range({many})
]
settle(house, coup, stakes, opening=opening)
"""
PLAYED = """
sys.path.insert(0, {bench!r})
from load import Load
load = Load({many})
load.coup()
"""
BENCH = str(Path(__file__).parents[1] / "bench")


@cache
def calls(code: str, before: str = "") -> int:
    """Return how many functions a piece of code calls, in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-I", "-c", COUNTED.format(code=code, before=before)],
        capture_output=True,
        text=True,
        check=True,
    )
    return int(done.stderr.split()[-1])


@cache
def libraries() -> int:
    """Return the calls of importing the libraries that the package stands on."""
    return calls("import attrs, cattrs, pluggy, tomllib")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("code", "most"),
    [
        ("import trente_rules", 0.098),
        # The goal was 1.6: two thirds of it is making attrs classes, those of a live table too.
        ("from trente_rules import *", 3.45),
        ("from trente_rules.core import *", 2.48),
    ],
)
def test_importing_costs_so_many_times_the_libraries(code: str, most: float) -> None:
    """The facade is cheap; every name of it costs what it cost, in calls (P11, P13)."""
    assert 0 < calls(code) / libraries() < most


@pytest.mark.slow
def test_comparing_all_houses_costs_so_many_calls() -> None:
    """From start to end, the houses that are shipped, 32; no page is laid out (P11, P12)."""
    text, data = (
        TRENTE.format(arguments=f'"compare"{more}') for more in ("", ', "--format", "json"')
    )
    assert calls(text) < 1_240_000
    assert calls(text) < calls(data)


@pytest.mark.slow
def test_settling_and_playing_cost_so_many_calls_a_stake() -> None:
    """A coup that is settled, and one that is played at a table: no growth (P1, P11)."""
    for before, code, most in (
        (SETTLED, "settle(house, coup, stakes, opening=opening)", 82),
        (PLAYED, "load.coup()", 1_420),
    ):
        few, more, many = (
            calls(code, before.format(many=number, bench=BENCH)) for number in (4, 40, 400)
        )
        assert few < most
        assert (many - more) / 360 < 1.3 * (more - few) / 36
