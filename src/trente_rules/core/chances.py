"""Chances as verdict tables: what each of the 400 outcomes of a coup means for a wager.

The four simple chances are built from the house's [deal] table; a side bet brings a table of its
own. A tie of the two points is void (APRES), unless it is a losing tie of the house (REFAIT).
"""

from __future__ import annotations

from collections.abc import Callable
from enum import IntEnum
from fractions import Fraction
from typing import Final, Literal, Protocol

from attrs import field, frozen

from trente_rules.core.cards import Colour
from trente_rules.core.coup import OUTCOMES, POINTS, Coup, Outcome, outcomes
from trente_rules.core.errors import RuleError
from trente_rules.core.keys import key
from trente_rules.core.money import ONE

ROUGE: Final = "rouge"
NOIR: Final = "noir"
COULEUR: Final = "couleur"
INVERSE: Final = "inverse"
SIMPLE_CHANCES: Final = (ROUGE, NOIR, COULEUR, INVERSE)
"""The ids of the four simple chances."""
OPPOSITES: Final = {ROUGE: NOIR, NOIR: ROUGE, COULEUR: INVERSE, INVERSE: COULEUR}
"""Each simple chance and the one that loses where it wins."""

ChanceId = Literal["rouge", "noir", "couleur", "inverse"]


class Verdict(IntEnum):
    """What a coup means for one chance; CLOSE is no coup but the end of the session."""

    WIN = 0
    LOSE = 1
    APRES = 2
    REFAIT = 3
    CLOSE = 4

    @property
    def id(self) -> str:
        """The text that TOML and JSON use: ``win`` ... ``close``."""
        return self.name.lower()

    @classmethod
    def of_id(cls, text: str) -> Verdict:
        """Return the verdict of an id; ``RuleError`` ("unknown-verdict") if there is none."""
        for verdict in cls:
            if verdict.id == text:
                return verdict
        raise RuleError(
            f"{text!r} is not a verdict",
            "unknown-verdict",
            f"verdicts are {', '.join(verdict.id for verdict in cls)}",
        )


COUP_VERDICTS: Final = (Verdict.WIN, Verdict.LOSE, Verdict.APRES, Verdict.REFAIT)
"""The verdicts that a coup can give; CLOSE comes from the table."""
VERDICTS: Final = tuple(Verdict)
"""All verdicts, by number."""


def _whole_table(_chance: object, _attribute: object, table: bytes) -> None:
    if len(table) != OUTCOMES or not set(table) <= {int(verdict) for verdict in COUP_VERDICTS}:
        raise RuleError(
            f"a verdict table of {len(table)} places",
            "bad-verdicts",
            f"it has one of the verdicts 0 to 3 for each of the {OUTCOMES} outcomes",
        )


def _pays(_chance: object, _attribute: object, odds: Fraction) -> None:
    if odds < 0:
        raise RuleError(f"odds of {odds}", "bad-odds", "winnings are nothing or more")


@frozen
class Chance:
    """One wager: its text id, what a win pays per unit, and its verdict for every outcome.

    ``simple`` tells the four simple chances, whose stakes go through the refait rule of the house,
    from side bets, which win or lose at once. ``needs`` is ``"simple"`` where the same player must
    have a free stake on a simple chance in the same coup, else ``"none"``.
    """

    id: str
    odds: Fraction = field(validator=_pays)
    verdicts: bytes = field(validator=_whole_table, repr=False)
    simple: bool = False
    needs: str = "none"

    def verdict(self, coup: Coup) -> Verdict:
        """Return what a coup means for this chance."""
        return VERDICTS[self.verdicts[coup.outcome]]

    def possible(self) -> frozenset[Verdict]:
        """Return the verdicts that some coup gives this chance."""
        return frozenset(VERDICTS[number] for number in set(self.verdicts))


def verdict_table(verdict: Callable[[Outcome], Verdict]) -> bytes:
    """Build a verdict table by asking a function about each of the 400 outcomes."""
    return bytes(verdict(outcome) for outcome in outcomes())


RefaitOn = tuple[int, ...] | Literal["any"]


def _losing_ties(refait_on: RefaitOn) -> str:
    if refait_on == "any":
        return ""
    bad = [point for point in refait_on if point not in POINTS]
    if bad:
        return f"{bad[0]!r} is not a point: points are {POINTS[0]} to {POINTS[-1]}"
    return "a point stands twice" if len(set(refait_on)) < len(refait_on) else ""


def _chances(chances: tuple[str, ...]) -> str:
    if not chances:
        return "a house offers at least one chance"
    return "a chance stands twice" if len(set(chances)) < len(chances) else ""


@frozen
class DealRule:
    """The [deal] table: which colour is dealt first, which chances there are, which ties lose."""

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
        """Return whether a simple chance wins an outcome that is no tie."""
        winner = self.winner(outcome)
        if chance in (COULEUR, INVERSE):
            return (winner == self.couleur_colour(outcome)) == (chance == COULEUR)
        return winner == (Colour.ROUGE if chance == ROUGE else Colour.NOIR)

    def build(self) -> tuple[Chance, ...]:
        """Build the simple chances on offer, in the order of the house; each pays even money."""

        def verdict(chance: str, outcome: Outcome) -> Verdict:
            if outcome.first == outcome.second:
                return Verdict.REFAIT if self.loses(outcome.first) else Verdict.APRES
            return Verdict.WIN if self.wins(chance, outcome) else Verdict.LOSE

        all_outcomes = tuple(outcomes())
        return tuple(
            Chance(chance, ONE, bytes(verdict(chance, o) for o in all_outcomes), simple=True)
            for chance in self.chances
        )


class SideBetRule(Protocol):
    """What a kind of side bet is: it tells which outcomes win."""

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
    """Build the chance of a side bet: it wins where its rule says so, and else loses."""
    table = verdict_table(lambda o: Verdict.WIN if rule.wins(o) else Verdict.LOSE)
    return Chance(bet_id, odds, table, simple=False, needs=needs)
