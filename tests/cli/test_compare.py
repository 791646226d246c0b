"""``trente compare``: the JSON contract, the formats, the options, and the figures of the game."""

from __future__ import annotations

import csv
import io
import os
import subprocess
from fractions import Fraction
from functools import cache
from math import isclose, sqrt
from pathlib import Path
from typing import Any

import pytest
from tests.cli.calling import HANGS, TRENTE, Terminal, trente

from trente_rules import load_house
from trente_rules.core import default_manager
from trente_rules.reports.comparison import compare
from trente_rules.reports.overview import by_edge
from trente_rules.reports.rule_words import refait_words, rule_words

Wager = dict[str, Any]
SCOPE_FIELDS = [
    "holds_from",
    "holds_for_multiples_of",
    "holds_to",
    "smallest_stake",
    "edge_at_smallest",
    "edge_at_smallest_exact",
]
WAGER_FIELDS = [
    "chance",
    "insured",
    "policy",
    "stake",
    "edge",
    "edge_exact",
    "edge_per_resolved",
    "edge_per_decided",
    "sd",
    *SCOPE_FIELDS,
]
PRISON = {"free/refait": "prison"}
PARTAGE = {"free/refait": "partage"}
BOTH_PRISONS = {"free/refait": "prison", "prison/refait": "prison"}
PRISON_THEN_PARTAGE = {"free/refait": "prison", "prison/refait": "partage"}


@cache
def compared(*arguments: str) -> dict[str, Any]:
    """Return what ``compare --format json`` prints, by the names of the houses."""
    ran = trente("compare", "--format", "json", *arguments)
    assert (ran.status, ran.err) == (0, "")
    printed = ran.json
    assert list(printed) == ["houses"]
    return {house["name"]: house for house in printed["houses"]}


def wager(
    house: str,
    *options: str,
    policy: dict[str, str] | None = None,
    chance: str = "rouge",
    insured: bool = False,
) -> Wager:
    """Return the one entry of a house for a chance, insured or not, and a policy."""
    (only,) = compared(house, *options).values()
    found = [
        entry
        for entry in only["wagers"]
        if (entry["chance"], entry["insured"], entry["policy"]) == (chance, insured, policy or {})
    ]
    (one,) = found
    return dict(one)


def custom(folder: Path, text: str, parent: str = "italy-half-loss") -> str:
    """Write a house that extends another; answer its path."""
    file = folder / "custom.toml"
    file.write_text(f'[house]\nname = "custom"\nextends = "{parent}"\n{text}', encoding="utf-8")
    return str(file)


def digits(edge: float, places: int) -> str:
    """Return an edge in per cent, as the tables print it."""
    return f"{edge * 100:.{places}f}"


# --- the JSON contract -------------------------------------------------------------------------


def test_json_contract_of_a_house() -> None:
    """Each house has its fields, in this order."""
    houses = compared("france-2007", "foster-1897")
    assert list(houses) == ["france-2007", "foster-1897"]
    for name, house in houses.items():
        assert list(house) == [
            *("name", "title", "fingerprint", "deal", "wagers"),
            *("best", "best_uninsured", "default", "worst"),
        ]
        loaded = load_house(name)
        assert (house["title"], house["fingerprint"]) == (loaded.title, loaded.fingerprint)
        assert house["fingerprint"].startswith("f1:")
        assert house["deal"] == "6-packs"


@pytest.mark.slow
@pytest.mark.parametrize("options", [(), ("--stake", "1000"), ("--deal", "infinite")])
def test_json_contract_of_a_wager(options: tuple[str, ...]) -> None:
    """Each wager has the nine fields, of the types that the contract names, that agree."""
    for house in compared(*options).values():
        assert house["wagers"]
        for entry in house["wagers"]:
            assert list(entry) == WAGER_FIELDS
            assert type(entry["chance"]) is str
            assert type(entry["insured"]) is bool
            assert all(
                place.count("/") == 1 and course for place, course in entry["policy"].items()
            )
            assert entry["stake"] == (1000 if "--stake" in options else None)
            for name in ("edge", "edge_per_resolved", "edge_per_decided", "sd"):
                assert type(entry[name]) is float
            numerator, denominator = entry["edge_exact"].split("/")
            exact = Fraction(int(numerator), int(denominator))
            assert (exact.numerator, exact.denominator) == (int(numerator), int(denominator))
            assert entry["edge"] == float(exact)
            assert entry["edge_per_decided"] >= entry["edge_per_resolved"] >= entry["edge"] >= 0


def test_best_and_worst_are_entries_of_the_house() -> None:
    """Best without insurance, worst of all; an insured wager is best only where it is (U4)."""
    for name, house in compared().items():
        plain = [entry["edge"] for entry in house["wagers"] if not entry["insured"]]
        for place in ("best", "best_uninsured", "default", "worst"):
            assert house[place] in house["wagers"]
        assert house["best_uninsured"]["edge"] == min(plain)
        assert house["worst"]["edge"] == max(entry["edge"] for entry in house["wagers"])
        assert not house["best_uninsured"]["insured"]
        assert not house["default"]["insured"]
        dear = name in ("monte-carlo-1911", "germany-500", "campione", "france-1959")
        assert not (dear and house["best"]["insured"])


@pytest.mark.parametrize(
    ("house", "stake", "insured", "edge"),
    [
        ("france-2007", "50", True, "0.01"),  # paid to the cent, 1 % of 50 EUR is 0.50 EUR
        ("monte-carlo-1911", "50", False, "0.0109456852"),
        ("monte-carlo-1911", "1000", True, "0.0091229245"),
        ("germany-500", "50", False, "0.0109456852"),
        ("germany-500", "500", True, "0.01"),
    ],
)
def test_the_best_play_at_a_stake_loses_the_least_money(
    house: str,
    stake: str,
    insured: bool,  # noqa: FBT001
    edge: str,
) -> None:
    """A premium of five francs on fifty is dear, 1 % of fifty euro is not (U4)."""
    (only,) = compared(house, "--stake", stake, "--chance", "rouge").values()
    assert only["best"]["insured"] == insured
    assert f"{only['best']['edge']:.15f}".startswith(edge)


def test_one_entry_for_each_chance_insured_and_policy() -> None:
    """No entry stands twice; every chance of the house is there, insured where it can be."""
    for name, house in compared().items():
        loaded = load_house(name)
        keys = [
            (entry["chance"], entry["insured"], tuple(entry["policy"].items()))
            for entry in house["wagers"]
        ]
        assert len(set(keys)) == len(keys)
        assert {key[0] for key in keys} == {chance.id for chance in loaded.chances}
        simple = {chance.id for chance in loaded.chances if chance.simple}
        insured = {key[0] for key in keys if key[1]}
        assert insured == (simple if loaded.insurance_table else set())


@pytest.mark.parametrize(
    ("house", "policies"),
    [
        ("france-2007", [BOTH_PRISONS, PRISON_THEN_PARTAGE, PARTAGE]),
        ("monte-carlo-1911", [PRISON, PARTAGE]),
        ("italy-half-loss", [{}]),
        ("hoyle-19c", [{}]),
        ("wilhelmsbad-1840", [{}]),
    ],
)
def test_choices_that_cannot_be_reached_make_no_policy(
    house: str, policies: list[dict[str, str]]
) -> None:
    """Who takes the partage at once never chooses in prison: one entry, not one a choice."""
    (only,) = compared(house).values()
    found = [e["policy"] for e in only["wagers"] if e["chance"] == "noir" and not e["insured"]]
    assert found == policies


def test_an_insured_stake_has_no_choice() -> None:
    """It is handed back on the refait, and so reaches no prison."""
    (only,) = compared("campione").values()
    assert [e["policy"] for e in only["wagers"] if e["insured"] and e["chance"] == "noir"] == [{}]


def test_without_a_house_all_are_compared() -> None:
    """Every house that is shipped, the cheapest first."""
    names = default_manager().names("house")
    assert sorted(compared()) == sorted(names)
    assert len(names) >= 32
    assert list(compared("--sort", "given")) == list(names)


# --- options -----------------------------------------------------------------------------------


def test_deal_own_is_the_packs_of_each_house() -> None:
    """Six packs nearly everywhere, three in the German spas."""
    deals = {name: house["deal"] for name, house in compared("--deal", "own").items()}
    assert deals == {name: f"{load_house(name).shoe.packs}-packs" for name in deals}
    assert deals["german-spas-1840"] == "3-packs"
    assert compared("--deal", "own") == compared()


@pytest.mark.parametrize("deal", ["infinite", *(f"{packs}-packs" for packs in range(1, 9))])
def test_deal_is_the_same_for_all_where_it_is_named(deal: str) -> None:
    """Infinite, and 1 to 8 packs; each is told in the answer."""
    houses = compared("italian-program", "german-spas-1840", "--deal", deal)
    assert {house["deal"] for house in houses.values()} == {deal}


def test_deals_differ() -> None:
    """Nine deals, nine figures of the refait."""
    deals = ["infinite", *(f"{packs}-packs" for packs in range(1, 9))]
    exact = {wager("italian-program", "--deal", deal)["edge_exact"] for deal in deals}
    assert len(exact) == len(deals)


@pytest.mark.slow
@pytest.mark.parametrize(
    "deal", ["", "0-packs", "9-packs", "six", "6", "-1-packs", "6-packs ", "1e1-packs"]
)
def test_a_bad_deal_is_misuse(deal: str) -> None:
    """Exit status 2, the bad value and what there is named."""
    ran = trente("compare", f"--deal={deal}")
    assert (ran.status, ran.out) == (2, "")
    assert repr(deal) in ran.err
    assert "infinite" in ran.err


def test_chance_limits_the_wagers() -> None:
    """One chance, or several; a house without it stays in the list with no wager."""
    houses = compared("--chance", "couleur", "--chance", "any-apres")
    chances = {name: {e["chance"] for e in house["wagers"]} for name, house in houses.items()}
    assert chances["venezia-online"] == {"couleur", "any-apres"}
    assert chances["campione"] == {"couleur"}
    assert chances["hoyle-19c"] == set()
    assert (houses["hoyle-19c"]["best"], houses["hoyle-19c"]["worst"]) == (None, None)


def test_an_unknown_chance_is_misuse() -> None:
    """A chance that no house has: exit status 2, and the chances there are."""
    ran = trente("compare", "campione", "--chance", "rot")
    assert (ran.status, ran.out) == (2, "")
    assert "'rot'" in ran.err
    assert "couleur, inverse, noir, rouge" in ran.err


def test_houses_are_sorted_by_the_best_uninsured_play() -> None:
    """Then by the default; houses without such a wager last (U4)."""
    houses = compared("--chance", "couleur")
    ranks = [
        (house["best_uninsured"]["edge"], house["default"]["edge"])
        for house in houses.values()
        if house["best_uninsured"]
    ]
    assert ranks == sorted(ranks)
    assert next(iter(houses)) == "wilhelmsbad-1840"
    assert [h["best"] for h in houses.values()][len(ranks) :] == [None] * (len(houses) - len(ranks))
    assert list(houses) == list(compared("--sort", "edge", "--chance", "couleur"))


def test_an_insured_figure_does_not_make_a_house_cheap() -> None:
    """italian-program (2.189 % without insurance) is after venezia-online (1.095 %) (U4)."""
    assert list(compared("italian-program", "venezia-online", "--sort", "edge")) == [
        "venezia-online",
        "italian-program",
    ]
    names = list(compared())
    assert names.index("venezia-online") < names.index("italian-program")


def test_a_house_of_several_edges_is_sorted_by_its_cheapest_chance() -> None:
    """own_rules: 1.2263 % on rouge, 2.2260 % on couleur; italian-program has 2.1891 %."""
    own_rules = load_house(Path(__file__).parents[2] / "examples/own_rules.toml")
    others = (load_house(name) for name in ("italian-program", "france-2007"))
    listed = [one.house.name for one in by_edge(compare([own_rules, *others]))]
    assert listed == ["france-2007", "own-rules", "italian-program"]


def test_given_order_is_kept() -> None:
    """Houses stand as they are named."""
    assert list(compared("spain-1979", "campione")) == ["spain-1979", "campione"]


def test_misuse_of_options() -> None:
    """An unknown option, format or order leaves with 2 and is named."""
    for bad in (("--nonsense",), ("--format", "xml"), ("--sort", "name"), ("--stake",)):
        ran = trente("compare", *bad)
        assert (ran.status, ran.out) == (2, "")
        assert "Error: " in ran.err
        assert bad[0] in ran.err


def test_an_unknown_house_is_an_error_with_the_nearest_name() -> None:
    """Exit status 2, and what was meant."""
    ran = trente("compare", "france-207")
    assert (ran.status, ran.out) == (2, "")
    assert "unknown house 'france-207' (did you mean 'france-2007'?)" in ran.err
    assert "did you mean 'france-2007'?" in ran.err


def test_faults_of_all_files_are_told_at_once(tmp_path: Path) -> None:
    """Two faulty files beside a good house: every fault, each with its place, and no figure."""
    first, second = tmp_path / "one.toml", tmp_path / "two.toml"
    first.write_text('[house]\nname = "a"\nextends = "campione"\n[refait]\nlevles = 1\n')
    second.write_text('[house]\nname = "b"\nextends = "campione"\n[shoe]\npacks = 0\n')
    ran = trente("compare", "campione", first, second)
    assert (ran.status, ran.out) == (1, "")
    assert f"{first}:5:1: refait.levles: unknown key 'levles'" in ran.err
    assert f"{second}:5:9: shoe.packs: 0 is out of range (1 to 8)" in ran.err
    assert "Traceback" not in ran.err


# --- formats -----------------------------------------------------------------------------------


def test_csv_is_the_json_flattened() -> None:
    """A line for each wager, read by the csv module, with the figures of the JSON."""
    ran = trente("compare", "--format", "csv", "--stake", "1000")
    assert ran.status == 0
    rows = list(csv.DictReader(io.StringIO(ran.out)))
    assert list(rows[0]) == ["house", "deal", *WAGER_FIELDS]
    entries = [
        (house, entry)
        for house in compared("--stake", "1000").values()
        for entry in house["wagers"]
    ]
    for row, (house, entry) in zip(rows, entries, strict=True):
        assert (row["house"], row["deal"]) == (house["name"], house["deal"])
        policy = ", ".join(f"{place}: {course}" for place, course in entry["policy"].items())
        assert row["policy"] == (policy or "no choice")
        assert {name: row[name] for name in WAGER_FIELDS if name != "policy"} == {
            name: "" if entry[name] is None else str(entry[name])
            for name in WAGER_FIELDS
            if name != "policy"
        }


def test_csv_of_nominal_figures_has_no_stake() -> None:
    """The column stays, empty."""
    rows = csv.DictReader(io.StringIO(trente("compare", "campione", "--format", "csv").out))
    assert {row["stake"] for row in rows} == {""}


def test_markdown_tables_are_whole() -> None:
    """Each table has a heading, a line of rules, and as many cells in every row."""
    ran = trente("compare", "spain-1979", "foster-1897", "--format", "markdown")
    assert ran.status == 0
    parts = ran.out.split("### ")[1:]
    assert [part.splitlines()[0] for part in parts] == [
        "Bank's edge on a simple chance, % of the stake",
        "Where they differ",
    ]
    for part in parts:
        rows = [line.split("|")[1:-1] for line in part.splitlines() if line.startswith("|")]
        assert len({len(row) for row in rows}) == 1
        assert len(rows) > 3
        assert all(set(cell.strip()) <= set(":-") for cell in rows[1])
    assert "| **1.1011** |" in parts[0]


def test_table_is_plain_where_there_is_no_terminal() -> None:
    """ASCII rules, no escape sequences, the figures of the house; every policy on request."""
    ran = trente("compare", "spain-1979", "foster-1897", "--full")
    assert ran.status == 0
    assert "\x1b" not in ran.out
    assert "─" not in ran.out
    assert "a further refait" in ran.out
    line = next(line for line in ran.out.splitlines() if line.startswith("foster-1897"))
    assert line.split() == [
        "foster-1897", "6", "packs", "all", "4", "-", "free/refait:", "prison",
        "1.10113", "%", "1.20700", "%", "1.23667", "%", "0.949338",
    ]  # fmt: skip
    assert "free/refait" not in trente("compare", "spain-1979", "foster-1897").out


def test_table_is_rich_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bold heads, the same figures."""
    monkeypatch.setenv("COLUMNS", "200")
    ran = trente("compare", "foster-1897", "italian-program", out=Terminal())
    assert ran.status == 0
    assert "\x1b[1m" in ran.out
    assert "1.1011" in ran.out


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "openpty"), reason="the system has no pseudo terminals")
def test_table_on_a_real_pseudo_terminal() -> None:
    """A process whose output is a terminal draws its tables."""
    master, slave = os.openpty()
    done = subprocess.run(
        [*TRENTE, "compare", "foster-1897", "--chance", "noir"],
        stdin=subprocess.DEVNULL,
        stdout=slave,
        stderr=subprocess.PIPE,
        check=False,
        env={**os.environ, "COLUMNS": "200", "PYTHONIOENCODING": "utf-8", "TERM": "xterm"},
        timeout=HANGS,
    )
    os.close(slave)
    printed = os.read(master, 65536).decode()
    os.close(master)
    assert (done.returncode, done.stderr) == (0, b"")
    assert "\x1b[1m" in printed
    assert "1.1011" in printed


def test_rules_that_are_the_same_are_not_shown() -> None:
    """Only rules that differ are rows, in words or as keys; one house has no such table."""
    ran = trente("compare", "france-2007", "france-1959")
    assert "insured stakes      from 10 EUR  from 50 FRF" in ran.out
    assert "packs" not in ran.out
    assert "Where they differ" not in trente("compare", "france-2007").out
    keys = trente("compare", "france-2007", "france-1959", "--keys").out
    assert "insurance.minimum_stake  10           50" in keys
    assert "shoe.packs" not in keys


def test_all_rules_in_words() -> None:
    """--rules: all topics of a few houses; of many, each rule with the houses that have it (U7)."""
    words = rule_words(load_house("france-2007"))
    out = trente("compare", "france-2007", "--rules").out
    for topic, text in words.items():
        assert f"{topic} " in out
        assert text in out
    lines = trente("compare", "--rules").out.splitlines()
    assert any(line.split("  ")[-1].strip() == "italian-program" for line in lines)
    assert any("all others" in line for line in lines)


def test_many_houses_have_a_line_each() -> None:
    """All houses: one line of figures for each, with what a refait does."""
    out = trente("compare").out
    for name in default_manager().names("house"):
        (line,) = (line for line in out.splitlines() if line.startswith(f"{name}  "))
        assert refait_words(load_house(name), ties=False) in line


def test_the_last_line_names_what_shows_more() -> None:
    """--full, --rules, --stake and --chance, where they are not given (sketch 1)."""
    last = trente("compare").out.splitlines()[-1]
    for option in ("--full", "--rules", "--keys", "--stake N", "--chance any-apres"):
        assert option in last
    last = trente("compare", "france-2007", "--stake", "50", "--rules").out.splitlines()[-1]
    assert "--stake" not in last
    assert "--rules" not in last


def test_what_is_dealt_and_what_is_missing_is_said() -> None:
    """The deal where it is not the houses' own, and houses without the wager."""
    assert "Every house deals from" not in trente("compare", "france-2007").out
    out = trente("compare", "france-2007", "--deal", "infinite").out
    assert "Every house deals from an infinite pack here." in out
    out = trente("compare", "france-2007", "venezia-online", "--chance", "any-apres").out
    assert "Without a figure: france-2007." in out


def test_the_least_stake_is_dearer_only_where_every_play_is() -> None:
    """A partage of 1 costs 2.19 % after rounding; where prison is offered, 1.12 % is left (U4)."""
    out = trente("compare", "foster-1897", "rouge-et-noir-meyers", "german-spas-1840").out
    said = "2.19 % at rouge-et-noir-meyers; 6.07 % at german-spas-1840."
    assert f"Rounding makes the least stake dearer: {said}" in out
    for house, least in (("rouge-et-noir-meyers", "2.1891"), ("german-spas-1840", "6.0718")):
        at_one = trente("compare", house, "--stake", "1").out
        assert f"default {least}" in " ".join(at_one.split())


def test_no_row_of_a_play_is_without_its_chances() -> None:
    """One house has a line for each chance, another one for all: both are named."""
    own_rules = Path(__file__).parents[2] / "examples/own_rules.toml"
    out = trente("compare", str(own_rules), "france-2007").out
    plays = [line.split("  ")[0] for line in out.splitlines() if ": default " in line]
    assert plays == [
        "rouge: default",
        "noir: default",
        "couleur, inverse: default",
        "every chance: default",
    ]
    asked = ("--chance", "rouge", "--chance", "couleur")
    out = trente("compare", str(own_rules), "france-2007", *asked).out
    plays = [line.split("  ")[0] for line in out.splitlines() if ": default " in line]
    assert plays == ["rouge: default", "couleur: default", "rouge, couleur: default"]
    out = trente("compare", "casinoespresso", "france-2007", *asked[:3], "any-apres").out
    rows = [line.split() for line in out.splitlines() if ": default " in line]
    assert rows[0] == ["rouge:", "default", "1.0946", "1.1079"]
    assert rows[1] == ["any-apres:", "default", "1.3610", "-"]


def test_one_pack_is_one_pack() -> None:
    """No "1-packs" on a screen, though that is what the option is called (U6)."""
    for options in ((), ("--full",), ("--format", "html")):
        asked = ("compare", "france-2007", "--deal", "1-packs", *options)
        out = trente(*asked).out.replace("--deal 1-packs", "")
        assert "1-packs" not in out
        assert "1 packs" not in out


# --- figures for a stake -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("stake", "rounding", "edge"),
    [
        ("1", "bank", "2.19"),
        ("1", "player", "0.00"),
        ("1", "half-even", "2.19"),
        ("3", "bank", "1.46"),
        ("3", "player", "0.73"),
        ("3", "half-even", "0.73"),
        ("2", "bank", "1.09"),
        ("2", "player", "1.09"),
        ("2", "half-even", "1.09"),
        ("2", "refuse", "1.09"),
    ],
)
def test_rounding_is_the_edge_of_small_stakes(
    tmp_path: Path, stake: str, rounding: str, edge: str
) -> None:
    """Half of 1 unit is 0 or 1, of 3 units 1 or 2: the rounding decides what the house wins."""
    file = custom(tmp_path, f'[money]\nunit = "1"\nrounding = "{rounding}"\n')
    assert digits(wager(file, "--stake", stake, chance="noir")["edge"], 2) == edge


MANY_WORTHS = """[refait]
rule = "prison"
levels = 2
again = "quarter-taken"
last = "quarter-lost"
release = "one-out"
[insurance]
rule = "rate"
"""


def test_a_stake_of_too_many_worths_leaves_the_other_rows(tmp_path: Path) -> None:
    """D3: 400 EUR in cents, a quarter lost again and again: the row is left out, and why."""
    file = custom(tmp_path, MANY_WORTHS)
    ran = trente("compare", file, "france-2007", "--stake", "400")
    assert ran.status == 0
    assert "has no figures for all 4: one stake can reach more than 1000 different" in ran.out
    mine, other = trente("compare", file, "france-2007", "--stake", "400", "--format", "json").json[
        "houses"
    ]
    assert {each["insured"] for each in mine["wagers"]} == {True}
    assert [(each["chance"], each["insured"]) for each in mine["left_out"]] == [
        (chance, False) for chance in ("rouge", "noir", "couleur", "inverse")
    ]
    assert len(other["wagers"]) >= 8
    against = trente("compare", file, "--against", "france-2007", "--stake", "400")
    assert against.status == 0


def test_a_premium_rounded_up_costs_a_tenth_of_a_stake_of_ten(tmp_path: Path) -> None:
    """1 % of 10 is a tenth of a unit, where that is one euro: the bank takes a whole one."""
    file = custom(tmp_path, '[money]\nunit = "1"\n')
    entry = wager(file, "--stake", "10", insured=True)
    assert (entry["edge_exact"], entry["stake"]) == ("1/10", 10)


IN_EURO = sorted(
    name for name in default_manager().names("house") if load_house(name).money.currency == "EUR"
)


@pytest.mark.parametrize("name", ["france-2007", "italian-program", "italy-half-loss"])
def test_insurance_costs_one_per_cent_of_ten_euro(name: str) -> None:
    """D2: the premium of the least stake that art. 54 insures, 10 EUR, is 0.10 EUR."""
    entry = wager(name, "--stake", "10", insured=True)
    assert digits(entry["edge"], 5) == "1.00000"
    assert entry["edge_exact"] == "1/100"


@pytest.mark.parametrize("stake", ["10", "25", "150", "401"])
def test_every_stake_of_a_house_in_euro_has_the_nominal_figures(stake: str) -> None:
    """D2: paid to the cent, 1 % is 1 %, and half is half; but for the five for a started 500."""
    for name in IN_EURO:
        if name == "germany-500":
            continue
        nominal = {(e["chance"], str(e["policy"])): e for e in compared(name)[name]["wagers"]}
        for entry in compared(name, "--stake", stake)[name]["wagers"]:
            if entry["insured"]:
                same = nominal[entry["chance"], str(entry["policy"])]
                scope = dict.fromkeys(SCOPE_FIELDS)
                assert entry == {**same, **scope, "stake": int(stake)}, name


def test_insuring_twenty_francs_at_monte_carlo_costs_a_quarter() -> None:
    """The premium is at least five francs: 25 % of 20, whenever it is kept; 1 % of 500."""
    for stake, share in (("20", 25), ("100", 5), ("500", 1), ("12000", 1)):
        entry = wager("monte-carlo-1911", "--stake", stake, insured=True)
        assert digits(entry["edge_per_resolved"], 5) == f"{share}.00000"
    kept = wager("monte-carlo-1911", "--stake", "20", insured=True)["edge"]
    assert digits(kept, 5) == "22.80731"


def test_stakes_that_cannot_be_insured_have_no_insured_entry() -> None:
    """Below the least stake, or no multiple: only uninsured entries are left."""
    for house, stake, insurable in (
        ("campione", "499", False),
        ("campione", "750", False),
        ("campione", "1000", True),
        ("france-2007", "9", False),
        ("france-2007", "10", True),
        ("france-1959", "49", False),
        ("france-1959", "50", True),
    ):
        (only,) = compared(house, "--stake", stake).values()
        assert any(entry["insured"] for entry in only["wagers"]) == insurable


def test_premium_for_each_started_amount() -> None:
    """Germany: 5 for each started 500, so 501 pays 10."""
    for stake, premium in (("1", 5), ("500", 5), ("501", 10), ("1000", 10), ("1001", 15)):
        entry = wager("germany-500", "--stake", stake, insured=True)
        assert Fraction(entry["edge_exact"]) == Fraction(premium, int(stake))


def test_a_partage_below_the_minimum_is_not_offered(tmp_path: Path) -> None:
    """Half of 15 does not reach a minimum of 10: the stake stays in prison, and has no choice."""
    floor = '[limits]\nminimum = 10\n[refait]\npartage_not_below = "minimum"\n'
    file = custom(tmp_path, floor, "spain-1979")
    (small,) = compared(file, "--stake", "15", "--chance", "noir").values()
    assert [e["policy"] for e in small["wagers"] if not e["insured"]] == [{}]
    (large,) = compared(file, "--stake", "20", "--chance", "noir").values()
    assert [e["policy"] for e in large["wagers"] if not e["insured"]] == [PRISON, PARTAGE]


def test_a_stake_large_enough_has_the_nominal_figures() -> None:
    """Where nothing is rounded, a stake changes nothing."""
    for policy in (PARTAGE, PRISON):
        nominal = wager("monte-carlo-1911", policy=policy)
        real = wager("monte-carlo-1911", "--stake", "1000", policy=policy)
        assert real == {**nominal, "stake": 1000}


@pytest.mark.parametrize(
    "stake", ["0", "-5", "abc", "1/2", "1e99", "5 5", "", "9" * 24, "nan", "٣"]
)
def test_a_stake_that_is_no_amount_is_misuse(stake: str) -> None:
    """Exit status 2, and what an amount is."""
    ran = trente("compare", "france-2007", f"--stake={stake}")
    assert (ran.status, ran.out) == (2, "")
    assert "Error: " in ran.err


def test_a_stake_below_the_unit_of_a_house_is_an_error() -> None:
    """Half a cent where a unit is one: exit status 1, no rounding in silence."""
    ran = trente("compare", "france-2007", "--stake", "0.005")
    assert (ran.status, ran.out) == (1, "")
    assert "EUR is not a multiple of 0.01 EUR" in ran.err


# --- the figures of the game -------------------------------------------------------------------

NESTED = '[refait]\nrule = "prison"\nlevels = 4\nlast = "lose"\nrelease = "one-out"\n'
FATES = '[insurance.premium_on]\nrefait = "{refait}"\napres = "{apres}"\n'
FOSTER_LITERALLY = '[refait]\ntie = "loses"\nlast = "lose"\n'
THIRD_REFAIT = """[refait]
rule = "custom"
[refait.machine.free]
refait = [{ course = "prison", staying = "1", state = "prison" }]
[refait.machine.prison]
refait = [{ course = "prison", staying = "1", state = "inner" }]
close = [{ course = "closed", returned = "1/2" }]
[refait.machine.inner]
win = [{ course = "one-out", staying = "1", state = "outer" }]
refait = [{ course = "lost" }]
close = [{ course = "closed", returned = "1/4" }]
[refait.machine.outer]
refait = [{ course = "lost" }]
close = [{ course = "closed", returned = "1/2" }]
"""


@pytest.mark.parametrize(
    ("house", "policy", "infinite", "six"),
    [
        pytest.param("italian-program", {}, "2.19220", "2.18914", id="all lost"),
        pytest.param("italy-half-loss", {}, "1.09610", "1.09457", id="half lost"),
        pytest.param("venezia-online", {}, "1.09610", "1.09457", id="half lost, online"),
        pytest.param("rouge-et-noir-meyers", {}, "1.09610", "1.09457", id="half lost, Meyers"),
        pytest.param("italy-two-prisons", PARTAGE, "1.09610", "1.09457", id="partager, S0"),
        pytest.param("france-2007", PARTAGE, "1.09610", "1.09457", id="partager, France"),
        pytest.param("monte-carlo-1911", PRISON, "1.09610", "1.09457", id="prison, repeat"),
        pytest.param("foster-1897", PRISON, "1.10269", "1.10113", id="quarter lost, Foster"),
        pytest.param("france-2007", BOTH_PRISONS, "1.10943", "1.10786", id="halves, France"),
        pytest.param("france-1959", BOTH_PRISONS, "1.10943", "1.10786", id="halves, 1959"),
        pytest.param("spain-1979", BOTH_PRISONS, "1.10943", "1.10786", id="halves, Spain"),
        pytest.param(
            "italy-two-prisons", PRISON_THEN_PARTAGE, "1.10927", "1.10770", id="a quarter, S0"
        ),
        pytest.param("italy-prison", BOTH_PRISONS, "1.10975", "1.10818", id="third refait loses"),
        pytest.param("campione", BOTH_PRISONS, "1.10975", "1.10818", id="the same, Campione"),
        pytest.param("hoyle-19c", {}, "1.10975", "1.10818", id="the same, Hoyle"),
        pytest.param("homburg-1860", PRISON, "1.12244", "1.12083", id="second refait loses"),
        pytest.param("wilhelmsbad-1840", {}, "0.00000", "0.00000", id="no losing tie"),
    ],
)
def test_edges_of_shipped_houses(
    house: str, policy: dict[str, str], infinite: str, six: str
) -> None:
    """The bank's advantage by convention, infinite pack and six packs, to every printed digit."""
    for deal, expected in (("infinite", infinite), ("6-packs", six)):
        assert digits(wager(house, "--deal", deal, policy=policy)["edge"], 5) == expected


@pytest.mark.parametrize(
    ("parent", "text", "policy", "insured", "infinite", "six"),
    [
        pytest.param(
            "monte-carlo-1911", '[refait]\ntie = "frees"\n', PRISON, False, ".99768", ".99642",
            id="a tie frees",
        ),
        pytest.param("italy-half-loss", NESTED, {}, False, "1.10959", "1.10802", id="nested, four"),
        pytest.param(
            "italy-half-loss", NESTED.replace("4", "12"), {}, False, "1.10959", "1.10802",
            id="nested, twelve",
        ),
        pytest.param(
            "italy-half-loss", FATES.format(refait="kept", apres="kept"), {}, True,
            "1.00000", "1.00000", id="premium kept",
        ),
        pytest.param(
            "italy-half-loss", FATES.format(refait="returned", apres="kept"), {}, True,
            ".97808", ".97811", id="premium back on the refait",
        ),
        pytest.param(
            "italy-half-loss", FATES.format(refait="kept", apres="returned"), {}, True,
            ".91217", ".91229", id="premium back on ordinary ties",
        ),
        pytest.param(
            "italy-half-loss", FATES.format(refait="returned", apres="returned"), {}, True,
            ".89025", ".89040", id="premium back on every tie",
        ),
        pytest.param(
            "italy-half-loss", '[deal]\nrefait_on = "any"\n', {}, False, "5.487", "",
            id="any tie loses half",
        ),
        pytest.param(
            "foster-1897", FOSTER_LITERALLY, PRISON, False, "1.20035", "", id="Foster, word by word"
        ),
        pytest.param(
            "italy-half-loss", THIRD_REFAIT, {}, False, "1.10990", "", id="third refait anywhere"
        ),
    ],
)  # fmt: skip
def test_edges_of_custom_houses(  # noqa: PLR0917 - one row of the table
    tmp_path: Path,
    parent: str,
    text: str,
    policy: dict[str, str],
    insured: bool,  # noqa: FBT001
    infinite: str,
    six: str,
) -> None:
    """The conventions that no shipped house has, each written in TOML, to every printed digit."""
    file = custom(tmp_path, text, parent)
    for deal, expected in (("infinite", infinite), ("6-packs", six)):
        if expected:
            edge = wager(file, "--deal", deal, policy=policy, insured=insured)["edge"]
            places = len(expected.partition(".")[2])
            assert digits(edge, places) == expected.replace(".", "0.", expected[0] == ".")


@pytest.mark.parametrize(
    ("house", "infinite", "six"),
    [
        ("italy-half-loss", "1.00000", "1.00000"),
        ("italian-program", "1.00000", "1.00000"),
        ("france-2007", "1.00000", "1.00000"),
        ("italy-prison", "0.91217", "0.91229"),
        ("italy-two-prisons", "0.91217", "0.91229"),
        ("monte-carlo-1911", "0.91217", "0.91229"),
    ],
)
def test_insured_edges_of_shipped_houses(house: str, infinite: str, six: str) -> None:
    """1 % where the premium is kept, .91 % where it survives an ordinary tie."""
    for deal, expected in (("infinite", infinite), ("6-packs", six)):
        assert digits(wager(house, "--deal", deal, insured=True)["edge"], 5) == expected


def test_any_tie_in_the_german_spas_costs_half() -> None:
    """Partage at every tie, infinite pack: 5.487 %."""
    entry = wager("german-spas-1840", "--deal", "infinite", policy=PARTAGE)
    assert digits(entry["edge"], 3) == "5.487"


@pytest.mark.parametrize(
    ("basis", "infinite", "six"),
    [
        ("edge", "1.09610", "1.09457"),
        ("edge_per_resolved", "1.20164", "1.19980"),
        ("edge_per_decided", "1.23122", "1.22930"),
    ],
)
def test_the_three_bases_of_the_half_loss(basis: str, infinite: str, six: str) -> None:
    """Per coup, per bet resolved, per win or loss only."""
    for deal, expected in (("infinite", infinite), ("6-packs", six)):
        assert digits(wager("italy-half-loss", "--deal", deal)[basis], 5) == expected


@pytest.mark.parametrize(
    ("chance", "edge", "places"),
    [
        ("any-apres", "1.227", 3),
        ("exact-apres-31", "12.3", 1),
        ("exact-apres-32", "23.9", 1),
        ("exact-apres-40", "89.3", 1),
    ],
)
def test_side_bets_of_an_infinite_pack(chance: str, edge: str, places: int) -> None:
    """Any après at 8 to 1, exact après at 39 to 1."""
    entry = wager("venezia-online", "--deal", "infinite", chance=chance)
    assert digits(entry["edge"], places) == edge


def test_standard_deviations_of_six_packs() -> None:
    """Half lost, prison that repeats, all lost: six digits each."""
    for house, policy, expected in (
        ("italy-half-loss", {}, ".946443"),
        ("monte-carlo-1911", PRISON, ".949330"),
        ("italian-program", {}, ".954889"),
    ):
        assert f"{wager(house, policy=policy)['sd']:.6f}".removeprefix("0") == expected


def test_insurance_of_a_full_shoe_gains_the_player_9_457_per_cent_of_the_premium() -> None:
    """The half-loss edge less the insured one, as a part of the premium of 1 %."""
    bare, insured = wager("italy-half-loss"), wager("italy-half-loss", insured=True)
    assert digits((bare["edge"] - insured["edge"]) * 100, 3) == "9.457"


TIES = {
    "infinite": [
        ".021922019082", ".019017837743", ".016259481639", ".013663522921", ".011246488822",
        ".009024689413", ".007014028091", ".005229795790", ".003686450387", ".002683148653",
    ],
    "6-packs": [
        ".02189137048657", ".01897605632059", ".01626224443636", ".01364723504146",
        ".01125902568840", ".00901371132270", ".00702059411880", ".00521374265411",
        ".00368054507782", ".00263438801535",
    ],
}  # fmt: skip
ROWS = [
    ".148060862763", ".137905176637", ".127512672465", ".116891072887", ".106049464037",
    ".094998365315", ".083749794575", ".072317327041", ".060716146015", ".051799118266",
]  # fmt: skip


@pytest.mark.parametrize("deal", list(TIES))
def test_probability_of_each_tie_out_of_the_exact_apres(deal: str) -> None:
    """At 39 to 1 the edge is 1 - 40 p: each tie's probability, to every printed digit."""
    for point, expected in zip(range(31, 41), TIES[deal], strict=True):
        entry = wager("venezia-online", "--deal", deal, chance=f"exact-apres-{point}")
        tie = (1 - Fraction(entry["edge_exact"])) / 40
        assert f"{float(tie):.{len(expected) - 1}f}" == f"0{expected}"


def test_probability_of_each_point_of_an_infinite_pack() -> None:
    """Two independent rows: the probability of a point is the root of that of its tie."""
    for point, expected in zip(range(31, 41), ROWS, strict=True):
        entry = wager("venezia-online", "--deal", "infinite", chance=f"exact-apres-{point}")
        tie = (1 - Fraction(entry["edge_exact"])) / 40
        assert f"{sqrt(tie):.12f}" == f"0{expected}"


@pytest.mark.parametrize(
    ("deal", "q", "t", "w", "half", "one_in"),
    [
        ("infinite", ".021922019082", ".087825443460", ".445126268729", "1.096100954", "45.6162"),
        (
            "6-packs",
            ".02189137048657",
            ".08770754267557",
            ".445200543419",
            "1.094568524",
            "45.6801",
        ),
    ],
)
def test_refait_ties_and_wins(deal: str, q: str, t: str, w: str, half: str, one_in: str) -> None:
    """The refait is what the house where all is lost wins; ties and wins follow from the bases."""
    entry = wager("italian-program", "--deal", deal)
    refait = Fraction(entry["edge_exact"])
    assert f"{float(refait):.{len(q) - 1}f}" == f"0{q}"
    assert f"{float(1 / refait):.4f}" == one_in
    assert f"{1 - entry['edge'] / entry['edge_per_resolved']:.{len(t) - 1}f}" == f"0{t}"
    assert f"{entry['edge'] / entry['edge_per_decided'] / 2:.{len(w) - 1}f}" == f"0{w}"
    assert digits(wager("italy-half-loss", "--deal", deal)["edge"], 9) == half
    any_tie = (
        1 - Fraction(wager("venezia-online", "--deal", deal, chance="any-apres")["edge_exact"])
    ) / 9
    assert f"{float(any_tie - refait):.{len(t) - 1}f}" == f"0{t}"


def test_refait_of_six_packs_exactly() -> None:
    """The edge of the house where all is lost, as the one fraction it is."""
    numerator = 45590155731957200269313958556759358571122564966802626914292869
    denominator = 2082562887505109154360625935442541570063115663760066608463076250
    assert Fraction(wager("italian-program")["edge_exact"]) == Fraction(numerator, denominator)


def test_a_prison_that_repeats_costs_exactly_half_the_refait() -> None:
    """Half the refait, whether the player divides or waits."""
    refait = Fraction(wager("italian-program")["edge_exact"])
    for policy in (PRISON, PARTAGE):
        assert Fraction(wager("monte-carlo-1911", policy=policy)["edge_exact"]) == refait / 2


def test_the_four_chances_are_alike() -> None:
    """Rouge, noir, couleur and inverse of one house have one edge and one deviation."""
    for house in compared().values():
        groups: dict[tuple[Any, ...], list[Wager]] = {}
        for entry in house["wagers"]:
            if entry["chance"] in ("rouge", "noir", "couleur", "inverse"):
                key = entry["insured"], tuple(entry["policy"].items())
                groups.setdefault(key, []).append(entry)
        for alike in groups.values():
            assert len({entry["edge_exact"] for entry in alike}) == 1
            assert all(isclose(entry["sd"], alike[0]["sd"], rel_tol=1e-12) for entry in alike)
