"""The texts of the pages in a language: [web] of its catalogue, and the names it shares.

A language that lacks a text, such as one of a plugin, has the English one.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import cached_property
from string import Template
from typing import Final

from attrs import frozen

from trente_rules.core.house.house import House
from trente_rules.core.plugins.manager import default_manager
from trente_rules.core.rules.announcements import Call, Language
from trente_rules.core.text import printable
from trente_rules.reports.names import chance_names, speech_of
from trente_rules.reports.sentences import Speech

PAGE: Final = "web."
"""The beginning of the keys of the pages."""
SHARED: Final = (
    *("rulebook.chance.", "rulebook.colour.", "rulebook.state.", "rulebook.short."),
    *("rulebook.choice.", "rulebook.list.", "rulebook.side.name."),
)
"""The beginnings of the keys that the pages share with the rulebook."""
FALLBACK: Final = "en"
_DECIMALS: Final = 2


def texts(code: str) -> dict[str, str]:
    """Return the templates that a page needs in a language, by their dotted keys.

    Raises ``PluginError`` ("unknown-language").
    """
    given = default_manager().language(code).sentences
    base = default_manager().language(FALLBACK).sentences
    return {
        key: given.get(key, text) for key, text in base.items() if key.startswith((PAGE, *SHARED))
    }


@frozen(slots=False)
class PageWords:
    """The words of a page about one house, in one language."""

    house: House
    language: Language

    @classmethod
    def of(cls, house: House, code: str = "") -> PageWords:
        """Return the words in a language by its code, by default that of the house.

        Raises ``PluginError`` ("unknown-language").
        """
        known = default_manager()
        return cls(house, known.language(code or house.words.code))

    @cached_property
    def speech(self) -> Speech:
        """The voice of the rulebook."""
        return speech_of(self.house, self.language)

    @cached_property
    def chances(self) -> Mapping[str, str]:
        """The names of the chances."""
        return chance_names(self.house, self.language)

    @cached_property
    def _english(self) -> Mapping[str, str]:
        return default_manager().language(FALLBACK).sentences

    def say(self, key: str, **values: object) -> str:
        """Return a text of the pages with its places filled by what can be shown.

        A ``number`` chooses between one and many, where the key has a form for one.
        """
        sentences = self.language.sentences
        name = f"{PAGE}{key}"
        if values.get("number") in self.language.singular and f"{name}_one" in self._english:
            name = f"{name}_one"
        filled = {k: printable(v) if isinstance(v, str) else v for k, v in values.items()}
        return Template(sentences.get(name) or self._english[name]).safe_substitute(filled)

    def amount(self, units: Fraction | int) -> str:
        """Return units as money; what is not a whole number of units to a hundredth at least."""
        value = units * self.house.money.unit.value
        if not isinstance(units, int) and units.denominator != 1:
            value = round(value, max(_DECIMALS, _places(self.house.money.unit.value)))
        return self.speech.amount(value / self.house.money.unit.value)

    def percent(self, part: Fraction | float, digits: int = 3) -> str:
        """Return a part of one in per cent, to so many decimals."""
        return f"{float(part) * 100:.{digits}f} %".replace(".", self.speech.say("decimal"))

    def called(self, call: Call) -> tuple[str, str]:
        """Return what a call is, in the language of the house and in this one."""
        return printable(self.house.words.say(call)), printable(self.language.say(call))


def _places(unit: Fraction) -> int:
    """Return how many decimals the amounts of a unit have."""
    places = 0
    while places < _DECIMALS and (unit * 10**places).denominator != 1:
        places += 1
    return places
