"""The plugin manager: it finds plugins, checks what they add, and returns it by name.

Every hook is called through pluggy, so that wrappers and ordering act. Each implementation is
guarded: one that fails is reported by name, and the rest works.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache, partial
from itertools import islice
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final, TypeVar

import attrs
import pluggy
from attrs import frozen

from trente_rules.core.errors import PluginError, TrenteError, raised, shown
from trente_rules.core.names import known_name, nearest
from trente_rules.core.plugins import builtin, hookspecs
from trente_rules.core.plugins.guard import MOST_THINGS, guarded, words_of
from trente_rules.core.plugins.hookspecs import (
    PROJECT,
    Format,
    HouseText,
    LanguageText,
    Named,
    Subcommand,
    houses_in,
)

T = TypeVar("T")
ENVIRONMENT: Final = "TRENTE_RULES_PLUGINS"
"""The environment variable that limits which strangers' plugins are loaded: names of distributions
or of ``distribution:entry``, with commas between them; empty for none."""
OWN: Final = "trente-rules"
"""The distribution whose names are reserved. A name proves nothing: what is ours are the modules
that the manager registers itself, and a distribution of that name is a stranger's like any other.
"""
_BUILT_IN: Final = f"{OWN}:builtin"
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
"""What plugins add: the hook that adds it, and the class of what the hook returns."""
_TYPED: Final = ("house", "system")
"""Things whose names are found as people type them; in a file, names of rules are exact."""
_KINDS: Final = {hook: kind for kind, (hook, _thing) in HOOKS.items()}

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from trente_rules.core.rules.announcements import Language


@frozen
class PluginReport:
    """A plugin as ``trente plugins`` lists it: its name, what it adds, what is wrong with it.

    ``builtin`` is true of what this library brings itself.
    """

    name: str
    brings: tuple[str, ...] = ()
    problem: str = ""
    builtin: bool = False


class _Answer(tuple[Any, ...]):  # noqa: SLOT001 - an attribute besides the items of a tuple
    """The things that one plugin returned: a tuple for wrappers, with its giver for the manager."""

    plugin: str

    @classmethod
    def of(cls, plugin: str, things: Iterable[Any]) -> _Answer:
        """Return what a plugin returned, tagged with its name."""
        answer = cls(things)
        answer.plugin = plugin
        return answer


class _Guards:
    """The guarded functions of one plugin; pluggy takes two that are equal for one."""

    trente_houses: Callable[[], _Answer]


def _package(module: object) -> str:
    return str(module).partition(".")[0]


def _own(plugin: str) -> bool:
    return plugin == _BUILT_IN


def _normal(name: str) -> str:
    """Return the name of a distribution as packaging tools compare it (PEP 503)."""
    distribution, colon, entry = name.strip().partition(":")
    return re.sub(r"[-_.]+", "-", distribution).lower() + colon + entry


class PluginManager:
    """The plugins of one process, or of one host that wants a separate set.

    Loaded once: what is built in, registered by its module, and the entry points of the group
    ``trente_rules``, each registered as ``distribution:entry``; what two distributions name alike,
    or like ours, has its module added (``distribution:entry=module``). ``only`` limits the
    strangers' plugins by name, None takes all; a name in it that matches nothing is reported on
    standard error. With ``strict`` the first plugin that fails raises ``PluginError`` at once; by
    default ``reports`` names it.
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
        self._added: dict[str, dict[str, list[tuple[str, Any]]]] = {}
        self._languages: dict[str, Language] = {}
        self._strangers: dict[str, str] = {}  # the plugin of each top-level package
        self._pluggy = pluggy.PluginManager(PROJECT)
        self._pluggy.add_hookspecs(hookspecs)
        points = _by_name(_installed() if found is None else found)
        # pluggy calls what is registered last first: what is built in, then strangers by name.
        for name in sorted(_allowed(points, only), reverse=True):
            with self._blamed(name, "cannot be imported", "being imported"):
                self._register(points[name].load(), name)
        self._register(builtin, _BUILT_IN)
        self._check_if_strict()

    @classmethod
    def from_environment(cls, *, strict: bool = False) -> PluginManager:
        """Load the plugins that the environment variable ``TRENTE_RULES_PLUGINS`` allows."""
        allowed = os.environ.get(ENVIRONMENT)
        return cls(only=None if allowed is None else allowed.split(","), strict=strict)

    def register(self, plugin: ModuleType | object, name: str) -> None:
        """Add a plugin under a name ``distribution:entry``; what it adds is asked when needed.

        As pluggy has it, a plugin that is added later is asked earlier. One that is not a plugin is
        reported, or raises ``PluginError`` in strict mode.
        """
        self._register(plugin, name)
        self._added.clear()
        self._languages.clear()
        self._check_if_strict()

    def _check_if_strict(self) -> None:
        if self._strict:
            for kind in HOOKS:
                self._all(kind)

    def _register(self, plugin: Any, name: str) -> None:
        """Register guards of a plugin's functions; report what could not act, with the reason."""
        guards = _Guards()
        if not _own(name):
            module = plugin.__name__ if isinstance(plugin, ModuleType) else type(plugin).__module__
            self._strangers[_package(module)] = name
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
        with self._blamed(name, "cannot be registered", "being registered"):
            self._pluggy.register(guards, name=name)

    def render(self, form: str, report: Any, width: int | None) -> str | bytes:
        """Return a report in a format; ``PluginError`` as ``rule``, or where a plugin's fails."""
        plugin, found = self._named("format", form, Format)
        if _own(plugin):
            return found.render(report, width)
        with guarded(plugin, f"rendering {form!r}"):
            return found.render(report, width)

    def blame(self, error: BaseException) -> None:
        """Raise ``PluginError`` for what the code of a plugin raised; leave any other exception.

        It names the plugin, and its cause is the exception. A ``KeyboardInterrupt`` is the user's.
        """
        from traceback import walk_tb  # noqa: PLC0415 - only a plugin that fails needs it

        if isinstance(error, KeyboardInterrupt):
            return
        for frame, _line in walk_tb(error.__traceback__):
            name = self._strangers.get(_package(frame.f_globals.get("__name__")))
            if name:
                raise PluginError(
                    f"plugin {name!r} fails: {raised(error)}", "plugin-broken", "", name
                ) from error

    def _fail(self, name: str, problem: str, cause: BaseException | None = None) -> None:
        if self._strict:
            raise PluginError(f"plugin {name!r} {problem}", "plugin-broken", "", name) from cause
        self._problems.setdefault(name, {})[problem] = None

    @contextmanager
    def _blamed(self, name: str, what: str, doing: str = "") -> Iterator[None]:
        """Report what the code of a plugin raises; ``what`` and ``doing`` say where it was."""
        try:
            if _own(name):
                yield
            else:
                with guarded(name, doing or what):
                    yield
        except Exception as error:  # noqa: BLE001 - nothing else comes through the guard
            cause = error if error.__cause__ is None else error.__cause__
            self._fail(name, f"{what}: {words_of(cause)}", cause)

    def _asked(
        self, name: str, hook: str, function: Callable[[], Iterable[Any]]
    ) -> Callable[[], _Answer]:
        """Guard an implementation: one that fails adds nothing."""

        def ask() -> _Answer:
            things: tuple[Any, ...] = ()
            with self._blamed(name, f"fails in {hook}", f"running {hook}"):
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
            with self._blamed(name, f"fails in {hook}", f"running {hook}"):
                started = function()
                next(started)
                generator = started
            answers = yield
            if generator is not None:
                with self._blamed(name, f"fails in {hook}", f"running {hook}"):
                    try:
                        generator.send(list(answers))
                    except StopIteration as end:
                        answers = _changed(name, hook, answers, end.value)
                    else:
                        raise TypeError("a wrapper yields once")
            return answers

        return wrap

    def _all(self, kind: str) -> dict[str, list[tuple[str, Any]]]:
        """Return all things of a kind, by name, with their plugins, in the order of the call."""
        if kind in self._added:
            return self._added[kind]
        hook = HOOKS[kind][0]
        things: dict[str, list[tuple[str, Any]]] = {}
        for answer in getattr(self._pluggy.hook, hook)():
            for thing in answer:
                if (hook, thing.name) in self._reserved and not _own(answer.plugin):
                    problem = f"brings a {kind} named {thing.name!r}, which is reserved by {OWN}"
                    self._fail(answer.plugin, problem)
                else:
                    things.setdefault(thing.name, []).append((answer.plugin, thing))
        self._added[kind] = things
        return things

    def names(self, kind: str) -> tuple[str, ...]:
        """Return the names of all things of a kind (a key of ``HOOKS``), sorted."""
        return tuple(sorted(self._all(kind)))

    def things(self, kind: str) -> tuple[Any, ...]:
        """Return all things of a kind in the order of the call; of a shared name, the first."""
        return tuple(held[0][1] for held in self._all(kind).values())

    def _named(self, kind: str, name: str, _cls: type[T]) -> tuple[str, T]:
        """Return the plugin that adds a thing, and the thing, which is of this class."""
        things = self._all(kind)
        held = things.get(known_name(name, things) if kind in _TYPED else name, [])
        if len(held) == 1:
            return held[0]
        if held:
            raise PluginError(
                f"{kind} {shown(name)} is defined by {' and '.join(repr(p) for p, _thing in held)}",
                "name-shared",
                f"uninstall one of them, or set {ENVIRONMENT} to the one you want",
                held[0][0],
            )
        names, hook = self.names(kind), HOOKS[kind][0]
        every = f"{kind}s are {', '.join(names)}" if names else f"no {kind} is installed"
        hints = [nearest(name, names) or every]
        # Plugins whose fault it may be that the thing is missing.
        hints += (
            f"plugin {plugin!r} {problem}"
            for plugin, problems in self._problems.items()
            for problem in problems
            if hook in problem or problem.startswith("cannot be ")
        )
        what = f"unknown {kind} {shown(name)}"
        raise PluginError(what, unknown_code(kind), "; ".join(hints))

    def rule(self, kind: str, name: str) -> Named:
        """Return the rule of a kind by its name.

        Raises ``PluginError``: "unknown-refait-rule" and the like for an unknown name,
        "name-shared" where two plugins add it.
        """
        return self._named(kind, name, Named)[1]

    def stranger(self, kind: str, name: str) -> str:
        """Return the plugin that adds a thing; nothing for a built-in thing."""
        plugin, _thing = self._named(kind, name, object)
        return "" if _own(plugin) else plugin

    def format(self, name: str) -> Format:
        """Return a format by its name; ``PluginError`` as ``rule``."""
        return self._named("format", name, Format)[1]

    def command(self, name: str) -> Subcommand:
        """Return a command by its name; ``PluginError`` as ``rule``."""
        return self._named("command", name, Subcommand)[1]

    def house(self, name: str) -> HouseText:
        """Return the text of a house by its name; ``PluginError`` as ``rule``."""
        return self._named("house", name, HouseText)[1]

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
        plugin, text = self._named("language", code, LanguageText)
        if code in above:
            raise PluginError(f"language {code!r} is its own fallback", "bad-language")
        # The built-in ones are whole: nothing is read for them but the one file.
        others = None if _own(plugin) else partial(self._language, above=(*above, code))
        try:
            language = Language.from_toml(text.text, others)
        except TrenteError as error:
            raise PluginError(
                f"language {code!r} of {text.origin} is not valid: {error}", "bad-language"
            ) from error
        warn_borrowed(language, "")
        self._languages[code] = language
        return language

    def reports(self) -> tuple[PluginReport, ...]:
        """Return every plugin with what it adds and what is wrong with it, sorted by name."""
        things = [
            (plugin, f"{kind} {name}")
            for kind in HOOKS
            for name, held in self._all(kind).items()
            for plugin, _thing in held
        ]
        names = {name for name, _guards in self._pluggy.list_name_plugin()} | self._problems.keys()
        return tuple(
            PluginReport(
                name,
                tuple(thing for plugin, thing in things if plugin == name),
                "; ".join(self._problems.get(name, ())),
                builtin=name == _BUILT_IN,
            )
            for name in sorted(names)
        )


def unknown_code(kind: str) -> str:
    """Return the code of an unknown name of a kind (a key of ``HOOKS``)."""
    return f"unknown-{kind.replace(' ', '-')}"


def _installed() -> Iterable[EntryPoint]:
    from importlib.metadata import entry_points  # noqa: PLC0415 - only a manager needs it

    return entry_points(group=PROJECT)


def _by_name(points: Iterable[EntryPoint]) -> dict[str, EntryPoint]:
    """Return entry points by their names as plugins, without that of our own houses."""
    named: dict[str, EntryPoint] = {}
    for point in points:
        if point.value == builtin.HOUSES:  # the module is what counts: it is registered anyway
            continue
        distribution = point.dist.name if point.dist else "unknown"
        name = f"{distribution}:{point.name}"
        if name in named or _normal(name) == _BUILT_IN:
            name += f"={point.value}"
        named[name] = point
    return named


def _allowed(names: Iterable[str], only: Iterable[str] | None) -> set[str]:
    """Return the plugins that ``only`` names; print which of its names match none to stderr.

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
        same = (each for each in known if (":" in each) == (":" in normal))
        near = nearest(normal, same) or "it is not installed, or has no plugin"
        what = "plugin" if ":" in normal else "distribution"
        print(f"{ENVIRONMENT}: no {what} {shown(wanted[normal])} ({near})", file=sys.stderr)  # noqa: T201
    return set().union(*(known.get(normal, ()) for normal in wanted))


def _changed(name: str, hook: str, found: Sequence[_Answer], changed: Any) -> list[_Answer]:
    """Return what a wrapper made of all answers; a thing that was there keeps its plugin."""
    givers = {id(thing): answer.plugin for answer in found for thing in answer}
    answers: list[_Answer] = []
    for number, part in enumerate(changed):
        if number > MOST_THINGS:
            raise TypeError(f"it returned more than {MOST_THINGS:,} things")
        if isinstance(part, _Answer):
            answers.append(part)
        else:
            things = _checked(hook, part if isinstance(part, (list, tuple)) else (part,))
            answers += (_Answer.of(givers.get(id(thing), name), (thing,)) for thing in things)
    return answers


def _checked(hook: str, things: Iterable[Any]) -> tuple[Any, ...]:
    """Return what a hook returned; ``TypeError`` for what is not of the class it must have."""
    wanted = HOOKS[_KINDS[hook]][1]
    checked = tuple(islice(things, MOST_THINGS + 1))
    if len(checked) > MOST_THINGS:
        raise TypeError(f"it returned more than {MOST_THINGS:,} things")
    for thing in checked:
        if not isinstance(thing, wanted):
            raise TypeError(f"it returned {shown(thing)}, not a {wanted.__name__}")
        texts = [field for field in attrs.fields(wanted) if field.type == "str"]
        for field in texts:
            text = getattr(thing, field.name)
            if type(text) is not str or not (text or field.default == ""):
                names = ", ".join(field.name for field in texts)
                raise TypeError(f"{names} of {shown(thing)} must be texts")
        if isinstance(thing, Format) and not callable(thing.render):
            raise TypeError(f"render of {thing.name!r} is not a function")
        if isinstance(thing, Named):
            if not attrs.has(thing.rule) or thing.rule.__hash__ is None:
                raise TypeError(f"{thing.name!r} is not a frozen attrs class")
            if type(thing.version) is not int:
                raise TypeError(f"the version of {thing.name!r} is not a whole number")
    return checked


@cache
def default_manager() -> PluginManager:
    """Return the plugins of this process, loaded at the first call."""
    return PluginManager.from_environment()
