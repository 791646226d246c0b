"""The reference pages: everything that is public is there, and nothing that is not."""

from __future__ import annotations

import re
from fractions import Fraction
from functools import cache
from importlib import import_module
from inspect import isroutine
from pathlib import Path
from typing import Any, Final

import click
import pytest
import reference

from trente_rules import load_house
from trente_rules.cli.schema import _SCHEMAS
from trente_rules.core.plugins import hookspecs
from trente_rules.core.plugins.manager import HOOKS
from trente_rules.core.rules.announcements import PHRASE_KEYS
from trente_rules.core.systems import Martingale
from trente_rules.table import Phase

DOCS: Final = Path(__file__).parents[2] / "docs"
PAGES: Final = {path.stem: path.read_text("utf-8") for path in sorted(DOCS.glob("*.md"))}


@cache
def made(name: str) -> str:
    """Return a page with the parts that it names."""
    return reference.whole(PAGES[name])


def headings(text: str, mark: str) -> list[str]:
    """Return the headings of one level, code left out."""
    plain = re.sub(r"^(`{3,}).*?^\1$", "", text, flags=re.MULTILINE | re.DOTALL)
    return re.findall(rf"^{mark} (.+)$", plain, re.MULTILINE)


# --- the Python API ----------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("package", reference.packages())
def test_a_page_has_every_public_name_of_a_package(package: str) -> None:
    """U30: each name of ``__init__.pyi`` has an entry with words, and no other name has one."""
    pages = [name for name, text in PAGES.items() if f"```{{reference}} api {package}\n" in text]
    assert len(pages) == 1
    text = made(pages[0])
    entries = re.findall(r"^\.\. (?:auto\w+|py:data):: (\S+)$", text, re.MULTILINE)
    public = [f"{package}.{name}" for name in import_module(package).__all__]
    assert sorted(entries) == sorted(name for name in public if "__" not in name)
    assert all(f"<{name}>`" in text for name in entries)


def test_every_public_name_is_described() -> None:
    """No entry is bare: each name has a docstring that ends as a sentence."""
    names = reference.all_public_names()
    assert len(names) > 200
    assert [each.path for each in names if reference.line_of(each.words)[-1:] != "."] == []


def test_every_package_is_in_the_list_of_packages() -> None:
    """Each facade has a row with its page, and each facade of the source is a package."""
    rows = re.findall(r"^\| \[`([\w.]+)`\]\(([\w-]+)\.md\)", made("api"), re.MULTILINE)
    assert [package for package, _page in rows] == list(reference.packages())
    assert all(f"{{reference}} api {package}\n" in PAGES[page] for package, page in rows)


# --- commands ----------------------------------------------------------------------------------


def commands_below(command: Any, path: str) -> dict[str, Any]:
    """Return a command and those inside it, by their paths."""
    found = {path: command}
    for name, inner in getattr(command, "commands", {}).items():
        found |= commands_below(inner, f"{path} {name}")
    return found


@cache
def all_commands() -> dict[str, Any]:
    """Return every shipped command by its path."""
    found: dict[str, Any] = {}
    for name in reference.PLUGINS.names("command"):
        module, _, attribute = reference.PLUGINS.command(name).target.partition(":")
        found |= commands_below(getattr(import_module(module), attribute), f"trente {name}")
    return found


@pytest.mark.slow
def test_every_command_is_described() -> None:
    """Each command and subcommand has a section, and no section is of another."""
    text = made("commands")
    assert sorted(headings(text, "#{2,4}")) == sorted(all_commands())


def test_every_option_is_described() -> None:
    """Each option that help shows has a row in the section of its command."""
    text = made("commands")
    for path, command in all_commands().items():
        section = text.partition(f"# {path}\n")[2].partition("\n(command-")[0]
        for option in command.params:
            if isinstance(option, click.Option) and not option.hidden:
                assert f"`{option.opts[0]}" in section or f", {option.opts[0]}" in section, option


# --- schemas -----------------------------------------------------------------------------------


@pytest.mark.slow
def test_every_schema_is_described() -> None:
    """Each part of the contract has a section, each definition one, each field a row."""
    text = made("schemas")
    schemas = {name: make() for name, make in _SCHEMAS.items() if name != "house"}
    assert headings(text, "##") == list(schemas)
    definitions = {
        name: each for schema in schemas.values() for name, each in schema["$defs"].items()
    }
    assert sorted(headings(text, "###")) == sorted(definitions)
    for name, definition in definitions.items():
        section = text.partition(f"\n### {name}\n")[2].partition("\n### ")[0]
        rows = re.findall(r"^\| `([^`]+)` \|", section, re.MULTILINE)
        assert rows == list(definition.get("properties", ())), name


def test_every_link_between_schemas_leads_somewhere() -> None:
    """A form that a field names has a section."""
    text = made("schemas")
    targets = set(re.findall(r"^\(([\w-]+)\)=$", text, re.MULTILINE))
    assert set(re.findall(r"\]\(#(schema-[\w-]+)\)", text)) <= targets


# --- hooks, names, errors, keys ----------------------------------------------------------------


def test_every_hook_is_described() -> None:
    """Each hook has a section with its docstring; each class that hooks return has its fields."""
    text = made("hooks")
    assert headings(text, "##") == [*(hook for hook, _ in HOOKS.values()), "What hooks return"]
    assert set(headings(text, "###")) == {thing.__name__ for _hook, thing in HOOKS.values()}
    for hook, _thing in HOOKS.values():
        words = reference.line_of(getattr(hookspecs, hook).__doc__ or "")
        assert words in " ".join(text.split()), hook


def test_every_hook_of_the_specification_is_used() -> None:
    """What is marked as a hook is one of those that the manager asks."""
    marked = {
        name for name, value in vars(hookspecs).items() if hasattr(value, "trente_rules_spec")
    }
    assert marked == {hook for hook, _thing in HOOKS.values()}


def test_everything_known_by_name_is_on_the_page_of_names() -> None:
    """Each shipped chance, language, format, house and system is listed, and nothing else."""
    text = made("names")
    for title, kind in (("Languages", "language"), ("Formats", "format"), ("Houses", "house")):
        section = text.partition(f"\n## {title}\n")[2].partition("\n## ")[0]
        rows = re.findall(r"^\| `([^`]+)`", section, re.MULTILINE)
        assert rows == list(reference.PLUGINS.names(kind)), title
    assert headings(text, "###") == list(reference.PLUGINS.names("system"))
    chances = text.partition("\n## Chances\n")[2].partition("\n## ")[0]
    assert re.findall(r"^\| `(\w+)`", chances, re.MULTILINE) == [
        "rouge",
        "noir",
        "couleur",
        "inverse",
    ]


def test_options_of_systems_are_described() -> None:
    """An option of a system has its default and its meaning."""
    section = made("names").partition("\n### martingale\n")[2].partition("\n### ")[0]
    assert isroutine(Martingale.start)
    assert re.search(r"^\| `chance` \| `'rouge'` \| [A-Z][^|]+\. \|$", section, re.MULTILINE)


def test_every_code_on_the_page_of_errors_can_be_given() -> None:
    """A code of a row of docs/errors.md is in the source: none is left over from an old release."""
    rows = re.findall(r"^\| (`[^|]+) \|", PAGES["errors"], re.MULTILINE)
    told = {code for row in rows for code in re.findall(r"`([a-z0-9]+(?:-[a-z0-9]+)+)`", row)}
    source = "\n".join(path.read_text("utf-8") for path in reference.SOURCE.rglob("*.py"))
    of_kinds = {f"unknown-{kind.replace(' ', '-')}" for kind in HOOKS}
    assert len(told) > 200
    assert {code for code in told if f'"{code}"' not in source} <= of_kinds


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("free", "'free'"),
        (Fraction(1, 2), "Fraction(1, 2)"),
        (Phase.BETTING, "Phase.BETTING"),
        (object(), "..."),
        ("x" * 80, "..."),
    ],
)
def test_a_default_is_written_as_python(value: object, text: str) -> None:
    """A signature has no value that could not be typed, and no endless one."""
    assert reference.shown_default(value) == text


def test_every_key_of_a_course_has_its_own_sentence() -> None:
    """U33: no key of a custom machine shares its meaning with another, and none is bare."""
    rows = re.findall(
        r"^\| `machine\.STATE\.VERDICT\.(\w+)` .* \| ([^|]+) \|$", PAGES["keys"], re.MULTILINE
    )
    keys = dict(rows)
    assert {"returned", "staying", "state", "taken", "pays", "default"} <= keys.keys()
    assert len(set(keys.values())) == len(keys) > 4
    bare = re.findall(r"^\| `([\w.\[\]]+)` \|[^|]*\|[^|]*\|\s*\|$", PAGES["keys"], re.MULTILINE)
    assert bare == []


def test_every_phrase_is_on_the_page_of_keys() -> None:
    """Each call that a house may word is listed."""
    assert all(f"| `{key}` |" in PAGES["keys"] for key in PHRASE_KEYS)


def test_every_house_has_its_sources_and_its_history() -> None:
    """Each shipped house has one section with its sources as cited, and what is inferred."""
    text = PAGES["house-histories"]
    assert sorted(headings(text, "###")) == sorted(reference.PLUGINS.names("house"))
    for name in reference.PLUGINS.names("house"):
        section = text.partition(f"\n### {name}\n")[2].partition("\n#")[0]
        info = load_house(name).info
        assert all(f"\n- {source}\n" in section for source in info.sources), name
        assert all(f"`{key}`" in section for key in info.inferred), name
        words = section.partition("\nSources:\n")[0].split("\n\n")[1:]
        assert [len(each.split()) >= 5 for each in words if each.strip()] == [True, True], name


# --- examples and files of the source ----------------------------------------------------------


def test_every_example_is_shown() -> None:
    """Each file or folder of examples/ has a section on its page."""
    found = {path.name for path in (DOCS.parent / "examples").iterdir()} - {"__pycache__"}
    text = re.sub(r"^(`{5}).*?^\1$", "", made("examples"), flags=re.MULTILINE | re.DOTALL)
    titles = {title.replace("\\", "") for title in re.findall(r"^## (.+)$", text, re.MULTILINE)}
    assert titles == found


@pytest.mark.parametrize("name", ["changelog", "security", "contributing"])
def test_files_of_the_source_are_pages(name: str) -> None:
    """CHANGELOG.md, SECURITY.md and CONTRIBUTING.md are whole on the site, with one title."""
    text = made(name)
    whole = (DOCS.parent / f"{name.upper()}.md").read_text("utf-8")
    assert len(text) >= len(whole) - 200
    assert len(headings(text, "#")) == 1
    own = headings(text, "##")
    assert own[-len(headings(whole, "##")) :] == headings(whole, "##")
    assert (len(own) > len(headings(whole, "##"))) == (name == "security")  # the threat model


def test_links_out_of_the_folder_lead_to_pages() -> None:
    """A link that is valid in a checkout leads, on the site, to the page that shows the file."""
    text = "[a](../SECURITY.md) [b](../examples/own_rules.toml) [c](wire.md#versions)"
    linked = "[a](security.md) [b](examples.md#example-own-rules-toml) [c](wire.md#versions)"
    assert reference.linked(text, in_docs=True) == linked
    assert reference.linked("[d](docs/trust.md#x)", in_docs=False) == "[d](trust.md#x)"


@pytest.mark.parametrize("page", PAGES)
def test_every_part_that_a_page_names_exists(page: str) -> None:
    """A misspelt ``{reference}`` is not left in a page as code."""
    assert "{reference}" not in re.sub(r"`{1,2}[^`\n]*`{1,2}", "", made(page))
