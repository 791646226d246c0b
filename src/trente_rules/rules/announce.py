"""Announcements: what the croupier calls, and in which order.

Pure functions from a house's style and its words to calls. A live table asks after every card
(``card_calls``) and when both rows are dealt (``result_calls``); ``coup_calls`` is those two over a
whole coup.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, Literal

from attrs import evolve, frozen

from trente_rules.deal.cards import Card, Colour
from trente_rules.deal.coup import LAST_OPEN_TOTAL, Coup, take_row
from trente_rules.errors import CardError, RuleError
from trente_rules.keys import key
from trente_rules.rules.chances import COULEUR, OPPOSITES, ROUGE, Verdict
from trente_rules.rules.phrases import Language, Phrases, phrase_faults

Totals = Literal["units", "running", "first-full", "full"]

_FORTY: Final = 40
_GAGNE: Final[Mapping[Verdict | None, str]] = {Verdict.WIN: "gagne", Verdict.LOSE: "perd"}
_TIES: Final = {Verdict.APRES: "apres", Verdict.REFAIT: "refait"}


@frozen
class Announcements:
    """The [announcements] table: the language and the manner of calling."""

    language: str = key(
        "fr",
        "The language of the calls, by its code; Italian houses too keep the French words.",
        kind="presentation",
    )
    totals: Totals = key(
        "units",
        "How a row is counted: `units` calls the point without thirty (most sources), `running` "
        "the total after every card (Foster 1897), `first-full` the first row's point whole and "
        "the second's without thirty (Homburg 1860), `full` both whole (Hoyle's Games, 19th "
        "century).",
        kind="presentation",
    )
    points_at: Literal["row", "result"] = key(
        "row",
        "When points are called: each at the end of its `row`, or both before the `result` "
        "(Browning 1909, Spain 1979).",
        kind="presentation",
    )
    forty: Literal["quarante", "dix"] = key(
        "quarante",
        "How 40 is called where thirty is left out: whole (Britannica 1911), or as ten.",
        kind="presentation",
    )
    row_call: bool = key(
        False,
        "Whether the colour of a row is called as its first card is turned (old houses).",
        kind="presentation",
    )
    result: Literal["rouge-couleur", "all-four", "rouge-only"] = key(
        "rouge-couleur",
        "What the result names: rouge and couleur, winning or losing; the winners among all four "
        "chances (Spain 1979); or rouge alone (houses of two chances).",
        kind="presentation",
    )
    tie: Literal["point", "both", "alone"] = key(
        "point",
        "How a tie is called: with its `point` once (Britannica 1911: trois après), with `both` "
        "points (Browning 1909: huit, huit après), or `alone` (Homburg 1860, Foster 1897). A tie "
        "called with its point takes the place of the point that would be called at that moment.",
        kind="presentation",
    )
    phrases: Phrases = key(
        (),
        "Phrases that replace those of the language, by phrase key; an empty text is not called.",
        kind="presentation",
    )


@frozen
class Call:
    """One announcement: the key of its phrase, and the text that is said."""

    key: str
    text: str


def words(announcements: Announcements, language: Language) -> Language:
    """Answer the language with the house's own phrases in place of its own.

    Raises ``RuleError``, the first of ``phrase_faults`` of the house's phrases.
    """
    for fault in phrase_faults(announcements.phrases):
        raise fault
    merged = dict(language.phrases) | dict(announcements.phrases)
    return evolve(language, phrases=tuple(sorted(merged.items())))


def say(words: Language, phrase: str) -> tuple[Call, ...]:
    """Answer the call of one phrase that is made with no other word; none where it is empty.

    For what happens outside the deal: ``en_prison``, ``les_cartes_passent``, ``coup_annule`` ...
    Raises ``RuleError`` ("unknown-phrase", "missing-value").
    """
    return tuple(_calls(words, phrase))


def opening_calls(words: Language, burn: int = 5, *, cut: bool = True) -> tuple[Call, ...]:
    """Answer the calls that open a taille: the cut, and the cards burned, if any.

    Raises ``RuleError`` ("bad-count") for a negative number of cards.
    """
    _check_count(burn)
    calls = say(words, "cut") if cut else ()
    if burn == 1:
        calls += say(words, "burn_one")
    elif burn:
        calls += tuple(_calls(words, "burn", number=words.count(burn)))
    return calls


def bets_open_calls(words: Language) -> tuple[Call, ...]:
    """Answer the call that opens the bets."""
    return say(words, "faites_vos_jeux")


def bets_closed_calls(words: Language) -> tuple[Call, ...]:
    """Answer the calls that close the bets."""
    return say(words, "les_jeux_sont_faits") + say(words, "rien_ne_va_plus")


def betting_calls(words: Language) -> tuple[Call, ...]:
    """Answer the calls from the opening of the bets to their close."""
    return bets_open_calls(words) + bets_closed_calls(words)


def talon_calls(words: Language, cards: int = 5) -> tuple[Call, ...]:
    """Answer the count of the cards left at the end, one call a card (France 2007, art. 54).

    Raises ``RuleError`` ("bad-count") for a negative number of cards.
    """
    _check_count(cards)
    return tuple(
        call
        for number in range(1, cards + 1)
        for call in _calls(words, "talon", number=words.number(number))
    )


def card_calls(
    style: Announcements, words: Language, cards: Sequence[Card], first_row: Colour = Colour.NOIR
) -> tuple[Call, ...]:
    """Answer what is called after the last of these cards, which are those of the coup so far.

    Raises ``CardError``: "no-cards", or "coup-too-long" where the coup ended before the last card.
    """
    supply = iter(cards)
    first, second = take_row(supply), take_row(supply)
    late = tuple(str(card) for card in supply)
    if late or not first:
        raise CardError(
            f"the coup ended before {late[0]}" if late else "no card has been turned",
            "coup-too-long" if late else "no-cards",
            "hand in the cards of one coup, up to the one just turned",
            extra=late,
        )
    calls: tuple[Call, ...] = ()
    row = second or first
    if style.row_call and len(row) == 1:
        colour = Colour(1 - first_row) if second else first_row
        calls += say(words, f"row_{colour.id}")
    total = _total(row)
    if style.totals == "running":
        return calls + tuple(_calls(words, "total", number=words.number(total)))
    in_tie = bool(second) and style.tie != "alone" and total == _total(first)
    if style.points_at == "row" and total > LAST_OPEN_TOTAL and not in_tie:
        values = _point_words(style, words, total, in_first=not second)
        calls += tuple(_calls(words, "point", **values))
    return calls


def result_calls(
    style: Announcements, words: Language, coup: Coup, verdicts: Mapping[str, Verdict]
) -> tuple[Call, ...]:
    """Answer what is called when both rows are dealt: points that are still to be called, result.

    ``verdicts`` holds the verdict of each simple chance on offer; what is not on offer is not
    called. Raises ``RuleError`` ("bad-verdicts") where they name no simple chance, or do not fit
    the coup.
    """
    first, second = coup.first.point, coup.second.point
    fates = {chance: _fate(verdicts, chance) for chance in (ROUGE, COULEUR)}
    tie = _tie(fates, equal=first == second)
    point = _point_words(style, words, min(first, second), in_first=False)
    calls: tuple[Call, ...] = ()
    if style.points_at == "result" and not (tie and style.tie != "alone"):
        calls += tuple(
            _calls(
                words,
                "points",
                first=_point_words(style, words, first, in_first=True)["point"],
                second=_point_words(style, words, second, in_first=False)["point"],
            )
        )
    keys = (f"{tie}_{style.tie}",) if tie else _result_keys(style.result, fates)
    return calls + tuple(call for each in keys for call in _calls(words, each, **point))


def coup_calls(
    style: Announcements,
    words: Language,
    coup: Coup,
    first_row: Colour,
    verdicts: Mapping[str, Verdict],
) -> tuple[Call, ...]:
    """Answer all calls of a coup: those after each card, then those of the result.

    Raises what ``result_calls`` raises.
    """
    cards = coup.cards
    dealt = (
        call
        for turned in range(1, len(cards) + 1)
        for call in card_calls(style, words, cards[:turned], first_row)
    )
    return (*dealt, *result_calls(style, words, coup, verdicts))


def _calls(words: Language, phrase: str, **values: str) -> Iterator[Call]:
    """Yield the call of a phrase, or nothing where its text is empty."""
    text = words.phrase(phrase, values)
    if text:
        yield Call(phrase, text)


def _check_count(cards: int) -> None:
    if cards < 0:
        raise RuleError(f"{cards!r} cards cannot be called", "bad-count", "count from 0")


def _total(row: Sequence[Card]) -> int:
    return sum(card.points for card in row)


def _point_words(
    style: Announcements, words: Language, point: int, *, in_first: bool
) -> dict[str, str]:
    """Answer the words of a point: ``point`` as the house calls it, ``full`` the whole number."""
    full = words.number(point)
    if style.totals in ("running", "full") or (style.totals == "first-full" and in_first):
        return {"point": full, "full": full}
    if point == _FORTY and style.forty == "quarante":
        return {"point": full, "full": full}
    return {"point": words.number(point - LAST_OPEN_TOTAL), "full": full}


def _fate(verdicts: Mapping[str, Verdict], chance: str) -> Verdict | None:
    """Answer the verdict of a chance, from its opposite where only that is on offer."""
    opposite = verdicts.get(OPPOSITES[chance])
    if chance in verdicts or opposite is None:
        return verdicts.get(chance)
    return {Verdict.WIN: Verdict.LOSE, Verdict.LOSE: Verdict.WIN}.get(opposite, opposite)


def _tie(fates: Mapping[str, Verdict | None], *, equal: bool) -> str:
    """Answer ``apres``, ``refait``, or an empty text for a coup that is decided."""
    known = {chance: fate for chance, fate in fates.items() if fate is not None}
    ties = {_TIES.get(fate, "") for fate in known.values()}
    if len(ties) != 1 or Verdict.CLOSE in known.values() or any(ties) != equal:
        told = ", ".join(f"{chance} {fate.id}" for chance, fate in known.items()) or "none"
        raise RuleError(
            f"the result of {'a tie' if equal else 'a coup that is no tie'} cannot be called from "
            f"these verdicts: {told}",
            "bad-verdicts",
            "hand in what each simple chance of the house says of this coup",
        )
    return ties.pop()


def _result_keys(result: str, fates: Mapping[str, Verdict | None]) -> tuple[str, ...]:
    """Answer the keys of a decided coup's result, by what the house names and what is on offer."""
    rouge, couleur = (_GAGNE.get(fates[chance]) for chance in (ROUGE, COULEUR))
    if result == "all-four":
        row = {"gagne": "rouge", "perd": "noir", None: None}[rouge]
        card = {"gagne": "couleur", "perd": "inverse", None: None}[couleur]
        if row and card:
            return f"{row}_et_{card}_gagnent", f"puis_couleur_{couleur}"
        return (f"{row or card}_gagne",)
    if not rouge:
        return (f"couleur_{couleur}",)
    if not couleur or result == "rouge-only":
        return (f"rouge_{rouge}",)
    return (
        f"rouge_{rouge}_et_couleur" if rouge == couleur else f"rouge_{rouge}_couleur_{couleur}",
    )
