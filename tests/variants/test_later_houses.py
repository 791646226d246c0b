"""The houses that came after the first seventeen: what each is, written out from its source.

Each house is compared as a whole with what its source says of it (``SAID``) and with the readings
of what it does not (``READ``); where both are silent it is as most houses are (``USUAL``).
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Final

import pytest
from tests.variants.test_houses import ALL, NAMES, house

from trente_rules import Colour, House, Verdict
from trente_rules.core.house.difference import difference
from trente_rules.odds.advantage import advantage
from trente_rules.odds.coup_odds import infinite_pack, odds_of
from trente_rules.testing import coup_with

FOUR: Final = ("rouge", "noir", "couleur", "inverse")
CHOICE: Final = "prison(staying 1 -> prison) | partage(returned 1/2)"
PRISON: Final = "prison(staying 1 -> prison)"
HALF: Final = "half(returned 1/2)"
USUAL: Final[dict[str, Any]] = {
    "packs": 6,
    "shuffled": "each-taille",
    "burn": 0,
    "chances": FOUR,
    "couleur": "first-of-coup",
    "refait": HALF,
    "again": None,
    "tie in prison": None,
    "insurance": None,
    "side bets": 0,
    "both sides": True,
    "late bets": "refused",
    "progression": None,
    "totals": "units",
    "forty": "quarante",
    "result": "rouge-couleur",
    "tie": "point",
}
SAID: Final[dict[str, dict[str, Any]]] = {
    # Wikipédia: the winning row; "en prison", "redeviennent libres ou qu'une rangée gagne".
    "wikipedia-fr": {"couleur": "first-of-winning-row", "refait": PRISON},
    # Hoyle: the first card is looked at, "Noir", "Après", no stake after the first card.
    "hoyle-1820": {
        "burn": 1,
        "chances": ("rouge", "noir"),
        "late bets": "until-first-card",
        "totals": "full",
        "result": "rouge-only",
        "tie": "alone",
    },
    # Pierer: two chances; 40 is "quarante".
    "pierer": {"chances": ("rouge", "noir")},
    # Thompson: 1 %, kept by the player at 31, lost "if there is no 31 tie".
    "thompson": {"insurance": (Fraction(1, 100), {Verdict.WIN, Verdict.LOSE})},
    # Boussac: six packs, "à la rigueur" four.
    "boussac-1896": {"packs": 4},
    "poisson-1820": {},
    # itapoker: prison; 1 % in advance.
    "itapoker": {
        "refait": PRISON,
        "insurance": (Fraction(1, 100), {Verdict.WIN, Verdict.LOSE, Verdict.REFAIT}),
    },
    # gamblingarena: half or prison, 1 %, one bet of each pair.
    "gamblingarena": {
        "refait": CHOICE,
        "both sides": False,
        "insurance": (Fraction(1, 100), {Verdict.WIN, Verdict.LOSE, Verdict.REFAIT}),
    },
    # casinozone: running totals, half lost, the winning row.
    "casinozone": {"couleur": "first-of-winning-row", "totals": "running"},
    # acanomas: half or prison; 40 is called as ten.
    "acanomas": {"refait": CHOICE, "forty": "dix"},
    # jeu-casino: six packs, and two will do.
    "jeu-casino": {"packs": 2},
    # CasinoEspresso: 8 to 1 and 39 to 1, at most 150 % of the third bet from the fourth on.
    "casinoespresso": {"side bets": 11, "progression": (3, Fraction(3, 2))},
    "american-cyclopaedia-1873": {},
    # Translated prose: a mixer-dispenser; half, then a quarter; 1 %.
    "italy-dispenser": {
        "shuffled": "every-coup",
        "refait": CHOICE,
        "again": "prison(staying 1 -> prison-2) | partage(returned 1/4)",
        "insurance": (Fraction(1, 100), {Verdict.WIN, Verdict.LOSE, Verdict.REFAIT}),
    },
    # No source: a machine of eight packs; the rest is read as in France.
    "eight-packs-machine": {"packs": 8, "shuffled": "every-coup"},
}
READ: Final[dict[str, dict[str, Any]]] = {
    "wikipedia-fr": {"again": PRISON, "tie in prison": "frees"},
    "thompson": {"insurance": (Fraction(1, 100), {Verdict.WIN, Verdict.LOSE, Verdict.APRES})},
    "boussac-1896": {"refait": CHOICE, "again": PRISON, "tie in prison": "stays"},
    "pierer": {"result": "rouge-only"},
    "itapoker": {"burn": 5, "again": PRISON, "tie in prison": "stays"},
    "gamblingarena": {
        "again": PRISON,
        "tie in prison": "stays",
        "insurance": (
            Fraction(1, 100),
            {Verdict.WIN, Verdict.LOSE, Verdict.REFAIT, Verdict.APRES},
        ),
    },
    "acanomas": {"again": PRISON, "tie in prison": "stays"},
    "italy-dispenser": {"tie in prison": "stays", "forty": "zero"},
    "eight-packs-machine": {
        "refait": CHOICE,
        "again": "prison(staying 1/2 -> prison) | partage(returned 1/4)",
        "tie in prison": "stays",
        "insurance": (
            Fraction(1, 100),
            {Verdict.WIN, Verdict.LOSE, Verdict.REFAIT, Verdict.APRES},
        ),
    },
}


def courses(one: House, state: str, verdict: Verdict) -> str | None:
    """Return the courses of a state under a verdict, None where there is no such state."""
    for answer in one.machine.answers:
        if (answer.state, answer.verdict) == (state, verdict):
            return " | ".join(map(str, answer.courses))
    return None


def built(one: House) -> dict[str, Any]:
    """Return what a house is, as the tables above write it."""
    table, rule = one.insurance_table, one.limits.rule
    tie = courses(one, "prison", Verdict.APRES)
    return {
        "packs": one.shoe.packs,
        "shuffled": one.shoe.shuffled,
        "burn": one.shoe.burn,
        "chances": one.deal.chances,
        "couleur": one.deal.couleur,
        "refait": courses(one, "free", Verdict.REFAIT),
        "again": courses(one, "prison", Verdict.REFAIT),
        "tie in prison": tie and ("stays" if tie.startswith("stays") else "frees"),
        "insurance": table and (table.rate, table.kept),
        "side bets": len(one.side_bets),
        "both sides": rule.both_sides,
        "late bets": rule.late_bets,
        "progression": rule.progression and (rule.progression.reference, rule.progression.at_most),
        "totals": one.announcements.totals,
        "forty": one.announcements.forty,
        "result": one.announcements.result,
        "tie": one.announcements.tie,
    }


def test_every_house_is_described_here_or_there() -> None:
    """No house is shipped that no test describes."""
    assert set(ALL) == set(NAMES) | set(SAID)
    assert not set(NAMES) & set(SAID)


@pytest.mark.parametrize("name", SAID)
def test_a_later_house_is_what_its_source_says(name: str) -> None:
    """What is said, then what is read, and the rest as usual."""
    assert built(house(name)) == USUAL | SAID[name] | READ.get(name, {})


@pytest.mark.parametrize("name", SAID)
def test_a_later_house_deals_noir_first_and_ends_with_its_cards(name: str) -> None:
    """None has a marker; the lower point wins; 31 alone loses."""
    one = house(name)
    assert (one.deal.first_row, one.deal.refait_on, one.shoe.marker) == ("noir", (31,), None)
    assert one.shoe.cut_by == ("croupier" if name == "casinoespresso" else "player")
    assert one.settlement.order == "losers-first"


@pytest.mark.parametrize(
    ("name", "edge"),
    [
        ("thompson", "0.00978"),  # insured: a premium back on a refait alone, "0.9 %" by Thompson
        ("itapoker", "0.00912"),  # a premium that an ordinary tie does not use up
        ("gamblingarena", "0.01000"),
    ],
)
def test_insured_edges(name: str, edge: str) -> None:
    """The figures of an infinite pack: 1 % less what comes back on ties."""
    (insured,) = {
        wager.edge
        for wager in advantage(house(name), infinite_pack(), chances=["rouge"]).wagers
        if wager.insured and str(wager.policy).count("/") <= 1
    }
    assert f"{float(insured):.5f}" == edge


def test_a_prison_that_an_ordinary_tie_opens() -> None:
    """Wikipédia: what stays out of a refait r is won back by a win or a tie, or waits at a refait.

    The stake in prison is worth (w + t) / (1 - r), and the edge is r times the rest.
    """
    odds = infinite_pack()
    refait = odds.tie(31)
    tie = sum((odds.tie(point) for point in range(32, 41)), Fraction(0))
    win = (1 - refait - tie) / 2
    edge = refait * (1 - (win + tie) / (1 - refait))
    assert f"{float(edge):.6f}" == "0.009977"
    assert advantage(house("wikipedia-fr"), odds, chances=["rouge"]).worst.edge == edge


@pytest.mark.parametrize("name", ["poisson-1820", "casinoespresso", "hoyle-1820", "pierer"])
def test_half_lost_costs_half_of_the_refait(name: str) -> None:
    """1.0961 % with an infinite pack."""
    found = advantage(house(name), infinite_pack(), chances=["rouge"])
    assert found.worst.edge == infinite_pack().tie(31) / 2
    assert f"{float(found.worst.edge):.6f}" == "0.010961"


def test_a_machine_table_is_france_but_for_its_shoe() -> None:
    """D-R35: eight packs, a new order for every coup; nothing else differs, and all is inferred."""
    changes = difference(house("france-2007"), house("eight-packs-machine"))
    assert {change.key.split(".")[0] for change in changes} - {"house"} == {"shoe"}
    tables = {"money", "shoe", "deal", "refait", "insurance", "limits", "settlement"}
    assert set(house("eight-packs-machine").info.inferred) == tables | {"announcements"}


def test_eight_packs_cost_a_little_more_than_six() -> None:
    """D-R35: half of the refait of eight packs, 1.09495 %; six packs have 1.09457 %."""
    found = advantage(house("eight-packs-machine"), odds_of("own", 8), chances=["rouge"])
    edges = {f"{float(wager.edge):.5%}" for wager in found.wagers if not wager.insured}
    assert "1.09495%" in edges


def test_poissons_eleven_thousandths() -> None:
    """Poisson: "onze millièmes"; with six packs 10.946 of them."""
    found = advantage(house("poisson-1820"), odds_of("own", 6), chances=["rouge"])
    assert f"{float(found.worst.edge) * 1000:.3f}" == "10.946"


def test_the_worked_example_of_wikipedia() -> None:
    """Noir has 33 and begins with a diamond, rouge 37: "Noir et Inverse" win."""
    coup = coup_with(33, 37, Colour.ROUGE, Colour.ROUGE)
    won = {
        chance.id for chance in house("wikipedia-fr").chances if chance.verdict(coup) == Verdict.WIN
    }
    assert won == {"noir", "inverse"}
