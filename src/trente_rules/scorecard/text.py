"""A score card as text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from trente_rules.scorecard.lines import CROSS, DOT, LETTERS, ScoreCard, ScoreLine

LEGEND: Final = f"{DOT} wins   empty boxes: après   {CROSS} refait"
_TIES: Final = {"apres": "après", "refait": "refait"}


def boxes(card: ScoreCard, line: ScoreLine) -> str:
    """Answer the boxes of one line: ``│●│ │ │ │●│``."""
    return " ".join(
        "│" + "".join(f"{line.mark(chance)}│" for chance in pair) for pair in card.pairs
    )


def heads(card: ScoreCard) -> str:
    """Answer the letters that stand over the boxes."""
    return " ".join(" " + "".join(f"{LETTERS[chance]} " for chance in pair) for pair in card.pairs)


def points_text(line: ScoreLine) -> str:
    """Answer the points of a line and what the tie is: ``36 36 après``."""
    told = [*map(str, line.points), _TIES.get(line.tie, "")]
    return " ".join(word for word in told if word)


def _lines(card: ScoreCard) -> Iterator[str]:
    yield card.title
    yield ""
    yield f"    {heads(card)}".rstrip()
    for line in card.lines:
        yield f"{line.number:>3} {boxes(card, line)}  {points_text(line)}".rstrip()
    yield ""


def cards_text(cards: Sequence[ScoreCard]) -> str:
    """Answer cards as lines of text, one a coup, and what the signs mean."""
    return "\n".join((*(line for card in cards for line in _lines(card)), LEGEND)) + "\n"
