"""The effect of each changed key on what the player pays, everything else as it was.

Keys that can act only together are priced together. Edges are those of three plays: the best, that
of a player who makes no choice, and the worst, uninsured and insured.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from fractions import Fraction
from itertools import combinations, starmap
from typing import Any, Final

import tomli_w
from attrs import astuple, frozen

from trente_rules.core.errors import ConfigurationError, TrenteError
from trente_rules.core.house.difference import Change, difference
from trente_rules.core.house.house import House
from trente_rules.core.house.loading import flat, house_table, loads_house
from trente_rules.core.house.reader import LISTS, ON, RULE_TABLES
from trente_rules.core.machine import Policy
from trente_rules.core.money import NOUGHT, ONE, Amount
from trente_rules.core.plugins.manager import PluginManager
from trente_rules.odds.coup_odds import odds_of
from trente_rules.reports.comparison import followed, refused
from trente_rules.reports.nominal import least_stake

PLAYS: Final = ("least", "default", "greatest")
"""The plays, as JSON names them: best, by default, and worst."""


@frozen
class PlayEdges:
    """The bank's edges on the simple chances, each on the chance where it is least, or greatest.

    ``least`` is that of the best play, ``default`` that of a player who makes no choice, and
    ``greatest`` that of the worst; None where no such stake is taken. The others are of insured
    stakes.
    """

    least: Fraction | None = None
    default: Fraction | None = None
    greatest: Fraction | None = None
    least_insured: Fraction | None = None
    default_insured: Fraction | None = None
    greatest_insured: Fraction | None = None


Every = dict[tuple[str, bool, Policy], Fraction]
"""The edge of each chance, insured or not, under each policy."""


@frozen
class Priced:
    """The cost of a house: the edges of the plays, and of every wager under every policy.

    ``whole`` is false where the stake is refused, or cannot be followed exactly.
    """

    edges: PlayEdges
    every: Every
    whole: bool = True


@frozen
class Effect:
    """Changed keys that act at once, and the price with them alone changed.

    ``needs`` are keys that must change with them for any effect. ``after`` is None where no house
    can be made of them, or where it does not take the stake.
    """

    changes: tuple[Change, ...]
    needs: tuple[str, ...] = ()
    before: Priced = Priced(PlayEdges(), {})
    after: Priced | None = None

    @property
    def alone(self) -> bool:
        """One key has the effect by itself."""
        return len(self.changes) == 1 and not self.needs

    @property
    def moves(self) -> bool:
        """Some wager costs something else under some policy, or another one is possible."""
        return self.after is not None and self.after.every != self.before.every

    @property
    def size(self) -> tuple[Fraction, Fraction]:
        """The greatest change of a play, then of any wager; a play that ends or begins is whole."""
        if self.after is None:
            return NOUGHT, NOUGHT
        plays = zip(astuple(self.before.edges), astuple(self.after.edges), strict=True)
        pairs = ((self.before.every.get(k), e) for k, e in self.after.every.items())
        return max(starmap(_moved_by, plays)), max(starmap(_moved_by, pairs), default=NOUGHT)


def _moved_by(old: Fraction | None, new: Fraction | None) -> Fraction:
    if old is None or new is None:
        return NOUGHT if old is new else ONE
    return abs(new - old)


@frozen
class HousesDiffer:
    """Two houses: what each costs, and each changed key with its effect.

    ``stake`` is the amount that all figures are for, None for nominal ones. ``small`` are the
    effects that only a stake of ``least`` shows, the least that the old house takes, or insures:
    of keys that move no nominal edge.
    """

    old: House
    new: House
    before: Priced
    after: Priced
    effects: tuple[Effect, ...]
    presentation: tuple[Change, ...]
    stake: Amount | None = None
    least: Amount | None = None
    small: tuple[Effect, ...] = ()


def difference_of(
    old: House, new: House, plugins: PluginManager, stake: Amount | None = None
) -> HousesDiffer:
    """Return how two houses differ and what each changed key does; ``stake`` in their currency.

    Raises ``RuleError`` ("not-whole-units") for a stake that a house cannot pay.
    """
    changes = difference(old, new)
    for house in (old, new):
        if stake is not None:
            house.money.units(stake)
    search = _EffectSearch(old, new, plugins, lambda house: price(house, stake))
    found = tuple(search.effects())
    least, small = None, tuple[Effect, ...]()
    if stake is None:
        least = _least(old)
        at_least = _EffectSearch(old, new, plugins, lambda house: price(house, least), search.built)
        still = [effect for effect in found if not effect.moves]
        priced = (at_least.again(effect) for effect in still)
        small = tuple(effect for effect in priced if effect.moves)
    ordered = sorted(found, key=lambda effect: (effect.moves, effect.size), reverse=True)
    return HousesDiffer(
        old,
        new,
        search.price(frozenset()) or Priced(PlayEdges(), {}),
        price(new, stake) or Priced(PlayEdges(), {}),
        tuple(ordered),
        tuple(change for change in changes if change.kind == "presentation"),
        stake,
        least,
        tuple(sorted(small, key=lambda effect: effect.size, reverse=True)),
    )


def _least(house: House) -> Amount:
    """Return the least stake that a house insures on a simple chance, or takes."""
    chance = next((each for each in house.chances if each.simple), house.chances[0])
    insured = (chance.id, True) in house.wagers
    return house.money.amount(least_stake(house, chance.id, insured=insured))


def price(house: House, stake: Amount | None = None) -> Priced | None:
    """Return what a house costs, nominally or at a stake; None for a stake that it refuses."""
    units = None
    if stake is not None:
        try:
            units = house.money.units(stake)
        except TrenteError:
            return None
        if refused(house, units):
            return None
    chances = [chance.id for chance in house.chances]
    edges, left_out = followed(house, odds_of("own", house.shoe.packs), chances, units)
    every = {(w.chance, w.insured, w.policy): w.edge for w in edges.wagers}
    simple = {chance.id for chance in house.chances if chance.simple}
    found = [_of_plays(every, simple, insured=insured) for insured in (False, True)]
    return Priced(PlayEdges(*found[0], *found[1]), every, whole=not left_out)


def _of_plays(
    every: Every, simple: Iterable[str], *, insured: bool
) -> tuple[Fraction | None, Fraction | None, Fraction | None]:
    by_chance: dict[str, list[Fraction]] = {}
    # Stakes that are insured when free come before those that are insured in a prison alone.
    for (chance, covered, policy), edge in sorted(every.items(), key=lambda one: not one[0][1]):
        if (covered or policy.insured) is insured and chance in simple:
            by_chance.setdefault(chance, []).append(edge)
    if not by_chance:
        return None, None, None
    edges = by_chance.values()
    # The first policy of a wager takes every default.
    return min(map(min, edges)), min(each[0] for each in edges), max(map(max, edges))


# --- The search for the keys that act together

_NEAR: Final = 8
"""The most changes of one table that are looked at in pairs."""
_Keys = frozenset[int]
"""Changes by their places in the list of those that can act."""


@frozen
class _Atom:
    """Keys that can only change at once: one key, or those of a table that names another rule."""

    changes: tuple[Change, ...]
    apply: Callable[[dict[str, Any]], None]

    @property
    def table(self) -> str:
        """The table of the keys."""
        return self.changes[0].key.partition(".")[0]

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys."""
        return tuple(change.key for change in self.changes)


class _EffectSearch:
    """The houses between two, the old one with some of the changes, each built and priced once."""

    def __init__(
        self,
        old: House,
        new: House,
        plugins: PluginManager,
        worth: Callable[[House], Priced | None],
        built: dict[_Keys, House | None] | None = None,
    ) -> None:
        """Take the houses, and what prices one; ``built`` are houses that are built already."""
        self.atoms = tuple(_atoms(old, new))
        self.built = {frozenset(): old} if built is None else built
        self._table = house_table(old)
        self._plugins, self._worth = plugins, worth
        self._priced: dict[_Keys, Priced | None] = {}
        self._all = frozenset(range(len(self.atoms)))

    def house(self, keys: _Keys) -> House | None:
        """Return the old house with these changes, None where they make no house."""
        if keys not in self.built:
            self.built[keys] = self._build(keys)
        return self.built[keys]

    def _build(self, keys: _Keys) -> House | None:
        table = deepcopy(self._table)
        for key in sorted(keys):
            self.atoms[key].apply(table)
        table["house"].pop("inferred", None)
        try:
            return loads_house(tomli_w.dumps(table), plugins=self._plugins)
        except ConfigurationError:
            return None

    def price(self, keys: _Keys) -> Priced | None:
        """Return what the house with these changes costs, None where they make no house."""
        if keys not in self._priced:
            house = self.house(keys)
            self._priced[keys] = None if house is None else self._worth(house)
        return self._priced[keys]

    def effects(self) -> Iterator[Effect]:
        """Yield the effect of each key, those that act only together at once."""
        shown: set[_Keys] = set()
        for atom in range(len(self.atoms)):
            keys = self._acting(atom)
            if keys in shown:
                continue
            together = [other for other in keys if other != atom and self._acting(other) == keys]
            shown.add(keys)
            needed = sorted(keys - {atom, *together})
            yield self._effect([atom, *sorted(together)], needed)

    def again(self, effect: Effect) -> Effect:
        """Return an effect as this search prices it."""
        names = {change.key for change in effect.changes}
        places = [at for at, atom in enumerate(self.atoms) if names & set(atom.keys)]
        needed = [at for at, atom in enumerate(self.atoms) if set(effect.needs) & set(atom.keys)]
        return self._effect(places, needed)

    def _effect(self, places: Sequence[int], needed: Sequence[int]) -> Effect:
        keys = frozenset((*places, *needed))
        return Effect(
            tuple(change for at in places for change in self.atoms[at].changes),
            tuple(key for at in needed for key in self.atoms[at].keys),
            self.price(frozenset()) or Priced(PlayEdges(), {}),
            self.price(keys),
        )

    def _acting(self, atom: int) -> _Keys:
        """Return the fewest changes, this one among them, with which it has an effect.

        It is alone where it has one by itself, and where it has none with any others.
        """
        alone = frozenset([atom])
        if self.house(alone) is None:
            return self._fewest(atom, lambda keys: self.house(keys | alone) is not None) or alone
        if self._moves(frozenset(), atom):
            return alone
        # It may act with others: if it does not move the whole, it is not looked for further.
        rest = self._all - alone
        if not self._moves(rest, atom):
            return alone
        return self._fewest(atom, lambda keys: self._moves(keys, atom)) or alone

    def _moves(self, keys: _Keys, atom: int) -> bool:
        """Return whether a change moves an edge of the house that has other changes."""
        before, after = self.price(keys), self.price(keys | {atom})
        return before is not None and after is not None and before.every != after.every

    def _fewest(self, atom: int, works: Callable[[_Keys], bool]) -> _Keys | None:
        """Return a smallest set with which something holds, and the atom; None if it never does.

        One other change is looked for first, then two of the same table; then all others are left
        out, one or two at once, until each of those that are left is needed.
        """
        table = self.atoms[atom].table
        others = sorted(self._all - {atom}, key=lambda at: self.atoms[at].table != table)
        near = [at for at in others if self.atoms[at].table == table][:_NEAR]
        few = (frozenset(keys) for keys in (*combinations(others, 1), *combinations(near, 2)))
        found = next(filter(works, few), None)
        if found is None:
            found = frozenset(others)
            if not works(found):
                return None
            while fewer := self._fewer(found, works):
                found = fewer
        return found | {atom}

    @staticmethod
    def _fewer(keys: _Keys, works: Callable[[_Keys], bool]) -> _Keys | None:
        """Return the keys without one or two with which something still holds, if there are any."""
        for number in (1, 2):
            for left_out in combinations(sorted(keys, reverse=True), number):
                if works(keys - {*left_out}):
                    return keys - {*left_out}
        return None


def _atoms(old: House, new: House) -> Iterator[_Atom]:
    """Yield the changes of fairness between two houses, those that cannot be apart at once."""
    was, now = house_table(old), house_table(new)
    groups: dict[str, list[Change]] = {}
    for change in difference(old, new):
        if change.kind == "fairness":
            groups.setdefault(_unit(change.key, was, now), []).append(change)
    for place, changes in groups.items():
        yield _Atom(tuple(changes), _setter(place, now))


def _unit(key: str, was: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    """Return the place of what changes at once with a key.

    It is a table of another rule, a table that one of the houses does not have, or the key.
    """
    steps = key.split(".")
    if steps[0] in RULE_TABLES and was[steps[0]]["rule"] != now[steps[0]]["rule"]:
        return steps[0]
    if steps[:2] == ["refait", ON]:
        return ".".join(steps[:3])
    for number in range(2, len(steps) + 1):
        start = ".".join(steps[:number])
        if isinstance(_at(was, start), dict) != isinstance(_at(now, start), dict):
            return start
    return steps[0] if steps[0] in LISTS else key


def _setter(place: str, now: Mapping[str, Any]) -> Callable[[dict[str, Any]], None]:
    """Return what changes a table of a house at a place, to what another has there."""
    value = flat(dict(now)).get(place, _at(now, place))

    def apply(table: dict[str, Any]) -> None:
        *steps, last = place.split(".")
        inner = table
        for step in steps:
            if not isinstance(inner.get(step), dict):
                inner[step] = {}
            inner = inner[step]
        inner.pop(last, None)
        if value is not None:
            inner[last] = deepcopy(value)
        if steps[:2] == ["refait", ON] and not inner:
            table["refait"].pop(ON)

    return apply


def _at(table: Mapping[str, Any], place: str) -> Any:
    found: Any = table
    for step in place.split("."):
        found = found.get(step) if isinstance(found, Mapping) else None
    return found
