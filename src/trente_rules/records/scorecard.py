"""Score cards: one line a coup, a dot in the column of the winner.

Two columns, a dot for the winner, an empty box for an après: as on the cards that players pricked
in the nineteenth century, and in Italian programs. No source shows a mark for the refait; here it
is a cross in both boxes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from attrs import frozen

from trente_rules.core.chances import COULEUR, INVERSE, NOIR, ROUGE, Verdict
from trente_rules.core.text import printable
from trente_rules.table.coups import CoupFold, SettledCoup, final
from trente_rules.table.events import CoupDealt, Event

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

    ``winners`` are the chances that won, at most one of each pair; empty in a tie. ``tie`` is
    "apres" or "refait", empty for a coup that is decided. ``points`` are those of both rows in the
    order of the deal, empty if unknown. ``unknown`` are chances of which a player noted too little,
    ``spared`` those for which a tie that is a refait for others is an après.
    """

    number: int
    winners: tuple[str, ...]
    tie: str = ""
    points: tuple[int, ...] = ()
    unknown: tuple[str, ...] = ()
    spared: tuple[str, ...] = ()

    @classmethod
    def of_verdicts(
        cls, number: int, verdicts: Iterable[tuple[str, str]], points: Iterable[int] = ()
    ) -> ScoreLine:
        """Return the line of a coup from (chance, verdict) ids, empty for an unknown verdict."""
        simple = {chance: verdict for chance, verdict in verdicts if chance in LETTERS}
        known = {name: Verdict.of_id(verdict).usual for name, verdict in simple.items() if verdict}
        winners = tuple(chance for chance in LETTERS if known.get(chance) == Verdict.WIN)
        unknown = tuple(chance for chance, verdict in simple.items() if not verdict)
        tie, spared = "", tuple[str, ...]()
        if Verdict.REFAIT in known.values():
            tie = Verdict.REFAIT.id
            spared = tuple(name for name, verdict in known.items() if verdict == Verdict.APRES)
        elif Verdict.APRES in known.values():
            tie = Verdict.APRES.id
        return cls(number, winners, tie, tuple(points), unknown, spared)

    def mark(self, chance: str) -> str:
        """Return the mark in the box of a chance: a dot, a cross, a question mark or a space."""
        if self.tie == Verdict.REFAIT.id:
            return EMPTY if chance in self.spared else CROSS
        if chance in self.unknown:
            return UNKNOWN
        return DOT if chance in self.winners else EMPTY


@frozen
class ScoreCard:
    """A card: its title, its pairs of columns, its lines."""

    title: str
    pairs: tuple[tuple[str, str], ...] = PAIRS
    lines: tuple[ScoreLine, ...] = ()

    @classmethod
    def of(cls, title: str, lines: Iterable[ScoreLine], chances: Iterable[str]) -> ScoreCard:
        """Return a card of the pairs among these chances of which some verdict is known."""
        drawn = tuple(lines)
        known = set(chances).difference(*(line.unknown for line in drawn))
        known.update(*(line.winners for line in drawn))
        return cls(printable(title), tuple(pair for pair in PAIRS if known & set(pair)), drawn)

    @property
    def columns(self) -> tuple[str, ...]:
        """The chances of all columns, in order."""
        return tuple(chance for pair in self.pairs for chance in pair)


def lines_of_events(events: Iterable[Event]) -> tuple[ScoreLine, ...]:
    """Return the lines of a taille: none for a void coup, the last version of a corrected one."""
    fold = CoupFold()
    versions = (fold.feed(event) for event in events)
    settled = final(version for version in versions if version is not None)
    dealt: list[SettledCoup | CoupDealt] = [coup for coup in settled if not coup.void]
    if fold.unsettled is not None:
        dealt.append(fold.unsettled)
    return tuple(
        ScoreLine.of_verdicts(
            coup.number,
            ((chance, verdict.id) for chance, verdict in coup.verdicts),
            (row.point for row in coup.coup.rows),
        )
        for coup in dealt
        if coup.coup is not None
    )


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
    """Return the points of a line and its tie: ``36 36 après``."""
    return " ".join((*map(str, line.points), _TIES.get(line.tie, ""))).rstrip()


def _lines(card: ScoreCard) -> Iterator[str]:
    yield card.title
    yield ""
    yield f"    {heads(card)}".rstrip()
    for line in card.lines:
        yield f"{line.number:>3} {boxes(card, line)}  {points_text(line)}".rstrip()
    yield ""


def cards_text(cards: Sequence[ScoreCard]) -> str:
    """Return cards as text, a line for each coup, with a legend."""
    return "\n".join((*(line for card in cards for line in _lines(card)), LEGEND)) + "\n"
