"""The sentences of the rulebook, filled in from values: the part [rulebook] of a language."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import reduce

from attrs import frozen

from trente_rules.core.chances import Verdict
from trente_rules.core.machine import INSURED
from trente_rules.core.money import Amount, Money
from trente_rules.core.rules.announcements import Language
from trente_rules.core.rules.refait import prison_name
from trente_rules.core.text import printable


def plain(text: str) -> str:
    """Return a text of a house on one line, with invisible characters as escapes."""
    return printable(" ".join(filter(None, text.split(" "))))


def _is_decimal(value: Fraction) -> bool:
    """Return whether decimals write a value exactly: its denominator has no factor but 2 and 5."""
    return pow(10, value.denominator.bit_length(), value.denominator) == 0


def in_digits(language: Language, written: str) -> str:
    """Return a number as a language writes it: ``-12000.5`` is ``-12.000,5`` in German.

    ``written`` has digits and, if any, a minus or plus and a decimal point.
    """
    sign = written[: written[:1] in {"-", "+"}]
    whole, point, rest = written.removeprefix(sign).partition(".")
    decimal, thousands = (
        language.sentences.get(f"rulebook.{key}", "") for key in ("decimal", "thousands")
    )
    return f"{sign}{int(whole):,}".replace(",", thousands) + (f"{decimal}{rest}" if point else "")


@frozen
class Speech:
    """The voice of a rulebook: a language, the money of a house, and the names of its prisons."""

    language: Language
    money: Money
    prisons: tuple[str, ...]

    def say(self, key: str, **values: object) -> str:
        """Return a sentence with its places filled; ``number`` chooses singular or plural."""
        return self.language.sentence(f"rulebook.{key}", **values)

    def all_of(self, parts: Sequence[str]) -> str:
        """Return parts as a list: ``a, b and c``."""
        return self._listed("list.all", parts)

    def any_of(self, parts: Sequence[str]) -> str:
        """Return parts as a choice: ``a, b or c``."""
        return self._listed("list.any", parts)

    def apart(self, parts: Sequence[str]) -> str:
        """Return parts with semicolons between them, as the language sets them."""
        return reduce(
            lambda first, second: self.say("list.apart", first=first, second=second), parts or [""]
        )

    def named(self, name: str, text: str) -> str:
        """Return a name and a text with a colon between, as the language sets it."""
        return self.say("list.named", name=name, sentence=text)

    def _get(self, key: str) -> str | None:
        return self.language.sentences.get(f"rulebook.{key}")

    def _listed(self, key: str, parts: Sequence[str]) -> str:
        if len(parts) < 2:  # noqa: PLR2004 - two parts need a word between them
            return "".join(parts)
        return self.say(key, many=", ".join(parts[:-1]), last=parts[-1])

    def quoted(self, text: str) -> str:
        """Return a word of the house between the quotation marks of the language."""
        return self.say("quote", text=plain(text))

    def number(self, value: Fraction) -> str:
        """Return a number exactly: as a decimal if possible, else as a fraction."""
        if not _is_decimal(value):
            return str(value)
        written = str(Amount(value).written()) if value >= 0 else str(value)
        return written.replace(".", self.say("decimal"))

    def amount(self, units: Fraction | int) -> str:
        """Return units of the house as an amount in its currency, which no line break parts."""
        value = units * self.money.unit.value
        exact = value >= 0 and _is_decimal(Fraction(value))
        number = Amount(value).written() if exact else self.number(value)
        written = in_digits(self.language, str(number)) if exact else number
        return f"{written}\N{NO-BREAK SPACE}{plain(self.money.currency)}"

    def percent(self, share: Fraction) -> str:
        """Return a share exactly: in per cent if decimals can write it, else as a fraction."""
        return f"{self.number(share * 100)} %" if _is_decimal(share) else str(share)

    def figure(self, share: Fraction) -> str:
        """Return a computed share in per cent, to five decimals."""
        return f"{float(share) * 100:.5f} %".replace(".", self.say("decimal"))

    def share(self, share: Fraction) -> str:
        """Return a part of a stake: ``half``, ``three quarters``, else the fraction."""
        return self._get(f"share.{share.numerator}-{share.denominator}") or str(share)

    def odds(self, odds: Fraction) -> str:
        """Return the odds of a win: ``1 to 1``."""
        return self.say("odds_text", win=odds.numerator, stake=odds.denominator)

    def chance(self, name: str) -> str:
        """Return the name of a chance, that of a side bet in quotation marks."""
        return self._get(f"chance.{name}") or self.quoted(name)

    def state(self, name: str) -> str:
        """Return the name of a prison: with its number, or, named by the house, its own name."""
        word = self.say("state.prison")
        levels = {prison_name(level): level for level in range(1, len(self.prisons) + 1)}
        if name == prison_name(1) and len(self.prisons) <= 1:
            return word
        return f"{word} {levels.get(name) or self.quoted(name)}"

    def verdict(self, verdict: Verdict) -> str:
        """Return a verdict as a moment: ``if the chance wins``, ``on a refait at 40``."""
        return self._verdict("verdict", verdict)

    def short(self, met: str) -> str:
        """Return what a choice is about in one word: a verdict by its id, or insurance."""
        if met == INSURED:
            return self.say("short.insured")
        return self._verdict("short", Verdict.of_id(met))

    def _verdict(self, key: str, verdict: Verdict) -> str:
        usual = verdict.usual
        if verdict == usual:
            return self.say(f"{key}.{usual.id}")
        if verdict.point is not None:
            return self.say(f"{key}.refait_at", point=verdict.point)
        return f"{self.say(f'{key}.{usual.id}')} ({verdict.id})"

    def course(self, name: str) -> str:
        """Return the name of a course, that of a house's own in quotation marks."""
        return self._get(f"choice.{name}") or self.quoted(name)


def capital(text: str) -> str:
    """Return a sentence that begins with a capital."""
    return text[:1].upper() + text[1:]
