"""Printing: a report in the format that is asked for, and how far a run is."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import wraps
from itertools import chain
from pathlib import Path
from time import perf_counter
from typing import Any, Final, TypeVar

import click
from attrs import frozen
from click.core import ParameterSource

from trente_rules.cli.helped import MISSING_EXTRA
from trente_rules.cli.streams import discard_output, write_utf8
from trente_rules.cli.values import LANGUAGE
from trente_rules.cli.waiting import Waiting
from trente_rules.core.errors import TrenteError, shown
from trente_rules.core.files import open_to_others, read_file, replace_file
from trente_rules.core.names import known_name, nearest
from trente_rules.core.plugins.manager import default_manager
from trente_rules.core.text import printable
from trente_rules.fair.card_seal import CardSeal, seal_of_files
from trente_rules.reports.document import Report

Command = TypeVar("Command", bound=Callable[..., Any])
PLAIN_TEXT: Final = "text"
"""The format that people read: in it, letters that a code page lacks are replaced."""
_TEXT_ENDINGS: Final = ("", ".txt", ".text", ".log")
_DASH: Final = Path("-")


class FormatName(click.Choice[str]):
    """The name of a format: those that are registered, and some that a command has besides.

    The names are asked for when a command runs, not when its module is imported.
    """

    def __init__(self, *own: str) -> None:
        """Take the names that only this command has."""
        self._own = own
        self.case_sensitive = True

    @property
    def choices(self) -> Sequence[str]:  # type: ignore[override]
        """The names of all formats."""
        return (*(each.name for each in default_manager().things("format")), *self._own)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the name of a format; text was called table once."""
        return super().convert("text" if value == "table" else value, param, ctx)


@frozen
class Output:
    """Where a command puts its report, and in which form: the one way to print one.

    ``form`` is the name of a format, ``out`` the file that ``--out`` names, None for the standard
    output.
    """

    form: str
    out: Path | None = None

    def show(self, report: Report) -> None:
        """Write a report in the format that was asked for; a long one on a terminal by pages."""
        width = None if self.out is not None else _terminal_width()
        written = default_manager().render(self.form, report, width)
        if width is not None and isinstance(written, str) and _needs_pages(written, self.form):
            Waiting.end()
            os.environ.setdefault("LESS", "-FRX")  # the report stays on the screen afterwards
            click.echo_via_pager(written, color=colours())
        else:
            self.write(written)

    def write(self, written: str | bytes) -> None:
        """Write what is already in the form that was asked for, such as the TOML of a house.

        A file is replaced whole, and a new one may be read by whoever the system lets read new
        files: a report is made to be shown. It is UTF-8, and so is anything but plain text on the
        standard output, whatever its code page. Raises ``TrenteError`` ("file-unwritable").
        """
        Waiting.end()
        if self.out is not None:
            data = written.encode() if isinstance(written, str) else written
            replace_file(self.out, data, private=False)
            click.echo(f"{printable(str(self.out))} written", err=True)
            return
        if self.form != PLAIN_TEXT:
            write_utf8()
        try:
            click.echo(written, nl=False, color=colours())
        except BrokenPipeError:
            discard_output()  # nobody reads it, and the exit status is still an answer

    def pour(self, parts: Iterable[str | bytes]) -> None:
        """Write records, part by part: they are never held whole, and a new file is private."""
        chunks = iter(parts)
        first = next(chunks, "")  # what cannot be read at all makes no file
        whole = chain((first,), chunks)
        if self.out is None:
            for part in whole:
                self.write(part)
            return
        replace_file(self.out, (part.encode() if isinstance(part, str) else part for part in whole))
        Waiting.end()
        click.echo(f"{printable(str(self.out))} written", err=True)


def _needs_pages(written: str, form: str) -> bool:
    """Return whether a person reads plain text that is longer than the screen, and wants pages."""
    if form != PLAIN_TEXT or os.environ.get("PAGER", "less").strip() in ("", "cat"):
        return False
    if sys.stdin is None or not sys.stdin.isatty():
        return False
    from shutil import get_terminal_size  # noqa: PLC0415 - only a terminal needs it

    return written.count("\n") >= get_terminal_size().lines


def _terminal_width() -> int | None:
    """Return how wide the terminal is, None where the standard output is not one."""
    if sys.stdout is None or not sys.stdout.isatty():
        return None
    from rich.console import Console  # noqa: PLC0415 - only a terminal needs it

    return Console().width


def colours() -> bool | None:
    """Return False where nobody wants colours and bold letters (no-color.org), None elsewhere."""
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return False if plain else None


def report_options(*own: str, default: str = PLAIN_TEXT) -> Callable[[Command], Command]:
    """Add ``--format`` and ``--out`` to a command, which gets both as ``output: Output``.

    The formats are those of reports, and ``own`` ones that only this command has: it writes those
    by ``Output.write``. Without ``--format``, the ending of the file chooses. The help names the
    ``default``; one that is not text is for the command to write.
    """

    def decorate(function: Command) -> Command:
        @click.option(
            "--format",
            "form",
            type=FormatName(*own),
            help=f"The format of the report.  [default: {default}, or by the ending of --out]",
        )
        @_OUT
        @wraps(function)
        def with_output(
            *arguments: Any, form: str | None, out: Path | None, **options: Any
        ) -> object:
            file = _file_of(out, options.values())
            output = Output(form or _form_of(file, own), file)
            with Waiting.begun():
                return function(*arguments, output=output, **options)

        return with_output  # type: ignore[return-value] # click calls it with the options

    return decorate


_OUT: Final = click.option(
    "--out",
    type=click.Path(dir_okay=False, allow_dash=True, path_type=Path),
    metavar="FILE",
    help="Write to FILE, which is replaced, instead of the standard output (-).",
)


def out_option(form: str) -> Callable[[Command], Command]:
    """Add ``--out`` to a command that writes one form alone: it gets ``output: Output``."""

    def decorate(function: Command) -> Command:
        @_OUT
        @wraps(function)
        def with_output(*arguments: Any, out: Path | None, **options: Any) -> object:
            output = Output(form, _file_of(out, options.values()))
            return function(*arguments, output=output, **options)

        return with_output  # type: ignore[return-value] # click calls it with the options

    return decorate


def _file_of(out: Path | None, given: Iterable[object]) -> Path | None:
    """Return the file to write, None for the standard output; no file that is also read."""
    if out is None or out == _DASH:
        return None
    check_target(out, given)
    return out


def check_target(out: Path, given: Iterable[object]) -> None:
    """Refuse to write over a file that the same command is given to read."""
    for value in given:
        for one in value if isinstance(value, tuple) else (value,):
            if isinstance(one, str | Path) and _same_file(Path(one), out):
                why = f"--out {printable(str(out))}: the command reads this file (name another)"
                raise click.UsageError(why)


def _same_file(one: Path, other: Path) -> bool:
    try:
        return one.samefile(other)
    except (OSError, ValueError):  # not there, too long for a name, or no name at all
        return False


def _form_of(out: Path | None, own: Sequence[str]) -> str:
    """Return the format that the ending of a file asks for, text without one."""
    suffix = "" if out is None else out.suffix.lower()
    if out is None or suffix in _TEXT_ENDINGS:
        return PLAIN_TEXT
    formats: dict[str, str] = {
        each.suffix: each.name for each in default_manager().things("format") if each.suffix
    }
    formats |= {f".{name}": name for name in own}
    if suffix not in formats:
        known = ", ".join(dict.fromkeys((".txt", *formats)))
        why = f"--out {printable(str(out))}: no format has the ending {shown(suffix)}"
        raise click.UsageError(f"{why} (endings are {known}; or choose one with --format)")
    return formats[suffix]


KEY_FILE: Final = "TRENTE_RULES_KEY_FILE"
"""The environment variable that names the key files, with what separates paths between them."""


def key_option(text: str) -> Callable[[Command], Command]:
    """Add ``--key-file`` to a command: its ``seal`` is a ``CardSeal`` or None."""

    def read(
        _context: click.Context, _option: click.Parameter, files: tuple[str, ...]
    ) -> CardSeal | None:
        with misuse():
            seal = seal_of_files(files)
        warn_of_open_files(files)
        return seal

    return click.option(
        "--key-file",
        "seal",
        type=click.Path(),
        multiple=True,
        envvar=KEY_FILE,
        metavar="FILE",
        callback=read,
        help=f"{text} Repeat for earlier keys; {KEY_FILE} names them too.",
    )


def warn_of_open_files(files: Iterable[str]) -> None:
    """Print a warning for each file that others than its owner may read: they hold keys."""
    for file in files:
        if open_to_others(file):
            click.echo(f"warning: {file!r} may be read by others: chmod 600", err=True)


def language_option(text: str) -> Callable[[Command], Command]:
    """Add ``--language`` to a command: any language that a plugin brings, ours among them."""

    def check(_context: click.Context, _option: click.Parameter, code: str) -> str:
        known = default_manager().names("language")
        found = known_name(code, known)
        if found not in known:
            hint = nearest(code, known) or f"languages are {', '.join(known)}"
            raise click.BadParameter(f"unknown language {shown(code)} ({hint})")
        return found

    return click.option(
        "--language",
        type=LANGUAGE,
        default="en",
        show_default=True,
        callback=check,
        help=text,
    )


def bytes_given(file: str, most: int) -> bytes:
    """Return what a file holds, or for ``-`` the standard input, of at most so many bytes.

    Raises ``TrenteError`` ("file-missing", "file-unreadable", "file-too-large"): pipes and devices
    are not waited for.
    """
    if file != "-":
        return read_file(file, most)
    if sys.stdin is None:
        raise click.UsageError("there is no standard input: name a file")
    data = sys.stdin.buffer.read(most + 1)
    if len(data) > most:
        raise TrenteError(f"the standard input has more than {most} bytes", "file-too-large")
    return data


def command_line(context: click.Context) -> str:
    """Return the command as it would be typed again: what was given, a list of names last."""
    words, options, names = context.command_path.split(), list[str](), list[str]()
    for parameter in context.command.params:
        if parameter.name == "out":  # where a report is put does not change what it says
            continue
        value = context.params[parameter.name or ""]
        if isinstance(parameter, click.Argument):
            if parameter.nargs == 1:
                words.append(str(value))
            else:
                names += map(str, value)
        elif context.get_parameter_source(parameter.name or "") is ParameterSource.COMMANDLINE:
            for one in value if isinstance(value, tuple) else (value,):
                options += [parameter.opts[0]] if one is True else [parameter.opts[0], str(one)]
    if any(name.startswith("-") for name in names):
        options.append("--")
    return shlex.join([*words, *options, *names])


@contextmanager
def misuse(*codes: str) -> Iterator[None]:
    """Turn errors of these codes, of any where none is named, into those of a wrong call.

    A missing extra is one sentence of its own: the call was right.
    """
    try:
        yield
    except TrenteError as error:
        if error.code.startswith(MISSING_EXTRA) or (codes and error.code not in codes):
            raise
        raise click.UsageError(str(error)) from error


def save_plot(draw: Callable[[], Any], path: Path | None) -> None:
    """Draw a figure into a file, if one is named, and say so."""
    if path is not None:
        from trente_rules.reports.figures import save_figure  # noqa: PLC0415 - of the extra

        save_figure(draw(), path)
        click.echo(f"{printable(str(path))} written", err=True)


def check_plot(path: Path | None) -> None:
    """Refuse a file that no figure could be written to, before a long run."""
    if path is not None:
        from trente_rules.reports.figures import check_target  # noqa: PLC0415 - of the extra

        check_target(path)


# --- How far a run is, on the standard error, where somebody looks


_SLOW: Final = 10
"""So few a second that a decimal is shown."""


@contextmanager
def bar(what: str) -> Iterator[Callable[[int, int], object] | None]:
    """Show how much is done, how fast, and the time left; None where no terminal shows it."""
    Waiting.end()
    if sys.stderr is None or not sys.stderr.isatty():
        yield None
        return
    from rich import progress  # noqa: PLC0415 - only a terminal needs it
    from rich.console import Console  # noqa: PLC0415

    columns = (
        *progress.Progress.get_default_columns()[:-1],
        progress.TextColumn("{task.fields[rate]}"),
        progress.TimeRemainingColumn(),
    )
    started = perf_counter()
    with progress.Progress(*columns, console=Console(stderr=True), transient=True) as shown:
        task = shown.add_task(what, total=None, rate="")

        def show(done: int, total: int) -> None:
            seconds = perf_counter() - started
            a_second = done / seconds if seconds else 0.0
            rate = f"{a_second:,.{0 if a_second >= _SLOW else 1}f} {what}/s" if done else ""
            shown.update(task, completed=done, total=total, rate=rate)

        yield show
