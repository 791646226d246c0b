"""The score cards of tailles that are kept in a file: records, journals, noted permanences."""

from __future__ import annotations

from collections.abc import Iterator

from trente_rules.house.house import House
from trente_rules.scorecard.lines import LETTERS, ScoreCard, ScoreLine
from trente_rules.table.records.permanence import Permanence
from trente_rules.table.records.values import Record


def card_of_record(record: Record) -> ScoreCard:
    """Answer the card of a record; coups that are void are not on it."""
    lines = [
        ScoreLine.of_verdicts(coup.number, coup.verdicts, coup.points)
        for coup in record.coups
        if not coup.void
    ]
    chances = {chance for coup in record.coups for chance, _verdict in coup.verdicts}
    return ScoreCard.of(
        f"{record.house.name}, taille {record.shoe.number}", lines, chances or LETTERS
    )


def cards_of_permanence(permanence: Permanence, house: House) -> Iterator[ScoreCard]:
    """Yield a card for each taille that was noted; a house says who won."""
    for number, taille in enumerate(permanence.tailles, 1):
        lines = []
        for place, noted in enumerate(taille, 1):
            verdicts = [
                (chance.id, "" if met is None else met.id)
                for chance in house.chances
                for met in (noted.verdict(chance),)
            ]
            lines.append(ScoreLine.of_verdicts(place, verdicts, (noted.first, noted.second)))
        yield ScoreCard.of(f"{house.name}, taille {number}", lines, house.deal.chances)
