"""Every command but ``compare``: what it prints, what it writes, how it leaves."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import tomli_w
from attrs import evolve
from tests.cli.calling import HANGS, TRENTE, Terminal, trente, trente_process

from trente_rules import House, __version__, load_house, loads_house
from trente_rules.cli import houses
from trente_rules.cli.commands import COMMANDS
from trente_rules.core import default_manager
from trente_rules.core.house.loading import flat, house_table
from trente_rules.core.plugins.manager import ENVIRONMENT, PluginManager

HOUSES = default_manager().names("house")


def like(house: House, other: House) -> bool:
    """Return whether two houses differ at most in name, title, sources and inferred keys."""
    return evolve(house, info=other.info) == other


# --- houses, show, fingerprint -----------------------------------------------------------------


def test_houses_lists_all() -> None:
    """Name, title, what a refait does, and the start of the fingerprint of each."""
    ran = trente("houses")
    assert (ran.status, ran.err) == (0, "")
    lines = {line.split()[0]: line for line in ran.out.splitlines()[1:] if line}
    assert "half or prison" in lines["france-2007"]
    assert tuple(lines) == HOUSES
    for name, line in lines.items():
        house = load_house(name)
        assert house.title in line
        assert line.endswith(house.fingerprint[:15])


def test_houses_as_json() -> None:
    """Name, title and whole fingerprint."""
    houses = trente("houses", "--format", "json").json["houses"]
    assert [list(house) for house in houses] == [["name", "title", "fingerprint"]] * len(HOUSES)
    assert [tuple(house.values()) for house in houses] == [
        (name, load_house(name).title, load_house(name).fingerprint) for name in HOUSES
    ]


@pytest.mark.parametrize("name", HOUSES)
def test_show_as_toml_reads_back_equal(name: str) -> None:
    """The printed document is the house, whole."""
    ran = trente("show", name, "--format", "toml")
    assert ran.status == 0
    assert loads_house(ran.out) == load_house(name)


@pytest.mark.parametrize("name", HOUSES)
def test_show_as_json_has_every_value_marked(name: str) -> None:
    """Every key with its value and kind; inferred exactly where the house says so."""
    house, shown = load_house(name), trente("show", name, "--format", "json").json
    assert list(shown) == ["name", "title", "fingerprint", "sources", "values", "machine"]
    assert (shown["name"], shown["fingerprint"]) == (name, house.fingerprint)
    assert shown["sources"] == list(house.info.sources)
    values = {value["key"]: value for value in shown["values"]}
    expected = {
        key: value
        for key, value in flat(house_table(house)).items()
        if not key.startswith("house.")
    }
    assert {key: value["value"] for key, value in values.items()} == expected
    for key, value in values.items():
        assert value["kind"] in ("fairness", "presentation")
        covered = any(f"{key}.".startswith(f"{path}.") for path in house.info.inferred)
        assert value["inferred"] == covered
    answers = {(a["state"], a["verdict"]): a["courses"] for a in shown["machine"]}
    assert set(answers) == {(a.state, a.verdict.id) for a in house.machine.answers}
    for courses in answers.values():
        assert sum(course["default"] for course in courses) == 1


def test_show_table_marks_what_is_inferred_and_names_sources() -> None:
    """A reader sees which values no source states, and what becomes of a stake."""
    out = trente("show", "france-2007").out
    assert "source: France, arrêté du 14 mai 2007" in out
    lines = {line.split()[0]: line.split() for line in out.splitlines() if line}
    assert lines["refait.tie"][-2:] == ["inferred", "fairness"]
    assert lines["refait.partage"][-1] == "fairness"
    assert lines["announcements.forty"][-2:] == ["inferred", "presentation"]
    assert "What happens to a stake" in out
    assert re.search(r"free +refait +prison: to prison \(default\) \| partage: half back", out)
    assert re.search(r"\d+ of \d+ values are inferred", out)


def test_show_has_a_row_for_each_chance_and_side_bet(tmp_path: Path) -> None:
    """D17: a chance that no refait costs is shown otherwise than one that says nothing of it."""
    own = (
        '[[chances]]\nid = "couleur"\nrefait_on = []\n[[chances]]\nid = "noir"\nodds = "2"\n'
        '[[side_bets]]\nid = "tie"\nwins_on = "any-tie"\nodds = "8"\n'
        "pushes_on = [{ first = [40] }]\n"
    )
    ran = trente("show", write(tmp_path / "own.toml", own))
    rows = {line.split()[0]: line for line in ran.out.splitlines() if line.strip()}
    assert "refait_on = []" in rows["chances.couleur"]
    assert 'odds = "2"' in rows["chances.noir"]
    assert "refait_on = []" not in rows["chances.noir"]
    assert 'wins_on = "any-tie"' in rows["side_bets.tie"]
    assert "pushes_on = [{first = [40]}]" in " ".join(ran.out.split())


def test_show_on_a_terminal_keeps_what_is_written(monkeypatch: pytest.MonkeyPatch) -> None:
    """U45: no padding, and nothing that a house wrote is markup."""
    monkeypatch.setenv("COLUMNS", "220")
    out = trente("show", "spain-1979", out=Terminal()).out
    assert not any(line.endswith(" ") for line in out.splitlines())
    assert "$point rojo y color ganan" in out


@pytest.mark.parametrize("name", HOUSES)
def test_fingerprint_is_that_of_the_house(name: str) -> None:
    """One line, and nothing else."""
    ran = trente("fingerprint", name)
    assert (ran.status, ran.out) == (0, f"{load_house(name).fingerprint}\n")


@pytest.mark.parametrize("command", ["show", "fingerprint"])
def test_an_unknown_house_is_an_error(command: str) -> None:
    """A wrong call: exit status 2, the nearest name, no traceback."""
    ran = trente(command, "campioni")
    assert (ran.status, ran.out) == (2, "")
    assert "did you mean 'campione'?" in ran.err


# --- check -------------------------------------------------------------------------------------


def write(file: Path, text: str = "", parent: str = "campione") -> Path:
    """Write a house that extends another."""
    file.write_text(f'[house]\nname = "mine"\nextends = "{parent}"\n{text}', encoding="utf-8")
    return file


def test_check_of_clean_files(tmp_path: Path) -> None:
    """Exit status 0, a line for each file; as JSON empty lists."""
    files = write(tmp_path / "a.toml"), write(tmp_path / "b.toml", "[shoe]\nburn = 3\n")
    ran = trente("check", *files)
    assert (ran.status, ran.err) == (0, "")
    *lines, count = ran.out.splitlines()
    assert [line.split(": no faults (")[0] for line in lines] == list(map(str, files))
    assert count == f"no faults in {len(files)} files"
    ran = trente("check", *files, "--format", "json")
    assert (ran.status, ran.json) == (0, {"faults": [], "notes": []})


def test_check_of_several_files_tells_every_fault(tmp_path: Path) -> None:
    """Clean and faulty files together: each fault with its file, exit status 1."""
    clean = write(tmp_path / "clean.toml")
    one = write(tmp_path / "one.toml", "[shoe]\npacks = 0\nbrun = 5\n")
    two = write(tmp_path / "two.toml", "[refait]\nlevels = 'many'\n")
    ran = trente("check", one, clean, two, "--format", "json")
    assert (ran.status, ran.err) == (1, "")
    faults = ran.json["faults"]
    assert [list(fault) for fault in faults] == [
        ["file", "line", "column", "key", "code", "message", "hint"]
    ] * 3
    assert [(Path(f["file"]).name, f["line"], f["column"], f["key"]) for f in faults] == [
        ("one.toml", 5, 9, "shoe.packs"),
        ("one.toml", 6, 1, "shoe.brun"),
        ("two.toml", 5, 10, "refait.levels"),
    ]
    assert faults[1]["hint"] == "did you mean 'burn'?"
    text = trente("check", one, clean, two)
    assert text.status == 1
    assert f"{clean}: no faults" in text.out
    assert f"{one}:5:9: shoe.packs: 0 is out of range (1 to 8) [out-of-range]" in text.out
    assert f"{two}:5:10: " in text.out


FIVES = """[money]
unit = "5"
rounding = "half-even"
[limits]
rule = "fixed"
minimum = 5
maximum = 5000
"""


def test_check_prints_notes_and_leaves_with_0(tmp_path: Path) -> None:
    """C4: stakes insured for nothing are no fault, and are named all the same."""
    file = write(tmp_path / "fives.toml", FIVES, "italian-program")
    ran = trente("check", file)
    assert (ran.status, ran.err) == (0, "")
    first, *lines = ran.out.splitlines()
    assert first.startswith(f"{file}: no faults (mine, f1:")
    assert (
        f"{file}:6:12: note: money.rounding: stakes of 5 EUR to 250 EUR are insured for nothing: "
        "the premium is rounded to 0 EUR (set insurance.minimum_premium) [insured-for-nothing]"
    ) in lines
    notes = trente("check", file, "--format", "json").json["notes"]
    assert (6, "insured-for-nothing") in {(note["line"], note["code"]) for note in notes}
    head, *rows = trente("check", file, "--format", "csv").out.splitlines()
    assert head == "kind,file,line,column,key,code,message,hint"
    start = f"note,{file},6,12,money.rounding,insured-for-nothing,"
    assert any(row.startswith(start) for row in rows)


def test_check_without_a_place_prints_null(tmp_path: Path) -> None:
    """A file that is not there has no line: null, not 0."""
    (fault,) = trente("check", tmp_path / "none.toml", "--format", "json").json["faults"]
    assert (fault["line"], fault["column"], fault["code"]) == (None, None, "file-missing")


@pytest.mark.parametrize("bad", [(), ("--format", "xml", "a.toml"), ("--nonsense", "a.toml")])
def test_check_misuse(bad: tuple[str, ...]) -> None:
    """Exit status 2, nothing on standard output."""
    ran = trente("check", *bad)
    assert (ran.status, ran.out) == (2, "")
    assert "trente check" in ran.err


# --- new ---------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("name", HOUSES)
def test_new_file_is_the_house_under_another_name(tmp_path: Path, name: str) -> None:
    """Extending or whole: it loads, and differs in its name alone."""
    for options in ((), ("--whole",)):
        file = tmp_path / f"mine{len(options)}.toml"
        ran = trente("new", file, "--from", name, *options)
        assert (ran.status, ran.err) == (0, "")
        assert str(file) in ran.out
        made = load_house(file)
        assert made.name == file.stem
        assert like(made, load_house(name))
        assert made.fingerprint == load_house(name).fingerprint
        extends = tomllib.loads(file.read_text(encoding="utf-8"))["house"].get("extends")
        assert extends == (None if options else name)


def commented_keys(text: str) -> list[int]:
    """Return the lines of an extending file that hold a key in a comment."""
    return [n for n, line in enumerate(text.splitlines()) if re.match(r"#[A-Za-z_\"]", line)]


def uncommented(text: str, numbers: list[int]) -> str:
    """Return a file with the comment sign of these lines taken off."""
    return "\n".join(
        line.removeprefix("#") if number in numbers else line
        for number, line in enumerate(text.splitlines())
    )


@pytest.mark.slow
@pytest.mark.parametrize("name", HOUSES)
def test_all_commented_keys_together_give_an_equal_house(tmp_path: Path, name: str) -> None:
    """Every value that the file shows is the one in force."""
    file = tmp_path / "mine.toml"
    trente("new", file, "--from", name)
    text = file.read_text(encoding="utf-8")
    numbers = commented_keys(text)
    assert len(numbers) > 20
    assert like(loads_house(uncommented(text, numbers)), load_house(name))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["france-2007", "italian-program", "venezia-online", "spain-1979"])
def test_each_commented_key_alone_gives_an_equal_house(tmp_path: Path, name: str) -> None:
    """Any one of them can be taken out of its comment by itself."""
    file = tmp_path / "mine.toml"
    trente("new", file, "--from", name)
    text = file.read_text(encoding="utf-8")
    for number in commented_keys(text):
        assert like(loads_house(uncommented(text, [number])), load_house(name)), text.splitlines()[
            number
        ]


def test_new_shows_every_key_of_the_house(tmp_path: Path) -> None:
    """No key is left out: what is shown is what the house writes."""
    file = tmp_path / "mine.toml"
    trente("new", file, "--from", "campione")
    text = file.read_text(encoding="utf-8")
    shown = tomllib.loads(uncommented(text, commented_keys(text)))
    written = house_table(load_house("campione"))
    for table, values in written.items():
        if table != "house":
            assert shown[table] == values


EXAMPLES = ("[[chances]]", "[refait.on.40]", "[limits.per_chance.", "[[side_bets]]")


@pytest.mark.slow
@pytest.mark.parametrize("name", HOUSES)
@pytest.mark.parametrize("table", EXAMPLES)
def test_each_example_table_of_a_new_file_can_be_used(
    tmp_path: Path, name: str, table: str
) -> None:
    """D17: what follows the keys is a house without a fault, of other rules than the parent's."""
    file = tmp_path / "mine.toml"
    trente("new", file, "--from", name)
    text = file.read_text(encoding="utf-8")
    (block,) = (
        part for part in text.split("\n\n") if f"\n# {table}" in part and part.startswith("## ")
    )
    if needed := re.search(r"it needs (refait_on = \[.*?\])", block):
        text = re.sub(r"^#refait_on = .*$", needed[1], text, flags=re.MULTILINE)
    used = re.sub(r"^# ", "", block, flags=re.MULTILINE)
    made = loads_house(text.replace(block, used))
    assert made.fingerprint != load_house(name).fingerprint


def test_new_of_a_file_extends_that_file(tmp_path: Path) -> None:
    """A stranger's own house can be a parent."""
    parent = write(tmp_path / "parent.toml", "[shoe]\nburn = 7\n")
    ran = trente("new", tmp_path / "child.toml", "--from", parent)
    assert ran.status == 0
    assert load_house(tmp_path / "child.toml").shoe.burn == 7


@pytest.mark.parametrize("options", [(), ("--whole",)])
def test_new_never_writes_over_a_file(tmp_path: Path, options: tuple[str, ...]) -> None:
    """What is there stays, to the byte."""
    file = tmp_path / "mine.toml"
    file.write_text("precious", encoding="utf-8")
    ran = trente("new", file, "--from", "campione", *options)
    assert (ran.status, ran.out) == (1, "")
    assert "is there already" in ran.err
    assert file.read_text(encoding="utf-8") == "precious"


def test_new_where_nothing_can_be_written(tmp_path: Path) -> None:
    """A folder that is not there, a folder in the file's place: told, no traceback."""
    ran = trente("new", tmp_path / "no" / "mine.toml", "--from", "campione")
    assert (ran.status, ran.out) == (1, "")
    assert "cannot be written" in ran.err
    ran = trente("new", tmp_path, "--from", "campione")
    assert (ran.status, ran.out) == (2, "")


def test_new_from_nothing_known(tmp_path: Path) -> None:
    """An unknown house leaves no file behind; no house named is misuse."""
    ran = trente("new", tmp_path / "mine.toml", "--from", "nowhere")
    assert (ran.status, ran.out) == (2, "")
    assert trente("new", tmp_path / "mine.toml").status == 2
    assert not (tmp_path / "mine.toml").exists()


def test_new_makes_a_name_of_any_file_name(tmp_path: Path) -> None:
    """Signs that no name has become hyphens; the file can be loaded."""
    for stem in ("My house, 2nd", "ü", "x" * 90):
        file = tmp_path / f"{stem}.toml"
        assert trente("new", file, "--from", "campione").status == 0
        assert like(load_house(file), load_house("campione"))


# --- schema ------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def schema() -> Any:
    """Return the schema that the command prints."""
    return trente("schema").json


def test_schema_is_draft_07(schema: Any) -> None:
    """Valid by its own draft, which it names."""
    assert schema["$schema"] == "http://json-schema.org/draft-07/schema#"
    jsonschema.Draft7Validator.check_schema(schema)


@pytest.mark.parametrize("name", HOUSES)
def test_every_shipped_house_is_valid_by_the_schema(schema: Any, name: str) -> None:
    """As its file writes it, and whole."""
    validator = jsonschema.Draft7Validator(schema)
    for text in (
        default_manager().house(name).text,
        trente("show", name, "--format", "toml").out,
    ):
        assert [error.message for error in validator.iter_errors(tomllib.loads(text))] == []


@pytest.mark.parametrize(
    "text",
    [
        "[refait]\nlevles = 2\n",
        "[refiat]\nlevels = 2\n",
        "[insurance]\nrule = 'rate'\nminimum_stake = 10.5\n",
        "[deal]\nrefait_on = ['31']\n",
        "[shoe]\npacks = 'six'\n",
        "[refait]\nrule = 'prisons'\n",
        "[deal]\nfirst_row = 'black'\n",
        "[house]\nname = 5\n",
        "[money]\nrounding = 'up'\n",
    ],
)
def test_schema_refuses_broken_houses(schema: Any, text: str) -> None:
    """An editor marks what ``check`` refuses too."""
    table = tomllib.loads(text)
    assert not jsonschema.Draft7Validator(schema).is_valid(table)
    table["house"] = {"name": "x", "extends": "campione", **table.get("house", {})}
    assert not jsonschema.Draft7Validator(schema).is_valid(table)


@pytest.mark.slow
@pytest.mark.parametrize("name", HOUSES)
def test_schema_asks_for_nothing(schema: Any, name: str) -> None:
    """Because of ``extends`` every table may be left out."""
    table = house_table(load_house(name))
    for left_out in table:
        rest = {key: value for key, value in table.items() if key != left_out}
        assert jsonschema.Draft7Validator(schema).is_valid(tomllib.loads(tomli_w.dumps(rest)))


# --- plugins -----------------------------------------------------------------------------------


def test_plugins_are_listed_with_what_they_bring(monkeypatch: pytest.MonkeyPatch) -> None:
    """U47: what is built in is listed by --all alone; without a plugin it is one line."""
    monkeypatch.setenv(ENVIRONMENT, "")
    ran = trente("plugins", "--all")
    assert (ran.status, ran.err) == (0, "")
    assert "PROBLEM" not in ran.out
    lines = [line.strip() for line in ran.out.splitlines()]
    for thing in ("refait rule prison", "insurance rule rate", "language fr", "side bet any-tie"):
        assert thing in lines
    assert [f"house {name}" for name in HOUSES] == [x for x in lines if x.startswith("house ")]
    brief = trente("plugins").out
    assert brief == "No plugin beyond what is built in; no faults. Everything: --all\n"
    reports = trente("plugins", "--format", "json").json["plugins"]
    assert [report["name"] for report in reports] == [
        line for line in ran.out.splitlines()[2:] if line and not line.startswith(" ")
    ]
    assert all(not report["problem"] for report in reports)


def test_a_plugin_that_fails_is_told_and_leaves_with_1(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its problem stands under its name; with --strict it is an error; kept out, all is well."""
    (tmp_path / "leaking_cellar.py").write_text("raise RuntimeError('under water')\n")
    info = tmp_path / "leaking-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: leaking\nVersion: 1\n")
    (info / "entry_points.txt").write_text("[trente_rules]\ncellar = leaking_cellar\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv(ENVIRONMENT, "leaking")
    monkeypatch.setattr(houses, "default_manager", PluginManager.from_environment)
    ran = trente("plugins")
    assert ran.status == 1
    assert "PROBLEM" in ran.out
    assert "under water" in ran.out
    assert "Traceback" not in ran.out + ran.err
    strict = trente("plugins", "--strict")
    assert strict.status == 1
    assert "under water" in strict.err
    monkeypatch.setenv(ENVIRONMENT, "")
    assert trente("plugins").status == 0


# --- the command line itself -------------------------------------------------------------------


def test_version() -> None:
    """The name and the version."""
    ran = trente("--version")
    assert (ran.status, ran.out) == (0, f"trente {__version__}\n")


def test_help_lists_every_command_in_its_group(monkeypatch: pytest.MonkeyPatch) -> None:
    """U44, sketch 6: with -h and --help alike, a line for each command at 80 columns."""
    monkeypatch.setenv("COLUMNS", "80")
    for option in ("--help", "-h"):
        ran = trente(option)
        assert ran.status == 0
        before, _, listed = ran.out.partition("\nHouses:\n")
        assert "\nOptions:\n" in before
        group, found = "Houses", list[tuple[str, str, str]]()
        for line in listed.splitlines():
            if re.fullmatch(r"\w.*:", line):
                group = line[:-1]
            elif row := re.fullmatch(r"  (\w+) {2,}(\S.*)", line):
                found.append((group, row[1], row[2]))
        assert found == [(each.group, each.name, each.help) for each in COMMANDS]
        assert max(map(len, ran.out.splitlines())) <= 80
        assert "Start with: trente play, trente rules france-2007" in ran.out


def test_a_misspelt_command_or_option_has_a_hint() -> None:
    """U36: in the list of commands and in the groups below it."""
    for words, hint in (
        (("comapre",), "'compare'"),
        (("rng", "verfy"), "'verify'"),
        (("journal", "bakup"), "'backup'"),
        (("houses", "--fromat", "csv"), "--format"),
    ):
        ran = trente(*words)
        assert (ran.status, ran.out) == (2, "")
        assert "id you mean" in ran.err
        assert hint in ran.err
    assert "`trente --help` lists all" in trente("zzzz").err


@pytest.mark.parametrize("command", [command.name for command in COMMANDS])
def test_help_of_each_command(command: str) -> None:
    """How it is used and what it does; -h is --help."""
    ran = trente(command, "--help")
    assert (ran.status, ran.err) == (0, "")
    assert ran.out.startswith(f"Usage: trente {command} ")
    assert len(ran.out.split()) > 15
    assert trente(command, "-h") == ran


@pytest.mark.parametrize("bad", [("nonsense",), ("--nonsense",), ()])
def test_misuse_of_the_command_line(bad: tuple[str, ...]) -> None:
    """An unknown command or option, or none at all: exit status 2 and how it is used."""
    ran = trente(*bad)
    assert ran.status == 2
    assert "Usage: trente" in ran.out + ran.err


def test_ctrl_c_leaves_with_130(monkeypatch: pytest.MonkeyPatch) -> None:
    """A word, no traceback."""

    def interrupted(*_arguments: object, **_options: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("trente_rules.cli.houses.load_house", interrupted)
    ran = trente("fingerprint", "campione")
    assert (ran.status, ran.out) == (130, "")
    assert ran.err.strip() == "interrupted"


@pytest.mark.slow
@pytest.mark.parametrize("form", ["json", "csv", "markdown", "table"])
def test_a_reader_that_goes_away_is_no_error(form: str) -> None:
    """``trente compare | head -1``: the rest is not printed, and nothing is said about it."""
    with subprocess.Popen(
        [*TRENTE, "compare", "--format", form], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout
        assert process.stderr
        assert process.stdout.readline()
        process.stdout.close()
        told = process.stderr.read()
        assert process.wait(HANGS) == 0
    assert told == b""


@pytest.mark.slow
def test_a_process_leaves_with_the_status_of_its_command(tmp_path: Path) -> None:
    """0, 1 and 2 reach the shell."""
    assert trente_process("fingerprint", "campione").status == 0
    assert trente_process("check", tmp_path / "none.toml").status == 1
    assert trente_process("check").status == 2


@pytest.mark.slow
def test_json_is_read_by_any_reader() -> None:
    """Printed JSON is UTF-8 with letters as they are."""
    ran = trente_process("houses", "--format", "json")
    assert "Casinò Campione d'Italia" in ran.out
    assert json.loads(ran.out)["houses"]


@pytest.mark.slow
@pytest.mark.parametrize("form", ["csv", "json", "markdown", "table"])
def test_letters_that_an_encoding_lacks_are_no_traceback(tmp_path: Path, form: str) -> None:
    """An output that says it is plain ASCII: every format is printed all the same."""
    (tmp_path / "h.toml").write_text('[house]\nname = "château"\nextends = "campione"\n', "utf-8")
    done = subprocess.run(
        [sys.executable, "-X", "utf8=0", *TRENTE[1:], "compare", "h.toml", "--format", form],
        capture_output=True,
        check=False,
        cwd=tmp_path,
        env={**os.environ, "PYTHONIOENCODING": "ascii", "LC_ALL": "C"},
        timeout=HANGS,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"teau" in done.stdout
