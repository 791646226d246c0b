"""The hooks: all that a plugin can add. One page; a plugin author needs no other.

Write functions with these names, mark each with ``@hookimpl``, and name the module under the
entry-point group ``trente_rules``::

    [project.entry-points.trente_rules]
    my-rules = "my_package.my_module"

A rule is a frozen attrs class. Its fields are its TOML parameters; its ``build`` returns a table.
Settlement, exact advantage, simulation and the rulebook read the table, and need no more code.
Every hook returns a sequence of frozen, named things; built-in names are reserved, and a name that
two plugins share fails when it is used, naming both.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import pluggy
from attrs import frozen

PROJECT: Final = "trente_rules"
hookspec: Final = pluggy.HookspecMarker(PROJECT)
hookimpl: Final = pluggy.HookimplMarker(PROJECT)
"""Mark a function of yours as the implementation of the hook it is named after."""


@frozen
class HouseText:
    """A house of a plugin: its name, where the text is from, the TOML text."""

    name: str
    origin: str
    text: str


@frozen
class Named:
    """A rule under the name that TOML calls it by.

    ``rule`` is a frozen attrs class. ``version`` is part of a house's fingerprint: raise it when
    the same parameters build another table.
    """

    name: str
    rule: type[Any]
    version: int = 1


@frozen
class LanguageText:
    """A language of a plugin: its code, where the text is from, the TOML text."""

    name: str
    origin: str
    text: str


@frozen
class Format:
    """A form that reports are printed in: its name for ``--format``, and how to render a report.

    ``render(report, width)`` takes a ``trente_rules.reports.document.Report`` and returns its text,
    or the bytes of a file; ``width`` is that of the terminal it is for, None for a file or a pipe.
    ``suffix`` is the ending of files of this form (``".tex"``); ``extra`` names the extra of
    trente-rules that rendering needs.
    """

    name: str
    render: Callable[[Any, int | None], str | bytes]
    suffix: str = ""
    extra: str = ""


@frozen
class Subcommand:
    """A command of ``trente``: its name, its line in the list of commands, where it is.

    ``target`` is ``"package.module:object"``, a click command. It is imported when the command is
    called, so that the list of commands imports none. ``group`` is the heading of the list under
    which the command is, "Houses" or "Tools" or any other: by default "From plugins".
    """

    name: str
    help: str
    target: str
    group: str = "From plugins"


def houses_in(package: str) -> tuple[HouseText, ...]:
    """Return the houses of a package: each folder with a ``house.toml`` is one.

    ``return houses_in(__name__)`` is all that ``trente_houses`` needs in a package of TOML files.
    """
    from importlib.resources import files  # noqa: PLC0415 - only houses that are asked for

    return tuple(
        HouseText(
            folder.name,
            f"{package}/{folder.name}/house.toml",
            (folder / "house.toml").read_text("utf-8"),
        )
        for folder in sorted(files(package).iterdir(), key=lambda entry: entry.name)
        if (folder / "house.toml").is_file()
    )


@hookspec
def trente_houses() -> Sequence[HouseText]:  # type: ignore[empty-body]
    """Bring houses, each a TOML document as ``trente new`` writes one."""


@hookspec
def trente_refait_rules() -> Sequence[Named]:  # type: ignore[empty-body]
    """Bring refait rules.

    ``build(self, money)`` returns courses by state and verdict; see
    ``core.rules.refait.RefaitRule`` and, for an example, ``core.rules.refait.HalfLoss``.
    """


@hookspec
def trente_insurance_rules() -> Sequence[Named]:  # type: ignore[empty-body]
    """Bring insurance rules.

    ``build(self, money)`` returns a ``core.rules.insurance.InsuranceTable``, or None.
    """


@hookspec
def trente_limit_rules() -> Sequence[Named]:  # type: ignore[empty-body]
    """Bring limit rules.

    ``build(self, money)`` returns ``core.rules.limits.Limits``, or a frozen subclass. What none of
    its fields can say is refused by ``also``, a pure function of stakes, history and opening.
    """


@hookspec
def trente_side_bets() -> Sequence[Named]:  # type: ignore[empty-body]
    """Bring kinds of side bet.

    ``wins(self, outcome)`` returns whether one of the 400 outcomes wins; ``[[side_bets]] wins_on``
    names the kind.
    """


@hookspec
def trente_systems() -> Sequence[Named]:  # type: ignore[empty-body]
    """Bring staking systems for ``trente simulate``.

    ``start(self)``, ``bet(self, state)`` and ``after(self, state, result)`` are pure functions of
    any hashable state; see ``core.systems.System`` and, for an example,
    ``core.systems.Martingale``. A system is not part of a house.
    """


@hookspec
def trente_languages() -> Sequence[LanguageText]:  # type: ignore[empty-body]
    """Bring languages, each with every phrase; see ``core.rules.announcements.Language``."""


@hookspec
def trente_formats() -> Sequence[Format]:  # type: ignore[empty-body]
    """Bring formats of reports: every command of ``trente`` that prints a report takes each."""


@hookspec
def trente_commands() -> Sequence[Subcommand]:  # type: ignore[empty-body]
    """Bring commands of ``trente``."""
