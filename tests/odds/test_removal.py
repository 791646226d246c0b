"""Effects of removal: what a card less does to a figure, and the theory of counting made of it."""

from __future__ import annotations

import json
from fractions import Fraction
from functools import cache
from pathlib import Path

import pytest
from attrs import evolve

pytest.importorskip("numba")

from trente_rules import load_house
from trente_rules.odds.coup_odds import fresh_shoe
from trente_rules.odds.remaining import VALUES, Composition
from trente_rules.odds.removal import Effects, predicted, removal_effects

# Stated with the theory, six packs, aces to tens: a refait x 10^5, the edge of any-apres x 10^4.
REFAIT = [-18.93, -11.91, -9.213, -6.672, -3.876, -1.222, 1.605, 4.244, 7.090, 9.721]
ANY_APRES = [5.596, 8.249, 9.814, 10.30, 9.584, 7.572, 4.393, -0.0171, -5.740, -12.44]


@cache
def effects(name: str = "venezia-online", packs: int = 6) -> dict[tuple[str, bool], Effects]:
    """Return the effects of a house by figure, once."""
    found = removal_effects(load_house(name), Composition.fresh(packs))
    return {(each.name, each.insured): each for each in found}


def test_the_effects_are_those_stated() -> None:
    """M30: a refait and any-apres 8:1, red and black alike."""
    for name, stated, unit in (("refait", REFAIT, 1e-5), ("any-apres", ANY_APRES, 1e-4)):
        found = effects()[name, False]
        for value, effect in zip(stated, found.noir, strict=True):
            assert effect == pytest.approx(value * unit, abs=6e-4 * unit * max(1, abs(value)))
        assert found.rouge == pytest.approx(found.noir, abs=1e-13)


@pytest.mark.parametrize("name", ["venezia-online", "italian-program"])
def test_effects_over_all_cards_sum_to_zero(name: str) -> None:
    """M30: an unseen card that is out changes nothing, for every linear figure."""
    found = effects(name)
    assert len(found) > 8
    for each in found.values():
        assert abs(each.sum) < 1e-11, each.name
        assert each.cards == 312


def test_couleur_is_half_a_refait_and_an_odd_part() -> None:
    """M30: half-sums are the effect on q/2, half-differences have opposite signs."""
    couleur, refait = effects()["couleur", False], effects()["refait", False]
    inverse = effects()["inverse", False]
    for place in range(10):
        black, red = couleur.noir[place], couleur.rouge[place]
        assert black is not None
        assert red is not None
        half = (refait.noir[place] or 0) / 2
        assert (black + red) / 2 == pytest.approx(half, abs=1e-13)
        assert inverse.noir[place] == pytest.approx(red, abs=1e-13)


def test_the_exact_engine_gives_the_same_effects() -> None:
    """M30, a second way: one pack less one card, as the exact engine stored it, and the pack."""
    stored = json.loads((Path(__file__).parent / "golden" / "one_card_less.json").read_text())
    rouge = load_house("venezia-online").chance("rouge")
    win, lose, _push, refait = fresh_shoe(1).verdicts(rouge.table)
    found = effects("venezia-online", 1)
    compared = 0
    for name, entry in stored.items():
        colour, value = name.split()
        place = VALUES.index(value)
        whole = int(entry["denominator"])
        parts = [Fraction(int(part), whole) for part in entry["couleur"]]
        kind = "noir" if colour == "black" else "rouge"
        exact = {
            "refait": float(parts[3] - refait),
            # Half of a stake is lost at a refait.
            "couleur": float(parts[1] - parts[0] + parts[3] / 2 - (lose - win + refait / 2)),
        }
        for figure, effect in exact.items():
            row = found[figure, False].noir if kind == "noir" else found[figure, False].rouge
            assert row[place] == pytest.approx(effect, abs=1e-12), name
            compared += 1
    assert compared == 40


def test_the_spread_says_how_far_an_edge_moves() -> None:
    """M29: c, the deviation at 233 and 104 cards, how often a bet is favourable, and the gain."""
    for name, c, early, late in (
        ("any-apres", 0.288894, 0.00954, 0.02317),
        ("exact-apres-31", 1.141728, 0.03770, 0.09156),
    ):
        found = effects()[name, False]
        assert found.spread * 311 == pytest.approx(c, abs=1e-6)
        assert found.deviation(233) == pytest.approx(early, abs=5e-6)
        assert found.deviation(104) == pytest.approx(late, abs=5e-6)
        assert found.deviation(312) == 0
        # The other form of the same: c sqrt((N - k) / ((N - 1) k)).
        other = found.spread * 311 * ((312 - 104) / (311 * 104)) ** 0.5
        assert found.deviation(104) == pytest.approx(other)
    shares, gains = zip(
        *(predicted(effects()[n, False], range(40, 313)) for n in ("any-apres", "exact-apres-31")),
        strict=True,
    )
    assert [round(100 * share, 1) for share in shares] == [17.0, 4.9]
    assert [round(1000 * gain, 2) for gain in gains] == [2.43, 2.85]


def test_a_normal_edge_is_favourable_as_its_integral_says() -> None:
    """M29: the share and the gain against a sum over the normal density."""
    found = effects()["any-apres", False]
    deviation = found.deviation(104)
    steps, share, gain = 20_000, 0.0, 0.0
    for step in range(steps):
        z = -8 + 16 * (step + 0.5) / steps
        density = 2.718281828459045 ** (-z * z / 2) / (2 * 3.141592653589793) ** 0.5 * 16 / steps
        edge = found.whole + deviation * z
        if edge < 0:
            share, gain = share + density, gain - edge * density
    assert found.favourable(104) == pytest.approx((share, gain), rel=1e-3)
    assert found.favourable(312) == (0.0, 0.0)
    assert predicted(found, []) is None


def test_the_linear_count_is_exact_for_one_card() -> None:
    """With one card out it is the effect itself; with no card out, the whole."""
    found = effects()["any-apres", False]
    whole = Composition.fresh(6)
    assert found.linear(whole) == found.whole
    less = Composition((11, *whole.noir[1:]), whole.rouge)
    assert found.linear(less) == pytest.approx(found.whole + (found.noir[0] or 0))


def test_whole_tags_follow_the_effects() -> None:
    """Tags from -2 to 2, of the sign of the effect, and well correlated."""
    for each in effects().values():
        tags = each.tags()
        assert all(-2 <= tag <= 2 for line in tags for tag in line)
        for tag, effect in zip(tags[0], each.noir, strict=True):
            assert tag * (effect or 0) >= 0
        follows = each.correlation(tags)
        assert follows is not None
        assert 0.93 < follows < 1
        own = [[effect or 0 for effect in line] for line in (each.noir, each.rouge)]
        assert each.correlation((own[0], own[1])) == pytest.approx(1)


def test_without_effects_there_is_nothing_to_count() -> None:
    """Effects of nothing: tags of zero, no correlation, and never a gain."""
    zeros = (0.0,) * 10
    none = Effects(
        "none", insured=False, whole=0.01, noir=zeros, rouge=zeros, counts=((1,) * 10, (1,) * 10)
    )
    assert none.tags() == ((0,) * 10, (0,) * 10)
    assert none.correlation(none.tags()) is None
    assert none.favourable(10) == (0.0, 0.0)
    # An edge that cards cannot move is below zero always, or never: a fair bet never is.
    assert evolve(none, whole=0.0).favourable(10) == (0.0, 0.0)
    assert evolve(none, whole=-0.01).favourable(10) == (1.0, 0.01)


def test_effects_are_shown_without_the_cards() -> None:
    """The figures of a repr are those of the effects; the counts of 20 kinds of cards are not."""
    zeros = (0.0,) * 10
    pack = (1,) * 10, (1,) * 10
    shown = repr(Effects("a", insured=True, whole=0.5, noir=zeros, rouge=zeros, counts=pack))
    assert shown == f"Effects(name='a', insured=True, whole=0.5, noir={zeros}, rouge={zeros})"


def test_values_that_are_all_out_have_no_effect() -> None:
    """None where there is no card to take."""
    left = Composition.parse("2:16,5:16,9:16,X:17r+19b")
    found = {each.name: each for each in removal_effects(load_house("italian-program"), left)}
    assert found["couleur"].noir[0] is None
    assert found["couleur"].noir[1] is not None
