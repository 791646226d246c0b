"""The names of chances in a language: those of side bets come from what they win on."""

from __future__ import annotations

from collections import Counter

from trente_rules.core.chances import AnyTie, ExactTie, RowPoint
from trente_rules.core.house.house import House, SideBet
from trente_rules.core.rules.announcements import Language
from trente_rules.core.text import printable
from trente_rules.reports.rulebook_bets import points_text
from trente_rules.reports.sentences import Speech


def speech_of(house: House, language: Language) -> Speech:
    """Return the voice in which the rules of a house are said in a language."""
    return Speech(language, house.money, house.machine.prisons)


def chance_names(house: House, language: Language) -> dict[str, str]:
    """Return the name of each chance of a house in a language, by its id: no two are the same.

    A side bet of another kind is called by its id, its hyphens as spaces.
    """
    speech = speech_of(house, language)
    names = {
        chance.id: speech.say(f"chance.{chance.id}") for chance in house.chances if chance.simple
    }
    names |= {bet.id: _side_bet(bet, speech) for bet in house.side_bets}
    met = Counter(names.values())
    return {
        chance: name if met[name] == 1 else f"{name} ({printable(chance)})"
        for chance, name in names.items()
    }


def chance_name(house: House, chance: str, language: Language) -> str:
    """Return the name of a chance in a language; ``BetError`` ("unknown-chance")."""
    house.chance(chance)
    return chance_names(house, language)[chance]


def _side_bet(bet: SideBet, speech: Speech) -> str:
    match bet.wins_on.rule:
        case AnyTie(except_=points) if points:
            listed = points_text(sorted(points), speech)
            return speech.say("side.name.any_tie_but", points=listed)
        case AnyTie():
            return speech.say("side.name.any_tie")
        case ExactTie(point=point):
            return speech.say("side.name.exact_tie", point=point)
        case RowPoint(point=point, row=row):
            return speech.say(f"side.name.row_{row}", point=point)
    return printable(bet.id).replace("-", " ")
