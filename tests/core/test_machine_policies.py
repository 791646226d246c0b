"""Policies at their edges: how many there may be, and where an insured stake still is insured."""

from __future__ import annotations

import pytest

from trente_rules import Course, TrenteError, Verdict
from trente_rules.core.machine import LOST, MOST_POLICIES, WON, Offer, Policy, pure_policies, stays

REFAIT = Verdict.REFAIT
ONLY = frozenset((REFAIT,))


def offering(many: int) -> Offer:
    """Return an offer of so many courses at the refait."""
    courses = tuple(Course(str(n)) for n in range(many))
    return lambda _state, _verdict, _insured: courses


def test_a_house_may_have_as_many_policies_as_are_allowed() -> None:
    """The last that is allowed is taken, one more is refused."""
    assert len(pure_policies(offering(MOST_POLICIES), ONLY)) == MOST_POLICIES
    with pytest.raises(TrenteError) as caught:
        pure_policies(offering(MOST_POLICIES + 1), ONLY)
    error = caught.value
    assert error.message == f"a house with more than {MOST_POLICIES} pure policies"
    assert (error.code, error.hint) == (
        "too-many-policies",
        "give the refait rule fewer choices",
    )


def moving(state: str, verdict: Verdict, _insured: bool) -> tuple[Course, ...]:  # noqa: FBT001
    """Return the courses of a house whose prisoners move to a tower."""
    if verdict != REFAIT:
        return (WON,)
    return ({"free": stays("prison"), "prison": stays("tower")}.get(state, LOST),)


@pytest.mark.parametrize(
    ("lasting", "many"), [(("tower",), 3), ((), 4), (("prison",), 4), (("prison", "tower"), 3)]
)
def test_a_lasting_insurance_leaves_no_choice_where_it_lasts(
    lasting: tuple[str, ...], many: int
) -> None:
    """A stake that comes insured into a prison where that lasts is insured there."""
    found = pure_policies(moving, ONLY, insurable=("prison", "tower"), lasting=lasting)
    assert len(found) == many
    assert found[0].choices == (("prison/insured", "no"), ("tower/insured", "no"))


def test_a_policy_without_a_choice_names_no_course() -> None:
    """Where nothing is chosen the name is empty, and nothing is insured."""
    assert Policy().course("free", REFAIT) == ""
    assert Policy((("free/refait", "partage"),)).course("free", REFAIT) == "partage"
    assert not Policy().insured
    assert Policy((("prison/insured", "yes"),)).insured


def test_the_name_of_a_prison_may_have_a_stroke_in_it() -> None:
    """The place is named by state and verdict: what is after the last stroke is the verdict."""
    policy = Policy((("prison/double/insured", "yes"),))
    assert policy.insures("prison/double")
    assert policy.insured
