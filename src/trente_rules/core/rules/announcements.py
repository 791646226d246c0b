"""Announcements: what the croupier calls, and in which order.

Pure functions from a house's style to calls. A call is a value, a phrase and its numbers; its text
is made when it is shown, by ``Language.say``, in any language. A live table asks after every card
(``card_calls``) and when both rows are dealt (``result_calls``); ``coup_calls`` is those two over a
whole coup. A house calls the phrases for which its own words have a text.
"""

from __future__ import annotations

import json
import re
import tomllib
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from string import Template
from types import MappingProxyType
from typing import Annotated, Any, Final, Literal

from attrs import evolve, field, frozen

from trente_rules.core.cards import Card, Colour
from trente_rules.core.chances import COULEUR, OPPOSITES, ROUGE, Verdict
from trente_rules.core.converter import Form, exactly, structure_table
from trente_rules.core.coup import LAST_OPEN_TOTAL, Coup, take_row
from trente_rules.core.errors import CardError, RuleError, shown
from trente_rules.core.keys import presentation
from trente_rules.core.names import nearest, nearest_of_few

Phrases = tuple[tuple[str, str], ...]
"""Phrase keys with their texts: what TOML writes as a table, as a value that can be hashed."""
_integer: Final = exactly(int)
_text: Final = exactly(str)


def _read_values(value: Any) -> Any:
    return tuple(
        (_text(name, str), (_text if isinstance(each, str) else _integer)(each, int))
        for name, each in structure_table(value).items()
    )


Values = Annotated[
    tuple[tuple[str, int | str], ...], Form(_read_values, dict, dict[str, int | str])
]
"""What a phrase or a refusal is made with, by name: a number, or a word as it is.

In JSON an object.
"""

LARGEST_NUMBER: Final = 40
"""The numbers from 1 to this have words of their own; larger ones are called in digits."""
LONGEST_PHRASE: Final = 200
"""How many characters a phrase can have."""

LANGUAGE_CODE: Final = re.compile(r"[a-z]{2,3}(?:-[A-Za-z0-9]{2,8}){0,3}", re.ASCII)
# What a text of one line cannot hold: control characters, line breaks, marks that turn text round.
_UNSEEN: Final = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
_NAMED: Final = 3


@frozen
class Call:
    """One announcement: its phrase, and the numbers it is made with; ``Language.say`` has its text.

    ``point`` and ``full`` are the point as the house calls it (8) and whole (38); the text of a
    call of which no values were kept is the value ``text``.
    """

    phrase: str
    values: Values = ()


@frozen
class PhraseKey:
    """One thing that is called: its key, when it is called, the values it may be made with.

    ``counts`` where its number is one of cards, which has its own words in some languages; ``like``
    is the phrase of the same meaning for languages in which this one is not called.
    """

    key: str
    meaning: str
    placeholders: tuple[str, ...] = field(default=(), converter=tuple[str, ...])
    counts: bool = False
    like: str = ""


_KEYS: Final = json.loads(Path(__file__).with_name("phrases.json").read_text("utf-8"))
PHRASE_KEYS: Final[Mapping[str, PhraseKey]] = MappingProxyType(
    {name: PhraseKey(name, **values) for name, values in _KEYS.items()}
)
"""Every phrase key, with its meaning and its placeholders, in the order of a session."""


def phrase_faults(phrases: Iterable[tuple[str, object]]) -> tuple[RuleError, ...]:
    """Return everything that is wrong with phrases: none if they can all be called.

    Codes: "unknown-phrase", "double-phrase", "bad-phrase" (no text, too long, unseen characters, a
    stray ``$``) and "unknown-placeholder"; ``field`` is ``phrases.`` and the key.
    """
    seen: set[str] = set()
    faults: list[RuleError] = []
    near = nearest_of_few()
    for phrase, text in phrases:
        fault = _phrase_fault(phrase, text, near)
        if phrase in seen:
            fault = _phrase_error(phrase, f"the phrase {phrase!r} is given twice", "double-phrase")
        if fault:
            faults.append(fault)
        seen.add(phrase)
    return tuple(faults)


class LanguageWarning(UserWarning):
    """A language lacks phrases or sentences, which are taken from its fallback."""


@frozen(slots=False)
class Language:
    """The catalogue of one language: what is called, the rulebook, the texts of the two tables.

    ``numbers`` are the words for 1 to 40, ``zero`` that for 0; ``counted`` those that differ when
    cards are counted (``vingt-et-une cartes``). ``sentences`` are all other texts by their dotted
    keys, of which those in ``borrowed`` are the fallback's; a number in ``singular`` takes the one
    that ends in ``_one``. Raises ``RuleError``: "bad-language", "missing-phrase", and the codes of
    ``phrase_faults``.
    """

    code: str
    name: str
    phrases: Phrases = field(repr=False)
    numbers: tuple[str, ...] = field(repr=False)
    counted: tuple[tuple[int, str], ...] = field(default=(), repr=False)
    singular: tuple[int, ...] = field(default=(1,), repr=False)
    # Not compared: a house calls the same whatever its rulebook says.
    sentences: Mapping[str, str] = field(factory=dict, repr=False, eq=False)
    borrowed: tuple[str, ...] = field(default=(), repr=False, eq=False)
    zero: str = field(default="0", repr=False)

    def __attrs_post_init__(self) -> None:
        """Check the whole catalogue; see the class."""
        if not LANGUAGE_CODE.fullmatch(self.code):
            raise _language_error(
                f"{shown(self.code)} is not a language code", 'write it as "fr"', "code"
            )
        _check_words("name", (self.name,))
        for fault in phrase_faults(self.phrases):
            raise fault
        missing = [key for key in PHRASE_KEYS if key not in self._texts]
        if missing:
            raise RuleError(
                f"language {self.code!r} has no phrase {', '.join(map(repr, missing))}",
                "missing-phrase",
                'an empty text "" means that nothing is called',
                f"phrases.{missing[0]}",
            )
        if len(self.numbers) != LARGEST_NUMBER:
            raise _language_error(
                f"language {self.code!r} has {len(self.numbers)} number words",
                f"it has one for each number from 1 to {LARGEST_NUMBER}",
                "numbers",
            )
        _check_words("numbers", (*self.numbers, self.zero))
        _check_words("counted", (word for _number, word in self.counted))

    @classmethod
    def from_toml(cls, text: str, others: Callable[[str], Language] | None = None) -> Language:
        """Read a catalogue: ``code``, ``name``, ``numbers``, [phrases], [rulebook], [web] ...

        ``others`` is asked for the language that ``fallback`` names (English by default); phrases
        and sentences that are missing are taken from it. Without it, the catalogue is whole, and
        its sentences, which begin with [rulebook], are read when the first is asked for.

        Raises ``RuleError`` ("bad-language", "missing-phrase", "unknown-placeholder", and the codes
        of ``phrase_faults``).
        """
        calls, mark, later = text.partition("\n[rulebook]\n") if others is None else (text, "", "")
        table = _catalogue(calls)
        for entry in table:
            if entry not in _SHAPES:
                raise _language_error(
                    f"{shown(entry)} is not a key of a catalogue",
                    _near(entry, _SHAPES),
                    entry,
                )
        for entry, (shape, what, default) in _SHAPES.items():
            if not isinstance(table.setdefault(entry, default), shape):
                raise _language_error(f"{entry} is not {what}", f"write {entry} as {what}", entry)
        phrases: dict[str, Any] = table["phrases"]
        sentences: Mapping[str, str] = _LaterSentences(mark + later)
        if not mark:
            sentences = dict(_sentences({name: table[name] for name in _SENTENCES}, ""))
        missing: tuple[str, ...] = ()
        if others:
            base = others(table["fallback"])
            missing = tuple(key for key in dict(base.phrases) if key not in phrases)
            missing += tuple(key for key in base.sentences if key not in sentences)
            _check_places(sentences, base.sentences)
            phrases = {**dict(base.phrases), **phrases}
            sentences = {**base.sentences, **sentences}
        return cls(
            table["code"],
            table["name"],
            tuple(sorted(phrases.items())),
            tuple(table["numbers"]),
            tuple(sorted((_counted(number), word) for number, word in table["counted"].items())),
            tuple(table["singular"]),
            sentences,
            missing,
            table["zero"],
        )

    @cached_property
    def _texts(self) -> dict[str, str]:
        return dict(self.phrases)

    def calls(self, phrase: str) -> bool:
        """Return whether a phrase is called: its text is not empty.

        Raises ``RuleError`` ("unknown-phrase").
        """
        if phrase not in PHRASE_KEYS:
            raise _unknown_error(phrase, nearest)
        return bool(self._texts[phrase])

    def say(self, call: Call) -> str:
        """Return the text of a call, its numbers as words; empty where it is not called.

        Raises ``RuleError``: "unknown-phrase", "missing-value" where a value it is made with is not
        given.
        """
        like = PHRASE_KEYS[call.phrase].like if not self.calls(call.phrase) else ""
        key, values = PHRASE_KEYS[like or call.phrase], dict(call.values)
        for name in key.placeholders:
            if name not in values:
                if "text" in values:  # kept by version 0.1.0, which kept no values
                    return str(values["text"])
                raise _missing_error(call.phrase, name)
        number = self.count if key.counts else self.number
        words = {
            name: number(value) if isinstance(value, int) else value
            for name, value in values.items()
        }
        said = Template(self._texts[key.key]).substitute(words)
        return said[:1].upper() + said[1:]

    def sentence(self, key: str, **values: object) -> str:
        """Return a sentence of the rulebook or of play, by its dotted key, with its places filled.

        A number decides by ``number`` between one and many, where the key has a form for one.
        """
        if values.get("number") in self.singular:
            key = f"{key}_one" if f"{key}_one" in self.sentences else key
        return Template(self.sentences[key]).substitute(values)

    def number(self, number: int) -> str:
        """Return the word for a number from 0 to 40, digits above: ``trente-et-un``."""
        if not number:
            return self.zero
        return self.numbers[number - 1] if 1 <= number <= LARGEST_NUMBER else str(number)

    def count(self, number: int) -> str:
        """Return the word for a number of cards: ``trente-et-une``."""
        return dict(self.counted).get(number) or self.number(number)


_SENTENCES: Final = ("rulebook", "web", "play")
_SHAPES: Final[Mapping[str, tuple[type[Any], str, Any]]] = MappingProxyType(
    {
        "code": (str, "a text", None),
        "name": (str, "a text", None),
        "fallback": (str, "the code of a language", "en"),
        "singular": (Sequence, "a list of numbers", (1,)),
        "numbers": (list, f"a list of {LARGEST_NUMBER} texts", None),
        "zero": (str, "a text", "0"),
        "counted": (Mapping, "a table of numbers and texts", MappingProxyType({})),
        "phrases": (Mapping, "a table of phrases", None),
        **{name: (Mapping, "a table of texts", MappingProxyType({})) for name in _SENTENCES},
    }
)


def _catalogue(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise _language_error(f"the catalogue is not TOML: {error}", "", "") from None


class _LaterSentences(Mapping[str, str]):
    """The sentences of a catalogue, read when the first is asked for: a table only calls.

    They are two thirds of a catalogue, and take 6 of the 10 ms of loading a house.
    """

    def __init__(self, text: str) -> None:
        self._text = text

    @cached_property
    def _texts(self) -> dict[str, str]:
        return dict(_sentences(_catalogue(self._text), ""))

    def __getitem__(self, key: str) -> str:
        return self._texts[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._texts)

    def __len__(self) -> int:
        return len(self._texts)


def _sentences(table: Mapping[str, Any], prefix: str) -> Iterator[tuple[str, str]]:
    for name, value in table.items():
        key = f"{prefix}{name}"
        if isinstance(value, Mapping):
            yield from _sentences(value, f"{key}.")
        elif isinstance(value, str) and Template(value).is_valid():
            yield key, value
        else:
            raise _language_error(f"{key}: {shown(value)} is not a sentence", "write a text", key)


def _check_places(sentences: Mapping[str, str], base: Mapping[str, str]) -> None:
    """Check that sentences have no place that those of the fallback do not have."""
    for place, text in sentences.items():
        known = Template(base.get(place, text)).get_identifiers()
        if fault := _placeholder_fault(f"sentence {place!r}", Template(text), known, place):
            raise fault


def _placeholder_fault(
    what: str, template: Template, known: Sequence[str], place: str
) -> RuleError | None:
    for name in template.get_identifiers():
        if name not in known:
            message = f"the {what} has no placeholder {shown(f'${name}')}"
            listed = ", ".join(f"${each}" for each in known) or "none"
            hint = f"its placeholders: {listed}"
            return RuleError(message, "unknown-placeholder", hint, place)
    return None


def _counted(key: str) -> int:
    if not re.fullmatch("[1-9][0-9]{0,2}", key, re.ASCII):
        raise _language_error(f"{shown(key)} is not a number of cards", "write digits", "counted")
    return int(key)


def _check_words(where: str, words: Iterable[object]) -> None:
    for word in words:
        fault = _text_fault(word) or ("" if word else "it is empty")
        if fault:
            raise _language_error(f"{where}: {shown(word)}: {fault}", "write the word", where)


def _phrase_fault(
    key: str, text: object, near: Callable[[str, Iterable[str]], str]
) -> RuleError | None:
    if key not in PHRASE_KEYS:
        return _unknown_error(key, near)
    fault = _text_fault(text)
    template = Template(str(text))
    if not fault and not template.is_valid():
        fault = "a single $"
    if fault:
        hint = f"write one line of at most {LONGEST_PHRASE} characters, and $$ for a dollar sign"
        return _phrase_error(key, f"{shown(text)} is not a phrase: {fault}", "bad-phrase", hint)
    places = PHRASE_KEYS[key].placeholders
    return _placeholder_fault(f"phrase {key!r}", template, places, f"phrases.{key}")


def _text_fault(text: object) -> str:
    if not isinstance(text, str):
        return "it is not text"
    if len(text) > LONGEST_PHRASE:
        return f"it has {len(text)} characters"
    unseen = _UNSEEN.search(text)
    return f"it holds the character U+{ord(unseen[0]):04X}" if unseen else ""


def _unknown_error(key: str, near: Callable[[str, Iterable[str]], str]) -> RuleError:
    hint = near(key, PHRASE_KEYS) or f"known: {', '.join(PHRASE_KEYS)}"
    return _phrase_error(key, f"{shown(key)} is not a phrase", "unknown-phrase", hint)


def _phrase_error(key: str, message: str, code: str, hint: str = "") -> RuleError:
    return RuleError(message, code, hint, f"phrases.{key}")


def warn_borrowed(language: Language, part: str) -> None:
    """Warn where a part (``rulebook.``, ``play.``, empty for phrases) has texts of the fallback."""
    keys = [k for k in language.borrowed if (k.startswith(part) if part else k in PHRASE_KEYS)]
    if keys:
        more = f" and {len(keys) - _NAMED} more" if len(keys) > _NAMED else ""
        warnings.warn(
            f"language {language.code!r} has no {', '.join(map(repr, keys[:_NAMED]))}{more}: "
            "said as in its fallback",
            LanguageWarning,
            stacklevel=2,
        )


def _missing_error(phrase: str, name: str) -> RuleError:
    return RuleError(f"the phrase {phrase!r} cannot be called without {name!r}", "missing-value")


def _near(key: str, known: Iterable[str]) -> str:
    return nearest(key, known) or f"known: {', '.join(known)}"


def _language_error(message: str, hint: str, place: str) -> RuleError:
    return RuleError(message, "bad-language", hint, place)


Totals = Literal["units", "running", "first-full", "full"]

_FORTY: Final = 40
_GAGNE: Final[Mapping[Verdict | None, str]] = {Verdict.WIN: "gagne", Verdict.LOSE: "perd"}
_TIES: Final[Mapping[str, str]] = {"push": "apres", "tie": "refait"}


@frozen
class Announcements:
    """The [announcements] table: the language and the manner of calling."""

    language: str = presentation(
        "fr", "The language of the calls, by its code; Italian houses too keep the French words."
    )
    totals: Totals = presentation(
        "units",
        "How a row is counted: `units` calls the point without thirty (most sources), `running` "
        "the total after every card (Foster 1897), `first-full` the first row's point whole and "
        "the second's without thirty (Homburg 1860), `full` both whole (Hoyle's Games, 19th "
        "century).",
    )
    points_at: Literal["row", "result"] = presentation(
        "row",
        "When points are called: each at the end of its `row`, or both before the `result` "
        "(Browning 1909, Spain 1979).",
    )
    forty: Literal["quarante", "dix", "zero"] = presentation(
        "quarante",
        "How 40 is called where thirty is left out: whole (Britannica 1911), as ten, or as zero, "
        "by its last digit.",
    )
    row_call: bool = presentation(
        False, "Whether the colour of a row is called as its first card is turned (old houses)."
    )
    result: Literal["rouge-couleur", "all-four", "rouge-only"] = presentation(
        "rouge-couleur",
        "What the result names: rouge and couleur, winning or losing; the winners among all four "
        "chances (Spain 1979); or rouge alone (houses of two chances).",
    )
    tie: Literal["point", "both", "alone"] = presentation(
        "point",
        "How a tie is called: with its `point` once (Britannica 1911: trois après), with `both` "
        "points (Browning 1909: huit, huit après), or `alone` (Homburg 1860, Foster 1897). A tie "
        "called with its point takes the place of the point that would be called at that moment.",
    )
    phrases: Phrases = presentation(
        (),
        "Phrases that replace those of the language, by phrase key; an empty text is not called.",
    )


def words(announcements: Announcements, language: Language) -> Language:
    """Return the language with the house's own phrases in place of its own.

    Raises ``RuleError``, the first of ``phrase_faults`` of the house's phrases.
    """
    for fault in phrase_faults(announcements.phrases):
        raise fault
    merged = dict(language.phrases) | dict(announcements.phrases)
    return evolve(language, phrases=tuple(sorted(merged.items())))


def calls_of(words: Language, phrase: str, values: Values = ()) -> tuple[Call, ...]:
    """Return the call of one phrase; none where its text is empty.

    Without values for what happens outside the deal: ``en_prison``, ``les_cartes_passent``,
    ``coup_annule`` ... Raises ``RuleError`` ("unknown-phrase", "missing-value").
    """
    if not words.calls(phrase):
        return ()
    given = [name for name, _value in values]
    for name in PHRASE_KEYS[phrase].placeholders:
        if name not in given:
            raise _missing_error(phrase, name)
    return (Call(phrase, values),)


def opening_calls(
    words: Language, burn: int | Literal["first-card"] = 5, *, cut: bool = True
) -> tuple[Call, ...]:
    """Return the calls that open a taille: the cut, and the cards burned, if any.

    Where the first card says how many are burned, that is called later, once it is shown. Raises
    ``RuleError`` ("bad-count") for a negative number of cards.
    """
    calls = calls_of(words, "cut") if cut else ()
    if burn == "first-card":
        return calls
    _check_count(burn)
    if burn == 1:
        calls += calls_of(words, "burn_one")
    elif burn:
        calls += calls_of(words, "burn", (("number", burn),))
    return calls


def bets_open_calls(words: Language) -> tuple[Call, ...]:
    """Return the call that opens the bets."""
    return calls_of(words, "faites_vos_jeux")


def bets_closed_calls(words: Language) -> tuple[Call, ...]:
    """Return the calls that close the bets."""
    return calls_of(words, "les_jeux_sont_faits") + calls_of(words, "rien_ne_va_plus")


def talon_calls(words: Language, cards: int = 5) -> tuple[Call, ...]:
    """Return the count of the cards left at the end, one call a card (France 2007, art. 54).

    Raises ``RuleError`` ("bad-count") for a negative number of cards.
    """
    _check_count(cards)
    return tuple(
        call
        for number in range(1, cards + 1)
        for call in calls_of(words, "talon", (("number", number),))
    )


def card_calls(
    style: Announcements, words: Language, cards: Sequence[Card], first_row: Colour = Colour.NOIR
) -> tuple[Call, ...]:
    """Return what is called after the last of these cards, which are those of the coup so far.

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
        calls += calls_of(words, f"row_{colour.id}")
    total = _total(row)
    if style.totals == "running":
        return calls + calls_of(words, "total", (("number", total),))
    in_tie = bool(second) and style.tie != "alone" and total == _total(first)
    if style.points_at == "row" and total > LAST_OPEN_TOTAL and not in_tie:
        calls += calls_of(words, "point", _point_values(style, total, in_first=not second))
    return calls


def result_calls(
    style: Announcements, words: Language, coup: Coup, verdicts: Mapping[str, Verdict]
) -> tuple[Call, ...]:
    """Return what is called when both rows are dealt: points not called yet, then the result.

    ``verdicts`` holds the verdict of each simple chance on offer; what is not on offer is not
    called. Raises ``RuleError`` ("bad-verdicts") where they name no simple chance, or do not fit
    the coup.
    """
    first, second = coup.first.point, coup.second.point
    fates = {chance: _fate(verdicts, chance) for chance in (ROUGE, COULEUR)}
    tie = _tie(verdicts, fates, equal=first == second)
    calls: tuple[Call, ...] = ()
    if style.points_at == "result" and not (tie and style.tie != "alone"):
        points = (
            ("first", _called_point(style, first, in_first=True)),
            ("second", _called_point(style, second, in_first=False)),
        )
        calls += calls_of(words, "points", points)
    # apres_alone, apres_point, apres_both, refait_alone, refait_point or refait_both
    keys = (f"{tie}_{style.tie}",) if tie else _result_keys(style.result, fates)
    point = _point_values(style, min(first, second), in_first=False)
    return calls + tuple(call for each in keys for call in calls_of(words, each, point))


def coup_calls(
    style: Announcements,
    words: Language,
    coup: Coup,
    first_row: Colour,
    verdicts: Mapping[str, Verdict],
) -> tuple[Call, ...]:
    """Return all calls of a coup: those after each card, then those of the result.

    Raises what ``result_calls`` raises.
    """
    cards = coup.cards
    dealt = (
        call
        for turned in range(1, len(cards) + 1)
        for call in card_calls(style, words, cards[:turned], first_row)
    )
    return (*dealt, *result_calls(style, words, coup, verdicts))


def _check_count(cards: int) -> None:
    if cards < 0:
        raise RuleError(f"{cards!r} cards cannot be called", "bad-count", "count from 0")


def _total(row: Sequence[Card]) -> int:
    return sum(card.points for card in row)


def _point_values(style: Announcements, point: int, *, in_first: bool) -> Values:
    """Return the values of a point: ``point`` as the house calls it, ``full`` the whole number."""
    return (("point", _called_point(style, point, in_first=in_first)), ("full", point))


def _called_point(style: Announcements, point: int, *, in_first: bool) -> int:
    whole = (
        style.totals in ("running", "full")
        or (style.totals == "first-full" and in_first)
        or (point == _FORTY and style.forty == "quarante")
    )
    if point == _FORTY and style.forty == "zero" and not whole:
        return 0
    return point if whole else point - LAST_OPEN_TOTAL


def _fate(verdicts: Mapping[str, Verdict], chance: str) -> Verdict | None:
    """Return the verdict of a chance, from its opposite where only that is on offer."""
    opposite = verdicts.get(OPPOSITES[chance])
    if chance in verdicts or opposite is None:
        return verdicts.get(chance)
    return {Verdict.WIN: Verdict.LOSE, Verdict.LOSE: Verdict.WIN}.get(opposite, opposite)


def _tie(
    verdicts: Mapping[str, Verdict], fates: Mapping[str, Verdict | None], *, equal: bool
) -> str:
    """Return ``apres``, ``refait``, or an empty text for a coup that is decided.

    A tie is a refait if some simple chance loses by it: others may be spared.
    """
    kinds = {verdicts[chance].kind for chance in OPPOSITES if chance in verdicts}
    ties = {_TIES.get(kind, "") for kind in kinds}
    fits = bool(ties) and ("" not in ties if equal else not any(ties))
    if not fits or "close" in kinds:
        known = (f"{chance} {fate.id}" for chance, fate in fates.items() if fate is not None)
        listed = ", ".join(known) or "none"
        raise RuleError(
            f"the result of {'a tie' if equal else 'a decided coup'} cannot be called from "
            f"these verdicts: {listed}",
            "bad-verdicts",
            "hand in what each simple chance of the house says of this coup",
        )
    return max(ties)  # "refait" before "apres", which is before a coup that is decided


def _result_keys(result: str, fates: Mapping[str, Verdict | None]) -> tuple[str, ...]:
    """Return the keys of a decided coup's result, by what the house names and what is on offer."""
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
