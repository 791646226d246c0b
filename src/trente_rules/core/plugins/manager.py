"""Finding plugins, checking what they bring, and answering it by name.

Every plugin is loaded and asked by itself: one that fails is reported by name, and the rest works.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from functools import cache, partial
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final

import attrs
import pluggy
from attrs import frozen

from trente_rules.core.errors import PluginError, TrenteError
from trente_rules.core.plugins import builtin, hookspecs
from trente_rules.core.plugins.hookspecs import (
    PROJECT,
    Format,
    HouseText,
    LanguageText,
    Named,
    Subcommand,
)
from trente_rules.core.rules.announcements import Language, warn_borrowed

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
"""What plugins bring: the hook that brings it, and the class of what the hook answers."""

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

Thing = HouseText | Named | LanguageText | Format | Subcommand


@frozen
class PluginReport:
    """A plugin as ``trente plugins`` lists it: its name, what it brings, what is wrong with it."""

    name: str
    brings: tuple[str, ...] = ()
    problem: str = ""


@frozen
class _Brought:
    """A thing under its name, and the plugin that brought it."""

    plugin: str
    thing: Thing


def _own(plugin: str) -> bool:
    return plugin.split(":", 1)[0] == OWN


class PluginManager:
    """The plugins of one process, or of one host that wants its own set.

    Loaded once: first what this library ships, then the entry points of the group
    ``trente_rules``, sorted by name, each registered as ``distribution:entry``. ``only`` limits
    the strangers' plugins by name, None takes all. With ``strict`` the first plugin that fails
    raises ``PluginError`` at once; else ``reports`` tells of it.
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
        self._problems: dict[str, str] = {}
        self._brought: dict[str, dict[str, list[_Brought]]] = {}
        self._languages: dict[str, Language] = {}
        self._pluggy = pluggy.PluginManager(PROJECT)
        self._pluggy.add_hookspecs(hookspecs)
        self._pluggy.register(builtin, name=f"{OWN}:builtin")
        wanted = None if only is None else set(only)
        points = _installed() if found is None else found
        for name, point in sorted(
            ((_entry_name(point), point) for point in points), key=lambda pair: pair[0]
        ):
            if wanted is None or _own(name) or {name, name.split(":", 1)[0]} & wanted:
                self._load(name, point)

    @classmethod
    def from_environment(cls, *, strict: bool = False) -> PluginManager:
        """Load the plugins that the environment variable ``TRENTE_RULES_PLUGINS`` allows."""
        allowed = os.environ.get(ENVIRONMENT)
        only = None if allowed is None else [name.strip() for name in allowed.split(",")]
        return cls(only=only, strict=strict)

    def _load(self, name: str, point: EntryPoint) -> None:
        try:
            plugin = point.load()
        except (Exception, SystemExit) as error:  # noqa: BLE001 - a stranger's module may do so
            self._fail(name, f"cannot be imported: {_words(error)}", error)
            return
        self.register(plugin, name)

    def register(self, plugin: ModuleType | object, name: str) -> None:
        """Add a plugin under a name ``distribution:entry``; what it brings is asked when needed.

        A plugin that is no plugin is reported, or raises ``PluginError`` in strict mode.
        """
        try:
            self._pluggy.register(plugin, name=name)
        except (ValueError, pluggy.PluginValidationError) as error:
            self._fail(name, f"cannot be registered: {_words(error)}", error)
        self._brought.clear()
        self._languages.clear()
        if self._strict:
            self.check_pending()
            for kind in HOOKS:
                self._all(kind)

    def _fail(self, name: str, problem: str, cause: BaseException | None = None) -> None:
        if self._strict:
            raise PluginError(f"plugin {name!r} {problem}", "plugin-broken", "", name) from cause
        self._problems[name] = problem

    def check_pending(self) -> None:
        """Refuse implementations of hooks that do not exist, as a misspelt name makes them.

        Raises ``PluginError`` ("unknown-hook"), naming the plugin and the nearest hook.
        """
        known = [hook for hook, _thing in HOOKS.values()]
        for name, plugin in self._pluggy.list_name_plugin():
            for attribute in dir(plugin):
                if attribute in known:
                    continue
                if self._pluggy.parse_hookimpl_opts(plugin, attribute) is not None:
                    near = get_close_matches(attribute[:80], known, 1)
                    raise PluginError(
                        f"plugin {name!r} implements {attribute!r}, which is not a hook",
                        "unknown-hook",
                        f"did you mean {near[0]!r}?" if near else f"hooks are {', '.join(known)}",
                        name,
                    )

    def _all(self, kind: str) -> dict[str, list[_Brought]]:
        """Return all things of a kind by name, asking every plugin by itself, once."""
        if kind in self._brought:
            return self._brought[kind]
        hook, thing_class = HOOKS[kind]
        things: dict[str, list[_Brought]] = {}
        impls = getattr(self._pluggy.hook, hook).get_hookimpls()
        for impl in sorted(impls, key=lambda impl: (not _own(impl.plugin_name), impl.plugin_name)):
            try:
                answered = tuple(impl.function())
                for thing in answered:
                    _check_thing(thing, thing_class)
            except (Exception, SystemExit) as error:  # noqa: BLE001 - a stranger's hook may do so
                self._fail(impl.plugin_name, f"fails in {hook}: {_words(error)}", error)
                continue
            for thing in answered:
                held = things.setdefault(thing.name, [])
                if held and _own(held[0].plugin):
                    self._fail(
                        impl.plugin_name,
                        f"brings a {kind} named {thing.name!r}, which is reserved by {OWN}",
                    )
                else:
                    held.append(_Brought(impl.plugin_name, thing))
        self._brought[kind] = things
        return things

    def names(self, kind: str) -> tuple[str, ...]:
        """Return the names of all things of a kind (a key of ``HOOKS``), sorted."""
        return tuple(sorted(self._all(kind)))

    def _named(self, kind: str, name: str) -> Any:
        held = self._all(kind).get(name, [])
        if len(held) > 1:
            plugins = " and ".join(repr(brought.plugin) for brought in held)
            raise PluginError(
                f"{kind} {name!r} is brought by {plugins}",
                "name-shared",
                f"uninstall one of them, or set {ENVIRONMENT} to the one you want",
                held[0].plugin,
            )
        if not held:
            names = self.names(kind)
            near = get_close_matches(name[:80], names, 1)
            shown = name if len(name) <= 40 else f"{name[:40]}..."  # noqa: PLR2004 - any short length
            raise PluginError(
                f"there is no {kind} {shown!r}",
                f"unknown-{kind.replace(' ', '-')}",
                f"did you mean {near[0]!r}?" if near else f"there are {', '.join(names)}",
            )
        return held[0].thing

    def rule(self, kind: str, name: str) -> Named:
        """Return the rule of a kind by its name.

        Raises ``PluginError``: "unknown-refait-rule" and the like where there is none,
        "name-shared" where two plugins bring it.
        """
        found: Named = self._named(kind, name)
        return found

    def format(self, name: str) -> Format:
        """Return a format by its name; ``PluginError`` as ``rule``."""
        found: Format = self._named("format", name)
        return found

    def command(self, name: str) -> Subcommand:
        """Return a command by its name; ``PluginError`` as ``rule``."""
        found: Subcommand = self._named("command", name)
        return found

    def house(self, name: str) -> HouseText:
        """Return the text of a house by its name; ``PluginError`` as ``rule``."""
        found: HouseText = self._named("house", name)
        return found

    def language(self, code: str) -> Language:
        """Return a language by its code; ``PluginError`` as ``rule``, or where it is not valid.

        Phrases and sentences that a plugin's language lacks are those of its fallback; for phrases
        there is a ``LanguageWarning``.
        """
        return self._language(code, ())

    def _language(self, code: str, above: tuple[str, ...]) -> Language:
        if code in self._languages:
            return self._languages[code]
        text: LanguageText = self._named("language", code)
        if code in above:
            raise PluginError(f"language {code!r} is its own fallback", "bad-language")
        # The shipped ones are whole: nothing is read for them but the one file.
        own = _own(self._all("language")[code][0].plugin)
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
        names = sorted({*brings, *self._problems})
        return tuple(
            PluginReport(name, tuple(brings.get(name, ())), self._problems.get(name, ""))
            for name in names
        )


def _installed() -> Iterable[EntryPoint]:
    from importlib.metadata import entry_points  # noqa: PLC0415 - only a manager needs it

    return entry_points(group=PROJECT)


def _entry_name(point: EntryPoint) -> str:
    distribution = point.dist.name if point.dist else "unknown"
    return f"{distribution}:{point.name}"


def _words(error: BaseException) -> str:
    return f"{type(error).__name__}: {str(error)[:200]}"


def _check_thing(thing: object, wanted: type) -> None:
    if not isinstance(thing, wanted):
        raise TypeError(f"it answered {thing!r:.60}, not a {wanted.__name__}")
    texts = [field.name for field in attrs.fields(wanted) if field.type == "str"]
    needed = [part for part in texts if attrs.fields_dict(wanted)[part].default is attrs.NOTHING]
    if any(type(getattr(thing, part)) is not str for part in texts) or not all(
        getattr(thing, part) for part in needed
    ):
        raise TypeError(f"{', '.join(texts)} of {thing!r:.60} must be texts")
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
