"""D15 a), C13, U39: a fault of several keys is placed in the file being written."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from pathlib import Path
from types import FrameType
from typing import Any, Final

import pytest
import tomli_w

import trente_rules
from trente_rules import ConfigurationError, Fault, loads_house
from trente_rules.core import keys
from trente_rules.core.errors import RuleError

MAKERS: Final = ("RuleError", "Problem")
FIRST_LINE: Final = 4
"""The line of a file on which its own keys begin."""
CORE: Final = Path(trente_rules.__file__).parent / "core"
HALF: Final = '[refait]\nrule = "half-loss"'
PRISON: Final = '[refait]\nrule = "prison"'
MACHINE: Final = """[deal]
refait_on = [31, 40]
[refait]
rule = "custom"
[refait.machine.free]
refait = [{ course = "lost" }]
refait-40 = [{ course = "half", returned = "1/2" }]"""
RATE: Final = '[insurance]\nrule = "rate"'

LASTING: Final = 'lasts = "until-decided"\ncovers = ["free", "prison", "prison-2"]'

HELD: Final = """[refait]
rule = "custom"
[refait.machine.free]
refait = [{ course = "in", staying = "1", state = "prison" }]
refait-40 = [{ course = "in", staying = "1", state = "prison" }]
[refait.machine.prison]
close = [{ course = "closed", returned = "1" }]
refait = [{ course = "out", returned = "1" }]
refait-40 = [{ course = "stays", staying = "1", state = "prison" }]
"""
STAYS: Final = """win = [{ course = "stays", staying = "1", state = "prison" }]
lose = [{ course = "stays", staying = "1", state = "prison" }]
"""
TWO_TIES: Final = "[deal]\nrefait_on = [31, 40]\n"

SHIPPED: Final = [
    ("germany-500", "[refait]\nlevels = 2", 5, 'write close = ["1/2", "1/4"]'),
    ("france-2007", "[refait]\nlevels = 2", 5, 'write close = ["1/2", "1/4"]'),
    ("spain-1979", "[refait]\npartage = []", 5, 'write partage_not_below = "none"'),
    ("spain-1979", "[shoe.marker]\nfrom_end = 0", 5, "write count_talon = false in [shoe]"),
    ("france-2007", '[shoe]\nmarker = "none"', 5, "write count_talon = false"),
    ("monte-carlo-1911", "[money]\nunit = 10", 5, "write minimum_premium = 10 in [insurance]"),
    ("venezia-online", "[money]\nunit = 2", 5, "write tables = [{minimum = "),
    ("italy-half-loss", '[settlement]\norder = "as-placed"', 5, 'write collect_from = "nearest"'),
    ("italy-half-loss", '[settlement]\norder = "as-placed"', 5, 'write pay_from = "nearest"'),
    (
        "france-2007",
        '[deal]\nchances = ["rouge", "noir"]',
        5,
        'write pay = ["noir", "rouge"] in [settlement]',
    ),
]
"""A house, the lines of its child, the line of the fault, and the beginning of the hint."""

PAIRS: Final = [
    ("[shoe]\nburn = 1\nburn_shown = true", "[shoe]\nburn = 0"),
    ("[shoe]\nburn = 1", '[shoe]\nshuffled = "every-coup"'),
    ('[shoe]\nends = "no-coup"', "[shoe.marker]\nfrom_end = 5"),
    ('[shoe]\nburn = 40\nends = "no-coup"', "[shoe]\npacks = 1"),
    ('[deal]\nfirst_row = "cut"', '[shoe]\nshuffled = "every-coup"'),
    (f'{PRISON}\nlevels = 2\nagain = "quarter-lost"', "[refait]\nlevels = 1"),
    (f'{PRISON}\nlevels = 2\nrelease = "one-out"', "[refait]\nlevels = 1"),
    (f'{PRISON}\npartage = ["1/2"]\ndefault = "partage"', '[refait]\npartage = ["0"]'),
    (
        f'{PRISON}\npartage = ["1/2"]\npartage_not_below = "minimum"',
        "[refait]\npartage = []",
    ),
    (
        f'{PRISON}\npartage = ["1/2", "1/4"]\npartage_not_below = ["none", "minimum"]',
        '[refait]\npartage = ["1/2"]',
    ),
    (
        "[shoe]\ncount_talon = true\nmarker = { from_end = [0, 20] }",
        "[shoe.marker]\nfrom_end = [0, 0]",
    ),
    ('[deal]\ncouleur = "first-of-winning-row"', '[deal]\nchances = ["noir"]'),
    ('[[chances]]\nid = "rouge"\nodds = "2"', '[deal]\nchances = ["noir"]'),
    (
        '[deal]\nrefait_on = [31, 40]\n[refait.on.40]\nrule = "all-lose"',
        "[deal]\nrefait_on = [31]",
    ),
    ("", "[deal]\nrefait_on = []"),
    ('[deal]\nrefait_on = []\n[refait]\nrule = "none"', "[deal]\nrefait_on = [31]"),
    (f'{PRISON}\ntie = "frees"', '[deal]\nrefait_on = "any"'),
    (f'{PRISON}\n[shoe]\nprisoners_at_end = "close"', HALF),
    (RATE, '[deal]\nrefait_on = []\n[refait]\nrule = "none"'),
    (f'{RATE}\npremium_on.apres = "returned"', '[deal]\nrefait_on = "any"'),
    (f'{RATE}\nwithout_proof = "refused"', "[insurance]\nprepaid = false"),
    (f'{RATE}\nlasts = "until-decided"', '[deal]\nrefait_on = "any"'),
    (f'{RATE}\npremium_on.apres = "returned"', '[insurance]\nlasts = "until-decided"'),
    (
        f'{PRISON}\nlevels = 2\nrelease = "one-out"\n{RATE}\n{LASTING}',
        '[insurance]\ncovers = ["free", "prison-2"]',
    ),
    (f"{PRISON}\n{RATE}\nminimum_stake = 5", '[insurance]\ncovers = ["prison"]'),
    (f'{PRISON}\n{RATE}\nminimum_stake = "at-opening"', '[insurance]\ncovers = ["prison"]'),
    (f"{PRISON}\n{RATE}\nmultiple = 5", '[insurance]\ncovers = ["prison"]'),
    (
        "[limits.per_chance.rouge]\nmaximum = 50",
        '[limits.per_chance.rouge]\nmaximum = "none"',
    ),
    ("[limits.per_chance.rouge]\nmaximum = 50", '[deal]\nchances = ["noir"]'),
    (f"{PRISON}\n[limits]\nmove_prisoners = true", HALF),
    ("[limits]\nboth_sides = false", '[deal]\nchances = ["noir", "couleur"]'),
    ('[settlement]\npay = ["rouge", "noir"]', '[settlement]\norder = "as-placed"'),
    ('[settlement]\npay = ["rouge", "noir"]', '[settlement]\norder = "by-position"'),
    ("[limits]\nmaximum_win = 500", "[limits]\nmaximum = 100"),
    ("[limits]\naggregate_maximum = 500", "[limits]\ntable_maximum = 400"),
    ("[limits]\ndifferential_maximum = 500", "[limits]\naggregate_maximum = 400"),
    ("[limits]\ndifferential_maximum = 500", '[deal]\nchances = ["noir", "couleur"]'),
    ("[limits]\ntable_maximum = 500", "[limits]\nminimum = 600"),
    ("[limits]\nmost_stakes = 5", "[limits]\ntable_most_stakes = 4"),
    ("[limits]\ntable_most_stakes = 90", "[limits]\ntable_maximum = 90"),
    ('[settlement]\ncollect_from = "left"', '[settlement]\norder = "as-placed"'),
    ('[settlement]\npay_from = "farthest"', '[settlement]\norder = "as-placed"'),
    (f'{PRISON}\nlevels = 2\nclose = ["1/3", "1/9"]', "[refait]\nlevels = 4"),
    (f'{PRISON}\nlevels = 2\npartage = ["1/2", "1/3", "1/4"]', "[refait]\nlevels = 1"),
    ("[shoe]\nmarker.from_end = 50", "[shoe]\npacks = 1\nburn = 2"),
    ("[shoe]\nmarker.from_end = [20, 50]", "[shoe]\npacks = 1\nburn = 2"),
    (f'{PRISON}\n{RATE}\ncovers = ["prison"]', HALF),
    (f'{PRISON}\nlevels = 2\n{RATE}\ncovers = ["free", "prison-2"]', "[refait]\nlevels = 1"),
    ("[limits]\nminimum = 10\nmaximum = 100", "[limits]\nminimum = 500"),
    ("[limits]\nminimum = 10\nmaximum_multiple = 100", "[limits]\nminimum = 0"),
    ("[limits.per_chance.noir]\nmaximum = 100", "[limits]\nminimum = 500"),
    ("[limits]\nminimum = 20\nstep = 30\nmaximum = 100", "[limits]\nmaximum = 25"),
    ("", "[money]\nunit = 5"),
    ("[limits]\nmaximum = 12\nminimum = 4", "[money]\nunit = 4\n[limits]\nmaximum = 13"),
    (
        '[limits]\nrule = "tables"\ntables = [{ minimum = 5, maximum = 10 }]',
        "[money]\nunit = 4",
    ),
    (
        '[insurance]\nrule = "per-started"\npremium = 5\nper_started = 100',
        "[insurance]\nper_started = 2",
    ),
    (
        '[[chances]]\nid = "rouge"\nodds = "2"\n[[chances]]\nid = "noir"\nodds = "3"',
        '[deal]\nchances = ["noir"]',
    ),
    (
        '[deal]\nrefait_on = [31, 32]\n[[chances]]\nid = "rouge"\nrefait_on = []',
        '[deal]\nchances = ["rouge"]\n[refait]\nrule = "none"',
    ),
    ('[deal]\nrefait_on = [31, 40]\n[refait.on.40]\nrule = "all-lose"', "[deal]\nrefait_on = [31]"),
    (
        MACHINE,
        "[deal]\nrefait_on = [31]",
    ),
    (
        MACHINE,
        '[refait.on.40]\nrule = "all-lose"',
    ),
    (
        "[limits.per_chance.noir]\nmaximum_win = 3",
        "[limits.per_chance.noir]\nminimum = 5",
    ),
    ("[limits]\nmaximum_win = 3", "[limits]\nminimum = 5"),
    ("[limits]\naggregate_maximum = 30", "[limits]\nminimum = 50"),
    ("[limits]\ndifferential_maximum = 30", "[limits]\nminimum = 50"),
    ("[limits]\ntable_maximum = 30", "[limits]\nminimum = 50"),
    ("[limits]\naggregate_maximum = 300", "[limits]\ntable_maximum = 200"),
    ("[limits]\ndifferential_maximum = 300", "[limits]\naggregate_maximum = 200"),
    ("[limits]\ndifferential_maximum = 300", "[limits]\ntable_maximum = 200"),
    ("[limits]\ndifferential_maximum = 300", '[deal]\nchances = ["noir"]'),
    ("[limits]\nmaximum_win = 300", "[limits]\nmaximum = 200"),
    (f'{RATE}\ncovers = ["prison"]\n{TWO_TIES}{HELD}', f"[refait.machine.prison]\n{STAYS}"),
    (
        f'{TWO_TIES}{PRISON}\n[refait.on.40]\nrule = "prison"\nlevels = 2\nclose = ["1/3", "1/5"]',
        "[refait]\nlevels = 2",
    ),
]
"""The keys of a parent, which are right, and of a child with which they are not."""


ALONE: Final = {
    "the table has no other key",
    "nothing is won",
    "it names no outcome",
    "no win is left that meets it",
    "no coup meets it",
    "it names no condition, so every coup meets it",
}
"""Why keys cannot act that are all in one table of a list: a child writes lists whole."""


NOIR_FIRST: Final = """[[side_bets]]
id = "x"
odds = 1
wins_on = "outcome"
on = [{ winner = "noir", first = [31] }]"""
PLACED: Final = [
    (NOIR_FIRST, '[deal]\nfirst_row = "cut"'),
    (f'{TWO_TIES}[refait.on.40]\nrule = "all-lose"', "[deal]\nrefait_on = [40]"),
    (f"{TWO_TIES}{HELD}{STAYS}", '[[chances]]\nid = "rouge"\nrefait_on = [40]'),
    (f"{TWO_TIES}{HELD}", "[refait.machine.prison]\nrefait = []"),
]
"""Parents and children whose faults have several remedies: the hint names none of them."""

OF_ONE_KEY: Final = {
    "rule-fails": "a plugin's rule raised something of its own",
    "bad-limits": "a plugin's limits",
    "bad-insurance": "a plugin's table",
    "bad-marker": "the place of the marker at a table, not in a house",
    "same-minimum": "the tables are one list, which a child writes whole",
    "double-chance": "the members of one list",
    "two-maxima": "a child's kind of maximum takes the place of its parent's",
}
"""Codes of the checks that no inherited key can meet, and why."""


def house_text(name: str, parent: str, lines: str) -> str:
    """Return a house file whose own keys begin at line 4."""
    own = "" if "[refait]" in lines else HALF
    return f'[house]\nname = "{name}"\n' + (
        f'extends = "{parent}"\n{lines}' if parent else f"\n{lines}\n{own}"
    )


def faults(text: str, folder: Path | None = None) -> tuple[Fault, ...]:
    """Return the faults of a house file, none if it is right."""
    try:
        loads_house(text, folder=folder, origin="child")
    except ConfigurationError as error:
        return error.faults
    return ()


def without(table: dict[str, Any], steps: list[str]) -> dict[str, Any]:
    """Return a table without a key."""
    name, *rest = steps
    inner = {name: without(table[name], rest)} if rest else {}
    return {key: value for key, value in table.items() if key != name} | inner


def followed(text: str, fault: Fault) -> str:
    """Return a text in which the hint of a fault was followed to the letter."""
    if fault.hint == f"leave {fault.key} out":
        return tomli_w.dumps(without(tomllib.loads(text), fault.key.split(".")))
    found = re.fullmatch(r"write ([\w-]+) = (.*?)(?: in \[([\w.-]+)\]| at the (top))?", fault.hint)
    assert found, str(fault)
    name, value, *where = found.groups()
    table = "".join(filter(None, where))
    document = tomllib.loads(text)
    inner: dict[str, Any] = document
    for step in (table or fault.key.rpartition(".")[0]).split("."):
        inner = inner.setdefault(step, {}) if table != "top" else document
    inner[name] = tomllib.loads(f"x = {value}")["x"]
    return tomli_w.dumps(document)


@pytest.mark.parametrize(("parent", "lines", "line", "hint"), SHIPPED)
def test_a_fault_with_a_shipped_house_is_placed_in_the_child(
    parent: str, lines: str, line: int, hint: str
) -> None:
    """C13: the child's line that causes it, and what to write in the child."""
    text = house_text("mine", parent, lines)
    found = faults(text)
    assert {(fault.file, fault.line) for fault in found} == {("child", line)}
    assert any(fault.hint.startswith(hint) for fault in found), [str(fault) for fault in found]
    assert all(f"is inherited from {parent}" in fault.message for fault in found)


@pytest.fixture(params=PAIRS, ids=lambda pair: pair[1].splitlines()[-1])
def pair(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[str, Path]:
    """Return the text of a child, and the folder in which its parent lies, which is right."""
    parent, child = request.param
    text = house_text("parent", "", parent)
    assert faults(text) == ()
    (tmp_path / "parent.toml").write_text(text)
    return house_text("mine", "./parent.toml", child), tmp_path


def test_each_fault_is_at_a_key_of_the_child(pair: tuple[str, Path]) -> None:
    """D15 a): whatever keys take part, the line is one that the child writes."""
    text, folder = pair
    found = faults(text, folder)
    assert found
    for fault in found:
        assert fault.file == "child"
        assert fault.line is not None
        name = fault.key.rpartition(".")[2]
        line = text.splitlines()[fault.line - 1]
        # A table that the child begins is the cause where its keys alone are not.
        assert name in line or line == "[shoe.marker]", str(fault)


def test_the_hint_is_what_to_write_and_then_the_fault_is_gone(pair: tuple[str, Path]) -> None:
    """D15 a): followed to the letter, one hint after the other, the house is right."""
    text, folder = pair
    for _ in range(4):
        found = faults(text, folder)
        if not found:
            break
        text = followed(text, found[0])
        gone = (found[0].key, found[0].message)
        assert gone not in {(fault.key, fault.message) for fault in faults(text, folder)}
    assert faults(text, folder) == ()


@pytest.mark.parametrize(("parent", "child"), PLACED)
def test_a_fault_with_several_remedies_is_at_a_key_of_the_child(
    parent: str, child: str, tmp_path: Path
) -> None:
    """D15 a): machines that hold a stake for ever: the child's line that closes the door."""
    (tmp_path / "parent.toml").write_text(house_text("parent", "", parent))
    assert faults((tmp_path / "parent.toml").read_text()) == ()
    found = faults(house_text("mine", "./parent.toml", child), tmp_path)
    assert found
    assert {fault.file for fault in found} == {"child"}
    assert all((fault.line or 0) >= FIRST_LINE for fault in found), [str(each) for each in found]


def test_every_check_across_keys_has_an_inherited_case(tmp_path: Path) -> None:
    """D15 a), the whole kind: each code of the checks is met above, or no child can meet it."""
    written: set[str] = set()
    for name in ("house/checks", "rules/refait", "rules/limits", "rules/insurance", "shoe"):
        for node in ast.walk(ast.parse((CORE / f"{name}.py").read_text("utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") in MAKERS:
                values = {str(each.value) for each in node.args if isinstance(each, ast.Constant)}
                written |= {value for value in values if re.fullmatch(r"[a-z]+(-[a-z]+)+", value)}
    met: set[str] = set()
    for parent, child in (*PAIRS, *PLACED):
        (tmp_path / "parent.toml").write_text(house_text("parent", "", parent))
        text = house_text("mine", "./parent.toml", child)
        met |= {fault.code for fault in faults(text, tmp_path) if fault.file == "child"}
    assert written - met == set(OF_ONE_KEY)
    assert len(met) >= 12


@pytest.mark.parametrize(("parent", "lines", "line", "hint"), SHIPPED)
def test_the_hint_of_a_shipped_parent_can_be_followed(
    parent: str, lines: str, line: int, hint: str
) -> None:
    """C13: each row, until no fault is left."""
    del line, hint
    text = house_text("mine", parent, lines)
    for _ in range(4):
        if found := faults(text):
            text = followed(text, found[0])
    assert faults(text) == ()


def sites() -> set[tuple[str, int]]:
    """Return every place in the core that says that a key cannot act, by file and last line."""
    found = set()
    for path in CORE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Name)
                and node.func.id in ("cannot_act_error", "_idle")
                and {each.value for each in node.args if isinstance(each, ast.Constant)}.isdisjoint(
                    ALONE
                )
                and not any(isinstance(each, ast.Name) and each.id == "named" for each in node.args)
            ):
                found.add((path.name, node.end_lineno or 0))
    return found


def test_every_key_that_cannot_act_has_an_inherited_case(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """D15 a): a check that is added without a pair above fails here."""
    met: set[tuple[str, int]] = set()
    ends = sites()
    assert len(ends) >= 16

    class WatchedError(RuleError):
        """A rule error that remembers which line said that a key cannot act."""

        def __init__(self, *args: Any) -> None:
            super().__init__(*args)
            frame: FrameType | None = sys._getframe(2)
            while frame is not None and frame.f_code.co_name == "_idle":
                frame = frame.f_back
            assert frame is not None
            file, line = Path(frame.f_code.co_filename).name, frame.f_lineno
            met.add(min(end for end in ends if end[0] == file and end[1] >= line))

    monkeypatch.setattr(keys, "RuleError", WatchedError)
    for parent, child in PAIRS:
        (tmp_path / "parent.toml").write_text(house_text("parent", "", parent))
        faults(house_text("mine", "./parent.toml", child), tmp_path)
    assert ends - met == set()


DEEP: Final = """\
[house]
name = "deep"

[[chances]]
id = "rouge"
oods = "2"

[[chances]]
id = "noir"
commission = "3/2"
refait_on = [31, 41]

[[chances]]
commission = "1/20"

[refait]
rule = "half-loss"

[refait.on.40]
rule = "prison"
levels = 0
partage = ["1/2", "x"]

[refait.on.99]
rule = "all-lose"

[refait.machine.free]
refait = []

[[side_bets]]
id = "s"
odds = "2"
wins_on = "outcome"
on = [{ first = [31, 77], tie = "yes" }, { secnd = [31] }]
pushes_on = [
    { winner = "noire" },
    { either = [31, 31] }, # twice
    5,
]

    [[side_bets.pays]]
    odds = "8"
    tie = true

    [[side_bets.pays]]
    odds = 8.5
    first = [
        40, "x",
    ]

[limits]
per_chance = { rouge = { maximum = "x" }, noir = 5, couleur = { "maximun" = 3 } }
"""

DEEP_PLACES: Final = [
    (6, 1, "chances.0.oods", "unknown-key"),
    (10, 14, "chances.1.commission", "out-of-range"),
    (11, 13, "chances.1.refait_on", "out-of-range"),
    (13, 1, "chances.2.id", "missing-key"),
    (21, 10, "refait.on.40.levels", "out-of-range"),
    (22, 19, "refait.on.40.partage.1", "bad-fraction"),
    (24, 12, "refait.on.99", "unknown-key"),
    (27, 9, "refait.machine", "unknown-key"),
    (34, 17, "side_bets.0.on.0.first", "out-of-range"),
    (34, 33, "side_bets.0.on.0.tie", "wrong-type"),
    (34, 44, "side_bets.0.on.1.secnd", "unknown-key"),
    (36, 16, "side_bets.0.pushes_on.0.winner", "bad-choice"),
    (37, 16, "side_bets.0.pushes_on.1.either", "out-of-range"),
    (38, 5, "side_bets.0.pushes_on.2", "wrong-type"),
    (46, 12, "side_bets.0.pays.1.odds", "wrong-type"),
    (48, 13, "side_bets.0.pays.1.first.1", "wrong-type"),
    (52, 36, "limits.per_chance.rouge.maximum", "bad-amount"),
    (52, 50, "limits.per_chance.noir", "wrong-type"),
    (52, 65, "limits.per_chance.couleur.maximun", "unknown-key"),
]


def test_faults_three_levels_deep_are_placed_to_the_character() -> None:
    """Lists of tables, tables in lists in tables, tables by point: line and column of each."""
    found = [(fault.line, fault.column, fault.key, fault.code) for fault in faults(DEEP)]
    assert found == DEEP_PLACES


def test_faults_across_keys_in_lists_of_tables_are_placed(tmp_path: Path) -> None:
    """The third condition, the second chance: not the first, not the header of the list."""
    text = """\
[house]
name = "deep"
[refait]
rule = "half-loss"
[[chances]]
id = "rouge"
odds = "2"
[[chances]]
id = "noir"
[[side_bets]]
id = "s"
odds = "2"
wins_on = "any-tie"
pushes_on = [{ tie = true, first = [32] },
    { tie = true, winner = "noir" }]
pays = [{ first = [40], odds = "9" }, { first = [40], odds = "8" }]
"""
    places = [(fault.line, fault.column, fault.key) for fault in faults(text, tmp_path)]
    assert places == [
        (9, 6, "chances.1.id"),
        (15, 5, "side_bets.0.pushes_on.1"),
        (16, 39, "side_bets.0.pays.1"),
    ]


def chained(folder: Path, *houses: str) -> Fault:
    """Return the one fault of a chain of files, the oldest first."""
    parent = ""
    for number, lines in enumerate(houses):
        file = folder / f"{number}.toml"
        file.write_text(house_text(f"h{number}", parent, lines))
        parent = f"./{file.name}"
    with pytest.raises(ConfigurationError) as caught:
        trente_rules.load_house(folder / f"{len(houses) - 1}.toml")
    (fault,) = caught.value.faults
    return fault


LEVELS: Final = f'{PRISON}\nlevels = 2\nclose = ["1/2", "1/4"]'


@pytest.mark.parametrize(
    ("houses", "file", "line"),
    [
        ((LEVELS, "[shoe]\npacks = 4", "[refait]\nlevels = 3"), "2.toml", 5),
        ((LEVELS, "[refait]\nlevels = 3", "[shoe]\npacks = 4"), "1.toml", 5),
        ((LEVELS, '[refait]\nclose = ["1/2"]\nlevels = 1', "[refait]\nlevels = 2"), "2.toml", 5),
        ((f'{PRISON}\nlevels = 3\nclose = ["1/2"]', "[shoe]\npacks = 4"), "0.toml", 7),
        ((f'{PRISON}\nlevels = 3\nclose = ["1/2"]', "[refait]\nlevels = 2"), "0.toml", 7),
        ((PRISON, "[refait]\nlevels = 2", '[refait]\nclose = ["1/2"]'), "2.toml", 5),
    ],
)
def test_in_a_chain_of_three_the_document_that_causes_it_is_named(
    tmp_path: Path, houses: tuple[str, ...], file: str, line: int
) -> None:
    """C13: the youngest document without which the fault would not be there."""
    fault = chained(tmp_path, *houses)
    assert (Path(fault.file).name, fault.line) == (file, line)


def test_the_parent_of_a_key_is_named_as_the_chain_names_it(tmp_path: Path) -> None:
    """The one who wrote it, not the one between; and the fault has the key of its place."""
    fault = chained(tmp_path, LEVELS, "[shoe]\npacks = 4", "[refait]\nlevels = 1")
    assert fault.key == "refait.levels"
    assert fault.message == (
        "close has 2 shares for 1 prison; refait.close is inherited from ./0.toml"
    )
    assert fault.hint == 'write close = ["1/2"]'


def test_a_key_of_the_same_file_is_left_out_and_an_inherited_one_written() -> None:
    """D15 a): "leave it out" is right where the file itself writes the key, and only there."""
    alone = '[house]\nname = "x"\n[refait]\nrule = "half-loss"\n[shoe]\ncount_talon = true'
    (fault,) = faults(alone)
    assert (fault.line, fault.hint) == (6, "leave count_talon out")
    again = (
        '[house]\nname = "x"\nextends = "spain-1979"\n[shoe]\nmarker = "none"\ncount_talon = true'
    )
    (fault,) = faults(again)
    assert (fault.line, fault.hint) == (6, "write count_talon = false")


def test_two_keys_that_each_cause_it_are_found_together(tmp_path: Path) -> None:
    """Neither alone takes the fault away."""
    (tmp_path / "parent.toml").write_text(
        house_text("p", "", "[limits]\nminimum = 10\nmaximum = 99")
    )
    child = house_text("c", "./parent.toml", "[money]\nunit = 3\n[limits]\nminimum = 300")
    assert {(fault.file, fault.line is not None) for fault in faults(child, tmp_path)} == {
        ("child", True)
    }


@pytest.mark.parametrize(
    ("parent", "lines", "line", "key"),
    [
        (
            PRISON,
            """[refait]
rule = "custom"
[refait.machine.free]
refait = [{ course = "in", staying = "1", state = "jail" }]
[refait.machine.jail]
win = [{ course = "out", returned = "1" }]
refait = [{ course = "deeper", staying = "1", state = "jail2" }]
[refait.machine.jail2]
refait = [{ course = "lost" }]
close = [{ course = "closed", returned = "1/4" }]""",
            8,
            "refait.machine.jail.close",
        ),
        (
            f'{TWO_TIES}{PRISON}\nclose = ["1/3"]',
            '[refait]\nlevels = 2\n[refait.on.40]\nrule = "all-lose"',
            5,
            "refait.levels",
        ),
    ],
)
def test_a_fault_is_placed_at_its_own_table(
    tmp_path: Path, parent: str, lines: str, line: int, key: str
) -> None:
    """D15 a): at the state that lacks a course, and at the one key without which it is gone."""
    (tmp_path / "parent.toml").write_text(house_text("parent", "", parent))
    found = faults(house_text("mine", "./parent.toml", lines), tmp_path)
    assert [(fault.line, fault.key) for fault in found] == [(line, key)]


UNLIKE_TIES: Final = """[deal]
refait_on = [31]
[refait]
rule = "custom"
[refait.machine.free]
refait = [{ course = "in", staying = "1", state = "cell" }]
refait-40 = [{ course = "in", staying = "1", state = "cell" }]
[refait.machine.cell]
close = [{ course = "closed", returned = "1" }]
refait = [{ course = "out", returned = "1" }]
refait-40 = [{ course = "out", returned = "1" }]
win = [{ course = "won", returned = "1" }]
lose = [{ course = "lost" }]
[insurance]
rule = "rate"
covers = ["free", "cell"]
"""


@pytest.mark.parametrize("inherited", [False, True])
def test_states_of_a_machine_at_fault_are_known(inherited: bool, tmp_path: Path) -> None:  # noqa: FBT001
    """D15 a): a machine at fault is replaced in the search for more; its states are not denied."""
    text = f'[house]\nname = "one"\nextends = "italy-prison"\n{UNLIKE_TIES}'
    if inherited:
        whole = text.replace("[31]", "[31, 40]")
        (tmp_path / "parent.toml").write_text(whole, encoding="utf-8")
        text = '[house]\nname = "two"\nextends = "./parent.toml"\n[deal]\nrefait_on = [31]\n'
    found = faults(text, tmp_path)
    assert {fault.code for fault in found} == {"key-cannot-act"}
    assert len(found) == 2  # refait-40 of both states


def test_a_member_that_is_right_elsewhere_stays_in_its_list(tmp_path: Path) -> None:
    """D15 a): only a member that can do nothing in the child is left out of the list."""
    bet = '[[side_bets]]\nid = "s"\nodds = "2"\nwins_on = "outcome"\n'
    first = f'{bet}on = [{{ winner = "noir", first = [31] }}]'
    fault = chained(tmp_path, f"{HALF}\n{first}", '[deal]\nfirst_row = "cut"')
    assert (fault.line, fault.key, fault.code) == (5, "deal.first_row", "odds-by-cut")
    assert fault.hint == (
        "leave the winner out of its conditions, or name the colour of the first row"
    )


def test_what_several_keys_of_a_child_make_useless_is_no_fault_of_its_parent(
    tmp_path: Path,
) -> None:
    """D15: a machine burns no card and has no marker; its parent is right to name them."""
    keys_of_shoe = "burn = 1\nburn_shown = true\nmarker = { from_end = 17 }\ncount_talon = true"
    parent = house_text("parent", "france-2007", f'[shoe]\n{keys_of_shoe}\nends = "last-card"')
    (tmp_path / "parent.toml").write_text(parent, "utf-8")
    loads_house(parent)
    found = faults(
        house_text("child", "./parent.toml", '[shoe]\nshuffled = "every-coup"'), tmp_path
    )
    useless = [fault.message.split(" cannot act")[0] for fault in found]
    assert {"burn", "marker"} <= set(useless)
    assert {fault.line for fault in found} == {FIRST_LINE + 1}
