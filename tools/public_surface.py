"""What is public, as text: stubs of the Python API, and one list of everything else.

The stubs say names, parameters with their kinds, defaults and annotations, attributes, bases and
values, as they are in the running package: what ``attrs`` makes is in them, and what a class has
from a base that is not public. The list has commands and options, error codes, hooks, keys of house
files, fields of JSON, requests of the service, and whatever is known by a name. Each release keeps
both in ``tests/golden/VERSION``; ``tools/api_changes.py`` compares them with those of today.
"""

# ruff: noqa: INP001

from __future__ import annotations

import ast
import inspect
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import redirect_stderr, redirect_stdout, suppress
from enum import Enum
from importlib import import_module
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any, Final, get_args, get_origin
from unittest.mock import patch

import attrs
import click
import reference

from trente_rules import Table, load_house
from trente_rules.cli.group import run, trente
from trente_rules.cli.schema import _SCHEMAS
from trente_rules.core.plugins.manager import HOOKS
from trente_rules.fair import FairShoe
from trente_rules.records import record_of, write_record
from trente_rules.service.endpoint_table import ENDPOINTS
from trente_rules.table import SqliteJournal
from trente_rules.testing import opening_of
from trente_rules.testing.journals import play

Facts = dict[str, str]
Surface = dict[str, Facts]
"""Each area, with its names and a short fact about each: another fact is a change."""

# --- stubs of the Python API -------------------------------------------------------------------

OPERATORS: Final = frozenset(
    f"__{name}__"
    for name in (
        *("enter", "exit", "aenter", "aexit", "iter", "next", "len", "getitem", "contains"),
        *("call", "lt", "le", "add", "radd", "sub", "mul", "rmul", "truediv", "neg", "or", "and"),
        *("bool", "int", "float", "str"),
    )
)
"""Methods with two underscores that somebody uses without naming them."""
SHORT: Final = 70
_BUILTIN: Final = (object, BaseException, Enum)


class _Text:
    """A value that is shown as a text, in a signature."""

    def __init__(self, text: str) -> None:
        self._text = text

    def __repr__(self) -> str:
        return self._text


def _annotation(value: Any) -> str:
    """Return a type as it is written; how a value is read and written as JSON is left out."""
    if isinstance(value, str):
        return value
    if get_origin(value) is Annotated:
        return _annotation(get_args(value)[0])
    text = inspect.formatannotation(value)
    return _OWN_MODULES.sub("", text) if " at 0x" not in text else "Any"


_OWN_MODULES: Final = re.compile(
    r"\btrente_rules(?:\.\w+)*\.(?=[A-Z])|\b(?:collections\.abc|typing)\."
)
"""Where a type is from: it may move."""


def _default(value: Any) -> str:
    return "..." if value is attrs.NOTHING else reference.shown_default(value)


def _signature(function: Any, *, bound: bool = False) -> str:
    """Return the parameters of a function and what it returns; without ``self`` where bound."""
    signature = inspect.signature(function)
    empty = inspect.Parameter.empty
    parameters = [
        each.replace(
            annotation=empty if each.annotation is empty else _Text(_annotation(each.annotation)),
            default=empty if each.default is empty else _Text(_default(each.default)),
        )
        for each in list(signature.parameters.values())[bound:]
    ]
    returned = signature.return_annotation
    if returned is not empty:
        returned = _Text(_annotation(returned))
    return str(signature.replace(parameters=parameters, return_annotation=returned))


def _is_foreign(owner: type) -> bool:
    """Return whether a class is none of ours: its members are described elsewhere."""
    return not owner.__module__.startswith("trente_")


def _members(cls: type) -> Iterator[tuple[str, type, Any]]:
    """Yield the public members of a class in order: name, the class that has it, the value."""
    seen: set[str] = set()
    for owner in cls.__mro__:
        if _is_foreign(owner):
            continue
        for name, value in vars(owner).items():
            if name in seen or (name.startswith("_") and name not in OPERATORS):
                continue
            seen.add(name)
            yield name, owner, value


def _method(name: str, value: Any) -> str | None:
    mark, function = "", value
    if isinstance(value, staticmethod | classmethod):
        mark, function = f"    @{type(value).__name__}\n", value.__func__
    function = inspect.unwrap(function)
    if not inspect.isfunction(function):
        return None
    word = "async def" if inspect.iscoroutinefunction(function) else "def"
    return f"{mark}    {word} {name}{_signature(function)}: ..."


def _returned(function: Any) -> str:
    """Return the annotation of what a property returns."""
    found = inspect.signature(function).return_annotation
    return "Any" if found is inspect.Signature.empty else _annotation(found)


def _member(cls: type, name: str, owner: type, value: Any) -> str | None:
    """Return the lines of a member, or None for one that is no part of the contract."""
    if isinstance(value, Enum) and name in getattr(cls, "__members__", ()):
        return f"    {name} = {_plain(value.value)}"
    getter = getattr(value, "fget", None) or getattr(value, "func", None)
    if getter is not None and not inspect.isfunction(value):
        return f"    {name}: {_returned(getter)}"
    if (found := _method(name, value)) is not None:
        return found
    fields = {each.name: each for each in attrs.fields(cls)} if attrs.has(cls) else {}
    if name in fields:
        return f"    {name}: {_annotation(fields[name].type)}"
    annotated = inspect.get_annotations(owner).get(name)
    shown = _plain(value)
    if annotated is None:
        return f"    {name} = {shown}"
    return f"    {name}: {_annotation(annotated)}" + ("" if shown == "..." else f" = {shown}")


def _plain(value: Any) -> str:
    """Return a number, a string or a constant as Python has it; dots for all else."""
    plain = value is None or isinstance(value, bool | int | float | str)
    if isinstance(value, Enum):
        return reference.shown_default(value)
    return repr(value) if plain and len(repr(value)) <= SHORT else "..."


def _bases(cls: type, paths: Mapping[int, str]) -> str:
    """Return the bases that somebody may rely on: public ones, and those of Python."""
    found = [
        paths.get(id(base), base.__name__)
        for base in cls.__mro__[1:]
        if id(base) in paths or (base.__module__ == "builtins" and base is not object)
    ]
    if issubclass(cls, Enum):
        found.append("Enum")
    return f"({', '.join(found)})" if found else ""


def _class(name: str, cls: type, paths: Mapping[int, str]) -> str:
    lines = [f"class {name}{_bases(cls, paths)}:"]
    fields = attrs.fields(cls) if attrs.has(cls) else ()
    known = dict.fromkeys(each.name for each in fields if not each.name.startswith("_"))
    lines += [f"    {each.name}: {_annotation(each.type)}" for each in fields if each.name in known]
    if not issubclass(cls, Enum) and "__init__" in {*vars(cls)} | {
        key for owner in cls.__mro__ if not _is_foreign(owner) for key in vars(owner)
    }:
        lines.append(f"    def __init__{_signature(cls.__init__)}: ...")
    found = (
        _member(cls, member, owner, value)
        for member, owner, value in _members(cls)
        if member not in known
    )
    lines += [each for each in found if each is not None]
    return "\n".join(lines if len(lines) > 1 else [*lines, "    ..."])


def _stub(each: reference.PublicName, paths: Mapping[int, str]) -> str:
    """Return the lines of one public name: where it is also in another package, a reference."""
    value = each.value
    if each.kind in {"class", "exception"}:
        home = paths[id(value)]
        if home != each.path:
            package, _, name = home.rpartition(".")
            return f"from {package} import {name} as {each.name}"
        return _class(each.name, value, paths)
    if each.kind == "function":
        plain = inspect.unwrap(value)
        word = "async def" if inspect.iscoroutinefunction(plain) else "def"
        return f"{word} {each.name}{_signature(plain)}: ..."
    annotated = vars(import_module(each.module)).get("__annotations__", {}).get(each.name)
    kind = _annotation(annotated) if annotated is not None else type(value).__name__
    kind = re.sub(r"^(?:typing\.)?Final(?:\[(.*)\])?$", r"\1", kind) or type(value).__name__
    shown = _plain(value)
    return f"{each.name}: {kind}" + ("" if shown == "..." else f" = {shown}")


def stubs() -> dict[str, str]:
    """Return the stub of each public package, by its name."""
    names = [each for each in reference.all_public_names() if isinstance(each.value, type)]
    # A class is described in the package that lists it and is nearest to its module.
    paths: dict[int, str] = {}
    for each in sorted(names, key=lambda one: len(one.package.split("."))):
        if id(each.value) not in paths or each.module.startswith(each.package):
            paths[id(each.value)] = each.path
    found = {}
    for package in reference.packages():
        lines = [_stub(each, paths) for each in reference.public_names(package)]
        listed = ", ".join(repr(each.name) for each in reference.public_names(package))
        text = "\n".join([f"# {package}", f"__all__ = [{listed}]", *lines]) + "\n"
        ast.parse(text)
        found[package] = text
    return found


# --- commands ----------------------------------------------------------------------------------


def _commands(command: click.Command, path: str) -> Iterator[tuple[str, str]]:
    yield path, "command"
    for param in command.params:
        if isinstance(param, click.Option):
            spelt = [*param.opts, *param.secondary_opts]
            needs = ", needed" if param.required else ""
            takes = "flag" if param.is_flag else "repeated" if param.multiple else "value"
            yield from ((f"{path} {name}", f"{takes}{needs}") for name in spelt)
            yield from _choices(param, f"{path} {spelt[0]}")
        else:
            count = "any number" if param.nargs == -1 else f"{param.nargs}"
            yield f"{path} <{param.name}>", f"{count}{', needed' if param.required else ''}"
            yield from _choices(param, f"{path} <{param.name}>")
    for status in vars(command).get("status", getattr(command, "status", {})):
        yield f"{path} exit {status}", "exit status"
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            if (inner := command.get_command(context, name)) is not None:
                yield from _commands(inner, f"{path} {name}")


def _choices(param: click.Parameter, path: str) -> Iterator[tuple[str, str]]:
    if isinstance(param.type, click.Choice):
        yield from ((f"{path} {choice}", "choice") for choice in param.type.choices)


# --- fields of JSON ----------------------------------------------------------------------------


def schemas() -> Facts:
    """Return every kind of value of the wire contract with its fields, as JSON Schema has them."""
    kinds: dict[str, Mapping[str, Any]] = {}
    found: Facts = {}
    for name, make in _SCHEMAS.items():
        if name != "house":
            schema = make()
            kinds = {**schema["$defs"], **kinds}
            found |= {f"{name}: {kind}": "part" for kind in schema["$defs"]}
    for kind, each in kinds.items():
        needed = each.get("required", ())
        properties = each.get("properties", {})
        if not properties:
            found[kind] = _form(each)
        for field, value in properties.items():
            found[f"{kind}.{field}"] = _form(value) + (", needed" if field in needed else "")
    return found


def _form(schema: Any) -> str:
    """Return what a value may be, without words."""
    if isinstance(schema, Mapping):
        kept = {
            key: json.loads(_form(value))
            for key, value in schema.items()
            if key not in {"description", "title", "examples", "default", "$comment"}
        }
        return json.dumps(kept, sort_keys=True, ensure_ascii=False)
    if isinstance(schema, list):
        return json.dumps([json.loads(_form(each)) for each in schema], ensure_ascii=False)
    return json.dumps(schema, ensure_ascii=False)


def _paths(value: Any, path: str) -> Iterator[tuple[str, str]]:
    """Yield every place of a JSON value that has a name, with the kind of what is there."""
    match value:
        case dict():
            for name, each in value.items():
                yield from _paths(each, f"{path}.{name}" if _is_field(name) else f"{path}.NAME")
        case list():
            for each in value:
                yield from _paths(each, f"{path}[]")
        case _:
            kind = {bool: "true or false", str: "string", type(None): "null"}.get(type(value))
            yield path, kind or "number"


def _is_field(name: str) -> bool:
    """Return whether a key is the name of a field: no house, chance, player or number."""
    return re.fullmatch(r"[a-z][a-z_]*[a-z0-9_]*", name) is not None and name not in _NAMES


_NAMES: Final = frozenset(
    name
    for kind in HOOKS
    if kind not in {"command", "format", "language"}
    for name in reference.PLUGINS.names(kind)
) | {"ann", "rouge", "noir", "couleur", "inverse"}
REPORTS: Final[Mapping[str, str]] = {
    "houses": "houses",
    "plugins": "plugins",
    "fingerprint": "fingerprint france-2007",
    "compare": "compare france-2007 italy-half-loss",
    "diff": "diff france-2007 italy-half-loss",
    "show": "show france-2007",
    "rules": "rules france-2007",
    "check": "check my.toml",
    "odds": "odds --full",
    "odds, first row": "odds --first 36",
    "par": "par france-2007",
    "count": "count france-2007 --shoes 2 --seed 4",
    "history": "history table.journal",
    "monitor": "monitor table.journal",
    "record": "record taille.toml",
    "replay": "replay taille.toml",
    "verify": "verify taille.toml",
    "verify a journal": "verify table.journal",
    "card": "card taille.toml",
    "journal head": "journal head table.journal",
    "rng verify": "rng verify shoe.json",
    "rng audit": "rng audit published",
    "journal backup": "journal backup table.journal copy.journal",
    "simulate": "simulate france-2007 --coups 1000 --seed 1 --workers 1",
    "simulate, systems": (
        "simulate france-2007 --coups 1000 --session 100 --seed 1 --workers 1 --system martingale"
    ),
    "simulate, noted": "simulate france-2007 --results LWWLWX --system martingale",
}
"""The call of each command whose JSON is kept."""


def _report(words: list[str]) -> Any:
    """Return what a command prints with ``--format json``."""
    out, error = StringIO(), StringIO()
    with redirect_stdout(out), redirect_stderr(error), suppress(SystemExit):
        run([*words, "--format", "json"])
    try:
        return json.loads(out.getvalue())
    except ValueError as fault:
        raise ValueError(f"{' '.join(words)}: no JSON: {error.getvalue()}") from fault


def _filled(folder: Path) -> None:
    """Make the files that the calls name."""
    (folder / "my.toml").write_text('[house]\nname = "my"\nextends = "nowhere"\n', "utf-8")
    house = load_house("france-2007")
    with SqliteJournal(folder / "table.journal") as journal:
        table = Table(house, name="salle-3", opening=opening_of(house), journal=journal)
        play(table, 12)
    write_record(record_of(table), folder / "taille.toml")
    sealed = FairShoe.seal(7, packs=2, server_seed=bytes(range(100, 132)))
    shown = sealed.shuffle(["ann"]).retire().reveal().to_json()
    (folder / "published").mkdir()
    for file in (folder / "shoe.json", folder / "published" / "7.json"):
        file.write_text(json.dumps(shown), "utf-8")


def reports() -> Facts:
    """Return the fields of the JSON of every command in ``REPORTS``."""
    found: dict[str, set[str]] = {}
    with TemporaryDirectory() as kept:
        folder = Path(kept)
        _filled(folder)
        for name, call in REPORTS.items():
            words = [
                str(folder / word) if re.search(r"[.]\w|^published", word) else word
                for word in call.split()
            ]
            for path, kind in _paths(_report(words), ""):
                found.setdefault(f"{name} {path.lstrip('.')}", set()).add(kind)
    # Whether a value may be missing is not seen in one example.
    return {path: " or ".join(sorted(kinds - {"null"} or kinds)) for path, kinds in found.items()}


# --- the rest ----------------------------------------------------------------------------------


def error_codes() -> Facts:
    """Return every code of docs/errors.md, which a test compares with the source."""
    page = (reference.ROOT / "docs" / "errors.md").read_text("utf-8")
    rows = re.findall(r"^\| (`[^|]+) \|", page, re.MULTILINE)
    codes = {code for row in rows for code in re.findall(r"`([a-z0-9]+(?:-[a-z0-9]+)+)`", row)}
    return dict.fromkeys(sorted(codes), "code")


def hooks() -> Facts:
    """Return every hook with what it returns, and the fields of that."""
    found = {hook: f"a sequence of {thing.__name__}" for hook, thing in HOOKS.values()}
    for thing in dict.fromkeys(thing for _hook, thing in HOOKS.values()):
        for each in attrs.fields(thing):
            kind = each.type if isinstance(each.type, str) else _annotation(each.type)
            needed = ", needed" if each.default is attrs.NOTHING else ""
            found[f"{thing.__name__}.{each.name}"] = f"{kind}{needed}"
    return found


def house_keys() -> Facts:
    """Return the keys of house files, those of the shipped rules too, as docs/keys.md has them."""
    page = (reference.ROOT / "docs" / "keys.md").read_text("utf-8")
    found = {}
    for section in re.split(r"^#+ ", page, flags=re.MULTILINE)[1:]:
        title = section.partition("\n")[0]
        for row in re.findall(r"^\| `([^`]+)` \|([^|]*)\|([^|]*)\|", section, re.MULTILINE):
            default, kind = (each.strip() for each in row[1:])
            found[f"{title}: {row[0]}"] = default if kind.endswith(".") else f"{default}; {kind}"
    return found


def requests() -> Facts:
    """Return every request of the service: who may make it, its parameters, its replies."""
    found = {}
    for each in ENDPOINTS:
        name = f"{each.method} {each.path}"
        found[name] = "request"
        found |= {f"{name} as {role}": "role" for role in each.roles or ("anybody",)}
        found |= {f"{name} ?{one.name}": one.place for one in each.parameters}
        found |= {f"{name} -> {one.status} {one.media}": "reply" for one in each.replies}
    return found


def known_names() -> Facts:
    """Return whatever is known by name: houses, rules, systems, languages, formats."""
    return {f"{kind} {name}": kind for kind in HOOKS for name in reference.PLUGINS.names(kind)}


def environment() -> Facts:
    """Return the variables of the environment that the source reads."""
    source = "".join(path.read_text("utf-8") for path in sorted(reference.SOURCE.rglob("*.py")))
    names = re.findall(r'"(TRENTE_[A-Z_]+)"', source)
    return dict.fromkeys(sorted(set(names)), "variable")


AREAS: Final[Mapping[str, Callable[[], Facts | Iterable[tuple[str, str]]]]] = {
    "commands": lambda: _commands(trente, "trente"),
    "environment": environment,
    "errors": error_codes,
    "hooks": hooks,
    "keys": house_keys,
    "names": known_names,
    "reports": reports,
    "requests": requests,
    "schemas": schemas,
}


def surface() -> Surface:
    """Return everything public that is not Python, sorted."""
    with patch.dict("os.environ", {"TRENTE_RULES_PLUGINS": ""}):
        return {area: dict(sorted(dict(make()).items())) for area, make in AREAS.items()}


# --- what is kept ------------------------------------------------------------------------------

STUBS: Final = "api"
LIST: Final = "surface.json"


def write(folder: Path) -> None:
    """Keep what is public today in the folder of a release."""
    (folder / STUBS).mkdir(parents=True, exist_ok=True)
    for package, text in stubs().items():
        (folder / STUBS / f"{package}.txt").write_text(text, "utf-8")
    text = json.dumps(surface(), ensure_ascii=False, indent=0)
    (folder / LIST).write_text(f"{text}\n", "utf-8")


def kept(folder: Path) -> tuple[dict[str, str], Surface]:
    """Return the stubs and the list that a release kept."""
    found = {path.stem: path.read_text("utf-8") for path in (folder / STUBS).glob("*.txt")}
    listed: Surface = json.loads((folder / LIST).read_text("utf-8"))
    return found, listed
