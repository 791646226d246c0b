"""Houses compared by what the bank holds over whole tailles, stakes in prison included."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any, Final

from trente_rules.core.errors import TrenteError
from trente_rules.odds.taille import Estimated
from trente_rules.odds.taille_hold import holds
from trente_rules.reports.comparison import Compared, chances_text, grouped
from trente_rules.reports.document import Column, Grid, Part
from trente_rules.reports.plays import play_words
from trente_rules.reports.tailles import NOT_STORED, estimate_text

HOLD_KEYS: Final = ("hold_of_tailles", "hold_of_tailles_error")
"""The additional keys of a wager with the hold over whole tailles, in JSON and CSV."""
Held = tuple[Estimated | None, ...]
"""What the bank holds of the wagers of a house, in their order."""


def held_of(one: Compared) -> Held:
    """Return what the bank holds of the wagers of a house over whole tailles, nominal.

    The tailles are those of the house, whatever deal its edges are of. A house that shuffles for
    every coup has none. Raises ``TrenteError`` ("hold-of-stake") for figures of an amount.
    """
    if one.stake is not None:
        raise TrenteError(
            f"a stake of {one.stake} over whole tailles",
            "hold-of-stake",
            "holds are nominal: leave the stake out",
        )
    return holds(one.house, one.advantage.wagers)


def hold_json(hold: Estimated | None) -> dict[str, Any]:
    """Return the hold of a wager and its error, by their keys."""
    values = (None, None) if hold is None else (hold.value, hold.error)
    return dict(zip(HOLD_KEYS, values, strict=True))


def holds_parts(compared: Sequence[Compared], held: Sequence[Held]) -> Iterator[Part]:
    """Yield the edge and the hold, a line for each house, play and group of chances alike."""
    rows: list[tuple[str | Fraction | None, ...]] = []
    missing = False
    for one, of_house in zip(compared, held, strict=True):
        missing |= None in of_house and not one.house.shoe.every_coup
        words = play_words(one.advantage.wagers)
        groups = grouped(
            (
                (
                    words[wager.insured, wager.policy],
                    wager.edge,
                    estimate_text(hold, share=True),
                ),
                wager.chance,
            )
            for wager, hold in zip(one.advantage.wagers, of_house, strict=True)
        )
        for cells, chances in groups.items():
            rows.append((one.house.name, chances_text(one.house, chances), *cells))
    yield Grid(
        "The bank's hold over whole tailles, of a stake on every completed coup",
        (
            *("house", Column("chances", rank=2), "play"),
            *(Column("edge, first coup", ".5%", rank=1), ("hold, whole tailles", "s")),
        ),
        rows,
        "Errors (+-) are estimated. A house that shuffles for every coup has no tailles.",
    )
    if missing:
        yield NOT_STORED
