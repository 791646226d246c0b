"""Chances as verdict tables: what each of the 400 outcomes of a coup means for a wager.

The four simple chances are built from the house's [deal] and [[chances]] tables; a side bet has a
separate table. A tie of the two points is void (APRES), unless it is a losing tie of the chance:
REFAIT, or the refait of one point (``refait-40``) where the house has another rule for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from functools import lru_cache, partial
from typing import ClassVar, Final, Literal, Protocol

from attrs import field, frozen

from trente_rules.core.cards import Colour
from trente_rules.core.coup import OUTCOMES, POINTS, Coup, Outcome, outcome_index, outcomes
from trente_rules.core.errors import RuleError, shown
from trente_rules.core.keys import at_most, if_given, key, listed_twice, named, stated
from trente_rules.core.money import NOUGHT, ONE

ROUGE: Final = "rouge"
"""The chance that wins where the row rouge is nearer to 31."""
NOIR: Final = "noir"
"""The chance that wins where the row noir is nearer to 31."""
COULEUR: Final = "couleur"
"""The chance that wins where the first card has the colour of the row that wins."""
INVERSE: Final = "inverse"
"""The chance that wins where the first card has not the colour of the row that wins."""
SIMPLE_CHANCES: Final = (ROUGE, NOIR, COULEUR, INVERSE)
"""The ids of the four simple chances."""
OPPOSITES: Final = {ROUGE: NOIR, NOIR: ROUGE, COULEUR: INVERSE, INVERSE: COULEUR}
"""Each simple chance and the one that loses where it wins."""

ChanceId = Literal["rouge", "noir", "couleur", "inverse"]

Kind = Literal["win", "lose", "push", "tie", "close"]
"""What a verdict does: ``push`` is an ordinary tie, ``tie`` a special one, which costs."""
KINDS: Final[tuple[Kind, ...]] = ("win", "lose", "push", "tie", "close")
_KINDS: Final = dict(zip(("win", "lose", "apres", "refait", "close"), KINDS, strict=True))
_POINTS: Final = {str(point): point for point in POINTS}


@frozen(cache_hash=True)
class Verdict:
    """The meaning of a coup for one chance: ``win``, ``lose``, ``apres`` or ``refait``.

    A house may know several of a kind, distinguished by what follows a hyphen: ``refait-40``, or
    ``win-100``. ``odds`` is what the verdict pays on a free stake. ``close`` comes from no coup: it
    is the end of the session. Two verdicts with the same id are equal, whatever they pay, so
    compare with ``==``. Raises ``RuleError`` ("unknown-verdict", "bad-odds").
    """

    id: str
    odds: Fraction = field(default=NOUGHT, eq=False)
    kind: Kind = field(init=False, eq=False, repr=False)
    WIN: ClassVar[Verdict]
    LOSE: ClassVar[Verdict]
    APRES: ClassVar[Verdict]
    REFAIT: ClassVar[Verdict]
    CLOSE: ClassVar[Verdict]

    @kind.default
    def _kind(self) -> Kind:
        name, _hyphen, _rest = self.id.partition("-")
        if name not in _KINDS:
            hint = f"verdicts are {', '.join(_KINDS)}"
            raise RuleError(f"{shown(self.id)} is not a verdict", "unknown-verdict", hint)
        if self.odds < 0 or (self.odds and name != "win"):
            raise RuleError(
                f"{self.id}: odds of {self.odds}",
                "bad-odds",
                "only a win may have odds, 0 or more",
            )
        return _KINDS[name]

    @classmethod
    def refait_of(cls, point: int) -> Verdict:
        """Return the refait of one point: ``refait-40``."""
        return cls(f"{Verdict.REFAIT.id}-{point}")

    @property
    def point(self) -> int | None:
        """The point of a refait that is limited to one point, otherwise None."""
        name, _hyphen, rest = self.id.partition("-")
        return _POINTS.get(rest) if name == Verdict.REFAIT.id else None

    @property
    def usual(self) -> Verdict:
        """The verdict of this kind that every house knows: ``refait`` for ``refait-40``."""
        return _USUAL[self.kind]

    @classmethod
    def of_id(cls, text: str) -> Verdict:
        """Return the verdict of an id, without the odds of a special win."""
        return next((verdict for verdict in VERDICTS if verdict.id == text), None) or cls(text)


Verdict.WIN = Verdict("win", ONE)
Verdict.LOSE = Verdict("lose")
Verdict.APRES = Verdict("apres")
Verdict.REFAIT = Verdict("refait")
Verdict.CLOSE = Verdict("close")
COUP_VERDICTS: Final = (Verdict.WIN, Verdict.LOSE, Verdict.APRES, Verdict.REFAIT)
"""The verdicts of a simple chance; CLOSE comes from the table."""
VERDICTS: Final = (*COUP_VERDICTS, Verdict.CLOSE)
"""The verdicts that every house knows."""
MOST_VERDICTS: Final = 32
"""How many verdicts one chance may have: a bound for arrays, far above what any house needs."""
_NO_PLACE: Final = 255
_TIES: Final = {point: outcome_index(point, point, 0, 0) for point in POINTS}
_USUAL: Final = {verdict.kind: verdict for verdict in VERDICTS}


@frozen
class Chance:
    """One chance: its id, and what each of the 400 outcomes means for a stake on it.

    ``table`` has the place in ``verdicts`` of each outcome, by its index. ``simple`` marks the four
    simple chances, whose stakes go through the refait rule of the house; side bets win, lose or
    are returned at once. ``needs`` is ``"simple"`` where the same player must have a free stake on
    a simple chance in the same coup, else ``"none"``.
    """

    id: str
    verdicts: tuple[Verdict, ...]
    table: bytes = field(repr=False)
    simple: bool = False
    needs: str = "none"

    def __attrs_post_init__(self) -> None:
        """Check that every outcome has one of the verdicts."""
        known = set(self.verdicts)
        distinct = len(known) == len(self.verdicts) <= MOST_VERDICTS and Verdict.CLOSE not in known
        if not distinct or len(self.table) != OUTCOMES or max(self.table) >= len(known):
            raise RuleError(
                f"a verdict table of {len(self.table)} places",
                "bad-verdicts",
                f"it has one of {len(self.verdicts)} different verdicts of a coup for each of the "
                f"{OUTCOMES} outcomes",
            )

    @classmethod
    def of(
        cls,
        chance_id: str,
        verdict: Callable[[Outcome], Verdict],
        verdicts: tuple[Verdict, ...] = COUP_VERDICTS,
        *,
        simple: bool = False,
        needs: str = "none",
    ) -> Chance:
        """Return a chance that asks a function about each of the 400 outcomes."""
        places = {each: place for place, each in enumerate(verdicts)}
        table = bytes(places.get(verdict(outcome), _NO_PLACE) for outcome in outcomes())
        return cls(chance_id, verdicts, table, simple, needs)

    @property
    def odds(self) -> Fraction:
        """The odds of a win, for each unit staked; of several, the highest."""
        return max((verdict.odds for verdict in self.verdicts), default=NOUGHT)

    def verdict(self, coup: Coup) -> Verdict:
        """Return what a coup means for this chance."""
        return self.verdicts[self.table[coup.outcome]]

    def possible(self) -> frozenset[Verdict]:
        """Return the verdicts that some coup gives this chance."""
        return frozenset(self.verdicts[place] for place in _places(self.table))

    @property
    def winning_odds(self) -> tuple[Fraction, ...]:
        """The odds of the wins that some coup gives, highest last."""
        return tuple(sorted({verdict.odds for verdict in self.possible() if verdict.kind == "win"}))

    @property
    def pays_whole_units(self) -> bool:
        """True where every win pays whole units for each unit staked: nothing is rounded."""
        return all(odds.denominator == 1 for odds in self.winning_odds)

    @property
    def insurable(self) -> bool:
        """True for a simple chance that some refait costs: there is something to insure."""
        return self.simple and any(verdict.kind == "tie" for verdict in self.possible())

    @property
    def losing_ties(self) -> tuple[int, ...]:
        """The points whose tie is a refait for a stake on this chance."""
        return tuple(
            point for point, at in _TIES.items() if self.verdicts[self.table[at]].kind == "tie"
        )

    def canonical(self) -> dict[str, object]:
        """Return what a fingerprint is made of: special verdicts only where there are some."""
        rules: dict[str, object] = {"id": self.id, "odds": self.odds, "verdicts": self.table}
        if self.simple:
            rules["simple"] = True
        if self.needs != "none":
            rules["needs"] = self.needs
        if self.verdicts != COUP_VERDICTS[: len(self.verdicts)]:
            rules["means"] = [(verdict.id, verdict.odds) for verdict in self.verdicts]
        return rules


@lru_cache(maxsize=256)  # read again and again while a house is loaded
def _places(table: bytes) -> frozenset[int]:
    return frozenset(table)


RefaitOn = tuple[int, ...] | Literal["any"]


_POINT: Final = {"integer": {"minimum": POINTS[0], "maximum": POINTS[-1]}}


@stated(_POINT)
def _a_point(point: int) -> str:
    return "" if point in POINTS else f"{point} is not a point: {POINTS[0]} to {POINTS[-1]}"


@stated({"array": {"items": _POINT, "uniqueItems": True}})
def _some_points(points: tuple[int, ...]) -> str:
    return next(filter(None, map(_a_point, points)), "") or listed_twice("a point", points)


@stated(_some_points.schema)
def _losing_ties(refait_on: RefaitOn) -> str:
    return "" if refait_on == "any" else _some_points(refait_on)


@stated({"array": {"minItems": 1, "uniqueItems": True}})
def _chances(chances: tuple[str, ...]) -> str:
    if not chances:
        return "a house offers at least one chance"
    return listed_twice("a chance", chances)


@frozen
class DealRule:
    """The [deal] table: which colour is dealt first, which chances are offered, which ties lose."""

    first_row: Literal["noir", "rouge", "cut"] = key(
        "noir",
        "The colour the first row is dealt for: noir everywhere (France 2007, art. 54) but in one "
        "old German house; or, for a whole shoe, that of the card shown at the `cut` (sometimes at "
        "Homburg 1860).",
    )
    couleur: Literal["first-of-coup", "first-of-winning-row"] = key(
        "first-of-coup",
        "The card whose colour couleur compares with the winner: the first of the coup (every law "
        "and house rulebook), or the first of the winning row (two encyclopaedic sources).",
    )
    chances: tuple[ChanceId, ...] = key(
        SIMPLE_CHANCES, "The simple chances on offer; old houses know only two.", check=_chances
    )
    refait_on: RefaitOn = key(
        (31,),
        "The ties that lose: points, or `any` for every tie; `[]` for none, which leaves the bank "
        "without an edge.",
        check=_losing_ties,
    )

    wins: Literal["lowest", "highest"] = key(
        "lowest", "The point that wins: the lower of the two in every source, or the higher."
    )

    def loses(self, point: int) -> bool:
        """Return whether a tie on this point is a refait, where a chance has no other ties."""
        return is_losing(self.refait_on, point)

    @property
    def first_colour(self) -> Colour:
        """The colour the first row is dealt for; noir where the cut decides it.

        Both orders have the same odds: as long as the shoe is not cut, noir is taken for both.
        """
        return Colour.ROUGE if self.first_row == ROUGE else Colour.NOIR

    def winner(self, outcome: Outcome) -> Colour | None:
        """Return the colour whose row wins, None for a tie."""
        if outcome.first == outcome.second:
            return None
        first = self.first_colour
        return first if self._first_row_wins(outcome) else Colour(1 - first)

    def _first_row_wins(self, outcome: Outcome) -> bool:
        """Return whether the first row wins a coup that is not a tie."""
        return (outcome.first < outcome.second) == (self.wins == "lowest")

    def couleur_colour(self, outcome: Outcome) -> Colour:
        """Return the colour that the winner must have for couleur to win."""
        if self.couleur == "first-of-coup" or self._first_row_wins(outcome):
            return outcome.first_colour
        return outcome.second_colour

    def chance_wins(self, chance: str, outcome: Outcome) -> bool:
        """Return whether a simple chance wins an outcome that is not a tie."""
        winner = self.winner(outcome)
        if chance in (COULEUR, INVERSE):
            return (winner == self.couleur_colour(outcome)) == (chance == COULEUR)
        return winner == (Colour.ROUGE if chance == ROUGE else Colour.NOIR)

    def build(
        self, chances: tuple[ChanceKeys, ...] = (), special: Iterable[int] = ()
    ) -> tuple[Chance, ...]:
        """Return the simple chances on offer, in the order of the house.

        ``chances`` are the [[chances]] tables: a chance without one pays even money and loses the
        ties of this table. ``special`` are the points whose refait has a rule of its own.
        """
        return _simple_chances(self, chances, tuple(sorted(special)))


def is_losing(refait_on: RefaitOn, point: int) -> bool:
    """Return whether a tie on this point is among the losing ones."""
    return refait_on == "any" or point in refait_on


@lru_cache(maxsize=64)  # houses deal alike: without it a house takes three times as long to load
def _simple_chances(
    deal: DealRule, chances: tuple[ChanceKeys, ...], special: tuple[int, ...]
) -> tuple[Chance, ...]:
    keys = {own.id: own for own in chances}
    return tuple(
        _simple_chance(deal, keys.get(chance) or ChanceKeys(chance), special)
        for chance in deal.chances
    )


def _simple_chance(deal: DealRule, keys: ChanceKeys, special: tuple[int, ...]) -> Chance:
    losing = deal.refait_on if keys.refait_on is None else keys.refait_on
    win = keys.won()
    refaits = {point: Verdict.refait_of(point) for point in special if is_losing(losing, point)}

    def verdict(outcome: Outcome) -> Verdict:
        if outcome.first != outcome.second:
            return win if deal.chance_wins(keys.id, outcome) else Verdict.LOSE
        point = outcome.first
        if not is_losing(losing, point):
            return Verdict.APRES
        return refaits.get(point, Verdict.REFAIT)

    verdicts = (win, *COUP_VERDICTS[1:], *refaits.values())
    return Chance.of(keys.id, verdict, verdicts, simple=True)


@stated({"integer": {"minimum": 0, "maximum": 0}, "string": {"pattern": "^(0+|[0-9]+/[0-9]+)$"}})
def _part(part: Fraction) -> str:
    return "" if 0 <= part < 1 else f"{part} is not a part from 0 to less than 1"


MOST_ODDS: Final = 10**6
"""What a win may pay at most, for each unit staked: with any stake, less than sums may reach."""


possible_odds: Final = at_most(MOST_ODDS)
"""The check of odds: a table can pay them."""


def net_win(name: str, odds: Fraction, commission: Fraction) -> Verdict:
    """Return a winning verdict: what it pays when the bank has kept its part of what is won."""
    return Verdict(name, odds * (1 - commission) if commission else odds)


@frozen
class ChanceKeys:
    """One [[chances]] table: what a simple chance has of its own."""

    id: ChanceId = key(doc="The simple chance.")
    odds: Fraction = key(
        ONE,
        "What a win pays for each unit staked, the stake itself apart: even money everywhere.",
        check=possible_odds,
    )
    commission: Fraction = key(
        NOUGHT, "The part of what is won that the bank keeps, such as `1/20`.", check=_part
    )
    refait_on: RefaitOn | None = key(
        None,
        "The ties that lose on this chance, where they differ from those of [deal]: `[]` spares it "
        "every refait.",
        check=if_given(_losing_ties),
    )

    def won(self) -> Verdict:
        """Return the verdict of a win."""
        if (self.odds, self.commission) == (ONE, NOUGHT):
            return Verdict.WIN
        return net_win(Verdict.WIN.id, self.odds, self.commission)


class SideBetRule(Protocol):
    """A kind of side bet: it decides which outcomes win."""

    def wins(self, outcome: Outcome, /) -> bool:
        """Return whether the side bet wins this outcome."""
        ...  # pragma: no cover - a protocol has no body


Colours = Literal["noir", "rouge"]


@frozen(kw_only=True)
class Condition:
    """A condition on the outcome of a coup: every key that is given must hold."""

    tie: bool | None = key(None, "Both rows end on the same point, or do not.")
    first: tuple[int, ...] = key(
        (), "The points that the first row dealt may end on.", check=_some_points
    )
    second: tuple[int, ...] = key(
        (), "The points that the second row may end on.", check=_some_points
    )
    either: tuple[int, ...] = key(
        (), "The points of which one row at least must have one.", check=_some_points
    )
    winner: Colours | None = key(None, "The colour that wins the coup; in a tie none does.")
    first_card: Colours | None = key(None, "The colour of the first card of the first row.")
    second_card: Colours | None = key(None, "The colour of the first card of the second row.")

    def fits(self, outcome: Outcome, deal: DealRule) -> bool:
        """Return whether an outcome meets the condition, where coups are won as [deal] says."""
        points = outcome.first, outcome.second
        winner = deal.winner(outcome)
        return (
            self.tie in (None, points[0] == points[1])
            and (not self.first or points[0] in self.first)
            and (not self.second or points[1] in self.second)
            and (not self.either or not set(self.either).isdisjoint(points))
            and (self.winner is None or (winner is not None and winner.id == self.winner))
            and self.first_card in (None, outcome.first_colour.id)
            and self.second_card in (None, outcome.second_colour.id)
        )

    def outcomes(self, deal: DealRule) -> frozenset[Outcome]:
        """Return the outcomes that meet the condition."""
        return frozenset(outcome for outcome in outcomes() if self.fits(outcome, deal))


def met(conditions: Iterable[Condition], deal: DealRule) -> frozenset[Outcome]:
    """Return the outcomes that meet one of some conditions, where coups are won as [deal] says."""
    return frozenset[Outcome]().union(*(each.outcomes(deal) for each in conditions))


@frozen(kw_only=True)
class Pay(Condition):
    """The odds of the wins that meet a condition."""

    odds: Fraction = key(doc="What such a win pays for each unit staked.", check=possible_odds)


@frozen
class AnyTie:
    """Wins on every tie, the refait included (any après)."""

    except_: tuple[int, ...] = key(
        (), "Points whose ties do not win.", check=_some_points, name="except"
    )

    def wins(self, outcome: Outcome) -> bool:
        """Return whether both points are equal."""
        return outcome.first == outcome.second and outcome.first not in self.except_


@frozen
class ExactTie:
    """Wins on a tie on one point (exact après)."""

    point: int = key(31, "The point both rows must end on.", check=_a_point)

    def wins(self, outcome: Outcome) -> bool:
        """Return whether both rows end on the point."""
        return outcome.first == outcome.second == self.point


@frozen
class RowPoint:
    """Wins where a row ends on one point."""

    point: int = key(40, "The point that the row must end on.", check=_a_point)
    row: Literal["either", "first", "second", "both"] = key(
        "either", "Which row: the first dealt, the second, one of them at least, or both."
    )

    @property
    def condition(self) -> Condition:
        """The condition on the outcome that this is."""
        point, row = (self.point,), self.row
        return Condition(
            first=point if row in {"first", "both"} else (),
            second=point if row in {"second", "both"} else (),
            either=point if row == "either" else (),
        )

    def wins(self, outcome: Outcome) -> bool:
        """Return whether the row ends on the point."""
        return self.condition.fits(outcome, _USUAL_DEAL)


@frozen
class OutcomeBet:
    """Wins where one of several conditions on the outcome is met."""

    on: tuple[Condition, ...] = key(
        doc="The outcomes that win: a list of conditions, such as `{ tie = true, first = [40] }`. "
        "A condition is `{ tie, first, second, either, winner, first_card, second_card }`.",
    )

    def wins(self, outcome: Outcome) -> bool:
        """Return whether one of the conditions is met, where the lower point wins."""
        return self.wins_under(_USUAL_DEAL, outcome)

    def wins_under(self, deal: DealRule, outcome: Outcome) -> bool:
        """Return whether one of the conditions is met, where coups are won as [deal] says."""
        return any(condition.fits(outcome, deal) for condition in self.on)


_USUAL_DEAL: Final = DealRule()


@frozen
class SideBetKeys:
    """The keys of every [[side_bets]] table, whatever it wins on."""

    id: str = key(doc="The id stakes name the side bet by.", check=named)
    odds: Fraction = key(
        doc="What a win pays for each unit staked, the stake itself apart.", check=possible_odds
    )
    needs: Literal["simple", "none"] = key(
        "none",
        "`simple`: only with a free stake of the same player on a simple chance in the same coup.",
    )
    commission: Fraction = key(
        NOUGHT, "The part of what is won that the bank keeps, such as `1/20`.", check=_part
    )
    pays: tuple[Pay, ...] = key(
        (),
        "Other odds for some of the wins: a list of conditions with their `odds`, such as "
        '`{ first = [40], odds = "100" }`. A win is paid by the first that fits, else by `odds`.',
    )
    pushes_on: tuple[Condition, ...] = key(
        (), "The outcomes that return the stake, whatever it wins on: a list of conditions."
    )

    def verdicts(self, rule: SideBetRule, deal: DealRule) -> Iterator[Verdict]:
        """Yield what each of the 400 outcomes means for the side bet of a rule."""
        pushed = met(self.pushes_on, deal)
        odds = {each: pay.odds for pay in reversed(self.pays) for each in pay.outcomes(deal)}
        won = {each: self.won(each) for each in (self.odds, *odds.values())}
        wins = wins_of(rule, deal)
        for outcome in outcomes():
            if outcome in pushed:
                yield Verdict.APRES
            elif wins(outcome):
                yield won[odds.get(outcome, self.odds)]
            else:
                yield Verdict.LOSE

    def won(self, odds: Fraction) -> Verdict:
        """Return the verdict of a win at these odds."""
        name = Verdict.WIN.id
        if odds != self.odds:
            name = f"{name}-{odds}".replace("/", "-")
        return net_win(name, odds, self.commission)

    def build(self, rule: SideBetRule, deal: DealRule) -> Chance:
        """Return the chance of a side bet: it wins where its rule says so, or is lost at once."""
        given = (*self.verdicts(rule, deal),)
        # By their ids: a string knows its hash, an attrs value has to be asked for it.
        verdicts = {each.id: each for each in (self.won(self.odds), Verdict.LOSE, *given)}
        places = {name: place for place, name in enumerate(verdicts)}
        table = bytes(places[verdict.id] for verdict in given)
        return Chance(self.id, tuple(verdicts.values()), table, needs=self.needs)


def wins_of(rule: SideBetRule, deal: DealRule) -> Callable[[Outcome], bool]:
    """Return the function that says which outcomes a side bet wins in a house that deals so."""
    return partial(rule.wins_under, deal) if isinstance(rule, OutcomeBet) else rule.wins
