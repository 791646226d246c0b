"""Limits: which stakes a house takes. A limit rule builds one value, ``Limits``; engines read it.

A stake outside the limits is refused, never clamped.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any, Final, Literal, Protocol

from attrs import evolve, field, frozen

from trente_rules.core.chances import OPPOSITES
from trente_rules.core.errors import BetError, Refusal, RuleError, shown
from trente_rules.core.keys import at_least, if_given, key, stated
from trente_rules.core.money import NOUGHT, ONE, Amount, Money, above_zero, rounded_up
from trente_rules.core.stakes import ChanceBounds, History, Opening, Stake, lesser

OF_AMOUNT: Final = (
    *("below-minimum", "above-maximum", "not-a-step"),
    *("above-aggregate", "above-differential", "above-table-maximum"),
)
"""Codes of refusals that another amount might escape."""
USUAL_MULTIPLE: Final = 1000
"""The maximum as a multiple of the minimum where nobody posts one: that of France and Spain."""
USUAL_MINIMUM: Final = 10
"""The minimum, in the currency, of a table of which nobody says it, where it is set daily."""
_POSTED: Final = "at-opening"


@stated({"integer": {"minimum": 1}, "string": {"pattern": "[1-9].*/|^[0-9]*[1-9][0-9]*$"}})
def _above_zero(times: Fraction) -> str:
    return "" if times > 0 else "it is above zero"


@stated({"array": {"minItems": 1}})
def _some_tables(tables: tuple[object, ...]) -> str:
    return "" if tables else "there is at least one table"


@frozen
class Progression:
    """How fast a player may raise (Venezia online: from the 4th bet at most 150 % of the 3rd)."""

    reference: int = key(
        3, "The bet, counted from 1, that later bets are measured by.", check=at_least(1)
    )
    at_most: Fraction = key(
        Fraction(3, 2),
        "The largest multiple of the reference bet that a later bet may be; players who bet "
        "together count as one.",
        check=_above_zero,
    )


@frozen
class Bounds:
    """The stakes that a chance takes, in units.

    Each stake is at least ``least`` and a multiple of ``step``; all stakes of one player together
    are at most ``most``, None where there is no maximum. ``win`` is what they may win, where that
    is what sets ``most``.
    """

    least: int
    most: int | None = None
    step: int = 1
    win: int | None = None

    @property
    def lowest(self) -> int:
        """The least stake that is a multiple of the step."""
        return max(self.step, rounded_up(self.least, self.step))


@frozen
class TableBounds:
    """The minimum and the maximum of one table, in units.

    ``minimum`` is None where the house sets it when the table opens; ``multiple`` is the maximum as
    a multiple of the minimum, in place of ``maximum``. ``posted``: the opening sets the maximum.
    """

    minimum: int | None = 1
    maximum: int | None = None
    multiple: int | None = None
    posted: bool = False

    @property
    def most(self) -> int | None:
        """The most that one player may stake on a chance, None where that is open."""
        if self.multiple is None:
            return self.maximum
        return None if self.minimum is None else self.minimum * self.multiple

    def takes(self, units: int) -> bool:
        """Return whether a stake lies between the minimum and the maximum."""
        return (self.minimum or 0) <= units and (self.most is None or units <= self.most)

    def check(self, money: Money, field: str) -> None:
        """Refuse a maximum below the minimum, and one that no stake can meet."""
        if self.most == 0:
            raise RuleError(
                "a maximum of 0 accepts no stake",
                "no-stake-possible",
                "raise the maximum, or the minimum that it is a multiple of",
                field,
                None if self.multiple is None else "none",
            )
        if self.maximum is not None and self.maximum < (self.minimum or 0):
            raise RuleError(
                f"{money.text(self.maximum)} is below the minimum of "
                f"{money.text(self.minimum or 0)}",
                "maximum-below-minimum",
                "raise it, or lower the minimum",
                field,
                None if field == "tables" else money.amount(self.minimum or 0).written(),
            )


@frozen
class OwnBounds(ChanceBounds):
    """The bounds of one chance alone, in units; None where it is as at the table.

    ``multiple`` is its maximum as a multiple of its minimum, in place of ``maximum``;
    ``maximum_win`` the most that one player's stakes on it may win. ``posted`` are the bounds,
    "minimum" or "maximum", that are set when the table opens.
    """

    multiple: int | None = None
    maximum_win: int | None = None
    posted: tuple[str, ...] = ()

    @property
    def bounded(self) -> bool:
        """Return whether a stake on the chance has a maximum of its own."""
        return bool(self.maximum or self.multiple or "maximum" in self.posted)

    def facts(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Return what the bounds say, in the form of ``Limits.facts``."""
        chance = self.chance
        if self.minimum:
            yield "chance_minimum", {"chance": chance, "amount": self.minimum}
        if self.maximum:
            yield "chance_maximum", {"chance": chance, "amount": self.maximum}
        if self.multiple:
            yield "chance_multiple", {"chance": chance, "times": self.multiple}
        for bound in self.posted:
            yield f"chance_{bound}_posted", {"chance": chance}
        if self.maximum_win is not None:
            yield "chance_win", {"chance": chance, "amount": self.maximum_win}


def _own_bounds(per_chance: Iterable[ChanceBounds]) -> tuple[OwnBounds, ...]:
    """Return bounds of chances as the limits read them; a plugin may give plain ones."""
    return tuple(
        each if isinstance(each, OwnBounds) else OwnBounds(each.chance, each.minimum, each.maximum)
        for each in per_chance
    )


Also = Callable[[Sequence[Stake], History, Opening], Iterable[Refusal]]
"""What a plugin may refuse beyond the bounds: a pure function of what is on the table."""


@frozen(slots=False)  # cached properties, which are read for every bet, need no slots
class Limits:
    """The stakes that a house takes: the value a limit rule builds; amounts in units.

    ``tables`` are the minima and maxima of its tables; where ``by_opening`` is set, the opening
    says by its minimum which of them is open. ``per_chance`` replaces the bounds of single chances.
    ``maximum_payout`` is the most that one player's stakes on a chance may win,
    ``aggregate_maximum`` the most that all players together may stake on a chance,
    ``differential_maximum`` the most by which a chance may exceed its opposite, ``table_maximum``
    the most that all players together may stake on all chances. ``most_stakes`` is how many stakes
    one player may have in a coup, ``table_most_stakes`` how many all players together; None: any
    number. ``late_bets``: stakes are taken until the first card. ``also`` refuses what no field can
    express. ``odds`` are the highest of each chance, which the house fills in.
    """

    money: Money
    tables: tuple[TableBounds, ...] = (TableBounds(),)
    by_opening: bool = False
    step: int = 1
    per_chance: tuple[OwnBounds, ...] = field(default=(), converter=_own_bounds)
    both_sides: bool = True
    associations: bool = False
    progression: Progression | None = None
    prisoners_move: bool = False
    late_bets: bool = False
    maximum_payout: int | None = None
    aggregate_maximum: int | None = None
    differential_maximum: int | None = None
    table_maximum: int | None = None
    most_stakes: int | None = None
    table_most_stakes: int | None = None
    also: Also | None = None
    odds: tuple[tuple[str, Fraction], ...] = ()

    def __attrs_post_init__(self) -> None:
        """Refuse limits without a table, and a step that is not a whole number of units."""
        if not self.tables or type(self.step) is not int or self.step < 1:
            raise RuleError(
                f"limits of {len(self.tables)} tables with a step of {self.step!r}",
                "bad-limits",
                "give at least one table, and a step of at least one unit",
            )

    @cached_property
    def posted(self) -> tuple[str, ...]:
        """The names of what the opening must give, such as ``minimum`` and ``couleur.maximum``."""
        first = self.tables[0]
        table = {"minimum": self.by_opening or first.minimum is None, "maximum": first.posted}
        own = (f"{own.chance}.{bound}" for own in self.per_chance for bound in own.posted)
        return (*(name for name, needed in table.items() if needed), *own)

    @property
    def opening_needed(self) -> bool:
        """Return whether the limits are known only with what the opening posts."""
        return bool(self.posted)

    @cached_property
    def together(self) -> int | None:
        """The most that a first stake may be, by the maxima of all players together."""
        most = lesser(self.aggregate_maximum, self.differential_maximum)
        return lesser(most, self.table_maximum)

    @cached_property
    def _own(self) -> dict[str, OwnBounds]:
        return {own.chance: own for own in self.per_chance}

    @property
    def span(self) -> tuple[int | None, int | None]:
        """The least and the greatest stake over all tables; None where open, or set daily."""
        return self.tables[0].minimum, self.tables[-1].most

    def own(self, chance: str) -> OwnBounds:
        """Return the bounds that the house sets for this chance alone."""
        return self._own.get(chance) or OwnBounds(chance)

    def table(self, opening: Opening) -> TableBounds:
        """Return the table that is open; ``BetError`` ("opening-needed", "no-such-table")."""
        table = self.tables[0]
        missing = [name for name in self.posted if _posted_in(opening, name) is None]
        if missing:
            raise BetError(
                f"this house sets its {' and its '.join(missing)} when the table opens",
                "opening-needed",
                f"post what is missing: {', '.join(missing)}",
            )
        if "minimum" in self.posted:
            minima = {each.minimum: each for each in self.tables}
            if self.by_opening and opening.minimum not in minima:
                text = self.money.text
                least = text(opening.minimum) if opening.minimum is not None else "that"
                raise BetError(
                    f"no table of this house has a minimum of {least}",
                    "no-such-table",
                    f"minima are {', '.join(text(each) for each in minima if each is not None)}",
                )
            daily = evolve(table, minimum=opening.minimum)
            table = minima[opening.minimum] if self.by_opening else daily
        if opening.maximum is not None:  # what is posted narrows what the house allows
            table = TableBounds(table.minimum, lesser(table.most, opening.maximum))
        return table

    def bounds(self, opening: Opening, chance: str) -> Bounds:
        """Return what may be staked on a chance; ``BetError`` as ``table``."""
        return self._open(opening)[chance]

    @cached_property
    def _last(self) -> dict[str, _OpenBounds]:
        return {}

    def _open(self, opening: Opening) -> _OpenBounds:
        # A table asks at every bet, always for one opening: 3 us saved of 8 for a stake.
        known = self._last.get("")
        if known is None or known.opening is not opening:
            if known is None or known.opening != opening:
                known = self._last[""] = _OpenBounds(self, opening)
            known.opening = opening  # the next question is about this very one
        return known

    def bounds_at(self, table: TableBounds, opening: Opening, chance: str) -> Bounds:
        """Return what may be staked on a chance at a table that is open."""
        least, most = table.minimum or 0, table.most
        own, win = self._own.get(chance), self.maximum_payout
        given = [each for each in opening.per_chance if each.chance == chance]
        if own is not None:
            least = least if own.minimum is None else own.minimum
            most = most if own.maximum is None else own.maximum
            win = win if own.maximum_win is None else own.maximum_win
            least = 0 if "minimum" in own.posted else least
            most = None if "maximum" in own.posted else most
        for each in given:
            least = max(least, each.minimum or 0)
        if own is not None and own.multiple is not None:
            most = least * own.multiple or None  # no minimum is known before the opening
        for each in given:
            most = lesser(most, each.maximum)
        if win is not None and (odds := dict(self.odds).get(chance, ONE)):
            reached = int(win / odds)
            if most is None or reached < most:
                return Bounds(least, reached, self.step, win)
        return Bounds(least, most, self.step)

    def greatest_minimum(self, chance: str) -> int | None:
        """Return the greatest minimum, in units, that leaves a stake on a chance; None if any does.

        An opening that posts a greater one is refused.
        """
        own = self.own(chance)
        if "minimum" not in self.posted or own.minimum is not None or "minimum" in own.posted:
            return None
        bounds = [self.bounds_at(table, Opening(), chance) for table in self.tables]
        known = [lesser(each.most, self.together) for each in bounds]
        most = None if None in known else max(each or 0 for each in known)
        return None if most is None else most // self.step * self.step

    def lowest_opening(self, units: int) -> Opening:
        """Return the opening of the lowest table, of those that take ``units`` if any does.

        It leaves a stake on every chance, if any opening does. A maximum that is set when the table
        opens is 1,000 times its minimum, and takes ``units``.
        """
        if self.together is not None:  # no table takes more
            units = min(units, self.together // self.step * self.step)
        fitting = [table for table in self.tables if table.takes(units)]
        table = min(fitting or self.tables, key=lambda table: table.minimum or 0)
        if table.minimum is not None:
            return self.opening(table.minimum or 1, units)
        least, most = self.posted_minima
        if table.multiple:  # it may be any whose multiple reaches the stake
            least = max(least, -(-units // table.multiple))
        least = rounded_up(least, self.step)
        least = least if most is None else max(min(least, most), self.step)
        return self.opening(least, units)

    @cached_property
    def posted_minima(self) -> tuple[int, int | None]:
        """The least and the greatest minimum that an opening can post: both leave a stake.

        The second is None where any greater one does, and below the first where no minimum leaves a
        stake on every chance.
        """
        multiple = self.tables[0].multiple if len(self.tables) == 1 else None
        needed = max((own.minimum or 0 for own in self.per_chance if not own.bounded), default=0)
        least = -(-rounded_up(needed, self.step) // multiple) if multiple else 1
        names = {own.chance for own in self.per_chance} | {""}  # and any other chance
        greatest = [self.greatest_minimum(name) for name in names]
        return (
            rounded_up(max(least, 1), self.step),
            min((most for most in greatest if most is not None), default=None),
        )

    def opening(self, minimum: int, units: int = 0) -> Opening:
        """Return the opening of a table with a minimum, with all else that it must post.

        Every posted maximum is 1,000 times the minimum, or more where that takes no stake of
        ``units``, or none on a chance; a posted minimum of a single chance is the least there is.
        """
        least = max((own.minimum or 0 for own in self.per_chance if not own.bounded), default=0)
        most = max(units, USUAL_MULTIPLE * minimum, least)
        own = []
        for each in self.per_chance:
            low = rounded_up(-(-units // (each.multiple or units or 1)) or 1, self.step)
            high = rounded_up(max(most, each.minimum or 0), self.step)
            given = {"minimum": low, "maximum": high}
            if each.posted:
                own.append(ChanceBounds(each.chance, **{name: given[name] for name in each.posted}))
        maximum = rounded_up(most, self.step) if "maximum" in self.posted else None
        return Opening(minimum, maximum, tuple(own))

    def refusals(
        self, stakes: Sequence[Stake], history: History, opening: Opening
    ) -> Iterator[Refusal]:
        """Return why stakes are not accepted; prisoners do not count towards any limit."""
        free = [stake for stake in stakes if stake.free]
        yield from self._of_players(free, history, opening)
        if self.together is not None:
            totals: dict[str, int] = {}
            for stake in free:
                totals[stake.chance] = totals.get(stake.chance, 0) + stake.amount
            last = {stake.chance: stake.id for stake in free}
            yield from self._together(totals, last, free[-1].id if free else "")
        if self.most_stakes is not None or self.table_most_stakes is not None:
            yield from self._too_many(free, self.table_most_stakes)
        if self.also is not None:
            yield from self.also(stakes, history, opening)

    @cached_property
    def sees_all(self) -> bool:
        """Acceptance needs every stake on the table, since a plugin may look at any."""
        return self.also is not None or type(self) is not Limits

    @cached_property
    def reads_history(self) -> bool:
        """The stakes of earlier coups count."""
        return self.progression is not None or self.sees_all

    def refusals_near(
        self,
        changed: str,
        near: Sequence[Stake],
        totals: Mapping[str, int],
        count: int,
        history: History,
        opening: Opening,
    ) -> Iterator[Refusal]:
        """Return why a change of one stake is not accepted, where all was accepted before it.

        ``changed`` is the id of the stake, ``near`` are the stakes of its owner and of those who
        bet together with the owner, in order of placing, ``totals`` the free units of all players
        on each chance, ``count`` how many free stakes they have: all as they would be. Not for
        limits that are ``sees_all``.
        """
        free = [stake for stake in near if stake.free]
        yield from self._of_players(free, history, opening)
        if self.together is not None:
            yield from self._together(totals, dict.fromkeys(totals, changed), changed)
        if self.most_stakes is not None:
            yield from self._too_many(free, None)
        of_table = self.table_most_stakes
        if of_table is not None and count > of_table:
            yield _table_full(changed, of_table)

    @cached_property
    def alone(self) -> bool:
        """A stake within its bounds is taken, if its player has no other.

        Not where players are limited together, or by the coups before.
        """
        of_all = self.together is not None or self.table_most_stakes is not None
        return self.progression is None and not of_all and not self.sees_all

    def _of_players(
        self, free: Sequence[Stake], history: History, opening: Opening
    ) -> Iterator[Refusal]:
        """Return the refusals that depend on a player's stakes, and on those of the party."""
        bounds = self._open(opening)
        for stake in free:
            known = bounds[stake.chance]
            if stake.amount < known.least or stake.amount % known.step:
                yield from self._too_small(stake, known)
        yield from self._too_large(free, bounds)
        if not self.both_sides:
            yield from self._on_both_sides(free)
        if self.progression is not None:
            yield from self._raised_too_fast(free, history, self.progression)

    def _too_small(self, stake: Stake, bounds: Bounds) -> Iterator[Refusal]:
        amount, least, step = stake.amount, bounds.least, bounds.step
        text = self.money.text
        if amount < least:
            message = f"a stake of {text(amount)} is below the minimum of {text(least)}"
            yield _refusal("below-minimum", message, stake.id, amount=amount, minimum=least)
        if amount % step:
            message = f"a stake of {text(amount)} is not a multiple of {text(step)}"
            yield _refusal("not-a-step", message, stake.id, amount=amount, step=step)

    def _too_large(self, free: Sequence[Stake], bounds: dict[str, Bounds]) -> Iterator[Refusal]:
        alone: dict[tuple[str, str], int] = {}
        together: dict[tuple[str, str], int] = {}
        for stake in free:  # a defaultdict takes twice the time of get()
            chance, amount = stake.chance, stake.amount
            mine, ours = (stake.owner, chance), (stake.party, chance)
            own = alone[mine] = alone.get(mine, 0) + amount
            joint = together[ours] = together.get(ours, 0) + amount
            # Players count alone too: a group named for one stake hides no other stake of theirs.
            joined = joint > own and not self.associations
            maximum = bounds[chance].most
            if maximum is not None and (joint if joined else own) > maximum:
                text, win = self.money.text, bounds[chance].win
                placed = f"{text(own)}{f' by {stake.owner!r}' if own > amount else ''} on {chance}"
                if joined:  # what the others have there is not this player's to know
                    placed += f", with the stakes of the group {stake.group!r},"
                why = f"is above the maximum of {text(maximum)}"
                values: dict[str, int | str] = {"group": stake.group} if joined else {}
                if win is not None:
                    values["win"] = win
                    why = f"could win more than {text(win)}: at most {text(maximum)} is taken"
                yield _refusal(
                    "above-maximum",
                    f"{placed} {why}",
                    stake.id,
                    amount=own,
                    maximum=maximum,
                    chance=chance,
                    player=stake.owner,
                    **values,
                )

    def _on_both_sides(self, free: Sequence[Stake]) -> Iterator[Refusal]:
        seen: set[tuple[str, str]] = set()
        for stake in free:
            party, chance, opposite = stake.party, stake.chance, OPPOSITES.get(stake.chance, "")
            if (party, opposite) in seen:
                name = stake.group or stake.owner
                message = (
                    f"{name!r} has a stake on {opposite} already: this house takes no stake on "
                    f"{chance} as well"
                )
                values = {"player": name, "chance": chance, "opposite": opposite}
                yield _refusal("both-sides", message, stake.id, **values)
            seen.add((party, chance))

    def _raised_too_fast(
        self, free: Sequence[Stake], history: History, rule: Progression
    ) -> Iterator[Refusal]:
        totals: dict[str, int] = defaultdict(int)
        for stake in free:
            totals[stake.party] += stake.amount
            total, bets = totals[stake.party], history.of_party(stake.party)
            if len(bets) < rule.reference:
                continue
            before = bets[rule.reference - 1]
            if total > before * rule.at_most:
                text, values = self.money.text, {"amount": total, "before": before}
                why = (
                    f"{text(total)} is more than {rule.at_most} of bet {rule.reference}, which "
                    f"was {text(before)}"
                )
                if stake.group:  # what the others staked is not this player's to know
                    values = {"amount": stake.amount}
                    why = (
                        f"with {text(stake.amount)} the group {stake.group!r} stakes more than "
                        f"{rule.at_most} of its bet {rule.reference}"
                    )
                at_most, reference = str(rule.at_most), rule.reference
                yield _refusal(
                    "raised-too-fast", why, stake.id, at_most=at_most, reference=reference, **values
                )

    def _together(
        self, totals: Mapping[str, int], last: Mapping[str, str], last_of_all: str
    ) -> Iterator[Refusal]:
        """Refuse the last stake on a chance that holds too much of all players together."""
        text = self.money.text
        for chance, total in totals.items():
            opposite = OPPOSITES.get(chance, "")
            over = total - totals.get(opposite, 0) if opposite else 0
            for code, units, most, beyond in (
                ("above-aggregate", total, self.aggregate_maximum, ""),
                ("above-differential", over, self.differential_maximum, f" above {opposite}"),
            ):
                if most is not None and units > most:
                    yield _refusal(
                        code,
                        f"the stakes of all players on {chance} would be more than the maximum of "
                        f"{text(most)}{beyond}",
                        last[chance],
                        maximum=most,
                        chance=chance,
                    )
        total, most = sum(totals.values()), self.table_maximum
        if most is not None and total > most:
            yield _refusal(
                "above-table-maximum",
                f"the stakes of all players would be more than the table's maximum of {text(most)}",
                last_of_all,
                maximum=most,
            )

    def _too_many(self, free: Sequence[Stake], of_table: int | None) -> Iterator[Refusal]:
        """Refuse every stake beyond the number that its player, or the table, may have."""
        most = self.most_stakes
        counts: dict[str, int] = {}
        for number, stake in enumerate(free, 1):
            owner = stake.owner
            own = counts[owner] = counts.get(owner, 0) + 1
            if most is not None and own > most:
                message = f"stake number {own} of {owner!r}: one player may have {most} in a coup"
                yield _refusal(
                    "above-most-stakes", message, stake.id, player=owner, stakes=own, maximum=most
                )
            if of_table is not None and number > of_table:
                yield _table_full(stake.id, of_table)

    @property
    def _joined(self) -> bool:
        """Return whether players who bet together count as one for a limit without a maximum."""
        wins = self.maximum_payout, *(own.maximum_win for own in self.per_chance)
        limited = not self.associations and any(win is not None for win in wins)
        return limited or self.progression is not None or not self.both_sides

    @property
    def has_maximum(self) -> bool:
        """Return whether a table has a maximum, by whichever key."""
        return any(table.maximum or table.multiple or table.posted for table in self.tables)

    def facts(
        self, chances: Collection[str], *, prisons: bool
    ) -> Iterator[tuple[str, dict[str, Any]]]:
        """Return what the limits say apart from minimum and maximum, in the order of the rules.

        Each is the id of a sentence under ``[limits]`` in the catalogues, with its values:
        ``amount`` in units, ``chance`` an id, ``most`` a share. Where the simple ``chances`` of the
        house or its machine leave a limit nothing to act on, it is left out.
        """
        maxima = self.has_maximum or any(own.bounded for own in self.per_chance)
        if maxima:
            yield "whole", {}
        yield "step", {"amount": self.step}
        for own in self.per_chance:
            yield from own.facts()
        for name in _MAXIMA:
            if (units := getattr(self, name)) is not None:
                yield name, {"amount": units}
        for name in _COUNTS:
            if (count := getattr(self, name)) is not None:
                yield name, {"count": count}
        if has_opposites(chances):
            yield "both_sides" if self.both_sides else "one_side", {}
        if maxima:
            yield "associations" if self.associations else "no_associations", {}
        elif self._joined:
            yield "count_as_one", {}
        if rule := self.progression:
            first = rule.reference
            yield "progression", {"next": first + 1, "most": rule.at_most, "reference": first}
        else:
            yield "no_progression", {}
        if prisons:
            yield "move_prisoners" if self.prisoners_move else "prisoners_stay", {}
        yield f"late_bets.{'until-first-card' if self.late_bets else 'refused'}", {}


def _refusal(code: str, message: str, stake: str, **values: int | str) -> Refusal:
    return Refusal(code, message, stake, tuple(values.items()))


def _table_full(stake: str, most: int) -> Refusal:
    message = f"all players together may have {most} stakes in a coup, not more"
    return _refusal("above-table-most-stakes", message, stake, maximum=most)


class _OpenBounds(dict[str, Bounds]):
    """The bounds of each chance under one opening, computed when first needed."""

    def __init__(self, limits: Limits, opening: Opening) -> None:
        super().__init__()
        self._limits, self.opening, self._table = limits, opening, limits.table(opening)

    def __missing__(self, chance: str) -> Bounds:
        bounds = self[chance] = self._limits.bounds_at(self._table, self.opening, chance)
        return bounds


def _posted_in(opening: Opening, name: str) -> int | None:
    """Return what an opening gives for a name of ``Limits.posted``, None where it gives none."""
    chance, dot, bound = name.rpartition(".")
    table = {"minimum": opening.minimum, "maximum": opening.maximum}
    if not dot:
        return table[bound]
    own = next((own for own in opening.per_chance if own.chance == chance), ChanceBounds(chance))
    return own.minimum if bound == "minimum" else own.maximum


_MAXIMA: Final = (
    "maximum_payout",
    "aggregate_maximum",
    "differential_maximum",
    "table_maximum",
)
"""The fields of ``Limits`` that are one amount or None, each with a sentence of its name."""
_COUNTS: Final = ("most_stakes", "table_most_stakes")
"""Likewise those that are a number of stakes or None."""


def has_opposites(chances: Collection[str]) -> bool:
    """Return whether a chance and its opposite are among these."""
    return any(OPPOSITES.get(chance) in chances for chance in chances)


def limits_of(name: str, built: object, odds: Iterable[tuple[str, Fraction]]) -> Limits:
    """Return what a limit rule built; ``RuleError`` ("rule-fails") if it is not ``Limits``."""
    if not isinstance(built, Limits):
        raise RuleError(
            f"the limit rule {name!r} built {shown(built)}, not Limits",
            "rule-fails",
            "return trente_rules.core.Limits, or a frozen subclass of it",
        )
    wins = (built.maximum_payout, *(own.maximum_win for own in built.per_chance))
    return evolve(built, odds=tuple(odds)) if any(win is not None for win in wins) else built


# What a [limits] table says, and the value it builds.

_NONE: Final = Amount(NOUGHT)


class LimitRule(Protocol):
    """The shape of a limit rule: it builds the limits in units of the house."""

    def build(self, money: Money, /) -> Limits:
        """Return the limits."""
        ...  # pragma: no cover - a protocol has no body


_TIMES: Final = if_given(at_least(1))
_POSITIVE: Final = if_given(above_zero)
AtOpening = Literal["at-opening"]


@frozen
class ChanceLimit:
    """Limits of one chance that differ from the table's."""

    chance: str = key(doc="The id of the chance, or of a side bet.")
    minimum: Amount | AtOpening | None = key(
        None, 'The least stake on this chance, or `"at-opening"`.'
    )
    maximum: Amount | AtOpening | None = key(
        None, 'The most that one player may stake on this chance, or `"at-opening"`.'
    )
    maximum_multiple: int | None = key(
        None,
        "The maximum as a multiple of the least stake on this chance; instead of maximum.",
        check=_TIMES,
    )
    maximum_win: Amount | None = key(
        None,
        "The most that one player's stakes on this chance may win in a coup.",
        check=_POSITIVE,
    )

    def bounds(self, units: Callable[[Amount | None], int | None]) -> OwnBounds:
        """Return the bounds in units; ``RuleError`` ("two-maxima") where two keys set one."""
        if self.maximum is not None and self.maximum_multiple is not None:
            raise _two_maxima_error(f"per_chance.{self.chance}.maximum_multiple")
        given = {"minimum": self.minimum, "maximum": self.maximum}
        fixed = {name: units(each) for name, each in given.items() if not isinstance(each, str)}
        return OwnBounds(
            self.chance,
            fixed.get("minimum"),
            fixed.get("maximum"),
            self.maximum_multiple,
            units(self.maximum_win),
            tuple(name for name in given if name not in fixed),
        )


def _two_maxima_error(field_name: str) -> RuleError:
    return RuleError(
        "maximum and maximum_multiple both set the maximum",
        "two-maxima",
        "keep one of them",
        field_name,
    )


@frozen
class TablePair:
    """The minimum and the maximum of one table."""

    minimum: Amount = key(doc="The least stake at this table.", check=above_zero)
    maximum: Amount = key(doc="The most that one player may stake on a chance at this table.")


@frozen(kw_only=True)
class _LimitKeys:
    """The keys that every built-in limit rule has."""

    step: Amount = key(_NONE, "Every stake is a multiple of this; 0: of the unit.")
    per_chance: tuple[ChanceLimit, ...] = key(
        (), 'Limits of single chances; `"none"` for a chance removes what it inherits.'
    )
    both_sides: bool = key(True, "A player may stake on a chance and on its opposite in one coup.")
    associations: Literal["refused", "allowed"] = key(
        "refused",
        "Whether players who bet together may pass the maximum of one (France 2007, art. 35: any "
        "association is forbidden; an Italian house: no third parties to exceed the limit).",
    )
    move_prisoners: bool = key(
        False,
        "A stake in prison may be moved to another chance, still in prison (Campione, Homburg).",
    )
    late_bets: Literal["refused", "until-first-card"] = key(
        "refused", "Whether a stake is accepted between `rien ne va plus` and the first card."
    )
    progression: Progression | None = key(None, "How fast a player may raise their stakes.")
    maximum_win: Amount | None = key(
        None, "The most that one player's stakes on a chance may win in a coup.", check=_POSITIVE
    )
    aggregate_maximum: Amount | None = key(
        None, "The most that all players together may stake on a chance.", check=_POSITIVE
    )
    differential_maximum: Amount | None = key(
        None,
        "The most by which the stakes of all players on a chance may exceed those on its opposite: "
        "what the bank risks in a coup.",
        check=_POSITIVE,
    )
    table_maximum: Amount | None = key(
        None,
        "The most that all players together may stake in a coup, on all chances.",
        check=_POSITIVE,
    )
    most_stakes: int | None = key(
        None,
        "How many stakes one player may have in a coup, whatever their amounts; as with every "
        "limit, stakes in prison do not count.",
        check=_TIMES,
    )
    table_most_stakes: int | None = key(
        None,
        "How many stakes all players together may have in a coup; stakes in prison do not count.",
        check=_TIMES,
    )

    def _limits(
        self, money: Money, tables: tuple[TableBounds, ...], *, by_opening: bool = False
    ) -> Limits:
        def units(amount: Amount | None) -> int | None:
            return None if amount is None else money.units(amount)

        return Limits(
            money=money,
            tables=tables,
            by_opening=by_opening,
            step=money.multiple(self.step) or 1,
            per_chance=tuple(limit.bounds(units) for limit in self.per_chance),
            both_sides=self.both_sides,
            associations=self.associations == "allowed",
            progression=self.progression,
            prisoners_move=self.move_prisoners,
            late_bets=self.late_bets == "until-first-card",
            maximum_payout=units(self.maximum_win),
            aggregate_maximum=units(self.aggregate_maximum),
            differential_maximum=units(self.differential_maximum),
            table_maximum=units(self.table_maximum),
            most_stakes=self.most_stakes,
            table_most_stakes=self.table_most_stakes,
        )


@frozen(kw_only=True)
class Fixed(_LimitKeys):
    """One minimum, and a maximum that is an amount or a multiple of the minimum."""

    minimum: Amount | AtOpening = key(
        Amount(Fraction(1)),
        'The least stake, or `"at-opening"` where the house sets it when the table opens.',
    )
    maximum: Amount | AtOpening | None = key(
        None,
        'The most that one player may stake on a chance, or `"at-opening"` where it is posted when '
        "the table opens.",
    )
    maximum_multiple: int | None = key(
        None,
        "The maximum as a multiple of the minimum (France, Spain: 1000); instead of maximum.",
        check=_TIMES,
    )

    def build(self, money: Money) -> Limits:
        """Return the limits; ``RuleError`` where minimum and maximum contradict."""
        if self.maximum is not None and self.maximum_multiple is not None:
            raise _two_maxima_error("maximum_multiple")
        table = TableBounds(
            money.units(self.minimum) if isinstance(self.minimum, Amount) else None,
            money.units(self.maximum) if isinstance(self.maximum, Amount) else None,
            self.maximum_multiple,
            posted=self.maximum == _POSTED,
        )
        table.check(money, "maximum" if self.maximum_multiple is None else "maximum_multiple")
        return self._limits(money, (table,))


@frozen(kw_only=True)
class TableTiers(_LimitKeys):
    """Several tables, each with its minimum and its maximum (Venezia online has seven)."""

    tables: tuple[TablePair, ...] = key(
        doc="The tables, each `{ minimum, maximum }`; the minimum of the opening chooses one.",
        check=_some_tables,
    )

    def build(self, money: Money) -> Limits:
        """Return the limits; ``RuleError`` where a table's limits contradict."""
        tables = tuple(
            TableBounds(money.units(table.minimum), money.units(table.maximum))
            for table in self.tables
        )
        for table in tables:
            table.check(money, "tables")
        if len({table.minimum for table in tables}) < len(tables):
            raise RuleError(
                "two tables have the same minimum",
                "same-minimum",
                "the minimum says which table is open: give each a different one",
                "tables",
            )
        return self._limits(money, tables, by_opening=True)
