"""What one coup of a shoe says of another: the law of a chance's verdicts, given verdicts before.

Exchanging whole coups of a shoe, or the two rows of a coup, or the colours of all cards, changes no
probability. So the order of the verdicts before makes no difference, wins and losses share what
ties leave, and what follows a win follows from what follows both kinds of tie.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import cached_property
from typing import Final

from attrs import frozen

from trente_rules.analysis.advantage import Odds
from trente_rules.analysis.after_tie import after_tie
from trente_rules.analysis.deal_odds import fresh_shoe
from trente_rules.deal.coup import POINTS
from trente_rules.house.house import House
from trente_rules.money import NOUGHT
from trente_rules.rules.chances import COUP_VERDICTS, Chance, Verdict

UNKNOWN: Final = 2
"""How many times the largest deviation of the first order the law of a third coup may be off."""
History = tuple[int, int, int, int]
"""How often each verdict was given since the stake was placed: the order makes no difference."""
_WIN, _LOSE, _APRES, _REFAIT = COUP_VERDICTS


@frozen(slots=False)
class ShoeLaws:
    """What is known of the verdicts of one chance in coups of one shoe."""

    house: House
    chance: Chance
    packs: int

    @cached_property
    def base(self) -> Odds:
        """The law of a coup, nothing known of others."""
        return fresh_shoe(self.packs).verdicts(self.chance.verdicts)

    @cached_property
    def coloured(self) -> bool:
        """Whether the chance looks at the colour of a first card."""
        table = self.chance.verdicts
        return any(len(set(table[at : at + 4])) > 1 for at in range(0, len(table), 4))

    @cached_property
    def _ties(self) -> dict[Verdict, tuple[int, ...]]:
        rule = self.house.deal
        losing = tuple(point for point in POINTS if rule.loses(point))
        ordinary = tuple(point for point in POINTS if not rule.loses(point))
        return {
            verdict: points for verdict, points in ((_REFAIT, losing), (_APRES, ordinary)) if points
        }

    @cached_property
    def after(self) -> dict[Verdict, Odds]:
        """The law of a coup, given one verdict of another coup.

        Given a win or a loss it is what the ties leave: exchanging the rows of that coup, or the
        colours of all cards, makes one of the other.
        """
        base = self.base
        ties: dict[Verdict, tuple[Fraction, Fraction]] = {}
        for verdict, points in self._ties.items():
            _w, _l, apres, refait = after_tie(self.packs, points).verdicts(self.chance.verdicts)
            if verdict is _APRES and _REFAIT in ties:
                # Exchanging both coups: the law after a refait has no composition left out.
                refait = ties[_REFAIT][0] * base[_REFAIT] / base[_APRES]
            ties[verdict] = apres, refait
        rest = base[_WIN] + base[_LOSE]
        apres, refait = (
            (base[tie] - sum((base[v] * law[at] for v, law in ties.items()), NOUGHT)) / rest
            for at, tie in enumerate((_APRES, _REFAIT))
        )
        ties[_WIN] = ties[_LOSE] = apres, refait
        return {verdict: self._shared(*both) for verdict, both in ties.items()}

    @cached_property
    def stored_errors(self) -> dict[Verdict, Fraction]:
        """How far the probability of a tie in ``after`` may be off: a tie has up to ten points."""
        errors = {
            verdict: len(POINTS) * Fraction(after_tie(self.packs, points).error)
            for verdict, points in self._ties.items()
        }
        return {**errors, _WIN: max(errors.values()), _LOSE: max(errors.values())}

    def _shared(self, apres: Fraction, refait: Fraction) -> Odds:
        """Let wins and losses share what the ties leave, in the proportion of the first coup."""
        base, rest = self.base, 1 - apres - refait
        win = rest * base[_WIN] / (base[_WIN] + base[_LOSE])
        return (win, rest - win, apres, refait)

    @cached_property
    def largest(self) -> Fraction:
        """The largest deviation of the first order of the probability of a tie."""
        return max(
            abs(law[tie] - self.base[tie])
            for law in self.after.values()
            for tie in (_APRES, _REFAIT)
        )

    def law(self, history: History) -> tuple[Odds, Fraction]:
        """Answer the law of the next coup, and how far a tie's probability may be off."""
        coups = sum(history)
        if not coups:
            return self.base, NOUGHT
        if coups == 1:
            before = COUP_VERDICTS[history.index(1)]
            return self.after[before], self.stored_errors[before]
        apres, refait = (
            self.base[tie]
            + sum(
                (n * (self.after[v][tie] - self.base[tie]) for v, n in self._given(history)),
                NOUGHT,
            )
            for tie in (_APRES, _REFAIT)
        )
        return self._shared(apres, refait), UNKNOWN * self.largest

    def _given(self, history: History) -> Iterator[tuple[Verdict, int]]:
        return ((v, times) for v, times in zip(COUP_VERDICTS, history, strict=True) if times)
