"""The merged table of a house, read: every key by itself, with all that is wrong with each."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any, Final, TypeVar

from attrs import evolve, field, frozen

from trente_rules.core.chances import ChanceKeys, DealRule, SideBetKeys
from trente_rules.core.converter import KeyPath, Problem, structure_table
from trente_rules.core.coup import POINTS
from trente_rules.core.errors import PluginError, RuleError, TrenteError, shown
from trente_rules.core.house.checks import problem_of
from trente_rules.core.house.converter import NONE, structure
from trente_rules.core.house.house import Chosen, House, HouseInfo, PointRefait, SideBet
from trente_rules.core.keys import keys_of
from trente_rules.core.money import Money
from trente_rules.core.names import near_names, nearest_of_few
from trente_rules.core.plugins.manager import PluginManager, unknown_code
from trente_rules.core.rules.announcements import Announcements, Language
from trente_rules.core.rules.settlement_order import PayOrder
from trente_rules.core.shoe import ShoeRule

T = TypeVar("T")
Table = dict[str, Any]
SECTIONS: Final[dict[str, type]] = {
    "house": HouseInfo,
    "money": Money,
    "shoe": ShoeRule,
    "deal": DealRule,
    "settlement": PayOrder,
    "announcements": Announcements,
}
"""The tables of a house that are always of one class, in the order they are written."""
RULE_TABLES: Final = {
    "refait": "refait rule",
    "insurance": "insurance rule",
    "limits": "limit rule",
}
"""The tables whose ``rule`` key names a rule, and the kind of rule it names."""
SIDE_BETS: Final = "side_bets"
CHANCES: Final = "chances"
TABLES: Final = (*SECTIONS, *RULE_TABLES, CHANCES, SIDE_BETS)
LISTS: Final = (CHANCES, SIDE_BETS)
"""The tables that are lists of tables."""
ON: Final = "on"
"""The key of [refait] under which the ties of one point have a rule of their own."""
_SIDE_BET: Final = "side bet"
_DEFAULT_RULES: Final = {"insurance": "none", "limits": "fixed"}
_UNKNOWN_RULES: Final = {unknown_code(kind) for kind in (*RULE_TABLES.values(), _SIDE_BET)}
"""The codes of a rule that neither the package nor a plugin that is loaded adds."""
_UNKNOWN_LANGUAGE: Final = unknown_code("language")


def rules_of(plugins: PluginManager, kind: str) -> dict[str, Any]:
    """Return the classes of all rules of a kind by their names, without those of a shared name."""
    found = dict[str, Any]()
    for name in plugins.names(kind):
        with suppress(PluginError):
            found[name] = plugins.rule(kind, name).rule
    return found


def _rule_table(path: KeyPath) -> KeyPath:
    """Return the path of the table that a key is in, or would be in, next to the name of a rule."""
    if path[:2] == ("refait", ON):
        return path[:3]
    return path[: 2 if path[0] in LISTS else 1]


def _may_be_inherited(problem: Problem) -> bool:
    """Return whether a key that is missing may be in the house that is extended."""
    return problem.code == "missing-key" and not any(isinstance(s, int) for s in problem.path)


@frozen
class Reader:
    """The merged table of one house, the plugins, and all problems found so far.

    ``partial`` says that the house it extends could not be read: what is missing may be there.
    """

    table: Table
    plugins: PluginManager
    partial: bool = False
    problems: list[Problem] = field(factory=list)

    def house(self) -> House | None:
        """Return the house; None where a key by itself is wrong."""
        near = nearest_of_few()
        for name in self.table:
            if name not in TABLES:
                hint = near(name, TABLES)
                listed = f"tables are {', '.join(TABLES)}"
                message = f"unknown table {shown(name)}"
                unknown = Problem((name,), "unknown-key", message, hint or listed, "key")
                self.problems.extend([unknown, *(self.misspelt(name) if hint else ())])
        sections = {
            name: self.built(cls, self.table.get(name, {}), (name,))
            for name, cls in SECTIONS.items()
        }
        rules = {name: self.attempt((name,), self.rule, name) for name in RULE_TABLES}
        refaits = self.attempt(("refait", ON), self.refaits)
        chances = self.attempt((CHANCES,), self.tables, CHANCES, self.chance)
        side_bets = self.attempt((SIDE_BETS,), self.tables, SIDE_BETS, self.side_bet)
        language = self.attempt(("announcements", "language"), self.language)
        if self.partial:
            self.problems[:] = [each for each in self.problems if not _may_be_inherited(each)]
        if self.problems or self.partial:
            return None
        values: dict[str, Any] = {
            **sections,
            **rules,
            "refaits": refaits,
            "chance_keys": chances,
            "side_bets": side_bets,
            "language": language,
        }
        return House(info=values.pop("house"), **values)

    def lacks_plugin(self) -> bool:
        """Return whether something is wrong, and all of it may be right with one more plugin.

        Only a plugin can add a rule or a language that is unknown, and the keys of such a rule.
        """
        unknown = {each.path for each in self.problems if each.code in _UNKNOWN_RULES}
        tables = {path[:-1] for path in unknown}
        common = {info.name for info in keys_of(SideBetKeys)}

        def may_be_added(problem: Problem) -> bool:
            table = _rule_table(problem.path)
            key = problem.path[len(table) : len(table) + 1]
            of_rule = key and not (table[0] == SIDE_BETS and key[0] in common)
            return problem.code == _UNKNOWN_LANGUAGE or bool(of_rule and table in tables)

        return bool(self.problems) and all(map(may_be_added, self.problems))

    def misspelt(self, name: str) -> Iterator[Problem]:
        """Return what is wrong inside a table whose name is near to one that the file lacks."""
        meant = near_names(name, TABLES)
        if len(meant) == 1 and meant[0] not in self.table:
            inside = Reader({meant[0]: self.table[name]}, self.plugins, partial=True)
            inside.house()
            for problem in inside.problems:
                yield evolve(problem, path=(name, *problem.path[1:]), fix=None)

    def attempt(self, path: KeyPath, read: Callable[..., T], *arguments: Any) -> T | None:
        """Return what is read; None where it cannot be, which is then a problem."""
        try:
            return read(*arguments)
        except TrenteError as error:
            self.problems.append(problem_of(path, error))
            return None

    def built(self, cls: type, table: Any, path: KeyPath, without_keys: str = "") -> Any:
        """Return a value of a class; None where something is wrong with it.

        ``without_keys`` is the hint at an unknown key of a class that has no keys.
        """
        value, problems = structure(cls, table, path)
        if problems and without_keys and not any(keys_of(cls)):
            problems = tuple(
                evolve(problem, hint=without_keys) if problem.code == "unknown-key" else problem
                for problem in problems
            )
        self.problems.extend(problems)
        return value

    def language(self) -> Language | None:
        """Return the language of the announcements; None where it is not written as a text."""
        table = self.table.get("announcements", {})
        written = table.get("language") if isinstance(table, dict) else None
        (default,) = (info.default for info in keys_of(Announcements) if info.name == "language")
        code = default if written is None else written
        return self.plugins.language(code) if isinstance(code, str) else None

    def rule(self, name: str) -> Chosen | None:
        """Build the rule that a table names."""
        default = None if self.partial else _DEFAULT_RULES.get(name)
        table = {"rule": default, **structure_table(self.table.get(name, {}))}
        if name == "refait":
            table.pop(ON, None)
        return self.chosen(RULE_TABLES[name], (name,), "rule", table)

    def chosen(self, kind: str, path: KeyPath, key: str, table: Table) -> Chosen | None:
        """Build a rule of a kind, which ``key`` names, from the other keys of its table."""
        name = table.pop(key, None)
        if name is None and self.partial:
            self.keys_of_any(kind, path, table)
            return None
        if name is None:
            known = ", ".join(self.plugins.names(kind))
            raise RuleError(f"{key} is missing", "missing-key", known, key)
        if not isinstance(name, str):
            self.keys_of_any(kind, path, table)
            raise RuleError(f"{shown(name)} is not the name of a {kind}", "wrong-type", "", key)
        named = self.attempt((*path, key), self.plugins.rule, kind, name)
        if named is None:
            self.keys_of_any(kind, path, table)
            return None
        rule = self.built(named.rule, table, path, f"{name} has no keys of its own")
        if rule is None:
            return None
        return Chosen(named.name, rule, named.version, self.plugins.stranger(kind, name))

    def keys_of_any(self, kind: str, path: KeyPath, table: Table) -> None:
        """Check the keys of a rule that is not known: each is right if any rule takes it."""
        rules = [*rules_of(self.plugins, kind).values()]
        known = {info.name for rule in rules for info in keys_of(rule)}
        near = nearest_of_few()
        for key, value in table.items():
            if key not in known:
                hint = near(key, known) or f"keys are {', '.join(sorted(known))}"
                unknown = f"unknown key {shown(key)}"
                self.problems.append(Problem((*path, key), "unknown-key", unknown, hint, "key"))
                continue
            found: list[list[Problem]] = [
                [each for each in structure(rule, {key: value}, path)[1] if key in each.path]
                for rule in rules
                if key in {info.name for info in keys_of(rule)}
            ]
            fewest: list[Problem] = min(found, key=len)
            self.problems.extend(fewest)

    def refaits(self) -> tuple[PointRefait | None, ...]:
        """Build every [refait.on.POINT] table."""
        on = structure_table(self.table.get("refait", {})).get(ON, {})
        tables = {} if on == NONE else structure_table(on)
        kept = {point: table for point, table in tables.items() if table != NONE}
        found = (
            self.attempt(("refait", ON, point), self.refait_on, point, table)
            for point, table in kept.items()
        )
        return tuple(sorted(found, key=lambda own: own.point if own else 0))

    def refait_on(self, point: str, table: Any) -> PointRefait | None:
        """Build the refait rule of the ties on one point."""
        path: KeyPath = ("refait", ON, point)
        if point not in map(str, POINTS):
            hint = f"points are {POINTS[0]} to {POINTS[-1]}"
            message = f"{shown(point)} is not a point"
            self.problems.append(Problem(path, "unknown-key", message, hint, "key"))
            return None
        own = {**structure_table(table)}
        rule = self.attempt(path, self.chosen, RULE_TABLES["refait"], path, "rule", own)
        return PointRefait(int(point), rule) if rule else None

    def tables(self, name: str, read: Callable[[KeyPath, Any], T]) -> tuple[T | None, ...]:
        """Build every table of a list of tables."""
        tables = self.table.get(name, [])
        if tables == NONE:
            return ()
        if not isinstance(tables, list):
            message = f"{shown(tables)} is not a list of tables"
            raise RuleError(message, "wrong-type", f"write [[{name}]]")
        paths = ((name, place) for place in range(len(tables)))
        return tuple(
            self.attempt(path, read, path, table) for path, table in zip(paths, tables, strict=True)
        )

    def chance(self, path: KeyPath, table: Any) -> ChanceKeys | None:
        """Build what one simple chance has of its own."""
        keys: ChanceKeys | None = self.built(ChanceKeys, table, path)
        return keys

    def side_bet(self, path: KeyPath, table: Any) -> SideBet | None:
        """Build one side bet: the keys that each has, and those of its rule."""
        common = {info.name for info in keys_of(SideBetKeys)}
        values = structure_table(table)
        own = {name: value for name, value in values.items() if name not in common}
        rule = self.attempt(path, self.chosen, _SIDE_BET, path, "wins_on", own)
        bare = {name: value for name, value in values.items() if name in common}
        bet = self.built(SideBetKeys, bare, path)
        if not bet or not rule:
            return None
        values = {info.attribute: getattr(bet, info.attribute) for info in keys_of(SideBetKeys)}
        return SideBet(**values, wins_on=rule)
