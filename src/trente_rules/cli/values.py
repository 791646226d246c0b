"""The kinds of values that options and arguments take: one kind, one meaning, in every command.

Each kind reads what is typed, and completes it in a shell. Names are returned as they are typed:
whatever uses them finds the one that is meant, or says which are near.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final

import click
from attrs import field, frozen

from trente_rules.core.chances import OPPOSITES
from trente_rules.core.errors import TrenteError, shown
from trente_rules.core.money import Amount
from trente_rules.core.names import known_name
from trente_rules.core.plugins.manager import default_manager

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

DEFAULT_HOUSE: Final = "france-2007"
"""The house of a command that needs one and is given none."""
_PACKS: Final = range(1, 9)
_NUMBER: Final = re.compile(r"([0-9][0-9_]*)(\.[0-9]{1,18})?(?:[eE]\+?([0-9]{1,2}))?", re.ASCII)
_WHOLE: Final = re.compile(r"0|[1-9][0-9_]*", re.ASCII)
_HEX: Final = re.compile(r"(?:0[xX])?([0-9a-fA-F]+)", re.ASCII)
_LONGEST: Final = 2_048
"""Characters of a number or a seed that are read."""


def number_of(text: str) -> Fraction | None:
    """Return a number as people write it, ``1000``, ``1_000``, ``0.50`` or ``1e6``, or None."""
    found = _NUMBER.fullmatch(text.strip()) if len(text) <= _LONGEST else None
    if found is None:
        return None
    return Fraction(f"{found[1].replace('_', '')}{found[2] or ''}e{found[3] or 0}")


# --- Names


class KnownName(click.ParamType[str]):
    """A name of which a shell can offer those that are known; any text is let through."""

    def __init__(self, name: str, known: Callable[[click.Context], Iterable[str]]) -> None:
        """Take the word of the help, and what returns the names."""
        self.name, self._known = name, known

    def convert(
        self,
        value: Any,
        param: click.Parameter | None,  # noqa: ARG002 - click passes it
        ctx: click.Context | None,  # noqa: ARG002 - likewise
    ) -> str:
        """Return the name as it is typed; of a simple chance, as the library writes it."""
        return known_name(str(value), OPPOSITES) if self is CHANCE else str(value)

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str:  # noqa: ARG002 - click passes it
        """Return the word of the help: of a house as an option, that a file is one as well."""
        if self is HOUSE and isinstance(param, click.Option):
            return "NAME|FILE"
        return self.name.upper()

    def shell_complete(
        self,
        ctx: click.Context,
        param: click.Parameter,  # noqa: ARG002 - click passes it
        incomplete: str,
    ) -> list[CompletionItem]:
        """Return the names that begin so; of houses also files."""
        from click.shell_completion import CompletionItem  # noqa: PLC0415 - only in a completion

        found = [CompletionItem(name) for name in self._names(ctx) if name.startswith(incomplete)]
        if self is HOUSE and (not found or _is_path(incomplete)):
            return [CompletionItem(incomplete, type="file")]
        return found

    def _names(self, context: click.Context) -> Iterable[str]:
        try:
            return dict.fromkeys(self._known(context))
        except TrenteError:  # a shell waits for names, not for what is wrong with a plugin
            return ()


def _is_path(text: str) -> bool:
    return any(sign in text for sign in "./\\")


def _chances(context: click.Context) -> Iterator[str]:
    """Yield the chances of the houses that are typed so far, or those of the default house."""
    from trente_rules.core.house.loading import load_house  # noqa: PLC0415 - only a completion

    # Before an option without its value, click has not given the arguments their names.
    typed = [word for word in context.args if not word.startswith("-")]
    for parameter in context.command.params:
        if parameter.type is HOUSE and parameter.name:
            value = context.params.get(parameter.name)
            typed += value if isinstance(value, tuple) else [value] if value else []
    for name in typed or [DEFAULT_HOUSE]:
        try:
            yield from (chance.id for chance in load_house(name).chances)
        except (TrenteError, OSError):
            continue


HOUSE: Final = KnownName("house", lambda _context: default_manager().names("house"))
"""A house: its name, or a file."""
CHANCE: Final = KnownName("chance", _chances)
"""A chance or a side bet of a house."""
SYSTEM: Final = KnownName("system", lambda _context: default_manager().names("system"))
"""A staking system."""
LANGUAGE: Final = KnownName("code", lambda _context: default_manager().names("language"))
"""A language, by its code."""
DEAL: Final = KnownName(
    "deal", lambda _context: ("own", "infinite", *(f"{packs}-packs" for packs in _PACKS))
)
"""What odds are of: the packs of each house, an infinite pack, or so many packs."""
PATH: Final = click.Path()
"""A file or a folder, as it is typed."""


# --- Numbers


class WholeNumber(click.ParamType[int]):
    """A whole number within bounds, as people write it: ``1000``, ``1_000_000``, ``1e7``."""

    name = "n"

    def __init__(self, least: int, most: int) -> None:
        """Take the least and the greatest number."""
        self.least, self.most = least, most

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Return the number; a wrong call for anything else."""
        number = Fraction(value) if isinstance(value, int) else number_of(str(value))
        if number is None or number.denominator != 1 or not self.least <= number <= self.most:
            what = f"{shown(value)} is not a whole number from {self.least} to {self.most}"
            self.fail(f"{what} (examples: 1000, 1e6)", param, ctx)
        return int(number)


COUNT: Final = WholeNumber(1, 10**9)
"""How many of something, or which one: a database takes no number without end."""


class AmountText(click.ParamType[Amount | str]):
    """An amount in the currency of a house: ``1000``, ``0.50``, ``1e6``; or one of some words."""

    name = "amount"

    def __init__(self, *words: str) -> None:
        """Take the words that are let through as they are, such as ``none``."""
        self._words = words

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> Amount | str:
        """Return the amount; a wrong call for anything else."""
        if isinstance(value, Amount):
            return value
        if value in self._words:
            return str(value)
        number = number_of(str(value))
        try:
            if number is not None:
                amount = Amount(number)
                return Amount.parse(amount.written())  # no more digits than a house file has
        except TrenteError:
            pass
        also = "".join(f", or {word}" for word in self._words)
        return self.fail(
            f"{shown(value)} is not an amount (examples: 1000, 0.50, 1e6{also})", param, ctx
        )

    def shell_complete(
        self,
        ctx: click.Context,  # noqa: ARG002 - click passes it
        param: click.Parameter,  # noqa: ARG002 - likewise
        incomplete: str,
    ) -> list[CompletionItem]:
        """Return the words that begin so."""
        from click.shell_completion import CompletionItem  # noqa: PLC0415 - only in a completion

        return [CompletionItem(word) for word in self._words if word.startswith(incomplete)]


AMOUNT: Final = AmountText()
"""An amount in the currency of a house."""


@frozen
class SeedText:
    """A seed as it was typed: a whole number, or bytes as hexadecimal digits behind ``0x``.

    A whole number is the number of its bytes: 255 and ``0xff`` are the same seed. Digits with a
    letter or a leading zero among them are bytes without ``0x``.
    """

    text: str = field(repr=False)
    data: bytes = field(repr=False)

    @property
    def number(self) -> int:
        """The seed as a whole number."""
        return int.from_bytes(self.data, "big")

    def __str__(self) -> str:
        """Return the seed as it was typed."""
        return self.text

    @classmethod
    def parse(cls, text: str) -> SeedText | None:
        """Read a seed; None for any other text, which is never shown: it may be a secret."""
        if len(text) > _LONGEST:
            return None
        if _WHOLE.fullmatch(text):
            number = int(text.replace("_", ""))
            return cls(text, number.to_bytes(max(1, (number.bit_length() + 7) // 8), "big"))
        found = _HEX.fullmatch(text)
        if found is None or len(found[1]) % 2:
            return None
        return cls(text, bytes.fromhex(found[1]))


class SeedKind(click.ParamType[SeedText]):
    """A seed: the same in every command that draws."""

    name = "seed"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> SeedText:
        """Return the seed; a wrong call, which does not show it, for any other text."""
        seed = value if isinstance(value, SeedText) else SeedText.parse(str(value))
        if seed is None:
            what = "not a seed: use a whole number, or bytes as two hexadecimal digits each"
            self.fail(f"{what} (examples: 2024, 0x5eed)", param, ctx)
        return seed


SEED: Final = SeedKind()
"""A seed: a whole number, or bytes behind ``0x``."""
