"""``trente compare --against``: each deviation from a base house, in every format."""

from __future__ import annotations

import csv
import io
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from tests.cli.calling import trente

from trente_rules.core import default_manager

BASE = "france-2007"
HOUSES = [name for name in default_manager().names("house") if name != BASE]
FIELDS = ["name", "title", "fingerprint", "deal"]


@cache
def against(*arguments: str) -> dict[str, Any]:
    """Return what ``--against france-2007 --format json`` prints, by the names of the houses."""
    ran = trente("compare", "--against", BASE, "--format", "json", *arguments)
    assert (ran.status, ran.err) == (0, "")
    printed = ran.json
    assert list(printed) == ["against", "houses"]
    assert list(printed["against"]) == FIELDS
    assert printed["against"]["name"] == BASE
    return {house["name"]: house for house in printed["houses"]}


@pytest.mark.slow
@pytest.mark.parametrize("house", HOUSES)
def test_keys_are_those_of_diff(house: str) -> None:
    """Every shipped house lists exactly the keys of ``trente diff``, with values and kinds."""
    told = trente("diff", BASE, house, "--format", "json").json
    wanted = [
        {name: change[name] for name in ("key", "old", "new", "kind")} for change in told["changes"]
    ]
    changes = against()[house]["changes"]
    assert sorted(changes, key=str) == sorted(wanted, key=str)
    assert against()[house]["major"] == told["major"]


def test_all_houses_but_the_base_are_shown() -> None:
    """Without further houses, every other one; each with the fields of the contract."""
    assert sorted(against()) == HOUSES
    assert list(against("--sort", "given")) == HOUSES
    for house in against().values():
        assert list(house) == [*FIELDS, "major", "changes", "advantage"]


@pytest.mark.parametrize("form", ["table", "markdown", "html"])
def test_a_house_does_not_differ_from_itself(form: str) -> None:
    """The base against itself is told to have no difference."""
    ran = trente("compare", "--against", BASE, BASE, "--format", form)
    assert ran.status == 0
    assert "france-2007: no difference from france-2007" in ran.out
    assert "of fairness" not in ran.out


def test_no_difference_as_data() -> None:
    """No change and no advantage in JSON, only the header in CSV."""
    (house,) = against(BASE).values()
    assert (house["major"], house["changes"], house["advantage"]) == (False, [], [])
    ran = trente("compare", "--against", BASE, BASE, "--format", "csv")
    assert ran.out == "house,kind,key,old,new\n"


def test_advantages_that_differ_are_those_of_compare() -> None:
    """Least and greatest of the policies in both houses; wagers that are alike are left out."""
    listed = {h["name"]: h for h in trente("compare", "--format", "json").json["houses"]}

    def ranges(name: str) -> dict[tuple[str, bool], tuple[float, float]]:
        found: dict[tuple[str, bool], list[float]] = {}
        for wager in listed[name]["wagers"]:
            found.setdefault((wager["chance"], wager["insured"]), []).append(wager["edge"])
        return {place: (min(edges), max(edges)) for place, edges in found.items()}

    def read(edges: dict[str, Any] | None) -> tuple[float, float] | None:
        return None if edges is None else (edges["least"], edges["greatest"])

    was = ranges(BASE)
    for name, house in against().items():
        now = ranges(name)
        wanted = {
            place: (was.get(place), now.get(place))
            for place in was.keys() | now.keys()
            if was.get(place) != now.get(place)
        }
        shown = {
            (edge["chance"], edge["insured"]): (read(edge["old"]), read(edge["new"]))
            for edge in house["advantage"]
        }
        assert shown == wanted


def test_one_key_of_a_file_is_told_with_both_values(tmp_path: Path) -> None:
    """A house with a dearer insurance: that key, its two values, and the edges of the insured."""
    file = tmp_path / "mine.toml"
    file.write_text(
        f'[house]\nname = "mine"\nextends = "{BASE}"\n[insurance]\nrate = "2/100"\n', "utf-8"
    )
    ran = trente("compare", "--against", BASE, file, "--format", "csv", "--chance", "rouge")
    rows = list(csv.DictReader(io.StringIO(ran.out)))
    assert {tuple(row.values()) for row in rows if row["kind"] != "presentation"} == {
        ("mine", "fairness", "insurance.rate", "1/100", "1/50"),
        ("mine", "advantage", "rouge.insured.least", "0.01", "0.02"),
        ("mine", "advantage", "rouge.insured.default", "0.01", "0.02"),
        ("mine", "advantage", "rouge.insured.greatest", "0.01", "0.02"),
    }
    table = trente("compare", "--against", BASE, file).out
    assert "1.0000" in table
    assert "2.0000" in table
    assert "1 % of the stake  2 % of the stake" in table


def test_the_base_may_be_a_file(tmp_path: Path) -> None:
    """A file as base: the shipped house it extends differs from it by that key."""
    file = tmp_path / "base.toml"
    file.write_text(f'[house]\nname = "base"\nextends = "{BASE}"\n[shoe]\nburn = 3\n', "utf-8")
    printed = trente("compare", "--against", file, BASE, "--format", "json").json
    assert printed["against"]["name"] == "base"
    (house,) = printed["houses"]
    fair = [change for change in house["changes"] if change["kind"] == "fairness"]
    assert [(c["key"], c["old"], c["new"]) for c in fair] == [("shoe.burn", 3, 0)]
    assert house["advantage"] == []


def test_options_of_the_comparison_hold() -> None:
    """Deal, stake and order act as they do without a base."""
    fewer = against("--deal", "3-packs", "italian-program")
    assert fewer["italian-program"]["deal"] == "3-packs"
    ran = trente("compare", "--against", "homburg-1860", "--stake", "5000", "hoyle-19c")
    assert ran.status == 0
    assert "homburg-1860 takes no such stake" in ran.out
    order = trente(
        "compare", "--against", BASE, "--sort", "edge", "--format", "json", "italian-program",
        "wilhelmsbad-1840",
    ).json["houses"]  # fmt: skip
    assert [house["name"] for house in order] == ["wilhelmsbad-1840", "italian-program"]


def test_markdown_tells_values_whole() -> None:
    """No value of a key is cut, and every row has the cells of its header."""
    arguments = ("--against", BASE, "venezia-online", "--keys", "--format", "markdown")
    out = trente("compare", *arguments).out
    assert r"\{minimum = 200, maximum = 2100\}" in out
    assert "..." not in out
    for table in out.split("### ")[1:]:
        rows = [line for line in table.splitlines() if line.startswith("|")]
        assert len({row.replace("\\|", "").count("|") for row in rows}) == 1


def test_each_edge_names_its_play() -> None:
    """Best, default, worst and insured of each house, and who gains (U1: last = "lose")."""
    out = trente("compare", "--against", BASE, "homburg-1860", "venezia-online").out
    (line,) = (line for line in out.splitlines() if line.startswith("homburg-1860 "))
    assert line.split() == ["homburg-1860", "1.0946", "1.1208", "1.1208", "-", "worse"]
    (line,) = (line for line in out.splitlines() if line.startswith("venezia-online "))
    assert line.split() == ["venezia-online", "1.0946", "1.0946", "1.0946", "-", "better"]


@pytest.mark.parametrize("base", ["nosuch", "./nosuch.toml", ""])
def test_a_base_that_is_not_there(base: str) -> None:
    """Misuse, with the name as it was given."""
    ran = trente("compare", "--against", base)
    assert (ran.status, ran.out) == (2, "")
    assert "unknown house" in ran.err or "no such file" in ran.err
    assert base.removeprefix("./") in ran.err


def test_a_faulty_base_tells_its_faults(tmp_path: Path) -> None:
    """Faults of a file that is there are faults, as for any house."""
    file = tmp_path / "bad.toml"
    file.write_text(f'[house]\nname = "bad"\nextends = "{BASE}"\n[shoe]\nbrun = 3\n', "utf-8")
    ran = trente("compare", "--against", file)
    assert (ran.status, ran.out) == (1, "")
    assert "bad.toml:5:1: shoe.brun" in ran.err
