"""What the croupier says, in another language: the phrase of the same key, with the same words."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Final

from trente_rules.core.coup import LAST_OPEN_TOTAL, POINTS
from trente_rules.core.house.house import House
from trente_rules.core.plugins.manager import default_manager
from trente_rules.core.rules.announcements import LARGEST_NUMBER, PHRASE_KEYS, Language
from trente_rules.table.events import Announced

Values = dict[str, str]
_SAME: Final = {"puis_couleur_gagne": "couleur_gagne", "puis_couleur_perd": "couleur_perd"}
"""Phrases of the same meaning, for languages in which the first is not called."""


class Translator:
    """The calls of one house in one language; what was found is kept."""

    def __init__(self, house: House, language: str) -> None:
        """Take a house and a language code; an empty one, or the house's own, translates nothing.

        Raises ``PluginError`` or ``RuleError`` where no such language is known.
        """
        self._words = house.words
        self._other: Language | None = None
        if language and language != house.words.code:
            self._other = default_manager().language(language)
        self._known: dict[Announced, str] = {}

    @property
    def name(self) -> str:
        """The name of the language, empty where nothing is translated."""
        return self._other.name if self._other else ""

    def __call__(self, call: Announced) -> str:
        """Return a call in the other language; empty where that language does not make it."""
        if self._other is None:
            return ""
        if call not in self._known:
            self._known[call] = self._found(call, self._other)
        return self._known[call]

    def _found(self, call: Announced, other: Language) -> str:
        for mine, theirs in zip(
            _values(self._words, call.phrase), _values(other, call.phrase), strict=True
        ):
            if self._words.phrase(call.phrase, mine) == call.text:
                told = other.phrase(call.phrase, theirs)
                return told or other.phrase(_SAME.get(call.phrase, call.phrase), theirs)
        return ""


def _values(words: Language, phrase: str) -> Iterator[Values]:
    """Yield all words that a phrase may be made with, in an order that no language changes."""
    names = PHRASE_KEYS[phrase].placeholders if phrase in PHRASE_KEYS else ()
    if "point" in names:
        for full in POINTS:
            for called in (full - LAST_OPEN_TOTAL, full):
                yield {"point": words.number(called), "full": words.number(full)}
    elif "first" in names:
        called_as = [p - LAST_OPEN_TOTAL for p in POINTS] + list(POINTS)
        for first, second in product(called_as, repeat=2):
            yield {"first": words.number(first), "second": words.number(second)}
    elif "number" in names:
        for number in range(1, LARGEST_NUMBER + 20):
            yield {"number": words.number(number)}
            yield {"number": words.count(number)}
    else:
        yield {}
