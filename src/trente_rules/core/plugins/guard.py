"""The guard around the code of a plugin: what it raises, prints and closes, and how long it takes.

A plugin has all rights of the process, so a guard is not a wall: it keeps an accident of one plugin
from ending the program, and names the plugin. ``os._exit``, threads that a plugin starts and
functions of ours that it replaces are out of its reach.
"""

from __future__ import annotations

import io
import os
import signal
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, redirect_stdout, suppress
from functools import partial
from itertools import starmap
from threading import Timer, current_thread, get_ident, main_thread
from types import CodeType, FrameType, FunctionType, MethodType
from typing import Any, Final, TextIO

import attrs

from trente_rules.core.errors import PluginError, raised
from trente_rules.core.text import printable

SLOW: Final = 5.0
"""Seconds after which a plugin that is still busy is named on standard error."""
MOST_THINGS: Final = 10_000
"""Things of one kind that one plugin may add."""
_DEEPEST: Final = 50


@contextmanager
def guarded(plugin: str, doing: str) -> Iterator[None]:
    """Run the code of a plugin; raise ``PluginError`` ("plugin-broken") for whatever it raises.

    ``doing`` says what the plugin does, for a message: ``"being imported"``. What it prints goes to
    standard error; where it closes one of the standard streams, that is opened again and the plugin
    has failed. After ``SLOW`` seconds a line on standard error names the plugin and where it is,
    and nothing is stopped: Python cannot end the code of another safely. A Ctrl-C of the user stays
    a ``KeyboardInterrupt``.
    """
    cause: BaseException | None = None
    interrupted = _Interrupts()
    streams = [_Stream(name) for name in ("stdout", "stderr")]
    try:
        with ExitStack() as stack:
            stack.enter_context(_named_when_slow(plugin, doing))
            stack.enter_context(interrupted)
            if sys.stderr is not None:
                stack.enter_context(redirect_stdout(sys.stderr))
            yield
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt) and interrupted.by_user:
            raise
        cause = error
    finally:
        closed = [stream.name for stream in streams if stream.restored()]
    if cause is None and closed:
        cause = ValueError(f"it closed {' and '.join(closed)}")
    if cause is not None:
        words = raised(cause) if cause.__traceback__ else words_of(cause)
        what = f"plugin {plugin!r} fails while {doing}: {words}"
        raise PluginError(what, "plugin-broken", "", plugin) from cause


def words_of(error: BaseException) -> str:
    """Return the class and the text of an exception, whatever its text raises."""
    try:
        return f"{type(error).__name__}: {str(error)[:200]}"
    except Exception:  # noqa: BLE001 - a stranger's own
        return type(error).__name__


@contextmanager
def _named_when_slow(plugin: str, doing: str) -> Iterator[None]:
    watch = Timer(SLOW, _say_slow, (plugin, doing, get_ident()))
    watch.daemon = True
    watch.start()
    try:
        yield
    finally:
        watch.cancel()


def _say_slow(plugin: str, doing: str, thread: int) -> None:
    frame = sys._current_frames().get(thread)  # noqa: SLF001 - the way to see another thread
    if sys.stderr is not None and frame is not None:
        where = f"{frame.f_code.co_filename}, line {frame.f_lineno}"
        text = f"plugin {plugin!r} is still {doing} after {SLOW:g} s ({where}); Ctrl-C stops it"
        with suppress(OSError, ValueError):
            sys.stderr.write(f"{printable(text)}\n")
            sys.stderr.flush()


class _Interrupts:
    """Notices whether a ``KeyboardInterrupt`` is a Ctrl-C of the user, or raised by a plugin.

    A signal comes to the main thread alone. Where the host handles it, every one is the user's;
    where it is ignored, as in a job of a shell's background, none is.
    """

    def __init__(self) -> None:
        """Notice nothing yet."""
        self.by_user = False
        self._mine = False

    def __enter__(self) -> None:
        """Handle the signal, where Python itself would."""
        if current_thread() is not main_thread():
            return
        handler = signal.getsignal(signal.SIGINT)
        self._mine = handler is signal.default_int_handler
        self.by_user = not self._mine and handler is not signal.SIG_IGN
        if self._mine:
            signal.signal(signal.SIGINT, self._note)

    def __exit__(self, *_error: object) -> None:
        """Let Python handle the signal again, unless the plugin decided otherwise."""
        if self._mine and signal.getsignal(signal.SIGINT) == self._note:
            signal.signal(signal.SIGINT, signal.default_int_handler)

    def _note(self, number: int, frame: FrameType | None) -> None:
        self.by_user = True
        signal.default_int_handler(number, frame)


class _Stream:
    """One of the standard streams, as it was before a plugin was called."""

    def __init__(self, name: str) -> None:
        """Remember the stream, and make a second handle of its file."""
        self.name = name
        self._stream: TextIO | None = vars(sys)[name]
        self._file = self._copy = -1
        if isinstance(self._stream, io.IOBase) and not self._stream.closed:
            with suppress(OSError, ValueError):
                self._file = self._stream.fileno()
                self._copy = os.dup(self._file)
        else:
            self._stream = None

    def restored(self) -> bool:
        """Open the stream again where the plugin closed it or its file; return whether it did."""
        stream, closed = self._stream, False
        if self._copy >= 0:
            try:
                same = os.path.sameopenfile(self._file, self._copy)
            except OSError:
                same = False
            if not same:
                os.dup2(self._copy, self._file)
                closed = True
            os.close(self._copy)
        if stream is not None and stream.closed:
            closed = True
            if self._file >= 0:
                again = open(  # noqa: SIM115 - a stream of the process, by its number
                    self._file, "w", encoding=stream.encoding, errors=stream.errors, closefd=False
                )
                setattr(sys, self.name, again)
        return closed


def alike(one: object, other: object, depth: int = 0) -> bool:  # noqa: PLR0911 - one a form
    """Return whether two values that a rule built say the same.

    Functions that are made anew in each call are alike where their code, their defaults and what
    they enclose are; objects without a comparison of their own where their attributes are.
    """
    if one is other or depth > _DEEPEST:
        return True
    if type(one) is not type(other) and _class_of(one) != _class_of(other):
        return False
    below = partial(_each_alike, depth=depth + 1)
    match one, other:
        case (FunctionType(), FunctionType()):
            return below(_parts(one), _parts(other))
        case (MethodType(), MethodType()):
            return below((one.__self__, one.__func__), (other.__self__, other.__func__))
        case (partial(), partial()):
            return below(
                (one.func, one.args, one.keywords), (other.func, other.args, other.keywords)
            )
        case (Mapping(), Mapping()):
            return one.keys() == other.keys() and below(
                tuple(one.values()), tuple(other[key] for key in one)
            )
        case (tuple() | list(), tuple() | list()):
            return below(tuple(one), tuple(other))
        case (CodeType(), CodeType()):
            return one == other
    kind: Any = type(one)
    if attrs.has(kind):
        names = [field.name for field in attrs.fields(kind) if field.eq]
        return below(*(tuple(getattr(each, name) for name in names) for each in (one, other)))
    if kind.__eq__ is object.__eq__:
        try:
            return below((vars(one),), (vars(other),))
        except TypeError:  # without attributes
            return True
    return bool(one == other)


def _each_alike(some: tuple[object, ...], others: tuple[object, ...], *, depth: int) -> bool:
    pairs = zip(some, others, strict=False)
    return len(some) == len(others) and all(starmap(partial(alike, depth=depth), pairs))


def _class_of(value: object) -> tuple[str, str]:
    return type(value).__module__, type(value).__qualname__


def _parts(function: FunctionType) -> tuple[Any, ...]:
    """Return what a function is made of: its code, its defaults, what it encloses."""
    cells = []
    for cell in function.__closure__ or ():
        with suppress(ValueError):  # not set yet
            cells.append(cell.cell_contents)
    return function.__code__, function.__defaults__, function.__kwdefaults__, tuple(cells)
