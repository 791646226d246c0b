"""README and documents: every example runs, every code, hook and house is told of."""

from __future__ import annotations

import ast
import doctest
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from contextlib import suppress
from pathlib import Path
from typing import Final

import pytest

from trente_rules import load_house, loads_house
from trente_rules.cli.commands import COMMANDS
from trente_rules.core import default_manager, notes
from trente_rules.core.plugins.manager import HOOKS

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
CODE = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)+|inexact")


def blocks(page: Path, language: str) -> list[str]:
    """Return the code blocks of a language in a page."""
    return re.findall(rf"```{language}\n(.*?)```", page.read_text("utf-8"), re.DOTALL)


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_python_examples_run(page: Path) -> None:
    """Each ``>>>`` example answers what the page says."""
    failed, _tried = doctest.testfile(str(page), module_relative=False, encoding="utf-8")
    assert failed == 0


def test_the_readme_settles_a_coup() -> None:
    """There are examples to run: the README's are not empty."""
    assert sum(block.count(">>>") for block in blocks(ROOT / "README.md", "python")) > 3


def files(page: Path) -> dict[str, str]:
    """Return the files that a page shows: blocks whose first line is a comment with a name."""
    shown = re.findall(r"```\w+\n(# ([\w-]+\.\w+)\n.*?)```", page.read_text("utf-8"), re.DOTALL)
    return {name: text for text, name in shown}


def expected_pattern(lines: list[str]) -> str:
    """Return the expression of an output: a line of three dots is any number of lines."""
    return "".join(r"(?:.*\n)*?" if each == "..." else re.escape(each) + r"\n" for each in lines)


PROGRAMS: Final = {
    "trente": ("-c", "from trente_rules.cli import main; main()"),
    "python": (),
}
COLUMNS: Final = 80


def in_a_terminal(page: Path) -> bool:
    """Return whether a page shows what a terminal prints: pages for those who come new do."""
    return page.stem in ("README", "first-hour") or page.stem.startswith("how-to-")


def printed(arguments: list[str], folder: Path, *, terminal: bool) -> tuple[str, str, int]:
    """Return what a program prints, its messages, and its exit status.

    The terminal has 80 columns and no colours.
    """
    if not terminal:
        done = subprocess.run(arguments, capture_output=True, text=True, check=False, cwd=folder)
        return done.stdout, done.stderr, done.returncode
    termios = pytest.importorskip("termios", reason="there are no terminals to open here")
    ours, theirs = os.openpty()
    termios.tcsetwinsize(theirs, (40, COLUMNS))
    with (folder / "messages").open("w+b") as messages:
        process = subprocess.Popen(
            arguments,
            cwd=folder,
            env={**os.environ, "NO_COLOR": "1", "TERM": "xterm", "PAGER": "cat"},
            stdin=subprocess.DEVNULL,
            stdout=theirs,
            stderr=messages,
        )
        os.close(theirs)
        text = b""
        with suppress(OSError):  # Linux says that the other end is closed
            while part := os.read(ours, 65536):
                text += part
        os.close(ours)
        status = process.wait()
        messages.seek(0)
        return text.decode().replace("\r\n", "\n"), messages.read().decode(), status


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_console_examples_print_what_they_say(page: Path, tmp_path: Path) -> None:
    """Each ``$ trente`` and ``$ python`` of a page prints the lines under it.

    The commands of a page run in one folder, with the examples and the files that the page shows.
    A comment behind a command can name its exit status.
    """
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    for name, text in files(page).items():
        (tmp_path / name).write_text(text, "utf-8")
    for block in blocks(page, "console"):
        for command, expected in re.findall(
            r"^\$ ((?:trente|python) [^\n]*)\n(.*?)(?=^\$ |\Z)", block, re.MULTILINE | re.DOTALL
        ):
            program, *arguments = shlex.split(command, comments=True)
            said, messages, returned = printed(
                [sys.executable, *PROGRAMS[program], *arguments],
                tmp_path,
                terminal=in_a_terminal(page),
            )
            if "..." in expected.splitlines():
                pattern = expected_pattern(expected.strip().splitlines())
                assert re.fullmatch(pattern, said.strip() + "\n"), said
            else:
                assert said.strip() == expected.strip()
            # Only a fair record without the commitment of its reader is less than a success.
            usual = 3 if "its commitment is not compared" in expected else 0
            status = re.search(r"# exit status (\d)", command)
            assert returned == (int(status[1]) if status else usual), messages


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_house_examples_load(page: Path, tmp_path: Path) -> None:
    """Each house in a page is one that loads without a fault, next to the files of the page.

    A house by a rule that the page itself writes needs its plugin: the page's doctests load it.
    """
    shown, own = files(page), re.findall(r'Named\("([\w-]+)"', page.read_text("utf-8"))
    for name, text in shown.items():
        (tmp_path / name).write_text(text, "utf-8")
    for block in blocks(page, "toml"):
        if any(f'rule = "{rule}"' in block for rule in own):
            continue
        named = block if "[house]" in block else f'[house]\nname = "example"\n{block}'
        file = tmp_path / next((name for name in shown if shown[name] == block), "example.toml")
        file.write_text(named, "utf-8")
        assert load_house(file).fingerprint.startswith("f1:")


def test_the_house_to_copy_has_every_table_that_few_houses_have() -> None:
    """D17: examples/own_rules.toml loads without a note, and shows what newcomers look for."""
    text = (ROOT / "examples/own_rules.toml").read_text("utf-8")
    house = loads_house(text)
    assert not [note for note in notes(house) if note.path[0] in ("chances", "side_bets", "refait")]
    tables = ("[refait.on.40]", "[[chances]]", "[[side_bets]]", "[limits.per_chance.")
    assert all(table in text for table in tables)
    assert {keys.id for keys in house.chance_keys} == {"couleur", "inverse", "noir"}


def test_the_changelog_names_every_changed_house() -> None:
    """A shipped house whose fingerprint is another is listed, with the reason, for users too."""
    text = (ROOT / "CHANGELOG.md").read_text("utf-8")
    changed = tomllib.loads((ROOT / "tests/golden/changed.toml").read_text("utf-8"))
    for version, houses in changed.items():
        section = text.partition(f"\n## {version} ")[2].partition("\n## ")[0]
        table = section.partition("### Changed: shipped houses")[2].partition("### ")[0]
        rows = [line for line in table.splitlines() if line.startswith("| `")]
        for house, reason in houses.items():
            reasons = [row for row in rows if f"`{house}`" in row.partition(" | ")[0]]
            assert reasons, (house, reason)


def anchors(page: Path) -> set[str]:
    """Return the anchors of the headings of a page, as a site makes them."""
    text = re.sub(r"^```.*?^```", "", page.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def links(page: Path) -> list[str]:
    """Return the targets of a page's links, those to other sites left out."""
    found = re.findall(r"\]\(([^)\s]+)\)", page.read_text("utf-8"))
    return [target for target in found if "://" not in target]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_leads_somewhere(page: Path) -> None:
    """A file or a heading that a page links to is there."""
    for target in links(page):
        file, _hash, anchor = target.partition("#")
        there = (page.parent / file).resolve() if file else page
        assert there.exists(), target
        assert not anchor or anchor in anchors(there), target


def test_the_list_of_other_rules_has_every_heading() -> None:
    """A reader finds a rule at the top of the page: nothing below is missing there."""
    page = ROOT / "docs/other-rules.md"
    rules = re.findall(r"^### (.+)$", page.read_text("utf-8"), re.MULTILINE)
    assert len(rules) > 35
    listed = {target.removeprefix("#") for target in links(page) if target.startswith("#")}
    assert listed >= anchors(page) - {
        *("rules-of-other-houses", "wagers", "the-refait", "insurance", "limits"),
        *("the-order-on-the-cloth", "the-shoe", "calls"),
    }


def codes_in_source() -> set[str]:
    """Return the codes that the source gives to errors, problems and refusals."""
    found: set[str] = set()
    makers = re.compile(r"\w*Error|Problem|Note|Refusal|_at_extends|_wrong|_bad|_?refuse|code")
    for file in (ROOT / "src").rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if not isinstance(node, ast.Call):
                continue
            name = getattr(node.func, "id", getattr(node.func, "attr", ""))
            if makers.fullmatch(name):
                values = [*node.args, *(keyword.value for keyword in node.keywords)]
                texts = [v.value for v in values if isinstance(v, ast.Constant)]
                found |= {t for t in texts if isinstance(t, str) and CODE.fullmatch(t)}
    return found


@pytest.mark.slow
def test_every_error_code_is_told_of() -> None:
    """Each code that the source can give stands in docs/errors.md."""
    told = set(re.findall(r"`([a-z0-9-]+)`", (ROOT / "docs/errors.md").read_text("utf-8")))
    assert codes_in_source() - told == set()
    assert len(codes_in_source()) > 60


def test_every_hook_command_and_house_is_told_of() -> None:
    """No hook, command or shipped house is missing from its page."""
    plugins = (ROOT / "docs/plugins.md").read_text("utf-8")
    assert all(f"`{hook}`" in plugins for hook, _thing in HOOKS.values())
    cli = (ROOT / "docs/cli.md").read_text("utf-8")
    assert all(f"`trente {name}" in cli for name in [command.name for command in COMMANDS])
    houses = (ROOT / "docs/houses.md").read_text("utf-8")
    assert all(f"`{name}`" in houses for name in default_manager().names("house"))


MADE = [
    *("make_key_reference", "make_house_edges", "make_house_histories", "make_typescript"),
    *("make_pictures", "make_screens", "make_shuffle_specification"),
]


@pytest.mark.slow
@pytest.mark.parametrize("name", MADE)
def test_a_page_is_as_it_is_made(name: str) -> None:
    """docs/keys.md is what the declarations say, docs/edges.md what the houses cost; the types.

    U32: the pictures of the game are what the library deals, judges and builds.
    """
    tool = ROOT / f"tools/{name}.py"
    done = subprocess.run([sys.executable, str(tool), "--check"], capture_output=True, check=False)
    assert done.returncode == 0, done.stdout
