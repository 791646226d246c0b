"""U48: what the loader refuses of one key, the schema refuses, and nothing that it takes."""

from __future__ import annotations

import json
import tomllib
from collections import Counter
from typing import Any, Final

import attrs
import jsonschema
import pytest
from tests.cli.calling import trente

from trente_rules.core.chances import ChanceKeys, SideBetKeys
from trente_rules.core.house.converter import structure
from trente_rules.core.house.reader import RULE_TABLES, SECTIONS, rules_of
from trente_rules.core.house.schema import ADDRESS, house_schema
from trente_rules.core.keys import keys_of
from trente_rules.core.plugins.manager import default_manager

PLUGINS = default_manager()
WRITTEN = house_schema(PLUGINS)
SCHEMA = jsonschema.Draft7Validator(WRITTEN)
Case = tuple[str, Any, dict[str, Any]]
"""A table, the class of its keys, and what else is in the table."""
CASES: Final[dict[str, Case]] = {
    **{name: (name, cls, {}) for name, cls in SECTIONS.items()},
    **{
        f"{table}-{rule}": (table, cls, {"rule": rule})
        for table, kind in RULE_TABLES.items()
        for rule, cls in rules_of(PLUGINS, kind).items()
    },
    "chances": ("chances", ChanceKeys, {}),
    **{
        f"bet-{rule}": ("side_bets", cls, {"wins_on": rule})
        for rule, cls in rules_of(PLUGINS, "side bet").items()
    },
    "bet": ("side_bets", SideBetKeys, {}),
}
VALUES: Final[Any] = (
    *(-1, 0, 1, 2, 8, 9, 12, 13, 30, 31, 40, 41, 52, 53, 10**6, 0.5, True, False),
    *("", "x", "My Casino", "my-casino", "none", "any", "minimum", "at-opening", "first-card"),
    *("0", "1", "-1", "0.00", "0.5", "1/2", "1/100", "1/", "5.5.5", "12.50", "rouge", "kept"),
    *([], [0], [31], [41], [31, 31], [31, 40], [-1], ["rouge"], ["rouge", "rouge"], ["nior"]),
    *(["1/2"], ["2"], [20, 40], [-1, 4], ["free"], ["free", "free"], [[]], [{}], ["minimum"]),
    *({}, {"x": 1}, {"from_end": 5}, {"from_end": -1}, {"from_end": "x"}, {"win": "kept"}),
    *({"rouge": {"minimum": 5}}, {"rouge": "none"}, {"rouge": {"minimum": "x"}}, {"rouge": 5}),
    *([{"minimum": 5, "maximum": 50}], [{"minimum": 0, "maximum": 50}], [{"tie": True}]),
)


def document(table: str, own: dict[str, Any], key: str, value: Any) -> dict[str, Any]:
    """Return a house of one key, and what its table needs besides."""
    inner = {**own, key: value}
    return {table: [inner] if table in ("chances", "side_bets") else inner}


def refused_by_the_loader(cls: Any, key: str, value: Any) -> list[str]:
    """Return the codes of the faults of one key, by itself."""
    _built, problems = structure(cls, {key: value}, ("t",))
    return [each.code for each in problems if each.path[:2] == ("t", key)]


def missing_inside(cls: Any, key: str, value: Any) -> bool:
    """Return whether all that is wrong is a key that is missing in a table of a list."""
    codes = refused_by_the_loader(cls, key, value)
    return bool(codes) and set(codes) == {"missing-key"}


@pytest.mark.slow
@pytest.mark.parametrize("case", [name for name, (_t, cls, _o) in CASES.items() if [*keys_of(cls)]])
def test_the_schema_refuses_what_the_loader_refuses(case: str) -> None:
    """U48: by type or bound of one key; burn = -3 and four like it passed before."""
    table, cls, own = CASES[case]
    met = Counter[bool]()
    for info in keys_of(attrs.resolve_types(cls)):
        if info.name == "language" or (table == "announcements" and info.name == "phrases"):
            continue  # names that plugins add, and words
        for value in VALUES:
            codes = refused_by_the_loader(cls, info.name, value)
            faults = [*SCHEMA.iter_errors(document(table, own, info.name, value))]
            told = (case, info.name, value, codes, [each.message for each in faults])
            met[bool(codes)] += 1
            if not codes:
                assert not faults, told
            elif not missing_inside(cls, info.name, value) and not _of_two_parts(cls, info, value):
                assert faults, told
    assert met[True] > 20
    assert met[False] >= 1


def _of_two_parts(cls: Any, info: Any, value: Any) -> bool:
    """Return whether a value is refused for what no schema compares, one part with another.

    A fraction as text against a bound. (To JSON, 1.0 is a whole number: it is no value here.)
    """
    texts = value if isinstance(value, list) else [value]
    as_text = any(isinstance(each, str) for each in texts) and "Fraction" in str(info.type)
    return as_text and refused_by_the_loader(cls, info.name, value) == ["out-of-range"]


@pytest.mark.parametrize("name", PLUGINS.names("house"))
def test_every_shipped_house_is_valid(name: str) -> None:
    """U48: the schema takes what the loader takes."""
    assert SCHEMA.is_valid(tomllib.loads(PLUGINS.house(name).text))


@pytest.mark.parametrize(
    "text",
    [
        "[shoe]\nburn = -3",
        "[shoe]\npacks = 0",
        "[deal]\nrefait_on = [41]",
        '[refait]\nrule = "prison"\nlevels = 0',
        "[refait]\nlevels = 0",
        '[house]\nname = "My Casino"',
        '[house]\nextends = "france2007"',
        '[refait]\nrule = "prison"\nreturned = "1/2"',
        '[refait]\nrule = "half-loss"\nlevels = 2',
        '[limits]\nrule = "fixed"\ntables = []',
        '[insurance]\nrule = "none"\nrate = "1/100"',
        '[money]\nunit = "0.00"',
        "[limits.per_chance.rouge]\nminimun = 5",
        '[refait.on.31]\nrule = "prision"',
        '[refait.on.41]\nrule = "prison"',
    ],
)
def test_what_the_finding_planted_is_refused(text: str) -> None:
    """U48: bounds, patterns, names of houses, and the keys of the rule that is chosen alone."""
    assert not SCHEMA.is_valid(tomllib.loads(text))


@pytest.mark.parametrize(
    "text",
    [
        '[house]\nextends = "./mine.toml"',
        '[house]\nextends = "folder/mine"',
        '[house]\nextends = "campione"',
        '[house]\nname = "maison-d-été"',
        "[refait]\nlevels = 2",
        '[refait.on]\n31 = "none"',
        '[shoe]\nmarker = "none"',
        '[limits]\nmaximum = "none"\nminimum = "at-opening"',
    ],
)
def test_files_and_parts_of_a_child_are_taken(text: str) -> None:
    """A child names a file, or a key of the rule that it inherits."""
    assert SCHEMA.is_valid(tomllib.loads(text))


def test_an_editor_is_told_one_thing_of_each_fault() -> None:
    """U48: no "not valid under any of the schemas" where one key is wrong."""
    text = """
[shoe]
burn = -3
marker = { from_end = 5, placed_by = "dealer" }
[deal]
refait_on = [41]
[limits]
minimum = -5
"""
    faults = [*SCHEMA.iter_errors(tomllib.loads(text))]
    assert sorted(".".join(map(str, each.absolute_path)) for each in faults) == [
        "deal.refait_on.0",
        "limits.minimum",
        "shoe.burn",
        "shoe.marker.placed_by",
    ]


def test_the_schema_has_its_address_and_every_key_its_words() -> None:
    """U48: ``$id``, and a description of each key."""
    schema = house_schema(PLUGINS)
    assert schema["$id"] == ADDRESS
    for name, table in schema["properties"].items():
        assert table["description"], name
        for key, value in table.get("properties", {}).items():
            assert value.get("description") or "anyOf" in value, (name, key)


def test_the_schema_is_written_to_a_file(tmp_path: Any) -> None:
    """U48: ``trente schema --out FILE`` is the way offline."""
    file = tmp_path / "house.schema.json"
    ran = trente("schema", "--out", file)
    assert (ran.status, ran.out) == (0, "")
    assert json.loads(file.read_text("utf-8")) == trente("schema").json
    ran = trente("schema", "--typescript", "--out", tmp_path / "trente.ts")
    assert (ran.status, ran.out) == (0, "")
    assert "export" in (tmp_path / "trente.ts").read_text("utf-8")


@pytest.mark.parametrize("whole", [(), ("--whole",)])
def test_written_files_name_the_schema(whole: tuple[str, ...], tmp_path: Any) -> None:
    """U49, U42: ``#:schema`` is the first line, and the advice of the command works."""
    file = tmp_path / "mine.toml"
    trente("new", file, "--from", "campione", *whole)
    text = file.read_text("utf-8")
    assert text.startswith(f"#:schema {ADDRESS}\n")
    assert SCHEMA.is_valid(tomllib.loads(text))
    shown = trente("show", "campione", "--format", "toml").out
    assert shown.startswith(f"#:schema {ADDRESS}\n")


def test_the_advice_of_new_works_without_a_suffix(
    tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """U42: ``trente compare zz`` looked for a shipped house."""
    monkeypatch.chdir(tmp_path)
    ran = trente("new", "zz", "--from", "campione")
    assert ran.out == "wrote zz. Next: trente check ./zz, trente compare ./zz\n"
    assert trente("check", "./zz").status == trente("compare", "./zz").status == 0


def test_a_key_of_several_rules_has_what_each_of_them_says() -> None:
    """U48: before the rule is named, an editor shows the meaning of the key in each rule."""
    bets = WRITTEN["properties"]["side_bets"]["items"]
    both = bets["properties"]["point"]["anyOf"]
    assert [(each["description"], each["default"]) for each in both] == [
        ("The point both rows must end on.", 31),
        ("The point that the row must end on.", 40),
    ]
    assert bets["properties"]["odds"]["description"] == (
        "What a win pays for each unit staked, the stake itself apart."
    )


def test_the_schema_says_what_it_is_of() -> None:
    """U48: editors and catalogues of schemas show its name and what it leaves open."""
    head = {name: said for name, said in WRITTEN.items() if isinstance(said, str | bool)}
    assert head == {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "$id": ADDRESS,
        "title": "A house of trente et quarante",
        "description": "Every key is optional here, since a house may extend another.",
        "type": "object",
        "additionalProperties": False,
    }
