"""The figures of the shipped houses against literal ones, which other programs found.

Two programs that share no code with this library worked them out, with six packs and with an
infinite pack; published ones agree where they are right.
"""

from __future__ import annotations

import pytest
from tests.properties.shipped import names, shipped

from trente_rules.odds.advantage import advantage
from trente_rules.odds.coup_odds import infinite_pack, odds_of

HALF = ("1.09610", "1.09457")
"""Half lost at once, the partage, or a prison that later ties only repeat: q/2."""
WORST = {
    **dict.fromkeys(
        (
            *("acanomas", "american-cyclopaedia-1873", "casinoespresso", "casinozone"),
            *("gamblingarena", "hoyle-1820", "italy-half-loss", "itapoker"),
            *("monte-carlo-1911", "pierer", "poisson-1820", "rouge-et-noir-meyers", "thompson"),
            "venezia-online",
        ),
        HALF,
    ),
    "italian-program": ("2.19220", "2.18914"),
    "foster-1897": ("1.10269", "1.10113"),
    **dict.fromkeys(("france-1959", "france-2007", "spain-1979"), ("1.10943", "1.10786")),
    **dict.fromkeys(
        ("campione", "hoyle-19c", "italy-dispenser", "italy-prison", "italy-two-prisons"),
        ("1.10975", "1.10818"),
    ),
    "homburg-1860": ("1.12244", "1.12083"),
    "wikipedia-fr": (".99768", ".99642"),
}
"""The dearest play on rouge, in per cent: an infinite pack, and six packs."""
SHARED_OUT = ("1.10927", "1.10770")
"""A second refait makes it worth a quarter, and the rest is shared out."""
INSURED = {
    **dict.fromkeys(
        (
            *("campione", "france-1959", "france-2007", "gamblingarena", "germany-500"),
            *("italian-program", "italy-half-loss", "spain-1979"),
        ),
        ("1.00000", "1.00000"),
    ),
    **dict.fromkeys(
        (
            *("italy-dispenser", "italy-prison", "italy-two-prisons", "itapoker"),
            "monte-carlo-1911",
        ),
        (".91217", ".91229"),
    ),
    "thompson": (".97808", ".97811"),
}
"""The insured stake, in per cent, likewise."""
OTHER = {
    "german-spas-1840": "every tie is a refait, three packs",
    "wilhelmsbad-1840": "no refait",
    "germany-500": "three prisons; as many as it takes: 1.10959 and 1.10802",
    "boussac-1896": "four packs",
    "jeu-casino": "two packs",
    "eight-packs-machine": "eight packs",
}
"""Houses for whose rule, or whose packs, no literal figure is known."""


def _edges(name: str, insured: bool, packs: int) -> list[str]:  # noqa: FBT001 - a column
    odds = odds_of("own", packs) if packs else infinite_pack()
    found = advantage(shipped(name), odds, chances=["rouge"]).wagers
    return [
        f"{float(wager.edge) * 100:.5f}"
        for wager in sorted(found, key=lambda wager: wager.edge)
        if wager.insured is insured
    ]


def _full(figure: str) -> str:
    return f"0{figure}" if figure.startswith(".") else figure


def test_every_house_has_a_literal_figure_or_a_reason() -> None:
    """A house that comes later is put into one of the tables."""
    assert set(names()) == {*WORST, *OTHER}
    assert not set(WORST) & set(OTHER)


@pytest.mark.parametrize("name", WORST)
def test_the_dearest_play_has_the_literal_figure(name: str) -> None:
    """The edge of the house's refait rule where nothing is divided, by two kinds of shoe."""
    endless, six = map(_full, WORST[name])
    assert shipped(name).shoe.packs == 6
    assert _edges(name, insured=False, packs=0)[-1] == endless
    assert _edges(name, insured=False, packs=6)[-1] == six


@pytest.mark.parametrize("name", INSURED)
def test_the_insured_stake_has_the_literal_figure(name: str) -> None:
    """One per cent, or one per cent of the coups that the premium is not returned on."""
    endless, six = map(_full, INSURED[name])
    assert set(_edges(name, insured=True, packs=0)) == {endless}
    assert set(_edges(name, insured=True, packs=6)) == {six}


@pytest.mark.parametrize("name", ["campione", "france-2007", "italy-prison", "spain-1979"])
def test_a_partage_in_prison_has_the_literal_figure(name: str) -> None:
    """Prison first, then shared out; to divide at once costs half of the refait."""
    endless, six = SHARED_OUT
    assert _edges(name, insured=False, packs=0)[:2] == [HALF[0], endless]
    assert _edges(name, insured=False, packs=6)[:2] == [HALF[1], six]


@pytest.mark.parametrize("name", [*WORST, *OTHER])
def test_no_other_house_is_insured(name: str) -> None:
    """What has no figure above takes no insurance, or has its own packs."""
    assert bool(_edges(name, insured=True, packs=6)) == (
        name in INSURED or name == "eight-packs-machine"
    )


def test_any_tie_loses_half_in_the_german_spas() -> None:
    """5.487 % with an infinite pack."""
    assert f"{float(_edges('german-spas-1840', insured=False, packs=0)[0]):.3f}" == "5.487"
