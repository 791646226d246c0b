"""The sentences of the rulebook, filled in from values: the part [rulebook] of a language."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from attrs import frozen

from trente_rules.core.chances import Verdict
from trente_rules.core.money import Amount, Money
from trente_rules.core.rules.announcements import Language
from trente_rules.core.rules.refait import prison_name


def plain(text: str) -> str:
    """Return a text of a house on one line, without signs that cannot be seen."""
    return "".join(sign for sign in " ".join(text.split()) if sign.isprintable())


def _decimals(value: Fraction) -> int | None:
    """Return how many decimals write a value exactly, None where none do."""
    rest, twos, fives = value.denominator, 0, 0
    while rest % 2 == 0:
        rest, twos = rest // 2, twos + 1
    while rest % 5 == 0:
        rest, fives = rest // 5, fives + 1
    return max(twos, fives) if rest == 1 else None


@frozen
class Speech:
    """A language, and how a house writes its money: what every part of the rulebook speaks with."""

    language: Language
    money: Money
    prisons: tuple[str, ...]

    def say(self, key: str, **values: object) -> str:
        """Return a sentence with its places filled; that for one or for many by ``number``."""
        return self.language.sentence(f"rulebook.{key}", **values)

    def all_of(self, parts: Sequence[str]) -> str:
        """Return parts as a list: ``a, b and c``."""
        return self._listed("list.all", parts)

    def any_of(self, parts: Sequence[str]) -> str:
        """Return parts as a choice: ``a, b or c``."""
        return self._listed("list.any", parts)

    def apart(self, parts: Sequence[str]) -> str:
        """Return parts with semicolons between them, as the language sets them."""
        told = "".join(parts[:1])
        for part in parts[1:]:
            told = self.say("list.apart", first=told, second=part)
        return told

    def named(self, name: str, told: str) -> str:
        """Return a name, a colon as the language sets it, and what is told of it."""
        return self.say("list.named", name=name, told=told)

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
        """Return a number exactly: as a decimal where it is one, else as a fraction."""
        places = _decimals(value)
        if places is None:
            return str(value)
        written = str(Amount(value).written()) if value >= 0 else str(value)
        return written.replace(".", self.say("decimal"))

    def amount(self, units: Fraction | int) -> str:
        """Return units of the house as an amount in its currency."""
        return f"{self.number(units * self.money.unit.value)} {plain(self.money.currency)}"

    def percent(self, share: Fraction) -> str:
        """Return a share in per cent, exactly; as a fraction where decimals cannot tell it."""
        if _decimals(share) is None:
            return str(share)
        return f"{self.number(share * 100)} %"

    def figure(self, share: Fraction) -> str:
        """Return a computed share in per cent, to five decimals."""
        return f"{float(share) * 100:.5f} %".replace(".", self.say("decimal"))

    def share(self, share: Fraction) -> str:
        """Return a part of a stake: ``half``, ``three quarters``, else the fraction."""
        return self._get(f"share.{share.numerator}-{share.denominator}") or str(share)

    def odds(self, odds: Fraction) -> str:
        """Return what a win pays: ``1 to 1``."""
        return self.say("odds_text", win=odds.numerator, stake=odds.denominator)

    def chance(self, name: str) -> str:
        """Return the name of a chance, that of a side bet in quotation marks."""
        return self._get(f"chance.{name}") or self.quoted(name)

    def state(self, name: str) -> str:
        """Return the name of a prison: by its number where it is named so, else as the house's."""
        if name == prison_name(1):
            return self.say("state.prison") + (" 1" if len(self.prisons) > 1 else "")
        for level in range(2, len(self.prisons) + 1):
            if name == prison_name(level):
                return f"{self.say('state.prison')} {level}"
        return f"{self.say('state.prison')} {self.quoted(name)}"

    def verdict(self, verdict: Verdict) -> str:
        """Return a verdict as a moment: ``if its chance wins``."""
        moment = self.say(f"verdict.{verdict.usual.id}")
        return moment if verdict == verdict.usual else f"{moment} ({verdict.id})"


def capital(text: str) -> str:
    """Return a sentence with a capital in front."""
    return text[:1].upper() + text[1:]
