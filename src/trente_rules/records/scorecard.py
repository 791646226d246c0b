"""Score cards: one line a coup, a dot in the column of the winner.

The traditional way (two columns, a dot for the winner, an empty box for an après) is that of the
cards players pricked in the nineteenth century and of the Italian programs. For the refait no
source has a mark; here it is a cross in both boxes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from attrs import frozen

from trente_rules.core.chances import COULEUR, INVERSE, NOIR, ROUGE, Verdict
from trente_rules.core.coup import Coup
from trente_rules.table.coups import CoupFold, final
from trente_rules.table.events import Event

PAIRS: Final = ((ROUGE, NOIR), (COULEUR, INVERSE))
"""The pairs of columns, in the order of the card."""
LETTERS: Final[Mapping[str, str]] = {ROUGE: "R", NOIR: "N", COULEUR: "C", INVERSE: "I"}
DOT: Final = "●"
CROSS: Final = "\N{MULTIPLICATION SIGN}"
EMPTY: Final = " "
UNKNOWN: Final = "?"


@frozen
class ScoreLine:
    """One coup on the card.

    ``winners`` are the chances that won, at most one of each pair; none in a tie. ``tie`` is
    "apres" or "refait", empty for a coup that is decided. ``points`` are those of both rows in the
    order of the deal, empty where they are not known. ``unknown`` are chances of which a player
    noted too little.
    """

    number: int
    winners: tuple[str, ...]
    tie: str = ""
    points: tuple[int, ...] = ()
    unknown: tuple[str, ...] = ()

    @classmethod
    def of_verdicts(
        cls, number: int, verdicts: Iterable[tuple[str, str]], points: Iterable[int] = ()
    ) -> ScoreLine:
        """Return the line of a coup from the ids of chances and of verdicts, empty if unknown."""
        simple = {chance: verdict for chance, verdict in verdicts if chance in LETTERS}
        winners = tuple(each for each in LETTERS if simple.get(each) == Verdict.WIN.id)
        tie = ""
        for name in (Verdict.APRES.id, Verdict.REFAIT.id):
            if name in simple.values():
                tie = name
        unknown = tuple(chance for chance, verdict in simple.items() if not verdict)
        return cls(number, winners, tie, tuple(points), unknown)

    def mark(self, chance: str) -> str:
        """Return the mark in the box of a chance: a dot, a cross, a query or nothing."""
        if self.tie == Verdict.REFAIT.id:
            return CROSS
        if chance in self.unknown:
            return UNKNOWN
        return DOT if chance in self.winners else EMPTY


@frozen
class ScoreCard:
    """A card: what is written over it, its pairs of columns, its lines."""

    title: str
    pairs: tuple[tuple[str, str], ...] = PAIRS
    lines: tuple[ScoreLine, ...] = ()

    @classmethod
    def of(cls, title: str, lines: Iterable[ScoreLine], chances: Iterable[str]) -> ScoreCard:
        """Return a card of the pairs that are among these chances, and of which some line knows."""
        drawn = tuple(lines)
        known = set(chances)
        for line in drawn:
            known -= set(line.unknown)
        for line in drawn:
            known |= set(line.winners)
        return cls(title, tuple(pair for pair in PAIRS if known & set(pair)), drawn)

    @property
    def columns(self) -> tuple[str, ...]:
        """The chances of all columns, in order."""
        return tuple(chance for pair in self.pairs for chance in pair)


def lines_of_events(events: Iterable[Event]) -> tuple[ScoreLine, ...]:
    """Return the lines of a taille: a void coup has none, a corrected one as it is in the end."""
    fold = CoupFold()
    versions = (fold.feed(event) for event in events)
    lines = [
        _line(coup.number, coup.coup, coup.verdicts)
        for coup in final(version for version in versions if version is not None)
        if coup.coup is not None and not coup.void
    ]
    if fold.unsettled is not None:
        dealt = fold.unsettled
        lines.append(_line(dealt.number, dealt.coup, dealt.verdicts))
    return tuple(lines)


def _line(number: int, coup: Coup, verdicts: Iterable[tuple[str, Verdict]]) -> ScoreLine:
    told = ((chance, verdict.id) for chance, verdict in verdicts)
    return ScoreLine.of_verdicts(number, told, (row.point for row in coup.rows))


# --- A score card as text

LEGEND: Final = f"{DOT} wins   empty boxes: après   {CROSS} refait"
_TIES: Final = {"apres": "après", "refait": "refait"}


def boxes(card: ScoreCard, line: ScoreLine) -> str:
    """Return the boxes of one line: ``│●│ │ │ │●│``."""
    return " ".join(
        "│" + "".join(f"{line.mark(chance)}│" for chance in pair) for pair in card.pairs
    )


def heads(card: ScoreCard) -> str:
    """Return the letters over the boxes."""
    return " ".join(" " + "".join(f"{LETTERS[chance]} " for chance in pair) for pair in card.pairs)


def points_text(line: ScoreLine) -> str:
    """Return the points of a line and what the tie is: ``36 36 après``."""
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
    """Return cards as lines of text, one a coup, and what the signs mean."""
    return "\n".join((*(line for card in cards for line in _lines(card)), LEGEND)) + "\n"
