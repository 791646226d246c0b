"""Finding plugins, checking what they bring, and returning it by name.

Every hook is called through pluggy, so that wrappers and ordering act. Each implementation is
guarded: one that fails is reported by name, and the rest works.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stdout
from functools import cache, partial
from types import ModuleType, SimpleNamespace
from typing import TYPE_CHECKING, Any, Final

import attrs
import pluggy
from attrs import frozen

from trente_rules.core.errors import PluginError, TrenteError, nearest, shown
from trente_rules.core.plugins import builtin, hookspecs
from trente_rules.core.plugins.hookspecs import (
    PROJECT,
    Format,
    HouseText,
    LanguageText,
    Named,
    Subcommand,
    houses_in,
)

ENVIRONMENT: Final = "TRENTE_RULES_PLUGINS"
"""The environment variable that limits which strangers' plugins are loaded: names of distributions
or of ``distribution:entry``, with commas between them; empty for none."""
OWN: Final = "trente-rules"
"""The distribution whose names are reserved."""
HOOKS: Final[Mapping[str, tuple[str, type]]] = {
    "house": ("trente_houses", HouseText),
    "refait rule": ("trente_refait_rules", Named),
    "insurance rule": ("trente_insurance_rules", Named),
    "limit rule": ("trente_limit_rules", Named),
    "side bet": ("trente_side_bets", Named),
    "system": ("trente_systems", Named),
    "language": ("trente_languages", LanguageText),
    "format": ("trente_formats", Format),
    "command": ("trente_commands", Subcommand),
}
"""What plugins bring: the hook that brings it, and the class of what the hook returns."""
_KINDS: Final = {hook: kind for kind, (hook, _thing) in HOOKS.items()}

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from trente_rules.core.rules.announcements import Language


@frozen
class PluginReport:
    """A plugin as ``trente plugins`` lists it: its name, what it brings, what is wrong with it."""

    name: str
    brings: tuple[str, ...] = ()
    problem: str = ""


class _Answer(tuple[Any, ...]):  # noqa: SLOT001 - an attribute beside the items of a tuple
    """What one plugin returned: a tuple to wrappers, and to the manager who returned it."""

    plugin: str

    @classmethod
    def of(cls, plugin: str, things: Iterable[Any]) -> _Answer:
        """Tag what a plugin returned."""
        answer = cls(things)
        answer.plugin = plugin
        return answer


@frozen
class _Brought:
    """A thing under its name, and the plugin that brought it."""

    plugin: str
    thing: Any


def _own(plugin: str) -> bool:
    return plugin.split(":", 1)[0] == OWN


def _normal(name: str) -> str:
    """Return the name of a distribution as packaging tools compare it (PEP 503)."""
    distribution, colon, entry = name.strip().partition(":")
    return re.sub(r"[-_.]+", "-", distribution).lower() + colon + entry


class PluginManager:
    """The plugins of one process, or of one host that wants its own set.

    Loaded once: what this library ships and the entry points of the group ``trente_rules``, each
    registered as ``distribution:entry``. ``only`` limits the strangers' plugins by name, None takes
    all; a name in it that matches nothing is reported on standard error. With ``strict`` the first
    plugin that fails raises ``PluginError`` at once; else ``reports`` names it.
    """

    def __init__(
        self,
        *,
        only: Iterable[str] | None = None,
        strict: bool = False,
        found: Iterable[EntryPoint] | None = None,
    ) -> None:
        """Load the plugins; ``found`` replaces the entry points that are installed."""
        self._strict = strict
        self._problems: dict[str, dict[str, None]] = {}
        self._reserved: set[tuple[str, str]] = set()
        self._brought: dict[str, dict[str, list[_Brought]]] = {}
        self._languages: dict[str, Language] = {}
        self._pluggy = pluggy.PluginManager(PROJECT)
        self._pluggy.add_hookspecs(hookspecs)
        points = {_entry_name(point): point for point in (_installed() if found is None else found)}
        wanted = _allowed(points, only)
        # pluggy calls what is registered last first: what is shipped, then strangers by name.
        for name in sorted(points, key=lambda name: (not _own(name), name), reverse=True):
            if _own(name) or name in wanted:
                self._load(name, points[name])
        self._register(builtin, f"{OWN}:builtin")
        self._check_if_strict()

    @classmethod
    def from_environment(cls, *, strict: bool = False) -> PluginManager:
        """Load the plugins that the environment variable ``TRENTE_RULES_PLUGINS`` allows."""
        allowed = os.environ.get(ENVIRONMENT)
        return cls(only=None if allowed is None else allowed.split(","), strict=strict)

    def _load(self, name: str, point: EntryPoint) -> None:
        with self._blamed(name, "cannot be imported"):
            self._register(point.load(), name)

    def register(self, plugin: ModuleType | object, name: str) -> None:
        """Add a plugin under a name ``distribution:entry``; what it brings is asked when needed.

        As pluggy has it, a plugin that is added later is asked earlier. One that is no plugin is
        reported, or raises ``PluginError`` in strict mode.
        """
        self._register(plugin, name)
        self._brought.clear()
        self._languages.clear()
        self._check_if_strict()

    def _check_if_strict(self) -> None:
        if self._strict:
            for kind in HOOKS:
                self._all(kind)

    def _register(self, plugin: Any, name: str) -> None:
        """Register guards of a plugin's functions; refuse what could not act, with the reason."""
        guards = SimpleNamespace()
        for attribute in dir(plugin):
            options = self._pluggy.parse_hookimpl_opts(plugin, attribute)
            if options is None:
                continue
            hook = options["specname"] or attribute
            if hook not in _KINDS:
                if not options["optionalhook"]:
                    near = nearest(hook, _KINDS) or f"hooks are {', '.join(_KINDS)}"
                    self._fail(name, f"implements {hook!r}, which is not a hook ({near})")
            elif options["hookwrapper"]:
                self._fail(name, f"wraps {hook} by hookwrapper=True (write wrapper=True)")
            else:
                guard = self._wrapper if options["wrapper"] else self._asked
                setattr(
                    guards,
                    attribute,
                    hookspecs.hookimpl(**options)(guard(name, hook, getattr(plugin, attribute))),
                )
        if not vars(guards) and isinstance(plugin, ModuleType) and "__path__" in vars(plugin):
            # A package without a hook: its folders with a house.toml are its houses.
            houses = partial(houses_in, plugin.__name__)
            guards.trente_houses = hookspecs.hookimpl(self._asked(name, "trente_houses", houses))
        with self._blamed(name, "cannot be registered"):
            self._pluggy.register(guards, name=name)

    def _fail(self, name: str, problem: str, cause: BaseException | None = None) -> None:
        if self._strict:
            raise PluginError(f"plugin {name!r} {problem}", "plugin-broken", "", name) from cause
        self._problems.setdefault(name, {})[problem] = None

    @contextmanager
    def _blamed(self, name: str, what: str) -> Iterator[None]:
        """Report what a stranger's code raises; what it prints goes to standard error."""
        try:
            with redirect_stdout(sys.stderr):
                yield
        except PluginError:
            raise
        except (Exception, SystemExit) as error:  # noqa: BLE001 - a stranger's code may raise it
            self._fail(name, f"{what}: {_words(error)}", error)

    def _asked(
        self, name: str, hook: str, function: Callable[[], Iterable[Any]]
    ) -> Callable[[], _Answer]:
        """Guard an implementation: one that fails brings nothing."""

        def ask() -> _Answer:
            things: tuple[Any, ...] = ()
            with self._blamed(name, f"fails in {hook}"):
                things = _checked(hook, function())
            if _own(name):
                self._reserved.update((hook, thing.name) for thing in things)
            return _Answer.of(name, things)

        return ask

    def _wrapper(
        self, name: str, hook: str, function: Callable[[], Generator[None, Any, Any]]
    ) -> Callable[[], Generator[None, list[_Answer], list[_Answer]]]:
        """Guard a wrapper: one that fails changes nothing. What it adds is its own."""

        def wrap() -> Generator[None, list[_Answer], list[_Answer]]:
            generator: Generator[None, Any, Any] | None = None
            with self._blamed(name, f"fails in {hook}"):
                started = function()
                next(started)
                generator = started
            found = yield
            changed = found
            if generator is not None:
                with self._blamed(name, f"fails in {hook}"):
                    changed = _changed(name, hook, found, _ended(generator, found))
            return changed

        return wrap

    def _all(self, kind: str) -> dict[str, list[_Brought]]:
        """Return all things of a kind by name, in the order of the call."""
        if kind in self._brought:
            return self._brought[kind]
        hook = HOOKS[kind][0]
        things: dict[str, list[_Brought]] = {}
        for answer in getattr(self._pluggy.hook, hook)():
            for thing in answer:
                if (hook, thing.name) in self._reserved and not _own(answer.plugin):
                    problem = f"brings a {kind} named {thing.name!r}, which is reserved by {OWN}"
                    self._fail(answer.plugin, problem)
                else:
                    brought = _Brought(answer.plugin, thing)
                    things.setdefault(thing.name, []).append(brought)
        self._brought[kind] = things
        return things

    def names(self, kind: str) -> tuple[str, ...]:
        """Return the names of all things of a kind (a key of ``HOOKS``), sorted."""
        return tuple(sorted(self._all(kind)))

    def things(self, kind: str) -> tuple[Any, ...]:
        """Return all things of a kind in the order of the call; of a shared name, the first."""
        return tuple(held[0].thing for held in self._all(kind).values())

    def _named(self, kind: str, name: str) -> _Brought:
        held = self._all(kind).get(name, [])
        if len(held) > 1:
            plugins = " and ".join(repr(brought.plugin) for brought in held)
            raise PluginError(
                f"{kind} {shown(name)} is brought by {plugins}",
                "name-shared",
                f"uninstall one of them, or set {ENVIRONMENT} to the one you want",
                held[0].plugin,
            )
        if not held:
            names = self.names(kind)
            hints = [nearest(name, names) or f"there are {', '.join(names)}"]
            hints += [f"plugin {plugin!r} {why}" for plugin, why in self._why_missing(kind)]
            raise PluginError(
                f"there is no {kind} {shown(name)}",
                f"unknown-{kind.replace(' ', '-')}",
                "; ".join(hints),
            )
        return held[0]

    def _why_missing(self, kind: str) -> Iterator[tuple[str, str]]:
        """Yield the plugins whose fault it may be that a thing of a kind is missing."""
        hook = HOOKS[kind][0]
        for plugin, problems in self._problems.items():
            for problem in problems:
                if hook in problem or problem.startswith("cannot be "):
                    yield plugin, problem

    def rule(self, kind: str, name: str) -> Named:
        """Return the rule of a kind by its name.

        Raises ``PluginError``: "unknown-refait-rule" and the like where there is none,
        "name-shared" where two plugins bring it.
        """
        found: Named = self._named(kind, name).thing
        return found

    def stranger(self, kind: str, name: str) -> str:
        """Return the plugin that brings a thing; nothing for what this library ships."""
        plugin = self._named(kind, name).plugin
        return "" if _own(plugin) else plugin

    def format(self, name: str) -> Format:
        """Return a format by its name; ``PluginError`` as ``rule``."""
        found: Format = self._named("format", name).thing
        return found

    def command(self, name: str) -> Subcommand:
        """Return a command by its name; ``PluginError`` as ``rule``."""
        found: Subcommand = self._named("command", name).thing
        return found

    def house(self, name: str) -> HouseText:
        """Return the text of a house by its name; ``PluginError`` as ``rule``."""
        found: HouseText = self._named("house", name).thing
        return found

    def language(self, code: str) -> Language:
        """Return a language by its code; ``PluginError`` as ``rule``, or where it is not valid.

        Phrases and sentences that a plugin's language lacks are those of its fallback; for phrases
        there is a ``LanguageWarning``.
        """
        return self._language(code, ())

    def _language(self, code: str, above: tuple[str, ...]) -> Language:
        # Not before: the list of commands needs neither cattrs nor a rule, which take 80 ms.
        from trente_rules.core.rules.announcements import Language, warn_borrowed  # noqa: PLC0415

        if code in self._languages:
            return self._languages[code]
        brought = self._named("language", code)
        text: LanguageText = brought.thing
        if code in above:
            raise PluginError(f"language {code!r} is its own fallback", "bad-language")
        # The shipped ones are whole: nothing is read for them but the one file.
        own = _own(brought.plugin)
        others = partial(self._language, above=(*above, code))
        try:
            language = Language.from_toml(text.text, None if own else others)
        except TrenteError as error:
            raise PluginError(
                f"language {code!r} of {text.origin} is not valid: {error}", "bad-language"
            ) from error
        warn_borrowed(language, "")
        self._languages[code] = language
        return language

    def reports(self) -> tuple[PluginReport, ...]:
        """Return every plugin with what it brings and what is wrong with it, sorted by name."""
        brings: dict[str, list[str]] = {
            name: [] for name, _plugin in self._pluggy.list_name_plugin()
        }
        for kind in HOOKS:
            for name, held in self._all(kind).items():
                for brought in held:
                    brings[brought.plugin].append(f"{kind} {name}")
        return tuple(
            PluginReport(name, tuple(brings.get(name, ())), "; ".join(self._problems.get(name, ())))
            for name in sorted({*brings, *self._problems})
        )


def _installed() -> Iterable[EntryPoint]:
    from importlib.metadata import entry_points  # noqa: PLC0415 - only a manager needs it

    return entry_points(group=PROJECT)


def _entry_name(point: EntryPoint) -> str:
    distribution = point.dist.name if point.dist else "unknown"
    return f"{distribution}:{point.name}"


def _allowed(names: Iterable[str], only: Iterable[str] | None) -> set[str]:
    """Return the plugins that ``only`` names; say on standard error which of its names match none.

    Every name is compared as packaging tools compare distributions.
    """
    known: dict[str, set[str]] = {}
    for name in names:
        known.setdefault(_normal(name), set()).add(name)
        known.setdefault(_normal(name.partition(":")[0]), set()).add(name)
    if only is None:
        return set().union(*known.values())
    wanted = {_normal(name): name.strip() for name in only if name.strip()}
    for normal in wanted.keys() - known:
        near = nearest(normal, known) or "it is not installed, or has no plugin"
        what = "plugin" if ":" in normal else "distribution"
        print(f"{ENVIRONMENT}: no {what} {shown(wanted[normal])} ({near})", file=sys.stderr)  # noqa: T201
    return set().union(*(known.get(normal, ()) for normal in wanted))


def _words(error: BaseException) -> str:
    return f"{type(error).__name__}: {str(error)[:200]}"


def _ended(generator: Generator[None, Any, Any], found: Sequence[_Answer]) -> Any:
    """Resume a wrapper with what was found, and return what it makes of that."""
    try:
        generator.send(list(found))
    except StopIteration as end:
        return end.value
    raise TypeError("a wrapper yields once")


def _changed(name: str, hook: str, found: Sequence[_Answer], changed: Any) -> list[_Answer]:
    """Return what a wrapper made of all answers; a thing that was there keeps its plugin."""
    givers = {id(thing): answer.plugin for answer in found for thing in answer}
    answers: list[_Answer] = []
    for part in changed:
        if isinstance(part, _Answer):
            answers.append(part)
        else:
            things = _checked(hook, part if isinstance(part, (list, tuple)) else (part,))
            answers += (_Answer.of(givers.get(id(thing), name), (thing,)) for thing in things)
    return answers


def _checked(hook: str, things: Iterable[Any]) -> tuple[Any, ...]:
    """Return what a hook returned, each of the class it must have; ``TypeError`` else."""
    wanted = HOOKS[_KINDS[hook]][1]
    checked = tuple(things)
    for thing in checked:
        _check_thing(thing, wanted)
    return checked


def _check_thing(thing: object, wanted: type) -> None:
    if not isinstance(thing, wanted):
        raise TypeError(f"it returned {shown(thing)}, not a {wanted.__name__}")
    fields = [field for field in attrs.fields(wanted) if field.type == "str"]
    for field in fields:
        text = getattr(thing, field.name)
        if type(text) is not str or not (text or field.default == ""):
            names = ", ".join(field.name for field in fields)
            raise TypeError(f"{names} of {shown(thing)} must be texts")
    if isinstance(thing, Format) and not callable(thing.render):
        raise TypeError(f"render of {thing.name!r} is not a function")
    if not isinstance(thing, Named):
        return
    if not attrs.has(thing.rule) or thing.rule.__hash__ is None:
        raise TypeError(f"{thing.name!r} is not a frozen attrs class")
    if type(thing.version) is not int:
        raise TypeError(f"the version of {thing.name!r} is not a whole number")


@cache
def default_manager() -> PluginManager:
    """Return the plugins of this process, loaded when first asked for."""
    return PluginManager.from_environment()
