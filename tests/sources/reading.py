"""How a document is asked about: what a coup means in its house, what is said, what is paid."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from trente_rules import Choice, Coup, House, Line, Opening, Stake, settle
from trente_rules.core.rules.announcements import coup_calls
from trente_rules.testing import coup_with

OPEN = Opening(minimum=1)
"""A table whose least stake is one unit."""
NOIR_WINS = coup_with(33, 35)
ROUGE_WINS = coup_with(35, 33)
TIE = coup_with(33, 33)
REFAIT = coup_with(31, 31)


def fates(house: House, coup: Coup) -> dict[str, str]:
    """Return what a coup means for each simple chance, by the ids of chances and verdicts."""
    return {chance.id: chance.verdict(coup).id for chance in house.chances if chance.simple}


def winners(house: House, coup: Coup) -> set[str]:
    """Return the simple chances that win a coup."""
    return {chance for chance, fate in fates(house, coup).items() if fate == "win"}


def calls(house: House, coup: Coup) -> list[str]:
    """Return what the croupier says while a coup is dealt and when it is decided."""
    verdicts = {chance.id: chance.verdict(coup) for chance in house.chances if chance.simple}
    first_row = house.deal.first_colour
    said = coup_calls(house.announcements, house.words, coup, first_row, verdicts)
    return [house.words.say(call) for call in said]


def follow(
    house: House,
    coups: Sequence[Coup],
    *asked: str,
    chance: str = "rouge",
    amount: int = 400,
    **more: Any,
) -> list[Line]:
    """Settle one stake coup after coup, for as long as it stands; answer its lines.

    ``asked`` are the courses the player asks for, one for each coup; an empty text asks nothing.
    """
    lines: list[Line] = []
    stake: Stake | None = Stake("a1", "alice", chance, amount, **more)
    for place, coup in enumerate(coups):
        assert stake is not None, f"the stake is gone before coup {place}"
        course = asked[place] if place < len(asked) else ""
        choices = [Choice("a1", course, stake.state)] if course else []
        (line,) = settle(house, coup, [stake], choices, opening=OPEN).lines
        lines.append(line)
        stake = line.after
    return lines


def cash(lines: Sequence[Line]) -> int:
    """Return the units that the player has in hand at the end: handed back, and won."""
    return sum(line.returned + line.won + line.premium_returned for line in lines)
