"""The reference pages of the site, from the code itself: each part is a function that returns text.

The text is Markdown as MyST reads it; that of the Python API holds directives of Sphinx's autodoc.
``tools/reference_site.py`` puts it into pages. Nothing here needs Sphinx.
"""

# ruff: noqa: INP001

from __future__ import annotations

import ast
import inspect
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import Enum
from functools import cache
from importlib import import_module
from itertools import groupby, pairwise
from pathlib import Path
from types import FunctionType
from typing import Any, Final

import attrs
import click
from attrs import frozen
from made_file import parser_of

from trente_rules.cli.commands import COMMANDS
from trente_rules.cli.group import trente
from trente_rules.cli.schema import _SCHEMAS
from trente_rules.core.chances import SIMPLE_CHANCES
from trente_rules.core.keys import keys_of
from trente_rules.core.plugins import hookspecs
from trente_rules.core.plugins.manager import HOOKS, PluginManager

ROOT: Final = Path(__file__).parent.parent
SOURCE: Final = ROOT / "src" / "trente_rules"
PLUGINS: Final = PluginManager(only=())
"""What is shipped, whatever is installed beside it."""


def ticked(text: str) -> str:
    """Return a docstring as Markdown: its code has one tick on each side."""
    return text.replace("``", "`")


def line_of(text: str) -> str:
    """Return the first paragraph of a docstring, in one line."""
    return ticked(" ".join(inspect.cleandoc(text or "").split("\n\n")[0].split()))


def escaped(text: str) -> str:
    """Return plain text as Markdown that shows it as it is."""
    return re.sub(r"([\\`*_\[\]<>|#~])", r"\\\1", text)


def cell(text: str) -> str:
    """Return Markdown as a cell of a table."""
    return " ".join(text.replace("\\|", "|").replace("|", "\\|").split())


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Return a table of Markdown; nothing without rows."""
    head = list(head)
    lines = ["| " + " | ".join(map(cell, row)) + " |" for row in rows]
    if not lines:
        return ""
    rule = "| " + " | ".join("---" for _ in head) + " |"
    return "\n".join(["| " + " | ".join(head) + " |", rule, *lines]) + "\n"


# --- the Python API ----------------------------------------------------------------------------


@frozen
class PublicName:
    """A public name: the package that has it, the module it is from, and the value."""

    package: str
    name: str
    module: str
    value: Any

    @property
    def path(self) -> str:
        """The name with its package, as it is imported."""
        return f"{self.package}.{self.name}"

    @property
    def words(self) -> str:
        """The docstring, also of a value."""
        found = _words_of_values(self.module).get(self.name, "")
        return found if self.kind == "data" else inspect.getdoc(self.value) or ""

    @property
    def kind(self) -> str:
        """The directive of autodoc that describes it."""
        if not isinstance(self.value, type):
            plain = inspect.unwrap(self.value)  # of a function that remembers its results
            return "function" if isinstance(plain, FunctionType) else "data"
        return "exception" if issubclass(self.value, BaseException) else "class"


@cache
def packages() -> tuple[str, ...]:
    """Return the packages that have public names: the root, then the others."""
    found = sorted(SOURCE.glob("**/__init__.pyi"), key=lambda path: (len(path.parts), path))
    return tuple(".".join(("trente_rules", *path.relative_to(SOURCE).parts[:-1])) for path in found)


@cache
def public_names(package: str) -> tuple[PublicName, ...]:
    """Return the public names of a package, as its ``__init__.pyi`` lists them."""
    module = import_module(package)
    stub = Path(str(module.__file__)).with_suffix(".pyi")
    return tuple(
        PublicName(package, alias.name, f"{package}.{node.module}", getattr(module, alias.name))
        for node in ast.parse(stub.read_text("utf-8")).body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if not alias.name.startswith("__")
    )


@cache
def all_public_names() -> tuple[PublicName, ...]:
    """Return the public names of all packages."""
    return tuple(each for package in packages() for each in public_names(package))


@cache
def _words_of_values(module: str) -> Mapping[str, str]:
    """Return the docstrings under the values of a module, which only its source has."""
    body = ast.parse(Path(str(import_module(module).__file__)).read_text("utf-8")).body
    found = {}
    for node, after in pairwise(body):
        if isinstance(node, ast.AnnAssign | ast.Assign) and (words := _string_of(after)):
            target = node.target if isinstance(node, ast.AnnAssign) else node.targets[0]
            found[ast.unparse(target)] = inspect.cleandoc(words)
    return found


def _string_of(node: ast.stmt) -> str:
    """Return the string that a statement is, or an empty one."""
    value = node.value if isinstance(node, ast.Expr) else None
    return value.value if isinstance(value, ast.Constant) and isinstance(value.value, str) else ""


WIDEST: Final = 70
"""The longest value that is shown with its name."""


def _directive(each: PublicName) -> str:
    if each.kind == "data":
        value = repr(each.value)
        short = len(value) <= WIDEST and " at 0x" not in value
        shown = f"   :value: {value}\n" if short else ""
        words = each.words.replace("\n", "\n   ")
        return f".. py:data:: {each.path}\n{shown}\n   {words}\n"
    lines = [f".. auto{each.kind}:: {each.path}"]
    if isinstance(each.value, type):
        lines.append("   :members:")
        if issubclass(each.value, Enum):
            lines.append("   :undoc-members:")
        if any(_is_private(base) for base in each.value.__mro__[1:]):
            lines.append("   :inherited-members: Exception, Enum, IntEnum, StrEnum, object")
    return "\n".join(lines) + "\n"


def _is_private(base: type) -> bool:
    """Return whether a base class is ours, and has no entry to look at."""
    ours = base.__module__.startswith("trente_rules")
    return ours and base not in {each.value for each in all_public_names() if each.kind == "class"}


def shown_default(value: Any) -> str:
    """Return a default value as it is written in a signature; dots for one without a short form."""
    if isinstance(value, Enum):
        return f"{type(value).__name__}.{value.name}"
    text = repr(value)
    try:
        ast.parse(text, mode="eval")
    except SyntaxError:
        return "..."
    return text if len(text) <= WIDEST else "..."


_GROUPS: Final[Mapping[str, str]] = {
    "data": "Values and types",
    "function": "Functions",
    "class": "Classes",
    "exception": "Errors",
}


def api(package: str) -> str:
    """Return the reference of one package: a table of its names, then each of them."""
    names = public_names(package)
    rows = ((f"{{py:obj}}`{each.name} <{each.path}>`", line_of(each.words)) for each in names)
    parts = [
        f"```{{py:module}} {package}\n```\n",
        table(("name", "what it is"), rows),
    ]
    for kind, title in _GROUPS.items():
        found = [each for each in names if each.kind == kind]
        if found:
            body = "\n".join(map(_directive, found))
            parts.append(f"## {title}\n\n````{{eval-rst}}\n{body}````\n")
    return "\n".join(parts)


def api_packages() -> str:
    """Return the table of all packages, with the page of each."""
    rows = []
    for package in packages():
        name = package.removeprefix("trente_rules.")
        page = "api-root" if package == name else f"api-{name}"
        said = line_of(import_module(package).__doc__ or "")
        rows.append((f"[`{package}`]({page}.md)", said, str(len(public_names(package)))))
    return table(("package", "what it is", "names"), rows)


# --- the commands ------------------------------------------------------------------------------

_SECTION: Final = re.compile(r"^([A-Z][A-Za-z ]*):[ \n]", re.MULTILINE)


def commands() -> str:
    """Return the reference of every command, from the commands themselves."""
    context = click.Context(
        trente, info_name="trente", max_content_width=10_000, **trente.context_settings
    )
    parts = []
    for group, members in groupby(COMMANDS, key=lambda each: each.group):
        rows = [(f"[`trente {e.name}`](#command-{e.name})", escaped(e.help)) for e in members]
        parts.append(table((group, "what it does"), rows))
    for each in COMMANDS:
        target, _, attribute = each.target.partition(":")
        parts += _command(getattr(import_module(target), attribute), each.name, context, "##")
    return "\n".join(parts)


def _command(command: Any, name: str, above: click.Context, mark: str) -> Iterator[str]:
    with click.Context(
        command, info_name=name, parent=above, terminal_width=10_000, max_content_width=10_000
    ) as context:
        sections = sections_of(command.get_help(context))
        path = context.command_path
        yield f"(command-{'-'.join(path.split()[1:])})=\n"
        yield f"{mark} {path}\n"
        yield f"```text\n{' '.join(sections.pop('Usage').split()).removeprefix('Usage: ')}\n```\n"
        yield paragraphs(sections.pop(""))
        sections.pop("Commands", None)
        sections.pop("Options", None)
        records = [param.get_help_record(context) for param in command.params]
        said = [each for each in records if each and each[1] and not each[0].endswith("--help")]
        rows = ((f"`{name}`", escaped(meaning)) for name, meaning in said)
        yield table(("option", "meaning"), rows)
        for title, text in sections.items():
            yield f"**{title}**\n\n{_ending(inspect.cleandoc(chr(10) + text))}\n"
        for inner in getattr(command, "commands", {}):
            yield from _command(command.commands[inner], inner, context, mark + "#")


def _ending(text: str) -> str:
    """Return the section at the end of a help: numbers with their meaning, or lines as they are."""
    statuses = re.findall(r"^(\d+) +(.+)$", text, re.MULTILINE)
    if len(statuses) == len(text.splitlines()):
        return table(
            ("status", "meaning"), ((number, escaped(words)) for number, words in statuses)
        )
    return f"```console\n{text}\n```"


def sections_of(help_text: str) -> dict[str, str]:
    """Return the sections of a help text by their titles; the text before any has none."""
    usage, _, rest = help_text.partition("\n\n")
    found = {"Usage": usage.removeprefix("Usage:").strip()}
    starts = list(_SECTION.finditer(rest))
    ends = [match.start() for match in starts[1:]] + [len(rest)]
    found[""] = rest[: starts[0].start()] if starts else rest
    for match, end in zip(starts, ends, strict=True):
        found[match[1]] = rest[match.end() : end].rstrip()
    return found


def paragraphs(text: str) -> str:
    """Return the words of a help text as Markdown; lines that are kept apart are literal."""
    blocks = inspect.cleandoc("\n" + text).split("\n\n")
    said = []
    for block in blocks:
        lines = block.splitlines()
        literal = len(lines) > 1 or block.startswith(" ")
        said.append(f"```text\n{block}\n```" if literal else escaped(block))
    return "\n\n".join(said) + "\n"


# --- the schemas -------------------------------------------------------------------------------


def schemas() -> str:
    """Return every part of the wire contract, with the fields of each kind of value."""
    parts = []
    shown: set[str] = set()
    for name, make in _SCHEMAS.items():
        if name == "house":
            continue
        schema = make()
        new = [each for each in schema["$defs"] if each not in shown]
        shown.update(new)
        parts.append(f"(schema-of-{name})=\n\n## {name}\n\n`{schema['$id']}`: {_named(schema)}.\n")
        parts += [_definition(each, schema["$defs"][each]) for each in new]
    return "\n".join(parts)


def _named(schema: Mapping[str, Any]) -> str:
    title = escaped(schema["title"])
    form = _form(schema) if "$ref" in schema or "oneOf" in schema or "anyOf" in schema else ""
    return f"{title} ({form})" if form else title


def _definition(name: str, schema: Mapping[str, Any]) -> str:
    said = ticked(schema.get("description", ""))
    text = f"(schema-{name.lower()})=\n\n### {name}\n\n{said}\n"
    properties = schema.get("properties")
    if properties is None:
        return f"{text}\n{_form(schema)}\n"
    needed = schema.get("required", ())
    head = ("field", "value", "needed", "meaning")
    rows = [
        (
            f"`{key}`",
            _form(value),
            "yes" if key in needed else "",
            ticked(value.get("description", "")),
        )
        for key, value in properties.items()
    ]
    columns = 4 if any(row[3] for row in rows) else 3
    return f"{text}\n{table(head[:columns], (row[:columns] for row in rows))}"


FEW: Final = 3
"""How many forms of a value are read as a sentence, and not as a list."""


def _form(schema: Mapping[str, Any]) -> str:
    """Return what a value may be, in short words."""
    match schema:
        case {"$ref": str(path)}:
            name = path.rsplit("/", 1)[1]
            return f"[{name}](#schema-{name.lower()})"
        case {"const": value}:
            return _form({"enum": [value]})
        case {"enum": values}:
            return ", ".join(f"`{json.dumps(value, ensure_ascii=False)}`" for value in values)
        case {"oneOf": forms} | {"anyOf": forms}:
            return (" or " if len(forms) <= FEW else ", ").join(map(_form, forms))
        case {"type": "array", "prefixItems": forms}:
            return "a list of " + ", ".join(map(_form, forms))
        case {"type": "array", "items": dict(form)}:
            return f"a list of {_form(form)}"
        case {"type": "object", "additionalProperties": dict(form)}:
            return f"an object of {_form(form)}"
        case {"type": "string", "pattern": pattern}:
            return f"a string, `{pattern}`"
        case {"type": kind}:
            return {"array": "a list", "object": "an object", "null": "null"}.get(kind, f"{kind}")
    return "any value"


# --- hooks, and what is known by name ----------------------------------------------------------


def hooks() -> str:
    """Return every hook: its docstring, what it returns, and what is shipped through it."""
    parts = [ticked(inspect.cleandoc(hookspecs.__doc__ or "").replace("::\n\n    [", ":\n\n    ["))]
    for kind, (hook, thing) in HOOKS.items():
        function = getattr(hookspecs, hook)
        names = ", ".join(f"`{name}`" for name in PLUGINS.names(kind))
        said = ticked(inspect.cleandoc(function.__doc__ or ""))
        form = f"Returns a sequence of [{thing.__name__}](#hook-{thing.__name__.lower()})."
        parts.append(f"## {hook}\n\n{said}\n\n{form} Shipped: {names}.\n")
    parts.append("## What hooks return\n")
    for thing in dict.fromkeys(thing for _hook, thing in HOOKS.values()):
        rows = (
            (f"`{each.name}`", f"`{_type_name(each.type)}`", _default(each.default))
            for each in attrs.fields(thing)
        )
        said = ticked(inspect.cleandoc(thing.__doc__ or ""))
        fields = table(("field", "type", "default"), rows)
        mark = f"(hook-{thing.__name__.lower()})="
        parts.append(f"{mark}\n\n### {thing.__name__}\n\n{said}\n\n{fields}")
    return "\n\n".join(parts)


def _type_name(kind: Any) -> str:
    return kind if isinstance(kind, str) else getattr(kind, "__name__", str(kind))


def _default(value: Any) -> str:
    return "" if value is attrs.NOTHING else f"`{value!r}`"


def chances() -> str:
    """Return the chances that every house may have."""
    words = _words_of_values("trente_rules.core.chances")
    rows = ((f"`{chance}`", words[chance.upper()]) for chance in SIMPLE_CHANCES)
    return table(("chance", "what it is"), rows)


def systems() -> str:
    """Return the staking systems, each with its options."""
    parts = []
    for name in PLUGINS.names("system"):
        cls = PLUGINS.rule("system", name).rule
        rows = ((f"`{each.name}`", _default(each.default), each.doc) for each in keys_of(cls))
        options = table(("option", "default", "meaning"), rows)
        said = ticked(inspect.cleandoc(cls.__doc__ or ""))
        parts.append(f"### {escaped(name)}\n\n{said}\n\n{options}")
    return "\n".join(parts)


def languages() -> str:
    """Return the languages of calls and rules."""
    rows = ((f"`{code}`", PLUGINS.language(code).name) for code in PLUGINS.names("language"))
    return table(("code", "language"), rows)


def formats() -> str:
    """Return the formats of reports."""
    rows = []
    for name in PLUGINS.names("format"):
        each = PLUGINS.format(name)
        extra = f"`trente-rules[{each.extra}]`" if each.extra else ""
        rows.append((f"`{name}`", f"`{each.suffix}`" if each.suffix else "", extra))
    return table(("format", "files end in", "needs"), rows)


def houses() -> str:
    """Return the shipped houses and their titles."""
    from trente_rules import load_house  # noqa: PLC0415 - reads every house

    rows = ((f"`{name}`", escaped(load_house(name).title)) for name in PLUGINS.names("house"))
    return table(("house", "title"), rows)


# --- files of the source -----------------------------------------------------------------------

ABOUT: Final[Mapping[str, str]] = {
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "SECURITY.md": "security.md",
    "README.md": "index.md",
}
"""The page that shows a file of the source."""
_EXAMPLE: Final = re.compile(r"\]\((?:\.\./)?examples/([\w.-]+)[^)]*\)")


def linked(text: str, *, in_docs: bool) -> str:
    """Return a page whose links out of the folder lead to pages of the site."""
    for file, page in ABOUT.items():
        text = text.replace(f"](../{file}", f"]({page}")
        if not in_docs:
            text = text.replace(f"]({file}", f"]({page}")
    text = _EXAMPLE.sub(lambda found: f"](examples.md#example-{_slug(found[1])})", text)
    return text if in_docs else text.replace("](docs/", "](")


def file(name: str) -> str:
    """Return a Markdown file of the source without its title, with links as the site has them."""
    _title, _, rest = (ROOT / name).read_text("utf-8").partition("\n")
    return linked(rest, in_docs=False)


_LANGUAGES: Final[Mapping[str, str]] = {
    ".py": "python",
    ".toml": "toml",
    ".ts": "typescript",
    ".json": "json",
    ".md": "markdown",
    ".service": "ini",
}
_MADE: Final = {"package-lock.json", "trente.ts", "tsconfig.json"}
"""Files of an example that nobody reads: made by tools."""


def _is_made(path: Path) -> bool:
    folders = {"__pycache__", "node_modules", "dist"}
    return path.name in _MADE or not folders.isdisjoint(path.parts)


def example_files() -> dict[str, list[Path]]:
    """Return the files of every example, by the name of the example in ``examples/``."""
    found = {}
    for path in sorted((ROOT / "examples").iterdir()):
        if path.name.startswith(("_", ".")):
            continue
        inner = (
            sorted(each for each in path.rglob("*") if each.is_file()) if path.is_dir() else [path]
        )
        kept = [
            each
            for each in inner
            if each.name not in _MADE
            and not {"__pycache__", "node_modules", "dist"} & {*each.parts}
        ]
        found[path.name] = kept
    return found


def examples() -> str:
    """Return every example with its files."""
    parts = []
    for name, files in example_files().items():
        parts.append(f"(example-{_slug(name)})=\n\n## {escaped(name)}\n")
        for path in files:
            text = path.read_text("utf-8").rstrip()
            language = _LANGUAGES.get(path.suffix, "text")
            shown = path.relative_to(ROOT).as_posix()
            parts.append(f"`{shown}`\n\n`````{language}\n{text}\n`````\n")
    return "\n".join(parts)


def _slug(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", name.lower())


PARTS: Final[Mapping[str, Callable[..., str]]] = {
    "api": api,
    "api-packages": api_packages,
    "chances": chances,
    "commands": commands,
    "examples": examples,
    "file": file,
    "formats": formats,
    "hooks": hooks,
    "houses": houses,
    "languages": languages,
    "schemas": schemas,
    "systems": systems,
}
"""What ``{reference} PART [ARGUMENT]`` may name."""
_FENCE: Final = re.compile(r"^```\{reference\} ([\w-]+)(?: (\S+))?\n```$", re.MULTILINE)


def is_made(page: str) -> bool:
    """Return whether a page names a part."""
    return _FENCE.search(page) is not None


def whole(page: str) -> str:
    """Return a page with the text of the parts that it names."""
    return _FENCE.sub(lambda found: PARTS[found[1]](*filter(None, found.groups()[1:])), page)


_OUTSIDE: Final = re.compile(
    r"""<(?:script|img|iframe|source|video|audio)[^>]*\ssrc=["'](?:https?:)?//"""
    r"""|<link(?![^>]*rel=["']canonical)[^>]*\shref=["'](?:https?:)?//"""
    r"""|@import\s+(?:url\()?["']?(?:https?:)?//|url\(["']?(?:https?:)?//"""
)


def loaded_from_elsewhere(folder: Path) -> list[str]:
    """Return what pages or styles of a built site load from other sites."""
    return [
        f"{path.relative_to(folder)}: {found[0]}"
        for path in sorted(folder.rglob("*"))
        if path.suffix in (".html", ".css")
        for found in _OUTSIDE.finditer(path.read_text("utf-8"))
    ]


if __name__ == "__main__":
    parser = parser_of(__doc__)
    parser.add_argument("part", choices=tuple(PARTS))
    parser.add_argument("argument", nargs="?", help="what of the part, as a page names it")
    asked = parser.parse_args()
    print(PARTS[asked.part](*filter(None, [asked.argument])))  # noqa: T201 - to look at
