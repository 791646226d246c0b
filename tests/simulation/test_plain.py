"""The simulation without numba: on the same shoes the same figures; and it runs without numpy."""

from __future__ import annotations

import subprocess
import sys
from typing import Final

import pytest
from attrs import evolve

from trente_rules import load_house
from trente_rules.core import default_manager
from trente_rules.simulation.flat import Policies
from trente_rules.simulation.plain import PlainHouse, plain_shoes, simulate_plain

HOUSES: Final = default_manager().names("house")
POLICIES: Final[tuple[Policies, ...]] = ("all", "default")
BARE: Final = """
import sys
for name in ("numpy", "numba"):
    sys.modules[name] = None
from trente_rules import load_house
from trente_rules.core.compiled import compiling, fast_installed
from trente_rules.players import expected_of, seat_of
from trente_rules.players.plain import simulate_systems_plain
from trente_rules.simulation.plain import simulate_plain
assert not fast_installed()
assert not compiling(["simulation.draws"])
house = load_house("france-2007")
found = simulate_plain(house, coups=200, seed=7).houses[0]
played = simulate_systems_plain([seat_of(house, "martingale")], coups=200, session=100, seed=7)
print(found.coups > 150, played.seats[0].sessions, expected_of(played.seats[0]).edge > 0)
"""


@pytest.mark.slow
@pytest.mark.parametrize("name", HOUSES)
def test_on_the_same_shoes_the_figures_are_those_of_the_kernel(name: str) -> None:
    """Counts, nets, squares, voids: every figure but the time, at every shipped house."""
    pytest.importorskip("numba")
    from trente_rules.simulation.flat import shoes_of, simulate  # noqa: PLC0415

    house = load_house(name)
    for policies in POLICIES:
        there = simulate(house, coups=1500, seed=11, policies=policies, workers=1).houses[0]
        plain = PlainHouse(house, (), policies)
        plain.play(shoes_of(house, 11, 0, there.shoes + 40), there.shoes)
        assert evolve(plain.result(1.0), per_taille=()) == evolve(there, per_taille=())
        counted = {n: shoes for n, shoes in enumerate(there.per_taille) if shoes}
        assert {n: s for n, s in enumerate(plain.result(1.0).per_taille) if s} == counted


def test_a_seed_gives_the_same_shoes_again() -> None:
    """And another stream of it, or another seed, other ones."""
    house = load_house("france-2007")
    first = [next(plain_shoes(house, seed, stream)) for seed, stream in ((7, 0), (7, 1), (8, 0))]
    assert len(set(first)) == 3
    assert next(plain_shoes(house, 7)) == first[0]
    assert first[0].behind in range(house.shoe.marker_bounds[0], house.shoe.marker_bounds[1] + 1)


def test_an_interrupt_gives_what_was_dealt() -> None:
    """The first house as far as it was played; the second not at all."""

    def stop(done: int, _total: int) -> None:
        if done == 3:
            raise KeyboardInterrupt

    found = simulate_plain(
        [load_house("france-2007"), load_house("hoyle-19c")], coups=500, seed=1, progress=stop
    )
    assert not found.complete
    assert [one.shoes for one in found.houses] == [3]


@pytest.mark.slow
def test_it_needs_neither_numpy_nor_numba() -> None:
    """U43: without the extra fast, flat stakes and systems are played, and compared with exact."""
    ran = subprocess.run([sys.executable, "-c", BARE], capture_output=True, text=True, check=False)
    assert ran.stderr == ""
    assert ran.stdout.split() == ["True", "2", "True"]
