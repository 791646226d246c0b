"""Files that are no houses, by accident or by intent: one placed fault each, and no other error."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any, Self

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.cli.calling import trente

from trente_rules import load_house, loads_house
from trente_rules.core.errors import ConfigurationError, Fault, RuleError
from trente_rules.core.money import parse_fraction
from trente_rules.core.toml import (
    DEEPEST,
    LARGEST,
    LONGEST_NUMBER,
    MOST_PARTS,
    Document,
    parse,
    read_document,
)

MILLION = 1_000_000


def fault_of(text: str) -> Fault:
    """Parse a text that has a fault; answer the fault."""
    with pytest.raises(ConfigurationError) as caught:
        parse(Document("h.toml", text))
    (fault,) = caught.value.faults
    return fault


def fault_of_file(path: Path | str) -> Fault:
    """Read a file that cannot be read; answer the fault."""
    with pytest.raises(ConfigurationError) as caught:
        read_document(path)
    (fault,) = caught.value.faults
    return fault


def answer(act: Callable[[], dict[str, Any]]) -> dict[str, Any] | Fault:
    """Return what an act answers, or the one fault it raises."""
    try:
        return act()
    except ConfigurationError as error:
        (fault,) = error.faults
        return fault


def place_of(fault: Fault) -> tuple[int | None, int | None]:
    """Return line and column of a fault."""
    return fault.line, fault.column


# --- files -------------------------------------------------------------------------------------


def test_a_file_is_read_as_it_is(tmp_path: Path) -> None:
    """Line ends stay, a byte order mark goes, and the path is what reports call the file."""
    file = tmp_path / "h.toml"
    file.write_bytes("\ufeffa = 'é😀'\r\nb = 1\n".encode())
    document = read_document(file)
    assert document == Document(str(file), "a = 'é😀'\r\nb = 1\n")
    assert parse(document) == {"a": "é😀", "b": 1}
    assert read_document(str(file)) == document


def test_an_empty_file_is_an_empty_table(tmp_path: Path) -> None:
    """That a house needs more is not for the reader to say."""
    file = tmp_path / "h.toml"
    file.write_bytes(b"")
    assert parse(read_document(file)) == {}


def test_a_file_of_just_the_allowed_size_is_read(tmp_path: Path) -> None:
    """The limit is what it says, to the byte."""
    file = tmp_path / "h.toml"
    file.write_bytes(b"#" * LARGEST)
    assert parse(read_document(file)) == {}
    file.write_bytes(b"#" * (LARGEST + 1))
    assert fault_of_file(file).code == "file-too-large"


def test_a_large_file_is_refused_without_being_read_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ten megabytes: one byte more than allowed is asked for, no more."""
    file = tmp_path / "h.toml"
    file.write_bytes(b"a = 1\n" * (10 * MILLION // 6))
    read: list[int] = []
    monkeypatch.setattr("os.fdopen", watched(read))
    fault = fault_of_file(file)
    assert (fault.file, fault.code, *place_of(fault)) == (str(file), "file-too-large", None, None)
    assert read == [LARGEST + 1]


def watched(read: list[int]) -> Any:
    """Make an ``os.fdopen`` that keeps how many bytes each ``read`` asks for."""
    original = os.fdopen

    class Watched:
        def __init__(self, *args: Any, **options: Any) -> None:
            self.file: Any = original(*args, **options)

        def __enter__(self) -> Self:
            return self

        def __exit__(self, *error: object) -> None:
            self.file.close()

        def fileno(self) -> int:
            return int(self.file.fileno())

        def read(self, size: int = -1) -> bytes:
            read.append(size)
            return bytes(self.file.read(size))

    return Watched


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    """The fault carries the path that was asked for."""
    fault = fault_of_file(tmp_path / "none.toml")
    assert (fault.file, fault.code) == (str(tmp_path / "none.toml"), "file-missing")
    assert fault_of_file(tmp_path / "no" / "folder" / "h.toml").code == "file-missing"


def test_what_is_no_file_is_not_read(tmp_path: Path) -> None:
    """A folder, a path through a file, a circle of links."""
    (tmp_path / "file").write_text("", encoding="utf-8")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    for path in (tmp_path, tmp_path / "file" / "h.toml", tmp_path / "loop"):
        assert fault_of_file(path).code == "file-unreadable"


@pytest.mark.parametrize("name", ["loop", "loop.toml"])
def test_a_circle_of_links_is_a_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """S17: a name without a slash is looked for as a file where it is a path."""
    monkeypatch.chdir(tmp_path)
    Path(name).symlink_to("other")
    Path("other").symlink_to(name)
    fault = fault_of_file(Path(name))
    assert fault.code == "file-unreadable"
    assert "symbolic links" in fault.message
    ran = trente("check", name)
    assert (ran.status, "[file-unreadable]" in ran.out) == (1, True)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no named pipes")
def test_a_pipe_that_nobody_writes_to_is_not_waited_for(tmp_path: Path) -> None:
    """A house that extends a pipe, or a device, does not hold the program for ever."""
    os.mkfifo(tmp_path / "pipe.toml")
    assert fault_of_file(tmp_path / "pipe.toml").code == "file-unreadable"
    assert fault_of_file("/dev/zero").code == "file-unreadable"


def test_a_file_without_permission_is_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the system refuses is told in its own words."""
    file = tmp_path / "h.toml"
    file.write_text("", encoding="utf-8")

    def refuse(*_args: object) -> int:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("os.open", refuse)
    fault = fault_of_file(file)
    assert fault.code == "file-unreadable"
    assert "permission denied" in fault.message


@pytest.mark.parametrize("name", ["a\0b.toml", "\ud800.toml", "x" * 5_000 + ".toml", ""])
def test_a_path_that_no_file_can_have_is_told(name: str) -> None:
    """Zero bytes, lone surrogates, endless names: no ValueError, no OSError."""
    assert fault_of_file(name).code in {"file-unreadable", "file-missing"}


@pytest.mark.parametrize(
    ("data", "place"),
    [
        (b"a = 1\nb = '\xe9'\n", (2, 6)),
        ("é = 1\n# 😀".encode() + b"\xff", (2, 4)),
        (b"\xef\xbb\xbf\xff", (1, 1)),
        ("a = 1\n".encode("utf-16"), (1, 1)),
        ("a = 1\n".encode("utf-16-le"), (1, 2)),
        (b"\x7fELF\x02\x01\x01\0", (1, 8)),
        (b"# ok\n\0", (2, 1)),
        (b"a = 1\n\xed\xa0\x80", (2, 1)),
    ],
)
def test_what_is_no_utf_8_is_placed(tmp_path: Path, data: bytes, place: tuple[int, int]) -> None:
    """Other encodings and binary files: the first byte that is no text is named and placed."""
    file = tmp_path / "h.toml"
    file.write_bytes(data)
    fault = fault_of_file(file)
    assert (fault.code, *place_of(fault)) == ("not-utf-8", *place)
    assert "UTF-8" in fault.hint


@given(st.binary(max_size=200))
def test_any_bytes_are_a_document_or_one_fault(
    tmp_path_factory: pytest.TempPathFactory, data: bytes
) -> None:
    """Reading and parsing raise nothing but ConfigurationError."""
    file = tmp_path_factory.mktemp("bytes") / "h.toml"
    file.write_bytes(data)
    found = answer(lambda: parse(read_document(file)))
    assert isinstance(found, dict | Fault)


# --- texts that are no TOML --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("a = 1\nb 2\n", (2, 3)),
        ("a = 1\r\n\r\nb = noir\r\n", (3, 5)),
        ("'😀é' = x", (1, 8)),
        ("\ufeffa = x", (1, 5)),
        ("\ta = x", (1, 6)),
        ("a = [1,\n  2", (2, 4)),
        ("a = 1\nb =", (2, 4)),
        ("a = '''\n😀", (2, 2)),
        ("a = 1\na = 2\n", (2, 6)),
        ("[a]\n[a]\n", (2, 3)),
        ('a = "\\ud800"', (1, 12)),  # behind the escape
        ('a = "\\U00110000"', (1, 16)),
        ("a = 1\0", (1, 6)),
        ("a = 1979-02-30", (1, 5)),
        ("[", (1, 2)),
        ("}", (1, 1)),
        ("{ json: true }", (1, 1)),
    ],
)
def test_what_is_no_toml_is_placed(text: str, place: tuple[int, int]) -> None:
    """The TOML reader's place, in characters; the end of the document is a place as well."""
    fault = fault_of(text)
    assert fault.code == "not-toml"
    assert place_of(fault) == place


@pytest.mark.parametrize(
    "text",
    ["a = noir", "a = 1\na = 2", "[a.b]\n[a.b]", "a = {}\na.b = 1", "[[a]]\n[a]", 'a = "', "a = ["],
)
def test_the_message_is_a_clause_without_the_place(text: str) -> None:
    """Lower case, no "at line", no tuples of Python, as all messages are."""
    fault = fault_of(text)
    assert fault.message[0].islower()
    assert "line" not in fault.message.replace("newline", "").replace("inline", "")
    assert "end of document" not in fault.message
    assert "',)" not in fault.message


def test_a_megabyte_key_does_not_fill_the_message() -> None:
    """The reader's own message names the key in full; a report shows a part of it."""
    key = "k" * 300_000
    assert len(fault_of(f"[{key}]\n[{key}]").message) < 300


@pytest.mark.parametrize("text", ["a = '\ud800'", "# \udfff", "\ud800 = 1"])
def test_half_a_character_in_a_text_is_refused(text: str) -> None:
    """A text handed over in memory may hold lone surrogates, which no file can."""
    fault = fault_of(text)
    assert (fault.code, fault.line) == ("not-utf-8", 1)
    assert fault.column == next(i for i, c in enumerate(text, 1) if "\ud800" <= c <= "\udfff")
    assert str(fault).isascii()


# --- texts that would take too long, or too much -----------------------------------------------


@pytest.fixture
def unread(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the TOML reader fail: what is refused is refused before it starts."""

    def fail(_text: str) -> None:
        pytest.fail("the TOML reader was asked")

    monkeypatch.setattr("trente_rules.core.toml.tomllib.loads", fail)


@pytest.mark.slow
@pytest.mark.usefixtures("unread")
@pytest.mark.parametrize(
    ("text", "code"),
    [
        pytest.param("#" * (LARGEST + 1), "file-too-large", id="a text too large"),
        pytest.param("é" * (LARGEST // 2 + 1), "file-too-large", id="too large in bytes"),
        pytest.param("\ud800" * (LARGEST + 1), "file-too-large", id="too large, and no text"),
        pytest.param("a = " + "[" * 5_000 + "]" * 5_000, "too-deep", id="arrays"),
        pytest.param("a = " + "[" * 400_000, "too-deep", id="arrays without end"),
        pytest.param("a = " + "{ b = " * 5_000 + "1" + "}" * 5_000, "too-deep", id="braces"),
        pytest.param("a = " + "[\n{ b = " * 2_000 + "1", "too-deep", id="arrays and braces"),
        pytest.param("[a" + ".a" * 5_000 + "]\n", "too-deep", id="a header of 5,000 parts"),
        pytest.param("[[a" + ".a" * 490_000 + "]]\n", "too-deep", id="an endless header"),
        pytest.param("a" + ".a" * 490_000 + " = 1", "too-deep", id="an endless dotted key"),
        pytest.param("a" + " \t. \ta" * 100_000 + " = 1", "too-deep", id="with spaces"),
        pytest.param('""' + '.""' * 300_000 + " = 1", "too-deep", id="of empty names"),
        pytest.param("'a'" + ".'#'" * 200_000 + " = 1", "too-deep", id="of quoted names"),
        pytest.param('"\\""' + '."\\""' * 100_000 + " = 1", "too-deep", id="of escaped names"),
        pytest.param("x = { a" + ".a" * 400_000 + " = 1 }", "too-deep", id="in braces"),
        pytest.param("a = 1" + "1" * 900_000, "number-too-long", id="a million digits"),
        pytest.param("a = -1" + "_1" * 400_000, "number-too-long", id="with underlines"),
        pytest.param("a = 1." + "1" * 900_000, "number-too-long", id="a float"),
        pytest.param("a = 1e" + "1" * 900_000, "number-too-long", id="an exponent"),
        pytest.param("a = 0x" + "f" * 900_000, "number-too-long", id="hexadecimal"),
        pytest.param("a = [1, 2, 1" + "1" * 900_000 + "]", "number-too-long", id="in an array"),
        pytest.param("a = [" + "1," * 450_000 + "]", "too-many-values", id="a huge array"),
        pytest.param("[[a]]\n" * 150_000, "too-many-values", id="huge arrays of tables"),
        pytest.param("a=\n" * 300_000, "too-many-values", id="keys without values"),
        pytest.param("a = [" + "{}," * 300_000, "too-many-values", id="empty tables"),
    ],
)
def test_hostile_texts_are_refused_before_they_are_read(text: str, code: str) -> None:
    """What costs the reader the square of its length, its stack, or its patience."""
    fault = fault_of(text)
    assert fault.code == code
    assert (fault.line is None) == (code == "file-too-large")
    assert len(str(fault)) < 300


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("x = '😀' # é\na = " + "[" * 100, (2, 5 + DEEPEST)),
        ("x = 1\n\n ['é'" + ".a" * 100 + "]", (3, 3)),
        ("x = '😀'\n'😀' = 1" + "1" * 5_000, (2, 7)),
        ("a = [\n" + "1,\n" * 2 * MOST_PARTS, (MOST_PARTS, 2)),
    ],
)
def test_what_is_refused_before_reading_is_placed(text: str, place: tuple[int, int]) -> None:
    """The line is that of the number, the bracket or the key that goes too far."""
    assert place_of(fault_of(text)) == place


MANY_DOTS = "a." * 100_000


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        f'a = "{MANY_DOTS}"',
        f"a = '{MANY_DOTS}'",
        f'a = """\n{MANY_DOTS}\n{MANY_DOTS}"""',
        f"a = '''\n{MANY_DOTS}'{MANY_DOTS}'''",
        f"# {MANY_DOTS}\na = 1 # {MANY_DOTS}",
        f"'{MANY_DOTS}' = 1",
        f'"{MANY_DOTS}" = 1',
        f'a = """x"""" # "{MANY_DOTS}',
        f'a = """x""""" # "{MANY_DOTS}',
        f"a = '''x'''' # '{MANY_DOTS}",
        f'a = """\\""" {MANY_DOTS}"""',
        f"a = '\\' # '{MANY_DOTS}",
        f'a = "\\\\" # "{MANY_DOTS}',
        'a = "' + "[" * 1_000 + "=" * 50_000 + '"',
        "a = '''\n" + "[1,\n" * 50_000 + "'''",
        "#" + "[" * 1_000 + "1" * 1_000,
        'a = "' + "1" * 100_000 + '"',
        "a = '1/" + "1" * 100_000 + "'",
        ".".join("a" * DEEPEST) + " = 1",
        "a = " + "[" * DEEPEST + "]" * DEEPEST,
        "[[a]]\n[a.b]\n" * 50 + "c = [[1], [2], [{ d = 1 }]]\n" * 0,
        "a = 0." + "1" * (LONGEST_NUMBER - 2),
        "a = [" + "1.5, " * 2_000 + "]",
        "a = [" + "1979-05-27T07:32:00.999999-07:00, " * 1_000 + "]",
        "\n" * 900_000,
        "a = [" + "# [\n" * 200_000 + "]",
        "a = '" + "😀" * 240_000 + "'",
    ],
    ids=lambda text: text[:24],
)
def test_what_is_only_long_is_read(text: str) -> None:
    """Dots, brackets and digits inside of texts and comments do not count."""
    assert parse(Document("h.toml", text)) == tomllib.loads(text)


def test_a_number_of_as_many_digits_as_allowed_is_read() -> None:
    """The limit is for the reader's sake; what a key takes is for the key to say."""
    text = "a = " + "1" * LONGEST_NUMBER
    assert parse(Document("h.toml", text)) == {"a": int("1" * LONGEST_NUMBER)}
    assert fault_of(text + "1").code == "number-too-long"


def test_a_fraction_of_a_million_digits_is_refused_by_its_length() -> None:
    """The file is well-formed TOML; the share is not, and its digits are never reckoned with."""
    text = "1/" + "1" * (MILLION // 2)
    assert parse(Document("h.toml", f'a = "{text}"')) == {"a": text}
    with pytest.raises(RuleError) as caught:
        parse_fraction(text)
    assert caught.value.code == "bad-fraction"
    assert len(str(caught.value)) < 200


def test_a_caller_deep_in_the_stack_gets_a_fault_as_well() -> None:
    """No RecursionError, even where the stack is all but used up."""
    text = "a = " + "[" * DEEPEST + "]" * DEEPEST
    answers: list[object] = []

    def descend(left: int) -> None:
        if left:
            descend(left - 1)
            return
        try:
            answers.append(parse(Document("h.toml", text)))
        except ConfigurationError as error:
            answers.append(error.faults[0].code)

    for depth in range(0, 2_000, 7):
        try:
            descend(depth)
        except RecursionError:
            break
    assert answers[0] == tomllib.loads(text)
    assert all(answer in (answers[0], "too-deep") for answer in answers)


SIGNS = "[]{}=,.#'\"\\\n\r\t :/ab1-_+é😀\0\ud800\u2028"
PIECES = ["[[", "]]", '"""', "'''", "a = 1\n", "1.5", "[t]\n", "inf", "1979-05-27", "07:32:00"]
ESCAPES = ["\\u00e9", "\\ud800", "0x", "1_0", "true"]
SOUP = st.lists(st.sampled_from([*SIGNS, *PIECES, *ESCAPES]), max_size=80).map("".join)


@given(SOUP)
@example("a = 1979-05-27T07:32:00+25:00")
@example("a = 24:00:00")
@example("a = 0000-01-01")
@example('a = "\\')
@example('"""')
@example("a = '''''")
def test_any_text_is_tables_or_one_placed_fault(text: str) -> None:
    """What is answered is what the TOML reader answers; what it refuses has a place in the text."""
    try:
        expected = tomllib.loads(text.removeprefix("\ufeff"))
    except ValueError:
        expected = None
    found = answer(lambda: parse(Document("h.toml", text)))
    if isinstance(found, dict):
        assert found == expected
        return
    assert expected is None or found.code == "not-utf-8"
    assert found.line is not None
    assert found.column is not None
    lines = text.split("\n")
    assert 1 <= found.line <= len(lines)
    assert 1 <= found.column <= len(lines[found.line - 1]) + 1


# --- houses ------------------------------------------------------------------------------------

NESTED = "a." * (DEEPEST - 2) + "b = " + ("{" + "a." * (DEEPEST - 1) + "a = ") * DEEPEST
NESTED += "1" + "}" * DEEPEST + "\n"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\0",
        "[house]",
        "[refait]\n" + NESTED,
        "[announcements.phrases]\n" + NESTED,
        "house = " + "[" * DEEPEST + "]" * DEEPEST,
        "[shoe]\npacks = 0x" + "f" * (LONGEST_NUMBER - 3),
        "[limits]\nminimum = " + "9" * LONGEST_NUMBER,
        "[money]\nunit = '1/" + "1" * (MILLION // 2) + "'",
        "[house]\nname = '" + "n" * (MILLION // 2) + "'",
        "[" + "h" * (MILLION // 2) + "]",
        "[house]\n" + "".join(f"key{i} = 1\n" for i in range(300)),
        "[house]\nextends = '" + "n" * (MILLION // 2) + ".toml'",
        "[house]\nextends = 'a\\u0000.toml'",
    ],
    ids=lambda text: text[:24],
)
def test_a_hostile_house_is_refused_with_a_short_report(tmp_path: Path, text: str) -> None:
    """From the text to the report no other error comes up, and no fault fills a page."""
    with pytest.raises(ConfigurationError) as caught:
        loads_house(text, folder=tmp_path)
    assert 1 <= len(caught.value.faults) <= 200
    assert all(len(str(fault)) < 1_000 for fault in caught.value.faults)


def test_a_house_that_is_nested_as_deep_as_its_parent_is_merged(tmp_path: Path) -> None:
    """The deepest tables that may be read still merge."""
    (tmp_path / "parent.toml").write_text(f"[refait]\n{NESTED}", encoding="utf-8")
    child = tmp_path / "child.toml"
    child.write_text(f"[house]\nextends = 'parent.toml'\n[refait]\n{NESTED}", encoding="utf-8")
    with pytest.raises(ConfigurationError):
        load_house(child)
