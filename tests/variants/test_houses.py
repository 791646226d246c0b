"""The shipped houses: what each does with a stake, and the facts of its table.

The first seventeen are here, one fact after the other; those that came later, each as a whole, are
in ``test_later_houses``.

What is expected is written out here house by house, from the sources as they were read, beside
what the TOML files build. Values that no source states are under ``inferred``.

``fingerprints.json`` holds the fingerprint of every house: whoever changes a rule of a shipped
house, or how fingerprints are made, sees it here. If the change is meant, renew the file with

    RENEW_FINGERPRINTS=1 pytest tests/variants/test_houses.py -k fingerprints

and say in the changelog which houses are other houses now.
"""

from __future__ import annotations

import json
import os
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any, Final

import pytest
from tests.whole_units import units

from trente_rules import (
    Colour,
    Coup,
    History,
    House,
    Opening,
    Stake,
    Verdict,
    close_session,
    courses,
    load_house,
    refusals,
    settle,
)
from trente_rules.core import default_manager
from trente_rules.core.house.loading import flat, house_table
from trente_rules.core.machine import FREE
from trente_rules.core.rules.announcements import (
    PHRASE_KEYS,
    bets_closed_calls,
    bets_open_calls,
    coup_calls,
    opening_calls,
    talon_calls,
)
from trente_rules.core.rules.limits import TableBounds
from trente_rules.odds.advantage import advantage
from trente_rules.odds.coup_odds import odds_of
from trente_rules.testing import coup_with

FINGERPRINTS: Final = Path(__file__).parent / "fingerprints.json"
ALL: Final = default_manager().names("house")
NAMES: Final = (
    "campione",
    "foster-1897",
    "france-1959",
    "france-2007",
    "german-spas-1840",
    "germany-500",
    "homburg-1860",
    "hoyle-19c",
    "italian-program",
    "italy-half-loss",
    "italy-prison",
    "italy-two-prisons",
    "monte-carlo-1911",
    "rouge-et-noir-meyers",
    "spain-1979",
    "venezia-online",
    "wilhelmsbad-1840",
)
ITALY: Final = ("campione", "italy-half-loss", "italy-prison", "italy-two-prisons")
FRANCE: Final = ("france-1959", "france-2007")


@cache
def house(name: str) -> House:
    """Return a shipped house, loaded once."""
    return load_house(name)


def each(group: tuple[str, ...], value: Any) -> dict[str, Any]:
    """Return the same value for several houses."""
    return dict.fromkeys(group, value)


def pairs(name: str) -> tuple[TableBounds, ...]:
    """Return the minima and maxima of a house's tables."""
    return house(name).limits_table.tables


# --- every house -------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ALL)
def test_every_house_loads_under_its_name_with_title_and_sources(name: str) -> None:
    """The folder, the file and the manager agree; every source is a sentence of its own."""
    info = house(name).info
    assert info.name == name
    assert info.title
    assert info.title != name
    assert info.sources
    assert all(len(source) > 20 for source in info.sources)
    assert len(set(info.sources)) == len(info.sources)


@pytest.mark.parametrize("name", ALL)
def test_every_house_names_what_is_inferred(name: str) -> None:
    """No source tells everything: unit and rounding are said by none."""
    inferred = house(name).info.inferred
    assert len(set(inferred)) == len(inferred)
    for key in ("money.unit", "money.rounding"):
        assert key in inferred or "money" in inferred


@pytest.mark.parametrize("name", ALL)
def test_every_inferred_path_is_a_key(name: str) -> None:
    """A key of the house, or a table of it, or a call that the house leaves to its language."""
    keys = set(flat(house_table(house(name))))
    keys |= {f"announcements.phrases.{key}" for key in PHRASE_KEYS}
    for path in house(name).info.inferred:
        assert any(f"{key}.".startswith(f"{path}.") for key in keys), path


def test_titles_are_told_apart() -> None:
    """No two houses have one title."""
    assert len({house(name).title for name in ALL}) == len(ALL)


def test_fingerprints_are_those_of_the_golden_file() -> None:
    """No shipped house has become another one unseen; see the head of this file."""
    found = {name: house(name).fingerprint for name in ALL}
    if os.environ.get("RENEW_FINGERPRINTS"):
        FINGERPRINTS.write_text(f"{json.dumps(found, indent=2)}\n", encoding="utf-8")
    assert json.loads(FINGERPRINTS.read_text(encoding="utf-8")) == found
    assert len(set(found.values())) == len(found)


# --- what becomes of a stake -------------------------------------------------------------------

Machine = dict[str, str]
"""Courses by ``state/verdict``, the default first, as the machine writes them."""
WON, LOST, BACK = "won(returned 1)", "lost", "taken-back(returned 1)"
FREED = "freed(returned 1)"
HALF = "partage(returned 1/2)"
QUARTER = "partage(returned 1/4)"
EVERY_HOUSE: Final[Machine] = {
    "free/win": WON,
    "free/lose": LOST,
    "free/apres": BACK,
    "free/close": BACK,
}


def to(state: str, share: str = "1", name: str = "prison") -> str:
    """Return a course that keeps a share in a state."""
    return f"{name}(staying {share} -> {state})"


def in_prison(state: str, refait: str, close: str, win: str = FREED) -> Machine:
    """Return a prison in which a loss takes the stake, and an ordinary tie changes nothing."""
    return {
        f"{state}/win": win,
        f"{state}/lose": LOST,
        f"{state}/apres": to(state, name="stays"),
        f"{state}/refait": refait,
        f"{state}/close": f"closed(returned {close})",
    }


HALVING: Final[Machine] = {
    **EVERY_HOUSE,
    "free/refait": f"{to('prison')} | {HALF}",
    **in_prison("prison", f"{to('prison', '1/2')} | {QUARTER}", "1/2"),
}
TWO_PRISONS: Final[Machine] = {
    **EVERY_HOUSE,
    "free/refait": f"{to('prison')} | {HALF}",
    **in_prison("prison", f"{to('prison-2')} | {QUARTER}", "1/2"),
    **in_prison("prison-2", LOST, "1/4", to("prison", name="one-out")),
}
HALF_LOST: Final[Machine] = {**EVERY_HOUSE, "free/refait": "half(returned 1/2)"}
MACHINES: Final[dict[str, Machine]] = {
    # France 2007, art. 52, and 1959, art. 54; Spain 1979, the zero of roulette: half, or prison; at
    # each further refait "le même choix", the stake "ayant perdu 50 % de sa valeur".
    **each((*FRANCE, "spain-1979"), HALVING),
    # Britannica 1911: half, or prison "for the decision of the next deal"; what a further refait
    # does is inferred.
    "monte-carlo-1911": {
        **EVERY_HOUSE,
        "free/refait": f"{to('prison')} | {HALF}",
        **in_prison("prison", to("prison"), "1/2"),
    },
    # Italian Wikipedia, laroulette.it: two wins after the second refait, all lost at the third. The
    # prose rules: half, then "just a quarter". Campione: the second prison is inferred.
    **each(("campione", "italy-prison", "italy-two-prisons"), TWO_PRISONS),
    # An Italian house: stakes "lose half of their value". Venice online; Meyers: half to the bank.
    **each(("italy-half-loss", "venezia-online", "rouge-et-noir-meyers"), HALF_LOST),
    # The Italian program: "tutte le 4 combinazioni perdono".
    "italian-program": {**EVERY_HOUSE, "free/refait": LOST},
    # Foster 1897: half, or the first prison; "a fourth" lost, "the remainder" to the second.
    "foster-1897": {
        **EVERY_HOUSE,
        "free/refait": f"{to('prison')} | {HALF}",
        **in_prison("prison", "prison(taken 1/4, staying 3/4 -> prison-2)", "1/2"),
        **in_prison("prison-2", to("prison-2"), "1/3"),
    },
    # Sala on Homburg, in Steinmetz 1870: at the second refait "the dealer wins all".
    "homburg-1860": {
        **EVERY_HOUSE,
        "free/refait": f"{to('prison')} | {HALF}",
        **in_prison("prison", LOST, "1/2"),
    },
    # Hoyle's Games: prison; from the second "removed again into la première prison".
    "hoyle-19c": {
        **EVERY_HOUSE,
        "free/refait": to("prison"),
        **in_prison("prison", to("prison-2"), "1/2"),
        **in_prison("prison-2", LOST, "1/4", to("prison", name="one-out")),
    },
    # International Monthly 1852: any tie impounds; the courses of French law are inferred.
    "german-spas-1840": {
        place: told for place, told in HALVING.items() if not place.endswith("apres")
    },
    # International Monthly 1852: "no après at all".
    "wilhelmsbad-1840": EVERY_HOUSE,
    # casinospiegel.net: half, or prisons A, B and C, freed step by step.
    "germany-500": {
        **EVERY_HOUSE,
        "free/refait": f"{to('prison')} | {HALF}",
        **in_prison("prison", to("prison-2"), "1/2"),
        **in_prison("prison-2", to("prison-3"), "1/4", to("prison", name="one-out")),
        **in_prison("prison-3", LOST, "1/8", to("prison-2", name="one-out")),
    },
}


def test_a_machine_is_written_out_for_every_house() -> None:
    """None is left out."""
    assert set(MACHINES) == set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_what_becomes_of_a_stake(name: str) -> None:
    """The readings decided for each house, course by course, the default first."""
    built = {
        f"{answer.state}/{answer.verdict.id}": " | ".join(map(str, answer.courses))
        for answer in house(name).machine.answers
    }
    assert built == MACHINES[name]


@pytest.mark.parametrize("name", NAMES)
def test_the_stake_goes_to_prison_where_the_player_does_not_choose(name: str) -> None:
    """Partage is always his choice, never what happens by itself."""
    for answer in house(name).machine.answers:
        assert answer.courses[0].default
        assert answer.courses[0].name != "partage"


@pytest.mark.parametrize("name", NAMES)
def test_a_partage_is_bound_to_the_minimum_in_spain_alone(name: str) -> None:
    """Below the minimum the stake "debe quedar en prisión hasta que se libere" (Spain 1979)."""
    bounds = {
        course.offered_from
        for answer in house(name).machine.answers
        for course in answer.courses
        if course.name == "partage"
    }
    assert bounds <= ({0, "minimum"} if name == "spain-1979" else {0})


@pytest.mark.parametrize(
    ("amount", "share", "state", "offered"),
    [
        (20, "1", "free", ["prison", "partage"]),
        (19, "1", "free", ["prison", "partage"]),
        (40, "1", "prison", ["prison", "partage"]),
        (39, "1", "prison", ["prison"]),
        (79, "1/2", "prison", ["prison"]),
        (80, "1/2", "prison", ["prison", "partage"]),
    ],
)
def test_a_spanish_partage_reaches_the_minimum(
    amount: int, share: str, state: str, offered: list[str]
) -> None:
    """D8: at a table of 10 pesetas it returns 10 or more from the second zero on.

    At the first zero it is offered for every stake, as it always is in France.
    """
    stake = Stake("s", "p", "noir", amount, state, Fraction(share))
    found = {
        name: [
            course.name
            for course in courses(house(name), stake, Verdict.REFAIT, opening=Opening(10))
        ]
        for name in ("spain-1979", "france-2007")
    }
    assert found == {"spain-1979": offered, "france-2007": ["prison", "partage"]}


def stay(name: str, *verdicts: Verdict, amount: int = 240) -> list[tuple[str, int, int]]:
    """Settle coups after one another; answer state, units standing and handed back after each."""
    coups = {
        Verdict.WIN: coup_with(33, 32),
        Verdict.LOSE: coup_with(32, 33),
        Verdict.APRES: coup_with(36, 36),
        Verdict.REFAIT: coup_with(31, 31),
    }
    stakes: tuple[Stake, ...] = (Stake("s", "p", "rouge", amount),)
    told = []
    for verdict in verdicts:
        settlement = settle(house(name), coups[verdict], stakes)
        (line,) = settlement.lines
        stakes = settlement.staying
        told.append((stakes[0].state if stakes else "", line.returned, line.won))
    return told


@pytest.mark.parametrize(
    ("name", "verdicts", "told"),
    [
        ("france-2007", "REFAIT REFAIT WIN", [("prison", 0, 0), ("prison", 0, 0), ("", 120, 0)]),
        ("france-2007", "REFAIT WIN", [("prison", 0, 0), ("", 240, 0)]),
        ("monte-carlo-1911", "REFAIT REFAIT WIN", [("prison", 0, 0)] * 2 + [("", 240, 0)]),
        ("foster-1897", "REFAIT REFAIT WIN", [("prison", 0, 0), ("prison-2", 0, 0), ("", 180, 0)]),
        ("italy-prison", "REFAIT REFAIT WIN WIN",
         [("prison", 0, 0), ("prison-2", 0, 0), ("prison", 0, 0), ("", 240, 0)]),
        ("italy-prison", "REFAIT REFAIT REFAIT",
         [("prison", 0, 0), ("prison-2", 0, 0), ("", 0, 0)]),
        ("homburg-1860", "REFAIT REFAIT", [("prison", 0, 0), ("", 0, 0)]),
        ("italy-half-loss", "REFAIT", [("", 120, 0)]),
        ("italian-program", "REFAIT", [("", 0, 0)]),
        ("wilhelmsbad-1840", "REFAIT", [("", 240, 0)]),
        ("german-spas-1840", "APRES WIN", [("prison", 0, 0), ("", 240, 0)]),
        ("france-2007", "APRES", [("", 240, 0)]),
        ("france-2007", "REFAIT APRES LOSE", [("prison", 0, 0), ("prison", 0, 0), ("", 0, 0)]),
        ("germany-500", "REFAIT REFAIT REFAIT WIN WIN WIN",
         [("prison", 0, 0), ("prison-2", 0, 0), ("prison-3", 0, 0),
          ("prison-2", 0, 0), ("prison", 0, 0), ("", 240, 0)]),
    ],
)  # fmt: skip
def test_the_way_of_a_stake(name: str, verdicts: str, told: list[tuple[str, int, int]]) -> None:
    """Coup after coup, the way the sources tell it: where it stands, and what comes back."""
    assert stay(name, *(Verdict.of_id(verdict.lower()) for verdict in verdicts.split())) == told


def test_the_close_of_a_session_pays_a_half_a_quarter_an_eighth() -> None:
    """French law: a refait on the last coup, and those before it, each halve the first stake."""
    stakes: tuple[Stake, ...] = (Stake("s", "p", "noir", 240),)
    for expected in (120, 60, 30):
        stakes = settle(house("france-2007"), coup_with(31, 31), stakes).staying
        (line,) = close_session(house("france-2007"), stakes).lines
        assert line.returned == expected


# --- cards: packs, rows, burn, marker ----------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_packs(name: str) -> None:
    """A sixain everywhere but in the German spas of the 1840s, which had three packs."""
    three = ("german-spas-1840", "wilhelmsbad-1840")
    assert house(name).shoe.packs == (3 if name in three else 6)


@pytest.mark.parametrize("name", NAMES)
def test_burn(name: str) -> None:
    """Italian houses burn five face down; old houses look at one; France and Spain burn none."""
    expected = {
        **each((*ITALY, "italian-program"), (5, False)),
        **each(("homburg-1860", "hoyle-19c"), (1, True)),
    }
    shoe = house(name).shoe
    assert (shoe.burn, shoe.burn_shown) == expected.get(name, (0, False))


@pytest.mark.parametrize("name", NAMES)
def test_marker(name: str) -> None:
    """Five cards behind it and the coup void by law; 20 to 40 and one last coup in a program."""
    expected = {
        **each((*FRANCE, "spain-1979"), ((5, 5), "croupier", "void")),
        "italian-program": ((20, 40), "player", "last-coup"),
    }
    marker = house(name).shoe.marker
    built = (marker.bounds, marker.placed_by, marker.on_marker) if marker else None
    assert built == expected.get(name)


@pytest.mark.parametrize("name", NAMES)
def test_talon_cut_and_exposed_cards(name: str) -> None:
    """The talon is counted by French and Spanish law; in Spain the player on the right cuts."""
    shoe = house(name).shoe
    assert shoe.count_talon == (name in (*FRANCE, "spain-1979"))
    cut = {"spain-1979": "player-on-right", "venezia-online": "croupier"}
    assert shoe.cut_by == cut.get(name, "player")
    assert shoe.exposed_card == "burn"
    assert shoe.prisoners_at_end == "carry"


@pytest.mark.parametrize("name", NAMES)
def test_first_row_chances_couleur_and_losing_ties(name: str) -> None:
    """Noir first but in Meyers; two chances in old houses; one house takes the winning row."""
    deal = house(name).deal
    assert deal.first_row == ("rouge" if name == "rouge-et-noir-meyers" else "noir")
    two = name in ("hoyle-19c", "rouge-et-noir-meyers")
    assert set(deal.chances) == ({"rouge", "noir"} | (set() if two else {"couleur", "inverse"}))
    winning = name == "italy-two-prisons"
    assert deal.couleur == ("first-of-winning-row" if winning else "first-of-coup")
    losing = {"german-spas-1840": "any", "wilhelmsbad-1840": ()}
    assert deal.refait_on == losing.get(name, (31,))


def test_couleur_of_the_two_bases_differs_where_rouge_wins() -> None:
    """Both rows start in other colours and the second wins: the houses pay other chances."""
    coup = coup_with(33, 32, Colour.NOIR, Colour.ROUGE)
    verdicts = {
        name: house(name).chance("couleur").verdict(coup)
        for name in ("italy-prison", "italy-two-prisons")
    }
    assert verdicts == {"italy-prison": Verdict.LOSE, "italy-two-prisons": Verdict.WIN}
    noir = coup_with(32, 33, Colour.NOIR, Colour.ROUGE)
    for name in verdicts:
        assert house(name).chance("couleur").verdict(noir) == Verdict.WIN


# --- insurance ---------------------------------------------------------------------------------

WIN_LOSE_REFAIT: Final = {Verdict.WIN, Verdict.LOSE, Verdict.REFAIT}
ALWAYS: Final = WIN_LOSE_REFAIT | {Verdict.APRES}
INSURANCE: Final[dict[str, dict[str, Any]]] = {
    "france-2007": {"minimum_stake": 10},
    "france-1959": {"minimum_stake": 50},
    "spain-1979": {},
    "monte-carlo-1911": {"minimum_premium": 5, "kept": WIN_LOSE_REFAIT},
    "campione": {"minimum_stake": 500, "multiple": 500},
    "italy-half-loss": {"without_proof": "refused"},
    "italy-prison": {"kept": WIN_LOSE_REFAIT},
    "italy-two-prisons": {"kept": WIN_LOSE_REFAIT},
    "italian-program": {},
    "germany-500": {"started": 500},
}
USUAL: Final[dict[str, Any]] = {
    "rate": Fraction(1, 100),
    "started": 0,
    "minimum_premium": 0,
    "minimum_stake": 0,
    "multiple": 0,
    "covers": (FREE,),
    "kept": ALWAYS,
    "proof_needed": True,
    "without_proof": "uninsured",
}


@pytest.mark.parametrize("name", NAMES)
def test_insurance(name: str) -> None:
    """1 % where there is one; least stakes, multiples, least premium, and when it is kept."""
    table = house(name).insurance_table
    if name not in INSURANCE:
        assert table is None
    else:
        assert table is not None
        built = {key: getattr(table, key) for key in USUAL}
        stated = USUAL | INSURANCE[name]
        for key in ("started", "minimum_premium", "minimum_stake", "multiple"):
            stated[key] = units(house(name), stated[key])
        assert built == stated


@pytest.mark.parametrize(
    ("name", "stake", "premium"),
    [
        ("france-2007", 1000, 10),
        ("france-2007", 9, "insurance-below-minimum"),
        ("france-1959", 49, "insurance-below-minimum"),
        ("monte-carlo-1911", 20, 5),
        ("monte-carlo-1911", 600, 6),
        ("monte-carlo-1911", 625, "6.25"),
        ("france-2007", 10, "0.10"),
        ("italian-program", 1, "0.01"),
        ("campione", 500, 5),
        ("campione", 499, "insurance-below-minimum"),
        ("campione", 750, "insurance-not-multiple"),
        ("germany-500", 1, 5),
        ("germany-500", 500, 5),
        ("germany-500", 501, 10),
        ("homburg-1860", 100, "no-insurance"),
        ("foster-1897", 100, "no-insurance"),
        ("venezia-online", 100, "no-insurance"),
    ],
)
def test_premium_of_a_stake_or_why_there_is_none(name: str, stake: int, premium: int | str) -> None:
    """A refait hands the insured stake back whole, and the bank keeps the premium."""
    amount = units(house(name), stake)
    bet = Stake("s", "p", "noir", amount, insured=True)
    if isinstance(premium, str) and premium[0].isalpha():
        opening = pairs(name)[-1].minimum or 1
        told = refusals(house(name), [bet], opening=Opening(opening))
        assert premium in {refusal.code for refusal in told}
    else:
        (line,) = settle(house(name), coup_with(31, 31), [bet]).lines
        assert (line.returned, line.premium_kept) == (amount, units(house(name), premium))


@pytest.mark.parametrize("name", NAMES)
def test_one_per_cent_is_one_per_cent(name: str) -> None:
    """D2: a house that names a rate takes it exactly; Monte Carlo not below its five francs."""
    table = house(name).insurance_table
    if table is None or table.started:
        assert name not in INSURANCE or name == "germany-500"
        return
    insured = 0
    for amount in (10, 25, 150, 401, 500, 525, 1000):
        stake = units(house(name), amount)
        if table.refusal(stake):
            assert amount < {"france-2007": 10, "france-1959": 50, "campione": 500}[name] or (
                name == "campione" and amount % 500
            )
            continue
        insured += 1
        bet = Stake("s", "p", "noir", stake, insured=True)
        (line,) = settle(house(name), coup_with(31, 31), [bet]).lines
        cents = max(amount, 500) if name == "monte-carlo-1911" else amount
        assert house(name).money.amount(line.premium).value == Fraction(cents, 100)
        assert line.premium_residue == 0
    assert insured >= 2


def test_houses_in_euro_pay_to_the_cent_and_take_whole_euro() -> None:
    """D2: half of 25 EUR is 12.50 EUR; stakes are chips of whole euro, which no source decides."""
    in_euro = [name for name in NAMES if house(name).money.currency == "EUR"]
    assert len(in_euro) == 7
    for name in in_euro:
        assert house(name).money.unit.value == Fraction(1, 100)
        assert house(name).limits_table.step == units(house(name), 1)
        inferred = house(name).info.inferred
        assert {"money", "money.unit"} & set(inferred), name
        assert {"limits", "limits.step"} & set(inferred), name
    half = Stake("s", "p", "noir", units(house("italy-half-loss"), 25))
    (line,) = settle(house("italy-half-loss"), coup_with(31, 31), [half]).lines
    assert line.returned == units(house("italy-half-loss"), "12.50")
    assert line.residue == 0


def test_premium_survives_an_ordinary_tie_where_the_house_says_so() -> None:
    """Italian prisons and Monte Carlo give it back; the others keep it."""
    for name in INSURANCE:
        bet = Stake("s", "p", "noir", units(house(name), 1000), insured=True)
        (line,) = settle(house(name), coup_with(36, 36), [bet]).lines
        returned = name in ("italy-prison", "italy-two-prisons", "monte-carlo-1911")
        assert (line.premium_kept == 0) == returned


# --- limits and the order of settlement --------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "minimum", "maximum"),
    [
        ("france-2007", 5, 5000),
        ("france-1959", 5, 5000),
        ("spain-1979", 100, 100_000),
        ("monte-carlo-1911", 20, 12_000),
        ("campione", 10, None),
        ("italy-half-loss", 10, 1000),
        ("homburg-1860", 1, 4000),
        ("foster-1897", 1, None),
        *(
            ("venezia-online", low, high)
            for low, high in (
                (2, 41), (5, 102), (10, 205), (20, 410), (50, 1020), (100, 1550), (200, 2100),
            )
        ),
    ],
)  # fmt: skip
def test_limits(name: str, minimum: int, maximum: int | None) -> None:
    """1,000 times the minimum by law, 20 to 12,000 francs, 4,000 gulden, seven online tables."""
    posted = units(house(name), 1000) if name == "italy-half-loss" else None
    opening = Opening(units(house(name), minimum), posted)

    def codes(amount: int) -> set[str]:
        bet = Stake("s", "p", "rouge", units(house(name), amount))
        return {refusal.code for refusal in refusals(house(name), [bet], opening=opening)}

    assert house(name).limits_table.bounds(opening, "rouge").least == opening.minimum
    assert codes(minimum) == set()
    if minimum > 1:
        assert codes(minimum - 1) == {"below-minimum"}
    if maximum is None:
        assert codes(10**9) == set()
    else:
        assert codes(maximum) == set()
        assert codes(maximum + 1) == {"above-maximum"}


def test_venezia_has_seven_tables_and_a_progression() -> None:
    """From the fourth bet on at most 150 % of the third."""
    assert len(pairs("venezia-online")) == 7

    venezia = house("venezia-online")

    def codes(amount: int, *earlier: int) -> set[str]:
        placed = [Stake("s", "p", "noir", units(venezia, a)) for a in (*earlier, amount)]
        history = History.of([one] for one in placed[:-1])
        told = refusals(venezia, placed[-1:], history, opening=Opening(units(venezia, 10)))
        return {refusal.code for refusal in told}

    assert codes(100, 10, 10) == set()
    assert codes(15, 10, 10, 10) == set()
    assert len(codes(16, 10, 10, 10)) == 1
    assert codes(60, 10, 10, 40) == set()
    assert len(codes(61, 10, 10, 40)) == 1
    assert len(codes(61, 10, 10, 40, 40, 50)) == 1


@pytest.mark.parametrize("name", NAMES)
def test_moves_both_sides_associations_and_late_bets(name: str) -> None:
    """Prisoners move in three houses; both sides may be bet; no association, no late bet.

    Hoyle alone takes stakes until the first card is turned.
    """
    rule = house(name).limits.rule
    moves = ("campione", "homburg-1860", "hoyle-19c")
    assert rule.move_prisoners == (name in moves)
    assert rule.both_sides
    assert rule.associations == "refused"
    assert rule.late_bets == ("until-first-card" if name == "hoyle-19c" else "refused")


@pytest.mark.parametrize("name", NAMES)
def test_order_of_settlement(name: str) -> None:
    """Losers first; the order of payment by law; one house collects from right to left (D6)."""
    order = house(name).settlement
    assert order.order == ("by-position" if name == "italy-half-loss" else "losers-first")
    paid = {
        **each(FRANCE, (("inverse", "noir", "rouge", "couleur"), "nearest", "farthest")),
        "spain-1979": (("couleur", "inverse", "noir", "rouge"), "nearest", "farthest"),
        "italy-half-loss": ((), "right", "left"),
    }
    built = (tuple(order.pay), order.collect_from, order.pay_from)
    assert built == paid.get(name, ((), "nearest", "nearest"))


@pytest.mark.parametrize("name", NAMES)
def test_side_bets(name: str) -> None:
    """Any après at 8 to 1 and exact après at 39 to 1, online, beside a simple chance."""
    bets = {bet.id: (bet.odds, bet.needs) for bet in house(name).side_bets}
    expected = {f"exact-apres-{point}": (Fraction(39), "simple") for point in range(31, 41)}
    expected["any-apres"] = (Fraction(8), "simple")
    assert bets == (expected if name == "venezia-online" else {})


def test_a_side_bet_needs_a_simple_chance() -> None:
    """Alone it is refused; with a stake on a simple chance it is taken."""
    venezia = house("venezia-online")
    ten = units(venezia, 10)
    side, simple = Stake("a", "p", "any-apres", ten), Stake("b", "p", "noir", ten)
    opening = Opening(ten)
    assert refusals(venezia, [side], opening=opening)
    assert refusals(venezia, [side, simple], opening=opening) == ()


def test_wilhelmsbad_gives_the_bank_nothing() -> None:
    """No losing tie: an advantage of nought on every wager."""
    found = advantage(house("wilhelmsbad-1840"), odds_of("own", 3))
    assert {wager.edge for wager in found.wagers} == {0}


# --- what is called ----------------------------------------------------------------------------

NOIR_WINS: Final = coup_with(32, 36)
ROUGE_WINS: Final = coup_with(36, 32, Colour.ROUGE)


def called(name: str, coup: Coup) -> list[str]:
    """Return everything that is called while a coup is dealt, in order."""
    one = house(name)
    verdicts = {chance.id: chance.verdict(coup) for chance in one.chances if chance.simple}
    first = Colour.NOIR if one.deal.first_row == "noir" else Colour.ROUGE
    calls = coup_calls(one.announcements, one.words, coup, first, verdicts)
    return [one.words.say(call) for call in calls]


def opened(name: str) -> list[str]:
    """Return the calls from the cut to the close of the bets."""
    one = house(name)
    calls = (
        *opening_calls(one.words, one.shoe.burn),
        *bets_open_calls(one.words),
        *bets_closed_calls(one.words),
    )
    return [one.words.say(call) for call in calls]


@pytest.mark.parametrize(
    ("name", "quoted"),
    [
        ("campione", ["Messieurs, la coupe", "Messieurs, faites vos jeux"]),
        (
            "italy-half-loss",
            ["Messieurs, à la coupe", "Messieurs, les cinq cartes", "Messieurs, faites vos jeux"],
        ),
        ("monte-carlo-1911", ["Messieurs, faites votre jeu !", "Le jeu est fait"]),
        ("homburg-1860", ["Faites le jeu", "Votre jeu est-il fait ?"]),
    ],
)
def test_opening_calls(name: str, quoted: list[str]) -> None:
    """What each source quotes is called, in its order."""
    calls = opened(name)
    assert [call for call in calls if call in quoted] == quoted


@pytest.mark.parametrize("name", NAMES)
def test_five_cards_are_called_where_five_are_burned(name: str) -> None:
    """The call "Messieurs, les cinq cartes" of Italian houses; none where none is burned."""
    five = name in (*ITALY, "italian-program")
    assert ("Messieurs, les cinq cartes" in opened(name)) == five


@pytest.mark.parametrize("name", NAMES)
def test_the_result_never_names_noir_or_inverse_but_in_spain(name: str) -> None:
    """Rouge alone is called to win or lose, with couleur; a Spanish house names all four."""
    results = [called(name, coup)[-1].lower() for coup in (NOIR_WINS, ROUGE_WINS)]
    if name == "spain-1979":
        calls = " / ".join(called(name, NOIR_WINS)).lower()
        assert "dos negro y color ganan" in calls
    else:
        for result in results:
            assert "rouge" in result
            assert "noir" not in result
            assert "inverse" not in result
        couleur = all("couleur" in result for result in results)
        assert couleur == (len(house(name).deal.chances) == 4)


def test_four_results_of_an_italian_house() -> None:
    """Its rules page quotes all four."""
    coups = {
        "Rouge gagne et couleur": ROUGE_WINS,
        "Rouge gagne, la couleur perd": coup_with(36, 32, Colour.NOIR),
        "Rouge perd et couleur": coup_with(32, 36, Colour.ROUGE),
        "Rouge perd, la couleur gagne": NOIR_WINS,
    }
    for quoted, coup in coups.items():
        assert called("italy-half-loss", coup)[-1] == quoted


def test_calls_of_monte_carlo() -> None:
    """Points together before the result, "le couleur", "quarante", the two après."""
    assert called("monte-carlo-1911", ROUGE_WINS) == ["Six, deux", "Rouge gagne et le couleur"]
    assert called("monte-carlo-1911", coup_with(32, 40))[0] == "Deux, quarante"
    assert called("monte-carlo-1911", coup_with(33, 33)) == ["Trois après"]
    assert called("monte-carlo-1911", coup_with(31, 31)) == ["Un après"]


def test_calls_of_foster_are_running_totals() -> None:
    """The colour dealt for, the total at each card, and "Après" for a tie."""
    calls = called("foster-1897", NOIR_WINS)
    assert calls[0] == "Noir"
    assert calls.count("Rouge") == 1
    assert calls[calls.index("Rouge") - 1] == "Trente-deux"
    assert calls[-2] == "Trente-six"
    assert len(calls) == 3 + len(NOIR_WINS.cards)
    assert called("foster-1897", coup_with(34, 34))[-1] == "Après"


def test_calls_of_homburg() -> None:
    """The first row in full, the second by its units, and a refait called by its whole point."""
    assert called("homburg-1860", NOIR_WINS)[:4] == ["Noir", "Trente-deux", "Rouge", "Six"]
    assert called("homburg-1860", coup_with(31, 31))[-1] == "Un refait trente-et-un"
    assert called("homburg-1860", coup_with(33, 33))[-1] == "Après"


def test_calls_of_meyers() -> None:
    """Rouge is dealt first, so that the lower first row is its win."""
    assert called("rouge-et-noir-meyers", NOIR_WINS)[-1] == "Le rouge gagne"
    assert called("rouge-et-noir-meyers", coup_with(36, 32))[-1] == "Le rouge perd"


@pytest.mark.parametrize("name", NAMES)
def test_a_refait_is_told_from_an_ordinary_tie_or_both_are_apres(name: str) -> None:
    """Every tie is called, in French as an après or a refait."""
    for point in (31, 36):
        last = called(name, coup_with(point, point))[-1].lower()
        expected = ("juego nulo", "refait") if name == "spain-1979" else ("après", "refait")
        assert any(word in last for word in expected)


@pytest.mark.parametrize("name", [*FRANCE, "spain-1979"])
def test_five_cards_of_the_talon_are_counted_aloud(name: str) -> None:
    """A call for each of the five."""
    marker = house(name).shoe.marker
    assert marker is not None
    assert len(talon_calls(house(name).words, marker.bounds[0])) == 5
