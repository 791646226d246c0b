"""Nominal figures carry the stakes that they hold for, in every report that prints them (D3)."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest
from tests.cli.calling import trente
from tests.properties.shipped import names, shipped
from tests.whole_units import units

from trente_rules import Amount, load_house, loads_house
from trente_rules.core.money import Money
from trente_rules.core.rules.insurance import InsuranceTable
from trente_rules.odds.advantage import advantage
from trente_rules.odds.coup_odds import odds_of
from trente_rules.reports.comparison import compare
from trente_rules.reports.nominal import Scope, never_rounded, scope_json, scope_text, scopes

MONTE_CARLO = "0.91229 % from 500 FRF; 22.80731 % at 20 FRF"
GERMANY = "1.00000 % for multiples of 500 EUR; 50.00000 % at 10 EUR"


def test_compare_prints_the_stake_beside_the_figure() -> None:
    """D3: 0.91229 % from 500 F, and 22.80731 % at 20 F; multiples of 500 in Germany."""
    out = " ".join(trente("compare", "monte-carlo-1911", "germany-500", "--full").out.split())
    assert f"monte-carlo-1911, all 4, insured: {MONTE_CARLO}" in out
    assert f"germany-500, all 4, insured: {GERMANY}" in out
    screen = " ".join(trente("compare", "monte-carlo-1911", "germany-500").out.split())
    assert "from 500 FRF (22.81 % at 20 FRF)" in screen
    assert "for multiples of 500 EUR (50.00 % at 10 EUR)" in screen
    against = trente("compare", "germany-500", "--against", "monte-carlo-1911").out
    assert "from 500 FRF (22.81 % at 20 FRF)" in " ".join(against.split())


def test_chances_with_odds_of_their_own_have_figures_of_their_own() -> None:
    """D3: noir with a commission is not taken for rouge: ten euro are settled to the cent."""
    house = loads_house(
        '[house]\nname = "x"\nextends = "italy-half-loss"\n'
        '[[chances]]\nid = "noir"\ncommission = "1/100"\n'
    )
    odds = odds_of("own", 6)
    wagers = advantage(house, odds, chances=["rouge", "noir"]).wagers
    assert len({wager.edge for wager in wagers if not wager.insured}) == 2
    for wager, scope in zip(wagers, scopes(house, odds, wagers), strict=True):
        stake = 10_00
        (small,) = (
            found.edge
            for found in advantage(
                house,
                odds,
                chances=[wager.chance],
                stake=stake,
                opening=house.lowest_opening(stake),
            ).wagers
            if found.insured == wager.insured
        )
        assert small == wager.edge
        assert scope is None or scope.edge is None


def test_compare_for_a_stake_prints_none() -> None:
    """D3: figures of a stake are not nominal."""
    ran = trente("compare", "monte-carlo-1911", "--stake", "20")
    assert "Figures are nominal" not in ran.out
    entries = trente("compare", "monte-carlo-1911", "--stake", "20", "--format", "json").json
    assert {entry["holds_from"] for entry in entries["houses"][0]["wagers"]} == {None}


@pytest.mark.parametrize("form", ["markdown", "html", "latex"])
def test_every_format_has_the_stakes(form: str) -> None:
    """D3: as in text."""
    out = trente("compare", "monte-carlo-1911", "--format", form).out
    assert "from 500 FRF" in out
    assert "at 20 FRF" in out


def test_json_and_csv_have_the_stakes_as_fields() -> None:
    """D3: amounts in the currency; the edge at the least stake is that of compare --stake."""
    (house,) = trente("compare", "monte-carlo-1911", "--format", "json").json["houses"]
    insured = next(entry for entry in house["wagers"] if entry["insured"])
    assert (insured["holds_from"], insured["holds_for_multiples_of"]) == (500, None)
    assert insured["smallest_stake"] == 20
    small = trente("compare", "monte-carlo-1911", "--stake", "20", "--format", "json").json
    found = next(entry for entry in small["houses"][0]["wagers"] if entry["insured"])
    assert insured["edge_at_smallest_exact"] == found["edge_exact"]
    plain = next(entry for entry in house["wagers"] if not entry["insured"])
    assert plain["holds_from"] is None
    rows = trente("compare", "monte-carlo-1911", "--format", "csv").out.splitlines()
    assert "holds_from" in rows[0]
    assert any(",500,," in row for row in rows[1:])


@pytest.mark.parametrize(
    ("language", "told"),
    [
        ("en", "0.91229 % holds for stakes of 500 FRF or more. At 20 FRF it is 22.80731 %."),
        ("fr", "0,91229 % vaut pour les mises de 500 FRF et plus. À 20 FRF, c"),
        ("it", "0,91229 % vale per le puntate da 500 FRF in su. Con 20 FRF è 22,80731 %."),
        ("es", "0,91229 % vale para apuestas de 500 FRF o más. Con 20 FRF es 22,80731 %."),
        ("de", "0,91229 % gilt für Einsätze ab 500 FRF. Bei 20 FRF sind es 22,80731 %."),
    ],
)
def test_the_rules_say_the_stake_in_every_language(language: str, told: str) -> None:
    """D3: the printed rules do not say 0.91229 % without its condition."""
    out = trente("rules", "monte-carlo-1911", "--language", language).out
    assert told in " ".join(out.split())
    german = " ".join(trente("rules", "germany-500", "--language", language).out.split())
    assert "500 EUR" in german.split("1,00000 %" if language != "en" else "1.00000 %")[-1]


def test_diff_and_par_print_the_stakes() -> None:
    """D3: the least advantages of two houses, and the sheet, come from the same source."""
    ran = trente("diff", "france-2007", "monte-carlo-1911")
    assert f"monte-carlo-1911, insured: {MONTE_CARLO}" in ran.out
    assert "france-2007, insured: 1.00000 % from 10 EUR" in ran.out
    found = trente("diff", "france-2007", "monte-carlo-1911", "--format", "json").json
    assert found["holds"]["new"]["insured"]["holds_from"] == 500
    assert found["holds"]["old"]["uninsured"]["holds_from"] is None
    assert MONTE_CARLO in " ".join(trente("par", "monte-carlo-1911").out.split())


def test_odds_print_the_stakes() -> None:
    """D3, its kind: the edges of the cards that are left, and what insurance is worth."""
    ran = trente("odds", "--house", "monte-carlo-1911", "--engine", "fast")
    assert f"The insured edge holds {MONTE_CARLO[10:]}." in " ".join(ran.out.split())
    asked = ("odds", "--house", "monte-carlo-1911", "--engine", "fast", "--format", "json")
    edges = trente(*asked).json["edges"]
    assert {edge["holds_from"] for edge in edges if edge["insured"]} == {500}
    assert {edge["holds_from"] for edge in edges if not edge["insured"]} == {None}
    none = trente("odds", "--house", "italy-prison", "--engine", "fast")
    assert "The insured edge holds" not in none.out


@pytest.mark.slow
def test_count_prints_the_stakes() -> None:
    """D3, its kind: what a counter gains insured needs a stake that pays the rate."""
    ran = trente("count", "monte-carlo-1911", "--shoes", "1", "--seed", "1")
    out = " ".join(ran.out.split())
    assert f"monte-carlo-1911, insured: {MONTE_CARLO}" in out
    asked = ("count", "monte-carlo-1911", "--shoes", "1", "--seed", "1", "--format", "json")
    holds = trente(*asked).json["holds"]
    assert holds["insured"]["holds_from"] == 500
    assert holds["uninsured"]["holds_from"] is None


@pytest.mark.slow
def test_simulate_prints_the_stakes() -> None:
    """D3, its kind: what is simulated is nominal, and so is the exact edge beside it."""
    asked = ("simulate", "monte-carlo-1911", "--chance", "rouge", "--coups", "1000", "--seed", "1")
    out = " ".join(trente(*asked).out.split())
    assert f"monte-carlo-1911, rouge, insured: {MONTE_CARLO}" in out
    (house,) = trente(*asked, "--format", "json").json["houses"]
    assert [line["holds_from"] for line in house["wagers"] if line["insured"]] == [500]
    assert {line["holds_from"] for line in house["wagers"] if not line["insured"]} == {None}


def test_the_deviations_of_a_house_have_the_stakes() -> None:
    """D3: the JSON of compare --against has them for both houses, of the least advantage."""
    asked = ("compare", "monte-carlo-1911", "--against", "germany-500", "--format", "json")
    (found,) = trente(*asked).json["houses"]
    insured = next(edge for edge in found["advantage"] if edge["insured"])
    assert insured["old"]["holds_for_multiples_of"] == 500
    assert insured["new"]["holds_from"] == 500
    assert insured["new"]["smallest_stake"] == 20


@pytest.mark.parametrize(
    ("language", "told"),
    [
        ("en", "holds for multiples of 100 EUR from 200 EUR to 6,000 EUR."),
        ("fr", "vaut pour les multiples de 100 EUR, de 200 EUR à 6 000 EUR."),
        ("it", "vale per i multipli di 100 EUR, da 200 EUR a 6.000 EUR."),
        ("es", "vale para los múltiplos de 100 EUR, de 200 EUR a 6.000 EUR."),
        ("de", "gilt für Vielfache von 100 EUR, von 200 EUR bis 6.000 EUR."),
    ],
)
def test_a_greatest_stake_and_a_multiple_are_both_said(
    language: str, told: str, tmp_path: Path
) -> None:
    """D3: 1 % in whole euro with a premium of 2 to 60 is so for 200, 300 ... 6,000."""
    file = tmp_path / "both.toml"
    file.write_text(
        '[house]\nname = "both"\nextends = "france-2007"\n[money]\nunit = "1"\n'
        "[insurance]\nminimum_premium = 2\nmaximum_premium = 60\n"
    )
    said = trente("rules", str(file), "--language", language).out
    assert told in " ".join(said.split())


@pytest.mark.slow
@pytest.mark.parametrize("name", names())
def test_figures_are_true_for_the_stakes_they_carry(name: str) -> None:
    """D3: followed through settlement, stakes in the scope have the nominal edge to the digit.

    Where a figure carries no scope, the least stake that is taken has it within a tenth.
    """
    house = shipped(name)
    odds = odds_of("own", house.shoe.packs)
    wagers = advantage(house, odds, chances=[house.chances[0].id]).wagers
    found = scopes(house, odds, wagers)
    assert any(w.insured and s for w, s in zip(wagers, found, strict=True)) or name not in {
        *("france-2007", "monte-carlo-1911", "germany-500", "campione"),
    }
    for wager, scope in zip(wagers, found, strict=True):
        if scope is None or not scope.exact or wager.policy.choices:
            continue
        step = scope.multiple or house.limits_table.step
        for times in (0, 1, 7):
            stake = scope.least + times * step
            real = advantage(
                house,
                odds,
                chances=[wager.chance],
                stake=stake,
                opening=house.lowest_opening(stake),
            ).wagers
            assert wager.edge in {each.edge for each in real if each.insured == wager.insured}


def test_scopes_are_worded_for_every_form() -> None:
    """From, multiples, multiples from, a greatest stake, none at all."""
    money = Money()

    def worded(
        least: int, multiple: int = 0, most: int | None = None, *, exact: bool = True
    ) -> str:
        return scope_text(Scope(least, multiple, most, exact, 1, None), money)

    assert worded(10) == "from 10 EUR"
    assert worded(10, most=50) == "from 10 EUR to 50 EUR"
    assert worded(10, 10) == "for multiples of 10 EUR"
    assert worded(20, 10, 50) == "for multiples of 10 EUR from 20 EUR to 50 EUR"
    assert worded(0, exact=False) == "for no stake exactly"
    assert set(scope_json(None, money).values()) == {None}


def test_the_scope_is_that_of_the_insurance_table() -> None:
    """D3: one source, the table: the least stake and the multiple of the nominal rate."""
    for name in ("monte-carlo-1911", "germany-500", "campione"):
        house = shipped(name)
        odds = odds_of("own", house.shoe.packs)
        insured = [w for w in advantage(house, odds, chances=["rouge"]).wagers if w.insured]
        (scope,) = scopes(house, odds, insured)
        assert isinstance(house.insurance_table, InsuranceTable)
        nominal = house.insurance_table.nominal_stakes()
        assert scope is not None
        assert nominal is not None
        assert scope.least == nominal.least == units(house, 500)
        assert scope.edge is None or scope.edge > insured[0].edge > Fraction(0)


@pytest.mark.parametrize("name", ["italy-half-loss", "italian-program", "venezia-online"])
def test_a_stake_that_is_never_rounded_has_the_nominal_figures(name: str) -> None:
    """No figure is worked out for a stake that every policy settles exactly: it would be equal."""
    house = shipped(name)
    odds, opening = odds_of("own", house.shoe.packs), house.lowest_opening()
    seen = 0
    for stake in (8, 100, 1001):
        for wager in (house.wager(chance.id) for chance in house.chances):
            if not never_rounded(wager, stake):
                continue
            real = advantage(house, odds, chances=[wager.chance.id], stake=stake, opening=opening)
            nominal = advantage(house, odds, chances=[wager.chance.id])
            figures = (
                {(w.policy, w.edge) for w in each.wagers if not w.insured}
                for each in (real, nominal)
            )
            assert next(figures) == next(figures)
            seen += 1
    assert seen


def test_insured_figures_hold_where_the_win_is_exact_too() -> None:
    """D3: 399/400 is paid on rouge, so the figure is for multiples of 4 euro, not for 10."""
    house = loads_house(
        '[house]\nname = "x"\nextends = "france-2007"\n[money]\nunit = "0.01"\n'
        '[[chances]]\nid = "rouge"\nodds = "21/20"\ncommission = "1/20"\n'
    )
    odds = odds_of("own", 6)
    wagers = [w for w in advantage(house, odds, chances=["rouge"]).wagers if w.insured]
    (scope,) = scopes(house, odds, wagers)
    assert scope is not None
    assert (scope.least, scope.multiple, scope.exact) == (12_00, 4_00, True)
    exact = advantage(
        house, odds, chances=["rouge"], stake=12_00, opening=house.lowest_opening(12_00)
    ).wagers
    assert [w.edge for w in exact if w.insured] == [wagers[0].edge]


def test_wagers_that_cannot_be_followed_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of several houses of one comparison, those of one; the others keep their figures."""
    monkeypatch.setattr("trente_rules.core.wager.MOST_STATES", 1)
    houses = [load_house("italy-half-loss"), load_house("france-2007")]
    whole, some = compare(houses, stake=Amount.parse(50))
    assert whole.left_out == ()
    assert {each.insured for each in some.left_out} == {False}
    assert {wager.insured for wager in some.advantage.wagers} == {True}
