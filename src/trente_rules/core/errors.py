"""The errors of the library: one base class and few children, with their data as fields.

Every error has a stable ``code`` (kebab-case, safe to match on), a ``message`` in lower case that
names the bad value and what was expected, and a ``hint`` that says what to do, or nothing. All can
be pickled, to be sent to other processes.
"""

from __future__ import annotations

import re
from itertools import islice
from pathlib import PurePath
from reprlib import Repr
from typing import TYPE_CHECKING, Any, Final

from attrs import define, frozen

from trente_rules.core.text import counted, printable, printable_lines

if TYPE_CHECKING:
    from datetime import date

_LONGEST: Final = 60


class _Short(Repr):
    """The ``repr`` of any value, cut short; the cost does not grow with the size or depth."""

    def __init__(self) -> None:
        """Set how many members are shown: as many as can fit."""
        super().__init__()
        self.maxlevel = 4
        self.maxlist = self.maxtuple = self.maxdict = self.maxset = self.maxfrozenset = 20

    def repr_str(self, value: str, _level: int) -> str:
        """Return the ``repr`` of the beginning, which is all that a message shows."""
        return repr(value[: _LONGEST + 1])

    def repr_int(self, value: int, _level: int) -> str:
        """Return the digits, or how many they are: Python does not write very long numbers."""
        if value.bit_length() > _MOST_BITS:
            return f"<a whole number of about {value.bit_length() * 30103 // 100000 + 1} digits>"
        return repr(value)

    def repr_bool(self, value: bool, _level: int) -> str:  # noqa: FBT001 - as Repr calls it
        """Return true or false as TOML and JSON write them."""
        return str(value).lower()

    def repr_dict(self, value: dict[Any, Any], level: int) -> str:
        """Return a table on one line as TOML writes it."""
        if not value or level <= 0:
            return "{...}" if value else "{}"
        parts = [
            f"{printable(str(key)[:_LONGEST])} = {self.repr1(each, level - 1)}"
            for key, each in islice(value.items(), self.maxdict)
        ]
        parts += ["..."] * (len(value) > self.maxdict)
        return f"{{ {', '.join(parts)} }}"

    def repr_date(self, value: date, _level: int) -> str:
        """Return a date or a time as TOML writes it."""
        return value.isoformat()

    repr_datetime = repr_time = repr_date

    def repr_instance(self, value: object, _level: int) -> str:
        """Return the ``repr`` of anything else, whatever that raises."""
        try:
            return repr(value)
        except Exception:  # noqa: BLE001 - a stranger's own
            return f"<{type(value).__name__}>"


_MOST_BITS: Final = 1_000
_LONGEST_REASON: Final = 200
_SHORT: Final = _Short()
_RANK: Final = "(?:10|[1-9TJQKAVBFDR])"
_BETWEEN: Final = r"[\s'\",]"
_RUN_OF_CARDS: Final = re.compile(
    rf"(?:{_RANK}[♠♥♦♣♤♡♢♧](?:{_BETWEEN}*{_RANK}[♠♥♦♣♤♡♢♧]){{2,}}"
    rf"|\b{_RANK}[SHDC](?:{_BETWEEN}+{_RANK}[SHDC]\b){{2,}})(?:{_BETWEEN}*{_RANK}(?=\.\.\.))?",
    re.IGNORECASE,
)
"""Three cards or more, and a rank that was cut off from its suit."""


def shown(value: object) -> str:
    """Return a bad value as a message shows it, cut to at most 60 characters.

    A table and true or false are as TOML writes them, anything else is its ``repr``. Three cards
    and more are left out: they may be the order of a shoe.
    """
    text = printable(without_cards(_SHORT.repr(value)))
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."


def without_cards(text: str) -> str:
    """Return a text with each three cards and more left out: they may be the order of a shoe."""
    return _RUN_OF_CARDS.sub("(cards)", text)


def _safe(text: str) -> str:
    """Return a text as one line that can be printed and shows no cards: the last net."""
    return printable(without_cards(text))


def raised(error: BaseException) -> str:
    """Return what a stranger's code raised, and where: ``ValueError: no (rules.py, line 7)``."""
    from traceback import extract_tb  # noqa: PLC0415 - only a plugin that fails needs it

    frame = extract_tb(error.__traceback__)[-1]
    place = f"{PurePath(frame.filename).name}, line {frame.lineno}"
    return f"{type(error).__name__}: {printable(str(error)[:_LONGEST_REASON])} ({printable(place)})"


@frozen
class Fault:
    """One fault of a file: where it is, what is wrong, what to do.

    ``line`` and ``column`` count from 1, in characters; None where the place is not known.
    ``key`` is the path of the key (``"refait.levels"``), empty for a fault of the whole file.
    """

    file: str
    line: int | None
    column: int | None
    key: str
    code: str
    message: str
    hint: str = ""

    def __str__(self) -> str:
        """Return ``file:line:column: key: message (hint) [code]``, on one line."""
        place = ":".join(str(part) for part in (self.file, self.line, self.column) if part)
        key = f"{self.key}: " if self.key else ""
        hint = f" ({self.hint})" if self.hint else ""
        return _safe(f"{place}: {key}{self.message}{hint} [{self.code}]")


@frozen
class Refusal:
    """One reason why a bet is not accepted: a stable code, a sentence, the stake it is about.

    ``values`` are the values in the sentence, by name, for other languages and clients: amounts in
    units, chances and players by their ids.
    """

    code: str
    message: str
    stake: str = ""
    values: tuple[tuple[str, int | str], ...] = ()

    def __str__(self) -> str:
        """Return the sentence with its code."""
        return _safe(f"{self.message} [{self.code}]")


@define(eq=False, slots=False)
class TrenteError(Exception):
    """The base of every error that this library raises."""

    message: str
    code: str = "trente"
    hint: str = ""

    def __str__(self) -> str:
        """Return the message, and the hint behind it, as one line that can be printed; no cards."""
        return _safe(f"{self.message} ({self.hint})" if self.hint else self.message)


@define(eq=False, slots=False)
class ConfigurationError(TrenteError):
    """A house that cannot be built; ``faults`` are all its faults, in the order of the file.

    ``more`` counts those that are left out of the list.
    """

    faults: tuple[Fault, ...] = ()
    more: int = 0

    def __str__(self) -> str:
        """Return a line for each fault."""
        return printable_lines(without_cards(self.message)) if self.faults else super().__str__()

    @classmethod
    def of(cls, *faults: Fault, more: int = 0) -> ConfigurationError:
        """Build the error from its faults; ``more`` counts those left out of the list."""
        lines = [str(fault) for fault in faults]
        if more:
            lines.append(f"and {counted(more, 'more fault')}")
        code = faults[0].code if len(faults) == 1 else "faults"
        return cls("\n".join(lines), code, "", faults, more)


@define(eq=False, slots=False)
class RuleError(TrenteError):
    """A rule that builds an invalid table, or that is given invalid values.

    ``field`` names the rule's field, or the place inside a machine, that is at fault; ``fix`` is a
    value of that field, as TOML writes it, with which the fault is gone (None: none is known). It
    is what a house file writes where it inherits the field.
    """

    field: str = ""
    fix: object = None


@define(eq=False, slots=False)
class CardError(TrenteError):
    """Invalid cards or rows, or a shoe that does not consist of whole packs."""

    missing: tuple[str, ...] = ()
    extra: tuple[str, ...] = ()


@define(eq=False, slots=False)
class BetError(TrenteError):
    """A stake or a choice that the house does not know, or does not accept."""

    stake: str = ""
    refusals: tuple[Refusal, ...] = ()


@define(eq=False, slots=False)
class PluginError(TrenteError):
    """A plugin that cannot be loaded, returns what its hook does not take, or shares a name."""

    plugin: str = ""


@define(eq=False, slots=False)
class PhaseError(TrenteError):
    """A command that a table cannot take now; ``allowed`` are the kinds that it can take."""

    phase: str = ""
    allowed: tuple[str, ...] = ()


@define(eq=False, slots=False)
class RecordError(TrenteError):
    """A record, a snapshot or a journal that cannot be read; ``place`` says where it is wrong.

    ``faults`` are all faults of a file, in its order.
    """

    place: str = ""
    faults: tuple[Fault, ...] = ()

    def __str__(self) -> str:
        """Return a line for each fault, or the message and the hint on one."""
        return printable_lines(without_cards(self.message)) if self.faults else super().__str__()
