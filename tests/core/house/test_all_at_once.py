"""U37: one round finds every fault of a file that can be found."""

from __future__ import annotations

import random
from collections import Counter
from itertools import combinations
from pathlib import Path
from typing import Any, Final

import pytest
import tomli_w

from trente_rules import ConfigurationError, loads_house

U37: Final = """[house]
name = "My Casino"
extends = "france2007"
[money]
curency = "EUR"
unit = 0.5
[shoe]
packs = "six"
burn = -3
marker = { from_end = [40, 20], placed_by = "dealer" }
[deal]
chances = ["rouge", "nior"]
refait_on = [41]
[refait]
rule = "prision"
[insurance]
rate = 0.01
[limits]
minimum = 100
maximum = 50
[anouncements]
language = "pt"
"""

Path_ = tuple[str, ...]
Edit = tuple[dict[str, Any], str, str]
"""What is written, the key at which the fault is told, and its code."""
EDITS: Final[tuple[Edit, ...]] = (
    # a key by itself
    ({"house": {"name": "My Casino"}}, "house.name", "out-of-range"),
    ({"house": {"extends": "france2007"}}, "house.extends", "unknown-house"),
    ({"house": {"extends": "./none.toml"}}, "house.extends", "extends-unreadable"),
    ({"house": {"title": 5}}, "house.title", "wrong-type"),
    ({"money": {"curency": "EUR"}}, "money.curency", "unknown-key"),
    ({"money": {"unit": 0.5}}, "money.unit", "float-money"),
    ({"money": {"rounding": "up"}}, "money.rounding", "bad-choice"),
    ({"shoe": {"packs": "six"}}, "shoe.packs", "wrong-type"),
    ({"shoe": {"burn": -3}}, "shoe.burn", "out-of-range"),
    ({"shoe": {"marker": {"placed_by": "dealer"}}}, "shoe.marker.placed_by", "bad-choice"),
    ({"deal": {"chances": ["rouge", "nior"]}}, "deal.chances.1", "bad-choice"),
    ({"deal": {"refait_on": [41]}}, "deal.refait_on", "out-of-range"),
    ({"refait": {"rule": "prision"}}, "refait.rule", "unknown-refait-rule"),
    ({"refait": {"tie": "leaves"}}, "refait.tie", "bad-choice"),
    ({"refait": {"leves": 2}}, "refait.leves", "unknown-key"),
    ({"refait": {"on": {"41": {"rule": "all-lose"}}}}, "refait.on.41", "unknown-key"),
    ({"insurance": {"rate": 0.01}}, "insurance.rate", "wrong-type"),
    ({"insurance": {"minimum_stake": "ten"}}, "insurance.minimum_stake", "bad-amount"),
    ({"limits": {"late_bets": "always"}}, "limits.late_bets", "bad-choice"),
    ({"limits": {"step": "5.5.5"}}, "limits.step", "bad-amount"),
    ({"settlement": {"collect_from": "above"}}, "settlement.collect_from", "bad-choice"),
    ({"announcements": {"language": "pt"}}, "announcements.language", "unknown-language"),
    ({"announcements": {"totals": "none at all"}}, "announcements.totals", "bad-choice"),
    ({"sho": {"burn": 60}}, "sho", "unknown-key"),
    (
        {"side_bets": [{"id": "a", "wins_on": "no-tie", "odds": "8"}]},
        "side_bets.0.wins_on",
        "unknown-side-bet",
    ),
    ({"chances": [{"id": "rouge", "odds": 0.5}]}, "chances.0.odds", "wrong-type"),
    # across keys
    ({"limits": {"minimum": 100, "maximum": 50}}, "limits.maximum", "maximum-below-minimum"),
    (
        {"limits": {"per_chance": {"nior": {"minimum": 20}}}},
        "limits.per_chance.nior",
        "unknown-chance",
    ),
    ({"settlement": {"pay": ["noir", "noir"]}}, "settlement.pay.1", "double-chance"),
    (
        {"announcements": {"phrases": {"les_jeux": "faits"}}},
        "announcements.phrases.les_jeux",
        "unknown-phrase",
    ),
    ({"house": {"inferred": ["limits.maximun"]}}, "house.inferred.0", "unknown-path"),
    (
        {"side_bets": [{"id": "rouge", "wins_on": "any-tie", "odds": "8"}]},
        "side_bets.0.id",
        "double-chance",
    ),
)


def keys(table: dict[str, Any], path: Path_ = ()) -> set[Path_]:
    """Return the paths of the values of a table."""
    found: set[Path_] = set()
    for name, value in table.items():
        inner = (*path, name)
        found |= keys(value, inner) if isinstance(value, dict) else {inner}
    return found


def merged(tables: list[dict[str, Any]]) -> dict[str, Any]:
    """Return one table of several that share no key."""
    whole: dict[str, Any] = {}
    for table in tables:
        for name, value in table.items():
            both = isinstance(value, dict) and name in whole
            whole[name] = merged([whole[name], value]) if both else value
    return whole


def apart(edits: list[Edit]) -> bool:
    """Return whether edits write no key twice, nor a list and a member of it."""
    written = [keys(table) for table, _key, _code in edits]
    names = {key for table, _key, _code in edits for key in table if key == "sho"}
    shoes = names and any("shoe" in table for table, _key, _code in edits)
    return not shoes and all(
        a[: len(b)] != b[: len(a)]
        for first, second in combinations(written, 2)
        for a in first
        for b in second
    )


def told(text: str, folder: Path) -> set[tuple[str, str]]:
    """Return the faults of a house file: the key of each, and its code."""
    with pytest.raises(ConfigurationError) as caught:
        loads_house(text, folder=folder, origin="mine.toml")
    assert {fault.file for fault in caught.value.faults} == {"mine.toml"}
    assert all(fault.line for fault in caught.value.faults)
    return {(fault.key, fault.code) for fault in caught.value.faults}


def test_the_file_of_the_finding_is_mended_in_one_round(tmp_path: Path) -> None:
    """U37: four rounds before, with one fault in the first."""
    assert told(U37, tmp_path) == {
        ("house.name", "out-of-range"),
        ("house.extends", "unknown-house"),
        ("money.curency", "unknown-key"),
        ("money.unit", "float-money"),
        ("shoe.packs", "wrong-type"),
        ("shoe.burn", "out-of-range"),
        ("shoe.marker.from_end", "out-of-range"),
        ("shoe.marker.placed_by", "bad-choice"),
        ("deal.chances.1", "bad-choice"),
        ("deal.refait_on", "out-of-range"),
        ("refait.rule", "unknown-refait-rule"),
        ("insurance.rate", "wrong-type"),
        ("limits.maximum", "maximum-below-minimum"),
        ("anouncements", "unknown-key"),
        ("anouncements.language", "unknown-language"),
    }


@pytest.mark.parametrize("edit", EDITS, ids=[f"{key}-{code}" for _t, key, code in EDITS])
def test_each_edit_is_one_fault(edit: Edit, tmp_path: Path) -> None:
    """The table that the property plants from: each edit alone gives its fault and no other."""
    table, key, code = edit
    base = {"house": {"name": "mine", "extends": "france-2007"}}
    text = tomli_w.dumps({**base, **table, "house": {**base["house"], **table.get("house", {})}})
    faults = told(text, tmp_path)
    inside = {("sho.burn", "out-of-range")}  # what is in a table whose name is misspelt
    assert faults - inside == {(key, code)}


@pytest.mark.slow
def test_all_planted_faults_are_found_in_one_round(tmp_path: Path) -> None:
    """U37: whatever the others are, each fault is found, and nothing that is none."""
    dice = random.Random(37)  # noqa: S311 - not for a game
    met: Counter[tuple[str, str]] = Counter()
    sizes: Counter[int] = Counter()
    base = {"house": {"name": "mine", "extends": "france-2007"}}
    while len(sizes) < 7 or min(sizes.values()) < 12:
        edits = dice.sample(EDITS, dice.randint(2, 12))
        if not apart(edits) or sizes[len(edits)] >= 15:
            continue
        tables = merged([table for table, _key, _code in edits])
        house = {**base["house"], **tables.get("house", {})}
        faults = told(tomli_w.dumps({**tables, "house": house}), tmp_path)
        planted = {(key, code) for _table, key, code in edits}
        assert planted <= faults, (planted - faults, tables)
        assert faults - planted <= {("sho.burn", "out-of-range")}, (faults - planted, tables)
        met.update(planted)
        sizes[len(edits)] += 1
    assert set(met) == {(key, code) for _table, key, code in EDITS}
    assert min(met.values()) >= 3


def test_a_base_that_is_not_toml_hides_nothing_of_its_child(tmp_path: Path) -> None:
    """U37: the base has its fault in its own file, the child its own faults."""
    (tmp_path / "base.toml").write_text("[house\n", "utf-8")
    text = '[house]\nname = "a"\nextends = "base.toml"\n[shoe]\nburn = -3\n[limits]\nstep = 5\n'
    with pytest.raises(ConfigurationError) as caught:
        loads_house(text, folder=tmp_path, origin="mine.toml")
    assert [(fault.file, fault.code) for fault in caught.value.faults] == [
        (str(tmp_path / "base.toml"), "not-toml"),
        ("mine.toml", "out-of-range"),
    ]


def test_what_the_lost_base_may_say_is_no_fault(tmp_path: Path) -> None:
    """Only what is certain: keys of any rule, and what goes together with some base."""
    text = '[house]\nname = "a"\nextends = "none-such"\n[refait]\nlevels = 2\n'
    text += '[deal]\nchances = ["noir"]'
    assert told(text, tmp_path) == {("house.extends", "unknown-house")}
    text += '\n[settlement]\npay = ["rouge"]\n[shoe]\nprisoners_at_end = "close"\n'
    assert told(text, tmp_path) == {
        ("house.extends", "unknown-house"),
        ("settlement.pay.0", "unknown-chance"),
    }


def test_a_rule_that_is_missing_is_replaced(tmp_path: Path) -> None:
    """A table of one point without its rule leaves the others as they are."""
    text = '[house]\nname = "a"\n[refait]\nrule = "half-loss"\n[refait.on.31]\nreturned = 1\n'
    assert told(text, tmp_path) == {("refait.on.31.rule", "missing-key")}
    text += "[limits]\nminimum = 100\nmaximum = 50\n"
    assert told(text, tmp_path) == {
        ("refait.on.31.rule", "missing-key"),
        ("limits.maximum", "maximum-below-minimum"),
    }


def test_keys_of_an_unknown_rule_are_checked(tmp_path: Path) -> None:
    """A key that no rule of the kind has is unknown, and a value that none takes is wrong."""
    text = (
        '[house]\nname = "a"\n[refait]\nrule = "prision"\nlevels = "two"\nlevel = 1\ntie = "stays"'
    )
    assert told(text, tmp_path) == {
        ("refait.rule", "unknown-refait-rule"),
        ("refait.levels", "wrong-type"),
        ("refait.level", "unknown-key"),
    }


def test_faults_across_keys_do_not_hide_each_other(tmp_path: Path) -> None:
    """U37: a refait that cannot be built hid what is wrong with the insurance."""
    text = """[house]
name = "a"
extends = "france-2007"
[refait]
levels = 2
[insurance]
covers = ["free", "jail"]
[limits]
minimum = 100
maximum = 50
"""
    assert told(text, tmp_path) == {
        ("refait.levels", "wrong-number"),
        ("insurance.covers.1", "unknown-state"),
        ("limits.maximum", "maximum-below-minimum"),
    }
