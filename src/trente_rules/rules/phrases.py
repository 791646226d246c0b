"""Phrases and languages: the words a croupier says, as catalogues that a house can replace.

A catalogue has one text for every key of ``PHRASE_KEYS`` and the number words from 1 to 40. A text
is a ``string.Template``: ``$point``, ``$number`` and the like stand for words, and only those that
its key lists. An empty text is never called: so a house, or a language, leaves a call out.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from functools import cached_property
from string import Template
from types import MappingProxyType
from typing import Any, Final

from attrs import field, frozen

from trente_rules.errors import RuleError, shown

Phrases = tuple[tuple[str, str], ...]
"""Phrase keys with their texts: what TOML writes as a table, as a value that can be hashed."""

LARGEST_NUMBER: Final = 40
"""The numbers from 1 to this have words of their own; larger ones are called in digits."""
LONGEST_PHRASE: Final = 200
"""How many characters a phrase can have."""

_CODE: Final = re.compile(r"[a-z]{2,3}(?:-[A-Za-z0-9]{2,8}){0,3}", re.ASCII)
# What a text of one line cannot hold: control characters, line breaks, marks that turn text round.
_UNSEEN: Final = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
_SHOWN: Final = 40


@frozen
class PhraseKey:
    """One thing that is called: its key, when it is called, the words it may be made with."""

    key: str
    meaning: str
    placeholders: tuple[str, ...] = ()


_NUMBER: Final = ("number",)
_POINT: Final = ("point", "full")
_KEYS: Final = (
    PhraseKey("cut", "A player is asked to cut."),
    PhraseKey("burn", "The cards are burned; `$number` is how many, two or more.", _NUMBER),
    PhraseKey("burn_one", "One card is burned."),
    PhraseKey("faites_vos_jeux", "Bets are open."),
    PhraseKey("les_jeux_sont_faits", "Bets close: the first half of the call."),
    PhraseKey("rien_ne_va_plus", "Bets close: no bet is taken any more."),
    PhraseKey("row_noir", "The first card of the noir row is turned (with `row_call`)."),
    PhraseKey("row_rouge", "The first card of the rouge row is turned (with `row_call`)."),
    PhraseKey("total", "A card is turned; `$number` is the running total.", _NUMBER),
    PhraseKey(
        "point",
        "A row ends; `$point` is its point as the house calls it, `$full` the whole number.",
        _POINT,
    ),
    PhraseKey(
        "points",
        "Both rows are dealt; `$first` and `$second` are their points, in the order of the deal.",
        ("first", "second"),
    ),
    PhraseKey("apres_alone", "An ordinary tie, where `tie` is `alone`.", _POINT),
    PhraseKey("apres_point", "An ordinary tie, where `tie` is `point`.", _POINT),
    PhraseKey("apres_both", "An ordinary tie, where `tie` is `both`.", _POINT),
    PhraseKey("refait_alone", "A losing tie, where `tie` is `alone`.", _POINT),
    PhraseKey("refait_point", "A losing tie, where `tie` is `point`.", _POINT),
    PhraseKey("refait_both", "A losing tie, where `tie` is `both`.", _POINT),
    PhraseKey("rouge_gagne_et_couleur", "Rouge wins and couleur wins.", _POINT),
    PhraseKey("rouge_gagne_couleur_perd", "Rouge wins, couleur loses.", _POINT),
    PhraseKey("rouge_perd_et_couleur", "Rouge loses and couleur loses.", _POINT),
    PhraseKey("rouge_perd_couleur_gagne", "Rouge loses, couleur wins.", _POINT),
    PhraseKey("rouge_gagne", "Rouge wins, and nothing is said of couleur.", _POINT),
    PhraseKey("rouge_perd", "Rouge loses, and nothing is said of couleur.", _POINT),
    PhraseKey("couleur_gagne", "Couleur wins, in a house without rouge and noir.", _POINT),
    PhraseKey("couleur_perd", "Couleur loses, in a house without rouge and noir.", _POINT),
    PhraseKey("noir_et_couleur_gagnent", "All-four: noir and couleur win.", _POINT),
    PhraseKey("noir_et_inverse_gagnent", "All-four: noir and inverse win.", _POINT),
    PhraseKey("rouge_et_couleur_gagnent", "All-four: rouge and couleur win.", _POINT),
    PhraseKey("rouge_et_inverse_gagnent", "All-four: rouge and inverse win.", _POINT),
    PhraseKey("noir_gagne", "All-four: noir wins, in a house without couleur.", _POINT),
    PhraseKey("inverse_gagne", "All-four: inverse wins, in a house without rouge.", _POINT),
    PhraseKey("puis_couleur_gagne", "All-four: couleur wins, called after the winners.", _POINT),
    PhraseKey("puis_couleur_perd", "All-four: couleur loses, called after the winners.", _POINT),
    PhraseKey("en_prison", "A stake goes to prison, or stays there."),
    PhraseKey("partage", "A stake is divided and its part handed back."),
    PhraseKey("libre", "A stake leaves prison."),
    PhraseKey("je_vais_a_la_banque", "A player stakes above the maximum, by agreement."),
    PhraseKey("ajouter_a_la_banque", "The bank is refilled."),
    PhraseKey("carte_brulee", "A card shown by mistake is burned."),
    PhraseKey("coup_annule", "The coup is void; stakes are as they were before it."),
    PhraseKey("dernier_coup", "The marker is out: this is the last coup of the taille."),
    PhraseKey("les_cartes_passent", "The taille is over; the cards are shuffled."),
    PhraseKey("talon", "The cards left are counted; `$number` is the count so far.", _NUMBER),
)
PHRASE_KEYS: Final[Mapping[str, PhraseKey]] = MappingProxyType({each.key: each for each in _KEYS})
"""Every phrase key, with its meaning and its placeholders, in the order of a session."""


def phrase_faults(phrases: Iterable[tuple[str, object]]) -> tuple[RuleError, ...]:
    """Answer everything that is wrong with phrases: none if they can all be called.

    Codes: "unknown-phrase", "double-phrase", "bad-phrase" (no text, too long, unseen characters, a
    stray ``$``) and "unknown-placeholder"; ``field`` is ``phrases.`` and the key.
    """
    seen: set[str] = set()
    faults: list[RuleError] = []
    for key, text in phrases:
        fault = _phrase_fault(key, text)
        if key in seen:
            fault = _wrong(key, f"the phrase {key!r} is given twice", "double-phrase")
        if fault:
            faults.append(fault)
        seen.add(key)
    return tuple(faults)


@frozen(slots=False)
class Language:
    """A catalogue: the phrases of one language, and its number words.

    ``numbers`` are the words for 1 to 40; ``counted`` those that differ when cards are counted
    (``vingt-et-une cartes``). Raises ``RuleError``: "bad-language", "missing-phrase", and the codes
    of ``phrase_faults``.
    """

    code: str
    name: str
    phrases: Phrases = field(repr=False)
    numbers: tuple[str, ...] = field(repr=False)
    counted: tuple[tuple[int, str], ...] = field(default=(), repr=False)

    def __attrs_post_init__(self) -> None:
        """Check the whole catalogue; see the class."""
        if not _CODE.fullmatch(self.code):
            raise _bad(f"{shown(self.code)} is not a language code", 'write it as "fr"', "code")
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
            raise _bad(
                f"language {self.code!r} has {len(self.numbers)} number words",
                f"it has one for each number from 1 to {LARGEST_NUMBER}",
                "numbers",
            )
        _check_words("numbers", self.numbers)
        _check_words("counted", (word for _number, word in self.counted))

    @classmethod
    def from_toml(cls, text: str) -> Language:
        """Read a catalogue: ``code``, ``name``, ``numbers``, ``counted`` and the table [phrases].

        Raises ``RuleError`` ("bad-language", "missing-phrase", and the codes of ``phrase_faults``).
        """
        try:
            table = tomllib.loads(text)
        except (ValueError, RecursionError) as error:
            raise _bad(f"the catalogue is not TOML: {error}", "", "") from None
        for key in table:
            if key not in _SHAPES:
                raise _bad(
                    f"{shown(key)} is not a key of a catalogue", _near(key, _SHAPES), key[:_SHOWN]
                )
        for key, (shape, what) in _SHAPES.items():
            if not isinstance(table.setdefault(key, {} if key == "counted" else None), shape):
                raise _bad(f"{key} is not {what}", f"write {key} as {what}", key)
        return cls(
            table["code"],
            table["name"],
            tuple(sorted(table["phrases"].items())),
            tuple(table["numbers"]),
            tuple(sorted((_counted(key), word) for key, word in table["counted"].items())),
        )

    @cached_property
    def _texts(self) -> dict[str, str]:
        return dict(self.phrases)

    @cached_property
    def _counts(self) -> dict[int, str]:
        return dict(self.counted)

    def phrase(self, key: str, values: Mapping[str, str] = MappingProxyType({})) -> str:
        """Answer a phrase with its words filled in; empty where it is not called.

        Raises ``RuleError``: "unknown-phrase", "missing-value" where a word it is made with is not
        given.
        """
        if key not in PHRASE_KEYS:
            raise _unknown(key)
        for name in PHRASE_KEYS[key].placeholders:
            if name not in values:
                raise RuleError(
                    f"the phrase {key!r} cannot be called without {name!r}", "missing-value"
                )
        said = Template(self._texts[key]).substitute(values)
        return said[:1].upper() + said[1:]

    def number(self, number: int) -> str:
        """Answer the word for a number, digits above 40: ``trente-et-un``."""
        return self.numbers[number - 1] if 1 <= number <= LARGEST_NUMBER else str(number)

    def count(self, number: int) -> str:
        """Answer the word for a number of cards: ``trente-et-une``."""
        return self._counts.get(number) or self.number(number)


_SHAPES: Final[Mapping[str, tuple[type[Any], str]]] = MappingProxyType(
    {
        "code": (str, "a text"),
        "name": (str, "a text"),
        "numbers": (list, f"a list of {LARGEST_NUMBER} texts"),
        "counted": (dict, "a table of numbers and texts"),
        "phrases": (dict, "a table of phrases"),
    }
)


def _counted(key: str) -> int:
    if not re.fullmatch("[1-9][0-9]{0,2}", key, re.ASCII):
        raise _bad(f"{shown(key)} is not a number of cards", "write digits", "counted")
    return int(key)


def _check_words(where: str, words: Iterable[object]) -> None:
    for word in words:
        fault = _text_fault(word) or ("" if word else "it is empty")
        if fault:
            raise _bad(f"{where}: {shown(word)}: {fault}", "write the word", where)


def _phrase_fault(key: str, text: object) -> RuleError | None:
    if key not in PHRASE_KEYS:
        return _unknown(key)
    fault = _text_fault(text)
    template = Template(str(text))
    if not fault and not template.is_valid():
        fault = "a $ stands alone"
    if fault:
        hint = f"write one line of at most {LONGEST_PHRASE} characters, and $$ for a dollar sign"
        return _wrong(key, f"{shown(text)} is not a phrase: {fault}", "bad-phrase", hint)
    allowed = PHRASE_KEYS[key].placeholders
    for name in template.get_identifiers():
        if name not in allowed:
            known = ", ".join(f"${each}" for each in allowed) or "none"
            message = f"the phrase {key!r} has no placeholder {shown(f'${name}')}"
            return _wrong(key, message, "unknown-placeholder", f"its placeholders: {known}")
    return None


def _text_fault(text: object) -> str:
    if not isinstance(text, str):
        return "it is no text"
    if len(text) > LONGEST_PHRASE:
        return f"it has {len(text)} characters"
    unseen = _UNSEEN.search(text)
    return f"it holds the character U+{ord(unseen[0]):04X}" if unseen else ""


def _unknown(key: str) -> RuleError:
    return _wrong(key, f"{shown(key)} is not a phrase", "unknown-phrase", _near(key, PHRASE_KEYS))


def _wrong(key: str, message: str, code: str, hint: str = "") -> RuleError:
    return RuleError(message, code, hint, f"phrases.{key[:_SHOWN]}")


def _near(key: str, known: Iterable[str]) -> str:
    close = get_close_matches(key[:_SHOWN], tuple(known), n=1)
    return f"did you mean {close[0]!r}?" if close else f"known: {', '.join(known)}"


def _bad(message: str, hint: str, place: str) -> RuleError:
    return RuleError(message, "bad-language", hint, place)
