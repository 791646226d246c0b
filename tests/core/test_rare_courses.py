"""What one stake may become under every policy, and the words for it, in rare houses."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest
from attrs import evolve
from tests.core.house.test_faults import places
from tests.table.laws import house_like
from tests.whole_units import whole_house

from trente_rules import (
    PACK,
    ConfigurationError,
    RuleError,
    Shoe,
    Stake,
    TrenteError,
    load_house,
    loads_house,
)
from trente_rules.core import wager as wagers
from trente_rules.core.files import regular_file
from trente_rules.core.machine import FREE
from trente_rules.core.rules.announcements import Language
from trente_rules.core.rules.limits import OwnBounds
from trente_rules.core.settlement import wager_of

PRISONS = '[insurance]\nrule = "rate"\ncovers = ["prison"]\nminimum_stake = 0\n'


def test_insurance_of_prisoners_leaves_free_stakes_alone() -> None:
    """A free stake on a wager whose insurance covers the prison alone pays no premium."""
    house = house_like("france-2007", PRISONS)
    free = Stake("s1", "ann", "rouge", 100, insured=True)
    wager = wager_of(house, evolve(free, state="prison"))
    for verdict in sorted(house.chance("rouge").possible(), key=lambda each: each.id):
        assert wager.settle(free, verdict).premium == 0


@pytest.mark.parametrize("amount", [None, 1, 100])
@pytest.mark.parametrize("name", ["france-2007", "italy-half-loss"])
def test_every_policy_ends_what_it_begins(name: str, amount: int | None) -> None:
    """Each step leads to a state that the path has, or ends the stake."""
    house = whole_house(name)
    wager = wager_of(house, Stake("s1", "ann", "rouge", 100))
    paths = [*wager.paths(stake=amount)]
    assert paths
    for path in paths:
        assert FREE in path.steps
        for here in path.steps.values():
            assert all(not step.target or step.target in path.steps for step in here.values())


def test_a_stake_of_too_many_worths_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """The error "too-many-states" says to ask for the nominal figures."""
    monkeypatch.setattr(wagers, "MOST_STATES", 1)
    wager = wager_of(whole_house("france-2007"), Stake("s1", "ann", "rouge", 100))
    with pytest.raises(TrenteError, match="more than 1 different worths") as caught:
        [*wager.paths(stake=100)]
    assert caught.value.code == "too-many-states"


def test_shares_below_half_a_unit_are_settled_alike() -> None:
    """An endless halving has finitely many shares: all below half a unit become one."""
    tiny = Stake("s1", "ann", "rouge", 1, "prison", Fraction(1, 8))
    assert wagers._merged(tiny).share == Fraction(1, 4)
    whole = Stake("s1", "ann", "rouge", 1)
    assert wagers._merged(whole) is whole


def test_a_shoe_ends_by_the_plan_of_its_house() -> None:
    """Far from the marker no plan is made; near the end the rule of the house says."""
    rule = load_house("france-2007").shoe
    shoe = Shoe.of_cards(PACK * 6, 6)
    assert not rule.ended(shoe)
    assert rule.ended(evolve(shoe, position=312))
    assert rule.deal(shoe).coup is not None


def test_an_integer_of_too_many_digits_is_a_fault_of_the_file() -> None:
    """Python names no place for it."""
    with pytest.raises(ConfigurationError) as caught:
        loads_house(f"[shoe]\npacks = {'1' * 5000}\n")
    assert caught.value.faults


@pytest.mark.parametrize(
    "text", ["= 5\n[a]\nb = 1\n", "[]\n[a]\nb = 1\n", '"\\q" = 1\n[a]\nb = 1\n']
)
def test_a_document_without_a_key_has_places_behind_it(text: str) -> None:
    """A pair or a header without a name, or with one that cannot be read, hides no other."""
    assert places(text).place(("a", "b"))


@pytest.mark.parametrize(
    "extra",
    ["[sentences.limits]\nwhole = 5\n", '[sentences.limits]\nwhole = "a ${bad"\n'],
)
def test_a_sentence_of_a_language_is_a_text(extra: str) -> None:
    """A catalogue with a number, or half a place, in place of a sentence is a fault."""
    with pytest.raises(RuleError):
        Language.from_toml(f'code = "xx"\nname = "X"\nfallback = "en"\n{extra}')


def test_nominal_figures_insure_prisoners_in_the_states_covered_alone() -> None:
    """A policy that insures in prison pays the premium there, and none on the free stake."""
    house = house_like("france-2007", PRISONS)
    wager = wager_of(house, Stake("s1", "ann", "rouge", 100))
    for path in wager.paths():
        assert all(step.premium == 0 for step in path.steps[FREE].values())


def test_a_stake_too_small_for_its_course_takes_the_default() -> None:
    """Of one unit no half can be returned in a house that refuses to round."""
    house = house_like("france-2007", '[money]\nunit = 1\nrounding = "refuse"\n')
    wager = wager_of(house, Stake("s1", "ann", "rouge", 1))
    assert all(path.steps[FREE] for path in wager.paths(stake=1))


def test_a_bound_that_the_opening_sets_for_one_chance_is_a_fact() -> None:
    """The sentence says which bound is posted when the table opens."""
    facts = dict(OwnBounds("rouge", None, None, posted=("minimum",)).facts())
    assert facts == {"chance_minimum_posted": {"chance": "rouge"}}


def test_a_folder_that_cannot_be_looked_at_has_no_hint(monkeypatch: pytest.MonkeyPatch) -> None:
    """The folder may be barred between the two looks: the file is missing all the same."""

    def barred(_path: Path) -> bool:
        raise PermissionError

    monkeypatch.setattr(Path, "is_dir", barred)
    with pytest.raises(TrenteError) as caught:
        regular_file("missing/file.toml", TrenteError)
    assert (caught.value.code, caught.value.hint) == ("file-missing", "")
