"""Planted faults: no kept input meets one, and each can be met, and is seen where it is."""

from __future__ import annotations

import pytest
from tests.fuzz import corpora, plants
from tests.fuzz.corpora import KINDS, PLANTED, TARGETS
from tests.fuzz.target import BrokenPromiseError, attempt, prepared


@pytest.mark.slow
@pytest.mark.parametrize("name", TARGETS)
def test_no_kept_input_meets_a_planted_fault(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The fuzzer begins with these: a fault that they met would be found without fuzzing."""
    target = corpora.target(name)
    prepared(target)
    plants.plant(name, "raises", monkeypatch.setattr)
    given = [*target.seeds(), *(data for kind in KINDS for data in corpora.kept(name, kind))]
    assert given
    for data in given:
        attempt(target, data)


@pytest.mark.parametrize("name", TARGETS)
def test_a_planted_fault_that_is_met_is_seen(
    name: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """No reader takes it for an error of its own; the input is no failure without the fault."""
    target = corpora.target(name)
    prepared(target)
    met = [*corpora.kept(name, PLANTED)]
    assert met
    for data in met:
        attempt(target, data)
    plants.plant(name, "raises", monkeypatch.setattr)
    for data in met:
        with pytest.raises((plants.PlantedError, BrokenPromiseError)):
            attempt(target, data)
        assert plants.PlantedError.__name__ in capfd.readouterr().err  # what the fuzzer looks for


@pytest.mark.parametrize(
    ("failure", "kinds"),
    [
        ("crash: tests.fuzz.plants.PlantedError: planted", {"raises"}),
        ("crash: trente_rules.core.errors.RecordError: not TOML", set()),
        ("timeout: it takes more than 2 s of the processor", {"hangs"}),
        ("oom: it takes more than 300 MB", {"grows"}),
        ("exit: status 1", set()),
    ],
)
def test_another_fault_is_not_taken_for_the_planted_one(failure: str, kinds: set[str]) -> None:
    """A fault that was there before proves nothing of how faults are found."""
    assert {kind for kind in plants.KINDS if plants.is_seen(kind, failure)} == kinds
