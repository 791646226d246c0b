"""Where the keys of a TOML document stand, and how faults are told."""

from __future__ import annotations

import random
import subprocess
import sys
import tomllib
from datetime import date
from pathlib import Path
from typing import Any

import pytest
import tomli_w
from attrs import define, field
from hypothesis import example, given
from hypothesis import strategies as st

from trente_rules.core.errors import ConfigurationError, Fault, shown
from trente_rules.core.names import nearest
from trente_rules.core.toml import MOST_FAULTS, Document, Places, _index, faults_error, parse

Path_ = tuple[str | int, ...]

HOUSE = """\
# a house
[house]
name = "my-casino"

[shoe]
packs = 6
  marker = { from_end = [20, 40], on_marker = "finish" }

[refait.machine.prison]
refait = [{ course = "partage", returned = "1/4" }, { staying = "1/2", state = "prison" }]

[refait]
rule = "custom"

[[side_bets]]
id = "any-apres"

[[side_bets]]
id = "forty"
odds = "8"
limits.minimum = 5

[side_bets.talon]
"a.b" = 1
'literal \\' = 2
"\\u00e9\\t" = 3
"""


def places(text: str) -> Places:
    """Return the places of a text."""
    return Places(Document("<text>", text))


@pytest.mark.parametrize(
    ("path", "key", "value"),
    [
        (("house",), (2, 2), (2, 1)),
        (("house", "name"), (3, 1), (3, 8)),
        (("shoe", "marker"), (7, 3), (7, 12)),
        (("shoe", "marker", "from_end"), (7, 14), (7, 25)),
        (("shoe", "marker", "from_end", 1), (7, 30), (7, 30)),
        (("refait", "machine"), (9, 9), (9, 1)),
        (("refait", "machine", "prison", "refait", 0, "returned"), (10, 33), (10, 44)),
        (("refait", "machine", "prison", "refait", 1), (10, 53), (10, 53)),
        (("refait",), (12, 2), (12, 1)),
        (("side_bets",), (15, 3), (15, 1)),
        (("side_bets", 0), (15, 3), (15, 1)),
        (("side_bets", 1), (18, 3), (18, 1)),
        (("side_bets", 1, "odds"), (20, 1), (20, 8)),
        (("side_bets", 1, "limits"), (21, 1), (21, 1)),
        (("side_bets", 1, "limits", "minimum"), (21, 8), (21, 18)),
        (("side_bets", 1, "talon"), (23, 12), (23, 1)),
        (("side_bets", 1, "talon", "a.b"), (24, 1), (24, 9)),
        (("side_bets", 1, "talon", "literal \\"), (25, 1), (25, 15)),
        (("side_bets", 1, "talon", "é\t"), (26, 1), (26, 14)),
    ],
)
def test_a_key_and_its_value_are_found_in_every_way_of_writing(
    path: Path_, key: tuple[int, int], value: tuple[int, int]
) -> None:
    """Tables, arrays of tables, dotted keys, inline tables, arrays, quoted keys: all are placed."""
    assert places(HOUSE).place(path, "key") == key
    assert places(HOUSE).place(path, "value") == value


@pytest.mark.parametrize(
    ("path", "place"),
    [
        (("house", "title"), (2, 1)),
        (("shoe", "marker", "placed_by"), (7, 12)),
        (("shoe", "marker", "from_end", 2), (7, 25)),
        (("shoe", "packs", "each"), (6, 9)),
        (("side_bets", 0, "odds"), (15, 1)),
        (("side_bets", 7, "odds"), (15, 1)),
        (("side_bets", 1, "limits", "maximum"), (21, 1)),
        (("insurance", "rule"), (1, 1)),
        ((), (1, 1)),
    ],
)
def test_what_is_missing_is_placed_where_the_table_around_it_starts(
    path: Path_, place: tuple[int, int]
) -> None:
    """A path that leads to nothing answers the value of its last step that is there."""
    assert places(HOUSE).place(path, "value") == place
    assert places(HOUSE).place(path, "key") == place or path in {(), ("insurance", "rule")}


def test_an_empty_document_has_no_places() -> None:
    """None tells that no line can be named."""
    assert places("").place(("house", "name")) is None


@pytest.mark.parametrize(
    ("text", "path", "place"),
    [
        ("a = 1\r\n\r\nb = 2\r\n", ("b",), (3, 5)),
        ("\ta\t=\t1\n", ("a",), (1, 6)),
        ("'😀é' = { x = '😀', y = 2 } # 😀\n", ("😀é", "y"), (1, 23)),
        ('a = """\n😀\n""" # "\nb = 2\n', ("b",), (4, 5)),
        ("\ufeffa = 1\n", ("a",), (1, 5)),
        ("# \u2028 \u0085\na = 1", ("a",), (2, 5)),
        ("a = [ # [1, 2]\n  1, # ]\n\n  2,\n]\n", ("a", 1), (4, 3)),
        ("[t] # last line, no end", ("t",), (1, 1)),
        ("[ a . 'b' ]\n", ("a", "b"), (1, 1)),
        ("3.5 = 1\n", ("3", "5"), (1, 7)),
        ("true = 1979-05-27 07:32:00\nb = 1", ("b",), (2, 5)),
    ],
)
def test_columns_count_characters(text: str, path: Path_, place: tuple[int, int]) -> None:
    """One character, one column: whatever its bytes, after tabs, emoji, CRLF and a byte mark."""
    tomllib.loads(text.removeprefix("\ufeff"))
    assert places(text).place(path) == place


def test_a_comment_behind_a_value_is_not_the_value() -> None:
    """A line may say more than its key and value, and most lines of a real house do."""
    text = "a = 6 # packs\nb = { c = [1] } # d\n[t] # e\nf = 1 # g\n"
    assert places(text).place(("a",)) == (1, 5)
    assert places(text).place(("b", "c", 0)) == (2, 12)
    assert places(text).place(("t", "f")) == (4, 5)


def test_a_header_after_its_sub_tables_takes_the_place_of_the_implied_table() -> None:
    """The place of a table is its own header, wherever that stands."""
    text = "[a.b.c]\nx = 1\n[a.b]\ny = 2\n[a]\n[a.d]\n"
    assert places(text).place(("a",)) == (5, 1)
    assert places(text).place(("a", "b"), "key") == (3, 4)
    assert places(text).place(("a", "b", "c", "x"), "key") == (2, 1)
    assert places(text).place(("a", "d")) == (6, 1)


@define
class Writer:
    """Writes tables as TOML in ways that chance picks, and keeps where everything came to stand."""

    chance: random.Random
    text: str = ""
    places: dict[tuple[Path_, str], int] = field(factory=dict)
    implied: set[Path_] = field(factory=set)

    def mark(self, path: Path_, key: int, value: int, *, implied: bool = False) -> None:
        """Keep a place; one that is only implied gives way to a header of its own."""
        if (path, "key") in self.places and (implied or path not in self.implied):
            return
        self.places[path, "key"], self.places[path, "value"] = key, value
        (self.implied.add if implied else self.implied.discard)(path)

    def space(self) -> None:
        """Write spaces, or none."""
        self.text += self.chance.choice(["", "", " ", "\t ", "  "])

    def line_end(self) -> None:
        """End a line, with a comment or an empty line at times."""
        self.text += self.chance.choice(["\n", "\n", "\r\n", " # [é] = '😀\n", '\n\n  # "\n'])

    def name(self, name: str) -> None:
        """Write a key: bare where it can be, or in either quotes."""
        quotes = [tomli_w.dumps({f"{name}é": 0}).split(" = ")[0].replace('é"', '"')]
        if name and name.isascii() and name.replace("-", "").replace("_", "").isalnum():
            quotes.append(name)
        if name.isprintable() and "'" not in name:
            quotes.append(f"'{name}'")
        self.text += self.chance.choice(quotes)

    def dotted(self, path: Path_, names: list[str], start: int | None) -> int:
        """Write a dotted key; answer where its last part stands. What it implies is kept."""
        for step, name in enumerate(names[:-1]):
            here = len(self.text)
            self.mark(
                (*path, *names[: step + 1]), here, here if start is None else start, implied=True
            )
            self.name(name)
            self.space()
            self.text += "."
            self.space()
        here = len(self.text)
        self.name(names[-1])
        return here

    def value(self, path: Path_, value: Any) -> None:
        """Write a value, arrays over several lines at times."""
        if isinstance(value, dict):
            self.text += "{"
            for number, (name, inner) in enumerate(value.items()):
                self.text += "," if number else ""
                self.space()
                self.pair(path, [name], inner)
            self.space()
            self.text += "}"
        elif isinstance(value, list):
            self.text += "["
            for number, inner in enumerate(value):
                self.text += "," if number else ""
                self.chance.choice([self.space, self.line_end])()
                self.mark((*path, number), len(self.text), len(self.text))
                self.value((*path, number), inner)
            self.text += self.chance.choice(["", ",", ", # no more\n"]) if value else ""
            self.text += "]"
        elif isinstance(value, str) and "\r" not in value and self.chance.random() < 0.3:
            escaped = tomli_w.dumps({"k": value}).partition(" = ")[2].strip()[1:-1]
            self.text += f'"""\n{escaped}"""'
        else:
            self.text += tomli_w.dumps({"k": value}).partition(" = ")[2].strip()

    def pair(self, path: Path_, names: list[str], value: Any) -> None:
        """Write a key and its value; a table with one key at least may go into the key's dots."""
        if isinstance(value, dict) and value and self.chance.random() < 0.4:
            for number, (name, inner) in enumerate(value.items()):
                if number:
                    self.separate(path)
                self.pair(path, [*names, name], inner)
            return
        key = self.dotted(path, names, None)
        self.space()
        self.text += "="
        self.space()
        self.mark((*path, *names), key, len(self.text))
        self.value((*path, *names), value)

    def separate(self, path: Path_) -> None:
        """End a pair: with a comma inside braces, else with the line."""
        if self.braces(path):
            self.text += ", "
        else:
            self.line_end()

    def braces(self, path: Path_) -> bool:
        """Return whether a table is written in braces."""
        place = self.places.get((path, "value"))
        return place is not None and self.text[place] == "{"

    def table(self, path: Path_, written: list[str], table: dict[str, Any], *, own: bool) -> None:
        """Write a table: its own keys first, then those that get headers."""
        with_header = {
            name: value
            for name, value in table.items()
            if (isinstance(value, dict) or (value and is_tables(value)))
            and self.chance.random() < 0.7
        }
        body = {name: value for name, value in table.items() if name not in with_header}
        later = own and self.chance.random() < 0.3 and bool(with_header)
        implied = own and not body and bool(with_header) and self.chance.random() < 0.5
        if own and not later and not implied:
            self.header(path, written, "[")
        if not later:
            self.body(path, body)  # which is empty where the table is only implied
        for name, value in with_header.items():
            if isinstance(value, dict):
                self.table((*path, name), [*written, name], value, own=True)
                continue
            for number, element in enumerate(value):
                self.header((*path, name), [*written, name], "[[", number)
                self.table((*path, name, number), [*written, name], element, own=False)
        if later and not implied:
            self.header(path, written, "[")
            self.body(path, body)

    def body(self, path: Path_, body: dict[str, Any]) -> None:
        """Write the keys of a table, a line each."""
        for name, value in body.items():
            self.space()
            self.pair(path, [name], value)
            self.line_end()

    def header(self, path: Path_, written: list[str], bracket: str, number: int = -1) -> None:
        """Write a header; the path of the outer tables knows which element is meant."""
        start = len(self.text)
        self.text += bracket
        self.space()
        outer: list[str | int] = []
        steps = iter(path)
        key = start
        for place, name in enumerate(written):
            outer.append(next(steps))
            key = len(self.text)
            last = place == len(written) - 1
            self.mark(tuple(outer), key, start, implied=not last)
            while not last and len(outer) < len(path) and isinstance(path[len(outer)], int):
                outer.append(next(steps))
            self.name(name)
            self.space()
            self.text += "" if last else "."
        if number >= 0:
            self.mark((*path, number), key, start)
        self.text += bracket.replace("[", "]")
        self.line_end()


def is_tables(value: Any) -> bool:
    """Return whether a value is an array of tables."""
    return isinstance(value, list) and all(isinstance(member, dict) for member in value)


def paths(table: Any, path: Path_ = ()) -> list[tuple[Path_, Any]]:
    """Return every path of parsed tables with what it leads to."""
    found: list[tuple[Path_, Any]] = []
    inner = table.items() if isinstance(table, dict) else enumerate(table)
    for step, value in inner:
        found.append(((*path, step), value))
        if isinstance(value, dict | list):
            found += paths(value, (*path, step))
    return found


NAMES = st.sampled_from(
    ["a", "b", "c-d", "7", "1e5", "a.b", "", " ", 'q"', "it's", "é😀", "\\", "\t"]
)
SCALARS = (
    st.integers(-(10**6), 10**6)
    | st.booleans()
    | st.floats(allow_nan=False)
    | st.dates()
    | st.times()
    | st.datetimes()
    | st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
    | st.sampled_from(["'''", '"""', "# no comment", "[a]\nb = 1", "{ x = 1 }", "x\\"])
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(NAMES, inner, max_size=3)
        | st.lists(st.dictionaries(NAMES, inner, max_size=2), min_size=1, max_size=3)
    ),
    max_leaves=12,
)
TABLES = st.dictionaries(NAMES, VALUES, max_size=5)


def line_and_column(text: str, offset: int) -> tuple[int, int]:
    """Return a place, reckoned anew from what stands before it."""
    before = text[:offset].split("\n")
    return len(before), len(before[-1]) + 1


@pytest.mark.slow
@given(TABLES, st.randoms(use_true_random=False))
def test_every_path_of_every_document_is_found_exactly(
    table: dict[str, Any], chance: random.Random
) -> None:
    """Whatever is written, in whatever mixture of forms, key and value stand where they are put."""
    writer = Writer(chance)
    writer.table((), [], table, own=False)
    text = writer.text
    assert parse(Document("<text>", text)) == table
    index = places(text)
    for path, value in paths(table):
        for at in ("key", "value"):
            expected = line_and_column(text, writer.places[path, at])
            assert index.place(path, at) == expected, (path, at)
        if not isinstance(value, dict | list):
            start = writer.places[path, "value"]
            assert value in readings(text, start)


def readings(text: str, start: int) -> list[Any]:
    """Return what the text from a place on parses to, by every end that makes it a value."""
    ends = [end for end in range(start + 1, len(text) + 1) if text[end : end + 1] in " ,]}\t\r\n"]
    found = []
    for end in [*ends, len(text)]:
        try:
            found.append(tomllib.loads(f"k = {text[start:end]}")["k"])
        except tomllib.TOMLDecodeError:
            continue
    return found


@given(TABLES)
def test_every_path_of_a_document_as_tomli_w_writes_it_is_found(table: dict[str, Any]) -> None:
    """No path falls back on the table around it: each has a place that no other value has."""
    index = places(tomli_w.dumps(table))
    leaves = [path for path, value in paths(table) if not isinstance(value, dict | list)]
    found = [index.place(path, "value") for path in leaves]
    assert None not in found
    assert len(set(found)) == len(leaves)


SOUP = st.lists(
    st.sampled_from(
        [*"[]{}=,.#'\"\\\n\r\t ab1-_+é😀\0", "[[", "]]", '"""', "'''", "a=1\n", "\\u00e9"]
    ),
    max_size=60,
).map("".join)


@given(SOUP, st.lists(NAMES | st.integers(0, 2), max_size=4).map(tuple))
@example("[a\nb = [", ("a", "b", 0))
@example("a = {\n x = 1,\n}\nb = 2", ("b",))
@example("= 1\n. = 2\n[]\n[[]]", ())
@example("\ud800 = 1", ("a",))
def test_a_broken_document_has_places_all_the_same(text: str, path: Path_) -> None:
    """Whatever does not parse is passed over, and a place answered lies inside the document."""
    place = places(text).place(path)
    lines = text.split("\n")
    assert place is None or (
        1 <= place[0] <= len(lines) and place[1] <= len(lines[place[0] - 1]) + 1
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    "text", ["[" * 100_000, "a = " + "[" * 50_000 + "]" * 50_000, "a" + ".a" * 50_000 + " = 1"]
)
def test_places_of_hostile_nesting_cost_no_stack(text: str) -> None:
    """The walk is no recursion."""
    assert places(text).place(("b",)) == (1, 1)


def test_a_document_is_looked_through_once_for_many_faults(monkeypatch: pytest.MonkeyPatch) -> None:
    """The second place, and the two hundredth, are looked up in what the first one found."""
    calls: list[str] = []

    def counted(text: str) -> Any:
        calls.append(text)
        return _index(text)

    monkeypatch.setattr("trente_rules.core.toml._index", counted)
    index = places(HOUSE)
    assert calls == []
    for path, _ in paths(tomllib.loads(HOUSE)):
        index.place(path)
    assert len(calls) == 1


def test_places_are_found_by_one_index_from_many_faults_on_one_line() -> None:
    """Two faults on one line have two columns."""
    index = places(HOUSE)
    assert index.place(("shoe", "marker", "from_end")) != index.place(
        ("shoe", "marker", "on_marker")
    )


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("roundnig", "did you mean 'rounding'?"),
        ("Rounding", "did you mean 'rounding'?"),
        ("currencies", "did you mean 'currency'?"),
        ("zzz", ""),
        ("", ""),
        ("rounding" * 100_000, ""),
    ],
)
def test_the_nearest_known_name_is_asked_for(name: str, hint: str) -> None:
    """A slip of the pen is recognised; a name far from all, or endless, gets no hint."""
    assert nearest(name, ("currency", "unit", "rounding")) == hint


def test_with_no_known_names_there_is_no_hint() -> None:
    """Nothing is near where nothing is."""
    assert nearest("rounding", ()) == ""


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("rouge", "'rouge'"),
        (True, "true"),
        (12, "12"),
        (0.5, "0.5"),
        ([], "[]"),
        ({}, "{}"),
        (["1/2", {"a": [1]}], "['1/2', { a = [1] }]"),
        (date(2026, 5, 1), "2026-05-01"),
        ("\ud800\0", "'\\ud800\\x00'"),
    ],
)
def test_short_values_are_shown_whole(value: object, text: str) -> None:
    """A message shows the value as Python writes it; a date as TOML does."""
    assert shown(value) == text


def nested(levels: int) -> object:
    """Nest lists and tables in one another."""
    value: Any = []
    for _ in range(levels):
        value = [{"a": value}]
    return value


@pytest.mark.parametrize(
    "value",
    [
        "x" * 1_000_000,
        "\0" * 59,
        16**100_000,
        -(16**100_000),
        [16**100_000],
        ["x" * 1_000_000] * 1_000,
        {"x" * 1_000_000: 1},
        dict.fromkeys(range(100_000)),
        list(range(100_000)),
        nested(100_000),
    ],
    ids=lambda _: "",
)
def test_long_values_are_shown_in_sixty_characters(value: object) -> None:
    """No value is so long, so deep or so large that showing it fails, or fills a page."""
    assert 0 < len(shown(value)) <= 60
    assert shown(value).isascii()


def fault(
    line: int | None, column: int | None = 1, *, file: str = "h.toml", key: str = ""
) -> Fault:
    """Make a fault at a place."""
    return Fault(file, line, column, key, "unknown-key", "unknown key")


def test_faults_come_in_order_of_file_line_and_column() -> None:
    """Whatever order they are found in; without a place first, two on one line both."""
    first, second, third, fourth = fault(None, None), fault(2, 1), fault(2, 9), fault(10, 1)
    error = faults_error([fourth, third, second, first])
    assert isinstance(error, ConfigurationError)
    assert error.faults == (first, second, third, fourth)
    assert str(error).splitlines() == [str(each) for each in error.faults]


def test_files_come_in_the_order_in_which_they_are_named() -> None:
    """The child, which is read first, is reported before its parent."""
    child, parent, late = fault(9, file="z.toml"), fault(1, file="a.toml"), fault(3, file="z.toml")
    assert faults_error([child, parent, late]).faults == (late, child, parent)


def test_a_fault_that_is_told_twice_is_reported_once() -> None:
    """Equal faults are one; another key on the same place is another fault."""
    once, other = fault(1), fault(1, key="b")
    assert faults_error([once, once, other]).faults == (once, other)


def test_two_hundred_faults_are_listed_and_the_rest_counted() -> None:
    """A report stays short enough to read, and says how much it leaves out."""
    error = faults_error([fault(line) for line in range(237, 0, -1)])
    assert error.faults == tuple(fault(line) for line in range(1, MOST_FAULTS + 1))
    assert str(error).endswith("\nand 37 more faults")
    assert "more" not in str(faults_error([fault(line) for line in range(1, MOST_FAULTS + 1)]))


def test_without_faults_there_is_no_error() -> None:
    """An error that tells nothing would be a fault of ours."""
    with pytest.raises(ValueError, match="no faults"):
        faults_error([])


ONLY_WHAT_IS_NEEDED = """
import sys
import trente_rules
before = set(sys.modules)
from trente_rules.core.toml import Document, parse, read_document
from trente_rules.core.toml import Places
document = read_document(sys.argv[1])
parse(document)
Places(document)
new = {name.partition(".")[0] for name in set(sys.modules) - before}
print(sorted(new - set(sys.stdlib_module_names)))
print(sorted(name for name in sys.modules if "tree_sitter" in name))
Places(document).place(("a",))
print("tree_sitter" in sys.modules)
"""


def test_a_document_without_faults_loads_no_parser_of_places(tmp_path: Path) -> None:
    """The standard library and attrs read a file; tree-sitter comes in with the first place."""
    file = tmp_path / "house.toml"
    file.write_text("a = 1\n", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-c", ONLY_WHAT_IS_NEEDED, file],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONPATH": ":".join(sys.path)},
    )
    new, parsers, at_last = done.stdout.splitlines()
    assert set(eval(new)) <= {"attr", "attrs", "trente_rules"}  # noqa: S307 - a list we printed
    assert parsers == "[]"
    assert at_last == "True"
