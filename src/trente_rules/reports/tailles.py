"""Whole tailles in reports: coups, refaits and the bank's hold under the shoe rule of a house."""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from attrs import frozen

from trente_rules.core.errors import TrenteError
from trente_rules.core.house.house import House
from trente_rules.core.money import NOUGHT
from trente_rules.core.shoe import CARDS_IN_PACK
from trente_rules.core.text import with_error
from trente_rules.odds.coup_odds import fresh_shoe
from trente_rules.odds.taille import MISSING, Estimated, TailleLaw, taille_law

TAILLE: Final = "whole taille, the house's own shoe rule"
NOT_STORED: Final = (
    'The law of these tailles is not stored: with the extra "trente-rules[fast]", `trente par` '
    "computes it."
)
EXACT: Final = 1e-12
"""An estimated error below this is rounding: the figure is exact."""
LEAST_SHOWN: Final = 1e-5
"""A number of coups that is rarer is left out of a sentence."""


@frozen
class TailleFigures:
    """The figures of a whole taille under the shoe rule of the house.

    ``places`` are those of the marker, from the end: one, or all between two bounds, of which the
    figures are the mean; None without a marker. ``cards`` are those a coup may begin with.
    ``fewest`` and ``most`` bound the completed coups exactly; the first ``fewest`` of every taille
    are sure to be completed, so each is a refait with probability q exactly: ``sure_refaits`` in
    all. ``share`` is refaits over all completed coups, which is not q; ``law[n]`` the probability
    of n coups, each within ``law_error``. Coups, refaits, share and law are None where they are
    not stored and numba is not installed.
    """

    places: tuple[int, int] | None
    cards: int
    fewest: int
    most: int
    coups: Estimated | None
    refaits: Estimated | None
    share: Estimated | None
    law: tuple[float, ...] | None
    q: Fraction
    sure_refaits: Fraction
    law_error: float = 0.0

    @property
    def marker(self) -> str:
        """Where the marker lies: ``none``, ``5 from the end``, ``20 to 40, any``."""
        if self.places is None:
            return "none"
        low, high = self.places
        return f"{low} from the end" if low == high else f"{low} to {high}, any"


def taille_figures(house: House, *, compute: bool = False) -> tuple[TailleFigures, ...]:
    """Return the figures of a taille: where the marker has two bounds, the mean, and both bounds.

    The mean is over all places between them, as likely. ``compute``: what is not stored is
    computed, which takes seconds and the extra fast.
    """
    rule = house.shoe
    if rule.marker is None or rule.every_coup:
        return (_figures(house, None, compute=compute),)
    low, high = rule.marker.bounds
    places = dict.fromkeys(((low, high), (low, low), (high, high)))
    return tuple(_figures(house, each, compute=compute) for each in places)


def _figures(house: House, places: tuple[int, int] | None, *, compute: bool) -> TailleFigures:
    rule = house.shoe
    low, high = places or (0, 0)
    fewest = min(rule.sure_coups(place) for place in range(low, high + 1))
    q = sum((fresh_shoe(rule.packs).tie(point) for point in house.losing_ties), NOUGHT)
    law = _law(house, low if low == high and places else None, compute=compute)
    return TailleFigures(
        places=places,
        cards=rule.packs * CARDS_IN_PACK - low - rule.burn_bounds[0],
        fewest=fewest,
        most=max(rule.most_coups(place) for place in range(low, high + 1)),
        coups=None if law is None else law.coups,
        refaits=None if law is None else law.refaits,
        share=None if law is None else law.share,
        law=None if law is None else law.law,
        q=q,
        sure_refaits=q * fewest,
        law_error=0.0 if law is None else law.law_error,
    )


def _law(house: House, from_end: int | None, *, compute: bool) -> TailleLaw | None:
    try:
        return taille_law(house, from_end, compute=compute)
    except TrenteError as error:
        if error.code not in MISSING:
            raise
        return None


def estimate_text(value: Estimated | None, *, share: bool = False) -> str | None:
    """Return an estimate with its error: ``29.02271 +- 0.00012``; None stays None."""
    if value is None:
        return None
    if value.error < EXACT:
        return f"{100 * value.value:.6f} %" if share else f"{value.value:.6f}"
    return with_error(value.value, value.error, share=share)


def law_text(law: tuple[float, ...]) -> str:
    """Return how likely each number of coups is: ``28 coups 3.323 %, 29 coups 91.082 %``."""
    likely = [(coups, chance) for coups, chance in enumerate(law) if chance >= LEAST_SHOWN]
    return ", ".join(f"{coups} coups {100 * chance:.3f} %" for coups, chance in likely)
