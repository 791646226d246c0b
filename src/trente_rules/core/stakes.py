"""Stakes and their settlements, the posted bounds of a table, and the history for limits."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from typing import Any, Final

from attrs import Attribute, asdict, field, frozen

from trente_rules.core.chances import Verdict
from trente_rules.core.coup import Coup
from trente_rules.core.errors import BetError, shown
from trente_rules.core.machine import FREE
from trente_rules.core.maps import FrozenMap
from trente_rules.core.money import MOST, NOUGHT, ONE, SHARES_IN_WORDS, Money, share_words


def _units(value: object, least: int, most: int) -> bool:
    """Return whether a value is a whole number of units within bounds; True is not."""
    return type(value) is int and least <= value <= most


def _check(stake: Stake) -> None:
    """Raise ``BetError`` ("bad-stake") for amounts and shares that no house can read."""
    fault = ""
    if not _units(stake.amount, 1, MOST):
        fault = f"amount {shown(stake.amount)} is not a whole number from 1 to 10**18"
    elif not isinstance(stake.share, Fraction) or not 0 <= stake.share <= 1:
        fault = f"share {shown(stake.share)} is not a Fraction from 0 to 1"
    elif not _units(stake.handed_back, 0, stake.amount):
        fault = f"{shown(stake.handed_back)} units of {shown(stake.amount)} cannot be returned"
    elif stake.position is not None and not _units(stake.position, 1, MOST):
        fault = f"position {shown(stake.position)} is not a whole number from 1"
    elif stake.state == FREE and (stake.share != 1 or stake.handed_back):
        fault = "a free stake is worth all of its amount"
    elif stake.covered and stake.state == FREE:
        fault = "no earlier premium covers a free stake"
    if fault:
        reason = f"stake {stake.id!r}: {fault}"
        raise BetError(reason, "bad-stake", "amounts are integers of units", stake.id)


_MARKS: Final = ("group:", "player:")


@frozen(slots=False)  # built for every command about a stake, in half the time
class Stake:
    """One stake of one player on one chance.

    ``amount`` is in units of the house and never changes while the stake is on the table. ``share``
    is its worth now, as a part of the amount; ``handed_back`` counts units of it that have left the
    table already. ``insured`` asks for insurance; ``proof`` is whether the premium was paid where
    the house wants it in advance. ``group`` names players who bet together, where that is known.
    ``position`` is the place of the stake on the cloth, counted from the left, where that is known.
    ``covered`` is true of a prisoner that a premium of an earlier coup still insures.
    Raises ``BetError`` ("bad-stake") for invalid amounts and shares.
    """

    id: str
    owner: str
    chance: str
    amount: int
    state: str = FREE
    share: Fraction = ONE
    insured: bool = False
    proof: bool = True
    handed_back: int = 0
    group: str = ""
    position: int | None = None
    covered: bool = False

    def __attrs_post_init__(self) -> None:
        """Check amounts, share and position."""
        if (  # nearly every stake: whole and in its place; without this a stake takes longer
            type(self.amount) is int
            and 0 < self.amount <= MOST
            and self.share is ONE
            and type(self.handed_back) is int
            and not self.handed_back
            and self.position is None
            and not self.covered
        ):
            return
        _check(self)

    @property
    def free(self) -> bool:
        """Return whether the stake is in no prison."""
        return self.state == FREE

    @property
    def standing(self) -> int:
        """The units that are on the table."""
        return self.amount - self.handed_back

    @property
    def worth(self) -> Fraction:
        """The worth of the stake now, in units."""
        return self.amount * self.share

    @property
    def party(self) -> str:
        """Who counts as one with the owner: the group where one is named, or the owner alone.

        A group is not the player of the same name: it begins with "group:", and a player whose own
        name does, with "player:".
        """
        if self.group:
            return f"group:{self.group}"
        owner = self.owner
        return f"player:{owner}" if owner.startswith(_MARKS) else owner


_NEW: Final = object.__new__
_ALONE: Final = dict(vars(Stake("", "", "", 1)))


def free_stake(id_: str, owner: str, chance: str, amount: int, insured: bool) -> Stake:  # noqa: FBT001 - by name it takes longer
    """Return ``Stake(id_, owner, chance, amount, insured=insured)`` in half the time.

    The amount is known to be right.
    """
    stake = _NEW(Stake)
    fields = stake.__dict__
    fields.update(_ALONE)
    fields["id"] = id_
    fields["owner"] = owner
    fields["chance"] = chance
    fields["amount"] = amount
    fields["insured"] = insured
    return stake


def _by_party(
    bets: FrozenMap[tuple[int, ...]] | Iterable[tuple[str, int]],
) -> FrozenMap[tuple[int, ...]]:
    """Return the bets of each party, from pairs in the order of the coups."""
    if isinstance(bets, FrozenMap):
        return bets
    found: dict[str, tuple[int, ...]] = {}
    for party, units in bets:
        found[party] = (*found.get(party, ()), units)
    return FrozenMap(found)


@frozen
class History:
    """The stakes of earlier coups, as limits need them: each player's total for each coup.

    It is built from ``bets``, (party, units) pairs in the order of the coups; a coup without a
    stake has none. A party is that of ``Stake.party``.
    """

    parties: FrozenMap[tuple[int, ...]] = field(default=(), converter=_by_party, alias="bets")

    @classmethod
    def of(cls, coups: Iterable[Iterable[Stake]]) -> History:
        """Build the history from the stakes placed for each earlier coup."""
        history = cls()
        for stakes in coups:
            history = history.after(stakes)
        return history

    @property
    def bets(self) -> tuple[tuple[str, int], ...]:
        """The bets as (party, units) pairs: by party, each party's in the order of the coups."""
        return tuple((party, units) for party, bets in self.parties.items() for units in bets)

    def of_party(self, party: str) -> tuple[int, ...]:
        """Return the stakes of a party (``Stake.party``), coup by coup."""
        return self.parties.get(party, ())

    def after(self, stakes: Iterable[Stake]) -> History:
        """Return the history after a coup with these stakes; those in prison do not count."""
        totals: dict[str, int] = {}
        for stake in stakes:
            if stake.free:
                totals[stake.party] = totals.get(stake.party, 0) + stake.amount
        changes = {party: (*self.of_party(party), units) for party, units in totals.items()}
        return History(self.parties.merged(changes)) if changes else self


def lesser(one: int | None, other: int | None) -> int | None:
    """Return the lesser of two maxima; None means no maximum."""
    if one is None or other is None:
        return other if one is None else one
    return min(one, other)


def _posted(_posted: object, attribute: Attribute[int | None], units: int | None) -> None:
    """Refuse a bound that is not an amount in units."""
    if units is not None and not _units(units, 0, MOST):
        name = attribute.name.replace("_", " ")
        raise _opening_error(f"{name} of {shown(units)}", "a whole number of units up to 10**18")


@frozen
class ChanceBounds:
    """The least and the most that may be staked on one chance, in units; None where not posted."""

    chance: str
    minimum: int | None = field(default=None, validator=_posted)
    maximum: int | None = field(default=None, validator=_posted)


@frozen
class Opening:
    """The bounds posted when a table opens, in units.

    ``minimum`` is needed where the house sets it daily, or runs tables with several minima. What
    else is posted narrows what the house allows: a ``maximum``, the bounds of single chances
    (``per_chance``), and ``insurance_minimum``, the least stake that is insured. Raises
    ``BetError`` ("bad-opening") for a value that is not a stake, a maximum below its minimum.
    """

    minimum: int | None = field(default=None, validator=_posted)
    maximum: int | None = field(default=None, validator=_posted)
    per_chance: tuple[ChanceBounds, ...] = ()
    insurance_minimum: int | None = field(default=None, validator=_posted)

    def __attrs_post_init__(self) -> None:
        """Check the values against each other."""
        own = self.per_chance
        if not isinstance(own, tuple) or not all(isinstance(one, ChanceBounds) for one in own):
            raise _opening_error(f"bounds of chances {shown(own)}", "a tuple of ChanceBounds")
        if 0 in (self.minimum, self.maximum):
            raise _opening_error("minimum or a maximum of 0", "units above zero")
        posted: tuple[Opening | ChanceBounds, ...] = (self, *own)
        for one in posted:
            if one.maximum is not None and one.maximum < (one.minimum or 0):
                what = f"maximum of {one.maximum} below a minimum of {one.minimum}"
                raise _opening_error(what, "a maximum that allows a stake")

    def to_json(self) -> Any:
        """Return a number, or None, where no more than a minimum is posted; an object of the rest.

        The object is of what is posted alone.
        """
        if self == Opening(self.minimum):
            return self.minimum
        return asdict(
            self,
            filter=lambda _field, value: value is not None,
            # A list, as it is read back.
            value_serializer=lambda _of, _field, value: (
                list(value) if isinstance(value, tuple) else value
            ),
        )


def _opening_error(what: str, expected: str) -> BetError:
    return BetError(f"a table cannot open with a {what}", "bad-opening", f"expected {expected}")


# Settlements: the choices that go in, and a line for each stake that comes out


def _verdict(verdict: Verdict | str) -> Verdict:
    return Verdict.of_id(verdict) if isinstance(verdict, str) else verdict


@frozen
class Choice:
    """A player's choice of a course, should a verdict meet a stake in a state.

    It may be given before the coup; it acts only if the verdict meets the stake in that state.
    The verdict may be given by its id; ``RuleError`` ("unknown-verdict") for an unknown one.
    """

    stake: str
    course: str
    state: str = FREE
    verdict: Verdict = field(default=Verdict.REFAIT, converter=_verdict)


@frozen(slots=False)  # built for every stake of every coup, in half the time
class Line:
    """The result of one stake; amounts in units.

    The stake and the premium go in: ``stake.standing + premium == returned + forfeited + staying +
    premium_kept + premium_returned``. ``won`` is paid by the bank on top. ``after`` is the stake as
    it continues, None where nothing of it stays. ``residue`` is the exact amount less the rounded
    one, above zero where the bank has the difference; ``premium_residue`` is the amount by which a
    premium that is kept was rounded up.
    """

    stake: Stake
    verdict: Verdict
    course: str
    returned: int = 0
    won: int = 0
    forfeited: int = 0
    staying: int = 0
    after: Stake | None = None
    insured: bool = False
    premium_kept: int = 0
    premium_returned: int = 0
    residue: Fraction = NOUGHT
    premium_residue: Fraction = NOUGHT

    @property
    def premium(self) -> int:
        """The whole premium that was paid for the coup, whoever has it now.

        The bank's income is ``premium_kept`` alone: on an ordinary tie, or when the session closes,
        a house may return the premium.
        """
        return self.premium_kept + self.premium_returned

    @property
    def player_net(self) -> int:
        """The player's net result; a stake still on the table counts as the player's."""
        return self.won - self.forfeited - self.premium_kept

    def text(self, amount: Money | Callable[[int], str] = str) -> str:
        """Return the line in plain language: ``ann's 10 EUR on rouge wins 10 EUR``.

        ``amount`` is the money of the house, or writes units otherwise; by default they are
        numbers.
        """
        return _sentence(self, amount.text if isinstance(amount, Money) else amount)

    def __str__(self) -> str:
        """Return the line in plain language, amounts in units: ``ann's 10 on rouge wins 10``."""
        return self.text()


VOID: Final = "void"
"""The course of every stake of a coup that is void."""


def _sentence(line: Line, amount: Callable[[int], str]) -> str:
    stake = line.stake
    owner = f"{stake.owner}'s " if stake.owner else ""
    where = "" if stake.free else f" in {stake.state}"
    happens = f": void, {_whole(line, amount)}" if line.course == VOID else _happens(line, amount)
    subject = f"{owner}{amount(stake.standing)} on {stake.chance}{where}"
    return f"{subject}{happens}{_insured(line, amount)}"


def _whole(line: Line, amount: Callable[[int], str]) -> str:
    """Return where the stake of a void coup is."""
    return f"{amount(line.returned)} back" if line.returned else "stays there"


def _happens(line: Line, amount: Callable[[int], str]) -> str:
    """Return what happens to a stake: a verb where all of it goes one way, or a list."""
    stake, whole = line.stake, line.stake.standing
    if line.returned == whole and line.won:
        return f" wins {amount(line.won)}"
    if line.verdict.kind == "win" and not stake.free and 0 < line.returned > stake.worth - 1:
        won = f", {amount(line.won)} won" if line.won else ""
        return (
            f" is freed, {amount(line.returned)} back{won}"  # what was halved before is not there
        )
    if line.returned == whole:
        return " is returned"
    if line.forfeited == whole:
        return " loses"
    if line.staying == whole:
        return _stays(line)
    return f": {', '.join(_moves(line, amount)) or 'nothing moves'}"


def _stays(line: Line) -> str:
    stake, after = line.stake, line.after
    state = after.state if after else stake.state
    if state == stake.state:
        words = " stays on the table" if stake.free else " stays there"
    else:
        goes = " goes" if stake.free else " moves"
        words = " is freed, and stays on the table" if state == FREE else f"{goes} to {state}"
    if after and stake.share and after.share != stake.share:
        words += f" at {share_words(after.share / stake.share)} of its value"
    return words


def _moves(line: Line, amount: Callable[[int], str]) -> Iterator[str]:
    """Yield the parts of a stake that is divided."""
    stake, after = line.stake, line.after
    share = Fraction(line.returned, stake.standing) if stake.standing else NOUGHT
    divided = line.returned + line.forfeited == stake.standing and share in SHARES_IN_WORDS
    if line.returned:
        yield f"{share_words(share)} back" if divided else f"{amount(line.returned)} back"
    if divided:
        yield amount(line.returned)
    if line.won:
        yield f"{amount(line.won)} won"
    if line.forfeited and not divided:
        yield f"{amount(line.forfeited)} lost"
    if line.staying and after:
        there = "on the table" if after.free else f"in {after.state}"
        goes = after.state not in (stake.state, FREE)
        yield f"{amount(line.staying)} {f'goes to {after.state}' if goes else f'stays {there}'}"


def _insured(line: Line, amount: Callable[[int], str]) -> str:
    """Return the premium of an insured stake, and what of it comes back."""
    kept, back = line.premium_kept, line.premium_returned
    parts = [f"premium {amount(kept)}" if kept else "", f"premium {amount(back)} back" * bool(back)]
    if kept or back:
        return f", insured ({', '.join(filter(None, parts))})"
    return ", insured" if line.insured else ""


def line_of(stake: Stake, like: Line) -> Line:
    """Return the line of a stake with the same result as another line, of which nothing stays.

    On a full table nearly every line is like another one: to copy it takes half the time.
    """
    line: Line = _NEW(Line)
    fields = line.__dict__
    fields.update(like.__dict__)
    fields["stake"] = stake
    return line


@frozen
class Settlement:
    """The result of every stake of a coup, in the order the house settles; amounts in units.

    ``coup`` is None for the close of a session and for a void coup.
    """

    coup: Coup | None
    lines: tuple[Line, ...]

    @property
    def staying(self) -> tuple[Stake, ...]:
        """The stakes that are on the table after it."""
        return tuple(line.after for line in self.lines if line.after is not None)

    @property
    def players_net(self) -> int:
        """The net result of all players."""
        return sum(line.player_net for line in self.lines)

    @property
    def bank_net(self) -> int:
        """The net result of the bank."""
        return sum(line.forfeited + line.premium_kept - line.won for line in self.lines)

    def line(self, stake_id: str) -> Line:
        """Return the line of a stake; ``BetError`` ("unknown-stake") for an unknown one."""
        for line in self.lines:
            if line.stake.id == stake_id:
                return line
        hint = f"stakes are {', '.join(line.stake.id for line in self.lines) or 'none'}"
        raise BetError(f"no stake {stake_id!r} was settled", "unknown-stake", hint, stake_id)
