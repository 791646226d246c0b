"""``Cloth``: the stakes on a table, and ``Choices``: what players chose for them.

Both never change: a changed copy costs the same however many stakes there are. A stake is found by
its id, and the stakes that count together with it, by owner and by party, without a look at others.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from trente_rules.core.machine import FREE
from trente_rules.core.maps import FrozenMap
from trente_rules.core.stakes import Choice, Stake

_NEW: Final = object.__new__


_NO_GROUPS: Final[FrozenMap[tuple[Stake, ...]]] = FrozenMap()


class Cloth:
    """The stakes on a table, in order of placing; two are equal where these are.

    ``totals`` are the units of all free stakes on each chance that has one, ``count`` is how many
    free stakes there are.
    """

    __slots__ = ("_by_group", "_by_id", "_by_owner", "_next", "_stakes", "count", "totals")
    _by_id: FrozenMap[tuple[int, Stake]]
    _by_owner: FrozenMap[tuple[Stake, ...]]
    _by_group: FrozenMap[tuple[Stake, ...]]
    _next: int
    _stakes: tuple[Stake, ...] | None
    totals: Mapping[str, int]
    count: int

    def __init__(self, stakes: Iterable[Stake] = ()) -> None:
        """Lay the stakes on the table in this order."""
        placed = tuple(stakes)
        by_id = {stake.id: (place, stake) for place, stake in enumerate(placed)}
        owners: dict[str, tuple[Stake, ...]] = {}
        groups: dict[str, tuple[Stake, ...]] = {}
        totals: dict[str, int] = {}
        for stake in placed:
            owners[stake.owner] = (*owners.get(stake.owner, ()), stake)
            if stake.group:
                groups[stake.group] = (*groups.get(stake.group, ()), stake)
            if stake.free:
                totals[stake.chance] = totals.get(stake.chance, 0) + stake.amount
        self._by_id = FrozenMap(by_id)
        self._by_owner = FrozenMap(owners)
        self._by_group = FrozenMap(groups) if groups else _NO_GROUPS
        self._next = len(placed)
        self._stakes = placed
        self.totals = totals
        self.count = sum(stake.free for stake in placed)

    @property
    def stakes(self) -> tuple[Stake, ...]:
        """The stakes, in order of placing."""
        if self._stakes is None:
            placed = sorted(self._by_id.values(), key=_place)
            self._stakes = tuple(stake for _place_of, stake in placed)
        return self._stakes

    def __iter__(self) -> Iterator[Stake]:
        """Yield the stakes, in order of placing."""
        return iter(self.stakes)

    def __len__(self) -> int:
        """Return how many stakes there are."""
        return len(self.stakes)

    def __eq__(self, other: object) -> bool:
        """Return whether the same stakes lie in the same order."""
        return self is other or (isinstance(other, Cloth) and self.stakes == other.stakes)

    def __hash__(self) -> int:
        """Return a hash of the stakes."""
        return hash(self.stakes)

    def __repr__(self) -> str:
        """Return the stakes as the call that lays them."""
        return f"Cloth({self.stakes!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the stakes alone."""
        return Cloth, (self.stakes,)

    def get(self, stake: str) -> Stake | None:
        """Return the stake of an id, None where the id is unknown."""
        found = self._by_id.get(stake)
        return None if found is None else found[1]

    def of_owner(self, owner: str) -> tuple[Stake, ...]:
        """Return the stakes of a player, in order of placing."""
        return self._by_owner.get(owner, ())

    def near(self, stake: Stake) -> tuple[Stake, ...]:
        """Return the stakes of its owner and of its party, in order of placing."""
        mine = self._by_owner.get(stake.owner, ())
        ours = self._by_group.get(stake.group, ()) if stake.group else ()
        if not ours:  # nearly every stake
            return mine
        places = self._by_id
        found = {other.id: places[other.id] for other in (*mine, *ours)}
        return tuple(other for _place_of, other in sorted(found.values(), key=_place))

    def placed(self, stake: Stake, mine: tuple[Stake, ...] | None = None) -> Cloth:
        """Return the cloth with one more stake, whose id is new.

        ``mine`` are the stakes of its owner before, where they are known.
        """
        new: Cloth = _NEW(Cloth)
        new._by_id = self._by_id.set(stake.id, (self._next, stake))
        owner, group = stake.owner, stake.group
        if mine is None:
            mine = self._by_owner.get(owner, ())
        new._by_owner = self._by_owner.set(owner, (*mine, stake))
        new._by_group = (
            self._by_group.set(group, (*self._by_group.get(group, ()), stake))
            if group
            else self._by_group
        )
        new._next = self._next + 1
        new._stakes = None
        new.totals, new.count = self.totals, self.count
        if stake.state == FREE:
            new.totals = totals = dict(self.totals)
            totals[stake.chance] = totals.get(stake.chance, 0) + stake.amount
            new.count += 1
        return new

    @property
    def size(self) -> int:
        """How many stakes there are; the cloth need not put them in order for it."""
        return len(self._by_id)

    @property
    def next_place(self) -> int:
        """The place of the next stake in the order of placing."""
        return self._next

    @property
    def grouped(self) -> bool:
        """Players may bet together on it."""
        return self._by_group is not _NO_GROUPS

    def laid(
        self,
        new: Mapping[str, tuple[int, Stake]],
        owners: Mapping[str, tuple[Stake, ...]],
        totals: Mapping[str, int],
    ) -> Cloth:
        """Return the cloth with free stakes by their ids, each with its place.

        ``owners`` are all stakes of each player who placed one, and ``totals`` those of the cloth.
        """
        made: Cloth = _NEW(Cloth)
        made._by_id = self._by_id.merged(new)
        made._by_owner = self._by_owner.merged(owners)
        made._by_group = self._by_group
        made._next = self._next + len(new)
        made._stakes = None
        if self._stakes is not None:
            made._stakes = (*self._stakes, *(stake for _place_of, stake in new.values()))
        made.totals, made.count = totals, self.count + len(new)
        return made

    def replaced(self, old: Stake, now: Stake | None) -> Cloth:
        """Return the cloth with a stake as it is now, in its place; without it where that is None.

        The id, the owner and the group of a stake never change.
        """
        new: Cloth = _NEW(Cloth)
        place, _old = self._by_id[old.id]
        new._by_id = (
            self._by_id.without(old.id) if now is None else self._by_id.set(old.id, (place, now))
        )
        new._by_owner = _exchanged(self._by_owner, old.owner, old, now)
        new._by_group = (
            _exchanged(self._by_group, old.group, old, now) if old.group else self._by_group
        )
        new._next = self._next
        new._stakes = None
        new.totals, new.count = self.totals, self.count
        if old.free:
            new.totals = _added(new.totals, old.chance, -old.amount)
            new.count -= 1
        if now is not None and now.free:
            new.totals = _added(new.totals, now.chance, now.amount)
            new.count += 1
        return new


EMPTY: Final = Cloth()


def _place(found: tuple[int, Any]) -> int:
    return found[0]


def _added(totals: Mapping[str, int], chance: str, units: int) -> dict[str, int]:
    total = totals.get(chance, 0) + units
    new = {**totals, chance: total}
    if not total:
        del new[chance]
    return new


def _exchanged(
    stakes: FrozenMap[tuple[Stake, ...]], key: str, old: Stake, now: Stake | None
) -> FrozenMap[tuple[Stake, ...]]:
    each = (now if stake.id == old.id else stake for stake in stakes[key])
    left = tuple(stake for stake in each if stake is not None)
    return stakes.set(key, left) if left else stakes.without(key)


class Choices:
    """The choices that players made for their stakes, in that order; a later one replaces one."""

    __slots__ = ("_by_stake", "_next")
    _by_stake: FrozenMap[tuple[tuple[int, Choice], ...]]
    _next: int

    def __init__(self, choices: Iterable[Choice] = ()) -> None:
        """Begin with choices in the order they were made."""
        found: dict[str, tuple[tuple[int, Choice], ...]] = {}
        self._next = 0
        for choice in choices:
            found[choice.stake] = (*found.get(choice.stake, ()), (self._next, choice))
            self._next += 1
        self._by_stake = FrozenMap(found)

    def __iter__(self) -> Iterator[Choice]:
        """Yield the choices in the order they were made."""
        made = [each for of_stake in self._by_stake.values() for each in of_stake]
        return iter([choice for _place_of, choice in sorted(made, key=_place)])

    def __bool__(self) -> bool:
        """Return whether there is any."""
        return bool(self._by_stake)

    def __eq__(self, other: object) -> bool:
        """Return whether the same choices were made in the same order."""
        return self is other or (isinstance(other, Choices) and tuple(self) == tuple(other))

    def __hash__(self) -> int:
        """Return a hash of the choices."""
        return hash(tuple(self))

    def __repr__(self) -> str:
        """Return the choices as the call that makes them."""
        return f"Choices({tuple(self)!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the choices alone."""
        return Choices, (tuple(self),)

    def of_stake(self, stake: str) -> tuple[Choice, ...]:
        """Return the choices for a stake."""
        return tuple(choice for _place_of, choice in self._by_stake.get(stake, ()))

    def made(self, choice: Choice) -> Choices:
        """Return the choices with one more, in place of one for the same state and verdict."""
        others = (
            each
            for each in self._by_stake.get(choice.stake, ())
            if (each[1].state, each[1].verdict) != (choice.state, choice.verdict)
        )
        new: Choices = _NEW(Choices)
        new._by_stake = self._by_stake.set(choice.stake, (*others, (self._next, choice)))
        new._next = self._next + 1
        return new

    def without(self, stake: str) -> Choices:
        """Return the choices without those for a stake."""
        if stake not in self._by_stake:
            return self
        new: Choices = _NEW(Choices)
        new._by_stake, new._next = self._by_stake.without(stake), self._next
        return new


NO_CHOICES: Final = Choices()
