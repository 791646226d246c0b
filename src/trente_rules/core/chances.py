"""Chances as verdict tables: what each of the 400 outcomes of a coup means for a wager.

The four simple chances are built from the house's [deal] table; a side bet has a separate table.
A tie of the two points is void (APRES), unless it is a losing tie of the house (REFAIT).
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache, partial
from typing import ClassVar, Final, Literal, Protocol

from attrs import field, frozen

from trente_rules.core.cards import Colour
from trente_rules.core.coup import OUTCOMES, POINTS, Coup, Outcome, outcomes
from trente_rules.core.errors import RuleError
from trente_rules.core.keys import key
from trente_rules.core.money import NOUGHT, ONE

ROUGE: Final = "rouge"
NOIR: Final = "noir"
COULEUR: Final = "couleur"
INVERSE: Final = "inverse"
SIMPLE_CHANCES: Final = (ROUGE, NOIR, COULEUR, INVERSE)
"""The ids of the four simple chances."""
OPPOSITES: Final = {ROUGE: NOIR, NOIR: ROUGE, COULEUR: INVERSE, INVERSE: COULEUR}
"""Each simple chance and the one that loses where it wins."""

ChanceId = Literal["rouge", "noir", "couleur", "inverse"]

Kind = Literal["win", "lose", "push", "tie", "close"]
"""What a verdict does: ``push`` is an ordinary tie, ``tie`` a special one, which costs."""
KINDS: Final[tuple[Kind, ...]] = ("win", "lose", "push", "tie", "close")
_KINDS: Final = dict(zip(("win", "lose", "apres", "refait", "close"), KINDS, strict=True))


@frozen(cache_hash=True)
class Verdict:
    """The meaning of a coup for one chance: ``win``, ``lose``, ``apres`` or ``refait``.

    A house may know several of a kind, told apart by what follows a hyphen: ``refait-40``, or
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
            raise RuleError(f"{self.id!r} is not a verdict", "unknown-verdict", hint)
        if self.odds < 0 or (self.odds and name != "win"):
            raise RuleError(
                f"{self.id}: odds of {self.odds}",
                "bad-odds",
                "only a win is paid, nothing or more",
            )
        return _KINDS[name]

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
_USUAL: Final = {verdict.kind: verdict for verdict in VERDICTS}


@frozen
class Chance:
    """One chance: its id, and what each of the 400 outcomes means for a stake on it.

    ``table`` has the place in ``verdicts`` of each outcome, by its index. ``simple`` marks the four
    simple chances, whose stakes go through the refait rule of the house; side bets win or lose at
    once. ``needs`` is ``"simple"`` where the same player must have a free stake on a simple chance
    in the same coup, else ``"none"``.
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
        return frozenset(self.verdicts[place] for place in set(self.table))

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


RefaitOn = tuple[int, ...] | Literal["any"]


def _losing_ties(refait_on: RefaitOn) -> str:
    if refait_on == "any":
        return ""
    bad = [point for point in refait_on if point not in POINTS]
    if bad:
        return f"{bad[0]!r} is not a point: points are {POINTS[0]} to {POINTS[-1]}"
    return "a point is listed twice" if len(set(refait_on)) < len(refait_on) else ""


def _chances(chances: tuple[str, ...]) -> str:
    if not chances:
        return "a house offers at least one chance"
    return "a chance is listed twice" if len(set(chances)) < len(chances) else ""


@frozen
class DealRule:
    """The [deal] table: which colour is dealt first, which chances are offered, which ties lose."""

    first_row: Literal["noir", "rouge"] = key(
        "noir",
        "The colour the first row is dealt for: noir everywhere (France 2007, art. 54) but in one "
        "old German house.",
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
        "The ties that lose: points, or `any` for every tie; `[]` for none, which gives the bank "
        "no advantage.",
        check=_losing_ties,
    )

    def loses(self, point: int) -> bool:
        """Return whether a tie on this point is a refait."""
        return self.refait_on == "any" or point in self.refait_on

    @property
    def first_colour(self) -> Colour:
        """The colour the first row is dealt for."""
        return Colour.NOIR if self.first_row == NOIR else Colour.ROUGE

    def winner(self, outcome: Outcome) -> Colour | None:
        """Return the colour whose row has the lower point, None for a tie."""
        if outcome.first == outcome.second:
            return None
        first = self.first_colour
        return first if outcome.first < outcome.second else Colour(1 - first)

    def couleur_colour(self, outcome: Outcome) -> Colour:
        """Return the colour that the winner must have for couleur to win."""
        if self.couleur == "first-of-coup" or outcome.first < outcome.second:
            return outcome.first_colour
        return outcome.second_colour

    def wins(self, chance: str, outcome: Outcome) -> bool:
        """Return whether a simple chance wins an outcome that is not a tie."""
        winner = self.winner(outcome)
        if chance in (COULEUR, INVERSE):
            return (winner == self.couleur_colour(outcome)) == (chance == COULEUR)
        return winner == (Colour.ROUGE if chance == ROUGE else Colour.NOIR)

    def verdict(self, chance: str, outcome: Outcome) -> Verdict:
        """Return what an outcome means for a simple chance."""
        if outcome.first == outcome.second:
            return Verdict.REFAIT if self.loses(outcome.first) else Verdict.APRES
        return Verdict.WIN if self.wins(chance, outcome) else Verdict.LOSE

    def build(self) -> tuple[Chance, ...]:
        """Return the simple chances on offer, in the order of the house; each pays even money."""
        return _simple_chances(self)


@lru_cache(maxsize=64)  # houses deal alike: without it a house takes three times as long to load
def _simple_chances(deal: DealRule) -> tuple[Chance, ...]:
    return tuple(
        Chance.of(chance, partial(deal.verdict, chance), simple=True) for chance in deal.chances
    )


class SideBetRule(Protocol):
    """A kind of side bet: it decides which outcomes win."""

    def wins(self, outcome: Outcome, /) -> bool:
        """Return whether the side bet wins this outcome."""
        ...  # pragma: no cover - a protocol has no body


@frozen
class AnyTie:
    """Wins on every tie, the refait included (any après)."""

    def wins(self, outcome: Outcome) -> bool:
        """Return whether both points are equal."""
        return outcome.first == outcome.second


def _a_point(point: int) -> str:
    return "" if point in POINTS else f"{point!r} is not a point: {POINTS[0]} to {POINTS[-1]}"


@frozen
class ExactTie:
    """Wins on a tie on one point (exact après)."""

    point: int = key(31, "The point both rows must end on.", check=_a_point)

    def wins(self, outcome: Outcome) -> bool:
        """Return whether both rows end on the point."""
        return outcome.first == outcome.second == self.point


def build_side_bet(bet_id: str, rule: SideBetRule, odds: Fraction, needs: str) -> Chance:
    """Return the chance of a side bet: it wins where its rule says so, and otherwise loses."""
    win, lose = Verdict("win", odds), Verdict.LOSE
    return Chance.of(bet_id, lambda o: win if rule.wins(o) else lose, (win, lose), needs=needs)
