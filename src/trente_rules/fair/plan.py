"""The plan of a fair shoe: cut, burn and marker, bound when it is sealed, drawn, never chosen.

The plan of a shoe is what its house does with it: packs, cut, burn, marker. The commitment binds
the plan, and the stream behind the shuffle gives every number that the plan leaves open.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, Protocol

from attrs import frozen

from trente_rules.core.cards import Card
from trente_rules.core.errors import TrenteError, shown
from trente_rules.core.shoe import CARDS_IN_PACK, Burn, ShoeRule

MOST_FAIR_PACKS: Final = 255
_PLAN: Final = re.compile(
    r"packs=([1-9][0-9]{0,2}) cut=(none|0-[1-9][0-9]{0,4}) "
    r"burn=(first-card|0|[1-9][0-9]?) marker=(none|([0-9]{1,5})-([0-9]{1,5}))",
    re.ASCII,
)
_MOST_BURNED: Final = 11
"""Cards burned at most where the first one decides: itself, and ten."""


def check_packs(packs: int) -> None:
    """Raise ``TrenteError`` ("no-packs") unless packs are a whole number from 1 to 255."""
    if type(packs) is not int or not 1 <= packs <= MOST_FAIR_PACKS:
        hint = f"packs are 1 to {MOST_FAIR_PACKS}"
        raise TrenteError(f"a fair shoe of {shown(packs)} packs", "no-packs", hint)


class Drawing(Protocol):
    """Anything that draws numbers below a bound."""

    def below(self, bound: int, /) -> int:
        """Return a number from 0 to ``bound`` - 1, each equally likely."""
        ...  # pragma: no cover - a protocol has no body


@frozen
class Preparation:
    """All that is done to one shoe before its first coup; nobody chooses any of it.

    ``cut`` is how many cards go behind the others, None where the shoe is not cut. ``burn`` is how
    many are burned then, ``marker`` how many lie behind the marker, None where there is no marker.
    Where it is what a file says, None is what the file leaves out.
    """

    cut: int | None = None
    burn: int | None = None
    marker: int | None = None


@frozen
class FairPlan:
    """The way a house prepares a shoe before its first coup: packs, cut, burn, and marker.

    ``cut`` is whether the shoe is cut, ``burn`` as in [shoe], ``marker`` the fewest and the most
    cards behind it. Raises ``TrenteError`` ("no-packs", "bad-plan").

    >>> str(FairPlan(6, burn=5, marker=(20, 40)))
    'packs=6 cut=0-312 burn=5 marker=20-40'
    """

    packs: int
    cut: bool = True
    burn: Burn = 0
    marker: tuple[int, int] | None = None

    def __attrs_post_init__(self) -> None:
        """Check that a shoe can be prepared in this way."""
        check_packs(self.packs)
        most = _MOST_BURNED if self.burn == "first-card" else self.burn
        low, high = self.marker or (0, 0)
        left = self.cards - most if self.marker else CARDS_IN_PACK
        if not 0 <= most <= CARDS_IN_PACK or not 0 <= low <= high < left:
            raise _plan_error(str(self))

    @property
    def cards(self) -> int:
        """The number of cards of the shoe."""
        return self.packs * CARDS_IN_PACK

    @classmethod
    def of(cls, rule: ShoeRule) -> FairPlan:
        """Return the plan of the shoes of a house."""
        marker = rule.marker.bounds if rule.marker else None
        return cls(rule.packs, not rule.every_coup, rule.burn, marker)

    @classmethod
    def parse(cls, text: str) -> FairPlan:
        """Read what ``str`` gives; ``TrenteError`` ("bad-plan") for anything else."""
        found = _PLAN.fullmatch(text) if isinstance(text, str) else None
        if found is None:
            raise _plan_error(text)
        packs, cut, burn, marker, low, high = found.groups()
        plan = cls(
            int(packs),
            cut != "none",
            "first-card" if burn == "first-card" else int(burn),
            None if marker == "none" else (int(low), int(high)),
        )
        if str(plan) != text:
            raise _plan_error(text)
        return plan

    def __str__(self) -> str:
        """Return the plan as the commitment binds it."""
        cut = f"0-{self.cards}" if self.cut else "none"
        marker = f"{self.marker[0]}-{self.marker[1]}" if self.marker else "none"
        return f"packs={self.packs} cut={cut} burn={self.burn} marker={marker}"

    def prepared(self, order: Sequence[Card], stream: Drawing) -> Preparation:
        """Return the preparation of a shuffled shoe; ``stream`` is at its place after the shuffle.

        The cut is drawn first, then the marker. The burn follows from the card that is first after
        the cut.
        """
        cut = stream.below(self.cards + 1) if self.cut else None
        marker = None
        if self.marker is not None:
            low, high = self.marker
            marker = low + stream.below(high - low + 1)
        burn = self.burn
        if burn == "first-card":
            burn = 1 + order[(cut or 0) % len(order)].points
        return Preparation(cut, burn, marker)


def _plan_error(text: object) -> TrenteError:
    hint = 'a plan is like "packs=6 cut=0-312 burn=5 marker=20-40", within what the packs hold'
    return TrenteError(f"the plan {shown(text)} is not the plan of a shoe", "bad-plan", hint)
