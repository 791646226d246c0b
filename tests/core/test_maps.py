"""Frozen maps: equal to dictionaries, and a change costs the same in a large one."""

from __future__ import annotations

import copy
import pickle
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.counted import calls

from trente_rules.core import maps
from trente_rules.core.maps import FrozenMap

KEYS = st.integers(0, 400).map(lambda n: f"k{n}")
CHANGES = st.lists(
    st.tuples(st.sampled_from(("set", "without")), KEYS, st.integers()), max_size=300
)


@given(st.dictionaries(KEYS, st.integers(), max_size=300), CHANGES)
def test_a_frozen_map_is_a_dictionary_that_is_copied(
    first: dict[str, int], changes: list[tuple[str, str, int]]
) -> None:
    """T1, P2: whatever is set and taken out, in one step or in many; earlier maps do not change."""
    made, model, earlier = FrozenMap(first), dict(first), []
    for kind, key, value in changes:
        earlier.append((made, dict(model)))
        if kind == "set":
            made, model = made.set(key, value), {**model, key: value}
        else:
            made = made.without(key)
            model.pop(key, None)
        assert (made.get(key), key in made) == (model.get(key), key in model)
    for was, then in (*earlier[::7], (made, model)):
        assert was == then
        assert (len(was), bool(was), list(was)) == (len(then), bool(then), sorted(then))
    assert FrozenMap(first).merged(model) == {**first, **model}
    assert hash(made) == hash(FrozenMap(model))


def test_keys_of_one_hash_are_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """T1: a division ends, whatever the hashes are."""
    monkeypatch.setattr(maps, "hash", lambda _key: 7, raising=False)
    model = {f"k{n}": n for n in range(120)}
    made: FrozenMap[int] = FrozenMap()
    for key, value in model.items():
        made = made.set(key, value)
    assert made == FrozenMap(model) == model
    assert made.without("k5").get("k5", -1) == -1


def test_a_frozen_map_is_copied_and_pickled_by_its_items() -> None:
    """T1: the hash of a text differs between processes, so the nodes are built again."""
    made = FrozenMap({f"k{n}": n for n in range(100)})
    assert pickle.loads(pickle.dumps(made)) == copy.deepcopy(made) == made
    assert eval(repr(made)) == made  # noqa: S307 - of this very map
    with pytest.raises(KeyError):
        made["other"]


def test_a_change_costs_the_same_in_a_large_map() -> None:
    """P2: with 10,000 keys a change calls some functions more than with 100, for one more step."""
    small, large = (FrozenMap({f"k{n}": n for n in range(size)}) for size in (100, 10_000))
    one, other = (calls(partial(made.set, "k7", 1)) for made in (small, large))
    assert one <= other <= one + 12
